//! Encoder of the scheme: turns entries into packets of E-Trace, each with a header byte
//!
//! # Source
//! Efficient Trace for RISC-V 2.0, chapter 7, "Instruction Trace Encoder Output Packets", with the SMI header: length 5, type 2
//! (2: instruction trace), time tag 1 (0).
//!
//! # Ports
//! As in [`crate::spine::front_port`].
//!
//! # Timing
//! A packet takes two cycles before its first byte. Then come, one a cycle, its header, the fields before the map or address,
//! and eight bits each of map and address. A packet is cut to whole bytes: the bits above its last field, and those of that
//! field that equal the one below, are not sent.
//!
//! Golden model: [`sim::baseline::etrace::Encoder`].

use super::entry::{ANNOUNCE, BRANCH, REPORTED, TRAP, UPDISCON};
use super::entry::{POST_ENDED, POST_EPC, PRE_FULL, PRE_REPORT, PRE_SYNC};
use super::size::Size;
use crate::spine::event_fifo::{FIELD_COUNT, FIELD_INSTRUCTIONS, FIELD_PC, FIELD_TARGET};
use crate::spine::front_port::EncoderPort;
use crate::widget::fixed::Fixed;
use crate::widget::slot::part;
use rust_hdl::prelude::*;

/// What is sent, or read.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum PacketStep {
    /// Nothing: the kinds of the entry are read.
    Open,
    /// Nothing: the last field is read.
    Load,
    /// The header.
    Header,
    /// The fields from the format to the map or address.
    Format,
    /// The other fields of a trap before its address.
    Cause,
    /// The map.
    Map,
    /// The last field: an address, or a map without one.
    Last,
    /// The header of a support packet.
    SupportHeader,
    /// Its first byte.
    Support,
    /// Its second byte.
    SupportZeros,
}

/// The encoder, for words of W bits.
#[derive(LogicBlock, Default)]
pub struct EtraceEncoder<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub port: EncoderPort<W>,
    size: Size<W>,
    step: DFF<PacketStep>,
    next_step: Signal<Local, PacketStep>,
    // of the entry; packets that were sent are removed
    branches: DFF<Bits<5>>,
    updiscon: DFF<Bit>,
    announce: DFF<Bit>,
    branch: DFF<Bit>,
    reported: DFF<Bit>,
    trap: DFF<Bit>,
    pre: DFF<Bits<2>>,
    post: DFF<Bits<2>>,
    // the synchronization is that at the target of a jump
    epc: DFF<Bit>,
    kinds: Signal<Local, Bits<W>>,
    // last reported address
    address: DFF<Bits<W>>,
    // bits of the map or of the last field that were not sent, and the bit above
    value: DFF<Bits<W>>,
    fill: DFF<Bit>,
    left: DFF<Bits<7>>,
    map_parts: DFF<Bits<2>>,
    // packet
    is_report: Signal<Local, Bit>,
    is_full: Signal<Local, Bit>,
    is_trap: Signal<Local, Bit>,
    has_map: Signal<Local, Bit>,
    minus: Signal<Local, Bits<W>>,
    difference: Signal<Local, Bits<W>>,
    low: Signal<Local, Bits<W>>,
    sign: Signal<Local, Bit>,
    upper: Signal<Local, Bits<W>>,
    loaded: Signal<Local, Bits<W>>,
    shifted: Signal<Local, Bits<W>>,
    prefix: Signal<Local, Bits<7>>,
    map_first: Signal<Local, Bits<2>>,
    map_last: Signal<Local, Bits<4>>,
    status: Signal<Local, Bits<2>>,
    long_support: Signal<Local, Bit>,
    sends: Signal<Local, Bit>,
    advance: Signal<Local, Bit>,
    ends_packet: Signal<Local, Bit>,
    // after this packet
    rest_pre: Signal<Local, Bits<2>>,
    rest_post: Signal<Local, Bits<2>>,
    more_supports: Signal<Local, Bit>,
    // whether eight or more bits are left, the number above a multiple of eight, and whether none are left after this slice
    whole: Signal<Local, Bit>,
    rest: Signal<Local, Bits<3>>,
    is_last: Signal<Local, Bit>,
    octet_mask: Signal<Local, Bits<8>>,
    count: Signal<Local, Bits<4>>,
    data: Signal<Local, Bits<8>>,
    format_data: Signal<Local, Bits<8>>,
    next_epc: Signal<Local, Bit>,
    next_full: Signal<Local, Bit>,
    pre_report: Fixed<Bits<2>>,
    pre_full: Fixed<Bits<2>>,
    pre_sync: Fixed<Bits<2>>,
    post_epc: Fixed<Bits<2>>,
    post_ended: Fixed<Bits<2>>,
    count_bits: Fixed<Bits<5>>,
    address_mask: Fixed<Bits<W>>,
    sign_mask: Fixed<Bits<W>>,
    top_mask: Fixed<Bits<W>>,
    full_mask: Fixed<Bits<W>>,
    fill_mask: Fixed<Bits<W>>,
    eight: Fixed<Bits<7>>,
    c_report: Fixed<Bits<7>>,
    c_map: Fixed<Bits<7>>,
    c_trap: Fixed<Bits<7>>,
    map_1: Fixed<Bits<7>>,
    map_3: Fixed<Bits<7>>,
    map_7: Fixed<Bits<7>>,
    map_15: Fixed<Bits<7>>,
    map_31: Fixed<Bits<7>>,
    one_2: Fixed<Bits<2>>,
    three_2: Fixed<Bits<2>>,
    one_4: Fixed<Bits<4>>,
    two_4: Fixed<Bits<4>>,
    three_4: Fixed<Bits<4>>,
    seven_4: Fixed<Bits<4>>,
    eight_4: Fixed<Bits<4>>,
    header: Fixed<Bits<8>>,
    short_header: Fixed<Bits<8>>,
    long_header: Fixed<Bits<8>>,
    support: Fixed<Bits<8>>,
    sync_format: Fixed<Bits<8>>,
    trap_format: Fixed<Bits<8>>,
    thaddr: Fixed<Bits<8>>,
    f_count: Fixed<Bits<2>>,
    f_map: Fixed<Bits<2>>,
    f_pc: Fixed<Bits<2>>,
    f_target: Fixed<Bits<2>>,
}

const _: () = assert!(UPDISCON == 5 && ANNOUNCE == 6 && BRANCH == 7 && REPORTED == 8 && TRAP == 9);

/// Header byte of instruction trace, without the length.
const HEADER: u8 = 0b10 << 5;
/// Bits of a packet before the address: of a report without branches, of one before its map or of a start, of a trap.
const REPORT_BITS: u8 = 2;
const MAP_BITS: u8 = 7;
const TRAP_BITS: u8 = 15;

impl<const W: usize> EtraceEncoder<W> {
    /// The encoder.
    pub fn new() -> Self {
        let sign = 1u64 << (W - 2);
        Self {
            size: Size::new(),
            pre_report: Fixed::of(PRE_REPORT),
            pre_full: Fixed::of(PRE_FULL),
            pre_sync: Fixed::of(PRE_SYNC),
            post_epc: Fixed::of(POST_EPC),
            post_ended: Fixed::of(POST_ENDED),
            count_bits: Fixed::of(crate::spine::entry::COUNT_PORT_BITS as u64),
            address_mask: Fixed::of(2 * sign - 1),
            sign_mask: Fixed::of(sign),
            top_mask: Fixed::of(2 * sign),
            full_mask: Fixed::of((u64::MAX >> (64 - W)) & !0x7fff_ffff),
            fill_mask: Fixed::of(0xffu64 << (W - 8)),
            eight: Fixed::of(8u8),
            c_report: Fixed::of(REPORT_BITS),
            c_map: Fixed::of(MAP_BITS),
            c_trap: Fixed::of(TRAP_BITS),
            map_1: Fixed::of(MAP_BITS + 1),
            map_3: Fixed::of(MAP_BITS + 3),
            map_7: Fixed::of(MAP_BITS + 7),
            map_15: Fixed::of(MAP_BITS + 15),
            map_31: Fixed::of(MAP_BITS + 31),
            one_2: Fixed::of(1u8),
            three_2: Fixed::of(3u8),
            one_4: Fixed::of(1u8),
            two_4: Fixed::of(2u8),
            three_4: Fixed::of(3u8),
            seven_4: Fixed::of(7u8),
            eight_4: Fixed::of(8u8),
            header: Fixed::of(HEADER),
            short_header: Fixed::of(HEADER | 1),
            long_header: Fixed::of(HEADER | 2),
            // format 3.3, enabled, branch trace
            support: Fixed::of(0x1fu8),
            // format 3.0, machine mode; format 3.1
            sync_format: Fixed::of(0x63u8),
            trap_format: Fixed::of(0x67u8),
            thaddr: Fixed::of(0x80u8),
            f_count: Fixed::of(FIELD_COUNT),
            f_map: Fixed::of(FIELD_INSTRUCTIONS),
            f_pc: Fixed::of(FIELD_PC),
            f_target: Fixed::of(FIELD_TARGET),
            ..Default::default()
        }
    }
}

#[allow(clippy::collapsible_match)] // a kernel has no guards
impl<const W: usize> Logic for EtraceEncoder<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, branches, updiscon, announce, branch, reported, trap, pre, post, epc);
        dff_setup!(self, clock, address, value, fill, left, map_parts);

        // the packet
        self.is_report.next = self.pre.q.val() == self.pre_report.val();
        self.is_full.next = self.pre.q.val() == self.pre_full.val();
        self.is_trap.next = (self.pre.q.val() == self.pre_sync.val()) & self.trap.q.val();
        self.has_map.next = self.is_report.val() & self.branches.q.val().any();
        self.status.next = 0.into();
        if !self.announce.q.val() {
            self.status.next = self.post.q.val();
            if self.post.q.val() == self.post_ended.val() {
                self.status.next = self.three_2.val();
                if self.reported.q.val() {
                    self.status.next = self.one_2.val();
                }
            }
        }
        self.long_support.next = self.status.val().get_bit(1);

        // the last field, with the bit after it
        self.minus.next = 0.into();
        if self.is_report.val() {
            self.minus.next = self.address.q.val();
        }
        self.difference.next = self.port.entry.word.val() - self.minus.val();
        self.low.next = self.difference.val() & self.address_mask.val();
        self.sign.next = (self.difference.val() & self.sign_mask.val()).any() & !self.is_trap.val();
        self.upper.next = self.top_mask.val();
        if self.is_full.val() {
            self.sign.next = self.difference.val().get_bit(30);
            self.upper.next = self.full_mask.val();
        }
        self.loaded.next = self.low.val();
        if self.sign.val() {
            self.loaded.next = self.low.val() | self.upper.val();
        }
        self.shifted.next = self.value.q.val() >> 8;
        if self.fill.q.val() {
            self.shifted.next = (self.value.q.val() >> 8) | self.fill_mask.val();
        }

        // bits before it
        self.prefix.next = self.c_map.val();
        if self.is_report.val() {
            self.prefix.next = self.c_report.val();
            if self.branches.q.val().any() {
                self.prefix.next = self.map_1.val();
            }
            if self.branches.q.val().get_bit(1) {
                self.prefix.next = self.map_3.val();
            }
            if self.branches.q.val().get_bit(2) {
                self.prefix.next = self.map_7.val();
            }
            if self.branches.q.val().get_bit(3) {
                self.prefix.next = self.map_15.val();
            }
            if self.branches.q.val().get_bit(4) {
                self.prefix.next = self.map_31.val();
            }
        }
        if self.is_trap.val() {
            self.prefix.next = self.c_trap.val();
        }
        self.size.value.next = self.value.q.val();
        self.size.fill.next = self.fill.q.val();
        self.size.prefix.next = self.prefix.val();
        // the map: parts of eight bits, then the rest
        self.map_first.next = 0.into();
        self.map_last.next = self.seven_4.val();
        if !self.branches.q.val().get_bit(4) & !self.branches.q.val().get_bit(3) & !self.branches.q.val().get_bit(2) {
            self.map_last.next = self.three_4.val();
            if !self.branches.q.val().get_bit(1) {
                self.map_last.next = self.one_4.val();
            }
        }
        if self.branches.q.val().get_bit(3) {
            self.map_first.next = self.one_2.val();
        }
        if self.branches.q.val().get_bit(4) {
            self.map_first.next = self.three_2.val();
        }

        // the bits that are sent
        self.whole.next = self.left.q.val().get_bits::<4>(3).any();
        self.rest.next = self.left.q.val().get_bits::<3>(0);
        self.octet_mask.next = 0.into();
        if self.whole.val() | (self.rest.val() > 0) {
            self.octet_mask.next = self.octet_mask.val() | 0x01;
        }
        if self.whole.val() | (self.rest.val() > 1) {
            self.octet_mask.next = self.octet_mask.val() | 0x02;
        }
        if self.whole.val() | (self.rest.val() > 2) {
            self.octet_mask.next = self.octet_mask.val() | 0x04;
        }
        if self.whole.val() | (self.rest.val() > 3) {
            self.octet_mask.next = self.octet_mask.val() | 0x08;
        }
        if self.whole.val() | (self.rest.val() > 4) {
            self.octet_mask.next = self.octet_mask.val() | 0x10;
        }
        if self.whole.val() | (self.rest.val() > 5) {
            self.octet_mask.next = self.octet_mask.val() | 0x20;
        }
        if self.whole.val() | (self.rest.val() > 6) {
            self.octet_mask.next = self.octet_mask.val() | 0x40;
        }
        if self.whole.val() {
            self.octet_mask.next = self.octet_mask.val() | 0x80;
        }
        self.is_last.next = !self.whole.val() | (self.left.q.val() == self.eight.val());
        self.format_data.next = self.sync_format.val() | (bit_cast::<8, 1>(self.branch.q.val().into()) << 4);
        if self.is_trap.val() {
            self.format_data.next = self.trap_format.val() | (bit_cast::<8, 1>(self.branch.q.val().into()) << 4);
        }
        if self.is_full.val() {
            self.format_data.next = 1.into();
        }
        if self.is_report.val() {
            self.format_data.next = 2.into();
            if self.has_map.val() {
                self.format_data.next = (bit_cast::<8, 5>(self.branches.q.val()) << 2) | 1;
            }
        }
        self.count.next = self.eight_4.val();
        self.data.next = 0.into();
        match self.step.q.val() {
            PacketStep::Header => self.data.next = self.header.val() | bit_cast::<8, 4>(self.size.bytes.val()),
            PacketStep::Format => {
                self.data.next = self.format_data.val();
                self.count.next = self.seven_4.val();
                if self.is_report.val() & !self.has_map.val() {
                    self.count.next = self.two_4.val();
                }
            }
            PacketStep::Cause => {
                if !self.epc.q.val() {
                    self.data.next = self.thaddr.val();
                }
            }
            PacketStep::Map => {
                self.data.next = self.value.q.val().get_bits::<8>(0);
                if !self.map_parts.q.val().any() {
                    self.count.next = self.map_last.val();
                }
            }
            PacketStep::Last => {
                self.data.next = self.value.q.val().get_bits::<8>(0) & self.octet_mask.val();
                if !self.whole.val() {
                    self.count.next = bit_cast::<4, 3>(self.rest.val());
                }
            }
            PacketStep::SupportHeader => {
                self.data.next = self.short_header.val();
                if self.long_support.val() {
                    self.data.next = self.long_header.val();
                }
            }
            PacketStep::Support => {
                self.data.next = self.support.val() | (bit_cast::<8, 2>(self.status.val()) << 6);
            }
            _ => {}
        }
        self.sends.next = (self.step.q.val() != PacketStep::Open) & (self.step.q.val() != PacketStep::Load);
        self.advance.next = self.port.entry.have.val() & (!self.sends.val() | self.port.bits.ready.val());
        self.port.bits.valid.next = self.port.entry.have.val() & self.sends.val();
        self.port.bits.count.next = self.count.val();
        self.port.bits.data.next = self.data.val();
        self.port.bits.high.next = 0.into();
        self.port.bits.busy.next = false;

        // the next step
        self.kinds.next = self.port.entry.word.val() >> self.count_bits.val();
        self.ends_packet.next = false;
        self.next_step.next = self.step.q.val();
        self.rest_pre.next = self.pre.q.val();
        self.rest_post.next = self.post.q.val();
        self.more_supports.next = self.announce.q.val();
        if self.advance.val() {
            match self.step.q.val() {
                PacketStep::Open => {
                    // bits of `bcnt`, see the entry
                    self.ends_packet.next = true;
                    self.rest_pre.next = self.kinds.val().get_bits::<2>(0);
                    self.rest_post.next = self.kinds.val().get_bits::<2>(2);
                    self.branches.d.next = self.port.entry.word.val().get_bits::<5>(0);
                    self.updiscon.d.next = self.port.entry.word.val().get_bit(5);
                    self.more_supports.next = self.port.entry.word.val().get_bit(6);
                    self.branch.d.next = self.port.entry.word.val().get_bit(7);
                    self.reported.d.next = self.port.entry.word.val().get_bit(8);
                    self.trap.d.next = self.port.entry.word.val().get_bit(9);
                }
                PacketStep::Load => {
                    self.value.d.next = self.loaded.val();
                    self.fill.d.next = self.sign.val() ^ (self.updiscon.q.val() & self.is_report.val());
                    self.next_step.next = PacketStep::Header;
                }
                PacketStep::Header => {
                    self.left.d.next = self.size.left.val();
                    self.map_parts.d.next = self.map_first.val();
                    self.next_step.next = PacketStep::Format;
                }
                PacketStep::Format => {
                    self.next_step.next = PacketStep::Last;
                    if self.is_trap.val() {
                        self.next_step.next = PacketStep::Cause;
                    }
                    if self.has_map.val() {
                        self.value.d.next = self.port.entry.word.val();
                        self.next_step.next = PacketStep::Map;
                    }
                }
                PacketStep::Cause => self.next_step.next = PacketStep::Last,
                PacketStep::Map => {
                    self.value.d.next = self.shifted.val();
                    self.map_parts.d.next = self.map_parts.q.val() - self.one_2.val();
                    if !self.map_parts.q.val().any() {
                        self.value.d.next = self.loaded.val();
                        self.next_step.next = PacketStep::Last;
                    }
                }
                PacketStep::Last => {
                    self.value.d.next = self.shifted.val();
                    self.left.d.next = self.left.q.val() - self.eight.val();
                    if self.is_last.val() {
                        self.ends_packet.next = true;
                        self.rest_pre.next = 0.into();
                        if !self.is_full.val() {
                            self.address.d.next = self.port.entry.word.val();
                        }
                    }
                }
                PacketStep::SupportHeader => self.next_step.next = PacketStep::Support,
                PacketStep::Support => {
                    self.next_step.next = PacketStep::SupportZeros;
                    if !self.long_support.val() {
                        self.ends_packet.next = true;
                    }
                }
                PacketStep::SupportZeros => self.ends_packet.next = true,
            }
            if self.ends_packet.val() & (self.step.q.val() == PacketStep::Support) {
                // that at the beginning, or that at the end
                self.more_supports.next = false;
                if !self.announce.q.val() {
                    self.rest_post.next = 0.into();
                }
            }
            if self.step.q.val() == PacketStep::SupportZeros {
                self.rest_post.next = 0.into();
            }
        }
        self.port.entry.done.next = false;
        self.next_epc.next = self.epc.q.val() & (self.step.q.val() != PacketStep::Open);
        self.pre.d.next = self.rest_pre.val();
        self.post.d.next = self.rest_post.val();
        self.announce.d.next = self.more_supports.val();
        if self.ends_packet.val() {
            if self.more_supports.val() {
                self.next_step.next = PacketStep::SupportHeader;
            } else if self.rest_pre.val().any() {
                self.next_step.next = PacketStep::Load;
            } else if self.rest_post.val() == self.post_epc.val() {
                // a trap at the target of the jump
                self.next_step.next = PacketStep::Load;
                self.next_epc.next = true;
                self.pre.d.next = self.pre_sync.val();
                self.post.d.next = 0.into();
                self.trap.d.next = true;
                self.branch.d.next = true;
            } else if self.rest_post.val().any() {
                self.next_step.next = PacketStep::SupportHeader;
            } else {
                self.next_step.next = PacketStep::Open;
                self.port.entry.done.next = true;
            }
            self.epc.d.next = self.next_epc.val();
        }
        self.step.d.next = self.next_step.val();

        // the field that the next step needs
        self.next_full.next = self.is_full.val();
        if self.ends_packet.val() {
            self.next_full.next = self.rest_pre.val() == self.pre_full.val();
        }
        self.port.entry.field.next = self.f_pc.val();
        if self.next_epc.val() {
            self.port.entry.field.next = self.f_target.val();
        }
        if self.next_full.val() | (self.next_step.val() == PacketStep::Format) {
            self.port.entry.field.next = self.f_map.val();
        }
        if self.next_step.val() == PacketStep::Open {
            self.port.entry.field.next = self.f_count.val();
        }
        self.port.entry.ends.next = self.post.q.val() == self.post_ended.val();
        self.port.entry.again.next = false;
        self.port.entry.uses_resync_pc.next = false;
        if self.port.reset.val() {
            self.step.d.next = PacketStep::Open;
        }
    }
}

part!(EtraceEncoder<W>, EncoderPort<W>, "encoder");
