//! The whole trace system: N cores to one stream of bits
//!
//! [`crate::golden::system::System`] runs this for the scheme `sc-lsp`, with the header before it.

use super::core::{Core, Counts};
use super::record::{write, Layout, Record};
use crate::bits::BitWriter;
use crate::golden::core::Rates;
use crate::golden::system::StreamStats;
use crate::params::{ParamError, TraceParams};
use retire::FlowEvent;

/// Encoder of all cores.
#[derive(Clone, Debug)]
pub struct Encoder {
    cores: Vec<Core>,
    layout: Layout,
}

impl Encoder {
    /// In the reset state, for streams of `params`.
    pub fn new(params: &TraceParams) -> Result<Self, ParamError> {
        params.check()?;
        if params.stream_cache().is_none() {
            return Err(ParamError::NotStreamCache);
        }
        let cores = (0..params.cores).map(|_| Core::new(params)).collect();
        Ok(Self { cores, layout: Layout::new(params) })
    }

    /// The next event, of one of the system's cores, in global commit order.
    #[inline]
    pub fn push(&mut self, e: &FlowEvent, out: &mut BitWriter, stats: &mut StreamStats) {
        let Self { cores, layout } = self;
        cores[usize::from(e.hart)].event(e, &mut |cc, r| send(layout, e.hart, cc, r, out, stats));
    }

    /// Tracing is disabled in `cycle`: the stop messages of all cores.
    pub fn finish(&mut self, cycle: u64, out: &mut BitWriter, stats: &mut StreamStats) {
        let Self { cores, layout } = self;
        for (i, core) in cores.iter_mut().enumerate() {
            core.stop(cycle, &mut |cc, r| send(layout, i as u8, cc, r, out, stats));
        }
    }

    /// Appends a record of `core` as it is, whatever was sent before: for benches of the coder.
    pub fn write(&self, core: u8, diff_cc: u64, record: &Record, out: &mut BitWriter) {
        write(&self.layout, core, diff_cc, record, out);
    }

    /// What became of the streams so far, by core.
    pub fn counts(&self) -> Vec<Counts> {
        self.cores.iter().map(Core::counts).collect()
    }

    /// Instructions, branches and traps so far, by core.
    pub fn rates(&self) -> Vec<Rates> {
        self.cores.iter().map(Core::rates).collect()
    }
}

// out of line: records are rare beside events, and the loop over events stays small
#[inline(never)]
fn send(layout: &Layout, core: u8, diff_cc: u64, record: &Record, out: &mut BitWriter, stats: &mut StreamStats) {
    let before = out.len();
    write(layout, core, diff_cc, record, out);
    stats.count(record.body().kind(), out.len() - before);
}
