//! Full event generator, assembled from its parts
//!
//! # Source
//! Paper 004 section 4.1 and figure 6. Own: a log instead of snapshots; calls identified by return address and stack
//! pointer.
//!
//! # Ports
//! | port | dir | meaning |
//! | --- | --- | --- |
//! | `reset` | in | 1: disables all slots, forgets registers and calls, discards events |
//! | `seen` | in | retired instructions |
//! | `write` | in | register writes; a write to the control register also closes all open calls |
//! | `result` | out | an event to send |
//! | `yields` | out | the event yields to others, see [`crate::diag::link_queue`] |
//! | `stalling` | out | of a generator that can stall: events wait instead of being lost |
//! | `points` | out | slots whose address matches, see [`super::slots`] |
//! | `holds` | out | of a generator that stalls: the core must wait; a few instructions may still retire, see `sim::diag::full` |
//!
//! Bundles: [`crate::diag::ports`]; registers: `sim::diag::registers`.
//!
//! # Timing
//! One instruction per cycle. Time after the log: see `sim::diag::full`. All outputs but `points` come from registers.
//! Times are cycles modulo 2^32; a longer duration is reported as 2^32 - 1, provided that the log is empty at least
//! once every 2^31 cycles.
//!
//! Golden model: `sim::diag::full`, itself checked against `sim::diag::generator`.

use super::calls::Calls;
use super::control::Control;
use super::log::Log;
use super::outbox::{Outbox, WideOutbox};
use super::ports::{CallMatchOut, CallOpOut, DraftOut, HeadOut, HitsOut};
use super::registers::Registers;
use super::slots::Slots;
use super::stack::{Stack, WideStack};
use super::wide_word::WideWord;
use super::word::Word;
use crate::diag::ports::{ResultOut, SeenIn, WriteIn};
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::diag::registers::CONTROL;
use sim::diag::trigger::GeneratorParams;

/// A full event generator of a core of `$w` bits, with the parts that depend on it.
macro_rules! full {
    ($(#[$doc:meta])* $full:ident, $w:tt, $stack:ident, $word:ident, $outbox:ident) => {
                $(#[$doc])*
        #[derive(LogicBlock, Default)]
        pub struct $full {
            pub clock: Signal<In, Clock>,
            pub reset: Signal<In, Bit>,
            pub seen: SeenIn<$w>,
            pub write: WriteIn,
            pub result: ResultOut,
            pub yields: Signal<Out, Bit>,
            pub stalling: Signal<Out, Bit>,
            pub points: Signal<Out, Bits<16>>,
            pub holds: Signal<Out, Bit>,
            slots: Slots<$w>,
            log: Log<$w>,
            registers: Registers<$w>,
            stack: $stack,
            calls: Calls<$w>,
            word: $word,
            control: Control<$w>,
            outbox: $outbox,
            control_register: Fixed<Bits<12>>,
            can_stall: Fixed<Bit>,
            stalls: DFF<Bit>,
            is_control: Signal<Local, Bit>,
        }

        impl $full {
            /// The generator of core `core`.
            ///
            /// # Panics
            /// Unless addresses have this width, and there are 1 to 16 slots, up to 4 wide slots, 1 to 16 open calls, 16 stack words and a FIFO of 16.
            pub fn new(params: &GeneratorParams, core: u8) -> Self {
                assert!(params.xlen == $w, "xlen = {} is not {}", params.xlen, $w);
                assert!(params.stack == 16, "stack = {} is not 16", params.stack);
                assert!(params.fifo == 16, "fifo = {} is not 16", params.fifo);
                Self {
                    slots: Slots::new(params.slots, params.wide),
                    log: Log::new(params.slots, params.wide),
                    registers: Registers::new(),
                    stack: $stack::new(),
                    calls: Calls::new(params.returns),
                    word: $word::new(),
                    control: Control::new(params.wide),
                    outbox: $outbox::new(core),
                    control_register: Fixed::of(CONTROL),
                    can_stall: Fixed::new(params.stalls),
                    ..Default::default()
                }
            }
        }

        impl Logic for $full {
            #[hdl_gen]
            fn update(&mut self) {
                dff_setup!(self, clock, stalls);
                clock!(self, clock, slots, log, registers, stack, calls, word, control, outbox);
                self.slots.reset.next = self.reset.val();
                self.log.reset.next = self.reset.val();
                self.registers.reset.next = self.reset.val();
                self.stack.reset.next = self.reset.val();
                self.calls.reset.next = self.reset.val();
                self.control.reset.next = self.reset.val();
                self.outbox.reset.next = self.reset.val();

                SeenIn::<$w>::link(&mut self.seen, &mut self.slots.seen);
                SeenIn::<$w>::link(&mut self.seen, &mut self.log.seen);
                WriteIn::link(&mut self.write, &mut self.slots.write);
                HitsOut::join(&mut self.slots.hits, &mut self.log.hits);
                HeadOut::<$w>::join(&mut self.log.head, &mut self.registers.head);
                HeadOut::<$w>::join(&mut self.log.head, &mut self.stack.head);
                HeadOut::<$w>::join(&mut self.log.head, &mut self.calls.head);
                HeadOut::<$w>::join(&mut self.log.head, &mut self.word.head);
                HeadOut::<$w>::join(&mut self.log.head, &mut self.control.head);
                CallOpOut::<$w>::join(&mut self.control.call_op, &mut self.calls.call_op);
                CallMatchOut::<$w>::join(&mut self.calls.found, &mut self.control.found);
                DraftOut::<$w>::join(&mut self.control.event_draft, &mut self.outbox.event_draft);
                ResultOut::link(&mut self.result, &mut self.outbox.result);

                self.yields.next = self.outbox.yields.val();
                self.points.next = self.slots.points.val();
                self.slots.plan_at.next = self.control.plan_at.val();
                self.control.plan.next = self.slots.plan.val();
                self.control.returns.next = self.slots.returns.val();
                self.control.entries.next = self.slots.entries.val();
                self.log.advance.next = self.control.advance.val();
                self.registers.advance.next = self.control.advance.val();
                self.registers.written.next = self.log.written.val();
                self.registers.number.next = self.word.number.val();
                self.stack.advance.next = self.control.advance.val();
                self.stack.request.next = self.control.request.val();
                self.stack.at.next = self.word.at.val();
                self.is_control.next = self.write.we.val() & (self.write.addr.val() == self.control_register.val());
                self.calls.forget.next = self.is_control.val() | self.control.forget.val();
                self.registers.forget.next = self.control.forget.val();
                self.stack.forget.next = self.control.forget.val();
                self.calls.now.next = self.seen.now.val();
                self.calls.ra.next = self.registers.ra.val();
                self.calls.sp.next = self.registers.sp.val();
                self.word.plan.next = self.slots.plan.val();
                self.word.fire.next = self.control.fire.val();
                self.word.of_store.next = self.control.of_store.val();
                self.word.register.next = self.registers.word.val();
                self.word.known.next = self.registers.known.val();
                self.word.sp.next = self.registers.sp.val();
                self.word.stacked.next = self.stack.word.val();
                self.word.there.next = self.stack.valid_entries.val();
                self.word.even.next = self.stack.even.val();
                self.word.odd.next = self.stack.odd.val();
                self.word.kept.next = self.calls.found.word.val();
                self.word.half.next = self.calls.found.half.val();
                self.word.full.next = self.calls.found.full.val();
                self.control.ra.next = self.registers.ra.val();
                self.control.sp.next = self.registers.sp.val();
                self.control.known.next = self.registers.known.val();
                self.control.capture.next = self.word.capture.val();
                self.control.word.next = self.word.word.val();
                self.control.is_known.next = self.word.is_known.val();
                self.control.refuses.next = self.outbox.refuses.val();
                self.control.stalls.next = false;
                self.stalling.next = false;
                self.holds.next = false;
                if self.can_stall.val() {
                    if self.is_control.val() {
                        self.stalls.d.next = self.write.data.val().get_bit(1);
                    }
                    self.control.stalls.next = self.stalls.q.val();
                    self.stalling.next = self.stalls.q.val();
                    self.holds.next = self.stalls.q.val() & self.log.long.val();
                }
                if self.reset.val() {
                    self.stalls.d.next = false;
                }
            }
        }
    };
}

full! {
    /// A full event generator, with up to 16 slots and 16 open calls.
    Full, 32, Stack, Word, Outbox
}
full! {
    /// A full event generator of a core of 64 bits.
    WideFull, 64, WideStack, WideWord, WideOutbox
}
