// Properties inside the emitted crossing of a core: instructions come out unchanged, in order and without a gap, whatever
// the two clocks and the two resets do
//
// The clocks are free inputs: a step of the proof may be an edge of either, of both, or of none. In silicon, a
// synchroniser may misread only a bit that is changing. `one_bit_at_a_time` states that at most one bit of a pointer
// changes, so that the synchroniser captures the old pointer or the new one. The exception is a reset of the chip:
// then nothing is shown (`jumps_unseen`) until the pointers are settled (`state_seen`).

// the chip is not reset again while its request falls
reg f_was_reset = 0;
always @(posedge clock) f_was_reset <= reset;
always @(*) assume(!reset || f_was_reset || request$q || !closed);

function [3:0] f_binary(input [3:0] gray);
    f_binary = {gray[3], ^gray[3:2], ^gray[3:1], ^gray};
endfunction

wire [3:0] f_fill = written$q - read$q;
wire [3:0] f_seen = f_binary(written_here$q) - read$q;
wire [3:0] f_nearly_seen = f_binary(written_near$q) - read$q;
wire [3:0] f_freed = f_binary(read_here$q);
// the core's side has begun again: its pointers count what the chip will take
wire f_valid = !request$q && !request_near$q && !requested$q;

// the followed instruction, any one: its entry and its words
(* anyseq *) wire f_choose;
reg f_followed = 0;
reg [3:0] f_at = 0;
reg [247:0] f_word = 0;
reg f_out = 0;
wire [247:0] f_now = {access_word, register_word, flow_word};
// what was in the FIFO before a reset of the chip is not followed any more
reg f_gone = 0;
always @(posedge core_clock) if (push && f_valid && f_choose && !f_followed) begin
    f_followed <= 1;
    f_at <= written$q;
    f_word <= f_now;
end
always @(posedge clock) begin
    if ((reset || request$q) && f_followed) f_gone <= 1;
    if (retired$valid && f_followed && read$q == f_at) f_out <= 1;
end
wire f_inside = f_followed && !f_out && !f_gone && f_valid;
wire [3:0] f_before = f_at - read$q;
wire [3:0] f_read = f_at;
wire [106:0] f_lies_flow;
wire [36:0] f_lies_register;
wire [103:0] f_lies_access;

// the core was reset, or begins again, and nothing passed since; an instruction found no entry
reg f_owed = 0;
reg f_refused = 0;
// instructions that the core's side took since it began again
reg [3:0] f_taken = 0;
always @(posedge core_clock) begin
    if (core_reset || requested$q) f_owed <= 1;
    else if (push) f_owed <= 0;
    f_taken <= requested$q ? 0 : f_taken + push;
    f_refused <= !requested$q && (f_refused || (pins$rvfi$valid && !core_reset && !push));
end

always @(*) begin
    never_more_than_fit: assert(!f_valid || f_fill <= 8);
    full_is_refused: assert(!f_valid || f_fill != 8 || !push);
    empty_is_seen: assert(!retired$valid || (f_valid && f_fill != 0));
    as_it_went_in: assert(!(retired$valid && f_inside && read$q == f_at)
        || {access$rdata, register$rdata, flow$rdata} == f_word);
    not_overwritten: assert(!f_inside
        || (f_before < f_fill && {f_lies_access, f_lies_register, f_lies_flow} == f_word));
    one_bit_at_a_time: assert((requested$q || $onehot0(written_gray$d ^ written_gray$q))
        && (closed || reset || $onehot0(read_gray$d ^ read_gray$q)));
    jumps_unseen: assert(!requested$q || closed);
    begins_with_entry_0: assert(!f_valid || written$q == f_taken);
    first_is_marked: assert(!push || flow_word[106] == f_owed);
    missing_is_kept: assert(missing$q == f_refused);
    // each state of the request but the last is left at the next edge of one of the clocks
    request_in_order: assert(f_wave == 5'b00000 || f_wave == 5'b10000 || f_wave == 5'b11000 || f_wave == 5'b11100
        || f_wave == 5'b11110 || f_wave == 5'b11111 || f_wave == 5'b01111 || f_wave == 5'b00111
        || f_wave == 5'b00011 || f_wave == 5'b00001);
end
wire [4:0] f_wave = {request$q, request_near$q, requested$q, seen_near$q, seen_here$q};

`ifndef OUTSIDE
always @(*) begin
    state_gray: assert(written_gray$q == (written$q ^ (written$q >> 1)) && read_gray$q == (read$q ^ (read$q >> 1)));
    state_seen: assert((closed && f_wave != 0 && f_wave != 5'b00001)
        || ((f_wave != 0 || f_seen <= f_nearly_seen) && f_nearly_seen <= f_fill));
    state_freed: assert(!f_valid || (4'(f_binary(read_near$q) - f_freed) <= 4'(read$q - f_freed)
        && 4'(read$q - f_freed) <= 4'(written$q - f_freed) && 4'(written$q - f_freed) <= 8));
    state_out: assert(!f_out || f_followed);
    state_first: assert(first$q == f_owed);
    // while the chip is closed it has read nothing, and what the core's side sees of its pointer follows
    state_closed: assert(!closed || (read$q == 0 && (f_wave == 5'b10000 || (read_near$q == 0
        && (f_wave == 5'b11000 || read_here$q == 0)))));
    state_opens: assert(request$q || !seen_here$q || was_seen$q);
    state_was_reset: assert(!f_was_reset || request$q);
    state_gone: assert(f_valid || !seen_near$q || !f_followed || f_gone);
    state_next: assert(!f_inside || closed || f_at != read$q || f_seen == 0
        || {access$rdata, register$rdata, flow$rdata} == f_word);
end
`endif

always @(*) begin
    cover(f_fill == 8 && f_out);
    cover(f_out && f_valid && f_fill == 0 && f_at == 9);
    cover(retired$valid && f_gone && retired$first);
    cover(retired$valid && retired$first && f_out && !f_gone);
end
