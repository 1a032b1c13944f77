//! What orders the accesses of a core: fences, and the bits of atomics
//!
//! # Source
//! RISC-V unprivileged ISA, chapter RVWMO, and its mapping of C11 atomics: a release store is a fence and a store, an acquire load is a
//! load and a fence.

use retire::image::Image;
use std::collections::{BTreeMap, HashMap};

/// Accesses that a fence orders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fence {
    /// What comes before it is before later stores.
    pub release: bool,
    /// What comes after it is after earlier loads.
    pub acquire: bool,
}

/// Effect of a memory instruction on the order of accesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kind {
    /// An atomic, or a load or store next to a fence: the program means to synchronise with it.
    pub synchronises: bool,
    /// An atomic that reads and writes, or a reservation.
    pub atomic: bool,
    /// With the bits of an atomic.
    pub bits: Fence,
}

/// Bytes around a load or store in which a fence belongs to it.
const NEAR: u64 = 12;

/// The fences and atomics of a program.
#[derive(Debug)]
pub struct Order {
    image: Image,
    fences: BTreeMap<u64, Fence>,
    kinds: HashMap<u64, Kind>,
}

/// The fence that an instruction is.
fn fence(bits: u32) -> Option<Fence> {
    if bits & 0x707f != 0x000f {
        return None;
    }
    // bits of a set: 0 writes, 1 reads
    let (before, after) = (bits >> 24 & 3, bits >> 20 & 3);
    // fence.tso has the sets of a full fence
    Some(Fence { release: before & 1 == 1 && after & 1 == 1, acquire: before & 2 == 2 && after & 2 == 2 })
}

impl Order {
    /// Those in `code`, addresses and bytes.
    pub fn new<'a>(image: Image, code: impl Iterator<Item = (u64, &'a [u8])>) -> Self {
        let mut fences = BTreeMap::new();
        for (start, bytes) in code {
            let mut pc = start;
            while pc < start + bytes.len() as u64 {
                let Some((bits, len)) = image.instruction(pc) else { break };
                if let Some(found) = fence(bits).filter(|_| len == 4) {
                    fences.insert(pc, found);
                }
                pc += u64::from(len.max(2));
            }
        }
        Self { image, fences, kinds: HashMap::new() }
    }

    /// The fences from `from` up to before `to`.
    pub fn between(&self, from: u64, to: u64) -> Fence {
        let mut all = Fence::default();
        if from < to {
            for f in self.fences.range(from..to).map(|(_, f)| f) {
                all = Fence { release: all.release || f.release, acquire: all.acquire || f.acquire };
            }
        }
        all
    }

    /// What the instruction at `pc` means.
    pub fn kind(&mut self, pc: u64) -> Kind {
        if let Some(kind) = self.kinds.get(&pc) {
            return *kind;
        }
        let found = self.image.instruction(pc);
        let kind = match found {
            Some((bits, 4)) if bits & 0x7f == 0x2f => {
                let bits = Fence { release: bits >> 25 & 1 == 1, acquire: bits >> 26 & 1 == 1 };
                Kind { synchronises: true, atomic: true, bits }
            }
            _ => {
                let before = self.between(pc.saturating_sub(NEAR), pc);
                let after = self.between(pc, pc.saturating_add(NEAR + 1));
                Kind { synchronises: before.release || after.acquire, ..Kind::default() }
            }
        };
        self.kinds.insert(pc, kind);
        kind
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_order_what_their_sets_say() {
        let of = |bits| fence(bits).map(|f| (f.release, f.acquire));
        assert_eq!(of(0x0310_000f), Some((true, false))); // fence rw, w
        assert_eq!(of(0x0230_000f), Some((false, true))); // fence r, rw
        assert_eq!(of(0x0330_000f), Some((true, true))); // fence rw, rw
        assert_eq!(of(0x8330_000f), Some((true, true))); // fence.tso
        assert_eq!(of(0x0ff0_000f), Some((true, true))); // fence
        assert_eq!(of(0x0000_100f), None); // fence.i
        assert_eq!(of(0x0000_0013), None);
    }
}
