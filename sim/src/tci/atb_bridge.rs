//! Golden model of the ATB bridge: its registers and the words that it passes on, cycle by cycle
//!
//! # Behaviour
//! A word is offered to ATB while the bridge is enabled, with the ID next to it. A word that was offered stays, with its ID, until it is
//! accepted, also when the bridge is disabled or made inactive, as ATB requires. Other words are discarded while the bridge is not
//! enabled: they are taken in every cycle, so that an encoder can be disabled whatever the state of the bridge is.

use super::atb_map::register;
use super::Facts;

/// Inputs in one cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inputs {
    /// Makes the bridge inactive and withdraws a word; all other inputs are ignored.
    pub reset: bool,
    /// Word address in the page.
    pub addr: u32,
    /// Write strobe.
    pub write: bool,
    /// Write data.
    pub wdata: u32,
    /// A word of the trace, if there is one; it stays until it is taken.
    pub word: Option<u32>,
    /// A word that is offered is accepted.
    pub ready: bool,
}

/// Outputs in the same cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outputs {
    /// A word that comes is taken.
    pub takes: bool,
    /// ID and word that are offered.
    pub offer: Option<(u8, u32)>,
}

/// State of the bridge.
#[derive(Clone, Debug)]
pub struct AtbBridge {
    facts: Facts,
    active: bool,
    enable: bool,
    id: u8,
    /// A word was offered and not accepted.
    waits: bool,
    read_data: u32,
}

impl AtbBridge {
    /// A bridge at power-up.
    pub fn new(facts: Facts) -> Self {
        Self { facts, active: false, enable: false, id: 0, waits: false, read_data: 0 }
    }

    /// Value of the register that was addressed at the previous edge.
    pub fn rdata(&self) -> u32 {
        self.read_data
    }

    /// Outputs of this cycle.
    pub fn outputs(&self, i: &Inputs) -> Outputs {
        let passes = self.enable || self.waits;
        Outputs { takes: i.ready || !passes, offer: i.word.filter(|_| passes).map(|word| (self.id, word)) }
    }

    fn read(&self, addr: u32) -> u32 {
        let at = |name: &str| u32::from(register(name).offset) == 4 * addr;
        if at("atb_control") {
            let place = |field: &str, value: u32| value << register("atb_control").field(field).lsb;
            return place("active", u32::from(self.active || self.waits))
                | place("enable", u32::from(self.enable))
                | place("empty", u32::from(!self.waits))
                | place("id", u32::from(self.id));
        }
        if at("atb_impl") {
            return register("atb_impl").reset(&self.facts);
        }
        0
    }

    /// Takes a rising edge of the clock.
    pub fn step(&mut self, i: &Inputs) {
        self.read_data = self.read(i.addr);
        let (waited, offered) = (self.waits, self.outputs(i).offer.is_some());
        self.waits = offered && !i.ready;
        let control = register("atb_control");
        // while the last word leaves an inactive bridge, nothing is written
        if i.write && u32::from(control.offset) == 4 * i.addr && (self.active || !waited) {
            let value = |field: &str| (i.wdata & control.field(field).mask()) >> control.field(field).lsb;
            if self.active {
                if !self.enable && !waited {
                    self.id = value("id") as u8;
                }
                self.enable = value("enable") == 1;
            }
            self.active = value("active") == 1;
        }
        if i.reset {
            (self.active, self.waits) = (false, false);
        }
        if !self.active {
            self.enable = false;
            if !self.waits {
                self.id = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bridge() -> AtbBridge {
        AtbBridge::new(Facts { cores: 1, sink: crate::tci::Sink::Atb, ..Facts::default() })
    }

    fn write(b: &mut AtbBridge, wdata: u32, word: Option<u32>) {
        b.step(&Inputs { write: true, wdata, word, ..Inputs::default() });
    }

    fn read(b: &mut AtbBridge, offset: u32, word: Option<u32>) -> u32 {
        b.step(&Inputs { addr: offset / 4, word, ..Inputs::default() });
        b.rdata()
    }

    #[test]
    fn words_leave_with_the_id_while_the_bridge_is_enabled() {
        let mut b = bridge();
        assert_eq!((read(&mut b, 0, None), read(&mut b, 4, None)), (8, 0xe01));
        for value in [0, 1, 0x2a01, 0x2a03] {
            write(&mut b, value, None);
        }
        assert_eq!(read(&mut b, 0, None), 0x2a0b);
        let i = Inputs { word: Some(7), ready: true, ..Inputs::default() };
        assert_eq!(b.outputs(&i), Outputs { takes: true, offer: Some((0x2a, 7)) });
        let i = Inputs { ready: false, ..i };
        assert_eq!(b.outputs(&i), Outputs { takes: false, offer: Some((0x2a, 7)) });
        write(&mut b, 0x1103, None);
        assert_eq!(read(&mut b, 0, None), 0x2a0b, "the ID of an enabled bridge does not change");
    }

    #[test]
    fn a_disabled_bridge_discards_words() {
        let mut b = bridge();
        for value in [1, 0x501] {
            write(&mut b, value, None);
        }
        let i = Inputs { word: Some(7), ..Inputs::default() };
        assert_eq!(b.outputs(&i), Outputs { takes: true, offer: None });
    }

    #[test]
    fn a_word_that_waits_keeps_its_place_and_id() {
        let mut b = bridge();
        for value in [1, 0x501, 0x503] {
            write(&mut b, value, None);
        }
        let word = Some(9);
        b.step(&Inputs { word, ..Inputs::default() });
        write(&mut b, 0, word);
        assert_eq!(read(&mut b, 0, word), 0x501, "active until the word is accepted, and not empty");
        write(&mut b, 0x7f03, word);
        let i = Inputs { word, ready: true, ..Inputs::default() };
        assert_eq!(b.outputs(&i), Outputs { takes: true, offer: Some((5, 9)) });
        b.step(&i);
        assert_eq!(read(&mut b, 0, None), 8);
        assert_eq!(b.outputs(&i), Outputs { takes: true, offer: None });
    }
}
