//! The scheme `cfiat` in the list of all schemes' circuits

use super::filter::Filter;
use super::system::CfiatSystem;
use crate::bus::wrap::Buses;
use crate::emit::{EmitError, SystemOptions, CORES, LOG2_RECORD_FIFO};
use crate::scheme::data::DataBench;
use crate::scheme::{self, Circuit};
use crate::verilog::Style;
use sim::params::ParamError;
use sim::scheme::cfiat::CfiatParams;

impl Circuit for CfiatParams {
    fn title(&self) -> &'static str {
        "system of load values"
    }

    fn ports(&self, options: &SystemOptions) -> String {
        format!("ingress rvfi with data, queues and event FIFOs of {} entries", options.fifo_entries())
    }

    fn interface(&self, _: &SystemOptions) -> String {
        "RVFI with data".into()
    }

    fn check(&self, options: &SystemOptions) -> Result<(), EmitError> {
        self.check()?;
        let none = |what: &str, has| Err(EmitError::Data(format!("cfiat: {what}"), has));
        if self.xlen != 32 {
            return none("xlen = 64", "32");
        }
        if self.ram_last - self.ram_base < 3 {
            return none("memory of less than a word", "a word or more");
        }
        if self.sizes.shared && self.cores > 1 {
            return none("+shared", "a cache of each core");
        }
        if let Some(why) = Filter::unsupported_reason(&self.sizes) {
            return Err(EmitError::Options(why));
        }
        if !CORES.contains(&self.cores) {
            return Err(EmitError::Cores(self.cores));
        }
        match LOG2_RECORD_FIFO.contains(&options.fifo_address_bits) {
            true => Ok(()),
            false => Err(EmitError::RecordFifo(options.fifo_address_bits)),
        }
    }

    fn verilog(&self, options: &SystemOptions, style: &Style, buses: Buses) -> Result<String, EmitError> {
        let top = CfiatSystem::new(self, options.fifo_address_bits.into());
        scheme::write(if buses.words.has_packets() { top.with_session() } else { top }, style, buses)
    }

    fn vectors(&self) -> Result<Option<DataBench>, ParamError> {
        super::vectors::vectors(self).map(Some)
    }
}
