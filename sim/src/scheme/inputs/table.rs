//! Episode table: the blocks that an episode read and wrote, in one tagged table
//!
//! An entry, indexed by a hash of the block address, holds the episode that last touched it, whether it wrote, a tag,
//! and a 'several blocks' bit, with which it matches every tag, so that no conflict is missed. Each episode gets a new
//! number. Numbers are wide in the model; a circuit has narrow ones and sweeps the table when they wrap around.
//!
//! | bits of an entry | content |
//! | --- | --- |
//! | `tag` | folded upper address bits |
//! | 1 | written |
//! | 1 | several blocks |
//! | rest | number of the episode |

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Entry {
    episode: u32,
    tag: u16,
    wrote: bool,
    several: bool,
}

/// Episode table of one core.
#[derive(Clone, Debug)]
pub struct Table {
    entries: Vec<Entry>,
    index_bits: u32,
    tag_bits: u32,
    block_shift: u32,
    episode: u32,
    used: u32,
}

impl Table {
    /// An empty table.
    pub fn new(entries: u16, tag_bits: u8, block_bytes: u8) -> Self {
        Self {
            entries: vec![Entry::default(); entries.into()],
            index_bits: u32::from(entries).trailing_zeros(),
            tag_bits: tag_bits.into(),
            block_shift: u32::from(block_bytes).trailing_zeros(),
            episode: 1,
            used: 0,
        }
    }

    /// The block of a byte address.
    #[inline]
    pub fn block(&self, addr: u64) -> u32 {
        (addr >> self.block_shift) as u32
    }

    /// Index and tag of a block. The address bits above the index are folded into it; the tag is folded from them.
    #[inline]
    fn place(&self, block: u32) -> (usize, u16) {
        let upper = block >> self.index_bits;
        let index = (block ^ upper ^ upper >> self.index_bits) & ((1 << self.index_bits) - 1);
        let folded = (upper ^ upper.checked_shr(self.tag_bits).unwrap_or(0)) & ((1 << self.tag_bits) - 1);
        (index as usize, folded as u16)
    }

    /// Whether the episode may have touched the block; with `written`, whether it may have written it.
    #[inline]
    pub fn hit(&self, block: u32, written: bool) -> bool {
        let (index, tag) = self.place(block);
        let e = self.entries[index];
        e.episode == self.episode && (e.wrote || !written) && (e.several || e.tag == tag)
    }

    /// Enters a block that the episode touches.
    #[inline]
    pub fn touch(&mut self, block: u32, write: bool) {
        let (index, tag) = self.place(block);
        let e = &mut self.entries[index];
        if e.episode != self.episode {
            *e = Entry { episode: self.episode, tag, wrote: write, several: false };
            self.used += 1;
        } else {
            e.several |= e.tag != tag;
            e.wrote |= write;
        }
    }

    /// Whether three quarters of the entries are used.
    #[inline]
    pub fn is_full(&self) -> bool {
        4 * self.used >= 3 * self.entries.len() as u32
    }

    /// Begins the next episode.
    pub fn clear(&mut self) {
        self.used = 0;
        self.episode = self.episode.wrapping_add(1);
        if self.episode == 0 {
            self.entries.fill(Entry::default());
            self.episode = 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_are_distinguished_and_cleared() {
        let mut t = Table::new(16, 4, 4);
        t.touch(0x25, false);
        assert!(t.hit(0x25, false) && !t.hit(0x25, true));
        t.touch(0x25, true);
        assert!(t.hit(0x25, true));
        t.clear();
        assert!(!t.hit(0x25, false));
    }

    /// 16 entries, 4 tag bits. Block 0x125: upper 0x12, index 5 ^ 2 ^ 1 = 6, tag 2 ^ 1 = 3. Block 0x004: upper 0, index 4,
    /// tag 0. Block 0x215: upper 0x21, index 5 ^ 1 ^ 2 = 6, tag 1 ^ 2 = 3: the same. Block 0x006: index 6, tag 0.
    #[test]
    fn places_worked_by_hand() {
        let t = Table::new(16, 4, 4);
        assert_eq!([0x125, 0x004, 0x215, 0x006].map(|b| t.place(b)), [(6, 3), (4, 0), (6, 3), (6, 0)]);
        assert_eq!(t.block(0x127), 0x49);
        assert_eq!(Table::new(16, 0, 16).place(0x125), (6, 0));
    }

    #[test]
    fn two_blocks_in_one_entry_match_every_tag() {
        let mut t = Table::new(16, 4, 4);
        t.touch(0x125, false);
        assert!(!t.hit(0x006, false));
        t.touch(0x006, true);
        // 0x053: index 3 ^ 5 = 6, tag 5, was never touched; and the first block counts as written
        assert!(t.hit(0x125, true) && t.hit(0x006, true) && t.hit(0x053, true));
    }

    #[test]
    fn three_quarters_are_full() {
        let mut t = Table::new(16, 4, 4);
        for block in 0..11 {
            t.touch(block, false);
            t.touch(block, true);
        }
        assert!(!t.is_full());
        t.touch(11, false);
        assert!(t.is_full());
    }
}
