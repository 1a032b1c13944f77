//! The Python module is imported, and its tests in Python pass.

use host::encode::{to_file, Request};
use host::input::Input;
use host::machine::Settings;
use host::progress::Quiet;
use retire::file::retire::RetireWriter;
use sim::params::{Platform, TraceParams};
use std::path::Path;
use std::process::Command;

/// Recordings of built-in programs as the notebook expects them, a trace, and how many messages it has by kind.
fn record(folder: &Path) {
    let settings = Settings { max_instructions: Some(50_000), ..Settings::default() };
    for (name, harts) in [("fft", 1), ("lu", 1), ("fft", 2)] {
        let input = Input::open(&format!("builtin:{name}")).unwrap();
        let run = input.run(harts, &settings).unwrap();
        let mut writer = RetireWriter::create(&folder.join(format!("{name}.{harts}.ret")), &run.info()).unwrap();
        run.report_to(&mut writer, &Quiet).unwrap();
        writer.finish().unwrap();
    }
    let input = Input::open("builtin:fft").unwrap();
    let run = input.run(2, &settings).unwrap();
    let platform = Platform { cores: 2, timestamps: true, ..Platform::RV32 };
    let params = TraceParams::new(platform, "tr_e:small".parse().unwrap());
    let request = Request { fixed_align: false, ..Request::new(params) };
    let encoded = to_file(&run, &request, &folder.join("fft.2.gtr"), &Quiet).unwrap();
    let stats = encoded.system.stats();
    let kinds = stats.kinds.iter().map(|k| k.messages.to_string()).collect::<Vec<_>>().join(" ");
    std::fs::write(folder.join("kinds.txt"), format!("{} {kinds}", encoded.reported.instructions)).unwrap();
}

#[test]
fn the_module_is_imported_and_its_tests_in_python_pass() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("goshawk");
    std::fs::create_dir(&package).unwrap();
    for file in std::fs::read_dir(source.join("goshawk")).unwrap() {
        let file = file.unwrap().path();
        if file.extension().is_some_and(|e| e == "py") {
            std::fs::copy(&file, package.join(file.file_name().unwrap())).unwrap();
        }
    }
    // cargo puts the library beside the test programs. The name is that of the stable interface, which a wheel has, too.
    let library = std::env::current_exe().unwrap().with_file_name("lib_goshawk.so");
    std::fs::copy(&library, package.join("_goshawk.abi3.so")).unwrap_or_else(|e| panic!("{}: {e}", library.display()));
    let runs = folder.path().join("runs");
    std::fs::create_dir(&runs).unwrap();
    record(&runs);

    let python = |arguments: &[&str]| {
        let out = Command::new("python3")
            .args(arguments)
            .current_dir(folder.path())
            .env("PYTHONPATH", folder.path())
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("GOSHAWK_RUNS", &runs)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "python3 {}: {}\n{text}", arguments.join(" "), out.status);
        text
    };
    let imported = python(&["-c", "import goshawk; print(goshawk._goshawk.__file__)"]);
    assert!(imported.contains(folder.path().to_str().unwrap()), "another module is imported: {imported}");
    let tests = source.join("tests");
    let text = python(&["-m", "unittest", "discover", "-v", tests.to_str().unwrap()]);
    // a discovery that finds no tests passes, too, before Python 3.12
    let count = text.lines().find_map(|l| l.strip_prefix("Ran ")?.split(' ').next()?.parse::<usize>().ok());
    let written = std::fs::read_to_string(tests.join("test_goshawk.py")).unwrap().matches("    def test_").count();
    assert_eq!(count, Some(written), "{text}");
    // those of packages that tools/setup does not install may be left out
    for line in text.lines().filter(|l| l.contains("skipped '")) {
        assert!(line.contains("pyarrow"), "{text}");
    }
}
