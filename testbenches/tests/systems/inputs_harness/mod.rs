//! A record system with its golden model
#![allow(missing_docs)]

pub mod beats;
pub mod run;

use self::beats::{beat, memory, ports};
use crate::data_harness::{self as data, CorePorts, DataSystem, Inputs, MemPorts, Model, Outputs};
use hdl::scheme::inputs::system::InputsSystem;
use retire::elf::Program;
use rust_hdl::prelude::*;
use sim::riscv::CoreState;
use sim::scheme::inputs::model::{Beat, InputsStats};
use sim::scheme::inputs::start::TrackedState;
use sim::scheme::inputs::{InputsParams, Recorder};
use sim::stimulus::Source;

pub type Bench = data::Bench<Golden>;
pub type Dut = data::Dut<InputsSystem>;

impl DataSystem for InputsSystem {
    type Params = InputsParams;

    fn of(p: &InputsParams, log2_depth: usize) -> Self {
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
        self.mem_valid.next = i.mem.valid && !i.mem.master;
        for k in 0..self.master_valid.len() {
            self.master_valid[k].next = i.mem.valid && i.mem.master;
            self.master_addr[k].next = i.value("master_addr", k).to_bits();
            self.master_data[k].next = i.value("master_data", k).to_bits();
            self.master_mask[k].next = i.value("master_mask", k).to_bits();
        }
        self.mem_core.next = i.value("mem_core", 0).to_bits();
        self.mem_addr.next = i.value("mem_addr", 0).to_bits();
        self.mem_write.next = i.mem.write;
        self.mem_changes.next = i.mem.changes;
        self.mem_again.next = i.mem.again;
        for (k, c) in i.cores.iter().enumerate() {
            let pins = &mut self.pins[k];
            c.drive(&mut pins.rvfi);
            pins.rvfi_pc_rdata.next = u64::from(c.pc.0).to_bits();
            pins.rvfi_pc_wdata.next = u64::from(c.pc.1).to_bits();
            pins.trap.valid.next = c.told.is_some();
            pins.trap.interrupt.next = c.told.is_some_and(|t| t.0);
            pins.trap.cause.next = u64::from(c.told.map_or(0, |t| t.1)).to_bits();
        }
    }

    fn sample(&self) -> Outputs {
        Outputs {
            recording: self.recording.val(),
            hold: self.hold.val(),
            lost: false,
            rdata: self.bus_rdata.val().to_u64() as u32,
            word: self.valid.val().then(|| self.data.val().to_u64() as u32),
        }
    }
}

/// An empty program, which the cycle-by-cycle model does not need.
fn nothing() -> Program {
    let (segments, build_id) = (Vec::new(), Vec::new());
    Program { xlen: 32, compressed: true, multiplies: true, zcm: false, tohost: None, entry: 0, segments, build_id }
}

/// Updates the state of a core from its ports.
fn track(kept: &mut TrackedState, c: &CorePorts) {
    let register = Some(c.rd).filter(|r| r.0 != 0);
    match c.told {
        _ if c.valid && !c.trap && c.told.is_none() => kept.retired(c.insn, c.pc.1, register),
        Some((interrupt, cause)) => kept.trap(interrupt, cause),
        None if c.valid => kept.trap(false, 0),
        None => {}
    }
}

/// The model: the recording, and the state of the cores.
pub struct Golden {
    p: InputsParams,
    recorder: Option<Recorder>,
    kept: Vec<TrackedState>,
}

impl Golden {
    /// The state of the cores, as reported by the ports so far.
    fn states(&self) -> Vec<CoreState> {
        self.kept.iter().map(|k| k.state.clone()).collect()
    }

    /// The recorder; starts a recording if there is none.
    fn recorder(&mut self, states: Vec<CoreState>) -> &mut Recorder {
        let p = self.p;
        self.recorder.get_or_insert_with(|| {
            let mut recorder = Recorder::new(&p, &nothing()).unwrap();
            if p.sizes.known > 0 {
                recorder.begin(&vec![0; p.ram_bytes as usize], states);
            }
            recorder
        })
    }
}

impl Model for Golden {
    type System = InputsSystem;
    type Stats = InputsStats;

    fn new(p: &InputsParams) -> Self {
        Self { p: *p, recorder: None, kept: vec![TrackedState::new(p.profile); p.cores.into()] }
    }

    fn unstalled_ports(p: &InputsParams, s: &mut Source) -> (MemPorts, Vec<CorePorts>) {
        // in a recording from the middle of a run, cores wait while `hold` is 1, from the first cycle on
        if p.sizes.known > 0 {
            return (MemPorts::default(), vec![CorePorts::default(); p.cores.into()]);
        }
        let cores = (0..p.cores).map(|_| {
            let (b, insn) = beat(s, p, false);
            let aligned = s.percent(50);
            ports(s, &b, insn, aligned)
        });
        let cores = cores.collect();
        (memory(s, p, false), cores)
    }

    fn cycle(&mut self, inputs: &Inputs, out: &Outputs, beats: &[Beat]) {
        let before = self.states();
        for (kept, core) in self.kept.iter_mut().zip(&inputs.cores) {
            track(kept, core);
        }
        let p = self.p;
        if out.recording {
            let recorder = self.recorder(before);
            match inputs.mem.store(&p) {
                Some(store) => recorder.clock_master(&store, beats),
                None => recorder.clock(inputs.mem.reference(&p).as_ref(), beats),
            }
        }
        if inputs.reset {
            *self = Self::new(&p);
        }
    }

    fn end(&mut self) -> (Vec<u32>, InputsStats) {
        let states = self.states();
        self.recorder(states).finish();
        let mut recorder = self.recorder.take().unwrap();
        let words = recorder.drain().collect();
        (words, *recorder.stats())
    }
}
