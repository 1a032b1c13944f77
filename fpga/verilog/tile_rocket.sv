// rocket's system with its memory ports and the trace ports of its harts, which are internal to the tiles; ports as in
// fpga::tile. It has its own CLINT and PLIC. A boot ROM at 0x10040 jumps to 0x10000000; retirement is shown from the entry in
// RAM on.
module tile_core(
    input clk, input reset, input stop, input timer_irq, input soft_irq, input uart_irq,
    `TILE_PORTS
);
    assign m0_araddr[63:32] = 32'd0;
    assign m0_awaddr[63:32] = 32'd0;
    assign m0_awatop = 6'd0;
    assign m1_araddr[63:31] = 33'd0;
    assign m1_awaddr[63:31] = 33'd0;
    assign m1_awatop = 6'd0;
    ExampleRocketSystem system(
        .clock(clk), .reset(reset), .interrupts({7'd0, uart_irq}), `TILE_HARTS
        .debug_clock(1'b0), .debug_reset(reset), .debug_clockeddmi_dmiClock(1'b0), .debug_clockeddmi_dmiReset(reset),
        .debug_clockeddmi_dmi_req_ready(), .debug_clockeddmi_dmi_req_valid(1'b0), .debug_clockeddmi_dmi_req_bits_addr(7'd0),
        .debug_clockeddmi_dmi_req_bits_data(32'd0), .debug_clockeddmi_dmi_req_bits_op(2'd0),
        .debug_clockeddmi_dmi_resp_ready(1'b0), .debug_clockeddmi_dmi_resp_valid(),
        .debug_clockeddmi_dmi_resp_bits_data(), .debug_clockeddmi_dmi_resp_bits_resp(),
        .debug_ndreset(), .debug_dmactive(), .debug_dmactiveAck(1'b0),
        .mem_axi4_0_aw_ready(m0_awready), .mem_axi4_0_aw_valid(m0_awvalid), .mem_axi4_0_aw_bits_id(m0_awid),
        .mem_axi4_0_aw_bits_addr(m0_awaddr[31:0]), .mem_axi4_0_aw_bits_len(m0_awlen), .mem_axi4_0_aw_bits_size(m0_awsize),
        .mem_axi4_0_aw_bits_burst(m0_awburst), .mem_axi4_0_aw_bits_lock(m0_awlock), .mem_axi4_0_aw_bits_cache(),
        .mem_axi4_0_aw_bits_prot(), .mem_axi4_0_aw_bits_qos(),
        .mem_axi4_0_w_ready(m0_wready), .mem_axi4_0_w_valid(m0_wvalid), .mem_axi4_0_w_bits_data(m0_wdata),
        .mem_axi4_0_w_bits_strb(m0_wstrb), .mem_axi4_0_w_bits_last(),
        .mem_axi4_0_b_ready(m0_bready), .mem_axi4_0_b_valid(m0_bvalid), .mem_axi4_0_b_bits_id(m0_bid),
        .mem_axi4_0_b_bits_resp(m0_bresp),
        .mem_axi4_0_ar_ready(m0_arready), .mem_axi4_0_ar_valid(m0_arvalid), .mem_axi4_0_ar_bits_id(m0_arid),
        .mem_axi4_0_ar_bits_addr(m0_araddr[31:0]), .mem_axi4_0_ar_bits_len(m0_arlen), .mem_axi4_0_ar_bits_size(),
        .mem_axi4_0_ar_bits_burst(m0_arburst), .mem_axi4_0_ar_bits_lock(m0_arlock), .mem_axi4_0_ar_bits_cache(),
        .mem_axi4_0_ar_bits_prot(), .mem_axi4_0_ar_bits_qos(),
        .mem_axi4_0_r_ready(m0_rready), .mem_axi4_0_r_valid(m0_rvalid), .mem_axi4_0_r_bits_id(m0_rid),
        .mem_axi4_0_r_bits_data(m0_rdata), .mem_axi4_0_r_bits_resp(m0_rresp), .mem_axi4_0_r_bits_last(m0_rlast),
        .mmio_axi4_0_aw_ready(m1_awready), .mmio_axi4_0_aw_valid(m1_awvalid), .mmio_axi4_0_aw_bits_id(m1_awid),
        .mmio_axi4_0_aw_bits_addr(m1_awaddr[30:0]), .mmio_axi4_0_aw_bits_len(m1_awlen), .mmio_axi4_0_aw_bits_size(m1_awsize),
        .mmio_axi4_0_aw_bits_burst(m1_awburst), .mmio_axi4_0_aw_bits_lock(m1_awlock), .mmio_axi4_0_aw_bits_cache(),
        .mmio_axi4_0_aw_bits_prot(), .mmio_axi4_0_aw_bits_qos(),
        .mmio_axi4_0_w_ready(m1_wready), .mmio_axi4_0_w_valid(m1_wvalid), .mmio_axi4_0_w_bits_data(m1_wdata),
        .mmio_axi4_0_w_bits_strb(m1_wstrb), .mmio_axi4_0_w_bits_last(),
        .mmio_axi4_0_b_ready(m1_bready), .mmio_axi4_0_b_valid(m1_bvalid), .mmio_axi4_0_b_bits_id(m1_bid),
        .mmio_axi4_0_b_bits_resp(m1_bresp),
        .mmio_axi4_0_ar_ready(m1_arready), .mmio_axi4_0_ar_valid(m1_arvalid), .mmio_axi4_0_ar_bits_id(m1_arid),
        .mmio_axi4_0_ar_bits_addr(m1_araddr[30:0]), .mmio_axi4_0_ar_bits_len(m1_arlen), .mmio_axi4_0_ar_bits_size(),
        .mmio_axi4_0_ar_bits_burst(m1_arburst), .mmio_axi4_0_ar_bits_lock(m1_arlock), .mmio_axi4_0_ar_bits_cache(),
        .mmio_axi4_0_ar_bits_prot(), .mmio_axi4_0_ar_bits_qos(),
        .mmio_axi4_0_r_ready(m1_rready), .mmio_axi4_0_r_valid(m1_rvalid), .mmio_axi4_0_r_bits_id(m1_rid),
        .mmio_axi4_0_r_bits_data(m1_rdata), .mmio_axi4_0_r_bits_resp(m1_rresp), .mmio_axi4_0_r_bits_last(m1_rlast),
        // no external master
        .l2_frontend_bus_axi4_0_aw_ready(), .l2_frontend_bus_axi4_0_aw_valid(1'b0), .l2_frontend_bus_axi4_0_aw_bits_id(8'd0),
        .l2_frontend_bus_axi4_0_aw_bits_addr(32'd0), .l2_frontend_bus_axi4_0_aw_bits_len(8'd0),
        .l2_frontend_bus_axi4_0_aw_bits_size(3'd0), .l2_frontend_bus_axi4_0_aw_bits_burst(2'd0),
        .l2_frontend_bus_axi4_0_aw_bits_lock(1'b0), .l2_frontend_bus_axi4_0_aw_bits_cache(4'd0),
        .l2_frontend_bus_axi4_0_aw_bits_prot(3'd0), .l2_frontend_bus_axi4_0_aw_bits_qos(4'd0),
        .l2_frontend_bus_axi4_0_w_ready(), .l2_frontend_bus_axi4_0_w_valid(1'b0), .l2_frontend_bus_axi4_0_w_bits_data(64'd0),
        .l2_frontend_bus_axi4_0_w_bits_strb(8'd0), .l2_frontend_bus_axi4_0_w_bits_last(1'b0),
        .l2_frontend_bus_axi4_0_b_ready(1'b1), .l2_frontend_bus_axi4_0_b_valid(), .l2_frontend_bus_axi4_0_b_bits_id(),
        .l2_frontend_bus_axi4_0_b_bits_resp(), .l2_frontend_bus_axi4_0_ar_ready(), .l2_frontend_bus_axi4_0_ar_valid(1'b0),
        .l2_frontend_bus_axi4_0_ar_bits_id(8'd0), .l2_frontend_bus_axi4_0_ar_bits_addr(32'd0),
        .l2_frontend_bus_axi4_0_ar_bits_len(8'd0), .l2_frontend_bus_axi4_0_ar_bits_size(3'd0),
        .l2_frontend_bus_axi4_0_ar_bits_burst(2'd0), .l2_frontend_bus_axi4_0_ar_bits_lock(1'b0),
        .l2_frontend_bus_axi4_0_ar_bits_cache(4'd0), .l2_frontend_bus_axi4_0_ar_bits_prot(3'd0),
        .l2_frontend_bus_axi4_0_ar_bits_qos(4'd0), .l2_frontend_bus_axi4_0_r_ready(1'b1), .l2_frontend_bus_axi4_0_r_valid(),
        .l2_frontend_bus_axi4_0_r_bits_id(), .l2_frontend_bus_axi4_0_r_bits_data(), .l2_frontend_bus_axi4_0_r_bits_resp(),
        .l2_frontend_bus_axi4_0_r_bits_last()
    );
    `TILE_LOGS
endmodule
