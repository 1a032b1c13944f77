//! What both who packs the words of a run and who unpacks them know of what came before
//!
//! An entry that is as expected is to cost next to nothing, so it is looked at in one place, and only what it changes is
//! written. What else there is to guess from is looked at, and renewed, only where it is not as expected.
//!
//! All is inlined, so that what [`Now`] and [`Access`] have stays in registers: a call would write their parts one by one and
//! read them as one, for which a processor waits longer than all else here takes.

use crate::layout::{self, ARGUMENT};
use crate::shadow::Shadow;

/// Blocks that were expected behind others.
const BLOCKS: usize = 1 << 16;
/// Accesses of blocks, a power of 2.
const SLOTS: usize = 1 << 16;

/// What is expected of an access of a block. Differences are as many bits of them as there is room for.
#[derive(Clone, Copy, Default)]
#[repr(align(32))]
pub(crate) struct Slot {
    /// Its word; 0: a block begins in its place.
    pub(crate) head: u32,
    /// Which of the guesses is expected: of its address in bits 1:0, of its value above. 0: the first of both.
    which: u32,
    next: u64,
    value: u64,
    /// Of addresses and values, from one time to the next.
    stride: i32,
    step: i32,
}

/// What is seldom looked at.
#[derive(Clone, Copy, Default)]
struct More {
    /// Of a table whose index is what was loaded last.
    base: u64,
    /// From the address of the access before it, whosever that is.
    gap: i32,
    /// From what memory held.
    change: i32,
}

/// Where a run is.
#[derive(Clone, Copy, Default)]
pub(crate) struct Now {
    /// Of the last blocks, of which three weigh.
    past: u32,
    /// The slot of what comes.
    slot: u32,
    /// The last access, and the two last values that were loaded.
    address: u64,
    loaded: [u64; 2],
}

/// A load or a store: its word, address, value.
#[derive(Clone, Copy)]
pub(crate) struct Access {
    pub(crate) head: u32,
    pub(crate) address: u64,
    pub(crate) value: u64,
}

/// What both sides know.
pub(crate) struct Known {
    pub(crate) data: bool,
    next: Box<[u32; BLOCKS]>,
    slots: Box<[Slot; SLOTS]>,
    more: Box<[More; SLOTS]>,
    pub(crate) memory: Shadow,
}

/// Guesses of an address: as far on as at the last time, as far from the access before it, in a table by the value that was
/// loaded last.
pub(crate) const PLACES: usize = 3;
/// Guesses of a value: of a load what memory holds, of a store a step on; the other way round; changed in memory as at the last
/// time; as at the last time; what the last load brought, and the one before it.
pub(crate) const VALUES: usize = 6;
/// The one that is as at the last time.
pub(crate) const LAST: usize = 3;

/// Logarithm of an access's bytes.
#[inline(always)]
pub(crate) fn log_size(head: u32) -> u32 {
    head >> layout::SIZE_SHIFT & 3
}

/// The bits that an access has.
#[inline]
pub(crate) fn mask(head: u32) -> u64 {
    const MASKS: [u64; 4] = [0xff, 0xffff, 0xffff_ffff, u64::MAX];
    MASKS[log_size(head) as usize]
}

/// How many they are.
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

impl Now {
    /// What the last value that was loaded is as an index.
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

    /// Where it stands what came behind the last blocks.
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

impl Known {
    /// Of a run with loads and stores, or without.
    pub(crate) fn new(data: bool) -> Self {
        Self { data, next: boxed(), slots: boxed(), more: boxed(), memory: Shadow::new() }
    }

    /// The word of the access that is expected now; 0: a block.
    #[inline(always)]
    pub(crate) fn head(&self, now: Now) -> u32 {
        self.slots[now.at()].head
    }

    /// The access that comes now is another one.
    pub(crate) fn set_head(&mut self, now: Now, head: u32) {
        let slot = &mut self.slots[now.at()];
        slot.head = layout::escape(layout::ACCESS, head & ARGUMENT);
        slot.which = 0;
    }

    /// What the next block was behind the last ones, if it were as before.
    #[inline(always)]
    pub(crate) fn block(&mut self, now: Now) -> &mut u32 {
        &mut self.next[now.place()]
    }

    /// A block begins.
    #[inline(always)]
    pub(crate) fn begun(&mut self, now: &mut Now, block: u32) {
        self.slots[now.at()].head = 0;
        now.passed(block);
        now.slot = block.wrapping_mul(31) % SLOTS as u32;
    }

    /// Blocks at the front that are as expected, where there are no accesses: how many.
    pub(crate) fn blocks(&self, now: &mut Now, words: &[u32]) -> usize {
        let mut last = *now;
        // an escape never is
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

    /// Whether the access that comes now is as expected in what is asked most: as far on as at the last time, a load what memory
    /// holds, a store a step on. Then that is done.
    #[inline(always)]
    pub(crate) fn is_plain(&mut self, now: Now, Access { head, address, value }: Access) -> bool {
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

    /// The same in all others.
    #[inline(always)]
    pub(crate) fn is_special(&mut self, now: Now, access: Access) -> bool {
        let slot = &self.slots[now.at()];
        if slot.which == 0 || self.address(now) != access.address {
            return false;
        }
        let held = || self.memory.value(access.address, log_size(access.head));
        if self.value(now, held) != access.value {
            return false;
        }
        self.met(now, access);
        true
    }

    /// The address that is expected of the access that comes now.
    #[inline(always)]
    fn address(&self, now: Now) -> u64 {
        let (slot, more) = (&self.slots[now.at()], &self.more[now.at()]);
        match slot.which & 3 {
            0 => slot.next,
            1 => behind(now.address, more.gap),
            _ => more.base.wrapping_add(now.index(slot.head)),
        }
    }

    /// The value, where memory holds what is asked for if it matters.
    #[inline(always)]
    fn value(&self, now: Now, held: impl Fn() -> u64) -> u64 {
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

    /// It is as expected.
    #[inline(always)]
    fn met(&mut self, now: Now, Access { head, address, value }: Access) {
        let slot = &mut self.slots[now.at()];
        if slot.which & 3 == 0 {
            slot.next = behind(address, slot.stride);
        }
        if stores(head) {
            slot.value = value;
        }
        self.memory.set(address, log_size(head), value);
    }

    /// The access that is expected now, which is done.
    pub(crate) fn expected(&mut self, now: &mut Now) -> Access {
        let (head, address) = (self.head(*now), self.address(*now));
        let held = || self.memory.value(address, log_size(head));
        let access = Access { head, address, value: self.value(*now, held) };
        self.met(*now, access);
        now.accessed(access);
        access
    }

    /// What the access that comes now may be at.
    #[inline(always)]
    pub(crate) fn places(&self, now: Now, head: u32) -> [u64; PLACES] {
        let (slot, more) = (&self.slots[now.at()], &self.more[now.at()]);
        [slot.next, behind(now.address, more.gap), more.base.wrapping_add(now.index(head))]
    }

    /// What it may have as value, where memory held this.
    #[inline(always)]
    pub(crate) fn values(&self, now: Now, head: u32, held: u64) -> [u64; VALUES] {
        let (slot, more) = (&self.slots[now.at()], &self.more[now.at()]);
        let mask = mask(head);
        let mut first = [held, behind(slot.value, slot.step) & mask];
        first.rotate_left(stores(head).into());
        let change = behind(held, more.change) & mask;
        [first[0], first[1], change, slot.value & mask, now.loaded[0] & mask, now.loaded[1] & mask]
    }

    /// An access that was not as expected: which of [`Known::places`] and [`Known::values`] it was, or more than there are.
    /// Memory held this, and knows it already.
    #[inline(always)]
    pub(crate) fn renew(&mut self, now: Now, which: [u8; 2], access: Access, held: u64) {
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
