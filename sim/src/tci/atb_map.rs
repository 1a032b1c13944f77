//! Registers and fields of the ATB bridge component, in its own page
//!
//! Everything else in the page reads as 0 and ignores writes.

use super::map::{field, implementation, lookup, Reg};
use super::ATB_BRIDGE;
use crate::regs::RegAccess::{Ro, Rw};

/// All registers of the ATB bridge, by offset.
pub const REGS: &[Reg] = &[
    Reg {
        name: "atb_control",
        offset: 0x000,
        doc: "trAtbBridgeControl: control of the ATB bridge",
        fields: &[
            field("active", 0, 1, Rw, "trAtbBridgeActive: 1: the bridge is active; 0: all other fields have their reset values. Reads 1 after a write of 0 until the word on ATB is accepted"),
            field("enable", 1, 1, Rw, "trAtbBridgeEnable: 1: words of the trace go to ATB; 0: they are discarded, except for one that is on ATB already"),
            field("empty", 3, 1, Ro, "trAtbBridgeEmpty: 1: no word waits on ATB").reset(|_| 1),
            field("id", 8, 7, Rw, "trAtbBridgeID: ATID of the words; ATB reserves 0x00 and 0x70 to 0x7f. A write before the bridge is disabled and empty is ignored"),
        ],
    },
    Reg {
        name: "atb_impl",
        offset: 0x004,
        doc: "trAtbBridgeImpl: implementation",
        fields: implementation!("trAtbBridge", ATB_BRIDGE, "14: ATB bridge"),
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
            ("atb_control", "active", 0x000, 0, 0),
            ("atb_control", "enable", 0x000, 1, 1),
            ("atb_control", "empty", 0x000, 3, 3),
            ("atb_control", "id", 0x000, 14, 8),
            ("atb_impl", "ver_major", 0x004, 3, 0),
            ("atb_impl", "ver_minor", 0x004, 7, 4),
            ("atb_impl", "comp_type", 0x004, 11, 8),
        ];
        assert_all_positions(REGS, &right);
    }
}
