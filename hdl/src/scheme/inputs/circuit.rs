//! The scheme `inputs` in the list of all schemes' circuits

use super::first::MAX_TRACKED_BYTES;
use super::system::InputsSystem;
use crate::bus::wrap::Buses;
use crate::emit::{EmitError, SystemOptions, LOG2_RECORD_FIFO};
use crate::scheme::data::DataBench;
use crate::scheme::{self, Circuit};
use crate::verilog::Style;
use sim::params::ParamError;
use sim::scheme::inputs::InputsParams;

impl Circuit for InputsParams {
    fn title(&self) -> &'static str {
        "record system"
    }

    fn ports(&self, options: &SystemOptions) -> String {
        format!("ingress rvfi with data, event FIFOs of {} entries", options.fifo_entries())
    }

    fn interface(&self, _: &SystemOptions) -> String {
        "RVFI with data, memory bus".into()
    }

    fn check(&self, options: &SystemOptions) -> Result<(), EmitError> {
        self.check()?;
        let none = |what: &str, has| Err(EmitError::Data(format!("{}: {what}", self.sizes), has));
        if self.xlen != 32 {
            return none("xlen = 64", "32");
        }
        if self.sizes.unmodelled.is_some() {
            return none("a mask", "the scheme without one");
        }
        if self.sizes.known > MAX_TRACKED_BYTES {
            return none("known above 65536", "up to 65536");
        }
        match LOG2_RECORD_FIFO.contains(&options.fifo_address_bits) {
            true => Ok(()),
            false => Err(EmitError::RecordFifo(options.fifo_address_bits)),
        }
    }

    fn verilog(&self, options: &SystemOptions, style: &Style, buses: Buses) -> Result<String, EmitError> {
        let top = InputsSystem::new(self, options.fifo_address_bits.into());
        scheme::write(if buses.words.has_packets() { top.with_session() } else { top }, style, buses)
    }

    fn vectors(&self) -> Result<Option<DataBench>, ParamError> {
        super::vectors::vectors(self).map(Some)
    }
}
