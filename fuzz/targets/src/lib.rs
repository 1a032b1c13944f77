//! Decoders and parsers as functions of bytes, for fuzzers
//!
//! A target takes any bytes and returns. It must not panic, hang, or allocate much more than it was given. Each has seeds, which are made of
//! the repository's own programs. Two drivers run the targets:
//!
//! * `cargo fuzz`, in the folder around this crate, where that is installed;
//! * [`drive`], on every machine: seeds that are changed at random, without a look at which code they reach. `tests/bounded.rs` runs it
//!   for a few seconds, and `cargo run --release -p fuzz-targets --example drive` for as long as one likes.

mod data;
mod diagnosis;
pub mod drive;
mod files;
mod flow;
mod gdb;
mod mutate;

use std::path::Path;

/// What a fuzzer calls, and what it begins with.
#[derive(Clone, Copy)]
pub struct Target {
    /// Lower-case name.
    pub name: &'static str,
    /// Takes any bytes.
    pub run: fn(&[u8]),
    /// Bytes that it understands.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// All targets.
pub const TARGETS: [Target; 10] = [
    Target { name: "flow", run: flow::run, seeds: flow::seeds },
    Target { name: "inputs", run: data::inputs, seeds: data::inputs_seeds },
    Target { name: "cfiat", run: data::cfiat, seeds: data::cfiat_seeds },
    Target { name: "retire", run: files::retire, seeds: files::retire_seeds },
    Target { name: "rbt1", run: files::rbt1, seeds: files::rbt1_seeds },
    Target { name: "elf", run: files::elf, seeds: files::elf_seeds },
    Target { name: "script", run: diagnosis::script, seeds: diagnosis::script_seeds },
    Target { name: "frames", run: diagnosis::frames, seeds: diagnosis::frames_seeds },
    Target { name: "log", run: diagnosis::log, seeds: diagnosis::log_seeds },
    Target { name: "gdb", run: gdb::run, seeds: gdb::seeds },
];

/// The target of that name.
pub fn find(name: &str) -> Option<Target> {
    TARGETS.into_iter().find(|t| t.name == name)
}

/// Runs the target of that name.
///
/// # Panics
/// There is none, or it finds a fault.
pub fn target(name: &str, data: &[u8]) {
    (find(name).unwrap_or_else(|| panic!("there is no target {name}")).run)(data);
}

/// Writes the seeds of a target to a folder of its name in `folder`, as `cargo fuzz` takes them.
///
/// # Errors
/// A file cannot be written.
pub fn write_seeds(target: &Target, folder: &Path) -> std::io::Result<()> {
    let folder = folder.join(target.name);
    std::fs::create_dir_all(&folder)?;
    (target.seeds)().iter().enumerate().try_for_each(|(i, seed)| std::fs::write(folder.join(format!("seed-{i}")), seed))
}

/// What a fuzzer calls before the first input: it writes the seeds to `GOSHAWK_SEEDS`, if that is set.
///
/// # Panics
/// There is no target of that name, or a file cannot be written.
pub fn begin(name: &str) {
    let target = find(name).unwrap_or_else(|| panic!("there is no target {name}"));
    if let Some(folder) = std::env::var_os("GOSHAWK_SEEDS") {
        write_seeds(&target, Path::new(&folder)).unwrap_or_else(|e| panic!("{}: {e}", Path::new(&folder).display()));
    }
}

/// Bytes as little-endian words; what is left over at the end is not one.
fn words(data: &[u8]) -> impl Iterator<Item = u32> + Clone + '_ {
    data.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

/// Words as bytes.
fn bytes(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::TARGETS;
    use std::process::Command;

    /// `cargo fuzz` builds the folder around this one, which the rest of the repository never does.
    #[test]
    fn cargo_finds_a_program_for_each_target() {
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
        let arguments = ["metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path", manifest];
        let cargo = Command::new(env!("CARGO")).args(arguments).output().unwrap();
        let (said, wrong) = (String::from_utf8_lossy(&cargo.stdout), String::from_utf8_lossy(&cargo.stderr));
        assert!(cargo.status.success(), "{wrong}");
        let programs: Vec<&str> = said.split("\"kind\":[\"bin\"]").skip(1).collect();
        assert_eq!(programs.len(), TARGETS.len());
        for target in TARGETS {
            let named = format!("\"name\":\"{}\",", target.name);
            assert!(programs.iter().any(|p| p.contains(&named)), "{} has no program in fuzz/Cargo.toml", target.name);
        }
    }
}
