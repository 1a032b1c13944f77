// Properties inside the emitted coder: its slices are the bits specified in docs/reference/stream.md, "Chunked numbers" and
// `addr`
//
// Sizes: WIDTH of the ports, ADDRESS_BITS, TI_BITS, and the chunks B0, B1 (bCnt), T0, T1 (diffTA), C0, C1 (diffCC), I0,
// I1 (iCnt). The bits still to come of accepted fields are kept here, the first one lowest.

localparam f_mask = (1 << `ADDRESS_BITS) - 1;

// v in chunks of `first` bits, then `next` bits each: the bits, and their number above them
function [`ROOM+6:0] f_chunked(input [`WIDTH-1:0] v, input [6:0] first, input [6:0] next);
    reg [`ROOM-1:0] bits;
    reg [6:0] n, size;
    reg [`WIDTH-1:0] rest;
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

// the field at the port
wire [`WIDTH-1:0] f_value = port$zero ? 0 : port$value;
wire [`WIDTH-1:0] f_difference = (port$value - ~port$minus) & f_mask;
wire f_minus = f_difference >> (`ADDRESS_BITS - 1);
wire [`WIDTH-1:0] f_magnitude = f_minus ? (0 - f_difference) & f_mask : f_difference;
wire f_addr = port$kind == 2;
wire [6:0] f_c0 = port$kind == 1 ? `B0 : f_addr ? `T0 : port$kind == 3 ? `C0 : `I0;
wire [6:0] f_c1 = port$kind == 1 ? `B1 : f_addr ? `T1 : port$kind == 3 ? `C1 : `I1;
wire [`ROOM+6:0] f_number = f_chunked(f_addr ? f_magnitude : f_value, f_c0, f_c1);
wire [`ROOM-1:0] f_raw = f_value & ((1 << (port$size + 1)) - 1);
wire [6:0] f_n = port$kind == 0 ? port$size + 1 : f_number[`ROOM+6:`ROOM] + f_addr;
wire [`ROOM-1:0] f_b = port$kind == 0 ? f_raw
    : f_number[`ROOM-1:0] | (f_addr && f_minus) << f_number[`ROOM+6:`ROOM];
wire [6:0] f_lead_n = port$lead ? `TI_BITS : 0;
wire [`ROOM-1:0] f_lead_b = port$lead ? port$core : 0;

// bits still to come
reg [`ROOM-1:0] f_bits = 0;
reg [6:0] f_left = 0;
wire f_out = port$have && port$taken;
wire [6:0] f_kept = f_out ? f_left - port$count : f_left;
wire f_in = port$valid && port$ready;
always @(posedge clock) begin
    f_bits <= f_in ? f_b << f_lead_n | f_lead_b : f_out ? f_bits >> port$count : f_bits;
    f_left <= f_in ? f_n + f_lead_n : f_kept;
    if (port$reset) {f_bits, f_left} <= 0;
end

// a field is stable until it is accepted
wire [2 * `WIDTH + 15:0] f_field =
    {port$valid, port$zero, port$kind, port$size, port$value, port$minus, port$lead, port$core};
reg f_waits = 0;
reg [2 * `WIDTH + 15:0] f_waiting;
always @(posedge clock) begin
    f_waits <= port$valid && !port$ready && !port$reset;
    f_waiting <= f_field;
end
always @(*) begin
    assume(!f_waits || f_field == f_waiting);
    assume(port$kind <= 4 && port$size < 4 && port$core < 1 << `TI_BITS);
    if (port$kind == 0) assume(port$value >> (port$size + 1) == 0);
    if (f_addr) assume(port$value <= f_mask && !port$lead && !port$zero);
end

always @(*) begin
    bits_as_specified: assert(!port$have || f_left >= port$count
        && port$data == (f_bits & ((1 << port$count) - 1)));
    one_to_eight: assert(!port$have || port$count >= 1 && port$count <= 8);
    nothing_between: assert(!f_in || f_kept == 0);
    busy_is_true: assert(!(port$have || f_left != 0) || port$busy);
    done_when_not: assert(port$busy || f_left == 0);
end

// it waits for `taken` only: bits are present at most four cycles after a field, which is the time for an address
reg [2:0] f_idle = 0;
always @(posedge clock) f_idle <= (port$busy || port$valid) && !port$have && !port$reset ? f_idle + 1 : 0;
always @(*) waits_four_clocks_at_most: assert(f_idle < 4 || port$have);

// inductive invariant: the registers hold the same number as a field with a shorter first chunk
wire [6:0] f_size = left$q + 1;
wire [`ROOM+6:0] f_rest = f_chunked(has_negative$q ? (0 - v$q) & f_mask : v$q, f_size, next_size$q + 1);
wire [6:0] f_state_n = raw$q ? f_size : f_rest[`ROOM+6:`ROOM] + address$q;
wire [`ROOM-1:0] f_state_b = raw$q ? v$q & ((1 << f_size) - 1)
    : f_rest[`ROOM-1:0] | (address$q && negative$q) << f_rest[`ROOM+6:`ROOM];
wire f_sends = busy$q || has_negative$q || has_magnitude$q;
wire [2:0] f_piece = lead$q && `TI_BITS > 3 ? 3 : 4;
`ifndef OUTSIDE
always @(*) begin
    state_one: assert(busy$q + has_address$q + has_negative$q + has_magnitude$q <= 1 && !(raw$q && address$q));
    state_bits: assert(f_sends ? f_left == f_state_n + (lead$q ? `TI_BITS : 0)
        && f_bits == (f_state_b << (lead$q ? `TI_BITS : 0) | (lead$q ? core$q : 0)) : f_left == 0 && f_bits == 0);
    state_ends: assert(!busy$q || ends$q == (f_size <= f_piece && (raw$q || v$q >> f_size == 0)));
    state_core: assert(core$q < 1 << `TI_BITS && (v$q <= f_mask || !address$q));
    state_size: assert(!f_sends || raw$q || f_size <= 16 && (address$q ? next_size$q == `T1 - 1
        : next_size$q == `B1 - 1 || next_size$q == `C1 - 1 || next_size$q == `I1 - 1));
    state_whole: assert(!has_address$q || f_waits && f_addr && v$q == port$value && address$q && !raw$q && lead$q == port$lead
        && core$q == port$core && left$q == `T0 - 1 && next_size$q == `T1 - 1);
    state_raw: assert(!f_sends || !raw$q || f_size <= 4 && v$q >> f_size == 0);
    state_short: assert(!f_sends || !short || f_size <= 4);
    state_ones: assert(!f_sends || raw$q || !no_ones || f_size[1:0] != 1);
    state_idle: assert(f_idle <= (busy$q ? 4 : has_magnitude$q ? 3 : has_negative$q ? 2 : has_address$q ? 1 : 0));
    state_address: assert(!(has_negative$q || has_magnitude$q) || address$q && !raw$q && !(has_negative$q && !negative$q));
end
`endif

reg [3:0] f_fields = 0;
always @(posedge clock) if (f_in && f_fields != 15) f_fields <= f_fields + 1;
always @(*) begin
    cover(f_fields > 2 && port$have && port$count == (`TI_BITS > 3 ? 8 : 5 + `TI_BITS));
    cover(f_fields > 1 && ends$q && busy$q && address$q && negative$q && port$taken);
    cover(f_fields > 3 && f_idle == 4);
end
