//! `hdl/src/scheme/follow/arithmetic/{code,codes,encoder,order,queue}.rs` against `sim/src/scheme/follow/arithmetic/front.rs`, in whole systems

use crate::part_harness::sends;

#[test]
fn arithmetic_systems_send_what_the_model_sends() {
    sends("follow:s+arithmetic", "fft", 1, false);
    sends("follow:m+arithmetic", "irq", 2, false);
    sends("follow:m+arithmetic+past0+paths0", "fsm", 4, false);
}
