// Properties inside the emitted merger: entries are handed out by cycle of push, then by core, and none is lost
//
// Sizes: CORES; ENTRIES, the entries of each FIFO; NOTE_BITS, the address bits of a note; SUM_BITS for CORES * ENTRIES.
// One entry of any core is followed from its push until it is handed out; the entries ahead of it are counted.

localparam [15:0] f_cores = (1 << `CORES) - 1;

// entries in each FIFO, and their total
reg [`SUM_BITS-1:0] f_held [0:`CORES - 1];
wire [15:0] f_some, f_space;
wire [`CORES-1:0] f_fits;
wire [`SUM_BITS-1:0] f_sum [0:`CORES];
assign f_sum[0] = 0;
genvar f_i, f_k;
generate
    for (f_k = 0; f_k < `CORES; f_k = f_k + 1) begin : fifo
        initial f_held[f_k] = 0;
        assign f_some[f_k] = f_held[f_k] != 0;
        assign f_space[f_k] = f_held[f_k] != `ENTRIES;
        assign f_fits[f_k] = f_held[f_k] <= `ENTRIES;
        assign f_sum[f_k + 1] = f_sum[f_k] + f_held[f_k];
        always @(posedge clock) f_held[f_k] <= reset ? 0 : f_held[f_k] + pushes[f_k] - (done && core == f_k);
    end
endgenerate
assign f_some[15:`CORES] = 0;
assign f_space[15:`CORES] = 0;
wire [`SUM_BITS-1:0] f_all = f_sum[`CORES];

function [`SUM_BITS-1:0] f_ones(input [15:0] x);
    integer i;
    begin
        f_ones = 0;
        for (i = 0; i < `CORES; i = i + 1) f_ones = f_ones + x[i];
    end
endfunction

// the followed entry
(* anyconst *) wire [3:0] f_core;
(* anyseq *) wire f_choose;
reg f_follow = 0;
reg [`SUM_BITS-1:0] f_ahead;
reg [1:0] f_waits = 0;
wire f_first = f_follow && f_ahead == 0;
wire [15:0] f_below = (16'd1 << f_core) - 1;
always @(posedge clock) begin
    if (f_follow && done) begin
        f_ahead <= f_ahead - 1;
        f_follow <= f_ahead != 0;
    end
    if (!f_follow && f_choose && pushes[f_core]) begin
        f_follow <= 1;
        f_ahead <= f_all - done + f_ones(pushes & f_below);
    end
    f_waits <= f_first && have[f_core] && !show && !reset ? f_waits + 1 : 0;
    if (reset) f_follow <= 0;
end

// environment; a FIFO may show its entries late
always @(*) begin
    assume(f_core < `CORES);
    assume((pushes & ~f_space) == 0);
    assume((have & ~f_some) == 0);
    if (done) assume(show);
end

always @(*) begin
    in_order_of_arrival: assert(!(f_first && show) || core == f_core);
    only_what_is_there: assert(!show || (core < `CORES && have[core]));
    never_more_than_fit: assert(&f_fits);
    none_is_forgotten: assert(!f_follow || f_ahead < f_all);
    empty_is_true: assert(!empty || `CORES == 1 || f_all == 0);
    waits_two_clocks_at_most: assert(f_waits <= 2);
end

// inductive invariant: the notes between the pointers, oldest first, and the current one are the entries held
reg [`NOTE_BITS-1:0] f_slot;
reg f_loaded;
wire [(`CORES << `NOTE_BITS) - 1:0] f_peek;
generate if (`CORES > 1) begin : many_cores
    localparam f_notes = 1 << `NOTE_BITS;
    wire [`CORES-1:0] f_note [0:f_notes - 1];
    wire [`NOTE_BITS-1:0] f_behind = write$q - read$q;
    wire [`NOTE_BITS-1:0] f_turn = f_slot - read$q;
    // sums over the notes: of each core, and of all ahead of the followed entry
    wire [`SUM_BITS-1:0] f_total [0:f_notes * `CORES + `CORES - 1];
    wire [`SUM_BITS-1:0] f_before [0:f_notes];
    wire [f_notes-1:0] f_blank;
    wire [`CORES-1:0] f_agrees;
    for (f_k = 0; f_k < `CORES; f_k = f_k + 1) begin : each_core
        assign f_total[f_k] = current$q[f_k];
        assign f_agrees[f_k] = f_held[f_k] == f_total[f_notes * `CORES + f_k];
    end
    assign f_before[0] = f_ones(current$q);
    for (f_i = 0; f_i < f_notes; f_i = f_i + 1) begin : each_note
        wire [`NOTE_BITS-1:0] age = f_i - read$q;
        wire within = age < f_behind;
        assign f_note[f_i] = f_peek[f_i * `CORES +: `CORES];
        assign f_blank[f_i] = within && f_note[f_i] == 0;
        for (f_k = 0; f_k < `CORES; f_k = f_k + 1) begin : each_bit
            assign f_total[(f_i + 1) * `CORES + f_k] = f_total[f_i * `CORES + f_k] + (within && f_note[f_i][f_k]);
        end
        assign f_before[f_i + 1] = f_before[f_i] + (age < f_turn ? f_ones(f_note[f_i]) : 0);
    end
    always @(posedge clock) begin
        if (!f_follow) begin
            f_slot <= write$q;
            f_loaded <= 0;
        end else if (load && read$q == f_slot) f_loaded <= 1;
    end
`ifndef OUTSIDE
    always @(*) begin
        state_held: assert(&f_agrees);
        state_notes: assert((current$q & ~f_cores) == 0 && f_blank == 0 && f_behind + (current$q != 0) <= f_all);
        state_pointers: assert(read$q < f_notes && write$q < f_notes);
        state_fresh: assert(!read_valid$q || (f_behind != 0 && notes$rdata == f_note[read$q]));
        state_loaded: assert(!(f_follow && f_loaded) || (current$q[f_core] && f_ahead == f_ones(current$q & f_below)));
        state_noted: assert(!f_follow || f_loaded || (f_turn < f_behind && f_note[f_slot][f_core]
            && f_ahead == f_before[f_notes] + f_ones(f_note[f_slot] & f_below)));
    end
`endif
end endgenerate

reg [5:0] f_done = 0;
always @(posedge clock) if (done && f_done != 63) f_done <= f_done + 1;
always @(*) begin
    cover(f_space == 0);
    cover(f_done > 1 << `NOTE_BITS && f_first && show && f_core == `CORES - 1);
    cover(f_waits == (`CORES == 1 ? 0 : 2));
end
