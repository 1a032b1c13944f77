//! Parts of a system with a trace funnel: for each core a system of its own with registers, and the funnel after them
//!
//! All cores have the same module. Its input `source_0` is the number of the core.

use super::components::Components;
use super::funnel::Funnel;
use super::part::Part;
use super::tci::Tci;
use crate::verilog::{Style, Unsupported, Written};
use sim::tci::{Facts, Sink};

/// The parts between the ports of the cores and the words of all, whose nets are `words_valid`, `words_ready` and `words_data`, or `valid`
/// and so on if nothing comes after them.
pub(super) fn parts(
    system: &Written,
    style: &Style,
    facts: &Facts,
    words: impl Fn(&str) -> String,
) -> Result<Vec<Part>, Unsupported> {
    let mut parts = Vec::new();
    for core in 0..facts.funnel {
        parts.push(Part::of_core("system", core, system.clone(), |pin| match pin.strip_suffix("_0") {
            Some("source") => format!("4'd{core}"),
            // the time is that of the funnel
            Some("time" | "time_enable") => pin.to_string(),
            Some("stall") => format!("waiting_{core}"),
            Some(own) => format!("{own}_{core}"),
            None if pin.starts_with("bus_") => format!("native_{core}_{pin}"),
            None if matches!(pin, "valid" | "ready" | "data") => format!("encoder_{core}_{pin}"),
            None => pin.to_string(),
        }));
    }
    let registers = Part::written("tci", Tci::new(facts), style)?;
    for core in 0..facts.funnel {
        parts.push(Part::of_core("tci", core, registers.clone(), |pin| {
            match (pin.strip_prefix("out_"), pin.strip_suffix("_0")) {
                (Some(signal), _) => format!("native_{core}_bus_{signal}"),
                (None, Some("source")) => format!("4'd{core}"),
                (None, Some(own)) => format!("{own}_{core}"),
                (None, None) if pin.starts_with("bus_") => format!("encoder_{core}_{pin}"),
                (None, None) => pin.to_string(),
            }
        }));
    }
    parts.push(Part::of("funnel", Funnel::new(facts), style, |pin| match pin.strip_prefix("out_") {
        Some(signal) => words(signal),
        None if pin.starts_with("bus_") => format!("funnel_{pin}"),
        None => match pin.strip_prefix("words_").and_then(|rest| rest.split_once('_')) {
            Some((core, signal)) => format!("encoder_{core}_{signal}"),
            None => pin.to_string(),
        },
    })?);
    parts.push(Part::of("components", Components::new(facts), style, |pin| {
        let of_core = pin.strip_prefix("encoder_").and_then(|rest| rest.split_once('_'));
        match (pin, of_core, pin.strip_prefix("funnel_"), pin.strip_prefix("sink_0_")) {
            ("reads_0", ..) => "bus_read".into(),
            ("sink_reads_0", ..) => "sink_bus_read".into(),
            (_, Some((core, signal)), ..) => format!("encoder_{core}_bus_{signal}"),
            (_, _, Some(signal), _) => format!("funnel_bus_{signal}"),
            (_, _, _, Some(signal)) => format!("sink_bus_{signal}"),
            _ => pin.to_string(),
        }
    })?);
    Ok(parts)
}

/// Refuses systems that have no funnel.
pub(super) fn check(facts: &Facts, session: bool) -> Result<(), Unsupported> {
    let refused = |why: &str| Err(Unsupported(why.into()));
    if session {
        return refused("a trace of several encoders has no last word to be marked");
    }
    if facts.protocol.source_bits == 0 {
        return refused("a funnel joins messages with the number of their core only");
    }
    if !sim::tci::INPUTS.contains(&facts.funnel) {
        return refused("a funnel has 2 to 8 inputs");
    }
    debug_assert!(facts.cores == 1 && !matches!(facts.sink, Sink::Sram(0)), "an encoder of one core");
    Ok(())
}
