//! Measures of a stream: bits per instruction and per cycle, in total and over time

use crate::system::System;
use retire::{FlowEvent, RetireSink};
use serde::Serialize;

/// A window of time, with its counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Window {
    /// First cycle.
    pub start: u64,
    /// Number of cycles.
    pub cycles: u64,
    /// Instructions that retired in it, all cores.
    pub instructions: u64,
    /// Bits of the messages sent in it.
    pub bits: u64,
}

impl Window {
    /// Trace bits per instruction.
    pub fn bpi(&self) -> f64 {
        ratio(self.bits, self.instructions)
    }

    /// Trace bits per cycle.
    pub fn bpc(&self) -> f64 {
        ratio(self.bits, self.cycles)
    }
}

/// `a / b`, or 0 if b is 0.
pub fn ratio(a: u64, b: u64) -> f64 {
    if b == 0 {
        0.0
    } else {
        a as f64 / b as f64
    }
}

/// A sink that runs a golden model and divides its output into windows of `length` cycles.
///
/// Words are dropped as they come, so memory only grows with the number of windows.
#[derive(Clone, Debug)]
pub struct Windows {
    system: System,
    length: u64,
    current: Window,
    bits_before: u64,
    done: Vec<Window>,
}

impl Windows {
    /// Windows of `length` cycles; at least 1.
    pub fn new(system: System, length: u64) -> Self {
        let bits_before = system.bits();
        Self { system, length: length.max(1), current: Window::default(), bits_before, done: Vec::new() }
    }

    /// The model.
    pub fn system(&self) -> &System {
        &self.system
    }

    fn close(&mut self, cycles: u64) {
        let bits = self.system.bits();
        self.done.push(Window { cycles, bits: bits - self.bits_before, ..self.current });
        self.bits_before = bits;
        self.current = Window { start: self.current.start + cycles, ..Window::default() };
        self.system.drain();
    }

    /// Returns the model and all windows; the last window ends at `cycle`.
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
    use crate::params::{named_set, TraceParams};
    use retire::FlowKind;

    #[test]
    fn windows_add_up_to_the_stream() {
        let params = TraceParams::tr(named_set("small").unwrap().params);
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
        // all except the three header words
        assert_eq!(windows.iter().map(|w| w.bits).sum::<u64>(), system.bits() - 96);
        assert_eq!(windows[1].start, 100);
    }
}
