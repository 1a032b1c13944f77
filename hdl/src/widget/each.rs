//! N signals or blocks of one kind, for N of the type
//!
//! An array `[T; N]` that has a default for every N; in kernels and in Verilog it is that array. It lies on the
//! heap: a core's front end takes tens of kilobytes of a stack in the simulation.

use rust_hdl::prelude::*;
use std::ops::{Deref, DerefMut};

/// N times a T.
#[derive(Clone, Debug)]
pub struct Each<T, const N: usize>(Vec<T>);

impl<T, const N: usize> Each<T, N> {
    /// What `of` makes of each index.
    pub fn from_fn(of: impl FnMut(usize) -> T) -> Self {
        Self((0..N).map(of).collect())
    }
}

impl<T: Default, const N: usize> Default for Each<T, N> {
    fn default() -> Self {
        Self::from_fn(|_| T::default())
    }
}

impl<T, const N: usize> Deref for Each<T, N> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T, const N: usize> DerefMut for Each<T, N> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T: Block, const N: usize> Logic for Each<T, N> {
    fn update(&mut self) {}
}

impl<T: Block, const N: usize> Block for Each<T, N> {
    fn connect_all(&mut self) {
        self.0.connect_all();
    }
    fn update_all(&mut self) {
        self.0.update_all();
    }
    fn has_changed(&self) -> bool {
        self.0.has_changed()
    }
    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        self.0.accept(name, probe);
    }
}
