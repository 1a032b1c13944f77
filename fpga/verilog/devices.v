// Devices on the shared bus: timers and software interrupts, console, exit, locks, trace registers.
// docs/how-to/soc.md has the address map. Address bits 27:24 select: 0 console (bit 20: exit), 1 system, 2 CLINT.
module soc_devices #(
    parameter N = 1,          // harts
    parameter M = 1,          // bus masters; master m belongs to hart m % N
    parameter TICK = 16,      // cycles per tick of mtime
    parameter [2:0] NONE = 3'd6  // unused register of the trace system, which reads 0
) (
    input clk,
    input reset,
    input valid,
    input [3:0] master,
    input [31:0] addr,
    input [31:0] wdata,
    input [3:0] wstrb,
    output reg [31:0] rdata,
    output reg [N-1:0] timer_irq,
    output [N-1:0] soft_irq,
    output reg console_valid,
    output reg [7:0] console_data,
    output reg exited,
    output reg [31:0] exit_code,
    // registers of the trace system, which cores may only read: traced code must not change the trace
    output trace_access,
    output [2:0] trace_addr,
    input [31:0] trace_rdata
);
    wire write = valid && wstrb != 4'd0;
    wire [3:0] block = addr[27:24];
    wire is_console = block == 4'd0 && !addr[20];
    wire is_exit = block == 4'd0 && addr[20];
    wire is_system = block == 4'd1;
    wire is_clint = block == 4'd2;
    wire [3:0] hart = master >= N ? master - N : master;

    // CLINT
    // initial value of mtime
    `SOC_TIME
    reg [63:0] mtime;
    reg [15:0] tick;
    reg [63:0] mtimecmp [0:N-1];
    reg [N-1:0] msip;
    assign soft_irq = msip;
    wire is_msip = is_clint && addr[15:14] == 2'b00;
    wire is_cmp = is_clint && addr[15:14] == 2'b01;
    wire is_time = is_clint && addr[15:14] == 2'b10;
    wire [3:0] of_msip = addr[5:2];
    wire [3:0] of_cmp = addr[6:3];
    integer i;
    always @(posedge clk) begin
        tick <= tick + 16'd1;
        if (tick == TICK - 1) begin
            tick <= 16'd0;
            mtime <= mtime + 64'd1;
        end
        for (i = 0; i < N; i = i + 1) begin
            timer_irq[i] <= mtime >= mtimecmp[i];
            if (write && is_msip && of_msip == i && addr[13:6] == 8'd0) msip[i] <= wdata[0];
            if (write && is_cmp && of_cmp == i && addr[13:7] == 7'd0) begin
                if (addr[2]) mtimecmp[i][63:32] <= wdata;
                else mtimecmp[i][31:0] <= wdata;
            end
        end
        if (reset) begin
            tick <= 16'd0;
            mtime <= start;
            msip <= {N{1'b0}};
            timer_irq <= {N{1'b0}};
            for (i = 0; i < N; i = i + 1) mtimecmp[i] <= ~64'd0;
        end
    end

    // 16 test-and-set locks: a read takes the lock and returns its previous state
    reg [15:0] locks;
    wire is_lock = is_system && addr[7:6] == 2'd1;
    always @(posedge clk) begin
        if (valid && is_lock) locks[addr[5:2]] <= write ? wdata[0] : 1'b1;
        if (reset) locks <= 16'd0;
    end

    // one mailbox per hart: a write fills it, a read empties it; bit h of its status: mailbox h is full
    reg [31:0] mail [0:N-1];
    reg [15:0] full;
    wire is_mail = is_system && addr[7:6] == 2'd3;
    always @(posedge clk) begin
        if (valid && is_mail && addr[5:2] < N) begin
            if (write) mail[addr[5:2]] <= wdata;
            full[addr[5:2]] <= write;
        end
        if (reset) full <= 16'd0;
    end

    // console and exit: 0x5555 is a pass, code << 16 | 0x3333 a fail
    always @(posedge clk) begin
        console_valid <= write && is_console && wstrb[0];
        console_data <= wdata[7:0];
        if (write && is_exit && !exited) begin
            exited <= 1'b1;
            exit_code <= wdata[15:0] == 16'h5555 ? 32'd0 : {16'd0, wdata[31:16]};
        end
        if (reset) begin
            console_valid <= 1'b0;
            exited <= 1'b0;
        end
    end

    // every access reads the trace system, for other devices the register that reads 0, so that no multiplexer is
    // needed between the two responses
    wire is_trace = is_system && addr[7:6] == 2'd2;
    assign trace_access = valid;
    assign trace_addr = is_trace ? addr[4:2] : NONE;

    reg [31:0] answer;
    always @(posedge clk) begin
        answer <= 32'd0;
        if (is_msip && of_msip < N && addr[13:6] == 8'd0) answer <= {31'd0, msip[of_msip]};
        if (is_cmp && of_cmp < N) answer <= addr[2] ? mtimecmp[of_cmp][63:32] : mtimecmp[of_cmp][31:0];
        if (is_time) answer <= addr[2] ? mtime[63:32] : mtime[31:0];
        if (is_system && addr[7:6] == 2'd0)
            case (addr[3:2])
                2'd0: answer <= {28'd0, hart};
                2'd1: answer <= N;
                2'd2: answer <= {16'd0, full};
                default: answer <= 32'd0;
            endcase
        if (is_lock) answer <= {31'd0, locks[addr[5:2]]};
        if (is_mail && addr[5:2] < N) answer <= mail[addr[5:2]];
        // a 16550 that is always ready: line status 0x60 in byte 5
        if (is_console && addr[2]) answer <= 32'h0000_6000;
    end
    always @* rdata = answer | trace_rdata;
endmodule
