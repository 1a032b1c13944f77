//! Built-in program source: a deterministic multi-hart RV32 or RV64 machine
//!
//! Runs ordinary bare-metal ELFs on the platform of QEMU's `virt` board and feeds a [`retire::RetireSink`].
//!
//! | address | device |
//! | --- | --- |
//! | `0x0010_0000` | test finisher: a store of `0x5555` ends with code 0, of `code << 16 \| 0x3333` with `code`; reads as 0 |
//! | `0x0200_0000` | CLINT: `msip` + 4 hart, `mtimecmp` + `0x4000` + 8 hart, `mtime` + `0xbff8` |
//! | `0x1000_0000` | UART like the 16550: a store to offset 0 is output (with LCR bit 7 it is the divisor); offset 5 (LSR) reads `0x60`, and `0x61` while there is input, which loads of offset 0 take |
//! | `0x1001_0000` | DMA (`dma.rs`): copies words of RAM while the harts run, from `+0` to `+4`, `+8` words |
//! | `0x8000_0000` | RAM |
//!
//! `mtime` and `mtimecmp` also take 8-byte loads and stores. Instructions: RV32 or RV64, according to the ELF, with M,
//! A, C, F, D, Zfh, Zicsr, Zifencei, Zba, Zbb, Zbc, Zbs, Zbkb, Zbkx, Zcb and Zicond, in machine mode only. F and D are off until
//! `mstatus.FS` is not 0.
//!
//! A program can also reach its host by `tohost` (`tohost.rs`) and by semihosting (`semihosting.rs`).
//!
//! All harts start at the ELF's entry with `a0` = `mhartid`. Accesses to any other address fault. Misaligned loads and
//! stores work in RAM; misaligned atomics trap. Harts are interleaved by cycle, then by index, so the retire stream is
//! in global commit order and a run depends only on its inputs.
//!
//! A hart whose trap handler cannot be fetched or is illegal traps forever (`mtvec` is 0 at the start). It is locked,
//! and the run ends with [`Exit::Deadlock`] when no other hart can continue either.

pub(crate) mod any_sink;
mod arithmetic;
mod bits;
pub(crate) mod bus;
pub(crate) mod code;
pub(crate) mod csr;
pub mod decode;
mod dma;
mod exec;
mod float;
mod guard;
pub(crate) mod hart;
mod input;
pub mod isa;
mod machine;
pub(crate) mod memory;
mod semihosting;
mod state;
pub mod timing;
pub(crate) mod tohost;

pub use isa::{Isa, Profile, Unmodelled};
pub use machine::{Exit, Limits, Machine, MachineConfig, MachineError, RunSummary};
pub use semihosting::UnsupportedCall;
pub use state::CoreState;
pub use timing::Timing;
