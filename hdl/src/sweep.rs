//! What a sweep does with the fields of a circuit: for the code that `derive(LogicBlock)` writes
//!
//! Inputs and interfaces take over their values before the block's logic runs, and the blocks within it run after it. The macro knows signals
//! by their type. Of the other fields, interfaces are those that can be linked (`LogicLink`), which blocks cannot.

use rust_hdl::prelude::*;

/// A field of a circuit. Its methods are those of [`Interfaces`] where its type has them, otherwise those of [`Blocks`]: the compiler looks at the
/// value before it looks at a reference to it.
pub struct Field<'a, T>(pub &'a mut T);

/// A field that is an interface.
pub trait Interfaces {
    /// Takes over the next values, before the logic.
    fn take_over(self);
    /// Does nothing.
    fn run(self);
}

impl<T: Block + LogicLink> Interfaces for Field<'_, T> {
    fn take_over(self) {
        self.0.update_all();
    }

    fn run(self) {}
}

/// A field that is a block, or several.
pub trait Blocks {
    /// Does nothing.
    fn take_over(self);
    /// Runs the block, after the logic of the one around it.
    fn run(self);
}

impl<T: Block> Blocks for &mut Field<'_, T> {
    fn take_over(self) {}

    fn run(self) {
        self.0.update_all();
    }
}
