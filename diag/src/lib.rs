//! Diagnosis on the host: scripts, where their parts run, and what they print
//!
//! A script says at which points of a program what is to be counted, summed up, checked or printed. It is parsed
//! ([`syntax`]) and resolved against a program's symbols ([`resolve`]) to an application ([`app`]). The planner ([`plan`])
//! cuts that between nodes on the chip and the host ([`runtime`]) so that the fewest bits leave the chip. The same script
//! prints the same wherever it is cut.
//!
//! # Example
//! A script that counts calls is planned for a chip with four cores: the counters are on the chip, so the link carries less than
//! if each call were sent.
//! ```
//! use diag::parse::parse;
//! use diag::plan::{plan, Rates};
//! use diag::resolve::resolve;
//! use diag::symbols::Symbols;
//! use sim::diag::chip::ChipParams;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let clock_hz = 50_000_000;
//! let script = parse("call:4096 { @calls[core] = count(); }").map_err(|m| m.what)?;
//! let app = resolve(&script, &Symbols::none(), clock_hz).map_err(|m| m.what)?;
//! let planned = plan(&app, &ChipParams::new(4), &Rates::assumed(&app, clock_hz))?;
//! assert!(planned.bits < planned.host_bits);
//! # Ok(())
//! # }
//! ```
//!
//! | module | what is there |
//! | --- | --- |
//! | [`probe`], [`syntax`], [`parse`] | scripts |
//! | [`build`] | scripts as Rust values |
//! | [`formula`], [`ltl`] | temporal logic, and the state machines that it becomes |
//! | [`symbols`] | names and source lines of a program |
//! | [`resolve`], [`app`] | scripts with their meaning |
//! | [`share`], [`widen`] | probes that share a trigger |
//! | [`plan`], [`layout`] | what runs where, and why; the settings of a chip |
//! | [`points`], [`replayed`] | points of the program for which no trigger is left, from a trace of the cores |
//! | [`runtime`] | what runs on the host |
//! | [`order`] | what depends on the order of events, and how it is assured |
//! | [`losses`] | events that were lost: where, and when |
//! | [`output`] | what a script prints, and what is not assured about it |
//! | [`watch`] | a run, as event generators see it |
//! | [`arrivals`] | the host's side of a link: packets, and ticks |
//! | [`session`] | an application on a chip, run to its end |
//! | [`firmware`] | programs for the diagnosis processor |
//! | [`handlers`] | one of them alongside a run |
//! | [`program`] | where one runs, and what is expected over the link |
//! | [`load`] | packets that set a chip's circuits |
//! | [`link`] | packets on a line of bytes |
//! | [`mod@line`] | frames from the host to the chip, repeated where they are lost |
//! | [`noisy`] | the host on a line that damages bytes |
//! | [`log`] | what went over the link, in a file |
//! | [`scripts`] | scripts that come with Goshawk |
//! | [`mod@format`], [`buckets`] | formats of texts; buckets of histograms |
//! | [`sink`] | what is printed, as text, JSON lines, CSV or a Perfetto trace |

pub mod app;
pub mod arrivals;
pub mod buckets;
pub mod build;
pub mod firmware;
pub mod format;
pub mod formula;
pub mod handlers;
pub mod layout;
pub mod line;
pub mod link;
pub mod load;
pub mod log;
pub mod losses;
pub mod ltl;
mod monitor;
pub mod noisy;
pub mod order;
pub mod output;
pub mod parse;
mod perfetto;
pub mod plan;
pub mod points;
pub mod probe;
pub mod program;
pub mod replayed;
pub mod resolve;
pub mod runtime;
pub mod scripts;
pub mod session;
pub mod share;
pub mod sink;
pub mod symbols;
pub mod syntax;
pub mod watch;
pub mod widen;
mod window;
mod write;

/// A mistake in a script, with its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}:{line}:{column}: {what}\n  {text}\n  {caret}")]
pub struct ScriptError {
    /// The script.
    pub name: String,
    /// From 1.
    pub line: usize,
    /// From 1.
    pub column: usize,
    /// What was found, and what would be right.
    pub what: String,
    /// The line.
    pub text: String,
    /// A mark below the place.
    pub caret: String,
}

/// A place in a script, in bytes, and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Where.
    pub at: usize,
    /// What.
    pub what: String,
}

impl Mistake {
    /// At `at`.
    pub fn new(at: usize, what: impl Into<String>) -> Self {
        Self { at, what: what.into() }
    }

    /// With the script that it is in.
    pub fn in_script(self, name: &str, script: &str) -> ScriptError {
        let at = (0..=self.at.min(script.len())).rev().find(|i| script.is_char_boundary(*i)).unwrap_or(0);
        let start = script[..at].rfind('\n').map_or(0, |n| n + 1);
        let text = script[start..].lines().next().unwrap_or_default().to_string();
        let column = script[start..at].chars().count() + 1;
        ScriptError {
            name: name.into(),
            line: script[..start].matches('\n').count() + 1,
            column,
            what: self.what,
            text,
            // a tab stays one, so that the mark is below the place
            caret: script[start..at].chars().map(|c| if c == '\t' { c } else { ' ' }).chain(['^']).collect(),
        }
    }
}
