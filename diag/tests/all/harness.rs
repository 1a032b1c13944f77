//! A script on a small program, on a chip as planned, on a chip with all of it on the host, and without a chip

use diag::app::App;
use diag::layout::{layout, Cut, Layout};
use diag::parse::parse;
use diag::plan::{fit, plan, Rates};
use diag::resolve::resolve;
use diag::runtime::Output;
use diag::session::{OnChip, Reference};
use diag::sink::{Format, Sink};
use diag::symbols::Symbols;
use retire::elf::Program;
use retire::image::Image;
use retire::RetireSink;
use sim::diag::chip::ChipParams;
use sim::riscv::{Limits, Machine, MachineConfig};

/// `names.elf` of tests/data.
pub const NAMES: &[u8] = include_bytes!("../data/names.elf");
/// `overloads.elf` of tests/data.
pub const OVERLOADS: &[u8] = include_bytes!("../data/overloads.elf");
/// `arguments.c` of tests/data, with `-O2` and with `-O0`.
pub const ARGUMENTS: [&[u8]; 2] = [include_bytes!("../data/arguments.elf"), include_bytes!("../data/arguments_O0.elf")];

/// A program with a script.
pub struct Observed {
    program: Program,
    pub symbols: Symbols,
    pub app: App,
    params: ChipParams,
}

/// What a script prints, and what it notes about its probes.
#[derive(Debug, PartialEq, Eq)]
pub struct Printed {
    pub text: String,
    pub notes: Vec<String>,
}

impl Observed {
    pub fn open(elf: &[u8], script: &str) -> Result<Self, String> {
        let symbols = Symbols::parse(elf).unwrap();
        let params = ChipParams { link_bits: 10_000_000_000, ..ChipParams::new(1) };
        let app = parse(script).and_then(|items| resolve(&items, &symbols, params.clock_hz));
        let mut app = app.map_err(|m| m.in_script("x.dx", script).to_string())?;
        fit(&mut app, &params, "x.dx", script).map_err(|e| e.to_string())?;
        Ok(Self { program: Program::parse(elf).unwrap(), symbols, app, params })
    }

    fn run(&self, sink: &mut impl RetireSink) {
        let mut machine = Machine::new(&self.program, MachineConfig::default()).unwrap();
        machine.run(sink, Limits { instructions: 1_000_000, ..Limits::default() }).unwrap();
    }

    pub fn text(&self, outputs: &[Output]) -> String {
        let mut text = Vec::new();
        let mut sink = Sink::new(&mut text, Format::Text, &self.symbols, self.params.clock_hz).unwrap();
        outputs.iter().for_each(|o| sink.put(o).unwrap());
        String::from_utf8(text).unwrap()
    }

    /// Everything on the host, without a chip.
    pub fn reference(&self) -> Vec<Output> {
        let layout = layout(&self.app, &self.params.nodes, &Cut::host(&self.app)).unwrap();
        let mut reference = Reference::new(&self.app, &layout, 1, Image::new(&self.program)).unwrap();
        self.run(&mut reference);
        reference.finish().unwrap();
        assert_eq!(reference.totals().lost(), 0);
        reference.runtime().take_outputs()
    }

    fn on_chip(&self, layout: &Layout) -> Vec<Output> {
        let mut chip = OnChip::new(&self.app, layout, self.params.clone(), Image::new(&self.program)).unwrap();
        self.run(&mut chip);
        chip.finish().unwrap();
        assert_eq!(chip.totals().lost(), 0);
        chip.runtime().take_outputs()
    }

    /// The plan for assumed rates.
    pub fn planned(&self) -> Layout {
        plan(&self.app, &self.params, &Rates::assumed(&self.app, self.params.clock_hz)).unwrap().layout
    }
}

/// Runs a script in all three ways, which must print the same.
pub fn printed(elf: &[u8], script: &str) -> Result<Printed, String> {
    let observed = Observed::open(elf, script)?;
    let text = observed.text(&observed.reference());
    let host = layout(&observed.app, &observed.params.nodes, &Cut::host(&observed.app)).unwrap();
    for layout in [host, observed.planned()] {
        assert_eq!(observed.text(&observed.on_chip(&layout)), text, "{script}: {:?}", layout.cut);
    }
    let notes = observed.app.notes.iter().map(|n| n.what.clone()).collect();
    Ok(Printed { text, notes })
}

/// The number in the only row of the only table.
pub fn only_number(elf: &[u8], script: &str) -> i64 {
    let printed = printed(elf, script).unwrap_or_else(|e| panic!("{script}: {e}"));
    let last = printed.text.split_whitespace().last().map(str::parse);
    match last {
        Some(Ok(n)) if printed.text.lines().count() == 2 => n,
        _ => panic!("{script}: {printed:?}"),
    }
}
