//! Signals of each trace port

/// A kind of trace port that can be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortKind {
    /// RISC-V Formal Interface.
    Rvfi,
    /// Instruction trace ingress port of the E-Trace specification, one block per cycle.
    Etrace,
    /// Retired instructions and their addresses.
    PcChain,
}

/// A signal of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortSignal {
    /// Name.
    pub name: &'static str,
    /// Default value if the log lacks it; `None`: it is required.
    pub without: Option<u64>,
}

const fn must(name: &'static str) -> PortSignal {
    PortSignal { name, without: None }
}

const fn may(name: &'static str, without: u64) -> PortSignal {
    PortSignal { name, without: Some(without) }
}

impl PortKind {
    /// All ports.
    pub const ALL: [Self; 3] = [Self::Rvfi, Self::Etrace, Self::PcChain];

    /// Name, as in `goshawk gen --ingress`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rvfi => "rvfi",
            Self::Etrace => "etrace",
            Self::PcChain => "pc-chain",
        }
    }

    /// Signals, in the order of values in rows.
    pub const fn signals(self) -> &'static [PortSignal] {
        match self {
            Self::Rvfi => RVFI,
            Self::Etrace => ETRACE,
            Self::PcChain => PC_CHAIN,
        }
    }
}

const RVFI: &[PortSignal] = &[
    may("rvfi_valid", 1),
    must("rvfi_insn"),
    may("rvfi_trap", 0),
    may("rvfi_intr", 0),
    must("rvfi_pc_rdata"),
    must("rvfi_pc_wdata"),
];
const ETRACE: &[PortSignal] = &[must("itype"), must("iaddr"), must("iretire"), may("ilastsize", 1)];
const PC_CHAIN: &[PortSignal] = &[may("retire_valid", 1), must("retire_insn"), must("retire_pc")];
