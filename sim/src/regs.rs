//! Register map of a trace system: declared once for circuit, documentation and host
//!
//! 32-bit registers on a small synchronous bus: `addr` counts registers, and `rdata` is valid in the
//! cycle after `addr`.

/// Access of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegAccess {
    /// Read only.
    Ro,
    /// Read and write.
    Rw,
    /// Read; writing a 1 to a bit clears it.
    W1c,
    /// Write only: writing a 1 triggers the action once; reads as 0.
    Once,
    /// Read only, and a read has an effect: the next read returns the next value.
    ReadNext,
}

/// A field of a register.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Lower-case name.
    pub name: &'static str,
    /// Lowest bit.
    pub lsb: u8,
    /// Width, bits.
    pub bits: u8,
    /// Meaning.
    pub doc: &'static str,
}

/// A register of a trace system.
#[derive(Clone, Copy, Debug)]
pub struct Reg {
    /// Lower-case name.
    pub name: &'static str,
    /// Address on the bus, in registers.
    pub addr: u8,
    /// Access, the same for all its fields.
    pub access: RegAccess,
    /// Meaning.
    pub doc: &'static str,
    /// Fields, lowest first.
    pub fields: &'static [Field],
}

/// Value of `id.kind`: a control-flow trace system of this project.
pub const ID_KIND: u32 = 0x6754;
/// Width of the bus address, bits.
pub const ADDR_BITS: u8 = 3;

/// All registers, by address.
pub const REGS: [Reg; 8] = [
    Reg {
        name: "id",
        addr: 0,
        access: RegAccess::Ro,
        doc: "what this is",
        fields: &[
            Field { name: "version", lsb: 0, bits: 8, doc: "stream format version" },
            Field { name: "cores", lsb: 8, bits: 5, doc: "number of traced cores" },
            Field {
                name: "scheme",
                lsb: 13,
                bits: 3,
                doc: "0: tr, or no control flow (inputs, cfiat); 1: nexus; 2: sc-lsp; 3: taken; 4: follow; 5: etrace; 6: ntrace; 7: follow with the arithmetic coder",
            },
            Field { name: "kind", lsb: 16, bits: 16, doc: "0x6754: control-flow trace system" },
        ],
    },
    Reg {
        name: "params",
        addr: 1,
        access: RegAccess::Ro,
        doc: "parameter fingerprint, as in the stream header",
        fields: &[Field { name: "fingerprint", lsb: 0, bits: 32, doc: "CRC-32 of the canonical parameter line" }],
    },
    Reg {
        name: "control",
        addr: 2,
        access: RegAccess::Rw,
        doc: "control",
        fields: &[
            Field {
                name: "enable",
                lsb: 0,
                bits: 1,
                doc: "1: trace from the next instruction that retires once ready; 0: stop messages, then flush",
            },
            Field {
                name: "modes",
                lsb: 8,
                bits: 4,
                doc: "where a filter is built in: bit m: trace instructions of privilege mode m (0 U, 1 S, 3 M), if `allow_modes` has it too",
            },
        ],
    },
    Reg {
        name: "status",
        addr: 3,
        access: RegAccess::Ro,
        doc: "state of the system",
        fields: &[
            Field { name: "ready", lsb: 0, bits: 1, doc: "1: predictor tables are clear, tracing can begin" },
            Field { name: "active", lsb: 1, bits: 1, doc: "1: enabled and ready" },
            Field { name: "idle", lsb: 2, bits: 1, doc: "1: disabled and the last word has left" },
            Field {
                name: "retire",
                lsb: 3,
                bits: 2,
                doc: "log2 of the instructions, of etrace-blocks of the blocks, that a core retires in a cycle",
            },
            Field { name: "ingress", lsb: 5, bits: 2, doc: "0: rvfi, 1: etrace, 2: etrace-blocks, 3: pc-chain" },
            Field {
                name: "lost",
                lsb: 8,
                bits: 24,
                doc: "instructions lost by all cores since the start of the current or last trace; saturates; 0 without a counter",
            },
        ],
    },
    Reg {
        name: "overflow",
        addr: 4,
        access: RegAccess::W1c,
        doc: "cores that lost instructions to a full buffer, one bit a core",
        fields: &[Field { name: "cores", lsb: 0, bits: 16, doc: "bit i: core i overflowed since the bit was cleared" }],
    },
    Reg {
        name: "sync",
        addr: 5,
        access: RegAccess::Rw,
        doc: "periodic synchronisation, where it is built in: reads as 0 where it is not",
        fields: &[
            Field {
                name: "period",
                lsb: 0,
                bits: 5,
                doc: "10 to 31: every 2^period instructions of core 0; 0: not for their number",
            },
            Field {
                name: "bytes",
                lsb: 8,
                bits: 5,
                doc: "6 to 31: when 2^bytes bytes have left since the header, its bytes included; 0: not by their number",
            },
        ],
    },
    Reg {
        name: "request",
        addr: 6,
        access: RegAccess::Once,
        doc: "requests",
        fields: &[Field {
            name: "sync",
            lsb: 0,
            bits: 1,
            doc: "1: fill the word and synchronise at the next control-flow instruction of core 0",
        }],
    },
    Reg {
        name: "discontinuity",
        addr: 7,
        access: RegAccess::W1c,
        doc: "cores with a discontinuity, one bit per core; 0 without the check",
        fields: &[Field {
            name: "cores",
            lsb: 0,
            bits: 16,
            doc: "bit i: core i executed an instruction that does not follow from the one before, reported as an exception, since the bit was cleared",
        }],
    },
];

/// Registers of the port that writes words to memory (`docs/reference/buses.md`), after those of every system.
pub const MEMORY_REGS: [Reg; 8] = [
    Reg {
        name: "memory_base",
        addr: 8,
        access: RegAccess::Rw,
        doc: "first address of the range in memory; written only while it is not running",
        fields: &[Field { name: "word", lsb: 2, bits: 30, doc: "byte address, a multiple of 4" }],
    },
    Reg {
        name: "memory_size",
        addr: 9,
        access: RegAccess::Rw,
        doc: "how long the range is; written only while it is not running",
        fields: &[Field { name: "words", lsb: 2, bits: 30, doc: "bytes, a multiple of 4; 0: it cannot be enabled" }],
    },
    Reg {
        name: "memory_control",
        addr: 10,
        access: RegAccess::Rw,
        doc: "control of the writer; but for a 0 to enable, written only while it is not running",
        fields: &[
            Field {
                name: "enable",
                lsb: 0,
                bits: 1,
                doc: "1: write from the beginning of the range; 0: write what is held, then end",
            },
            Field { name: "stop", lsb: 1, bits: 1, doc: "1: stop when the range is full; 0: wrap to its start" },
            Field { name: "discard", lsb: 2, bits: 1, doc: "1: while it is not running, words are taken and dropped" },
        ],
    },
    Reg {
        name: "memory_status",
        addr: 11,
        access: RegAccess::Ro,
        doc: "state of the writer",
        fields: &[
            Field { name: "running", lsb: 0, bits: 1, doc: "1: it takes words, or a burst is under way" },
            Field {
                name: "response",
                lsb: 4,
                bits: 2,
                doc: "BRESP that ended it: 2 SLVERR, 3 DECERR; 0: none since it was enabled",
            },
        ],
    },
    Reg {
        name: "memory_interrupt",
        addr: 12,
        access: RegAccess::W1c,
        doc: "why the interrupt is high",
        fields: &[
            Field { name: "watermark", lsb: 0, bits: 1, doc: "1: memory_watermark bytes more were written" },
            Field { name: "full", lsb: 1, bits: 1, doc: "1: the range is full and it ended" },
            Field { name: "error", lsb: 2, bits: 1, doc: "1: a burst was answered with an error and it ended" },
        ],
    },
    Reg {
        name: "memory_pointer",
        addr: 13,
        access: RegAccess::Ro,
        doc: "address of the next word; the words before it are in memory",
        fields: &[Field { name: "word", lsb: 2, bits: 30, doc: "bytes from the beginning of the range" }],
    },
    Reg {
        name: "memory_wraps",
        addr: 14,
        access: RegAccess::Ro,
        doc: "how often the range was filled to its end since it was enabled",
        fields: &[Field { name: "count", lsb: 0, bits: 32, doc: "count, modulo 2^32" }],
    },
    Reg {
        name: "memory_watermark",
        addr: 15,
        access: RegAccess::Rw,
        doc: "level of the watermark interrupt; written only while it is not running",
        fields: &[Field {
            name: "words",
            lsb: 2,
            bits: 30,
            doc: "bytes between two interrupts, a multiple of 4, each at the end of its burst; 0: none",
        }],
    },
];

/// The register with this name.
///
/// # Panics
/// If there is none: names must be those of this file.
pub fn register(name: &str) -> &'static Reg {
    REGS.iter().find(|r| r.name == name).unwrap_or_else(|| panic!("there is no register `{name}`"))
}

impl Reg {
    /// The field with this name.
    ///
    /// # Panics
    /// As [`register`].
    pub fn field(&self, name: &str) -> &'static Field {
        let field = self.fields.iter().find(|f| f.name == name);
        field.unwrap_or_else(|| panic!("register `{}` has no field `{name}`", self.name))
    }
}

/// All registers of a system by address; with `memory` including those of the memory port.
pub fn list(memory: bool) -> impl Iterator<Item = &'static Reg> {
    REGS.iter().chain(MEMORY_REGS.iter().filter(move |_| memory))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_positions_and_fields_do_not_overlap() {
        for (i, r) in list(true).enumerate() {
            assert_eq!(usize::from(r.addr), i);
            let mut next = 0;
            for f in r.fields {
                assert!(f.lsb >= next && f.lsb + f.bits <= 32, "{}.{}", r.name, f.name);
                next = f.lsb + f.bits;
            }
        }
        assert_eq!(REGS.len(), 1 << ADDR_BITS);
        assert_eq!(MEMORY_REGS.len(), REGS.len());
    }
}
