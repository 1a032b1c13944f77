//! Benches that hold the circuits of `hdl` to the golden models of `sim`
//!
//! | module | what it is for |
//! | --- | --- |
//! | [`bounded`] | whether a change can be seen at the outputs of a module, in a number of cycles |
//! | [`driver`] | runs a rust-hdl circuit in the calling thread, with a VCD if wanted |
//! | [`entry`] | an event entry as plain numbers |
//! | [`equal`] | whether two emitted Verilog texts are the same circuit |
//! | [`formal`] | proofs about emitted Verilog |
//! | [`funnel`] | runs systems with a trace funnel |
//! | [`gates`] | all static checks of a circuit in one call |
//! | [`lint`] | finds what simulates right and emits wrong |
//! | [`mutation`] | single changes of emitted Verilog, for judging a bench |
//! | [`same`] | whether the Verilog that users get is the circuit of rust-hdl's text |
//! | [`verilog`] | yosys and Verilator on emitted Verilog |
//!
//! # A bench
//! ```
//! use hdl::LogicBlock;
//! use rust_hdl::prelude::*;
//! use sim::stimulus::Source;
//! use testbenches::{driver::{CheckVerilog, Driver}, gates::emit_checked};
//!
//! /// Adds `a` up while `enable` is 1.
//! #[derive(LogicBlock, Default)]
//! struct Total {
//!     pub clock: Signal<In, Clock>,
//!     pub enable: Signal<In, Bit>,
//!     pub a: Signal<In, Bits<8>>,
//!     pub total: Signal<Out, Bits<8>>,
//!     sum: DFF<Bits<8>>,
//! }
//! impl Logic for Total {
//!     #[hdl_gen]
//!     fn update(&mut self) {
//!         dff_setup!(self, clock, sum);
//!         if self.enable.val() {
//!             self.sum.d.next = self.sum.q.val() + self.a.val();
//!         }
//!         self.total.next = self.sum.q.val();
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // check_all, lint, yosys, Verilator's lint
//! emit_checked(&mut Total::default())?;
//! // the circuit against its golden model, here one line
//! let mut d = Driver::new(Total::default(), |u, c| u.clock.next = c.into())?.recording();
//! let (mut s, mut golden) = (Source::seeded(1), 0_u8);
//! for cycle in 0..500 {
//!     let (enable, a) = (s.percent(70), s.bits(8) as u8);
//!     let set = |u: &mut Total| {
//!         u.enable.next = enable;
//!         u.a.next = a.to_bits();
//!     };
//!     let total = d.cycle(set, |u| u64::from(u.total.val()))?;
//!     assert_eq!(total, u64::from(golden), "seed 1, cycle {cycle}: enable {enable}, a {a}");
//!     golden = if enable { golden.wrapping_add(a) } else { golden };
//! }
//! // the emitted Verilog against the circuit, on the same inputs
//! d.check_verilog()?;
//! # Ok(())
//! # }
//! ```

pub mod bounded;
pub mod check;
pub mod driver;
pub mod entry;
pub mod equal;
pub mod formal;
pub mod funnel;
pub mod gates;
pub mod lint;
pub mod mutation;
pub mod same;
pub mod verilog;
