//! Encoder of the scheme: turns entries into packets of E-Trace, each with a header byte
//!
//! # Source
//! Efficient Trace for RISC-V 2.0, chapter 7, with the SMI header: length 5, type 2 (2: instruction trace), time tag 1 (0).
//!
//! # Ports
//! As in [`crate::spine::front_port`].
//!
//! # Timing
//! The bits come from registers, one cycle after the step that makes them. A packet takes two cycles before its first byte. Then come, one a cycle, its header, the fields before the map or address,
//! and eight bits each of map and address. With more than one core in the trace, the core is in a byte after the header, which takes one cycle.
//! A packet is cut to whole bytes: the bits above its last field, and those of that field that equal the one below, are not sent.
//! The last address of a core is in a register with one core, in a memory of one word per core with more.
//!
//! Golden model: [`sim::baseline::etrace::Encoder`].

use super::entry::{DEPTH, POST_ENDED, POST_EPC, PRE_FULL, PRE_REPORT, PRE_SYNC};
use super::field::Field;
use super::head::Head;
use super::size::Size;
use super::slice::{modes, Slice};
use super::step::PacketStep;
use crate::spine::event_fifo::{FIELD_COUNT, FIELD_INSTRUCTIONS, FIELD_PC, FIELD_TARGET};
use crate::spine::front_port::EncoderPort;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::widget::slot::part;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::baseline::etrace::EtraceParams;

/// The encoder, for words of W bits.
#[derive(LogicBlock, Default)]
pub struct EtraceEncoder<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub port: EncoderPort<W>,
    head: Head<W>,
    field: Field<W>,
    size: Size<W>,
    slice: Slice,
    step: DFF<PacketStep>,
    next_step: Signal<Local, PacketStep>,
    // of the entry; packets that were sent are removed
    branches: DFF<Bits<5>>,
    updiscon: DFF<Bit>,
    announce: DFF<Bit>,
    branch: DFF<Bit>,
    reported: DFF<Bit>,
    trap: DFF<Bit>,
    notify: DFF<Bit>,
    irreport: DFF<Bit>,
    // an address is reported before that of the report; it was
    via: DFF<Bit>,
    led: DFF<Bit>,
    next_via: Signal<Local, Bit>,
    depth: DFF<Bits<6>>,
    counted: DFF<Bit>,
    failed: DFF<Bit>,
    indexed: DFF<Bit>,
    newest: DFF<Bit>,
    hidden: DFF<Bit>,
    pre: DFF<Bits<2>>,
    post: DFF<Bits<2>>,
    // the synchronization is that at the target of a jump
    epc: DFF<Bit>,
    kinds: Signal<Local, Bits<W>>,
    // last reported address of the core
    last: Mem<4, W>,
    own_last: DFF<Bits<W>>,
    address: Signal<Local, Bits<W>>,
    // bits of the map or of the last field that were not sent, and those above, the top one of which repeats
    value: DFF<Bits<W>>,
    tail: DFF<Bits<8>>,
    fill: Signal<Local, Bit>,
    left: DFF<Bits<7>>,
    map_parts: DFF<Bits<2>>,
    // packet
    is_report: Signal<Local, Bit>,
    is_full: Signal<Local, Bit>,
    is_trap: Signal<Local, Bit>,
    is_index: Signal<Local, Bit>,
    is_sync: Signal<Local, Bit>,
    // bits of an index and of the number of branches that were not sent with the format
    spill: DFF<Bits<8>>,
    branch_format: Signal<Local, Bits<W>>,
    predictors: Fixed<Bit>,
    targets: Fixed<Bit>,
    options: Fixed<Bit>,
    // with a filter; with the privilege mode, and with the address space: its slices of eight bits; with time stamps
    filter: Fixed<Bit>,
    contexts: Fixed<Bit>,
    spaces: Fixed<Bit>,
    space_first: Fixed<Bits<2>>,
    stamped: Fixed<Bit>,
    // the step after format, time and address space; the address space
    after_head: Signal<Local, PacketStep>,
    space: Signal<Local, Bits<W>>,
    ends: Signal<Local, Bit>,
    format_at: Fixed<Bits<7>>,
    two_w: Fixed<Bits<W>>,
    three_w: Fixed<Bits<W>>,
    shifted: Signal<Local, Bits<W>>,
    status: Signal<Local, Bits<2>>,
    long_support: Signal<Local, Bit>,
    many: Fixed<Bit>,
    // packets have the number of the core
    numbered: Fixed<Bit>,
    returns: Fixed<Bit>,
    ones_8: Fixed<Bits<8>>,
    tail_at: Fixed<Bits<7>>,
    depth_at: Fixed<Bits<5>>,
    sends: Signal<Local, Bit>,
    advance: Signal<Local, Bit>,
    ends_packet: Signal<Local, Bit>,
    // after this packet
    rest_pre: Signal<Local, Bits<2>>,
    rest_post: Signal<Local, Bits<2>>,
    more_supports: Signal<Local, Bit>,
    // to the packer
    out_valid: DFF<Bit>,
    out_count: DFF<Bits<4>>,
    out_data: DFF<Bits<8>>,
    moves: Signal<Local, Bit>,
    next_epc: Signal<Local, Bit>,
    next_full: Signal<Local, Bit>,
    pre_report: Fixed<Bits<2>>,
    pre_full: Fixed<Bits<2>>,
    pre_sync: Fixed<Bits<2>>,
    post_epc: Fixed<Bits<2>>,
    post_ended: Fixed<Bits<2>>,
    count_bits: Fixed<Bits<5>>,
    eight: Fixed<Bits<7>>,
    one_2: Fixed<Bits<2>>,
    three_2: Fixed<Bits<2>>,
    f_count: Fixed<Bits<2>>,
    f_map: Fixed<Bits<2>>,
    f_pc: Fixed<Bits<2>>,
    f_target: Fixed<Bits<2>>,
}

impl<const W: usize> EtraceEncoder<W> {
    /// The encoder for `params`, with a filter or without.
    ///
    /// # Panics
    /// When W is not `xlen`.
    pub fn new(params: &EtraceParams, filter: bool) -> Self {
        assert!(usize::from(params.xlen) == W, "xlen = {} is not W = {W}", params.xlen);
        let options = &params.options;
        let (many, returns) = (params.cores > 1, options.return_stack > 0);
        let index_bits = options.jump_targets;
        let space_bits = params.context.unwrap_or(0);
        let ti_bits = u32::from(params.cores).next_power_of_two().trailing_zeros() as usize;
        Self {
            last: Mem::new(ti_bits.max(1), if many && !options.full { W - 1 } else { 0 }),
            many: Fixed::new(many),
            numbered: Fixed::new(params.sources() > 1),
            returns: Fixed::new(returns),
            ones_8: Fixed::of(0xffu8),
            tail_at: Fixed::of(W as u64 - 8),
            depth_at: Fixed::of(DEPTH as u64),
            predictors: Fixed::new(options.predictors > 0),
            targets: Fixed::new(index_bits > 0),
            options: Fixed::new(modes(options) > 0),
            filter: Fixed::new(filter),
            contexts: Fixed::new(params.context.is_some()),
            spaces: Fixed::new(space_bits > 0),
            space_first: Fixed::of(space_bits.saturating_sub(1) / 8),
            stamped: Fixed::new(params.timestamps),
            format_at: Fixed::of(27u8),
            two_w: Fixed::of(2u8),
            three_w: Fixed::of(3u8),
            head: Head::new(params),
            field: Field::new(options),
            size: Size::new(),
            slice: Slice::new(params),
            pre_report: Fixed::of(PRE_REPORT),
            pre_full: Fixed::of(PRE_FULL),
            pre_sync: Fixed::of(PRE_SYNC),
            post_epc: Fixed::of(POST_EPC),
            post_ended: Fixed::of(POST_ENDED),
            count_bits: Fixed::of(crate::spine::entry::COUNT_PORT_BITS as u64),
            eight: Fixed::of(8u8),
            one_2: Fixed::of(1u8),
            three_2: Fixed::of(3u8),
            f_count: Fixed::of(FIELD_COUNT),
            f_map: Fixed::of(FIELD_INSTRUCTIONS),
            f_pc: Fixed::of(FIELD_PC),
            f_target: Fixed::of(FIELD_TARGET),
            ..Default::default()
        }
    }
}

// a kernel has no guards; the constant condition is nested alone, so that the Verilog writer can fold it
#[allow(clippy::collapsible_match, clippy::collapsible_if)]
impl<const W: usize> Logic for EtraceEncoder<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, branches, updiscon, announce, branch, reported, trap, pre, post, epc);
        dff_setup!(self, clock, own_last, value, tail, left, map_parts, notify, irreport, depth, via, led);
        dff_setup!(self, clock, out_valid, out_count, out_data, counted, failed, indexed, newest, spill, hidden);
        clock!(self, clock, last);

        // the packet
        self.is_report.next = self.pre.q.val() == self.pre_report.val();
        self.is_full.next = self.pre.q.val() == self.pre_full.val();
        self.is_sync.next = self.pre.q.val() == self.pre_sync.val();
        self.is_trap.next = self.is_sync.val() & self.trap.q.val();
        self.ends.next = self.post.q.val() == self.post_ended.val();
        if self.filter.val() {
            if self.hidden.q.val() & self.post.q.val().get_bit(1) {
                self.ends.next = true;
            }
        }
        self.status.next = 0.into();
        if !self.announce.q.val() {
            self.status.next = self.post.q.val();
            if self.ends.val() {
                self.status.next = self.three_2.val();
                if self.reported.q.val() {
                    self.status.next = self.one_2.val();
                }
            }
        }
        self.long_support.next = self.status.val().get_bit(1) | self.options.val();
        self.is_index.next = self.is_report.val() & self.indexed.q.val();
        self.head.is_report.next = self.is_report.val();
        self.head.is_full.next = self.is_full.val();
        self.head.is_trap.next = self.is_trap.val();
        self.head.is_index.next = self.is_index.val();
        self.head.is_sync.next = self.is_sync.val();
        self.head.privilege.next = 0.into();
        if self.contexts.val() {
            self.head.privilege.next = self.port.entry.hist.val().get_bits::<2>(0);
        }
        self.head.counted.next = self.counted.q.val();
        self.head.branch.next = self.branch.q.val();
        self.head.branches.next = self.branches.q.val();
        self.head.newest.next = self.newest.q.val();
        self.head.word.next = self.port.entry.word.val();
        self.field.is_index.next = self.is_index.val();
        self.field.top.next = self.head.top.val();

        // the last field
        self.address.next = self.own_last.q.val();
        if self.many.val() {
            self.address.next = self.last.rdata.val();
            // the memory was written in the cycle before
            if self.led.q.val() {
                self.address.next = self.own_last.q.val();
            }
        }
        self.field.is_report.next = self.is_report.val();
        self.field.is_full.next = self.is_full.val();
        self.field.is_trap.next = self.is_trap.val();
        self.field.word.next = self.port.entry.word.val();
        self.field.last.next = self.address.val();
        self.field.notify.next = self.notify.q.val() | self.via.q.val();
        self.field.updiscon.next = self.updiscon.q.val();
        self.field.irreport.next = self.irreport.q.val();
        self.field.depth.next = self.depth.q.val();
        self.fill.next = self.tail.q.val().get_bit(7);
        self.shifted.next = (self.value.q.val() >> 8) | (bit_cast::<W, 8>(self.tail.q.val()) << self.tail_at.val());

        self.size.value.next = self.value.q.val();
        self.size.fill.next = self.fill.val();
        self.size.extra.next = 0.into();
        if self.returns.val() {
            self.size.extra.next = self.tail.q.val();
            if self.fill.val() {
                self.size.extra.next = self.tail.q.val() ^ self.ones_8.val();
            }
        }
        self.size.prefix.next = self.head.prefix.val();
        self.branch_format.next = self.two_w.val();
        if self.failed.q.val() {
            self.branch_format.next = self.three_w.val();
        }
        self.slice.step.next = self.step.q.val();
        self.slice.bytes.next = self.size.bytes.val();
        self.slice.core.next = self.port.entry.core.val();
        self.slice.head.next = self.head.data.val();
        self.slice.head_count.next = self.head.count.val();
        self.slice.spill.next = self.spill.q.val();
        self.slice.value.next = self.value.q.val().get_bits::<8>(0);
        self.slice.more.next = self.map_parts.q.val().any();
        self.slice.map_last.next = self.head.map_last.val();
        self.slice.epc.next = self.epc.q.val();
        self.slice.left.next = self.left.q.val();
        self.slice.status.next = self.status.val();
        self.slice.long_support.next = self.long_support.val();
        self.sends.next = (self.step.q.val() != PacketStep::Open) & (self.step.q.val() != PacketStep::Load);
        self.moves.next = self.port.bits.ready.val() | !self.out_valid.q.val();
        self.advance.next = self.port.entry.have.val() & (!self.sends.val() | self.moves.val());
        if self.moves.val() {
            self.out_valid.d.next = self.port.entry.have.val() & self.sends.val();
            self.out_count.d.next = self.slice.count.val();
            self.out_data.d.next = self.slice.data.val();
        }
        self.port.bits.valid.next = self.out_valid.q.val();
        self.port.bits.count.next = self.out_count.q.val();
        self.port.bits.data.next = self.out_data.q.val();
        self.port.bits.high.next = 0.into();
        self.port.bits.busy.next = self.out_valid.q.val();

        self.last.raddr.next = self.port.entry.core.val();
        self.last.waddr.next = self.port.entry.core.val();
        self.last.wdata.next = self.port.entry.word.val();
        self.last.we.next = false;

        // the next step
        self.after_head.next = PacketStep::Last;
        if self.is_trap.val() {
            self.after_head.next = PacketStep::Cause;
        }
        self.space.next = bit_cast::<W, 32>(self.port.entry.hist.val() >> 2);
        self.kinds.next = self.port.entry.word.val() >> self.count_bits.val();
        self.ends_packet.next = false;
        self.next_step.next = self.step.q.val();
        self.rest_pre.next = self.pre.q.val();
        self.rest_post.next = self.post.q.val();
        self.more_supports.next = self.announce.q.val();
        self.next_via.next = self.via.q.val();
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
                    if self.predictors.val() {
                        self.notify.d.next = self.port.entry.word.val().get_bit(10);
                        self.counted.d.next = self.port.entry.word.val().get_bit(19);
                        self.failed.d.next = self.port.entry.word.val().get_bit(20);
                    }
                    if self.filter.val() {
                        self.hidden.d.next = self.port.entry.word.val().get_bit(23);
                    }
                    if self.targets.val() {
                        self.indexed.d.next = self.port.entry.word.val().get_bit(21);
                        self.newest.d.next = self.port.entry.word.val().get_bit(22);
                    }
                    if self.returns.val() {
                        self.notify.d.next = self.port.entry.word.val().get_bit(10);
                        self.irreport.d.next = self.port.entry.word.val().get_bit(11);
                        self.next_via.next = self.port.entry.word.val().get_bit(18);
                        self.led.d.next = false;
                        self.depth.d.next = bit_cast::<6, W>(self.port.entry.word.val() >> self.depth_at.val());
                    }
                }
                PacketStep::Load => {
                    self.value.d.next = self.field.value.val();
                    self.tail.d.next = self.field.tail.val();
                    self.next_step.next = PacketStep::Header;
                }
                PacketStep::Header => {
                    self.left.d.next = self.size.left.val();
                    self.map_parts.d.next = self.head.map_first.val();
                    self.next_step.next = PacketStep::Format;
                    if self.numbered.val() {
                        self.next_step.next = PacketStep::Source;
                    }
                }
                PacketStep::Source => self.next_step.next = PacketStep::Format,
                PacketStep::Format => {
                    self.next_step.next = self.after_head.val();
                    if self.spaces.val() {
                        if self.is_sync.val() {
                            self.value.d.next = self.space.val();
                            self.map_parts.d.next = self.space_first.val();
                            self.next_step.next = PacketStep::Context;
                        }
                    }
                    if self.stamped.val() {
                        if self.is_sync.val() {
                            self.value.d.next = bit_cast::<W, 32>(self.port.entry.cc.val());
                            self.map_parts.d.next = self.three_2.val();
                            self.next_step.next = PacketStep::Time;
                        }
                    }
                    if self.head.has_map.val() {
                        self.value.d.next = self.port.entry.word.val();
                        self.next_step.next = PacketStep::Map;
                    }
                    if self.predictors.val() {
                        if self.counted.q.val() & self.is_report.val() {
                            self.value.d.next =
                                (self.port.entry.word.val() >> 5) | (self.branch_format.val() << self.format_at.val());
                        }
                    }
                    if self.targets.val() {
                        if self.is_index.val() {
                            self.value.d.next = self.value.q.val();
                            self.spill.d.next = self.head.indices.val().get_bits::<8>(8);
                            self.next_step.next = PacketStep::Index;
                        }
                    }
                }
                PacketStep::Index => {
                    self.next_step.next = PacketStep::Last;
                    if self.head.has_map.val() {
                        self.value.d.next = self.port.entry.word.val();
                        self.next_step.next = PacketStep::Map;
                    }
                }
                PacketStep::Context => {
                    self.value.d.next = self.shifted.val();
                    self.map_parts.d.next = self.map_parts.q.val() - self.one_2.val();
                    if !self.map_parts.q.val().any() {
                        self.value.d.next = self.field.value.val();
                        self.next_step.next = self.after_head.val();
                    }
                }
                PacketStep::Time => {
                    if self.stamped.val() {
                        self.value.d.next = self.shifted.val();
                        self.map_parts.d.next = self.map_parts.q.val() - self.one_2.val();
                        if !self.map_parts.q.val().any() {
                            self.value.d.next = self.field.value.val();
                            self.next_step.next = self.after_head.val();
                            if self.spaces.val() {
                                self.value.d.next = self.space.val();
                                self.map_parts.d.next = self.space_first.val();
                                self.next_step.next = PacketStep::Context;
                            }
                        }
                    }
                }
                PacketStep::Cause => self.next_step.next = PacketStep::Last,
                PacketStep::Map => {
                    self.value.d.next = self.shifted.val();
                    self.map_parts.d.next = self.map_parts.q.val() - self.one_2.val();
                    if !self.map_parts.q.val().any() {
                        self.value.d.next = self.field.value.val();
                        self.next_step.next = PacketStep::Last;
                    }
                }
                PacketStep::Last => {
                    self.value.d.next = self.shifted.val();
                    self.tail.d.next = 0.into();
                    if self.fill.val() {
                        self.tail.d.next = self.ones_8.val();
                    }
                    self.left.d.next = self.left.q.val() - self.eight.val();
                    if self.slice.is_last.val() {
                        self.ends_packet.next = true;
                        self.rest_pre.next = 0.into();
                        if self.via.q.val() {
                            // then the report itself, without branches
                            self.rest_pre.next = self.pre.q.val();
                            self.branches.d.next = 0.into();
                            self.counted.d.next = false;
                            self.next_via.next = false;
                            self.led.d.next = true;
                        }
                        self.last.we.next = self.many.val() & !self.is_full.val();
                        if !self.is_full.val() {
                            self.own_last.d.next = self.port.entry.word.val();
                        }
                    }
                }
                PacketStep::SupportHeader => {
                    self.next_step.next = PacketStep::Support;
                    if self.numbered.val() {
                        self.next_step.next = PacketStep::SupportSource;
                    }
                }
                PacketStep::SupportSource => self.next_step.next = PacketStep::Support,
                PacketStep::Support => {
                    self.next_step.next = PacketStep::SupportOptions;
                    if !self.long_support.val() {
                        self.ends_packet.next = true;
                    }
                }
                PacketStep::SupportOptions => self.ends_packet.next = true,
            }
            if self.ends_packet.val()
                & ((self.step.q.val() == PacketStep::Support) | (self.step.q.val() == PacketStep::SupportOptions))
            {
                // that at the beginning, or that at the end
                self.more_supports.next = false;
                if !self.announce.q.val() {
                    self.rest_post.next = 0.into();
                }
            }
        }
        self.via.d.next = self.next_via.val();
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
        if self.next_epc.val() | self.next_via.val() {
            self.port.entry.field.next = self.f_target.val();
        }
        if self.next_full.val() | (self.next_step.val() == PacketStep::Format) {
            self.port.entry.field.next = self.f_map.val();
        }
        if self.targets.val() {
            // the index is a part of the address
            if self.is_index.val() & (self.next_step.val() == PacketStep::Format) {
                self.port.entry.field.next = self.f_pc.val();
            }
            if self.next_step.val() == PacketStep::Index {
                self.port.entry.field.next = self.f_map.val();
            }
        }
        if self.next_step.val() == PacketStep::Open {
            self.port.entry.field.next = self.f_count.val();
        }
        self.port.entry.ends.next = self.post.q.val() == self.post_ended.val();
        self.port.entry.again.next = false;
        self.port.entry.uses_resync_pc.next = false;
        // also what an encoder without an option never sets, which would otherwise stay unknown
        if self.port.reset.val() {
            self.step.d.next = PacketStep::Open;
            self.out_valid.d.next = false;
            self.notify.d.next = false;
            self.irreport.d.next = false;
            self.via.d.next = false;
            self.led.d.next = false;
            self.depth.d.next = 0.into();
            self.counted.d.next = false;
            self.failed.d.next = false;
            self.indexed.d.next = false;
            self.newest.d.next = false;
            self.hidden.d.next = false;
        }
    }
}

part!(EtraceEncoder<W>, EncoderPort<W>, "encoder");
