//! Ingress: adapters from a core's port to retire beats
//!
//! | module | what it is |
//! | --- | --- |
//! | [`beat`] | retire beats, the output of all adapters |
//! | [`blocks`] | RISC-V E-Trace instruction trace interface, with blocks of several instructions |
//! | [`chain`] | PC chain: only instructions and addresses |
//! | [`compress`] | compressor: several instructions per cycle to beats of one event |
//! | [`etrace`] | RISC-V E-Trace instruction trace interface |
//! | [`address_filter`] | filter by address range and address space |
//! | [`held`] | keeps a block until it is sent |
//! | [`narrow`] | removes address bits that never differ |
//! | [`pins`] | pins of an ingress, ports of all adapters |
//! | [`rvfi`] | RISC-V formal interface, with the instruction decoder |
//! | [`rvfi_data`] | its memory, CSR and register ports, to data beats |
//! | [`rvfi_wide`] | RVFI with several instructions per cycle |
//! | [`block_report`] | decoder of the pins of a block |
//! | [`context_tracker`] | context tracker |
//! | [`mode_filter`] | filter by privilege mode |

pub mod address_filter;
pub mod beat;
pub mod block_report;
pub mod blocks;
pub mod chain;
pub mod compress;
pub mod context_tracker;
pub mod etrace;
pub mod held;
pub mod mode_filter;
pub mod narrow;
pub mod pins;
pub mod rvfi;
pub mod rvfi_data;
pub mod rvfi_wide;
