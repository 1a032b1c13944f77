//! Importer of Spike's log of instructions: `-l`, `--log-commits`, or both
//!
//! | line | meaning |
//! | --- | --- |
//! | `core   0: 3 0x80000000 (0x00000297) x5 0x80000000` | committed (`--log-commits`): privilege, pc, bits, register write |
//! | `core   0: 0x80000000 (0x00000297) auipc t0, 0x0` | listed before its execution (`-l`) |
//! | `core   0: exception trap_machine_ecall, epc 0x80000010` | the instruction at `epc` does not retire (`-l`) |
//! | `core   0: exception interrupt #7, epc 0x80000010` | the previous instruction has retired (`-l`) |
//!
//! All other lines are skipped. With both options, the committed instructions count. `--log-commits` alone does not
//! report traps: they are inferred where an instruction is not followed by its successor. A trap directly after an
//! indirect branch looks like that branch's target. A trap directly after a conditional branch is refused, since its
//! direction is unknown.
//!
//! A pc with eight digits, or one with all bits above bit 31 set, is of RV32.
//!
//! # Source
//! Spike (riscv-isa-sim), `riscv/execute.cc` (`commit_log_print_insn`), `riscv/processor.cc` (`disasm`,
//! `take_trap`).

use super::packed::{after, decimal, hex, Unpacked};
use super::Sink;
use crate::input::Named;
use crate::HostError;
use retire::file::rbt1::Record;
use retire::image::Image;
use retire::isa::{self, Flow, Indirect};

const TRAP: u8 = 7;
/// What the lines of a log have.
const WHAT: &str = "an instruction, as spike -l and --log-commits list them";

/// Last event of a hart.
#[derive(Clone, Copy, Debug)]
enum Last {
    /// None yet.
    None,
    /// A retired instruction.
    Instruction { pc: u64, bits: u32, xlen: u8 },
    /// A trap was taken before this address.
    Trap(u64),
}

#[derive(Clone, Copy, Debug)]
struct Hart {
    last: Last,
    count: u32,
}

struct Reader<'a> {
    harts: Vec<(u16, Hart)>,
    /// The program: instructions outside it are ignored.
    program: Option<Image>,
    /// Whether lines of `--log-commits` were seen: then only the traps of `-l` count.
    commits: bool,
    swaps: u64,
    silent: u64,
    sink: Sink<'a>,
}

/// The record for the step from the instruction at `pc` to `to`.
enum Step {
    Sequential,
    Branch(u8),
    /// An unreported trap, after the record of this kind, if any; with the address at which it was taken.
    Trap(Option<u8>, u64),
}

fn step(pc: u64, bits: u32, xlen: u8, to: u64) -> Result<Step, String> {
    let len = u64::from(isa::length(bits as u16));
    let mask = u64::MAX >> (64 - xlen);
    let (through, at) = (pc.wrapping_add(len) & mask, |offset: i32| pc.wrapping_add(i64::from(offset) as u64) & mask);
    Ok(match isa::flow(bits, xlen) {
        Flow::Sequential if to == through => Step::Sequential,
        Flow::Sequential => Step::Trap(None, through),
        Flow::Conditional { .. } if to == through => Step::Branch(0),
        Flow::Conditional { offset } if to == at(offset) => Step::Branch(1),
        Flow::Conditional { .. } => {
            return Err(format!(
                "0x{to:08x} is neither way of the branch at 0x{pc:08x}: a trap is in between, and only `spike -l` shows where"
            ))
        }
        Flow::Jump { offset, call } => {
            let (kind, target) = (if call { 3 } else { 2 }, at(offset));
            if to == target { Step::Branch(kind) } else { Step::Trap(Some(kind), target) }
        }
        Flow::Indirect(Indirect::Jump) => Step::Branch(4),
        Flow::Indirect(Indirect::Call) => Step::Branch(5),
        Flow::Indirect(Indirect::Return | Indirect::CoSwap) => Step::Branch(6),
        Flow::TrapReturn => Step::Branch(8),
    })
}

impl Reader<'_> {
    /// Index of a hart; `None` while it is before the program.
    fn hart(&mut self, number: u64, pc: u64) -> Result<Option<usize>, String> {
        let number = u16::try_from(number).map_err(|_| format!("there is no core {number}"))?;
        if let Some(index) = self.harts.iter().position(|h| h.0 == number) {
            return Ok(Some(index));
        }
        if self.program.as_ref().is_some_and(|p| p.instruction(pc).is_none()) {
            return Ok(None);
        }
        self.harts.push((number, Hart { last: Last::None, count: 0 }));
        Ok(Some(self.harts.len() - 1))
    }

    fn record(&mut self, index: usize, kind: u8, len: u8, pc: u64, target: u64) {
        let (thread, hart) = &mut self.harts[index];
        let count = std::mem::take(&mut hart.count);
        (self.sink)(&Record { kind, len, thread: *thread, count, pc, target });
    }

    /// The hart continues at `to`.
    fn reach(&mut self, index: usize, to: u64) -> Result<(), String> {
        match self.harts[index].1.last {
            Last::None => self.record(index, TRAP, 0, to, to),
            Last::Trap(epc) => self.record(index, TRAP, 1, epc, to),
            Last::Instruction { pc, bits, xlen } => {
                let len = isa::length(bits as u16);
                self.harts[index].1.count += 1;
                self.swaps += u64::from(isa::flow(bits, xlen) == Flow::Indirect(Indirect::CoSwap));
                match step(pc, bits, xlen, to)? {
                    Step::Sequential => {}
                    Step::Branch(kind) => self.record(index, kind, len, pc, to),
                    Step::Trap(branch, epc) => {
                        if let Some(kind) = branch {
                            self.record(index, kind, len, pc, epc);
                        }
                        self.silent += 1;
                        self.record(index, TRAP, 1, epc, to);
                    }
                }
            }
        }
        Ok(())
    }

    fn instruction(&mut self, number: u64, pc: u64, bits: u32, xlen: u8, committed: bool) -> Result<(), String> {
        let Some(index) = self.hart(number, pc)? else { return Ok(()) };
        if committed && !self.commits {
            self.commits = true;
            // already listed by -l
            if matches!(self.harts[index].1.last, Last::Instruction { pc: last, .. } if last == pc) {
                return Ok(());
            }
        }
        if self.commits && !committed {
            return Ok(());
        }
        self.reach(index, pc)?;
        self.harts[index].1.last = Last::Instruction { pc, bits, xlen };
        Ok(())
    }

    fn trap(&mut self, number: u64, epc: u64, interrupt: bool) -> Result<(), String> {
        let Some(index) = self.hart(number, epc)? else { return Ok(()) };
        let listed = matches!(self.harts[index].1.last, Last::Instruction { pc, .. } if pc == epc);
        // -l lists an instruction that then does not retire
        if !(listed && !interrupt && !self.commits) {
            self.reach(index, epc)?;
        }
        self.harts[index].1.last = Last::Trap(epc);
        Ok(())
    }

    fn line(&mut self, line: &[u8]) -> Result<bool, String> {
        let Some((number, rest)) = line.strip_prefix(b"core ").and_then(decimal) else { return Ok(false) };
        let Some(rest) = rest.strip_prefix(b":").map(<[u8]>::trim_ascii_start) else { return Ok(false) };
        if let Some(rest) = rest.strip_prefix(b"exception ") {
            let Some((epc, digits)) = after(rest, b"epc 0x").and_then(hex) else { return Ok(false) };
            self.trap(number, narrow(epc, digits).0, rest.starts_with(b"interrupt"))?;
            return Ok(true);
        }
        // the privilege is a separate digit
        let committed = rest.first().is_some_and(u8::is_ascii_digit) && rest.get(1) == Some(&b' ');
        let rest = if committed { &rest[2..] } else { rest };
        let Some((pc, digits)) = rest.strip_prefix(b"0x").and_then(hex) else { return Ok(false) };
        let Some((bits, _)) = after(rest, b"(0x").and_then(hex) else { return Ok(false) };
        let (pc, xlen) = narrow(pc, digits);
        self.instruction(number, pc, bits as u32, xlen, committed)?;
        Ok(true)
    }

    /// Executes the last instruction of each hart and stops the hart, or stops it before an instruction of which the log does not show
    /// where it goes; the number of these.
    fn end(&mut self) -> Result<u64, String> {
        let mut left_out = 0;
        for index in 0..self.harts.len() {
            let to = match self.harts[index].1.last {
                Last::None => continue,
                Last::Trap(pc) => pc,
                Last::Instruction { pc, bits, xlen } => match successor(pc, bits, xlen) {
                    Some(to) => {
                        self.reach(index, to)?;
                        to
                    }
                    None => {
                        left_out += 1;
                        pc
                    }
                },
            };
            self.record(index, TRAP, 0, to, to);
        }
        Ok(left_out)
    }
}

/// The next address, if the instruction alone determines it: not a branch with a condition or in a register, nor one that traps.
fn successor(pc: u64, bits: u32, xlen: u8) -> Option<u64> {
    let mask = u64::MAX >> (64 - xlen);
    let traps = matches!(bits, 0x0000_0073 | 0x0010_0073) || bits & 0xffff == 0x9002;
    match isa::flow(bits, xlen) {
        Flow::Sequential if !traps => Some(pc.wrapping_add(u64::from(isa::length(bits as u16))) & mask),
        Flow::Jump { offset, .. } => Some(pc.wrapping_add(i64::from(offset) as u64) & mask),
        _ => None,
    }
}

/// A pc of the log, and the register width that it implies.
fn narrow(pc: u64, digits: usize) -> (u64, u8) {
    match (digits, pc >> 32) {
        (..=8, _) => (pc, 32),
        (_, 0xffff_ffff) => (pc & 0xffff_ffff, 32),
        _ => (pc, 64),
    }
}

/// Passes the records of a log to `sink`; returns notes.
pub(super) fn convert(mut log: Unpacked, elf: Option<&Named>, sink: Sink<'_>) -> Result<Vec<String>, HostError> {
    let program = elf.map(|e| Image::new(&e.program));
    let mut reader = Reader { harts: Vec::new(), program, commits: false, swaps: 0, silent: 0, sink };
    let mut line = Vec::new();
    let mut known = 0u64;
    while log.log_line(&mut line, known > 0, WHAT)? {
        known += u64::from(reader.line(&line).map_err(|e| log.wrong_line(&e))?);
    }
    if known == 0 {
        return Err(log.wrong_line(&format!("the log ends without {WHAT}")));
    }
    let left_out = reader.end().map_err(|e| log.wrong_line(&e))?;
    let (swaps, silent) = (reader.swaps, reader.silent);
    let left_out = (left_out > 0).then(|| format!("{left_out} {}", super::LEFT_OUT));
    let swaps = (swaps > 0).then(|| format!("{swaps} co-routine swaps, imported as returns"));
    let silent =
        (silent > 0).then(|| format!("{silent} traps that the log does not show, inserted where it has a gap"));
    Ok(swaps.into_iter().chain(silent).chain(left_out).collect())
}

#[cfg(test)]
mod tests {
    use super::super::text::converted;
    use super::*;

    fn records(log: &str) -> Result<Vec<Record>, String> {
        converted(log, |_, input, sink| convert(input, None, sink)).map(|found| found.0)
    }

    const COMMITS: &str = "core   0: 3 0x80000000 (0x00000297) x5  0x80000000\n\
        core   0: 3 0x80000004 (0x00028463)\n\
        core   0: 3 0x80000008 (0x0000006f)\n\
        core   0: 3 0x80000008 (0x0000006f)\n";

    #[test]
    fn lines_are_the_records_worked_by_hand() {
        // auipc; beq x5, x0, +8, not taken; j .; j .
        let of = |kind, len, count, pc, target| Record { kind, len, thread: 0, count, pc, target };
        let want = vec![
            of(7, 0, 0, 0x8000_0000, 0x8000_0000),
            of(0, 4, 2, 0x8000_0004, 0x8000_0008),
            of(2, 4, 1, 0x8000_0008, 0x8000_0008),
            of(2, 4, 1, 0x8000_0008, 0x8000_0008),
            of(7, 0, 0, 0x8000_0008, 0x8000_0008),
        ];
        assert_eq!(records(COMMITS).unwrap(), want);
        // -l and --log-commits together: each instruction twice, first as listed, then as committed
        let both = COMMITS.lines().fold(String::new(), |s, l| s + &l.replace(": 3 ", ": ") + "\n" + l + "\n");
        assert_eq!(records(&both).unwrap(), want);
        let listed = COMMITS.replace(": 3 0x", ": 0xffffffff");
        assert_eq!(records(&listed).unwrap(), want);
    }

    /// Lines in every form that occurs in logs of others (docs/how-to/import.md has their sources).
    #[test]
    fn registers_memory_tval_and_labels_are_skipped() {
        let log = "core   0: >>>>  _start\n\
            core   0: 0x80000000 (0x30529073) csrw    mtvec, t0\n\
            core   0: 3 0x80000000 (0x30529073) c773_mtvec 0x80000100\n\
            core   0: 0x80000004 (0x00000073) ecall\n\
            core   0: exception trap_machine_ecall, epc 0x80000004\n\
            core   0:           tval 0x00000000\n\
            core   0: >>>>  handler\n\
            core   0: 0x80000100 (0x0085a583) lw      a1, 8(a1)\n\
            core   0: 3 0x80000100 (0x0085a583) x11 0x0000000b mem 0x80002008\n\
            core   0: 0x80000104 (0x30200073) mret\n\
            core   0: 3 0x80000104 (0x30200073) c768_mstatus 0x00001880 c784_mstatush 0x00000000\n\
            core   0: 0x80000008 (0x002082af) amoadd.w t0, sp, (ra)\n\
            core   0: 0 0x80000008 (0x002082af) x5  0x00000002 mem 0x80001000 mem 0x80001000 0x00000004\n\
            core   0: 0x8000000c (0x0000a001) c.j     pc + 0\n\
            core   0: 0 0x8000000c (0xa001)\n\
            core   0: exception interrupt #7, epc 0x8000000c\n\
            core   0: 0x80000100 (0x0085a583) lw      a1, 8(a1)\n\
            core   0: 3 0x80000100 (0x0085a583) x11 0x0000000b mem 0x80002008\n";
        let of = |kind, len, count, pc, target| Record { kind, len, thread: 0, count, pc, target };
        let want = [
            of(7, 0, 0, 0x8000_0000, 0x8000_0000),
            of(7, 1, 1, 0x8000_0004, 0x8000_0100),
            of(8, 4, 2, 0x8000_0104, 0x8000_0008),
            of(2, 2, 2, 0x8000_000c, 0x8000_000c),
            of(7, 1, 0, 0x8000_000c, 0x8000_0100),
            of(7, 0, 1, 0x8000_0104, 0x8000_0104),
        ];
        assert_eq!(records(log).unwrap(), want);
        // RV64 has 16 digits; the same with -l alone, and with --log-commits alone except for the traps
        let wide = log.replace("0x8000", "0x000000008000");
        assert_eq!(records(&wide).unwrap(), want);
        let listed: String = log
            .lines()
            .filter(|l| !l.contains(": 3 0x") && !l.contains(": 0 0x"))
            .fold(String::new(), |s, l| s + l + "\n");
        assert_eq!(records(&listed).unwrap(), want);
        // Spike of 2018 wrote committed instructions without the core
        let old = "3 0x0000000080000000 (0x00000297) x 5 0x0000000080000000\n";
        assert!(records(old).unwrap_err().contains("without an instruction"));
    }

    #[test]
    fn an_exception_does_not_retire_and_an_interrupt_does() {
        let of = |kind, len, count, pc, target| Record { kind, len, thread: 0, count, pc, target };
        let end = "core   0: 0x80000100 (0x00000013) nop\n";
        let log = |what: &str| {
            format!("core   0: 0x80000004 (0x00000073) ecall\ncore   0: exception {what}, epc 0x80000004\n{end}")
        };
        let want = [of(7, 0, 0, 0x8000_0004, 0x8000_0004), of(7, 1, 0, 0x8000_0004, 0x8000_0100)];
        assert_eq!(records(&log("trap_machine_ecall")).unwrap()[..2], want);
        // a jump to itself that retired before an interrupt
        let log = log("interrupt #7").replace("(0x00000073) ecall", "(0x0000006f) j .");
        let want = [want[0], of(2, 4, 1, 0x8000_0004, 0x8000_0004), want[1]];
        assert_eq!(records(&log).unwrap()[..3], want);
    }

    #[test]
    fn the_last_instruction_counts_if_it_is_known_where_it_goes() {
        let stop = |count, pc| Record { kind: 7, len: 0, thread: 0, count, pc, target: pc };
        let last = |bits: &str| *records(&format!("core   0: 3 0x80000000 (0x{bits})\n")).unwrap().last().unwrap();
        assert_eq!(last("00000013"), stop(1, 0x8000_0004));
        assert_eq!(last("0001"), stop(1, 0x8000_0002));
        assert_eq!(last("0100006f"), stop(0, 0x8000_0010));
        // beq, ret, ecall, ebreak
        for bits in ["00028463", "00008067", "00000073", "00100073", "9002"] {
            assert_eq!(last(bits), stop(0, 0x8000_0000), "{bits}");
        }
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "core   0: 3 0x80000000 (0x00008067)\n").unwrap();
        let notes = convert(Unpacked::open(file.path()).unwrap(), None, &mut |_| {}).unwrap();
        assert_eq!(notes, [format!("1 {}", super::super::LEFT_OUT)]);
    }

    #[test]
    fn a_gap_is_a_trap_and_one_behind_a_conditional_branch_is_refused() {
        let log = "core   0: 3 0x80000000 (0x00000013)\ncore   0: 3 0x80000100 (0x00000013)\n";
        let found = records(log).unwrap();
        assert_eq!((found[1].kind, found[1].count, found[1].pc, found[1].target), (7, 1, 0x8000_0004, 0x8000_0100));
        let log = "core   0: 3 0x80000000 (0x00028463)\ncore   0: 3 0x80000100 (0x00000013)\n";
        let e = records(log).unwrap_err();
        assert!(e.ends_with("line 2: 0x80000100 is neither way of the branch at 0x80000000: a trap is in between, and only `spike -l` shows where"), "{e}");
        assert!(records("core   0: 3 0x80000000 (0x000").unwrap_err().contains("line 1: the file ends inside it"));
        assert!(records("nothing\n").unwrap_err().contains("without an instruction"));
    }
}
