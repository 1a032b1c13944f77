//! Boot sequence: starts tracing, then the cores; stops the cores when the program has ended, then tracing
//!
//! In between, it ends the current trace and begins another when the trace buffer requests it. So every instruction
//! that retires is traced, and a SoC with tracing behaves in each cycle after `run` rises as one without. If `trace_delay` is
//! not 0, tracing starts when the cores have run for that many cycles. If `trace_delay` and `has_buffer` are tied to 0, synthesis
//! removes their logic.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `clock`, `reset` | in | 1 | synchronous |
//! | `traced` | in | 1 | there is a trace system; tied |
//! | `go` | in | 1 | the cores may start |
//! | `trace_delay` | in | 32 | cycles that the cores run before tracing is enabled; tied |
//! | `stop` | in | 1 | the program has ended, or the host stops it |
//! | `has_buffer` | in | 1 | there is a trace buffer; tied |
//! | `end_trace` | in | 1 | the trace buffer requests another trace |
//! | `trace_ended` | out | 1 | for one cycle: the last word of the previous trace has left |
//! | `run` | out | 1 | cores and devices are out of reset |
//! | `done` | out | 1 | the last trace word has left the trace system |
//! | `bus_*` | | | registers of the trace system ([`sim::regs`]); `bus_mine`: the sequence uses them in this cycle |
//!
//! # Timing
//! The cores start some 35 cycles after `go`. `done` rises some 70 cycles after `stop`, plus the time for the rest of
//! the trace.

use hdl::LogicBlock;
use rust_hdl::prelude::*;

/// State of the sequence.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum BootStep {
    Start,
    Late,
    LateOn,
    Active,
    Run,
    Drain,
    Off,
    Empty,
    Done,
    TurnOff,
    TurnEmpty,
    TurnOn,
}

/// The boot sequence.
#[allow(missing_docs)] // the ports are in the table above
#[derive(LogicBlock, Default)]
pub struct Boot {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub traced: Signal<In, Bit>,
    pub go: Signal<In, Bit>,
    pub trace_delay: Signal<In, Bits<32>>,
    pub stop: Signal<In, Bit>,
    pub has_buffer: Signal<In, Bit>,
    pub end_trace: Signal<In, Bit>,
    pub trace_ended: Signal<Out, Bit>,
    pub run: Signal<Out, Bit>,
    pub done: Signal<Out, Bit>,
    pub bus_addr: Signal<Out, Bits<3>>,
    pub bus_write: Signal<Out, Bit>,
    pub bus_wdata: Signal<Out, Bits<32>>,
    pub bus_rdata: Signal<In, Bits<32>>,
    pub bus_mine: Signal<In, Bit>,
    step: DFF<BootStep>,
    count: DFF<Bits<6>>,
    clocks: DFF<Bits<32>>,
    /// The status can be read from `bus_rdata`.
    status_valid: DFF<Bit>,
    writing: DFF<Bit>,
    enable: DFF<Bit>,
    running: DFF<Bit>,
    ended: DFF<Bit>,
    just_ended: DFF<Bit>,
    has_delay: Signal<Local, Bit>,
    waited: Signal<Local, Bit>,
    written: Signal<Local, Bit>,
    active: Signal<Local, Bit>,
    empty: Signal<Local, Bit>,
    addr: Signal<Local, Bits<3>>,
}

impl Logic for Boot {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, count, clocks, status_valid, writing, enable, running, ended, just_ended);
        // register 2 is control, whose bit 0 enables tracing; 3 is the status: bit 1 active, bit 2 idle
        self.addr.next = 3.into();
        if self.writing.q.val() {
            self.addr.next = 2.into();
        }
        self.bus_addr.next = self.addr.val();
        self.bus_write.next = self.writing.q.val();
        self.bus_wdata.next = bit_cast::<32, 1>(self.enable.q.val().into());
        self.status_valid.d.next = self.bus_mine.val() & !self.writing.q.val();
        self.written.next = !self.traced.val() | (self.writing.q.val() & self.bus_mine.val());
        self.active.next = !self.traced.val() | (self.status_valid.q.val() & self.bus_rdata.val().get_bit(1));
        self.empty.next = !self.traced.val() | (self.status_valid.q.val() & self.bus_rdata.val().get_bit(2));

        // the status is not valid in the first cycles
        self.waited.next = self.count.q.val().get_bit(5);
        if !self.waited.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        self.writing.d.next = false;
        self.just_ended.d.next = false;
        self.has_delay.next = self.trace_delay.val().any();
        match self.step.q.val() {
            BootStep::Start => {
                if self.go.val() & self.has_delay.val() {
                    self.running.d.next = true;
                    self.step.d.next = BootStep::Late;
                } else if self.go.val() {
                    self.enable.d.next = true;
                    self.writing.d.next = self.traced.val() & !self.written.val();
                    if self.written.val() {
                        self.count.d.next = 0.into();
                        self.step.d.next = BootStep::Active;
                    }
                }
            }
            BootStep::Late => {
                if self.has_delay.val() {
                    self.clocks.d.next = self.clocks.q.val() + 1;
                    self.count.d.next = 0.into();
                    if self.stop.val() {
                        self.running.d.next = false;
                        self.step.d.next = BootStep::Drain;
                    } else if self.clocks.q.val() == self.trace_delay.val() {
                        self.step.d.next = BootStep::LateOn;
                    }
                }
            }
            BootStep::LateOn => {
                if self.has_delay.val() {
                    self.enable.d.next = true;
                    self.writing.d.next = self.traced.val() & !self.written.val();
                    if self.written.val() {
                        self.step.d.next = BootStep::Run;
                    }
                }
            }
            BootStep::Active => {
                if self.waited.val() & self.active.val() {
                    self.running.d.next = true;
                    self.step.d.next = BootStep::Run;
                }
            }
            BootStep::Run => {
                self.count.d.next = 0.into();
                if self.stop.val() {
                    self.running.d.next = false;
                    self.step.d.next = BootStep::Drain;
                } else if self.has_buffer.val() & self.end_trace.val() {
                    self.step.d.next = BootStep::TurnOff;
                }
            }
            // adapters and front ends have a few pipeline stages
            BootStep::Drain => {
                if self.waited.val() {
                    self.step.d.next = BootStep::Off;
                }
            }
            BootStep::Off => {
                self.enable.d.next = false;
                self.writing.d.next = self.traced.val() & !self.written.val();
                if self.written.val() {
                    self.count.d.next = 0.into();
                    self.step.d.next = BootStep::Empty;
                }
            }
            BootStep::Empty => {
                if self.waited.val() & self.empty.val() {
                    self.ended.d.next = true;
                    self.step.d.next = BootStep::Done;
                }
            }
            BootStep::TurnOff => {
                if self.has_buffer.val() {
                    self.enable.d.next = false;
                    self.writing.d.next = self.traced.val() & !self.written.val();
                    if self.written.val() {
                        self.count.d.next = 0.into();
                        self.step.d.next = BootStep::TurnEmpty;
                    }
                }
            }
            BootStep::TurnEmpty => {
                if self.has_buffer.val() & self.waited.val() & self.empty.val() {
                    self.just_ended.d.next = true;
                    self.step.d.next = BootStep::TurnOn;
                }
            }
            BootStep::TurnOn => {
                if self.has_buffer.val() {
                    self.enable.d.next = true;
                    self.writing.d.next = self.traced.val() & !self.written.val();
                    if self.written.val() {
                        self.count.d.next = 0.into();
                        self.step.d.next = BootStep::Run;
                    }
                }
            }
            BootStep::Done => {
                self.step.d.next = BootStep::Done;
            }
            _ => {
                self.step.d.next = BootStep::Done;
            }
        }
        self.run.next = self.running.q.val();
        self.done.next = self.ended.q.val();
        self.trace_ended.next = self.just_ended.q.val();
        if self.reset.val() {
            self.step.d.next = BootStep::Start;
            self.count.d.next = 0.into();
            self.clocks.d.next = 0.into();
            self.status_valid.d.next = false;
            self.writing.d.next = false;
            self.running.d.next = false;
            self.ended.d.next = false;
            self.just_ended.d.next = false;
        }
    }
}
