//! `docs/stream-cache-results.md`: tables 1 and 2 and figures 3 and 4 of paper 001 on the test programs, with the
//! paper's values beside ours, time stamps, the hash measured, and the speed of the model
//!
//! `cargo run --release -p testbenches --example stream_cache > docs/stream-cache-results.md`

use programs::PROGRAMS;
use retire::{FlowEvent, FlowKind, RetireSink};
use sim::params::{named_set, Coding, NexusParams, TraceParams};
use sim::rv32::{Limits, Machine, MachineConfig};
use sim::scheme::sc_lsp::params::{ENTRIES, WAYS};
use sim::scheme::sc_lsp::{Hash, StreamCacheParams, Variant};
use sim::system::System;
use std::collections::HashMap;
use std::time::Instant;

/// Streams as the paper's table 1 counts them: of any length, ended by a taken branch, an indirect one or a trap.
#[derive(Default)]
struct Census {
    start: u64,
    length: u64,
    seen: HashMap<(u64, u64), u64>,
}

impl RetireSink for Census {
    fn event(&mut self, e: &FlowEvent) {
        self.length += u64::from(e.count);
        match e.kind {
            FlowKind::Conditional { taken: false }
            | FlowKind::Jump
            | FlowKind::Call
            | FlowKind::ConditionalIndirect { taken: false }
            | FlowKind::Gap { .. } => return,
            _ => {}
        }
        if self.length > 0 {
            *self.seen.entry((self.start, self.length)).or_default() += 1;
        }
        (self.start, self.length) = (e.target, 0);
    }
}

/// A row of table 1; averages are weighted by instructions, as the paper's.
#[derive(Clone, Copy, Default)]
struct Streams {
    instructions: f64,
    unique: f64,
    longest: f64,
    average: f64,
    most: f64,
}

impl Streams {
    fn new(census: &Census) -> Self {
        let mut counts: Vec<u64> = census.seen.values().copied().collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let all: u64 = counts.iter().sum();
        let instructions: u64 = census.seen.iter().map(|((_, length), n)| length * n).sum();
        let mut told = 0;
        // streams, the most frequent first, that make 90 % of those executed
        let most = counts.iter().take_while(|n| {
            let more = told * 10 < all * 9;
            told += **n;
            more
        });
        Self {
            instructions: instructions as f64,
            unique: counts.len() as f64,
            most: most.count() as f64,
            longest: census.seen.keys().map(|(_, length)| *length).max().unwrap_or(0) as f64,
            average: instructions as f64 / all as f64,
        }
    }

    fn weighted(rows: &[Self]) -> Self {
        let all: f64 = rows.iter().map(|r| r.instructions).sum();
        let of = |get: fn(&Self) -> f64| rows.iter().map(|r| get(r) * r.instructions).sum::<f64>() / all;
        Self {
            instructions: of(|r| r.instructions),
            unique: of(|r| r.unique),
            longest: of(|r| r.longest),
            average: of(|r| r.average),
            most: of(|r| r.most),
        }
    }

    fn print(&self, name: &str) {
        let Self { instructions, unique, longest, average, most } = self;
        println!("| {name} | {:.1} | {unique:.0} | {longest:.0} | {average:.1} | {most:.0} |", instructions / 1e6);
    }
}

/// Feeds one run to many models.
struct All(Vec<System>, Census);

impl RetireSink for All {
    fn event(&mut self, e: &FlowEvent) {
        self.1.event(e);
        for s in &mut self.0 {
            s.event(e);
            if s.bits() % (1 << 16) < 64 {
                s.drain();
            }
        }
    }
}

/// What one model made of one program.
#[derive(Clone, Copy, Default)]
struct Point {
    instructions: u64,
    bits: u64,
    streams: u64,
    cache_hits: u64,
    predicted: u64,
}

impl Point {
    fn bpi(&self) -> f64 {
        self.bits as f64 / self.instructions as f64
    }
}

fn configs() -> Vec<TraceParams> {
    let sc = |p| TraceParams::sc_lsp(p);
    let mut all = Vec::new();
    for variant in Variant::ALL {
        all.extend(ENTRIES.map(|n| sc(StreamCacheParams::new(variant, n / 4, 4))));
    }
    for ways in WAYS {
        all.extend(ENTRIES.map(|n| sc(StreamCacheParams::new(Variant::Base, n / u16::from(ways), ways))));
    }
    for hash in [Hash::Right, Hash::Left] {
        all.extend(
            (0..=6).map(|shift| sc(StreamCacheParams { hash, shift, ..StreamCacheParams::new(Variant::Rbase, 32, 4) })),
        );
    }
    all.extend(Variant::ALL.map(|v| sc(StreamCacheParams::new(v, 32, 4)).timed()));
    let m4 = named_set("m4").expect("a named set");
    let tr = TraceParams::tr(m4.params);
    all.push(tr);
    all.push(TraceParams::nexus(NexusParams::NxB(Coding::TR_B)));
    all
}

/// The programs of ours and of the paper that do the same work: table 2, BASE with 32 to 1024 entries.
const PAPER: [(&str, &str, [f64; 6]); 3] = [
    ("fft", "fft", [1.492, 1.007, 0.616, 0.354, 0.256, 0.219]),
    ("strsearch", "stringsearch", [1.369, 0.938, 0.472, 0.387, 0.401, 0.382]),
    ("**all**", "WAverage", [0.426, 0.272, 0.174, 0.142, 0.136, 0.135]),
];

/// What paper 001 says of figure 4 in its text: variant, entries, bits an instruction.
const FIGURE_4: [(Variant, u16, &str); 7] = [
    (Variant::Base, 32, "0.43"),
    (Variant::Base, 128, "0.174"),
    (Variant::Base, 512, "0.14"),
    (Variant::Ebase, 32, "0.35"),
    (Variant::Ebase, 128, "0.146"),
    (Variant::Ebase, 512, "0.11"),
    (Variant::Rbase, 128, "0.15"),
];

fn main() {
    let configs = configs();
    let mut rows: Vec<(&str, Vec<Point>)> = Vec::new();
    let mut census = Vec::new();
    for info in PROGRAMS {
        let program = info.load().expect("a checked-in program");
        let systems = configs.iter().map(|p| System::new(p).expect("legal parameters")).collect();
        let mut all = All(systems, Census::default());
        let mut machine = Machine::new(&program, MachineConfig::default()).expect("a program that fits");
        let summary = machine.run(&mut all, Limits::default()).expect("a program that ends");
        census.push((info.name, Streams::new(&all.1)));
        let points = all.0.iter_mut().map(|s| {
            s.finish(summary.cycles);
            let streams = s.streams();
            let c = streams.first().copied().unwrap_or_default();
            Point {
                instructions: summary.instructions.iter().sum(),
                bits: s.stats().bits,
                streams: c.streams,
                cache_hits: c.cache_hits,
                predicted: c.predicted,
            }
        });
        rows.push((info.name, points.collect()));
    }
    let total = |i: usize| {
        rows.iter().fold(Point::default(), |t, (_, p)| Point {
            instructions: t.instructions + p[i].instructions,
            bits: t.bits + p[i].bits,
            streams: t.streams + p[i].streams,
            cache_hits: t.cache_hits + p[i].cache_hits,
            predicted: t.predicted + p[i].predicted,
        })
    };
    let (tr, nx) = (configs.len() - 2, configs.len() - 1);
    let place = |p: StreamCacheParams, timestamps| {
        let want = |c: &TraceParams| c.stream_cache() == Some(p) && c.timestamps == timestamps;
        configs.iter().position(want).expect("a measured size")
    };
    let at = |p: StreamCacheParams| place(p, false);
    let four = |variant, n: u16| at(StreamCacheParams::new(variant, n / 4, 4));

    println!("# Stream caches on the test programs\n");
    println!("What `{COMMAND}` printed. All programs of `programs/bare`,");
    println!("whole, on one core, RV32IMAC; bits an instruction unless said otherwise. *Italic*: paper 001, which ran");
    println!("MiBench on ARM. What it means: [stream-cache.md](stream-cache.md#results).\n");

    println!("## Table 1: streams\n");
    println!(
        "| program | instructions, millions | unique streams | longest | average length | streams that are 90 % |"
    );
    println!("| --- | {}", "---: | ".repeat(5).trim_end());
    census.iter().for_each(|(name, c)| c.print(name));
    Streams::weighted(&census.iter().map(|c| c.1).collect::<Vec<_>>()).print("**average, weighted**");
    println!("| *fft* | *631* | *846* | *94* | *10.5* | *209* |");
    println!("| *stringsearch* | *4* | *436* | *65* | *6.0* | *48* |");
    println!("| *average, weighted* | *816* | *1791* | *145* | *21.6* | *77.8* |");

    println!("\n## Table 2: BASE by entries, 4 ways\n");
    println!("| program | 32 | 64 | 128 | 256 | 512 | 1024 |");
    println!("| --- | {}", "---: | ".repeat(6).trim_end());
    let line = |name: &str, get: &dyn Fn(usize) -> Point| {
        let cells: Vec<String> = ENTRIES.map(|n| format!("{:.3}", get(four(Variant::Base, n)).bpi())).to_vec();
        println!("| {name} | {} |", cells.join(" | "));
        for (_, theirs, values) in PAPER.iter().filter(|p| p.0 == name) {
            println!("| *{theirs}* | {} |", values.map(|v| format!("*{v:.3}*")).join(" | "));
        }
    };
    rows.iter().for_each(|(name, points)| line(name, &|i| points[i]));
    line("**all**", &total);

    println!("\n## Figure 4: the three variants by entries, 4 ways, all programs\n");
    println!("| entries | BASE | eBASE | rBASE |");
    println!("| ---: | {}", "---: | ".repeat(3).trim_end());
    for n in ENTRIES {
        let cells = Variant::ALL.map(|v| {
            let theirs = FIGURE_4.iter().find(|f| (f.0, f.1) == (v, n)).map(|f| format!(", *{}*", f.2));
            format!("{:.3}{}", total(four(v, n)).bpi(), theirs.unwrap_or_default())
        });
        println!("| {n} | {} |", cells.join(" | "));
    }

    println!("\n## Figure 3: BASE by ways, all programs\n");
    println!("| entries | 1 way | 2 ways | 4 ways | 8 ways |");
    println!("| ---: | {}", "---: | ".repeat(4).trim_end());
    for n in ENTRIES {
        let cells =
            WAYS.map(|w| format!("{:.3}", total(at(StreamCacheParams::new(Variant::Base, n / u16::from(w), w))).bpi()));
        println!("| {n} | {} |", cells.join(" | "));
    }

    println!("\n## 32x4 beside the other schemes\n");
    println!("The last three with time stamps, on one core.\n");
    println!(
        "| program | hit rate SC | hit rate LSP | BASE | eBASE | rBASE | tr_e m4 | nx_b | tBASE | teBASE | trBASE |"
    );
    println!("| --- | {}", "---: | ".repeat(10).trim_end());
    let line = |name: &str, get: &dyn Fn(usize) -> Point| {
        let c = get(four(Variant::Rbase, 128));
        let rate = |n| 100.0 * n as f64 / c.streams as f64;
        let mut cells = vec![format!("{:.2} %", rate(c.cache_hits)), format!("{:.2} %", rate(c.predicted))];
        let mut at = Variant::ALL.map(|v| four(v, 128)).to_vec();
        at.extend([tr, nx]);
        at.extend(Variant::ALL.map(|v| place(StreamCacheParams::new(v, 32, 4), true)));
        cells.extend(at.into_iter().map(|i| format!("{:.3}", get(i).bpi())));
        println!("| {name} | {} |", cells.join(" | "));
    };
    rows.iter().for_each(|(name, points)| line(name, &|i| points[i]));
    line("**all**", &total);

    println!("\n## Direction and shift of the hash, rBASE 32x4, all programs\n");
    println!("| shift | {} |", (0..=6).map(|s| s.to_string()).collect::<Vec<_>>().join(" | "));
    println!("| --- | {}", "---: | ".repeat(7).trim_end());
    for (hash, name) in [(Hash::Right, "right"), (Hash::Left, "left, as printed")] {
        let base = StreamCacheParams::new(Variant::Rbase, 32, 4);
        let cells: Vec<String> =
            (0..=6).map(|shift| format!("{:.4}", total(at(StreamCacheParams { hash, shift, ..base })).bpi())).collect();
        println!("| {name} | {} |", cells.join(" | "));
    }
    println!("\n## Speed of the model\n");
    speed();
}

/// How this is run.
const COMMAND: &str = "cargo run --release -p testbenches --example stream_cache";

/// Streams a second of the model alone, on a recorded run.
fn speed() {
    let program = programs::load("vm").expect("a checked-in program");
    let mut events: Vec<FlowEvent> = Vec::new();
    let mut machine = Machine::new(&program, MachineConfig::default()).expect("a program that fits");
    let limits = Limits { instructions: 10_000_000, ..Limits::default() };
    machine.run(&mut events, limits).expect("a program that runs");
    println!("One run of `vm`, on the machine the tables were made on.\n");
    println!("| 32x4 | streams/s, millions | events/s, millions | instructions/s, millions |");
    println!("| --- | {}", "---: | ".repeat(3).trim_end());
    for variant in Variant::ALL {
        let mut system = System::new(&TraceParams::sc_lsp(StreamCacheParams::new(variant, 32, 4))).expect("legal");
        let begin = Instant::now();
        for e in &events {
            system.event(e);
        }
        let seconds = begin.elapsed().as_secs_f64();
        let streams: u64 = system.streams().iter().map(|c| c.streams).sum();
        let rate = |n: f64| format!("{:.0}", n / seconds / 1e6);
        let cells = [streams as f64, events.len() as f64, 1e7].map(rate).join(" | ");
        println!("| {} | {cells} |", variant.name());
    }
}
