// The shared bus: M masters, one access at a time, round robin. RAM has a separate read port for each fetch port, so
// that on an FPGA every fetch port reads its own copy, which stores keep up to date.
//
// Masters raise valid with address, data and write strobes (0: read) and hold them until ready, which is 1 for one
// cycle, with the read data. An access takes three cycles, two if another one is waiting. RAM is where address bits
// 31:30 are 10, and repeats above its size; all other addresses are devices.
module soc_bus #(
    parameter M = 1,          // masters
    parameter F = 1,          // fetch ports, at least 1; tied to 0 if there are none
    parameter WORDS = 1024,   // RAM, 32-bit words, a power of two
    parameter ABITS = 10      // log2 WORDS
) (
    input clk,
    input reset,
    input [M-1:0] m_valid,
    input [32*M-1:0] m_addr,
    input [32*M-1:0] m_wdata,
    input [4*M-1:0] m_wstrb,
    output [M-1:0] m_ready,
    output [31:0] m_rdata,
    input [F-1:0] f_valid,
    input [32*F-1:0] f_addr,
    output reg [F-1:0] f_ready,
    output [32*F-1:0] f_rdata,
    // devices: one cycle of d_valid, the response one cycle later
    output access,              // RAM or devices; an access begins
    output d_valid,
    output [3:0] d_master,
    output [31:0] d_addr,
    output [31:0] d_wdata,
    output [3:0] d_wstrb,
    input [31:0] d_rdata
);
    localparam IDLE = 2'd0, ACCESS = 2'd1, RESPOND = 2'd2;
    reg [1:0] state;
    reg [3:0] owner;
    reg from_ram;

    // the next requesting master after the owner, except the one that is being answered
    wire [M-1:0] wants = m_valid & ~m_ready;
    reg [3:0] pick;
    reg found;
    reg [4:0] at;
    integer k;
    always @* begin
        pick = owner;
        found = 1'b0;
        at = 5'd0;
        for (k = 1; k <= M; k = k + 1) begin
            at = {1'b0, owner} + k[4:0];
            if (at >= M) at = at - M;
            if (!found && wants[at]) begin
                pick = at[3:0];
                found = 1'b1;
            end
        end
    end

    wire [31:0] addr = m_addr[32*owner +: 32];
    wire [31:0] wdata = m_wdata[32*owner +: 32];
    wire [3:0] wstrb = m_wstrb[4*owner +: 4];
    wire to_ram = addr[31:30] == 2'b10;
    assign access = state == ACCESS;

    always @(posedge clk) begin
        case (state)
            ACCESS: begin
                state <= RESPOND;
                from_ram <= to_ram;
            end
            default: begin
                owner <= pick;
                state <= found ? ACCESS : IDLE;
            end
        endcase
        if (reset) begin
            state <= IDLE;
            owner <= 4'd0;
        end
    end

    assign d_valid = access && !to_ram;
    assign d_master = owner;
    assign d_addr = addr;
    assign d_wdata = wdata;
    assign d_wstrb = wstrb;

    // read data during a write is not used: it is the response to a store, or code that is just being stored
    (* no_rw_check *) reg [31:0] ram [0:WORDS-1];
    reg [31:0] ram_rdata;
    wire [ABITS-1:0] word = addr[ABITS+1:2];
    always @(posedge clk) begin
        if (access) begin
            ram_rdata <= ram[word];
            if (to_ram && wstrb[0]) ram[word][7:0] <= wdata[7:0];
            if (to_ram && wstrb[1]) ram[word][15:8] <= wdata[15:8];
            if (to_ram && wstrb[2]) ram[word][23:16] <= wdata[23:16];
            if (to_ram && wstrb[3]) ram[word][31:24] <= wdata[31:24];
        end
    end
    genvar i;
    generate
        for (i = 0; i < M; i = i + 1) begin : answer
            assign m_ready[i] = state == RESPOND && owner == i;
        end
        for (i = 0; i < F; i = i + 1) begin : fetch
            reg [31:0] q;
            always @(posedge clk) begin
                q <= ram[f_addr[32*i+2 +: ABITS]];
                f_ready[i] <= f_valid[i] && !f_ready[i] && !reset;
            end
            assign f_rdata[32*i +: 32] = q;
        end
    endgenerate
    assign m_rdata = from_ram ? ram_rdata : d_rdata;

    // initial contents
    `SOC_RAM_INIT
endmodule
