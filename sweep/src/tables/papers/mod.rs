//! The tables of papers 000, 001 and 002 for this project's programs, next to the published figures

mod one;
mod three;
mod two;

pub(super) use one::{base_by_size, streams};

use super::Measured;
use crate::SweepError;

/// The tables with their headings.
pub fn tables(m: &Measured) -> Result<Vec<(&'static str, String)>, SweepError> {
    let tables = vec![
        ("Paper 001, table 1: streams", one::streams(m)?),
        ("Paper 001, table 2: BASE by size", one::base_by_size(m)?),
        ("Paper 001, figures 3 and 4: ways and variants", one::ways_and_variants(m)?),
        ("Paper 001, section III.D: other compressors", one::others(m)?),
        ("Paper 002, table 1: branches", two::branches(m)?),
        ("Paper 002, table 3: prediction rates", two::rates(m)?),
        ("Paper 002, table 4: chunk sizes", two::chunks(m)?),
        ("Paper 002, table 5: bits per instruction", two::comparison(m)?),
        ("RISC-V E-Trace and its modes", two::etrace(m)?),
        ("Paper 002, figure 10: compression and gates", two::gates(m)?),
        ("Paper 000, table 2: Nexus-like traces", three::nexus(m)?),
        ("Paper 000, table 4: misprediction rates", three::rates(m)?),
        ("Paper 000, table 5: functional traces", three::traces(m, false)?),
        ("Paper 000, table 6: time-stamped traces", three::traces(m, true)?),
    ];
    // there is no E-Trace for recordings alone, and nothing time-stamped for recordings without cycles
    let etrace = m.measured(|p| p.scheme == "etrace");
    let stamped = m.measured(|p| p.platform.timestamps);
    let there = |t: &(&str, String)| match t.0 {
        name if name.starts_with("RISC-V E-Trace") => etrace,
        name if name.ends_with("time-stamped traces") => stamped,
        _ => true,
    };
    Ok(tables.into_iter().filter(there).collect())
}
