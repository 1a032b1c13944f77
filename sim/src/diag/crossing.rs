//! Clock crossing of a core: what it retires, from its own clock to that of the chip
//!
//! A FIFO of eight entries, with pointers in Gray code that reach the other clock through two flip-flops. It passes an
//! instruction in each cycle of either clock.
//!
//! Instructions keep their order, and each is shown for one cycle of the chip. If the chip's clock is at least as fast as
//! the core's, there is always a free entry. Otherwise an instruction for which there is none is missing; this is kept
//! until the reset, and all events of the generator then report losses.
//!
//! # Time
//! An instruction has the time of the cycle in which it is shown, less [`LATENCY`]. If both clocks are the same, this is the
//! cycle in which the core retires it, as without a crossing. Otherwise it is at most one cycle of the chip earlier or later,
//! and up to [`LATE`] later if the core is faster than the chip and instructions wait for each other.
//!
//! # Source
//! C. E. Cummings, "Simulation and Synthesis Techniques for Asynchronous FIFO Design", SNUG 2002.

use std::collections::VecDeque;

/// Entries.
pub const ENTRIES: u64 = 8;

/// Cycles of the chip from an instruction at the port of a core to its place at the event generator's input, if both
/// have the same clock. With another clock, it is there after the second or third edge of the chip after the core's.
pub const LATENCY: u64 = 3;

/// Maximum number of cycles of the chip by which the time of an event is later than its instruction: one, and one for
/// each instruction that waits before it. It is never more than one cycle earlier.
pub const LATE: u64 = ENTRIES;

/// The golden model of a crossing for items of type `T`, edge by edge.
#[derive(Clone, Debug)]
pub struct Crossing<T> {
    entries: VecDeque<T>,
    written: u64,
    read: u64,
    /// In the core's clock: entries read, through two flip-flops.
    read_near: u64,
    read_here: u64,
    /// In the chip's clock: entries written.
    written_near: u64,
    written_here: u64,
    /// An instruction is missing: in the core's clock, and through two flip-flops of the chip.
    missing: [bool; 3],
}

impl<T> Default for Crossing<T> {
    fn default() -> Self {
        let (entries, missing) = (VecDeque::new(), [false; 3]);
        let (written, read, read_near, read_here, written_near, written_here) = Default::default();
        Self { entries, written, read, read_near, read_here, written_near, written_here, missing }
    }
}

impl<T> Crossing<T> {
    /// What the chip sees before its next edge.
    pub fn output(&self) -> Option<&T> {
        self.entries.front().filter(|_| self.written_here != self.read)
    }

    /// Whether an instruction is missing, as the chip sees it.
    pub fn overrun(&self) -> bool {
        self.missing[2]
    }

    /// Edges of one clock, of the other, or of both at the same time. `retired` is what the core retires before its edge.
    pub fn clock(&mut self, core_edge: bool, chip_edge: bool, retired: Option<T>) {
        let (taken, before, written, read) = (self.output().is_some(), self.missing, self.written, self.read);
        if core_edge {
            match retired {
                Some(item) if self.written - self.read_here < ENTRIES => {
                    self.entries.push_back(item);
                    self.written += 1;
                }
                Some(_) => self.missing[0] = true,
                None => {}
            }
            (self.read_here, self.read_near) = (self.read_near, read);
        }
        if chip_edge {
            if taken {
                self.entries.pop_front();
                self.read += 1;
            }
            (self.written_here, self.written_near) = (self.written_near, written);
            (self.missing[2], self.missing[1]) = (before[1], before[0]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stimulus::Source;

    #[test]
    fn one_clock_passes_an_instruction_in_each_cycle() {
        let mut crossing = Crossing::default();
        for cycle in 0..100 {
            let want = (cycle >= LATENCY).then(|| cycle - LATENCY);
            assert_eq!(crossing.output().copied(), want, "cycle {cycle}");
            crossing.clock(true, true, Some(cycle));
        }
        assert!(!crossing.overrun());
    }

    #[test]
    fn the_ninth_instruction_without_an_edge_of_the_chip_is_missing() {
        let mut crossing = Crossing::default();
        (0..9).for_each(|n| crossing.clock(true, false, Some(n)));
        let mut found = Vec::new();
        for edge in 0..12 {
            assert_eq!(crossing.overrun(), edge >= 2, "edge {edge}");
            found.extend(crossing.output().copied());
            crossing.clock(false, true, None);
        }
        assert_eq!(found, [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    /// Runs clocks with these periods; returns the least and the greatest difference of an event's time from that of its
    /// instruction, in units of a period of the chip, and whether an instruction was missing.
    fn times(core: u64, chip: u64, phase: u64, retires: u8, s: &mut Source) -> (f64, f64, bool) {
        let mut crossing = Crossing::default();
        let (mut least, mut most) = (f64::MAX, f64::MIN);
        for time in 0..5_000 {
            let (core_edge, chip_edge) = (time % core == 0, (time + phase) % chip == 0);
            if let Some(at) = crossing.output().filter(|_| chip_edge) {
                // the edge ends the cycle in which the instruction is shown, that of the core the one of its instruction
                let late = (time as f64 - *at as f64) / chip as f64 - LATENCY as f64;
                (least, most) = (least.min(late), most.max(late));
            }
            crossing.clock(core_edge, chip_edge, (core_edge && s.percent(retires)).then_some(time));
        }
        (least, most, crossing.overrun())
    }

    #[test]
    fn times_are_as_late_as_stated() {
        let mut s = Source::seeded(68);
        let mut most_of_all = 0.0_f64;
        for core in 1..=49 {
            for chip in [1, 7, 10, 23, 49] {
                for retires in [5, 40, 100] {
                    let phase = s.below(chip);
                    let (least, most, missing) = times(core, chip, phase, retires, &mut s);
                    let place = format!("{core}:{chip} + {phase}, {retires} %: {least} to {most}");
                    assert!(least > -1.0 - 1e-9 && most <= LATE as f64, "{place}");
                    assert!(core < chip || !missing && most <= 1.0, "{place}");
                    most_of_all = most_of_all.max(most);
                }
            }
        }
        assert!(most_of_all > LATE as f64 - 2.0, "{most_of_all}");
    }
}
