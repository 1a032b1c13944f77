// Circular trace buffer of two halves. Each half holds a trace of its own, header to stop; when one is nearly
// full, tracing is ended and begun again in the other, over what was there. After the last trace both leave, the
// older first, each as a count of words (bit 31: its end did not fit) and the words.
module soc_ring #(
    parameter LOG2_WORDS = 10   // both halves
) (
    input clk,
    input reset,
    input in_valid,
    output in_ready,
    input [31:0] in_data,
    output turn,                // end this trace
    input turned,               // it is ended, the next word begins another
    input finished,             // the last one is ended
    output out_valid,
    input out_ready,
    output [31:0] out_data,
    output all_out              // everything has left
);
    localparam B = LOG2_WORDS - 1;
    (* no_rw_check *) reg [31:0] memory [0:(1 << LOG2_WORDS) - 1];
    reg half;                   // being written
    reg [B:0] fill [0:1];
    reg [1:0] cut;
    wire full = fill[half][B];
    // what is still in the trace system's buffers comes behind this
    assign turn = &fill[half][B-1:B-2] || full;
    assign in_ready = 1'b1;

    localparam WRITE = 3'd0, FIRST = 3'd1, COUNT = 3'd2, FETCH = 3'd3, WORD = 3'd4, NEXT = 3'd5, END = 3'd6;
    reg [2:0] state;
    reg reading;                // half being read
    reg second;                 // it is the newer one
    reg [B:0] at;
    reg [31:0] q;
    assign out_valid = state == COUNT || state == WORD;
    assign out_data = state == COUNT ? {cut[reading], {(30 - B){1'b0}}, fill[reading]} : q;
    assign all_out = state == END;

    always @(posedge clk) begin
        if (in_valid && !full) memory[{half, fill[half][B-1:0]}] <= in_data;
        q <= memory[{reading, at[B-1:0]}];
    end
    always @(posedge clk) begin
        if (in_valid) begin
            if (full) cut[half] <= 1'b1;
            else fill[half] <= fill[half] + 1'b1;
        end
        if (turned) begin
            half <= !half;
            fill[!half] <= 0;
            cut[!half] <= 1'b0;
        end
        case (state)
            WRITE: if (finished) state <= FIRST;
            FIRST: begin
                reading <= !half;
                second <= 1'b0;
                at <= 0;
                state <= COUNT;
            end
            COUNT: if (out_ready) state <= NEXT;
            NEXT: if (at == fill[reading]) begin
                reading <= half;
                second <= 1'b1;
                at <= 0;
                state <= second ? END : COUNT;
            end else state <= FETCH;
            FETCH: state <= WORD;
            WORD: if (out_ready) begin
                at <= at + 1'b1;
                state <= NEXT;
            end
            default: state <= END;
        endcase
        if (reset) begin
            half <= 1'b0;
            fill[0] <= 0;
            fill[1] <= 0;
            cut <= 2'b00;
            state <= WRITE;
        end
    end
endmodule
