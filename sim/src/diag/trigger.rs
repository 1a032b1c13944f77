//! Triggers of an event generator, and the words that it captures
//!
//! A generator has a number of trigger slots. Each has a condition, the event that it makes, the event's destination,
//! and up to [`CAPTURES`] captured words, which are in this order in the packet.
//!
//! # Source
//! Paper 004 section 4.1: PC and function return, 12 at a time, registers and arguments. Data triggers, trap triggers
//! and destinations per slot are this project's.

/// Most words that a slot captures.
pub const CAPTURES: usize = 5;

/// Condition of a trigger slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// The instruction at this address retires.
    Pc(u64),
    /// The instruction at `first` retires, and was not reached by a branch or jump within the function `first..=last`:
    /// an iteration of a loop is not a call. If a trap returned to it, it may be either, and counts as lost.
    Entry {
        /// First byte of the function.
        first: u64,
        /// Its last byte.
        last: u64,
    },
    /// The function that begins at this address returns to its caller.
    Return(u64),
    /// The function `first..=last` returns. A branch or jump within it to its first instruction is not taken for a
    /// call; with [`Trigger::Return`] this is also detected, but costs work each time.
    ReturnFrom {
        /// First byte of the function.
        first: u64,
        /// Its last byte.
        last: u64,
    },
    /// A load or store touches a byte of `first..=last`.
    Data {
        /// First byte.
        first: u64,
        /// Last byte.
        last: u64,
        /// By a load.
        loads: bool,
        /// By a store.
        stores: bool,
        /// Only with this value.
        value: Option<u64>,
    },
    /// A trap is taken.
    Trap {
        /// True: an interrupt; false: an exception; none: either.
        interrupt: Option<bool>,
        /// Only with this cause.
        cause: Option<u8>,
    },
    /// A trap handler returns (`mret`, `sret`).
    TrapReturn,
}

impl Trigger {
    /// Whether it is triggered by the return of a function.
    pub fn is_return(&self) -> bool {
        matches!(self, Self::Return(_) | Self::ReturnFrom { .. })
    }

    /// Whether it compares more than an address.
    pub fn is_wide(&self) -> bool {
        match self {
            Self::Data { .. } | Self::Trap { .. } | Self::Entry { .. } | Self::ReturnFrom { .. } => true,
            Self::Pc(_) | Self::Return(_) | Self::TrapReturn => false,
        }
    }
}

/// A number as wide as a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    /// A register before the instruction. 1 to 31.
    Register(u8),
    /// The number at `sp + n * xlen / 8` before the instruction: an argument that did not fit in registers.
    Stack(u8),
    /// For a return: a register at the function's entry.
    EntryRegister(u8),
    /// For a return: a number on the stack at the function's entry.
    EntryStack(u8),
    /// Address of the instruction; for a trap, the address at which it was taken.
    Pc,
    /// For [`Trigger::Data`]: the address.
    Address,
    /// For [`Trigger::Data`]: the value.
    Value,
}

/// A source of a word that an event captures. Of a number of 64 bits, these are the lower 32, unless it is
/// [`Capture::Upper`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Capture {
    /// A register before the instruction. 1 to 31.
    Register(u8),
    /// The number at `sp + n * xlen / 8` before the instruction: an argument that did not fit in registers.
    Stack(u8),
    /// For a return: a register at the function's entry.
    EntryRegister(u8),
    /// For a return: a number on the stack at the function's entry.
    EntryStack(u8),
    /// For a return: cycles since the entry; saturates at 2^32 - 1.
    Elapsed,
    /// Address of the instruction; for a trap, the address at which it was taken.
    Pc,
    /// For [`Trigger::Data`]: the address.
    Address,
    /// For [`Trigger::Data`]: the value.
    Value,
    /// For [`Trigger::Trap`]: cause, bit 31 for interrupts.
    Cause,
    /// Bits 63:32 of a number. Only on RV64.
    Upper(Number),
}

impl Capture {
    /// The number of which this is a half, or all of it; `None`: a word that has 32 bits on every core.
    pub fn number(self) -> Option<Number> {
        Some(match self {
            Self::Register(r) => Number::Register(r),
            Self::Stack(n) => Number::Stack(n),
            Self::EntryRegister(r) => Number::EntryRegister(r),
            Self::EntryStack(n) => Number::EntryStack(n),
            Self::Pc => Number::Pc,
            Self::Address => Number::Address,
            Self::Value => Number::Value,
            Self::Upper(number) => number,
            Self::Elapsed | Self::Cause => return None,
        })
    }

    /// The half of a number that this captures.
    pub fn half(self, number: u64) -> u32 {
        match self {
            Self::Upper(_) => (number >> 32) as u32,
            _ => number as u32,
        }
    }
}

/// A trigger slot.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    /// Condition.
    pub trigger: Trigger,
    /// Identifier of the event.
    pub event: u8,
    /// Destination of the event.
    pub dest: u8,
    /// Captured words, up to [`CAPTURES`].
    pub captures: Vec<Capture>,
    /// The event has a time stamp.
    pub stamped: bool,
    /// The event leaves the chip, and yields to events that do not: where it would have to wait for the link, it goes to
    /// a queue of its own ([`super::link_queue`]), and is lost if that is full.
    pub yields: bool,
}

/// Sizes of a generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GeneratorParams {
    /// Width of addresses and registers, bits: 32 or 64.
    pub xlen: u8,
    /// Trigger slots, 1 to 32.
    pub slots: u8,
    /// Number of slots, the first ones, that also take data, trap and entry triggers; others take addresses, returns
    /// and trap returns.
    pub wide: u8,
    /// Open calls that can be watched, 0 to 64; 0: no return triggers.
    pub returns: u8,
    /// Stack words that are kept, a power of two, or 0.
    pub stack: u8,
    /// Depth of the queue of instructions with hits.
    pub queue: u8,
    /// Depth of the event FIFO; after an overflow, events are accepted again when it is half empty.
    pub fifo: u8,
    /// PC triggers and time only.
    pub lite: bool,
    /// It can hold its core instead of losing events that come too fast. Only a full one.
    pub stalls: bool,
}

impl GeneratorParams {
    /// 16 triggers, 4 of them of any kind, 16 open calls.
    pub const FULL: Self =
        Self { xlen: 32, slots: 16, wide: 4, returns: 16, stack: 16, queue: 4, fifo: 16, lite: false, stalls: false };
    /// 12 PC triggers without captures, like the paper's reduced generator.
    pub const LITE: Self =
        Self { xlen: 32, slots: 12, wide: 0, returns: 0, stack: 0, queue: 4, fifo: 16, lite: true, stalls: false };
    /// Of a bus master: only its stores are observed ([`super::master`]).
    pub const MASTER: Self = Self { slots: 4, wide: 4, returns: 1, ..Self::FULL };
}

/// Error of setting slots.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SlotError {
    /// Too many triggers.
    #[error("{found} triggers, but the event generator has {right}")]
    Slots {
        /// Number given.
        found: usize,
        /// Number available.
        right: u8,
    },
    /// Too many data, trap and entry triggers.
    #[error("{found} triggers of data, traps and entries, but the event generator has {right}")]
    Wide {
        /// Number given.
        found: usize,
        /// Number available.
        right: u8,
    },
    /// Too many captures.
    #[error("{0} captured words, but a trigger captures {CAPTURES} at most")]
    Captures(usize),
    /// A capture or trigger that it does not support.
    #[error("{0}")]
    Kind(&'static str),
}

impl GeneratorParams {
    /// Largest address and largest number in a register.
    pub fn largest(&self) -> u64 {
        u64::MAX >> (64 - self.xlen)
    }

    /// Whether a generator of these sizes can hold `slots`.
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

    /// The slots in the order in which they are placed: wide ones first.
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
            if let Capture::Upper(_) = c {
                kind(self.xlen == 64, "a core of 32 bits has no upper halves")?;
            }
            match c.number() {
                Some(Number::Register(r) | Number::EntryRegister(r)) => {
                    kind((1..32).contains(&r), "registers are x1 to x31")?;
                }
                Some(Number::Stack(_) | Number::EntryStack(_)) => {
                    kind(self.stack > 0, "this event generator does not watch the stack")?;
                }
                Some(Number::Pc | Number::Address | Number::Value) | None => {}
            }
            match c.number() {
                Some(Number::EntryRegister(_) | Number::EntryStack(_)) => {
                    kind(is_return, "values of the entry are available at a return only")?;
                }
                Some(Number::Address | Number::Value) => {
                    kind(matches!(t, Trigger::Data { .. }), "only a data trigger has an address and a value")?;
                }
                Some(Number::Register(_) | Number::Stack(_) | Number::Pc) => {}
                None if *c == Capture::Cause => {
                    kind(matches!(t, Trigger::Trap { .. }), "only a trap has a cause")?;
                }
                None => kind(is_return, "values of the entry are available at a return only")?,
            }
        }
        Ok(())
    }
}
