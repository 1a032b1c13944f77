//! The tables of fields in `docs/reference/stream.md` and `load-values.md` that are written by hand give the bits that the encoders write
//!
//! Each table is read as a grammar ([`grammar`]); random messages of each of its rows are compared. The tables that `tools/reference` generates are
//! compared in `stream_page.rs`.

mod data;
mod flow;
mod grammar;
