//! Signals or blocks of one kind, as many as the parameters ask for
//!
//! A `Vec` is to rust-hdl what an array is, in kernels and in Verilog, but its length is no part of the type: one
//! circuit to compile for any number of cores. A kernel's loop ends at a field whose name begins with `_`, which
//! rust-hdl leaves out.

/// `n` of them, each at its default.
pub fn each<T: Default>(n: usize) -> Vec<T> {
    (0..n).map(|_| T::default()).collect()
}

/// An optional block: made where it `is` used, else a default one, which is left out of the Verilog.
pub fn when<T: Default>(is: bool, make: impl FnOnce() -> T) -> T {
    if is {
        make()
    } else {
        T::default()
    }
}
