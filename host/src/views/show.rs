//! Lists every retired instruction under its source line and inlined functions; for recorded runs with the values that
//! it read and wrote

use super::lines::{Lines, SourceLocation};
use crate::assembly::{Assembly, REGISTERS};
use crate::filter::Filter;
use retire::file::input;
use retire::image::{Image, Places};
use retire::{DataEvent, DataKind, FlowEvent, FlowKind, RetireSink};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;
use std::rc::Rc;

/// Selection of instructions.
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

/// A writer of the listing.
pub struct Show<'a> {
    image: Rc<Image>,
    assembly: Assembly,
    lines: Lines,
    selection: Selection,
    /// Folder of the source files.
    folder: PathBuf,
    texts: HashMap<String, Option<Vec<String>>>,
    locations: HashMap<u64, Rc<[SourceLocation]>>,
    places: Places,
    /// Cycle of the last event, by core.
    cycle: Vec<u64>,
    /// Data events waiting for the instruction's event.
    data: Vec<Vec<DataEvent>>,
    last: Option<(u8, Rc<[SourceLocation]>)>,
    out: &'a mut dyn Write,
    error: Option<std::io::Error>,
}

impl<'a> Show<'a> {
    /// Shows code of `xlen` bits on `out`; source files are searched in `folder`.
    pub fn new(
        (image, xlen): (Image, u8),
        lines: Lines,
        cores: u8,
        selection: Selection,
        folder: PathBuf,
        out: &'a mut dyn Write,
    ) -> Self {
        let (places, cores) = (Places::new(cores), usize::from(cores));
        Self {
            image: Rc::new(image),
            assembly: Assembly::new(xlen),
            lines,
            selection,
            folder,
            texts: HashMap::new(),
            locations: HashMap::new(),
            places,
            cycle: vec![0; cores],
            data: vec![Vec::new(); cores],
            last: None,
            out,
            error: None,
        }
    }

    /// Whether nothing more will be shown.
    pub fn is_over(&self) -> bool {
        self.selection.limit == 0 || self.error.is_some() || self.selection.filter.is_over()
    }

    /// Returns the first error of `out`.
    ///
    /// # Errors
    /// The first error of `out`.
    pub fn finish(self) -> std::io::Result<()> {
        self.error.map_or(Ok(()), Err)
    }

    fn text(&mut self, file: &str, line: u32) -> Option<&str> {
        let folder = &self.folder;
        let read =
            || Some(input::text(&folder.join(file), MAX_SIZE, "a source").ok()?.lines().map(str::to_string).collect());
        let text = self.texts.entry(file.to_string()).or_insert_with(read).as_ref()?;
        text.get((line as usize).checked_sub(1)?).map(|l| l.trim())
    }

    /// Writes the source line, if it differs from the previous one.
    fn header(&mut self, core: u8, pc: u64) -> std::io::Result<()> {
        let lines = &self.lines;
        let locations = self.locations.entry(pc).or_insert_with(|| lines.frames(pc).into()).clone();
        if self.last.as_ref().is_some_and(|(c, p)| *c == core && *p == locations) {
            return Ok(());
        }
        if let Some(place) = locations.first() {
            write!(self.out, "core {core}  {}:{}  {}", place.file, place.line, place.function)?;
            for outer in &locations[1..] {
                write!(self.out, " < {} ({}:{})", outer.function, outer.file, outer.line)?;
            }
            writeln!(self.out)?;
            let (file, line) = (place.file.clone(), place.line);
            if let Some(text) = self.text(&file, line).map(str::to_string) {
                writeln!(self.out, "    | {text}")?;
            }
        }
        self.last = Some((core, locations));
        Ok(())
    }

    fn instruction(&mut self, core: u8, pc: u64, len: u8, bits: u32, cycle: Option<u64>) -> std::io::Result<()> {
        self.header(core, pc)?;
        let text = self.assembly.text(bits, len).unwrap_or_default();
        let bits = if len == 2 { format!("{:04x}    ", bits & 0xffff) } else { format!("{bits:08x}") };
        let mut line = format!("{core:8}  0x{pc:08x}  {bits}  {text:24}");
        if let Some(cycle) = cycle {
            line.push_str(&format!("  cycle {cycle}"));
        }
        let data = &mut self.data[usize::from(core)];
        let own = data.iter().take_while(|d| d.pc == pc).count();
        for d in data.drain(..own) {
            // writing to a String cannot fail
            let _ = match d.kind {
                DataKind::Load { size, addr, value } => {
                    write!(line, "  [0x{addr:08x}] is 0x{value:0w$x}", w = 2 * usize::from(size))
                }
                DataKind::Store { size, addr, value } => {
                    write!(line, "  [0x{addr:08x}] = 0x{value:0w$x}", w = 2 * usize::from(size))
                }
                DataKind::Csr { csr, value } => write!(line, "  csr 0x{csr:03x} is 0x{value:08x}"),
                DataKind::Register { rd, value } => {
                    write!(line, "  {} = 0x{value:08x}", REGISTERS[usize::from(rd) % 32])
                }
                DataKind::Float { rd, value } => write!(line, "  f{rd} = 0x{value:016x}"),
                DataKind::Imported { .. } => Ok(()),
            };
        }
        writeln!(self.out, "{}", line.trim_end())
    }

    fn event_lines(&mut self, e: &FlowEvent) -> std::io::Result<()> {
        let core = usize::from(e.hart);
        let place = self.places.of(e.hart);
        let image = Rc::clone(&self.image);
        let mut instructions = image.instructions(place.pc, place.when);
        // between time stamps, replay repeats the cycle of the last message
        let has_cycle = self.selection.cycles && e.cycle != std::mem::replace(&mut self.cycle[core], e.cycle);
        for left in (0..e.count).rev() {
            if self.selection.limit == 0 {
                return Ok(());
            }
            let Some(instruction) = instructions.next() else { break };
            let (pc, len, bits) = (instruction.pc, instruction.len, instruction.bits());
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
                    self.instruction(e.hart, pc, len, bits, cycle)?;
                }
            }
        }
        self.data[core].clear();
        self.places.pass(e);
        if let FlowKind::Trap { interrupt, cause } = e.kind {
            let what = if interrupt { "interrupt" } else { "exception" };
            if self.selection.skip == 0 && self.selection.filter.between(e.hart, e.pc) {
                writeln!(self.out, "core {}  {what} {cause} at 0x{:08x}", e.hart, e.pc)?;
            }
        }
        Ok(())
    }
}

impl RetireSink for Show<'_> {
    const WANTS_DATA: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        self.selection.filter.at(e.hart, e.cycle);
        if !self.is_over() {
            self.error = self.event_lines(e).err();
        }
    }

    fn data(&mut self, d: &DataEvent) {
        if self.selection.filter.wants(d.hart) {
            self.data[usize::from(d.hart)].push(*d);
        }
    }
}
