//! Back end: event entries of all cores to one stream of words

pub mod encoder;
pub mod event_fifo;
pub mod join;
pub mod merger;
pub mod packer;
pub mod registers;
