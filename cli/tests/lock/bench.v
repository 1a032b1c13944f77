// A system of `gen --lock`: `allow` is low, then high, and falls in the middle of a trace. Words go to captured.hex.
// Prints `shut CLOCKS`, and `fell INSTRUCTIONS`: those that had retired at the last edge before.
`timescale 1ns / 1ns

module bench;
    // the trace then ends at a jump: a recording gives code only up to jumps that it has
    localparam FALLS = 3004, PATIENCE = 3000;
    reg clock = 0, reset = 1, allow = 0, valid_0 = 0, intr = 0, bus_write = 0;
    reg [31:0] insn, pc, npc, bus_wdata = 0;
    reg [2:0] bus_addr = 3;
    wire [31:0] bus_rdata, data;
    wire valid;
    always #5 clock = !clock;

    goshawk dut (
        .clock(clock), .reset(reset), .allow(allow),
        .rvfi_valid_0(valid_0), .rvfi_insn_0(insn), .rvfi_trap_0(1'b0), .rvfi_intr_0(intr),
        .rvfi_pc_rdata_0(pc), .rvfi_pc_wdata_0(npc),
        .bus_addr(bus_addr), .bus_write(bus_write), .bus_wdata(bus_wdata), .bus_rdata(bus_rdata),
        .valid(valid), .ready(1'b1), .data(data)
    );

    integer words, beats, fields, cycle, core, trapped, i, told = 0, count = 0;
    always @(posedge clock) if (valid) begin
        $fdisplay(words, "%08x", data);
        count = count + 1;
    end

    // writes 1 to control, then reads status
    task enable;
        begin
            @(negedge clock) begin bus_addr = 2; bus_write = 1; bus_wdata = 1; end
            @(negedge clock) begin bus_addr = 3; bus_write = 0; end
            @(negedge clock);
        end
    endtask

    task instruction;
        begin
            fields = $fscanf(beats, "%d %d %d %h %h %h", cycle, core, trapped, pc, npc, insn);
            valid_0 = fields == 6;
            intr = trapped != 0;
            if (valid_0) told = told + 1;
        end
    endtask

    reg [8*200:1] comment;
    initial begin
        words = $fopen("captured.hex", "w");
        beats = $fopen("beats.txt", "r");
        for (i = 0; i < 2; i = i + 1) fields = $fgets(comment, beats);
        repeat (4) @(negedge clock);
        reset = 0;
        repeat (600) @(negedge clock);
        enable;
        for (i = 0; i < PATIENCE; i = i + 1) @(negedge clock) if (bus_rdata[1] || valid) $display("FAIL: it traces");
        $display("shut %0d", PATIENCE);
        allow = 1;
        enable;
        while (!bus_rdata[1]) @(negedge clock);
        while (told < FALLS) @(negedge clock) instruction;
        @(negedge clock) begin instruction; allow = 0; end
        $display("fell %0d", told - 1);
        while (valid_0) @(negedge clock) instruction;
        for (i = 0; i < PATIENCE && !bus_rdata[2]; i = i + 1) @(negedge clock);
        if (i == PATIENCE) begin
            $display("FAIL: the trace does not end");
            $finish;
        end
        i = count;
        // as a program would continue
        enable;
        bus_addr = 2;
        for (cycle = 0; cycle < PATIENCE; cycle = cycle + 1) @(negedge clock);
        if (bus_rdata != 0 || count != i) $display("FAIL: it was begun again");
        $display("ended");
        $finish;
    end
endmodule
