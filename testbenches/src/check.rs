//! Helpers for tests of real programs: runs, and checks of what replay returns
//!
//! All functions panic on a mismatch, with the position in the run.

use retire::elf::Program;
use retire::image::Image;
use retire::{FlowEvent, FlowKind, RetireSink};
use sim::beats::{Expander, Writer};
use sim::params::TraceParams;
use sim::replay::{Events, Replay};
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::stimulus::rounds;
use sim::system::System;
use std::collections::HashMap;
use std::io::BufWriter;
use tempfile::NamedTempFile;

/// Instructions of each run: `short`, or the whole program if `GOSHAWK_LONG` is set.
pub fn limit(short: u64) -> u64 {
    rounds(short, u64::MAX)
}

/// Events and cycles of the first `instructions` of `program` on the built-in simulator.
pub fn run(program: &Program, harts: u8, instructions: u64) -> (Vec<FlowEvent>, u64) {
    let config = MachineConfig { harts, ..MachineConfig::default() };
    let mut events = Vec::new();
    let mut machine = Machine::new(program, config).unwrap();
    let summary = machine.run(&mut events, Limits { instructions, ..Limits::default() }).unwrap();
    (events, summary.cycles)
}

/// The beat file of `events`, and its number of beats.
pub fn beat_file(program: &Program, params: &TraceParams, events: &[FlowEvent]) -> (NamedTempFile, u64) {
    let file = NamedTempFile::new().unwrap();
    let mut w = Writer::new(BufWriter::new(file.reopen().unwrap()), params.cores, params.xlen).unwrap();
    let mut x = Expander::new(program, params.cores);
    for e in events {
        x.event(e, &mut |r| w.push(r).unwrap()).unwrap();
    }
    x.finish(&mut |r| w.push(r).unwrap()).unwrap();
    let n = w.beats();
    w.finish().unwrap();
    (file, n)
}

/// Compares replayed events with the original ones, hart by hart, in the order of each hart.
struct InOrder<'a, F> {
    want: Vec<std::slice::Iter<'a, FlowEvent>>,
    place: &'a str,
    also: F,
}

impl<F: FnMut(&FlowEvent, &FlowEvent)> RetireSink for InOrder<'_, F> {
    fn event(&mut self, e: &FlowEvent) {
        let want = self.want[usize::from(e.hart)].next();
        let Some(want) = want.filter(|w| w.same_flow(e)) else {
            panic!("{}:\n went in {want:?}\ncame back {e:?}", self.place)
        };
        (self.also)(want, e);
    }
}

/// Sends `events` through the golden model and replays the stream: every event of every hart comes back, the number of
/// bits matches the stream, and both sides count the same messages. `also` is called with each original event and its
/// replayed one.
pub fn check_exact_replay(
    image: &Image,
    params: &TraceParams,
    (events, cycles): (&[FlowEvent], u64),
    place: &str,
    also: impl FnMut(&FlowEvent, &FlowEvent),
) {
    let by_hart: Vec<Vec<FlowEvent>> =
        (0..params.cores).map(|h| events.iter().filter(|e| e.hart == h).copied().collect()).collect();
    let mut system = System::with_code(params, 0, image).unwrap();
    events.iter().for_each(|e| system.event(e));
    system.finish(cycles);
    let bits = system.stats().bits;
    let words: Vec<u32> = system.drain().collect();
    assert_eq!(bits, 32 * words.len() as u64, "{place}: bits reported are bits counted");
    let mut sink = InOrder { want: by_hart.iter().map(|e| e.iter()).collect(), place, also };
    let summary = Replay::new(image, params, words.into_iter())
        .and_then(|r| r.run(&mut Events(&mut sink)))
        .unwrap_or_else(|e| panic!("{place}: {e}"));
    for (hart, rest) in sink.want.iter().enumerate() {
        assert_eq!(rest.as_slice(), [], "{place}: hart {hart} did not come back to its end");
    }
    let went_in: u64 = events.iter().map(|e| u64::from(e.count)).sum();
    assert_eq!(summary.instructions.iter().sum::<u64>(), went_in, "{place}");
    assert_eq!(summary.stats, *system.stats(), "{place}: messages and bits by kind");
}

/// Replays `words`, which have gaps in every hart. Outside the gaps, replayed events must match what was retired, at
/// the right instruction, and replayed and lost instructions must add up to all. Returns the number of gaps, and of
/// instructions replayed.
pub fn check_around_gaps(
    image: &Image,
    params: &TraceParams,
    words: impl Iterator<Item = u32>,
    events: &[FlowEvent],
) -> (usize, u64) {
    let mut back: Vec<FlowEvent> = Vec::new();
    Replay::new(image, params, words).unwrap().run(&mut Events(&mut back)).unwrap();
    let (mut gaps, mut known) = (0, 0);
    for hart in 0..params.cores {
        // what was retired, by number of instructions
        let mut at = 0;
        let mut retired = HashMap::new();
        for e in events.iter().filter(|e| e.hart == hart) {
            at += u64::from(e.count);
            retired.insert((at, e.pc), e);
        }
        let all = at;
        let (mut at, mut told) = (0, 0);
        for e in back.iter().filter(|e| e.hart == hart) {
            at += u64::from(e.count);
            told += u64::from(e.count);
            if let FlowKind::Gap { lost } = e.kind {
                at += u64::from(lost);
                gaps += 1;
                continue;
            }
            if matches!(e.kind, FlowKind::Start | FlowKind::Stop) {
                continue;
            }
            let want = retired.get(&(at, e.pc));
            assert!(
                want.is_some_and(|w| w.target == e.target && w.len == e.len),
                "hart {hart}, instruction {at}: came back {e:?}, went in {want:?}"
            );
        }
        assert_eq!(at, all, "hart {hart}: told and lost instructions are all there were");
        assert!(told > 0 && told < all, "hart {hart}: {told} of {all} instructions are told");
        known += told;
    }
    (gaps, known)
}
