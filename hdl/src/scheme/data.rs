//! Test vectors of systems that trace the cores' data: common parts of all their schemes
//!
//! The inputs are seeded random ports, at a rate at which no core has to wait. The outputs are the words that the golden model
//! makes of them.

use sim::scheme::inputs::model::{Access, Beat, Retired};
use sim::scheme::inputs::InputsParams;
use sim::stimulus::Source;
use std::fmt::Write;

/// Instructions of all cores together.
pub const INSTRUCTIONS: u32 = 3000;
/// Cycles for each instruction, of all cores, and for each reference.
pub const CYCLES_PER_INSTRUCTION: u64 = 60;
/// A line of `beats.txt`; hexadecimal except for the first two columns.
#[derive(Default)]
pub struct Line {
    pub cycle: u64,
    pub port: u8,
    pub insn: u32,
    pub pc: u32,
    pub npc: u32,
    pub rd: u8,
    pub value: u32,
    pub addr: u32,
    pub masks: u8,
    pub loaded: u32,
    pub stored: u32,
    /// 0: an instruction retires; 1, 3: an access is refused, an interrupt taken, with `cause`.
    pub event_code: u8,
    pub cause: u8,
}

impl Line {
    /// Appends this line to `to`.
    pub fn write(&self, to: &mut String) {
        let l = self;
        let _ = writeln!(
            to,
            "{} {} {:08x} {:08x} {:08x} {:02x} {:08x} {:08x} {:02x} {:08x} {:08x} {:x} {:x}",
            l.cycle,
            l.port,
            l.insn,
            l.pc,
            l.npc,
            l.rd,
            l.value,
            l.addr,
            l.masks,
            l.loaded,
            l.stored,
            l.event_code,
            l.cause
        );
    }
}

/// Inputs and expected outputs, and the scheme's own parts of the test bench.
pub struct DataBench {
    /// Inputs from the cores, `beats.txt`.
    pub beats: String,
    /// Expected trace words.
    pub words: Vec<u32>,
    /// The cycle after the last line.
    pub stop: u64,
    /// Ports of each core that only this scheme has, with their ranges.
    pub ports: &'static [(&'static str, &'static str)],
    /// Verilog that connects, declares, resets and drives the scheme's own signals.
    pub own: [String; 4],
}

/// A random action of a core, and its line.
pub fn beat(s: &mut Source, p: &InputsParams, cycle: u64, port: u8) -> (Beat, Line) {
    let mut l = Line { cycle, port, pc: s.bits(32) as u32 & !3, ..Line::default() };
    l.npc = l.pc + 4;
    let mut r = Retired::default();
    let rd = s.between(1, 31) as u32;
    l.value = if s.percent(70) { s.below(3) as u32 } else { s.bits(32) as u32 };
    let device = 0x1000_0000 + 4 * s.below(5) as u32;
    let addr = if s.percent(50) { p.ram_base + 4 * s.below(64) as u32 } else { device };
    let access = Access { size: 4, addr, value: l.value };
    let mut sets = true;
    l.insn = match s.below(8) {
        0 | 1 => {
            (l.addr, l.masks, l.loaded) = (addr, 0x0f, l.value);
            r.load = Some(access);
            0x2003 | rd << 7
        }
        2 => {
            (l.addr, l.masks, l.stored) = (addr, 0xf0, l.value);
            (r.store, sets) = (Some(access), false);
            0x2023
        }
        3 => {
            r.csr = Some((0x344, l.value));
            0x3440_2073 | rd << 7
        }
        4 => {
            let stored = s.percent(70);
            r.conditional = Some(stored);
            if stored {
                (l.addr, l.masks, l.stored) = (addr, 0xf0, l.value);
                r.store = Some(access);
            }
            0x1800_202f | rd << 7
        }
        5 => {
            l.npc = s.bits(32) as u32 & !3;
            r.flow = Some((l.pc, l.npc));
            0x6f | rd << 7
        }
        6 if s.percent(30) => {
            (l.event_code, l.cause) = (if s.percent(60) { 3 } else { 1 }, s.bits(4) as u8);
            return (Beat::Trap { interrupt: l.event_code == 3, cause: l.cause }, l);
        }
        _ => 0x13 | rd << 7,
    };
    if sets {
        l.rd = rd as u8;
        r.register = Some((l.rd, l.value));
    }
    (Beat::Retired(r), l)
}

/// The head of `beats.txt`: its ports and columns.
pub fn head(ports: &str) -> String {
    format!(
        "// hex but for the decimal cycle and port; the first clock behind the one in which `recording` rises is 0; {ports}\n\
         // cycle port insn pc next_pc rd value addr masks(write,read) loaded stored told(1 refused, 3 interrupt) cause\n"
    )
}
