// Properties inside the emitted lock: nothing is traced while `allow` is 0, and all other accesses pass

// `control.enable` of the system after it
reg f_enabled = 0;
reg f_forbidden = 0;
always @(posedge clock) begin
    f_forbidden <= !allow;
    if (out$write && out$addr == 2) f_enabled <= out$wdata[0];
    if (reset) f_enabled <= 0;
end
wire f_begins = bus$write && bus$addr == 2 && bus$wdata[0];
wire f_same = {out$addr, out$write, out$wdata} == {bus$addr, bus$write, bus$wdata};

always @(*) begin
    not_begun: assert(allow || !(out$write && out$addr == 2 && out$wdata[0]));
    ended_at_once: assert(!f_forbidden || !f_enabled);
    all_else_passes: assert(f_same || (!allow && (f_begins || f_enabled)));
    answers_pass: assert(bus$rdata == out$rdata || f_forbidden);
end

`ifndef OUTSIDE
always @(*) begin
    state_begun: assert(f_enabled == begun$q);
    state_taken: assert(!taken$q || f_forbidden);
end
`endif

always @(*) begin
    cover(f_enabled && allow && !reset);
    cover(taken$q && !f_enabled);
end
