//! Slice of a packet: the bits of each step of the encoder
//!
//! # Source
//! Efficient Trace for RISC-V 2.0, chapter 7, with the SMI header: length 5, type 2 (2: instruction trace), time tag 1 (0).
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `step` | in | | the step |
//! | `bytes` | in | 4 | bytes of the packet, without the header |
//! | `core` | in | 4 | its core |
//! | `head`, `head_count` | in | 8, 4 | fields from the format on, and their bits |
//! | `spill` | in | 8 | the rest of an index and of the number of branches |
//! | `value` | in | 8 | the next bits of time, address space, map or last field |
//! | `more` | in | 1 | there are more slices of the time, address space or map after this one |
//! | `map_last` | in | 4 | bits of the last slice of the map |
//! | `epc` | in | 1 | a trap without the address of its handler |
//! | `left` | in | 7 | bits of the last field that were not sent, 1 or more |
//! | `status`, `long_support` | in | 2, 1 | `qual_status` of a support packet; it has a second byte |
//! | `is_last` | out | 1 | with the last field: the packet ends with this slice |
//! | `data`, `count` | out | 8, 4 | the slice, and its bits, 1 to 8 |
//!
//! # Timing
//! In the same cycle.
//!
//! Golden model: the encoder of packets of `riscv-etrace`.

use super::step::PacketStep;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::baseline::etrace::{EtraceParams, Options};

/// Header byte of instruction trace, without the length.
const HEADER: u8 = 0b10 << 5;

/// Second byte of a support packet: implicit return, full addresses, jump target cache, branch prediction.
pub fn modes(options: &Options) -> u8 {
    let bit = |is: bool, at: u8| u8::from(is) << at;
    bit(options.return_stack > 0, 0)
        | bit(options.full, 2)
        | bit(options.jump_targets > 0, 3)
        | bit(options.predictors > 0, 4)
}

/// The slices of packets.
#[derive(LogicBlock, Default)]
pub struct Slice {
    pub step: Signal<In, PacketStep>,
    pub bytes: Signal<In, Bits<4>>,
    pub core: Signal<In, Bits<4>>,
    pub head: Signal<In, Bits<8>>,
    pub head_count: Signal<In, Bits<4>>,
    pub spill: Signal<In, Bits<8>>,
    pub value: Signal<In, Bits<8>>,
    pub more: Signal<In, Bit>,
    pub map_last: Signal<In, Bits<4>>,
    pub epc: Signal<In, Bit>,
    pub left: Signal<In, Bits<7>>,
    pub status: Signal<In, Bits<2>>,
    pub long_support: Signal<In, Bit>,
    pub is_last: Signal<Out, Bit>,
    pub data: Signal<Out, Bits<8>>,
    pub count: Signal<Out, Bits<4>>,
    // whether eight or more bits of the last field are left, and the number above a multiple of eight
    whole: Signal<Local, Bit>,
    rest: Signal<Local, Bits<3>>,
    octet_mask: Signal<Local, Bits<8>>,
    index_bits: Fixed<Bits<4>>,
    space_last: Fixed<Bits<4>>,
    eight: Fixed<Bits<7>>,
    eight_4: Fixed<Bits<4>>,
    ones: Fixed<Bits<8>>,
    header: Fixed<Bits<8>>,
    short_header: Fixed<Bits<8>>,
    long_header: Fixed<Bits<8>>,
    support: Fixed<Bits<8>>,
    ioptions: Fixed<Bits<8>>,
    thaddr: Fixed<Bits<8>>,
}

impl Slice {
    /// The circuit for `params`.
    pub fn new(params: &EtraceParams) -> Self {
        let space_bits = params.context.unwrap_or(0);
        Self {
            index_bits: Fixed::of(params.options.jump_targets),
            space_last: Fixed::of(space_bits.saturating_sub(1) % 8 + 1),
            eight: Fixed::of(8u8),
            eight_4: Fixed::of(8u8),
            ones: Fixed::of(0xffu8),
            header: Fixed::of(HEADER),
            short_header: Fixed::of(HEADER | 1),
            long_header: Fixed::of(HEADER | 2),
            // format 3.3, enabled, branch trace
            support: Fixed::of(0x1fu8),
            ioptions: Fixed::of(modes(&params.options)),
            thaddr: Fixed::of(0x80u8),
            ..Default::default()
        }
    }
}

// a kernel has no guards
#[allow(clippy::collapsible_match)]
impl Logic for Slice {
    #[hdl_gen]
    fn update(&mut self) {
        self.whole.next = self.left.val().get_bits::<4>(3).any();
        self.rest.next = self.left.val().get_bits::<3>(0);
        self.octet_mask.next = self.ones.val();
        if !self.whole.val() {
            self.octet_mask.next = (self.ones.val() << self.rest.val()) ^ self.ones.val();
        }
        self.is_last.next = !self.whole.val() | (self.left.val() == self.eight.val());
        self.count.next = self.eight_4.val();
        self.data.next = 0.into();
        match self.step.val() {
            PacketStep::Header => self.data.next = self.header.val() | bit_cast::<8, 4>(self.bytes.val()),
            PacketStep::Source => self.data.next = bit_cast::<8, 4>(self.core.val()),
            PacketStep::Format => {
                self.data.next = self.head.val();
                self.count.next = self.head_count.val();
            }
            PacketStep::Index => {
                self.data.next = self.spill.val();
                self.count.next = self.index_bits.val();
            }
            PacketStep::Context => {
                self.data.next = self.value.val();
                if !self.more.val() {
                    self.count.next = self.space_last.val();
                }
            }
            PacketStep::Time => self.data.next = self.value.val(),
            PacketStep::Cause => {
                if !self.epc.val() {
                    self.data.next = self.thaddr.val();
                }
            }
            PacketStep::Map => {
                self.data.next = self.value.val();
                if !self.more.val() {
                    self.count.next = self.map_last.val();
                }
            }
            PacketStep::Last => {
                self.data.next = self.value.val() & self.octet_mask.val();
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
            PacketStep::SupportSource => self.data.next = bit_cast::<8, 4>(self.core.val()),
            PacketStep::SupportOptions => self.data.next = self.ioptions.val(),
            PacketStep::Support => {
                self.data.next = self.support.val() | (bit_cast::<8, 2>(self.status.val()) << 6);
            }
            _ => {}
        }
    }
}
