//! Operating systems whose tasks are found by the names of their sources: FreeRTOS, ThreadX and Zephyr

use super::running::{
    bytes_of, element, has_symbol, member, Layout, Member, ReadyLists, StackEnd, StackMembers, System,
};
use super::states::States;
use crate::symbols::Symbols;
use crate::HostError;

/// Names of an operating system.
struct Kernel {
    system: System,
    /// The pointer to the control block of the running task, or an array with one for each core.
    pointer: &'static str,
    /// The structure of a core, and its pointer, if `pointer` is an array of these.
    cpu: Option<(&'static str, &'static str)>,
    /// The name in the control block.
    name: &'static str,
    /// The lowest address of the task's stack: the sum of these members.
    stack: &'static [&'static str],
    /// The first address after it, or its size.
    end: End,
}

enum End {
    Pointer(&'static str),
    Size(&'static [&'static str]),
}

const KERNELS: [Kernel; 4] = [
    Kernel {
        system: System::FreeRtos,
        pointer: "pxCurrentTCB",
        cpu: None,
        name: "pcTaskName",
        stack: &["pxStack"],
        // only with configRECORD_STACK_HIGH_ADDRESS
        end: End::Pointer("pxEndOfStack"),
    },
    // FreeRTOS with several cores
    Kernel {
        system: System::FreeRtos,
        pointer: "pxCurrentTCBs",
        cpu: None,
        name: "pcTaskName",
        stack: &["pxStack"],
        end: End::Pointer("pxEndOfStack"),
    },
    // ThreadX
    Kernel {
        system: System::ThreadX,
        pointer: "_tx_thread_current_ptr",
        cpu: None,
        name: "tx_thread_name",
        stack: &["tx_thread_stack_start"],
        end: End::Size(&["tx_thread_stack_size"]),
    },
    // Zephyr
    Kernel {
        system: System::Zephyr,
        pointer: "_kernel",
        cpu: Some(("_cpu", "current")),
        name: "k_thread.name",
        stack: &["k_thread.stack_info", "_thread_stack_info.start"],
        end: End::Size(&["k_thread.stack_info", "_thread_stack_info.size"]),
    },
];

fn sum(elf: &str, members: &[&str]) -> Option<u64> {
    members.iter().map(|name| member(elf, name).ok().map(|m| m.offset)).sum()
}

impl Kernel {
    fn stack(&self, elf: &str) -> Option<StackMembers> {
        let end = match self.end {
            End::Pointer(name) => member(elf, name).ok().map(|m| StackEnd::Pointer(m.offset)),
            End::Size(members) => sum(elf, members).map(StackEnd::Size),
        };
        Some(StackMembers { start: sum(elf, self.stack)?, end })
    }
}

impl Layout {
    /// The layout in an ELF file: `pointer` is a symbol with an optional `+N`, `name` a member `NAME` or `STRUCTURE.NAME` of a control block,
    /// or its offset.
    ///
    /// # Errors
    /// The file has no such symbol or member, or several.
    pub fn open(elf: &str, pointer: &str, name: &str, xlen: u8) -> Result<Self, HostError> {
        let current = Symbols::address64(elf, pointer)?;
        let number = |offset| Member { offset, pointer: false };
        let name = name.parse().map_or_else(|_| member(elf, name), |offset| Ok(number(offset)))?;
        let symbol = pointer.split('+').next().unwrap_or_default();
        let bytes = xlen / 8;
        let stride = element(elf, symbol)?.unwrap_or(bytes.into());
        let ready = ReadyLists::of_freertos(elf);
        let kernel = KERNELS.iter().find(|kernel| kernel.pointer == symbol);
        let (stack, system) = (kernel.and_then(|kernel| kernel.stack(elf)), kernel.map(|kernel| kernel.system));
        let (name, name_by_pointer) = (name.offset, name.pointer);
        Ok(Self { current, stride, name, name_by_pointer, stack, pointer: bytes, ready, system })
    }

    /// The layout of the operating system in an ELF file; `name` as in [`Layout::open`], where it is not that of the system.
    ///
    /// # Errors
    /// The file has none that is known, or no names of tasks.
    pub fn known(elf: &str, name: Option<&str>, xlen: u8) -> Result<Self, HostError> {
        let kernel = KERNELS.iter().find(|kernel| has_symbol(elf, kernel.pointer)).ok_or_else(|| {
            HostError::Other(format!(
                "{elf}: has no tasks of FreeRTOS, ThreadX or Zephyr; expected `--task-pointer` with the pointer of another system"
            ))
        })?;
        let layout = Self::open(elf, kernel.pointer, name.unwrap_or(kernel.name), xlen)?;
        let Some((structure, pointer)) = kernel.cpu else { return Ok(layout) };
        let pointer = member(elf, &format!("{structure}.{pointer}"))?.offset;
        let stride = bytes_of(elf, structure)?.unwrap_or(layout.stride);
        Ok(Self { current: layout.current + pointer, stride, ..layout })
    }
}

impl Layout {
    /// Where the states of these tasks are, if the system is known and the file says it.
    pub fn states(&self, elf: &str) -> Option<States> {
        States::of(elf, self.system?)
    }
}

impl ReadyLists {
    /// The lists `pxReadyTasksLists` of FreeRTOS; `None` if the program does not have them.
    pub(super) fn of_freertos(elf: &str) -> Option<Self> {
        let lists = Symbols::data(elf, "pxReadyTasksLists").ok()?;
        let item = member(elf, "xStateListItem").ok()?.offset;
        // the name in FreeRTOS before version 10.2.1
        let container = member(elf, "pxContainer").or_else(|_| member(elf, "pvContainer")).ok()?.offset;
        let range = crate::symbols::Objects::open(elf).ok()?.area(lists.into()).range;
        Some(Self { container: item + container, start: range.start, end: range.end })
    }
}
