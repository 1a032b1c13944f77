// Properties inside the emitted event FIFO: it is a queue of ENTRIES entries, two fewer than its memory has
//
// Sizes: ENTRIES, COUNT_BITS, ADDRESS_BITS, CC_BITS; EARLY if addresses come one cycle before the rest. One entry, any
// of them, is followed from its push to its pop.

// environment: only valid entries are popped, unused bits are 0
always @(*) begin
    if (pop) assume(have);
    assume(entry$icnt >> `COUNT_BITS == 0 && entry$bcnt >> `COUNT_BITS == 0);
    assume(entry$pc >> `ADDRESS_BITS == 0 && entry$target >> `ADDRESS_BITS == 0);
    assume(entry$cc >> `CC_BITS == 0);
end

// number of entries in the FIFO, and whether there was one besides the popped one at the last edge
reg [8:0] f_held = 0;
reg f_there = 0;
// whether fewer than three entries were free at the last edge
reg f_low = 0;
wire f_take = entry$push && f_held != `ENTRIES;
always @(posedge clock) begin
    f_held <= reset ? 0 : f_held + f_take - pop;
    f_there <= !reset && f_held > pop;
    f_low <= !reset && `ENTRIES - f_held < 3;
end

// the followed entry: its fields, how many are ahead of it, what was requested at the last edge
(* anyseq *) wire f_choose;
reg f_follow = 0;
reg [8:0] f_ahead;
reg [1:0] f_asked = 0;
reg [`ADDRESS_BITS-1:0] f_count, f_icnt, f_pc, f_target;
reg [`CC_BITS-1:0] f_cc;
`ifdef EARLY
// its addresses in the previous cycle, if there was one
reg f_began = 0;
reg [`ADDRESS_BITS-1:0] f_own_pc, f_own_target;
always @(posedge clock) begin
    f_began <= 1;
    f_own_pc <= entry$pc;
    f_own_target <= entry$target;
end
`else
wire f_began = 1;
wire [`ADDRESS_BITS-1:0] f_own_pc = entry$pc;
wire [`ADDRESS_BITS-1:0] f_own_target = entry$target;
`endif
wire f_first = f_follow && f_ahead == 0;
wire [`ADDRESS_BITS-1:0] f_word =
    f_asked == 0 ? f_count : f_asked == 1 ? f_icnt : f_asked == 2 ? f_pc : f_target;
always @(posedge clock) begin
    f_asked <= field;
    if (f_follow && pop) begin
        f_ahead <= f_ahead - 1;
        f_follow <= f_ahead != 0;
    end
    if (!f_follow && f_take && f_choose && f_began) begin
        f_follow <= 1;
        f_ahead <= f_held - pop;
        f_count <= entry$bcnt | {entry$post, entry$pre} << `COUNT_BITS;
        f_icnt <= entry$icnt;
        f_pc <= f_own_pc;
        f_target <= f_own_target;
        f_cc <= entry$cc;
    end
    if (reset) f_follow <= 0;
end

always @(*) begin
    count_is_true: assert(none == (f_held == 0) && full == f_low);
    space_for_two: assert(full || `ENTRIES - f_held >= 2);
    never_more_than_fit: assert(f_held <= `ENTRIES);
    there_when_it_must: assert(have == f_there);
    comes_out_in_order: assert(!(f_follow && f_held == 0));
    as_it_went_in: assert(!(f_first && have) || (word == f_word && cc == f_cc));
end

// the output is stable unless popped
reg f_stays = 0;
reg [`ADDRESS_BITS-1:0] f_seen;
reg [1:0] f_seen_field;
always @(posedge clock) begin
    f_stays <= have && !pop && !reset;
    f_seen <= word;
    f_seen_field <= f_asked;
end
always @(*) stays_until_pop: assert(!f_stays || (have && (f_asked != f_seen_field || word == f_seen)));

// register invariants, which make the rest inductive: the distance of the pointers is the count, the followed entry is
// where its position says, and the read data is what is stored there
wire [7:0] f_place [0:`ENTRIES];
assign f_place[0] = read$q;
genvar f_i;
generate
    for (f_i = 0; f_i < `ENTRIES; f_i = f_i + 1) begin : walk
        assign f_place[f_i + 1] = {f_place[f_i][6:0], ~^(f_place[f_i] & feedback)} & mask;
    end
endgenerate
wire [7:0] f_at = f_place[f_ahead];
wire [9:0] f_read = {read$q, f_asked};
`ifdef EARLY
wire [2*`ADDRESS_BITS-1:0] f_pair, f_where, f_next;
wire [7:0] f_next_at = write$q;
wire [`ADDRESS_BITS-1:0] f_lies_count, f_lies_address;
wire [4*`ADDRESS_BITS-1:0] f_entry = {f_where, f_pair};
wire [`ADDRESS_BITS-1:0] f_lies = f_asked[1] ? f_lies_address : f_lies_count;
`ifndef OUTSIDE
always @(*) state_next: assert(is_address$q == f_asked[1] && (!f_began || f_next == {f_own_target, f_own_pc}));
`endif
`else
wire [4*`ADDRESS_BITS-1:0] f_entry;
wire [`ADDRESS_BITS-1:0] f_lies;
`endif
wire [`CC_BITS-1:0] f_when, f_lies_cc;
`ifndef OUTSIDE
always @(*) begin
    state_count: assert(read_valid$q == f_there && few_free$q == f_low && f_held <= `ENTRIES && (!f_there || f_held != 0));
    state_places: assert(read$q <= `ENTRIES && write$q == f_place[f_held]);
    state_followed: assert(!f_follow || (f_ahead < f_held && {f_target, f_pc, f_icnt, f_count} == f_entry && f_cc == f_when));
    state_read: assert(!f_there || (word == f_lies && cc == f_lies_cc));
end
`endif

// covers: not vacuous
reg [8:0] f_popped = 0;
reg f_refused = 0;
always @(posedge clock) begin
    if (pop && f_popped != 511) f_popped <= f_popped + 1;
    if (entry$push && f_held == `ENTRIES) f_refused <= 1;
end
always @(*) begin
    cover(full && f_held == `ENTRIES && entry$push);
    cover(f_first && pop && f_refused && f_ahead == 0);
    cover(f_popped > `ENTRIES && f_first && have && f_asked == 3);
    cover(f_there && pop && f_held == 1);
end
