//! Constants with a default: blocks can derive `Default`, and constructors name only what they set
//!
//! rust-hdl's `Constant` has no default. In Verilog both are a `localparam`.

use rust_hdl::core::ast::VerilogLiteral;
use rust_hdl::core::atom::{Atom, AtomKind};
use rust_hdl::core::constraint::PinConstraint;
use rust_hdl::core::synth::VCDValue;
use rust_hdl::core::type_descriptor::TypeDescriptor;
use rust_hdl::prelude::*;

/// A constant that is set in the constructor of a block.
#[derive(Clone, Copy, Debug)]
pub struct Fixed<T: Synth>(Constant<T>);

impl<T: Synth> Fixed<T> {
    /// The constant `value`.
    pub fn new(value: T) -> Self {
        Self(Constant::new(value))
    }

    /// Its value, for kernels.
    pub fn val(&self) -> T {
        self.0.val()
    }
}

impl<const N: usize> Fixed<Bits<N>> {
    /// The number `value` in N bits.
    ///
    /// # Panics
    /// If `value` does not fit in N bits.
    pub fn of<V: Into<u64>>(value: V) -> Self {
        Self::new(value.into().to_bits::<N>())
    }
}

impl<T: Synth> Default for Fixed<T> {
    /// All bits 0.
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: Synth> Logic for Fixed<T> {
    fn update(&mut self) {}
}

impl<T: Synth> Block for Fixed<T> {
    fn connect_all(&mut self) {}
    fn update_all(&mut self) {}
    fn has_changed(&self) -> bool {
        false
    }
    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        probe.visit_atom(name, self);
    }
}

impl<T: Synth> Atom for Fixed<T> {
    fn bits(&self) -> usize {
        self.0.bits()
    }
    fn connected(&self) -> bool {
        true
    }
    fn changed(&self) -> bool {
        false
    }
    fn kind(&self) -> AtomKind {
        AtomKind::Constant
    }
    fn descriptor(&self) -> TypeDescriptor {
        self.0.descriptor()
    }
    fn vcd(&self) -> VCDValue {
        self.0.vcd()
    }
    fn id(&self) -> usize {
        self.0.id()
    }
    fn verilog(&self) -> VerilogLiteral {
        self.0.verilog()
    }
    fn constraints(&self) -> Vec<PinConstraint> {
        vec![]
    }
}
