//! Records: I-CNT and HIST of a core, and the decision which messages an instruction makes
//!
//! It is the last stage of a front end.
//!
//! # Source
//! RISC-V N-Trace 1.0, "Field Encoding and Calculation Techniques", "Rules of Generating Messages"; the choices:
//! `docs/reference/ntrace.md`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `branch`, `taken` | in | 1 | a conditional branch, its outcome |
//! | `indirect`, `flow` | in | 1 | an indirect jump; any control-flow instruction |
//! | `resync` | in | 1 | a control-flow instruction, not the first one of the trace or after a trap, that makes a synchronization |
//! | `time` | in | 32 | with time stamps, the time of the cycle |
//! | `hidden` | in | 1 | with an overflow of the decision: there was no loss, a filter hid instructions |
//! | `trap` | in | 1 | the instruction is the first one after a trap |
//! | `new_context`, `context_value` | in | 1, 18 | where contexts are reported: it is the first one in its context; the context |
//! | `long` | in | 1 | the instruction has two halfwords, not one |
//! | `pc`, `target` | in | W | its address, the address of the next instruction, one cycle before all other inputs |
//! | `decision` | in | | the decision about the instruction, see [`crate::spine::trace_fsm`] |
//! | `entry` | out | | an event entry, see below |
//!
//! `branch`, `indirect`, `flow` and `resync` are 0 for instructions that do not retire or are not traced.
//!
//! # Entries
//! Those of [`crate::spine::entry`], with other fields:
//!
//! | field | meaning |
//! | --- | --- |
//! | `icnt` | with a `pre` or in a control message I-CNT; in a sync 1 if it follows a loss |
//! | `bcnt` | I-CNT of the `post`. Where contexts are reported, with a `pre`: I-CNT of the `post` in two bits, then in two bits the change of context (0: none; 1: with the trap; 2: a synchronization before the instruction; 3: alone), then the context |
//! | `cc` | the time |
//! | `hist` | HIST, with its stop bit: of the `pre`, the control message, or if there is neither the `post` |
//! | `pre` | [`PRE_CONTROL`](crate::spine::entry::PRE_CONTROL) with `post` [`CONTROL_RESYNC`](crate::spine::entry::CONTROL_RESYNC): a synchronization with the instruction; the context in `icnt`, four bits up; I-CNT in `bcnt`, its HIST in `hist`, `target`. With branch messages, bit 22 of `bcnt` is 1 if it is a taken branch, bit 23 if it is an indirect jump |
//! | `post` | [`POST_OUTCOME`](crate::spine::entry::POST_OUTCOME): HIST is full, or with branch messages a taken branch. [`POST_TARGET`](crate::spine::entry::POST_TARGET): an indirect jump; after a `pre` its HIST is empty. [`POST_PROGRESS`](crate::spine::entry::POST_PROGRESS): I-CNT is half full. With [`PRE_CONTROL`](crate::spine::entry::PRE_CONTROL): 3, a filter hid instructions |
//!
//! # Timing
//! One instruction per cycle; its entry comes in the same cycle. I-CNT is half full if its top bit was set before the instruction, which
//! then reports it unless it has another message. HIST is full with 31 outcomes and the stop bit, with repeated history with 30. With branch messages (BTM) it stays empty.
//!
//! Code without any control-flow instruction for 2^21 halfwords would wrap I-CNT, which is only reported at these.
//!
//! Golden model: [`sim::standard::ntrace::Encoder`].

use super::ICNT_BITS;
use crate::spine::ports::{DecisionIn, EntryOut};
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::standard::ntrace::NtraceParams;

/// The counters and the message decision of one core, for addresses of at most W bits.
#[derive(LogicBlock, Default)]
pub struct Records<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub branch: Signal<In, Bit>,
    pub taken: Signal<In, Bit>,
    pub indirect: Signal<In, Bit>,
    pub resync: Signal<In, Bit>,
    pub long: Signal<In, Bit>,
    pub flow: Signal<In, Bit>,
    pub time: Signal<In, Bits<32>>,
    pub hidden: Signal<In, Bit>,
    pub trap: Signal<In, Bit>,
    pub new_context: Signal<In, Bit>,
    pub context_value: Signal<In, Bits<18>>,
    pub pc: Signal<In, Bits<W>>,
    pub target: Signal<In, Bits<W>>,
    pub decision: DecisionIn,
    pub entry: EntryOut<W>,
    // state; and whether messages were lost and no sync has followed
    icnt: DFF<Bits<22>>,
    hist: DFF<Bits<32>>,
    lost: DFF<Bit>,
    // decisions
    any_pre: Signal<Local, Bit>,
    half: Signal<Local, Bit>,
    full: Signal<Local, Bit>,
    progress: Signal<Local, Bit>,
    // an outcome makes a message, if there is no `pre`, and with it
    due: Signal<Local, Bit>,
    btm: Fixed<Bit>,
    repeat: Fixed<Bit>,
    // a synchronization says what its instruction is
    types: Fixed<Bit>,
    // where contexts are reported: kind of the change; the context above it
    with_context: Fixed<Bit>,
    change: Signal<Local, Bits<2>>,
    context: Signal<Local, Bits<24>>,
    // its message ends I-CNT and HIST
    ends: Signal<Local, Bit>,
    // sums: halfwords of this instruction, with those before it, with those that no earlier message counts
    own: Signal<Local, Bits<22>>,
    before: Signal<Local, Bits<22>>,
    sum: Signal<Local, Bits<22>>,
    ends_count: Signal<Local, Bit>,
    // a branch message has I-CNT
    counted: Signal<Local, Bit>,
    // history: without what was sent before the instruction, with the instruction
    begins: Signal<Local, Bit>,
    base: Signal<Local, Bits<32>>,
    shifted: Signal<Local, Bits<32>>,
    empty: Fixed<Bits<32>>,
    one: Fixed<Bits<22>>,
    two: Fixed<Bits<22>>,
    kind_0: Signal<Local, Bit>,
    kind_1: Signal<Local, Bit>,
    post_0: Signal<Local, Bit>,
    post_1: Signal<Local, Bit>,
}

impl<const W: usize> Records<W> {
    /// The circuit for `params`.
    pub fn new(params: &NtraceParams) -> Self {
        let modes = params.modes;
        const { assert!(ICNT_BITS == 22, "the width of the registers") };
        Self {
            btm: Fixed::new(modes.btm),
            repeat: Fixed::new(modes.repeat),
            with_context: Fixed::new(params.context.is_some()),
            types: Fixed::new(modes.btm && modes.sync > 0),
            empty: Fixed::of(1u8),
            one: Fixed::of(1u8),
            two: Fixed::of(2u8),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Records<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, icnt, hist, lost);

        // messages that this instruction needs
        self.any_pre.next = self.decision.sync.val() | self.decision.exception.val();
        self.half.next = self.icnt.q.val().get_bit(21);
        self.due.next = self.branch.val() & self.hist.q.val().get_bit(30);
        if self.repeat.val() {
            self.due.next = self.branch.val() & self.hist.q.val().get_bit(29);
        }
        self.full.next = self.due.val() & !self.any_pre.val() & !self.resync.val();
        if self.btm.val() {
            self.due.next = self.branch.val() & self.taken.val();
            self.full.next = self.due.val() & !self.resync.val();
        }
        self.ends.next = self.indirect.val() | self.resync.val();
        self.progress.next =
            self.flow.val() & self.half.val() & !self.any_pre.val() & !self.ends.val() & !self.full.val();
        self.decision.flow.next = self.flow.val();
        self.decision.needs_message.next = self.ends.val() | self.due.val() | (self.flow.val() & self.half.val());

        // halfwords
        self.own.next = 0.into();
        if self.decision.beat.val() {
            self.own.next = self.one.val();
            if self.long.val() {
                self.own.next = self.two.val();
            }
        }
        self.before.next = self.icnt.q.val();
        if self.any_pre.val() {
            self.before.next = 0.into();
        }
        self.sum.next = self.before.val() + self.own.val();
        self.counted.next = false;
        if self.btm.val() {
            self.counted.next = self.full.val();
        }
        // also one cycle after a stop, as the next trace begins later
        self.ends_count.next = self.decision.overflow.val()
            | (!self.decision.tracing.val() & !self.decision.beat.val())
            | (self.decision.send.val() & (self.ends.val() | self.progress.val() | self.counted.val()));
        self.icnt.d.next = self.sum.val();
        if self.ends_count.val() {
            self.icnt.d.next = 0.into();
        }

        // outcomes
        self.begins.next = self.any_pre.val() | !self.decision.tracing.val();
        self.base.next = self.hist.q.val();
        if self.begins.val() {
            self.base.next = self.empty.val();
        }
        self.shifted.next = self.base.val();
        if self.branch.val() & self.decision.beat.val() {
            self.shifted.next = bit_cast::<32, 32>(self.base.val() << 1) | bit_cast::<32, 1>(self.taken.val().into());
        }
        self.hist.d.next = self.shifted.val();
        if self.full.val() | self.ends.val() | self.decision.overflow.val() {
            self.hist.d.next = self.empty.val();
        }
        if self.decision.overflow.val() & !self.hidden.val() {
            self.lost.d.next = true;
        } else if (self.decision.send.val() & self.any_pre.val()) | !self.decision.tracing.val() {
            self.lost.d.next = false;
        }

        // the entry
        self.entry.push.next = self.decision.restart.val();
        self.kind_0.next =
            self.decision.exception.val() | self.decision.overflow.val() | self.decision.stop.val() | self.resync.val();
        self.kind_1.next =
            self.decision.sync.val() | self.decision.overflow.val() | self.decision.stop.val() | self.resync.val();
        self.post_0.next = self.full.val() | self.progress.val() | self.decision.overflow.val();
        self.post_1.next = self.ends.val() | self.progress.val() | (self.decision.overflow.val() & self.hidden.val());
        self.entry.pre.next =
            (bit_cast::<2, 1>(self.kind_1.val().into()) << 1) | bit_cast::<2, 1>(self.kind_0.val().into());
        self.entry.post.next =
            (bit_cast::<2, 1>(self.post_1.val().into()) << 1) | bit_cast::<2, 1>(self.post_0.val().into());
        self.entry.icnt.next = bit_cast::<24, 22>(self.icnt.q.val());
        if self.decision.sync.val() {
            self.entry.icnt.next = bit_cast::<24, 1>(self.lost.q.val().into());
        }
        self.entry.bcnt.next = bit_cast::<24, 22>(self.sum.val());
        if self.types.val() {
            self.entry.bcnt.next = bit_cast::<24, 22>(self.sum.val())
                | (bit_cast::<24, 1>((self.branch.val() & self.taken.val()).into()) << 22)
                | (bit_cast::<24, 1>(self.indirect.val().into()) << 23);
        }
        // 1: with a trap; 2: a synchronization, as instructions are counted; 3: alone
        self.change.next = 0.into();
        self.context.next = 0.into();
        if self.with_context.val() {
            self.context.next = bit_cast::<24, 18>(self.context_value.val()) << 4;
            if self.new_context.val() {
                self.change.next = 2.into();
                if (self.icnt.q.val() == 0) & (self.hist.q.val() == self.empty.val()) {
                    self.change.next = 3.into();
                }
                if self.trap.val() {
                    self.change.next = 1.into();
                }
            }
            if self.any_pre.val() {
                self.entry.bcnt.next = bit_cast::<24, 22>(self.own.val())
                    | (bit_cast::<24, 2>(self.change.val()) << 2)
                    | self.context.val();
            }
            if self.resync.val() {
                self.entry.icnt.next = self.context.val();
            }
        }
        self.entry.hist.next = self.hist.q.val();
        if self.full.val() | self.resync.val() {
            self.entry.hist.next = self.shifted.val();
        }
        if self.btm.val() {
            self.entry.hist.next = 0.into();
        }
        self.entry.context_value.next = 0.into();
        self.entry.cc.next = self.time.val();
        self.entry.resync_pc.next = 0.into();
        self.entry.pc.next = self.pc.val();
        self.entry.target.next = self.target.val();
    }
}
