//! States of tasks, as the control blocks and lists of an operating system in memory have them
//!
//! A state is that of the kernel's own data at one moment. In the middle of a kernel function a task can be in no list; it is then
//! shown as such.
//!
//! # Sources
//! FreeRTOS: `eTaskGetState` in `tasks.c`. ThreadX: `tx_thread_state` in `tx_api.h`. Zephyr: `_THREAD_PENDING` and others in
//! `kernel_structs.h`, `z_is_thread_ready` in `kthread.h`; between versions, only the meaning of bit 2 changed, from a thread that was not
//! started to one that sleeps.

use super::running::{array, element, member, System};
use crate::symbols::Symbols;
use std::fmt::{Display, Formatter};
use std::ops::Range;

/// Most tasks that are looked for in the lists of a system; lists that are not yet initialised may be circular.
const MOST: usize = 4096;

/// State of a task that does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It can run.
    Ready,
    /// It waits for an event, an object or a time; for which, if it is known.
    Blocked(&'static str),
    /// It is suspended, until it is resumed.
    Suspended,
    /// It has ended, or was deleted.
    Ended,
    /// It is in no list: deleted, or its list is just being changed.
    NoList,
    /// What memory has is no state of a task.
    Unknown,
}

impl Display for State {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ready => f.write_str("ready"),
            Self::Blocked("") => f.write_str("blocked"),
            Self::Blocked(by) => write!(f, "blocked ({by})"),
            Self::Suspended => f.write_str("suspended"),
            Self::Ended => f.write_str("ended"),
            Self::NoList => f.write_str("in no list: deleted or being moved"),
            Self::Unknown => f.write_str("state unknown"),
        }
    }
}

/// Where the state of a task is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum States {
    /// FreeRTOS: the lists that a task is in.
    FreeRtos(Lists),
    /// ThreadX: a number.
    ThreadX {
        /// Offset of the state in a control block.
        state: u64,
        /// Offset of the mark of a control block that is in use.
        id: u64,
        /// All threads.
        all: Option<Chain>,
    },
    /// Zephyr: bits.
    Zephyr {
        /// Offset of the state in a control block.
        state: u64,
        /// Offset of the pointer that is not null while a timeout is active.
        timeout: Option<u64>,
        /// All threads.
        all: Option<Chain>,
    },
}

/// All tasks, each with a pointer to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain {
    /// Address of the pointer to the first one.
    first: u64,
    /// Offset in a control block of the pointer to the next one.
    next: u64,
}

/// Lists of FreeRTOS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lists {
    /// Offsets in a control block of the pointers to the lists that hold its two items.
    state: u64,
    event: u64,
    /// Offset of the states of notifications, bytes of one, and their number.
    notify: Option<(u64, u64, u64)>,
    ready: Range<u64>,
    /// Lists of tasks that wait for a time.
    delayed: Vec<u64>,
    /// The list of tasks that became ready while the scheduler was suspended.
    pending: Option<u64>,
    suspended: Option<u64>,
    ended: Option<u64>,
    walk: Walk,
}

/// How the items of a list are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Walk {
    /// Bytes of a list.
    bytes: u64,
    /// Offset of the item that ends a list.
    end: u64,
    /// Offset in that item of the pointer to the first one.
    first: u64,
    /// Offset in an item of the pointer to the next one.
    next: u64,
    /// Offset in an item of the pointer to the control block.
    owner: u64,
}

impl States {
    /// Those of a system, by the symbols and the DWARF of an ELF file. `None` if it does not have all that is needed.
    pub(super) fn of(elf: &str, system: System) -> Option<Self> {
        let offset = |name: &str| member(elf, name).ok().map(|m| m.offset);
        let address = |name: &str| Symbols::address64(elf, name).ok();
        match system {
            System::FreeRtos => Lists::of(elf).map(Self::FreeRtos),
            System::ThreadX => {
                let chain = || {
                    Some(Chain { first: address("_tx_thread_created_ptr")?, next: offset("tx_thread_created_next")? })
                };
                Some(Self::ThreadX { state: offset("tx_thread_state")?, id: offset("tx_thread_id")?, all: chain() })
            }
            System::Zephyr => {
                let base = offset("k_thread.base")?;
                let timeout = || Some(base + offset("_thread_base.timeout")? + offset("_timeout.node")?);
                let chain = || {
                    Some(Chain {
                        first: address("_kernel")? + offset("z_kernel.threads")?,
                        next: offset("k_thread.next_thread")?,
                    })
                };
                Some(Self::Zephyr {
                    state: base + offset("_thread_base.thread_state")?,
                    timeout: timeout(),
                    all: chain(),
                })
            }
        }
    }

    /// State of the task with the control block `block`, if it does not run. `read` reads a number, by its address and its size in bytes; `pointer` is the size of a pointer.
    pub fn state(&self, read: &impl Fn(u64, u8) -> Option<u64>, block: u64, pointer: u8) -> State {
        self.known(read, block, pointer).unwrap_or(State::Unknown)
    }

    fn known(&self, read: &impl Fn(u64, u8) -> Option<u64>, block: u64, pointer: u8) -> Option<State> {
        let at = |offset: u64, bytes| read(block.wrapping_add(offset), bytes);
        match self {
            Self::FreeRtos(lists) => lists.state(&at, pointer),
            // `THRD`; 0 once it was deleted
            Self::ThreadX { state, id, .. } => match at(*id, 4)? {
                0x5448_5244 => threadx(at(*state, 4)?),
                0 => Some(State::Ended),
                _ => None,
            },
            Self::Zephyr { state, timeout, .. } => {
                let timed = timeout.map_or(Some(0), |offset| at(offset, pointer))? != 0;
                Some(zephyr(at(*state, 1)?, timed))
            }
        }
    }

    /// The control blocks of all tasks of the system's lists; `None` if it has no such lists.
    pub fn all(&self, read: &impl Fn(u64, u8) -> Option<u64>, pointer: u8) -> Option<Vec<u64>> {
        match self {
            Self::FreeRtos(lists) => Some(lists.all(read, pointer)),
            Self::ThreadX { all, .. } | Self::Zephyr { all, .. } => {
                let Chain { first, next } = (*all)?;
                Some(follow(read(first, pointer)?, |block| read(block.wrapping_add(next), pointer)))
            }
        }
    }
}

/// What comes after `first`, up to null, `first` again, or memory that is not known.
fn follow(first: u64, next: impl Fn(u64) -> Option<u64>) -> Vec<u64> {
    let mut all = Vec::new();
    let mut now = first;
    while now != 0 && all.len() < MOST {
        all.push(now);
        match next(now) {
            Some(after) if after != first => now = after,
            _ => break,
        }
    }
    all
}

fn threadx(state: u64) -> Option<State> {
    Some(match state {
        0 => State::Ready,
        1 | 2 => State::Ended,
        3 => State::Suspended,
        4 => State::Blocked("sleep"),
        5 => State::Blocked("queue"),
        6 => State::Blocked("semaphore"),
        7 => State::Blocked("event flags"),
        8 => State::Blocked("block pool"),
        9 => State::Blocked("byte pool"),
        10 => State::Blocked("driver"),
        11 => State::Blocked("file"),
        12 => State::Blocked("network"),
        13 => State::Blocked("mutex"),
        14 => State::Blocked("change of priority"),
        _ => return None,
    })
}

/// `timed`: a timeout is active.
fn zephyr(state: u64, timed: bool) -> State {
    let bit = |n: u32| state >> n & 1 == 1;
    match () {
        // no thread
        () if bit(0) => State::Unknown,
        () if bit(3) => State::Ended,
        () if bit(1) && timed => State::Blocked("object or timeout"),
        () if bit(1) => State::Blocked("object"),
        // older versions mark a thread that sleeps as suspended, or not at all; k_thread_suspend ends a timeout
        () if timed || bit(2) => State::Blocked("sleep"),
        () if bit(4) => State::Suspended,
        () => State::Ready,
    }
}

impl Lists {
    fn of(elf: &str) -> Option<Self> {
        let offset = |name: &str| member(elf, name).ok().map(|m| m.offset);
        let address = |name: &str| Symbols::address64(elf, name).ok();
        // the names in versions before 10.2.1 and 10.0
        let container = offset("pxContainer").or_else(|| offset("pvContainer"))?;
        let state = offset("xStateListItem").or_else(|| offset("xGenericListItem"))?;
        // an enumeration in version 8
        if offset("eNotifyState").is_some() {
            return None;
        }
        let notify = match offset("ucNotifyState") {
            // in version 10.3 and before it is not an array
            Some(at) => Some((at, 1, array(elf, "ucNotifyState").ok()?.unwrap_or(1))),
            None => None,
        };
        let (start, lists) = (address("pxReadyTasksLists")?, array(elf, "pxReadyTasksLists").ok()??);
        let bytes = element(elf, "pxReadyTasksLists").ok()??;
        let walk = Walk {
            bytes,
            end: offset("xLIST.xListEnd")?,
            first: offset("xMINI_LIST_ITEM.pxNext").or_else(|| offset("xLIST_ITEM.pxNext"))?,
            next: offset("xLIST_ITEM.pxNext")?,
            owner: offset("xLIST_ITEM.pvOwner")?,
        };
        Some(Self {
            state: state + container,
            event: offset("xEventListItem")? + container,
            notify,
            ready: start..start + bytes * lists,
            delayed: vec![address("xDelayedTaskList1")?, address("xDelayedTaskList2")?],
            pending: address("xPendingReadyList"),
            suspended: address("xSuspendedTaskList"),
            ended: address("xTasksWaitingTermination"),
            walk,
        })
    }

    fn state(&self, at: &impl Fn(u64, u8) -> Option<u64>, pointer: u8) -> Option<State> {
        let (list, event) = (at(self.state, pointer)?, at(self.event, pointer)?);
        let is = |of: Option<u64>, list| of == Some(list);
        if is(self.pending, event) || self.ready.contains(&list) {
            return Some(State::Ready);
        }
        if self.delayed.contains(&list) {
            return Some(State::Blocked(if event == 0 { "delay or notification" } else { "object or timeout" }));
        }
        if is(self.suspended, list) {
            // without a timeout, tasks that wait are in this list, too
            let (start, bytes, number) = self.notify.unwrap_or((0, 1, 0));
            let mut notified = false;
            for n in 0..number {
                notified |= at(start + n * bytes, bytes as u8)? == 1;
            }
            return Some(match event {
                0 if notified => State::Blocked("notification"),
                0 => State::Suspended,
                _ => State::Blocked("object"),
            });
        }
        match list {
            0 => Some(State::NoList),
            _ => is(self.ended, list).then_some(State::Ended),
        }
    }

    fn all(&self, read: &impl Fn(u64, u8) -> Option<u64>, pointer: u8) -> Vec<u64> {
        let Walk { bytes, end, first, next, owner } = self.walk;
        let ready = (self.ready.start..self.ready.end).step_by(bytes as usize);
        let others =
            self.delayed.iter().copied().chain([self.pending, self.suspended, self.ended].into_iter().flatten());
        let mut all = Vec::new();
        for list in ready.chain(others) {
            let end = list + end;
            let Some(item) = read(end + first, pointer) else { continue };
            let items = follow(item, |item| read(item.wrapping_add(next), pointer).filter(|after| *after != end));
            all.extend(
                items
                    .into_iter()
                    .filter(|item| *item != end)
                    .filter_map(|item| read(item.wrapping_add(owner), pointer)),
            );
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_zephyr() {
        for (bits, timed, wanted) in [
            (0x00, false, State::Ready),
            (0x80, false, State::Ready),
            (0x02, false, State::Blocked("object")),
            (0x02, true, State::Blocked("object or timeout")),
            (0x04, true, State::Blocked("sleep")),
            (0x10, true, State::Blocked("sleep")),
            (0x00, true, State::Blocked("sleep")),
            (0x10, false, State::Suspended),
            (0x08, false, State::Ended),
            (0x01, false, State::Unknown),
        ] {
            assert_eq!(zephyr(bits, timed), wanted, "{bits:#x} {timed}");
        }
    }

    #[test]
    fn a_circle_and_a_chain_are_followed_once() {
        assert_eq!(follow(3, |n| Some(if n == 5 { 3 } else { n + 1 })), [3, 4, 5]);
        assert_eq!(follow(3, |n| (n < 5).then_some(n + 1)), [3, 4, 5]);
        assert_eq!(follow(3, |n| Some(n.saturating_sub(1))), [3, 2, 1]);
        assert!(follow(0, |_| Some(1)).is_empty());
        // a circle that does not come back to its beginning
        assert_eq!(follow(1, |_| Some(2)).len(), MOST);
    }
}
