//! Encoder for N-Trace: turns event entries into the bytes of their messages
//!
//! # Source
//! RISC-V N-Trace 1.0, "N-Trace Transmission Protocol", "N-Trace Messages"; the choices: `docs/reference/ntrace.md`.
//!
//! # Ports
//! As in [`crate::spine::front_port`].
//!
//! # Messages
//! | entry | messages |
//! | --- | --- |
//! | `pre` exception | 28 or 4 with B-TYPE 1 |
//! | `pre` sync | 9 with SYNC 5, or 7 after a loss |
//! | `post` target | 28 or 4 with B-TYPE 0 |
//! | `post` outcome | 27 with HIST; with branch messages (BTM) 3: a taken branch; with repeated history see below |
//! | `post` progress | 27 with I-CNT |
//! | resync | 29 with SYNC 2 and B-TYPE 0; with branch messages 9, 11 or 12 with SYNC 2 |
//! | stop | 33 with EVCODE 4, with branch messages without HIST |
//! | overflow | 33 with EVCODE 4, then 8 |
//!
//! With repeated history, the history of an outcome entry is held back ([`super::repeat`]), and those that are equal to it are counted. Any
//! other entry of the core makes a message 27 of it before its own messages, with HREPEAT if it came more than once.
//!
//! # Timing
//! Two stages. The first one reads a field of the entry and makes a part of a message of it: TCODE, six bits of the head,
//! or a variable field. The second one is a shift register that sends the part, one byte per cycle, and takes the next one at
//! the edge at which its last byte leaves. The entry is removed when its last part is taken, and one cycle reads the type of
//! the next one. So there is one byte in every cycle, except one cycle after an entry whose last part has one byte. With repeated history,
//! one more cycle compares the history of each entry, two with several cores.
//!
//! The bits between TCODE and the first variable field (SRC and fixed fields) are the head. A byte
//! of its own holds six of them, if there are as many; the first variable field follows the rest in the same byte. All of
//! these numbers are even. The rest is not in the shift register: it is put below the register's lowest bits at the
//! output, so that a byte is moved by it, and not a field.
//!
//! The last address is in a register with one core, in a memory of one word per core with more.
//!
//! Golden model: [`sim::standard::ntrace::Encoder`].

use super::repeat::Repeat;
use super::{count_bits, ICNT_BITS};
use crate::spine::event_fifo::{FIELD_COUNT, FIELD_INSTRUCTIONS, FIELD_PC, FIELD_TARGET};
use crate::spine::front_port::EncoderPort;
use crate::widget::each::when;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::widget::slot::part;
use rust_hdl::prelude::*;
use sim::standard::ntrace::NtraceParams;

/// The part of a message that is next.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum NtraceStep {
    /// Nothing: the type of the entry is read.
    Open,
    /// Nothing: the history of the core is read.
    Wait,
    /// Nothing: whether the history of the core is counted, held or sent is decided.
    Check,
    /// TCODE.
    Code,
    /// Six bits of the head.
    Head,
    /// I-CNT, or ECODE.
    Count,
    /// An address.
    Address,
    /// HIST.
    History,
    /// HREPEAT.
    Repeat,
}

/// The encoder; `W` is the width of `word`, 32 or 64.
#[derive(LogicBlock, Default)]
pub struct NtraceEncoder<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub port: EncoderPort<W>,
    step: DFF<NtraceStep>,
    // of the entry: its kinds, and whether its second message is sent
    pre: DFF<Bits<2>>,
    post: DFF<Bits<2>>,
    second: DFF<Bit>,
    // with branch messages, of a synchronization: its instruction is a taken branch; an indirect jump
    types: DFF<Bits<2>>,
    // the message is the history that is held; what the entry is meanwhile
    sends_held: DFF<Bit>,
    pre_now: Signal<Local, Bits<2>>,
    post_now: Signal<Local, Bits<2>>,
    repeat: Repeat,
    is_history: Signal<Local, Bit>,
    came_again: Signal<Local, Bit>,
    repeat_ends: Signal<Local, Bit>,
    kinds: Signal<Local, Bits<W>>,
    kinds_at: Fixed<Bits<5>>,
    // the message
    control: Signal<Local, Bit>,
    overflow: Signal<Local, Bit>,
    resync: Signal<Local, Bit>,
    uses_pre: Signal<Local, Bit>,
    correlation: Signal<Local, Bit>,
    error: Signal<Local, Bit>,
    sync: Signal<Local, Bit>,
    trap: Signal<Local, Bit>,
    target: Signal<Local, Bit>,
    outcome: Signal<Local, Bit>,
    progress: Signal<Local, Bit>,
    // with branch messages: a taken branch; a message 33, which has no HIST
    direct: Signal<Local, Bit>,
    short_correlation: Signal<Local, Bit>,
    indirect: Signal<Local, Bit>,
    full_address: Signal<Local, Bit>,
    has_outcomes: DFF<Bit>,
    has_hist: Signal<Local, Bit>,
    has_second: Signal<Local, Bit>,
    tcode: Signal<Local, Bits<6>>,
    // the head, without TCODE; what of it shares a byte with the first variable field
    fixed_fields: Signal<Local, Bits<6>>,
    head: Signal<Local, Bits<10>>,
    six: Signal<Local, Bit>,
    has_byte: Signal<Local, Bit>,
    rest: Signal<Local, Bits<4>>,
    rest_bits: Signal<Local, Bits<3>>,
    // what the part has in the shift register; short ones
    part: Signal<Local, Bits<W>>,
    short: Signal<Local, Bits<6>>,
    count: Signal<Local, Bits<W>>,
    variable: Signal<Local, Bit>,
    is_first: Signal<Local, Bit>,
    is_last: Signal<Local, Bit>,
    has_part: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
    ends_message: Signal<Local, Bit>,
    // the shift register, 0 above what is to be sent; bits below it in its byte, and their number
    sends: DFF<Bit>,
    shift: DFF<Bits<W>>,
    below: DFF<Bits<4>>,
    below_bits: DFF<Bits<3>>,
    closes_field: DFF<Bit>,
    closes_message: DFF<Bit>,
    moved: Signal<Local, Bits<W>>,
    more: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    data: Signal<Local, Bits<6>>,
    mark: Signal<Local, Bits<2>>,
    // fields of the entry
    count_field: Signal<Local, Bits<2>>,
    address_field: Signal<Local, Bits<2>>,
    // the last address of the core
    last: Mem<4, W>,
    own_last: DFF<Bits<W>>,
    known: Signal<Local, Bits<W>>,
    sent: Signal<Local, Bits<W>>,
    btm: Fixed<Bit>,
    repeats: Fixed<Bit>,
    many: Fixed<Bit>,
    four: Fixed<Bit>,
    aligned: Fixed<Bit>,
    count_mask: Fixed<Bits<W>>,
    empty: Fixed<Bits<32>>,
    first: Fixed<Bits<2>>,
    counts: Fixed<Bits<2>>,
    pcs: Fixed<Bits<2>>,
    targets: Fixed<Bits<2>>,
}

impl<const W: usize> NtraceEncoder<W> {
    /// The encoder for `params`.
    ///
    /// # Panics
    /// When W is not `xlen`.
    pub fn new(params: &NtraceParams) -> Self {
        assert!(usize::from(params.xlen) == W, "xlen = {} is not W = {W}", params.xlen);
        let (many, width) = (params.cores > 1, usize::from(params.xlen - params.align));
        let ti_bits = u32::from(params.cores).next_power_of_two().trailing_zeros() as usize;
        Self {
            kinds_at: Fixed::of(count_bits(params) as u64),
            last: Mem::new(ti_bits.max(1), if many { width } else { 0 }),
            repeat: when(params.modes.repeat, || Repeat::new(params.cores)),
            btm: Fixed::new(params.modes.btm),
            repeats: Fixed::new(params.modes.repeat),
            many: Fixed::new(many),
            four: Fixed::new(params.source_bits() == 4),
            aligned: Fixed::new(params.align == 2),
            count_mask: Fixed::of((1u64 << ICNT_BITS) - 1),
            empty: Fixed::of(1u8),
            first: Fixed::of(FIELD_COUNT),
            counts: Fixed::of(FIELD_INSTRUCTIONS),
            pcs: Fixed::of(FIELD_PC),
            targets: Fixed::of(FIELD_TARGET),
            ..Default::default()
        }
    }
}

// the constant condition is nested alone, so that the Verilog writer can fold it
#[allow(clippy::collapsible_if)]
impl<const W: usize> Logic for NtraceEncoder<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, pre, post, second, types, sends_held, has_outcomes, own_last);
        dff_setup!(self, clock, sends, shift, below, below_bits, closes_field, closes_message);
        clock!(self, clock, last, repeat);

        // the message
        self.pre_now.next = self.pre.q.val();
        self.post_now.next = self.post.q.val();
        if self.repeats.val() {
            if self.sends_held.q.val() {
                self.pre_now.next = 0.into();
                self.post_now.next = 1.into();
            }
        }
        self.control.next = self.pre_now.val() == 3;
        self.overflow.next = self.control.val() & (self.post_now.val() == 1);
        self.resync.next = self.control.val() & (self.post_now.val() == 2);
        self.uses_pre.next = self.pre_now.val().any() & !self.second.q.val() & !self.resync.val();
        self.correlation.next = self.control.val() & !self.second.q.val() & !self.resync.val();
        self.error.next = self.control.val() & self.second.q.val();
        self.sync.next = (self.pre_now.val() == 2) & !self.second.q.val();
        self.trap.next = (self.pre_now.val() == 1) & !self.second.q.val();
        self.target.next = !self.uses_pre.val() & !self.control.val() & (self.post_now.val() == 2);
        self.outcome.next = !self.uses_pre.val() & !self.control.val() & (self.post_now.val() == 1);
        self.progress.next = !self.uses_pre.val() & !self.control.val() & (self.post_now.val() == 3);
        self.direct.next = false;
        self.short_correlation.next = false;
        if self.btm.val() {
            self.direct.next = !self.uses_pre.val() & !self.control.val() & (self.post_now.val() == 1);
            self.outcome.next = false;
            self.short_correlation.next = self.correlation.val();
        }
        self.indirect.next = self.trap.val() | self.target.val();
        self.full_address.next = self.sync.val() | self.resync.val();
        // from a register, as it follows the memory of the entries
        self.has_outcomes.d.next = self.port.entry.cc.val() != self.empty.val();
        self.has_hist.next = self.resync.val() | (!self.second.q.val() & self.has_outcomes.q.val());
        self.has_second.next =
            self.uses_pre.val() & self.post_now.val().any() & (!self.control.val() | self.overflow.val());
        if self.btm.val() {
            self.has_hist.next = false;
        }
        self.came_again.next = false;
        if self.repeats.val() {
            self.came_again.next = self.sends_held.q.val() & self.repeat.count.val().get_bits::<17>(1).any();
        }

        // its head
        self.tcode.next = 27.into();
        if self.direct.val() {
            self.tcode.next = 3.into();
        } else if self.correlation.val() {
            self.tcode.next = 33.into();
        } else if self.error.val() {
            self.tcode.next = 8.into();
        } else if self.sync.val() {
            self.tcode.next = 9.into();
        } else if self.resync.val() {
            self.tcode.next = 29.into();
            if self.btm.val() {
                self.tcode.next = 9.into();
                if self.types.q.val().get_bit(0) {
                    self.tcode.next = 11.into();
                } else if self.types.q.val().get_bit(1) {
                    self.tcode.next = 12.into();
                }
            }
        } else if self.indirect.val() {
            self.tcode.next = 4.into();
            if self.has_hist.val() {
                self.tcode.next = 28.into();
            }
        }
        self.fixed_fields.next = 0.into();
        if self.correlation.val() {
            // EVCODE 4, CDF 1; without HIST 0
            self.fixed_fields.next = 20.into();
            if self.btm.val() {
                self.fixed_fields.next = 4.into();
            }
        } else if self.sync.val() {
            self.fixed_fields.next = 5.into();
            if self.port.entry.word.val().get_bit(0) {
                self.fixed_fields.next = 7.into();
            }
        } else if self.resync.val() {
            // SYNC 2, B-TYPE 0
            self.fixed_fields.next = 2.into();
        } else if self.trap.val() | self.outcome.val() {
            self.fixed_fields.next = 1.into();
            if self.came_again.val() {
                self.fixed_fields.next = 2.into();
            }
        }
        // 0, 2, 4 or 6 bits, and SRC before them
        self.head.next = bit_cast::<10, 6>(self.fixed_fields.val());
        self.six.next = self.correlation.val() | self.resync.val();
        if self.btm.val() {
            self.six.next = self.correlation.val() | (self.resync.val() & self.types.q.val().get_bit(1));
        }
        self.has_byte.next = self.six.val();
        self.rest_bits.next = 4.into();
        if self.indirect.val() {
            self.rest_bits.next = 2.into();
        }
        if self.six.val() {
            self.rest_bits.next = 0.into();
        }
        if self.many.val() {
            self.head.next =
                (bit_cast::<10, 6>(self.fixed_fields.val()) << 2) | bit_cast::<10, 4>(self.port.entry.core.val());
            self.has_byte.next = !self.indirect.val();
            self.rest_bits.next = 0.into();
            if self.indirect.val() {
                self.rest_bits.next = 4.into();
            }
            if self.six.val() {
                self.rest_bits.next = 2.into();
            }
        }
        if self.four.val() {
            self.head.next =
                (bit_cast::<10, 6>(self.fixed_fields.val()) << 4) | bit_cast::<10, 4>(self.port.entry.core.val());
            self.has_byte.next = true;
            self.rest_bits.next = 2.into();
            if self.indirect.val() {
                self.rest_bits.next = 0.into();
            }
            if self.six.val() {
                self.rest_bits.next = 4.into();
            }
        }
        if self.direct.val() {
            // nothing but SRC
            self.has_byte.next = false;
            self.rest_bits.next = 0.into();
            if self.many.val() {
                self.rest_bits.next = 2.into();
            }
            if self.four.val() {
                self.rest_bits.next = 4.into();
            }
        }
        self.rest.next = self.head.val().get_bits::<4>(0);
        if self.has_byte.val() {
            self.rest.next = self.head.val().get_bits::<4>(6);
        }

        // the part
        self.known.next = self.own_last.q.val();
        if self.many.val() {
            self.known.next = self.last.rdata.val();
            if self.full_address.val() {
                self.known.next = 0.into();
            }
        }
        self.sent.next = self.port.entry.word.val() ^ self.known.val();
        if self.aligned.val() {
            self.sent.next = bit_cast::<W, W>(self.port.entry.word.val() ^ self.known.val()) << 1;
        }
        // I-CNT of a sync is 0: its field says whether messages were lost
        self.count.next = self.port.entry.word.val() & self.count_mask.val();
        if self.sync.val() {
            self.count.next = self.count.val().replace_bit(0, false);
        }
        self.short.next = self.head.val().get_bits::<6>(0);
        if self.step.q.val() == NtraceStep::Code {
            self.short.next = self.tcode.val();
        }
        if self.step.q.val() == NtraceStep::Count {
            self.short.next = 4.into();
        }
        self.part.next = bit_cast::<W, 6>(self.short.val());
        if (self.step.q.val() == NtraceStep::Count) & !self.error.val() {
            self.part.next = self.count.val();
        }
        if self.step.q.val() == NtraceStep::Address {
            self.part.next = self.sent.val();
        }
        if self.step.q.val() == NtraceStep::History {
            self.part.next = bit_cast::<W, 32>(self.port.entry.cc.val());
            if self.repeats.val() {
                if self.sends_held.q.val() {
                    self.part.next = bit_cast::<W, 32>(self.repeat.held.val());
                }
            }
        }
        if self.step.q.val() == NtraceStep::Repeat {
            self.part.next = bit_cast::<W, 18>(self.repeat.count.val());
        }
        self.variable.next = (self.step.q.val() == NtraceStep::Count)
            | (self.step.q.val() == NtraceStep::Address)
            | (self.step.q.val() == NtraceStep::History)
            | (self.step.q.val() == NtraceStep::Repeat);
        self.is_first.next = (self.step.q.val() == NtraceStep::Count)
            | ((self.step.q.val() == NtraceStep::History) & self.outcome.val());
        self.is_last.next = ((self.step.q.val() == NtraceStep::History) & !self.came_again.val())
            | (self.step.q.val() == NtraceStep::Repeat)
            | ((self.step.q.val() == NtraceStep::Address) & (self.sync.val() | !self.has_hist.val()))
            | ((self.step.q.val() == NtraceStep::Count)
                & (self.error.val() | self.progress.val() | self.direct.val() | self.short_correlation.val()));

        // the byte
        self.moved.next = self.shift.q.val() >> 6;
        self.more.next = self.moved.val().any()
            | (self.below_bits.q.val().get_bit(1) & self.shift.q.val().get_bits::<2>(4).any())
            | (self.below_bits.q.val().get_bit(2) & self.shift.q.val().get_bits::<4>(2).any());
        self.data.next = self.shift.q.val().get_bits::<6>(0);
        if self.below_bits.q.val().get_bit(1) {
            self.data.next = (bit_cast::<6, 4>(self.shift.q.val().get_bits::<4>(0)) << 2)
                | bit_cast::<6, 2>(self.below.q.val().get_bits::<2>(0));
        }
        if self.below_bits.q.val().get_bit(2) {
            self.data.next =
                (bit_cast::<6, 2>(self.shift.q.val().get_bits::<2>(0)) << 4) | bit_cast::<6, 4>(self.below.q.val());
        }
        self.mark.next = 0.into();
        if !self.more.val() {
            self.mark.next = bit_cast::<2, 1>(self.closes_field.q.val().into())
                | (bit_cast::<2, 1>(self.closes_message.q.val().into()) << 1);
        }
        self.port.bits.valid.next = self.sends.q.val();
        self.port.bits.count.next = 8.into();
        self.port.bits.data.next = (bit_cast::<8, 6>(self.data.val()) << 2) | bit_cast::<8, 2>(self.mark.val());
        self.port.bits.high.next = 0.into();
        self.port.bits.busy.next = self.sends.q.val();

        // the shift register
        self.moves.next = self.port.bits.ready.val() | !self.sends.q.val();
        self.has_part.next = self.step.q.val() != NtraceStep::Open;
        if self.repeats.val() {
            self.has_part.next = (self.step.q.val() != NtraceStep::Open)
                & (self.step.q.val() != NtraceStep::Wait)
                & (self.step.q.val() != NtraceStep::Check);
        }
        self.load.next = self.has_part.val() & self.moves.val() & !self.more.val();
        if self.moves.val() {
            self.shift.d.next = self.moved.val();
            self.below.d.next = (bit_cast::<4, 2>(self.shift.q.val().get_bits::<2>(4)) << 2)
                | bit_cast::<4, 2>(self.shift.q.val().get_bits::<2>(4));
            if self.below_bits.q.val().get_bit(2) {
                self.below.d.next = self.shift.q.val().get_bits::<4>(2);
            }
            if !self.more.val() {
                self.sends.d.next = false;
            }
        }
        if self.load.val() {
            // the register is 0 above its last byte
            self.shift.d.next = self.moved.val() | self.part.val();
            self.sends.d.next = true;
            self.below.d.next = self.rest.val();
            self.below_bits.d.next = 0.into();
            if self.is_first.val() {
                self.below_bits.d.next = self.rest_bits.val();
            }
            self.closes_field.d.next = self.variable.val();
            self.closes_message.d.next = self.is_last.val();
        }
        self.ends_message.next = self.load.val() & self.is_last.val();

        // the next part, and the field of the entry that it needs
        self.count_field.next = self.first.val();
        self.address_field.next = self.targets.val();
        if self.uses_pre.val() {
            self.count_field.next = self.counts.val();
            self.address_field.next = self.pcs.val();
        }
        self.port.entry.field.next = self.count_field.val();
        if self.step.q.val() == NtraceStep::Open {
            self.port.entry.field.next = self.first.val();
        }
        if self.step.q.val() == NtraceStep::Address {
            self.port.entry.field.next = self.address_field.val();
        }
        self.kinds.next = self.port.entry.word.val() >> self.kinds_at.val();
        if (self.step.q.val() == NtraceStep::Open) & self.port.entry.have.val() {
            self.step.d.next = NtraceStep::Code;
            if self.repeats.val() {
                self.step.d.next = NtraceStep::Check;
                if self.many.val() {
                    self.step.d.next = NtraceStep::Wait;
                }
            }
            self.pre.d.next = self.kinds.val().get_bits::<2>(0);
            self.post.d.next = self.kinds.val().get_bits::<2>(2);
            self.types.d.next = self.port.entry.word.val().get_bits::<2>(22);
        }
        self.port.entry.done.next = false;
        self.is_history.next = !self.pre.q.val().any() & (self.post.q.val() == 1);
        self.repeat.reset.next = self.port.reset.val();
        self.repeat.core.next = self.port.entry.core.val();
        self.repeat.hist.next = self.port.entry.cc.val();
        self.repeat.add.next = false;
        self.repeat.clear.next = false;
        if self.repeats.val() {
            if self.step.q.val() == NtraceStep::Wait {
                self.step.d.next = NtraceStep::Check;
            }
            if self.step.q.val() == NtraceStep::Check {
                if self.is_history.val() & (self.repeat.merges.val() | !self.repeat.holds.val()) {
                    self.repeat.add.next = true;
                    self.step.d.next = NtraceStep::Open;
                    self.port.entry.field.next = self.first.val();
                    self.port.entry.done.next = true;
                } else {
                    self.step.d.next = NtraceStep::Code;
                    self.sends_held.d.next = self.repeat.holds.val();
                }
            }
        }
        if self.load.val() {
            if (self.step.q.val() == NtraceStep::Code) & self.has_byte.val() {
                self.step.d.next = NtraceStep::Head;
            } else if !self.variable.val() {
                self.step.d.next = NtraceStep::Count;
                if self.outcome.val() {
                    self.step.d.next = NtraceStep::History;
                }
            } else if (self.step.q.val() == NtraceStep::Count) & !self.correlation.val() {
                self.step.d.next = NtraceStep::Address;
                self.port.entry.field.next = self.address_field.val();
            } else {
                self.step.d.next = NtraceStep::History;
                if self.repeats.val() {
                    if self.step.q.val() == NtraceStep::History {
                        self.step.d.next = NtraceStep::Repeat;
                    }
                }
            }
        }
        self.repeat_ends.next = false;
        if self.repeats.val() {
            self.repeat_ends.next = self.ends_message.val() & self.sends_held.q.val();
        }
        if self.repeat_ends.val() {
            // the entry is still to come
            self.repeat.clear.next = true;
            self.sends_held.d.next = false;
            self.step.d.next = NtraceStep::Check;
        } else if self.ends_message.val() {
            self.second.d.next = self.has_second.val();
            self.step.d.next = NtraceStep::Code;
            if !self.has_second.val() {
                self.step.d.next = NtraceStep::Open;
                self.port.entry.field.next = self.first.val();
                self.port.entry.done.next = true;
            }
        }
        self.port.entry.ends.next = self.control.val() & !self.post_now.val().any();
        self.port.entry.again.next = false;
        self.port.entry.uses_resync_pc.next = false;

        // the last address
        self.last.raddr.next = self.port.entry.core.val();
        self.last.waddr.next = self.port.entry.core.val();
        self.last.wdata.next = self.port.entry.word.val();
        self.last.we.next = false;
        if self.load.val() & (self.step.q.val() == NtraceStep::Address) {
            self.last.we.next = self.many.val();
            self.own_last.d.next = self.port.entry.word.val();
        }
        // a sync reports its whole address
        if self.load.val() & (self.step.q.val() == NtraceStep::Code) & self.full_address.val() {
            self.own_last.d.next = 0.into();
        }
        if self.port.reset.val() {
            self.step.d.next = NtraceStep::Open;
            self.second.d.next = false;
            self.sends_held.d.next = false;
            self.sends.d.next = false;
            self.shift.d.next = 0.into();
        }
    }
}

part!(NtraceEncoder<W>, EncoderPort<W>, "encoder");
