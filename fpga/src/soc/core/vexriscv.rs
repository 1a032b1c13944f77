//! VexRiscv: RV32IMC with machine mode; Yosys exposes its retirement wires
//!
//! # Source
//! C. Papon, VexRiscv, MIT licence; the variant IMAC of LiteX (its A is `lr`/`sc` within one core only, so programs for
//! it use the SoC's locks). The variant has no retirement port: Yosys makes ports of wires of its last stage, and
//! changes nothing else.
//!
//! Data accesses bypass the data cache, since address bit 31 is set for RAM and devices alike: nothing would keep the
//! caches of several cores coherent.
//!
//! Stores are posted: there are two registers between the cache and the bus, and a store retires when the first takes
//! it. A SoC that records (scheme `inputs`) removes these registers. Otherwise a check or an interrupt of the core
//! could be reported before a store that still precedes another core's access. Then the cache connects directly to the
//! bus, and a store retires when the bus has completed it. The core cannot be paused in the middle of a run, because it
//! continues from its instruction cache.
//!
//! # Adapter
//! See [`Adapter`].

use super::class::Class;
use super::expose::exposed;
use super::{soc_core, soc_core_with_data, Core, CoreError, Isa};
use crate::flow::tool::YOSYS;
use crate::soc::emitted::emitted;
use crate::soc::package::Package;
use hdl::LogicBlock;
use rust_hdl::prelude::*;

/// The core VexRiscv.
#[derive(Clone, Copy, Debug)]
pub struct Vexriscv;

/// Wires that become ports.
const EXPOSED: [&str; 11] = [
    "lastStageIsFiring",
    "lastStageInstruction",
    "lastStagePc",
    "writeBack_FORMAL_PC_NEXT",
    "execute_IS_RVC",
    "memory_arbitration_isStuck",
    "writeBack_arbitration_isStuck",
    "CsrPlugin_interruptJump",
    "CsrPlugin_hadException",
    "CsrPlugin_trapCause",
    "CsrPlugin_mepc",
];

/// Further wires that become ports in a SoC that records: the data of the last stage.
const EXPOSED_DATA: [&str; 8] = [
    "lastStageRegFileWrite_valid",
    "lastStageRegFileWrite_payload_address",
    "lastStageRegFileWrite_payload_data",
    "writeBack_MEMORY_ENABLE",
    "writeBack_MEMORY_WR",
    "writeBack_REGFILE_WRITE_DATA",
    "writeBack_MEMORY_STORE_DATA_RF",
    "writeBack_DBusCachedPlugin_rspShifted",
];

/// Signals of a data access, from the cache to the bus.
const COMMAND: [&str; 8] = [
    "valid",
    "payload_wr",
    "payload_uncached",
    "payload_address",
    "payload_data",
    "payload_mask",
    "payload_size",
    "payload_last",
];

/// Further wires of a SoC that records. The mask of an access starts at bit 0, independent of its address; store data
/// is the register, load data the shifted-down value. All wires come one cycle after the last stage, as the adapter's
/// outputs do; so do the wires of the log, so that log and trace have the same cycles.
const DATA_WIRES: &str = r"
    wire fires, writes, accesses, stores;
    wire [4:0] rd;
    wire [31:0] pc, npc, value, address, stored, loaded;
    wire [3:0] size_mask = insn[13] ? 4'b1111 : insn[12] ? 4'b0011 : 4'b0001;
    reg fires_1;
    reg [4:0] rd_1;
    reg [31:0] pc_1, npc_1, value_1, address_1, stored_1, loaded_1;
    reg [3:0] read_1, write_1;
    always @(posedge clk) begin
        fires_1 <= fires;
        pc_1 <= pc;
        npc_1 <= insn == 32'h3020_0073 ? mepc : npc;
        rd_1 <= writes ? rd : 5'd0;
        value_1 <= value;
        address_1 <= address;
        stored_1 <= stored;
        loaded_1 <= loaded;
        read_1 <= accesses && !stores ? size_mask : 4'd0;
        write_1 <= accesses && stores ? size_mask : 4'd0;
    end
    assign retire_valid = fires_1;
    assign retire_pc = pc_1;
    assign retire_npc = npc_1;
    assign retire_rd = rd_1;
    assign retire_value = value_1;
    assign rvfi_rd_addr = rd_1;
    assign rvfi_rd_wdata = value_1;
    assign rvfi_mem_addr = address_1;
    assign rvfi_mem_rmask = read_1;
    assign rvfi_mem_wmask = write_1;
    assign rvfi_mem_rdata = loaded_1;
    assign rvfi_mem_wdata = stored_1;
    assign trap_valid = trapped && trap_cause_taken[4];
    assign trap_cause = trap_cause_taken[3:0];
";

/// Connections of the last stage in a SoC that records, which replace the end of the instance.
const DATA: &str = r",
        .lastStageRegFileWrite_valid(writes), .lastStageRegFileWrite_payload_address(rd),
        .lastStageRegFileWrite_payload_data(value), .writeBack_MEMORY_ENABLE(accesses),
        .writeBack_MEMORY_WR(stores), .writeBack_REGFILE_WRITE_DATA(address),
        .writeBack_MEMORY_STORE_DATA_RF(stored), .writeBack_DBusCachedPlugin_rspShifted(loaded)
    );
";

const WRAPPER: &str = r"
    wire f_cyc, f_stb, m_cyc, m_stb, m_we;
    wire [29:0] f_adr, m_adr;
    wire [3:0] m_sel;
    wire [31:0] insn, mepc;
    wire jump, exception, rvc, memory_stuck, last_stuck;
    wire [3:0] cause;
    VexRiscv core(
        .clk(clk), .reset(reset), .externalResetVector(32'h8000_0000),
        .timerInterrupt(timer_irq), .softwareInterrupt(soft_irq), .externalInterruptArray(32'd0),
        .iBusWishbone_CYC(f_cyc), .iBusWishbone_STB(f_stb), .iBusWishbone_ADR(f_adr),
        .iBusWishbone_ACK(f_ready), .iBusWishbone_DAT_MISO(f_rdata), .iBusWishbone_ERR(1'b0),
        .dBusWishbone_CYC(m_cyc), .dBusWishbone_STB(m_stb), .dBusWishbone_ADR(m_adr), .dBusWishbone_WE(m_we),
        .dBusWishbone_SEL(m_sel), .dBusWishbone_DAT_MOSI(m_wdata),
        .dBusWishbone_ACK(m_ready), .dBusWishbone_DAT_MISO(m_rdata), .dBusWishbone_ERR(1'b0),
        .lastStageIsFiring(retire_valid), .lastStageInstruction(insn), .lastStagePc(retire_pc),
        .writeBack_FORMAL_PC_NEXT(retire_npc), .execute_IS_RVC(rvc),
        .memory_arbitration_isStuck(memory_stuck), .writeBack_arbitration_isStuck(last_stuck),
        .CsrPlugin_interruptJump(jump), .CsrPlugin_hadException(exception), .CsrPlugin_trapCause(cause),
        .CsrPlugin_mepc(mepc)
    );
    assign f_valid = f_cyc && f_stb;
    assign f_addr = {f_adr, 2'b00};
    assign m_valid = m_cyc && m_stb;
    assign m_addr = {m_adr, 2'b00};
    assign m_wstrb = m_we ? m_sel : 4'd0;
    // mepc is written in the clock in which the trap is taken
    assign retire_mepc = mepc;
    reg trapped;
    reg [4:0] trap_cause_taken;
    assign retire_trap = trapped;
    assign retire_cause = trap_cause_taken;
    always @(posedge clk) begin
        trapped <= !reset && (jump || exception);
        trap_cause_taken <= {!exception, cause};
    end
    vexriscv_adapter adapter(
        .clock(clk), .firing(retire_valid), .insn(insn), .pc(retire_pc), .npc(retire_npc), .mepc(mepc),
        .trap(!reset && (jump || exception)), .execute_rvc(rvc), .memory_stuck(memory_stuck), .last_stuck(last_stuck),
        .rvfi_valid(rvfi_valid), .rvfi_insn(rvfi_insn), .rvfi_intr(rvfi_intr),
        .rvfi_pc_rdata(rvfi_pc_rdata), .rvfi_pc_wdata(rvfi_pc_wdata)
    );
    assign rvfi_trap = 1'b0;
";

/// Converts retirement wires of VexRiscv to RVFI
///
/// # Source
/// VexRiscv's `lastStage*`, `CsrPlugin_*` and arbitration wires; RISC-V unprivileged ISA, chapter "C".
///
/// # Ports
/// | port | dir | bits | meaning |
/// | --- | --- | ---: | --- |
/// | `firing` | in | 1 | the last stage retires an instruction |
/// | `insn` | in | 32 | the instruction; a compressed one is expanded |
/// | `pc`, `npc` | in | 32 | its address, and that of the next one except after `mret` |
/// | `mepc` | in | 32 | target of `mret` |
/// | `trap` | in | 1 | an exception or an interrupt is taken |
/// | `execute_rvc` | in | 1 | the instruction in the execute stage is compressed |
/// | `memory_stuck`, `last_stuck` | in | 1 | the memory stage, the last stage is stalled |
/// | `rvfi_*` | out | | RVFI; `trap` is never set |
///
/// # Timing
/// One instruction per cycle. RVFI comes from registers, one cycle later. No reset: nothing retires while the core is
/// in reset, and nothing is traced before.
///
/// # Quirks
/// * Compressed instructions arrive expanded, and only the execute stage has the flag that says so. The adapter carries
///   the flag along the pipeline and converts the instruction back (`Class`).
/// * `npc` after `mret` is the address that follows it; the target is `mepc`.
/// * An instruction that traps does not fire; the first one that fires after a trap is marked with `intr`.
#[allow(missing_docs)] // the ports are in the table above
#[derive(LogicBlock, Default)]
pub struct Adapter {
    pub clock: Signal<In, Clock>,
    pub firing: Signal<In, Bit>,
    pub insn: Signal<In, Bits<32>>,
    pub pc: Signal<In, Bits<32>>,
    pub npc: Signal<In, Bits<32>>,
    pub mepc: Signal<In, Bits<32>>,
    pub trap: Signal<In, Bit>,
    pub execute_rvc: Signal<In, Bit>,
    pub memory_stuck: Signal<In, Bit>,
    pub last_stuck: Signal<In, Bit>,
    pub rvfi_valid: Signal<Out, Bit>,
    pub rvfi_insn: Signal<Out, Bits<32>>,
    pub rvfi_intr: Signal<Out, Bit>,
    pub rvfi_pc_rdata: Signal<Out, Bits<32>>,
    pub rvfi_pc_wdata: Signal<Out, Bits<32>>,
    memory_rvc: DFF<Bit>,
    last_rvc: DFF<Bit>,
    trapped: DFF<Bit>,
    valid: DFF<Bit>,
    insn_1: DFF<Bits<32>>,
    intr: DFF<Bit>,
    pc_1: DFF<Bits<32>>,
    npc_1: DFF<Bits<32>>,
    class: Class,
    is_mret: Signal<Local, Bit>,
}

impl Logic for Adapter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, memory_rvc, last_rvc, trapped, valid, insn_1, intr, pc_1, npc_1);
        if !self.memory_stuck.val() {
            self.memory_rvc.d.next = self.execute_rvc.val();
        }
        if !self.last_stuck.val() {
            self.last_rvc.d.next = self.memory_rvc.q.val();
        }

        self.class.insn.next = self.insn.val();
        self.class.compressed.next = self.last_rvc.q.val();
        self.is_mret.next = self.insn.val() == 0x3020_0073_u64.to_bits::<32>();
        self.valid.d.next = self.firing.val();
        if self.firing.val() {
            self.insn_1.d.next = self.class.short.val();
            self.intr.d.next = self.trapped.q.val();
            self.pc_1.d.next = self.pc.val();
            self.npc_1.d.next = self.npc.val();
            if self.is_mret.val() {
                self.npc_1.d.next = self.mepc.val();
            }
            self.trapped.d.next = false;
        }
        if self.trap.val() {
            self.trapped.d.next = true;
        }

        self.rvfi_valid.next = self.valid.q.val();
        self.rvfi_insn.next = self.insn_1.q.val();
        self.rvfi_intr.next = self.intr.q.val();
        self.rvfi_pc_rdata.next = self.pc_1.q.val();
        self.rvfi_pc_wdata.next = self.npc_1.q.val();
    }
}

impl Core for Vexriscv {
    fn package(&self) -> Package {
        Package {
            name: "pythondata-cpu-vexriscv",
            module: "pythondata_cpu_vexriscv",
            version: "1.0.1.post407",
            licence: "MIT",
        }
    }

    fn isa(&self) -> Isa {
        Isa::Rv32imc
    }

    fn registered(&self) -> bool {
        true
    }

    fn verilog(&self) -> Result<String, CoreError> {
        self.wrapped(self.package().read("VexRiscv_IMAC.v")?, &EXPOSED, &soc_core(WRAPPER))
    }

    fn recorded(&self) -> Result<String, CoreError> {
        let source = without_store_buffer(self.package().read("VexRiscv_IMAC.v")?)?;
        let wires: Vec<&str> = EXPOSED.into_iter().chain(EXPOSED_DATA).collect();
        let own = [("retire_valid", "fires"), ("retire_pc", "pc"), ("retire_npc", "npc")];
        let body = own.iter().fold(WRAPPER.to_string(), |body, (from, to)| body.replace(from, to));
        let body = body.replacen("\n    );\n", DATA, 1);
        self.wrapped(source, &wires, &soc_core_with_data(&format!("{DATA_WIRES}{body}")))
    }

    fn waits(&self) -> bool {
        false
    }
}

impl Vexriscv {
    /// Verilog of the core with `wires` as ports, and of `soc_core`.
    fn wrapped(&self, source: String, wires: &[&str], soc_core: &str) -> Result<String, CoreError> {
        // only `proc`: further passes would optimise the wires away before they become ports
        let script = "read_verilog VexRiscv.v; hierarchy -top VexRiscv; proc";
        let exposed = exposed(&YOSYS, &[("VexRiscv.v".to_owned(), source)], script, "VexRiscv", wires)?;
        let adapter = emitted(Adapter::default(), "vexriscv_adapter").map_err(CoreError::Check)?;
        Ok(format!("{exposed}\n{adapter}\n{soc_core}"))
    }
}

/// The core without the two registers between its data cache and the bus.
fn without_store_buffer(mut source: String) -> Result<String, CoreError> {
    let ready =
        ("dataCache_1_io_mem_cmd_ready".to_owned(), "(! dataCache_1_io_mem_cmd_rValid)", "dBus_cmd_ready".into());
    let mut edits = vec![ready];
    let pipes: Vec<String> = COMMAND.iter().map(|s| format!("dataCache_1_io_mem_cmd_s2mPipe_m2sPipe_{s}")).collect();
    for (signal, pipe) in COMMAND.iter().zip(&pipes) {
        edits.push((format!("dBus_cmd_{signal}"), pipe, format!("dataCache_1_io_mem_cmd_{signal}")));
    }
    for (to, from, now) in edits {
        let line = format!("assign {to} = {from};");
        if source.matches(&line).count() != 1 {
            return Err(CoreError::Source { core: "vexriscv", line });
        }
        source = source.replace(&line, &format!("assign {to} = {now};"));
    }
    Ok(source)
}
