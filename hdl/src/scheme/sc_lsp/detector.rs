//! Stream detector: turns retired instructions into stream descriptors
//!
//! # Source
//! Paper 001 section II, "Stream Detector"; `docs/reference/stream.md`, "Messages (scheme `sc-lsp`)".
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `live`, `valid`, `intr` | in | 1 | this cycle is traced; an instruction retires; the first after a trap |
//! | `branch`, `taken` | in | 1 | it is a direct conditional branch; its outcome |
//! | `indirect`, `jump` | in | 1 | it is an indirect branch; a direct jump or call |
//! | `resync` | in | 1 | it makes a resync: it ends no stream, and the next one begins at its target |
//! | `more` | in | 24 | with [`crate::spine::Extras::retire`]: sequential instructions that retired before it, and are reported with it |
//! | `pc`, `target` | in | W | its address; the address of the next instruction; without the `align` low bits |
//! | `count` | out | 24 | instructions of the current stream before this one, with those reported with it; if it makes a resync and begins no stream, it is included |
//! | `start`, `known` | out | W, 1 | its start address; the decoder knows this address |
//! | `first` | out | 1 | the instruction starts a stream, whatever was before it |
//! | `ends` | out | 1 | it ends a stream |
//! | `own_start`, `length` | out | W, 10 | start address and SL of the stream that it ends |
//!
//! `branch`, `indirect`, `jump` and `resync` must be 0 unless `live` and `valid`.
//!
//! # Timing
//! One instruction per cycle; outputs are combinational. While `live` is 0 the state holds, so that `count`,
//! `start` and `known` show where the trace ended. A stream only ends at control flow, however long it is, so the
//! instructions reported with a control-flow instruction are counted with it.
//!
//! Golden model: [`sim::scheme::sc_lsp::model`].

use super::cache::LENGTH_PORT_BITS;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// A stream detector, for addresses of at most W bits.
#[derive(LogicBlock, Default)]
pub struct Detector<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub live: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub intr: Signal<In, Bit>,
    pub branch: Signal<In, Bit>,
    pub taken: Signal<In, Bit>,
    pub indirect: Signal<In, Bit>,
    pub jump: Signal<In, Bit>,
    pub resync: Signal<In, Bit>,
    pub pc: Signal<In, Bits<W>>,
    pub target: Signal<In, Bits<W>>,
    pub more: Signal<In, Bits<24>>,
    wide: Fixed<Bit>,
    pub count: Signal<Out, Bits<24>>,
    pub start: Signal<Out, Bits<W>>,
    pub known: Signal<Out, Bit>,
    pub first: Signal<Out, Bit>,
    pub ends: Signal<Out, Bit>,
    pub own_start: Signal<Out, Bits<W>>,
    pub length: Signal<Out, Bits<10>>,
    // state: nothing has retired since `live` rose; the current stream
    idle: DFF<Bit>,
    counted: DFF<Bits<24>>,
    from: DFF<Bits<W>>,
    start_known: DFF<Bit>,
    beat: Signal<Local, Bit>,
    restart: Signal<Local, Bit>,
    earlier: Signal<Local, Bits<24>>,
    now: Signal<Local, Bits<24>>,
    long: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    flow: Signal<Local, Bit>,
    stays: Signal<Local, Bit>,
    over: Signal<Local, Bit>,
    origin: Signal<Local, Bits<W>>,
    one: Fixed<Bits<24>>,
    longest: Fixed<Bits<24>>,
    long_length: Fixed<Bits<10>>,
    bit_0: Fixed<Bits<10>>,
}

impl<const W: usize> Detector<W> {
    /// The detector for `params`.
    ///
    /// # Panics
    /// When [`TraceParams::check`] refuses `params`, their scheme is not `sc-lsp`, or SL has more than
    /// [`LENGTH_PORT_BITS`] bits.
    pub fn new(params: &TraceParams) -> Self {
        Self::with(params, false)
    }

    /// As [`Detector::new`]; with `wide`, instructions are reported together.
    ///
    /// # Panics
    /// As [`Detector::new`].
    pub fn with(params: &TraceParams, wide: bool) -> Self {
        params.check().unwrap_or_else(|e| panic!("{e}"));
        let sc = params.stream_cache().unwrap_or_else(|| panic!("the scheme is not sc-lsp"));
        assert!(usize::from(sc.sl_bits) <= LENGTH_PORT_BITS, "sl_bits = {} is outside 6..=10", sc.sl_bits);
        Self {
            wide: Fixed::new(wide),
            one: Fixed::new(1.into()),
            longest: Fixed::of(sc.longest()),
            long_length: Fixed::of(sc.longest()),
            bit_0: Fixed::new(1.into()),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Detector<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, idle, counted, from, start_known);
        self.beat.next = self.live.val() & self.valid.val();
        self.idle.d.next = !self.live.val() | (self.idle.q.val() & !self.valid.val());
        self.restart.next = self.idle.q.val() | self.intr.val();
        self.earlier.next = self.counted.q.val();
        if self.wide.val() {
            self.earlier.next = self.counted.q.val() + self.more.val();
        }
        self.origin.next = self.from.q.val();
        if self.restart.val() {
            self.earlier.next = 0.into();
            self.origin.next = self.pc.val();
        }
        self.now.next = self.earlier.val() + self.one.val();
        self.long.next = self.now.val() >= self.longest.val();
        self.leaves.next = (self.branch.val() & self.taken.val()) | self.indirect.val();
        self.stays.next = self.branch.val() & !self.taken.val();
        self.flow.next = self.branch.val() | self.indirect.val() | self.jump.val();
        self.over.next = self.leaves.val() | (self.flow.val() & self.long.val());
        self.length.next = self.now.val().get_bits::<10>(0);
        if self.long.val() {
            self.length.next = self.long_length.val();
            if self.stays.val() {
                self.length.next = self.long_length.val() | self.bit_0.val();
            }
        }
        if self.beat.val() {
            self.counted.d.next = self.now.val();
            self.from.d.next = self.origin.val();
            if self.restart.val() {
                self.start_known.d.next = true;
            }
            if self.over.val() {
                self.counted.d.next = 0.into();
                self.from.d.next = self.target.val();
                self.start_known.d.next = !self.indirect.val();
            }
            if self.resync.val() {
                self.counted.d.next = 0.into();
                self.from.d.next = self.target.val();
                self.start_known.d.next = true;
            }
        }
        self.count.next = self.counted.q.val();
        if self.wide.val() & self.beat.val() {
            self.count.next = self.counted.q.val() + self.more.val();
        }
        if self.resync.val() & !self.restart.val() {
            self.count.next = self.now.val();
        }
        self.start.next = self.from.q.val();
        self.known.next = self.start_known.q.val();
        self.first.next = self.restart.val();
        self.ends.next = self.over.val() & self.beat.val() & !self.resync.val();
        self.own_start.next = self.origin.val();
    }
}
