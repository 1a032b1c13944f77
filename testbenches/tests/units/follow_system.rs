//! `hdl/src/scheme/follow/{front,predictors,encoder}.rs` against `sim/src/scheme/follow/model.rs`, in whole systems

use crate::part_harness::{sends, sends_what_the_model_sends};
use sim::stimulus::long;

/// Two cores without times, or one with times; both in long runs.
fn one_of_two(scheme: &str, timestamps: bool) {
    match (long(), timestamps) {
        (true, _) => sends_what_the_model_sends(scheme),
        (_, false) => sends(scheme, "fft", 2, false),
        (_, true) => sends(scheme, "irq", 1, true),
    }
}

#[test]
fn systems_of_every_named_set_send_what_the_model_sends() {
    sends_what_the_model_sends("follow:m");
    for (set, timestamps) in [("s", false), ("ml", true), ("l", false)] {
        one_of_two(&format!("follow:{set}"), timestamps);
    }
}

#[test]
fn systems_without_a_part_send_what_the_model_sends() {
    one_of_two("follow:m+tagged0+upper9", true);
    one_of_two("follow:m+past0+paths0", false);
}
