//! Who wrote a word: the last store to an address before a moment

use super::accesses::{Access, Accesses};
use sim::scheme::inputs::replay::{InputsError, Replay, Timeline};

/// A store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// The moment before it.
    pub moment: u64,
    /// Core.
    pub core: u8,
    /// Instructions that the core had retired before.
    pub retired: u64,
    /// The store.
    pub access: Access,
}

/// The last stores to `length` bytes from `addr` on before where `line` is, at most `most`, the latest first; goes to the
/// moment before the earliest of them.
///
/// # Errors
/// Where the recording is damaged.
pub fn who_wrote(line: &mut Timeline, addr: u32, length: u32, most: usize) -> Result<Vec<Written>, InputsError> {
    let mut all = Vec::new();
    let touches = |a: &&Access| a.store && a.touches(addr, length);
    while all.len() < most {
        let mut last = None;
        let until = |accesses: &mut Accesses, _| {
            let hit = accesses.0.iter().any(|a| touches(&a));
            if !hit {
                accesses.0.clear();
            }
            hit
        };
        let found = |replay: &Replay, core: u8, accesses: &mut Accesses| {
            let store = accesses.0.iter().find(touches).copied();
            accesses.0.clear();
            store.map(|access| {
                let moment = replay.position() - 1;
                last = Some(Written { moment, core, retired: replay.retired(core) - 1, access });
                moment
            })
        };
        if !line.back(&mut Accesses::default(), until, found)? {
            break;
        }
        all.extend(last);
    }
    Ok(all)
}
