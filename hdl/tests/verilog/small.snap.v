
module top(clock,reset,rvfi_valid$0,rvfi_insn$0,rvfi_trap$0,rvfi_intr$0,rvfi_pc_rdata$0,rvfi_pc_wdata$0,bus_addr,bus_write,bus_wdata,bus_rdata,valid,ready,data);
    
    // Module arguments
    input wire  clock;
    input wire  reset;
    input wire  rvfi_valid$0;
    input wire  [31:0] rvfi_insn$0;
    input wire  rvfi_trap$0;
    input wire  rvfi_intr$0;
    input wire  [31:0] rvfi_pc_rdata$0;
    input wire  [31:0] rvfi_pc_wdata$0;
    input wire  [2:0] bus_addr;
    input wire  bus_write;
    input wire  [31:0] bus_wdata;
    output reg  [31:0] bus_rdata;
    output reg  valid;
    input wire  ready;
    output reg  [31:0] data;
    
    // Stub signals
    reg  core$0$clock;
    reg  core$0$reset;
    reg  core$0$rvfi_valid;
    reg  [31:0] core$0$rvfi_insn;
    reg  core$0$rvfi_trap;
    reg  core$0$rvfi_intr;
    reg  [31:0] core$0$rvfi_pc_rdata;
    reg  [31:0] core$0$rvfi_pc_wdata;
    reg  core$0$enable;
    wire  core$0$ready;
    reg  core$0$full;
    reg  core$0$drained;
    wire  core$0$stop_ready;
    reg  core$0$stop_go;
    wire  core$0$lost;
    wire  core$0$entry_push;
    wire  [1:0] core$0$entry_pre;
    wire  [1:0] core$0$entry_post;
    wire  [23:0] core$0$entry_icnt;
    wire  [23:0] core$0$entry_bcnt;
    wire  [31:0] core$0$entry_pc;
    wire  [31:0] core$0$entry_target;
    wire  [31:0] core$0$entry_cc;
    reg  back$clock;
    reg  back$reset;
    reg  [2:0] back$bus_addr;
    reg  back$bus_write;
    reg  [31:0] back$bus_wdata;
    wire  [31:0] back$bus_rdata;
    wire  back$valid;
    reg  back$ready;
    wire  [31:0] back$data;
    wire  back$enable;
    wire  back$stop_go;
    reg  back$core_ready$0;
    reg  back$stop_ready$0;
    reg  back$lost$0;
    reg  back$entry_push$0;
    reg  [1:0] back$entry_pre$0;
    reg  [1:0] back$entry_post$0;
    reg  [23:0] back$entry_icnt$0;
    reg  [23:0] back$entry_bcnt$0;
    reg  [31:0] back$entry_pc$0;
    reg  [31:0] back$entry_target$0;
    reg  [31:0] back$entry_cc$0;
    wire  back$full$0;
    wire  back$empty$0;
    
    // Sub module instances
    top$core$0 core$0(
        .clock(core$0$clock),
        .reset(core$0$reset),
        .rvfi_valid(core$0$rvfi_valid),
        .rvfi_insn(core$0$rvfi_insn),
        .rvfi_trap(core$0$rvfi_trap),
        .rvfi_intr(core$0$rvfi_intr),
        .rvfi_pc_rdata(core$0$rvfi_pc_rdata),
        .rvfi_pc_wdata(core$0$rvfi_pc_wdata),
        .enable(core$0$enable),
        .ready(core$0$ready),
        .full(core$0$full),
        .drained(core$0$drained),
        .stop_ready(core$0$stop_ready),
        .stop_go(core$0$stop_go),
        .lost(core$0$lost),
        .entry_push(core$0$entry_push),
        .entry_pre(core$0$entry_pre),
        .entry_post(core$0$entry_post),
        .entry_icnt(core$0$entry_icnt),
        .entry_bcnt(core$0$entry_bcnt),
        .entry_pc(core$0$entry_pc),
        .entry_target(core$0$entry_target),
        .entry_cc(core$0$entry_cc)
    );
    top$back back(
        .clock(back$clock),
        .reset(back$reset),
        .bus_addr(back$bus_addr),
        .bus_write(back$bus_write),
        .bus_wdata(back$bus_wdata),
        .bus_rdata(back$bus_rdata),
        .valid(back$valid),
        .ready(back$ready),
        .data(back$data),
        .enable(back$enable),
        .stop_go(back$stop_go),
        .core_ready$0(back$core_ready$0),
        .stop_ready$0(back$stop_ready$0),
        .lost$0(back$lost$0),
        .entry_push$0(back$entry_push$0),
        .entry_pre$0(back$entry_pre$0),
        .entry_post$0(back$entry_post$0),
        .entry_icnt$0(back$entry_icnt$0),
        .entry_bcnt$0(back$entry_bcnt$0),
        .entry_pc$0(back$entry_pc$0),
        .entry_target$0(back$entry_target$0),
        .entry_cc$0(back$entry_cc$0),
        .full$0(back$full$0),
        .empty$0(back$empty$0)
    );
    
    // Update code
    always @(*) begin
        back$clock = clock;
        back$reset = reset;
        back$bus_addr = bus_addr;
        back$bus_write = bus_write;
        back$bus_wdata = bus_wdata;
        bus_rdata = back$bus_rdata;
        valid = back$valid;
        back$ready = ready;
        data = back$data;
        core$0$clock = clock;
        core$0$reset = reset;
        core$0$rvfi_valid = rvfi_valid$0;
        core$0$rvfi_insn = rvfi_insn$0;
        core$0$rvfi_trap = rvfi_trap$0;
        core$0$rvfi_intr = rvfi_intr$0;
        core$0$rvfi_pc_rdata = rvfi_pc_rdata$0;
        core$0$rvfi_pc_wdata = rvfi_pc_wdata$0;
        core$0$enable = back$enable;
        core$0$full = back$full$0;
        core$0$drained = back$empty$0;
        core$0$stop_go = back$stop_go;
        back$core_ready$0 = core$0$ready;
        back$stop_ready$0 = core$0$stop_ready;
        back$lost$0 = core$0$lost;
        back$entry_push$0 = core$0$entry_push;
        back$entry_pre$0 = core$0$entry_pre;
        back$entry_post$0 = core$0$entry_post;
        back$entry_icnt$0 = core$0$entry_icnt;
        back$entry_bcnt$0 = core$0$entry_bcnt;
        back$entry_pc$0 = core$0$entry_pc;
        back$entry_target$0 = core$0$entry_target;
        back$entry_cc$0 = core$0$entry_cc;
    end
    
endmodule // top


module top$back(clock,reset,bus_addr,bus_write,bus_wdata,bus_rdata,valid,ready,data,enable,stop_go,core_ready$0,stop_ready$0,lost$0,entry_push$0,entry_pre$0,entry_post$0,entry_icnt$0,entry_bcnt$0,entry_pc$0,entry_target$0,entry_cc$0,full$0,empty$0);
    
    // Module arguments
    input wire  clock;
    input wire  reset;
    input wire  [2:0] bus_addr;
    input wire  bus_write;
    input wire  [31:0] bus_wdata;
    output reg  [31:0] bus_rdata;
    output reg  valid;
    input wire  ready;
    output reg  [31:0] data;
    output reg  enable;
    output reg  stop_go;
    input wire  core_ready$0;
    input wire  stop_ready$0;
    input wire  lost$0;
    input wire  entry_push$0;
    input wire  [1:0] entry_pre$0;
    input wire  [1:0] entry_post$0;
    input wire  [23:0] entry_icnt$0;
    input wire  [23:0] entry_bcnt$0;
    input wire  [31:0] entry_pc$0;
    input wire  [31:0] entry_target$0;
    input wire  [31:0] entry_cc$0;
    output reg  full$0;
    output reg  empty$0;
    
    // Enums
    localparam EncoderStep$Idle = 0;
    localparam EncoderStep$Fetch = 1;
    localparam EncoderStep$Header0 = 2;
    localparam EncoderStep$Header1 = 3;
    localparam EncoderStep$Header2 = 4;
    localparam EncoderStep$Time = 5;
    localparam EncoderStep$Core = 6;
    localparam EncoderStep$Count = 7;
    localparam EncoderStep$Kind = 8;
    localparam EncoderStep$Instructions = 9;
    localparam EncoderStep$Lost = 10;
    localparam EncoderStep$Address = 11;
    localparam EncoderStep$Sign = 12;
    localparam EncoderStep$End = 13;
    localparam EncoderStep$Pad = 14;
    
    // Stub signals
    reg  fifo$0$clock;
    reg  fifo$0$reset;
    reg  fifo$0$push;
    reg  [1:0] fifo$0$in_pre;
    reg  [1:0] fifo$0$in_post;
    reg  [23:0] fifo$0$in_icnt;
    reg  [23:0] fifo$0$in_bcnt;
    reg  [31:0] fifo$0$in_pc;
    reg  [31:0] fifo$0$in_target;
    reg  [31:0] fifo$0$in_cc;
    wire  fifo$0$full;
    wire  fifo$0$empty;
    wire  fifo$0$have;
    reg  fifo$0$pop;
    reg  [1:0] fifo$0$field;
    wire  [31:0] fifo$0$word;
    wire  [31:0] fifo$0$cc;
    reg  merger$clock;
    reg  merger$reset;
    reg  [15:0] merger$pushes;
    reg  [15:0] merger$have;
    wire  [3:0] merger$core;
    wire  merger$show;
    reg  merger$done;
    wire  [15:0] merger$pops;
    wire  merger$empty;
    reg  encoder$clock;
    reg  encoder$reset;
    reg  encoder$start;
    wire  encoder$started;
    reg  encoder$have;
    wire  [1:0] encoder$field;
    reg  [31:0] encoder$word;
    reg  [31:0] encoder$cc;
    reg  [3:0] encoder$core;
    wire  encoder$done;
    wire  encoder$finished;
    wire  encoder$bit_valid;
    wire  encoder$data_bit;
    reg  encoder$bit_ready;
    reg  encoder$aligned;
    wire  encoder$idle;
    reg  packer$clock;
    reg  packer$reset;
    reg  packer$bit_valid;
    reg  packer$data_bit;
    wire  packer$bit_ready;
    wire  packer$aligned;
    wire  packer$valid;
    reg  packer$ready;
    wire  [31:0] packer$data;
    reg  registers$clock;
    reg  registers$reset;
    reg  [2:0] registers$bus_addr;
    reg  registers$bus_write;
    reg  [31:0] registers$bus_wdata;
    wire  [31:0] registers$bus_rdata;
    reg  registers$ready;
    reg  registers$active;
    reg  registers$idle;
    reg  [15:0] registers$overflow;
    wire  registers$enable;
    reg  session$d;
    wire  session$q;
    reg  session$clock;
    reg  running$d;
    wire  running$q;
    reg  running$clock;
    reg  header$d;
    wire  header$q;
    reg  header$clock;
    
    // Local signals
    reg  tracing;
    reg  all_ready;
    reg  all_stopped;
    reg  [15:0] pushes;
    reg  [15:0] haves;
    reg  [15:0] losses;
    reg  [15:0] pops;
    reg  [3:0] who;
    reg  [31:0] word;
    reg  [31:0] cc;
    
    // Sub module instances
    top$back$fifo$0 fifo$0(
        .clock(fifo$0$clock),
        .reset(fifo$0$reset),
        .push(fifo$0$push),
        .in_pre(fifo$0$in_pre),
        .in_post(fifo$0$in_post),
        .in_icnt(fifo$0$in_icnt),
        .in_bcnt(fifo$0$in_bcnt),
        .in_pc(fifo$0$in_pc),
        .in_target(fifo$0$in_target),
        .in_cc(fifo$0$in_cc),
        .full(fifo$0$full),
        .empty(fifo$0$empty),
        .have(fifo$0$have),
        .pop(fifo$0$pop),
        .field(fifo$0$field),
        .word(fifo$0$word),
        .cc(fifo$0$cc)
    );
    top$back$merger merger(
        .clock(merger$clock),
        .reset(merger$reset),
        .pushes(merger$pushes),
        .have(merger$have),
        .core(merger$core),
        .show(merger$show),
        .done(merger$done),
        .pops(merger$pops),
        .empty(merger$empty)
    );
    top$back$encoder encoder(
        .clock(encoder$clock),
        .reset(encoder$reset),
        .start(encoder$start),
        .started(encoder$started),
        .have(encoder$have),
        .field(encoder$field),
        .word(encoder$word),
        .cc(encoder$cc),
        .core(encoder$core),
        .done(encoder$done),
        .finished(encoder$finished),
        .bit_valid(encoder$bit_valid),
        .data_bit(encoder$data_bit),
        .bit_ready(encoder$bit_ready),
        .aligned(encoder$aligned),
        .idle(encoder$idle)
    );
    top$back$packer packer(
        .clock(packer$clock),
        .reset(packer$reset),
        .bit_valid(packer$bit_valid),
        .data_bit(packer$data_bit),
        .bit_ready(packer$bit_ready),
        .aligned(packer$aligned),
        .valid(packer$valid),
        .ready(packer$ready),
        .data(packer$data)
    );
    top$back$registers registers(
        .clock(registers$clock),
        .reset(registers$reset),
        .bus_addr(registers$bus_addr),
        .bus_write(registers$bus_write),
        .bus_wdata(registers$bus_wdata),
        .bus_rdata(registers$bus_rdata),
        .ready(registers$ready),
        .active(registers$active),
        .idle(registers$idle),
        .overflow(registers$overflow),
        .enable(registers$enable)
    );
    top$back$session session(
        .d(session$d),
        .q(session$q),
        .clock(session$clock)
    );
    top$back$running running(
        .d(running$d),
        .q(running$q),
        .clock(running$clock)
    );
    top$back$header header(
        .d(header$d),
        .q(header$q),
        .clock(header$clock)
    );
    
    // Update code
    always @(*) begin
        session$clock = clock;
        running$clock = clock;
        header$clock = clock;
        session$d = session$q;
        running$d = running$q;
        header$d = header$q;
        merger$clock = clock;
        encoder$clock = clock;
        packer$clock = clock;
        registers$clock = clock;
        merger$reset = reset;
        encoder$reset = reset;
        packer$reset = reset;
        registers$reset = reset;
        who = merger$core;
        pops = merger$pops;
        pushes = 32'h0;
        haves = 32'h0;
        losses = 32'h0;
        all_ready = 1'b1;
        all_stopped = 1'b1;
        word = 32'h0;
        cc = 32'h0;
        fifo$0$clock = clock;
        fifo$0$reset = reset;
        fifo$0$push = entry_push$0;
        fifo$0$in_pre = entry_pre$0;
        fifo$0$in_post = entry_post$0;
        fifo$0$in_icnt = entry_icnt$0;
        fifo$0$in_bcnt = entry_bcnt$0;
        fifo$0$in_pc = entry_pc$0;
        fifo$0$in_target = entry_target$0;
        fifo$0$in_cc = entry_cc$0;
        fifo$0$field = encoder$field;
        fifo$0$pop = pops[0];
        full$0 = fifo$0$full;
        empty$0 = fifo$0$empty;
        pushes = (pushes & ~(1 << (0)) | ((entry_push$0) << (0)));
        haves = (haves & ~(1 << (0)) | ((fifo$0$have) << (0)));
        losses = (losses & ~(1 << (0)) | ((lost$0) << (0)));
        if (~core_ready$0) begin
            all_ready = 1'b0;
        end
        if (~stop_ready$0) begin
            all_stopped = 1'b0;
        end
        if (who == 0) begin
            word = fifo$0$word;
            cc = fifo$0$cc;
        end
        merger$pushes = pushes;
        merger$have = haves;
        merger$done = encoder$done;
        encoder$have = merger$show;
        encoder$core = who;
        encoder$word = word;
        encoder$cc = cc;
        packer$bit_valid = encoder$bit_valid;
        packer$data_bit = encoder$data_bit;
        encoder$bit_ready = packer$bit_ready;
        encoder$aligned = packer$aligned;
        packer$ready = ready;
        valid = packer$valid;
        data = packer$data;
        registers$bus_addr = bus_addr;
        registers$bus_write = bus_write;
        registers$bus_wdata = bus_wdata;
        bus_rdata = registers$bus_rdata;
        tracing = running$q & registers$enable;
        running$d = tracing;
        if (registers$enable & all_ready & ~session$q) begin
            session$d = 1'b1;
            header$d = 1'b1;
            running$d = 1'b1;
        end
        if (encoder$started) begin
            header$d = 1'b0;
        end
        if (encoder$finished) begin
            session$d = 1'b0;
        end
        if (reset) begin
            session$d = 1'b0;
            running$d = 1'b0;
            header$d = 1'b0;
        end
        encoder$start = header$q;
        enable = tracing;
        stop_go = all_stopped;
        registers$ready = all_ready;
        registers$active = tracing;
        registers$idle = ~session$q & ~packer$valid & ~registers$enable;
        registers$overflow = losses;
    end
    
endmodule // top$back


module top$back$encoder(clock,reset,start,started,have,field,word,cc,core,done,finished,bit_valid,data_bit,bit_ready,aligned,idle);
    
    // Module arguments
    input wire  clock;
    input wire  reset;
    input wire  start;
    output reg  started;
    input wire  have;
    output reg  [1:0] field;
    input wire  [31:0] word;
    input wire  [31:0] cc;
    input wire  [3:0] core;
    output reg  done;
    output reg  finished;
    output reg  bit_valid;
    output reg  data_bit;
    input wire  bit_ready;
    input wire  aligned;
    output reg  idle;
    
    // Constant declarations
    localparam  timed = 1'b0;
    localparam  many = 1'b0;
    localparam  sign_bit = 32'h40000000;
    localparam  mask = 32'h7fffffff;
    localparam  count_mask = 32'hfffff;
    localparam  kinds_at = 5'b10100;
    localparam  ti_left = 5'b0;
    localparam  cores = 5'b1;
    localparam  stops_mask = 5'b1;
    localparam  header0 = 32'h4b485347;
    localparam  header1 = 32'h101;
    localparam  header2 = 32'h865faf1c;
    localparam  b_first = 5'b11;
    localparam  b_next = 5'b10;
    localparam  t_first = 5'b11;
    localparam  t_next = 5'b100;
    localparam  c_first = 5'b100;
    localparam  c_next = 5'b10;
    localparam  i_first = 5'b10;
    localparam  i_next = 5'b10;
    localparam  k_exception = 2'b1;
    localparam  k_sync = 2'b10;
    localparam  k_control = 2'b11;
    localparam  k_none = 2'b0;
    localparam  k_target = 2'b10;
    localparam  k_progress = 2'b11;
    localparam  k_overflow = 2'b1;
    localparam  f_count = 2'b0;
    localparam  f_instructions = 2'b1;
    localparam  f_pc = 2'b10;
    localparam  f_target = 2'b11;
    localparam  one = 5'b1;
    localparam  one_w = 32'h1;
    localparam  one_5 = 5'b1;
    localparam  word_left = 5'b11111;
    localparam  kind_left = 5'b11;
    localparam  kind_sync = 4'h1;
    localparam  kind_overflow = 4'h3;
    localparam  kind_stop = 4'h5;
    localparam  kind_progress = 4'h7;
    
    // Enums
    localparam EncoderStep$Idle = 0;
    localparam EncoderStep$Fetch = 1;
    localparam EncoderStep$Header0 = 2;
    localparam EncoderStep$Header1 = 3;
    localparam EncoderStep$Header2 = 4;
    localparam EncoderStep$Time = 5;
    localparam EncoderStep$Core = 6;
    localparam EncoderStep$Count = 7;
    localparam EncoderStep$Kind = 8;
    localparam EncoderStep$Instructions = 9;
    localparam EncoderStep$Lost = 10;
    localparam EncoderStep$Address = 11;
    localparam EncoderStep$Sign = 12;
    localparam EncoderStep$End = 13;
    localparam EncoderStep$Pad = 14;
    localparam EncoderPhase$Wait = 0;
    localparam EncoderPhase$Load = 1;
    localparam EncoderPhase$Send = 2;
    
    // Stub signals
    reg  [3:0] step$d;
    wire  [3:0] step$q;
    reg  step$clock;
    reg  [1:0] phase$d;
    wire  [1:0] phase$q;
    reg  phase$clock;
    reg  [31:0] v$d;
    wire  [31:0] v$q;
    reg  v$clock;
    reg  [4:0] left$d;
    wire  [4:0] left$q;
    reg  left$clock;
    reg  negative$d;
    wire  negative$q;
    reg  negative$clock;
    reg  seen$d;
    wire  seen$q;
    reg  seen$clock;
    reg  [31:0] inverse$d;
    wire  [31:0] inverse$q;
    reg  inverse$clock;
    reg  pta$clock;
    reg  [3:0] pta$raddr;
    wire  [31:0] pta$rdata;
    reg  pta$we;
    reg  [3:0] pta$waddr;
    reg  [31:0] pta$wdata;
    reg  [1:0] pre$d;
    wire  [1:0] pre$q;
    reg  pre$clock;
    reg  [1:0] post$d;
    wire  [1:0] post$q;
    reg  post$clock;
    reg  second$d;
    wire  second$q;
    reg  second$clock;
    reg  [4:0] stops$d;
    wire  [4:0] stops$q;
    reg  stops$clock;
    
    // Local signals
    reg  [3:0] next_step;
    reg  [3:0] first_step;
    reg  [4:0] size;
    reg  [4:0] size_next;
    reg  [4:0] less;
    reg  zero;
    reg  raw;
    reg  more;
    reg  [31:0] loaded;
    reg  [3:0] special;
    reg  from_word;
    reg  from_cc;
    reg  [31:0] keep;
    reg  shift;
    reg  header_bit;
    reg  [4:0] header_at;
    reg  [31:0] header_word;
    reg  in_header;
    reg  flip;
    reg  [31:0] flips;
    reg  address;
    reg  differ;
    reg  [31:0] base;
    reg  [31:0] sum;
    reg  sign;
    reg  [31:0] kinds;
    reg  exception;
    reg  sync;
    reg  control;
    reg  overflow;
    reg  progress;
    reg  target;
    reg  escape;
    reg  has_pc;
    
    // Sub module instances
    top$back$encoder$step step(
        .d(step$d),
        .q(step$q),
        .clock(step$clock)
    );
    top$back$encoder$phase phase(
        .d(phase$d),
        .q(phase$q),
        .clock(phase$clock)
    );
    top$back$encoder$v v(
        .d(v$d),
        .q(v$q),
        .clock(v$clock)
    );
    top$back$encoder$left left(
        .d(left$d),
        .q(left$q),
        .clock(left$clock)
    );
    top$back$encoder$negative negative(
        .d(negative$d),
        .q(negative$q),
        .clock(negative$clock)
    );
    top$back$encoder$seen seen(
        .d(seen$d),
        .q(seen$q),
        .clock(seen$clock)
    );
    top$back$encoder$inverse inverse(
        .d(inverse$d),
        .q(inverse$q),
        .clock(inverse$clock)
    );
    top$back$encoder$pta pta(
        .clock(pta$clock),
        .raddr(pta$raddr),
        .rdata(pta$rdata),
        .we(pta$we),
        .waddr(pta$waddr),
        .wdata(pta$wdata)
    );
    top$back$encoder$pre pre(
        .d(pre$d),
        .q(pre$q),
        .clock(pre$clock)
    );
    top$back$encoder$post post(
        .d(post$d),
        .q(post$q),
        .clock(post$clock)
    );
    top$back$encoder$second second(
        .d(second$d),
        .q(second$q),
        .clock(second$clock)
    );
    top$back$encoder$stops stops(
        .d(stops$d),
        .q(stops$q),
        .clock(stops$clock)
    );
    
    // Update code
    always @(*) begin
        step$clock = clock;
        phase$clock = clock;
        v$clock = clock;
        left$clock = clock;
        negative$clock = clock;
        seen$clock = clock;
        inverse$clock = clock;
        pre$clock = clock;
        post$clock = clock;
        second$clock = clock;
        stops$clock = clock;
        step$d = step$q;
        phase$d = phase$q;
        v$d = v$q;
        left$d = left$q;
        negative$d = negative$q;
        seen$d = seen$q;
        inverse$d = inverse$q;
        pre$d = pre$q;
        post$d = post$q;
        second$d = second$q;
        stops$d = stops$q;
        pta$clock = clock;
        started = 1'b0;
        done = 1'b0;
        finished = 1'b0;
        exception = pre$q == k_exception;
        sync = pre$q == k_sync;
        control = pre$q == k_control;
        overflow = control & (post$q == k_overflow);
        progress = post$q == k_progress;
        target = post$q == k_target;
        has_pc = exception | sync;
        escape = |pre$q | progress;
        first_step = EncoderStep$Count;
        if (many) begin
            first_step = EncoderStep$Core;
        end
        if (timed) begin
            first_step = EncoderStep$Time;
        end
        raw = 1'b0;
        keep = count_mask;
        differ = 1'b0;
        address = 1'b0;
        in_header = 1'b0;
        size = b_first;
        size_next = b_next;
        next_step = EncoderStep$End;
        field = f_count;
        from_word = 1'b0;
        from_cc = 1'b0;
        special = 32'h0;
        header_word = header0;
        case (step$q)
            EncoderStep$Header0:
                begin
                    in_header = 1'b1;
                    raw = 1'b1;
                    size = word_left;
                    next_step = EncoderStep$Header1;
                end
            EncoderStep$Header1:
                begin
                    in_header = 1'b1;
                    raw = 1'b1;
                    size = word_left;
                    header_word = header1;
                    next_step = EncoderStep$Header2;
                end
            EncoderStep$Header2:
                begin
                    in_header = 1'b1;
                    raw = 1'b1;
                    size = word_left;
                    header_word = header2;
                    next_step = EncoderStep$Idle;
                end
            EncoderStep$Time:
                begin
                    from_cc = ~second$q;
                    size = c_first;
                    size_next = c_next;
                    next_step = EncoderStep$Count;
                    if (many) begin
                        next_step = EncoderStep$Core;
                    end
                end
            EncoderStep$Core:
                begin
                    raw = 1'b1;
                    special = core;
                    size = ti_left;
                    next_step = EncoderStep$Count;
                end
            EncoderStep$Count:
                begin
                    from_word = ~escape;
                    if (escape) begin
                        next_step = EncoderStep$Kind;
                    end
                    else if (target) begin
                        next_step = EncoderStep$Address;
                    end
                end
            EncoderStep$Kind:
                begin
                    raw = 1'b1;
                    size = kind_left;
                    special = kind_progress;
                    if (control) begin
                        special = kind_stop;
                    end
                    if (overflow) begin
                        special = kind_overflow;
                    end
                    if (sync) begin
                        special = kind_sync;
                    end
                    if (exception) begin
                        special = 32'h0;
                        size = 32'h0;
                    end
                    next_step = EncoderStep$Instructions;
                end
            EncoderStep$Instructions:
                begin
                    field = f_instructions;
                    from_word = 1'b1;
                    size = i_first;
                    size_next = i_next;
                    if (has_pc) begin
                        next_step = EncoderStep$Address;
                    end
                    if (overflow) begin
                        next_step = EncoderStep$Lost;
                    end
                end
            EncoderStep$Lost:
                begin
                    from_word = 1'b1;
                    size = i_first;
                    size_next = i_next;
                end
            EncoderStep$Address:
                begin
                    field = f_target;
                    if (has_pc) begin
                        field = f_pc;
                    end
                    from_word = 1'b1;
                    size = t_first;
                    size_next = t_next;
                    keep = mask;
                    address = 1'b1;
                    differ = ~sync;
                    next_step = EncoderStep$Sign;
                end
            EncoderStep$Sign:
                begin
                    raw = 1'b1;
                end
            EncoderStep$Pad:
                begin
                    raw = 1'b1;
                    size = 32'h0;
                    next_step = EncoderStep$Pad;
                end
            default:
                begin
                    next_step = EncoderStep$Idle;
                end
        endcase
        base = 32'h0;
        if (differ) begin
            base = pta$rdata;
        end
        inverse$d = ~base;
        sum = word + inverse$q + one_w;
        sign = |(sum & sign_bit);
        kinds = word >> kinds_at;
        loaded = ((special) & 32'hffffffff);
        if (from_word) begin
            loaded = sum & keep;
        end
        if (from_cc & timed) begin
            loaded = ((cc) & 32'hffffffff);
        end
        pta$raddr = core;
        pta$waddr = core;
        pta$wdata = word;
        pta$we = address & (phase$q == EncoderPhase$Load);
        less = left$q - one;
        zero = ~|left$q;
        flip = negative$q & seen$q;
        flips = 32'h0;
        if (flip) begin
            flips = mask;
        end
        more = |(v$q ^ flips);
        header_at = ~left$q;
        header_bit = header_word[header_at];
        data_bit = v$q[32'h0] ^ flip;
        if (zero & ~raw) begin
            data_bit = more;
        end
        if (step$q == EncoderStep$Sign) begin
            data_bit = negative$q;
        end
        if (in_header) begin
            data_bit = header_bit;
        end
        bit_valid = phase$q == EncoderPhase$Send;
        shift = 1'b0;
        case (phase$q)
            EncoderPhase$Wait:
                begin
                    phase$d = EncoderPhase$Load;
                    case (step$q)
                        EncoderStep$Idle:
                            begin
                                phase$d = EncoderPhase$Wait;
                                second$d = 1'b0;
                                if (start) begin
                                    started = 1'b1;
                                    stops$d = 32'h0;
                                    step$d = EncoderStep$Header0;
                                end
                                else if (have) begin
                                    step$d = EncoderStep$Fetch;
                                end
                            end
                        EncoderStep$Fetch:
                            begin
                                pre$d = kinds[(32'h0)+:(2)];
                                post$d = kinds[(32'h2)+:(2)];
                                step$d = first_step;
                            end
                        EncoderStep$End:
                            begin
                                phase$d = EncoderPhase$Wait;
                                if (has_pc & (post$q != k_none)) begin
                                    pre$d = 32'h0;
                                    second$d = 1'b1;
                                    step$d = first_step;
                                end
                                else begin
                                    done = 1'b1;
                                    step$d = EncoderStep$Idle;
                                    if (control & ~overflow) begin
                                        stops$d = ((stops$q + one_5) & 5'h1f) & stops_mask;
                                        step$d = EncoderStep$Pad;
                                    end
                                end
                            end
                        EncoderStep$Pad:
                            begin
                                if (stops$q != cores) begin
                                    step$d = EncoderStep$Idle;
                                    phase$d = EncoderPhase$Wait;
                                end
                                else if (aligned) begin
                                    finished = 1'b1;
                                    step$d = EncoderStep$Idle;
                                    phase$d = EncoderPhase$Wait;
                                end
                            end
                        default:
                            begin
                            end
                    endcase
                end
            EncoderPhase$Load:
                begin
                    v$d = loaded;
                    left$d = size;
                    negative$d = sign & address;
                    seen$d = 1'b0;
                    phase$d = EncoderPhase$Send;
                end
            EncoderPhase$Send:
                begin
                    if (bit_ready) begin
                        left$d = less;
                        if (zero) begin
                            left$d = size_next;
                            if (raw | ~more) begin
                                step$d = next_step;
                                phase$d = EncoderPhase$Wait;
                                if (step$q == EncoderStep$Address) begin
                                    left$d = 32'h0;
                                    phase$d = EncoderPhase$Send;
                                end
                            end
                        end
                        else begin
                            shift = 1'b1;
                        end
                    end
                end
        endcase
        if (shift) begin
            v$d = v$q >> 32'h1;
            if (negative$q) begin
                v$d = (v$q >> 32'h1) | sign_bit;
            end
            seen$d = seen$q | v$q[32'h0];
        end
        if (reset) begin
            step$d = EncoderStep$Idle;
            phase$d = EncoderPhase$Wait;
        end
        idle = step$q == EncoderStep$Idle;
    end
    
endmodule // top$back$encoder


module top$back$encoder$inverse(d,q,clock);
    
    // Module arguments
    input wire  [31:0] d;
    output reg  [31:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 32'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$back$encoder$inverse


module top$back$encoder$left(d,q,clock);
    
    // Module arguments
    input wire  [4:0] d;
    output reg  [4:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 5'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$back$encoder$left


module top$back$encoder$negative(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$back$encoder$negative


module top$back$encoder$phase(d,q,clock);
    
    // Module arguments
    input wire  [1:0] d;
    output reg  [1:0] q;
    input wire  clock;
    
    // Enums
    localparam EncoderPhase$Wait = 0;
    localparam EncoderPhase$Load = 1;
    localparam EncoderPhase$Send = 2;
    
    // Update code (custom)
    initial begin
       q = 64'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$back$encoder$phase


module top$back$encoder$post(d,q,clock);
    
    // Module arguments
    input wire  [1:0] d;
    output reg  [1:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 2'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$back$encoder$post


module top$back$encoder$pre(d,q,clock);
    
    // Module arguments
    input wire  [1:0] d;
    output reg  [1:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 2'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$back$encoder$pre


module top$back$encoder$pta(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [3:0] raddr;
    output reg  [31:0] rdata;
    input wire  we;
    input wire  [3:0] waddr;
    input wire  [31:0] wdata;
    
    // Update code (custom)
    (* no_rw_check, ram_style = "block" *) reg [30:0] mem [0:1];
    reg [30:0] q;
    always @(posedge clock) q <= mem[raddr[0:0]];
    always @(posedge clock) if (we) mem[waddr[0:0]] <= wdata[30:0];
    always @(*) rdata = {1'd0, q};
endmodule // top$back$encoder$pta


module top$back$encoder$second(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$back$encoder$second


module top$back$encoder$seen(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$back$encoder$seen


module top$back$encoder$step(d,q,clock);
    
    // Module arguments
    input wire  [3:0] d;
    output reg  [3:0] q;
    input wire  clock;
    
    // Enums
    localparam EncoderStep$Idle = 0;
    localparam EncoderStep$Fetch = 1;
    localparam EncoderStep$Header0 = 2;
    localparam EncoderStep$Header1 = 3;
    localparam EncoderStep$Header2 = 4;
    localparam EncoderStep$Time = 5;
    localparam EncoderStep$Core = 6;
    localparam EncoderStep$Count = 7;
    localparam EncoderStep$Kind = 8;
    localparam EncoderStep$Instructions = 9;
    localparam EncoderStep$Lost = 10;
    localparam EncoderStep$Address = 11;
    localparam EncoderStep$Sign = 12;
    localparam EncoderStep$End = 13;
    localparam EncoderStep$Pad = 14;
    
    // Update code (custom)
    initial begin
       q = 64'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$back$encoder$step


module top$back$encoder$stops(d,q,clock);
    
    // Module arguments
    input wire  [4:0] d;
    output reg  [4:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 5'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$back$encoder$stops


module top$back$encoder$v(d,q,clock);
    
    // Module arguments
    input wire  [31:0] d;
    output reg  [31:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 32'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$back$encoder$v


module top$back$fifo$0(clock,reset,push,in_pre,in_post,in_icnt,in_bcnt,in_pc,in_target,in_cc,full,empty,have,pop,field,word,cc);
    
    // Module arguments
    input wire  clock;
    input wire  reset;
    input wire  push;
    input wire  [1:0] in_pre;
    input wire  [1:0] in_post;
    input wire  [23:0] in_icnt;
    input wire  [23:0] in_bcnt;
    input wire  [31:0] in_pc;
    input wire  [31:0] in_target;
    input wire  [31:0] in_cc;
    output reg  full;
    output reg  empty;
    output reg  have;
    input wire  pop;
    input wire  [1:0] field;
    output reg  [31:0] word;
    output reg  [31:0] cc;
    
    // Constant declarations
    localparam  one = 9'b1;
    localparam  minus_one = 9'b111111111;
    localparam  mask = 8'hff;
    localparam  feedback = 8'hb8;
    localparam  count_bits = 6'b10100;
    localparam  limit = 9'b11111100;
    localparam  most = 9'b11111111;
    
    // Stub signals
    reg  entries$clock;
    reg  [7:0] entries$raddr;
    reg  [1:0] entries$field;
    wire  [31:0] entries$rdata;
    reg  entries$we;
    reg  [7:0] entries$waddr;
    reg  [31:0] entries$w0;
    reg  [31:0] entries$w1;
    reg  [31:0] entries$w2;
    reg  [31:0] entries$w3;
    reg  ccs$clock;
    reg  [7:0] ccs$raddr;
    wire  [31:0] ccs$rdata;
    reg  ccs$we;
    reg  [7:0] ccs$waddr;
    reg  [31:0] ccs$wdata;
    reg  [7:0] write$d;
    wire  [7:0] write$q;
    reg  write$clock;
    reg  [7:0] read$d;
    wire  [7:0] read$q;
    reg  read$clock;
    reg  [8:0] count$d;
    wire  [8:0] count$q;
    reg  count$clock;
    
    // Local signals
    reg  write_bit;
    reg  read_bit;
    reg  accept;
    reg  [31:0] kinds;
    reg  [8:0] delta;
    reg  [8:0] low;
    reg  none;
    
    // Sub module instances
    top$back$fifo$0$entries entries(
        .clock(entries$clock),
        .raddr(entries$raddr),
        .field(entries$field),
        .rdata(entries$rdata),
        .we(entries$we),
        .waddr(entries$waddr),
        .w0(entries$w0),
        .w1(entries$w1),
        .w2(entries$w2),
        .w3(entries$w3)
    );
    top$back$fifo$0$ccs ccs(
        .clock(ccs$clock),
        .raddr(ccs$raddr),
        .rdata(ccs$rdata),
        .we(ccs$we),
        .waddr(ccs$waddr),
        .wdata(ccs$wdata)
    );
    top$back$fifo$0$write write(
        .d(write$d),
        .q(write$q),
        .clock(write$clock)
    );
    top$back$fifo$0$read read(
        .d(read$d),
        .q(read$q),
        .clock(read$clock)
    );
    top$back$fifo$0$count count(
        .d(count$d),
        .q(count$q),
        .clock(count$clock)
    );
    
    // Update code
    always @(*) begin
        write$clock = clock;
        read$clock = clock;
        count$clock = clock;
        write$d = write$q;
        read$d = read$q;
        count$d = count$q;
        entries$clock = clock;
        ccs$clock = clock;
        accept = push & (count$q != most);
        entries$we = accept;
        ccs$we = accept;
        entries$waddr = write$q;
        ccs$waddr = write$q;
        entries$raddr = read$q;
        ccs$raddr = read$q;
        entries$field = field;
        kinds = ((in_pre) & 32'hffffffff) | (((in_post) & 32'hffffffff) << 32'h2);
        entries$w0 = ((in_bcnt) & 32'hffffffff) | (kinds << count_bits);
        entries$w1 = ((in_icnt) & 32'hffffffff);
        entries$w2 = in_pc;
        entries$w3 = in_target;
        ccs$wdata = in_cc;
        word = entries$rdata;
        cc = ccs$rdata;
        write_bit = ~^(write$q & feedback);
        read_bit = ~^(read$q & feedback);
        if (accept) begin
            write$d = (((write$q << 32'h1) & 8'hff) | ((write_bit) & 8'hff)) & mask;
        end
        if (pop) begin
            read$d = (((read$q << 32'h1) & 8'hff) | ((read_bit) & 8'hff)) & mask;
        end
        delta = one;
        if (pop) begin
            delta = minus_one;
        end
        if (accept ^ pop) begin
            count$d = (((count$q + delta) & 9'h1ff)) & most;
        end
        if (reset) begin
            write$d = 32'h0;
            read$d = 32'h0;
            count$d = 32'h0;
        end
        none = ~|count$q;
        empty = none;
        have = |count$q;
        low = count$q & limit;
        full = low == limit;
    end
    
endmodule // top$back$fifo$0


module top$back$fifo$0$ccs(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [7:0] raddr;
    output reg  [31:0] rdata;
    input wire  we;
    input wire  [7:0] waddr;
    input wire  [31:0] wdata;
    
    // Update code (custom)
    always @(*) rdata = 32'd0;
endmodule // top$back$fifo$0$ccs


module top$back$fifo$0$count(d,q,clock);
    
    // Module arguments
    input wire  [8:0] d;
    output reg  [8:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 9'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$back$fifo$0$count


module top$back$fifo$0$entries(clock,raddr,field,rdata,we,waddr,w0,w1,w2,w3);
    
    // Module arguments
    input wire  clock;
    input wire  [7:0] raddr;
    input wire  [1:0] field;
    output reg  [31:0] rdata;
    input wire  we;
    input wire  [7:0] waddr;
    input wire  [31:0] w0;
    input wire  [31:0] w1;
    input wire  [31:0] w2;
    input wire  [31:0] w3;
    
    // Update code (custom)
    (* no_rw_check *) reg [30:0] mem [0:1023];
    reg [30:0] q;
    always @(posedge clock) q <= mem[{raddr[7:0], field}];
    always @(posedge clock) if (we) begin
        mem[{waddr[7:0], 2'd0}] <= w0[30:0];
        mem[{waddr[7:0], 2'd1}] <= w1[30:0];
        mem[{waddr[7:0], 2'd2}] <= w2[30:0];
        mem[{waddr[7:0], 2'd3}] <= w3[30:0];
    end
    always @(*) rdata = {1'd0, q};
endmodule // top$back$fifo$0$entries


module top$back$fifo$0$read(d,q,clock);
    
    // Module arguments
    input wire  [7:0] d;
    output reg  [7:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 8'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$back$fifo$0$read


module top$back$fifo$0$write(d,q,clock);
    
    // Module arguments
    input wire  [7:0] d;
    output reg  [7:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 8'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$back$fifo$0$write


module top$back$header(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$back$header


module top$back$merger(clock,reset,pushes,have,core,show,done,pops,empty);
    
    // Module arguments
    input wire  clock;
    input wire  reset;
    input wire  [15:0] pushes;
    input wire  [15:0] have;
    output reg  [3:0] core;
    output reg  show;
    input wire  done;
    output reg  [15:0] pops;
    output reg  empty;
    
    // Constant declarations
    localparam  single = 1'b1;
    localparam  mask = 12'hff;
    localparam  one = 12'h1;
    localparam  one_16 = 16'h1;
    localparam  odd_1 = 16'haaaa;
    localparam  odd_2 = 16'hcccc;
    localparam  odd_4 = 16'hf0f0;
    localparam  odd_8 = 16'hff00;
    
    // Stub signals
    reg  notes$clock;
    reg  [11:0] notes$raddr;
    wire  [15:0] notes$rdata;
    reg  notes$we;
    reg  [11:0] notes$waddr;
    reg  [15:0] notes$wdata;
    reg  [11:0] write$d;
    wire  [11:0] write$q;
    reg  write$clock;
    reg  [11:0] read$d;
    wire  [11:0] read$q;
    reg  read$clock;
    reg  seen$d;
    wire  seen$q;
    reg  seen$clock;
    reg  [15:0] current$d;
    wire  [15:0] current$q;
    reg  current$clock;
    
    // Local signals
    reg  any;
    reg  waiting;
    reg  load;
    reg  [15:0] less;
    reg  [15:0] rest;
    reg  [15:0] not_rest;
    reg  [15:0] lowest;
    reg  [3:0] index;
    
    // Sub module instances
    top$back$merger$notes notes(
        .clock(notes$clock),
        .raddr(notes$raddr),
        .rdata(notes$rdata),
        .we(notes$we),
        .waddr(notes$waddr),
        .wdata(notes$wdata)
    );
    top$back$merger$write write(
        .d(write$d),
        .q(write$q),
        .clock(write$clock)
    );
    top$back$merger$read read(
        .d(read$d),
        .q(read$q),
        .clock(read$clock)
    );
    top$back$merger$seen seen(
        .d(seen$d),
        .q(seen$q),
        .clock(seen$clock)
    );
    top$back$merger$current current(
        .d(current$d),
        .q(current$q),
        .clock(current$clock)
    );
    
    // Update code
    always @(*) begin
        write$clock = clock;
        read$clock = clock;
        seen$clock = clock;
        current$clock = clock;
        write$d = write$q;
        read$d = read$q;
        seen$d = seen$q;
        current$d = current$q;
        notes$clock = clock;
        notes$we = |pushes;
        notes$waddr = write$q;
        notes$wdata = pushes;
        notes$raddr = read$q;
        if (|pushes) begin
            write$d = ((write$q + one) & 12'hfff) & mask;
        end
        any = |current$q;
        less = current$q - one_16;
        rest = current$q & less;
        not_rest = ~rest;
        lowest = current$q & not_rest;
        index = ((|(lowest & odd_1)) & 4'hf) | (((|(lowest & odd_2)) & 4'hf) << 32'h1) | (((|(lowest & odd_4)) & 4'hf) << 32'h2) | (((|(lowest & odd_8)) & 4'hf) << 32'h3);
        waiting = write$q != read$q;
        load = seen$q & ~any;
        seen$d = waiting & ~load;
        if (load) begin
            current$d = notes$rdata;
            read$d = ((read$q + one) & 12'hfff) & mask;
        end
        if (done) begin
            current$d = rest;
        end
        if (reset | single) begin
            write$d = 32'h0;
            read$d = 32'h0;
            seen$d = 1'b0;
            current$d = 32'h0;
        end
        core = index;
        show = |(lowest & have);
        empty = ~any & ~waiting;
        pops = 32'h0;
        if (done) begin
            pops = lowest;
        end
        if (single) begin
            core = 32'h0;
            show = |have;
            empty = 1'b1;
            pops = 32'h0;
            if (done) begin
                pops = one_16;
            end
        end
    end
    
endmodule // top$back$merger


module top$back$merger$current(d,q,clock);
    
    // Module arguments
    input wire  [15:0] d;
    output reg  [15:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 16'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$back$merger$current


module top$back$merger$notes(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [11:0] raddr;
    output reg  [15:0] rdata;
    input wire  we;
    input wire  [11:0] waddr;
    input wire  [15:0] wdata;
    
    // Update code (custom)
    always @(*) rdata = 16'd0;
endmodule // top$back$merger$notes


module top$back$merger$read(d,q,clock);
    
    // Module arguments
    input wire  [11:0] d;
    output reg  [11:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 12'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$back$merger$read


module top$back$merger$seen(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$back$merger$seen


module top$back$merger$write(d,q,clock);
    
    // Module arguments
    input wire  [11:0] d;
    output reg  [11:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 12'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$back$merger$write


module top$back$packer(clock,reset,bit_valid,data_bit,bit_ready,aligned,valid,ready,data);
    
    // Module arguments
    input wire  clock;
    input wire  reset;
    input wire  bit_valid;
    input wire  data_bit;
    output reg  bit_ready;
    output reg  aligned;
    output reg  valid;
    input wire  ready;
    output reg  [31:0] data;
    
    // Constant declarations
    localparam  one = 5'b1;
    
    // Stub signals
    reg  [31:0] shift$d;
    wire  [31:0] shift$q;
    reg  shift$clock;
    reg  [4:0] count$d;
    wire  [4:0] count$q;
    reg  count$clock;
    reg  [31:0] word$d;
    wire  [31:0] word$q;
    reg  word$clock;
    reg  full$d;
    wire  full$q;
    reg  full$clock;
    
    // Local signals
    reg  last;
    reg  room;
    reg  take;
    reg  [31:0] shifted;
    
    // Sub module instances
    top$back$packer$shift shift(
        .d(shift$d),
        .q(shift$q),
        .clock(shift$clock)
    );
    top$back$packer$count count(
        .d(count$d),
        .q(count$q),
        .clock(count$clock)
    );
    top$back$packer$word word(
        .d(word$d),
        .q(word$q),
        .clock(word$clock)
    );
    top$back$packer$full full(
        .d(full$d),
        .q(full$q),
        .clock(full$clock)
    );
    
    // Update code
    always @(*) begin
        shift$clock = clock;
        count$clock = clock;
        word$clock = clock;
        full$clock = clock;
        shift$d = shift$q;
        count$d = count$q;
        word$d = word$q;
        full$d = full$q;
        last = &count$q;
        room = ~last | ~full$q;
        take = bit_valid & room;
        shifted = (shift$q >> 32'h1) | (((data_bit) & 32'hffffffff) << 32'h1f);
        if (full$q & ready) begin
            full$d = 1'b0;
        end
        if (take) begin
            shift$d = shifted;
            count$d = count$q + one;
            if (last) begin
                word$d = shifted;
                full$d = 1'b1;
            end
        end
        if (reset) begin
            count$d = 32'h0;
            full$d = 1'b0;
        end
        bit_ready = ~&count$q | ~full$q;
        aligned = ~|count$q;
        valid = full$q;
        data = word$q;
    end
    
endmodule // top$back$packer


module top$back$packer$count(d,q,clock);
    
    // Module arguments
    input wire  [4:0] d;
    output reg  [4:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 5'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$back$packer$count


module top$back$packer$full(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$back$packer$full


module top$back$packer$shift(d,q,clock);
    
    // Module arguments
    input wire  [31:0] d;
    output reg  [31:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 32'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$back$packer$shift


module top$back$packer$word(d,q,clock);
    
    // Module arguments
    input wire  [31:0] d;
    output reg  [31:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 32'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$back$packer$word


module top$back$registers(clock,reset,bus_addr,bus_write,bus_wdata,bus_rdata,ready,active,idle,overflow,enable);
    
    // Module arguments
    input wire  clock;
    input wire  reset;
    input wire  [2:0] bus_addr;
    input wire  bus_write;
    input wire  [31:0] bus_wdata;
    output reg  [31:0] bus_rdata;
    input wire  ready;
    input wire  active;
    input wire  idle;
    input wire  [15:0] overflow;
    output reg  enable;
    
    // Constant declarations
    localparam  id_addr = 3'b0;
    localparam  params_addr = 3'b1;
    localparam  control_addr = 3'b10;
    localparam  status_addr = 3'b11;
    localparam  overflow_addr = 3'b100;
    localparam  id = 32'h67540101;
    localparam  fingerprint = 32'h865faf1c;
    localparam  cores = 16'h1;
    localparam  zero = 32'h0;
    localparam  one = 32'h1;
    localparam  ready_bit = 32'h1;
    localparam  active_bit = 32'h2;
    localparam  idle_bit = 32'h4;
    
    // Stub signals
    reg  enabled$d;
    wire  enabled$q;
    reg  enabled$clock;
    reg  [15:0] noted$d;
    wire  [15:0] noted$q;
    reg  noted$clock;
    reg  [31:0] answer$d;
    wire  [31:0] answer$q;
    reg  answer$clock;
    
    // Local signals
    reg  [15:0] clear;
    reg  [15:0] keep;
    reg  [31:0] status;
    
    // Sub module instances
    top$back$registers$enabled enabled(
        .d(enabled$d),
        .q(enabled$q),
        .clock(enabled$clock)
    );
    top$back$registers$noted noted(
        .d(noted$d),
        .q(noted$q),
        .clock(noted$clock)
    );
    top$back$registers$answer answer(
        .d(answer$d),
        .q(answer$q),
        .clock(answer$clock)
    );
    
    // Update code
    always @(*) begin
        enabled$clock = clock;
        noted$clock = clock;
        answer$clock = clock;
        enabled$d = enabled$q;
        noted$d = noted$q;
        answer$d = answer$q;
        clear = 32'h0;
        if (bus_write) begin
            if (bus_addr == control_addr) begin
                enabled$d = bus_wdata[32'h0];
            end
            if (bus_addr == overflow_addr) begin
                clear = bus_wdata[(32'h0)+:(16)];
            end
        end
        keep = ~clear;
        noted$d = ((noted$q & keep) | overflow) & cores;
        status = 32'h0;
        if (ready) begin
            status = status | ready_bit;
        end
        if (active) begin
            status = status | active_bit;
        end
        if (idle) begin
            status = status | idle_bit;
        end
        answer$d = zero;
        if (bus_addr == id_addr) begin
            answer$d = id;
        end
        if (bus_addr == params_addr) begin
            answer$d = fingerprint;
        end
        if ((bus_addr == control_addr) & enabled$q) begin
            answer$d = one;
        end
        if (bus_addr == status_addr) begin
            answer$d = status;
        end
        if (bus_addr == overflow_addr) begin
            answer$d = ((noted$q) & 32'hffffffff);
        end
        if (reset) begin
            enabled$d = 1'b0;
            noted$d = 32'h0;
        end
        bus_rdata = answer$q;
        enable = enabled$q;
    end
    
endmodule // top$back$registers


module top$back$registers$answer(d,q,clock);
    
    // Module arguments
    input wire  [31:0] d;
    output reg  [31:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 32'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$back$registers$answer


module top$back$registers$enabled(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$back$registers$enabled


module top$back$registers$noted(d,q,clock);
    
    // Module arguments
    input wire  [15:0] d;
    output reg  [15:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 16'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$back$registers$noted


module top$back$running(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$back$running


module top$back$session(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$back$session


module top$core$0(clock,reset,rvfi_valid,rvfi_insn,rvfi_trap,rvfi_intr,rvfi_pc_rdata,rvfi_pc_wdata,enable,ready,full,drained,stop_ready,stop_go,lost,entry_push,entry_pre,entry_post,entry_icnt,entry_bcnt,entry_pc,entry_target,entry_cc);
    
    // Module arguments
    input wire  clock;
    input wire  reset;
    input wire  rvfi_valid;
    input wire  [31:0] rvfi_insn;
    input wire  rvfi_trap;
    input wire  rvfi_intr;
    input wire  [31:0] rvfi_pc_rdata;
    input wire  [31:0] rvfi_pc_wdata;
    input wire  enable;
    output reg  ready;
    input wire  full;
    input wire  drained;
    output reg  stop_ready;
    input wire  stop_go;
    output reg  lost;
    output reg  entry_push;
    output reg  [1:0] entry_pre;
    output reg  [1:0] entry_post;
    output reg  [23:0] entry_icnt;
    output reg  [23:0] entry_bcnt;
    output reg  [31:0] entry_pc;
    output reg  [31:0] entry_target;
    output reg  [31:0] entry_cc;
    
    // Stub signals
    reg  ingress$clock;
    reg  ingress$live;
    reg  ingress$rvfi_valid;
    reg  [31:0] ingress$rvfi_insn;
    reg  ingress$rvfi_trap;
    reg  ingress$rvfi_intr;
    reg  [31:0] ingress$rvfi_pc_rdata;
    reg  [31:0] ingress$rvfi_pc_wdata;
    wire  ingress$beat_live;
    wire  ingress$valid;
    wire  ingress$intr;
    wire  ingress$branch;
    wire  ingress$taken;
    wire  ingress$look;
    wire  ingress$push;
    wire  ingress$pop;
    wire  ingress$jump;
    wire  [31:0] ingress$pc;
    wire  [31:0] ingress$link;
    wire  [31:0] ingress$target;
    reg  front$clock;
    reg  front$reset;
    reg  front$enable;
    wire  front$ready;
    wire  front$live;
    reg  front$beat_live;
    reg  front$valid;
    reg  front$intr;
    reg  front$branch;
    reg  front$taken;
    reg  front$look;
    reg  front$push;
    reg  front$pop;
    reg  front$jump;
    reg  [31:0] front$pc;
    reg  [31:0] front$link;
    reg  [31:0] front$target;
    reg  front$full;
    reg  front$drained;
    wire  front$stop_ready;
    reg  front$stop_go;
    wire  front$lost;
    wire  front$entry_push;
    wire  [1:0] front$entry_pre;
    wire  [1:0] front$entry_post;
    wire  [23:0] front$entry_icnt;
    wire  [23:0] front$entry_bcnt;
    wire  [31:0] front$entry_pc;
    wire  [31:0] front$entry_target;
    wire  [31:0] front$entry_cc;
    
    // Sub module instances
    top$core$0$ingress ingress(
        .clock(ingress$clock),
        .live(ingress$live),
        .rvfi_valid(ingress$rvfi_valid),
        .rvfi_insn(ingress$rvfi_insn),
        .rvfi_trap(ingress$rvfi_trap),
        .rvfi_intr(ingress$rvfi_intr),
        .rvfi_pc_rdata(ingress$rvfi_pc_rdata),
        .rvfi_pc_wdata(ingress$rvfi_pc_wdata),
        .beat_live(ingress$beat_live),
        .valid(ingress$valid),
        .intr(ingress$intr),
        .branch(ingress$branch),
        .taken(ingress$taken),
        .look(ingress$look),
        .push(ingress$push),
        .pop(ingress$pop),
        .jump(ingress$jump),
        .pc(ingress$pc),
        .link(ingress$link),
        .target(ingress$target)
    );
    top$core$0$front front(
        .clock(front$clock),
        .reset(front$reset),
        .enable(front$enable),
        .ready(front$ready),
        .live(front$live),
        .beat_live(front$beat_live),
        .valid(front$valid),
        .intr(front$intr),
        .branch(front$branch),
        .taken(front$taken),
        .look(front$look),
        .push(front$push),
        .pop(front$pop),
        .jump(front$jump),
        .pc(front$pc),
        .link(front$link),
        .target(front$target),
        .full(front$full),
        .drained(front$drained),
        .stop_ready(front$stop_ready),
        .stop_go(front$stop_go),
        .lost(front$lost),
        .entry_push(front$entry_push),
        .entry_pre(front$entry_pre),
        .entry_post(front$entry_post),
        .entry_icnt(front$entry_icnt),
        .entry_bcnt(front$entry_bcnt),
        .entry_pc(front$entry_pc),
        .entry_target(front$entry_target),
        .entry_cc(front$entry_cc)
    );
    
    // Update code
    always @(*) begin
        ingress$clock = clock;
        front$clock = clock;
        ingress$rvfi_valid = rvfi_valid;
        ingress$rvfi_insn = rvfi_insn;
        ingress$rvfi_trap = rvfi_trap;
        ingress$rvfi_intr = rvfi_intr;
        ingress$rvfi_pc_rdata = rvfi_pc_rdata;
        ingress$rvfi_pc_wdata = rvfi_pc_wdata;
        ingress$live = front$live;
        front$beat_live = ingress$beat_live;
        front$valid = ingress$valid;
        front$intr = ingress$intr;
        front$branch = ingress$branch;
        front$taken = ingress$taken;
        front$look = ingress$look;
        front$push = ingress$push;
        front$pop = ingress$pop;
        front$jump = ingress$jump;
        front$pc = ingress$pc;
        front$link = ingress$link;
        front$target = ingress$target;
        front$reset = reset;
        front$enable = enable;
        ready = front$ready;
        front$full = full;
        front$drained = drained;
        stop_ready = front$stop_ready;
        front$stop_go = stop_go;
        lost = front$lost;
        entry_push = front$entry_push;
        entry_pre = front$entry_pre;
        entry_post = front$entry_post;
        entry_icnt = front$entry_icnt;
        entry_bcnt = front$entry_bcnt;
        entry_pc = front$entry_pc;
        entry_target = front$entry_target;
        entry_cc = front$entry_cc;
    end
    
endmodule // top$core$0


module top$core$0$front(clock,reset,enable,ready,live,beat_live,valid,intr,branch,taken,look,push,pop,jump,pc,link,target,full,drained,stop_ready,stop_go,lost,entry_push,entry_pre,entry_post,entry_icnt,entry_bcnt,entry_pc,entry_target,entry_cc);
    
    // Module arguments
    input wire  clock;
    input wire  reset;
    input wire  enable;
    output reg  ready;
    output reg  live;
    input wire  beat_live;
    input wire  valid;
    input wire  intr;
    input wire  branch;
    input wire  taken;
    input wire  look;
    input wire  push;
    input wire  pop;
    input wire  jump;
    input wire  [31:0] pc;
    input wire  [31:0] link;
    input wire  [31:0] target;
    input wire  full;
    input wire  drained;
    output reg  stop_ready;
    input wire  stop_go;
    output reg  lost;
    output reg  entry_push;
    output reg  [1:0] entry_pre;
    output reg  [1:0] entry_post;
    output reg  [23:0] entry_icnt;
    output reg  [23:0] entry_bcnt;
    output reg  [31:0] entry_pc;
    output reg  [31:0] entry_target;
    output reg  [31:0] entry_cc;
    
    // Constant declarations
    localparam  shift_up = 3'b0;
    localparam  shift_down = 3'b0;
    localparam  upper_mask = 32'h0;
    localparam  nexus = 1'b0;
    
    // Stub signals
    reg  gshare$clock;
    reg  gshare$branch;
    reg  [11:0] gshare$hash;
    reg  gshare$taken;
    reg  gshare$clear;
    wire  gshare$ready;
    wire  gshare$sweep;
    wire  [11:0] gshare$index;
    wire  gshare$miss;
    reg  ras$clock;
    reg  ras$live;
    reg  ras$push;
    reg  ras$pop;
    reg  [31:0] ras$link;
    reg  [31:0] ras$target;
    wire  ras$hit;
    reg  ibtb$clock;
    reg  ibtb$live;
    reg  ibtb$look;
    reg  ibtb$branch;
    reg  ibtb$taken;
    reg  [13:0] ibtb$hash;
    reg  [31:0] ibtb$target;
    reg  ibtb$sweep;
    reg  [4:0] ibtb$index;
    wire  ibtb$hit;
    reg  messages$clock;
    reg  messages$reset;
    reg  messages$live;
    reg  messages$live_next;
    reg  messages$valid;
    reg  messages$intr;
    reg  messages$reported;
    reg  messages$flow;
    reg  messages$outcome;
    reg  messages$miss;
    reg  [31:0] messages$pc;
    reg  [31:0] messages$target;
    reg  messages$full;
    reg  messages$stop_go;
    wire  messages$stop_ready;
    wire  messages$stopped;
    wire  messages$lost;
    wire  messages$clear;
    wire  messages$entry_push;
    wire  [1:0] messages$entry_pre;
    wire  [1:0] messages$entry_post;
    wire  [23:0] messages$entry_icnt;
    wire  [23:0] messages$entry_bcnt;
    wire  [31:0] messages$entry_pc;
    wire  [31:0] messages$entry_target;
    wire  [31:0] messages$entry_cc;
    reg  run$d;
    wire  run$q;
    reg  run$clock;
    reg  stopping$d;
    wire  stopping$q;
    reg  stopping$clock;
    reg  resume$d;
    wire  resume$q;
    reg  resume$clock;
    reg  live_3$d;
    wire  live_3$q;
    reg  live_3$clock;
    reg  valid_3$d;
    wire  valid_3$q;
    reg  valid_3$clock;
    reg  intr_3$d;
    wire  intr_3$q;
    reg  intr_3$clock;
    reg  branch_3$d;
    wire  branch_3$q;
    reg  branch_3$clock;
    reg  look_3$d;
    wire  look_3$q;
    reg  look_3$clock;
    reg  pop_3$d;
    wire  pop_3$q;
    reg  pop_3$clock;
    reg  flow_3$d;
    wire  flow_3$q;
    reg  flow_3$clock;
    reg  taken_3$d;
    wire  taken_3$q;
    reg  taken_3$clock;
    reg  [31:0] pc_3$d;
    wire  [31:0] pc_3$q;
    reg  pc_3$clock;
    reg  [31:0] target_3$d;
    wire  [31:0] target_3$q;
    reg  target_3$clock;
    reg  [31:0] upper$d;
    wire  [31:0] upper$q;
    reg  upper$clock;
    reg  live_4$d;
    wire  live_4$q;
    reg  live_4$clock;
    reg  valid_4$d;
    wire  valid_4$q;
    reg  valid_4$clock;
    reg  intr_4$d;
    wire  intr_4$q;
    reg  intr_4$clock;
    reg  reported_4$d;
    wire  reported_4$q;
    reg  reported_4$clock;
    reg  flow_4$d;
    wire  flow_4$q;
    reg  flow_4$clock;
    reg  outcome_4$d;
    wire  outcome_4$q;
    reg  outcome_4$clock;
    reg  return_miss_4$d;
    wire  return_miss_4$q;
    reg  return_miss_4$clock;
    reg  look_4$d;
    wire  look_4$q;
    reg  look_4$clock;
    reg  same_upper_4$d;
    wire  same_upper_4$q;
    reg  same_upper_4$clock;
    reg  [31:0] pc_4$d;
    wire  [31:0] pc_4$q;
    reg  pc_4$clock;
    reg  [31:0] target_4$d;
    wire  [31:0] target_4$q;
    reg  target_4$clock;
    reg  live_5$d;
    wire  live_5$q;
    reg  live_5$clock;
    reg  valid_5$d;
    wire  valid_5$q;
    reg  valid_5$clock;
    reg  intr_5$d;
    wire  intr_5$q;
    reg  intr_5$clock;
    reg  reported_5$d;
    wire  reported_5$q;
    reg  reported_5$clock;
    reg  flow_5$d;
    wire  flow_5$q;
    reg  flow_5$clock;
    reg  outcome_5$d;
    wire  outcome_5$q;
    reg  outcome_5$clock;
    reg  miss_5$d;
    wire  miss_5$q;
    reg  miss_5$clock;
    reg  [31:0] pc_5$d;
    wire  [31:0] pc_5$q;
    reg  pc_5$clock;
    reg  [31:0] target_5$d;
    wire  [31:0] target_5$q;
    reg  target_5$clock;
    
    // Local signals
    reg  start;
    reg  active;
    reg  [17:0] pc_low;
    reg  [17:0] pc_up;
    reg  [17:0] pc_hash;
    reg  [13:0] hash;
    reg  [31:0] target_upper;
    reg  same_upper;
    
    // Sub module instances
    top$core$0$front$gshare gshare(
        .clock(gshare$clock),
        .branch(gshare$branch),
        .hash(gshare$hash),
        .taken(gshare$taken),
        .clear(gshare$clear),
        .ready(gshare$ready),
        .sweep(gshare$sweep),
        .index(gshare$index),
        .miss(gshare$miss)
    );
    top$core$0$front$ras ras(
        .clock(ras$clock),
        .live(ras$live),
        .push(ras$push),
        .pop(ras$pop),
        .link(ras$link),
        .target(ras$target),
        .hit(ras$hit)
    );
    top$core$0$front$ibtb ibtb(
        .clock(ibtb$clock),
        .live(ibtb$live),
        .look(ibtb$look),
        .branch(ibtb$branch),
        .taken(ibtb$taken),
        .hash(ibtb$hash),
        .target(ibtb$target),
        .sweep(ibtb$sweep),
        .index(ibtb$index),
        .hit(ibtb$hit)
    );
    top$core$0$front$messages messages(
        .clock(messages$clock),
        .reset(messages$reset),
        .live(messages$live),
        .live_next(messages$live_next),
        .valid(messages$valid),
        .intr(messages$intr),
        .reported(messages$reported),
        .flow(messages$flow),
        .outcome(messages$outcome),
        .miss(messages$miss),
        .pc(messages$pc),
        .target(messages$target),
        .full(messages$full),
        .stop_go(messages$stop_go),
        .stop_ready(messages$stop_ready),
        .stopped(messages$stopped),
        .lost(messages$lost),
        .clear(messages$clear),
        .entry_push(messages$entry_push),
        .entry_pre(messages$entry_pre),
        .entry_post(messages$entry_post),
        .entry_icnt(messages$entry_icnt),
        .entry_bcnt(messages$entry_bcnt),
        .entry_pc(messages$entry_pc),
        .entry_target(messages$entry_target),
        .entry_cc(messages$entry_cc)
    );
    top$core$0$front$run run(
        .d(run$d),
        .q(run$q),
        .clock(run$clock)
    );
    top$core$0$front$stopping stopping(
        .d(stopping$d),
        .q(stopping$q),
        .clock(stopping$clock)
    );
    top$core$0$front$resume resume(
        .d(resume$d),
        .q(resume$q),
        .clock(resume$clock)
    );
    top$core$0$front$live_3 live_3(
        .d(live_3$d),
        .q(live_3$q),
        .clock(live_3$clock)
    );
    top$core$0$front$valid_3 valid_3(
        .d(valid_3$d),
        .q(valid_3$q),
        .clock(valid_3$clock)
    );
    top$core$0$front$intr_3 intr_3(
        .d(intr_3$d),
        .q(intr_3$q),
        .clock(intr_3$clock)
    );
    top$core$0$front$branch_3 branch_3(
        .d(branch_3$d),
        .q(branch_3$q),
        .clock(branch_3$clock)
    );
    top$core$0$front$look_3 look_3(
        .d(look_3$d),
        .q(look_3$q),
        .clock(look_3$clock)
    );
    top$core$0$front$pop_3 pop_3(
        .d(pop_3$d),
        .q(pop_3$q),
        .clock(pop_3$clock)
    );
    top$core$0$front$flow_3 flow_3(
        .d(flow_3$d),
        .q(flow_3$q),
        .clock(flow_3$clock)
    );
    top$core$0$front$taken_3 taken_3(
        .d(taken_3$d),
        .q(taken_3$q),
        .clock(taken_3$clock)
    );
    top$core$0$front$pc_3 pc_3(
        .d(pc_3$d),
        .q(pc_3$q),
        .clock(pc_3$clock)
    );
    top$core$0$front$target_3 target_3(
        .d(target_3$d),
        .q(target_3$q),
        .clock(target_3$clock)
    );
    top$core$0$front$upper upper(
        .d(upper$d),
        .q(upper$q),
        .clock(upper$clock)
    );
    top$core$0$front$live_4 live_4(
        .d(live_4$d),
        .q(live_4$q),
        .clock(live_4$clock)
    );
    top$core$0$front$valid_4 valid_4(
        .d(valid_4$d),
        .q(valid_4$q),
        .clock(valid_4$clock)
    );
    top$core$0$front$intr_4 intr_4(
        .d(intr_4$d),
        .q(intr_4$q),
        .clock(intr_4$clock)
    );
    top$core$0$front$reported_4 reported_4(
        .d(reported_4$d),
        .q(reported_4$q),
        .clock(reported_4$clock)
    );
    top$core$0$front$flow_4 flow_4(
        .d(flow_4$d),
        .q(flow_4$q),
        .clock(flow_4$clock)
    );
    top$core$0$front$outcome_4 outcome_4(
        .d(outcome_4$d),
        .q(outcome_4$q),
        .clock(outcome_4$clock)
    );
    top$core$0$front$return_miss_4 return_miss_4(
        .d(return_miss_4$d),
        .q(return_miss_4$q),
        .clock(return_miss_4$clock)
    );
    top$core$0$front$look_4 look_4(
        .d(look_4$d),
        .q(look_4$q),
        .clock(look_4$clock)
    );
    top$core$0$front$same_upper_4 same_upper_4(
        .d(same_upper_4$d),
        .q(same_upper_4$q),
        .clock(same_upper_4$clock)
    );
    top$core$0$front$pc_4 pc_4(
        .d(pc_4$d),
        .q(pc_4$q),
        .clock(pc_4$clock)
    );
    top$core$0$front$target_4 target_4(
        .d(target_4$d),
        .q(target_4$q),
        .clock(target_4$clock)
    );
    top$core$0$front$live_5 live_5(
        .d(live_5$d),
        .q(live_5$q),
        .clock(live_5$clock)
    );
    top$core$0$front$valid_5 valid_5(
        .d(valid_5$d),
        .q(valid_5$q),
        .clock(valid_5$clock)
    );
    top$core$0$front$intr_5 intr_5(
        .d(intr_5$d),
        .q(intr_5$q),
        .clock(intr_5$clock)
    );
    top$core$0$front$reported_5 reported_5(
        .d(reported_5$d),
        .q(reported_5$q),
        .clock(reported_5$clock)
    );
    top$core$0$front$flow_5 flow_5(
        .d(flow_5$d),
        .q(flow_5$q),
        .clock(flow_5$clock)
    );
    top$core$0$front$outcome_5 outcome_5(
        .d(outcome_5$d),
        .q(outcome_5$q),
        .clock(outcome_5$clock)
    );
    top$core$0$front$miss_5 miss_5(
        .d(miss_5$d),
        .q(miss_5$q),
        .clock(miss_5$clock)
    );
    top$core$0$front$pc_5 pc_5(
        .d(pc_5$d),
        .q(pc_5$q),
        .clock(pc_5$clock)
    );
    top$core$0$front$target_5 target_5(
        .d(target_5$d),
        .q(target_5$q),
        .clock(target_5$clock)
    );
    
    // Update code
    always @(*) begin
        run$clock = clock;
        stopping$clock = clock;
        resume$clock = clock;
        run$d = run$q;
        stopping$d = stopping$q;
        resume$d = resume$q;
        live_3$clock = clock;
        valid_3$clock = clock;
        intr_3$clock = clock;
        branch_3$clock = clock;
        look_3$clock = clock;
        pop_3$clock = clock;
        flow_3$clock = clock;
        taken_3$clock = clock;
        pc_3$clock = clock;
        target_3$clock = clock;
        live_3$d = live_3$q;
        valid_3$d = valid_3$q;
        intr_3$d = intr_3$q;
        branch_3$d = branch_3$q;
        look_3$d = look_3$q;
        pop_3$d = pop_3$q;
        flow_3$d = flow_3$q;
        taken_3$d = taken_3$q;
        pc_3$d = pc_3$q;
        target_3$d = target_3$q;
        upper$clock = clock;
        live_4$clock = clock;
        valid_4$clock = clock;
        intr_4$clock = clock;
        reported_4$clock = clock;
        flow_4$clock = clock;
        outcome_4$clock = clock;
        return_miss_4$clock = clock;
        upper$d = upper$q;
        live_4$d = live_4$q;
        valid_4$d = valid_4$q;
        intr_4$d = intr_4$q;
        reported_4$d = reported_4$q;
        flow_4$d = flow_4$q;
        outcome_4$d = outcome_4$q;
        return_miss_4$d = return_miss_4$q;
        look_4$clock = clock;
        same_upper_4$clock = clock;
        pc_4$clock = clock;
        target_4$clock = clock;
        look_4$d = look_4$q;
        same_upper_4$d = same_upper_4$q;
        pc_4$d = pc_4$q;
        target_4$d = target_4$q;
        live_5$clock = clock;
        valid_5$clock = clock;
        intr_5$clock = clock;
        reported_5$clock = clock;
        flow_5$clock = clock;
        outcome_5$clock = clock;
        miss_5$clock = clock;
        pc_5$clock = clock;
        target_5$clock = clock;
        live_5$d = live_5$q;
        valid_5$d = valid_5$q;
        intr_5$d = intr_5$q;
        reported_5$d = reported_5$q;
        flow_5$d = flow_5$q;
        outcome_5$d = outcome_5$q;
        miss_5$d = miss_5$q;
        pc_5$d = pc_5$q;
        target_5$d = target_5$q;
        gshare$clock = clock;
        ras$clock = clock;
        ibtb$clock = clock;
        messages$clock = clock;
        start = enable & gshare$ready & ~run$q;
        active = start | (run$q & enable & ~stopping$q);
        resume$d = messages$lost & (resume$q | (drained & gshare$ready));
        live = active & ~reset;
        if (messages$lost) begin
            live = resume$q;
        end
        if (start) begin
            run$d = 1'b1;
        end
        if (run$q & ~enable) begin
            stopping$d = 1'b1;
        end
        if (messages$stopped | reset) begin
            run$d = 1'b0;
            stopping$d = 1'b0;
        end
        ready = gshare$ready;
        pc_low = pc[(32'h0)+:(18)];
        pc_up = pc_low << shift_up;
        pc_hash = pc_up >> shift_down;
        hash = pc_hash[(32'h0)+:(14)];
        gshare$branch = branch;
        gshare$taken = taken;
        gshare$hash = hash[(32'h0)+:(12)];
        gshare$clear = messages$clear | reset;
        ras$live = beat_live;
        ras$push = push;
        ras$pop = pop;
        ras$link = link;
        ibtb$live = beat_live;
        ibtb$look = look;
        ibtb$branch = branch;
        ibtb$taken = taken;
        ibtb$hash = hash;
        live_3$d = beat_live & ~reset;
        valid_3$d = valid;
        intr_3$d = intr;
        branch_3$d = branch;
        look_3$d = look;
        pop_3$d = pop;
        flow_3$d = jump | branch | look | pop;
        taken_3$d = taken;
        pc_3$d = pc;
        target_3$d = target;
        ras$target = target_3$q;
        ibtb$target = target_3$q;
        ibtb$sweep = gshare$sweep;
        ibtb$index = gshare$index[(32'h0)+:(5)];
        target_upper = target_3$q & upper_mask;
        same_upper = target_upper == upper$q;
        if (look_3$q | pop_3$q) begin
            upper$d = target_upper;
        end
        if (~live_3$q) begin
            upper$d = 32'h0;
        end
        live_4$d = live_3$q & ~reset;
        valid_4$d = valid_3$q;
        intr_4$d = intr_3$q;
        reported_4$d = branch_3$q | look_3$q | pop_3$q;
        flow_4$d = flow_3$q;
        outcome_4$d = gshare$miss;
        return_miss_4$d = pop_3$q & ~(ras$hit & same_upper);
        if (nexus) begin
            outcome_4$d = branch_3$q & taken_3$q;
            return_miss_4$d = pop_3$q;
        end
        look_4$d = look_3$q;
        same_upper_4$d = same_upper & ~nexus;
        pc_4$d = pc_3$q;
        target_4$d = target_3$q;
        live_5$d = live_4$q & ~reset;
        valid_5$d = valid_4$q;
        intr_5$d = intr_4$q;
        reported_5$d = reported_4$q;
        flow_5$d = flow_4$q;
        outcome_5$d = outcome_4$q;
        miss_5$d = return_miss_4$q | (look_4$q & ~(ibtb$hit & same_upper_4$q));
        pc_5$d = pc_4$q;
        target_5$d = target_4$q;
        messages$reset = reset;
        messages$live = live_5$q;
        messages$live_next = live_4$q;
        messages$valid = valid_5$q;
        messages$intr = intr_5$q;
        messages$reported = reported_5$q;
        messages$flow = flow_5$q;
        messages$outcome = outcome_5$q;
        messages$miss = miss_5$q;
        messages$pc = pc_5$q;
        messages$target = target_5$q;
        messages$full = full;
        messages$stop_go = stop_go;
        stop_ready = messages$stop_ready;
        lost = messages$lost;
        entry_push = messages$entry_push;
        entry_pre = messages$entry_pre;
        entry_post = messages$entry_post;
        entry_icnt = messages$entry_icnt;
        entry_bcnt = messages$entry_bcnt;
        entry_pc = messages$entry_pc;
        entry_target = messages$entry_target;
        entry_cc = messages$entry_cc;
    end
    
endmodule // top$core$0$front


module top$core$0$front$branch_3(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$branch_3


module top$core$0$front$flow_3(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$flow_3


module top$core$0$front$flow_4(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$flow_4


module top$core$0$front$flow_5(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$flow_5


module top$core$0$front$gshare(clock,branch,hash,taken,clear,ready,sweep,index,miss);
    
    // Module arguments
    input wire  clock;
    input wire  branch;
    input wire  [11:0] hash;
    input wire  taken;
    input wire  clear;
    output reg  ready;
    output reg  sweep;
    output reg  [11:0] index;
    output reg  miss;
    
    // Constant declarations
    localparam  mask = 12'h1ff;
    localparam  low = 12'hff;
    localparam  feedback = 12'h110;
    localparam  high = 12'h100;
    
    // Stub signals
    reg  [11:0] bhr$d;
    wire  [11:0] bhr$q;
    reg  bhr$clock;
    reg  swept$d;
    wire  swept$q;
    reg  swept$clock;
    reg  counters$clock;
    reg  [11:0] counters$raddr;
    wire  [1:0] counters$rdata;
    reg  counters$we;
    reg  [11:0] counters$waddr;
    reg  [1:0] counters$wdata;
    reg  [11:0] index_3$d;
    wire  [11:0] index_3$q;
    reg  index_3$clock;
    reg  write_3$d;
    wire  write_3$q;
    reg  write_3$clock;
    reg  branch_3$d;
    wire  branch_3$q;
    reg  branch_3$clock;
    reg  sweep_3$d;
    wire  sweep_3$q;
    reg  sweep_3$clock;
    reg  taken_3$d;
    wire  taken_3$q;
    reg  taken_3$clock;
    reg  same_3$d;
    wire  same_3$q;
    reg  same_3$clock;
    reg  [1:0] last_write$d;
    wire  [1:0] last_write$q;
    reg  last_write$clock;
    
    // Local signals
    reg  low_zero;
    reg  parity;
    reg  msb;
    reg  step;
    reg  input_bit;
    reg  [11:0] shifted;
    reg  [11:0] index_2;
    reg  [1:0] counter;
    reg  c1;
    reg  c0;
    reg  new1;
    reg  new0;
    reg  [1:0] updated;
    
    // Sub module instances
    top$core$0$front$gshare$bhr bhr(
        .d(bhr$d),
        .q(bhr$q),
        .clock(bhr$clock)
    );
    top$core$0$front$gshare$swept swept(
        .d(swept$d),
        .q(swept$q),
        .clock(swept$clock)
    );
    top$core$0$front$gshare$counters counters(
        .clock(counters$clock),
        .raddr(counters$raddr),
        .rdata(counters$rdata),
        .we(counters$we),
        .waddr(counters$waddr),
        .wdata(counters$wdata)
    );
    top$core$0$front$gshare$index_3 index_3(
        .d(index_3$d),
        .q(index_3$q),
        .clock(index_3$clock)
    );
    top$core$0$front$gshare$write_3 write_3(
        .d(write_3$d),
        .q(write_3$q),
        .clock(write_3$clock)
    );
    top$core$0$front$gshare$branch_3 branch_3(
        .d(branch_3$d),
        .q(branch_3$q),
        .clock(branch_3$clock)
    );
    top$core$0$front$gshare$sweep_3 sweep_3(
        .d(sweep_3$d),
        .q(sweep_3$q),
        .clock(sweep_3$clock)
    );
    top$core$0$front$gshare$taken_3 taken_3(
        .d(taken_3$d),
        .q(taken_3$q),
        .clock(taken_3$clock)
    );
    top$core$0$front$gshare$same_3 same_3(
        .d(same_3$d),
        .q(same_3$q),
        .clock(same_3$clock)
    );
    top$core$0$front$gshare$last_write last_write(
        .d(last_write$d),
        .q(last_write$q),
        .clock(last_write$clock)
    );
    
    // Update code
    always @(*) begin
        bhr$clock = clock;
        swept$clock = clock;
        index_3$clock = clock;
        write_3$clock = clock;
        branch_3$clock = clock;
        sweep_3$clock = clock;
        taken_3$clock = clock;
        same_3$clock = clock;
        last_write$clock = clock;
        bhr$d = bhr$q;
        swept$d = swept$q;
        index_3$d = index_3$q;
        write_3$d = write_3$q;
        branch_3$d = branch_3$q;
        sweep_3$d = sweep_3$q;
        taken_3$d = taken_3$q;
        same_3$d = same_3$q;
        last_write$d = last_write$q;
        counters$clock = clock;
        low_zero = (bhr$q & low) == 32'h0;
        parity = ^(bhr$q & feedback);
        msb = |(bhr$q & high);
        step = branch | ~swept$q;
        input_bit = parity ^ low_zero;
        if (swept$q) begin
            input_bit = taken;
        end
        shifted = (bhr$q << 32'h1) | ((input_bit) & 12'hfff);
        if (step) begin
            bhr$d = shifted & mask;
        end
        if (low_zero & msb & ~swept$q) begin
            swept$d = 1'b1;
        end
        if (clear) begin
            bhr$d = 32'h0;
            swept$d = 1'b0;
        end
        index_2 = bhr$q;
        if (swept$q) begin
            index_2 = bhr$q ^ (hash & mask);
        end
        counters$raddr = index_2;
        index_3$d = index_2;
        write_3$d = step;
        branch_3$d = branch & swept$q;
        sweep_3$d = ~swept$q;
        taken_3$d = taken;
        same_3$d = (index_2 == index_3$q) & write_3$q;
        counter = counters$rdata;
        if (same_3$q) begin
            counter = last_write$q;
        end
        c1 = counter[32'h1];
        c0 = counter[32'h0];
        new1 = 1'b0;
        new0 = 1'b0;
        if (~sweep_3$q) begin
            if (taken_3$q) begin
                new1 = c1 | ~c0;
                new0 = ~c1 & ~c0;
            end
            else begin
                new1 = c1 & ~c0;
                new0 = ~c1 | ~c0;
            end
        end
        updated = (((new1) & 2'h3) << 32'h1) | ((new0) & 2'h3);
        last_write$d = updated;
        counters$we = write_3$q;
        counters$waddr = index_3$q;
        counters$wdata = updated;
        miss = branch_3$q & (c1 ^ taken_3$q);
        ready = swept$q;
        sweep = sweep_3$q;
        index = index_3$q;
    end
    
endmodule // top$core$0$front$gshare


module top$core$0$front$gshare$bhr(d,q,clock);
    
    // Module arguments
    input wire  [11:0] d;
    output reg  [11:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 12'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$gshare$bhr


module top$core$0$front$gshare$branch_3(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$gshare$branch_3


module top$core$0$front$gshare$counters(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [11:0] raddr;
    output reg  [1:0] rdata;
    input wire  we;
    input wire  [11:0] waddr;
    input wire  [1:0] wdata;
    
    // Update code (custom)
    (* no_rw_check *) reg [1:0] mem [0:511];
    reg [1:0] q;
    always @(posedge clock) q <= mem[raddr[8:0]];
    always @(posedge clock) if (we) mem[waddr[8:0]] <= wdata[1:0];
    always @(*) rdata = q;
endmodule // top$core$0$front$gshare$counters


module top$core$0$front$gshare$index_3(d,q,clock);
    
    // Module arguments
    input wire  [11:0] d;
    output reg  [11:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 12'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$gshare$index_3


module top$core$0$front$gshare$last_write(d,q,clock);
    
    // Module arguments
    input wire  [1:0] d;
    output reg  [1:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 2'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$gshare$last_write


module top$core$0$front$gshare$same_3(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$gshare$same_3


module top$core$0$front$gshare$sweep_3(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$gshare$sweep_3


module top$core$0$front$gshare$swept(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$gshare$swept


module top$core$0$front$gshare$taken_3(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$gshare$taken_3


module top$core$0$front$gshare$write_3(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$gshare$write_3


module top$core$0$front$ibtb(clock,live,look,branch,taken,hash,target,sweep,index,hit);
    
    // Module arguments
    input wire  clock;
    input wire  live;
    input wire  look;
    input wire  branch;
    input wire  taken;
    input wire  [13:0] hash;
    input wire  [31:0] target;
    input wire  sweep;
    input wire  [4:0] index;
    output reg  hit;
    
    // Constant declarations
    localparam  set_mask = 5'b0;
    localparam  pir_mask = 13'b0;
    localparam  valid = 9'b100000000;
    localparam  word_mask = 32'h7fffffff;
    localparam  present = 1'b0;
    
    // Stub signals
    reg  [12:0] pir$d;
    wire  [12:0] pir$q;
    reg  pir$clock;
    reg  tags_0$clock;
    reg  [4:0] tags_0$raddr;
    wire  [10:0] tags_0$rdata;
    reg  tags_0$we;
    reg  [4:0] tags_0$waddr;
    reg  [10:0] tags_0$wdata;
    reg  tags_1$clock;
    reg  [4:0] tags_1$raddr;
    wire  [10:0] tags_1$rdata;
    reg  tags_1$we;
    reg  [4:0] tags_1$waddr;
    reg  [10:0] tags_1$wdata;
    reg  look_3$d;
    wire  look_3$q;
    reg  look_3$clock;
    reg  [4:0] set_3$d;
    wire  [4:0] set_3$q;
    reg  set_3$clock;
    reg  [7:0] tag_3$d;
    wire  [7:0] tag_3$q;
    reg  tag_3$clock;
    reg  same_3$d;
    wire  same_3$q;
    reg  same_3$clock;
    reg  tag_same_3$d;
    wire  tag_same_3$q;
    reg  tag_same_3$clock;
    reg  last_way$d;
    wire  last_way$q;
    reg  last_way$clock;
    reg  last_bank$d;
    wire  last_bank$q;
    reg  last_bank$clock;
    reg  last_order$d;
    wire  last_order$q;
    reg  last_order$clock;
    reg  targets$clock;
    reg  [6:0] targets$raddr;
    wire  [31:0] targets$rdata;
    reg  targets$we;
    reg  [6:0] targets$waddr;
    reg  [31:0] targets$wdata;
    reg  hit_4$d;
    wire  hit_4$q;
    reg  hit_4$clock;
    reg  [31:0] target_4$d;
    wire  [31:0] target_4$q;
    reg  target_4$clock;
    
    // Local signals
    reg  outcome;
    reg  [12:0] mixed;
    reg  [4:0] set_2;
    reg  [7:0] tag_2;
    reg  own_0;
    reg  own_1;
    reg  [8:0] want;
    reg  [10:0] word_0;
    reg  [10:0] word_1;
    reg  hit_0;
    reg  hit_1;
    reg  bank_0;
    reg  bank_1;
    reg  order_0;
    reg  order_1;
    reg  way;
    reg  bank;
    reg  new_bank;
    reg  new_order;
    reg  [4:0] write_set;
    reg  [10:0] new_word;
    reg  [6:0] entry;
    
    // Sub module instances
    top$core$0$front$ibtb$pir pir(
        .d(pir$d),
        .q(pir$q),
        .clock(pir$clock)
    );
    top$core$0$front$ibtb$tags_0 tags_0(
        .clock(tags_0$clock),
        .raddr(tags_0$raddr),
        .rdata(tags_0$rdata),
        .we(tags_0$we),
        .waddr(tags_0$waddr),
        .wdata(tags_0$wdata)
    );
    top$core$0$front$ibtb$tags_1 tags_1(
        .clock(tags_1$clock),
        .raddr(tags_1$raddr),
        .rdata(tags_1$rdata),
        .we(tags_1$we),
        .waddr(tags_1$waddr),
        .wdata(tags_1$wdata)
    );
    top$core$0$front$ibtb$look_3 look_3(
        .d(look_3$d),
        .q(look_3$q),
        .clock(look_3$clock)
    );
    top$core$0$front$ibtb$set_3 set_3(
        .d(set_3$d),
        .q(set_3$q),
        .clock(set_3$clock)
    );
    top$core$0$front$ibtb$tag_3 tag_3(
        .d(tag_3$d),
        .q(tag_3$q),
        .clock(tag_3$clock)
    );
    top$core$0$front$ibtb$same_3 same_3(
        .d(same_3$d),
        .q(same_3$q),
        .clock(same_3$clock)
    );
    top$core$0$front$ibtb$tag_same_3 tag_same_3(
        .d(tag_same_3$d),
        .q(tag_same_3$q),
        .clock(tag_same_3$clock)
    );
    top$core$0$front$ibtb$last_way last_way(
        .d(last_way$d),
        .q(last_way$q),
        .clock(last_way$clock)
    );
    top$core$0$front$ibtb$last_bank last_bank(
        .d(last_bank$d),
        .q(last_bank$q),
        .clock(last_bank$clock)
    );
    top$core$0$front$ibtb$last_order last_order(
        .d(last_order$d),
        .q(last_order$q),
        .clock(last_order$clock)
    );
    top$core$0$front$ibtb$targets targets(
        .clock(targets$clock),
        .raddr(targets$raddr),
        .rdata(targets$rdata),
        .we(targets$we),
        .waddr(targets$waddr),
        .wdata(targets$wdata)
    );
    top$core$0$front$ibtb$hit_4 hit_4(
        .d(hit_4$d),
        .q(hit_4$q),
        .clock(hit_4$clock)
    );
    top$core$0$front$ibtb$target_4 target_4(
        .d(target_4$d),
        .q(target_4$q),
        .clock(target_4$clock)
    );
    
    // Update code
    always @(*) begin
        pir$clock = clock;
        look_3$clock = clock;
        set_3$clock = clock;
        tag_3$clock = clock;
        same_3$clock = clock;
        tag_same_3$clock = clock;
        pir$d = pir$q;
        look_3$d = look_3$q;
        set_3$d = set_3$q;
        tag_3$d = tag_3$q;
        same_3$d = same_3$q;
        tag_same_3$d = tag_same_3$q;
        last_way$clock = clock;
        last_bank$clock = clock;
        last_order$clock = clock;
        hit_4$clock = clock;
        target_4$clock = clock;
        last_way$d = last_way$q;
        last_bank$d = last_bank$q;
        last_order$d = last_order$q;
        hit_4$d = hit_4$q;
        target_4$d = target_4$q;
        tags_0$clock = clock;
        tags_1$clock = clock;
        targets$clock = clock;
        set_2 = (pir$q[(32'h8)+:(5)] ^ hash[(32'h0)+:(5)]) & set_mask;
        tag_2 = pir$q[(32'h0)+:(8)] ^ hash[(32'h6)+:(8)];
        tags_0$raddr = set_2;
        tags_1$raddr = set_2;
        outcome = look | taken;
        mixed = (pir$q << 32'h2) ^ hash[(32'h0)+:(13)];
        if (look | branch) begin
            pir$d = (mixed | ((outcome) & 13'h1fff)) & pir_mask;
        end
        if (~live) begin
            pir$d = 32'h0;
        end
        look_3$d = look;
        set_3$d = set_2;
        tag_3$d = tag_2;
        same_3$d = (set_2 == set_3$q) & look_3$q;
        tag_same_3$d = tag_2 == tag_3$q;
        want = ((tag_3$q) & 9'h1ff) | valid;
        word_0 = tags_0$rdata;
        word_1 = tags_1$rdata;
        own_0 = same_3$q & ~last_way$q;
        own_1 = same_3$q & last_way$q;
        hit_0 = word_0[(32'h0)+:(9)] == want;
        bank_0 = word_0[32'h9];
        order_0 = word_0[32'ha];
        if (own_0) begin
            hit_0 = tag_same_3$q;
            bank_0 = last_bank$q;
            order_0 = last_order$q;
        end
        hit_1 = word_1[(32'h0)+:(9)] == want;
        bank_1 = word_1[32'h9];
        order_1 = word_1[32'ha];
        if (own_1) begin
            hit_1 = tag_same_3$q;
            bank_1 = last_bank$q;
            order_1 = last_order$q;
        end
        way = order_0 ^ order_1;
        if (hit_0) begin
            way = 1'b0;
        end
        if (hit_1) begin
            way = 1'b1;
        end
        bank = bank_0;
        new_order = ~order_1;
        if (way) begin
            bank = bank_1;
            new_order = order_0;
        end
        new_bank = ~bank;
        last_way$d = way;
        last_bank$d = new_bank;
        last_order$d = new_order;
        write_set = set_3$q;
        new_word = ((want) & 11'h7ff) | (((new_bank) & 11'h7ff) << 32'h9) | (((new_order) & 11'h7ff) << 32'ha);
        if (sweep) begin
            write_set = index;
            new_word = 32'h0;
        end
        tags_0$waddr = write_set;
        tags_0$wdata = new_word;
        tags_0$we = (look_3$q & ~way) | sweep;
        tags_1$waddr = write_set;
        tags_1$wdata = new_word;
        tags_1$we = (look_3$q & way) | sweep;
        entry = (((set_3$q) & 7'h7f) << 32'h2) | (((way) & 7'h7f) << 32'h1);
        targets$raddr = entry | ((bank) & 7'h7f);
        targets$waddr = entry | ((new_bank) & 7'h7f);
        targets$wdata = target;
        targets$we = look_3$q;
        hit_4$d = (hit_0 | hit_1) & present;
        target_4$d = target & word_mask;
        hit = hit_4$q & (targets$rdata == target_4$q);
    end
    
endmodule // top$core$0$front$ibtb


module top$core$0$front$ibtb$hit_4(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$ibtb$hit_4


module top$core$0$front$ibtb$last_bank(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$ibtb$last_bank


module top$core$0$front$ibtb$last_order(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$ibtb$last_order


module top$core$0$front$ibtb$last_way(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$ibtb$last_way


module top$core$0$front$ibtb$look_3(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$ibtb$look_3


module top$core$0$front$ibtb$pir(d,q,clock);
    
    // Module arguments
    input wire  [12:0] d;
    output reg  [12:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 13'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$ibtb$pir


module top$core$0$front$ibtb$same_3(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$ibtb$same_3


module top$core$0$front$ibtb$set_3(d,q,clock);
    
    // Module arguments
    input wire  [4:0] d;
    output reg  [4:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 5'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$ibtb$set_3


module top$core$0$front$ibtb$tag_3(d,q,clock);
    
    // Module arguments
    input wire  [7:0] d;
    output reg  [7:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 8'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$ibtb$tag_3


module top$core$0$front$ibtb$tag_same_3(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$ibtb$tag_same_3


module top$core$0$front$ibtb$tags_0(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [4:0] raddr;
    output reg  [10:0] rdata;
    input wire  we;
    input wire  [4:0] waddr;
    input wire  [10:0] wdata;
    
    // Update code (custom)
    always @(*) rdata = 11'd0;
endmodule // top$core$0$front$ibtb$tags_0


module top$core$0$front$ibtb$tags_1(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [4:0] raddr;
    output reg  [10:0] rdata;
    input wire  we;
    input wire  [4:0] waddr;
    input wire  [10:0] wdata;
    
    // Update code (custom)
    always @(*) rdata = 11'd0;
endmodule // top$core$0$front$ibtb$tags_1


module top$core$0$front$ibtb$target_4(d,q,clock);
    
    // Module arguments
    input wire  [31:0] d;
    output reg  [31:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 32'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$ibtb$target_4


module top$core$0$front$ibtb$targets(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [6:0] raddr;
    output reg  [31:0] rdata;
    input wire  we;
    input wire  [6:0] waddr;
    input wire  [31:0] wdata;
    
    // Update code (custom)
    always @(*) rdata = 32'd0;
endmodule // top$core$0$front$ibtb$targets


module top$core$0$front$intr_3(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$intr_3


module top$core$0$front$intr_4(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$intr_4


module top$core$0$front$intr_5(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$intr_5


module top$core$0$front$live_3(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$live_3


module top$core$0$front$live_4(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$live_4


module top$core$0$front$live_5(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$live_5


module top$core$0$front$look_3(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$look_3


module top$core$0$front$look_4(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$look_4


module top$core$0$front$messages(clock,reset,live,live_next,valid,intr,reported,flow,outcome,miss,pc,target,full,stop_go,stop_ready,stopped,lost,clear,entry_push,entry_pre,entry_post,entry_icnt,entry_bcnt,entry_pc,entry_target,entry_cc);
    
    // Module arguments
    input wire  clock;
    input wire  reset;
    input wire  live;
    input wire  live_next;
    input wire  valid;
    input wire  intr;
    input wire  reported;
    input wire  flow;
    input wire  outcome;
    input wire  miss;
    input wire  [31:0] pc;
    input wire  [31:0] target;
    input wire  full;
    input wire  stop_go;
    output reg  stop_ready;
    output reg  stopped;
    output reg  lost;
    output reg  clear;
    output reg  entry_push;
    output reg  [1:0] entry_pre;
    output reg  [1:0] entry_post;
    output reg  [23:0] entry_icnt;
    output reg  [23:0] entry_bcnt;
    output reg  [31:0] entry_pc;
    output reg  [31:0] entry_target;
    output reg  [31:0] entry_cc;
    
    // Constant declarations
    localparam  count_mask = 24'hfffff;
    localparam  count_top = 24'h80000;
    localparam  cc_mask = 32'hffffffff;
    localparam  cc_top = 32'h80000000;
    localparam  timed = 1'b0;
    localparam  nexus = 1'b0;
    
    // Stub signals
    reg  losing$d;
    wire  losing$q;
    reg  losing$clock;
    reg  first$d;
    wire  first$q;
    reg  first$clock;
    reg  tracing$d;
    wire  tracing$q;
    reg  tracing$clock;
    reg  [23:0] icnt$d;
    wire  [23:0] icnt$q;
    reg  icnt$clock;
    reg  [23:0] bcnt$d;
    wire  [23:0] bcnt$q;
    reg  bcnt$clock;
    reg  [31:0] cc$d;
    wire  [31:0] cc$q;
    reg  cc$clock;
    reg  push_6$d;
    wire  push_6$q;
    reg  push_6$clock;
    reg  [1:0] pre_6$d;
    wire  [1:0] pre_6$q;
    reg  pre_6$clock;
    reg  [1:0] post_6$d;
    wire  [1:0] post_6$q;
    reg  post_6$clock;
    reg  [23:0] icnt_6$d;
    wire  [23:0] icnt_6$q;
    reg  icnt_6$clock;
    reg  [23:0] bcnt_6$d;
    wire  [23:0] bcnt_6$q;
    reg  bcnt_6$clock;
    reg  [31:0] pc_6$d;
    wire  [31:0] pc_6$q;
    reg  pc_6$clock;
    reg  [31:0] target_6$d;
    wire  [31:0] target_6$q;
    reg  target_6$clock;
    reg  [31:0] cc_6$d;
    wire  [31:0] cc_6$q;
    reg  cc_6$clock;
    
    // Local signals
    reg  beat;
    reg  any_pre;
    reg  sync;
    reg  exception;
    reg  any_post;
    reg  long;
    reg  progress;
    reg  due;
    reg  send;
    reg  drop;
    reg  overflow;
    reg  stop_due;
    reg  stop;
    reg  restart;
    reg  icnt_inc;
    reg  [23:0] icnt_sum;
    reg  bcnt_inc;
    reg  [23:0] bcnt_sum;
    reg  bcnt_stop;
    reg  counted;
    reg  remains;
    reg  remains_reported;
    reg  clear_counts;
    reg  bcnt_one;
    reg  cc_all;
    reg  pre_1;
    reg  pre_0;
    reg  post_1;
    reg  post_0;
    
    // Sub module instances
    top$core$0$front$messages$losing losing(
        .d(losing$d),
        .q(losing$q),
        .clock(losing$clock)
    );
    top$core$0$front$messages$first first(
        .d(first$d),
        .q(first$q),
        .clock(first$clock)
    );
    top$core$0$front$messages$tracing tracing(
        .d(tracing$d),
        .q(tracing$q),
        .clock(tracing$clock)
    );
    top$core$0$front$messages$icnt icnt(
        .d(icnt$d),
        .q(icnt$q),
        .clock(icnt$clock)
    );
    top$core$0$front$messages$bcnt bcnt(
        .d(bcnt$d),
        .q(bcnt$q),
        .clock(bcnt$clock)
    );
    top$core$0$front$messages$cc cc(
        .d(cc$d),
        .q(cc$q),
        .clock(cc$clock)
    );
    top$core$0$front$messages$push_6 push_6(
        .d(push_6$d),
        .q(push_6$q),
        .clock(push_6$clock)
    );
    top$core$0$front$messages$pre_6 pre_6(
        .d(pre_6$d),
        .q(pre_6$q),
        .clock(pre_6$clock)
    );
    top$core$0$front$messages$post_6 post_6(
        .d(post_6$d),
        .q(post_6$q),
        .clock(post_6$clock)
    );
    top$core$0$front$messages$icnt_6 icnt_6(
        .d(icnt_6$d),
        .q(icnt_6$q),
        .clock(icnt_6$clock)
    );
    top$core$0$front$messages$bcnt_6 bcnt_6(
        .d(bcnt_6$d),
        .q(bcnt_6$q),
        .clock(bcnt_6$clock)
    );
    top$core$0$front$messages$pc_6 pc_6(
        .d(pc_6$d),
        .q(pc_6$q),
        .clock(pc_6$clock)
    );
    top$core$0$front$messages$target_6 target_6(
        .d(target_6$d),
        .q(target_6$q),
        .clock(target_6$clock)
    );
    top$core$0$front$messages$cc_6 cc_6(
        .d(cc_6$d),
        .q(cc_6$q),
        .clock(cc_6$clock)
    );
    
    // Update code
    always @(*) begin
        losing$clock = clock;
        first$clock = clock;
        tracing$clock = clock;
        icnt$clock = clock;
        bcnt$clock = clock;
        cc$clock = clock;
        losing$d = losing$q;
        first$d = first$q;
        tracing$d = tracing$q;
        icnt$d = icnt$q;
        bcnt$d = bcnt$q;
        cc$d = cc$q;
        push_6$clock = clock;
        pre_6$clock = clock;
        post_6$clock = clock;
        icnt_6$clock = clock;
        bcnt_6$clock = clock;
        pc_6$clock = clock;
        target_6$clock = clock;
        cc_6$clock = clock;
        push_6$d = push_6$q;
        pre_6$d = pre_6$q;
        post_6$d = post_6$q;
        icnt_6$d = icnt_6$q;
        bcnt_6$d = bcnt_6$q;
        pc_6$d = pc_6$q;
        target_6$d = target_6$q;
        cc_6$d = cc_6$q;
        beat = valid & live & ~losing$q;
        sync = beat & first$q;
        exception = beat & intr & ~first$q;
        any_pre = sync | exception;
        any_post = outcome | miss;
        icnt_inc = beat & ~any_pre;
        icnt_sum = icnt$q + ((icnt_inc) & 24'hffffff);
        long = |(icnt$q & count_top) | (|(cc$q & cc_top) & timed);
        progress = flow & long & ~any_pre & ~any_post;
        due = beat & (any_pre | any_post | progress);
        send = due & ~full;
        drop = due & full;
        overflow = losing$q & live_next & ~live;
        stop_due = tracing$q & ~live & ~losing$q & ~full;
        stop = stop_due & stop_go;
        restart = send | overflow | stop;
        if (drop) begin
            losing$d = 1'b1;
        end
        if (overflow) begin
            losing$d = 1'b0;
        end
        first$d = ~live | (first$q & ~valid);
        tracing$d = live | (tracing$q & ~stop);
        counted = reported | (nexus & beat);
        bcnt_stop = |(bcnt$q & count_top);
        bcnt_inc = counted;
        if (losing$q) begin
            bcnt_inc = valid & ~bcnt_stop;
        end
        bcnt_sum = bcnt$q + ((bcnt_inc) & 24'hffffff);
        remains = send & any_pre & ~any_post;
        remains_reported = remains & counted;
        clear_counts = restart | reset;
        if (clear_counts) begin
            icnt$d = ((remains) & 24'hffffff);
        end
        else if (~drop) begin
            icnt$d = icnt_sum & count_mask;
        end
        bcnt_one = remains_reported | drop;
        bcnt$d = bcnt_sum & count_mask;
        if (clear_counts | drop) begin
            bcnt$d = ((bcnt_one) & 24'hffffff);
        end
        cc_all = cc$q == cc_mask;
        if (restart) begin
            cc$d = 32'h1;
        end
        else if (~live & ~tracing$q) begin
            cc$d = 32'h0;
        end
        else if (~cc_all) begin
            cc$d = cc$q + 32'h1;
        end
        if (~timed) begin
            cc$d = 32'h0;
        end
        push_6$d = restart;
        pre_0 = exception | overflow | stop;
        pre_1 = sync | overflow | stop;
        post_0 = outcome | progress | overflow;
        post_1 = miss | progress;
        pre_6$d = (((pre_1) & 2'h3) << 32'h1) | ((pre_0) & 2'h3);
        post_6$d = (((post_1) & 2'h3) << 32'h1) | ((post_0) & 2'h3);
        icnt_6$d = icnt_sum & count_mask;
        bcnt_6$d = bcnt_sum & count_mask;
        if (any_pre) begin
            bcnt_6$d = 32'h1;
        end
        pc_6$d = pc;
        target_6$d = target;
        cc_6$d = cc$q;
        if (reset) begin
            losing$d = 1'b0;
            tracing$d = 1'b0;
            push_6$d = 1'b0;
        end
        stop_ready = stop_due;
        stopped = stop;
        lost = losing$q;
        clear = drop | stop;
        entry_push = push_6$q;
        entry_pre = pre_6$q;
        entry_post = post_6$q;
        entry_icnt = icnt_6$q;
        entry_bcnt = bcnt_6$q;
        entry_pc = pc_6$q;
        entry_target = target_6$q;
        entry_cc = cc_6$q;
    end
    
endmodule // top$core$0$front$messages


module top$core$0$front$messages$bcnt(d,q,clock);
    
    // Module arguments
    input wire  [23:0] d;
    output reg  [23:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 24'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$messages$bcnt


module top$core$0$front$messages$bcnt_6(d,q,clock);
    
    // Module arguments
    input wire  [23:0] d;
    output reg  [23:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 24'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$messages$bcnt_6


module top$core$0$front$messages$cc(d,q,clock);
    
    // Module arguments
    input wire  [31:0] d;
    output reg  [31:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 32'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$messages$cc


module top$core$0$front$messages$cc_6(d,q,clock);
    
    // Module arguments
    input wire  [31:0] d;
    output reg  [31:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 32'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$messages$cc_6


module top$core$0$front$messages$first(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$messages$first


module top$core$0$front$messages$icnt(d,q,clock);
    
    // Module arguments
    input wire  [23:0] d;
    output reg  [23:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 24'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$messages$icnt


module top$core$0$front$messages$icnt_6(d,q,clock);
    
    // Module arguments
    input wire  [23:0] d;
    output reg  [23:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 24'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$messages$icnt_6


module top$core$0$front$messages$losing(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$messages$losing


module top$core$0$front$messages$pc_6(d,q,clock);
    
    // Module arguments
    input wire  [31:0] d;
    output reg  [31:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 32'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$messages$pc_6


module top$core$0$front$messages$post_6(d,q,clock);
    
    // Module arguments
    input wire  [1:0] d;
    output reg  [1:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 2'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$messages$post_6


module top$core$0$front$messages$pre_6(d,q,clock);
    
    // Module arguments
    input wire  [1:0] d;
    output reg  [1:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 2'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$messages$pre_6


module top$core$0$front$messages$push_6(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$messages$push_6


module top$core$0$front$messages$target_6(d,q,clock);
    
    // Module arguments
    input wire  [31:0] d;
    output reg  [31:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 32'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$messages$target_6


module top$core$0$front$messages$tracing(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$messages$tracing


module top$core$0$front$miss_5(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$miss_5


module top$core$0$front$outcome_4(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$outcome_4


module top$core$0$front$outcome_5(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$outcome_5


module top$core$0$front$pc_3(d,q,clock);
    
    // Module arguments
    input wire  [31:0] d;
    output reg  [31:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 32'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$pc_3


module top$core$0$front$pc_4(d,q,clock);
    
    // Module arguments
    input wire  [31:0] d;
    output reg  [31:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 32'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$pc_4


module top$core$0$front$pc_5(d,q,clock);
    
    // Module arguments
    input wire  [31:0] d;
    output reg  [31:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 32'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$pc_5


module top$core$0$front$pop_3(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$pop_3


module top$core$0$front$ras(clock,live,push,pop,link,target,hit);
    
    // Module arguments
    input wire  clock;
    input wire  live;
    input wire  push;
    input wire  pop;
    input wire  [31:0] link;
    input wire  [31:0] target;
    output reg  hit;
    
    // Constant declarations
    localparam  levels = 32'hff;
    localparam  word = 32'hffffffff;
    localparam  valid = 32'h1;
    
    // Stub signals
    reg  [4:0] top$d;
    wire  [4:0] top$q;
    reg  top$clock;
    reg  [31:0] bank$d;
    wire  [31:0] bank$q;
    reg  bank$clock;
    reg  popped$d;
    wire  popped$q;
    reg  popped$clock;
    reg  words$clock;
    reg  [5:0] words$raddr;
    wire  [31:0] words$rdata;
    reg  words$we;
    reg  [5:0] words$waddr;
    reg  [31:0] words$wdata;
    
    // Local signals
    reg  do_push;
    reg  do_pop;
    reg  swap;
    reg  top_bank;
    reg  other_bank;
    reg  write_bank;
    reg  [4:0] above;
    reg  [4:0] below;
    reg  [4:0] write_slot;
    reg  [31:0] want;
    
    // Sub module instances
    top$core$0$front$ras$top top(
        .d(top$d),
        .q(top$q),
        .clock(top$clock)
    );
    top$core$0$front$ras$bank bank(
        .d(bank$d),
        .q(bank$q),
        .clock(bank$clock)
    );
    top$core$0$front$ras$popped popped(
        .d(popped$d),
        .q(popped$q),
        .clock(popped$clock)
    );
    top$core$0$front$ras$words words(
        .clock(words$clock),
        .raddr(words$raddr),
        .rdata(words$rdata),
        .we(words$we),
        .waddr(words$waddr),
        .wdata(words$wdata)
    );
    
    // Update code
    always @(*) begin
        top$clock = clock;
        bank$clock = clock;
        popped$clock = clock;
        top$d = top$q;
        bank$d = bank$q;
        popped$d = popped$q;
        words$clock = clock;
        do_push = push & live;
        do_pop = pop | ~live;
        swap = do_push & do_pop;
        top_bank = bank$q[32'h0];
        other_bank = ~top_bank;
        above = top$q + 32'h1;
        below = top$q - 32'h1;
        write_slot = above;
        write_bank = 1'b0;
        if (swap) begin
            write_slot = top$q;
            write_bank = other_bank;
            bank$d = (bank$q & ~(1 << (32'h0)) | ((other_bank) << (32'h0)));
        end
        else if (do_push) begin
            top$d = above;
            bank$d = (bank$q << 32'h1) & levels;
        end
        else if (do_pop) begin
            top$d = below;
            bank$d = bank$q >> 32'h1;
        end
        popped$d = (do_pop & ~do_push) | (popped$q & swap);
        words$raddr = (((top$q) & 6'h3f) << 32'h1) | ((top_bank) & 6'h3f);
        words$waddr = (((write_slot) & 6'h3f) << 32'h1) | ((write_bank) & 6'h3f);
        words$we = do_push | popped$q;
        words$wdata = link << 32'h1;
        if (do_push) begin
            words$wdata = (link << 32'h1) | valid;
        end
        want = ((target << 32'h1) | valid) & word;
        hit = words$rdata == want;
    end
    
endmodule // top$core$0$front$ras


module top$core$0$front$ras$bank(d,q,clock);
    
    // Module arguments
    input wire  [31:0] d;
    output reg  [31:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 32'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$ras$bank


module top$core$0$front$ras$popped(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$ras$popped


module top$core$0$front$ras$top(d,q,clock);
    
    // Module arguments
    input wire  [4:0] d;
    output reg  [4:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 5'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$ras$top


module top$core$0$front$ras$words(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [5:0] raddr;
    output reg  [31:0] rdata;
    input wire  we;
    input wire  [5:0] waddr;
    input wire  [31:0] wdata;
    
    // Update code (custom)
    (* no_rw_check *) reg [31:0] mem [0:15];
    reg [31:0] q;
    always @(posedge clock) q <= mem[raddr[3:0]];
    always @(posedge clock) if (we) mem[waddr[3:0]] <= wdata[31:0];
    always @(*) rdata = q;
endmodule // top$core$0$front$ras$words


module top$core$0$front$reported_4(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$reported_4


module top$core$0$front$reported_5(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$reported_5


module top$core$0$front$resume(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$resume


module top$core$0$front$return_miss_4(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$return_miss_4


module top$core$0$front$run(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$run


module top$core$0$front$same_upper_4(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$same_upper_4


module top$core$0$front$stopping(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$stopping


module top$core$0$front$taken_3(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$taken_3


module top$core$0$front$target_3(d,q,clock);
    
    // Module arguments
    input wire  [31:0] d;
    output reg  [31:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 32'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$target_3


module top$core$0$front$target_4(d,q,clock);
    
    // Module arguments
    input wire  [31:0] d;
    output reg  [31:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 32'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$target_4


module top$core$0$front$target_5(d,q,clock);
    
    // Module arguments
    input wire  [31:0] d;
    output reg  [31:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 32'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$target_5


module top$core$0$front$upper(d,q,clock);
    
    // Module arguments
    input wire  [31:0] d;
    output reg  [31:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 32'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$upper


module top$core$0$front$valid_3(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$valid_3


module top$core$0$front$valid_4(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$valid_4


module top$core$0$front$valid_5(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$valid_5


module top$core$0$ingress(clock,live,rvfi_valid,rvfi_insn,rvfi_trap,rvfi_intr,rvfi_pc_rdata,rvfi_pc_wdata,beat_live,valid,intr,branch,taken,look,push,pop,jump,pc,link,target);
    
    // Module arguments
    input wire  clock;
    input wire  live;
    input wire  rvfi_valid;
    input wire  [31:0] rvfi_insn;
    input wire  rvfi_trap;
    input wire  rvfi_intr;
    input wire  [31:0] rvfi_pc_rdata;
    input wire  [31:0] rvfi_pc_wdata;
    output reg  beat_live;
    output reg  valid;
    output reg  intr;
    output reg  branch;
    output reg  taken;
    output reg  look;
    output reg  push;
    output reg  pop;
    output reg  jump;
    output reg  [31:0] pc;
    output reg  [31:0] link;
    output reg  [31:0] target;
    
    // Constant declarations
    localparam  align = 2'b1;
    localparam  compressed = 1'b1;
    localparam  rv32 = 1'b1;
    localparam  but_bit_2 = 5'b11011;
    localparam  x1 = 5'b1;
    localparam  but_bit_29 = 32'hdfffffff;
    localparam  sret = 32'h10200073;
    
    // Stub signals
    reg  trap_before$d;
    wire  trap_before$q;
    reg  trap_before$clock;
    reg  live_2$d;
    wire  live_2$q;
    reg  live_2$clock;
    reg  valid_2$d;
    wire  valid_2$q;
    reg  valid_2$clock;
    reg  intr_2$d;
    wire  intr_2$q;
    reg  intr_2$clock;
    reg  branch_2$d;
    wire  branch_2$q;
    reg  branch_2$clock;
    reg  taken_2$d;
    wire  taken_2$q;
    reg  taken_2$clock;
    reg  look_2$d;
    wire  look_2$q;
    reg  look_2$clock;
    reg  push_2$d;
    wire  push_2$q;
    reg  push_2$clock;
    reg  pop_2$d;
    wire  pop_2$q;
    reg  pop_2$clock;
    reg  jump_2$d;
    wire  jump_2$q;
    reg  jump_2$clock;
    reg  [31:0] pc_2$d;
    wire  [31:0] pc_2$q;
    reg  pc_2$clock;
    reg  [31:0] link_2$d;
    wire  [31:0] link_2$q;
    reg  link_2$clock;
    reg  [31:0] target_2$d;
    wire  [31:0] target_2$q;
    reg  target_2$clock;
    
    // Local signals
    reg  [6:0] opcode;
    reg  wide;
    reg  [4:0] rd;
    reg  [4:0] rs1;
    reg  rd_is_link;
    reg  rs1_is_link;
    reg  [1:0] quadrant;
    reg  [2:0] funct_c;
    reg  links;
    reg  returns;
    reg  same;
    reg  is_branch;
    reg  is_jal;
    reg  is_jalr;
    reg  is_xret;
    reg  [31:0] xret_word;
    reg  jal_links;
    reg  pops;
    reg  retires;
    reg  traced;
    reg  [31:0] pc_1;
    reg  [31:0] target_1;
    reg  [1:0] length;
    reg  [31:0] link_1;
    
    // Sub module instances
    top$core$0$ingress$trap_before trap_before(
        .d(trap_before$d),
        .q(trap_before$q),
        .clock(trap_before$clock)
    );
    top$core$0$ingress$live_2 live_2(
        .d(live_2$d),
        .q(live_2$q),
        .clock(live_2$clock)
    );
    top$core$0$ingress$valid_2 valid_2(
        .d(valid_2$d),
        .q(valid_2$q),
        .clock(valid_2$clock)
    );
    top$core$0$ingress$intr_2 intr_2(
        .d(intr_2$d),
        .q(intr_2$q),
        .clock(intr_2$clock)
    );
    top$core$0$ingress$branch_2 branch_2(
        .d(branch_2$d),
        .q(branch_2$q),
        .clock(branch_2$clock)
    );
    top$core$0$ingress$taken_2 taken_2(
        .d(taken_2$d),
        .q(taken_2$q),
        .clock(taken_2$clock)
    );
    top$core$0$ingress$look_2 look_2(
        .d(look_2$d),
        .q(look_2$q),
        .clock(look_2$clock)
    );
    top$core$0$ingress$push_2 push_2(
        .d(push_2$d),
        .q(push_2$q),
        .clock(push_2$clock)
    );
    top$core$0$ingress$pop_2 pop_2(
        .d(pop_2$d),
        .q(pop_2$q),
        .clock(pop_2$clock)
    );
    top$core$0$ingress$jump_2 jump_2(
        .d(jump_2$d),
        .q(jump_2$q),
        .clock(jump_2$clock)
    );
    top$core$0$ingress$pc_2 pc_2(
        .d(pc_2$d),
        .q(pc_2$q),
        .clock(pc_2$clock)
    );
    top$core$0$ingress$link_2 link_2(
        .d(link_2$d),
        .q(link_2$q),
        .clock(link_2$clock)
    );
    top$core$0$ingress$target_2 target_2(
        .d(target_2$d),
        .q(target_2$q),
        .clock(target_2$clock)
    );
    
    // Update code
    always @(*) begin
        trap_before$clock = clock;
        live_2$clock = clock;
        valid_2$clock = clock;
        intr_2$clock = clock;
        branch_2$clock = clock;
        taken_2$clock = clock;
        look_2$clock = clock;
        push_2$clock = clock;
        trap_before$d = trap_before$q;
        live_2$d = live_2$q;
        valid_2$d = valid_2$q;
        intr_2$d = intr_2$q;
        branch_2$d = branch_2$q;
        taken_2$d = taken_2$q;
        look_2$d = look_2$q;
        push_2$d = push_2$q;
        pop_2$clock = clock;
        jump_2$clock = clock;
        pc_2$clock = clock;
        link_2$clock = clock;
        target_2$clock = clock;
        pop_2$d = pop_2$q;
        jump_2$d = jump_2$q;
        pc_2$d = pc_2$q;
        link_2$d = link_2$q;
        target_2$d = target_2$q;
        opcode = rvfi_insn[(32'h0)+:(7)];
        quadrant = rvfi_insn[(32'h0)+:(2)];
        funct_c = rvfi_insn[(32'hd)+:(3)];
        wide = (quadrant == 32'h3) | ~compressed;
        rd = rvfi_insn[(32'h7)+:(5)];
        rs1 = rvfi_insn[(32'hf)+:(5)];
        rd_is_link = (rd & but_bit_2) == x1;
        rs1_is_link = (rs1 & but_bit_2) == x1;
        xret_word = rvfi_insn & but_bit_29;
        is_xret = xret_word == sret;
        if (wide) begin
            is_branch = (opcode == 32'h63) & (rvfi_insn[(32'hd)+:(2)] != 32'h1);
            is_jal = opcode == 32'h6f;
            is_jalr = (opcode == 32'h67) & (rvfi_insn[(32'hc)+:(3)] == 32'h0);
            jal_links = rd_is_link;
            links = rd_is_link;
            returns = rs1_is_link;
            same = rvfi_insn[32'h9] == rvfi_insn[32'h11];
        end
        else begin
            is_branch = (quadrant == 32'h1) & (rvfi_insn[(32'he)+:(2)] == 32'h3);
            is_jal = (quadrant == 32'h1) & ((funct_c == 32'h5) | ((funct_c == 32'h1) & rv32));
            is_jalr = (quadrant == 32'h2) & (funct_c == 32'h4) & (rvfi_insn[(32'h2)+:(5)] == 32'h0) & (rd != 32'h0);
            jal_links = funct_c == 32'h1;
            links = rvfi_insn[32'hc];
            returns = rd_is_link;
            same = ~rvfi_insn[32'h9];
        end
        pops = is_jalr & returns & ~(links & same);
        retires = rvfi_valid & ~rvfi_trap;
        traced = retires & live;
        if (rvfi_valid) begin
            trap_before$d = rvfi_trap;
        end
        live_2$d = live;
        valid_2$d = retires;
        intr_2$d = rvfi_intr | trap_before$q;
        branch_2$d = is_branch;
        look_2$d = (is_jalr & ~pops) | is_xret;
        push_2$d = (is_jalr & links) | (is_jal & jal_links);
        pop_2$d = pops;
        jump_2$d = is_jal;
        if (~traced) begin
            branch_2$d = 1'b0;
            look_2$d = 1'b0;
            push_2$d = 1'b0;
            pop_2$d = 1'b0;
            jump_2$d = 1'b0;
        end
        pc_1 = rvfi_pc_rdata >> align;
        target_1 = rvfi_pc_wdata >> align;
        length = 32'h1;
        if (wide & compressed) begin
            length = 32'h2;
        end
        link_1 = pc_1 + ((length) & 32'hffffffff);
        taken_2$d = link_1[(32'h0)+:(12)] != target_1[(32'h0)+:(12)];
        pc_2$d = pc_1;
        link_2$d = link_1;
        target_2$d = target_1;
        beat_live = live_2$q;
        valid = valid_2$q;
        intr = intr_2$q;
        branch = branch_2$q;
        taken = taken_2$q;
        look = look_2$q;
        push = push_2$q;
        pop = pop_2$q;
        jump = jump_2$q;
        pc = pc_2$q;
        link = link_2$q;
        target = target_2$q;
    end
    
endmodule // top$core$0$ingress


module top$core$0$ingress$branch_2(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$ingress$branch_2


module top$core$0$ingress$intr_2(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$ingress$intr_2


module top$core$0$ingress$jump_2(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$ingress$jump_2


module top$core$0$ingress$link_2(d,q,clock);
    
    // Module arguments
    input wire  [31:0] d;
    output reg  [31:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 32'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$ingress$link_2


module top$core$0$ingress$live_2(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$ingress$live_2


module top$core$0$ingress$look_2(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$ingress$look_2


module top$core$0$ingress$pc_2(d,q,clock);
    
    // Module arguments
    input wire  [31:0] d;
    output reg  [31:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 32'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$ingress$pc_2


module top$core$0$ingress$pop_2(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$ingress$pop_2


module top$core$0$ingress$push_2(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$ingress$push_2


module top$core$0$ingress$taken_2(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$ingress$taken_2


module top$core$0$ingress$target_2(d,q,clock);
    
    // Module arguments
    input wire  [31:0] d;
    output reg  [31:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 32'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$ingress$target_2


module top$core$0$ingress$trap_before(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$ingress$trap_before


module top$core$0$ingress$valid_2(d,q,clock);
    
    // Module arguments
    input wire  d;
    output reg  q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 1'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$ingress$valid_2
