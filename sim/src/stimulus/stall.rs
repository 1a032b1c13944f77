//! Stall patterns for blocks with a handshake

use super::Source;

/// Side of a handshake that stalls. Every handshake bench runs all four: [`Stall::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stall {
    /// Neither: one item per cycle.
    None,
    /// The source: `valid` has gaps.
    In,
    /// The sink: `ready` has gaps.
    Out,
    /// Both.
    Both,
}

impl Stall {
    /// The four patterns, in the order in which benches run them.
    pub const ALL: [Self; 4] = [Self::None, Self::In, Self::Out, Self::Both];
}

/// A generator of valid and ready, cycle by cycle. Gaps and runs are 1 to 16 cycles long, sometimes 64, so that buffers
/// fill up, run empty, and pass single items.
#[derive(Clone, Debug)]
pub struct Stalls {
    valid: Option<Side>,
    ready: Option<Side>,
}

#[derive(Clone, Debug)]
struct Side {
    source: Source,
    open: bool,
    left: u64,
}

impl Side {
    fn next(&mut self) -> bool {
        if self.left == 0 {
            self.open = !self.open;
            self.left = match self.source.below(16) {
                0 => 64,
                1..=5 => self.source.between(2, 16),
                _ => 1,
            };
        }
        self.left -= 1;
        self.open
    }
}

impl Stalls {
    /// A generator with the pattern `stall`, from `seed`.
    pub fn new(stall: Stall, seed: u64) -> Self {
        let mut source = Source::seeded(seed);
        let mut side = |on: bool| {
            let source = source.split();
            on.then(|| Side { source, open: false, left: 0 })
        };
        Self {
            valid: side(matches!(stall, Stall::In | Stall::Both)),
            ready: side(matches!(stall, Stall::Out | Stall::Both)),
        }
    }

    /// Whether the source offers an item in this cycle; call once per cycle.
    pub fn valid(&mut self) -> bool {
        self.valid.as_mut().is_none_or(Side::next)
    }

    /// Whether the sink takes an item in this cycle; call once per cycle.
    pub fn ready(&mut self) -> bool {
        self.ready.as_mut().is_none_or(Side::next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pattern_stalls_the_sides_it_names() {
        for (stall, valid_gaps, ready_gaps) in [
            (Stall::None, false, false),
            (Stall::In, true, false),
            (Stall::Out, false, true),
            (Stall::Both, true, true),
        ] {
            let mut s = Stalls::new(stall, 3);
            let (v, r): (Vec<bool>, Vec<bool>) = (0..2000).map(|_| (s.valid(), s.ready())).unzip();
            assert_eq!((v.contains(&false), r.contains(&false)), (valid_gaps, ready_gaps), "{stall:?}");
            assert!(v.contains(&true) && r.contains(&true));
            if stall == Stall::Both {
                assert_ne!(v, r);
            }
        }
    }
}
