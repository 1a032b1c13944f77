//! Stream cache and last stream predictor as circuits: front end and encoder of the scheme `sc-lsp`
//!
//! They stand where those of T-raptor stand ([`crate::front_end`], [`crate::back_end::encoder`]): same
//! ingress, same event FIFOs, same register bus and trace port.

pub mod cache;
pub mod detector;
pub mod encoder;
pub mod entry;
pub mod front;
pub mod lsp;
pub mod records;
