// Inside the router's memory of received packets: the words at three addresses
input [7:0] at, at_head, reads;
output [15:0] came, came_head, comes;
wire [`LOG2_ENTRIES+3:0] f_at = at;
wire [`LOG2_ENTRIES+3:0] f_at_head = at_head;
wire [`LOG2_ENTRIES+3:0] f_reads = reads;
assign came = mem[f_at];
assign came_head = mem[f_at_head];
assign comes = mem[f_reads];
