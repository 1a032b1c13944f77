// Inside of the emitted serial coder: its pieces are the bits that docs/stream.md asks for, "Chunked numbers" and `addr`
//
// Sizes: ADDRESS_BITS, TURNS of four bits of them, which are as wide as the ports, and the chunks B0, B1 (bCnt), T0, T1 (diffTA),
// I0, I1 (iCnt). What is still to come of the field that was taken is kept here as bits, first one lowest;
// so is the address before, which the circuit turns round in a register.

localparam WIDTH = 4 * `TURNS;
localparam f_mask = (1 << `ADDRESS_BITS) - 1;

// bits, and above them how many, of v in chunks: `first` bits, then `next` each
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

// the field at the port, and the address before it
reg [WIDTH-1:0] f_before = 0;
reg f_known = 0;
wire f_addr = port$kind == 2;
wire [WIDTH-1:0] f_value = port$zero ? 0 : port$value;
wire [WIDTH-1:0] f_base = port$fresh ? 0 : f_before;
wire [WIDTH-1:0] f_difference = (port$value - f_base) & f_mask;
wire f_minus = f_difference >> (`ADDRESS_BITS - 1);
wire [WIDTH-1:0] f_magnitude = f_minus ? (0 - f_difference) & f_mask : f_difference;
wire [6:0] f_c0 = port$kind == 1 ? `B0 : f_addr ? `T0 : `I0;
wire [6:0] f_c1 = port$kind == 1 ? `B1 : f_addr ? `T1 : `I1;
wire [`ROOM+6:0] f_number = f_chunked(f_addr ? f_magnitude : f_value, f_c0, f_c1);
wire [6:0] f_n = port$kind == 0 ? port$size + 1 : f_number[`ROOM+6:`ROOM] + f_addr;
wire [`ROOM-1:0] f_b = port$kind == 0 ? f_value & ((1 << (port$size + 1)) - 1)
    : f_number[`ROOM-1:0] | (f_addr && f_minus) << f_number[`ROOM+6:`ROOM];

// what is still to come, of which field
reg [`ROOM-1:0] f_bits = 0;
reg [6:0] f_left = 0;
reg [WIDTH-1:0] f_own = 0;
reg [WIDTH-1:0] f_less = 0;
wire f_out = port$have && port$taken;
wire f_in = port$valid && port$ready;
always @(posedge clock) begin
    f_bits <= f_in ? f_b : f_out ? f_bits >> port$count : f_bits;
    f_left <= f_in ? f_n : f_out ? f_left - port$count : f_left;
    if (f_in && f_addr) begin
        {f_before, f_own} <= {2{port$value}};
        f_less <= f_base;
        f_known <= 1;
    end
    if (port$reset) {f_bits, f_left, f_known} <= 0;
end

// behind a reset the first address is that of a sync; no times are sent
always @(*) begin
    assume(port$kind <= 4 && port$kind != 3 && port$size < 4);
    if (port$kind == 0) assume(port$value >> (port$size + 1) == 0);
    if (port$valid && f_addr) assume(port$value <= f_mask && !port$zero && (port$fresh || f_known));
end

always @(*) begin
    bits_as_specified: assert(!port$have || f_left >= port$count
        && port$data == (f_bits & ((1 << port$count) - 1)));
    one_to_four: assert(!port$have || port$count >= 1 && port$count <= 4);
    nothing_between: assert(!f_in || f_left == 0);
    busy_is_true: assert(!(port$have || f_left != 0) || port$busy);
    done_when_not: assert(port$busy || f_left == 0);
end

// it never waits but for `taken`: for a number a clock, for an address twice its digits more
reg [5:0] f_idle = 0;
always @(posedge clock) f_idle <= port$busy && !port$have && !port$reset ? f_idle + 1 : 0;
always @(*) waits_for_its_digits_at_most: assert(f_idle <= 2 * `TURNS + 1);

// what makes it inductive: a number that is sent lies in the registers as one of shorter first chunk does, an address that
// goes round lies there in parts
localparam IDLE = 0, SUBTRACT = 1, NEGATE = 2, LOOK = 3, SEND = 4;
wire f_holds = state$q == LOOK || state$q == SEND;
wire f_turns = state$q == SUBTRACT || state$q == NEGATE;
// bits of the chunk that is under way, and of those behind it; a piece ends between or behind two bits
wire f_closes = wide$q ? upper$q == late$q : begun$q || !late$q;
wire [6:0] f_size = f_closes ? (odd$q ? 1 : 2) : (odd$q ? 3 : 4);
wire [WIDTH-1:0] f_v = upper$q ? v$q >> 2 : v$q;
wire [`ROOM+6:0] f_rest = f_chunked(f_v, f_size, wide$q ? 4 : 2);
wire [6:0] f_rest_n = raw$q ? size$q + 1 : f_rest[`ROOM+6:`ROOM] + address$q;
wire [`ROOM-1:0] f_rest_b = raw$q ? v$q[3:0]
    : f_rest[`ROOM-1:0] | (address$q && negative$q) << f_rest[`ROOM+6:`ROOM];
wire [2:0] f_flags = {wide$q, odd$q, late$q};
wire [WIDTH-1:0] f_full = f_own - f_less;
wire [WIDTH-1:0] f_diff = f_full & f_mask;
wire f_under = f_diff >> (`ADDRESS_BITS - 1);
wire [WIDTH-1:0] f_most = f_under ? (0 - f_diff) & f_mask : f_diff;
wire [`ROOM+6:0] f_address = f_chunked(f_most, `T0, `T1);
wire [5:0] f_done = 4 * turn$q;
wire [5:0] f_to_do = WIDTH - 4 * turn$q;
wire [WIDTH-1:0] f_low = (1 << f_done) - 1;
wire [WIDTH:0] f_carry = state$q == SUBTRACT ? (f_own & f_low) + (~f_less & f_low) + 1 : (~f_diff & f_low) + 1;
`ifndef OUTSIDE
always @(*) begin
    state_range: assert(state$q <= SEND && (!f_turns || turn$q < `TURNS) && f_before <= f_mask && f_less <= f_mask);
    state_bits: assert(!f_holds || f_left == f_rest_n && f_bits == f_rest_b);
    state_idle: assert(state$q != IDLE || f_left == 0 && f_bits == 0);
    state_round: assert(!f_turns || address$q && !raw$q && f_left == f_address[`ROOM+6:`ROOM] + 1 && f_own == f_before
        && f_known && f_bits == (f_address[`ROOM-1:0] | f_under << f_address[`ROOM+6:`ROOM])
        && f_flags == {1'(`T1 == 4), 1'(`T0 % 2 == 1), 1'(`T0 > 2)} && !upper$q && !begun$q);
    state_subtract: assert(state$q != SUBTRACT || carry$q == f_carry >> f_done & (fresh$q ? f_less == 0 : 1)
        && v$q == (f_own >> f_done | (f_full & f_low) << f_to_do)
        && (fresh$q || pta$q == (~f_less >> f_done | (~f_own & f_low) << f_to_do))
        && (!fresh$q || f_done == 0 || pta$q >> f_to_do == (~f_own & f_low)));
    state_negate: assert(state$q != NEGATE || carry$q == f_carry >> f_done && negative$q && f_under
        && v$q == (f_diff >> f_done | ((0 - f_diff) & f_low) << f_to_do));
    state_before: assert(!f_known || state$q == SUBTRACT || pta$q == (~f_before & ((1 << WIDTH) - 1)));
    state_magnitude: assert(!f_holds || !address$q || v$q <= f_mask && !raw$q);
    state_more: assert(state$q != SEND || raw$q || late$q && !begun$q || more$q == (v$q >> 4 != 0));
    state_raw: assert(!f_holds || !raw$q || v$q[3:0] >> (size$q + 1) == 0 && !address$q && !upper$q && !begun$q);
    state_sign: assert(!f_holds || address$q || !negative$q);
    state_first: assert(!f_holds || begun$q || !upper$q);
    state_look: assert(state$q != LOOK || (raw$q || !late$q) && !begun$q);
    state_size: assert(!f_holds || raw$q || (address$q ? f_flags == {1'(`T1 == 4), 1'(`T0 % 2 == 1), 1'(`T0 > 2)}
        : f_flags == {1'(`B1 == 4), 1'(`B0 % 2 == 1), 1'(`B0 > 2)}
        || f_flags == {1'(`I1 == 4), 1'(`I0 % 2 == 1), 1'(`I0 > 2)}));
    state_waits: assert(f_idle <= (state$q == SUBTRACT ? turn$q : state$q == NEGATE ? `TURNS + turn$q
        : state$q == LOOK ? 2 * `TURNS : state$q == SEND ? 2 * `TURNS + 1 : 0));
end
`endif

reg [3:0] f_fields = 0;
always @(posedge clock) if (f_in && f_fields != 15) f_fields <= f_fields + 1;
always @(*) begin
    cover(f_fields > 1 && state$q == SEND && f_left == port$count && address$q && negative$q && f_out);
    cover(f_fields > 2 && state$q == SEND && raw$q && f_out);
    cover(f_fields > 1 && f_idle == 2 * `TURNS);
end
