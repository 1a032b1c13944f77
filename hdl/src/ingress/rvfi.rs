//! Ingress adapter for RVFI, with the instruction decoder
//!
//! It makes retire beats of a core's RISC-V formal interface.
//!
//! # Source
//! RISC-V formal interface: <https://github.com/SymbioticEDA/riscv-formal> docs/rvfi.md. Decoder: RISC-V
//! unprivileged ISA, "Unconditional Jumps", "Conditional Branches", chapter "C"; privileged ISA,
//! "Trap-Return Instructions".
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `rvfi.valid` | in | 1 | an instruction is valid |
//! | `rvfi.insn` | in | 32 | its bits; of a 2-byte one the low half |
//! | `rvfi.trap` | in | 1 | it trapped: it does not retire, and the next that does is the first after a trap |
//! | `rvfi.intr` | in | 1 | it is the first of a trap handler |
//! | `rvfi.pc_rdata` | in | W | its address |
//! | `rvfi.pc_wdata` | in | W | address of the next instruction |
//!
//! and the ports of all adapters, see [`super::pins`]; `reset` is not used.
//!
//! # Timing
//! One instruction per cycle. The beat comes one cycle later. All of it comes from registers except `link`, which is added to the
//! registered `pc` to save a register, and `taken`, which is compared with `link`.
//!
//! `taken` compares only the low 12 significant address bits: a conditional branch reaches 4 KiB, so
//! its target and its fall-through address differ there if at all.
//!
//! # Ports that come from registers
//! With [`Extras::registered`] the core's ports come from registers, and the adapter has no register of its own except for `live`. The
//! beat comes in the same cycle, `live` still one cycle later. This is equivalent, bit for bit, to the adapter with registers whose
//! ports except `live` come one cycle later.
//!
//! # Check
//! With [`Extras::check`], an instruction that is not at `rvfi_pc_wdata` of the one before, and that neither `rvfi_intr` nor
//! a trap announces, is reported as the first of a trap handler: debug entry and return, a reset of the core, a jump unknown to the
//! decoder. It is compared with `target`, which keeps its value while nothing retires. After an instruction that cannot jump
//! it is compared with the next address: some cores let `ecall` retire with the handler as its `pc_wdata`.
//!
//! # Zcmp and Zcmt
//! With [`Extras::zcm`], `cm.popret` and `cm.popretz` are returns, `cm.jt` is a jump and `cm.jalt` a call; their targets are not
//! in the code. Without it these encodings are `c.fsdsp`.
//!
//! # Inferable jumps
//! Where jumps are inferred, a register keeps which register the last retired instruction loads, if it is `lui`, `c.lui` or `auipc`. The
//! front end decides whether both belong to one run.
//!
//! Golden model: [`retire::isa::flow_with`], [`sim::inference`].

use super::address_filter::AddressFilter;
use super::context_tracker::ContextTracker;
use super::mode_filter::ModeFilter;
use super::narrow::Narrow;
use super::pins::{IngressPort, Pins};
use crate::spine::Extras;
use crate::widget::each::when;
use crate::widget::fixed::Fixed;
use crate::widget::slot::{part, Slot};
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::beats::Retired;
use sim::params::TraceParams;

/// The pins of one RVFI channel.
#[derive(LogicInterface, Clone, Debug, Default)]
pub struct RvfiChannel<const W: usize> {
    pub valid: Signal<In, Bit>,
    pub insn: Signal<In, Bits<32>>,
    pub trap: Signal<In, Bit>,
    pub intr: Signal<In, Bit>,
    pub pc_rdata: Signal<In, Bits<W>>,
    pub pc_wdata: Signal<In, Bits<W>>,
}

impl<const W: usize> RvfiChannel<W> {
    /// Drives the instruction that retires in this cycle.
    pub fn retire(&mut self, beat: Option<&Retired>) {
        self.valid.next = beat.is_some();
        if let Some(b) = beat {
            self.intr.next = b.trapped;
            self.insn.next = u64::from(b.insn).to_bits();
            self.pc_rdata.next = b.pc.to_bits();
            self.pc_wdata.next = b.next_pc.to_bits();
        }
    }
}

/// The pins of RVFI with one channel.
#[derive(LogicInterface, Clone, Debug, Default)]
pub struct RvfiPins<const W: usize> {
    pub rvfi: RvfiChannel<W>,
}

impl<const W: usize> Pins<W> for RvfiPins<W> {
    const CODE: u8 = 0;
    const MODE: bool = true;
    const SPACE: bool = true;
    const DRIVEN: bool = true;

    fn adapter(params: &TraceParams, extras: Extras) -> Slot<IngressPort<Self, W>> {
        Slot::new(Box::new(Rvfi::with(params, extras)))
    }

    fn retire(&mut self, beat: Option<&Retired>) {
        self.rvfi.retire(beat);
    }
}

/// The adapter, for addresses of W = `xlen` bits.
#[derive(LogicBlock, Default)]
pub struct Rvfi<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub port: IngressPort<RvfiPins<W>, W>,
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
    by_table: Signal<Local, Bit>,
    zcm: Fixed<Bit>,
    xret_word: Signal<Local, Bits<32>>,
    jal_links: Signal<Local, Bit>,
    pops: Signal<Local, Bit>,
    retires: Signal<Local, Bit>,
    traced: Signal<Local, Bit>,
    // addresses
    pc_1: Signal<Local, Bits<W>>,
    target_1: Signal<Local, Bits<W>>,
    // the next address, for the check
    length_1: Signal<Local, Bits<2>>,
    length: Signal<Local, Bits<2>>,
    link: Signal<Local, Bits<W>>,
    // with fewer distinct address bits
    narrow_addresses: Fixed<Bit>,
    narrow: Narrow<W>,
    narrow_next: Narrow<W>,
    // with a filter; by address or address space
    filter: Fixed<Bit>,
    filters_addresses: Fixed<Bit>,
    mode_filter: ModeFilter,
    address_filter: AddressFilter<W>,
    hides: Signal<Local, Bit>,
    // where contexts are reported
    with_context: Fixed<Bit>,
    context_tracker: ContextTracker,
    // where jumps are inferred: it loads a register; the register that the last retired instruction loads
    infers: Fixed<Bit>,
    loads: Signal<Local, Bit>,
    loaded: DFF<Bit>,
    loaded_register: DFF<Bits<5>>,
    jump_register: Signal<Local, Bits<5>>,
    names_register: Signal<Local, Bit>,
    inferable_1: Signal<Local, Bit>,
    inferable_2: DFF<Bit>,
    // lui and auipc differ in bit 5
    but_bit_5: Fixed<Bits<7>>,
    // the fields of the beat, or the inputs of their registers
    live_1: Signal<Local, Bit>,
    pc_beat: Signal<Local, Bits<W>>,
    target_beat: Signal<Local, Bits<W>>,
    long_beat: Signal<Local, Bit>,
    branch_1: Signal<Local, Bit>,
    lookup_1: Signal<Local, Bit>,
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
    lookup_2: DFF<Bit>,
    push_2: DFF<Bit>,
    pop_2: DFF<Bit>,
    jump_2: DFF<Bit>,
    pc_2: DFF<Bits<W>>,
    long_2: DFF<Bit>,
    target_2: DFF<Bits<W>>,
    // a traced instruction has retired; a discontinuity
    known: DFF<Bit>,
    discontinuity: Signal<Local, Bit>,
    discontinuity_2: DFF<Bit>,
    // from the parameters
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
            narrow_addresses: Fixed::new(extras.addresses.is_some()),
            narrow: extras.addresses.as_ref().map(Narrow::new).unwrap_or_default(),
            narrow_next: extras.addresses.as_ref().map(Narrow::new).unwrap_or_default(),
            filter: Fixed::new(extras.filter),
            filters_addresses: Fixed::new(extras.range || extras.space),
            address_filter: AddressFilter::new(&extras),
            with_context: Fixed::new(params.context.is_some()),
            context_tracker: when(params.context.is_some(), || ContextTracker::new(params.context_bits())),
            infers: Fixed::new(params.flow.infers()),
            but_bit_5: Fixed::of(0x5f_u64),
            registered: Fixed::new(extras.registered),
            check: Fixed::new(extras.check),
            zcm: Fixed::new(extras.zcm),
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
        dff_setup!(self, clock, trap_before, live_2, valid_2, intr_2, branch_2, lookup_2, push_2);
        dff_setup!(self, clock, pop_2, jump_2, pc_2, long_2, target_2, known, discontinuity_2);
        dff_setup!(self, clock, loaded, loaded_register, inferable_2);
        clock!(self, clock, mode_filter, context_tracker);

        // decoder: which jump or branch
        self.opcode.next = self.port.pins.rvfi.insn.val().get_bits::<7>(0);
        self.quadrant.next = self.port.pins.rvfi.insn.val().get_bits::<2>(0);
        self.funct_c.next = self.port.pins.rvfi.insn.val().get_bits::<3>(13);
        self.wide.next = (self.quadrant.val() == 3) | !self.compressed.val();
        self.rd.next = self.port.pins.rvfi.insn.val().get_bits::<5>(7);
        self.rs1.next = self.port.pins.rvfi.insn.val().get_bits::<5>(15);
        self.rd_is_link.next = (self.rd.val() & self.but_bit_2.val()) == self.x1.val();
        self.rs1_is_link.next = (self.rs1.val() & self.but_bit_2.val()) == self.x1.val();
        self.xret_word.next = self.port.pins.rvfi.insn.val() & self.but_bit_29.val();
        self.is_xret.next = self.xret_word.val() == self.sret.val();
        if self.wide.val() {
            self.is_branch.next = (self.opcode.val() == 0x63) & (self.port.pins.rvfi.insn.val().get_bits::<2>(13) != 1);
            self.is_jal.next = self.opcode.val() == 0x6f;
            self.is_jalr.next = (self.opcode.val() == 0x67) & (self.port.pins.rvfi.insn.val().get_bits::<3>(12) == 0);
            self.jal_links.next = self.rd_is_link.val();
            self.links.next = self.rd_is_link.val();
            self.returns.next = self.rs1_is_link.val();
            self.same.next = self.port.pins.rvfi.insn.val().get_bit(9) == self.port.pins.rvfi.insn.val().get_bit(17);
        } else {
            // c.beqz c.bnez; c.j c.jal; c.jr c.jalr, of which the latter links x1
            self.is_branch.next = (self.quadrant.val() == 1) & (self.port.pins.rvfi.insn.val().get_bits::<2>(14) == 3);
            self.is_jal.next = (self.quadrant.val() == 1)
                & ((self.funct_c.val() == 5) | ((self.funct_c.val() == 1) & self.rv32.val()));
            self.is_jalr.next = (self.quadrant.val() == 2)
                & (self.funct_c.val() == 4)
                & (self.port.pins.rvfi.insn.val().get_bits::<5>(2) == 0)
                & (self.rd.val() != 0);
            self.jal_links.next = self.funct_c.val() == 1;
            self.links.next = self.port.pins.rvfi.insn.val().get_bit(12);
            self.returns.next = self.rd_is_link.val();
            self.same.next = !self.port.pins.rvfi.insn.val().get_bit(9);
        }
        // cm.popret and cm.popretz; cm.jt and cm.jalt, of which the latter links x1
        self.by_table.next = self.port.pins.rvfi.insn.val().get_bits::<3>(10) == 0;
        if self.zcm.val() & !self.wide.val() & (self.quadrant.val() == 2) & (self.funct_c.val() == 5) {
            self.returns.next =
                (self.port.pins.rvfi.insn.val().get_bits::<3>(10) == 7) & !self.port.pins.rvfi.insn.val().get_bit(8);
            self.is_jalr.next = self.returns.val() | self.by_table.val();
            self.links.next = self.by_table.val() & (self.port.pins.rvfi.insn.val().get_bits::<3>(7) != 0);
        }
        // two equal link registers are a call, two different ones a pop and a push
        self.pops.next = self.is_jalr.val() & self.returns.val() & !(self.links.val() & self.same.val());

        self.retires.next = self.port.pins.rvfi.valid.val() & !self.port.pins.rvfi.trap.val();
        self.live_1.next = self.port.live.val();
        if self.registered.val() {
            self.live_1.next = self.live_2.q.val();
        }
        self.traced.next = self.retires.val() & self.live_1.val();
        if self.port.pins.rvfi.valid.val() {
            self.trap_before.d.next = self.port.pins.rvfi.trap.val();
        }
        self.branch_1.next = self.is_branch.val();
        self.lookup_1.next = (self.is_jalr.val() & !self.pops.val()) | self.is_xret.val();
        self.push_1.next = (self.is_jalr.val() & self.links.val()) | (self.is_jal.val() & self.jal_links.val());
        self.pop_1.next = self.pops.val();
        self.jump_1.next = self.is_jal.val();
        if !self.traced.val() {
            self.branch_1.next = false;
            self.lookup_1.next = false;
            self.push_1.next = false;
            self.pop_1.next = false;
            self.jump_1.next = false;
        }
        // the last retired instruction loads the register of this jump
        self.loads.next = false;
        self.jump_register.next = 0.into();
        self.names_register.next = false;
        self.inferable_1.next = false;
        if self.infers.val() {
            if self.wide.val() {
                self.loads.next = ((self.opcode.val() & self.but_bit_5.val()) == 0x17) & self.rd.val().any();
                self.jump_register.next = self.rs1.val();
                self.names_register.next = true;
            } else {
                self.loads.next = (self.quadrant.val() == 1)
                    & (self.funct_c.val() == 3)
                    & self.rd.val().any()
                    & (self.rd.val() != 2)
                    & (self.port.pins.rvfi.insn.val().get_bit(12)
                        | self.port.pins.rvfi.insn.val().get_bits::<5>(2).any());
                self.jump_register.next = self.rd.val();
                // not by a table
                self.names_register.next = self.funct_c.val() == 4;
            }
            self.inferable_1.next = self.is_jalr.val()
                & !self.pops.val()
                & self.names_register.val()
                & self.loaded.q.val()
                & (self.loaded_register.q.val() == self.jump_register.val());
            if self.retires.val() {
                self.loaded.d.next = self.loads.val();
                self.loaded_register.d.next = self.rd.val();
            }
        }
        self.inferable_2.d.next = self.inferable_1.val();
        self.live_2.d.next = self.port.live.val();
        self.valid_2.d.next = self.retires.val();
        self.branch_2.d.next = self.branch_1.val();
        self.lookup_2.d.next = self.lookup_1.val();
        self.push_2.d.next = self.push_1.val();
        self.pop_2.d.next = self.pop_1.val();
        self.jump_2.d.next = self.jump_1.val();

        self.pc_1.next = self.port.pins.rvfi.pc_rdata.val() >> self.align.val();
        self.target_1.next = self.port.pins.rvfi.pc_wdata.val() >> self.align.val();
        self.narrow.wide.next = self.port.pins.rvfi.pc_rdata.val();
        self.narrow_next.wide.next = self.port.pins.rvfi.pc_wdata.val();
        if self.narrow_addresses.val() {
            self.pc_1.next = self.narrow.to.val() >> self.align.val();
            self.target_1.next = self.narrow_next.to.val() >> self.align.val();
        }
        self.length_1.next = 1.into();
        if self.wide.val() & self.compressed.val() {
            self.length_1.next = 2.into();
        }
        if self.check.val() & !(self.is_branch.val() | self.is_jal.val() | self.is_jalr.val() | self.is_xret.val()) {
            self.target_1.next = self.pc_1.val() + bit_cast::<W, 2>(self.length_1.val());
        }
        self.long_2.d.next = self.wide.val() & self.compressed.val();
        self.pc_2.d.next = self.pc_1.val();
        self.target_2.d.next = self.target_1.val();
        self.discontinuity.next = false;
        if self.check.val() {
            if !self.retires.val() {
                self.target_2.d.next = self.target_2.q.val();
            }
            // the first traced instruction has a sync, and is not checked
            self.known.d.next = self.live_1.val() & (self.known.q.val() | self.retires.val());
            self.discontinuity.next = self.retires.val()
                & self.known.q.val()
                & !self.port.pins.rvfi.intr.val()
                & !self.trap_before.q.val()
                & (self.pc_1.val() != self.target_2.q.val());
        }
        self.discontinuity_2.d.next = self.discontinuity.val();
        self.intr_1.next = self.port.pins.rvfi.intr.val() | self.trap_before.q.val() | self.discontinuity.val();
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

        self.address_filter.hide.next = self.port.hide.val();
        self.address_filter.pc.next = self.port.pins.rvfi.pc_rdata.val();
        self.address_filter.first.next = self.port.first.val();
        self.address_filter.last.next = self.port.last.val();
        self.address_filter.space.next = self.port.space.val();
        self.address_filter.wanted.next = self.port.wanted.val();
        self.address_filter.mask.next = self.port.mask.val();
        self.hides.next = self.port.hide.val();
        if self.filters_addresses.val() {
            self.hides.next = self.address_filter.hides.val();
        }
        self.mode_filter.retires.next = self.retires.val();
        self.mode_filter.hide.next = self.hides.val();
        self.mode_filter.mode.next = self.port.mode.val();
        self.mode_filter.modes.next = self.port.modes.val();
        self.port.beat.hide.next = self.filter.val() & self.mode_filter.hidden.val();

        self.context_tracker.retires.next = self.retires.val();
        self.context_tracker.mode.next = self.port.mode.val();
        self.context_tracker.space.next = self.port.space.val();
        self.port.beat.new_context.next = false;
        self.port.beat.context_value.next = 0.into();
        if self.with_context.val() {
            self.port.beat.new_context.next = self.context_tracker.new_context.val();
            self.port.beat.context_value.next = self.context_tracker.context_value.val();
        }

        self.port.beat.live.next = self.live_2.q.val();
        self.port.beat.valid.next = self.valid_2.q.val();
        self.port.beat.intr.next = self.intr_2.q.val();
        self.port.beat.discontinuity.next = self.discontinuity_2.q.val();
        self.port.beat.branch.next = self.branch_2.q.val();
        self.port.beat.lookup.next = self.lookup_2.q.val();
        self.port.beat.push.next = self.push_2.q.val();
        self.port.beat.pop.next = self.pop_2.q.val();
        self.port.beat.jump.next = self.jump_2.q.val();
        self.port.beat.inferable.next = self.inferable_2.q.val();
        if self.registered.val() {
            self.port.beat.valid.next = self.retires.val();
            self.port.beat.intr.next = self.intr_1.val();
            self.port.beat.discontinuity.next = self.discontinuity.val();
            self.port.beat.branch.next = self.branch_1.val();
            self.port.beat.lookup.next = self.lookup_1.val();
            self.port.beat.push.next = self.push_1.val();
            self.port.beat.pop.next = self.pop_1.val();
            self.port.beat.jump.next = self.jump_1.val();
            self.port.beat.inferable.next = self.inferable_1.val();
        }
        self.port.beat.taken.next = self.link.val().get_bits::<12>(0) != self.target_beat.val().get_bits::<12>(0);
        self.port.beat.pc.next = self.pc_beat.val();
        self.port.beat.link.next = self.link.val();
        self.port.beat.target.next = self.target_beat.val();
        self.port.more.next = 0.into();
        self.port.step.next = 0.into();
        self.port.lag.next = 0.into();
        self.port.beat_lost.next = false;
        self.port.almost_full.next = false;
    }
}

part!(Rvfi<W>, IngressPort<RvfiPins<W>, W>, "ingress");
