//! Ingress: a core's port to retire beats
//!
//! | module | what it is |
//! | --- | --- |
//! | [`beat`] | what they all make |
//! | [`blocks`] | RISC-V E-Trace instruction trace interface, of blocks of several instructions |
//! | [`chain`] | instructions and addresses alone |
//! | [`compress`] | several instructions a clock, as beats of one event |
//! | [`etrace`] | RISC-V E-Trace instruction trace interface |
//! | [`gate`] | which instructions are outside the addresses and the address space that are told |
//! | [`held`] | one of the blocks of a clock, until it is told |
//! | [`narrow`] | an address of which fewer bits differ |
//! | [`pins`] | pins of an ingress, ports of all adapters |
//! | [`rvfi`] | RISC-V formal interface, with the instruction decoder |
//! | [`rvfi_data`] | its memory, CSR and register ports, to data beats |
//! | [`rvfi_wide`] | RVFI of several instructions a clock |
//! | [`shown`] | what is shown of a block in a clock |
//! | [`turn`] | in which context an instruction is |
//! | [`veil`] | which instructions must not be told |

pub mod beat;
pub mod blocks;
pub mod chain;
pub mod compress;
pub mod etrace;
pub mod gate;
pub mod held;
pub mod narrow;
pub mod pins;
pub mod rvfi;
pub mod rvfi_data;
pub mod rvfi_wide;
pub mod shown;
pub mod turn;
pub mod veil;
