//! Builds a lock profile of a program as Rust values, and plans it for a chip
//!
//! `cargo run --release -p diag --example lock_profile`

use diag::build::{arg, core, elapsed, end, map, ret, Script};
use diag::order;
use diag::plan::{plan, Rates};
use diag::session::OnChip;
use diag::sink::{Format, Sink};
use diag::symbols::Symbols;
use retire::image::Image;
use sim::diag::chip::ChipParams;
use sim::riscv::{Limits, Machine, MachineConfig};

const CLOCK_HZ: u64 = 50_000_000;
const HARTS: u8 = 4;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // every lock by its address, and the duration of each core's calls that had to wait
    let script = Script::new()
        .on(ret("mutex_lock"), [map("locks").by(arg(0)).stats(elapsed())])
        .on(ret("mutex_lock").when(elapsed().above(100)), [map("slow").by(core()).hist(elapsed())])
        .on(end(), [map("locks").top(3), map("slow").print()]);
    println!("{script}");

    let info = programs::find("lockcont").ok_or("lockcont is missing")?;
    let (program, symbols) = (info.load()?, Symbols::parse(info.elf)?);
    let mut app = script.resolve(&symbols, CLOCK_HZ)?;
    let params = ChipParams::new(HARTS);
    order::require(&mut app, &params);
    let planned = plan(&app, &params, &Rates::assumed(&app, CLOCK_HZ))?;
    for part in &planned.reasons {
        println!("{}: {} ({})", part.what, part.place, part.why);
    }

    let mut chip = OnChip::new(&app, &planned.layout, params, Image::new(&program))?;
    let config = MachineConfig { harts: HARTS, ..MachineConfig::default() };
    Machine::new(&program, config)?.run(&mut chip, Limits { instructions: 400_000, ..Limits::default() })?;
    chip.finish()?;
    let mut text = Vec::new();
    let mut sink = Sink::new(&mut text, Format::Text, &symbols, CLOCK_HZ)?;
    chip.runtime().take_outputs().iter().try_for_each(|o| sink.put(o))?;
    sink.lost(chip.totals().lost())?;
    println!("\n{}", String::from_utf8(text)?);
    Ok(())
}
