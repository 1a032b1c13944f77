//! Periods of ticks, and the size of a script

use super::Resolver;
use crate::layout::{MAX_CLAUSES, MAX_LOGS, MAX_MACHINES, MAX_MAPS, MAX_SPANS, MAX_USES};
use crate::syntax::{Item, Probe};
use crate::Mistake;

/// Maximum number of ticks of the chip for each tick of the shortest period of a script.
const MAX_TICKS: u32 = 16;

fn common(a: u32, b: u32) -> u32 {
    if b == 0 {
        a
    } else {
        common(b, a % b)
    }
}

impl Resolver<'_> {
    /// Finds the period of the chip's tick: the greatest of which all periods are multiples.
    pub(super) fn declare_ticks(&mut self, items: &[Item]) -> Result<(), Mistake> {
        let probes = items.iter().filter_map(|i| if let Item::Clause { probes, .. } = i { Some(probes) } else { None });
        for probe in probes.flatten().filter(|p| p.kind == "tick") {
            let text = probe.point.as_deref().unwrap_or_default();
            let clocks = self.period(text).ok_or_else(|| {
                let right = "expected 100000cycles, 10us, 5ms or 1s, up to 2^32 - 1 cycles";
                Mistake::new(probe.at, format!("`{text}` is not a period; {right}"))
            })?;
            self.periods.push((clocks, probe.at));
            let base = self.periods.iter().fold(0, |base, p| common(base, p.0));
            let shortest = self.periods.iter().map(|p| p.0).min().unwrap_or(base);
            if shortest / base > MAX_TICKS {
                let what = format!(
                    "the periods of the ticks have only {base} cycles in common; the shortest, of {shortest}, may have {MAX_TICKS} of \
                     these"
                );
                return Err(Mistake::new(probe.at, what));
            }
            self.app.tick = Some(base);
        }
        Ok(())
    }

    /// Number of ticks of the chip for each tick of a probe.
    pub(super) fn tick(&self, probe: &Probe) -> Result<u32, Mistake> {
        let clocks = self.periods.iter().find(|p| p.1 == probe.at).map(|p| p.0);
        let clocks =
            clocks.ok_or_else(|| Mistake::new(probe.at, "a tick cannot be used here; a clause can have one"))?;
        Ok(clocks / self.app.tick.unwrap_or(clocks))
    }

    fn period(&self, text: &str) -> Option<u32> {
        let end = text.find(|c: char| !c.is_ascii_digit())?;
        let number: u128 = text[..end].parse().ok()?;
        let clocks = match &text[end..] {
            "cycles" => number,
            "us" => number * u128::from(self.clock_hz) / 1_000_000,
            "ms" => number * u128::from(self.clock_hz) / 1000,
            "s" => number * u128::from(self.clock_hz),
            _ => return None,
        };
        u32::try_from(clocks).ok().filter(|c| *c > 0)
    }

    /// Refuses a script that has more parts than there are identifiers of events.
    pub(super) fn check_size(&self, items: &[Item]) -> Result<(), Mistake> {
        let app = &self.app;
        let clauses = |i: &Item| if let Item::Clause { probes, .. } = i { probes.first().map(|p| p.at) } else { None };
        let last = items.iter().rev().find_map(clauses).unwrap_or(0);
        for (number, most, what) in [
            (app.uses.len(), MAX_USES, "probes"),
            (app.clauses.len(), MAX_CLAUSES, "statements"),
            (app.maps.len(), MAX_MAPS, "maps"),
            (app.machines.len(), MAX_MACHINES, "machines, transactions and formulas"),
            (app.spans.len(), MAX_SPANS, "spans"),
            (app.logs.len(), MAX_LOGS, "logs"),
        ] {
            if number > most {
                let beyond = app.uses.get(most).map_or(last, |u| u.at);
                return Err(Mistake::new(beyond, format!("the script has {number} {what}; it can have {most}")));
            }
        }
        Ok(())
    }
}
