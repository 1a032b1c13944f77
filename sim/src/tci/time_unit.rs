//! Golden model of the time stamp unit: the counter of all cores, and the fields that control it
//!
//! # Source
//! RISC-V Trace Control Interface 1.0, "Timestamp Unit": internal, with the clock of the cores.
//!
//! # Behaviour
//! The counter has 32 bits and wraps. It counts the cycles in which a prescaler of six bits, of which `trTsPrescale` selects two for each step, is at its
//! end. A change of `trTsPrescale` leaves the prescaler where it is; `trTsReset` sets both to 0.

use super::map::register;
use super::Facts;

/// State of the unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeUnit {
    facts: Facts,
    // fields of `ts_control` as they are written; 0 at reset, unlike three of the fields
    stopped: bool,
    stops_in_debug: bool,
    disabled: bool,
    prescale: u32,
    counter: u32,
    prescaler: u32,
}

impl TimeUnit {
    /// The unit at power-up.
    pub fn new(facts: &Facts) -> Self {
        Self { facts: *facts, ..Self::default() }
    }

    /// The counter.
    pub fn counter(&self) -> u32 {
        self.counter
    }

    /// Whether messages have a time: `trTsEnable`.
    pub fn is_enabled(&self) -> bool {
        !self.disabled
    }

    /// The fields of `ts_control` that can be written.
    pub fn word(&self) -> u32 {
        let field = |name: &str, value: u32| {
            let f = register("ts_control").field(name);
            if self.is_writable(name) {
                value << f.lsb
            } else {
                0
            }
        };
        field("count", (!self.stopped).into())
            | field("run_in_debug", (!self.stops_in_debug).into())
            | field("prescale", self.prescale)
            | field("enable", (!self.disabled).into())
    }

    fn is_writable(&self, name: &str) -> bool {
        (register("ts_control").field(name).exists)(&self.facts)
    }

    /// Takes a rising edge of the clock. `clear`: back to the state at power-up; `write`: a write of `ts_control`; `halted`: all cores are in debug mode.
    pub fn step(&mut self, clear: bool, write: Option<u32>, halted: bool) {
        if clear || !self.facts.time_unit() {
            *self = Self::new(&self.facts);
            return;
        }
        let waits = self.stopped || (halted && self.stops_in_debug);
        if !waits {
            let cycles = (1 << (2 * self.prescale)) - 1;
            self.counter = self.counter.wrapping_add(u32::from(self.prescaler & cycles == cycles));
            self.prescaler = (self.prescaler + 1) % 64;
        }
        let Some(word) = write else { return };
        let field = |name: &str| {
            let f = register("ts_control").field(name);
            (word & f.mask()) >> f.lsb
        };
        self.stopped = field("count") == 0;
        self.stops_in_debug = self.is_writable("run_in_debug") && field("run_in_debug") == 0;
        self.disabled = self.is_writable("enable") && field("enable") == 0;
        self.prescale = field("prescale");
        if field("reset") != 0 {
            (self.counter, self.prescaler) = (0, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Protocol;
    use super::*;

    /// The counter after each of some writes and the cycles after it.
    fn counters(facts: Facts, writes: &[(u32, bool, u32)]) -> Vec<u32> {
        let mut unit = TimeUnit::new(&facts);
        let after = |&(word, halted, cycles): &(u32, bool, u32)| {
            unit.step(false, Some(word), false);
            (0..cycles).for_each(|_| unit.step(false, None, halted));
            unit.counter()
        };
        writes.iter().map(after).collect()
    }

    #[test]
    fn it_counts_as_the_specification_says() {
        let facts =
            Facts { protocol: Protocol { time_bits: 32, ..Protocol::ntrace(0, 0) }, debug: true, ..Facts::default() };
        // Count 2, Reset 4, RunInDebug 8, Prescale 0x100; a write takes a cycle
        let writes = [
            (6, false, 10),
            (4, false, 10),
            (0, false, 10),
            (6, true, 10),
            (0xe, true, 10),
            (0x10e, false, 8),
            (0x20e, false, 32),
            (0x30e, false, 64),
        ];
        assert_eq!(counters(facts, &writes), [10, 0, 0, 0, 10, 2, 2, 1]);
        let running = Facts { debug: false, ..facts };
        assert_eq!(counters(running, &[(6, true, 10)]), [10], "without the signal, it runs");
        assert_eq!(counters(Facts { protocol: Protocol::vendor(false), ..facts }, &[(6, false, 10)]), [0]);
    }

    #[test]
    fn it_wraps() {
        let facts = Facts { protocol: Protocol { time_bits: 32, ..Protocol::ntrace(0, 0) }, ..Facts::default() };
        let mut unit = TimeUnit { counter: u32::MAX, ..TimeUnit::new(&facts) };
        unit.step(false, None, false);
        assert_eq!(unit.counter(), 0);
    }
}
