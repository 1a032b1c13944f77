// Inside of the emitted life of a trace, with its ingress and pipeline of LATENCY clocks and its event FIFO of PLACES
// entries, of which ROOMY may be in use where a core goes on behind a gap
//
// The ingress answers `go` with `here` a clock later; what is not lost there is `live` in the last stage; an entry stands at
// the FIFO with its verdict, or if LATE a clock after it. Places are counted as `hdl/src/spine/room.rs` counts them. Of the
// other cores nothing is assumed but that `stop_go` comes only to those who are `stop_ready`.

localparam D = `LATENCY - 1;
reg f_here = 0;
// by stage behind the one where predictors are asked: live; an instruction; it is control flow, the first after a trap
reg [D-1:0] f_pipe = 0;
reg [D-1:0] f_valid = 0;
reg [D-1:0] f_flow = 0;
reg [D-1:0] f_intr = 0;
(* anyseq *) wire f_in_valid;
(* anyseq *) wire f_in_flow;
(* anyseq *) wire f_in_intr;
wire f_stays = seen;
// whether the last instruction must not be told, and those on their way
(* anyseq *) wire f_in_hide;
reg f_hide = 0;
reg [D-1:0] f_veiled = 0;
reg f_push = 0;
reg [8:0] f_held = 0;
reg [8:0] f_used = 0;
reg f_popped = 0;
(* anyseq *) wire f_pop;
wire f_message = verdict$send || verdict$overflow || verdict$stop;
wire f_in = `LATE ? f_push : f_message;
wire f_out = f_pop && f_held != 0;
always @(posedge clock) begin
    f_here <= !reset && go;
    f_pipe <= reset ? 0 : {f_pipe[D-2:0], f_stays};
    f_valid <= reset ? 0 : {f_valid[D-2:0], f_in_valid && counts};
    f_flow <= reset ? 0 : {f_flow[D-2:0], f_in_flow && f_stays && !away && f_in_valid};
    if (enter) f_hide <= f_in_hide;
    f_veiled <= reset ? 0 : {f_veiled[D-2:0], enter && f_in_hide};
    f_intr <= reset ? 0 : {f_intr[D-2:0], f_in_intr};
    f_push <= !reset && f_message && `LATE;
    f_popped <= !reset && f_out;
    f_held <= reset ? 0 : f_held + f_in - f_out;
    f_used <= reset ? 0 : f_used + control$take - control$give - f_popped;
end
always @(*) begin
    assume(here == f_here && enter == (f_here && f_in_valid) && may == (f_in_flow || f_in_intr));
    assume(hide == (`FILTER && (enter ? f_in_hide : f_hide)));
    assume(live == f_pipe[D-1] && live_next == f_pipe[D-2]);
    assume(valid == f_valid[D-1] && intr == f_intr[D-1] && verdict$flow == f_flow[D-1]);
    // nothing but control flow is told for its own sake
    assume(!verdict$asks || verdict$flow);
    assume(control$spent == (f_used == `PLACES));
    assume(control$roomy == (f_used < `ROOMY));
    if (control$stop_go) assume(control$stop_ready);
    // a session begins when all of the last one has left (`hdl/src/spine/session.rs`)
    if (control$enable && !run$q) assume(f_used == 0);
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
    no_push_is_refused: assert(!(f_in && f_held == `PLACES));
    no_place_is_taken_twice: assert(!(control$take && control$spent));
    every_entry_has_its_place: assert(f_held + f_push + f_popped <= f_used);
    one_message_a_clock: assert(verdict$send + verdict$overflow + verdict$stop <= 1);
    never_both: assert(!(live && verdict$losing));
    lost_until_overflow: assert(!verdict$losing || !verdict$send && !verdict$stop);
    stop_only_of_a_trace: assert(!verdict$stop || verdict$tracing && !live);
end

// what is lost is noted: in the last stage an instruction of a trace that goes on is live, or the core is losing
reg [D-1:0] f_gone = 0;
always @(posedge clock) f_gone <= reset ? 0 : {f_gone[D-2:0], f_here && away && f_in_valid && counts};
always @(*) nothing_lost_in_silence: assert(!f_gone[D-1] || verdict$drop || verdict$losing);

// what retires in a clock in which `enable` is 0 is neither told nor counted as lost
reg f_after = 0;
reg [D-1:0] f_behind = 0;
always @(posedge clock) begin
    f_after <= !control$enable;
    f_behind <= {f_behind[D-2:0], f_after && f_in_valid};
end
always @(*) nothing_behind_the_end: assert(!f_behind[D-1] || !verdict$beat && !control$loses);

// with a filter, what must not be told never is, in whatever clock
always @(*) what_is_hidden_is_not_told: assert(!(`FILTER && f_veiled[D-1] && verdict$beat));

// it ends: when `enable` is 0 and the others answer at once, then in so many clocks; and all places are free again
wire f_idle = !run$q && !verdict$tracing && !verdict$losing && f_pipe == 0;
`ifdef ENDS
localparam f_bound = 3 * `LATENCY + 2 * `PLACES + 4;
reg [6:0] f_quiet = 0;
always @(posedge clock) f_quiet <= control$enable || reset ? 0 : f_quiet == 127 ? 127 : f_quiet + 1;
always @(*) begin
    if (!control$enable) assume(f_pop && able && control$stop_go == control$stop_ready && !reset);
    it_ends: assert(f_quiet < f_bound || f_idle);
    all_is_given_back: assert(f_quiet < f_bound || f_used == 0);
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
