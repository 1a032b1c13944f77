// Starts tracing, then the cores; stops the cores when the program has ended, then tracing.
//
// So every instruction that retires is traced, and a SoC with tracing does in each clock after `run` rises what
// one without does.
module soc_boot #(
    parameter TRACE = 1
) (
    input clk,
    input reset,
    input stop,                 // the program has ended, or the host wants it to
    output reg run,             // cores and devices are out of reset
    output reg done,            // the last trace word has left the trace system
    // registers of the trace system; while `run` they are the cores'
    output reg [2:0] bus_addr,
    output reg bus_write,
    output reg [31:0] bus_wdata,
    input [31:0] bus_rdata
);
    localparam CONTROL = 3'd2, STATUS = 3'd3;
    localparam START = 3'd0, WAIT_ACTIVE = 3'd1, RUN = 3'd2, DRAIN = 3'd3, END = 3'd4, WAIT_IDLE = 3'd5, DONE = 3'd6;
    reg [2:0] state;
    reg [5:0] count;

    always @(posedge clk) begin
        bus_write <= 1'b0;
        bus_addr <= STATUS;
        count <= count + 6'd1;
        case (state)
            START: begin
                bus_addr <= CONTROL;
                bus_wdata <= 32'd1;
                bus_write <= TRACE != 0;
                count <= 6'd0;
                state <= WAIT_ACTIVE;
            end
            // what is read in the first clocks is not yet the status
            WAIT_ACTIVE: if (count[3] && (TRACE == 0 || bus_rdata[1])) begin
                run <= 1'b1;
                state <= RUN;
            end else if (count[3]) count <= count;
            RUN: if (stop) begin
                run <= 1'b0;
                count <= 6'd0;
                state <= DRAIN;
            end
            // the adapters and front ends are a few clocks deep
            DRAIN: if (count[5]) state <= END;
            END: begin
                bus_addr <= CONTROL;
                bus_wdata <= 32'd0;
                bus_write <= TRACE != 0;
                count <= 6'd0;
                state <= WAIT_IDLE;
            end
            WAIT_IDLE: if (count[3] && (TRACE == 0 || bus_rdata[2])) begin
                done <= 1'b1;
                state <= DONE;
            end else if (count[3]) count <= count;
            default: state <= DONE;
        endcase
        if (reset) begin
            state <= START;
            run <= 1'b0;
            done <= 1'b0;
            bus_write <= 1'b0;
        end
    end
endmodule
