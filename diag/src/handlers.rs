//! Runs a program of the diagnosis processor alongside a run: on the chip, on the host at a chip's link, or after
//! generators alone without losses

use crate::app::App;
use crate::firmware::Firmware;
use crate::runtime::{Mark, Output, TextPart};
use crate::session::Totals;
use crate::watch::Watcher;
use retire::image::Image;
use retire::{DataEvent, FlowEvent, RetireSink};
use sim::diag::chip::{Chip, ChipParams, FIRST_NODE, TICK_EVENT};
use sim::diag::generator::{Generator, ObservedInsn};
use sim::diag::node::{Node, NodeKind, Outbox};
use sim::diag::packet::{Body, Event, HOST};
use sim::diag::processor::node::{start, Processor};
use sim::diag::processor::recording::Recorded;
use sim::diag::processor::ring_processor::RingProcessor;
use sim::diag::processor::{FAULT, NO_EVENT, SLOTS, TRIP_EVENT, UNIT};
use sim::diag::trigger::{GeneratorParams, Slot};

/// Location of the program.
#[derive(Debug)]
enum ProgramLocation {
    /// On a chip, after its other nodes.
    Chip(Box<Chip>),
    /// On the host, to which a chip sends all events.
    Host(Box<Chip>, Box<RingProcessor>),
    /// Directly after generators, which pass each event immediately.
    Alone(Vec<Generator>, Box<RingProcessor>),
}

/// The host's view of what a program sends.
#[derive(Debug)]
pub struct ProgramOutput<'a> {
    firmware: &'a Firmware,
    outputs: Vec<Output>,
    time: u64,
    /// Number of lost events reported to the host.
    pub lost: u64,
    /// Packets that the program sent to the host.
    pub packets: u64,
    /// Words of these packets.
    pub words: u64,
    /// Ticks received.
    pub ticks: u64,
}

impl<'a> ProgramOutput<'a> {
    /// Creates it for a program.
    pub fn new(firmware: &'a Firmware) -> Self {
        Self { firmware, outputs: Vec::new(), time: 0, lost: 0, packets: 0, words: 0, ticks: 0 }
    }

    /// Takes the outputs since the last call.
    pub fn take_outputs(&mut self) -> Vec<Output> {
        std::mem::take(&mut self.outputs)
    }

    /// Takes an event of the processor.
    pub fn take(&mut self, event: &Event) {
        self.lost += u64::from(event.lost);
        if let Some(low) = event.time {
            // up to half of the 32-bit range forward or back
            self.time = self.time.wrapping_add_signed(i64::from(low.wrapping_sub(self.time as u32) as i32));
        }
        if event.id == TICK_EVENT {
            self.ticks += 1;
            return;
        }
        (self.packets, self.words) = (self.packets + 1, self.words + event.words() as u64);
        let mut values = event.args.iter();
        let mut next = || values.next().copied().unwrap_or(0);
        let parts = match self.firmware.messages.get(usize::from(event.id)) {
            _ if event.id == TRIP_EVENT => vec![TextPart::Text(self.ended(event))],
            Some(parts) => {
                let shown = parts.iter().map(|p| p.shown(if p.takes_value() { p.of_word(next()) } else { 0 }, None));
                shown.collect()
            }
            None => vec![TextPart::Text(format!("event {} of no message: {:x?}", event.id, &event.args[..]))],
        };
        self.outputs.push(Output::Text { core: Some(event.core), time: self.time, parts, mark: Mark::default() });
    }

    fn ended(&self, event: &Event) -> String {
        let arg = |n: usize| event.args.get(n).copied().unwrap_or(0);
        let (pc, info) = (arg(0), arg(1));
        let why = if info >> 16 == FAULT { "did what the core cannot" } else { "took too long" };
        let location = self.firmware.symbols.at(pc.into()).unwrap_or_else(|| "no function".into());
        let what = match info & 0xffff {
            NO_EVENT => "the program, outside of a handler,".to_string(),
            second if second >> 15 == 1 => "the end".into(),
            second => {
                let handler = self.firmware.handlers.get((second & 255) as usize);
                handler.map_or_else(|| "an event".into(), |h| format!("handler {}", h.name))
            }
        };
        format!("{what} {why} at {pc:#x} ({location}) and was stopped")
    }
}

/// A program that runs alongside a traced run.
#[derive(Debug)]
pub struct Handlers<'a> {
    watcher: Watcher,
    location: ProgramLocation,
    program_output: ProgramOutput<'a>,
    totals: Totals,
}

impl<'a> Handlers<'a> {
    /// Runs it on a chip with a processor after its other nodes; `watchdog`: cycle limit of a handler.
    pub fn on_chip(
        firmware: &'a Firmware,
        app: &App,
        mut params: ChipParams,
        image: Image,
        watchdog: u32,
    ) -> Result<Self, String> {
        let (cores, node) = (params.cores, params.nodes.len());
        params.nodes.push(NodeKind::Processor(SLOTS as u8));
        let mut chip = Chip::new(params);
        for c in 0..cores {
            chip.generator(c).set(slots(app, FIRST_NODE + node as u8)).map_err(|e| e.to_string())?;
        }
        if let Node::Processor(ring_processor) = chip.node(node) {
            ring_processor.set(&start(&firmware.image, watchdog.div_ceil(UNIT) as u16));
        }
        Ok(Self::new(firmware, ProgramLocation::Chip(Box::new(chip)), Watcher::new(image, cores, app.xlen())))
    }

    /// Runs it on the host of a chip, which sends every event.
    pub fn on_host(
        firmware: &'a Firmware,
        app: &App,
        params: ChipParams,
        image: Image,
        watchdog: u32,
    ) -> Result<Self, String> {
        let cores = params.cores;
        let mut chip = Chip::new(params);
        for c in 0..cores {
            chip.generator(c).set(slots(app, HOST)).map_err(|e| e.to_string())?;
        }
        let ring_processor = loaded(firmware, watchdog);
        Ok(Self::new(
            firmware,
            ProgramLocation::Host(Box::new(chip), ring_processor),
            Watcher::new(image, cores, app.xlen()),
        ))
    }

    /// Runs it without a chip.
    pub fn alone(firmware: &'a Firmware, app: &App, cores: u8, image: Image, watchdog: u32) -> Result<Self, String> {
        let all = GeneratorParams { slots: u8::MAX, wide: u8::MAX, returns: 64, stack: 64, ..GeneratorParams::FULL };
        let params = GeneratorParams { xlen: app.xlen(), ..all };
        let mut generators: Vec<Generator> = (0..cores).map(|c| Generator::new(params, c)).collect();
        for g in &mut generators {
            g.set(slots(app, HOST)).map_err(|e| e.to_string())?;
        }
        let ring_processor = loaded(firmware, watchdog);
        Ok(Self::new(
            firmware,
            ProgramLocation::Alone(generators, ring_processor),
            Watcher::new(image, cores, app.xlen()),
        ))
    }

    /// Sets the chip's tick node to request the program's tables every `period` cycles. Returns false if there is no
    /// such node, or if the program is not on the chip.
    pub fn set_tick_period(&mut self, period: u32) -> bool {
        let ProgramLocation::Chip(chip) = &mut self.location else { return false };
        let last = chip.params().nodes.len() - 1;
        chip.set_tick(period, &[FIRST_NODE + last as u8])
    }

    fn processor(&mut self) -> Option<&mut Processor> {
        let ring_processor = match &mut self.location {
            ProgramLocation::Chip(chip) => {
                let last = chip.params().nodes.len() - 1;
                let Node::Processor(ring_processor) = chip.node(last) else { return None };
                ring_processor
            }
            ProgramLocation::Host(_, ring_processor) | ProgramLocation::Alone(_, ring_processor) => ring_processor,
        };
        Some(ring_processor.processor_mut())
    }

    /// Records what the processor executes, before it begins.
    pub fn record(&mut self) -> Result<(), String> {
        let program = &self.program_output.firmware.program;
        self.processor().map_or(Ok(()), |p| p.record(program).map_err(|e| e.to_string()))
    }

    /// Content of the processor's memory.
    pub fn memory(&mut self) -> &[u8] {
        self.processor().map_or(&[], |p| p.ram())
    }

    /// Ends the recording, if there is one.
    pub fn recorded(&mut self) -> Option<Recorded> {
        self.processor()?.recorded()
    }

    /// Ticks received, packets that the program sent, and their words.
    pub fn counts(&self) -> (u64, u64, u64) {
        (self.program_output.ticks, self.program_output.packets, self.program_output.words)
    }

    fn new(firmware: &'a Firmware, location: ProgramLocation, watcher: Watcher) -> Self {
        Self { watcher, location, program_output: ProgramOutput::new(firmware), totals: Totals::default() }
    }

    /// Losses and output so far.
    pub fn totals(&self) -> Totals {
        let mut t = self.totals;
        let generators = match &self.location {
            ProgramLocation::Chip(chip) => {
                (t.link_bytes, t.node_losses) = (chip.link_bytes(), chip.node_losses());
                t.reported = self.program_output.lost + chip.unreported();
                chip.generators()
            }
            ProgramLocation::Host(chip, ring_processor) => {
                t.link_bytes = chip.link_bytes();
                t.node_losses = chip.node_losses() + u64::from(ring_processor.processor().dropped());
                t.reported = self.program_output.lost + chip.unreported() + ring_processor.processor().unreported();
                chip.generators()
            }
            ProgramLocation::Alone(generators, ring_processor) => {
                t.node_losses = ring_processor.processor().dropped().into();
                t.reported = self.program_output.lost + ring_processor.processor().unreported();
                generators
            }
        };
        for g in generators {
            let (losses, made) = g.counts();
            crate::session::add(&mut t.losses, losses);
            t.events += made;
        }
        t
    }

    /// Ends the run: notifies the program, and takes what it sends in response.
    pub fn finish(&mut self) -> Result<(), String> {
        if let Some(e) = &self.watcher.error {
            return Err(e.clone());
        }
        match &mut self.location {
            ProgramLocation::Chip(chip) | ProgramLocation::Host(chip, _) => chip.finish(),
            ProgramLocation::Alone(..) => {}
        }
        self.pump();
        if let ProgramLocation::Host(_, ring_processor) | ProgramLocation::Alone(_, ring_processor) = &mut self.location
        {
            handle(ring_processor, None, &mut self.program_output);
        }
        Ok(())
    }

    /// Takes the outputs since the last call.
    pub fn take_outputs(&mut self) -> Vec<Output> {
        self.program_output.take_outputs()
    }

    /// Whether the run had data events.
    pub fn has_data(&self) -> bool {
        self.watcher.has_data
    }

    fn pump(&mut self) {
        let (chip, mut ring_processor) = match &mut self.location {
            ProgramLocation::Chip(chip) => (chip, None),
            ProgramLocation::Host(chip, ring_processor) => (chip, Some(ring_processor)),
            ProgramLocation::Alone(..) => return,
        };
        for arrived in chip.take_arrived() {
            match (&arrived.packet.body, &mut ring_processor) {
                (Body::Event(e), None) => self.program_output.take(e),
                // it reports the losses with what it sends
                (Body::Event(e), Some(ring_processor)) => {
                    handle(ring_processor, Some(e), &mut self.program_output);
                }
                (Body::Control { .. }, _) => {}
            }
        }
    }

    fn with(&mut self, f: impl FnOnce(&mut Watcher, &mut dyn FnMut(u8, &ObservedInsn))) {
        let (location, totals, program_output) = (&mut self.location, &mut self.totals, &mut self.program_output);
        f(&mut self.watcher, &mut |core, seen| {
            totals.seen(seen);
            match location {
                ProgramLocation::Chip(chip) | ProgramLocation::Host(chip, _) => chip.observe(core, seen),
                ProgramLocation::Alone(generators, ring_processor) => {
                    let g = &mut generators[usize::from(core)];
                    g.observe(seen);
                    while !g.is_idle() {
                        g.clock(None);
                        while let Some((_, event)) = g.pop() {
                            totals.event_bytes += 2 * event.words() as u64;
                            handle(ring_processor, Some(&event), program_output);
                        }
                    }
                }
            }
        });
        self.pump();
    }
}

/// A processor with the program loaded.
fn loaded(firmware: &Firmware, watchdog: u32) -> Box<RingProcessor> {
    let mut ring_processor = Box::<RingProcessor>::default();
    ring_processor.set(&start(&firmware.image, watchdog.div_ceil(UNIT) as u16));
    ring_processor
}

/// Runs the handler of an event, or that of the end, and takes what it sends.
fn handle(ring_processor: &mut RingProcessor, event: Option<&Event>, program_output: &mut ProgramOutput<'_>) {
    let mut out = Outbox::new();
    ring_processor.handle(event, &mut out);
    out.iter().for_each(|(_, e)| program_output.take(e));
}

/// Trigger slots of the handlers, whose events go to `dest`.
pub fn slots(app: &App, dest: u8) -> Vec<Slot> {
    let slots = |(n, u): (usize, &crate::app::Use)| -> Vec<Slot> {
        let (event, captures, stamped) = (n as u8, u.captures.clone(), u.stamped);
        let slot = |trigger| Slot { trigger, event, dest, captures: captures.clone(), stamped, yields: false };
        u.triggers().map(slot).collect()
    };
    app.uses.iter().enumerate().flat_map(slots).collect()
}

impl RetireSink for Handlers<'_> {
    const WANTS_DATA: bool = true;

    fn event(&mut self, event: &FlowEvent) {
        self.with(|w, mut each| w.event(event, &mut each));
    }

    fn data(&mut self, data: &DataEvent) {
        self.with(|w, mut each| w.data(data, &mut each));
    }
}
