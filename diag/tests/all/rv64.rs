//! Scripts on programs for RV64 print what the retire log says: on the host, and on a chip
//!
//! The expected numbers come from the retire log alone, by [`Walk`], which uses nothing of `diag`.

use diag::app::App;
use diag::layout::{layout, Cut, Layout};
use diag::order;
use diag::parse::parse;
use diag::plan::{fit, plan, Rates};
use diag::resolve::resolve;
use diag::runtime::{Key, Output, Sum};
use diag::session::{OnChip, Reference};
use diag::sink::{Format, Sink};
use diag::symbols::Symbols;
use object::{Object, ObjectSymbol};
use retire::elf::Program;
use retire::image::Image;
use retire::{DataEvent, DataKind, FlowEvent, FlowKind, RetireSink};
use sim::diag::chip::ChipParams;
use sim::diag::trigger::{GeneratorParams, Trigger};
use sim::riscv::{Limits, Machine, MachineConfig};
use std::collections::BTreeMap;

const HARTS: u8 = 2;

/// A program for RV64, and what it runs.
struct Case {
    elf: &'static [u8],
    instructions: u64,
}

fn case(name: &str, instructions: u64) -> Case {
    Case { elf: programs::RV64.iter().find(|p| p.name == name).unwrap().elf, instructions }
}

impl Case {
    fn run(&self, sink: &mut impl RetireSink) {
        let config = MachineConfig { harts: HARTS, ..MachineConfig::default() };
        let mut machine = Machine::new(&Program::parse(self.elf).unwrap(), config).unwrap();
        machine.run(sink, Limits { instructions: self.instructions, ..Limits::default() }).unwrap();
    }

    fn symbol(&self, name: &str) -> (u64, u64) {
        let elf = object::File::parse(self.elf).unwrap();
        let found = elf.symbols().find(|s| s.name() == Ok(name)).unwrap_or_else(|| panic!("no {name}"));
        (found.address(), found.size())
    }

    fn app(&self, script: &str, params: &ChipParams) -> Result<App, String> {
        let symbols = Symbols::parse(self.elf).unwrap();
        let app = parse(script).and_then(|items| resolve(&items, &symbols, params.clock_hz));
        let mut app = app.map_err(|m| m.in_script("x.dx", script).to_string())?;
        fit(&mut app, params, "x.dx", script).map_err(|e| e.to_string())?;
        order::require(&mut app, params);
        Ok(app)
    }

    /// What a script prints with everything on the host; then it prints the same on a chip, as planned and with all of it
    /// on the host.
    fn outputs(&self, script: &str) -> Vec<Output> {
        let generator = GeneratorParams { xlen: 64, ..GeneratorParams::FULL };
        let params = ChipParams { generator, link_bits: 10_000_000_000, ..ChipParams::new(HARTS) };
        let app = self.app(script, &params).unwrap_or_else(|e| panic!("{e}"));
        let image = || Image::new(&Program::parse(self.elf).unwrap());
        let host = layout(&app, &params.nodes, &Cut::host(&app)).unwrap();
        let mut reference = Reference::new(&app, &host, HARTS, image()).unwrap();
        self.run(&mut reference);
        reference.finish().unwrap();
        assert_eq!(reference.totals().lost(), 0, "{script}");
        let want = reference.runtime().take_outputs();
        let planned = plan(&app, &params, &Rates::assumed(&app, params.clock_hz)).unwrap().layout;
        let on_chip = |layout: &Layout| {
            let mut chip = OnChip::new(&app, layout, params.clone(), image()).unwrap();
            self.run(&mut chip);
            chip.finish().unwrap();
            assert_eq!(chip.totals().lost(), 0, "{script}");
            chip.runtime().take_outputs()
        };
        for layout in [host, planned] {
            assert_eq!(self.text(&on_chip(&layout)), self.text(&want), "{script}: {:?}", layout.cut);
        }
        want
    }

    fn text(&self, outputs: &[Output]) -> String {
        let (mut text, symbols) = (Vec::new(), Symbols::parse(self.elf).unwrap());
        let mut sink = Sink::new(&mut text, Format::Text, &symbols, 50_000_000).unwrap();
        outputs.iter().for_each(|o| sink.put(o).unwrap());
        String::from_utf8(text).unwrap()
    }

    /// The rows of the only table.
    fn rows(&self, script: &str) -> BTreeMap<Vec<i64>, Sum> {
        let outputs = self.outputs(script);
        let [Output::Table { rows, .. }] = outputs.as_slice() else { panic!("{script}: {outputs:?}") };
        let number = |k: &Key| match k {
            Key::Number(n) => *n,
            Key::Text(text) => panic!("{text} is not a number"),
        };
        rows.iter().map(|(key, sum)| (key.iter().map(number).collect(), sum.clone())).collect()
    }
}

/// What happens to a function and a variable.
struct Walk {
    function: (u64, u64),
    variable: (u64, u64),
    registers: Vec<[u64; 32]>,
    /// Calls that have not returned, by hart: return address, argument, and the cycle in which the function was entered.
    open: Vec<Vec<(u64, u64, Option<u64>)>>,
    /// Arguments of calls.
    calls: Vec<u64>,
    /// Of returns: the argument, the result, and the cycles since the entry.
    returns: Vec<(u64, u64, u64)>,
    /// Of accesses to the variable: whether it is a store, the address, the size and the value.
    accesses: Vec<(bool, u64, u8, u64)>,
}

impl Walk {
    fn new(case: &Case, function: &str, variable: &str) -> Self {
        let mut walk = Self {
            function: case.symbol(function),
            variable: case.symbol(variable),
            registers: vec![[0; 32]; HARTS.into()],
            open: vec![Vec::new(); HARTS.into()],
            calls: Vec::new(),
            returns: Vec::new(),
            accesses: Vec::new(),
        };
        case.run(&mut walk);
        walk
    }

    /// The first instruction of a called function retires.
    fn retires(&mut self, hart: u8, cycle: u64) {
        if let Some(last) = self.open[usize::from(hart)].last_mut() {
            last.2.get_or_insert(cycle);
        }
    }
}

impl RetireSink for Walk {
    const WANTS_DATA: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        self.retires(e.hart, e.cycle);
        let (registers, open) = (&self.registers[usize::from(e.hart)], &mut self.open[usize::from(e.hart)]);
        if e.target == self.function.0 && matches!(e.kind, FlowKind::Call | FlowKind::IndirectCall) {
            open.push((e.fall_through(), registers[10], None));
            self.calls.push(registers[10]);
        }
        let (start, size) = self.function;
        let inside = (start..start + size).contains(&e.pc);
        if e.kind == FlowKind::Return && inside && open.last().is_some_and(|o| o.0 == e.target) {
            let (_, arg, entered) = open.pop().unwrap();
            self.returns.push((arg, registers[10], e.cycle - entered.unwrap()));
        }
    }

    fn data(&mut self, d: &DataEvent) {
        self.retires(d.hart, d.cycle);
        let (start, size) = self.variable;
        let touched = |addr: u64, bytes: u8| addr < start + size.max(1) && addr + u64::from(bytes) > start;
        match d.kind {
            DataKind::Register { rd, value } => self.registers[usize::from(d.hart)][usize::from(rd)] = value,
            DataKind::Load { addr, size, value } if touched(addr, size) => {
                self.accesses.push((false, addr, size, value));
            }
            DataKind::Store { addr, size, value } if touched(addr, size) => {
                self.accesses.push((true, addr, size, value));
            }
            _ => {}
        }
    }
}

/// Numbers by key.
fn by<T>(all: impl Iterator<Item = (Vec<i64>, T)>) -> BTreeMap<Vec<i64>, Vec<T>> {
    let mut found: BTreeMap<Vec<i64>, Vec<T>> = BTreeMap::new();
    all.for_each(|(key, value)| found.entry(key).or_default().push(value));
    found
}

/// Compares the sums of a table with numbers by key.
fn same(rows: &BTreeMap<Vec<i64>, Sum>, want: &BTreeMap<Vec<i64>, Vec<i64>>, counts: bool) {
    assert!(!want.is_empty() && rows.keys().eq(want.keys()), "{rows:?}\n{want:?}");
    for (key, values) in want {
        let sum = &rows[key];
        assert_eq!(sum.count, values.len() as u64, "{key:?}");
        if !counts {
            let all = values.iter().map(|v| i128::from(*v)).sum::<i128>();
            assert_eq!((sum.sum, Some(&sum.maximum)), (all, values.iter().max()), "{key:?}");
        }
    }
}

#[test]
fn tables_have_the_keys_and_values_of_64_bits_that_the_retire_log_has() {
    let lockcont = case("lockcont", 400_000);
    let walk = Walk::new(&lockcont, "mutex_lock", "pool_used");
    let key = |arg: u64| vec![arg as i64];
    let want = by(walk.returns.iter().map(|r| (key(r.0), r.2 as i64)));
    same(&lockcont.rows("ret:mutex_lock { @[arg0] = sum(elapsed); }"), &want, false);
    same(&lockcont.rows("call:mutex_lock { @[arg0] = count(); }"), &by(walk.calls.iter().map(|a| (key(*a), 0))), true);
    // one word of an argument, which can be counted on the chip
    let lower = by(walk.calls.iter().map(|a| (vec![i64::from(*a as u32)], 0)));
    same(&lockcont.rows("call:mutex_lock { @[(uint32)arg0] = count(); }"), &lower, true);
    let stores = walk.accesses.iter().filter(|a| a.0);
    let want = by(stores.map(|a| (key(a.1), a.3 as i64)));
    same(&lockcont.rows("write:pool_used { @[addr] = sum(value); }"), &want, false);
}

#[test]
fn values_of_double_words_are_carried_in_full() {
    // pointers in memory, and floating-point numbers of 8 bytes
    let lists = case("lockcont", 400_000);
    let walk = Walk::new(&lists, "mutex_lock", "bucket");
    assert!(walk.accesses.iter().any(|a| a.2 == 8 && a.3 >> 31 != 0), "no double words");
    let want = by(walk.accesses.iter().map(|a| (vec![a.1 as i64, a.3 as i64], 0)));
    same(&lists.rows("access:bucket { @[addr, value] = count(); }"), &want, true);
    let want = by(walk.accesses.iter().filter(|a| !a.0).map(|a| (vec![(a.3 >> 3) as i64], 0)));
    same(&lists.rows("read:bucket { @[value >> 3] = count(); }"), &want, true);
}

#[test]
fn spans_and_machines_take_keys_of_64_bits() {
    let lockcont = case("lockcont", 400_000);
    let walk = Walk::new(&lockcont, "mutex_lock", "pool_used");
    // every call returns before the next one of the same lock by the same hart; a lock that is held is locked again by the
    // other hart only when it is free
    let script = "span held { from call:mutex_lock(arg0) to call:mutex_unlock(arg0) }
        span:held { @[key] = count(); }";
    let rows = lockcont.rows(script);
    let locks = by(walk.calls.iter().map(|a| (vec![*a as i64], 0)));
    assert!(!rows.is_empty() && rows.keys().all(|k| locks.contains_key(k)), "{rows:?}\n{locks:?}");
    let script = "machine m by arg0 { free: ret:mutex_lock -> taken; taken: call:mutex_unlock -> free; }
        violation:m { @[key] = count(); }";
    assert!(lockcont.outputs(script).iter().all(|o| matches!(o, Output::Table { rows, .. } if rows.is_empty())));
    // a machine that begins in the other state has one violation for each lock, the first time that it is taken
    let script = "machine m by arg0 { taken: call:mutex_unlock -> free; free: ret:mutex_lock -> taken; }
        violation:m { @[key] = count(); }";
    let once = by(walk.returns.iter().map(|r| (vec![r.0 as i64], 0))).into_keys().map(|k| (k, vec![0])).collect();
    same(&lockcont.rows(script), &once, true);
}

#[test]
fn more_words_than_an_event_carries_are_refused() {
    let params = ChipParams { generator: GeneratorParams { xlen: 64, ..GeneratorParams::FULL }, ..ChipParams::new(1) };
    let lockcont = case("lockcont", 0);
    let wrong = lockcont.app("call:mutex_lock { @[arg0, arg1, arg2] = count(); }", &params).unwrap_err();
    assert!(wrong.contains("this needs 6 words of call:mutex_lock; an event carries 5"), "{wrong}");
    assert!(lockcont.app("call:mutex_lock { @[arg0, arg1, (uint32)arg2] = count(); }", &params).is_ok());
}

#[test]
fn triggers_have_the_addresses_of_the_program() {
    let lockcont = case("lockcont", 1_000);
    let app = lockcont.app("call:mutex_lock { @ = count(); }", &ChipParams::new(1)).unwrap();
    assert_eq!((app.xlen(), app.uses[0].trigger), (64, Trigger::Pc(lockcont.symbol("mutex_lock").0)));
}
