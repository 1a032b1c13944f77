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
    // bits that differ from the fill, shifted until the highest one is lowest
    differing: Signal<Local, Bits<W>>,
    by_32: Signal<Local, Bits<W>>,
    by_16: Signal<Local, Bits<W>>,
    by_8: Signal<Local, Bits<W>>,
    top_8: Signal<Local, Bits<W>>,
    by_4: Signal<Local, Bits<W>>,
    by_2: Signal<Local, Bits<W>>,
    // bits of the field: two more than the position of the highest one, or one if there is none
    position: Signal<Local, Bits<7>>,
    needed: Signal<Local, Bits<7>>,
    total: Signal<Local, Bits<7>>,
    whole: Signal<Local, Bits<7>>,
    ones: Fixed<Bits<W>>,
    over_32: Fixed<Bits<W>>,
    shift_32: Fixed<Bits<6>>,
    width: Fixed<Bits<7>>,
    one: Fixed<Bits<7>>,
    two: Fixed<Bits<7>>,
    seven: Fixed<Bits<7>>,
    multiple: Fixed<Bits<7>>,
}

impl<const W: usize> Size<W> {
    /// The circuit.
    pub fn new() -> Self {
        let ones = u64::MAX >> (64 - W);
        Self {
            ones: Fixed::of(ones),
            over_32: Fixed::of(ones & 0xffff_ffff_0000_0000),
            shift_32: Fixed::of(if W > 32 { 32u8 } else { 0 }),
            width: Fixed::of(W as u64),
            one: Fixed::of(1u8),
            two: Fixed::of(2u8),
            seven: Fixed::of(7u8),
            multiple: Fixed::of(0x78u8),
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
        self.position.next = 0.into();
        self.by_32.next = self.differing.val();
        if (self.differing.val() & self.over_32.val()).any() {
            self.by_32.next = self.differing.val() >> self.shift_32.val();
            self.position.next = self.position.val() | 32;
        }
        self.by_16.next = self.by_32.val();
        if self.by_32.val().get_bits::<16>(16).any() {
            self.by_16.next = self.by_32.val() >> 16;
            self.position.next = self.position.val() | 16;
        }
        self.by_8.next = self.by_16.val();
        if self.by_16.val().get_bits::<8>(8).any() {
            self.by_8.next = self.by_16.val() >> 8;
            self.position.next = self.position.val() | 8;
        }
        self.top_8.next = self.by_8.val();
        if self.extra.val().any() {
            self.top_8.next = bit_cast::<W, 8>(self.extra.val());
            self.position.next = self.width.val();
        }
        self.by_4.next = self.top_8.val();
        if self.top_8.val().get_bits::<4>(4).any() {
            self.by_4.next = self.top_8.val() >> 4;
            self.position.next = self.position.val() | 4;
        }
        self.by_2.next = self.by_4.val();
        if self.by_4.val().get_bits::<2>(2).any() {
            self.by_2.next = self.by_4.val() >> 2;
            self.position.next = self.position.val() | 2;
        }
        if self.by_2.val().get_bit(1) {
            self.position.next = self.position.val() | 1;
        }
        self.needed.next = self.one.val();
        if self.differing.val().any() | self.extra.val().any() {
            self.needed.next = self.position.val() + self.two.val();
        }
        self.total.next = self.prefix.val() + self.needed.val();
        self.whole.next = bit_cast::<7, 7>(self.total.val() + self.seven.val()) & self.multiple.val();
        self.bytes.next = self.whole.val().get_bits::<4>(3);
        self.left.next = self.whole.val() - self.prefix.val();
    }
}
