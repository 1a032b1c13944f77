//! Trace node: connects a trace system to the ring, for its registers and its trace words
//!
//! Seven words make a packet; a flush sends the remaining words, then its response. When the queue of the node is full,
//! words wait in the trace system, whose own buffers may then overflow; the trace stream reports this. Packets are
//! numbered, so that the host detects a missing one. The address of the node is 56.
//!
//! | register | read | write |
//! | ---: | --- | --- |
//! | 0 | kind: 10 | |
//! | 1 | depth of its queue in words: 64 | |
//! | 0x800 + 2 a | lower half of register a of the trace system | is held until the upper half is written |
//! | 0x801 + 2 a | upper half, latched when the lower half was read | writes both halves |
//!
//! An access that extends past the last register is refused as a whole. The registers of the trace system are those of
//! its register map, 32 bits each.

use crate::diag::packet::{Body, Op, Packet, HOST};
use crate::regs::REGS;
use std::collections::VecDeque;

/// Address of the trace node.
pub const ADDRESS: u8 = 56;
/// Kind number of the trace node.
pub const KIND: u16 = 10;
/// Depth of its queue, words.
pub const DEPTH: u16 = 64;
/// Words of a full packet.
pub const PACKET_WORDS: usize = 7;
/// First register of the trace system.
pub const REGISTERS: u16 = 0x800;
/// Halfword registers of the trace system.
const HALVES: u16 = 2 * REGS.len() as u16;

/// The registers of the trace system.
pub trait Bus {
    /// Reads register `addr`.
    fn read(&mut self, addr: u8) -> u32;
    /// Writes register `addr`.
    fn write(&mut self, addr: u8, value: u32);
}

/// A packet that writes a register of the trace system.
pub fn write(addr: u8, value: u32) -> Packet {
    let data = [value as u16, (value >> 16) as u16];
    Packet::control(HOST, ADDRESS, Op::Write, REGISTERS + 2 * u16::from(addr), &data)
}

/// The golden model of the trace node.
#[derive(Clone, Debug, Default)]
pub struct TraceNode {
    waiting: VecDeque<u32>,
    number: u16,
    /// Lower half, as last written.
    low: u16,
    /// Register, as last read.
    held: u32,
}

impl TraceNode {
    /// Whether the queue has space for a word.
    pub fn is_ready(&self) -> bool {
        self.waiting.len() < usize::from(DEPTH)
    }

    /// Takes a word of the trace.
    pub fn word(&mut self, word: u32) {
        self.waiting.push_back(word);
    }

    /// Words in the queue.
    pub fn waits(&self) -> usize {
        self.waiting.len()
    }

    /// A packet of the queued words, if there are at least `least`.
    pub fn packet(&mut self, least: usize) -> Option<Packet> {
        let n = self.waiting.len().min(PACKET_WORDS);
        if n == 0 || n < least {
            return None;
        }
        let data: Vec<u16> = self.waiting.drain(..n).flat_map(|w| [w as u16, (w >> 16) as u16]).collect();
        let packet = Packet::control(ADDRESS, HOST, Op::Trace, self.number, &data);
        self.number = (self.number + 1) & 0xfff;
        Some(packet)
    }

    /// Responses to a packet.
    pub fn take(&mut self, words: &[u16], bus: &mut dyn Bus) -> Vec<Packet> {
        let Ok(Packet { src, body: Body::Control { op, addr, data }, .. }) = Packet::parse(words) else {
            return Vec::new();
        };
        let answer = |op, words: &[u16]| vec![Packet::control(ADDRESS, src, op, addr, words)];
        // whether the `n` registers from `addr` on exist
        let within = |n: u16| n > 0 && addr >= REGISTERS && addr - REGISTERS + n <= HALVES;
        match op {
            Op::Read => {
                let n = data.first().copied().unwrap_or(0);
                if n <= 14 && within(n) {
                    let words: Vec<u16> = (addr..addr + n).map(|at| self.read(at, bus)).collect();
                    return answer(Op::ReadData, &words);
                }
                match [KIND, DEPTH].get(usize::from(addr)..usize::from(addr) + usize::from(n)) {
                    Some(words) if n > 0 => answer(Op::ReadData, words),
                    _ => answer(Op::Error, &[]),
                }
            }
            Op::Write if within(data.len() as u16) => {
                for (at, half) in (addr..).zip(data) {
                    if at % 2 == 0 {
                        self.low = half;
                    } else {
                        bus.write(((at - REGISTERS) / 2) as u8, u32::from(half) << 16 | u32::from(self.low));
                    }
                }
                answer(Op::Written, &[])
            }
            Op::Write => answer(Op::Error, &[]),
            Op::Flush => {
                let mut packets: Vec<Packet> = std::iter::from_fn(|| self.packet(1)).collect();
                packets.push(Packet::control(ADDRESS, HOST, Op::Flush, 0, data.get(..1).unwrap_or_default()));
                packets
            }
            Op::ReadData | Op::Written | Op::Error | Op::Time | Op::Trace => Vec::new(),
        }
    }

    fn read(&mut self, at: u16, bus: &mut dyn Bus) -> u16 {
        if at % 2 == 1 {
            return (self.held >> 16) as u16;
        }
        self.held = bus.read(((at - REGISTERS) / 2) as u8);
        self.held as u16
    }
}

/// The host side: reassembles the trace words.
#[derive(Clone, Debug, Default)]
pub struct TraceReassembler {
    /// Words that arrived.
    pub words: Vec<u32>,
    /// Missing packets, modulo 4096 at each gap.
    pub missing: u64,
    next: u16,
}

impl TraceReassembler {
    /// Takes a packet; false: it is not a trace packet.
    pub fn take(&mut self, packet: &Packet) -> bool {
        let Body::Control { op: Op::Trace, addr, data } = &packet.body else { return false };
        self.missing += u64::from(addr.wrapping_sub(self.next) & 0xfff);
        self.next = (addr + 1) & 0xfff;
        self.words.extend(data.chunks_exact(2).map(|w| u32::from(w[0]) | u32::from(w[1]) << 16));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Ram([u32; 8]);
    impl Bus for Ram {
        fn read(&mut self, addr: u8) -> u32 {
            self.0[usize::from(addr)] += 1;
            self.0[usize::from(addr)]
        }
        fn write(&mut self, addr: u8, value: u32) {
            self.0[usize::from(addr)] = value;
        }
    }

    #[test]
    fn accesses_are_answered_as_worked_by_hand() {
        let (mut node, mut ram) = (TraceNode::default(), Ram([0x00ff_fffe; 8]));
        let mut ask = |op, addr, data: &[u16]| {
            let packets = node.take(&Packet::control(9, ADDRESS, op, addr, data).to_words(), &mut ram);
            (packets, ram.0)
        };
        let answer = |op, addr, words: &[u16]| vec![Packet::control(ADDRESS, 9, op, addr, words)];
        assert_eq!(ask(Op::Read, 0, &[2]).0, answer(Op::ReadData, 0, &[10, 64]));
        assert_eq!(ask(Op::Read, 1, &[2]).0, answer(Op::Error, 1, &[]));
        // a read may change a register: both halves are from one read
        assert_eq!(ask(Op::Read, 0x804, &[3]).0, answer(Op::ReadData, 0x804, &[0xffff, 0x00ff, 0xffff]));
        let (packets, ram) = ask(Op::Write, 0x804, &[0x5678, 0x1234, 7]);
        assert_eq!((packets, ram[2], ram[3]), (answer(Op::Written, 0x804, &[]), 0x1234_5678, 0x00ff_ffff));
        let (packets, ram) = ask(Op::Write, 0x807, &[1]);
        assert_eq!((packets, ram[3]), (answer(Op::Written, 0x807, &[]), 0x0001_0007));
        assert_eq!(ask(Op::Write, 0x80f, &[1, 2]).0, answer(Op::Error, 0x80f, &[]));
        assert_eq!(ask(Op::Read, 0x803, &[14]).0, answer(Op::Error, 0x803, &[]));
        assert_eq!(ask(Op::Trace, 0, &[1, 2]).0, []);
        assert_eq!(write(2, 0x1_0001).to_words(), [0x2e3f, 0x9804, 1, 1]);
    }

    #[test]
    fn words_come_back_and_a_gap_is_counted() {
        let (mut node, mut ram) = (TraceNode::default(), Ram([0; 8]));
        (0..23).for_each(|n| node.word(0x1_0001 * n));
        let mut packets: Vec<Packet> = std::iter::from_fn(|| node.packet(PACKET_WORDS)).collect();
        assert_eq!((packets.len(), node.waits()), (3, 2));
        packets.extend(node.take(&Packet::control(HOST, ADDRESS, Op::Flush, 0, &[5]).to_words(), &mut ram));
        assert_eq!(packets[3].to_words(), [0x4ff8, 0xf003, 21, 21, 22, 22]);
        assert_eq!(packets[4], Packet::control(ADDRESS, HOST, Op::Flush, 0, &[5]));
        let mut all = TraceReassembler::default();
        assert_eq!(packets.iter().filter(|p| all.take(p)).count(), 4);
        assert_eq!((all.words, all.missing), ((0..23).map(|n| 0x1_0001 * n).collect(), 0));
        let mut some = TraceReassembler::default();
        packets.remove(1);
        packets.iter().for_each(|p| _ = some.take(p));
        assert_eq!((some.words.len(), some.missing), (16, 1));
    }
}
