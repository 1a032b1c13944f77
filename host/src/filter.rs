//! A filter of listed instructions: by core, address, number and time

use crate::symbols::Symbols;
use crate::HostError;
use std::ops::Range;

/// A filter of instructions, applied in execution order.
#[derive(Clone, Debug)]
pub struct Filter {
    core: Option<u8>,
    /// Address ranges, of which one must match; empty: all addresses.
    address_ranges: Vec<Range<u64>>,
    /// Instruction numbers, counted over those of `core`, or of all cores, from 0.
    numbers: Range<u64>,
    next: u64,
    times: Option<Times>,
    /// Whether the current event is in the selected cycles.
    now: bool,
}

/// Selected clock cycles.
#[derive(Clone, Debug)]
struct Times {
    wanted: Range<u64>,
    /// Bit mask of cores that have not passed them.
    cores: u16,
}

impl Default for Filter {
    /// Accepts all instructions.
    fn default() -> Self {
        Self { core: None, address_ranges: Vec::new(), numbers: 0..u64::MAX, next: 0, times: None, now: true }
    }
}

impl Filter {
    /// Accepts instructions of `core` (or of all cores) whose number is in `numbers` and whose address is in one of
    /// `address_ranges`, if there are any.
    pub fn new(core: Option<u8>, address_ranges: Vec<Range<u64>>, numbers: Range<u64>) -> Self {
        Self { core, address_ranges, numbers, next: 0, times: None, now: true }
    }

    /// Further restricts it to instructions with a clock cycle in `wanted`, of an execution of `cores` cores.
    /// [`Filter::at`] sets the cycle.
    #[must_use]
    pub fn within(self, wanted: Range<u64>, cores: u8) -> Self {
        let cores = (0..cores).filter(|c| self.wants(*c)).fold(0, |all, c| all | 1u16 << (c & 15));
        Self { times: Some(Times { wanted, cores }), now: false, ..self }
    }

    /// The next event is of `hart`, at `cycle`. The cycles of a hart never decrease.
    #[inline]
    pub fn at(&mut self, hart: u8, cycle: u64) {
        if let Some(times) = &mut self.times {
            self.now = times.wanted.contains(&cycle);
            if cycle >= times.wanted.end {
                times.cores &= !(1 << (hart & 15));
            }
        }
    }

    /// Whether the next instruction, of `hart` at `pc`, is accepted.
    #[inline]
    pub fn take(&mut self, hart: u8, pc: u64) -> bool {
        if !self.wants(hart) {
            return false;
        }
        let number = self.next;
        self.next += 1;
        self.now && self.numbers.contains(&number) && self.in_ranges(pc)
    }

    /// As [`Filter::take`], for `count` instructions that are only known as a group.
    pub fn take_run(&mut self, hart: u8, pc: u64, count: u32) -> bool {
        let first = self.next;
        let wants = self.wants(hart);
        self.next += if wants { count.into() } else { 0 };
        wants && self.now && first < self.numbers.end && self.next > self.numbers.start && self.in_ranges(pc)
    }

    /// Whether to list an event between two instructions, of `hart` at `pc`.
    pub fn between(&self, hart: u8, pc: u64) -> bool {
        let begun = self.next >= self.numbers.start;
        self.wants(hart) && self.now && begun && !self.is_over() && self.in_ranges(pc)
    }

    /// Whether the core is selected.
    #[inline]
    pub fn wants(&self, hart: u8) -> bool {
        self.core.is_none_or(|core| core == hart)
    }

    #[inline]
    fn in_ranges(&self, pc: u64) -> bool {
        self.address_ranges.is_empty() || self.address_ranges.iter().any(|p| p.contains(&pc))
    }

    /// Whether no further instruction will be accepted.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.next >= self.numbers.end || self.times.as_ref().is_some_and(|t| t.cores == 0)
    }
}

/// Address ranges of functions, by name.
///
/// # Errors
/// A name is unknown; the error lists some known names.
pub fn functions(program: &str, names: &[String]) -> Result<Vec<Range<u64>>, HostError> {
    let symbols = if names.is_empty() { Symbols::default() } else { Symbols::open(program)? };
    let mut address_ranges = Vec::new();
    for name in names {
        let found = address_ranges.len();
        address_ranges.extend(symbols.ranges(name));
        if address_ranges.len() == found {
            return Err(HostError::Other(format!(
                "{program}: has no function `{name}`; `goshawk profile` lists those that ran"
            )));
        }
    }
    Ok(address_ranges)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(mut f: Filter) -> Vec<usize> {
        // two cores alternate, at 0, 0, 4, 4, 8, 8
        (0..12).filter(|i| f.take((i % 2) as u8, (i / 2 * 4) as u64)).collect()
    }

    #[test]
    fn core_address_and_number_are_all_checked() {
        assert_eq!(taken(Filter::default()), (0..12).collect::<Vec<_>>());
        assert_eq!(taken(Filter::new(Some(1), Vec::new(), 0..u64::MAX)), [1, 3, 5, 7, 9, 11]);
        assert_eq!(taken(Filter::new(None, Vec::new(), 3..6)), [3, 4, 5]);
        // numbers count the instructions of the core
        assert_eq!(taken(Filter::new(Some(1), Vec::new(), 3..5)), [7, 9]);
        // and of the run, not of the list
        assert_eq!(taken(Filter::new(None, vec![4..8, 16..17], 0..9)), [2, 3, 8]);
    }

    #[test]
    fn it_is_over_after_the_last_number() {
        let mut f = Filter::new(None, Vec::new(), 1..2);
        assert!(!f.is_over() && !f.between(0, 0));
        assert!(!f.take(0, 0) && f.between(0, 0));
        assert!(f.take(0, 4) && f.is_over() && !f.take(0, 8));
        let mut f = Filter::new(None, Vec::new(), 4..6);
        assert_eq!([3, 2, 2].map(|n| f.take_run(0, 0, n)), [false, true, true]);
    }

    #[test]
    fn times_filter_events_and_end_when_all_cores_have_passed() {
        let mut f = Filter::default().within(10..20, 2);
        let mut selected = |hart, cycle| {
            f.at(hart, cycle);
            (f.take(hart, 0), f.is_over())
        };
        assert_eq!([selected(0, 9), selected(0, 10), selected(1, 19)], [(false, false), (true, false), (true, false)]);
        assert_eq!([selected(0, 20), selected(1, 12), selected(1, 25)], [(false, false), (true, false), (false, true)]);
        // with one core, the others do not count
        let mut f = Filter::new(Some(1), Vec::new(), 0..u64::MAX).within(10..20, 2);
        f.at(0, 30);
        assert!(!f.is_over());
        f.at(1, 20);
        assert!(f.is_over());
    }

    #[test]
    fn functions_have_addresses() {
        let address_ranges = functions("builtin:fft", &["rt_main".into()]);
        assert!(address_ranges.is_ok_and(|p| p.len() == 1 && !p[0].is_empty()));
        let e = functions("builtin:fft", &["nobody".into()]).unwrap_err().to_string();
        assert!(e.contains("has no function `nobody`"), "{e}");
    }
}
