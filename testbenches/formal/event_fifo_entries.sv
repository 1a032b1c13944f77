// Inside the event FIFO's entry memory: the entry at an index, and the field being read
input [7:0] at;
input [9:0] read;
output [4*`ADDRESS_BITS-1:0] entry;
output [`ADDRESS_BITS-1:0] lies;
wire [`LOG2_DEPTH-1:0] f_at = at;
wire [`LOG2_DEPTH+1:0] f_read = read;
assign entry = {mem[{f_at, 2'd3}], mem[{f_at, 2'd2}], mem[{f_at, 2'd1}], mem[{f_at, 2'd0}]};
assign lies = mem[f_read];
