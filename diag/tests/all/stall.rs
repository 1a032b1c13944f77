//! A chip that holds the cores loses no event on a link that is far too slow, and prints what generators without a chip do

use diag::app::App;
use diag::layout::{layout, Cut};
use diag::order;
use diag::parse::parse;
use diag::resolve::resolve;
use diag::runtime::Output;
use diag::session::{OnChip, Reference, Totals};
use diag::symbols::Symbols;
use retire::image::Image;
use retire::RetireSink;
use sim::diag::chip::ChipParams;
use sim::diag::trigger::GeneratorParams;
use sim::riscv::{Limits, Machine, MachineConfig};

const CORES: u8 = 3;

fn tell(program: &str, sink: &mut impl RetireSink) {
    let config = MachineConfig { harts: CORES, ..MachineConfig::default() };
    let mut machine = Machine::new(&programs::load(program).unwrap(), config).unwrap();
    machine.run(sink, Limits { instructions: 1_200_000, ..Limits::default() }).unwrap();
}

fn on_chip(program: &str, app: &App, params: &ChipParams) -> (Vec<Output>, Totals) {
    let host = layout(app, &params.nodes, &Cut::host(app)).unwrap();
    let image = Image::new(&programs::load(program).unwrap());
    let mut chip = OnChip::new(app, &host, params.clone(), image).unwrap();
    tell(program, &mut chip);
    chip.finish().unwrap();
    (chip.runtime().take_outputs(), chip.totals())
}

#[test]
fn a_full_link_costs_time_and_no_event() {
    let script =
        "call:lock, call:unlock, call:archive { @n[pc, core] = count(); } write:*stripe* { @w[core] = sum(value); } \
                  machine m by core { free: ret:mutex_lock -> held; held: call:mutex_unlock -> free; } \
                  violation:m { @v[key, state] = count(); }";
    let program = "lockcont";
    let stalling = GeneratorParams { stalls: true, ..GeneratorParams::FULL };
    for masters in [0, 1] {
        let params = ChipParams { masters, link_bits: 1_000_000, ..ChipParams::new(CORES) };
        let symbols = Symbols::parse(programs::find(program).unwrap().elf).unwrap();
        let mut app = parse(script).and_then(|i| resolve(&i, &symbols, params.clock_hz)).unwrap();
        order::require(&mut app, &params);
        let host = layout(&app, &params.nodes, &Cut::host(&app)).unwrap();
        let image = Image::new(&programs::load(program).unwrap());
        let mut reference = Reference::new(&app, &host, CORES, image).unwrap();
        tell(program, &mut reference);
        reference.finish().unwrap();
        let want = reference.runtime().take_outputs();
        let unheld = on_chip(program, &app, &params).1;
        assert!(unheld.lost() > 100 && unheld.stalled == 0, "{unheld:?}");
        let (found, held) = on_chip(program, &app, &ChipParams { generator: stalling, ..params });
        assert_eq!((held.lost(), held.events), (0, reference.totals().events));
        assert_eq!(held.cycles, unheld.cycles + held.stalled);
        assert!(held.stalled > unheld.cycles, "{held:?}");
        println!(
            "{masters} bus masters: {} of {} events lost in {} cycles; held: none in {} cycles",
            unheld.lost(),
            held.events,
            unheld.cycles,
            held.cycles
        );
        let untimed = |o: &Output| match o {
            Output::Table { rows, mark, .. } => (rows.clone(), *mark),
            Output::Text { .. } => panic!("no text"),
        };
        assert_eq!(found.iter().map(untimed).collect::<Vec<_>>(), want.iter().map(untimed).collect::<Vec<_>>());
    }
}
