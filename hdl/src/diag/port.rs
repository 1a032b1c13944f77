//! Network interface: packets of the ring to events and register accesses, and results to packets
//!
//! Receives packets word by word. An event goes to the node with all its arguments at once. A read gets its response here; a
//! write goes to the client's registers and is acknowledged; a flush goes to the node and is acknowledged when
//! complete. Malformed packets are dropped. Losses reported by producers are added up and sent with the next result.
//!
//! A result of a generator that yields to others is lost if the link queue has no room for it. Such losses are reported
//! with results that yield only.
//!
//! # Source
//! Paper 004 section 4.3, network interface; packets: `sim::diag::packet`, registers: `sim::diag::registers`.
//!
//! # Ports
//! | port | dir | meaning |
//! | --- | --- | --- |
//! | `reset` | in | 1: discards all packets |
//! | `got` | in | packets that arrived, from a router |
//! | `put` | out | packets to send, to a router, which fills in the source |
//! | `write` | out | register writes |
//! | `event` | out | incoming events and flushes |
//! | `result` | in | events to send; from a tick, also flushes |
//! | `yields` | in | 1: the result yields, see [`super::link_queue`] |
//! | `room` | in | 1: the link queue accepts a packet |
//! | `waits` | in | 1: a result that yields waits for room instead of being lost |
//! | `overrun` | in | 1: the client has missed something: every result reports 65,535 losses, the number being unknown |
//! | `to_queue` | out | 1: the packet at `put` is for the link queue |
//! | `drops` | out | 1: a result that yields is lost |
//!
//! Bundles: [`super::ports`] and [`crate::noc::ports`].
//!
//! # Timing
//! One word per cycle in and out. One packet is processed at a time: the next is accepted when the node is ready and
//! the response is sent. `valid` and `ready` come from registers.
//!
//! Golden model: `sim::diag::interface`.

use super::ports::{EventOut, ResultIn, WriteOut};
use crate::noc::ports::{PacketIn, PacketOut};
use crate::widget::each::each;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::diag::packet::{HOST, MAX_ARGS};
use sim::diag::registers::CONTROL;

/// State of the receiver: what it does with the incoming packet.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum PortState {
    Head,
    Second,
    Body,
    Event,
    Answer,
}

/// The part of a packet that is sent next.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum SendState {
    Idle,
    First,
    Second,
    Lost,
    Low,
    High,
    Body,
    Done,
}

/// A network interface between a node and the ring.
#[derive(LogicBlock, Default)]
pub struct Port {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub got: PacketIn,
    pub put: PacketOut,
    pub write: WriteOut,
    pub event: EventOut,
    pub result: ResultIn,
    pub yields: Signal<In, Bit>,
    pub room: Signal<In, Bit>,
    pub waits: Signal<In, Bit>,
    pub overrun: Signal<In, Bit>,
    pub to_queue: Signal<Out, Bit>,
    pub drops: Signal<Out, Bit>,

    // the incoming packet
    state: DFF<PortState>,
    take: Signal<Local, Bit>,
    // words after the next one
    left: DFF<Bits<4>>,
    length: DFF<Bits<4>>,
    src: DFF<Bits<6>>,
    second: DFF<Bits<15>>,
    is_control: Signal<Local, Bit>,
    stamps: Signal<Local, Bits<2>>,
    fixed_words: Signal<Local, Bits<4>>,
    arg_words: Signal<Local, Bits<4>>,
    whole: Signal<Local, Bit>,
    good: DFF<Bit>,
    control: DFF<Bit>,
    op: Signal<Local, Bits<3>>,
    want_lost: DFF<Bit>,
    want_low: DFF<Bit>,
    want_high: DFF<Bit>,
    half: DFF<Bits<4>>,
    lost: DFF<Bits<16>>,
    stamp: DFF<Bits<32>>,
    count: DFF<Bits<3>>,
    arg: Vec<DFF<Bits<32>>>,
    // first data word of a control packet, and the register of the next one
    datum: DFF<Bits<16>>,
    at: DFF<Bits<12>>,
    legal_write: DFF<Bit>,
    flush: DFF<Bit>,
    // its losses are not added yet
    fresh: DFF<Bit>,

    // the response
    readable: Signal<Local, Bit>,
    response_op: Signal<Local, Bits<3>>,
    response_words: Signal<Local, Bits<4>>,
    response_dest: Signal<Local, Bits<6>>,

    // the outgoing packet
    sends: DFF<SendState>,
    sends_response: DFF<Bit>,
    unreported: DFF<Bits<32>>,
    all_lost: Signal<Local, Bits<32>>,
    reporting: Signal<Local, Bits<16>>,
    full: Signal<Local, Bit>,
    reported: DFF<Bits<16>>,
    // whether all unreported losses, all reported ones yielded to others
    yielded: DFF<Bit>,
    surely: Signal<Local, Bit>,
    reported_yielded: DFF<Bit>,
    yielded_flag: Signal<Local, Bit>,
    words: DFF<Bits<4>>,
    stamped: Signal<Local, Bit>,
    put_length: Signal<Local, Bits<4>>,
    sent: DFF<Bits<4>>,
    after: Signal<Local, Bits<4>>,
    chosen: Signal<Local, Bits<32>>,
    which: Signal<Local, Bits<3>>,

    node: Fixed<Bit>,
    ticks: Fixed<Bit>,
    kind: Fixed<Bits<16>>,
    capacity: Fixed<Bits<16>>,
    host: Fixed<Bits<6>>,
    first_control: Fixed<Bits<12>>,
    one: Fixed<Bits<4>>,
    two: Fixed<Bits<4>>,
    one_12: Fixed<Bits<12>>,
    one_32: Fixed<Bits<32>>,
    most: Fixed<Bits<16>>,
    is_response: Fixed<Bits<16>>,
    is_flush: Fixed<Bits<16>>,
    _args: usize,
}

impl Port {
    /// The interface of a client whose read-only registers 0 and 1 are `registers`; `node`: the client accepts events
    /// and flushes.
    pub fn new(registers: [u16; 2], node: bool) -> Self {
        Self {
            arg: each(MAX_ARGS),
            node: Fixed::new(node),
            kind: Fixed::of(registers[0]),
            capacity: Fixed::of(registers[1]),
            host: Fixed::of(HOST),
            first_control: Fixed::of(CONTROL),
            one: Fixed::of(1u64),
            two: Fixed::of(2u64),
            one_12: Fixed::of(1u64),
            one_32: Fixed::of(1u64),
            most: Fixed::of(0xffffu64),
            is_response: Fixed::of(0x8000u64),
            is_flush: Fixed::of(0xe000u64),
            _args: MAX_ARGS,
            ..Default::default()
        }
    }
}

impl Port {
    /// The interface of a tick: a result with bit 0 of its core set is sent as a flush.
    pub fn of_tick(registers: [u16; 2]) -> Self {
        Self { ticks: Fixed::new(true), ..Self::new(registers, false) }
    }
}

impl Logic for Port {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            state,
            left,
            length,
            src,
            second,
            good,
            control,
            want_lost,
            want_low,
            want_high,
            half,
            lost,
            stamp,
            count,
            datum,
            at,
            legal_write,
            flush,
            fresh,
            sends,
            sends_response,
            unreported,
            reported,
            yielded,
            reported_yielded,
            words,
            sent
        );
        for i in 0..self._args {
            self.arg[i].clock.next = self.clock.val();
            self.arg[i].d.next = self.arg[i].q.val();
        }

        // incoming packets
        self.got.ready.next = (self.state.q.val() == PortState::Head)
            | (self.state.q.val() == PortState::Second)
            | (self.state.q.val() == PortState::Body);
        self.take.next = self.got.valid.val()
            & ((self.state.q.val() == PortState::Head)
                | (self.state.q.val() == PortState::Second)
                | (self.state.q.val() == PortState::Body));
        self.op.next = self.second.q.val().get_bits::<3>(12);

        // whether the fields of an event match its length
        self.is_control.next = self.got.word.val().get_bit(15);
        self.stamps.next = self.got.word.val().get_bits::<2>(13);
        self.fixed_words.next = bit_cast::<4, 1>(self.got.word.val().get_bit(12).into())
            + (bit_cast::<4, 2>(self.stamps.val()) & self.two.val());
        self.arg_words.next = self.left.q.val() - self.fixed_words.val();
        self.whole.next = (!self.stamps.val().get_bit(0) | self.got.word.val().get_bit(12))
            & (self.fixed_words.val() <= self.left.q.val())
            & !self.arg_words.val().get_bit(0)
            & (self.arg_words.val() <= 12);

        self.write.we.next = false;
        self.write.addr.next = self.at.q.val();
        self.write.data.next = self.got.word.val();
        if self.take.val() {
            if self.state.q.val() == PortState::Head {
                self.src.d.next = self.got.word.val().get_bits::<6>(0);
                self.left.d.next = self.got.word.val().get_bits::<4>(12);
                self.length.d.next = self.got.word.val().get_bits::<4>(12);
                self.state.d.next = PortState::Second;
                self.half.d.next = 0.into();
                self.lost.d.next = 0.into();
                for i in 0..self._args {
                    self.arg[i].d.next = 0.into();
                }
            }
            if self.state.q.val() == PortState::Second {
                self.second.d.next = self.got.word.val().get_bits::<15>(0);
                self.control.d.next = self.is_control.val();
                self.good.d.next = self.whole.val();
                self.want_lost.d.next = self.got.word.val().get_bit(12);
                self.want_low.d.next = self.stamps.val().get_bit(1);
                self.want_high.d.next = self.stamps.val().get_bit(1);
                self.count.d.next = self.arg_words.val().get_bits::<3>(1);
                self.at.d.next = self.got.word.val().get_bits::<12>(0);
                self.legal_write.d.next = self.got.word.val().get_bits::<12>(0) >= self.first_control.val();
                self.state.d.next = PortState::Body;
                if !self.left.q.val().any() {
                    self.state.d.next = PortState::Head;
                    if self.is_control.val() {
                        // a read, an empty write, or a flush
                        if self.got.word.val().get_bits::<3>(12) == 0 {
                            self.state.d.next = PortState::Answer;
                        }
                        if self.got.word.val().get_bits::<3>(12) == 1 {
                            self.state.d.next = PortState::Answer;
                        }
                        if (self.got.word.val().get_bits::<3>(12) == 6) & self.node.val() {
                            self.state.d.next = PortState::Event;
                        }
                    } else if self.whole.val() & self.node.val() {
                        self.state.d.next = PortState::Event;
                    }
                }
                self.flush.d.next = self.is_control.val();
                self.datum.d.next = 0.into();
                self.fresh.d.next = true;
            }
            if self.state.q.val() == PortState::Body {
                self.half.d.next = self.half.q.val() + self.one.val();
                if self.control.q.val() {
                    if !self.half.q.val().any() {
                        self.datum.d.next = self.got.word.val();
                    }
                    self.at.d.next = self.at.q.val() + self.one_12.val();
                    self.write.we.next = (self.op.val() == 1) & (self.at.q.val() >= self.first_control.val());
                    // an illegal write has no effect
                    if !self.legal_write.q.val() {
                        self.write.we.next = false;
                    }
                } else {
                    if self.want_lost.q.val() {
                        self.want_lost.d.next = false;
                        self.lost.d.next = self.got.word.val();
                        self.half.d.next = 0.into();
                    } else if self.want_low.q.val() {
                        self.want_low.d.next = false;
                        self.stamp.d.next = bit_cast::<32, 16>(self.got.word.val());
                        self.half.d.next = 0.into();
                    } else if self.want_high.q.val() {
                        self.want_high.d.next = false;
                        self.stamp.d.next = self.stamp.q.val() | (bit_cast::<32, 16>(self.got.word.val()) << 16);
                        self.half.d.next = 0.into();
                    } else {
                        for i in 0..self._args {
                            if self.half.q.val().get_bits::<3>(1) == i.to_bits::<3>() {
                                if self.half.q.val().get_bit(0) {
                                    self.arg[i].d.next =
                                        self.arg[i].q.val() | (bit_cast::<32, 16>(self.got.word.val()) << 16);
                                } else {
                                    self.arg[i].d.next = bit_cast::<32, 16>(self.got.word.val());
                                }
                            }
                        }
                    }
                }
                if self.left.q.val() == self.one.val() {
                    self.state.d.next = PortState::Head;
                    if self.control.q.val() {
                        if (self.op.val() == 0) | (self.op.val() == 1) {
                            self.state.d.next = PortState::Answer;
                        }
                        if (self.op.val() == 6) & self.node.val() {
                            self.state.d.next = PortState::Event;
                        }
                    } else if self.good.q.val() & self.node.val() {
                        self.state.d.next = PortState::Event;
                    }
                }
                self.left.d.next = self.left.q.val() - self.one.val();
            }
        }

        self.event.valid.next = (self.state.q.val() == PortState::Event) & !self.fresh.q.val();
        self.event.flush.next = self.flush.q.val();
        self.event.id.next = self.second.q.val().get_bits::<8>(0);
        self.event.core.next = self.second.q.val().get_bits::<4>(8);
        self.event.stamped.next = self.second.q.val().get_bit(14);
        self.event.stamp.next = self.stamp.q.val();
        self.event.count.next = self.count.q.val();
        self.event.a0.next = self.arg[0].q.val();
        self.event.a1.next = self.arg[1].q.val();
        self.event.a2.next = self.arg[2].q.val();
        self.event.a3.next = self.arg[3].q.val();
        self.event.a4.next = self.arg[4].q.val();
        self.event.a5.next = self.arg[5].q.val();

        // the response
        self.readable.next = ((self.second.q.val().get_bits::<12>(0) == 0) & (self.datum.q.val() == 1))
            | ((self.second.q.val().get_bits::<12>(0) == 0) & (self.datum.q.val() == 2))
            | ((self.second.q.val().get_bits::<12>(0) == 1) & (self.datum.q.val() == 1));
        self.response_dest.next = self.src.q.val();
        self.response_op.next = 4.into();
        self.response_words.next = 0.into();
        if (self.op.val() == 0) & self.readable.val() {
            self.response_op.next = 2.into();
            self.response_words.next = self.datum.q.val().get_bits::<4>(0);
        }
        if (self.op.val() == 1) & self.legal_write.q.val() & self.length.q.val().any() {
            self.response_op.next = 3.into();
        }
        if self.op.val() == 6 {
            self.response_op.next = 6.into();
            self.response_dest.next = self.host.val();
            if self.length.q.val().any() {
                self.response_words.next = self.one.val();
            }
        }

        // losses are reported as far as they fit the field; the rest follows with the next result
        self.all_lost.next = self.unreported.q.val() + bit_cast::<32, 16>(self.result.lost.val());
        if self.overrun.val() {
            self.all_lost.next = bit_cast::<32, 16>(self.most.val());
        }
        self.full.next = self.result.stamped.val() & (self.result.count.val() == 6);
        self.reporting.next = self.all_lost.val().get_bits::<16>(0);
        if self.all_lost.val().get_bits::<16>(16).any() {
            self.reporting.next = self.most.val();
        }
        self.surely.next =
            self.yielded.q.val() & self.unreported.q.val().any() & !self.result.lost.val().any() & !self.overrun.val();
        if self.full.val() | (self.surely.val() & !self.yields.val() & !self.node.val()) {
            self.reporting.next = 0.into();
        }
        if (self.state.q.val() == PortState::Event) & self.fresh.q.val() {
            self.fresh.d.next = false;
            self.unreported.d.next = self.unreported.q.val() + bit_cast::<32, 16>(self.lost.q.val());
            if self.lost.q.val().any() {
                self.yielded.d.next =
                    self.second.q.val().get_bit(13) & (self.yielded.q.val() | !self.unreported.q.val().any());
            }
        }
        if (self.state.q.val() == PortState::Event) & !self.fresh.q.val() & self.event.ready.val() {
            self.state.d.next = PortState::Head;
            if self.flush.q.val() {
                self.state.d.next = PortState::Answer;
            }
        }

        // the outgoing packet
        self.stamped.next = !self.sends_response.q.val() & self.result.stamped.val();
        self.put_length.next = self.words.q.val()
            + bit_cast::<4, 1>(self.reported.q.val().any().into())
            + (bit_cast::<4, 1>(self.stamped.val().into()) << 1);
        self.which.next = self.sent.q.val().get_bits::<3>(1);
        self.chosen.next = self.result.a0.val();
        if self.which.val() == 1 {
            self.chosen.next = self.result.a1.val();
        }
        if self.which.val() == 2 {
            self.chosen.next = self.result.a2.val();
        }
        if self.which.val() == 3 {
            self.chosen.next = self.result.a3.val();
        }
        if self.which.val() == 4 {
            self.chosen.next = self.result.a4.val();
        }
        if self.which.val() == 5 {
            self.chosen.next = self.result.a5.val();
        }
        self.after.next = self.sent.q.val() + self.one.val();
        self.put.valid.next = (self.sends.q.val() != SendState::Idle) & (self.sends.q.val() != SendState::Done);
        self.put.word.next = 0.into();
        self.to_queue.next = self.yields.val() & !self.sends_response.q.val();
        self.drops.next = false;
        self.yielded_flag.next = self.reported.q.val().any() & self.reported_yielded.q.val();
        match self.sends.q.val() {
            SendState::Idle => {
                self.sent.d.next = 0.into();
                self.reported.d.next = 0.into();
                if self.state.q.val() == PortState::Answer {
                    self.sends.d.next = SendState::First;
                    self.sends_response.d.next = true;
                    self.words.d.next = self.response_words.val();
                } else if self.result.valid.val() & self.yields.val() & !self.room.val() {
                    if !self.waits.val() {
                        self.drops.next = true;
                        self.sends.d.next = SendState::Done;
                        self.sends_response.d.next = false;
                        self.unreported.d.next = self.all_lost.val() + self.one_32.val();
                        self.yielded.d.next = !self.result.lost.val().any()
                            & !self.overrun.val()
                            & (self.yielded.q.val() | !self.unreported.q.val().any());
                    }
                } else if self.result.valid.val() {
                    self.sends.d.next = SendState::First;
                    self.sends_response.d.next = false;
                    self.reported_yielded.d.next = self.surely.val();
                    self.yielded.d.next = self.yielded.q.val() & !self.result.lost.val().any() & !self.overrun.val();
                    self.words.d.next = bit_cast::<4, 3>(self.result.count.val()) << 1;
                    self.reported.d.next = self.reporting.val();
                    self.unreported.d.next = self.all_lost.val() - bit_cast::<32, 16>(self.reporting.val());
                }
            }
            SendState::First => {
                self.put.word.next =
                    (bit_cast::<16, 4>(self.put_length.val()) << 12) | (bit_cast::<16, 6>(self.result.dest.val()) << 6);
                if self.sends_response.q.val() {
                    self.put.word.next = (bit_cast::<16, 4>(self.put_length.val()) << 12)
                        | (bit_cast::<16, 6>(self.response_dest.val()) << 6);
                }
                if self.put.ready.val() {
                    self.sends.d.next = SendState::Second;
                }
            }
            SendState::Second => {
                self.put.word.next = (bit_cast::<16, 1>(self.stamped.val().into()) << 14)
                    | (bit_cast::<16, 1>(self.yielded_flag.val().into()) << 13)
                    | (bit_cast::<16, 1>(self.reported.q.val().any().into()) << 12)
                    | (bit_cast::<16, 4>(self.result.core.val()) << 8)
                    | bit_cast::<16, 8>(self.result.id.val());
                if self.ticks.val() & self.result.core.val().get_bit(0) {
                    self.put.word.next = self.is_flush.val();
                }
                if self.sends_response.q.val() {
                    self.put.word.next = (bit_cast::<16, 3>(self.response_op.val()) << 12)
                        | bit_cast::<16, 12>(self.second.q.val().get_bits::<12>(0))
                        | self.is_response.val();
                    if self.op.val() == 6 {
                        self.put.word.next = (bit_cast::<16, 3>(self.response_op.val()) << 12) | self.is_response.val();
                    }
                }
                if self.put.ready.val() {
                    self.sends.d.next = SendState::Done;
                    if self.words.q.val().any() {
                        self.sends.d.next = SendState::Body;
                    }
                    if self.stamped.val() {
                        self.sends.d.next = SendState::Low;
                    }
                    if self.reported.q.val().any() {
                        self.sends.d.next = SendState::Lost;
                    }
                }
            }
            SendState::Lost => {
                self.put.word.next = self.reported.q.val();
                if self.put.ready.val() {
                    self.sends.d.next = SendState::Done;
                    if self.words.q.val().any() {
                        self.sends.d.next = SendState::Body;
                    }
                    if self.stamped.val() {
                        self.sends.d.next = SendState::Low;
                    }
                }
            }
            SendState::Low => {
                self.put.word.next = self.result.stamp.val().get_bits::<16>(0);
                if self.put.ready.val() {
                    self.sends.d.next = SendState::High;
                }
            }
            SendState::High => {
                self.put.word.next = self.result.stamp.val().get_bits::<16>(16);
                if self.put.ready.val() {
                    self.sends.d.next = SendState::Done;
                    if self.words.q.val().any() {
                        self.sends.d.next = SendState::Body;
                    }
                }
            }
            SendState::Body => {
                self.put.word.next = self.chosen.val().get_bits::<16>(0);
                if self.sent.q.val().get_bit(0) {
                    self.put.word.next = self.chosen.val().get_bits::<16>(16);
                }
                if self.sends_response.q.val() {
                    self.put.word.next = self.capacity.val();
                    if (self.second.q.val().get_bits::<12>(0) == 0) & !self.sent.q.val().any() {
                        self.put.word.next = self.kind.val();
                    }
                    if self.op.val() == 6 {
                        self.put.word.next = self.datum.q.val();
                    }
                }
                if self.put.ready.val() {
                    self.sent.d.next = self.after.val();
                    if self.after.val() == self.words.q.val() {
                        self.sends.d.next = SendState::Done;
                    }
                }
            }
            SendState::Done => {
                self.sends.d.next = SendState::Idle;
                if self.sends_response.q.val() {
                    self.state.d.next = PortState::Head;
                }
            }
        }
        self.result.ready.next = (self.sends.q.val() == SendState::Done) & !self.sends_response.q.val();

        if self.reset.val() {
            self.state.d.next = PortState::Head;
            self.sends.d.next = SendState::Idle;
            self.unreported.d.next = 0.into();
            self.yielded.d.next = false;
            self.sends_response.d.next = false;
            self.fresh.d.next = false;
        }
    }
}
