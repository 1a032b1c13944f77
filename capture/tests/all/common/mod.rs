//! Guest programs, and the content of their captured runs

use capture::expand::{Expanded, Origin, Sink};
use capture::machine::{Executable, Machine};
use capture::run::{capture, Captured, Options};
use capture::schedule::Schedule;
use retire::{DataEvent, FlowEvent, FlowKind};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock};

/// A program of `guests`, compiled once per test binary: statically, for RV64.
pub fn guest(name: &str) -> PathBuf {
    compiled(name, "riscv64-linux-gnu-gcc")
}

/// As [`guest`], with this compiler and its options; dynamically linked with `-pie`.
pub fn compiled(name: &str, compiler: &str) -> PathBuf {
    static PLACE: OnceLock<tempfile::TempDir> = OnceLock::new();
    static MADE: Mutex<()> = Mutex::new(());
    let place = PLACE.get_or_init(|| tempfile::tempdir().unwrap());
    let made = MADE.lock().unwrap_or_else(|e| e.into_inner());
    let program = place.path().join(format!("{name}.{compiler}"));
    if !program.exists() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/guests/{name}.c"));
        let words: Vec<&str> = compiler.split(' ').collect();
        let status = Command::new(words[0])
            .args(&words[1..])
            .args(["-O1", "-pthread"])
            .args((!words.contains(&"-pie")).then_some("-static"))
            .arg("-o")
            .arg(&program)
            .arg(source)
            .status();
        assert!(status.expect("tools/setup installs the compiler").success(), "{name}");
    }
    drop(made);
    program
}

/// The programs of `programs/parallel`.
pub fn built(compiler: &str) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../programs/parallel/build");
    let status = Command::new(script).arg(place.path()).arg(compiler).status();
    assert!(status.unwrap().success(), "{compiler}");
    place
}

pub fn options(schedule: &str, arguments: &[&str]) -> Options {
    Options {
        arguments: arguments.iter().map(Into::into).collect(),
        qemu: None,
        sysroot: None,
        schedule: schedule.parse::<Schedule>().unwrap(),
        data: false,
        text: false,
        own_image: false,
        routines: Vec::new(),
        skip: 0,
        start_at: None,
        stop_at: None,
        time: None,
        length: None,
        size: None,
        system: None,
        parts: Default::default(),
        contexts: false,
        end_with_trace: false,
        to_stderr: true,
        folder: std::env::temp_dir(),
        follow: Default::default(),
        requested: || None,
    }
}

pub fn run(program: &Path, options: &Options) -> Captured {
    capture(Executable::open(program).unwrap(), options, &mut |_| {}).unwrap()
}

/// Everything that a run reports.
#[derive(Default)]
pub struct All {
    pub events: Vec<(u32, FlowEvent)>,
    pub data: Vec<(u32, DataEvent)>,
    /// Code by address, as QEMU translated it.
    pub code: HashMap<u64, Vec<u8>>,
    /// Every retired pc, with its thread.
    pub pcs: Vec<(u32, u64)>,
    /// The same, including instructions that trapped.
    pub begun: Vec<(u32, u64)>,
    /// Interrupted addresses, with the number of instructions begun before.
    pub interrupted: Vec<(usize, u64)>,
    /// Causes of exceptions after an instruction that retires, so that the one at their address does not begin.
    after: &'static [u8],
    sizes: HashMap<u64, Vec<u8>>,
}

impl Sink for All {
    fn event(&mut self, of: &Origin<'_>, event: &FlowEvent) {
        if let FlowKind::Trap { interrupt, cause } = event.kind {
            if interrupt {
                self.interrupted.push((self.begun.len(), event.pc));
            } else if !self.after.contains(&cause) {
                self.begun.push((of.thread, event.pc));
            }
        }
        self.events.push((of.thread, *event));
    }
    fn data(&mut self, of: &Origin<'_>, data: &DataEvent) {
        self.data.push((of.thread, *data));
    }
    fn block(&mut self, start: u64, sizes: &[u8], code: &[u8]) {
        if self.sizes.get(&start).is_none_or(|s| s.len() < sizes.len()) {
            self.sizes.insert(start, sizes.to_vec());
            self.code.insert(start, code.to_vec());
        }
    }
    fn instructions(&mut self, thread: u32, start: u64, from: usize, count: usize) {
        let mut pc = start;
        for (i, size) in self.sizes[&start][..from + count].iter().enumerate() {
            if i >= from {
                self.pcs.push((thread, pc));
                self.begun.push((thread, pc));
            }
            pc += u64::from(*size);
        }
    }
}

pub fn all(captured: &Captured, harts: u8) -> (All, Expanded) {
    let after = match captured.executable.machine {
        // system calls
        Machine::X86 => &[0x80][..],
        Machine::Aarch64 => &[0x15],
        _ => &[],
    };
    let mut all = All { after, ..All::default() };
    let expanded = captured.expand_to(harts, &mut all, &mut |_| true).unwrap();
    (all, expanded)
}
