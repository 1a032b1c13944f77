//! Shared by commands with a circuit: names of modules, depths of FIFOs, programs of cores

use crate::Failure;
use fpga::soc::core::CoreKind;
use hdl::emit::LOG2_FIFO;
use hdl::verilog::Style;

/// Checks that a name is valid for a Verilog module.
pub fn module_name(name: &str) -> Result<String, String> {
    Style::check(name).map(|()| name.to_string())
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
    let info = programs::find(name).ok_or_else(|| Failure::unknown_program(name))?;
    let none = || {
        let core = core.name();
        Failure::Other(format!("{name} needs interrupts and exceptions, which {core} has not; vexriscv and ibex have"))
    };
    info.soc.get(core.core().isa().name()).ok_or_else(none)
}
