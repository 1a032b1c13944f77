// Properties inside the emitted framer: the header comes first, and a trace that has begun ends
//
// Sizes: CORES, HEADER (96 bits), MOST bits of a slice. Cores: those that trace owe a stop message from the first cycle
// of `tracing`, and send it only after `tracing` has fallen. Encoder: its bits belong to an entry that is present, or
// to completed ones.

localparam [95:0] f_header = `HEADER;
reg [4:0] f_owed = 0;
reg [4:0] f_stops = 0;
reg [1:0] f_pending = 0;
reg [4:0] f_fill = 0;
reg [4:0] f_sent = 0;
localparam f_head = 96 / `MOST;
(* anyseq *) wire [1:0] f_tail;
wire f_piece = coded$valid && coded$ready;
wire f_out = bits$valid && bits$ready;

always @(*) begin
    assume(!show || f_owed != 0);
    assume(!done || have);
    assume(!(done && ends) || !tracing);
    assume(coded$busy == (f_pending != 0));
    assume(!coded$valid || coded$busy || have);
    assume(!coded$valid || (coded$count >= 1 && coded$count <= `MOST));
    assume(aligned == (f_fill == 0));
    assume(nibbles == (`MOST == 4 ? f_fill[4:2] : f_fill[4:3] * 2));
end

wire f_stop = done && ends;
always @(posedge clock) begin
    if (tracing) f_owed <= `CORES;
    else if (f_stop) f_owed <= f_owed - 1;
    f_stops <= f_filling && aligned ? 0 : f_stops + f_stop;
    if (done) f_pending <= f_tail;
    else if (f_piece && coded$busy) f_pending <= f_pending - 1;
    if (f_out) f_fill <= f_fill + bits$count;
    if (!active) f_sent <= 0;
    else if (f_out && f_sent < f_head) f_sent <= f_sent + 1;
    if (reset) {f_owed, f_stops, f_pending, f_fill, f_sent} <= 0;
end

wire f_in_header = active && f_sent < f_head;
wire f_filling = active && f_stops == `CORES && f_pending == 0;
always @(*) begin
    header_as_declared: assert(!f_in_header || (bits$valid && bits$count == `MOST && bits$data == f_header[`MOST * f_sent +: `MOST]));
    nothing_else_in_it: assert(!f_in_header || !(have || coded$ready));
    then_what_is_coded: assert(!active || f_in_header || f_filling ||
        ({bits$valid, bits$count, bits$data} == {coded$valid, coded$count, coded$data} && coded$ready == bits$ready));
    then_zeros: assert(!f_filling || (bits$data == 0 && bits$valid == (f_fill != 0)));
    traces_only_in_a_session: assert(!tracing || active);
    nothing_without_one: assert(active || !(f_owed != 0 || (bits$valid && bits$ready && !coded$valid)));
    busy_from_first_to_last: assert(bits$busy == active);
end

// termination: without `tracing` there is always something that must move, and each move reduces what is left
wire f_closing = active && !tracing;
always @(*) someone_has_to_move: assert(!f_closing || f_in_header || f_owed != 0 || f_pending != 0 || f_filling);
// what is left: slices of the header, stop messages and the slices that the last one may leave, then the bits to a full
// word
wire [4:0] f_missing = 0 - f_fill;
wire [10:0] f_rest = (f_head - f_sent) * 32 + (f_owed != 0 ? (f_owed + 4) * 32 : f_pending * 32 + f_missing);
reg f_was = 0;
reg f_moved = 0;
reg [10:0] f_was_rest;
reg f_was_whole = 0;
always @(posedge clock) begin
    f_was <= f_closing && !reset;
    f_moved <= f_in_header ? f_out : f_stop || (f_owed == 0 && f_out);
    f_was_rest <= f_rest;
    f_was_whole <= f_stops == `CORES && f_pending == 0 && f_fill == 0;
end
always @(*) begin
    less_is_to_come: assert(!f_was || !active || (f_rest <= f_was_rest && (f_rest < f_was_rest || !f_moved)));
    no_second_before_the_end: assert(!f_was || !active || !tracing);
    ends_after_the_last_stop: assert(!f_was || active || f_was_whole);
end

// inductive invariant
`ifndef OUTSIDE
always @(*) begin
    state_head: assert(in_header$q == f_in_header && (!in_header$q || {header_word$q, f_fill} == f_sent * `MOST) && f_sent <= f_head);
    state_stops: assert(stop_count$q == f_stops && f_stops <= `CORES && in_trace$q == active && running$q == tracing);
    state_owed: assert(!active ? f_owed == 0 && f_pending == 0 && f_fill == 0 && f_stops == 0
        : tracing ? f_stops == 0 : f_owed + f_stops == `CORES);
end
`endif

reg f_twice = 0;
always @(posedge clock) if (f_was && !active) f_twice <= 1;
always @(*) begin
    cover(f_twice && active && f_sent == f_head);
    cover(f_filling && f_fill == 31);
    cover(f_was && !active && f_was_whole);
end
