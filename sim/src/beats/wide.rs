//! Several retired instructions per cycle, compressed to rows with at most one event each
//!
//! Golden model of the ingress of that name, cycle by cycle. The instructions of a cycle are queued as a word if there is an
//! *event* among them: control flow, the first instruction after a trap, or the first that may be traced. Words are served one
//! event per cycle, each with the number of sequential instructions before it. Sequential instructions that no event follows are
//! counted, and reported without an event once the queue is empty. A word that finds the queue full is lost, with everything
//! after it, until the queue is empty.
//!
//! After a filter, a hidden instruction is an event only if it is the first of consecutive hidden ones or may be traced first.
//! The first visible instruction after hidden ones is an event too. A row never mixes hidden and visible instructions.
//!
//! The time of a row is the cycle in which its event retired, independent of the cycle in which it is reported.

use super::Retired;
use retire::isa::{flow, Flow};
use std::collections::VecDeque;

/// A row: what is reported in one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row<T> {
    /// Tracing is active in this cycle.
    pub live: bool,
    /// Number of instructions, including the event. 0: nothing retired.
    pub count: u32,
    /// The last of these instructions, if it is an event.
    pub event: Option<T>,
    /// The instructions found the queue full and are lost.
    pub beat_lost: bool,
    /// Cycles since the earliest cycle in which it could have been reported.
    pub lag: u32,
    /// The instructions are hidden; in a row without any, those of the row before.
    pub hidden: bool,
}

#[derive(Clone, Debug)]
struct Word<T> {
    /// For each event: the number of sequential instructions before it, the event, and whether it is hidden.
    events: VecDeque<(u32, T, bool)>,
    clock: u64,
}

/// The queue of one core.
#[derive(Clone, Debug)]
pub struct Compressor<T> {
    queue_depth: usize,
    words: VecDeque<Word<T>>,
    served: Option<Word<T>>,
    pending: u32,
    beat_lost: bool,
    /// An instruction came since `go` is 1.
    seen: bool,
    live: bool,
    /// The instructions before the event of this word have been reported.
    split: bool,
    clock: u64,
    /// Delay of the input in the last two cycles, the newer first.
    delay: [u32; 2],
    /// Whether the last instruction that came is hidden; and the last one that was reported.
    last_hidden: bool,
    last_reported_hidden: bool,
}

/// Minimum cycles from the input of instructions to the row that reports them.
pub const LATENCY: u64 = 2;

impl<T: Copy> Compressor<T> {
    /// A queue with 2^`log2_words` - 1 entries, in addition to the word that is being served.
    pub fn new(log2_words: u8) -> Self {
        Self {
            queue_depth: (1 << log2_words) - 1,
            words: VecDeque::new(),
            served: None,
            pending: 0,
            beat_lost: false,
            seen: false,
            live: false,
            split: false,
            clock: 0,
            delay: [0; 2],
            last_hidden: false,
            last_reported_hidden: false,
        }
    }

    /// Number of words in the queue.
    pub fn waiting(&self) -> usize {
        self.words.len()
    }

    /// Takes one cycle: its instructions in order, each with whether it is an event by itself; `go`: tracing is active.
    pub fn clock(&mut self, retired: impl IntoIterator<Item = (T, bool)>, go: bool) -> Row<T> {
        self.with_delay(retired, go, 0)
    }

    /// As [`Compressor::clock`], for input that is `delay` cycles late: time stops while input is held back.
    pub fn with_delay(&mut self, retired: impl IntoIterator<Item = (T, bool)>, go: bool, delay: u32) -> Row<T> {
        self.with_filter(retired.into_iter().map(|(t, event)| (t, event, false)), go, delay)
    }

    /// As [`Compressor::with_delay`], for instructions with a third field: whether they are hidden.
    pub fn with_filter(&mut self, retired: impl IntoIterator<Item = (T, bool, bool)>, go: bool, delay: u32) -> Row<T> {
        let first = go && !self.seen;
        let mut last_hidden = self.last_hidden;
        let retired: Vec<(T, bool, bool)> = retired
            .into_iter()
            .enumerate()
            .map(|(i, (t, event, hide))| {
                let turns = std::mem::replace(&mut last_hidden, hide) != hide;
                (t, turns || event && !hide || first && i == 0, hide)
            })
            .collect();
        let idle = self.served.is_none() && self.words.is_empty();
        let quiet = idle && self.pending == 0 && retired.is_empty();
        let row = self.tell(go, idle, quiet);
        self.delay = [delay, self.delay[0]];
        self.last_hidden = last_hidden;
        let flushed = idle && self.pending > 0;
        let base = if flushed { 0 } else { self.pending };

        // take the input, while the next word to serve is one that was in the queue before this cycle
        let take = self.served.is_none() && !self.words.is_empty();
        let came = retired.len() as u32;
        let full = self.words.len() == self.queue_depth;
        let word = self.word(&retired, base);
        if take {
            self.served = self.words.pop_front();
        }
        let lost = self.beat_lost && !idle || full && word.is_some();
        if lost {
            self.beat_lost = true;
            self.pending += came;
        } else if let Some((word, tail)) = word {
            self.words.push_back(word);
            self.pending = tail;
            self.beat_lost = false;
        } else {
            self.pending = base + came;
            self.beat_lost = false;
        }
        // a lost instruction does not count as the first that is traced
        self.seen = go && (self.seen || came > 0 && !lost);
        self.clock += 1;
        row
    }

    /// The row of this cycle, from earlier input.
    fn tell(&mut self, go: bool, idle: bool, quiet: bool) -> Row<T> {
        let live = go && (self.live || quiet);
        let mut row = Row {
            live,
            count: 0,
            event: None,
            beat_lost: false,
            lag: self.delay[1],
            hidden: self.last_reported_hidden,
        };
        if let Some(word) = &mut self.served {
            row.lag = (self.clock - word.clock - LATENCY) as u32;
            if let Some(&(before, event, hidden)) = word.events.front() {
                let before = if self.split { 0 } else { before };
                self.split = go && (!self.live || hidden != self.last_reported_hidden) && before > 0;
                if self.split {
                    row.count = before;
                } else {
                    row = Row { live: go, count: before + 1, event: Some(event), hidden, ..row };
                    self.last_reported_hidden = hidden;
                    word.events.pop_front();
                }
            }
            if word.events.is_empty() {
                self.served = None;
            }
        } else if idle && self.pending > 0 {
            row.count = self.pending;
            row.beat_lost = self.beat_lost;
            // lost instructions may be both hidden and visible
            row.hidden = self.last_hidden && !self.beat_lost;
            self.last_reported_hidden = self.last_hidden;
        }
        self.live = row.live;
        row
    }

    /// The word for the input of a cycle, if it has an event, and the number of instructions after its last event.
    fn word(&self, retired: &[(T, bool, bool)], base: u32) -> Option<(Word<T>, u32)> {
        let mut before = base;
        let mut events = VecDeque::new();
        for &(t, event, hide) in retired {
            if event {
                events.push_back((before, t, hide));
                before = 0;
            } else {
                before += 1;
            }
        }
        (!events.is_empty()).then_some((Word { events, clock: self.clock - u64::from(self.delay[0]) }, before))
    }
}

/// Golden model of the discontinuity check of several retire slots: finds instructions that do not follow from the previous one.
#[derive(Clone, Debug)]
pub struct Check {
    xlen: u8,
    /// An instruction has come.
    seen: bool,
    expected_pc: u64,
    last_hidden: bool,
}

impl Check {
    /// For addresses of `xlen` bits: 32 or 64.
    pub const fn new(xlen: u8) -> Self {
        Self { xlen, seen: false, expected_pc: 0, last_hidden: false }
    }

    /// Next address after `r`: for instructions that cannot jump the following one, whatever the port reports.
    fn next_address(&self, r: &Retired) -> u64 {
        match flow(r.insn, self.xlen) {
            Flow::Sequential => r.pc.wrapping_add(r.len.into()) & (u64::MAX >> (64 - self.xlen)),
            _ => r.next_pc,
        }
    }

    /// Takes one cycle, in which `retired` comes ([`Retired::trapped`]: a trap is reported), each with whether it is hidden. Returns
    /// for each whether it is neither after a trap nor at the next address. Hidden instructions, and the first after them, never are.
    pub fn clock(&mut self, retired: &[(Retired, bool)]) -> Vec<bool> {
        let mut discontinuities = Vec::with_capacity(retired.len());
        for &(r, hide) in retired {
            let last_hidden = std::mem::replace(&mut self.last_hidden, hide) || hide;
            discontinuities.push(self.seen && !r.trapped && r.pc != self.expected_pc && !last_hidden);
            (self.seen, self.expected_pc) = (true, self.next_address(&r));
        }
        discontinuities
    }
}

/// Pace of a wide core that retires the instructions of a single-retire run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// As many instructions per cycle as possible.
    Full,
    /// As many as possible, but none after one that does not continue at the next address: code is fetched one block per cycle.
    Block,
    /// Joins instructions that retired in consecutive cycles; where the run waited, the core waits.
    Timed,
}

/// Cycles in which a core that retires up to `width` instructions per cycle retires those that retired in `cycles`. `is_sequential`:
/// for each instruction, whether the next one is at the following address.
pub fn pace(cycles: &[u64], is_sequential: &[bool], width: usize, pace: Pace) -> Vec<u64> {
    let mut clocks: Vec<u64> = Vec::with_capacity(cycles.len());
    let mut here = 0;
    for (i, cycle) in cycles.iter().enumerate() {
        let Some(&last) = clocks.last() else {
            here = 1;
            clocks.push(*cycle);
            continue;
        };
        let waited = cycle - cycles[i - 1];
        let joins = here < width
            && match pace {
                Pace::Full => true,
                Pace::Block => is_sequential[i - 1],
                Pace::Timed => waited <= 1,
            };
        here = if joins { here + 1 } else { 1 };
        let cycles_later = if pace == Pace::Timed { waited.max(1) } else { 1 };
        clocks.push(if joins { last } else { last + cycles_later });
    }
    clocks
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Row<u32> = Row { live: true, count: 0, event: None, beat_lost: false, lag: 0, hidden: false };

    fn reported(count: u32, event: u32) -> Row<u32> {
        Row { count, event: Some(event), ..NONE }
    }

    /// By hand: three events and three other instructions in two cycles, one more later.
    #[test]
    fn events_are_reported_one_per_cycle_with_the_count_before_them() {
        let mut c = Compressor::new(2);
        let (s, e) = (false, true);
        let come: [&[(u32, bool)]; 9] = [
            &[],
            &[(1, s), (2, s), (3, e), (4, e)], // 1 is the first that is traced
            &[(5, s), (6, e), (7, s)],
            &[],
            &[(8, s)],
            &[],
            &[],
            &[],
            &[(9, e)],
        ];
        let rows: Vec<_> = come.iter().map(|r| c.clock(r.iter().copied(), true)).collect();
        let with_delay = |row: Row<u32>, lag| Row { lag, ..row };
        let want = [
            NONE,
            NONE,
            NONE,
            reported(1, 1),
            with_delay(reported(2, 3), 1),
            with_delay(reported(1, 4), 2),
            with_delay(reported(2, 6), 2),
            Row { count: 2, ..NONE }, // 7 and 8
            NONE,
        ];
        assert_eq!(rows, want);
        assert_eq!((c.clock([], true), c.clock([], true)), (NONE, reported(1, 9)));
    }

    #[test]
    fn instructions_before_the_first_traced_one_are_untraced() {
        let mut c = Compressor::new(2);
        let off = Row { live: false, ..NONE };
        assert_eq!(c.clock([(1, true), (2, false)], false), off);
        // 2 and 3 are before the word is reported, 4 is the first
        assert_eq!(c.clock([(3, false)], false), off);
        assert_eq!(c.clock([(4, false)], true), Row { live: true, ..reported(1, 1) });
        let mut c = Compressor::new(2);
        c.clock([(1, false), (2, true)], false);
        c.clock([], false);
        assert_eq!(c.clock([], true), Row { count: 1, ..off });
        assert_eq!(c.clock([], true), Row { lag: 1, ..reported(1, 2) });
        assert_eq!(c.clock([(3, false)], true), NONE);
    }

    #[test]
    fn a_full_queue_loses_everything_until_it_is_empty() {
        let mut c = Compressor::new(1);
        let full = || (0..4).map(|i| (i, true));
        let mut rows = Vec::new();
        rows.extend((0..6).map(|_| c.clock(full(), true)));
        // the first word is in the queue when the second comes, which finds it full
        rows.extend((0..8).map(|_| c.clock([], true)));
        let lost: u32 = rows.iter().filter(|r| r.beat_lost).map(|r| r.count).sum();
        let reported: u32 = rows.iter().filter(|r| !r.beat_lost).map(|r| r.count).sum();
        assert_eq!(rows.iter().filter(|r| r.beat_lost).count(), 1);
        assert_eq!((reported, lost), (4, 20));
    }

    #[test]
    fn discontinuities_are_found_within_and_between_cycles() {
        let at =
            |pc, next_pc, trapped| (Retired { cycle: 0, hart: 0, trapped, len: 4, pc, next_pc, insn: 0x13 }, false);
        let mut check = Check::new(32);
        // the first instruction is not checked, nor is one after a trap
        assert_eq!(check.clock(&[at(0, 4, false), at(4, 8, false), at(16, 20, false)]), [false, false, true]);
        assert_eq!(check.clock(&[]), [false; 0]);
        assert_eq!(check.clock(&[at(24, 28, false), at(64, 68, true)]), [true, false]);
        assert_eq!(check.clock(&[at(68, 72, false), at(8, 12, false)]), [false, true]);
        let hidden = |pc, next_pc| (at(pc, next_pc, false).0, true);
        assert_eq!(check.clock(&[hidden(64, 80), at(90, 94, false), at(0, 4, false)]), [false, false, true]);
    }

    /// By hand: two visible instructions, three hidden ones of which the first is a branch, and a visible one.
    #[test]
    fn rows_never_mix_hidden_and_visible_instructions() {
        let mut c = Compressor::new(2);
        let (s, e) = (false, true);
        let come: [&[(u32, bool, bool)]; 2] =
            [&[(1, s, false), (2, s, false), (3, e, true), (4, e, true)], &[(5, s, true), (6, s, false)]];
        assert_eq!(c.clock([], true), NONE);
        let mut rows: Vec<_> = come.iter().map(|r| c.with_filter(r.iter().copied(), true, 0)).collect();
        rows.extend((0..6).map(|_| c.clock([], true)));
        let last_hidden = |row: Row<u32>| Row { hidden: true, ..row };
        let lag = |row: Row<u32>, lag| Row { lag, ..row };
        let want = [
            NONE,
            NONE,
            reported(1, 1),
            lag(Row { count: 1, ..NONE }, 1),
            lag(last_hidden(reported(1, 3)), 2),
            lag(last_hidden(Row { count: 2, ..NONE }), 2),
            lag(reported(1, 6), 3),
            NONE,
        ];
        assert_eq!(rows, want);
    }

    #[test]
    fn a_wider_core_retires_the_same_in_fewer_clocks() {
        let cycles = [5, 6, 7, 9, 10, 11];
        let is_sequential = [true, false, true, true, true, true];
        assert_eq!(pace(&cycles, &is_sequential, 2, Pace::Full), [5, 5, 6, 6, 7, 7]);
        assert_eq!(pace(&cycles, &is_sequential, 4, Pace::Block), [5, 5, 6, 6, 6, 6]);
        assert_eq!(pace(&cycles, &is_sequential, 2, Pace::Timed), [5, 5, 6, 8, 8, 9]);
    }
}
