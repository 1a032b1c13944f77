// Inside of the emitted life of a trace, with its pipeline of LATENCY clocks and its event FIFO of PLACES entries
//
// The pipeline answers `go` with `live`; an entry stands at the FIFO with its verdict, or if LATE a clock after it. Of the other cores nothing is assumed but that `stop_go` comes only to those who are `stop_ready`.

reg [`LATENCY-1:0] f_pipe = 0;
reg f_push = 0;
reg f_low = 0;
reg [8:0] f_held = 0;
(* anyseq *) wire f_pop;
wire f_message = verdict$send || verdict$overflow || verdict$stop;
wire f_in = `LATE ? f_push : f_message;
always @(posedge clock) begin
    f_pipe <= reset ? 0 : {f_pipe[`LATENCY-2:0], go};
    f_push <= !reset && f_message && `LATE;
    f_low <= !reset && `PLACES - f_held < 3;
    f_held <= reset ? 0 : f_held + f_in - (f_pop && f_held != 0);
end
always @(*) begin
    assume(live == f_pipe[`LATENCY-1] && live_next == f_pipe[`LATENCY-2]);
    assume(control$full == f_low);
    assume(control$drained == (f_held == 0));
    if (control$stop_go) assume(control$stop_ready);
end

// since the last sync no overflow, no stop; since the last stop or reset something was traced
reg f_synced = 0;
wire f_sync = verdict$send && verdict$sync;
always @(posedge clock) begin
    if (f_sync) f_synced <= 1;
    if (verdict$overflow || verdict$stop || reset) f_synced <= 0;
end
always @(*) begin
    one_sync_between_breaks: assert(!(f_sync && f_synced));
    nothing_before_the_sync: assert(!(verdict$send && !verdict$sync) || f_synced);
    no_push_while_full: assert(!(f_message && control$full));
    no_push_is_refused: assert(!(f_in && f_held == `PLACES));
    one_message_a_clock: assert(verdict$send + verdict$overflow + verdict$stop <= 1);
    lost_until_overflow: assert(!verdict$losing || !verdict$send && !verdict$stop);
    stop_only_of_a_trace: assert(!verdict$stop || verdict$tracing && !live);
end

// it ends: when `enable` is 0 and the others answer at once, then in so many clocks
wire f_idle = !run$q && !verdict$tracing && !verdict$losing && f_pipe == 0;
`ifdef ENDS
localparam f_bound = 3 * `LATENCY + `PLACES + 4;
reg [6:0] f_quiet = 0;
always @(posedge clock) f_quiet <= control$enable || reset ? 0 : f_quiet == 127 ? 127 : f_quiet + 1;
always @(*) begin
    if (!control$enable) assume(f_pop && able && control$stop_go == control$stop_ready && !reset);
    it_ends: assert(f_quiet < f_bound || f_idle);
end
`endif

// nor can it be put off: once room was waited for with `enable` at 0, what is left in the pipeline has room
reg f_past = 0;
always @(posedge clock) f_past <= !control$enable && !reset && (f_past || verdict$losing && !resume$q);
always @(*) no_loss_anew: assert(!(f_past && verdict$drop));

// what makes it inductive: which cycles of the pipeline are live. One run of them; while messages are lost the old ones,
// a gap, and from `resume` on the new ones
wire [`LATENCY-1:0] f_gap = ~f_pipe;
wire f_one_run = ((f_pipe + (f_pipe & -f_pipe)) & f_pipe) == 0;
wire f_one_gap = ((f_gap + (f_gap & -f_gap)) & f_gap) == 0 && f_gap != 0;
wire f_only_old = (f_pipe[`LATENCY-2:0] & ~f_pipe[`LATENCY-1:1]) == 0;
reg [4:0] f_dead;
integer f_i;
always @(*) begin
    f_dead = 0;
    for (f_i = 0; f_i < `LATENCY; f_i = f_i + 1) f_dead = f_dead + f_gap[f_i];
end
`ifndef OUTSIDE
always @(*) begin
    state_run: assert(run$q == (f_pipe != 0 || verdict$tracing || verdict$losing) && (run$q || !f_synced && !stopping$q));
    state_held: assert(f_held + f_push <= `PLACES);
    state_low: assert(f_low || f_held + 2 <= `PLACES);
    state_pipe: assert(verdict$losing ? (resume$q ? f_one_gap : f_only_old) : f_one_run);
    state_past: assert(!(f_past && !verdict$losing && live) || f_held + f_push <= 1 + f_dead);
    state_lost: assert(!verdict$losing || !f_push);
    state_resume: assert(!resume$q || f_held + f_push <= !verdict$losing);
    state_stopping: assert(verdict$losing || stopping$q || f_pipe == 0 || f_pipe[0] || !run$q);
    state_stopped: assert(!f_synced || verdict$losing || live || f_pipe == 0 && stopping$q);
    state_first: assert(!live || first$q || f_synced || verdict$losing);
    state_again: assert(!f_synced || !first$q || !live || verdict$losing);
    state_tracing: assert(!f_synced || verdict$tracing);
end
`endif

reg [2:0] f_stops = 0;
reg f_lost = 0;
always @(posedge clock) begin
    if (verdict$stop && f_stops != 7) f_stops <= f_stops + 1;
    if (verdict$overflow) f_lost <= 1;
end
always @(*) begin
    cover(f_stops == 1 && f_lost && f_sync);
    cover(verdict$drop && f_synced);
    cover(f_stops == 2);
end
