//! Core: a minimal RV32I core for event handlers
//!
//! Executes one instruction at a time, in three cycles, more for memory accesses and shifts. An illegal instruction or
//! an access to an invalid address halts the core until `restart`.
//!
//! # Source
//! RISC-V unprivileged ISA, chapter RV32I, without `fence`, `ecall` and `ebreak`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `restart` | in | 1 | 1: restarts the core from any state |
//! | `go` | in | 1 | 0: the core waits in its start state |
//! | `addr` | out | 32 | address of a fetch, load or store |
//! | `fetch`, `load`, `store` | out | 1 | access request |
//! | `size` | out | 2 | of the access: 0 byte, 1 halfword, 2 word |
//! | `mask`, `wdata` | out | 4, 32 | byte enables and data of a store |
//! | `hold` | in | 1 | 1: the load or store is not done yet and stays |
//! | `wrong` | in | 1 | 1: a load or store of this kind is not possible at this address |
//! | `rdata` | in | 32 | the word at `addr`, one cycle after `fetch` or `load` |
//! | `busy` | out | 1 | 0: the core is in its start state |
//! | `fault` | out | 1 | 1: the core has halted |
//! | `pc` | out | 32 | address of the current instruction |
//! | `sets`, `rd`, `value` | out | 1, 5, 32 | a register write |
//!
//! # Timing
//! Fetch, decode and execute take 3 cycles. A load takes 2 more, a store 1 more, a shift 1 more and one per bit
//! position. `wrong` and `hold` are sampled in the cycle of `load` or `store`. Registers other than x0 are undefined
//! until they are written.
//!
//! Golden model: `sim::diag::processor::core`.

use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::diag::processor::RAM_BYTES;

/// State of the core.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum CoreState {
    Start,
    Fetch,
    Decode,
    Execute,
    Shift,
    Access,
    Load,
    Store,
    Halt,
}

/// An RV32I core of the diagnosis processor.
#[derive(LogicBlock, Default)]
pub struct Core {
    pub clock: Signal<In, Clock>,
    pub restart: Signal<In, Bit>,
    pub go: Signal<In, Bit>,
    pub addr: Signal<Out, Bits<32>>,
    pub fetch: Signal<Out, Bit>,
    pub load: Signal<Out, Bit>,
    pub store: Signal<Out, Bit>,
    pub size: Signal<Out, Bits<2>>,
    pub mask: Signal<Out, Bits<4>>,
    pub wdata: Signal<Out, Bits<32>>,
    pub hold: Signal<In, Bit>,
    pub wrong: Signal<In, Bit>,
    pub rdata: Signal<In, Bits<32>>,
    pub busy: Signal<Out, Bit>,
    pub fault: Signal<Out, Bit>,
    pub pc: Signal<Out, Bits<32>>,
    pub sets: Signal<Out, Bit>,
    pub rd: Signal<Out, Bits<5>>,
    pub value: Signal<Out, Bits<32>>,

    state: DFF<CoreState>,
    at: DFF<Bits<32>>,
    access_address: DFF<Bits<32>>,
    // intermediate value of a shift, or the data of a store
    acc: DFF<Bits<32>>,
    shift_count: DFF<Bits<5>>,
    a_regs: Mem<5, 32>,
    b_regs: Mem<5, 32>,

    // decode of the fetched word
    sign: Signal<Local, Bits<32>>,
    high: Signal<Local, Bits<20>>,
    code: Signal<Local, Bits<7>>,
    f3: Signal<Local, Bits<3>>,
    f7: Signal<Local, Bits<7>>,
    plain: Signal<Local, Bit>,
    imm: DFF<Bits<32>>,
    op: DFF<Bits<5>>,
    kind: DFF<Bits<3>>,
    dest: DFF<Bits<5>>,
    other: DFF<Bit>,
    legal: DFF<Bit>,

    // execute
    is_lui: Signal<Local, Bit>,
    is_auipc: Signal<Local, Bit>,
    is_jal: Signal<Local, Bit>,
    is_jalr: Signal<Local, Bit>,
    is_branch: Signal<Local, Bit>,
    is_load: Signal<Local, Bit>,
    is_store: Signal<Local, Bit>,
    is_op: Signal<Local, Bit>,
    is_shift: Signal<Local, Bit>,
    a: Signal<Local, Bits<32>>,
    b: Signal<Local, Bits<32>>,
    y: Signal<Local, Bits<32>>,
    sum: Signal<Local, Bits<32>>,
    diff: Signal<Local, Bits<32>>,
    signs: Signal<Local, Bit>,
    less: Signal<Local, Bit>,
    below: Signal<Local, Bit>,
    equal: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    beyond: Signal<Local, Bits<32>>,
    through: Signal<Local, Bits<32>>,
    jump: Signal<Local, Bits<32>>,
    result: Signal<Local, Bits<32>>,

    // load and shift
    half: Signal<Local, Bits<16>>,
    octet: Signal<Local, Bits<8>>,
    loaded: Signal<Local, Bits<32>>,
    filled: Signal<Local, Bits<32>>,
    we: Signal<Local, Bit>,
    written: Signal<Local, Bits<5>>,
    data: Signal<Local, Bits<32>>,

    outside: Fixed<Bits<32>>,
    even: Fixed<Bits<32>>,
    four: Fixed<Bits<32>>,
    sign_bit: Fixed<Bits<32>>,
    ones: Fixed<Bits<20>>,
    upper_half: Fixed<Bits<32>>,
    upper_bytes: Fixed<Bits<32>>,
    one: Fixed<Bits<5>>,
}

impl Core {
    /// A core in its start state.
    pub fn new() -> Self {
        Self {
            outside: Fixed::of(!u64::from(RAM_BYTES - 4) & 0xffff_ffff),
            even: Fixed::of(0xffff_fffeu64),
            four: Fixed::of(4u64),
            sign_bit: Fixed::of(0x8000_0000u64),
            ones: Fixed::of(0xf_ffffu64),
            upper_half: Fixed::of(0xffff_0000u64),
            upper_bytes: Fixed::of(0xffff_ff00u64),
            one: Fixed::of(1u64),
            ..Default::default()
        }
    }
}

#[allow(clippy::collapsible_match)] // a kernel has no guards
impl Logic for Core {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, at, access_address, acc, shift_count, imm, op, kind, dest, other, legal);
        clock!(self, clock, a_regs, b_regs);

        // decode: the immediate, and whether the instruction is legal
        self.code.next = self.rdata.val().get_bits::<7>(0);
        self.f3.next = self.rdata.val().get_bits::<3>(12);
        self.f7.next = self.rdata.val().get_bits::<7>(25);
        self.high.next = 0.into();
        if self.rdata.val().get_bit(31) {
            self.high.next = self.ones.val();
        }
        self.sign.next = bit_cast::<32, 20>(self.high.val()) << 12;
        self.plain.next = !self.f7.val().any();
        if self.state.q.val() == CoreState::Decode {
            self.imm.d.next = self.sign.val() | bit_cast::<32, 12>(self.rdata.val().get_bits::<12>(20));
            self.op.d.next = self.rdata.val().get_bits::<5>(2);
            self.kind.d.next = self.f3.val();
            self.dest.d.next = self.rdata.val().get_bits::<5>(7);
            self.other.d.next = self.rdata.val().get_bit(30);
            self.legal.d.next = false;
            if (self.code.val() == 0x37) | (self.code.val() == 0x17) {
                self.legal.d.next = true;
                self.imm.d.next = bit_cast::<32, 20>(self.rdata.val().get_bits::<20>(12)) << 12;
            }
            if self.code.val() == 0x6f {
                self.legal.d.next = true;
                self.imm.d.next = (bit_cast::<32, 12>(self.high.val().get_bits::<12>(0)) << 20)
                    | (bit_cast::<32, 8>(self.rdata.val().get_bits::<8>(12)) << 12)
                    | (bit_cast::<32, 1>(self.rdata.val().get_bit(20).into()) << 11)
                    | (bit_cast::<32, 10>(self.rdata.val().get_bits::<10>(21)) << 1);
            }
            if self.code.val() == 0x67 {
                self.legal.d.next = !self.f3.val().any();
            }
            if self.code.val() == 0x63 {
                self.legal.d.next = (self.f3.val() != 2) & (self.f3.val() != 3);
                self.imm.d.next = self.sign.val()
                    | (bit_cast::<32, 1>(self.rdata.val().get_bit(7).into()) << 11)
                    | (bit_cast::<32, 6>(self.rdata.val().get_bits::<6>(25)) << 5)
                    | (bit_cast::<32, 4>(self.rdata.val().get_bits::<4>(8)) << 1);
            }
            if self.code.val() == 0x03 {
                self.legal.d.next = (self.f3.val() != 3) & (self.f3.val() < 6);
            }
            if self.code.val() == 0x23 {
                self.legal.d.next = self.f3.val() < 3;
                self.imm.d.next = self.sign.val()
                    | (bit_cast::<32, 7>(self.f7.val()) << 5)
                    | bit_cast::<32, 5>(self.rdata.val().get_bits::<5>(7));
            }
            if self.code.val() == 0x13 {
                self.legal.d.next = true;
                if self.f3.val() == 1 {
                    self.legal.d.next = self.plain.val();
                }
                if self.f3.val() == 5 {
                    self.legal.d.next = self.plain.val() | (self.f7.val() == 0x20);
                }
            }
            if self.code.val() == 0x33 {
                self.legal.d.next =
                    self.plain.val() | ((self.f7.val() == 0x20) & ((self.f3.val() == 0) | (self.f3.val() == 5)));
            }
        }
        self.is_lui.next = self.op.q.val() == 0x0d;
        self.is_auipc.next = self.op.q.val() == 0x05;
        self.is_jal.next = self.op.q.val() == 0x1b;
        self.is_jalr.next = self.op.q.val() == 0x19;
        self.is_branch.next = self.op.q.val() == 0x18;
        self.is_load.next = self.op.q.val() == 0x00;
        self.is_store.next = self.op.q.val() == 0x08;
        self.is_op.next = self.op.q.val() == 0x0c;
        self.is_shift.next =
            (self.is_op.val() | (self.op.q.val() == 0x04)) & ((self.kind.q.val() == 1) | (self.kind.q.val() == 5));

        // execute
        self.a_regs.raddr.next = self.rdata.val().get_bits::<5>(15);
        self.b_regs.raddr.next = self.rdata.val().get_bits::<5>(20);
        self.a.next = self.a_regs.rdata.val();
        self.b.next = self.b_regs.rdata.val();
        self.y.next = self.imm.q.val();
        if self.is_op.val() | self.is_branch.val() {
            self.y.next = self.b.val();
        }
        self.sum.next = self.a.val() + self.y.val();
        self.diff.next = self.a.val() - self.y.val();
        self.signs.next = self.a.val().get_bit(31) ^ self.y.val().get_bit(31);
        self.less.next = self.diff.val().get_bit(31);
        self.below.next = self.diff.val().get_bit(31);
        if self.signs.val() {
            self.less.next = self.a.val().get_bit(31);
            self.below.next = self.y.val().get_bit(31);
        }
        self.equal.next = !self.diff.val().any();
        self.taken.next = self.equal.val();
        if self.kind.q.val().get_bit(2) {
            self.taken.next = self.less.val();
            if self.kind.q.val().get_bit(1) {
                self.taken.next = self.below.val();
            }
        }
        self.beyond.next = self.at.q.val() & self.outside.val();
        self.through.next = self.at.q.val() + self.four.val();
        self.jump.next = self.at.q.val() + self.imm.q.val();
        self.result.next = self.sum.val();
        if (self.kind.q.val() == 0) & self.is_op.val() & self.other.q.val() {
            self.result.next = self.diff.val();
        }
        match self.kind.q.val().index() {
            2 => self.result.next = bit_cast::<32, 1>(self.less.val().into()),
            3 => self.result.next = bit_cast::<32, 1>(self.below.val().into()),
            4 => self.result.next = self.a.val() ^ self.y.val(),
            6 => self.result.next = self.a.val() | self.y.val(),
            7 => self.result.next = self.a.val() & self.y.val(),
            _ => {}
        }
        if self.is_lui.val() {
            self.result.next = self.imm.q.val();
        }
        if self.is_auipc.val() {
            self.result.next = self.jump.val();
        }
        if self.is_jal.val() | self.is_jalr.val() {
            self.result.next = self.through.val();
        }

        // load data, and a value shifted by one position
        self.half.next = self.rdata.val().get_bits::<16>(0);
        if self.access_address.q.val().get_bit(1) {
            self.half.next = self.rdata.val().get_bits::<16>(16);
        }
        self.octet.next = self.half.val().get_bits::<8>(0);
        if self.access_address.q.val().get_bit(0) {
            self.octet.next = self.half.val().get_bits::<8>(8);
        }
        self.loaded.next = self.rdata.val();
        if self.kind.q.val().get_bits::<2>(0) == 0 {
            self.loaded.next = bit_cast::<32, 8>(self.octet.val());
            if self.octet.val().get_bit(7) & !self.kind.q.val().get_bit(2) {
                self.loaded.next = bit_cast::<32, 8>(self.octet.val()) | self.upper_bytes.val();
            }
        }
        if self.kind.q.val().get_bits::<2>(0) == 1 {
            self.loaded.next = bit_cast::<32, 16>(self.half.val());
            if self.half.val().get_bit(15) & !self.kind.q.val().get_bit(2) {
                self.loaded.next = bit_cast::<32, 16>(self.half.val()) | self.upper_half.val();
            }
        }
        self.filled.next = self.acc.q.val() >> 1;
        if self.other.q.val() & self.acc.q.val().get_bit(31) {
            self.filled.next = (self.acc.q.val() >> 1) | self.sign_bit.val();
        }
        if self.kind.q.val() == 1 {
            self.filled.next = self.acc.q.val() << 1;
        }

        self.we.next = false;
        self.written.next = self.dest.q.val();
        self.data.next = self.result.val();
        match self.state.q.val() {
            CoreState::Start => {
                // x0 is written with 0 here, and never again
                self.we.next = true;
                self.written.next = 0.into();
                self.data.next = 0.into();
                self.at.d.next = 0.into();
                if self.go.val() {
                    self.state.d.next = CoreState::Fetch;
                }
            }
            CoreState::Fetch => {
                self.state.d.next = CoreState::Decode;
                if self.beyond.val().any() {
                    self.state.d.next = CoreState::Halt;
                }
            }
            CoreState::Decode => self.state.d.next = CoreState::Execute,
            CoreState::Execute => {
                self.access_address.d.next = self.sum.val();
                self.acc.d.next = self.b.val();
                self.shift_count.d.next = self.y.val().get_bits::<5>(0);
                self.state.d.next = CoreState::Fetch;
                if !self.legal.q.val() {
                    self.state.d.next = CoreState::Halt;
                } else if self.is_load.val() {
                    self.state.d.next = CoreState::Access;
                } else if self.is_store.val() {
                    self.state.d.next = CoreState::Store;
                } else if self.is_shift.val() {
                    self.acc.d.next = self.a.val();
                    self.state.d.next = CoreState::Shift;
                } else {
                    self.we.next = !self.is_branch.val();
                    self.at.d.next = self.through.val();
                    if self.is_jal.val() {
                        self.at.d.next = self.jump.val();
                    }
                    if self.is_jalr.val() {
                        self.at.d.next = self.sum.val() & self.even.val();
                    }
                    if self.is_branch.val() & (self.taken.val() ^ self.kind.q.val().get_bit(0)) {
                        self.at.d.next = self.jump.val();
                    }
                }
            }
            CoreState::Shift => {
                self.data.next = self.acc.q.val();
                self.acc.d.next = self.filled.val();
                self.shift_count.d.next = self.shift_count.q.val() - self.one.val();
                if !self.shift_count.q.val().any() {
                    self.we.next = true;
                    self.at.d.next = self.through.val();
                    self.state.d.next = CoreState::Fetch;
                }
            }
            CoreState::Access => {
                if self.wrong.val() {
                    self.state.d.next = CoreState::Halt;
                } else if !self.hold.val() {
                    self.state.d.next = CoreState::Load;
                }
            }
            CoreState::Load => {
                self.we.next = true;
                self.data.next = self.loaded.val();
                self.at.d.next = self.through.val();
                self.state.d.next = CoreState::Fetch;
            }
            CoreState::Store => {
                if self.wrong.val() {
                    self.state.d.next = CoreState::Halt;
                } else if !self.hold.val() {
                    self.at.d.next = self.through.val();
                    self.state.d.next = CoreState::Fetch;
                }
            }
            CoreState::Halt => {}
        }
        if self.restart.val() {
            self.state.d.next = CoreState::Start;
        }

        self.sets.next = self.we.val() & self.written.val().any();
        self.rd.next = self.written.val();
        self.value.next = self.data.val();
        self.a_regs.we.next = self.sets.val() | (self.state.q.val() == CoreState::Start);
        self.b_regs.we.next = self.sets.val() | (self.state.q.val() == CoreState::Start);
        self.a_regs.waddr.next = self.written.val();
        self.b_regs.waddr.next = self.written.val();
        self.a_regs.wdata.next = self.data.val();
        self.b_regs.wdata.next = self.data.val();

        self.addr.next = self.access_address.q.val();
        if self.state.q.val() == CoreState::Fetch {
            self.addr.next = self.at.q.val();
        }
        self.fetch.next = self.state.q.val() == CoreState::Fetch;
        self.load.next = self.state.q.val() == CoreState::Access;
        self.store.next = self.state.q.val() == CoreState::Store;
        self.size.next = self.kind.q.val().get_bits::<2>(0);
        self.wdata.next = self.acc.q.val();
        self.mask.next = 15.into();
        if self.kind.q.val().get_bits::<2>(0) == 0 {
            self.wdata.next = (bit_cast::<32, 8>(self.acc.q.val().get_bits::<8>(0)) << 24)
                | (bit_cast::<32, 8>(self.acc.q.val().get_bits::<8>(0)) << 16)
                | (bit_cast::<32, 8>(self.acc.q.val().get_bits::<8>(0)) << 8)
                | bit_cast::<32, 8>(self.acc.q.val().get_bits::<8>(0));
            match self.access_address.q.val().get_bits::<2>(0).index() {
                0 => self.mask.next = 1.into(),
                1 => self.mask.next = 2.into(),
                2 => self.mask.next = 4.into(),
                _ => self.mask.next = 8.into(),
            }
        }
        if self.kind.q.val().get_bits::<2>(0) == 1 {
            self.wdata.next = (bit_cast::<32, 16>(self.acc.q.val().get_bits::<16>(0)) << 16)
                | bit_cast::<32, 16>(self.acc.q.val().get_bits::<16>(0));
            self.mask.next = 3.into();
            if self.access_address.q.val().get_bit(1) {
                self.mask.next = 12.into();
            }
        }
        self.busy.next = self.state.q.val() != CoreState::Start;
        self.fault.next = self.state.q.val() == CoreState::Halt;
        self.pc.next = self.at.q.val();
    }
}
