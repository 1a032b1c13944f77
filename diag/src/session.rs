//! Runs an application: on a chip ([`OnChip`]), or on generators alone without losses ([`Reference`])

use crate::app::App;
pub(crate) use crate::arrivals::add;
use crate::arrivals::unreported;
pub use crate::arrivals::Host;
use crate::layout::Layout;
use crate::log::{self, Recorder};
use crate::losses::Unreported;
use crate::replayed::{self, Replayed};
use crate::runtime::Runtime;
use crate::watch::Watcher;
use retire::image::Image;
use retire::{DataEvent, FlowEvent, MasterStore, RetireSink};
use sim::diag::chip::{Chip, ChipParams};
use sim::diag::generator::{Generator, Losses, ObservedInsn};
use sim::diag::master;
use sim::diag::node::trace::PACKET_WORDS;
use sim::diag::packet::{Body, Op, Packet};
use sim::diag::trigger::{GeneratorParams, Slot};
use sim::params::TraceParams;
use sim::system::System;

/// Totals of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Cycles.
    pub cycles: u64,
    /// Instructions.
    pub instructions: u64,
    /// Loads and stores.
    pub accesses: u64,
    /// Events that generators made.
    pub events: u64,
    /// Bytes of these events, as packets.
    pub event_bytes: u64,
    /// Bytes that left the chip, including frames.
    pub link_bytes: u64,
    /// Events lost in generators.
    pub losses: Losses,
    /// Events lost in nodes.
    pub node_losses: u64,
    /// Lost events reported to the host.
    pub reported: u64,
    /// Cycles for which the cores were held.
    pub stalled: u64,
}

impl Totals {
    /// All lost events.
    pub fn lost(&self) -> u64 {
        self.losses.total() + self.node_losses
    }

    /// Converts a number of bytes to a rate, bit/s.
    pub fn rate(&self, bytes: u64, clock_hz: u64) -> f64 {
        8.0 * bytes as f64 * clock_hz as f64 / self.cycles.max(1) as f64
    }

    pub(crate) fn seen(&mut self, seen: &ObservedInsn) {
        self.cycles = self.cycles.max(seen.cycle);
        self.instructions += 1;
        self.accesses += seen.accesses.iter().flatten().count() as u64;
    }
}

/// An application on a chip.
#[derive(Debug)]
pub struct OnChip {
    watcher: Watcher,
    chip: Chip,
    host: Host,
    totals: Totals,
    log: Option<Recorder>,
    traced: Option<Traced>,
    slots: Vec<Slot>,
    unseen: u64,
}

/// The trace that accompanies a script: the trace system, and the packets at the host, which takes them at the end.
#[derive(Debug)]
struct Traced {
    params: TraceParams,
    system: System,
    image: Image,
    layout: Layout,
    packets: Vec<Packet>,
    replayed: Replayed,
    /// Words sent to the ring, packets that arrived, and the maximum number of words that waited.
    words_sent: u64,
    packets_received: u64,
    max_waiting: u64,
}

impl OnChip {
    /// Creates a chip with an application and its layout.
    pub fn new(app: &App, layout: &Layout, params: ChipParams, image: Image) -> Result<Self, String> {
        let (cores, producers) = (params.cores, params.producers());
        let mut chip = Chip::new(params);
        for c in 0..cores {
            chip.generator(c).set(layout.slots.clone()).map_err(|e| e.to_string())?;
        }
        let slots = master::slots(&layout.slots);
        for m in cores..producers {
            chip.generator(m).set(slots.clone()).map_err(|e| e.to_string())?;
        }
        for (n, node) in layout.nodes.iter().enumerate() {
            *chip.node(n) = node.clone();
        }
        let (watcher, host) = (Watcher::new(image, cores, app.xlen()), Host::new(app, layout));
        Ok(Self { watcher, chip, host, totals: Totals::default(), log: None, traced: None, slots, unseen: 0 })
    }

    /// The same on a chip with a trace system, whose words leave by the same link and provide the points without a
    /// trigger.
    pub fn with_trace(
        app: &App,
        layout: &Layout,
        params: ChipParams,
        image: Image,
        trace: TraceParams,
    ) -> Result<Self, String> {
        if params.generator.stalls {
            return Err(
                "`--stall` changes the times of a run, and a trace with a script has those of the run without it"
                    .into(),
            );
        }
        let params = ChipParams { trace: true, ..params };
        let system = System::with_code(&trace, 0, &image).map_err(|e| e.to_string())?;
        let (packets, replayed) = (Vec::new(), Replayed::default());
        let (image_of, layout_of) = (image.clone(), layout.clone());
        let traced = Traced {
            params: trace,
            system,
            image: image_of,
            layout: layout_of,
            packets,
            replayed,
            words_sent: 0,
            packets_received: 0,
            max_waiting: 0,
        };
        Ok(Self { traced: Some(traced), ..Self::new(app, layout, params, image)? })
    }

    /// Results of the trace after the run; empty without one.
    pub fn replayed(&self) -> Replayed {
        self.traced.as_ref().map(|t| t.replayed.clone()).unwrap_or_default()
    }

    /// Records the bytes of the link from now on.
    pub fn keep_log(&mut self) {
        self.log = Some(Default::default());
    }

    /// The log file of what was recorded, after the end of the run; `None`: nothing was.
    pub fn log(&self, header: &log::Header) -> Option<Vec<u8>> {
        let totals = self.totals();
        self.log.as_ref().map(|l| l.file(header, &self.chip, totals.cycles, totals.lost()))
    }

    /// The runtime of the host.
    pub fn runtime(&mut self) -> &mut Runtime {
        self.host.runtime()
    }

    /// Totals so far.
    pub fn totals(&self) -> Totals {
        let mut t = self.totals;
        for g in self.chip.generators() {
            let (losses, made) = g.counts();
            add(&mut t.losses, losses);
            t.events += made;
        }
        t.losses.fifo += self.chip.link_losses();
        t.node_losses = self.chip.node_losses();
        t.link_bytes = self.chip.link_bytes();
        t.reported = self.host.lost() + self.chip.unreported();
        if let Some(traced) = &self.traced {
            add(&mut t.losses, traced.replayed.losses);
        }
        t
    }

    fn pump(&mut self) {
        for arrived in self.chip.take_arrived() {
            if let Some(log) = &mut self.log {
                log.packet(&arrived.packet);
            }
            match &mut self.traced {
                Some(traced) => {
                    let words = matches!(arrived.packet.body, Body::Control { op: Op::Trace, .. });
                    traced.packets_received += u64::from(words) * PACKET_WORDS as u64;
                    traced.packets.push(arrived.packet);
                }
                None => self.host.take(&arrived.packet),
            }
        }
    }

    /// Sends trace words to the ring.
    fn send(&mut self, make: impl FnOnce(&mut System)) {
        if let Some(traced) = &mut self.traced {
            make(&mut traced.system);
            let words: Vec<u32> = traced.system.drain().collect();
            traced.words_sent += words.len() as u64;
            traced.max_waiting = traced.max_waiting.max(traced.words_sent.saturating_sub(traced.packets_received));
            self.chip.trace(&words);
        }
    }

    /// Ends the run: flushes all tables, and runs the script's end.
    pub fn finish(&mut self) -> Result<(), String> {
        if let Some(e) = &self.watcher.error {
            return Err(e.clone());
        }
        let cycles = self.totals.cycles;
        self.send(|system| system.finish(cycles));
        self.chip.finish();
        self.pump();
        if let Some(traced) = &mut self.traced {
            let packets = std::mem::take(&mut traced.packets);
            let of = (&traced.params, &traced.image);
            let replayed = replayed::take(&mut self.host, &traced.layout, of, &packets)?;
            traced.replayed = Replayed { max_waiting: Some(traced.max_waiting), ..replayed };
        }
        self.host.unreported(&unreported(&self.chip));
        self.host.finish(self.totals.cycles);
        Ok(())
    }

    /// Whether the run had data events.
    pub fn has_data(&self) -> bool {
        self.watcher.has_data
    }

    /// Stores of bus masters to watched variables that no generator observes: the chip has none for bus masters.
    pub fn unseen_stores(&self) -> u64 {
        self.unseen
    }

    fn with(&mut self, f: impl FnOnce(&mut Watcher, &mut dyn FnMut(u8, &ObservedInsn))) {
        let (chip, totals) = (&mut self.chip, &mut self.totals);
        f(&mut self.watcher, &mut |core, seen| {
            let cycle = chip.hold(seen.cycle + totals.stalled);
            totals.stalled = cycle - seen.cycle;
            let seen = ObservedInsn { cycle, ..*seen };
            totals.seen(&seen);
            chip.observe(core, &seen);
        });
        self.pump();
    }
}

impl RetireSink for OnChip {
    const WANTS_DATA: bool = true;

    fn event(&mut self, event: &FlowEvent) {
        self.with(|w, mut each| w.event(event, &mut each));
        self.send(|system| system.event(event));
    }

    fn data(&mut self, data: &DataEvent) {
        self.with(|w, mut each| w.data(data, &mut each));
    }

    fn master(&mut self, store: &MasterStore) {
        let params = self.chip.params();
        let xlen = params.generator.xlen;
        let seen = master::observed(store, xlen);
        if params.masters == 0 {
            self.unseen += u64::from(master::is_hit(&self.slots, &seen, xlen));
            return;
        }
        let (first, totals) = (params.cores, &mut self.totals);
        let cycle = self.chip.hold(seen.cycle + totals.stalled);
        totals.stalled = cycle - seen.cycle;
        self.chip.observe(first, &ObservedInsn { cycle, ..seen });
        self.pump();
    }
}

/// An application on generators alone: every event is taken immediately, in commit order.
#[derive(Debug)]
pub struct Reference {
    watcher: Watcher,
    /// Of the cores, then of the bus masters.
    generators: Vec<Generator>,
    masters: u8,
    runtime: Runtime,
    tick: Option<(u64, u64)>,
    totals: Totals,
}

impl Reference {
    /// Creates it with everything on the host.
    pub fn new(app: &App, layout: &Layout, cores: u8, image: Image) -> Result<Self, String> {
        let all = GeneratorParams { slots: u8::MAX, wide: u8::MAX, returns: 64, stack: 64, ..GeneratorParams::FULL };
        let params = GeneratorParams { xlen: app.xlen(), ..all };
        let mut generators: Vec<Generator> = (0..cores).map(|c| Generator::new(params, c)).collect();
        for g in &mut generators {
            g.set(layout.slots.clone()).map_err(|e| e.to_string())?;
        }
        Ok(Self {
            watcher: Watcher::new(image, cores, app.xlen()),
            generators,
            masters: 0,
            runtime: Runtime::host(app, layout),
            tick: app.tick.map(|t| (t.into(), t.into())),
            totals: Totals::default(),
        })
    }

    /// Adds generators for bus masters that are not cores.
    pub fn with_masters(mut self, layout: &Layout, masters: u8) -> Result<Self, String> {
        let params = GeneratorParams { xlen: layout.xlen, slots: u8::MAX, wide: u8::MAX, ..GeneratorParams::MASTER };
        let first = self.generators.len() as u8;
        for m in first..first + masters {
            let mut generator = Generator::new(params, m);
            generator.set(master::slots(&layout.slots)).map_err(|e| e.to_string())?;
            self.generators.push(generator);
        }
        self.masters = masters;
        Ok(self)
    }

    /// The runtime of the host.
    pub fn runtime(&mut self) -> &mut Runtime {
        &mut self.runtime
    }

    /// Totals so far; the only losses are those that generators cannot avoid.
    pub fn totals(&self) -> Totals {
        let mut t = self.totals;
        self.generators.iter().for_each(|g| add(&mut t.losses, g.counts().0));
        t.reported = self.runtime.lost + self.generators.iter().map(Generator::unreported).sum::<u64>();
        t
    }

    /// Ends the run.
    pub fn finish(&mut self) -> Result<(), String> {
        if let Some(e) = &self.watcher.error {
            return Err(e.clone());
        }
        for (core, generator) in self.generators.iter().enumerate() {
            let lost = Unreported { events: generator.unreported(), yielded: false };
            self.runtime.lose_at_end(Some(core as u8), lost);
        }
        self.runtime.end(self.totals.cycles);
        Ok(())
    }

    /// Whether the run had data events.
    pub fn has_data(&self) -> bool {
        self.watcher.has_data
    }

    fn with(&mut self, f: impl FnOnce(&mut Watcher, &mut dyn FnMut(u8, &ObservedInsn))) {
        let mut parts = (&mut self.generators, &mut self.totals, &mut self.runtime, &mut self.tick);
        f(&mut self.watcher, &mut |core, seen| {
            parts.1.seen(seen);
            observe(&mut parts, core, seen);
        });
    }
}

/// What a reference changes for an observed instruction: generators, totals, runtime, and the next tick.
type Parts<'a> = (&'a mut Vec<Generator>, &'a mut Totals, &'a mut Runtime, &'a mut Option<(u64, u64)>);

/// A generator of a reference observes an instruction or a store, and the host takes its events.
fn observe((generators, totals, runtime, tick): &mut Parts<'_>, producer: u8, seen: &ObservedInsn) {
    while let Some((next, period)) = tick.filter(|t| t.0 <= seen.cycle) {
        runtime.tick(next);
        **tick = Some((next + period, period));
    }
    let g = &mut generators[usize::from(producer)];
    g.observe(seen);
    while !g.is_idle() {
        g.clock(None);
        while let Some((_, event)) = g.pop() {
            totals.events += 1;
            totals.event_bytes += 2 * event.words() as u64;
            runtime.take(&event);
        }
    }
}

impl RetireSink for Reference {
    const WANTS_DATA: bool = true;

    fn event(&mut self, event: &FlowEvent) {
        self.with(|w, mut each| w.event(event, &mut each));
    }

    fn data(&mut self, data: &DataEvent) {
        self.with(|w, mut each| w.data(data, &mut each));
    }

    fn master(&mut self, store: &MasterStore) {
        if self.masters > 0 {
            let first = self.generators.len() as u8 - self.masters;
            let mut parts = (&mut self.generators, &mut self.totals, &mut self.runtime, &mut self.tick);
            let xlen = parts.0[usize::from(first)].params().xlen;
            observe(&mut parts, first, &master::observed(store, xlen));
        }
    }
}
