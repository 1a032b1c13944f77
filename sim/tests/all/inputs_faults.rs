//! Damage to streams of the scheme `inputs`: replay ends or reports the doubtful interval, and nothing else is wrong

use crate::inputs_support::{record, Item, Log, Recorded};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use retire::elf::Program;
use sim::riscv::MachineConfig;
use sim::scheme::inputs::params::Sizes;
use sim::scheme::inputs::replay::{InputsError, Replay};
use sim::stimulus::rounds;

/// Outcomes of replaying damaged streams.
#[derive(Debug, Default)]
struct Outcomes {
    /// Streams tried.
    tried: u32,
    /// Errors in the header, or bits that are not a message.
    coding: u32,
    /// Host and core diverged.
    diverged: u32,
    /// Replay equalled the run nevertheless.
    equal: u32,
    /// Wrong items outside the reported doubtful intervals.
    unmarked: u64,
}

/// The items of a hart up to so many instructions.
fn before(items: &[Item], instructions: u64) -> &[Item] {
    let mut seen = 0;
    let reached = |item: &Item| {
        if let Item::Event(e) = item {
            seen += u64::from(e.count);
        }
        seen >= instructions
    };
    let end = items.iter().position(reached).map_or(items.len(), |i| i + 1);
    if instructions == 0 {
        &[]
    } else {
        &items[..end]
    }
}

fn try_words(program: &Program, run: &Recorded, words: Vec<u32>, outcomes: &mut Outcomes) {
    outcomes.tried += 1;
    let mut replay = match Replay::new(&run.params, program, words).unwrap() {
        Ok(replay) => replay,
        Err(_) => {
            outcomes.coding += 1;
            return;
        }
    };
    let mut log = Log::default();
    let end = replay.run(&mut log, |_| false);
    log.0.resize(run.log.0.len(), Vec::new());
    match end {
        Ok(()) => {
            let wrong = |(a, b): (&Vec<Item>, &Vec<Item>)| a.iter().zip(b).filter(|(a, b)| a != b).count();
            outcomes.unmarked += run.log.0.iter().zip(&log.0).map(wrong).sum::<usize>() as u64;
            outcomes.unmarked += u64::from(run.log.0.iter().map(Vec::len).ne(log.0.iter().map(Vec::len)));
            outcomes.equal += u32::from(run.log == log);
        }
        Err(e) => {
            for (hart, (checked, _)) in e.stretches().unwrap().0.iter().enumerate() {
                let (want, got) = (before(&run.log.0[hart], *checked), before(&log.0[hart], *checked));
                outcomes.unmarked += u64::from(want != got);
            }
            match e {
                InputsError::Header { .. } | InputsError::Coding { .. } => outcomes.coding += 1,
                InputsError::Diverged { .. } | InputsError::Masters { .. } => outcomes.diverged += 1,
            }
        }
    }
}

#[test]
fn no_damage_gives_a_wrong_instruction_that_is_not_marked() {
    let flips = rounds(250, usize::MAX);
    let mut table: Vec<(&str, Outcomes)> =
        ["one bit", "cut", "a word lost", "a word twice", "two words swapped", "a word of ones"]
            .map(|n| (n, Outcomes::default()))
            .into();
    for (name, harts) in [("bank", 2), ("lockcont", 4), ("irq", 1), ("irq", 3), ("qsort", 8)] {
        let program = programs::load(name).unwrap();
        let sizes = Sizes { check: 10, ..Sizes::default() };
        let run = record(&program, MachineConfig { harts, ..MachineConfig::default() }, 30_000, sizes);
        let words = &run.words;
        let mut rng = ChaCha8Rng::seed_from_u64(harts.into());
        let bits = 32 * words.len();
        for n in 0..bits.min(flips) {
            let bit = if flips < bits { rng.random_range(0..bits) } else { n };
            let mut bad = words.clone();
            bad[bit / 32] ^= 1 << (bit % 32);
            try_words(&program, &run, bad, &mut table[0].1);
        }
        for _ in 0..40 {
            let at = rng.random_range(0..words.len());
            try_words(&program, &run, words[..at].to_vec(), &mut table[1].1);
            let mut bad = words.clone();
            bad.remove(at);
            try_words(&program, &run, bad, &mut table[2].1);
            let mut bad = words.clone();
            bad.insert(at, words[at]);
            try_words(&program, &run, bad, &mut table[3].1);
            let mut bad = words.clone();
            let other = rng.random_range(0..words.len());
            bad.swap(at, other);
            try_words(&program, &run, bad, &mut table[4].1);
            let mut bad = words.clone();
            bad[at] = u32::MAX;
            try_words(&program, &run, bad, &mut table[5].1);
        }
    }
    println!("| damage | tried | refused as bits | host and core apart | replay equal | unmarked wrong |");
    for (name, o) in &table {
        println!("| {name} | {} | {} | {} | {} | {} |", o.tried, o.coding, o.diverged, o.equal, o.unmarked);
        assert_eq!(o.unmarked, 0, "{name}");
    }
    assert!(table[0].1.diverged > 100 && table[1].1.coding > 100);
}

/// With another program, the first signature or input that does not match gives an error.
#[test]
fn another_program_is_noticed() {
    let run = record(
        &programs::load("bank").unwrap(),
        MachineConfig::default(),
        30_000,
        Sizes { check: 10, ..Sizes::default() },
    );
    let other = programs::load("lu").unwrap();
    let mut replay = Replay::new(&run.params, &other, run.words.clone()).unwrap().unwrap();
    let e = replay.run(&mut Log::default(), |_| false).unwrap_err().to_string();
    assert!(e.contains("not checked: core 0 instructions 0 to "), "{e}");
}

/// A core with a bug: it executes one `mul` as `mulh`. The program given to replay is the right one, so replay
/// diverges: the interval in which it does is reported.
#[test]
fn a_faulty_core_is_reported_with_the_interval_of_the_fault() {
    use crate::inputs_support::Both;
    use sim::riscv::{Limits, Machine};
    use sim::scheme::inputs::{InputsParams, Recorder};
    let program = programs::load("codec").unwrap();
    let mut wrong = program.clone();
    let code = wrong.segments.iter_mut().find(|s| s.executable).unwrap();
    let is_mul = |w: &[u8]| {
        let insn = u32::from_le_bytes(w.try_into().unwrap());
        insn & 0xfe00_707f == 0x0200_0033
    };
    let mut executed = 0;
    let places: Vec<usize> = (0..code.data.len() - 4).step_by(2).filter(|i| is_mul(&code.data[*i..*i + 4])).collect();
    for at in places.into_iter().take(6) {
        let pc = program.segments.iter().find(|s| s.executable).unwrap().addr + at as u64;
        let code = wrong.segments.iter_mut().find(|s| s.executable).unwrap();
        code.data[at + 1] |= 0x10;
        let mut core = Machine::new(&wrong, MachineConfig { harts: 2, ..MachineConfig::default() }).unwrap();
        let params = InputsParams::new(2, 32, core.ram(), Sizes { check: 12, ..Sizes::default() });
        let mut recorder = Recorder::new(&params, &program).unwrap();
        let mut log = Log::default();
        let limits = Limits { instructions: 300_000, ..Limits::default() };
        core.run(&mut Both(&mut recorder, &mut log), limits).unwrap();
        recorder.finish();
        wrong.segments.clone_from(&program.segments);
        // instructions of each hart before the event after the first wrong one
        let first = log.0.iter().map(|items| {
            let at = items.iter().position(|i| matches!(i, Item::Data(p, _) if *p == pc))?;
            let count = |i: &Item| if let Item::Event(e) = i { u64::from(e.count) } else { 0 };
            let behind = at + items[at..].iter().position(|i| matches!(i, Item::Event(_)))?;
            Some(items[..=behind].iter().map(count).sum::<u64>())
        });
        let first: Vec<Option<u64>> = first.collect();
        let words: Vec<u32> = recorder.drain().collect();
        let mut replay = Replay::new(&params, &program, words).unwrap().unwrap();
        match replay.run(&mut Log::default(), |_| false) {
            // it was never executed, or both instructions give the same result
            Ok(()) => {}
            Err(e) => {
                executed += 1;
                let stretches = &e.stretches().unwrap().0;
                let marked = first.iter().zip(stretches).any(|(f, (from, to))| f.is_some_and(|f| *from < f && *to > 0));
                assert!(marked, "{e}; the core went wrong before {first:?}");
            }
        }
    }
    assert!(executed > 0, "no wrong instruction was executed");
}
