//! cv32e40p: RV32IMC with machine mode; Yosys exposes the wires of its decode stage
//!
//! # Source
//! OpenHW Group, CV32E40P, Solderpad 0.51 licence; without PULP extensions, floating point and debug requests,
//! registers as flip-flops. Yosys reads the SystemVerilog (`read_slang`) and writes plain Verilog. The core is built
//! without its clock gate: only its controller makes it sleep.
//!
//! The core has no retirement port. An instruction that leaves the decode stage always completes: OBI has no bus
//! errors, the stage stays empty after a taken branch, and interrupts are taken in that stage. So an instruction
//! retires when the core's counter `minstret` counts it, and its next address is that of the next instruction.
//!
//! # Adapter
//! See [`Adapter`].

use super::class::Class;
use super::expose::exposed;
use super::{soc_core, Core, CoreError, Isa};
use crate::flow::tool::YOSYS_SLANG;
use crate::soc::emitted::emitted;
use crate::soc::package::Package;
use hdl::LogicBlock;
use rust_hdl::prelude::*;

/// The core cv32e40p.
#[derive(Clone, Copy, Debug)]
pub struct Cv32e40p;

/// Source files of the core, packages first.
const FILES: [&str; 27] = [
    "rtl/include/cv32e40p_apu_core_pkg.sv",
    "rtl/include/cv32e40p_fpu_pkg.sv",
    "rtl/include/cv32e40p_pkg.sv",
    "rtl/cv32e40p_aligner.sv",
    "rtl/cv32e40p_alu.sv",
    "rtl/cv32e40p_alu_div.sv",
    "rtl/cv32e40p_apu_disp.sv",
    "rtl/cv32e40p_compressed_decoder.sv",
    "rtl/cv32e40p_controller.sv",
    "rtl/cv32e40p_core.sv",
    "rtl/cv32e40p_cs_registers.sv",
    "rtl/cv32e40p_decoder.sv",
    "rtl/cv32e40p_ex_stage.sv",
    "rtl/cv32e40p_ff_one.sv",
    "rtl/cv32e40p_fifo.sv",
    "rtl/cv32e40p_hwloop_regs.sv",
    "rtl/cv32e40p_id_stage.sv",
    "rtl/cv32e40p_if_stage.sv",
    "rtl/cv32e40p_int_controller.sv",
    "rtl/cv32e40p_load_store_unit.sv",
    "rtl/cv32e40p_mult.sv",
    "rtl/cv32e40p_obi_interface.sv",
    "rtl/cv32e40p_popcnt.sv",
    "rtl/cv32e40p_prefetch_buffer.sv",
    "rtl/cv32e40p_prefetch_controller.sv",
    "rtl/cv32e40p_register_file_ff.sv",
    "rtl/cv32e40p_sleep_unit.sv",
];

/// Wires that become ports: the instruction that the decode stage finishes, and whether a trap is taken.
const EXPOSED: [&str; 7] = [
    "core.id_stage_i.minstret",
    "core.instr_rdata_id",
    "core.is_compressed_id",
    "core.pc_id",
    "core.csr_save_cause",
    "core.csr_cause",
    "core.mepc",
];

/// The core, with unused ports tied.
const SOFTCORE: &str = r"
module cv32e40p_clock_gate(input logic clk_i, input logic en_i, input logic scan_cg_en_i, output logic clk_o);
    assign clk_o = clk_i;
endmodule

module cv32e40p_softcore (
    input logic clk_i, input logic rst_ni,
    output logic instr_req_o, input logic instr_gnt_i, input logic instr_rvalid_i,
    output logic [31:0] instr_addr_o, input logic [31:0] instr_rdata_i,
    output logic data_req_o, input logic data_gnt_i, input logic data_rvalid_i, output logic data_we_o,
    output logic [3:0] data_be_o, output logic [31:0] data_addr_o, output logic [31:0] data_wdata_o,
    input logic [31:0] data_rdata_i,
    input logic irq_software_i, input logic irq_timer_i
);
    cv32e40p_core core(
        .clk_i, .rst_ni, .pulp_clock_en_i(1'b1), .scan_cg_en_i(1'b0),
        .boot_addr_i(32'h8000_0000), .mtvec_addr_i(32'h8000_0000), .dm_halt_addr_i('0), .hart_id_i('0),
        .dm_exception_addr_i('0),
        .instr_req_o, .instr_gnt_i, .instr_rvalid_i, .instr_addr_o, .instr_rdata_i,
        .data_req_o, .data_gnt_i, .data_rvalid_i, .data_we_o, .data_be_o, .data_addr_o, .data_wdata_o, .data_rdata_i,
        .apu_busy_o(), .apu_req_o(), .apu_gnt_i(1'b0), .apu_operands_o(), .apu_op_o(), .apu_flags_o(),
        .apu_rvalid_i(1'b0), .apu_result_i('0), .apu_flags_i('0),
        .irq_i({24'd0, irq_timer_i, 3'd0, irq_software_i, 3'd0}), .irq_ack_o(), .irq_id_o(),
        .debug_req_i(1'b0), .debug_havereset_o(), .debug_running_o(), .debug_halted_o(),
        .fetch_enable_i(1'b1), .core_sleep_o()
    );
endmodule
";

const WRAPPER: &str = r"
    wire write, retires, compressed, trap_taken;
    wire [3:0] select;
    wire [5:0] cause;
    wire [31:0] insn, pc, mepc;
    reg f_answer, m_answer;
    reg [31:0] f_word, m_word;
    always @(posedge clk) begin
        f_answer <= !reset && f_valid && f_ready;
        f_word <= f_rdata;
        m_answer <= !reset && m_valid && m_ready;
        m_word <= m_rdata;
    end
    assign m_wstrb = write ? select : 4'd0;
    cv32e40p_softcore core(
        .clk_i(clk), .rst_ni(!reset),
        .instr_req_o(f_valid), .instr_gnt_i(f_ready), .instr_rvalid_i(f_answer), .instr_addr_o(f_addr),
        .instr_rdata_i(f_word),
        .data_req_o(m_valid), .data_gnt_i(m_ready), .data_rvalid_i(m_answer), .data_we_o(write), .data_be_o(select),
        .data_addr_o(m_addr), .data_wdata_o(m_wdata), .data_rdata_i(m_word),
        .irq_software_i(soft_irq), .irq_timer_i(timer_irq),
        .\core.id_stage_i.minstret (retires), .\core.instr_rdata_id (insn), .\core.is_compressed_id (compressed),
        .\core.pc_id (pc), .\core.csr_save_cause (trap_taken), .\core.csr_cause (cause), .\core.mepc (mepc)
    );
    // mepc is written in the clock in which the trap is taken
    reg trapped, reported, waits;
    reg [4:0] taken_cause, reported_cause;
    reg [31:0] waiting_pc, reported_mepc;
    always @(posedge clk) begin
        trapped <= !reset && trap_taken;
        taken_cause <= {cause[5], cause[3:0]};
        // logged after the instruction with which it is reported
        reported <= !reset && trapped;
        reported_cause <= taken_cause;
        reported_mepc <= mepc;
        waits <= !reset && (retires || (waits && !trapped));
        if (retires) waiting_pc <= pc;
    end
    // an instruction is reported when the next address is known
    assign retire_valid = waits && (retires || trapped);
    assign retire_pc = waiting_pc;
    assign retire_npc = trapped ? mepc : pc;
    assign retire_trap = reported;
    assign retire_mepc = reported_mepc;
    assign retire_cause = reported_cause;
    cv32e40p_adapter adapter(
        .clock(clk), .reset(reset), .retires(retires), .insn(insn), .compressed(compressed), .pc(pc),
        .trapped(trapped), .mepc(mepc),
        .rvfi_valid(rvfi_valid), .rvfi_insn(rvfi_insn), .rvfi_intr(rvfi_intr),
        .rvfi_pc_rdata(rvfi_pc_rdata), .rvfi_pc_wdata(rvfi_pc_wdata)
    );
    assign rvfi_trap = 1'b0;
";

/// Converts wires of cv32e40p's decode stage to RVFI
///
/// # Source
/// `cv32e40p_id_stage.sv`, `cv32e40p_controller.sv`, `cv32e40p_cs_registers.sv`.
///
/// # Ports
/// | port | dir | bits | meaning |
/// | --- | --- | ---: | --- |
/// | `reset` | in | 1 | reset of the core: no instruction is held |
/// | `retires` | in | 1 | an instruction leaves the decode stage and completes |
/// | `insn` | in | 32 | the instruction; a compressed one is expanded |
/// | `compressed` | in | 1 | the instruction is compressed |
/// | `pc` | in | 32 | its address |
/// | `trapped` | in | 1 | the core took a trap in the previous cycle |
/// | `mepc` | in | 32 | address at which the program would have continued |
/// | `rvfi_*` | out | | RVFI; `trap` is never set |
///
/// # Timing
/// An instruction is held until the next one retires or a trap is taken, and is reported in that cycle: one per cycle.
///
/// # Quirks
/// * Compressed instructions arrive expanded and are converted back (`Class`).
/// * An instruction that traps does not retire; the first one that does is marked with `intr`.
#[allow(missing_docs)] // the ports are in the table above
#[derive(LogicBlock, Default)]
pub struct Adapter {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub retires: Signal<In, Bit>,
    pub insn: Signal<In, Bits<32>>,
    pub compressed: Signal<In, Bit>,
    pub pc: Signal<In, Bits<32>>,
    pub trapped: Signal<In, Bit>,
    pub mepc: Signal<In, Bits<32>>,
    pub rvfi_valid: Signal<Out, Bit>,
    pub rvfi_insn: Signal<Out, Bits<32>>,
    pub rvfi_intr: Signal<Out, Bit>,
    pub rvfi_pc_rdata: Signal<Out, Bits<32>>,
    pub rvfi_pc_wdata: Signal<Out, Bits<32>>,
    class: Class,
    waits: DFF<Bit>,
    insn_1: DFF<Bits<32>>,
    pc_1: DFF<Bits<32>>,
    intr: DFF<Bit>,
    // no instruction has retired since a trap
    handler: DFF<Bit>,
}

impl Logic for Adapter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, waits, insn_1, pc_1, intr, handler);
        self.class.insn.next = self.insn.val();
        self.class.compressed.next = self.compressed.val();
        if self.trapped.val() {
            self.waits.d.next = false;
            self.handler.d.next = true;
        }
        if self.retires.val() {
            self.waits.d.next = true;
            self.insn_1.d.next = self.class.short.val();
            self.pc_1.d.next = self.pc.val();
            self.intr.d.next = self.handler.q.val() | self.trapped.val();
            self.handler.d.next = false;
        }
        self.rvfi_valid.next = self.waits.q.val() & (self.retires.val() | self.trapped.val());
        self.rvfi_insn.next = self.insn_1.q.val();
        self.rvfi_intr.next = self.intr.q.val();
        self.rvfi_pc_rdata.next = self.pc_1.q.val();
        self.rvfi_pc_wdata.next = self.pc.val();
        if self.trapped.val() {
            self.rvfi_pc_wdata.next = self.mepc.val();
        }
        if self.reset.val() {
            self.waits.d.next = false;
            self.handler.d.next = false;
        }
    }
}

impl Core for Cv32e40p {
    fn package(&self) -> Package {
        Package {
            name: "pythondata-cpu-cv32e40p",
            module: "pythondata_cpu_cv32e40p",
            version: "1.0.1.post1909",
            licence: "SHL-0.51",
        }
    }

    fn isa(&self) -> Isa {
        Isa::Rv32imc
    }

    fn registered(&self) -> bool {
        // whether an instruction leaves the decode stage is known late in the cycle
        false
    }

    fn verilog(&self) -> Result<String, CoreError> {
        let mut files = self.package().read_all(FILES.into_iter())?;
        files.push(("softcore.sv".into(), SOFTCORE.into()));
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        // one thread: the WebAssembly build of Yosys supports no more; a bitwise mux has no form in Verilog
        let script = format!(
            "read_slang --threads 1 -Wnone -DSYNTHESIS --top cv32e40p_softcore {}; flatten; bwmuxmap",
            names.join(" ")
        );
        let exposed = exposed(&YOSYS_SLANG, &files, &script, "cv32e40p_softcore", &EXPOSED)?;
        let adapter = emitted(Adapter::default(), "cv32e40p_adapter").map_err(CoreError::Check)?;
        Ok(format!("{exposed}\n{adapter}\n{}", soc_core(WRAPPER)))
    }
}
