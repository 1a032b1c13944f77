//! Crash analysis: finds the exceptions that stopped the harts of a program
//!
//! Only exceptions that a program does not intend count: `ebreak` and `ecall` with a handler are calls.
//!
//! # Source
//! RISC-V privileged ISA, table of `mcause`.

use crate::assembly::Assembly;
use crate::input::Named;
use crate::run::Run;
use crate::stop::is_fault;
use crate::HostError;
use retire::image::Image;
use retire::{DataEvent, DataKind, FlowEvent, FlowKind, Note, RetireSink};
use sim::riscv::{Exit, Machine};
use std::ops::Range;

/// `wfi`.
const WFI: u32 = 0x1050_0073;
/// Calls, and breakpoints of both sizes.
const ECALL: u32 = 0x0000_0073;
const EBREAK: u32 = 0x0010_0073;
const C_EBREAK: u32 = 0x9002;

/// The last exception of a hart, with a count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Hart.
    pub hart: u8,
    /// Cause as in `mcause`.
    pub cause: u8,
    /// Address of the instruction that could not retire, as in `mepc`.
    pub pc: u64,
    /// Instructions that the hart had retired.
    pub retired: u64,
    /// Address that was loaded, stored or fetched.
    pub address: Option<u64>,
    /// The instruction as text; an undecodable one as `.word` or `.half`.
    pub instruction: Option<String>,
    /// What an illegal instruction needs that is not there.
    pub missing: Option<String>,
    /// Stack pointer.
    pub sp: u64,
    /// The jump, call or return that led to `pc`, if no instruction retired after it.
    pub from: Option<u64>,
    /// Address of the handler; `None` if it cannot be executed.
    pub handler: Option<u64>,
    /// Number of exceptions of the hart.
    pub times: u64,
    /// Address range of RAM.
    pub ram: Range<u64>,
    /// The read-only segment of the program that `address` lies in, if the run refused stores there.
    pub read_only: Option<Range<u64>>,
}

/// Name of an exception.
pub const fn cause_name(cause: u8) -> &'static str {
    match cause {
        0 => "misaligned fetch",
        1 => "jump to nowhere",
        2 => "illegal instruction",
        3 => "breakpoint",
        4 => "misaligned atomic load",
        5 => "load fault",
        6 => "misaligned atomic",
        7 => "store fault",
        8..=11 => "environment call",
        _ => "exception",
    }
}

/// Observed state of a hart.
#[derive(Clone, Debug)]
struct Seen {
    registers: [u64; 32],
    retired: u64,
    /// Its last event with an instruction.
    last: Option<FlowEvent>,
    /// Cause of the last failed access, and the number of instructions retired at that time.
    failed_access: Option<(u8, u64)>,
    fault: Option<Fault>,
    stop: Option<FlowEvent>,
}

/// Observes a run to describe its faults.
pub(crate) struct FaultObserver {
    image: Image,
    assembly: Assembly,
    xlen: u8,
    ram: Range<u64>,
    /// Where stores are refused.
    read_only: Vec<Range<u64>>,
    entry: u64,
    harts: Vec<Seen>,
}

impl FaultObserver {
    fn seen(&mut self, hart: u8) -> &mut Seen {
        &mut self.harts[usize::from(hart)]
    }

    /// The instruction at `pc`: bits and length.
    fn instruction(&self, pc: u64) -> Option<(u32, u8)> {
        self.image.instruction(pc).map(|(bits, len)| (if len == 2 { bits & 0xffff } else { bits }, len))
    }

    /// Whether the instruction before `pc` waits for an interrupt.
    pub(crate) fn waits(&self, pc: u64) -> bool {
        matches!(self.instruction(pc.wrapping_sub(4)), Some((WFI, _)))
    }

    /// Describes the exception `cause` at `pc`, from the current state.
    fn fault(&self, hart: u8, cause: u8, pc: u64, retired: u64, handler: Option<u64>) -> Fault {
        let seen = &self.harts[usize::from(hart)];
        let found = self.instruction(pc);
        let access = found.and_then(|(bits, len)| self.assembly.access(bits, len));
        let made = |base: u8, offset: i32| seen.registers[usize::from(base)].wrapping_add_signed(offset.into());
        let address = match cause {
            0 | 1 => Some(pc),
            4..=7 => access.map(|a| made(a.base, a.offset) & 0xffff_ffff),
            _ => None,
        };
        let jumped = |e: &FlowEvent| e.target == pc && e.kind != FlowKind::Conditional { taken: false };
        let from = seen.last.filter(jumped).map(|e| e.pc);
        let none = |bits, len| if len == 2 { format!(".half 0x{bits:04x}") } else { format!(".word 0x{bits:08x}") };
        let text = |(bits, len)| self.assembly.text(bits, len).unwrap_or_else(|| none(bits, len));
        let instruction = found.map(text);
        let illegal = found.filter(|_| cause == 2);
        let missing = illegal.and_then(|(bits, len)| crate::missing::missing(bits, len, self.xlen));
        let sp = seen.registers[2];
        let times = seen.fault.as_ref().map_or(0, |f| f.times) + 1;
        let ram = self.ram.clone();
        let refusing = |r: &&Range<u64>| cause == 7 && address.is_some_and(|a| r.contains(&a));
        let read_only = self.read_only.iter().find(refusing).cloned();
        Fault { hart, cause, pc, retired, address, instruction, missing, sp, from, handler, times, ram, read_only }
    }

    /// The exception at which a hart is stuck at the end, unless it is waiting.
    fn stuck_fault(&self, hart: u8) -> Option<Fault> {
        let seen = &self.harts[usize::from(hart)];
        let retired = seen.retired;
        // a hart that never retired an instruction has no event: it is at the entry point
        let (pc, instructions_after) = match seen.stop {
            Some(stop) => (stop.pc, stop.count),
            None if retired == 0 => (self.entry, 0),
            None => return None,
        };
        let in_place = seen.last.is_some_and(|e| e.pc == pc && e.target == pc);
        let waits = instructions_after > 0 && self.waits(pc);
        let failed_access = seen.failed_access.filter(|(_, at)| *at == retired).map(|(cause, _)| cause);
        if in_place || waits && failed_access.is_none() {
            return None;
        }
        let access = |(bits, len)| self.assembly.access(bits, len);
        // that of the handler, where this instruction has none
        let failed_access = failed_access.filter(|_| self.instruction(pc).and_then(access).is_some());
        let cause = match (failed_access, self.instruction(pc)) {
            (Some(cause), _) => cause,
            (None, None) if !self.ram.contains(&pc) => 1,
            (None, None) => 2,
            (None, Some((EBREAK | C_EBREAK, _))) => 3,
            (None, Some((ECALL, _))) => 11,
            // an atomic on RAM only faults if it is misaligned; lr is a load
            (None, Some(found)) if access(found).is_some_and(|a| a.atomic) => {
                if found.0 >> 27 == 2 {
                    4
                } else {
                    6
                }
            }
            (None, Some(_)) => 2,
        };
        Some(self.fault(hart, cause, pc, retired, None))
    }
}

impl RetireSink for FaultObserver {
    const WANTS_DATA: bool = true;

    #[inline]
    fn event(&mut self, e: &FlowEvent) {
        let retired = self.seen(e.hart).retired + u64::from(e.count);
        let seen = self.seen(e.hart);
        seen.retired = retired;
        if !e.kind.retires() && e.count > 0 {
            // the hart did not reach its position directly by a jump
            seen.last = None;
        }
        match e.kind {
            FlowKind::Trap { cause, .. } if is_fault(e.kind) => {
                let fault = self.fault(e.hart, cause, e.pc, retired, Some(e.target));
                self.seen(e.hart).fault = Some(fault);
            }
            FlowKind::Stop => self.seen(e.hart).stop = Some(*e),
            _ if e.kind.retires() => self.seen(e.hart).last = Some(*e),
            _ => {}
        }
    }

    #[inline]
    fn data(&mut self, d: &DataEvent) {
        if let DataKind::Register { rd, value } = d.kind {
            self.seen(d.hart).registers[usize::from(rd) % 32] = value;
        }
    }

    fn note(&mut self, hart: u8, note: &Note) {
        if let Note::AccessFault { cause, retired } = *note {
            // a handler whose first instruction fails, too, does not change what failed first
            let first = &mut self.seen(hart).failed_access;
            *first = first.filter(|(_, at)| *at == retired).or(Some((cause, retired)));
        }
    }
}

impl FaultObserver {
    /// At the beginning of a run of `named`.
    ///
    /// # Errors
    /// The program cannot be run.
    pub(crate) fn new(named: &Named, run: &Run<'_>) -> Result<Self, HostError> {
        let failure = |source| HostError::Machine { name: named.name.clone(), source };
        let machine = Machine::new(&named.program, run.settings.config(run.harts)).map_err(failure)?;
        let (start, bytes) = machine.ram();
        let hart = |index: u8| {
            let mut registers = [0; 32];
            // every hart starts with its number in a0
            registers[10] = index.into();
            Seen { registers, retired: 0, last: None, failed_access: None, fault: None, stop: None }
        };
        Ok(Self {
            image: Image::new(&named.program),
            assembly: Assembly::new(named.program.xlen),
            xlen: named.program.xlen,
            entry: named.program.entry,
            ram: start.into()..u64::from(start) + u64::from(bytes),
            read_only: machine.read_only().to_vec(),
            harts: (0..run.harts).map(hart).collect(),
        })
    }

    /// The exceptions that stopped the harts of a run with this exit, by hart.
    pub(crate) fn faults(&self, exit: Exit) -> Vec<Fault> {
        let found = |hart| {
            let stuck_fault = if exit == Exit::Deadlock { self.stuck_fault(hart) } else { None };
            stuck_fault.or_else(|| self.harts[usize::from(hart)].fault.clone())
        };
        (0..self.harts.len() as u8).filter_map(found).collect()
    }
}
