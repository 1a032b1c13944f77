//! Shared by commands with a circuit: the system that options describe, names of modules, depths of FIFOs, programs of
//! cores

use crate::options::scheme;
use crate::Failure;
use fpga::soc::core::CoreKind;
use hdl::emit::LOG2_FIFO;
use hdl::options::{System, SystemOf};
use options::GivenOptions;
use sim::scheme::any::AnyScheme;

/// The system given by the options, and the name of its set or shape.
///
/// # Errors
/// The options do not give a system.
pub fn system(given: &GivenOptions) -> Result<System, Failure> {
    let name = scheme(given, true)?;
    if let AnyScheme::Shared(_) | AnyScheme::Baseline(_) = name.scheme {
        let (shown, scheme) = (given.shown_scheme(), name.scheme);
        return Err(Failure::Other(format!(
            "{shown}: has no circuit; `goshawk stats --scheme` and `goshawk sweep --encoding` measure {scheme}"
        )));
    }
    let refuse = |what: &str| Err(Failure::Other(format!("{}: {what}", given.shown("scheme"))));
    if name.data.is_some() {
        return refuse("load values have a separate system; `--scheme cfiat` selects it");
    }
    if name.stated.sync_period.is_some() {
        return refuse(
            "software sets the synchronisation period (register `sync`); `--sync` builds the circuit for it",
        );
    }
    let system = given.system().map_err(Failure::Other)?;
    let params = system.circuit.flow();
    if let (Some(addresses), Some(params)) = (system.options.extras.addresses, params) {
        addresses.check(params.xlen).map_err(|e| {
            let text = e.to_string();
            let right = text.split_once(", ").map_or(text.as_str(), |(_, right)| right);
            Failure::Other(format!("{}: {right} with `--xlen {}`", given.shown("address-bits"), params.xlen))
        })?;
    }
    system.circuit.check(&system.options).map_err(|e| match e.to_string() {
        text if text.starts_with("`--") => Failure::Other(text),
        text => Failure::Other(format!("{}: {text}", given.shown_scheme())),
    })?;
    Ok(system)
}

/// Checks that a name is valid for a Verilog module.
pub fn module_name(name: &str) -> Result<String, String> {
    options::verilog_name::check(name).map(|()| name.to_string())
}

/// Help text of `--fifo`, for all commands.
pub fn fifo_help() -> String {
    format!("Depth of each core's event FIFO, in entries, of which two stay free: {}", sizes())
}

/// Possible depths of an event FIFO.
fn sizes() -> String {
    let sizes: Vec<String> = LOG2_FIFO.map(|bits| (1u32 << bits).to_string()).collect();
    let (last, others) = sizes.split_last().map_or((String::new(), [].as_slice()), |(l, o)| (l.clone(), o));
    format!("{} or {last}", others.join(", "))
}

/// Parses a FIFO depth, to its log2.
pub fn parse_depth(text: &str) -> Result<u8, String> {
    let log2 = text.parse::<u32>().ok().filter(|n| n.is_power_of_two()).map(|n| n.trailing_zeros() as u8);
    log2.filter(|n| LOG2_FIFO.contains(n)).ok_or_else(|| format!("expected {}", sizes()))
}

/// The built-in program `name` in its build for `core`.
pub fn built(name: &str, core: CoreKind) -> Result<&'static [u8], Failure> {
    let info = programs::find(name).ok_or_else(|| Failure::unknown_program_option(name))?;
    let none = || {
        let core = core.name();
        Failure::Other(format!("`--program {name}`: needs interrupts and exceptions, which {core} does not have; vexriscv and ibex have them"))
    };
    info.soc.get(core.core().isa().name()).ok_or_else(none)
}
