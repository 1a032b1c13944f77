
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
    reg  core$0$control$enable;
    reg  core$0$control$full;
    reg  core$0$control$drained;
    reg  core$0$control$stop_go;
    wire  core$0$control$ready;
    wire  core$0$control$stop_ready;
    wire  core$0$control$lost;
    wire  core$0$entry$push;
    wire  [1:0] core$0$entry$pre;
    wire  [1:0] core$0$entry$post;
    wire  [23:0] core$0$entry$icnt;
    wire  [23:0] core$0$entry$bcnt;
    wire  [31:0] core$0$entry$pc;
    wire  [31:0] core$0$entry$target;
    wire  [31:0] core$0$entry$cc;
    reg  spine$clock;
    reg  spine$reset;
    reg  [2:0] spine$bus$addr;
    reg  spine$bus$write;
    reg  [31:0] spine$bus$wdata;
    wire  [31:0] spine$bus$rdata;
    wire  spine$words$valid;
    wire  [31:0] spine$words$data;
    reg  spine$words$ready;
    wire  spine$control$0$enable;
    wire  spine$control$0$full;
    wire  spine$control$0$drained;
    wire  spine$control$0$stop_go;
    reg  spine$control$0$ready;
    reg  spine$control$0$stop_ready;
    reg  spine$control$0$lost;
    reg  spine$entry$0$push;
    reg  [1:0] spine$entry$0$pre;
    reg  [1:0] spine$entry$0$post;
    reg  [23:0] spine$entry$0$icnt;
    reg  [23:0] spine$entry$0$bcnt;
    reg  [31:0] spine$entry$0$pc;
    reg  [31:0] spine$entry$0$target;
    reg  [31:0] spine$entry$0$cc;
    wire  spine$read$have;
    wire  [3:0] spine$read$core;
    wire  [31:0] spine$read$word;
    wire  [31:0] spine$read$cc;
    reg  [1:0] spine$read$field;
    reg  spine$read$done;
    reg  spine$read$ends;
    reg  spine$coded$valid;
    reg  [3:0] spine$coded$count;
    reg  [7:0] spine$coded$data;
    reg  spine$coded$busy;
    wire  spine$coded$ready;
    reg  encoder$clock;
    reg  encoder$reset;
    reg  encoder$entry$have;
    reg  [3:0] encoder$entry$core;
    reg  [31:0] encoder$entry$word;
    reg  [31:0] encoder$entry$cc;
    wire  [1:0] encoder$entry$field;
    wire  encoder$entry$done;
    wire  encoder$entry$ends;
    wire  encoder$bits$valid;
    wire  [3:0] encoder$bits$count;
    wire  [7:0] encoder$bits$data;
    wire  encoder$bits$busy;
    reg  encoder$bits$ready;
    
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
        .control$enable(core$0$control$enable),
        .control$full(core$0$control$full),
        .control$drained(core$0$control$drained),
        .control$stop_go(core$0$control$stop_go),
        .control$ready(core$0$control$ready),
        .control$stop_ready(core$0$control$stop_ready),
        .control$lost(core$0$control$lost),
        .entry$push(core$0$entry$push),
        .entry$pre(core$0$entry$pre),
        .entry$post(core$0$entry$post),
        .entry$icnt(core$0$entry$icnt),
        .entry$bcnt(core$0$entry$bcnt),
        .entry$pc(core$0$entry$pc),
        .entry$target(core$0$entry$target),
        .entry$cc(core$0$entry$cc)
    );
    top$spine spine(
        .clock(spine$clock),
        .reset(spine$reset),
        .bus$addr(spine$bus$addr),
        .bus$write(spine$bus$write),
        .bus$wdata(spine$bus$wdata),
        .bus$rdata(spine$bus$rdata),
        .words$valid(spine$words$valid),
        .words$data(spine$words$data),
        .words$ready(spine$words$ready),
        .control$0$enable(spine$control$0$enable),
        .control$0$full(spine$control$0$full),
        .control$0$drained(spine$control$0$drained),
        .control$0$stop_go(spine$control$0$stop_go),
        .control$0$ready(spine$control$0$ready),
        .control$0$stop_ready(spine$control$0$stop_ready),
        .control$0$lost(spine$control$0$lost),
        .entry$0$push(spine$entry$0$push),
        .entry$0$pre(spine$entry$0$pre),
        .entry$0$post(spine$entry$0$post),
        .entry$0$icnt(spine$entry$0$icnt),
        .entry$0$bcnt(spine$entry$0$bcnt),
        .entry$0$pc(spine$entry$0$pc),
        .entry$0$target(spine$entry$0$target),
        .entry$0$cc(spine$entry$0$cc),
        .read$have(spine$read$have),
        .read$core(spine$read$core),
        .read$word(spine$read$word),
        .read$cc(spine$read$cc),
        .read$field(spine$read$field),
        .read$done(spine$read$done),
        .read$ends(spine$read$ends),
        .coded$valid(spine$coded$valid),
        .coded$count(spine$coded$count),
        .coded$data(spine$coded$data),
        .coded$busy(spine$coded$busy),
        .coded$ready(spine$coded$ready)
    );
    top$encoder encoder(
        .clock(encoder$clock),
        .reset(encoder$reset),
        .entry$have(encoder$entry$have),
        .entry$core(encoder$entry$core),
        .entry$word(encoder$entry$word),
        .entry$cc(encoder$entry$cc),
        .entry$field(encoder$entry$field),
        .entry$done(encoder$entry$done),
        .entry$ends(encoder$entry$ends),
        .bits$valid(encoder$bits$valid),
        .bits$count(encoder$bits$count),
        .bits$data(encoder$bits$data),
        .bits$busy(encoder$bits$busy),
        .bits$ready(encoder$bits$ready)
    );
    
    // Update code
    always @(*) begin
        spine$clock = clock;
        encoder$clock = clock;
        spine$reset = reset;
        encoder$reset = reset;
        spine$bus$addr = bus_addr;
        spine$bus$write = bus_write;
        spine$bus$wdata = bus_wdata;
        bus_rdata = spine$bus$rdata;
        valid = spine$words$valid;
        spine$words$ready = ready;
        data = spine$words$data;
        core$0$clock = clock;
        core$0$reset = reset;
        core$0$rvfi_valid = rvfi_valid$0;
        core$0$rvfi_insn = rvfi_insn$0;
        core$0$rvfi_trap = rvfi_trap$0;
        core$0$rvfi_intr = rvfi_intr$0;
        core$0$rvfi_pc_rdata = rvfi_pc_rdata$0;
        core$0$rvfi_pc_wdata = rvfi_pc_wdata$0;
    end
    
    always @(*) encoder$entry$have = spine$read$have;
    always @(*) encoder$entry$core = spine$read$core;
    always @(*) encoder$entry$word = spine$read$word;
    always @(*) encoder$entry$cc = spine$read$cc;
    always @(*) spine$read$field = encoder$entry$field;
    always @(*) spine$read$done = encoder$entry$done;
    always @(*) spine$read$ends = encoder$entry$ends;
    always @(*) spine$coded$valid = encoder$bits$valid;
    always @(*) spine$coded$count = encoder$bits$count;
    always @(*) spine$coded$data = encoder$bits$data;
    always @(*) spine$coded$busy = encoder$bits$busy;
    always @(*) encoder$bits$ready = spine$coded$ready;
    always @(*) core$0$control$enable = spine$control$0$enable;
    always @(*) core$0$control$full = spine$control$0$full;
    always @(*) core$0$control$drained = spine$control$0$drained;
    always @(*) core$0$control$stop_go = spine$control$0$stop_go;
    always @(*) spine$control$0$ready = core$0$control$ready;
    always @(*) spine$control$0$stop_ready = core$0$control$stop_ready;
    always @(*) spine$control$0$lost = core$0$control$lost;
    always @(*) spine$entry$0$push = core$0$entry$push;
    always @(*) spine$entry$0$pre = core$0$entry$pre;
    always @(*) spine$entry$0$post = core$0$entry$post;
    always @(*) spine$entry$0$icnt = core$0$entry$icnt;
    always @(*) spine$entry$0$bcnt = core$0$entry$bcnt;
    always @(*) spine$entry$0$pc = core$0$entry$pc;
    always @(*) spine$entry$0$target = core$0$entry$target;
    always @(*) spine$entry$0$cc = core$0$entry$cc;
endmodule // top


module top$core$0(clock,reset,rvfi_valid,rvfi_insn,rvfi_trap,rvfi_intr,rvfi_pc_rdata,rvfi_pc_wdata,control$enable,control$full,control$drained,control$stop_go,control$ready,control$stop_ready,control$lost,entry$push,entry$pre,entry$post,entry$icnt,entry$bcnt,entry$pc,entry$target,entry$cc);
    
    // Module arguments
    input wire  clock;
    input wire  reset;
    input wire  rvfi_valid;
    input wire  [31:0] rvfi_insn;
    input wire  rvfi_trap;
    input wire  rvfi_intr;
    input wire  [31:0] rvfi_pc_rdata;
    input wire  [31:0] rvfi_pc_wdata;
    input wire  control$enable;
    input wire  control$full;
    input wire  control$drained;
    input wire  control$stop_go;
    output wire  control$ready;
    output wire  control$stop_ready;
    output wire  control$lost;
    output wire  entry$push;
    output wire  [1:0] entry$pre;
    output wire  [1:0] entry$post;
    output wire  [23:0] entry$icnt;
    output wire  [23:0] entry$bcnt;
    output wire  [31:0] entry$pc;
    output wire  [31:0] entry$target;
    output wire  [31:0] entry$cc;
    
    // Stub signals
    reg  ingress$clock;
    reg  ingress$live;
    reg  ingress$rvfi_valid;
    reg  [31:0] ingress$rvfi_insn;
    reg  ingress$rvfi_trap;
    reg  ingress$rvfi_intr;
    reg  [31:0] ingress$rvfi_pc_rdata;
    reg  [31:0] ingress$rvfi_pc_wdata;
    wire  ingress$beat$live;
    wire  ingress$beat$valid;
    wire  ingress$beat$intr;
    wire  ingress$beat$branch;
    wire  ingress$beat$taken;
    wire  ingress$beat$look;
    wire  ingress$beat$push;
    wire  ingress$beat$pop;
    wire  ingress$beat$jump;
    wire  [31:0] ingress$beat$pc;
    wire  [31:0] ingress$beat$link;
    wire  [31:0] ingress$beat$target;
    reg  front$clock;
    reg  front$reset;
    wire  front$go;
    reg  front$beat$live;
    reg  front$beat$valid;
    reg  front$beat$intr;
    reg  front$beat$branch;
    reg  front$beat$taken;
    reg  front$beat$look;
    reg  front$beat$push;
    reg  front$beat$pop;
    reg  front$beat$jump;
    reg  [31:0] front$beat$pc;
    reg  [31:0] front$beat$link;
    reg  [31:0] front$beat$target;
    
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
        .beat$live(ingress$beat$live),
        .beat$valid(ingress$beat$valid),
        .beat$intr(ingress$beat$intr),
        .beat$branch(ingress$beat$branch),
        .beat$taken(ingress$beat$taken),
        .beat$look(ingress$beat$look),
        .beat$push(ingress$beat$push),
        .beat$pop(ingress$beat$pop),
        .beat$jump(ingress$beat$jump),
        .beat$pc(ingress$beat$pc),
        .beat$link(ingress$beat$link),
        .beat$target(ingress$beat$target)
    );
    top$core$0$front front(
        .clock(front$clock),
        .reset(front$reset),
        .control$enable(control$enable),
        .control$full(control$full),
        .control$drained(control$drained),
        .control$stop_go(control$stop_go),
        .control$ready(control$ready),
        .control$stop_ready(control$stop_ready),
        .control$lost(control$lost),
        .go(front$go),
        .beat$live(front$beat$live),
        .beat$valid(front$beat$valid),
        .beat$intr(front$beat$intr),
        .beat$branch(front$beat$branch),
        .beat$taken(front$beat$taken),
        .beat$look(front$beat$look),
        .beat$push(front$beat$push),
        .beat$pop(front$beat$pop),
        .beat$jump(front$beat$jump),
        .beat$pc(front$beat$pc),
        .beat$link(front$beat$link),
        .beat$target(front$beat$target),
        .entry$push(entry$push),
        .entry$pre(entry$pre),
        .entry$post(entry$post),
        .entry$icnt(entry$icnt),
        .entry$bcnt(entry$bcnt),
        .entry$pc(entry$pc),
        .entry$target(entry$target),
        .entry$cc(entry$cc)
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
        ingress$live = front$go;
        front$reset = reset;
    end
    
    always @(*) front$beat$live = ingress$beat$live;
    always @(*) front$beat$valid = ingress$beat$valid;
    always @(*) front$beat$intr = ingress$beat$intr;
    always @(*) front$beat$branch = ingress$beat$branch;
    always @(*) front$beat$taken = ingress$beat$taken;
    always @(*) front$beat$look = ingress$beat$look;
    always @(*) front$beat$push = ingress$beat$push;
    always @(*) front$beat$pop = ingress$beat$pop;
    always @(*) front$beat$jump = ingress$beat$jump;
    always @(*) front$beat$pc = ingress$beat$pc;
    always @(*) front$beat$link = ingress$beat$link;
    always @(*) front$beat$target = ingress$beat$target;
endmodule // top$core$0


module top$core$0$front(clock,reset,control$enable,control$full,control$drained,control$stop_go,control$ready,control$stop_ready,control$lost,go,beat$live,beat$valid,beat$intr,beat$branch,beat$taken,beat$look,beat$push,beat$pop,beat$jump,beat$pc,beat$link,beat$target,entry$push,entry$pre,entry$post,entry$icnt,entry$bcnt,entry$pc,entry$target,entry$cc);
    
    // Module arguments
    input wire  clock;
    input wire  reset;
    input wire  control$enable;
    input wire  control$full;
    input wire  control$drained;
    input wire  control$stop_go;
    output wire  control$ready;
    output wire  control$stop_ready;
    output wire  control$lost;
    output reg  go;
    input wire  beat$live;
    input wire  beat$valid;
    input wire  beat$intr;
    input wire  beat$branch;
    input wire  beat$taken;
    input wire  beat$look;
    input wire  beat$push;
    input wire  beat$pop;
    input wire  beat$jump;
    input wire  [31:0] beat$pc;
    input wire  [31:0] beat$link;
    input wire  [31:0] beat$target;
    output wire  entry$push;
    output wire  [1:0] entry$pre;
    output wire  [1:0] entry$post;
    output wire  [23:0] entry$icnt;
    output wire  [23:0] entry$bcnt;
    output wire  [31:0] entry$pc;
    output wire  [31:0] entry$target;
    output wire  [31:0] entry$cc;
    
    // Constant declarations
    localparam  shift_up = 3'b0;
    localparam  shift_down = 3'b0;
    localparam  upper_mask = 32'h0;
    localparam  nexus = 1'b0;
    
    // Stub signals
    reg  life$clock;
    reg  life$reset;
    reg  life$able;
    wire  life$clear;
    wire  life$go;
    reg  life$live;
    reg  life$live_next;
    reg  life$valid;
    reg  life$intr;
    wire  life$verdict$beat;
    wire  life$verdict$sync;
    wire  life$verdict$exception;
    wire  life$verdict$send;
    wire  life$verdict$drop;
    wire  life$verdict$overflow;
    wire  life$verdict$stop;
    wire  life$verdict$restart;
    wire  life$verdict$losing;
    wire  life$verdict$tracing;
    reg  life$verdict$asks;
    reg  outcome$clock;
    reg  outcome$port$branch;
    reg  outcome$port$taken;
    reg  [13:0] outcome$port$hash;
    reg  outcome$port$clear;
    wire  outcome$port$ready;
    wire  outcome$port$miss;
    reg  target$clock;
    reg  target$port$live;
    reg  target$port$look;
    reg  target$port$push;
    reg  target$port$pop;
    reg  target$port$branch;
    reg  target$port$taken;
    reg  [13:0] target$port$hash;
    reg  [31:0] target$port$link;
    reg  [31:0] target$port$target;
    reg  target$port$clear;
    wire  target$port$ready;
    wire  target$port$hit;
    reg  messages$clock;
    reg  messages$reset;
    reg  messages$live;
    reg  messages$valid;
    reg  messages$reported;
    reg  messages$flow;
    reg  messages$outcome;
    reg  messages$miss;
    reg  [31:0] messages$pc;
    reg  [31:0] messages$target;
    reg  messages$verdict$beat;
    reg  messages$verdict$sync;
    reg  messages$verdict$exception;
    reg  messages$verdict$send;
    reg  messages$verdict$drop;
    reg  messages$verdict$overflow;
    reg  messages$verdict$stop;
    reg  messages$verdict$restart;
    reg  messages$verdict$losing;
    reg  messages$verdict$tracing;
    wire  messages$verdict$asks;
    reg  [31:0] upper$d;
    wire  [31:0] upper$q;
    reg  upper$clock;
    reg  flags$clock;
    reg  flags$clear;
    reg  [7:0] flags$from;
    wire  [7:0] flags$to;
    reg  pcs$clock;
    reg  pcs$clear;
    reg  [31:0] pcs$from;
    wire  [31:0] pcs$to;
    reg  targets$clock;
    reg  targets$clear;
    reg  [31:0] targets$from;
    wire  [31:0] targets$to;
    reg  misses$clock;
    reg  misses$clear;
    reg  misses$from;
    wire  misses$to;
    reg  hits$clock;
    reg  hits$clear;
    reg  hits$from;
    wire  hits$to;
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
    reg  [17:0] pc_low;
    reg  [17:0] pc_up;
    reg  [17:0] pc_hash;
    reg  [13:0] hash;
    reg  [31:0] target_upper;
    reg  same_upper;
    reg  indirect;
    reg  reported;
    reg  [7:0] flags_4;
    reg  live_4;
    reg  indirect_4;
    reg  hit_4;
    
    // Sub module instances
    top$core$0$front$life life(
        .clock(life$clock),
        .reset(life$reset),
        .control$enable(control$enable),
        .control$full(control$full),
        .control$drained(control$drained),
        .control$stop_go(control$stop_go),
        .control$ready(control$ready),
        .control$stop_ready(control$stop_ready),
        .control$lost(control$lost),
        .able(life$able),
        .clear(life$clear),
        .go(life$go),
        .live(life$live),
        .live_next(life$live_next),
        .valid(life$valid),
        .intr(life$intr),
        .verdict$beat(life$verdict$beat),
        .verdict$sync(life$verdict$sync),
        .verdict$exception(life$verdict$exception),
        .verdict$send(life$verdict$send),
        .verdict$drop(life$verdict$drop),
        .verdict$overflow(life$verdict$overflow),
        .verdict$stop(life$verdict$stop),
        .verdict$restart(life$verdict$restart),
        .verdict$losing(life$verdict$losing),
        .verdict$tracing(life$verdict$tracing),
        .verdict$asks(life$verdict$asks)
    );
    top$core$0$front$outcome outcome(
        .clock(outcome$clock),
        .port$branch(outcome$port$branch),
        .port$taken(outcome$port$taken),
        .port$hash(outcome$port$hash),
        .port$clear(outcome$port$clear),
        .port$ready(outcome$port$ready),
        .port$miss(outcome$port$miss)
    );
    top$core$0$front$target target(
        .clock(target$clock),
        .port$live(target$port$live),
        .port$look(target$port$look),
        .port$push(target$port$push),
        .port$pop(target$port$pop),
        .port$branch(target$port$branch),
        .port$taken(target$port$taken),
        .port$hash(target$port$hash),
        .port$link(target$port$link),
        .port$target(target$port$target),
        .port$clear(target$port$clear),
        .port$ready(target$port$ready),
        .port$hit(target$port$hit)
    );
    top$core$0$front$messages messages(
        .clock(messages$clock),
        .reset(messages$reset),
        .live(messages$live),
        .valid(messages$valid),
        .reported(messages$reported),
        .flow(messages$flow),
        .outcome(messages$outcome),
        .miss(messages$miss),
        .pc(messages$pc),
        .target(messages$target),
        .verdict$beat(messages$verdict$beat),
        .verdict$sync(messages$verdict$sync),
        .verdict$exception(messages$verdict$exception),
        .verdict$send(messages$verdict$send),
        .verdict$drop(messages$verdict$drop),
        .verdict$overflow(messages$verdict$overflow),
        .verdict$stop(messages$verdict$stop),
        .verdict$restart(messages$verdict$restart),
        .verdict$losing(messages$verdict$losing),
        .verdict$tracing(messages$verdict$tracing),
        .verdict$asks(messages$verdict$asks),
        .entry$push(entry$push),
        .entry$pre(entry$pre),
        .entry$post(entry$post),
        .entry$icnt(entry$icnt),
        .entry$bcnt(entry$bcnt),
        .entry$pc(entry$pc),
        .entry$target(entry$target),
        .entry$cc(entry$cc)
    );
    top$core$0$front$upper upper(
        .d(upper$d),
        .q(upper$q),
        .clock(upper$clock)
    );
    top$core$0$front$flags flags(
        .clock(flags$clock),
        .clear(flags$clear),
        .from(flags$from),
        .to(flags$to)
    );
    top$core$0$front$pcs pcs(
        .clock(pcs$clock),
        .clear(pcs$clear),
        .from(pcs$from),
        .to(pcs$to)
    );
    top$core$0$front$targets targets(
        .clock(targets$clock),
        .clear(targets$clear),
        .from(targets$from),
        .to(targets$to)
    );
    top$core$0$front$misses misses(
        .clock(misses$clock),
        .clear(misses$clear),
        .from(misses$from),
        .to(misses$to)
    );
    top$core$0$front$hits hits(
        .clock(hits$clock),
        .clear(hits$clear),
        .from(hits$from),
        .to(hits$to)
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
        upper$clock = clock;
        upper$d = upper$q;
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
        life$clock = clock;
        outcome$clock = clock;
        target$clock = clock;
        messages$clock = clock;
        flags$clock = clock;
        pcs$clock = clock;
        targets$clock = clock;
        misses$clock = clock;
        hits$clock = clock;
        life$reset = reset;
        life$able = outcome$port$ready & target$port$ready;
        go = life$go;
        life$live = live_5$q;
        life$live_next = flags$to[32'h0];
        life$valid = valid_5$q;
        life$intr = intr_5$q;
        pc_low = beat$pc[(32'h0)+:(18)];
        pc_up = pc_low << shift_up;
        pc_hash = pc_up >> shift_down;
        hash = pc_hash[(32'h0)+:(14)];
        outcome$port$branch = beat$branch;
        outcome$port$taken = beat$taken;
        outcome$port$hash = hash;
        outcome$port$clear = life$clear | reset;
        target$port$live = beat$live;
        target$port$look = beat$look;
        target$port$push = beat$push;
        target$port$pop = beat$pop;
        target$port$branch = beat$branch;
        target$port$taken = beat$taken;
        target$port$hash = hash;
        target$port$link = beat$link;
        target$port$target = beat$target;
        target$port$clear = life$clear | reset;
        indirect = beat$look | beat$pop;
        reported = beat$branch | indirect;
        target_upper = beat$target & upper_mask;
        same_upper = target_upper == upper$q;
        if (indirect) begin
            upper$d = target_upper;
        end
        if (~beat$live) begin
            upper$d = 32'h0;
        end
        flags$clear = reset;
        flags$from = ((beat$live) & 8'hff) | (((beat$valid) & 8'hff) << 32'h1) | (((beat$intr) & 8'hff) << 32'h2) | (((reported) & 8'hff) << 32'h3) | ((((beat$jump | reported)) & 8'hff) << 32'h4) | ((((beat$branch & beat$taken)) & 8'hff) << 32'h5) | (((indirect) & 8'hff) << 32'h6) | (((same_upper) & 8'hff) << 32'h7);
        pcs$clear = 1'b0;
        pcs$from = beat$pc;
        targets$clear = 1'b0;
        targets$from = beat$target;
        misses$clear = 1'b0;
        misses$from = ((outcome$port$miss) & 1'h1);
        hits$clear = 1'b0;
        hits$from = ((target$port$hit) & 1'h1);
        flags_4 = flags$to;
        live_4 = flags_4[32'h0];
        indirect_4 = flags_4[32'h6];
        hit_4 = |hits$to & flags_4[32'h7];
        live_5$d = live_4 & ~reset;
        valid_5$d = flags_4[32'h1];
        intr_5$d = flags_4[32'h2];
        reported_5$d = flags_4[32'h3];
        flow_5$d = flags_4[32'h4];
        outcome_5$d = |misses$to;
        miss_5$d = indirect_4 & ~hit_4;
        if (nexus) begin
            outcome_5$d = flags_4[32'h5];
            miss_5$d = indirect_4;
        end
        pc_5$d = pcs$to;
        target_5$d = targets$to;
        messages$reset = reset;
        messages$live = live_5$q;
        messages$valid = valid_5$q;
        messages$reported = reported_5$q;
        messages$flow = flow_5$q;
        messages$outcome = outcome_5$q;
        messages$miss = miss_5$q;
        messages$pc = pc_5$q;
        messages$target = target_5$q;
    end
    
    always @(*) messages$verdict$beat = life$verdict$beat;
    always @(*) messages$verdict$sync = life$verdict$sync;
    always @(*) messages$verdict$exception = life$verdict$exception;
    always @(*) messages$verdict$send = life$verdict$send;
    always @(*) messages$verdict$drop = life$verdict$drop;
    always @(*) messages$verdict$overflow = life$verdict$overflow;
    always @(*) messages$verdict$stop = life$verdict$stop;
    always @(*) messages$verdict$restart = life$verdict$restart;
    always @(*) messages$verdict$losing = life$verdict$losing;
    always @(*) messages$verdict$tracing = life$verdict$tracing;
    always @(*) life$verdict$asks = messages$verdict$asks;
endmodule // top$core$0$front


module top$core$0$front$flags(clock,clear,from,to);
    
    // Module arguments
    input wire  clock;
    input wire  clear;
    input wire  [7:0] from;
    output reg  [7:0] to;
    
    // Stub signals
    reg  [7:0] stage$0$d;
    wire  [7:0] stage$0$q;
    reg  stage$0$clock;
    reg  [7:0] stage$1$d;
    wire  [7:0] stage$1$q;
    reg  stage$1$clock;
    
    // Local signals
    reg  [7:0] tail;
    
    // Sub module instances
    top$core$0$front$flags$stage$0 stage$0(
        .d(stage$0$d),
        .q(stage$0$q),
        .clock(stage$0$clock)
    );
    top$core$0$front$flags$stage$1 stage$1(
        .d(stage$1$d),
        .q(stage$1$q),
        .clock(stage$1$clock)
    );
    
    // Update code
    always @(*) begin
        tail = from;
        stage$0$clock = clock;
        stage$0$d = tail;
        if (clear) begin
            stage$0$d = 32'h0;
        end
        tail = stage$0$q;
        stage$1$clock = clock;
        stage$1$d = tail;
        if (clear) begin
            stage$1$d = 32'h0;
        end
        tail = stage$1$q;
        to = tail;
    end
    
endmodule // top$core$0$front$flags


module top$core$0$front$flags$stage$0(d,q,clock);
    
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
          
endmodule // top$core$0$front$flags$stage$0


module top$core$0$front$flags$stage$1(d,q,clock);
    
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
          
endmodule // top$core$0$front$flags$stage$1


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


module top$core$0$front$hits(clock,clear,from,to);
    
    // Module arguments
    input wire  clock;
    input wire  clear;
    input wire  from;
    output reg  to;
    
    // Local signals
    reg  tail;
    
    // Update code
    always @(*) begin
        tail = from;
        to = tail;
    end
    
endmodule // top$core$0$front$hits


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


module top$core$0$front$life(clock,reset,control$enable,control$full,control$drained,control$stop_go,control$ready,control$stop_ready,control$lost,able,clear,go,live,live_next,valid,intr,verdict$beat,verdict$sync,verdict$exception,verdict$send,verdict$drop,verdict$overflow,verdict$stop,verdict$restart,verdict$losing,verdict$tracing,verdict$asks);
    
    // Module arguments
    input wire  clock;
    input wire  reset;
    input wire  control$enable;
    input wire  control$full;
    input wire  control$drained;
    input wire  control$stop_go;
    output reg  control$ready;
    output reg  control$stop_ready;
    output reg  control$lost;
    input wire  able;
    output reg  clear;
    output reg  go;
    input wire  live;
    input wire  live_next;
    input wire  valid;
    input wire  intr;
    output reg  verdict$beat;
    output reg  verdict$sync;
    output reg  verdict$exception;
    output reg  verdict$send;
    output reg  verdict$drop;
    output reg  verdict$overflow;
    output reg  verdict$stop;
    output reg  verdict$restart;
    output reg  verdict$losing;
    output reg  verdict$tracing;
    input wire  verdict$asks;
    
    // Constant declarations
    localparam  late = 1'b0;
    
    // Stub signals
    reg  run$d;
    wire  run$q;
    reg  run$clock;
    reg  stopping$d;
    wire  stopping$q;
    reg  stopping$clock;
    reg  resume$d;
    wire  resume$q;
    reg  resume$clock;
    reg  losing$d;
    wire  losing$q;
    reg  losing$clock;
    reg  first$d;
    wire  first$q;
    reg  first$clock;
    reg  tracing$d;
    wire  tracing$q;
    reg  tracing$clock;
    reg  stop_ready_2$d;
    wire  stop_ready_2$q;
    reg  stop_ready_2$clock;
    
    // Local signals
    reg  start;
    reg  active;
    reg  beat;
    reg  due;
    reg  send;
    reg  drop;
    reg  overflow;
    reg  stop_due;
    reg  stop;
    
    // Sub module instances
    top$core$0$front$life$run run(
        .d(run$d),
        .q(run$q),
        .clock(run$clock)
    );
    top$core$0$front$life$stopping stopping(
        .d(stopping$d),
        .q(stopping$q),
        .clock(stopping$clock)
    );
    top$core$0$front$life$resume resume(
        .d(resume$d),
        .q(resume$q),
        .clock(resume$clock)
    );
    top$core$0$front$life$losing losing(
        .d(losing$d),
        .q(losing$q),
        .clock(losing$clock)
    );
    top$core$0$front$life$first first(
        .d(first$d),
        .q(first$q),
        .clock(first$clock)
    );
    top$core$0$front$life$tracing tracing(
        .d(tracing$d),
        .q(tracing$q),
        .clock(tracing$clock)
    );
    top$core$0$front$life$stop_ready_2 stop_ready_2(
        .d(stop_ready_2$d),
        .q(stop_ready_2$q),
        .clock(stop_ready_2$clock)
    );
    
    // Update code
    always @(*) begin
        run$clock = clock;
        stopping$clock = clock;
        resume$clock = clock;
        losing$clock = clock;
        first$clock = clock;
        tracing$clock = clock;
        stop_ready_2$clock = clock;
        run$d = run$q;
        stopping$d = stopping$q;
        resume$d = resume$q;
        losing$d = losing$q;
        first$d = first$q;
        tracing$d = tracing$q;
        stop_ready_2$d = stop_ready_2$q;
        start = control$enable & able & ~run$q;
        active = start | (run$q & control$enable & ~stopping$q);
        resume$d = losing$q & (resume$q | (control$drained & able));
        go = active & ~reset;
        if (losing$q) begin
            go = resume$q;
        end
        if (start) begin
            run$d = 1'b1;
        end
        if (run$q & ~control$enable) begin
            stopping$d = 1'b1;
        end
        control$ready = able;
        control$lost = losing$q;
        beat = valid & live & ~losing$q;
        due = beat & (first$q | intr | verdict$asks);
        send = due & ~control$full;
        drop = due & control$full;
        overflow = losing$q & live_next & ~live;
        stop_due = tracing$q & ~live & ~losing$q & ~control$full;
        stop = stop_due & control$stop_go;
        if (stop | reset) begin
            run$d = 1'b0;
            stopping$d = 1'b0;
        end
        if (drop) begin
            losing$d = 1'b1;
        end
        if (overflow) begin
            losing$d = 1'b0;
        end
        first$d = ~live | (first$q & ~valid);
        tracing$d = live | (tracing$q & ~stop);
        if (reset) begin
            losing$d = 1'b0;
            tracing$d = 1'b0;
        end
        stop_ready_2$d = stop_due & ~stop;
        control$stop_ready = stop_due;
        if (late) begin
            control$stop_ready = stop_ready_2$q;
        end
        clear = (valid & live & ~losing$q & (first$q | intr | verdict$asks) & control$full) | (tracing$q & ~live & ~losing$q & ~control$full & control$stop_go);
        verdict$beat = valid & live & ~losing$q;
        verdict$sync = valid & live & ~losing$q & first$q;
        verdict$exception = valid & live & ~losing$q & intr & ~first$q;
        verdict$losing = losing$q;
        verdict$tracing = tracing$q;
        verdict$send = send;
        verdict$drop = drop;
        verdict$overflow = overflow;
        verdict$stop = stop;
        verdict$restart = send | overflow | stop;
    end
    
endmodule // top$core$0$front$life


module top$core$0$front$life$first(d,q,clock);
    
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
          
endmodule // top$core$0$front$life$first


module top$core$0$front$life$losing(d,q,clock);
    
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
          
endmodule // top$core$0$front$life$losing


module top$core$0$front$life$resume(d,q,clock);
    
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
          
endmodule // top$core$0$front$life$resume


module top$core$0$front$life$run(d,q,clock);
    
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
          
endmodule // top$core$0$front$life$run


module top$core$0$front$life$stop_ready_2(d,q,clock);
    
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
          
endmodule // top$core$0$front$life$stop_ready_2


module top$core$0$front$life$stopping(d,q,clock);
    
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
          
endmodule // top$core$0$front$life$stopping


module top$core$0$front$life$tracing(d,q,clock);
    
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
          
endmodule // top$core$0$front$life$tracing


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


module top$core$0$front$messages(clock,reset,live,valid,reported,flow,outcome,miss,pc,target,verdict$beat,verdict$sync,verdict$exception,verdict$send,verdict$drop,verdict$overflow,verdict$stop,verdict$restart,verdict$losing,verdict$tracing,verdict$asks,entry$push,entry$pre,entry$post,entry$icnt,entry$bcnt,entry$pc,entry$target,entry$cc);
    
    // Module arguments
    input wire  clock;
    input wire  reset;
    input wire  live;
    input wire  valid;
    input wire  reported;
    input wire  flow;
    input wire  outcome;
    input wire  miss;
    input wire  [31:0] pc;
    input wire  [31:0] target;
    input wire  verdict$beat;
    input wire  verdict$sync;
    input wire  verdict$exception;
    input wire  verdict$send;
    input wire  verdict$drop;
    input wire  verdict$overflow;
    input wire  verdict$stop;
    input wire  verdict$restart;
    input wire  verdict$losing;
    input wire  verdict$tracing;
    output reg  verdict$asks;
    output reg  entry$push;
    output reg  [1:0] entry$pre;
    output reg  [1:0] entry$post;
    output reg  [23:0] entry$icnt;
    output reg  [23:0] entry$bcnt;
    output reg  [31:0] entry$pc;
    output reg  [31:0] entry$target;
    output reg  [31:0] entry$cc;
    
    // Constant declarations
    localparam  count_mask = 24'hfffff;
    localparam  count_top = 24'h80000;
    localparam  cc_mask = 32'hffffffff;
    localparam  cc_top = 32'h80000000;
    localparam  timed = 1'b0;
    localparam  nexus = 1'b0;
    
    // Stub signals
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
    reg  any_pre;
    reg  any_post;
    reg  long;
    reg  progress;
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
        icnt$clock = clock;
        bcnt$clock = clock;
        cc$clock = clock;
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
        any_pre = verdict$sync | verdict$exception;
        any_post = outcome | miss;
        icnt_inc = verdict$beat & ~any_pre;
        icnt_sum = icnt$q + ((icnt_inc) & 24'hffffff);
        long = |(icnt$q & count_top) | (|(cc$q & cc_top) & timed);
        progress = flow & long & ~any_pre & ~any_post;
        verdict$asks = outcome | miss | (flow & (|(icnt$q & count_top) | (|(cc$q & cc_top) & timed)));
        counted = reported | (nexus & verdict$beat);
        bcnt_stop = |(bcnt$q & count_top);
        bcnt_inc = counted;
        if (verdict$losing) begin
            bcnt_inc = valid & ~bcnt_stop;
        end
        bcnt_sum = bcnt$q + ((bcnt_inc) & 24'hffffff);
        remains = verdict$send & any_pre & ~any_post;
        remains_reported = remains & counted;
        clear_counts = verdict$restart | reset;
        if (clear_counts) begin
            icnt$d = ((remains) & 24'hffffff);
        end
        else if (~verdict$drop) begin
            icnt$d = icnt_sum & count_mask;
        end
        bcnt_one = remains_reported | verdict$drop;
        bcnt$d = bcnt_sum & count_mask;
        if (clear_counts | verdict$drop) begin
            bcnt$d = ((bcnt_one) & 24'hffffff);
        end
        cc_all = cc$q == cc_mask;
        if (verdict$restart) begin
            cc$d = 32'h1;
        end
        else if (~live & ~verdict$tracing) begin
            cc$d = 32'h0;
        end
        else if (~cc_all) begin
            cc$d = cc$q + 32'h1;
        end
        if (~timed) begin
            cc$d = 32'h0;
        end
        push_6$d = verdict$restart;
        pre_0 = verdict$exception | verdict$overflow | verdict$stop;
        pre_1 = verdict$sync | verdict$overflow | verdict$stop;
        post_0 = outcome | progress | verdict$overflow;
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
            push_6$d = 1'b0;
        end
        entry$push = push_6$q;
        entry$pre = pre_6$q;
        entry$post = post_6$q;
        entry$icnt = icnt_6$q;
        entry$bcnt = bcnt_6$q;
        entry$pc = pc_6$q;
        entry$target = target_6$q;
        entry$cc = cc_6$q;
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


module top$core$0$front$misses(clock,clear,from,to);
    
    // Module arguments
    input wire  clock;
    input wire  clear;
    input wire  from;
    output reg  to;
    
    // Stub signals
    reg  stage$0$d;
    wire  stage$0$q;
    reg  stage$0$clock;
    
    // Local signals
    reg  tail;
    
    // Sub module instances
    top$core$0$front$misses$stage$0 stage$0(
        .d(stage$0$d),
        .q(stage$0$q),
        .clock(stage$0$clock)
    );
    
    // Update code
    always @(*) begin
        tail = from;
        stage$0$clock = clock;
        stage$0$d = tail;
        if (clear) begin
            stage$0$d = 32'h0;
        end
        tail = stage$0$q;
        to = tail;
    end
    
endmodule // top$core$0$front$misses


module top$core$0$front$misses$stage$0(d,q,clock);
    
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
          
endmodule // top$core$0$front$misses$stage$0


module top$core$0$front$outcome(clock,port$branch,port$taken,port$hash,port$clear,port$ready,port$miss);
    
    // Module arguments
    input wire  clock;
    input wire  port$branch;
    input wire  port$taken;
    input wire  [13:0] port$hash;
    input wire  port$clear;
    output wire  port$ready;
    output wire  port$miss;
    
    // Stub signals
    reg  gshare$clock;
    
    // Sub module instances
    top$core$0$front$outcome$gshare gshare(
        .clock(gshare$clock),
        .port$branch(port$branch),
        .port$taken(port$taken),
        .port$hash(port$hash),
        .port$clear(port$clear),
        .port$ready(port$ready),
        .port$miss(port$miss)
    );
    
    // Update code
    always @(*) begin
        gshare$clock = clock;
    end
    
endmodule // top$core$0$front$outcome


module top$core$0$front$outcome$gshare(clock,port$branch,port$taken,port$hash,port$clear,port$ready,port$miss);
    
    // Module arguments
    input wire  clock;
    input wire  port$branch;
    input wire  port$taken;
    input wire  [13:0] port$hash;
    input wire  port$clear;
    output reg  port$ready;
    output reg  port$miss;
    
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
    top$core$0$front$outcome$gshare$bhr bhr(
        .d(bhr$d),
        .q(bhr$q),
        .clock(bhr$clock)
    );
    top$core$0$front$outcome$gshare$swept swept(
        .d(swept$d),
        .q(swept$q),
        .clock(swept$clock)
    );
    top$core$0$front$outcome$gshare$counters counters(
        .clock(counters$clock),
        .raddr(counters$raddr),
        .rdata(counters$rdata),
        .we(counters$we),
        .waddr(counters$waddr),
        .wdata(counters$wdata)
    );
    top$core$0$front$outcome$gshare$index_3 index_3(
        .d(index_3$d),
        .q(index_3$q),
        .clock(index_3$clock)
    );
    top$core$0$front$outcome$gshare$write_3 write_3(
        .d(write_3$d),
        .q(write_3$q),
        .clock(write_3$clock)
    );
    top$core$0$front$outcome$gshare$branch_3 branch_3(
        .d(branch_3$d),
        .q(branch_3$q),
        .clock(branch_3$clock)
    );
    top$core$0$front$outcome$gshare$sweep_3 sweep_3(
        .d(sweep_3$d),
        .q(sweep_3$q),
        .clock(sweep_3$clock)
    );
    top$core$0$front$outcome$gshare$taken_3 taken_3(
        .d(taken_3$d),
        .q(taken_3$q),
        .clock(taken_3$clock)
    );
    top$core$0$front$outcome$gshare$same_3 same_3(
        .d(same_3$d),
        .q(same_3$q),
        .clock(same_3$clock)
    );
    top$core$0$front$outcome$gshare$last_write last_write(
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
        step = port$branch | ~swept$q;
        input_bit = parity ^ low_zero;
        if (swept$q) begin
            input_bit = port$taken;
        end
        shifted = (bhr$q << 32'h1) | ((input_bit) & 12'hfff);
        if (step) begin
            bhr$d = shifted & mask;
        end
        if (low_zero & msb & ~swept$q) begin
            swept$d = 1'b1;
        end
        if (port$clear) begin
            bhr$d = 32'h0;
            swept$d = 1'b0;
        end
        index_2 = bhr$q;
        if (swept$q) begin
            index_2 = bhr$q ^ (port$hash[(32'h0)+:(12)] & mask);
        end
        counters$raddr = index_2;
        index_3$d = index_2;
        write_3$d = step;
        branch_3$d = port$branch & swept$q;
        sweep_3$d = ~swept$q;
        taken_3$d = port$taken;
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
        port$miss = branch_3$q & (c1 ^ taken_3$q);
        port$ready = swept$q;
    end
    
endmodule // top$core$0$front$outcome$gshare


module top$core$0$front$outcome$gshare$bhr(d,q,clock);
    
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
          
endmodule // top$core$0$front$outcome$gshare$bhr


module top$core$0$front$outcome$gshare$branch_3(d,q,clock);
    
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
          
endmodule // top$core$0$front$outcome$gshare$branch_3


module top$core$0$front$outcome$gshare$counters(clock,raddr,rdata,we,waddr,wdata);
    
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
endmodule // top$core$0$front$outcome$gshare$counters


module top$core$0$front$outcome$gshare$index_3(d,q,clock);
    
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
          
endmodule // top$core$0$front$outcome$gshare$index_3


module top$core$0$front$outcome$gshare$last_write(d,q,clock);
    
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
          
endmodule // top$core$0$front$outcome$gshare$last_write


module top$core$0$front$outcome$gshare$same_3(d,q,clock);
    
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
          
endmodule // top$core$0$front$outcome$gshare$same_3


module top$core$0$front$outcome$gshare$sweep_3(d,q,clock);
    
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
          
endmodule // top$core$0$front$outcome$gshare$sweep_3


module top$core$0$front$outcome$gshare$swept(d,q,clock);
    
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
          
endmodule // top$core$0$front$outcome$gshare$swept


module top$core$0$front$outcome$gshare$taken_3(d,q,clock);
    
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
          
endmodule // top$core$0$front$outcome$gshare$taken_3


module top$core$0$front$outcome$gshare$write_3(d,q,clock);
    
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
          
endmodule // top$core$0$front$outcome$gshare$write_3


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


module top$core$0$front$pcs(clock,clear,from,to);
    
    // Module arguments
    input wire  clock;
    input wire  clear;
    input wire  [31:0] from;
    output reg  [31:0] to;
    
    // Stub signals
    reg  [31:0] stage$0$d;
    wire  [31:0] stage$0$q;
    reg  stage$0$clock;
    reg  [31:0] stage$1$d;
    wire  [31:0] stage$1$q;
    reg  stage$1$clock;
    
    // Local signals
    reg  [31:0] tail;
    
    // Sub module instances
    top$core$0$front$pcs$stage$0 stage$0(
        .d(stage$0$d),
        .q(stage$0$q),
        .clock(stage$0$clock)
    );
    top$core$0$front$pcs$stage$1 stage$1(
        .d(stage$1$d),
        .q(stage$1$q),
        .clock(stage$1$clock)
    );
    
    // Update code
    always @(*) begin
        tail = from;
        stage$0$clock = clock;
        stage$0$d = tail;
        if (clear) begin
            stage$0$d = 32'h0;
        end
        tail = stage$0$q;
        stage$1$clock = clock;
        stage$1$d = tail;
        if (clear) begin
            stage$1$d = 32'h0;
        end
        tail = stage$1$q;
        to = tail;
    end
    
endmodule // top$core$0$front$pcs


module top$core$0$front$pcs$stage$0(d,q,clock);
    
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
          
endmodule // top$core$0$front$pcs$stage$0


module top$core$0$front$pcs$stage$1(d,q,clock);
    
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
          
endmodule // top$core$0$front$pcs$stage$1


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


module top$core$0$front$target(clock,port$live,port$look,port$push,port$pop,port$branch,port$taken,port$hash,port$link,port$target,port$clear,port$ready,port$hit);
    
    // Module arguments
    input wire  clock;
    input wire  port$live;
    input wire  port$look;
    input wire  port$push;
    input wire  port$pop;
    input wire  port$branch;
    input wire  port$taken;
    input wire  [13:0] port$hash;
    input wire  [31:0] port$link;
    input wire  [31:0] port$target;
    input wire  port$clear;
    output wire  port$ready;
    output wire  port$hit;
    
    // Stub signals
    reg  ras_ibtb$clock;
    
    // Sub module instances
    top$core$0$front$target$ras_ibtb ras_ibtb(
        .clock(ras_ibtb$clock),
        .port$live(port$live),
        .port$look(port$look),
        .port$push(port$push),
        .port$pop(port$pop),
        .port$branch(port$branch),
        .port$taken(port$taken),
        .port$hash(port$hash),
        .port$link(port$link),
        .port$target(port$target),
        .port$clear(port$clear),
        .port$ready(port$ready),
        .port$hit(port$hit)
    );
    
    // Update code
    always @(*) begin
        ras_ibtb$clock = clock;
    end
    
endmodule // top$core$0$front$target


module top$core$0$front$target$ras_ibtb(clock,port$live,port$look,port$push,port$pop,port$branch,port$taken,port$hash,port$link,port$target,port$clear,port$ready,port$hit);
    
    // Module arguments
    input wire  clock;
    input wire  port$live;
    input wire  port$look;
    input wire  port$push;
    input wire  port$pop;
    input wire  port$branch;
    input wire  port$taken;
    input wire  [13:0] port$hash;
    input wire  [31:0] port$link;
    input wire  [31:0] port$target;
    input wire  port$clear;
    output reg  port$ready;
    output reg  port$hit;
    
    // Constant declarations
    localparam  one = 7'b1;
    
    // Stub signals
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
    reg  [6:0] cleared$d;
    wire  [6:0] cleared$q;
    reg  cleared$clock;
    reg  [31:0] target_2$d;
    wire  [31:0] target_2$q;
    reg  target_2$clock;
    reg  pop_2$d;
    wire  pop_2$q;
    reg  pop_2$clock;
    reg  pop_3$d;
    wire  pop_3$q;
    reg  pop_3$clock;
    reg  hit_3$d;
    wire  hit_3$q;
    reg  hit_3$clock;
    
    // Local signals
    reg  done;
    
    // Sub module instances
    top$core$0$front$target$ras_ibtb$ras ras(
        .clock(ras$clock),
        .live(ras$live),
        .push(ras$push),
        .pop(ras$pop),
        .link(ras$link),
        .target(ras$target),
        .hit(ras$hit)
    );
    top$core$0$front$target$ras_ibtb$ibtb ibtb(
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
    top$core$0$front$target$ras_ibtb$cleared cleared(
        .d(cleared$d),
        .q(cleared$q),
        .clock(cleared$clock)
    );
    top$core$0$front$target$ras_ibtb$target_2 target_2(
        .d(target_2$d),
        .q(target_2$q),
        .clock(target_2$clock)
    );
    top$core$0$front$target$ras_ibtb$pop_2 pop_2(
        .d(pop_2$d),
        .q(pop_2$q),
        .clock(pop_2$clock)
    );
    top$core$0$front$target$ras_ibtb$pop_3 pop_3(
        .d(pop_3$d),
        .q(pop_3$q),
        .clock(pop_3$clock)
    );
    top$core$0$front$target$ras_ibtb$hit_3 hit_3(
        .d(hit_3$d),
        .q(hit_3$q),
        .clock(hit_3$clock)
    );
    
    // Update code
    always @(*) begin
        cleared$clock = clock;
        target_2$clock = clock;
        pop_2$clock = clock;
        pop_3$clock = clock;
        hit_3$clock = clock;
        cleared$d = cleared$q;
        target_2$d = target_2$q;
        pop_2$d = pop_2$q;
        pop_3$d = pop_3$q;
        hit_3$d = hit_3$q;
        ras$clock = clock;
        ibtb$clock = clock;
        done = cleared$q[32'h6];
        if (~done) begin
            cleared$d = cleared$q + one;
        end
        if (port$clear) begin
            cleared$d = 32'h0;
        end
        port$ready = done;
        target_2$d = port$target;
        ras$live = port$live;
        ras$push = port$push;
        ras$pop = port$pop;
        ras$link = port$link;
        ras$target = target_2$q;
        ibtb$live = port$live;
        ibtb$look = port$look;
        ibtb$branch = port$branch;
        ibtb$taken = port$taken;
        ibtb$hash = port$hash;
        ibtb$target = target_2$q;
        ibtb$sweep = ~done;
        ibtb$index = cleared$q[(32'h0)+:(5)];
        pop_2$d = port$pop;
        pop_3$d = pop_2$q;
        hit_3$d = ras$hit;
        port$hit = ibtb$hit;
        if (pop_3$q) begin
            port$hit = hit_3$q;
        end
    end
    
endmodule // top$core$0$front$target$ras_ibtb


module top$core$0$front$target$ras_ibtb$cleared(d,q,clock);
    
    // Module arguments
    input wire  [6:0] d;
    output reg  [6:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 7'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$target$ras_ibtb$cleared


module top$core$0$front$target$ras_ibtb$hit_3(d,q,clock);
    
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
          
endmodule // top$core$0$front$target$ras_ibtb$hit_3


module top$core$0$front$target$ras_ibtb$ibtb(clock,live,look,branch,taken,hash,target,sweep,index,hit);
    
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
    top$core$0$front$target$ras_ibtb$ibtb$pir pir(
        .d(pir$d),
        .q(pir$q),
        .clock(pir$clock)
    );
    top$core$0$front$target$ras_ibtb$ibtb$tags_0 tags_0(
        .clock(tags_0$clock),
        .raddr(tags_0$raddr),
        .rdata(tags_0$rdata),
        .we(tags_0$we),
        .waddr(tags_0$waddr),
        .wdata(tags_0$wdata)
    );
    top$core$0$front$target$ras_ibtb$ibtb$tags_1 tags_1(
        .clock(tags_1$clock),
        .raddr(tags_1$raddr),
        .rdata(tags_1$rdata),
        .we(tags_1$we),
        .waddr(tags_1$waddr),
        .wdata(tags_1$wdata)
    );
    top$core$0$front$target$ras_ibtb$ibtb$look_3 look_3(
        .d(look_3$d),
        .q(look_3$q),
        .clock(look_3$clock)
    );
    top$core$0$front$target$ras_ibtb$ibtb$set_3 set_3(
        .d(set_3$d),
        .q(set_3$q),
        .clock(set_3$clock)
    );
    top$core$0$front$target$ras_ibtb$ibtb$tag_3 tag_3(
        .d(tag_3$d),
        .q(tag_3$q),
        .clock(tag_3$clock)
    );
    top$core$0$front$target$ras_ibtb$ibtb$same_3 same_3(
        .d(same_3$d),
        .q(same_3$q),
        .clock(same_3$clock)
    );
    top$core$0$front$target$ras_ibtb$ibtb$tag_same_3 tag_same_3(
        .d(tag_same_3$d),
        .q(tag_same_3$q),
        .clock(tag_same_3$clock)
    );
    top$core$0$front$target$ras_ibtb$ibtb$last_way last_way(
        .d(last_way$d),
        .q(last_way$q),
        .clock(last_way$clock)
    );
    top$core$0$front$target$ras_ibtb$ibtb$last_bank last_bank(
        .d(last_bank$d),
        .q(last_bank$q),
        .clock(last_bank$clock)
    );
    top$core$0$front$target$ras_ibtb$ibtb$last_order last_order(
        .d(last_order$d),
        .q(last_order$q),
        .clock(last_order$clock)
    );
    top$core$0$front$target$ras_ibtb$ibtb$targets targets(
        .clock(targets$clock),
        .raddr(targets$raddr),
        .rdata(targets$rdata),
        .we(targets$we),
        .waddr(targets$waddr),
        .wdata(targets$wdata)
    );
    top$core$0$front$target$ras_ibtb$ibtb$hit_4 hit_4(
        .d(hit_4$d),
        .q(hit_4$q),
        .clock(hit_4$clock)
    );
    top$core$0$front$target$ras_ibtb$ibtb$target_4 target_4(
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
    
endmodule // top$core$0$front$target$ras_ibtb$ibtb


module top$core$0$front$target$ras_ibtb$ibtb$hit_4(d,q,clock);
    
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
          
endmodule // top$core$0$front$target$ras_ibtb$ibtb$hit_4


module top$core$0$front$target$ras_ibtb$ibtb$last_bank(d,q,clock);
    
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
          
endmodule // top$core$0$front$target$ras_ibtb$ibtb$last_bank


module top$core$0$front$target$ras_ibtb$ibtb$last_order(d,q,clock);
    
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
          
endmodule // top$core$0$front$target$ras_ibtb$ibtb$last_order


module top$core$0$front$target$ras_ibtb$ibtb$last_way(d,q,clock);
    
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
          
endmodule // top$core$0$front$target$ras_ibtb$ibtb$last_way


module top$core$0$front$target$ras_ibtb$ibtb$look_3(d,q,clock);
    
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
          
endmodule // top$core$0$front$target$ras_ibtb$ibtb$look_3


module top$core$0$front$target$ras_ibtb$ibtb$pir(d,q,clock);
    
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
          
endmodule // top$core$0$front$target$ras_ibtb$ibtb$pir


module top$core$0$front$target$ras_ibtb$ibtb$same_3(d,q,clock);
    
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
          
endmodule // top$core$0$front$target$ras_ibtb$ibtb$same_3


module top$core$0$front$target$ras_ibtb$ibtb$set_3(d,q,clock);
    
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
          
endmodule // top$core$0$front$target$ras_ibtb$ibtb$set_3


module top$core$0$front$target$ras_ibtb$ibtb$tag_3(d,q,clock);
    
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
          
endmodule // top$core$0$front$target$ras_ibtb$ibtb$tag_3


module top$core$0$front$target$ras_ibtb$ibtb$tag_same_3(d,q,clock);
    
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
          
endmodule // top$core$0$front$target$ras_ibtb$ibtb$tag_same_3


module top$core$0$front$target$ras_ibtb$ibtb$tags_0(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [4:0] raddr;
    output reg  [10:0] rdata;
    input wire  we;
    input wire  [4:0] waddr;
    input wire  [10:0] wdata;
    
    // Update code (custom)
    always @(*) rdata = 11'd0;
endmodule // top$core$0$front$target$ras_ibtb$ibtb$tags_0


module top$core$0$front$target$ras_ibtb$ibtb$tags_1(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [4:0] raddr;
    output reg  [10:0] rdata;
    input wire  we;
    input wire  [4:0] waddr;
    input wire  [10:0] wdata;
    
    // Update code (custom)
    always @(*) rdata = 11'd0;
endmodule // top$core$0$front$target$ras_ibtb$ibtb$tags_1


module top$core$0$front$target$ras_ibtb$ibtb$target_4(d,q,clock);
    
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
          
endmodule // top$core$0$front$target$ras_ibtb$ibtb$target_4


module top$core$0$front$target$ras_ibtb$ibtb$targets(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [6:0] raddr;
    output reg  [31:0] rdata;
    input wire  we;
    input wire  [6:0] waddr;
    input wire  [31:0] wdata;
    
    // Update code (custom)
    always @(*) rdata = 32'd0;
endmodule // top$core$0$front$target$ras_ibtb$ibtb$targets


module top$core$0$front$target$ras_ibtb$pop_2(d,q,clock);
    
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
          
endmodule // top$core$0$front$target$ras_ibtb$pop_2


module top$core$0$front$target$ras_ibtb$pop_3(d,q,clock);
    
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
          
endmodule // top$core$0$front$target$ras_ibtb$pop_3


module top$core$0$front$target$ras_ibtb$ras(clock,live,push,pop,link,target,hit);
    
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
    top$core$0$front$target$ras_ibtb$ras$top top(
        .d(top$d),
        .q(top$q),
        .clock(top$clock)
    );
    top$core$0$front$target$ras_ibtb$ras$bank bank(
        .d(bank$d),
        .q(bank$q),
        .clock(bank$clock)
    );
    top$core$0$front$target$ras_ibtb$ras$popped popped(
        .d(popped$d),
        .q(popped$q),
        .clock(popped$clock)
    );
    top$core$0$front$target$ras_ibtb$ras$words words(
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
    
endmodule // top$core$0$front$target$ras_ibtb$ras


module top$core$0$front$target$ras_ibtb$ras$bank(d,q,clock);
    
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
          
endmodule // top$core$0$front$target$ras_ibtb$ras$bank


module top$core$0$front$target$ras_ibtb$ras$popped(d,q,clock);
    
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
          
endmodule // top$core$0$front$target$ras_ibtb$ras$popped


module top$core$0$front$target$ras_ibtb$ras$top(d,q,clock);
    
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
          
endmodule // top$core$0$front$target$ras_ibtb$ras$top


module top$core$0$front$target$ras_ibtb$ras$words(clock,raddr,rdata,we,waddr,wdata);
    
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
endmodule // top$core$0$front$target$ras_ibtb$ras$words


module top$core$0$front$target$ras_ibtb$target_2(d,q,clock);
    
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
          
endmodule // top$core$0$front$target$ras_ibtb$target_2


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


module top$core$0$front$targets(clock,clear,from,to);
    
    // Module arguments
    input wire  clock;
    input wire  clear;
    input wire  [31:0] from;
    output reg  [31:0] to;
    
    // Stub signals
    reg  [31:0] stage$0$d;
    wire  [31:0] stage$0$q;
    reg  stage$0$clock;
    reg  [31:0] stage$1$d;
    wire  [31:0] stage$1$q;
    reg  stage$1$clock;
    
    // Local signals
    reg  [31:0] tail;
    
    // Sub module instances
    top$core$0$front$targets$stage$0 stage$0(
        .d(stage$0$d),
        .q(stage$0$q),
        .clock(stage$0$clock)
    );
    top$core$0$front$targets$stage$1 stage$1(
        .d(stage$1$d),
        .q(stage$1$q),
        .clock(stage$1$clock)
    );
    
    // Update code
    always @(*) begin
        tail = from;
        stage$0$clock = clock;
        stage$0$d = tail;
        if (clear) begin
            stage$0$d = 32'h0;
        end
        tail = stage$0$q;
        stage$1$clock = clock;
        stage$1$d = tail;
        if (clear) begin
            stage$1$d = 32'h0;
        end
        tail = stage$1$q;
        to = tail;
    end
    
endmodule // top$core$0$front$targets


module top$core$0$front$targets$stage$0(d,q,clock);
    
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
          
endmodule // top$core$0$front$targets$stage$0


module top$core$0$front$targets$stage$1(d,q,clock);
    
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
          
endmodule // top$core$0$front$targets$stage$1


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


module top$core$0$ingress(clock,live,rvfi_valid,rvfi_insn,rvfi_trap,rvfi_intr,rvfi_pc_rdata,rvfi_pc_wdata,beat$live,beat$valid,beat$intr,beat$branch,beat$taken,beat$look,beat$push,beat$pop,beat$jump,beat$pc,beat$link,beat$target);
    
    // Module arguments
    input wire  clock;
    input wire  live;
    input wire  rvfi_valid;
    input wire  [31:0] rvfi_insn;
    input wire  rvfi_trap;
    input wire  rvfi_intr;
    input wire  [31:0] rvfi_pc_rdata;
    input wire  [31:0] rvfi_pc_wdata;
    output reg  beat$live;
    output reg  beat$valid;
    output reg  beat$intr;
    output reg  beat$branch;
    output reg  beat$taken;
    output reg  beat$look;
    output reg  beat$push;
    output reg  beat$pop;
    output reg  beat$jump;
    output reg  [31:0] beat$pc;
    output reg  [31:0] beat$link;
    output reg  [31:0] beat$target;
    
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
        beat$live = live_2$q;
        beat$valid = valid_2$q;
        beat$intr = intr_2$q;
        beat$branch = branch_2$q;
        beat$taken = taken_2$q;
        beat$look = look_2$q;
        beat$push = push_2$q;
        beat$pop = pop_2$q;
        beat$jump = jump_2$q;
        beat$pc = pc_2$q;
        beat$link = link_2$q;
        beat$target = target_2$q;
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


module top$encoder(clock,reset,entry$have,entry$core,entry$word,entry$cc,entry$field,entry$done,entry$ends,bits$valid,bits$count,bits$data,bits$busy,bits$ready);
    
    // Module arguments
    input wire  clock;
    input wire  reset;
    input wire  entry$have;
    input wire  [3:0] entry$core;
    input wire  [31:0] entry$word;
    input wire  [31:0] entry$cc;
    output reg  [1:0] entry$field;
    output reg  entry$done;
    output reg  entry$ends;
    output reg  bits$valid;
    output reg  [3:0] bits$count;
    output reg  [7:0] bits$data;
    output reg  bits$busy;
    input wire  bits$ready;
    
    // Constant declarations
    localparam  many = 1'b0;
    localparam  mask = 32'h7fffffff;
    
    // Enums
    localparam FieldStep$Count = 0;
    localparam FieldStep$Kind = 1;
    localparam FieldStep$Instructions = 2;
    localparam FieldStep$Lost = 3;
    localparam FieldStep$Address = 4;
    
    // Stub signals
    reg  [2:0] fields$step;
    reg  fields$told;
    reg  fields$second;
    reg  [1:0] fields$pre;
    reg  [1:0] fields$post;
    reg  [31:0] fields$word;
    reg  [31:0] fields$cc;
    wire  [2:0] fields$kind;
    wire  [5:0] fields$size;
    wire  [31:0] fields$value;
    wire  fields$lead;
    wire  [1:0] fields$own_field;
    wire  [1:0] fields$next_field;
    wire  [2:0] fields$next_step;
    wire  fields$last;
    wire  fields$is_time;
    wire  fields$again;
    wire  [1:0] fields$new_pre;
    wire  [1:0] fields$new_post;
    wire  fields$sync;
    wire  fields$ends;
    reg  coder$clock;
    reg  coder$port$reset;
    reg  coder$port$valid;
    reg  [2:0] coder$port$kind;
    reg  [5:0] coder$port$size;
    reg  [31:0] coder$port$value;
    reg  [31:0] coder$port$minus;
    reg  coder$port$lead;
    reg  [3:0] coder$port$core;
    reg  coder$port$taken;
    wire  coder$port$ready;
    wire  coder$port$have;
    wire  [3:0] coder$port$count;
    wire  [7:0] coder$port$data;
    wire  coder$port$busy;
    reg  [2:0] step$d;
    wire  [2:0] step$q;
    reg  step$clock;
    reg  told$d;
    wire  told$q;
    reg  told$clock;
    reg  second$d;
    wire  second$q;
    reg  second$clock;
    reg  [1:0] pre$d;
    wire  [1:0] pre$q;
    reg  pre$clock;
    reg  [1:0] post$d;
    wire  [1:0] post$q;
    reg  post$clock;
    reg  pta$clock;
    reg  [3:0] pta$raddr;
    wire  [31:0] pta$rdata;
    reg  pta$we;
    reg  [3:0] pta$waddr;
    reg  [31:0] pta$wdata;
    reg  [31:0] own_pta$d;
    wire  [31:0] own_pta$q;
    reg  own_pta$clock;
    
    // Local signals
    reg  take;
    reg  [31:0] known;
    
    // Sub module instances
    top$encoder$fields fields(
        .step(fields$step),
        .told(fields$told),
        .second(fields$second),
        .pre(fields$pre),
        .post(fields$post),
        .word(fields$word),
        .cc(fields$cc),
        .kind(fields$kind),
        .size(fields$size),
        .value(fields$value),
        .lead(fields$lead),
        .own_field(fields$own_field),
        .next_field(fields$next_field),
        .next_step(fields$next_step),
        .last(fields$last),
        .is_time(fields$is_time),
        .again(fields$again),
        .new_pre(fields$new_pre),
        .new_post(fields$new_post),
        .sync(fields$sync),
        .ends(fields$ends)
    );
    top$encoder$coder coder(
        .clock(coder$clock),
        .port$reset(coder$port$reset),
        .port$valid(coder$port$valid),
        .port$kind(coder$port$kind),
        .port$size(coder$port$size),
        .port$value(coder$port$value),
        .port$minus(coder$port$minus),
        .port$lead(coder$port$lead),
        .port$core(coder$port$core),
        .port$taken(coder$port$taken),
        .port$ready(coder$port$ready),
        .port$have(coder$port$have),
        .port$count(coder$port$count),
        .port$data(coder$port$data),
        .port$busy(coder$port$busy)
    );
    top$encoder$step step(
        .d(step$d),
        .q(step$q),
        .clock(step$clock)
    );
    top$encoder$told told(
        .d(told$d),
        .q(told$q),
        .clock(told$clock)
    );
    top$encoder$second second(
        .d(second$d),
        .q(second$q),
        .clock(second$clock)
    );
    top$encoder$pre pre(
        .d(pre$d),
        .q(pre$q),
        .clock(pre$clock)
    );
    top$encoder$post post(
        .d(post$d),
        .q(post$q),
        .clock(post$clock)
    );
    top$encoder$pta pta(
        .clock(pta$clock),
        .raddr(pta$raddr),
        .rdata(pta$rdata),
        .we(pta$we),
        .waddr(pta$waddr),
        .wdata(pta$wdata)
    );
    top$encoder$own_pta own_pta(
        .d(own_pta$d),
        .q(own_pta$q),
        .clock(own_pta$clock)
    );
    
    // Update code
    always @(*) begin
        step$clock = clock;
        told$clock = clock;
        second$clock = clock;
        pre$clock = clock;
        post$clock = clock;
        own_pta$clock = clock;
        step$d = step$q;
        told$d = told$q;
        second$d = second$q;
        pre$d = pre$q;
        post$d = post$q;
        own_pta$d = own_pta$q;
        coder$clock = clock;
        pta$clock = clock;
        fields$step = step$q;
        fields$told = told$q;
        fields$second = second$q;
        fields$pre = pre$q;
        fields$post = post$q;
        fields$word = entry$word;
        fields$cc = entry$cc;
        known = own_pta$q;
        if (many) begin
            known = pta$rdata;
        end
        coder$port$minus = known;
        if (fields$sync) begin
            coder$port$minus = mask;
        end
        coder$port$reset = reset;
        coder$port$valid = entry$have;
        coder$port$kind = fields$kind;
        coder$port$size = fields$size;
        coder$port$lead = fields$lead;
        coder$port$value = fields$value;
        coder$port$core = entry$core;
        coder$port$taken = bits$ready;
        bits$valid = coder$port$have;
        bits$count = coder$port$count;
        bits$data = coder$port$data;
        bits$busy = coder$port$busy;
        take = entry$have & coder$port$ready;
        entry$field = fields$own_field;
        pta$raddr = entry$core;
        pta$waddr = entry$core;
        pta$wdata = ~entry$word & mask;
        pta$we = 1'b0;
        if (take) begin
            entry$field = fields$next_field;
            step$d = fields$next_step;
            pre$d = fields$new_pre;
            post$d = fields$new_post;
            told$d = fields$is_time;
            second$d = (second$q | fields$again) & ~fields$last;
            if (step$q == FieldStep$Address) begin
                pta$we = many;
                own_pta$d = ~entry$word & mask;
            end
        end
        entry$done = take & fields$last;
        entry$ends = fields$ends;
        if (reset) begin
            step$d = FieldStep$Count;
            told$d = 1'b0;
            second$d = 1'b0;
        end
    end
    
endmodule // top$encoder


module top$encoder$coder(clock,port$reset,port$valid,port$kind,port$size,port$value,port$minus,port$lead,port$core,port$taken,port$ready,port$have,port$count,port$data,port$busy);
    
    // Module arguments
    input wire  clock;
    input wire  port$reset;
    input wire  port$valid;
    input wire  [2:0] port$kind;
    input wire  [5:0] port$size;
    input wire  [31:0] port$value;
    input wire  [31:0] port$minus;
    input wire  port$lead;
    input wire  [3:0] port$core;
    input wire  port$taken;
    output wire  port$ready;
    output wire  port$have;
    output wire  [3:0] port$count;
    output wire  [7:0] port$data;
    output wire  port$busy;
    
    // Stub signals
    reg  chunked$clock;
    
    // Sub module instances
    top$encoder$coder$chunked chunked(
        .clock(chunked$clock),
        .port$reset(port$reset),
        .port$valid(port$valid),
        .port$kind(port$kind),
        .port$size(port$size),
        .port$value(port$value),
        .port$minus(port$minus),
        .port$lead(port$lead),
        .port$core(port$core),
        .port$taken(port$taken),
        .port$ready(port$ready),
        .port$have(port$have),
        .port$count(port$count),
        .port$data(port$data),
        .port$busy(port$busy)
    );
    
    // Update code
    always @(*) begin
        chunked$clock = clock;
    end
    
endmodule // top$encoder$coder


module top$encoder$coder$chunked(clock,port$reset,port$valid,port$kind,port$size,port$value,port$minus,port$lead,port$core,port$taken,port$ready,port$have,port$count,port$data,port$busy);
    
    // Module arguments
    input wire  clock;
    input wire  port$reset;
    input wire  port$valid;
    input wire  [2:0] port$kind;
    input wire  [5:0] port$size;
    input wire  [31:0] port$value;
    input wire  [31:0] port$minus;
    input wire  port$lead;
    input wire  [3:0] port$core;
    input wire  port$taken;
    output reg  port$ready;
    output reg  port$have;
    output reg  [3:0] port$count;
    output reg  [7:0] port$data;
    output reg  port$busy;
    
    // Constant declarations
    localparam  k_raw = 3'b0;
    localparam  k_count = 3'b1;
    localparam  k_address = 3'b10;
    localparam  k_cycles = 3'b11;
    localparam  b_first = 6'b10;
    localparam  b_next = 4'h1;
    localparam  t_first = 6'b10;
    localparam  t_next = 4'h3;
    localparam  c_first = 6'b11;
    localparam  c_next = 4'h1;
    localparam  i_first = 6'b1;
    localparam  i_next = 4'h1;
    localparam  long_lead = 1'b0;
    localparam  ti_at = 3'b0;
    localparam  ti_bits = 4'h0;
    localparam  mask = 32'h7fffffff;
    localparam  sign_bit = 32'h40000000;
    localparam  one_w = 32'h1;
    localparam  one_4 = 4'h1;
    localparam  three = 6'b11;
    localparam  four = 6'b100;
    
    // Stub signals
    reg  [31:0] v$d;
    wire  [31:0] v$q;
    reg  v$clock;
    reg  [5:0] left$d;
    wire  [5:0] left$q;
    reg  left$clock;
    reg  [3:0] again$d;
    wire  [3:0] again$q;
    reg  again$clock;
    reg  raw$d;
    wire  raw$q;
    reg  raw$clock;
    reg  address$d;
    wire  address$q;
    reg  address$clock;
    reg  negative$d;
    wire  negative$q;
    reg  negative$clock;
    reg  lead$d;
    wire  lead$q;
    reg  lead$clock;
    reg  [3:0] core$d;
    wire  [3:0] core$q;
    reg  core$clock;
    reg  busy$d;
    wire  busy$q;
    reg  busy$clock;
    reg  ends$d;
    wire  ends$q;
    reg  ends$clock;
    reg  whole$d;
    wire  whole$q;
    reg  whole$clock;
    reg  below$d;
    wire  below$q;
    reg  below$clock;
    reg  settled$d;
    wire  settled$q;
    reg  settled$clock;
    
    // Local signals
    reg  tail;
    reg  [5:0] full;
    reg  [3:0] bits;
    reg  [3:0] low;
    reg  [31:0] rest;
    reg  connect;
    reg  sign;
    reg  [7:0] behind;
    reg  [7:0] own;
    reg  [3:0] extra;
    reg  [5:0] after_left;
    reg  after_tail;
    reg  [3:0] after_bits;
    reg  then_tail;
    reg  [3:0] gone;
    reg  more;
    reg  [5:0] first;
    reg  [3:0] next;
    reg  free;
    reg  is_address;
    reg  is_raw;
    reg  new_tail;
    reg  [3:0] new_bits;
    reg  new_more;
    reg  [31:0] left_term;
    reg  [31:0] right_term;
    reg  [31:0] sum;
    
    // Sub module instances
    top$encoder$coder$chunked$v v(
        .d(v$d),
        .q(v$q),
        .clock(v$clock)
    );
    top$encoder$coder$chunked$left left(
        .d(left$d),
        .q(left$q),
        .clock(left$clock)
    );
    top$encoder$coder$chunked$again again(
        .d(again$d),
        .q(again$q),
        .clock(again$clock)
    );
    top$encoder$coder$chunked$raw raw(
        .d(raw$d),
        .q(raw$q),
        .clock(raw$clock)
    );
    top$encoder$coder$chunked$address address(
        .d(address$d),
        .q(address$q),
        .clock(address$clock)
    );
    top$encoder$coder$chunked$negative negative(
        .d(negative$d),
        .q(negative$q),
        .clock(negative$clock)
    );
    top$encoder$coder$chunked$lead lead(
        .d(lead$d),
        .q(lead$q),
        .clock(lead$clock)
    );
    top$encoder$coder$chunked$core core(
        .d(core$d),
        .q(core$q),
        .clock(core$clock)
    );
    top$encoder$coder$chunked$busy busy(
        .d(busy$d),
        .q(busy$q),
        .clock(busy$clock)
    );
    top$encoder$coder$chunked$ends ends(
        .d(ends$d),
        .q(ends$q),
        .clock(ends$clock)
    );
    top$encoder$coder$chunked$whole whole(
        .d(whole$d),
        .q(whole$q),
        .clock(whole$clock)
    );
    top$encoder$coder$chunked$below below(
        .d(below$d),
        .q(below$q),
        .clock(below$clock)
    );
    top$encoder$coder$chunked$settled settled(
        .d(settled$d),
        .q(settled$q),
        .clock(settled$clock)
    );
    
    // Update code
    always @(*) begin
        v$clock = clock;
        left$clock = clock;
        again$clock = clock;
        raw$clock = clock;
        address$clock = clock;
        negative$clock = clock;
        lead$clock = clock;
        core$clock = clock;
        busy$clock = clock;
        whole$clock = clock;
        below$clock = clock;
        settled$clock = clock;
        ends$clock = clock;
        v$d = v$q;
        left$d = left$q;
        again$d = again$q;
        raw$d = raw$q;
        address$d = address$q;
        negative$d = negative$q;
        lead$d = lead$q;
        core$d = core$q;
        busy$d = busy$q;
        whole$d = whole$q;
        below$d = below$q;
        settled$d = settled$q;
        ends$d = ends$q;
        tail = ~|left$q[(32'h2)+:(4)];
        full = four;
        if (lead$q & long_lead) begin
            tail = left$q < three;
            full = three;
        end
        bits = full[(32'h0)+:(4)];
        if (tail) begin
            bits = left$q[(32'h0)+:(4)] + one_4;
        end
        connect = tail & ~raw$q;
        sign = ends$q & address$q;
        behind = 32'h0;
        if (connect & ~ends$q) begin
            behind = 32'h1;
        end
        if (sign & negative$q) begin
            behind = 32'h2;
        end
        low = v$q[(32'h0)+:(4)];
        case (bits)
            1:
                begin
                    rest = v$q >> 32'h1;
                    own = ((low[(32'h0)+:(1)]) & 8'hff) | (behind << 32'h1);
                end
            2:
                begin
                    rest = v$q >> 32'h2;
                    own = ((low[(32'h0)+:(2)]) & 8'hff) | (behind << 32'h2);
                end
            3:
                begin
                    rest = v$q >> 32'h3;
                    own = ((low[(32'h0)+:(3)]) & 8'hff) | (behind << 32'h3);
                end
            default:
                begin
                    rest = v$q >> 32'h4;
                    own = ((low) & 8'hff) | (behind << 32'h4);
                end
        endcase
        extra = 32'h0;
        if (connect) begin
            extra = 32'h1;
        end
        if (sign) begin
            extra = 32'h2;
        end
        port$data = own;
        port$count = bits + extra;
        if (lead$q) begin
            port$data = ((own << ti_at) & 8'hff) | ((core$q) & 8'hff);
            port$count = bits + extra + ti_bits;
        end
        port$have = busy$q;
        port$busy = busy$q | whole$q | below$q | settled$q;
        free = ~busy$q;
        after_left = left$q - full;
        if (tail) begin
            after_left = ((again$q) & 6'h3f);
        end
        after_tail = ~|after_left[(32'h2)+:(4)];
        after_bits = four[(32'h0)+:(4)];
        if (after_tail) begin
            after_bits = after_left[(32'h0)+:(4)] + one_4;
        end
        then_tail = tail;
        gone = bits;
        if (busy$q & port$taken) begin
            v$d = rest;
            left$d = after_left;
            lead$d = 1'b0;
            busy$d = ~ends$q;
            free = ends$q;
            then_tail = after_tail;
            gone = bits + after_bits;
        end
        case (gone)
            1:
                begin
                    more = |(v$q >> 32'h1);
                end
            2:
                begin
                    more = |(v$q >> 32'h2);
                end
            3:
                begin
                    more = |(v$q >> 32'h3);
                end
            4:
                begin
                    more = |(v$q >> 32'h4);
                end
            5:
                begin
                    more = |(v$q >> 32'h5);
                end
            6:
                begin
                    more = |(v$q >> 32'h6);
                end
            7:
                begin
                    more = |(v$q >> 32'h7);
                end
            default:
                begin
                    more = |(v$q >> 32'h8);
                end
        endcase
        ends$d = then_tail & (raw$q | ~more);
        first = i_first;
        next = i_next;
        if (port$kind == k_count) begin
            first = b_first;
            next = b_next;
        end
        if (port$kind == k_cycles) begin
            first = c_first;
            next = c_next;
        end
        is_address = port$kind == k_address;
        if (is_address) begin
            first = t_first;
            next = t_next;
        end
        is_raw = port$kind == k_raw;
        if (is_raw) begin
            first = port$size;
        end
        new_tail = ~|first[(32'h2)+:(4)];
        new_bits = four[(32'h0)+:(4)];
        if (port$lead & long_lead) begin
            new_tail = first < three;
            new_bits = three[(32'h0)+:(4)];
        end
        if (new_tail) begin
            new_bits = first[(32'h0)+:(4)] + one_4;
        end
        case (new_bits)
            1:
                begin
                    new_more = |(port$value >> 32'h1);
                end
            2:
                begin
                    new_more = |(port$value >> 32'h2);
                end
            3:
                begin
                    new_more = |(port$value >> 32'h3);
                end
            default:
                begin
                    new_more = |(port$value >> 32'h4);
                end
        endcase
        left_term = v$q;
        right_term = port$minus;
        if (below$q) begin
            left_term = ~v$q;
            right_term = 32'h0;
        end
        sum = left_term + right_term + one_w;
        port$ready = 1'b0;
        if (settled$q) begin
            settled$d = 1'b0;
            busy$d = 1'b1;
        end
        else if (below$q) begin
            below$d = 1'b0;
            settled$d = 1'b1;
            v$d = sum & mask;
        end
        else if (whole$q) begin
            port$ready = 1'b1;
            whole$d = 1'b0;
            negative$d = |(sum & sign_bit);
            below$d = |(sum & sign_bit);
            settled$d = ~|(sum & sign_bit);
            v$d = sum & mask;
        end
        else if (free & port$valid) begin
            port$ready = ~is_address;
            v$d = port$value;
            left$d = first;
            again$d = next;
            raw$d = is_raw;
            ends$d = new_tail & (is_raw | ~new_more);
            address$d = is_address;
            whole$d = is_address;
            busy$d = ~is_address;
            lead$d = port$lead;
            core$d = port$core;
        end
        if (port$reset) begin
            busy$d = 1'b0;
            whole$d = 1'b0;
            below$d = 1'b0;
            settled$d = 1'b0;
            lead$d = 1'b0;
        end
    end
    
endmodule // top$encoder$coder$chunked


module top$encoder$coder$chunked$address(d,q,clock);
    
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
          
endmodule // top$encoder$coder$chunked$address


module top$encoder$coder$chunked$again(d,q,clock);
    
    // Module arguments
    input wire  [3:0] d;
    output reg  [3:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 4'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$encoder$coder$chunked$again


module top$encoder$coder$chunked$below(d,q,clock);
    
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
          
endmodule // top$encoder$coder$chunked$below


module top$encoder$coder$chunked$busy(d,q,clock);
    
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
          
endmodule // top$encoder$coder$chunked$busy


module top$encoder$coder$chunked$core(d,q,clock);
    
    // Module arguments
    input wire  [3:0] d;
    output reg  [3:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 4'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$encoder$coder$chunked$core


module top$encoder$coder$chunked$ends(d,q,clock);
    
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
          
endmodule // top$encoder$coder$chunked$ends


module top$encoder$coder$chunked$lead(d,q,clock);
    
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
          
endmodule // top$encoder$coder$chunked$lead


module top$encoder$coder$chunked$left(d,q,clock);
    
    // Module arguments
    input wire  [5:0] d;
    output reg  [5:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 6'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$encoder$coder$chunked$left


module top$encoder$coder$chunked$negative(d,q,clock);
    
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
          
endmodule // top$encoder$coder$chunked$negative


module top$encoder$coder$chunked$raw(d,q,clock);
    
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
          
endmodule // top$encoder$coder$chunked$raw


module top$encoder$coder$chunked$settled(d,q,clock);
    
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
          
endmodule // top$encoder$coder$chunked$settled


module top$encoder$coder$chunked$v(d,q,clock);
    
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
          
endmodule // top$encoder$coder$chunked$v


module top$encoder$coder$chunked$whole(d,q,clock);
    
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
          
endmodule // top$encoder$coder$chunked$whole


module top$encoder$fields(step,told,second,pre,post,word,cc,kind,size,value,lead,own_field,next_field,next_step,last,is_time,again,new_pre,new_post,sync,ends);
    
    // Module arguments
    input wire  [2:0] step;
    input wire  told;
    input wire  second;
    input wire  [1:0] pre;
    input wire  [1:0] post;
    input wire  [31:0] word;
    input wire  [31:0] cc;
    output reg  [2:0] kind;
    output reg  [5:0] size;
    output reg  [31:0] value;
    output reg  lead;
    output reg  [1:0] own_field;
    output reg  [1:0] next_field;
    output reg  [2:0] next_step;
    output reg  last;
    output reg  is_time;
    output reg  again;
    output reg  [1:0] new_pre;
    output reg  [1:0] new_post;
    output reg  sync;
    output reg  ends;
    
    // Constant declarations
    localparam  timed = 1'b0;
    localparam  many = 1'b0;
    localparam  mask = 32'h7fffffff;
    localparam  count_mask = 32'hfffff;
    localparam  kinds_at = 5'b10100;
    localparam  c_raw = 3'b0;
    localparam  c_count = 3'b1;
    localparam  c_address = 3'b10;
    localparam  c_cycles = 3'b11;
    localparam  c_instructions = 3'b100;
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
    localparam  kind_size = 6'b11;
    localparam  kind_sync = 4'h1;
    localparam  kind_overflow = 4'h3;
    localparam  kind_stop = 4'h5;
    localparam  kind_progress = 4'h7;
    
    // Enums
    localparam FieldStep$Count = 0;
    localparam FieldStep$Kind = 1;
    localparam FieldStep$Instructions = 2;
    localparam FieldStep$Lost = 3;
    localparam FieldStep$Address = 4;
    
    // Local signals
    reg  begins;
    reg  [3:0] special;
    reg  [31:0] kinds;
    reg  [1:0] own_pre;
    reg  [1:0] own_post;
    reg  escape;
    reg  exception;
    reg  synced;
    reg  control;
    reg  overflow;
    reg  has_pc;
    
    // Update code
    always @(*) begin
        begins = step == FieldStep$Count;
        kinds = word >> kinds_at;
        own_pre = pre;
        own_post = post;
        if (begins) begin
            own_pre = kinds[(32'h0)+:(2)];
            own_post = kinds[(32'h2)+:(2)];
            if (second) begin
                own_pre = 32'h0;
            end
        end
        exception = own_pre == k_exception;
        synced = own_pre == k_sync;
        control = own_pre == k_control;
        overflow = control & (own_post == k_overflow);
        has_pc = exception | synced;
        escape = |own_pre | (own_post == k_progress);
        special = kind_progress;
        if (control) begin
            special = kind_stop;
        end
        if (overflow) begin
            special = kind_overflow;
        end
        if (synced) begin
            special = kind_sync;
        end
        if (exception) begin
            special = 32'h0;
        end
        kind = c_count;
        value = word & count_mask;
        own_field = f_count;
        next_field = f_count;
        next_step = FieldStep$Count;
        last = 1'b0;
        is_time = 1'b0;
        again = 1'b0;
        lead = 1'b0;
        size = kind_size;
        case (step)
            FieldStep$Count:
                begin
                    if (timed & ~told) begin
                        is_time = 1'b1;
                        kind = c_cycles;
                        value = ((cc) & 32'hffffffff);
                        if (second) begin
                            value = 32'h0;
                        end
                    end
                    else begin
                        lead = many;
                        if (escape) begin
                            value = 32'h0;
                            next_step = FieldStep$Kind;
                            next_field = f_instructions;
                        end
                        else if (own_post == k_target) begin
                            next_step = FieldStep$Address;
                            next_field = f_target;
                        end
                        else begin
                            last = 1'b1;
                        end
                    end
                end
            FieldStep$Kind:
                begin
                    kind = c_raw;
                    value = ((special) & 32'hffffffff);
                    if (exception) begin
                        size = 32'h0;
                    end
                    own_field = f_instructions;
                    next_field = f_instructions;
                    next_step = FieldStep$Instructions;
                end
            FieldStep$Instructions:
                begin
                    kind = c_instructions;
                    own_field = f_instructions;
                    if (has_pc) begin
                        next_step = FieldStep$Address;
                        next_field = f_pc;
                    end
                    else if (overflow) begin
                        next_step = FieldStep$Lost;
                    end
                    else begin
                        last = 1'b1;
                    end
                end
            FieldStep$Lost:
                begin
                    kind = c_instructions;
                    last = 1'b1;
                end
            FieldStep$Address:
                begin
                    kind = c_address;
                    value = word & mask;
                    own_field = f_target;
                    last = 1'b1;
                    if (has_pc) begin
                        own_field = f_pc;
                        if (own_post != k_none) begin
                            last = 1'b0;
                            again = 1'b1;
                        end
                    end
                end
        endcase
        new_pre = own_pre;
        new_post = own_post;
        sync = synced;
        ends = control & ~overflow;
    end
    
endmodule // top$encoder$fields


module top$encoder$own_pta(d,q,clock);
    
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
          
endmodule // top$encoder$own_pta


module top$encoder$post(d,q,clock);
    
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
          
endmodule // top$encoder$post


module top$encoder$pre(d,q,clock);
    
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
          
endmodule // top$encoder$pre


module top$encoder$pta(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [3:0] raddr;
    output reg  [31:0] rdata;
    input wire  we;
    input wire  [3:0] waddr;
    input wire  [31:0] wdata;
    
    // Update code (custom)
    always @(*) rdata = 32'd0;
endmodule // top$encoder$pta


module top$encoder$second(d,q,clock);
    
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
          
endmodule // top$encoder$second


module top$encoder$step(d,q,clock);
    
    // Module arguments
    input wire  [2:0] d;
    output reg  [2:0] q;
    input wire  clock;
    
    // Enums
    localparam FieldStep$Count = 0;
    localparam FieldStep$Kind = 1;
    localparam FieldStep$Instructions = 2;
    localparam FieldStep$Lost = 3;
    localparam FieldStep$Address = 4;
    
    // Update code (custom)
    initial begin
       q = 64'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$encoder$step


module top$encoder$told(d,q,clock);
    
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
          
endmodule // top$encoder$told


module top$spine(clock,reset,bus$addr,bus$write,bus$wdata,bus$rdata,words$valid,words$data,words$ready,control$0$enable,control$0$full,control$0$drained,control$0$stop_go,control$0$ready,control$0$stop_ready,control$0$lost,entry$0$push,entry$0$pre,entry$0$post,entry$0$icnt,entry$0$bcnt,entry$0$pc,entry$0$target,entry$0$cc,read$have,read$core,read$word,read$cc,read$field,read$done,read$ends,coded$valid,coded$count,coded$data,coded$busy,coded$ready);
    
    // Module arguments
    input wire  clock;
    input wire  reset;
    input wire  [2:0] bus$addr;
    input wire  bus$write;
    input wire  [31:0] bus$wdata;
    output wire  [31:0] bus$rdata;
    output reg  words$valid;
    output reg  [31:0] words$data;
    input wire  words$ready;
    output reg  control$0$enable;
    output reg  control$0$full;
    output reg  control$0$drained;
    output reg  control$0$stop_go;
    input wire  control$0$ready;
    input wire  control$0$stop_ready;
    input wire  control$0$lost;
    input wire  entry$0$push;
    input wire  [1:0] entry$0$pre;
    input wire  [1:0] entry$0$post;
    input wire  [23:0] entry$0$icnt;
    input wire  [23:0] entry$0$bcnt;
    input wire  [31:0] entry$0$pc;
    input wire  [31:0] entry$0$target;
    input wire  [31:0] entry$0$cc;
    output reg  read$have;
    output reg  [3:0] read$core;
    output reg  [31:0] read$word;
    output reg  [31:0] read$cc;
    input wire  [1:0] read$field;
    input wire  read$done;
    input wire  read$ends;
    input wire  coded$valid;
    input wire  [3:0] coded$count;
    input wire  [7:0] coded$data;
    input wire  coded$busy;
    output wire  coded$ready;
    
    // Constant declarations
    localparam  first = 2'b0;
    
    // Stub signals
    reg  fifo$0$clock;
    reg  fifo$0$reset;
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
    wire  merger$empty;
    reg  session$clock;
    reg  session$reset;
    reg  session$enable;
    reg  session$ready;
    wire  session$tracing;
    wire  session$active;
    reg  session$show;
    wire  session$have;
    reg  session$done;
    reg  session$ends;
    wire  session$bits$valid;
    wire  [3:0] session$bits$count;
    wire  [7:0] session$bits$data;
    wire  session$bits$busy;
    reg  session$bits$ready;
    reg  session$aligned;
    reg  packer$clock;
    reg  packer$reset;
    reg  packer$bits$valid;
    reg  [3:0] packer$bits$count;
    reg  [7:0] packer$bits$data;
    reg  packer$bits$busy;
    wire  packer$bits$ready;
    wire  packer$aligned;
    wire  packer$words$valid;
    wire  [31:0] packer$words$data;
    reg  packer$words$ready;
    reg  registers$clock;
    reg  registers$reset;
    reg  registers$ready;
    reg  registers$active;
    reg  registers$idle;
    reg  [15:0] registers$overflow;
    wire  registers$enable;
    
    // Local signals
    reg  all_ready;
    reg  all_stopped;
    reg  [15:0] pushes;
    reg  [15:0] haves;
    reg  [15:0] losses;
    reg  [31:0] word;
    reg  [31:0] cc;
    
    // Sub module instances
    top$spine$fifo$0 fifo$0(
        .clock(fifo$0$clock),
        .reset(fifo$0$reset),
        .entry$push(entry$0$push),
        .entry$pre(entry$0$pre),
        .entry$post(entry$0$post),
        .entry$icnt(entry$0$icnt),
        .entry$bcnt(entry$0$bcnt),
        .entry$pc(entry$0$pc),
        .entry$target(entry$0$target),
        .entry$cc(entry$0$cc),
        .full(fifo$0$full),
        .empty(fifo$0$empty),
        .have(fifo$0$have),
        .pop(fifo$0$pop),
        .field(fifo$0$field),
        .word(fifo$0$word),
        .cc(fifo$0$cc)
    );
    top$spine$merger merger(
        .clock(merger$clock),
        .reset(merger$reset),
        .pushes(merger$pushes),
        .have(merger$have),
        .core(merger$core),
        .show(merger$show),
        .done(merger$done),
        .empty(merger$empty)
    );
    top$spine$session session(
        .clock(session$clock),
        .reset(session$reset),
        .enable(session$enable),
        .ready(session$ready),
        .tracing(session$tracing),
        .active(session$active),
        .show(session$show),
        .have(session$have),
        .done(session$done),
        .ends(session$ends),
        .coded$valid(coded$valid),
        .coded$count(coded$count),
        .coded$data(coded$data),
        .coded$busy(coded$busy),
        .coded$ready(coded$ready),
        .bits$valid(session$bits$valid),
        .bits$count(session$bits$count),
        .bits$data(session$bits$data),
        .bits$busy(session$bits$busy),
        .bits$ready(session$bits$ready),
        .aligned(session$aligned)
    );
    top$spine$packer packer(
        .clock(packer$clock),
        .reset(packer$reset),
        .bits$valid(packer$bits$valid),
        .bits$count(packer$bits$count),
        .bits$data(packer$bits$data),
        .bits$busy(packer$bits$busy),
        .bits$ready(packer$bits$ready),
        .aligned(packer$aligned),
        .words$valid(packer$words$valid),
        .words$data(packer$words$data),
        .words$ready(packer$words$ready)
    );
    top$spine$registers registers(
        .clock(registers$clock),
        .reset(registers$reset),
        .bus$addr(bus$addr),
        .bus$write(bus$write),
        .bus$wdata(bus$wdata),
        .bus$rdata(bus$rdata),
        .ready(registers$ready),
        .active(registers$active),
        .idle(registers$idle),
        .overflow(registers$overflow),
        .enable(registers$enable)
    );
    
    // Update code
    always @(*) begin
        merger$clock = clock;
        session$clock = clock;
        packer$clock = clock;
        registers$clock = clock;
        merger$reset = reset;
        session$reset = reset;
        packer$reset = reset;
        registers$reset = reset;
        pushes = 32'h0;
        haves = 32'h0;
        losses = 32'h0;
        all_ready = 1'b1;
        all_stopped = 1'b1;
        word = 32'h0;
        cc = 32'h0;
        fifo$0$clock = clock;
        fifo$0$reset = reset;
        fifo$0$field = first;
        fifo$0$pop = 1'b0;
        if (merger$core == 0) begin
            fifo$0$field = read$field;
            fifo$0$pop = read$done;
        end
        control$0$full = fifo$0$full;
        control$0$drained = fifo$0$empty;
        control$0$enable = session$tracing;
        pushes = (pushes & ~(1 << (0)) | ((entry$0$push) << (0)));
        haves = (haves & ~(1 << (0)) | ((fifo$0$have) << (0)));
        losses = (losses & ~(1 << (0)) | ((control$0$lost) << (0)));
        if (~control$0$ready) begin
            all_ready = 1'b0;
        end
        if (~control$0$stop_ready) begin
            all_stopped = 1'b0;
        end
        if (merger$core == 0) begin
            word = fifo$0$word;
            cc = fifo$0$cc;
        end
        control$0$stop_go = all_stopped;
        merger$pushes = pushes;
        merger$have = haves;
        merger$done = read$done;
        session$show = merger$show;
        session$done = read$done;
        session$ends = read$ends;
        read$have = session$have;
        read$core = merger$core;
        read$word = word;
        read$cc = cc;
        session$aligned = packer$aligned;
        words$valid = packer$words$valid;
        words$data = packer$words$data;
        packer$words$ready = words$ready;
        session$enable = registers$enable;
        session$ready = all_ready;
        registers$ready = all_ready;
        registers$active = session$tracing;
        registers$idle = ~session$active & ~packer$words$valid & ~registers$enable;
        registers$overflow = losses;
    end
    
    always @(*) packer$bits$valid = session$bits$valid;
    always @(*) packer$bits$count = session$bits$count;
    always @(*) packer$bits$data = session$bits$data;
    always @(*) packer$bits$busy = session$bits$busy;
    always @(*) session$bits$ready = packer$bits$ready;
endmodule // top$spine


module top$spine$fifo$0(clock,reset,entry$push,entry$pre,entry$post,entry$icnt,entry$bcnt,entry$pc,entry$target,entry$cc,full,empty,have,pop,field,word,cc);
    
    // Module arguments
    input wire  clock;
    input wire  reset;
    input wire  entry$push;
    input wire  [1:0] entry$pre;
    input wire  [1:0] entry$post;
    input wire  [23:0] entry$icnt;
    input wire  [23:0] entry$bcnt;
    input wire  [31:0] entry$pc;
    input wire  [31:0] entry$target;
    input wire  [31:0] entry$cc;
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
    reg  fresh$d;
    wire  fresh$q;
    reg  fresh$clock;
    
    // Local signals
    reg  [7:0] next_read;
    reg  write_bit;
    reg  read_bit;
    reg  accept;
    reg  [31:0] kinds;
    reg  [8:0] delta;
    reg  [8:0] low;
    reg  none;
    
    // Sub module instances
    top$spine$fifo$0$entries entries(
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
    top$spine$fifo$0$ccs ccs(
        .clock(ccs$clock),
        .raddr(ccs$raddr),
        .rdata(ccs$rdata),
        .we(ccs$we),
        .waddr(ccs$waddr),
        .wdata(ccs$wdata)
    );
    top$spine$fifo$0$write write(
        .d(write$d),
        .q(write$q),
        .clock(write$clock)
    );
    top$spine$fifo$0$read read(
        .d(read$d),
        .q(read$q),
        .clock(read$clock)
    );
    top$spine$fifo$0$count count(
        .d(count$d),
        .q(count$q),
        .clock(count$clock)
    );
    top$spine$fifo$0$fresh fresh(
        .d(fresh$d),
        .q(fresh$q),
        .clock(fresh$clock)
    );
    
    // Update code
    always @(*) begin
        write$clock = clock;
        read$clock = clock;
        count$clock = clock;
        fresh$clock = clock;
        write$d = write$q;
        read$d = read$q;
        count$d = count$q;
        fresh$d = fresh$q;
        entries$clock = clock;
        ccs$clock = clock;
        accept = entry$push & (count$q != most);
        entries$we = accept;
        ccs$we = accept;
        entries$waddr = write$q;
        ccs$waddr = write$q;
        entries$field = field;
        kinds = ((entry$pre) & 32'hffffffff) | (((entry$post) & 32'hffffffff) << 32'h2);
        entries$w0 = ((entry$bcnt) & 32'hffffffff) | (kinds << count_bits);
        entries$w1 = ((entry$icnt) & 32'hffffffff);
        entries$w2 = entry$pc;
        entries$w3 = entry$target;
        ccs$wdata = entry$cc;
        word = entries$rdata;
        cc = ccs$rdata;
        write_bit = ~^(write$q & feedback);
        read_bit = ~^(read$q & feedback);
        if (accept) begin
            write$d = (((write$q << 32'h1) & 8'hff) | ((write_bit) & 8'hff)) & mask;
        end
        next_read = read$q;
        fresh$d = |count$q;
        if (pop) begin
            next_read = (((read$q << 32'h1) & 8'hff) | ((read_bit) & 8'hff)) & mask;
            fresh$d = |count$q & (count$q != one);
        end
        read$d = next_read;
        entries$raddr = next_read;
        ccs$raddr = next_read;
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
            fresh$d = 1'b0;
        end
        none = ~|count$q;
        empty = none;
        have = fresh$q;
        low = count$q & limit;
        full = low == limit;
    end
    
endmodule // top$spine$fifo$0


module top$spine$fifo$0$ccs(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [7:0] raddr;
    output reg  [31:0] rdata;
    input wire  we;
    input wire  [7:0] waddr;
    input wire  [31:0] wdata;
    
    // Update code (custom)
    always @(*) rdata = 32'd0;
endmodule // top$spine$fifo$0$ccs


module top$spine$fifo$0$count(d,q,clock);
    
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
          
endmodule // top$spine$fifo$0$count


module top$spine$fifo$0$entries(clock,raddr,field,rdata,we,waddr,w0,w1,w2,w3);
    
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
endmodule // top$spine$fifo$0$entries


module top$spine$fifo$0$fresh(d,q,clock);
    
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
          
endmodule // top$spine$fifo$0$fresh


module top$spine$fifo$0$read(d,q,clock);
    
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
          
endmodule // top$spine$fifo$0$read


module top$spine$fifo$0$write(d,q,clock);
    
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
          
endmodule // top$spine$fifo$0$write


module top$spine$merger(clock,reset,pushes,have,core,show,done,empty);
    
    // Module arguments
    input wire  clock;
    input wire  reset;
    input wire  [15:0] pushes;
    input wire  [15:0] have;
    output reg  [3:0] core;
    output reg  show;
    input wire  done;
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
    reg  fresh$d;
    wire  fresh$q;
    reg  fresh$clock;
    reg  [15:0] current$d;
    wire  [15:0] current$q;
    reg  current$clock;
    
    // Local signals
    reg  [11:0] next_read;
    reg  load;
    reg  [15:0] less;
    reg  [15:0] rest;
    reg  [15:0] behind;
    reg  [15:0] not_rest;
    reg  [15:0] lowest;
    reg  [3:0] index;
    
    // Sub module instances
    top$spine$merger$notes notes(
        .clock(notes$clock),
        .raddr(notes$raddr),
        .rdata(notes$rdata),
        .we(notes$we),
        .waddr(notes$waddr),
        .wdata(notes$wdata)
    );
    top$spine$merger$write write(
        .d(write$d),
        .q(write$q),
        .clock(write$clock)
    );
    top$spine$merger$read read(
        .d(read$d),
        .q(read$q),
        .clock(read$clock)
    );
    top$spine$merger$fresh fresh(
        .d(fresh$d),
        .q(fresh$q),
        .clock(fresh$clock)
    );
    top$spine$merger$current current(
        .d(current$d),
        .q(current$q),
        .clock(current$clock)
    );
    
    // Update code
    always @(*) begin
        write$clock = clock;
        read$clock = clock;
        fresh$clock = clock;
        current$clock = clock;
        write$d = write$q;
        read$d = read$q;
        fresh$d = fresh$q;
        current$d = current$q;
        notes$clock = clock;
        notes$we = |pushes;
        notes$waddr = write$q;
        notes$wdata = pushes;
        if (|pushes) begin
            write$d = ((write$q + one) & 12'hfff) & mask;
        end
        less = current$q - one_16;
        rest = current$q & less;
        not_rest = ~rest;
        lowest = current$q & not_rest;
        index = ((|(lowest & odd_1)) & 4'hf) | (((|(lowest & odd_2)) & 4'hf) << 32'h1) | (((|(lowest & odd_4)) & 4'hf) << 32'h2) | (((|(lowest & odd_8)) & 4'hf) << 32'h3);
        behind = current$q & (current$q - one_16);
        load = fresh$q & (~|current$q | (done & ~|behind));
        next_read = read$q;
        if (load) begin
            next_read = ((read$q + one) & 12'hfff) & mask;
        end
        read$d = next_read;
        notes$raddr = next_read;
        fresh$d = write$q != next_read;
        if (done) begin
            current$d = behind;
        end
        if (load) begin
            current$d = notes$rdata;
        end
        if (reset | single) begin
            write$d = 32'h0;
            read$d = 32'h0;
            fresh$d = 1'b0;
            current$d = 32'h0;
        end
        core = index;
        show = |(lowest & have);
        empty = ~|current$q & (write$q == read$q);
        if (single) begin
            core = 32'h0;
            show = |have;
            empty = 1'b1;
        end
    end
    
endmodule // top$spine$merger


module top$spine$merger$current(d,q,clock);
    
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
          
endmodule // top$spine$merger$current


module top$spine$merger$fresh(d,q,clock);
    
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
          
endmodule // top$spine$merger$fresh


module top$spine$merger$notes(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [11:0] raddr;
    output reg  [15:0] rdata;
    input wire  we;
    input wire  [11:0] waddr;
    input wire  [15:0] wdata;
    
    // Update code (custom)
    always @(*) rdata = 16'd0;
endmodule // top$spine$merger$notes


module top$spine$merger$read(d,q,clock);
    
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
          
endmodule // top$spine$merger$read


module top$spine$merger$write(d,q,clock);
    
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
          
endmodule // top$spine$merger$write


module top$spine$packer(clock,reset,bits$valid,bits$count,bits$data,bits$busy,bits$ready,aligned,words$valid,words$data,words$ready);
    
    // Module arguments
    input wire  clock;
    input wire  reset;
    input wire  bits$valid;
    input wire  [3:0] bits$count;
    input wire  [7:0] bits$data;
    input wire  bits$busy;
    output reg  bits$ready;
    output reg  aligned;
    output reg  words$valid;
    output reg  [31:0] words$data;
    input wire  words$ready;
    
    // Constant declarations
    localparam  one = 2'b1;
    
    // Stub signals
    reg  [6:0] rest$d;
    wire  [6:0] rest$q;
    reg  rest$clock;
    reg  [2:0] held$d;
    wire  [2:0] held$q;
    reg  held$clock;
    reg  [31:0] word$d;
    wire  [31:0] word$q;
    reg  word$clock;
    reg  [1:0] lane$d;
    wire  [1:0] lane$q;
    reg  lane$clock;
    reg  full$d;
    wire  full$q;
    reg  full$clock;
    
    // Local signals
    reg  [14:0] spread;
    reg  [3:0] total;
    reg  octet;
    reg  take;
    
    // Sub module instances
    top$spine$packer$rest rest(
        .d(rest$d),
        .q(rest$q),
        .clock(rest$clock)
    );
    top$spine$packer$held held(
        .d(held$d),
        .q(held$q),
        .clock(held$clock)
    );
    top$spine$packer$word word(
        .d(word$d),
        .q(word$q),
        .clock(word$clock)
    );
    top$spine$packer$lane lane(
        .d(lane$d),
        .q(lane$q),
        .clock(lane$clock)
    );
    top$spine$packer$full full(
        .d(full$d),
        .q(full$q),
        .clock(full$clock)
    );
    
    // Update code
    always @(*) begin
        rest$clock = clock;
        held$clock = clock;
        word$clock = clock;
        lane$clock = clock;
        full$clock = clock;
        rest$d = rest$q;
        held$d = held$q;
        word$d = word$q;
        lane$d = lane$q;
        full$d = full$q;
        spread = (((bits$data) & 15'h7fff) << ((held$q) & 15'h7fff)) | ((rest$q) & 15'h7fff);
        total = ((held$q) & 4'hf) + bits$count;
        take = bits$valid & ~full$q;
        octet = take & total[32'h3];
        if (words$ready) begin
            full$d = 1'b0;
        end
        if (take) begin
            held$d = total[(32'h0)+:(3)];
            rest$d = spread[(32'h0)+:(7)];
        end
        if (octet) begin
            rest$d = spread[(32'h8)+:(7)];
            word$d = (word$q >> 32'h8) | (((spread) & 32'hffffffff) << 32'h18);
            lane$d = lane$q + one;
            full$d = &lane$q;
        end
        if (reset) begin
            rest$d = 32'h0;
            held$d = 32'h0;
            lane$d = 32'h0;
            full$d = 1'b0;
        end
        bits$ready = ~full$q;
        aligned = ~|held$q & ~|lane$q;
        words$valid = full$q;
        words$data = word$q;
    end
    
endmodule // top$spine$packer


module top$spine$packer$full(d,q,clock);
    
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
          
endmodule // top$spine$packer$full


module top$spine$packer$held(d,q,clock);
    
    // Module arguments
    input wire  [2:0] d;
    output reg  [2:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 3'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$spine$packer$held


module top$spine$packer$lane(d,q,clock);
    
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
          
endmodule // top$spine$packer$lane


module top$spine$packer$rest(d,q,clock);
    
    // Module arguments
    input wire  [6:0] d;
    output reg  [6:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 7'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$spine$packer$rest


module top$spine$packer$word(d,q,clock);
    
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
          
endmodule // top$spine$packer$word


module top$spine$registers(clock,reset,bus$addr,bus$write,bus$wdata,bus$rdata,ready,active,idle,overflow,enable);
    
    // Module arguments
    input wire  clock;
    input wire  reset;
    input wire  [2:0] bus$addr;
    input wire  bus$write;
    input wire  [31:0] bus$wdata;
    output reg  [31:0] bus$rdata;
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
    top$spine$registers$enabled enabled(
        .d(enabled$d),
        .q(enabled$q),
        .clock(enabled$clock)
    );
    top$spine$registers$noted noted(
        .d(noted$d),
        .q(noted$q),
        .clock(noted$clock)
    );
    top$spine$registers$answer answer(
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
        if (bus$write) begin
            if (bus$addr == control_addr) begin
                enabled$d = bus$wdata[32'h0];
            end
            if (bus$addr == overflow_addr) begin
                clear = bus$wdata[(32'h0)+:(16)];
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
        if (bus$addr == id_addr) begin
            answer$d = id;
        end
        if (bus$addr == params_addr) begin
            answer$d = fingerprint;
        end
        if ((bus$addr == control_addr) & enabled$q) begin
            answer$d = one;
        end
        if (bus$addr == status_addr) begin
            answer$d = status;
        end
        if (bus$addr == overflow_addr) begin
            answer$d = ((noted$q) & 32'hffffffff);
        end
        if (reset) begin
            enabled$d = 1'b0;
            noted$d = 32'h0;
        end
        bus$rdata = answer$q;
        enable = enabled$q;
    end
    
endmodule // top$spine$registers


module top$spine$registers$answer(d,q,clock);
    
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
          
endmodule // top$spine$registers$answer


module top$spine$registers$enabled(d,q,clock);
    
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
          
endmodule // top$spine$registers$enabled


module top$spine$registers$noted(d,q,clock);
    
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
          
endmodule // top$spine$registers$noted


module top$spine$session(clock,reset,enable,ready,tracing,active,show,have,done,ends,coded$valid,coded$count,coded$data,coded$busy,coded$ready,bits$valid,bits$count,bits$data,bits$busy,bits$ready,aligned);
    
    // Module arguments
    input wire  clock;
    input wire  reset;
    input wire  enable;
    input wire  ready;
    output reg  tracing;
    output reg  active;
    input wire  show;
    output reg  have;
    input wire  done;
    input wire  ends;
    input wire  coded$valid;
    input wire  [3:0] coded$count;
    input wire  [7:0] coded$data;
    input wire  coded$busy;
    output reg  coded$ready;
    output reg  bits$valid;
    output reg  [3:0] bits$count;
    output reg  [7:0] bits$data;
    output reg  bits$busy;
    input wire  bits$ready;
    input wire  aligned;
    
    // Constant declarations
    localparam  header0 = 32'h4b485347;
    localparam  header1 = 32'h101;
    localparam  header2 = 32'h865faf1c;
    localparam  last = 4'hb;
    localparam  one = 4'h1;
    localparam  eight = 4'h8;
    localparam  one_5 = 5'b1;
    localparam  cores = 5'b1;
    
    // Stub signals
    reg  session$d;
    wire  session$q;
    reg  session$clock;
    reg  running$d;
    wire  running$q;
    reg  running$clock;
    reg  head$d;
    wire  head$q;
    reg  head$clock;
    reg  [3:0] at$d;
    wire  [3:0] at$q;
    reg  at$clock;
    reg  [4:0] stops$d;
    wire  [4:0] stops$q;
    reg  stops$clock;
    
    // Local signals
    reg  [31:0] word;
    reg  [7:0] octet;
    reg  over;
    
    // Sub module instances
    top$spine$session$session session(
        .d(session$d),
        .q(session$q),
        .clock(session$clock)
    );
    top$spine$session$running running(
        .d(running$d),
        .q(running$q),
        .clock(running$clock)
    );
    top$spine$session$head head(
        .d(head$d),
        .q(head$q),
        .clock(head$clock)
    );
    top$spine$session$at at(
        .d(at$d),
        .q(at$q),
        .clock(at$clock)
    );
    top$spine$session$stops stops(
        .d(stops$d),
        .q(stops$q),
        .clock(stops$clock)
    );
    
    // Update code
    always @(*) begin
        session$clock = clock;
        running$clock = clock;
        head$clock = clock;
        at$clock = clock;
        stops$clock = clock;
        session$d = session$q;
        running$d = running$q;
        head$d = head$q;
        at$d = at$q;
        stops$d = stops$q;
        running$d = running$q & enable;
        if (enable & ready & ~session$q) begin
            session$d = 1'b1;
            running$d = 1'b1;
            head$d = 1'b1;
            at$d = 32'h0;
        end
        tracing = running$q & enable;
        active = session$q;
        case (at$q[(32'h2)+:(2)])
            0:
                begin
                    word = header0;
                end
            1:
                begin
                    word = header1;
                end
            default:
                begin
                    word = header2;
                end
        endcase
        case (at$q[(32'h0)+:(2)])
            0:
                begin
                    octet = word[(32'h0)+:(8)];
                end
            1:
                begin
                    octet = word[(32'h8)+:(8)];
                end
            2:
                begin
                    octet = word[(32'h10)+:(8)];
                end
            default:
                begin
                    octet = word[(32'h18)+:(8)];
                end
        endcase
        if (head$q & bits$ready) begin
            at$d = at$q + one;
            if (at$q == last) begin
                head$d = 1'b0;
            end
        end
        over = (stops$q == cores) & ~coded$busy;
        if (done & ends) begin
            stops$d = stops$q + one_5;
        end
        if (over & aligned) begin
            stops$d = 32'h0;
            session$d = 1'b0;
        end
        if (reset) begin
            session$d = 1'b0;
            running$d = 1'b0;
            head$d = 1'b0;
            stops$d = 32'h0;
        end
        have = show & ~head$q;
        bits$data = coded$data;
        bits$count = coded$count;
        bits$valid = coded$valid;
        bits$busy = session$q;
        if (head$q) begin
            bits$data = octet;
            bits$count = eight;
            bits$valid = 1'b1;
        end
        if (over) begin
            bits$data = 32'h0;
            bits$count = one;
            bits$valid = ~aligned;
        end
        coded$ready = bits$ready & ~head$q;
    end
    
endmodule // top$spine$session


module top$spine$session$at(d,q,clock);
    
    // Module arguments
    input wire  [3:0] d;
    output reg  [3:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 4'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$spine$session$at


module top$spine$session$head(d,q,clock);
    
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
          
endmodule // top$spine$session$head


module top$spine$session$running(d,q,clock);
    
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
          
endmodule // top$spine$session$running


module top$spine$session$session(d,q,clock);
    
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
          
endmodule // top$spine$session$session


module top$spine$session$stops(d,q,clock);
    
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
          
endmodule // top$spine$session$stops
