//! Branches, messages and bits of selected contexts
//!
//! Predictors and coders are those of the whole run; what they do at the events of selected contexts is counted.

use super::{Contexts, Selection};
use retire::{FlowEvent, RetireSink};
use sim::core_trace::Rates;
use sim::message::{Kind, Message, StreamStats};
use sim::params::{ParamError, TraceParams};
use sim::replay::{Images, ReplaySink};
use sim::system::System;

/// Counts of a model.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Messages and bits.
    pub stats: StreamStats,
    /// By core.
    pub rates: Vec<Rates>,
}

impl Counts {
    fn of(system: &System) -> Self {
        Self { stats: StreamStats { bits: system.bits(), ..system.stats().clone() }, rates: system.rates() }
    }

    /// Adds what was counted from `before` to `after`.
    fn add(&mut self, before: &Self, after: &Self) {
        self.stats.bits += after.stats.bits - before.stats.bits;
        for (kind, (from, to)) in self.stats.kinds.iter_mut().zip(before.stats.kinds.iter().zip(&after.stats.kinds)) {
            kind.messages += to.messages - from.messages;
            kind.bits += to.bits - from.bits;
        }
        self.rates.resize(after.rates.len(), Rates::default());
        for (rates, (from, to)) in self.rates.iter_mut().zip(before.rates.iter().zip(&after.rates)) {
            *rates += *to - *from;
        }
    }
}

/// Counts what a model does at the events of selected contexts.
#[derive(Clone, Debug)]
pub struct Selected {
    selection: Selection,
    contexts: Contexts,
    /// The model where the selected events began, if the last one was selected.
    began: Option<Counts>,
    counts: Counts,
}

impl Selected {
    /// Before the first event of `cores` cores.
    pub fn new(selection: Selection, cores: u8) -> Self {
        Self { selection, contexts: Contexts::new(cores), began: None, counts: Counts::default() }
    }

    /// To be called before `system` takes the event; returns whether its instructions are selected.
    pub fn event(&mut self, e: &FlowEvent, system: &System) -> bool {
        let context = self.contexts.pass(e);
        let selected = self.selection.has(context);
        match (selected, self.began.take()) {
            (true, None) => self.began = Some(Counts::of(system)),
            (true, began) => self.began = began,
            (false, Some(began)) => self.counts.add(&began, &Counts::of(system)),
            (false, None) => {}
        }
        selected
    }

    /// The counts, after the last event.
    pub fn finish(mut self, system: &System) -> Counts {
        if let Some(began) = self.began.take() {
            self.counts.add(&began, &Counts::of(system));
        }
        self.counts
    }
}

/// Counts the replay of a trace: branches, and the latest time; of selected contexts also messages.
pub struct Replayed {
    system: System,
    selected: Option<Selected>,
    /// Whether the first event of the message being replayed is selected.
    first: Option<bool>,
    /// The last message: its kind, its first bit, and whether it is selected.
    last: Option<(Kind, u64, bool)>,
    stats: StreamStats,
    /// The last cycle of all events.
    pub cycles: u64,
}

impl Replayed {
    /// Before the first message of a trace.
    ///
    /// # Errors
    /// The parameters are not those of a model.
    pub fn new<'i>(
        params: &TraceParams,
        selection: Selection,
        code: impl Into<Images<'i>>,
    ) -> Result<Self, ParamError> {
        // replay has no cycle for every event, and rates need none
        let system = System::with_code(&params.with(|p| p.timestamps = false), 0, code)?;
        let selected = (!selection.is_all()).then(|| Selected::new(selection, params.cores));
        Ok(Self { system, selected, first: None, last: None, stats: StreamStats::default(), cycles: 0 })
    }

    /// The model of all instructions.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// The last message ends at `bit`.
    fn end(&mut self, bit: u64) {
        if let Some((kind, from, true)) = self.last.take() {
            self.stats.count(kind, bit - from);
            self.stats.bits += bit - from;
        }
    }

    /// The counts of selected contexts of a stream of `bits` bits, unless all are selected.
    pub fn finish(mut self, bits: u64) -> Option<Counts> {
        self.end(bits);
        let counts = self.selected?.finish(&self.system);
        Some(Counts { stats: self.stats, ..counts })
    }
}

impl ReplaySink for Replayed {
    fn event(&mut self, e: &FlowEvent) {
        self.cycles = self.cycles.max(e.cycle);
        if let Some(selected) = &mut self.selected {
            let now = selected.event(e, &self.system);
            self.first.get_or_insert(now);
        }
        self.system.event(e);
        self.system.drain();
    }

    fn header(&mut self, bit: u64) {
        self.end(bit);
    }

    fn message(&mut self, bit: u64, message: &Message) {
        self.end(bit);
        // a message without events belongs to the one before
        let selected = self.first.take().or(self.last.map(|(.., selected)| selected)).unwrap_or(false);
        self.last = Some((message.body.kind(), bit, selected));
    }
}
