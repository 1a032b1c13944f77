//! What a circuit sees in a cycle: a reference on the memory bus, and the port of each core

/// A reference on the memory bus, within one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Index of its core.
    pub core: u8,
    /// Byte address.
    pub addr: u64,
    /// It may change memory: a store, except one to RAM of the value that is already there.
    pub changes: bool,
    /// Its instruction has already made a reference: an atomic, or an access to two blocks.
    pub again: bool,
}

/// A load or a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Size in bytes: 1, 2, 4.
    pub size: u8,
    /// Byte address.
    pub addr: u32,
    /// Value, zero-extended.
    pub value: u32,
}

/// An instruction that retires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retired {
    /// Its load.
    pub load: Option<Access>,
    /// Its store.
    pub store: Option<Access>,
    /// Number and value of a CSR that it read into a register.
    pub csr: Option<(u16, u32)>,
    /// Register that it wrote, except x0, and the value.
    pub register: Option<(u8, u32)>,
    /// For an `sc`: whether it stored.
    pub conditional: Option<bool>,
    /// For a control-flow instruction: its address and its target.
    pub flow: Option<(u32, u32)>,
    /// It is an `mret`.
    pub returns: bool,
}

/// Port signals of a core in one cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Beat {
    /// No event.
    #[default]
    Idle,
    /// An interrupt, or a refused access; the cause as in `mcause`, without the interrupt bit.
    Trap {
        /// True for an interrupt.
        interrupt: bool,
        /// 0..=15.
        cause: u8,
    },
    /// An instruction retires.
    Retired(Retired),
}
