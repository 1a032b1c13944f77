//! DMA: writes packets from the ring to event slots, and sends events of the core as packets
//!
//! An incoming event is written to a slot, one halfword per cycle, and the slot is then pushed into the run queue.
//! While no slot is free, the event is not accepted, so that the ring refuses further packets. A read gets its response here;
//! a write goes to registers and memory and is acknowledged. A flush is put in a slot like an event, and acknowledged
//! when all slots are free again. Malformed packets are dropped, and so are events while the processor does not run.
//! Losses reported by producers are added up and sent with the next outgoing event; the slot of an event has those that
//! it reports.
//!
//! # Source
//! Paper 004 section 4.2, network adapter with DMA; packets: `sim::diag::packet`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: discards all packets |
//! | `got`, `put` | in, out | | packets, see [`crate::noc::ports`] |
//! | `write` | out | | register writes, see [`crate::diag::ports`] |
//! | `running`, `slot_free`, `empty` | in | 1 | the processor runs; a slot is free; all slots are free |
//! | `slot_we`, `slot_half`, `slot_data` | out | 1, 4, 16 | write to the free slot |
//! | `push` | out | 1 | the slot is complete; the next free slot is used |
//! | `waits`, `drops` | out | 1 | a packet finds no free slot; an event is dropped |
//! | `status`, `trips`, `full`, `dropped`, `handled` | in | 16, 16, 16, 16, 32 | registers 2, 6, 7, 8; registers 4 and 5 |
//! | `send`, `args`, `sent` | in, in, out | 1, 3, 1 | request to send the core's event; its argument count; done |
//! | `send_at`, `send_low`, `send_high` | out, in, in | 3, 16, 16 | index of a word of this event; the word, one cycle later |
//! | `trip`, `trip_pc`, `trip_info`, `tripped` | in, in, in, out | 1, 32, 18, 1 | request to report an aborted handler to the host; done |
//!
//! # Timing
//! Receiving a packet into a slot takes 16 cycles and one per word. Sending takes one or two cycles per word. `ready`
//! depends on `word`.
//!
//! Golden model: `sim::diag::processor::node`.

use crate::diag::ports::WriteOut;
use crate::noc::ports::{PacketIn, PacketOut};
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::diag::packet::HOST;
use sim::diag::processor::{CONTROL, KIND, MAX_LOST, RAM_BYTES, READABLE, SLOTS, TRIP_EVENT};

/// State of the receiver: what it does with the incoming packet.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum DmaState {
    Head,
    Second,
    Clear,
    Body,
    Flush,
    Answer,
}

/// The part of a packet that is sent next.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum DmaSend {
    Idle,
    Peek,
    First,
    Second,
    Lost,
    Body,
    Wait,
    Done,
}

/// The source of the outgoing packet.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum DmaSource {
    Answer,
    Trip,
    Event,
}

/// A DMA between ring and event slots.
#[derive(LogicBlock, Default)]
pub struct Dma {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub got: PacketIn,
    pub put: PacketOut,
    pub write: WriteOut,
    pub running: Signal<In, Bit>,
    pub slot_free: Signal<In, Bit>,
    pub empty: Signal<In, Bit>,
    pub slot_we: Signal<Out, Bit>,
    pub slot_half: Signal<Out, Bits<4>>,
    pub slot_data: Signal<Out, Bits<16>>,
    pub push: Signal<Out, Bit>,
    pub waits: Signal<Out, Bit>,
    pub drops: Signal<Out, Bit>,
    pub status: Signal<In, Bits<16>>,
    pub handled: Signal<In, Bits<32>>,
    pub trips: Signal<In, Bits<16>>,
    pub full: Signal<In, Bits<16>>,
    pub dropped: Signal<In, Bits<16>>,
    pub send: Signal<In, Bit>,
    pub args: Signal<In, Bits<3>>,
    pub sent: Signal<Out, Bit>,
    pub send_at: Signal<Out, Bits<3>>,
    pub send_low: Signal<In, Bits<16>>,
    pub send_high: Signal<In, Bits<16>>,
    pub trip: Signal<In, Bit>,
    pub trip_pc: Signal<In, Bits<32>>,
    pub trip_info: Signal<In, Bits<18>>,
    pub tripped: Signal<Out, Bit>,

    // the incoming packet
    state: DFF<DmaState>,
    take: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    left: DFF<Bits<4>>,
    length: DFF<Bits<4>>,
    src: DFF<Bits<6>>,
    second: DFF<Bits<16>>,
    half: DFF<Bits<4>>,
    waited: DFF<Bit>,
    slotted: DFF<Bit>,
    want_lost: DFF<Bit>,
    lost_before: Signal<Local, Bits<10>>,
    datum: DFF<Bits<16>>,
    fresh: DFF<Bit>,
    at: DFF<Bits<12>>,
    legal_write: DFF<Bit>,
    is_control: Signal<Local, Bit>,
    code: Signal<Local, Bits<3>>,
    stamps: Signal<Local, Bits<2>>,
    fixed_words: Signal<Local, Bits<4>>,
    arg_words: Signal<Local, Bits<4>>,
    whole: Signal<Local, Bit>,
    wants: Signal<Local, Bit>,
    control: Signal<Local, Bit>,
    op: Signal<Local, Bits<3>>,
    ends: Signal<Local, Bit>,
    is_acknowledged: Signal<Local, Bit>,
    stores: Signal<Local, Bit>,

    // the response
    low_addr: Signal<Local, Bits<5>>,
    low_count: Signal<Local, Bits<5>>,
    read_end: Signal<Local, Bits<5>>,
    readable: Signal<Local, Bit>,
    response_op: Signal<Local, Bits<3>>,
    response_words: Signal<Local, Bits<4>>,

    // the outgoing packet
    sends: DFF<DmaSend>,
    packet_source: DFF<DmaSource>,
    head: DFF<Bits<16>>,
    words: DFF<Bits<4>>,
    position: DFF<Bits<4>>,
    reported: DFF<Bits<16>>,
    unreported: DFF<Bits<32>>,
    added: Signal<Local, Bits<32>>,
    more: Signal<Local, Bits<32>>,
    reporting: Signal<Local, Bits<16>>,
    put_length: Signal<Local, Bits<4>>,
    taken: Signal<Local, Bit>,
    register: Signal<Local, Bits<16>>,

    kind: Fixed<Bits<16>>,
    capacity: Fixed<Bits<16>>,
    ram_bytes: Fixed<Bits<16>>,
    first_control: Fixed<Bits<12>>,
    readables: Fixed<Bits<5>>,
    host: Fixed<Bits<6>>,
    trip_head: Fixed<Bits<16>>,
    keep_in: Fixed<Bits<16>>,
    keep_out: Fixed<Bits<16>>,
    lost_bit: Fixed<Bits<16>>,
    is_response: Fixed<Bits<16>>,
    most: Fixed<Bits<16>>,
    most_lost: Fixed<Bits<10>>,
    one: Fixed<Bits<4>>,
    two: Fixed<Bits<4>>,
    four: Fixed<Bits<4>>,
    one_12: Fixed<Bits<12>>,
    one_32: Fixed<Bits<32>>,
}

impl Dma {
    /// A DMA that is idle.
    pub fn new() -> Self {
        Self {
            kind: Fixed::of(KIND),
            capacity: Fixed::of(SLOTS as u64),
            ram_bytes: Fixed::of(RAM_BYTES),
            first_control: Fixed::of(CONTROL),
            readables: Fixed::of(READABLE),
            host: Fixed::of(HOST),
            trip_head: Fixed::of(TRIP_EVENT),
            keep_in: Fixed::of(0xcfffu64),
            keep_out: Fixed::of(0x4fffu64),
            lost_bit: Fixed::of(0x1000u64),
            is_response: Fixed::of(0x8000u64),
            most: Fixed::of(0xffffu64),
            most_lost: Fixed::of(MAX_LOST),
            one: Fixed::of(1u64),
            two: Fixed::of(2u64),
            four: Fixed::of(4u64),
            one_12: Fixed::of(1u64),
            one_32: Fixed::of(1u64),
            ..Default::default()
        }
    }
}

impl Logic for Dma {
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
            half,
            waited,
            slotted,
            want_lost,
            datum,
            fresh,
            at,
            legal_write,
            sends,
            packet_source,
            head,
            words,
            position,
            reported,
            unreported
        );

        // whether the fields of an event match its length, and whether the packet needs a slot
        self.is_control.next = self.got.word.val().get_bit(15);
        self.code.next = self.got.word.val().get_bits::<3>(12);
        self.stamps.next = self.got.word.val().get_bits::<2>(13);
        self.fixed_words.next = bit_cast::<4, 1>(self.got.word.val().get_bit(12).into())
            + (bit_cast::<4, 2>(self.stamps.val()) & self.two.val());
        self.arg_words.next = self.left.q.val() - self.fixed_words.val();
        self.whole.next = (!self.stamps.val().get_bit(0) | self.got.word.val().get_bit(12))
            & (self.fixed_words.val() <= self.left.q.val())
            & !self.arg_words.val().get_bit(0)
            & (self.arg_words.val() <= 12)
            & !self.is_control.val();
        self.wants.next = self.running.val() & (self.whole.val() | (self.is_control.val() & (self.code.val() == 6)));

        self.got.ready.next = (self.state.q.val() == DmaState::Head)
            | (self.state.q.val() == DmaState::Body)
            | ((self.state.q.val() == DmaState::Second) & (!self.wants.val() | self.slot_free.val()));
        self.take.next = self.got.valid.val()
            & ((self.state.q.val() == DmaState::Head)
                | (self.state.q.val() == DmaState::Body)
                | ((self.state.q.val() == DmaState::Second) & (!self.wants.val() | self.slot_free.val())));
        self.waits.next = self.got.valid.val()
            & (self.state.q.val() == DmaState::Second)
            & self.wants.val()
            & !self.slot_free.val()
            & !self.waited.q.val();
        self.drops.next =
            self.take.val() & (self.state.q.val() == DmaState::Second) & self.whole.val() & !self.running.val();
        if self.waits.val() {
            self.waited.d.next = true;
        }

        self.control.next = self.second.q.val().get_bit(15);
        self.op.next = self.second.q.val().get_bits::<3>(12);
        // reads, writes and flushes are acknowledged; a flush that goes to the program, when the program is done with
        // it
        self.is_acknowledged.next =
            self.control.val() & ((self.op.val() == 0) | (self.op.val() == 1) | (self.op.val() == 6));
        self.last.next = self.left.q.val() == self.one.val();
        self.stores.next = false;
        self.ends.next = false;

        self.lost_before.next = self.got.word.val().get_bits::<10>(0);
        if self.got.word.val().get_bits::<6>(10).any() {
            self.lost_before.next = self.most_lost.val();
        }
        self.slot_we.next = false;
        self.slot_half.next = self.half.q.val();
        self.slot_data.next = self.got.word.val();
        self.write.we.next = false;
        self.write.addr.next = self.at.q.val();
        self.write.data.next = self.got.word.val();
        self.added.next = 0.into();
        if self.drops.val() {
            self.added.next = self.one_32.val();
        }
        match self.state.q.val() {
            DmaState::Head => {
                if self.take.val() {
                    self.src.d.next = self.got.word.val().get_bits::<6>(0);
                    self.left.d.next = self.got.word.val().get_bits::<4>(12);
                    self.length.d.next = self.got.word.val().get_bits::<4>(12);
                    self.state.d.next = DmaState::Second;
                }
                self.half.d.next = 0.into();
                self.waited.d.next = false;
                self.fresh.d.next = true;
                self.datum.d.next = 0.into();
            }
            DmaState::Second => {
                if self.take.val() {
                    self.second.d.next = self.got.word.val();
                    self.slotted.d.next = self.wants.val();
                    self.want_lost.d.next = self.whole.val() & self.got.word.val().get_bit(12);
                    self.at.d.next = self.got.word.val().get_bits::<12>(0);
                    self.legal_write.d.next = self.got.word.val().get_bits::<12>(0) >= self.first_control.val();
                    self.state.d.next = DmaState::Body;
                    if self.wants.val() {
                        self.state.d.next = DmaState::Clear;
                    } else if !self.left.q.val().any() {
                        self.state.d.next = DmaState::Head;
                        if self.is_control.val()
                            & ((self.code.val() == 0) | (self.code.val() == 1) | (self.code.val() == 6))
                        {
                            self.state.d.next = DmaState::Answer;
                        }
                    }
                }
            }
            DmaState::Clear => {
                self.slot_we.next = true;
                self.slot_data.next = 0.into();
                if self.half.q.val() == 0 {
                    self.slot_data.next = bit_cast::<16, 6>(self.src.q.val());
                }
                if self.half.q.val() == 1 {
                    self.slot_data.next = self.second.q.val() & self.keep_in.val();
                }
                self.half.d.next = self.half.q.val() + self.one.val();
                if self.half.q.val().all() {
                    self.half.d.next = self.four.val();
                    if self.second.q.val().get_bit(14) & !self.control.val() {
                        self.half.d.next = self.two.val();
                    }
                    self.state.d.next = DmaState::Body;
                    if !self.left.q.val().any() {
                        self.ends.next = true;
                    }
                }
            }
            DmaState::Body => {
                if self.take.val() {
                    self.left.d.next = self.left.q.val() - self.one.val();
                    self.ends.next = self.last.val();
                    if self.control.val() {
                        if self.fresh.q.val() {
                            self.datum.d.next = self.got.word.val();
                            self.stores.next = true;
                        }
                        self.fresh.d.next = false;
                        self.at.d.next = self.at.q.val() + self.one_12.val();
                        // an illegal write has no effect
                        self.write.we.next = (self.op.val() == 1)
                            & self.legal_write.q.val()
                            & (self.at.q.val() >= self.first_control.val());
                    } else if self.want_lost.q.val() {
                        self.want_lost.d.next = false;
                        self.added.next = bit_cast::<32, 16>(self.got.word.val());
                        self.stores.next = true;
                        self.slot_half.next = 0.into();
                        self.slot_data.next =
                            (bit_cast::<16, 10>(self.lost_before.val()) << 6) | bit_cast::<16, 6>(self.src.q.val());
                    } else {
                        self.stores.next = true;
                        self.half.d.next = self.half.q.val() + self.one.val();
                    }
                    self.slot_we.next = self.slotted.q.val() & self.stores.val();
                }
            }
            DmaState::Flush => {
                if self.empty.val() | !self.running.val() {
                    self.state.d.next = DmaState::Answer;
                }
            }
            DmaState::Answer => {
                if (self.sends.q.val() == DmaSend::Done) & (self.packet_source.q.val() == DmaSource::Answer) {
                    self.state.d.next = DmaState::Head;
                }
            }
        }
        if self.ends.val() {
            self.state.d.next = DmaState::Head;
            if self.is_acknowledged.val() {
                self.state.d.next = DmaState::Answer;
                if self.slotted.q.val() {
                    self.state.d.next = DmaState::Flush;
                }
            }
        }
        self.push.next = self.ends.val() & self.slotted.q.val();

        // the response
        self.low_addr.next = bit_cast::<5, 4>(self.second.q.val().get_bits::<4>(0));
        self.low_count.next = bit_cast::<5, 4>(self.datum.q.val().get_bits::<4>(0));
        self.read_end.next = self.low_addr.val() + self.low_count.val();
        self.readable.next = !self.second.q.val().get_bits::<8>(4).any()
            & !self.datum.q.val().get_bits::<12>(4).any()
            & self.datum.q.val().any()
            & (self.read_end.val() <= self.readables.val());
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
            if self.length.q.val().any() {
                self.response_words.next = self.one.val();
            }
        }

        // losses are reported as far as they fit the field; the rest follows with the next event
        self.more.next = self.unreported.q.val() + self.added.val();
        self.unreported.d.next = self.more.val();
        self.reporting.next = self.unreported.q.val().get_bits::<16>(0);
        if self.unreported.q.val().get_bits::<16>(16).any() {
            self.reporting.next = self.most.val();
        }
        if self.send_high.val().get_bit(14) & (self.args.val() == 6) {
            self.reporting.next = 0.into();
        }

        // outgoing packets, in order of priority: aborted handlers, events of the program, responses
        self.put_length.next = self.words.q.val() + bit_cast::<4, 1>(self.reported.q.val().any().into());
        self.taken.next = self.put.ready.val();
        self.put.valid.next = false;
        self.put.word.next = 0.into();
        self.send_at.next = self.position.q.val().get_bits::<3>(1);
        self.register.next = self.kind.val();
        match self.position.q.val().index() {
            1 => self.register.next = self.capacity.val(),
            2 => self.register.next = self.status.val(),
            3 => self.register.next = self.ram_bytes.val(),
            4 => self.register.next = self.handled.val().get_bits::<16>(0),
            5 => self.register.next = self.handled.val().get_bits::<16>(16),
            6 => self.register.next = self.trips.val(),
            7 => self.register.next = self.full.val(),
            8 => self.register.next = self.dropped.val(),
            _ => {}
        }
        self.sent.next = false;
        self.tripped.next = false;
        match self.sends.q.val() {
            DmaSend::Idle => {
                self.reported.d.next = 0.into();
                self.send_at.next = 0.into();
                if self.trip.val() {
                    self.packet_source.d.next = DmaSource::Trip;
                    self.head.d.next = self.trip_head.val();
                    self.words.d.next = self.four.val();
                    self.position.d.next = 0.into();
                    self.sends.d.next = DmaSend::First;
                } else if self.send.val() {
                    self.packet_source.d.next = DmaSource::Event;
                    self.sends.d.next = DmaSend::Peek;
                } else if self.state.q.val() == DmaState::Answer {
                    self.packet_source.d.next = DmaSource::Answer;
                    self.head.d.next = self.is_response.val()
                        | (bit_cast::<16, 3>(self.response_op.val()) << 12)
                        | bit_cast::<16, 12>(self.second.q.val().get_bits::<12>(0));
                    if self.op.val() == 6 {
                        self.head.d.next = self.is_response.val() | (bit_cast::<16, 3>(self.response_op.val()) << 12);
                    }
                    self.words.d.next = self.response_words.val();
                    self.position.d.next = self.second.q.val().get_bits::<4>(0);
                    self.sends.d.next = DmaSend::First;
                }
            }
            DmaSend::Peek => {
                self.send_at.next = 0.into();
                self.head.d.next = self.send_high.val() & self.keep_out.val();
                self.words.d.next = bit_cast::<4, 3>(self.args.val()) << 1;
                self.position.d.next = self.four.val();
                if self.send_high.val().get_bit(14) {
                    self.words.d.next = (bit_cast::<4, 3>(self.args.val()) << 1) + self.two.val();
                    self.position.d.next = self.two.val();
                }
                self.reported.d.next = self.reporting.val();
                self.unreported.d.next = self.more.val() - bit_cast::<32, 16>(self.reporting.val());
                self.sends.d.next = DmaSend::First;
            }
            DmaSend::First => {
                self.send_at.next = 0.into();
                self.put.valid.next = true;
                self.put.word.next =
                    (bit_cast::<16, 4>(self.put_length.val()) << 12) | (bit_cast::<16, 6>(self.host.val()) << 6);
                if self.packet_source.q.val() == DmaSource::Event {
                    self.put.word.next = (bit_cast::<16, 4>(self.put_length.val()) << 12)
                        | (bit_cast::<16, 6>(self.send_low.val().get_bits::<6>(6)) << 6);
                }
                if (self.packet_source.q.val() == DmaSource::Answer) & (self.op.val() != 6) {
                    self.put.word.next =
                        (bit_cast::<16, 4>(self.put_length.val()) << 12) | (bit_cast::<16, 6>(self.src.q.val()) << 6);
                }
                if self.taken.val() {
                    self.sends.d.next = DmaSend::Second;
                }
            }
            DmaSend::Second => {
                self.put.valid.next = true;
                self.put.word.next = self.head.q.val();
                if self.reported.q.val().any() {
                    self.put.word.next = self.head.q.val() | self.lost_bit.val();
                }
                if self.taken.val() {
                    self.sends.d.next = DmaSend::Body;
                    if self.reported.q.val().any() {
                        self.sends.d.next = DmaSend::Lost;
                    } else if !self.words.q.val().any() {
                        self.sends.d.next = DmaSend::Done;
                    }
                }
            }
            DmaSend::Lost => {
                self.put.valid.next = true;
                self.put.word.next = self.reported.q.val();
                if self.taken.val() {
                    self.sends.d.next = DmaSend::Body;
                    if !self.words.q.val().any() {
                        self.sends.d.next = DmaSend::Done;
                    }
                }
            }
            DmaSend::Body => {
                self.put.valid.next = true;
                self.put.word.next = self.register.val();
                if self.op.val() == 6 {
                    self.put.word.next = self.datum.q.val();
                }
                if self.packet_source.q.val() == DmaSource::Event {
                    self.put.word.next = self.send_low.val();
                    if self.position.q.val().get_bit(0) {
                        self.put.word.next = self.send_high.val();
                    }
                }
                if self.packet_source.q.val() == DmaSource::Trip {
                    match self.position.q.val().get_bits::<2>(0).index() {
                        0 => self.put.word.next = self.trip_pc.val().get_bits::<16>(0),
                        1 => self.put.word.next = self.trip_pc.val().get_bits::<16>(16),
                        2 => self.put.word.next = self.trip_info.val().get_bits::<16>(0),
                        _ => self.put.word.next = bit_cast::<16, 2>(self.trip_info.val().get_bits::<2>(16)),
                    }
                }
                if self.taken.val() {
                    self.words.d.next = self.words.q.val() - self.one.val();
                    self.position.d.next = self.position.q.val() + self.one.val();
                    self.sends.d.next = DmaSend::Wait;
                    if self.words.q.val() == self.one.val() {
                        self.sends.d.next = DmaSend::Done;
                    }
                }
            }
            DmaSend::Wait => self.sends.d.next = DmaSend::Body,
            DmaSend::Done => {
                self.sends.d.next = DmaSend::Idle;
                self.sent.next = self.packet_source.q.val() == DmaSource::Event;
                self.tripped.next = self.packet_source.q.val() == DmaSource::Trip;
            }
        }
        if self.reset.val() {
            self.state.d.next = DmaState::Head;
            self.sends.d.next = DmaSend::Idle;
            self.unreported.d.next = 0.into();
        }
    }
}
