//! Drives a front end with a synthetic program and holds its entries to the golden model

use hdl::entry::*;
use hdl::front_end::cores::{EtraceCore, EtraceStreamCore, RvfiCore, RvfiStreamCore};
use hdl::front_end::rvfi::Rvfi;
use hdl::stream_cache::entry::*;
use rust_hdl::prelude::*;
use sim::golden::core::Core;
use sim::isa::{flow, Flow, Indirect};
use sim::message::{Body, Escape, Message};
use sim::params::TraceParams;
use sim::retire::{FlowEvent, FlowKind};
use sim::stream_cache::{self, Record, Variant};
use testbenches::driver::{Driver, DriverError};
use testbenches::stimulus::program::Model;
use testbenches::stimulus::run::{Config, Retired, Run, Step};
use testbenches::stimulus::Source;

/// What an ingress shows in one clock.
#[derive(Clone, Copy, Debug)]
pub enum Show {
    Nothing,
    /// An instruction that traps, at this address.
    Trap(u64),
    /// An instruction that retires. RVFI is told by `intr` that it is the first after a trap, E-Trace by
    /// `then_trap` that one follows.
    Retire {
        r: Retired,
        kind: Option<FlowKind>,
        intr: bool,
        then_trap: bool,
    },
}

/// The golden model of a front end.
pub trait Golden: Clone {
    /// With its `diffCC`.
    type Message: Copy + std::fmt::Debug + PartialEq;
    /// Clocks from an instruction at the ingress to the decision about its messages; one more to its entry.
    const TO_DECISION: u64;
    /// A stop message tells when tracing ended, not when it was its turn.
    const TELLS_THE_END: bool;
    fn new(params: &TraceParams) -> Self;
    fn event(&mut self, e: &FlowEvent, out: &mut Vec<Self::Message>);
    fn stop(&mut self, cycle: u64, out: &mut Vec<Self::Message>);
    /// What is sent in `cycle` when the messages of the next event were lost.
    fn overflow(&mut self, cycle: u64, lost: u64, out: &mut Vec<Self::Message>);
    /// The messages of an entry.
    fn messages(e: &Entry, params: &TraceParams) -> Vec<Self::Message>;
    /// `lost` of an overflow message that ends `messages`.
    fn lost(messages: &[Self::Message]) -> Option<u64>;
}

/// The model of [`RvfiCore`], and the instructions since its last message.
#[derive(Clone)]
pub struct Predicting {
    core: Core,
    since: u64,
    last: u64,
    cc_max: u64,
    timestamps: bool,
}

impl Golden for Predicting {
    type Message = Message;
    const TO_DECISION: u64 = 4;
    const TELLS_THE_END: bool = false;
    fn new(p: &TraceParams) -> Self {
        let cc_max = (1 << p.cc_bits) - 1;
        Self { core: Core::new(0, p), since: 0, last: 0, cc_max, timestamps: p.timestamps }
    }
    fn event(&mut self, e: &FlowEvent, out: &mut Vec<Message>) {
        self.since += u64::from(e.count);
        let before = out.len();
        self.core.event(e, &mut |m| out.push(*m));
        if out.len() > before {
            (self.since, self.last) = (0, e.cycle);
        }
    }
    fn stop(&mut self, cycle: u64, out: &mut Vec<Message>) {
        self.core.stop(cycle, &mut |m| out.push(*m));
    }
    fn overflow(&mut self, cycle: u64, lost: u64, out: &mut Vec<Message>) {
        let diff_cc = if self.timestamps { (cycle - self.last).min(self.cc_max) } else { 0 };
        out.push(Message { core: 0, diff_cc, body: Body::Escape(Escape::Overflow { i_cnt: self.since, lost }) });
    }
    fn messages(e: &Entry, p: &TraceParams) -> Vec<Message> {
        messages(e, p)
    }
    fn lost(messages: &[Message]) -> Option<u64> {
        match messages {
            [Message { body: Body::Escape(Escape::Overflow { lost, .. }), .. }] => Some(*lost),
            _ => None,
        }
    }
}

impl Golden for stream_cache::Core {
    type Message = (u64, Record);
    const TO_DECISION: u64 = 5;
    const TELLS_THE_END: bool = true;
    fn new(p: &TraceParams) -> Self {
        stream_cache::Core::new(p)
    }
    fn event(&mut self, e: &FlowEvent, out: &mut Vec<Self::Message>) {
        stream_cache::Core::event(self, e, &mut |cc, r| out.push((cc, *r)));
    }
    fn stop(&mut self, cycle: u64, out: &mut Vec<Self::Message>) {
        stream_cache::Core::stop(self, cycle, &mut |cc, r| out.push((cc, *r)));
    }
    fn overflow(&mut self, cycle: u64, lost: u64, out: &mut Vec<Self::Message>) {
        stream_cache::Core::overflow(self, cycle, lost, &mut |cc, r| out.push((cc, *r)));
    }
    fn messages(e: &Entry, p: &TraceParams) -> Vec<Self::Message> {
        records(e, p)
    }
    fn lost(records: &[Self::Message]) -> Option<u64> {
        match records.last() {
            Some((_, Record::Escape { escape: Escape::Overflow { lost, .. }, .. })) => Some(*lost),
            _ => None,
        }
    }
}

/// What all front ends with adapters have.
pub trait Ingress: Block {
    /// How many clocks after its own report an instruction retires: 0, or (true) with the next report.
    const HOLDS: bool;
    type Golden: Golden;
    fn set_clock(&mut self, c: bool);
    fn set(&mut self, show: &Show);
    fn control(&mut self, enable: bool, full: bool, drained: bool, go: bool);
    fn ready(&self) -> bool;
    fn stop_ready(&self) -> bool;
    fn entry(&self) -> Option<Entry>;
}

macro_rules! common {
    () => {
        fn set_clock(&mut self, c: bool) {
            self.clock.next = c.into();
        }
        fn control(&mut self, enable: bool, full: bool, drained: bool, go: bool) {
            self.enable.next = enable;
            self.full.next = full;
            self.drained.next = drained;
            self.stop_go.next = go;
        }
        fn ready(&self) -> bool {
            self.ready.val()
        }
        fn stop_ready(&self) -> bool {
            self.stop_ready.val()
        }
        fn entry(&self) -> Option<Entry> {
            self.entry_push.val().then(|| Entry {
                pre: self.entry_pre.val().index() as u8,
                post: self.entry_post.val().index() as u8,
                icnt: self.entry_icnt.val().index() as u32,
                bcnt: self.entry_bcnt.val().index() as u32,
                pc: to_u64(self.entry_pc.val()),
                target: to_u64(self.entry_target.val()),
                cc: self.entry_cc.val().index() as u32,
            })
        }
    };
}

fn to_u64<const W: usize>(b: Bits<W>) -> u64 {
    (0..W).fold(0, |v, i| v | u64::from(b.get_bit(i)) << i)
}

macro_rules! rvfi {
    ($core:ident, $golden:ty) => {
        impl<const W: usize> Ingress for $core<W> {
            const HOLDS: bool = false;
            type Golden = $golden;
            common!();
            fn set(&mut self, show: &Show) {
                self.rvfi_valid.next = !matches!(show, Show::Nothing);
                self.rvfi_trap.next = matches!(show, Show::Trap(_));
                match show {
                    Show::Retire { r, intr, .. } => {
                        // the high half of a short instruction may hold anything
                        let high = if r.len == 2 { 0x9a5f_0000 } else { 0 };
                        self.rvfi_insn.next = u64::from(r.insn | high).to_bits();
                        self.rvfi_pc_rdata.next = r.pc.to_bits();
                        self.rvfi_pc_wdata.next = r.next_pc.to_bits();
                        self.rvfi_intr.next = *intr;
                    }
                    // noise that must not count: a call to nowhere
                    _ => {
                        self.rvfi_insn.next = 0x0000_80e7_u64.to_bits();
                        self.rvfi_pc_rdata.next = 0x1234_u64.to_bits();
                        self.rvfi_pc_wdata.next = 0x5678_u64.to_bits();
                        self.rvfi_intr.next = false;
                    }
                }
            }
        }
    };
}

macro_rules! etrace {
    ($core:ident, $golden:ty) => {
        impl<const W: usize> Ingress for $core<W> {
            const HOLDS: bool = true;
            type Golden = $golden;
            common!();
            fn set(&mut self, show: &Show) {
                let (itype, iaddr, iretire, last) = match show {
                    Show::Nothing => (0, 0x4321, 0, false),
                    Show::Trap(pc) => (1 + (pc >> 2 & 1), *pc, 0, false),
                    Show::Retire { r, kind, then_trap, .. } => {
                        let itype = match kind {
                            None if *then_trap => 1 + (r.pc >> 2 & 1),
                            None => 0,
                            Some(FlowKind::TrapReturn) => 3,
                            Some(FlowKind::Conditional { taken }) => 4 + u64::from(*taken),
                            Some(FlowKind::IndirectCall) => 8,
                            Some(FlowKind::Call) => 9,
                            Some(FlowKind::Jump) => 11 + (r.pc & 4),
                            Some(FlowKind::CoSwap) => 12,
                            Some(FlowKind::Return) => 13,
                            Some(FlowKind::IndirectJump) => 10 + (r.pc & 4),
                            other => panic!("{other:?} has no itype"),
                        };
                        (itype, r.pc, u64::from(r.len / 2), r.len == 4)
                    }
                };
                self.itype.next = itype.to_bits();
                self.iaddr.next = iaddr.to_bits();
                self.iretire.next = iretire.to_bits();
                self.ilastsize.next = last;
            }
        }
    };
}

rvfi!(RvfiCore, Predicting);
rvfi!(RvfiStreamCore, stream_cache::Core);
etrace!(EtraceCore, Predicting);
etrace!(EtraceStreamCore, stream_cache::Core);

/// A front end, what it said, and what it should.
pub struct Bench<T: Ingress> {
    pub d: Driver<T>,
    params: TraceParams,
    source: Source,
    /// In so many of 65,536 clocks the FIFO becomes full for a while.
    pub full_per_64k: u16,
    /// Clocks between the last instruction and the end.
    pub idle_before_stop: usize,
    /// Overflow messages seen.
    pub overflows: usize,
    /// All messages of the last run.
    pub messages: Vec<<T::Golden as Golden>::Message>,
}

/// One instruction with the clock in which it retires for the trace.
struct Beat {
    clock: u64,
    step: Step,
}

impl<T: Ingress> Bench<T> {
    pub fn new(uut: T, params: &TraceParams) -> Result<Self, DriverError> {
        Ok(Self {
            d: Driver::new(uut, |u: &mut T, c| u.set_clock(c))?.recording(),
            params: *params,
            source: Source::seeded(77),
            full_per_64k: 0,
            idle_before_stop: 2,
            overflows: 0,
            messages: Vec::new(),
        })
    }

    /// Runs `steps` instructions of a program; the messages, or where they differ from the golden model's.
    pub fn play(&mut self, model: &Model, config: &Config, steps: usize) -> Result<usize, String> {
        let steps: Vec<Step> = Run::new(model, config).take(steps).collect();
        self.play_steps(&steps)
    }

    /// Runs `steps` with their clocks, from an idle front end to its stop message.
    pub fn play_steps(&mut self, steps: &[Step]) -> Result<usize, String> {
        let (shows, mut beats) = self.shows(steps);
        let mut clock = 0;
        while !self.cycle(&Show::Nothing, [false, false, true, false]).0 {
            clock += 1;
            assert!(clock < 10_000, "never ready");
        }
        // enabled in the clock of the first instruction
        let (mut entries, mut full_at) = (Vec::new(), Vec::new());
        let (mut full_for, mut drain_for) = (0, 0);
        let end = shows.len() + self.idle_before_stop;
        let mut stopped = None;
        for t in 0..end + 20_000 {
            let show = shows.get(t).unwrap_or(&Show::Nothing);
            if full_for == 0 && self.source.per_64k(self.full_per_64k) {
                full_for = self.source.between(1, 60);
                drain_for = full_for + self.source.between(0, 300);
            }
            let full = full_for > 0 && (t < end || !T::Golden::TELLS_THE_END);
            let [enable, drained] = [t < end, drain_for == 0];
            (full_for, drain_for) = (full_for.saturating_sub(1), drain_for.saturating_sub(1));
            full_at.push(full);
            let (_, ready_to_stop, entry) = self.cycle(show, [enable, full, drained, false]);
            if let Some(e) = entry {
                entries.push((t as u64, e));
            }
            if ready_to_stop {
                // the other cores of the system let it wait now and then
                let told = if T::Golden::TELLS_THE_END { t as u64 - 1 } else { t as u64 + 1 };
                stopped = Some(told - T::Golden::TO_DECISION);
                let (_, _, none) = self.cycle(&Show::Nothing, [false, false, true, true]);
                let (_, _, stop) = self.cycle(&Show::Nothing, [false, false, true, true]);
                assert_eq!(none, None);
                entries.push((t as u64 + 2, stop.ok_or("no stop entry")?));
                break;
            }
        }
        let stopped = stopped.ok_or("never ready to stop")?;
        beats.retain(|b| b.clock < end as u64);
        self.compare(&beats, &entries, &full_at, stopped)
    }

    /// One clock: ready, stop_ready, entry.
    fn cycle(&mut self, show: &Show, [enable, full, drained, go]: [bool; 4]) -> (bool, bool, Option<Entry>) {
        self.d
            .cycle(
                |u| {
                    u.set(show);
                    u.control(enable, full, drained, go);
                },
                |u| (u.ready(), u.stop_ready(), u.entry()),
            )
            .unwrap()
    }

    /// What to show in each clock, and when each instruction retires for the trace.
    fn shows(&mut self, steps: &[Step]) -> (Vec<Show>, Vec<Beat>) {
        let mut shows = Vec::new();
        let mut beats: Vec<Beat> = Vec::new();
        let first = steps.first().map_or(0, |s| s.retired.cycle);
        // traps take clocks of their own, which put off all that follows
        let mut late = 0;
        let mut next_pc = 0;
        let release = |beats: &mut Vec<Beat>, clock: u64| {
            if let Some(b) = beats.last_mut().filter(|b| b.clock == u64::MAX) {
                b.clock = clock;
            }
        };
        for step in steps {
            let r = step.retired;
            let at = r.cycle - first + late;
            while (shows.len() as u64) < at {
                shows.push(Show::Nothing);
            }
            // a trap is told by a clock of its own, or by its neighbours
            let mut told = false;
            if let Some(Show::Retire { kind: None, then_trap, .. }) = shows.last_mut().filter(|_| T::HOLDS && r.trapped)
            {
                told = self.source.percent(50);
                *then_trap = told;
            }
            let shown = r.trapped && ((T::HOLDS && !told) || self.source.percent(60));
            if shown {
                for _ in 0..self.source.between(1, 2) {
                    release(&mut beats, shows.len() as u64);
                    shows.push(Show::Trap(next_pc));
                    late += 1;
                }
            }
            let intr = r.trapped && (!shown || self.source.percent(50));
            let clock = shows.len() as u64;
            release(&mut beats, clock);
            beats.push(Beat { clock: if T::HOLDS { u64::MAX } else { clock }, step: *step });
            shows.push(Show::Retire { r, kind: step.event.map(|e| e.kind), intr, then_trap: false });
            next_pc = r.next_pc;
        }
        (shows, beats)
    }

    /// Holds `entries` to the golden model, run by run from sync to overflow or stop.
    fn compare(
        &mut self,
        beats: &[Beat],
        entries: &[(u64, Entry)],
        full_at: &[bool],
        stopped: u64,
    ) -> Result<usize, String> {
        self.messages.clear();
        let to_decision = T::Golden::TO_DECISION;
        let mut got = entries.iter().copied().peekable();
        let mut time = 0;
        let mut i = 0;
        loop {
            let mut core = T::Golden::new(&self.params);
            // the first event of a run is a sync, whatever came before
            let mut due = Vec::new();
            let mut count = 0;
            let mut lost_at = None;
            let from = i;
            while let Some(beat) = beats.get(i) {
                let mut made = Vec::new();
                let (before, counted) = (core.clone(), count);
                let r = beat.step.retired;
                let event = |kind, target| FlowEvent {
                    hart: 0,
                    kind,
                    len: 0,
                    count,
                    pc: r.pc,
                    target,
                    cycle: beat.clock - time_base(from, time),
                };
                if i == from {
                    core.event(&FlowEvent { count: 0, ..event(FlowKind::Start, r.pc) }, &mut made);
                    count = 0;
                } else if let Some(t) = beat.step.before {
                    core.event(&event(t.kind, r.pc), &mut made);
                    count = 0;
                }
                count += 1;
                if let Some(e) = beat.step.event {
                    core.event(
                        &FlowEvent { hart: 0, count, cycle: beat.clock - time_base(from, time), ..e },
                        &mut made,
                    );
                    count = 0;
                }
                if !made.is_empty() && full_at.get((beat.clock + to_decision) as usize) == Some(&true) {
                    (core, count) = (before, counted);
                    lost_at = Some(i);
                    break;
                }
                due.extend(made);
                i += 1;
            }
            // the sequential instructions since the last event
            core.event(&rest(count), &mut due);
            if lost_at.is_none() {
                core.stop(stopped - time_base(from, time), &mut due);
            }
            let base = time_base(from, time);
            // the entries of this run, message by message
            let mut mine = Vec::new();
            while mine.len() < due.len() {
                let Some((_, e)) = got.next() else { break };
                mine.extend(T::Golden::messages(&e, &self.params));
            }
            for (k, (a, b)) in mine.iter().zip(&due).enumerate() {
                if a != b {
                    return Err(format!("message {}: {a:x?}, golden says {b:x?}", self.messages.len() + k));
                }
            }
            if mine.len() != due.len() {
                return Err(format!("{} messages, golden says {}", mine.len(), due.len()));
            }
            self.messages.extend(mine);
            let Some(dropped) = lost_at else {
                return match got.next() {
                    None => Ok(self.messages.len()),
                    Some(e) => Err(format!("an entry too many: {e:x?}")),
                };
            };
            // an overflow; its count says where the trace goes on
            let (clock, e) = got.next().ok_or("no overflow entry")?;
            let mine = T::Golden::messages(&e, &self.params);
            let Some(lost) = T::Golden::lost(&mine) else {
                return Err(format!("{e:x?}, an overflow is due"));
            };
            let at = clock - to_decision - 1;
            let mut due = Vec::new();
            core.overflow(at - base, lost, &mut due);
            if mine != due {
                return Err(format!("overflow {mine:x?}, golden says {due:x?}"));
            }
            time = at;
            self.overflows += 1;
            self.messages.extend(mine);
            i = dropped + lost as usize;
            if beats.get(i).is_some_and(|b| b.clock <= at) || i > 0 && beats[i - 1].clock > at {
                return Err(format!("lost = {lost}, which is not what retired before cycle {at}"));
            }
        }
    }
}

/// Cycle 0 of the golden model of a run that begins with beat `from`: after an overflow, that message's.
fn time_base(from: usize, time: u64) -> u64 {
    if from == 0 {
        0
    } else {
        time
    }
}

/// `count` sequential instructions at the end.
fn rest(count: u32) -> FlowEvent {
    FlowEvent { hart: 0, kind: FlowKind::Stop, len: 0, count, pc: 0, target: 0, cycle: 0 }
}

/// The records of an entry of a front end with a stream cache, each with its `diffCC`.
pub fn records(e: &Entry, p: &TraceParams) -> Vec<(u64, Record)> {
    let base = p.stream_cache().is_some_and(|sc| sc.variant == Variant::Base);
    let field = |at: u32, bits: u32| e.bcnt >> at & ((1 << bits) - 1);
    let [pc, target] = [e.pc, e.target].map(|a| a << p.align);
    let i_cnt = u64::from(e.icnt);
    let mut out = Vec::new();
    if field(20, 4) != u32::from(NO_RUN) {
        out.push(Record::Hits { count: field(12, 8) + 1, bits: field(20, 4) });
    }
    let start = (field(11, 1) == 0).then_some(target);
    let mut escape = |start, escape| out.push(Record::Escape { start, escape });
    match e.pre {
        PRE_EXCEPTION => escape(start, Escape::Exception { i_cnt, target: pc }),
        PRE_SYNC => escape(None, Escape::Sync { i_cnt: 0, pc }),
        PRE_CONTROL if e.post == CONTROL_OVERFLOW => escape(start, Escape::Overflow { i_cnt, lost: e.pc }),
        PRE_CONTROL => escape(start, Escape::Stop { i_cnt }),
        _ => {}
    }
    let length = field(0, 10);
    match e.post {
        _ if e.pre == PRE_CONTROL => {}
        POST_INDEX => out.push(Record::Index(length)),
        POST_MISS => out.push(Record::Miss { length, start: None }),
        POST_HIT if e.pre != PRE_NONE => out.push(Record::Hits { count: 1, bits: 0 }),
        // without a last-value register the bit means nothing
        POST_MISS_START => out.push(Record::Miss { length, start: Some((target, base || field(10, 1) == 1)) }),
        _ => {}
    }
    let cc = if p.timestamps { u64::from(e.cc) } else { 0 };
    out.into_iter().enumerate().map(|(k, r)| (if k == 0 { cc } else { 0 }, r)).collect()
}

/// The messages of an entry.
pub fn messages(e: &Entry, p: &TraceParams) -> Vec<Message> {
    let (icnt, bcnt) = (u64::from(e.icnt), u64::from(e.bcnt));
    let (pc, target) = (e.pc << p.align, e.target << p.align);
    let nexus = !matches!(p.scheme, sim::params::Scheme::Tr(_));
    let mut bodies = Vec::new();
    match e.pre {
        PRE_EXCEPTION => bodies.push(Body::Escape(Escape::Exception { i_cnt: icnt, target: pc })),
        PRE_SYNC => bodies.push(Body::Escape(Escape::Sync { i_cnt: icnt, pc })),
        PRE_CONTROL => bodies.push(Body::Escape(match e.post {
            CONTROL_STOP => Escape::Stop { i_cnt: icnt },
            CONTROL_OVERFLOW => Escape::Overflow { i_cnt: icnt, lost: bcnt },
            other => panic!("control {other}"),
        })),
        _ => {}
    }
    match e.post {
        _ if e.pre == PRE_CONTROL => {}
        POST_OUTCOME if nexus => bodies.push(Body::Stream { length: bcnt, target: None }),
        POST_OUTCOME => bodies.push(Body::Outcome { count: bcnt }),
        POST_TARGET if nexus => bodies.push(Body::Stream { length: bcnt, target: Some(target) }),
        POST_TARGET => bodies.push(Body::Target { count: bcnt, target }),
        POST_PROGRESS => bodies.push(Body::Escape(Escape::Progress { i_cnt: icnt })),
        _ => {}
    }
    let cc = if p.timestamps { u64::from(e.cc) } else { 0 };
    let with_time = |(k, body)| Message { core: 0, diff_cc: if k == 0 { cc } else { 0 }, body };
    bodies.into_iter().enumerate().map(with_time).collect()
}

/// `n` times `j .`, every `gap` clocks.
pub fn spin(n: usize, gap: u64) -> Vec<Step> {
    let pc = 0x100;
    let event = |kind, len, count, cycle| FlowEvent { hart: 0, kind, len, count, pc, target: pc, cycle };
    (0..n as u64)
        .map(|i| Step {
            retired: Retired { cycle: i * gap, hart: 0, trapped: false, len: 2, pc, next_pc: pc, insn: 0xa001 },
            before: (i == 0).then(|| event(FlowKind::Start, 0, 0, 0)),
            event: Some(event(FlowKind::Jump, 2, 1, i * gap)),
        })
        .collect()
}

/// Random encodings through the RVFI adapter alone, against `sim::isa::flow`.
pub fn decoder_matches(p: &TraceParams, n: usize) {
    match p.xlen {
        32 => decoder::<32>(p, n),
        _ => decoder::<64>(p, n),
    }
}

fn decoder<const W: usize>(p: &TraceParams, n: usize) {
    let mut d = Driver::new(Rvfi::<W>::new(p), |u, c| u.clock.next = c.into()).unwrap().recording();
    let mut s = Source::seeded(4);
    let mut before: Option<(u32, u64, u64)> = None;
    let mut kinds = [0; 6];
    for i in 0..n {
        // opcodes of interest with random fields; link registers often; every short encoding in turn
        let mut insn = s.bits(32) as u32;
        match s.below(8) {
            0..=4 => {
                insn = insn & !0x7f | *s.pick(&[0x63, 0x67, 0x6f, 0x73, 0x13]);
                for at in [7, 15] {
                    if s.percent(60) {
                        insn = insn & !(31 << at) | *s.pick(&[0u32, 1, 5, 4]) << at;
                    }
                }
                if s.percent(70) {
                    insn &= !(7 << 12);
                }
                if s.percent(4) {
                    insn = *s.pick(&[0x3020_0073, 0x1020_0073, 0x0020_0073, 0x7020_0073, 0x3020_0173]);
                }
            }
            _ if p.align == 1 => {
                insn = insn & !0xffff | (i as u32).wrapping_mul(0x9e35) & 0xffff;
                if s.percent(40) {
                    insn = insn & !0xe07f | *s.pick(&[0x8002, 0x9002]) & !0x1000 | insn & 0x1000;
                }
            }
            _ => {}
        }
        if p.align == 2 {
            insn |= 3;
        }
        let len = u64::from(sim::isa::length(insn as u16));
        let pc = s.bits(p.xlen.into()) >> p.align << p.align;
        let mut next = if s.percent(50) { pc.wrapping_add(len) } else { s.bits(p.xlen.into()) >> p.align << p.align };
        if matches!(flow(insn, p.xlen), Flow::Conditional { .. }) && s.percent(50) {
            next = pc.wrapping_add(len).wrapping_add(s.bits(12) << p.align);
        }
        let mask = u64::MAX >> (64 - p.xlen);
        next &= mask;
        let got = d
            .cycle(
                |u| {
                    u.live.next = true;
                    u.rvfi_valid.next = true;
                    u.rvfi_insn.next = u64::from(insn).to_bits();
                    u.rvfi_pc_rdata.next = pc.to_bits();
                    u.rvfi_pc_wdata.next = next.to_bits();
                },
                |u| {
                    let flags = [&u.branch, &u.look, &u.push, &u.pop, &u.jump, &u.taken].map(|f| f.val());
                    (flags, to_u64(u.pc.val()), to_u64(u.link.val()), to_u64(u.target.val()))
                },
            )
            .unwrap();
        if let Some((insn, pc, next)) = before {
            let len = u64::from(sim::isa::length(insn as u16));
            let link = pc.wrapping_add(len) & mask;
            let [branch, look, push, pop, jump] = match flow(insn, p.xlen) {
                Flow::Sequential => [false; 5],
                Flow::Conditional { .. } => [true, false, false, false, false],
                Flow::Jump { call, .. } => [false, false, call, false, true],
                Flow::Indirect(Indirect::Jump) | Flow::TrapReturn => [false, true, false, false, false],
                Flow::Indirect(Indirect::Call) => [false, true, true, false, false],
                Flow::Indirect(Indirect::Return) => [false, false, false, true, false],
                Flow::Indirect(Indirect::CoSwap) => [false, false, true, true, false],
            };
            for (k, on) in [branch, look, push, pop, jump].into_iter().enumerate() {
                kinds[k] += usize::from(on);
            }
            kinds[5] += usize::from(push && pop);
            // only a conditional's outcome counts, and it reaches no further than its 12 bits tell
            let taken = if branch { (next ^ link) >> p.align & 0xfff != 0 } else { got.0[5] };
            assert_eq!(got.0, [branch, look, push, pop, jump, taken], "{insn:#010x} at {pc:#x} to {next:#x}");
            assert_eq!((got.1 << p.align, got.3 << p.align), (pc, next));
            assert_eq!(got.2 << p.align & mask, link);
        }
        before = Some((insn, pc, next));
    }
    assert!(kinds.iter().all(|&k| k > n / 400), "{kinds:?}: too few of a kind to trust this run");
    d.check_verilog().unwrap();
}
