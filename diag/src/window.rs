//! The reorder window: holds back a bounded number of events, and releases them in the order of their keys

use std::collections::BTreeMap;

/// Position of an item in the order. Items with equal fields keep the order of their arrival.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// Cycle.
    pub time: u64,
    /// Order of kinds of items in a cycle.
    pub rank: u8,
    /// Core.
    pub core: u8,
    /// Place in the script, among events of one instruction.
    pub place: u8,
}

/// A window that sorts items which arrive out of order.
#[derive(Clone, Debug)]
pub struct Window<T> {
    capacity: usize,
    items: BTreeMap<(Key, u64), T>,
    arrived: u64,
    released: Key,
}

impl<T> Window<T> {
    /// Holds back `capacity` items.
    pub fn new(capacity: usize) -> Self {
        Self { capacity, items: BTreeMap::new(), arrived: 0, released: Key::default() }
    }

    /// Whether it holds back anything.
    pub fn is_used(&self) -> bool {
        self.capacity > 0
    }

    /// Key of the last item released.
    pub fn released(&self) -> Key {
        self.released
    }

    /// Keys of the items that wait, in their order.
    pub fn keys(&self) -> impl Iterator<Item = &Key> {
        self.items.keys().map(|(key, _)| key)
    }

    /// Takes an item.
    pub fn push(&mut self, key: Key, item: T) {
        self.items.insert((key, self.arrived), item);
        self.arrived += 1;
    }

    /// The next item, if more wait than are held back; with `all`, if any waits.
    pub fn pop(&mut self, all: bool) -> Option<T> {
        if !all && self.items.len() <= self.capacity {
            return None;
        }
        let ((key, _), item) = self.items.pop_first()?;
        self.released = self.released.max(key);
        Some(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_leave_in_the_order_of_their_keys() {
        let key = |time, core| Key { time, core, ..Key::default() };
        let mut window = Window::new(2);
        let mut left = Vec::new();
        for (n, (time, core)) in [(5, 0), (7, 0), (4, 1), (7, 0), (6, 1), (7, 1)].into_iter().enumerate() {
            window.push(key(time, core), n);
            left.extend(std::iter::from_fn(|| window.pop(false)));
        }
        assert_eq!((left.as_slice(), window.released()), ([2, 0, 4, 1].as_slice(), key(7, 0)));
        left.extend(std::iter::from_fn(|| window.pop(true)));
        assert_eq!(left, [2, 0, 4, 1, 3, 5]);
    }
}
