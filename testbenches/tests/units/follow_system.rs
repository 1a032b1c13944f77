//! `hdl/src/scheme/follow/{front,predictors,encoder}.rs` against `sim/src/scheme/follow/model.rs`, in whole systems

use crate::part_harness::sends_what_the_model_sends;

#[test]
fn systems_of_every_named_set_send_what_the_model_sends() {
    for set in ["s", "m", "ml", "l"] {
        sends_what_the_model_sends(&format!("follow:{set}"));
    }
}

#[test]
fn systems_without_a_part_send_what_the_model_sends() {
    sends_what_the_model_sends("follow:m+tagged0+upper9");
    sends_what_the_model_sends("follow:m+past0+paths0");
}
