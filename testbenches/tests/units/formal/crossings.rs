//! Properties of `hdl/src/bus/crossing.rs` and `hdl/src/diag/generator/crossing.rs`, proved

use super::{finds, holds, outside, verilog};
use hdl::bus::crossing::Crossing;
use hdl::diag::generator::crossing::CoreCrossing;
use testbenches::formal::{FormalError, Proof};

fn crossing() -> Result<Proof, FormalError> {
    verilog(Crossing::<32>::new()).with_independent_clocks().inside("top", include_str!("../../../formal/crossing.sv"))
}

#[test]
fn words_cross_from_any_clock_to_any_other() {
    holds(&crossing().unwrap(), 4, 48);
}

#[test]
fn a_pointer_that_is_not_gray_and_a_place_taken_too_early_are_found() {
    let crossing = outside(&crossing().unwrap());
    finds(&crossing, "written_gray$d = then ^ ", "written_gray$d = then ^ 3'd0 & ", "one_bit_at_a_time", 20);
    finds(&crossing, "full = written_gray$q ==", "full = 1'b0 & written_gray$q ==", "full_is_refused", 30);
}

fn diag_crossing() -> Result<Proof, FormalError> {
    let crossing = verilog(CoreCrossing::new())
        .with_independent_clocks()
        .inside("top", include_str!("../../../formal/diag_crossing.sv"))?;
    [("flow", 107), ("register", 37), ("access", 104)].into_iter().try_fold(crossing, |proof, (memory, bits)| {
        let lies = format!("lies_{memory}");
        let text = format!("input [3:0] read;\noutput [{}:0] {lies};\nassign {lies} = mem[read[2:0]];\n", bits - 1);
        proof.ports(memory, &["read", &lies], &text)
    })
}

#[test]
fn instructions_cross_from_any_clock_to_any_other_with_resets_of_either_side() {
    holds(&diag_crossing().unwrap(), 3, 50);
}

#[test]
fn faults_in_the_crossing_of_a_core_are_found() {
    let crossing = outside(&diag_crossing().unwrap());
    for (now, faulty, label, depth) in [
        ("written_gray$d = then ^ ", "written_gray$d = then ^ 4'd0 & ", "one_bit_at_a_time", 10),
        ("flow$raddr = next[", "flow$raddr = read$q[", "as_it_went_in", 20),
        ("| core_reset | requested$q;", "| requested$q;", "first_is_marked", 10),
        ("!= read_gray$q) & ~closed;", "!= read_gray$q);", "empty_is_seen", 20),
    ] {
        finds(&crossing, now, faulty, label, depth);
    }
}
