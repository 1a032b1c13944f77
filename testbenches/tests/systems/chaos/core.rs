//! Cores: what their ports show of a program, and of secret code
#![allow(missing_docs)]

use sim::beats::blocks::{length, Block as Report};
use sim::stimulus::run::Retired;
use sim::stimulus::Source;

/// Address of the secret code, and the number of low bits that vary.
pub const SECRET: (u64, u32) = (0x5ec0_a5a0, 5);

/// The ports of a core.
#[derive(Clone, Copy, Debug)]
pub enum Ports {
    /// One instruction per cycle.
    One,
    /// This many instructions per cycle, in any channels.
    Channels(u8),
    /// This many blocks per cycle.
    Blocks(u8),
    /// E-Trace reports of single instructions.
    Reports,
}

/// The instructions of a core, its position, whether the trap before the next instruction was reported, and the next
/// secret address.
pub struct Core {
    pub all: Vec<Retired>,
    pub at: usize,
    pub trap_reported: bool,
    pub secret: u64,
}

/// What retires in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The next instructions of the program, which may be traced.
    Program,
    /// Secret instructions, which must not be traced.
    Secret,
}

impl Ports {
    /// Port values of core `c` in a cycle in which each channel is used with a probability of `rate` percent.
    pub fn show(
        self,
        (c, core): (usize, &mut Core),
        s: &mut Source,
        (rate, check): (u8, bool),
        shown: Shown,
    ) -> Vec<(String, u128)> {
        let lanes = match self {
            Ports::One | Ports::Reports => 1,
            Ports::Channels(n) | Ports::Blocks(n) => n,
        };
        let mut values = Vec::new();
        for lane in 0..lanes {
            if !s.percent(rate) || core.at == core.all.len() {
                continue;
            }
            if let Ports::Blocks(_) | Ports::Reports = self {
                let reports = matches!(self, Ports::Reports);
                let block = match shown {
                    Shown::Program => core.block(s, if reports { 1 } else { 15 }),
                    Shown::Secret if s.percent(10) => Report::trap(1, core.secret),
                    Shown::Secret => Report::of(&[core.hidden(s)], 32),
                };
                let port = |name: &str| match lanes {
                    1 => format!("{name}_{c}"),
                    _ => format!("block{lane}_{name}_{c}"),
                };
                values.extend([
                    (port("itype"), block.itype.into()),
                    (port("iaddr"), block.iaddr.into()),
                    (port("iretire"), block.iretire.into()),
                    (port("ilastsize"), block.ilastsize.into()),
                ]);
                if !reports {
                    values.push((port("icount"), block.icount.into()));
                }
                continue;
            }
            let (r, silent) = match shown {
                Shown::Program => core.next(s, check),
                Shown::Secret => (core.hidden(s), false),
            };
            let channel = if lanes == 1 { String::new() } else { lane.to_string() };
            for (name, value) in [
                ("valid", 1),
                ("intr", (r.trapped && !silent).into()),
                ("insn", r.insn.into()),
                ("pc_rdata", r.pc.into()),
                ("pc_wdata", r.next_pc.into()),
            ] {
                values.push((format!("rvfi{channel}_{name}_{c}"), value));
            }
        }
        values
    }
}

impl Core {
    /// The next instruction, and whether the trap before it is not signalled: a trap that is visible as a discontinuity
    /// need not be.
    fn next(&mut self, s: &mut Source, check: bool) -> (Retired, bool) {
        let r = self.all[self.at];
        let seen = self.at > 0 && self.all[self.at - 1].next_pc != r.pc;
        self.at += 1;
        (r, check && seen && s.percent(50))
    }

    /// A secret instruction: a return.
    fn hidden(&mut self, s: &mut Source) -> Retired {
        let next_pc = SECRET.0 | s.bits(SECRET.1) & !1;
        let pc = std::mem::replace(&mut self.secret, next_pc);
        Retired { cycle: 0, hart: 0, trapped: s.percent(20), len: 4, pc, next_pc, insn: 0x8067 }
    }

    /// The next block of at most `most` instructions, or the trap before it.
    fn block(&mut self, s: &mut Source, most: usize) -> Report {
        let rest = &self.all[self.at..];
        if rest[0].trapped && !self.trap_reported && self.at > 0 {
            self.trap_reported = true;
            return Report::trap(s.between(1, 2) as u8, self.all[self.at - 1].next_pc);
        }
        let n = length(&rest[..rest.len().min(most)], 32, s.between(2, 15) as u8);
        (self.at, self.trap_reported) = (self.at + n, false);
        Report::of(&rest[..n], 32)
    }
}
