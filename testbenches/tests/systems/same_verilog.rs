//! `hdl/src/verilog/mod.rs` against rust-hdl's own text: Yosys proves every kind of top the same circuit
//!
//! Memories are excluded from the proof; the co-simulations in `system.rs` include them.

use hdl::emit::{build, Ingress, SystemOptions};
use hdl::spine::{Extras, Retire};
use rust_hdl::prelude::Block;
use sim::params::{Platform, TraceParams};
use sim::stimulus::long;
use testbenches::same::prove;

const ETRACE: Ingress = Ingress::Etrace;
const CHAIN: Ingress = Ingress::PcChain;
const RVFI: Ingress = Ingress::Rvfi;

fn bits(name: &str, platform: Platform, ingress: Ingress, change: fn(String) -> String) -> Result<u64, String> {
    let params = TraceParams::new(platform, name.parse().unwrap());
    // systems of two cores with all extras
    let two = platform.cores == 2;
    let addresses = two.then(|| if platform.xlen == 64 { "39" } else { "24@0x80000000" }.parse().unwrap());
    let extras = Extras {
        sync: two && params.stream_cache().is_none(),
        check: two && ingress == RVFI,
        session: two,
        stall: two,
        filter: two && ingress == RVFI,
        lost: two,
        addresses,
        ..Extras::NONE
    };
    let mut top = build(&params, &SystemOptions { ingress, fifo_address_bits: 5, extras }).unwrap();
    top.connect_all();
    prove(&top, change).map_err(|e| e.to_string())
}

fn same(name: &str, platform: Platform, ingress: Ingress) {
    let proved = bits(name, platform, ingress, |text| text).unwrap_or_else(|e| panic!("{name} {platform:?}: {e}"));
    assert!(proved > 500, "{name}: {proved} bits are too few");
}

fn of(cores: u8, timestamps: bool) -> Platform {
    Platform { cores, timestamps, ..Platform::RV32 }
}

#[test]
fn traps_of_one_core_are_the_same() {
    same("tr_e:small", of(1, false), RVFI);
    if long() {
        same("tr_b:small", of(1, true), ETRACE);
    }
}

#[test]
fn two_cores_with_time_are_the_same() {
    same("tr_e:small", of(2, true), RVFI);
}

#[test]
fn golomb_codes_and_addresses_of_64_bits_are_the_same() {
    same("golomb:small", Platform { xlen: 64, ..of(1, false) }, RVFI);
    same("tr(bcnt=4,1;diffta=5,3;diffcc=2,5;icnt=1,7):m2", of(1, true), RVFI);
}

#[test]
fn nexus_like_traces_are_the_same() {
    same("nx_b", of(2, false), ETRACE);
    same("nx_b", of(1, true), CHAIN);
}

#[test]
fn several_instructions_a_clock_are_the_same() {
    for (name, platform, per_cycle) in [("tr_e:small", of(1, true), 4), ("nx_b", of(2, false), 2)] {
        let params = TraceParams::new(platform, name.parse().unwrap());
        let extras = Extras { retire: Some(Retire { per_cycle, log2_words: 3 }), ..Extras::default() };
        let mut top =
            build(&params, &SystemOptions { fifo_address_bits: 4, extras, ..SystemOptions::default() }).unwrap();
        top.connect_all();
        let proved = prove(&top, |text| text).unwrap_or_else(|e| panic!("{name}, {per_cycle} a clock: {e}"));
        assert!(proved > 500, "{name}: {proved} bits are too few");
    }
}

#[test]
fn stream_caches_are_the_same() {
    if long() {
        same("sc-lsp:base-32x4", of(1, false), ETRACE);
    }
    same("sc-lsp:rbase-32x4", of(2, true), RVFI);
}

#[test]
fn one_changed_operator_is_found() {
    let e = bits("nx_b", of(1, false), RVFI, |text| text.replacen(" & ", " | ", 1)).unwrap_err();
    assert!(e.contains("unproven"), "{e}");
}
