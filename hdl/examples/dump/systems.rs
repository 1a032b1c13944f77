//! The systems that `dump` writes; the Verilator lint test uses the same list
//!
//! The list covers every ingress and every kind of scheme with their main options: address width, number of cores,
//! timestamps and contexts. Each appears with no extras (level 0), with all extras but the address and address space
//! filters (1), and with all extras (2).

use hdl::emit::{Ingress, SystemOptions};
use hdl::spine::{Extras, Retire};
use sim::params::{Platform, TraceParams};
use std::error::Error;

const SCHEMES: [&str; 3] = ["tr_e:small", "nx_b", "sc-lsp:rbase-32x4"];

/// Each ingress, with the instructions or blocks that retire in a cycle.
const INGRESSES: [(Ingress, u8); 6] = [
    (Ingress::Rvfi, 1),
    (Ingress::Etrace, 1),
    (Ingress::Rvfi, 2),
    (Ingress::Blocks, 1),
    (Ingress::Blocks, 2),
    (Ingress::PcChain, 1),
];

/// A system: name of the file, parameters, options.
pub type Listed = (String, TraceParams, SystemOptions);

/// All systems of the list.
pub fn systems() -> Result<Vec<Listed>, Box<dyn Error>> {
    let mut systems = Vec::new();
    for name in SCHEMES {
        for (ingress, per_cycle) in INGRESSES {
            for (xlen, cores) in [(32, 1), (64, 2)] {
                for (time, timestamps, context) in [("", false, None), ("t", true, None), ("tc", true, Some(8))] {
                    for level in 0..3 {
                        // PC chains and stream caches do not support contexts
                        if context.is_some() && (ingress == Ingress::PcChain || name.starts_with("sc-lsp")) {
                            continue;
                        }
                        let platform = Platform { xlen, cores, timestamps, context, ..Platform::RV32 };
                        let options =
                            SystemOptions { ingress, fifo_address_bits: 6, extras: extras(ingress, per_cycle, level) };
                        let file = format!(
                            "{}_{}{per_cycle}_rv{xlen}_n{cores}_{time}{level}.v",
                            name.replace(':', "-"),
                            ingress.name()
                        );
                        systems.push((file, TraceParams::new(platform, name.parse()?), options));
                    }
                }
            }
        }
    }
    Ok(systems)
}

fn extras(ingress: Ingress, per_cycle: u8, level: u8) -> Extras {
    let several = per_cycle > 1 || ingress == Ingress::Blocks;
    let (some, chain) = (level > 0, ingress == Ingress::PcChain);
    Extras {
        sync: some,
        session: some,
        stall: some,
        lost: some,
        check: some && ingress == Ingress::Rvfi && !several,
        filter: some && !chain,
        range: level > 1 && !chain,
        space: level > 1 && !chain,
        retire: several.then_some(Retire { per_cycle, log2_words: 3 }),
        ..Extras::NONE
    }
}
