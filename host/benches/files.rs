//! End-to-end benchmarks on files, in instructions per second: `encode`, `replay --check` and `replay`

use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use host::check::Check;
use host::encode::{to_file, Request};
use host::filter::Filter;
use host::input::{Input, InputOptions};
use host::listing::Listing;
use host::machine::Settings;
use host::progress::Quiet;
use host::trace::Trace;
use retire::file::rbt1::Rbt1Writer;
use retire::file::retire::RetireWriter;
use sim::params::{named_set, TraceParams};

const PROGRAM: &str = "builtin:lz";

fn files(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let [ret, new, rbt1, zst, gtr] =
        ["ret", "new.ret", "rbt1", "rbt1.zst", "gtr"].map(|e| folder.path().join(format!("x.{e}")));
    let settings = Settings { max_instructions: Some(20_000_000), ..Settings::default() };
    let program = Input::open(PROGRAM).expect("built in");
    let run = program.run(1, &settings).expect("it runs");
    let mut writer = RetireWriter::create(&ret, &run.info()).expect("written");
    let instructions = run.report_to(&mut writer, &Quiet).expect("it runs").instructions;
    writer.finish().expect("written");
    for (path, compressed) in [(&rbt1, false), (&zst, true)] {
        let mut writer = Rbt1Writer::create(path, compressed, &[]).expect("written");
        run.report_to(&mut writer, &Quiet).expect("it runs");
        writer.finish().expect("written");
    }
    let set = named_set("medium").expect("named");
    let request = Request::new(TraceParams::tr(set.params));
    to_file(&run, &request, &gtr, &Quiet).expect("written");
    let mut group = c.benchmark_group("files");
    group.throughput(Throughput::Elements(instructions)).sample_size(10);
    group.bench_function("run to a retire file", |b| {
        b.iter(|| {
            let mut writer = RetireWriter::create(&new, &run.info()).expect("written");
            run.report_to(&mut writer, &Quiet).expect("it runs");
            writer.finish().expect("written");
        });
    });
    for (name, path) in [("rbt1", &rbt1), ("rbt1.zst", &zst), ("ret", &ret)] {
        group.bench_function(format!("encode {name}"), |b| {
            b.iter(|| {
                let input = Input::open(&path.display().to_string()).expect("a recording");
                to_file(&input.run(1, &settings).expect("a run"), &request, &gtr, &Quiet).expect("written")
            });
        });
    }
    let open = || {
        Trace::open(&gtr, InputOptions { elf: Some(PROGRAM), any_build: false, ..InputOptions::default() }, &Quiet)
            .expect("a trace")
    };
    group.bench_function("replay --check", |b| {
        b.iter(|| {
            let trace = open();
            let mut check = Check::open(&ret, trace.info(), false).expect("of this program");
            trace.replay(&mut check, &Quiet, Check::is_over).expect("replayed");
            assert_eq!(check.finish().expect("read").difference, None);
        });
    });
    group.bench_function("listing", |b| {
        b.iter(|| {
            let (trace, mut out) = (open(), std::io::sink());
            let mut listing = Listing::new(trace.image().clone(), 1, Filter::default(), u64::MAX, &mut out);
            trace.replay(&mut listing, &Quiet, |l| l.is_over()).expect("replayed");
            listing.finish().expect("written");
        });
    });
    group.finish();
}

criterion_group!(benches, files);
criterion_main!(benches);
