// Commands of the host on the serial line: registers of the trace system and of the SoC. docs/soc.md has them.
//
// A command is 10 bytes: `GS`, 0 read or 1 write, address, 4 bytes of data, CRC. One that is damaged is no command;
// what comes before the answer has left is lost, the host waits for it.
module soc_host #(
    parameter DIV = 104,        // clocks of a bit
    parameter WAIT = 0          // the cores wait for the host
) (
    input clk,
    input reset,
    input rx,
    // registers of the trace system: held until `taken`, the answer comes a clock later
    output request,
    output bus_write,
    output [2:0] bus_addr,
    output [31:0] bus_wdata,
    input taken,
    input [31:0] bus_rdata,
    output go,
    output halt,
    input [3:0] status,
    output answer_valid,
    output [63:0] answer,
    input answer_taken
);
    // receiver: the middle of each bit
    reg [2:0] line;
    reg [15:0] left;
    reg [3:0] bits;
    reg [7:0] shift;
    reg got;
    always @(posedge clk) begin
        line <= {line[1:0], rx};
        got <= 1'b0;
        if (bits == 4'd0) begin
            if (!line[2]) begin
                bits <= 4'd9;
                left <= DIV + DIV / 2 - 1;
            end
        end else if (left != 16'd0) left <= left - 16'd1;
        else begin
            left <= DIV - 1;
            bits <= bits - 4'd1;
            if (bits == 4'd1) got <= line[2];
            else shift <= {line[2], shift[7:1]};
        end
        if (reset) begin
            line <= 3'b111;
            bits <= 4'd0;
            got <= 1'b0;
        end
    end

    function [15:0] crc_after(input [15:0] c, input [7:0] b);
        integer k;
        begin
            crc_after = c ^ {b, 8'd0};
            for (k = 0; k < 8; k = k + 1)
                crc_after = crc_after[15] ? {crc_after[14:0], 1'b0} ^ 16'h1021 : {crc_after[14:0], 1'b0};
        end
    endfunction

    localparam LISTEN = 2'd0, BUS = 2'd1, READ = 2'd2, ANSWER = 2'd3;
    localparam CONTROL = 8'h10, STATUS = 8'h11;
    reg [1:0] state;
    reg [3:0] n;                // bytes of the command
    reg [15:0] crc;
    reg write;
    reg [7:0] addr;
    reg [31:0] data;
    reg [1:0] control;          // go, halt
    assign go = control[0];
    assign halt = control[1];
    wire [7:0] crc_byte = n == 4'd8 ? crc[7:0] : crc[15:8];
    assign request = state == BUS;
    assign bus_write = write;
    assign bus_addr = addr[2:0];
    assign bus_wdata = data;
    assign answer_valid = state == ANSWER;
    assign answer = {data, 16'd0, addr, 7'd0, write};

    always @(posedge clk) begin
        case (state)
            LISTEN: if (got) begin
                n <= n + 4'd1;
                crc <= n < 4'd2 ? 16'hffff : crc_after(crc, shift);
                case (n)
                    4'd0: if (shift != 8'h47) n <= 4'd0;
                    4'd1: if (shift != 8'h53) n <= shift == 8'h47 ? 4'd1 : 4'd0;
                    4'd2: begin
                        write <= shift[0];
                        if (shift[7:1] != 7'd0) n <= 4'd0;
                    end
                    4'd3: addr <= shift;
                    4'd8, 4'd9: begin
                        crc <= crc;
                        if (shift != crc_byte) n <= 4'd0;
                        else if (n == 4'd9) begin
                            n <= 4'd0;
                            state <= addr[7:3] == 5'd0 ? BUS : ANSWER;
                            if (addr == CONTROL && write) control <= data[1:0];
                            else if (addr == CONTROL) data <= {30'd0, control};
                            else if (addr == STATUS) data <= {28'd0, status};
                            else if (addr[7:3] != 5'd0) data <= 32'd0;
                        end
                    end
                    default: data <= {shift, data[31:8]};
                endcase
            end
            BUS: if (taken) state <= READ;
            READ: begin
                if (!write) data <= bus_rdata;
                state <= ANSWER;
            end
            default: if (answer_taken) state <= LISTEN;
        endcase
        if (reset) begin
            state <= LISTEN;
            n <= 4'd0;
            control <= WAIT ? 2'b00 : 2'b01;
        end
    end
endmodule
