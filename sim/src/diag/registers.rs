//! Registers of generators and nodes, and the writes that configure them
//!
//! Registers have 16 bits and 12-bit addresses; wider numbers take two, the low half first. They are written over the
//! ring; only the first two can be read.
//!
//! | register | bits | meaning |
//! | --- | ---: | --- |
//! | [`KIND`] | 16 | kind: 1 a generator, others as [`super::node::NodeKind::registers`] |
//! | [`CAPACITY`] | 16 | capacity |
//! | [`CONTROL`] | 0 | 1: it works. Each write empties all tables and counters |
//! | | 1 | full generator that can stall: it holds its core instead of losing events |
//! | | 14:8 | records, or trigger slots, in use |
//! | [`TARGET`] | 13:8, 7:0 | machine: destination and identifier of reports. Log: destination of events, and identifier of the trigger |
//! | | 14 | machine: there is a state for each key |
//! | [`RECORDS`] + 16 n + k | 16 | word k of record n, 0 to 63 |
//! | [`WINDOW`] | | generator: which instructions of its core are traced, see below |
//! | [`UPPER`] + 16 n + k | 16 | upper halves of word k of trigger slot n, of a generator with 64-bit addresses |
//! | [`STEPS`] + 16 s + c | 5:0 | machine: the step of class c in state s for the owner's events |
//! | | 13:8 | for other events: next state (3:0), becomes the owner (4), is reported (5) |
//!
//! # A record
//! | word | bits | meaning |
//! | ---: | --- | --- |
//! | 0 | 7:0 | identifier of the event that it applies to |
//! | | 10:8, 12:11 | its key: argument number; 0: that argument, 1: the core, 2: words 2 and 3 |
//! | | 15:13 | flags |
//! | 1 | 7:0, 13:8 | identifier and destination of results |
//! | 2, 3 | | constant of the key |
//! | 4 | 10:8, 12:11 | its value: encoded as the key; the constant is in words 5 and 6 |
//! | 5, 6 | | constant of the value |
//! | 7, 8 | | extra word, 32 bits |
//!
//! | node | records | key | value | flags | extra word |
//! | --- | --- | --- | --- | --- | --- |
//! | counters | one per rule | the core, if each has its own | first counter | 0: by core | threshold |
//! | aggregate, histogram | one per rule | key | value | | |
//! | machine | one per class | key | | | |
//! | filter | the terms of a rule | field | constant | 2:0 comparison | mask |
//! | | then the rule | most events that pass | one in this number | 2:0 [`ALL`], [`ANY`] | number of the rule |
//! | pair | second, then first, of each rule | key | | 0: first | number of the rule |
//! | log | one: only word 0, the trigger | | | 0: it freezes the log; 1: the log is frozen now | |
//! | tick | its event, in word 1; then one per node to flush, in 13:8 of word 1 | | | | period in cycles |
//!
//! A tick is configured while it is off (control 0). Its first tick is one period after its control register is
//! written.
//!
//! # A trigger slot of a lite generator
//! Word 0: as word 1 of a record; bit 14: with the time; bit 15: it yields to events that do not leave the chip. Words 2
//! and 3: address of the instruction.
//!
//! # A trigger slot of a full generator
//! Slots that need more than an address comparison ([`Trigger::is_wide`]) come first.
//!
//! | word | bits | meaning |
//! | ---: | --- | --- |
//! | 0 | | as for a lite generator |
//! | 1 | 2:0 | 0: address, 1: return, 2: data, 3: trap, 4: trap return |
//! | | 3 | address and return: only if the function is entered |
//! | | 3, 4, 5 | data: by loads, by stores, only with a value |
//! | 2, 3 | | address of instruction or function; first byte of data |
//! | | 0, 1 | trap: bit 0 set: only an interrupt (bit 1 set) or an exception (bit 1 clear) |
//! | | 2, 15:8 | trap: bit 2 set: only this cause |
//! | 4, 5 | | last byte of data, or of the function |
//! | 6, 7 | | value of data |
//! | 9 to 13 | 7:0, 11:8 | captured words: number of the register or stack word, and kind; a 0 ends the list |
//! | | 12 | bits 63:32 of the number; only of a generator with 64-bit addresses |
//! | 14 | | 0 |
//!
//! A generator with 64-bit addresses has bits 47:32 and 63:48 of what is in words 2 to 7 in registers [`UPPER`] + 16 n + k,
//! those of words k = 2 and 3, 4 and 5, 6 and 7. Its captured words are 32 bits of a number: two hold one of 64 bits.
//!
//! Kinds of captured words: 1 register, 2 stack word, 3, 4 the same at the function's entry, 5 cycles since the entry,
//! 6 address of the instruction, 7, 8 address and value of data, 9 cause of a trap, 10 address at which the trap was
//! taken.

use super::node::filter::{Compare, Rule as FilterRule};
use super::node::machine::{Step, Table};
use super::node::{aggregate, count, histogram, log, pair, tick, Field, Target};
use super::trigger::{Capture, GeneratorParams, Number, Slot, Trigger, CAPTURES};
use super::window::{Edges, WINDOW};

/// Register of the kind.
pub const KIND: u16 = 0;
/// Register of the capacity.
pub const CAPACITY: u16 = 1;
/// Control register, the first that can be written.
pub const CONTROL: u16 = 2;
/// Bit of a generator's control register: it holds its core instead of losing events.
pub const STALLS: u16 = 2;
/// Target register, of a machine or a log.
pub const TARGET: u16 = 3;
/// First register of the records.
pub const RECORDS: u16 = 0x400;
/// First register of the upper halves of 64-bit addresses and values in trigger slots.
pub const UPPER: u16 = 0x600;
/// First register of a machine's steps.
pub const STEPS: u16 = 0x800;
/// Words of a record that are used, out of 16.
pub const RECORD_WORDS: usize = 9;
/// Flags of a filter rule: all terms must hold.
pub const ALL: u8 = 6;
/// Flags of a filter rule: one term is enough.
pub const ANY: u8 = 7;

/// Register writes, in order.
pub type Writes = Vec<(u16, u16)>;

/// A record: what a node does with an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Record {
    event: u8,
    key: Field,
    value: Field,
    flags: u8,
    to: Target,
    extra: u32,
}

const NO_TARGET: Target = Target { dest: 0, id: 0 };

impl Record {
    fn of(event: u8, key: Field, to: Target) -> Self {
        Self { event, key, value: Field::Const(0), flags: 0, to, extra: 0 }
    }

    fn words(&self) -> [u16; RECORD_WORDS] {
        let select = |f: Field| match f {
            Field::Arg(n) => (u16::from(n.min(7)) << 8, 0),
            Field::Core => (1 << 11, 0),
            Field::Const(c) => (2 << 11, c),
        };
        let ((key, k), (value, v), x) = (select(self.key), select(self.value), self.extra);
        let (low, high) = (|w: u32| w as u16, |w: u32| (w >> 16) as u16);
        let first = u16::from(self.flags) << 13 | key | u16::from(self.event);
        [first, target(self.to), low(k), high(k), value, low(v), high(v), low(x), high(x)]
    }
}

fn target(to: Target) -> u16 {
    u16::from(to.dest & 63) << 8 | u16::from(to.id)
}

/// Flags in the first word of a slot.
fn flags(slot: &Slot) -> u16 {
    u16::from(slot.yields) << 15 | u16::from(slot.stamped) << 14
}

/// Writes of records, then of the control register.
fn set(records: &[Record]) -> Writes {
    let place = |n: usize, k: usize| RECORDS + 16 * n as u16 + k as u16;
    let words = |(n, r): (usize, &Record)| r.words().into_iter().enumerate().map(move |(k, w)| (place(n, k), w));
    let mut writes: Writes = records.iter().enumerate().flat_map(words).collect();
    writes.push(control(records.len()));
    writes
}

/// Write that enables a client, with this number of records or slots.
pub fn control(records: usize) -> (u16, u16) {
    (CONTROL, (records as u16) << 8 | 1)
}

/// Writes that configure counters.
pub fn count(rules: &[count::Rule]) -> Writes {
    let record = |r: &count::Rule| Record {
        value: Field::Const(r.first.into()),
        flags: u8::from(r.by_core),
        extra: r.threshold,
        ..Record::of(r.event, if r.by_core { Field::Core } else { Field::Const(0) }, r.to)
    };
    set(&rules.iter().map(record).collect::<Vec<_>>())
}

/// Writes that configure an aggregate.
pub fn aggregate(rules: &[aggregate::Rule]) -> Writes {
    let record = |r: &aggregate::Rule| Record { value: r.value, ..Record::of(r.event, r.key, r.to) };
    set(&rules.iter().map(record).collect::<Vec<_>>())
}

/// Writes that configure a histogram.
pub fn histogram(rules: &[histogram::Rule]) -> Writes {
    let record = |r: &histogram::Rule| Record { value: r.value, ..Record::of(r.event, r.key, r.to) };
    set(&rules.iter().map(record).collect::<Vec<_>>())
}

/// Writes that configure a pair.
pub fn pair(rules: &[pair::Rule]) -> Writes {
    let both = |(n, r): (usize, &pair::Rule)| {
        let side = |s: (u8, Field), flags| Record { flags, extra: n as u32, ..Record::of(s.0, s.1, r.to) };
        [side(r.second, 0), side(r.first, 1)]
    };
    set(&rules.iter().enumerate().flat_map(both).collect::<Vec<_>>())
}

/// Writes that configure a filter.
pub fn filter(rules: &[FilterRule]) -> Writes {
    let mut records = Vec::new();
    for (n, rule) in rules.iter().enumerate() {
        records.extend(rule.terms.iter().map(|t| Record {
            value: Field::Const(t.with),
            flags: match t.compare {
                Compare::Eq => 0,
                Compare::Ne => 1,
                Compare::Lt => 2,
                Compare::Le => 3,
                Compare::Gt => 4,
                Compare::Ge => 5,
            },
            extra: t.mask,
            ..Record::of(rule.event, t.field, NO_TARGET)
        }));
        records.push(Record {
            value: Field::Const(rule.one_in.max(1)),
            flags: if rule.any && !rule.terms.is_empty() { ANY } else { ALL },
            extra: n as u32,
            ..Record::of(rule.event, Field::Const(rule.first), rule.to)
        });
    }
    set(&records)
}

/// Writes that configure a machine.
pub fn machine(table: &Table) -> Writes {
    let step = |s: Step| u16::from(s.report) << 5 | u16::from(s.own) << 4 | u16::from(s.next & 15);
    let mut writes = vec![(TARGET, u16::from(table.by_key) << 14 | target(table.to))];
    for (s, row) in table.steps.iter().enumerate() {
        let word =
            |(c, pair): (usize, &[Step; 2])| (STEPS + 16 * s as u16 + c as u16, step(pair[1]) << 8 | step(pair[0]));
        writes.extend(row.iter().enumerate().map(word));
    }
    let records: Vec<Record> = table.classes.iter().map(|c| Record::of(c.event, c.key, NO_TARGET)).collect();
    writes.extend(set(&records));
    writes
}

/// Writes that configure a log.
pub fn log(rule: &log::Rule) -> Writes {
    let trigger = u16::from(rule.freezes) << 13 | u16::from(rule.trigger);
    vec![(TARGET, target(rule.to)), (RECORDS, trigger), control(1)]
}

/// Writes that stop and configure a tick.
pub fn tick(rule: &tick::Rule) -> Writes {
    let place = |n: usize, k: u16| RECORDS + 16 * n as u16 + k;
    let mut writes = vec![control_off(), (place(0, 1), target(rule.to))];
    writes.extend([(place(0, 7), rule.period as u16), (place(0, 8), (rule.period >> 16) as u16)]);
    let flush = |(n, dest): (usize, &u8)| (place(n + 1, 1), target(Target { dest: *dest, id: 0 }));
    writes.extend(rule.flushes.iter().enumerate().map(flush));
    writes.push(control(1 + rule.flushes.len()));
    writes
}

/// Write that disables a client.
pub fn control_off() -> (u16, u16) {
    (CONTROL, 0)
}

/// The same writes of a full generator's slots; it then holds its core instead of losing events.
pub fn stalling(mut writes: Writes) -> Writes {
    writes.iter_mut().filter(|w| w.0 == CONTROL).for_each(|w| w.1 |= STALLS);
    writes
}

/// Writes of an address or value of slot n, in words k and k + 1, with the upper half if `xlen` is 64.
fn number(n: usize, k: u16, value: u64, xlen: u8) -> impl Iterator<Item = (u16, u16)> {
    let at = move |base: u16| base + 16 * n as u16 + k;
    let low = [(at(RECORDS), value as u16), (at(RECORDS) + 1, (value >> 16) as u16)];
    let upper = [(at(UPPER), (value >> 32) as u16), (at(UPPER) + 1, (value >> 48) as u16)];
    low.into_iter().chain(upper.into_iter().filter(move |_| xlen == 64))
}

/// Writes of the slots of a lite generator with addresses of `xlen` bits; ignores triggers other than addresses.
pub fn lite(slots: &[Slot], xlen: u8) -> Writes {
    let mut writes = Vec::new();
    for (n, slot) in slots.iter().enumerate() {
        let Trigger::Pc(pc) = slot.trigger else { continue };
        let base = RECORDS + 16 * n as u16;
        let to = target(Target { dest: slot.dest, id: slot.event });
        writes.push((base, flags(slot) | to));
        writes.extend(number(n, 2, pc, xlen));
    }
    writes.push(control(slots.len()));
    writes
}

/// Writes that configure a window, see [`super::window`]. The addresses that open and close it take slots from `free`
/// on. Addresses have `xlen` bits.
pub fn window(free: u8, opens: Option<u64>, closes: Option<u64>, returns: bool, xlen: u8) -> Writes {
    let mut writes = Writes::new();
    let mut next = free;
    let mut slot = |pc: u64| {
        writes.extend(number(next.into(), 2, pc, xlen));
        next += 1;
        next - 1
    };
    let edges = Edges { opens: opens.map(&mut slot), closes: closes.map(&mut slot), returns };
    writes.push((WINDOW, edges.word()));
    writes
}

/// First word of a slot that holds a capture.
pub const SLOT_CAPTURES: u16 = 9;

/// Writes of the slots of a full generator with addresses of `xlen` bits.
pub fn full(slots: &[Slot], xlen: u8) -> Writes {
    let mut writes = Vec::new();
    for (n, slot) in GeneratorParams::placed(slots).iter().enumerate() {
        let base = RECORDS + 16 * n as u16;
        let to = flags(slot) | target(Target { dest: slot.dest, id: slot.event });
        let (kind, words) = match slot.trigger {
            Trigger::Pc(pc) => (0, [pc, 0, 0]),
            Trigger::Entry { first, last } => (8, [first, last, 0]),
            Trigger::Return(pc) => (1, [pc, 0, 0]),
            Trigger::ReturnFrom { first, last } => (9, [first, last, 0]),
            Trigger::Data { first, last, loads, stores, value } => {
                let flags = u16::from(value.is_some()) << 5 | u16::from(stores) << 4 | u16::from(loads) << 3;
                (2 | flags, [first, last, value.unwrap_or(0)])
            }
            Trigger::Trap { interrupt, cause } => {
                let i = interrupt.map_or(0, |i| u64::from(i) << 1 | 1);
                (3, [cause.map_or(0, |c| u64::from(c) << 8 | 4) | i, 0, 0])
            }
            Trigger::TrapReturn => (4, [0; 3]),
        };
        writes.extend([(base, to), (base + 1, kind)]);
        for (i, w) in words.into_iter().enumerate() {
            writes.extend(number(n, 2 + 2 * i as u16, w, xlen));
        }
        for k in 0..=CAPTURES {
            let word = slot.captures.get(k).map_or(0, |c| capture(*c, slot.trigger));
            writes.push((base + SLOT_CAPTURES + k as u16, word));
        }
    }
    writes.push(control(slots.len()));
    writes
}

fn capture(capture: Capture, trigger: Trigger) -> u16 {
    let (kind, n) = match capture.number() {
        Some(Number::Register(r)) => (1, r),
        Some(Number::Stack(k)) => (2, k),
        Some(Number::EntryRegister(r)) => (3, r),
        Some(Number::EntryStack(k)) => (4, k),
        Some(Number::Pc) if matches!(trigger, Trigger::Trap { .. }) => (10, 0),
        Some(Number::Pc) => (6, 0),
        Some(Number::Address) => (7, 0),
        Some(Number::Value) => (8, 0),
        None if capture == Capture::Elapsed => (5, 0),
        None => (9, 0),
    };
    u16::from(matches!(capture, Capture::Upper(_))) << 12 | kind << 8 | u16::from(n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::node::machine::Class;

    #[test]
    fn slots_of_a_full_generator_are_the_words_worked_by_hand() {
        let slot = |trigger, captures| Slot { trigger, event: 0x21, dest: 63, captures, stamped: true, yields: false };
        let slots = [
            slot(Trigger::Return(0x8000_1234), vec![Capture::EntryRegister(10), Capture::Elapsed]),
            slot(
                Trigger::Data { first: 0x10, last: 0x2_0013, loads: false, stores: true, value: Some(7) },
                vec![Capture::Value],
            ),
            slot(Trigger::Trap { interrupt: Some(true), cause: Some(3) }, vec![Capture::Pc]),
        ];
        let writes = full(&slots, 32);
        let words: Vec<u16> = writes.iter().map(|w| w.1).collect();
        // those of data and traps come first
        assert_eq!(words[..14], [0x7f21, 0x32, 0x10, 0, 0x13, 2, 7, 0, 0x800, 0, 0, 0, 0, 0]);
        assert_eq!(words[14..23], [0x7f21, 3, 0x307, 0, 0, 0, 0, 0, 0xa00]);
        assert_eq!(words[28..39], [0x7f21, 1, 0x1234, 0x8000, 0, 0, 0, 0, 0x30a, 0x500, 0]);
        let places: Vec<u16> = writes[28..].iter().map(|w| w.0 & 0xfff).collect();
        assert_eq!(places[..9], [0x420, 0x421, 0x422, 0x423, 0x424, 0x425, 0x426, 0x427, 0x429]);
        assert_eq!(writes.last(), Some(&(CONTROL, 0x0301)));
    }

    #[test]
    fn rules_are_the_words_worked_by_hand() {
        let to = Target { dest: 63, id: 0x80 };
        let rule = aggregate::Rule { event: 0x21, key: Field::Arg(2), value: Field::Const(0x1234_5678), to };
        let words: Vec<u16> = aggregate(&[rule]).iter().map(|w| w.1).collect();
        assert_eq!(words, [0x0221, 0x3f80, 0, 0, 0x1000, 0x5678, 0x1234, 0, 0, 0x0101]);
        let rule = count::Rule { event: 1, first: 16, by_core: true, threshold: 0x1_0002, to };
        let writes = count(&[rule, count::Rule { by_core: false, ..rule }]);
        let places: Vec<u16> = writes.iter().map(|w| w.0).collect();
        assert_eq!(places[..10], [0x400, 0x401, 0x402, 0x403, 0x404, 0x405, 0x406, 0x407, 0x408, 0x410]);
        let words: Vec<u16> = writes.iter().map(|w| w.1).collect();
        assert_eq!(words[..9], [0x2801, 0x3f80, 0, 0, 0x1000, 16, 0, 2, 1]);
        assert_eq!((words[9], writes[18]), (0x1001, (CONTROL, 0x0201)));
    }

    #[test]
    fn logs_and_ticks_are_the_words_worked_by_hand() {
        let to = Target { dest: 63, id: 0xff };
        let rule = log::Rule { trigger: 0xa0, to, freezes: true };
        assert_eq!(log(&rule), [(3, 0x3fff), (0x400, 0x20a0), (2, 0x0101)]);
        let rule = tick::Rule { period: 0x1_0002, to, flushes: vec![20, 21] };
        let want = [(2, 0), (0x401, 0x3fff), (0x407, 2), (0x408, 1), (0x411, 0x1400), (0x421, 0x1500), (2, 0x0301)];
        assert_eq!(tick(&rule), want);
    }

    #[test]
    fn a_transaction_is_the_steps_worked_by_hand() {
        let class = |event| Class { event, key: Field::Arg(0) };
        let writes = machine(&Table::transaction(class(1), class(2), Target { dest: 16, id: 160 }));
        // idle, open: 1 and own. idle, close: reported. open, open: reported for another key. open, close: the same
        let want = [(3, 0x10a0), (0x800, 0x1111), (0x801, 0x2020), (0x810, 0x3111), (0x811, 0x2100)];
        assert_eq!(writes[..5], want);
        assert_eq!(writes.last(), Some(&(CONTROL, 0x0201)));
        let table = Table { by_key: true, ..Table::transaction(class(1), class(2), Target { dest: 16, id: 160 }) };
        assert_eq!(machine(&table)[0], (3, 0x50a0));
    }
}
