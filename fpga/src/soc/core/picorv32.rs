//! picorv32: RV32IM, RVFI of its own
//!
//! # Source
//! C. Wolf, picorv32, ISC licence. One memory port for instructions and data; no machine mode and, as it is
//! used here, no interrupts.
//!
//! # Adapter
//! RVFI goes to the trace system as it is, so there is nothing to register: `rvfi_valid` is a pulse, raised when
//! the next instruction is launched, with `rvfi_pc_wdata` that one's address. Two quirks do no harm here:
//! `rvfi_trap` means that the core has stopped for good (illegal instruction, `ebreak`, `ecall`, misaligned
//! access), and it stays up with `rvfi_valid`; the trace system does not count what traps. `rvfi_intr` and the
//! memory fields are not used: interrupts are off, and control flow needs no data.

use super::{soc_core, Core, CoreError, Isa};
use crate::soc::package::Package;

/// The core.
#[derive(Clone, Copy, Debug)]
pub struct Picorv32;

const WRAPPER: &str = r"
    wire valid, instr, retired, stopped;
    wire [31:0] addr;
    picorv32 #(
        .ENABLE_MUL(1), .ENABLE_DIV(1), .ENABLE_COUNTERS(0), .ENABLE_COUNTERS64(0), .PROGADDR_RESET(32'h8000_0000)
    ) core (
        .clk(clk), .resetn(!reset), .irq(32'd0),
        .mem_valid(valid), .mem_instr(instr), .mem_ready(instr ? f_ready : m_ready),
        .mem_addr(addr), .mem_wdata(m_wdata), .mem_wstrb(m_wstrb), .mem_rdata(instr ? f_rdata : m_rdata),
        .rvfi_valid(retired), .rvfi_insn(rvfi_insn), .rvfi_trap(stopped),
        .rvfi_pc_rdata(rvfi_pc_rdata), .rvfi_pc_wdata(rvfi_pc_wdata)
    );
    assign f_valid = valid && instr;
    assign f_addr = addr;
    assign m_valid = valid && !instr;
    assign m_addr = addr;
    assign retire_valid = retired && !stopped;
    assign retire_pc = rvfi_pc_rdata;
    assign retire_npc = rvfi_pc_wdata;
    assign retire_trap = 1'b0;
    assign retire_mepc = 32'd0;
    assign retire_cause = 5'd0;
    assign rvfi_valid = retired;
    assign rvfi_trap = stopped;
    assign rvfi_intr = 1'b0;
";

impl Core for Picorv32 {
    fn package(&self) -> Package {
        Package {
            name: "pythondata-cpu-picorv32",
            module: "pythondata_cpu_picorv32",
            version: "1.0.post218",
            licence: "ISC",
        }
    }

    fn isa(&self) -> Isa {
        Isa::Rv32im
    }

    fn verilog(&self) -> Result<String, CoreError> {
        let source = self.package().read("picorv32.v")?;
        Ok(format!("`define RISCV_FORMAL\n{source}\n{}", soc_core(WRAPPER)))
    }
}
