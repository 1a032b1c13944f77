//! Builds Verilated programs, and caches each by its content

use super::tools::{run, tool_name, ToolError};
use super::CosimError;
use super::{Dir, Port};
use crate::flow::top_of;
use retire::file::scratch;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashMap};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Options of Verilator. Two-state and fast: the lint finds an X in the Verilog.
const VERILATOR_FLAGS: [&str; 8] =
    ["--cc", "-O3", "--x-assign", "fast", "--noassert", "-Wno-fatal", "-Wno-lint", "--Mdir"];

/// `-O1` compiles in half the time of `-O2`, and the program is as fast.
const CXX_FLAGS: [&str; 7] =
    ["-O1", "-pthread", "-DVERILATOR=1", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TRACE_FST=0", "-w"];

/// Header that every program includes, with those of the run-time library. It is precompiled; a compiler that cannot
/// use the precompiled form reads the text.
const HEADERS: &str = "headers.h";

/// What to build, in addition to the texts of the files.
pub(crate) struct Recipe<'a> {
    /// Class of the top module.
    pub prefix: &'a str,
    /// File with the Verilog, and its top module.
    pub top: (&'a str, &'a str),
    /// Further Verilator options of this build.
    pub options: &'a [&'a str],
    /// Whether it can write a VCD.
    pub vcd: bool,
}

/// Builds in progress in this process: a second build of the same program waits for the first and uses its result.
static BUILDING: Mutex<Option<HashMap<PathBuf, Arc<Mutex<()>>>>> = Mutex::new(None);

fn lock_of(home: &Path) -> Arc<Mutex<()>> {
    let mut all = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
    all.get_or_insert_default().entry(home.into()).or_default().clone()
}

/// Folder of cached programs: `GOSHAWK_COSIM_CACHE`, else `cosim` in the target folder of the workspace this was
/// compiled in, else in the system's temporary folder.
fn cache() -> PathBuf {
    if let Some(dir) = std::env::var_os("GOSHAWK_COSIM_CACHE") {
        return dir.into();
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"));
    if target.is_dir() {
        target.join("cosim")
    } else {
        std::env::temp_dir().join("goshawk-cosim")
    }
}

fn hash(parts: &[&str]) -> String {
    let half = |salt: u64| {
        let mut h = DefaultHasher::new();
        (salt, parts).hash(&mut h);
        h.finish()
    };
    format!("{:016x}{:016x}", half(0), half(1))
}

/// Builds `files` (name, text), of which `top.v` is the Verilog and `main.cpp` the harness, and returns the program.
/// State without an initial value starts at 0, or at random if the program is asked to (`--x-initial unique`).
pub(crate) fn build(files: &[(&str, &str)]) -> Result<PathBuf, CosimError> {
    let verilog = files.iter().find(|f| f.0 == "top.v").map_or("", |f| f.1);
    let options = ["--x-initial", "unique"];
    let recipe = Recipe { prefix: "Vtop", top: ("top.v", top_of(verilog)), options: &options, vcd: false };
    build_in(&cache(), &recipe, files)
}

/// Builds below `dir`, and returns the program. The same files, tools and options give the same program without a
/// build.
pub(crate) fn build_in(dir: &Path, recipe: &Recipe, files: &[(&str, &str)]) -> Result<PathBuf, CosimError> {
    let verilator = tool_name("VERILATOR", &["verilator"]);
    let cxx = tool_name("CXX", &["g++", "clang++"]);
    let version = said(&verilator, &["--version"])?;
    let mut parts = vec![version.as_str(), cxx.as_str(), if recipe.vcd { "vcd" } else { "" }];
    parts.extend(VERILATOR_FLAGS.iter().chain(&CXX_FLAGS));
    let runtime = dir.join(format!("runtime-{}", hash(&parts)));
    parts.extend(recipe.options);
    parts.extend(files.iter().flat_map(|(name, text)| [*name, *text]));
    let home = dir.join(hash(&parts));
    let program = home.join("sim");
    if program.is_file() {
        return Ok(program);
    }
    std::fs::create_dir_all(dir)?;
    let root = said(&verilator, &["--getenv", "VERILATOR_ROOT"])?;
    let include = Path::new(root.trim()).join("include");
    let tools = Tools { verilator, cxx, include, vcd: recipe.vcd };
    tools.in_new_folder(dir, &runtime, |work| tools.runtime(work))?;
    tools.in_new_folder(dir, &home, |work| tools.top(work, recipe, files, &runtime))?;
    Ok(program)
}

/// What Verilator prints about itself: asked once in a process, because it is a Perl script that takes longer to start than a program
/// that is found in the cache.
fn said(verilator: &str, question: &[&str]) -> Result<String, ToolError> {
    static ANSWERS: Mutex<BTreeMap<(String, String), String>> = Mutex::new(BTreeMap::new());
    let key = (verilator.to_string(), question.concat());
    let mut answers = ANSWERS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(answer) = answers.get(&key) {
        return Ok(answer.clone());
    }
    let answer = run(verilator, "VERILATOR", Path::new("."), question.iter().copied())?;
    answers.insert(key, answer.clone());
    Ok(answer)
}

struct Tools {
    verilator: String,
    cxx: String,
    include: PathBuf,
    vcd: bool,
}

impl Tools {
    /// Lets `make` fill a temporary folder next to `home`, then renames it, so another process never sees half a build.
    /// If two processes build the same, the second discards its own. Does nothing if `home` exists.
    fn in_new_folder(
        &self,
        dir: &Path,
        home: &Path,
        make: impl FnOnce(&Path) -> Result<(), CosimError>,
    ) -> Result<(), CosimError> {
        let lock = lock_of(home);
        let _one = lock.lock().unwrap_or_else(PoisonError::into_inner);
        if home.is_dir() {
            return Ok(());
        }
        let work = scratch::Folder::new_in(dir, "build-")?;
        make(work.path())?;
        match std::fs::rename(work.path(), home) {
            Err(e) if !home.is_dir() => Err(e.into()),
            _ => Ok(()),
        }
    }

    fn cxx(&self, dir: &Path, args: &[&str]) -> Result<(), ToolError> {
        let include = self.include.to_string_lossy().into_owned();
        let vltstd = self.include.join("vltstd").to_string_lossy().into_owned();
        let mut all = CXX_FLAGS.to_vec();
        all.extend(if self.vcd { ["-DVM_TRACE=1", "-DVM_TRACE_VCD=1"] } else { ["-DVM_TRACE=0", "-DVM_TRACE_VCD=0"] });
        all.extend(["-I", &include, "-I", &vltstd, "-I", ".", "-I", "obj"]);
        all.extend(args);
        run(&self.cxx, "CXX", dir, all).map(drop)
    }

    /// Sources of Verilator's run-time library.
    fn library(&self) -> impl Iterator<Item = &'static str> {
        ["verilated", "verilated_threads"].into_iter().chain(self.vcd.then_some("verilated_vcd_c"))
    }

    /// Compiles the run-time library and its headers once for all tops: for a small top they are half of the work.
    fn runtime(&self, work: &Path) -> Result<(), CosimError> {
        let headers = ["verilated.h", "cstdint", "cstdio", "cstdlib", "cstring", "unistd.h"];
        std::fs::write(work.join(HEADERS), headers.map(|h| format!("#include <{h}>\n")).concat())?;
        self.cxx(work, &["-x", "c++-header", HEADERS, "-o", &format!("{HEADERS}.gch")])?;
        for name in self.library() {
            let source = self.include.join(format!("{name}.cpp"));
            self.cxx(work, &["-c", &source.to_string_lossy(), "-o", &format!("{name}.o")])?;
        }
        Ok(())
    }

    fn top(&self, work: &Path, recipe: &Recipe, files: &[(&str, &str)], runtime: &Path) -> Result<(), CosimError> {
        for (name, text) in files {
            std::fs::write(work.join(name), text)?;
        }
        let (file, top) = recipe.top;
        let mut args = VERILATOR_FLAGS.to_vec();
        args.extend(["obj", "--prefix", recipe.prefix, "--top-module", top, file]);
        args.extend(recipe.options.iter().chain(self.vcd.then_some(&"--trace")));
        run(&self.verilator, "VERILATOR", work, args)?;
        let mut sources: Vec<String> = std::fs::read_dir(work.join("obj"))?
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| name.ends_with(".cpp"))
            .collect();
        sources.sort();
        // one translation unit, so that the compiler inlines the circuit into the loop that clocks it
        let (slow, fast): (Vec<_>, Vec<_>) = sources.iter().partition(|name| name.contains("__Slow"));
        let include = |names: &[&String]| names.iter().map(|s| format!("#include \"{s}\"\n")).collect::<String>();
        // code that Verilator marks as slow runs once, at the start
        let unit = format!(
            "{}#pragma GCC push_options\n#pragma GCC optimize(\"O0\")\n{}#pragma GCC pop_options\n#include \"main.cpp\"\n",
            include(&fast),
            include(&slow)
        );
        std::fs::write(work.join("unit.cpp"), unit)?;
        let headers = runtime.join(HEADERS).to_string_lossy().into_owned();
        let mut args: Vec<String> = ["-include", &headers, "unit.cpp", "-o", "sim"].map(String::from).into();
        args.extend(self.library().map(|name| runtime.join(format!("{name}.o")).to_string_lossy().into_owned()));
        self.cxx(work, &args.iter().map(String::as_str).collect::<Vec<_>>())?;
        std::fs::remove_dir_all(work.join("obj"))?;
        Ok(())
    }
}

/// Name of the C++ member of a Verilog port: Verilator writes characters that C++ does not allow as `__0` and hex.
pub(crate) fn member(port: &str) -> String {
    let mut name = String::new();
    for c in port.chars() {
        match c {
            '_' if name.ends_with('_') => name.push_str("__05F"),
            c if c.is_ascii_alphanumeric() || c == '_' => name.push(c),
            c => name.push_str(&format!("__0{:02X}", u32::from(c))),
        }
    }
    name
}

/// `ports.h`: moves vectors into and out of the Verilated top module.
pub(crate) fn ports_header(clock: Option<&str>, ports: &[Port]) -> String {
    let words = |dir: Dir| ports.iter().filter(|p| p.dir == dir).map(Port::words).sum::<usize>().max(1);
    let mut set = String::new();
    let mut get = String::new();
    let (mut i, mut o) = (0, 0);
    for p in ports {
        let m = format!("t.{}", member(&p.name));
        let (text, at) = match p.dir {
            Dir::Input => (&mut set, &mut i),
            Dir::Output => (&mut get, &mut o),
        };
        match (p.dir, p.width) {
            (Dir::Input, 0..=32) => text.push_str(&format!("    {m} = w[{at}];\n")),
            (Dir::Input, 33..=64) => {
                text.push_str(&format!("    {m} = w[{at}] | static_cast<uint64_t>(w[{}]) << 32;\n", *at + 1));
            }
            (Dir::Output, 0..=32) => text.push_str(&format!("    w[{at}] = {m};\n")),
            (Dir::Output, 33..=64) => text.push_str(&format!(
                "    w[{at}] = static_cast<uint32_t>({m});\n    w[{}] = static_cast<uint32_t>({m} >> 32);\n",
                *at + 1
            )),
            (Dir::Input, _) => (0..p.words()).for_each(|k| text.push_str(&format!("    {m}[{k}] = w[{}];\n", *at + k))),
            (Dir::Output, _) => {
                (0..p.words()).for_each(|k| text.push_str(&format!("    w[{}] = {m}[{k}];\n", *at + k)));
            }
        }
        *at += p.words();
    }
    let clock = clock.map_or_else(String::new, |c| format!("t.{} = c;", member(c)));
    format!(
        "#include <cstdint>\n#define IN_WORDS {}\n#define OUT_WORDS {}\n\
         static inline void set_inputs(Vtop& t, const uint32_t* w) {{\n{set}}}\n\
         static inline void get_outputs(Vtop& t, uint32_t* w) {{\n{get}}}\n\
         static inline void set_clock(Vtop& t, int c) {{ {clock} }}\n",
        words(Dir::Input),
        words(Dir::Output)
    )
}
