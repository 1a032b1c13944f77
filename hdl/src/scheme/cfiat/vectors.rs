//! Test vectors of a system of load values

use crate::scheme::data::{beat, head, DataBench, CYCLES_PER_INSTRUCTION, INSTRUCTIONS};
use retire::{DataEvent, DataKind, Note, RetireSink};
use sim::params::ParamError;
use sim::scheme::cfiat::{CfiatParams, Recorder};
use sim::scheme::inputs::model::{Access, Beat, Retired};
use sim::scheme::inputs::InputsParams;
use sim::stimulus::Source;

/// Passes an instruction of a core to the model.
fn record_retired(model: &mut Recorder, hart: u8, cycle: u64, r: &Retired) {
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

/// The test vectors for `p`.
///
/// # Errors
/// When the model does not support `p`.
pub fn vectors(p: &CfiatParams) -> Result<DataBench, ParamError> {
    let (mut model, mut s) = (Recorder::new(p)?, Source::seeded(1));
    // RAM that the cores access
    let ram = (p.ram_base as u32, (p.ram_last - p.ram_base) as u32);
    let places = InputsParams::new(p.cores, p.xlen, ram, "inputs".parse()?);
    let mut beats = head("told is 0");
    let (mut cycle, mut instructions) = (0, 0);
    while instructions < INSTRUCTIONS {
        if s.below(CYCLES_PER_INSTRUCTION) == 0 {
            let core = s.below(p.cores.into()) as u8;
            // instructions that trap are not reported
            if let (Beat::Retired(r), line) = beat(&mut s, &places, cycle, core) {
                line.write(&mut beats);
                record_retired(&mut model, core, cycle, &r);
                instructions += 1;
            }
        }
        cycle += 1;
    }
    model.finish();
    let words: Vec<u32> = model.drain().collect();
    let own = ["        .lost(),\n".into(), String::new(), String::new(), String::new()];
    Ok(DataBench { beats, words, stop: cycle, ports: &[], own })
}
