//! Importer of what DynamoRIO's `drmemtrace` prints of a trace of x86: `drrun -t drmemtrace -tool view`
//!
//! ```text
//!   47444   37769:  2765543 ifetch       6 byte(s) @ 0x0000000000404a78 0f 84 5b 01 00 00    jz     $0x0000000000404bd9 (untaken)
//!   47299: T1774668 ifetch       2 byte(s) @ 0x0000000000402590 75 0f                jnz    $0x00000000004025a1
//! ```
//!
//! The bytes give the kind of a branch, its length and its target; the next instruction of the thread, or `(taken)`,
//! `(untaken)` and `(target 0x..)`, where it goes. All other lines are skipped. An instruction that is not a branch and is followed by another one
//! than the next in memory is interrupted: a trap leads there. One that is followed by itself (`rep movs`) counts once.
//!
//! # Source
//! DynamoRIO, `clients/drcachesim/tools/view.cpp`; Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, appendix A
//! (opcodes).

use super::packed::{after, decimal, hex, Unpacked};
use super::Sink;
use crate::HostError;
use retire::file::rbt1::Record;
use std::collections::HashMap;

/// What an instruction may do with the flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Sequential,
    Conditional,
    /// `rbt1` kind of another branch.
    Branch(u8),
}

/// Kind of the instruction that begins with `code`, in 64-bit mode.
fn kind(code: &[u8]) -> Kind {
    let is_prefix = |b: &u8| matches!(b, 0x26 | 0x2e | 0x36 | 0x3e | 0x64..=0x67 | 0xf0 | 0xf2 | 0xf3 | 0x40..=0x4f);
    let code = &code[code.iter().take_while(|b| is_prefix(b)).count()..];
    match *code {
        [0x70..=0x7f | 0xe0..=0xe3, ..] | [0x0f, 0x80..=0x8f, ..] => Kind::Conditional,
        [0xe9 | 0xeb, ..] => Kind::Branch(2),
        [0xe8, ..] => Kind::Branch(3),
        [0xff, modrm, ..] if matches!(modrm >> 3 & 7, 4 | 5) => Kind::Branch(4),
        [0xff, modrm, ..] if matches!(modrm >> 3 & 7, 2 | 3) => Kind::Branch(5),
        [0xc2 | 0xc3 | 0xca | 0xcb, ..] => Kind::Branch(6),
        [0xcf, ..] => Kind::Branch(8),
        _ => Kind::Sequential,
    }
}

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instruction {
    pub(super) pc: u64,
    pub(super) len: u8,
    pub(super) kind: Kind,
    /// Where it goes, if the trace shows it.
    pub(super) goes_to: Option<u64>,
}

impl Instruction {
    pub(super) fn next(&self) -> u64 {
        self.pc.wrapping_add(self.len.into())
    }
}

/// The instruction of a line, and its thread; `None` if it shows none.
fn instruction(line: &[u8]) -> Result<Option<(u64, Instruction)>, String> {
    let strange = || "is not as drmemtrace's view tool prints an instruction".to_string();
    let Some(at) = line.windows(8).position(|w| w == b" ifetch ") else { return Ok(None) };
    // the last word before it: `T12`, `12`, or `W0.T3` with windows
    let word = line[..at].rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
    let digits = word.rsplit(|b| *b == b'T').next().unwrap_or_default();
    let (thread, _) = decimal(digits).ok_or_else(strange)?;
    let (len, rest) = decimal(&line[at + 8..]).filter(|(n, _)| (1..=15).contains(n)).ok_or_else(strange)?;
    let rest = after(rest, b"byte(s) @ 0x").ok_or_else(strange)?;
    let (pc, digits) = hex(rest).ok_or_else(strange)?;
    let text = String::from_utf8_lossy(&rest[digits..]);
    let shown: Vec<u8> =
        text.split_whitespace().map_while(|w| u8::from_str_radix(w, 16).ok().filter(|_| w.len() == 2)).collect();
    if shown.is_empty() {
        return Err(
            "shows no bytes of the instruction; the code of x86 is read here, printed without `-skip_code`".into()
        );
    }
    let kind = kind(&shown[..shown.len().min(len as usize)]);
    let number = |word: &str| text.split_once(word).and_then(|(_, n)| hex(n.as_bytes())).map(|n| n.0);
    let operand = || number(" $0x");
    let next = pc.wrapping_add(len);
    let goes_to = match kind {
        Kind::Sequential => Some(next),
        Kind::Conditional if text.contains("(untaken)") => Some(next),
        Kind::Conditional if text.contains("(taken)") => operand(),
        Kind::Branch(2 | 3) => operand(),
        Kind::Conditional | Kind::Branch(_) => number("(target 0x"),
    };
    Ok(Some((thread, Instruction { pc, len: len as u8, kind, goes_to })))
}

/// A thread of the trace.
#[derive(Clone, Copy, Debug)]
struct Thread {
    index: u16,
    /// Its last instruction.
    last: Option<Instruction>,
    /// Instructions since its last record.
    count: u32,
    /// Where it was interrupted after that instruction, or at it.
    interrupted: Option<u64>,
    /// It was interrupted after that instruction, or after a branch that follows and is listed late.
    is_late: bool,
}

impl Thread {
    /// Counts the last instruction `l`, which goes to `to`, and passes its record on. The address after it, if the thread
    /// continues elsewhere.
    fn retire(&mut self, l: Instruction, to: u64, sink: Sink<'_>) -> Option<u64> {
        self.count += 1;
        let (branch, interrupted) = records(l, to);
        if let Some(kind) = branch {
            self.put(kind, l.len, l.pc, to, sink);
        }
        interrupted
    }

    fn put(&mut self, kind: u8, len: u8, pc: u64, target: u64, sink: Sink<'_>) {
        sink(&Record { kind, len, thread: self.index, count: std::mem::take(&mut self.count), pc, target });
    }
}

/// Makes records of the instructions of threads, in the order in which they are listed.
pub(super) struct Writer<'a> {
    threads: HashMap<u64, Thread>,
    traps: u64,
    pub(super) repeated: u64,
    /// Branches at an interruption that are left out.
    unknown: u64,
    sink: Sink<'a>,
}

/// The records of an instruction from which a thread goes to `to`; whether it counts.
fn records(i: Instruction, to: u64) -> (Option<u8>, Option<u64>) {
    match i.kind {
        Kind::Sequential if to == i.next() => (None, None),
        Kind::Sequential => (None, Some(i.next())),
        Kind::Conditional if to == i.next() => (Some(0), None),
        Kind::Conditional => (Some(1), None),
        Kind::Branch(kind) => (Some(kind), None),
    }
}

impl<'a> Writer<'a> {
    pub(super) fn new(sink: Sink<'a>) -> Self {
        Self { threads: HashMap::new(), traps: 0, repeated: 0, unknown: 0, sink }
    }

    /// Whether no instruction came yet.
    pub(super) fn is_empty(&self) -> bool {
        self.threads.is_empty()
    }

    /// Takes the next instruction of a thread.
    pub(super) fn take(&mut self, thread: u64, i: Instruction) {
        let index = self.threads.len().min(usize::from(u16::MAX)) as u16;
        let of = self.threads.entry(thread).or_insert(Thread {
            index,
            last: None,
            count: 0,
            interrupted: None,
            is_late: false,
        });
        let is_late = std::mem::take(&mut of.is_late);
        let (last, interrupted) = (of.last.replace(i), of.interrupted.take());
        let trap_at = match (last, interrupted) {
            (None, _) => return of.put(7, 0, i.pc, i.pc, self.sink),
            // a fault: the instruction did not retire
            (Some(l), Some(at)) if at == l.pc => Some(at),
            (Some(l), Some(at)) => Some(of.retire(l, at, self.sink).unwrap_or(at)),
            (Some(l), None) if l.kind == Kind::Sequential && l.pc == i.pc => {
                self.repeated += 1;
                None
            }
            (Some(l), None) => {
                // where a branch is known to go, and another next instruction: interrupted in between
                let to = l.goes_to.filter(|_| l.kind != Kind::Sequential).unwrap_or(i.pc);
                of.retire(l, to, self.sink).or((to != i.pc).then_some(to))
            }
        };
        if let Some(at) = trap_at {
            self.traps += 1;
            of.put(7, 1, at, i.pc, self.sink);
        }
        if is_late && i.goes_to.is_none() && last.is_some_and(|l| l.next() == i.pc) {
            of.interrupted = Some(i.pc);
            self.unknown += 1;
        }
    }

    /// The next instruction of the thread is that of a handler; `at` would have been the next one.
    pub(super) fn interrupt(&mut self, thread: u64, at: u64) {
        if let Some(of) = self.threads.get_mut(&thread) {
            of.interrupted = Some(at);
        }
    }

    /// As [`Self::interrupt`], where it is not known what would have been next: a branch as the last instruction is left out, and so is
    /// one that follows and is listed late.
    pub(super) fn interrupt_somewhere(&mut self, thread: u64) {
        let Some(of) = self.threads.get_mut(&thread) else { return };
        match of.last.filter(|l| l.goes_to.is_none()) {
            Some(l) => {
                of.interrupted = Some(l.pc);
                self.unknown += 1;
            }
            None => of.is_late = true,
        }
    }

    /// Ends each thread; returns notes.
    pub(super) fn end(self) -> Vec<String> {
        let mut threads: Vec<_> = self.threads.into_values().collect();
        threads.sort_by_key(|t| t.index);
        let mut left_out = 0;
        for mut of in threads {
            let Some(l) = of.last else { continue };
            match of.interrupted.or(l.goes_to) {
                Some(to) if to != l.pc || of.interrupted.is_none() => {
                    of.retire(l, to, self.sink);
                    of.put(7, 0, to, to, self.sink);
                }
                // a fault: the instruction did not retire
                Some(at) => of.put(7, 0, at, at, self.sink),
                None => {
                    left_out += 1;
                    of.put(7, 0, l.pc, l.pc, self.sink);
                }
            }
        }
        let mut notes = Vec::new();
        super::note(&mut notes, self.traps, "discontinuities, imported as traps");
        super::note(&mut notes, self.repeated, "repetitions of an instruction, counted once");
        super::note(
            &mut notes,
            self.unknown,
            "branches at an interruption, left out: the trace does not show where they went",
        );
        super::note(&mut notes, left_out, super::LEFT_OUT);
        notes
    }
}

/// Whether a line shows an instruction.
pub(super) fn is_line(line: &[u8]) -> bool {
    after(line, b" ifetch ").is_some_and(|rest| after(rest, b"byte(s) @ 0x").is_some())
}

/// What a text has.
const WHAT: &str = "an instruction (`ifetch`), as drmemtrace's view tool prints them";

/// Passes the records of the text to `sink`; returns notes.
pub(super) fn convert(mut input: Unpacked, sink: Sink<'_>) -> Result<Vec<String>, HostError> {
    let mut writer = Writer::new(sink);
    let mut line = Vec::new();
    while input.log_line(&mut line, !writer.is_empty(), WHAT)? {
        if let Some((thread, i)) = instruction(&line).map_err(|e| input.wrong_line(&e))? {
            writer.take(thread, i);
        }
    }
    if writer.is_empty() {
        return Err(input.wrong_line(&format!("the file ends without {WHAT}")));
    }
    Ok(writer.end())
}

#[cfg(test)]
mod tests {
    use super::super::text::{converted, of};
    use super::*;

    fn found(text: &str) -> Result<(Vec<Record>, Vec<String>), String> {
        converted(text, |_, input, sink| convert(input, sink))
    }

    const TEXT: &str = "Output format:\n<--record#-> <--instr#->: <---tid---> <record details>\n\
        \x20          1           0:       21646 <marker: version 6>\n\
        \x20      11910           1:       21646 ifetch       6 byte(s) @ 0x0000000000404a78 0f 84 5b 01 00 00    jz     $0x0000000000404bd9 (untaken)\n\
        \x20      11911           2:       21646 ifetch       5 byte(s) @ 0x0000000000404a7e e8 9d 05 00 00       call   $0x0000000000405020 %rsp -> %rsp\n\
        \x20      11912           2:       21646 write        8 byte(s) @ 0x00007ffd1fded688 by PC 0x0000000000404a7e\n\
        \x20      11913           3:       21647 ifetch      10 byte(s) @ 0x0000000000400000 48 b8 00 00 00 00 00 00 mov    $0x00 -> %rax\n\
        \x20      11913           3:       21647                                             00 00\n\
        \x20      11914           4:       21646 ifetch       4 byte(s) @ 0x0000000000405020 f3 0f 1e fa          nop    %edx\n\
        \x20      11915           5:       21646 ifetch       3 byte(s) @ 0x0000000000405024 f3 48 a4             rep movs\n\
        \x20      11916           6:       21646 ifetch       3 byte(s) @ 0x0000000000405024 f3 48 a4             rep movs\n\
        \x20      11917           7:       21646 ifetch       1 byte(s) @ 0x0000000000405027 c3                   ret    (target 0x404a83)\n\
        \x20      11918           8:       21646 ifetch       2 byte(s) @ 0x0000000000404a83 0f 05                syscall\n\
        \x20      11919           9:       21646 ifetch       2 byte(s) @ 0x0000000000406000 ff e0                jmp    %rax\n\
        View tool results:\n";

    #[test]
    fn instructions_are_the_records_worked_by_hand() {
        let (records, notes) = found(TEXT).unwrap();
        let want = [
            of(0, 7, 0, 0, 0x40_4a78, 0x40_4a78),
            of(0, 0, 6, 1, 0x40_4a78, 0x40_4a7e),
            of(1, 7, 0, 0, 0x40_0000, 0x40_0000),
            of(0, 3, 5, 1, 0x40_4a7e, 0x40_5020),
            of(0, 6, 1, 3, 0x40_5027, 0x40_4a83),
            of(0, 7, 1, 1, 0x40_4a85, 0x40_6000),
            // an indirect jump whose target is not shown
            of(0, 7, 0, 0, 0x40_6000, 0x40_6000),
            of(1, 7, 0, 1, 0x40_000a, 0x40_000a),
        ];
        assert_eq!(records, want);
        assert_eq!(notes.len(), 3, "{notes:?}");
        // an older version numbers threads with a T, and has no annotations
        let old = TEXT.replace(":       2164", ": T2164").replace(" (untaken)", "").replace(" (target 0x404a83)", "");
        assert_eq!(found(&old).unwrap().0, want);
    }

    #[test]
    fn opcodes_have_their_kinds() {
        let cases: [(&[u8], Kind); 12] = [
            (&[0x74, 0x10], Kind::Conditional),
            (&[0x2e, 0x0f, 0x85, 0, 0, 0, 0], Kind::Conditional),
            (&[0xe3, 0x10], Kind::Conditional),
            (&[0xeb, 0x10], Kind::Branch(2)),
            (&[0x67, 0xe8, 0, 0, 0, 0], Kind::Branch(3)),
            (&[0x41, 0xff, 0xe3], Kind::Branch(4)),
            (&[0xff, 0x25, 0, 0, 0, 0], Kind::Branch(4)),
            (&[0xff, 0xd0], Kind::Branch(5)),
            (&[0xf3, 0xc3], Kind::Branch(6)),
            (&[0xff, 0xc0], Kind::Sequential),
            (&[0x0f, 0x05], Kind::Sequential),
            (&[0x48], Kind::Sequential),
        ];
        for (code, want) in cases {
            assert_eq!(kind(code), want, "{code:x?}");
        }
    }

    #[test]
    fn what_is_no_instruction_is_refused_with_its_line() {
        let say = |text: &str| found(text).unwrap_err();
        assert!(say("1: T1 ifetch       2 byte(s) @ 0x10 move [8byte]\n").contains("line 1: shows no bytes"));
        assert!(say("1: T1 ifetch 99 byte(s) @ 0x10 90\n").contains("line 1: is not as drmemtrace's view tool prints"));
        assert!(say("1: T1 read 8 byte(s) @ 0x10\n").contains("without an instruction"));
        assert!(say(&TEXT[..TEXT.len() - 30]).contains("the file ends inside it"));
    }
}
