//! Lists every retired instruction under its source line and inlined functions; for recorded runs with the values that
//! it read and wrote

use super::lines::{functions, shown, Lines, SourceLocation};
use crate::assembly::{csr_text, Assembly, REGISTERS};
use crate::contexts::{ByContext, Contexts};
use crate::filter::Filter;
use retire::file::input;
use retire::image::learned::Map;
use retire::image::{Image, Instruction, Positions};
use retire::{Context, DataEvent, DataKind, FlowEvent, FlowKind, RetireSink};
use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;
use std::rc::Rc;

/// Bytes of lines that are written at once; more only by one line.
const MAX_TEXT: usize = 1 << 16;

/// The line of an instruction, without core, cycle and values.
struct Line {
    /// What the code has there, which can change.
    bits: u32,
    len: u8,
    /// Index of its header.
    header: usize,
    /// Address, bits and assembly, with spaces up to the next column.
    text: String,
    /// Its length without these spaces.
    trimmed: usize,
}

/// Headers: source line and functions, without the core. Empty where the program has no line.
#[derive(Default)]
struct Headers {
    /// By their frames.
    known: HashMap<Vec<SourceLocation>, usize>,
    texts: Vec<String>,
}

/// Which instructions of a core are shown.
#[derive(Clone, Debug)]
pub struct Selection {
    /// The filter.
    pub filter: Filter,
    /// Number of accepted instructions to skip.
    pub skip: u64,
    /// Maximum number of instructions to show.
    pub limit: u64,
    /// Whether to show cycles where the trace has them.
    pub cycles: bool,
}

/// Maximum size of a source file, bytes.
const MAX_SIZE: u64 = 1 << 26;

/// A program, as it is listed.
pub struct Program {
    image: Image,
    lines: Option<Lines>,
    /// Finished lines, by address.
    finished: RefCell<Map<u64, Rc<Line>>>,
}

impl Program {
    /// A program with its line tables, if it has them.
    pub fn new(image: Image, lines: Option<Lines>) -> Self {
        Self { image, lines, finished: RefCell::default() }
    }
}

/// An instruction that is shown at the end.
struct Kept {
    /// Core and header of its line.
    header: (u8, usize),
    /// Its line, and lines of exceptions after it.
    text: String,
}

/// A writer of the listing.
pub struct Show<'a> {
    programs: ByContext<Rc<Program>>,
    contexts: Contexts,
    assembly: Assembly,
    selection: Selection,
    /// Folder of the source files.
    folder: PathBuf,
    texts: HashMap<String, Option<Vec<String>>>,
    headers: Headers,
    positions: Positions,
    /// Cycle of the last event, by core.
    cycle: Vec<u64>,
    /// Data events waiting for the instruction's event.
    data: Vec<Vec<DataEvent>>,
    /// Core and header of the last line.
    last: Option<(u8, usize)>,
    /// Lines of the current event.
    text: String,
    /// If only the last instructions are shown: how many, and these.
    tail: Option<(usize, VecDeque<Kept>)>,
    out: &'a mut dyn Write,
    error: Option<std::io::Error>,
}

impl<'a> Show<'a> {
    /// Shows code, which `assembly` decodes, on `out`; source files are searched in `folder`.
    pub fn new(
        (program, assembly): (Program, Assembly),
        cores: u8,
        selection: Selection,
        folder: PathBuf,
        out: &'a mut dyn Write,
    ) -> Self {
        let (positions, contexts, cores) = (Positions::new(cores), Contexts::new(cores), usize::from(cores));
        Self {
            programs: ByContext::new(Rc::new(program), Vec::new()),
            contexts,
            assembly,
            selection,
            folder,
            texts: HashMap::new(),
            headers: Headers::default(),
            positions,
            cycle: vec![0; cores],
            data: vec![Vec::new(); cores],
            last: None,
            text: String::new(),
            tail: None,
            out,
            error: None,
        }
    }

    /// Adds the programs of contexts.
    #[must_use]
    pub fn with_contexts(mut self, programs: Vec<(Context, Program)>) -> Self {
        self.programs.extend(programs.into_iter().map(|(of, program)| (of, Rc::new(program))).collect());
        self
    }

    /// Shows only the last `count` instructions, at the end.
    #[must_use]
    pub fn with_tail(mut self, count: Option<usize>) -> Self {
        self.tail = count.map(|count| (count, VecDeque::new()));
        self
    }

    /// Whether nothing more will be shown.
    pub fn is_over(&self) -> bool {
        self.selection.limit == 0 || self.error.is_some() || self.selection.filter.is_over()
    }

    /// Returns the first error of `out`.
    ///
    /// # Errors
    /// The first error of `out`.
    pub fn finish(mut self) -> std::io::Result<()> {
        let mut last = None;
        for kept in self.tail.take().map(|(_, kept)| kept).unwrap_or_default() {
            if last != Some(kept.header) {
                self.header_lines(kept.header);
            }
            last = Some(kept.header);
            self.text.push_str(&kept.text);
            self.flush();
        }
        self.error.map_or(Ok(()), Err)
    }

    /// Adds the lines of a header, if the program has some.
    fn header_lines(&mut self, (core, header): (u8, usize)) {
        let text = &self.headers.texts[header];
        if !text.is_empty() {
            // writing to a String cannot fail
            let _ = write!(self.text, "core {core}");
            self.text.push_str(text);
        }
    }

    /// Keeps the lines so far, of an instruction with this header, or after the last one.
    fn keep(&mut self, header: Option<(u8, usize)>) {
        let Some((count, kept)) = &mut self.tail else { return };
        let text = std::mem::take(&mut self.text);
        match (header, kept.back_mut()) {
            (Some(header), _) => {
                if kept.len() == *count {
                    kept.pop_front();
                }
                kept.push_back(Kept { header, text });
            }
            (None, Some(last)) => last.text.push_str(&text),
            (None, None) => {}
        }
    }

    /// Writes the lines so far.
    fn flush(&mut self) {
        if self.error.is_none() {
            self.error = self.out.write_all(self.text.as_bytes()).err();
        }
        self.text.clear();
    }

    /// A line of a source file.
    fn source(&mut self, file: &str, line: u32) -> Option<&str> {
        let folder = &self.folder;
        let read =
            || Some(input::text(&folder.join(file), MAX_SIZE, "a source").ok()?.lines().map(str::to_string).collect());
        let text = self.texts.entry(file.to_string()).or_insert_with(read).as_ref()?;
        text.get((line as usize).checked_sub(1)?).map(|l| l.trim())
    }

    /// Index of the header of the instruction at `pc`.
    fn header(&mut self, program: &Program, pc: u64) -> usize {
        let frames = program.lines.as_ref().map(|lines| lines.frames(pc)).unwrap_or_default();
        if let Some(known) = self.headers.known.get(&frames) {
            return *known;
        }
        let mut text = String::new();
        // writing to a String cannot fail
        if let Some(position) = frames.first() {
            let _ = write!(text, "  {}:{}  {}", shown(&position.file), position.line, functions(&frames));
            // assembly has no function in the debug information
            text.truncate(text.trim_end().len());
            text.push('\n');
            if let Some(source) = self.source(&position.file, position.line) {
                let _ = writeln!(text, "    | {source}");
            }
        }
        self.headers.texts.push(text);
        let index = self.headers.texts.len() - 1;
        self.headers.known.insert(frames, index);
        index
    }

    /// The line of `instruction`.
    fn finished_line(&mut self, program: &Program, instruction: &Instruction<'_>) -> Rc<Line> {
        let (pc, len, bits) = (instruction.pc, instruction.len, instruction.bits());
        if let Some(line) = program.finished.borrow().get(&pc).filter(|line| (line.bits, line.len) == (bits, len)) {
            return Rc::clone(line);
        }
        let header = self.header(program, pc);
        let assembly = self.assembly.text(bits, len).unwrap_or_default();
        let column = if len == 2 { format!("{:04x}    ", bits & 0xffff) } else { format!("{bits:08x}") };
        let text = format!("  0x{pc:08x}  {column}  {assembly:24}");
        let trimmed = text.trim_end().len();
        let line = Rc::new(Line { bits, len, header, text, trimmed });
        program.finished.borrow_mut().insert(pc, Rc::clone(&line));
        line
    }

    /// Adds the line of an instruction, after its source line if that differs from the previous one.
    fn instruction(&mut self, core: u8, program: &Program, instruction: &Instruction<'_>, cycle: Option<u64>) {
        let pc = instruction.pc;
        let finished = self.finished_line(program, instruction);
        let header = (core, finished.header);
        if self.tail.is_none() && self.last != Some(header) {
            self.header_lines(header);
            self.last = Some(header);
        }
        let line = &mut self.text;
        let (tens, ones) = if core > 9 { ('1', core - 10) } else { (' ', core) };
        line.push_str("      ");
        line.extend([tens, char::from(b'0' + ones)]);
        if cycle.is_none() && self.data[usize::from(core)].is_empty() {
            line.push_str(&finished.text[..finished.trimmed]);
            line.push('\n');
            return self.keep(Some(header));
        }
        line.push_str(&finished.text);
        // writing to a String cannot fail
        if let Some(cycle) = cycle {
            let _ = write!(line, "  cycle {cycle}");
        }
        let data = &mut self.data[usize::from(core)];
        let own = data.iter().take_while(|d| d.pc == pc).count();
        for d in data.drain(..own) {
            let _ = match d.kind {
                DataKind::Load { size, addr, value } => {
                    write!(line, "  [0x{addr:08x}] is 0x{value:0w$x}", w = 2 * usize::from(size))
                }
                DataKind::Store { size, addr, value } => {
                    write!(line, "  [0x{addr:08x}] = 0x{value:0w$x}", w = 2 * usize::from(size))
                }
                DataKind::Csr { csr, value } => write!(line, "  {} is 0x{value:08x}", csr_text(csr)),
                DataKind::Register { rd, value } => {
                    write!(line, "  {} = 0x{value:08x}", REGISTERS[usize::from(rd) % 32])
                }
                DataKind::Float { rd, value } => write!(line, "  f{rd} = 0x{value:016x}"),
                DataKind::Imported { .. } => Ok(()),
            };
        }
        line.truncate(line.trim_end().len());
        line.push('\n');
        self.keep(Some(header));
    }

    /// Adds the lines of an event, whose instructions are of `context`.
    fn event_lines(&mut self, e: &FlowEvent, context: Context) {
        let core = usize::from(e.hart);
        let position = self.positions.of(e.hart);
        let program = Rc::clone(self.programs.get(context));
        let mut instructions = program.image.instructions(position.pc, position.when);
        // between time stamps, replay repeats the cycle of the last message
        let has_cycle = self.selection.cycles && e.cycle != std::mem::replace(&mut self.cycle[core], e.cycle);
        for left in (0..e.count).rev() {
            if self.selection.limit == 0 {
                return;
            }
            let Some(instruction) = instructions.next() else { break };
            let pc = instruction.pc;
            let cycle = Some(e.cycle).filter(|_| has_cycle && left == 0 && e.kind.retires());
            if !self.selection.filter.take(e.hart, pc) {
                let own = self.data[core].iter().take_while(|d| d.pc == pc).count();
                self.data[core].drain(..own);
            } else {
                if self.selection.skip > 0 {
                    self.selection.skip -= 1;
                    let own = self.data[core].iter().take_while(|d| d.pc == pc).count();
                    self.data[core].drain(..own);
                } else {
                    self.selection.limit -= 1;
                    self.instruction(e.hart, &program, &instruction, cycle);
                    if self.text.len() > MAX_TEXT {
                        self.flush();
                    }
                }
            }
        }
        self.data[core].clear();
        self.positions.pass(e);
        if let FlowKind::Trap { interrupt, cause } = e.kind {
            let what = if interrupt { "interrupt" } else { "exception" };
            if self.selection.skip == 0 && self.selection.filter.between(e.hart, e.pc) {
                // writing to a String cannot fail
                let _ = writeln!(self.text, "core {}  {what} {cause} at 0x{:08x}", e.hart, e.pc);
                self.keep(None);
            }
        }
    }
}

impl RetireSink for Show<'_> {
    const WANTS_DATA: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        self.selection.filter.at(e);
        let context = self.contexts.pass(e);
        if !self.is_over() {
            self.event_lines(e, context);
            self.flush();
        }
    }

    fn data(&mut self, d: &DataEvent) {
        if self.selection.filter.wants(d.hart) {
            self.data[usize::from(d.hart)].push(*d);
        }
    }
}
