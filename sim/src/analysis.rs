//! Measures of a stream: bits per instruction and per cycle, in total and over time

use crate::encoding::chunk;
use crate::golden::system::System;
use crate::params::Chunks;
use retire::{FlowEvent, RetireSink};
use serde::{Deserialize, Serialize};

/// One window of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Window {
    /// First cycle.
    pub start: u64,
    /// Cycles in it.
    pub cycles: u64,
    /// Instructions retired in it, all cores.
    pub instructions: u64,
    /// Bits of the messages sent in it.
    pub bits: u64,
}

impl Window {
    /// Trace bits per instruction.
    pub fn bpi(&self) -> f64 {
        ratio(self.bits, self.instructions)
    }

    /// Trace bits per clock cycle.
    pub fn bpc(&self) -> f64 {
        ratio(self.bits, self.cycles)
    }
}

/// How many values of a field have how many significant bits: `counts[n]` of them have n (0 for the value 0).
///
/// This is all that chunk sizes depend on ([`crate::encoding::chunk::len`]), so the best ones are found from
/// it without another run; and it is the distribution that papers 000 (section 5) and 002 (section 5.2)
/// chose theirs from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lengths {
    /// By significant bits, up to the longest seen.
    pub counts: Vec<u64>,
}

impl Lengths {
    /// Counts one value.
    #[inline]
    pub fn add(&mut self, value: u64) {
        let bits = (64 - value.leading_zeros()) as usize;
        if bits >= self.counts.len() {
            self.counts.resize(bits + 1, 0);
        }
        self.counts[bits] += 1;
    }

    /// Values counted.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Bits that all values take in `chunks`.
    pub fn cost(&self, chunks: Chunks) -> u64 {
        let len = |bits: usize| u64::from(chunk::len(if bits == 0 { 0 } else { 1 << (bits - 1) }, chunks));
        self.counts.iter().enumerate().map(|(bits, n)| n * len(bits)).sum()
    }

    /// The cheapest chunk sizes of 1..=`max` bits each, and their cost; of equals the smallest first chunk.
    pub fn best(&self, max: u8) -> (Chunks, u64) {
        let all = (1..=max).flat_map(|first| (1..=max).map(move |next| Chunks::new(first, next)));
        all.map(|c| (c, self.cost(c))).min_by_key(|c| c.1).unwrap_or((Chunks::new(1, 1), 0))
    }
}

impl std::ops::AddAssign<&Self> for Lengths {
    fn add_assign(&mut self, other: &Self) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        self.counts.iter_mut().zip(&other.counts).for_each(|(a, b)| *a += b);
    }
}

/// [`Lengths`] of every variable field of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldLengths {
    /// `bCnt`; SL of the Nexus-like schemes.
    pub b_cnt: Lengths,
    /// `|diffTA|`, exceptions and syncs included.
    pub diff_ta: Lengths,
    /// `diffCC`, of time-stamped streams.
    pub diff_cc: Lengths,
    /// `iCnt` of escape messages.
    pub i_cnt: Lengths,
}

impl std::ops::AddAssign<&Self> for FieldLengths {
    fn add_assign(&mut self, other: &Self) {
        self.b_cnt += &other.b_cnt;
        self.diff_ta += &other.diff_ta;
        self.diff_cc += &other.diff_cc;
        self.i_cnt += &other.i_cnt;
    }
}

/// `a / b`, 0 where b is.
pub fn ratio(a: u64, b: u64) -> f64 {
    if b == 0 {
        0.0
    } else {
        a as f64 / b as f64
    }
}

/// Runs a golden model and cuts what it sends into windows of `length` cycles.
///
/// Words are dropped as they come, so memory grows with the windows only.
#[derive(Clone, Debug)]
pub struct Windows {
    system: System,
    length: u64,
    current: Window,
    bits_before: u64,
    done: Vec<Window>,
}

impl Windows {
    /// Windows of `length` cycles, at least 1.
    pub fn new(system: System, length: u64) -> Self {
        let bits_before = system.bits();
        Self { system, length: length.max(1), current: Window::default(), bits_before, done: Vec::new() }
    }

    fn close(&mut self, cycles: u64) {
        let bits = self.system.bits();
        self.done.push(Window { cycles, bits: bits - self.bits_before, ..self.current });
        self.bits_before = bits;
        self.current = Window { start: self.current.start + cycles, ..Window::default() };
        self.system.drain();
    }

    /// The model and all windows; the last is cut short at `cycle`.
    pub fn finish(mut self, cycle: u64) -> (System, Vec<Window>) {
        while cycle >= self.current.start + self.length {
            self.close(self.length);
        }
        let rest = cycle - self.current.start;
        if rest > 0 || self.current.instructions > 0 {
            self.close(rest);
        }
        (self.system, self.done)
    }
}

impl RetireSink for Windows {
    fn event(&mut self, event: &FlowEvent) {
        while event.cycle >= self.current.start + self.length {
            self.close(self.length);
        }
        self.system.event(event);
        self.current.instructions += u64::from(event.count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{named_set, Coding, TraceParams};
    use retire::FlowKind;

    #[test]
    fn lengths_cost_what_the_values_take_and_best_is_the_least() {
        let values = [0u64, 1, 1, 3, 7, 8, 9, 500, 70_000];
        let mut l = Lengths::default();
        values.iter().for_each(|v| l.add(*v));
        assert_eq!((l.total(), l.counts[0], l.counts[1], l.counts[4]), (9, 1, 2, 2));
        let cost = |c| values.iter().map(|v| u64::from(chunk::len(*v, c))).sum::<u64>();
        let (best, bits) = l.best(8);
        assert_eq!(bits, cost(best));
        for first in 1..=8 {
            for next in 1..=8 {
                let c = Chunks::new(first, next);
                assert_eq!(l.cost(c), cost(c));
                assert!(cost(c) >= bits, "{c} is cheaper than {best}");
            }
        }
    }

    #[test]
    fn windows_add_up_to_the_stream() {
        let params = TraceParams::tr(named_set("small").unwrap().predictor, Coding::TR_E);
        let mut w = Windows::new(System::new(&params).unwrap(), 100);
        let event = |i: u64| FlowEvent {
            hart: 0,
            kind: FlowKind::IndirectJump,
            len: 4,
            count: 2,
            pc: 0x8000_0000,
            target: 0x8000_0000 + 4 * (i % 7),
            cycle: 30 * i,
        };
        for i in 0..50 {
            w.event(&event(i));
        }
        let (system, windows) = w.finish(1500);
        assert_eq!(windows.len(), 15);
        assert!(windows.iter().all(|w| w.cycles == 100));
        assert_eq!(windows.iter().map(|w| w.instructions).sum::<u64>(), 100);
        // all but the three header words
        assert_eq!(windows.iter().map(|w| w.bits).sum::<u64>(), system.bits() - 96);
        assert_eq!(windows[1].start, 100);
    }
}
