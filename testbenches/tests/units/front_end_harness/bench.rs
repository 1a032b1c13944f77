//! A front end with its stimulus

use super::entries::{resync, unasked};
use super::golden::Golden;
use super::ingress::{chained, Hide, Ingress, ReportTime, Show};
use retire::{Context, FlowEvent, FlowKind};
use sim::message::Message;
use sim::params::TraceParams;
use sim::stimulus::program::Model;
use sim::stimulus::run::{Config, Retired, Run, Step};
use sim::stimulus::Source;
use std::collections::VecDeque;
use testbenches::driver::{Driver, DriverError};
use testbenches::entry::Entry;

/// Entries that the FIFO holds, and the number in use or reserved below which the front end resumes after a gap.
const PLACES: usize = 6;
const RESUME_LEVEL: usize = 2;

/// A front end, its outputs, and the expected ones.
pub struct Bench<T: Ingress, G: Golden> {
    pub d: Driver<T>,
    pub(super) params: TraceParams,
    source: Source,
    /// Probability, per 65,536 cycles, that nothing is popped from the FIFO for a while.
    pub full_per_64k: u16,
    /// Probability, per 65,536 cycles, that a resync becomes due.
    pub sync_per_64k: u16,
    /// Probability, per 65,536 instructions and additionally at every second trap, that hidden instructions begin.
    pub hide_per_64k: u16,
    /// Probability, per 65,536 instructions and additionally at every second trap, that the context changes.
    pub context_per_64k: u16,
    /// Stretches of hidden instructions longer than the pipeline, each with the number reported as lost.
    pub hidden: Vec<(u64, u64)>,
    /// Whether traps that are visible by their target may be unannounced.
    pub unsignalled_traps: bool,
    /// Whether the target of every control-flow instruction is needed: with resyncs, or a stream cache.
    pub all_need_target: bool,
    /// Whether a PC chain derives the targets of branches before traps from the code: with signatures or resyncs.
    pub target_from_code: bool,
    /// Number of resyncs.
    pub resyncs: usize,
    /// Cycles between the last instruction and the end.
    pub idle_before_stop: usize,
    /// Alternative: number of cycles at the end in which instructions retire after tracing is disabled.
    pub cycles_after_end: usize,
    /// Number of overflow messages.
    pub overflows: usize,
    /// Overflow messages that no instruction followed, because tracing was disabled in the gap.
    pub stops_in_gaps: usize,
    /// Whether there was a resync, a sync in the last cycle.
    synced: (bool, bool),
    /// Entries in use or reserved; entries in use.
    used: usize,
    held: usize,
    /// PCs of resyncs whose entries are still to be pushed.
    resync_pcs: VecDeque<u64>,
    /// Addresses at the ports in the last cycle.
    addresses: (u64, u64),
    /// All messages of the last run.
    pub messages: Vec<Message<G::Body>>,
}

/// An instruction, the cycle in which it retires for the trace, and the cycle in which it is at the ports.
pub(super) struct Beat {
    pub clock: u64,
    pub shown: usize,
    pub step: Step,
    pub hide: Hide,
    pub context: Context,
}

impl<T: Ingress, G: Golden> Bench<T, G> {
    pub fn new(uut: T, params: &TraceParams) -> Result<Self, DriverError> {
        Ok(Self {
            d: Driver::new(uut, |u: &mut T, c| u.set_clock(c))?.recording(),
            params: *params,
            source: Source::seeded(77),
            full_per_64k: 0,
            sync_per_64k: 0,
            hide_per_64k: 0,
            context_per_64k: 0,
            hidden: Vec::new(),
            all_need_target: params.signature > 0 || params.stream_cache().is_some(),
            target_from_code: params.signature > 0,
            resyncs: 0,
            unsignalled_traps: false,
            idle_before_stop: 2,
            cycles_after_end: 0,
            overflows: 0,
            stops_in_gaps: 0,
            synced: (false, false),
            used: 0,
            held: 0,
            resync_pcs: VecDeque::new(),
            addresses: (0, 0),
            messages: Vec::new(),
        })
    }

    /// Runs `steps` instructions of a program; returns the number of messages, or where they differ from the golden
    /// model's.
    pub fn play(&mut self, model: &Model, config: &Config, steps: usize) -> Result<usize, String> {
        let steps: Vec<Step> = Run::new(model, config).take(steps).collect();
        self.play_steps(&steps)
    }

    /// Runs `steps` with their cycles, from an idle front end to its stop message.
    pub fn play_steps(&mut self, steps: &[Step]) -> Result<usize, String> {
        let known = if T::TRAPS_SIGNALLED { None } else { Some(chained(steps, &self.params, self.target_from_code)) };
        let (shows, mut beats) = self.shows(known.as_deref().unwrap_or(steps));
        let mut hides = vec![Hide::No; shows.len()];
        beats.iter().for_each(|b| hides[b.shown] = b.hide);
        let mut contexts = vec![Context::RESET; shows.len()];
        beats.iter().for_each(|b| contexts[b.shown] = b.context);
        let idle = (Hide::No, Context(0));
        let mut clock = 0;
        // the adapter may hold an instruction of an earlier run, which this trap reports before tracing begins
        let mut show = if T::TRAPS_SIGNALLED && !T::INTR { Show::Trap(0x40) } else { Show::Nothing };
        while !self.cycle(&show, idle, [false, false], [false; 3], true).0 || clock < 3 {
            show = Show::Nothing;
            clock += 1;
            assert!(clock < 10_000, "never ready");
        }
        // enabled in the cycle of the first instruction
        let (mut entries, mut full_at) = (Vec::new(), Vec::new());
        let mut blocked_for = 0;
        // a resync that is due, of a core that leads or follows; and when each was requested
        let (mut due, mut asks) = (None, Vec::new());
        let end = match self.cycles_after_end {
            0 => shows.len() + self.idle_before_stop,
            clocks => shows.len().saturating_sub(clocks).max(1),
        };
        let mut stopped = None;
        for t in 0..end + 20_000 {
            let show = shows.get(t).unwrap_or(&Show::Nothing);
            // ignored between instructions
            let noise = if self.hide_per_64k > 0 { Hide::Own } else { Hide::No };
            let retires = matches!(show, Show::Retire { .. });
            let hide = hides.get(t).copied().filter(|_| retires).unwrap_or(noise);
            // ignored as well
            let noise = Context(if self.context_per_64k > 0 { t as u32 & 0xffff } else { 0 });
            let context = contexts.get(t).copied().filter(|_| retires).unwrap_or(noise);
            if blocked_for == 0 && self.source.per_64k(self.full_per_64k) {
                blocked_for = self.source.between(1, 400);
            }
            // if the stop message reports when tracing ended, it must not be delayed
            let pop = blocked_for == 0 && (self.full_per_64k == 0 || self.source.percent(60))
                || t >= end && G::STOP_HAS_END_TIME;
            let enable = t < end;
            blocked_for = u64::saturating_sub(blocked_for, 1);
            full_at.push(self.used == PLACES);
            let mut header_repeated = false;
            if (8..end).contains(&t) && self.source.per_64k(self.sync_per_64k) {
                let follows = due.unwrap_or_else(|| self.source.percent(50));
                due = Some(follows);
                header_repeated = follows;
                asks.push((t as u64, follows));
            }
            let sync = [due.is_some(), due == Some(true), header_repeated];
            let (_, ready_to_stop, entry) = self.cycle(show, (hide, context), [enable, false], sync, pop);
            let (resynced, synced) = self.synced;
            self.resyncs += usize::from(resynced);
            due = due.filter(|follows| !(resynced || *follows && synced));
            if let Some(e) = entry {
                entries.push((t as u64, e));
            }
            if ready_to_stop {
                // the other cores of the system make it wait now and then
                let told = if G::STOP_HAS_END_TIME { t as u64 - 1 } else { t as u64 + 1 };
                stopped = Some(told - G::to_decision(&self.params));
                for after in 0..=1 {
                    let show = shows.get(t + 1 + after as usize).unwrap_or(&Show::Nothing);
                    let (_, _, entry) = self.cycle(show, idle, [false, true], [false; 3], true);
                    assert_eq!(entry.is_some(), after == G::TO_ENTRY, "stop entry");
                    entries.extend(entry.map(|e| (t as u64 + 1 + after, e)));
                }
                break;
            }
        }
        let stopped = stopped.ok_or("never ready to stop")?;
        assert_eq!(self.held, self.used, "places that nobody gave back");
        beats.retain(|b| b.clock < end as u64);
        self.compare(&beats, &entries, &full_at, &asks, stopped)
    }

    /// Runs one cycle, in which an entry is popped from the FIFO if `pop`; returns ready, stop_ready, entry.
    fn cycle(
        &mut self,
        show: &Show,
        (hide, context): (Hide, Context),
        [enable, go]: [bool; 2],
        [due, follows, header_repeated]: [bool; 3],
        pop: bool,
    ) -> (bool, bool, Option<Entry>) {
        let tells = self.params.context.is_some();
        let (no_credit, below_watermark) = (self.used == PLACES, self.used < RESUME_LEVEL);
        let (ready, stop_ready, entry, synced, (take, give_back), addresses, resync_pc) = self
            .d
            .cycle(
                |u| {
                    u.set(show);
                    u.hide(hide);
                    if tells {
                        u.context(context, hide);
                    }
                    u.control(enable, no_credit, below_watermark, go);
                    u.sync(due, follows, header_repeated);
                },
                |u| (u.ready(), u.stop_ready(), u.entry(), u.synced(), u.places(), u.addresses(), u.resync_pc()),
            )
            .unwrap();
        self.synced = synced;
        if G::TO_RESYNC.is_some() && synced.0 {
            self.resync_pcs.push_back(resync_pc);
        }
        let (pc, target) = std::mem::replace(&mut self.addresses, addresses);
        let entry = entry.map(|e| match G::TO_RESYNC {
            // with resyncs, this bit has a meaning in escape messages
            Some(_) if self.sync_per_64k == 0 => unasked(e),
            Some(_) if resync(&e) => Entry { resync_pc: self.resync_pcs.pop_front().unwrap_or(u64::MAX), ..e },
            _ => e,
        });
        let entry = entry.map(|e| if G::EARLY { Entry { pc, target, ..e } } else { e });
        // every entry must have been reserved
        let pop = usize::from(pop && self.held > 0);
        assert!(!(take && no_credit), "a place is taken where none is left");
        self.used = self.used + usize::from(take) - usize::from(give_back) - pop;
        self.held = self.held + usize::from(entry.is_some()) - pop;
        assert!(self.held <= self.used, "{} entries in {} places that were taken", self.held, self.used);
        (ready, stop_ready, entry)
    }

    /// Port values of each cycle, and when each instruction retires for the trace.
    fn shows(&mut self, steps: &[Step]) -> (Vec<Show>, Vec<Beat>) {
        let mut shows = Vec::new();
        let mut beats: Vec<Beat> = Vec::new();
        let first = steps.first().map_or(0, |s| s.retired.cycle);
        // traps take cycles of their own, which delay everything after them
        let mut late = 0;
        let mut next_pc = 0;
        // how many more are hidden, and why
        let (mut hidden, mut why) = (0, Hide::No);
        let mut context = Context::RESET;
        let release = |beats: &mut Vec<Beat>, clock: u64| {
            if let Some(b) = beats.last_mut().filter(|b| b.clock == u64::MAX) {
                b.clock = clock;
            }
        };
        for step in steps {
            let r = step.retired;
            let at = r.cycle - first + late;
            while (shows.len() as u64) < at {
                shows.push(Show::Nothing);
            }
            // a trap is reported by a cycle of its own, or by its neighbours
            let mut told = !T::TRAPS_SIGNALLED;
            if let Some(Show::Retire { kind: None, then_trap, .. }) =
                shows.last_mut().filter(|_| !T::INTR && !told && r.trapped)
            {
                told = self.source.percent(50);
                *then_trap = told;
            }
            let silent = !T::TRAPS_SIGNALLED
                || self.unsignalled_traps && r.trapped && r.pc != next_pc && self.source.percent(50);
            let shown = !silent && r.trapped && ((!T::INTR && !told) || self.source.percent(60));
            if shown {
                for _ in 0..self.source.between(1, 2) {
                    release(&mut beats, shows.len() as u64);
                    shows.push(Show::Trap(next_pc));
                    late += 1;
                }
            }
            let intr = !silent && r.trapped && (!shown || self.source.percent(50));
            let clock = shows.len() as u64;
            release(&mut beats, clock);
            hidden = u64::saturating_sub(hidden, 1);
            let begins = self.hide_per_64k > 0 && r.trapped && self.source.percent(50);
            if hidden == 0 && (begins || self.source.per_64k(self.hide_per_64k)) {
                hidden = *self.source.pick(&[1, 2, 3, 5, 8, 13, 40, 60, 100, 400]);
                why = *self.source.pick(&[Hide::Own, Hide::Mode]);
            }
            let hide = if hidden > 0 { why } else { Hide::No };
            if self.context_per_64k > 0 {
                let turns = r.trapped && self.source.percent(50) || self.source.per_64k(self.context_per_64k);
                if turns {
                    // one of few contexts, so that some repeat; bits that are not reported differ, too
                    let (mode, id) = (*self.source.pick(&[0, 0, 1, 3]), self.source.bits(2) as u32);
                    context = Context::new(mode, id << 14 | self.source.bits(2) as u32);
                }
            }
            let (kind, shown) = (step.event.map(|e| e.kind), shows.len());
            // with a filter, the target of a hidden instruction is not needed
            let told = match T::told(kind, self.all_need_target) {
                ReportTime::WithNext if hide != Hide::No && !T::HIDDEN_WAITS => ReportTime::After(1),
                told => told,
            };
            let clock = if let ReportTime::After(clocks) = told { clock + clocks } else { u64::MAX };
            beats.push(Beat { clock, shown, step: *step, hide, context });
            shows.push(Show::Retire { r, kind, intr, then_trap: false });
            next_pc = r.next_pc;
        }
        (shows, beats)
    }
}

/// `n` times `j .`, one every `gap` cycles.
pub fn spin(n: usize, gap: u64) -> Vec<Step> {
    let pc = 0x100;
    let event = |kind, len, count, cycle| FlowEvent { hart: 0, kind, len, count, pc, target: pc, cycle };
    (0..n as u64)
        .map(|i| Step {
            retired: Retired { cycle: i * gap, hart: 0, trapped: false, len: 2, pc, next_pc: pc, insn: 0xa001 },
            before: (i == 0).then(|| event(FlowKind::Start, 0, 0, 0)),
            event: Some(event(FlowKind::Jump, 2, 1, i * gap)),
        })
        .collect()
}
