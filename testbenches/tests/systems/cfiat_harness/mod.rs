//! A system of load values clock by clock, in rust-hdl's simulator or in Verilator, beside its golden model

use super::inputs_harness::{CorePorts, Inputs};
use fpga::cosim::{Cosim, Session};
use hdl::scheme::cfiat::system::CfiatSystem;
use retire::{DataEvent, DataKind, Note, RetireSink};
use rust_hdl::prelude::*;
use sim::regs::REGS;
use sim::scheme::cfiat::stats::CfiatStats;
use sim::scheme::cfiat::{CfiatParams, Recorder};
use sim::scheme::inputs::model::{Beat, Retired};
use std::collections::VecDeque;
use testbenches::driver::Driver;

/// Clocks from a core's port to the answer whether it was lost.
const ANSWER: usize = 2;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
    pub recording: bool,
    pub hold: bool,
    pub lost: bool,
    pub rdata: u32,
    pub word: Option<u32>,
}

/// One of the two simulations.
pub enum Dut {
    Rust(Box<Driver<CfiatSystem>>),
    Verilog { session: Session, ports: Vec<(String, usize)>, outputs: Box<[usize; 6]> },
}

impl Dut {
    pub fn rust(p: &CfiatParams, log2_depth: usize) -> Self {
        let d = Driver::new(CfiatSystem::new(p, log2_depth), |u, c| u.clock.next = c.into()).unwrap();
        Self::Rust(Box::new(d.recording()))
    }

    /// The Verilog, with random bits from `seed` in all memories.
    pub fn verilog(p: &CfiatParams, log2_depth: usize, seed: u32) -> Self {
        let mut system = CfiatSystem::new(p, log2_depth);
        system.connect_all();
        let cosim = Cosim::of_block(&system).unwrap().with_random_state(seed);
        let split = |name: &str| match name.rsplit_once('$') {
            Some((name, core)) => (name.to_string(), core.parse().unwrap()),
            None => (name.to_string(), 0),
        };
        let ports = cosim.inputs().iter().map(|p| split(&p.name)).collect();
        let outputs = ["recording", "hold", "lost", "bus_rdata", "valid", "data"].map(|n| cosim.output(n).unwrap());
        Self::Verilog { session: cosim.session().unwrap(), ports, outputs: Box::new(outputs) }
    }

    fn step(&mut self, i: &Inputs) -> Outputs {
        match self {
            Self::Rust(d) => d.cycle(|u| set(u, i), sample).unwrap(),
            Self::Verilog { session, ports, outputs } => {
                let vector: Vec<u128> = ports.iter().map(|(name, core)| i.value(name, *core).into()).collect();
                let out = session.step(&vector).unwrap();
                let [recording, hold, lost, rdata, valid, data] = (**outputs).map(|i| out[i]);
                let word = (valid == 1).then_some(data as u32);
                Outputs { recording: recording == 1, hold: hold == 1, lost: lost == 1, rdata: rdata as u32, word }
            }
        }
    }
}

fn set(u: &mut CfiatSystem, i: &Inputs) {
    u.reset.next = i.reset;
    u.bus_addr.next = i.bus.0.to_bits();
    u.bus_write.next = i.bus.1.is_some();
    u.bus_wdata.next = i.bus.1.unwrap_or(0).to_bits();
    u.ready.next = i.ready;
    for (k, c) in i.cores.iter().enumerate() {
        u.rvfi_valid[k].next = c.valid;
        u.rvfi_insn[k].next = u64::from(c.insn).to_bits();
        u.rvfi_trap[k].next = c.trap;
        u.rvfi_rd_addr[k].next = u64::from(c.rd.0).to_bits();
        u.rvfi_rd_wdata[k].next = u64::from(c.rd.1).to_bits();
        u.rvfi_mem_addr[k].next = u64::from(c.addr).to_bits();
        u.rvfi_mem_rmask[k].next = u64::from(c.masks.0).to_bits();
        u.rvfi_mem_wmask[k].next = u64::from(c.masks.1).to_bits();
        u.rvfi_mem_rdata[k].next = u64::from(c.data.0).to_bits();
        u.rvfi_mem_wdata[k].next = u64::from(c.data.1).to_bits();
    }
}

fn sample(u: &CfiatSystem) -> Outputs {
    Outputs {
        recording: u.recording.val(),
        hold: u.hold.val(),
        lost: u.lost.val(),
        rdata: u.bus_rdata.val().to_u64() as u32,
        word: u.valid.val().then(|| u.data.val().to_u64() as u32),
    }
}

fn address(name: &str) -> u64 {
    REGS.iter().find(|r| r.name == name).unwrap().addr.into()
}

/// What the golden model is told of an instruction.
fn tell(golden: &mut Recorder, hart: u8, r: &Retired) {
    if let Some(stored) = r.conditional {
        golden.note(hart, &Note::StoreConditional { stored });
    }
    let load = r.load.map(|a| DataKind::Load { size: a.size, addr: a.addr.into(), value: a.value.into() });
    let store = r.store.map(|a| DataKind::Store { size: a.size, addr: a.addr.into(), value: a.value.into() });
    let csr = r.csr.map(|(csr, value)| DataKind::Csr { csr, value: value.into() });
    for kind in load.into_iter().chain(store).chain(csr) {
        golden.data(&DataEvent { hart, kind, pc: 0, cycle: 0 });
    }
}

/// A circuit and its model.
pub struct Bench {
    pub dut: Dut,
    pub p: CfiatParams,
    pub hold: bool,
    pub recording: bool,
    pub lost: bool,
    pub cycles: u64,
    /// Clocks in which `hold` was 1.
    pub held: u64,
    golden: Option<Recorder>,
    /// Beats of which it is not known yet whether they were lost.
    pending: VecDeque<Vec<Beat>>,
    words: Vec<u32>,
    bus: (u64, Option<u64>),
    rdata: u32,
}

impl Bench {
    pub fn new(dut: Dut, p: CfiatParams) -> Self {
        let bus = (address("status"), None);
        let (golden, pending, words) = (None, VecDeque::new(), Vec::new());
        Self {
            dut,
            p,
            hold: false,
            recording: false,
            lost: false,
            cycles: 0,
            held: 0,
            golden,
            pending,
            words,
            bus,
            rdata: 0,
        }
    }

    fn model(&mut self) -> &mut Recorder {
        let p = self.p;
        self.golden.get_or_insert_with(|| Recorder::new(&p).unwrap())
    }

    fn tell_oldest(&mut self) {
        for (hart, beat) in self.pending.pop_front().unwrap_or_default().iter().enumerate() {
            if let Beat::Retired(r) = beat {
                tell(self.model(), hart as u8, r);
            }
        }
    }

    /// One clock. What stands at the ports is `beats`.
    pub fn cycle(&mut self, reset: bool, ready: bool, ports: Vec<CorePorts>, beats: &[Beat]) {
        let inputs = Inputs { reset, bus: self.bus, ready, cores: ports, ..Inputs::default() };
        self.bus = (address("status"), None);
        let out = self.dut.step(&inputs);
        (self.hold, self.recording, self.lost, self.rdata) = (out.hold, out.recording, out.lost, out.rdata);
        self.cycles += 1;
        self.held += u64::from(out.hold);
        if out.lost {
            self.pending.clear();
        } else if self.pending.len() == ANSWER {
            self.tell_oldest();
        }
        self.pending.push_back(if out.recording { beats.to_vec() } else { Vec::new() });
        if let (true, Some(word)) = (ready, out.word) {
            self.words.push(word);
        }
        if reset {
            self.golden = None;
            self.pending.clear();
            self.words.clear();
        }
    }

    /// A clock in which nothing is told.
    pub fn idle(&mut self, ready: bool) {
        self.cycle(false, ready, vec![CorePorts::default(); self.p.cores.into()], &[]);
    }

    pub fn write(&mut self, name: &str, value: u64) {
        self.bus = (address(name), Some(value));
    }

    /// What a register reads.
    pub fn read(&mut self, name: &str) -> u32 {
        self.bus = (address(name), None);
        self.idle(true);
        self.idle(true);
        self.rdata
    }

    /// Enables, and waits until the cores may begin.
    pub fn begin(&mut self) {
        self.write("control", 1);
        for _ in 0..10_000 {
            self.idle(true);
            if self.recording {
                return;
            }
        }
        panic!("it does not begin to record");
    }

    /// Disables, takes what comes, and holds it to the model: the words, and what they are made of.
    pub fn end(&mut self, place: &str) -> (Vec<u32>, CfiatStats) {
        self.write("control", 0);
        self.idle(false);
        for n in 0..100_000 {
            self.idle(n % 3 != 0);
            if n > 8 && self.rdata & 4 != 0 {
                break;
            }
        }
        assert_eq!(self.rdata & 4, 4, "{place}: it does not come to an end");
        while !self.pending.is_empty() {
            self.tell_oldest();
        }
        self.model().finish();
        let mut golden = self.golden.take().unwrap();
        let want: Vec<u32> = golden.drain().collect();
        let got = std::mem::take(&mut self.words);
        for (i, (w, g)) in want.iter().zip(&got).enumerate() {
            assert_eq!(w, g, "{place}: word {i} of {}: model 0x{w:08x}, circuit 0x{g:08x}", want.len());
        }
        assert_eq!(want.len(), got.len(), "{place}");
        (got, *golden.stats())
    }
}
