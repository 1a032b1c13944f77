//! Every check fails on a planted fault and passes on the corrected block
//!
//! Checks: `check_all`, settling of the driver, lint, yosys, Verilator's lint, co-simulation. `lint.rs` has more cases
//! for the lint.

use fpga::cosim::CosimError;
use hdl::emit::{emit, Ingress, SystemOptions};
use hdl::spine::{Extras, Retire};
use hdl::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::{Platform, TraceParams};
use sim::stimulus::Source;
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::{emit_checked, emit_checked_system, GateError};
use testbenches::verilog::{icarus_lint, verible_syntax, verilator_lint, yosys_check, VerilogError};

/// `struct $name` with byte inputs `a`, `b`, bit input `c`, outputs `x` (byte) and `z` (bit), byte local
/// `t` and a register `r`.
macro_rules! block {
    ($name:ident, $($kernel:tt)*) => {
        #[derive(LogicBlock, Default)]
        struct $name {
            pub clock: Signal<In, Clock>,
            pub a: Signal<In, Bits<8>>,
            pub b: Signal<In, Bits<8>>,
            pub c: Signal<In, Bit>,
            pub x: Signal<Out, Bits<8>>,
            pub z: Signal<Out, Bit>,
            t: Signal<Local, Bits<8>>,
            flip: Signal<Local, Bit>,
            r: DFF<Bits<8>>,
        }
        impl Logic for $name {
            $($kernel)*
        }
        impl $name {
            /// 300 random cycles in rust-hdl and in Verilator.
            #[allow(dead_code)] // not every block is simulated
            fn cosimulate() -> Result<u64, CosimError> {
                let mut d = Driver::new(Self::default(), |u, c| u.clock.next = c.into()).unwrap().recording();
                let mut s = Source::seeded(1);
                for _ in 0..300 {
                    d.uut.a.next = s.bits(8).to_bits();
                    d.uut.b.next = s.bits(8).to_bits();
                    d.uut.c.next = s.percent(50);
                    d.clock().unwrap();
                }
                d.check_verilog()
            }
        }
    };
}

block! { Good,
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, r);
        self.t.next = self.a.val() + self.b.val();
        self.flip.next = !self.c.val();
        if self.c.val() {
            self.r.d.next = self.t.val().replace_bit(3, self.flip.val());
        }
        self.x.next = self.r.q.val();
        self.z.next = self.t.val() == 0;
    }
}

#[test]
fn a_good_block_passes_every_gate() {
    let verilog = emit_checked(&mut Good::default()).unwrap();
    assert!(verilog.contains("module top("));
    assert_eq!(emit_checked(&mut Good::default()).unwrap(), verilog, "emission is not a function of the block");
    assert_eq!(Good::cosimulate().unwrap(), 300);
}

// check_all

#[derive(LogicBlock, Default)]
struct Open {
    pub clock: Signal<In, Clock>,
    pub x: Signal<Out, Bit>,
    r: DFF<Bit>,
}
impl Logic for Open {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.clock.next = self.clock.val();
        self.x.next = self.r.q.val(); // r.d is not connected
    }
}

#[test]
fn check_all_finds_an_unconnected_input() {
    let e = emit_checked(&mut Open::default()).unwrap_err();
    assert_eq!(e.to_string(), "check_all: signals that nothing drives: uut$r$d");
    let e = Driver::new(Open::default(), |u, c| u.clock.next = c.into()).map(|_| ()).unwrap_err();
    assert_eq!(e.to_string(), "signals that nothing drives: uut$r$d");
}

block! { ReadFirst,
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, r);
        self.x.next = self.t.val();
        self.t.next = self.a.val();
        self.flip.next = self.c.val();
        self.z.next = self.flip.val();
    }
}

#[test]
fn check_all_finds_a_local_read_before_it_is_written() {
    let e = emit_checked(&mut ReadFirst::default()).unwrap_err();
    assert!(matches!(e, GateError::Check(_)), "{e}");
    assert!(e.to_string().starts_with("check_all: signals read before they are written: "), "{e}");
}

// settling

#[derive(LogicBlock, Default)]
struct Inverter {
    pub i: Signal<In, Bit>,
    pub o: Signal<Out, Bit>,
}
impl Logic for Inverter {
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = !self.i.val();
    }
}
#[derive(LogicBlock, Default)]
struct Ring {
    pub on: Signal<In, Bit>,
    pub o: Signal<Out, Bit>,
    inverter: Inverter,
}
impl Logic for Ring {
    #[hdl_gen]
    fn update(&mut self) {
        self.inverter.i.next = self.inverter.o.val() & self.on.val();
        self.o.next = self.inverter.o.val();
    }
}

#[test]
fn a_combinational_loop_is_an_error_in_its_cycle_not_a_hang() {
    let mut d = Driver::new(Ring::default(), |_, _| ()).unwrap();
    d.clock().unwrap();
    d.uut.on.next = true;
    let e = d.clock().unwrap_err().to_string();
    assert!(e.starts_with("cycle 1: combinational loop through uut$") && e.contains("inverter"), "{e}");
}

#[test]
fn verilator_lint_finds_the_loop_through_a_child() {
    let e = emit_checked(&mut Ring::default()).unwrap_err();
    assert!(matches!(&e, GateError::Verilog(_)), "{e}");
    assert!(e.to_string().contains("UNOPTFLAT") || e.to_string().contains("loop"), "{e}");
    // in whole systems that warning is ignored, and yosys finds the loop
    let e = emit_checked_system(&mut Ring::default()).unwrap_err();
    assert!(e.to_string().contains("loop"), "{e}");
}

// the lint, and what would happen without it

block! { Clobber,
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, r);
        self.t.next = self.a.val();
        self.flip.next = false;
        self.x.next = self.a.val().replace_bit(3, !self.c.val());
        self.z.next = self.a.val() == self.t.val();
    }
}

block! { Carry,
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, r);
        self.t.next = self.a.val();
        self.flip.next = false;
        self.x.next = self.t.val();
        self.z.next = (self.a.val() + self.b.val()) > 250;
    }
}

block! { LostRound,
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, r);
        self.t.next = self.a.val();
        self.flip.next = false;
        for i in 0..=7 {
            self.flip.next = self.flip.val() ^ self.b.val().get_bit(i);
        }
        self.x.next = self.t.val();
        self.z.next = self.flip.val();
    }
}

#[test]
fn the_lint_refuses_what_only_co_simulation_would_find() {
    for (e, text) in [
        (emit_checked(&mut Clobber::default()).unwrap_err(), "replace_bit"),
        (emit_checked(&mut Carry::default()).unwrap_err(), "compared"),
    ] {
        assert!(matches!(e, GateError::Lint(_)) && e.to_string().contains(text), "{e}");
    }
}

#[test]
fn co_simulation_finds_a_clobbered_register_a_carry_and_a_lost_round() {
    for (result, port) in [(Clobber::cosimulate(), "x"), (Carry::cosimulate(), "z"), (LostRound::cosimulate(), "z")] {
        match result {
            Err(CosimError::Different { port: p, .. }) => assert_eq!(p, port),
            other => panic!("{other:?}"),
        }
    }
    let e = Carry::cosimulate().unwrap_err().to_string();
    assert!(e.contains("output `z`: the Verilog gives 0x1, rust-hdl 0x0\ninputs: a = 0x"), "{e}");
}

#[test]
fn an_inclusive_range_passes_everything_but_the_source_scan_and_co_simulation() {
    emit_checked(&mut LostRound::default()).unwrap();
    let found = testbenches::lint::scan_text("gates.rs", include_str!("gates.rs"));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].what, "for i in 0..=7 {");
}

// yosys

block! { Latch,
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, r);
        self.t.next = self.a.val();
        self.flip.next = false;
        self.z.next = self.c.val();
        if self.c.val() {
            self.x.next = self.t.val();
        }
    }
}

fn warned(result: Result<(), VerilogError>, text: &str) {
    let e = result.unwrap_err().to_string();
    assert!(e.contains(text), "{e}");
}

#[test]
fn yosys_and_verilator_find_a_latch() {
    let mut latch = Latch::default();
    latch.connect_all();
    let verilog = generate_verilog(&latch);
    warned(yosys_check(&verilog), "atch inferred for signal");
    warned(verilator_lint(&verilog), "LATCH");
}

const TOP: &str = "module top(input clock, input [7:0] a, output [7:0] x);\n";

#[test]
fn yosys_finds_undeclared_names_missing_modules_and_open_wires() {
    warned(yosys_check(&format!("{TOP}assign x = a + n;\nendmodule\n")), "implicitly declared");
    warned(yosys_check(&format!("{TOP}part p(a, x);\nendmodule\n")), "`\\part' referenced in module `\\top'");
    warned(yosys_check(&format!("{TOP}wire [7:0] w;\nassign x = a & w;\nendmodule\n")), "no driver");
    warned(yosys_check("module other(input a); endmodule\n"), "top");
    yosys_check(&format!("{TOP}assign x = a + 8'd1;\nendmodule\n")).unwrap();
}

#[test]
fn verilator_lint_finds_keywords_and_undeclared_names() {
    warned(verilator_lint(&format!("{TOP}reg table;\nassign x = a;\nendmodule\n")), "syntax error");
    warned(verilator_lint(&format!("{TOP}assign x = a;\nassign y = a[0];\nendmodule\n")), "IMPLICIT");
    // ignored: a literal wider than its target, an unused input
    verilator_lint(&format!("{TOP}assign x = a + 32'd1;\nendmodule\n")).unwrap();
}

#[test]
fn icarus_and_verible_find_what_they_cannot_read() {
    let unread = format!("{TOP}assign x = ;\nendmodule\n");
    warned(icarus_lint(&unread), "syntax error");
    warned(verible_syntax(&unread), "syntax error");
    warned(icarus_lint(&format!("{TOP}assign x = a + n;\nendmodule\n")), "Unable to bind");
    let narrow = format!("module p(input [3:0] i); endmodule\n{TOP}p u(.i(a));\nassign x = a;\nendmodule\n");
    warned(icarus_lint(&narrow), "expects 4 bits, got 8");
    let good = format!("{TOP}assign x = a + 8'd1;\nendmodule\n");
    icarus_lint(&good).unwrap();
    verible_syntax(&good).unwrap();
}

#[test]
fn icarus_and_verible_read_every_kind_of_whole_system() {
    for name in ["tr_e:small", "tr_e:m4", "tr_b:large", "nx_b", "sc-lsp:base-32x4", "sc-lsp:rbase-32x4"] {
        for (ingress, xlen, cores, timestamps) in
            [(Ingress::Rvfi, 32, 1, false), (Ingress::Etrace, 32, 4, true), (Ingress::PcChain, 64, 2, true)]
        {
            let platform = Platform { xlen, cores, timestamps, ..Platform::RV32 };
            let params = TraceParams::new(platform, name.parse().unwrap());
            // several instructions per cycle if there is a circuit
            let wide = ingress == Ingress::Rvfi;
            let retire = wide.then_some(Retire { per_cycle: if name == "nx_b" { 2 } else { 4 }, log2_words: 3 });
            let extras = Extras { retire, ..Extras::default() };
            let wide = SystemOptions { ingress, extras, ..SystemOptions::default() };
            icarus_lint(&emit(&params, &wide).unwrap()).unwrap();
            let verilog = emit(&params, &SystemOptions { ingress, ..SystemOptions::default() }).unwrap();
            let place = params.canonical();
            icarus_lint(&verilog).unwrap_or_else(|e| panic!("{place}: {e}"));
            verible_syntax(&verilog).unwrap_or_else(|e| panic!("{place}: {e}"));
        }
    }
}
