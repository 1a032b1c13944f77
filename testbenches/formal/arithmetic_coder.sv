// Properties inside the emitted arithmetic coder: the interval is never empty, and no carry is lost
//
// The byte before and C are one number, whose sum with A never exceeds the interval of the code before.

wire f_runs = state$q == 2'd0;
wire f_shifts = state$q == 2'd1;
wire f_leaves = state$q == 2'd2;
wire f_fills = state$q == 2'd3;

always @(*) begin
    assume(kind != 2'd2 || (count >= 1 && count <= 8));
    assume(kind != 2'd2 || data >> count == 0);
end

// with a byte before, its value is 2^23; taking a byte out of C changes nothing
wire [32:0] f_before = has_last$q ? {2'd0, last$q, 23'd0} : 33'd0;
wire [32:0] f_carried = has_last$q ? {2'd0, carried, 23'd0} : 33'd0;
wire [32:0] f_next = stuffs ? {9'd0, last$d, 16'd0} : {10'd0, last$d, 15'd0};
wire f_out = f_leaves && (sent || !has_last$q);
wire [27:0] f_moved = {4'd0, sum} << steps;

always @(*) begin
    size_is_never_0: assert(size != 0);
    full_size_at_a_decision: assert(!f_runs || size[11]);
    carry_is_kept: assert(!f_out || reset || f_before + c$q == f_carried + f_next + c$d);
    c_is_kept: assert(!(f_runs || f_shifts) || f_moved[27:24] == 0);
    carry_has_a_byte: assert(!f_leaves || has_last$q || !c$q[23]);
end

`ifndef OUTSIDE
// inductive invariant: the upper end of the interval, moved to the end of the byte, never rises
wire [39:0] f_end = ({16'd0, c$q} + addend$q + size) << doublings;
always @(*) begin
    state_end: assert(f_fills || f_end <= (has_last$q ? 40'h900000 : 40'h800000));
    state_size: assert(!f_shifts || flushing$q != !size[11]);
    state_flush: assert((!flushing$q || size[11]) && !(f_runs && flushing$q) && (!f_fills || flushing$q));
    state_addend: assert(f_shifts || addend$q == 0);
    state_left: assert(f_leaves ? doublings == 0 : f_fills || (doublings >= 1 && doublings <= 12));
    state_fraction: assert(!f_shifts || flushing$q || addend$q + size < 4096);
    state_count: assert(!requested$q || own_kind$q != 2'd2 || (own_count$q >= 1 && own_count$q <= 8));
end
`endif

reg f_stuffed = 0;
always @(posedge clock) f_stuffed <= (f_stuffed || (f_out && stuffs)) && !reset;
always @(*) begin
    cover(f_out && carry && has_last$q && !last_is_ones);
    cover(f_stuffed && f_runs && !requested$q && !has_last$q);
end
