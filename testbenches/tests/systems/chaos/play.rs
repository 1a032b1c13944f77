//! Inputs of a system, drawn at random in every cycle
#![allow(missing_docs)]

use super::core::{Core, Ports, Shown, SECRET};
use fpga::cosim::Cosim;
use hdl::spine::Extras;
use sim::params::TraceParams;
use sim::regs::REGS;
use sim::stimulus::program::Model;
use sim::stimulus::run::{record, Config, Retired};
use sim::stimulus::Source;
use std::collections::VecDeque;

/// Cycles at the end without random inputs: enough to send everything that is queued.
pub const DRAIN_CYCLES: usize = 6_000;

/// What was put in, apart from the vectors.
pub struct Played {
    pub vectors: Vec<Vec<u128>>,
    /// Cycles of reset.
    pub resets: Vec<u64>,
    /// What each core retired.
    pub retired: Vec<Vec<Retired>>,
    /// Number of times that tracing was enabled for a single cycle.
    pub single_cycle_enables: usize,
    /// For each core, the numbers of instructions retired when tracing had to stop.
    pub ends: Vec<Vec<usize>>,
}

pub fn register(name: &str) -> u128 {
    REGS.iter().find(|r| r.name == name).unwrap().addr.into()
}

pub fn play(
    cosim: &Cosim,
    params: &TraceParams,
    (ports, extras): (Ports, Extras),
    model: &Model,
    seed: u64,
    clocks: usize,
) -> Played {
    let locked = cosim.inputs().iter().any(|p| p.name == "allow");
    let cores = usize::from(params.cores);
    let mut s = Source::seeded(seed);
    let steps = cores * (clocks + 1_000) * if let Ports::One = ports { 1 } else { 3 };
    let config = Config::new(params.cores, seed);
    // traps between a jump and the instruction that loads its register
    let trap_per_64k = if params.flow.infers() { 1_500 } else { config.trap_per_64k };
    let recording = record(model, &Config { trap_per_64k, ..config }, steps);
    let of = |c| recording.retired.iter().filter(|r| usize::from(r.hart) == c).copied().collect();
    let mut all: Vec<Core> =
        (0..cores).map(|c| Core { all: of(c), at: 0, trap_reported: false, secret: SECRET.0 }).collect();
    let mut p = Played {
        vectors: vec![],
        resets: vec![],
        retired: vec![Vec::new(); cores],
        single_cycle_enables: 0,
        ends: vec![Vec::new(); cores],
    };
    // what the cores show, and when that changes; whether tracing is allowed
    let (mut shown, mut turns) = (Shown::Secret, VecDeque::new());
    let (mut allow, mut allow_for) = (true, 0_u64);
    let (mut enabled, mut dwell, mut reset_for) = (false, 600, 4_u64);
    let (mut rate, mut phase, mut stall) = (100_u8, 0, 0_u8);
    for clock in 0..clocks + DRAIN_CYCLES {
        let draining = clock >= clocks;
        let mut values: Vec<(String, u128)> = Vec::new();
        if !draining && s.per_64k(20) {
            reset_for = s.between(1, 3);
        }
        let reset = reset_for > 0 && !draining;
        reset_for = reset_for.saturating_sub(1);
        if reset {
            p.resets.push(clock as u64);
            enabled = false;
            turns = VecDeque::from([(clock, Shown::Secret)]);
        }
        if locked {
            allow_for = allow_for.saturating_sub(1);
            if allow_for == 0 {
                (allow, allow_for) = (draining || !allow, *s.pick(&[1, 2, 5, 60, 700, 2_000]));
                allow_for = if allow { 2 * allow_for } else { allow_for.min(300) };
            }
            values.push(("allow".into(), allow.into()));
        }
        values.push(("reset".into(), reset.into()));
        // register bus: enable or disable when it is time, otherwise access other registers
        dwell = if draining { 0 } else { dwell - 1 };
        if dwell <= 0 && (!draining || enabled) && !reset {
            let wanted = !draining && !enabled;
            enabled = wanted;
            dwell = *s.pick(&[1_i64, 1, 2, 3, 7, 20, 100, 511, 600, 3_000]);
            p.single_cycle_enables += usize::from(enabled && dwell == 1);
            // a write in the cycle in which the lock ends a trace is lost; so is one that enables tracing while the
            // lock is closed
            enabled &= allow;
            if !enabled || allow {
                turns.push_back((clock + 2, if enabled { Shown::Program } else { Shown::Secret }));
            }
            values.push(("bus_addr".into(), register("control")));
            values.push(("bus_write".into(), 1));
            values.push(("bus_wdata".into(), wanted.into()));
        } else if extras.sync && !draining && s.per_64k(100) {
            // a short period, none, or a single resync; any value that the register accepts
            let (name, value) = *s.pick(&[
                ("sync", 10),
                ("sync", 11),
                ("sync", 0),
                ("sync", 4),
                ("sync", 7 << 8),
                ("sync", 8 << 8 | 10),
                ("request", 1),
            ]);
            values.push(("bus_addr".into(), register(name)));
            values.push(("bus_write".into(), 1));
            values.push(("bus_wdata".into(), value));
        } else {
            values.push(("bus_addr".into(), if draining { register("status") } else { s.bits(3).into() }));
            values.push(("bus_wdata".into(), s.bits(32).into()));
        }
        if phase == 0 {
            (rate, phase) = (*s.pick(&[100, 100, 60, 5, 0]), s.between(1, 800));
            stall = *s.pick(&[0, 0, 20, 90]);
        }
        phase -= 1;
        values.push(("ready".into(), (draining || !s.percent(stall)).into()));
        if enabled && !allow {
            enabled = false;
            turns.push_back((clock + 2, Shown::Secret));
        }
        while let Some((_, next)) = turns.front().filter(|(at, _)| *at <= clock) {
            if std::mem::replace(&mut shown, *next) == Shown::Program && shown == Shown::Secret {
                all.iter().zip(&mut p.ends).for_each(|(core, ends)| ends.push(core.at));
            }
            turns.pop_front();
        }
        for (c, core) in all.iter_mut().enumerate().filter(|_| !draining) {
            values.extend(ports.show((c, core), &mut s, (rate, extras.check), shown));
        }
        let values: Vec<(&str, u128)> = values.iter().map(|(n, v)| (n.as_str(), *v)).collect();
        p.vectors.push(cosim.vector(&values).unwrap());
    }
    all.iter().zip(&mut p.ends).for_each(|(core, ends)| ends.push(core.at));
    p.retired = all.into_iter().map(|core| core.all[..core.at].to_vec()).collect();
    p
}
