//! Gates of trace systems with signatures of 0, 8 and 16 bits
//!
//! NAND2 of the library `nand2`, flip-flops and memory bits of the flattened circuit, with event FIFOs of 256 entries, for one and four
//! cores, with and without resyncs; and the PC chain ingress.
//!
//! `cargo run --release -p testbenches --example signature_cost -- [SYSTEM...]`; a SYSTEM selects all rows whose names begin with it

use fpga::gates::{count, Library};
use hdl::emit::{emit, Ingress, SystemOptions};
use hdl::spine::Extras;
use sim::params::{Platform, TraceParams};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    println!(
        "| system | cores | signature | NAND2 | flip-flops | memory bits |\n| --- | ---: | ---: | ---: | ---: | ---: |"
    );
    for (scheme, ingress, sync) in [
        ("tr_e:small", Ingress::Rvfi, false),
        ("tr_e:small", Ingress::Rvfi, true),
        ("tr_e:large", Ingress::Rvfi, true),
        ("sc-lsp:rbase-32x4", Ingress::Rvfi, false),
        ("sc-lsp:rbase-32x4", Ingress::Rvfi, true),
        ("tr_e:small", Ingress::PcChain, false),
    ] {
        let mut name = scheme.to_string();
        if ingress != Ingress::Rvfi {
            name += &format!(", {}", ingress.name());
        }
        if sync {
            name += ", sync";
        }
        for (cores, signature) in [(1, 0), (1, 8), (1, 16), (4, 0), (4, 16)] {
            let row = format!("{name}, {cores}, {signature}");
            if !words.is_empty() && !words.iter().any(|w| row.starts_with(w.as_str())) {
                continue;
            }
            let platform = Platform { cores, signature, ..Platform::RV32 };
            let params = TraceParams::new(platform, scheme.parse().expect("a scheme"));
            let extras = Extras { sync, ..Extras::default() };
            let text = emit(&params, &SystemOptions { ingress, extras, ..SystemOptions::default() }).expect("Verilog");
            let r = count(&text, &Library::nand2()).expect("yosys");
            let flip_flops: u64 = r.blocks.iter().map(|b| b.flip_flops).sum();
            println!("| `{name}` | {cores} | {signature} | {:.0} | {flip_flops} | {} |", r.gates, r.memory_bits);
        }
    }
}
