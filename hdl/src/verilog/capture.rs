//! Captures a rust-hdl circuit as a tree of blocks with their signals and kernels

use super::module::Port;
use super::pins;
use super::refused::Unsupported;
use super::Made;
use crate::widget::mem::MemoryShape;
use rust_hdl::core::ast::{Verilog, VerilogLiteral};
use rust_hdl::prelude::*;

/// A signal or constant of a block.
pub(super) struct Named {
    /// `stall$0`, `control$enable`.
    pub name: String,
    pub kind: AtomKind,
    pub bits: usize,
    /// Value of a constant, or initial value of a signal.
    pub value: u128,
    /// The number to which all instances of the module tie this input.
    pub tied: Option<u128>,
    /// Whether no instance of the module needs this output.
    pub open: bool,
}

/// Contents of a block.
pub(super) enum Content {
    /// A kernel, with the blocks in it.
    Kernel(Vec<ast::VerilogStatement>),
    /// A flip-flop.
    FlipFlop,
    /// A memory.
    Memory(MemoryShape),
}

/// A block with everything in it.
pub(super) struct Node {
    /// Its field in the parent block; an array element ends in `$` and its index.
    pub name: String,
    pub atoms: Vec<Named>,
    /// Enum labels, each with its number and the width of the enum.
    pub labels: Vec<(String, u128, usize)>,
    pub content: Content,
    pub children: Vec<Node>,
    /// Whether none of its outputs is read.
    pub dead: bool,
    /// The module written for it, and its ports.
    pub written: Option<(String, Vec<Port>)>,
    /// Its module in the pass before.
    pub made: Option<Made>,
}

/// The tree of `block`, under the name `top`.
pub(super) fn capture(block: &dyn Block) -> Result<Node, Unsupported> {
    let mut walk = Walk::default();
    block.accept("top", &mut walk);
    match (walk.refused, walk.done) {
        (Some(refused), _) => Err(refused),
        (None, Some(node)) => Ok(node),
        (None, None) => Err(Unsupported("there is no block".into())),
    }
}

/// Value and width of a literal, which rust-hdl gives only as text.
pub(super) fn literal(l: &VerilogLiteral) -> Result<(u128, usize), Unsupported> {
    let text = format!("{l:x}");
    let parsed = text.split_once("'h").and_then(|(bits, digits)| {
        Some((u128::from_str_radix(digits, 16).ok()?, bits.parse().ok().filter(|b| *b <= 128)?))
    });
    parsed.ok_or_else(|| Unsupported(format!("literal {text} is negative or has more than 128 bits")))
}

#[derive(Default)]
struct Walk {
    open: Vec<Node>,
    namespace: Vec<String>,
    done: Option<Node>,
    refused: Option<Unsupported>,
}

impl Walk {
    fn refuse(&mut self, what: Unsupported) {
        let path: Vec<&str> = self.open.iter().map(|n| n.name.as_str()).collect();
        self.refused.get_or_insert_with(|| Unsupported(format!("{}: {what}", path.join("."))));
    }

    fn labels(&mut self, descriptor: &TypeDescriptor, bits: usize) {
        match &descriptor.kind {
            TypeKind::Enum(labels) => {
                // the block's own kernel and its parent's may use them
                for node in self.open.iter_mut().rev().take(2) {
                    for (i, label) in labels.iter().enumerate() {
                        let label = (label.replace("::", "$"), i as u128, bits);
                        if !node.labels.contains(&label) {
                            node.labels.push(label);
                        }
                    }
                }
            }
            TypeKind::Composite(_) => self.refuse(Unsupported("a struct as a signal".into())),
            TypeKind::Signed(_) => self.refuse(Unsupported("a signed signal".into())),
            TypeKind::Bits(_) => {}
        }
    }
}

impl Probe for Walk {
    fn visit_start_scope(&mut self, name: &str, node: &dyn Block) {
        self.namespace.clear();
        let content = match node.hdl() {
            Verilog::Combinatorial(code) => Ok(Content::Kernel(code)),
            Verilog::Custom(text) => match MemoryShape::of(&text) {
                Some(shape) => Ok(Content::Memory(shape)),
                None if node.timing().iter().any(|t| t.name == "dff") => Ok(Content::FlipFlop),
                None => Err("custom Verilog"),
            },
            Verilog::Empty => Err("a block without a circuit"),
            Verilog::Blackbox(_) | Verilog::Wrapper(_) => Err("external Verilog"),
        };
        let (content, wrong) = match content {
            Ok(c) => (c, None),
            Err(what) => (Content::Kernel(Vec::new()), Some(what)),
        };
        let name = name.to_string();
        self.open.push(Node {
            name,
            atoms: Vec::new(),
            labels: Vec::new(),
            content,
            children: Vec::new(),
            dead: false,
            written: None,
            made: None,
        });
        if let Some(what) = wrong {
            self.refuse(Unsupported(what.into()));
        }
    }

    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        self.namespace.push(name.into());
    }

    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        let bits = signal.bits();
        self.labels(&signal.descriptor(), bits);
        let value = match literal(&signal.verilog()) {
            Ok((value, _)) => value,
            Err(e) => return self.refuse(e),
        };
        let name = self.namespace.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join("$");
        if let Some(node) = self.open.last_mut() {
            node.atoms.push(Named { name, kind: signal.kind(), bits, value, tied: None, open: false });
        }
    }

    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        self.namespace.pop();
    }

    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        let Some(mut node) = self.open.pop() else { return };
        pins::sort(&mut node.atoms, |atom| &atom.name);
        match self.open.last_mut() {
            Some(parent) => parent.children.push(node),
            None => self.done = Some(node),
        }
    }
}
