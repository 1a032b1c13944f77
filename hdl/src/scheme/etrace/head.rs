//! Head of a packet: the fields before its map and last field, and the number of bits before each
//!
//! # Source
//! Efficient Trace for RISC-V 2.0, chapter 7.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `is_report`, `is_full`, `is_trap` | in | 1 | the packet: an address, 31 branches or a count, a trap; none: a start |
//! | `is_sync`, `privilege` | in | 1, 2 | a start or trap; where contexts are reported: its privilege mode |
//! | `is_index` | in | 1 | with `is_report`: an index in place of the address |
//! | `counted` | in | 1 | with `is_report` or `is_full`: a count in place of a map |
//! | `branch` | in | 1 | of a start or trap |
//! | `branches`, `newest` | in | 5, 1 | branches of the map, and its newest bit |
//! | `word` | in | W | the address, without the low bit that is always 0; of a count: the count |
//! | `has_map` | out | 1 | there is a map, or a count before an address |
//! | `top` | out | 1 | last bit of the map, or of the number of branches |
//! | `prefix` | out | 7 | bits before the last field |
//! | `map_first`, `map_last` | out | 2, 4 | slices of eight bits of the map, and bits of the slice after them |
//! | `data`, `count` | out | 8, 4 | the first slice, and its bits |
//! | `indices` | out | 16 | of an index: format, index and `branches`; `data` is the low half |
//!
//! # Timing
//! In the same cycle.
//!
//! Golden model: the encoder of packets of `riscv-etrace`, and `sim::baseline::etrace` for format 0.

use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::baseline::etrace::{EtraceParams, TIME_BITS};

/// The head of a packet, for words of W bits.
#[derive(LogicBlock, Default)]
pub struct Head<const W: usize> {
    pub is_report: Signal<In, Bit>,
    pub is_full: Signal<In, Bit>,
    pub is_trap: Signal<In, Bit>,
    pub is_index: Signal<In, Bit>,
    pub is_sync: Signal<In, Bit>,
    pub privilege: Signal<In, Bits<2>>,
    pub counted: Signal<In, Bit>,
    pub branch: Signal<In, Bit>,
    pub branches: Signal<In, Bits<5>>,
    pub newest: Signal<In, Bit>,
    pub word: Signal<In, Bits<W>>,
    pub has_map: Signal<Out, Bit>,
    pub top: Signal<Out, Bit>,
    pub prefix: Signal<Out, Bits<7>>,
    pub map_first: Signal<Out, Bits<2>>,
    pub map_last: Signal<Out, Bits<4>>,
    pub data: Signal<Out, Bits<8>>,
    pub count: Signal<Out, Bits<4>>,
    pub indices: Signal<Out, Bits<16>>,
    prefix_of_map: Signal<Local, Bits<7>>,
    predictors: Fixed<Bit>,
    // a synchronization has a time or an address space
    longer: Fixed<Bit>,
    c_start: Fixed<Bits<7>>,
    targets: Fixed<Bit>,
    index_mask: Fixed<Bits<8>>,
    branches_at: Fixed<Bits<4>>,
    index_format: Fixed<Bits<16>>,
    one_5: Fixed<Bits<5>>,
    c_count: Fixed<Bits<7>>,
    c_counted: Fixed<Bits<7>>,
    index_extra: Fixed<Bits<7>>,
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
    five_4: Fixed<Bits<4>>,
    seven_4: Fixed<Bits<4>>,
    eight_4: Fixed<Bits<4>>,
    sync_format: Fixed<Bits<8>>,
    trap_format: Fixed<Bits<8>>,
}

/// Bits of a packet before the address: of a report without branches, of one before its map or of a start, of a trap.
const REPORT_BITS: u8 = 2;
const MAP_BITS: u8 = 7;
const TRAP_BITS: u8 = 15;
/// Of a count: before it; before the address after it. Of an index, in addition to the index and the map.
const COUNT_BITS: u8 = 3;
const COUNTED_BITS: u8 = 37;
const INDEX_BITS: u8 = 8;

impl<const W: usize> Head<W> {
    /// The circuit for `params`.
    pub fn new(params: &EtraceParams) -> Self {
        let options = &params.options;
        let (index_bits, space_bits) = (options.jump_targets, params.context.unwrap_or(0));
        let more_bits = space_bits + if params.timestamps { TIME_BITS } else { 0 };
        // machine mode, where contexts are not reported
        let privilege = if params.context.is_some() { 0 } else { 0x60u8 };
        Self {
            predictors: Fixed::new(options.predictors > 0),
            targets: Fixed::new(index_bits > 0),
            longer: Fixed::new(more_bits > 0),
            c_start: Fixed::of(MAP_BITS + more_bits),
            index_mask: Fixed::of((1u16 << index_bits) - 1),
            branches_at: Fixed::of(3 + index_bits),
            // format 0, subformat 1
            index_format: Fixed::of(0b100u8),
            one_5: Fixed::of(1u8),
            c_count: Fixed::of(COUNT_BITS),
            c_counted: Fixed::of(COUNTED_BITS),
            // the format of a map has the seven bits of MAP_BITS
            index_extra: Fixed::of(INDEX_BITS - MAP_BITS + index_bits),
            c_report: Fixed::of(REPORT_BITS),
            c_map: Fixed::of(MAP_BITS),
            c_trap: Fixed::of(TRAP_BITS + more_bits),
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
            five_4: Fixed::of(5u8),
            seven_4: Fixed::of(7u8),
            eight_4: Fixed::of(8u8),
            // format 3.0; format 3.1
            sync_format: Fixed::of(0x03 | privilege),
            trap_format: Fixed::of(0x07 | privilege),
            ..Default::default()
        }
    }
}

// the constant condition is nested alone, so that the Verilog writer can fold it
#[allow(clippy::collapsible_if)]
impl<const W: usize> Logic for Head<W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.has_map.next = self.is_report.val() & self.branches.val().any();
        // the last bit of the map, or of the number of branches: a map that is not full ends with zeros
        self.top.next = self.newest.val()
            & self.branches.val().any()
            & !(self.branches.val() & (self.branches.val() + self.one_5.val())).any();
        self.prefix.next = self.c_map.val();
        if self.is_report.val() {
            self.prefix.next = self.c_report.val();
            if self.branches.val().any() {
                self.prefix.next = self.map_1.val();
            }
            if self.branches.val().get_bit(1) {
                self.prefix.next = self.map_3.val();
            }
            if self.branches.val().get_bit(2) {
                self.prefix.next = self.map_7.val();
            }
            if self.branches.val().get_bit(3) {
                self.prefix.next = self.map_15.val();
            }
            if self.branches.val().get_bit(4) {
                self.prefix.next = self.map_31.val();
            }
        }
        self.prefix_of_map.next = self.prefix.val();
        if self.targets.val() {
            if self.is_index.val() {
                // a packet without a map has a number of branches, too
                self.prefix.next = self.prefix_of_map.val() + self.index_extra.val();
                if !self.branches.val().any() {
                    self.prefix.next = self.c_map.val() + self.index_extra.val();
                }
            }
        }
        if self.predictors.val() {
            if self.counted.val() {
                if self.is_report.val() {
                    self.prefix.next = self.c_counted.val();
                }
                if self.is_full.val() {
                    self.prefix.next = self.c_count.val();
                }
            }
        }
        if self.longer.val() {
            if self.is_sync.val() {
                self.prefix.next = self.c_start.val();
            }
        }
        if self.is_trap.val() {
            self.prefix.next = self.c_trap.val();
        }
        // the map: parts of eight bits, then the rest
        self.map_first.next = 0.into();
        self.map_last.next = self.seven_4.val();
        if !self.branches.val().get_bit(4) & !self.branches.val().get_bit(3) & !self.branches.val().get_bit(2) {
            self.map_last.next = self.three_4.val();
            if !self.branches.val().get_bit(1) {
                self.map_last.next = self.one_4.val();
            }
        }
        if self.branches.val().get_bit(3) {
            self.map_first.next = self.one_2.val();
        }
        if self.branches.val().get_bit(4) {
            self.map_first.next = self.three_2.val();
        }
        if self.predictors.val() {
            if self.counted.val() {
                // 27 bits of the count, and two of the format
                self.map_last.next = self.five_4.val();
            }
        }

        self.indices.next = (bit_cast::<16, W>(self.word.val() & bit_cast::<W, 8>(self.index_mask.val())) << 3)
            | (bit_cast::<16, 5>(self.branches.val()) << self.branches_at.val())
            | self.index_format.val();
        self.data.next = self.sync_format.val()
            | (bit_cast::<8, 1>(self.branch.val().into()) << 4)
            | (bit_cast::<8, 2>(self.privilege.val()) << 5);
        if self.is_trap.val() {
            self.data.next = self.trap_format.val()
                | (bit_cast::<8, 1>(self.branch.val().into()) << 4)
                | (bit_cast::<8, 2>(self.privilege.val()) << 5);
        }
        if self.is_full.val() {
            self.data.next = 1.into();
        }
        if self.is_report.val() {
            self.data.next = 2.into();
            if self.has_map.val() {
                self.data.next = (bit_cast::<8, 5>(self.branches.val()) << 2) | 1;
            }
        }
        if self.targets.val() {
            if self.is_index.val() {
                self.data.next = self.indices.val().get_bits::<8>(0);
            }
        }
        if self.predictors.val() {
            if self.counted.val() & self.is_report.val() {
                self.data.next = self.word.val().get_bits::<8>(0) << 3;
            }
            if self.counted.val() & self.is_full.val() {
                self.data.next = 0.into();
            }
        }
        self.count.next = self.seven_4.val();
        if self.is_report.val() & !self.has_map.val() {
            self.count.next = self.two_4.val();
        }
        if self.targets.val() {
            if self.is_index.val() {
                self.count.next = self.eight_4.val();
            }
        }
        if self.predictors.val() {
            if self.counted.val() & self.is_report.val() {
                self.count.next = self.eight_4.val();
            }
            if self.counted.val() & self.is_full.val() {
                self.count.next = self.three_4.val();
            }
        }
    }
}
