//! Size of a packet: whole bytes up to the last bit that the reader does not extend
//!
//! # Source
//! Efficient Trace for RISC-V 2.0, chapter 7: payloads are sign-extended.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `value`, `fill` | in | W, 1 | the last field of a packet, and the bit above, which repeats for ever |
//! | `extra` | in | 8 | bits of the last field above `value` that differ from `fill`; not the highest one |
//! | `prefix` | in | 7 | bits before it |
//! | `bytes` | out | 4 | bytes of the packet |
//! | `left` | out | 7 | bits of `value`, and of `fill` after it, in these |
//!
//! # Timing
//! In the same cycle.
//!
//! Golden model: the encoder of packets of `riscv-etrace`.

use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// The size of a packet whose last field has at most W bits.
#[derive(LogicBlock, Default)]
pub struct Size<const W: usize> {
    pub value: Signal<In, Bits<W>>,
    pub fill: Signal<In, Bit>,
    pub extra: Signal<In, Bits<8>>,
    pub prefix: Signal<In, Bits<7>>,
    pub bytes: Signal<Out, Bits<4>>,
    pub left: Signal<Out, Bits<7>>,
    // bits that must be sent: the lowest one, and the one above each that differs from the fill; at their places in the bytes
    differing: Signal<Local, Bits<W>>,
    sent: Signal<Local, Bits<80>>,
    in_bytes: Signal<Local, Bits<80>>,
    // the last byte, counted from that of the first bit
    last: Signal<Local, Bits<4>>,
    parts: Signal<Local, Bits<4>>,
    start: Signal<Local, Bits<3>>,
    rest: Signal<Local, Bits<3>>,
    ones: Fixed<Bits<W>>,
    extra_at: Fixed<Bits<7>>,
    lowest: Fixed<Bits<80>>,
    one: Fixed<Bits<4>>,
    none: Fixed<Bits<3>>,
}

impl<const W: usize> Size<W> {
    /// The circuit.
    ///
    /// # Panics
    /// When W is more than 64.
    pub fn new() -> Self {
        assert!(W <= 64, "W = {W} is outside ..=64");
        Self {
            ones: Fixed::of(u64::MAX >> (64 - W)),
            extra_at: Fixed::of(W as u64 + 1),
            lowest: Fixed::of(1u8),
            one: Fixed::of(1u8),
            none: Fixed::of(0u8),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Size<W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.differing.next = self.value.val();
        if self.fill.val() {
            self.differing.next = self.value.val() ^ self.ones.val();
        }
        self.sent.next = (bit_cast::<80, W>(self.differing.val()) << 1)
            | (bit_cast::<80, 8>(self.extra.val()) << self.extra_at.val())
            | self.lowest.val();
        self.start.next = self.prefix.val().get_bits::<3>(0);
        self.in_bytes.next = self.sent.val() << self.start.val();
        self.last.next = 0.into();
        if self.in_bytes.val().get_bits::<8>(8).any() {
            self.last.next = 1.into();
        }
        if self.in_bytes.val().get_bits::<8>(16).any() {
            self.last.next = 2.into();
        }
        if self.in_bytes.val().get_bits::<8>(24).any() {
            self.last.next = 3.into();
        }
        if self.in_bytes.val().get_bits::<8>(32).any() {
            self.last.next = 4.into();
        }
        if self.in_bytes.val().get_bits::<8>(40).any() {
            self.last.next = 5.into();
        }
        if self.in_bytes.val().get_bits::<8>(48).any() {
            self.last.next = 6.into();
        }
        if self.in_bytes.val().get_bits::<8>(56).any() {
            self.last.next = 7.into();
        }
        if self.in_bytes.val().get_bits::<8>(64).any() {
            self.last.next = 8.into();
        }
        if self.in_bytes.val().get_bits::<8>(72).any() {
            self.last.next = 9.into();
        }
        self.bytes.next = self.prefix.val().get_bits::<4>(3) + self.last.val() + self.one.val();
        self.parts.next = self.last.val();
        if !self.start.val().any() {
            self.parts.next = self.last.val() + self.one.val();
        }
        self.rest.next = self.none.val() - self.start.val();
        self.left.next = (bit_cast::<7, 4>(self.parts.val()) << 3) | bit_cast::<7, 3>(self.rest.val());
    }
}
