// Inside the merger's memory: all notes
output [(`CORES << `NOTE_BITS) - 1:0] peek;
genvar f_i;
generate for (f_i = 0; f_i < 1 << `NOTE_BITS; f_i = f_i + 1) begin : each
    assign peek[f_i * `CORES +: `CORES] = mem[f_i];
end endgenerate
