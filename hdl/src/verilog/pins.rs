//! Pins of several cores: one bundle per core in the circuit, plain ports in Verilog
//!
//! A system has an array `pins`, one bundle per core. In Verilog, pin `rvfi$valid` of core 0 is the port
//! `rvfi_valid_0`, and ports are grouped by pin, not by core. The array `masters` of a diagnosis chip is named so, too.

/// Core and pin of the signal `key`, if it is a pin of a core or of a bus master.
pub(super) fn core_pin(key: &str) -> Option<(&str, &str)> {
    let (core, pin) = key.strip_prefix("pins$").or_else(|| key.strip_prefix("masters$"))?.split_once('$')?;
    core.bytes().all(|b| b.is_ascii_digit()).then_some((core, pin))
}

/// Sorts atoms of these names by pin.
pub(super) fn sort<T>(atoms: &mut [T], name: impl Fn(&T) -> &str) {
    let Some(first) = atoms.iter().position(|a| core_pin(name(a)).is_some()) else { return };
    let count = atoms[first..].iter().take_while(|a| core_pin(name(a)).is_some()).count();
    let pins = &mut atoms[first..first + count];
    let order: Vec<String> = pins.iter().filter_map(|a| Some(core_pin(name(a))?.1.to_string())).collect();
    pins.sort_by_cached_key(|a| core_pin(name(a)).and_then(|(_, pin)| order.iter().position(|p| p == pin)));
}
