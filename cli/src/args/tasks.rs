//! Where a program keeps its tasks

use crate::Failure;
use clap::Args;
use host::contexts::running::{Layout, Running};
use host::symbols::Symbols;
use host::views::source::Replayed;
use host::views::stack::follower::Follower;
use host::views::tasks::Tasks;
use retire::elf::Program;
use std::path::Path;

/// Where the tasks of an operating system are.
#[derive(Args, Debug, Default)]
pub struct TaskArgs {
    /// Symbol of the pointer to the control block of the running task or process, optionally with +N bytes. With several cores, it is an
    /// array of such pointers, or of structures that contain one [default: that of FreeRTOS, ThreadX or Zephyr]
    #[arg(help_heading = "Tasks of an operating system", long, value_name = "SYMBOL")]
    task_pointer: Option<String>,
    /// Member of the control block that holds the task's name or points to it, such as name or proc.name; or the offset of this member,
    /// in bytes [default: that of the system, or pcTaskName]
    #[arg(help_heading = "Tasks of an operating system", long, value_name = "MEMBER|N")]
    task_name: Option<String>,
}

impl TaskArgs {
    /// An option that is given, with its value.
    pub fn given(&self) -> Option<String> {
        let all = [("--task-pointer", &self.task_pointer), ("--task-name", &self.task_name)];
        all.into_iter().find_map(|(option, value)| Some(format!("{option} {}", value.as_ref()?)))
    }

    /// Refuses the options, where `used` says that nothing uses them.
    ///
    /// # Errors
    /// One is given.
    pub fn check(&self, used: bool, when: &str) -> Result<(), Failure> {
        match self.given().filter(|_| !used) {
            Some(option) => Err(Failure::Other(format!("`{option}`: only {when}"))),
            None => Ok(()),
        }
    }

    /// The tasks of a recorded run of the program `elf`, or, where options say where they are, of a recording with stores; at its beginning.
    /// `None` without values.
    ///
    /// # Errors
    /// The program has no such pointer or member.
    pub fn recorded(&self, elf: &str, replayed: &Replayed, program: &Program) -> Result<Option<Tasks>, Failure> {
        match replayed {
            Replayed::Recorded(_) => {}
            Replayed::Recording(..) if self.given().is_some() => {}
            _ => return Ok(None),
        }
        let cores = replayed.cores();
        let follower = Follower::new(Symbols::open(elf)?, Some(replayed.image()), cores);
        Ok(Some(Tasks::by_memory(follower, cores, self.running(elf, program, cores)?)))
    }

    /// What each core runs, at the beginning of a run.
    ///
    /// # Errors
    /// The program has no such pointer or member.
    pub fn running(&self, elf: &str, program: &Program, cores: u8) -> Result<Running, Failure> {
        Ok(Running::new(self.layout(elf, program.xlen)?, program, cores))
    }

    /// The error of a run that does not store the pointer.
    pub fn not_stored(&self, path: &Path) -> Failure {
        let pointer = self.task_pointer.as_ref().map_or_else(
            || "no store to the pointer to the running task".into(),
            |pointer| format!("`--task-pointer {pointer}`: no store to it"),
        );
        Failure::Other(format!(
            "{}: {pointer}; expected the pointer to what a core runs, in a recording with loads and stores \
             (`capture run --data`)",
            path.display()
        ))
    }

    /// Where tasks are in memory, if the program has any.
    ///
    /// # Errors
    /// The program does not have what an option names.
    pub fn found(&self, elf: &str, xlen: u8) -> Result<Option<Layout>, Failure> {
        match self.layout(elf, xlen) {
            Err(_) if self.given().is_none() => Ok(None),
            layout => layout.map(Some),
        }
    }

    fn layout(&self, elf: &str, xlen: u8) -> Result<Layout, Failure> {
        Ok(match self.task_pointer.as_deref() {
            Some(pointer) => Layout::open(elf, pointer, self.task_name.as_deref().unwrap_or("pcTaskName"), xlen)?,
            None => Layout::known(elf, self.task_name.as_deref(), xlen)?,
        })
    }
}
