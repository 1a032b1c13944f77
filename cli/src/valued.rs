//! The files of a system of load values (scheme `cfiat`): as those of a record system
//!
//! The vectors are seeded random ports, at a pace at which no core has to wait, and the words that the golden model makes
//! of them.

use crate::cfiat;
use crate::package::File;
use crate::recorded::{beat, bench, head, System, Vectors, INSTRUCTIONS, PACE};
use crate::Failure;
use hdl::bus::wrap::Buses;
use hdl::emit::{emit_cfiat, SystemOptions};
use hdl::verilog::Style;
use retire::{DataEvent, DataKind, Note, RetireSink};
use sim::scheme::cfiat::{CfiatParams, Recorder};
use sim::scheme::inputs::model::{Access, Beat, Retired};
use sim::scheme::inputs::InputsParams;
use sim::stimulus::Source;

/// Tells the model what a core did.
fn tell(model: &mut Recorder, hart: u8, cycle: u64, r: &Retired) {
    if let Some(stored) = r.conditional {
        model.note(hart, &Note::StoreConditional { stored });
    }
    let of = |a: Access| (a.size, u64::from(a.addr), u64::from(a.value));
    let load = r.load.map(of).map(|(size, addr, value)| DataKind::Load { size, addr, value });
    let store = r.store.map(of).map(|(size, addr, value)| DataKind::Store { size, addr, value });
    let csr = r.csr.map(|(csr, value)| DataKind::Csr { csr, value: value.into() });
    for kind in load.into_iter().chain(store).chain(csr) {
        model.data(&DataEvent { hart, kind, pc: 0, cycle });
    }
}

fn vectors(p: &CfiatParams) -> Result<Vectors, Failure> {
    let (mut model, mut s) = (Recorder::new(p)?, Source::seeded(1));
    // where what cores do lies
    let ram = (p.ram_base as u32, (p.ram_last - p.ram_base) as u32);
    let places = InputsParams::new(p.cores, p.xlen, ram, "inputs".parse()?);
    let mut beats = head("told is 0");
    let (mut cycle, mut instructions) = (0, 0);
    while instructions < INSTRUCTIONS {
        if s.below(PACE) == 0 {
            let core = s.below(p.cores.into()) as u8;
            // what traps is of no concern here
            if let (Beat::Retired(r), line) = beat(&mut s, &places, cycle, core) {
                line.write(&mut beats);
                tell(&mut model, core, cycle, &r);
                instructions += 1;
            }
        }
        cycle += 1;
    }
    model.finish();
    let words: Vec<u32> = model.drain().collect();
    Ok(Vectors::new(beats, &words, cycle))
}

/// Makes all of them.
///
/// # Errors
/// There is no circuit.
pub fn make(p: &CfiatParams, options: &SystemOptions, style: &Style, buses: Buses) -> Result<Vec<File>, Failure> {
    let verilog = emit_cfiat(p, options.log2_fifo, style, buses).map_err(|e| Failure::Other(e.to_string()))?;
    let vectors = vectors(p)?;
    let own = ["        .lost(),\n".into(), String::new(), String::new(), String::new()];
    let bench = bench(p.cores, &[], own, &buses.system(style), &vectors);
    let system = System {
        cores: p.cores,
        canonical: p.canonical(),
        fingerprint: p.fingerprint(),
        parameters: cfiat::parameters(p),
        verilog,
        vectors,
        bench,
        style,
    };
    system.files(options, buses)
}
