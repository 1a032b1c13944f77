//! picorv32: RV32IM with its own RVFI
//!
//! # Source
//! C. Wolf, picorv32, ISC licence. One memory port for instructions and data; no machine mode, and no interrupts as it
//! is used here.
//!
//! # Adapter
//! The core launches an instruction when the previous one is done, so one retires when the next is launched. Its RVFI
//! reports that one cycle later, with a copy of the whole instruction, selected from three registers. Control flow
//! needs only a little of it, which the core's decoder has at the launch. The adapter keeps that of the last launched
//! instruction and of the one before. From it, it builds an instruction that jumps, branches, calls and returns as the
//! core's does. Its port has the cycles and addresses of the RVFI. Instructions that the core does not complete
//! (illegal instructions, `ebreak`, `ecall`, misaligned accesses, at which it stops for good) are not reported.
//! `rvfi_trap` and `rvfi_intr` are not used: interrupts are off.
//!
//! If registers and memory are recorded, the core's RVFI is used unchanged. Two quirks do no harm. `rvfi_trap` means
//! that the core has stopped for good, and stays 1 with `rvfi_valid`; a trapping instruction is not counted. The core's
//! read mask of a load covers the whole word, so the mask is made from the instruction and the lowest bits of its
//! address.

use super::{soc_core, soc_core_with_data, Core, CoreError, Isa};
use crate::soc::package::Package;

/// The core picorv32.
#[derive(Clone, Copy, Debug)]
pub struct Picorv32;

/// Additional wires of the core in a SoC that records.
const DATA_WIRES: &str = r"
    wire [31:0] rs1;
    wire [3:0] word_mask;";

/// Their connections, which replace the end of the instance.
const DATA: &str = r",
        .rvfi_insn(rvfi_insn), .rvfi_rs1_rdata(rs1), .rvfi_rd_addr(rvfi_rd_addr), .rvfi_rd_wdata(rvfi_rd_wdata),
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
    assign rvfi_valid = retired;
    assign rvfi_trap = stopped;
    assign rvfi_pc_rdata = retire_pc;
    assign rvfi_pc_wdata = retire_npc;
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
        .rvfi_valid(retired), .rvfi_trap(stopped), .rvfi_pc_rdata(retire_pc), .rvfi_pc_wdata(retire_npc)
    );
    assign f_valid = valid && instr;
    assign f_addr = addr;
    assign m_valid = valid && !instr;
    assign m_addr = addr;
    assign retire_valid = retired && !stopped;
    assign retire_trap = 1'b0;
    assign retire_mepc = 32'd0;
    assign retire_cause = 5'd0;
    assign rvfi_intr = 1'b0;
";

/// Outputs that are added to the core: what its decoder knows of the instruction that it launches. Each is the line to
/// replace and the new text.
const LAUNCH: [(&str, &str); 2] = [
    (
        "`ifdef RISCV_FORMAL\n\toutput reg        rvfi_valid,\n",
        "output launch, launch_branch, launch_jal, launch_jalr, output [4:0] launch_rd, launch_rs1, output [31:0] launch_pc,\n",
    ),
    (
        "\tassign launch_next_insn = ",
        "\tassign launch = launch_next_insn;\n\tassign launch_branch = is_beq_bne_blt_bge_bltu_bgeu;\n\t\
         assign launch_jal = instr_jal;\n\tassign launch_jalr = instr_jalr;\n\tassign launch_rd = decoded_rd;\n\t\
         assign launch_rs1 = decoded_rs1;\n\tassign launch_pc = next_pc;\n",
    ),
];

/// Wires of the outputs in `LAUNCH`.
const LAUNCH_WIRES: &str = r"
    wire launch, branch, jal, jalr;
    wire [4:0] rd, rs1;
    wire [31:0] pc;";

/// Connections of these wires, which replace the end of the instance, and the port that is made from them.
const ADAPTER: &str = r",
        .launch(launch), .launch_branch(branch), .launch_jal(jal), .launch_jalr(jalr), .launch_rd(rd), .launch_rs1(rs1),
        .launch_pc(pc)
    );
    // x1 and x5, which calls and returns go by, and which of them
    wire [3:0] links = {rs1[2], (rs1 & 5'h1b) == 5'd1, rd[2], (rd & 5'h1b) == 5'd1};
    // an instruction runs; the one before it retires. Its kind and address, and those of the one before
    reg runs, retires;
    reg [6:0] kind, kind_done;
    reg [31:0] at, done_at;
    always @(posedge clk) begin
        runs <= !reset && (runs || launch);
        retires <= !reset && runs && launch;
        if (launch) begin
            {kind, at} <= {links, jalr, jal, branch, pc};
            {kind_done, done_at} <= {kind, at};
        end
    end
    wire [4:0] linked = {2'd0, kind_done[6], 1'b0, kind_done[5]}, links_to = {2'd0, kind_done[4], 1'b0, kind_done[3]};
    wire any = |kind_done[2:0];
    // the opcode of a branch, `jal`, `jalr`, else that of `addi`; nothing looks at the bits that are 0
    assign rvfi_insn = {
        12'd0, linked, 3'd0, links_to, any, any, !any, kind_done[1], kind_done[1] || kind_done[2], 2'b11
    };
    assign rvfi_valid = retires;
    assign rvfi_trap = 1'b0;
    assign rvfi_pc_rdata = done_at;
    assign rvfi_pc_wdata = at;
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
        let mut source = self.package().read("picorv32.v")?;
        for (before, ports) in LAUNCH {
            if source.matches(before).count() != 1 {
                return Err(CoreError::Source { core: "picorv32", line: before.trim().into() });
            }
            source = source.replace(before, &format!("{ports}{before}"));
        }
        let body = format!("{LAUNCH_WIRES}{}", WRAPPER.replacen("\n    );\n", ADAPTER, 1));
        Ok(format!("`define RISCV_FORMAL\n{source}\n{}", soc_core(&body)))
    }

    fn recorded(&self) -> Result<String, CoreError> {
        let source = self.package().read("picorv32.v")?;
        let body = format!("{DATA_WIRES}{}", WRAPPER.replacen("\n    );\n", DATA, 1));
        Ok(format!("`define RISCV_FORMAL\n{source}\n{}", soc_core_with_data(&body)))
    }
}
