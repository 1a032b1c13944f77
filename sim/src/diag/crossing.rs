//! Clock crossing of a core: what it retires, from its own clock to that of the chip
//!
//! A FIFO of eight entries, with pointers in Gray code that reach the other clock through two flip-flops. It passes an
//! instruction in each cycle of either clock.
//!
//! Instructions keep their order, and each is shown for one cycle of the chip. If the chip's clock is at least as fast as
//! the core's, there is always a free entry. Otherwise an instruction for which there is none is missing; this is kept
//! until the reset of the chip, and all events of the generator then report losses.
//!
//! # Resets
//! Core and chip can be reset one without the other.
//!
//! * A reset of the core changes nothing in the FIFO: what retired before it still arrives. The first instruction after it
//!   is marked, because registers, stack and open calls of the generator are those from before.
//! * A reset of the chip empties the FIFO. The chip requests this of the core's side, which takes instructions again when
//!   it has seen the request and its end. Those in between are not seen, all of them before the first that is: the
//!   generator, which was reset as well, knows nothing of them.
//!
//! # Time
//! An instruction has the time of the cycle in which it is shown, less [`LATENCY`]. If both clocks are the same, this is the
//! cycle in which the core retires it, as without a crossing. Otherwise it is at most one cycle of the chip earlier or later,
//! and up to [`LATE`] later if the core is faster than the chip and instructions wait for each other.
//!
//! # Source
//! C. E. Cummings, "Simulation and Synthesis Techniques for Asynchronous FIFO Design", SNUG 2002.

/// Entries.
pub const ENTRIES: u64 = 8;

/// Cycles of the chip from an instruction at the port of a core to its place at the event generator's input, if both
/// have the same clock. With another clock, it is there after the second or third edge of the chip after the core's.
pub const LATENCY: u64 = 3;

/// Maximum number of cycles of the chip by which the time of an event is later than its instruction: one, and one for
/// each instruction that waits before it. It is never more than one cycle earlier.
pub const LATE: u64 = ENTRIES;

/// What a clock does at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// There is no rising edge.
    None,
    /// A rising edge.
    Clock,
    /// A rising edge with the reset of this side.
    Reset,
}

impl From<bool> for Edge {
    fn from(edge: bool) -> Self {
        if edge {
            Self::Clock
        } else {
            Self::None
        }
    }
}

/// The golden model of a crossing for items of type `T`, edge by edge. Pointers count modulo twice the entries.
#[derive(Clone, Debug)]
pub struct Crossing<T> {
    /// Items, and whether they are the first after a reset of the core.
    entries: [Option<(T, bool)>; ENTRIES as usize],
    // in the core's clock
    written: u8,
    read_near: u8,
    read_here: u8,
    first: bool,
    /// The chip requests an empty FIFO: through two flip-flops.
    requested: [bool; 2],
    // in the chip's clock
    request: bool,
    read: u8,
    written_near: u8,
    written_here: u8,
    /// The core's side has seen the request: through two flip-flops, and one cycle later.
    seen: [bool; 3],
    /// An instruction is missing: in the core's clock, and through two flip-flops of the chip.
    missing: [bool; 3],
}

impl<T> Default for Crossing<T> {
    /// The state after a reset of both sides.
    fn default() -> Self {
        let (written, read, read_near, read_here, written_near, written_here) = Default::default();
        let (requested, seen, missing) = Default::default();
        Self {
            entries: std::array::from_fn(|_| None),
            written,
            read_near,
            read_here,
            first: true,
            requested,
            request: false,
            read,
            written_near,
            written_here,
            seen,
            missing,
        }
    }
}

impl<T> Crossing<T> {
    /// Whether the chip takes nothing, after its reset.
    fn is_closed(&self) -> bool {
        self.request || self.seen[2]
    }

    fn front(&self) -> Option<&(T, bool)> {
        let there = !self.is_closed() && self.written_here != self.read;
        self.entries[usize::from(self.read) % ENTRIES as usize].as_ref().filter(|_| there)
    }

    /// What the chip sees before its next edge.
    pub fn output(&self) -> Option<&T> {
        self.front().map(|e| &e.0)
    }

    /// Whether this is the first instruction after a reset of the core.
    pub fn is_first(&self) -> bool {
        self.front().is_some_and(|e| e.1)
    }

    /// Whether instructions pass, as the chip sees it: not from its reset until the core's side has begun again.
    pub fn is_open(&self) -> bool {
        !self.is_closed()
    }

    /// Whether an instruction is missing, as the chip sees it.
    pub fn overrun(&self) -> bool {
        self.missing[2]
    }

    /// Edges of one clock, of the other, or of both at the same time. `retired` is what the core retires before its edge.
    pub fn clock(&mut self, core: impl Into<Edge>, chip: impl Into<Edge>, retired: Option<T>) {
        let (core, chip) = (core.into(), chip.into());
        let (taken, closed, missing, request) = (self.front().is_some(), self.is_closed(), self.missing, self.request);
        let (written, read, seen) = (self.written, self.read, self.requested[1]);
        if core != Edge::None {
            self.clock_core(core == Edge::Reset, retired);
            (self.read_here, self.read_near) = (self.read_near, read);
            self.requested = [request, self.requested[0]];
        }
        if chip != Edge::None {
            let reset = chip == Edge::Reset;
            self.request = reset || request && !self.seen[1];
            self.read = if reset || closed { 0 } else { (read + u8::from(taken)) % (2 * ENTRIES as u8) };
            (self.written_here, self.written_near) = if reset { (0, 0) } else { (self.written_near, written) };
            self.seen = [seen, self.seen[0], self.seen[1]];
            (self.missing[2], self.missing[1]) =
                if reset { (false, false) } else { (missing[1] && !closed, missing[0]) };
        }
    }

    fn clock_core(&mut self, reset: bool, retired: Option<T>) {
        if self.requested[1] {
            (self.written, self.first, self.missing[0]) = (0, true, false);
            return;
        }
        let full = (self.written + 2 * ENTRIES as u8 - self.read_here) % (2 * ENTRIES as u8) == ENTRIES as u8;
        match retired {
            _ if reset => self.first = true,
            Some(_) if full => self.missing[0] = true,
            Some(item) => {
                self.entries[usize::from(self.written) % ENTRIES as usize] = Some((item, self.first));
                (self.written, self.first) = ((self.written + 1) % (2 * ENTRIES as u8), false);
            }
            None => {}
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

    /// Edges of both sides at a time, with resets of either from `resets`: until when each lasts.
    struct Sides {
        periods: [u64; 2],
        phase: u64,
        resets: [u64; 2],
    }

    impl Sides {
        fn edges(&self, time: u64) -> [Edge; 2] {
            let at = |side: usize, phase: u64| match (time + phase) % self.periods[side] == 0 {
                true if time < self.resets[side] => Edge::Reset,
                edge => edge.into(),
            };
            [at(0, 0), at(1, self.phase)]
        }
    }

    /// Runs with random resets of one side, the other, or both; returns how many resets of each side there were, how many
    /// instructions arrived, and whether one was missing.
    fn with_resets(periods: [u64; 2], s: &mut Source) -> ([usize; 2], u64, bool) {
        let mut sides = Sides { periods, phase: s.below(periods[1]), resets: [0; 2] };
        let slowest = periods[0].max(periods[1]);
        let mut crossing = Crossing::default();
        let (mut retired, mut arrived, mut count, mut missing) = (0, 0, [0; 2], false);
        let (mut last, mut firsts, mut after_reset, mut reset_ends) = (None::<u64>, vec![0], false, 0);
        for time in 0..8_000 {
            if s.per_64k(150) {
                let side = s.below(2) as usize;
                // another reset of the chip only when the last is over
                if side == 0 || crossing.is_open() {
                    sides.resets[side] = time + 1 + s.below(6 * slowest);
                }
            }
            let [core, chip] = sides.edges(time);
            for (side, edge) in [core, chip].into_iter().enumerate() {
                count[side] += usize::from(edge == Edge::Reset);
            }
            let place = format!("{periods:?}, time {time}");
            missing |= crossing.overrun();
            match crossing.output() {
                Some(n) if chip == Edge::Clock => {
                    let (n, first) = (*n, crossing.is_first());
                    // the first itself may be missing
                    let reset = |l: u64| firsts.iter().any(|f| l < *f && *f <= n);
                    assert_eq!(first, last.is_none_or(reset), "{place}");
                    assert!(last.is_none_or(|l| n == l + 1 || missing && n > l), "{n} after {last:?}: {place}");
                    let bound = 8 * periods[0] + 8 * periods[1];
                    assert!(last.is_some() || time <= reset_ends + bound, "{place}: {reset_ends}");
                    (last, arrived) = (Some(n), arrived + 1);
                }
                _ => {}
            }
            if chip == Edge::Reset {
                (last, missing) = (None, false);
            }
            if [core, chip].contains(&Edge::Reset) {
                reset_ends = time;
            }
            after_reset |= core == Edge::Reset;
            // without a pause: the bound of the time after a reset needs an instruction in each cycle
            let item = (core == Edge::Clock).then_some(retired);
            if item.is_some() && std::mem::take(&mut after_reset) {
                firsts.push(retired);
            }
            crossing.clock(core, chip, item);
            retired += u64::from(item.is_some());
        }
        (count, arrived, missing)
    }

    #[test]
    fn each_side_can_be_reset_alone() {
        let mut s = Source::seeded(86);
        let (mut resets, mut least) = ([0; 2], u64::MAX);
        for _ in 0..100 {
            let periods = [1 + s.below(20), 1 + s.below(20)];
            let (count, arrived, missing) = with_resets(periods, &mut s);
            assert!(!missing || periods[0] < periods[1], "{periods:?}");
            (0..2).for_each(|side| resets[side] += count[side]);
            least = least.min(arrived * periods[0].max(periods[1]));
        }
        assert!(resets.iter().all(|r| *r > 1_000) && least > 2_000, "{resets:?}, {least}");
    }

    #[test]
    fn after_a_reset_of_both_no_instruction_from_the_fifth_cycle_on_is_missing() {
        let mut s = Source::seeded(87);
        for core in 1..30 {
            for chip in 1..=core {
                let slow = core.max(chip);
                let end = 9 * slow;
                let sides = Sides { periods: [core, chip], phase: s.below(chip), resets: [end; 2] };
                let (mut crossing, mut found) = (Crossing::default(), Vec::<u64>::new());
                let (mut retired, mut pause) = (0, 5);
                for time in 0..end + 40 * slow {
                    let [core, chip] = sides.edges(time);
                    found.extend(crossing.output().filter(|_| chip == Edge::Clock));
                    pause -= u64::from(core == Edge::Clock && pause > 0);
                    let item = (core == Edge::Clock && pause == 0).then_some(retired);
                    crossing.clock(core, chip, item);
                    retired += u64::from(item.is_some());
                }
                assert!(
                    found.len() > 20 && found.iter().copied().eq(0..found.len() as u64),
                    "{core}:{chip}: {found:?}"
                );
                assert!(!crossing.overrun(), "{core}:{chip}");
            }
        }
    }
}
