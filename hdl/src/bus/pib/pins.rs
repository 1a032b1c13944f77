//! The second half of the PIB sink: bytes of messages on the pins
//!
//! # Source
//! RISC-V Trace Control Interface 1.0, "Trace PIB Sink": the modes, the patterns for calibration, and the levels of Manchester and UART.
//! RISC-V N-Trace 1.0, "PIB Idle Cycles Explained".
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `off` | in | 1 | 1: all is cleared, and the pins are 0 |
//! | `restart` | in | 1 | 1: `mode` or `center` changes at this edge, while nothing is sent: the first edge of `clk` is that of a byte |
//! | `mode` | in | 4 | `trPibMode`, one of its values |
//! | `center` | in | 1 | 1: edges of `clk` in the middle of a beat; 0 unless the mode is parallel |
//! | `divider` | in | 12 | cycles of a period less one; not 0 with 16 parallel signals |
//! | `calibrate` | in | 1 | 1: the pattern is sent; what was begun is completed |
//! | `valid`, `head`, `last`, `take` | in, out | 1, 8, 1, 1 | bytes of messages |
//! | `clk`, `data` | out | 1, 16 | `TRC_CLK`, `TRC_DATA` |
//! | `busy` | out | 1 | 1: a byte waits or is being sent |
//!
//! # Timing
//! A byte is fetched before it is needed, at most one per cycle. `clk` and `data` are registers, one cycle after the state that they show.
//!
//! Golden model: [`sim::tci::pib::pins`].

use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::tci::messages::Framing;
use sim::tci::pib::pins::{Mode, ALIGN};

/// The pins, and what comes next on them.
#[derive(LogicBlock, Default)]
pub struct PibPins {
    pub clock: Signal<In, Clock>,
    pub off: Signal<In, Bit>,
    pub restart: Signal<In, Bit>,
    pub mode: Signal<In, Bits<4>>,
    pub center: Signal<In, Bit>,
    pub divider: Signal<In, Bits<12>>,
    pub calibrate: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub head: Signal<In, Bits<8>>,
    pub last: Signal<In, Bit>,
    pub take: Signal<Out, Bit>,
    pub clk: Signal<Out, Bit>,
    pub data: Signal<Out, Bits<16>>,
    pub busy: Signal<Out, Bit>,
    // the pins
    clk_pin: DFF<Bit>,
    data_pins: DFF<Bits<16>>,
    // cycles to the end of the period; the second of two periods; the level of the clock
    count: DFF<Bits<12>>,
    second: DFF<Bit>,
    level: DFF<Bit>,
    // bits that are sent; beats after this one, also of an idle byte; the byte ends a message
    shift: DFF<Bits<16>>,
    more: DFF<Bits<4>>,
    ends: DFF<Bit>,
    sending: DFF<Bit>,
    // Manchester: the stop bit; between start bit and stop bit
    stop: DFF<Bit>,
    message: DFF<Bit>,
    // bytes that come next
    low: DFF<Bits<8>>,
    high: DFF<Bits<8>>,
    low_last: DFF<Bit>,
    has_low: DFF<Bit>,
    has_high: DFF<Bit>,
    // the byte fetched last is not the last one of its message; bytes since idle bytes; position in the pattern
    partial: DFF<Bit>,
    since: DFF<Bits<8>>,
    position: DFF<Bits<3>>,
    parallel: Signal<Local, Bit>,
    one_wide: Signal<Local, Bit>,
    two_wide: Signal<Local, Bit>,
    four_wide: Signal<Local, Bit>,
    wide: Signal<Local, Bit>,
    manchester: Signal<Local, Bit>,
    uart: Signal<Local, Bit>,
    halves: Signal<Local, Bit>,
    mask: Signal<Local, Bits<16>>,
    levels: Signal<Local, Bits<16>>,
    serial: Signal<Local, Bit>,
    tick: Signal<Local, Bit>,
    beat: Signal<Local, Bit>,
    next_second: Signal<Local, Bit>,
    ready: Signal<Local, Bit>,
    loads: Signal<Local, Bit>,
    pair: Signal<Local, Bits<8>>,
    beats: Signal<Local, Bits<4>>,
    free: Signal<Local, Bit>,
    second_byte: Signal<Local, Bit>,
    space: Signal<Local, Bit>,
    pattern: Signal<Local, Bit>,
    step: Signal<Local, Bits<2>>,
    pattern_byte: Signal<Local, Bits<8>>,
    next_position: Signal<Local, Bits<3>>,
    due: Signal<Local, Bit>,
    fetches: Signal<Local, Bit>,
    fetched: Signal<Local, Bits<8>>,
    fetched_last: Signal<Local, Bit>,
    // protocol, and constants
    aligns: Fixed<Bit>,
    idle: Fixed<Bits<8>>,
    idle_pair: Fixed<Bits<16>>,
    mode_manchester: Fixed<Bits<4>>,
    mode_uart: Fixed<Bits<4>>,
    mode_one: Fixed<Bits<4>>,
    mode_two: Fixed<Bits<4>>,
    mode_four: Fixed<Bits<4>>,
    mode_wide: Fixed<Bits<4>>,
    mask_one: Fixed<Bits<16>>,
    mask_two: Fixed<Bits<16>>,
    mask_four: Fixed<Bits<16>>,
    mask_eight: Fixed<Bits<16>>,
    mask_all: Fixed<Bits<16>>,
    stop_bit: Fixed<Bits<16>>,
    uart_beats: Fixed<Bits<4>>,
    one_beats: Fixed<Bits<4>>,
    two_beats: Fixed<Bits<4>>,
    one_beat: Fixed<Bits<4>>,
    one_cycle: Fixed<Bits<12>>,
    one_bit: Fixed<Bits<16>>,
    one_byte: Fixed<Bits<8>>,
    one_position: Fixed<Bits<3>>,
    last_position: Fixed<Bits<3>>,
    align: Fixed<Bits<8>>,
    step_one: Fixed<Bits<2>>,
    step_two: Fixed<Bits<2>>,
    p_aa: Fixed<Bits<8>>,
    p_55: Fixed<Bits<8>>,
    p_ff: Fixed<Bits<8>>,
    p_66: Fixed<Bits<8>>,
    p_cc: Fixed<Bits<8>>,
    p_33: Fixed<Bits<8>>,
    p_5a: Fixed<Bits<8>>,
    p_f0: Fixed<Bits<8>>,
    p_0f: Fixed<Bits<8>>,
}

impl PibPins {
    /// Pins that are 0.
    pub fn new(framing: Framing) -> Self {
        let idle = framing.idle().unwrap_or_default();
        let mode = |mode: Mode| Fixed::of(mode.number());
        Self {
            aligns: Fixed::new(framing == Framing::EndMarks),
            idle: Fixed::of(idle),
            idle_pair: Fixed::of(u16::from_le_bytes([idle; 2])),
            mode_manchester: mode(Mode::Manchester),
            mode_uart: mode(Mode::Uart),
            mode_one: mode(Mode::Parallel1),
            mode_two: mode(Mode::Parallel2),
            mode_four: mode(Mode::Parallel4),
            mode_wide: mode(Mode::Parallel16),
            mask_one: Fixed::of(1u8),
            mask_two: Fixed::of(3u8),
            mask_four: Fixed::of(0xfu8),
            mask_eight: Fixed::of(0xffu8),
            mask_all: Fixed::of(0xffffu16),
            stop_bit: Fixed::of(0x200u16),
            uart_beats: Fixed::of(9u8),
            one_beats: Fixed::of(7u8),
            two_beats: Fixed::of(3u8),
            one_beat: Fixed::of(1u8),
            one_cycle: Fixed::of(1u8),
            one_bit: Fixed::of(1u8),
            one_byte: Fixed::of(1u8),
            one_position: Fixed::of(1u8),
            last_position: Fixed::of(3u8),
            align: Fixed::of(ALIGN),
            step_one: Fixed::of(1u8),
            step_two: Fixed::of(2u8),
            p_aa: Fixed::of(0xaau8),
            p_55: Fixed::of(0x55u8),
            p_ff: Fixed::of(0xffu8),
            p_66: Fixed::of(0x66u8),
            p_cc: Fixed::of(0xccu8),
            p_33: Fixed::of(0x33u8),
            p_5a: Fixed::of(0x5au8),
            p_f0: Fixed::of(0xf0u8),
            p_0f: Fixed::of(0x0fu8),
            ..Default::default()
        }
    }
}

impl Logic for PibPins {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, clk_pin, data_pins, count, second, level, shift, more, ends, sending);
        dff_setup!(self, clock, stop, message, low, high, low_last, has_low, has_high, partial, since, position);

        // the mode
        self.parallel.next = self.mode.val().get_bit(3);
        self.manchester.next = self.mode.val() == self.mode_manchester.val();
        self.uart.next = self.mode.val() == self.mode_uart.val();
        self.one_wide.next = self.mode.val() == self.mode_one.val();
        self.two_wide.next = self.mode.val() == self.mode_two.val();
        self.four_wide.next = self.mode.val() == self.mode_four.val();
        self.wide.next = self.mode.val() == self.mode_wide.val();
        self.halves.next = self.manchester.val() | self.center.val();
        self.mask.next = self.mask_eight.val();
        self.beats.next = 0.into();
        if self.one_wide.val() | self.manchester.val() {
            self.mask.next = self.mask_one.val();
            self.beats.next = self.one_beats.val();
        }
        if self.two_wide.val() {
            self.mask.next = self.mask_two.val();
            self.beats.next = self.two_beats.val();
        }
        if self.four_wide.val() {
            self.mask.next = self.mask_four.val();
            self.beats.next = self.one_beat.val();
        }
        if self.wide.val() {
            self.mask.next = self.mask_all.val();
        }
        if self.uart.val() {
            self.beats.next = self.uart_beats.val();
        }

        // the pins
        self.serial.next = false;
        if self.uart.val() {
            self.serial.next = !self.sending.q.val() | self.shift.q.val().get_bit(0);
        }
        if self.manchester.val() {
            self.serial.next =
                self.sending.q.val() & !self.stop.q.val() & (self.shift.q.val().get_bit(0) != self.second.q.val());
        }
        self.levels.next = bit_cast::<16, 1>(self.serial.val().into());
        if self.parallel.val() {
            self.levels.next = self.idle_pair.val() & self.mask.val();
            if self.sending.q.val() {
                self.levels.next = self.shift.q.val() & self.mask.val();
            }
        }
        self.data_pins.d.next = self.levels.val();
        self.clk_pin.d.next = self.level.q.val();
        self.data.next = self.data_pins.q.val();
        self.clk.next = self.clk_pin.q.val();

        // the period, the beat, and the clock
        self.tick.next = !self.count.q.val().any();
        self.beat.next = self.tick.val() & (!self.halves.val() | self.second.q.val());
        self.next_second.next = self.halves.val() & !self.second.q.val();
        self.count.d.next = self.count.q.val() - self.one_cycle.val();
        if self.tick.val() {
            self.count.d.next = self.divider.val();
            self.second.d.next = self.next_second.val();
            self.level.d.next =
                self.parallel.val() & (self.level.q.val() != (!self.center.val() | self.next_second.val()));
        }

        // the next bits
        self.ready.next = self.has_low.q.val() & (!self.wide.val() | self.has_high.q.val() | self.low_last.q.val());
        self.loads.next = false;
        self.pair.next = self.idle.val();
        if self.has_high.q.val() {
            self.pair.next = self.high.q.val();
        }
        if self.beat.val() {
            self.stop.d.next = false;
            if self.more.q.val().any() {
                self.more.d.next = self.more.q.val() - self.one_beat.val();
                self.shift.d.next = self.shift.q.val() >> 1;
                if self.two_wide.val() {
                    self.shift.d.next = self.shift.q.val() >> 2;
                }
                if self.four_wide.val() {
                    self.shift.d.next = self.shift.q.val() >> 4;
                }
            } else if self.message.q.val() & self.ends.q.val() {
                self.message.d.next = false;
                self.stop.d.next = true;
            } else if self.ready.val() & self.manchester.val() & !self.message.q.val() {
                // the start bit looks like a bit of 1
                self.shift.d.next = self.one_bit.val();
                self.ends.d.next = false;
                self.sending.d.next = true;
                self.message.d.next = true;
            } else if self.ready.val() {
                self.loads.next = true;
                self.shift.d.next = bit_cast::<16, 8>(self.low.q.val()) | (bit_cast::<16, 8>(self.pair.val()) << 8);
                if self.uart.val() {
                    self.shift.d.next = self.stop_bit.val() | (bit_cast::<16, 8>(self.low.q.val()) << 1);
                }
                self.more.d.next = self.beats.val();
                self.ends.d.next = self.low_last.q.val();
                self.sending.d.next = true;
            } else {
                self.sending.d.next = false;
                // idle bytes are whole, too
                if self.parallel.val() {
                    self.more.d.next = self.beats.val();
                }
            }
        }
        if self.restart.val() {
            self.count.d.next = 0.into();
            self.second.d.next = true;
            self.level.d.next = false;
            self.more.d.next = 0.into();
        }

        // the pattern for calibration
        self.pattern.next = self.calibrate.val() | self.position.q.val().any();
        self.step.next = self.position.q.val().get_bits::<2>(0);
        if self.wide.val() {
            self.step.next = self.position.q.val().get_bits::<2>(1);
        }
        self.next_position.next = self.position.q.val() + self.one_position.val();
        if !self.wide.val() & (self.position.q.val() == self.last_position.val()) {
            self.next_position.next = 0.into();
        }
        self.pattern_byte.next = self.p_ff.val();
        if self.two_wide.val() {
            self.pattern_byte.next = self.p_33.val();
        }
        if self.four_wide.val() {
            self.pattern_byte.next = self.p_0f.val();
        }
        if self.step.val() == self.step_two.val() {
            self.pattern_byte.next = 0.into();
            if self.two_wide.val() {
                self.pattern_byte.next = self.p_cc.val();
            }
            if self.four_wide.val() {
                self.pattern_byte.next = self.p_f0.val();
            }
        }
        if !self.step.val().get_bit(1) {
            self.pattern_byte.next = self.p_aa.val();
            if self.step.val() == self.step_one.val() {
                self.pattern_byte.next = self.p_55.val();
            }
            if self.two_wide.val() {
                self.pattern_byte.next = self.p_66.val();
            }
            if self.four_wide.val() {
                self.pattern_byte.next = self.p_5a.val();
            }
        }

        // fetch a byte
        self.free.next = !self.has_low.q.val() | self.loads.val();
        self.second_byte.next = self.wide.val() & !self.free.val();
        self.space.next = self.free.val() | (self.second_byte.val() & !self.has_high.q.val());
        self.due.next = self.aligns.val()
            & self.since.q.val().get_bit(7)
            & !self.partial.q.val()
            & (self.one_wide.val() | self.two_wide.val() | self.four_wide.val());
        self.fetched.next = self.head.val();
        self.fetched_last.next = self.last.val();
        self.fetches.next = self.space.val() & (self.valid.val() | self.pattern.val());
        self.take.next = false;
        if self.loads.val() {
            self.has_low.d.next = false;
            self.has_high.d.next = false;
        }
        if self.pattern.val() {
            self.fetched.next = self.pattern_byte.val();
            self.fetched_last.next = !self.next_position.val().any();
            if self.fetches.val() {
                self.position.d.next = self.next_position.val();
            }
        } else if self.due.val() {
            self.fetched.next = self.idle.val();
            self.fetched_last.next = true;
            if self.fetches.val() {
                self.since.d.next = 0.into();
                if !self.since.q.val().get_bit(0) {
                    self.since.d.next = self.since.q.val() + self.one_byte.val();
                }
            }
        } else if self.fetches.val() {
            self.take.next = true;
            self.partial.d.next = !self.last.val();
            if !self.since.q.val().get_bit(7) {
                self.since.d.next = self.since.q.val() + self.one_byte.val();
            }
        }
        if self.fetches.val() {
            if self.second_byte.val() {
                self.high.d.next = self.fetched.val();
                self.has_high.d.next = true;
            } else {
                self.low.d.next = self.fetched.val();
                self.low_last.d.next = self.fetched_last.val();
                self.has_low.d.next = true;
            }
        }
        self.busy.next = self.sending.q.val() | self.has_low.q.val() | self.position.q.val().any();

        if self.off.val() {
            self.take.next = false;
            self.clk_pin.d.next = false;
            self.data_pins.d.next = 0.into();
            self.count.d.next = 0.into();
            self.second.d.next = false;
            self.level.d.next = false;
            self.more.d.next = 0.into();
            self.ends.d.next = false;
            self.sending.d.next = false;
            self.stop.d.next = false;
            self.message.d.next = false;
            self.has_low.d.next = false;
            self.has_high.d.next = false;
            self.partial.d.next = false;
            self.since.d.next = self.align.val();
            self.position.d.next = 0.into();
        }
    }
}
