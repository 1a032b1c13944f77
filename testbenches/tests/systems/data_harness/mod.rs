//! Runs a system of the schemes `inputs` or `cfiat` cycle by cycle, in rust-hdl's simulator or in Verilator, with its
//! golden model
#![allow(missing_docs)]

use fpga::cosim::{Cosim, Session};
use hdl::ingress::rvfi_data::RvfiDataChannel;
use hdl::sweep::Ports;
use retire::MasterStore;
use rust_hdl::prelude::*;
use sim::regs::REGS;
use sim::scheme::inputs::model::{Beat, Reference};
use sim::scheme::inputs::InputsParams;
use sim::stimulus::Source;
use testbenches::driver::Driver;

/// Ports of one core.
#[derive(Clone, Copy, Debug, Default)]
pub struct CorePorts {
    pub valid: bool,
    pub insn: u32,
    pub trap: bool,
    pub pc: (u32, u32),
    pub rd: (u8, u32),
    pub addr: u32,
    pub masks: (u8, u8),
    pub data: (u32, u32),
    /// Trap port: interrupt flag and cause.
    pub told: Option<(bool, u8)>,
}

impl CorePorts {
    /// Drives the pins, except for instruction addresses and the trap port.
    pub fn drive(&self, pins: &mut RvfiDataChannel<32, 4>) {
        pins.valid.next = self.valid;
        pins.insn.next = u64::from(self.insn).to_bits();
        pins.trap.next = self.trap;
        pins.rd_addr.next = u64::from(self.rd.0).to_bits();
        pins.rd_wdata.next = u64::from(self.rd.1).to_bits();
        pins.mem_addr.next = u64::from(self.addr).to_bits();
        pins.mem_rmask.next = u64::from(self.masks.0).to_bits();
        pins.mem_wmask.next = u64::from(self.masks.1).to_bits();
        pins.mem_rdata.next = u64::from(self.data.0).to_bits();
        pins.mem_wdata.next = u64::from(self.data.1).to_bits();
    }
}

/// Ports of the memory bus.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemPorts {
    pub valid: bool,
    pub core: u8,
    pub addr: u32,
    pub write: bool,
    pub changes: bool,
    pub again: bool,
    /// Whether it is a store of a bus master that is not a core, of these bytes of the word.
    pub master: bool,
    pub data: u32,
    pub mask: u8,
}

impl MemPorts {
    /// The memory reference of these ports, if any.
    pub fn reference(&self, p: &InputsParams) -> Option<Reference> {
        let ram = p.is_ram(self.addr.into(), 1);
        let MemPorts { core, addr, again, .. } = *self;
        let changes = self.write && (self.changes || !ram);
        let of_core = self.valid && !self.master && (self.write || ram);
        of_core.then_some(Reference { core, addr: addr.into(), changes, again })
    }

    /// The bus master's store of these ports, if any.
    pub fn store(&self, p: &InputsParams) -> Option<MasterStore> {
        let store = MasterStore { addr: (self.addr & !3).into(), value: self.data, mask: self.mask, cycle: 0 };
        let there = self.valid && self.master && self.mask != 0 && p.is_ram(store.addr, 4);
        there.then(|| MasterStore { value: self.data & store.bits(), ..store })
    }
}

/// All inputs of a cycle.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    pub reset: bool,
    pub bus: (u64, Option<u64>),
    pub ready: bool,
    pub mem: MemPorts,
    pub cores: Vec<CorePorts>,
}

impl Inputs {
    /// The value for the port `name` of core `core`.
    pub fn value(&self, name: &str, core: usize) -> u64 {
        let c = self.cores[core];
        match name {
            "reset" => self.reset.into(),
            "bus_addr" => self.bus.0,
            "bus_write" => self.bus.1.is_some().into(),
            "bus_wdata" => self.bus.1.unwrap_or(0),
            "ready" => self.ready.into(),
            "mem_valid" => (self.mem.valid && !self.mem.master).into(),
            "master_valid" => (self.mem.valid && self.mem.master).into(),
            "master_addr" => self.mem.addr.into(),
            "master_data" => self.mem.data.into(),
            "master_mask" => self.mem.mask.into(),
            "mem_core" => self.mem.core.into(),
            "mem_addr" => self.mem.addr.into(),
            "mem_write" => self.mem.write.into(),
            "mem_changes" => self.mem.changes.into(),
            "mem_again" => self.mem.again.into(),
            "rvfi_valid" => c.valid.into(),
            "rvfi_insn" => c.insn.into(),
            "rvfi_trap" => c.trap.into(),
            "rvfi_pc_rdata" => c.pc.0.into(),
            "rvfi_pc_wdata" => c.pc.1.into(),
            "rvfi_rd_addr" => c.rd.0.into(),
            "rvfi_rd_wdata" => c.rd.1.into(),
            "rvfi_mem_addr" => c.addr.into(),
            "rvfi_mem_rmask" => c.masks.0.into(),
            "rvfi_mem_wmask" => c.masks.1.into(),
            "rvfi_mem_rdata" => c.data.0.into(),
            "rvfi_mem_wdata" => c.data.1.into(),
            "trap_valid" => c.told.is_some().into(),
            "trap_interrupt" => c.told.is_some_and(|t| t.0).into(),
            "trap_cause" => c.told.map_or(0, |t| t.1).into(),
            other => panic!("port {other}"),
        }
    }
}

/// All outputs of a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
    pub recording: bool,
    pub hold: bool,
    /// Only of a scheme that can lose something.
    pub lost: bool,
    pub rdata: u32,
    pub word: Option<u32>,
}

/// The circuit of a scheme.
pub trait DataSystem: Ports + Sized + 'static {
    type Params: Copy;
    fn of(p: &Self::Params, log2_depth: usize) -> Self;
    fn clock(&mut self, high: bool);
    fn set(&mut self, inputs: &Inputs);
    fn sample(&self) -> Outputs;
}

/// One of the two simulations.
#[allow(clippy::large_enum_variant, reason = "there is one of it")]
pub enum Dut<S: DataSystem> {
    Rust(Box<Driver<S>>),
    Verilog { session: Session, ports: Vec<(String, usize)>, outputs: [usize; 5], lost: Option<usize> },
}

impl<S: DataSystem> Dut<S> {
    pub fn rust(p: &S::Params, log2_depth: usize) -> Self {
        Self::Rust(Box::new(Driver::new(S::of(p, log2_depth), S::clock).unwrap().recording()))
    }

    /// Builds the Verilog, with random bits from `seed` in all memories.
    pub fn build(p: &S::Params, log2_depth: usize, seed: u32) -> Cosim {
        let mut system = S::of(p, log2_depth);
        system.connect_all();
        Cosim::of_system(&system, true).unwrap().with_random_state(seed)
    }

    pub fn verilog(cosim: &Cosim) -> Self {
        let split = |name: &str| {
            let name = hdl::verilog::plain(name);
            let indexed = name.rsplit_once('_').and_then(|(name, core)| Some((name.to_string(), core.parse().ok()?)));
            indexed.unwrap_or((name, 0))
        };
        let ports = cosim.inputs().iter().map(|p| split(&p.name)).collect();
        let outputs = ["recording", "hold", "bus_rdata", "valid", "data"].map(|n| cosim.output(n).unwrap());
        Self::Verilog { session: cosim.session().unwrap(), ports, outputs, lost: cosim.output("lost").ok() }
    }

    fn step(&mut self, i: &Inputs) -> Outputs {
        match self {
            Self::Rust(d) => d.cycle(|u| u.set(i), S::sample).unwrap(),
            Self::Verilog { session, ports, outputs, lost } => {
                let vector: Vec<u128> = ports.iter().map(|(name, core)| i.value(name, *core).into()).collect();
                let out = session.step(&vector).unwrap();
                let [recording, hold, rdata, valid, data] = outputs.map(|i| out[i]);
                let word = (valid == 1).then_some(data as u32);
                let lost = lost.is_some_and(|i| out[i] == 1);
                Outputs { recording: recording == 1, hold: hold == 1, lost, rdata: rdata as u32, word }
            }
        }
    }
}

/// A golden model that runs in step with a circuit.
pub trait Model {
    type System: DataSystem;
    type Stats;
    fn new(p: &<Self::System as DataSystem>::Params) -> Self;
    /// Port values of cores that do not wait, for one cycle.
    fn unstalled_ports(p: &<Self::System as DataSystem>::Params, s: &mut Source) -> (MemPorts, Vec<CorePorts>);
    /// Updates the model with the inputs and outputs of a cycle. `beats`: the meaning of the ports, if recorded.
    fn cycle(&mut self, inputs: &Inputs, out: &Outputs, beats: &[Beat]);
    /// The words of the recording, and its statistics.
    fn end(&mut self) -> (Vec<u32>, Self::Stats);
}

fn address(name: &str) -> u64 {
    REGS.iter().find(|r| r.name == name).unwrap().addr.into()
}

/// A circuit and its model.
pub struct Bench<M: Model> {
    pub dut: Dut<M::System>,
    pub p: <M::System as DataSystem>::Params,
    pub cores: usize,
    pub hold: bool,
    pub recording: bool,
    pub lost: bool,
    pub cycles: u64,
    /// Cycles in which `hold` was 1.
    pub held: u64,
    /// Cycles since `hold` rose.
    pub waits: u64,
    model: M,
    words: Vec<u32>,
    bus: (u64, Option<u64>),
    rdata: u32,
}

impl<M: Model> Bench<M> {
    pub fn new(dut: Dut<M::System>, p: <M::System as DataSystem>::Params, cores: u8) -> Self {
        Self {
            dut,
            model: M::new(&p),
            p,
            cores: cores.into(),
            hold: false,
            recording: false,
            lost: false,
            cycles: 0,
            held: 0,
            waits: 0,
            words: Vec::new(),
            bus: (address("status"), None),
            rdata: 0,
        }
    }

    /// Runs one cycle. `beats` is the meaning of the ports, if recorded.
    pub fn cycle(&mut self, reset: bool, ready: bool, mem: MemPorts, cores: Vec<CorePorts>, beats: &[Beat]) {
        let inputs = Inputs { reset, bus: self.bus, ready, mem, cores };
        self.bus = (address("status"), None);
        let out = self.dut.step(&inputs);
        (self.hold, self.recording, self.lost, self.rdata) = (out.hold, out.recording, out.lost, out.rdata);
        self.cycles += 1;
        self.held += u64::from(out.hold);
        self.waits = if out.hold { self.waits + 1 } else { 0 };
        self.model.cycle(&inputs, &out, beats);
        if let (true, Some(word)) = (ready, out.word) {
            self.words.push(word);
        }
        if reset {
            self.words.clear();
        }
    }

    /// Runs a cycle in which nothing is reported.
    pub fn idle(&mut self, ready: bool) {
        self.cycle(false, ready, MemPorts::default(), vec![CorePorts::default(); self.cores], &[]);
    }

    pub fn write(&mut self, name: &str, value: u64) {
        self.bus = (address(name), Some(value));
    }

    /// Reads a register.
    pub fn read(&mut self, name: &str) -> u32 {
        self.bus = (address(name), None);
        self.idle(true);
        self.idle(true);
        self.rdata
    }

    /// Enables recording, and waits until the cores may begin.
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

    /// Disables recording and collects the remaining words. From the second cycle after that, the cores continue with
    /// random instructions from `seed`.
    pub fn disable(&mut self, place: &str, seed: u64) -> Vec<u32> {
        let mut s = Source::seeded(seed);
        self.write("control", 0);
        self.idle(false);
        self.idle(true);
        for n in 0..100_000 {
            let (mem, cores) = M::unstalled_ports(&self.p, &mut s);
            self.cycle(false, n % 3 != 0, mem, cores, &[]);
            if n > 8 && self.rdata & 4 != 0 {
                break;
            }
        }
        assert_eq!(self.rdata & 4, 4, "{place}: it does not come to an end");
        std::mem::take(&mut self.words)
    }

    /// Makes the model forget the recording.
    pub fn forget(&mut self) {
        self.model = M::new(&self.p);
    }

    /// Disables recording, collects the remaining words, and compares words and statistics with the model.
    pub fn end(&mut self, place: &str) -> (Vec<u32>, M::Stats) {
        let got = self.disable(place, self.cycles);
        let (want, stats) = self.model.end();
        for (i, (w, g)) in want.iter().zip(&got).enumerate() {
            assert_eq!(w, g, "{place}: word {i} of {}: model 0x{w:08x}, circuit 0x{g:08x}", want.len());
        }
        assert_eq!(want.len(), got.len(), "{place}");
        (got, stats)
    }
}
