//! Hash of an address, and the history folded to the width of a table's index or tag
//!
//! Every table of this scheme is indexed by [`address`], combined with shifted copies of itself and, where the outcome depends
//! on the path, with a [`Fold`].
//!
//! # Source
//! A. Seznec and P. Michaud, "A case for (partially) TAgged GEometric history length branch prediction", JILP 8 (2006): folded
//! histories. The hash of the address is ours: bit 1, which is 0 on cores without compressed instructions, does not halve a table.

/// The hash of a byte address: `pc >> 2`, with bit 1 of the address entered at bit 7.
#[inline]
pub fn address(pc: u64) -> u32 {
    ((pc >> 2) ^ (pc >> 1 & 1) << 7) as u32
}

/// The path of a core: one bit for each conditional and for each indirect jump or call, the newest at bit 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct History(pub u32);

impl History {
    /// The bit that a jump or call to `target` adds.
    #[inline]
    pub fn of_target(target: u64) -> bool {
        (target >> 1 ^ target >> 3 ^ target >> 5) & 1 == 1
    }

    /// Adds a bit.
    #[inline]
    pub fn push(&mut self, bit: bool) {
        self.0 = self.0 << 1 | u32::from(bit);
    }
}

/// The last `length` bits of the history, in pieces of `width` bits that are combined by exclusive or.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    value: u32,
    width: u32,
    length: u32,
    /// Position of the bit that leaves: `length` modulo `width`.
    out: u32,
}

impl Fold {
    /// Of an empty history. `length` is 1 to 32, `width` 2 to 31.
    pub fn new(length: u32, width: u32) -> Self {
        Self { value: 0, width, length, out: length % width }
    }

    /// The folded history, `width` bits.
    #[inline]
    pub fn value(&self) -> u32 {
        self.value
    }

    /// Enters `bit`; `before` is the history without it.
    #[inline]
    pub fn push(&mut self, bit: bool, before: History) {
        let old = before.0 >> (self.length - 1) & 1;
        let x = (self.value << 1 | u32::from(bit)) ^ old << self.out;
        self.value = x & ((1 << self.width) - 1) ^ x >> self.width;
    }
}

/// Bits of the history that [`Folds`] can see.
const LONGEST: u32 = 24;

/// Several folds of one history, side by side in a word.
///
/// A fold is linear: that of a history is the exclusive or of those of its bits. So the folds of each byte of the history are in a table.
#[derive(Clone, Debug)]
pub struct Folds(Box<[[u64; 256]; LONGEST as usize / 8]>);

impl Folds {
    /// For each of `folds`: an empty fold, and the position of its value in the word. Their lengths are at most 24.
    pub fn new(folds: &[(Fold, u32)]) -> Self {
        let single = |bit| folds.iter().fold(0, |all, fold| all ^ Self::single(*fold, bit));
        let mut maps = Box::new([[0; 256]; LONGEST as usize / 8]);
        for (map, bits) in maps.iter_mut().zip((0..LONGEST).step_by(8)) {
            for (bit, value) in (bits..bits + 8).map(|bit| (bit - bits, single(bit))) {
                (0..1 << bit).for_each(|below| map[below | 1 << bit] = map[below] ^ value);
            }
        }
        Self(maps)
    }

    /// The word of a fold, of a history with this bit alone.
    fn single((mut fold, position): (Fold, u32), bit: u32) -> u64 {
        let mut history = History::default();
        for entered in (0..LONGEST).rev() {
            fold.push(entered == bit, history);
            history.push(entered == bit);
        }
        u64::from(fold.value()) << position
    }

    /// The folds of a history.
    #[inline]
    pub fn of(&self, history: History) -> u64 {
        let [a, b, c, _] = history.0.to_le_bytes().map(usize::from);
        self.0[0][a] ^ self.0[1][b] ^ self.0[2][c]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bit_1_of_an_address_enters_at_bit_7() {
        assert_eq!([0, 2, 4, 0x8000_0106].map(address), [0, 0x80, 1, 0x2000_0041 ^ 0x80]);
    }

    #[test]
    fn a_target_adds_the_parity_of_bits_1_3_and_5() {
        assert_eq!(
            [0x02, 0x08, 0x20, 0x2a, 0x0a, 0xd5].map(History::of_target),
            [true, true, true, true, false, false]
        );
    }

    #[test]
    fn a_fold_is_the_sum_of_the_pieces_of_the_history() {
        // 1011 0: after 4 more bits the first is gone
        let mut history = History::default();
        let mut fold = Fold::new(4, 3);
        for bit in [true, false, true, true, false] {
            fold.push(bit, history);
            history.push(bit);
        }
        // the last four bits are 0110: 110 and 0
        assert_eq!(fold.value(), 0b110);
        for (length, width) in [(4, 4), (4, 7), (10, 5), (22, 6), (12, 12), (32, 7)] {
            let (mut history, mut fold, mut state) = (History::default(), Fold::new(length, width), 1u32);
            for step in 0..300 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let bit = state >> 31 == 1;
                fold.push(bit, history);
                history.push(bit);
                let last = u64::from(history.0) & ((1 << length) - 1);
                let pieces = (0..length.div_ceil(width)).map(|i| (last >> (i * width)) as u32 & ((1 << width) - 1));
                assert_eq!(fold.value(), pieces.fold(0, |a, b| a ^ b), "{length} in {width}, step {step}");
            }
        }
    }

    #[test]
    fn folds_are_those_entered_bit_by_bit() {
        let mut each = [(4, 5), (10, 7), (22, 6), (24, 4)].map(|(length, width)| Fold::new(length, width));
        let folds = Folds::new(&[(each[0], 0), (each[1], 8), (each[2], 40), (each[3], 60)]);
        let (mut history, mut state) = (History::default(), 3u32);
        for _ in 0..200 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let bit = state >> 31 == 1;
            each.iter_mut().for_each(|fold| fold.push(bit, history));
            history.push(bit);
            let values = each.map(|fold| u64::from(fold.value()));
            assert_eq!(folds.of(history), values[0] | values[1] << 8 | values[2] << 40 | values[3] << 60);
        }
    }
}
