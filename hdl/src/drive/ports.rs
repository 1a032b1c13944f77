//! Ports of a top module: their list, and their values in a rust-hdl simulation

use crate::sweep::Ports;
use rust_hdl::core::synth::VCDValue;
use rust_hdl::prelude::*;

/// Direction of a port, seen from the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dir {
    /// Input of the module.
    Input,
    /// Output of the module.
    Output,
}

/// A port of the top module, other than the clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Name in the Verilog.
    pub name: String,
    /// Width in bits, 1 to 128.
    pub width: u16,
    /// Direction.
    pub dir: Dir,
}

impl Port {
    /// An input of `width` bits.
    pub fn input(name: &str, width: u16) -> Self {
        Self { name: name.into(), width, dir: Dir::Input }
    }

    /// An output of `width` bits.
    pub fn output(name: &str, width: u16) -> Self {
        Self { name: name.into(), width, dir: Dir::Output }
    }

    /// Number of 32-bit words for its value.
    pub fn words(&self) -> usize {
        usize::from(self.width).div_ceil(32)
    }
}

/// The ports and the clock of a rust-hdl top block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// Name of the clock input, if there is one.
    pub clock: Option<String>,
    /// All other ports, in declaration order.
    pub ports: Vec<Port>,
}

/// Visits the atoms of the outermost block only.
struct Top<F> {
    depth: u32,
    namespace: Vec<String>,
    atom: F,
}

impl<F: FnMut(&[String], &str, &dyn Atom)> Probe for Top<F> {
    fn visit_start_scope(&mut self, _: &str, _: &dyn Block) {
        self.depth += 1;
    }
    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        self.namespace.push(name.into());
    }
    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        if self.depth == 1 && signal.kind().is_parameter() {
            (self.atom)(&self.namespace, name, signal);
        }
    }
    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        self.namespace.pop();
    }
    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.depth -= 1;
    }
}

/// Calls `atom` with the namespaces, the name and the signal of each port.
fn for_each_port(block: &dyn Block, atom: impl FnMut(&[String], &str, &dyn Atom)) {
    block.accept("top", &mut Top { depth: 0, namespace: Vec::new(), atom });
}

fn is_clock(signal: &dyn Atom) -> bool {
    signal.kind() == AtomKind::InputParameter && signal.descriptor().name == "clock"
}

impl Interface {
    /// The ports of `block`. The first clock input is the clock; a block with a second one needs a list written by
    /// hand.
    pub fn of(block: &dyn Block) -> Self {
        let mut interface = Self::default();
        for_each_port(block, |namespaces, name, signal| {
            let name = [namespaces, &[name.into()]].concat().join("$");
            if interface.clock.is_none() && is_clock(signal) {
                interface.clock = Some(name);
            } else {
                let dir = if signal.kind() == AtomKind::InputParameter { Dir::Input } else { Dir::Output };
                interface.ports.push(Port { name, width: signal.bits() as u16, dir });
            }
        });
        interface
    }
}

/// Values of all inputs and of all outputs of a settled `block`, each in the order of [`Interface::of`].
pub fn sample<T: Ports>(block: &T) -> (Vec<u128>, Vec<u128>) {
    let (mut inputs, mut outputs, mut clock) = (Vec::new(), Vec::new(), false);
    let atom = |_: &[String], _: &str, signal: &dyn Atom| {
        if !clock && is_clock(signal) {
            clock = true;
        } else if signal.kind() == AtomKind::InputParameter {
            inputs.push(value(signal));
        } else {
            outputs.push(value(signal));
        }
    };
    block.ports("top", &mut Top { depth: 0, namespace: Vec::new(), atom });
    (inputs, outputs)
}

/// The value of a signal, as an unsigned number.
fn value(signal: &dyn Atom) -> u128 {
    match (signal.vcd(), true.vcd()) {
        (VCDValue::Single(bit), VCDValue::Single(one)) => u128::from(bit == one),
        (VCDValue::Vector(bits), VCDValue::Single(one)) => {
            bits.iter().fold(0, |number, &bit| number << 1 | u128::from(bit == one))
        }
        _ => literal(signal),
    }
}

/// The value of a signal of a type that waveforms show as a text.
fn literal(signal: &dyn Atom) -> u128 {
    let text = format!("{:x}", signal.verilog());
    let digits = text.split("'h").nth(1).unwrap_or("0");
    let bits = match digits.strip_prefix('-') {
        Some(magnitude) => u128::from_str_radix(magnitude, 16).unwrap_or(0).wrapping_neg(),
        None => u128::from_str_radix(digits, 16).unwrap_or(0),
    };
    bits & mask(signal.bits() as u16)
}

/// `width` ones.
pub fn mask(width: u16) -> u128 {
    u128::MAX.checked_shr(128 - u32::from(width.min(128))).unwrap_or(0)
}
