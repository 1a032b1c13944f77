//! Converts two retirement channels without the next address to RVFI of two channels
//!
//! # Source
//! RISC-V formal interface, NRET channels: `pc_wdata` and `intr`, which the RVFI of cva6 leaves out.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | reset of the core: no instruction is held |
//! | `valid0`, `insn0`, `pc0` | in | 1, 32, 64 | a retired instruction; the older one of a cycle |
//! | `valid1`, `insn1`, `pc1` | in | 1, 32, 64 | the instruction after it |
//! | `trapped` | in | 1 | a trap is taken; nothing retires in that cycle |
//! | `mepc` | in | 64 | address at which the core would have continued |
//! | `rvfi0_*`, `rvfi1_*` | out | | RVFI of both channels; `trap` is never set |
//!
//! # Timing
//! The last instruction of a cycle is held until the next one retires or a trap is taken, and is reported in that cycle
//! in channel 0. If two instructions retire then, the older one is reported in channel 1. The throughput is two per
//! cycle.

use hdl::LogicBlock;
use rust_hdl::prelude::*;

/// The instance, as module `tile_pair`, between the wires of a log of two slots and the trace system.
pub(super) const INSTANCE: &str = "    \
    tile_pair pair(
        .clock(clk), .reset(core_reset), .valid0(log_valid_0[0]), .insn0(log_insn_0[31:0]), .pc0(log_pc_0[63:0]),
        .valid1(log_valid_0[1]), .insn1(log_insn_0[63:32]), .pc1(log_pc_0[127:64]),
        .trapped(log_trap_0), .mepc(log_mepc_0),
        .rvfi0_valid(rvfi0_valid), .rvfi0_insn(rvfi0_insn), .rvfi0_intr(rvfi0_intr), .rvfi0_pc_rdata(rvfi0_pc_rdata),
        .rvfi0_pc_wdata(rvfi0_pc_wdata), .rvfi1_valid(rvfi1_valid), .rvfi1_insn(rvfi1_insn), .rvfi1_intr(rvfi1_intr),
        .rvfi1_pc_rdata(rvfi1_pc_rdata), .rvfi1_pc_wdata(rvfi1_pc_wdata));
";

/// The adapter.
#[allow(missing_docs)] // the ports are in the table above
#[derive(LogicBlock, Default)]
pub struct Pair {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub valid0: Signal<In, Bit>,
    pub insn0: Signal<In, Bits<32>>,
    pub pc0: Signal<In, Bits<64>>,
    pub valid1: Signal<In, Bit>,
    pub insn1: Signal<In, Bits<32>>,
    pub pc1: Signal<In, Bits<64>>,
    pub trapped: Signal<In, Bit>,
    pub mepc: Signal<In, Bits<64>>,
    pub rvfi0_valid: Signal<Out, Bit>,
    pub rvfi0_insn: Signal<Out, Bits<32>>,
    pub rvfi0_intr: Signal<Out, Bit>,
    pub rvfi0_pc_rdata: Signal<Out, Bits<64>>,
    pub rvfi0_pc_wdata: Signal<Out, Bits<64>>,
    pub rvfi1_valid: Signal<Out, Bit>,
    pub rvfi1_insn: Signal<Out, Bits<32>>,
    pub rvfi1_intr: Signal<Out, Bit>,
    pub rvfi1_pc_rdata: Signal<Out, Bits<64>>,
    pub rvfi1_pc_wdata: Signal<Out, Bits<64>>,
    // the held instruction
    waits: DFF<Bit>,
    insn: DFF<Bits<32>>,
    pc: DFF<Bits<64>>,
    intr: DFF<Bit>,
    // no instruction has retired since a trap
    handler: DFF<Bit>,
}

impl Logic for Pair {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, waits, insn, pc, intr, handler);
        self.rvfi0_valid.next = self.waits.q.val() & (self.valid0.val() | self.valid1.val() | self.trapped.val());
        self.rvfi0_insn.next = self.insn.q.val();
        self.rvfi0_intr.next = self.intr.q.val();
        self.rvfi0_pc_rdata.next = self.pc.q.val();
        self.rvfi0_pc_wdata.next = self.mepc.val();
        self.rvfi1_valid.next = self.valid0.val() & self.valid1.val();
        self.rvfi1_insn.next = self.insn0.val();
        self.rvfi1_intr.next = self.handler.q.val();
        self.rvfi1_pc_rdata.next = self.pc0.val();
        self.rvfi1_pc_wdata.next = self.pc1.val();
        if self.trapped.val() {
            self.waits.d.next = false;
            self.handler.d.next = true;
        }
        if self.valid1.val() {
            self.rvfi0_pc_wdata.next = self.pc1.val();
            self.waits.d.next = true;
            self.insn.d.next = self.insn1.val();
            self.pc.d.next = self.pc1.val();
            self.intr.d.next = self.handler.q.val() & !self.valid0.val();
            self.handler.d.next = false;
        }
        if self.valid0.val() {
            self.rvfi0_pc_wdata.next = self.pc0.val();
            if !self.valid1.val() {
                self.waits.d.next = true;
                self.insn.d.next = self.insn0.val();
                self.pc.d.next = self.pc0.val();
                self.intr.d.next = self.handler.q.val();
                self.handler.d.next = false;
            }
        }
        if self.reset.val() {
            self.waits.d.next = false;
            self.handler.d.next = false;
        }
    }
}
