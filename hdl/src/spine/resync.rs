//! When the cores are told of anew: the period, and who is asked
//!
//! Counts what core 0 retires, and the words that leave. When either is a period, or software asks for it, core 0 is due at its next control-flow
//! instruction; when that has come, the header is sent again, and all other cores are due at theirs.
//!
//! # Source
//! `docs/reference/stream.md`, "Periodic synchronisation"; `docs/maintainers/decisions/0009-periodic-sync.md`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `active` | in | 1 | a session is; else nothing is counted, asked or wanted |
//! | `period` | in | 5 | every 2^`period` instructions; 0: only when asked |
//! | `bytes` | in | 5 | when 2^`bytes` bytes have left since the header; 0: not for that |
//! | `begins` | in | 1 | the header begins: what leaves in this clock was before it |
//! | `leaves` | in | 1 | a word leaves |
//! | `request` | in | 1 | software asks |
//! | `counted` | in | 1 | core 0 counts an instruction in this clock |
//! | `more` | in | 10 | where several retire a clock: so many more with it |
//! | `resynced` | in | 1 | core 0 is told of anew in this clock |
//! | `synced` | in | 16 | bit i: a sync of core i is sent in this clock, whatever for |
//! | `lead` | out | 1 | core 0 is due |
//! | `follow` | out | 16 | bit i: core i is; bit 0 means nothing |
//! | `ask` | out | 1 | the header is sent again: times of all others count from here |
//!
//! # Timing
//! A number of bytes makes core 0 due once for each header, and not while that is still to come for which it was told of anew.
//! `lead` is of registers. `follow` and `ask` answer `resynced` in its clock: in the order of the stream core 0 is first.
//!
//! Golden model: `sim::lane`, `sim::scheme::cores`.

use super::Extras;
use crate::widget::fixed::Fixed;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// When the cores are told of anew.
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
    pub ask: Signal<Out, Bit>,
    // instructions of core 0 since it was told of anew; it stops where it is due
    count: DFF<Bits<32>>,
    reached: Signal<Local, Bits<32>>,
    // due before this clock, due in it
    ripe: Signal<Local, Bit>,
    due: Signal<Local, Bit>,
    // words that have left since the header; whether it is known that they are enough
    words: DFF<Bits<30>>,
    told: DFF<Bit>,
    left: Signal<Local, Bits<32>>,
    enough: Signal<Local, Bit>,
    one_30: Fixed<Bits<30>>,
    wanted: DFF<Bit>,
    asked: DFF<Bits<16>>,
    asks: Signal<Local, Bits<16>>,
    others: Fixed<Bits<16>>,
    all: Fixed<Bits<32>>,
    one: Fixed<Bits<32>>,
    wide: Fixed<Bit>,
}

impl Resync {
    /// For the cores of `params`, of which with some `extras` several instructions retire a clock.
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
        dff_setup!(self, clock, count, words, told, wanted, asked);

        // any bit from the period's up: a period that is made shorter meanwhile is over at once
        self.reached.next = self.count.q.val() & bit_cast::<32, 32>(self.all.val() << self.period.val());
        self.ripe.next = self.reached.val().any() & self.period.val().any();
        self.due.next = self.ripe.val();
        if self.counted.val() & !self.ripe.val() & self.period.val().any() {
            self.count.d.next = self.count.q.val() + self.one.val();
        }
        self.up_to.next = 0.into();
        self.passed.next = 0.into();
        if self.wide.val() {
            // those that stand with it were before it
            self.up_to.next = self.count.q.val() + bit_cast::<32, 10>(self.more.val());
            self.passed.next = self.up_to.val() & bit_cast::<32, 32>(self.all.val() << self.period.val());
            if self.counted.val() & !self.ripe.val() & self.period.val().any() {
                self.count.d.next = self.up_to.val() + self.one.val();
                self.due.next = self.passed.val().any();
            }
        }
        // likewise of the bytes
        self.left.next =
            (bit_cast::<32, 30>(self.words.q.val()) << 2) & bit_cast::<32, 32>(self.all.val() << self.bytes.val());
        self.enough.next = self.left.val().any() & self.bytes.val().any() & !self.told.q.val();
        if self.leaves.val() & self.bytes.val().any() & !self.left.val().any() {
            self.words.d.next = self.words.q.val() + self.one_30.val();
        }
        self.told.d.next = self.told.q.val() | self.enough.val() | self.resynced.val();
        if self.begins.val() {
            self.words.d.next = 0.into();
            self.told.d.next = false;
        }
        self.wanted.d.next = self.wanted.q.val() | self.request.val() | self.enough.val();
        self.lead.next = self.due.val() | self.wanted.q.val();

        self.asks.next = self.asked.q.val();
        if self.resynced.val() {
            self.asks.next = self.others.val();
            self.count.d.next = 0.into();
            self.wanted.d.next = self.request.val();
        }
        self.follow.next = self.asks.val();
        self.ask.next = self.resynced.val();
        self.asked.d.next = self.asks.val() & !self.synced.val();
        if !self.active.val() {
            self.count.d.next = 0.into();
            self.words.d.next = 0.into();
            self.told.d.next = false;
            self.wanted.d.next = false;
            self.asked.d.next = 0.into();
        }
    }
}
