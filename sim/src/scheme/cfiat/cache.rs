//! Cache model: the tags of a data cache, with first-access flags
//!
//! Models tags and flags only; the decoder keeps the values. An access that crosses the end of a line touches the lines one
//! after the other. It hits if all of them hit, and its flags count as set if all are.
//!
//! # Source
//! Paper 003, section 3.3 and figure 3.4 (the rules), figure 4.41 (`LoadMultiLine`), figures 4.43 and 4.45 (values).

use super::params::{Flags, Replacement, Sizes};

/// One line of a set.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    /// Address divided by the line size.
    tag: u64,
    valid: bool,
    /// One bit per granule, the lowest address first.
    flags: u64,
}

/// Result of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// All its lines were present.
    pub lines: bool,
    /// All its flags were set; only meaningful if all lines were present.
    pub flags: bool,
}

impl Found {
    /// Whether the host knows the value, so that a load needs no record.
    pub fn known(self) -> bool {
        self.lines && self.flags
    }
}

/// The part of an access in one line, as figures 4.43 and 4.45 print it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Set index.
    pub set: u32,
    /// Address divided by the line size.
    pub tag: u64,
    /// First byte in the line.
    pub index: u32,
    /// The way that hit, or that was replaced.
    pub way: u32,
    /// The line was present.
    pub hit: bool,
    /// Its flags were set.
    pub flags: bool,
}

/// Tags and flags of one cache.
#[derive(Clone, Debug)]
pub struct Cache {
    sizes: Sizes,
    lines: Vec<Line>,
    /// Ways of each set; the last one is replaced next.
    order: Vec<u8>,
}

impl Cache {
    /// An empty cache.
    pub fn new(sizes: &Sizes) -> Self {
        let lines = (sizes.sets() * u32::from(sizes.ways)) as usize;
        let order = (0..sizes.ways).cycle().take(lines).collect();
        Self { sizes: *sizes, lines: vec![Line::default(); lines], order }
    }

    /// A load of `size` bytes.
    pub fn load(&mut self, addr: u64, size: u32) -> Found {
        self.access(addr, size, &mut |_| {})
    }

    /// A store of `size` bytes: the host knows what it writes.
    pub fn store(&mut self, addr: u64, size: u32) -> Found {
        self.access(addr, size, &mut |_| {})
    }

    /// A load or store: both allocate lines and set flags. `each_step` gets the part in each line.
    pub fn access(&mut self, addr: u64, size: u32, each_step: &mut impl FnMut(Step)) -> Found {
        let mut found = Found { lines: true, flags: true };
        self.walk(addr, size, |cache, tag, index, bytes| {
            let step = cache.touch(tag, index, bytes);
            found.lines &= step.hit;
            found.flags &= step.flags;
            each_step(step);
        });
        found
    }

    /// Another core stored there: clears all flags of the lines, which stay allocated.
    pub fn clear(&mut self, addr: u64, size: u32) {
        self.walk(addr, size, |cache, tag, _, _| {
            if let Some(way) = cache.find(tag) {
                let at = cache.set(tag) + way;
                cache.lines[at].flags = 0;
            }
        });
    }

    /// Calls `f` with tag, first byte and number of bytes, for each line of an access.
    fn walk(&mut self, addr: u64, size: u32, mut f: impl FnMut(&mut Self, u64, u32, u32)) {
        let line = u32::from(self.sizes.line);
        let (mut at, mut left) = (addr, size);
        while left > 0 {
            let index = at as u32 & (line - 1);
            let bytes = left.min(line - index);
            f(self, at / u64::from(line), index, bytes);
            at = at.wrapping_add(bytes.into());
            left -= bytes;
        }
    }

    fn touch(&mut self, tag: u64, index: u32, bytes: u32) -> Step {
        let granule = u32::from(self.sizes.granule);
        let end = index + bytes;
        let touched = mask(index / granule, end.div_ceil(granule));
        let set = match self.sizes.flags {
            Flags::Whole => mask(index.div_ceil(granule), end / granule),
            Flags::Touched => touched,
        };
        let first = self.set(tag);
        let hit = self.find(tag);
        let ways = usize::from(self.sizes.ways);
        let way = hit.unwrap_or_else(|| self.order[first + ways - 1].into());
        let line = &mut self.lines[first + way];
        if hit.is_none() {
            *line = Line { tag, valid: true, flags: 0 };
        }
        let flags = line.flags & touched == touched;
        line.flags |= set;
        if hit.is_none() || self.sizes.replacement == Replacement::Lru {
            let order = &mut self.order[first..first + ways];
            let place = order.iter().position(|w| usize::from(*w) == way).unwrap_or(0);
            order[..=place].rotate_right(1);
        }
        Step { set: (first / ways) as u32, tag, index, way: way as u32, hit: hit.is_some(), flags }
    }

    /// Index of the first line of its set.
    fn set(&self, tag: u64) -> usize {
        (tag as u32 & (self.sizes.sets() - 1)) as usize * usize::from(self.sizes.ways)
    }

    fn find(&self, tag: u64) -> Option<usize> {
        let first = self.set(tag);
        self.lines[first..first + usize::from(self.sizes.ways)].iter().position(|l| l.valid && l.tag == tag)
    }
}

/// Mask of bits `from` up to, but not including, `to`; empty unless `to` is greater.
fn mask(from: u32, to: u32) -> u64 {
    let below = |n: u32| (1u128 << n) as u64;
    match to > from {
        true => below(to).wrapping_sub(below(from)),
        false => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 32 bytes, two ways of 16: the sizes of figures 4.43 and 4.45.
    fn small(more: &str) -> Cache {
        Cache::new(&format!("cfiat:32+ways2+line16{more}").parse().unwrap())
    }

    fn steps(cache: &mut Cache, addr: u64, size: u32) -> (Vec<(u64, u32, u32, bool)>, Found) {
        let mut steps = Vec::new();
        let found = cache.access(addr, size, &mut |s| {
            assert_eq!(s.set, 0);
            steps.push((s.tag, s.index, s.way, s.hit));
        });
        (steps, found)
    }

    #[test]
    fn figure_4_43() {
        for more in ["", "+round", "+gran4", "+gran4+round", "+gran4+touched"] {
            let c = &mut small(more);
            let mut one = |addr, size| steps(c, addr, size).0[0];
            assert_eq!(one(0x7fff_a51e_1680, 8), (8_795_997_725_032, 0, 1, false));
            for (i, hit) in [(0, false), (1, true), (2, true), (3, true)] {
                assert_eq!(one(0x7fff_a51e_1650 + 4 * u64::from(i), 4), (8_795_997_725_029, 4 * i, 0, hit));
            }
            for (i, hit) in [(0, false), (1, true), (2, true), (3, true)] {
                assert_eq!(one(0x7fff_a51e_1660 + 4 * u64::from(i), 4), (8_795_997_725_030, 4 * i, 1, hit));
            }
            assert_eq!(one(0x7fff_a51e_1670, 4), (8_795_997_725_031, 0, 0, false));
            // leave: a miss, hence a descriptor
            let (leave, found) = steps(c, 0x7fff_a51e_1680, 8);
            assert_eq!((leave[0], found.lines), ((8_795_997_725_032, 0, 1, false), false));
            // ret: the line is present but the flags are not set, hence a descriptor
            let (ret, found) = steps(c, 0x7fff_a51e_1688, 8);
            assert_eq!(ret[0], (8_795_997_725_032, 8, 1, true));
            assert_eq!(found, Found { lines: true, flags: false });
        }
    }

    #[test]
    fn figure_4_45() {
        for more in ["", "+round", "+gran4", "+gran4+round", "+gran4+touched"] {
            let c = &mut small(more);
            // push, and the four stores of lines 7 to 14 of figure 4.44: 778 and 768 are found in ways 0 and 1, so an
            // odd number of lines was allocated before
            steps(c, 0x7fff_b79a_a780, 8);
            for addr in [0x778, 0x770, 0x768, 0x760] {
                steps(c, 0x7fff_b79a_a000 | addr, 8);
            }
            let mut one = |addr: u64, size| steps(c, 0x7fff_b79a_a000 | addr, size);
            let known = Found { lines: true, flags: true };
            let block = |tag: u64, way, hit| (8_796_017_109_600 + tag, 0, way, hit);
            assert_eq!(one(0x778, 8), (vec![(8_796_017_109_623, 8, 0, true)], known));
            assert_eq!(one(0x770, 8), (vec![(8_796_017_109_623, 0, 0, true)], known));
            assert_eq!(one(0x768, 8), (vec![(8_796_017_109_622, 8, 1, true)], known));
            assert_eq!(one(0x760, 8), (vec![(8_796_017_109_622, 0, 1, true)], known));
            assert_eq!(one(0x740, 32).0, [block(20, 0, false), block(21, 1, false)]);
            assert_eq!(one(0x740, 32), (vec![block(20, 0, true), block(21, 1, true)], known));
            assert_eq!(one(0x720, 8).0, [block(18, 0, false)]);
            let (last, found) = one(0x740, 32);
            assert_eq!((last, found.known()), (vec![block(20, 1, false), block(21, 0, false)], false));
        }
    }

    #[test]
    fn an_access_across_a_line_end_needs_both_lines() {
        let c = &mut small("");
        assert_eq!(c.load(0x1c, 8), Found { lines: false, flags: false });
        assert!(c.load(0x1c, 4).known() && c.load(0x20, 4).known() && c.load(0x1c, 8).known());
        // the second line is replaced, the first stays
        c.store(0x1c, 4);
        c.store(0x40, 4);
        assert!(!c.load(0x1c, 8).lines);
    }

    #[test]
    fn another_cores_store_clears_the_flags_and_keeps_the_line() {
        let c = &mut small("");
        c.load(0x10, 4);
        c.load(0x18, 4);
        c.load(0x20, 4);
        c.clear(0x14, 1);
        assert_eq!(c.load(0x10, 4), Found { lines: true, flags: false });
        assert_eq!(c.load(0x18, 4), Found { lines: true, flags: false });
        assert!(c.load(0x20, 4).known());
        // no effect on a line that is not present
        c.clear(0x50, 4);
        assert!(c.load(0x10, 4).known());
        // both lines, if it crosses the end of a line
        c.clear(0x1f, 2);
        assert!(!c.load(0x10, 4).known() && !c.load(0x20, 4).known());
    }

    #[test]
    fn stores_set_flags_and_parts_of_a_granule_do_not() {
        let c = &mut small("+gran4");
        assert!(!c.store(0x10, 4).lines);
        assert!(c.load(0x10, 4).known() && c.load(0x12, 1).known());
        // half a word: the rest of the granule is unknown
        c.store(0x14, 2);
        assert_eq!(c.load(0x14, 2), Found { lines: true, flags: false });
        assert_eq!(c.load(0x14, 4), Found { lines: true, flags: false });
        assert!(c.load(0x14, 2).known());
        let c = &mut small("+gran4+touched");
        c.store(0x14, 2);
        assert!(c.load(0x14, 4).known());
        let c = &mut small("");
        c.store(0x14, 2);
        assert!(c.load(0x14, 2).known() && !c.load(0x14, 4).known());
    }

    /// LRU keeps a line that is used again, round robin does not.
    #[test]
    fn replacement_of_both_kinds() {
        for (more, kept) in [("", true), ("+round", false)] {
            let c = &mut small(more);
            for addr in [0x10, 0x20, 0x10, 0x30] {
                c.load(addr, 4);
            }
            assert_eq!(c.load(0x10, 4).known(), kept, "{more}");
        }
    }

    #[test]
    fn masks_worked_by_hand() {
        assert_eq!((mask(0, 64), mask(3, 5), mask(4, 4), mask(5, 4), mask(63, 64)), (u64::MAX, 0b11000, 0, 0, 1 << 63));
    }
}
