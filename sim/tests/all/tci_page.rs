//! The tables of registers in `docs/reference/tci.md` are those of the lists from which the circuits are made

use sim::regs::RegAccess;
use sim::tci::map::{Field, Reg, REGS};
use sim::tci::{atb_map, funnel_map, memory_map, pib_map, ram_map, Facts, Protocol};
use std::path::Path;

/// The options that add a field, each with a system that has nothing else.
fn options() -> [(&'static str, Facts); 8] {
    let none = Facts { cores: 1, ..Facts::default() };
    let timed = Facts { protocol: Protocol { time_bits: 32, ..Protocol::ntrace(0, 0) }, ..none };
    [
        ("--sync", Facts { sync: true, ..none }),
        ("--stall", Facts { stall: true, ..none }),
        ("--filter", Facts { filter: true, ..none }),
        ("--check", Facts { check: true, ..none }),
        ("--timestamps", timed),
        ("--timestamps --ingress etrace", Facts { debug: true, ..timed }),
        ("--timestamps", Facts { funnel: 2, ..timed }),
        ("--timestamps --ingress etrace", Facts { funnel: 2, debug: true, ..timed }),
    ]
}

fn access(f: &Field) -> String {
    let text = match f.access {
        RegAccess::Ro => return "read only".into(),
        RegAccess::Rw => "read, write",
        RegAccess::W1c => "write 1 to clear",
        RegAccess::Once => "write 1",
        RegAccess::ReadNext => "read only, a read advances",
    };
    let without = Facts { cores: 1, ..Facts::default() };
    match options().iter().find(|(_, with)| f.access_in(&without) != f.access_in(with)) {
        Some((option, _)) => format!("{text}; with `{option}`"),
        None => text.into(),
    }
}

fn table(registers: &[Reg]) -> String {
    let mut s = String::from("| offset | bits | field | access | meaning |\n| --- | ---: | --- | --- | --- |\n");
    for r in registers {
        s += &format!("| 0x{:03x} | | `{}` | | {} |\n", r.offset, r.name, r.doc);
        for f in r.fields {
            let bits = if f.bits == 1 { f.lsb.to_string() } else { format!("{}:{}", f.lsb + f.bits - 1, f.lsb) };
            s += &format!("| | {bits} | `{}` | {} | {} |\n", f.name, access(f), f.doc);
        }
    }
    s
}

#[test]
fn the_page_has_the_tables_of_the_lists() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/tci.md");
    let page = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    for registers in [REGS, ram_map::REGS, memory_map::REGS, atb_map::REGS, pib_map::REGS, funnel_map::REGS] {
        let table = table(registers);
        assert!(page.contains(&table), "a table must be\n{table}");
    }
}
