//! Builds a SoC with Verilator, once per content
//!
//! The build folder is named by a hash of everything that goes in, so the same SoC is built once; a failed or
//! cut build leaves nothing that a later one would take.

use super::top::{Output, Purpose, SocConfig, SocError};
use crate::flow::tool::{ToolError, ToolKind};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Verilator.
pub const VERILATOR: ToolKind =
    ToolKind { what: "verilator", variable: "VERILATOR", names: &["verilator"], least: (5, 0) };

/// Two-state and fast; what has no value at power-up is 0.
const FLAGS: [&str; 15] = [
    "--cc",
    "--exe",
    "--build",
    "-O3",
    "--x-assign",
    "fast",
    "--x-initial",
    "fast",
    "--noassert",
    "-Wno-fatal",
    "-Wno-lint",
    "-Wno-UNOPTFLAT",
    "--top-module",
    "soc",
    "--prefix",
];

/// Why a SoC could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// There is no such SoC.
    #[error("{0}")]
    Soc(#[from] SocError),
    /// A tool.
    #[error("{0}")]
    Tool(#[from] ToolError),
    /// Files.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: String,
        /// The system's reason.
        source: std::io::Error,
    },
}

/// Where builds are kept unless asked otherwise: `GOSHAWK_SOC_CACHE`, else `soc` in the target folder of the
/// workspace this was compiled in, else in the system's temporary folder.
pub fn default_cache() -> PathBuf {
    if let Some(dir) = std::env::var_os("GOSHAWK_SOC_CACHE").filter(|d| !d.is_empty()) {
        return dir.into();
    }
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target");
    if target.is_dir() {
        target.join("soc")
    } else {
        std::env::temp_dir().join("goshawk-soc")
    }
}

/// `soc.h`: the ports, for the harness.
fn header(config: &SocConfig) -> String {
    let n = config.cores;
    let output = match config.output {
        Output::Port { pins } => format!("#define PINS {pins}\n"),
        Output::Uart { divisor } => format!("#define DIVISOR {divisor}\n"),
    };
    let mut s = format!("#pragma once\n#include <cstdint>\n#define CORES {n}u\n{output}");
    for (function, valid, a, b) in [
        ("get_retired", "retire_valid", "retire_pc", "retire_npc"),
        ("get_trap", "retire_trap", "retire_mepc", "retire_cause"),
    ] {
        let _ = write!(
            s,
            "static inline bool {function}(Vsoc& t, unsigned core, uint32_t& a, uint32_t& b) {{\n    switch (core) {{\n"
        );
        for i in 0..n {
            let _ = writeln!(s, "    case {i}: a = t.{a}_{i}; b = t.{b}_{i}; return t.{valid}_{i};");
        }
        s.push_str("    }\n    return false;\n}\n");
    }
    s
}

fn hash(parts: &[&str]) -> String {
    use std::collections::hash_map::DefaultHasher;
    use std::hash::{Hash, Hasher};
    let half = |salt: u64| {
        let mut h = DefaultHasher::new();
        (salt, parts).hash(&mut h);
        h.finish()
    };
    format!("{:016x}{:016x}", half(0), half(1))
}

/// Builds the simulation of `config` below `cache`, or finds it built: the program.
pub fn build(config: &SocConfig, vcd: bool, cache: &Path) -> Result<PathBuf, BuildError> {
    let verilog = config.verilog(Purpose::Simulation)?;
    let files =
        [("soc.v", verilog), ("soc.h", header(config)), ("main.cpp", include_str!("../../verilator/soc.cpp").into())];
    build_files(&files, vcd, cache)
}

/// Builds `soc.v` with `main.cpp` and what it includes.
pub(super) fn build_files(files: &[(&str, String)], vcd: bool, cache: &Path) -> Result<PathBuf, BuildError> {
    let verilator = VERILATOR.find()?;
    let mut parts = vec![verilator.version.as_str(), if vcd { "vcd" } else { "" }];
    parts.extend(FLAGS);
    parts.extend(files.iter().flat_map(|(name, text)| [*name, text.as_str()]));
    let home = cache.join(hash(&parts));
    let program = home.join("Vsoc");
    if program.is_file() {
        return Ok(program);
    }
    let io = |path: &Path| {
        let path = path.display().to_string();
        move |source| BuildError::Io { path, source }
    };
    std::fs::create_dir_all(cache).map_err(io(cache))?;
    let work = tempfile::Builder::new().prefix("build-").tempdir_in(cache).map_err(io(cache))?;
    for (name, text) in files {
        std::fs::write(work.path().join(name), text).map_err(io(work.path()))?;
    }
    let mut args = FLAGS.to_vec();
    args.extend(["Vsoc", "--Mdir", "obj", "-CFLAGS", "-O2 -I..", "-o", "Vsoc", "soc.v", "main.cpp"]);
    if vcd {
        args.push("--trace");
    }
    // the compiler of make's default rules; its messages are told when it fails
    let output = Command::new(&verilator.name)
        .args(&args)
        .current_dir(work.path())
        .stdin(Stdio::null())
        .output()
        .map_err(io(Path::new(&verilator.name)))?;
    if !output.status.success() {
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        let lines: Vec<&str> = said.lines().filter(|l| l.contains("rror")).take(3).collect();
        return Err(ToolError::Failed {
            tool: verilator.name,
            status: output.status.to_string(),
            said: lines.join(" / "),
        }
        .into());
    }
    std::fs::rename(work.path().join("obj/Vsoc"), work.path().join("Vsoc")).map_err(io(work.path()))?;
    std::fs::remove_dir_all(work.path().join("obj")).map_err(io(work.path()))?;
    match std::fs::rename(work.path(), &home) {
        Err(e) if !home.is_dir() => Err(io(&home)(e)),
        _ => Ok(program),
    }
}
