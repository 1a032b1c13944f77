//! Tests of `fpga`: one program, so that what they share is compiled once

mod soc;
mod soc_inputs;
mod soc_ports;
mod soc_values;
mod support;
mod tile;
