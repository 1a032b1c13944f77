// Inside the event FIFO's address memory: the addresses at an index, those being read, and those at the write pointer
input [7:0] at, next_at;
input [9:0] read;
output [2*`ADDRESS_BITS-1:0] where, next;
output [`ADDRESS_BITS-1:0] lies_address;
wire [`LOG2_DEPTH-1:0] f_at = at;
wire [`LOG2_DEPTH-1:0] f_next_at = next_at;
wire [`LOG2_DEPTH-1:0] f_place = read[9:2];
assign where = {mem[{f_at, 1'd1}], mem[{f_at, 1'd0}]};
assign next = {mem[{f_next_at, 1'd1}], mem[{f_next_at, 1'd0}]};
assign lies_address = mem[{f_place, read[0]}];
