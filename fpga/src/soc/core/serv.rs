//! serv: RV32I a bit a clock, RVFI of its own
//!
//! # Source
//! O. Kindgren, serv, ISC licence; with its CSRs: machine mode, and the timer interrupt, which is the only one. No
//! multiplication, no illegal instruction exception; `wfi` is taken for `ebreak`.
//!
//! Seen in simulation, and what `testbenches/programs` does about it:
//! * A trap in a handler leaves interrupts off behind both, for software cannot reach `mstatus.MPIE`; so does an
//!   interrupt that waits at `mret`. Nothing nests, and the main loop turns interrupts on again.
//! * An interrupt leaves bits 31:30 of `mepc` as they were (`serv_csr` drops the request in the clock in which
//!   `serv_rf_ram_if` writes them). The start-up code writes `mepc` once.
//!
//! # Adapter
//! See [`Adapter`].

use super::expose::exposed;
use super::{soc_core, Core, CoreError, Isa};
use crate::flow::tool::YOSYS;
use crate::soc::package::Package;
use crate::soc::rename::emitted;
use rust_hdl::prelude::*;

/// The core.
#[derive(Clone, Copy, Debug)]
pub struct Serv;

/// Files of the core that are read.
const FILES: [&str; 16] = [
    "rtl/serv_aligner.v",
    "rtl/serv_alu.v",
    "rtl/serv_bufreg.v",
    "rtl/serv_bufreg2.v",
    "rtl/serv_compdec.v",
    "rtl/serv_csr.v",
    "rtl/serv_ctrl.v",
    "rtl/serv_decode.v",
    "rtl/serv_immdec.v",
    "rtl/serv_mem_if.v",
    "rtl/serv_rf_if.v",
    "rtl/serv_rf_ram.v",
    "rtl/serv_rf_ram_if.v",
    "rtl/serv_rf_top.v",
    "rtl/serv_state.v",
    "rtl/serv_top.v",
];

/// Wires that become ports: `mcause`, for the retire log.
const EXPOSED: [&str; 2] = ["cpu.genblk3.csr.mcause3_0", "cpu.genblk3.csr.mcause31"];

const WRAPPER: &str = r"
    wire valid, trap, write, interrupt;
    wire [3:0] select, cause;
    wire [31:0] insn;
    serv_rf_top core(
        .clk(clk), .i_rst(reset), .i_timer_irq(timer_irq),
        .o_ibus_adr(f_addr), .o_ibus_cyc(f_valid), .i_ibus_rdt(f_rdata), .i_ibus_ack(f_ready),
        .o_dbus_adr(m_addr), .o_dbus_dat(m_wdata), .o_dbus_sel(select), .o_dbus_we(write), .o_dbus_cyc(m_valid),
        .i_dbus_rdt(m_rdata), .i_dbus_ack(m_ready),
        .i_ext_rd(32'd0), .i_ext_ready(1'b0),
        .rvfi_valid(valid), .rvfi_insn(insn), .rvfi_trap(trap),
        .rvfi_pc_rdata(retire_pc), .rvfi_pc_wdata(retire_npc),
        .\cpu.genblk3.csr.mcause3_0 (cause), .\cpu.genblk3.csr.mcause31 (interrupt)
    );
    assign m_wstrb = write ? select : 4'd0;
    assign retire_valid = valid && !trap;
    assign retire_trap = valid && trap;
    assign retire_mepc = retire_pc;
    assign retire_cause = {interrupt, cause};
    serv_adapter adapter(
        .clock(clk), .reset(reset), .valid(valid), .insn(insn), .trap(trap), .npc(retire_npc),
        .rvfi_valid(rvfi_valid), .rvfi_insn(rvfi_insn), .rvfi_trap(rvfi_trap), .rvfi_intr(rvfi_intr),
        .rvfi_pc_rdata(rvfi_pc_rdata), .rvfi_pc_wdata(rvfi_pc_wdata)
    );
";

/// First address after reset.
const START: u64 = 0x8000_0000;

/// RVFI of serv, as the trace system takes it
///
/// # Source
/// serv's RVFI (`serv_top.v`), RVFI's definition of `intr`.
///
/// # Ports
/// | port | dir | bits | meaning |
/// | --- | --- | ---: | --- |
/// | `reset` | in | 1 | synchronous, the core's |
/// | `valid`, `insn`, `trap` | in | 1, 32, 1 | the core's |
/// | `npc` | in | 32 | the core's `rvfi_pc_wdata`: where it goes on, the handler after a trap |
/// | `rvfi_*` | out | | RVFI |
///
/// # Timing
/// Through in the same clock; at most one instruction in 32 clocks.
///
/// # Quirks
/// * `rvfi_intr` of the core is always 0. An exception and an interrupt alike give a record with `trap` in place of the
///   instruction; the one behind it is the handler's first.
/// * `rvfi_pc_rdata` of the core is wrong after a second reset, for the register that follows the address is set at
///   power-up only. The address is followed here.
#[allow(missing_docs)] // the ports are in the table above
#[derive(LogicBlock, Default)]
pub struct Adapter {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub insn: Signal<In, Bits<32>>,
    pub trap: Signal<In, Bit>,
    pub npc: Signal<In, Bits<32>>,
    pub rvfi_valid: Signal<Out, Bit>,
    pub rvfi_insn: Signal<Out, Bits<32>>,
    pub rvfi_trap: Signal<Out, Bit>,
    pub rvfi_intr: Signal<Out, Bit>,
    pub rvfi_pc_rdata: Signal<Out, Bits<32>>,
    pub rvfi_pc_wdata: Signal<Out, Bits<32>>,
    pc: DFF<Bits<32>>,
    trapped: DFF<Bit>,
}

impl Logic for Adapter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, pc, trapped);
        if self.valid.val() {
            self.pc.d.next = self.npc.val();
            self.trapped.d.next = self.trap.val();
        }
        if self.reset.val() {
            self.pc.d.next = 0x8000_0000_u64.into();
            self.trapped.d.next = false;
        }
        self.rvfi_valid.next = self.valid.val();
        self.rvfi_insn.next = self.insn.val();
        self.rvfi_trap.next = self.trap.val();
        self.rvfi_intr.next = self.trapped.q.val();
        self.rvfi_pc_rdata.next = self.pc.q.val();
        self.rvfi_pc_wdata.next = self.npc.val();
    }
}

impl Core for Serv {
    fn package(&self) -> Package {
        Package { name: "pythondata-cpu-serv", module: "pythondata_cpu_serv", version: "1.2.0.post146", licence: "ISC" }
    }

    fn isa(&self) -> Isa {
        Isa::Rv32i
    }

    fn verilog(&self) -> Result<String, CoreError> {
        let files = self.package().read_all(FILES.into_iter())?;
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        let script = format!(
            "read_verilog -DRISCV_FORMAL {}; hierarchy -top serv_rf_top -chparam RESET_PC {START}; proc; flatten; \
             rename -top serv_rf_top",
            names.join(" ")
        );
        let exposed = exposed(&YOSYS, &files, &script, "serv_rf_top", &EXPOSED)?;
        let adapter = emitted(Adapter::default(), "serv_adapter").map_err(CoreError::Check)?;
        Ok(format!("{exposed}\n{adapter}\n{}", soc_core(WRAPPER)))
    }
}
