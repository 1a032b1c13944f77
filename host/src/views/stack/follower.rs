//! The stacks of all cores, and the calls that led to each instruction as one number
//!
//! A view that compares or counts by call path keeps a number instead of a list: the number of a node in a tree of calls.

use super::functions::Functions;
use super::{Change, Stack, DEEPEST};
use crate::contexts::ContextProgram;
use crate::symbols::Symbols;
use retire::image::{ExitKind, Image};
use retire::isa::Indirect;
use retire::{Context, FlowEvent};
use std::collections::HashMap;

/// A list of calls. [`Path::NONE`] is the empty one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path(u32);

impl Path {
    /// No call: the code of the outermost function.
    pub const NONE: Self = Self(u32::MAX);
}

#[derive(Clone, Debug, Default)]
struct Core {
    stack: Stack,
    /// Stack pointer at the next event, where it is known.
    sp: Option<u64>,
    /// Node of each frame.
    nodes: Vec<Path>,
}

/// Whether an instruction is a call, which leaves a return address.
fn is_call(kind: ExitKind) -> bool {
    match kind {
        ExitKind::Call => true,
        ExitKind::Indirect(how, _) | ExitKind::ConditionalIndirect(how) => {
            matches!(how, Indirect::Call | Indirect::CoSwap)
        }
        ExitKind::Conditional | ExitKind::Jump | ExitKind::End => false,
    }
}

/// Follows all cores.
#[derive(Debug)]
pub struct Follower {
    functions: Functions,
    image: Option<Image>,
    cores: Vec<Core>,
    /// Nodes by the call above.
    index: HashMap<Node, Path>,
    tree: Vec<Node>,
}

/// The call above, return address, whether it is that of a trap, and number of the program there.
type Node = (Path, u64, bool, u32);

impl Follower {
    /// At the beginning.
    pub fn new(symbols: Symbols, image: Option<Image>, cores: u8) -> Self {
        Self {
            functions: Functions::new(symbols),
            image,
            cores: vec![Core::default(); cores.into()],
            index: HashMap::new(),
            tree: Vec::new(),
        }
    }

    /// Adds the programs of contexts.
    #[must_use]
    pub fn with_contexts(self, programs: Vec<ContextProgram>) -> Self {
        Self { functions: self.functions.with_contexts(programs), ..self }
    }

    /// Stack pointer of a core at its next event.
    pub fn stack_pointer(&mut self, core: u8, sp: u64) {
        self.cores[usize::from(core)].sp = Some(sp);
    }

    /// The next event; what happens to the stack is reported to `change`.
    pub fn event(&mut self, e: &FlowEvent, mut change: impl FnMut(Change)) {
        let core = &mut self.cores[usize::from(e.hart)];
        let sp = core.sp.take();
        let mut kept = core.nodes.len();
        core.stack.event(e, sp, &mut self.functions, self.image.as_ref(), |what| {
            match what {
                Change::Leave => core.nodes.truncate(core.nodes.len().saturating_sub(1)),
                Change::Enter(_) => core.nodes.push(Path::NONE),
                Change::Retired(_) | Change::Switch(_) => {}
            }
            kept = kept.min(core.nodes.len());
            change(what);
        });
        let frames = core.stack.frames();
        let shown = frames.len().min(DEEPEST);
        for (at, frame) in frames.iter().enumerate().take(shown).skip(kept) {
            let (above, program) = match at.checked_sub(1) {
                None => (Path::NONE, 0),
                Some(caller) => (core.nodes[caller], frames[caller].function.program),
            };
            let key = (above, frame.back, frame.handler(), program);
            core.nodes[at] = *self.index.entry(key).or_insert_with(|| {
                self.tree.push(key);
                Path(self.tree.len() as u32 - 1)
            });
        }
    }

    /// The stack of a core.
    pub fn stack(&self, core: u8) -> &Stack {
        &self.cores[usize::from(core)].stack
    }

    /// The calls that led to where a core is.
    pub fn path(&self, core: u8) -> Path {
        self.cores[usize::from(core)].nodes.last().copied().unwrap_or(Path::NONE)
    }

    /// The calls and traps of a path, innermost first.
    fn above(&self, path: Path) -> impl Iterator<Item = (u64, bool, u32)> + '_ {
        let node = |path: &Path| self.tree.get(path.0 as usize);
        std::iter::successors(node(&path), move |(above, ..)| node(above))
            .map(|(_, back, trap, program)| (*back, *trap, *program))
            .filter(|(back, ..)| *back != 0)
    }

    /// Addresses of the calls of a path, and of interrupted instructions, innermost first.
    pub fn calls(&self, path: Path) -> Vec<u64> {
        self.above(path).map(|(back, trap, _)| self.caller(back, trap)).collect()
    }

    /// Address in a caller: of the interrupted instruction, or of the call before the return address. Without code, an
    /// address within the call.
    pub fn caller(&self, back: u64, trap: bool) -> u64 {
        if trap {
            return back;
        }
        // the usual length first: a call may end with bytes that are a shorter one
        let call = |len: &u64| {
            let (count, exit) = self.image.as_ref()?.run(back.checked_sub(*len)?)?;
            (count == 1 && is_call(exit.kind) && exit.link() == back).then_some(exit.pc)
        };
        [5, 4, 2, 3, 6, 7].iter().find_map(call).unwrap_or(back.wrapping_sub(1))
    }

    /// Addresses within the calling instructions of a path, and of interrupted instructions, innermost first, each with the number of its
    /// program.
    pub fn sites(&self, path: Path) -> Vec<(u32, u64)> {
        self.above(path)
            .map(|(back, trap, program)| (program, if trap { back } else { back.wrapping_sub(1) }))
            .collect()
    }

    /// Number of the program of a context.
    pub fn program_in(&self, context: Context) -> u32 {
        self.functions.program_in(context)
    }

    /// Name of a function by its number.
    pub fn name(&self, function: u32) -> &str {
        self.functions.name(function)
    }
}
