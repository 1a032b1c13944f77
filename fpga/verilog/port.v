// Trace port of P pins: words leave least significant bits first, P bits a clock, while `strobe` is 1.
module soc_port #(
    parameter P = 4             // 1, 2, 4 or 8
) (
    input clk,
    input reset,
    input valid,
    output ready,
    input [31:0] data,
    output [P-1:0] pins,
    output strobe,
    output idle
);
    reg [31:0] shift;
    reg [5:0] left;             // bits that are still to be sent
    assign pins = shift[P-1:0];
    assign strobe = left != 6'd0;
    assign ready = left <= P;
    assign idle = left == 6'd0;
    always @(posedge clk) begin
        shift <= shift >> P;
        if (left != 6'd0) left <= left - P;
        if (valid && ready) begin
            shift <= data;
            left <= 6'd32;
        end
        if (reset) left <= 6'd0;
    end
endmodule
