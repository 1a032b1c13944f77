//! Registers and fields of the RAM sink component, in its own page
//!
//! Everything else in the page reads as 0 and ignores writes: among it, the address where the memory starts (0), and the upper halves
//! of the addresses.

use super::map::{field, implementation, lookup, Reg};
use super::RAM_SINK;
use crate::regs::RegAccess::{ReadNext, Ro, Rw};

/// All registers of the RAM sink, by offset.
pub const REGS: &[Reg] = &[
    Reg {
        name: "ram_control",
        offset: 0x000,
        doc: "trRamControl: control of the RAM sink",
        fields: &[
            field("active", 0, 1, Rw, "trRamActive: 1: the sink is active; 0: all other fields have their reset values, the memory keeps its contents"),
            field("enable", 1, 1, Rw, "trRamEnable: 1: words of the trace are stored; 0: they are discarded. Becomes 0 when the memory is full, with stop_on_wrap"),
            field("empty", 3, 1, Ro, "trRamEmpty: always 1: a word is in the memory when it has left the encoder").reset(|_| 1),
            field("mode", 4, 1, Ro, "trRamMode: 0: the SRAM of the sink"),
            field("stop_on_wrap", 8, 1, Rw, "trRamStopOnWrap: 1: stops when the memory is full; 0: overwrites the oldest words"),
            field("mem_format", 9, 2, Ro, "trRamMemFormat: 0: plain bytes"),
            field("async_freq", 12, 3, Ro, "trRamAsyncFreq: 0: no alignment synchronisation"),
        ],
    },
    Reg {
        name: "ram_impl",
        offset: 0x004,
        doc: "trRamImpl: implementation",
        fields: implementation!(
            "trRam",
            RAM_SINK,
            "9: RAM sink",
            field("has_sram", 12, 1, Ro, "trRamHasSRAM: 1: the sink has an SRAM").reset(|_| 1),
            field("has_smem", 13, 1, Ro, "trRamHasSMEM: 0: it does not write to system memory"),
        ),
    },
    Reg {
        name: "ram_limit_low",
        offset: 0x018,
        doc: "trRamLimitLow: address of the last word of the memory",
        fields: &[field("limit", 2, 30, Ro, "trRamLimitLow: number of the last word; the memory begins at 0").reset(|f| (f.sink.sram() / 4).saturating_sub(1))],
    },
    Reg {
        name: "ram_wp_low",
        offset: 0x020,
        doc: "trRamWPLow: write pointer. A write while the sink is enabled is ignored",
        fields: &[
            field("wrap", 0, 1, Rw, "trRamWrap: 1: the last word of the memory was written since ram_wp_low was; a write makes it 0").legal(|_| 0),
            field("wp", 2, 30, Rw, "trRamWPLow: word that is written next; bits above the size of the memory are 0"),
        ],
    },
    Reg {
        name: "ram_rp_low",
        offset: 0x028,
        doc: "trRamRPLow: read pointer. A write while the sink is enabled is ignored",
        fields: &[field("rp", 2, 30, Rw, "trRamRPLow: word that ram_data reads; bits above the size of the memory are 0")],
    },
    Reg {
        name: "ram_data",
        offset: 0x040,
        doc: "trRamData: the memory",
        fields: &[field("data", 0, 32, ReadNext, "trRamData: the word at the read pointer, which then moves to the next one, after the last one to 0. While the sink is enabled: 0, and the pointer stays")],
    },
];

lookup!();

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tci::map::assert_all_positions;

    /// The positions that the specification prints: (register, field, offset, highest and lowest bit).
    #[test]
    fn positions_are_those_of_the_specification() {
        let right = [
            ("ram_control", "active", 0x000, 0, 0),
            ("ram_control", "enable", 0x000, 1, 1),
            ("ram_control", "empty", 0x000, 3, 3),
            ("ram_control", "mode", 0x000, 4, 4),
            ("ram_control", "stop_on_wrap", 0x000, 8, 8),
            ("ram_control", "mem_format", 0x000, 10, 9),
            ("ram_control", "async_freq", 0x000, 14, 12),
            ("ram_impl", "ver_major", 0x004, 3, 0),
            ("ram_impl", "ver_minor", 0x004, 7, 4),
            ("ram_impl", "comp_type", 0x004, 11, 8),
            ("ram_impl", "has_sram", 0x004, 12, 12),
            ("ram_impl", "has_smem", 0x004, 13, 13),
            ("ram_limit_low", "limit", 0x018, 31, 2),
            ("ram_wp_low", "wrap", 0x020, 0, 0),
            ("ram_wp_low", "wp", 0x020, 31, 2),
            ("ram_rp_low", "rp", 0x028, 31, 2),
            ("ram_data", "data", 0x040, 31, 0),
        ];
        assert_all_positions(REGS, &right);
    }
}
