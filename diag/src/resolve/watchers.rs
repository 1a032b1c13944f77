//! Resolves items with state on the chip: machines, formulas, logs

use super::{Resolver, Source};
use crate::app::{Consumer, LogDef, MachineDef, Origin, Value};
use crate::formula::Formula;
use crate::ltl;
use crate::probe::Probe;
use crate::syntax::{Expr, Keyed, State};
use crate::Mistake;

impl Resolver<'_> {
    pub(super) fn machine(
        &mut self,
        at: usize,
        name: &str,
        by: Option<&Expr>,
        states: &[State],
    ) -> Result<(), Mistake> {
        let m = self.app.machines.len();
        let mut classes: Vec<(String, Option<Value>)> = Vec::new();
        for (probe, _, _) in states.iter().flat_map(|s| &s.steps) {
            if !classes.iter().any(|c| c.0 == probe.to_string()) {
                let key = self.by(probe, by, Consumer::Class(m, classes.len()))?;
                classes.push((probe.to_string(), key));
            }
        }
        let mut steps = vec![vec![None; classes.len()]; states.len()];
        for (from, state) in states.iter().enumerate() {
            for (probe, place, to) in &state.steps {
                let class = classes.iter().position(|c| c.0 == probe.to_string()).unwrap_or(0);
                let next = states.iter().position(|s| s.name == *to);
                let next = next.ok_or_else(|| Mistake::new(*place, format!("machine {name} has no state `{to}`")))?;
                steps[from][class] = Some(next as u8);
            }
        }
        if states.is_empty() || states.len() > 16 || classes.len() > 16 {
            let what =
                format!("machine {name} has {} states and {} probes, expected 1 to 16", states.len(), classes.len());
            return Err(Mistake::new(at, what));
        }
        let states = states.iter().map(|s| s.name.clone()).collect();
        let def = MachineDef {
            name: name.into(),
            states,
            classes,
            steps: Some(steps),
            by_key: by.is_some(),
            restarts: false,
        };
        self.app.machines.push(def);
        Ok(())
    }

    pub(super) fn log(
        &mut self,
        at: usize,
        name: &str,
        (by, keep): (Option<&Expr>, &[Keyed]),
        freezes: bool,
        trigger: &Keyed,
    ) -> Result<(), Mistake> {
        let l = self.app.logs.len();
        let mut keys = Vec::new();
        let keyed = keep.iter().chain([trigger]).find(|k| k.key.is_some());
        if let (Some(_), Some(keyed)) = (by, keyed) {
            let what = format!("log {name} has a key after `by`; its probes cannot have one");
            return Err(Mistake::new(keyed.probe.at, what));
        }
        let with = |keyed: &Keyed| Keyed { key: by.or(keyed.key.as_ref()).cloned(), ..keyed.clone() };
        for (n, keyed) in keep.iter().enumerate() {
            keys.push(self.maybe_keyed(&with(keyed), Consumer::Log(l, n))?);
        }
        let origin = match self.source(&trigger.probe)? {
            Source::Machine(m) if trigger.key.is_none() => {
                if self.app.logs.iter().any(|o| o.trigger == Origin::Machine(m)) {
                    return Err(Mistake::new(at, "another log has this trigger; one is possible"));
                }
                // the key of the report
                keys.push(Some(if self.app.machines[m].is_wide() { Value::Wide(2, 3) } else { Value::Arg(2) }));
                Origin::Machine(m)
            }
            Source::Machine(_) => {
                return Err(Mistake::new(trigger.probe.at, "a violation has its key; none can be given here"));
            }
            _ => {
                keys.push(self.maybe_keyed(&with(trigger), Consumer::Log(l, keep.len()))?);
                Origin::Slot(self.app.uses.len() - 1)
            }
        };
        self.app.logs.push(LogDef { name: name.into(), keys, trigger: origin, by_key: by.is_some(), freezes });
        Ok(())
    }

    fn maybe_keyed(&mut self, keyed: &Keyed, consumer: Consumer) -> Result<Option<Value>, Mistake> {
        if keyed.key.is_some() {
            return self.keyed(keyed, consumer, true).map(Some);
        }
        self.slot(&keyed.probe, consumer, Vec::new(), true)?;
        Ok(None)
    }

    /// Adds a probe whose event carries the `by` key.
    fn by(&mut self, probe: &Probe, by: Option<&Expr>, consumer: Consumer) -> Result<Option<Value>, Mistake> {
        self.maybe_keyed(&Keyed { probe: probe.clone(), key: by.cloned() }, consumer)
    }

    pub(super) fn ltl(&mut self, name: &str, by: Option<&Expr>, formula: &Formula) -> Result<(), Mistake> {
        let m = self.app.machines.len();
        let (mut classes, mut keys): (Vec<String>, Vec<Option<Value>>) = (Vec::new(), Vec::new());
        for probe in ltl::classes(formula) {
            keys.push(self.by(probe, by, Consumer::Class(m, classes.len()))?);
            classes.push(probe.to_string());
        }
        if classes.len() > ltl::MAX_STATES {
            let what = format!("`{formula}` has {} probes; a machine has {} classes", classes.len(), ltl::MAX_STATES);
            return Err(Mistake::new(formula.at, what));
        }
        let steps = ltl::steps(formula, &classes)?;
        if steps.iter().flatten().all(Option::is_some) {
            let what = format!("no run violates `{formula}`: each event that it sees is one of its probes");
            self.app.notes.push(Mistake::new(formula.at, what));
        }
        let states = (0..steps.len()).map(|n| n.to_string()).collect();
        let classes = classes.into_iter().zip(keys).collect();
        self.app.machines.push(MachineDef {
            name: name.into(),
            states,
            classes,
            steps: Some(steps),
            by_key: by.is_some(),
            restarts: true,
        });
        Ok(())
    }
}
