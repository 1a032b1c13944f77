//! Verilator reports nothing for whole systems: they have no combinational loop, nor one that only Verilator sees

use crate::dump_list::{systems, Listed};
use hdl::emit::{emit_as, Ingress, SystemOptions};
use hdl::verilog::Style;
use rayon::prelude::*;
use sim::params::TraceParams;
use sim::stimulus::long;
use testbenches::verilog::verilator_lint_system;

fn verilog(params: &TraceParams, options: &SystemOptions) -> String {
    emit_as(params, options, &Style { name: "top".into(), ..Style::default() }).unwrap()
}

/// Of the list, the systems with all extras, and those of two cores without any; in the short form each of these with some of
/// the choices of time stamps and contexts.
#[test]
fn every_kind_of_system_passes() {
    let mut systems = systems().unwrap();
    systems.retain(|(file, params, _)| file.ends_with("2.v") || (file.ends_with("0.v") && params.cores == 2));
    let short = |(file, params, _): &Listed| match (file.ends_with("2.v"), params.cores) {
        (false, _) => !params.timestamps,
        (true, 1) => params.timestamps == params.context.is_some(),
        (true, _) => params.timestamps && params.context.is_none(),
    };
    systems.retain(|listed| long() || short(listed));
    let blocks = |s: &&Listed| s.2.ingress == Ingress::Blocks && s.2.extras.range && s.2.extras.space;
    assert!(systems.iter().filter(blocks).count() > 15, "too few of blocks with filters by range and space");
    systems.par_iter().for_each(|(file, params, options)| {
        verilator_lint_system(&verilog(params, options)).unwrap_or_else(|e| panic!("{file}: {e}"));
    });
}

/// The filters of a block port are in series: the output of one is an input of the next.
#[test]
fn a_loop_through_the_filters_of_a_block_is_found() {
    let systems = systems().unwrap();
    let (_, params, options) = systems.iter().find(|(file, ..)| file == "nx_b_etrace-blocks1_rv32_n1_2.v").unwrap();
    let text = verilog(params, options);
    let turned = text.replacen("assign filtered = hide |", "assign filtered = hide | end_filter_0_hides |", 1);
    assert_ne!(turned, text, "nothing was changed");
    let e = verilator_lint_system(&turned).unwrap_err().to_string();
    assert!(e.contains("UNOPTFLAT") && e.contains("end_filter_0_hides"), "{e}");
}
