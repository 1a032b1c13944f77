//! A slot for one of several circuits with the same ports, chosen at run time
//!
//! In Verilog, the slot is a module that instantiates the chosen circuit under its own name.
//!
//! # Ports
//! | port | dir | meaning |
//! | --- | --- | --- |
//! | `clock` | in | rising edge |
//! | `port` | | ports of the circuit in the slot |

use rust_hdl::core::ast::{VerilogExpression, VerilogStatement};
use rust_hdl::prelude::*;

/// A circuit with ports `P`, which fits in a slot.
pub trait Part<P>: Block {
    /// Name of the block, the same in every folder.
    fn name(&self) -> &'static str;
    /// Cycles from its inputs to its outputs.
    fn latency(&self) -> usize;
    /// Its clock.
    fn clock(&mut self) -> &mut Signal<In, Clock>;
    /// All its other ports.
    fn port(&mut self) -> &mut P;
}

/// Implements [`Part`] for a circuit whose ports are `port`: `part!(Rvfi<W>, IngressPort<RvfiPins<W>, W>, "ingress")`,
/// with its latency after that, `|self| ..`, unless it is 0.
macro_rules! part {
    ($circuit:ident<$w:ident>, $port:ty, $name:literal) => {
        crate::widget::slot::part!($circuit<$w>, $port, $name, |_part| 0);
    };
    ($circuit:ident<$w:ident>, $port:ty, $name:literal, |$part:ident| $latency:expr) => {
        impl<const $w: usize> crate::widget::slot::Part<$port> for $circuit<$w> {
            fn name(&self) -> &'static str {
                $name
            }
            fn latency(&self) -> usize {
                let $part = self;
                $latency
            }
            fn clock(&mut self) -> &mut Signal<In, Clock> {
                &mut self.clock
            }
            fn port(&mut self) -> &mut $port {
                &mut self.port
            }
        }
    };
}
pub(crate) use part;

/// A slot. The default is empty and must not be used.
#[derive(Default)]
pub struct Slot<P> {
    pub clock: Signal<In, Clock>,
    pub port: P,
    part: Option<Box<dyn Part<P>>>,
}

impl<P: Default> Slot<P> {
    /// A slot with `part` in it.
    pub fn new(part: Box<dyn Part<P>>) -> Self {
        Self { part: Some(part), ..Default::default() }
    }

    /// [`Part::latency`] of the circuit in the slot.
    pub fn latency(&self) -> usize {
        self.part.as_ref().map_or(0, |p| p.latency())
    }
}

impl<P: LogicLink> Logic for Slot<P> {
    fn update(&mut self) {
        if let Some(part) = &mut self.part {
            part.clock().next = self.clock.val();
            self.port.link(part.port());
        }
    }

    fn connect(&mut self) {
        if let Some(part) = &mut self.part {
            part.clock().connect();
            logic::logic_connect_link_fn(&mut self.port, part.port());
        }
    }

    fn hdl(&self) -> Verilog {
        let name = self.part.as_ref().map_or("", |p| p.name());
        let signal = |s: String| VerilogExpression::Signal(s);
        Verilog::Combinatorial(vec![
            VerilogStatement::Assignment(signal(format!("{name}$clock")), signal("clock".into())),
            VerilogStatement::Link(P::link_hdl("", "port", &format!("{name}$port"))),
        ])
    }
}

impl<P: LogicLink + Block> Block for Slot<P> {
    fn connect_all(&mut self) {
        self.connect();
        self.clock.connect_all();
        self.port.connect_all();
        if let Some(part) = &mut self.part {
            part.connect_all();
        }
    }

    // in the order of `crate::sweep`
    fn update_all(&mut self) {
        self.clock.update_all();
        self.port.update_all();
        self.update();
        self.port.update_all();
        if let Some(part) = &mut self.part {
            part.update_all();
        }
    }

    fn has_changed(&self) -> bool {
        self.port.has_changed() || self.part.as_ref().is_some_and(|p| p.has_changed())
    }

    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        probe.visit_start_scope(name, self);
        self.clock.accept("clock", probe);
        self.port.accept("port", probe);
        if let Some(part) = &self.part {
            part.accept(part.name(), probe);
        }
        probe.visit_end_scope(name, self);
    }
}
