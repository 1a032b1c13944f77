//! Resync scheduler: decides when the cores are resynchronised
//!
//! Counts the instructions that core 0 retires and the words that leave. When one of the counts reaches its period, or on request
//! of software, core 0 is due at its next control-flow instruction. Then the header is repeated, and all other cores are due at
//! their next ones.
//!
//! # Source
//! `docs/reference/stream.md`, "Periodic synchronisation"; `docs/maintainers/decisions/0009-periodic-sync.md`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `active` | in | 1 | a trace is in progress; 0: clear all counts and requests |
//! | `period` | in | 5 | resync every 2^`period` instructions; 0: only on request |
//! | `bytes` | in | 5 | resync when 2^`bytes` bytes have left since the header; 0: do not count bytes |
//! | `begins` | in | 1 | the header begins: a word that leaves in this cycle precedes it |
//! | `leaves` | in | 1 | a word leaves |
//! | `request` | in | 1 | request of software |
//! | `counted` | in | 1 | core 0 counts an instruction in this cycle |
//! | `more` | in | 10 | with several retired per cycle: number of further instructions |
//! | `resynced` | in | 1 | core 0 is resynchronised in this cycle |
//! | `synced` | in | 16 | bit i: a sync of core i is sent in this cycle, for any reason |
//! | `lead` | out | 1 | core 0 is due |
//! | `follow` | out | 16 | bit i: core i is due; bit 0 is not used |
//! | `header_repeated` | out | 1 | the header is repeated: times of all other cores count from here |
//!
//! # Timing
//! The number of bytes makes core 0 due once for each header, and not between a resync and the header that it causes.
//! `lead` depends on registers. `follow` and `header_repeated` respond to `resynced` in the same cycle: core 0 is first in stream order.
//!
//! Golden model: `sim::core_trace`, `sim::scheme::cores`.

use super::Extras;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// The scheduler of resyncs for all cores.
#[derive(LogicBlock, Default)]
pub struct Resync {
    pub clock: Signal<In, Clock>,
    pub active: Signal<In, Bit>,
    pub period: Signal<In, Bits<5>>,
    pub bytes: Signal<In, Bits<5>>,
    pub begins: Signal<In, Bit>,
    pub leaves: Signal<In, Bit>,
    pub request: Signal<In, Bit>,
    pub counted: Signal<In, Bit>,
    pub more: Signal<In, Bits<10>>,
    up_to: Signal<Local, Bits<32>>,
    passed: Signal<Local, Bits<32>>,
    pub resynced: Signal<In, Bit>,
    pub synced: Signal<In, Bits<16>>,
    pub lead: Signal<Out, Bit>,
    pub follow: Signal<Out, Bits<16>>,
    pub header_repeated: Signal<Out, Bit>,
    // instructions of core 0 since its last resync; stops at the period
    count: DFF<Bits<32>>,
    reached: Signal<Local, Bits<32>>,
    // due before this cycle, due in it
    due_before: Signal<Local, Bit>,
    due: Signal<Local, Bit>,
    // words that left since the header; whether the byte limit was reported for this header
    words: DFF<Bits<30>>,
    bytes_reported: DFF<Bit>,
    bytes_reached: Signal<Local, Bits<32>>,
    limit_reached: Signal<Local, Bit>,
    one_30: Fixed<Bits<30>>,
    wanted: DFF<Bit>,
    cores_pending: DFF<Bits<16>>,
    cores_due: Signal<Local, Bits<16>>,
    others: Fixed<Bits<16>>,
    all: Fixed<Bits<32>>,
    one: Fixed<Bits<32>>,
    wide: Fixed<Bit>,
}

impl Resync {
    /// The scheduler for the cores of `params`; some `extras` make several instructions retire per cycle.
    pub fn new(params: &TraceParams, extras: &Extras) -> Self {
        Self {
            wide: Fixed::new(extras.retire.is_some()),
            others: Fixed::of(((1u64 << params.cores) - 1) & !1),
            all: Fixed::of(u64::from(u32::MAX)),
            one: Fixed::of(1u64),
            one_30: Fixed::of(1u64),
            ..Default::default()
        }
    }
}

impl Logic for Resync {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count, words, bytes_reported, wanted, cores_pending);

        // any bit from the period's up: a period shortened meanwhile ends at once
        self.reached.next = self.count.q.val() & bit_cast::<32, 32>(self.all.val() << self.period.val());
        self.due_before.next = self.reached.val().any() & self.period.val().any();
        self.due.next = self.due_before.val();
        if self.counted.val() & !self.due_before.val() & self.period.val().any() {
            self.count.d.next = self.count.q.val() + self.one.val();
        }
        self.up_to.next = 0.into();
        self.passed.next = 0.into();
        if self.wide.val() {
            // instructions reported together precede the resync
            self.up_to.next = self.count.q.val() + bit_cast::<32, 10>(self.more.val());
            self.passed.next = self.up_to.val() & bit_cast::<32, 32>(self.all.val() << self.period.val());
            if self.counted.val() & !self.due_before.val() & self.period.val().any() {
                self.count.d.next = self.up_to.val() + self.one.val();
                self.due.next = self.passed.val().any();
            }
        }
        // the same for bytes
        self.bytes_reached.next =
            (bit_cast::<32, 30>(self.words.q.val()) << 2) & bit_cast::<32, 32>(self.all.val() << self.bytes.val());
        self.limit_reached.next =
            self.bytes_reached.val().any() & self.bytes.val().any() & !self.bytes_reported.q.val();
        if self.leaves.val() & self.bytes.val().any() & !self.bytes_reached.val().any() {
            self.words.d.next = self.words.q.val() + self.one_30.val();
        }
        self.bytes_reported.d.next = self.bytes_reported.q.val() | self.limit_reached.val() | self.resynced.val();
        if self.begins.val() {
            self.words.d.next = 0.into();
            self.bytes_reported.d.next = false;
        }
        self.wanted.d.next = self.wanted.q.val() | self.request.val() | self.limit_reached.val();
        self.lead.next = self.due.val() | self.wanted.q.val();

        self.cores_due.next = self.cores_pending.q.val();
        if self.resynced.val() {
            self.cores_due.next = self.others.val();
            self.count.d.next = 0.into();
            self.wanted.d.next = self.request.val();
        }
        self.follow.next = self.cores_due.val();
        self.header_repeated.next = self.resynced.val();
        self.cores_pending.d.next = self.cores_due.val() & !self.synced.val();
        if !self.active.val() {
            self.count.d.next = 0.into();
            self.words.d.next = 0.into();
            self.bytes_reported.d.next = false;
            self.wanted.d.next = false;
            self.cores_pending.d.next = 0.into();
        }
    }
}
