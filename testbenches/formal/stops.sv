// Properties inside one of two front ends side by side. In cycles with `control$enable` 1, both have the same inputs;
// in other cycles the inputs, including what retires, are free. F_TWIN is the other front end: its outputs have the
// same names with the prefix `f_`
//
// Their outputs, to the FIFO and to the spine, are the same in every cycle, whatever the FIFO and the other cores do.
// Fields of an entry that none of its messages uses are arbitrary (`hdl/src/spine/entry.rs`).

reg f_past = 0;
// cycles since `control$enable` fell
reg [5:0] f_shut = 0;
// something was lost in this trace, and its overflow message is not sent yet
reg f_lost = 0;
// addresses may be present one cycle before their entry
reg f_same_pc = 0;
reg f_same_target = 0;
wire f_control = entry$pre == 3;
always @(posedge clock) begin
    f_past <= 1;
    f_shut <= control$enable || reset ? 0 : f_shut == 63 ? 63 : f_shut + 1;
    f_lost <= !reset && (control$lost || f_lost && !(entry$push && f_control));
    f_same_pc <= entry$pc == f_entry$pc;
    f_same_target <= entry$target == f_entry$target;
end
wire f_pc_is_same = `EARLY ? f_same_pc : entry$pc == f_entry$pc;
wire f_target_is_same = `EARLY ? f_same_target : entry$target == f_entry$target;
always @(*) begin
    // both start from reset
    if (!f_past) assume(reset);
    if (control$stop_go) assume(control$stop_ready);
    same_entries: assert(!f_past || entry$push == f_entry$push);
    if (f_past && entry$push) begin
        same_kinds: assert(entry$pre == f_entry$pre && entry$post == f_entry$post && entry$cc == f_entry$cc);
        same_instructions: assert(entry$pre == 0 && entry$post != 3 || entry$pre == 2 || entry$icnt == f_entry$icnt);
        same_branches: assert(!(f_control && entry$post == 1) && (f_control || entry$post == 0) || entry$bcnt == f_entry$bcnt);
        same_pcs: assert(f_control || entry$pre == 0 || f_pc_is_same);
        same_targets: assert(f_control || entry$post != 2 || f_target_is_same);
    end
    same_control: assert(!f_past || {control$ready, control$stop_ready, control$lost, control$loses, control$take, control$give_back,
        control$counted, control$synced} == {f_control$ready, f_control$stop_ready, f_control$lost, f_control$loses,
        f_control$take, f_control$give_back, f_control$counted, f_control$synced});
    // a few cycles after `control$enable` fell, only overflow and stop messages are left
    nothing_but_the_end: assert(!f_past || !entry$push || f_control || f_shut <= `LATENCY);
    cover(f_shut > `LATENCY && f_lost && entry$push && entry$post == 1);
    cover(f_shut > `LATENCY && entry$push && f_control && entry$post == 0);
    cover(entry$push && entry$pre == 2);
end
