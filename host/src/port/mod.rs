//! Checks a log of a core's trace port before a trace system is built on it
//!
//! A trace system relies on what the port reports of each retired instruction. Most ports that were tried broke one of
//! the rules of `docs/how-to/integration.md` at first, and the trace then showed a path that was
//! never taken. This module checks the rules on a log: a waveform (VCD, FST) or a text table.
//!
//! | module | what is there |
//! | --- | --- |
//! | [`signals`] | signals of each port |
//! | [`rows`] | a log as one row of values per cycle |
//! | [`rvfi`], [`etrace`], [`chain`] | rules of each port |

pub mod chain;
pub mod etrace;
pub mod rows;
pub mod rvfi;
pub mod signals;

use crate::HostError;
use retire::isa::{self, Flow};
use rows::Rows;
use signals::PortKind;
use std::path::Path;

/// A rule of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Violation, as found.
    pub found: &'static str,
    /// What the port must report, or how to connect it.
    pub right: &'static str,
    /// Whether it is only a note: the log can be traced all the same.
    pub note: bool,
}

/// Location of a violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Number of the cycle or line, from 0, as the log names it.
    pub at: String,
    /// Address of the instruction.
    pub pc: u64,
    /// Its bits, if the port shows them.
    pub insn: Option<u32>,
    /// Contradictory values.
    pub values: String,
}

/// A rule of a trace port that a log violates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// Number of violations.
    pub count: u64,
    /// The first locations.
    pub locations: Vec<Location>,
}

/// Result of checking a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Number of cycles or lines.
    pub clocks: u64,
    /// Number of records: cycles in which the port reports something.
    pub records: u64,
    /// Number of retired instructions, according to the port.
    pub retired: u64,
    /// Number of traps, according to the port.
    pub traps: u64,
    /// Violations, most frequent first.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Whether a trace system can be built on the port, according to the log.
    pub fn is_clean(&self) -> bool {
        self.findings.iter().all(|f| f.rule.note)
    }
}

/// Number of locations kept per rule.
const MAX_LOCATIONS: usize = 3;

/// Collects violations.
#[derive(Debug, Default)]
pub(crate) struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, rule: Rule, place: impl FnOnce() -> Location) {
        let known = self.0.iter().position(|f| f.rule == rule).unwrap_or_else(|| {
            self.0.push(Finding { rule, count: 0, locations: Vec::new() });
            self.0.len() - 1
        });
        let finding = &mut self.0[known];
        finding.count += 1;
        if finding.locations.len() < MAX_LOCATIONS {
            finding.locations.push(place());
        }
    }

    /// Errors before notes, then by frequency, then in the order of the log.
    fn sorted(mut self) -> Vec<Finding> {
        self.0.sort_by_key(|f| (f.rule.note, std::cmp::Reverse(f.count)));
        self.0
    }
}

/// Code that the core ran, to compare with the instructions of the log.
#[derive(Clone, Copy)]
pub struct Code<'a>(pub Option<&'a retire::image::Image>);

impl Code<'_> {
    /// The instruction at `pc` and its length.
    fn at(&self, pc: u64) -> Option<(u32, u8)> {
        self.0?.instruction(pc)
    }
}

/// Checks the rules of a port, record by record.
trait Check {
    fn row(&mut self, at: &dyn Fn() -> String, values: &[rows::Value], found: &mut Findings);
    fn counts(&self) -> (u64, u64, u64);
}

/// Options of a check.
#[derive(Clone, Debug)]
pub struct Options {
    /// The port.
    pub port: PortKind,
    /// 32 or 64.
    pub xlen: u8,
    /// How to read the log.
    pub log: rows::Options,
}

/// Reads the log at `path` and checks the rules of the port on it.
///
/// # Errors
/// The log cannot be read, or lacks signals of the port.
pub fn check(path: &Path, options: &Options, code: Code<'_>) -> Result<Report, HostError> {
    let rows = Rows::open(path, options.port, &options.log)?;
    let xlen = options.xlen;
    let mut check: Box<dyn Check + '_> = match options.port {
        PortKind::Rvfi => Box::new(rvfi::Rvfi::new(xlen, code)),
        PortKind::Etrace => Box::new(etrace::Etrace::new(xlen, code)),
        PortKind::PcChain => Box::new(chain::Chain::new(xlen, code)),
    };
    let mut found = Findings::default();
    let mut clocks = 0;
    let mut is_reset = false;
    rows.each(&mut |at, values| {
        clocks += 1;
        // before the reset, the first signal, which says whether there is an instruction, is unknown
        is_reset |= values[0].is_some();
        if !is_reset {
            return;
        }
        check.row(at, values, &mut found);
    })?;
    let (records, retired, traps) = check.counts();
    if records == 0 {
        let valid = options.port.signals()[0].name;
        return Err(HostError::Other(format!(
            "{}: no instruction in {} clock cycles; check the signal `{valid}` and the clock",
            path.display(),
            clocks
        )));
    }
    Ok(Report { clocks, records, retired, traps, findings: found.sorted() })
}

/// Unknown bits while an instruction is shown.
const UNKNOWN: Rule = Rule {
    found: "a signal is unknown (x or z) while an instruction is shown",
    right: "all signals of the port have a value in a cycle with valid 1",
    note: false,
};

const MISALIGNED: Rule =
    Rule { found: "an address is odd", right: "pc values are byte addresses; bit 0 is 0", note: false };

const OTHER_CODE: Rule = Rule {
    found: "the instruction is not the one that the program has at this address",
    right: "insn as it was fetched; a 2-byte instruction in the low half, not expanded; the program that ran",
    note: false,
};

const EXPANDED: Rule = Rule {
    found: "an instruction of 4 bytes is followed by the one 2 bytes further on: it was expanded",
    right: "insn as it was fetched: a 2-byte instruction in the low half; or its length in another way",
    note: false,
};

const ZCM: Rule = Rule {
    found: "an instruction of Zcmp or Zcmt jumps (cm.popret, cm.popretz, cm.jt or cm.jalt)",
    right: "build with --zcm",
    note: true,
};

/// Length of an instruction, its class and, if it is direct, its target.
fn class(insn: u32, pc: u64, xlen: u8) -> (u64, Flow, Option<u64>) {
    let flow = isa::flow(insn, xlen);
    let mask = u64::MAX >> (64 - xlen);
    let target = match flow {
        Flow::Conditional { offset } | Flow::Jump { offset, .. } => {
            Some(pc.wrapping_add(i64::from(offset) as u64) & mask)
        }
        Flow::Sequential | Flow::Indirect(_) | Flow::TrapReturn => None,
    };
    (u64::from(isa::length(insn as u16)), flow, target)
}

/// Whether two words are the same instruction: the upper half of a 2-byte instruction is ignored.
fn same_code(insn: u32, own: u32) -> bool {
    match isa::length(own as u16) {
        2 => insn & 0xffff == own & 0xffff,
        _ => insn == own,
    }
}
