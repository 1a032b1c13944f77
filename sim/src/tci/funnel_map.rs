//! Registers and fields of the trace funnel component, in its own page
//!
//! Everything else in the page reads as 0 and ignores writes.

use super::map::{field, implementation, lookup, Reg};
use super::{Facts, FUNNEL, INTERNAL_SYSTEM};
use crate::regs::RegAccess::{Once, Ro, Rw};

/// All registers of the trace funnel, by offset.
pub const REGS: &[Reg] = &[
    Reg {
        name: "funnel_control",
        offset: 0x000,
        doc: "trFunnelControl: control of the trace funnel",
        fields: &[
            field("active", 0, 1, Rw, "trFunnelActive: 1: the funnel is active; 0: all other fields have their reset values. Reads 1 after a write of 0 until all messages have left"),
            field("enable", 1, 1, Rw, "trFunnelEnable: 1: messages pass; 0: messages that are complete in the funnel leave and the last word is filled, others are discarded"),
            field("empty", 3, 1, Ro, "trFunnelEmpty: 1: the funnel holds no part of a message").reset(|_| 1),
        ],
    },
    Reg {
        name: "funnel_impl",
        offset: 0x004,
        doc: "trFunnelImpl: implementation",
        fields: implementation!("trFunnel", FUNNEL, "8: trace funnel"),
    },
    Reg {
        name: "funnel_dis_input",
        offset: 0x008,
        doc: "trFunnelDisInput: disabled inputs",
        fields: &[field("dis_input", 0, 16, Rw, "trFunnelDisInput: bit i: messages of encoder i are discarded; bits of encoders that are not there are always 0")],
    },
    Reg {
        name: "funnel_ts_control",
        offset: 0x040,
        doc: "trTsControl: time stamp unit of all encoders before the funnel. 0 without `--timestamps`",
        fields: &[
            field("active", 0, 1, Ro, "trTsActive: as active of funnel_control"),
            field("count", 1, 1, Rw, "trTsCount: 1: the counter runs; 0: it is stopped").only(Facts::shared_time).reset(|_| 1),
            field("reset", 2, 1, Once, "trTsReset: 1: the counter and its prescaler become 0").only(Facts::shared_time),
            field("run_in_debug", 3, 1, Rw, "trTsRunInDebug: 1: it runs in every state of the cores; 0: not while all cores are in debug mode. 1 if the ingress does not report debug mode")
                .only(|f| f.shared_time() && f.debug)
                .fixed(|f| f.shared_time().into())
                .reset(|_| 1),
            field("mode", 4, 3, Ro, "trTsMode: 2: a counter of the funnel, with the clock of the system").reset(|f| if f.shared_time() { INTERNAL_SYSTEM } else { 0 }),
            field("prescale", 8, 2, Rw, "trTsPrescale: n: it counts every 4^n-th cycle").only(Facts::shared_time),
            field("enable", 15, 1, Rw, "trTsEnable: 1: messages have a time").only(|f| f.shared_time() && f.as_unit().optional_time()).fixed(|f| f.shared_time().into()).reset(|_| 1),
            field("width", 24, 6, Ro, "trTsWidth: width of the time, bits").reset(|f| if f.shared_time() { f.protocol.time_bits.into() } else { 0 }),
        ],
    },
    Reg {
        name: "funnel_ts_counter_low",
        offset: 0x048,
        doc: "trTsCounterLow: counter of the time stamp unit, of 32 bits, so that trTsCounterHigh is 0; 0 without one",
        fields: &[field("counter", 0, 32, Ro, "trTsCounterLow: its value")],
    },
];

lookup!();

#[cfg(test)]
mod tests {
    use super::super::map;
    use super::*;
    use crate::tci::map::assert_all_positions;

    /// The positions that the specification prints: (register, field, offset, highest and lowest bit).
    #[test]
    fn positions_are_those_of_the_specification() {
        let right = [
            ("funnel_control", "active", 0x000, 0, 0),
            ("funnel_control", "enable", 0x000, 1, 1),
            ("funnel_control", "empty", 0x000, 3, 3),
            ("funnel_impl", "ver_major", 0x004, 3, 0),
            ("funnel_impl", "ver_minor", 0x004, 7, 4),
            ("funnel_impl", "comp_type", 0x004, 11, 8),
            ("funnel_dis_input", "dis_input", 0x008, 15, 0),
            ("funnel_ts_control", "active", 0x040, 0, 0),
            ("funnel_ts_control", "count", 0x040, 1, 1),
            ("funnel_ts_control", "reset", 0x040, 2, 2),
            ("funnel_ts_control", "run_in_debug", 0x040, 3, 3),
            ("funnel_ts_control", "mode", 0x040, 6, 4),
            ("funnel_ts_control", "prescale", 0x040, 9, 8),
            ("funnel_ts_control", "enable", 0x040, 15, 15),
            ("funnel_ts_control", "width", 0x040, 29, 24),
            ("funnel_ts_counter_low", "counter", 0x048, 31, 0),
        ];
        assert_all_positions(REGS, &right);
    }

    /// The unit is the same circuit in both components.
    #[test]
    fn a_time_stamp_unit_has_the_places_of_that_of_an_encoder() {
        for (own, other) in [("funnel_ts_control", "ts_control"), ("funnel_ts_counter_low", "ts_counter_low")] {
            let (own, other) = (register(own), map::register(other));
            assert_eq!(own.offset, other.offset);
            let places = |r: &Reg| r.fields.iter().map(|f| (f.name, f.lsb, f.bits, f.access)).collect::<Vec<_>>();
            assert_eq!(places(own), places(other));
        }
    }
}
