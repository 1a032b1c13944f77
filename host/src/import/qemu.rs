//! Importer of QEMU's log of executed blocks, `-d exec,nochain,int`, with the ELF
//!
//! A line `Trace H: HOST [CS/PC/FLAGS/CFLAGS] SYMBOL` says that hart H continues at PC and executes a block there.
//! `Stopped execution of TB chain before HOST [PC] SYMBOL` says that it did not execute it. `riscv_cpu_do_interrupt:
//! hart:H, async:A, cause:C, epc:0xE, ...` says that a trap is taken before the instruction at E. The ELF gives the
//! instructions between two blocks. Blocks before the first one inside the ELF (the boot ROM) are omitted. All other
//! lines are skipped.
//!
//! # Length of a block
//! A block ends at its first branch, or at the next PC if that comes before it: a block ends after CSR instructions, at
//! a page boundary, and after a number of instructions given by its flags (bits 8:0 of CFLAGS; 0: 512). The next PC may
//! both come before the branch *and* be its target. If the block had to end there, it did; otherwise the branch was
//! taken.
//!
//! # Source
//! QEMU 7.2, `accel/tcg/cpu-exec.c` (`log_cpu_exec`, `cpu_tb_exec`), `target/riscv/cpu_helper.c`
//! (`riscv_cpu_do_interrupt`), `target/riscv/translate.c` (`riscv_tr_translate_insn`); `include/exec/exec-all.h`
//! (`CF_COUNT_MASK`).

use super::packed::{after, decimal, hex, Unpacked};
use super::Sink;
use crate::input::Named;
use crate::HostError;
use retire::file::rbt1::Record;
use retire::image::Image;
use retire::isa::{self, Flow, Indirect};

/// Kinds of `rbt1` records.
const TRAP: u8 = 7;
/// Page size of QEMU's blocks.
const PAGE: u64 = 4096;
/// What a log has.
const WHAT: &str = "a line of -d exec";

/// Position of a hart.
#[derive(Clone, Copy, Debug)]
enum At {
    /// Not yet in the program.
    Outside,
    /// Before a block of at most `most` instructions.
    Block { pc: u64, most: u64, executed: bool },
    /// Before a trap that is taken here.
    Trap { epc: u64 },
}

#[derive(Clone, Copy, Debug)]
struct Hart {
    at: At,
    /// Instructions since the last record.
    count: u32,
}

/// How a block was left.
#[derive(Clone, Copy, PartialEq)]
enum Leaving {
    /// By another block, or by an interrupt between two blocks.
    Whole,
    /// By an exception inside it.
    Inside,
}

struct Reader<'a> {
    image: Image,
    xlen: u8,
    harts: Vec<Hart>,
    /// The hart of the last block.
    last: usize,
    swaps: u64,
    sink: Sink<'a>,
}

fn target(pc: u64, offset: i32, xlen: u8) -> u64 {
    pc.wrapping_add(i64::from(offset) as u64) & (u64::MAX >> (64 - xlen))
}

/// Whether QEMU ends a block after the instruction: SYSTEM (CSRs, calls, returns) and FENCE.I.
fn ends_block(insn: u32) -> bool {
    insn & 0x7f == 0x73 || insn & 0x707f == 0x100f || insn == 0x9002
}

impl Reader<'_> {
    fn hart(&mut self, number: u64) -> Option<&mut Hart> {
        let number = usize::try_from(number).ok().filter(|n| *n < 1024)?;
        if self.harts.len() <= number {
            self.harts.resize(number + 1, Hart { at: At::Outside, count: 0 });
        }
        Some(&mut self.harts[number])
    }

    fn record(&mut self, hart: usize, kind: u8, len: u8, pc: u64, target: u64) {
        let count = std::mem::take(&mut self.harts[hart].count);
        (self.sink)(&Record { kind, len, thread: hart as u16, count, pc, target });
    }

    /// The hart executes from `pc` to `to`.
    fn go(&mut self, hart: usize, pc: u64, to: u64, most: u64, leaving: Leaving) -> Result<(), String> {
        let missing = |at: u64| format!("no instruction of the program is at 0x{at:08x}");
        // where the block would end without the branch
        let (mut at, mut steps, mut met, mut must_end) = (pc, 0, None, false);
        let branch = loop {
            if at == to && (steps > 0 || leaving == Leaving::Inside) && met.is_none() {
                met = Some(steps);
                if leaving == Leaving::Inside {
                    break None;
                }
                must_end |= steps == most || at % PAGE == 0;
            }
            let Some((insn, len)) = self.image.instruction(at) else { break None };
            if met == Some(steps) && at % PAGE + u64::from(len) > PAGE {
                // an instruction that crosses a page starts a block
                must_end = true;
            }
            steps += 1;
            match isa::flow(insn, self.xlen) {
                Flow::Sequential if steps <= most => {
                    at += u64::from(len);
                    must_end |= at == to && ends_block(insn);
                }
                flow if flow != Flow::Sequential && steps <= most => break Some((flow, len)),
                _ => break None,
            }
        };
        let (kind, len) = match branch {
            _ if met.is_some() && must_end => return self.walked(hart, met),
            Some((Flow::Conditional { offset }, len)) if target(at, offset, self.xlen) == to => (1, len),
            Some((Flow::Conditional { .. }, len)) if at + u64::from(len) == to => (0, len),
            Some((Flow::Jump { offset, call }, len)) if target(at, offset, self.xlen) == to => {
                (if call { 3 } else { 2 }, len)
            }
            // if the block reached `to` before an indirect branch, it ended there
            _ if met.is_some() => return self.walked(hart, met),
            Some((Flow::Indirect(what), len)) => {
                self.swaps += u64::from(what == Indirect::CoSwap);
                let kind = match what {
                    Indirect::Jump => 4,
                    Indirect::Call => 5,
                    Indirect::Return | Indirect::CoSwap => 6,
                };
                (kind, len)
            }
            Some((Flow::TrapReturn, len)) => (8, len),
            _ if self.image.instruction(pc).is_none() => return Err(missing(pc)),
            _ => {
                return Err(format!(
                    "hart {hart} does not come from the block at 0x{pc:08x} to 0x{to:08x}; the log must be of this \
                     program, and all of it, as -d exec,nochain,int makes it"
                ))
            }
        };
        self.harts[hart].count += steps as u32;
        self.record(hart, kind, len, at, to);
        Ok(())
    }

    /// Adds sequential instructions.
    fn walked(&mut self, hart: usize, steps: Option<u64>) -> Result<(), String> {
        self.harts[hart].count += steps.unwrap_or(0) as u32;
        Ok(())
    }

    /// The hart is before a block.
    fn block(&mut self, number: u64, pc: u64, most: u64) -> Result<(), String> {
        let inside = self.image.instruction(pc).is_some();
        let hart = *self.hart(number).ok_or_else(|| format!("there is no hart {number}"))?;
        let index = number as usize;
        match hart.at {
            At::Outside if !inside => return Ok(()),
            At::Outside => self.record(index, TRAP, 0, pc, pc),
            At::Block { pc: from, most, executed: true } => self.go(index, from, pc, most, Leaving::Whole)?,
            At::Block { pc: from, .. } if from == pc => {}
            At::Block { pc: from, .. } => {
                return Err(format!(
                    "hart {index} was stopped before 0x{from:08x} and continues at 0x{pc:08x}; only a log of -d exec,nochain,int \
                     shows why"
                ))
            }
            At::Trap { epc } => self.record(index, TRAP, 1, epc, pc),
        }
        self.harts[index].at = At::Block { pc, most, executed: true };
        self.last = index;
        Ok(())
    }

    /// A block was not executed after all.
    fn stopped(&mut self, stop: u64) -> Result<(), String> {
        let here = |h: &Hart| matches!(h.at, At::Block { pc, executed: true, .. } if pc == stop);
        // the line does not name the hart: usually it is that of the previous line
        let last = self.harts.get(self.last).filter(|h| here(h)).map(|_| self.last);
        let Some(index) = last.or_else(|| self.harts.iter().position(here)) else {
            // in the boot ROM
            return match self.image.instruction(stop) {
                None => Ok(()),
                Some(_) => Err(format!("no hart is in front of the block at 0x{stop:08x}")),
            };
        };
        if let At::Block { executed, .. } = &mut self.harts[index].at {
            *executed = false;
        }
        Ok(())
    }

    /// A trap is taken before the instruction at `epc`.
    fn trap(&mut self, number: u64, interrupt: bool, epc: u64) -> Result<(), String> {
        let hart = *self.hart(number).ok_or_else(|| format!("there is no hart {number}"))?;
        let index = number as usize;
        match hart.at {
            At::Outside => return Ok(()),
            At::Block { pc, most, executed: true } => {
                let leaving = if interrupt { Leaving::Whole } else { Leaving::Inside };
                self.go(index, pc, epc, most, leaving)?;
            }
            At::Block { pc, .. } if pc == epc => {}
            At::Block { pc, .. } => {
                return Err(format!("hart {index} is in front of 0x{pc:08x}, and traps at 0x{epc:08x}"))
            }
            // its handler was not reached before the next trap
            At::Trap { epc: before } => self.record(index, TRAP, 1, before, epc),
        }
        self.harts[index].at = At::Trap { epc };
        Ok(())
    }

    /// Handles a line of the log; unknown lines are skipped.
    fn line(&mut self, line: &[u8]) -> Result<bool, String> {
        let strange = || "is not as QEMU writes it".to_string();
        if let Some(rest) = line.strip_prefix(b"Trace ") {
            let (hart, rest) = decimal(rest).ok_or_else(strange)?;
            let fields = after(rest, b"[").ok_or_else(strange)?;
            let mut fields = fields.split(|b| *b == b'/' || *b == b']');
            let (pc, _) = fields.nth(1).and_then(hex).ok_or_else(strange)?;
            let most = fields.nth(1).and_then(hex).map_or(0, |(flags, _)| flags & 0x1ff);
            self.block(hart, pc, if most == 0 { 512 } else { most })?;
        } else if let Some(rest) = line.strip_prefix(b"Stopped execution of TB chain before ") {
            let (pc, _) = after(rest, b"[").and_then(hex).ok_or_else(strange)?;
            self.stopped(pc)?;
        } else if let Some(rest) = line.strip_prefix(b"riscv_cpu_do_interrupt: ") {
            let number = |word: &[u8]| after(rest, word).and_then(decimal).map(|n| n.0).ok_or_else(strange);
            let (epc, _) = after(rest, b"epc:0x").and_then(hex).ok_or_else(strange)?;
            self.trap(number(b"hart:")?, number(b"async:")? != 0, epc)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Executes the last block of each hart up to a branch whose outcome the log does not show, and stops the hart there; the
    /// number of these blocks.
    fn end(&mut self) -> u64 {
        let mut blocks = 0;
        for hart in 0..self.harts.len() {
            let to = match self.harts[hart].at {
                At::Outside => continue,
                At::Block { pc, most, executed: true } => {
                    blocks += 1;
                    self.last_block(hart, pc, most)
                }
                At::Block { pc, .. } | At::Trap { epc: pc } => pc,
            };
            self.record(hart, TRAP, 0, to, to);
        }
        blocks
    }

    /// Executes a block of at most `most` instructions as far as its instructions alone determine; where it ends.
    fn last_block(&mut self, hart: usize, pc: u64, most: u64) -> u64 {
        let mut at = pc;
        for _ in 0..most {
            let Some((insn, len)) = self.image.instruction(at) else { break };
            if at != pc && at % PAGE + u64::from(len) > PAGE {
                break;
            }
            // calls, returns from traps and waiting: what comes then would be in the log
            let is_left = insn & 0x707f == 0x73 || insn == 0x9002;
            match isa::flow(insn, self.xlen) {
                Flow::Sequential if !is_left => {
                    self.harts[hart].count += 1;
                    at += u64::from(len);
                    if at % PAGE == 0 || ends_block(insn) {
                        break;
                    }
                }
                Flow::Jump { offset, call } => {
                    let to = target(at, offset, self.xlen);
                    self.harts[hart].count += 1;
                    self.record(hart, if call { 3 } else { 2 }, len, at, to);
                    return to;
                }
                _ => break,
            }
        }
        at
    }
}

/// Passes the records of a log to `sink`; returns notes.
pub(super) fn convert(mut log: Unpacked, elf: &Named, sink: Sink<'_>) -> Result<Vec<String>, HostError> {
    let (image, xlen) = (Image::new(&elf.program), elf.program.xlen);
    let mut reader = Reader { image, xlen, harts: Vec::new(), last: 0, swaps: 0, sink };
    let mut line = Vec::new();
    let mut known = 0u64;
    while log.log_line(&mut line, known > 0, WHAT)? {
        known += u64::from(reader.line(&line).map_err(|e| log.wrong_line(&e))?);
    }
    if known == 0 {
        return Err(log.wrong_line(&format!("the log ends without {WHAT}")));
    }
    let blocks = reader.end();
    let swaps = reader.swaps;
    let swaps = (swaps > 0).then(|| format!("{swaps} co-routine swaps, imported as returns"));
    let what = "up to a branch whose outcome the log does not show, or whole";
    let harts = if blocks == 1 { "hart" } else { "harts" };
    let blocks = (blocks > 0).then(|| format!("the last block of {blocks} {harts}, {what}"));
    Ok(swaps.into_iter().chain(blocks).collect())
}
