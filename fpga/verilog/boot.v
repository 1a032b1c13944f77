// Starts tracing, then the cores; stops the cores when the program has ended, then tracing. Between, ends one
// trace and begins another where the trace buffer asks for it.
//
// So every instruction that retires is traced, and a SoC with tracing does in each clock after `run` rises what
// one without does.
module soc_boot #(
    parameter TRACE = 1
) (
    input clk,
    input reset,
    input go,                   // the cores may start
    input stop,                 // the program has ended, or the host wants it to
    input turn,                 // the trace buffer wants another trace
    output reg turned,          // the last word of the one before is there
    output reg run,             // cores and devices are out of reset
    output reg done,            // the last trace word has left the trace system
    // registers of the trace system
    output reg [2:0] bus_addr,
    output reg bus_write,
    output reg [31:0] bus_wdata,
    input [31:0] bus_rdata,
    input bus_mine              // no one else uses them in this clock
);
    localparam CONTROL = 3'd2, STATUS = 3'd3;
    localparam START = 4'd0, WAIT_ACTIVE = 4'd1, RUN = 4'd2, DRAIN = 4'd3, END = 4'd4, WAIT_IDLE = 4'd5, DONE = 4'd6,
        TURN_OFF = 4'd7, TURN_WAIT = 4'd8, TURN_ON = 4'd9;
    reg [3:0] state;
    reg [5:0] count;
    reg fresh;                  // bus_rdata is the status
    wire written = bus_write && bus_mine;
    wire active = TRACE == 0 || fresh && bus_rdata[1];
    wire idle = TRACE == 0 || fresh && bus_rdata[2];

    always @(posedge clk) begin
        fresh <= bus_mine && bus_addr == STATUS;
        bus_write <= 1'b0;
        bus_addr <= STATUS;
        turned <= 1'b0;
        if (!count[5]) count <= count + 6'd1;
        case (state)
            START, TURN_ON: if (state == TURN_ON || go) begin
                bus_addr <= CONTROL;
                bus_wdata <= 32'd1;
                bus_write <= TRACE != 0;
                if (written || TRACE == 0) begin
                    bus_write <= 1'b0;
                    count <= 6'd0;
                    state <= state == START ? WAIT_ACTIVE : RUN;
                end
            end
            // what is read in the first clocks is not yet the status
            WAIT_ACTIVE: if (count[5] && active) begin
                run <= 1'b1;
                state <= RUN;
            end
            RUN: begin
                count <= 6'd0;
                if (stop) begin
                    run <= 1'b0;
                    state <= DRAIN;
                end else if (turn) state <= TURN_OFF;
            end
            // the adapters and front ends are a few clocks deep
            DRAIN: if (count[5]) state <= END;
            END, TURN_OFF: begin
                bus_addr <= CONTROL;
                bus_wdata <= 32'd0;
                bus_write <= TRACE != 0;
                if (written || TRACE == 0) begin
                    bus_write <= 1'b0;
                    count <= 6'd0;
                    state <= state == END ? WAIT_IDLE : TURN_WAIT;
                end
            end
            TURN_WAIT: if (count[5] && idle) begin
                turned <= 1'b1;
                state <= TURN_ON;
            end
            WAIT_IDLE: if (count[5] && idle) begin
                done <= 1'b1;
                state <= DONE;
            end
            default: state <= DONE;
        endcase
        if (reset) begin
            state <= START;
            count <= 6'd0;
            run <= 1'b0;
            done <= 1'b0;
            turned <= 1'b0;
            bus_write <= 1'b0;
            bus_addr <= STATUS;
            fresh <= 1'b0;
        end
    end
endmodule
