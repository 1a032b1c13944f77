// Properties inside the emitted probabilities: no level above the last one is written, so none is read once all are cleared

always @(*) begin
    assume(levels$rdata[5:0] <= 40);
    level_has_a_width: assert(!levels$we || levels$wdata[5:0] <= 40);
    width_is_never_0: assert(width != 0 && width < 2048);
end
