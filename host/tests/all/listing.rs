//! A listing keeps the lines of straight runs: they are those of a listing that formats each instruction

use host::contexts::ByContext;
use host::filter::Filter;
use host::input::Input;
use host::listing::Listing;
use host::machine::Settings;
use host::progress::Quiet;
use host::symbols::Symbols;
use retire::image::{Image, Memory, Moment};
use retire::FlowEvent;
use sim::replay::ReplaySink;

const CORES: u8 = 3;

/// Events of a program.
fn events(program: &str, instructions: u64) -> Vec<FlowEvent> {
    let settings = Settings { max_instructions: Some(instructions), ..Settings::default() };
    let input = Input::open(program).unwrap();
    let run = input.run(CORES, &settings).unwrap();
    let mut events = Vec::new();
    run.report_to(&mut events, &Quiet).unwrap();
    events
}

/// The first `left` lines of `events`. With a range of addresses, even one that has all of them, no run is listed as a whole.
fn listed(image: &Image, events: &[FlowEvent], whole: bool, left: u64, symbols: Option<&Symbols>) -> String {
    let ranges = if whole { Vec::new() } else { vec![0..1 << 63, 1 << 63..u64::MAX] };
    let mut out = Vec::new();
    let mut listing = Listing::new(image.clone(), CORES, Filter::new(None, ranges, 0..u64::MAX), left, &mut out);
    if let Some(symbols) = symbols {
        listing = listing.with_symbols(ByContext::new(symbols.clone(), Vec::new()));
    }
    events.iter().for_each(|e| listing.event(e));
    listing.finish().unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn kept_lines_are_those_of_each_instruction_wherever_a_listing_ends() {
    for program in ["builtin:irq", "builtin:bank", "builtin:vm"] {
        let image = Input::open(program).unwrap().image().unwrap();
        let symbols = Symbols::open(program).unwrap();
        let events = events(program, 60_000);
        for symbols in [None, Some(&symbols)] {
            let whole = listed(&image, &events, true, u64::MAX, symbols);
            assert!(whole.lines().count() >= 60_000, "{program}");
            assert_eq!(whole, listed(&image, &events, false, u64::MAX, symbols), "{program}");
        }
        for left in (30_000..30_020).chain([0, 1]) {
            let whole = listed(&image, &events, true, left, None);
            assert_eq!(whole, listed(&image, &events, false, left, None), "{program}, {left} lines");
            assert!(
                whole.lines().filter(|line| line.contains("  0x")).count() as u64 == left,
                "{program}, {left} lines"
            );
        }
    }
}

#[test]
fn lines_of_code_that_changes_are_those_of_the_moment() {
    let program = host::input::Named::open("builtin:fsm").unwrap().program;
    let events = events("builtin:fsm", 20_000);
    // the first instruction of a run that is executed often, from the middle of the run on: a nop of four bytes
    let often = |pc| events.iter().filter(|e| e.hart == 0 && e.target == pc).count();
    let constant = Image::new(&program);
    let long = |pc| constant.instruction(pc).is_some_and(|(_, len)| len == 4);
    let pc = events.iter().map(|e| e.target).filter(|pc| long(*pc)).max_by_key(|pc| often(*pc)).unwrap();
    let nop = Memory { addr: pc, bytes: vec![0x13, 0, 0, 0], from: Moment::Retired(5_000) };
    let changing = Image::with_memory(&program, &[nop]).unwrap();
    let (own, other) = [&constant, &changing].map(|image| listed(image, &events, true, u64::MAX, None)).into();
    let at = format!("0x{pc:08x}  ");
    let nops = |text: &str| text.lines().filter(|line| line.contains(&at) && line.contains("00000013")).count();
    let all = other.lines().filter(|line| line.contains(&at)).count();
    assert_eq!(nops(&own), 0);
    assert!(nops(&other) > 10 && nops(&other) < all, "{} of {all}", nops(&other));
    assert_eq!(other, listed(&changing, &events, false, u64::MAX, None));
}
