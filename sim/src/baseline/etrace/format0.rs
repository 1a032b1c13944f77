//! Packets of format 0: counts of correct predictions, and jump target indices
//!
//! `riscv-etrace` 0.10.0 reads these packets, but writes them without their subformat; therefore they are written here.
//!
//! # Source
//! Efficient Trace for RISC-V 2.0, section 7.6, "Format 0 packets", and the SMI header at the beginning of chapter 7.

use riscv_etrace::config::Parameters;
use riscv_etrace::packet::ext::{BranchKind, Extension};
use riscv_etrace::packet::payload::AddressInfo;

/// SMI header of instruction trace, without the length.
const HEADER: u8 = 0b10 << 5;

/// The bits of a payload, first bit in the lowest position.
#[derive(Clone, Copy, Debug, Default)]
struct Bits {
    value: u128,
    len: u32,
}

impl Bits {
    fn push(&mut self, value: u64, bits: u8) {
        self.value |= (u128::from(value) & ((1 << bits) - 1)) << self.len;
        self.len += u32::from(bits);
    }

    /// Appends a bit that differs from the previous one if `flag` is set.
    fn differs(&mut self, flag: bool) {
        self.push(self.top() ^ u64::from(flag), 1);
    }

    fn top(&self) -> u64 {
        (self.value >> (self.len - 1)) as u64 & 1
    }

    /// Appends `irreport` and `irdepth`.
    fn depth(&mut self, depth: Option<usize>, p: &Parameters) {
        let width = if p.return_stack_size_p > 0 { p.return_stack_size_p + 1 } else { 0 };
        self.differs(depth.is_some());
        self.push(depth.map_or(self.top().wrapping_neg(), |d| d as u64), width);
    }

    fn address(&mut self, info: &AddressInfo, p: &Parameters) {
        self.push((info.address >> p.iaddress_lsb_p) as u64, p.iaddress_width_p.get() - p.iaddress_lsb_p);
        self.differs(info.notify);
        self.differs(info.updiscon);
        self.depth(info.irdepth, p);
    }

    /// Header and payload, without the bytes that are the sign extension of the last one.
    fn packet(&self) -> Vec<u8> {
        let extend = |value: u128, bits: u32| ((value << (128 - bits)) as i128) >> (128 - bits);
        let all = extend(self.value, self.len);
        let bytes = (1..16).find(|n| extend(all as u128, 8 * n) == all).unwrap_or(16);
        let mut packet = vec![HEADER | bytes as u8];
        packet.extend(&all.to_le_bytes()[..bytes as usize]);
        packet
    }
}

/// Width of the map field for `count` branches.
pub(super) fn map_bits(count: u8) -> u8 {
    [0, 1, 3, 7, 15, 31].into_iter().find(|w| *w >= count).unwrap_or(31)
}

/// Encodes an SMI packet of format 0.
pub(super) fn packet(extension: &Extension, p: &Parameters) -> Vec<u8> {
    let mut bits = Bits::default();
    bits.push(0b00, 2);
    match extension {
        Extension::BranchCount(b) => {
            bits.push(0, p.f0s_width_p);
            bits.push(b.branch_count.into(), 32);
            let (format, info) = match &b.kind {
                BranchKind::NoAddr => (0b00, None),
                BranchKind::Addr(info) => (0b10, Some(info)),
                BranchKind::AddrFail(info) => (0b11, Some(info)),
            };
            bits.push(format, 2);
            if let Some(info) = info {
                bits.address(info, p);
            }
        }
        Extension::JumpTargetIndex(j) => {
            let count = j.branch_map.count();
            bits.push(1, p.f0s_width_p);
            bits.push(j.index as u64, p.cache_size_p);
            bits.push(count.into(), 5);
            bits.push(j.branch_map.raw_map().into(), map_bits(count));
            bits.depth(j.irdepth, p);
        }
    }
    bits.packet()
}

#[cfg(test)]
mod tests {
    use super::super::Options;
    use super::*;
    use riscv_etrace::packet::ext::{BranchCount, JumpTargetIndex};
    use riscv_etrace::packet::payload::{InstructionTrace, Payload};
    use riscv_etrace::types::branch;

    fn read(bytes: &[u8], p: &Parameters) -> Extension {
        let mut decoder = riscv_etrace::packet::builder().with_params(p).decoder(bytes);
        let payload = decoder.decode_smi_packet().unwrap().decode_payload().unwrap();
        assert_eq!(decoder.bytes_left(), 0);
        match payload {
            Payload::InstructionTrace(InstructionTrace::Extension(e)) => e,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn bytes_are_those_worked_by_hand_and_the_crate_reads_them() {
        let p = Options::ALL_MODES.parameters(32);
        let info = |address, irdepth| AddressInfo { address, notify: false, updiscon: false, irdepth };
        let count = |branch_count, kind| Extension::BranchCount(BranchCount { branch_count, kind });
        let mut branch_map = branch::Map::default();
        [true, false, true].into_iter().for_each(|taken| branch_map.push_branch_taken(taken).unwrap());
        let index = |branch_map, irdepth| Extension::JumpTargetIndex(JumpTargetIndex { index: 5, branch_map, irdepth });
        for (extension, want) in [
            // 00, 0, 7 in 32 bits, 00: one byte, since the top bit and all above are 0
            (count(7, BranchKind::NoAddr), vec![0x41, 7 << 3]),
            // 7 in 5 bits needs a second byte for the sign
            (count(16, BranchKind::NoAddr), vec![0x42, 0x80, 0]),
            // 00, 1, 5 in 6 bits, 3 in 5 bits, map 010, without depth
            (index(branch_map, None), vec![0x43, 0b0010_1100, 0b1000_0110, 0b0000_0000]),
            // no map: the depth follows the count
            (index(branch::Map::default(), Some(9)), vec![0x43, 0b0010_1100, 0b1100_0000, 0b1111_1100]),
        ] {
            let bytes = packet(&extension, &p);
            assert_eq!(read(&bytes, &p), extension);
            assert_eq!(bytes, want, "{extension:?}");
        }
        for kind in [BranchKind::Addr(info(-6, Some(3))), BranchKind::AddrFail(info(0x7fff_fffe, None))] {
            let extension = count(u32::MAX, kind);
            assert_eq!(read(&packet(&extension, &p), &p), extension);
        }
    }
}
