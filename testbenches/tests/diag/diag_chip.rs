//! `hdl/src/diag/{chip,client}.rs` against the golden chip
//!
//! The paper's two examples: events of real programs go over the ring to machine and aggregate, and the frames contain
//! what the golden chip sends, word for word. The generators are golden models, connected as external clients. Then a
//! chip with lite generators at RVFI ports, compared with golden generators.

use crate::diag_harness::check_verilog;
use diag::app::App;
use diag::layout::{table, MACHINES};
use diag::line::Sender;
use diag::link::{FrameReader, FrameWriter};
use diag::load;
use diag::noisy::{Noise, NoisyHost};
use diag::parse::parse;
use diag::plan::{plan, Rates};
use diag::resolve::resolve;
use diag::share::Share;
use diag::symbols::Symbols;
use diag::watch::Watcher;
use hdl::diag::chip::{DiagChip, DiagParams};
use retire::image::Image;
use retire::{DataEvent, FlowEvent, MasterStore, RetireSink};
use rust_hdl::prelude::*;
use sim::diag::chip::{Chip, ChipParams, FIRST_NODE, TICK_EVENT};
use sim::diag::generator::{Generator, ObservedInsn};
use sim::diag::node::{aggregate, count, log, tick, Field, Node, NodeKind, Target};
use sim::diag::packet::{Args, Body, Event, Op, Packet, HOST};
use sim::diag::registers::{self, Writes};
use sim::diag::trigger::{Capture, GeneratorParams, Slot, Trigger};
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::stimulus::{long, rounds, Source};
use std::collections::VecDeque;
use testbenches::driver::Driver;
use testbenches::gates::emit_checked_system;

/// What a core retires in a cycle, at its RVFI port.
type Retired = Option<(u32, u32)>;

/// An instruction at an address that ends with this writes the address of the next one to x10.
pub const WRITES_X10: u32 = 0x300;

pub struct Bench {
    pub d: Driver<DiagChip>,
    s: Source,
    host: VecDeque<u8>,
    line: FrameWriter,
    outside: Vec<VecDeque<u16>>,
    reader: FrameReader,
    /// Bytes of the chip since this was emptied.
    bytes: Vec<u8>,
    pub arrived: Vec<Packet>,
    /// Stores of the bus masters in the next cycle.
    pub stores: Vec<Option<MasterStore>>,
    /// Of 100 cycles, those in which the link takes a byte.
    takes: u8,
    cores: usize,
    masters: usize,
}

impl Bench {
    pub fn new(params: &DiagParams, seed: u64, takes: u8) -> Self {
        let d = Driver::new(DiagChip::new(params).unwrap(), |u, c| u.clock.next = c.into()).unwrap().recording();
        let mut bench = Self {
            d,
            s: Source::seeded(seed),
            host: VecDeque::new(),
            line: FrameWriter::default(),
            outside: vec![VecDeque::new(); params.outside.len()],
            reader: FrameReader::default(),
            bytes: Vec::new(),
            arrived: Vec::new(),
            takes,
            stores: Vec::new(),
            cores: params.cores.into(),
            masters: params.masters.into(),
        };
        bench.clock(true, &[]);
        bench
    }

    pub fn clock(&mut self, reset: bool, retired: &[Retired]) {
        let ready = self.s.percent(self.takes);
        let offer = |q: &VecDeque<u16>| q.front().copied().filter(|_| !reset);
        let outside: Vec<_> = self.outside.iter().map(offer).collect();
        let host = self.host.front().copied().filter(|_| !reset);
        let noise = self.s.bits(32);
        let (byte, taken) = self
            .d
            .cycle(
                |u| {
                    u.reset.next = reset;
                    u.ready.next = ready;
                    u.host_valid.next = host.is_some();
                    u.host_octet.next = u64::from(host.unwrap_or(noise as u8)).to_bits();
                    for (i, word) in outside.iter().enumerate() {
                        u.put[i].valid.next = word.is_some();
                        u.put[i].word.next = u64::from(word.unwrap_or(noise as u16)).to_bits();
                        u.got[i].ready.next = true;
                    }
                    for i in 0..self.masters {
                        let store = self.stores.get(i).copied().flatten();
                        let (addr, value) = store.map_or((noise as u32, !noise as u32), |s| (s.addr as u32, s.value));
                        let pins = &mut u.masters[i];
                        pins.master_valid.next = store.is_some();
                        pins.master_addr.next = u64::from(addr).to_bits();
                        pins.master_mask.next = u64::from(store.map_or(15, |s| s.mask)).to_bits();
                        pins.master_data.next = u64::from(value).to_bits();
                    }
                    for i in 0..self.cores {
                        let r = retired.get(i).copied().flatten();
                        let (pc, next) = r.unwrap_or((noise as u32, !noise as u32));
                        let pins = &mut u.pins[i];
                        pins.rvfi.valid.next = r.is_some();
                        pins.rvfi.insn.next = 0x13u64.to_bits();
                        pins.rvfi.trap.next = false;
                        pins.rvfi_intr.next = false;
                        pins.rvfi_pc_rdata.next = u64::from(pc).to_bits();
                        pins.rvfi_pc_wdata.next = u64::from(next).to_bits();
                        let writes = pc & 0xfff == WRITES_X10;
                        pins.rvfi.rd_addr.next = if writes { 10 } else { 0 }.into();
                        pins.rvfi.rd_wdata.next = if writes { u64::from(next).to_bits() } else { 0.into() };
                        pins.rvfi.mem_addr.next = (noise & 0xffff_ffff).to_bits();
                        pins.rvfi.mem_rmask.next = 0.into();
                        pins.rvfi.mem_wmask.next = 0.into();
                        pins.rvfi.mem_rdata.next = 0.into();
                        pins.rvfi.mem_wdata.next = 0.into();
                        pins.cause.next = 0.into();
                    }
                },
                |u| {
                    let puts: Vec<bool> = u.put.iter().map(|p| p.ready.val()).collect();
                    (u.valid.val().then(|| u.octet.val().to_u64() as u8), (u.host_ready.val(), puts))
                },
            )
            .unwrap();
        if reset {
            return;
        }
        if let (Some(byte), true) = (byte, ready) {
            self.bytes.push(byte);
            self.arrived.extend(self.reader.push(&[byte]));
        }
        if host.is_some() && taken.0 {
            self.host.pop_front();
        }
        for (i, q) in self.outside.iter_mut().enumerate() {
            if outside[i].is_some() && taken.1[i] {
                q.pop_front();
            }
        }
    }

    pub fn idle(&mut self, clocks: usize) {
        (0..clocks).for_each(|_| self.clock(false, &[]));
    }

    /// Sends a packet from the host and returns the response.
    pub fn ask(&mut self, dest: u8, op: Op, addr: u16, data: &[u16]) -> Packet {
        self.host.extend(self.line.frame(&Packet::control(HOST, dest, op, addr, data)));
        let before = self.arrived.len();
        for _ in 0..40_000 {
            self.idle(1);
            if self.arrived[before..].iter().any(|p| matches!(p.body, Body::Control { .. })) {
                return self.arrived.pop().unwrap();
            }
        }
        panic!("{op:?} to {dest} is never answered");
    }

    /// Writes registers, consecutive ones in one packet.
    pub fn set(&mut self, dest: u8, writes: &Writes) {
        let mut rest = writes.as_slice();
        while let Some(first) = rest.first() {
            let run = (1..rest.len().min(14)).find(|i| rest[*i].0 != first.0 + *i as u16).unwrap_or(rest.len().min(14));
            let data: Vec<u16> = rest[..run].iter().map(|w| w.1).collect();
            let want = Packet::control(dest, HOST, Op::Written, first.0, &[]);
            assert_eq!(self.ask(dest, Op::Write, first.0, &data), want);
            rest = &rest[run..];
        }
    }

    /// Flushes a node; its results come before the response.
    pub fn flush(&mut self, dest: u8) {
        let done = self.ask(dest, Op::Flush, 0, &[7]);
        assert_eq!(done, Packet::control(dest, HOST, Op::Flush, 0, &[7]));
    }
}

/// Golden chip and golden generators, on a program whose clock is slowed down.
struct Golden {
    watcher: Watcher,
    chip: Chip,
    generators: Vec<Generator>,
    events: Vec<(u8, u8, Event)>,
}

/// Cycles of the chip per cycle of the program: all effects of an event end before the next one.
const SLOWER: u64 = 64;

impl Golden {
    fn with(&mut self, f: impl FnOnce(&mut Watcher, &mut dyn FnMut(u8, &ObservedInsn))) {
        let (chip, generators, events) = (&mut self.chip, &mut self.generators, &mut self.events);
        f(&mut self.watcher, &mut |core, seen| {
            let seen = ObservedInsn { cycle: SLOWER * seen.cycle, ..*seen };
            chip.observe(core, &seen);
            let g = &mut generators[usize::from(core)];
            g.observe(&seen);
            while !g.is_idle() {
                g.clock(None);
                events.extend(g.pop().map(|(dest, e)| (core, dest, e)));
            }
        });
    }
}

impl RetireSink for Golden {
    const WANTS_DATA: bool = true;
    fn event(&mut self, event: &FlowEvent) {
        self.with(|w, mut each| w.event(event, &mut each));
    }
    fn data(&mut self, data: &DataEvent) {
        self.with(|w, mut each| w.data(data, &mut each));
    }
}

const HARTS: u8 = 4;

/// A chip of cores with its clock.
fn params_of(cores: u8, generator: GeneratorParams, outside: Vec<u8>, nodes: Vec<NodeKind>) -> DiagParams {
    DiagParams { cores, generator, outside, nodes, windows: false, masters: 0, clocked: 0 }
}

/// Runs a script on a program, on the golden chip and on the circuit. `settings` are those of the two nodes.
fn example(program: &str, script: &str, instructions: u64, settings: impl Fn(&App, &[Slot]) -> (Writes, u8)) -> usize {
    let nodes = vec![NodeKind::Machine(16), NodeKind::Aggregate(256)];
    let params = ChipParams { nodes: nodes.clone(), link_bits: 400_000_000, ..ChipParams::new(HARTS) };
    let symbols = Symbols::parse(programs::find(program).unwrap().elf).unwrap();
    let app = parse(script).and_then(|i| resolve(&i, &symbols, params.clock_hz)).unwrap();
    let layout = plan(&app, &params, &Rates::assumed(&app, params.clock_hz)).unwrap().layout;
    let mut chip = Chip::new(params);
    let mut generators = Vec::new();
    for c in 0..HARTS {
        chip.generator(c).set(layout.slots.clone()).unwrap();
        let mut g = Generator::new(GeneratorParams::FULL, c);
        g.set(layout.slots.clone()).unwrap();
        generators.push(g);
    }
    for (n, node) in layout.nodes.iter().enumerate() {
        *chip.node(n) = node.clone();
    }
    let loaded = programs::load(program).unwrap();
    let watcher = Watcher::new(Image::new(&loaded), HARTS, 32);
    let mut golden = Golden { watcher, chip, generators, events: Vec::new() };
    let config = MachineConfig { harts: HARTS, ..MachineConfig::default() };
    Machine::new(&loaded, config).unwrap().run(&mut golden, Limits { instructions, ..Limits::default() }).unwrap();
    golden.chip.finish();
    assert_eq!(golden.chip.unreported() + golden.chip.node_losses(), 0);
    let want: Vec<Packet> = golden.chip.take_arrived().into_iter().map(|a| a.packet).collect();

    let outside: Vec<u8> = (0..HARTS).collect();
    let mut bench = Bench::new(&params_of(0, GeneratorParams::LITE, outside, nodes), 1, 100);
    let (writes, node) = settings(&app, &layout.slots);
    bench.set(node, &writes);
    for (core, dest, event) in &golden.events {
        assert_eq!(*dest, node, "every event is for a node");
        bench.outside[usize::from(*core)].extend(Packet::event(*core, *dest, *event).to_words());
        bench.idle(120);
    }
    bench.flush(node);
    println!("{program}: {} events, {} packets", golden.events.len(), want.len());
    assert_eq!(bench.arrived.len(), want.len());
    for (n, (found, want)) in bench.arrived.iter().zip(&want).enumerate() {
        assert_eq!(found.to_words(), want.to_words(), "packet {n}");
    }
    assert_eq!((bench.reader.lost, bench.reader.skipped), (0, 0));
    if program == "bank" || long() {
        check_verilog(&bench.d, 3);
    }
    want.len()
}

#[test]
fn races_on_the_bank_are_those_of_the_golden_chip() {
    let script = diag::scripts::find("race").unwrap();
    let reports = example("bank", script, 90_000, |app, _| {
        (registers::machine(&table(app, 0, Target { dest: HOST, id: MACHINES }, &Share::unshared(app))), FIRST_NODE)
    });
    assert!(reports > 20, "{reports}");
}

#[test]
fn lock_profiles_are_those_of_the_golden_chip() {
    let script = diag::scripts::find("locks").unwrap();
    let rows = example("lockcont", script, rounds(1_000_000, 3_000_000), |_, slots| {
        let place = |c: Capture| slots[0].captures.iter().position(|x| *x == c).unwrap() as u8;
        let (key, value) = (place(Capture::EntryRegister(10)), place(Capture::Elapsed));
        let to = Target { dest: HOST, id: diag::layout::MAPS };
        let rule = aggregate::Rule { event: slots[0].event, key: Field::Arg(key), value: Field::Arg(value), to };
        (registers::aggregate(&[rule]), FIRST_NODE + 1)
    });
    assert!(rows > 3, "{rows}");
}

/// Two cores with lite generators: some events to the host, some to counters.
#[test]
fn lite_generators_on_a_chip_send_what_the_golden_ones_do() {
    let nodes = vec![NodeKind::Count(64)];
    let generator = GeneratorParams::LITE;
    let params = params_of(2, generator, vec![40], nodes.clone());
    let mut bench = Bench::new(&params, 5, 80);
    // identification of all clients
    for (address, want) in [(0, [1, 12]), (1, [1, 12]), (FIRST_NODE, [3, 64])] {
        let answer = bench.ask(address, Op::Read, 0, &[2]);
        assert_eq!(answer, Packet::control(address, HOST, Op::ReadData, 0, &want));
    }
    let slot = |pc, event, dest| {
        let trigger = Trigger::Pc(pc);
        Slot { trigger, event, dest, captures: Vec::new(), stamped: true, yields: false }
    };
    let slots =
        vec![slot(0x100, 1, HOST), slot(0x104, 2, FIRST_NODE), slot(0x100, 3, FIRST_NODE), slot(0x202, 4, HOST)];
    let to = Target { dest: HOST, id: 128 };
    let rule = |event, first| count::Rule { event, first, by_core: true, threshold: 0, to };
    let rules = [rule(2, 0), rule(3, 16)];
    bench.set(0, &registers::lite(&slots, 32));
    bench.set(1, &registers::lite(&slots, 32));
    bench.set(FIRST_NODE, &registers::count(&rules));
    // a reset would clear the settings, so the golden chip uses the circuit's time
    let base = bench.d.cycles() - 1;
    let mut golden = Chip::new(ChipParams { nodes, generator, link_bits: 1_000_000_000, ..ChipParams::new(2) });
    for c in 0..2 {
        golden.generator(c).set(slots.clone()).unwrap();
    }
    let Node::Count(node) = golden.node(0) else { panic!("no counters") };
    rules.iter().for_each(|r| node.add(*r).unwrap());
    for clock in 0..6_000 {
        let mut retired = [None; 2];
        for (core, r) in retired.iter_mut().enumerate() {
            let pc = *bench.s.pick(&[0x100, 0x104, 0x202, 0x102, 0x200, 0x1000_0100, 0x106, 0x108]);
            if bench.s.per_64k(if clock % 4_000 < 300 { 3_000 } else { 400 }) {
                *r = Some((pc, pc + 4));
                let (cycle, pc) = (base + clock, u64::from(pc));
                golden.observe(
                    core as u8,
                    &ObservedInsn { cycle, pc, next_pc: pc + 4, insn: 0x13, len: 4, ..ObservedInsn::default() },
                );
            }
        }
        bench.clock(false, &retired);
    }
    bench.idle(4_000);
    bench.flush(FIRST_NODE);
    golden.finish();
    let golden: Vec<Packet> = golden.take_arrived().into_iter().map(|a| a.packet).collect();
    for src in [0, 1, FIRST_NODE] {
        let of = |packets: &[Packet]| packets.iter().filter(|p| p.src == src).map(Packet::to_words).collect::<Vec<_>>();
        let (found, want) = (of(&bench.arrived), of(&golden));
        assert!(want.len() >= 4, "{} packets of {src}", want.len());
        assert_eq!(found, want, "packets of {src}");
    }
    if long() {
        check_verilog(&bench.d, 5);
    }
}

/// A tick flushes counters; a counter that reaches its limit makes a log send the events before it.
#[test]
fn a_tick_flushes_tables_and_a_log_sends_earlier_events() {
    let nodes = vec![NodeKind::Count(4), NodeKind::Log(4), NodeKind::Tick(2)];
    let params = params_of(0, GeneratorParams::LITE, vec![40], nodes);
    let mut bench = Bench::new(&params, 6, 80);
    let [counts, logs, ticks] = [0, 1, 2].map(|n| FIRST_NODE + n);
    let rule = count::Rule { event: 1, first: 2, by_core: false, threshold: 0, to: Target { dest: HOST, id: 128 } };
    bench.set(counts, &registers::count(&[rule]));
    let rule = log::Rule { trigger: 9, to: Target { dest: HOST, id: 192 }, freezes: false };
    bench.set(logs, &registers::log(&rule));
    let rule = tick::Rule { period: 3_000, to: Target { dest: HOST, id: TICK_EVENT }, flushes: vec![counts, logs] };
    bench.set(ticks, &registers::tick(&rule));
    let event = |id, arg| Event { id, args: Args::of(&[arg]), ..Event::default() };
    for n in 0..50 {
        bench.outside[0].extend(Packet::event(40, counts, event(1, n)).to_words());
        bench.outside[0].extend(Packet::event(40, logs, event(if n % 20 == 13 { 9 } else { 2 }, n)).to_words());
        bench.idle(250);
    }
    let stop = Packet::control(HOST, ticks, Op::Write, 2, &[0]);
    bench.host.extend(bench.line.frame(&stop));
    bench.idle(2_000);
    let arrived = std::mem::take(&mut bench.arrived);
    let of =
        |id: u8| arrived.iter().filter_map(Packet::as_event).filter(|e| e.id == id).copied().collect::<Vec<Event>>();
    let told: Vec<Event> = of(TICK_EVENT);
    assert_eq!(told.iter().map(|e| e.args.to_vec()).collect::<Vec<_>>(), [[1, 2], [2, 2], [3, 2], [4, 2]]);
    let times: Vec<u32> = told.iter().map(|e| e.time.unwrap()).collect();
    assert!(times.windows(2).all(|t| t[1] - t[0] == 3_000), "{times:?}");
    for node in [counts, logs] {
        let done = |p: &Packet| match &p.body {
            Body::Control { op: Op::Flush, data, .. } if p.src == node => Some(data[0]),
            _ => None,
        };
        assert_eq!(arrived.iter().filter_map(done).collect::<Vec<_>>(), [1, 2, 3, 4]);
    }
    // the counts before a tick are in its flush, the rest is flushed by the host
    let counted: Vec<u32> = of(128).iter().map(|e| e.args[1]).collect();
    assert_eq!(counted.len(), 4);
    bench.flush(counts);
    let Body::Event(rest) = bench.arrived[0].body else { panic!("no count") };
    assert_eq!(counted.iter().sum::<u32>() + rest.args[1], 50);
    let kept = |id| of(id).iter().map(|e| e.args[0]).collect::<Vec<_>>();
    assert_eq!((kept(2), kept(192)), (vec![10, 11, 12, 30, 31, 32], vec![13, 33]));
    check_verilog(&bench.d, 6);
}

#[test]
fn chips_pass_the_static_gates() {
    let nodes = vec![NodeKind::Machine(16), NodeKind::Aggregate(256), NodeKind::Count(64)];
    let params = params_of(2, GeneratorParams::LITE, vec![40, 41], nodes);
    emit_checked_system(&mut DiagChip::new(&params).unwrap()).unwrap();
}

/// Every kind of generator and node, as written by `goshawk diag gen`.
#[test]
fn whole_chips_pass_the_static_gates() {
    let nodes = ["filter", "count", "pair", "aggregate", "histogram", "machine", "log", "tick"]
        .map(|k| k.parse().unwrap())
        .to_vec();
    let params = params_of(1, GeneratorParams::FULL, Vec::new(), nodes);
    emit_checked_system(&mut DiagChip::new(&params).unwrap()).unwrap();
}

#[test]
fn registers_are_set_once_and_in_order_over_a_line_that_damages_bytes() {
    let nodes = vec![NodeKind::Count(64), NodeKind::Log(32)];
    let params = params_of(2, GeneratorParams::LITE, Vec::new(), nodes);
    let mut bench = Bench::new(&params, 12, 100);
    let slot = |event| Slot {
        trigger: Trigger::Pc(0x400 + 4 * u64::from(event)),
        event,
        dest: FIRST_NODE,
        captures: vec![],
        stamped: true,
        yields: false,
    };
    let slots: Vec<Slot> = (0..10).map(slot).collect();
    let rule = |n: u8| {
        let to = Target { dest: HOST, id: 100 + n };
        count::Rule { event: n, first: n, by_core: false, threshold: 0, to }
    };
    let rules: Vec<count::Rule> = (0..10).map(rule).collect();
    let writes = |n| load::write(n, &registers::lite(&slots, 32));
    let sent: Vec<Packet> =
        load::write(FIRST_NODE, &registers::count(&rules)).into_iter().chain((0..2).flat_map(writes)).collect();
    let mut sender = Sender::default();
    sent.iter().for_each(|p| sender.send(p));
    let mut s = Source::seeded(77);
    let (mut written, mut hit, mut quiet) = (Vec::new(), 0, 0);
    while !sender.is_done() {
        if bench.host.is_empty() {
            match sender.bytes() {
                Some(bytes) => {
                    quiet = 0;
                    for byte in bytes {
                        let bad = s.per_64k(400);
                        hit += u32::from(bad);
                        if !bad || s.percent(50) {
                            bench.host.push_back(if bad { byte ^ 1 << s.below(8) } else { byte });
                        }
                    }
                }
                None => quiet += 1,
            }
        }
        if quiet > 400 {
            quiet = 0;
            sender.on_timeout();
        }
        bench.idle(1);
        written.extend(bench.arrived.drain(..).filter(|p| !sender.take(p)));
    }
    bench.idle(2000);
    written.append(&mut bench.arrived);
    println!(
        "{hit} bytes damaged, {} of {} frames sent again, told {:?}",
        sender.repeated,
        sent.len(),
        sender.reported
    );
    assert!(hit > 3 && sender.repeated > 3 && sender.reported.0 > 0);
    // every write is acknowledged once, those of a client in order
    for dest in [FIRST_NODE, 0, 1] {
        let of = |p: &&Packet| if let Body::Control { addr, .. } = p.body { addr } else { panic!("{p:?}") };
        let want: Vec<u16> = sent.iter().filter(|p| p.dest == dest).map(|p| of(&p)).collect();
        let found: Vec<u16> = written.iter().filter(|p| p.src == dest).map(|p| of(&p)).collect();
        assert_eq!(found, want, "client {dest}");
    }
    // and all settings are right
    for event in 0..10_u32 {
        let pc = 0x400 + 4 * event;
        for _ in 0..=event {
            bench.clock(false, &[Some((pc, pc + 4)), Some((pc, pc + 4))]);
            bench.idle(80);
        }
    }
    bench.line = FrameWriter::from(sender.next());
    bench.flush(FIRST_NODE);
    let counted: Vec<(u8, u32)> =
        bench.arrived.iter().filter_map(Packet::as_event).map(|e| (e.id, e.args[1])).collect();
    assert_eq!(counted, (0..10).map(|n| (100 + n, 2 * u32::from(n) + 2)).collect::<Vec<_>>());
    check_verilog(&bench.d, 23);
}

/// Runs until the host has all, over a line that damages bytes; returns the packets that it has.
fn exchange(bench: &mut Bench, host: &mut NoisyHost) -> Vec<Packet> {
    let mut rounds = 0;
    while let Some(bytes) = host.answer() {
        rounds += 1;
        assert!(rounds < 400, "{host:?}");
        bench.host.extend(bytes);
        let mut quiet = 0;
        while quiet < 600 {
            bench.idle(1);
            let bytes = std::mem::take(&mut bench.bytes);
            quiet = if bytes.is_empty() && bench.host.is_empty() { quiet + 1 } else { 0 };
            host.receive(&bytes);
        }
    }
    println!("{rounds} rounds, {:?} lost and repeated, {:?} bytes and damaged", host.lost(), host.noise.bytes);
    host.take()
}

#[test]
fn tables_are_complete_over_a_line_that_damages_bytes() {
    const OUTSIDE: u8 = 40;
    const KEYS: u32 = 48;
    let params = params_of(1, GeneratorParams::LITE, vec![OUTSIDE], vec![NodeKind::Aggregate(64)]);
    let to = Target { dest: HOST, id: 100 };
    let rule = aggregate::Rule { event: 1, key: Field::Arg(0), value: Field::Arg(1), to };
    let row = |k: u32| vec![k, 1, 7 * k, 0, 7 * k, 7 * k];
    for held in [false, true] {
        let mut bench = Bench::new(&params, 19, 100);
        let mut host = NoisyHost::new(Noise::new(500, 8));
        host.send(&load::write(FIRST_NODE, &registers::aggregate(&[rule])));
        exchange(&mut bench, &mut host);
        for key in 0..KEYS {
            let event = Event { id: 1, args: Args::of(&[key, 7 * key]), ..Event::default() };
            bench.outside[0].extend(Packet::event(OUTSIDE, FIRST_NODE, event).to_words());
            bench.idle(60);
        }
        let flush = Packet::control(HOST, FIRST_NODE, Op::Flush, 0, &[1]);
        let before = host.lost().0;
        if held {
            host.send_held(&[flush]);
        } else {
            host.send(&[flush]);
        }
        let packets = exchange(&mut bench, &mut host);
        let lost = host.lost().0 - before;
        let mut rows: Vec<Vec<u32>> = packets.iter().filter_map(Packet::as_event).map(|e| e.args.to_vec()).collect();
        rows.sort();
        if held {
            assert_eq!((rows, lost), ((0..KEYS).map(row).collect(), 0));
            assert!(host.noise.bytes.1 > 10, "{:?}", host.noise.bytes);
            check_verilog(&bench.d, 29);
        } else {
            // what is lost is counted
            assert!(lost > 0 && rows.iter().all(|r| *r == row(r[0])));
            assert!((KEYS as usize - rows.len()) as u64 <= lost, "{} rows, {lost} lost", rows.len());
        }
    }
}
