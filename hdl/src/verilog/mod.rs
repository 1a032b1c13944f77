//! Writes the Verilog of a circuit, in the style of a person
//!
//! rust-hdl writes a module for each instance, flip-flops included, and passes clocks through assignments. Here equal
//! modules are written once, a flip-flop is a `reg`, and clocks are nets. The circuit is the same: `testbenches` proves
//! it equivalent to rust-hdl's text.
//!
//! | step | what it does |
//! | --- | --- |
//! | `capture` | circuit to a tree of blocks |
//! | `lower` | syntax tree of a kernel to statements, with `value`s of exact width |
//! | `build` | block to `module` |
//! | `arrange`, `numbers` | statements to connections, assignments, `always` blocks |
//! | `names`, `expression`, `text` | module to text |
//! | `pins` | port names of several cores |
//! | `prune` | removes what this circuit does not need |
//! | `memory` | memory modules |
//! | `blocks` | module names and descriptions |

mod arrange;
mod blocks;
mod build;
mod capture;
mod expression;
mod lower;
mod memory;
mod module;
mod names;
mod numbers;
mod pins;
mod prune;
mod refused;
mod text;
mod value;

pub use names::plain;
pub use refused::Unsupported;

use capture::{Content, Node};
use module::{Child, Module, Port, Role};
use rust_hdl::prelude::Block;
use std::collections::BTreeMap;

/// Style of the Verilog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Style {
    /// Name of the top module; followed by `_`, it is the prefix of all other module names.
    pub name: String,
    /// Whether registers have `initial` values.
    pub initial: bool,
}

impl Default for Style {
    /// `goshawk`, with initial values.
    fn default() -> Self {
        Self { name: "goshawk".into(), initial: true }
    }
}

/// The Verilog of a circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The text; the top module comes first.
    pub text: String,
    /// Each register and memory in use: its path in rust-hdl's text and in this one, both flattened, with `.` between
    /// instances.
    pub renamed: Vec<(String, String)>,
    /// Ports of the top module, in order.
    pub pins: Vec<Pin>,
}

/// A port of the top module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Name in Verilog.
    pub name: String,
    /// Name in rust-hdl's text.
    pub source: String,
    /// Whether it is an output.
    pub output: bool,
    /// Width, bits.
    pub width: usize,
}

/// Writes `block`, which must be connected and checked.
pub fn write(block: &dyn Block, style: &Style) -> Result<Written, Unsupported> {
    let mut node = capture::capture(block)?;
    let (writer, top) = loop {
        let mut writer = Writer::new(style);
        let top = writer.module(&mut node, true)?;
        if !writer.uses.mark(&mut node) && !writer.dead {
            break (writer, top);
        }
    };
    let text = writer.modules.iter().rev().map(|m| format!("{}module {}{}", m.comment, m.name, m.body));
    let pins =
        top.ports.into_iter().map(|p| Pin { name: p.name, source: p.key, output: p.output, width: p.width }).collect();
    Ok(Written { text: text.collect::<Vec<_>>().join("\n"), renamed: top.renamed, pins })
}

struct Done {
    name: String,
    comment: String,
    body: String,
}

/// What a module is made of. A circuit is written several times, without what [`prune`] finds; most modules do not change.
#[derive(PartialEq)]
struct Inputs {
    children: Vec<Option<Child>>,
    /// Ports that are not needed: the number to which an input is tied, and whether an output is open.
    marks: Vec<(Option<u128>, bool)>,
}

impl Inputs {
    fn of(node: &Node, children: Vec<Option<Child>>) -> Self {
        Self { children, marks: node.atoms.iter().map(|a| (a.tied, a.open)).collect() }
    }
}

/// A module as an earlier pass made it.
struct Made {
    inputs: Inputs,
    form: Form,
}

enum Form {
    /// A module that only wraps an instance, which takes its place.
    Wrapper(Child),
    /// A block that drives nothing.
    Nothing(Child),
    /// The text from the ports on; the child has no name yet.
    Text { body: String, child: Child, uses: Vec<prune::PortUse> },
}

struct Writer<'a> {
    style: &'a Style,
    modules: Vec<Done>,
    /// How often each name was used.
    names: BTreeMap<String, usize>,
    uses: prune::Uses,
    /// Whether this pass found a block without a read output.
    dead: bool,
}

impl<'a> Writer<'a> {
    fn new(style: &'a Style) -> Self {
        // the names of memory modules do not depend on the other modules
        let names = memory::NAMES.iter().map(|memory| (format!("{}_{memory}", style.name), 1)).collect();
        Self { style, modules: Vec::new(), names, uses: prune::Uses::default(), dead: false }
    }

    fn module(&mut self, node: &mut Node, top: bool) -> Result<Child, Unsupported> {
        let name = node.name.clone();
        let at = |e: Unsupported| Unsupported(format!("{name}: {e}"));
        let (written, given) = (self.modules.len(), self.names.clone());
        let mut children = Vec::new();
        for child in &mut node.children {
            children.push(match &child.content {
                Content::Kernel(_) if child.dead => Some(build::none(child)),
                Content::FlipFlop => None,
                Content::Memory(shape) => {
                    let shape = *shape;
                    Some(self.memory(child, &shape))
                }
                Content::Kernel(_) => Some(self.module(child, false).map_err(at)?),
            });
        }
        let inputs = Inputs::of(node, children);
        let made = match node.made.take() {
            Some(made) if made.inputs == inputs => made,
            _ => self.make(node, inputs, top).map_err(at)?,
        };
        let child = match &made.form {
            Form::Wrapper(child) => {
                node.written = child.module.clone().map(|m| (m, child.ports.clone()));
                child.clone()
            }
            Form::Nothing(child) => {
                // the block drives nothing: neither it nor its children are written
                self.modules.truncate(written);
                self.names = given;
                child.clone()
            }
            Form::Text { body, child, uses } => {
                self.uses.extend(uses);
                let name = self.keep(node, body, top);
                if !top {
                    node.written = Some((name.clone(), child.ports.clone()));
                }
                Child { module: Some(name), ..child.clone() }
            }
        };
        node.made = Some(made);
        Ok(child)
    }

    /// Makes the module of `node`, except for its name.
    fn make(&mut self, node: &mut Node, inputs: Inputs, top: bool) -> Result<Made, Unsupported> {
        let mut module = build::build(node, inputs.children.clone())?;
        let mut arranged = arrange::arrange(&mut module)?;
        self.dead |= prune::dead(node, &module, &arranged);
        let removed = if top { Vec::new() } else { prune::ports(node, &mut module, &mut arranged) };
        if let Some(mut child) = (!top).then(|| slot(&module, &arranged)).flatten() {
            child.removed = removed;
            return Ok(Made { inputs, form: Form::Wrapper(child) });
        }
        if !top && !module.signals.iter().any(|s| s.role == Role::Output) {
            let mut child = build::none(node);
            child.ports.retain(|port| !removed.iter().any(|g| g.key == port.key));
            return Ok(Made { inputs, form: Form::Nothing(Child { removed, ..child }) });
        }
        let uses = prune::uses(&module, &arranged);
        let (body, ports, names) = text::text(&module, &mut arranged, self.style.initial);
        let mut renamed = Vec::new();
        for r in &arranged.registers {
            let register = &module.registers[*r];
            renamed.push((format!("{}.q", register.name), names.signal(register.held).to_string()));
        }
        for (instance, name) in module.instances.iter().zip(&names.instances) {
            let join = |outer: &str, inner: &str| match inner {
                "" => outer.to_string(),
                inner => format!("{outer}.{inner}"),
            };
            renamed.extend(instance.child.renamed.iter().map(|(o, n)| (join(&instance.name, o), join(name, n))));
        }
        let child = Child { module: None, ports, removed, renamed };
        Ok(Made { inputs, form: Form::Text { body, child, uses } })
    }

    /// The name of a module with this body: an existing one, or a new one.
    fn keep(&mut self, node: &Node, body: &str, top: bool) -> String {
        if let Some(done) = self.modules.iter().find(|m| m.body == body) {
            return done.name.clone();
        }
        let block = blocks::name(&node.name);
        let name = if top { self.style.name.clone() } else { format!("{}_{block}", self.style.name) };
        let count = self.names.entry(name.clone()).or_default();
        *count += 1;
        let name = if *count == 1 { name } else { format!("{name}_{count}") };
        // the caller describes the top module
        let line = if top { None } else { blocks::line(block) };
        let comment = line.map_or_else(String::new, |l| format!("// {l}\n"));
        self.modules.push(Done { name: name.clone(), comment, body: body.to_string() });
        name
    }

    fn memory(&mut self, node: &Node, shape: &crate::widget::mem::MemoryShape) -> Child {
        let child = memory::child(node, shape, &format!("{}_", self.style.name));
        let name = format!("{}_{}", self.style.name, memory::name(shape));
        if child.module.is_some() && !self.modules.iter().any(|m| m.name == name) {
            let comment = memory::COMMENT.map(|l| format!("// {l}\n")).concat();
            let body = memory::text(shape);
            self.modules.push(Done { name, comment, body });
        }
        child
    }
}

/// The instance in a module that only wraps it.
fn slot(module: &Module, arranged: &arrange::Arranged) -> Option<Child> {
    let [inner] = module.instances.as_slice() else { return None };
    let own = module.signals.iter().filter(|s| matches!(s.role, Role::Input | Role::Output)).count();
    let empty = arranged.assigns.is_empty() && arranged.blocks.is_empty() && arranged.registers.is_empty();
    if !empty || own != inner.signals.len() {
        return None;
    }
    let mut ports = Vec::new();
    for (port, id) in inner.child.ports.iter().zip(&inner.signals) {
        let outside = &module.signals[arranged.connected.get(id)?.signal()?];
        if !matches!(outside.role, Role::Input | Role::Output) || ports.iter().any(|p: &Port| p.key == outside.key) {
            return None;
        }
        ports.push(Port { key: outside.key.clone(), ..port.clone() });
    }
    let renamed = inner.child.renamed.iter().map(|(o, n)| (format!("{}.{o}", inner.name), n.clone())).collect();
    Some(Child { module: inner.child.module.clone(), ports, removed: Vec::new(), renamed })
}
