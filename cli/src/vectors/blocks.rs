//! Test vectors for an E-Trace ingress port, with blocks of several instructions or reports of single ones
//!
//! The models of the adapter determine when an event is reported, and its time. An event after a block that waits for
//! the next address is reported later, but with its own time.

use super::{model, Vectors, Words, DRAIN_CYCLES, INSTRUCTIONS, SEED};
use crate::Failure;
use hdl::ingress::block_report::all_need_target;
use hdl::spine::{Extras, Retire};
use hdl::trace_sim::START;
use retire::FlowEvent;
use sim::beats::blocks::{itype, length, narrow, Block, Hold, HALFWORDS};
use sim::beats::wide::Compressor;
use sim::params::TraceParams;
use sim::stimulus::program::Model;
use sim::stimulus::run::{Config, Retired, Run, Step};
use sim::stimulus::Source;
use std::fmt::Write;

/// What a core shows in a slot of a cycle.
struct PortBlock {
    clock: u64,
    slot: u8,
    block: Block,
    /// Range of its instructions among those of the core.
    steps: std::ops::Range<usize>,
}

/// Makes the vectors of `params` and `extras` with `retire` blocks per cycle; without it, reports of single
/// instructions.
pub fn make(
    params: &TraceParams,
    extras: &Extras,
    retire: Option<Retire>,
    words: Words<'_>,
) -> Result<Vectors, Failure> {
    let model = model(params, extras, Model::new);
    let mut run = Run::new(&model, &Config { retire_percent: 2, ..Config::new(params.cores, SEED) });
    let mut steps: Vec<Vec<Step>> = vec![Vec::new(); params.cores.into()];
    run.by_ref().take(INSTRUCTIONS).for_each(|step| steps[usize::from(step.retired.hart)].push(step));
    let cores: Vec<Vec<PortBlock>> =
        steps.iter().zip(SEED..).map(|(s, seed)| cut(s, params.xlen, extras.itype3, retire, seed)).collect();
    let last = cores.iter().filter_map(|c| c.last()).map(|b| b.clock).max().unwrap_or(0);
    let stop = last + START + 1 + DRAIN_CYCLES;

    let mut timed_events: Vec<(u64, usize, FlowEvent)> = Vec::new();
    let mut reported: Vec<(u64, usize)> = Vec::new();
    for (core, (shown, steps)) in cores.iter().zip(&steps).enumerate() {
        let xlen = params.xlen;
        let hold =
            if extras.itype3 { Hold::narrow_itype(xlen) } else { Hold::new(xlen) }.all(all_need_target(params, extras));
        let queue = retire.map(|r| r.log2_words);
        let (rows, clocks) = events_of(shown, steps, (xlen, extras.itype3), (hold, queue), last + DRAIN_CYCLES)?;
        reported.extend(clocks.into_iter().map(|clock| (clock, core)));
        timed_events.extend(rows.into_iter().map(|(clock, e)| (clock, core, e)));
    }
    timed_events.sort_by_key(|(clock, core, _)| (*clock, *core));
    reported.sort_unstable();
    let order: Vec<u8> = reported.into_iter().map(|(_, core)| core as u8).collect();
    let stops = run.stop().into_iter().map(|e| FlowEvent { cycle: stop, ..e });
    let events: Vec<FlowEvent> = timed_events.into_iter().map(|(.., e)| e).chain(stops).collect();
    let words = words(&model.program, (&events, &order), stop + 2)?;
    Ok(Vectors::new(beats(&cores, params.xlen), &words, events, stop))
}

/// Divides a core's instructions into blocks of any size, and chooses cycle and slot of each.
fn cut(steps: &[Step], xlen: u8, narrow_itype: bool, retire: Option<Retire>, seed: u64) -> Vec<PortBlock> {
    let (per_cycle, most) = retire.map_or((1, 1), |r| (r.per_cycle, 15));
    let retired: Vec<Retired> = steps.iter().map(|s| s.retired).collect();
    let mut s = Source::seeded(seed);
    let mut shown: Vec<PortBlock> = Vec::new();
    let mut at = 0;
    while at < retired.len() {
        let before = shown.last().map_or(0, |b| b.clock);
        if retired[at].trapped && at > 0 {
            let (clock, slot) = (retired[at].cycle.max(before + 1), s.below(per_cycle.into()) as u8);
            let block = Block::trap(s.between(1, 2) as u8, retired[at - 1].next_pc);
            shown.push(PortBlock { clock, slot, block, steps: at..at });
        }
        let n = length(&retired[at..(at + most).min(retired.len())], xlen, s.between(2, HALFWORDS.into()) as u8);
        let mut block = Block::of(&retired[at..at + n], xlen);
        if narrow_itype {
            block.itype = narrow(block.itype);
        }
        let before = shown.last().map_or(0, |b| b.clock);
        let clock = retired[at + n - 1].cycle.max(before + 1);
        // the previous block, unless it already shares its cycle, may move to the cycle of this one
        let alone = shown.len() < 2 || shown[shown.len() - 2].clock < before;
        let joins = per_cycle > 1 && alone && s.percent(30);
        if let (true, Some(older)) = (joins, shown.last_mut()) {
            (older.clock, older.slot) = (clock, 0);
        }
        let slot = if joins && !shown.is_empty() { 1 } else { s.below(per_cycle.into()) as u8 };
        shown.push(PortBlock { clock, slot, block, steps: at..at + n });
        at += n;
    }
    // the last block may wait for an address
    if let (Some(last), Some(r)) = (shown.last(), retired.last()) {
        let clock = last.clock + 1;
        shown.push(PortBlock { clock, slot: 0, block: Block::trap(2, r.next_pc), steps: at..at });
    }
    shown
}

/// An event, and the cycle in which it is reported.
type TimedEvent = (u64, FlowEvent);

/// The events of a core, each with the cycle in which it is reported, and with its own time; and the cycle in which each instruction is
/// reported, without a queue.
fn events_of(
    shown: &[PortBlock],
    steps: &[Step],
    (xlen, narrow_itype): (u8, bool),
    (mut hold, log2_words): (Hold, Option<u8>),
    end: u64,
) -> Result<(Vec<TimedEvent>, Vec<u64>), Failure> {
    let mut queue = log2_words.map(Compressor::new);
    let is_event = |r: &Retired| {
        let itype = itype(r, xlen);
        let jumps =
            if narrow_itype { narrow(itype) != 0 || r.next_pc != r.pc.wrapping_add(r.len.into()) } else { itype != 0 };
        r.trapped || jumps
    };
    let (mut timed_events, mut next, mut first, mut released) = (Vec::new(), 0, 0, 0);
    let mut clocks = Vec::new();
    for clock in 0..=end {
        let (mut group, mut trap) = (Vec::new(), false);
        while let Some(s) = shown.get(next).filter(|s| s.clock == clock) {
            trap = s.block.iretire == 0;
            group.extend(steps[s.steps.clone()].iter().map(|s| s.retired));
            next += 1;
        }
        let (out, with_delay) = hold.clock(group, trap);
        let Some(queue) = &mut queue else {
            // reported immediately, in the cycle in which its next address is known
            for step in &steps[released..released + out.len()] {
                let events = step.before.iter().chain(&step.event);
                timed_events.extend(events.map(|e| (clock, FlowEvent { cycle: clock + START, ..*e })));
            }
            clocks.extend(out.iter().map(|_| clock));
            released += out.len();
            continue;
        };
        let came: Vec<(usize, bool)> = out.iter().map(&is_event).enumerate().collect();
        let row = queue.with_delay(came.iter().map(|(i, event)| (released + i, *event)), true, with_delay);
        released += came.len();
        if row.beat_lost {
            return Err(Failure::Other("the queue of --retire-queue is full, at a pace that it should carry".into()));
        }
        let Some(at) = row.event else { continue };
        let cycle = clock - u64::from(row.lag) + START;
        // a start or trap is reported with the instruction that follows
        for step in &steps[first..=at] {
            let events = step.before.iter().chain(&step.event);
            timed_events.extend(events.map(|e| (clock, FlowEvent { cycle, ..*e })));
        }
        first = at + 1;
    }
    Ok((timed_events, clocks))
}

/// The blocks as the text of a file.
fn beats(cores: &[Vec<PortBlock>], xlen: u8) -> String {
    let mut all: Vec<(u64, usize, &PortBlock)> =
        cores.iter().enumerate().flat_map(|(core, list)| list.iter().map(move |s| (s.clock, core, s))).collect();
    all.sort_by_key(|(clock, core, s)| (*clock, *core, s.slot));
    let digits = usize::from(xlen) / 4;
    let mut text = format!(
        "// {INSTRUCTIONS} instructions in {} blocks; decimal but for the hex iaddr; the cycle in which status.active becomes 1 is 0\n\
         // cycle core block itype iaddr iretire ilastsize icount\n",
        all.len()
    );
    for (clock, core, s) in all {
        let b = &s.block;
        let _ = writeln!(
            text,
            "{} {core} {} {} {:0digits$x} {} {} {}",
            clock + START,
            s.slot,
            b.itype,
            b.iaddr,
            b.iretire,
            u8::from(b.ilastsize),
            b.icount
        );
    }
    text
}
