//! Encoder of the scheme `inputs`: turns event entries into the bits of their messages
//!
//! # Source
//! `docs/reference/stream.md`, "Scheme `inputs`".
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `port` | | | as in every encoder, see [`crate::spine::front_port`]; entries in the layout of [`super::entry`] |
//!
//! # Timing
//! A length takes 6 cycles, one for each bit of k, and one for each bit of its unary part. Other fields take one cycle per eight
//! bits, and chunks two each.
//!
//! # Lengths
//! One memory of two words per core holds the means and last causes of all cores. It is read before a
//! length, and written at once. k is not computed: mean and length are shifted down together until the mean is 1.
//!
//! Golden model: [`sim::scheme::inputs::message::Coder`], [`sim::scheme::inputs::length::Rice`].

use crate::spine::event_fifo::{FIELD_COUNT, FIELD_PC, FIELD_TARGET};
use crate::spine::front_port::EncoderPort;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::scheme::inputs::InputsParams;

/// The state of the encoder.
#[derive(Copy, Clone, Debug, PartialEq, Eq, LogicState)]
pub enum InputsStep {
    /// Waits for an entry; between entries.
    Wait,
    /// Reads the mean.
    Mean,
    /// Loads mean and length, and updates the mean.
    Scale,
    /// Shifts them.
    Shift,
    /// Sends the core index.
    Core,
    /// Sends ones and a zero.
    Ones,
    /// Sends the low bits.
    Low,
    /// Sends the kind.
    Kind,
    /// Sends a chunk.
    Chunk,
    /// Sends whether another chunk follows.
    More,
    /// Sends whether the cause equals the last one.
    Same,
    /// Sends the cause.
    Cause,
    /// Reads the second word of the entry.
    Read,
    /// Loads it.
    Load,
    /// Sends it.
    Word,
    /// Removes the entry.
    Done,
}

/// The encoder of the scheme `inputs`.
#[derive(LogicBlock, Default)]
pub struct InputsEncoder {
    pub clock: Signal<In, Clock>,
    pub port: EncoderPort<32>,
    step: DFF<InputsStep>,
    // fields of the entry
    references: DFF<Bits<24>>,
    kind: DFF<Bits<2>>,
    message: DFF<Bit>,
    valueless: DFF<Bit>,
    // the message: after an episode, or alone; its length is that of a trap
    after_episode: DFF<Bit>,
    trap: DFF<Bit>,
    // the value of an input is being sent
    second: DFF<Bit>,
    // mean in the low 36 bits, the last cause above; which of them were written
    means: Mem<4, 41>,
    address: Signal<Local, Bits<4>>,
    known: DFF<Bits<16>>,
    seen: Signal<Local, Bit>,
    address_bit: Signal<Local, Bits<16>>,
    both: Signal<Local, Bits<16>>,
    others: Signal<Local, Bits<16>>,
    mean: Signal<Local, Bits<36>>,
    eighth: Signal<Local, Bits<36>>,
    share: Signal<Local, Bits<36>>,
    moved: Signal<Local, Bits<36>>,
    whole: Signal<Local, Bits<36>>,
    updates_mean: Signal<Local, Bit>,
    old_cause: DFF<Bits<5>>,
    had_cause: DFF<Bit>,
    same: Signal<Local, Bit>,
    // a number, the rest of it, its shifted copy and mean
    v: DFF<Bits<32>>,
    length: Signal<Local, Bits<32>>,
    left: DFF<Bits<6>>,
    above: DFF<Bits<32>>,
    scale: DFF<Bits<32>>,
    rest: Signal<Local, Bits<32>>,
    k: DFF<Bits<6>>,
    ones: DFF<Bits<4>>,
    long: DFF<Bit>,
    long_now: Signal<Local, Bit>,
    beyond: Signal<Local, Bits<28>>,
    chunk: DFF<Bits<4>>,
    shifted: Signal<Local, Bits<32>>,
    // the last bit of a length is being sent
    measured: Signal<Local, Bit>,
    stops: Signal<Local, Bit>,
    // the slice
    sends: Signal<Local, Bit>,
    count: Signal<Local, Bits<4>>,
    raw: Signal<Local, Bits<8>>,
    over: Signal<Local, Bits<8>>,
    keep: Signal<Local, Bits<8>>,
    taken: Signal<Local, Bit>,
    of_masters: Signal<Local, Bit>,
    many: Fixed<Bit>,
    masters: Fixed<Bit>,
    masters_core: Fixed<Bits<4>>,
    ti_bits: Fixed<Bits<4>>,
    first_mean: Fixed<Bits<36>>,
    trap_kind: Fixed<Bits<2>>,
    check_kind: Fixed<Bits<2>>,
    stop_kind: Fixed<Bits<2>>,
    field_count: Fixed<Bits<2>>,
    field_pc: Fixed<Bits<2>>,
    field_target: Fixed<Bits<2>>,
    one_4: Fixed<Bits<4>>,
    one_6: Fixed<Bits<6>>,
    one_16: Fixed<Bits<16>>,
    two_4: Fixed<Bits<4>>,
    four_4: Fixed<Bits<4>>,
    five_4: Fixed<Bits<4>>,
    eight_4: Fixed<Bits<4>>,
    twelve_4: Fixed<Bits<4>>,
    eight_6: Fixed<Bits<6>>,
    word_6: Fixed<Bits<6>>,
    all: Fixed<Bits<8>>,
}

impl InputsEncoder {
    /// The encoder for `params`.
    ///
    /// # Panics
    /// When [`InputsParams::check`] refuses `params`.
    pub fn new(params: &InputsParams) -> Self {
        params.check().unwrap_or_else(|e| panic!("{e}"));
        Self {
            // bus masters have no means
            means: Mem::new(params.cores.next_power_of_two().trailing_zeros() as usize + 1, 41),
            many: Fixed::new(params.orders()),
            masters: Fixed::new(params.sizes.masters),
            masters_core: Fixed::of(params.cores),
            ti_bits: Fixed::of(params.ti_bits()),
            first_mean: Fixed::of(256u64 << 4),
            trap_kind: Fixed::of(super::entry::TRAP),
            check_kind: Fixed::of(super::entry::CHECK),
            stop_kind: Fixed::of(super::entry::STOP),
            field_count: Fixed::of(FIELD_COUNT),
            field_pc: Fixed::of(FIELD_PC),
            field_target: Fixed::of(FIELD_TARGET),
            one_4: Fixed::of(1u8),
            one_6: Fixed::of(1u8),
            one_16: Fixed::of(1u8),
            two_4: Fixed::of(2u8),
            four_4: Fixed::of(4u8),
            five_4: Fixed::of(5u8),
            eight_4: Fixed::of(8u8),
            twelve_4: Fixed::of(12u8),
            eight_6: Fixed::of(8u8),
            word_6: Fixed::of(32u8),
            all: Fixed::of(0xffu8),
            ..Default::default()
        }
    }
}

impl Logic for InputsEncoder {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, references, kind, message, valueless, after_episode, trap, second, known);
        dff_setup!(self, clock, old_cause, had_cause, v, left, above, scale, k, ones, long, chunk);
        self.means.clock.next = self.clock.val();

        self.stops.next = self.kind.q.val() == self.stop_kind.val();
        self.of_masters.next = self.masters.val() & (self.port.entry.core.val() == self.masters_core.val());

        // this core's mean of references, or of instructions before traps
        self.address.next =
            (bit_cast::<4, 4>(self.port.entry.core.val() << 1)) | bit_cast::<4, 1>(self.trap.q.val().into());
        self.address_bit.next = self.one_16.val() << bit_cast::<16, 4>(self.address.val());
        self.seen.next = (self.known.q.val() & self.address_bit.val()).any();
        self.means.raddr.next = self.address.val();
        self.means.waddr.next = self.address.val();
        self.mean.next = self.first_mean.val();
        if self.seen.val() {
            self.mean.next = self.means.rdata.val().get_bits::<36>(0);
        }
        self.length.next = 0.into();
        if !self.after_episode.q.val() {
            self.length.next = bit_cast::<32, 24>(self.references.q.val());
        }
        if self.trap.q.val() {
            self.length.next = self.v.q.val();
        }
        self.eighth.next = self.mean.val() >> 3;
        self.share.next = bit_cast::<36, 32>(self.length.val()) << 1;
        self.moved.next = self.mean.val() - self.eighth.val() + self.share.val();
        self.whole.next = self.mean.val() >> 4;
        self.updates_mean.next =
            (self.step.q.val() == InputsStep::Scale) & (self.trap.q.val() | !self.after_episode.q.val());
        self.means.we.next = self.updates_mean.val();
        self.means.wdata.next = bit_cast::<41, 36>(self.moved.val())
            | (bit_cast::<41, 5>(self.port.entry.word.val().get_bits::<5>(0)) << 36);
        self.both.next = self.address_bit.val() | bit_cast::<16, 16>(self.address_bit.val() << 1);
        self.others.next = !self.both.val();
        if self.updates_mean.val() {
            self.known.d.next = self.known.q.val() | self.address_bit.val();
        }
        self.same.next =
            self.had_cause.q.val() & (self.old_cause.q.val() == self.port.entry.word.val().get_bits::<5>(0));

        // the slice
        self.sends.next = true;
        self.count.next = self.one_4.val();
        self.raw.next = 0.into();
        match self.step.q.val() {
            InputsStep::Core => {
                self.count.next = self.ti_bits.val();
                self.raw.next = bit_cast::<8, 4>(self.port.entry.core.val());
            }
            InputsStep::Ones => {
                if self.ones.q.val().any() {
                    self.raw.next = 1.into();
                }
            }
            InputsStep::Low => {
                self.raw.next = self.v.q.val().get_bits::<8>(0);
                self.count.next = self.eight_4.val();
                if self.left.q.val() < self.eight_6.val() {
                    self.count.next = self.left.q.val().get_bits::<4>(0);
                }
            }
            InputsStep::Word => {
                self.raw.next = self.v.q.val().get_bits::<8>(0);
                self.count.next = self.eight_4.val();
            }
            InputsStep::Kind => {
                self.raw.next = bit_cast::<8, 2>(self.kind.q.val());
                self.count.next = self.two_4.val();
            }
            InputsStep::Chunk => {
                self.raw.next = self.v.q.val().get_bits::<8>(0);
                self.count.next = self.chunk.q.val();
            }
            InputsStep::More => {
                self.raw.next = bit_cast::<8, 1>(self.v.q.val().any().into());
            }
            InputsStep::Same => {
                self.raw.next = bit_cast::<8, 1>(self.same.val().into());
            }
            InputsStep::Cause => {
                self.raw.next = self.port.entry.word.val().get_bits::<8>(0);
                self.count.next = self.five_4.val();
            }
            _ => {
                self.sends.next = false;
            }
        }
        self.over.next = self.all.val() << bit_cast::<8, 4>(self.count.val());
        self.keep.next = !self.over.val();
        self.port.bits.valid.next = self.sends.val();
        self.port.bits.count.next = self.count.val();
        self.port.bits.data.next = self.raw.val() & self.keep.val();
        self.port.bits.high.next = 0.into();
        self.port.bits.busy.next = false;
        self.taken.next = self.sends.val() & self.port.bits.ready.val();

        // the word for the next cycle
        self.port.entry.field.next = self.field_target.val();
        match self.step.q.val() {
            InputsStep::Wait => self.port.entry.field.next = self.field_count.val(),
            InputsStep::Done => self.port.entry.field.next = self.field_count.val(),
            InputsStep::Chunk => self.port.entry.field.next = self.field_target.val(),
            InputsStep::More => self.port.entry.field.next = self.field_target.val(),
            InputsStep::Same => self.port.entry.field.next = self.field_target.val(),
            InputsStep::Cause => self.port.entry.field.next = self.field_target.val(),
            InputsStep::Read => self.port.entry.field.next = self.field_target.val(),
            InputsStep::Load => self.port.entry.field.next = self.field_target.val(),
            InputsStep::Word => self.port.entry.field.next = self.field_target.val(),
            _ => {
                if !self.trap.q.val() {
                    self.port.entry.field.next = self.field_pc.val();
                }
            }
        }
        self.port.entry.done.next = self.step.q.val() == InputsStep::Done;
        self.port.entry.ends.next = self.message.q.val() & self.stops.val();
        self.port.entry.again.next = false;
        self.port.entry.uses_resync_pc.next = false;

        self.rest.next = self.scale.q.val() >> 1;
        self.beyond.next = self.above.q.val().get_bits::<28>(4);
        self.long_now.next = self.beyond.val().any() | (self.above.q.val().get_bits::<4>(0) >= self.twelve_4.val());
        self.shifted.next = self.v.q.val() >> bit_cast::<32, 4>(self.chunk.q.val());
        self.measured.next = false;
        match self.step.q.val() {
            InputsStep::Wait => {
                self.references.d.next = self.port.entry.word.val().get_bits::<24>(0);
                self.kind.d.next = self.port.entry.word.val().get_bits::<2>(24);
                self.message.d.next = self.port.entry.word.val().get_bit(26);
                self.valueless.d.next = self.port.entry.word.val().get_bit(27);
                self.after_episode.d.next = !self.port.entry.word.val().get_bits::<24>(0).any();
                self.trap.d.next = false;
                self.second.d.next = false;
                if self.port.entry.have.val() {
                    self.step.d.next = InputsStep::Mean;
                }
            }
            InputsStep::Mean => {
                self.step.d.next = InputsStep::Scale;
            }
            InputsStep::Scale => {
                self.v.d.next = self.length.val();
                self.above.d.next = self.length.val();
                self.scale.d.next = self.whole.val().get_bits::<32>(0);
                self.k.d.next = 0.into();
                self.old_cause.d.next = self.means.rdata.val().get_bits::<5>(36);
                self.had_cause.d.next = self.seen.val();
                self.step.d.next = InputsStep::Shift;
                if !self.many.val() & !self.trap.q.val() {
                    self.step.d.next = InputsStep::Kind;
                }
                if self.of_masters.val() {
                    self.step.d.next = InputsStep::Core;
                }
            }
            InputsStep::Shift => {
                if self.rest.val().any() {
                    self.scale.d.next = self.rest.val();
                    self.above.d.next = self.above.q.val() >> 1;
                    self.k.d.next = self.k.q.val() + self.one_6.val();
                } else {
                    self.long.d.next = self.long_now.val();
                    self.ones.d.next = self.above.q.val().get_bits::<4>(0);
                    self.left.d.next = self.k.q.val();
                    if self.long_now.val() {
                        self.ones.d.next = self.twelve_4.val();
                        self.left.d.next = self.word_6.val();
                    }
                    self.step.d.next = InputsStep::Core;
                    if self.trap.q.val() {
                        self.step.d.next = InputsStep::Ones;
                    }
                }
            }
            InputsStep::Core => {
                if self.taken.val() {
                    self.step.d.next = InputsStep::Ones;
                    if self.of_masters.val() {
                        self.step.d.next = InputsStep::Kind;
                    }
                }
            }
            InputsStep::Ones => {
                if self.taken.val() {
                    self.ones.d.next = self.ones.q.val() - self.one_4.val();
                    if !self.ones.q.val().any() | (self.long.q.val() & (self.ones.q.val() == self.one_4.val())) {
                        self.step.d.next = InputsStep::Low;
                        // a mean of 1 has no low bits
                        self.measured.next = !self.left.q.val().any();
                    }
                }
            }
            InputsStep::Low => {
                if self.taken.val() {
                    self.v.d.next = self.v.q.val() >> 8;
                    self.left.d.next = self.left.q.val() - self.eight_6.val();
                    self.measured.next = self.left.q.val() <= self.eight_6.val();
                }
            }
            InputsStep::Kind => {
                if self.taken.val() {
                    self.v.d.next = self.port.entry.word.val();
                    self.chunk.d.next = self.two_4.val();
                    self.step.d.next = InputsStep::Chunk;
                    if self.stops.val() {
                        self.chunk.d.next = self.eight_4.val();
                    }
                    if self.kind.q.val() == self.check_kind.val() {
                        self.step.d.next = InputsStep::Read;
                    }
                    if (self.kind.q.val() == self.trap_kind.val()) & !self.of_masters.val() {
                        self.trap.d.next = true;
                        self.step.d.next = InputsStep::Mean;
                    }
                }
            }
            InputsStep::Chunk => {
                if self.taken.val() {
                    self.v.d.next = self.shifted.val();
                    self.step.d.next = InputsStep::More;
                }
            }
            InputsStep::More => {
                if self.taken.val() {
                    if !self.stops.val() {
                        self.chunk.d.next = self.four_4.val();
                    }
                    self.step.d.next = InputsStep::Chunk;
                    if !self.v.q.val().any() {
                        self.second.d.next = true;
                        self.v.d.next = self.port.entry.word.val();
                        if self.stops.val() {
                            self.step.d.next = InputsStep::Read;
                        } else if self.valueless.q.val() | self.second.q.val() {
                            self.step.d.next = InputsStep::Done;
                        }
                    }
                }
            }
            InputsStep::Same => {
                if self.taken.val() {
                    self.step.d.next = InputsStep::Cause;
                    if self.same.val() {
                        self.step.d.next = InputsStep::Done;
                    }
                }
            }
            InputsStep::Cause => {
                if self.taken.val() {
                    self.step.d.next = InputsStep::Done;
                }
            }
            InputsStep::Read => {
                self.step.d.next = InputsStep::Load;
            }
            InputsStep::Load => {
                self.v.d.next = self.port.entry.word.val();
                self.left.d.next = self.word_6.val();
                self.step.d.next = InputsStep::Word;
            }
            InputsStep::Word => {
                if self.taken.val() {
                    self.v.d.next = self.v.q.val() >> 8;
                    self.left.d.next = self.left.q.val() - self.eight_6.val();
                    if self.left.q.val() == self.eight_6.val() {
                        self.step.d.next = InputsStep::Done;
                    }
                }
            }
            InputsStep::Done => {
                // after the stop of a core its means are cleared
                if self.message.q.val() & self.stops.val() & !self.of_masters.val() {
                    self.known.d.next = self.known.q.val() & self.others.val();
                }
                self.step.d.next = InputsStep::Wait;
            }
        }
        if self.measured.val() {
            self.step.d.next = InputsStep::Kind;
            if self.trap.q.val() {
                self.step.d.next = InputsStep::Same;
            } else if !self.after_episode.q.val() {
                self.after_episode.d.next = true;
                self.step.d.next = InputsStep::Done;
                if self.message.q.val() {
                    self.step.d.next = InputsStep::Mean;
                }
            }
        }
        if self.port.reset.val() {
            self.step.d.next = InputsStep::Wait;
            self.known.d.next = 0.into();
        }
    }
}
