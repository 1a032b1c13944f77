//! Further sessions of the vectors: what a trace system meets in a chip other than a run from reset to the end
//!
//! | session | what it has |
//! | --- | --- |
//! | begins again | enabled after the first trace without a reset; a control-flow instruction in every cycle; a sink that stalls; traps |
//! | flashes | enabled and disabled before anything retires |
//! | reset | a program that is cut by a reset of one clock, in the middle of a trace |
//! | after it | another program, traps that retire nothing (`rvfi_trap`), a slow sink |
//! | periodic | with `--sync`: resyncs every 1,024 instructions |
//! | overflow | the sink stalls until the event FIFO is full, then accepts words while instructions still arrive; a second loss, and the sync after it |
//! | cut | disabled while instructions are being lost |
//!
//! Cores go on while tracing is disabled: none of that is in the words. Registers are read in between. The words are those of the
//! golden model. Where something is lost, which instructions these are depends on the circuit's clocks: it is simulated, and what it
//! lost is what the golden model loses.

mod losses;
mod walk;

use crate::Failure;
use hdl::emit::SystemOptions;
use hdl::trace_sim::START;
use retire::RetireSink;
use sim::core_trace::SyncPeriod;
use sim::params::TraceParams;
use sim::regs::register;
use sim::stimulus::run::Retired;
use sim::system::System;
use std::fmt::Write;
pub use walk::clocks_of_event;
use walk::{Walk, Walker};

/// Name of the file of what happens when.
pub const SCRIPT: &str = "sessions.txt";
/// Name of the file of the words.
pub const WORDS: &str = "sessions.hex";

/// What happens in a clock; what a bench has to know to do it is in its line.
#[derive(Clone, Copy, Debug)]
pub enum Act {
    /// An instruction retires.
    Retire(Retired),
    /// An instruction traps, and does not retire.
    Trap(Retired),
    /// `value` is written to a register.
    Write { addr: u8, value: u32 },
    /// From now on the sink takes a word in this number of 256 cycles.
    Ready(u16),
    /// Reset.
    Reset,
    /// The words of another trace are due: from which one on, and how many.
    Due { first: usize, count: usize },
    /// Waits until the trace is active.
    Begin,
    /// Waits until the system is idle; then all words that were due have come.
    End,
    /// A register has this value, where `mask` is 1.
    Read { addr: u8, value: u32, mask: u32 },
}

/// An act in its clock, counted as those of the first session.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    clock: u64,
    act: Act,
}

impl Line {
    /// As text: clock, code, three numbers whose meaning depends on the code, and one more.
    fn text(&self) -> String {
        let Self { clock, act } = self;
        match act {
            Act::Retire(r) => {
                format!("{clock} {} {} {:x} {:x} {:08x}", u8::from(r.trapped), r.hart, r.pc, r.next_pc, r.insn)
            }
            Act::Trap(r) => format!("{clock} 2 {} {:x} {:x} {:08x}", r.hart, r.pc, r.next_pc, r.insn),
            Act::Write { addr, value } => format!("{clock} 3 {addr} {value:x} 0 0"),
            Act::Ready(chance) => format!("{clock} 4 {chance} 0 0 0"),
            Act::Reset => format!("{clock} 5 0 0 0 0"),
            Act::Due { first, count } => format!("{clock} 6 {first} {:x} 0 0", first + count),
            Act::Begin => format!("{clock} 7 0 0 0 0"),
            Act::End => format!("{clock} 8 0 0 0 0"),
            Act::Read { addr, value, mask } => format!("{clock} 9 {addr} {value:x} {mask:x} 0"),
        }
    }
}

/// The further sessions, as text.
pub struct Sessions {
    /// One act a line.
    pub script: String,
    /// One word a line.
    pub words: String,
    /// Lines of `words`.
    pub word_count: usize,
    /// Clocks that a bench waits at most for a trace to begin or to end.
    pub patience: u64,
}

/// Clocks that a sink takes all words in.
const ALWAYS: u16 = 256;

/// Writes sessions one after the other.
struct Writer<'a> {
    params: &'a TraceParams,
    options: &'a SystemOptions,
    walker: Walker<'a>,
    /// What is written to `control` to begin.
    enable: u32,
    lines: Vec<Line>,
    words: Vec<u32>,
    /// The clock of what comes next.
    clock: u64,
}

/// Makes the sessions of a system that shows one instruction a clock on RVFI.
///
/// # Errors
/// The circuit cannot be simulated, or sends other words than the golden model.
pub fn make(params: &TraceParams, options: &SystemOptions) -> Result<Sessions, Failure> {
    let mut w = Writer::new(params, options);
    w.constants();
    w.session(&w.walker.dense(11, 700), 128, None)?;
    w.flash()?;
    w.cut_by_reset(&w.walker.program(12, 1_500))?;
    w.session(&w.walker.program(13, 6_000), 64, None)?;
    if options.extras.sync {
        w.session(&w.walker.program(14, 6_000), ALWAYS, Some(10))?;
    }
    let patience = losses::add(&mut w)?;
    Ok(w.text(patience))
}

impl<'a> Writer<'a> {
    fn new(params: &'a TraceParams, options: &'a SystemOptions) -> Self {
        // all modes are asked for, where there is a filter
        let enable = if options.extras.filter { 0xf01 } else { 1 };
        let walker = Walker::new(params, options);
        Self { params, options, walker, enable, lines: Vec::new(), words: Vec::new(), clock: 0 }
    }

    fn put(&mut self, act: Act) {
        self.lines.push(Line { clock: self.clock, act });
    }

    fn write(&mut self, name: &str, value: u32) {
        self.put(Act::Write { addr: register(name).addr, value });
        self.clock += 1;
    }

    fn read_bits(&mut self, name: &str, value: u32, mask: u32) {
        self.put(Act::Read { addr: register(name).addr, value, mask });
        self.clock += 1;
    }

    fn read(&mut self, name: &str, value: u32) {
        self.read_bits(name, value, u32::MAX);
    }

    /// A golden model at the beginning of a trace of `walk`; with a period of 2^`period` instructions.
    fn golden(&self, walk: &Walk, period: Option<u8>) -> Result<System, Failure> {
        let period = period.map(SyncPeriod::new).transpose()?;
        Ok(System::with_code(self.params, self.options.warm_up_scale(self.params), &self.walker.code(walk))?
            .sync_every(self.params, period))
    }

    /// These bits of register `status`.
    fn status(fields: &[&str]) -> u32 {
        fields.iter().map(|field| 1 << register("status").field(field).lsb).sum()
    }

    /// These words are due from now on, and what comes next waits for the trace to begin.
    fn begin(&mut self, words: &[u32]) {
        self.put(Act::Due { first: self.words.len(), count: words.len() });
        self.words.extend(words);
        self.write("control", self.enable);
        self.put(Act::Begin);
        self.clock = START;
    }

    /// Writes that tracing ends in clock `stop`, and shows what retires: that of `walk`, and code after it that is not traced.
    fn play(&mut self, walk: &Walk, stop: u64, seed: u64) {
        let mut lines: Vec<Line> = walk.acts.iter().map(|(clock, act)| Line { clock: *clock, act: *act }).collect();
        let control = register("control").addr;
        lines.push(Line { clock: stop, act: Act::Write { addr: control, value: self.enable & !1 } });
        if START + 2 < stop {
            let status = self.options.status() | Self::status(&["ready", "active"]);
            let act = Act::Read { addr: register("status").addr, value: status, mask: 0xff };
            lines.push(Line { clock: START + 1, act });
        }
        lines.extend(self.walker.untraced(seed, stop + 2, 40).map(|(clock, act)| Line { clock, act }));
        lines.sort_by_key(|l| l.clock);
        self.clock = lines.last().map_or(stop, |l| l.clock) + 1;
        self.lines.extend(lines);
    }

    /// Waits until all is sent, and looks what registers say then.
    fn end(&mut self) {
        self.put(Act::Ready(ALWAYS));
        self.put(Act::End);
        self.clock = 0;
        self.read("control", self.enable & !1);
        let status = self.options.status() | Self::status(&["idle"]);
        // tables may be cleared for the next trace; losses are counted in the upper bits
        self.read_bits("status", status, 0xfe);
        self.untraced();
    }

    /// A whole trace of `walk`, with a sink that is ready in `ready` of 256 cycles.
    fn session(&mut self, walk: &Walk, ready: u16, period: Option<u8>) -> Result<(), Failure> {
        if let Some(period) = period {
            self.write("sync", period.into());
            self.read("sync", period.into());
        }
        let mut golden = self.golden(walk, period)?;
        walk.events().for_each(|e| golden.event(e));
        // a time-stamped stop tells when it finds a place in a FIFO: there is one then
        let full = u64::from(self.options.fifo_entries()) * clocks_of_event(self.params);
        let rest = if self.params.timestamps { full } else { 0 };
        let stop = walk.end + 1 + rest;
        // written in clock `stop`, `enable` is 0 in the next, and cores see it in the one after that
        golden.finish(stop + 2);
        self.begin(&golden.drain().collect::<Vec<_>>());
        self.put(Act::Ready(ready));
        self.play(walk, stop, stop);
        self.end();
        if period.is_some() {
            self.write("sync", 0);
        }
        Ok(())
    }

    /// Enabled, and disabled before anything retires.
    fn flash(&mut self) -> Result<(), Failure> {
        self.session(&Walk { end: START, ..Walk::default() }, ALWAYS, None)
    }

    /// A trace that is cut by a reset; the words before it are as far as they have come.
    fn cut_by_reset(&mut self, walk: &Walk) -> Result<(), Failure> {
        let mut golden = self.golden(walk, None)?;
        walk.events().for_each(|e| golden.event(e));
        self.begin(&golden.drain().collect::<Vec<_>>());
        self.put(Act::Ready(ALWAYS));
        self.lines.extend(walk.acts.iter().map(|(clock, act)| Line { clock: *clock, act: *act }));
        self.clock = walk.end + 1;
        self.read("control", self.enable);
        self.reset(1);
        Ok(())
    }

    /// A reset of `clocks` cycles; nothing is due after it, and registers have their initial values.
    fn reset(&mut self, clocks: u64) {
        for _ in 0..clocks {
            self.put(Act::Reset);
            self.clock += 1;
        }
        self.put(Act::Due { first: self.words.len(), count: 0 });
        for name in ["control", "overflow", "sync", "request", "discontinuity"] {
            self.read(name, 0);
        }
        self.read_bits("status", self.options.status(), 0xffff_fffa);
        self.untraced();
    }

    /// Cores go on while nothing is traced.
    fn untraced(&mut self) {
        let acts = self.walker.untraced(self.clock, self.clock, 12);
        self.clock += 12;
        self.lines.extend(acts.map(|(clock, act)| Line { clock, act }));
    }

    /// Registers whose value never changes, and bits of others that nothing sets.
    fn constants(&mut self) {
        self.read("id", sim::regmap::id(self.params.cores, sim::regmap::scheme(self.params)));
        self.read("params", self.params.fingerprint());
        self.read("overflow", 0);
        // what a write to another register must not change
        for name in ["id", "params", "status", "overflow"] {
            self.write(name, u32::MAX);
        }
        self.read("control", self.enable & !1);
        self.read("overflow", 0);
    }

    fn text(self, patience: u64) -> Sessions {
        let mut script = String::from(
            "// further sessions, see goshawk_tb.v: decimal clock, code and register or core, then hex\n\
             // 0 retires, 1 first after a trap, 2 traps, 3 write, 4 ready, 5 reset, 6 words due, 7 begin, 8 end, 9 read\n",
        );
        let mut words = String::new();
        for line in &self.lines {
            let _ = writeln!(script, "{}", line.text());
        }
        for word in &self.words {
            let _ = writeln!(words, "{word:08x}");
        }
        Sessions { script, words, word_count: self.words.len(), patience }
    }
}
