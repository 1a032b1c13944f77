//! What is known of straight runs, kept for the next time: their lines, or the addresses of their instructions

use super::{Image, Position};

/// Number of runs that are kept.
const SLOTS: usize = 1 << 14;
/// Most bytes of what is kept of them.
const MAX_BYTES: usize = 1 << 25;

/// What is kept of a run: its first address, number of instructions and hart, whatever else it depends on, and the result.
#[derive(Clone, Debug)]
struct Kept<K, T> {
    run: (u64, u32, u8),
    key: K,
    items: Vec<T>,
}

/// Results for straight runs of code that does not depend on the moment. A later run takes the place of an earlier one with the same
/// hash. At most 16,384 runs and 32 MB are kept.
#[derive(Clone, Debug)]
pub struct Runs<K, T> {
    slots: Vec<Option<Kept<K, T>>>,
    bytes: usize,
}

impl<K: Copy + PartialEq, T: Copy> Default for Runs<K, T> {
    fn default() -> Self {
        Self { slots: vec![None; SLOTS], bytes: 0 }
    }
}

impl<K: Copy + PartialEq, T: Copy> Runs<K, T> {
    #[inline]
    fn slot((pc, count, hart): (u64, u32, u8)) -> usize {
        let mixed = (pc ^ u64::from(count) << 32 ^ u64::from(hart) << 57).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> (64 - SLOTS.trailing_zeros())) as usize
    }

    /// What is kept of `run`, its first address, number of instructions and hart; `key` is whatever else it depends on.
    #[inline]
    pub fn get(&self, run: (u64, u32, u8), key: K) -> Option<&[T]> {
        self.find(run, key).map(|slot| self.at(slot))
    }

    #[inline]
    fn find(&self, run: (u64, u32, u8), key: K) -> Option<usize> {
        let slot = Self::slot(run);
        let kept = self.slots[slot].as_ref()?;
        (kept.run == run && kept.key == key).then_some(slot)
    }

    #[inline]
    fn at(&self, slot: usize) -> &[T] {
        self.slots[slot].as_ref().map_or(&[], |kept| &kept.items)
    }

    /// Keeps `items` of `run`, unless that is too much.
    pub fn keep(&mut self, run: (u64, u32, u8), key: K, items: &[T]) {
        let slot = &mut self.slots[Self::slot(run)];
        let of = |items: &[T]| std::mem::size_of_val(items);
        let bytes = self.bytes - slot.as_ref().map_or(0, |kept| of(&kept.items)) + of(items);
        if bytes <= MAX_BYTES {
            (*slot, self.bytes) = (Some(Kept { run, key, items: items.to_vec() }), bytes);
        }
    }
}

/// Addresses of the instructions of straight runs.
#[derive(Clone, Debug, Default)]
pub struct Addresses {
    runs: Runs<(), u64>,
    /// Those of a run that is not kept.
    last: Vec<u64>,
}

impl Addresses {
    /// Addresses of the first `count` instructions from `position` on; fewer if the code ends, none if it is not known. All calls
    /// must have the same image.
    #[inline]
    pub fn of(&mut self, image: &Image, position: Position, count: u32) -> &[u64] {
        match self.runs.find((position.pc, count, 0), ()) {
            Some(slot) => self.runs.at(slot),
            None => self.read(image, position, count),
        }
    }

    /// Reads a run, and keeps it if its code is constant.
    #[inline(never)]
    fn read(&mut self, image: &Image, Position { pc, when }: Position, count: u32) -> &[u64] {
        self.last.clear();
        self.last.extend(image.instructions(pc, when).take(count as usize).map(|instruction| instruction.pc));
        if image.constant().is_some() {
            self.runs.keep((pc, count, 0), (), &self.last);
        }
        &self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elf::{Program, Segment};
    use crate::image::{Memory, Moment, When};

    #[test]
    fn addresses_are_those_of_the_moment_and_end_with_the_code() {
        let nop = [0x13, 0, 0, 0];
        let program = Program {
            xlen: 32,
            compressed: true,
            multiplies: false,
            zcm: false,
            tohost: None,
            entry: 0x100,
            segments: vec![Segment::code(0x100, [nop, nop, nop].concat())],
            build_id: vec![],
        };
        // two short instructions in place of the second one
        let two = Memory { addr: 0x104, bytes: vec![1, 0, 1, 0], from: Moment::Retired(5) };
        let changing = Image::with_memory(&program, &[two]).unwrap();
        let at = |pc, retired| Position { pc, when: When { retired, ..When::START } };
        for (image, later) in [(Image::new(&program), [0x100, 0x104, 0x108]), (changing, [0x100, 0x104, 0x106])] {
            let mut addresses = Addresses::default();
            for _ in 0..3 {
                assert_eq!(addresses.of(&image, at(0x100, 0), 3), [0x100, 0x104, 0x108]);
                assert_eq!(addresses.of(&image, at(0x100, 5), 3), later);
                assert_eq!(addresses.of(&image, at(0x108, 0), 3), [0x108]);
                assert!(addresses.of(&image, at(0x300, 0), 3).is_empty());
            }
        }
    }

    #[test]
    fn runs_are_told_apart_by_all_they_depend_on_and_replaced() {
        let mut runs: Runs<u8, u64> = Runs::default();
        runs.keep((0x100, 2, 0), 1, &[7, 8]);
        assert_eq!(runs.get((0x100, 2, 0), 1), Some([7, 8].as_slice()));
        assert_eq!(
            [((0x100, 3, 0), 1), ((0x102, 2, 0), 1), ((0x100, 2, 1), 1), ((0x100, 2, 0), 2)]
                .map(|(run, key)| runs.get(run, key)),
            [None; 4]
        );
        runs.keep((0x100, 2, 0), 2, &[9]);
        assert_eq!((runs.get((0x100, 2, 0), 1), runs.get((0x100, 2, 0), 2)), (None, Some([9].as_slice())));
        assert_eq!(runs.bytes, 8);
    }

    #[test]
    fn too_much_is_not_kept() {
        let mut runs: Runs<(), u64> = Runs::default();
        let most = vec![1; MAX_BYTES / 8];
        runs.keep((0x100, 1, 0), (), &most);
        runs.keep((0x200, 1, 0), (), &[2]);
        assert!(runs.get((0x100, 1, 0), ()).is_some() && runs.get((0x200, 1, 0), ()).is_none());
        runs.keep((0x100, 1, 0), (), &[3]);
        runs.keep((0x200, 1, 0), (), &[2]);
        assert!(runs.get((0x200, 1, 0), ()).is_some());
    }
}
