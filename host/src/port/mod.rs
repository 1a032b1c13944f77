//! Checks a log of a core's trace port before a trace system is built on it
//!
//! A trace system believes what the port says of each retired instruction. Most ports that were tried first broke one of
//! the rules of [integration.md](../../../docs/integration.md), and the trace then shows a path that never was. Here the
//! rules are checked on a recorded log: a waveform (VCD, FST) or a table of text.
//!
//! | module | what is there |
//! | --- | --- |
//! | [`signals`] | the signals of each port |
//! | [`rows`] | a log as one row of values a clock |
//! | [`rvfi`], [`etrace`], [`chain`] | the rules of each port |

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

/// What is wrong with a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What was found.
    pub found: &'static str,
    /// What the port must say, or what to connect.
    pub right: &'static str,
    /// The log can be traced all the same: something to look at, no error.
    pub note: bool,
}

/// Where a rule was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Number of the clock or line, from 0, and how the log names it.
    pub at: String,
    /// Address of the instruction.
    pub pc: u64,
    /// Its bits, where the port shows them.
    pub insn: Option<u32>,
    /// Values that contradict each other.
    pub values: String,
}

/// A rule that was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Which.
    pub rule: Rule,
    /// How often.
    pub count: u64,
    /// The first places.
    pub places: Vec<Place>,
}

/// What was found in a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Clocks or lines.
    pub clocks: u64,
    /// Records: clocks in which something was shown.
    pub records: u64,
    /// Instructions that retired, as the port says.
    pub retired: u64,
    /// Traps, as the port says.
    pub traps: u64,
    /// What is wrong, most frequent first.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Whether a trace system can be built on the port, as far as the log goes.
    pub fn is_clean(&self) -> bool {
        self.findings.iter().all(|f| f.rule.note)
    }
}

/// Places of each rule that are kept.
const PLACES: usize = 3;

/// Collects what is found.
#[derive(Debug, Default)]
pub(crate) struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, rule: Rule, place: impl FnOnce() -> Place) {
        let known = self.0.iter().position(|f| f.rule == rule).unwrap_or_else(|| {
            self.0.push(Finding { rule, count: 0, places: Vec::new() });
            self.0.len() - 1
        });
        let finding = &mut self.0[known];
        finding.count += 1;
        if finding.places.len() < PLACES {
            finding.places.push(place());
        }
    }

    /// Errors before notes, the most frequent first, else in the order of the log.
    fn sorted(mut self) -> Vec<Finding> {
        self.0.sort_by_key(|f| (f.rule.note, std::cmp::Reverse(f.count)));
        self.0
    }
}

/// Code that the core ran, to compare instructions with.
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

/// What to check.
#[derive(Clone, Debug)]
pub struct Options {
    /// The port.
    pub port: PortKind,
    /// 32 or 64.
    pub xlen: u8,
    /// How the log is read.
    pub log: rows::Options,
}

/// Reads the log at `path` and checks the rules of the port on it.
///
/// # Errors
/// It cannot be read, or has not the signals of the port.
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
    rows.each(&mut |at, values| {
        clocks += 1;
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

/// Unknown bits while something is shown.
const UNKNOWN: Rule = Rule {
    found: "a signal is unknown (x or z) while an instruction is shown",
    right: "all signals of the port have a value in a cycle with valid 1",
    note: false,
};

const ODD: Rule = Rule { found: "an address is odd", right: "pc values are byte addresses; bit 0 is 0", note: false };

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

/// The length of an instruction, its class and, where it is direct, its target.
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

/// Whether two words are the same instruction: of a 2-byte one the upper half is not looked at.
fn same_code(insn: u32, own: u32) -> bool {
    match isa::length(own as u16) {
        2 => insn & 0xffff == own & 0xffff,
        _ => insn == own,
    }
}
