//! Random code for the core of the diagnosis processor

use sim::stimulus::Source;

/// An instruction: most are legal, and most access valid addresses.
pub fn instruction(s: &mut Source) -> u32 {
    let field = |s: &mut Source, at: u32, bits: u32| (s.bits(bits) as u32) << at;
    let (rd, rs1, rs2, f3) = (field(s, 7, 5), field(s, 15, 5), field(s, 20, 5), s.bits(3) as u32);
    // x1 and x2 hold valid addresses
    let rd = if rd >> 7 <= 2 && s.percent(90) { 5 << 7 } else { rd };
    let near = |s: &mut Source| if s.percent(90) { 1 + s.below(2) as u32 } else { 0 } << 15;
    let offset =
        |s: &mut Source, size: u32| if s.percent(90) { s.bits(6) as u32 >> size << size } else { s.bits(12) as u32 };
    match s.below(100) {
        0..20 => {
            (if f3 & 3 == 1 { field(s, 20, 5) | u32::from(f3 == 5 && s.percent(50)) << 30 } else { field(s, 20, 12) })
                | rs1
                | f3 << 12
                | rd
                | 0x13
        }
        20..45 => u32::from((f3 == 0 || f3 == 5) && s.percent(50)) << 30 | rs2 | rs1 | f3 << 12 | rd | 0x33,
        45..50 => field(s, 12, 20) | rd | 0x37,
        50..53 => field(s, 12, 20) | rd | 0x17,
        53..68 => {
            let kind = *s.pick(&[0, 1, 2, 4, 5]);
            offset(s, kind & 3) << 20 | near(s) | kind << 12 | rd | 0x03
        }
        68..82 => {
            let kind = s.below(3) as u32;
            let to = offset(s, kind);
            (to >> 5) << 25 | rs2 | near(s) | kind << 12 | (to & 31) << 7 | 0x23
        }
        82..93 => {
            let kind = *s.pick(&[0, 1, 4, 5, 6, 7]);
            let to = s.below(16) as u32 * if s.percent(95) { 4 } else { 2 };
            (to >> 5 & 1) << 25 | rs2 | rs1 | kind << 12 | (to & 0x1e) << 7 | 0x63
        }
        93..96 => (s.below(12) as u32 * 4) << 20 | rd | 0x6f,
        96..98 => (s.bits(12) as u32) << 20 | rs1 | rd | 0x67,
        98 => s.bits(32) as u32 | 3,
        _ => s.bits(32) as u32,
    }
}
