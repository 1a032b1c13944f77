//! Importer of SBBT, the simple binary branch traces of MBPlib, to which championship branch traces are converted
//!
//! A header of 24 bytes, then 16 bytes per branch, little-endian:
//!
//! | bytes | header |
//! | ---: | --- |
//! | 0 to 4 | `SBBT`, then a line feed |
//! | 5 to 7 | version: 1, 0, 0 |
//! | 8 to 15 | instructions |
//! | 16 to 23 | branches |
//!
//! | bits | branch |
//! | ---: | --- |
//! | 0 | conditional |
//! | 1 | indirect |
//! | 3:2 | 0 jump, 1 return, 2 call |
//! | 10:4 | 0 |
//! | 11 | taken |
//! | 63:12 | address, without its upper bits |
//! | 75:64 | instructions since the previous branch, including this one |
//! | 127:76 | target, without its upper bits |
//!
//! Addresses are sign-extended from 52 bits.
//!
//! # Missing information
//! The format lacks the lengths of instructions and the start of the trace ([`super::survey`]). A conditional indirect
//! branch is reported as an indirect jump, which goes to its fall-through address if it is not taken; a conditional
//! call as a conditional branch. If a run has several counts (the tracer counts each repetition of `rep movs`), the
//! smallest is used. If it leads to another branch than before (a signal, an omitted part), a trap leads to that.
//!
//! # Source
//! MBPlib, `app/sbbt_tracer/sbbt_tracer.cpp` and `src/sim/sbbt_writer.cpp`, format 1.0.0; E. Domínguez-Sánchez, A. Ros, "MBPlib:
//! Modular Branch Prediction Library", ISPASS 2023.

use super::packed::Unpacked;
use super::survey::{Survey, CONDITIONAL_LEN};
use super::Sink;
use crate::HostError;
use retire::file::rbt1::Record;
use std::collections::HashSet;
use std::path::Path;

const HEADER: usize = 24;
const PACKET: usize = 16;

/// One branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Branch {
    pc: u64,
    target: u64,
    taken: bool,
    /// `rbt1` kind; 1 for a conditional branch.
    kind: u8,
    /// Whether it is indirect, but falls through if not taken.
    conditional_indirect: bool,
    count: u32,
}

impl Branch {
    fn from_bytes(b: &[u8; PACKET]) -> Result<Self, String> {
        let [low, high] = [0, 8].map(|at| u64::from_le_bytes(b[at..at + 8].try_into().unwrap_or_default()));
        let reserved = low >> 4 & 0x7f;
        if reserved != 0 || low >> 2 & 3 == 3 {
            return Err(format!(
                "bits 10:0 of a branch are 0x{:03x}; bits 10:4 are 0 and bits 3:2 at most 2",
                low & 0x7ff
            ));
        }
        // sign-extended from bit 51
        let address = |word: u64| ((word as i64) >> 12) as u64;
        let (conditional, indirect) = (low & 1 == 1, low & 2 == 2);
        let kind = match (low >> 2 & 3, indirect, conditional) {
            (_, true, true) | (1, _, true) | (0, true, false) => 4,
            (_, false, true) => 1,
            (1, _, false) => 6,
            (2, true, false) => 5,
            (2, false, false) => 3,
            _ => 2,
        };
        Ok(Self {
            pc: address(low),
            target: address(high),
            taken: low >> 11 & 1 == 1 || !conditional,
            kind,
            conditional_indirect: conditional && kind == 4,
            count: (high & 0xfff) as u32,
        })
    }

    /// The next address; for an indirect branch that is not taken, four bytes on.
    fn goes_to(&self) -> Option<u64> {
        match (self.taken, self.conditional_indirect) {
            (true, _) => Some(self.target),
            (false, true) => Some(self.pc.wrapping_add(4)),
            (false, false) => None,
        }
    }
}

/// Reads all branches; their number must match the header. Returns the number of instructions in the header.
fn branches(input: &mut Unpacked, mut take: impl FnMut(Branch)) -> Result<u64, HostError> {
    let mut head = [0; HEADER];
    if !input.record(&mut head, "the header")? || head[..5] != *b"SBBT\n" {
        return Err(input.wrong("the file does not begin with `SBBT` and a line feed, as an SBBT trace does"));
    }
    if head[5..8] != [1, 0, 0] {
        let [a, b, c] = [head[5], head[6], head[7]];
        return Err(input.wrong(&format!("SBBT of version {a}.{b}.{c}; 1.0.0 is read here")));
    }
    let said = u64::from_le_bytes(head[16..].try_into().unwrap_or_default());
    let (mut bytes, mut found) = ([0; PACKET], 0);
    while input.record(&mut bytes, "a branch")? {
        take(Branch::from_bytes(&bytes).map_err(|e| input.wrong(&e))?);
        found += 1;
    }
    if found != said {
        return Err(input.wrong(&format!("the file ends after {found} branches, its header says {said}; it was cut")));
    }
    Ok(u64::from_le_bytes(head[8..16].try_into().unwrap_or_default()))
}

/// Tracks the start of each run.
#[derive(Default)]
struct Follower {
    /// Start of the current run; `None` before the first branch.
    at: Option<u64>,
}

impl Follower {
    /// Moves past the branch; returns the start of its run.
    fn go(&mut self, survey: &Survey, b: &Branch) -> Option<u64> {
        let fall_through = b.pc.wrapping_add(u64::from(CONDITIONAL_LEN));
        let next = match b.goes_to() {
            // a conditional branch with several targets is treated as indirect, and goes four bytes on
            None if survey.many(b.pc) => b.pc.wrapping_add(4),
            to => to.unwrap_or(fall_through),
        };
        self.at.replace(next)
    }
}

/// Passes the records of a trace to `sink`; returns notes.
pub(super) fn convert(path: &Path, mut input: Unpacked, sink: Sink<'_>) -> Result<Vec<String>, HostError> {
    let (mut survey, mut direct, mut conditional, mut counted) = (Survey::default(), HashSet::new(), 0u64, 0u64);
    let instructions = branches(&mut input, |b| {
        counted += u64::from(b.count);
        survey.branch(b.pc, b.kind, b.goes_to());
        conditional += u64::from(b.conditional_indirect);
        if b.kind < 4 {
            direct.insert(b.pc);
        }
    })?;
    // run lengths, once it is known which branches are indirect
    let mut follower = Follower::default();
    branches(&mut Unpacked::open(path)?, |b| {
        if let Some(at) = follower.go(&survey, &b) {
            survey.run(at, b.count.max(1), b.pc);
        }
    })?;
    let (mut follower, mut changed, mut traps) = (Follower::default(), 0u64, 0u64);
    branches(&mut Unpacked::open(path)?, |b| {
        let mut put = |kind, len, count, pc, target| sink(&Record { kind, len, thread: 0, count, pc, target });
        let mut count = 1;
        if let Some(at) = follower.go(&survey, &b) {
            match survey.run_at(at).filter(|run| run.exit == b.pc) {
                Some(run) => count = run.count,
                None => {
                    traps += 1;
                    put(7, 1, 0, at, b.pc);
                }
            }
            changed += u64::from(count != b.count);
        }
        let (kind, len) = survey.kind_and_len(b.pc, if b.kind == 1 && !b.taken { 0 } else { b.kind });
        put(kind, len, count, b.pc, follower.at.unwrap_or(b.target));
    })?;
    let mut notes = survey.notes(|pc| direct.contains(&pc));
    notes.extend(
        (conditional > 0).then(|| format!("{conditional} conditional indirect branches, imported as indirect jumps")),
    );
    notes.extend(
        (changed > 0)
            .then(|| format!("{changed} runs with more instructions than their minimum, imported with the minimum")),
    );
    // those in front of the first branch are among the first branch's count
    let rest = instructions.saturating_sub(counted);
    notes.extend(
        (rest > 0).then(|| format!("{rest} instructions after the last branch, left out: where they are is unknown")),
    );
    notes.extend((traps > 0).then(|| format!("{traps} runs to another branch than before, imported as traps to it")));
    Ok(notes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_where_the_format_has_them() {
        let of = |low: u64, high: u64| {
            let mut b = [0; PACKET];
            b[..8].copy_from_slice(&low.to_le_bytes());
            b[8..].copy_from_slice(&high.to_le_bytes());
            Branch::from_bytes(&b)
        };
        let b = of(0x0000_0040_1234 << 12 | 0x801, 0x0000_0040_2000 << 12 | 7).unwrap();
        assert_eq!((b.pc, b.target, b.taken, b.kind, b.count), (0x40_1234, 0x40_2000, true, 1, 7));
        // the upper half of the address space
        assert_eq!(of(0xf_ffff_8000_0000 << 12, 0).unwrap().pc, 0xffff_ffff_8000_0000);
        let kind = |opcode: u64| of(opcode, 0).unwrap().kind;
        assert_eq!([0b0000, 0b0001, 0b0010, 0b0011].map(kind), [2, 1, 4, 4]);
        assert_eq!([0b0100, 0b0110, 0b0111, 0b1000, 0b1010, 0b1001].map(kind), [6, 6, 4, 3, 5, 1]);
        assert!(!of(0b0001, 0).unwrap().taken);
        assert_eq!(of(0x10, 0).unwrap_err(), "bits 10:0 of a branch are 0x010; bits 10:4 are 0 and bits 3:2 at most 2");
        assert!(of(0b1100, 0).is_err());
    }
}
