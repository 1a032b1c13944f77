//! Log of a run or a replay, and the differences of two logs

use retire::{DataEvent, DataKind, FlowEvent, FlowKind, RetireSink};

/// An item of a hart's log, in the order of that hart, without times.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A control-flow event.
    Event(FlowEvent),
    /// A load, store, CSR or register.
    Data(u64, DataKind),
}

/// The log of each hart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log(pub Vec<Vec<Item>>);

impl Log {
    fn of(&mut self, hart: u8) -> &mut Vec<Item> {
        let hart = usize::from(hart);
        if self.0.len() <= hart {
            self.0.resize(hart + 1, Vec::new());
        }
        &mut self.0[hart]
    }

    /// The log without the causes of traps, which a scheme may not send.
    pub fn without_trap_causes(mut self) -> Self {
        for item in self.0.iter_mut().flatten() {
            if let Item::Event(FlowEvent { kind: FlowKind::Trap { interrupt, cause }, .. }) = item {
                (*interrupt, *cause) = (false, 0);
            }
        }
        self
    }
}

impl RetireSink for Log {
    const WANTS_DATA: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        self.of(e.hart).push(Item::Event(FlowEvent { cycle: 0, ..*e }));
    }

    fn data(&mut self, d: &DataEvent) {
        self.of(d.hart).push(Item::Data(d.pc, d.kind));
    }
}

/// The first difference between two logs.
pub fn difference(run: &Log, replayed: &Log) -> Option<String> {
    for (hart, want) in run.0.iter().enumerate() {
        let got = replayed.0.get(hart).map_or(&[][..], |g| g);
        if let Some(i) = (0..want.len().max(got.len())).find(|i| want.get(*i) != got.get(*i)) {
            return Some(format!("hart {hart}, item {i}: run {:x?}, replay {:x?}", want.get(i), got.get(i)));
        }
    }
    None
}
