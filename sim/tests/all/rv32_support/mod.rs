//! A small assembler and machine runner for the tests of the built-in simulator

use retire::elf::{Program, Segment};
use retire::{DataEvent, DataKind, FlowEvent, RetireSink};
use sim::riscv::{Limits, Machine, MachineConfig, RunSummary, Timing};

pub const BASE: u32 = 0x8000_0000;
/// Address of the programs' data; after all code, within 64 KiB.
pub const DATA: u32 = BASE + 0x8000;
pub const CLINT: u32 = 0x0200_0000;
pub const UART: u32 = 0x1000_0000;
pub const FINISHER: u32 = 0x0010_0000;

/// Registers by ABI name, as far as the tests need them.
pub const ZERO: u32 = 0;
pub const RA: u32 = 1;
pub const SP: u32 = 2;
pub const T0: u32 = 5;
pub const T1: u32 = 6;
pub const T2: u32 = 7;
pub const S0: u32 = 8;
pub const S1: u32 = 9;
pub const A0: u32 = 10;
pub const A1: u32 = 11;
pub const A2: u32 = 12;
pub const A3: u32 = 13;

pub fn r(f7: u32, f3: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | 0x33
}
pub fn i(opcode: u32, f3: u32, rd: u32, rs1: u32, imm: i32) -> u32 {
    (imm as u32) << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode
}
pub fn addi(rd: u32, rs1: u32, imm: i32) -> u32 {
    i(0x13, 0, rd, rs1, imm)
}
pub fn load(f3: u32, rd: u32, rs1: u32, imm: i32) -> u32 {
    i(0x03, f3, rd, rs1, imm)
}
pub fn lw(rd: u32, rs1: u32, imm: i32) -> u32 {
    load(2, rd, rs1, imm)
}
pub fn store(f3: u32, rs2: u32, rs1: u32, imm: i32) -> u32 {
    let imm = imm as u32;
    (imm >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (imm & 31) << 7 | 0x23
}
pub fn sw(rs2: u32, rs1: u32, imm: i32) -> u32 {
    store(2, rs2, rs1, imm)
}
pub fn branch(f3: u32, rs1: u32, rs2: u32, offset: i32) -> u32 {
    let o = offset as u32;
    (o >> 12 & 1) << 31
        | (o >> 5 & 0x3f) << 25
        | rs2 << 20
        | rs1 << 15
        | f3 << 12
        | (o >> 1 & 15) << 8
        | (o >> 11 & 1) << 7
        | 0x63
}
pub fn jal(rd: u32, offset: i32) -> u32 {
    let o = offset as u32;
    (o >> 20 & 1) << 31 | (o >> 1 & 0x3ff) << 21 | (o >> 11 & 1) << 20 | (o >> 12 & 0xff) << 12 | rd << 7 | 0x6f
}
pub fn jalr(rd: u32, rs1: u32, imm: i32) -> u32 {
    i(0x67, 0, rd, rs1, imm)
}
pub fn lui(rd: u32, value: u32) -> u32 {
    value & 0xffff_f000 | rd << 7 | 0x37
}
pub fn auipc(rd: u32, value: u32) -> u32 {
    value & 0xffff_f000 | rd << 7 | 0x17
}
pub fn amo(f5: u32, rd: u32, addr: u32, rs2: u32) -> u32 {
    f5 << 27 | rs2 << 20 | addr << 15 | 2 << 12 | rd << 7 | 0x2f
}
pub fn lr(rd: u32, addr: u32) -> u32 {
    amo(2, rd, addr, 0)
}
pub fn sc(rd: u32, addr: u32, rs2: u32) -> u32 {
    amo(3, rd, addr, rs2)
}
/// `csrrw` 1, `csrrs` 2, `csrrc` 3; 5 to 7 are the same with `rs1` as the immediate.
pub fn csr(f3: u32, rd: u32, number: u32, rs1: u32) -> u32 {
    number << 20 | rs1 << 15 | f3 << 12 | rd << 7 | 0x73
}
pub fn csrw(number: u32, rs1: u32) -> u32 {
    csr(1, 0, number, rs1)
}
pub fn csrr(rd: u32, number: u32) -> u32 {
    csr(2, rd, number, 0)
}
pub const ECALL: u32 = 0x73;
pub const EBREAK: u32 = 0x0010_0073;
pub const MRET: u32 = 0x3020_0073;
pub const WFI: u32 = 0x1050_0073;
pub const FENCE_I: u32 = 0x100f;
pub const NOP: u32 = 0x13;

pub const MSTATUS: u32 = 0x300;
pub const MIE: u32 = 0x304;
pub const MTVEC: u32 = 0x305;
pub const MSCRATCH: u32 = 0x340;
pub const MEPC: u32 = 0x341;
pub const MCAUSE: u32 = 0x342;
pub const MTVAL: u32 = 0x343;
pub const MIP: u32 = 0x344;

/// An assembler buffer of 16- and 32-bit instructions.
#[derive(Clone, Default)]
pub struct Asm {
    pub bytes: Vec<u8>,
}

impl Asm {
    pub fn new() -> Self {
        Self::default()
    }
    pub fn here(&self) -> u32 {
        BASE + self.bytes.len() as u32
    }
    pub fn put(&mut self, insns: &[u32]) -> &mut Self {
        for insn in insns {
            self.bytes.extend_from_slice(&insn.to_le_bytes());
        }
        self
    }
    pub fn half(&mut self, insn: u16) -> &mut Self {
        self.bytes.extend_from_slice(&insn.to_le_bytes());
        self
    }
    /// Loads an immediate, always with two instructions.
    pub fn li(&mut self, rd: u32, value: u32) -> &mut Self {
        let low = ((value << 20) as i32) >> 20;
        self.put(&[lui(rd, value.wrapping_sub(low as u32)), addi(rd, rd, low)])
    }
    /// Outputs `reg` as the next word of [`Log::out`].
    pub fn out(&mut self, reg: u32) -> &mut Self {
        // s0 is the output pointer
        self.put(&[sw(reg, S0, 0)])
    }
    /// Ends with exit code 0; clobbers t0 and t1.
    pub fn exit(&mut self) -> &mut Self {
        self.li(T0, FINISHER).li(T1, 0x5555).put(&[sw(T1, T0, 0)])
    }
    /// Pads with `nop` up to `BASE + offset`.
    pub fn org(&mut self, offset: usize) -> &mut Self {
        assert!(self.bytes.len() <= offset, "code of {} bytes passes offset {offset}", self.bytes.len());
        while self.bytes.len() < offset {
            self.half(1);
        }
        self
    }
    pub fn program(&self) -> Program {
        let (addr, mem_size) = (u64::from(BASE), self.bytes.len() as u64);
        let segments = vec![Segment::code(addr, self.bytes.clone()).of_size(mem_size)];
        Program {
            xlen: 32,
            compressed: true,
            multiplies: true,
            zcm: false,
            tohost: None,
            entry: addr,
            segments,
            build_id: vec![1],
        }
    }
    pub fn run(&self) -> Log {
        self.run_with(config(1), Limits { instructions: 100_000, cycles: 1_000_000 })
    }
    pub fn run_with(&self, config: MachineConfig, limits: Limits) -> Log {
        run(&self.program(), config, limits)
    }
}

/// Runs a program and collects what it reports.
pub fn run(program: &Program, config: MachineConfig, limits: Limits) -> Log {
    let mut log = Recorder::default();
    let mut machine = Machine::new(program, config).expect("the machine can be built");
    let summary = machine.run(&mut log, limits).expect("the machine runs");
    Log { events: log.events, data: log.data, order: log.order, summary }
}

/// A configuration with functional timing and 64 KiB of RAM.
pub fn config(harts: u8) -> MachineConfig {
    MachineConfig { harts, ram_bytes: 64 << 10, timing: Timing::functional(), ..MachineConfig::default() }
}

#[derive(Default)]
struct Recorder {
    events: Vec<FlowEvent>,
    data: Vec<DataEvent>,
    order: Vec<(u64, u8)>,
}

impl RetireSink for Recorder {
    const WANTS_DATA: bool = true;
    fn event(&mut self, event: &FlowEvent) {
        self.order.push((event.cycle, event.hart));
        self.events.push(*event);
    }
    fn data(&mut self, data: &DataEvent) {
        self.order.push((data.cycle, data.hart));
        self.data.push(*data);
    }
}

/// Everything that a run reported.
pub struct Log {
    pub events: Vec<FlowEvent>,
    pub data: Vec<DataEvent>,
    /// Cycle and hart of events and data, in the order received.
    pub order: Vec<(u64, u8)>,
    pub summary: RunSummary,
}

impl Log {
    /// Words stored to [`DATA`], in order: the output of [`Asm::out`].
    pub fn out(&self) -> Vec<u32> {
        let stored = |d: &DataEvent| match d.kind {
            DataKind::Store { addr, value, .. } if addr == u64::from(DATA) => Some(value as u32),
            _ => None,
        };
        self.data.iter().filter_map(stored).collect()
    }
}

/// Runs `body` with `a` in t0 and `b` in t1, and returns the final value of t2.
pub fn eval(a: u32, b: u32, body: &[u32]) -> u32 {
    let log = Asm::new().li(S0, DATA).li(T0, a).li(T1, b).put(body).out(T2).exit().run();
    assert_eq!(log.out().len(), 1, "the instruction trapped");
    log.out()[0]
}
