//! Activity of each core over time, as a value change dump for waveform viewers
//!
//! One scope per core: `pc`, the address of the retiring instruction; `function`, its function as a string; for
//! recorded runs optionally registers `x1` to `x31`. The output is written as a stream; only the values of one moment
//! are held.
//!
//! # Time
//! Instructions of all cores in the order of replay, one per time step; for a trace with time stamps, clock cycles. A
//! cycle is exact at a message. What a core does between two of its messages is shown at the first possible cycle. Of
//! several instructions in one cycle, the last is shown.
//!
//! # Source
//! IEEE Std 1364-2005, section 18. Strings are an extension that GTKWave, Surfer and the readers of both support.

use super::stack::functions::Functions;
use super::stack::Stack;
use crate::contexts::ContextProgram;
use crate::contexts::{ByContext, Selection};
use crate::symbols::Symbols;
use retire::image::{Image, Position};
use retire::{DataEvent, DataKind, FlowEvent, FlowKind, RetireSink};
use std::io::{self, Write};
use std::ops::Range;
use std::rc::Rc;
use vcd::{IdCode, TimescaleUnit, Value, VarType, Writer};

/// Contents of a dump.
#[derive(Clone, Debug)]
pub struct Contents {
    /// Address width, bits.
    pub xlen: u8,
    /// Whether events have cycles.
    pub cycles: bool,
    /// Whether to include registers.
    pub registers: bool,
    /// Range of times to write.
    pub times: Range<u64>,
    /// Contexts whose instructions are shown; in others, a core has no values.
    pub contexts: Selection,
}

/// A signal and its current value.
#[derive(Clone, Debug)]
struct Signal<T> {
    id: IdCode,
    now: Option<T>,
    written: Option<Option<T>>,
}

impl<T: Clone + PartialEq> Signal<T> {
    fn new(id: IdCode) -> Self {
        Self { id, now: None, written: None }
    }

    /// The value to write, if it has changed.
    fn change(&mut self) -> Option<Option<T>> {
        if self.written.as_ref() == Some(&self.now) {
            return None;
        }
        self.written = Some(self.now.clone());
        self.written.clone()
    }
}

#[derive(Debug)]
struct Core {
    pc: Signal<u64>,
    function: Signal<u32>,
    registers: Vec<Signal<u64>>,
    stack: Stack,
    /// Stack pointer at the next event, where it is known.
    sp: Option<u64>,
    position: Position,
    /// Register writes waiting for the instruction's event.
    data: Vec<DataEvent>,
}

/// A writer of a dump.
pub struct Dump<'a> {
    images: Rc<ByContext<Image>>,
    functions: Functions,
    cores: Vec<Core>,
    contents: Contents,
    now: u64,
    stamped: Option<u64>,
    out: Writer<&'a mut dyn Write>,
    error: Option<io::Error>,
}

fn bits(value: Option<u64>, width: u8) -> impl Iterator<Item = Value> {
    (0..width).rev().map(move |bit| value.map_or(Value::X, |v| Value::from(v >> bit & 1 == 1)))
}

impl<'a> Dump<'a> {
    /// Starts the dump.
    ///
    /// # Errors
    /// `out` failed.
    pub fn new(
        image: Image,
        symbols: Symbols,
        cores: u8,
        contents: Contents,
        out: &'a mut dyn Write,
    ) -> io::Result<Self> {
        let mut out = Writer::new(out);
        out.version(crate::TOOL)?;
        let unit = if contents.cycles { "clock cycle" } else { "instruction of all cores, in the order of replay" };
        out.comment(&format!("one time step: {unit}"))?;
        out.timescale(1, TimescaleUnit::NS)?;
        out.add_module("goshawk")?;
        let width = u32::from(contents.xlen);
        let mut all = Vec::new();
        for core in 0..cores {
            out.add_module(&format!("core{core}"))?;
            let pc = Signal::new(out.add_wire(width, "pc")?);
            let function = Signal::new(out.add_var(VarType::String, 1, "function", None)?);
            let numbers = 1..if contents.registers { 32 } else { 1 };
            let wires = numbers.map(|n| out.add_wire(width, &format!("x{n}")).map(Signal::new));
            let registers = wires.collect::<io::Result<_>>()?;
            let (stack, position) = (Stack::default(), Position::default());
            all.push(Core { pc, function, registers, stack, sp: None, position, data: Vec::new() });
            out.upscope()?;
        }
        out.upscope()?;
        out.enddefinitions()?;
        let functions = Functions::new(symbols);
        let images = Rc::new(ByContext::new(image, Vec::new()));
        Ok(Self { images, functions, cores: all, contents, now: 0, stamped: None, out, error: None })
    }

    /// Adds the programs of contexts.
    #[must_use]
    pub fn with_contexts(mut self, programs: Vec<ContextProgram>) -> Self {
        if let Some(images) = Rc::get_mut(&mut self.images) {
            images.extend(programs.iter().map(|p| (p.context, p.image.clone())).collect());
        }
        Self { functions: self.functions.with_contexts(programs), ..self }
    }

    /// Whether nothing more will be written.
    pub fn is_over(&self) -> bool {
        self.error.is_some() || self.now >= self.contents.times.end
    }

    /// Completes the dump.
    ///
    /// # Errors
    /// The first error of `out`.
    pub fn finish(mut self) -> io::Result<()> {
        self.moment();
        if let Some(e) = self.error {
            return Err(e);
        }
        // the last values hold until here
        let end = self.now.min(self.contents.times.end);
        if self.stamped.is_none_or(|last| last < end) {
            self.out.timestamp(end)?;
        }
        self.out.flush()
    }

    /// Writes the values that have changed since the last moment.
    fn moment(&mut self) {
        if self.error.is_none() && self.contents.times.contains(&self.now) {
            self.error = self.changes().err();
        }
    }

    fn changes(&mut self) -> io::Result<()> {
        let (now, width) = (self.now, self.contents.xlen);
        let (out, stamped, functions) = (&mut self.out, &mut self.stamped, &self.functions);
        let mut stamp = |out: &mut Writer<_>| match stamped.replace(now) {
            Some(last) if last == now => Ok(()),
            _ => out.timestamp(now),
        };
        for core in &mut self.cores {
            for signal in std::iter::once(&mut core.pc).chain(&mut core.registers) {
                if let Some(value) = signal.change() {
                    stamp(out)?;
                    out.change_vector(signal.id, bits(value, width))?;
                }
            }
            if let Some(function) = core.function.change() {
                stamp(out)?;
                let name = function.map_or("-", |f| functions.name(f));
                // a value ends at a space
                out.change_string(core.function.id, &name.replace(char::is_whitespace, "_"))?;
            }
        }
        Ok(())
    }

    /// Advances to a time, writing what happened before it.
    fn go(&mut self, time: u64) {
        if time > self.now {
            self.moment();
            self.now = time;
        }
    }

    /// Handles the instructions up to an event.
    fn instructions(&mut self, e: &FlowEvent) {
        let core = usize::from(e.hart);
        let Position { pc, when } = self.cores[core].position;
        let context = self.cores[core].stack.context();
        let (images, shown) = (Rc::clone(&self.images), self.contents.contexts.has(context));
        let mut instructions = images.get(context).instructions(pc, when);
        let mut pc = pc;
        for _ in 0..e.count {
            let to = &mut self.cores[core];
            to.pc.now = Some(pc).filter(|_| shown);
            let own = to.data.iter().take_while(|d| d.pc == pc).count();
            for d in to.data.drain(..own) {
                if let DataKind::Register { rd, value } = d.kind {
                    if let Some(register) = to.registers.get_mut(usize::from(rd).wrapping_sub(1)) {
                        register.now = Some(value);
                    }
                }
            }
            if !self.contents.cycles {
                self.go(self.now + 1);
            }
            let Some(instruction) = instructions.next() else { break };
            pc += u64::from(instruction.len);
        }
        self.cores[core].data.clear();
    }
}

impl RetireSink for Dump<'_> {
    const WANTS_DATA: bool = true;
    const WANTS_STACK_POINTER: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        if self.is_over() {
            return;
        }
        if self.contents.cycles {
            self.go(e.cycle);
        }
        self.instructions(e);
        let core = &mut self.cores[usize::from(e.hart)];
        core.position.pass(e);
        let sp = core.sp.take();
        let image = self.images.get(core.stack.context());
        core.stack.event(e, sp, &mut self.functions, Some(image), |_| {});
        let shown = self.contents.contexts.has(core.stack.context());
        core.function.now = core.stack.frames().last().filter(|_| shown).map(|f| f.function.number);
        if e.kind == FlowKind::Stop || !shown {
            core.pc.now = None;
        }
    }

    fn stack_pointer(&mut self, hart: u8, sp: u64) {
        self.cores[usize::from(hart)].sp = Some(sp);
    }

    fn data(&mut self, d: &DataEvent) {
        if self.contents.registers {
            self.cores[usize::from(d.hart)].data.push(*d);
        }
    }
}
