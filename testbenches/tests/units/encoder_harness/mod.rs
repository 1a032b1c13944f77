//! Plays event entries to an encoder with its packer and compares the words with a golden coder's

pub mod tr;

use hdl::spine::event_fifo::{FIELD_COUNT, FIELD_INSTRUCTIONS, FIELD_PC};
use hdl::spine::Extras;
use rand::{Rng, RngExt};
use sim::params::TraceParams;
use testbenches::entry::Entry;

/// A number, often a corner case: 0, 1, all ones, powers of two and one below, small numbers.
pub fn number(rng: &mut impl Rng, bits: u32, least: u64) -> u64 {
    let mask = u64::MAX >> (64 - bits);
    let v = match rng.random_range(0..8) {
        0 => least,
        1 => mask,
        2 => 1 << rng.random_range(0..bits),
        3 => (1 << rng.random_range(0..bits)) - 1,
        4 | 5 => rng.random_range(0..12),
        _ => rng.random::<u64>() >> rng.random_range(0..64),
    };
    (v & mask).max(least)
}

/// Extras; every second system has resyncs.
pub fn extras(params: &TraceParams) -> Extras {
    Extras { sync: params.count_bits % 2 == 0, ..Extras::default() }
}

/// The event FIFO's read data for `field`.
pub fn word(count_bits: usize, e: &Entry, field: u8) -> u64 {
    match field {
        FIELD_COUNT => u64::from(e.bcnt) | u64::from(e.pre | e.post << 2) << count_bits,
        FIELD_INSTRUCTIONS => u64::from(e.icnt) | u64::from(e.context) << count_bits,
        FIELD_PC => e.pc,
        _ => e.target,
    }
}

/// Encoder, framer and packer, connected as in the system, with a player of entries.
macro_rules! coder {
    // `$uses_resync_pc`: whether the PC of an entry's sync bypasses the entry
    ($name:ident, $uses_resync_pc:expr) => {
        #[derive(hdl::LogicBlock, Default)]
        struct $name<const W: usize> {
            clock: Signal<In, Clock>,
            reset: Signal<In, Bit>,
            enable: Signal<In, Bit>,
            active: Signal<Out, Bit>,
            tracing: Signal<Out, Bit>,
            have: Signal<In, Bit>,
            core: Signal<In, Bits<4>>,
            field: Signal<Out, Bits<2>>,
            word: Signal<In, Bits<W>>,
            cc: Signal<In, Bits<32>>,
            resync_pc: Signal<In, Bits<W>>,
            uses_resync_pc: Signal<Out, Bit>,
            done: Signal<Out, Bit>,
            words: WordsOut,
            encoder: Slot<EncoderPort<W>>,
            trace_framer: TraceFramer,
            packer: Packer,
        }

        impl<const W: usize> $name<W> {
            fn new(params: &TraceParams) -> Self {
                Self {
                    encoder: hdl::scheme::flow::encoder(params, extras(params)),
                    trace_framer: TraceFramer::new(&hdl::spine::Stream::from(params), extras(params).sync),
                    packer: Packer::new(hdl::spine::Stream::from(params).slices),
                    ..Default::default()
                }
            }
        }

        impl<const W: usize> Logic for $name<W> {
            #[hdl_gen]
            fn update(&mut self) {
                clock!(self, clock, encoder, trace_framer, packer);
                self.encoder.port.reset.next = self.reset.val();
                self.encoder.port.time_enable.next = true;
                self.trace_framer.reset.next = self.reset.val();
                self.packer.reset.next = self.reset.val();
                self.trace_framer.enable.next = self.enable.val();
                self.trace_framer.ready.next = true;
                self.active.next = self.trace_framer.active.val();
                self.tracing.next = self.trace_framer.tracing.val();
                self.trace_framer.show.next = self.have.val();
                self.encoder.port.entry.have.next = self.trace_framer.have.val();
                self.encoder.port.entry.core.next = self.core.val();
                self.field.next = self.encoder.port.entry.field.val();
                self.encoder.port.entry.word.next = self.word.val();
                self.encoder.port.entry.cc.next = self.cc.val();
                self.encoder.port.entry.hist.next = 0.into();
                self.encoder.port.entry.resync_pc.next = self.resync_pc.val();
                self.uses_resync_pc.next = self.encoder.port.entry.uses_resync_pc.val();
                self.done.next = self.encoder.port.entry.done.val();
                self.trace_framer.done.next = self.encoder.port.entry.done.val();
                self.trace_framer.ends.next = self.encoder.port.entry.ends.val();
                self.trace_framer.again.next = self.encoder.port.entry.again.val();
                SliceOut::join(&mut self.encoder.port.bits, &mut self.trace_framer.coded);
                SliceOut::join(&mut self.trace_framer.bits, &mut self.packer.bits);
                self.trace_framer.aligned.next = self.packer.aligned.val();
                self.trace_framer.nibbles.next = self.packer.nibbles.val();
                WordsOut::link(&mut self.words, &mut self.packer.words);
            }
        }

        impl<const W: usize> $name<W> {
            /// Plays `list`, entries with their cores, whose counts have `count_bits` bits, and checks that `want`
            /// comes out.
            fn play(
                params: &TraceParams,
                count_bits: usize,
                list: &[(u8, Entry)],
                want: &[u32],
                seed: u64,
                stalls: bool,
                verilog: bool,
            ) {
                let mut rng = ChaCha8Rng::seed_from_u64(!seed);
                let mut d = Driver::new(Self::new(params), |u, c| u.clock.next = c.into()).unwrap();
                if verilog {
                    d = d.recording();
                }
                let mut got = Vec::new();
                let (mut at, mut starting, mut finished) = (0, true, false);
                let (mut wait, mut asked) = (0, 0);
                for cycle in 0.. {
                    assert!(cycle < 2000 * (list.len() as u64 + 20), "seed {seed}: the encoder hangs at entry {at}");
                    // slower than any encoder
                    let ready = !stalls || rng.random_ratio(1, 16);
                    let offer = wait == 0 && !starting;
                    let (active, done, valid, data, field, uses_resync_pc) = d
                        .cycle(
                            |u| {
                                u.reset.next = false;
                                u.enable.next = starting;
                                u.words.ready.next = ready;
                                u.have.next = offer && at < list.len();
                                if let (true, Some((core, e))) = (offer, list.get(at)) {
                                    u.core.next = u64::from(*core).to_bits();
                                    u.word.next = word(count_bits, e, asked).to_bits();
                                    u.cc.next = u64::from(e.cc).to_bits();
                                    u.resync_pc.next = e.resync_pc.to_bits();
                                }
                            },
                            |u| {
                                (
                                    u.active.val(),
                                    u.done.val(),
                                    u.words.valid.val(),
                                    u.words.data.val().to_u64(),
                                    u.field.val().to_u64() as u8,
                                    u.uses_resync_pc.val(),
                                )
                            },
                        )
                        .unwrap();
                    if valid && ready {
                        got.push(data as u32);
                    }
                    if let (true, Some((_, e))) = (done, list.get(at)) {
                        assert_eq!(uses_resync_pc, $uses_resync_pc(e), "seed {seed}: entry {at}: {e:x?}");
                    }
                    // an entry is offered together with its first field
                    asked = if offer { field } else { FIELD_COUNT };
                    finished |= !starting && !active;
                    starting &= !active;
                    wait = if done { rng.random_range(0..3) } else { wait.max(1) - 1 };
                    at += usize::from(done);
                    if finished && got.len() >= want.len() {
                        break;
                    }
                }
                for (i, (w, g)) in want.iter().zip(&got).enumerate() {
                    assert_eq!(w, g, "seed {seed}, {}: word {i}, bit {}", params.canonical(), 32 * i);
                }
                assert_eq!(want.len(), got.len());
                if verilog {
                    d.check_verilog().unwrap();
                }
            }
        }
    };
}
pub(crate) use coder;
