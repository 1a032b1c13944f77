//! A record system clock by clock, in rust-hdl's simulator or in Verilator, beside its golden model

pub mod beats;
pub mod run;

use fpga::cosim::{Cosim, Session};
use hdl::scheme::inputs::system::InputsSystem;
use retire::elf::Program;
use retire::MasterStore;
use rust_hdl::prelude::*;
use sim::regs::REGS;
use sim::riscv::CoreState;
use sim::scheme::inputs::model::{Beat, Reference};
use sim::scheme::inputs::start::Kept;
use sim::scheme::inputs::{InputsParams, Recorder};
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
    /// Interrupt, cause.
    pub told: Option<(bool, u8)>,
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
    /// A store of a bus master that is no core, of these bytes of the word.
    pub master: bool,
    pub data: u32,
    pub mask: u8,
}

impl MemPorts {
    /// The reference that it is, if any.
    pub fn reference(&self, p: &InputsParams) -> Option<Reference> {
        let ram = p.is_ram(self.addr.into(), 1);
        let MemPorts { core, addr, again, .. } = *self;
        let changes = self.write && (self.changes || !ram);
        let of_core = self.valid && !self.master && (self.write || ram);
        of_core.then_some(Reference { core, addr: addr.into(), changes, again })
    }

    /// The store of a bus master that it is, if any.
    pub fn store(&self, p: &InputsParams) -> Option<MasterStore> {
        let store = MasterStore { addr: (self.addr & !3).into(), value: self.data, mask: self.mask, cycle: 0 };
        let there = self.valid && self.master && self.mask != 0 && p.is_ram(store.addr, 4);
        there.then(|| MasterStore { value: self.data & store.bits(), ..store })
    }
}

/// All inputs of a clock.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    pub reset: bool,
    pub bus: (u64, Option<u64>),
    pub ready: bool,
    pub mem: MemPorts,
    pub cores: Vec<CorePorts>,
}

impl Inputs {
    /// What the port `name` of core `core` is given.
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

/// All outputs of a clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
    pub recording: bool,
    pub hold: bool,
    pub rdata: u32,
    pub word: Option<u32>,
}

/// One of the two simulations.
pub enum Dut {
    Rust(Box<Driver<InputsSystem>>),
    Verilog { session: Session, ports: Vec<(String, usize)>, outputs: [usize; 5] },
}

impl Dut {
    pub fn rust(p: &InputsParams, log2_depth: usize) -> Self {
        let d = Driver::new(InputsSystem::new(p, log2_depth), |u, c| u.clock.next = c.into()).unwrap();
        Self::Rust(Box::new(d.recording()))
    }

    /// The Verilog, built; with random bits from `seed` in all memories.
    pub fn build(p: &InputsParams, log2_depth: usize, seed: u32) -> Cosim {
        let mut system = InputsSystem::new(p, log2_depth);
        system.connect_all();
        Cosim::of_block(&system).unwrap().with_random_state(seed)
    }

    pub fn verilog(cosim: &Cosim) -> Self {
        let split = |name: &str| match name.rsplit_once('$') {
            Some((name, core)) => (name.to_string(), core.parse().unwrap()),
            None => (name.to_string(), 0),
        };
        let ports = cosim.inputs().iter().map(|p| split(&p.name)).collect();
        let outputs = ["recording", "hold", "bus_rdata", "valid", "data"].map(|n| cosim.output(n).unwrap());
        Self::Verilog { session: cosim.session().unwrap(), ports, outputs }
    }

    pub fn step(&mut self, i: &Inputs) -> Outputs {
        match self {
            Self::Rust(d) => d.cycle(|u| set(u, i), sample).unwrap(),
            Self::Verilog { session, ports, outputs } => {
                let vector: Vec<u128> = ports.iter().map(|(name, core)| i.value(name, *core).into()).collect();
                let out = session.step(&vector).unwrap();
                let [recording, hold, rdata, valid, data] = outputs.map(|i| out[i]);
                let word = (valid == 1).then_some(data as u32);
                Outputs { recording: recording == 1, hold: hold == 1, rdata: rdata as u32, word }
            }
        }
    }
}

fn set(u: &mut InputsSystem, i: &Inputs) {
    u.reset.next = i.reset;
    u.bus_addr.next = i.bus.0.to_bits();
    u.bus_write.next = i.bus.1.is_some();
    u.bus_wdata.next = i.bus.1.unwrap_or(0).to_bits();
    u.ready.next = i.ready;
    u.mem_valid.next = i.mem.valid && !i.mem.master;
    for k in 0..u.master_valid.len() {
        u.master_valid[k].next = i.mem.valid && i.mem.master;
        u.master_addr[k].next = i.value("master_addr", k).to_bits();
        u.master_data[k].next = i.value("master_data", k).to_bits();
        u.master_mask[k].next = i.value("master_mask", k).to_bits();
    }
    u.mem_core.next = i.value("mem_core", 0).to_bits();
    u.mem_addr.next = i.value("mem_addr", 0).to_bits();
    u.mem_write.next = i.mem.write;
    u.mem_changes.next = i.mem.changes;
    u.mem_again.next = i.mem.again;
    for (k, c) in i.cores.iter().enumerate() {
        u.rvfi_valid[k].next = c.valid;
        u.rvfi_insn[k].next = u64::from(c.insn).to_bits();
        u.rvfi_trap[k].next = c.trap;
        u.rvfi_pc_rdata[k].next = u64::from(c.pc.0).to_bits();
        u.rvfi_pc_wdata[k].next = u64::from(c.pc.1).to_bits();
        u.rvfi_rd_addr[k].next = u64::from(c.rd.0).to_bits();
        u.rvfi_rd_wdata[k].next = u64::from(c.rd.1).to_bits();
        u.rvfi_mem_addr[k].next = u64::from(c.addr).to_bits();
        u.rvfi_mem_rmask[k].next = u64::from(c.masks.0).to_bits();
        u.rvfi_mem_wmask[k].next = u64::from(c.masks.1).to_bits();
        u.rvfi_mem_rdata[k].next = u64::from(c.data.0).to_bits();
        u.rvfi_mem_wdata[k].next = u64::from(c.data.1).to_bits();
        u.trap_valid[k].next = c.told.is_some();
        u.trap_interrupt[k].next = c.told.is_some_and(|t| t.0);
        u.trap_cause[k].next = u64::from(c.told.map_or(0, |t| t.1)).to_bits();
    }
}

fn sample(u: &InputsSystem) -> Outputs {
    Outputs {
        recording: u.recording.val(),
        hold: u.hold.val(),
        rdata: u.bus_rdata.val().to_u64() as u32,
        word: u.valid.val().then(|| u.data.val().to_u64() as u32),
    }
}

/// An empty program: the model clock by clock needs none.
fn nothing() -> Program {
    let (segments, build_id) = (Vec::new(), Vec::new());
    Program { xlen: 32, compressed: true, multiplies: true, tohost: None, entry: 0, segments, build_id }
}

fn address(name: &str) -> u64 {
    REGS.iter().find(|r| r.name == name).unwrap().addr.into()
}

/// What a core's port tells of its state.
fn track(kept: &mut Kept, c: &CorePorts) {
    let register = Some(c.rd).filter(|r| r.0 != 0);
    match c.told {
        _ if c.valid && !c.trap && c.told.is_none() => kept.retired(c.insn, c.pc.1, register),
        Some((interrupt, cause)) => kept.trap(interrupt, cause),
        None if c.valid => kept.trap(false, 0),
        None => {}
    }
}

/// A circuit and its model.
pub struct Bench {
    pub dut: Dut,
    pub p: InputsParams,
    pub golden: Option<Recorder>,
    pub words: Vec<u32>,
    pub hold: bool,
    pub recording: bool,
    pub cycles: u64,
    /// Clocks in which `hold` was 1.
    pub held: u64,
    /// Clocks since `hold` rose.
    pub waits: u64,
    kept: Vec<Kept>,
    bus: (u64, Option<u64>),
    rdata: u32,
}

impl Bench {
    pub fn new(dut: Dut, p: InputsParams) -> Self {
        Self {
            dut,
            p,
            golden: None,
            words: Vec::new(),
            hold: false,
            recording: false,
            cycles: 0,
            held: 0,
            waits: 0,
            kept: vec![Kept::new(p.profile); p.cores.into()],
            bus: (address("status"), None),
            rdata: 0,
        }
    }

    /// What the ports told of the cores so far.
    fn states(&self) -> Vec<CoreState> {
        self.kept.iter().map(|k| k.state.clone()).collect()
    }

    /// The model, where a recording begins.
    fn fresh(&self, states: Vec<CoreState>) -> Recorder {
        let mut golden = Recorder::new(&self.p, &nothing()).unwrap();
        if self.p.sizes.known > 0 {
            golden.begin(&vec![0; self.p.ram_bytes as usize], states);
        }
        golden
    }

    /// One clock. What stands at the ports is `beats`, if it is recorded.
    pub fn cycle(&mut self, reset: bool, ready: bool, mem: MemPorts, ports: Vec<CorePorts>, beats: &[Beat]) {
        let before = self.states();
        for (kept, core) in self.kept.iter_mut().zip(&ports) {
            track(kept, core);
        }
        let inputs = Inputs { reset, bus: self.bus, ready, mem, cores: ports };
        self.bus = (address("status"), None);
        let out = self.dut.step(&inputs);
        (self.hold, self.recording, self.rdata) = (out.hold, out.recording, out.rdata);
        self.cycles += 1;
        self.held += u64::from(out.hold);
        self.waits = if out.hold { self.waits + 1 } else { 0 };
        if out.recording {
            let mut golden = self.golden.take().unwrap_or_else(|| self.fresh(before));
            match mem.store(&self.p) {
                Some(store) => golden.clock_master(&store, beats),
                None => golden.clock(mem.reference(&self.p).as_ref(), beats),
            }
            self.golden = Some(golden);
        }
        if let (true, Some(word)) = (ready, out.word) {
            self.words.push(word);
        }
        if reset {
            self.golden = None;
            self.words.clear();
            self.kept.fill(Kept::new(self.p.profile));
        }
    }

    /// A clock in which nothing is told.
    pub fn idle(&mut self, ready: bool) {
        self.cycle(false, ready, MemPorts::default(), vec![CorePorts::default(); self.p.cores.into()], &[]);
    }

    pub fn write(&mut self, name: &str, value: u64) {
        self.bus = (address(name), Some(value));
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

    /// Disables, takes what comes, and holds it to the model: the words.
    pub fn end(&mut self, place: &str) -> Vec<u32> {
        self.write("control", 0);
        self.idle(false);
        for n in 0..100_000 {
            self.idle(n % 3 != 0);
            if n > 8 && self.rdata & 4 != 0 {
                break;
            }
        }
        assert_eq!(self.rdata & 4, 4, "{place}: it does not come to an end");
        let mut golden = self.golden.take().unwrap_or_else(|| self.fresh(self.states()));
        golden.finish();
        let want: Vec<u32> = golden.drain().collect();
        let got = std::mem::take(&mut self.words);
        for (i, (w, g)) in want.iter().zip(&got).enumerate() {
            assert_eq!(w, g, "{place}: word {i} of {}: model 0x{w:08x}, circuit 0x{g:08x}", want.len());
        }
        assert_eq!(want.len(), got.len(), "{place}");
        got
    }
}
