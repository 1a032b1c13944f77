// Properties inside one of two front ends with filters by privilege mode, address and address space, side by side, each
// with its own address filter (`hdl/src/ingress/address_filter.rs`). Both retire in the same cycles and hide the same
// instructions, by any of the three filters. Hidden instructions differ freely: their address and address space, their
// mode, what they are, their target, and whether they are the first after a trap.
//
// Their outputs, to the FIFO and to the spine, are the same in every cycle. Fields of an entry that none of its
// messages uses are arbitrary (`hdl/src/spine/entry.rs`).

// the limits are inputs and may change in any cycle
(* anyseq *) wire f_hide;
(* anyseq *) wire [31:0] f_first, f_last;
(* anyseq *) wire [15:0] f_wanted_space, f_mask, f_space, f_other_space;
(* anyseq *) wire [31:0] f_insn, f_pc, f_next;
(* anyseq *) wire f_intr;
(* anyseq *) wire [1:0] f_mode;
wire f_hides, f_other_hides;
address_filter f_gate (.hide(f_hide), .pc(pins$rvfi$pc_rdata), .first(f_first), .last(f_last), .space(f_space), .wanted(f_wanted_space),
    .mask(f_mask), .hides(f_hides));
address_filter f_other_gate (.hide(f_hide), .pc(f_pc), .first(f_first), .last(f_last), .space(f_other_space), .wanted(f_wanted_space),
    .mask(f_mask), .hides(f_other_hides));
wire [3:0] f_told = modes >> mode;
wire [3:0] f_other_told = modes >> f_mode;
// see `docs/how-to/filters.md`
wire f_outside = pins$rvfi$pc_rdata < f_first || pins$rvfi$pc_rdata > f_last || ((f_space ^ f_wanted_space) & f_mask) != 0;
wire f_other_outside = f_pc < f_first || f_pc > f_last || ((f_other_space ^ f_wanted_space) & f_mask) != 0;
wire f_hidden = f_hide || f_outside || !f_told[0];
wire f_other_hidden = f_hide || f_other_outside || !f_other_told[0];

wire f_push;
wire [1:0] f_pre, f_post;
wire [23:0] f_icnt, f_bcnt;
wire [31:0] f_entry_pc, f_target, f_cc;
wire f_ready, f_stop_ready, f_lost, f_take, f_give, f_counted, f_resynced, f_synced, f_broken;

twin twin (
    .clock(clock), .reset(reset),
    .pins$rvfi$valid(pins$rvfi$valid), .pins$rvfi$trap(pins$rvfi$trap), .hide(f_other_hides), .mode(f_mode), .modes(modes),
    .pins$rvfi$insn(f_hidden ? f_insn : pins$rvfi$insn),
    .pins$rvfi$intr(f_hidden ? f_intr : pins$rvfi$intr),
    .pins$rvfi$pc_rdata(f_pc),
    .pins$rvfi$pc_wdata(f_hidden ? f_next : pins$rvfi$pc_wdata),
    .control$enable(control$enable), .control$full(control$full), .control$no_credit(control$no_credit),
    .control$below_watermark(control$below_watermark), .control$stop_go(control$stop_go), .control$due(control$due),
    .control$after_header(control$after_header), .control$header_repeated(control$header_repeated),
    .control$ready(f_ready), .control$stop_ready(f_stop_ready), .control$lost(f_lost), .control$take(f_take),
    .control$give_back(f_give), .control$counted(f_counted), .control$resynced(f_resynced), .control$synced(f_synced),
    .control$discontinuity(f_broken),
    .entry$push(f_push), .entry$pre(f_pre), .entry$post(f_post), .entry$icnt(f_icnt), .entry$bcnt(f_bcnt),
    .entry$pc(f_entry_pc), .entry$target(f_target), .entry$cc(f_cc)
);

reg f_past = 0;
// covers: hidden instructions were at different addresses, in different spaces
reg f_apart = 0, f_spaced = 0;
// addresses are present one cycle before their entry
reg f_same_pc = 0;
reg f_same_target = 0;
wire f_control = entry$pre == 3;
always @(posedge clock) begin
    f_past <= 1;
    f_same_pc <= entry$pc == f_entry_pc;
    f_same_target <= entry$target == f_target;
    // hidden by address alone, by space alone
    if (pins$rvfi$valid && !f_hide && f_told[0] && f_outside && f_pc != pins$rvfi$pc_rdata && f_mask == 0) f_apart <= 1;
    if (pins$rvfi$valid && !f_hide && f_told[0] && f_outside && f_space != f_other_space && f_first == 0 && &f_last) f_spaced <= 1;
end
always @(*) begin
    // both start from reset
    if (!f_past) assume(reset);
    assume(hide == f_hides);
    // the same instructions are hidden in both; those that are not hidden are identical
    assume(f_hidden == f_other_hidden);
    if (!f_hidden) assume(f_pc == pins$rvfi$pc_rdata && f_mode == mode && f_other_space == f_space);
    same_entries: assert(!f_past || entry$push == f_push);
    if (f_past && entry$push) begin
        same_kinds: assert(entry$pre == f_pre && entry$post == f_post && entry$cc == f_cc);
        same_instructions: assert(entry$pre == 0 && entry$post != 3 || entry$icnt == f_icnt);
        same_branches: assert(!(f_control && entry$post == 1) && (f_control || entry$post == 0) || entry$bcnt == f_bcnt);
        same_pcs: assert(f_control || entry$pre == 0 || f_same_pc);
        same_targets: assert(f_control || entry$post != 2 || f_same_target);
    end
    same_control: assert(!f_past || {control$ready, control$stop_ready, control$lost, control$take, control$give_back,
        control$counted, control$synced} == {f_ready, f_stop_ready, f_lost, f_take, f_give, f_counted, f_synced});
    cover(f_apart && entry$push && f_control && entry$post == 1);
    cover(f_spaced && entry$push && f_control && entry$post == 1);
    cover(f_apart && f_spaced && entry$push && entry$pre == 2);
end
