//! ibex: RV32IMC with machine mode and its own RVFI
//!
//! # Source
//! lowRISC, ibex, Apache 2.0 licence; two pipeline stages, fast multiplier, no writeback stage, registers as FPGA RAM.
//! Yosys reads the SystemVerilog (`read_slang`) and writes plain Verilog, with three inner wires as ports.
//!
//! The core starts at 0x80 above a multiple of 256. Here it starts below RAM, where the wrapper answers its first fetch
//! with a jump to the first address of RAM.
//!
//! # Adapter
//! See [`Adapter`].

use super::expose::exposed;
use super::{soc_core, soc_core_with_data, Core, CoreError, Isa};
use crate::flow::tool::YOSYS_SLANG;
use crate::soc::emitted::emitted;
use crate::soc::package::Package;
use hdl::LogicBlock;
use rust_hdl::prelude::*;

/// The core ibex.
#[derive(Clone, Copy, Debug)]
pub struct Ibex;

/// Source files of the core, the package first.
const FILES: [&str; 22] = [
    "rtl/ibex_pkg.sv",
    "rtl/ibex_alu.sv",
    "rtl/ibex_branch_predict.sv",
    "rtl/ibex_compressed_decoder.sv",
    "rtl/ibex_controller.sv",
    "rtl/ibex_core.sv",
    "rtl/ibex_counter.sv",
    "rtl/ibex_cs_registers.sv",
    "rtl/ibex_csr.sv",
    "rtl/ibex_decoder.sv",
    "rtl/ibex_dummy_instr.sv",
    "rtl/ibex_ex_block.sv",
    "rtl/ibex_fetch_fifo.sv",
    "rtl/ibex_id_stage.sv",
    "rtl/ibex_if_stage.sv",
    "rtl/ibex_load_store_unit.sv",
    "rtl/ibex_multdiv_fast.sv",
    "rtl/ibex_multdiv_slow.sv",
    "rtl/ibex_pmp.sv",
    "rtl/ibex_prefetch_buffer.sv",
    "rtl/ibex_register_file_fpga.sv",
    "rtl/ibex_wb_stage.sv",
];

/// Files that those include.
const INCLUDED: [&str; 5] = [
    "vendor/lowrisc_ip/ip/prim/rtl/prim_assert.sv",
    "vendor/lowrisc_ip/ip/prim/rtl/prim_assert_dummy_macros.svh",
    "vendor/lowrisc_ip/ip/prim/rtl/prim_assert_sec_cm.svh",
    "vendor/lowrisc_ip/ip/prim/rtl/prim_flop_macros.sv",
    "vendor/lowrisc_ip/dv/sv/dv_utils/dv_fcov_macros.svh",
];

/// Wires that become ports: the target of `mret`, and whether a trap is taken, with its cause.
const EXPOSED: [&str; 3] = ["core.csr_mepc", "core.csr_save_cause", "core.exc_cause"];

/// The core with its registers, unused ports tied.
const SOFTCORE: &str = r"
module ibex_softcore import ibex_pkg::*; (
    input logic clk_i, input logic rst_ni, input logic [31:0] boot_addr_i,
    output logic instr_req_o, input logic instr_gnt_i, input logic instr_rvalid_i,
    output logic [31:0] instr_addr_o, input logic [31:0] instr_rdata_i,
    output logic data_req_o, input logic data_gnt_i, input logic data_rvalid_i, output logic data_we_o,
    output logic [3:0] data_be_o, output logic [31:0] data_addr_o, output logic [31:0] data_wdata_o,
    input logic [31:0] data_rdata_i,
    input logic irq_software_i, input logic irq_timer_i,
    output logic rvfi_valid, output logic [31:0] rvfi_insn, output logic rvfi_trap, output logic rvfi_intr,
    output logic [31:0] rvfi_pc_rdata, output logic [31:0] rvfi_pc_wdata,
    output logic [4:0] rvfi_rd_addr, output logic [31:0] rvfi_rd_wdata, output logic [31:0] rvfi_mem_addr,
    output logic [3:0] rvfi_mem_rmask, output logic [31:0] rvfi_mem_rdata, output logic [31:0] rvfi_mem_wdata
);
    logic [4:0] raddr_a, raddr_b, waddr;
    logic [31:0] rdata_a, rdata_b, wdata;
    logic we;
    ibex_core #(.RV32M(RV32MFast)) core(
        .clk_i, .rst_ni, .hart_id_i('0), .boot_addr_i,
        .instr_req_o, .instr_gnt_i, .instr_rvalid_i, .instr_addr_o, .instr_rdata_i, .instr_err_i(1'b0),
        .data_req_o, .data_gnt_i, .data_rvalid_i, .data_we_o, .data_be_o, .data_addr_o, .data_wdata_o, .data_rdata_i,
        .data_err_i(1'b0),
        .dummy_instr_id_o(), .dummy_instr_wb_o(), .rf_raddr_a_o(raddr_a), .rf_raddr_b_o(raddr_b),
        .rf_waddr_wb_o(waddr), .rf_we_wb_o(we), .rf_wdata_wb_ecc_o(wdata), .rf_rdata_a_ecc_i(rdata_a),
        .rf_rdata_b_ecc_i(rdata_b),
        .ic_tag_req_o(), .ic_tag_write_o(), .ic_tag_addr_o(), .ic_tag_wdata_o(), .ic_tag_rdata_i('{default: '0}),
        .ic_data_req_o(), .ic_data_write_o(), .ic_data_addr_o(), .ic_data_wdata_o(),
        .ic_data_rdata_i('{default: '0}), .ic_scr_key_valid_i(1'b0), .ic_scr_key_req_o(),
        .irq_software_i, .irq_timer_i, .irq_external_i(1'b0), .irq_fast_i('0), .irq_nm_i(1'b0), .irq_pending_o(),
        .debug_req_i(1'b0), .crash_dump_o(), .double_fault_seen_o(),
        .rvfi_valid, .rvfi_insn, .rvfi_trap, .rvfi_intr, .rvfi_pc_rdata, .rvfi_pc_wdata,
        .rvfi_rd_addr, .rvfi_rd_wdata, .rvfi_mem_addr, .rvfi_mem_rmask, .rvfi_mem_rdata, .rvfi_mem_wdata,
        .fetch_enable_i(IbexMuBiOn), .alert_minor_o(), .alert_major_internal_o(), .alert_major_bus_o(), .core_busy_o()
    );
    ibex_register_file_fpga registers(
        .clk_i, .rst_ni, .test_en_i(1'b0), .dummy_instr_id_i(1'b0), .dummy_instr_wb_i(1'b0),
        .raddr_a_i(raddr_a), .rdata_a_o(rdata_a), .raddr_b_i(raddr_b), .rdata_b_o(rdata_b),
        .waddr_a_i(waddr), .wdata_a_i(wdata), .we_a_i(we), .err_o()
    );
endmodule
";

const WRAPPER: &str = r"
    wire fetch, write, valid, trap, intr, trap_taken;
    wire [3:0] select;
    wire [6:0] cause;
    wire [31:0] insn, mepc;
    // below RAM: the one instruction is `j 0x80`, from 0x7fffff80 to 0x80000000
    wire start = !f_addr[31];
    wire f_grant = start || f_ready;
    reg f_answer, m_answer;
    reg [31:0] f_word, m_word;
    always @(posedge clk) begin
        f_answer <= !reset && fetch && f_grant;
        f_word <= start ? 32'h0800_006f : f_rdata;
        m_answer <= !reset && m_valid && m_ready;
        m_word <= m_rdata;
    end
    assign f_valid = fetch && !start;
    assign m_wstrb = write ? select : 4'd0;
    ibex_softcore core(
        .clk_i(clk), .rst_ni(!reset), .boot_addr_i(32'h7fff_ff00),
        .instr_req_o(fetch), .instr_gnt_i(f_grant), .instr_rvalid_i(f_answer), .instr_addr_o(f_addr),
        .instr_rdata_i(f_word),
        .data_req_o(m_valid), .data_gnt_i(m_ready), .data_rvalid_i(m_answer), .data_we_o(write), .data_be_o(select),
        .data_addr_o(m_addr), .data_wdata_o(m_wdata), .data_rdata_i(m_word),
        .irq_software_i(soft_irq), .irq_timer_i(timer_irq),
        .rvfi_valid(valid), .rvfi_insn(insn), .rvfi_trap(trap), .rvfi_intr(intr),
        .rvfi_pc_rdata(retire_pc), .rvfi_pc_wdata(retire_npc),
        .rvfi_rd_addr(), .rvfi_rd_wdata(), .rvfi_mem_addr(), .rvfi_mem_rmask(), .rvfi_mem_rdata(), .rvfi_mem_wdata(),
        .\core.csr_mepc (mepc), .\core.csr_save_cause (trap_taken), .\core.exc_cause (cause)
    );
    assign retire_valid = valid && !trap && retire_pc[31];
    // mepc is written in the clock in which the trap is taken
    assign retire_mepc = mepc;
    reg trapped;
    reg [4:0] taken_cause;
    assign retire_trap = trapped;
    assign retire_cause = taken_cause;
    always @(posedge clk) begin
        trapped <= !reset && trap_taken;
        taken_cause <= {cause[6] || cause[5], cause[3:0]};
    end
    ibex_adapter adapter(
        .valid(valid), .insn(insn), .trap(trap), .intr(intr), .pc(retire_pc), .npc(retire_npc), .mepc(mepc),
        .rvfi_valid(rvfi_valid), .rvfi_insn(rvfi_insn), .rvfi_trap(rvfi_trap), .rvfi_intr(rvfi_intr),
        .rvfi_pc_rdata(rvfi_pc_rdata), .rvfi_pc_wdata(rvfi_pc_wdata)
    );
";

/// Data connections in a SoC that does not record.
const NO_DATA: &str = r"
        .rvfi_rd_addr(), .rvfi_rd_wdata(), .rvfi_mem_addr(), .rvfi_mem_rmask(), .rvfi_mem_rdata(), .rvfi_mem_wdata(),
";

/// Data connections in a SoC that records.
const DATA: &str = r"
        .rvfi_rd_addr(rvfi_rd_addr), .rvfi_rd_wdata(rvfi_rd_wdata), .rvfi_mem_addr(rvfi_mem_addr),
        .rvfi_mem_rmask(size_mask), .rvfi_mem_rdata(rvfi_mem_rdata), .rvfi_mem_wdata(rvfi_mem_wdata),
";

/// Further wires of a SoC that records. `retire_npc` is the target of `mret`, too.
///
/// For every instruction, the core's masks give the access size that it would have, from bit 0 up; whether it is an
/// access is decoded from the instruction. A trap is reported one cycle after the core takes it, because the
/// instruction that retired before it comes from a register. In that cycle nothing can retire, since the handler is
/// still being fetched.
const DATA_WIRES: &str = r"
    // lb to lhu; c.lw, c.lwsp. sb to sw; c.sw, c.swsp
    wire short = insn[1:0] != 2'b11;
    wire loads = short ? !insn[0] && insn[15:13] == 3'b010 : insn[6:0] == 7'h03;
    wire stores = short ? !insn[0] && insn[15:13] == 3'b110 : insn[6:0] == 7'h23;
    assign rvfi_mem_rmask = loads ? size_mask : 4'd0;
    assign rvfi_mem_wmask = stores ? size_mask : 4'd0;
    assign retire_rd = rvfi_rd_addr;
    assign retire_value = rvfi_rd_wdata;
    assign retire_npc = insn == 32'h3020_0073 ? mepc : npc;
    assign trap_valid = trapped && taken_cause[4];
    assign trap_cause = taken_cause[3:0];
";

/// Converts ibex's RVFI to that of the trace system
///
/// # Source
/// ibex's RVFI (`ibex_core.sv`); RISC-V privileged ISA, `mret`.
///
/// # Ports
/// | port | dir | bits | meaning |
/// | --- | --- | ---: | --- |
/// | `valid`, `insn`, `trap`, `intr`, `pc`, `npc` | in | 1, 32, 1, 1, 32, 32 | the core's RVFI |
/// | `mepc` | in | 32 | target of `mret` |
/// | `rvfi_*` | out | | RVFI |
///
/// # Timing
/// Combinational; at most one instruction per cycle.
///
/// # Quirks
/// * After `mret`, the core's `rvfi_pc_wdata` is the address that follows it; the target is `mepc`. A trap directly
///   after `mret` leaves `mepc` unchanged.
/// * The jump from below RAM into it is not an instruction of the program and is not passed on.
#[allow(missing_docs)] // the ports are in the table above
#[derive(LogicBlock, Default)]
pub struct Adapter {
    pub valid: Signal<In, Bit>,
    pub insn: Signal<In, Bits<32>>,
    pub trap: Signal<In, Bit>,
    pub intr: Signal<In, Bit>,
    pub pc: Signal<In, Bits<32>>,
    pub npc: Signal<In, Bits<32>>,
    pub mepc: Signal<In, Bits<32>>,
    pub rvfi_valid: Signal<Out, Bit>,
    pub rvfi_insn: Signal<Out, Bits<32>>,
    pub rvfi_trap: Signal<Out, Bit>,
    pub rvfi_intr: Signal<Out, Bit>,
    pub rvfi_pc_rdata: Signal<Out, Bits<32>>,
    pub rvfi_pc_wdata: Signal<Out, Bits<32>>,
}

impl Logic for Adapter {
    #[hdl_gen]
    fn update(&mut self) {
        self.rvfi_valid.next = self.valid.val() & self.pc.val().get_bit(31);
        self.rvfi_insn.next = self.insn.val();
        self.rvfi_trap.next = self.trap.val();
        self.rvfi_intr.next = self.intr.val();
        self.rvfi_pc_rdata.next = self.pc.val();
        self.rvfi_pc_wdata.next = self.npc.val();
        if self.insn.val() == 0x3020_0073_u64.to_bits::<32>() {
            self.rvfi_pc_wdata.next = self.mepc.val();
        }
    }
}

impl Core for Ibex {
    fn package(&self) -> Package {
        Package {
            name: "pythondata-cpu-ibex",
            module: "pythondata_cpu_ibex",
            version: "0.0.post2937",
            licence: "Apache-2.0",
        }
    }

    fn isa(&self) -> Isa {
        Isa::Rv32imc
    }

    fn registered(&self) -> bool {
        true
    }

    fn verilog(&self) -> Result<String, CoreError> {
        self.wrapped(&soc_core(WRAPPER))
    }

    fn recorded(&self) -> Result<String, CoreError> {
        let body = WRAPPER.replace("retire_npc", "npc").replacen(NO_DATA, DATA, 1);
        self.wrapped(&soc_core_with_data(&format!(
            "\n    wire [31:0] npc;\n    wire [3:0] size_mask;{body}{DATA_WIRES}"
        )))
    }
}

impl Ibex {
    /// Verilog of the core with `soc_core`.
    fn wrapped(&self, soc_core: &str) -> Result<String, CoreError> {
        let mut files = self.package().read_all(FILES.into_iter().chain(INCLUDED))?;
        files.push(("softcore.sv".into(), SOFTCORE.into()));
        let names: Vec<&str> = files[..FILES.len()].iter().map(|(name, _)| name.as_str()).collect();
        // one thread: the WebAssembly build of Yosys supports no more
        let script = format!(
            "read_slang --threads 1 -Wnone -DRVFI -DSYNTHESIS -DYOSYS --top ibex_softcore {} softcore.sv; flatten",
            names.join(" ")
        );
        let exposed = exposed(&YOSYS_SLANG, &files, &script, "ibex_softcore", &EXPOSED)?;
        let adapter = emitted(Adapter::default(), "ibex_adapter").map_err(CoreError::Check)?;
        Ok(format!("{exposed}\n{adapter}\n{soc_core}"))
    }
}
