//! Ingress: a core's port to retire beats
//!
//! | module | what it is |
//! | --- | --- |
//! | [`beat`] | what they all make |
//! | [`etrace`] | RISC-V E-Trace instruction trace interface |
//! | [`rvfi`] | RISC-V formal interface, with the instruction decoder |
//! | [`rvfi_data`] | its memory, CSR and register ports, to data beats |

pub mod beat;
pub mod etrace;
pub(crate) mod ports;
pub mod rvfi;
pub mod rvfi_data;
