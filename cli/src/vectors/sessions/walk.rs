//! What cores retire in a session, and in which clocks

use super::super::model;
use super::Act;
use hdl::emit::SystemOptions;
use hdl::trace_sim::START;
use retire::image::Image;
use retire::FlowEvent;
use sim::params::TraceParams;
use sim::stimulus::program::Model;
use sim::stimulus::run::{Config, Retired, Run, Step};
use sim::stimulus::Source;

/// What retires, as acts and as events.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// What cores show, with the clock of each.
    pub acts: Vec<(u64, Act)>,
    /// The instructions with their events; their clocks are those of `acts`.
    pub steps: Vec<Step>,
    /// What retired after the last event of each core.
    pub stops: Vec<FlowEvent>,
    /// The clock of the last instruction.
    pub end: u64,
    /// Its program is [`Walker::dense`].
    pub is_dense: bool,
}

impl Walk {
    /// All events, in the order in which they happen.
    pub fn events(&self) -> impl Iterator<Item = &FlowEvent> {
        self.steps.iter().flat_map(|s| s.before.iter().chain(&s.event)).chain(&self.stops)
    }
}

/// Draws what cores retire.
pub struct Walker<'a> {
    params: &'a TraceParams,
    options: &'a SystemOptions,
    /// A program like any other.
    usual: Model,
    /// One of control-flow instructions alone.
    pub dense: Model,
}

/// Clocks that the messages of an event take at most, with a sink that takes a word in one of four. A trap has two addresses: with one bit
/// per clock, that is most of it.
pub fn clocks_of_event(params: &TraceParams) -> u64 {
    if params.flow.is_serial() {
        64 + 2 * 2 * u64::from(params.xlen)
    } else {
        24
    }
}

/// Instructions of the program of control-flow instructions alone.
const DENSE: u32 = 256;

impl<'a> Walker<'a> {
    /// For a system.
    pub fn new(params: &'a TraceParams, options: &'a SystemOptions) -> Self {
        let usual = model(params, &options.extras, Model::new);
        let dense = model(params, &options.extras, |shape| Model::dense(shape, DENSE));
        Self { params, options, usual, dense }
    }

    /// The code of `walk`.
    pub fn code(&self, walk: &Walk) -> Image {
        Image::new(if walk.is_dense { &self.dense.program } else { &self.usual.program })
    }

    /// Instructions of a program, in most of the cycles.
    pub fn program(&self, seed: u64, instructions: usize) -> Walk {
        let config = Config { retire_percent: 80, trap_per_64k: 600, ..Config::new(self.params.cores, seed) };
        self.walk(&self.usual, &config, instructions)
    }

    /// Control-flow instructions, in every cycle.
    pub fn dense(&self, seed: u64, instructions: usize) -> Walk {
        let config = Config {
            retire_percent: 100,
            trap_per_64k: 2_000,
            wait_per_64k: 0,
            ..Config::new(self.params.cores, seed)
        };
        Walk { is_dense: true, ..self.walk(&self.dense, &config, instructions) }
    }

    /// Control-flow instructions of one core: `stretches` of these lengths in successive cycles, with a rest between two in which a full FIFO
    /// becomes empty.
    pub fn alone(&self, (core, seed): (u8, u64), stretches: &[usize]) -> Walk {
        let config = Config { retire_percent: 100, trap_per_64k: 1_000, wait_per_64k: 0, ..Config::new(1, seed) };
        let mut walk = Walk { is_dense: true, ..Walk::default() };
        let mut run = Run::new(&self.dense, &config);
        let mut rest = START;
        for length in stretches {
            for mut step in run.by_ref().take(*length) {
                let at = |cycle: u64| cycle + rest;
                step.retired = Retired { hart: core, cycle: at(step.retired.cycle), ..step.retired };
                let own = |e: FlowEvent| FlowEvent { hart: core, cycle: at(e.cycle), ..e };
                (step.before, step.event) = (step.before.map(own), step.event.map(own));
                walk.acts.push((step.retired.cycle, Act::Retire(step.retired)));
                walk.steps.push(step);
            }
            rest += u64::from(self.options.fifo_entries()) * 8 + 100;
        }
        walk.end = walk.steps.last().map_or(START, |s| s.retired.cycle);
        walk
    }

    /// A run with rests before the event FIFOs are full, so that nothing is lost.
    fn walk(&self, model: &Model, config: &Config, instructions: usize) -> Walk {
        // short bursts in between show more of what happens when a FIFO becomes empty
        let most = u64::from(self.options.fifo_entries()) - 1;
        let mut source = Source::seeded(config.seed);
        let mut run = Run::new(model, config);
        let (mut limit, mut waiting, mut pause, mut last) = (most, vec![0; config.cores.into()], 0, 0);
        let mut walk = Walk::default();
        for mut step in run.by_ref().take(instructions) {
            let cycle = step.retired.cycle;
            // a core adds a trap and a branch at most
            if cycle > last && waiting.iter().any(|w| w + 2 > limit) {
                pause += waiting.iter().sum::<u64>() * clocks_of_event(self.params) + source.below(40);
                waiting.fill(0);
                limit = if source.percent(30) { most } else { most.min(source.between(2, 40)) };
            }
            last = cycle;
            let later = |e: FlowEvent| FlowEvent { cycle: cycle + pause + START, ..e };
            step.retired.cycle = cycle + pause + START;
            (step.before, step.event) = (step.before.map(later), step.event.map(later));
            waiting[usize::from(step.retired.hart)] +=
                u64::from(step.before.is_some()) + u64::from(step.event.is_some());
            walk.steps.push(step);
        }
        walk.end = walk.steps.last().map_or(START, |s| s.retired.cycle);
        walk.stops = run.stop();
        walk.acts = self.acts(&walk.steps, &mut source);
        walk
    }

    /// What cores show of it: a trap is shown by `intr`, or by an instruction that traps before it.
    fn acts(&self, steps: &[Step], source: &mut Source) -> Vec<(u64, Act)> {
        let mut acts = Vec::new();
        let mut before: Vec<Option<&Step>> = vec![None; self.params.cores.into()];
        for step in steps {
            let r = &step.retired;
            let before = before[usize::from(r.hart)].replace(step).map(|b| b.retired);
            let free = before.filter(|b| b.cycle + 1 < r.cycle && r.trapped && source.percent(50));
            let Some(b) = free.filter(|_| !self.options.extras.check) else {
                acts.push((r.cycle, Act::Retire(*r)));
                continue;
            };
            let clock = source.between(b.cycle + 1, r.cycle - 1);
            let trap = Retired { pc: b.next_pc, next_pc: source.bits(16), ..b };
            acts.push((clock, Act::Trap(trap)));
            acts.push((r.cycle, Act::Retire(Retired { trapped: false, ..*r })));
        }
        acts.sort_by_key(|(clock, _)| *clock);
        acts
    }

    /// What cores show in a number of cycles from `clock` on, in which nothing is traced.
    pub fn untraced(&self, seed: u64, clock: u64, clocks: u64) -> impl Iterator<Item = (u64, Act)> {
        let config = Config {
            retire_percent: 100,
            trap_per_64k: 9_000,
            wait_per_64k: 0,
            ..Config::new(self.params.cores, seed)
        };
        let run = Run::new(&self.dense, &config).skip_while(|s| s.retired.cycle < 40);
        let retired: Vec<_> = run.map(|s| s.retired).take_while(|r| r.cycle < 40 + clocks).collect();
        retired.into_iter().map(move |r| (r.cycle - 40 + clock, Act::Retire(r)))
    }
}
