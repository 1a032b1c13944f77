//! Golden encoder: from the events of a hart to messages
//!
//! # Source
//! RISC-V N-Trace 1.0, "Rules of Generating Messages", "Field Encoding and Calculation Techniques", "Optimization
//! Extensions". Each option is one that the text names.

use retire::image::Image;
use retire::{Context, FlowEvent, FlowKind};
use std::collections::VecDeque;

/// Halfwords before an instruction with which it reports I-CNT alone, if nothing else: half of what 22 bits hold.
const MAX_ICNT: u32 = 1 << 21;
/// EVCODE: tracing is disabled.
const DISABLED: u64 = 4;
/// SYNC: a periodic synchronization.
const PERIODIC: u64 = 2;
/// Most repetitions that a message counts.
const MAX_REPEAT: u32 = (1 << 18) - 1;

/// Options of the encoder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// History messages (HTM) in place of a message for each taken branch (BTM).
    pub history: bool,
    /// Entries of the return stack; 0: returns are reported. 0..=32.
    pub returns: usize,
    /// Repeated history (HTM) or branches (BTM) are counted.
    pub repeat: bool,
    /// Targets of jumps that the instruction before them determines are not reported.
    pub sequential_jump: bool,
    /// Addresses are cut where their highest bits are equal.
    pub extend_address_msb: bool,
    /// Traps are exceptions or interrupts, not just traps.
    pub trap_types: bool,
    /// Messages have time stamps.
    pub time: bool,
    /// Ownership messages report contexts: the privilege mode, and this many bits of the identifier. `None`: they are not reported.
    pub ownership: Option<u8>,
    /// A gap in the events is a stretch that a filter hides, not a loss.
    pub filter: bool,
    /// Width of the source, bits, and its value.
    pub source: (u8, u16),
    /// Instructions after which a synchronization is sent.
    pub sync: Option<u64>,
    /// As a circuit, whose time stamps have 32 bits, at the trace port of a core: the target of a jump is known when it retires, so that no jump is held back;
    /// tracing ends because it is disabled; and a synchronization that is due is a message of the next control-flow instruction
    /// that is not the first one after a trap.
    pub at_port: bool,
}

/// Bytes of one message.
#[derive(Clone, Debug, Default)]
struct Bytes {
    out: Vec<u8>,
    bit: u32,
}

impl Bytes {
    fn fixed(&mut self, value: u64, width: u32) {
        for i in 0..width {
            if self.bit == 0 {
                self.out.push(0);
            }
            if let Some(last) = self.out.last_mut() {
                *last |= ((value >> i & 1) as u8) << (2 + self.bit);
            }
            self.bit = (self.bit + 1) % 6;
        }
    }

    /// A field of `width` bits that ends on a byte.
    fn ends(&mut self, value: u64, width: u32) {
        self.fixed(value, width);
        self.mark(1);
        self.bit = 0;
    }

    fn mark(&mut self, mseo: u8) {
        if let Some(last) = self.out.last_mut() {
            *last |= mseo;
        }
    }

    fn variable(&mut self, value: u64) {
        self.ends(value, (64 - value.leading_zeros()).max(1));
    }

    /// An address without bit 0, of `xlen` bits; with `extend` only up to the byte from which all bits are equal.
    fn address(&mut self, address: u64, xlen: u8, extend: bool) {
        let bits = u32::from(xlen) - 1;
        let value = address >> 1 & (u64::MAX >> (64 - bits));
        if !extend {
            return self.variable(value);
        }
        let signed = |value: u64, width: u32| ((value << (64 - width)) as i64) >> (64 - width);
        let widths = (0..).map(|bytes| 6 - self.bit + 6 * bytes).take_while(|width| *width < 64);
        let shortest = widths.into_iter().find(|width| signed(value, *width) == signed(value, bits));
        match shortest {
            Some(width) => self.ends(signed(value, bits) as u64, width),
            None => self.variable(value),
        }
    }
}

/// A branch message that may be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Last {
    icnt: u32,
    count: u32,
}

/// Encoder of the events of one hart.
#[derive(Debug)]
pub struct Encoder<'a> {
    options: Options,
    image: &'a Image,
    xlen: u8,
    out: Vec<u8>,
    at: u64,
    icnt: u32,
    hist: u32,
    /// Full history that was not sent yet, and how often it came.
    full: Option<(u32, u32)>,
    /// BTM: the last taken branch, and how often it came again.
    taken: Option<Last>,
    returns: VecDeque<u64>,
    address: u64,
    time: u64,
    /// Messages have a time, if the options say so; the time of the last one is not known to a decoder that begins after it.
    enabled: bool,
    unknown: bool,
    context: Context,
    since_sync: u64,
    /// A trap or a change of context, and no instruction after it.
    after_trap: bool,
    /// A context that a trap enters.
    entered: bool,
    messages: u64,
    held: Option<FlowEvent>,
}

impl<'a> Encoder<'a> {
    /// An encoder before the first event.
    pub fn new(options: Options, xlen: u8, image: &'a Image) -> Self {
        Self {
            options,
            image,
            xlen,
            out: Vec::new(),
            at: 0,
            icnt: 0,
            hist: 1,
            full: None,
            taken: None,
            returns: VecDeque::new(),
            address: 0,
            time: 0,
            enabled: true,
            unknown: false,
            context: Context::RESET,
            since_sync: 0,
            after_trap: false,
            entered: false,
            messages: 0,
            held: None,
        }
    }

    /// The bytes so far.
    pub fn bytes(&self) -> &[u8] {
        &self.out
    }

    /// Messages so far.
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// Sets whether the messages from now on have a time, in a trace with times: `trTsEnable`. When they have one again, the first is that of a
    /// synchronization.
    pub fn enable_time(&mut self, on: bool) {
        self.enabled = on;
        self.unknown |= !on;
    }

    fn begin(&self, tcode: u64) -> Bytes {
        let mut bytes = Bytes::default();
        bytes.fixed(tcode, 6);
        bytes.fixed(self.options.source.1.into(), self.options.source.0.into());
        bytes
    }

    /// Ends a message, with its time.
    fn send(&mut self, mut bytes: Bytes, cycle: u64, absolute: bool) {
        if self.options.time && self.enabled && (absolute || !self.unknown) {
            self.unknown = false;
            let bits = if self.options.at_port { 32 } else { 64 };
            bytes.variable(if absolute { cycle } else { cycle.wrapping_sub(self.time) } & (u64::MAX >> (64 - bits)));
            self.time = cycle;
        }
        bytes.mark(3);
        self.out.extend(bytes.out);
        self.messages += 1;
    }

    /// Sends what is counted and not sent: history that is full, and repeated branches.
    fn flush(&mut self, cycle: u64) {
        if let Some((hist, count)) = self.full.take() {
            let mut m = self.begin(27);
            m.fixed(if count > 1 { 2 } else { 1 }, 4);
            m.variable(hist.into());
            if count > 1 {
                m.variable(count.into());
            }
            self.send(m, cycle, false);
        }
        if let Some(Last { count: 1.., .. }) = self.taken {
            let count = self.taken.take().map_or(0, |t| t.count);
            let mut m = self.begin(30);
            m.variable(count.into());
            self.send(m, cycle, false);
        }
        self.taken = None;
    }

    /// Adds halfwords.
    fn count(&mut self, halfwords: u64) {
        self.icnt += halfwords as u32;
    }

    fn flush_icnt(&mut self, cycle: u64) {
        self.flush(cycle);
        let mut m = self.begin(27);
        m.fixed(0, 4);
        m.variable(std::mem::take(&mut self.icnt).into());
        self.send(m, cycle, false);
    }

    /// Adds an outcome. Returns whether HIST was full with it, so that the message 27 is that of the instruction, also if it is sent later.
    fn outcome(&mut self, taken: bool, cycle: u64) -> bool {
        self.hist = self.hist << 1 | u32::from(taken);
        // 30 outcomes hold whole periods of 2, 3, 5, 6, 10 and 15
        let bits = if self.options.repeat { 31 } else { 32 };
        if self.hist.leading_zeros() > 32 - bits {
            return false;
        }
        let hist = std::mem::replace(&mut self.hist, 1);
        match &mut self.full {
            Some((same, count)) if self.options.repeat && *same == hist && *count < MAX_REPEAT => *count += 1,
            _ => {
                self.flush(cycle);
                self.full = Some((hist, 1));
                if !self.options.repeat {
                    self.flush(cycle);
                }
            }
        }
        true
    }

    /// I-CNT, and the address and history that follow.
    fn place(&mut self, m: &mut Bytes, address: Option<u64>, hist: bool) {
        m.variable(std::mem::take(&mut self.icnt).into());
        if let Some(address) = address {
            m.address(address, self.xlen, self.options.extend_address_msb);
        }
        if hist {
            m.variable(std::mem::replace(&mut self.hist, 1).into());
        }
    }

    /// An indirect jump or trap to `target`.
    fn indirect(&mut self, btype: u64, target: u64, cycle: u64) {
        self.flush(cycle);
        let hist = self.options.history && self.hist != 1;
        let mut m = self.begin(if hist { 28 } else { 4 });
        m.fixed(btype, 2);
        self.place(&mut m, Some(self.address ^ target), hist);
        self.address = target;
        self.send(m, cycle, false);
    }

    /// A synchronization after the last instruction; `btype` is that of a jump or trap, if it is one.
    fn synchronize(&mut self, reason: u64, btype: Option<u64>, branch: bool, target: u64, cycle: u64) {
        self.flush(cycle);
        let (tcode, has_type) = match (self.options.history, btype) {
            _ if branch => (11, false),
            (true, _) if self.hist != 1 || btype.is_some() || (self.options.at_port && reason == PERIODIC) => {
                (29, true)
            }
            (false, Some(_)) => (12, true),
            _ => (9, false),
        };
        let mut m = self.begin(tcode);
        m.fixed(reason, 4);
        if has_type {
            m.fixed(btype.unwrap_or(0), 2);
        }
        self.place(&mut m, Some(target), tcode == 29);
        self.send(m, cycle, true);
        self.address = target;
        self.returns.clear();
        self.since_sync = 0;
        self.ownership(cycle);
    }

    fn ownership(&mut self, cycle: u64) {
        self.entered = false;
        if self.options.ownership.is_none() {
            return;
        }
        let (privilege, id) = (u64::from(self.context.privilege()), u64::from(self.context.id()));
        let mut m = self.begin(2);
        m.variable(2 | privilege << 2 | id << 5);
        self.send(m, cycle, false);
    }

    fn call(&mut self, link: u64) {
        if self.options.returns == 0 {
            return;
        }
        if self.returns.len() == self.options.returns {
            self.returns.pop_front();
        }
        self.returns.push_back(link);
    }

    /// Whether the instruction before the jump of `e` determines its target.
    fn is_sequential(&self, e: &FlowEvent, from: u64) -> bool {
        if !self.options.sequential_jump || e.count < 2 || e.kind == FlowKind::TrapReturn {
            return false;
        }
        let Some(before) = self.image.skip(from, e.count - 2) else { return false };
        let (Some((load, _)), Some((jump, _))) = (self.image.instruction(before), self.image.instruction(e.pc)) else {
            return false;
        };
        let wide = load & 0x7f == 0x37 || load & 0x7f == 0x17;
        let short = load & 3 == 1 && load >> 13 & 7 == 3 && load >> 7 & 31 != 2;
        let register = if jump & 3 == 3 { jump >> 15 & 31 } else { jump >> 7 & 31 };
        (wide || short) && load >> 7 & 31 == register
    }

    /// Ends tracing: reports the last instruction.
    fn correlate(&mut self, code: u64, cycle: u64) {
        self.flush(cycle);
        let mut m = self.begin(33);
        m.fixed(code, 4);
        m.fixed(self.options.history.into(), 2);
        let hist = self.options.history;
        self.place(&mut m, None, hist);
        self.send(m, cycle, false);
    }

    /// Takes the next event of the hart. The target of an indirect jump is known when the next instruction is.
    pub fn push(&mut self, e: &FlowEvent) {
        if let Some(jump) = self.held.take() {
            if e.kind == FlowKind::Stop && e.count == 0 {
                self.count(jump.fall_through().wrapping_sub(self.at) / 2);
                self.at = e.pc;
            } else {
                self.event(&jump);
            }
        }
        let indirect = matches!(
            e.kind,
            FlowKind::IndirectJump
                | FlowKind::IndirectCall
                | FlowKind::Return
                | FlowKind::CoSwap
                | FlowKind::TrapReturn
        );
        if indirect && !self.options.at_port && !self.is_sequential(e, self.at) {
            self.held = Some(*e);
        } else {
            self.event(e);
        }
    }

    /// Whether a synchronization is due with `e`, whose instructions are counted.
    fn is_due(&self, e: &FlowEvent) -> bool {
        let Some(period) = self.options.sync else { return false };
        if self.options.at_port {
            // counted before the instruction; a trap and the message of a jump after it are one entry of the circuit
            let with_trap = matches!(e.kind, FlowKind::Trap { .. }) || (self.after_trap && e.count == 1);
            return self.since_sync > period && !with_trap;
        }
        self.since_sync >= period
    }

    fn event(&mut self, e: &FlowEvent) {
        let from = self.at;
        let end = if e.kind.retires() { e.fall_through() } else { e.pc };
        self.since_sync += u64::from(e.count);
        let starts = matches!(e.kind, FlowKind::Start);
        // a context that comes before a trap or gap does not end a run
        let counts = !starts && !matches!(e.kind, FlowKind::Context { alone: false, .. });
        let (sent, mut full) = (self.messages, false);
        if counts {
            full = u64::from(self.icnt) + e.pc.wrapping_sub(from) / 2 >= MAX_ICNT.into();
            self.count(end.wrapping_sub(from) / 2);
            self.at = e.target;
        }
        let due = self.is_due(e);
        self.after_trap = matches!(e.kind, FlowKind::Trap { .. }) || (self.after_trap && e.count == 0);
        match e.kind {
            FlowKind::Start => {
                self.at = e.target;
                self.synchronize(5, None, false, e.target, e.cycle);
            }
            FlowKind::Conditional { taken } if self.options.history => {
                if due && self.options.at_port {
                    // the synchronization has the outcome, too
                    self.hist = self.hist << 1 | u32::from(taken);
                } else if self.outcome(taken, e.cycle) {
                    full = false;
                }
                self.plain(due, e);
            }
            FlowKind::Conditional { taken } => match (taken, due) {
                (_, true) => self.synchronize(PERIODIC, None, taken, e.target, e.cycle),
                (true, false) => self.taken_branch(e.cycle),
                (false, false) => {}
            },
            FlowKind::Jump => self.plain(due, e),
            FlowKind::Call => {
                self.call(e.fall_through());
                self.plain(due, e);
            }
            FlowKind::IndirectJump
            | FlowKind::IndirectCall
            | FlowKind::Return
            | FlowKind::CoSwap
            | FlowKind::TrapReturn => {
                let sequential = self.is_sequential(e, from);
                let pops = matches!(e.kind, FlowKind::Return | FlowKind::CoSwap);
                let predicted = if pops { self.returns.pop_back() } else { None };
                if matches!(e.kind, FlowKind::IndirectCall | FlowKind::CoSwap) {
                    self.call(e.fall_through());
                }
                match (sequential || predicted == Some(e.target), due) {
                    (true, _) => self.plain(due, e),
                    (false, true) => self.synchronize(PERIODIC, Some(0), false, e.target, e.cycle),
                    (false, false) => self.indirect(0, e.target, e.cycle),
                }
            }
            FlowKind::Trap { interrupt, .. } => {
                let btype = if self.options.trap_types { 2 + u64::from(interrupt) } else { 1 };
                match due {
                    true => self.synchronize(PERIODIC, Some(btype), false, e.target, e.cycle),
                    false => self.indirect(btype, e.target, e.cycle),
                }
                self.ownership_if_changed(e.cycle);
            }
            FlowKind::Context { context, alone } => self.switch(context, alone, e),
            FlowKind::Gap { .. } if self.options.filter => {
                // the circuit's message leaves one cycle before the first instruction
                self.correlate(DISABLED, e.cycle.saturating_sub(1));
                self.synchronize(5, None, false, e.target, e.cycle);
            }
            FlowKind::Gap { .. } => {
                self.lose(e.cycle);
                self.synchronize(7, None, false, e.target, e.cycle);
            }
            FlowKind::Stop => self.correlate(if self.options.at_port { DISABLED } else { 0 }, e.cycle),
            FlowKind::ConditionalIndirect { .. } => {}
        }
        if full && self.icnt >= MAX_ICNT && self.messages == sent {
            self.flush_icnt(e.cycle);
        }
    }

    /// Messages were lost after the last event.
    fn lose(&mut self, cycle: u64) {
        self.correlate(DISABLED, cycle);
        let mut m = self.begin(8);
        m.fixed(0, 4);
        m.variable(4);
        self.send(m, cycle, false);
    }

    fn ownership_if_changed(&mut self, cycle: u64) {
        if if self.options.at_port { self.entered } else { self.since_sync > 0 } {
            self.ownership(cycle);
        }
    }

    /// The next instruction is the first one in a context.
    fn switch(&mut self, context: Context, alone: bool, e: &FlowEvent) {
        let Some(bits) = self.options.ownership else { return };
        let id = context.id() & ((1 << bits) - 1);
        let before = std::mem::replace(&mut self.context, Context::new(context.privilege(), id));
        if before == self.context && self.options.at_port {
            return;
        }
        self.entered = !alone;
        if !alone {
            return;
        }
        self.after_trap = true;
        if self.icnt == 0 && self.hist == 1 {
            // directly after a message with an address: it is known where
            self.flush(e.cycle);
            self.returns.clear();
            self.ownership(e.cycle);
        } else {
            // does not affect the period
            let since = self.since_sync;
            self.synchronize(PERIODIC, None, false, e.target, e.cycle);
            self.since_sync = since;
        }
    }

    fn plain(&mut self, due: bool, e: &FlowEvent) {
        if due {
            self.synchronize(PERIODIC, None, false, e.target, e.cycle);
        }
    }

    /// BTM: a taken branch.
    fn taken_branch(&mut self, cycle: u64) {
        let icnt = self.icnt;
        match &mut self.taken {
            Some(last) if self.options.repeat && last.icnt == icnt && last.count < MAX_REPEAT => {
                last.count += 1;
                self.icnt = 0;
            }
            _ => {
                self.flush(cycle);
                let mut m = self.begin(3);
                self.place(&mut m, None, false);
                self.send(m, cycle, false);
                self.taken = Some(Last { icnt, count: 0 });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_that_the_specification_prints() {
        // TCODE 28, B-TYPE 0, I-CNT 0x7d, U-ADDR 7, HIST 0xffe
        let mut m = Bytes::default();
        m.fixed(28, 6);
        m.fixed(0, 2);
        m.variable(0x7d);
        m.variable(7);
        m.variable(0xffe);
        m.mark(3);
        assert_eq!(m.out, [0x70, 0xd0, 0x1d, 0x1d, 0xf8, 0xff]);
        let address = |address| {
            let mut m = Bytes::default();
            m.address(address, 64, true);
            m.out.iter().map(|b| b >> 2).collect::<Vec<_>>()
        };
        assert_eq!(address(0xf_ffff_fffe), [63, 63, 63, 63, 63, 31]);
        assert_eq!(address(0xffff_fffe_3fff_fffe), [63, 63, 63, 63, 31, 60]);
        assert_eq!(address(0x1f_ffff_fffe), [63, 63, 63, 63, 63, 63, 0]);
        assert_eq!(address(0xbfff_ffff_ffff_fffe), [63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 5]);
    }
}
