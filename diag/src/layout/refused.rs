//! What no node can do, with the reason

use crate::app::{App, Consumer};
use sim::diag::node::machine::{Class, Table};

/// Checks that each event of a table has only one class: the node may pass it to the host, which identifies it by its
/// number only.
pub(super) fn keyed(name: &str, table: &Table) -> Result<(), String> {
    let twice = |(n, c): (usize, &Class)| table.classes[..n].iter().any(|o| o.event == c.event);
    match table.classes.iter().enumerate().any(twice) {
        true => Err(format!("two probes of {name} are one event, which a node passes to the host as one")),
        false => Ok(()),
    }
}

/// Refuses a key of 64 bits.
pub(super) fn narrow(name: &str, wide: bool) -> Result<(), String> {
    if wide {
        return Err(format!("the key of {name} has 64 bits, and a node compares 32; `(uint32)` takes the lower half"));
    }
    Ok(())
}

/// Refuses uses that only the host can select: those of a trigger that was widened for others too, which of all nodes
/// only a filter can distinguish, and those that the host takes from a trace.
pub(super) fn unshared(app: &App, what: &str, takes: impl Fn(Consumer) -> bool) -> Result<(), String> {
    if let Some(u) = app.uses.iter().find(|u| u.traced && takes(u.consumer)) {
        return Err(format!(
            "{} comes from the trace, which is on the host, so what is for {what} is on the host too",
            u.name
        ));
    }
    match app.uses.iter().find(|u| u.selection.is_some() && takes(u.consumer)) {
        Some(u) => {
            Err(format!("{} shares a trigger with other probes, and the host selects what is for {what}", u.name))
        }
        None => Ok(()),
    }
}
