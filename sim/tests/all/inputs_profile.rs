//! Ibex's choices where the privileged ISA leaves them open, worked out by hand from `ibex_cs_registers.sv`
//!
//! A core that makes them replays with its profile, and with no other.

use retire::elf::{Program, Segment};
use retire::NullSink;
use sim::riscv::Profile;
use sim::scheme::inputs::model::{Beat, Recorder, Retired};
use sim::scheme::inputs::params::Sizes;
use sim::scheme::inputs::replay::{InputsError, Replay};
use sim::scheme::inputs::InputsParams;

const RAM: u32 = 0x8000_0000;
const MSTATUS: u32 = 0x300;
const MISA: u32 = 0x301;
const MTVEC: u32 = 0x305;
const MCAUSE: u32 = 0x342;
const MTVAL: u32 = 0x343;

/// `csrr rd, csr`
fn csrr(rd: u32, csr: u32) -> u32 {
    csr << 20 | 2 << 12 | rd << 7 | 0x73
}

/// Code and handlers, with the values that each retired instruction wrote, in order.
fn program() -> Program {
    let mut code = vec![0u32; 0x140 / 4];
    code[..11].copy_from_slice(&[
        0x8000_00b7,                    // lui x1, 0x80000
        0x1f00_8093,                    // addi x1, x1, 0x1f0
        MTVEC << 20 | 1 << 15 | 0x1073, // csrw mtvec, x1
        csrr(2, MTVEC),
        csrr(3, MSTATUS),
        MSTATUS << 20 | 8 << 15 | 0x6073, // csrsi mstatus, 8
        0x0010_0213,                      // addi x4, x0, 1; followed by the timer interrupt
        0x0020_0293,                      // addi x5, x0, 2
        csrr(8, MSTATUS),
        csrr(9, MISA),
        0x0010_0073, // ebreak
    ]);
    code[0x100 / 4] = csrr(10, MTVAL);
    code[0x11c / 4..][..3].copy_from_slice(&[csrr(6, MSTATUS), csrr(7, MCAUSE), 0x3020_0073]);
    let data: Vec<u8> = code.iter().flat_map(|w| w.to_le_bytes()).collect();
    let segment = Segment::code(RAM.into(), data);
    Program {
        xlen: 32,
        compressed: false,
        multiplies: false,
        zcm: false,
        entry: RAM.into(),
        segments: vec![segment],
        build_id: vec![1],
        tohost: None,
    }
}

fn params(profile: Profile) -> InputsParams {
    InputsParams::new(1, 32, (RAM, 1 << 12), Sizes::default()).with_profile(profile)
}

/// What the core did, as the words of a stream with profile `to`.
fn words(to: Profile) -> Vec<u32> {
    let mut model = Recorder::new(&params(to), &program()).unwrap();
    let sets = |rd, value| Beat::Retired(Retired { register: Some((rd, value)), ..Retired::default() });
    let quiet = Beat::Retired(Retired::default());
    let beats = [
        sets(1, 0x8000_0000),
        sets(1, 0x8000_01f0),
        quiet,
        sets(2, 0x8000_0101), // 256 bytes, vectored
        sets(3, 0x80),        // MPIE after reset, MPP user mode
        quiet,
        sets(4, 1),
        Beat::Trap { interrupt: true, cause: 7 },
        sets(6, 0x1880), // MPIE, MPP machine mode
        sets(7, 0x8000_0007),
        Beat::Retired(Retired { flow: Some((0x8000_0124, 0x8000_001c)), ..Retired::default() }),
        sets(5, 2),
        sets(8, 0x88), // MIE, MPIE, MPP user mode
        sets(9, 0x4010_1104),
        Beat::Idle, // the breakpoint does not retire
        sets(10, 0),
    ];
    beats.iter().for_each(|beat| model.clock(None, &[*beat]));
    model.finish();
    model.drain().collect()
}

#[test]
fn ibex_replays_with_its_own_profile() {
    let mut replay = Replay::new(&params(Profile::Ibex), &program(), words(Profile::Ibex)).unwrap().unwrap();
    replay.run(&mut NullSink, |_| false).unwrap();
    let right = [0, 0x8000_01f0, 0x8000_0101, 0x80, 1, 2, 0x1880, 0x8000_0007, 0x88, 0x4010_1104, 0];
    assert_eq!(replay.registers(0)[..11], right);
    assert_eq!((replay.pc(0), replay.retired(0)), (0x8000_0104, 14));
}

/// `ebreak` is illegal, and `mtval` holds the instruction; `misa`; `mstatus` after reset; a counter that it does not
/// have.
#[test]
fn vexriscv_has_traps_of_its_own() {
    use sim::riscv::Profile::{Ibex, Plain, Vexriscv};
    assert_eq!(
        [Plain, Ibex, Vexriscv].map(|p| p.exception(3, 0x8000_0100)),
        [(3, 0x8000_0100), (3, 0x8000_0100), (2, 0x10_0073)]
    );
    assert_eq!([Plain, Ibex, Vexriscv].map(|p| p.exception(11, 0)), [(11, 0), (11, 0), (11, 0x73)]);
    let replay = Replay::new(&params(Vexriscv), &program(), words(Vexriscv)).unwrap().unwrap();
    let csrs = [0x300, 0x301, 0xf12, 0xf13, 0xb03].map(|n| replay.csr(0, n));
    assert_eq!(csrs, [Some(0x1800), Some(0x4000_0042), Some(22), Some(33), None]);
}

#[test]
fn the_plain_profile_is_another_core() {
    let mut replay = Replay::new(&params(Profile::Plain), &program(), words(Profile::Plain)).unwrap().unwrap();
    assert!(matches!(replay.run(&mut NullSink, |_| false), Err(InputsError::Diverged { core: 0, .. })));
    // and the header contains the profile
    let other = Replay::new(&params(Profile::Plain), &program(), words(Profile::Ibex)).unwrap();
    assert!(matches!(other, Err(InputsError::Header { .. })));
}

#[test]
fn the_profile_is_in_the_file_and_in_the_fingerprint() {
    let ibex = params(Profile::Ibex);
    assert!(ibex.canonical().ends_with(" profile=ibex") && !params(Profile::Plain).canonical().contains("profile"));
    let json = serde_json::to_string(&ibex).unwrap();
    assert_eq!(serde_json::from_str::<InputsParams>(&json).unwrap(), ibex);
    assert!(!serde_json::to_string(&params(Profile::Plain)).unwrap().contains("profile"));
    let wide = InputsParams { xlen: 64, ..ibex };
    assert_eq!(wide.check().unwrap_err().to_string(), "xlen = 64, expected 32, the width of the core");
}
