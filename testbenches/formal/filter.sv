// Properties inside one of two front ends with a filter, side by side. Both retire in the same cycles and in the same
// modes, but hidden instructions differ freely: what they are, their address, their target, and whether they are the
// first after a trap.
//
// Their outputs, to the FIFO and to the spine, are the same in every cycle. Fields of an entry that none of its
// messages uses are arbitrary (`hdl/src/spine/entry.rs`).

(* anyseq *) wire [31:0] f_insn, f_pc, f_next;
(* anyseq *) wire f_intr;
wire [3:0] f_wanted = modes >> mode;
wire f_free = hide || !f_wanted[0];

wire f_push;
wire [1:0] f_pre, f_post;
wire [23:0] f_icnt, f_bcnt;
wire [31:0] f_entry_pc, f_target, f_cc;
wire f_ready, f_stop_ready, f_lost, f_take, f_give, f_counted, f_resynced, f_synced, f_broken;

twin twin (
    .clock(clock), .reset(reset),
    .pins$rvfi$valid(pins$rvfi$valid), .pins$rvfi$trap(pins$rvfi$trap), .hide(hide), .mode(mode), .modes(modes),
    .pins$rvfi$insn(f_free ? f_insn : pins$rvfi$insn),
    .pins$rvfi$intr(f_free ? f_intr : pins$rvfi$intr),
    .pins$rvfi$pc_rdata(f_free ? f_pc : pins$rvfi$pc_rdata),
    .pins$rvfi$pc_wdata(f_free ? f_next : pins$rvfi$pc_wdata),
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
reg f_apart = 0;
// addresses are present one cycle before their entry
reg f_same_pc = 0;
reg f_same_target = 0;
wire f_control = entry$pre == 3;
always @(posedge clock) begin
    f_past <= 1;
    f_same_pc <= entry$pc == f_entry_pc;
    f_same_target <= entry$target == f_target;
    if (pins$rvfi$valid && f_free && f_insn != pins$rvfi$insn && f_pc != pins$rvfi$pc_rdata) f_apart <= 1;
end
always @(*) begin
    // both start from reset
    if (!f_past) assume(reset);
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
    cover(f_apart && entry$push && entry$pre == 2);
end
