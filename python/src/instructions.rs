//! Retired instructions: the runs between events, with the code

use crate::batches::Sender;
use retire::image::{Image, Positions};
use retire::{FlowEvent, FlowKind, RetireSink};
use sim::replay::ReplaySink;

/// Puts a record for each instruction: hart, length, two bytes of 0, its first four bytes, its address.
pub struct Walker<'a> {
    image: &'a Image,
    positions: Positions,
    pub sender: &'a mut Sender,
    /// The code does not fit the events, or nobody takes more.
    pub failed: Option<String>,
}

impl<'a> Walker<'a> {
    pub fn new(image: &'a Image, harts: u8, sender: &'a mut Sender) -> Self {
        Self { image, positions: Positions::new(harts), sender, failed: None }
    }

    /// Whether no more events are wanted.
    pub fn is_over(&self) -> bool {
        self.failed.is_some() || self.sender.is_closed
    }

    fn walk(&mut self, e: &FlowEvent) {
        let position = self.positions.of(e.hart);
        let mut instructions = self.image.instructions(position.pc, position.when);
        let mut last = None;
        for at in 0..e.count {
            let Some(i) = instructions.next() else {
                let from = position.pc;
                self.failed = Some(format!(
                    "hart {}: no code is known for instruction {} of {} from {from:#x} on; `program` names the file that has it",
                    e.hart,
                    at + 1,
                    e.count
                ));
                return;
            };
            let mut record = [0; 16];
            (record[0], record[1]) = (e.hart, i.len);
            record[4..8].copy_from_slice(&i.bits().to_le_bytes());
            record[8..].copy_from_slice(&i.pc.to_le_bytes());
            self.sender.put(&record);
            last = Some(i.pc);
        }
        // the last instruction before a trap is not that of its address
        let is_branch = !matches!(
            e.kind,
            FlowKind::Trap { .. } | FlowKind::Start | FlowKind::Stop | FlowKind::Context { .. } | FlowKind::Gap { .. }
        );
        if let Some(last) = last.filter(|last| is_branch && *last != e.pc) {
            self.failed = Some(format!(
                "hart {}: the code leads to {last:#x}, the run to {:#x}; it is of another program",
                e.hart, e.pc
            ));
        }
    }

    fn take(&mut self, e: &FlowEvent) {
        // a context that belongs to the next event counts from before
        if !self.is_over() && !matches!(e.kind, FlowKind::Context { alone: false, .. }) {
            self.walk(e);
        }
        self.positions.pass(e);
    }
}

impl RetireSink for Walker<'_> {
    fn event(&mut self, e: &FlowEvent) {
        self.take(e);
    }
}

impl ReplaySink for Walker<'_> {
    fn event(&mut self, e: &FlowEvent) {
        self.take(e);
    }
}
