//! Trace systems as trait objects, whatever their parameters
//!
//! A system is generic over its pins and address width, and each type is compiled separately. As a trait object
//! defined here, each is compiled once, in this crate, however many crates simulate or emit it.

use crate::ingress::pins::Pins;
use crate::top::System;
use rust_hdl::prelude::*;
use sim::beats::Retired;

/// The ports of a trace system, as a test harness drives them.
pub trait TraceTop: Block {
    /// Drives the clock.
    fn clock(&mut self, high: bool);
    /// Drives the reset.
    fn reset(&mut self, on: bool);
    /// Whether the ingress is RVFI, the only one that [`TraceTop::retire`] drives.
    fn is_rvfi(&self) -> bool;
    /// Sets what core `core` retires in this cycle, on the first channel if there are several; `None`: nothing.
    fn retire(&mut self, core: usize, beat: Option<&Retired>);
    /// Drives the ports of a filter, where there is one, so that it lets everything through that `control.modes` allows.
    fn allow_all(&mut self);
    /// Drives the register bus.
    fn bus(&mut self, addr: u8, write: bool, data: u32);
    /// The read data of the register bus, valid one cycle after its address.
    fn read(&self) -> u32;
    /// Sets whether a trace word is accepted in this cycle.
    fn take(&mut self, ready: bool);
    /// The trace word at the output, if there is one.
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
        // a beat carries no context: drive machine mode, the mode after reset
        if let (Some(mode), Some(_)) = (self.mode.get_mut(core), self.space.get(core)) {
            mode.next = 3u64.to_bits();
        }
        self.pins[core].retire(beat);
    }
    fn allow_all(&mut self) {
        self.allow_modes.iter_mut().for_each(|modes| modes.next = 15u64.to_bits());
        self.filter_last.iter_mut().for_each(|last| last.next = (u64::MAX >> (64 - W)).to_bits());
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

/// A trace system of any type, as one block.
pub struct AnyTop(Box<dyn TraceTop>);

impl AnyTop {
    /// Erases the type of `top`.
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
