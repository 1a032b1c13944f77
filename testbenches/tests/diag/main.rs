//! Benches of the diagnosis circuits

mod diag_chip;
mod diag_core;
mod diag_crossing;
mod diag_framer;
mod diag_full;
mod diag_harness;
mod diag_interrupts;
mod diag_line;
mod diag_link_queue;
mod diag_lite;
mod diag_master;
mod diag_nodes;
mod diag_overload;
mod diag_port;
mod diag_processor;
mod diag_processor_chip;
mod diag_soc;
mod diag_soc_master;
mod diag_tick;
mod diag_trace;
mod diag_window;
mod diag_window_soc;
mod diag_yields;
