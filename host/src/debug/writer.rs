//! The last writer of an address: the last store to it before a moment

use super::accesses::{Access, Accesses};
use sim::scheme::inputs::replay::{InputsError, Replay, Timeline};
use sim::timeline::Back;

/// A store to an address that was asked for, with its moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Moment before the store.
    pub moment: u64,
    /// Core; for a bus master, the one whose instruction came before.
    pub core: u8,
    /// Instructions that the core had retired before.
    pub retired: u64,
    /// The store.
    pub access: Access,
}

/// The last stores, at most `most`, to `length` bytes from `addr` on before the current moment of `line`, latest first.
/// Moves `line` to the moment before the earliest of them.
///
/// # Errors
/// The recording is damaged.
pub fn who_wrote(line: &mut Timeline, addr: u32, length: u32, most: usize) -> Result<Vec<Written>, InputsError> {
    let mut all = Vec::new();
    let touches = |a: &&Access| a.store && a.touches(addr, length);
    while all.len() < most {
        let mut last = Vec::new();
        let until = |accesses: &mut Accesses, _| {
            let hit = accesses.0.iter().any(|a| touches(&a));
            if !hit {
                accesses.0.clear();
            }
            hit
        };
        let found = |replay: &Replay, core: u8, accesses: &mut Accesses| {
            let (moment, retired) = (replay.position() - 1, replay.retired(core).saturating_sub(1));
            // stores of bus masters come after the instruction
            let stores = accesses.0.iter().rev().filter(touches);
            let all: Vec<_> = stores.map(|&access| Written { moment, core, retired, access }).collect();
            accesses.0.clear();
            (!all.is_empty()).then(|| {
                last = all;
                moment
            })
        };
        if line.seek_back(&mut Accesses::default(), |_, _| {}, until, found, |_| false)? != Back::Found {
            break;
        }
        all.extend(last);
    }
    all.truncate(most);
    Ok(all)
}
