//! Arrays of signals or blocks, with a length that depends on the parameters
//!
//! rust-hdl treats a `Vec` like an array, in kernels and in Verilog, but its length is not part of the type: the
//! circuit is compiled once for any number of cores. The bound of a loop in a kernel is a field whose name begins with
//! `_`, which rust-hdl omits.

/// A vector of `n` default values.
pub fn each<T: Default>(n: usize) -> Vec<T> {
    (0..n).map(|_| T::default()).collect()
}

/// An optional block: made if it is used, else a default one, which is omitted from the Verilog.
pub fn when<T: Default>(is: bool, make: impl FnOnce() -> T) -> T {
    if is {
        make()
    } else {
        T::default()
    }
}
