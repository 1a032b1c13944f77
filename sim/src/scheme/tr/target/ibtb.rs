//! Path information register and 2-way indirect branch target buffer
//!
//! q entries in q/2 sets of two ways, w = 8 + log2(q/2):
//!
//! ```text
//! index = PIR[w-1:8] xor PC[s + log2 sets - 1 : s]
//! tag   = PIR[7:0]   xor PC[s+13 : s+6]
//! PIR   = ((PIR << 2) xor PC[s + w - 1 : s]) | outcome        w bits
//! ```
//! A valid way with an equal tag hits. Hit with an equal target: correct. Hit with another target:
//! mispredicted, the target is replaced. Miss: mispredicted, the least recently used way is replaced
//! (way 0 first after reset). The PIR is updated by direct conditionals (outcome: taken) and by
//! indirect branches that look up (outcome: 1).
//!
//! # Source
//! Paper 000 section 5, paper 002 section 5.1. Paper 003 figures 4.26, 4.27 and 4.35 show a variant
//! without tags that no decoder could follow; the test here checks the hash formulas against figure 4.35.

/// Number of sets for this number of entries, q / 2; 0 without a buffer.
pub const fn sets(entries: u8) -> u32 {
    entries as u32 / 2
}

/// log2 of the number of sets: width of the set index, bits.
pub const fn log2_sets(entries: u8) -> u32 {
    if entries == 0 {
        0
    } else {
        sets(entries).trailing_zeros()
    }
}

/// w: width of the PIR, bits; 0 without a buffer.
pub const fn pir_bits(entries: u8) -> u32 {
    if entries == 0 {
        0
    } else {
        8 + log2_sets(entries)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Way {
    valid: bool,
    tag: u8,
    target: u64,
}

#[derive(Clone, Copy, Debug)]
struct Set {
    ways: [Way; 2],
    last_used: u8,
}

impl Set {
    const RESET: Self = Self { ways: [Way { valid: false, tag: 0, target: 0 }; 2], last_used: 1 };
}

/// Golden model of the buffer and its path information register.
#[derive(Clone, Debug)]
pub struct Ibtb {
    sets: [Set; 32],
    pir: u32,
    pir_mask: u32,
    set_mask: u32,
    shift: u8,
    present: bool,
}

impl Ibtb {
    /// In the reset state: all of its `entries` invalid, PIR 0.
    pub fn new(entries: u8, pc_shift: u8) -> Self {
        Self {
            sets: [Set::RESET; 32],
            pir: 0,
            pir_mask: (1 << pir_bits(entries)) - 1,
            set_mask: sets(entries).saturating_sub(1),
            shift: pc_shift,
            present: entries != 0,
        }
    }

    /// Returns to the reset state.
    pub fn reset(&mut self) {
        self.sets = [Set::RESET; 32];
        self.pir = 0;
    }

    /// Path information register, w bits.
    pub fn pir(&self) -> u32 {
        self.pir
    }

    /// Set that a branch at `pc` looks up in this state.
    #[inline]
    pub fn index(&self, pc: u64) -> usize {
        ((self.pir >> 8 ^ (pc >> self.shift) as u32) & self.set_mask) as usize & 31
    }

    /// Tag that a branch at `pc` compares in this state.
    #[inline]
    pub fn tag(&self, pc: u64) -> u8 {
        (self.pir ^ (pc >> (self.shift + 6)) as u32) as u8
    }

    /// Target predicted for an indirect branch at `pc`.
    #[inline]
    pub fn predict(&self, pc: u64) -> Option<u64> {
        if !self.present {
            return None;
        }
        let tag = self.tag(pc);
        let set = &self.sets[self.index(pc)];
        set.ways.iter().find(|w| w.valid && w.tag == tag).map(|w| w.target)
    }

    /// Updates the buffer with an indirect branch that looked up and went to `target`.
    #[inline]
    pub fn update(&mut self, pc: u64, target: u64) {
        if !self.present {
            return;
        }
        let tag = self.tag(pc);
        let index = self.index(pc);
        let set = &mut self.sets[index];
        let way = match set.ways.iter().position(|w| w.valid && w.tag == tag) {
            Some(hit) => hit,
            None => usize::from(set.last_used ^ 1),
        };
        set.ways[way & 1] = Way { valid: true, tag, target };
        set.last_used = way as u8;
        self.path(pc, true);
    }

    /// Enters a branch with this outcome into the PIR.
    #[inline]
    pub fn path(&mut self, pc: u64, outcome: bool) {
        if self.present {
            self.pir = ((self.pir << 2 ^ (pc >> self.shift) as u32) | u32::from(outcome)) & self.pir_mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Index and PIR as printed in paper 003 figure 4.35 (64 entries, PC shift 4; its PIR variable is
    /// 16 bits wide and untruncated, ours has the 13 bits of the formula).
    #[test]
    fn hashes_of_figure_4_35_of_paper_003() {
        let mut b = Ibtb::new(64, 4);
        let pc = 0x40_049c;
        for (pir, index) in [(0, 9), (0x49, 9), (0x16d, 8)] {
            assert_eq!((b.pir(), b.index(pc)), (pir, index));
            b.path(pc, true);
        }
        assert_eq!(b.pir(), 0x5fd);
        for _ in 0..8 {
            b.path(pc, true);
        }
        assert_eq!((b.pir(), b.index(pc)), (0xaabd & 0x1fff, 3));
        b.path(pc, true);
        assert_eq!(b.pir(), 0xaabd & 0x1fff);
    }

    /// The table of figures 4.27 and 4.35: a hit if either way holds the actual target, no tags.
    struct Paper003 {
        ways: [[u64; 32]; 2],
        last: [Option<u8>; 32],
        pir: u16,
    }

    impl Paper003 {
        fn step(&mut self, pc: u64, target: u64) -> (usize, bool) {
            let index = (usize::from(self.pir >> 8) ^ (pc >> 4) as usize) & 31;
            let hit = (0..2).find(|&w| self.ways[w][index] == target);
            let way = hit.unwrap_or(if self.last[index] == Some(0) { 1 } else { 0 });
            self.ways[way][index] = target;
            self.last[index] = Some(way as u8);
            self.pir = (self.pir << 2 ^ (pc >> 4 & 0x1fff) as u16) | 1;
            (index, hit.is_some())
        }
    }

    #[test]
    fn figure_4_35_of_paper_003_with_its_tagless_table() {
        let mut b = Paper003 { ways: [[0; 32]; 2], last: [None; 32], pir: 0 };
        let mut run = || b.step(0x40_049c, 0x40_0474);
        assert_eq!([run(), run(), run()], [(9, false), (9, true), (8, false)]);
        let rest: Vec<_> = (3..10).map(|_| run()).collect();
        // the last two printed iterations, the ninth and tenth, hit in set 3, which the eighth filled
        assert_eq!(rest[4..], [(3, false), (3, true), (3, true)]);
        assert_eq!(b.pir, 0xaabd);
    }

    fn flat() -> Ibtb {
        // with a PC of zeros, index and tag are those of the PIR
        Ibtb::new(16, 1)
    }

    #[test]
    fn a_miss_replaces_the_way_used_less_recently() {
        let mut b = flat();
        // three branches of set 0 with tags 1, 2, 3: PC bits s+13:s+6 = tag, PIR back to 0 each time
        let pc = |tag: u64| tag << 7;
        for tag in [1, 2] {
            b.update(pc(tag), 100 + tag);
            b.pir = 0;
        }
        assert_eq!((b.predict(pc(1)), b.predict(pc(2)), b.predict(pc(3))), (Some(101), Some(102), None));
        b.update(pc(1), 101);
        b.pir = 0;
        b.update(pc(3), 103);
        b.pir = 0;
        assert_eq!((b.predict(pc(1)), b.predict(pc(2)), b.predict(pc(3))), (Some(101), None, Some(103)));
    }

    #[test]
    fn a_hit_with_another_target_replaces_the_target() {
        let mut b = flat();
        b.update(0, 5);
        b.pir = 0;
        b.update(0, 6);
        b.pir = 0;
        assert_eq!(b.predict(0), Some(6));
    }

    #[test]
    fn without_entries_nothing_is_predicted() {
        let mut b = Ibtb::new(0, 1);
        b.update(0, 5);
        assert_eq!((b.predict(0), b.pir()), (None, 0));
    }
}
