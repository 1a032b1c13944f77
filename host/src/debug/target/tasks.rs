//! Tasks of an operating system, as GDB shows them: threads, and the list of `monitor tasks`

use super::{Debugger, Thread};
use crate::debug::scene::Scene;
use crate::debug::tasks::{History, Left};
use crate::text::count;
use gdbstub::common::Tid;
use gdbstub::outputln;
use gdbstub::target::ext::monitor_cmd::ConsoleOutput;
use gdbstub::target::ext::thread_extra_info::ThreadExtraInfo;
use std::collections::BTreeMap;

impl<S: Scene> Debugger<S> {
    /// Finds all switches of tasks, once.
    pub(super) fn find_switches(&mut self) -> Result<(), String> {
        if let Some(tasks) = self.tasks.as_ref().filter(|_| self.history.is_none()) {
            let history = History::of(&mut self.motion.line, tasks.layout).map_err(|e| e.to_string())?;
            self.history = Some(history);
        }
        Ok(())
    }

    /// The tasks that wait at this moment: thread, control block, and when they were left.
    pub(super) fn waiting(&self) -> impl Iterator<Item = (Tid, u64, Left)> + '_ {
        let cores = usize::from(self.replay().cores());
        let waiting = self.history.as_ref().map(|history| history.waiting(self.replay())).unwrap_or_default();
        waiting.into_iter().filter_map(move |(number, block, left)| Some((Tid::new(cores + 1 + number)?, block, left)))
    }

    /// Prints all tasks with their states at this moment.
    pub(super) fn print_tasks(&mut self, out: &mut ConsoleOutput<'_>) -> Result<(), String> {
        self.find_switches()?;
        let Some(tasks) = &self.tasks else {
            outputln!(out, "no tasks are known: a recorded run of a program with FreeRTOS, ThreadX or Zephyr has them, or `--task-pointer` names them");
            return Ok(());
        };
        let scene = self.replay();
        // by control block: that a core runs it, and the moment at which a core left it
        let mut all: BTreeMap<u64, (Option<u8>, Option<u64>)> = BTreeMap::new();
        for block in tasks.listed(scene) {
            all.entry(block).or_default();
        }
        for (_, block, left) in self.waiting() {
            all.entry(block).or_default().1 = Some(left.at);
        }
        for core in 0..scene.cores() {
            if let Some(block) = tasks.layout.running(scene, core) {
                all.entry(block).or_default().0 = Some(core);
            }
        }
        let rows = all.into_iter().map(|(block, (core, left))| {
            let state =
                core.map_or_else(|| tasks.state(scene, block).to_string(), |core| format!("running on core {core}"));
            let since = left.map_or_else(String::new, |at| format!("not running since moment {}", count(at)));
            let since = if core.is_none() && left.is_none() { "has not run".into() } else { since };
            (tasks.layout.task_name(scene, block), state, since)
        });
        let rows: Vec<(String, String, String)> = rows.collect();
        let width = |column: fn(&(String, String, String)) -> &str| {
            rows.iter().map(|row| column(row).chars().count()).max().unwrap_or(0)
        };
        let (names, states) = (width(|row| &row.0), width(|row| &row.1));
        if rows.is_empty() {
            outputln!(out, "no task is known at this moment");
        }
        for (name, state, since) in &rows {
            outputln!(out, "{}", format!("{name:names$}  {state:states$}  {since}").trim_end());
        }
        Ok(())
    }
}

impl<S: Scene> ThreadExtraInfo for Debugger<S> {
    fn thread_extra_info(&self, tid: Tid, buf: &mut [u8]) -> Result<usize, String> {
        let Ok(thread) = self.thread(tid) else { return Ok(0) };
        let scene = self.replay();
        let tasks = self.tasks.as_ref();
        let name = |block: u64| tasks.map_or_else(String::new, |tasks| tasks.layout.task_name(scene, block));
        let text = match thread {
            Thread::Core(core) => {
                let cycle = scene.cycle(core).map(|c| format!(", cycle {}", count(c))).unwrap_or_default();
                let task = tasks.and_then(|tasks| tasks.layout.running(scene, core));
                let task = task.map(|block| format!(", task {}", name(block))).unwrap_or_default();
                format!("core {core}, instruction {}{cycle}{task}", count(scene.retired(core)))
            }
            Thread::Waiting { block, left } => {
                let state = tasks.map_or_else(String::new, |tasks| tasks.state(scene, block).to_string());
                format!("task {}, {state}, not running since moment {}", name(block), count(left.at))
            }
        };
        let n = text.len().min(buf.len());
        buf[..n].copy_from_slice(&text.as_bytes()[..n]);
        Ok(n)
    }
}
