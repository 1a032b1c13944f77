//! serv: bit-serial RV32I with its own RVFI
//!
//! # Source
//! O. Kindgren, serv, ISC licence; with its CSRs: machine mode, and the timer interrupt, which is the only one. No
//! multiplication, no illegal instruction exception; `wfi` is executed as `ebreak`.
//!
//! Quirks seen in simulation, and what `programs/bare` does about them:
//! * A trap in a handler leaves interrupts off after both, since software cannot access `mstatus.MPIE`; so does an
//!   interrupt that is pending at `mret`. Nothing nests, and the main loop enables interrupts again.
//! * An interrupt leaves bits 31:30 of `mepc` unchanged (`serv_csr` drops the request in the cycle in which
//!   `serv_rf_ram_if` writes them). The start-up code writes `mepc` once.
//!
//! # Adapter
//! RVFI goes to the trace system unchanged. Three quirks do no harm here:
//! * `rvfi_intr` is always 0. An exception or an interrupt gives a record with `rvfi_trap` instead of the instruction,
//!   from which the trace system learns the same.
//! * `rvfi_pc_rdata` is right after the first reset only, because the register that tracks the address is set at
//!   power-up. The SoC resets its cores once.
//! * The memory fields are those of the last access, even if there is none; control flow needs no data.

use super::expose::exposed;
use super::{soc_core, Core, CoreError, Isa};
use crate::flow::tool::YOSYS;
use crate::soc::package::Package;

/// The core serv.
#[derive(Clone, Copy, Debug)]
pub struct Serv;

/// Source files of the core.
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
    serv_rf_top core(
        .clk(clk), .i_rst(reset), .i_timer_irq(timer_irq),
        .o_ibus_adr(f_addr), .o_ibus_cyc(f_valid), .i_ibus_rdt(f_rdata), .i_ibus_ack(f_ready),
        .o_dbus_adr(m_addr), .o_dbus_dat(m_wdata), .o_dbus_sel(select), .o_dbus_we(write), .o_dbus_cyc(m_valid),
        .i_dbus_rdt(m_rdata), .i_dbus_ack(m_ready),
        .i_ext_rd(32'd0), .i_ext_ready(1'b0),
        .rvfi_valid(valid), .rvfi_insn(rvfi_insn), .rvfi_trap(trap),
        .rvfi_pc_rdata(retire_pc), .rvfi_pc_wdata(retire_npc),
        .\cpu.genblk3.csr.mcause3_0 (cause), .\cpu.genblk3.csr.mcause31 (interrupt)
    );
    assign m_wstrb = write ? select : 4'd0;
    assign retire_valid = valid && !trap;
    assign retire_trap = valid && trap;
    assign retire_mepc = retire_pc;
    assign retire_cause = {interrupt, cause};
    assign rvfi_valid = valid;
    assign rvfi_trap = trap;
    assign rvfi_intr = 1'b0;
    assign rvfi_pc_rdata = retire_pc;
    assign rvfi_pc_wdata = retire_npc;
";

impl Core for Serv {
    fn package(&self) -> Package {
        Package { name: "pythondata-cpu-serv", module: "pythondata_cpu_serv", version: "1.2.0.post146", licence: "ISC" }
    }

    fn isa(&self) -> Isa {
        Isa::Rv32i
    }

    fn registered(&self) -> bool {
        true
    }

    fn verilog(&self) -> Result<String, CoreError> {
        let files = self.package().read_all(FILES.into_iter())?;
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        let script = format!(
            "read_verilog -DRISCV_FORMAL {}; hierarchy -top serv_rf_top -chparam RESET_PC 32'h8000_0000; proc; flatten; \
             rename -top serv_rf_top",
            names.join(" ")
        );
        let exposed = exposed(&YOSYS, &files, &script, "serv_rf_top", &EXPOSED)?;
        Ok(format!("{exposed}\n{}", soc_core(WRAPPER)))
    }
}
