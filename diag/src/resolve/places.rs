//! Locations of a program at which a probe fires

use super::Resolver;
use crate::symbols::{Site, SiteKind, Variable};
use crate::syntax::Probe;
use crate::Mistake;
use sim::diag::trigger::{Capture, Number, Trigger};

/// Maximum number of locations of a probe: the slots of a generator without a chip.
const MAX_PLACES: usize = 255;
/// Places that a message lists.
const LISTED: usize = 4;

/// A trigger, and what is at its place.
pub(super) type Place = (Trigger, SiteKind);

fn other_locations(n: usize) -> String {
    format!("{n} other location{}", if n == 1 { "" } else { "s" })
}

/// Whether a word has a meaning only where a function is called: an argument, or the return address.
fn of_a_call(capture: &Capture) -> bool {
    match capture.number() {
        _ if *capture == Capture::Elapsed => true,
        Some(Number::Register(r)) => r == 1 || (10..=17).contains(&r),
        Some(Number::Stack(_) | Number::EntryStack(_) | Number::EntryRegister(_)) => true,
        Some(Number::Pc | Number::Address | Number::Value) | None => false,
    }
}

impl Resolver<'_> {
    /// Adds a note about a probe, once.
    pub(super) fn note(&mut self, at: usize, what: String) {
        let note = Mistake::new(at, what);
        if !self.app.notes.contains(&note) {
            self.app.notes.push(note);
        }
    }

    /// Addresses with their symbols, for messages.
    fn listed(&self, addresses: impl Iterator<Item = u64>) -> String {
        let addresses: Vec<u64> = addresses.collect();
        let shown = |a: &u64| match self.symbols.at(*a) {
            Some(name) => format!("{a:#x} ({name})"),
            None => format!("{a:#x}"),
        };
        let mut list: Vec<String> = addresses.iter().take(LISTED).map(shown).collect();
        if addresses.len() > LISTED {
            list.push(format!("{} more", addresses.len() - LISTED));
        }
        list.join(", ")
    }

    /// A number in place of a name, with the offset.
    fn numeric(&self, probe: &Probe) -> Option<u64> {
        let number = probe.point.as_deref()?.parse::<u64>().ok().filter(|n| *n <= self.largest())?;
        Some(number.wrapping_add(probe.offset) & self.largest())
    }

    /// Largest address of the program's core.
    fn largest(&self) -> u64 {
        u64::MAX >> (64 - self.app.xlen())
    }

    fn unknown(&self, probe: &Probe) -> Mistake {
        let point = probe.point.as_deref().unwrap_or_default();
        let rests = self.symbols.rests(point);
        let hint = match self.symbols.like(point) {
            _ if point.is_empty() => format!("`{}` needs a name, as in {}:main", probe.kind, probe.kind),
            _ if !rests.is_empty() => {
                format!("what is left of it is {}, which can be probed", rests.join(", "))
            }
            Some(like) => format!("did you mean {like}?"),
            None => "`nm` lists the symbols of a program".into(),
        };
        Mistake::new(probe.at, format!("the program has no symbol `{point}`: {hint}"))
    }

    /// Locations of a function, or the one of an address.
    fn sites(&self, probe: &Probe) -> Result<Vec<Site>, Mistake> {
        let wrong = |what: String| Mistake::new(probe.at, what);
        if let Some(first) = self.numeric(probe) {
            self.is_instruction(probe, first)?;
            return Ok(vec![Site {
                first,
                end: first.saturating_add(4).min(self.largest()),
                kind: SiteKind::Function,
            }]);
        }
        let point = probe.point.as_deref().unwrap_or_default();
        let sites = self.symbols.functions(point).map_err(wrong)?;
        if sites.is_empty() {
            return match self.symbols.variables(point) {
                Ok(found) if !found.is_empty() => {
                    Err(wrong(format!("{point} is data; `{}` needs a function", probe.kind)))
                }
                _ => Err(self.unknown(probe)),
            };
        }
        if sites.len() > MAX_PLACES {
            return Err(wrong(format!("{point} matches {} locations; a probe has at most {MAX_PLACES}", sites.len())));
        }
        if probe.offset == 0 {
            return Ok(sites);
        }
        let called: Vec<Site> = sites.iter().filter(|s| s.kind == SiteKind::Function).copied().collect();
        let [site] = called[..] else {
            let all = self.listed(sites.iter().map(|s| s.first));
            return Err(wrong(format!("{point} is at {all}; an offset needs one function, or `pc:` an address")));
        };
        let (offset, size) = (probe.offset, site.end - site.first);
        if offset >= size {
            return Err(wrong(format!("{point} has {size} bytes; +{} is outside", probe.offset)));
        }
        let first = site.first + offset;
        self.is_instruction(probe, first)?;
        Ok(vec![Site { first, ..site }])
    }

    /// Refuses an address at which no instruction starts.
    fn is_instruction(&self, probe: &Probe, addr: u64) -> Result<(), Mistake> {
        let wrong = |what: String| Err(Mistake::new(probe.at, what));
        match self.symbols.instruction_at(addr) {
            Some(start) if start == addr => Ok(()),
            Some(start) => {
                let shown = self.symbols.at(start).unwrap_or_default();
                wrong(format!("{addr:#x} is inside of the instruction at {start:#x} ({shown})"))
            }
            None => wrong(format!("{addr:#x} is not the address of an instruction of the program")),
        }
    }

    /// Places at which a function is entered.
    pub(super) fn calls(&self, probe: &Probe) -> Result<Vec<Place>, Mistake> {
        let place = |s: Site| {
            // an iteration of a loop at its start is not a call
            let turns = probe.offset == 0 && self.symbols.back_to_start(s.first, s.end - s.first).is_some();
            let entry = Trigger::Entry { first: s.first, last: s.end.wrapping_sub(1) };
            (if turns { entry } else { Trigger::Pc(s.first) }, s.kind)
        };
        Ok(self.sites(probe)?.into_iter().map(place).collect())
    }

    /// Locations of an instruction.
    pub(super) fn instructions(&self, probe: &Probe) -> Result<Vec<Place>, Mistake> {
        let sites = self.sites(probe)?.into_iter();
        Ok(sites.filter(|s| s.kind == SiteKind::Function).map(|s| (Trigger::Pc(s.first), s.kind)).collect())
    }

    /// Functions whose returns are seen: an inlined copy has no return.
    pub(super) fn returns(&mut self, probe: &Probe) -> Result<Vec<Place>, Mistake> {
        let (called, inlined): (Vec<Site>, Vec<Site>) =
            self.sites(probe)?.into_iter().partition(|s| s.kind == SiteKind::Function);
        let name = probe.point.clone().unwrap_or_default();
        let at = self.listed(inlined.iter().map(|s| s.first));
        if called.is_empty() {
            let what =
                format!("every call of {name} was inlined, at {at}: no return is left; `call:{name}` counts these");
            return Err(Mistake::new(probe.at, what));
        }
        if !inlined.is_empty() {
            let what = format!(
                "{name} was inlined at {}, where it does not return; not seen: {at}",
                other_locations(inlined.len())
            );
            self.note(probe.at, what);
        }
        let place = |s: Site| {
            let turns = probe.offset == 0 && self.symbols.back_to_start(s.first, s.end - s.first).is_some();
            let from = Trigger::ReturnFrom { first: s.first, last: s.end.wrapping_sub(1) };
            (if turns { from } else { Trigger::Return(s.first) }, s.kind)
        };
        Ok(called.into_iter().map(place).collect())
    }

    /// Places at which a source line starts.
    pub(super) fn source_line(&self, probe: &Probe) -> Result<Vec<Place>, Mistake> {
        let starts = self.symbols.line_starts(probe.point.as_deref().unwrap_or_default());
        let starts = starts.map_err(|what| Mistake::new(probe.at, what))?;
        Ok(starts.into_iter().map(|at| (Trigger::Pc(at), SiteKind::Function)).collect())
    }

    /// Accesses to a variable.
    pub(super) fn accesses(&self, probe: &Probe) -> Result<Vec<Place>, Mistake> {
        let wrong = |what: String| Mistake::new(probe.at, what);
        let point = probe.point.as_deref().unwrap_or_default();
        let (loads, stores) = (probe.kind != "write", probe.kind != "read");
        let data = |first: u64, size: u64| {
            let last = first.wrapping_add(size.max(1) - 1) & self.largest();
            (Trigger::Data { first, last, loads, stores, value: None }, SiteKind::Function)
        };
        if let Some(first) = self.numeric(probe) {
            return Ok(vec![data(first, 4)]);
        }
        let variables = self.symbols.variables(point).map_err(wrong)?;
        if variables.is_empty() {
            return match self.symbols.functions(point) {
                Ok(found) if !found.is_empty() => {
                    Err(wrong(format!("{point} is code; `{}` needs a variable", probe.kind)))
                }
                _ => Err(self.unknown(probe)),
            };
        }
        let offset = probe.offset;
        let part = |v: Variable| {
            if probe.offset > 0 && probe.offset >= v.size {
                return Err(wrong(format!("{point} has {} bytes; +{} is outside", v.size, probe.offset)));
            }
            Ok(data(v.at.wrapping_add(offset) & self.largest(), v.size.saturating_sub(offset)))
        };
        variables.into_iter().map(part).collect()
    }

    /// The address of a function or variable: `&name`.
    pub(super) fn address_of(&self, name: &str, at: usize) -> Result<u64, Mistake> {
        let wrong = |what: String| Mistake::new(at, what);
        let functions = self.symbols.functions(name).map_err(wrong)?;
        let called = functions.iter().filter(|s| s.kind == SiteKind::Function).map(|s| s.first);
        let mut found: Vec<u64> = called.collect();
        if found.is_empty() {
            found = self.symbols.variables(name).map_err(wrong)?.iter().map(|v| v.at).collect();
        }
        match found[..] {
            [one] => Ok(one),
            [] => Err(wrong(format!("the program has no symbol `{name}`"))),
            _ => Err(wrong(format!("`{name}` is at {}; an address is one", self.listed(found.into_iter())))),
        }
    }

    /// The triggers of an event with these words. Where a function was inlined, there are no arguments.
    pub(super) fn triggers(
        &mut self,
        probe: &Probe,
        places: Vec<Place>,
        captures: &[Capture],
    ) -> Result<Vec<Trigger>, Mistake> {
        let needs_call = captures.iter().any(of_a_call);
        let (inlined, rest): (Vec<Place>, Vec<Place>) =
            places.into_iter().partition(|p| needs_call && p.1 == SiteKind::Inlined);
        let entry = |p: &Place| match p.0 {
            Trigger::Pc(at) | Trigger::Entry { first: at, .. } => Some(at),
            _ => None,
        };
        if !inlined.is_empty() {
            let (name, at) = (probe.to_string(), self.listed(inlined.iter().filter_map(entry)));
            let why = "where no register has its arguments or return address";
            if rest.is_empty() {
                let what =
                    format!("every call of {name} was inlined, at {at}, {why}; without these it is counted there");
                return Err(Mistake::new(probe.at, what));
            }
            let what = format!("{name} was inlined at {}, {why}; not seen: {at}", other_locations(inlined.len()));
            self.note(probe.at, what);
        }
        let mut triggers: Vec<Trigger> = Vec::new();
        for (trigger, _) in rest {
            if !triggers.contains(&trigger) {
                triggers.push(trigger);
            }
        }
        Ok(triggers)
    }
}
