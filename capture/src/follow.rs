//! Further processes of a run: children, and programs that replace others

use crate::layout::{self, Slot, EMPTY, EXITED, FREE_SLOT, RUNNING, TAKEN};
use crate::machine::Executable;
use crate::recorder::{Recorder, Settings};
use crate::run::{Captured, Ended, Process};
use crate::shared::{send, RegistryMemory, Shared};
use crate::CaptureError;
use std::collections::HashMap;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::Ordering::*;

/// Slots that are kept ready.
const READY: usize = 8;

/// Which further processes are captured; the first program always is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Follow {
    /// None: children and other programs run uncaptured.
    #[default]
    None,
    /// All.
    All,
    /// Programs with these file names, and children while they run them.
    Named(Vec<String>),
    /// Processes down to this depth: 1 is the children of the first process, 2 also their children.
    Depth(u32),
}

impl FromStr for Follow {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let right = "expected all, none, depth:N such as depth:1, or file names of programs such as cc1,as";
        match text {
            "none" => Ok(Self::None),
            "all" => Ok(Self::All),
            _ if text.starts_with("depth:") => match text["depth:".len()..].parse() {
                Ok(depth @ 1..) => Ok(Self::Depth(depth)),
                _ => Err(right.into()),
            },
            _ if text.split(',').any(|name| name.is_empty() || name.contains('/')) => Err(right.into()),
            _ => Ok(Self::Named(text.split(',').map(Into::into).collect())),
        }
    }
}

impl Follow {
    fn wants(&self, program: &Path, depth: u32) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Depth(deepest) => depth <= *deepest,
            Self::Named(names) => program.file_name().is_some_and(|name| names.iter().any(|n| name == n.as_str())),
        }
    }
}

/// Receives a process that has ended.
pub type Finished<'f> = dyn FnMut(Captured) -> Result<(), CaptureError> + 'f;

struct Follower {
    slot: usize,
    process: Process,
    executable: Executable,
    recorder: Recorder,
    wanted: bool,
    /// Another program has replaced it.
    is_replaced: bool,
}

/// All processes except the first.
pub(crate) struct Others<'a> {
    settings: &'a Settings<'a>,
    registry: RegistryMemory,
    plugin: u32,
    qemu: String,
    /// The program of the first process, which children of it run.
    program: Executable,
    /// The first process.
    pub(crate) first: u32,
    /// Depths of all processes that began, by their numbers: the first process has 0, its children 1.
    depths: HashMap<u32, u32>,
    /// Memory of slots that nobody has taken.
    ready: Vec<Option<Shared>>,
    running: Vec<Follower>,
    /// Programs that QEMU could not start.
    pub(crate) not_started: Vec<PathBuf>,
    finished: &'a mut Finished<'a>,
}

/// Whether a process has ended.
fn is_dead(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    // the state follows the name, which is in brackets and may contain any character
    stat.map_or(true, |text| text.rsplit(") ").next().is_none_or(|rest| rest.starts_with(['Z', 'X'])))
}

impl<'a> Others<'a> {
    pub(crate) fn new(
        settings: &'a Settings<'a>,
        program: &Executable,
        qemu: &str,
        plugin: &File,
        finished: &'a mut Finished<'_>,
    ) -> Result<Self, CaptureError> {
        let root = settings.options.sysroot.clone().or(program.sysroot().map(PathBuf::from)).unwrap_or_default();
        let root = if root == Path::new("") { root } else { std::path::absolute(&root).unwrap_or(root) };
        let mut others = Self {
            settings,
            registry: RegistryMemory::new(&root)?,
            plugin: plugin.as_raw_fd() as u32,
            qemu: qemu.into(),
            program: program.clone(),
            first: 0,
            depths: HashMap::new(),
            ready: (0..layout::SLOTS).map(|_| None).collect(),
            running: Vec::new(),
            not_started: Vec::new(),
            finished,
        };
        others.prepare()?;
        Ok(others)
    }

    /// Descriptors of the registry and of the plugin.
    pub(crate) fn files(&self) -> [u32; 2] {
        [self.registry.descriptor(), self.plugin]
    }

    /// Children that could not be captured.
    pub(crate) fn missed(&self) -> u32 {
        self.registry.registry().missed.load(Relaxed)
    }

    /// Whether a process has not ended.
    pub(crate) fn is_busy(&self) -> bool {
        let taken = |slot: &Slot| matches!(slot.state.load(Acquire), TAKEN | RUNNING);
        !self.running.is_empty() || self.registry.registry().slots.iter().any(taken)
    }

    /// Sends a signal to all processes.
    pub(crate) fn send(&self, signal: i32) {
        self.running.iter().filter(|f| !f.is_replaced).for_each(|f| send(signal, f.process.pid));
    }

    /// Prepares empty slots.
    fn prepare(&mut self) -> Result<(), CaptureError> {
        let files = self.files();
        let slots = &self.registry.registry().slots;
        let mut free = slots.iter().filter(|slot| slot.state.load(Relaxed) == FREE_SLOT).count();
        for (i, slot) in slots.iter().enumerate() {
            if free >= READY {
                break;
            }
            if slot.state.load(Acquire) == EMPTY {
                let shared = self.settings.shared(Some(files), Some(i))?;
                slot.memory.store(shared.file().as_raw_fd() as u32, Relaxed);
                self.ready[i] = Some(shared);
                slot.state.store(FREE_SLOT, Release);
                free += 1;
            }
        }
        Ok(())
    }

    /// The program that a process runs.
    fn program_of(&self, pid: u32) -> Executable {
        let follower = self.running.iter().rev().find(|f| f.process.pid == pid);
        follower.map_or_else(|| self.program.clone(), |f| f.executable.clone())
    }

    /// The depth of a process that has begun. One whose begin was not seen is deeper than any limit.
    fn depth(&self, pid: u32) -> u32 {
        if pid == self.first {
            return 0;
        }
        if let Some(depth) = self.depths.get(&pid) {
            return *depth;
        }
        // its slot may have a greater index than that of a child or of the program that replaces it
        let began = |slot: &&Slot| matches!(slot.state.load(Acquire), TAKEN | RUNNING) && slot.pid.load(Acquire) == pid;
        let mut slots = self.registry.registry().slots.iter().filter(began);
        let parent = slots.find(|slot| path_of(slot) == Path::new("")).map(|slot| slot.parent.load(Relaxed));
        parent.filter(|parent| *parent != pid).map_or(u32::MAX, |parent| self.depth(parent).saturating_add(1))
    }

    /// Takes processes that have begun.
    fn adopt(&mut self) -> Result<(), CaptureError> {
        for i in 0..layout::SLOTS {
            let slot = &self.registry.registry().slots[i];
            let pid = slot.pid.load(Acquire);
            match slot.state.load(Acquire) {
                RUNNING if self.ready[i].is_some() => {}
                // it ended before it began
                TAKEN if pid != 0 && is_dead(pid) && slot.state.load(Acquire) == TAKEN => {
                    self.not_started.push(path_of(slot));
                    self.ready[i] = None;
                    slot.pid.store(0, Relaxed);
                    slot.state.store(EMPTY, Release);
                    continue;
                }
                _ => continue,
            }
            let (parent, path) = (slot.parent.load(Relaxed), path_of(slot));
            let is_replacing = path != Path::new("");
            let executable = if is_replacing { Executable::open(&path)? } else { self.program_of(parent) };
            let Some(shared) = self.ready[i].take() else { continue };
            for before in self.running.iter_mut().filter(|f| f.process.pid == pid) {
                before.is_replaced = true;
            }
            let depth = match is_replacing {
                true => self.depth(pid),
                false => self.depth(parent).saturating_add(1),
            };
            self.depths.insert(pid, depth);
            let follow = &self.settings.options.follow;
            let wanted = follow.wants(&executable.path, depth);
            let mut recorder = Recorder::new(shared, executable.machine, self.settings.options)?;
            if !wanted {
                recorder.limit = Some(match follow {
                    Follow::Depth(_) => "the depth of --follow",
                    _ => "the names of --follow",
                });
                recorder.shared.control().stop.store(1, Relaxed);
            }
            let process = Process { pid, parent, missed: 0 };
            self.running.push(Follower { slot: i, process, executable, recorder, wanted, is_replaced: false });
        }
        Ok(())
    }

    /// Keeps what the processes have written, and returns the number of words.
    pub(crate) fn serve(&mut self) -> Result<usize, CaptureError> {
        self.adopt()?;
        self.prepare()?;
        let mut all = 0;
        let mut i = 0;
        while let Some(follower) = self.running.get_mut(i) {
            // checked first, so that everything written before the end is in the ring
            let is_over = follower.is_replaced || is_dead(follower.process.pid);
            let n = follower.recorder.drain();
            all += n;
            if !is_over || n > 0 {
                i += 1;
                continue;
            }
            let Follower { slot, process, executable, recorder, wanted, is_replaced } = self.running.remove(i);
            let exit = recorder.shared.control().exit.load(Relaxed);
            let ended = match exit & EXITED {
                _ if is_replaced => Ended::Replaced,
                0 => Ended::Unknown,
                _ => Ended::Code((exit & 0xff) as i32),
            };
            if wanted {
                let options = self.settings.options;
                (self.finished)(recorder.finish(executable, options, self.qemu.clone(), ended, process)?)?;
            }
            let slot = &self.registry.registry().slots[slot];
            slot.pid.store(0, Relaxed);
            slot.state.store(EMPTY, Release);
        }
        Ok(all)
    }
}

fn path_of(slot: &Slot) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    let bytes = slot.path.iter().map(|b| b.load(Relaxed)).take_while(|b| *b != 0).collect();
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_file_names() {
        let named = |text: &str| text.parse::<Follow>();
        assert_eq!((named("all"), named("none")), (Ok(Follow::All), Ok(Follow::None)));
        let some = named("cc1,as").unwrap();
        assert!(some.wants(Path::new("/usr/bin/as"), 9) && !some.wants(Path::new("/usr/bin/ld"), 1));
        assert!(named("/bin/ls").is_err() && named("a,,b").is_err() && named("").is_err());
    }

    #[test]
    fn a_depth_is_a_number_from_1() {
        let depth: Follow = "depth:2".parse().unwrap();
        assert_eq!(depth, Follow::Depth(2));
        let wanted = |depth: &Follow| [0, 1, 2, 3, u32::MAX].map(|d| depth.wants(Path::new("/bin/ls"), d));
        assert_eq!(wanted(&depth), [true, true, true, false, false]);
        assert!(["depth:", "depth:0", "depth:-1", "depth:all"].iter().all(|text| text.parse::<Follow>().is_err()));
    }
}
