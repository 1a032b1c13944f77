//! Option table: every pair of options is refused for a reason, or has the effect of both
//!
//! Combinations without a circuit are listed here independently ([`impossible`]), as a cross-check of the table.

use hdl::options::SystemOf;
use options::page::page;
use options::table::OPTIONS;
use options::{GivenOptions, ValueKind};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{LazyLock, Mutex};
use std::thread::{available_parallelism, scope};

type Value = (&'static str, String);

fn given(values: &[&Value]) -> GivenOptions {
    values.iter().fold(GivenOptions::default(), |given, (name, value)| given.with(name, value))
}

fn base(words: &[(&str, &str)]) -> GivenOptions {
    words.iter().fold(GivenOptions::default(), |given, (name, value)| given.with(name, value))
}

/// Every option with every value other than its default.
fn values() -> Vec<Value> {
    let of = |o: &'static options::Opt| {
        let test_values =
            o.takes.test_values().into_iter().filter(|v| matches!(o.takes, ValueKind::Switch) || v != o.default);
        test_values.map(|v| (o.name, v))
    };
    OPTIONS.iter().flat_map(of).collect()
}

/// The error message of the command line, if any.
fn refusal(given: &GivenOptions) -> Option<String> {
    let said = given.check_values().and_then(|()| given.scheme());
    said.and_then(|name| given.check(&name, true)).err()
}

/// Verilog without comments and without the fingerprint of the parameters: only the circuit.
fn circuit(given: &GivenOptions) -> Result<String, String> {
    let system = given.system().map_err(|e| e.to_string())?;
    system.circuit.check(&system.options).map_err(|e| e.to_string())?;
    let text = system.circuit.verilog(&system.options, &system.style, system.buses).map_err(|e| e.to_string())?;
    let number = system.circuit.fingerprint();
    Ok(text.replace(&format!("{number:08x}"), "FINGERPRINT").replace(&format!("{number:x}"), "FINGERPRINT"))
}

/// A cache of circuits, by their system.
#[derive(Default)]
struct CircuitCache(Mutex<BTreeMap<String, Result<u64, String>>>);

impl CircuitCache {
    fn of(&self, given: &GivenOptions) -> Result<u64, String> {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let system = given.system().map_err(|e| e.to_string())?;
        let key = format!("{} {:?} {:?} {:?}", system.circuit.canonical(), system.options, system.buses, system.style);
        if let Some(found) = self.0.lock().unwrap().get(&key) {
            return found.clone();
        }
        let made = circuit(given).map(|text| {
            let mut hasher = DefaultHasher::new();
            text.hash(&mut hasher);
            hasher.finish()
        });
        self.0.lock().unwrap().insert(key, made.clone());
        made
    }
}

/// Circuits of all tests: many are in several.
static CIRCUITS: LazyLock<CircuitCache> = LazyLock::new(CircuitCache::default);

/// Whether there is no circuit, or none that does what the options say.
fn impossible(g: &GivenOptions) -> bool {
    let is = |name: &str, values: &[&str]| values.contains(&g.value(name));
    let scheme = g.scheme_name();
    let data = scheme.starts_with("inputs") || scheme.starts_with("cfiat");
    let (rvfi, blocks, chain) =
        (is("ingress", &["rvfi"]), is("ingress", &["etrace-blocks"]), is("ingress", &["pc-chain"]));
    let several = blocks || !is("retire", &["1"]);
    let lanes: u32 = g.value("retire").parse::<u32>().unwrap() << u32::from(blocks);
    let fifo: u32 = g.value("fifo").parse().unwrap();
    let targets = !(scheme == "nx_b" || scheme.contains("s0"));
    let deep = match lanes {
        1 => 16,
        2 => 32,
        _ => 64,
    };
    data && (is("xlen", &["64"]) || fifo < 16 || g.has("lock"))
        || !data
            && (!rvfi && !blocks && !is("retire", &["1"])
                || blocks && (is("retire", &["4"]) || is("retire", &["2"]) && is("retire-queue", &["16"]))
                || is("itype", &["3"]) && (!blocks || targets)
                || g.has("check") && !rvfi
                || chain && (g.has("filter") || g.has("context"))
                || g.has("registered-ports") && (!rvfi || several || g.has("filter") || g.has("context"))
                || g.has("stall") && (fifo < deep || several && is("retire-queue", &["4"])))
        || is("align", &["0"])
        || is("port", &["jtag"]) && !is("bus", &["jtag"])
        || !is("writes", &["any"]) && !is("bus", &["apb", "axi-lite"])
        || is("port", &["sram"]) && !is("control", &["tci"])
        || is("control", &["tci"]) && (data || is("bus", &["jtag"]) || g.has("lock"))
        || g.has("port-clock") && is("port", &["axi4-memory", "jtag", "sram"])
}

/// Whether a pair is accepted, and what is wrong with that.
fn check_pair(made: &CircuitCache, a: &Value, b: &Value) -> (bool, Option<String>) {
    let both = given(&[a, b]);
    let found = made.of(&both);
    let alone = [a, b].map(|x| made.of(&given(&[x])));
    match refusal(&both) {
        Some(text) => {
            let names = |x: &Value| text.contains(&format!("--{}", x.0));
            let reason = found.is_err() || impossible(&both) || alone.contains(&found);
            let wrong = match (names(a) || names(b), reason) {
                (false, _) => Some(format!("{a:?} {b:?}: refused without a name: {text}")),
                (true, false) => Some(format!("{a:?} {b:?}: refused without a reason: {text}")),
                (true, true) => None,
            };
            (false, wrong)
        }
        None => {
            let implied = |x: &Value, y: &Value| options::find(x.0).implies.contains(&y.0);
            let wrong = match (&found, a == b) {
                (Err(e), _) => Some(format!("{a:?} {b:?}: accepted, but {e}")),
                (_, true) if made.of(&GivenOptions::default()) == found => Some(format!("{a:?}: has no effect")),
                (_, true) => None,
                (_, false) if alone[0] == found && !implied(a, b) => Some(format!("{b:?} has no effect with {a:?}")),
                (_, false) if alone[1] == found && !implied(b, a) => Some(format!("{a:?} has no effect with {b:?}")),
                (_, false) => None,
            };
            (true, wrong)
        }
    }
}

#[test]
fn every_pair_of_options_is_refused_for_a_reason_or_has_the_effect_of_both() {
    let (all, made) = (values(), &*CIRCUITS);
    let pairs: Vec<(&Value, &Value)> = (0..all.len())
        .flat_map(|i| all[i..].iter().map(|b| (&all[i], b)).collect::<Vec<_>>())
        .filter(|(a, b)| a == b || a.0 != b.0)
        .collect();
    let (next, wrong, accepted) = (Mutex::new(pairs.iter()), Mutex::new(BTreeSet::new()), Mutex::new(0));
    scope(|s| {
        for _ in 0..available_parallelism().map_or(1, usize::from) {
            s.spawn(|| loop {
                let pair = next.lock().unwrap().next();
                let Some((a, b)) = pair else { break };
                let (ok, text) = check_pair(made, a, b);
                *accepted.lock().unwrap() += usize::from(ok);
                wrong.lock().unwrap().extend(text);
            });
        }
    });
    let (wrong, accepted) = (wrong.into_inner().unwrap(), accepted.into_inner().unwrap());
    println!("{} pairs: {accepted} accepted, {} refused", pairs.len(), pairs.len() - accepted);
    assert!(wrong.is_empty(), "{} of {} pairs are wrong:\n{}", wrong.len(), pairs.len(), {
        wrong.into_iter().collect::<Vec<_>>().join("\n")
    });
    assert!(accepted > 500 && pairs.len() - accepted > 500, "{accepted} of {}", pairs.len());
}

#[test]
fn every_value_has_an_effect_somewhere() {
    let made = &*CIRCUITS;
    let bases = [
        base(&[]),
        base(&[("scheme", "sc-lsp"), ("ways", "8"), ("sets", "16")]),
        base(&[("scheme", "sc-lsp"), ("ways", "1"), ("sets", "64")]),
        base(&[("scheme", "sc-lsp")]),
        base(&[("ingress", "etrace-blocks"), ("set", "s0"), ("timestamps", "")]),
        base(&[("xlen", "64")]),
        base(&[("bus", "apb")]),
        base(&[("bus", "jtag")]),
        base(&[("control", "tci")]),
        base(&[("control", "tci"), ("port", "sram")]),
        base(&[("scheme", "ntrace"), ("cores", "2"), ("control", "tci")]),
        base(&[("scheme", "inputs")]),
    ];
    for (name, value) in values() {
        let effect = bases.iter().any(|base| {
            let with = base.clone().with(name, &value);
            refusal(&with).is_none() && made.of(&with).is_ok_and(|found| Ok(found) != made.of(base))
        });
        assert!(effect || (name, value.as_str()) == ("align", "0"), "--{name} {value} has no effect anywhere");
    }
}

#[test]
fn refusals_are_in_the_words_of_the_command_line() {
    let say = |words: &[(&str, &str)]| refusal(&base(words)).unwrap_or_default();
    insta::assert_snapshot!([
        say(&[("retire-queue", "16")]),
        say(&[("stall", ""), ("fifo", "8")]),
        say(&[("stall", ""), ("retire", "2")]),
        say(&[("stall", ""), ("retire", "2"), ("fifo", "16")]),
        say(&[("upper-bits", "12"), ("encoding", "nx_b")]),
        say(&[("count-bits", "16"), ("scheme", "inputs")]),
        say(&[("check", ""), ("ingress", "etrace")]),
        say(&[("registered-ports", ""), ("filter-range", "")]),
        say(&[("itype", "3"), ("ingress", "etrace-blocks")]),
        say(&[("sets", "64")]),
        say(&[("set", "small"), ("scheme", "tr_e:small")]),
        say(&[("count-bits", "16"), ("scheme", "tr_e:small+count18")]),
        say(&[("context", "4"), ("scheme", "sc-lsp")]),
        say(&[("ram", "0+4096")]),
        say(&[("align", "0")]),
        say(&[("control", "tci"), ("scheme", "cfiat")]),
        say(&[("control", "tci"), ("bus", "jtag")]),
        say(&[("control", "tci"), ("lock", "")]),
        say(&[("port", "sram")]),
        say(&[("control", "tci"), ("port", "sram"), ("port-clock", "")]),
        say(&[("control", "tci"), ("sram-size", "1024")]),
    ]
    .join("\n"));
}

#[test]
fn the_reference_page_is_that_of_the_table() {
    let stored = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/options.md"))
        .unwrap_or_default();
    assert!(stored == page(), "run `cargo run --release -p hdl --example options > docs/reference/options.md`");
}
