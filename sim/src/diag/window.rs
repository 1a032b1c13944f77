//! Window: traces the instructions of a core only between two triggers of its event generator
//!
//! A window opens at one point and closes at another, or with the return of the function that begins at the opening
//! point. Instructions outside it are hidden from the trace. A point is the address of one of the generator's trigger
//! slots: a slot in use makes its events as usual, one after those in use ([`super::registers::CONTROL`]) makes none.
//!
//! | register | bits | meaning |
//! | --- | --- | --- |
//! | [`WINDOW`] | 3:0, 4 | slot whose address opens it; bit 4 set: there is one, and the window is initially closed |
//! | | 11:8, 12 | slot whose address closes it, after that instruction; bit 12 set: there is one |
//! | | 13 | it closes after the return from the function at the opening point: calls and returns since then are counted |
//!
//! It is a register of the generator, 0 after a reset: nothing is hidden. Each write restarts the window. With neither
//! bit 4 nor 12 set, nothing is hidden; with only bit 12 set, everything is traced until it first closes. The
//! instruction at a point is traced, and so is the return that closes the window. While the window is open, the opening
//! point has no effect.
//!
//! Calls and returns are those of a return address stack: `jal` and `jalr` that link are calls, a `jalr` through a link
//! register is a return, and a co-routine swap is neither. Up to 65,535 calls are counted. Everything called inside is
//! part of the window, including interrupt handlers.

/// Window register of a generator.
pub const WINDOW: u16 = 0x500;
/// Most calls that are counted.
pub const DEPTH: u16 = u16::MAX;

/// Edges of a window, as slots of the generator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Edges {
    /// Opens it.
    pub opens: Option<u8>,
    /// Closes it.
    pub closes: Option<u8>,
    /// It closes after the return from the function at the opening point.
    pub returns: bool,
}

impl Edges {
    /// The register value.
    pub fn word(&self) -> u16 {
        let slot = |slot: Option<u8>| slot.map_or(0, |s| u16::from(s & 15) | 16);
        slot(self.opens) | slot(self.closes) << 8 | u16::from(self.returns) << 13
    }

    /// The edges of a register value.
    pub fn of(word: u16) -> Self {
        let slot = |word: u16| (word & 16 != 0).then_some((word & 15) as u8);
        Self { opens: slot(word), closes: slot(word >> 8), returns: word >> 13 & 1 == 1 }
    }
}

/// The window of one core.
#[derive(Clone, Copy, Debug, Default)]
pub struct Window {
    edges: Edges,
    open: bool,
    depth: u16,
}

impl Window {
    /// A window after the register was written.
    pub fn new(edges: Edges) -> Self {
        Self { edges, open: edges.opens.is_none(), depth: 0 }
    }

    /// An instruction retires that hits `points`, one bit per slot, and may be a call or a return (`back`). Returns
    /// whether it is hidden.
    pub fn retire(&mut self, points: u16, call: bool, back: bool) -> bool {
        let Edges { opens, closes, returns } = self.edges;
        let hit = |slot: Option<u8>| slot.is_some_and(|s| points >> s & 1 == 1);
        if opens.is_none() && closes.is_none() {
            return false;
        }
        let inside = self.open || hit(opens);
        if !inside {
            return true;
        }
        let leaves = back && !call;
        let ends = returns && opens.is_some() && leaves && self.depth == 0;
        if call && !back {
            self.depth = self.depth.saturating_add(1);
        } else if leaves {
            self.depth = self.depth.saturating_sub(1);
        }
        self.open = !(ends || hit(closes));
        if !self.open {
            self.depth = 0;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_as_worked_by_hand() {
        let edges = Edges { opens: Some(3), closes: Some(15), returns: false };
        assert_eq!((edges.word(), Edges::of(0x1f13)), (0x1f13, edges));
        let of = Edges { opens: Some(0), closes: None, returns: true };
        assert_eq!((of.word(), Edges::of(0x2010)), (0x2010, of));
        assert_eq!(Edges::of(0), Edges::default());
    }

    #[test]
    fn a_function_is_inside_from_its_entry_to_its_return() {
        let mut w = Window::new(Edges { opens: Some(2), closes: None, returns: true });
        let (nothing, call, back) = ((0, false, false), (0, true, false), (0, false, true));
        // outside; enters, calls, which calls itself at the entry point, both return, returns; outside
        let steps =
            [nothing, back, (4, false, false), call, (4, true, false), back, nothing, back, back, nothing, back];
        let hidden = steps.map(|(points, call, back)| w.retire(points, call, back));
        assert_eq!(hidden, [true, true, false, false, false, false, false, false, false, true, true]);
        // a window of one instruction; a co-routine swap is neither a call nor a return
        assert!(!w.retire(4, false, true) && w.retire(0, false, false));
        assert!(
            !w.retire(4, false, false)
                && !w.retire(0, true, true)
                && !w.retire(0, false, true)
                && w.retire(0, false, false)
        );
    }

    #[test]
    fn the_closing_point_is_inside_the_window() {
        let mut w = Window::new(Edges { opens: Some(0), closes: Some(1), returns: false });
        let hidden = [0, 2, 1, 0, 1, 2, 0, 3, 0].map(|points| w.retire(points, false, false));
        assert_eq!(hidden, [true, true, false, false, false, false, true, false, true]);
        // without an opening point it is open once
        let mut w = Window::new(Edges { opens: None, closes: Some(1), returns: true });
        assert_eq!([1, 2, 0, 2].map(|points| w.retire(points, false, true)), [false, false, true, true]);
        assert!(!Window::new(Edges::default()).retire(0, false, true));
    }
}
