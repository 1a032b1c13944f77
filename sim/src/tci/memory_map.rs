//! Registers and fields of the RAM sink component that writes to system memory, in its own page
//!
//! Everything else in the page reads as 0 and ignores writes: among it, the upper halves of the addresses, the read pointer and the
//! data register, since software reads system memory itself.

use super::map::{field, implementation, lookup, Reg};
use super::RAM_SINK;
use crate::regs::RegAccess::{Ro, Rw, W1c};

/// All registers of the sink, by offset.
pub const REGS: &[Reg] = &[
    Reg {
        name: "ram_control",
        offset: 0x000,
        doc: "trRamControl: control of the RAM sink",
        fields: &[
            field("active", 0, 1, Rw, "trRamActive: 1: the sink is active; 0: all other fields have their reset values. Reads 1 after a write of 0 until the last burst is complete"),
            field("enable", 1, 1, Rw, "trRamEnable: 1: words of the trace are written to memory; 0: they are discarded. Stays 0 if the limit is below the start, or the buffer is the whole 4 GiB. Becomes 0 when the buffer is full, with stop_on_wrap, and after an error response"),
            field("empty", 3, 1, Ro, "trRamEmpty: 1: the sink is not enabled, and all words that it took are in memory").reset(|_| 1),
            field("mode", 4, 1, Ro, "trRamMode: 1: system memory").reset(|_| 1),
            field("stop_on_wrap", 8, 1, Rw, "trRamStopOnWrap: 1: stops when the buffer is full; 0: overwrites the oldest words. A write before the sink is disabled and empty is ignored"),
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
            field("has_sram", 12, 1, Ro, "trRamHasSRAM: 0: the sink has no SRAM"),
            field("has_smem", 13, 1, Ro, "trRamHasSMEM: 1: it writes to system memory").reset(|_| 1),
        ),
    },
    Reg {
        name: "ram_start_low",
        offset: 0x010,
        doc: "trRamStartLow: address of the first word of the buffer. A write sets ram_wp_low, too; before the sink is disabled and empty it is ignored",
        fields: &[field("start", 2, 30, Rw, "trRamStartLow: number of the first word")],
    },
    Reg {
        name: "ram_limit_low",
        offset: 0x018,
        doc: "trRamLimitLow: address of the last word of the buffer. A write sets ram_wp_low, too; before the sink is disabled and empty it is ignored",
        fields: &[field("limit", 2, 30, Rw, "trRamLimitLow: number of the last word")],
    },
    Reg {
        name: "ram_wp_low",
        offset: 0x020,
        doc: "trRamWPLow: write pointer, a few cycles old. A write sets it to the start of the buffer, whatever the value is; before the sink is disabled and empty it is ignored",
        fields: &[
            field("wrap", 0, 1, Rw, "trRamWrap: 1: the last word of the buffer was written since ram_wp_low was; a write makes it 0").legal(|_| 0),
            field("wp", 2, 30, Rw, "trRamWPLow: number of the word after the last one in memory").legal(|_| 0),
        ],
    },
    Reg {
        name: "goshawk_ram_events",
        offset: 0xe00,
        doc: "events of the sink, a few cycles old; the output memory_irq is 1 while one of them is",
        fields: &[
            field("full", 1, 1, W1c, "1: the buffer was full, and the sink stopped"),
            field("error", 2, 1, W1c, "1: memory responded with an error, and the sink stopped at the start of that burst"),
            field("response", 4, 2, Ro, "response of that burst, as in AXI4: 2 SLVERR, 3 DECERR; 0 without error"),
        ],
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
            ("ram_start_low", "start", 0x010, 31, 2),
            ("ram_limit_low", "limit", 0x018, 31, 2),
            ("ram_wp_low", "wrap", 0x020, 0, 0),
            ("ram_wp_low", "wp", 0x020, 31, 2),
        ];
        assert_all_positions(REGS, &right);
    }
}
