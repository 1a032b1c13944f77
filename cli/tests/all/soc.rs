//! `goshawk soc build`: its outputs, and what it refuses

use crate::common::{self, Place};

fn refused(place: &Place, words: &str) -> String {
    let o = place.command(words).output().unwrap();
    let err = String::from_utf8(o.stderr).unwrap();
    assert_eq!(o.status.code(), Some(2), "{words}: {err}");
    err
}

#[test]
fn a_traced_core_is_built_for_an_ice40_board() {
    let place = Place::new();
    let text = place.good("soc build --board ice40_hx8k_b_evn --set small --out bit --json");
    let o: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&o["timing_met"], &o["built"]["trace_on_critical_path"]), (&true.into(), &false.into()), "{text}");
    assert!(o["built"]["resources"]["lut4"].as_u64().unwrap() < 7_680);
    // an HX8K image has this length, and iceprog accepts it
    assert_eq!(std::fs::metadata(place.path().join("bit/top.bin")).unwrap().len(), 135_100);
    for log in ["top.yosys.log", "top.nextpnr.log"] {
        assert!(std::fs::metadata(place.path().join("bit").join(log)).unwrap().len() > 10_000, "{log}");
    }
}

#[test]
fn a_design_that_does_not_fit_says_what_there_is_too_little_of() {
    let place = Place::new();
    let err = refused(&place, "soc build --board icebreaker --cores 4 --log2-ram 12");
    assert!(err.contains("the design does not fit iCE40 UP5K of icebreaker: it needs "), "{err}");
}

#[test]
fn boards_clocks_and_programs_that_cannot_be_are_refused() {
    let place = Place::new();
    let err = refused(&place, "soc build --board hx1k");
    assert!(err.contains("`--board hx1k`: expected one of ice40_hx8k_b_evn, "), "{err}");
    let err = refused(&place, "soc build --board alchitry_cu --mhz 2 --baud 100000");
    assert!(err.contains("its PLL makes no clock near 2 MHz; the oscillator is 100 MHz"), "{err}");
    let err = refused(&place, "soc build --board icebreaker --baud 9000000");
    assert!(err.contains("`--baud 9000000`: cannot be derived from 12 MHz"), "{err}");
    let err = refused(&place, "soc build --board icebreaker --program vm");
    assert!(err.contains("RAM is 1024 bytes"), "{err}");
}

#[test]
fn a_program_that_does_not_suit_the_core_is_refused_before_anything_is_built() {
    let place = Place::new();
    std::fs::write(place.path().join("far.elf"), {
        let mut elf = common::elf(common::RISCV, 0);
        // its segment starts after RAM
        elf[52 + 12..52 + 16].copy_from_slice(&0x8100_0000u32.to_le_bytes());
        elf
    })
    .unwrap();
    for (words, what) in [
        ("soc sim --core serv --elf p.elf", "`--elf p.elf`: the program is built for multiplication"),
        ("soc sim --core picorv32 --elf far.elf --log2-ram 12", "RAM is 4096 bytes"),
        ("soc sim --core picorv32 --program vm --cores 9", "cores"),
    ] {
        // without tools nothing can be built
        let o = place.command(words).env("PATH", "").output().unwrap();
        let err = String::from_utf8(o.stderr).unwrap();
        assert!(o.status.code() == Some(2) && err.contains(what) && !err.contains("verilator"), "{words}: {err}");
    }
}
