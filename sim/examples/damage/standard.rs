//! Standard protocols: their decoders mark a fault and continue at the next synchronization; the first mark counts here

use super::{damage, instructions, Counts, Stream as Run};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use retire::{FlowEvent, FlowKind};
use sim::baseline::etrace as encoder;
use sim::standard::{etrace, ntrace, Ordered, Stream};

/// Instructions after which a synchronization is sent, where it is.
const PERIOD: u64 = 1 << 12;
/// Bytes of the first messages, which detect their damage by being refused.
const BEGINNING: usize = 12;

/// Streams of fewer bytes get no faults.
const SHORT: usize = 64;

const NTRACE: [(&str, ntrace::Options); 2] = {
    const HISTORY: ntrace::Options = ntrace::Options {
        history: true,
        returns: 0,
        repeat: false,
        sequential_jump: false,
        extend_address_msb: false,
        trap_types: false,
        time: false,
        ownership: None,
        filter: false,
        source: (0, 0),
        sync: None,
        at_port: false,
    };
    [
        ("ntrace+btm", ntrace::Options { history: false, ..HISTORY }),
        ("ntrace+ir8+rh", ntrace::Options { returns: 8, repeat: true, ..HISTORY }),
    ]
};
const ETRACE: [(&str, encoder::Options); 3] = [
    ("etrace", encoder::Options { return_stack: 0, predictors: 0, jump_targets: 0, ..encoder::Options::BASE }),
    (
        "etrace+ir8+jtc64",
        encoder::Options { return_stack: 3, predictors: 0, jump_targets: 6, ..encoder::Options::BASE },
    ),
    (
        "etrace+ir8+bp512+jtc64",
        encoder::Options { return_stack: 3, predictors: 9, jump_targets: 6, ..encoder::Options::BASE },
    ),
];

/// The events up to the first mark, and whether there is one.
fn first_mark(mut trace: impl Stream, bytes: &[u8]) -> (Vec<FlowEvent>, bool) {
    let mut sink = Ordered::new(Vec::new());
    let (mut at, mut end) = (0, 0);
    while end < bytes.len() && trace.faults().count == 0 {
        end = (end + 4).min(bytes.len());
        at += trace.feed(&bytes[at..end], end == bytes.len(), &mut sink);
    }
    let marked = trace.faults().count > 0;
    if !marked {
        trace.finish(&mut sink);
    }
    let events = sink.into_sink();
    // a message that says that something was lost
    let lost = events.iter().any(|e| matches!(e.kind, FlowKind::Gap { .. }));
    (events, marked || lost)
}

fn count((got, marked): (Vec<FlowEvent>, bool), run: &[FlowEvent], counts: &mut Counts) {
    let equal = run.iter().zip(&got).take_while(|(w, g)| w.same_flow(g)).count();
    let mut rest = &got[equal..];
    // what ended there may be less than what retired before the next event
    if let (Some(end), Some(next)) = (rest.first(), run.get(equal)) {
        if matches!(end.kind, FlowKind::Gap { .. } | FlowKind::Stop) && end.count <= next.count {
            rest = &rest[1..];
        }
    }
    // the last jump has no target
    let whole = equal + 2 >= run.len();
    counts.add(marked, if whole { 0 } else { instructions(rest) }, whole);
}

fn table(
    name: &str,
    sync: bool,
    runs: &[&Run],
    per_kind: usize,
    kinds: &[&str],
    of: &dyn Fn(&Run) -> (Vec<u8>, Decode),
) {
    let (mut counts, mut size) = (Counts::default(), 0);
    for (i, run) in runs.iter().enumerate() {
        let (bytes, decode) = of(run);
        // loops that unconditional jumps close need next to nothing
        if bytes.len() < SHORT {
            continue;
        }
        size += bytes.len();
        for (k, kind) in kinds.iter().enumerate() {
            let mut rng = ChaCha8Rng::seed_from_u64((100 * i + k) as u64);
            for _ in 0..per_kind {
                count(decode(run, &damage(&bytes, BEGINNING, kind, &mut rng).0), &run.events, &mut counts);
            }
        }
    }
    counts.print(name, sync, "-", size);
}

/// Decodes bytes up to the first mark.
type Decode = Box<dyn Fn(&Run, &[u8]) -> (Vec<FlowEvent>, bool)>;

fn ntrace_of(run: &Run, options: ntrace::Options) -> (Vec<u8>, Decode) {
    let mut encoder = ntrace::Encoder::new(options, 32, &run.image);
    run.events.iter().for_each(|e| encoder.push(e));
    let bytes = encoder.bytes().to_vec();
    let p = ntrace::Parameters::default();
    let mut scan = ntrace::Scan::new(&p);
    scan.feed(&bytes, true).expect("it is right");
    let decode =
        move |run: &Run, bytes: &[u8]| first_mark(ntrace::Trace::new(&p, 32, &scan.sources, &run.image), bytes);
    (bytes, Box::new(decode))
}

fn etrace_of(run: &Run, options: encoder::Options, sync: bool) -> (Vec<u8>, Decode) {
    let extras = encoder::Extras { resync: sync.then_some(PERIOD), ..encoder::Extras::default() };
    let mut encoder =
        encoder::Encoder::with_extras(options, extras, &run.image, 32).expect("parameters that are legal");
    run.events.iter().for_each(|e| encoder.push(e).expect("it can be encoded"));
    let bytes = encoder.finish().expect("it can be encoded").bytes;
    let p = etrace::Parameters {
        iaddress_width_p: 32,
        return_stack_size_p: options.return_stack,
        bpred_size_p: options.predictors,
        cache_size_p: options.jump_targets,
        f0s_width_p: u8::from(options.predictors > 0 || options.jump_targets > 0),
        ..etrace::Parameters::default()
    };
    let mut scan = etrace::Scan::new(etrace::Container::Smi, &p);
    scan.feed(&bytes, true).expect("it is right");
    let decode = move |run: &Run, bytes: &[u8]| {
        first_mark(etrace::Trace::new(etrace::Container::Smi, &p, &scan.sources, &run.image), bytes)
    };
    (bytes, Box::new(decode))
}

/// A row for each protocol, with and without synchronizations, of the runs of one core.
pub fn rows(runs: &[Run], kinds: &[&str], per_kind: usize) {
    let runs: Vec<&Run> = runs.iter().filter(|r| r.harts == 1).collect();
    for sync in [false, true] {
        for (name, options) in NTRACE {
            let options = ntrace::Options { sync: sync.then_some(PERIOD), ..options };
            table(name, sync, &runs, per_kind, kinds, &|run| ntrace_of(run, options));
        }
        for (name, options) in ETRACE {
            table(name, sync, &runs, per_kind, kinds, &|run| etrace_of(run, options, sync));
        }
    }
}
