//! Checks that the replayed traces match what was retired
#![allow(missing_docs)]

use super::core::{Ports, SECRET};
use super::play::Played;
use retire::image::Image;
use retire::{FlowEvent, FlowKind};
use sim::params::TraceParams;
use sim::replay::{Events, Replay};
use sim::stimulus::run::Retired;
use sim::system::{header, repeated_header, shape_with_scale};

/// Finds `told` in what a core `retired`, from index `from` on. Returns the index after it, for the first match whose
/// begin and end `takes` accepts. If `told` begins in the `middle` of a trace, it begins where an instruction went,
/// which may have been replaced by a trap.
fn place(
    told: &[FlowEvent],
    retired: &[Retired],
    from: usize,
    middle: bool,
    takes: impl Fn(usize, usize) -> bool,
) -> Option<usize> {
    let (start, rest) = told.split_first()?;
    assert_eq!(start.kind, FlowKind::Start, "a trace begins with a start");
    let went = |i: usize| middle && i > 0 && retired[i - 1].next_pc == start.pc;
    'at: for first in (from..retired.len()).filter(|&i| retired[i].pc == start.pc || went(i)) {
        let mut i = first;
        for e in rest {
            i += e.count as usize;
            let fits = match e.kind {
                FlowKind::Stop => true,
                FlowKind::Gap { lost } => {
                    i += lost as usize;
                    // the trace may end in a gap
                    std::ptr::eq(e, &rest[rest.len() - 1]) || retired.get(i).is_some_and(|r| r.pc == e.target)
                }
                FlowKind::Trap { .. } => retired.get(i).is_some_and(|r| r.pc == e.target && r.trapped),
                _ => i > first && retired.get(i - 1).is_some_and(|r| r.pc == e.pc && r.next_pc == e.target),
            };
            if !fits || i > retired.len() {
                continue 'at;
            }
        }
        if takes(first, i) {
            return Some(i);
        }
    }
    None
}

/// Whether the bits of a secret address, without its lowest bits, occur anywhere in `words`.
pub fn contains_secret(words: &[u32]) -> bool {
    let (secret, width) = (SECRET.0 >> SECRET.1, 32 - SECRET.1);
    words.windows(2).any(|w| {
        let both = u64::from(w[0]) | u64::from(w[1]) << 32;
        (0..32).any(|at| both >> at & ((1 << width) - 1) == secret)
    })
}

#[derive(Default, Debug)]
pub struct Seen {
    pub traces: usize,
    pub gaps: usize,
    pub instructions: u64,
    /// Number of cores whose trace ended in a gap.
    pub cut: usize,
    /// Repeated headers.
    pub headers: usize,
    /// For each trace, the index of the word after it and the number of lost instructions.
    pub lost: Vec<(usize, u64)>,
}

/// Replays every trace of `words`, and finds it in what was retired.
pub fn check(
    words: &[u32],
    (params, ports, warm_up_scale): (&TraceParams, Ports, u8),
    image: &Image,
    p: &Played,
    from: &mut [usize],
    whole: bool,
) -> Seen {
    let with_scale =
        |[magic, shape, fingerprint]: [u32; 3]| [magic, shape_with_scale(shape, warm_up_scale), fingerprint];
    let head = with_scale(header(params));
    let starts: Vec<usize> = (0..words.len()).filter(|&i| words[i..].starts_with(&head)).collect();
    assert!(
        words.is_empty() || starts.first() == Some(&0) || (!whole && words.len() < 3),
        "no header at the beginning"
    );
    let mut seen = Seen::default();
    for (k, &start) in starts.iter().enumerate() {
        let last = k + 1 == starts.len();
        let end = starts.get(k + 1).copied().unwrap_or(words.len());
        if last && !whole {
            continue;
        }
        let mut back: Vec<FlowEvent> = Vec::new();
        let replay = Replay::new(image, params, words[start..end].iter().copied()).unwrap();
        let summary = replay.run(&mut Events(&mut back)).unwrap_or_else(|e| panic!("trace {k}: {e}"));
        seen.traces += 1;
        seen.instructions += summary.instructions.iter().sum::<u64>();
        let lost = back.iter().map(|e| if let FlowKind::Gap { lost } = e.kind { u64::from(lost) } else { 0 });
        seen.lost.push((end, lost.sum()));
        // a decoder can start at each repeated header
        let head = with_scale(repeated_header(params));
        for again in (start + 1..end).filter(|&i| words[i..].starts_with(&head)) {
            let mut back: Vec<FlowEvent> = Vec::new();
            let replay = Replay::new(image, params, words[again..end].iter().copied()).unwrap();
            replay.run(&mut Events(&mut back)).unwrap_or_else(|e| panic!("trace {k}, from word {again}: {e}"));
            seen.headers += 1;
            for (hart, from) in from.iter().enumerate() {
                let told: Vec<FlowEvent> = back.iter().filter(|e| usize::from(e.hart) == hart).copied().collect();
                let found = told.is_empty() || place(&told, &p.retired[hart], *from, true, |_, _| true).is_some();
                assert!(found, "trace {k}, from word {again}, core {hart}: what it tells was not retired: {told:x?}");
            }
        }
        for (hart, from) in from.iter_mut().enumerate() {
            let told: Vec<FlowEvent> = back.iter().filter(|e| usize::from(e.hart) == hart).copied().collect();
            seen.gaps += told.iter().filter(|e| matches!(e.kind, FlowKind::Gap { .. })).count();
            if told.is_empty() {
                continue;
            }
            // a trace ends exactly where it is disabled; if the adapter holds instructions, these are missing at the
            // end
            let ends = &p.ends[hart];
            let fits = |first, behind| match ports {
                Ports::One => ends.contains(&behind),
                _ => !ends.iter().any(|end| first < *end && *end < behind),
            };
            *from = place(&told, &p.retired[hart], *from, false, fits).unwrap_or_else(|| {
                let anywhere = place(&told, &p.retired[hart], *from, false, |_, _| true);
                let end =
                    anywhere.map_or("nowhere".into(), |behind| format!("up to {behind}, not where it was to end"));
                panic!("trace {k}, core {hart}: what it tells was retired {end}: {told:x?}")
            });
            let mut last = told.iter().rev().filter(|e| e.kind != FlowKind::Stop);
            seen.cut += usize::from(matches!(last.next(), Some(FlowEvent { kind: FlowKind::Gap { .. }, .. })));
        }
    }
    seen
}
