//! Serial line out: trace, console, exit code and responses to the host, in frames, 8N1
//!
//! A buffer of 256 words collects trace words until a frame of 16 is full, or no word has come for 2^12 cycles. If the
//! buffer is full, the trace system waits; its own FIFOs may then overflow, which the trace stream reports. Console
//! output has a buffer of 64 bytes. If that is full, bytes are dropped, so that printing never stalls a core.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `clock`, `reset` | in | 1 | synchronous |
//! | `divisor` | in | 16 | cycles per bit, at least 4; tied |
//! | `valid`, `ready`, `data` | in, out, in | 1, 1, 32 | trace words |
//! | `console_valid`, `console_data` | in | 1, 8 | bytes that the program prints |
//! | `finished` | in | 1 | the last trace word has arrived |
//! | `exited`, `exit_code` | in | 1, 32 | the program has ended with this code |
//! | `response_valid`, `response_low`, `response_high`, `response_taken` | in, in, in, out | 1, 32, 32, 1 | a response, held until it is taken |
//! | `tx` | out | 1 | the line |
//! | `idle` | out | 1 | the exit code has been sent |
//!
//! # Timing
//! Ten bits per byte and three cycles between bytes.
//!
//! Golden model: [`crate::soc::frame`].

use super::crc::Crc16;
use hdl::widget::mem::Mem;
use hdl::LogicBlock;
use rust_hdl::prelude::*;

/// The part of a frame that is being sent.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum UartStep {
    Idle,
    Sync,
    Head,
    Length,
    Payload,
    Check,
}

/// The transmitter.
#[allow(missing_docs)] // the ports are in the table above
#[derive(LogicBlock, Default)]
pub struct Uart {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub divisor: Signal<In, Bits<16>>,
    pub valid: Signal<In, Bit>,
    pub ready: Signal<Out, Bit>,
    pub data: Signal<In, Bits<32>>,
    pub console_valid: Signal<In, Bit>,
    pub console_data: Signal<In, Bits<8>>,
    pub finished: Signal<In, Bit>,
    pub exited: Signal<In, Bit>,
    pub exit_code: Signal<In, Bits<32>>,
    pub response_valid: Signal<In, Bit>,
    pub response_low: Signal<In, Bits<32>>,
    pub response_high: Signal<In, Bits<32>>,
    pub response_taken: Signal<Out, Bit>,
    pub tx: Signal<Out, Bit>,
    pub idle: Signal<Out, Bit>,
    // transmitter; the shift register is inverted, so that the line is idle at power-up
    baud: DFF<Bits<16>>,
    shift: DFF<Bits<10>>,
    bits_left: DFF<Bits<4>>,
    put: DFF<Bit>,
    put_byte: DFF<Bits<8>>,
    inverted: Signal<Local, Bits<8>>,
    period: Signal<Local, Bits<16>>,
    sending: Signal<Local, Bit>,
    // buffers
    words: Mem<8, 32>,
    chars: Mem<6, 8>,
    word_in: DFF<Bits<8>>,
    word_out: DFF<Bits<8>>,
    char_in: DFF<Bits<6>>,
    char_out: DFF<Bits<6>>,
    quiet: DFF<Bits<13>>,
    word_count: Signal<Local, Bits<8>>,
    char_count: Signal<Local, Bits<6>>,
    accepted: Signal<Local, Bit>,
    // frames: kind 0 trace, 1 console, 2 end, 3 answer
    step: DFF<UartStep>,
    kind: DFF<Bits<2>>,
    second: DFF<Bit>,
    frames: DFF<Bits<6>>,
    left: DFF<Bits<7>>,
    lane: DFF<Bits<2>>,
    remainder: DFF<Bits<16>>,
    /// The byte that was put is covered by the checksum.
    counted: DFF<Bit>,
    ended: DFF<Bit>,
    /// The console has priority when trace and console both wait.
    console_next: DFF<Bit>,
    /// The waiting response is being sent.
    response_started: DFF<Bit>,
    pause: DFF<Bits<2>>,
    crc: Crc16,
    full_frame: Signal<Local, Bit>,
    want_trace: Signal<Local, Bit>,
    want_console: Signal<Local, Bit>,
    want_end: Signal<Local, Bit>,
    word_bytes: Signal<Local, Bits<7>>,
    char_bytes: Signal<Local, Bits<7>>,
    source: Signal<Local, Bits<32>>,
    payload: Signal<Local, Bits<8>>,
    next_byte: Signal<Local, Bits<8>>,
    on: Signal<Local, Bit>,
}

impl Logic for Uart {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, baud, shift, bits_left, put, put_byte, word_in, word_out, char_in, char_out, quiet);
        dff_setup!(
            self,
            clock,
            step,
            kind,
            second,
            frames,
            left,
            lane,
            remainder,
            counted,
            ended,
            console_next,
            response_started,
            pause
        );
        clock!(self, clock, words, chars);

        // transmitter
        self.sending.next = self.bits_left.q.val().any();
        self.period.next = self.divisor.val() - 1;
        self.inverted.next = !self.put_byte.q.val();
        if self.baud.q.val().any() {
            self.baud.d.next = self.baud.q.val() - 1;
        } else if self.sending.val() {
            self.shift.d.next = self.shift.q.val() >> 1;
            self.bits_left.d.next = self.bits_left.q.val() - 1;
            self.baud.d.next = self.period.val();
        }
        if self.put.q.val() {
            self.shift.d.next = (bit_cast::<10, 8>(self.inverted.val()) << 1) | 1;
            self.bits_left.d.next = 10.into();
            self.baud.d.next = self.period.val();
        }
        self.tx.next = !self.shift.q.val().get_bit(0);

        // buffers
        self.word_count.next = self.word_in.q.val() - self.word_out.q.val();
        self.char_count.next = self.char_in.q.val() - self.char_out.q.val();
        self.ready.next = !self.word_count.val().all();
        self.accepted.next = self.valid.val() & !self.word_count.val().all();
        self.words.we.next = self.accepted.val();
        self.words.waddr.next = self.word_in.q.val();
        self.words.wdata.next = self.data.val();
        self.words.raddr.next = self.word_out.q.val();
        self.chars.we.next = self.console_valid.val();
        self.chars.waddr.next = self.char_in.q.val();
        self.chars.wdata.next = self.console_data.val();
        self.chars.raddr.next = self.char_out.q.val();
        if self.accepted.val() {
            self.word_in.d.next = self.word_in.q.val() + 1;
        }
        if self.console_valid.val() & !self.char_count.val().all() {
            self.char_in.d.next = self.char_in.q.val() + 1;
        }
        if self.accepted.val() {
            self.quiet.d.next = 0.into();
        } else if !self.quiet.q.val().get_bit(12) {
            self.quiet.d.next = self.quiet.q.val() + 1;
        }

        // requests for a frame
        self.full_frame.next = self.word_count.val() >= 16;
        self.want_trace.next = self.full_frame.val()
            | (self.word_count.val().any() & (self.quiet.q.val().get_bit(12) | self.finished.val()));
        self.want_console.next = self.char_count.val().any();
        self.want_end.next =
            self.finished.val() & !self.ended.q.val() & !self.word_count.val().any() & !self.char_count.val().any();
        self.word_bytes.next = bit_cast::<7, 4>(self.word_count.val().get_bits::<4>(0)) << 2;
        if self.full_frame.val() {
            self.word_bytes.next = 64.into();
        }
        self.char_bytes.next = bit_cast::<7, 6>(self.char_count.val());
        if self.char_count.val() > 32 {
            self.char_bytes.next = 32.into();
        }

        // the next byte
        self.source.next = self.words.rdata.val();
        if self.kind.q.val() == 2 {
            self.source.next = self.exit_code.val();
        }
        if self.kind.q.val() == 3 {
            self.source.next = self.response_high.val();
            if self.left.q.val() > 4 {
                self.source.next = self.response_low.val();
            }
        }
        self.payload.next = self.source.val().get_bits::<8>(0);
        if self.lane.q.val() == 1 {
            self.payload.next = self.source.val().get_bits::<8>(8);
        }
        if self.lane.q.val() == 2 {
            self.payload.next = self.source.val().get_bits::<8>(16);
        }
        if self.lane.q.val() == 3 {
            self.payload.next = self.source.val().get_bits::<8>(24);
        }
        if self.kind.q.val() == 1 {
            self.payload.next = self.chars.rdata.val();
        }
        match self.step.q.val() {
            UartStep::Sync => {
                self.next_byte.next = 0x47.into();
                if self.second.q.val() {
                    self.next_byte.next = 0x53.into();
                }
            }
            UartStep::Head => {
                self.next_byte.next =
                    (bit_cast::<8, 2>(self.kind.q.val()) << 6) | bit_cast::<8, 6>(self.frames.q.val());
            }
            UartStep::Length => {
                self.next_byte.next = bit_cast::<8, 7>(self.left.q.val());
            }
            UartStep::Payload => {
                self.next_byte.next = self.payload.val();
            }
            _ => {
                self.next_byte.next = self.remainder.q.val().get_bits::<8>(0);
                if self.second.q.val() {
                    self.next_byte.next = self.remainder.q.val().get_bits::<8>(8);
                }
            }
        }
        self.crc.old.next = self.remainder.q.val();
        self.crc.octet.next = self.put_byte.q.val();
        // one cycle after the byte; the next byte comes later than that
        self.counted.d.next = false;
        if self.put.q.val() & self.counted.q.val() {
            self.remainder.d.next = self.crc.after.val();
        }
        // the memories take a cycle to respond, and the transmitter one to become busy
        self.on.next =
            (self.step.q.val() != UartStep::Idle) & !self.sending.val() & !self.put.q.val() & !self.pause.q.val().any();
        self.put.d.next = self.on.val();
        if self.pause.q.val().any() {
            self.pause.d.next = self.pause.q.val() - 1;
        }
        if self.on.val() {
            self.put_byte.d.next = self.next_byte.val();
            self.pause.d.next = 3.into();
        }
        self.response_taken.next = false;
        match self.step.q.val() {
            UartStep::Idle => {
                self.second.d.next = false;
                self.lane.d.next = 0.into();
                self.remainder.d.next = 0xffff.into();
                if self.response_valid.val() & !self.response_started.q.val() {
                    self.kind.d.next = 3.into();
                    self.left.d.next = 8.into();
                    self.response_started.d.next = true;
                    self.step.d.next = UartStep::Sync;
                } else if self.want_console.val() & (self.console_next.q.val() | !self.want_trace.val()) {
                    self.kind.d.next = 1.into();
                    self.left.d.next = self.char_bytes.val();
                    self.console_next.d.next = false;
                    self.step.d.next = UartStep::Sync;
                } else if self.want_trace.val() {
                    self.kind.d.next = 0.into();
                    self.left.d.next = self.word_bytes.val();
                    self.console_next.d.next = true;
                    self.step.d.next = UartStep::Sync;
                } else if self.want_end.val() {
                    self.kind.d.next = 2.into();
                    self.left.d.next = 0.into();
                    if self.exited.val() {
                        self.left.d.next = 4.into();
                    }
                    self.step.d.next = UartStep::Sync;
                }
            }
            UartStep::Sync => {
                if self.on.val() {
                    self.second.d.next = !self.second.q.val();
                    if self.second.q.val() {
                        self.step.d.next = UartStep::Head;
                    }
                }
            }
            UartStep::Head => {
                if self.on.val() {
                    self.counted.d.next = true;
                    self.step.d.next = UartStep::Length;
                }
            }
            UartStep::Length => {
                if self.on.val() {
                    self.counted.d.next = true;
                    self.step.d.next = UartStep::Payload;
                    if !self.left.q.val().any() {
                        self.step.d.next = UartStep::Check;
                    }
                }
            }
            UartStep::Payload => {
                if self.on.val() {
                    self.counted.d.next = true;
                    self.left.d.next = self.left.q.val() - 1;
                    self.lane.d.next = self.lane.q.val() + 1;
                    if self.kind.q.val() == 1 {
                        self.char_out.d.next = self.char_out.q.val() + 1;
                    }
                    if (self.kind.q.val() == 0) & self.lane.q.val().all() {
                        self.word_out.d.next = self.word_out.q.val() + 1;
                    }
                    if self.left.q.val() == 1 {
                        self.step.d.next = UartStep::Check;
                    }
                }
            }
            UartStep::Check => {
                if self.on.val() {
                    self.second.d.next = !self.second.q.val();
                    if self.second.q.val() {
                        self.response_taken.next = self.kind.q.val() == 3;
                        self.frames.d.next = self.frames.q.val() + 1;
                        if self.kind.q.val() == 2 {
                            self.ended.d.next = true;
                        }
                        self.step.d.next = UartStep::Idle;
                    }
                }
            }
            _ => {
                self.step.d.next = UartStep::Idle;
            }
        }
        if !self.response_valid.val() {
            self.response_started.d.next = false;
        }
        self.idle.next =
            self.ended.q.val() & (self.step.q.val() == UartStep::Idle) & !self.put.q.val() & !self.sending.val();

        if self.reset.val() {
            self.shift.d.next = 0.into();
            self.bits_left.d.next = 0.into();
            self.baud.d.next = 0.into();
            self.put.d.next = false;
            self.pause.d.next = 0.into();
            self.step.d.next = UartStep::Idle;
            self.word_in.d.next = 0.into();
            self.word_out.d.next = 0.into();
            self.char_in.d.next = 0.into();
            self.char_out.d.next = 0.into();
            self.quiet.d.next = 0.into();
            self.frames.d.next = 0.into();
            self.ended.d.next = false;
            self.console_next.d.next = false;
            self.response_started.d.next = false;
        }
    }
}
