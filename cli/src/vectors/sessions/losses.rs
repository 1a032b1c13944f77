//! Sessions in which something is lost
//!
//! Which instructions are lost follows from the clocks of the circuit: rust-hdl simulates it. What it sent is replayed, which says where
//! the gaps are; the golden model loses the same, and must send the same words. Where messages are time-stamped, the time at which a core
//! reports a loss depends on the circuit's clocks, too: there the words are the circuit's, and every event of their replay is one that retired.

use super::walk::{clocks_of_event, Walk};
use super::{Act, Line, Writer, ALWAYS};
use crate::Failure;
use hdl::any_top::AnyTop;
use hdl::drive::Driver;
use hdl::emit::build;
use hdl::trace_sim::START;
use retire::image::Image;
use retire::{FlowEvent, FlowKind, RetireSink};
use sim::beats::Retired;
use sim::regs::register;
use sim::replay::{Events, Replay};
use std::ops::Range;

/// Instructions after those that fill a FIFO.
const MORE: usize = 80;
/// Instructions after the last loss: too few to fill a FIFO.
const AFTER: usize = 3;
/// Clocks in which something must come of a trace that was enabled or disabled.
const PATIENCE: u32 = 1 << 22;

/// Clocks that a bench waits in addition.
const SPARE: u64 = 4096;

/// A session whose words are not known yet.
struct Open {
    /// Its [`Act::Due`], among the lines.
    due: usize,
    walk: Walk,
    /// When the core sees that tracing has ended.
    finish: u64,
}

/// Adds the sessions: the last core alone, which recovers from all losses, then the first one, which is losing at the end. (A circuit sends
/// the overflow messages of all cores before the first stop, the golden model that of each core before its own. So a loss up to the end has
/// one order only if it is the first core's.) Returns for how many clocks a bench has to wait for `active` or `idle` at most.
pub fn add(w: &mut Writer<'_>) -> Result<u64, Failure> {
    let entries = w.options.fifo_entries() as usize;
    let core = w.params.cores - 1;
    let noted = 1 << core;
    let from = w.lines.len();
    w.reset(4);
    // the sink stands still until the FIFO has been full for some time, then goes on while instructions come
    // what is predicted right takes no place
    let filled = 4 * entries + MORE;
    let stretch = w.walker.alone((core, 21), &[filled + entries, 60, AFTER]);
    let moves = stretch.steps.get(filled).map_or(stretch.end, |s| s.retired.cycle);
    let first = open(w, stretch, Some(moves));
    w.read("overflow", noted);
    w.write("overflow", !noted);
    w.read("overflow", noted);
    w.write("overflow", noted);
    w.read("overflow", 0);
    // and it is losing when the trace ends
    let second = open(w, w.walker.alone((0, 22), &[filled]), None);
    w.read("overflow", 1);

    let (sent, longest) = Circuit::new(w)?.play(&w.lines[from..])?;
    for (open, sent) in [first, second].iter().zip(&sent) {
        let gaps = gaps(w, &open.walk, sent)?;
        let words = if w.params.timestamps { sent.clone() } else { golden(w, open, &gaps)? };
        if let Some(at) = words.iter().zip(sent).position(|(w, s)| w != s).or((words.len() != sent.len()).then_some(0))
        {
            let what = "the circuit sends other words than its golden model";
            return Err(Failure::Other(format!("a fault of this program: {what}, with losses, from word {at} on")));
        }
        w.lines[open.due].act = Act::Due { first: w.words.len(), count: words.len() };
        w.words.extend(words);
    }
    w.reset(1);
    // the FIFOs of all cores may be full
    let full = u64::from(w.params.cores) * u64::from(w.options.fifo_entries()) * clocks_of_event(w.params);
    Ok(4 * u64::from(longest) + full + SPARE)
}

/// Writes the acts of a session; the sink takes nothing before clock `moves`, or before its end.
fn open(w: &mut Writer<'_>, mut walk: Walk, moves: Option<u64>) -> Open {
    let due = w.lines.len();
    w.begin(&[]);
    w.put(Act::Ready(0));
    walk.acts.extend(moves.map(|clock| (clock, Act::Ready(ALWAYS))));
    let stop = walk.end + 1;
    w.play(&walk, stop, stop);
    w.end();
    Open { due, walk, finish: stop + 2 }
}

/// What the golden model sends that loses what the circuit lost.
fn golden(w: &Writer<'_>, open: &Open, gaps: &[Range<usize>]) -> Result<Vec<u32>, Failure> {
    let steps = &open.walk.steps;
    let mut golden = w.golden(&open.walk, None)?;
    // instructions since the last event
    let mut count = 0;
    for (i, step) in steps.iter().enumerate() {
        let r = &step.retired;
        let own =
            FlowEvent { hart: r.hart, kind: FlowKind::Stop, len: 0, count, pc: r.pc, target: r.pc, cycle: r.cycle };
        if gaps.iter().any(|gap| gap.contains(&i)) {
            continue;
        }
        if let Some(gap) = gaps.iter().find(|gap| gap.end == i) {
            golden.event(&FlowEvent { kind: FlowKind::Gap { lost: gap.len() as u32 }, ..own });
            count = 0;
        } else if let Some(before) = step.before {
            golden.event(&FlowEvent { count: std::mem::take(&mut count), ..before });
        }
        count += 1;
        if let Some(event) = step.event {
            golden.event(&FlowEvent { count: std::mem::take(&mut count), ..event });
        }
    }
    let Some(last) = steps.last().map(|s| s.retired) else { return Ok(Vec::new()) };
    match gaps.iter().find(|gap| gap.end == steps.len()) {
        Some(gap) => golden.lose(last.hart, count, gap.len() as u32),
        None => {
            let (pc, cycle) = (last.next_pc, last.cycle);
            golden.event(&FlowEvent { hart: last.hart, kind: FlowKind::Stop, len: 0, count, pc, target: pc, cycle });
        }
    }
    golden.finish(open.finish);
    Ok(golden.drain().collect())
}

/// Which instructions the words say are lost; all others are those of `walk`.
fn gaps(w: &Writer<'_>, walk: &Walk, sent: &[u32]) -> Result<Vec<Range<usize>>, Failure> {
    let failure =
        |e: &dyn std::fmt::Display| Failure::Other(format!("a fault of this program: a trace with losses: {e}"));
    let image = Image::new(&w.walker.dense.program);
    let mut back: Vec<FlowEvent> = Vec::new();
    Replay::new(&image, w.params, sent.iter().copied())
        .and_then(|replay| replay.run(&mut Events(&mut back)))
        .map_err(|e| failure(&e))?;
    let (mut at, mut gaps) = (0, Vec::new());
    for e in &back {
        at += e.count as usize;
        let retired = at.checked_sub(1).and_then(|i| walk.steps.get(i)).map(|s| (s.retired.pc, s.retired.next_pc));
        if e.kind.retires() && retired != Some((e.pc, e.target)) {
            return Err(failure(&format!("instruction {at} at 0x{:x} did not retire", e.pc)));
        }
        if let FlowKind::Gap { lost } = e.kind {
            gaps.push(at..at + lost as usize);
            at += lost as usize;
        }
    }
    if gaps.is_empty() {
        return Err(failure(&"nothing is lost"));
    }
    Ok(gaps)
}

/// The circuit, which does what lines say as a bench does.
struct Circuit {
    driver: Driver<AnyTop>,
    /// What cores show now and, where their ports come from registers, what the circuit sees of it a clock later.
    shown: Vec<Option<Retired>>,
    registers: Option<Vec<Option<Retired>>>,
    /// The sink takes what is there.
    ready: bool,
    /// The words of each session.
    sent: Vec<Vec<u32>>,
    /// Clocks that it took at most until a bit of `status` was 1.
    longest: u32,
}

impl Circuit {
    fn new(w: &Writer<'_>) -> Result<Self, Failure> {
        let failure = |e: &dyn std::fmt::Display| Failure::Other(e.to_string());
        let top = build(w.params, w.options).map_err(|e| failure(&e))?;
        let mut driver = Driver::new(top, |t, high| t.clock(high)).map_err(|e| failure(&e))?;
        driver.uut.allow_all();
        let shown = vec![None; w.params.cores.into()];
        let registers = w.options.extras.registered.then(|| shown.clone());
        Ok(Self { driver, shown, registers, ready: true, sent: Vec::new(), longest: 0 })
    }

    /// A cycle, with the response of the register bus in it. After it no instruction is shown, and `status` is read.
    fn tick(&mut self) -> Result<u32, Failure> {
        let seen = match &mut self.registers {
            Some(registers) => std::mem::replace(registers, self.shown.clone()),
            None => self.shown.clone(),
        };
        for (core, r) in seen.iter().enumerate() {
            self.driver.uut.retire(core, r.as_ref());
        }
        self.driver.uut.take(self.ready);
        let sample = |t: &AnyTop| (t.word(), t.read());
        let (word, read) = self.driver.cycle(|_| (), sample).map_err(|e| Failure::Other(e.to_string()))?;
        if let (Some(word), true, Some(sent)) = (word, self.ready, self.sent.last_mut()) {
            sent.push(word);
        }
        self.shown.fill(None);
        self.driver.uut.reset(false);
        self.driver.uut.bus(register("status").addr, false, 0);
        Ok(read)
    }

    fn wait(&mut self, field: &str) -> Result<(), Failure> {
        let bit = 1 << register("status").field(field).lsb;
        // the answer to the address comes with the next clock
        self.tick()?;
        for clocks in 0..PATIENCE {
            if self.tick()? & bit != 0 {
                self.longest = self.longest.max(clocks);
                return Ok(());
            }
        }
        Err(Failure::Other(format!("a fault of this program: status.{field} of the circuit stays 0")))
    }

    /// The words of each session of `lines`, and the longest wait.
    fn play(mut self, lines: &[Line]) -> Result<(Vec<Vec<u32>>, u32), Failure> {
        let mut now = lines.first().map_or(0, |l| l.clock);
        for Line { clock, act } in lines {
            while now < *clock {
                self.tick()?;
                now += 1;
            }
            match *act {
                Act::Retire(r) | Act::Trap(r) => self.shown[usize::from(r.hart)] = Some(r),
                Act::Write { addr, value } => self.driver.uut.bus(addr, true, value),
                Act::Read { addr, .. } => self.driver.uut.bus(addr, false, 0),
                Act::Ready(chance) => self.ready = chance > 0,
                Act::Reset => self.driver.uut.reset(true),
                Act::Due { .. } => {}
                Act::Begin => {
                    self.sent.push(Vec::new());
                    self.wait("active")?;
                    now = START;
                }
                Act::End => {
                    self.wait("idle")?;
                    now = 0;
                }
            }
        }
        Ok((self.sent, self.longest))
    }
}
