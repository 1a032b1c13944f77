//! Ingress: a core's port to retire beats
//!
//! | module | what it is |
//! | --- | --- |
//! | [`beat`] | what they all make |
//! | [`chain`] | instructions and addresses alone |
//! | [`etrace`] | RISC-V E-Trace instruction trace interface |
//! | [`narrow`] | an address of which fewer bits differ |
//! | [`rvfi`] | RISC-V formal interface, with the instruction decoder |
//! | [`veil`] | which instructions must not be told |
//! | [`rvfi_data`] | its memory, CSR and register ports, to data beats |

pub mod beat;
pub mod chain;
pub mod etrace;
pub mod narrow;
pub(crate) mod ports;
pub mod rvfi;
pub mod rvfi_data;
pub mod veil;
