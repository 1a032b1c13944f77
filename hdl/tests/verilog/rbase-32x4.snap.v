
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
    localparam  last_word = 10'b1111111;
    localparam  one = 10'b1;
    
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
    reg  detector$clock;
    reg  detector$live;
    reg  detector$valid;
    reg  detector$intr;
    reg  detector$branch;
    reg  detector$taken;
    reg  detector$indirect;
    reg  detector$jump;
    reg  [31:0] detector$pc;
    reg  [31:0] detector$target;
    wire  [23:0] detector$count;
    wire  [31:0] detector$start;
    wire  detector$known;
    wire  detector$first;
    wire  detector$ends;
    wire  [31:0] detector$own_start;
    wire  [9:0] detector$length;
    reg  stream_cache$clock;
    reg  stream_cache$look;
    reg  [31:0] stream_cache$start;
    reg  [9:0] stream_cache$length;
    reg  stream_cache$sweep;
    reg  [9:0] stream_cache$sweep_index;
    wire  stream_cache$look_5;
    wire  stream_cache$hit;
    wire  [9:0] stream_cache$index;
    reg  lsp$clock;
    reg  lsp$look;
    reg  [9:0] lsp$index;
    reg  lsp$sweep;
    reg  [9:0] lsp$sweep_index;
    wire  lsp$same;
    reg  records$clock;
    reg  records$reset;
    reg  records$live;
    reg  records$valid;
    reg  [31:0] records$pc;
    reg  [23:0] records$count;
    reg  [31:0] records$start;
    reg  records$known;
    reg  records$ends;
    reg  [9:0] records$length;
    reg  records$hit;
    reg  records$same;
    reg  [9:0] records$index;
    reg  records$verdict$beat;
    reg  records$verdict$sync;
    reg  records$verdict$exception;
    reg  records$verdict$send;
    reg  records$verdict$drop;
    reg  records$verdict$overflow;
    reg  records$verdict$stop;
    reg  records$verdict$restart;
    reg  records$verdict$losing;
    reg  records$verdict$tracing;
    wire  records$verdict$asks;
    reg  swept$d;
    wire  swept$q;
    reg  swept$clock;
    reg  [9:0] sweep_at$d;
    wire  [9:0] sweep_at$q;
    reg  sweep_at$clock;
    reg  live_3$d;
    wire  live_3$q;
    reg  live_3$clock;
    reg  valid_3$d;
    wire  valid_3$q;
    reg  valid_3$clock;
    reg  intr_3$d;
    wire  intr_3$q;
    reg  intr_3$clock;
    reg  ends_3$d;
    wire  ends_3$q;
    reg  ends_3$clock;
    reg  known_3$d;
    wire  known_3$q;
    reg  known_3$clock;
    reg  [23:0] count_3$d;
    wire  [23:0] count_3$q;
    reg  count_3$clock;
    reg  [9:0] length_3$d;
    wire  [9:0] length_3$q;
    reg  length_3$clock;
    reg  [31:0] pc_3$d;
    wire  [31:0] pc_3$q;
    reg  pc_3$clock;
    reg  [31:0] start_3$d;
    wire  [31:0] start_3$q;
    reg  start_3$clock;
    reg  [31:0] own_start_3$d;
    wire  [31:0] own_start_3$q;
    reg  own_start_3$clock;
    reg  live_4$d;
    wire  live_4$q;
    reg  live_4$clock;
    reg  valid_4$d;
    wire  valid_4$q;
    reg  valid_4$clock;
    reg  intr_4$d;
    wire  intr_4$q;
    reg  intr_4$clock;
    reg  ends_4$d;
    wire  ends_4$q;
    reg  ends_4$clock;
    reg  known_4$d;
    wire  known_4$q;
    reg  known_4$clock;
    reg  [23:0] count_4$d;
    wire  [23:0] count_4$q;
    reg  count_4$clock;
    reg  [9:0] length_4$d;
    wire  [9:0] length_4$q;
    reg  length_4$clock;
    reg  [31:0] pc_4$d;
    wire  [31:0] pc_4$q;
    reg  pc_4$clock;
    reg  [31:0] start_4$d;
    wire  [31:0] start_4$q;
    reg  start_4$clock;
    reg  live_5$d;
    wire  live_5$q;
    reg  live_5$clock;
    reg  valid_5$d;
    wire  valid_5$q;
    reg  valid_5$clock;
    reg  intr_5$d;
    wire  intr_5$q;
    reg  intr_5$clock;
    reg  ends_5$d;
    wire  ends_5$q;
    reg  ends_5$clock;
    reg  known_5$d;
    wire  known_5$q;
    reg  known_5$clock;
    reg  [23:0] count_5$d;
    wire  [23:0] count_5$q;
    reg  count_5$clock;
    reg  [9:0] length_5$d;
    wire  [9:0] length_5$q;
    reg  length_5$clock;
    reg  [31:0] pc_5$d;
    wire  [31:0] pc_5$q;
    reg  pc_5$clock;
    reg  [31:0] start_5$d;
    wire  [31:0] start_5$q;
    reg  start_5$clock;
    reg  live_6$d;
    wire  live_6$q;
    reg  live_6$clock;
    reg  valid_6$d;
    wire  valid_6$q;
    reg  valid_6$clock;
    reg  intr_6$d;
    wire  intr_6$q;
    reg  intr_6$clock;
    reg  ends_6$d;
    wire  ends_6$q;
    reg  ends_6$clock;
    reg  known_6$d;
    wire  known_6$q;
    reg  known_6$clock;
    reg  [23:0] count_6$d;
    wire  [23:0] count_6$q;
    reg  count_6$clock;
    reg  [9:0] length_6$d;
    wire  [9:0] length_6$q;
    reg  length_6$clock;
    reg  [31:0] pc_6$d;
    wire  [31:0] pc_6$q;
    reg  pc_6$clock;
    reg  [31:0] start_6$d;
    wire  [31:0] start_6$q;
    reg  start_6$clock;
    reg  hit_6$d;
    wire  hit_6$q;
    reg  hit_6$clock;
    reg  same_6$d;
    wire  same_6$q;
    reg  same_6$clock;
    reg  [9:0] index_6$d;
    wire  [9:0] index_6$q;
    reg  index_6$clock;
    
    // Local signals
    reg  sweep;
    
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
    top$core$0$front$detector detector(
        .clock(detector$clock),
        .live(detector$live),
        .valid(detector$valid),
        .intr(detector$intr),
        .branch(detector$branch),
        .taken(detector$taken),
        .indirect(detector$indirect),
        .jump(detector$jump),
        .pc(detector$pc),
        .target(detector$target),
        .count(detector$count),
        .start(detector$start),
        .known(detector$known),
        .first(detector$first),
        .ends(detector$ends),
        .own_start(detector$own_start),
        .length(detector$length)
    );
    top$core$0$front$stream_cache stream_cache(
        .clock(stream_cache$clock),
        .look(stream_cache$look),
        .start(stream_cache$start),
        .length(stream_cache$length),
        .sweep(stream_cache$sweep),
        .sweep_index(stream_cache$sweep_index),
        .look_5(stream_cache$look_5),
        .hit(stream_cache$hit),
        .index(stream_cache$index)
    );
    top$core$0$front$lsp lsp(
        .clock(lsp$clock),
        .look(lsp$look),
        .index(lsp$index),
        .sweep(lsp$sweep),
        .sweep_index(lsp$sweep_index),
        .same(lsp$same)
    );
    top$core$0$front$records records(
        .clock(records$clock),
        .reset(records$reset),
        .live(records$live),
        .valid(records$valid),
        .pc(records$pc),
        .count(records$count),
        .start(records$start),
        .known(records$known),
        .ends(records$ends),
        .length(records$length),
        .hit(records$hit),
        .same(records$same),
        .index(records$index),
        .verdict$beat(records$verdict$beat),
        .verdict$sync(records$verdict$sync),
        .verdict$exception(records$verdict$exception),
        .verdict$send(records$verdict$send),
        .verdict$drop(records$verdict$drop),
        .verdict$overflow(records$verdict$overflow),
        .verdict$stop(records$verdict$stop),
        .verdict$restart(records$verdict$restart),
        .verdict$losing(records$verdict$losing),
        .verdict$tracing(records$verdict$tracing),
        .verdict$asks(records$verdict$asks),
        .entry$push(entry$push),
        .entry$pre(entry$pre),
        .entry$post(entry$post),
        .entry$icnt(entry$icnt),
        .entry$bcnt(entry$bcnt),
        .entry$pc(entry$pc),
        .entry$target(entry$target),
        .entry$cc(entry$cc)
    );
    top$core$0$front$swept swept(
        .d(swept$d),
        .q(swept$q),
        .clock(swept$clock)
    );
    top$core$0$front$sweep_at sweep_at(
        .d(sweep_at$d),
        .q(sweep_at$q),
        .clock(sweep_at$clock)
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
    top$core$0$front$ends_3 ends_3(
        .d(ends_3$d),
        .q(ends_3$q),
        .clock(ends_3$clock)
    );
    top$core$0$front$known_3 known_3(
        .d(known_3$d),
        .q(known_3$q),
        .clock(known_3$clock)
    );
    top$core$0$front$count_3 count_3(
        .d(count_3$d),
        .q(count_3$q),
        .clock(count_3$clock)
    );
    top$core$0$front$length_3 length_3(
        .d(length_3$d),
        .q(length_3$q),
        .clock(length_3$clock)
    );
    top$core$0$front$pc_3 pc_3(
        .d(pc_3$d),
        .q(pc_3$q),
        .clock(pc_3$clock)
    );
    top$core$0$front$start_3 start_3(
        .d(start_3$d),
        .q(start_3$q),
        .clock(start_3$clock)
    );
    top$core$0$front$own_start_3 own_start_3(
        .d(own_start_3$d),
        .q(own_start_3$q),
        .clock(own_start_3$clock)
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
    top$core$0$front$ends_4 ends_4(
        .d(ends_4$d),
        .q(ends_4$q),
        .clock(ends_4$clock)
    );
    top$core$0$front$known_4 known_4(
        .d(known_4$d),
        .q(known_4$q),
        .clock(known_4$clock)
    );
    top$core$0$front$count_4 count_4(
        .d(count_4$d),
        .q(count_4$q),
        .clock(count_4$clock)
    );
    top$core$0$front$length_4 length_4(
        .d(length_4$d),
        .q(length_4$q),
        .clock(length_4$clock)
    );
    top$core$0$front$pc_4 pc_4(
        .d(pc_4$d),
        .q(pc_4$q),
        .clock(pc_4$clock)
    );
    top$core$0$front$start_4 start_4(
        .d(start_4$d),
        .q(start_4$q),
        .clock(start_4$clock)
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
    top$core$0$front$ends_5 ends_5(
        .d(ends_5$d),
        .q(ends_5$q),
        .clock(ends_5$clock)
    );
    top$core$0$front$known_5 known_5(
        .d(known_5$d),
        .q(known_5$q),
        .clock(known_5$clock)
    );
    top$core$0$front$count_5 count_5(
        .d(count_5$d),
        .q(count_5$q),
        .clock(count_5$clock)
    );
    top$core$0$front$length_5 length_5(
        .d(length_5$d),
        .q(length_5$q),
        .clock(length_5$clock)
    );
    top$core$0$front$pc_5 pc_5(
        .d(pc_5$d),
        .q(pc_5$q),
        .clock(pc_5$clock)
    );
    top$core$0$front$start_5 start_5(
        .d(start_5$d),
        .q(start_5$q),
        .clock(start_5$clock)
    );
    top$core$0$front$live_6 live_6(
        .d(live_6$d),
        .q(live_6$q),
        .clock(live_6$clock)
    );
    top$core$0$front$valid_6 valid_6(
        .d(valid_6$d),
        .q(valid_6$q),
        .clock(valid_6$clock)
    );
    top$core$0$front$intr_6 intr_6(
        .d(intr_6$d),
        .q(intr_6$q),
        .clock(intr_6$clock)
    );
    top$core$0$front$ends_6 ends_6(
        .d(ends_6$d),
        .q(ends_6$q),
        .clock(ends_6$clock)
    );
    top$core$0$front$known_6 known_6(
        .d(known_6$d),
        .q(known_6$q),
        .clock(known_6$clock)
    );
    top$core$0$front$count_6 count_6(
        .d(count_6$d),
        .q(count_6$q),
        .clock(count_6$clock)
    );
    top$core$0$front$length_6 length_6(
        .d(length_6$d),
        .q(length_6$q),
        .clock(length_6$clock)
    );
    top$core$0$front$pc_6 pc_6(
        .d(pc_6$d),
        .q(pc_6$q),
        .clock(pc_6$clock)
    );
    top$core$0$front$start_6 start_6(
        .d(start_6$d),
        .q(start_6$q),
        .clock(start_6$clock)
    );
    top$core$0$front$hit_6 hit_6(
        .d(hit_6$d),
        .q(hit_6$q),
        .clock(hit_6$clock)
    );
    top$core$0$front$same_6 same_6(
        .d(same_6$d),
        .q(same_6$q),
        .clock(same_6$clock)
    );
    top$core$0$front$index_6 index_6(
        .d(index_6$d),
        .q(index_6$q),
        .clock(index_6$clock)
    );
    
    // Update code
    always @(*) begin
        swept$clock = clock;
        sweep_at$clock = clock;
        swept$d = swept$q;
        sweep_at$d = sweep_at$q;
        live_3$clock = clock;
        valid_3$clock = clock;
        intr_3$clock = clock;
        ends_3$clock = clock;
        known_3$clock = clock;
        count_3$clock = clock;
        length_3$clock = clock;
        pc_3$clock = clock;
        start_3$clock = clock;
        own_start_3$clock = clock;
        live_3$d = live_3$q;
        valid_3$d = valid_3$q;
        intr_3$d = intr_3$q;
        ends_3$d = ends_3$q;
        known_3$d = known_3$q;
        count_3$d = count_3$q;
        length_3$d = length_3$q;
        pc_3$d = pc_3$q;
        start_3$d = start_3$q;
        own_start_3$d = own_start_3$q;
        live_4$clock = clock;
        valid_4$clock = clock;
        intr_4$clock = clock;
        ends_4$clock = clock;
        known_4$clock = clock;
        count_4$clock = clock;
        length_4$clock = clock;
        pc_4$clock = clock;
        start_4$clock = clock;
        live_4$d = live_4$q;
        valid_4$d = valid_4$q;
        intr_4$d = intr_4$q;
        ends_4$d = ends_4$q;
        known_4$d = known_4$q;
        count_4$d = count_4$q;
        length_4$d = length_4$q;
        pc_4$d = pc_4$q;
        start_4$d = start_4$q;
        live_5$clock = clock;
        valid_5$clock = clock;
        intr_5$clock = clock;
        ends_5$clock = clock;
        known_5$clock = clock;
        count_5$clock = clock;
        length_5$clock = clock;
        pc_5$clock = clock;
        start_5$clock = clock;
        live_5$d = live_5$q;
        valid_5$d = valid_5$q;
        intr_5$d = intr_5$q;
        ends_5$d = ends_5$q;
        known_5$d = known_5$q;
        count_5$d = count_5$q;
        length_5$d = length_5$q;
        pc_5$d = pc_5$q;
        start_5$d = start_5$q;
        live_6$clock = clock;
        valid_6$clock = clock;
        intr_6$clock = clock;
        ends_6$clock = clock;
        known_6$clock = clock;
        count_6$clock = clock;
        length_6$clock = clock;
        pc_6$clock = clock;
        start_6$clock = clock;
        live_6$d = live_6$q;
        valid_6$d = valid_6$q;
        intr_6$d = intr_6$q;
        ends_6$d = ends_6$q;
        known_6$d = known_6$q;
        count_6$d = count_6$q;
        length_6$d = length_6$q;
        pc_6$d = pc_6$q;
        start_6$d = start_6$q;
        hit_6$clock = clock;
        same_6$clock = clock;
        index_6$clock = clock;
        hit_6$d = hit_6$q;
        same_6$d = same_6$q;
        index_6$d = index_6$q;
        life$clock = clock;
        detector$clock = clock;
        stream_cache$clock = clock;
        lsp$clock = clock;
        records$clock = clock;
        life$reset = reset;
        life$able = swept$q;
        go = life$go;
        life$live = live_6$q;
        life$live_next = live_5$q;
        life$valid = valid_6$q;
        life$intr = intr_6$q;
        sweep = ~swept$q;
        if (sweep) begin
            sweep_at$d = sweep_at$q + one;
            if (sweep_at$q == last_word) begin
                swept$d = 1'b1;
            end
        end
        if (life$clear | reset) begin
            sweep_at$d = 32'h0;
            swept$d = 1'b0;
        end
        detector$live = beat$live;
        detector$valid = beat$valid;
        detector$intr = beat$intr;
        detector$branch = beat$branch;
        detector$taken = beat$taken;
        detector$indirect = beat$look | beat$pop;
        detector$jump = beat$jump;
        detector$pc = beat$pc;
        detector$target = beat$target;
        live_3$d = beat$live & ~reset;
        valid_3$d = beat$valid;
        intr_3$d = beat$intr;
        ends_3$d = detector$ends;
        known_3$d = detector$known;
        count_3$d = detector$count;
        length_3$d = detector$length;
        pc_3$d = beat$pc;
        start_3$d = detector$start;
        own_start_3$d = detector$own_start;
        stream_cache$look = ends_3$q;
        stream_cache$start = own_start_3$q;
        stream_cache$length = length_3$q;
        stream_cache$sweep = sweep;
        stream_cache$sweep_index = sweep_at$q;
        live_4$d = live_3$q & ~reset;
        valid_4$d = valid_3$q;
        intr_4$d = intr_3$q;
        ends_4$d = ends_3$q;
        known_4$d = known_3$q;
        count_4$d = count_3$q;
        length_4$d = length_3$q;
        pc_4$d = pc_3$q;
        start_4$d = start_3$q;
        live_5$d = live_4$q & ~reset;
        valid_5$d = valid_4$q;
        intr_5$d = intr_4$q;
        ends_5$d = ends_4$q;
        known_5$d = known_4$q;
        count_5$d = count_4$q;
        length_5$d = length_4$q;
        pc_5$d = pc_4$q;
        start_5$d = start_4$q;
        lsp$look = stream_cache$look_5;
        lsp$index = stream_cache$index;
        lsp$sweep = sweep;
        lsp$sweep_index = sweep_at$q;
        live_6$d = live_5$q & ~reset;
        valid_6$d = valid_5$q;
        intr_6$d = intr_5$q;
        ends_6$d = ends_5$q;
        known_6$d = known_5$q;
        count_6$d = count_5$q;
        length_6$d = length_5$q;
        pc_6$d = pc_5$q;
        start_6$d = start_5$q;
        hit_6$d = stream_cache$hit;
        same_6$d = lsp$same;
        index_6$d = stream_cache$index;
        records$reset = reset;
        records$live = live_6$q;
        records$valid = valid_6$q;
        records$pc = pc_6$q;
        records$count = count_6$q;
        records$start = start_6$q;
        records$known = known_6$q;
        records$ends = ends_6$q;
        records$length = length_6$q;
        records$hit = hit_6$q;
        records$same = same_6$q;
        records$index = index_6$q;
    end
    
    always @(*) records$verdict$beat = life$verdict$beat;
    always @(*) records$verdict$sync = life$verdict$sync;
    always @(*) records$verdict$exception = life$verdict$exception;
    always @(*) records$verdict$send = life$verdict$send;
    always @(*) records$verdict$drop = life$verdict$drop;
    always @(*) records$verdict$overflow = life$verdict$overflow;
    always @(*) records$verdict$stop = life$verdict$stop;
    always @(*) records$verdict$restart = life$verdict$restart;
    always @(*) records$verdict$losing = life$verdict$losing;
    always @(*) records$verdict$tracing = life$verdict$tracing;
    always @(*) life$verdict$asks = records$verdict$asks;
endmodule // top$core$0$front


module top$core$0$front$count_3(d,q,clock);
    
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
          
endmodule // top$core$0$front$count_3


module top$core$0$front$count_4(d,q,clock);
    
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
          
endmodule // top$core$0$front$count_4


module top$core$0$front$count_5(d,q,clock);
    
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
          
endmodule // top$core$0$front$count_5


module top$core$0$front$count_6(d,q,clock);
    
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
          
endmodule // top$core$0$front$count_6


module top$core$0$front$detector(clock,live,valid,intr,branch,taken,indirect,jump,pc,target,count,start,known,first,ends,own_start,length);
    
    // Module arguments
    input wire  clock;
    input wire  live;
    input wire  valid;
    input wire  intr;
    input wire  branch;
    input wire  taken;
    input wire  indirect;
    input wire  jump;
    input wire  [31:0] pc;
    input wire  [31:0] target;
    output reg  [23:0] count;
    output reg  [31:0] start;
    output reg  known;
    output reg  first;
    output reg  ends;
    output reg  [31:0] own_start;
    output reg  [9:0] length;
    
    // Constant declarations
    localparam  one = 24'h1;
    localparam  longest = 24'hfe;
    localparam  long_length = 10'b11111110;
    localparam  bit_0 = 10'b1;
    
    // Stub signals
    reg  idle$d;
    wire  idle$q;
    reg  idle$clock;
    reg  [23:0] counted$d;
    wire  [23:0] counted$q;
    reg  counted$clock;
    reg  [31:0] from$d;
    wire  [31:0] from$q;
    reg  from$clock;
    reg  sure$d;
    wire  sure$q;
    reg  sure$clock;
    
    // Local signals
    reg  beat;
    reg  restart;
    reg  [23:0] earlier;
    reg  [23:0] now;
    reg  long;
    reg  leaves;
    reg  flow;
    reg  stays;
    reg  over;
    reg  [31:0] origin;
    
    // Sub module instances
    top$core$0$front$detector$idle idle(
        .d(idle$d),
        .q(idle$q),
        .clock(idle$clock)
    );
    top$core$0$front$detector$counted counted(
        .d(counted$d),
        .q(counted$q),
        .clock(counted$clock)
    );
    top$core$0$front$detector$from from(
        .d(from$d),
        .q(from$q),
        .clock(from$clock)
    );
    top$core$0$front$detector$sure sure(
        .d(sure$d),
        .q(sure$q),
        .clock(sure$clock)
    );
    
    // Update code
    always @(*) begin
        idle$clock = clock;
        counted$clock = clock;
        from$clock = clock;
        sure$clock = clock;
        idle$d = idle$q;
        counted$d = counted$q;
        from$d = from$q;
        sure$d = sure$q;
        beat = live & valid;
        idle$d = ~live | (idle$q & ~valid);
        restart = idle$q | intr;
        earlier = counted$q;
        origin = from$q;
        if (restart) begin
            earlier = 32'h0;
            origin = pc;
        end
        now = earlier + one;
        long = now >= longest;
        leaves = (branch & taken) | indirect;
        stays = branch & ~taken;
        flow = branch | indirect | jump;
        over = leaves | (flow & long);
        length = now[(32'h0)+:(10)];
        if (long) begin
            length = long_length;
            if (stays) begin
                length = long_length | bit_0;
            end
        end
        if (beat) begin
            counted$d = now;
            from$d = origin;
            if (restart) begin
                sure$d = 1'b1;
            end
            if (over) begin
                counted$d = 32'h0;
                from$d = target;
                sure$d = ~indirect;
            end
        end
        count = counted$q;
        start = from$q;
        known = sure$q;
        first = restart;
        ends = over & beat;
        own_start = origin;
    end
    
endmodule // top$core$0$front$detector


module top$core$0$front$detector$counted(d,q,clock);
    
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
          
endmodule // top$core$0$front$detector$counted


module top$core$0$front$detector$from(d,q,clock);
    
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
          
endmodule // top$core$0$front$detector$from


module top$core$0$front$detector$idle(d,q,clock);
    
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
          
endmodule // top$core$0$front$detector$idle


module top$core$0$front$detector$sure(d,q,clock);
    
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
          
endmodule // top$core$0$front$detector$sure


module top$core$0$front$ends_3(d,q,clock);
    
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
          
endmodule // top$core$0$front$ends_3


module top$core$0$front$ends_4(d,q,clock);
    
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
          
endmodule // top$core$0$front$ends_4


module top$core$0$front$ends_5(d,q,clock);
    
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
          
endmodule // top$core$0$front$ends_5


module top$core$0$front$ends_6(d,q,clock);
    
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
          
endmodule // top$core$0$front$ends_6


module top$core$0$front$hit_6(d,q,clock);
    
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
          
endmodule // top$core$0$front$hit_6


module top$core$0$front$index_6(d,q,clock);
    
    // Module arguments
    input wire  [9:0] d;
    output reg  [9:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 10'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$index_6


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


module top$core$0$front$intr_6(d,q,clock);
    
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
          
endmodule // top$core$0$front$intr_6


module top$core$0$front$known_3(d,q,clock);
    
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
          
endmodule // top$core$0$front$known_3


module top$core$0$front$known_4(d,q,clock);
    
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
          
endmodule // top$core$0$front$known_4


module top$core$0$front$known_5(d,q,clock);
    
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
          
endmodule // top$core$0$front$known_5


module top$core$0$front$known_6(d,q,clock);
    
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
          
endmodule // top$core$0$front$known_6


module top$core$0$front$length_3(d,q,clock);
    
    // Module arguments
    input wire  [9:0] d;
    output reg  [9:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 10'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$length_3


module top$core$0$front$length_4(d,q,clock);
    
    // Module arguments
    input wire  [9:0] d;
    output reg  [9:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 10'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$length_4


module top$core$0$front$length_5(d,q,clock);
    
    // Module arguments
    input wire  [9:0] d;
    output reg  [9:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 10'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$length_5


module top$core$0$front$length_6(d,q,clock);
    
    // Module arguments
    input wire  [9:0] d;
    output reg  [9:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 10'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$length_6


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
    localparam  late = 1'b1;
    
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


module top$core$0$front$live_6(d,q,clock);
    
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
          
endmodule // top$core$0$front$live_6


module top$core$0$front$lsp(clock,look,index,sweep,sweep_index,same);
    
    // Module arguments
    input wire  clock;
    input wire  look;
    input wire  [9:0] index;
    input wire  sweep;
    input wire  [9:0] sweep_index;
    output reg  same;
    
    // Stub signals
    reg  words$clock;
    reg  [9:0] words$raddr;
    wire  [9:0] words$rdata;
    reg  words$we;
    reg  [9:0] words$waddr;
    reg  [9:0] words$wdata;
    reg  [9:0] previous$d;
    wire  [9:0] previous$q;
    reg  previous$clock;
    reg  again$d;
    wire  again$q;
    reg  again$clock;
    
    // Local signals
    reg  [9:0] latest;
    reg  [9:0] predicted;
    
    // Sub module instances
    top$core$0$front$lsp$words words(
        .clock(words$clock),
        .raddr(words$raddr),
        .rdata(words$rdata),
        .we(words$we),
        .waddr(words$waddr),
        .wdata(words$wdata)
    );
    top$core$0$front$lsp$previous previous(
        .d(previous$d),
        .q(previous$q),
        .clock(previous$clock)
    );
    top$core$0$front$lsp$again again(
        .d(again$d),
        .q(again$q),
        .clock(again$clock)
    );
    
    // Update code
    always @(*) begin
        previous$clock = clock;
        again$clock = clock;
        previous$d = previous$q;
        again$d = again$q;
        words$clock = clock;
        latest = previous$q;
        if (look) begin
            latest = index;
        end
        if (sweep) begin
            latest = 32'h0;
        end
        previous$d = latest;
        words$raddr = latest;
        again$d = look & (index == previous$q) & ~sweep;
        predicted = words$rdata;
        if (again$q) begin
            predicted = previous$q;
        end
        words$we = look | sweep;
        words$waddr = previous$q;
        words$wdata = index;
        if (sweep) begin
            words$waddr = sweep_index;
            words$wdata = 32'h0;
        end
        same = predicted == index;
    end
    
endmodule // top$core$0$front$lsp


module top$core$0$front$lsp$again(d,q,clock);
    
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
          
endmodule // top$core$0$front$lsp$again


module top$core$0$front$lsp$previous(d,q,clock);
    
    // Module arguments
    input wire  [9:0] d;
    output reg  [9:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 10'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$lsp$previous


module top$core$0$front$lsp$words(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [9:0] raddr;
    output reg  [9:0] rdata;
    input wire  we;
    input wire  [9:0] waddr;
    input wire  [9:0] wdata;
    
    // Update code (custom)
    (* no_rw_check *) reg [6:0] mem [0:127];
    reg [6:0] q;
    always @(posedge clock) q <= mem[raddr[6:0]];
    always @(posedge clock) if (we) mem[waddr[6:0]] <= wdata[6:0];
    always @(*) rdata = {3'd0, q};
endmodule // top$core$0$front$lsp$words


module top$core$0$front$own_start_3(d,q,clock);
    
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
          
endmodule // top$core$0$front$own_start_3


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


module top$core$0$front$pc_6(d,q,clock);
    
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
          
endmodule // top$core$0$front$pc_6


module top$core$0$front$records(clock,reset,live,valid,pc,count,start,known,ends,length,hit,same,index,verdict$beat,verdict$sync,verdict$exception,verdict$send,verdict$drop,verdict$overflow,verdict$stop,verdict$restart,verdict$losing,verdict$tracing,verdict$asks,entry$push,entry$pre,entry$post,entry$icnt,entry$bcnt,entry$pc,entry$target,entry$cc);
    
    // Module arguments
    input wire  clock;
    input wire  reset;
    input wire  live;
    input wire  valid;
    input wire  [31:0] pc;
    input wire  [23:0] count;
    input wire  [31:0] start;
    input wire  known;
    input wire  ends;
    input wire  [9:0] length;
    input wire  hit;
    input wire  same;
    input wire  [9:0] index;
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
    localparam  rbase = 1'b1;
    localparam  register = 1'b1;
    localparam  counts = 1'b1;
    localparam  timed = 1'b0;
    localparam  cc_mask = 32'hffffffff;
    localparam  cc_top = 32'h80000000;
    localparam  upper_mask = 32'h7ff80000;
    localparam  count_mask = 24'hfffff;
    localparam  count_top = 24'h80000;
    localparam  first_size = 4'h1;
    localparam  first_ones = 8'h1;
    localparam  most_size = 4'h8;
    localparam  no_run = 4'hf;
    localparam  middle = 4'h8;
    localparam  three = 4'h3;
    localparam  one_4 = 4'h1;
    localparam  twelve = 4'hc;
    localparam  one_8 = 8'h1;
    localparam  one_24 = 24'h1;
    localparam  one_32 = 32'h1;
    
    // Stub signals
    reg  begun$d;
    wire  begun$q;
    reg  begun$clock;
    reg  [23:0] dropped$d;
    wire  [23:0] dropped$q;
    reg  dropped$clock;
    reg  [7:0] hits$d;
    wire  [7:0] hits$q;
    reg  hits$clock;
    reg  [3:0] size$d;
    wire  [3:0] size$q;
    reg  size$clock;
    reg  [7:0] ones$d;
    wire  [7:0] ones$q;
    reg  ones$clock;
    reg  [3:0] monitor$d;
    wire  [3:0] monitor$q;
    reg  monitor$clock;
    reg  [31:0] upper$d;
    wire  [31:0] upper$q;
    reg  upper$clock;
    reg  [31:0] cc$d;
    wire  [31:0] cc$q;
    reg  cc$clock;
    reg  push_7$d;
    wire  push_7$q;
    reg  push_7$clock;
    reg  [1:0] pre_7$d;
    wire  [1:0] pre_7$q;
    reg  pre_7$clock;
    reg  [1:0] post_7$d;
    wire  [1:0] post_7$q;
    reg  post_7$clock;
    reg  [23:0] icnt_7$d;
    wire  [23:0] icnt_7$q;
    reg  icnt_7$clock;
    reg  [23:0] bcnt_7$d;
    wire  [23:0] bcnt_7$q;
    reg  bcnt_7$clock;
    reg  [31:0] pc_7$d;
    wire  [31:0] pc_7$q;
    reg  pc_7$clock;
    reg  [31:0] target_7$d;
    wire  [31:0] target_7$q;
    reg  target_7$clock;
    reg  [31:0] cc_7$d;
    wire  [31:0] cc_7$q;
    reg  cc_7$clock;
    
    // Local signals
    reg  any_pre;
    reg  sure;
    reg  [31:0] own_start;
    reg  [31:0] own_upper;
    reg  upper_hit;
    reg  over;
    reg  found;
    reg  guessed;
    reg  filled;
    reg  late;
    reg  goes;
    reg  alone;
    reg  told;
    reg  idle;
    reg  forget;
    reg  load;
    reg  waiting;
    reg  [7:0] more_hits;
    reg  [7:0] less_hits;
    reg  [7:0] run;
    reg  has_run;
    reg  this_run;
    reg  full_run;
    reg  [7:0] half;
    reg  short_run;
    reg  [3:0] up;
    reg  [3:0] down;
    reg  grow;
    reg  shrink;
    reg  widest;
    reg  narrowest;
    reg  dropped_top;
    reg  [23:0] dropped_more;
    reg  [23:0] dropped_now;
    reg  cc_all;
    reg  pre_0;
    reg  pre_1;
    reg  post_0;
    reg  post_1;
    reg  [9:0] value;
    reg  [3:0] run_size;
    reg  ask_start;
    
    // Sub module instances
    top$core$0$front$records$begun begun(
        .d(begun$d),
        .q(begun$q),
        .clock(begun$clock)
    );
    top$core$0$front$records$dropped dropped(
        .d(dropped$d),
        .q(dropped$q),
        .clock(dropped$clock)
    );
    top$core$0$front$records$hits hits(
        .d(hits$d),
        .q(hits$q),
        .clock(hits$clock)
    );
    top$core$0$front$records$size size(
        .d(size$d),
        .q(size$q),
        .clock(size$clock)
    );
    top$core$0$front$records$ones ones(
        .d(ones$d),
        .q(ones$q),
        .clock(ones$clock)
    );
    top$core$0$front$records$monitor monitor(
        .d(monitor$d),
        .q(monitor$q),
        .clock(monitor$clock)
    );
    top$core$0$front$records$upper upper(
        .d(upper$d),
        .q(upper$q),
        .clock(upper$clock)
    );
    top$core$0$front$records$cc cc(
        .d(cc$d),
        .q(cc$q),
        .clock(cc$clock)
    );
    top$core$0$front$records$push_7 push_7(
        .d(push_7$d),
        .q(push_7$q),
        .clock(push_7$clock)
    );
    top$core$0$front$records$pre_7 pre_7(
        .d(pre_7$d),
        .q(pre_7$q),
        .clock(pre_7$clock)
    );
    top$core$0$front$records$post_7 post_7(
        .d(post_7$d),
        .q(post_7$q),
        .clock(post_7$clock)
    );
    top$core$0$front$records$icnt_7 icnt_7(
        .d(icnt_7$d),
        .q(icnt_7$q),
        .clock(icnt_7$clock)
    );
    top$core$0$front$records$bcnt_7 bcnt_7(
        .d(bcnt_7$d),
        .q(bcnt_7$q),
        .clock(bcnt_7$clock)
    );
    top$core$0$front$records$pc_7 pc_7(
        .d(pc_7$d),
        .q(pc_7$q),
        .clock(pc_7$clock)
    );
    top$core$0$front$records$target_7 target_7(
        .d(target_7$d),
        .q(target_7$q),
        .clock(target_7$clock)
    );
    top$core$0$front$records$cc_7 cc_7(
        .d(cc_7$d),
        .q(cc_7$q),
        .clock(cc_7$clock)
    );
    
    // Update code
    always @(*) begin
        begun$clock = clock;
        dropped$clock = clock;
        hits$clock = clock;
        size$clock = clock;
        ones$clock = clock;
        monitor$clock = clock;
        upper$clock = clock;
        cc$clock = clock;
        begun$d = begun$q;
        dropped$d = dropped$q;
        hits$d = hits$q;
        size$d = size$q;
        ones$d = ones$q;
        monitor$d = monitor$q;
        upper$d = upper$q;
        cc$d = cc$q;
        push_7$clock = clock;
        pre_7$clock = clock;
        post_7$clock = clock;
        icnt_7$clock = clock;
        bcnt_7$clock = clock;
        pc_7$clock = clock;
        target_7$clock = clock;
        cc_7$clock = clock;
        push_7$d = push_7$q;
        pre_7$d = pre_7$q;
        post_7$d = post_7$q;
        icnt_7$d = icnt_7$q;
        bcnt_7$d = bcnt_7$q;
        pc_7$d = pc_7$q;
        target_7$d = target_7$q;
        cc_7$d = cc_7$q;
        any_pre = verdict$sync | verdict$exception;
        sure = any_pre | known;
        own_start = start;
        if (any_pre) begin
            own_start = pc;
        end
        own_upper = own_start & upper_mask;
        upper_hit = own_upper == upper$q;
        over = ends & verdict$beat;
        found = over & hit & (upper_hit | ~rbase);
        guessed = found & same;
        told = over & ~guessed;
        filled = hits$q == ones$q;
        late = |(cc$q & cc_top) & timed;
        goes = guessed & ~any_pre & (filled | late);
        alone = guessed & any_pre & ~counts;
        verdict$asks = ends & (~hit | ~same | (rbase & ((start & upper_mask) != upper$q)) | (hits$q == ones$q) | (|(cc$q & cc_top) & timed));
        idle = ~live & ~verdict$tracing & ~verdict$losing;
        forget = verdict$drop | idle | reset;
        if (verdict$beat) begin
            begun$d = 1'b1;
        end
        if (verdict$overflow | verdict$stop | reset) begin
            begun$d = 1'b0;
        end
        waiting = |hits$q;
        more_hits = hits$q + one_8;
        less_hits = hits$q - one_8;
        this_run = goes & verdict$send;
        full_run = this_run & filled;
        has_run = waiting;
        run = less_hits;
        if (this_run) begin
            has_run = 1'b1;
            run = hits$q;
        end
        if (guessed & verdict$beat) begin
            hits$d = more_hits;
        end
        if (verdict$send) begin
            hits$d = 32'h0;
            if (guessed & any_pre & counts) begin
                hits$d = one_8;
            end
        end
        half = ones$q >> 32'h1;
        short_run = waiting & (hits$q <= half);
        if (this_run) begin
            short_run = hits$q < half;
        end
        up = monitor$q + three;
        down = monitor$q - one_4;
        grow = full_run & (monitor$q >= twelve);
        shrink = verdict$send & short_run & (monitor$q == one_4);
        widest = size$q == most_size;
        narrowest = size$q == one_4;
        if (full_run) begin
            monitor$d = up;
        end
        else if (verdict$send & short_run) begin
            monitor$d = down;
        end
        if (grow | shrink) begin
            monitor$d = middle;
        end
        if (grow & ~widest) begin
            size$d = size$q + one_4;
            ones$d = ((ones$q << 32'h1) & 8'hff) | one_8;
        end
        if (shrink & ~narrowest) begin
            size$d = size$q - one_4;
            ones$d = half;
        end
        ask_start = told & ~found & ~sure;
        if (over & rbase) begin
            upper$d = own_upper;
        end
        if (verdict$send & ask_start) begin
            upper$d = own_upper;
        end
        if (forget) begin
            upper$d = 32'h0;
            hits$d = 32'h0;
            size$d = first_size;
            ones$d = first_ones;
            monitor$d = middle;
        end
        dropped_top = |(dropped$q & count_top);
        dropped_more = dropped$q + one_24;
        dropped_now = dropped$q;
        if (verdict$losing & valid & ~dropped_top) begin
            dropped_now = dropped_more;
        end
        dropped$d = dropped_now;
        if (verdict$drop) begin
            dropped$d = one_24;
        end
        cc_all = cc$q == cc_mask;
        if (verdict$restart) begin
            cc$d = one_32;
        end
        else if (idle) begin
            cc$d = 32'h0;
        end
        else if (~cc_all & (live | verdict$losing)) begin
            cc$d = cc$q + one_32;
        end
        if (~timed) begin
            cc$d = 32'h0;
        end
        push_7$d = verdict$restart;
        cc_7$d = cc$q;
        load = ~verdict$losing;
        pre_0 = verdict$exception | verdict$overflow | verdict$stop;
        pre_1 = verdict$sync | verdict$overflow | verdict$stop;
        post_0 = (found & ~guessed) | ask_start | alone;
        post_1 = (told & ~found) | alone;
        pre_7$d = (((pre_1) & 2'h3) << 32'h1) | ((pre_0) & 2'h3);
        post_7$d = (((post_1) & 2'h3) << 32'h1) | ((post_0) & 2'h3);
        if (verdict$overflow) begin
            post_7$d = 32'h1;
        end
        if (verdict$stop) begin
            post_7$d = 32'h0;
        end
        value = length;
        if (found) begin
            value = index;
        end
        run_size = no_run;
        if (has_run) begin
            run_size = size$q;
        end
        if (load) begin
            icnt_7$d = count & count_mask;
            target_7$d = start;
            pc_7$d = pc;
            bcnt_7$d = ((value) & 24'hffffff) | (((upper_hit) & 24'hffffff) << 32'ha) | (((known) & 24'hffffff) << 32'hb) | (((run) & 24'hffffff) << 32'hc) | (((run_size) & 24'hffffff) << 32'h14);
            if ((verdict$stop & ~begun$q) | (verdict$drop & verdict$sync)) begin
                icnt_7$d = 32'h0;
                bcnt_7$d = (((no_run) & 24'hffffff) << 32'h14) | (one_24 << 32'hb);
            end
        end
        if (verdict$overflow) begin
            pc_7$d = ((dropped_now) & 32'hffffffff);
        end
        if (reset) begin
            push_7$d = 1'b0;
        end
        entry$push = push_7$q;
        entry$pre = pre_7$q;
        entry$post = post_7$q;
        entry$icnt = icnt_7$q;
        entry$bcnt = bcnt_7$q;
        entry$pc = pc_7$q;
        entry$target = target_7$q;
        entry$cc = cc_7$q;
    end
    
endmodule // top$core$0$front$records


module top$core$0$front$records$bcnt_7(d,q,clock);
    
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
          
endmodule // top$core$0$front$records$bcnt_7


module top$core$0$front$records$begun(d,q,clock);
    
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
          
endmodule // top$core$0$front$records$begun


module top$core$0$front$records$cc(d,q,clock);
    
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
          
endmodule // top$core$0$front$records$cc


module top$core$0$front$records$cc_7(d,q,clock);
    
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
          
endmodule // top$core$0$front$records$cc_7


module top$core$0$front$records$dropped(d,q,clock);
    
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
          
endmodule // top$core$0$front$records$dropped


module top$core$0$front$records$hits(d,q,clock);
    
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
          
endmodule // top$core$0$front$records$hits


module top$core$0$front$records$icnt_7(d,q,clock);
    
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
          
endmodule // top$core$0$front$records$icnt_7


module top$core$0$front$records$monitor(d,q,clock);
    
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
          
endmodule // top$core$0$front$records$monitor


module top$core$0$front$records$ones(d,q,clock);
    
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
          
endmodule // top$core$0$front$records$ones


module top$core$0$front$records$pc_7(d,q,clock);
    
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
          
endmodule // top$core$0$front$records$pc_7


module top$core$0$front$records$post_7(d,q,clock);
    
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
          
endmodule // top$core$0$front$records$post_7


module top$core$0$front$records$pre_7(d,q,clock);
    
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
          
endmodule // top$core$0$front$records$pre_7


module top$core$0$front$records$push_7(d,q,clock);
    
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
          
endmodule // top$core$0$front$records$push_7


module top$core$0$front$records$size(d,q,clock);
    
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
          
endmodule // top$core$0$front$records$size


module top$core$0$front$records$target_7(d,q,clock);
    
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
          
endmodule // top$core$0$front$records$target_7


module top$core$0$front$records$upper(d,q,clock);
    
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
          
endmodule // top$core$0$front$records$upper


module top$core$0$front$same_6(d,q,clock);
    
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
          
endmodule // top$core$0$front$same_6


module top$core$0$front$start_3(d,q,clock);
    
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
          
endmodule // top$core$0$front$start_3


module top$core$0$front$start_4(d,q,clock);
    
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
          
endmodule // top$core$0$front$start_4


module top$core$0$front$start_5(d,q,clock);
    
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
          
endmodule // top$core$0$front$start_5


module top$core$0$front$start_6(d,q,clock);
    
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
          
endmodule // top$core$0$front$start_6


module top$core$0$front$stream_cache(clock,look,start,length,sweep,sweep_index,look_5,hit,index);
    
    // Module arguments
    input wire  clock;
    input wire  look;
    input wire  [31:0] start;
    input wire  [9:0] length;
    input wire  sweep;
    input wire  [9:0] sweep_index;
    output reg  look_5;
    output reg  hit;
    output reg  [9:0] index;
    
    // Constant declarations
    localparam  shift_up = 4'h0;
    localparam  shift_down = 4'h3;
    localparam  set_mask = 10'b11111;
    localparam  start_mask = 32'h7ffff;
    localparam  present = 8'hf;
    localparam  single = 1'b0;
    localparam  way_bits = 2'b10;
    localparam  plane_at = 5'b100;
    localparam  plane_2_at = 5'b1000;
    localparam  word_mask = 24'hff;
    localparam  empty_word = 24'h35;
    localparam  highest = 3'b11;
    localparam  highest_0 = 3'b10;
    localparam  one = 3'b1;
    localparam  two = 3'b10;
    localparam  four = 3'b100;
    localparam  odd_1 = 8'haa;
    localparam  odd_2 = 8'hcc;
    localparam  odd_4 = 8'hf0;
    
    // Stub signals
    reg  starts$0$clock;
    reg  [9:0] starts$0$raddr;
    wire  [31:0] starts$0$rdata;
    reg  starts$0$we;
    reg  [9:0] starts$0$waddr;
    reg  [31:0] starts$0$wdata;
    reg  starts$1$clock;
    reg  [9:0] starts$1$raddr;
    wire  [31:0] starts$1$rdata;
    reg  starts$1$we;
    reg  [9:0] starts$1$waddr;
    reg  [31:0] starts$1$wdata;
    reg  starts$2$clock;
    reg  [9:0] starts$2$raddr;
    wire  [31:0] starts$2$rdata;
    reg  starts$2$we;
    reg  [9:0] starts$2$waddr;
    reg  [31:0] starts$2$wdata;
    reg  starts$3$clock;
    reg  [9:0] starts$3$raddr;
    wire  [31:0] starts$3$rdata;
    reg  starts$3$we;
    reg  [9:0] starts$3$waddr;
    reg  [31:0] starts$3$wdata;
    reg  starts$4$clock;
    reg  [9:0] starts$4$raddr;
    wire  [31:0] starts$4$rdata;
    reg  starts$4$we;
    reg  [9:0] starts$4$waddr;
    reg  [31:0] starts$4$wdata;
    reg  starts$5$clock;
    reg  [9:0] starts$5$raddr;
    wire  [31:0] starts$5$rdata;
    reg  starts$5$we;
    reg  [9:0] starts$5$waddr;
    reg  [31:0] starts$5$wdata;
    reg  starts$6$clock;
    reg  [9:0] starts$6$raddr;
    wire  [31:0] starts$6$rdata;
    reg  starts$6$we;
    reg  [9:0] starts$6$waddr;
    reg  [31:0] starts$6$wdata;
    reg  starts$7$clock;
    reg  [9:0] starts$7$raddr;
    wire  [31:0] starts$7$rdata;
    reg  starts$7$we;
    reg  [9:0] starts$7$waddr;
    reg  [31:0] starts$7$wdata;
    reg  lengths$0$clock;
    reg  [9:0] lengths$0$raddr;
    wire  [9:0] lengths$0$rdata;
    reg  lengths$0$we;
    reg  [9:0] lengths$0$waddr;
    reg  [9:0] lengths$0$wdata;
    reg  lengths$1$clock;
    reg  [9:0] lengths$1$raddr;
    wire  [9:0] lengths$1$rdata;
    reg  lengths$1$we;
    reg  [9:0] lengths$1$waddr;
    reg  [9:0] lengths$1$wdata;
    reg  lengths$2$clock;
    reg  [9:0] lengths$2$raddr;
    wire  [9:0] lengths$2$rdata;
    reg  lengths$2$we;
    reg  [9:0] lengths$2$waddr;
    reg  [9:0] lengths$2$wdata;
    reg  lengths$3$clock;
    reg  [9:0] lengths$3$raddr;
    wire  [9:0] lengths$3$rdata;
    reg  lengths$3$we;
    reg  [9:0] lengths$3$waddr;
    reg  [9:0] lengths$3$wdata;
    reg  lengths$4$clock;
    reg  [9:0] lengths$4$raddr;
    wire  [9:0] lengths$4$rdata;
    reg  lengths$4$we;
    reg  [9:0] lengths$4$waddr;
    reg  [9:0] lengths$4$wdata;
    reg  lengths$5$clock;
    reg  [9:0] lengths$5$raddr;
    wire  [9:0] lengths$5$rdata;
    reg  lengths$5$we;
    reg  [9:0] lengths$5$waddr;
    reg  [9:0] lengths$5$wdata;
    reg  lengths$6$clock;
    reg  [9:0] lengths$6$raddr;
    wire  [9:0] lengths$6$rdata;
    reg  lengths$6$we;
    reg  [9:0] lengths$6$waddr;
    reg  [9:0] lengths$6$wdata;
    reg  lengths$7$clock;
    reg  [9:0] lengths$7$raddr;
    wire  [9:0] lengths$7$rdata;
    reg  lengths$7$we;
    reg  [9:0] lengths$7$waddr;
    reg  [9:0] lengths$7$wdata;
    reg  ranks$clock;
    reg  [9:0] ranks$raddr;
    wire  [23:0] ranks$rdata;
    reg  ranks$we;
    reg  [9:0] ranks$waddr;
    reg  [23:0] ranks$wdata;
    reg  look_4$d;
    wire  look_4$q;
    reg  look_4$clock;
    reg  [31:0] start_4$d;
    wire  [31:0] start_4$q;
    reg  start_4$clock;
    reg  [9:0] length_4$d;
    wire  [9:0] length_4$q;
    reg  length_4$clock;
    reg  [9:0] set_4$d;
    wire  [9:0] set_4$q;
    reg  set_4$clock;
    reg  same_set_4$d;
    wire  same_set_4$q;
    reg  same_set_4$clock;
    reg  same_stream_4$d;
    wire  same_stream_4$q;
    reg  same_stream_4$clock;
    reg  [7:0] last_way$d;
    wire  [7:0] last_way$q;
    reg  last_way$clock;
    reg  [23:0] last_word$d;
    wire  [23:0] last_word$q;
    reg  last_word$clock;
    reg  live_5$d;
    wire  live_5$q;
    reg  live_5$clock;
    reg  hit_5$d;
    wire  hit_5$q;
    reg  hit_5$clock;
    reg  [9:0] index_5$d;
    wire  [9:0] index_5$q;
    reg  index_5$clock;
    
    // Local signals
    reg  [19:0] low;
    reg  [19:0] up;
    reg  [19:0] down;
    reg  [9:0] set_3;
    reg  [31:0] own_start;
    reg  [23:0] word;
    reg  [23:0] word_1;
    reg  [23:0] word_2;
    reg  [7:0] plane_0;
    reg  [7:0] plane_1;
    reg  [7:0] plane_2;
    reg  [2:0] rank$0;
    reg  [2:0] rank$1;
    reg  [2:0] rank$2;
    reg  [2:0] rank$3;
    reg  [2:0] rank$4;
    reg  [2:0] rank$5;
    reg  [2:0] rank$6;
    reg  [2:0] rank$7;
    reg  [2:0] older$0;
    reg  [2:0] older$1;
    reg  [2:0] older$2;
    reg  [2:0] older$3;
    reg  [2:0] older$4;
    reg  [2:0] older$5;
    reg  [2:0] older$6;
    reg  [2:0] older$7;
    reg  [2:0] fresh$0;
    reg  [2:0] fresh$1;
    reg  [2:0] fresh$2;
    reg  [2:0] fresh$3;
    reg  [2:0] fresh$4;
    reg  [2:0] fresh$5;
    reg  [2:0] fresh$6;
    reg  [2:0] fresh$7;
    reg  matches$0;
    reg  matches$1;
    reg  matches$2;
    reg  matches$3;
    reg  matches$4;
    reg  matches$5;
    reg  matches$6;
    reg  matches$7;
    reg  [7:0] hits;
    reg  [7:0] victims;
    reg  [7:0] chosen;
    reg  any_hit;
    reg  first_set;
    reg  no_room;
    reg  [2:0] oldest;
    reg  [2:0] was;
    reg  [7:0] fresh_0;
    reg  [7:0] fresh_1;
    reg  [7:0] fresh_2;
    reg  [23:0] fresh_word;
    reg  [7:0] store;
    reg  [9:0] write_set;
    reg  [9:0] write_length;
    reg  [9:0] way;
    
    // Sub module instances
    top$core$0$front$stream_cache$starts$0 starts$0(
        .clock(starts$0$clock),
        .raddr(starts$0$raddr),
        .rdata(starts$0$rdata),
        .we(starts$0$we),
        .waddr(starts$0$waddr),
        .wdata(starts$0$wdata)
    );
    top$core$0$front$stream_cache$starts$1 starts$1(
        .clock(starts$1$clock),
        .raddr(starts$1$raddr),
        .rdata(starts$1$rdata),
        .we(starts$1$we),
        .waddr(starts$1$waddr),
        .wdata(starts$1$wdata)
    );
    top$core$0$front$stream_cache$starts$2 starts$2(
        .clock(starts$2$clock),
        .raddr(starts$2$raddr),
        .rdata(starts$2$rdata),
        .we(starts$2$we),
        .waddr(starts$2$waddr),
        .wdata(starts$2$wdata)
    );
    top$core$0$front$stream_cache$starts$3 starts$3(
        .clock(starts$3$clock),
        .raddr(starts$3$raddr),
        .rdata(starts$3$rdata),
        .we(starts$3$we),
        .waddr(starts$3$waddr),
        .wdata(starts$3$wdata)
    );
    top$core$0$front$stream_cache$starts$4 starts$4(
        .clock(starts$4$clock),
        .raddr(starts$4$raddr),
        .rdata(starts$4$rdata),
        .we(starts$4$we),
        .waddr(starts$4$waddr),
        .wdata(starts$4$wdata)
    );
    top$core$0$front$stream_cache$starts$5 starts$5(
        .clock(starts$5$clock),
        .raddr(starts$5$raddr),
        .rdata(starts$5$rdata),
        .we(starts$5$we),
        .waddr(starts$5$waddr),
        .wdata(starts$5$wdata)
    );
    top$core$0$front$stream_cache$starts$6 starts$6(
        .clock(starts$6$clock),
        .raddr(starts$6$raddr),
        .rdata(starts$6$rdata),
        .we(starts$6$we),
        .waddr(starts$6$waddr),
        .wdata(starts$6$wdata)
    );
    top$core$0$front$stream_cache$starts$7 starts$7(
        .clock(starts$7$clock),
        .raddr(starts$7$raddr),
        .rdata(starts$7$rdata),
        .we(starts$7$we),
        .waddr(starts$7$waddr),
        .wdata(starts$7$wdata)
    );
    top$core$0$front$stream_cache$lengths$0 lengths$0(
        .clock(lengths$0$clock),
        .raddr(lengths$0$raddr),
        .rdata(lengths$0$rdata),
        .we(lengths$0$we),
        .waddr(lengths$0$waddr),
        .wdata(lengths$0$wdata)
    );
    top$core$0$front$stream_cache$lengths$1 lengths$1(
        .clock(lengths$1$clock),
        .raddr(lengths$1$raddr),
        .rdata(lengths$1$rdata),
        .we(lengths$1$we),
        .waddr(lengths$1$waddr),
        .wdata(lengths$1$wdata)
    );
    top$core$0$front$stream_cache$lengths$2 lengths$2(
        .clock(lengths$2$clock),
        .raddr(lengths$2$raddr),
        .rdata(lengths$2$rdata),
        .we(lengths$2$we),
        .waddr(lengths$2$waddr),
        .wdata(lengths$2$wdata)
    );
    top$core$0$front$stream_cache$lengths$3 lengths$3(
        .clock(lengths$3$clock),
        .raddr(lengths$3$raddr),
        .rdata(lengths$3$rdata),
        .we(lengths$3$we),
        .waddr(lengths$3$waddr),
        .wdata(lengths$3$wdata)
    );
    top$core$0$front$stream_cache$lengths$4 lengths$4(
        .clock(lengths$4$clock),
        .raddr(lengths$4$raddr),
        .rdata(lengths$4$rdata),
        .we(lengths$4$we),
        .waddr(lengths$4$waddr),
        .wdata(lengths$4$wdata)
    );
    top$core$0$front$stream_cache$lengths$5 lengths$5(
        .clock(lengths$5$clock),
        .raddr(lengths$5$raddr),
        .rdata(lengths$5$rdata),
        .we(lengths$5$we),
        .waddr(lengths$5$waddr),
        .wdata(lengths$5$wdata)
    );
    top$core$0$front$stream_cache$lengths$6 lengths$6(
        .clock(lengths$6$clock),
        .raddr(lengths$6$raddr),
        .rdata(lengths$6$rdata),
        .we(lengths$6$we),
        .waddr(lengths$6$waddr),
        .wdata(lengths$6$wdata)
    );
    top$core$0$front$stream_cache$lengths$7 lengths$7(
        .clock(lengths$7$clock),
        .raddr(lengths$7$raddr),
        .rdata(lengths$7$rdata),
        .we(lengths$7$we),
        .waddr(lengths$7$waddr),
        .wdata(lengths$7$wdata)
    );
    top$core$0$front$stream_cache$ranks ranks(
        .clock(ranks$clock),
        .raddr(ranks$raddr),
        .rdata(ranks$rdata),
        .we(ranks$we),
        .waddr(ranks$waddr),
        .wdata(ranks$wdata)
    );
    top$core$0$front$stream_cache$look_4 look_4(
        .d(look_4$d),
        .q(look_4$q),
        .clock(look_4$clock)
    );
    top$core$0$front$stream_cache$start_4 start_4(
        .d(start_4$d),
        .q(start_4$q),
        .clock(start_4$clock)
    );
    top$core$0$front$stream_cache$length_4 length_4(
        .d(length_4$d),
        .q(length_4$q),
        .clock(length_4$clock)
    );
    top$core$0$front$stream_cache$set_4 set_4(
        .d(set_4$d),
        .q(set_4$q),
        .clock(set_4$clock)
    );
    top$core$0$front$stream_cache$same_set_4 same_set_4(
        .d(same_set_4$d),
        .q(same_set_4$q),
        .clock(same_set_4$clock)
    );
    top$core$0$front$stream_cache$same_stream_4 same_stream_4(
        .d(same_stream_4$d),
        .q(same_stream_4$q),
        .clock(same_stream_4$clock)
    );
    top$core$0$front$stream_cache$last_way last_way(
        .d(last_way$d),
        .q(last_way$q),
        .clock(last_way$clock)
    );
    top$core$0$front$stream_cache$last_word last_word(
        .d(last_word$d),
        .q(last_word$q),
        .clock(last_word$clock)
    );
    top$core$0$front$stream_cache$live_5 live_5(
        .d(live_5$d),
        .q(live_5$q),
        .clock(live_5$clock)
    );
    top$core$0$front$stream_cache$hit_5 hit_5(
        .d(hit_5$d),
        .q(hit_5$q),
        .clock(hit_5$clock)
    );
    top$core$0$front$stream_cache$index_5 index_5(
        .d(index_5$d),
        .q(index_5$q),
        .clock(index_5$clock)
    );
    
    // Update code
    always @(*) begin
        look_4$clock = clock;
        start_4$clock = clock;
        length_4$clock = clock;
        set_4$clock = clock;
        same_set_4$clock = clock;
        same_stream_4$clock = clock;
        last_way$clock = clock;
        last_word$clock = clock;
        look_4$d = look_4$q;
        start_4$d = start_4$q;
        length_4$d = length_4$q;
        set_4$d = set_4$q;
        same_set_4$d = same_set_4$q;
        same_stream_4$d = same_stream_4$q;
        last_way$d = last_way$q;
        last_word$d = last_word$q;
        live_5$clock = clock;
        hit_5$clock = clock;
        index_5$clock = clock;
        live_5$d = live_5$q;
        hit_5$d = hit_5$q;
        index_5$d = index_5$q;
        ranks$clock = clock;
        low = start[(32'h0)+:(20)];
        up = low << shift_up;
        down = up >> shift_down;
        set_3 = (down[(32'h0)+:(10)] ^ length) & set_mask;
        own_start = start & start_mask;
        ranks$raddr = set_3;
        look_4$d = look;
        start_4$d = own_start;
        length_4$d = length;
        set_4$d = set_3;
        same_set_4$d = (set_3 == set_4$q) & look_4$q;
        same_stream_4$d = (own_start == start_4$q) & (length == length_4$q);
        word = ranks$rdata;
        if (same_set_4$q) begin
            word = last_word$q;
        end
        word_1 = word >> plane_at;
        word_2 = word >> plane_2_at;
        plane_0 = word[(32'h0)+:(8)] & present;
        plane_1 = word_1[(32'h0)+:(8)] & present;
        plane_2 = word_2[(32'h0)+:(8)] & present;
        first_set = ~|set_4$q;
        no_room = first_set & single;
        oldest = highest;
        if (first_set) begin
            oldest = highest_0;
        end
        hits = 32'h0;
        victims = 32'h0;
        starts$0$clock = clock;
        lengths$0$clock = clock;
        starts$0$raddr = set_3;
        lengths$0$raddr = set_3;
        rank$0 = 32'h0;
        if (plane_0[0]) begin
            rank$0 = one;
        end
        if (plane_1[0]) begin
            rank$0 = rank$0 | two;
        end
        if (plane_2[0]) begin
            rank$0 = rank$0 | four;
        end
        matches$0 = (lengths$0$rdata == length_4$q) & (starts$0$rdata == start_4$q);
        if (same_set_4$q & last_way$q[0]) begin
            matches$0 = same_stream_4$q;
        end
        hits = (hits & ~(1 << (0)) | ((matches$0) << (0)));
        victims = (victims & ~(1 << (0)) | ((rank$0 == oldest) << (0)));
        starts$1$clock = clock;
        lengths$1$clock = clock;
        starts$1$raddr = set_3;
        lengths$1$raddr = set_3;
        rank$1 = 32'h0;
        if (plane_0[1]) begin
            rank$1 = one;
        end
        if (plane_1[1]) begin
            rank$1 = rank$1 | two;
        end
        if (plane_2[1]) begin
            rank$1 = rank$1 | four;
        end
        matches$1 = (lengths$1$rdata == length_4$q) & (starts$1$rdata == start_4$q);
        if (same_set_4$q & last_way$q[1]) begin
            matches$1 = same_stream_4$q;
        end
        hits = (hits & ~(1 << (1)) | ((matches$1) << (1)));
        victims = (victims & ~(1 << (1)) | ((rank$1 == oldest) << (1)));
        starts$2$clock = clock;
        lengths$2$clock = clock;
        starts$2$raddr = set_3;
        lengths$2$raddr = set_3;
        rank$2 = 32'h0;
        if (plane_0[2]) begin
            rank$2 = one;
        end
        if (plane_1[2]) begin
            rank$2 = rank$2 | two;
        end
        if (plane_2[2]) begin
            rank$2 = rank$2 | four;
        end
        matches$2 = (lengths$2$rdata == length_4$q) & (starts$2$rdata == start_4$q);
        if (same_set_4$q & last_way$q[2]) begin
            matches$2 = same_stream_4$q;
        end
        hits = (hits & ~(1 << (2)) | ((matches$2) << (2)));
        victims = (victims & ~(1 << (2)) | ((rank$2 == oldest) << (2)));
        starts$3$clock = clock;
        lengths$3$clock = clock;
        starts$3$raddr = set_3;
        lengths$3$raddr = set_3;
        rank$3 = 32'h0;
        if (plane_0[3]) begin
            rank$3 = one;
        end
        if (plane_1[3]) begin
            rank$3 = rank$3 | two;
        end
        if (plane_2[3]) begin
            rank$3 = rank$3 | four;
        end
        matches$3 = (lengths$3$rdata == length_4$q) & (starts$3$rdata == start_4$q);
        if (same_set_4$q & last_way$q[3]) begin
            matches$3 = same_stream_4$q;
        end
        hits = (hits & ~(1 << (3)) | ((matches$3) << (3)));
        victims = (victims & ~(1 << (3)) | ((rank$3 == oldest) << (3)));
        starts$4$clock = clock;
        lengths$4$clock = clock;
        starts$4$raddr = set_3;
        lengths$4$raddr = set_3;
        rank$4 = 32'h0;
        if (plane_0[4]) begin
            rank$4 = one;
        end
        if (plane_1[4]) begin
            rank$4 = rank$4 | two;
        end
        if (plane_2[4]) begin
            rank$4 = rank$4 | four;
        end
        matches$4 = (lengths$4$rdata == length_4$q) & (starts$4$rdata == start_4$q);
        if (same_set_4$q & last_way$q[4]) begin
            matches$4 = same_stream_4$q;
        end
        hits = (hits & ~(1 << (4)) | ((matches$4) << (4)));
        victims = (victims & ~(1 << (4)) | ((rank$4 == oldest) << (4)));
        starts$5$clock = clock;
        lengths$5$clock = clock;
        starts$5$raddr = set_3;
        lengths$5$raddr = set_3;
        rank$5 = 32'h0;
        if (plane_0[5]) begin
            rank$5 = one;
        end
        if (plane_1[5]) begin
            rank$5 = rank$5 | two;
        end
        if (plane_2[5]) begin
            rank$5 = rank$5 | four;
        end
        matches$5 = (lengths$5$rdata == length_4$q) & (starts$5$rdata == start_4$q);
        if (same_set_4$q & last_way$q[5]) begin
            matches$5 = same_stream_4$q;
        end
        hits = (hits & ~(1 << (5)) | ((matches$5) << (5)));
        victims = (victims & ~(1 << (5)) | ((rank$5 == oldest) << (5)));
        starts$6$clock = clock;
        lengths$6$clock = clock;
        starts$6$raddr = set_3;
        lengths$6$raddr = set_3;
        rank$6 = 32'h0;
        if (plane_0[6]) begin
            rank$6 = one;
        end
        if (plane_1[6]) begin
            rank$6 = rank$6 | two;
        end
        if (plane_2[6]) begin
            rank$6 = rank$6 | four;
        end
        matches$6 = (lengths$6$rdata == length_4$q) & (starts$6$rdata == start_4$q);
        if (same_set_4$q & last_way$q[6]) begin
            matches$6 = same_stream_4$q;
        end
        hits = (hits & ~(1 << (6)) | ((matches$6) << (6)));
        victims = (victims & ~(1 << (6)) | ((rank$6 == oldest) << (6)));
        starts$7$clock = clock;
        lengths$7$clock = clock;
        starts$7$raddr = set_3;
        lengths$7$raddr = set_3;
        rank$7 = 32'h0;
        if (plane_0[7]) begin
            rank$7 = one;
        end
        if (plane_1[7]) begin
            rank$7 = rank$7 | two;
        end
        if (plane_2[7]) begin
            rank$7 = rank$7 | four;
        end
        matches$7 = (lengths$7$rdata == length_4$q) & (starts$7$rdata == start_4$q);
        if (same_set_4$q & last_way$q[7]) begin
            matches$7 = same_stream_4$q;
        end
        hits = (hits & ~(1 << (7)) | ((matches$7) << (7)));
        victims = (victims & ~(1 << (7)) | ((rank$7 == oldest) << (7)));
        any_hit = |hits;
        chosen = victims & present;
        if (no_room) begin
            chosen = 32'h0;
        end
        if (any_hit) begin
            chosen = hits;
        end
        was = 32'h0;
        if (chosen[0]) begin
            was = rank$0;
        end
        if (chosen[1]) begin
            was = rank$1;
        end
        if (chosen[2]) begin
            was = rank$2;
        end
        if (chosen[3]) begin
            was = rank$3;
        end
        if (chosen[4]) begin
            was = rank$4;
        end
        if (chosen[5]) begin
            was = rank$5;
        end
        if (chosen[6]) begin
            was = rank$6;
        end
        if (chosen[7]) begin
            was = rank$7;
        end
        fresh_0 = 32'h0;
        fresh_1 = 32'h0;
        fresh_2 = 32'h0;
        older$0 = rank$0 + one;
        fresh$0 = rank$0;
        if (rank$0 < was) begin
            fresh$0 = older$0;
        end
        if (chosen[0]) begin
            fresh$0 = 32'h0;
        end
        fresh_0 = (fresh_0 & ~(1 << (0)) | ((fresh$0[32'h0]) << (0)));
        fresh_1 = (fresh_1 & ~(1 << (0)) | ((fresh$0[32'h1]) << (0)));
        fresh_2 = (fresh_2 & ~(1 << (0)) | ((fresh$0[32'h2]) << (0)));
        older$1 = rank$1 + one;
        fresh$1 = rank$1;
        if (rank$1 < was) begin
            fresh$1 = older$1;
        end
        if (chosen[1]) begin
            fresh$1 = 32'h0;
        end
        fresh_0 = (fresh_0 & ~(1 << (1)) | ((fresh$1[32'h0]) << (1)));
        fresh_1 = (fresh_1 & ~(1 << (1)) | ((fresh$1[32'h1]) << (1)));
        fresh_2 = (fresh_2 & ~(1 << (1)) | ((fresh$1[32'h2]) << (1)));
        older$2 = rank$2 + one;
        fresh$2 = rank$2;
        if (rank$2 < was) begin
            fresh$2 = older$2;
        end
        if (chosen[2]) begin
            fresh$2 = 32'h0;
        end
        fresh_0 = (fresh_0 & ~(1 << (2)) | ((fresh$2[32'h0]) << (2)));
        fresh_1 = (fresh_1 & ~(1 << (2)) | ((fresh$2[32'h1]) << (2)));
        fresh_2 = (fresh_2 & ~(1 << (2)) | ((fresh$2[32'h2]) << (2)));
        older$3 = rank$3 + one;
        fresh$3 = rank$3;
        if (rank$3 < was) begin
            fresh$3 = older$3;
        end
        if (chosen[3]) begin
            fresh$3 = 32'h0;
        end
        fresh_0 = (fresh_0 & ~(1 << (3)) | ((fresh$3[32'h0]) << (3)));
        fresh_1 = (fresh_1 & ~(1 << (3)) | ((fresh$3[32'h1]) << (3)));
        fresh_2 = (fresh_2 & ~(1 << (3)) | ((fresh$3[32'h2]) << (3)));
        older$4 = rank$4 + one;
        fresh$4 = rank$4;
        if (rank$4 < was) begin
            fresh$4 = older$4;
        end
        if (chosen[4]) begin
            fresh$4 = 32'h0;
        end
        fresh_0 = (fresh_0 & ~(1 << (4)) | ((fresh$4[32'h0]) << (4)));
        fresh_1 = (fresh_1 & ~(1 << (4)) | ((fresh$4[32'h1]) << (4)));
        fresh_2 = (fresh_2 & ~(1 << (4)) | ((fresh$4[32'h2]) << (4)));
        older$5 = rank$5 + one;
        fresh$5 = rank$5;
        if (rank$5 < was) begin
            fresh$5 = older$5;
        end
        if (chosen[5]) begin
            fresh$5 = 32'h0;
        end
        fresh_0 = (fresh_0 & ~(1 << (5)) | ((fresh$5[32'h0]) << (5)));
        fresh_1 = (fresh_1 & ~(1 << (5)) | ((fresh$5[32'h1]) << (5)));
        fresh_2 = (fresh_2 & ~(1 << (5)) | ((fresh$5[32'h2]) << (5)));
        older$6 = rank$6 + one;
        fresh$6 = rank$6;
        if (rank$6 < was) begin
            fresh$6 = older$6;
        end
        if (chosen[6]) begin
            fresh$6 = 32'h0;
        end
        fresh_0 = (fresh_0 & ~(1 << (6)) | ((fresh$6[32'h0]) << (6)));
        fresh_1 = (fresh_1 & ~(1 << (6)) | ((fresh$6[32'h1]) << (6)));
        fresh_2 = (fresh_2 & ~(1 << (6)) | ((fresh$6[32'h2]) << (6)));
        older$7 = rank$7 + one;
        fresh$7 = rank$7;
        if (rank$7 < was) begin
            fresh$7 = older$7;
        end
        if (chosen[7]) begin
            fresh$7 = 32'h0;
        end
        fresh_0 = (fresh_0 & ~(1 << (7)) | ((fresh$7[32'h0]) << (7)));
        fresh_1 = (fresh_1 & ~(1 << (7)) | ((fresh$7[32'h1]) << (7)));
        fresh_2 = (fresh_2 & ~(1 << (7)) | ((fresh$7[32'h2]) << (7)));
        fresh_word = (((fresh_0 & present) & 24'hffffff) | (((fresh_1 & present) & 24'hffffff) << plane_at) | (((fresh_2 & present) & 24'hffffff) << plane_2_at)) & word_mask;
        last_way$d = chosen;
        last_word$d = fresh_word;
        store = 32'h0;
        if (look_4$q & ~any_hit) begin
            store = chosen;
        end
        write_set = set_4$q;
        write_length = length_4$q;
        ranks$wdata = fresh_word;
        if (sweep) begin
            write_set = sweep_index;
            write_length = 32'h0;
            ranks$wdata = empty_word;
        end
        ranks$waddr = write_set;
        ranks$we = look_4$q | sweep;
        starts$0$waddr = write_set;
        starts$0$wdata = start_4$q;
        starts$0$we = store[0];
        lengths$0$waddr = write_set;
        lengths$0$wdata = write_length;
        lengths$0$we = store[0] | sweep;
        starts$1$waddr = write_set;
        starts$1$wdata = start_4$q;
        starts$1$we = store[1];
        lengths$1$waddr = write_set;
        lengths$1$wdata = write_length;
        lengths$1$we = store[1] | sweep;
        starts$2$waddr = write_set;
        starts$2$wdata = start_4$q;
        starts$2$we = store[2];
        lengths$2$waddr = write_set;
        lengths$2$wdata = write_length;
        lengths$2$we = store[2] | sweep;
        starts$3$waddr = write_set;
        starts$3$wdata = start_4$q;
        starts$3$we = store[3];
        lengths$3$waddr = write_set;
        lengths$3$wdata = write_length;
        lengths$3$we = store[3] | sweep;
        starts$4$waddr = write_set;
        starts$4$wdata = start_4$q;
        starts$4$we = store[4];
        lengths$4$waddr = write_set;
        lengths$4$wdata = write_length;
        lengths$4$we = store[4] | sweep;
        starts$5$waddr = write_set;
        starts$5$wdata = start_4$q;
        starts$5$we = store[5];
        lengths$5$waddr = write_set;
        lengths$5$wdata = write_length;
        lengths$5$we = store[5] | sweep;
        starts$6$waddr = write_set;
        starts$6$wdata = start_4$q;
        starts$6$we = store[6];
        lengths$6$waddr = write_set;
        lengths$6$wdata = write_length;
        lengths$6$we = store[6] | sweep;
        starts$7$waddr = write_set;
        starts$7$wdata = start_4$q;
        starts$7$we = store[7];
        lengths$7$waddr = write_set;
        lengths$7$wdata = write_length;
        lengths$7$we = store[7] | sweep;
        way = ((|(chosen & odd_1)) & 10'h3ff) | (((|(chosen & odd_2)) & 10'h3ff) << 32'h1) | (((|(chosen & odd_4)) & 10'h3ff) << 32'h2);
        live_5$d = look_4$q;
        hit_5$d = any_hit;
        index_5$d = ((set_4$q << way_bits) & 10'h3ff) | way;
        look_5 = live_5$q;
        hit = hit_5$q;
        index = index_5$q;
    end
    
endmodule // top$core$0$front$stream_cache


module top$core$0$front$stream_cache$hit_5(d,q,clock);
    
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
          
endmodule // top$core$0$front$stream_cache$hit_5


module top$core$0$front$stream_cache$index_5(d,q,clock);
    
    // Module arguments
    input wire  [9:0] d;
    output reg  [9:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 10'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$stream_cache$index_5


module top$core$0$front$stream_cache$last_way(d,q,clock);
    
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
          
endmodule // top$core$0$front$stream_cache$last_way


module top$core$0$front$stream_cache$last_word(d,q,clock);
    
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
          
endmodule // top$core$0$front$stream_cache$last_word


module top$core$0$front$stream_cache$length_4(d,q,clock);
    
    // Module arguments
    input wire  [9:0] d;
    output reg  [9:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 10'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$stream_cache$length_4


module top$core$0$front$stream_cache$lengths$0(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [9:0] raddr;
    output reg  [9:0] rdata;
    input wire  we;
    input wire  [9:0] waddr;
    input wire  [9:0] wdata;
    
    // Update code (custom)
    (* no_rw_check *) reg [7:0] mem [0:31];
    reg [7:0] q;
    always @(posedge clock) q <= mem[raddr[4:0]];
    always @(posedge clock) if (we) mem[waddr[4:0]] <= wdata[7:0];
    always @(*) rdata = {2'd0, q};
endmodule // top$core$0$front$stream_cache$lengths$0


module top$core$0$front$stream_cache$lengths$1(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [9:0] raddr;
    output reg  [9:0] rdata;
    input wire  we;
    input wire  [9:0] waddr;
    input wire  [9:0] wdata;
    
    // Update code (custom)
    (* no_rw_check *) reg [7:0] mem [0:31];
    reg [7:0] q;
    always @(posedge clock) q <= mem[raddr[4:0]];
    always @(posedge clock) if (we) mem[waddr[4:0]] <= wdata[7:0];
    always @(*) rdata = {2'd0, q};
endmodule // top$core$0$front$stream_cache$lengths$1


module top$core$0$front$stream_cache$lengths$2(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [9:0] raddr;
    output reg  [9:0] rdata;
    input wire  we;
    input wire  [9:0] waddr;
    input wire  [9:0] wdata;
    
    // Update code (custom)
    (* no_rw_check *) reg [7:0] mem [0:31];
    reg [7:0] q;
    always @(posedge clock) q <= mem[raddr[4:0]];
    always @(posedge clock) if (we) mem[waddr[4:0]] <= wdata[7:0];
    always @(*) rdata = {2'd0, q};
endmodule // top$core$0$front$stream_cache$lengths$2


module top$core$0$front$stream_cache$lengths$3(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [9:0] raddr;
    output reg  [9:0] rdata;
    input wire  we;
    input wire  [9:0] waddr;
    input wire  [9:0] wdata;
    
    // Update code (custom)
    (* no_rw_check *) reg [7:0] mem [0:31];
    reg [7:0] q;
    always @(posedge clock) q <= mem[raddr[4:0]];
    always @(posedge clock) if (we) mem[waddr[4:0]] <= wdata[7:0];
    always @(*) rdata = {2'd0, q};
endmodule // top$core$0$front$stream_cache$lengths$3


module top$core$0$front$stream_cache$lengths$4(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [9:0] raddr;
    output reg  [9:0] rdata;
    input wire  we;
    input wire  [9:0] waddr;
    input wire  [9:0] wdata;
    
    // Update code (custom)
    always @(*) rdata = 10'd0;
endmodule // top$core$0$front$stream_cache$lengths$4


module top$core$0$front$stream_cache$lengths$5(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [9:0] raddr;
    output reg  [9:0] rdata;
    input wire  we;
    input wire  [9:0] waddr;
    input wire  [9:0] wdata;
    
    // Update code (custom)
    always @(*) rdata = 10'd0;
endmodule // top$core$0$front$stream_cache$lengths$5


module top$core$0$front$stream_cache$lengths$6(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [9:0] raddr;
    output reg  [9:0] rdata;
    input wire  we;
    input wire  [9:0] waddr;
    input wire  [9:0] wdata;
    
    // Update code (custom)
    always @(*) rdata = 10'd0;
endmodule // top$core$0$front$stream_cache$lengths$6


module top$core$0$front$stream_cache$lengths$7(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [9:0] raddr;
    output reg  [9:0] rdata;
    input wire  we;
    input wire  [9:0] waddr;
    input wire  [9:0] wdata;
    
    // Update code (custom)
    always @(*) rdata = 10'd0;
endmodule // top$core$0$front$stream_cache$lengths$7


module top$core$0$front$stream_cache$live_5(d,q,clock);
    
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
          
endmodule // top$core$0$front$stream_cache$live_5


module top$core$0$front$stream_cache$look_4(d,q,clock);
    
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
          
endmodule // top$core$0$front$stream_cache$look_4


module top$core$0$front$stream_cache$ranks(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [9:0] raddr;
    output reg  [23:0] rdata;
    input wire  we;
    input wire  [9:0] waddr;
    input wire  [23:0] wdata;
    
    // Update code (custom)
    (* no_rw_check *) reg [7:0] mem [0:31];
    reg [7:0] q;
    always @(posedge clock) q <= mem[raddr[4:0]];
    always @(posedge clock) if (we) mem[waddr[4:0]] <= wdata[7:0];
    always @(*) rdata = {16'd0, q};
endmodule // top$core$0$front$stream_cache$ranks


module top$core$0$front$stream_cache$same_set_4(d,q,clock);
    
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
          
endmodule // top$core$0$front$stream_cache$same_set_4


module top$core$0$front$stream_cache$same_stream_4(d,q,clock);
    
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
          
endmodule // top$core$0$front$stream_cache$same_stream_4


module top$core$0$front$stream_cache$set_4(d,q,clock);
    
    // Module arguments
    input wire  [9:0] d;
    output reg  [9:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 10'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$stream_cache$set_4


module top$core$0$front$stream_cache$start_4(d,q,clock);
    
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
          
endmodule // top$core$0$front$stream_cache$start_4


module top$core$0$front$stream_cache$starts$0(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [9:0] raddr;
    output reg  [31:0] rdata;
    input wire  we;
    input wire  [9:0] waddr;
    input wire  [31:0] wdata;
    
    // Update code (custom)
    (* no_rw_check *) reg [18:0] mem [0:31];
    reg [18:0] q;
    always @(posedge clock) q <= mem[raddr[4:0]];
    always @(posedge clock) if (we) mem[waddr[4:0]] <= wdata[18:0];
    always @(*) rdata = {13'd0, q};
endmodule // top$core$0$front$stream_cache$starts$0


module top$core$0$front$stream_cache$starts$1(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [9:0] raddr;
    output reg  [31:0] rdata;
    input wire  we;
    input wire  [9:0] waddr;
    input wire  [31:0] wdata;
    
    // Update code (custom)
    (* no_rw_check *) reg [18:0] mem [0:31];
    reg [18:0] q;
    always @(posedge clock) q <= mem[raddr[4:0]];
    always @(posedge clock) if (we) mem[waddr[4:0]] <= wdata[18:0];
    always @(*) rdata = {13'd0, q};
endmodule // top$core$0$front$stream_cache$starts$1


module top$core$0$front$stream_cache$starts$2(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [9:0] raddr;
    output reg  [31:0] rdata;
    input wire  we;
    input wire  [9:0] waddr;
    input wire  [31:0] wdata;
    
    // Update code (custom)
    (* no_rw_check *) reg [18:0] mem [0:31];
    reg [18:0] q;
    always @(posedge clock) q <= mem[raddr[4:0]];
    always @(posedge clock) if (we) mem[waddr[4:0]] <= wdata[18:0];
    always @(*) rdata = {13'd0, q};
endmodule // top$core$0$front$stream_cache$starts$2


module top$core$0$front$stream_cache$starts$3(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [9:0] raddr;
    output reg  [31:0] rdata;
    input wire  we;
    input wire  [9:0] waddr;
    input wire  [31:0] wdata;
    
    // Update code (custom)
    (* no_rw_check *) reg [18:0] mem [0:31];
    reg [18:0] q;
    always @(posedge clock) q <= mem[raddr[4:0]];
    always @(posedge clock) if (we) mem[waddr[4:0]] <= wdata[18:0];
    always @(*) rdata = {13'd0, q};
endmodule // top$core$0$front$stream_cache$starts$3


module top$core$0$front$stream_cache$starts$4(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [9:0] raddr;
    output reg  [31:0] rdata;
    input wire  we;
    input wire  [9:0] waddr;
    input wire  [31:0] wdata;
    
    // Update code (custom)
    always @(*) rdata = 32'd0;
endmodule // top$core$0$front$stream_cache$starts$4


module top$core$0$front$stream_cache$starts$5(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [9:0] raddr;
    output reg  [31:0] rdata;
    input wire  we;
    input wire  [9:0] waddr;
    input wire  [31:0] wdata;
    
    // Update code (custom)
    always @(*) rdata = 32'd0;
endmodule // top$core$0$front$stream_cache$starts$5


module top$core$0$front$stream_cache$starts$6(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [9:0] raddr;
    output reg  [31:0] rdata;
    input wire  we;
    input wire  [9:0] waddr;
    input wire  [31:0] wdata;
    
    // Update code (custom)
    always @(*) rdata = 32'd0;
endmodule // top$core$0$front$stream_cache$starts$6


module top$core$0$front$stream_cache$starts$7(clock,raddr,rdata,we,waddr,wdata);
    
    // Module arguments
    input wire  clock;
    input wire  [9:0] raddr;
    output reg  [31:0] rdata;
    input wire  we;
    input wire  [9:0] waddr;
    input wire  [31:0] wdata;
    
    // Update code (custom)
    always @(*) rdata = 32'd0;
endmodule // top$core$0$front$stream_cache$starts$7


module top$core$0$front$sweep_at(d,q,clock);
    
    // Module arguments
    input wire  [9:0] d;
    output reg  [9:0] q;
    input wire  clock;
    
    // Update code (custom)
    initial begin
       q = 10'h0;
    end
    
    always @(posedge clock) begin
       q <= d;
    end
          
endmodule // top$core$0$front$sweep_at


module top$core$0$front$swept(d,q,clock);
    
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
          
endmodule // top$core$0$front$swept


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


module top$core$0$front$valid_6(d,q,clock);
    
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
          
endmodule // top$core$0$front$valid_6


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
    localparam  none = 32'h0;
    
    // Enums
    localparam RecordField$Begin = 0;
    localparam RecordField$Instructions = 1;
    localparam RecordField$Open = 2;
    localparam RecordField$Address = 3;
    localparam RecordField$Start = 4;
    
    // Stub signals
    reg  [2:0] fields$step;
    reg  fields$told;
    reg  fields$past_run;
    reg  fields$past_pre;
    reg  fields$known;
    reg  fields$upper;
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
    wire  fields$is_time;
    wire  fields$over;
    wire  fields$rest;
    wire  fields$run;
    wire  fields$new_known;
    wire  fields$new_upper;
    wire  [1:0] fields$new_pre;
    wire  [1:0] fields$new_post;
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
    reg  past_run$d;
    wire  past_run$q;
    reg  past_run$clock;
    reg  past_pre$d;
    wire  past_pre$q;
    reg  past_pre$clock;
    reg  known$d;
    wire  known$q;
    reg  known$clock;
    reg  upper$d;
    wire  upper$q;
    reg  upper$clock;
    reg  [1:0] pre$d;
    wire  [1:0] pre$q;
    reg  pre$clock;
    reg  [1:0] post$d;
    wire  [1:0] post$q;
    reg  post$clock;
    
    // Local signals
    reg  take;
    
    // Sub module instances
    top$encoder$fields fields(
        .step(fields$step),
        .told(fields$told),
        .past_run(fields$past_run),
        .past_pre(fields$past_pre),
        .known(fields$known),
        .upper(fields$upper),
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
        .is_time(fields$is_time),
        .over(fields$over),
        .rest(fields$rest),
        .run(fields$run),
        .new_known(fields$new_known),
        .new_upper(fields$new_upper),
        .new_pre(fields$new_pre),
        .new_post(fields$new_post),
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
    top$encoder$past_run past_run(
        .d(past_run$d),
        .q(past_run$q),
        .clock(past_run$clock)
    );
    top$encoder$past_pre past_pre(
        .d(past_pre$d),
        .q(past_pre$q),
        .clock(past_pre$clock)
    );
    top$encoder$known known(
        .d(known$d),
        .q(known$q),
        .clock(known$clock)
    );
    top$encoder$upper upper(
        .d(upper$d),
        .q(upper$q),
        .clock(upper$clock)
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
    
    // Update code
    always @(*) begin
        step$clock = clock;
        told$clock = clock;
        past_run$clock = clock;
        past_pre$clock = clock;
        known$clock = clock;
        upper$clock = clock;
        pre$clock = clock;
        post$clock = clock;
        step$d = step$q;
        told$d = told$q;
        past_run$d = past_run$q;
        past_pre$d = past_pre$q;
        known$d = known$q;
        upper$d = upper$q;
        pre$d = pre$q;
        post$d = post$q;
        coder$clock = clock;
        fields$step = step$q;
        fields$told = told$q;
        fields$past_run = past_run$q;
        fields$past_pre = past_pre$q;
        fields$known = known$q;
        fields$upper = upper$q;
        fields$pre = pre$q;
        fields$post = post$q;
        fields$word = entry$word;
        fields$cc = entry$cc;
        coder$port$minus = none;
        coder$port$reset = reset;
        coder$port$valid = entry$have;
        coder$port$kind = fields$kind;
        coder$port$size = fields$size;
        coder$port$value = fields$value;
        coder$port$lead = fields$lead;
        coder$port$core = entry$core;
        coder$port$taken = bits$ready;
        bits$valid = coder$port$have;
        bits$count = coder$port$count;
        bits$data = coder$port$data;
        bits$busy = coder$port$busy;
        take = entry$have & coder$port$ready;
        entry$field = fields$own_field;
        if (take) begin
            entry$field = fields$next_field;
            step$d = fields$next_step;
            told$d = fields$is_time;
            known$d = fields$new_known;
            upper$d = fields$new_upper;
            pre$d = fields$new_pre;
            post$d = fields$new_post;
            if (fields$over) begin
                past_run$d = fields$rest;
                past_pre$d = fields$rest & (~fields$run | (step$q != RecordField$Begin));
            end
        end
        entry$done = take & fields$over & ~fields$rest;
        entry$ends = fields$ends;
        if (reset) begin
            step$d = RecordField$Begin;
            told$d = 1'b0;
            past_run$d = 1'b0;
            past_pre$d = 1'b0;
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
    localparam  b_first = 6'b11;
    localparam  b_next = 4'h1;
    localparam  t_first = 6'b11;
    localparam  t_next = 4'h1;
    localparam  c_first = 6'b11;
    localparam  c_next = 4'h1;
    localparam  i_first = 6'b11;
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
    top$encoder$coder$v v(
        .d(v$d),
        .q(v$q),
        .clock(v$clock)
    );
    top$encoder$coder$left left(
        .d(left$d),
        .q(left$q),
        .clock(left$clock)
    );
    top$encoder$coder$again again(
        .d(again$d),
        .q(again$q),
        .clock(again$clock)
    );
    top$encoder$coder$raw raw(
        .d(raw$d),
        .q(raw$q),
        .clock(raw$clock)
    );
    top$encoder$coder$address address(
        .d(address$d),
        .q(address$q),
        .clock(address$clock)
    );
    top$encoder$coder$negative negative(
        .d(negative$d),
        .q(negative$q),
        .clock(negative$clock)
    );
    top$encoder$coder$lead lead(
        .d(lead$d),
        .q(lead$q),
        .clock(lead$clock)
    );
    top$encoder$coder$core core(
        .d(core$d),
        .q(core$q),
        .clock(core$clock)
    );
    top$encoder$coder$busy busy(
        .d(busy$d),
        .q(busy$q),
        .clock(busy$clock)
    );
    top$encoder$coder$ends ends(
        .d(ends$d),
        .q(ends$q),
        .clock(ends$clock)
    );
    top$encoder$coder$whole whole(
        .d(whole$d),
        .q(whole$q),
        .clock(whole$clock)
    );
    top$encoder$coder$below below(
        .d(below$d),
        .q(below$q),
        .clock(below$clock)
    );
    top$encoder$coder$settled settled(
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
    
endmodule // top$encoder$coder


module top$encoder$coder$address(d,q,clock);
    
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
          
endmodule // top$encoder$coder$address


module top$encoder$coder$again(d,q,clock);
    
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
          
endmodule // top$encoder$coder$again


module top$encoder$coder$below(d,q,clock);
    
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
          
endmodule // top$encoder$coder$below


module top$encoder$coder$busy(d,q,clock);
    
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
          
endmodule // top$encoder$coder$busy


module top$encoder$coder$core(d,q,clock);
    
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
          
endmodule // top$encoder$coder$core


module top$encoder$coder$ends(d,q,clock);
    
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
          
endmodule // top$encoder$coder$ends


module top$encoder$coder$lead(d,q,clock);
    
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
          
endmodule // top$encoder$coder$lead


module top$encoder$coder$left(d,q,clock);
    
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
          
endmodule // top$encoder$coder$left


module top$encoder$coder$negative(d,q,clock);
    
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
          
endmodule // top$encoder$coder$negative


module top$encoder$coder$raw(d,q,clock);
    
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
          
endmodule // top$encoder$coder$raw


module top$encoder$coder$settled(d,q,clock);
    
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
          
endmodule // top$encoder$coder$settled


module top$encoder$coder$v(d,q,clock);
    
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
          
endmodule // top$encoder$coder$v


module top$encoder$coder$whole(d,q,clock);
    
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
          
endmodule // top$encoder$coder$whole


module top$encoder$fields(step,told,past_run,past_pre,known,upper,pre,post,word,cc,kind,size,value,lead,own_field,next_field,next_step,is_time,over,rest,run,new_known,new_upper,new_pre,new_post,ends);
    
    // Module arguments
    input wire  [2:0] step;
    input wire  told;
    input wire  past_run;
    input wire  past_pre;
    input wire  known;
    input wire  upper;
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
    output reg  is_time;
    output reg  over;
    output reg  rest;
    output reg  run;
    output reg  new_known;
    output reg  new_upper;
    output reg  [1:0] new_pre;
    output reg  [1:0] new_post;
    output reg  ends;
    
    // Constant declarations
    localparam  one_wide = 32'h1;
    localparam  many = 1'b0;
    localparam  timed = 1'b0;
    localparam  register = 1'b1;
    localparam  index_size = 6'b111;
    localparam  miss_size = 6'b1111;
    localparam  flag_size = 6'b10000;
    localparam  exception_size = 6'b10000;
    localparam  escape_size = 6'b10011;
    localparam  address_size = 6'b11110;
    localparam  low_size = 6'b10010;
    localparam  count_size = 6'b10011;
    localparam  length_at = 5'b1000;
    localparam  code_at = 5'b10000;
    localparam  c_raw = 3'b0;
    localparam  c_cycles = 3'b11;
    localparam  k_exception = 2'b1;
    localparam  k_sync = 2'b10;
    localparam  k_control = 2'b11;
    localparam  k_overflow = 2'b1;
    localparam  k_index = 2'b1;
    localparam  k_start = 2'b11;
    localparam  no_run = 4'hf;
    localparam  code_sync = 4'h1;
    localparam  code_overflow = 4'h3;
    localparam  code_stop = 4'h5;
    localparam  f_count = 2'b0;
    localparam  f_instructions = 2'b1;
    localparam  f_pc = 2'b10;
    localparam  f_target = 2'b11;
    
    // Enums
    localparam RecordField$Begin = 0;
    localparam RecordField$Instructions = 1;
    localparam RecordField$Open = 2;
    localparam RecordField$Address = 3;
    localparam RecordField$Start = 4;
    
    // Local signals
    reg  begins;
    reg  [27:0] first;
    reg  its_known;
    reg  its_upper;
    reg  [1:0] its_pre;
    reg  [1:0] its_post;
    reg  [31:0] number;
    reg  [31:0] streak;
    reg  [3:0] run_size;
    reg  exception;
    reg  sync;
    reg  control;
    reg  overflow;
    reg  hit;
    reg  missed;
    reg  asked;
    reg  has_pc;
    reg  [3:0] code;
    reg  [31:0] flag;
    reg  in_run;
    reg  in_pre;
    reg  streams;
    reg  another;
    
    // Update code
    always @(*) begin
        begins = step == RecordField$Begin;
        first = word[(32'h0)+:(28)];
        number = ((first[(32'h0)+:(10)]) & 32'hffffffff);
        streak = ((first[(32'hc)+:(8)]) & 32'hffffffff);
        run_size = first[(32'h14)+:(4)];
        its_known = known;
        its_upper = upper;
        its_pre = pre;
        its_post = post;
        if (begins) begin
            its_upper = first[32'ha];
            its_known = first[32'hb];
            its_pre = first[(32'h18)+:(2)];
            its_post = first[(32'h1a)+:(2)];
        end
        exception = its_pre == k_exception;
        sync = its_pre == k_sync;
        control = its_pre == k_control;
        overflow = control & (its_post == k_overflow);
        has_pc = exception | overflow;
        asked = (its_post == k_start) & ~|its_pre;
        hit = (its_post == k_start) & |its_pre;
        missed = its_post != k_index;
        code = code_stop;
        if (overflow) begin
            code = code_overflow;
        end
        if (sync) begin
            code = code_sync;
        end
        if (exception) begin
            code = 32'h0;
        end
        flag = 32'h0;
        if (its_upper & asked & register) begin
            flag = one_wide;
        end
        in_run = (run_size != no_run) & ~past_run;
        in_pre = |its_pre & ~past_pre;
        streams = |its_post & ~control;
        another = in_pre & streams;
        if (begins & in_run) begin
            another = in_pre | streams;
        end
        kind = c_raw;
        value = word;
        size = address_size;
        own_field = f_count;
        next_field = f_count;
        next_step = RecordField$Begin;
        over = 1'b1;
        is_time = 1'b0;
        lead = 1'b0;
        case (step)
            RecordField$Begin:
                begin
                    if (timed & ~told) begin
                        is_time = 1'b1;
                        kind = c_cycles;
                        value = ((cc) & 32'hffffffff);
                        if (past_run | past_pre) begin
                            value = 32'h0;
                        end
                        over = 1'b0;
                    end
                    else begin
                        lead = many;
                        if (in_run) begin
                            value = ((streak << 32'h1) & 32'hffffffff) | one_wide;
                            size = ((run_size) & 6'h3f);
                        end
                        else if (in_pre) begin
                            value = ((code) & 32'hffffffff) << code_at;
                            size = escape_size;
                            next_step = RecordField$Instructions;
                            next_field = f_instructions;
                            over = 1'b0;
                            if (exception) begin
                                size = exception_size;
                            end
                            if (sync) begin
                                next_step = RecordField$Address;
                                next_field = f_pc;
                            end
                        end
                        else if (hit) begin
                            value = one_wide;
                            size = 32'h0;
                        end
                        else if (missed) begin
                            value = ((number << length_at) & 32'hffffffff) | ((flag << code_at) & 32'hffffffff);
                            size = miss_size;
                            if (asked) begin
                                if (register) begin
                                    size = flag_size;
                                end
                                next_step = RecordField$Start;
                                next_field = f_target;
                                over = 1'b0;
                            end
                        end
                        else begin
                            value = number << 32'h1;
                            size = index_size;
                        end
                    end
                end
            RecordField$Instructions:
                begin
                    own_field = f_instructions;
                    size = count_size;
                    if (~its_known) begin
                        next_step = RecordField$Open;
                        next_field = f_target;
                        over = 1'b0;
                    end
                    else if (has_pc) begin
                        next_step = RecordField$Address;
                        next_field = f_pc;
                        over = 1'b0;
                    end
                end
            RecordField$Open:
                begin
                    own_field = f_target;
                    if (has_pc) begin
                        next_step = RecordField$Address;
                        next_field = f_pc;
                        over = 1'b0;
                    end
                end
            RecordField$Address:
                begin
                    own_field = f_pc;
                    if (overflow) begin
                        size = count_size;
                    end
                end
            RecordField$Start:
                begin
                    own_field = f_target;
                    if (its_upper & register) begin
                        size = low_size;
                    end
                end
        endcase
        rest = another;
        run = in_run;
        new_known = its_known;
        new_upper = its_upper;
        new_pre = its_pre;
        new_post = its_post;
        ends = control & ~overflow;
    end
    
endmodule // top$encoder$fields


module top$encoder$known(d,q,clock);
    
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
          
endmodule // top$encoder$known


module top$encoder$past_pre(d,q,clock);
    
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
          
endmodule // top$encoder$past_pre


module top$encoder$past_run(d,q,clock);
    
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
          
endmodule // top$encoder$past_run


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


module top$encoder$step(d,q,clock);
    
    // Module arguments
    input wire  [2:0] d;
    output reg  [2:0] q;
    input wire  clock;
    
    // Enums
    localparam RecordField$Begin = 0;
    localparam RecordField$Instructions = 1;
    localparam RecordField$Open = 2;
    localparam RecordField$Address = 3;
    localparam RecordField$Start = 4;
    
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


module top$encoder$upper(d,q,clock);
    
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
          
endmodule // top$encoder$upper


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
    localparam  count_bits = 6'b11000;
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
    localparam  fingerprint = 32'hdc0d63be;
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
    localparam  header2 = 32'hdc0d63be;
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
