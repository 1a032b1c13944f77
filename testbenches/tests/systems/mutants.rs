//! Single changes of the Verilog of whole systems: what their benches find from zeros, and from random bits in all state
//!
//! Benches that compare with rust-hdl's simulation start at zeros, as it does.

use crate::data_harness::{DataSystem, Dut};
use crate::{cfiat_system, inputs};
use fpga::cosim::{Cosim, CosimError};
use hdl::drive::Driver;
use hdl::scheme::cfiat::system::CfiatSystem;
use hdl::scheme::inputs::system::InputsSystem;
use rand::seq::SliceRandom;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::Block;
use std::cell::RefCell;
use testbenches::driver::CheckVerilog;
use testbenches::mutation::{mutants, Mutant};

/// Changes of a system.
const COUNT: usize = 40;

/// How many changes of `system` are found, which is recorded in `d`: from zeros and from random bits; and those that only one of the
/// two finds. Registers with a reset start with its value.
fn judge<T: Block>(name: &str, d: &Driver<T>, mut system: T) -> ([usize; 2], Vec<String>) {
    system.connect_all();
    let check = |change: &dyn Fn(&str) -> String| {
        let cosim = Cosim::of_changed_system(&system, true, change)?;
        Ok::<_, CosimError>([0, 5].map(|seed| d.check_with(&cosim.clone().with_random_state(seed))))
    };
    let text = RefCell::new(String::new());
    let same = check(&|unchanged| {
        *text.borrow_mut() = unchanged.into();
        unchanged.into()
    });
    assert!(same.unwrap().iter().all(Result::is_ok), "{name}: the unchanged text");
    let mut changes: Vec<Mutant> = mutants(&text.borrow());
    changes.shuffle(&mut ChaCha8Rng::seed_from_u64(1));
    let (mut found, mut differ) = ([0, 0], Vec::new());
    let mut count = 0;
    for change in changes {
        let results = match check(&|text| change.apply(text)) {
            // refused: a loop, or a port that is too narrow
            Err(CosimError::Tool(_)) => continue,
            results => results.unwrap(),
        };
        let here = results.map(|result| match result {
            Ok(_) => false,
            Err(CosimError::Different { .. }) => true,
            Err(e) => panic!("{name}, line {}: {e}", change.line),
        });
        found = [0, 1].map(|i| found[i] + usize::from(here[i]));
        let what = format!("{name}, line {}: {} -> {}", change.line, change.lines.0.trim(), change.lines.1.trim());
        eprintln!("{here:?} {what}");
        if here[0] != here[1] {
            differ.push(what);
        }
        count += 1;
        if count == COUNT {
            break;
        }
    }
    (found, differ)
}

#[test]
#[ignore = "long: builds a Verilated system for each of 80 changes"]
fn benches_find_the_same_changes_from_zeros_as_from_random_bits() {
    let bench = inputs::random_ports();
    let (p, Dut::Rust(d)) = (bench.p, bench.dut) else { unreachable!() };
    let (found, differ) = judge("inputs", &d, InputsSystem::of(&p, 4));
    eprintln!("inputs: {found:?} of {COUNT}");
    assert!(found[0] > 0 && differ.is_empty(), "{found:?} of {COUNT}; {differ:?}");
    let bench = cfiat_system::random_ports(1, 2, "cfiat:64+ways2+line16+gran4");
    let (p, Dut::Rust(d)) = (bench.p, bench.dut) else { unreachable!() };
    let (found, differ) = judge("cfiat", &d, CfiatSystem::of(&p, 4));
    eprintln!("cfiat: {found:?} of {COUNT}");
    assert!(found[0] > 0 && differ.is_empty(), "{found:?} of {COUNT}; {differ:?}");
}
