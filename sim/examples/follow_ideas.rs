//! Further predictors for scheme `follow`: what each would save
//!
//! `cargo run --release -p sim --example follow_ideas INSTRUCTIONS FOLDER SET[/IDEA...]...`
//!
//! Of each recording FOLDER/NAME.ret the first INSTRUCTIONS are predicted, and the bits of messages and of the arithmetic coder are counted, without
//! headers and padding. Nothing is decoded: these are estimates, which agree with `follow_table bits` for a SET without an IDEA.
//!
//! | idea | meaning |
//! | --- | --- |
//! | `corrector=N` | 2^N counters of 5 bits by address, prediction and certainty, which invert a prediction that was mostly wrong |
//! | `local=E,B,N` | the last B outcomes of each branch, in 2^E entries, index 2^N counters of 3 bits; a sure one counts in the context, and replaces weak tables |
//! | `trips=N` | a dictionary of loops: 2^N trip counts by branch and history before the loop, with confidence |
//! | `static` | a counter of the bimodal table that has learnt nothing predicts taken if the branch goes backwards |
//! | `trained` | a second pass, which begins with the tables of the first one for outcomes |
//! | `trained-all` | the same, with all state |
//! | `sync=N` | all state is cleared every 2^N instructions of a core, which costs 60 more bits |

use retire::file::retire::RetireReader;
use retire::isa::Indirect;
use retire::{FlowEvent, FlowKind, RetireSink};
use sim::bits::BitWriter;
use sim::scheme::fields::{Code, Field};
use sim::scheme::follow::arithmetic::encoder::Encoder;
use sim::scheme::follow::arithmetic::probability::Probability;
use sim::scheme::follow::context;
use sim::scheme::follow::hash::{self, History};
use sim::scheme::follow::loops::Loops;
use sim::scheme::follow::past::Past;
use sim::scheme::follow::runs::Runs;
use sim::scheme::follow::sizes::Sizes;
use sim::scheme::follow::tables::Tables;
use sim::scheme::follow::targets::Targets;
use std::collections::HashMap;
use std::error::Error;
use std::path::{Path, PathBuf};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Contexts of conditionals: those of the scheme, three times for what the local history says, and those of the dictionary of loops.
const LOCAL: usize = 64;
const TRIPS: usize = 192;
/// Contexts of targets.
const RETURN: usize = 250;
const INDIRECT: usize = 251;
const IN_DICTIONARY: usize = 253;
/// Bits of a header and the fields of a sync.
const SYNC_BITS: u64 = 60;

/// The first instructions of a recording.
struct Beginning {
    left: u64,
    events: Vec<FlowEvent>,
}

impl RetireSink for Beginning {
    fn event(&mut self, event: &FlowEvent) {
        if self.left > 0 {
            self.left = self.left.saturating_sub(event.count.into());
            self.events.push(*event);
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Training {
    #[default]
    None,
    Tables,
    All,
}

/// What is added to the predictors.
#[derive(Clone, Copy, Debug, Default)]
struct Ideas {
    corrector: Option<u32>,
    local: Option<[u32; 3]>,
    trips: Option<u32>,
    backwards: bool,
    training: Training,
    sync: Option<u64>,
}

impl Ideas {
    fn parse(words: &[&str]) -> Result<Self> {
        let mut ideas = Self::default();
        for word in words {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            match name {
                "corrector" => ideas.corrector = Some(value.parse()?),
                "local" => {
                    let sizes: Vec<u32> = value.split(',').map(str::parse).collect::<std::result::Result<_, _>>()?;
                    ideas.local = Some(sizes.try_into().map_err(|_| format!("{word}: expected local=E,B,N"))?);
                }
                "trips" => ideas.trips = Some(value.parse()?),
                "static" => ideas.backwards = true,
                "trained" => ideas.training = Training::Tables,
                "trained-all" => ideas.training = Training::All,
                "sync" => ideas.sync = Some(1 << value.parse::<u32>()?),
                _ => return Err(format!("{word}: no such idea").into()),
            }
        }
        Ok(ideas)
    }
}

/// A loop that runs.
#[derive(Clone, Copy, Default)]
struct Running {
    pr: u32,
    valid: bool,
    dir: bool,
    count: u8,
    /// Entry of the dictionary, and what it predicted, since the first iteration.
    found: Option<(usize, u8, u8)>,
}

/// State of a core that a sync clears.
#[derive(Clone)]
struct State {
    tables: Tables,
    loops: Loops,
    past: Past,
    targets: Targets,
    history: History,
    upper: u64,
    counters: [i8; 256],
    probabilities: [Probability; 256],
    corrector: Vec<i8>,
    local_histories: Vec<u32>,
    local: Vec<i8>,
    running: [Running; 8],
    /// Trip counts, with confidence.
    trips: Vec<(u8, u8)>,
    /// Counters of the bimodal table that have learnt.
    learnt: Vec<bool>,
}

/// A core: its state, and the bits so far.
#[derive(Clone)]
struct Core {
    state: State,
    encoder: Encoder,
    coded: u64,
    runs: Runs,
    fields: BitWriter,
    messages: u64,
    run: u64,
    instructions: u64,
    next_sync: u64,
    misses: [u64; 2],
}

fn low(value: u32, bits: u32) -> usize {
    (value & ((1 << bits) - 1)) as usize
}

fn step(counter: &mut i8, up: bool, [least, most]: [i8; 2]) {
    *counter = if up { (*counter + 1).min(most) } else { (*counter - 1).max(least) };
}

impl State {
    fn new(sizes: &Sizes, ideas: &Ideas) -> Self {
        let entries = |log2: Option<u32>| log2.map_or(0, |n| 1 << n);
        Self {
            tables: Tables::new(sizes.bimodal.ilog2(), sizes.tables, sizes.tagged.ilog2()),
            loops: Loops::new(sizes.loops),
            past: Past::new(sizes.past, sizes.pointers.ilog2()),
            targets: Targets::new(sizes.targets()),
            history: History::default(),
            upper: 0,
            counters: [0; 256],
            probabilities: [Probability::default(); 256],
            corrector: vec![0; entries(ideas.corrector)],
            local_histories: vec![0; entries(ideas.local.map(|l| l[0]))],
            local: vec![0; entries(ideas.local.map(|l| l[2]))],
            running: [Running::default(); 8],
            trips: vec![(0, 0); entries(ideas.trips)],
            learnt: vec![false; usize::from(sizes.bimodal)],
        }
    }

    /// Predicts a conditional, learns it, and returns the context and whether the prediction is right.
    fn conditional(&mut self, ideas: &Ideas, pc: u64, taken: bool, backwards: bool) -> (usize, bool) {
        let pr = hash::address(pc);
        let mut found = self.tables.look_up(pr);
        let (sure_loop, past) = (self.loops.look_up(pr), self.past.look_up());
        let learnt = std::mem::replace(&mut self.learnt[usize::from(found.bimodal)], true);
        if ideas.backwards && found.provider == 0 && !learnt {
            (found.taken, found.provider_taken, found.alternate_taken) = (backwards, backwards, backwards);
        }
        let situation = context::situation(&found, sure_loop, past);
        let (mut says, mut context) = (situation.taken, usize::from(situation.context));
        if let Some([entries, bits, counters]) = ideas.local {
            let own = &mut self.local_histories[low(pr ^ pr >> entries, entries)];
            let counter = &mut self.local[low(*own ^ pr.wrapping_mul(0x9e37_79b1) >> (32 - counters), counters)];
            let sure = sure_loop.is_none() && matches!(*counter, 3 | -4);
            if sure && (*counter >= 0) == found.taken {
                context += LOCAL;
            } else if sure {
                context += 2 * LOCAL;
                says = if found.class <= 2 { *counter >= 0 } else { says };
            }
            step(counter, taken, [-4, 3]);
            *own = low(*own << 1 | u32::from(taken), bits) as u32;
        }
        if let Some(log2) = ideas.trips {
            let run = &mut self.running[low(pr ^ pr >> 3, 3)];
            if run.valid && run.pr == pr {
                if run.count == 0 {
                    let past = self.history.0.wrapping_mul(0x9e37_79b1) >> (32 - log2) ^ self.history.0 & 0xff;
                    let entry = low(pr ^ pr >> 5 ^ past, log2);
                    run.found = Some((entry, self.trips[entry].0, self.trips[entry].1));
                }
                if let Some((_, trip @ 2.., 2..)) = run.found.filter(|_| sure_loop.is_none()) {
                    let exit = run.count == trip;
                    says = run.dir ^ exit;
                    context = TRIPS + 2 * usize::from(exit) + usize::from(found.taken == says);
                }
                if taken == run.dir {
                    run.count = run.count.saturating_add(1);
                } else {
                    if let Some((entry, ..)) = run.found.take().filter(|_| run.count > 0) {
                        match &mut self.trips[entry] {
                            (trip, sure) if *trip == run.count => *sure = (*sure + 1).min(3),
                            (_, sure @ 1..) => *sure -= 1,
                            other => *other = (run.count, 0),
                        }
                    }
                    run.dir ^= run.count == 0;
                    run.count = 0;
                }
            } else if situation.taken != taken {
                *run = Running { pr, valid: true, dir: !taken, count: 0, found: None };
            }
        }
        if let Some(log2) = ideas.corrector {
            let opposed = past.is_some_and(|p| p.level() >= 3 && p.taken != says);
            let certainty = u32::from(says) << (log2 - 1)
                ^ u32::from(found.class >= 4) << (log2 - 2)
                ^ u32::from(opposed) << (log2 - 3);
            let counter = &mut self.corrector[low(pr ^ pr >> log2 ^ certainty, log2)];
            let inverts = *counter < -8;
            step(counter, says == taken, [-16, 15]);
            says ^= inverts;
        }
        self.loops.retire(pr, sure_loop, found.taken, taken);
        self.tables.retire(found, taken);
        self.past.retire(pr, past, taken);
        self.push(taken);
        (context, says == taken)
    }

    fn push(&mut self, bit: bool) {
        self.tables.push(bit, self.history);
        self.targets.push(bit, self.history);
        self.history.push(bit);
    }
}

impl Core {
    fn new(sizes: &Sizes, ideas: &Ideas) -> Self {
        Self {
            state: State::new(sizes, ideas),
            encoder: Encoder::default(),
            coded: 0,
            runs: Runs::new(1),
            fields: BitWriter::new(),
            messages: 0,
            run: 0,
            instructions: 0,
            next_sync: ideas.sync.unwrap_or(u64::MAX),
            misses: [0; 2],
        }
    }

    /// A message with the run of branches, and `bits` more.
    fn message(&mut self, bits: u64) {
        self.fields = BitWriter::new();
        self.runs.number(Field::Count, std::mem::take(&mut self.run), &mut self.fields);
        self.messages += self.fields.len() + bits;
    }

    fn outcome(&mut self, (context, right): (usize, bool)) {
        self.run += 1;
        self.encoder.decide(&mut self.state.probabilities[context], right);
        let counter = &mut self.state.counters[context];
        let missed = right == (*counter < 0);
        step(counter, right, [-8, 7]);
        if missed {
            self.misses[0] += 1;
            self.message(0);
        }
    }

    fn indirect(&mut self, kind: Indirect, e: &FlowEvent, low_mask: u64) {
        let pr = hash::address(e.pc);
        let found = self.state.targets.look_up(kind, pr);
        let upper = self.state.upper;
        let right = found.target | upper == e.target;
        let context = match kind {
            Indirect::Return | Indirect::CoSwap => RETURN,
            Indirect::Jump | Indirect::Call => INDIRECT + usize::from(found.sure),
        };
        self.run += 1;
        self.encoder.decide(&mut self.state.probabilities[context], right);
        if !right {
            self.misses[1] += 1;
            let dictionary = self.state.targets.dictionary();
            let slot = dictionary.slot(e.target & low_mask);
            let present = dictionary.address(slot) | upper == e.target;
            let other = found.other.map(|target| target | upper);
            let bits = if !present {
                let distance = (e.target.wrapping_sub(e.pc) as i64).unsigned_abs() >> 1;
                // a bit, chunks of 7 and of 4 bits with their connect bits, the sign
                2 + 8 + 5 * (u64::BITS - distance.leading_zeros()).saturating_sub(7).div_ceil(4)
            } else if other == Some(e.target) {
                2
            } else {
                1 + u32::from(other.is_some()) + dictionary.log2()
            };
            self.encoder.decide(&mut self.state.probabilities[IN_DICTIONARY], present);
            (1..bits).for_each(|bit| self.encoder.plain(bit % 2 == 0));
            self.message(bits.into());
        }
        let link = e.fall_through() & low_mask;
        self.state.targets.retire(kind, pr, &found, (e.target & low_mask, link), right);
        self.state.upper = e.target & !low_mask;
        if let Indirect::Jump | Indirect::Call = kind {
            self.state.push(History::of_target(e.target));
        }
    }

    fn event(&mut self, e: &FlowEvent, sizes: &Sizes, ideas: &Ideas, backwards: &HashMap<u64, bool>) {
        let low_mask = u64::MAX >> sizes.upper;
        self.instructions += u64::from(e.count);
        if self.instructions > self.next_sync {
            self.next_sync += ideas.sync.unwrap_or(u64::MAX);
            self.state = State::new(sizes, ideas);
            self.messages += SYNC_BITS;
            self.coded += SYNC_BITS;
        }
        match e.kind {
            FlowKind::Conditional { taken } => {
                let goes_back = backwards.get(&e.pc).copied().unwrap_or(false);
                let outcome = self.state.conditional(ideas, e.pc, taken, goes_back);
                self.outcome(outcome);
            }
            FlowKind::Call => self.state.targets.call(e.fall_through() & low_mask),
            FlowKind::IndirectJump | FlowKind::TrapReturn => self.indirect(Indirect::Jump, e, low_mask),
            FlowKind::IndirectCall => self.indirect(Indirect::Call, e, low_mask),
            FlowKind::Return => self.indirect(Indirect::Return, e, low_mask),
            FlowKind::CoSwap => self.indirect(Indirect::CoSwap, e, low_mask),
            _ => {}
        }
        self.coded += 32 * self.encoder.words().count() as u64;
    }
}

/// Bits of messages and of the arithmetic coder, mispredicted outcomes and targets.
fn measure(events: &[FlowEvent], sizes: &Sizes, ideas: &Ideas) -> [u64; 4] {
    let taken = events.iter().filter(|e| matches!(e.kind, FlowKind::Conditional { taken: true }));
    let backwards = taken.map(|e| (e.pc, e.target < e.pc)).collect();
    let cores = events.iter().map(|e| usize::from(e.hart) + 1).max().unwrap_or(0);
    let pass = |mut cores: Vec<Core>| {
        for e in events {
            cores[usize::from(e.hart)].event(e, sizes, ideas, &backwards);
        }
        cores
    };
    let fresh = || vec![Core::new(sizes, ideas); cores];
    let mut done = pass(fresh());
    if ideas.training != Training::None {
        let mut trained = fresh();
        for (core, before) in trained.iter_mut().zip(done) {
            match ideas.training {
                Training::All => core.state = before.state,
                _ => core.state.tables = before.state.tables,
            }
        }
        done = pass(trained);
    }
    let sum = |of: fn(&Core) -> u64| done.iter().map(of).sum();
    [sum(|c| c.messages), sum(|c| c.coded), sum(|c| c.misses[0]), sum(|c| c.misses[1])]
}

fn recordings(folder: &Path, instructions: u64) -> Result<Vec<Vec<FlowEvent>>> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|f| f.map(|f| f.path())).collect::<std::io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|e| e == "ret"));
    files.sort();
    let read = |file: &PathBuf| {
        let mut beginning = Beginning { left: instructions, events: Vec::new() };
        RetireReader::open(file)?.read_rest(&mut beginning)?;
        Ok(beginning.events)
    };
    files.iter().map(read).collect()
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [instructions, folder, sets @ ..] = &words[..] else {
        return Err("expected INSTRUCTIONS FOLDER SET[/IDEA...]...".into());
    };
    let runs = recordings(Path::new(folder), instructions.parse()?)?;
    let total: u64 = runs.iter().flatten().map(|e| u64::from(e.count)).sum();
    println!("| set | messages | arithmetic coder | mispredicted outcomes, targets in 1,000 instructions |");
    println!("| --- | ---: | ---: | ---: |");
    for set in sets {
        let parts: Vec<&str> = set.split('/').collect();
        let (sizes, ideas) = (Sizes::set(parts[0])?, Ideas::parse(&parts[1..])?);
        let mut sums = [0; 4];
        for events in &runs {
            let bits = measure(events, &sizes, &ideas);
            sums.iter_mut().zip(bits).for_each(|(sum, bits)| *sum += bits);
        }
        let [messages, coded, outcomes, targets] = sums.map(|sum| sum as f64 / total as f64);
        println!("| `{set}` | {messages:.4} | {coded:.4} | {:.3}, {:.3} |", 1e3 * outcomes, 1e3 * targets);
    }
    Ok(())
}
