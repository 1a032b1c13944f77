//! First accesses: which bytes of RAM a core has accessed since the recording began in the middle of a run
//!
//! A direct-mapped cache with lines of 16 bytes, with tags and one flag per byte, but no data, indexed by a hash of the address.
//! The host does not know the initial contents of RAM. A load of a byte without a flag is therefore recorded with its value, and
//! sets the flags of its bytes; so does a store. A line that replaces another one discards its flags, and its values are
//! recorded again. An access that crosses the end of a line never hits and sets no flags.
//!
//! # Source
//! Paper 003, section 3.3 (first-access flags); here with one look-up per access, so that a circuit can handle one per cycle.

use super::InputsParams;

/// Bytes per line.
pub const LINE: u8 = 16;
/// log2 of the bytes per line.
pub const LINE_SHIFT: u32 = LINE.trailing_zeros();

#[derive(Clone, Copy, Debug)]
struct Line {
    /// Bits of the line number above the index; `None`: empty.
    tag: Option<u32>,
    /// One bit per byte, the lowest address first.
    flags: u16,
}

/// First-access flags of one core.
#[derive(Clone, Debug)]
pub struct FirstAccesses {
    lines: Vec<Line>,
}

impl FirstAccesses {
    /// No flags set; `None` if a recording begins at reset.
    pub fn new(params: &InputsParams) -> Option<Self> {
        let lines = params.sizes.known >> LINE_SHIFT;
        (lines > 0).then(|| Self { lines: vec![Line { tag: None, flags: 0 }; lines as usize] })
    }

    /// Index and tag of a line, and the flags of an access in it; `None` if it crosses the end of the line.
    #[inline]
    fn place(&self, addr: u64, bytes: u8) -> Option<(usize, u32, u16)> {
        let at = addr as u32 % u32::from(LINE);
        let flags = ((1u32 << bytes) - 1) << at;
        let bits = self.lines.len().trailing_zeros();
        let line = addr as u32 >> LINE_SHIFT;
        let upper = line >> bits;
        // stacks and data are often powers of two apart
        let index = (line ^ upper ^ upper >> bits) as usize & (self.lines.len() - 1);
        Some((index, upper, u16::try_from(flags).ok()?))
    }

    /// Whether the flags of all bytes are set.
    #[inline]
    pub fn has(&self, addr: u64, bytes: u8) -> bool {
        self.place(addr, bytes).is_some_and(|(index, tag, flags)| {
            let line = self.lines[index];
            line.tag == Some(tag) && line.flags & flags == flags
        })
    }

    /// Sets the flags of a load or store.
    #[inline]
    pub fn set(&mut self, addr: u64, bytes: u8) {
        if let Some((index, tag, flags)) = self.place(addr, bytes) {
            let line = &mut self.lines[index];
            let held = if line.tag == Some(tag) { line.flags } else { 0 };
            *line = Line { tag: Some(tag), flags: held | flags };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::params::Sizes;
    use super::*;

    #[test]
    fn a_byte_is_known_until_its_line_is_replaced() {
        let sizes = Sizes { known: 64, ..Sizes::default() };
        let params = InputsParams::new(1, 32, (0x8000_0000, 1 << 16), sizes);
        assert!(FirstAccesses::new(&InputsParams { sizes: Sizes::default(), ..params }).is_none());
        let mut f = FirstAccesses::new(&params).unwrap();
        assert!(!f.has(0x8000_0010, 1));
        f.set(0x8000_0012, 2);
        assert!(f.has(0x8000_0012, 2) && f.has(0x8000_0013, 1) && !f.has(0x8000_0012, 4) && !f.has(0x8000_0011, 1));
        // across the end of a line: never hits, sets nothing
        f.set(0x8000_001e, 4);
        assert!(!f.has(0x8000_001e, 2));
        f.set(0x8000_001c, 4);
        f.set(0x8000_0020, 4);
        assert!(f.has(0x8000_001e, 2) && f.has(0x8000_0020, 2) && !f.has(0x8000_001e, 4));
        // with four lines, 0x10 is in line 0x800_0001: 01 ^ 00 ^ 00. 0x40 further is line 0x800_0005: 01 ^ 01, another index
        f.set(0x8000_0050, 1);
        assert!(f.has(0x8000_0012, 2) && f.has(0x8000_0020, 4));
        // and line 0x800_0004 at 0x40 is 00 ^ 01, the index of the one at 0x10
        f.set(0x8000_0040, 1);
        assert!(!f.has(0x8000_0012, 2) && f.has(0x8000_0020, 4) && f.has(0x8000_0040, 1));
    }
}
