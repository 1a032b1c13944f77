//! Last values by location: repeated reads, as in polling a device, become a count
//!
//! Direct-mapped, with the full location as tag: a word address or a CSR.

/// Table of last values of one core.
#[derive(Clone, Debug)]
pub struct LastValues {
    entries: Vec<Option<(u64, u64)>>,
}

impl LastValues {
    /// An empty table.
    pub fn new(entries: u8) -> Self {
        Self { entries: vec![None; entries.into()] }
    }

    fn index(&self, location: u64) -> usize {
        ((location ^ location >> 2 ^ location >> 8) as usize) & (self.entries.len() - 1)
    }

    /// The last value of a location, if it is in the table.
    pub fn get(&self, location: u64) -> Option<u64> {
        self.entries[self.index(location)].filter(|e| e.0 == location).map(|e| e.1)
    }

    /// Stores the value of a location.
    pub fn set(&mut self, location: u64, value: u64) {
        let index = self.index(location);
        self.entries[index] = Some((location, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_has_its_own_value_or_none() {
        let mut t = LastValues::new(1);
        t.set(0x1000_0005, 0x60);
        assert_eq!((t.get(0x1000_0005), t.get(0x1000_0004)), (Some(0x60), None));
        t.set(1 << 32, 7);
        assert_eq!((t.get(0x1000_0005), t.get(1 << 32)), (None, Some(7)));
    }
}
