//! Prediction state that the packer and the unpacker of a run share
//!
//! An entry that is as expected must cost next to nothing, so it is checked in one place, and only what it changes is
//! written. The other guesses are computed and updated only if an entry is not as expected.
//!
//! Everything is inlined so that the fields of [`Position`] and [`Access`] stay in registers: a call would store their
//! fields one by one and load them as a whole, and the store-to-load stall costs more than everything else here.

use crate::layout::{self, ARGUMENT};
use crate::shadow::Shadow;

/// Entries of the table of expected blocks.
const BLOCKS: usize = 1 << 16;
/// Entries of the table of accesses, a power of 2.
const SLOTS: usize = 1 << 16;

/// Prediction for an access of a block. Differences are truncated to their fields.
#[derive(Clone, Copy, Default)]
#[repr(align(32))]
pub(crate) struct Slot {
    /// The word of the access; 0: a block begins here instead.
    pub(crate) head: u32,
    /// Index of the expected guess: of the address in bits 1:0, of the value above. 0: the first of both.
    which: u32,
    next: u64,
    value: u64,
    /// Last differences of the addresses and of the values.
    stride: i32,
    step: i32,
}

/// Rarely used part of a prediction.
#[derive(Clone, Copy, Default)]
struct RareGuess {
    /// Base of a table that is indexed by the last loaded value.
    base: u64,
    /// Difference from the address of the previous access, of any instruction.
    gap: i32,
    /// Difference from the previous content of memory.
    change: i32,
}

/// Current position in a run.
#[derive(Clone, Copy, Default)]
pub(crate) struct Position {
    /// Hash of the last three blocks.
    past: u32,
    /// Slot of the next entry.
    slot: u32,
    /// The last address, and the last two loaded values.
    address: u64,
    loaded: [u64; 2],
}

/// A load or a store: word, address and value.
#[derive(Clone, Copy)]
pub(crate) struct Access {
    pub(crate) head: u32,
    pub(crate) address: u64,
    pub(crate) value: u64,
}

/// The prediction state.
pub(crate) struct PredictionState {
    pub(crate) data: bool,
    next: Box<[u32; BLOCKS]>,
    slots: Box<[Slot; SLOTS]>,
    more: Box<[RareGuess; SLOTS]>,
    pub(crate) memory: Shadow,
}

/// Number of address guesses: the last address plus the last stride; the previous access plus the last gap; a table
/// indexed by the value loaded last.
pub(crate) const PLACES: usize = 3;
/// Number of value guesses: for a load the content of memory, for a store the last value plus the last step; the other
/// way round; the content of memory plus the last change; the last value; the value loaded last, and the one before it.
pub(crate) const VALUES: usize = 6;
/// Index of the guess "the last value".
pub(crate) const LAST: usize = 3;

/// log2 of the size of an access in bytes.
#[inline(always)]
pub(crate) fn log_size(head: u32) -> u32 {
    head >> layout::SIZE_SHIFT & 3
}

/// Mask of the bits of an access.
#[inline]
pub(crate) fn mask(head: u32) -> u64 {
    const MASKS: [u64; 4] = [0xff, 0xffff, 0xffff_ffff, u64::MAX];
    MASKS[log_size(head) as usize]
}

/// Size of an access in bits.
#[inline]
pub(crate) fn bits(head: u32) -> u32 {
    8 << log_size(head)
}

#[inline]
fn stores(head: u32) -> bool {
    head & layout::STORES != 0
}

#[inline]
fn behind(base: u64, difference: i32) -> u64 {
    base.wrapping_add(i64::from(difference) as u64)
}

impl Position {
    /// The last loaded value, scaled as an index.
    #[inline(always)]
    fn index(self, head: u32) -> u64 {
        self.loaded[0] << log_size(head)
    }

    #[inline(always)]
    pub(crate) fn accessed(&mut self, Access { head, address, value }: Access) {
        self.slot += 1;
        self.address = address;
        if !stores(head) {
            self.loaded = [value, self.loaded[0]];
        }
    }

    #[inline(always)]
    fn at(self) -> usize {
        self.slot as usize % SLOTS
    }

    /// Index in the table of expected blocks.
    #[inline(always)]
    fn place(self) -> usize {
        (self.past >> 16) as usize % BLOCKS
    }

    #[inline(always)]
    fn passed(&mut self, block: u32) {
        self.past = (self.past << 10).wrapping_add(block.wrapping_mul(0x9e37_79b1));
    }
}

fn boxed<T: Clone + Default, const N: usize>() -> Box<[T; N]> {
    match vec![T::default(); N].into_boxed_slice().try_into() {
        Ok(array) => array,
        Err(_) => unreachable!("as many as were asked for"),
    }
}

impl PredictionState {
    /// The initial state, for a run with or without loads and stores.
    pub(crate) fn new(data: bool) -> Self {
        Self { data, next: boxed(), slots: boxed(), more: boxed(), memory: Shadow::new() }
    }

    /// The word of the expected access; 0: a block.
    #[inline(always)]
    pub(crate) fn head(&self, now: Position) -> u32 {
        self.slots[now.at()].head
    }

    /// Replaces the expected access by one of another kind.
    pub(crate) fn set_head(&mut self, now: Position, head: u32) {
        let slot = &mut self.slots[now.at()];
        slot.head = layout::escape(layout::ACCESS, head & ARGUMENT);
        slot.which = 0;
    }

    /// The block that followed the last blocks the previous time.
    #[inline(always)]
    pub(crate) fn block(&mut self, now: Position) -> &mut u32 {
        &mut self.next[now.place()]
    }

    /// A block begins.
    #[inline(always)]
    pub(crate) fn begin_block(&mut self, now: &mut Position, block: u32) {
        self.slots[now.at()].head = 0;
        now.passed(block);
        now.slot = block.wrapping_mul(31) % SLOTS as u32;
    }

    /// Number of leading blocks that are as expected, in a run without accesses.
    pub(crate) fn blocks(&self, now: &mut Position, words: &[u32]) -> usize {
        let mut last = *now;
        // an escape never matches
        let unlike = words.iter().position(|word| {
            let expected = self.next[last.place()] == *word;
            if expected {
                last.passed(*word);
            }
            !expected
        });
        *now = last;
        unlike.unwrap_or(words.len())
    }

    /// Whether the access matches the most frequent guesses: the last stride, a load of the content of memory, a store
    /// of the last step. If so, updates the state.
    #[inline(always)]
    pub(crate) fn matches_common(&mut self, now: Position, Access { head, address, value }: Access) -> bool {
        let slot = &mut self.slots[now.at()];
        if slot.which != 0 || slot.next != address {
            return false;
        }
        if stores(head) {
            if behind(slot.value, slot.step) & mask(head) != value {
                return false;
            }
            slot.value = value;
            self.memory.set(address, log_size(head), value);
        } else if self.memory.value(address, log_size(head)) != value {
            return false;
        }
        slot.next = behind(address, slot.stride);
        true
    }

    /// The same for all other guesses.
    #[inline(always)]
    pub(crate) fn matches_rare(&mut self, now: Position, access: Access) -> bool {
        let slot = &self.slots[now.at()];
        if slot.which == 0 || self.address(now) != access.address {
            return false;
        }
        let held = || self.memory.value(access.address, log_size(access.head));
        if self.value(now, held) != access.value {
            return false;
        }
        self.update_matched(now, access);
        true
    }

    /// The expected address of the next access.
    #[inline(always)]
    fn address(&self, now: Position) -> u64 {
        let (slot, more) = (&self.slots[now.at()], &self.more[now.at()]);
        match slot.which & 3 {
            0 => slot.next,
            1 => behind(now.address, more.gap),
            _ => more.base.wrapping_add(now.index(slot.head)),
        }
    }

    /// The expected value; `held` returns the content of memory, if that matters.
    #[inline(always)]
    fn value(&self, now: Position, held: impl Fn() -> u64) -> u64 {
        let slot = &self.slots[now.at()];
        let value = match (slot.which >> 2, stores(slot.head)) {
            (0, true) | (1, false) => behind(slot.value, slot.step),
            (0, false) | (1, true) => held(),
            (2, _) => behind(held(), self.more[now.at()].change),
            (3, _) => slot.value,
            (which, _) => now.loaded[(which & 1) as usize],
        };
        value & mask(slot.head)
    }

    /// Updates the state after an access that is as expected.
    #[inline(always)]
    fn update_matched(&mut self, now: Position, Access { head, address, value }: Access) {
        let slot = &mut self.slots[now.at()];
        if slot.which & 3 == 0 {
            slot.next = behind(address, slot.stride);
        }
        if stores(head) {
            slot.value = value;
        }
        self.memory.set(address, log_size(head), value);
    }

    /// The expected access, after updating the state.
    pub(crate) fn expected(&mut self, now: &mut Position) -> Access {
        let (head, address) = (self.head(*now), self.address(*now));
        let held = || self.memory.value(address, log_size(head));
        let access = Access { head, address, value: self.value(*now, held) };
        self.update_matched(*now, access);
        now.accessed(access);
        access
    }

    /// Address guesses for the next access.
    #[inline(always)]
    pub(crate) fn places(&self, now: Position, head: u32) -> [u64; PLACES] {
        let (slot, more) = (&self.slots[now.at()], &self.more[now.at()]);
        [slot.next, behind(now.address, more.gap), more.base.wrapping_add(now.index(head))]
    }

    /// Value guesses, with `held` as the content of memory.
    #[inline(always)]
    pub(crate) fn values(&self, now: Position, head: u32, held: u64) -> [u64; VALUES] {
        let (slot, more) = (&self.slots[now.at()], &self.more[now.at()]);
        let mask = mask(head);
        let mut first = [held, behind(slot.value, slot.step) & mask];
        first.rotate_left(stores(head).into());
        let change = behind(held, more.change) & mask;
        [first[0], first[1], change, slot.value & mask, now.loaded[0] & mask, now.loaded[1] & mask]
    }

    /// Updates the state after an access that was not as expected. `which`: indices of the matching guesses of
    /// [`PredictionState::places`] and [`PredictionState::values`], beyond the end if none matches. `held`: the previous content of memory,
    /// which is updated already.
    #[inline(always)]
    pub(crate) fn update_missed(&mut self, now: Position, which: [u8; 2], access: Access, held: u64) {
        let at = now.at();
        let Access { head, address, value } = access;
        let (slot, more) = (&mut self.slots[at], &mut self.more[at]);
        let stride = address.wrapping_sub(slot.next.wrapping_sub(i64::from(slot.stride) as u64)) as i32;
        slot.head = head;
        slot.stride = stride;
        slot.next = behind(address, stride);
        more.base = address.wrapping_sub(now.index(head));
        more.gap = address.wrapping_sub(now.address) as i32;
        let place = if usize::from(which[0]) < PLACES { which[0].into() } else { slot.which & 3 };
        let mut how = 0;
        if which[1] != 0 || stores(head) {
            how = if usize::from(which[1]) < VALUES { which[1].into() } else { slot.which >> 2 };
            slot.step = value.wrapping_sub(slot.value) as i32;
            slot.value = value;
            more.change = value.wrapping_sub(held) as i32;
        }
        slot.which = place | how << 2;
    }
}
