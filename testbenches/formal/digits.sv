// Properties inside the emitted digit coder: its slices are the bits specified in docs/reference/stream.md, "Chunked numbers" and
// `addr`
//
// Sizes: ADDRESS_BITS; TURNS, their number of 4-bit digits, which is also the width of the ports; 2^INDEX entries for
// digits in each half of the memory; and the chunks B0, B1 (bCnt), T0, T1 (diffTA), I0, I1 (iCnt). The bits still to
// come of fields from the port are kept here, the first one lowest; so is the previous address.

localparam WIDTH = 4 * `TURNS;
localparam f_mask = (1 << `ADDRESS_BITS) - 1;

// v in chunks of `first` bits, then `next` bits each: the bits, and their number above them
function [`ROOM+6:0] f_chunked(input [WIDTH-1:0] v, input [6:0] first, input [6:0] next);
    reg [`ROOM-1:0] bits;
    reg [6:0] n, size;
    reg [WIDTH-1:0] rest;
    reg go;
    integer i;
    begin
        bits = 0;
        n = 0;
        rest = v;
        size = first;
        go = 1;
        for (i = 0; i < `CHUNKS; i = i + 1) if (go) begin
            bits = bits | (rest & ((1 << size) - 1)) << n;
            rest = rest >> size;
            n = n + size;
            go = rest != 0;
            if (go) bits = bits | 1 << n;
            n = n + 1;
            size = next;
        end
        f_chunked = {n, bits};
    end
endfunction

// the field at the port, and the previous address
reg [WIDTH-1:0] f_before = 0;
reg f_known = 0;
wire f_addr = port$kind == 2;
// of a raw field, only four bits are used
wire [WIDTH-1:0] f_value = port$zero ? 0 : port$kind == 0 ? port$value & 15 : port$value;
wire [WIDTH-1:0] f_base = port$no_difference ? 0 : f_before;
wire [WIDTH-1:0] f_difference = (port$value - f_base) & f_mask;
wire f_minus = f_difference >> (`ADDRESS_BITS - 1);
wire [WIDTH-1:0] f_magnitude = f_minus ? (0 - f_difference) & f_mask : f_difference;
wire [6:0] f_c0 = port$kind == 1 ? `B0 : f_addr ? `T0 : `I0;
wire [6:0] f_c1 = port$kind == 1 ? `B1 : f_addr ? `T1 : `I1;
wire [WIDTH-1:0] f_sent = f_addr ? f_magnitude : f_value;
wire [`ROOM+6:0] f_number = f_chunked(f_sent, f_c0, f_c1);
wire [6:0] f_n = port$kind == 0 ? port$size + 1 : f_number[`ROOM+6:`ROOM] + f_addr;
wire [`ROOM-1:0] f_b = port$kind == 0 ? f_value & ((1 << (port$size + 1)) - 1)
    : f_number[`ROOM-1:0] | (f_addr && f_minus) << f_number[`ROOM+6:`ROOM];

// the bits still to come; and of the field at the port: its bits, the number to send, the previous address, and the
// subtrahend
reg [`ROOM-1:0] f_bits = 0;
reg [6:0] f_left = 0;
reg f_seen = 0;
reg [`ROOM-1:0] f_own_b = 0;
reg [6:0] f_own_n = 0;
reg [WIDTH-1:0] f_own = 0;
reg [WIDTH-1:0] f_less = 0;
reg [WIDTH-1:0] f_off = 0;
reg f_sign = 0;
reg [WIDTH+6:0] f_port = 0;
wire [WIDTH+6:0] f_port_now = {port$kind, port$size[1:0], port$zero, port$no_difference, port$value};
wire f_out = port$have && port$taken;
wire f_in = port$valid && port$ready;
wire f_new = port$valid && !f_seen;
wire [6:0] f_left_1 = f_out ? f_left - port$count : f_left;
wire [`ROOM-1:0] f_bits_1 = f_out ? f_bits >> port$count : f_bits;
always @(posedge clock) begin
    f_seen <= port$valid && !f_in;
    f_bits <= f_new ? f_bits_1 | f_b << f_left_1 : f_bits_1;
    f_left <= f_new ? f_left_1 + f_n : f_left_1;
    if (f_new) begin
        {f_own_b, f_own_n, f_own, f_port, f_sign} <= {f_b, f_n, f_sent, f_port_now, f_addr && f_minus};
        f_less <= f_before;
        f_off <= f_base;
    end
    if (f_new && f_addr) begin
        f_before <= port$value;
        f_known <= 1;
    end
    if (port$reset) {f_bits, f_left, f_known, f_seen} <= 0;
end

// a field is stable until it is accepted; after a reset the first address is that of a sync; no times are sent
always @(*) begin
    assume(!f_seen || port$valid && f_port == f_port_now);
    assume(port$kind <= 4 && port$kind != 3 && port$size < 4);
    if (port$kind == 0) assume((port$value & 15) >> (port$size + 1) == 0);
    if (port$kind == 1 || port$kind == 4) assume(port$value >> `COUNT_BITS == 0);
    if (f_new && f_addr) assume(port$value <= f_mask && !port$zero && (port$no_difference || f_known));
end

always @(*) begin
    bits_as_specified: assert(!port$have || f_left >= port$count
        && port$data == (f_bits & ((1 << port$count) - 1)));
    one_to_four: assert(!port$have || port$count >= 1 && port$count <= 4);
    all_of_what_is_taken: assert(port$busy || f_seen || f_left == 0);
    busy_is_true: assert(!port$have || port$busy);
end

// it waits for `taken` only: two cycles for a number; for an address one cycle per digit more, or two and one
reg [5:0] f_idle = 0;
always @(posedge clock) f_idle <= (port$valid || port$busy) && !port$have && !port$reset ? f_idle + 1 : 0;
always @(*) waits_for_its_digits_at_most: assert(f_idle <= 2 * `TURNS + 3);

// inductive invariant
localparam WAIT = 0, WALK = 1, SEND = 2, TAKE = 3, HALF = 4 << `INDEX;
wire f_first = state$q == SEND && !more$q;
wire f_next = state$q == SEND && more$q;
wire [2*HALF-1:0] f_all;
wire [HALF-1:0] f_half_at = f_all >> (half$q ? HALF : 0);
wire [HALF-1:0] f_other_at = f_all >> (half$q ? 0 : HALF);
// each digit is stored at the address after its index
wire [WIDTH-1:0] f_half = {f_half_at[3:0], f_half_at[WIDTH-1:4]};
wire [WIDTH-1:0] f_other = {f_other_at[3:0], f_other_at[WIDTH-1:4]};
// digits read so far, and complete digits of the difference; the subtrahend, as its complement
wire [3:0] f_gone = state$q == WALK ? (at$q == 0 ? `TURNS : at$q) : `TURNS;
wire [3:0] f_by = state$q == WALK ? f_gone - 1 : at$q;
wire [WIDTH-1:0] f_low = (1 << 4 * f_by) - 1;
wire [WIDTH-1:0] f_written = state$q == WALK && !negative$q ? f_low : -1;
wire f_is = f_port[WIDTH+6:WIDTH+4] == 2;
wire f_is_raw = f_port[WIDTH+6:WIDTH+4] == 0;
wire [WIDTH-1:0] f_value_1 = f_is_raw ? f_port[3:0] : f_port[WIDTH-1:0];
wire [WIDTH-1:0] f_term = ~(f_is ? f_off : 0);
wire [WIDTH-1:0] f_diff = f_value_1 + f_term + 1;
wire [WIDTH:0] f_carry = (f_value_1 & f_low) + (f_term & f_low) + !negative$q;
// index of the highest nonzero digit, plus one
function [3:0] f_top(input [WIDTH-1:0] v);
    integer i;
    begin
        f_top = 1;
        for (i = 0; i < `TURNS; i = i + 1) if (v >> (4 * i) & 15) f_top = i + 1;
    end
endfunction
wire [3:0] f_highest = f_top(f_own) == `TURNS ? 0 : f_top(f_own);
wire [WIDTH-1:0] f_over = f_own >> 4 * at$q;
// the first chunk ends later than between or after the first two bits; some bits were sent
reg f_late = 0;
reg f_begun = 0;
always @(posedge clock) begin
    if (f_out) f_begun <= 1;
    if (state$q == SEND && !sends$q) begin
        f_begun <= 0;
        f_late <= f_is ? `T0 > 2 : f_port[WIDTH+6:WIDTH+4] == 1 ? `B0 > 2 : `I0 > 2;
    end
end
// bits of the current chunk, and of the chunks after it; a slice ends between or after two bits
wire f_closes = wide$q ? upper$q == f_late : f_begun || !f_late;
wire [6:0] f_size = f_closes ? (odd$q ? 1 : 2) : (odd$q ? 3 : 4);
wire [WIDTH+3:0] f_v = (f_next ? f_over << 4 : 0) | v$q;
wire [`ROOM+6:0] f_rest = f_chunked(upper$q ? f_v >> 2 : f_v, f_size, wide$q ? 4 : 2);
wire [6:0] f_rest_n = !sends$q ? 0 : raw$q ? size$q + 1 : f_rest[`ROOM+6:`ROOM] + address$q;
wire [`ROOM-1:0] f_rest_b = !sends$q ? 0 : raw$q ? v$q
    : f_rest[`ROOM-1:0] | (address$q && sign$q) << f_rest[`ROOM+6:`ROOM];
wire [`ROOM+6:0] f_all_of = f_chunked(f_own, f_c0, f_c1);
wire f_whole = state$q == WALK || f_first;
wire [2:0] f_flags = {wide$q, odd$q, f_late};
wire [2:0] f_flags_t = {1'(`T1 == 4), 1'(`T0 % 2 == 1), 1'(`T0 > 2)};
wire [2:0] f_flags_b = {1'(`B1 == 4), 1'(`B0 % 2 == 1), 1'(`B0 > 2)};
wire [2:0] f_flags_i = {1'(`I1 == 4), 1'(`I0 % 2 == 1), 1'(`I0 > 2)};
`ifndef OUTSIDE
always @(*) begin
    state_range: assert(state$q <= TAKE && at$q < `TURNS && f_before <= f_mask && f_off <= f_mask);
    state_more: assert(!more$q || state$q == SEND);
    state_turn: assert(!rescan$q || f_first && f_is && f_sign && !negative$q);
    state_port: assert((state$q == WAIT) == !f_seen && (state$q != WAIT || at$q == 0) && (state$q != WALK || f_is));
    state_of_port: assert(!f_seen || !f_is || f_value_1 == f_before && (f_port[WIDTH] ? f_off == 0 : f_off == f_less)
        && f_sign == f_diff[`ADDRESS_BITS-1] && f_own == ((f_sign ? 0 - f_diff : f_diff) & f_mask) && !f_port[WIDTH+1]);
    state_of_count: assert(!f_seen || f_is || !f_sign && (f_port[WIDTH+1] ? f_own == 0 : f_own == f_value_1));
    state_own: assert(!f_seen || (port$kind == 0 ? f_own_n == port$size + 1 && f_own_b == f_own && f_own >> f_own_n == 0
        : f_own_n == f_all_of[`ROOM+6:`ROOM] + f_is && f_own_b == (f_all_of[`ROOM-1:0] | (f_is && f_sign) << f_all_of[`ROOM+6:`ROOM])));
    state_bits: assert(f_left == f_rest_n + (f_whole ? f_own_n : 0) && f_bits == (f_rest_b | (f_whole ? f_own_b : 0) << f_rest_n));
    state_memory: assert(!f_known || state$q != WAIT && f_is || f_half == ~f_before);
    state_written: assert(state$q == WAIT || !f_is || ((f_other ^ ~f_before) & f_written) == 0);
    state_less: assert(state$q == WAIT || !f_is || f_port[WIDTH] || f_half == ~f_less);
    state_digit: assert(state$q != WALK && !f_first && !(f_next && upper$q)
        || (((f_value_1 >> 4 * (f_first ? 0 : f_by)) ^ digit$q) & 15) == 0);
    state_term: assert(!f_is || state$q != WALK && !f_first && !(f_next && upper$q)
        || (((f_half >> 4 * (f_first ? 0 : f_by)) ^ known$rdata) & 15) == 0);
    state_carry: assert(state$q == WAIT || state$q == TAKE || carry$q == (f_carry >> 4 * f_by & 1));
    state_negative: assert(state$q == WAIT || state$q == TAKE || negative$q == f_sign || state$q == WALK && !negative$q || rescan$q);
    state_partial: assert(state$q != WALK || (negative$q ? ((0 - f_diff) & f_low) == 0 || top$q == f_top((0 - f_diff) & f_low)
        : top$q == f_top(f_diff & f_low)));
    state_top: assert(!f_is || !f_first && !f_next || rescan$q || top$q == f_highest);
    state_rest: assert(f_is || f_is_raw || !f_first && !(f_next && upper$q) || rest$q == (f_value_1 >> 4 * (at$q + 1) != 0));
    state_first: assert(!f_first || at$q == 0);
    state_next: assert(!f_next || sends$q && f_over != 0 && !raw$q && at$q != 0 && address$q == f_is && sign$q == f_sign
        && f_flags == (f_is ? f_flags_t : f_port[WIDTH+6:WIDTH+4] == 1 ? f_flags_b : f_flags_i));
    state_take: assert(state$q != TAKE || sends$q);
    state_raw: assert(!sends$q || !raw$q || v$q >> (size$q + 1) == 0 && !address$q && !upper$q && !f_begun);
    state_closes: assert(!sends$q || closes$q == (!raw$q && f_closes));
    state_sign: assert(!sends$q || address$q || !sign$q);
    state_begun: assert(!sends$q || f_begun || !upper$q);
    state_flags: assert(!sends$q || raw$q || (address$q ? f_flags == f_flags_t : f_flags == f_flags_b || f_flags == f_flags_i));
    state_waits: assert(f_idle <= (state$q == WALK ? (negative$q ? `TURNS + 1 : 0) + f_gone : rescan$q ? `TURNS + 1
        : f_first ? (f_is ? 2 * `TURNS + 2 : 1) : f_next || state$q == TAKE ? 2 * `TURNS + 3 : 0));
end
`endif

reg [3:0] f_fields = 0;
always @(posedge clock) if (f_in && f_fields != 15) f_fields <= f_fields + 1;
always @(*) begin
    cover(f_fields > 1 && f_left == port$count && address$q && sign$q && f_out);
    cover(f_fields > 2 && raw$q && f_out);
    cover(f_fields > 1 && f_idle == 2 * `TURNS + 3);
end
