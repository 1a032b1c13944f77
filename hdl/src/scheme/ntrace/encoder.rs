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
//! | control 3 | 33 with EVCODE 4: a filter hid instructions |
//! | change of context | 28 or 4 with B-TYPE 1, then 2; 29 with SYNC 2 and B-TYPE 0 (with branch messages 9), then 2; or 2 |
//! | sync, resync, where contexts are reported | 2, after the message |
//!
//! With repeated history, the history of an outcome entry is held back ([`super::repeat`]), and those that are equal to it are counted. Any
//! other entry of the core makes a message 27 of it before its own messages, with HREPEAT if it came more than once.
//!
//! With time stamps, TSTAMP is the last field of every message, see [`super::times`].
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

use super::head::NtraceHead;
use super::repeat::Repeat;
use super::step::NtraceStep;
use super::times::NtraceTimes;
use super::{count_bits, ICNT_BITS};
use crate::spine::event_fifo::{FIELD_COUNT, FIELD_INSTRUCTIONS, FIELD_PC, FIELD_TARGET};
use crate::spine::front_port::EncoderPort;
use crate::spine::Extras;
use crate::widget::each::when;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::widget::slot::part;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::standard::ntrace::NtraceParams;

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
    // where contexts are reported: the change of context; the message is Ownership; it is next
    with_context: Fixed<Bit>,
    change: DFF<Bits<2>>,
    owner: DFF<Bit>,
    is_owner: Signal<Local, Bit>,
    owner_next: Signal<Local, Bit>,
    changes_alone: Signal<Local, Bit>,
    format: Fixed<Bits<W>>,
    context_mask: Fixed<Bits<W>>,
    own_mask: Fixed<Bits<W>>,
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
    head: NtraceHead,
    // what the part has in the shift register; short ones
    part: Signal<Local, Bits<W>>,
    short: Signal<Local, Bits<6>>,
    count: Signal<Local, Bits<W>>,
    variable: Signal<Local, Bit>,
    is_first: Signal<Local, Bit>,
    // the last one but TSTAMP; the last one
    ends_fields: Signal<Local, Bit>,
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
    // with time stamps
    stamped: Fixed<Bit>,
    times: NtraceTimes,
    sends_time: Signal<Local, Bit>,
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
    aligned: Fixed<Bit>,
    count_mask: Fixed<Bits<W>>,
    empty: Fixed<Bits<32>>,
    first: Fixed<Bits<2>>,
    counts: Fixed<Bits<2>>,
    pcs: Fixed<Bits<2>>,
    targets: Fixed<Bits<2>>,
}

impl<const W: usize> NtraceEncoder<W> {
    /// The encoder for `params`, with a time of its own.
    ///
    /// # Panics
    /// When W is not `xlen`.
    pub fn new(params: &NtraceParams) -> Self {
        Self::with(params, Extras::NONE)
    }

    /// The encoder for `params` with `extras`.
    ///
    /// # Panics
    /// As [`NtraceEncoder::new`].
    pub fn with(params: &NtraceParams, extras: Extras) -> Self {
        assert!(usize::from(params.xlen) == W, "xlen = {} is not W = {W}", params.xlen);
        let (many, width) = (params.cores > 1, usize::from(params.xlen - params.align));
        let ti_bits = u32::from(params.cores).next_power_of_two().trailing_zeros() as usize;
        Self {
            kinds_at: Fixed::of(count_bits(params) as u64),
            last: Mem::new(ti_bits.max(1), if many { width } else { 0 }),
            repeat: when(params.modes.repeat, || Repeat::new(params.cores)),
            with_context: Fixed::new(params.context.is_some()),
            format: Fixed::of(2u8),
            context_mask: Fixed::of((1u64 << params.context.unwrap_or(0)) - 1),
            own_mask: Fixed::of(3u8),
            head: NtraceHead::new(params),
            btm: Fixed::new(params.modes.btm),
            repeats: Fixed::new(params.modes.repeat),
            stamped: Fixed::new(params.timestamps),
            times: when(params.timestamps, || NtraceTimes::new(params.cores, extras.time_input)),
            many: Fixed::new(many),
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
        dff_setup!(self, clock, change, owner);
        dff_setup!(self, clock, sends, shift, below, below_bits, closes_field, closes_message);
        clock!(self, clock, last, repeat, times);

        // the message
        self.pre_now.next = self.pre.q.val();
        self.post_now.next = self.post.q.val();
        if self.repeats.val() {
            if self.sends_held.q.val() {
                self.pre_now.next = 0.into();
                self.post_now.next = 1.into();
            }
        }
        self.is_owner.next = false;
        if self.with_context.val() {
            self.is_owner.next = self.owner.q.val() & !self.sends_held.q.val();
            if self.is_owner.val() {
                self.pre_now.next = 0.into();
                self.post_now.next = 0.into();
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
        self.changes_alone.next = false;
        if self.with_context.val() {
            // a change of context, with a synchronization
            self.changes_alone.next = (self.pre_now.val() == 1) & !self.second.q.val() & self.change.q.val().get_bit(1);
            self.trap.next = (self.pre_now.val() == 1) & !self.second.q.val() & !self.change.q.val().get_bit(1);
        }
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
        self.full_address.next = self.sync.val() | self.resync.val() | self.changes_alone.val();
        // from a register, as it follows the memory of the entries
        self.has_outcomes.d.next = self.port.entry.hist.val() != self.empty.val();
        self.has_hist.next =
            self.resync.val() | self.changes_alone.val() | (!self.second.q.val() & self.has_outcomes.q.val());
        self.has_second.next =
            self.uses_pre.val() & self.post_now.val().any() & (!self.control.val() | self.overflow.val());
        self.owner_next.next = false;
        if self.with_context.val() {
            self.owner_next.next = self.sync.val()
                | self.resync.val()
                | self.changes_alone.val()
                | (self.trap.val() & self.change.q.val().get_bit(0));
            if self.is_owner.val() {
                self.has_second.next = (self.pre.q.val() != 3) & self.post.q.val().any();
            }
        }
        if self.btm.val() {
            self.has_hist.next = false;
        }
        self.came_again.next = false;
        if self.repeats.val() {
            self.came_again.next = self.sends_held.q.val() & self.repeat.count.val().get_bits::<17>(1).any();
        }

        // its head
        self.head.core.next = self.port.entry.core.val();
        self.head.types.next = self.types.q.val();
        self.head.ownership.next = self.is_owner.val();
        self.head.direct.next = self.direct.val();
        self.head.correlation.next = self.correlation.val();
        self.head.error.next = self.error.val();
        self.head.sync.next = self.sync.val();
        self.head.after_loss.next = self.port.entry.word.val().get_bit(0);
        self.head.resync.next = self.resync.val();
        self.head.changes_alone.next = self.changes_alone.val();
        self.head.indirect.next = self.indirect.val();
        self.head.trap.next = self.trap.val();
        self.head.outcome.next = self.outcome.val();
        self.head.again.next = self.came_again.val();
        self.head.has_hist.next = self.has_hist.val();

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
        if self.with_context.val() {
            if self.second.q.val() {
                self.count.next = self.port.entry.word.val() & self.own_mask.val();
            }
        }
        self.short.next = self.head.byte.val();
        if self.step.q.val() == NtraceStep::Code {
            self.short.next = self.head.tcode.val();
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
            self.part.next = bit_cast::<W, 32>(self.port.entry.hist.val());
            if self.repeats.val() {
                if self.sends_held.q.val() {
                    self.part.next = bit_cast::<W, 32>(self.repeat.held.val());
                }
            }
        }
        if self.step.q.val() == NtraceStep::Process {
            // FORMAT, PRV, V 0, context
            self.part.next = self.format.val()
                | (bit_cast::<W, 2>(self.port.entry.word.val().get_bits::<2>(4)) << 2)
                | ((bit_cast::<W, 16>(self.port.entry.word.val().get_bits::<16>(6)) & self.context_mask.val()) << 5);
        }
        if self.step.q.val() == NtraceStep::Repeat {
            self.part.next = bit_cast::<W, 18>(self.repeat.count.val());
        }
        self.variable.next = (self.step.q.val() == NtraceStep::Count)
            | (self.step.q.val() == NtraceStep::Address)
            | (self.step.q.val() == NtraceStep::History)
            | (self.step.q.val() == NtraceStep::Repeat)
            | (self.step.q.val() == NtraceStep::Process);
        self.is_first.next = (self.step.q.val() == NtraceStep::Count)
            | (self.step.q.val() == NtraceStep::Process)
            | ((self.step.q.val() == NtraceStep::History) & self.outcome.val());
        self.ends_fields.next = ((self.step.q.val() == NtraceStep::History) & !self.came_again.val())
            | (self.step.q.val() == NtraceStep::Repeat)
            | (self.step.q.val() == NtraceStep::Process)
            | ((self.step.q.val() == NtraceStep::Address) & (self.sync.val() | !self.has_hist.val()))
            | ((self.step.q.val() == NtraceStep::Count)
                & (self.error.val() | self.progress.val() | self.direct.val() | self.short_correlation.val()));

        self.is_last.next = self.ends_fields.val();
        self.times.enable.next = self.port.time_enable.val();
        self.times.core.next = self.port.entry.core.val();
        self.times.timestamp.next = self.port.entry.cc.val();
        self.times.absolute.next = self.full_address.val();
        if self.stamped.val() {
            self.is_last.next =
                (self.ends_fields.val() & !self.times.has_time.val()) | (self.step.q.val() == NtraceStep::Time);
            if self.step.q.val() == NtraceStep::Time {
                self.part.next = bit_cast::<W, 32>(self.times.stamp.val());
                self.variable.next = true;
            }
        }

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
            self.below.d.next = self.head.rest.val();
            self.below_bits.d.next = 0.into();
            if self.is_first.val() {
                self.below_bits.d.next = self.head.rest_bits.val();
            }
            self.closes_field.d.next = self.variable.val();
            self.closes_message.d.next = self.is_last.val();
        }
        self.ends_message.next = self.load.val() & self.is_last.val();

        // the next part, and the field of the entry that it needs
        self.count_field.next = self.first.val();
        self.address_field.next = self.targets.val();
        if self.uses_pre.val() | (self.is_owner.val() & (self.pre.q.val() == 3)) {
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
            if self.with_context.val() {
                self.change.d.next = self.port.entry.word.val().get_bits::<2>(2);
                self.owner.d.next =
                    (self.kinds.val().get_bits::<2>(0) == 1) & (self.port.entry.word.val().get_bits::<2>(2) == 3);
            }
        }
        self.port.entry.done.next = false;
        self.is_history.next = !self.pre.q.val().any() & (self.post.q.val() == 1);
        self.repeat.reset.next = self.port.reset.val();
        self.repeat.core.next = self.port.entry.core.val();
        self.repeat.hist.next = self.port.entry.hist.val();
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
            if (self.step.q.val() == NtraceStep::Code) & self.head.has_byte.val() {
                self.step.d.next = NtraceStep::Head;
            } else if !self.variable.val() {
                self.step.d.next = NtraceStep::Count;
                if self.outcome.val() {
                    self.step.d.next = NtraceStep::History;
                }
                if self.is_owner.val() {
                    self.step.d.next = NtraceStep::Process;
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
        self.sends_time.next = false;
        if self.stamped.val() {
            if self.load.val() & self.ends_fields.val() & self.times.has_time.val() {
                self.step.d.next = NtraceStep::Time;
            }
            self.sends_time.next = self.load.val() & (self.step.q.val() == NtraceStep::Time);
        }
        self.times.sends.next = self.sends_time.val();
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
            self.second.d.next = self.has_second.val() & !self.owner_next.val();
            self.owner.d.next = self.owner_next.val();
            self.step.d.next = NtraceStep::Code;
            if !self.has_second.val() & !self.owner_next.val() {
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
            self.owner.d.next = false;
            self.sends.d.next = false;
            self.shift.d.next = 0.into();
        }
    }
}

part!(NtraceEncoder<W>, EncoderPort<W>, "encoder");
