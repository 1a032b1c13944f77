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
//! access), and it stays up with `rvfi_valid`; the trace system does not count what traps. `rvfi_intr` is not used:
//! interrupts are off.
//!
//! Control flow needs no data. Where registers and memory are recorded, the mask of what a load reads is made from the
//! instruction and the lowest bits of its address: the core's own is that of the whole word.

use super::{soc_core, soc_core_with_data, Core, CoreError, Isa};
use crate::soc::package::Package;

/// The core.
#[derive(Clone, Copy, Debug)]
pub struct Picorv32;

/// Wires of the core in a SoC that records.
const DATA_WIRES: &str = r"
    wire [31:0] rs1;
    wire [3:0] word_mask;";

/// Its connections there, in the place of the instance's end.
const DATA: &str = r",
        .rvfi_rs1_rdata(rs1), .rvfi_rd_addr(rvfi_rd_addr), .rvfi_rd_wdata(rvfi_rd_wdata),
        .rvfi_mem_addr(rvfi_mem_addr), .rvfi_mem_rmask(word_mask), .rvfi_mem_wmask(rvfi_mem_wmask),
        .rvfi_mem_rdata(rvfi_mem_rdata), .rvfi_mem_wdata(rvfi_mem_wdata)
    );
    // the bytes that a load takes, of the word that the bus brought
    wire [1:0] lane = rs1[1:0] + rvfi_insn[21:20];
    wire [3:0] size_mask = rvfi_insn[13] ? 4'b1111 : rvfi_insn[12] ? 4'b0011 : 4'b0001;
    assign rvfi_mem_rmask = word_mask & (size_mask << lane);
    assign retire_rd = rvfi_rd_addr;
    assign retire_value = rvfi_rd_wdata;
    assign trap_valid = 1'b0;
    assign trap_cause = 4'd0;
";

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

    fn registered(&self) -> bool {
        true
    }

    fn verilog(&self) -> Result<String, CoreError> {
        let source = self.package().read("picorv32.v")?;
        Ok(format!("`define RISCV_FORMAL\n{source}\n{}", soc_core(WRAPPER)))
    }

    fn recorded(&self) -> Result<String, CoreError> {
        let source = self.package().read("picorv32.v")?;
        let body = format!("{DATA_WIRES}{}", WRAPPER.replacen("\n    );\n", DATA, 1));
        Ok(format!("`define RISCV_FORMAL\n{source}\n{}", soc_core_with_data(&body)))
    }
}
