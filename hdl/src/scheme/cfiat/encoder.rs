//! Encoder of the scheme `cfiat`: turns event entries into the bits of their records
//!
//! # Source
//! `docs/reference/load-values.md`, "The stream to the bit".
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `port` | | | as in every encoder, see [`crate::spine::front_port`]; entries in the layout of [`super::entry`] |
//!
//! # Timing
//! A record takes 4 cycles, and one for each chunk of up to 7 bits; a longer chunk takes two. With `(fixed)` it takes 3 cycles, and one
//! for each byte.
//!
//! Golden model: [`sim::scheme::cfiat::message`].

use super::entry::STOP;
use crate::spine::event_fifo::{FIELD_COUNT, FIELD_PC, FIELD_TARGET};
use crate::spine::front_port::EncoderPort;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::scheme::cfiat::params::Coding;
use sim::scheme::cfiat::CfiatParams;

/// The state of the encoder.
#[derive(Copy, Clone, Debug, PartialEq, Eq, LogicState)]
pub enum CfiatStep {
    /// Waits for an entry.
    Wait,
    /// Sends the core index and the size.
    Head,
    /// Loads `fahCnt`.
    Load,
    /// Sends `fahCnt`.
    Fah,
    /// Sends the size, where it is a byte.
    Size,
    /// Sends the value, or the signature.
    Value,
    /// Removes the entry.
    Done,
}

/// The encoder of the scheme `cfiat`.
#[derive(LogicBlock, Default)]
pub struct CfiatEncoder {
    pub clock: Signal<In, Clock>,
    pub port: EncoderPort<32>,
    step: DFF<CfiatStep>,
    size: DFF<Bits<2>>,
    stop: DFF<Bit>,
    // a number, bits left of its chunk; whether it is sent in chunks; if not, bytes left
    v: DFF<Bits<32>>,
    left: DFF<Bits<5>>,
    chunked: DFF<Bit>,
    bytes: DFF<Bits<3>>,
    // core index and size
    code: Signal<Local, Bits<8>>,
    code_bits: Signal<Local, Bits<4>>,
    // the slice
    sends: Signal<Local, Bit>,
    number: Signal<Local, Bit>,
    count: Signal<Local, Bits<4>>,
    raw: Signal<Local, Bits<8>>,
    over: Signal<Local, Bits<8>>,
    keep: Signal<Local, Bits<8>>,
    shift: Signal<Local, Bits<4>>,
    behind: Signal<Local, Bits<32>>,
    more: Signal<Local, Bit>,
    closes: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    octets: Signal<Local, Bits<3>>,
    connect: Signal<Local, Bits<8>>,
    taken: Signal<Local, Bit>,
    fixed: Fixed<Bit>,
    ti_bits: Fixed<Bits<4>>,
    fah_first: Fixed<Bits<5>>,
    fah_next: Fixed<Bits<5>>,
    value_first: Fixed<Bits<5>>,
    value_next: Fixed<Bits<5>>,
    stop_kind: Fixed<Bits<2>>,
    field_count: Fixed<Bits<2>>,
    field_pc: Fixed<Bits<2>>,
    field_target: Fixed<Bits<2>>,
    one_3: Fixed<Bits<3>>,
    four_3: Fixed<Bits<3>>,
    one_4: Fixed<Bits<4>>,
    three_4: Fixed<Bits<4>>,
    eight_4: Fixed<Bits<4>>,
    seven_5: Fixed<Bits<5>>,
    eight_5: Fixed<Bits<5>>,
    one_8: Fixed<Bits<8>>,
    all: Fixed<Bits<8>>,
}

impl CfiatEncoder {
    /// The encoder for `params`.
    ///
    /// # Panics
    /// When [`CfiatParams::check`] refuses `params`.
    pub fn new(params: &CfiatParams) -> Self {
        params.check().unwrap_or_else(|e| panic!("{e}"));
        let Coding::Chunks { fah, value } = (match params.sizes.coding {
            Coding::Fixed => Coding::DEFAULT,
            chunks => chunks,
        }) else {
            unreachable!("the usual chunks")
        };
        let is_fixed = params.sizes.coding == Coding::Fixed;
        Self {
            fixed: Fixed::new(is_fixed),
            ti_bits: Fixed::of(if is_fixed { 8 } else { params.ti_bits() }),
            fah_first: Fixed::of(fah.first),
            fah_next: Fixed::of(fah.next),
            value_first: Fixed::of(value.first),
            value_next: Fixed::of(value.next),
            stop_kind: Fixed::of(STOP),
            field_count: Fixed::of(FIELD_COUNT),
            field_pc: Fixed::of(FIELD_PC),
            field_target: Fixed::of(FIELD_TARGET),
            one_3: Fixed::of(1u8),
            four_3: Fixed::of(4u8),
            one_4: Fixed::of(1u8),
            three_4: Fixed::of(3u8),
            eight_4: Fixed::of(8u8),
            seven_5: Fixed::of(7u8),
            eight_5: Fixed::of(8u8),
            one_8: Fixed::of(1u8),
            all: Fixed::of(0xffu8),
            ..Default::default()
        }
    }
}

impl Logic for CfiatEncoder {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, size, stop, v, left, chunked, bytes);

        // the code of a word has one bit, that of a smaller size three
        self.code.next = 0.into();
        self.code_bits.next = self.one_4.val();
        if self.size.q.val() == 0 {
            self.code.next = 1.into();
            self.code_bits.next = self.three_4.val();
        }
        if self.size.q.val() == 1 {
            self.code.next = 3.into();
            self.code_bits.next = self.three_4.val();
        }
        if self.stop.q.val() {
            self.code.next = 7.into();
            self.code_bits.next = self.three_4.val();
        }
        self.octets.next = self.one_3.val() << self.size.q.val();
        if self.stop.q.val() {
            self.octets.next = self.four_3.val();
        }

        // the slice
        self.sends.next = true;
        self.number.next = false;
        self.count.next = self.eight_4.val();
        self.raw.next = 0.into();
        match self.step.q.val() {
            CfiatStep::Head => {
                self.raw.next = bit_cast::<8, 4>(self.port.entry.core.val());
                if !self.fixed.val() {
                    self.count.next = self.ti_bits.val() + self.code_bits.val();
                    self.raw.next = bit_cast::<8, 4>(self.port.entry.core.val())
                        | bit_cast::<8, 8>(self.code.val() << bit_cast::<8, 4>(self.ti_bits.val()));
                }
            }
            CfiatStep::Size => {
                self.raw.next = bit_cast::<8, 3>(self.octets.val());
                if self.stop.q.val() {
                    self.raw.next = 0.into();
                }
            }
            CfiatStep::Fah => {
                self.number.next = true;
            }
            CfiatStep::Value => {
                self.number.next = true;
            }
            _ => {
                self.sends.next = false;
            }
        }
        // eight bits of a number, or the rest of a chunk and its connect bit
        self.closes.next = self.chunked.q.val() & (self.left.q.val() <= self.seven_5.val());
        self.shift.next = self.eight_4.val();
        if self.closes.val() {
            self.shift.next = self.left.q.val().get_bits::<4>(0);
        }
        self.behind.next = self.v.q.val() >> bit_cast::<32, 4>(self.shift.val());
        self.more.next = self.behind.val().any();
        self.over.next = self.all.val() << bit_cast::<8, 4>(self.shift.val());
        self.keep.next = !self.over.val();
        self.connect.next = 0.into();
        if self.closes.val() & self.more.val() {
            self.connect.next = self.one_8.val() << bit_cast::<8, 4>(self.shift.val());
        }
        if self.number.val() {
            self.raw.next = (self.v.q.val().get_bits::<8>(0) & self.keep.val()) | self.connect.val();
            if self.closes.val() {
                self.count.next = self.shift.val() + self.one_4.val();
            }
        }
        self.ends.next =
            (self.closes.val() & !self.more.val()) | (!self.chunked.q.val() & (self.bytes.q.val() == self.one_3.val()));
        self.port.bits.valid.next = self.sends.val();
        self.port.bits.count.next = self.count.val();
        self.port.bits.data.next = self.raw.val();
        self.port.bits.high.next = 0.into();
        self.port.bits.busy.next = false;
        self.taken.next = self.sends.val() & self.port.bits.ready.val();

        // the word for the next cycle
        self.port.entry.field.next = self.field_target.val();
        match self.step.q.val() {
            CfiatStep::Wait => self.port.entry.field.next = self.field_count.val(),
            CfiatStep::Done => self.port.entry.field.next = self.field_count.val(),
            CfiatStep::Head => self.port.entry.field.next = self.field_pc.val(),
            _ => {}
        }
        self.port.entry.done.next = self.step.q.val() == CfiatStep::Done;
        self.port.entry.ends.next = self.stop.q.val();
        self.port.entry.again.next = false;
        self.port.entry.uses_resync_pc.next = false;

        if self.number.val() & self.taken.val() {
            self.v.d.next = self.behind.val();
            self.bytes.d.next = self.bytes.q.val() - self.one_3.val();
            self.left.d.next = self.left.q.val() - self.eight_5.val();
            if self.closes.val() {
                self.left.d.next = self.value_next.val();
                if self.step.q.val() == CfiatStep::Fah {
                    self.left.d.next = self.fah_next.val();
                }
            }
        }
        match self.step.q.val() {
            CfiatStep::Wait => {
                self.size.d.next = self.port.entry.word.val().get_bits::<2>(16);
                self.stop.d.next = self.port.entry.word.val().get_bits::<2>(18) == self.stop_kind.val();
                if self.port.entry.have.val() {
                    self.step.d.next = CfiatStep::Head;
                }
            }
            CfiatStep::Head => {
                if self.taken.val() {
                    self.step.d.next = CfiatStep::Load;
                }
            }
            CfiatStep::Load => {
                self.v.d.next = self.port.entry.word.val();
                self.left.d.next = self.fah_first.val();
                self.chunked.d.next = !self.fixed.val();
                self.bytes.d.next = self.four_3.val();
                self.step.d.next = CfiatStep::Fah;
            }
            CfiatStep::Fah => {
                if self.taken.val() & self.ends.val() {
                    self.v.d.next = self.port.entry.word.val();
                    self.left.d.next = self.value_first.val();
                    self.chunked.d.next = !self.fixed.val() & !self.stop.q.val();
                    self.bytes.d.next = self.octets.val();
                    self.step.d.next = CfiatStep::Value;
                    if self.fixed.val() {
                        self.step.d.next = CfiatStep::Size;
                    }
                }
            }
            CfiatStep::Size => {
                if self.taken.val() {
                    self.step.d.next = CfiatStep::Value;
                }
            }
            CfiatStep::Value => {
                if self.taken.val() & self.ends.val() {
                    self.step.d.next = CfiatStep::Done;
                }
            }
            CfiatStep::Done => {
                self.step.d.next = CfiatStep::Wait;
            }
        }
        if self.port.reset.val() {
            self.step.d.next = CfiatStep::Wait;
        }
    }
}
