//! Ingress adapter for RVFI, with the instruction decoder
//!
//! Makes retire beats of a core's RISC-V formal interface.
//!
//! # Source
//! RISC-V formal interface: <https://github.com/SymbioticEDA/riscv-formal> docs/rvfi.md. Decoder: RISC-V
//! unprivileged ISA, "Unconditional Jumps", "Conditional Branches", chapter "C"; privileged ISA,
//! "Trap-Return Instructions".
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `live` | in | 1 | 1: this cycle is traced |
//! | `rvfi_valid` | in | 1 | an instruction is here |
//! | `rvfi_insn` | in | 32 | its bits; of a 2-byte one the low half |
//! | `rvfi_trap` | in | 1 | it trapped: it does not retire, and the next that does is the first after a trap |
//! | `rvfi_intr` | in | 1 | it is the first of a trap handler |
//! | `rvfi_pc_rdata` | in | W | its address |
//! | `rvfi_pc_wdata` | in | W | address of the next instruction |
//! | `hide`, `mode`, `modes` | in | 1, 2, 4 | with [`Extras::filter`]: whether it must not be told, see [`super::veil`] |
//! | `mode`, `space` | in | 2, 16 | where contexts are told: its privilege mode and the number of its address space, see [`super::turn`] |
//! | `beat` | out | | a retire beat, see [`super::beat`] |
//!
//! # Timing
//! One instruction a cycle. The beat comes one cycle later, all of it from registers but `link`, which is added behind
//! that of `pc` so that it needs none of its own, and `taken`, which is compared with it.
//!
//! `taken` compares the low 12 significant address bits only: a conditional branch reaches 4 KiB, so
//! that its target and its fall-through differ there if at all.
//!
//! # Ports that come from registers
//! With [`Extras::registered`] the core's ports come from registers, and the adapter has none of its own but that of `live`: the
//! beat comes in the same cycle, `live` still a cycle later. So it is, bit for bit, the adapter with registers whose ports but
//! `live` are a cycle behind.
//!
//! # Check
//! With [`Extras::check`], an instruction that is not at `rvfi_pc_wdata` of the one before, and that neither `rvfi_intr` nor
//! a trap announces, is told as the first of a trap handler: debug entry and return, a reset of the core, a jump that the
//! decoder does not know. It is compared with `target`, which keeps its value while nothing retires.
//!
//! Golden model: [`retire::isa::flow`].

use super::beat::BeatOut;
use super::narrow::Narrow;
use super::turn::Turn;
use super::veil::Veil;
use crate::spine::Extras;
use crate::widget::fixed::Fixed;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// The adapter, for addresses of W = `xlen` bits.
#[derive(LogicBlock, Default)]
pub struct Rvfi<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub live: Signal<In, Bit>,
    pub rvfi_valid: Signal<In, Bit>,
    pub rvfi_insn: Signal<In, Bits<32>>,
    pub rvfi_trap: Signal<In, Bit>,
    pub rvfi_intr: Signal<In, Bit>,
    pub rvfi_pc_rdata: Signal<In, Bits<W>>,
    pub rvfi_pc_wdata: Signal<In, Bits<W>>,
    pub hide: Signal<In, Bit>,
    pub mode: Signal<In, Bits<2>>,
    pub modes: Signal<In, Bits<4>>,
    pub space: Signal<In, Bits<16>>,
    pub beat: BeatOut<W>,
    // decoder
    opcode: Signal<Local, Bits<7>>,
    wide: Signal<Local, Bit>,
    rd: Signal<Local, Bits<5>>,
    rs1: Signal<Local, Bits<5>>,
    rd_is_link: Signal<Local, Bit>,
    rs1_is_link: Signal<Local, Bit>,
    quadrant: Signal<Local, Bits<2>>,
    funct_c: Signal<Local, Bits<3>>,
    links: Signal<Local, Bit>,
    returns: Signal<Local, Bit>,
    same: Signal<Local, Bit>,
    is_branch: Signal<Local, Bit>,
    is_jal: Signal<Local, Bit>,
    is_jalr: Signal<Local, Bit>,
    is_xret: Signal<Local, Bit>,
    xret_word: Signal<Local, Bits<32>>,
    jal_links: Signal<Local, Bit>,
    pops: Signal<Local, Bit>,
    retires: Signal<Local, Bit>,
    traced: Signal<Local, Bit>,
    // addresses
    pc_1: Signal<Local, Bits<W>>,
    target_1: Signal<Local, Bits<W>>,
    length: Signal<Local, Bits<2>>,
    link: Signal<Local, Bits<W>>,
    // where fewer bits differ
    narrow: Vec<Narrow<W>>,
    narrow_next: Vec<Narrow<W>>,
    _narrows: usize,
    // with a filter
    veil: Vec<Veil>,
    _veils: usize,
    // where contexts are told
    turn: Vec<Turn>,
    _turns: usize,
    // what the beat is made of: registers, or what goes to them
    live_1: Signal<Local, Bit>,
    pc_beat: Signal<Local, Bits<W>>,
    target_beat: Signal<Local, Bits<W>>,
    long_beat: Signal<Local, Bit>,
    branch_1: Signal<Local, Bit>,
    look_1: Signal<Local, Bit>,
    push_1: Signal<Local, Bit>,
    pop_1: Signal<Local, Bit>,
    jump_1: Signal<Local, Bit>,
    intr_1: Signal<Local, Bit>,
    // registers
    trap_before: DFF<Bit>,
    live_2: DFF<Bit>,
    valid_2: DFF<Bit>,
    intr_2: DFF<Bit>,
    branch_2: DFF<Bit>,
    look_2: DFF<Bit>,
    push_2: DFF<Bit>,
    pop_2: DFF<Bit>,
    jump_2: DFF<Bit>,
    pc_2: DFF<Bits<W>>,
    long_2: DFF<Bit>,
    target_2: DFF<Bits<W>>,
    // a traced instruction has retired; one does not follow
    known: DFF<Bit>,
    broken: Signal<Local, Bit>,
    broken_2: DFF<Bit>,
    // of the parameters
    registered: Fixed<Bit>,
    check: Fixed<Bit>,
    align: Fixed<Bits<2>>,
    compressed: Fixed<Bit>,
    rv32: Fixed<Bit>,
    // x1 and x5 differ in bit 2
    but_bit_2: Fixed<Bits<5>>,
    x1: Fixed<Bits<5>>,
    // mret and sret differ in bit 29
    but_bit_29: Fixed<Bits<32>>,
    sret: Fixed<Bits<32>>,
}

impl<const W: usize> Rvfi<W> {
    /// The adapter for `params`; without the C extension (`align` 2) instructions are 4 bytes long.
    ///
    /// # Panics
    /// When [`TraceParams::check`] refuses `params`, or W is not `xlen`.
    pub fn new(params: &TraceParams) -> Self {
        Self::with(params, Extras::default())
    }

    /// As [`Rvfi::new`], with `extras`.
    ///
    /// # Panics
    /// As [`Rvfi::new`].
    pub fn with(params: &TraceParams, extras: Extras) -> Self {
        params.check().unwrap_or_else(|e| panic!("{e}"));
        assert!(usize::from(params.xlen) == W, "xlen = {} is not W = {W}", params.xlen);
        Self {
            narrow: extras.addresses.iter().map(Narrow::new).collect(),
            narrow_next: extras.addresses.iter().map(Narrow::new).collect(),
            _narrows: usize::from(extras.addresses.is_some()),
            veil: (0..usize::from(extras.filter)).map(|_| Veil::default()).collect(),
            _veils: usize::from(extras.filter),
            turn: params.context.iter().map(|_| Turn::new(params.context_bits())).collect(),
            _turns: usize::from(params.context.is_some()),
            registered: Fixed::new(extras.registered),
            check: Fixed::new(extras.check),
            align: Fixed::of(params.align),
            compressed: Fixed::new(params.align == 1),
            rv32: Fixed::new(params.xlen == 32),
            but_bit_2: Fixed::of(0x1b_u64),
            x1: Fixed::of(1_u64),
            but_bit_29: Fixed::of(0xdfff_ffff_u64),
            sret: Fixed::of(0x1020_0073_u64),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Rvfi<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, trap_before, live_2, valid_2, intr_2, branch_2, look_2, push_2);
        dff_setup!(self, clock, pop_2, jump_2, pc_2, long_2, target_2, known, broken_2);

        // which jump or branch, if any
        self.opcode.next = self.rvfi_insn.val().get_bits::<7>(0);
        self.quadrant.next = self.rvfi_insn.val().get_bits::<2>(0);
        self.funct_c.next = self.rvfi_insn.val().get_bits::<3>(13);
        self.wide.next = (self.quadrant.val() == 3) | !self.compressed.val();
        self.rd.next = self.rvfi_insn.val().get_bits::<5>(7);
        self.rs1.next = self.rvfi_insn.val().get_bits::<5>(15);
        self.rd_is_link.next = (self.rd.val() & self.but_bit_2.val()) == self.x1.val();
        self.rs1_is_link.next = (self.rs1.val() & self.but_bit_2.val()) == self.x1.val();
        self.xret_word.next = self.rvfi_insn.val() & self.but_bit_29.val();
        self.is_xret.next = self.xret_word.val() == self.sret.val();
        if self.wide.val() {
            self.is_branch.next = (self.opcode.val() == 0x63) & (self.rvfi_insn.val().get_bits::<2>(13) != 1);
            self.is_jal.next = self.opcode.val() == 0x6f;
            self.is_jalr.next = (self.opcode.val() == 0x67) & (self.rvfi_insn.val().get_bits::<3>(12) == 0);
            self.jal_links.next = self.rd_is_link.val();
            self.links.next = self.rd_is_link.val();
            self.returns.next = self.rs1_is_link.val();
            self.same.next = self.rvfi_insn.val().get_bit(9) == self.rvfi_insn.val().get_bit(17);
        } else {
            // c.beqz c.bnez; c.j c.jal; c.jr c.jalr, of which the latter links x1
            self.is_branch.next = (self.quadrant.val() == 1) & (self.rvfi_insn.val().get_bits::<2>(14) == 3);
            self.is_jal.next = (self.quadrant.val() == 1)
                & ((self.funct_c.val() == 5) | ((self.funct_c.val() == 1) & self.rv32.val()));
            self.is_jalr.next = (self.quadrant.val() == 2)
                & (self.funct_c.val() == 4)
                & (self.rvfi_insn.val().get_bits::<5>(2) == 0)
                & (self.rd.val() != 0);
            self.jal_links.next = self.funct_c.val() == 1;
            self.links.next = self.rvfi_insn.val().get_bit(12);
            self.returns.next = self.rd_is_link.val();
            self.same.next = !self.rvfi_insn.val().get_bit(9);
        }
        // two equal link registers are a call, two different ones a pop and a push
        self.pops.next = self.is_jalr.val() & self.returns.val() & !(self.links.val() & self.same.val());

        self.retires.next = self.rvfi_valid.val() & !self.rvfi_trap.val();
        self.live_1.next = self.live.val();
        if self.registered.val() {
            self.live_1.next = self.live_2.q.val();
        }
        self.traced.next = self.retires.val() & self.live_1.val();
        if self.rvfi_valid.val() {
            self.trap_before.d.next = self.rvfi_trap.val();
        }
        self.branch_1.next = self.is_branch.val();
        self.look_1.next = (self.is_jalr.val() & !self.pops.val()) | self.is_xret.val();
        self.push_1.next = (self.is_jalr.val() & self.links.val()) | (self.is_jal.val() & self.jal_links.val());
        self.pop_1.next = self.pops.val();
        self.jump_1.next = self.is_jal.val();
        if !self.traced.val() {
            self.branch_1.next = false;
            self.look_1.next = false;
            self.push_1.next = false;
            self.pop_1.next = false;
            self.jump_1.next = false;
        }
        self.live_2.d.next = self.live.val();
        self.valid_2.d.next = self.retires.val();
        self.branch_2.d.next = self.branch_1.val();
        self.look_2.d.next = self.look_1.val();
        self.push_2.d.next = self.push_1.val();
        self.pop_2.d.next = self.pop_1.val();
        self.jump_2.d.next = self.jump_1.val();

        self.pc_1.next = self.rvfi_pc_rdata.val() >> self.align.val();
        self.target_1.next = self.rvfi_pc_wdata.val() >> self.align.val();
        for j in 0..self._narrows {
            self.narrow[j].wide.next = self.rvfi_pc_rdata.val();
            self.narrow_next[j].wide.next = self.rvfi_pc_wdata.val();
            self.pc_1.next = self.narrow[j].narrow.val() >> self.align.val();
            self.target_1.next = self.narrow_next[j].narrow.val() >> self.align.val();
        }
        self.long_2.d.next = self.wide.val() & self.compressed.val();
        self.pc_2.d.next = self.pc_1.val();
        self.target_2.d.next = self.target_1.val();
        self.broken.next = false;
        if self.check.val() {
            if !self.retires.val() {
                self.target_2.d.next = self.target_2.q.val();
            }
            // the first that is traced has a sync
            self.known.d.next = self.live_1.val() & (self.known.q.val() | self.retires.val());
            self.broken.next = self.retires.val()
                & self.known.q.val()
                & !self.rvfi_intr.val()
                & !self.trap_before.q.val()
                & (self.pc_1.val() != self.target_2.q.val());
        }
        self.broken_2.d.next = self.broken.val();
        self.intr_1.next = self.rvfi_intr.val() | self.trap_before.q.val() | self.broken.val();
        self.intr_2.d.next = self.intr_1.val();

        self.pc_beat.next = self.pc_2.q.val();
        self.target_beat.next = self.target_2.q.val();
        self.long_beat.next = self.long_2.q.val();
        if self.registered.val() {
            self.pc_beat.next = self.pc_1.val();
            self.target_beat.next = self.target_1.val();
            self.long_beat.next = self.wide.val() & self.compressed.val();
        }
        self.length.next = 1.into();
        if self.long_beat.val() {
            self.length.next = 2.into();
        }
        self.link.next = self.pc_beat.val() + bit_cast::<W, 2>(self.length.val());

        self.beat.hide.next = false;
        for k in 0..self._veils {
            self.veil[k].clock.next = self.clock.val();
            self.veil[k].retires.next = self.retires.val();
            self.veil[k].hide.next = self.hide.val();
            self.veil[k].mode.next = self.mode.val();
            self.veil[k].modes.next = self.modes.val();
            self.beat.hide.next = self.veil[k].hidden.val();
        }

        self.beat.turns.next = false;
        self.beat.belongs.next = 0.into();
        for m in 0..self._turns {
            self.turn[m].clock.next = self.clock.val();
            self.turn[m].retires.next = self.retires.val();
            self.turn[m].mode.next = self.mode.val();
            self.turn[m].space.next = self.space.val();
            self.beat.turns.next = self.turn[m].turns.val();
            self.beat.belongs.next = self.turn[m].belongs.val();
        }

        self.beat.live.next = self.live_2.q.val();
        self.beat.valid.next = self.valid_2.q.val();
        self.beat.intr.next = self.intr_2.q.val();
        self.beat.broken.next = self.broken_2.q.val();
        self.beat.branch.next = self.branch_2.q.val();
        self.beat.look.next = self.look_2.q.val();
        self.beat.push.next = self.push_2.q.val();
        self.beat.pop.next = self.pop_2.q.val();
        self.beat.jump.next = self.jump_2.q.val();
        if self.registered.val() {
            self.beat.valid.next = self.retires.val();
            self.beat.intr.next = self.intr_1.val();
            self.beat.broken.next = self.broken.val();
            self.beat.branch.next = self.branch_1.val();
            self.beat.look.next = self.look_1.val();
            self.beat.push.next = self.push_1.val();
            self.beat.pop.next = self.pop_1.val();
            self.beat.jump.next = self.jump_1.val();
        }
        self.beat.taken.next = self.link.val().get_bits::<12>(0) != self.target_beat.val().get_bits::<12>(0);
        self.beat.pc.next = self.pc_beat.val();
        self.beat.link.next = self.link.val();
        self.beat.target.next = self.target_beat.val();
    }
}
