//! What a sweep does with the fields of a circuit: for the code that `derive(LogicBlock)` writes
//!
//! rust-hdl simulates a circuit in sweeps, [`Block::update_all`] of the whole circuit, until [`Block::has_changed`] is false.
//!
//! # Order in a block
//! | step | rust-hdl's macro | [`LogicBlock`](crate::LogicBlock) |
//! | --- | --- | --- |
//! | 1 | logic | inputs and interfaces are updated |
//! | 2 | signals are updated | logic |
//! | 3 | blocks within it, one after another | other signals and interfaces are updated |
//! | 4 | | blocks within it, one after another; a `DFF` as [`register`] |
//!
//! A signal has a value `val` and a value `next`, and its update is `changed = (val != next); val = next`. Logic reads `val` of inputs and of
//! bidirectional signals, but `next` of outputs and local signals ([`Signal::val`]). An assignment to an output is thus visible at once; the
//! update only determines whether it changed.
//!
//! # Why the state at the end is the same
//! A sweep in which nothing changed leaves a state in which each block's logic, run on the present values, gives the present values.
//! This holds for both orders if each change that logic may read, or has not read yet, is reported:
//!
//! * **Inputs** are written only by the logic around the block (`check_all` refuses others), and step 1 is before the block's logic, which
//!   therefore has read the new value. What the logic made of it is reported by the signals that it writes. An input's own change is no
//!   reason for a further sweep.
//! * **Outputs and local signals** are written by the block's logic, and are updated after it. They are read by the logic around the block,
//!   which ran before, so a change is reported.
//! * **Interfaces** hold both. Step 1 is for the inputs; without step 3, an output that only the logic changes would not be reported until
//!   step 1 of a sweep that may never come. Step 3 clears what step 1 found of inputs, which the logic has read by then. A linked interface
//!   (`link`, `join`) is written by the logic, member by member, as single signals are.
//! * **Bidirectional signals** as fields are updated after the logic in both orders. In interfaces they are updated twice, and what step 1
//!   found has been read by the logic. No circuit of this project has any.
//! * **Blocks** report for themselves. Lists of signals, interfaces, registers and blocks are what their elements are.
//!
//! A circuit without combinational loops has one such state for given inputs and registers, so both orders end in it.
//!
//! # Why registers do not see the next cycle
//! The edge of the clock reaches all registers and memories in the first sweep after it. The output of one reaches the input of another only
//! through the logic of a block around both, which in this sweep ran before either of them, because logic runs before the blocks within. So
//! each register reads an input of the cycle before. In circuits that have rust-hdl's macro, each level delays clock and data alike. A clock
//! that logic makes of a register's output arrives later than the clock of that register, as in rust-hdl's order.

use rust_hdl::prelude::*;

/// A field of a circuit. Its methods are those of [`Interfaces`] where its type has them, otherwise those of [`Blocks`]: the compiler looks at the
/// value before it looks at a reference to it.
pub struct Field<'a, T>(pub &'a mut T);

/// A field that is an interface: what can be linked, which blocks cannot.
pub trait Interfaces {
    /// Updates the inputs, before the logic.
    fn take_over(self);
    /// Updates the outputs, after the logic.
    fn run(self);
}

impl<T: Block + LogicLink> Interfaces for Field<'_, T> {
    fn take_over(self) {
        self.0.update_all();
    }

    fn run(self) {
        self.0.update_all();
    }
}

/// A field that is a block.
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

/// Sweep of a `DFF`, in the order of the module's table. `DFF` itself has the order of rust-hdl, which would cost a sweep at each edge.
pub fn register<T: Synth>(dff: &mut DFF<T>) {
    dff.d.update_all();
    dff.clock.update_all();
    dff.update();
    dff.q.update_all();
}

/// The signals and interfaces of a circuit, without the blocks in it: [`Block::accept`] visits all of these, too.
pub trait Ports: Block {
    /// Visits them as `accept` does, in the same order and under the same names.
    fn ports(&self, name: &str, probe: &mut dyn Probe);
}

/// A field of a circuit for [`Ports`]. Its method is that of [`InterfaceView`] where its type has it, otherwise that of [`BlockView`].
pub struct View<'a, T>(pub &'a T);

/// A field that is an interface.
pub trait InterfaceView {
    /// Visits its signals.
    fn visit(self, name: &str, probe: &mut dyn Probe);
}

impl<T: Block + LogicLink> InterfaceView for View<'_, T> {
    fn visit(self, name: &str, probe: &mut dyn Probe) {
        self.0.accept(name, probe);
    }
}

/// A field that is a block.
pub trait BlockView {
    /// Does nothing.
    fn visit(self, name: &str, probe: &mut dyn Probe);
}

impl<T: Block> BlockView for &View<'_, T> {
    fn visit(self, _: &str, _: &mut dyn Probe) {}
}
