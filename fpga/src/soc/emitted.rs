//! Emits a circuit of the SoC as Verilog

use hdl::verilog::{write, Style};
use rust_hdl::prelude::*;

/// Verilog of a circuit with top module `name`, whose inner modules are named after it; otherwise the reason why there
/// is none.
pub fn emitted<T: Block>(mut block: T, name: &str) -> Result<String, String> {
    block.connect_all();
    check_all(&block).map_err(|e| format!("{e:?}"))?;
    let style = Style { name: name.into(), ..Style::default() };
    Ok(write(&block, &style).map_err(|e| e.to_string())?.text)
}
