//! The code that a recording carries, compared with a program
//!
//! A trace needs it where the program is not the code that ran: code of libraries, code that was made, loaded or patched
//! at run time. An ELF with other bytes at an address where the recording has code is refused, because replay with it
//! would silently take another path.

use crate::HostError;
use retire::code::{Code, CodeBlock};
use retire::elf::Program;
use retire::image::{Memory, Moment};
use retire::FlowKind;

/// Relation of code that ran to a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// All code is in the program.
    Same,
    /// Some code is in no segment of the program, or replay needs more than its bytes.
    More,
    /// Code differs from that of the program.
    Differs {
        /// Address of the first instruction that differs.
        pc: u64,
        /// Bytes that ran.
        ran: Vec<u8>,
        /// Bytes of the program.
        program: Vec<u8>,
        /// The code at this address changed during the run.
        changed: bool,
    },
}

/// Bytes of `all` at `addr`; fewer at the end of a segment, none outside.
fn bytes_at<'a>(all: impl Iterator<Item = (u64, &'a [u8])>, addr: u64, len: usize) -> impl Iterator<Item = &'a [u8]> {
    all.filter_map(move |(base, data)| {
        let offset = usize::try_from(addr.checked_sub(base)?).ok()?;
        let data = data.get(offset..)?;
        (!data.is_empty()).then(|| &data[..data.len().min(len)])
    })
}

/// Compares the code of a run with a program, and with what was in memory at some time.
pub fn compare(code: &Code, program: &Program, memory: &[Memory]) -> Comparison {
    let mut found = Comparison::Same;
    for block in &code.blocks {
        let mut pc = block.start;
        let mut rest = block.bytes.as_slice();
        for size in &block.sizes {
            let (ran, behind) = rest.split_at(usize::from(*size));
            let read = memory.iter().map(|memory| (memory.addr, memory.bytes.as_slice()));
            let mut there = bytes_at(program.code().chain(read), pc, ran.len()).peekable();
            match there.peek() {
                None => found = Comparison::More,
                Some(first) => {
                    let first = first.to_vec();
                    if !there.any(|bytes| bytes == ran) {
                        let changed = changed(code, pc, ran);
                        return Comparison::Differs { pc, ran: ran.to_vec(), program: first, changed };
                    }
                }
            }
            (pc, rest) = (pc.wrapping_add(u64::from(*size)), behind);
        }
        // a system call that returns from a signal handler, which its bytes do not say
        if block.flow.is_some_and(|(kind, _)| kind == FlowKind::TrapReturn) && is_system_call(block) {
            found = Comparison::More;
        }
    }
    found
}

/// Whether other bytes than `ran` ran at `pc` too.
fn changed(code: &Code, pc: u64, ran: &[u8]) -> bool {
    code.blocks.iter().any(|block| {
        let offset = pc.wrapping_sub(block.start);
        let there = usize::try_from(offset).ok().and_then(|offset| block.bytes.get(offset..));
        there.is_some_and(|there| !there.is_empty() && !there.starts_with(&ran[..ran.len().min(there.len())]))
    })
}

/// Whether the last instruction of a block of RISC-V is `ecall`.
fn is_system_call(block: &CodeBlock) -> bool {
    block.bytes.ends_with(&0x73u32.to_le_bytes())
}

/// `0x0100006f`, or bytes where they are no instruction of RISC-V.
fn shown(bytes: &[u8]) -> String {
    match bytes.len() {
        2 | 4 => format!("0x{}", bytes.iter().rev().map(|b| format!("{b:02x}")).collect::<String>()),
        _ => bytes.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" "),
    }
}

/// The code that a trace of a recording must contain, when it is replayed with a program and memory: none if these have
/// all of it. `names`: those of the recording and the program.
///
/// # Errors
/// The program has other code at an address where the recording has some.
pub fn needed(code: Code, of: (&Program, &[Memory]), names: [&str; 2]) -> Result<Option<Code>, HostError> {
    match compare(&code, of.0, of.1) {
        // replay with changes whose number of instructions is not known does not know which version ran
        Comparison::Same if of.1.iter().all(|memory| matches!(memory.from, Moment::Retired(_))) => Ok(None),
        Comparison::Same => Ok(Some(code)),
        Comparison::More => Ok(Some(code)),
        Comparison::Differs { pc, ran, program, changed } => {
            let [recording, elf] = names;
            let why = if changed { "; the code there changed during the run" } else { "" };
            let (ran, program) = (shown(&ran), shown(&program));
            Err(HostError::Other(format!(
                "{recording}: {ran} ran at 0x{pc:08x}, but {elf} has {program} there{why}. Without `--elf`, the trace \
                 contains the code that ran"
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use retire::elf::Segment;

    fn program(code: &[u32]) -> Program {
        let code = code.iter().flat_map(|w| w.to_le_bytes()).collect();
        Program {
            xlen: 32,
            compressed: false,
            multiplies: true,
            zcm: false,
            tohost: None,
            entry: 0x100,
            segments: vec![Segment { virtual_addr: 0x8000, ..Segment::code(0x100, code) }],
            build_id: vec![],
        }
    }

    fn block(start: u64, code: &[u32], flow: Option<FlowKind>) -> CodeBlock {
        let bytes = code.iter().flat_map(|w| w.to_le_bytes()).collect();
        CodeBlock { start, sizes: vec![4; code.len()], bytes, flow: flow.map(|kind| (kind, 0)) }
    }

    #[test]
    fn code_is_looked_for_at_both_addresses_of_a_segment() {
        let (elf, nop) = (program(&[0x13, 0x8067]), 0x13);
        let compared = |blocks: &[CodeBlock]| compare(&Code { blocks: blocks.to_vec(), changes: vec![] }, &elf, &[]);
        assert_eq!(compared(&[block(0x100, &[nop, 0x8067], None), block(0x8004, &[0x8067], None)]), Comparison::Same);
        assert_eq!(compared(&[block(0x100, &[nop], None), block(0x108, &[nop], None)]), Comparison::More);
        let differs = |changed| Comparison::Differs {
            pc: 0x104,
            ran: vec![0x6f, 0, 0, 1],
            program: vec![0x67, 0x80, 0, 0],
            changed,
        };
        assert_eq!(compared(&[block(0x100, &[nop, 0x0100_006f], None)]), differs(false));
        assert_eq!(compared(&[block(0x100, &[nop, 0x0100_006f], None), block(0x104, &[0x8067], None)]), differs(true));
    }

    #[test]
    fn memory_has_code_that_the_program_does_not_have() {
        let (elf, jump) = (program(&[0x13, 0x8067]), 0x0100_006f_u32);
        let code = Code { blocks: vec![block(0x100, &[jump, 0x8067], None)], changes: vec![] };
        let memory = |word: u32| [Memory { addr: 0x100, bytes: word.to_le_bytes().to_vec(), from: Moment::Unknown }];
        assert_eq!(compare(&code, &elf, &memory(jump)), Comparison::Same);
        assert!(matches!(compare(&code, &elf, &memory(0x6f)), Comparison::Differs { pc: 0x100, .. }));
    }

    #[test]
    fn a_system_call_that_returns_from_a_handler_is_not_seen_in_its_bytes() {
        let compared = |flow| {
            let code = Code { blocks: vec![block(0x104, &[0x73], flow)], changes: vec![] };
            compare(&code, &program(&[0x13, 0x73]), &[])
        };
        assert_eq!(compared(None), Comparison::Same);
        assert_eq!(compared(Some(FlowKind::TrapReturn)), Comparison::More);
    }
}
