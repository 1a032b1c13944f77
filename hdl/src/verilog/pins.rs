//! Pins of several cores: a bundle for each in the circuit, plain ports in Verilog
//!
//! A system has an array `pins`, one bundle a core. In Verilog pin `rvfi$valid` of core 0 is the port `rvfi_valid_0`, and
//! the ports are listed by pin, not by core.

/// Core and pin of the signal `key`, if it is one of these.
pub(super) fn core_pin(key: &str) -> Option<(&str, &str)> {
    let (core, pin) = key.strip_prefix("pins$")?.split_once('$')?;
    core.bytes().all(|b| b.is_ascii_digit()).then_some((core, pin))
}

/// Puts atoms of these names in the order of their pins.
pub(super) fn sort<T>(atoms: &mut [T], name: impl Fn(&T) -> &str) {
    let Some(first) = atoms.iter().position(|a| core_pin(name(a)).is_some()) else { return };
    let count = atoms[first..].iter().take_while(|a| core_pin(name(a)).is_some()).count();
    let pins = &mut atoms[first..first + count];
    let order: Vec<String> = pins.iter().filter_map(|a| Some(core_pin(name(a))?.1.to_string())).collect();
    pins.sort_by_cached_key(|a| core_pin(name(a)).and_then(|(_, pin)| order.iter().position(|p| p == pin)));
}
