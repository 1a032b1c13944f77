
module goshawk (
    input  wire        clock,
    input  wire        reset,
    input  wire        rvfi_valid_0,
    input  wire [31:0] rvfi_insn_0,
    input  wire        rvfi_trap_0,
    input  wire        rvfi_intr_0,
    input  wire [31:0] rvfi_pc_rdata_0,
    input  wire [31:0] rvfi_pc_wdata_0,
    input  wire [2:0]  bus_addr,
    input  wire        bus_write,
    input  wire [31:0] bus_wdata,
    output wire [31:0] bus_rdata,
    output wire        valid,
    input  wire        ready,
    output wire [31:0] data
);

    wire        core_0_control_ready;
    wire        core_0_control_stop_ready;
    wire        core_0_control_lost;
    wire        core_0_control_take;
    wire        core_0_control_give_back;
    wire        core_0_entry_push;
    wire [1:0]  core_0_entry_pre;
    wire [1:0]  core_0_entry_post;
    wire [23:0] core_0_entry_icnt;
    wire [23:0] core_0_entry_bcnt;
    wire [31:0] core_0_entry_pc;
    wire [31:0] core_0_entry_target;
    wire        spine_control_0_enable;
    wire        spine_control_0_no_credit;
    wire        spine_control_0_below_watermark;
    wire        spine_control_0_stop_go;
    wire        spine_read_have;
    wire [31:0] spine_read_word;
    wire        spine_coded_ready;
    wire [1:0]  encoder_entry_field;
    wire        encoder_entry_done;
    wire        encoder_entry_ends;
    wire        encoder_bits_valid;
    wire [3:0]  encoder_bits_count;
    wire [7:0]  encoder_bits_data;
    wire        encoder_bits_busy;

    goshawk_core u_core_0 (
        .clock(clock),
        .reset(reset),
        .rvfi_valid(rvfi_valid_0),
        .rvfi_insn(rvfi_insn_0),
        .rvfi_trap(rvfi_trap_0),
        .rvfi_intr(rvfi_intr_0),
        .rvfi_pc_rdata(rvfi_pc_rdata_0),
        .rvfi_pc_wdata(rvfi_pc_wdata_0),
        .control_enable(spine_control_0_enable),
        .control_no_credit(spine_control_0_no_credit),
        .control_below_watermark(spine_control_0_below_watermark),
        .control_stop_go(spine_control_0_stop_go),
        .control_ready(core_0_control_ready),
        .control_stop_ready(core_0_control_stop_ready),
        .control_lost(core_0_control_lost),
        .control_take(core_0_control_take),
        .control_give_back(core_0_control_give_back),
        .entry_push(core_0_entry_push),
        .entry_pre(core_0_entry_pre),
        .entry_post(core_0_entry_post),
        .entry_icnt(core_0_entry_icnt),
        .entry_bcnt(core_0_entry_bcnt),
        .entry_pc(core_0_entry_pc),
        .entry_target(core_0_entry_target)
    );

    goshawk_spine u_spine (
        .clock(clock),
        .reset(reset),
        .bus_addr(bus_addr),
        .bus_write(bus_write),
        .bus_wdata(bus_wdata),
        .bus_rdata(bus_rdata),
        .words_valid(valid),
        .words_data(data),
        .words_ready(ready),
        .control_0_enable(spine_control_0_enable),
        .control_0_no_credit(spine_control_0_no_credit),
        .control_0_below_watermark(spine_control_0_below_watermark),
        .control_0_stop_go(spine_control_0_stop_go),
        .control_0_ready(core_0_control_ready),
        .control_0_stop_ready(core_0_control_stop_ready),
        .control_0_lost(core_0_control_lost),
        .control_0_take(core_0_control_take),
        .control_0_give_back(core_0_control_give_back),
        .entry_0_push(core_0_entry_push),
        .entry_0_pre(core_0_entry_pre),
        .entry_0_post(core_0_entry_post),
        .entry_0_icnt(core_0_entry_icnt),
        .entry_0_bcnt(core_0_entry_bcnt),
        .entry_0_pc(core_0_entry_pc),
        .entry_0_target(core_0_entry_target),
        .read_have(spine_read_have),
        .read_word(spine_read_word),
        .read_field(encoder_entry_field),
        .read_done(encoder_entry_done),
        .read_ends(encoder_entry_ends),
        .coded_valid(encoder_bits_valid),
        .coded_count(encoder_bits_count),
        .coded_data(encoder_bits_data),
        .coded_busy(encoder_bits_busy),
        .coded_ready(spine_coded_ready)
    );

    goshawk_encoder u_encoder (
        .clock(clock),
        .reset(reset),
        .entry_have(spine_read_have),
        .entry_word(spine_read_word),
        .entry_field(encoder_entry_field),
        .entry_done(encoder_entry_done),
        .entry_ends(encoder_entry_ends),
        .bits_valid(encoder_bits_valid),
        .bits_count(encoder_bits_count),
        .bits_data(encoder_bits_data),
        .bits_busy(encoder_bits_busy),
        .bits_ready(spine_coded_ready)
    );
endmodule

// event entries to bits
module goshawk_encoder (
    input  wire        clock,
    input  wire        reset,
    input  wire        entry_have,
    input  wire [31:0] entry_word,
    output reg  [1:0]  entry_field,
    output wire        entry_done,
    output wire        entry_ends,
    output wire        bits_valid,
    output wire [3:0]  bits_count,
    output wire [7:0]  bits_data,
    output wire        bits_busy,
    input  wire        bits_ready
);

    localparam [2:0] RECORD_FIELD_BEGIN = 3'd0;

    reg  [2:0]  step;
    reg         past_run;
    reg         past_pre;
    reg         known;
    reg         upper;
    reg  [1:0]  pre;
    reg  [1:0]  post;
    wire        take;
    wire [5:0]  fields_size;
    wire [31:0] fields_value;
    wire        fields_lead;
    wire [1:0]  fields_own_field;
    wire [1:0]  fields_next_field;
    wire [2:0]  fields_next_step;
    wire        fields_over;
    wire        fields_rest;
    wire        fields_run;
    wire        fields_new_known;
    wire        fields_new_upper;
    wire [1:0]  fields_new_pre;
    wire [1:0]  fields_new_post;
    wire        coder_ready;

    assign take = entry_have & coder_ready;
    assign entry_done = take & fields_over & !fields_rest;

    goshawk_fields u_fields (
        .step(step),
        .past_run(past_run),
        .past_pre(past_pre),
        .known(known),
        .upper(upper),
        .pre(pre),
        .post(post),
        .word(entry_word),
        .size(fields_size),
        .value(fields_value),
        .lead(fields_lead),
        .own_field(fields_own_field),
        .next_field(fields_next_field),
        .next_step(fields_next_step),
        .over(fields_over),
        .rest(fields_rest),
        .run(fields_run),
        .new_known(fields_new_known),
        .new_upper(fields_new_upper),
        .new_pre(fields_new_pre),
        .new_post(fields_new_post),
        .ends(entry_ends)
    );

    goshawk_coder u_coder (
        .clock(clock),
        .reset(reset),
        .valid(entry_have),
        .size(fields_size),
        .value(fields_value),
        .lead(fields_lead),
        .taken(bits_ready),
        .ready(coder_ready),
        .have(bits_valid),
        .count(bits_count),
        .data(bits_data),
        .busy(bits_busy)
    );

    always @(*) begin
        entry_field = fields_own_field;
        if (take) begin
            entry_field = fields_next_field;
        end
    end

    always @(posedge clock) begin
        if (take) begin
            step <= fields_next_step;
            known <= fields_new_known;
            upper <= fields_new_upper;
            pre <= fields_new_pre;
            post <= fields_new_post;
            if (fields_over) begin
                past_run <= fields_rest;
                past_pre <= fields_rest & (!fields_run | (step != 3'd0));
            end
        end
        if (reset) begin
            step <= RECORD_FIELD_BEGIN;
            past_run <= 1'd0;
            past_pre <= 1'd0;
        end
    end

    initial begin
        step = 3'd0;
        past_run = 1'd0;
        past_pre = 1'd0;
        known = 1'd0;
        upper = 1'd0;
        pre = 2'd0;
        post = 2'd0;
    end
endmodule

// fields to bits
module goshawk_coder (
    input  wire        clock,
    input  wire        reset,
    input  wire        valid,
    input  wire [5:0]  size,
    input  wire [31:0] value,
    input  wire        lead,
    input  wire        taken,
    output reg         ready,
    output wire        have,
    output reg  [3:0]  count,
    output reg  [7:0]  data,
    output wire        busy
);

    localparam [5:0] FOUR = 6'd4;

    reg  [31:0] v;
    reg  [5:0]  left;
    reg  [3:0]  next_size;
    reg         raw;
    reg         address;
    reg         negative;
    reg         lead_q;
    reg  [3:0]  core;
    reg         busy_q;
    reg         ends;
    reg         has_address;
    reg         has_negative;
    reg         has_magnitude;
    wire        tail;
    wire [5:0]  full;
    reg  [3:0]  bits;
    wire [3:0]  low;
    wire [3:0]  shift;
    reg  [31:0] rest;
    wire        connect;
    wire        sign;
    reg  [7:0]  trailing_bits;
    reg  [7:0]  own;
    reg  [3:0]  extra;
    reg  [5:0]  after_left;
    wire        after_tail;
    reg  [3:0]  after_bits;
    reg         then_tail;
    reg  [3:0]  sent_bits;
    reg         more;
    wire [5:0]  first;
    reg         free;
    wire        new_tail;
    reg  [31:0] left_term;
    reg  [31:0] right_term;
    wire [31:0] sum;

    assign tail = left[5:2] == 4'd0;
    assign full = FOUR;
    assign connect = tail & !raw;
    assign sign = ends & address;
    assign low = v[3:0];
    assign shift = bits;
    assign have = busy_q;
    assign busy = busy_q | has_address | has_negative | has_magnitude;
    assign after_tail = after_left[5:2] == 4'd0;
    assign first = size;
    assign new_tail = first[5:2] == 4'd0;
    assign sum = left_term + right_term + 32'd1;

    always @(*) begin
        bits = full[3:0];
        if (tail) begin
            bits = {2'd0, left[1:0]} + 4'd1;
        end
    end

    always @(*) begin
        trailing_bits = 8'd0;
        if (connect & !ends) begin
            trailing_bits = 8'd1;
        end
        if (sign & negative) begin
            trailing_bits = 8'd2;
        end
    end

    always @(*) begin
        case (shift)
            4'd1: begin
                rest = {1'd0, v[31:1]};
                own = {trailing_bits[6:0], low[0]};
            end
            4'd2: begin
                rest = {2'd0, v[31:2]};
                own = {trailing_bits[5:0], low[1:0]};
            end
            4'd3: begin
                rest = {3'd0, v[31:3]};
                own = {trailing_bits[4:0], low[2:0]};
            end
            default: begin
                rest = {4'd0, v[31:4]};
                own = {trailing_bits[3:0], low};
            end
        endcase
    end

    always @(*) begin
        extra = 4'd0;
        if (connect) begin
            extra = 4'd1;
        end
        if (sign) begin
            extra = 4'd2;
        end
    end

    always @(*) begin
        data = own;
        count = bits + extra;
        if (lead_q) begin
            data = own | {4'd0, core};
            count = bits + extra;
        end
    end

    always @(*) begin
        free = !busy_q;
        then_tail = tail;
        sent_bits = bits;
        if (busy_q & taken) begin
            free = ends;
            then_tail = after_tail;
            sent_bits = bits + after_bits;
        end
    end

    always @(*) begin
        after_left = left - full;
        if (tail) begin
            after_left = {2'd0, next_size};
        end
    end

    always @(*) begin
        after_bits = 4'd4;
        if (after_tail) begin
            after_bits = {2'd0, after_left[1:0]} + 4'd1;
        end
    end

    always @(*) begin
        case (sent_bits)
            4'd1: begin
                more = |v[31:1];
            end
            4'd2: begin
                more = |v[31:2];
            end
            4'd3: begin
                more = |v[31:3];
            end
            4'd4: begin
                more = |v[31:4];
            end
            4'd5: begin
                more = |v[31:5];
            end
            4'd6: begin
                more = |v[31:6];
            end
            4'd7: begin
                more = |v[31:7];
            end
            default: begin
                more = |v[31:8];
            end
        endcase
    end

    always @(*) begin
        left_term = v;
        right_term = 32'd0;
        if (has_negative) begin
            left_term = ~v;
            right_term = 32'd0;
        end
    end

    always @(*) begin
        ready = free;
        if (has_magnitude) begin
            ready = 1'd0;
        end else if (has_negative) begin
            ready = 1'd0;
        end else if (has_address) begin
            ready = 1'd1;
        end
    end

    always @(posedge clock) begin
        if (busy_q & taken) begin
            v <= rest;
            left <= after_left;
            lead_q <= 1'd0;
            busy_q <= !ends;
        end
        ends <= then_tail & (raw | !more);
        if (has_magnitude) begin
            has_magnitude <= 1'd0;
            busy_q <= 1'd1;
        end else if (has_negative) begin
            has_negative <= 1'd0;
            has_magnitude <= 1'd1;
            v <= {1'd0, sum[30:0]};
        end else if (has_address) begin
            has_address <= 1'd0;
            negative <= sum[30];
            has_negative <= sum[30];
            has_magnitude <= {sum[30], 30'd0} == 31'd0;
            v <= {1'd0, sum[30:0]};
        end else if (free & valid) begin
            v <= value;
            left <= first;
            next_size <= 4'd1;
            raw <= 1'd1;
            ends <= new_tail;
            address <= 1'd0;
            has_address <= 1'd0;
            busy_q <= 1'd1;
            lead_q <= lead;
            core <= 4'd0;
        end
        if (reset) begin
            busy_q <= 1'd0;
            has_address <= 1'd0;
            has_negative <= 1'd0;
            has_magnitude <= 1'd0;
            lead_q <= 1'd0;
        end
    end

    initial begin
        v = 32'd0;
        left = 6'd0;
        next_size = 4'd0;
        raw = 1'd0;
        address = 1'd0;
        negative = 1'd0;
        lead_q = 1'd0;
        core = 4'd0;
        busy_q = 1'd0;
        ends = 1'd0;
        has_address = 1'd0;
        has_negative = 1'd0;
        has_magnitude = 1'd0;
    end
endmodule

// event entries to fields
module goshawk_fields (
    input  wire [2:0]  step,
    input  wire        past_run,
    input  wire        past_pre,
    input  wire        known,
    input  wire        upper,
    input  wire [1:0]  pre,
    input  wire [1:0]  post,
    input  wire [31:0] word,
    output reg  [5:0]  size,
    output reg  [31:0] value,
    output reg         lead,
    output reg  [1:0]  own_field,
    output reg  [1:0]  next_field,
    output reg  [2:0]  next_step,
    output reg         over,
    output wire        rest,
    output wire        run,
    output wire        new_known,
    output wire        new_upper,
    output wire [1:0]  new_pre,
    output wire [1:0]  new_post,
    output wire        ends
);

    localparam [2:0] RECORD_FIELD_ADDRESS = 3'd3;
    localparam [2:0] RECORD_FIELD_BEGIN = 3'd0;
    localparam [2:0] RECORD_FIELD_INSTRUCTIONS = 3'd1;
    localparam [2:0] RECORD_FIELD_OPEN = 3'd2;
    localparam [2:0] RECORD_FIELD_SIGNATURE = 3'd6;
    localparam [2:0] RECORD_FIELD_SIGNATURE_HIGH = 3'd7;
    localparam [2:0] RECORD_FIELD_START = 3'd4;
    localparam [2:0] RECORD_FIELD_WAITING = 3'd5;
    localparam [5:0] ADDRESS_SIZE = 6'h1e;
    localparam [3:0] CODE_OVERFLOW = 4'd9;
    localparam [3:0] CODE_STOP = 4'd5;
    localparam [5:0] COUNT_SIZE = 6'h13;
    localparam [5:0] ESCAPE_SIZE = 6'h13;
    localparam [5:0] EXCEPTION_SIZE = 6'h10;
    localparam [1:0] F_PC = 2'd2;
    localparam [1:0] F_TARGET = 2'd3;
    localparam [5:0] FLAG_SIZE = 6'h10;
    localparam [5:0] INDEX_SIZE = 6'd7;
    localparam [1:0] K_CONTROL = 2'd3;
    localparam [1:0] K_START = 2'd3;
    localparam [1:0] K_SYNC = 2'd2;
    localparam [5:0] LOW_SIZE = 6'h12;
    localparam [5:0] MISS_SIZE = 6'hf;
    localparam [3:0] NO_RUN = 4'hf;
    localparam [5:0] WAIT_SIZE = 6'd7;

    wire        begins;
    wire [27:0] first;
    reg         its_known;
    reg         its_upper;
    reg  [1:0]  its_pre;
    reg  [1:0]  its_post;
    wire [31:0] number;
    wire [31:0] streak;
    wire [3:0]  run_size;
    wire        exception;
    wire        sync;
    wire        control;
    wire        overflow;
    wire        hit;
    wire        missed;
    wire        sends_start;
    wire        has_pc;
    reg  [3:0]  code;
    reg  [31:0] flag;
    wire        in_run;
    wire        in_pre;
    wire        streams;
    reg         another;

    assign begins = step == 3'd0;
    assign first = word[27:0];
    assign number = {22'd0, first[9:0]};
    assign streak = {24'd0, first[19:12]};
    assign run_size = first[23:20];
    assign exception = its_pre == 2'd1;
    assign sync = its_pre == K_SYNC;
    assign control = its_pre == K_CONTROL;
    assign overflow = control & (its_post == 2'd1);
    assign has_pc = exception | overflow;
    assign sends_start = (its_post == K_START) & (its_pre == 2'd0);
    assign hit = (its_post == K_START) & (|its_pre);
    assign missed = its_post != 2'd1;
    assign in_run = (run_size != NO_RUN) & !past_run;
    assign in_pre = (|its_pre) & !past_pre;
    assign streams = (|its_post) & !control;
    assign rest = another;
    assign run = in_run;
    assign new_known = its_known;
    assign new_upper = its_upper;
    assign new_pre = its_pre;
    assign new_post = its_post;
    assign ends = control & !overflow;

    always @(*) begin
        its_known = known;
        its_upper = upper;
        its_pre = pre;
        its_post = post;
        if (begins) begin
            its_upper = first[10];
            its_known = first[11];
            its_pre = first[25:24];
            its_post = first[27:26];
        end
    end

    always @(*) begin
        code = CODE_STOP;
        if (overflow) begin
            code = CODE_OVERFLOW;
        end
        if (sync) begin
            code = 4'd1;
        end
        if (exception) begin
            code = 4'd0;
        end
    end

    always @(*) begin
        flag = 32'd0;
        if (its_upper & sends_start) begin
            flag = 32'd1;
        end
    end

    always @(*) begin
        another = in_pre & streams;
        if (begins & in_run) begin
            another = in_pre | streams;
        end
    end

    always @(*) begin
        value = word;
        size = ADDRESS_SIZE;
        own_field = 2'd0;
        next_field = 2'd0;
        next_step = RECORD_FIELD_BEGIN;
        over = 1'd1;
        lead = 1'd0;
        case (step)
            RECORD_FIELD_BEGIN: begin
                lead = 1'd0;
                if (in_run) begin
                    value = {streak[30:0], 1'd1};
                    size = {2'd0, run_size};
                end else if (in_pre) begin
                    value = {12'd0, code, 16'd0};
                    size = ESCAPE_SIZE;
                    next_step = RECORD_FIELD_INSTRUCTIONS;
                    next_field = 2'd1;
                    over = 1'd0;
                    if (exception) begin
                        size = EXCEPTION_SIZE;
                    end
                    if (sync) begin
                        next_step = RECORD_FIELD_ADDRESS;
                        next_field = F_PC;
                    end
                end else if (hit) begin
                    value = 32'd1;
                    size = 6'd0;
                end else if (missed) begin
                    value = {number[23:0], 8'd0} | {flag[15:0], 16'd0};
                    size = MISS_SIZE;
                    if (sends_start) begin
                        size = FLAG_SIZE;
                        next_step = RECORD_FIELD_START;
                        next_field = F_TARGET;
                        over = 1'd0;
                    end
                end else begin
                    value = {number[30:0], 1'd0};
                    size = INDEX_SIZE;
                end
            end
            RECORD_FIELD_WAITING: begin
                value = 32'd0;
                size = WAIT_SIZE;
                next_step = RECORD_FIELD_INSTRUCTIONS;
                next_field = 2'd1;
                over = 1'd0;
            end
            RECORD_FIELD_INSTRUCTIONS: begin
                own_field = 2'd1;
                size = COUNT_SIZE;
                if (!its_known) begin
                    next_step = RECORD_FIELD_OPEN;
                    next_field = F_TARGET;
                    over = 1'd0;
                end else if (has_pc) begin
                    next_step = RECORD_FIELD_ADDRESS;
                    next_field = F_PC;
                    over = 1'd0;
                end
            end
            RECORD_FIELD_OPEN: begin
                own_field = F_TARGET;
                if (has_pc) begin
                    next_step = RECORD_FIELD_ADDRESS;
                    next_field = F_PC;
                    over = 1'd0;
                end
            end
            RECORD_FIELD_ADDRESS: begin
                own_field = F_PC;
                if (overflow) begin
                    size = COUNT_SIZE;
                end
            end
            RECORD_FIELD_SIGNATURE: ;
            RECORD_FIELD_SIGNATURE_HIGH: ;
            RECORD_FIELD_START: begin
                own_field = F_TARGET;
                if (its_upper) begin
                    size = LOW_SIZE;
                end
            end
        endcase
    end
endmodule

// connects front ends, event FIFOs, encoder and registers
module goshawk_spine (
    input  wire        clock,
    input  wire        reset,
    input  wire [2:0]  bus_addr,
    input  wire        bus_write,
    input  wire [31:0] bus_wdata,
    output wire [31:0] bus_rdata,
    output wire        words_valid,
    output wire [31:0] words_data,
    input  wire        words_ready,
    output wire        control_0_enable,
    output wire        control_0_no_credit,
    output wire        control_0_below_watermark,
    output wire        control_0_stop_go,
    input  wire        control_0_ready,
    input  wire        control_0_stop_ready,
    input  wire        control_0_lost,
    input  wire        control_0_take,
    input  wire        control_0_give_back,
    input  wire        entry_0_push,
    input  wire [1:0]  entry_0_pre,
    input  wire [1:0]  entry_0_post,
    input  wire [23:0] entry_0_icnt,
    input  wire [23:0] entry_0_bcnt,
    input  wire [31:0] entry_0_pc,
    input  wire [31:0] entry_0_target,
    output wire        read_have,
    output wire [31:0] read_word,
    input  wire [1:0]  read_field,
    input  wire        read_done,
    input  wire        read_ends,
    input  wire        coded_valid,
    input  wire [3:0]  coded_count,
    input  wire [7:0]  coded_data,
    input  wire        coded_busy,
    output wire        coded_ready
);

    reg         all_ready;
    reg         all_stopped;
    reg  [15:0] haves;
    reg  [15:0] losses;
    wire [31:0] word;
    wire        fifo_0_have;
    wire [31:0] fifo_0_word;
    wire        merger_show;
    wire        trace_framer_active;
    wire        trace_framer_bits_valid;
    wire [3:0]  trace_framer_bits_count;
    wire [7:0]  trace_framer_bits_data;
    wire        packer_bits_ready;
    wire        packer_aligned;
    wire [2:0]  packer_nibbles;
    wire        registers_idle;
    wire        registers_enable;

    assign word = fifo_0_word;
    assign control_0_stop_go = all_stopped;
    assign read_word = word;
    assign registers_idle = !trace_framer_active & !words_valid & !registers_enable;

    goshawk_event_fifo u_fifo_0 (
        .clock(clock),
        .reset(reset),
        .entry_push(entry_0_push),
        .entry_pre(entry_0_pre),
        .entry_post(entry_0_post),
        .entry_icnt(entry_0_icnt),
        .entry_bcnt(entry_0_bcnt),
        .entry_pc(entry_0_pc),
        .entry_target(entry_0_target),
        .have(fifo_0_have),
        .pop(read_done),
        .field(read_field),
        .word(fifo_0_word)
    );

    goshawk_credits u_credits_0 (
        .clock(clock),
        .reset(reset),
        .take(control_0_take),
        .give_back(control_0_give_back),
        .pop(read_done),
        .no_credit(control_0_no_credit),
        .below_watermark(control_0_below_watermark)
    );

    goshawk_merger u_merger (
        .have(haves),
        .show(merger_show)
    );

    goshawk_trace_framer u_trace_framer (
        .clock(clock),
        .reset(reset),
        .enable(registers_enable),
        .ready(all_ready),
        .tracing(control_0_enable),
        .active(trace_framer_active),
        .show(merger_show),
        .have(read_have),
        .done(read_done),
        .ends(read_ends),
        .coded_valid(coded_valid),
        .coded_count(coded_count),
        .coded_data(coded_data),
        .coded_busy(coded_busy),
        .coded_ready(coded_ready),
        .bits_valid(trace_framer_bits_valid),
        .bits_count(trace_framer_bits_count),
        .bits_data(trace_framer_bits_data),
        .bits_ready(packer_bits_ready),
        .aligned(packer_aligned),
        .nibbles(packer_nibbles)
    );

    goshawk_packer u_packer (
        .clock(clock),
        .reset(reset),
        .bits_valid(trace_framer_bits_valid),
        .bits_count(trace_framer_bits_count),
        .bits_data(trace_framer_bits_data),
        .bits_ready(packer_bits_ready),
        .aligned(packer_aligned),
        .nibbles(packer_nibbles),
        .words_valid(words_valid),
        .words_data(words_data),
        .words_ready(words_ready)
    );

    goshawk_registers u_registers (
        .clock(clock),
        .reset(reset),
        .bus_addr(bus_addr),
        .bus_write(bus_write),
        .bus_wdata(bus_wdata),
        .bus_rdata(bus_rdata),
        .ready(all_ready),
        .active(control_0_enable),
        .idle(registers_idle),
        .overflow(losses),
        .enable(registers_enable)
    );

    always @(*) begin
        haves = 16'd0;
        haves = {haves[15:1], fifo_0_have};
    end

    always @(*) begin
        losses = 16'd0;
        losses = {losses[15:1], control_0_lost};
    end

    always @(*) begin
        all_ready = 1'd1;
        if (!control_0_ready) begin
            all_ready = 1'd0;
        end
    end

    always @(*) begin
        all_stopped = 1'd1;
        if (!control_0_stop_ready) begin
            all_stopped = 1'd0;
        end
    end
endmodule

// control and status
module goshawk_registers (
    input  wire        clock,
    input  wire        reset,
    input  wire [2:0]  bus_addr,
    input  wire        bus_write,
    input  wire [31:0] bus_wdata,
    output wire [31:0] bus_rdata,
    input  wire        ready,
    input  wire        active,
    input  wire        idle,
    input  wire [15:0] overflow,
    output wire        enable
);

    localparam [31:0] ACTIVE_BIT = 32'd2;
    localparam [31:0] FINGERPRINT = 32'hdc0d63be;
    localparam [31:0] ID = 32'h67544101;
    localparam [31:0] IDLE_BIT = 32'd4;
    localparam [2:0] OVERFLOW_ADDR = 3'd4;

    reg         enabled;
    reg  [15:0] overflow_flags;
    reg  [31:0] read_data;
    reg  [15:0] clear;
    wire [15:0] keep;
    reg  [31:0] status;
    reg  [31:0] control;

    assign keep = ~clear;
    assign bus_rdata = read_data;
    assign enable = enabled;

    always @(*) begin
        clear = 16'd0;
        if (bus_write) begin
            if (bus_addr == OVERFLOW_ADDR) begin
                clear = bus_wdata[15:0];
            end
        end
    end

    always @(*) begin
        status = 32'd0;
        if (ready) begin
            status = status | 32'd1;
        end
        if (active) begin
            status = status | ACTIVE_BIT;
        end
        if (idle) begin
            status = status | IDLE_BIT;
        end
    end

    always @(*) begin
        control = 32'd0;
        if (enabled) begin
            control = control | 32'd1;
        end
    end

    always @(posedge clock) begin
        if (bus_write) begin
            if (bus_addr == 3'd2) begin
                enabled <= bus_wdata[0];
            end
        end
        overflow_flags <= ((overflow_flags & keep) | overflow) & 16'd1;
        if (reset) begin
            enabled <= 1'd0;
            overflow_flags <= 16'd0;
        end
        read_data <= 32'd0;
        if (bus_addr == 3'd0) begin
            read_data <= ID;
        end
        if (bus_addr == 3'd1) begin
            read_data <= FINGERPRINT;
        end
        if (bus_addr == 3'd2) begin
            read_data <= control;
        end
        if (bus_addr == 3'd3) begin
            read_data <= status;
        end
        if (bus_addr == OVERFLOW_ADDR) begin
            read_data <= {16'd0, overflow_flags};
        end
    end

    initial begin
        enabled = 1'd0;
        overflow_flags = 16'd0;
        read_data = 32'd0;
    end
endmodule

// bits to words
module goshawk_packer (
    input  wire        clock,
    input  wire        reset,
    input  wire        bits_valid,
    input  wire [3:0]  bits_count,
    input  wire [7:0]  bits_data,
    output wire        bits_ready,
    output wire        aligned,
    output wire [2:0]  nibbles,
    output wire        words_valid,
    output wire [31:0] words_data,
    input  wire        words_ready
);

    localparam [2:0] LAST = 3'd6;
    localparam [2:0] STEP = 3'd2;

    reg  [6:0]  rest;
    reg  [2:0]  held;
    reg  [7:0]  top;
    reg  [27:0] low;
    reg         moves;
    reg  [2:0]  nibble_count;
    reg         full;
    wire [31:0] whole;
    wire [14:0] spread;
    wire [3:0]  total;
    wire        into_1;
    wire        half_1;
    wire        into_2;
    wire        half_2;
    wire        into_3;
    wire        completes_word;
    wire        octet;
    wire        take;

    assign spread = ({7'd0, bits_data} << held) | {8'd0, rest};
    assign into_1 = held[0] & bits_count[0];
    assign half_1 = held[1] ^ bits_count[1];
    assign into_2 = (held[1] & bits_count[1]) | (half_1 & into_1);
    assign half_2 = held[2] ^ bits_count[2];
    assign into_3 = (held[2] & bits_count[2]) | (half_2 & into_2);
    assign total = ({3'd0, held[0]} ^ {3'd0, bits_count[0]}) | {{2'd0, half_1} ^ {2'd0, into_1}, 1'd0} | {{1'd0, half_2} ^ {1'd0, into_2}, 2'd0} | {bits_count[3] ^ into_3, 3'd0};
    assign take = bits_valid & !full;
    assign octet = take & total[3];
    assign whole = {top, low[23:0]};
    assign completes_word = nibble_count == LAST;
    assign bits_ready = !full;
    assign aligned = (held == 3'd0) & (nibble_count == 3'd0);
    assign nibbles = nibble_count;
    assign words_valid = full;
    assign words_data = whole;

    always @(posedge clock) begin
        if (words_ready) begin
            full <= 1'd0;
        end
        if (take) begin
            held <= total[2:0];
            rest <= spread[6:0];
        end
        if (octet) begin
            rest <= spread[14:8];
            top <= spread[7:0];
            nibble_count <= nibble_count + STEP;
            full <= completes_word;
        end
        if (reset) begin
            rest <= 7'd0;
            held <= 3'd0;
            nibble_count <= 3'd0;
            full <= 1'd0;
        end
        if (moves) begin
            low <= {4'd0, whole[31:8]};
        end
        moves <= octet & !completes_word;
    end

    initial begin
        rest = 7'd0;
        held = 3'd0;
        top = 8'd0;
        low = 28'd0;
        moves = 1'd0;
        nibble_count = 3'd0;
        full = 1'd0;
    end
endmodule

// framer: a trace from its header to its last word
module goshawk_trace_framer (
    input  wire        clock,
    input  wire        reset,
    input  wire        enable,
    input  wire        ready,
    output wire        tracing,
    output wire        active,
    input  wire        show,
    output wire        have,
    input  wire        done,
    input  wire        ends,
    input  wire        coded_valid,
    input  wire [3:0]  coded_count,
    input  wire [7:0]  coded_data,
    input  wire        coded_busy,
    output wire        coded_ready,
    output reg         bits_valid,
    output reg  [3:0]  bits_count,
    output reg  [7:0]  bits_data,
    input  wire        bits_ready,
    input  wire        aligned,
    input  wire [2:0]  nibbles
);

    localparam [3:0] HEAD_BITS = 4'd8;
    localparam [31:0] HEADER0 = 32'h4b485347;
    localparam [31:0] HEADER1 = 32'h101;
    localparam [31:0] HEADER2 = 32'hdc0d63be;
    localparam [2:0] LAST = 3'd6;
    localparam [1:0] THIRD = 2'd2;

    reg         in_trace;
    reg         running;
    reg         in_header;
    reg  [1:0]  header_word;
    reg         due;
    reg  [4:0]  stop_count;
    wire        pad;
    reg  [31:0] word;
    reg  [7:0]  octet;
    wire [7:0]  half;
    wire        all_stopped;

    assign tracing = running;
    assign active = in_trace;
    assign half = octet;
    assign all_stopped = (stop_count == 5'd1) & !coded_busy;
    assign pad = all_stopped;
    assign have = show & !in_header & !due;
    assign coded_ready = bits_ready & !in_header;

    always @(*) begin
        case (header_word)
            2'd0: begin
                word = HEADER0;
            end
            2'd1: begin
                word = HEADER1;
            end
            default: begin
                word = HEADER2;
            end
        endcase
    end

    always @(*) begin
        case (nibbles[2:1])
            2'd0: begin
                octet = word[7:0];
            end
            2'd1: begin
                octet = word[15:8];
            end
            2'd2: begin
                octet = word[23:16];
            end
            default: begin
                octet = word[31:24];
            end
        endcase
    end

    always @(*) begin
        bits_data = coded_data;
        bits_count = coded_count;
        bits_valid = coded_valid;
        if (in_header) begin
            bits_data = half;
            bits_count = HEAD_BITS;
            bits_valid = 1'd1;
        end
        if (pad) begin
            bits_data = 8'd0;
            bits_count = 4'd1;
            bits_valid = !aligned;
        end
    end

    always @(posedge clock) begin
        running <= running & enable;
        if (enable & ready & !in_trace) begin
            in_trace <= 1'd1;
            running <= 1'd1;
            in_header <= 1'd1;
            header_word <= 2'd0;
        end
        if (in_header & bits_ready & (nibbles == LAST)) begin
            header_word <= header_word + 2'd1;
            if (header_word == THIRD) begin
                in_header <= 1'd0;
            end
        end
        if (done & ends) begin
            stop_count <= (stop_count + 5'd1) & 5'd1;
        end
        if (all_stopped & aligned) begin
            stop_count <= 5'd0;
            in_trace <= 1'd0;
        end
        if (reset) begin
            in_trace <= 1'd0;
            running <= 1'd0;
            in_header <= 1'd0;
            due <= 1'd0;
            stop_count <= 5'd0;
        end
    end

    initial begin
        in_trace = 1'd0;
        running = 1'd0;
        in_header = 1'd0;
        header_word = 2'd0;
        due = 1'd0;
        stop_count = 5'd0;
    end
endmodule

// which core's entry is next
module goshawk_merger (
    input  wire [15:0] have,
    output wire        show
);

    assign show = |have;
endmodule

// credit counter: FIFO entries in use or reserved
module goshawk_credits (
    input  wire        clock,
    input  wire        reset,
    input  wire        take,
    input  wire        give_back,
    input  wire        pop,
    output wire        no_credit,
    output wire        below_watermark
);

    localparam [8:0] ALL = 9'h100;
    localparam [8:0] FIRST = 9'd2;
    localparam [8:0] HIGH = 9'h1e0;

    reg  [8:0]  stored;
    reg         popped;
    wire        odd;
    wire        less;
    wire [8:0]  used;
    reg  [8:0]  change;

    assign used = stored ^ FIRST;
    assign odd = take ^ give_back ^ popped;
    assign less = (!take & (give_back | popped)) | (give_back & popped);
    assign no_credit = |(used & ALL);
    assign below_watermark = (used & HIGH) == 9'd0;

    always @(*) begin
        change = {8'd0, odd};
        if (less) begin
            change = {8'hff, odd};
        end
    end

    always @(posedge clock) begin
        popped <= pop & !reset;
        stored <= (used + change) ^ FIRST;
        if (reset) begin
            stored <= 9'd0;
        end
    end

    initial begin
        stored = 9'd0;
        popped = 1'd0;
    end
endmodule

// entries of one core until the encoder takes them
module goshawk_event_fifo (
    input  wire        clock,
    input  wire        reset,
    input  wire        entry_push,
    input  wire [1:0]  entry_pre,
    input  wire [1:0]  entry_post,
    input  wire [23:0] entry_icnt,
    input  wire [23:0] entry_bcnt,
    input  wire [31:0] entry_pc,
    input  wire [31:0] entry_target,
    output wire        have,
    input  wire        pop,
    input  wire [1:0]  field,
    output wire [31:0] word
);

    localparam [7:0] FEEDBACK = 8'hb8;

    reg  [7:0]  write;
    reg  [7:0]  read;
    reg         read_valid;
    wire [7:0]  after_write;
    reg  [7:0]  next_write;
    wire [7:0]  after_read;
    reg  [7:0]  next_read;
    wire        write_bit;
    wire        read_bit;
    wire        is_full;
    wire        none;
    wire        accept;
    wire [31:0] kinds;
    wire [31:0] first;
    wire [31:0] second;
    wire [30:0] entries_rdata;

    assign write_bit = !(^(write & FEEDBACK));
    assign after_write = {write[6:0], write_bit};
    assign read_bit = !(^(read & FEEDBACK));
    assign after_read = {read[6:0], read_bit};
    assign is_full = after_write == read;
    assign none = write == read;
    assign accept = entry_push & !is_full;
    assign kinds = {28'd0, entry_post, entry_pre};
    assign first = {kinds[7:0], entry_bcnt};
    assign second = {8'd0, entry_icnt};
    assign word = {1'd0, entries_rdata};
    assign have = read_valid;

    goshawk_field_mem #(.ADDRESS(8), .WIDTH(31)) u_entries (
        .clock(clock),
        .raddr(next_read),
        .field(field),
        .rdata(entries_rdata),
        .we(accept),
        .waddr(write),
        .w0(first[30:0]),
        .w1(second[30:0]),
        .w2(entry_pc[30:0]),
        .w3(entry_target[30:0])
    );

    always @(*) begin
        next_write = write;
        if (accept) begin
            next_write = after_write;
        end
        if (reset) begin
            next_write = 8'd0;
        end
    end

    always @(*) begin
        next_read = read;
        if (pop) begin
            next_read = after_read;
        end
    end

    always @(posedge clock) begin
        write <= next_write;
        read_valid <= !none;
        if (pop) begin
            read_valid <= !none & (after_read != write);
        end
        read <= next_read;
        if (reset) begin
            read <= 8'd0;
            read_valid <= 1'd0;
        end
    end

    initial begin
        write = 8'd0;
        read = 8'd0;
        read_valid = 1'd0;
    end
endmodule

// Memory. A word that is read in the cycle in which it is written is undefined, and so is a word that was never written;
// neither is used. Replace this module with a wrapper of a memory macro with one read and one write port.
module goshawk_field_mem #(
    parameter ADDRESS = 8,
    parameter WIDTH = 8
) (
    input  wire               clock,
    input  wire [ADDRESS-1:0] raddr,
    input  wire [1:0]         field,
    output reg  [WIDTH-1:0]   rdata,
    input  wire               we,
    input  wire [ADDRESS-1:0] waddr,
    input  wire [WIDTH-1:0]   w0,
    input  wire [WIDTH-1:0]   w1,
    input  wire [WIDTH-1:0]   w2,
    input  wire [WIDTH-1:0]   w3
);

    (* no_rw_check *)
    reg [WIDTH-1:0] words [0:(4<<ADDRESS)-1];

    always @(posedge clock) rdata <= words[{raddr, field}];

    always @(posedge clock) if (we) begin
        words[{waddr, 2'd0}] <= w0;
        words[{waddr, 2'd1}] <= w1;
        words[{waddr, 2'd2}] <= w2;
        words[{waddr, 2'd3}] <= w3;
    end
endmodule

// ingress adapters and front ends
module goshawk_core (
    input  wire        clock,
    input  wire        reset,
    input  wire        rvfi_valid,
    input  wire [31:0] rvfi_insn,
    input  wire        rvfi_trap,
    input  wire        rvfi_intr,
    input  wire [31:0] rvfi_pc_rdata,
    input  wire [31:0] rvfi_pc_wdata,
    input  wire        control_enable,
    input  wire        control_no_credit,
    input  wire        control_below_watermark,
    input  wire        control_stop_go,
    output wire        control_ready,
    output wire        control_stop_ready,
    output wire        control_lost,
    output wire        control_take,
    output wire        control_give_back,
    output wire        entry_push,
    output wire [1:0]  entry_pre,
    output wire [1:0]  entry_post,
    output wire [23:0] entry_icnt,
    output wire [23:0] entry_bcnt,
    output wire [31:0] entry_pc,
    output wire [31:0] entry_target
);

    wire        ingress_beat_live;
    wire        ingress_beat_valid;
    wire        ingress_beat_intr;
    wire        ingress_beat_branch;
    wire        ingress_beat_taken;
    wire        ingress_beat_lookup;
    wire        ingress_beat_pop;
    wire        ingress_beat_jump;
    wire [31:0] ingress_beat_pc;
    wire [31:0] ingress_beat_target;
    wire        front_go;

    goshawk_ingress u_ingress (
        .clock(clock),
        .live(front_go),
        .rvfi_valid(rvfi_valid),
        .rvfi_insn(rvfi_insn),
        .rvfi_trap(rvfi_trap),
        .rvfi_intr(rvfi_intr),
        .rvfi_pc_rdata(rvfi_pc_rdata),
        .rvfi_pc_wdata(rvfi_pc_wdata),
        .beat_live(ingress_beat_live),
        .beat_valid(ingress_beat_valid),
        .beat_intr(ingress_beat_intr),
        .beat_branch(ingress_beat_branch),
        .beat_taken(ingress_beat_taken),
        .beat_lookup(ingress_beat_lookup),
        .beat_pop(ingress_beat_pop),
        .beat_jump(ingress_beat_jump),
        .beat_pc(ingress_beat_pc),
        .beat_target(ingress_beat_target)
    );

    goshawk_front u_front (
        .clock(clock),
        .reset(reset),
        .control_enable(control_enable),
        .control_no_credit(control_no_credit),
        .control_below_watermark(control_below_watermark),
        .control_stop_go(control_stop_go),
        .control_ready(control_ready),
        .control_stop_ready(control_stop_ready),
        .control_lost(control_lost),
        .control_take(control_take),
        .control_give_back(control_give_back),
        .go(front_go),
        .beat_live(ingress_beat_live),
        .beat_valid(ingress_beat_valid),
        .beat_intr(ingress_beat_intr),
        .beat_branch(ingress_beat_branch),
        .beat_taken(ingress_beat_taken),
        .beat_lookup(ingress_beat_lookup),
        .beat_pop(ingress_beat_pop),
        .beat_jump(ingress_beat_jump),
        .beat_pc(ingress_beat_pc),
        .beat_target(ingress_beat_target),
        .entry_push(entry_push),
        .entry_pre(entry_pre),
        .entry_post(entry_post),
        .entry_icnt(entry_icnt),
        .entry_bcnt(entry_bcnt),
        .entry_pc(entry_pc),
        .entry_target(entry_target)
    );
endmodule

// retired instructions to event entries
module goshawk_front (
    input  wire        clock,
    input  wire        reset,
    input  wire        control_enable,
    input  wire        control_no_credit,
    input  wire        control_below_watermark,
    input  wire        control_stop_go,
    output wire        control_ready,
    output wire        control_stop_ready,
    output wire        control_lost,
    output wire        control_take,
    output wire        control_give_back,
    output wire        go,
    input  wire        beat_live,
    input  wire        beat_valid,
    input  wire        beat_intr,
    input  wire        beat_branch,
    input  wire        beat_taken,
    input  wire        beat_lookup,
    input  wire        beat_pop,
    input  wire        beat_jump,
    input  wire [31:0] beat_pc,
    input  wire [31:0] beat_target,
    output wire        entry_push,
    output wire [1:0]  entry_pre,
    output wire [1:0]  entry_post,
    output wire [23:0] entry_icnt,
    output wire [23:0] entry_bcnt,
    output wire [31:0] entry_pc,
    output wire [31:0] entry_target
);

    reg         swept;
    reg  [9:0]  sweep_at;
    reg         live_3;
    reg         valid_3;
    reg         intr_3;
    reg         ends_3;
    reg         flow_3;
    reg         known_3;
    reg  [23:0] count_3;
    reg  [9:0]  length_3;
    reg  [31:0] pc_3;
    reg  [31:0] start_3;
    reg  [31:0] own_start_3;
    reg         live_4;
    reg         valid_4;
    reg         intr_4;
    reg         ends_4;
    reg         flow_4;
    reg         known_4;
    reg  [23:0] count_4;
    reg  [9:0]  length_4;
    reg  [31:0] pc_4;
    reg  [31:0] start_4;
    reg         live_5;
    reg         valid_5;
    reg         intr_5;
    reg         ends_5;
    reg         flow_5;
    reg         known_5;
    reg  [23:0] count_5;
    reg  [9:0]  length_5;
    reg  [31:0] pc_5;
    reg  [31:0] start_5;
    reg         live_6;
    reg         valid_6;
    reg         intr_6;
    reg         ends_6;
    reg         flow_6;
    reg         known_6;
    reg  [23:0] count_6;
    reg  [9:0]  length_6;
    reg  [31:0] pc_6;
    reg  [31:0] start_6;
    reg         hit_6;
    reg         same_6;
    reg  [9:0]  index_6;
    wire        sweep;
    wire        live_2;
    wire        valid_2;
    wire        flow;
    wire        trace_fsm_clear;
    wire        trace_fsm_enter;
    wire        trace_fsm_may_push;
    wire        trace_fsm_excluded;
    wire        trace_fsm_seen;
    wire        trace_fsm_counts;
    wire        trace_fsm_decision_beat;
    wire        trace_fsm_decision_sync;
    wire        trace_fsm_decision_exception;
    wire        trace_fsm_decision_send;
    wire        trace_fsm_decision_drop;
    wire        trace_fsm_decision_overflow;
    wire        trace_fsm_decision_stop;
    wire        trace_fsm_decision_restart;
    wire        trace_fsm_decision_losing;
    wire        trace_fsm_decision_tracing;
    wire        detector_branch;
    wire        detector_indirect;
    wire        detector_jump;
    wire [23:0] detector_count;
    wire [31:0] detector_start;
    wire        detector_known;
    wire        detector_ends;
    wire [31:0] detector_own_start;
    wire [9:0]  detector_length;
    wire        stream_cache_lookup_5;
    wire        stream_cache_hit;
    wire [9:0]  stream_cache_index;
    wire        lsp_same;
    wire        records_decision_needs_message;
    wire        records_decision_flow;

    assign sweep = !swept;
    assign flow = beat_branch | beat_lookup | beat_pop | beat_jump;
    assign trace_fsm_enter = beat_live & beat_valid;
    assign trace_fsm_may_push = beat_intr | flow;
    assign live_2 = trace_fsm_seen;
    assign valid_2 = beat_valid & trace_fsm_counts;
    assign detector_branch = beat_branch & !trace_fsm_excluded;
    assign detector_indirect = (beat_lookup | beat_pop) & !trace_fsm_excluded;
    assign detector_jump = beat_jump & !trace_fsm_excluded;

    goshawk_trace_fsm u_trace_fsm (
        .clock(clock),
        .reset(reset),
        .control_enable(control_enable),
        .control_no_credit(control_no_credit),
        .control_below_watermark(control_below_watermark),
        .control_stop_go(control_stop_go),
        .control_ready(control_ready),
        .control_stop_ready(control_stop_ready),
        .control_lost(control_lost),
        .control_take(control_take),
        .control_give_back(control_give_back),
        .predictors_ready(swept),
        .clear(trace_fsm_clear),
        .stage_live(beat_live),
        .enter(trace_fsm_enter),
        .may_push(trace_fsm_may_push),
        .excluded(trace_fsm_excluded),
        .seen(trace_fsm_seen),
        .counts(trace_fsm_counts),
        .go(go),
        .live(live_6),
        .live_next(live_5),
        .valid(valid_6),
        .intr(intr_6),
        .decision_beat(trace_fsm_decision_beat),
        .decision_sync(trace_fsm_decision_sync),
        .decision_exception(trace_fsm_decision_exception),
        .decision_send(trace_fsm_decision_send),
        .decision_drop(trace_fsm_decision_drop),
        .decision_overflow(trace_fsm_decision_overflow),
        .decision_stop(trace_fsm_decision_stop),
        .decision_restart(trace_fsm_decision_restart),
        .decision_losing(trace_fsm_decision_losing),
        .decision_tracing(trace_fsm_decision_tracing),
        .decision_needs_message(records_decision_needs_message),
        .decision_flow(records_decision_flow)
    );

    goshawk_detector u_detector (
        .clock(clock),
        .live(live_2),
        .valid(valid_2),
        .intr(beat_intr),
        .branch(detector_branch),
        .taken(beat_taken),
        .indirect(detector_indirect),
        .jump(detector_jump),
        .pc(beat_pc),
        .target(beat_target),
        .count(detector_count),
        .start(detector_start),
        .known(detector_known),
        .ends(detector_ends),
        .own_start(detector_own_start),
        .length(detector_length)
    );

    goshawk_stream_cache u_stream_cache (
        .clock(clock),
        .lookup(ends_3),
        .start(own_start_3),
        .length(length_3),
        .sweep(sweep),
        .sweep_index(sweep_at),
        .lookup_5(stream_cache_lookup_5),
        .hit(stream_cache_hit),
        .index(stream_cache_index)
    );

    goshawk_lsp u_lsp (
        .clock(clock),
        .lookup(stream_cache_lookup_5),
        .index(stream_cache_index),
        .sweep(sweep),
        .sweep_index(sweep_at),
        .same(lsp_same)
    );

    goshawk_records u_records (
        .clock(clock),
        .reset(reset),
        .live(live_6),
        .valid(valid_6),
        .pc(pc_6),
        .count(count_6),
        .start(start_6),
        .known(known_6),
        .ends(ends_6),
        .flow(flow_6),
        .length(length_6),
        .hit(hit_6),
        .same(same_6),
        .index(index_6),
        .decision_beat(trace_fsm_decision_beat),
        .decision_sync(trace_fsm_decision_sync),
        .decision_exception(trace_fsm_decision_exception),
        .decision_send(trace_fsm_decision_send),
        .decision_drop(trace_fsm_decision_drop),
        .decision_overflow(trace_fsm_decision_overflow),
        .decision_stop(trace_fsm_decision_stop),
        .decision_restart(trace_fsm_decision_restart),
        .decision_losing(trace_fsm_decision_losing),
        .decision_tracing(trace_fsm_decision_tracing),
        .decision_needs_message(records_decision_needs_message),
        .decision_flow(records_decision_flow),
        .entry_push(entry_push),
        .entry_pre(entry_pre),
        .entry_post(entry_post),
        .entry_icnt(entry_icnt),
        .entry_bcnt(entry_bcnt),
        .entry_pc(entry_pc),
        .entry_target(entry_target)
    );

    always @(posedge clock) begin
        if (sweep) begin
            sweep_at <= sweep_at + 10'd1;
            if (sweep_at == 10'h7f) begin
                swept <= 1'd1;
            end
        end
        if (trace_fsm_clear | reset) begin
            sweep_at <= 10'd0;
            swept <= 1'd0;
        end
        live_3 <= live_2 & !reset;
        valid_3 <= valid_2;
        intr_3 <= beat_intr;
        ends_3 <= detector_ends;
        flow_3 <= flow & !trace_fsm_excluded;
        known_3 <= detector_known;
        count_3 <= detector_count;
        length_3 <= detector_length;
        pc_3 <= beat_pc;
        start_3 <= detector_start;
        own_start_3 <= detector_own_start;
        live_4 <= live_3 & !reset;
        valid_4 <= valid_3;
        intr_4 <= intr_3;
        ends_4 <= ends_3;
        flow_4 <= flow_3;
        known_4 <= known_3;
        count_4 <= count_3;
        length_4 <= length_3;
        pc_4 <= pc_3;
        start_4 <= start_3;
        live_5 <= live_4 & !reset;
        valid_5 <= valid_4;
        intr_5 <= intr_4;
        ends_5 <= ends_4;
        flow_5 <= flow_4;
        known_5 <= known_4;
        count_5 <= count_4;
        length_5 <= length_4;
        pc_5 <= pc_4;
        start_5 <= start_4;
        live_6 <= live_5 & !reset;
        valid_6 <= valid_5;
        intr_6 <= intr_5;
        ends_6 <= ends_5;
        flow_6 <= flow_5;
        known_6 <= known_5;
        count_6 <= count_5;
        length_6 <= length_5;
        pc_6 <= pc_5;
        start_6 <= start_5;
        hit_6 <= stream_cache_hit;
        same_6 <= lsp_same;
        index_6 <= stream_cache_index;
    end

    initial begin
        swept = 1'd0;
        sweep_at = 10'd0;
        live_3 = 1'd0;
        valid_3 = 1'd0;
        intr_3 = 1'd0;
        ends_3 = 1'd0;
        flow_3 = 1'd0;
        known_3 = 1'd0;
        count_3 = 24'd0;
        length_3 = 10'd0;
        pc_3 = 32'd0;
        start_3 = 32'd0;
        own_start_3 = 32'd0;
        live_4 = 1'd0;
        valid_4 = 1'd0;
        intr_4 = 1'd0;
        ends_4 = 1'd0;
        flow_4 = 1'd0;
        known_4 = 1'd0;
        count_4 = 24'd0;
        length_4 = 10'd0;
        pc_4 = 32'd0;
        start_4 = 32'd0;
        live_5 = 1'd0;
        valid_5 = 1'd0;
        intr_5 = 1'd0;
        ends_5 = 1'd0;
        flow_5 = 1'd0;
        known_5 = 1'd0;
        count_5 = 24'd0;
        length_5 = 10'd0;
        pc_5 = 32'd0;
        start_5 = 32'd0;
        live_6 = 1'd0;
        valid_6 = 1'd0;
        intr_6 = 1'd0;
        ends_6 = 1'd0;
        flow_6 = 1'd0;
        known_6 = 1'd0;
        count_6 = 24'd0;
        length_6 = 10'd0;
        pc_6 = 32'd0;
        start_6 = 32'd0;
        hit_6 = 1'd0;
        same_6 = 1'd0;
        index_6 = 10'd0;
    end
endmodule

// what is sent, and when
module goshawk_records (
    input  wire        clock,
    input  wire        reset,
    input  wire        live,
    input  wire        valid,
    input  wire [31:0] pc,
    input  wire [23:0] count,
    input  wire [31:0] start,
    input  wire        known,
    input  wire        ends,
    input  wire        flow,
    input  wire [9:0]  length,
    input  wire        hit,
    input  wire        same,
    input  wire [9:0]  index,
    input  wire        decision_beat,
    input  wire        decision_sync,
    input  wire        decision_exception,
    input  wire        decision_send,
    input  wire        decision_drop,
    input  wire        decision_overflow,
    input  wire        decision_stop,
    input  wire        decision_restart,
    input  wire        decision_losing,
    input  wire        decision_tracing,
    output wire        decision_needs_message,
    output wire        decision_flow,
    output wire        entry_push,
    output wire [1:0]  entry_pre,
    output wire [1:0]  entry_post,
    output wire [23:0] entry_icnt,
    output wire [23:0] entry_bcnt,
    output wire [31:0] entry_pc,
    output wire [31:0] entry_target
);

    localparam [3:0] MIDDLE = 4'd8;
    localparam [3:0] MOST_SIZE = 4'd8;
    localparam [3:0] NO_RUN = 4'hf;
    localparam [3:0] THREE = 4'd3;
    localparam [3:0] TWELVE = 4'hc;
    localparam [31:0] UPPER_MASK = 32'h7ff80000;

    reg         begun;
    reg  [23:0] dropped;
    reg  [7:0]  hits;
    reg  [3:0]  size;
    reg  [7:0]  ones;
    reg  [3:0]  monitor;
    reg  [31:0] upper;
    reg         push_7;
    reg  [1:0]  pre_7;
    reg  [1:0]  post_7;
    reg  [23:0] icnt_7;
    reg  [23:0] bcnt_7;
    reg  [31:0] pc_7;
    reg  [31:0] target_7;
    wire        any_pre;
    wire        start_known;
    reg  [31:0] own_start;
    wire [31:0] own_upper;
    wire        upper_hit;
    wire        over;
    wire        found;
    wire        stream_predicted;
    wire        filled;
    wire        sends_run;
    wire        not_predicted;
    wire        idle;
    wire        forget;
    wire        flushes;
    wire        load;
    wire        waiting;
    wire [7:0]  more_hits;
    wire [7:0]  less_hits;
    reg  [7:0]  run;
    reg         has_run;
    wire        this_run;
    wire        full_run;
    wire [7:0]  half;
    reg         short_run;
    wire [3:0]  up;
    wire [3:0]  down;
    wire        grow;
    wire        shrink;
    wire        widest;
    wire        narrowest;
    wire        dropped_top;
    wire [23:0] dropped_more;
    reg  [23:0] dropped_now;
    wire        flag;
    wire        pre_0;
    wire        pre_1;
    wire        post_0;
    wire        post_1;
    reg  [9:0]  value;
    reg  [3:0]  run_size;
    wire        sends_start;

    assign any_pre = decision_sync | decision_exception;
    assign start_known = any_pre | known;
    assign own_upper = own_start & UPPER_MASK;
    assign upper_hit = own_upper == upper;
    assign over = ends & decision_beat;
    assign found = over & hit & upper_hit;
    assign stream_predicted = found & same;
    assign not_predicted = over & !stream_predicted;
    assign filled = hits == ones;
    assign sends_run = stream_predicted & !any_pre & filled;
    assign decision_flow = flow;
    assign decision_needs_message = ends & (!hit | !same | !upper_hit | filled);
    assign idle = !live & !decision_tracing & !decision_losing;
    assign forget = idle | reset;
    assign flushes = decision_send | decision_drop;
    assign waiting = |hits;
    assign more_hits = hits + 8'd1;
    assign less_hits = hits - 8'd1;
    assign this_run = sends_run & decision_send;
    assign full_run = this_run & filled;
    assign half = {1'd0, ones[7:1]};
    assign up = monitor + THREE;
    assign down = monitor - 4'd1;
    assign grow = full_run & (monitor >= TWELVE);
    assign shrink = flushes & short_run & (monitor == 4'd1);
    assign widest = size == MOST_SIZE;
    assign narrowest = size == 4'd1;
    assign sends_start = not_predicted & !found & !start_known;
    assign dropped_top = dropped[19];
    assign dropped_more = dropped + 24'd1;
    assign load = !decision_losing;
    assign pre_0 = decision_exception | decision_overflow | decision_stop;
    assign pre_1 = decision_sync | decision_overflow | decision_stop;
    assign post_0 = (found & !stream_predicted) | sends_start;
    assign post_1 = not_predicted & !found;
    assign flag = upper_hit;
    assign entry_push = push_7;
    assign entry_pre = pre_7;
    assign entry_post = post_7;
    assign entry_icnt = icnt_7;
    assign entry_bcnt = bcnt_7;
    assign entry_pc = pc_7;
    assign entry_target = target_7;

    always @(*) begin
        own_start = start;
        if (any_pre) begin
            own_start = pc;
        end
    end

    always @(*) begin
        has_run = waiting;
        run = less_hits;
        if (this_run) begin
            has_run = 1'd1;
            run = hits;
        end
    end

    always @(*) begin
        short_run = waiting & (hits <= half);
        if (this_run) begin
            short_run = hits < half;
        end
    end

    always @(*) begin
        dropped_now = dropped;
        if (decision_losing & valid & !dropped_top) begin
            dropped_now = dropped_more;
        end
    end

    always @(*) begin
        value = length;
        if (found) begin
            value = index;
        end
    end

    always @(*) begin
        run_size = NO_RUN;
        if (has_run) begin
            run_size = size;
        end
    end

    always @(posedge clock) begin
        if (decision_beat) begin
            begun <= 1'd1;
        end
        if (decision_overflow | decision_stop | reset) begin
            begun <= 1'd0;
        end
        if (stream_predicted & decision_beat) begin
            hits <= more_hits;
        end
        if (flushes) begin
            hits <= 8'd0;
            if (stream_predicted & any_pre) begin
                hits <= 8'd1;
            end
        end
        if (full_run) begin
            monitor <= up;
        end else if (flushes & short_run) begin
            monitor <= down;
        end
        if (grow | shrink) begin
            monitor <= MIDDLE;
        end
        if (grow & !widest) begin
            size <= size + 4'd1;
            ones <= {ones[6:0], 1'd1};
        end
        if (shrink & !narrowest) begin
            size <= size - 4'd1;
            ones <= half;
        end
        if (over) begin
            upper <= own_upper;
        end
        if (decision_send & sends_start) begin
            upper <= own_upper;
        end
        if (forget) begin
            upper <= 32'd0;
            hits <= 8'd0;
            size <= 4'd1;
            ones <= 8'd1;
            monitor <= MIDDLE;
        end
        if (load) begin
            icnt_7 <= {4'd0, count[19:0]};
            target_7 <= start;
            pc_7 <= pc;
            bcnt_7 <= {run_size, run, known, flag, value};
            if (decision_stop & !begun) begin
                icnt_7 <= 24'd0;
                bcnt_7 <= 24'hf00800;
            end
        end
        if (decision_overflow) begin
            pc_7 <= {8'd0, dropped_now};
        end
        dropped <= dropped_now;
        if (decision_drop) begin
            dropped <= 24'd1;
        end
        push_7 <= decision_restart;
        if (reset) begin
            push_7 <= 1'd0;
        end
        pre_7 <= {pre_1, pre_0};
        post_7 <= {post_1, post_0};
        if (decision_overflow) begin
            post_7 <= 2'd1;
        end
        if (decision_stop) begin
            post_7 <= 2'd0;
        end
    end

    initial begin
        begun = 1'd0;
        dropped = 24'd0;
        hits = 8'd0;
        size = 4'd0;
        ones = 8'd0;
        monitor = 4'd0;
        upper = 32'd0;
        push_7 = 1'd0;
        pre_7 = 2'd0;
        post_7 = 2'd0;
        icnt_7 = 24'd0;
        bcnt_7 = 24'd0;
        pc_7 = 32'd0;
        target_7 = 32'd0;
    end
endmodule

// last stream predictor
module goshawk_lsp (
    input  wire        clock,
    input  wire        lookup,
    input  wire [9:0]  index,
    input  wire        sweep,
    input  wire [9:0]  sweep_index,
    output wire        same
);

    reg  [9:0]  previous;
    reg         again;
    reg  [9:0]  latest;
    reg  [9:0]  predicted;
    wire [6:0]  words_rdata;
    wire        words_we;
    reg  [6:0]  words_waddr;
    reg  [6:0]  words_wdata;

    assign words_we = lookup | sweep;
    assign same = predicted == index;

    goshawk_mem #(.ADDRESS(7), .WIDTH(7)) u_words (
        .clock(clock),
        .raddr(latest[6:0]),
        .rdata(words_rdata),
        .we(words_we),
        .waddr(words_waddr),
        .wdata(words_wdata)
    );

    always @(*) begin
        latest = previous;
        if (lookup) begin
            latest = index;
        end
        if (sweep) begin
            latest = 10'd0;
        end
    end

    always @(*) begin
        predicted = {3'd0, words_rdata};
        if (again) begin
            predicted = previous;
        end
    end

    always @(*) begin
        words_waddr = previous[6:0];
        words_wdata = index[6:0];
        if (sweep) begin
            words_waddr = sweep_index[6:0];
            words_wdata = 7'd0;
        end
    end

    always @(posedge clock) begin
        previous <= latest;
        again <= lookup & (index == previous) & !sweep;
    end

    initial begin
        previous = 10'd0;
        again = 1'd0;
    end
endmodule

// stream descriptors to indices
module goshawk_stream_cache (
    input  wire        clock,
    input  wire        lookup,
    input  wire [31:0] start,
    input  wire [9:0]  length,
    input  wire        sweep,
    input  wire [9:0]  sweep_index,
    output wire        lookup_5,
    output wire        hit,
    output wire [9:0]  index
);

    localparam [2:0] FOUR = 3'd4;
    localparam [2:0] HIGHEST = 3'd3;
    localparam [2:0] HIGHEST_0 = 3'd2;
    localparam [7:0] ODD_1 = 8'haa;
    localparam [7:0] ODD_2 = 8'hcc;
    localparam [7:0] ODD_4 = 8'hf0;
    localparam [9:0] SET_MASK = 10'h1f;
    localparam [2:0] TWO = 3'd2;

    reg         lookup_4;
    reg  [31:0] start_4;
    reg  [9:0]  length_4;
    reg  [9:0]  set_4;
    reg         same_set_4;
    reg         same_stream_4;
    reg  [7:0]  last_way;
    reg  [23:0] last_word;
    reg         live_5;
    reg         hit_5;
    reg  [9:0]  index_5;
    wire [19:0] low;
    wire [19:0] up;
    wire [19:0] down;
    wire [9:0]  set_3;
    wire [31:0] own_start;
    reg  [23:0] word;
    wire [23:0] word_1;
    wire [23:0] word_2;
    wire [7:0]  plane_0;
    wire [7:0]  plane_1;
    wire [7:0]  plane_2;
    reg  [2:0]  rank_0;
    reg  [2:0]  rank_1;
    reg  [2:0]  rank_2;
    reg  [2:0]  rank_3;
    reg  [2:0]  rank_4;
    reg  [2:0]  rank_5;
    reg  [2:0]  rank_6;
    reg  [2:0]  rank_7;
    wire [2:0]  older_0;
    wire [2:0]  older_1;
    wire [2:0]  older_2;
    wire [2:0]  older_3;
    wire [2:0]  older_4;
    wire [2:0]  older_5;
    wire [2:0]  older_6;
    wire [2:0]  older_7;
    reg  [2:0]  fresh_0;
    reg  [2:0]  fresh_1;
    reg  [2:0]  fresh_2;
    reg  [2:0]  fresh_3;
    reg  [2:0]  fresh_4;
    reg  [2:0]  fresh_5;
    reg  [2:0]  fresh_6;
    reg  [2:0]  fresh_7;
    reg         matches_0;
    reg         matches_1;
    reg         matches_2;
    reg         matches_3;
    reg         matches_4;
    reg         matches_5;
    reg         matches_6;
    reg         matches_7;
    reg  [7:0]  hits;
    reg  [7:0]  victims;
    reg  [7:0]  chosen;
    wire        any_hit;
    wire        first_set;
    reg  [2:0]  oldest;
    reg  [2:0]  was;
    reg  [7:0]  fresh_0_2;
    reg  [7:0]  fresh_1_2;
    wire [23:0] fresh_word;
    reg  [7:0]  store;
    reg  [9:0]  write_set;
    reg  [9:0]  write_length;
    wire [9:0]  way;
    wire [18:0] starts_0_rdata;
    wire [18:0] starts_1_rdata;
    wire [18:0] starts_2_rdata;
    wire [18:0] starts_3_rdata;
    wire [7:0]  lengths_0_rdata;
    wire        lengths_0_we;
    wire [7:0]  lengths_1_rdata;
    wire        lengths_1_we;
    wire [7:0]  lengths_2_rdata;
    wire        lengths_2_we;
    wire [7:0]  lengths_3_rdata;
    wire        lengths_3_we;
    wire [7:0]  ranks_rdata;
    wire        ranks_we;
    reg  [7:0]  ranks_wdata;

    assign low = start[19:0];
    assign up = low;
    assign down = {3'd0, up[19:3]};
    assign set_3 = (down[9:0] ^ length) & SET_MASK;
    assign own_start = {13'd0, start[18:0]};
    assign word_1 = {4'd0, word[23:4]};
    assign word_2 = {8'd0, word[23:8]};
    assign plane_0 = {4'd0, word[3:0]};
    assign plane_1 = {4'd0, word_1[3:0]};
    assign plane_2 = {4'd0, word_2[3:0]};
    assign first_set = set_4 == 10'd0;
    assign any_hit = |hits;
    assign older_0 = rank_0 + 3'd1;
    assign older_1 = rank_1 + 3'd1;
    assign older_2 = rank_2 + 3'd1;
    assign older_3 = rank_3 + 3'd1;
    assign older_4 = rank_4 + 3'd1;
    assign older_5 = rank_5 + 3'd1;
    assign older_6 = rank_6 + 3'd1;
    assign older_7 = rank_7 + 3'd1;
    assign fresh_word = {16'd0, fresh_1_2[3:0], fresh_0_2[3:0]};
    assign ranks_we = lookup_4 | sweep;
    assign lengths_0_we = store[0] | sweep;
    assign lengths_1_we = store[1] | sweep;
    assign lengths_2_we = store[2] | sweep;
    assign lengths_3_we = store[3] | sweep;
    assign way = {7'd0, |(chosen & ODD_4), |(chosen & ODD_2), |(chosen & ODD_1)};
    assign lookup_5 = live_5;
    assign hit = hit_5;
    assign index = index_5;

    goshawk_mem #(.ADDRESS(5), .WIDTH(19)) u_starts_0 (
        .clock(clock),
        .raddr(set_3[4:0]),
        .rdata(starts_0_rdata),
        .we(store[0]),
        .waddr(write_set[4:0]),
        .wdata(start_4[18:0])
    );

    goshawk_mem #(.ADDRESS(5), .WIDTH(19)) u_starts_1 (
        .clock(clock),
        .raddr(set_3[4:0]),
        .rdata(starts_1_rdata),
        .we(store[1]),
        .waddr(write_set[4:0]),
        .wdata(start_4[18:0])
    );

    goshawk_mem #(.ADDRESS(5), .WIDTH(19)) u_starts_2 (
        .clock(clock),
        .raddr(set_3[4:0]),
        .rdata(starts_2_rdata),
        .we(store[2]),
        .waddr(write_set[4:0]),
        .wdata(start_4[18:0])
    );

    goshawk_mem #(.ADDRESS(5), .WIDTH(19)) u_starts_3 (
        .clock(clock),
        .raddr(set_3[4:0]),
        .rdata(starts_3_rdata),
        .we(store[3]),
        .waddr(write_set[4:0]),
        .wdata(start_4[18:0])
    );

    goshawk_mem #(.ADDRESS(5), .WIDTH(8)) u_lengths_0 (
        .clock(clock),
        .raddr(set_3[4:0]),
        .rdata(lengths_0_rdata),
        .we(lengths_0_we),
        .waddr(write_set[4:0]),
        .wdata(write_length[7:0])
    );

    goshawk_mem #(.ADDRESS(5), .WIDTH(8)) u_lengths_1 (
        .clock(clock),
        .raddr(set_3[4:0]),
        .rdata(lengths_1_rdata),
        .we(lengths_1_we),
        .waddr(write_set[4:0]),
        .wdata(write_length[7:0])
    );

    goshawk_mem #(.ADDRESS(5), .WIDTH(8)) u_lengths_2 (
        .clock(clock),
        .raddr(set_3[4:0]),
        .rdata(lengths_2_rdata),
        .we(lengths_2_we),
        .waddr(write_set[4:0]),
        .wdata(write_length[7:0])
    );

    goshawk_mem #(.ADDRESS(5), .WIDTH(8)) u_lengths_3 (
        .clock(clock),
        .raddr(set_3[4:0]),
        .rdata(lengths_3_rdata),
        .we(lengths_3_we),
        .waddr(write_set[4:0]),
        .wdata(write_length[7:0])
    );

    goshawk_mem #(.ADDRESS(5), .WIDTH(8)) u_ranks (
        .clock(clock),
        .raddr(set_3[4:0]),
        .rdata(ranks_rdata),
        .we(ranks_we),
        .waddr(write_set[4:0]),
        .wdata(ranks_wdata)
    );

    always @(*) begin
        word = {16'd0, ranks_rdata};
        if (same_set_4) begin
            word = last_word;
        end
    end

    always @(*) begin
        oldest = HIGHEST;
        if (first_set) begin
            oldest = HIGHEST_0;
        end
    end

    always @(*) begin
        hits = 8'd0;
        hits = {hits[7:1], matches_0};
        hits = {hits[7:2], matches_1, hits[0]};
        hits = {hits[7:3], matches_2, hits[1:0]};
        hits = {hits[7:4], matches_3, hits[2:0]};
        hits = {hits[7:5], matches_4, hits[3:0]};
        hits = {hits[7:6], matches_5, hits[4:0]};
        hits = {hits[7], matches_6, hits[5:0]};
        hits = {matches_7, hits[6:0]};
    end

    always @(*) begin
        victims = 8'd0;
        victims = {victims[7:1], rank_0 == oldest};
        victims = {victims[7:2], rank_1 == oldest, victims[0]};
        victims = {victims[7:3], rank_2 == oldest, victims[1:0]};
        victims = {victims[7:4], rank_3 == oldest, victims[2:0]};
        victims = {victims[7:5], rank_4 == oldest, victims[3:0]};
        victims = {victims[7:6], rank_5 == oldest, victims[4:0]};
        victims = {victims[7], rank_6 == oldest, victims[5:0]};
        victims = {rank_7 == oldest, victims[6:0]};
    end

    always @(*) begin
        rank_0 = 3'd0;
        if (plane_0[0]) begin
            rank_0 = 3'd1;
        end
        if (plane_1[0]) begin
            rank_0 = rank_0 | TWO;
        end
        if (plane_2[0]) begin
            rank_0 = rank_0 | FOUR;
        end
    end

    always @(*) begin
        matches_0 = ({2'd0, lengths_0_rdata} == length_4) & ({13'd0, starts_0_rdata} == start_4);
        if (same_set_4 & last_way[0]) begin
            matches_0 = same_stream_4;
        end
    end

    always @(*) begin
        rank_1 = 3'd0;
        if (plane_0[1]) begin
            rank_1 = 3'd1;
        end
        if (plane_1[1]) begin
            rank_1 = rank_1 | TWO;
        end
        if (plane_2[1]) begin
            rank_1 = rank_1 | FOUR;
        end
    end

    always @(*) begin
        matches_1 = ({2'd0, lengths_1_rdata} == length_4) & ({13'd0, starts_1_rdata} == start_4);
        if (same_set_4 & last_way[1]) begin
            matches_1 = same_stream_4;
        end
    end

    always @(*) begin
        rank_2 = 3'd0;
        if (plane_0[2]) begin
            rank_2 = 3'd1;
        end
        if (plane_1[2]) begin
            rank_2 = rank_2 | TWO;
        end
        if (plane_2[2]) begin
            rank_2 = rank_2 | FOUR;
        end
    end

    always @(*) begin
        matches_2 = ({2'd0, lengths_2_rdata} == length_4) & ({13'd0, starts_2_rdata} == start_4);
        if (same_set_4 & last_way[2]) begin
            matches_2 = same_stream_4;
        end
    end

    always @(*) begin
        rank_3 = 3'd0;
        if (plane_0[3]) begin
            rank_3 = 3'd1;
        end
        if (plane_1[3]) begin
            rank_3 = rank_3 | TWO;
        end
        if (plane_2[3]) begin
            rank_3 = rank_3 | FOUR;
        end
    end

    always @(*) begin
        matches_3 = ({2'd0, lengths_3_rdata} == length_4) & ({13'd0, starts_3_rdata} == start_4);
        if (same_set_4 & last_way[3]) begin
            matches_3 = same_stream_4;
        end
    end

    always @(*) begin
        rank_4 = 3'd0;
        if (plane_0[4]) begin
            rank_4 = 3'd1;
        end
        if (plane_1[4]) begin
            rank_4 = rank_4 | TWO;
        end
        if (plane_2[4]) begin
            rank_4 = rank_4 | FOUR;
        end
    end

    always @(*) begin
        matches_4 = (length_4 == 10'd0) & (start_4 == 32'd0);
        if (same_set_4 & last_way[4]) begin
            matches_4 = same_stream_4;
        end
    end

    always @(*) begin
        rank_5 = 3'd0;
        if (plane_0[5]) begin
            rank_5 = 3'd1;
        end
        if (plane_1[5]) begin
            rank_5 = rank_5 | TWO;
        end
        if (plane_2[5]) begin
            rank_5 = rank_5 | FOUR;
        end
    end

    always @(*) begin
        matches_5 = (length_4 == 10'd0) & (start_4 == 32'd0);
        if (same_set_4 & last_way[5]) begin
            matches_5 = same_stream_4;
        end
    end

    always @(*) begin
        rank_6 = 3'd0;
        if (plane_0[6]) begin
            rank_6 = 3'd1;
        end
        if (plane_1[6]) begin
            rank_6 = rank_6 | TWO;
        end
        if (plane_2[6]) begin
            rank_6 = rank_6 | FOUR;
        end
    end

    always @(*) begin
        matches_6 = (length_4 == 10'd0) & (start_4 == 32'd0);
        if (same_set_4 & last_way[6]) begin
            matches_6 = same_stream_4;
        end
    end

    always @(*) begin
        rank_7 = 3'd0;
        if (plane_0[7]) begin
            rank_7 = 3'd1;
        end
        if (plane_1[7]) begin
            rank_7 = rank_7 | TWO;
        end
        if (plane_2[7]) begin
            rank_7 = rank_7 | FOUR;
        end
    end

    always @(*) begin
        matches_7 = (length_4 == 10'd0) & (start_4 == 32'd0);
        if (same_set_4 & last_way[7]) begin
            matches_7 = same_stream_4;
        end
    end

    always @(*) begin
        chosen = {4'd0, victims[3:0]};
        if (any_hit) begin
            chosen = hits;
        end
    end

    always @(*) begin
        was = 3'd0;
        if (chosen[0]) begin
            was = rank_0;
        end
        if (chosen[1]) begin
            was = rank_1;
        end
        if (chosen[2]) begin
            was = rank_2;
        end
        if (chosen[3]) begin
            was = rank_3;
        end
        if (chosen[4]) begin
            was = rank_4;
        end
        if (chosen[5]) begin
            was = rank_5;
        end
        if (chosen[6]) begin
            was = rank_6;
        end
        if (chosen[7]) begin
            was = rank_7;
        end
    end

    always @(*) begin
        fresh_0_2 = 8'd0;
        fresh_0_2 = {fresh_0_2[7:1], fresh_0[0]};
        fresh_0_2 = {fresh_0_2[7:2], fresh_1[0], fresh_0_2[0]};
        fresh_0_2 = {fresh_0_2[7:3], fresh_2[0], fresh_0_2[1:0]};
        fresh_0_2 = {fresh_0_2[7:4], fresh_3[0], fresh_0_2[2:0]};
        fresh_0_2 = {fresh_0_2[7:5], fresh_4[0], fresh_0_2[3:0]};
        fresh_0_2 = {fresh_0_2[7:6], fresh_5[0], fresh_0_2[4:0]};
        fresh_0_2 = {fresh_0_2[7], fresh_6[0], fresh_0_2[5:0]};
        fresh_0_2 = {fresh_7[0], fresh_0_2[6:0]};
    end

    always @(*) begin
        fresh_1_2 = 8'd0;
        fresh_1_2 = {fresh_1_2[7:1], fresh_0[1]};
        fresh_1_2 = {fresh_1_2[7:2], fresh_1[1], fresh_1_2[0]};
        fresh_1_2 = {fresh_1_2[7:3], fresh_2[1], fresh_1_2[1:0]};
        fresh_1_2 = {fresh_1_2[7:4], fresh_3[1], fresh_1_2[2:0]};
        fresh_1_2 = {fresh_1_2[7:5], fresh_4[1], fresh_1_2[3:0]};
        fresh_1_2 = {fresh_1_2[7:6], fresh_5[1], fresh_1_2[4:0]};
        fresh_1_2 = {fresh_1_2[7], fresh_6[1], fresh_1_2[5:0]};
        fresh_1_2 = {fresh_7[1], fresh_1_2[6:0]};
    end

    always @(*) begin
        fresh_0 = rank_0;
        if (rank_0 < was) begin
            fresh_0 = older_0;
        end
        if (chosen[0]) begin
            fresh_0 = 3'd0;
        end
    end

    always @(*) begin
        fresh_1 = rank_1;
        if (rank_1 < was) begin
            fresh_1 = older_1;
        end
        if (chosen[1]) begin
            fresh_1 = 3'd0;
        end
    end

    always @(*) begin
        fresh_2 = rank_2;
        if (rank_2 < was) begin
            fresh_2 = older_2;
        end
        if (chosen[2]) begin
            fresh_2 = 3'd0;
        end
    end

    always @(*) begin
        fresh_3 = rank_3;
        if (rank_3 < was) begin
            fresh_3 = older_3;
        end
        if (chosen[3]) begin
            fresh_3 = 3'd0;
        end
    end

    always @(*) begin
        fresh_4 = rank_4;
        if (rank_4 < was) begin
            fresh_4 = older_4;
        end
        if (chosen[4]) begin
            fresh_4 = 3'd0;
        end
    end

    always @(*) begin
        fresh_5 = rank_5;
        if (rank_5 < was) begin
            fresh_5 = older_5;
        end
        if (chosen[5]) begin
            fresh_5 = 3'd0;
        end
    end

    always @(*) begin
        fresh_6 = rank_6;
        if (rank_6 < was) begin
            fresh_6 = older_6;
        end
        if (chosen[6]) begin
            fresh_6 = 3'd0;
        end
    end

    always @(*) begin
        fresh_7 = rank_7;
        if (rank_7 < was) begin
            fresh_7 = older_7;
        end
        if (chosen[7]) begin
            fresh_7 = 3'd0;
        end
    end

    always @(*) begin
        store = 8'd0;
        if (lookup_4 & !any_hit) begin
            store = chosen;
        end
    end

    always @(*) begin
        write_set = set_4;
        write_length = length_4;
        ranks_wdata = fresh_word[7:0];
        if (sweep) begin
            write_set = sweep_index;
            write_length = 10'd0;
            ranks_wdata = 8'h35;
        end
    end

    always @(posedge clock) begin
        lookup_4 <= lookup;
        start_4 <= own_start;
        length_4 <= length;
        set_4 <= set_3;
        same_set_4 <= (set_3 == set_4) & lookup_4;
        same_stream_4 <= (own_start == start_4) & (length == length_4);
        last_way <= chosen;
        last_word <= fresh_word;
        live_5 <= lookup_4;
        hit_5 <= any_hit;
        index_5 <= {set_4[7:0], 2'd0} | way;
    end

    initial begin
        lookup_4 = 1'd0;
        start_4 = 32'd0;
        length_4 = 10'd0;
        set_4 = 10'd0;
        same_set_4 = 1'd0;
        same_stream_4 = 1'd0;
        last_way = 8'd0;
        last_word = 24'd0;
        live_5 = 1'd0;
        hit_5 = 1'd0;
        index_5 = 10'd0;
    end
endmodule

// Memory. A word that is read in the cycle in which it is written is undefined, and so is a word that was never written;
// neither is used. Replace this module with a wrapper of a memory macro with one read and one write port.
module goshawk_mem #(
    parameter ADDRESS = 8,
    parameter WIDTH = 8
) (
    input  wire               clock,
    input  wire [ADDRESS-1:0] raddr,
    output reg  [WIDTH-1:0]   rdata,
    input  wire               we,
    input  wire [ADDRESS-1:0] waddr,
    input  wire [WIDTH-1:0]   wdata
);

    (* no_rw_check *)
    reg [WIDTH-1:0] words [0:(1<<ADDRESS)-1];

    always @(posedge clock) rdata <= words[raddr];

    always @(posedge clock) if (we) words[waddr] <= wdata;
endmodule

// retired instructions to stream descriptors
module goshawk_detector (
    input  wire        clock,
    input  wire        live,
    input  wire        valid,
    input  wire        intr,
    input  wire        branch,
    input  wire        taken,
    input  wire        indirect,
    input  wire        jump,
    input  wire [31:0] pc,
    input  wire [31:0] target,
    output wire [23:0] count,
    output wire [31:0] start,
    output wire        known,
    output wire        ends,
    output wire [31:0] own_start,
    output reg  [9:0]  length
);

    localparam [9:0] LONG_LENGTH = 10'hfe;

    reg         idle;
    reg  [23:0] counted;
    reg  [31:0] from;
    reg         start_known;
    wire        beat;
    wire        restart;
    reg  [23:0] earlier;
    wire [23:0] now;
    wire        long;
    wire        leaves;
    wire        flow;
    wire        stays;
    wire        over;
    reg  [31:0] origin;

    assign beat = live & valid;
    assign restart = idle | intr;
    assign now = earlier + 24'd1;
    assign long = now >= 24'hfe;
    assign leaves = (branch & taken) | indirect;
    assign stays = branch & !taken;
    assign flow = branch | indirect | jump;
    assign over = leaves | (flow & long);
    assign count = counted;
    assign start = from;
    assign known = start_known;
    assign ends = over & beat;
    assign own_start = origin;

    always @(*) begin
        earlier = counted;
        origin = from;
        if (restart) begin
            earlier = 24'd0;
            origin = pc;
        end
    end

    always @(*) begin
        length = now[9:0];
        if (long) begin
            length = LONG_LENGTH;
            if (stays) begin
                length = 10'hff;
            end
        end
    end

    always @(posedge clock) begin
        if (beat) begin
            counted <= now;
            from <= origin;
            if (restart) begin
                start_known <= 1'd1;
            end
            if (over) begin
                counted <= 24'd0;
                from <= target;
                start_known <= !indirect;
            end
        end
        idle <= !live | (idle & !valid);
    end

    initial begin
        idle = 1'd0;
        counted = 24'd0;
        from = 32'd0;
        start_known = 1'd0;
    end
endmodule

// trace state machine of a core: start, stop and loss
module goshawk_trace_fsm (
    input  wire        clock,
    input  wire        reset,
    input  wire        control_enable,
    input  wire        control_no_credit,
    input  wire        control_below_watermark,
    input  wire        control_stop_go,
    output wire        control_ready,
    output wire        control_stop_ready,
    output wire        control_lost,
    output wire        control_take,
    output wire        control_give_back,
    input  wire        predictors_ready,
    output wire        clear,
    input  wire        stage_live,
    input  wire        enter,
    input  wire        may_push,
    output wire        excluded,
    output wire        seen,
    output wire        counts,
    output wire        go,
    input  wire        live,
    input  wire        live_next,
    input  wire        valid,
    input  wire        intr,
    output wire        decision_beat,
    output wire        decision_sync,
    output wire        decision_exception,
    output wire        decision_send,
    output wire        decision_drop,
    output wire        decision_overflow,
    output wire        decision_stop,
    output wire        decision_restart,
    output wire        decision_losing,
    output wire        decision_tracing,
    input  wire        decision_needs_message,
    input  wire        decision_flow
);

    reg         run;
    reg         stopping;
    reg         resume;
    reg         gap;
    reg         closing_gap;
    reg         has_traced;
    reg         cycle_due;
    reg         losing;
    reg         first;
    reg         tracing;
    reg         stop_ready_2;
    wire        open;
    wire        start;
    wire        active;
    wire        opens_gap;
    wire        last;
    wire        beat;
    wire        due;
    wire        closes_gap;
    wire        send;
    wire        drop;
    wire        overflow;
    wire        stop_due;
    wire        stop;

    assign start = control_enable & predictors_ready & !run;
    assign active = start | (run & control_enable & !stopping);
    assign open = active & !reset;
    assign go = open & (!losing | resume);
    assign control_ready = predictors_ready;
    assign control_lost = losing;
    assign closes_gap = losing & control_below_watermark & !resume;
    assign opens_gap = enter & (!has_traced | may_push) & control_no_credit;
    assign excluded = gap | opens_gap;
    assign counts = !stopping;
    assign last = cycle_due & stopping & !gap;
    assign seen = (stage_live & !gap & !opens_gap) | last;
    assign beat = valid & live;
    assign due = beat & (first | intr | decision_needs_message);
    assign send = due;
    assign drop = valid & !live & gap & tracing & !losing;
    assign overflow = losing & live_next & !live;
    assign stop_due = tracing & !live & !gap & !losing & !control_no_credit;
    assign stop = stop_due & control_stop_go;
    assign control_take = (enter & !gap & (!has_traced | may_push) & !control_no_credit) | closes_gap | stop;
    assign control_give_back = beat & (first | intr | decision_flow) & !send;
    assign control_stop_ready = stop_ready_2;
    assign clear = stop;
    assign decision_beat = beat;
    assign decision_sync = beat & first;
    assign decision_exception = beat & intr & !first;
    assign decision_losing = losing;
    assign decision_tracing = tracing;
    assign decision_send = send;
    assign decision_drop = drop;
    assign decision_overflow = overflow;
    assign decision_stop = stop;
    assign decision_restart = send | overflow | stop;

    always @(posedge clock) begin
        if (start) begin
            run <= 1'd1;
        end
        if (run & !control_enable) begin
            stopping <= 1'd1;
        end
        if (stop | reset) begin
            run <= 1'd0;
            stopping <= 1'd0;
        end
        if (drop) begin
            losing <= 1'd1;
        end
        if (overflow) begin
            losing <= 1'd0;
        end
        tracing <= live | (tracing & !stop);
        if (reset) begin
            losing <= 1'd0;
            tracing <= 1'd0;
        end
        resume <= losing & (resume | control_below_watermark);
        cycle_due <= (start | opens_gap | cycle_due) & !seen & !reset;
        closing_gap <= closes_gap;
        gap <= ((gap & !closing_gap) | opens_gap) & !reset;
        has_traced <= stage_live & !gap & !opens_gap & (has_traced | enter) & !reset;
        first <= !live | (first & !valid);
        stop_ready_2 <= stop_due & !stop;
    end

    initial begin
        run = 1'd0;
        stopping = 1'd0;
        resume = 1'd0;
        gap = 1'd0;
        closing_gap = 1'd0;
        has_traced = 1'd0;
        cycle_due = 1'd0;
        losing = 1'd0;
        first = 1'd0;
        tracing = 1'd0;
        stop_ready_2 = 1'd0;
    end
endmodule

// a core's port to retire beats
module goshawk_ingress (
    input  wire        clock,
    input  wire        live,
    input  wire        rvfi_valid,
    input  wire [31:0] rvfi_insn,
    input  wire        rvfi_trap,
    input  wire        rvfi_intr,
    input  wire [31:0] rvfi_pc_rdata,
    input  wire [31:0] rvfi_pc_wdata,
    output wire        beat_live,
    output wire        beat_valid,
    output wire        beat_intr,
    output wire        beat_branch,
    output wire        beat_taken,
    output wire        beat_lookup,
    output wire        beat_pop,
    output wire        beat_jump,
    output wire [31:0] beat_pc,
    output wire [31:0] beat_target
);

    localparam [4:0] BUT_BIT_2 = 5'h1b;
    localparam [31:0] BUT_BIT_29 = 32'hdfffffff;

    reg         trap_before;
    reg         live_2;
    reg         valid_2;
    reg         intr_2;
    reg         branch_2;
    reg         lookup_2;
    reg         pop_2;
    reg         jump_2;
    reg  [31:0] pc_2;
    reg         long_2;
    reg  [31:0] target_2;
    wire [6:0]  opcode;
    wire        wide;
    wire [4:0]  rd;
    wire [4:0]  rs1;
    wire        rd_is_link;
    wire        rs1_is_link;
    wire [1:0]  quadrant;
    wire [2:0]  funct_c;
    reg         links;
    reg         returns;
    reg         same;
    reg         is_branch;
    reg         is_jal;
    reg         is_jalr;
    wire        is_xret;
    wire [31:0] xret_word;
    wire        pops;
    wire        retires;
    wire        traced;
    wire [31:0] pc_1;
    wire [31:0] target_1;
    reg  [1:0]  length;
    wire [31:0] link;
    wire        live_1;
    wire [31:0] pc_beat;
    wire [31:0] target_beat;
    wire        long_beat;
    reg         branch_1;
    reg         lookup_1;
    reg         pop_1;
    reg         jump_1;
    wire        intr_1;

    assign opcode = rvfi_insn[6:0];
    assign quadrant = rvfi_insn[1:0];
    assign funct_c = rvfi_insn[15:13];
    assign wide = quadrant == 2'd3;
    assign rd = rvfi_insn[11:7];
    assign rs1 = rvfi_insn[19:15];
    assign rd_is_link = (rd & BUT_BIT_2) == 5'd1;
    assign rs1_is_link = (rs1 & BUT_BIT_2) == 5'd1;
    assign xret_word = rvfi_insn & BUT_BIT_29;
    assign is_xret = xret_word == 32'h10200073;
    assign pops = is_jalr & returns & !(links & same);
    assign retires = rvfi_valid & !rvfi_trap;
    assign live_1 = live;
    assign traced = retires & live_1;
    assign pc_1 = {1'd0, rvfi_pc_rdata[31:1]};
    assign target_1 = {1'd0, rvfi_pc_wdata[31:1]};
    assign intr_1 = rvfi_intr | trap_before;
    assign pc_beat = pc_2;
    assign target_beat = target_2;
    assign long_beat = long_2;
    assign link = pc_beat + {30'd0, length};
    assign beat_live = live_2;
    assign beat_valid = valid_2;
    assign beat_intr = intr_2;
    assign beat_branch = branch_2;
    assign beat_lookup = lookup_2;
    assign beat_pop = pop_2;
    assign beat_jump = jump_2;
    assign beat_taken = link[11:0] != target_beat[11:0];
    assign beat_pc = pc_beat;
    assign beat_target = target_beat;

    always @(*) begin
        if (wide) begin
            is_branch = (opcode == 7'h63) & (rvfi_insn[14:13] != 2'd1);
            is_jal = opcode == 7'h6f;
            is_jalr = (opcode == 7'h67) & (rvfi_insn[14:12] == 3'd0);
            links = rd_is_link;
            returns = rs1_is_link;
            same = rvfi_insn[9] == rvfi_insn[17];
        end else begin
            is_branch = (quadrant == 2'd1) & (rvfi_insn[15:14] == 2'd3);
            is_jal = (quadrant == 2'd1) & ((funct_c == 3'd5) | (funct_c == 3'd1));
            is_jalr = (quadrant == 2'd2) & (funct_c == 3'd4) & (rvfi_insn[6:2] == 5'd0) & (rd != 5'd0);
            links = rvfi_insn[12];
            returns = rd_is_link;
            same = !rvfi_insn[9];
        end
    end

    always @(*) begin
        branch_1 = is_branch;
        lookup_1 = (is_jalr & !pops) | is_xret;
        pop_1 = pops;
        jump_1 = is_jal;
        if (!traced) begin
            branch_1 = 1'd0;
            lookup_1 = 1'd0;
            pop_1 = 1'd0;
            jump_1 = 1'd0;
        end
    end

    always @(*) begin
        length = 2'd1;
        if (long_beat) begin
            length = 2'd2;
        end
    end

    always @(posedge clock) begin
        if (rvfi_valid) begin
            trap_before <= rvfi_trap;
        end
        live_2 <= live;
        valid_2 <= retires;
        branch_2 <= branch_1;
        lookup_2 <= lookup_1;
        pop_2 <= pop_1;
        jump_2 <= jump_1;
        long_2 <= wide;
        pc_2 <= pc_1;
        target_2 <= target_1;
        intr_2 <= intr_1;
    end

    initial begin
        trap_before = 1'd0;
        live_2 = 1'd0;
        valid_2 = 1'd0;
        intr_2 = 1'd0;
        branch_2 = 1'd0;
        lookup_2 = 1'd0;
        pop_2 = 1'd0;
        jump_2 = 1'd0;
        pc_2 = 32'd0;
        long_2 = 1'd0;
        target_2 = 32'd0;
    end
endmodule
