//! The scripts of the reference page print what it shows, and that is what the retire log says
//!
//! The expected outputs come from the retire log alone, by [`Walk`], which uses nothing of `diag`.

use diag::layout::{layout, Cut};
use diag::order;
use diag::parse::parse;
use diag::plan::{plan, Rates};
use diag::resolve::resolve;
use diag::runtime::Output;
use diag::session::{OnChip, Reference};
use diag::sink::{Format, Sink};
use diag::symbols::Symbols;
use object::{Object, ObjectSymbol};
use retire::image::Image;
use retire::{DataEvent, DataKind, FlowEvent, FlowKind, RetireSink};
use sim::diag::chip::ChipParams;
use sim::riscv::{Limits, Machine, MachineConfig};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

const HZ: u64 = 50_000_000;

/// Something that happened, in the order of time and core.
#[derive(Clone, Copy, Debug, PartialEq)]
enum What {
    Enter {
        args: [i64; 2],
    },
    /// Argument at the entry, result, and cycles since the entry.
    Leave {
        arg: i64,
        result: i64,
        clocks: i64,
    },
    Load,
    Store {
        value: i64,
    },
}

#[derive(Clone, Copy, Debug)]
struct Happened {
    cycle: u64,
    core: i64,
    /// Name of the function or variable.
    name: &'static str,
    what: What,
}

/// A call that has not returned.
#[derive(Clone, Copy, Debug)]
struct Open {
    name: &'static str,
    args: [i64; 2],
    back: u64,
    cycle: u64,
    /// A jump at the end of the function before it, which returns with it.
    jumped: bool,
}

#[derive(Clone, Debug, Default)]
struct Hart {
    registers: [i64; 32],
    /// A call whose first instruction has not retired.
    called: Option<Open>,
    open: Vec<Open>,
}

/// What happens to some functions and variables.
struct Walk {
    functions: Vec<(Range<u64>, &'static str)>,
    variables: Vec<(Range<u64>, &'static str)>,
    harts: Vec<Hart>,
    all: Vec<Happened>,
    end: u64,
}

impl Walk {
    fn new(program: &str, functions: &[&'static str], variables: &[&'static str]) -> Self {
        let elf = object::File::parse(programs::find(program).unwrap().elf).unwrap();
        let find = |name: &str| {
            let symbol = elf.symbols().find(|s| s.name() == Ok(name)).unwrap_or_else(|| panic!("no {name}"));
            symbol.address()..symbol.address() + symbol.size()
        };
        Self {
            functions: functions.iter().map(|n| (find(n), *n)).collect(),
            variables: variables.iter().map(|n| (find(n), *n)).collect(),
            harts: vec![Hart::default(); 8],
            all: Vec::new(),
            end: 0,
        }
    }

    /// An instruction of a hart retires: the first one of a function is its entry.
    fn retires(&mut self, hart: u8, cycle: u64) {
        self.end = self.end.max(cycle);
        let state = &mut self.harts[usize::from(hart)];
        if let Some(open) = state.called.take() {
            state.open.push(Open { cycle, ..open });
            let what = What::Enter { args: open.args };
            self.all.push(Happened { cycle, core: hart.into(), name: open.name, what });
        }
    }
}

impl RetireSink for Walk {
    const WANTS_DATA: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        self.retires(e.hart, e.cycle);
        let (state, core) = (&mut self.harts[usize::from(e.hart)], e.hart.into());
        // a call at the end of a function is a jump to another function, which returns to the caller of the first
        let called = self.functions.iter().find(|f| f.0.start == e.target && !f.0.contains(&e.pc));
        if let Some((_, name)) = called.filter(|_| e.kind != FlowKind::Return) {
            let args = [state.registers[10], state.registers[11]];
            let calls = matches!(e.kind, FlowKind::Call | FlowKind::IndirectCall);
            let back = if calls { e.fall_through() } else { state.registers[1] as u64 };
            state.called = Some(Open { name, args, back, cycle: 0, jumped: !calls });
        }
        let mut returns = e.kind == FlowKind::Return;
        while returns && state.open.last().is_some_and(|o| o.back == e.target) {
            let Some(Open { name, args, cycle, jumped, .. }) = state.open.pop() else { break };
            let what = What::Leave { arg: args[0], result: state.registers[10], clocks: (e.cycle - cycle) as i64 };
            self.all.push(Happened { cycle: e.cycle, core, name, what });
            returns = jumped;
        }
    }

    fn data(&mut self, d: &DataEvent) {
        self.retires(d.hart, d.cycle);
        let touched = |addr: u64, size: u8| {
            let overlaps = |v: &&(Range<u64>, _)| addr < v.0.end && addr + u64::from(size) > v.0.start;
            self.variables.iter().find(overlaps).map(|v| v.1)
        };
        let (what, name) = match d.kind {
            DataKind::Register { rd, value } => {
                self.harts[usize::from(d.hart)].registers[usize::from(rd)] = value as i64;
                return;
            }
            DataKind::Load { addr, size, .. } => (What::Load, touched(addr, size)),
            DataKind::Store { addr, size, value } => (What::Store { value: value as i64 }, touched(addr, size)),
            _ => return,
        };
        self.all.extend(name.map(|name| Happened { cycle: d.cycle, core: d.hart.into(), name, what }));
    }
}

/// Rows of a table: numbers by key.
type Rows<T> = BTreeMap<Vec<i64>, Vec<T>>;

/// A table as lines, with columns made of the values of each key.
fn table<T>(head: &str, rows: &Rows<T>, columns: impl Fn(&[T]) -> String) -> String {
    let line = |(key, values): (&Vec<i64>, &Vec<T>)| {
        let key = key.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        format!("{key} {}\n", columns(values))
    };
    format!("{head}\n{}", rows.iter().map(line).collect::<String>())
}

fn stats(values: &[i64]) -> String {
    let (sum, n) = (values.iter().sum::<i64>(), values.len());
    let (least, most) = (values.iter().min().unwrap(), values.iter().max().unwrap());
    format!("{n} {sum} {:.2} {least} {most}", sum as f64 / n as f64)
}

fn count<T>(values: &[T]) -> String {
    values.len().to_string()
}

/// A histogram without keys; `bucket`: least value and end of the bucket of a value.
fn histogram(head: &str, values: &[i64], bucket: impl Fn(i64) -> (i64, String)) -> String {
    let mut buckets: BTreeMap<i64, (String, u64)> = BTreeMap::new();
    for value in values {
        let (least, name) = bucket(*value);
        buckets.entry(least).or_insert((name, 0)).1 += 1;
    }
    let lines: String = buckets.values().map(|(name, n)| format!("{name} {n}\n")).collect();
    format!("{head}\n{}\n{lines}", values.len())
}

/// What a section's script prints of what happened, by its heading; white space and bars are not compared.
fn expected(title: &str, walk: &Walk) -> String {
    let mut all = walk.all.clone();
    all.sort_by_key(|h| (h.cycle, h.core));
    let enters = |name: &'static str| {
        let args = move |h: &Happened| match h.what {
            What::Enter { args } if h.name == name => Some((h.core, args, h.cycle)),
            _ => None,
        };
        all.iter().filter_map(args)
    };
    let leaves = |name: &'static str| {
        let fields = move |h: &Happened| match h.what {
            What::Leave { arg, result, clocks } if h.name == name => Some((h.core, arg, result, clocks)),
            _ => None,
        };
        all.iter().filter_map(fields)
    };
    let mut stores =
        all.iter().filter_map(|h| if let What::Store { value } = h.what { Some((h.core, value)) } else { None });
    fn rows<T>(found: impl Iterator<Item = (Vec<i64>, T)>) -> Rows<T> {
        let mut rows = Rows::new();
        found.for_each(|(key, value)| rows.entry(key).or_insert_with(Vec::new).push(value));
        rows
    }
    match title {
        "Calls of each core" => table("@calls count", &rows(enters("get_balance").map(|e| (vec![e.0], ()))), count),
        "Calls by two keys" => {
            table("@calls count", &rows(enters("set_balance").map(|e| (vec![e.1[0], e.0], ()))), count)
        }
        "Values that are stored" => {
            table("@stored count sum avg min max", &rows(stores.map(|s| (vec![s.0], s.1))), stats)
        }
        "Loads of a variable" => {
            let loads = all.iter().filter(|h| h.what == What::Load);
            table("@loads count", &rows(loads.map(|h| (vec![h.core], ()))), count)
        }
        "The last value" => format!("@last value\n{}\n", stores.next_back().unwrap().1),
        "What a function returns" => {
            let values: Vec<i64> = leaves("get_balance").map(|l| l.2).collect();
            format!("@balance count sum avg min max\n{}\n", stats(&values))
        }
        "Time in a function" => {
            table("@wait count sum avg min max", &rows(leaves("mutex_lock").map(|l| (vec![l.0], l.3))), stats)
        }
        "Distribution of a time" => {
            let values: Vec<i64> = leaves("archive").map(|l| l.3).collect();
            histogram("@clocks count", &values, |v| {
                let mut size = 1;
                while v / size >= 8 {
                    size *= 2;
                }
                let least = v / size * size;
                (least, format!("[{least}, {})", least + size))
            })
        }
        "Buckets of one size" => {
            let values: Vec<i64> = leaves("mutex_lock").map(|l| l.3).collect();
            histogram("@wait count", &values, |v| match v {
                0..200 => (v / 50 * 50, format!("[{}, {})", v / 50 * 50, v / 50 * 50 + 50)),
                _ => (200, "[200, ..)".into()),
            })
        }
        "A predicate" => {
            let big = enters("set_balance").filter(|e| e.1[1] > 999_000 && e.1[0] != 2);
            table("@big max", &rows(big.map(|e| (vec![e.1[0]], e.1[1]))), |v| v.iter().max().unwrap().to_string())
        }
        "Two cases" => {
            let half = |odd| {
                let found = enters("set_balance").filter(move |e| (e.1[1] % 2 == 1) == odd);
                rows(found.map(|e| (vec![e.1[0]], ())))
            };
            table("@odd count", &half(true), count) + &table("@even count", &half(false), count)
        }
        "A text as a key" => {
            let (mut above, mut below) = (0, 0);
            leaves("get_balance").for_each(|l| *(if l.2 > 999_000 { &mut above } else { &mut below }) += 1);
            format!("@calls count\nhigh {above}\nlow {below}\n")
        }
        "How long a lock is held" => {
            let (mut since, mut held) = (BTreeMap::new(), Vec::new());
            for h in &all {
                match h.what {
                    What::Leave { arg, .. } if h.name == "mutex_lock" => drop(since.insert(arg, h.cycle)),
                    What::Enter { args } if h.name == "mutex_unlock" => {
                        held.extend(since.remove(&args[0]).map(|from| (h.cycle - from) as i64));
                    }
                    _ => {}
                }
            }
            format!("@held count sum avg min max\n{}\n", stats(&held))
        }
        "A transaction of one owner" => {
            let (mut owner, mut races) = (None, Vec::new());
            for h in &all {
                let race = match h.what {
                    What::Enter { args } if h.name == "get_balance" => {
                        let before = owner.replace(args[0]);
                        before.filter(|b| *b != args[0]).map(|b| (vec![args[0], b], ()))
                    }
                    _ => None,
                };
                races.extend(race);
                if let (What::Leave { arg, .. }, "set_balance") = (h.what, h.name) {
                    if owner == Some(arg) {
                        owner = None;
                    }
                }
            }
            table("@races count", &rows(races.into_iter()), count)
        }
        "A rate" => {
            let period = HZ / 100;
            let calls: Vec<u64> = enters("archive").map(|e| e.2).collect();
            (1..=walk.end / period)
                .map(|tick| {
                    let n = calls.iter().filter(|c| ((tick - 1) * period..tick * period).contains(*c)).count();
                    let row = if n > 0 { format!("{n}\n") } else { String::new() };
                    format!("clock {}\n@chunks count\n{row}", tick * period)
                })
                .collect()
        }
        _ => panic!("{title} is not expected"),
    }
}

/// A section of the page.
struct Section {
    title: String,
    script: String,
    program: String,
    harts: u8,
    output: String,
}

fn sections() -> Vec<Section> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/diagnosis-scripts.md");
    let page = std::fs::read_to_string(path).unwrap();
    let section = |text: &str| {
        let parts: Vec<&str> = text.split("```").collect();
        let [head, script, place, output, _] = parts[..] else { panic!("{text}") };
        let block = |text: &str| text.strip_prefix("text\n").unwrap().to_string();
        let (program, harts) = place.trim().strip_prefix("`builtin:").unwrap().split_once("`, ").unwrap();
        Section {
            title: head.lines().next().unwrap().into(),
            script: block(script),
            program: program.into(),
            harts: harts.split(' ').next().unwrap().parse().unwrap(),
            output: block(output),
        }
    };
    page.split("\n## ").skip(1).map(section).collect()
}

/// Words of each line, without bars.
fn words(text: &str) -> String {
    let line = |l: &str| l.split_whitespace().filter(|w| !w.starts_with('#')).collect::<Vec<_>>().join(" ");
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn scripts_of_the_page_print_what_the_retire_log_says() {
    let sections = sections();
    assert_eq!(sections.len(), 15);
    let mut logs: BTreeMap<(String, u8), Walk> = BTreeMap::new();
    for Section { title, script, program, harts, output } in &sections {
        let elf = programs::find(program).unwrap().elf;
        let (symbols, image) = (Symbols::parse(elf).unwrap(), Image::new(&programs::load(program).unwrap()));
        let params = ChipParams { link_bits: 1_000_000_000, ..ChipParams::new(*harts) };
        let mut app =
            parse(script).and_then(|items| resolve(&items, &symbols, HZ)).unwrap_or_else(|e| panic!("{title}: {e:?}"));
        order::require(&mut app, &params);
        let run = |sink: &mut dyn FnMut(&mut Machine)| {
            let config = MachineConfig { harts: *harts, ..MachineConfig::default() };
            sink(&mut Machine::new(&programs::load(program).unwrap(), config).unwrap());
        };
        let text = |outputs: &[Output]| {
            let mut text = Vec::new();
            let mut sink = Sink::new(&mut text, Format::Text, &symbols, HZ).unwrap();
            outputs.iter().for_each(|o| sink.put(o).unwrap());
            String::from_utf8(text).unwrap()
        };
        let host = layout(&app, &params.nodes, &Cut::host(&app)).unwrap();
        let mut reference = Reference::new(&app, &host, *harts, image.clone()).unwrap();
        run(&mut |m| drop(m.run(&mut reference, Limits::default()).unwrap()));
        reference.finish().unwrap();
        assert_eq!(text(&reference.runtime().take_outputs()), *output, "{title}");
        let planned = plan(&app, &params, &Rates::assumed(&app, HZ)).unwrap().layout;
        let mut chip = OnChip::new(&app, &planned, params, image).unwrap();
        run(&mut |m| drop(m.run(&mut chip, Limits::default()).unwrap()));
        chip.finish().unwrap();
        assert_eq!(text(&chip.runtime().take_outputs()), *output, "{title}, on the chip");
        let walk = logs.entry((program.clone(), *harts)).or_insert_with(|| {
            let mut walk = match program.as_str() {
                "bank" => Walk::new("bank", &["get_balance", "set_balance"], &["balance"]),
                _ => Walk::new("lockcont", &["mutex_lock", "mutex_unlock", "archive"], &[]),
            };
            run(&mut |m| drop(m.run(&mut walk, Limits::default()).unwrap()));
            walk
        });
        assert_eq!(words(output), words(&expected(title, walk)), "{title}");
    }
}
