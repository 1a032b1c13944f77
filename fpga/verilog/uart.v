// Trace, console, exit code and answers to the host in frames on one serial line, 8N1. docs/soc.md has the frame.
//
// Trace words wait in a buffer of 2^WBITS words until a frame of 16 is full, or nothing has come for 2^12 clocks;
// a full buffer makes the trace system wait, and its own buffers overflow, which it tells in the stream. What the
// program prints waits in 2^CBITS bytes; what finds them full is dropped, so that printing never stalls a core.
module soc_uart #(
    parameter DIV = 104,        // clocks of a bit, at least 4
    parameter WBITS = 8,
    parameter CBITS = 6
) (
    input clk,
    input reset,
    input valid,
    output ready,
    input [31:0] data,
    input console_valid,
    input [7:0] console_data,
    input finished,             // the last trace word is here; exit_code is valid where `exited`
    input exited,
    input [31:0] exit_code,
    input answer_valid,         // held until taken
    input [63:0] answer,
    output answer_taken,
    output tx,
    output idle                 // the exit code has been sent
);
    // transmitter
    reg [15:0] baud;
    reg [9:0] shift;
    reg [3:0] bits;
    wire sending = bits != 4'd0;
    assign tx = shift[0];
    reg put;
    reg [7:0] put_byte;
    always @(posedge clk) begin
        if (baud != 16'd0) baud <= baud - 16'd1;
        else if (sending) begin
            shift <= {1'b1, shift[9:1]};
            bits <= bits - 4'd1;
            baud <= DIV - 1;
        end
        if (put) begin
            shift <= {1'b1, put_byte, 1'b0};
            bits <= 4'd10;
            baud <= DIV - 1;
        end
        if (reset) begin
            shift <= 10'h3ff;
            bits <= 4'd0;
            baud <= 16'd0;
        end
    end

    // buffers
    (* no_rw_check *) reg [31:0] words [0:(1 << WBITS) - 1];
    reg [31:0] word;
    reg [WBITS-1:0] w_in, w_out;
    wire [WBITS-1:0] w_count = w_in - w_out;
    assign ready = !(&w_count);
    (* no_rw_check *) reg [7:0] chars [0:(1 << CBITS) - 1];
    reg [7:0] char;
    reg [CBITS-1:0] c_in, c_out;
    wire [CBITS-1:0] c_count = c_in - c_out;
    reg [12:0] quiet;
    always @(posedge clk) begin
        if (valid && ready) words[w_in] <= data;
        word <= words[w_out];
        if (console_valid) chars[c_in] <= console_data;
        char <= chars[c_out];
    end

    // frames
    localparam IDLE = 3'd0, SYNC = 3'd1, HEAD = 3'd2, LENGTH = 3'd3, PAYLOAD = 3'd4, CHECK = 3'd5;
    localparam TRACE = 2'd0, CONSOLE = 2'd1, EXIT = 2'd2, ANSWER = 2'd3;
    reg [2:0] state;
    reg [1:0] kind;
    reg second;                 // the second byte of the two of SYNC and CHECK
    reg [5:0] sequence_number;
    reg [6:0] left;
    reg [1:0] lane;
    reg [15:0] crc;
    reg ended;
    reg turn;                   // the console's, when both wait
    reg answered;               // the answer that waits is on its way
    assign idle = ended && state == IDLE && !put && !sending;

    wire full_frame = w_count >= 16;
    wire flush = w_count != 0 && (quiet[12] || finished);
    wire want_trace = full_frame || flush;
    wire want_console = c_count != 0;
    wire want_exit = finished && !ended && w_count == 0 && c_count == 0;
    wire [4:0] take_words = full_frame ? 5'd16 : w_count[4:0];
    wire [5:0] take_chars = c_count > 32 ? 6'd32 : c_count[5:0];

    function [15:0] crc_after(input [15:0] c, input [7:0] b);
        integer k;
        begin
            crc_after = c ^ {b, 8'd0};
            for (k = 0; k < 8; k = k + 1)
                crc_after = crc_after[15] ? {crc_after[14:0], 1'b0} ^ 16'h1021 : {crc_after[14:0], 1'b0};
        end
    endfunction

    assign answer_taken = kind == ANSWER && state == CHECK && step && second;
    wire [31:0] source = kind == TRACE ? word : kind == EXIT ? exit_code : left > 7'd4 ? answer[31:0] : answer[63:32];
    wire [7:0] payload = kind == CONSOLE ? char : source[8*lane +: 8];
    reg [7:0] next_byte;
    always @* case (state)
        SYNC: next_byte = second ? 8'h53 : 8'h47;
        HEAD: next_byte = {kind, sequence_number};
        LENGTH: next_byte = {1'b0, left};
        PAYLOAD: next_byte = payload;
        default: next_byte = second ? crc[15:8] : crc[7:0];
    endcase
    // the memories need a clock to answer, the transmitter one to be busy
    reg [1:0] pause;
    wire step = state != IDLE && !sending && !put && pause == 2'd0;

    always @(posedge clk) begin
        put <= 1'b0;
        if (pause != 2'd0) pause <= pause - 2'd1;
        if (valid && ready) w_in <= w_in + 1'b1;
        if (console_valid && !(&c_count)) c_in <= c_in + 1'b1;
        quiet <= valid && ready ? 13'd0 : quiet[12] ? quiet : quiet + 13'd1;
        if (state == IDLE) begin
            second <= 1'b0;
            lane <= 2'd0;
            crc <= 16'hffff;
            if (answer_valid && !answered) begin
                kind <= ANSWER;
                left <= 7'd8;
                answered <= 1'b1;
                state <= SYNC;
            end else if (want_console && (turn || !want_trace)) begin
                kind <= CONSOLE;
                left <= {1'b0, take_chars};
                turn <= 1'b0;
                state <= SYNC;
            end else if (want_trace) begin
                kind <= TRACE;
                left <= {take_words, 2'd0};
                turn <= 1'b1;
                state <= SYNC;
            end else if (want_exit) begin
                kind <= EXIT;
                left <= exited ? 7'd4 : 7'd0;
                state <= SYNC;
            end
        end
        if (!answer_valid) answered <= 1'b0;
        if (step) begin
            put <= 1'b1;
            put_byte <= next_byte;
            pause <= 2'd3;
            if (state != SYNC && state != CHECK) crc <= crc_after(crc, next_byte);
            case (state)
                SYNC: begin
                    second <= !second;
                    if (second) state <= HEAD;
                end
                HEAD: state <= LENGTH;
                LENGTH: state <= left == 7'd0 ? CHECK : PAYLOAD;
                PAYLOAD: begin
                    left <= left - 7'd1;
                    lane <= lane + 2'd1;
                    if (kind == CONSOLE) c_out <= c_out + 1'b1;
                    if (kind == TRACE && lane == 2'd3) w_out <= w_out + 1'b1;
                    if (left == 7'd1) state <= CHECK;
                end
                default: begin
                    second <= !second;
                    if (second) begin
                        sequence_number <= sequence_number + 6'd1;
                        if (kind == EXIT) ended <= 1'b1;
                        state <= IDLE;
                    end
                end
            endcase
        end
        if (reset) begin
            put <= 1'b0;
            pause <= 2'd0;
            state <= IDLE;
            w_in <= 0;
            w_out <= 0;
            c_in <= 0;
            c_out <= 0;
            quiet <= 13'd0;
            sequence_number <= 6'd0;
            ended <= 1'b0;
            turn <= 1'b0;
            answered <= 1'b0;
        end
    end
endmodule
