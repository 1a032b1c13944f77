// Inside the event FIFO's count memory: the counts at an index, and the one being read
input [7:0] at;
input [9:0] read;
output [2*`ADDRESS_BITS-1:0] pair;
output [`ADDRESS_BITS-1:0] lies_count;
wire [`LOG2_DEPTH-1:0] f_at = at;
wire [`LOG2_DEPTH-1:0] f_place = read[9:2];
assign pair = {mem[{f_at, 1'd1}], mem[{f_at, 1'd0}]};
assign lies_count = mem[{f_place, read[0]}];
