// DMA: a bus master other than a core, which copies words of RAM. docs/how-to/soc.md has its registers: the byte address of
// the next word to read at 0, of the next one to store at 4, words left at 8; a store to the last one starts it. Words
// outside RAM are counted, but not copied.
module soc_dma(
    input clk,
    input reset,
    // registers: one cycle of valid, the response one cycle later, 0 for other devices
    input valid,
    input [31:0] addr,
    input [31:0] wdata,
    input [3:0] wstrb,
    output reg [31:0] rdata,
    // the bus
    output m_valid,
    output [31:0] m_addr,
    output [31:0] m_wdata,
    output [3:0] m_wstrb,
    input m_ready,
    input [31:0] m_rdata
);
    wire mine = valid && addr[27:24] == 4'd3;
    wire write = mine && wstrb == 4'hf;
    reg [31:0] from, to, left, word;
    reg storing;
    wire ram = from[31:30] == 2'b10 && to[31:30] == 2'b10;
    assign m_valid = left != 32'd0 && ram;
    assign m_addr = storing ? to : from;
    assign m_wdata = word;
    assign m_wstrb = storing ? 4'hf : 4'h0;
    wire read = m_valid && m_ready && !storing;
    wire copied = left != 32'd0 && (!ram || (m_ready && storing));
    always @(posedge clk) begin
        if (read) begin
            word <= m_rdata;
            storing <= 1'b1;
        end
        if (copied) begin
            storing <= 1'b0;
            from <= from + 32'd4;
            to <= to + 32'd4;
            left <= left - 32'd1;
        end
        if (write)
            case (addr[3:2])
                2'd0: from <= {wdata[31:2], 2'd0};
                2'd1: to <= {wdata[31:2], 2'd0};
                2'd2: left <= wdata;
                default: ;
            endcase
        if (write) storing <= 1'b0;
        rdata <= 32'd0;
        if (mine)
            case (addr[3:2])
                2'd0: rdata <= from;
                2'd1: rdata <= to;
                2'd2: rdata <= left;
                default: ;
            endcase
        if (reset) begin
            left <= 32'd0;
            storing <= 1'b0;
        end
    end
endmodule
