//! Registers and fields of the PIB sink component (Pin Interface Block), in its own page
//!
//! Everything else in the page reads as 0 and ignores writes.

use super::map::{field, implementation, lookup, Reg};
use super::PIB_SINK;
use crate::regs::RegAccess::{Ro, Rw};

/// Bits of `trPibDivider`.
pub const DIVIDER_BITS: u8 = 12;
/// `trPibDivider` after activation: the slowest rate for which eight bits are enough.
pub const DIVIDER_RESET: u32 = 255;

/// All registers of the PIB sink, by offset.
pub const REGS: &[Reg] = &[
    Reg {
        name: "pib_control",
        offset: 0x000,
        doc: "trPibControl: control of the PIB sink. Fields other than active and enable can be written while the sink is disabled and empty, also by the write that enables it",
        fields: &[
            field("active", 0, 1, Rw, "trPibActive: 1: the sink is active; 0: all other fields have their reset values, and the pins are 0"),
            field("enable", 1, 1, Rw, "trPibEnable: 1: messages are sent; 0: what arrives is discarded, and the pins are idle after the messages that the sink has"),
            field("empty", 3, 1, Ro, "trPibEmpty: 1: no byte of a message waits or is being sent").reset(|_| 1),
            field("mode", 4, 4, Rw, "trPibMode: 0: off; 4: Manchester; 5: UART; 8 to 12, with E-Trace and N-Trace only: 1, 2, 4, 8 or 16 parallel signals, clocked by trc_clk. Other values become 0"),
            field("clk_center", 8, 1, Rw, "trPibClkCenter: 1: edges of the clock are in the middle of a bit, at half the rate; 0 unless the mode is parallel"),
            field("calibrate", 9, 1, Rw, "trPibCalibrate: 1: the pattern for calibration is sent while the sink is enabled, and words wait; 0 if the mode is off"),
            field("async_freq", 12, 3, Ro, "trPibAsyncFreq: 0: no packets for alignment"),
            field("divider", 16, DIVIDER_BITS, Rw, "trPibDivider: cycles of the system's clock in a bit, or in half a bit, less one; at least 1 with 16 parallel signals").reset(|_| DIVIDER_RESET),
        ],
    },
    Reg {
        name: "pib_impl",
        offset: 0x004,
        doc: "trPibImpl: implementation",
        fields: implementation!("trPib", PIB_SINK, "10: PIB sink"),
    },
];

lookup!();

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tci::map::assert_all_positions;

    /// The positions that the specification prints: (register, field, offset, highest and lowest bit). It leaves the width of the
    /// divider to implementations.
    #[test]
    fn positions_are_those_of_the_specification() {
        let right = [
            ("pib_control", "active", 0x000, 0, 0),
            ("pib_control", "enable", 0x000, 1, 1),
            ("pib_control", "empty", 0x000, 3, 3),
            ("pib_control", "mode", 0x000, 7, 4),
            ("pib_control", "clk_center", 0x000, 8, 8),
            ("pib_control", "calibrate", 0x000, 9, 9),
            ("pib_control", "async_freq", 0x000, 14, 12),
            ("pib_control", "divider", 0x000, 27, 16),
            ("pib_impl", "ver_major", 0x004, 3, 0),
            ("pib_impl", "ver_minor", 0x004, 7, 4),
            ("pib_impl", "comp_type", 0x004, 11, 8),
        ];
        assert_all_positions(REGS, &right);
    }
}
