//! `--soc` of `goshawk diag run` and `test`: a script on the chip's circuits, with softcores in Verilator

use super::common::{untraced, OpenedSoc};
use super::simulated::SIMULATED;
use super::traced::{self, TraceRequest, Traced};
use crate::args::CoreName;
use crate::progress::bar;
use crate::Failure;
use ::diag::layout::{layout, Cut, Layout};
use ::diag::link::{FrameReader, FrameWriter};
use ::diag::load;
use ::diag::losses::LossLocation;
use ::diag::noisy::{Noise, NoisyHost};
use ::diag::plan::{plan, Rates};
use ::diag::replayed;
use ::diag::runtime::{Output, Runtime};
use ::diag::session::{Host, Totals};
use fpga::soc::core::CoreKind;
use fpga::soc::diag::{DiagRun, DiagSoc, HostAction};
use fpga::soc::image;
use fpga::soc::top::SocConfig;
use fpga::soc::verilate::default_cache;
use hdl::diag::chip::DiagParams;
use retire::image::Image;
use retire::FlowEvent;
use sim::diag::generator::Losses;
use sim::diag::packet::{Event, Packet};
use sim::diag::trigger::GeneratorParams;
use std::str::FromStr;

/// The SoC.
#[derive(clap::Args, Clone, Debug)]
pub struct SocArgs {
    /// Run on the chip's circuits, with --harts softcores, in Verilator
    #[arg(help_heading = "Softcores in Verilator", long, conflicts_with_all = SIMULATED)]
    pub soc: bool,
    /// Softcore of --soc. picorv32 and ibex have full event generators, the others those of --lite
    #[arg(help_heading = "Softcores in Verilator", long, value_enum, value_name = "NAME", requires = "soc", conflicts_with_all = SIMULATED, default_value = "picorv32")]
    core: CoreName,
    /// Cycle limit of the cores. Only with --soc
    #[arg(help_heading = "Softcores in Verilator", long, value_name = "N", requires = "soc", conflicts_with_all = SIMULATED, default_value_t = 2_000_000,
        value_parser = clap::value_parser!(u64).range(1..=20_000_000))]
    pub max_cycles: u64,
    /// Rate of damaged bytes on the line, both ways, up to 0.1: a third of them is lost, in the others one bit is
    /// flipped. Only with --soc
    #[arg(help_heading = "Softcores in Verilator", long, value_name = "RATE[,seed=N]", requires = "soc", conflicts_with_all = SIMULATED, conflicts_with = "processor")]
    pub damage: Option<DamageArg>,
}

impl SocArgs {
    /// The softcore.
    pub fn core(&self) -> CoreKind {
        self.core.into()
    }
}

/// An argument such as `1e-4,seed=3`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DamageArg {
    in_65536: u16,
    seed: u64,
}

impl FromStr for DamageArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (rate, seed) = text.split_once(",seed=").unwrap_or((text, "1"));
        let right = || "expected a rate of damaged bytes up to 0.1, as 1e-4 or 1e-4,seed=3".to_string();
        let rate: f64 = rate.parse().map_err(|_| right())?;
        let seed = seed.parse().map_err(|_| right())?;
        if !(0.0..=0.1).contains(&rate) {
            return Err(right());
        }
        // rounds up, so that a rate above 0 damages something
        Ok(Self { in_65536: (rate * 65536.0).ceil() as u16, seed })
    }
}

/// Statistics of a line that damages bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// Number of bytes sent, and of those damaged.
    pub bytes: (u64, u64),
    /// Frames of the chip lost since the cores started.
    pub lost: u64,
    /// Frames that the host repeated.
    pub repeated: u64,
}

impl OpenedSoc {
    /// The best plan for the nodes that have circuits.
    pub fn plan(&self) -> Result<Layout, Failure> {
        // the rate of the trace is the same for all cuts
        let rates = Rates::assumed(&self.app, self.params.clock_hz);
        Ok(plan(&self.app, &self.params, &rates).map_err(Failure::Other)?.layout)
    }

    /// The layout with everything on the host.
    pub fn host_layout(&self) -> Result<Layout, Failure> {
        layout(&self.app, &self.params.nodes, &Cut::host(&self.app)).map_err(Failure::Other)
    }

    /// Number of low address bits of the SoC's code that are always 0.
    pub fn align(&self) -> u8 {
        self.core.core().isa().align()
    }

    fn config(&self) -> SocConfig {
        SocConfig { dma: self.params.masters > 0, ..SocConfig::simulated(self.core, self.params.cores) }
    }
}

/// Result of a run.
pub struct Observed {
    /// Outputs of the script.
    pub outputs: Vec<Output>,
    /// Where events were lost, with their number.
    pub losses: Vec<LossLocation>,
    /// Totals; losses are those that the chip reported, and frames.
    pub totals: Totals,
    /// The run.
    pub run: DiagRun,
    /// Statistics of the line, if it damages bytes.
    pub damage: Option<Damage>,
    /// Results of the trace, if there is one.
    pub traced: Option<Traced>,
}

/// A run on circuits.
pub struct CircuitRun {
    /// The run.
    pub run: DiagRun,
    /// Number of packets that arrived before the cores started.
    pub before: usize,
    /// Statistics of the line, if it damages bytes.
    pub damage: Option<Damage>,
    /// Where frames are missing: number of packets before, and of frames.
    gaps: Vec<(usize, u64)>,
}

impl CircuitRun {
    /// Totals of the run; `lost`: events that the chip reported as lost.
    pub fn totals(&self, lost: u64) -> Totals {
        let run = &self.run;
        Totals {
            cycles: run.cycles,
            instructions: run.retired.len() as u64,
            accesses: run.retired.iter().map(|r| u64::from(r.masks.0 != 0) + u64::from(r.masks.1 != 0)).sum(),
            link_bytes: run.bytes.iter().filter(|b| b.0 >= run.start).count() as u64,
            losses: Losses { fifo: lost, ..Losses::default() },
            reported: lost,
            ..Totals::default()
        }
    }
}

/// Sends packets to the chip, runs the program, sends more packets, and receives those that leave.
pub fn drive(
    opened: &OpenedSoc,
    before: &[Packet],
    after: &[Packet],
    args: &SocArgs,
    trace: Option<&TraceRequest>,
) -> Result<(CircuitRun, Vec<Packet>), Failure> {
    let other = |e: &dyn std::fmt::Display| Failure::Other(e.to_string());
    let (config, params) = (SocConfig { trace: trace.map(|t| t.params), ..opened.config() }, &opened.params);
    // errors are reported before a build of several minutes
    config.check().map_err(|e| other(&e))?;
    image::check_supported(&opened.program, config.core).map_err(|e| other(&e))?;
    image::hex(&opened.program, config.ram_bytes()).map_err(|e| other(&e))?;
    let chip = DiagParams {
        cores: params.cores,
        generator: params.generator,
        outside: Vec::new(),
        nodes: params.nodes.clone(),
        windows: trace.is_some_and(|t| t.window.is_some()),
        masters: params.masters,
        clocked: 0,
    };
    let building = bar("building with Verilator", "", None);
    let soc = DiagSoc::build(&config, &chip, &default_cache()).map_err(|e| other(&e))?;
    building.finish_and_clear();
    // whole cycles per byte
    let byte_clocks = (8 * params.clock_hz / params.link_bits).clamp(1, u64::from(u32::MAX)) as u32;
    if let Some(damage) = args.damage {
        return damaged(&soc, opened, [before, after], damage, byte_clocks, args.max_cycles);
    }
    let mut frames = FrameWriter::default();
    let mut bytes = |packets: &[Packet]| packets.iter().flat_map(|p| frames.frame(p)).collect::<Vec<u8>>();
    let (begins, [ends, rest]) = traced::packets(chip.windows);
    let mut before = bytes(before);
    if trace.is_some() {
        before.extend(bytes(&[begins]));
    }
    let mut groups = vec![bytes(after)];
    if trace.is_some() {
        groups.extend([bytes(&ends), bytes(&rest)]);
    }
    let running = bar("simulating", "", None);
    let run = soc.run(&opened.program, &before, &groups, byte_clocks, args.max_cycles).map_err(|e| other(&e))?;
    running.finish_and_clear();
    let mut reader = FrameReader::default();
    let start = run.bytes.partition_point(|b| b.0 < run.start);
    let bytes: Vec<u8> = run.bytes.iter().map(|b| b.1).collect();
    let mut packets = reader.push(&bytes[..start]);
    let before = packets.len();
    packets.extend(reader.push(&bytes[start..]));
    if (reader.lost, reader.skipped, reader.malformed) != (0, 0, 0) {
        let (lost, skipped, malformed) = (reader.lost, reader.skipped, reader.malformed);
        return Err(Failure::Other(format!(
            "link of the simulation: {lost} frames are missing, {malformed} hold no packet, {skipped} bytes belong to none"
        )));
    }
    Ok((CircuitRun { run, before, damage: None, gaps: Vec::new() }, packets))
}

/// The same on a line that damages bytes.
fn damaged(
    soc: &DiagSoc,
    opened: &OpenedSoc,
    [before, after]: [&[Packet]; 2],
    damage: DamageArg,
    byte_clocks: u32,
    max_cycles: u64,
) -> Result<(CircuitRun, Vec<Packet>), Failure> {
    let mut host = NoisyHost::new(Noise::new(damage.in_65536, damage.seed));
    host.send(before);
    let (mut read, mut went, mut packets, mut first, mut answers) = (0, false, Vec::new(), 0, 0);
    let running = bar("simulating", "", None);
    let run = soc.run_with(&opened.program, byte_clocks, max_cycles, &mut |run| {
        let bytes: Vec<u8> = run.bytes[read..].iter().map(|b| b.1).collect();
        host.receive(&bytes);
        read = run.bytes.len();
        if run.start != 0 && !went {
            went = true;
            host.send_held(after);
        }
        packets.extend(host.take());
        match host.answer() {
            Some(bytes) => HostAction::Bytes(bytes),
            None if went => HostAction::End,
            None => {
                (first, answers) = (packets.len(), host.lost().0);
                HostAction::Go
            }
        }
    });
    let run = run.map_err(|e| Failure::Other(e.to_string()))?;
    running.finish_and_clear();
    let (lost, repeated) = host.lost();
    let damage = Damage { bytes: host.noise.bytes, lost: lost - answers, repeated };
    // answers from before the cores started are none of the results
    let gaps = host.gaps().into_iter().filter(|gap| gap.0 >= first).collect();
    Ok((CircuitRun { run, before: first, damage: Some(damage), gaps }, packets))
}

/// Configures the chip, runs the program, and evaluates what leaves.
pub fn observe(
    opened: &OpenedSoc,
    layout: &Layout,
    args: &SocArgs,
    request: Option<&TraceRequest>,
) -> Result<Observed, Failure> {
    let params = &opened.params;
    let mut before = load::set(layout, params.cores, params.generator.lite);
    before.extend(load::set_masters(layout, params.cores, params.masters));
    let window = request.and_then(|w| w.window.as_ref());
    if let Some(window) = window {
        let writes = window.set(layout.slots.len(), &params.generator)?;
        before.extend((0..params.cores).flat_map(|core| load::write(core, &writes)));
    }
    let (circuit_run, packets) = drive(opened, &before, &load::flush(layout), args, request)?;
    let mut host = Host::new(&opened.app, layout);
    let replayed = match request {
        Some(request) => {
            let image = Image::new(&opened.program);
            let reported = replayed::take(&mut host, layout, (&request.params, &image), &packets);
            Some(reported.map_err(Failure::Other)?)
        }
        None => {
            let mut missing = circuit_run.gaps.iter().peekable();
            for (n, packet) in packets.iter().enumerate() {
                missing.next_if(|gap| gap.0 == n).into_iter().for_each(|gap| host.runtime().miss(gap.1));
                host.take(packet);
            }
            missing.for_each(|gap| host.runtime().miss(gap.1));
            None
        }
    };
    host.finish(u64::from(circuit_run.run.start) + circuit_run.run.cycles);
    let missing = circuit_run.damage.map_or(0, |d| d.lost);
    let totals = circuit_run.totals(host.runtime().lost + missing);
    let damage = circuit_run.damage;
    let traced = match (request, replayed) {
        (Some(request), Some(replayed)) => {
            let flow = flow(&circuit_run.run, opened)?;
            let of = traced::Observed { program: &opened.program, names: names(opened), flow: &flow };
            let bytes = traced::bytes(packets.iter().skip(circuit_run.before));
            Some(match window {
                Some(window) => {
                    let image = Image::new(&opened.program);
                    Traced::inside((request, window), (&image, &circuit_run.run), replayed, bytes)?
                }
                None => Traced::check(request, &of, replayed, bytes, (&opened.app, &opened.script))?,
            })
        }
        _ => None,
    };
    let (outputs, losses) = (host.runtime().take_outputs(), host.runtime().loss_locations());
    let mut got = Observed { outputs, losses, totals, run: circuit_run.run, damage, traced };
    let events = got.golden(opened, layout)?;
    got.totals.events = events.len() as u64;
    got.totals.event_bytes = events.iter().map(|(_, e)| 2 * e.words() as u64).sum();
    Ok(got)
}

/// Control flow that the cores retired.
pub fn flow(run: &DiagRun, opened: &OpenedSoc) -> Result<Vec<FlowEvent>, Failure> {
    run.flow(&opened.program, opened.params.cores).map_err(|e| Failure::Other(e.to_string()))
}

/// Name of the input, and of the machine.
pub fn names(opened: &OpenedSoc) -> (&str, String) {
    (&opened.input, format!("SoC of {} {}, Verilator", opened.params.cores, opened.core.name()))
}

impl Observed {
    /// Events of golden generators for the cores' retire log.
    fn golden(&self, opened: &OpenedSoc, layout: &Layout) -> Result<Vec<(u8, Event)>, Failure> {
        let (own, slots) = (opened.params.generator, layout.slots.len());
        // points that come from a trace have triggers in the model
        let sizes = if slots > usize::from(own.slots) {
            GeneratorParams { slots: 64, wide: 64, lite: false, ..own }
        } else {
            own
        };
        let events = self.run.events(opened.params.cores, sizes, &layout.slots);
        events.map(|(events, _)| events).map_err(|e| Failure::Other(e.to_string()))
    }

    /// Outputs of the script for the cores' retire log, with everything on the host.
    pub fn replayed(&self, opened: &OpenedSoc) -> Result<Vec<Output>, Failure> {
        let app = untraced(&opened.app);
        let layout = layout(&app, &opened.params.nodes, &Cut::host(&app)).map_err(Failure::Other)?;
        let mut runtime = Runtime::new(&app, &layout);
        self.golden(opened, &layout)?.iter().for_each(|(_, e)| runtime.take(e));
        runtime.end(u64::from(self.run.start) + self.run.cycles);
        Ok(runtime.take_outputs())
    }
}
