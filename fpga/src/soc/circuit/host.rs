//! Serial line in: host commands that access registers of the trace system and of the SoC
//!
//! A command has 10 bytes (see [`crate::soc::frame`]). A damaged command is ignored. A command that arrives before the
//! previous response was sent is lost: the host waits for each response.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `clock`, `reset` | in | 1 | synchronous |
//! | `divisor` | in | 16 | cycles per bit, at least 4; tied |
//! | `starts` | in | 1 | the cores wait for the host; tied |
//! | `rx` | in | 1 | the line |
//! | `request`, `bus_write`, `bus_addr`, `bus_wdata` | out | 1, 1, 3, 32 | an access to the trace system's registers, held until `taken` |
//! | `taken`, `bus_rdata` | in | 1, 32 | read data is valid one cycle after `taken` |
//! | `go`, `halt` | out | 1 | the cores may start; they are to stop |
//! | `status` | in | 4 | value of the SoC's status register |
//! | `response_valid`, `response_low`, `response_high`, `response_taken` | out, out, out, in | 1, 32, 32, 1 | operation and address; data |
//!
//! # Timing
//! Bits are sampled in their middle. One command at a time.
//!
//! Golden model: [`crate::soc::frame::command`].

use super::crc::Crc16;
use hdl::LogicBlock;
use rust_hdl::prelude::*;

/// State of a command.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum HostStep {
    Listen,
    Access,
    Read,
    Respond,
}

/// The receiver of host commands.
#[allow(missing_docs)] // the ports are in the table above
#[derive(LogicBlock, Default)]
pub struct HostLink {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub divisor: Signal<In, Bits<16>>,
    pub starts: Signal<In, Bit>,
    pub rx: Signal<In, Bit>,
    pub request: Signal<Out, Bit>,
    pub bus_write: Signal<Out, Bit>,
    pub bus_addr: Signal<Out, Bits<3>>,
    pub bus_wdata: Signal<Out, Bits<32>>,
    pub taken: Signal<In, Bit>,
    pub bus_rdata: Signal<In, Bits<32>>,
    pub go: Signal<Out, Bit>,
    pub halt: Signal<Out, Bit>,
    pub status: Signal<In, Bits<4>>,
    pub response_valid: Signal<Out, Bit>,
    pub response_low: Signal<Out, Bits<32>>,
    pub response_high: Signal<Out, Bits<32>>,
    pub response_taken: Signal<In, Bit>,
    // receiver; the line is stored inverted, so that it is idle at power-up
    line: DFF<Bits<3>>,
    left: DFF<Bits<17>>,
    bits_left: DFF<Bits<4>>,
    shift: DFF<Bits<8>>,
    got: DFF<Bit>,
    low: Signal<Local, Bit>,
    rx_low: Signal<Local, Bit>,
    whole: Signal<Local, Bits<17>>,
    // commands
    step: DFF<HostStep>,
    number: DFF<Bits<4>>,
    remainder: DFF<Bits<16>>,
    write: DFF<Bit>,
    addr: DFF<Bits<8>>,
    data: DFF<Bits<32>>,
    started: DFF<Bit>,
    halted: DFF<Bit>,
    crc: Crc16,
    check: Signal<Local, Bits<8>>,
    low_data: Signal<Local, Bits<24>>,
    of_trace: Signal<Local, Bit>,
}

impl Logic for HostLink {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, line, left, bits_left, shift, got);
        dff_setup!(self, clock, step, number, remainder, write, addr, data, started, halted);

        // receiver
        self.rx_low.next = !self.rx.val();
        self.line.d.next = (self.line.q.val() << 1) | bit_cast::<3, 1>(self.rx_low.val().into());
        self.low.next = self.line.q.val().get_bit(2);
        self.whole.next = bit_cast::<17, 16>(self.divisor.val());
        self.got.d.next = false;
        if !self.bits_left.q.val().any() {
            if self.low.val() {
                self.bits_left.d.next = 9.into();
                self.left.d.next = self.whole.val() + (self.whole.val() >> 1) - 1;
            }
        } else if self.left.q.val().any() {
            self.left.d.next = self.left.q.val() - 1;
        } else {
            self.left.d.next = self.whole.val() - 1;
            self.bits_left.d.next = self.bits_left.q.val() - 1;
            if self.bits_left.q.val() == 1 {
                // a byte with a wrong stop bit is dropped
                self.got.d.next = !self.low.val();
            } else {
                self.shift.d.next = self.shift.q.val() >> 1;
                if !self.low.val() {
                    self.shift.d.next = (self.shift.q.val() >> 1) | 0x80;
                }
            }
        }

        // commands
        self.crc.old.next = self.remainder.q.val();
        self.crc.octet.next = self.shift.q.val();
        self.check.next = self.remainder.q.val().get_bits::<8>(8);
        if self.number.q.val() == 8 {
            self.check.next = self.remainder.q.val().get_bits::<8>(0);
        }
        self.low_data.next = self.data.q.val().get_bits::<24>(8);
        self.of_trace.next = !self.addr.q.val().get_bits::<5>(3).any();
        match self.step.q.val() {
            HostStep::Listen => {
                if self.got.q.val() {
                    self.number.d.next = self.number.q.val() + 1;
                    self.remainder.d.next = self.crc.after.val();
                    if self.number.q.val() < 2 {
                        self.remainder.d.next = 0xffff.into();
                    }
                    if self.number.q.val() == 0 {
                        if self.shift.q.val() != 0x47 {
                            self.number.d.next = 0.into();
                        }
                    } else if self.number.q.val() == 1 {
                        if self.shift.q.val() != 0x53 {
                            self.number.d.next = 0.into();
                            if self.shift.q.val() == 0x47 {
                                self.number.d.next = 1.into();
                            }
                        }
                    } else if self.number.q.val() == 2 {
                        self.write.d.next = self.shift.q.val().get_bit(0);
                        if self.shift.q.val().get_bits::<7>(1).any() {
                            self.number.d.next = 0.into();
                        }
                    } else if self.number.q.val() == 3 {
                        self.addr.d.next = self.shift.q.val();
                    } else if self.number.q.val() < 8 {
                        self.data.d.next =
                            (bit_cast::<32, 8>(self.shift.q.val()) << 24) | bit_cast::<32, 24>(self.low_data.val());
                    } else {
                        self.remainder.d.next = self.remainder.q.val();
                        if self.shift.q.val() != self.check.val() {
                            self.number.d.next = 0.into();
                        } else if self.number.q.val() == 9 {
                            self.number.d.next = 0.into();
                            self.step.d.next = HostStep::Respond;
                            if self.of_trace.val() {
                                self.step.d.next = HostStep::Access;
                            } else if self.addr.q.val() == 0x10 {
                                if self.write.q.val() {
                                    self.started.d.next = self.data.q.val().get_bit(0);
                                    self.halted.d.next = self.data.q.val().get_bit(1);
                                } else {
                                    self.data.d.next = bit_cast::<32, 1>(self.started.q.val().into())
                                        | (bit_cast::<32, 1>(self.halted.q.val().into()) << 1);
                                }
                            } else if self.addr.q.val() == 0x11 {
                                self.data.d.next = bit_cast::<32, 4>(self.status.val());
                            } else {
                                self.data.d.next = 0.into();
                            }
                        }
                    }
                }
            }
            HostStep::Access => {
                if self.taken.val() {
                    self.step.d.next = HostStep::Read;
                }
            }
            HostStep::Read => {
                if !self.write.q.val() {
                    self.data.d.next = self.bus_rdata.val();
                }
                self.step.d.next = HostStep::Respond;
            }
            HostStep::Respond => {
                if self.response_taken.val() {
                    self.step.d.next = HostStep::Listen;
                }
            }
            _ => {
                self.step.d.next = HostStep::Listen;
            }
        }
        self.request.next = self.step.q.val() == HostStep::Access;
        self.bus_write.next = self.write.q.val();
        self.bus_addr.next = self.addr.q.val().get_bits::<3>(0);
        self.bus_wdata.next = self.data.q.val();
        self.go.next = self.started.q.val();
        self.halt.next = self.halted.q.val();
        self.response_valid.next = self.step.q.val() == HostStep::Respond;
        self.response_low.next =
            (bit_cast::<32, 8>(self.addr.q.val()) << 8) | bit_cast::<32, 1>(self.write.q.val().into());
        self.response_high.next = self.data.q.val();

        if self.reset.val() {
            self.line.d.next = 0.into();
            self.bits_left.d.next = 0.into();
            self.got.d.next = false;
            self.step.d.next = HostStep::Listen;
            self.number.d.next = 0.into();
            self.started.d.next = !self.starts.val();
            self.halted.d.next = false;
        }
    }
}
