//! Traces in formats of other tools, made from runs of the built-in simulator

use host::import::Format;
use host::input::Input;
use host::machine::{Settings, TimingModel};
use host::progress::Quiet;
use retire::image::Image;
use retire::{FlowEvent, FlowKind};
use std::fmt::Write;

/// A step of hart 0.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// A retired instruction, and its event, if any.
    Instruction { pc: u64, bits: u32, event: Option<FlowEvent> },
    /// A trap before the instruction at `epc`.
    Trap { epc: u64, interrupt: bool, bits: u32 },
}

/// The first instructions of a program on one hart.
pub fn steps(program: &str, instructions: u64) -> Vec<Step> {
    let input = Input::open(program).unwrap();
    let settings =
        Settings { timing: TimingModel::Functional, max_instructions: Some(instructions), ..Settings::default() };
    let mut events: Vec<FlowEvent> = Vec::new();
    input.run(1, &settings).unwrap().report_to(&mut events, &Quiet).unwrap();
    let image = Image::new(&input.named().unwrap().program);
    let (mut pc, mut steps) = (0, Vec::new());
    for e in &events {
        for n in 1..=e.count {
            let (bits, len) = image.instruction(pc).unwrap();
            let last = n == e.count && !matches!(e.kind, FlowKind::Trap { .. } | FlowKind::Stop);
            steps.push(Step::Instruction { pc, bits, event: last.then_some(*e) });
            pc += u64::from(len);
        }
        if let FlowKind::Trap { interrupt, .. } = e.kind {
            steps.push(Step::Trap { epc: e.pc, interrupt, bits: image.instruction(e.pc).map_or(0, |i| i.0) });
        }
        pc = e.target;
    }
    steps
}

/// The log that `spike -l --log-commits` would write.
pub fn spike(steps: &[Step]) -> String {
    let mut log = String::from("core   0: >>>>  _start\n");
    for step in steps {
        match step {
            Step::Instruction { pc, bits, .. } => {
                writeln!(log, "core   0: 0x{pc:08x} (0x{bits:08x}) what it is").unwrap();
                writeln!(log, "core   0: 3 0x{pc:08x} (0x{bits:08x}) x5  0x00000000").unwrap();
            }
            Step::Trap { epc, interrupt: true, .. } => {
                writeln!(log, "core   0: exception interrupt #7, epc 0x{epc:08x}").unwrap();
            }
            Step::Trap { epc, bits, .. } => {
                writeln!(log, "core   0: 0x{epc:08x} (0x{bits:08x}) what it is").unwrap();
                writeln!(log, "core   0: exception trap_any, epc 0x{epc:08x}").unwrap();
                writeln!(log, "core   0:           tval 0x00000000").unwrap();
            }
        }
    }
    log
}

/// The log that QEMU would write for blocks of one instruction (`-singlestep -d exec,nochain,int`).
pub fn qemu(steps: &[Step]) -> String {
    let mut log = String::new();
    let block = |log: &mut String, pc: u64| {
        writeln!(log, "Trace 0: 0x7f9914000100 [00000000/{pc:08x}/00109003/ff000a01] f").unwrap();
    };
    block(&mut log, 0x1000);
    for step in steps {
        match step {
            Step::Instruction { pc, .. } => block(&mut log, *pc),
            Step::Trap { epc, interrupt, .. } => {
                block(&mut log, *epc);
                if *interrupt {
                    writeln!(log, "Stopped execution of TB chain before 0x7f9914000100 [{epc:08x}] f").unwrap();
                }
                let is = u8::from(*interrupt);
                writeln!(
                    log,
                    "riscv_cpu_do_interrupt: hart:0, async:{is}, cause:0000000b, epc:0x{epc:08x}, tval:0x00000000, desc=x"
                )
                .unwrap();
            }
        }
    }
    log
}

/// The trace that a ChampSim tracer would write; without traps.
pub fn champsim(steps: &[Step]) -> Vec<u8> {
    let mut trace = Vec::new();
    for step in steps {
        let Step::Instruction { pc, event, .. } = step else { continue };
        let mut b = [0u8; 64];
        b[..8].copy_from_slice(&pc.to_le_bytes());
        let (written, read): ([u8; 2], [u8; 4]) = match event.map(|e| e.kind) {
            Some(FlowKind::Conditional { .. }) => ([26, 0], [26, 25, 0, 0]),
            Some(FlowKind::Jump) => ([26, 0], [26, 0, 0, 0]),
            Some(FlowKind::Call) => ([26, 6], [26, 6, 0, 0]),
            Some(FlowKind::IndirectCall) => ([26, 6], [26, 6, 3, 0]),
            Some(FlowKind::Return | FlowKind::CoSwap) => ([26, 6], [6, 0, 0, 0]),
            Some(_) => ([26, 0], [3, 0, 0, 0]),
            None => ([4, 0], [6, 0, 0, 0]),
        };
        b[8] = u8::from(event.is_some());
        b[9] = u8::from(event.is_some_and(|e| e.kind != FlowKind::Conditional { taken: false }));
        b[10..12].copy_from_slice(&written);
        b[12..16].copy_from_slice(&read);
        trace.extend(b);
    }
    trace
}

/// The trace that MBPlib's tracer would write; without traps.
pub fn sbbt(steps: &[Step]) -> Vec<u8> {
    let (mut packets, mut branches, mut since) = (Vec::new(), 0u64, 0u64);
    for step in steps {
        let Step::Instruction { pc, event, .. } = step else { continue };
        since += 1;
        let Some(e) = event else { continue };
        let (opcode, taken) = match e.kind {
            FlowKind::Conditional { taken } => (0b0001, taken),
            FlowKind::Jump => (0b0000, true),
            FlowKind::Call => (0b1000, true),
            FlowKind::IndirectCall => (0b1010, true),
            FlowKind::Return | FlowKind::CoSwap => (0b0110, true),
            _ => (0b0010, true),
        };
        packets.extend((pc << 12 | u64::from(taken) << 11 | opcode).to_le_bytes());
        packets.extend((e.target << 12 | since).to_le_bytes());
        (branches, since) = (branches + 1, 0);
    }
    let mut trace = b"SBBT\n\x01\0\0".to_vec();
    trace.extend((steps.len() as u64).to_le_bytes());
    trace.extend(branches.to_le_bytes());
    trace.extend(packets);
    trace
}

/// The waveform of a core's simulation: its RVFI port in `tb.core`, its E-Trace port in `tb.soc.core0.trace`.
pub fn wave(steps: &[Step]) -> String {
    let mut vcd = String::from(
        "$timescale 1 ns $end\n$scope module tb $end\n$var wire 1 ! clk $end\n$scope module core $end\n\
         $var wire 1 v valid $end\n$var wire 32 i rvfi_insn $end\n$var wire 1 t rvfi_intr $end\n\
         $var wire 32 p rvfi_pc_rdata $end\n$var wire 32 n rvfi_pc_wdata $end\n$upscope $end\n\
         $scope module soc $end\n$scope module core0 $end\n$scope module trace $end\n\
         $var wire 4 y itype $end\n$var wire 64 a iaddr $end\n$var wire 2 r iretire $end\n\
         $var wire 1 l ilastsize $end\n$upscope $end\n$upscope $end\n$upscope $end\n$upscope $end\n\
         $enddefinitions $end\n",
    );
    let (mut time, mut intr) = (0, false);
    for step in steps {
        let Step::Instruction { pc, bits, event } = *step else {
            intr = true;
            continue;
        };
        let long = bits & 3 == 3;
        let next = event.map_or(pc + if long { 4 } else { 2 }, |e| e.target);
        let itype = match event.map(|e| e.kind) {
            Some(FlowKind::Conditional { taken }) => 4 + u8::from(taken),
            Some(FlowKind::Jump) => 11,
            Some(FlowKind::Call) => 9,
            Some(FlowKind::IndirectJump) => 10,
            Some(FlowKind::IndirectCall) => 8,
            Some(FlowKind::Return) => 13,
            Some(FlowKind::CoSwap) => 12,
            Some(FlowKind::TrapReturn) => 3,
            _ => 0,
        };
        writeln!(vcd, "#{time}\n0!\n1v\nb{bits:b} i\n{}t\nb{pc:b} p\nb{next:b} n", u8::from(intr)).unwrap();
        writeln!(vcd, "b{itype:b} y\nb{pc:b} a\nb{:b} r\n{}l\n#{}\n1!", 1 + u8::from(long), u8::from(long), time + 5)
            .unwrap();
        (time, intr) = (time + 10, false);
    }
    vcd
}

/// Text of `perf script --itrace=b`, of `-F brstack` and of DynamoRIO's view tool, and a BT9 trace: a loop that is left after two passes, and a call.
pub const TEXTS: [(Format, &str); 4] = [
    (
        Format::Perf,
        "p 7/7 1.1: 1 branches:uH: tr strt 0 [unknown] => 1000 f+0x0 (p)\n\
         p 7/7 1.2: 1 branches:uH: jcc 1008 f+0x8 (p) => 1000 f+0x0 (p)\n\
         p 7/7 1.3: 1 branches:uH: jcc 1008 f+0x8 (p) => 1000 f+0x0 (p)\n\
         p 7/7 1.4: 1 branches:uH: call 1010 f+0x10 (p) => 2000 g+0x0 (p)\n\
         p 7/7 1.5: 1 branches:uH: return 2008 g+0x8 (p) => 1015 f+0x15 (p)\n",
    ),
    (
        Format::Perf,
        "p 7 1.1: 0x2008/0x1015/P/-/-/1/RET/- 0x1010/0x2000/P/-/-/3/CALL/- 0x1008/0x1000/M/-/-/9/COND/-\n\
         p 7 1.9: 0x1008/0x1000/P/-/-/1/COND/- 0x1008/0x1000/P/-/-/3/COND/-\n",
    ),
    (
        Format::Memtrace,
        "  1  1:  7 ifetch  4 byte(s) @ 0x1000 48 83 c0 01  add %rax\n  2  2:  7 ifetch  2 byte(s) @ 0x1004 75 fa  jnz $0x1000 (taken)\n\
         \x20 3  3:  7 ifetch  4 byte(s) @ 0x1000 48 83 c0 01  add %rax\n  4  4:  7 ifetch  2 byte(s) @ 0x1004 75 fa  jnz $0x1000 (untaken)\n\
         \x20 5  5:  7 ifetch  5 byte(s) @ 0x1006 e8 f5 0f 00 00  call $0x2000\n  6  6:  7 ifetch  1 byte(s) @ 0x2000 c3  ret (target 0x100b)\n",
    ),
    (
        Format::Bt9,
        "BT9_SPA_TRACE_FORMAT\nBT9_NODES\nNODE 0 0 - 0 0\nNODE 1 0x1004 - 0 2 class: JMP+DIR+CND\nNODE 2 0x1006 - 0 5 class: CALL+DIR+UCD\n\
         NODE 3 0x2000 - 0 1 class: RET+IND+UCD\nBT9_EDGES\nEDGE 0 0 1 N 0 - 2\nEDGE 1 1 1 T 0x1000 - 2\nEDGE 2 1 2 N 0x1006 - 1\n\
         EDGE 3 2 3 T 0x2000 - 1\nEDGE 4 3 0 T 0x100b - 0\nBT9_EDGE_SEQUENCE\n0\n1\n2\n3\n4\nEOF\n",
    ),
];

/// The records of DynamoRIO for the run of the text of its view tool in [`TEXTS`], by a thread with this number.
pub fn drmemtrace(thread: u64) -> Vec<u8> {
    let records: [(u16, u16, u64); 14] = [
        (25, 0, 7),
        (28, 12, 7),
        (28, 9, 0xe40),
        (22, 8, thread),
        (24, 8, 7),
        (28, 2, 100 + thread),
        (10, 4, 0x1000),
        (48, 2, 0x1004),
        (10, 4, 0x1000),
        (49, 2, 0x1004),
        (14, 5, 0x1006),
        (28, 29, 0x100b),
        (16, 1, 0x2000),
        (26, 0, 0),
    ];
    let bytes = |(kind, size, value): &(u16, u16, u64)| {
        [&kind.to_le_bytes()[..], &size.to_le_bytes(), &value.to_le_bytes()].concat()
    };
    records.iter().flat_map(bytes).collect()
}
