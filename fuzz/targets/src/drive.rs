//! A driver without a fuzzer: seeds, changed at random, the same ones every time

use crate::mutate::mutate;
use crate::Target;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::{Duration, Instant};

/// An input may take so long; more is called a hang.
pub const SLOW: Duration = Duration::from_secs(5);

/// What an input did that it must not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Panic, or how long it took.
    pub what: String,
    /// The bytes.
    pub input: Vec<u8>,
}

/// Runs `target` on its seeds and then on `count` changes of them; `around` runs each, and says what else is wrong with it. The number of
/// inputs that were run, and the first finding.
pub fn drive(
    target: &Target,
    seed: u64,
    count: u64,
    mut around: impl FnMut(&mut dyn FnMut()) -> Option<String>,
) -> (u64, Option<Finding>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let seeds = (target.seeds)();
    assert!(!seeds.is_empty(), "{} has no seeds", target.name);
    for done in 0..seeds.len() as u64 + count {
        let input = match seeds.get(done as usize) {
            Some(seed) => seed.clone(),
            None => {
                let mut data = seeds[rng.random_range(0..seeds.len())].clone();
                mutate(&mut rng, &mut data, &seeds);
                data
            }
        };
        let begin = Instant::now();
        let mut result = Ok(());
        let wrong = around(&mut || result = catch_unwind(AssertUnwindSafe(|| (target.run)(&input))));
        let what = match result {
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                Some(text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("it panics").to_string())
            }
            Ok(()) if begin.elapsed() > SLOW => Some(format!("it takes {:.1} s", begin.elapsed().as_secs_f64())),
            Ok(()) => wrong,
        };
        if let Some(what) = what {
            return (done + 1, Some(Finding { what, input }));
        }
    }
    (seeds.len() as u64 + count, None)
}
