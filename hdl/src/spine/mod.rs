//! Spine: what every scheme's trace goes through, once for all of them
//!
//! | module | what it is |
//! | --- | --- |
//! | [`entry`] | event entries: the interface between front ends and spine |
//! | [`event_fifo`] | entries of one core until the encoder takes them |
//! | [`join`] | all of it, joined |
//! | [`merger`] | which core's entry is next |
//! | [`packer`] | bits to words |
//! | [`registers`] | control and status |

pub mod entry;
pub mod event_fifo;
pub mod join;
pub mod merger;
pub mod packer;
pub mod registers;
