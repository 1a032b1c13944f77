
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

    localparam [2:0] FIELD_STEP_COUNT = 3'd1;
    localparam [2:0] FIELD_STEP_OPEN = 3'd0;

    reg  [2:0]  step;
    reg  [1:0]  pre;
    reg  [1:0]  post;
    reg  [1:0]  then_field;
    reg         then_done;
    wire        reads_kinds;
    wire [31:0] kinds;
    wire        take;
    wire [2:0]  fields_kind;
    wire [5:0]  fields_size;
    wire [31:0] fields_value;
    wire        fields_zero;
    wire [1:0]  fields_own_field;
    wire [1:0]  fields_next_field;
    wire [2:0]  fields_next_step;
    wire        fields_last;
    wire [1:0]  fields_new_pre;
    wire [1:0]  fields_new_post;
    wire        fields_sync;
    wire        coder_valid;
    wire        coder_ready;

    assign reads_kinds = step == 3'd0;
    assign kinds = {20'd0, entry_word[31:20]};
    assign coder_valid = entry_have & !reads_kinds;
    assign take = entry_have & coder_ready & !reads_kinds;
    assign entry_done = take & then_done;

    goshawk_fields u_fields (
        .step(step),
        .pre(pre),
        .post(post),
        .word(entry_word),
        .kind(fields_kind),
        .size(fields_size),
        .value(fields_value),
        .zero(fields_zero),
        .own_field(fields_own_field),
        .next_field(fields_next_field),
        .next_step(fields_next_step),
        .last(fields_last),
        .new_pre(fields_new_pre),
        .new_post(fields_new_post),
        .sync(fields_sync),
        .ends(entry_ends)
    );

    goshawk_digits u_coder (
        .clock(clock),
        .reset(reset),
        .valid(coder_valid),
        .kind(fields_kind),
        .size(fields_size),
        .value(fields_value),
        .zero(fields_zero),
        .no_difference(fields_sync),
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
            entry_field = then_field;
        end
    end

    always @(posedge clock) begin
        if (reads_kinds & entry_have) begin
            step <= FIELD_STEP_COUNT;
            pre <= kinds[1:0];
            post <= kinds[3:2];
        end
        if (take) begin
            step <= fields_next_step;
            pre <= fields_new_pre;
            post <= fields_new_post;
        end
        if (reset) begin
            step <= FIELD_STEP_OPEN;
        end
        then_field <= fields_next_field;
        then_done <= fields_last;
    end

    initial begin
        step = 3'd0;
        pre = 2'd0;
        post = 2'd0;
        then_field = 2'd0;
        then_done = 1'd0;
    end
endmodule

// chunks with connect bits for one core, digits read from the event FIFO, two bits a clock
module goshawk_digits (
    input  wire        clock,
    input  wire        reset,
    input  wire        valid,
    input  wire [2:0]  kind,
    input  wire [5:0]  size,
    input  wire [31:0] value,
    input  wire        zero,
    input  wire        no_difference,
    input  wire        taken,
    output wire        ready,
    output wire        have,
    output wire [3:0]  count,
    output wire [7:0]  data,
    output wire        busy
);

    localparam [1:0] DIGIT_STATE_SCAN = 2'd1;
    localparam [1:0] DIGIT_STATE_SEND = 2'd2;
    localparam [1:0] DIGIT_STATE_TAKE = 2'd3;
    localparam [1:0] DIGIT_STATE_WAIT = 2'd0;
    localparam [1:0] B_ZERO = 2'd3;
    localparam [3:0] HIGHEST = 4'hf;
    localparam [1:0] I_ZERO = 2'd2;
    localparam [3:0] INDEX_MASK = 4'd7;
    localparam [3:0] TOP_MASK = 4'd7;

    reg  [1:0]  state;
    reg         more;
    reg  [3:0]  at;
    reg  [3:0]  digit;
    reg         rest;
    reg         carry;
    reg         half;
    reg         rescan;
    reg  [3:0]  top;
    reg         negative;
    reg         sends;
    reg  [3:0]  v;
    reg         upper;
    reg         raw;
    reg  [1:0]  size_q;
    reg         address;
    reg         sign;
    reg         wide;
    reg         odd;
    reg         closes;
    wire        is_address;
    reg  [31:0] moved;
    wire [3:0]  read;
    wire [31:0] counted;
    reg         above;
    reg  [3:0]  next_at;
    wire        other;
    reg  [3:0]  term;
    wire        carry_1;
    wire        carry_2;
    wire        carry_3;
    wire        carry_4;
    wire [3:0]  carries;
    wire [3:0]  sum;
    reg         last;
    reg  [3:0]  mask;
    wire [3:0]  masked;
    wire        under;
    wire        load;
    reg         more_digits;
    reg  [3:0]  out_digit;
    wire        is_raw;
    reg         first;
    reg         second;
    reg         over;
    wire        connect;
    wire        ends;
    wire        one_0;
    reg         one_1;
    reg         one_2;
    reg         one_3;
    wire [7:0]  slice;
    reg  [3:0]  bits;
    wire [3:0]  known_raddr;
    wire [3:0]  known_rdata;
    wire        known_we;
    wire [3:0]  known_waddr;
    wire [3:0]  known_wdata;

    assign is_address = kind == 3'd2;
    assign is_raw = zero | (kind == 3'd0);
    assign counted = {12'd0, value[19:0]};
    assign read = moved[3:0];
    assign other = !half;
    assign known_raddr = next_at | {half, 3'd0};
    assign known_waddr = at | {other, 3'd0};
    assign known_wdata = ~digit;
    assign known_we = state == 2'd1;
    assign carry_1 = (digit[0] & term[0]) | (carry & (digit[0] | term[0]));
    assign carry_2 = (digit[1] & term[1]) | (carry_1 & (digit[1] | term[1]));
    assign carry_3 = (digit[2] & term[2]) | (carry_2 & (digit[2] | term[2]));
    assign carry_4 = (digit[3] & term[3]) | (carry_3 & (digit[3] | term[3]));
    assign carries = {carry_3, carry_2, carry_1, carry};
    assign sum = digit ^ term ^ carries;
    assign masked = sum & mask;
    assign under = |{sum[2], 2'd0};
    assign load = (state == DIGIT_STATE_SEND) & !rescan & (!sends | (more & taken & upper));
    assign connect = over | (odd & second);
    assign ends = raw | (closes & !connect);
    assign one_0 = first;
    assign slice = {4'd0, one_3, one_2, one_1, one_0};
    assign have = sends;
    assign data = slice;
    assign count = bits;
    assign busy = sends;
    assign ready = state == DIGIT_STATE_TAKE;

    goshawk_small_mem #(.ADDRESS(4), .WIDTH(4)) u_known (
        .clock(clock),
        .raddr(known_raddr),
        .rdata(known_rdata),
        .we(known_we),
        .waddr(known_waddr),
        .wdata(known_wdata)
    );

    always @(*) begin
        moved = 32'd0;
        above = 1'd0;
        case (at)
            4'd0: begin
                moved = value;
                above = |counted[31:4];
            end
            4'd1: begin
                moved = {4'd0, value[31:4]};
                above = |counted[31:8];
            end
            4'd2: begin
                moved = {8'd0, value[31:8]};
                above = |counted[31:12];
            end
            4'd3: begin
                moved = {12'd0, value[31:12]};
                above = |counted[31:16];
            end
            4'd4: begin
                moved = {16'd0, value[31:16]};
                above = |counted[31:20];
            end
            4'd5: begin
                moved = {20'd0, value[31:20]};
            end
            4'd6: begin
                moved = {24'd0, value[31:24]};
            end
            4'd7: begin
                moved = {28'd0, value[31:28]};
            end
            4'd8: begin
                moved = 32'd0;
            end
            default: begin
                moved = 32'd0;
            end
        endcase
    end

    always @(*) begin
        next_at = (at + 4'd1) & INDEX_MASK;
        if (at == HIGHEST) begin
            next_at = 4'd0;
        end
    end

    always @(*) begin
        term = known_rdata;
        if (no_difference | !is_address) begin
            term = 4'hf;
        end
    end

    always @(*) begin
        last = next_at == 4'd0;
        if (state == 2'd1) begin
            last = at == 4'd0;
        end
    end

    always @(*) begin
        mask = 4'hf;
        if (last) begin
            mask = TOP_MASK;
        end
    end

    always @(*) begin
        out_digit = masked;
        if (negative) begin
            out_digit = masked ^ mask;
        end
    end

    always @(*) begin
        more_digits = rest & !is_raw;
        if (is_address) begin
            more_digits = next_at != top;
        end
    end

    always @(*) begin
        first = v[0];
        second = v[1];
        over = more | v[2] | v[3];
        if (upper) begin
            first = v[2];
            second = v[3];
            over = more;
        end
    end

    always @(*) begin
        one_1 = second;
        one_2 = v[2] & raw;
        one_3 = v[3] & raw;
        bits = 4'd2;
        if (raw) begin
            bits = {2'd0, size_q} + 4'd1;
        end
        if (closes) begin
            if (odd) begin
                one_1 = connect;
                one_2 = sign;
                if (connect) begin
                    one_2 = second;
                end
                if (connect | address) begin
                    bits = 4'd3;
                end
            end else begin
                one_2 = connect;
                one_3 = sign & !connect;
                bits = 4'd3;
                if (address & !connect) begin
                    bits = 4'd4;
                end
            end
        end
    end

    always @(posedge clock) begin
        if (sends & taken) begin
            upper <= !upper;
            closes <= !wide | !closes;
            if (upper) begin
                v <= 4'd0;
            end
            if (ends) begin
                sends <= 1'd0;
            end
        end
        if (load) begin
            v <= out_digit;
            if (zero) begin
                v <= 4'd0;
            end
            upper <= 1'd0;
            sends <= 1'd1;
        end
        if (state == 2'd0) begin
            carry <= 1'd1;
            top <= 4'd1;
            negative <= 1'd0;
        end
        if ((state == DIGIT_STATE_SEND) & !sends) begin
            address <= is_address;
            sign <= negative;
            raw <= is_raw;
            size_q <= I_ZERO;
            wide <= 1'd0;
            odd <= 1'd0;
            closes <= 1'd1;
            if (kind == 3'd1) begin
                size_q <= B_ZERO;
                wide <= 1'd0;
                odd <= 1'd1;
                closes <= 1'd0;
            end
            if (is_address) begin
                wide <= 1'd1;
                odd <= 1'd1;
                closes <= 1'd0;
            end
            if (is_raw) begin
                closes <= 1'd0;
            end
            if (kind == 3'd0) begin
                size_q <= size[1:0];
            end
        end
        case (state)
            DIGIT_STATE_WAIT: begin
                if (valid) begin
                    state <= DIGIT_STATE_SEND;
                    if (is_address) begin
                        at <= next_at;
                        state <= DIGIT_STATE_SCAN;
                    end
                end
            end
            DIGIT_STATE_SCAN: begin
                at <= next_at;
                carry <= carry_4;
                if (|out_digit) begin
                    top <= at;
                end
                if (at == 4'd0) begin
                    carry <= !negative;
                    at <= 4'd0;
                    state <= DIGIT_STATE_SEND;
                end
            end
            DIGIT_STATE_SEND: begin
                if (load & !more_digits) begin
                    state <= DIGIT_STATE_TAKE;
                end
            end
            DIGIT_STATE_TAKE: begin
                at <= 4'd0;
                half <= half ^ is_address;
                state <= DIGIT_STATE_WAIT;
            end
        endcase
        rescan <= (state == 2'd1) & (at == 4'd0) & under & !negative;
        if (rescan) begin
            negative <= 1'd1;
            carry <= 1'd0;
            at <= next_at;
            state <= DIGIT_STATE_SCAN;
        end
        if (load) begin
            at <= next_at;
            carry <= carry_4;
            more <= more_digits;
        end
        if (reset) begin
            state <= DIGIT_STATE_WAIT;
            more <= 1'd0;
            rescan <= 1'd0;
            at <= 4'd0;
            half <= 1'd0;
            sends <= 1'd0;
        end
        digit <= read;
        rest <= above;
    end

    initial begin
        state = 2'd0;
        more = 1'd0;
        at = 4'd0;
        digit = 4'd0;
        rest = 1'd0;
        carry = 1'd0;
        half = 1'd0;
        rescan = 1'd0;
        top = 4'd0;
        negative = 1'd0;
        sends = 1'd0;
        v = 4'd0;
        upper = 1'd0;
        raw = 1'd0;
        size_q = 2'd0;
        address = 1'd0;
        sign = 1'd0;
        wide = 1'd0;
        odd = 1'd0;
        closes = 1'd0;
    end
endmodule

// Memory. A word that is read in the cycle in which it is written is undefined, and so is a word that was never written;
// neither is used. Replace this module with a wrapper of a memory macro with one read and one write port.
module goshawk_small_mem #(
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

    (* no_rw_check, ram_block *)
    reg [WIDTH-1:0] words [0:(1<<ADDRESS)-1];

    always @(posedge clock) rdata <= words[raddr];

    always @(posedge clock) if (we) words[waddr] <= wdata;
endmodule

// event entries to fields
module goshawk_fields (
    input  wire [2:0]  step,
    input  wire [1:0]  pre,
    input  wire [1:0]  post,
    input  wire [31:0] word,
    output reg  [2:0]  kind,
    output reg  [5:0]  size,
    output reg  [31:0] value,
    output reg         zero,
    output reg  [1:0]  own_field,
    output reg  [1:0]  next_field,
    output reg  [2:0]  next_step,
    output reg         last,
    output reg  [1:0]  new_pre,
    output wire [1:0]  new_post,
    output wire        sync,
    output wire        ends
);

    localparam [2:0] FIELD_STEP_ADDRESS = 3'd5;
    localparam [2:0] FIELD_STEP_COUNT = 3'd1;
    localparam [2:0] FIELD_STEP_INSTRUCTIONS = 3'd3;
    localparam [2:0] FIELD_STEP_KIND = 3'd2;
    localparam [2:0] FIELD_STEP_LOST = 3'd4;
    localparam [2:0] FIELD_STEP_OPEN = 3'd0;
    localparam [31:0] ABOVE_KIND = 32'hfffffff0;
    localparam [2:0] C_ADDRESS = 3'd2;
    localparam [2:0] C_INSTRUCTIONS = 3'd4;
    localparam [1:0] F_PC = 2'd2;
    localparam [1:0] F_TARGET = 2'd3;
    localparam [1:0] K_CONTROL = 2'd3;
    localparam [1:0] K_PROGRESS = 2'd3;
    localparam [1:0] K_SYNC = 2'd2;
    localparam [1:0] K_TARGET = 2'd2;
    localparam [3:0] KIND_OVERFLOW = 4'd9;
    localparam [3:0] KIND_PROGRESS = 4'd7;
    localparam [5:0] KIND_SIZE = 6'd3;
    localparam [3:0] KIND_STOP = 4'd5;
    localparam [31:0] NO_KINDS = 32'hff0fffff;

    reg         again;
    reg  [3:0]  special;
    wire        escape;
    wire        exception;
    wire        synced;
    wire        control;
    wire        overflow;
    wire        has_pc;

    assign exception = pre == 2'd1;
    assign synced = pre == K_SYNC;
    assign control = pre == K_CONTROL;
    assign overflow = control & (post == 2'd1);
    assign has_pc = exception | synced;
    assign escape = (|pre) | (post == K_PROGRESS);
    assign new_post = post;
    assign sync = synced;
    assign ends = control & !overflow;

    always @(*) begin
        special = KIND_PROGRESS;
        if (control) begin
            special = KIND_STOP;
        end
        if (overflow) begin
            special = KIND_OVERFLOW;
        end
        if (synced) begin
            special = 4'd1;
        end
        if (exception) begin
            special = 4'd0;
        end
    end

    always @(*) begin
        kind = 3'd1;
        value = word & NO_KINDS;
        zero = 1'd0;
        own_field = 2'd0;
        next_field = 2'd0;
        next_step = FIELD_STEP_COUNT;
        last = 1'd0;
        again = 1'd0;
        size = KIND_SIZE;
        case (step)
            FIELD_STEP_OPEN: ;
            FIELD_STEP_COUNT: begin
                if (escape) begin
                    zero = 1'd1;
                    next_step = FIELD_STEP_KIND;
                    next_field = 2'd1;
                end else if (post == K_TARGET) begin
                    next_step = FIELD_STEP_ADDRESS;
                    next_field = F_TARGET;
                end else begin
                    last = 1'd1;
                end
            end
            FIELD_STEP_KIND: begin
                kind = 3'd0;
                value = {28'd0, special};
                value = {28'd0, special} | (word & ABOVE_KIND);
                if (exception) begin
                    size = 6'd0;
                end
                own_field = 2'd1;
                next_field = 2'd1;
                next_step = FIELD_STEP_INSTRUCTIONS;
            end
            FIELD_STEP_INSTRUCTIONS: begin
                kind = C_INSTRUCTIONS;
                own_field = 2'd1;
                zero = 1'd0;
                if (has_pc) begin
                    next_step = FIELD_STEP_ADDRESS;
                    next_field = F_PC;
                end else if (overflow) begin
                    next_step = FIELD_STEP_LOST;
                end else begin
                    last = 1'd1;
                end
            end
            FIELD_STEP_LOST: begin
                kind = C_INSTRUCTIONS;
                zero = 1'd0;
                last = 1'd1;
                again = 1'd0;
            end
            FIELD_STEP_ADDRESS: begin
                kind = C_ADDRESS;
                value = {1'd0, word[30:0]};
                own_field = F_TARGET;
                last = 1'd1;
                if (has_pc) begin
                    own_field = F_PC;
                    if (post != 2'd0) begin
                        last = 1'd0;
                        again = 1'd1;
                    end
                end
            end
            default: ;
        endcase
        if (last) begin
            next_step = FIELD_STEP_OPEN;
        end
    end

    always @(*) begin
        new_pre = pre;
        if (again) begin
            new_pre = 2'd0;
        end
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
    localparam [31:0] FINGERPRINT = 32'h865faf1c;
    localparam [31:0] ID = 32'h67540101;
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

    localparam [2:0] LAST = 3'd7;

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
    assign octet = take & total[2];
    assign whole = {top[3:0], low};
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
            held <= {1'd0, total[1:0]};
            rest <= {4'd0, spread[2:0]};
        end
        if (octet) begin
            rest <= spread[14:8];
            rest <= {4'd0, spread[6:4]};
            top <= {4'd0, spread[3:0]};
            nibble_count <= nibble_count + 3'd1;
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
            low <= whole[31:4];
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

    localparam [3:0] HEAD_BITS = 4'd4;
    localparam [31:0] HEADER0 = 32'h4b485347;
    localparam [31:0] HEADER1 = 32'h101;
    localparam [31:0] HEADER2 = 32'h865faf1c;
    localparam [2:0] LAST = 3'd7;
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
    reg  [7:0]  half;
    wire        all_stopped;

    assign tracing = running;
    assign active = in_trace;
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
        half = {4'd0, octet[3:0]};
        if (nibbles[0]) begin
            half = {4'd0, octet[7:4]};
        end
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
    output reg  [31:0] word
);

    localparam [7:0] FEEDBACK = 8'hb8;

    reg         is_address;
    reg  [7:0]  write;
    reg  [7:0]  read;
    reg         read_valid;
    wire [7:0]  after_write;
    reg  [7:0]  next_write;
    wire [7:0]  after_read;
    reg  [7:0]  next_read;
    wire        write_bit;
    wire        read_bit;
    wire        none;
    wire        accept;
    wire [31:0] kinds;
    wire [31:0] first;
    wire [31:0] second;
    wire [23:0] counts_rdata;
    wire [30:0] addresses_rdata;

    assign write_bit = !(^(write & FEEDBACK));
    assign after_write = {write[6:0], write_bit};
    assign read_bit = !(^(read & FEEDBACK));
    assign after_read = {read[6:0], read_bit};
    assign none = write == read;
    assign accept = entry_push;
    assign kinds = {28'd0, entry_post, entry_pre};
    assign first = {8'd0, entry_bcnt} | {kinds[11:0], 20'd0};
    assign second = {8'd0, entry_icnt};
    assign have = read_valid;

    goshawk_pair_mem #(.ADDRESS(8), .WIDTH(24)) u_counts (
        .clock(clock),
        .raddr(next_read),
        .second(field[0]),
        .rdata(counts_rdata),
        .we(accept),
        .waddr(write),
        .w0(first[23:0]),
        .w1(second[23:0])
    );

    goshawk_pair_mem #(.ADDRESS(8), .WIDTH(31)) u_addresses (
        .clock(clock),
        .raddr(next_read),
        .second(field[0]),
        .rdata(addresses_rdata),
        .we(1'd1),
        .waddr(next_write),
        .w0(entry_pc[30:0]),
        .w1(entry_target[30:0])
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

    always @(*) begin
        word = {8'd0, counts_rdata};
        if (is_address) begin
            word = {1'd0, addresses_rdata};
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
        is_address <= field[1];
    end

    initial begin
        is_address = 1'd0;
        write = 8'd0;
        read = 8'd0;
        read_valid = 1'd0;
    end
endmodule

// Memory. A word that is read in the cycle in which it is written is undefined, and so is a word that was never written;
// neither is used. Replace this module with a wrapper of a memory macro with one read and one write port.
module goshawk_pair_mem #(
    parameter ADDRESS = 8,
    parameter WIDTH = 8
) (
    input  wire               clock,
    input  wire [ADDRESS-1:0] raddr,
    input  wire               second,
    output reg  [WIDTH-1:0]   rdata,
    input  wire               we,
    input  wire [ADDRESS-1:0] waddr,
    input  wire [WIDTH-1:0]   w0,
    input  wire [WIDTH-1:0]   w1
);

    (* no_rw_check *)
    reg [WIDTH-1:0] words [0:(2<<ADDRESS)-1];

    always @(posedge clock) rdata <= words[{raddr, second}];

    always @(posedge clock) if (we) begin
        words[{waddr, 1'd0}] <= w0;
        words[{waddr, 1'd1}] <= w1;
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
    wire        ingress_beat_push;
    wire        ingress_beat_pop;
    wire        ingress_beat_jump;
    wire [31:0] ingress_beat_pc;
    wire [31:0] ingress_beat_link;
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
        .beat_push(ingress_beat_push),
        .beat_pop(ingress_beat_pop),
        .beat_jump(ingress_beat_jump),
        .beat_pc(ingress_beat_pc),
        .beat_link(ingress_beat_link),
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
        .beat_push(ingress_beat_push),
        .beat_pop(ingress_beat_pop),
        .beat_jump(ingress_beat_jump),
        .beat_pc(ingress_beat_pc),
        .beat_link(ingress_beat_link),
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
    input  wire        beat_push,
    input  wire        beat_pop,
    input  wire        beat_jump,
    input  wire [31:0] beat_pc,
    input  wire [31:0] beat_link,
    input  wire [31:0] beat_target,
    output wire        entry_push,
    output wire [1:0]  entry_pre,
    output wire [1:0]  entry_post,
    output wire [23:0] entry_icnt,
    output wire [23:0] entry_bcnt,
    output wire [31:0] entry_pc,
    output wire [31:0] entry_target
);

    reg  [31:0] upper;
    reg         live_5;
    reg         valid_5;
    reg         intr_5;
    reg         reported_5;
    reg         flow_5;
    reg         outcome_5;
    reg         miss_5;
    wire        live_2;
    wire        valid_2;
    wire        branch_2;
    wire        lookup_2;
    wire        push_2;
    wire        pop_2;
    wire        jump_2;
    wire        target_live;
    wire [17:0] pc_low;
    wire [17:0] pc_up;
    wire [17:0] pc_hash;
    wire [13:0] hash;
    wire        same_upper;
    wire        indirect;
    wire        reported;
    wire [8:0]  flags_4;
    wire        live_4;
    wire        indirect_4;
    wire        hit_4;
    wire        trace_fsm_clear;
    wire        trace_fsm_enter;
    wire        trace_fsm_may_push;
    wire        trace_fsm_excluded;
    wire        trace_fsm_blocked;
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
    wire        outcome_clear;
    wire        outcome_ready;
    wire        outcome_miss;
    wire        target_clear;
    wire        target_hit;
    wire        messages_decision_needs_message;
    wire        messages_decision_flow;
    wire [8:0]  flags_from;
    wire [8:0]  flags_to;
    wire [31:0] pcs_to;
    wire [31:0] targets_to;
    wire        misses_to;
    wire        hits_to;

    assign trace_fsm_enter = beat_live & beat_valid;
    assign trace_fsm_may_push = beat_intr | beat_branch | beat_lookup | beat_pop | beat_jump;
    assign live_2 = trace_fsm_seen;
    assign valid_2 = beat_valid & trace_fsm_counts;
    assign branch_2 = beat_branch & !trace_fsm_blocked;
    assign lookup_2 = beat_lookup & !trace_fsm_blocked;
    assign push_2 = beat_push & !trace_fsm_blocked;
    assign pop_2 = beat_pop & !trace_fsm_blocked;
    assign jump_2 = beat_jump & !trace_fsm_blocked;
    assign target_live = live_2 | trace_fsm_excluded;
    assign pc_low = beat_pc[17:0];
    assign pc_up = pc_low;
    assign pc_hash = pc_up;
    assign hash = pc_hash[13:0];
    assign outcome_clear = trace_fsm_clear | reset;
    assign target_clear = trace_fsm_clear | reset;
    assign indirect = lookup_2 | pop_2;
    assign reported = branch_2 | indirect;
    assign same_upper = upper == 32'd0;
    assign flags_from = {{4'd0, jump_2} | {4'd0, reported}, reported, beat_intr, valid_2, live_2} | {{3'd0, branch_2} & {3'd0, beat_taken}, 5'd0} | {2'd0, indirect, 6'd0} | {1'd0, same_upper, 7'd0};
    assign flags_4 = flags_to;
    assign live_4 = flags_4[0];
    assign indirect_4 = flags_4[6];
    assign hit_4 = hits_to & flags_4[7];

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
        .predictors_ready(outcome_ready),
        .clear(trace_fsm_clear),
        .stage_live(beat_live),
        .enter(trace_fsm_enter),
        .may_push(trace_fsm_may_push),
        .excluded(trace_fsm_excluded),
        .blocked(trace_fsm_blocked),
        .seen(trace_fsm_seen),
        .counts(trace_fsm_counts),
        .go(go),
        .live(live_5),
        .live_next(flags_to[0]),
        .valid(valid_5),
        .intr(intr_5),
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
        .decision_needs_message(messages_decision_needs_message),
        .decision_flow(messages_decision_flow)
    );

    goshawk_gshare u_outcome (
        .clock(clock),
        .branch(branch_2),
        .taken(beat_taken),
        .hash(hash),
        .clear(outcome_clear),
        .ready(outcome_ready),
        .miss(outcome_miss)
    );

    goshawk_ras_ibtb u_target (
        .clock(clock),
        .live(target_live),
        .push(push_2),
        .pop(pop_2),
        .link(beat_link),
        .target(beat_target),
        .clear(target_clear),
        .hit(target_hit)
    );

    goshawk_messages u_messages (
        .clock(clock),
        .valid(valid_5),
        .reported(reported_5),
        .flow(flow_5),
        .outcome(outcome_5),
        .miss(miss_5),
        .pc(pcs_to),
        .target(targets_to),
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
        .decision_needs_message(messages_decision_needs_message),
        .decision_flow(messages_decision_flow),
        .entry_push(entry_push),
        .entry_pre(entry_pre),
        .entry_post(entry_post),
        .entry_icnt(entry_icnt),
        .entry_bcnt(entry_bcnt),
        .entry_pc(entry_pc),
        .entry_target(entry_target)
    );

    goshawk_delay u_flags (
        .clock(clock),
        .clear(reset),
        .from(flags_from),
        .to(flags_to)
    );

    goshawk_delay_2 u_pcs (
        .clock(clock),
        .from(beat_pc),
        .to(pcs_to)
    );

    goshawk_delay_2 u_targets (
        .clock(clock),
        .from(beat_target),
        .to(targets_to)
    );

    goshawk_delay_3 u_misses (
        .from(outcome_miss),
        .to(misses_to)
    );

    goshawk_delay_3 u_hits (
        .from(target_hit),
        .to(hits_to)
    );

    always @(posedge clock) begin
        if (indirect) begin
            upper <= 32'd0;
        end
        if (!target_live) begin
            upper <= 32'd0;
        end
        live_5 <= live_4 & !reset;
        valid_5 <= flags_4[1];
        intr_5 <= flags_4[2];
        reported_5 <= flags_4[3];
        flow_5 <= flags_4[4];
        outcome_5 <= misses_to;
        miss_5 <= indirect_4 & !hit_4;
    end

    initial begin
        upper = 32'd0;
        live_5 = 1'd0;
        valid_5 = 1'd0;
        intr_5 = 1'd0;
        reported_5 = 1'd0;
        flow_5 = 1'd0;
        outcome_5 = 1'd0;
        miss_5 = 1'd0;
    end
endmodule

// delay line
module goshawk_delay_3 (
    input  wire        from,
    output wire        to
);

    wire        tail;

    assign tail = from;
    assign to = tail;
endmodule

// delay line
module goshawk_delay_2 (
    input  wire        clock,
    input  wire [31:0] from,
    output wire [31:0] to
);

    reg  [31:0] stage_0;

    assign to = stage_0;

    always @(posedge clock) begin
        stage_0 <= from;
    end

    initial begin
        stage_0 = 32'd0;
    end
endmodule

// delay line
module goshawk_delay (
    input  wire        clock,
    input  wire        clear,
    input  wire [8:0]  from,
    output wire [8:0]  to
);

    reg  [8:0]  stage_0;

    assign to = stage_0;

    always @(posedge clock) begin
        stage_0 <= from;
        if (clear) begin
            stage_0 <= 9'd0;
        end
    end

    initial begin
        stage_0 = 9'd0;
    end
endmodule

// what is sent, and when
module goshawk_messages (
    input  wire        clock,
    input  wire        valid,
    input  wire        reported,
    input  wire        flow,
    input  wire        outcome,
    input  wire        miss,
    input  wire [31:0] pc,
    input  wire [31:0] target,
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
    output reg  [23:0] entry_bcnt,
    output wire [31:0] entry_pc,
    output wire [31:0] entry_target
);

    reg  [23:0] icnt;
    reg  [23:0] bcnt;
    wire        any_pre;
    wire        any_post;
    wire        long;
    wire        progress;
    wire        icnt_inc;
    wire [23:0] icnt_sum;
    reg         bcnt_inc;
    wire [23:0] bcnt_sum;
    wire        bcnt_stop;
    wire        counted;
    wire        remains;
    wire        remains_reported;
    wire        clear_counts;
    wire        bcnt_one;
    wire        pre_1;
    wire        pre_0;
    wire        post_1;
    wire        post_0;

    assign decision_flow = flow;
    assign any_pre = decision_sync | decision_exception;
    assign any_post = outcome | miss;
    assign icnt_inc = decision_beat & !any_pre;
    assign icnt_sum = icnt + {23'd0, icnt_inc};
    assign long = icnt[19];
    assign progress = flow & long & !any_pre & !any_post;
    assign decision_needs_message = outcome | miss | (flow & long);
    assign counted = reported;
    assign bcnt_stop = bcnt[19];
    assign bcnt_sum = bcnt + {23'd0, bcnt_inc};
    assign remains = decision_send & any_pre & !any_post;
    assign remains_reported = remains & counted;
    assign clear_counts = decision_send | decision_overflow | !decision_tracing;
    assign bcnt_one = remains_reported | decision_drop;
    assign entry_push = decision_restart;
    assign pre_0 = decision_exception | decision_overflow | decision_stop;
    assign pre_1 = decision_sync | decision_overflow | decision_stop;
    assign post_0 = outcome | progress | decision_overflow;
    assign post_1 = miss | progress;
    assign entry_pre = {pre_1, pre_0};
    assign entry_post = {post_1, post_0};
    assign entry_icnt = {4'd0, icnt_sum[19:0]};
    assign entry_pc = pc;
    assign entry_target = target;

    always @(*) begin
        bcnt_inc = counted;
        if (decision_losing) begin
            bcnt_inc = valid & !bcnt_stop;
        end
    end

    always @(*) begin
        entry_bcnt = {4'd0, bcnt_sum[19:0]};
        if (any_pre) begin
            entry_bcnt = 24'd1;
        end
    end

    always @(posedge clock) begin
        if (clear_counts) begin
            icnt <= {23'd0, remains};
        end else begin
            icnt <= {4'd0, icnt_sum[19:0]};
        end
        bcnt <= {4'd0, bcnt_sum[19:0]};
        if (clear_counts | decision_drop) begin
            bcnt <= {23'd0, bcnt_one};
        end
    end

    initial begin
        icnt = 24'd0;
        bcnt = 24'd0;
    end
endmodule

// return address stack and iBTB
module goshawk_ras_ibtb (
    input  wire        clock,
    input  wire        live,
    input  wire        push,
    input  wire        pop,
    input  wire [31:0] link,
    input  wire [31:0] target,
    input  wire        clear,
    output reg         hit
);

    reg  [31:0] target_2;
    reg         pop_2;
    reg         pop_3;
    reg         hit_3;
    wire        ras_hit;

    goshawk_ras u_ras (
        .clock(clock),
        .clear(clear),
        .live(live),
        .push(push),
        .pop(pop),
        .link(link),
        .target(target_2),
        .hit(ras_hit)
    );

    always @(*) begin
        if (pop_3) begin
            hit = hit_3;
        end
        hit = pop_2 & ras_hit;
    end

    always @(posedge clock) begin
        target_2 <= target;
        pop_2 <= pop;
        pop_3 <= pop_2;
        hit_3 <= ras_hit;
    end

    initial begin
        target_2 = 32'd0;
        pop_2 = 1'd0;
        pop_3 = 1'd0;
        hit_3 = 1'd0;
    end
endmodule

// return address stack
module goshawk_ras (
    input  wire        clock,
    input  wire        clear,
    input  wire        live,
    input  wire        push,
    input  wire        pop,
    input  wire [31:0] link,
    input  wire [31:0] target,
    output wire        hit
);

    reg  [4:0]  top;
    reg  [31:0] bank;
    reg         popped;
    wire        do_push;
    wire        do_pop;
    wire        swap;
    wire        top_bank;
    wire        other_bank;
    reg         write_bank;
    wire [4:0]  above;
    wire [4:0]  below;
    reg  [4:0]  write_slot;
    wire [31:0] want;
    wire [3:0]  words_raddr;
    wire [31:0] words_rdata;
    wire        words_we;
    wire [3:0]  words_waddr;
    reg  [31:0] words_wdata;

    assign do_push = push;
    assign do_pop = pop | !live;
    assign swap = do_push & do_pop;
    assign top_bank = bank[0];
    assign other_bank = !top_bank;
    assign above = top + 5'd1;
    assign below = top - 5'd1;
    assign words_raddr = {top[2:0], top_bank};
    assign words_waddr = {write_slot[2:0], write_bank};
    assign words_we = do_push | popped;
    assign want = {target[30:0], 1'd1};
    assign hit = words_rdata == want;

    goshawk_mem #(.ADDRESS(4), .WIDTH(32)) u_words (
        .clock(clock),
        .raddr(words_raddr),
        .rdata(words_rdata),
        .we(words_we),
        .waddr(words_waddr),
        .wdata(words_wdata)
    );

    always @(*) begin
        write_slot = above;
        write_bank = 1'd0;
        if (swap) begin
            write_slot = top;
            write_bank = other_bank;
        end
    end

    always @(*) begin
        words_wdata = {link[30:0], 1'd0};
        if (do_push) begin
            words_wdata = {link[30:0], 1'd1};
        end
    end

    always @(posedge clock) begin
        if (swap) begin
            bank <= {bank[31:1], other_bank};
        end else if (do_push) begin
            top <= above;
            bank <= {24'd0, bank[6:0], 1'd0};
        end else if (do_pop) begin
            top <= below;
            bank <= {1'd0, bank[31:1]};
        end
        if (clear) begin
            top <= 5'd0;
            bank <= 32'd0;
        end
        popped <= (do_pop & !do_push) | (popped & swap);
    end

    initial begin
        top = 5'd0;
        bank = 32'd0;
        popped = 1'd0;
    end
endmodule

// counters by history and address
module goshawk_gshare (
    input  wire        clock,
    input  wire        branch,
    input  wire        taken,
    input  wire [13:0] hash,
    input  wire        clear,
    output wire        ready,
    output wire        miss
);

    reg  [11:0] bhr;
    reg         swept;
    reg  [11:0] index_3;
    reg         write_3;
    reg         branch_3;
    reg         taken_3;
    reg         same_3;
    reg  [1:0]  last_write;
    wire        low_zero;
    wire        parity;
    wire        msb;
    wire        step;
    reg         input_bit;
    wire [11:0] shifted;
    reg  [11:0] index_2;
    reg         says;
    wire        read_says;
    wire        read_firm;
    reg         kept;
    reg         then_says;
    wire        then_firm;
    wire [1:0]  updated;
    wire [1:0]  counters_rdata;

    assign low_zero = bhr[7:0] == 8'd0;
    assign parity = ^{bhr[8], 3'd0, bhr[4], 4'd0};
    assign msb = |{bhr[8], 8'd0};
    assign step = branch | !swept;
    assign shifted = {bhr[10:0], input_bit};
    assign read_says = counters_rdata[1];
    assign read_firm = counters_rdata[0];
    assign then_firm = says == taken_3;
    assign updated = {then_says, then_firm};
    assign miss = branch_3 & (says ^ taken_3);
    assign ready = swept;

    goshawk_mem #(.ADDRESS(9), .WIDTH(2)) u_counters (
        .clock(clock),
        .raddr(index_2[8:0]),
        .rdata(counters_rdata),
        .we(write_3),
        .waddr(index_3[8:0]),
        .wdata(updated)
    );

    always @(*) begin
        input_bit = parity ^ low_zero;
        if (swept) begin
            input_bit = taken;
        end
    end

    always @(*) begin
        index_2 = bhr;
        if (swept) begin
            index_2 = bhr ^ {3'd0, hash[8:0]};
        end
    end

    always @(*) begin
        kept = taken_3;
        if (last_write[0]) begin
            kept = last_write[1];
        end
    end

    always @(*) begin
        says = read_says;
        then_says = taken_3;
        if (read_firm) begin
            then_says = read_says;
        end
        if (same_3) begin
            says = last_write[1];
            then_says = kept;
        end
    end

    always @(posedge clock) begin
        if (step) begin
            bhr <= {3'd0, shifted[8:0]};
        end
        if (low_zero & msb & !swept) begin
            swept <= 1'd1;
        end
        if (clear) begin
            bhr <= 12'd0;
            swept <= 1'd0;
        end
        index_3 <= index_2;
        write_3 <= step;
        branch_3 <= branch & swept;
        taken_3 <= taken & swept;
        same_3 <= ((index_2 == index_3) & write_3) | !swept;
        last_write <= updated;
        if (!swept) begin
            last_write <= 2'd2;
        end
    end

    initial begin
        bhr = 12'd0;
        swept = 1'd0;
        index_3 = 12'd0;
        write_3 = 1'd0;
        branch_3 = 1'd0;
        taken_3 = 1'd0;
        same_3 = 1'd0;
        last_write = 2'd0;
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
    output wire        blocked,
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
    assign blocked = gap | control_no_credit;
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
    assign control_stop_ready = stop_due;
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
    output wire        beat_push,
    output wire        beat_pop,
    output wire        beat_jump,
    output wire [31:0] beat_pc,
    output wire [31:0] beat_link,
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
    reg         push_2;
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
    reg         jal_links;
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
    reg         push_1;
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
    assign beat_push = push_2;
    assign beat_pop = pop_2;
    assign beat_jump = jump_2;
    assign beat_taken = link[11:0] != target_beat[11:0];
    assign beat_pc = pc_beat;
    assign beat_link = link;
    assign beat_target = target_beat;

    always @(*) begin
        if (wide) begin
            is_branch = (opcode == 7'h63) & (rvfi_insn[14:13] != 2'd1);
            is_jal = opcode == 7'h6f;
            is_jalr = (opcode == 7'h67) & (rvfi_insn[14:12] == 3'd0);
            jal_links = rd_is_link;
            links = rd_is_link;
            returns = rs1_is_link;
            same = rvfi_insn[9] == rvfi_insn[17];
        end else begin
            is_branch = (quadrant == 2'd1) & (rvfi_insn[15:14] == 2'd3);
            is_jal = (quadrant == 2'd1) & ((funct_c == 3'd5) | (funct_c == 3'd1));
            is_jalr = (quadrant == 2'd2) & (funct_c == 3'd4) & (rvfi_insn[6:2] == 5'd0) & (rd != 5'd0);
            jal_links = funct_c == 3'd1;
            links = rvfi_insn[12];
            returns = rd_is_link;
            same = !rvfi_insn[9];
        end
    end

    always @(*) begin
        branch_1 = is_branch;
        lookup_1 = (is_jalr & !pops) | is_xret;
        push_1 = (is_jalr & links) | (is_jal & jal_links);
        pop_1 = pops;
        jump_1 = is_jal;
        if (!traced) begin
            branch_1 = 1'd0;
            lookup_1 = 1'd0;
            push_1 = 1'd0;
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
        push_2 <= push_1;
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
        push_2 = 1'd0;
        pop_2 = 1'd0;
        jump_2 = 1'd0;
        pc_2 = 32'd0;
        long_2 = 1'd0;
        target_2 = 32'd0;
    end
endmodule
