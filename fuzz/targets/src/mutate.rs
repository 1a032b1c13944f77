//! Changes of bytes

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Values at which lengths and counts go wrong.
const EDGES: [u64; 9] = [0, 1, 0x7f, 0x80, 0xff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, u64::MAX];
/// Bytes that an input has at most.
const MOST: usize = 1 << 16;

/// A few changes of `data`, one of `seeds`.
pub(crate) fn mutate(rng: &mut ChaCha8Rng, data: &mut Vec<u8>, seeds: &[Vec<u8>]) {
    for _ in 0..1 << rng.random_range(0..4) {
        let len = data.len();
        if len == 0 {
            data.push(rng.random());
            continue;
        }
        let at = rng.random_range(0..len);
        let some = rng.random_range(1..=(len - at).min(32));
        match rng.random_range(0..9) {
            0 | 1 => data[at] ^= 1 << rng.random_range(0..8),
            2 => data[at] = rng.random(),
            3 => {
                let edge = EDGES[rng.random_range(0..EDGES.len())].to_le_bytes();
                let size = (1 << rng.random_range(0..4)).min(len - at);
                data[at..at + size].copy_from_slice(&edge[..size]);
            }
            4 => drop(data.drain(at..at + some)),
            5 => {
                let copy = data[at..at + some].to_vec();
                let to = rng.random_range(0..=len);
                data.splice(to..to, copy);
            }
            6 => data.truncate(at),
            7 => data[at..at + some].reverse(),
            _ => {
                let other = &seeds[rng.random_range(0..seeds.len())];
                if !other.is_empty() {
                    let from = rng.random_range(0..other.len());
                    data.truncate(at);
                    data.extend(&other[from..]);
                }
            }
        }
    }
    data.truncate(MOST);
}
