// A picorv32 with memory, a console and a trace system of `goshawk gen`; what the trace system sends goes to captured.hex.
//
// Memory is at 0x80000000, a byte stored at 0x10000000 is printed, a word at 0x00100000 ends the program: the platform of
// `goshawk run`, so that both run the same ELF.

`timescale 1ns / 1ns

module bench;
    localparam BYTES = 65536;

    reg clk = 1'b0, reset = 1'b1;
    always #5 clk = !clk;

    // ---- the core, which waits in reset until tracing is on ----

    reg core_runs = 1'b0;
    wire mem_valid, mem_instr;
    wire [31:0] mem_addr, mem_wdata;
    wire [3:0] mem_wstrb;
    reg mem_ready = 1'b0;
    reg [31:0] mem_rdata;
    wire rvfi_valid, rvfi_trap;
    wire [31:0] rvfi_insn, rvfi_pc_rdata, rvfi_pc_wdata;

    picorv32 #(
        .ENABLE_MUL(1), .ENABLE_DIV(1), .REGS_INIT_ZERO(1), .PROGADDR_RESET(32'h8000_0000)
    ) core (
        .clk(clk), .resetn(core_runs), .irq(32'd0),
        .mem_valid(mem_valid), .mem_instr(mem_instr), .mem_ready(mem_ready), .mem_addr(mem_addr),
        .mem_wdata(mem_wdata), .mem_wstrb(mem_wstrb), .mem_rdata(mem_rdata),
        .rvfi_valid(rvfi_valid), .rvfi_insn(rvfi_insn), .rvfi_trap(rvfi_trap),
        .rvfi_pc_rdata(rvfi_pc_rdata), .rvfi_pc_wdata(rvfi_pc_wdata)
    );

    // ---- memory, console and end of the program ----

    reg [31:0] memory [0:BYTES/4-1];
    reg ended = 1'b0;
    integer i;
    always @(posedge clk) begin
        // after the last store the memory does not respond, so that nothing retires any more
        mem_ready <= mem_valid && !mem_ready && !ended;
        mem_rdata <= memory[mem_addr[15:2]];
        if (mem_valid && !mem_ready && !ended && mem_wstrb != 4'd0) begin
            if (mem_addr[31:16] == 16'h8000) begin
                for (i = 0; i < 4; i = i + 1)
                    if (mem_wstrb[i]) memory[mem_addr[15:2]][8*i+:8] <= mem_wdata[8*i+:8];
            end else if (mem_addr == 32'h1000_0000) begin
                $write("%c", mem_wdata[7:0]);
            end else if (mem_addr == 32'h0010_0000) begin
                ended <= 1'b1;
            end
        end
    end

    // ---- the trace system ----

    reg [2:0] bus_addr = 3'd0;
    reg bus_write = 1'b0;
    reg [31:0] bus_wdata = 32'd0;
    wire [31:0] bus_rdata;
    wire trace_valid;
    wire [31:0] trace_data;
    // the way out is busy now and then
    reg trace_ready = 1'b0;
    always @(posedge clk) trace_ready <= $random;

    goshawk trace (
        .clock(clk), .reset(reset),
        .rvfi_valid_0(rvfi_valid), .rvfi_insn_0(rvfi_insn), .rvfi_trap_0(rvfi_trap), .rvfi_intr_0(1'b0),
        .rvfi_pc_rdata_0(rvfi_pc_rdata), .rvfi_pc_wdata_0(rvfi_pc_wdata),
        .bus_addr(bus_addr), .bus_write(bus_write), .bus_wdata(bus_wdata), .bus_rdata(bus_rdata),
        .valid(trace_valid), .ready(trace_ready), .data(trace_data)
    );

    integer captured;
    always @(posedge clk) if (trace_valid && trace_ready) $fdisplay(captured, "%h", trace_data);

    // ---- from reset to the last word ----

    localparam CONTROL = 3'd2, STATUS = 3'd3;
    localparam ACTIVE = 1, IDLE = 2;

    task control;
        input [31:0] value;
        begin
            @(negedge clk) bus_addr = CONTROL; bus_wdata = value; bus_write = 1'b1;
            @(negedge clk) bus_addr = STATUS; bus_write = 1'b0;
            // what is read belongs to the address of the edge before
            @(negedge clk);
        end
    endtask

    initial begin
        // start.S does not clear .bss: memory is 0 at first, as in `goshawk run`
        for (i = 0; i < BYTES / 4; i = i + 1) memory[i] = 32'd0;
        $readmemh("firmware.hex", memory);
        captured = $fopen("captured.hex", "w");
        repeat (4) @(negedge clk);
        reset = 1'b0;
        control(32'd1);
        while (!bus_rdata[ACTIVE]) @(negedge clk);
        core_runs = 1'b1;
        wait (ended);
        // what is under way retires
        repeat (20) @(negedge clk);
        control(32'd0);
        while (!bus_rdata[IDLE]) @(negedge clk);
        $fclose(captured);
        $finish;
    end
endmodule
