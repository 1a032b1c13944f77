//! RISC-V E-Trace: branch maps and differential addresses, with its three compression modes
//!
//! Packets of the Efficient Trace for RISC-V specification 2.0, delta addresses, each in an SMI packet of one
//! header byte and a payload that is sign-compressed to whole bytes. The `riscv-etrace` crate encodes and decodes
//! their bits. The choice of packets, and the path that they determine, are implemented here, because the
//! crate's encoder and tracer support no branch prediction and no jump target cache, and its encoder no
//! implicit returns. Where the crate's tracer can follow, it is the oracle (`testbenches/tests/systems/etrace.rs`).
//!
//! | mode | [`Options`] | source |
//! | --- | --- | --- |
//! | implicit return | a stack of return addresses; a return to the top entry is not reported | 4.1.1 |
//! | branch prediction | a table of two-bit predictors; from 31 correct predictions on they are counted | 4.1.2 |
//! | jump target cache | a direct-mapped table of targets; a target that is in it is reported by its index | 4.1.3 |
//!
//! In addition, a synchronization can come each time that a number of instructions has retired, after the next branch or jump.
//!
//! Each synchronisation packet resets all tables; every trap sends one.
//!
//! # Where the specification leaves a choice
//! - A target in the cache is sent by index unless the packet with the address is shorter. Only targets that are
//!   reported enter the cache, not those of implicit returns.
//! - `irdepth` is sent with a mispredicted return, and counts the entries of the stack before it. A mispredicted
//!   return leaves the stack unchanged.
//! - An address in a packet means the first point where the path reaches it with all branches resolved. Where that
//!   would be wrong (for example, for a trap in a loop of jumps without branches), packets with `notify` lead past
//!   it. The specification has no means for loops of jumps without branches.
//! - `tval` is sent as 0, since the retire stream does not contain it. A support packet announces the modes.
//!
//! Not reported by any packet: the target of an indirect branch that is the last instruction of a run, and the number
//! of consecutive traps of which only the last is followed by a retired instruction.
//!
//! # Source
//! Efficient Trace for RISC-V, version 2.0: packets (chapter 7), reference algorithm (8), decoder (11).

mod clearing;
mod decoder;
mod encoder;
mod format0;
mod params;
mod system;
mod tables;

pub use clearing::Clearing;
pub use decoder::decode;
pub use encoder::{Encoder, MAX_PREDICTED};
pub use params::{EtraceParams, CODE, TIME_BITS};
pub use system::words;

use super::Encoded;
use crate::beats::ExpandError;
use retire::image::Image;
use retire::{FlowEvent, FlowKind};
use riscv_etrace::config::{Parameters, PARAMETERS};
use std::fmt;
use std::num::NonZeroU8;
use std::str::FromStr;

/// Modes of the encoder: log2 of the sizes of their tables, 0 if a mode is off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// log2 of the number of return stack entries. 0..=5.
    pub return_stack: u8,
    /// log2 of the number of two-bit predictors. 0..=16.
    pub predictors: u8,
    /// log2 of the number of jump target cache entries. 0..=16.
    pub jump_targets: u8,
    /// log2 of the instructions after which the one after the next branch or jump begins with a synchronization; 0: never. 0..=20.
    pub sync: u8,
    /// Addresses are sent in full, not as differences.
    pub full: bool,
}

/// Features of an encoder that have no size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    /// Addresses are sent in full.
    pub full_address: bool,
    /// Targets of jumps that the instruction before them determines are not sent.
    pub sequential_jumps: bool,
    /// Instructions after which the next one begins with a synchronization.
    pub resync: Option<u64>,
    /// Width of the time in synchronizations, bits; 0: none.
    pub time_width: u8,
    /// Width of the context in synchronizations, bits; 0: none.
    pub context_width: u8,
    /// Only what a circuit at a port of retired instructions knows: traps have no cause and are noticed at the first instruction
    /// after them; and there is no memory of the path, so that repeated loops of jumps without branches are not distinguished.
    /// Packets end after the first bit of their address, and a return to another place than predicted is reported, too. Tables are
    /// cleared row by row, so that one is not used after a synchronization that comes too early ([`Clearing`]); a count of
    /// correct predictions has at most 12 bits; and a target that is in the cache is always sent by its index.
    pub port_only: bool,
    /// Gaps in the events are instructions that a filter hides: the path ends before them, and nothing is lost.
    pub filter: bool,
    /// Source, one byte after the header of each packet; `None`: there is none.
    pub source: Option<u8>,
}

impl Options {
    /// All modes off.
    pub const BASE: Self = Self { return_stack: 0, predictors: 0, jump_targets: 0, sync: 0, full: false };
    /// Tables as large as those of T-raptor `m4`: 8 returns, 512 predictors, 64 targets.
    pub const ALL_MODES: Self = Self { return_stack: 3, predictors: 9, jump_targets: 6, ..Self::BASE };
    /// All modes off, each one alone, and all on.
    pub const ALL: [Self; 5] = [
        Self::BASE,
        Self { return_stack: 3, ..Self::BASE },
        Self { predictors: 9, ..Self::BASE },
        Self { jump_targets: 6, ..Self::BASE },
        Self::ALL_MODES,
    ];

    /// Converts the options to the parameters of the `riscv-etrace` crate.
    pub fn parameters(self, xlen: u8) -> Parameters {
        Parameters {
            iaddress_width_p: NonZeroU8::new(xlen).unwrap_or(PARAMETERS.iaddress_width_p),
            return_stack_size_p: self.return_stack,
            cache_size_p: self.jump_targets,
            f0s_width_p: u8::from(self.predictors > 0 || self.jump_targets > 0),
            ..PARAMETERS
        }
    }
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "etrace")?;
        let modes =
            [("ir", self.return_stack), ("bp", self.predictors), ("jtc", self.jump_targets), ("sync", self.sync)];
        for (name, log2) in modes {
            if log2 > 0 {
                write!(f, "+{name}{}", 1 << log2)?;
            }
        }
        if self.full {
            write!(f, "+full")?;
        }
        Ok(())
    }
}

/// Error of a name that does not describe modes of E-Trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not known; expected etrace, optionally followed by +ir8, +bp512, +jtc64 and +sync1024 with powers of 2, and +full"
)]
pub struct UnknownOptions(String);

impl FromStr for Options {
    type Err = UnknownOptions;

    fn from_str(name: &str) -> Result<Self, UnknownOptions> {
        let unknown = || UnknownOptions(name.to_string());
        let mut options = Self::BASE;
        let rest = name.strip_prefix("etrace").ok_or_else(unknown)?;
        for mode in rest.split_terminator('+').skip(1) {
            if mode == "full" {
                options.full = true;
                continue;
            }
            let digits = mode.find(|c: char| c.is_ascii_digit()).ok_or_else(unknown)?;
            let entries: u32 = mode[digits..].parse().map_err(|_| unknown())?;
            let (log2, most) = match &mode[..digits] {
                "ir" => (&mut options.return_stack, 5),
                "bp" => (&mut options.predictors, 16),
                "jtc" => (&mut options.jump_targets, 16),
                "sync" => (&mut options.sync, 20),
                _ => return Err(unknown()),
            };
            *log2 = entries.trailing_zeros() as u8;
            if !entries.is_power_of_two() || !(1..=most).contains(log2) {
                return Err(unknown());
            }
        }
        if options.to_string().len() == name.len() {
            Ok(options)
        } else {
            Err(unknown())
        }
    }
}

/// Error of encoding or decoding.
#[derive(Debug, thiserror::Error)]
pub enum EtraceError {
    /// An event for which there is no packet.
    #[error("E-Trace has no packet for {0}")]
    NoPacket(String),
    /// The packet coder reports an error.
    #[error("packet {packet}: {what}")]
    Packet {
        /// Number of the packet, from 0.
        packet: u64,
        /// The `riscv-etrace` crate's reason.
        what: String,
    },
    /// A packet that is not valid at its position.
    #[error("packet {packet}: {what}")]
    Content {
        /// Number of the packet, from 0.
        packet: u64,
        /// What was found, and what is valid.
        what: &'static str,
    },
    /// The events do not fit the program.
    #[error("{0}")]
    Events(#[from] ExpandError),
    /// The path leaves the program.
    #[error("packet {packet}: pc 0x{pc:08x} is outside the code of the ELF")]
    OutsideCode {
        /// Number of the packet, from 0.
        packet: u64,
        /// Address.
        pc: u64,
    },
}

/// Encodes the events of `harts` harts, each separately.
pub fn encode<'e>(
    events: impl IntoIterator<Item = &'e FlowEvent>,
    harts: u8,
    options: Options,
    xlen: u8,
    image: &Image,
) -> Result<Vec<Encoded>, EtraceError> {
    let mut encoders: Vec<_> = (0..harts).map(|_| Encoder::new(options, image, xlen)).collect::<Result<_, _>>()?;
    for e in events {
        encoders[usize::from(e.hart)].push(e)?;
    }
    encoders.into_iter().map(Encoder::finish).collect()
}

/// Whether decoded events equal the original ones, as far as packets report them: the cause of a trap is reported, the
/// target of an indirect branch at the very end is not.
pub fn same<'e>(found: &[FlowEvent], went_in: impl IntoIterator<Item = &'e FlowEvent>) -> bool {
    let mut events = went_in.into_iter().peekable();
    let mut cut = false;
    found.iter().all(|f| {
        let Some(e) = events.next() else { return false };
        let stops = |e: Option<&&FlowEvent>| e.is_some_and(|e| e.kind == FlowKind::Stop && e.count == 0);
        let unreported = stops(events.peek()) && is_indirect(e.kind);
        let f = FlowEvent {
            target: if unreported || cut { e.target } else { f.target },
            pc: if cut { e.pc } else { f.pc },
            ..*f
        };
        cut |= unreported;
        f.same_flow(e) && f.kind == e.kind
    }) && events.next().is_none()
}

fn is_indirect(kind: FlowKind) -> bool {
    matches!(
        kind,
        FlowKind::IndirectJump | FlowKind::IndirectCall | FlowKind::Return | FlowKind::CoSwap | FlowKind::TrapReturn
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_parsed_back_and_others_refused() {
        for options in Options::ALL {
            assert_eq!(options.to_string().parse(), Ok(options));
        }
        assert_eq!(Options::ALL_MODES.to_string(), "etrace+ir8+bp512+jtc64");
        assert_eq!("etrace+ir8+sync1024".parse(), Ok(Options { return_stack: 3, sync: 10, ..Options::BASE }));
        assert_eq!("etrace+jtc4+full".parse(), Ok(Options { jump_targets: 2, full: true, ..Options::BASE }));
        for bad in [
            "",
            "etrace+",
            "etrace+ir",
            "etrace+ir0",
            "etrace+ir1",
            "etrace+ir7",
            "etrace+ir64",
            "etrace8",
            "etrace+sync3",
            "etrace+full8",
            "etrace+full+full",
        ] {
            assert!(bad.parse::<Options>().is_err(), "{bad}");
        }
    }
}
