// Properties inside the emitted crossing: words come out unchanged and in order, whatever the two clocks do
//
// The clocks are free inputs: a step of the proof may be an edge of either, of both, or of none. In silicon, a
// synchroniser may misread only a bit that is changing. `one_bit_at_a_time` states that at most one bit changes, so
// that the synchroniser captures the old pointer or the new one.

always @(*) assume(!reset && !port_reset);


function [2:0] f_binary(input [2:0] gray);
    f_binary = {gray[2], gray[2] ^ gray[1], gray[2] ^ gray[1] ^ gray[0]};
endfunction

wire [2:0] f_fill = written$q - read$q;
wire [2:0] f_seen = f_binary(written_here$q) - read$q;
wire [2:0] f_nearly_seen = f_binary(written_near$q) - read$q;
wire [2:0] f_freed = f_binary(read_here$q);

// the followed word, any one: its entry and its value
(* anyseq *) wire f_choose;
reg f_followed = 0;
reg [2:0] f_at = 0;
reg [31:0] f_word = 0;
always @(posedge clock) if (words$valid && words$ready && f_choose && !f_followed) begin
    f_followed <= 1;
    f_at <= written$q;
    f_word <= words$data;
end
reg f_out = 0;
always @(posedge port_clock) if (out$valid && out$ready && f_followed && read$q == f_at) f_out <= 1;
wire f_inside = f_followed && !f_out;
wire [2:0] f_before = f_at - read$q;
wire [31:0] f_lies = f_at[1:0] == 0 ? slot0$q : f_at[1:0] == 1 ? slot1$q : f_at[1:0] == 2 ? slot2$q : slot3$q;

always @(*) begin
    never_more_than_fit: assert(f_fill <= 4);
    full_is_refused: assert(f_fill != 4 || !words$ready);
    empty_is_seen: assert(f_fill != 0 || !out$valid);
    as_it_went_in: assert(!(out$valid && f_inside && read$q == f_at) || out$data == f_word);
    not_overwritten: assert(!f_inside || (f_before < f_fill && f_lies == f_word));
    one_bit_at_a_time: assert($onehot0(written_gray$d ^ written_gray$q) && $onehot0(read_gray$d ^ read_gray$q));
end

`ifndef OUTSIDE
always @(*) begin
    state_gray: assert(written_gray$q == (written$q ^ (written$q >> 1)) && read_gray$q == (read$q ^ (read$q >> 1)));
    state_seen: assert(f_seen <= f_nearly_seen && f_nearly_seen <= f_fill);
    state_freed: assert(3'(f_binary(read_near$q) - f_freed) <= 3'(read$q - f_freed)
        && 3'(read$q - f_freed) <= 3'(written$q - f_freed) && 3'(written$q - f_freed) <= 4);
    state_out: assert(!f_out || f_followed);
end
`endif

always @(*) begin
    cover(f_fill == 4 && f_out);
    cover(f_out && f_fill == 0 && f_at == 5);
end
