// Properties inside the emitted wide packer: the bits of its words are those of its slices
//
// All bits in the packer are also kept here, in a single register, and handed out 32 at a time.

wire [15:0] f_piece = {bits$high, bits$data};
always @(*) begin
    assume(!bits$valid || bits$count >= 1);
    assume(f_piece >> bits$count == 0);
end

reg [62:0] f_bits = 0;
reg [5:0] f_fill = 0;
wire f_in = bits$valid && bits$ready;
wire f_out = words$valid && words$ready;
wire [62:0] f_kept = f_out ? f_bits >> 32 : f_bits;
wire [5:0] f_left = f_out ? f_fill - 32 : f_fill;
always @(posedge clock) begin
    f_bits <= f_in ? f_kept | f_piece << f_left : f_kept;
    f_fill <= f_in ? f_left + bits$count : f_left;
    if (reset) {f_bits, f_fill} <= 0;
end

reg f_held = 0;
reg [31:0] f_word;
always @(posedge clock) begin
    f_held <= words$valid && !words$ready && !reset;
    f_word <= words$data;
end

always @(*) begin
    a_word_when_full: assert(words$valid == (f_fill >= 32));
    takes_unless_two_halves_wait: assert(bits$ready == (f_fill < 48));
    bits_out_are_bits_in: assert(!words$valid || words$data == f_bits[31:0]);
    aligned_is_true: assert(aligned == (f_fill[4:0] == 0));
    lane_is_true: assert(nibbles == f_fill[4:2]);
    held_under_back_pressure: assert(!f_held || (words$valid && words$data == f_word));
end

// inductive invariant: where the bits are
wire [5:0] f_whole = {full$q, half$q, 4'd0};
`ifndef OUTSIDE
always @(*) begin
    state_fill: assert(f_fill == f_whole + held$q && f_bits >> f_fill == 0);
    state_rest: assert(rest$q == f_bits >> f_whole);
    state_half: assert(!half$q || first$q == ((f_bits >> {full$q, 5'd0}) & 16'hffff));
    state_word: assert(!full$q || word$q == f_bits[31:0]);
end
`endif

reg [1:0] f_words = 0;
always @(posedge clock) if (f_out && f_words != 3) f_words <= f_words + 1;
always @(*) begin
    cover(words$valid && f_held && f_fill == 62);
    cover(f_words == 2 && aligned && f_fill == 0);
end
