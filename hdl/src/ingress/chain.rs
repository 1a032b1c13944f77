//! Ingress adapter for a PC chain: only the retired instructions and their addresses
//!
//! It makes retire beats of an instruction and its address; its target is the address of the next one. Of all ports this needs
//! the least from a core: no next address, no trap, no instruction type.
//!
//! # Source
//! RISC-V unprivileged ISA, "Unconditional Jumps", "Conditional Branches", chapter "C": immediates and their signs.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `retire_valid` | in | 1 | an instruction retires |
//! | `retire_insn` | in | 32 | its bits; of a 2-byte one the low half |
//! | `retire_pc` | in | W | its address |
//!
//! and the ports of all adapters, see [`super::pins`].
//!
//! An instruction is **held until the next one** and retires, for the trace, in that cycle: it is not counted if tracing
//! is disabled before. An instruction that was held when a trace began is older than the trace, and is not reported.
//! A filter decides in the cycle in which the instruction is at the ports, and its mode and address space are held with it.
//!
//! An instruction whose address cannot follow from the one before is taken as the first after a trap. Some traps cannot be
//! detected. After a conditional branch, the outcome is derived from the 12 low significant bits of the handler's address; after an
//! indirect jump, the handler is taken as its target; after a sequential instruction, a handler at the next address is no trap. The
//! addresses of retired instructions are right in each case. With a signature or resyncs, the target of a branch before a trap is where its
//! outcome leads, not the handler: a decoder has the same.
//!
//! # Timing
//! One instruction per cycle. The beat comes one cycle after the instruction that releases it, as in
//! [`super::rvfi`].
//!
//! Golden model: [`sim::beats::chain`].

use super::address_filter::AddressFilter;
use super::beat::BeatOut;
use super::narrow::Narrow;
use super::pins::{IngressPort, Pins};
use super::rvfi::Rvfi;
use crate::spine::Extras;
use crate::widget::fixed::Fixed;
use crate::widget::slot::{part, Slot};
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// The pins of a PC chain.
#[derive(LogicInterface, Clone, Debug, Default)]
pub struct ChainPins<const W: usize> {
    pub retire_valid: Signal<In, Bit>,
    pub retire_insn: Signal<In, Bits<32>>,
    pub retire_pc: Signal<In, Bits<W>>,
}

impl<const W: usize> Pins<W> for ChainPins<W> {
    const CODE: u8 = 3;
    const MODE: bool = true;
    const SPACE: bool = true;

    fn adapter(params: &TraceParams, extras: Extras) -> Slot<IngressPort<Self, W>> {
        Slot::new(Box::new(Chain::with(params, extras)))
    }
}

/// The adapter, for addresses of W = `xlen` bits.
#[derive(LogicBlock, Default)]
pub struct Chain<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub port: IngressPort<ChainPins<W>, W>,
    // its address; with fewer distinct address bits
    retired_pc: Signal<Local, Bits<W>>,
    narrow_addresses: Fixed<Bit>,
    narrow: Narrow<W>,
    // the instruction that is held
    held: DFF<Bit>,
    held_open: DFF<Bit>,
    held_intr: DFF<Bit>,
    held_insn: DFF<Bits<32>>,
    held_pc: DFF<Bits<W>>,
    // with a filter, and where contexts are reported
    held_hide: DFF<Bit>,
    held_mode: DFF<Bits<2>>,
    held_space: DFF<Bits<16>>,
    filter: Fixed<Bit>,
    filters_addresses: Fixed<Bit>,
    address_filter: AddressFilter<W>,
    mode_selected: Signal<Local, Bits<4>>,
    hides: Signal<Local, Bit>,
    all_modes: Fixed<Bits<4>>,
    with_context: Fixed<Bit>,
    insn: Signal<Local, Bits<32>>,
    wide: Signal<Local, Bit>,
    opcode: Signal<Local, Bits<7>>,
    quadrant: Signal<Local, Bits<2>>,
    funct_c: Signal<Local, Bits<3>>,
    branch: Signal<Local, Bit>,
    direct: Signal<Local, Bit>,
    indirect: Signal<Local, Bit>,
    zcm: Fixed<Bit>,
    sign: Signal<Local, Bit>,
    signs: Signal<Local, Bits<21>>,
    near: Signal<Local, Bits<21>>,
    low: Signal<Local, Bits<21>>,
    offset: Signal<Local, Bits<W>>,
    length: Signal<Local, Bits<3>>,
    link: Signal<Local, Bits<W>>,
    branch_target: Signal<Local, Bits<W>>,
    follows: Signal<Local, Bit>,
    // where it went: with signatures and resyncs, before a trap as well
    apart: Signal<Local, Bits<W>>,
    target: Signal<Local, Bits<W>>,
    target_from_code: Fixed<Bit>,
    align: Fixed<Bits<2>>,
    // decoder of the held instruction
    rvfi: Rvfi<W>,
    // from the parameters
    compressed: Fixed<Bit>,
    rv32: Fixed<Bit>,
    // sign extension of the immediates, by their length, from bit 20 down; above bit 20
    sign_9: Fixed<Bits<21>>,
    sign_12: Fixed<Bits<21>>,
    sign_13: Fixed<Bits<21>>,
    sign_21: Fixed<Bits<21>>,
    sign_all: Fixed<Bits<W>>,
    // mret and sret differ in bit 29
    but_bit_29: Fixed<Bits<32>>,
    sret: Fixed<Bits<32>>,
}

impl<const W: usize> Chain<W> {
    /// The adapter for `params`; without the C extension (`align` 2) instructions are 4 bytes long.
    ///
    /// # Panics
    /// When [`TraceParams::check`] refuses `params`, or W is not `xlen`.
    pub fn new(params: &TraceParams) -> Self {
        let all = u64::MAX >> (64 - W);
        Self {
            rvfi: Rvfi::new(params),
            compressed: Fixed::new(params.align == 1),
            target_from_code: Fixed::new(params.signature > 0),
            with_context: Fixed::new(params.context.is_some()),
            all_modes: Fixed::of(15_u64),
            align: Fixed::of(params.align),
            rv32: Fixed::new(params.xlen == 32),
            sign_9: Fixed::of(0x1f_ff00_u64),
            sign_12: Fixed::of(0x1f_f800_u64),
            sign_13: Fixed::of(0x1f_f000_u64),
            sign_21: Fixed::of(0x10_0000_u64),
            sign_all: Fixed::of(all & !0x1f_ffff),
            but_bit_29: Fixed::of(0xdfff_ffff_u64),
            sret: Fixed::of(0x1020_0073_u64),
            ..Default::default()
        }
    }

    /// As [`Chain::new`], with `extras`.
    ///
    /// # Panics
    /// With [`Extras::check`], and as [`Chain::new`].
    pub fn with(params: &TraceParams, extras: Extras) -> Self {
        assert!(!extras.check, "a chain is always checked");
        Self {
            narrow_addresses: Fixed::new(extras.addresses.is_some()),
            narrow: extras.addresses.as_ref().map(Narrow::new).unwrap_or_default(),
            zcm: Fixed::new(extras.zcm),
            target_from_code: Fixed::new(params.signature > 0 || extras.sync),
            filter: Fixed::new(extras.filter),
            filters_addresses: Fixed::new(extras.range || extras.space),
            address_filter: AddressFilter::new(&extras),
            rvfi: Rvfi::with(params, Extras { zcm: extras.zcm, filter: extras.filter, ..Extras::default() }),
            ..Self::new(params)
        }
    }
}

impl<const W: usize> Logic for Chain<W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, rvfi);
        dff_setup!(self, clock, held, held_open, held_intr, held_insn, held_pc, held_hide, held_mode, held_space);

        self.retired_pc.next = self.port.pins.retire_pc.val();
        self.narrow.wide.next = self.port.pins.retire_pc.val();
        if self.narrow_addresses.val() {
            self.retired_pc.next = self.narrow.to.val();
        }

        // the held instruction: kind of jump or branch, and its offset
        self.insn.next = self.held_insn.q.val();
        self.wide.next = (self.insn.val().get_bits::<2>(0) == 3) | !self.compressed.val();
        self.opcode.next = self.insn.val().get_bits::<7>(0);
        self.quadrant.next = self.insn.val().get_bits::<2>(0);
        self.funct_c.next = self.insn.val().get_bits::<3>(13);
        if self.wide.val() {
            self.branch.next = (self.opcode.val() == 0x63) & (self.insn.val().get_bits::<2>(13) != 1);
            self.direct.next = self.opcode.val() == 0x6f;
            self.indirect.next = ((self.opcode.val() == 0x67) & (self.insn.val().get_bits::<3>(12) == 0))
                | ((self.insn.val() & self.but_bit_29.val()) == self.sret.val());
            self.sign.next = self.insn.val().get_bit(31);
            self.length.next = 4.into();
            self.signs.next = self.sign_13.val();
            self.near.next = (bit_cast::<21, 4>(self.insn.val().get_bits::<4>(8)) << 1)
                | (bit_cast::<21, 6>(self.insn.val().get_bits::<6>(25)) << 5)
                | (bit_cast::<21, 1>(self.insn.val().get_bits::<1>(7)) << 11);
            if self.direct.val() {
                self.signs.next = self.sign_21.val();
                self.near.next = (bit_cast::<21, 10>(self.insn.val().get_bits::<10>(21)) << 1)
                    | (bit_cast::<21, 1>(self.insn.val().get_bits::<1>(20)) << 11)
                    | (bit_cast::<21, 8>(self.insn.val().get_bits::<8>(12)) << 12);
            }
        } else {
            self.branch.next = (self.quadrant.val() == 1) & (self.insn.val().get_bits::<2>(14) == 3);
            self.direct.next = (self.quadrant.val() == 1)
                & ((self.funct_c.val() == 5) | ((self.funct_c.val() == 1) & self.rv32.val()));
            self.indirect.next = (self.quadrant.val() == 2)
                & (self.funct_c.val() == 4)
                & (self.insn.val().get_bits::<5>(2) == 0)
                & (self.insn.val().get_bits::<5>(7) != 0);
            // cm.popret and cm.popretz; cm.jt and cm.jalt
            if self.zcm.val() & (self.quadrant.val() == 2) & (self.funct_c.val() == 5) {
                self.indirect.next = (self.insn.val().get_bits::<3>(10) == 0)
                    | ((self.insn.val().get_bits::<3>(10) == 7) & !self.insn.val().get_bit(8));
            }
            self.sign.next = self.insn.val().get_bit(12);
            self.length.next = 2.into();
            self.signs.next = self.sign_9.val();
            self.near.next = (bit_cast::<21, 2>(self.insn.val().get_bits::<2>(3)) << 1)
                | (bit_cast::<21, 2>(self.insn.val().get_bits::<2>(10)) << 3)
                | (bit_cast::<21, 1>(self.insn.val().get_bits::<1>(2)) << 5)
                | (bit_cast::<21, 2>(self.insn.val().get_bits::<2>(5)) << 6);
            if self.direct.val() {
                self.signs.next = self.sign_12.val();
                self.near.next = (bit_cast::<21, 3>(self.insn.val().get_bits::<3>(3)) << 1)
                    | (bit_cast::<21, 1>(self.insn.val().get_bits::<1>(11)) << 4)
                    | (bit_cast::<21, 1>(self.insn.val().get_bits::<1>(2)) << 5)
                    | (bit_cast::<21, 1>(self.insn.val().get_bits::<1>(7)) << 6)
                    | (bit_cast::<21, 1>(self.insn.val().get_bits::<1>(6)) << 7)
                    | (bit_cast::<21, 2>(self.insn.val().get_bits::<2>(9)) << 8)
                    | (bit_cast::<21, 1>(self.insn.val().get_bits::<1>(8)) << 10);
            }
        }
        self.low.next = self.near.val();
        if self.sign.val() {
            self.low.next = self.near.val() | self.signs.val();
        }
        self.offset.next = bit_cast::<W, 21>(self.low.val());
        if self.sign.val() {
            self.offset.next = bit_cast::<W, 21>(self.low.val()) | self.sign_all.val();
        }

        // whether the next instruction can follow it
        self.link.next = self.held_pc.q.val() + bit_cast::<W, 3>(self.length.val());
        self.branch_target.next = self.held_pc.q.val() + self.offset.val();
        self.follows.next = self.retired_pc.val() == self.link.val();
        if self.branch.val() {
            self.follows.next =
                (self.retired_pc.val() == self.link.val()) | (self.retired_pc.val() == self.branch_target.val());
        }
        if self.direct.val() {
            self.follows.next = self.retired_pc.val() == self.branch_target.val();
        }
        if self.indirect.val() {
            self.follows.next = true;
        }
        if self.target_from_code.val() {
            self.target.next = self.retired_pc.val();
            // the outcome as it is decoded
            self.apart.next = (self.retired_pc.val() ^ self.link.val()) >> self.align.val();
            if self.branch.val() {
                self.target.next = self.link.val();
                if self.apart.val().get_bits::<12>(0).any() {
                    self.target.next = self.branch_target.val();
                }
            }
            if self.direct.val() {
                self.target.next = self.branch_target.val();
            }
        }

        // decided with the registers and inputs of this cycle, not of the one in which the instruction is released
        self.address_filter.hide.next = self.port.hide.val();
        self.address_filter.pc.next = self.port.pins.retire_pc.val();
        self.address_filter.first.next = self.port.first.val();
        self.address_filter.last.next = self.port.last.val();
        self.address_filter.space.next = self.port.space.val();
        self.address_filter.wanted.next = self.port.wanted.val();
        self.address_filter.mask.next = self.port.mask.val();
        self.mode_selected.next = self.port.modes.val() >> self.port.mode.val();
        self.hides.next = self.port.hide.val();
        if self.filters_addresses.val() {
            self.hides.next = self.address_filter.hides.val();
        }
        if self.port.pins.retire_valid.val() & self.filter.val() {
            self.held_hide.d.next = self.hides.val() | !self.mode_selected.val().get_bit(0);
        }
        if self.port.pins.retire_valid.val() & self.with_context.val() {
            self.held_mode.d.next = self.port.mode.val();
            self.held_space.d.next = self.port.space.val();
        }

        if self.port.pins.retire_valid.val() {
            self.held.d.next = true;
            self.held_open.d.next = true;
            self.held_intr.d.next = self.held.q.val() & !self.follows.val();
            self.held_insn.d.next = self.port.pins.retire_insn.val();
            self.held_pc.d.next = self.retired_pc.val();
        }
        if self.port.reset.val() {
            self.held.d.next = false;
        }
        // an instruction held at the end of a trace does not belong to the next one
        if self.port.reset.val() | !self.port.open.val() {
            self.held_open.d.next = false;
        }
        // only the decoder of this adapter is used
        self.rvfi.port.reset.next = false;
        self.rvfi.port.live.next = self.port.live.val();
        self.rvfi.port.open.next = self.port.open.val();
        self.rvfi.port.pins.rvfi.valid.next =
            self.port.pins.retire_valid.val() & self.held_open.q.val() & !self.port.reset.val();
        self.rvfi.port.pins.rvfi.insn.next = self.held_insn.q.val();
        self.rvfi.port.pins.rvfi.trap.next = false;
        self.rvfi.port.pins.rvfi.intr.next = self.held_intr.q.val();
        self.rvfi.port.pins.rvfi.pc_rdata.next = self.held_pc.q.val();
        self.rvfi.port.pins.rvfi.pc_wdata.next = self.retired_pc.val();
        if self.target_from_code.val() {
            self.rvfi.port.pins.rvfi.pc_wdata.next = self.target.val();
        }
        self.rvfi.port.hide.next = self.held_hide.q.val();
        self.rvfi.port.mode.next = self.held_mode.q.val();
        self.rvfi.port.modes.next = self.all_modes.val();
        self.rvfi.port.space.next = self.held_space.q.val();
        self.rvfi.port.first.next = 0.into();
        self.rvfi.port.last.next = 0.into();
        self.rvfi.port.wanted.next = 0.into();
        self.rvfi.port.mask.next = 0.into();
        BeatOut::<W>::link(&mut self.port.beat, &mut self.rvfi.port.beat);
        self.port.more.next = 0.into();
        self.port.step.next = 0.into();
        self.port.lag.next = 0.into();
        self.port.beat_lost.next = false;
        self.port.almost_full.next = false;
    }
}

part!(Chain<W>, IngressPort<ChainPins<W>, W>, "ingress");
