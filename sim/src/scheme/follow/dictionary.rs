//! Dictionary of targets: addresses that the target tables, and messages, refer to by their slot
//!
//! It has two banks of 2^n slots; slot s is slot s modulo 2^n of bank s / 2^n. With u the address in units of two bytes, its slot of bank b is
//! `u ^ u >> (n + b) ^ u >> 2 (n + b)`: addresses that share a slot in one bank seldom share one in the other. An address that is in
//! neither bank takes its slot in the bank whose turn it is; then it is the turn of the other one. After reset, slot i of each bank contains
//! i, which belongs to it, and it is the turn of bank 0. So every address is in a slot of its own at all times. If it is in both, which happens
//! to the first ones only, bank 0 counts.

/// Maximum number of slots.
pub const MAX: usize = 256;

/// The dictionary of targets, by hash.
#[derive(Clone, Debug)]
pub struct Dictionary {
    addresses: Box<[u64; MAX]>,
    log2: u32,
    /// Whether the next new address enters bank 1.
    turn: bool,
}

impl Dictionary {
    /// State after reset, of 2^`log2` slots. 2 <= `log2`.
    pub fn new(log2: u32) -> Self {
        let mut new = Self { addresses: Box::new([0; MAX]), log2, turn: false };
        new.reset();
        new
    }

    /// Returns to the state after reset.
    pub fn reset(&mut self) {
        let bank = (1 << (self.log2 - 1)) - 1;
        (0..).zip(self.addresses.iter_mut()).for_each(|(slot, address)| *address = 2 * (slot & bank));
        self.turn = false;
    }

    /// Width of a slot, bits.
    pub fn log2(&self) -> u32 {
        self.log2
    }

    /// The slots of an address in bank 0 and 1.
    #[inline]
    fn slots(&self, t: u64) -> [u8; 2] {
        let n = self.log2 - 1;
        let (u, mask) = (t >> 1, (1 << n) - 1);
        let hash = |shift: u32| (u ^ u >> shift ^ u >> (2 * shift)) as u32 & mask;
        [hash(n) as u8, (hash(n + 1) | 1 << n) as u8]
    }

    /// The slot that contains an address or, if none does, in which it would be entered.
    #[inline]
    pub fn slot(&self, t: u64) -> u8 {
        let slots = self.slots(t);
        let found = slots.into_iter().find(|slot| self.address(*slot) == t);
        found.unwrap_or(slots[usize::from(self.turn)])
    }

    /// The address in a slot.
    #[inline]
    pub fn address(&self, slot: u8) -> u64 {
        self.addresses[usize::from(slot)]
    }

    /// Enters an address, if it is in neither bank. Returns its slot.
    #[inline]
    pub fn enter(&mut self, t: u64) -> u8 {
        let slot = self.slot(t);
        let address = &mut self.addresses[usize::from(slot)];
        if *address != t {
            *address = t;
            self.turn = !self.turn;
        }
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_slot_in_each_bank() {
        let d = Dictionary::new(4);
        // 0x2b4 >> 1 is 101 011 010, and 1 0101 1010
        assert_eq!(d.slots(0x2b4), [0b101 ^ 0b011 ^ 0b010, 8 | 0b010 ^ 0b101 ^ 0b001]);
        assert!(
            (0..16).all(|slot| d.address(slot) == 2 * u64::from(slot & 7) && d.slots(d.address(slot)).contains(&slot))
        );
        assert_eq!((d.slot(0), d.slot(14)), (0, 7));
    }

    #[test]
    fn new_addresses_enter_the_banks_in_turn() {
        let mut d = Dictionary::new(4);
        let same: Vec<u64> = (64..).step_by(2).filter(|t| d.slots(*t) == [4, 8]).take(3).collect();
        let walk: Vec<u8> = same.iter().map(|t| (d.slot(*t), d.enter(*t)).0).collect();
        assert_eq!(walk, [4, 8, 4]);
        assert_eq!(same.iter().map(|t| d.address(d.slot(*t)) == *t).collect::<Vec<_>>(), [false, true, true]);
        // what is there already does not change whose turn it is
        d.enter(same[1]);
        assert_eq!(d.slot(same[0]), 8);
        d.reset();
        assert!(same.iter().all(|t| d.slot(*t) == 4));
    }
}
