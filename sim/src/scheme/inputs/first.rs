//! First accesses: which bytes of RAM a core has reached since the recording began in the middle of a run
//!
//! A direct-mapped cache of lines of 16 bytes, tags and a flag a byte. What RAM held at the start is not known to the host;
//! so a load of a byte that has no flag is told with its value, and sets the flags of its bytes, as a store does. A line
//! that takes the place of another one forgets it, and its values are told again. An access that goes over the end of a
//! line finds nothing and sets nothing.
//!
//! # Source
//! Paper 003, section 3.3 (first-access flags); here one lookup an access, so that a circuit takes one a clock.

use super::InputsParams;
use crate::scheme::cfiat::cache::Cache;
use crate::scheme::cfiat::params::{Flags, Replacement, Sizes};

/// Bytes of a line.
pub const LINE: u8 = 16;

/// Flags of one core.
#[derive(Clone, Debug)]
pub struct FirstAccesses(Cache);

impl FirstAccesses {
    /// None set; `None` where a recording begins at reset.
    pub fn new(params: &InputsParams) -> Option<Self> {
        let bytes = params.sizes.known;
        let sizes = Sizes {
            bytes,
            ways: 1,
            line: LINE,
            granule: 1,
            replacement: Replacement::Round,
            flags: Flags::Touched,
            ..Sizes::default()
        };
        (bytes > 0).then(|| Self(Cache::new(&sizes)))
    }

    fn crosses(addr: u64, bytes: u8) -> bool {
        addr % u64::from(LINE) + u64::from(bytes) > LINE.into()
    }

    /// Whether the flags of all bytes are set.
    #[inline]
    pub fn has(&self, addr: u64, bytes: u8) -> bool {
        !Self::crosses(addr, bytes) && self.0.has(addr, bytes.into())
    }

    /// A load or a store.
    #[inline]
    pub fn set(&mut self, addr: u64, bytes: u8) {
        if !Self::crosses(addr, bytes) {
            self.0.store(addr, bytes.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::params::Sizes;
    use super::*;

    #[test]
    fn a_byte_is_known_until_its_line_is_taken() {
        let sizes = Sizes { known: 64, ..Sizes::default() };
        let params = InputsParams::new(1, 32, (0x8000_0000, 1 << 16), sizes);
        assert!(FirstAccesses::new(&InputsParams { sizes: Sizes::default(), ..params }).is_none());
        let mut f = FirstAccesses::new(&params).unwrap();
        assert!(!f.has(0x8000_0010, 1));
        f.set(0x8000_0012, 2);
        assert!(f.has(0x8000_0012, 2) && f.has(0x8000_0013, 1) && !f.has(0x8000_0012, 4) && !f.has(0x8000_0011, 1));
        // over the end of a line: nothing is found, nothing set
        f.set(0x8000_001e, 4);
        assert!(!f.has(0x8000_001e, 2));
        f.set(0x8000_001c, 4);
        f.set(0x8000_0020, 4);
        assert!(f.has(0x8000_001e, 2) && f.has(0x8000_0020, 2) && !f.has(0x8000_001e, 4));
        // four lines: 64 bytes further is the same place
        f.set(0x8000_0050, 1);
        assert!(!f.has(0x8000_0012, 2) && f.has(0x8000_0020, 4));
    }
}
