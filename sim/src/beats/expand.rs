//! Expands flow events and code to single instructions

use super::Retired;
use retire::elf::Program;
use retire::image::Image;
use retire::{FlowEvent, FlowKind};
use std::collections::VecDeque;

/// Error of events that do not match the program.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpandError {
    /// The events lead outside the code.
    #[error("hart {hart}, cycle {cycle}: no code at pc {pc:#x}")]
    NoCode {
        /// Hart.
        hart: u8,
        /// Cycle of the event.
        cycle: u64,
        /// Address.
        pc: u64,
    },
    /// The instructions before an event do not lead to its address.
    #[error("hart {hart}, cycle {cycle}: event at pc {event:#x}, but {count} instructions lead to pc {found:#x}")]
    Elsewhere {
        /// Hart.
        hart: u8,
        /// Cycle of the event.
        cycle: u64,
        /// Address in the event.
        event: u64,
        /// Instructions since the previous event.
        count: u32,
        /// Address that they lead to.
        found: u64,
    },
    /// More instructions than cycles, or events out of order.
    #[error("hart {hart}, cycle {cycle}: {count} instructions since cycle {since}; one a cycle is possible")]
    TooFast {
        /// Hart.
        hart: u8,
        /// Cycle of the event.
        cycle: u64,
        /// Instructions since the previous event.
        count: u32,
        /// Cycle of the previous event.
        since: u64,
    },
}

/// Sequential instructions of one hart, evenly spread over its cycles.
#[derive(Clone, Copy, Debug)]
struct Run {
    pc: u64,
    left: u32,
    /// Cycle of the first, and of the last instruction.
    cycle: u64,
    last: u64,
    trapped: bool,
    /// Target of the last instruction; `None`: the next address.
    target: Option<u64>,
}

#[derive(Clone, Debug)]
struct Hart {
    runs: VecDeque<Run>,
    pc: u64,
    /// No further instruction retires before this cycle.
    after: u64,
    /// Set if the next instruction is the first after a start or trap: its cycle, and whether it was a trap.
    first: Option<(u64, bool)>,
    started: bool,
    stopped: bool,
}

/// Expands events in commit order to instructions in commit order.
///
/// Events give the cycle of each control-flow instruction, and of the first instruction after a start or trap. Those
/// between are spread evenly. While a hart has no events, the runs of the others wait for it,
/// 48 bytes each.
#[derive(Clone, Debug)]
pub struct Expander {
    image: Image,
    harts: Vec<Hart>,
    now: u64,
}

impl Expander {
    /// For events of `cores` harts that run `program`.
    pub fn new(program: &Program, cores: u8) -> Self {
        let hart = Hart { runs: VecDeque::new(), pc: 0, after: 0, first: None, started: false, stopped: false };
        Self { image: Image::new(program), harts: vec![hart; cores.into()], now: 0 }
    }

    /// Takes the next event and passes the instructions that are now known to `each`. Ignores events of harts
    /// that do not exist.
    pub fn event(&mut self, e: &FlowEvent, each: &mut impl FnMut(&Retired)) -> Result<(), ExpandError> {
        self.now = self.now.max(e.cycle);
        if usize::from(e.hart) < self.harts.len() {
            self.queue(e)?;
        }
        self.emit_ready(each)
    }

    /// Ends the events: passes all remaining instructions, without waiting for harts that have no `Stop`.
    pub fn finish(mut self, each: &mut impl FnMut(&Retired)) -> Result<(), ExpandError> {
        self.harts.iter_mut().for_each(|h| h.stopped = true);
        self.emit_ready(each)
    }

    fn queue(&mut self, e: &FlowEvent) -> Result<(), ExpandError> {
        // the event after it gives the position of the hart
        if let FlowKind::Context { alone: false, .. } = e.kind {
            return Ok(());
        }
        let Self { image, harts, .. } = self;
        let h = &mut harts[usize::from(e.hart)];
        let (hart, cycle, count) = (e.hart, e.cycle, e.count);
        // the last cycle in which one of the `count` instructions may have retired
        let before = matches!(e.kind, FlowKind::Trap { .. } | FlowKind::Context { .. });
        let end = if before { cycle.saturating_sub(1) } else { cycle };
        let retires = e.len != 0;
        let sequential = count.saturating_sub(retires.into());
        let pc = h.pc;
        let found = image.skip(pc, sequential).ok_or(ExpandError::NoCode { hart, cycle, pc })?;
        if found != e.pc && e.kind != FlowKind::Start {
            return Err(ExpandError::Elsewhere { hart, cycle, event: e.pc, count, found });
        }
        if count > 0 {
            let (start, trapped) = h.first.take().unwrap_or((h.after, false));
            let too_fast = ExpandError::TooFast { hart, cycle, count, since: start };
            let room = end.checked_sub(start).ok_or(too_fast)?;
            if room < u64::from(count) - 1 {
                return Err(ExpandError::TooFast { hart, cycle, count, since: start });
            }
            let target = retires.then_some(e.target);
            // a branch ends exactly at its event; a trap or stop does not fix that cycle
            let last = if retires { end } else { start + u64::from(count) - 1 };
            let mut run = Run { pc, left: count, cycle: start, last, trapped, target };
            if !trapped && retires && count == 1 {
                run.cycle = last;
            }
            h.runs.push_back(run);
            h.after = last + 1;
        }
        match e.kind {
            FlowKind::Start | FlowKind::Trap { .. } => {
                h.first = Some((cycle, e.kind != FlowKind::Start));
                h.after = h.after.max(cycle);
                h.started = true;
            }
            FlowKind::Stop => h.stopped = true,
            _ => {}
        }
        h.pc = e.target;
        Ok(())
    }

    /// Passes on instructions as long as none that is earlier in commit order can still come.
    fn emit_ready(&mut self, each: &mut impl FnMut(&Retired)) -> Result<(), ExpandError> {
        loop {
            let mut best: Option<(u64, usize)> = None;
            let mut bound: Option<(u64, usize)> = None;
            for (i, h) in self.harts.iter().enumerate() {
                let (slot, key) = match h.runs.front() {
                    Some(run) => (&mut best, run.cycle),
                    None if h.stopped => continue,
                    None if h.started => (&mut bound, h.after),
                    None => (&mut bound, self.now),
                };
                if slot.is_none_or(|s| (key, i) < s) {
                    *slot = Some((key, i));
                }
            }
            let Some(head) = best.filter(|b| bound.is_none_or(|other| *b < other)) else {
                return Ok(());
            };
            self.emit_one(head.1, each)?;
        }
    }

    fn emit_one(&mut self, hart: usize, each: &mut impl FnMut(&Retired)) -> Result<(), ExpandError> {
        let Some(run) = self.harts[hart].runs.front_mut() else { return Ok(()) };
        let (cycle, pc) = (run.cycle, run.pc);
        let (insn, len) = self.image.instruction(pc).ok_or(ExpandError::NoCode { hart: hart as u8, cycle, pc })?;
        run.left -= 1;
        let fall_through = pc.wrapping_add(len.into());
        let next_pc = run.target.filter(|_| run.left == 0).unwrap_or(fall_through);
        each(&Retired { cycle, hart: hart as u8, trapped: run.trapped, len, pc, next_pc, insn });
        if run.left == 0 {
            self.harts[hart].runs.pop_front();
        } else {
            run.pc = fall_through;
            run.trapped = false;
            // even steps: the share of one instruction in the cycles that are left
            run.cycle += (run.last - run.cycle) / u64::from(run.left);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stimulus::program::{Model, Shape};
    use crate::stimulus::run::{record, Config};

    fn expand(model: &Model, cores: u8, events: &[FlowEvent]) -> Result<Vec<Retired>, ExpandError> {
        let mut expander = Expander::new(&model.program, cores);
        let mut out = Vec::new();
        for e in events {
            expander.event(e, &mut |r| out.push(*r))?;
        }
        expander.finish(&mut |r| out.push(*r))?;
        Ok(out)
    }

    #[test]
    fn expanded_events_are_the_instructions_that_ran() {
        for (shape, cores) in [(Shape::rv32(5), 1), (Shape::rv32(6), 4), (Shape::rv64(7), 3)] {
            let model = Model::new(&shape);
            let r = record(&model, &Config::new(cores, 9), 50_000);
            let out = expand(&model, cores, &r.events).unwrap();
            assert_eq!(out.len(), r.retired.len());
            assert!(out.windows(2).all(|w| (w[0].cycle, w[0].hart) < (w[1].cycle, w[1].hart)));
            for hart in 0..cores {
                let of = |list: &[Retired]| list.iter().filter(|r| r.hart == hart).copied().collect::<Vec<_>>();
                let events: std::collections::BTreeSet<u64> =
                    r.events.iter().filter(|e| e.hart == hart && e.kind != FlowKind::Stop).map(|e| e.cycle).collect();
                for (got, ran) in of(&out).iter().zip(of(&r.retired)) {
                    // cycles are exact where an event gives them
                    let cycle = if events.contains(&ran.cycle) { ran.cycle } else { got.cycle };
                    assert_eq!(*got, Retired { cycle, ..ran });
                }
            }
        }
    }

    #[test]
    fn events_that_do_not_fit_the_program_are_errors() {
        let model = Model::new(&Shape::rv32(5));
        let r = record(&model, &Config::new(1, 9), 1000);
        let mut wrong = r.events.clone();
        wrong[5].count += 1;
        assert!(matches!(expand(&model, 1, &wrong), Err(ExpandError::Elsewhere { .. } | ExpandError::NoCode { .. })));
        let mut wrong = r.events.clone();
        wrong[5].cycle = wrong[4].cycle;
        assert!(matches!(expand(&model, 1, &wrong), Err(ExpandError::TooFast { .. })));
        let mut wrong = r.events;
        wrong[0].target = 0x10;
        let e = expand(&model, 1, &wrong).unwrap_err().to_string();
        assert!(e.ends_with("no code at pc 0x10"), "{e}");
    }
}
