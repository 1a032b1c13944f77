//! Generated trace systems on standard buses, tested with the bus models of cocotb and cocotbext-axi

use crate::common::Place;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Python with cocotb: `tools/setup` installs it in `.venv`.
fn python() -> PathBuf {
    let own = root().join(".venv/bin/python3");
    if own.exists() {
        own
    } else {
        "python3".into()
    }
}

/// Plays `buses.py` on a system with `bus` and `port`; returns its output if it fails.
///
/// `period`: that of the separate word clock, where the system's period is 70.
fn play(bus: &str, port: &str, more: &str, period: Option<u32>, change: impl Fn(&str) -> String) -> Result<(), String> {
    let place = Place::new();
    let clock = if period.is_some() { "--port-clock" } else { "" };
    place.good(&format!("gen --set small --fifo 256 --bus {bus} --port {port} {more} {clock} -o out"));
    let out = place.path().join("out");
    let verilog = out.join("goshawk_trace.v");
    let text = std::fs::read_to_string(&verilog).unwrap();
    std::fs::write(&verilog, change(&text)).unwrap();
    let mut envs = vec![("PORT", port.to_string()), ("WRITES", more.strip_prefix("--writes ").unwrap_or("any").into())];
    envs.extend([("BUS", bus.to_string())]);
    envs.extend(period.map(|p| ("PERIOD", p.to_string())));
    cocotb(&out, "buses", &envs)
}

/// Plays a module of `cli/tests/buses` on the system in a folder; returns its output if it fails.
fn cocotb(out: &Path, module: &str, envs: &[(&str, String)]) -> Result<(), String> {
    let script = "import os, sys\nfrom cocotb.runner import get_runner, check_results_file\n\
        r = get_runner('icarus')\n\
        r.build(verilog_sources=['goshawk_trace.v'], hdl_toplevel='goshawk', build_dir='build')\n\
        check_results_file(r.test(test_module=os.environ['PLAYED'], hdl_toplevel='goshawk', build_dir='build'))\n";
    let done = Command::new(python())
        .args(["-c", script])
        .current_dir(out)
        .env("PYTHONPATH", root().join("cli/tests/buses"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PLAYED", module)
        .envs(envs.iter().cloned())
        .env("SEED", "7")
        .env("FOLDER", out)
        .output()
        .unwrap_or_else(|e| panic!("{}: {e}; tools/setup installs what is needed", python().display()));
    let said = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    if done.status.success() {
        Ok(())
    } else {
        Err(said)
    }
}

/// Plays `memory.py` on a system on `bus` that writes to memory; returns the folder with its output files.
fn into_memory(bus: &str, what: &str, more: &str, change: impl Fn(&str) -> String) -> Result<Place, String> {
    let place = Place::new();
    place.good(&format!("gen --set small --fifo 256 --bus {bus} --port axi4-memory {more} -o out"));
    let out = place.path().join("out");
    let verilog = out.join("goshawk_trace.v");
    let text = std::fs::read_to_string(&verilog).unwrap();
    std::fs::write(&verilog, change(&text)).unwrap();
    let envs = [("BUS", bus), ("WHAT", what), ("WRITES", "any"), ("PORT", "axi4-memory"), ("SIZE", "356")];
    cocotb(&out, "memory", &envs.map(|(name, value)| (name, value.to_string())))?;
    Ok(place)
}

#[test]
fn registers_and_words_by_models_of_others() {
    for (bus, port, more) in
        [("apb", "axi-stream", ""), ("axi-lite", "atb", "--no-initial"), ("wishbone", "bytes", "--module-name goshawk")]
    {
        play(bus, port, more, None, str::to_string).unwrap_or_else(|said| panic!("{bus}, {port}: {said}"));
    }
}

/// A separate word clock, from a seventh of the system's rate to seven times it.
#[test]
fn words_cross_to_another_clock() {
    for (period, port) in [(10, "native"), (70, "atb"), (94, "bytes"), (490, "axi-stream")] {
        play("apb", port, "", Some(period), str::to_string).unwrap_or_else(|said| panic!("{period}, {port}: {said}"));
    }
}

/// Writes without permission change nothing and end with an error.
#[test]
fn unprivileged_writes_are_refused() {
    for (bus, whose) in [("apb", "privileged"), ("axi-lite", "secure"), ("axi-lite", "privileged-secure")] {
        let more = format!("--writes {whose}");
        play(bus, "native", &more, None, str::to_string).unwrap_or_else(|said| panic!("{bus}, {whose}: {said}"));
    }
}

/// A tool that knows the Trace Control Interface finds the fields of an encoder, traces, and gets the words of the golden model.
#[test]
fn a_tool_of_the_trace_control_interface_traces() {
    for (options, bus, port, fields) in [
        ("--set small --sync --stall", "apb", "axi-stream", "0=832006/7700071 4=0/10101"),
        ("--scheme ntrace+ir8 --no-initial", "axi-lite", "native", "0=6/1000061 4=0/10101 8=0/c8"),
        ("--scheme etrace", "wishbone", "bytes", "0=6/71 4=0/101"),
    ] {
        let place = Place::new();
        place.good(&format!("gen {options} --fifo 256 --control tci --bus {bus} --port {port} -o out"));
        let envs = [("BUS", bus), ("PORT", port), ("WRITES", "any"), ("FIELDS", fields)];
        cocotb(&place.path().join("out"), "tci", &envs.map(|(name, value)| (name, value.to_string())))
            .unwrap_or_else(|said| panic!("{options}: {said}"));
    }
}

/// A tool finds an encoder for each core and the funnel, disables inputs, and gets the messages of the golden model for each core that is left.
#[test]
fn a_tool_traces_through_a_funnel() {
    for (options, cores, bus, port, sram) in [
        ("--scheme ntrace+ir8 --no-initial", "2", "apb", "sram --sram-size 65536", "65536"),
        ("--scheme etrace+ir8", "3", "axi-lite", "native", "0"),
        ("--scheme ntrace+ir8+rh", "5", "wishbone", "bytes", "0"),
        ("--scheme ntrace+ir8 --timestamps", "2", "apb", "native", "0"),
    ] {
        let place = Place::new();
        place.good(&format!(
            "gen {options} --fifo 256 --cores {cores} --control tci --funnel --bus {bus} --port {port} -o out"
        ));
        let protocol = if options.contains("ntrace") { "ntrace" } else { "etrace" };
        let port = port.split(' ').next().unwrap();
        let envs = [("BUS", bus), ("PORT", port), ("WRITES", "any"), ("CORES", cores), ("PROTOCOL", protocol)];
        let envs: Vec<_> =
            envs.iter().chain(&[("SRAM", sram)]).map(|(name, value)| (*name, value.to_string())).collect();
        cocotb(&place.path().join("out"), "funnel", &envs).unwrap_or_else(|said| panic!("{options}, {bus}: {said}"));
    }
}

/// A tool stops, resets and divides the counter of the time stamps, and leaves them out: the other fields of all messages are those of a
/// system without times.
#[test]
fn a_tool_controls_the_time_stamps() {
    for (options, bus) in [("--scheme ntrace+ir8 --no-initial", "apb"), ("--scheme ntrace+ir8+sync64", "axi-lite")] {
        let place = Place::new();
        place.good(&format!("gen {options} --fifo 256 -o plain"));
        place.good(&format!("gen {options} --timestamps --fifo 256 --control tci --bus {bus} --port native -o out"));
        let plain = place.path().join("plain/words.hex").to_string_lossy().into_owned();
        let fields = "8302/20000039";
        let envs = [("BUS", bus), ("PORT", "native"), ("WRITES", "any"), ("FIELDS", fields), ("PLAIN", &plain)];
        cocotb(&place.path().join("out"), "stamps", &envs.map(|(name, value)| (name, value.to_string())))
            .unwrap_or_else(|said| panic!("{options}: {said}"));
    }
}

/// The words of the golden model are in the memory of the RAM sink: all of them, the last ones, or the first ones.
#[test]
fn a_tool_reads_the_trace_from_the_ram_sink() {
    for (options, bus, size) in [
        ("--set small --sync", "apb", "65536"),
        ("--scheme ntrace+ir8 --no-initial", "axi-lite", "256"),
        ("--scheme etrace", "wishbone", "256"),
    ] {
        let place = Place::new();
        place
            .good(&format!("gen {options} --fifo 256 --control tci --bus {bus} --port sram --sram-size {size} -o out"));
        let envs = [("BUS", bus), ("PORT", "sram"), ("WRITES", "any"), ("SIZE", size)];
        cocotb(&place.path().join("out"), "sram", &envs.map(|(name, value)| (name, value.to_string())))
            .unwrap_or_else(|said| panic!("{options}: {said}"));
    }
}

/// The words of the golden model are in the buffer in system memory: all of them, which decode, or the last ones and the first ones.
#[test]
fn a_tool_reads_the_trace_from_system_memory() {
    for (options, bus, size) in [
        ("--set small --sync", "apb", "65536"),
        ("--scheme ntrace+ir8 --no-initial", "axi-lite", "356"),
        ("--scheme etrace", "wishbone", "256"),
    ] {
        let place = Place::new();
        place.good(&format!("gen {options} --fifo 256 --control tci --bus {bus} --port axi4-memory -o out"));
        let envs = [("BUS", bus), ("PORT", "axi4-memory"), ("WRITES", "any"), ("SIZE", size), ("WHAT", "sink")];
        cocotb(&place.path().join("out"), "smem", &envs.map(|(name, value)| (name, value.to_string())))
            .unwrap_or_else(|said| panic!("{options}: {said}"));
        if size == "65536" {
            let decoded = |file| place.good(&format!("decode out/{file} --elf out/beats.ret"));
            assert_eq!(decoded("memory.bin"), decoded("words.hex"));
        }
    }
}

/// The words of the golden model leave on ATB with the ID of the bridge, also by a clock of their own; a disabled bridge discards them,
/// and a word that waits stays.
#[test]
fn a_tool_sends_the_trace_to_atb() {
    for (options, bus, period) in [
        ("--set small --sync", "apb", None),
        ("--scheme ntrace+ir8 --no-initial", "axi-lite", Some("94")),
        ("--scheme etrace", "wishbone", None),
    ] {
        let place = Place::new();
        let clock = if period.is_some() { "--port-clock" } else { "" };
        place.good(&format!("gen {options} --fifo 256 --control tci --bus {bus} --port atb {clock} -o out"));
        let mut envs = vec![("BUS", bus.to_string()), ("PORT", "atb".into()), ("WRITES", "any".into())];
        envs.extend(period.map(|p| ("PERIOD", p.to_string())));
        cocotb(&place.path().join("out"), "atb", &envs).unwrap_or_else(|said| panic!("{options}: {said}"));
    }
}

/// A probe gets the messages of the golden model from the pins, in parallel and serial modes; a disabled sink discards them.
#[test]
fn a_tool_sends_the_trace_to_pins() {
    for (options, bus, modes) in [
        ("--scheme ntrace+ir8 --no-initial", "apb", "8:0:0 10:0:1 12:1:1 4:0:0 5:0:0"),
        ("--scheme etrace", "axi-lite", "9:0:0 11:1:1 4:0:0 5:0:3"),
        ("--set small --sync", "wishbone", "4:0:0 5:0:0"),
    ] {
        let place = Place::new();
        place.good(&format!("gen {options} --fifo 256 --control tci --bus {bus} --port pib -o out"));
        let envs =
            vec![("BUS", bus.to_string()), ("PORT", "pib".into()), ("WRITES", "any".into()), ("MODES", modes.into())];
        cocotb(&place.path().join("out"), "pib", &envs).unwrap_or_else(|said| panic!("{options}: {said}"));
    }
}

/// The models detect a fault: a partial write of a register that is accepted as a whole one.
#[test]
fn a_fault_is_found() {
    let said = play("apb", "bytes", "", None, |text| {
        let broken = text.replace("access & pwrite & !wrong", "access & pwrite");
        assert_ne!(broken, text);
        broken
    });
    let said = said.expect_err("a fault passed");
    assert!(said.contains("Failed 1 of 1 tests"), "{said}");
}

/// The contents of memory equal the golden stream, and decode to the same trace.
#[test]
fn words_in_memory_are_the_trace() {
    for (bus, what) in [("apb", "whole"), ("wishbone", "stopped"), ("axi-lite", "stopped")] {
        let place = into_memory(bus, what, "", str::to_string).unwrap_or_else(|said| panic!("{bus}, {what}: {said}"));
        let decoded = |file| place.good(&format!("decode out/{file} --elf out/beats.ret"));
        assert_eq!(decoded("memory.bin"), decoded("words.hex"), "{bus}, {what}");
    }
}

/// A range that wrapped starts anywhere in the stream: decoding starts at a resync.
#[test]
fn a_wrapped_range_decodes_from_a_resync() {
    let place = into_memory("axi-lite", "wrapped", "--sync --timestamps", str::to_string)
        .unwrap_or_else(|said| panic!("{said}"));
    // core, kind and fields of each message; numbers and times count from the start of the stream
    let decoded = |file: &str| {
        let got = place.output(&format!("decode out/{file} --elf out/beats.ret"));
        assert_eq!(got.status.code(), Some(0), "{file}: {}", String::from_utf8_lossy(&got.stderr));
        let text = String::from_utf8(got.stdout).unwrap();
        let said = |line: &str| line.split_whitespace().skip(3).map(str::to_string).collect::<Vec<_>>();
        (text.lines().skip(1).map(said).collect::<Vec<_>>(), String::from_utf8(got.stderr).unwrap())
    };
    let ((all, quiet), (last, said)) = (decoded("golden.bin"), decoded("memory.bin"));
    assert!(quiet.is_empty() && said.contains("words before the first header skipped"), "{quiet}{said}");
    assert_eq!(last[0][1], "sync");
    assert!(last.len() > 40 && last.len() < all.len(), "{} of {} messages", last.len(), all.len());
    assert_eq!(last[1..], all[all.len() + 1 - last.len()..]);
}

/// A burst that is refused stops the port; what was written to memory before stays, and can be decoded.
#[test]
fn a_refused_burst_is_reported() {
    into_memory("apb", "error", "--timestamps", str::to_string).unwrap_or_else(|said| panic!("{said}"));
}

#[test]
fn faults_of_the_memory_port_are_found() {
    type Fault = (&'static str, &'static str, &'static str);
    let faults: [Fault; 2] = [
        // a burst across a 4 KiB boundary; a word that is lost when memory is not ready
        ("whole", "border < 11'h10", "border < 11'h0"),
        ("whole", "pop = sending & wready;", "pop = sending;"),
    ];
    for (what, right, wrong) in faults {
        let said = into_memory("apb", what, "", |text| {
            assert!(text.contains(right), "{right}");
            text.replace(right, wrong)
        });
        assert!(said.is_err_and(|said| said.contains("Failed 1 of 1 tests")), "{wrong}: a fault passed");
    }
}

/// One error message, and no file: the port's registers use the system's clock.
#[test]
fn the_memory_port_has_no_clock_of_its_own() {
    let place = Place::new();
    let said = place.session("gen --set small --port axi4-memory --port-clock -o out");
    assert!(said.ends_with("exit code 2\n"), "{said}");
    assert!(
        said.contains(
            "`--port-clock`: only with `--port native`, `axi-stream`, `atb` or `bytes`, not `--port axi4-memory`"
        ),
        "{said}"
    );
    assert!(!place.path().join("out").exists());
}
