//! A load-value system with its golden model
#![allow(missing_docs)]

use crate::data_harness::{self as data, CorePorts, DataSystem, Inputs, MemPorts, Model, Outputs};
use crate::inputs_harness;
use hdl::scheme::cfiat::system::CfiatSystem;
use retire::{DataEvent, DataKind, Note, RetireSink};
use rust_hdl::prelude::*;
use sim::scheme::cfiat::stats::CfiatStats;
use sim::scheme::cfiat::{CfiatParams, Recorder};
use sim::scheme::inputs::model::{Beat, Retired};
use sim::scheme::inputs::InputsParams;
use sim::stimulus::Source;
use std::collections::VecDeque;

pub type Bench = data::Bench<Golden>;
pub type Dut = data::Dut<CfiatSystem>;

/// Cycles from a core's port to the response whether the instruction was lost.
const ANSWER: usize = 2;

impl DataSystem for CfiatSystem {
    type Params = CfiatParams;

    fn of(p: &CfiatParams, log2_depth: usize) -> Self {
        Self::new(p, log2_depth)
    }

    fn clock(&mut self, high: bool) {
        self.clock.next = high.into();
    }

    fn set(&mut self, i: &Inputs) {
        self.reset.next = i.reset;
        self.bus_addr.next = i.bus.0.to_bits();
        self.bus_write.next = i.bus.1.is_some();
        self.bus_wdata.next = i.bus.1.unwrap_or(0).to_bits();
        self.ready.next = i.ready;
        for (k, c) in i.cores.iter().enumerate() {
            c.drive(&mut self.pins[k].rvfi);
        }
    }

    fn sample(&self) -> Outputs {
        Outputs {
            recording: self.recording.val(),
            hold: self.hold.val(),
            lost: self.lost.val(),
            rdata: self.bus_rdata.val().to_u64() as u32,
            word: self.valid.val().then(|| self.data.val().to_u64() as u32),
        }
    }
}

/// Passes an instruction to the model.
fn show(recorder: &mut Recorder, hart: u8, r: &Retired) {
    if let Some(stored) = r.conditional {
        recorder.note(hart, &Note::StoreConditional { stored });
    }
    let load = r.load.map(|a| DataKind::Load { size: a.size, addr: a.addr.into(), value: a.value.into() });
    let store = r.store.map(|a| DataKind::Store { size: a.size, addr: a.addr.into(), value: a.value.into() });
    let csr = r.csr.map(|(csr, value)| DataKind::Csr { csr, value: value.into() });
    for kind in load.into_iter().chain(store).chain(csr) {
        recorder.data(&DataEvent { hart, kind, pc: 0, cycle: 0 });
    }
}

/// The model, and beats for which it is not known yet whether they were lost.
pub struct Golden {
    p: CfiatParams,
    recorder: Recorder,
    pending: VecDeque<Vec<Beat>>,
}

impl Golden {
    fn show_oldest(&mut self) {
        for (hart, beat) in self.pending.pop_front().unwrap_or_default().iter().enumerate() {
            if let Beat::Retired(r) = beat {
                show(&mut self.recorder, hart as u8, r);
            }
        }
    }
}

impl Model for Golden {
    type System = CfiatSystem;
    type Stats = CfiatStats;

    fn new(p: &CfiatParams) -> Self {
        Self { p: *p, recorder: Recorder::new(p).unwrap(), pending: VecDeque::new() }
    }

    fn unstalled_ports(p: &CfiatParams, s: &mut Source) -> (MemPorts, Vec<CorePorts>) {
        let places = InputsParams::new(
            p.cores,
            32,
            (p.ram_base as u32, (p.ram_last - p.ram_base + 1) as u32),
            "inputs".parse().unwrap(),
        );
        inputs_harness::Golden::unstalled_ports(&places, s)
    }

    fn cycle(&mut self, inputs: &Inputs, out: &Outputs, beats: &[Beat]) {
        if out.lost {
            self.pending.clear();
        } else if self.pending.len() == ANSWER {
            self.show_oldest();
        }
        self.pending.push_back(if out.recording { beats.to_vec() } else { Vec::new() });
        if inputs.reset {
            *self = Self::new(&self.p);
        }
    }

    fn end(&mut self) -> (Vec<u32>, CfiatStats) {
        while !self.pending.is_empty() {
            self.show_oldest();
        }
        self.recorder.finish();
        let words = self.recorder.drain().collect();
        let stats = *self.recorder.stats();
        *self = Self::new(&self.p);
        (words, stats)
    }
}
