//! The retire stream: what the cores did, in the form that all other parts use
//!
//! A source (the built-in simulator, a Verilated softcore, a recorded file) reports the stream as [`FlowEvent`]s: one
//! per retired control-flow instruction, and one per trap. The instructions between two events of a hart are
//! sequential, so events and the ELF together determine every retired PC. A sink can also request [`DataEvent`]s: the
//! values that instructions read and wrote. Events of all harts arrive in **global commit order**: ordered by `cycle`,
//! and within one cycle by `hart`. A hart retires at most one instruction per cycle.
//!
//! # What counts as retired
//! An instruction that traps (`ecall`, `ebreak`, an illegal or faulting one) does not retire, as with the `minstret`
//! counter of the privileged ISA. It appears only as the cause of a [`FlowKind::Trap`].

use crate::isa::Indirect;
use std::fmt;

/// Context of an instruction: its privilege mode (bits 1:0; 0 U, 1 S, 3 M) and, in the bits above, its address space
/// identifier, from `satp` or as a system numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Context(pub u32);

impl Context {
    /// Machine mode and address space 0, the context after reset. No event reports it.
    pub const RESET: Self = Self(3);

    /// Mode `privilege` in address space `id`, of at most 30 bits.
    pub const fn new(privilege: u8, id: u32) -> Self {
        Self(id << 2 | (privilege & 3) as u32)
    }

    /// Privilege mode: 0 U, 1 S, 3 M.
    pub const fn privilege(self) -> u8 {
        (self.0 & 3) as u8
    }

    /// Address space identifier.
    pub const fn id(self) -> u32 {
        self.0 >> 2
    }
}

impl fmt::Display for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", ["u", "s", "h", "m"][usize::from(self.privilege())], self.id())
    }
}

/// Kind of event: how a run of sequential instructions ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlowKind {
    /// The hart starts: `target` is the PC of the first instruction that retires, `cycle` its cycle, and `count` is 0.
    Start,
    /// Direct conditional branch. `taken` is true if the next PC is not the fall-through: it is false for a branch
    /// whose target *is* its fall-through.
    Conditional {
        /// The outcome.
        taken: bool,
    },
    /// Direct unconditional jump that is not a call.
    Jump,
    /// Direct unconditional jump that links (`rd` is x1 or x5).
    Call,
    /// Indirect jump with no link-register hint; also `mret` and `sret`.
    IndirectJump,
    /// Indirect jump that links (`rd` is x1 or x5) and does not return.
    IndirectCall,
    /// Indirect jump through a link register: a return.
    Return,
    /// Indirect jump that both returns and links (pop, then push: a co-routine swap).
    CoSwap,
    /// Return from a trap (`mret`, `sret`). Predicted and reported like [`FlowKind::IndirectJump`].
    TrapReturn,
    /// Conditional indirect branch (of other architectures such as Arm; no RISC-V instruction is one). `taken` as for a
    /// direct one.
    ConditionalIndirect {
        /// Its effect on the return address stack when taken.
        how: Indirect,
        /// The outcome.
        taken: bool,
    },
    /// Exception or interrupt. No instruction retires with it: `pc` is where the hart would have continued (`mepc`),
    /// `target` the handler, `count` the instructions since the previous event. Its `cycle` is that of the first
    /// instruction that retires after it, which is when a trace module sees it, and it precedes that instruction's own
    /// event. Traps with no retired instruction between them are one event: `pc` of the first, handler and cause of the
    /// last. A trap that no instruction follows has no event.
    Trap {
        /// True for an interrupt, false for an exception.
        interrupt: bool,
        /// Cause code as in `mcause`, without the interrupt bit.
        cause: u8,
    },
    /// The next instruction is the first in `context`, which remains in force. No instruction retires with it: `pc` and
    /// `target` are where the hart continues, and its `cycle` is that of the next instruction, as for a `Trap`. A hart
    /// starts in [`Context::RESET`].
    Context {
        /// Mode and address space.
        context: Context,
        /// No `Start`, `Trap` or `Gap` of the same instruction follows. If one does, this event directly precedes it
        /// and its `count` is 0: a trace reports both at once.
        alone: bool,
    },
    /// Only from replay: `lost` unknown instructions follow the one after which `pc` would have been next; `target` is
    /// where replay continues.
    Gap {
        /// Number of lost instructions; saturates. 0: unknown.
        lost: u32,
    },
    /// The hart's stream ends: `pc` is the PC that would have been next, `count` the instructions since the previous
    /// event.
    Stop,
}

impl From<Indirect> for FlowKind {
    fn from(how: Indirect) -> Self {
        match how {
            Indirect::Jump => Self::IndirectJump,
            Indirect::Call => Self::IndirectCall,
            Indirect::Return => Self::Return,
            Indirect::CoSwap => Self::CoSwap,
        }
    }
}

impl FlowKind {
    /// Whether an instruction retires with the event.
    #[inline]
    pub const fn retires(self) -> bool {
        !matches!(self, Self::Start | Self::Trap { .. } | Self::Context { .. } | Self::Gap { .. } | Self::Stop)
    }

    /// Numeric code in retire files and in digests. 0..=23.
    pub const fn code(self) -> u8 {
        match self {
            Self::Start => 0,
            Self::Conditional { taken } => 1 + taken as u8,
            Self::Jump => 3,
            Self::Call => 4,
            Self::IndirectJump => 5,
            Self::IndirectCall => 6,
            Self::Return => 7,
            Self::CoSwap => 8,
            Self::TrapReturn => 9,
            Self::ConditionalIndirect { how, taken } => {
                taken as u8
                    + match how {
                        Indirect::Jump => 10,
                        Indirect::Call => 16,
                        Indirect::Return => 18,
                        Indirect::CoSwap => 20,
                    }
            }
            Self::Trap { interrupt, .. } => 12 + interrupt as u8,
            Self::Stop => 14,
            Self::Gap { .. } => 15,
            Self::Context { alone, .. } => 22 + alone as u8,
        }
    }
}

/// One control-flow event of one hart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FlowEvent {
    /// Hart (core) index, from 0.
    pub hart: u8,
    /// Kind of event.
    pub kind: FlowKind,
    /// Length of the control-flow instruction in bytes: 2 or 4 (1 to 15 in imported traces of other machines); 0 if no
    /// instruction retires.
    pub len: u8,
    /// Instructions that this hart retired since its previous event, including the one at `pc` if the event is one that
    /// retires (all kinds except `Start`, `Trap`, `Context`, `Gap` and `Stop`).
    pub count: u32,
    /// Address of the control-flow instruction (for `Trap` and `Stop` see there).
    pub pc: u64,
    /// Address of the next instruction of this hart.
    pub target: u64,
    /// Clock cycle in which the instruction retired (for `Start` and `Trap` see there; for `Stop` the last cycle of the
    /// run).
    pub cycle: u64,
}

impl FlowEvent {
    /// Whether both describe the same control flow: everything except the cycle and a trap's cause, which a functional
    /// trace does not carry.
    #[inline]
    pub fn same_flow(&self, other: &Self) -> bool {
        let rest = |e: &Self| (e.pc, e.target, e.count, e.len, e.hart);
        let trap = |e: &Self| matches!(e.kind, FlowKind::Trap { .. });
        rest(self) == rest(other) && (self.kind == other.kind || (trap(self) && trap(other)))
    }

    /// Address after the instruction: the fall-through, and the address that a call pushes on the RAS.
    pub fn fall_through(&self) -> u64 {
        self.pc.wrapping_add(u64::from(self.len))
    }
}

/// A value that an instruction read or wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataKind {
    /// A load, or the load half of an atomic.
    Load {
        /// Size in bytes: 1, 2, 4 or 8.
        size: u8,
        /// Byte address.
        addr: u64,
        /// Value read, zero-extended.
        value: u64,
    },
    /// A store, or the store half of an atomic.
    Store {
        /// Size in bytes: 1, 2, 4 or 8.
        size: u8,
        /// Byte address.
        addr: u64,
        /// Value written, zero-extended.
        value: u64,
    },
    /// A CSR was read. Not reported if the instruction only writes the CSR, nor for `mip` and the time and cycle
    /// counters if no register takes the value.
    Csr {
        /// CSR number.
        csr: u16,
        /// Value read.
        value: u64,
    },
    /// An integer register was written; never x0.
    Register {
        /// Register, 1 to 31.
        rd: u8,
        /// Value written.
        value: u64,
    },
    /// A float register was written.
    Float {
        /// Register, 0 to 31.
        rd: u8,
        /// Value written; the upper half of a 32-bit number is all ones.
        value: u64,
    },
    /// Not from the run itself: a record of the imported recording that its event does not fully represent.
    Imported {
        /// Its event follows, the next of the hart; otherwise it has none.
        reported: bool,
        /// Kind, length and count of the record.
        kind: u8,
        /// See `kind`.
        len: u8,
        /// See `kind`.
        count: u32,
        /// Target of the record.
        target: u64,
    },
}

/// A value that an instruction read or wrote, as it retired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DataEvent {
    /// Hart index.
    pub hart: u8,
    /// Kind and value.
    pub kind: DataKind,
    /// PC of the instruction.
    pub pc: u64,
    /// Clock cycle in which the instruction retired.
    pub cycle: u64,
}

/// Action of a hart that neither events nor data report: input from outside a core that is not a value. Needed
/// to execute a run again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Note {
    /// A store conditional retires; its data follow.
    StoreConditional {
        /// Whether it stored.
        stored: bool,
    },
    /// An interrupt is taken. Reported immediately, even if a trap that follows hides it from the events.
    Interrupt {
        /// Cause as in `mcause`, without the interrupt bit.
        cause: u8,
        /// Instructions that the hart has retired so far.
        retired: u64,
    },
    /// A load or store of the next instruction causes an access fault.
    AccessFault {
        /// Cause as in `mcause`: 5 or 7.
        cause: u8,
        /// Instructions that the hart has retired so far.
        retired: u64,
    },
}

/// A store of a bus master that is not a hart (DMA), to one 32-bit word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MasterStore {
    /// Byte address of the word, a multiple of 4.
    pub addr: u64,
    /// Its bytes, little-endian; 0 for bytes that are not stored.
    pub value: u32,
    /// Byte mask, the lowest byte in bit 0. 1..=15.
    pub mask: u8,
    /// Clock cycle.
    pub cycle: u64,
}

impl MasterStore {
    /// Bit mask of the stored bytes.
    pub fn bits(&self) -> u32 {
        (0..4).filter(|lane| self.mask >> lane & 1 == 1).map(|lane| 0xff << (8 * lane)).sum()
    }
}

/// A receiver of the retire stream of a source.
pub trait RetireSink {
    /// Whether [`RetireSink::event`] does anything. If not, a source may leave the calls out.
    const WANTS_EVENTS: bool = true;
    /// Whether the source should call [`RetireSink::data`].
    const WANTS_DATA: bool = false;
    /// Whether the source should call [`RetireSink::stack_pointer`], where it knows registers.
    const WANTS_STACK_POINTER: bool = false;
    /// The next control-flow event in global commit order.
    fn event(&mut self, event: &FlowEvent);
    /// Receives the next datum, in global commit order with the events. The data of an instruction precede its event:
    /// load, store, CSR, then register.
    fn data(&mut self, data: &DataEvent) {
        let _ = data;
    }
    /// Stack pointer (x2) of `hart` at its next event: after the instruction that retires with it, or, of a trap, when it was taken.
    fn stack_pointer(&mut self, hart: u8, sp: u64) {
        let _ = (hart, sp);
    }
    /// Other actions of `hart`, in order with the data. Reported by sources that can, where [`RetireSink::WANTS_DATA`].
    fn note(&mut self, hart: u8, note: &Note) {
        let _ = (hart, note);
    }
    /// Receives a store to RAM of a bus master that is not a hart, in order with the data, if
    /// [`RetireSink::WANTS_DATA`].
    fn master(&mut self, store: &MasterStore) {
        let _ = store;
    }
}

/// Methods of [`RetireSink`] that pass on to a field what they receive, such as `forward!(sink: data, note);`
///
/// For sinks between a source and another sink: each names what it does not look at.
/// ```
/// use retire::{FlowEvent, RetireSink};
///
/// struct Counted<S> {
///     sink: S,
///     events: u64,
/// }
///
/// impl<S: RetireSink> RetireSink for Counted<S> {
///     const WANTS_DATA: bool = S::WANTS_DATA;
///
///     fn event(&mut self, event: &FlowEvent) {
///         self.events += 1;
///         self.sink.event(event);
///     }
///
///     retire::forward!(sink: data, note, master);
/// }
/// ```
#[macro_export]
macro_rules! forward {
    ($field:tt: $($method:ident),+) => {
        $($crate::forward!(@$method $field);)+
    };
    (@event $field:tt) => {
        #[inline]
        fn event(&mut self, event: &$crate::FlowEvent) {
            self.$field.event(event);
        }
    };
    (@data $field:tt) => {
        #[inline]
        fn data(&mut self, data: &$crate::DataEvent) {
            self.$field.data(data);
        }
    };
    (@stack_pointer $field:tt) => {
        #[inline]
        fn stack_pointer(&mut self, hart: u8, sp: u64) {
            self.$field.stack_pointer(hart, sp);
        }
    };
    (@note $field:tt) => {
        #[inline]
        fn note(&mut self, hart: u8, note: &$crate::Note) {
            self.$field.note(hart, note);
        }
    };
    (@master $field:tt) => {
        #[inline]
        fn master(&mut self, store: &$crate::MasterStore) {
            self.$field.master(store);
        }
    };
}

/// A sink that drops everything: for running a program only for its effect or its speed.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullSink;

impl RetireSink for NullSink {
    const WANTS_EVENTS: bool = false;
    fn event(&mut self, _: &FlowEvent) {}
}

impl RetireSink for Vec<FlowEvent> {
    #[inline]
    fn event(&mut self, event: &FlowEvent) {
        self.push(*event);
    }
}

impl<S: RetireSink> RetireSink for &mut S {
    const WANTS_EVENTS: bool = S::WANTS_EVENTS;
    const WANTS_DATA: bool = S::WANTS_DATA;
    const WANTS_STACK_POINTER: bool = S::WANTS_STACK_POINTER;
    #[inline]
    fn event(&mut self, event: &FlowEvent) {
        (**self).event(event);
    }
    #[inline]
    fn data(&mut self, data: &DataEvent) {
        (**self).data(data);
    }
    #[inline]
    fn stack_pointer(&mut self, hart: u8, sp: u64) {
        (**self).stack_pointer(hart, sp);
    }
    #[inline]
    fn note(&mut self, hart: u8, note: &Note) {
        (**self).note(hart, note);
    }
    #[inline]
    fn master(&mut self, store: &MasterStore) {
        (**self).master(store);
    }
}
