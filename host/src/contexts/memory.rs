//! Names of processes, from the memory of a recording with contexts and stores
//!
//! A kernel points to the control block of the process that a core runs ([`Running`]). When a core enters user mode, the name there is that
//! of its address space. A process that executes another program gets its new name before it returns to user mode. An address space that had several names, because its process was
//! renamed or its page tables were used again for another one, has them all.

use super::running::Running;
use super::Contexts;
use retire::{DataEvent, FlowEvent, MasterStore, RetireSink};
use std::collections::BTreeMap;

/// Finds the names of address spaces along a run.
pub struct SpaceNames {
    running: Running,
    contexts: Contexts,
    names: BTreeMap<u32, Vec<String>>,
    pointed: bool,
}

impl SpaceNames {
    /// At the beginning of a run of `cores` cores.
    pub fn new(running: Running, cores: u8) -> Self {
        Self { running, contexts: Contexts::new(cores), names: BTreeMap::new(), pointed: false }
    }

    /// The names of address spaces that were in user mode; several of one are separated by `/`, in the order of their first use.
    pub fn names(&self) -> BTreeMap<u32, String> {
        self.names.iter().map(|(space, names)| (*space, names.join("/"))).collect()
    }

    /// Whether the pointer to a control block was stored.
    pub fn is_pointed(&self) -> bool {
        self.pointed
    }
}

impl RetireSink for SpaceNames {
    const WANTS_DATA: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        let before = self.contexts.of(e.hart);
        self.contexts.pass(e);
        let now = self.contexts.of(e.hart);
        if now == before || now.privilege() != 0 || self.running.block(e.hart).is_none_or(|block| block == 0) {
            return;
        }
        if let Some(name) = self.running.name(e.hart) {
            let names = self.names.entry(now.id()).or_default();
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }

    fn data(&mut self, d: &DataEvent) {
        // addresses of user mode are those of the process
        if self.contexts.of(d.hart).privilege() != 0 {
            self.pointed |= self.running.data(d).is_some();
        }
    }

    fn master(&mut self, store: &MasterStore) {
        self.running.master(store);
    }
}
