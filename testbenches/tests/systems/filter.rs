//! `hdl/src/ingress/address_filter.rs` against plain comparisons; and with `hdl/src/ingress/mode_filter.rs` in whole systems: what hidden instructions
//! are leaves no trace but their number
//!
//! In a synthetic program, one part runs in machine mode and the rest in user mode, on cores that retire at full rate
//! or with pauses. Two runs differ in everything that the machine-mode part does: instructions, addresses, targets.

use fpga::cosim::Cosim;
use hdl::emit::{build, Ingress, SystemOptions};
use hdl::ingress::address_filter::AddressFilter;
use hdl::spine::{Extras, Retire};
use hdl::verilog::{write, Style};
use retire::image::Image;
use retire::{FlowEvent, FlowKind};
use rust_hdl::prelude::*;
use sim::beats::blocks::{length, Block as Shown};
use sim::params::{Platform, TraceParams};
use sim::regs::REGS;
use sim::replay::{Events, Replay};
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::run::{Config, Retired, Run};
use sim::stimulus::{rounds, Source};
use std::collections::HashSet;
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

const USER: u128 = 0;
const MACHINE: u128 = 3;
/// Values of `control`: enable; modes.
const ENABLE: u128 = 1;
const TRACE_USER: u128 = 1 << 8;
const TRACE_ALL: u128 = 0xf << 8;

fn register(name: &str) -> u128 {
    REGS.iter().find(|r| r.name == name).unwrap().addr.into()
}

/// The criterion by which an instruction is hidden: mode, address, or address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Mode,
    Range { first: u64 },
    Space,
}

/// The ports of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Port {
    One,
    /// This many instructions per cycle, in any channels.
    Channels(u8),
    /// This many blocks per cycle.
    Blocks(u8),
    /// E-Trace reports of single instructions.
    Report,
    /// Only instructions and addresses.
    Chain,
}

impl Port {
    fn per_cycle(self) -> u8 {
        match self {
            Port::One | Port::Report | Port::Chain => 1,
            Port::Channels(n) | Port::Blocks(n) => n,
        }
    }

    fn retire(self) -> Option<Retire> {
        let log2_words = if self == Port::Blocks(2) { 3 } else { 4 };
        self.wide().then_some(Retire { per_cycle: self.per_cycle(), log2_words })
    }

    /// Whether several instructions retire per cycle.
    fn wide(self) -> bool {
        !matches!(self, Port::One | Port::Report | Port::Chain)
    }

    fn ingress(self) -> Ingress {
        match self {
            Port::Report => Ingress::Etrace,
            Port::Chain => Ingress::PcChain,
            Port::Blocks(_) => Ingress::Blocks,
            Port::One | Port::Channels(_) => Ingress::Rvfi,
        }
    }

    /// Port `name` of channel or block `lane` of core `c`.
    fn name(self, c: usize, lane: u8, name: &str) -> String {
        match self {
            Port::One => format!("rvfi_{name}_{c}"),
            Port::Channels(_) => format!("rvfi{lane}_{name}_{c}"),
            Port::Chain => format!("retire_{name}_{c}"),
            Port::Blocks(1) | Port::Report => format!("{name}_{c}"),
            Port::Blocks(_) => format!("block{lane}_{name}_{c}"),
        }
    }
}

/// Mask and value of the address spaces that are traced.
const SPACES: (u128, u128) = (0x0f0c, 0x0504);

/// An instruction and its mode.
type WithMode = (Retired, u128);

/// What the cores retire, in order; the lowest 40 % of the addresses are in machine mode.
fn executions(model: &Model, cores: u8, seed: u64, steps: usize) -> Vec<Vec<WithMode>> {
    let config = Config { trap_per_64k: 1_000, ..Config::new(cores, seed) };
    let retired: Vec<Retired> = Run::new(model, &config).take(steps).map(|s| s.retired).collect();
    let mut places: Vec<u64> = retired.iter().map(|r| r.pc).collect();
    places.sort_unstable();
    places.dedup();
    let user = places[places.len() * 4 / 10];
    let mut executions = vec![Vec::new(); cores.into()];
    for r in retired {
        executions[usize::from(r.hart)].push((r, if r.pc < user { MACHINE } else { USER }));
    }
    executions
}

/// The words of a run of `executions`; with `noise`, each instruction in machine mode is replaced by a random one.
fn words(
    (cosim, port): (&Cosim, Port),
    executions: &[Vec<WithMode>],
    (by, open): (By, bool),
    control: u128,
    allow: u128,
    noise: Option<u64>,
) -> Vec<u32> {
    let contexts = cosim.inputs().iter().any(|p| ["space_0", "context_id_0"].contains(&p.name.as_str()));
    let [valid, data] = ["valid", "data"].map(|name| cosim.output(name).unwrap());
    let mut noise = noise.map(Source::seeded);
    let mut pace = Source::seeded(5);
    let mut at = vec![0; executions.len()];
    // for blocks, whether the trap before the next one was reported
    let mut trap_reported = vec![true; executions.len()];
    let wide = port.wide();
    let longest = executions.iter().map(Vec::len).max().unwrap_or(0) * if wide { 2 } else { 1 };
    let (mut rate, mut phase) = (100_u8, 0);
    let mut vectors = Vec::new();
    for clock in 0..3 * longest + 5_000 {
        let mut values: Vec<(String, u128)> = vec![("reset".into(), (clock < 4).into()), ("ready".into(), 1)];
        let end = 3 * longest + 1_900;
        let written = match clock {
            6 => Some(control),
            c if c == end => Some(0),
            _ => None,
        };
        values.push(("bus_addr".into(), register("control")));
        values.push(("bus_write".into(), written.is_some().into()));
        values.push(("bus_wdata".into(), written.unwrap_or(0)));
        if phase == 0 {
            (rate, phase) =
                (*pace.pick(if wide { &[40, 25, 15, 8] } else { &[100, 100, 60, 20] }), pace.between(20, 400));
        }
        phase -= 1;
        for (c, all) in executions.iter().enumerate() {
            values.push((format!("allow_modes_{c}"), allow));
            let (mask, wanted) = if open { (0, 0xffff) } else { SPACES };
            match by {
                By::Mode => {}
                By::Range { first } => {
                    let first = if open { 0 } else { first };
                    values.push((format!("filter_first_{c}"), first.into()));
                    values.push((format!("filter_last_{c}"), 0xffff_ffff));
                }
                By::Space => {
                    values.push((format!("filter_mask_{c}"), mask));
                    values.push((format!("filter_space_{c}"), wanted));
                }
            }
            // the tables are clear by then
            if clock < 1_300 || !pace.percent(rate) {
                continue;
            }
            // mode and address space of an instruction
            let of = |l: &WithMode| {
                let space = match by {
                    // bits outside the mask are ignored
                    By::Space => SPACES.1 as u64 | (l.0.pc >> 6 & 3) | if l.1 == MACHINE { 8 } else { 0 },
                    // user code of some pages belongs to another process
                    By::Mode | By::Range { .. } => u64::from(l.0.pc >> 6 & 3 == 0) | 2,
                };
                (if by == By::Mode { l.1 } else { USER }, space)
            };
            let Some(first) = all.get(at[c]) else {
                // a trap, or a further instruction, releases the one that is held
                if !std::mem::replace(&mut trap_reported[c], true) {
                    let gone: u128 = all.last().map_or(0, |l| l.0.next_pc).into();
                    let pins = match port {
                        Port::Blocks(_) | Port::Report => [("itype", 1), ("iaddr", gone)],
                        _ => [("valid", 1), ("pc", gone)],
                    };
                    values.extend(pins.map(|(name, value)| (port.name(c, 0, name), value)));
                }
                continue;
            };
            let (mut mode, mut space) = of(first);
            // within a cycle, only addresses may differ between hidden and traced instructions
            let mixes = matches!(by, By::Range { .. }) && !contexts && wide;
            let joins = |l: &&WithMode| mixes || of(l) == of(first);
            let mut noisy = false;
            for lane in 0..port.per_cycle() {
                let Some(&(mut r, class)) = all.get(at[c]).filter(joins) else { break };
                if lane > 0 && pace.percent(30) {
                    continue;
                }
                let hidden = class == MACHINE;
                let mut noise = noise.as_mut().filter(|_| hidden);
                let address = |s: &mut Source| match by {
                    By::Range { first } => (s.bits(32) % first) & !1,
                    By::Mode | By::Space => s.bits(32) & !1,
                };
                noisy |= noise.is_some();
                if let Port::Blocks(_) | Port::Report = port {
                    let most = if port == Port::Report { 1 } else { 15 };
                    let mut block = if r.trapped && !trap_reported[c] && at[c] > 0 {
                        trap_reported[c] = true;
                        Shown::trap(1, all[at[c] - 1].0.next_pc)
                    } else {
                        let run: Vec<Retired> = all[at[c]..]
                            .iter()
                            .take(most)
                            .take_while(|l| l.1 == class && joins(l))
                            .map(|l| l.0)
                            .collect();
                        let n = length(&run, 32, pace.between(2, 15) as u8);
                        // the target of a traced instruction must be right
                        let before = at[c].checked_sub(1).map_or(MACHINE, |i| all[i].1);
                        (at[c], trap_reported[c]) = (at[c] + n, false);
                        let mut block = Shown::of(&run[..n], 32);
                        if let Some(s) = &mut noise {
                            block.itype = s.bits(4) as u8;
                            block.iretire = s.between(1, if most > 1 { 15 } else { 3 }) as u8;
                            block.ilastsize = s.percent(50);
                            if before == MACHINE {
                                block.iaddr = address(s);
                            }
                        }
                        block
                    };
                    if block.iretire == 0 {
                        (block.icount, block.ilastsize) = (9, true);
                    }
                    values.extend([
                        (port.name(c, lane, "itype"), block.itype.into()),
                        (port.name(c, lane, "iaddr"), block.iaddr.into()),
                        (port.name(c, lane, "iretire"), block.iretire.into()),
                        (port.name(c, lane, "ilastsize"), block.ilastsize.into()),
                    ]);
                    if wide {
                        values.push((port.name(c, lane, "icount"), block.icount.into()));
                    }
                    continue;
                }
                at[c] += 1;
                if port == Port::Chain {
                    // the target of a traced instruction must be right
                    let before = at[c].checked_sub(2).map_or(MACHINE, |i| all[i].1);
                    if let Some(s) = &mut noise {
                        r.insn = s.bits(32) as u32;
                        if before == MACHINE {
                            r.pc = address(s);
                        }
                    }
                    trap_reported[c] = false;
                    values.extend([
                        (port.name(c, lane, "valid"), 1),
                        (port.name(c, lane, "insn"), r.insn.into()),
                        (port.name(c, lane, "pc"), r.pc.into()),
                    ]);
                    continue;
                }
                if let Some(s) = &mut noise {
                    (r.insn, r.pc, r.next_pc) = (s.bits(32) as u32, address(s), s.bits(32) & !1);
                    r.trapped = s.percent(20);
                }
                values.extend([
                    (port.name(c, lane, "valid"), 1),
                    (port.name(c, lane, "intr"), r.trapped.into()),
                    (port.name(c, lane, "insn"), r.insn.into()),
                    (port.name(c, lane, "pc_rdata"), r.pc.into()),
                    (port.name(c, lane, "pc_wdata"), r.next_pc.into()),
                ]);
            }
            if let (Some(s), true, false) = (&mut noise, noisy, mixes) {
                space = s.bits(16);
                if by == By::Space {
                    // a bit inside the mask
                    space = (space & !0x400) | 8;
                }
                if by != By::Mode {
                    mode = *s.pick(&[USER, USER, 1, MACHINE]);
                }
            }
            let (mode_port, space_port) = match port {
                Port::Blocks(_) => ("privilege", "context_id"),
                Port::Report => ("privilege", "space"),
                Port::One | Port::Channels(_) | Port::Chain => ("mode", "space"),
            };
            values.push((format!("{mode_port}_{c}"), mode));
            if contexts {
                values.push((format!("{space_port}_{c}"), space.into()));
            }
        }
        let values: Vec<(&str, u128)> = values.iter().map(|(n, v)| (n.as_str(), *v)).collect();
        vectors.push(cosim.vector(&values).unwrap());
    }
    let mut words = Vec::new();
    let run = cosim.clone().with_random_state(3);
    run.run(vectors, |clock, out| words.extend((clock >= 4 && out[valid] == 1).then_some(out[data] as u32))).unwrap();
    words
}

fn replayed(image: &Image, params: &TraceParams, words: &[u32]) -> (Vec<FlowEvent>, u64) {
    let mut told = Vec::new();
    let replay = Replay::new(image, params, words.iter().copied()).unwrap();
    let summary = replay.run(&mut Events(&mut told)).unwrap();
    (told, summary.instructions.iter().sum())
}

/// Instructions lost, according to the gaps.
fn lost(told: &[FlowEvent]) -> u64 {
    told.iter().map(|e| if let FlowKind::Gap { lost } = e.kind { lost.into() } else { 0 }).sum()
}

fn filtered(scheme: &str, cores: u8, timestamps: bool, context: Option<u8>, by: &str) {
    filtered_at(Port::One, scheme, cores, timestamps, context, by);
}

fn filtered_at(port: Port, scheme: &str, cores: u8, timestamps: bool, context: Option<u8>, by: &str) {
    let place = format!("{scheme}, N = {cores}, {port:?}, {by}");
    let mut params = TraceParams::new(Platform::RV32, scheme.parse().unwrap());
    (params.cores, params.timestamps, params.context) = (cores, timestamps, context);
    let (range, space, retire) = (by == "range", by == "space", port.retire());
    let extras = Extras { filter: true, range, space, retire, ..Extras::default() };
    let mut top = build(&params, &SystemOptions { ingress: port.ingress(), fifo_address_bits: 6, extras }).unwrap();
    top.connect_all();
    let cosim = Cosim::of_written(&write(&top, &Style::default()).unwrap()).unwrap();
    let model = Model::new(&Shape::rv32(9));
    let image = Image::new(&model.program);
    let executions = executions(&model, cores, 4, rounds(7_000, 12_000));
    let all = || executions.iter().flatten();
    // the lowest address of those that are not hidden
    let first = all().filter(|l| l.1 == USER).map(|l| l.0.pc).min().unwrap();
    let by = match by {
        "range" => By::Range { first },
        "space" => By::Space,
        _ => By::Mode,
    };
    let words = |(control, allow), noise, open| words((&cosim, port), &executions, (by, open), control, allow, noise);

    let changes = |told: &[FlowEvent]| told.iter().filter(|e| matches!(e.kind, FlowKind::Context { .. })).count();
    let right = words((ENABLE | TRACE_USER, 0xf), None, false);
    let (told, instructions) = replayed(&image, &params, &right);
    let hidden: HashSet<u64> = all().filter(|l| l.1 == MACHINE).map(|l| l.0.pc).collect();
    let open: HashSet<u64> = all().filter(|l| l.1 == USER).map(|l| l.0.pc).collect();
    assert!(hidden.len() > 50 && open.len() > 50, "{place}: {} and {} addresses", hidden.len(), open.len());
    for e in told.iter().filter(|e| e.kind.retires()) {
        assert!(open.contains(&e.pc) && !hidden.contains(&e.pc), "{place}: {e:x?} is told");
    }
    // all user-mode instructions are traced except next to short stretches; the rest is counted, except before the
    // first sync or after a short stretch that had not ended
    assert!(context.is_none() || changes(&told) > 20, "{place}: {} changes of context", changes(&told));
    let count = |mode| all().filter(|l| l.1 == mode).count() as u64;
    let (user, machine, gone) = (count(USER), count(MACHINE), lost(&told));
    let gaps = told.iter().filter(|e| matches!(e.kind, FlowKind::Gap { .. })).count();
    assert!(gaps > 8, "{place}: {gaps} gaps");
    assert!(instructions + gone <= user + machine, "{place}: {instructions} and {gone} of {}", user + machine);
    assert!(gone > machine * 3 / 4, "{place}: {gone} of {machine} are counted");
    assert!(instructions > user / 3, "{place}: {instructions} of {user} are told");

    for seed in [1, 2] {
        let other = words((ENABLE | TRACE_USER, 0xf), Some(seed), false);
        assert!(right == other, "{place}, {seed}: the words tell what was hidden");
    }
    // with all modes selected, only allowed modes are traced
    assert!(right == words((ENABLE | TRACE_ALL, 1), Some(3), false), "{place}: `allow_modes` is not heeded");
    let (all_told, instructions) = replayed(&image, &params, &words((ENABLE | TRACE_ALL, 0xf), None, true));
    assert_eq!(instructions + lost(&all_told), user + machine, "{place}: all is allowed");
    // after reset nothing is traced, and neither is anything that is not allowed
    for (control, allow) in [(ENABLE, 0xf), (ENABLE | TRACE_ALL, 0)] {
        let (told, instructions) = replayed(&image, &params, &words((control, allow), None, true));
        assert_eq!((told.len(), instructions), (0, 0), "{place}: {told:x?}");
    }
}

#[test]
fn words_depend_only_on_the_number_of_hidden_instructions() {
    filtered("tr_e:medium", 1, false, None, "mode");
    filtered("tr_e:small", 3, true, None, "mode");
    filtered("nx_b", 2, false, None, "mode");
    filtered("sc-lsp:rbase-32x4", 2, false, None, "mode");
}

#[test]
fn contexts_of_hidden_instructions_do_not_affect_the_words() {
    filtered("tr_e:small", 2, true, Some(4), "mode");
}

#[test]
fn code_at_hidden_addresses_does_not_affect_the_words() {
    filtered("tr_e:small", 2, true, None, "range");
    filtered("sc-lsp:rbase-32x4", 1, false, None, "range");
}

#[test]
fn code_in_hidden_address_spaces_does_not_affect_the_words() {
    filtered("tr_e:small", 1, false, None, "space");
    filtered("tr_e:medium", 2, true, Some(4), "space");
}

#[test]
fn hidden_instructions_of_wide_cores_do_not_affect_the_words() {
    filtered_at(Port::Channels(2), "tr_e:small", 1, true, None, "mode");
    filtered_at(Port::Channels(4), "tr_e:m4", 2, false, None, "range");
    filtered_at(Port::Channels(4), "nx_b", 1, true, Some(4), "space");
    filtered_at(Port::Channels(2), "sc-lsp:rbase-32x4", 1, false, None, "mode");
    filtered_at(Port::Channels(4), "sc-lsp:rbase-32x4", 1, true, None, "range");
}

#[test]
fn hidden_blocks_do_not_affect_the_words() {
    filtered_at(Port::Blocks(1), "tr_e:small", 1, true, None, "range");
    filtered_at(Port::Blocks(2), "tr_e:m4", 2, false, Some(4), "mode");
    filtered_at(Port::Blocks(2), "nx_b", 1, true, None, "space");
}

#[test]
fn the_address_filter_matches_plain_comparisons() {
    let extras = |range, space| Extras { filter: true, range, space, ..Extras::default() };
    for (range, space) in [(true, false), (false, true), (true, true)] {
        emit_checked(&mut AddressFilter::<32>::new(&extras(range, space))).unwrap();
        let mut d = Driver::new(AddressFilter::<32>::new(&extras(range, space)), |_, _| ()).unwrap().recording();
        let mut s = Source::seeded(7);
        let mut hidden = 0;
        for clock in 0..4_000 {
            // close to each other, also across a change of bit 31
            let base = s.bits(32);
            let near = |s: &mut Source| base.wrapping_add(s.below(4)) & 0xffff_ffff;
            let (pc, first, last) = (near(&mut s), near(&mut s), near(&mut s));
            let (here, wanted, mask) = (s.bits(2), s.bits(2), s.bits(2));
            let [here, wanted, mask] = [here, wanted, mask].map(|bits| (bits & 1) | (bits >> 1) << 15);
            let hide = s.percent(5);
            let set = |u: &mut AddressFilter<32>| {
                u.hide.next = hide;
                u.pc.next = pc.to_bits();
                u.first.next = first.to_bits();
                u.last.next = last.to_bits();
                u.space.next = here.to_bits();
                u.wanted.next = wanted.to_bits();
                u.mask.next = mask.to_bits();
            };
            let got = d.cycle(set, |u| u.hides.val()).unwrap();
            let outside = range && !(first..=last).contains(&pc) || space && here & mask != wanted & mask;
            assert_eq!(got, hide || outside, "clock {clock}");
            hidden += usize::from(got);
        }
        assert!((500..3_900).contains(&hidden), "{hidden} hidden");
        d.check_verilog().unwrap();
    }
}

#[test]
fn hidden_single_reports_do_not_affect_the_words() {
    filtered_at(Port::Report, "tr_e:small", 2, true, None, "mode");
    filtered_at(Port::Report, "nx_b", 1, false, Some(4), "space");
    filtered_at(Port::Report, "sc-lsp:rbase-32x4", 1, false, None, "range");
}

#[test]
fn hidden_instructions_of_a_pc_chain_do_not_affect_the_words() {
    filtered_at(Port::Chain, "tr_e:small", 2, true, None, "mode");
    filtered_at(Port::Chain, "nx_b", 1, false, Some(4), "space");
    filtered_at(Port::Chain, "sc-lsp:rbase-32x4", 1, false, None, "range");
}

#[test]
fn predictors_that_follow_the_past_hear_nothing_of_what_is_hidden() {
    filtered("follow:m", 2, true, None, "mode");
    filtered("follow:s+arithmetic", 1, false, Some(4), "space");
    filtered("follow:m+arithmetic", 1, false, None, "mode");
    filtered("follow:s", 1, false, Some(4), "space");
    filtered_at(Port::Channels(2), "follow:m", 1, true, None, "range");
    filtered_at(Port::Blocks(2), "follow:s", 1, false, Some(4), "mode");
}
