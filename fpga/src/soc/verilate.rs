//! Builds a SoC with Verilator, and caches it by content
//!
//! The build folder is named by a hash of all inputs, so the same SoC is built once. A build that fails or is
//! interrupted leaves nothing that a later one would use.

use super::top::{Output, SocConfig, SocError};
use crate::cosim::build::{build_in, Recipe};
use crate::cosim::{tools, CosimError};
use crate::flow::tool::{ToolError, ToolKind};
use crate::records::{RECORDS, WORDS};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Verilator.
pub const VERILATOR: ToolKind =
    ToolKind { what: "verilator", variable: "VERILATOR", names: &["verilator"], min_version: (5, 0) };

/// State without an initial value starts at 0.
const OPTIONS: [&str; 3] = ["--x-initial", "fast", "-Wno-UNOPTFLAT"];

/// Error of a build.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The SoC cannot be made.
    #[error("{0}")]
    Soc(#[from] SocError),
    /// A tool failed.
    #[error("{0}")]
    Tool(#[from] ToolError),
    /// The compiler or a file access failed.
    #[error("{0}")]
    Build(CosimError),
}

impl From<CosimError> for BuildError {
    /// Keeps only the errors from the output of Verilator and the compiler.
    fn from(e: CosimError) -> Self {
        let CosimError::Tool(tools::ToolError::Failed { tool, status, output }) = e else { return Self::Build(e) };
        let message: Vec<&str> = output.lines().filter(|l| l.contains("rror")).take(3).collect();
        Self::Tool(ToolError::Failed { tool, status, message: message.join(" / ") })
    }
}

/// Default folder of builds: `GOSHAWK_SOC_CACHE`, else `soc` in the target folder of the workspace this was compiled
/// in, else in the system's temporary folder.
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
    let mut functions = vec![
        ("get_retired", "retire_valid", "retire_pc", "retire_npc"),
        ("get_trap", "retire_trap", "retire_mepc", "retire_cause"),
    ];
    if config.has_value_port() {
        s.push_str("#define VALUES\n");
    }
    if config.shows_data() {
        s.push_str("#define DATA\n");
        functions.push(("get_register", "retire_rd", "retire_rd", "retire_value"));
    }
    for (function, valid, a, b) in functions {
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

/// Builds the simulation of `config`, whose Verilog is `verilog`, below `cache`, or finds it in the cache, and returns
/// the program.
pub fn build(config: &SocConfig, verilog: &str, vcd: bool, cache: &Path) -> Result<PathBuf, BuildError> {
    let header = header(config);
    let files =
        [("soc.v", verilog), ("soc.h", &header), ("main.cpp", include_str!("../../verilator/soc.cpp")), WORDS, RECORDS];
    build_files(&files, vcd, cache)
}

/// Builds `soc.v` with `main.cpp` and its headers.
pub(super) fn build_files(files: &[(&str, &str)], vcd: bool, cache: &Path) -> Result<PathBuf, BuildError> {
    VERILATOR.find()?;
    let recipe = Recipe { prefix: "Vsoc", top: ("soc.v", "soc"), options: &OPTIONS, vcd };
    Ok(build_in(cache, &recipe, files)?)
}
