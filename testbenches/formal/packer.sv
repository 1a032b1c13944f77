// Properties inside the emitted packer: the bits of its words are those of its slices
//
// Size: MOST bits of a slice. All bits in the packer are also kept here, in a single register, and handed out 32 at a
// time.

always @(*) begin
    assume(!bits$valid || (bits$count >= 1 && bits$count <= `MOST));
    assume(bits$data >> bits$count == 0);
end

reg [39:0] f_bits = 0;
reg [5:0] f_fill = 0;
wire f_in = bits$valid && bits$ready;
wire f_out = words$valid && words$ready;
wire [39:0] f_kept = f_out ? f_bits >> 32 : f_bits;
wire [5:0] f_left = f_out ? f_fill - 32 : f_fill;
always @(posedge clock) begin
    f_bits <= f_in ? f_kept | bits$data << f_left : f_kept;
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
    takes_unless_a_word_waits: assert(bits$ready == !words$valid);
    bits_out_are_bits_in: assert(!words$valid || words$data == f_bits[31:0]);
    aligned_is_true: assert(aligned == (f_fill[4:0] == 0));
    held_under_back_pressure: assert(!f_held || (words$valid && words$data == f_word));
end

// inductive invariant: where the bits are; those of the top move to the others one cycle after their slice
wire [5:0] f_bytes = {full$q, nibble_count$q, 2'd0};
wire [27:0] f_low = `MOST == 4 ? (moves$q ? {top$q[3:0], low$q[27:4]} : low$q) : (moves$q ? {top$q, low$q[23:8]} : low$q[23:0]);
localparam f_space = 32 - `MOST;
`ifndef OUTSIDE
always @(*) begin
    state_fill: assert(f_fill == f_bytes + held$q && held$q < `MOST && f_bytes % `MOST == 0 && !(full$q && nibble_count$q != 0) && f_bits >> f_fill == 0);
    state_rest: assert(rest$q == f_bits >> f_bytes);
    state_lane: assert(nibbles == nibble_count$q && !(full$q && moves$q) && top$q >> `MOST == 0);
    state_word: assert(full$q || nibble_count$q == 0 || f_low >> (f_space - f_bytes) == (f_bits & ((40'd1 << f_bytes) - 1)));
    state_full: assert(!full$q || words$data == f_bits[31:0]);
end
`endif

reg [1:0] f_words = 0;
always @(posedge clock) if (f_out && f_words != 3) f_words <= f_words + 1;
always @(*) begin
    cover(words$valid && f_held && f_fill == 31 + `MOST);
    cover(f_words == 2 && aligned && f_fill == 0);
end
