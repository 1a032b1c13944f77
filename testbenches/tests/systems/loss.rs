//! Whole systems that lose messages, emitted and under Verilator, against `sim/src/core_trace`: every word is the model's
//!
//! When a core loses messages and when it resumes depends on the sink, so both are taken from the circuit's stream: the
//! instruction before each gap, the cycle of each overflow message, and the cycle of the stop messages, which wait for
//! room in all FIFOs. The golden model makes all the rest, in commit order: each message, its time, the number of lost
//! instructions, and the order of the cores.

use crate::system::{compare, ports, program, ACTIVATION, STOPPING};
use fpga::cosim::trace::{TraceCosim, TraceOptions};
use hdl::emit::{emit, SystemOptions};
use retire::elf::Program;
use retire::image::Image;
use retire::{FlowEvent, FlowKind};
use sim::beats::{Expander, Retired};
use sim::bits::BitWriter;
use sim::core_trace::CoreTrace;
use sim::message::{Body, Escape, Message};
use sim::params::{Platform, TraceParams};
use sim::replay::{Replay, ReplaySink};
use sim::scheme::{Encode, Scheme, SchemeVisitor};
use sim::system::header;
use std::collections::VecDeque;
use testbenches::check::{beat_file, run};

/// What a stream says about its losses.
#[derive(Default)]
struct Losses {
    /// For each core, the instructions retired before each gap.
    before: Vec<VecDeque<u64>>,
    /// The core of each message; of an overflow also its cycle.
    messages: Vec<(u8, Option<u64>)>,
    retired: Vec<u64>,
    cycles: Vec<u64>,
    /// The cycle of the first stop message.
    stop: Option<u64>,
}

impl ReplaySink for Losses {
    fn event(&mut self, e: &FlowEvent) {
        let hart = usize::from(e.hart);
        self.retired[hart] += u64::from(e.count);
        if let FlowKind::Gap { lost } = e.kind {
            self.before[hart].push_back(self.retired[hart]);
            self.retired[hart] += u64::from(lost);
        }
    }

    fn message(&mut self, _: u64, message: &Message) {
        let cycle = &mut self.cycles[usize::from(message.core)];
        *cycle += message.diff_cc;
        let overflow = matches!(message.body, Body::Escape(Escape::Overflow { .. }));
        if let Body::Escape(Escape::Stop { .. }) = message.body {
            self.stop.get_or_insert(*cycle);
        }
        self.messages.push((message.core, overflow.then_some(*cycle)));
    }
}

/// An instruction with its events.
struct Step {
    retired: Retired,
    before: Option<FlowKind>,
    event: Option<FlowEvent>,
}

/// All instructions in commit order.
fn steps(program: &Program, cores: u8, events: &[FlowEvent]) -> Vec<Step> {
    let (mut expander, mut all) = (Expander::new(program, cores), Vec::new());
    let mut push = |r: &Retired| all.push(Step { retired: *r, before: None, event: None });
    events.iter().for_each(|e| expander.event(e, &mut push).unwrap());
    expander.finish(&mut push).unwrap();
    for hart in 0..cores {
        let mut own = all.iter_mut().filter(|s| s.retired.hart == hart);
        let mut next = own.next();
        for e in events.iter().filter(|e| e.hart == hart) {
            // of the instructions that it counts, the last is its own, unless it comes before an instruction
            let others = if e.kind.retires() { e.count - 1 } else { e.count };
            (0..others).for_each(|_| next = own.next());
            let Some(step) = &mut next else { break };
            if e.kind.retires() {
                step.event = Some(*e);
                next = own.next();
            } else {
                step.before = Some(e.kind);
            }
        }
    }
    all
}

/// The words of the golden model that loses what the circuit lost.
struct Golden<'a> {
    params: &'a TraceParams,
    steps: &'a [Step],
    losses: Losses,
}

/// State of a core.
struct Core<F> {
    trace: CoreTrace<F>,
    /// Instructions in all; and since the last event.
    retired: u64,
    count: u32,
    /// Whether it is losing instructions, and whether the next one is the first after a start or a gap.
    loses: bool,
    first: bool,
}

impl SchemeVisitor for Golden<'_> {
    type Output = Vec<u32>;

    fn of<S: Scheme>(mut self, scheme: &S) -> Vec<u32> {
        let platform = &self.params.platform;
        let (mut coder, mut out) = (scheme.coder(platform), BitWriter::new());
        header(self.params).into_iter().for_each(|word| out.push(word.into(), 32));
        let mut cores: Vec<_> = (0..platform.cores)
            .map(|core| Core {
                trace: CoreTrace::new(core, platform, scheme.front(platform)),
                retired: 0,
                count: 0,
                loses: false,
                first: true,
            })
            .collect();
        // messages so far
        let mut sent = 0;
        let mut overflows: Vec<(u64, u8)> =
            self.losses.messages.iter().filter_map(|(core, cycle)| Some(((*cycle)?, *core))).collect();
        overflows.sort_unstable();
        let mut overflows = overflows.into_iter().peekable();
        let mut write = |m: &Message<_>| {
            sent += 1;
            coder.encode(m, &mut out);
        };
        for step in self.steps {
            let Retired { hart, pc, cycle, .. } = step.retired;
            let cycle = cycle + ACTIVATION;
            while let Some((at, core)) = overflows.next_if(|next| *next < (cycle, hart)) {
                let core = &mut cores[usize::from(core)];
                assert!(core.loses, "an overflow of a core that loses nothing");
                core.trace.overflow(at, &mut write);
                (core.loses, core.first) = (false, true);
            }
            let core = &mut cores[usize::from(hart)];
            let index = core.retired;
            core.retired += 1;
            if core.loses {
                core.trace.count_retired(1);
                continue;
            }
            if self.losses.before[usize::from(hart)].front() == Some(&index) {
                self.losses.before[usize::from(hart)].pop_front();
                core.trace.hide(std::mem::take(&mut core.count));
                core.loses = true;
                continue;
            }
            if let Some(kind) = if core.first { Some(FlowKind::Start) } else { step.before } {
                let count = std::mem::take(&mut core.count);
                let e = FlowEvent { hart, kind, len: 0, count, pc, target: pc, cycle };
                core.trace.event(&e, &mut write);
            }
            core.first = false;
            core.count += 1;
            if let Some(e) = step.event {
                let count = std::mem::take(&mut core.count);
                core.trace.event(&FlowEvent { count, cycle, ..e }, &mut write);
            }
        }
        for (at, core) in overflows {
            cores[usize::from(core)].trace.overflow(at, &mut write);
        }
        let stop = self.losses.stop.expect("a stop message");
        for mut core in cores {
            core.trace.count_retired(core.count);
            core.trace.stop(stop, &mut write);
        }
        assert_eq!(sent, self.losses.messages.len(), "messages");
        coder.flush(&mut out);
        out.pad();
        out.drain().collect()
    }
}

/// Plays `name` on a system whose sink takes a quarter of what is sent.
fn loses_what_the_model_loses(scheme: &str, cores: u8, signature: u8, fifo_address_bits: u8, name: &str) {
    let platform = Platform { cores, signature, timestamps: true, ..Platform::RV32 };
    let params = TraceParams::new(platform, scheme.parse().unwrap());
    let place = format!("{name}, {}", params.canonical());
    let program = program(name).load().unwrap();
    let (events, _) = run(&program, cores, 100_000);
    let verilog = emit(&params, &SystemOptions { fifo_address_bits, ..SystemOptions::default() }).unwrap();
    let sim = TraceCosim::build(&verilog, &ports(cores.into(), 32)).unwrap();
    let (file, _) = beat_file(&program, &params, &events);
    let free = sim.run(file.path(), &TraceOptions::default(), |_| ()).unwrap();
    let options = TraceOptions { cycles_per_word: 4 * free.stop / free.words, ..TraceOptions::default() };
    let mut got = Vec::new();
    let summary = sim.run(file.path(), &options, |w| got.push(w)).unwrap();
    let n = usize::from(cores);
    let mut losses =
        Losses { before: vec![VecDeque::new(); n], retired: vec![0; n], cycles: vec![0; n], ..Losses::default() };
    let image = Image::new(&program);
    let replay = Replay::new(&image, &params, got.iter().copied()).unwrap();
    replay.run(&mut losses).unwrap_or_else(|e| panic!("{place}: {e}"));
    let gaps: usize = losses.before.iter().map(VecDeque::len).sum();
    assert!(gaps > 4, "{place}: {gaps} gaps");
    assert!(losses.stop >= Some(summary.stop + STOPPING + ACTIVATION), "{place}: stops in {:?}", losses.stop);
    let want = params.flow.visit(Golden { params: &params, steps: &steps(&program, cores, &events), losses });
    compare(&place, &want, &got);
}

#[test]
fn followers_of_the_past_lose_what_the_model_loses() {
    loses_what_the_model_loses("follow:m", 1, 0, 4, "fsm");
    loses_what_the_model_loses("follow:s", 3, 16, 3, "fsm");
    loses_what_the_model_loses("follow:ml", 2, 0, 4, "irq");
}

#[test]
fn t_raptor_loses_what_the_model_loses() {
    loses_what_the_model_loses("tr_e:small", 1, 0, 4, "fsm");
    loses_what_the_model_loses("tr_e:small", 3, 16, 3, "fsm");
    loses_what_the_model_loses("golomb:m4", 2, 0, 4, "irq");
}

#[test]
fn others_lose_what_the_model_loses() {
    loses_what_the_model_loses("nx_b", 2, 0, 3, "fsm");
    loses_what_the_model_loses("taken", 2, 0, 3, "irq");
}
