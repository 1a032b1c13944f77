//! The core of the diagnosis processor: the simulator's RISC-V executor on the processor's memory, with cycle counts
//!
//! # Source
//! RISC-V unprivileged ISA, chapter RV32I; cycles and memory: [`super`].

use super::recording::{Recorded, Recording};
use super::{NEXT_AT, RAM_BYTES, SEND_AT, SLOTS, SLOTS_AT, TIME_AT};
use crate::platform::ParamError;
use crate::riscv::bus::Bus;
use crate::riscv::csr::View;
use crate::riscv::decode::decode;
use crate::riscv::hart::{At, Break, Hart, Shared};
use crate::riscv::isa::Isa;
use crate::riscv::memory::Effect;
use crate::riscv::timing::{Caches, Timing};
use retire::elf::Program;
use retire::NullSink;

/// The address space of the core.
#[derive(Clone, Debug)]
pub struct Space {
    /// Program and data.
    pub ram: Vec<u8>,
    /// Event slots.
    pub slots: [[u32; 8]; SLOTS],
    /// Words of the next event to send.
    pub send: [u32; 8],
    /// Result of the next load of `NEXT`; none: the load waits.
    pub next: Option<u32>,
    /// The clock.
    pub time: u32,
    /// Number of arguments of the event that the last instruction sent.
    pub sent: Option<u32>,
    /// Stores have no effect.
    pub frozen: bool,
}

impl Default for Space {
    fn default() -> Self {
        Self {
            ram: vec![0; RAM_BYTES as usize],
            slots: [[0; 8]; SLOTS],
            send: [0; 8],
            next: None,
            time: 0,
            sent: None,
            frozen: false,
        }
    }
}

/// End of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It retired, in this number of cycles.
    Retired(u32),
    /// It waits for an event.
    Waits,
    /// It is illegal or accesses an address that does not exist; detected after this number of cycles.
    Fault(u32),
    /// The limit comes first.
    Limit,
}

/// The core of the diagnosis processor.
#[derive(Clone, Debug)]
pub struct Core {
    hart: Hart,
    caches: Caches,
    timing: Timing,
    recording: Option<Box<Recording>>,
}

impl Default for Core {
    fn default() -> Self {
        let timing = Timing::functional();
        Self { hart: Hart::new(0, Isa::RV32IMAC, 0, 0), caches: Caches::new(&timing, 1), timing, recording: None }
    }
}

/// Whether `insn` is one of RV32I, except `fence`, `ecall` and `ebreak`.
pub fn is_known(insn: u32) -> bool {
    let (f3, f7) = (insn >> 12 & 7, insn >> 25);
    match insn & 0x7f {
        0x37 | 0x17 | 0x6f => true,
        0x67 => f3 == 0,
        0x63 => f3 != 2 && f3 != 3,
        0x03 => f3 != 3 && f3 < 6,
        0x23 => f3 < 3,
        0x13 => match f3 {
            1 => f7 == 0,
            5 => f7 & 0x5f == 0,
            _ => true,
        },
        0x33 => f7 == 0 || (f7 == 0x20 && (f3 == 0 || f3 == 5)),
        _ => false,
    }
}

impl Core {
    /// Address of the next instruction.
    pub fn pc(&self) -> u32 {
        self.hart.at.pc as u32
    }

    /// Register x1 to x31, or 0 for x0.
    pub fn register(&self, n: u32) -> u32 {
        self.hart.regs[n as usize & 31] as u32
    }

    /// Resets the core, and ends a recording.
    pub fn reset(&mut self) {
        *self = Self::default();
    }

    /// Restarts at address 0, in place of the next instruction; `interrupt`: how a recording shows it. Registers keep
    /// their values.
    pub fn restart(&mut self, interrupt: u8) {
        if let Some(recording) = &mut self.recording {
            recording.interrupt(interrupt, self.hart.at.instret);
        }
        // `mtvec` is 0
        self.hart.trap(true, interrupt.into(), 0);
    }

    /// Records from here on, with `program` in memory; nothing has been executed yet.
    pub fn record(&mut self, program: &Program) -> Result<(), ParamError> {
        self.recording = Some(Box::new(Recording::new(program)?));
        Ok(())
    }

    /// Ends the recording.
    pub fn recorded(&mut self) -> Option<Recorded> {
        let recording = self.recording.take()?;
        let stop = self.hart.stop(self.hart.at.cycle);
        Some(recording.finish(stop))
    }

    /// An event was stored in a slot.
    pub fn stored(&mut self, slot: usize, words: &[u32; 8]) {
        if let Some(recording) = &mut self.recording {
            recording.slot(slot, words, self.hart.at.cycle);
        }
    }

    /// The next instruction, if it can be fetched.
    pub fn fetch(&self, space: &Space) -> Option<u32> {
        let pc = self.pc();
        (pc % 4 == 0 && pc < RAM_BYTES).then(|| load::<4>(&space.ram, pc) as u32)
    }

    /// Executes one instruction, with `left` cycles up to the limit.
    pub fn step(&mut self, space: &mut Space, left: u32) -> End {
        space.sent = None;
        let fault = |clocks| if clocks < left { End::Fault(clocks) } else { End::Limit };
        let Some(insn) = self.fetch(space) else { return fault(1) };
        if !is_known(insn) {
            return fault(3);
        }
        let op = decode(insn, Isa::RV32IMAC);
        let (opcode, f3) = (insn & 0x7f, insn >> 12 & 7);
        let shift = if opcode == 0x13 { insn >> 20 } else { self.register(insn >> 20) } & 31;
        let clocks = match opcode {
            0x03 => 5,
            0x23 => 4,
            0x13 | 0x33 if f3 == 1 || f3 == 5 => 4 + shift,
            _ => 3,
        };
        // memory is accessed in the fourth cycle
        space.frozen = left < 4;
        let mut at = self.hart.at;
        let mut shared = Shared { memory: space, caches: &mut self.caches, timing: &self.timing };
        let before = self.recording.as_ref().filter(|_| clocks > left).map(|_| self.hart.clone());
        let end = match &mut self.recording {
            None => self.hart.step::<_, _, false, false, false>(&mut at, &op, &mut shared, &mut NullSink),
            Some(r) => self.hart.step::<_, _, false, true, false>(&mut at, &op, &mut shared, &mut r.instruction),
        };
        let end = match end {
            Ok(()) if clocks > left => End::Limit,
            Ok(()) => {
                self.hart.at = at;
                End::Retired(clocks)
            }
            Err(Break::Input) if left >= 4 => End::Waits,
            Err(Break::Input) => End::Limit,
            Err(_) => fault(4),
        };
        if let Some(recording) = &mut self.recording {
            recording.end_instruction(matches!(end, End::Retired(_)));
        }
        if let Some(before) = before {
            self.hart = before;
        }
        end
    }
}

fn load<const N: usize>(bytes: &[u8], at: u32) -> u64 {
    bytes[at as usize..at as usize + N].iter().rev().fold(0, |v, b| v << 8 | u64::from(*b))
}

impl Bus for Space {
    fn half(&self, _: u64) -> Option<u16> {
        None
    }

    fn in_ram<const N: usize>(&self, addr: u64) -> bool {
        addr + N as u64 <= u64::from(RAM_BYTES)
    }

    fn read<const N: usize>(&mut self, _: usize, addr: u64, _: u64) -> Result<u64, Break> {
        let wrong = Err(Break::Trap(5, addr));
        let at = addr as u32;
        if at % N as u32 != 0 {
            return wrong;
        }
        let of = |word: u32| Ok(load::<N>(&word.to_le_bytes(), at % 4));
        match at {
            0..RAM_BYTES => Ok(load::<N>(&self.ram, at)),
            _ if at & !0x1ff == SLOTS_AT => of(self.slots[at as usize / 32 % SLOTS][at as usize / 4 % 8]),
            NEXT_AT if N == 4 => self.next.take().map_or(Err(Break::Input), of),
            TIME_AT if N == 4 => of(self.time),
            _ => wrong,
        }
    }

    fn write<const N: usize>(&mut self, _: usize, addr: u64, value: u64, _: u64) -> Result<Effect, Break> {
        let wrong = Err(Break::Trap(7, addr));
        let at = addr as u32;
        if at % N as u32 != 0 {
            return wrong;
        }
        match at {
            0..RAM_BYTES if !self.frozen => {
                self.ram[at as usize..at as usize + N].copy_from_slice(&value.to_le_bytes()[..N]);
            }
            0..RAM_BYTES => {}
            _ if at & !0x1f == SEND_AT && N == 4 && !self.frozen => self.send[at as usize / 4 % 8] = value as u32,
            _ if at & !0x1f == SEND_AT && N == 4 => {}
            NEXT_AT if N == 4 && value & 7 != 7 => self.sent = (!self.frozen).then_some(value as u32 & 7),
            _ => return wrong,
        }
        Ok(Effect::None)
    }

    fn exchange<const N: usize>(
        &mut self,
        _: usize,
        addr: u64,
        _: impl FnOnce(u64) -> u64,
        _: u64,
    ) -> Result<(u64, u64), Break> {
        Err(Break::Trap(7, addr))
    }

    fn reserve(&mut self, _: usize, _: u64, _: u8) {}

    fn take_reservation(&mut self, _: usize, _: u64) -> Result<bool, Break> {
        Ok(false)
    }

    fn view(&self, _: &Hart, at: &At) -> View {
        View { hart: 0, mip: 0, cycle: at.cycle, instret: at.instret, time: 0 }
    }

    fn open_csr(&mut self, _: usize, _: u32) -> Result<Option<u64>, Break> {
        Ok(None)
    }

    fn unmodelled(&mut self, _: usize, insn: u32, _: [u64; 2]) -> Result<u64, Break> {
        Err(Break::Trap(2, insn.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(words: &[u32]) -> (Core, Space) {
        let mut space = Space::default();
        for (n, w) in words.iter().enumerate() {
            space.ram[4 * n..4 * n + 4].copy_from_slice(&w.to_le_bytes());
        }
        (Core::default(), space)
    }

    #[test]
    fn instructions_take_the_clocks_worked_by_hand() {
        // addi x1, x0, 5; slli x2, x1, 3; sw x2, 64(x0); lb x3, 64(x0); jal x0, -16
        let (mut core, mut space) = with(&[0x0050_0093, 0x0030_9113, 0x0420_2023, 0x0400_0183, 0xff1f_f06f]);
        let ends: Vec<End> = (0..5).map(|_| core.step(&mut space, 100)).collect();
        assert_eq!(ends, [3, 7, 4, 5, 3].map(End::Retired));
        assert_eq!((core.register(2), core.register(3), core.pc()), (40, 40, 0));
        assert_eq!(space.ram[64..68], [40, 0, 0, 0]);
    }

    #[test]
    fn invalid_addresses_and_instructions_fault() {
        // lui x1, 1 and a store there; fence; lw x2, 1(x0); mul; jalr x0, 2(x0)
        for (words, clocks) in [
            (&[0x0000_10b7, 0x0000_a023][..], 4),
            (&[0x0000_0013, 0x0ff0_000f], 3),
            (&[0x0000_0013, 0x0010_2103], 4),
            (&[0x0000_0013, 0x0220_8133], 3),
            (&[0x0000_0013, 0x0020_0067], 3),
        ] {
            let (mut core, mut space) = with(words);
            assert_eq!(core.step(&mut space, 100), End::Retired(3));
            let end = core.step(&mut space, 100);
            if words[1] == 0x0020_0067 {
                // the jump to 2 retires, and the fetch then fails
                assert_eq!((end, core.step(&mut space, 100)), (End::Retired(3), End::Fault(1)));
            } else {
                assert_eq!(end, End::Fault(clocks), "{words:x?}");
            }
        }
    }

    #[test]
    fn a_store_is_done_in_its_fourth_clock() {
        for (left, stored) in [(3, 0), (4, 1)] {
            // addi x1, x0, 1; sb x1, 64(x0)
            let (mut core, mut space) = with(&[0x0010_0093, 0x0410_0023]);
            core.step(&mut space, 100);
            let end = core.step(&mut space, left);
            assert_eq!((end == End::Limit, space.ram[64]), (left == 3, stored));
        }
    }

    #[test]
    fn loads_of_next_wait_for_an_event() {
        // lui x1, 0x30; lw x2, 0(x1); sw x2, 0(x1)
        let (mut core, mut space) = with(&[0x0003_00b7, 0x0000_a103, 0x0020_a023]);
        core.step(&mut space, 100);
        assert_eq!(core.step(&mut space, 100), End::Waits);
        space.next = Some(SLOTS_AT + 32);
        assert_eq!((core.step(&mut space, 100), core.register(2)), (End::Retired(5), SLOTS_AT + 32));
        assert_eq!((core.step(&mut space, 100), space.sent), (End::Retired(4), Some(0)));
    }
}
