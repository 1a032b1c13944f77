//! The planner for programs of the diagnosis processor: chooses the location that sends fewer bits
//!
//! A program is not divided: either all handlers are on the chip's processor, and messages are sent, or all are on the
//! host, and events are sent.

use crate::app::{App, Part};
use crate::firmware::Firmware;
use crate::handlers::Handlers;
use crate::plan::{event_bits, Reason};
use crate::session::Totals;
use sim::diag::chip::{ChipParams, FIRST_NODE};
use sim::diag::processor::{RAM_BYTES, SLOTS};

/// Event rates of the handlers, and message rates of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramRates {
    /// Events a second of all handlers.
    pub events: f64,
    /// Bits per second of the events over the link.
    pub event_bits: f64,
    /// Messages a second.
    pub messages: f64,
    /// Bits per second of the messages over the link.
    pub message_bits: f64,
    /// Whether the rates were measured.
    pub measured: bool,
}

fn values(message: &[Part]) -> usize {
    message.iter().filter(|p| p.takes_value()).count()
}

/// Number of words of a slot's event.
fn words(stamped: bool, args: usize) -> usize {
    2 + 2 * usize::from(stamped) + 2 * args
}

impl ProgramRates {
    /// Rates assumed without measurement: 1000 events per second and handler, and 10 messages of each kind, like
    /// violations of a machine.
    pub fn assumed(firmware: &Firmware, app: &App) -> Self {
        let bits = |u: &crate::app::Use| 1000.0 * event_bits(words(u.stamped, u.captures.len()));
        let message_bits = |m: &Vec<Part>| 10.0 * event_bits(words(true, values(m)));
        Self {
            events: 1000.0 * app.uses.len() as f64,
            event_bits: app.uses.iter().map(bits).sum(),
            messages: 10.0 * firmware.messages.len() as f64,
            message_bits: firmware.messages.iter().map(message_bits).sum(),
            measured: false,
        }
    }

    /// Rates counted in a run without a chip, at its end.
    pub fn measured(handlers: &Handlers<'_>, clock_hz: u64) -> Self {
        let Totals { cycles, events, event_bytes, .. } = handlers.totals();
        let (_, packets, words) = handlers.counts();
        let a_second = clock_hz as f64 / cycles.max(1) as f64;
        // the frame of a packet also crosses the link
        let bits = |packets: u64, words: u64| {
            a_second * (packets as f64 * event_bits(0) + words as f64 * (event_bits(1) - event_bits(0)))
        };
        Self {
            events: events as f64 * a_second,
            event_bits: bits(events, event_bytes / 2),
            messages: packets as f64 * a_second,
            message_bits: bits(packets, words),
            measured: true,
        }
    }
}

/// Location of a program.
#[derive(Clone, Debug)]
pub struct ProgramPlan {
    /// Whether it runs on the chip's processor; otherwise on the host.
    pub on_chip: bool,
    /// Expected rate over the link with the handlers on the processor, bit/s.
    pub chip_bits: f64,
    /// Expected rate over the link with the handlers on the host, bit/s.
    pub host_bits: f64,
    /// The location of each part.
    pub reasons: Vec<Reason>,
}

/// Plans a program for a chip, whose processor follows its other nodes. If the rates are equal, it runs on the host.
pub fn plan(firmware: &Firmware, app: &App, params: &ChipParams, rates: &ProgramRates) -> ProgramPlan {
    let (chip_bits, host_bits) = (rates.message_bits, rates.event_bits);
    let on_chip = chip_bits < host_bits;
    let node = usize::from(FIRST_NODE) + params.nodes.len();
    let mut reasons = Vec::new();
    for u in &app.uses {
        let why = format!("event of {} bytes", 2 * words(u.stamped, u.captures.len()));
        reasons.push(Reason { what: u.name.clone(), place: "chip: event generators".into(), why });
    }
    let place = if on_chip { format!("chip: processor (node {node})") } else { "host".into() };
    for handler in &firmware.handlers {
        let why = if on_chip {
            "no other node runs C, and fewer bits leave the chip: what it sends, not its events"
        } else {
            "on the processor it would send more than its events are"
        };
        reasons.push(Reason { what: format!("handler {}", handler.name), place: place.clone(), why: why.into() });
    }
    let why = format!("{} of {RAM_BYTES} bytes, {SLOTS} events wait at most", firmware.image.len());
    reasons.push(Reason { what: "program and data".into(), place, why });
    for message in &firmware.messages {
        let text: String = message.iter().map(Part::to_string).collect();
        let why = format!("only its number and values leave: {} bytes", 2 * words(true, values(message)));
        reasons.push(Reason { what: format!("\"{text}\""), place: "host".into(), why });
    }
    ProgramPlan { on_chip, chip_bits, host_bits, reasons }
}
