// Properties inside the emitted trace state machine, with an ingress and pipeline of LATENCY cycles and an event FIFO
// of ENTRIES entries, of which fewer than WATERMARK may be in use when a core resumes after a gap
//
// The ingress follows `go` with `stage_live` one cycle later; an instruction that is not lost there is `live` in the last
// stage; its entry is at the FIFO with the decision, or one cycle later if LATE. Entries are counted as in
// `hdl/src/spine/credits.rs`. The only assumption about other cores is that `stop_go` requires `stop_ready`.

localparam D = `LATENCY - 1;
reg f_here = 0;
// by stage after the predictor lookup: live; an instruction; control flow; first after a trap
reg [D-1:0] f_pipe = 0;
reg [D-1:0] f_valid = 0;
reg [D-1:0] f_flow = 0;
reg [D-1:0] f_intr = 0;
(* anyseq *) wire f_in_valid;
(* anyseq *) wire f_in_flow;
(* anyseq *) wire f_in_intr;
wire f_stays = seen;
// whether the last instruction must be hidden, and those in the pipeline
(* anyseq *) wire f_in_hide;
reg f_hide = 0;
reg [D-1:0] f_veiled = 0;
reg f_push = 0;
reg [8:0] f_held = 0;
reg [8:0] f_used = 0;
reg f_popped = 0;
(* anyseq *) wire f_pop;
wire f_message = decision$send || decision$overflow || decision$stop;
wire f_in = `LATE ? f_push : f_message;
wire f_out = f_pop && f_held != 0;
always @(posedge clock) begin
    f_here <= !reset && go;
    f_pipe <= reset ? 0 : {f_pipe[D-2:0], f_stays};
    f_valid <= reset ? 0 : {f_valid[D-2:0], f_in_valid && counts};
    f_flow <= reset ? 0 : {f_flow[D-2:0], f_in_flow && f_stays && !excluded && f_in_valid};
    if (enter) f_hide <= f_in_hide;
    f_veiled <= reset ? 0 : {f_veiled[D-2:0], enter && f_in_hide};
    f_intr <= reset ? 0 : {f_intr[D-2:0], f_in_intr};
    f_push <= !reset && f_message && `LATE;
    f_popped <= !reset && f_out;
    f_held <= reset ? 0 : f_held + f_in - f_out;
    f_used <= reset ? 0 : f_used + control$take - control$give_back - f_popped;
end
always @(*) begin
    assume(stage_live == f_here && enter == (f_here && f_in_valid) && may_push == (f_in_flow || f_in_intr));
    assume(hide == (`FILTER && (enter ? f_in_hide : f_hide)));
    assume(live == f_pipe[D-1] && live_next == f_pipe[D-2]);
    assume(valid == f_valid[D-1] && intr == f_intr[D-1] && decision$flow == f_flow[D-1]);
    // only control flow is reported for its own sake
    assume(!decision$needs_message || decision$flow);
    assume(control$no_credit == (f_used == `ENTRIES));
    assume(control$below_watermark == (f_used < `WATERMARK));
    if (control$stop_go) assume(control$stop_ready);
    // a session begins only when the previous one has been sent completely (`hdl/src/spine/trace_framer.rs`)
    if (control$enable && !run$q) assume(f_used == 0);
end

// there was no overflow or stop since the last sync; something was traced since the last stop or reset
reg f_synced = 0;
wire f_sync = decision$send && decision$sync;
always @(posedge clock) begin
    if (f_sync) f_synced <= 1;
    if (decision$overflow || decision$stop || reset) f_synced <= 0;
end
always @(*) begin
    one_sync_between_breaks: assert(!(f_sync && f_synced));
    nothing_before_the_sync: assert(!(decision$send && !decision$sync) || f_synced);
    no_push_is_refused: assert(!(f_in && f_held == `ENTRIES));
    no_entry_is_reserved_twice: assert(!(control$take && control$no_credit));
    every_entry_is_reserved: assert(f_held + f_push + f_popped <= f_used);
    one_message_a_clock: assert(decision$send + decision$overflow + decision$stop <= 1);
    never_both: assert(!(live && decision$losing));
    lost_until_overflow: assert(!decision$losing || !decision$send && !decision$stop);
    stop_only_of_a_trace: assert(!decision$stop || decision$tracing && !live);
end

// every loss is noted: in the last stage, an instruction of a running trace is live, or the core is losing
reg [D-1:0] f_gone = 0;
always @(posedge clock) f_gone <= reset ? 0 : {f_gone[D-2:0], f_here && excluded && f_in_valid && counts};
always @(*) nothing_lost_in_silence: assert(!f_gone[D-1] || decision$drop || decision$losing);

// instructions that retire while `enable` is 0 are neither reported nor counted as lost
reg f_after = 0;
reg [D-1:0] f_behind = 0;
always @(posedge clock) begin
    f_after <= !control$enable;
    f_behind <= {f_behind[D-2:0], f_after && f_in_valid};
end
always @(*) nothing_after_the_end: assert(!f_behind[D-1] || !decision$beat && !control$loses);

// with a filter, hidden instructions are never reported, in any cycle
always @(*) hidden_is_not_reported: assert(!(`FILTER && f_veiled[D-1] && decision$beat));

// termination: if `enable` is 0 and the others respond at once, the trace ends within this many cycles, and all entries
// are free again
wire f_idle = !run$q && !decision$tracing && !decision$losing && f_pipe == 0;
`ifdef ENDS
localparam f_bound = 3 * `LATENCY + 2 * `ENTRIES + 4;
reg [6:0] f_quiet = 0;
always @(posedge clock) f_quiet <= control$enable || reset ? 0 : f_quiet == 127 ? 127 : f_quiet + 1;
always @(*) begin
    if (!control$enable) assume(f_pop && predictors_ready && control$stop_go == control$stop_ready && !reset);
    it_ends: assert(f_quiet < f_bound || f_idle);
    all_is_given_back: assert(f_quiet < f_bound || f_used == 0);
end
`endif

reg [2:0] f_stops = 0;
reg f_lost = 0;
always @(posedge clock) begin
    if (decision$stop && f_stops != 7) f_stops <= f_stops + 1;
    if (decision$overflow) f_lost <= 1;
end
always @(*) begin
    cover(f_stops == 1 && f_lost && f_sync);
    cover(decision$drop && f_synced);
    cover(f_stops == 2);
end
