//! Scheme `inputs` with a bus master that is not a core
//!
//! Its stores are reported where they are made, and replay equals the run in all retired instructions, in registers,
//! and in every byte of RAM.

use crate::inputs_support::{difference, known, record_from, Log, Recorded};
use crate::random_programs;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use retire::elf::Program;
use retire::{DataEvent, DataKind, MasterStore, RetireSink};
use sim::bits::BitReader;
use sim::riscv::{Machine, MachineConfig, Timing};
use sim::scheme::inputs::master::{MasterMessage, Masters};
use sim::scheme::inputs::message::{Body, Coder};
use sim::scheme::inputs::params::Sizes;
use sim::scheme::inputs::replay::{Replay, Timeline};
use sim::scheme::inputs::{InputsParams, Recorder};
use sim::stimulus::rounds;

const RAM: u32 = 0x8000_0000;

/// The stream of a machine of two cores and a master, composed by hand.
fn by_hand(tell: impl FnOnce(&mut Recorder)) -> (InputsParams, Vec<u32>) {
    let sizes = Sizes { entries: 16, tag: 4, block: 4, masters: true, ..Sizes::default() };
    let params = InputsParams::new(2, 32, (RAM, 1 << 16), sizes);
    let program = Program {
        xlen: 32,
        compressed: false,
        multiplies: true,
        zcm: false,
        tohost: None,
        entry: RAM.into(),
        segments: Vec::new(),
        build_id: Vec::new(),
    };
    let mut recorder = Recorder::new(&params, &program).unwrap();
    tell(&mut recorder);
    recorder.finish();
    (params, recorder.drain().collect())
}

fn load(recorder: &mut Recorder, hart: u8, addr: u32) {
    recorder.data(&DataEvent { hart, kind: DataKind::Load { size: 4, addr: addr.into(), value: 0 }, pc: 0, cycle: 0 });
}

fn store(addr: u32, value: u32, mask: u8) -> MasterStore {
    MasterStore { addr: addr.into(), value, mask, cycle: 0 }
}

#[derive(Debug, PartialEq)]
enum Told {
    Episode(u64, u32),
    Store(MasterStore),
}

/// All messages up to the first stop.
fn reported((params, words): (InputsParams, Vec<u32>)) -> Vec<Told> {
    let mut reader = BitReader::new(words.into_iter().skip(3));
    let mut coders = [Coder::new(&params), Coder::new(&params)];
    let mut masters = Masters::new(RAM);
    let mut all = Vec::new();
    loop {
        // three senders
        match reader.take(2).unwrap() {
            2 => match masters.read(&mut reader).unwrap() {
                MasterMessage::Store(store) => all.push(Told::Store(store)),
                stop => panic!("{stop:?}"),
            },
            core => match coders[core as usize].read(&mut reader).unwrap() {
                Body::Episode(n) => all.push(Told::Episode(core, n)),
                Body::Stop { .. } => return all,
                other => panic!("{other:?}"),
            },
        }
    }
}

#[test]
fn a_store_ends_the_episodes_that_it_conflicts_with_and_no_others() {
    let stream = by_hand(|r| {
        load(r, 0, RAM + 8);
        load(r, 1, RAM + 12);
        r.master(&store(RAM + 8, 7, 15));
        // no core has accessed that word since
        r.master(&store(RAM + 8, 9, 15));
        r.master(&store(RAM + 12, 0x1_0000, 4));
    });
    assert_eq!(
        reported(stream),
        [
            Told::Episode(0, 1),
            Told::Store(store(RAM + 8, 7, 15)),
            Told::Store(store(RAM + 8, 9, 15)),
            Told::Episode(1, 1),
            Told::Store(store(RAM + 12, 0x1_0000, 4)),
        ]
    );
}

#[test]
fn a_store_that_changes_nothing_or_is_not_to_ram_is_not_sent() {
    let stream = by_hand(|r| {
        load(r, 0, RAM + 8);
        r.master(&store(RAM + 8, 0, 15));
        // bytes that are not stored do not matter
        r.master(&store(RAM + 8, 0x5500, 1));
        r.master(&store(RAM + 8, 0x55ff, 1));
        r.master(&store(RAM + 8, 0xff, 1));
        r.master(&store(RAM - 4, 1, 15));
        r.master(&store(RAM + (1 << 16), 1, 15));
    });
    assert_eq!(reported(stream), [Told::Episode(0, 1), Told::Store(store(RAM + 8, 0xff, 1))]);
}

/// With a master, even a single core needs an order.
#[test]
fn one_core_has_episodes_where_there_is_a_master() {
    let sizes = |masters| Sizes { masters, ..Sizes::default() };
    let params = |cores, masters| InputsParams::new(cores, 32, (RAM, 1 << 16), sizes(masters));
    let all = [(1, false), (1, true), (4, false), (4, true), (8, true)].map(|(c, m)| {
        let p = params(c, m);
        (p.orders(), p.ti_bits(), p.senders())
    });
    assert_eq!(all, [(false, 0, 1), (true, 1, 2), (true, 2, 4), (true, 3, 5), (true, 4, 9)]);
}

fn assert_replays(program: &Program, (run, machine): &(Recorded, Machine), what: &str) {
    let mut replay = Replay::new(&run.params, program, run.words.clone()).unwrap().unwrap();
    let mut log = Log::default();
    let end = replay.run(&mut log, |_| false);
    let (want, got) = if run.params.sizes.known > 0 { (known(&run.log), known(&log)) } else { (run.log.clone(), log) };
    if let Some(difference) = difference(&want, &got) {
        panic!("{what}: {difference}; {end:?}");
    }
    end.unwrap_or_else(|e| panic!("{what}: {e}"));
    for (core, state) in machine.states().iter().enumerate() {
        assert_eq!(replay.registers(core as u8), state.registers, "{what}: core {core}");
    }
    for (at, byte) in machine.memory().iter().enumerate() {
        let held = replay.memory(run.params.ram_base + at as u32, 1);
        assert!(held.map_or(run.params.sizes.known > 0, |b| b[0] == *byte), "{what}: byte 0x{at:x}");
    }
}

/// Copies among the words that harts load, store, swap and reserve, from reset and from the middle.
#[test]
fn random_programs_with_copies_replay() {
    let (seeds, instructions) = rounds((80, 30_000), (2_000, 200_000));
    let (mut stores, mut episodes) = (0, 0);
    for seed in 0..seeds {
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0xd3a);
        let harts = rng.random_range(1..=8);
        let sizes = Sizes {
            entries: 16 << rng.random_range(0..7),
            tag: rng.random_range(0..=16),
            block: 4 << rng.random_range(0..4),
            check: rng.random_range(10..=14),
            last: 1 << rng.random_range(0..5),
            known: if seed % 3 == 2 { 64 << rng.random_range(0..8) } else { 0 },
            masters: true,
            unmodelled: None,
        };
        let program = random_programs::with(seed, harts.into(), true);
        let timing = if seed % 2 == 0 { Timing::functional() } else { Timing::default() };
        let config = MachineConfig { harts, seed, timing, ram_bytes: 64 << 10, ..MachineConfig::default() };
        let skip = if sizes.known > 0 { rng.random_range(0..20_000) } else { 0 };
        let run = record_from(&program, config, skip, instructions, sizes);
        assert_replays(&program, &run, &format!("seed {seed}, {harts} harts from {skip}, {sizes}"));
        stores += run.0.stats.masters.messages;
        episodes += run.0.stats.episodes.messages;
    }
    println!("{stores} stores of the master, {episodes} episodes");
    assert!(stores > 20_000 && episodes > 20_000, "{stores} {episodes}");
}

/// Its sum is right, and each word is one message.
#[test]
fn the_program_with_a_dma_ends_well_and_replays() {
    let program = programs::load("dma").unwrap();
    for harts in [1, 2, 4, 8] {
        let sizes = Sizes { entries: 256, masters: true, check: 12, ..Sizes::default() };
        let run = record_from(&program, MachineConfig { harts, ..MachineConfig::default() }, 0, 1 << 20, sizes);
        let said = String::from_utf8_lossy(&run.0.uart);
        assert!(said.starts_with("dma: result ") && said.ends_with(" ok\n"), "{harts} harts: {said}");
        assert_eq!(run.0.stats.masters.messages, 24 * 64, "{harts} harts");
        assert_replays(&program, &run, &format!("{harts} harts"));
    }
}

fn copying(sizes: Sizes) -> (Program, (Recorded, Machine)) {
    let program = random_programs::with(6, 2, true);
    let config = MachineConfig { harts: 2, ram_bytes: 64 << 10, ..MachineConfig::default() };
    let run = record_from(&program, config, 0, 40_000, sizes);
    (program, run)
}

#[test]
fn without_masters_in_the_parameters_the_recorder_says_that_it_missed_them() {
    let (program, (run, _)) = copying(Sizes::default());
    assert!(run.stats.unrecorded > 500 && run.stats.masters.messages == 0, "{:?}", run.stats);
    let mut replay = Replay::new(&run.params, &program, run.words.clone()).unwrap().unwrap();
    let reported = replay.run(&mut Log::default(), |_| false).unwrap_err().to_string();
    assert!(reported.contains("not checked: core 0 instructions"), "{reported}");
}

#[test]
fn positions_with_dma_copies_are_reproducible() {
    let (program, (run, _)) = copying(Sizes { masters: true, check: 12, ..Sizes::default() });
    let replay = Replay::new(&run.params, &program, run.words.clone()).unwrap().unwrap();
    let state = |r: &Replay| {
        let registers: Vec<_> = (0..2).map(|c| (r.pc(c), r.registers(c))).collect();
        (r.position(), registers, r.memory(RAM, 64 << 10).unwrap().to_vec())
    };
    let mut line = Timeline::new(replay);
    let mut moments = [0, 17, 4_003, 20_000, 20_001, 39_998];
    let forwards: Vec<_> = moments
        .map(|at| {
            line.seek(at).unwrap();
            state(line.replay())
        })
        .into();
    assert!(forwards[0].2 != forwards[2].2 && forwards[2].2 != forwards[3].2 && forwards[3].2 != forwards[5].2);
    moments.reverse();
    for (at, right) in moments.into_iter().zip(forwards.iter().rev()) {
        line.seek(at).unwrap();
        assert!(state(line.replay()) == *right, "moment {at}");
    }
}

/// The checks of the cores' states cannot detect a value that no core loads again: the signature of the stores does.
#[test]
fn damage_is_reported() {
    let (program, (run, machine)) = copying(Sizes { masters: true, check: 12, ..Sizes::default() });
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let (mut reported, mut of_masters) = (0, 0);
    for _ in 0..400 {
        let at = rng.random_range(96..run.words.len() as u64 * 32);
        let mut words = run.words.clone();
        words[(at / 32) as usize] ^= 1 << (at % 32);
        let mut replay = Replay::new(&run.params, &program, words).unwrap().unwrap();
        let mut log = Log::default();
        match replay.run(&mut log, |_| false) {
            Ok(()) => {
                assert!(difference(&run.log, &log).is_none(), "bit {at}");
                assert!(replay.memory(RAM, 64 << 10).unwrap() == machine.memory(), "bit {at}");
            }
            Err(e) => {
                reported += 1;
                of_masters += u32::from(e.to_string().starts_with("bus masters, message "));
            }
        }
    }
    println!("{reported} of 400 told, {of_masters} by the masters");
    assert!(reported > 350 && of_masters > 0, "{reported} {of_masters}");
}
