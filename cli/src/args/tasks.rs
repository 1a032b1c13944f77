//! Where a program keeps its tasks

use crate::Failure;
use clap::Args;
use host::symbols::Symbols;
use host::views::source::Replayed;
use host::views::stack::follower::Follower;
use host::views::tasks::{member, Layout, ReadyLists, Tasks};
use retire::elf::Program;

/// Where the tasks of an operating system are.
#[derive(Args, Debug, Default)]
pub struct TaskArgs {
    /// Symbol of the pointer to the control block of the running task; with several cores, of an array of such pointers [default: pxCurrentTCB]
    #[arg(long, value_name = "SYMBOL")]
    task_pointer: Option<String>,
    /// Member of the control block with the name of the task, or its offset [default: pcTaskName]
    #[arg(long, value_name = "MEMBER|N")]
    task_name: Option<String>,
}

impl TaskArgs {
    /// An option that is given.
    pub fn given(&self) -> Option<&'static str> {
        let all = [("--task-pointer", &self.task_pointer), ("--task-name", &self.task_name)];
        all.into_iter().find(|(_, value)| value.is_some()).map(|(option, _)| option)
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

    /// The tasks of a recorded run of the program `elf`, at its beginning; `None` without values.
    ///
    /// # Errors
    /// The program has no such pointer or member.
    pub fn recorded(&self, elf: &str, replayed: &Replayed, program: &Program) -> Result<Option<Tasks>, Failure> {
        let Replayed::Recorded(session) = replayed else { return Ok(None) };
        let params = &session.info.params;
        let layout = self.layout(elf, params.xlen)?;
        let follower = Follower::new(Symbols::open(elf)?, Some(replayed.image()), params.cores);
        let (base, size) = (params.ram_base.into(), params.ram_bytes as usize);
        Ok(Some(Tasks::by_memory(follower, params.cores, layout, program, base, size)))
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
        let name = self.task_name.as_deref().unwrap_or("pcTaskName");
        let name = name.parse().map_or_else(|_| member(elf, name), Ok)?;
        let pointer = self.task_pointer.as_deref().unwrap_or("pxCurrentTCB");
        let current = Symbols::data(elf, pointer)?.into();
        Ok(Layout { current, name, pointer: xlen / 8, ready: ReadyLists::of_freertos(elf) })
    }
}
