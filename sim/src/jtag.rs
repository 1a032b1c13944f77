//! Golden model of the JTAG port: a TAP whose data registers are a RISC-V debug transport and the trace words
//!
//! # Source
//! IEEE 1149.1-2013: clause 6.1, the controller; 7.1 and 12.1, instructions and device identification. RISC-V External Debug
//! Support 0.13.2: section 6.1, instructions of the JTAG debug transport, `dtmcs` and `dmi`. There is no debug module: the
//! addresses of `dmi` are register numbers. `words` is this project's.
//!
//! | instruction | bits of its register | contents |
//! | --- | ---: | --- |
//! | [`IDCODE_IR`], after a reset | 32 | [`IDCODE`] |
//! | [`WORDS_IR`] | 33 | bit 0: a trace word is available; above it the word, or 0. Update-DR takes the word that was captured |
//! | [`DTMCS_IR`] | 32 | [`VERSION`], [`ADDRESS_BITS`], `dmistat`; `dmireset` and `dmihardreset` |
//! | [`DMI_IR`] | 41 | operation, data, address |
//! | all others | 1 | bypass |

/// Width of the instruction register, bits.
pub const IR_BITS: u32 = 5;
/// Instruction: device identification.
pub const IDCODE_IR: u32 = 0x01;
/// Instruction: trace words.
pub const WORDS_IR: u32 = 0x02;
/// Instruction: state of the debug transport.
pub const DTMCS_IR: u32 = 0x10;
/// Instruction: a register access.
pub const DMI_IR: u32 = 0x11;
/// Instruction: bypass, one bit.
pub const BYPASS_IR: u32 = 0x1f;
/// Identification code: version 1, part 0x6754 (as in register `id`), no manufacturer.
pub const IDCODE: u32 = 0x1675_4001;
/// Version in `dtmcs`: that of specification 0.13.
pub const VERSION: u32 = 1;
/// Width of an address in `dmi`, bits.
pub const ADDRESS_BITS: u32 = 7;
/// Width of `words`, bits.
pub const WORDS_BITS: u32 = 33;
/// Width of `dmi`, bits.
pub const DMI_BITS: u32 = ADDRESS_BITS + 34;
/// Operation and status of `dmi`: none, success.
pub const NOP: u64 = 0;
/// Operation: read.
pub const READ: u64 = 1;
/// Operation: write.
pub const WRITE: u64 = 2;
/// Status: an operation failed; further ones are ignored until `dmireset`.
pub const FAILED: u64 = 2;
/// Bit of `dtmcs` that clears a failure.
pub const DMIRESET: u32 = 1 << 16;
/// Another bit that clears a failure.
pub const DMIHARDRESET: u32 = 1 << 17;

/// States of the TAP controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum State {
    /// After a reset.
    #[default]
    TestLogicReset,
    /// Between scans.
    RunTestIdle,
    /// Choice: data register scan, or on to the instruction register.
    SelectDr,
    /// The data register is loaded.
    CaptureDr,
    /// The data register shifts by a bit.
    ShiftDr,
    /// The data register keeps its value.
    Exit1Dr,
    /// The data register keeps its value.
    PauseDr,
    /// The data register keeps its value.
    Exit2Dr,
    /// The value that was shifted in takes effect.
    UpdateDr,
    /// As [`State::SelectDr`], for the instruction register.
    SelectIr,
    /// As [`State::CaptureDr`], for the instruction register.
    CaptureIr,
    /// As [`State::ShiftDr`], for the instruction register.
    ShiftIr,
    /// As [`State::Exit1Dr`], for the instruction register.
    Exit1Ir,
    /// As [`State::PauseDr`], for the instruction register.
    PauseIr,
    /// As [`State::Exit2Dr`], for the instruction register.
    Exit2Ir,
    /// As [`State::UpdateDr`], for the instruction register.
    UpdateIr,
}

impl State {
    /// The state after a rising edge of TCK.
    pub const fn next(self, tms: bool) -> Self {
        use State::*;
        let (low, high) = match self {
            TestLogicReset => (RunTestIdle, TestLogicReset),
            RunTestIdle | UpdateDr | UpdateIr => (RunTestIdle, SelectDr),
            SelectDr => (CaptureDr, SelectIr),
            CaptureDr | ShiftDr => (ShiftDr, Exit1Dr),
            Exit1Dr => (PauseDr, UpdateDr),
            PauseDr => (PauseDr, Exit2Dr),
            Exit2Dr => (ShiftDr, UpdateDr),
            SelectIr => (CaptureIr, TestLogicReset),
            CaptureIr | ShiftIr => (ShiftIr, Exit1Ir),
            Exit1Ir => (PauseIr, UpdateIr),
            PauseIr => (PauseIr, Exit2Ir),
            Exit2Ir => (ShiftIr, UpdateIr),
        };
        if tms {
            high
        } else {
            low
        }
    }
}

/// Action at a falling edge of TCK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A register is read; [`JtagPort::read_data`] takes its value.
    Read(u32),
    /// A register is written.
    Write(u32, u32),
    /// The trace word is taken from the stream.
    Take,
}

/// State of the JTAG port.
#[derive(Clone, Debug)]
pub struct JtagPort {
    /// Number of registers.
    registers: u32,
    /// Whether the port has the register of trace words.
    words: bool,
    /// State of the TAP controller.
    pub state: State,
    /// Current instruction.
    pub ir: u32,
    ir_shift: u32,
    shift: u64,
    address: u32,
    data: u32,
    failed: bool,
    captured: bool,
    /// TDO, while it is driven.
    pub tdo: Option<bool>,
}

impl JtagPort {
    /// A port to `registers` registers, with or without trace words.
    pub fn new(registers: u32, words: bool) -> Self {
        Self {
            registers,
            words,
            state: State::TestLogicReset,
            ir: IDCODE_IR,
            ir_shift: 0,
            shift: 0,
            address: 0,
            data: 0,
            failed: false,
            captured: false,
            tdo: None,
        }
    }

    /// TRST is low: resets only the TAP controller.
    pub fn test_reset(&mut self) {
        (self.state, self.ir, self.tdo) = (State::TestLogicReset, IDCODE_IR, None);
    }

    /// Width of the selected data register.
    fn bits(&self) -> u32 {
        match self.ir {
            IDCODE_IR | DTMCS_IR => 32,
            DMI_IR => DMI_BITS,
            WORDS_IR if self.words => WORDS_BITS,
            _ => 1,
        }
    }

    fn status(&self) -> u64 {
        if self.failed {
            FAILED
        } else {
            NOP
        }
    }

    /// A rising edge of TCK; `word` is the available trace word.
    pub fn rise(&mut self, tms: bool, tdi: bool, word: Option<u32>) {
        let moved = |register: u64, bits: u32| register >> 1 | u64::from(tdi) << (bits - 1);
        match self.state {
            State::CaptureDr => {
                self.shift = match self.ir {
                    IDCODE_IR => IDCODE.into(),
                    DTMCS_IR => self.status() << 10 | u64::from(ADDRESS_BITS << 4 | VERSION),
                    DMI_IR => u64::from(self.address) << 34 | u64::from(self.data) << 2 | self.status(),
                    WORDS_IR if self.words => word.map_or(0, |w| u64::from(w) << 1 | 1),
                    _ => 0,
                };
                self.captured = word.is_some();
            }
            State::ShiftDr => self.shift = moved(self.shift, self.bits()),
            // the standard requires 01 in the lowest bits
            State::CaptureIr => self.ir_shift = 1,
            State::ShiftIr => self.ir_shift = moved(self.ir_shift.into(), IR_BITS) as u32,
            _ => {}
        }
        self.state = self.state.next(tms);
    }

    /// A falling edge of TCK; returns the action.
    pub fn fall(&mut self) -> Option<Action> {
        self.tdo = match self.state {
            State::ShiftDr => Some(self.shift & 1 != 0),
            State::ShiftIr => Some(self.ir_shift & 1 != 0),
            _ => None,
        };
        match self.state {
            State::TestLogicReset => self.ir = IDCODE_IR,
            State::UpdateIr => self.ir = self.ir_shift,
            State::UpdateDr => return self.update(),
            _ => {}
        }
        None
    }

    fn update(&mut self) -> Option<Action> {
        match self.ir {
            WORDS_IR if self.words => return self.captured.then_some(Action::Take),
            DTMCS_IR if self.shift as u32 & (DMIRESET | DMIHARDRESET) != 0 => self.failed = false,
            DMI_IR if !self.failed => {
                let (op, data, address) = (self.shift & 3, (self.shift >> 2) as u32, (self.shift >> 34) as u32);
                if op != READ && op != WRITE {
                    return None;
                }
                (self.address, self.data) = (address, data);
                self.failed = address >= self.registers;
                return match (self.failed, op) {
                    (true, _) => None,
                    (false, READ) => Some(Action::Read(address)),
                    (false, _) => Some(Action::Write(address, data)),
                };
            }
            _ => {}
        }
        None
    }

    /// Takes the value of the register that was read.
    pub fn read_data(&mut self, data: u32) {
        self.data = data;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One TCK cycle, rising edge first; returns TDO before the rising edge, and the action.
    fn clock(p: &mut JtagPort, tms: bool, tdi: bool, word: Option<u32>) -> (Option<bool>, Option<Action>) {
        let tdo = p.tdo;
        p.rise(tms, tdi, word);
        (tdo, p.fall())
    }

    /// Shifts `bits` bits of `value` through the instruction register or a data register, from Run-Test/Idle and back.
    fn scan(p: &mut JtagPort, ir: bool, value: u64, bits: u32, word: Option<u32>) -> (u64, Option<Action>) {
        if ir {
            clock(p, true, false, word);
        }
        for tms in [true, false, false] {
            clock(p, tms, false, word);
        }
        let mut out = 0;
        for i in 0..bits {
            let (tdo, _) = clock(p, i + 1 == bits, value >> i & 1 != 0, word);
            out |= u64::from(tdo.expect("TDO is driven while bits are shifted")) << i;
        }
        let (_, act) = clock(p, true, false, word);
        clock(p, false, false, word);
        assert_eq!(p.state, State::RunTestIdle);
        (out, act)
    }

    fn idle() -> JtagPort {
        let mut p = JtagPort::new(8, true);
        clock(&mut p, false, false, None);
        p
    }

    #[test]
    fn five_clocks_of_tms_reset_from_every_state() {
        let mut state = State::TestLogicReset;
        for walk in 0..1 << 8 {
            for i in 0..8 {
                state = state.next(walk >> i & 1 != 0);
            }
            assert_eq!((0..5).fold(state, |s, _| s.next(true)), State::TestLogicReset);
        }
    }

    #[test]
    fn identification_is_selected_after_a_reset_and_bypass_delays_by_a_bit() {
        let mut p = idle();
        assert_eq!(scan(&mut p, false, 0, 32, None).0, 0x1675_4001);
        assert_eq!(scan(&mut p, true, 0x1f, 5, None).0, 1);
        assert_eq!(scan(&mut p, false, 0b1011_0010, 9, None).0, 0b1_0110_0100);
    }

    #[test]
    fn dtmcs_has_version_and_address_bits() {
        let mut p = idle();
        scan(&mut p, true, 0x10, 5, None);
        // abits 7 at bit 4, version 1
        assert_eq!(scan(&mut p, false, 0, 32, None).0, 0x71);
    }

    #[test]
    fn dmi_reads_writes_and_keeps_a_failure() {
        let mut p = idle();
        scan(&mut p, true, 0x11, 5, None);
        assert_eq!(
            scan(&mut p, false, 2 << 34 | 0x1234_5678 << 2 | WRITE, 41, None).1,
            Some(Action::Write(2, 0x1234_5678))
        );
        assert_eq!(scan(&mut p, false, 5 << 34 | READ, 41, None).1, Some(Action::Read(5)));
        p.read_data(0xdead_beef);
        assert_eq!(scan(&mut p, false, NOP, 41, None), (5 << 34 | 0xdead_beef << 2, None));
        // there are eight registers
        assert_eq!(scan(&mut p, false, 8 << 34 | READ, 41, None).1, None);
        assert_eq!(scan(&mut p, false, 5 << 34 | READ, 41, None), (8 << 34 | FAILED, None));
        scan(&mut p, true, 0x10, 5, None);
        assert_eq!(scan(&mut p, false, DMIRESET.into(), 32, None).0, 0x871);
        scan(&mut p, true, 0x11, 5, None);
        assert_eq!(scan(&mut p, false, 5 << 34 | READ, 41, None).1, Some(Action::Read(5)));
    }

    #[test]
    fn a_word_is_taken_when_it_was_captured() {
        let mut p = idle();
        scan(&mut p, true, 0x02, 5, None);
        assert_eq!(scan(&mut p, false, 0, 33, None), (0, None));
        assert_eq!(scan(&mut p, false, 0, 33, Some(0x8000_0001)), (0x1_0000_0003, Some(Action::Take)));
    }
}
