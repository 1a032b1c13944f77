//! Counts of predicted branches in E-Trace: how far the decoder follows a large one, and a damaged one

use crate::common;
use crate::etrace::merge;
use crate::standard_etrace::{decodable, decode, parameters};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use retire::elf::{Program, Segment};
use retire::image::Image;
use retire::{FlowEvent, FlowKind};
use sim::baseline::etrace::{encode, Options};
use sim::standard::etrace::{Container, Parameters};
use sim::stimulus::rounds;

const BASE: u64 = 0x8000_0000;

/// `beq x0, x0, .` and an endless jump.
fn waiting() -> Image {
    let code = [0x0000_0063u32, 0x0000_006f].map(u32::to_le_bytes).concat();
    Image::new(&Program { segments: vec![Segment::code(BASE, code)], xlen: 32, ..common::program(0, 2) })
}

fn predicting() -> Parameters {
    Parameters { iaddress_width_p: 32, bpred_size_p: 4, f0s_width_p: 1, ..Parameters::default() }
}

/// An SMI packet of fields with their widths.
fn packet(fields: &[(u64, u32)]) -> Vec<u8> {
    let (mut bits, mut width) = (0u128, 0);
    for (value, of) in fields {
        bits |= u128::from(*value) << width;
        width += of;
    }
    let length = width.div_ceil(8) as usize;
    [&[0x40 | length as u8], &bits.to_le_bytes()[..length]].concat()
}

/// Format 3.0: the branch at the base is taken, in machine mode.
fn start() -> Vec<u8> {
    packet(&[(0b0011, 4), (0, 1), (3, 2), (BASE >> 1, 31)])
}

fn taken(events: &[FlowEvent]) -> u64 {
    events.iter().filter(|e| matches!(e.kind, FlowKind::Conditional { taken: true })).count() as u64
}

#[test]
fn a_count_up_to_the_parameter_is_followed_and_a_larger_one_is_refused() {
    let (image, p) = (waiting(), predicting());
    let limit = u64::from(p.max_branch_count);
    let count = |count: u64| [start(), packet(&[(0, 3), (count, 32), (0, 2)])].concat();
    let (found, counts, faults) = decode(Container::Smi, &p, &count(limit), 64, &image);
    assert_eq!(faults, Vec::<String>::new());
    // that of the start, and those of a full map besides the count; the one after them is not taken
    assert_eq!((taken(&found), counts.faults), (1 + limit + 31, 0));
    let (found, counts, faults) = decode(Container::Smi, &p, &count(limit + 1), 64, &image);
    assert_eq!((taken(&found), counts.faults), (1, 1));
    assert!(faults[0].contains("2097153, expected at most the parameter `max_branch_count`"), "{faults:?}");
}

#[test]
fn nothing_is_reported_of_a_long_packet_that_does_not_fit_the_program() {
    let (image, p) = (waiting(), predicting());
    // to an address to which the branch does not lead; both are more events than are held
    for count in [100_000, 300_000] {
        let bytes = [start(), packet(&[(0, 3), (count, 32), (2, 2), (4 >> 1, 31), (0, 2)])].concat();
        let (found, counts, faults) = decode(Container::Smi, &p, &bytes, 64, &image);
        assert!(faults[0].contains("a branch without an outcome"), "{faults:?}");
        assert_eq!((taken(&found), counts.faults), (1, 1));
        assert!(matches!(found[found.len() - 2].kind, FlowKind::Gap { .. }), "the end is marked");
    }
}

#[test]
fn a_damaged_count_is_followed_for_a_bounded_number_of_branches() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let options = Options { return_stack: 3, predictors: 9, jump_targets: 6, ..Options::BASE };
    let p = parameters(options, 32);
    for seed in 0..rounds(20, 2_000) as u64 {
        let image = Image::new(&common::program(seed, 400));
        let events = merge(common::walk(&image, 400, 1, seed, 3000));
        let bytes = &encode(&events, 1, options, 32, &image).unwrap()[0].bytes;
        let whole = decodable(&events, 0).len();
        for _ in 0..10 {
            let mut damaged = bytes.clone();
            let at = rng.random_range(0..damaged.len());
            damaged[at] ^= 1 << rng.random_range(0..8);
            let (found, _, _) = decode(Container::Smi, &p, &damaged, 64, &image);
            let most = whole + 2 * p.max_branch_count as usize;
            assert!(found.len() <= most, "seed {seed}, byte {at}: {} events of {whole}", found.len());
        }
    }
}
