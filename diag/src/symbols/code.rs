//! Instructions of a program: where they start, and jumps to the start of a function

use retire::isa::{self, Flow};

/// Code sections, by address.
#[derive(Debug, Default)]
pub(super) struct Code {
    /// Address and bytes.
    pub sections: Vec<(u64, Vec<u8>)>,
    /// Addresses at which instructions (true) or data (false) start.
    pub starts: Vec<(u64, bool)>,
}

/// An instruction and its length in bytes.
fn instruction(bytes: &[u8]) -> Option<(u32, u64)> {
    let half = |n: usize| Some(u32::from(u16::from_le_bytes([*bytes.get(n)?, *bytes.get(n + 1)?])));
    let low = half(0)?;
    if low & 3 == 3 {
        return Some((half(2)? << 16 | low, 4));
    }
    Some((low, 2))
}

impl Code {
    fn section(&self, addr: u64) -> Option<&(u64, Vec<u8>)> {
        self.sections.iter().find(|(at, b)| addr.checked_sub(*at).is_some_and(|o| (o as usize) < b.len()))
    }

    /// Whether there is code at an address.
    pub fn has(&self, addr: u64) -> bool {
        self.section(addr).is_some()
    }

    /// End of the code that starts at `start`: the next known start, or the end of the section.
    pub fn end(&self, start: u64) -> u64 {
        let next = self.starts.iter().map(|s| s.0).find(|at| *at > start);
        let end = self.section(start).map_or(start, |(at, b)| at.saturating_add(b.len() as u64));
        next.unwrap_or(end).min(end)
    }

    /// The start of the instruction that contains `addr`. `None`: the program has no instruction there. Without any
    /// code every address is one.
    pub fn instruction_at(&self, addr: u64) -> Option<u64> {
        if self.sections.is_empty() {
            return Some(addr);
        }
        let (at, bytes) = self.section(addr)?;
        let known = self.starts[..self.starts.partition_point(|s| s.0 <= addr)].last().filter(|s| s.0 >= *at);
        let (mut pc, is_code) = known.copied().unwrap_or((*at, true));
        if !is_code {
            return None;
        }
        loop {
            let (_, len) = instruction(bytes.get((pc - at) as usize..)?)?;
            if addr - pc < len {
                return Some(pc);
            }
            pc += len;
        }
    }

    /// Address of a branch or jump in `start..end`, code of a core of `xlen` bits, that goes back to `start`.
    pub fn back_to_start(&self, start: u64, end: u64, xlen: u8) -> Option<u64> {
        let (at, bytes) = self.section(start)?;
        let mut pc = start;
        while pc < end {
            let (insn, len) = instruction(bytes.get((pc - at) as usize..)?)?;
            if let Flow::Conditional { offset } | Flow::Jump { offset, call: false } = isa::flow(insn, xlen) {
                if pc.wrapping_add_signed(offset.into()) == start {
                    return Some(pc);
                }
            }
            pc += len;
        }
        None
    }
}
