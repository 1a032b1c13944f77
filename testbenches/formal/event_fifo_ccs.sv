// Inside the event FIFO's time memory: the time at an index, and the one being read
input [7:0] at;
input [9:0] read;
output [`CC_BITS-1:0] when, lies_cc;
wire [`LOG2_DEPTH-1:0] f_at = at;
wire [`LOG2_DEPTH+1:0] f_read = read;
assign when = mem[f_at];
assign lies_cc = mem[f_read[`LOG2_DEPTH+1:2]];
