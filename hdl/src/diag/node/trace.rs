//! Trace node: a trace system on the ring; its registers are accessed from there, and its words are sent to the host
//!
//! Contains its network interface: incoming packets are reads, writes and flushes, outgoing packets are responses and
//! trace words.
//!
//! # Source
//! Original to this project; packets, registers and the effect of a flush: `sim::diag::node::trace`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: discards all words and packets |
//! | `got` | in | | packets that arrived, from a router |
//! | `put` | out | | packets to send, to a router, which fills in the source |
//! | `bus_addr`, `bus_write`, `bus_wdata` | out | 3, 1, 32 | access to the registers of the trace system |
//! | `bus_rdata` | in | 32 | the register that `bus_addr` selected in the previous cycle |
//! | `valid`, `data`, `ready` | in, in, out | 1, 32, 1 | words of the trace system, taken at an edge where `valid` and `ready` are 1 |
//!
//! # Timing
//! One packet word per cycle in and out, and one cycle more for each register that is read. Responses go before trace
//! words. A flush sends the words that were queued when its last word arrived. `valid` and `ready` come from registers.
//!
//! Golden model: [`sim::diag::node::trace`].

use crate::noc::ports::{PacketIn, PacketOut};
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::diag::node::trace::{DEPTH, KIND, PACKET_WORDS, REGISTERS};
use sim::diag::packet::{Op, HOST};

/// State of the receiver: what it does with the incoming packet.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum TraceRxState {
    Head,
    Second,
    Body,
    Drain,
    Answer,
}

/// The part of a packet that is sent next.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum TraceTxState {
    Idle,
    First,
    Second,
    Fetch,
    Hold,
    Body,
    Done,
}

/// A trace node.
#[derive(LogicBlock, Default)]
pub struct TraceNode {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub got: PacketIn,
    pub put: PacketOut,
    pub bus_addr: Signal<Out, Bits<3>>,
    pub bus_write: Signal<Out, Bit>,
    pub bus_wdata: Signal<Out, Bits<32>>,
    pub bus_rdata: Signal<In, Bits<32>>,
    pub valid: Signal<In, Bit>,
    pub data: Signal<In, Bits<32>>,
    pub ready: Signal<Out, Bit>,

    // queued trace words
    words: Mem<6, 32>,
    words_written: DFF<Bits<7>>,
    words_read: DFF<Bits<7>>,
    next_words_read: Signal<Local, Bits<7>>,
    waiting: Signal<Local, Bits<7>>,
    has_space: Signal<Local, Bit>,

    // the incoming packet
    state: DFF<TraceRxState>,
    open: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    src: DFF<Bits<6>>,
    left: DFF<Bits<4>>,
    some: DFF<Bit>,
    second: DFF<Bits<15>>,
    control: DFF<Bit>,
    // half register that the next data word is for; the first word after the second header word
    at: DFF<Bits<4>>,
    datum: DFF<Bits<16>>,
    fresh: DFF<Bit>,
    legal: DFF<Bit>,
    low: DFF<Bits<16>>,
    op: Signal<Local, Bits<3>>,
    of_trace: Signal<Local, Bit>,
    upper: Signal<Local, Bit>,
    past: Signal<Local, Bits<5>>,
    writes: Signal<Local, Bit>,
    // flush: words still to be sent
    due: DFF<Bits<7>>,
    due_1: Signal<Local, Bits<7>>,

    // the outgoing packet
    sends: DFF<TraceTxState>,
    of_words: DFF<Bit>,
    number: DFF<Bits<12>>,
    words_left: DFF<Bits<4>>,
    half: DFF<Bit>,
    from: DFF<Bits<4>>,
    held: DFF<Bits<32>>,
    count: DFF<Bits<4>>,
    most: Signal<Local, Bits<7>>,
    least: Signal<Local, Bit>,
    read_past: Signal<Local, Bits<5>>,
    count_ok: Signal<Local, Bit>,
    readable: Signal<Local, Bit>,
    first_two: Signal<Local, Bit>,
    other: Signal<Local, Bit>,
    response_op: Signal<Local, Bits<3>>,
    response_words: Signal<Local, Bits<4>>,
    response_dest: Signal<Local, Bits<6>>,
    leads: Signal<Local, Bits<16>>,
    chosen: Signal<Local, Bits<32>>,

    kind: Fixed<Bits<16>>,
    depth: Fixed<Bits<16>>,
    capacity: Fixed<Bits<7>>,
    whole: Fixed<Bits<7>>,
    block: Fixed<Bits<8>>,
    halves: Fixed<Bits<5>>,
    host: Fixed<Bits<6>>,
    control_bit: Fixed<Bits<16>>,
    trace_op: Fixed<Bits<16>>,
    one: Fixed<Bits<4>>,
    one_7: Fixed<Bits<7>>,
    one_12: Fixed<Bits<12>>,
}

impl TraceNode {
    /// A node that is idle.
    pub fn new() -> Self {
        Self {
            words: Mem::new(6, 32),
            kind: Fixed::of(KIND),
            depth: Fixed::of(DEPTH),
            capacity: Fixed::of(DEPTH),
            whole: Fixed::of(PACKET_WORDS as u64),
            block: Fixed::of(REGISTERS >> 4),
            halves: Fixed::of(16u64),
            host: Fixed::of(HOST),
            control_bit: Fixed::of(0x8000u64),
            trace_op: Fixed::of(0x8000u64 | (Op::Trace as u64) << 12),
            one: Fixed::of(1u64),
            one_7: Fixed::of(1u64),
            one_12: Fixed::of(1u64),
            ..Default::default()
        }
    }
}

impl Logic for TraceNode {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            words_written,
            words_read,
            state,
            src,
            left,
            some,
            second,
            control,
            at,
            datum,
            fresh,
            legal,
            low,
            due
        );
        dff_setup!(self, clock, sends, of_words, number, words_left, half, from, held, count);
        clock!(self, clock, words);

        // queued trace words
        self.waiting.next = self.words_written.q.val() - self.words_read.q.val();
        self.has_space.next = self.waiting.val() != self.capacity.val();
        self.ready.next = self.has_space.val();
        self.words.we.next = self.valid.val() & self.has_space.val();
        self.words.waddr.next = self.words_written.q.val().get_bits::<6>(0);
        self.words.wdata.next = self.data.val();
        if self.valid.val() & self.has_space.val() {
            self.words_written.d.next = self.words_written.q.val() + self.one_7.val();
        }

        // the incoming packet
        self.open.next = (self.state.q.val() == TraceRxState::Head)
            | (self.state.q.val() == TraceRxState::Second)
            | (self.state.q.val() == TraceRxState::Body);
        self.got.ready.next = self.open.val();
        self.take.next = self.got.valid.val() & self.open.val();
        self.op.next = self.second.q.val().get_bits::<3>(12);
        // where a write ends, if it is within the registers of the trace system
        self.of_trace.next = self.got.word.val().get_bits::<8>(4) == self.block.val();
        self.past.next = bit_cast::<5, 4>(self.got.word.val().get_bits::<4>(0)) + bit_cast::<5, 4>(self.left.q.val());
        self.upper.next = self.at.q.val().get_bit(0);
        self.writes.next = (self.state.q.val() == TraceRxState::Body) & self.take.val() & self.legal.q.val();
        self.last.next = false;
        if self.take.val() {
            if self.state.q.val() == TraceRxState::Head {
                self.src.d.next = self.got.word.val().get_bits::<6>(0);
                self.left.d.next = self.got.word.val().get_bits::<4>(12);
                self.some.d.next = self.got.word.val().get_bits::<4>(12).any();
                self.state.d.next = TraceRxState::Second;
            }
            if self.state.q.val() == TraceRxState::Second {
                self.second.d.next = self.got.word.val().get_bits::<15>(0);
                self.control.d.next = self.got.word.val().get_bit(15);
                self.at.d.next = self.got.word.val().get_bits::<4>(0);
                self.datum.d.next = 0.into();
                self.fresh.d.next = true;
                self.legal.d.next = (self.got.word.val().get_bits::<4>(12) == 9)
                    & self.of_trace.val()
                    & self.some.q.val()
                    & (self.past.val() <= self.halves.val());
                self.state.d.next = TraceRxState::Body;
                if !self.left.q.val().any() {
                    self.state.d.next = TraceRxState::Head;
                    if self.got.word.val().get_bit(15) {
                        // a read, an empty write, or a flush
                        if self.got.word.val().get_bits::<2>(13) == 0 {
                            self.state.d.next = TraceRxState::Answer;
                        }
                        if self.got.word.val().get_bits::<3>(12) == 6 {
                            self.state.d.next = TraceRxState::Drain;
                            self.last.next = true;
                        }
                    }
                }
            }
            if self.state.q.val() == TraceRxState::Body {
                self.fresh.d.next = false;
                if self.fresh.q.val() {
                    self.datum.d.next = self.got.word.val();
                }
                self.at.d.next = self.at.q.val() + self.one.val();
                if self.writes.val() & !self.upper.val() {
                    self.low.d.next = self.got.word.val();
                }
                self.left.d.next = self.left.q.val() - self.one.val();
                if self.left.q.val() == self.one.val() {
                    self.state.d.next = TraceRxState::Head;
                    if self.control.q.val() {
                        if self.op.val().get_bits::<2>(1) == 0 {
                            self.state.d.next = TraceRxState::Answer;
                        }
                        if self.op.val() == 6 {
                            self.state.d.next = TraceRxState::Drain;
                            self.last.next = true;
                        }
                    }
                }
            }
        }
        self.due_1.next = self.due.q.val();
        if self.last.val() {
            self.due_1.next = self.waiting.val();
        }
        self.due.d.next = self.due_1.val();
        self.bus_write.next = self.writes.val() & self.upper.val();
        self.bus_wdata.next = (bit_cast::<32, 16>(self.got.word.val()) << 16) | bit_cast::<32, 16>(self.low.q.val());
        self.bus_addr.next = self.at.q.val().get_bits::<3>(1);
        if self.sends.q.val() == TraceTxState::Fetch {
            self.bus_addr.next = self.from.q.val().get_bits::<3>(1);
        }

        // responses
        self.count_ok.next = !self.datum.q.val().get_bits::<12>(4).any() & !self.datum.q.val().get_bits::<4>(0).all();
        self.read_past.next = bit_cast::<5, 4>(self.second.q.val().get_bits::<4>(0))
            + bit_cast::<5, 4>(self.datum.q.val().get_bits::<4>(0));
        self.first_two.next = ((self.second.q.val().get_bits::<12>(0) == 0) & (self.datum.q.val() == 1))
            | ((self.second.q.val().get_bits::<12>(0) == 0) & (self.datum.q.val() == 2))
            | ((self.second.q.val().get_bits::<12>(0) == 1) & (self.datum.q.val() == 1));
        self.readable.next = (self.second.q.val().get_bits::<8>(4) == self.block.val())
            & self.count_ok.val()
            & self.datum.q.val().any()
            & (self.read_past.val() <= self.halves.val());
        self.response_op.next = 4.into();
        self.response_words.next = 0.into();
        self.response_dest.next = self.src.q.val();
        if (self.op.val() == 0) & (self.readable.val() | self.first_two.val()) {
            self.response_op.next = 2.into();
            self.response_words.next = self.datum.q.val().get_bits::<4>(0);
        }
        if (self.op.val() == 1) & self.legal.q.val() {
            self.response_op.next = 3.into();
        }
        if self.op.val() == 6 {
            self.response_op.next = 6.into();
            self.response_dest.next = self.host.val();
            if self.some.q.val() {
                self.response_words.next = self.one.val();
            }
        }

        // outgoing packets: responses, then trace words: seven at a time, or what is left of a flush
        self.least.next = self.waiting.val() >= self.whole.val();
        self.most.next = self.whole.val();
        if self.state.q.val() == TraceRxState::Drain {
            self.least.next = self.due.q.val().any();
            if self.due.q.val() < self.whole.val() {
                self.most.next = self.due.q.val();
            }
            if !self.due.q.val().any() {
                self.state.d.next = TraceRxState::Answer;
            }
        }
        self.next_words_read.next = self.words_read.q.val();
        self.put.valid.next = (self.sends.q.val() == TraceTxState::First)
            | (self.sends.q.val() == TraceTxState::Second)
            | (self.sends.q.val() == TraceTxState::Body);
        self.leads.next = self.control_bit.val();
        self.chosen.next = self.held.q.val();
        if self.of_words.q.val() {
            self.chosen.next = self.words.rdata.val();
        }
        self.put.word.next = self.chosen.val().get_bits::<16>(0);
        if self.half.q.val() {
            self.put.word.next = self.chosen.val().get_bits::<16>(16);
        }
        // response data that is not a register of the trace system
        self.other.next = (self.op.val() == 6) | self.first_two.val();
        if self.other.val() & !self.of_words.q.val() {
            self.put.word.next = self.kind.val();
            if self.from.q.val().get_bit(0) {
                self.put.word.next = self.depth.val();
            }
            if self.op.val() == 6 {
                self.put.word.next = self.datum.q.val();
            }
        }
        match self.sends.q.val() {
            TraceTxState::Idle => {
                self.half.d.next = false;
                self.from.d.next = self.second.q.val().get_bits::<4>(0);
                if self.state.q.val() == TraceRxState::Answer {
                    self.sends.d.next = TraceTxState::First;
                    self.of_words.d.next = false;
                    self.count.d.next = self.response_words.val();
                    self.words_left.d.next = self.response_words.val();
                } else if self.least.val() {
                    self.sends.d.next = TraceTxState::First;
                    self.of_words.d.next = true;
                    self.count.d.next = self.most.val().get_bits::<4>(0) << 1;
                    self.words_left.d.next = self.most.val().get_bits::<4>(0) << 1;
                }
            }
            TraceTxState::First => {
                self.put.word.next =
                    (bit_cast::<16, 4>(self.count.q.val()) << 12) | (bit_cast::<16, 6>(self.response_dest.val()) << 6);
                if self.of_words.q.val() {
                    self.put.word.next =
                        (bit_cast::<16, 4>(self.count.q.val()) << 12) | (bit_cast::<16, 6>(self.host.val()) << 6);
                }
                if self.put.ready.val() {
                    self.sends.d.next = TraceTxState::Second;
                }
            }
            TraceTxState::Second => {
                self.leads.next = self.control_bit.val() | (bit_cast::<16, 3>(self.response_op.val()) << 12);
                self.put.word.next = self.leads.val() | bit_cast::<16, 12>(self.second.q.val().get_bits::<12>(0));
                if self.op.val() == 6 {
                    self.put.word.next = self.leads.val();
                }
                if self.of_words.q.val() {
                    self.put.word.next = self.trace_op.val() | bit_cast::<16, 12>(self.number.q.val());
                }
                if self.put.ready.val() {
                    self.sends.d.next = TraceTxState::Done;
                    if self.words_left.q.val().any() {
                        self.sends.d.next = TraceTxState::Fetch;
                        if self.of_words.q.val() {
                            self.sends.d.next = TraceTxState::Body;
                        }
                    }
                }
            }
            TraceTxState::Fetch => {
                self.sends.d.next = TraceTxState::Hold;
            }
            TraceTxState::Hold => {
                self.sends.d.next = TraceTxState::Body;
                self.half.d.next = self.from.q.val().get_bit(0);
                if !self.other.val() & !self.from.q.val().get_bit(0) {
                    self.held.d.next = self.bus_rdata.val();
                }
            }
            TraceTxState::Body => {
                if self.put.ready.val() {
                    self.words_left.d.next = self.words_left.q.val() - self.one.val();
                    self.from.d.next = self.from.q.val() + self.one.val();
                    self.sends.d.next = TraceTxState::Fetch;
                    if self.of_words.q.val() {
                        self.sends.d.next = TraceTxState::Body;
                        self.half.d.next = !self.half.q.val();
                        if self.half.q.val() {
                            self.next_words_read.next = self.words_read.q.val() + self.one_7.val();
                            self.due.d.next = self.due_1.val() - self.one_7.val();
                        }
                    }
                    if self.words_left.q.val() == self.one.val() {
                        self.sends.d.next = TraceTxState::Done;
                    }
                }
            }
            TraceTxState::Done => {
                self.sends.d.next = TraceTxState::Idle;
                if self.of_words.q.val() {
                    self.number.d.next = self.number.q.val() + self.one_12.val();
                } else {
                    self.state.d.next = TraceRxState::Head;
                }
            }
        }
        self.words_read.d.next = self.next_words_read.val();
        self.words.raddr.next = self.next_words_read.val().get_bits::<6>(0);

        if self.reset.val() {
            self.words_written.d.next = 0.into();
            self.words_read.d.next = 0.into();
            self.number.d.next = 0.into();
            self.held.d.next = 0.into();
            self.low.d.next = 0.into();
            self.at.d.next = 0.into();
            self.of_words.d.next = false;
            self.state.d.next = TraceRxState::Head;
            self.sends.d.next = TraceTxState::Idle;
        }
    }
}
