//! Full rate through a trace funnel: the FIFO depth of the encoders with which nothing is lost, and the bits that leave
//!
//! Every test program on cores that retire together, one instruction per cycle, as far as the timing model permits. For each scheme and number of
//! cores: the smallest event FIFO with which no program loses a message, and the bits per cycle of all programs and of the worst one. Nothing is
//! lost if the bytes of every core are those of the golden model of its encoder.
//!
//! `cargo run --release -p testbenches --example funnel_rate [CORES[,CORES]] [SCHEME]...`

use hdl::emit::SystemOptions;
use retire::FlowEvent;
use sim::beats::Expander;
use sim::stimulus::run::Retired;
use testbenches::check::run;
use testbenches::funnel::{FunnelSystem, Pace, Scheme, FIRST};

/// Instructions of each program.
const INSTRUCTIONS: u64 = 50_000;

fn main() {
    let mut args = std::env::args().skip(1);
    let cores: Vec<u8> = args.next().map_or(vec![2, 4], |list| {
        list.split(',').map(|n| n.parse().unwrap_or_else(|_| usage(&format!("`{n}` is no number of cores")))).collect()
    });
    let mut schemes: Vec<String> = args.collect();
    if schemes.is_empty() {
        schemes =
            ["ntrace", "ntrace+ir8", "ntrace+ir8+rh", "ntrace+btm", "etrace", "etrace+ir8"].map(String::from).into();
    }
    println!("| scheme | cores | entries | bits per cycle, all | worst program | loses with 16 entries |");
    println!("| --- | ---: | ---: | ---: | --- | --- |");
    for scheme in &schemes {
        for &cores in &cores {
            println!("{}", row(scheme, cores));
        }
    }
}

fn usage(found: &str) -> ! {
    eprintln!(
        "funnel_rate: {found}; usage: funnel_rate [CORES[,CORES]] [SCHEME]..., such as funnel_rate 2,4 ntrace+ir8"
    );
    std::process::exit(2);
}

/// A program on the cores: what retires, and the events.
struct Recorded {
    name: &'static str,
    program: retire::elf::Program,
    events: Vec<FlowEvent>,
    retired: Vec<Retired>,
}

fn recorded(cores: u8) -> Vec<Recorded> {
    let of = |info: &programs::ProgramInfo| {
        let program = info.load().expect("a built-in program");
        let (events, _) = run(&program, cores, INSTRUCTIONS);
        let (mut retired, mut expander) = (Vec::new(), Expander::new(&program, cores));
        let mut push = |r: &Retired| retired.push(*r);
        events.iter().for_each(|e| expander.event(e, &mut push).expect("events of the program"));
        expander.finish(&mut push).expect("events of the program");
        Recorded { name: info.name, program, events, retired }
    };
    programs::PROGRAMS.iter().map(of).collect()
}

/// Bits and cycles of each program, and the number of those that lose messages.
fn play(
    scheme: &Scheme,
    cores: u8,
    programs: &[Recorded],
    fifo_address_bits: u8,
) -> (Vec<(&'static str, u64, u64)>, usize) {
    let options = SystemOptions { fifo_address_bits, ..SystemOptions::default() };
    let system = FunnelSystem::new(scheme.circuit(), cores, &options);
    let (mut rates, mut lose) = (Vec::new(), 0);
    for p in programs {
        let played = system.play(&p.retired, Pace::Timed, 256);
        let bytes: Vec<u8> = played.words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let messages = scheme.messages(&bytes);
        let whole = (0..cores).all(|core| {
            let got: Vec<u8> = messages.iter().filter(|m| m.0 == core).flat_map(|m| m.1).copied().collect();
            got == scheme.golden(core, &p.program, &p.events)
        });
        lose += usize::from(!whole);
        let cycles = played.cycles.iter().max().map_or(1, |last| last - FIRST + 1);
        rates.push((p.name, 32 * played.words.len() as u64, cycles as u64));
    }
    (rates, lose)
}

fn row(name: &str, cores: u8) -> String {
    let scheme = Scheme::new(name, cores, 32, false);
    let programs = recorded(cores);
    let (all, mut first) = (programs.len(), None);
    for fifo_address_bits in 4..=8 {
        let (rates, lose) = play(&scheme, cores, &programs, fifo_address_bits);
        let first = *first.get_or_insert(lose);
        if lose > 0 && fifo_address_bits < 8 {
            continue;
        }
        if lose > 0 {
            return format!(
                "| `{name}` | {cores} | more than 256 | | {lose} of {all} lose with 256 | {first} of {all} |"
            );
        }
        let (bits, cycles) = rates.iter().fold((0, 0), |(b, c), r| (b + r.1, c + r.2));
        let rate = |r: &(&str, u64, u64)| r.1 as f64 / r.2 as f64;
        let worst = rates.iter().max_by(|a, b| rate(a).total_cmp(&rate(b))).expect("programs");
        return format!(
            "| `{name}` | {cores} | {} | {:.2} | {:.2} `{}` | {} |",
            1 << fifo_address_bits,
            bits as f64 / cycles as f64,
            rate(worst),
            worst.0,
            if first == 0 { "-".into() } else { format!("{first} of {all}") },
        );
    }
    unreachable!("the largest FIFO returns")
}
