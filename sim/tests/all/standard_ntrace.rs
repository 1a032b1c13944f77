//! N-Trace: the golden encoder and the decoder, on random walks with losses, contexts and synchronizations

use crate::common;
use crate::etrace::merge;
use crate::standard_etrace::{assert_same, decodable, interrupted};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use retire::image::Image;
use retire::{FlowEvent, FlowKind};
use sim::standard::ntrace::{read, Encoder, Kind, Message, Options, Parameters, Scan, Trace};
use sim::standard::{Counts, Ordered, Stream};

/// Decodes a stream that is passed in pieces of at most `step` bytes.
fn decode(p: &Parameters, bytes: &[u8], step: usize, image: &Image) -> (Vec<FlowEvent>, Counts, Vec<String>) {
    let mut scan = Scan::new(p);
    if scan.feed(bytes, true).is_err() {
        return (Vec::new(), Counts::default(), vec!["too many sources".into()]);
    }
    let mut trace = Trace::new(p, 32, &scan.sources, image);
    let mut sink = Ordered::new(Vec::new());
    let (mut from, mut to) = (0, 0);
    while from < bytes.len() {
        to = (to + step).min(bytes.len());
        from += trace.feed(&bytes[from..to], to == bytes.len(), &mut sink);
    }
    trace.finish(&mut sink);
    let faults = trace.faults().first.iter().map(|(at, _, why)| format!("byte {at}: {why}")).collect();
    (sink.into_sink(), trace.counts(), faults)
}

/// All options, alone and together.
fn option_sets() -> Vec<Options> {
    let mut sets = Vec::new();
    for history in [false, true] {
        let base = Options { history, ..Options::default() };
        sets.push(base);
        sets.push(Options { returns: 8, ..base });
        sets.push(Options { returns: 32, repeat: true, ..base });
        sets.push(Options { sync: Some(1), time: true, ..base });
        sets.push(Options { sync: Some(100), returns: 2, sequential_jump: true, ..base });
        sets.push(Options { extend_address_msb: true, trap_types: true, source: (4, 9), ..base });
        sets.push(Options {
            history,
            returns: 8,
            repeat: true,
            sequential_jump: true,
            extend_address_msb: true,
            trap_types: true,
            time: true,
            ownership: Some(30),
            source: (2, 3),
            sync: Some(500),
            filter: false,
            at_port: false,
        });
    }
    sets
}

fn parameters(options: &Options) -> Parameters {
    Parameters {
        source_bits: options.source.0,
        extend_address_msb: options.extend_address_msb,
        sequential_jump: options.sequential_jump,
        all_jumps: false,
    }
}

/// What N-Trace reports of events: no causes, and the context after a trap in place of before it.
fn reported(events: &[FlowEvent], options: &Options) -> Vec<FlowEvent> {
    let mut out: Vec<FlowEvent> = Vec::new();
    let mut held = None;
    for e in decodable(events, 0) {
        match e.kind {
            FlowKind::Context { .. } if options.ownership.is_none() => {}
            FlowKind::Context { context, alone: false } => held = Some(context),
            FlowKind::Trap { interrupt, .. } => {
                let kind = FlowKind::Trap { interrupt: interrupt && options.trap_types, cause: 0 };
                out.push(FlowEvent { kind, ..e });
                let context = held.take().map(|context| FlowKind::Context { context, alone: true });
                out.extend(context.map(|kind| FlowEvent { kind, len: 0, count: 0, pc: e.target, ..e }));
            }
            _ => out.push(e),
        }
    }
    out
}

fn each(seed: u64, image: &Image, mut each: impl FnMut(&str, &Options, &Parameters, &[u8], &[FlowEvent])) {
    let events = interrupted(&merge(common::walk(image, 400, 1, seed, 3000)), seed);
    for options in option_sets() {
        let mut encoder = Encoder::new(options, 32, image);
        events.iter().for_each(|e| encoder.push(e));
        let place = format!("seed {seed}, {options:?}");
        each(&place, &options, &parameters(&options), encoder.bytes(), &reported(&events, &options));
    }
}

#[test]
fn walks_come_back_with_all_options() {
    for seed in 0..30 {
        let image = Image::new(&common::program(seed, 400));
        each(seed, &image, |place, options, p, bytes, want| {
            // idle bytes between messages
            let idle: Vec<u8> =
                bytes.iter().flat_map(|b| [*b].into_iter().chain((b & 3 == 3).then_some(0xff))).collect();
            for bytes in [bytes, &idle] {
                let (found, counts, faults) = decode(p, bytes, 64, &image);
                assert_eq!(faults, Vec::<String>::new(), "{place}");
                assert_same(&found, want, place);
                let gaps = want.iter().filter(|e| matches!(e.kind, FlowKind::Gap { .. })).count();
                assert_eq!(counts.losses, gaps as u64, "{place}");
                assert_eq!(counts.time.is_some(), options.time, "{place}");
            }
        });
    }
}

#[test]
fn events_have_the_times_of_their_messages() {
    let image = Image::new(&common::program(5, 400));
    let events = merge(common::walk(&image, 400, 1, 5, 3000));
    let stamped: Vec<FlowEvent> = (1..).zip(&events).map(|(i, e)| FlowEvent { cycle: 7 * i, ..*e }).collect();
    let options = Options { history: true, time: true, sync: Some(64), ..Options::default() };
    let mut encoder = Encoder::new(options, 32, &image);
    stamped.iter().for_each(|e| encoder.push(e));
    let mut scan = Scan::new(&parameters(&options));
    scan.feed(encoder.bytes(), true).unwrap();
    assert!(scan.is_timed());
    let mut trace = Trace::new(&parameters(&options), 32, &scan.sources, &image);
    let mut found: Vec<FlowEvent> = Vec::new();
    trace.feed(encoder.bytes(), true, &mut found);
    trace.finish(&mut found);
    let want = reported(&stamped, &options);
    assert_same(&found, &want, "times");
    let own_message = |e: &FlowEvent| !matches!(e.kind, FlowKind::Conditional { .. } | FlowKind::Jump | FlowKind::Call);
    let mut exact = 0;
    for (f, w) in found.iter().zip(&want) {
        // the others are reported with a later one
        assert!(f.cycle >= w.cycle && (!own_message(w) || f.cycle == w.cycle), "{f:?}, at {}", w.cycle);
        exact += u64::from(own_message(w));
    }
    assert!(exact > 100, "{exact} events with a message of their own");
}

#[test]
fn times_continue_where_the_counter_begins_again() {
    let image = Image::new(&common::program(5, 400));
    let events = merge(common::walk(&image, 400, 1, 5, 300));
    let options = Options { history: true, time: true, sync: Some(16), at_port: true, ..Options::default() };
    let times = |cycle: &dyn Fn(u64) -> u64, traces: usize| {
        let mut bytes = Vec::new();
        for _ in 0..traces {
            let mut encoder = Encoder::new(options, 32, &image);
            let stamped = (0..).zip(&events).map(|(i, e)| FlowEvent { cycle: cycle(i), ..*e });
            stamped.for_each(|e| encoder.push(&e));
            bytes.extend(encoder.bytes());
        }
        let mut scan = Scan::new(&Parameters::default());
        scan.feed(&bytes, true).unwrap();
        let mut trace = Trace::new(&Parameters::default(), 32, &scan.sources, &image);
        let mut found: Vec<FlowEvent> = Vec::new();
        trace.feed(&bytes, true, &mut found);
        (found.last().unwrap().cycle, trace.counts().time.unwrap())
    };
    let last = events.len() as u64 - 1;
    // more than a period of the counter, and two traces
    let far = |i| i << 27;
    assert!(far(last) > 1 << 33, "{last} events");
    assert_eq!(times(&far, 1), (far(last), (0, far(last))));
    assert_eq!(times(&|i| 3 + i, 2).1, (3, 2 * (3 + last) + 3 - 3));
}

#[test]
fn a_buffer_that_wrapped_begins_at_its_first_synchronization() {
    let image = Image::new(&common::program(8, 400));
    each(8, &image, |place, options, p, bytes, want| {
        if options.sync.is_none() || options.ownership.is_some() {
            return;
        }
        for cut in [1, 2, 3, 57, 200, 201, 202] {
            let (found, _, faults) = decode(p, &bytes[cut..], 4096, &image);
            assert_eq!(faults, Vec::<String>::new(), "{place}, from byte {cut}");
            assert_eq!(found[0].kind, FlowKind::Start);
            // the end of the walk
            let common = found.len() - 2;
            assert_same(&found[2..], &want[want.len() - common..], &format!("{place}, from byte {cut}"));
        }
    });
}

#[test]
fn harts_with_sources_are_apart() {
    let image = Image::new(&common::program(11, 400));
    let harts = [5u16, 2, 7];
    let walk = merge(common::walk(&image, 400, 3, 11, 3000));
    let options = |source| Options { history: true, returns: 8, source: (3, source), ..Options::default() };
    let mut encoders: Vec<_> = harts.iter().map(|s| Encoder::new(options(*s), 32, &image)).collect();
    let (mut bytes, mut sent) = (vec![0xff; 3], [0; 3]);
    for e in &walk {
        let hart = usize::from(e.hart);
        encoders[hart].push(e);
        bytes.extend(&encoders[hart].bytes()[sent[hart]..]);
        sent[hart] = encoders[hart].bytes().len();
        // a message of a vendor
        bytes.extend([57 << 2, 0x04, 0x43]);
    }
    let p = Parameters { source_bits: 3, ..Parameters::default() };
    let (found, counts, faults) = decode(&p, &bytes, 1000, &image);
    assert_eq!(faults, Vec::<String>::new());
    assert!(counts.other > 0);
    // sources become harts in their order: 2, 5, 7
    for (hart, original) in [(0, 1), (1, 0), (2, 2)] {
        let found: Vec<_> = found.iter().filter(|e| e.hart == hart).copied().collect();
        let want: Vec<_> = reported(
            &walk.iter().filter(|e| e.hart == original).map(|e| FlowEvent { hart: 0, ..*e }).collect::<Vec<_>>(),
            &options(0),
        )
        .into_iter()
        .map(|e| FlowEvent { hart, ..e })
        .collect();
        assert_same(&found, &want, &format!("hart {hart}"));
    }
}

#[test]
fn fields_are_those_that_the_specification_prints() {
    let p = Parameters::default();
    let kind = Kind::IndirectBranch { btype: 0, icnt: 0x7d, address: 0xe, hist: Some(0xffe) };
    let message = Message { source: 0, kind, time: None };
    assert_eq!(read(&[0x70, 0xd0, 0x1d, 0x1d, 0xf8, 0xff], &p), Ok(message));
    // PROCESS 0x3b2: scontext 0x1d, V 1, PRV 0; 0xc: M mode
    let process = |bytes: &[u8]| read(bytes, &p).unwrap().kind;
    assert_eq!(process(&[0x08, 0x32 << 2, 0x0e << 2 | 3]), Kind::Ownership { privilege: 0, context: Some(0x1d) });
    assert_eq!(process(&[0x08, 0x0c << 2 | 3]), Kind::Ownership { privilege: 3, context: None });
    for (bytes, why) in [
        (&[0x70, 0xd0, 0x1d, 0x1d, 0x03][..], "without its stop bit"),
        (&[0x70, 0xd0, 0x1d, 0x1f], "ends before a field"),
        (&[0x06, 0x03], "reserved MSEO"),
        (&[5 << 2, 0x03], "a reserved TCODE, 5"),
        (&[0x0c, 0xfc, 0xfc, 0xfc, 0xff], "at most 22 bits"),
        (&[0x0c, 0x05, 0x05, 0x07], "after the last one"),
    ] {
        assert!(read(bytes, &p).unwrap_err().to_string().contains(why), "{why}: {:?}", read(bytes, &p));
    }
}

#[test]
fn damaged_and_random_bytes_are_marked_or_refused() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let (mut damaged, mut unmarked) = (0, 0);
    for seed in 40..44 {
        let image = Image::new(&common::program(seed, 400));
        each(seed, &image, |place, _, p, bytes, want| {
            for _ in 0..10 {
                let mut bytes = bytes[..bytes.len().min(3000)].to_vec();
                let at = rng.random_range(0..bytes.len());
                match rng.random_range(0..4) {
                    0 => bytes[at..].iter_mut().for_each(|b| *b = rng.random()),
                    1 => drop(bytes.drain(at..(at + 40).min(bytes.len()))),
                    _ => bytes[at] ^= 1 << rng.random_range(0..8),
                }
                let (found, counts, faults) = decode(p, &bytes, 700, &image);
                damaged += 1;
                let whole = found.len().min(want.len()).saturating_sub(2);
                let same = found[..whole].iter().zip(want).all(|(f, w)| f.same_flow(w));
                unmarked += u64::from(!same && faults.is_empty() && counts.losses == 0);
                // what was refused after the first synchronization is a gap, also at the end
                let begun = p.source_bits == 0 && found.first().is_some_and(|f| f.same_flow(&want[0]));
                if begun && (!faults.is_empty() || counts.losses > 0) {
                    assert!(
                        found.iter().any(|e| matches!(e.kind, FlowKind::Gap { .. })),
                        "{place}, byte {at}: {faults:?}"
                    );
                }
            }
        });
    }
    // another outcome of a branch can be as valid: nothing in the protocol detects that
    assert!(unmarked * 4 < damaged, "{unmarked} of {damaged}");
}

#[test]
fn built_in_programs_come_back_from_both_protocols() {
    use sim::baseline::etrace::{encode, Options as Modes};
    use sim::riscv::{Limits, Machine, MachineConfig};
    use sim::standard::etrace::Container;
    for program in programs::PROGRAMS {
        let loaded = program.load().unwrap();
        let image = Image::new(&loaded);
        let mut events: Vec<FlowEvent> = Vec::new();
        let limits = Limits { instructions: 100_000, ..Limits::default() };
        Machine::new(&loaded, MachineConfig::default()).unwrap().run(&mut events, limits).unwrap();
        for options in option_sets() {
            let mut encoder = Encoder::new(options, 32, &image);
            events.iter().for_each(|e| encoder.push(e));
            let (found, _, faults) = decode(&parameters(&options), encoder.bytes(), 4096, &image);
            let place = format!("{}, {options:?}", program.name);
            assert_eq!(faults, Vec::<String>::new(), "{place}");
            assert_same(&found, &reported(&events, &options), &place);
        }
        for options in Modes::ALL {
            let bytes = &encode(&events, 1, options, 32, &image).unwrap()[0].bytes;
            let p = crate::standard_etrace::parameters(options, 32);
            let (found, _, faults) = crate::standard_etrace::decode(Container::Smi, &p, bytes, 4096, &image);
            assert_eq!(faults, Vec::<String>::new(), "{}, {options}", program.name);
            assert_same(&found, &decodable(&events, 0), &format!("{}, {options}", program.name));
        }
    }
}
