//! A trace system of whatever type its parameters ask for
//!
//! Systems are generic over pins and address width, and each type is a circuit of its own to compile. Behind a trait object they
//! are compiled once, here, however many crates simulate or emit them.

use crate::ingress::pins::Pins;
use crate::top::System;
use rust_hdl::prelude::*;
use sim::beats::Retired;

/// A trace system with its ports, as a harness uses them.
pub trait TraceTop: Block {
    /// Drives the clock.
    fn clock(&mut self, high: bool);
    /// Drives the reset.
    fn reset(&mut self, on: bool);
    /// Whether the ingress is RVFI: [`TraceTop::retire`] drives no other.
    fn is_rvfi(&self) -> bool;
    /// What core `core` retires in this cycle, of several channels in the first; `None`: nothing.
    fn retire(&mut self, core: usize, beat: Option<&Retired>);
    /// Drives the ports of a filter, where there is one, so that it lets everything through that `control.modes` allows.
    fn allow_all(&mut self);
    /// Drives the register bus.
    fn bus(&mut self, addr: u8, write: bool, data: u32);
    /// The register bus answers, one cycle after its address.
    fn read(&self) -> u32;
    /// Takes a word in this cycle if one is there.
    fn take(&mut self, ready: bool);
    /// The word that is there.
    fn word(&self) -> Option<u32>;
}

impl<P: Pins<W>, const W: usize> TraceTop for System<P, W> {
    fn clock(&mut self, high: bool) {
        self.clock.next = high.into();
    }
    fn reset(&mut self, on: bool) {
        self.reset.next = on;
    }
    fn is_rvfi(&self) -> bool {
        P::DRIVEN
    }
    fn retire(&mut self, core: usize, beat: Option<&Retired>) {
        // without contexts of their own all instructions are in that of reset
        if let (Some(mode), Some(_)) = (self.mode.get_mut(core), self.space.get(core)) {
            mode.next = 3u64.to_bits();
        }
        self.pins[core].retire(beat);
    }
    fn allow_all(&mut self) {
        self.allow_modes.iter_mut().for_each(|modes| modes.next = 15u64.to_bits());
        self.filter_last.iter_mut().for_each(|last| last.next = u64::MAX.to_bits());
    }
    fn bus(&mut self, addr: u8, write: bool, data: u32) {
        self.bus_addr.next = u64::from(addr).to_bits();
        self.bus_write.next = write;
        self.bus_wdata.next = u64::from(data).to_bits();
    }
    fn read(&self) -> u32 {
        self.bus_rdata.val().index() as u32
    }
    fn take(&mut self, ready: bool) {
        self.ready.next = ready;
    }
    fn word(&self) -> Option<u32> {
        self.valid.val().then(|| self.data.val().index() as u32)
    }
}

/// Any of them, as one block.
pub struct AnyTop(Box<dyn TraceTop>);

impl AnyTop {
    /// Forgets the type of `top`.
    pub fn new(top: impl TraceTop + 'static) -> Self {
        Self(Box::new(top))
    }
}

impl std::ops::Deref for AnyTop {
    type Target = dyn TraceTop;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl std::ops::DerefMut for AnyTop {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.0
    }
}

impl Logic for AnyTop {
    fn update(&mut self) {
        self.0.update();
    }
    fn connect(&mut self) {
        self.0.connect();
    }
    fn hdl(&self) -> Verilog {
        self.0.hdl()
    }
    fn timing(&self) -> Vec<TimingInfo> {
        self.0.timing()
    }
}

impl Block for AnyTop {
    fn connect_all(&mut self) {
        self.0.connect_all();
    }
    fn update_all(&mut self) {
        self.0.update_all();
    }
    fn has_changed(&self) -> bool {
        self.0.has_changed()
    }
    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        self.0.accept(name, probe);
    }
}
