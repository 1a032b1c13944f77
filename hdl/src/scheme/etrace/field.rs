//! Last field of a packet: an address or a difference of addresses with the bits after it, a full map or a count, or the bits after an index
//!
//! # Source
//! Efficient Trace for RISC-V 2.0, chapter 7: `address`, `notify`, `updiscon`, `irreport` and `irdepth`. Each of the flags differs
//! from the bit before it if it is set.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `is_report`, `is_full`, `is_trap` | in | 1 | the packet: an address relative to `last`, 31 branches or a count, a trap; none: a start |
//! | `is_index`, `top` | in | 1 | with `is_report`: a packet with an index in place of the address; the bit before `irreport` |
//! | `word` | in | W | the address, or the branches |
//! | `last` | in | W | last reported address |
//! | `notify`, `updiscon`, `irreport` | in | 1 | of a report |
//! | `depth` | in | 6 | with `irreport`: `irdepth`, sign-extended |
//! | `value`, `tail` | out | W, 8 | the field, lowest bit first; the top bit of `tail` repeats for ever |
//!
//! # Timing
//! In the same cycle.
//!
//! Golden model: the encoder of packets of `riscv-etrace`.

use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::baseline::etrace::Options;

/// The last field of a packet, for addresses of W - 1 bits.
#[derive(LogicBlock, Default)]
pub struct Field<const W: usize> {
    pub is_report: Signal<In, Bit>,
    pub is_full: Signal<In, Bit>,
    pub is_trap: Signal<In, Bit>,
    pub is_index: Signal<In, Bit>,
    pub top: Signal<In, Bit>,
    pub word: Signal<In, Bits<W>>,
    pub last: Signal<In, Bits<W>>,
    pub notify: Signal<In, Bit>,
    pub updiscon: Signal<In, Bit>,
    pub irreport: Signal<In, Bit>,
    pub depth: Signal<In, Bits<6>>,
    pub value: Signal<Out, Bits<W>>,
    pub tail: Signal<Out, Bits<8>>,
    minus: Signal<Local, Bits<W>>,
    difference: Signal<Local, Bits<W>>,
    low: Signal<Local, Bits<W>>,
    upper: Signal<Local, Bits<W>>,
    // the top bit of the address, and with each of the flags
    sign: Signal<Local, Bit>,
    noted: Signal<Local, Bit>,
    disconnected: Signal<Local, Bit>,
    depth_8: Signal<Local, Bits<8>>,
    returns: Fixed<Bit>,
    // addresses are not differences; there are indices
    whole: Fixed<Bit>,
    targets: Fixed<Bit>,
    index_value: Signal<Local, Bits<W>>,
    not_top: Signal<Local, Bit>,
    all_ones: Fixed<Bits<W>>,
    depth_ones: Fixed<Bits<W>>,
    address_mask: Fixed<Bits<W>>,
    sign_mask: Fixed<Bits<W>>,
    top_mask: Fixed<Bits<W>>,
    full_mask: Fixed<Bits<W>>,
    ones: Fixed<Bits<8>>,
    one: Fixed<Bits<8>>,
    two: Fixed<Bits<8>>,
}

impl<const W: usize> Field<W> {
    /// The circuit for `options`; with a return stack, there are `irreport` and `irdepth`.
    pub fn new(options: &Options) -> Self {
        let sign = 1u64 << (W - 2);
        Self {
            returns: Fixed::new(options.return_stack > 0),
            whole: Fixed::new(options.full),
            targets: Fixed::new(options.jump_targets > 0),
            all_ones: Fixed::of(u64::MAX >> (64 - W)),
            depth_ones: Fixed::of((u64::MAX >> (64 - W)) & !0x3f),
            address_mask: Fixed::of(2 * sign - 1),
            sign_mask: Fixed::of(sign),
            top_mask: Fixed::of(2 * sign),
            full_mask: Fixed::of((u64::MAX >> (64 - W)) & !0x7fff_ffff),
            ones: Fixed::of(0xffu8),
            one: Fixed::of(1u8),
            two: Fixed::of(2u8),
            ..Default::default()
        }
    }
}

// the constant condition is nested alone, so that the Verilog writer can fold it
#[allow(clippy::collapsible_if)]
impl<const W: usize> Logic for Field<W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.minus.next = 0.into();
        if self.is_report.val() {
            self.minus.next = self.last.val();
            if self.whole.val() {
                self.minus.next = 0.into();
            }
        }
        self.difference.next = self.word.val() - self.minus.val();
        self.low.next = self.difference.val() & self.address_mask.val();
        self.sign.next = (self.difference.val() & self.sign_mask.val()).any() & !self.is_trap.val();
        self.upper.next = self.top_mask.val();
        if self.is_full.val() {
            self.sign.next = self.difference.val().get_bit(30);
            self.upper.next = self.full_mask.val();
        }
        self.noted.next = self.sign.val() ^ (self.notify.val() & self.is_report.val());
        self.value.next = self.low.val();
        if self.noted.val() {
            self.value.next = self.low.val() | self.upper.val();
        }
        self.disconnected.next = self.noted.val() ^ (self.updiscon.val() & self.is_report.val());
        self.tail.next = 0.into();
        if self.disconnected.val() {
            self.tail.next = self.ones.val();
        }
        self.depth_8.next = bit_cast::<8, 6>(self.depth.val()) << 2;
        if self.returns.val() {
            if self.irreport.val() & self.is_report.val() {
                self.tail.next = self.depth_8.val() | self.two.val();
                if self.disconnected.val() {
                    self.tail.next = self.depth_8.val() | self.one.val();
                }
            }
        }
        self.not_top.next = !self.top.val();
        self.index_value.next = bit_cast::<W, 6>(self.depth.val());
        if self.depth.val().get_bit(5) {
            self.index_value.next = bit_cast::<W, 6>(self.depth.val()) | self.depth_ones.val();
        }
        if self.targets.val() {
            if self.is_index.val() {
                self.value.next = 0.into();
                self.tail.next = 0.into();
                if self.top.val() {
                    self.value.next = self.all_ones.val();
                    self.tail.next = self.ones.val();
                }
                if self.irreport.val() {
                    self.value.next = (self.index_value.val() << 1) | bit_cast::<W, 1>(self.not_top.val().into());
                    self.tail.next = 0.into();
                    if self.depth.val().get_bit(5) {
                        self.tail.next = self.ones.val();
                    }
                }
            }
        }
    }
}
