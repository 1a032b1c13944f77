//! Stores of a DMA as events: every writer of a variable is seen, on the chip and without it, as the retire stream has them

use diag::app::App;
use diag::layout::{layout, Cut};
use diag::order;
use diag::output::TextPart;
use diag::parse::parse;
use diag::plan::{plan, Rates};
use diag::resolve::resolve;
use diag::runtime::{Key, Output};
use diag::session::{OnChip, Reference};
use diag::symbols::Symbols;
use retire::image::Image;
use retire::{DataEvent, DataKind, FlowEvent, MasterStore, RetireSink};
use sim::diag::chip::ChipParams;
use sim::diag::trigger::GeneratorParams;
use sim::riscv::{Limits, Machine, MachineConfig};
use std::collections::BTreeMap;

const PROGRAM: &str = "dma";

fn tell(harts: u8, sink: &mut impl RetireSink) {
    let config = MachineConfig { harts, ..MachineConfig::default() };
    let mut machine = Machine::new(&programs::load(PROGRAM).unwrap(), config).unwrap();
    machine.run(sink, Limits::default()).unwrap();
}

/// Stores to a range of addresses: cycle, producer, address and value. The DMA is the producer after the last hart.
struct Stores {
    range: std::ops::Range<u64>,
    harts: u8,
    found: Vec<(u64, u8, u64, u64)>,
}

impl Stores {
    fn of(symbols: &Symbols, name: &str, harts: u8) -> Self {
        let (at, size, _) = symbols.find(name).unwrap();
        let mut stores = Self { range: at..at + size, harts, found: Vec::new() };
        tell(harts, &mut stores);
        stores
    }

    fn take(&mut self, store: (u64, u8, u64, u64)) {
        if self.range.contains(&store.2) {
            self.found.push(store);
        }
    }
}

impl RetireSink for Stores {
    const WANTS_DATA: bool = true;

    fn event(&mut self, _: &FlowEvent) {}

    fn data(&mut self, d: &DataEvent) {
        if let DataKind::Store { addr, value, .. } = d.kind {
            self.take((d.cycle, d.hart, addr, value));
        }
    }

    fn master(&mut self, s: &MasterStore) {
        self.take((s.cycle, self.harts, s.addr, s.value.into()));
    }
}

fn open(script: &str, params: &ChipParams) -> (Symbols, App) {
    let symbols = Symbols::parse(programs::find(PROGRAM).unwrap().elf).unwrap();
    let mut app = parse(script).and_then(|i| resolve(&i, &symbols, params.clock_hz)).unwrap();
    order::require(&mut app, params);
    (symbols, app)
}

/// Outputs of the chip as planned, with all on the host, and of generators alone; none loses an event.
fn outputs(script: &str, params: &ChipParams) -> [Vec<Output>; 3] {
    let app = open(script, params).1;
    let host = layout(&app, &params.nodes, &Cut::host(&app)).unwrap();
    let planned = plan(&app, params, &Rates::assumed(&app, params.clock_hz)).unwrap().layout;
    let image = || Image::new(&programs::load(PROGRAM).unwrap());
    let on = |layout| {
        let mut chip = OnChip::new(&app, layout, params.clone(), image()).unwrap();
        tell(params.cores, &mut chip);
        chip.finish().unwrap();
        assert_eq!((chip.totals().lost(), chip.unseen_stores()), (0, 0));
        chip.runtime().take_outputs()
    };
    let reference = Reference::new(&app, &host, params.cores, image()).unwrap();
    let mut reference = reference.with_masters(&host, params.masters).unwrap();
    tell(params.cores, &mut reference);
    reference.finish().unwrap();
    assert_eq!(reference.totals().lost(), 0);
    [on(&planned), on(&host), reference.runtime().take_outputs()]
}

fn params(cores: u8, masters: u8) -> ChipParams {
    ChipParams { masters, link_bits: 400_000_000, ..ChipParams::new(cores) }
}

/// A chip on which all wait while a generator has no room: the DMA stores every fourth cycle, faster than the ring.
fn held(cores: u8) -> ChipParams {
    ChipParams { generator: GeneratorParams { stalls: true, ..GeneratorParams::FULL }, ..params(cores, 1) }
}

/// Count, sum and greatest value of a table, by its key.
fn rows(outputs: &[Output]) -> BTreeMap<i64, (u64, u64, u64)> {
    let number = |k: &Key| if let Key::Number(n) = k { *n } else { panic!("{k:?}") };
    let table = |o: &Output| if let Output::Table { rows, .. } = o { Some(rows.clone()) } else { None };
    let rows = outputs.iter().find_map(table).unwrap();
    rows.iter().map(|(key, sum)| (number(&key[0]), (sum.count, sum.sum as u64, sum.maximum as u64))).collect()
}

#[test]
fn a_variable_has_the_stores_of_all_its_writers() {
    // the first hart fills the frames, of which the DMA makes copies
    let script = "write:frame, write:source { @w[core] = stats(value); }";
    for harts in [1, 3] {
        let params = held(harts);
        let symbols = open(script, &params).0;
        let mut want: BTreeMap<i64, (u64, u64, u64)> = BTreeMap::new();
        for name in ["frame", "source"] {
            for (_, by, _, value) in Stores::of(&symbols, name, harts).found {
                let row = want.entry(by.into()).or_default();
                *row = (row.0 + 1, row.1 + value, row.2.max(value));
            }
        }
        assert!(want.len() > 1 && want[&harts.into()].0 == 24 * 64, "{want:?}");
        for outputs in outputs(script, &params) {
            assert_eq!(rows(&outputs), want, "{harts} harts");
        }
    }
}

#[test]
fn stores_of_a_dma_are_in_order_of_time_with_those_of_cores() {
    let script = "write:frame+252, write:source, write:total { printf(\"%d %d %d\", time, core, value); }";
    let params = params(2, 1);
    let symbols = open(script, &params).0;
    let at = symbols.find("frame").unwrap().0 + 252;
    let mut want: Vec<(u64, u8, u64)> = Vec::new();
    for name in ["frame", "source", "total"] {
        let found = Stores::of(&symbols, name, 2).found.into_iter();
        want.extend(found.filter(|s| name != "frame" || s.2 >= at).map(|(time, by, _, value)| (time, by, value)));
    }
    want.sort_unstable();
    assert!(want.iter().filter(|w| w.1 == 2).count() == 24);
    let want: Vec<String> = want.iter().map(|(time, by, value)| format!("{time} {by} {value}")).collect();
    let [planned, host, _] = outputs(script, &params);
    for outputs in [planned, host] {
        let text = |o: &Output| match o {
            Output::Text { parts, mark, .. } => {
                assert!(!mark.any());
                let part = |p: &TextPart| match p {
                    TextPart::Text(text) => text.clone(),
                    TextPart::Number(n) => n.to_string(),
                    other => panic!("{other:?}"),
                };
                parts.iter().map(part).collect::<String>()
            }
            Output::Table { .. } => panic!("no table"),
        };
        assert_eq!(outputs.iter().map(text).collect::<Vec<_>>(), want);
    }
}

#[test]
fn a_store_of_a_dma_has_no_instruction_and_no_registers() {
    // both probes share a slot: one wants a register, which a DMA does not have
    let script = "write:frame { @p[func] = count(); } write:frame /sp == 0xfffffffe/ { @m = max(value); }";
    for outputs in outputs(script, &held(2)) {
        let keys = |o: &Output| if let Output::Table { rows, .. } = o { rows.clone() } else { panic!("no text") };
        let tables: Vec<_> = outputs.iter().map(keys).collect();
        let count = |name: &str| tables[0].iter().find(|r| r.0 == [Key::Text(name.into())]).map(|r| r.1.count);
        assert_eq!(count("bus master"), Some(24 * 64), "{:?}", tables[0]);
        assert!(tables[1][0].1.maximum > 0);
    }
}

#[test]
fn stores_that_no_generator_sees_are_counted() {
    let script = "write:frame { @w[core] = count(); }";
    let params = params(2, 0);
    let app = open(script, &params).1;
    let host = layout(&app, &params.nodes, &Cut::host(&app)).unwrap();
    let image = Image::new(&programs::load(PROGRAM).unwrap());
    let mut chip = OnChip::new(&app, &host, params, image).unwrap();
    tell(2, &mut chip);
    assert_eq!(chip.unseen_stores(), 24 * 64);
}
