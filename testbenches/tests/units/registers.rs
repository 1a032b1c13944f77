//! `hdl/src/spine/registers.rs` against `sim/src/regs.rs`

use hdl::spine::registers::Registers;
use hdl::spine::{Extras, Retire, Stream};
use rust_hdl::prelude::*;
use sim::params::{TrParams, TraceParams};
use sim::regmap::reset_value;
use sim::regs::{RegAccess, REGS};
use sim::stimulus::Source;
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

/// Four instructions per cycle, a number that `status` contains.
const FOUR: Retire = Retire { per_cycle: 4, log2_words: 3 };

fn params(cores: u8) -> TraceParams {
    TraceParams::tr(TrParams::sizes(512, 8, 0)).with(|p| p.cores = cores)
}

/// Inputs of one cycle.
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    reset: bool,
    write: Option<u32>,
    addr: u8,
    /// ready, active, idle
    status: u32,
    overflow: u32,
    discontinuity: u32,
    loses: u32,
    /// Instructions of each core that are lost besides one.
    more: [u16; 16],
}

/// The registers as plain numbers, following the map.
struct Golden {
    params: TraceParams,
    sync: bool,
    control: u32,
    period: u32,
    request: u32,
    overflow: u32,
    discontinuity: u32,
    /// Instructions lost since tracing began; lost in the previous cycle, if tracing went on.
    lost: u32,
    fell: u32,
    traced: bool,
    /// Instructions per cycle, ingress.
    built: u32,
    /// Read data for the address of the previous cycle.
    answer: u32,
}

impl Golden {
    fn cycle(&mut self, s: &Step) {
        let reg = REGS.iter().find(|r| r.addr == s.addr);
        self.answer = match reg.map(|r| r.name) {
            Some("control") => self.control,
            Some("status") => s.status | self.lost << 8 | self.built,
            Some("overflow") => self.overflow,
            Some("sync") => self.period,
            Some("discontinuity") => self.discontinuity,
            Some(_) => reset_value(reg.unwrap(), &self.params, 0),
            None => 0,
        };
        let (mut cleared, mut forgot) = (0, 0);
        self.request = 0;
        if let (Some(data), Some(reg)) = (s.write, reg) {
            let mask = reg.fields.iter().fold(0, |m, f| m | (((1u64 << f.bits) - 1) as u32) << f.lsb);
            match reg.access {
                RegAccess::Ro | RegAccess::ReadNext => {}
                // the mode bits exist only with a filter
                RegAccess::Rw if reg.name == "control" => self.control = data & if self.sync { mask } else { 1 },
                RegAccess::Rw if self.sync => self.period = data & mask,
                RegAccess::Once if self.sync => self.request = data & mask,
                RegAccess::Rw | RegAccess::Once => {}
                RegAccess::W1c if reg.name == "overflow" => cleared = data,
                RegAccess::W1c => forgot = data,
            }
        }
        let cores = (1 << self.params.cores) - 1;
        self.overflow = (self.overflow & !cleared | s.overflow) & cores;
        if self.sync {
            self.discontinuity = (self.discontinuity & !forgot | s.discontinuity) & cores;
        }
        if self.sync {
            self.lost = (self.lost + self.fell).min(0xff_ffff);
            self.fell = (0..16).filter(|i| s.loses >> i & 1 == 1).map(|i| u32::from(s.more[i]) + 1).sum();
            let active = s.status & 2 != 0;
            if active && !std::mem::replace(&mut self.traced, active) {
                self.lost = 0;
            }
            self.traced = active;
        }
        if s.reset {
            (self.lost, self.fell, self.traced) = (0, 0, false);
            (self.control, self.overflow, self.discontinuity, self.period, self.request) = (0, 0, 0, 0, 0);
        }
    }
}

fn play(cores: u8, sync: bool, steps: impl Iterator<Item = Step>) -> Driver<Registers> {
    let params = params(cores);
    let mut d = Driver::new(
        Registers::new(
            &Stream::from(&params),
            Extras {
                sync,
                check: sync,
                lost: sync,
                filter: sync,
                retire: sync.then_some(FOUR),
                ingress: if sync { 3 } else { 0 },
                ..Extras::default()
            },
        ),
        |u, c| u.clock.next = c.into(),
    )
    .unwrap()
    .recording();
    let mut golden = Golden {
        params,
        sync,
        control: 0,
        period: 0,
        request: 0,
        overflow: 0,
        discontinuity: 0,
        lost: 0,
        fell: 0,
        traced: false,
        built: if sync { 2 << 3 | 3 << 5 } else { 0 },
        answer: 0,
    };
    for step in steps {
        let set = |u: &mut Registers| {
            u.reset.next = step.reset;
            u.bus.addr.next = u64::from(step.addr).to_bits();
            u.bus.write.next = step.write.is_some();
            u.bus.wdata.next = u64::from(step.write.unwrap_or(0x5a5a_a5a5)).to_bits();
            u.ready.next = step.status & 1 != 0;
            u.active.next = step.status & 2 != 0;
            u.idle.next = step.status & 4 != 0;
            u.overflow.next = u64::from(step.overflow).to_bits();
            u.discontinuity.next = u64::from(step.discontinuity).to_bits();
            u.loses.next = u64::from(step.loses).to_bits();
            u.more.iter_mut().zip(step.more).for_each(|(port, more)| port.next = u64::from(more).to_bits());
        };
        let get = |u: &Registers| {
            let [enable, request] = [u.enable.val(), u.request.val()].map(u32::from);
            let enable = enable | (u.modes.val().index() as u32) << 8;
            (
                u.bus.rdata.val().to_u64() as u32,
                enable,
                u.period.val().index() as u32 | (u.bytes.val().index() as u32) << 8,
                request,
            )
        };
        let got = d.cycle(set, get).unwrap();
        assert_eq!(
            got,
            (golden.answer, golden.control, golden.period, golden.request),
            "{cores} cores, cycle {}: {step:x?}",
            d.cycles()
        );
        golden.cycle(&step);
    }
    d
}

#[test]
fn random_accesses_match_the_map() {
    for cores in [1, 3, 8, 16] {
        let mut s = Source::seeded(cores.into());
        let steps = (0..6_000).map(|_| Step {
            reset: s.per_64k(300),
            write: s.percent(40).then(|| s.bits(32) as u32),
            addr: s.bits(3) as u8,
            status: s.bits(3) as u32,
            overflow: if s.percent(20) { s.bits(16) as u32 } else { 0 },
            discontinuity: if s.percent(20) { s.bits(16) as u32 } else { 0 },
            loses: if s.percent(20) { s.bits(16) as u32 & ((1 << cores) - 1) } else { 0 },
            more: std::array::from_fn(|_| if s.percent(10) { 1023 } else { s.bits(4) as u16 }),
        });
        play(cores, cores != 3, steps).check_verilog().unwrap();
    }
}

#[test]
fn an_overflow_in_the_clock_in_which_it_is_cleared_stays_noted() {
    let overflow = REGS.iter().find(|r| r.name == "overflow").unwrap().addr;
    let at = |write, overflow_now| Step { write, addr: overflow, overflow: overflow_now, ..Step::default() };
    let steps = [at(None, 3), at(Some(1), 1), at(None, 0), at(Some(3), 0), at(None, 0), at(None, 0)];
    let d = play(2, false, steps.into_iter());
    assert_eq!(d.uut.bus.rdata.val().to_u64(), 0);
}

/// 16 cores that lose instructions in every cycle fill the counter in 2^20 cycles.
#[test]
fn a_counter_of_losses_that_is_full_stays_so() {
    let extras = Extras { lost: true, ..Extras::default() };
    let mut d =
        Driver::new(Registers::new(&Stream::from(&params(16)), extras), |u, c| u.clock.next = c.into()).unwrap();
    let status = REGS.iter().find(|r| r.name == "status").unwrap().addr;
    let mut read = |n: u64| {
        let mut answer = 0;
        for _ in 0..n {
            let set = |u: &mut Registers| {
                u.bus.addr.next = u64::from(status).to_bits();
                u.loses.next = 0xffff_u64.to_bits();
            };
            answer = d.cycle(set, |u| u.bus.rdata.val().to_u64()).unwrap() >> 8;
        }
        answer
    };
    // read data includes losses up to three cycles before
    let full = (1 << 20) + 2;
    assert_eq!(read(full), 0xff_fff0);
    assert_eq!(read(1), 0xff_ffff);
    assert_eq!(read(40), 0xff_ffff);
}

#[test]
fn registers_pass_the_static_gates() {
    for cores in [1, 16] {
        emit_checked(&mut Registers::new(
            &Stream::from(&params(cores)),
            Extras { sync: cores == 16, check: cores == 16, lost: cores == 16, ..Extras::default() },
        ))
        .unwrap();
    }
}
