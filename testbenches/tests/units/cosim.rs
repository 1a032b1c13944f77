//! The co-simulation harness: inputs and outputs have the right values, and differences are found

// Verilator renames `c__d`
#![allow(non_snake_case)]

use fpga::cosim::{Cosim, CosimError, Dir, Interface, Port};
use hdl::LogicBlock;
use rust_hdl::prelude::*;
use sim::stimulus::Source;
use testbenches::driver::{CheckVerilog, Driver};

/// Delays ports of all sizes by one cycle, and inverts them.
#[derive(LogicBlock, Default)]
struct Sizes {
    pub clock: Signal<In, Clock>,
    pub a: Signal<In, Bit>,
    pub b: Signal<In, Bits<8>>,
    pub c__d: Signal<In, Bits<17>>,
    pub e: Signal<In, Bits<33>>,
    pub f: Signal<In, Bits<64>>,
    pub g: Signal<In, Bits<100>>,
    pub h: Signal<In, Bits<128>>,
    pub s: Signal<In, Signed<12>>,
    pub oa: Signal<Out, Bit>,
    pub ob: Signal<Out, Bits<8>>,
    pub oc__d: Signal<Out, Bits<17>>,
    pub oe: Signal<Out, Bits<33>>,
    pub of: Signal<Out, Bits<64>>,
    pub og: Signal<Out, Bits<100>>,
    pub oh: Signal<Out, Bits<128>>,
    pub os: Signal<Out, Signed<12>>,
    ra: DFF<Bit>,
    rb: DFF<Bits<8>>,
    rc: DFF<Bits<17>>,
    re: DFF<Bits<33>>,
    rf: DFF<Bits<64>>,
    rg: DFF<Bits<100>>,
    rh: DFF<Bits<128>>,
    rs: DFF<Signed<12>>,
}

impl Logic for Sizes {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, ra, rb, rc, re, rf, rg, rh, rs);
        self.ra.d.next = self.a.val();
        self.rb.d.next = self.b.val();
        self.rc.d.next = self.c__d.val();
        self.re.d.next = self.e.val();
        self.rf.d.next = self.f.val();
        self.rg.d.next = self.g.val();
        self.rh.d.next = self.h.val();
        self.rs.d.next = self.s.val();
        self.oa.next = !self.ra.q.val();
        self.ob.next = !self.rb.q.val();
        self.oc__d.next = !self.rc.q.val();
        self.oe.next = !self.re.q.val();
        self.of.next = !self.rf.q.val();
        self.og.next = !self.rg.q.val();
        self.oh.next = !self.rh.q.val();
        self.os.next = self.rs.q.val();
    }
}

fn sizes() -> Sizes {
    let mut u = Sizes::default();
    u.connect_all();
    u
}

fn vectors(cosim: &Cosim, seed: u64, n: usize) -> Vec<Vec<u128>> {
    let mut s = Source::seeded(seed);
    (0..n).map(|_| cosim.inputs().iter().map(|p| s.wide(p.width.into())).collect()).collect()
}

#[test]
fn every_width_goes_in_and_comes_out() {
    let cosim = Cosim::of_block(&sizes()).unwrap();
    assert_eq!(Interface::of(&sizes()).clock.as_deref(), Some("clock"));
    assert_eq!(cosim.inputs()[2], Port { name: "c__d".into(), width: 17, dir: Dir::Input });
    let inputs = vectors(&cosim, 1, 5000);
    let outputs = cosim.run_all(&inputs).unwrap();
    assert_eq!(outputs.len(), inputs.len());
    for (i, o) in inputs.iter().zip(&outputs[1..]) {
        for ((port, i), o) in cosim.inputs().iter().zip(i).zip(o) {
            let ones = u128::MAX >> (128 - port.width);
            assert_eq!(*o, if port.name == "s" { *i } else { !*i & ones }, "{}", port.name);
        }
    }
}

#[test]
fn a_session_gives_what_a_stream_gives() {
    let cosim = Cosim::of_block(&sizes()).unwrap();
    let inputs = vectors(&cosim, 2, 300);
    let mut session = cosim.session().unwrap();
    let stepped: Vec<_> = inputs.iter().map(|i| session.step(i).unwrap()).collect();
    assert_eq!(stepped, cosim.run_all(&inputs).unwrap());
    assert_eq!(session.cycles(), 300);
}

#[test]
fn a_recorded_run_holds_the_verilog_to_the_rust() {
    let mut d = Driver::new(Sizes::default(), |u, c| u.clock.next = c.into()).unwrap().recording();
    let mut s = Source::seeded(3);
    for _ in 0..500 {
        d.cycle(
            |u| {
                u.a.next = s.percent(50);
                u.b.next = s.bits(8).to_bits();
                u.e.next = s.bits(33).to_bits();
                u.g.next = (s.bits(64).to_bits::<100>() << 36_u64.to_bits::<8>()) | s.bits(36).to_bits::<100>();
                u.s.next = signed::<12>(s.bits(12) as i64 as i128 as i64 - 2048);
            },
            |_| (),
        )
        .unwrap();
    }
    assert_eq!(d.check_verilog().unwrap(), 500);
}

#[test]
fn a_vector_that_does_not_fit_is_refused_with_its_cycle() {
    let cosim = Cosim::of_block(&sizes()).unwrap();
    let good = vectors(&cosim, 4, 1).remove(0);
    let mut wide = good.clone();
    wide[1] = 0x100;
    let e = cosim.run_all(&[good.clone(), wide]).unwrap_err().to_string();
    assert_eq!(e, "cycle 1: input `b` = 0x100 is wider than its 8 bits");
    let e = cosim.run_all(&[good[1..].to_vec()]).unwrap_err().to_string();
    assert_eq!(e, "cycle 0: 7 input values; 8 inputs are there");
    let e = cosim.vector(&[("x", 1)]).unwrap_err().to_string();
    assert_eq!(e, "port `x`: not an input of this top");
    assert_eq!(cosim.vector(&[("b", 7)]).unwrap()[..3], [0, 7, 0]);
    assert_eq!(cosim.output("og").unwrap(), 5);
}

#[test]
fn bad_verilog_and_bad_ports_are_errors() {
    let verilog = "module top(input clock, output reg q); initial q = 0; always @(posedge clock) q <= ~q endmodule";
    let interface = Interface { clock: Some("clock".into()), ports: vec![Port::output("q", 1)] };
    let e = Cosim::build(verilog, &interface).unwrap_err();
    assert!(matches!(&e, CosimError::Tool(t) if t.to_string().contains("syntax error")), "{e}");

    let fixed = verilog.replace("~q ", "~q; ");
    let toggle = Cosim::build(&fixed, &interface).unwrap();
    assert_eq!(toggle.run_all(&vec![vec![]; 4]).unwrap(), [[0], [1], [0], [1]]);

    let wide = Interface { ports: vec![Port::output("q", 129)], ..interface };
    let e = Cosim::build(&fixed, &wide).unwrap_err().to_string();
    assert_eq!(e, "port `q`: 129 bits, expected 1 to 128");
}

#[test]
fn a_random_state_shows_what_nobody_clears() {
    let verilog = "module top(input clock, input clear, input [3:0] a, output [7:0] q, output reg [3:0] r);\n\
        reg [7:0] m [0:15]; initial r = 5;\n\
        assign q = m[a];\n\
        always @(posedge clock) if (clear) m[a] <= 8'd0;\nendmodule";
    let ports = vec![Port::input("clear", 1), Port::input("a", 4), Port::output("q", 8), Port::output("r", 4)];
    let cosim = Cosim::build(verilog, &Interface { clock: Some("clock".into()), ports }).unwrap();
    let look: Vec<Vec<u128>> = (0..16).map(|a| vec![0, a]).collect();
    let clear_and_look: Vec<Vec<u128>> = (0..16).map(|a| vec![1, a]).chain(look.clone()).collect();
    let zeros = vec![vec![0, 5]; 16];
    assert_eq!(cosim.run_all(&look).unwrap(), zeros);
    let random = cosim.clone().with_random_state(1);
    let first = random.run_all(&look).unwrap();
    assert!(first.iter().filter(|o| o[0] != 0).count() > 8 && first.iter().all(|o| o[1] == 5), "{first:?}");
    assert_eq!(random.run_all(&look).unwrap(), first);
    assert_ne!(cosim.with_random_state(2).run_all(&look).unwrap(), first);
    assert_eq!(random.run_all(&clear_and_look).unwrap()[16..], zeros);
}

#[test]
#[ignore = "a measurement: cargo test -p testbenches --release --test units cosim:: -- --ignored --nocapture"]
fn speed_of_a_narrow_top() {
    let verilog = "module top(input clock, input en, output reg [15:0] q); initial q = 0; always @(posedge clock) if (en) q <= q + 1; endmodule";
    let interface = Interface { clock: Some("clock".into()), ports: vec![Port::input("en", 1), Port::output("q", 16)] };
    let cosim = Cosim::build(verilog, &interface).unwrap();
    let start = std::time::Instant::now();
    let n = cosim.run((0..5_000_000).map(|i| vec![i & 1]), |_, _| ()).unwrap();
    println!("stream: {:.2} M cycles/s", n as f64 / start.elapsed().as_secs_f64() / 1e6);
    let (start, mut session) = (std::time::Instant::now(), cosim.session().unwrap());
    (0..100_000).for_each(|i| drop(session.step(&[i & 1]).unwrap()));
    println!("session: {:.0} k cycles/s", 100.0 / start.elapsed().as_secs_f64());
}
