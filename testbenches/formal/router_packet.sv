// Inside the router's memory of the packet to send: the words at two addresses, and at the first
input [3:0] look, send;
output [15:0] lies, lies_now, lies_head;
assign lies = mem[look];
assign lies_now = mem[send];
assign lies_head = mem[0];
