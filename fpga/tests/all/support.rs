//! Compares constraints and PLL settings with those of `rust-hdl-fpga-support` (docs/maintainers/decisions/0004)

use fpga::soc::board::BOARDS;
use fpga::soc::pll::IcePll;
use hdl::LogicBlock;
use rust_hdl::prelude::*;
use rust_hdl_fpga_support::lattice::ice40::ice_pll::ICE40PLLBlock;
use rust_hdl_fpga_support::toolchains::{ecp5::generate_lpf, icestorm::generate_pcf};

/// Pins of a board's top module.
#[derive(LogicBlock, Default)]
struct Pins {
    clk: Signal<In, Clock>,
    rx: Signal<In, Bit>,
    tx: Signal<Out, Bit>,
}

impl Logic for Pins {
    fn update(&mut self) {}
}

/// The text after `before` in the line of `text` that contains it.
fn site<'a>(text: &'a str, before: &str) -> &'a str {
    let line = text.lines().find_map(|l| l.trim().strip_prefix(before)).unwrap_or_else(|| panic!("no {before}"));
    line.trim().trim_end_matches(';').trim_matches('"')
}

fn pins(text: &str, before: impl Fn(&str) -> String) -> Pins {
    let mut p = Pins::default();
    p.clk.add_location(0, site(text, &before("clk")));
    p.rx.add_location(0, site(text, &before("rx")));
    p.tx.add_location(0, site(text, &before("tx")));
    p
}

fn statements(text: &str) -> Vec<String> {
    let lines = text.lines().map(|l| l.trim().trim_end_matches(';').to_string());
    // clock rates and global switches differ between this project and the crate
    let mut all: Vec<String> = lines
        .filter(|l| !l.is_empty() && !l.starts_with('#') && !l.starts_with("BLOCK") && !l.starts_with("FREQUENCY"))
        .collect();
    all.sort_unstable();
    all
}

#[test]
fn constraints_of_ice40_boards_are_those_of_the_support_crate() {
    let boards: Vec<_> = BOARDS.iter().filter(|b| b.device.ice40()).collect();
    assert!(boards.len() >= 3);
    for b in boards {
        let theirs = generate_pcf(&pins(b.constraints, |pin| format!("set_io {pin} ")));
        assert_eq!(statements(b.constraints), statements(&theirs), "{}", b.name);
    }
}

#[test]
fn constraints_of_ecp5_boards_are_those_of_the_support_crate() {
    let boards: Vec<_> = BOARDS.iter().filter(|b| !b.device.ice40()).collect();
    assert!(boards.len() >= 4);
    for b in boards {
        let mut p = pins(b.constraints, |pin| format!("LOCATE COMP \"{pin}\" SITE "));
        p.clk.add_signal_type(0, SignalType::LowVoltageCMOS_3v3);
        p.rx.add_signal_type(0, SignalType::LowVoltageCMOS_3v3);
        p.tx.add_signal_type(0, SignalType::LowVoltageCMOS_3v3);
        assert_eq!(statements(b.constraints), statements(&generate_lpf(&p)), "{}", b.name);
    }
}

#[test]
fn pll_settings_are_those_of_the_support_crate() {
    let theirs = [
        (12_000, 36_000, ICE40PLLBlock::<12_000_000, 36_000_000>::default().hdl()),
        (12_000, 48_000, ICE40PLLBlock::<12_000_000, 48_000_000>::default().hdl()),
        (100_000, 36_000, ICE40PLLBlock::<100_000_000, 36_000_000>::default().hdl()),
    ];
    for (input, khz, verilog) in theirs {
        let Verilog::Custom(text) = verilog else { panic!("no instance") };
        let number = |name: &str| -> u32 {
            let at = text.find(&format!(".{name}(")).unwrap_or_else(|| panic!("{name} in {text}"));
            let literal = text[at..].split(['(', ')']).nth(1).unwrap();
            let (base, digits) = literal.split_once('\'').map_or(("d", literal), |(_, l)| l.split_at(1));
            u32::from_str_radix(digits, if base == "h" { 16 } else { 10 }).unwrap()
        };
        let p = IcePll::find(input, khz).unwrap();
        let dividers = (number("DIVR"), number("DIVF"), number("DIVQ"));
        assert_eq!((p.divr, p.divf, p.divq), dividers, "{input} to {khz}");
        // the crate never sets the input frequency that selects its filter, and always uses 1
        assert_eq!(number("FILTER_RANGE"), 1);
        assert_eq!(p.filter, if input == 100_000 { 2 } else { 1 });
    }
}
