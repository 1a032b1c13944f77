//! Signature of a core's control flow: a CRC over its path, one step per cycle
//!
//! One address can enter the CRC per cycle: the target of a control-flow instruction, or the address of an instruction
//! that is the first after a sync, a trap or a change of context. A message takes the signature of the cycle in which it is decided.
//!
//! # Source
//! `docs/reference/stream.md`, "Signature"; `docs/maintainers/decisions/0034-signature.md`. CRC-16 (x^16 + x^12 + x^5 + 1) advances by one byte of zeros
//! without a table: with t the upper byte, u = t xor t / 16, the next state is state * 256 xor u * 4096 xor u * 32 xor u.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `pc`, `target` | in | W | address of an instruction, and of the next one; one cycle before all other inputs, or more ([`Signature::late`]) |
//! | `early` | in | 1 | with them: it is control flow, if it is traced |
//! | `flow` | in | 1 | it is control flow, and traced |
//! | `first` | in | 1 | it is traced, and the first after a sync or a trap, or in its context |
//! | `restart` | in | 1 | its sync is also for decoders that start there |
//! | `idle` | in | 1 | nothing is traced |
//! | `counts`, `count` | in | 1, 24 | a message counts instructions: those before this one |
//! | `has_context`, `context_value` | in | 1, 18 | a message contains a context; the context of the instruction |
//! | `value` | out | 16 | the signature with all of these, 0 above its width; with `restart`, as without it |
//!
//! # Timing
//! One step per cycle. The address enters from a register. `value` depends combinationally on `flow`, `first`, `counts` and
//! `count`.
//!
//! Golden model: [`sim::core_trace::signature`].

use crate::widget::delay::Delay;
use crate::widget::each::when;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// The signature of one core, for addresses of at most W bits.
#[derive(LogicBlock, Default)]
pub struct Signature<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub pc: Signal<In, Bits<W>>,
    pub target: Signal<In, Bits<W>>,
    pub early: Signal<In, Bit>,
    pub flow: Signal<In, Bit>,
    pub first: Signal<In, Bit>,
    pub restart: Signal<In, Bit>,
    pub idle: Signal<In, Bit>,
    pub counts: Signal<In, Bit>,
    pub count: Signal<In, Bits<24>>,
    pub has_context: Signal<In, Bit>,
    pub context_value: Signal<In, Bits<18>>,
    pub value: Signal<Out, Bits<16>>,
    state: DFF<Bits<16>>,
    word: DFF<Bits<16>>,
    // the address, folded to 16 bits
    address: Signal<Local, Bits<W>>,
    halves: Signal<Local, Bits<W>>,
    quarters: Signal<Local, Bits<W>>,
    own: Signal<Local, Bits<16>>,
    folded: Signal<Local, Bits<16>>,
    // where addresses come earlier
    waiting: Delay<16>,
    // one step of the CRC
    top: Signal<Local, Bits<16>>,
    top_2: Signal<Local, Bits<16>>,
    by_eight: Signal<Local, Bits<16>>,
    advanced: Signal<Local, Bits<16>>,
    over: Signal<Local, Bits<16>>,
    // other values that enter
    number: Signal<Local, Bits<24>>,
    masked_context: Signal<Local, Bits<18>>,
    context_fold: Signal<Local, Bits<16>>,
    more: Signal<Local, Bits<16>>,
    stepped: Signal<Local, Bits<16>>,
    now: Signal<Local, Bits<16>>,
    restart_value: Signal<Local, Bits<16>>,
    // from the parameters
    half: Fixed<Bit>,
    late: Fixed<Bit>,
    long: Fixed<Bit>,
    with_context: Fixed<Bit>,
    mask: Fixed<Bits<16>>,
    after_ones: Fixed<Bits<16>>,
    context_mask: Fixed<Bits<18>>,
}

/// The initial value after one step: a restart adds its address to it.
fn after_ones(bits: u8) -> u16 {
    match bits {
        8 => 0xf3,
        _ => 0x1d0f,
    }
}

impl<const W: usize> Signature<W> {
    /// The signature for `params`.
    ///
    /// # Panics
    /// When messages of `params` carry no signature.
    pub fn new(params: &TraceParams) -> Self {
        Self::late(params, 1)
    }

    /// As [`Signature::new`], where addresses come `cycles` cycles before all other inputs.
    ///
    /// # Panics
    /// As [`Signature::new`].
    pub fn late(params: &TraceParams, cycles: usize) -> Self {
        let bits = params.signature;
        assert!(matches!(bits, 8 | 16), "signature = {bits} is outside 8 or 16");
        Self {
            half: Fixed::new(bits == 8),
            late: Fixed::new(cycles > 1),
            waiting: when(cycles > 1, || Delay::new(cycles - 1)),
            long: Fixed::new(params.xlen == 64),
            with_context: Fixed::new(params.context.is_some()),
            mask: Fixed::of(u16::MAX >> (16 - bits)),
            after_ones: Fixed::of(after_ones(bits)),
            context_mask: Fixed::of((1u32 << params.context_bits()) - 1),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Signature<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, word);
        clock!(self, clock, waiting);

        // all parts of the address, XORed
        self.address.next = self.pc.val();
        if self.early.val() {
            self.address.next = self.target.val();
        }
        self.halves.next = self.address.val();
        if self.long.val() {
            self.halves.next = self.address.val() ^ (self.address.val() >> 32);
        }
        self.quarters.next = self.halves.val() ^ (self.halves.val() >> 16);
        self.own.next = self.quarters.val().get_bits::<16>(0);
        self.folded.next = self.own.val();
        if self.half.val() {
            self.folded.next = (self.own.val() ^ (self.own.val() >> 8)) & self.mask.val();
        }
        self.word.d.next = self.folded.val();
        // nothing steps before the first address has arrived
        self.waiting.clear.next = false;
        self.waiting.from.next = self.folded.val();
        if self.late.val() {
            self.word.d.next = self.waiting.to.val();
        }

        // by the width of the signature: two bytes, or one
        self.top.next = (self.state.q.val() >> 8) ^ (self.state.q.val() >> 12);
        self.by_eight.next =
            (self.state.q.val() << 8) ^ (self.top.val() << 12) ^ (self.top.val() << 5) ^ self.top.val();
        self.top_2.next = (self.by_eight.val() >> 8) ^ (self.by_eight.val() >> 12);
        self.advanced.next =
            (self.by_eight.val() << 8) ^ (self.top_2.val() << 12) ^ (self.top_2.val() << 5) ^ self.top_2.val();
        self.over.next = (self.state.q.val() >> 6) ^ (self.state.q.val() >> 7);
        if self.half.val() {
            self.advanced.next = ((self.state.q.val() << 2)
                ^ (self.state.q.val() << 1)
                ^ self.state.q.val()
                ^ (self.over.val() << 2)
                ^ (self.over.val() << 1)
                ^ self.over.val())
                & self.mask.val();
        }
        self.stepped.next = self.state.q.val();
        if self.flow.val() | self.first.val() {
            self.stepped.next = self.advanced.val() ^ self.word.q.val();
        }

        // contents of messages
        self.number.next = 0.into();
        if self.counts.val() {
            self.number.next = self.count.val() ^ (self.count.val() >> 16);
        }
        self.context_fold.next = 0.into();
        if self.with_context.val() {
            // bits of the context that are not reported are in no message
            self.masked_context.next = self.context_value.val() & self.context_mask.val();
            self.context_fold.next = self.masked_context.val().get_bits::<16>(0)
                ^ bit_cast::<16, 2>(self.masked_context.val().get_bits::<2>(16));
        }
        self.more.next = self.number.val().get_bits::<16>(0);
        if self.with_context.val() & self.has_context.val() {
            self.more.next = self.number.val().get_bits::<16>(0) ^ self.context_fold.val();
        }
        self.now.next = self.stepped.val() ^ self.more.val();
        self.restart_value.next = self.after_ones.val() ^ self.word.q.val() ^ self.context_fold.val();
        if self.half.val() {
            // the upper half has no registers
            self.now.next = (self.stepped.val() ^ self.more.val() ^ (self.more.val() >> 8)) & self.mask.val();
            self.restart_value.next = self.after_ones.val()
                ^ self.word.q.val()
                ^ ((self.context_fold.val() ^ (self.context_fold.val() >> 8)) & self.mask.val());
        }
        self.value.next = self.now.val();

        self.state.d.next = self.now.val();
        if self.restart.val() {
            self.state.d.next = self.restart_value.val();
        }
        if self.idle.val() {
            self.state.d.next = self.mask.val();
        }
    }
}
