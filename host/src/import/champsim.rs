//! Importer of ChampSim traces: 64 bytes per instruction
//!
//! | bytes | content |
//! | ---: | --- |
//! | 0 to 7 | address |
//! | 8 | 1: a branch, according to the tracer; ignored |
//! | 9 | 1: taken |
//! | 10, 11 | registers written, 0: none |
//! | 12 to 15 | registers read, 0: none |
//! | 16 to 31 | addresses written; ignored |
//! | 32 to 63 | addresses read; ignored |
//!
//! Little-endian. The registers of an instruction determine the kind of branch: 6 is the stack pointer, 25 the flags,
//! 26 the instruction pointer. Where the last instruction goes is known if it is no branch, is not taken, or is a direct branch that was
//! taken before; otherwise the hart stops before it. An
//! instruction that is not a branch and is followed by itself is repeated (`rep movs`), and counts once. If it is not a
//! branch and is followed neither by the next address nor by itself, a trap follows.
//!
//! # Source
//! ChampSim, `inc/trace_instruction.h` (`input_instr`, without the `load_type` of some branches of its development) and
//! `inc/instruction.h` (`ooo_model_instr`, kinds of branches).

use super::packed::Unpacked;
use super::survey::{Survey, CONDITIONAL_LEN, MAX_INSTRUCTION_LEN};
use super::Sink;
use crate::HostError;
use retire::file::rbt1::Record;
use std::collections::HashSet;
use std::path::Path;

const BYTES: usize = 64;
const STACK_POINTER: u8 = 6;
const FLAGS: u8 = 25;
const INSTRUCTION_POINTER: u8 = 26;

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Instruction {
    ip: u64,
    taken: bool,
    /// `rbt1` kind if it is a branch; 1 for a conditional one.
    kind: Option<u8>,
}

impl Instruction {
    fn from_bytes(b: &[u8; BYTES]) -> Result<Self, String> {
        let ip = u64::from_le_bytes(b[..8].try_into().unwrap_or_default());
        if let Some(at) = [8, 9].into_iter().find(|i| b[*i] > 1) {
            return Err(format!(
                "byte {at} of an instruction is {}, expected 0 or 1; this is not a ChampSim trace",
                b[at]
            ));
        }
        if ip == 0 {
            return Err("an instruction at address 0; this is no ChampSim trace".into());
        }
        let (written, read) = (&b[10..12], &b[12..16]);
        let (writes_ip, writes_sp) = (written.contains(&INSTRUCTION_POINTER), written.contains(&STACK_POINTER));
        let [sp, ip_read, flags] = [STACK_POINTER, INSTRUCTION_POINTER, FLAGS].map(|r| read.contains(&r));
        let other = read.iter().any(|r| ![0, STACK_POINTER, INSTRUCTION_POINTER, FLAGS].contains(r));
        let kind = writes_ip.then_some(match (sp, ip_read, flags, other, writes_sp) {
            (false, _, false, false, _) => 2,
            (false, false, false, true, _) => 4,
            (false, true, _, _, false) => 1,
            (true, true, false, false, true) => 3,
            (true, true, false, true, true) => 5,
            (true, false, _, _, true) => 6,
            // other combinations go where the next instruction is
            _ => 4,
        });
        Ok(Self { ip, taken: b[9] == 1, kind })
    }
}

/// A chosen length, where it is unknown.
fn chosen_len(ip: u64) -> u64 {
    if ip % 4 == 0 {
        4
    } else {
        1
    }
}

/// The transition from an instruction to the next one.
enum Step {
    Sequential,
    Repeated,
    NotTaken,
    Branch(u8),
    Trap,
}

fn step(i: Instruction, next: u64) -> Step {
    let near = (1..=MAX_INSTRUCTION_LEN).contains(&next.wrapping_sub(i.ip));
    match i.kind {
        None if near => Step::Sequential,
        None if next == i.ip => Step::Repeated,
        None => Step::Trap,
        Some(1) if !i.taken => Step::NotTaken,
        Some(kind) => Step::Branch(kind),
    }
}

/// Reads each instruction with the address of the next one.
fn pairs(input: &mut Unpacked, mut take: impl FnMut(Instruction, Option<u64>)) -> Result<(), HostError> {
    let (mut bytes, mut last) = ([0; BYTES], None);
    while input.record(&mut bytes, "an instruction")? {
        let this = Instruction::from_bytes(&bytes).map_err(|e| input.wrong(&e))?;
        if let Some(last) = last.replace(this) {
            take(last, Some(this.ip));
        }
    }
    if let Some(last) = last {
        take(last, None);
    }
    Ok(())
}

/// Passes the records of a trace to `sink`; returns notes.
pub(super) fn convert(path: &Path, mut input: Unpacked, sink: Sink<'_>) -> Result<Vec<String>, HostError> {
    let (mut survey, mut direct) = (Survey::default(), HashSet::new());
    pairs(&mut input, |i, next| {
        let Some(next) = next else { return };
        match step(i, next) {
            Step::NotTaken => survey.branch(i.ip, 1, None),
            Step::Branch(kind) => {
                survey.branch(i.ip, kind, Some(next));
                if kind < 4 {
                    direct.insert(i.ip);
                }
            }
            Step::Sequential | Step::Repeated | Step::Trap => {}
        }
    })?;
    let (mut first, mut count, mut traps, mut repeated, mut left_out) = (true, 0, 0u64, 0u64, 0u64);
    pairs(&mut Unpacked::open(path)?, |i, next| {
        let mut put = |kind, len, count, pc, target| sink(&Record { kind, len, thread: 0, count, pc, target });
        if std::mem::take(&mut first) {
            put(7, 0, 0, i.ip, i.ip);
        }
        let Some(next) = next else {
            // the last instruction
            let (kind, len) = survey.kind_and_len(i.ip, i.kind.unwrap_or_default());
            let (kind, next) = match i.kind {
                None => (None, Some(i.ip.wrapping_add(chosen_len(i.ip)))),
                Some(1) if !i.taken && kind == 1 => (Some(0), Some(i.ip.wrapping_add(CONDITIONAL_LEN.into()))),
                Some(_) if kind < 4 => (Some(kind), survey.target(i.ip)),
                Some(_) => (None, None),
            };
            let Some(next) = next else {
                left_out += 1;
                return put(7, 0, count, i.ip, i.ip);
            };
            count += 1;
            if let Some(kind) = kind {
                put(kind, len, std::mem::take(&mut count), i.ip, next);
            }
            return put(7, 0, count, next, next);
        };
        count += 1;
        let mut emit = |kind, len, target| put(kind, len, std::mem::take(&mut count), i.ip, target);
        match step(i, next) {
            Step::Sequential => {}
            Step::Repeated => {
                repeated += 1;
                count -= 1;
            }
            Step::NotTaken if survey.many(i.ip) => emit(4, survey.kind_and_len(i.ip, 1).1, next),
            Step::NotTaken => {
                let next_pc = i.ip + u64::from(CONDITIONAL_LEN);
                emit(0, CONDITIONAL_LEN, next_pc);
                if !(1..=MAX_INSTRUCTION_LEN).contains(&next.wrapping_sub(i.ip)) {
                    traps += 1;
                    put(7, 1, 0, next_pc, next);
                }
            }
            Step::Branch(kind) => {
                let (kind, len) = survey.kind_and_len(i.ip, kind);
                emit(kind, len, next);
            }
            Step::Trap => {
                traps += 1;
                // the length of the instruction is unknown
                let (count, next_pc) = (std::mem::take(&mut count), i.ip + chosen_len(i.ip));
                put(7, 1, count, next_pc, next);
            }
        }
    })?;
    let mut notes = survey.notes(|pc| direct.contains(&pc));
    notes.extend((traps > 0).then(|| format!("{traps} discontinuities, imported as traps")));
    notes.extend((repeated > 0).then(|| format!("{repeated} repetitions of an instruction, counted once")));
    notes.extend((left_out > 0).then(|| format!("{left_out} {}", super::LEFT_OUT)));
    Ok(notes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_those_of_the_registers() {
        let kind = |written: [u8; 2], read: [u8; 4]| {
            let mut b = [0; BYTES];
            (b[0], b[8]) = (1, 1);
            b[10..12].copy_from_slice(&written);
            b[12..16].copy_from_slice(&read);
            Instruction::from_bytes(&b).unwrap().kind
        };
        assert_eq!(kind([26, 0], [26, 0, 0, 0]), Some(2));
        assert_eq!(kind([26, 0], [3, 0, 0, 0]), Some(4));
        assert_eq!(kind([26, 0], [26, 25, 0, 0]), Some(1));
        assert_eq!(kind([26, 0], [26, 3, 0, 0]), Some(1));
        assert_eq!(kind([26, 6], [26, 6, 0, 0]), Some(3));
        assert_eq!(kind([26, 6], [26, 6, 3, 0]), Some(5));
        assert_eq!(kind([26, 6], [6, 0, 0, 0]), Some(6));
        assert_eq!(kind([26, 0], [6, 25, 0, 0]), Some(4));
        assert_eq!(kind([6, 0], [6, 0, 0, 0]), None);
    }

    /// The records of a trace, each instruction with its kind: `.` none, `j` a jump, `b` a branch that is taken, `n` one that is not,
    /// `r` a return.
    fn end(trace: &[(u64, char)]) -> (Vec<Record>, Vec<String>) {
        let mut bytes = Vec::new();
        for (ip, kind) in trace {
            let mut b = [0; BYTES];
            b[..8].copy_from_slice(&ip.to_le_bytes());
            (b[8], b[9]) = (u8::from(*kind != '.'), u8::from(!".n".contains(*kind)));
            let (written, read) = match kind {
                'j' => ([26, 0], [26, 0, 0, 0]),
                'b' | 'n' => ([26, 0], [26, 25, 0, 0]),
                'r' => ([26, 6], [6, 0, 0, 0]),
                _ => ([1, 0], [2, 0, 0, 0]),
            };
            b[10..12].copy_from_slice(&written);
            b[12..16].copy_from_slice(&read);
            bytes.extend(b);
        }
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        let mut found = Vec::new();
        let notes = convert(file.path(), Unpacked::open(file.path()).unwrap(), &mut |r| found.push(*r)).unwrap();
        (found, notes)
    }

    #[test]
    fn the_last_instruction_counts_if_it_is_known_where_it_goes() {
        let of = |kind, len, count, pc, target| Record { kind, len, thread: 0, count, pc, target };
        let start = of(7, 0, 0, 0x1000, 0x1000);
        assert_eq!(end(&[(0x1000, '.'), (0x1004, '.')]).0, [start, of(7, 0, 2, 0x1008, 0x1008)]);
        let not_taken = [start, of(0, 2, 2, 0x1004, 0x1006), of(7, 0, 0, 0x1006, 0x1006)];
        assert_eq!(end(&[(0x1000, '.'), (0x1004, 'n')]).0, not_taken);
        // its target is that of the first time
        let (records, notes) = end(&[(0x1000, '.'), (0x1004, 'b'), (0x1000, '.'), (0x1004, 'b')]);
        let jump = of(1, 2, 2, 0x1004, 0x1000);
        assert_eq!((records, notes.len()), (vec![start, jump, jump, of(7, 0, 0, 0x1000, 0x1000)], 0));
        for kind in ['j', 'r'] {
            let (records, notes) = end(&[(0x1000, '.'), (0x1004, kind)]);
            assert_eq!(records, [start, of(7, 0, 1, 0x1004, 0x1004)]);
            assert_eq!(notes, [format!("1 {}", super::super::LEFT_OUT)]);
        }
    }
}
