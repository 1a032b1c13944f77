// cva6 with its memory ports and two retirement channels; ports as in fpga::tile.
module tile_core(
    input clk, input reset, input stop, input timer_irq, input soft_irq, input uart_irq,
    `TILE_PORTS
);
    // devices are below RAM: speculative accesses to them are not allowed
    localparam ariane_pkg::ariane_cfg_t CONFIG = '{
        RASDepth: 2, BTBEntries: 16, BHTEntries: 64,
        NrNonIdempotentRules: 1, NonIdempotentAddrBase: {64'h0}, NonIdempotentLength: {64'h8000_0000},
        NrExecuteRegionRules: 1, ExecuteRegionAddrBase: {64'h8000_0000}, ExecuteRegionLength: {64'h4000_0000},
        NrCachedRegionRules: 1, CachedRegionAddrBase: {64'h8000_0000}, CachedRegionLength: {64'h4000_0000},
        AxiCompliant: 1'b1, SwapEndianess: 1'b0, DmBaseAddress: 64'h0, NrPMPEntries: 0
    };
    ariane_axi::req_t req;
    ariane_axi::resp_t resp;
    ariane_rvfi_pkg::rvfi_port_t rvfi;
    cva6 #(.ArianeCfg(CONFIG)) core(
        .clk_i(clk), .rst_ni(!reset), .boot_addr_i(64'h8000_0000), .hart_id_i(64'd0), .irq_i({1'b0, uart_irq}),
        .ipi_i(soft_irq), .time_irq_i(timer_irq), .debug_req_i(1'b0), .rvfi_o(rvfi),
        .cvxif_req_o(), .cvxif_resp_i('0), .axi_req_o(req), .axi_resp_i(resp)
    );
    assign m0_araddr = req.ar.addr;
    assign m0_arlen = req.ar.len;
    assign m0_arburst = req.ar.burst;
    assign m0_arid = req.ar.id;
    assign m0_arlock = req.ar.lock;
    assign m0_arvalid = req.ar_valid;
    assign m0_rready = req.r_ready;
    assign m0_awaddr = req.aw.addr;
    assign m0_awlen = req.aw.len;
    assign m0_awburst = req.aw.burst;
    assign m0_awid = req.aw.id;
    assign m0_awlock = req.aw.lock;
    assign m0_awatop = req.aw.atop;
    assign m0_awsize = req.aw.size;
    assign m0_awvalid = req.aw_valid;
    assign m0_wdata = req.w.data;
    assign m0_wstrb = req.w.strb;
    assign m0_wvalid = req.w_valid;
    assign m0_bready = req.b_ready;
    always_comb begin
        resp = '0;
        resp.ar_ready = m0_arready;
        resp.r_valid = m0_rvalid;
        resp.r.data = m0_rdata;
        resp.r.resp = m0_rresp;
        resp.r.id = m0_rid;
        resp.r.last = m0_rlast;
        resp.aw_ready = m0_awready;
        resp.w_ready = m0_wready;
        resp.b_valid = m0_bvalid;
        resp.b.resp = m0_bresp;
        resp.b.id = m0_bid;
    end
    // the core's RVFI reports an ecall as valid although it traps, and also the instruction next to it
    wire trapped = core.ex_commit.valid;
    assign log_valid_0 = {rvfi[1].valid && !trapped && !stop, rvfi[0].valid && !trapped && !stop};
    assign log_pc_0 = {rvfi[1].pc_rdata, rvfi[0].pc_rdata};
    assign log_insn_0 = {rvfi[1].insn, rvfi[0].insn};
    assign log_trap_0 = trapped && !stop;
    assign log_mepc_0 = core.pc_commit;
endmodule
