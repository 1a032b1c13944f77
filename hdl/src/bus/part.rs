//! A part of the module that connects a trace system to a chip's buses: an instance, and the nets at its ports

use crate::verilog::{write, Style, Unsupported, Written};
use rust_hdl::prelude::{check_all, Block};

/// A part of the wrapper.
pub(super) struct Part {
    /// Prefixed with the name of the wrapper, it is the module name.
    pub name: &'static str,
    /// The core, if every core has such a part.
    pub core: Option<u8>,
    /// Its module.
    pub written: Written,
    /// The nets at its ports, in port order; a number in Verilog is no net.
    pub nets: Vec<String>,
}

impl Part {
    /// A part with one instance.
    pub fn new(name: &'static str, written: Written, net: impl Fn(&str) -> String) -> Self {
        let nets = written.pins.iter().map(|pin| net(&pin.name)).collect();
        Self { name, core: None, written, nets }
    }

    /// A part of one of several cores, which have the same module.
    pub fn of_core(name: &'static str, core: u8, written: Written, net: impl Fn(&str) -> String) -> Self {
        Self { core: Some(core), ..Self::new(name, written, net) }
    }

    /// The text of a part that is a block of this folder.
    pub fn written(name: &str, mut block: impl Block, style: &Style) -> Result<Written, Unsupported> {
        block.connect_all();
        check_all(&block).map_err(|e| Unsupported(format!("rust-hdl refuses it: {e:?}")))?;
        write(&block, &Style { name: format!("{}_{name}", style.name), ..style.clone() })
    }

    /// A part that is a block of this folder.
    pub fn of(
        name: &'static str,
        block: impl Block,
        style: &Style,
        net: impl Fn(&str) -> String,
    ) -> Result<Self, Unsupported> {
        Ok(Self::new(name, Self::written(name, block, style)?, net))
    }

    /// Name of the instance.
    pub fn instance(&self) -> String {
        self.core.map_or_else(|| self.name.into(), |core| format!("{}_{core}", self.name))
    }
}
