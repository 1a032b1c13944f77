//! Programs of random instructions, and the two machines that run them

mod instructions;
mod operands;

use instructions::{some, Base, Trial};
use operands::{float, integer};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use retire::elf::{Program, Segment};
use retire::NullSink;
use sim::riscv::{Exit, Limits, Machine, MachineConfig, Timing};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const RAM: u64 = 0x8000_0000;
/// Address of the results: after code and operands.
const OUT: u64 = RAM + 0x80_0000;
/// Address of the scratch area for loads, stores and atomics.
const SCRATCH: u64 = RAM + 0xf0_0000;
/// Size of the scratch area, bytes.
const SCRATCH_BYTES: u32 = 4096;
/// Size of the results of one instruction, bytes: `x[rd]`, `f[rd]`, `fcsr`, `mcause`, `mtval`.
const RESULT: usize = 40;
/// Time limit: much longer than a run takes, even on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);

/// Registers that are not tested: `mtval`, operands, scratch area, `mcause` and other values, results.
const VALUE: u32 = 27;
const POOL: u32 = 28;
const BASE: u32 = 29;
const CAUSE: u32 = 30;
const RESULTS: u32 = 31;

/// A program, with its instructions under test.
pub struct Random {
    xlen: u8,
    seed: u64,
    image: Vec<u8>,
    trials: Vec<Trial>,
}

fn i_type(opcode: u32, f3: u32, rd: u32, rs1: u32, imm: i32) -> u32 {
    (imm as u32) << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode
}

fn s_type(opcode: u32, f3: u32, rs1: u32, rs2: u32, imm: i32) -> u32 {
    let imm = imm as u32;
    (imm >> 5 & 127) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (imm & 31) << 7 | opcode
}

fn csr(f3: u32, rd: u32, number: u32, rs1: u32) -> u32 {
    i_type(0x73, f3, rd, rs1, number as i32)
}

/// `rd` = an address in RAM: `lui` sign-extends on RV64, so the upper half is shifted out.
fn address(xlen: u8, rd: u32, value: u64) -> Vec<u32> {
    assert_eq!(value & 0xfff, 0);
    let lui = value as u32 & 0xffff_f000 | rd << 7 | 0x37;
    match xlen {
        64 => vec![lui, i_type(0x13, 1, rd, rd, 32), i_type(0x13, 5, rd, rd, 32)],
        _ => vec![lui],
    }
}

/// A program of `trials` random instructions, from a seed.
pub fn program(xlen: u8, seed: u64, trials: usize) -> Random {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ u64::from(xlen) << 32);
    let (load, store) = if xlen == 64 { (3, 3) } else { (2, 2) };
    let mut code: Vec<u32> = Vec::new();
    // the handler continues after the instruction; cause and value are results
    let handler = [
        csr(2, CAUSE, 0x341, 0),
        i_type(0x13, 0, CAUSE, CAUSE, 4),
        csr(1, 0, 0x341, CAUSE),
        csr(2, CAUSE, 0x342, 0),
        csr(2, VALUE, 0x343, 0),
        0x3020_0073,
    ];
    // jal over the handler; mtvec = RAM + 4
    code.push(0x0000_006f | (4 * (handler.len() as u32 + 1)) << 20);
    code.extend(handler);
    code.extend(address(xlen, BASE, RAM));
    code.extend([i_type(0x13, 0, BASE, BASE, 4), csr(1, 0, 0x305, BASE)]);
    // FS: turns F and D on
    code.extend([0x0000_6000 | BASE << 7 | 0x37, csr(2, 0, 0x300, BASE)]);
    code.extend(address(xlen, BASE, SCRATCH));
    code.extend(address(xlen, RESULTS, OUT));
    // QEMU's start-up code leaves addresses in some registers
    code.extend((1..VALUE).map(|r| i_type(0x13, 0, r, 0, 0)));
    let pool_at = code.len();
    code.extend(address(xlen, POOL, RAM));
    let mut pool: Vec<u64> = Vec::new();
    let mut tried = Vec::new();
    while tried.len() < trials {
        let trial = some(&mut rng, xlen);
        let (rs1, rs2, rs3) = trial.sources;
        let mut put = |value: u64, insn: fn(u32, u32, i32) -> u32, register: u32| {
            code.push(insn(register, POOL, 8 * (pool.len() % 5) as i32));
            pool.push(value);
        };
        let x_load: fn(u32, u32, i32) -> u32 =
            if load == 3 { |r, b, i| i_type(0x03, 3, r, b, i) } else { |r, b, i| i_type(0x03, 2, r, b, i) };
        let x = |r: u32| if (1..VALUE).contains(&r) { r } else { 0 };
        put(integer(&mut rng), x_load, x(rs1));
        put(integer(&mut rng), x_load, x(rs2));
        for r in [rs1, rs2, rs3] {
            put(float(&mut rng), |r, b, i| i_type(0x07, 3, r, b, i), r);
        }
        code.push(i_type(0x13, 0, POOL, POOL, 40));
        for base in [trial.base, Some(Base { register: 2, offset: 256 })].into_iter().flatten() {
            code.push(i_type(0x13, 0, base.register, BASE, base.offset));
        }
        // frm, occasionally a reserved one; fflags 0
        let frm = if rng.random_range(0..20) == 0 { rng.random_range(5..8) } else { rng.random_range(0..5) };
        code.extend([csr(5, 0, 2, frm), csr(5, 0, 1, 0), i_type(0x13, 0, CAUSE, 0, 0), i_type(0x13, 0, VALUE, 0, 0)]);
        code.extend(&trial.code);
        code.extend([
            s_type(0x23, store, RESULTS, trial.rd, 0),
            s_type(0x27, 3, RESULTS, trial.rd, 8),
            s_type(0x23, store, RESULTS, CAUSE, 24),
            s_type(0x23, store, RESULTS, VALUE, 32),
            csr(2, CAUSE, 3, 0),
            s_type(0x23, store, RESULTS, CAUSE, 16),
            i_type(0x13, 0, RESULTS, RESULTS, RESULT as i32),
        ]);
        tried.push(trial);
    }
    // all registers after the results, f0 to f31 and x1 to x26
    for r in 0..32 {
        code.push(s_type(0x27, 3, RESULTS, r, 8 * r as i32));
        if (1..VALUE).contains(&r) {
            code.push(s_type(0x23, store, RESULTS, r, 256 + 8 * r as i32));
        }
    }
    code.push(i_type(0x13, 0, RESULTS, RESULTS, 512));
    code.extend(send(xlen, OUT, RESULTS));
    code.extend(address(xlen, RESULTS, SCRATCH + u64::from(SCRATCH_BYTES)));
    code.extend(send(xlen, SCRATCH, RESULTS));
    // the end
    code.extend([0x0010_0000 | 5 << 7 | 0x37, 0x0000_5000 | 6 << 7 | 0x37, i_type(0x13, 0, 6, 6, 0x555)]);
    code.extend([s_type(0x23, 2, 5, 6, 0), 0x0000_006f]);
    let pool_addr = (RAM + 4 * code.len() as u64 + 4096) & !4095;
    for (i, word) in address(xlen, POOL, pool_addr).into_iter().enumerate() {
        code[pool_at + i] = word;
    }
    let mut image: Vec<u8> = code.iter().flat_map(|w| w.to_le_bytes()).collect();
    image.resize((pool_addr - RAM) as usize, 0);
    image.extend(pool.iter().flat_map(|v| v.to_le_bytes()));
    assert!(image.len() < (OUT - RAM) as usize && trials * RESULT < (SCRATCH - OUT) as usize, "{}", image.len());
    Random { xlen, seed, image, trials: tried }
}

/// Sends the bytes from `from` up to the address in register `to`.
fn send(xlen: u8, from: u64, to: u32) -> Vec<u32> {
    let mut code = address(xlen, 5, from);
    let lui_uart = 0x1000_0000 | 6 << 7 | 0x37;
    code.extend([lui_uart, i_type(0x03, 4, 7, 5, 0), s_type(0x23, 0, 6, 7, 0), i_type(0x13, 0, 5, 5, 1)]);
    // bne x5, to, -12
    let offset = -12i32 as u32;
    code.push(
        (offset >> 12 & 1) << 31
            | (offset >> 5 & 63) << 25
            | to << 20
            | 5 << 15
            | 1 << 12
            | (offset >> 1 & 15) << 8
            | (offset >> 11 & 1) << 7
            | 0x63,
    );
    code
}

impl Random {
    fn simulator(&self) -> Vec<u8> {
        let (addr, data) = (RAM, self.image.clone());
        let segments = vec![Segment::code(addr, data)];
        let program = Program {
            xlen: self.xlen,
            compressed: true,
            multiplies: true,
            zcm: false,
            tohost: None,
            entry: RAM,
            segments,
            build_id: vec![0],
        };
        let config = MachineConfig { timing: Timing::functional(), ..MachineConfig::default() };
        let mut machine = Machine::new(&program, config).expect("the machine can be built");
        let run =
            machine.run(&mut NullSink, Limits { instructions: 100_000_000, ..Limits::default() }).expect("it runs");
        assert_eq!(run.exit, Exit::Finished(0), "the simulator did not come to the end");
        run.uart
    }

    fn qemu(&self) -> Vec<u8> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (image, out) = (folder.path().join("image"), folder.path().join("out"));
        std::fs::write(&image, &self.image).expect("the image can be written");
        let tool = std::env::var(format!("QEMU_RISCV{}", self.xlen))
            .unwrap_or_else(|_| format!("qemu-system-riscv{}", self.xlen));
        let mut child = Command::new(&tool)
            .args(["-cpu", &format!("rv{},Zfh=true,zbkb=true,zbkx=true", self.xlen)])
            .args(["-M", "virt", "-bios", "none", "-display", "none", "-monitor", "none", "-serial"])
            .arg(format!("file:{}", out.display()))
            .arg("-device")
            .arg(format!("loader,file={},addr=0x{RAM:x},force-raw=on", image.display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap_or_else(|e| panic!("{tool}: not found ({e}); `tools/setup` installs it"));
        let start = Instant::now();
        while child.try_wait().expect("the child can be waited for").is_none() {
            if start.elapsed() > LIMIT {
                child.kill().expect("the child can be ended");
                panic!("{tool} did not come to the end");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        std::fs::read(out).expect("its output can be read")
    }
}

/// Runs both, and reports the instructions in which they differ.
pub fn assert_equal(program: &Random) {
    let (ours, theirs) = (program.simulator(), program.qemu());
    let what = |i: usize| program.trials.get(i).map_or("registers and memory at the end".into(), |t| format!("{t:x?}"));
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    let mut differing = Vec::new();
    let words = ["x", "f", "fcsr", "mcause", "mtval"];
    let traps = ours.chunks(RESULT).take(program.trials.len()).filter(|r| number(&r[24..32]) != 0).count();
    for (i, (a, b)) in ours.chunks(RESULT).zip(theirs.chunks(RESULT)).enumerate() {
        if a != b {
            let parts = words.iter().zip(a.chunks(8).zip(b.chunks(8))).filter(|(_, (a, b))| a != b);
            let parts: Vec<String> = parts.map(|(w, (a, b))| format!("{w}: {a:02x?}, QEMU {b:02x?}")).collect();
            let f = if i < program.trials.len() { number(&a[8..16]) } else { 0 };
            differing.push(format!("{i}: {}; f[rd] 0x{f:016x}\n    {}", what(i), parts.join("\n    ")));
        }
    }
    let (xlen, seed) = (program.xlen, program.seed);
    assert_eq!(ours.len(), theirs.len(), "RV{xlen}, seed {seed}: bytes that came");
    assert!(
        differing.is_empty(),
        "RV{xlen}, seed {seed}: {} differ:\n{}",
        differing.len(),
        differing[..differing.len().min(12)].join("\n")
    );
    // checks that the stimuli cover traps
    let all = program.trials.len();
    assert!(traps > all / 50 && traps < all / 2, "{traps} of {all} instructions trapped");
}
