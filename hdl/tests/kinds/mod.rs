//! Verilog of one system of every kind, which together contain all blocks that are emitted

use hdl::diag::chip::DiagParams;
use hdl::emit::{emit_as, emit_diag};
use hdl::options::SystemOf;
use hdl::verilog::Style;
use options::GivenOptions;
use sim::diag::trigger::GeneratorParams;

/// Command-line options, one line per system.
const SYSTEMS: [&str; 22] = [
    "scheme=tr_e:small",
    "scheme=tr_e:bimodal256/last16 timestamps= cores=2",
    "scheme=tr_b:256/32/64 sync= retire=4 filter-range= filter-space=",
    "scheme=golomb:256/0/16 ingress=etrace upper-bits=12",
    "scheme=nx_b ingress=etrace-blocks itype=3 context=8 filter-range= filter-space=",
    "scheme=tr_e:m4 ingress=etrace-blocks retire=2 context=8 sync= filter-range= filter-space=",
    "scheme=tr_e:large ingress=etrace context=8 sync= filter-range= filter-space= xlen=64",
    "scheme=tr_e:small ingress=pc-chain sync= address-bits=24@0x80000000",
    "scheme=tr_e:small check= sync= stall= count-lost= cores=3 context=4",
    "scheme=sc-lsp:rbase-32x4 timestamps= sync= retire=2 filter-space=",
    "scheme=sc-lsp:base-32x4 timestamps= cores=2",
    "scheme=sc-lsp:base-256x1 registered-ports=",
    "scheme=sc-lsp:ebase-16x8 ingress=etrace-blocks",
    "scheme=follow:m timestamps= cores=2 sync=",
    "scheme=follow:s ingress=etrace context=8 xlen=64",
    "scheme=etrace",
    "scheme=etrace+ir8+bp512+jtc64+sync1024 ingress=etrace xlen=64 stall= cores=2 context=8 filter=",
    "scheme=inputs cores=2",
    "scheme=inputs:512+known4096+masters",
    "scheme=cfiat",
    "scheme=cfiat:256+ways2+line16 cores=2",
    "scheme=cfiat:16k+count24",
];

const NODES: [&str; 9] = ["filter", "count", "pair", "aggregate", "histogram", "machine", "log", "tick", "processor"];

/// A description of each system, and its Verilog.
pub fn kinds() -> Vec<(String, String)> {
    let style = Style::default();
    let system = |words: &str| {
        let given =
            words.split(' ').filter_map(|w| w.split_once('=')).fold(GivenOptions::default(), |g, (n, v)| g.with(n, v));
        let system = given.system().unwrap_or_else(|e| panic!("{words}: {e}"));
        let text = emit_as(&*system.circuit, &system.options, &style);
        (words.to_string(), text.unwrap_or_else(|e| panic!("{words}: {e}")))
    };
    let chip = |generator, windows, masters| {
        let nodes = NODES.iter().map(|n| n.parse().unwrap()).collect();
        let params = DiagParams { cores: 2, generator, outside: vec![3], nodes, windows, masters, clocked: 0 };
        (params.to_string(), emit_diag(&params, &style).unwrap_or_else(|e| panic!("{params}: {e}")))
    };
    let chips = [chip(GeneratorParams::FULL, true, 0), chip(GeneratorParams::LITE, false, 1)];
    SYSTEMS.iter().map(|words| system(words)).chain(chips).collect()
}
