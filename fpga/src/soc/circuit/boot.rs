//! Boot sequence: starts tracing, then the cores; stops the cores when the program has ended, then tracing
//!
//! Between, it ends one trace and begins another where the trace buffer asks for it. So every instruction that retires is
//! traced, and a SoC with tracing does in each clock after `run` rises what one without does. With `late` not 0, tracing
//! starts when the cores have run for so many clocks. What a SoC has no use for (`late` is 0, `turns` too) synthesis takes out.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `clock`, `reset` | in | 1 | synchronous |
//! | `traced` | in | 1 | there is a trace system; tied |
//! | `go` | in | 1 | the cores may start |
//! | `late` | in | 32 | clocks that the cores run before tracing is enabled; tied |
//! | `stop` | in | 1 | the program has ended, or the host wants it to |
//! | `turns` | in | 1 | there is a trace buffer; tied |
//! | `turn` | in | 1 | it wants another trace |
//! | `turned` | out | 1 | for a clock: the last word of the one before is there |
//! | `run` | out | 1 | cores and devices are out of reset |
//! | `done` | out | 1 | the last trace word has left the trace system |
//! | `bus_*` | | | registers of the trace system ([`sim::regs`]); `bus_mine`: no one else uses them in this clock |
//!
//! # Timing
//! The cores start some 35 clocks after `go`, and `done` comes some 70 clocks and the trace's rest after `stop`.

use rust_hdl::prelude::*;

/// What the sequence waits for.
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

/// The sequence.
#[allow(missing_docs)] // the ports are in the table above
#[derive(LogicBlock, Default)]
pub struct Boot {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub traced: Signal<In, Bit>,
    pub go: Signal<In, Bit>,
    pub late: Signal<In, Bits<32>>,
    pub stop: Signal<In, Bit>,
    pub turns: Signal<In, Bit>,
    pub turn: Signal<In, Bit>,
    pub turned: Signal<Out, Bit>,
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
    /// `bus_rdata` is the status.
    fresh: DFF<Bit>,
    writing: DFF<Bit>,
    enable: DFF<Bit>,
    running: DFF<Bit>,
    ended: DFF<Bit>,
    just_turned: DFF<Bit>,
    lates: Signal<Local, Bit>,
    waited: Signal<Local, Bit>,
    written: Signal<Local, Bit>,
    active: Signal<Local, Bit>,
    empty: Signal<Local, Bit>,
    addr: Signal<Local, Bits<3>>,
}

impl Logic for Boot {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, count, clocks, fresh, writing, enable, running, ended, just_turned);
        // register 2 is control, whose bit 0 enables tracing; 3 is the status: bit 1 active, bit 2 idle
        self.addr.next = 3.into();
        if self.writing.q.val() {
            self.addr.next = 2.into();
        }
        self.bus_addr.next = self.addr.val();
        self.bus_write.next = self.writing.q.val();
        self.bus_wdata.next = bit_cast::<32, 1>(self.enable.q.val().into());
        self.fresh.d.next = self.bus_mine.val() & !self.writing.q.val();
        self.written.next = !self.traced.val() | (self.writing.q.val() & self.bus_mine.val());
        self.active.next = !self.traced.val() | (self.fresh.q.val() & self.bus_rdata.val().get_bit(1));
        self.empty.next = !self.traced.val() | (self.fresh.q.val() & self.bus_rdata.val().get_bit(2));

        // what is read in the first clocks is not yet the status
        self.waited.next = self.count.q.val().get_bit(5);
        if !self.waited.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        self.writing.d.next = false;
        self.just_turned.d.next = false;
        self.lates.next = self.late.val().any();
        match self.step.q.val() {
            BootStep::Start => {
                if self.go.val() & self.lates.val() {
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
                if self.lates.val() {
                    self.clocks.d.next = self.clocks.q.val() + 1;
                    self.count.d.next = 0.into();
                    if self.stop.val() {
                        self.running.d.next = false;
                        self.step.d.next = BootStep::Drain;
                    } else if self.clocks.q.val() == self.late.val() {
                        self.step.d.next = BootStep::LateOn;
                    }
                }
            }
            BootStep::LateOn => {
                if self.lates.val() {
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
                } else if self.turns.val() & self.turn.val() {
                    self.step.d.next = BootStep::TurnOff;
                }
            }
            // the adapters and front ends are a few clocks deep
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
                if self.turns.val() {
                    self.enable.d.next = false;
                    self.writing.d.next = self.traced.val() & !self.written.val();
                    if self.written.val() {
                        self.count.d.next = 0.into();
                        self.step.d.next = BootStep::TurnEmpty;
                    }
                }
            }
            BootStep::TurnEmpty => {
                if self.turns.val() & self.waited.val() & self.empty.val() {
                    self.just_turned.d.next = true;
                    self.step.d.next = BootStep::TurnOn;
                }
            }
            BootStep::TurnOn => {
                if self.turns.val() {
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
        self.turned.next = self.just_turned.q.val();
        if self.reset.val() {
            self.step.d.next = BootStep::Start;
            self.count.d.next = 0.into();
            self.clocks.d.next = 0.into();
            self.fresh.d.next = false;
            self.writing.d.next = false;
            self.running.d.next = false;
            self.ended.d.next = false;
            self.just_turned.d.next = false;
        }
    }
}
