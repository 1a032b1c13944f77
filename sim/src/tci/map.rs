//! Registers and fields of the trace encoder component
//!
//! Everything else in the page reads as 0 and ignores writes, as the specification requires.

use super::{Facts, ENCODER, HALFWORDS, INTERNAL_CORE, SHARED, SYNC_MAX};
use crate::regs::RegAccess;

/// A field. Names are those of the specification in lower case, without the prefix `trTe`; the description begins with the full one.
#[derive(Clone, Copy)]
pub struct Field {
    /// Name.
    pub name: &'static str,
    /// Lowest bit.
    pub lsb: u8,
    /// Width, bits.
    pub bits: u8,
    /// Access, in systems that have the field.
    pub access: RegAccess,
    /// Whether a system has the field: otherwise it reads as 0 and ignores writes.
    pub exists: fn(&Facts) -> bool,
    /// Value after activation; constant for [`RegAccess::Ro`], unless it is a state.
    pub reset: fn(&Facts) -> u32,
    /// Constant value in a system without the field.
    pub fixed: fn(&Facts) -> u32,
    /// What the field holds after a write of a value (WARL).
    pub legal: fn(u32) -> u32,
    /// Meaning.
    pub doc: &'static str,
}

/// A register of the Trace Control Interface.
#[derive(Clone, Copy)]
pub struct Reg {
    /// Lower-case name.
    pub name: &'static str,
    /// Byte offset in the page of the component.
    pub offset: u16,
    /// Meaning; begins with the name in the specification.
    pub doc: &'static str,
    /// Fields, lowest first.
    pub fields: &'static [Field],
}

pub(super) const fn field(name: &'static str, lsb: u8, bits: u8, access: RegAccess, doc: &'static str) -> Field {
    Field { name, lsb, bits, access, exists: |_| true, reset: |_| 0, fixed: |_| 0, legal: |value| value, doc }
}

/// The fields of the register of the implementation, which all components have: version of the interface, and type of the component. Other
/// fields follow.
macro_rules! implementation {
    ($prefix:literal, $type:expr, $meaning:literal $(, $more:expr)* $(,)?) => {
        &[
            $crate::tci::map::field("ver_major", 0, 4, $crate::regs::RegAccess::Ro, concat!($prefix, "VerMajor: version of the interface, major number"))
                .reset(|_| u32::from($crate::tci::VERSION.0)),
            $crate::tci::map::field("ver_minor", 4, 4, $crate::regs::RegAccess::Ro, concat!($prefix, "VerMinor: minor number"))
                .reset(|_| u32::from($crate::tci::VERSION.1)),
            $crate::tci::map::field("comp_type", 8, 4, $crate::regs::RegAccess::Ro, concat!($prefix, "CompType: ", $meaning))
                .reset(|_| u32::from($type)),
            $($more),*
        ]
    };
}
pub(super) use implementation;

/// The function that finds a register in the list of a file.
macro_rules! lookup {
    () => {
        /// The register with this name.
        ///
        /// # Panics
        /// If there is none: names must be those of this file.
        pub fn register(name: &str) -> &'static $crate::tci::map::Reg {
            $crate::tci::map::find(REGS, name)
        }
    };
}
pub(super) use lookup;

impl Field {
    pub(super) const fn reset(self, reset: fn(&Facts) -> u32) -> Self {
        Self { reset, ..self }
    }

    pub(super) const fn only(self, exists: fn(&Facts) -> bool) -> Self {
        Self { exists, ..self }
    }

    pub(super) const fn fixed(self, fixed: fn(&Facts) -> u32) -> Self {
        Self { fixed, ..self }
    }

    pub(super) const fn legal(self, legal: fn(u32) -> u32) -> Self {
        Self { legal, ..self }
    }

    /// Access in a system.
    pub fn access_in(&self, facts: &Facts) -> RegAccess {
        if (self.exists)(facts) {
            self.access
        } else {
            RegAccess::Ro
        }
    }

    /// Value after activation in a system.
    pub fn reset_in(&self, facts: &Facts) -> u32 {
        if (self.exists)(facts) {
            (self.reset)(facts)
        } else {
            (self.fixed)(facts)
        }
    }

    /// The bits of a register that the field occupies.
    pub const fn mask(&self) -> u32 {
        (u32::MAX >> (32 - self.bits as u32)) << self.lsb
    }
}

impl Reg {
    /// The field with this name.
    ///
    /// # Panics
    /// If there is none: names must be those of this file.
    pub fn field(&self, name: &str) -> &'static Field {
        let field = self.fields.iter().find(|f| f.name == name);
        field.unwrap_or_else(|| panic!("register `{}` has no field `{name}`", self.name))
    }

    /// Value after activation.
    pub fn reset(&self, facts: &Facts) -> u32 {
        self.fields.iter().fold(0, |word, f| word | f.reset_in(facts) << f.lsb)
    }
}

use RegAccess::{Once, Ro, Rw, W1c};

/// Whether messages have a time.
const fn timed(facts: &Facts) -> bool {
    facts.protocol.time_bits > 0
}

/// All registers of the encoder, by offset.
pub const REGS: &[Reg] = &[
    Reg {
        name: "control",
        offset: 0x000,
        doc: "trTeControl: control of the trace encoder",
        fields: &[
            field("active", 0, 1, Rw, "trTeActive: 1: the encoder is active; 0: all other fields have their reset values. Reads 1 after a write of 0 until the trace has left"),
            field("enable", 1, 1, Rw, "trTeEnable: 1: the encoder is enabled; 0: tracing ends, and the rest of the trace leaves"),
            field("inst_tracing", 2, 1, Rw, "trTeInstTracing: 1: instructions are traced, if the encoder is enabled"),
            field("empty", 3, 1, Ro, "trTeEmpty: 1: all generated trace has left").reset(|_| 1),
            field("inst_mode", 4, 3, Ro, "trTeInstMode: 6: branch history (N-Trace); 7: E-Trace, or a format of the vendor").reset(|f| f.protocol.mode.into()),
            field("context", 9, 1, Ro, "trTeContext: 1: contexts are reported").reset(|f| f.protocol.context.into()),
            field("inst_stall_or_overflow", 12, 1, W1c, "trTeInstStallOrOverflow: 1: instructions were lost, or a core was stalled, since the bit was cleared"),
            field("inst_stall_ena", 13, 1, Rw, "trTeInstStallEna: 1: cores are stalled before trace is lost; 0: trace is lost").only(|f| f.stall),
            field("inst_sync_mode", 16, 2, Rw, "trTeInstSyncMode: 3: the interval between synchronisations is counted in halfwords of instructions; 0: no periodic synchronisation")
                .only(|f| f.sync)
                .fixed(|f| f.protocol.fixed_sync_max().map_or(0, |_| HALFWORDS))
                .legal(|value| if value == HALFWORDS { value } else { 0 }),
            field("inst_sync_max", 20, 4, Rw, "trTeInstSyncMax: at most 2^(n + 4) halfwords of instructions of core 0, with a fixed interval of every core, between two synchronisations; 7 to 15 where it is written")
                .only(|f| f.sync)
                .fixed(|f| f.protocol.fixed_sync_max().unwrap_or(0))
                .reset(|_| *SYNC_MAX.start())
                .legal(|value| value.max(*SYNC_MAX.start())),
            field("format", 24, 3, Ro, "trTeFormat: 0: E-Trace; 1: N-Trace; 7: a format of the vendor").reset(|f| f.protocol.format.into()),
        ],
    },
    Reg {
        name: "impl",
        offset: 0x004,
        doc: "trTeImpl: implementation",
        fields: implementation!(
            "trTe",
            ENCODER,
            "1: trace encoder",
            field("protocol_major", 16, 4, Ro, "trTeProtocolMajor: version of the protocol, major number; of a format of the vendor, the version of its stream").reset(|f| f.protocol.version.0.into()),
            field("protocol_minor", 20, 4, Ro, "trTeProtocolMinor: minor number").reset(|f| f.protocol.version.1.into()),
        ),
    },
    Reg {
        name: "inst_features",
        offset: 0x008,
        doc: "trTeInstFeatures: what the circuit was generated with; a write changes nothing",
        fields: &[
            field("no_addr_diff", 0, 1, Ro, "trTeInstNoAddrDiff: 1: full addresses only").reset(|f| f.protocol.features & 1),
            field("no_trap_addr", 1, 1, Ro, "trTeInstNoTrapAddr: 1: addresses of trap handlers are not sent").reset(|f| f.protocol.features >> 1 & 1),
            field("en_sequential_jump", 2, 1, Ro, "trTeInstEnSequentialJump: 1: jumps after auipc or lui are inferred").reset(|f| f.protocol.features >> 2 & 1),
            field("en_implicit_return", 3, 1, Ro, "trTeInstEnImplicitReturn: 1: returns are inferred").reset(|f| f.protocol.features >> 3 & 1),
            field("en_branch_prediction", 4, 1, Ro, "trTeInstEnBranchPrediction: 1: branches are predicted").reset(|f| f.protocol.features >> 4 & 1),
            field("en_jump_target_cache", 5, 1, Ro, "trTeInstEnJumpTargetCache: 1: targets of jumps are sent as numbers of a cache").reset(|f| f.protocol.features >> 5 & 1),
            field("implicit_return_mode", 6, 2, Ro, "trTeInstImplicitReturnMode: 3: a stack of full addresses").reset(|f| f.protocol.features >> 6 & 3),
            field("en_repeated_history", 8, 1, Ro, "trTeInstEnRepeatedHistory: 1: repeated history is counted").reset(|f| f.protocol.features >> 8 & 1),
            field("en_all_jumps", 9, 1, Ro, "trTeInstEnAllJumps: 1: direct jumps are reported, too").reset(|f| f.protocol.features >> 9 & 1),
            field("extend_addr_msb", 10, 1, Ro, "trTeInstExtendAddrMSB: 1: the highest bits of an address are extended").reset(|f| f.protocol.features >> 10 & 1),
            field("src_id", 16, 12, Ro, "trTeSrcID: number of the first core in the messages; of an encoder before a funnel, its number"),
            field("src_bits", 28, 4, Ro, "trTeSrcBits: width of the number of a core in the messages").reset(|f| f.protocol.source_bits.into()),
        ],
    },
    Reg {
        name: "inst_filters",
        offset: 0x00c,
        doc: "trTeInstFilters: filters that select the traced instructions",
        fields: &[field("filter_0", 0, 1, Rw, "trTeInstFilters: 1: only instructions that filter 0 matches are traced; 0: all").only(|f| f.filter)],
    },
    Reg {
        name: "ts_control",
        offset: 0x040,
        doc: "trTsControl: time stamp unit of all cores. 0 without `--timestamps`; before a funnel and of a format of the vendor, a write changes nothing",
        fields: &[
            field("active", 0, 1, Ro, "trTsActive: as active of control"),
            field("count", 1, 1, Rw, "trTsCount: 1: the counter runs; 0: it is stopped").only(Facts::time_unit).fixed(|f| timed(f).into()).reset(|_| 1),
            field("reset", 2, 1, Once, "trTsReset: 1: the counter and its prescaler become 0").only(Facts::time_unit),
            field("run_in_debug", 3, 1, Rw, "trTsRunInDebug: 1: it runs in every state of the cores; 0: not while all cores are in debug mode. 1 if the ingress does not report debug mode")
                .only(|f| f.time_unit() && f.debug)
                .fixed(|f| timed(f).into())
                .reset(|_| 1),
            field("mode", 4, 3, Ro, "trTsMode: 3: a counter of the encoder, with the clock of the cores; 4: the counter of the funnel").reset(|f| match () {
                _ if f.shared_time() => SHARED,
                _ if timed(f) => INTERNAL_CORE,
                _ => 0,
            }),
            field("prescale", 8, 2, Rw, "trTsPrescale: n: it counts every 4^n-th cycle").only(Facts::time_unit),
            field("enable", 15, 1, Rw, "trTsEnable: 1: messages have a time").only(Facts::optional_time).fixed(|f| timed(f).into()).reset(|_| 1),
            field("width", 24, 6, Ro, "trTsWidth: width of the time, bits").reset(|f| f.protocol.time_bits.into()),
        ],
    },
    Reg {
        name: "ts_counter_low",
        offset: 0x048,
        doc: "trTsCounterLow: counter of the time stamp unit, of 32 bits, so that trTsCounterHigh is 0; 0 without one",
        fields: &[field("counter", 0, 32, Ro, "trTsCounterLow: its value")],
    },
    Reg {
        name: "filter_0_control",
        offset: 0x400,
        doc: "trTeFilter0Control: conditions of filter 0",
        fields: &[
            field("enable", 0, 1, Rw, "trTeFilterEnable: 1: the filter matches what its conditions select; 0: it matches nothing").only(|f| f.filter),
            field("match_privilege", 1, 1, Rw, "trTeFilterMatchPrivilege: 1: only the modes of match_choice_privilege; 0: all modes").only(|f| f.filter),
        ],
    },
    Reg {
        name: "filter_0_match_inst",
        offset: 0x404,
        doc: "trTeFilter0MatchInst: values of the conditions",
        fields: &[field("match_choice_privilege", 0, 4, Rw, "trTeFilterMatchChoicePrivilege: bit m: privilege mode m matches (0 U, 1 S, 3 M)").only(|f| f.filter)],
    },
    Reg {
        name: "goshawk_id",
        offset: 0xe00,
        doc: "what this is: register id of the system's own map",
        fields: &[field("id", 0, 32, Ro, "0x6754 in bits 31:16; stream version, number of cores and scheme below").reset(|f| f.id)],
    },
    Reg {
        name: "goshawk_params",
        offset: 0xe04,
        doc: "parameter fingerprint, as in the stream header",
        fields: &[field("fingerprint", 0, 32, Ro, "CRC-32 of the canonical parameter line").reset(|f| f.fingerprint)],
    },
    Reg {
        name: "goshawk_status",
        offset: 0xe08,
        doc: "state of the system, a few cycles old",
        fields: &[
            field("ready", 0, 1, Ro, "1: predictor tables are clear, tracing can begin"),
            field("active", 1, 1, Ro, "1: tracing and ready"),
            field("idle", 2, 1, Ro, "1: not tracing, and the last word has left"),
            field("retire", 3, 2, Ro, "log2 of the instructions, of etrace-blocks of the blocks, that a core retires in a cycle").reset(|f| f.status >> 3 & 3),
            field("ingress", 5, 2, Ro, "0: rvfi, 1: etrace, 2: etrace-blocks, 3: pc-chain").reset(|f| f.status >> 5 & 3),
            field("lost", 8, 24, Ro, "instructions lost by all cores since the start of the current or last trace; saturates; 0 without a counter"),
        ],
    },
    Reg {
        name: "goshawk_overflow",
        offset: 0xe0c,
        doc: "cores that lost instructions; cleared with inst_stall_or_overflow",
        fields: &[field("cores", 0, 16, Ro, "bit i: core i lost instructions since the bit was cleared")],
    },
    Reg {
        name: "goshawk_discontinuity",
        offset: 0xe10,
        doc: "cores with a discontinuity; 0 without the check",
        fields: &[field("cores", 0, 16, W1c, "bit i: core i executed an instruction that does not follow from the one before, since the bit was cleared").only(|f| f.check)],
    },
    Reg {
        name: "goshawk_request",
        offset: 0xe14,
        doc: "requests",
        fields: &[field("sync", 0, 1, Once, "1: fill the word and synchronise at the next control-flow instruction of core 0").only(|f| f.sync)],
    },
];

lookup!();

/// The register of a list with this name.
pub(super) fn find(regs: &'static [Reg], name: &str) -> &'static Reg {
    regs.iter().find(|r| r.name == name).unwrap_or_else(|| panic!("there is no register `{name}`"))
}

/// Field of a register as the specification prints it: register, field, offset, highest and lowest bit.
#[cfg(test)]
pub(super) type Position = (&'static str, &'static str, u16, u8, u8);

/// Compares fields with the positions that the specification prints.
#[cfg(test)]
pub(super) fn assert_positions(regs: &'static [Reg], right: &[Position]) {
    for (reg, field, offset, high, low) in right {
        let r = find(regs, reg);
        let f = r.field(field);
        assert_eq!((r.offset, f.lsb + f.bits - 1, f.lsb), (*offset, *high, *low), "{reg}.{field}");
    }
}

/// Offset from which registers are those of the vendor.
#[cfg(test)]
const VENDOR: u16 = 0xe00;

/// As [`assert_positions`], with all fields of the registers that the specification has.
#[cfg(test)]
pub(super) fn assert_all_positions(regs: &'static [Reg], right: &[Position]) {
    assert_positions(regs, right);
    let fields: usize = regs.iter().filter(|r| r.offset < VENDOR).map(|r| r.fields.len()).sum();
    assert_eq!(right.len(), fields, "every field has a line");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_ascend_and_fields_do_not_overlap() {
        let mut before = None;
        for r in REGS {
            assert!(r.offset % 4 == 0 && r.offset < 4096 && Some(r.offset) > before, "{}", r.name);
            before = Some(r.offset);
            let mut next = 0;
            for f in r.fields {
                assert!(f.lsb >= next && f.lsb + f.bits <= 32, "{}.{}", r.name, f.name);
                next = f.lsb + f.bits;
            }
        }
    }

    /// The positions that the specification prints: (register, field, offset, highest and lowest bit).
    #[test]
    fn positions_are_those_of_the_specification() {
        let right = [
            ("control", "active", 0x000, 0, 0),
            ("control", "enable", 0x000, 1, 1),
            ("control", "inst_tracing", 0x000, 2, 2),
            ("control", "empty", 0x000, 3, 3),
            ("control", "inst_mode", 0x000, 6, 4),
            ("control", "context", 0x000, 9, 9),
            ("control", "inst_stall_or_overflow", 0x000, 12, 12),
            ("control", "inst_stall_ena", 0x000, 13, 13),
            ("control", "inst_sync_mode", 0x000, 17, 16),
            ("control", "inst_sync_max", 0x000, 23, 20),
            ("control", "format", 0x000, 26, 24),
            ("impl", "ver_major", 0x004, 3, 0),
            ("impl", "comp_type", 0x004, 11, 8),
            ("impl", "protocol_major", 0x004, 19, 16),
            ("inst_features", "implicit_return_mode", 0x008, 7, 6),
            ("inst_features", "src_id", 0x008, 27, 16),
            ("inst_features", "src_bits", 0x008, 31, 28),
            ("ts_control", "active", 0x040, 0, 0),
            ("ts_control", "count", 0x040, 1, 1),
            ("ts_control", "run_in_debug", 0x040, 3, 3),
            ("ts_control", "mode", 0x040, 6, 4),
            ("ts_control", "prescale", 0x040, 9, 8),
            ("ts_control", "enable", 0x040, 15, 15),
            ("ts_control", "width", 0x040, 29, 24),
            ("inst_filters", "filter_0", 0x00c, 0, 0),
            ("filter_0_control", "match_privilege", 0x400, 1, 1),
            ("filter_0_match_inst", "match_choice_privilege", 0x404, 3, 0),
        ];
        assert_positions(REGS, &right);
    }
}
