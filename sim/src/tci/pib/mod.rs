//! Golden model of the PIB sink (Pin Interface Block): its registers, and what it sends over the pins, cycle by cycle
//!
//! | module | content |
//! | --- | --- |
//! | [`pins`] | the bytes on the pins |
//!
//! Its bytes come from [`messages`].
//!
//! # Behaviour
//! A message begins on the pins when all of it is in the sink, so that its bits follow each other without a pause, as N-Trace requires.
//! Only messages that begin and end while the sink is enabled are sent; other bytes are discarded, so that an encoder can be disabled
//! whatever the state of the sink is. Messages that the sink has are sent after it was disabled, too.

pub mod pins;

use super::messages::{self, Messages};
use super::pib_map::{register, DIVIDER_RESET};
use super::Facts;
use pins::{Lines, Mode, Pins, Setting};

/// Inputs in one cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inputs {
    /// Makes the sink inactive, and the next byte the first of a message; all other inputs are ignored.
    pub reset: bool,
    /// Word address in the page.
    pub addr: u32,
    /// Write strobe.
    pub write: bool,
    /// Write data.
    pub wdata: u32,
    /// A word of the trace, if there is one; it stays until it is taken.
    pub word: Option<u32>,
}

/// State of the sink.
#[derive(Clone, Debug)]
pub struct PibSink {
    facts: Facts,
    active: bool,
    enable: bool,
    setting: Setting,
    messages: Messages,
    pins: Pins,
    read_data: u32,
}

impl PibSink {
    /// A sink at power-up.
    pub fn new(facts: Facts) -> Self {
        let framing = messages::Framing::of(&facts);
        Self {
            facts,
            active: false,
            enable: false,
            // the first edge sets the divider
            setting: Setting::default(),
            messages: Messages::new(framing),
            pins: Pins::new(framing),
            read_data: 0,
        }
    }

    /// Value of the register that was addressed at the previous edge.
    pub fn rdata(&self) -> u32 {
        self.read_data
    }

    /// The pins.
    pub fn lines(&self) -> Lines {
        self.pins.lines()
    }

    /// Whether the word that is at the input is taken at the next edge.
    pub fn takes(&self, i: &Inputs) -> bool {
        self.messages.takes(&self.source(i)) && self.messages.at_last_byte()
    }

    fn source(&self, i: &Inputs) -> messages::Inputs {
        let calibrates = self.enable && self.setting.calibrate;
        messages::Inputs {
            reset: i.reset,
            clear: !self.active,
            store: self.enable && self.setting.mode != Mode::Off && !calibrates,
            hold: calibrates,
            word: i.word,
        }
    }

    fn empty(&self) -> bool {
        self.messages.is_empty() && !self.pins.busy()
    }

    fn read(&self, addr: u32) -> u32 {
        let at = |name: &str| u32::from(register(name).offset) == 4 * addr;
        if at("pib_control") {
            let place = |field: &str, value: u32| value << register("pib_control").field(field).lsb;
            return place("active", u32::from(self.active))
                | place("enable", u32::from(self.enable))
                | place("empty", u32::from(self.empty()))
                | place("mode", self.setting.mode.number())
                | place("clk_center", u32::from(self.setting.center))
                | place("calibrate", u32::from(self.setting.calibrate))
                | place("divider", self.setting.divider);
        }
        if at("pib_impl") {
            return register("pib_impl").reset(&self.facts);
        }
        0
    }

    /// Takes a rising edge of the clock.
    pub fn step(&mut self, i: &Inputs) {
        self.read_data = self.read(i.addr);
        let (source, free) = (self.source(i), !self.enable && self.empty());
        let calibrates = self.enable && self.setting.calibrate;
        let off = i.reset || !self.active;
        let took = self.pins.step(off, &self.setting, calibrates, self.messages.head());
        self.messages.step(&source, took);

        let control = register("pib_control");
        if i.write && u32::from(control.offset) == 4 * i.addr {
            let value = |field: &str| (i.wdata & control.field(field).mask()) >> control.field(field).lsb;
            if self.active {
                if free {
                    let mode = Mode::legal(value("mode"), self.messages.framing());
                    let center = value("clk_center") == 1 && mode.parallel().is_some();
                    if (mode, center) != (self.setting.mode, self.setting.center) {
                        self.pins.restart();
                    }
                    self.setting = Setting {
                        mode,
                        center,
                        calibrate: value("calibrate") == 1 && mode != Mode::Off,
                        divider: value("divider").max(u32::from(mode == Mode::Parallel16)),
                    };
                }
                self.enable = value("enable") == 1;
            }
            self.active = value("active") == 1;
        }
        if i.reset {
            self.active = false;
        }
        if !self.active {
            self.enable = false;
            self.setting = Setting { divider: DIVIDER_RESET, ..Setting::default() };
        }
    }
}
