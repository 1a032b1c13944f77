//! Blocks of memory that a program allocates: never freed, freed twice, and used when they are not allocated
//!
//! Allocators are functions of the program: a call of one with its arguments begins a request, and its return ends it, with the
//! result in `a0`. What an allocator does inside is its business, calls of other allocators too. Between requests, an access to a block that was freed,
//! or just after the end of one, is an error.

use super::stack::follower::{Follower, Path};
use retire::{DataEvent, DataKind, FlowEvent, RetireSink};
use std::collections::{BTreeMap, HashMap};

/// Bytes after a block that belong to nothing.
const AFTER: u64 = 16;
/// Errors that are kept; of further ones the number is counted.
const MOST: usize = 1000;
/// Freed blocks that are remembered.
const FREED: usize = 1 << 20;

/// Operation of an allocator. Arguments are given by the number of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocator {
    /// `malloc(size)`.
    Malloc(u8),
    /// `calloc(number, size)`.
    Calloc(u8),
    /// `realloc(block, size)`.
    Realloc(u8),
    /// `free(block)`.
    Free(u8),
}

/// A moment of a core, with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// Core.
    pub core: u8,
    /// Instructions that it had retired, at its last jump or branch.
    pub retired: u64,
    /// Address of the instruction; of a request, within the call.
    pub pc: u64,
    /// Calls that led there.
    pub path: Path,
}

/// A block of the heap, with its allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Address.
    pub addr: u64,
    /// Bytes that were asked for.
    pub size: u64,
    /// Where it was allocated.
    pub by: Site,
    /// Where it was freed.
    pub freed: Option<Site>,
}

/// Kind of an error with allocated memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Wrong {
    /// A block was freed that was freed before.
    FreedTwice,
    /// An address was freed at which no block begins.
    NoBlock,
    /// A freed block was read.
    ReadAfterFree,
    /// A freed block was written.
    WriteAfterFree,
    /// Bytes after the end of a block were read.
    ReadAfterEnd,
    /// Bytes after the end of a block were written.
    WriteAfterEnd,
    /// A request got no memory.
    NoMemory,
}

/// An error in the use of the heap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What is wrong.
    pub wrong: Wrong,
    /// Where it first happened.
    pub at: Site,
    /// Address that was freed or accessed; bytes of a request without memory.
    pub addr: u64,
    /// The block, where there is one.
    pub block: Option<Block>,
    /// How often the instruction did it.
    pub times: u64,
}

/// A request that has not returned.
#[derive(Clone, Copy, Debug)]
struct Request {
    allocator: Allocator,
    /// Arguments, from the first.
    arguments: [u64; 2],
    back: u64,
    sp: Option<u64>,
    by: Site,
}

#[derive(Clone, Debug)]
struct Core {
    registers: [u64; 32],
    retired: u64,
    request: Option<Request>,
}

/// Follows the blocks of a run.
pub struct Heap {
    allocators: HashMap<u64, Allocator>,
    follower: Follower,
    cores: Vec<Core>,
    live: BTreeMap<u64, Block>,
    freed: BTreeMap<u64, Block>,
    errors: HashMap<(Wrong, u64, u64), Error>,
    /// Errors that were not kept.
    pub dropped: u64,
    /// Requests that got a block.
    pub allocations: u64,
    /// Bytes in live blocks: now, and at most.
    pub bytes: (u64, u64),
}

impl Heap {
    /// With allocators by the address of their first instruction.
    pub fn new(allocators: HashMap<u64, Allocator>, follower: Follower, cores: u8) -> Self {
        let core = Core { registers: [0; 32], retired: 0, request: None };
        Self {
            allocators,
            follower,
            cores: vec![core; cores.into()],
            live: BTreeMap::new(),
            freed: BTreeMap::new(),
            errors: HashMap::new(),
            dropped: 0,
            allocations: 0,
            bytes: (0, 0),
        }
    }

    /// The calls of sites.
    pub fn follower(&self) -> &Follower {
        &self.follower
    }

    /// Blocks that are live at the end.
    pub fn live(&self) -> impl Iterator<Item = &Block> {
        self.live.values()
    }

    /// What is wrong, the first first.
    pub fn errors(&self) -> Vec<&Error> {
        let mut all: Vec<&Error> = self.errors.values().collect();
        all.sort_by_key(|e| (e.at.retired, e.at.core, e.at.pc));
        all
    }

    fn error(&mut self, wrong: Wrong, at: Site, addr: u64, block: Option<Block>) {
        let key = (wrong, at.pc, block.map_or(0, |b| b.by.pc));
        if self.errors.len() >= MOST && !self.errors.contains_key(&key) {
            self.dropped += 1;
            return;
        }
        self.errors.entry(key).or_insert(Error { wrong, at, addr, block, times: 0 }).times += 1;
    }

    fn allocate(&mut self, addr: u64, size: u64, by: Site) {
        // what was there is not freed any more
        let before = self.freed.range(..addr).next_back().map(|(_, b)| *b).filter(|b| b.addr + b.size > addr);
        let over: Vec<u64> = self.freed.range(addr..addr + size.max(1)).map(|(at, _)| *at).collect();
        for at in over.into_iter().chain(before.map(|b| b.addr)) {
            self.freed.remove(&at);
        }
        self.live.insert(addr, Block { addr, size, by, freed: None });
        self.allocations += 1;
        self.bytes.0 += size;
        self.bytes.1 = self.bytes.1.max(self.bytes.0);
    }

    fn free(&mut self, addr: u64, by: Site) {
        if addr == 0 {
            return;
        }
        if let Some(block) = self.live.remove(&addr) {
            self.bytes.0 -= block.size;
            if self.freed.len() < FREED {
                self.freed.insert(addr, Block { freed: Some(by), ..block });
            }
            return;
        }
        match self.freed.get(&addr).copied() {
            Some(block) => self.error(Wrong::FreedTwice, by, addr, Some(block)),
            None => self.error(Wrong::NoBlock, by, addr, None),
        }
    }

    /// A request has returned `result`.
    fn done(&mut self, request: Request, result: u64) {
        let [first, second] = request.arguments;
        let by = request.by;
        let size = match request.allocator {
            Allocator::Free(_) => return,
            Allocator::Malloc(_) => first,
            Allocator::Calloc(_) => first.saturating_mul(second),
            Allocator::Realloc(_) => second,
        };
        if result == 0 {
            if size > 0 {
                self.error(Wrong::NoMemory, by, size, None);
            }
            return;
        }
        if matches!(request.allocator, Allocator::Realloc(_)) {
            self.free(first, by);
        }
        self.allocate(result, size, by);
    }

    /// An access outside of allocators.
    fn access(&mut self, d: &DataEvent, addr: u64, size: u8, store: bool) {
        let end = addr + u64::from(size);
        let last = |blocks: &BTreeMap<u64, Block>| blocks.range(..end).next_back().map(|(_, b)| *b);
        let live = last(&self.live);
        if live.is_some_and(|b| end <= b.addr + b.size && addr >= b.addr) {
            return;
        }
        let at = Site {
            core: d.hart,
            retired: self.cores[usize::from(d.hart)].retired,
            pc: d.pc,
            path: self.follower.path(d.hart),
        };
        if let Some(block) = last(&self.freed).filter(|b| addr < b.addr + b.size) {
            let wrong = if store { Wrong::WriteAfterFree } else { Wrong::ReadAfterFree };
            return self.error(wrong, at, addr, Some(block));
        }
        if let Some(block) = live.filter(|b| addr < b.addr + b.size + AFTER && addr >= b.addr) {
            let wrong = if store { Wrong::WriteAfterEnd } else { Wrong::ReadAfterEnd };
            self.error(wrong, at, addr, Some(block));
        }
    }
}

impl RetireSink for Heap {
    const WANTS_DATA: bool = true;
    const WANTS_STACK_POINTER: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        let me = usize::from(e.hart);
        self.cores[me].retired += u64::from(e.count);
        // of a call at the end of a function the frame is replaced
        let path = self.follower.path(e.hart);
        self.follower.event(e, |_| {});
        if let Some(request) = self.cores[me].request.filter(|r| r.back == e.target) {
            // the frame of the allocator is gone
            let frames = self.follower.stack(e.hart).frames();
            let inside = frames.iter().rev().any(|f| f.back == request.back && f.sp == request.sp);
            if !inside {
                self.cores[me].request = None;
                self.done(request, self.cores[me].registers[10]);
            }
            return;
        }
        if self.cores[me].request.is_some() {
            return;
        }
        let Some(allocator) = self.allocators.get(&e.target).copied() else { return };
        let Some(top) = self.follower.stack(e.hart).frames().last().filter(|f| f.function.start == e.target) else {
            return;
        };
        let (Allocator::Malloc(first) | Allocator::Calloc(first) | Allocator::Realloc(first) | Allocator::Free(first)) =
            allocator;
        let argument = |n: u8| self.cores[me].registers[usize::from(10 + n.min(6))];
        let arguments = [argument(first), argument(first + 1)];
        let by = Site { core: e.hart, retired: self.cores[me].retired, pc: e.pc, path };
        let request = Request { allocator, arguments, back: top.back, sp: top.sp, by };
        if matches!(allocator, Allocator::Free(_)) {
            self.free(arguments[0], by);
        }
        self.cores[me].request = Some(request);
    }

    fn stack_pointer(&mut self, hart: u8, sp: u64) {
        self.follower.stack_pointer(hart, sp);
    }

    fn data(&mut self, d: &DataEvent) {
        let core = &mut self.cores[usize::from(d.hart)];
        let (addr, size, store) = match d.kind {
            DataKind::Register { rd, value } => {
                core.registers[usize::from(rd) % 32] = value;
                return;
            }
            DataKind::Load { addr, size, .. } => (addr, size, false),
            DataKind::Store { addr, size, .. } => (addr, size, true),
            _ => return,
        };
        if core.request.is_none() && self.allocations > 0 {
            self.access(d, addr, size, store);
        }
    }
}
