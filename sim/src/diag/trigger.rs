//! What an event generator waits for, and what it captures when that happens
//!
//! A generator has a number of trigger slots; each names what it waits for, the event that it makes, where that goes, and
//! up to [`CAPTURES`] captured words. In a packet the words stand in this order.
//!
//! # Source
//! Paper 004 section 4.1: PC and function return, 12 at a time, registers and arguments. Data, traps and destinations by
//! slot are ours.

/// Words that a slot captures at most.
pub const CAPTURES: usize = 5;

/// What a slot waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// The instruction at this address retires.
    Pc(u32),
    /// The instruction at `first` retires, and no branch or jump of the function `first..=last` itself went there: a turn of
    /// a loop is no call. One that a trap return went to may be either, and is counted as lost.
    Entry {
        /// First byte of the function.
        first: u32,
        /// Its last byte.
        last: u32,
    },
    /// The function that begins at this address returns to its caller.
    Return(u32),
    /// The function `first..=last` does. A branch or jump of its own to its first instruction is not taken for a call, which
    /// would be found out, but each time anew.
    ReturnFrom {
        /// First byte of the function.
        first: u32,
        /// Its last byte.
        last: u32,
    },
    /// A load or store touches a byte of `first..=last`.
    Data {
        /// First byte.
        first: u32,
        /// Last byte.
        last: u32,
        /// By a load.
        loads: bool,
        /// By a store.
        stores: bool,
        /// Only of this value.
        value: Option<u32>,
    },
    /// A trap is taken.
    Trap {
        /// An interrupt, an exception; none: either.
        interrupt: Option<bool>,
        /// Of this cause.
        cause: Option<u8>,
    },
    /// A trap handler returns (`mret`, `sret`).
    TrapReturn,
}

impl Trigger {
    /// It waits for the return of a function.
    pub fn is_return(&self) -> bool {
        matches!(self, Self::Return(_) | Self::ReturnFrom { .. })
    }

    /// It needs more than an address to be compared with.
    pub fn is_wide(&self) -> bool {
        match self {
            Self::Data { .. } | Self::Trap { .. } | Self::Entry { .. } | Self::ReturnFrom { .. } => true,
            Self::Pc(_) | Self::Return(_) | Self::TrapReturn => false,
        }
    }
}

/// A word that is captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Capture {
    /// A register, as it is before the instruction. 1 to 31.
    Register(u8),
    /// The word at `sp + 4 * n`, before the instruction: the arguments that did not fit in registers.
    Stack(u8),
    /// For a return: a register as it was when the function was entered.
    EntryRegister(u8),
    /// For a return: a word of the stack as it was when the function was entered.
    EntryStack(u8),
    /// For a return: clocks since it was entered; 2^32 - 1: or more.
    Elapsed,
    /// Address of the instruction; of a trap, where it came.
    Pc,
    /// For [`Trigger::Data`]: the address.
    Address,
    /// For [`Trigger::Data`]: the value.
    Value,
    /// For [`Trigger::Trap`]: cause, bit 31 for interrupts.
    Cause,
}

/// One trigger with what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    /// What it waits for.
    pub trigger: Trigger,
    /// Identifier of the event.
    pub event: u8,
    /// Where the event goes.
    pub dest: u8,
    /// What it carries, up to [`CAPTURES`] words.
    pub captures: Vec<Capture>,
    /// It carries the time.
    pub stamped: bool,
}

/// Sizes of a generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GeneratorParams {
    /// Trigger slots, 1 to 32.
    pub slots: u8,
    /// Slots, the first of all, that also take data, traps and entries; others take addresses, returns and trap returns.
    pub wide: u8,
    /// Open calls that are watched, 0 to 64; 0: no return triggers.
    pub returns: u8,
    /// Words of stack that are remembered, a power of two, or 0.
    pub stack: u8,
    /// Instructions with triggers that may wait to be made events.
    pub queue: u8,
    /// Events that may wait for the NoC; after an overflow, none is taken until half of them are gone.
    pub fifo: u8,
    /// PC triggers and time only.
    pub lite: bool,
}

impl GeneratorParams {
    /// 16 triggers, 4 of them of every kind, 16 open calls.
    pub const FULL: Self = Self { slots: 16, wide: 4, returns: 16, stack: 16, queue: 4, fifo: 16, lite: false };
    /// 12 PC triggers without captures, as the paper's reduced generator.
    pub const LITE: Self = Self { slots: 12, wide: 0, returns: 0, stack: 0, queue: 4, fifo: 16, lite: true };
}

/// Why a slot cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SlotError {
    /// Too many of them.
    #[error("{found} triggers, but the event generator has {right}")]
    Slots {
        /// Asked for.
        found: usize,
        /// There are.
        right: u8,
    },
    /// Too many of data, traps and entries.
    #[error("{found} triggers of data, traps and entries, but the event generator has {right}")]
    Wide {
        /// Asked for.
        found: usize,
        /// There are.
        right: u8,
    },
    /// Too many captures.
    #[error("{0} captured words, but a trigger captures {CAPTURES} at most")]
    Captures(usize),
    /// It cannot capture that, or wait for that.
    #[error("{0}")]
    Kind(&'static str),
}

impl GeneratorParams {
    /// Whether a generator of these sizes takes `slots`.
    pub fn check(&self, slots: &[Slot]) -> Result<(), SlotError> {
        if slots.len() > usize::from(self.slots) {
            return Err(SlotError::Slots { found: slots.len(), right: self.slots });
        }
        slots.iter().try_for_each(|s| self.check_slot(s))?;
        let found = slots.iter().filter(|s| s.trigger.is_wide()).count();
        if found > usize::from(self.wide) {
            return Err(SlotError::Wide { found, right: self.wide });
        }
        Ok(())
    }

    /// The slots as they are placed: those that need a wide one first.
    pub fn placed(slots: &[Slot]) -> Vec<Slot> {
        let mut placed = slots.to_vec();
        placed.sort_by_key(|s| !s.trigger.is_wide());
        placed
    }

    fn check_slot(&self, slot: &Slot) -> Result<(), SlotError> {
        if slot.captures.len() > CAPTURES {
            return Err(SlotError::Captures(slot.captures.len()));
        }
        let kind = |right: bool, what| if right { Ok(()) } else { Err(SlotError::Kind(what)) };
        let t = slot.trigger;
        if self.lite {
            kind(matches!(t, Trigger::Pc(_)), "a lite event generator waits for addresses of instructions only")?;
            kind(slot.captures.is_empty(), "a lite event generator captures only the time")?;
        }
        let is_return = t.is_return();
        kind(!is_return || self.returns > 0, "this event generator watches no returns")?;
        for c in &slot.captures {
            match c {
                Capture::Register(r) | Capture::EntryRegister(r) => {
                    kind((1..32).contains(r), "registers are x1 to x31")?;
                }
                Capture::Stack(_) | Capture::EntryStack(_) => {
                    kind(self.stack > 0, "this event generator does not watch the stack")?;
                }
                Capture::Elapsed | Capture::Pc | Capture::Address | Capture::Value | Capture::Cause => {}
            }
            match c {
                Capture::EntryRegister(_) | Capture::EntryStack(_) | Capture::Elapsed => {
                    kind(is_return, "values of the entry are available at a return only")?;
                }
                Capture::Address | Capture::Value => {
                    kind(matches!(t, Trigger::Data { .. }), "only a data trigger has an address and a value")?;
                }
                Capture::Cause => kind(matches!(t, Trigger::Trap { .. }), "only a trap has a cause")?,
                Capture::Register(_) | Capture::Stack(_) | Capture::Pc => {}
            }
        }
        Ok(())
    }
}
