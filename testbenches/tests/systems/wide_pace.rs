//! Whether K, the instructions behind a resync in which nothing is predicted, is long enough at full pace: `hdl/src/spine/warm_up.rs`
//! in whole systems, under Verilator, against `sim/src/system.rs`
//!
//! Cores retire as many instructions as they can in every cycle. At a resync their queue is almost full, and its
//! contents count as well while tables are cleared. With the K of [`sim::system::warm_up_scale`], the words are those of the
//! golden model. With a K that is too short in both, they are not, because tables are read before they are clear.

use fpga::cosim::Cosim;
use hdl::emit::{build, Ingress, SystemOptions};
use hdl::spine::{Extras, Retire};
use hdl::verilog::{write, Style};
use retire::{FlowEvent, FlowKind, RetireSink};
use rust_hdl::prelude::*;
use sim::beats::blocks::Block as Shown;
use sim::beats::Retired;
use sim::core_trace::SyncPeriod;
use sim::params::{Platform, TraceParams};
use sim::regs::REGS;
use sim::stimulus::Source;
use sim::system::{header, repeated_header, shape_with_scale, System};

/// Instructions of a block, of two bytes each.
const BLOCK: usize = 15;
/// Resyncs per run.
const RESYNCS: usize = 8;
/// Control-flow instructions from one taken branch to the next.
const FLOWS: usize = 3;
/// Number of targets of taken branches.
const PLACES: u64 = 8;

#[derive(Clone, Copy, Debug)]
struct Case {
    scheme: &'static str,
    ingress: Ingress,
    retire: Retire,
    /// K is too short if it is halved this many times, but not with one halving less.
    halves: u8,
}

impl Case {
    fn params(&self) -> TraceParams {
        TraceParams::new(Platform::RV32, self.scheme.parse().unwrap())
    }

    fn options(&self) -> SystemOptions {
        let extras = Extras { sync: true, retire: Some(self.retire), ..Extras::default() };
        SystemOptions { ingress: self.ingress, fifo_address_bits: 8, extras }
    }

    /// Instructions per channel or block and cycle.
    fn run(&self) -> usize {
        if self.ingress == Ingress::Blocks {
            BLOCK
        } else {
            1
        }
    }

    /// log2 of the period; longer than K, so that tables have contents to be cleared.
    fn period(&self, warm_up_scale: u8) -> u8 {
        let k = self.params().flow.warm_up() << warm_up_scale;
        (k + k / 2).next_power_of_two().trailing_zeros().max(10) as u8
    }

    /// What retires, by cycle and channel, with resyncs every 2^`period` instructions, each when the queue is almost
    /// full. After a resync, fewer events arrive than leave the queue.
    fn retired(&self, period: u8) -> Vec<Vec<Vec<Retired>>> {
        let (per_cycle, mut s) = (usize::from(self.retire.per_cycle), Source::seeded(3));
        let every = (1 << period) / (per_cycle * self.run());
        let depth = (1 << self.retire.log2_words) - 2;
        let fill = if per_cycle > 1 { depth * per_cycle / (per_cycle - 1) } else { depth };
        // each resync is one event later than the previous one
        let tail = RESYNCS / per_cycle + 1;
        let (mut clocks, mut pc, mut flows) = (Vec::new(), 0x1000, 0);
        for clock in 0..=RESYNCS * every + every / 2 {
            let at = (clock + fill - tail) % every;
            // sequential until the queue is empty; so is the last instruction, which waits for no other
            let quiet = fill + depth * per_cycle;
            let (full, busy) = (at < fill, at > quiet && clock % 4 != 3 && clock < RESYNCS * every + every / 2);
            let row = (0..per_cycle).map(|lane| {
                let run = (0..self.run()).map(|i| {
                    let last = i + 1 == self.run();
                    let flow = last && (full || busy && lane + 1 == per_cycle);
                    flows += usize::from(flow && !full);
                    let jumps = flow && !full && flows % FLOWS == 0;
                    let next_pc = if jumps { 0x1_0000 + 0x1000 * s.below(PLACES) } else { pc + 2 };
                    // c.beqz, c.nop
                    let insn = if flow { 0xc001 } else { 1 };
                    let r = Retired { cycle: 0, hart: 0, trapped: false, len: 2, pc, next_pc, insn };
                    pc = next_pc;
                    r
                });
                run.collect()
            });
            clocks.push(row.collect());
        }
        clocks
    }

    /// Words of the golden model with this scale of K.
    fn golden(&self, clocks: &[Vec<Vec<Retired>>], warm_up_scale: u8, period: u8) -> Vec<u32> {
        let params = self.params();
        let golden = System::with_warm_up_scale(&params, warm_up_scale).unwrap();
        let mut golden = golden.sync_every(&params, Some(SyncPeriod::new(period).unwrap()));
        let none = FlowEvent { hart: 0, kind: FlowKind::Start, len: 0, count: 0, pc: 0, target: 0, cycle: 0 };
        let (mut count, mut pc) = (0, clocks[0][0][0].pc);
        golden.event(&FlowEvent { pc, target: pc, ..none });
        for r in clocks.iter().flatten().flatten() {
            (count, pc) = (count + 1, r.next_pc);
            if r.insn != 1 {
                let kind = FlowKind::Conditional { taken: r.next_pc != r.pc + 2 };
                golden.event(&FlowEvent { kind, len: 2, count, pc: r.pc, target: r.next_pc, ..none });
                count = 0;
            }
        }
        golden.event(&FlowEvent { kind: FlowKind::Stop, count, pc, target: pc, ..none });
        golden.finish(0);
        golden.drain().collect()
    }

    /// The circuit with this scale of K, which may not be its own.
    fn circuit(&self, warm_up_scale: u8) -> Cosim {
        let (params, options) = (self.params(), self.options());
        let mut top = build(&params, &options).unwrap();
        top.connect_all();
        let mut verilog = write(&top, &Style::default()).unwrap();
        let (own, warm_up) = (options.warm_up_scale(&params), params.flow.warm_up());
        if warm_up_scale != own {
            let k = |warm_up_scale: u8| warm_up << warm_up_scale;
            let [head, again] = [header(&params)[1], repeated_header(&params)[1]];
            for (bits, from, to) in [
                (19, k(own), k(warm_up_scale)),
                (32, shape_with_scale(head, own), shape_with_scale(head, warm_up_scale)),
                (32, shape_with_scale(again, own), shape_with_scale(again, warm_up_scale)),
            ] {
                // a number ends where no digit follows
                let text = |value: u32| [format!("{bits}'d{value}"), format!("{bits}'h{value:x}")];
                let ways: Vec<_> = text(from).into_iter().zip(text(to)).collect();
                let mut found = 0;
                let mut changed = String::new();
                for piece in verilog.text.split_inclusive(|c: char| !(c.is_ascii_alphanumeric() || c == '\'')) {
                    let number = piece.trim_end_matches(|c: char| !(c.is_ascii_alphanumeric() || c == '\''));
                    let way = ways.iter().find(|(from, _)| from == number);
                    found += usize::from(way.is_some());
                    changed.push_str(way.map_or(number, |(_, to)| to));
                    changed.push_str(&piece[number.len()..]);
                }
                assert!(found > 0, "{self:?}: {from} in {bits} bits");
                verilog.text = changed;
            }
        }
        Cosim::of_written(&verilog).unwrap()
    }

    /// The words of the circuit, with `rest` idle cycles after each cycle.
    fn words(&self, cosim: &Cosim, clocks: &[Vec<Vec<Retired>>], period: u8, rest: usize) -> Vec<u32> {
        let register = |name: &str| u128::from(REGS.iter().find(|r| r.name == name).unwrap().addr);
        let vector = |values: &[(String, u128)]| {
            let values: Vec<(&str, u128)> = values.iter().map(|(n, v)| (n.as_str(), *v)).collect();
            cosim.vector(&values).unwrap()
        };
        let ready = |on| ("ready".to_string(), u128::from(on));
        let idle = vector(&[ready(true)]);
        let write = |name: &str, value: u128| {
            let bus = [("bus_addr", register(name)), ("bus_write", 1), ("bus_wdata", value)];
            vector(&bus.map(|(n, v)| (n.to_string(), v)).into_iter().chain([ready(true)]).collect::<Vec<_>>())
        };
        let calm = self.params().flow.warm_up() as usize + 100;
        let mut vectors = vec![vector(&[("reset".into(), 1), ready(true)]); 4];
        vectors.extend(vec![idle.clone(); calm]);
        vectors.extend([write("sync", period.into()), write("control", 1)]);
        vectors.extend(vec![idle.clone(); 50]);
        for row in clocks {
            let values: Vec<(String, u128)> =
                row.iter().enumerate().flat_map(|(lane, run)| self.show(lane, run)).collect();
            vectors.push(vector(&values.into_iter().chain([ready(true)]).collect::<Vec<_>>()));
            vectors.extend(vec![idle.clone(); rest]);
        }
        vectors.extend(vec![idle.clone(); 1_000]);
        vectors.push(write("control", 0));
        vectors.extend(vec![idle; 5_000]);
        let [valid, data] = ["valid", "data"].map(|name| cosim.output(name).unwrap());
        let mut words = Vec::new();
        cosim.run(vectors, |_, out| words.extend((out[valid] == 1).then_some(out[data] as u32))).unwrap();
        words
    }

    /// Port values of a channel or block.
    fn show(&self, lane: usize, run: &[Retired]) -> Vec<(String, u128)> {
        let r = run[0];
        let block = Shown::of(run, 32);
        let port = |name: &str| match (self.ingress, self.retire.per_cycle) {
            (Ingress::Blocks, 1) => format!("{name}_0"),
            (Ingress::Blocks, _) => format!("block{lane}_{name}_0"),
            _ => format!("rvfi{lane}_{name}_0"),
        };
        let values: &[(&str, u128)] = match self.ingress {
            Ingress::Blocks => &[
                ("itype", block.itype.into()),
                ("iaddr", block.iaddr.into()),
                ("iretire", block.iretire.into()),
                ("ilastsize", block.ilastsize.into()),
                ("icount", block.icount.into()),
            ],
            _ => &[("valid", 1), ("insn", r.insn.into()), ("pc_rdata", r.pc.into()), ("pc_wdata", r.next_pc.into())],
        };
        values.iter().map(|(name, value)| (port(name), *value)).collect()
    }

    /// Whether the words are right with this scale of K, with `rest` idle cycles after each cycle.
    fn right(&self, warm_up_scale: u8, rest: usize) -> bool {
        let period = self.period(warm_up_scale);
        let clocks = self.retired(period);
        let words = self.words(&self.circuit(warm_up_scale), &clocks, period, rest);
        let want = self.golden(&clocks, warm_up_scale, period);
        let head = shape_with_scale(repeated_header(&self.params())[1], warm_up_scale);
        let headers = want.iter().filter(|word| **word == head).count();
        assert!(headers >= RESYNCS, "{self:?}: {headers} resyncs");
        words == want
    }

    fn check(&self) {
        let own = self.options().warm_up_scale(&self.params());
        assert!(self.right(own, 0), "{self:?}: words differ");
        for less in 1..self.halves {
            assert!(self.right(own - less, 0), "{self:?}: K over 2^{less} is too short, and said not to be");
        }
        let short = own - self.halves;
        assert!(!self.right(short, 0), "{self:?}: K over 2^{} is not too short at full pace", self.halves);
        // K is too short only because of the pace
        assert!(self.right(short, 3), "{self:?}: K over 2^{} is too short at leisure", self.halves);
    }
}

const fn rvfi(scheme: &'static str, per_cycle: u8, halves: u8) -> Case {
    Case { scheme, ingress: Ingress::Rvfi, retire: Retire { per_cycle, log2_words: 4 }, halves }
}

const fn blocks(scheme: &'static str, per_cycle: u8, halves: u8) -> Case {
    let retire = Retire { per_cycle, log2_words: if per_cycle > 1 { 3 } else { 4 } };
    Case { scheme, ingress: Ingress::Blocks, retire, halves }
}

#[test]
fn warm_up_covers_table_clearing_at_full_rate() {
    for case in [
        rvfi("tr_e:small", 2, 1),
        rvfi("tr_e:small", 4, 1),
        rvfi("sc-lsp:rbase-32x4", 2, 1),
        rvfi("sc-lsp:rbase-32x4", 4, 1),
        rvfi("follow:m", 2, 1),
    ] {
        case.check();
    }
}

/// A block has up to 15 instructions, and K assumes 16; also, such a queue takes fewer cycles per word. So half of K is
/// enough, unless traps or a filter add events.
#[test]
fn k_of_blocks_lasts_as_long_with_half_to_spare() {
    for case in [
        blocks("tr_e:small", 1, 2),
        blocks("tr_e:small", 2, 2),
        blocks("sc-lsp:rbase-32x4", 1, 2),
        blocks("sc-lsp:rbase-32x4", 2, 2),
    ] {
        case.check();
    }
}
