//! A filter of listed instructions: by core, address, number, time and context

use crate::contexts::{ByContext, Contexts, Selection};
use crate::symbols::Symbols;
use crate::HostError;
use retire::{Context, FlowEvent};
use std::ops::Range;

/// A filter of instructions, applied in execution order.
#[derive(Clone, Debug)]
pub struct Filter {
    core: Option<u8>,
    /// Address ranges, of which one must match; none: all addresses.
    address_ranges: Option<ByContext<Vec<Range<u64>>>>,
    /// Instruction numbers, counted over those of `core`, or of all cores, from 0.
    numbers: Range<u64>,
    next: u64,
    times: Option<Times>,
    processes: Option<(Selection, Contexts)>,
    /// Context of the current event, where that matters.
    context: Context,
    /// Whether the current event is in the selected cycles and contexts.
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
        Self::new(None, Vec::new(), 0..u64::MAX)
    }
}

impl Filter {
    /// Accepts instructions of `core` (or of all cores) whose number is in `numbers` and whose address is in one of
    /// `address_ranges`, if there are any.
    pub fn new(core: Option<u8>, address_ranges: Vec<Range<u64>>, numbers: Range<u64>) -> Self {
        let address_ranges = (!address_ranges.is_empty()).then(|| ByContext::new(address_ranges, Vec::new()));
        let context = Context::RESET;
        Self { core, address_ranges, numbers, next: 0, times: None, processes: None, context, now: true }
    }

    /// Further restricts it to instructions with a clock cycle in `wanted`, of an execution of `cores` cores.
    /// [`Filter::at`] says when this is.
    #[must_use]
    pub fn within(self, wanted: Range<u64>, cores: u8) -> Self {
        let cores = (0..cores).filter(|c| self.wants(*c)).fold(0, |all, c| all | 1u16 << (c & 15));
        Self { times: Some(Times { wanted, cores }), now: false, ..self }
    }

    /// Other address ranges in contexts that have their own program.
    #[must_use]
    pub fn with_ranges(self, own: Vec<(Context, Vec<Range<u64>>)>) -> Self {
        let common = self.address_ranges.as_ref().map(|ranges| ranges.common().clone());
        Self { address_ranges: Some(ByContext::new(common.unwrap_or_default(), own)), ..self }
    }

    /// Further restricts it to the instructions of contexts, of an execution of `cores` cores.
    #[must_use]
    pub fn of(self, selection: Selection, cores: u8) -> Self {
        let own = self.address_ranges.as_ref().is_some_and(|ranges| !ranges.own().is_empty());
        let processes = (own || !selection.is_all()).then(|| (selection, Contexts::new(cores)));
        Self { processes, ..self }
    }

    /// The next event, to be called once for each, before its instructions. The cycles of a hart never decrease.
    #[inline]
    pub fn at(&mut self, e: &FlowEvent) {
        self.now = true;
        if let Some(times) = &mut self.times {
            self.now = times.wanted.contains(&e.cycle);
            if e.cycle >= times.wanted.end {
                times.cores &= !(1 << (e.hart & 15));
            }
        }
        if let Some((selection, contexts)) = &mut self.processes {
            self.context = contexts.pass(e);
            self.now &= selection.has(self.context);
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

    /// Whether the next `count` instructions of `hart` are all accepted, wherever they are. If not, none of them is counted.
    #[inline]
    pub fn take_all(&mut self, hart: u8, count: u32) -> bool {
        let end = self.next.saturating_add(count.into());
        let all = self.now && self.address_ranges.is_none() && self.wants(hart);
        let all = all && self.numbers.start <= self.next && end <= self.numbers.end;
        self.next = if all { end } else { self.next };
        all
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
        let own = self.address_ranges.as_ref().map(|ranges| ranges.get(self.context));
        own.is_none_or(|ranges| ranges.iter().any(|range| range.contains(&pc)))
    }

    /// Whether no further instruction will be accepted.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.next >= self.numbers.end || self.times.as_ref().is_some_and(|t| t.cores == 0)
    }
}

/// Address ranges of functions by name: in `program`, and in those of contexts.
///
/// # Errors
/// A name is unknown in all programs.
pub fn functions(
    program: &str,
    contexts: &[(Context, String)],
    names: &[String],
) -> Result<ByContext<Vec<Range<u64>>>, HostError> {
    if names.is_empty() {
        return Ok(ByContext::new(Vec::new(), Vec::new()));
    }
    let mut known = vec![false; names.len()];
    let mut of = |program: &str| -> Result<Vec<Range<u64>>, HostError> {
        let (symbols, mut ranges) = (Symbols::open(program)?, Vec::new());
        for (name, known) in names.iter().zip(&mut known) {
            let before = ranges.len();
            ranges.extend(symbols.ranges(name));
            *known |= ranges.len() > before;
        }
        Ok(ranges)
    };
    let common = of(program)?;
    let mut own = Vec::new();
    for (context, elf) in contexts {
        own.push((*context, of(elf)?));
    }
    match names.iter().zip(known).find(|(_, known)| !known) {
        Some((name, _)) => Err(HostError::Other(format!(
            "{program}: has no function `{name}`; `goshawk profile` lists those that ran"
        ))),
        None => Ok(ByContext::new(common, own)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use retire::{Context, FlowKind};

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
    fn all_instructions_of_a_run_are_taken_as_one_by_one_or_none_is_counted() {
        for filter in [
            Filter::default(),
            Filter::new(Some(1), Vec::new(), 0..u64::MAX),
            Filter::new(None, Vec::new(), 3..9),
            Filter::new(None, vec![0..32, 32..64], 0..u64::MAX),
        ] {
            let mut seen = [0, 0];
            for before in 0..12 {
                for (hart, count) in [(0, 1), (1, 2), (0, 4), (1, 12)] {
                    let mut all = filter.clone();
                    (0..before).for_each(|_| _ = all.take(1, 0));
                    let mut each = all.clone();
                    let wanted = (0..count).filter(|_| each.take(hart, 0)).count() == count as usize;
                    let next = all.next;
                    // with ranges it is not known where they are
                    let wanted = wanted && all.address_ranges.is_none();
                    assert_eq!(all.take_all(hart, count), wanted, "{filter:?}: {count} of {hart} after {before}");
                    assert_eq!(all.next, if wanted { each.next } else { next });
                    seen[usize::from(wanted)] += 1;
                }
            }
            assert!(seen[0] > 0 || all_pass(&filter), "{filter:?}: {seen:?}");
        }
        fn all_pass(filter: &Filter) -> bool {
            filter.core.is_none() && filter.address_ranges.is_none() && filter.numbers == (0..u64::MAX)
        }
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
        let stop = |hart, cycle| FlowEvent { hart, kind: FlowKind::Stop, len: 0, count: 1, pc: 0, target: 0, cycle };
        let mut selected = |hart, cycle| {
            f.at(&stop(hart, cycle));
            (f.take(hart, 0), f.is_over())
        };
        assert_eq!([selected(0, 9), selected(0, 10), selected(1, 19)], [(false, false), (true, false), (true, false)]);
        assert_eq!([selected(0, 20), selected(1, 12), selected(1, 25)], [(false, false), (true, false), (false, true)]);
        // with one core, the others do not count
        let mut f = Filter::new(Some(1), Vec::new(), 0..u64::MAX).within(10..20, 2);
        f.at(&stop(0, 30));
        assert!(!f.is_over());
        f.at(&stop(1, 20));
        assert!(f.is_over());
    }

    #[test]
    fn contexts_are_those_before_the_event() {
        let selection = Selection { spaces: vec![3], modes: vec![0] };
        let mut f = Filter::default().of(selection, 1);
        let of = |privilege, alone| FlowKind::Context { context: Context::new(privilege, 3), alone };
        let trap = FlowKind::Trap { interrupt: false, cause: 8 };
        let mut selected = |kind| {
            f.at(&FlowEvent { hart: 0, kind, len: 0, count: 1, pc: 0, target: 0, cycle: 0 });
            f.take(0, 0)
        };
        let events = [FlowKind::Start, of(0, true), FlowKind::Jump, of(1, false), trap, FlowKind::Jump];
        assert_eq!(events.map(&mut selected), [false, false, true, true, true, false]);
    }

    #[test]
    fn functions_have_addresses() {
        let user = Context::new(0, 1);
        let processes = [(user, "builtin:bank".to_string())];
        let of = |name: &str| functions("builtin:fft", &processes, &[name.into()]);
        let ranges = of("rt_main").unwrap();
        assert!(ranges.common().len() == 1 && !ranges.common()[0].is_empty() && ranges.get(user).len() == 1);
        // a function of the process only
        let ranges = of("set_balance").unwrap();
        assert!(ranges.common().is_empty() && ranges.get(user).len() == 1);
        let mut f = Filter::default().with_ranges(ranges.own().to_vec()).of(Selection::default(), 1);
        let at = ranges.get(user)[0].start;
        let mut taken = |kind| {
            f.at(&FlowEvent { hart: 0, kind, len: 0, count: 1, pc: at, target: at, cycle: 0 });
            f.take(0, at)
        };
        assert!(!taken(FlowKind::Context { context: user, alone: true }) && taken(FlowKind::Stop));
        let e = of("nobody").unwrap_err().to_string();
        assert!(e.contains("has no function `nobody`"), "{e}");
    }
}
