//! Programs for the diagnosis processor: memory image, the probe of each handler, and the texts of messages
//!
//! `programs/diag/rt/diag.h` puts them into an ELF: a table of handlers at the symbol `diag_handlers`, and two sections
//! that only the host reads: `.diag.probes` (handler, probe, captured fields; 128 bytes each, in the order of the
//! table) and `.diag.messages` (64 bytes each).

use crate::app::Part;
use crate::format;
use crate::parse::parse;
use crate::resolve::resolve;
use crate::symbols::Symbols;
use object::{Object, ObjectSection, ObjectSymbol};
use retire::elf::Program;
use sim::diag::processor::RAM_BYTES;

const PROBE_BYTES: usize = 128;
const MESSAGE_BYTES: usize = 64;
/// Maximum number of handlers: the number of triggers of an event generator.
const HANDLERS: usize = 16;

/// A handler of the diagnosis processor: an event, and the function that it calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handler {
    /// Name of its function.
    pub name: String,
    /// Its probe, as in a script.
    pub probe: String,
    /// Captured fields, separated by commas.
    pub fields: String,
}

/// A program for the diagnosis processor.
#[derive(Debug)]
pub struct Firmware {
    /// The program.
    pub program: Program,
    /// Bytes from address 0 on.
    pub image: Vec<u8>,
    /// Handlers, in the order of their event numbers.
    pub handlers: Vec<Handler>,
    /// Its messages, by number.
    pub messages: Vec<Vec<Part>>,
    /// Symbols.
    pub symbols: Symbols,
}

/// A NUL-terminated text.
fn text(bytes: &[u8]) -> Result<String, String> {
    let end = bytes.iter().position(|b| *b == 0).ok_or("a text of a probe or message is too long")?;
    String::from_utf8(bytes[..end].to_vec()).map_err(|_| "a text of a probe or message is not UTF-8".to_string())
}

impl Handler {
    /// A line of a script with its slots. All events have the time.
    fn script(&self) -> String {
        let fields = if self.fields.is_empty() { "" } else { &format!("{}, ", self.fields) };
        format!("{} {{ @{}[{fields}time] = count(); }}\n", self.probe, self.name)
    }
}

impl Firmware {
    /// Reads a program from an ELF.
    pub fn parse(elf: &[u8]) -> Result<Self, String> {
        let program = Program::parse(elf).map_err(|e| e.to_string())?;
        let built = match (program.xlen, program.compressed, program.multiplies) {
            (32, false, false) => None,
            (32, true, _) => Some("with the C extension"),
            (32, false, true) => Some("with the M extension, or does not say that it is not"),
            _ => Some("for RV64"),
        };
        if let Some(built) = built {
            return Err(format!("is built {built}; the diagnosis processor has RV32I (-march=rv32i -mabi=ilp32)"));
        }
        let end = program.segments.iter().map(|s| s.addr.saturating_add(s.mem_size)).max().unwrap_or(0);
        if end > RAM_BYTES.into() {
            return Err(format!(
                "reaches up to address {end:#x}; the diagnosis processor has {RAM_BYTES} bytes of memory, from 0 on"
            ));
        }
        if program.entry != 0 {
            return Err(format!("begins at {:#x}; the diagnosis processor begins at 0", program.entry));
        }
        let mut image = vec![0; end as usize];
        for s in &program.segments {
            image[s.addr as usize..][..s.data.len()].copy_from_slice(&s.data);
        }
        let file = object::File::parse(elf).map_err(|e| e.to_string())?;
        let section = |name: &str| {
            let data = file.section_by_name(name).and_then(|s| s.data().ok());
            data.map(<[u8]>::to_vec).unwrap_or_default()
        };
        let symbols = Symbols::parse(elf)?;
        let table = file.symbols().find(|s| s.name() == Ok("diag_handlers")).map(|s| s.address() as usize);
        let (probes, none) =
            (section(".diag.probes"), "has no handlers: DIAG_ON of programs/diag/rt/diag.h makes them");
        let table = table.filter(|_| !probes.is_empty()).ok_or(none)?;
        if probes.len() / PROBE_BYTES > HANDLERS {
            return Err(format!("has {} handlers, expected at most {HANDLERS}", probes.len() / PROBE_BYTES));
        }
        let mut handlers = Vec::new();
        for (n, entry) in probes.chunks_exact(PROBE_BYTES).enumerate() {
            let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
            let (at, probe) = (word(entry), text(&entry[4..64])?);
            let placed = image.get(table + 4 * n..table + 4 * n + 4).map(word);
            let name = symbols.at(at.into()).filter(|name| !name.contains('+') && placed == Some(at));
            let name = name.ok_or_else(|| format!("handler {n}, of `{probe}`, is at {at:#x}, where there is none"))?;
            handlers.push(Handler { name, probe, fields: text(&entry[64..])? });
        }
        let parts = |m: &[u8]| text(m).and_then(|t| format::parts(&t));
        let messages = section(".diag.messages").chunks(MESSAGE_BYTES).map(parts).collect::<Result<_, _>>()?;
        Ok(Self { program, image, handlers, messages, symbols })
    }

    /// The handlers whose probe or fields the observed program does not have, as in the source, each with the reason.
    pub fn mistakes(&self, symbols: &Symbols, clock_hz: u64) -> Vec<String> {
        let wrong = |h: &Handler| {
            let items = parse(&h.script()).and_then(|items| resolve(&items, symbols, clock_hz));
            let mistake = items.err()?.what;
            Some(format!("DIAG_ON({}, \"{}\", \"{}\"): {mistake}", h.name, h.probe, h.fields))
        };
        self.handlers.iter().filter_map(wrong).collect()
    }

    /// A script that has the handlers' slots, in the same order.
    pub fn script(&self) -> String {
        self.handlers.iter().map(Handler::script).collect()
    }
}
