//! Timing model: when each instruction retires
//!
//! In order, one instruction at a time. After an instruction retires, the next one retires `1 + penalties` cycles
//! later. The penalties are the costs of the first one and of the fetch of the second:
//!
//! | cost | cycles |
//! | --- | --- |
//! | load or atomic that hits L1 | `l1_latency - 1` |
//! | load, store, atomic or fetch that misses L1 and hits L2 | `l2_latency` |
//! | load, store, atomic or fetch that misses L2, too | `l2_latency + memory_latency` |
//! | taken branch, jump, trap | `redirect` |
//! | multiplication, floating-point arithmetic | `mul - 1` |
//! | division, square root | `div - 1` |
//!
//! Fetch hits and store hits cost nothing. Each hart has an L1 for instructions and one for data; L2 is shared. All are
//! direct-mapped or set-associative with LRU. A store removes the line from the other harts' L1s.
//!
//! # Source
//! Paper 000 section 2 for the defaults: 8 KB L1s with a latency of 2, shared L2 of N * 64 KB with a
//! latency of 4, memory latency 200. Line size, ways and instruction costs are this project's.

use serde::{Deserialize, Serialize};

/// Parameters of the timing model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// False: one cycle per instruction, no caches; all other fields are unused.
    pub caches: bool,
    /// Size of each L1, bytes. Power of two.
    pub l1_bytes: u32,
    /// Ways of each L1. Power of two.
    pub l1_ways: u32,
    /// Cycles of an L1 hit.
    pub l1_latency: u32,
    /// Size of the shared L2 per hart, bytes. Power of two.
    pub l2_bytes_per_hart: u32,
    /// Ways of the L2. Power of two.
    pub l2_ways: u32,
    /// Cycles of an L2 hit.
    pub l2_latency: u32,
    /// Cycles of a memory access.
    pub memory_latency: u32,
    /// Size of a line, bytes. Power of two, at least 4.
    pub line_bytes: u32,
    /// Cycles lost by a taken branch, a jump or a trap.
    pub redirect: u32,
    /// Cycles of a multiplication, at least 1.
    pub mul: u32,
    /// Cycles of a division, at least 1.
    pub div: u32,
}

impl Default for Timing {
    /// Paper 000 section 2.
    fn default() -> Self {
        Self {
            caches: true,
            l1_bytes: 8 << 10,
            l1_ways: 2,
            l1_latency: 2,
            l2_bytes_per_hart: 64 << 10,
            l2_ways: 4,
            l2_latency: 4,
            memory_latency: 200,
            line_bytes: 32,
            redirect: 1,
            mul: 3,
            div: 32,
        }
    }
}

impl Timing {
    /// One cycle per instruction.
    pub fn functional() -> Self {
        Self { caches: false, ..Self::default() }
    }

    /// Checks the ranges.
    pub fn check(&self) -> Result<(), String> {
        for (name, v, least) in [
            ("l1_bytes", self.l1_bytes, self.line_bytes.saturating_mul(self.l1_ways)),
            ("l1_ways", self.l1_ways, 1),
            ("l2_bytes_per_hart", self.l2_bytes_per_hart, self.line_bytes.saturating_mul(self.l2_ways)),
            ("l2_ways", self.l2_ways, 1),
            ("line_bytes", self.line_bytes, 4),
        ] {
            if !v.is_power_of_two() || v < least {
                return Err(format!("{name} = {v}, expected a power of two, {least} or more"));
            }
        }
        for (name, v) in [("l1_latency", self.l1_latency), ("mul", self.mul), ("div", self.div)] {
            if v == 0 {
                return Err(format!("{name} = 0, expected 1 or more"));
            }
        }
        Ok(())
    }
}

/// Tags of a set-associative cache with LRU; way 0 of a set is the most recent.
#[derive(Clone, Debug)]
struct Cache {
    tags: Vec<u32>,
    ways: usize,
    set_mask: u32,
}

const EMPTY: u32 = u32::MAX;

impl Cache {
    fn new(bytes: u32, ways: u32, line: u32) -> Self {
        let sets = (bytes / line / ways).next_power_of_two();
        Self { tags: vec![EMPTY; (sets * ways) as usize], ways: ways as usize, set_mask: sets - 1 }
    }

    fn set(&mut self, line: u32) -> &mut [u32] {
        let first = (line & self.set_mask) as usize * self.ways;
        &mut self.tags[first..first + self.ways]
    }

    /// Whether `line` hits. It is in the cache afterwards.
    #[inline]
    fn access(&mut self, line: u32) -> bool {
        let set = self.set(line);
        if set[0] == line {
            return true;
        }
        let at = set.iter().position(|t| *t == line);
        let end = at.unwrap_or(set.len() - 1);
        set.copy_within(0..end, 1);
        set[0] = line;
        at.is_some()
    }

    fn remove(&mut self, line: u32) {
        for tag in self.set(line).iter_mut().filter(|t| **t == line) {
            *tag = EMPTY;
        }
    }
}

/// The caches of all harts.
#[derive(Clone, Debug)]
pub struct Caches {
    timing: Timing,
    shift: u32,
    code: Vec<Cache>,
    data: Vec<Cache>,
    l2: Cache,
    fetched: Vec<u32>,
}

impl Caches {
    /// Empty caches.
    pub fn new(timing: &Timing, harts: u8) -> Self {
        let l1 = Cache::new(timing.l1_bytes, timing.l1_ways, timing.line_bytes);
        let l2_bytes = timing.l2_bytes_per_hart.saturating_mul(u32::from(harts)).next_power_of_two();
        Self {
            timing: timing.clone(),
            shift: timing.line_bytes.trailing_zeros(),
            code: vec![l1.clone(); usize::from(harts)],
            data: vec![l1; usize::from(harts)],
            l2: Cache::new(l2_bytes, timing.l2_ways, timing.line_bytes),
            fetched: vec![EMPTY; usize::from(harts)],
        }
    }

    fn miss(&mut self, line: u32) -> u64 {
        let memory = if self.l2.access(line) { 0 } else { self.timing.memory_latency };
        u64::from(self.timing.l2_latency + memory)
    }

    /// Penalty of fetching at `pc`.
    #[inline]
    pub fn fetch(&mut self, hart: usize, pc: u64) -> u64 {
        let line = (pc >> self.shift) as u32;
        if self.fetched[hart] == line {
            return 0;
        }
        self.fetched[hart] = line;
        if self.code[hart].access(line) {
            0
        } else {
            self.miss(line)
        }
    }

    /// Penalty of a load.
    #[inline]
    pub fn load(&mut self, hart: usize, addr: u64) -> u64 {
        let line = (addr >> self.shift) as u32;
        let hit = u64::from(self.timing.l1_latency - 1);
        if self.data[hart].access(line) {
            hit
        } else {
            hit + self.miss(line)
        }
    }

    /// Penalty of a store.
    #[inline]
    pub fn store(&mut self, hart: usize, addr: u64) -> u64 {
        let line = (addr >> self.shift) as u32;
        for other in (0..self.data.len()).filter(|h| *h != hart) {
            self.data[other].remove(line);
        }
        if self.data[hart].access(line) {
            0
        } else {
            self.miss(line)
        }
    }
}
