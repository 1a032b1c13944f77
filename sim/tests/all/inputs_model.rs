//! The golden model of the scheme `inputs` on cases worked out by hand: messages in their required order

use retire::elf::Program;
use retire::{DataEvent, DataKind, FlowEvent, FlowKind, Note, RetireSink};
use sim::bits::BitReader;
use sim::scheme::inputs::message::{read_value, Body, Coder, Trap};
use sim::scheme::inputs::params::Sizes;
use sim::scheme::inputs::{InputsParams, Recorder};

const RAM: u32 = 0x8000_0000;
const UART: u32 = 0x1000_0005;

/// Two scripted cores, one instruction per cycle.
struct Cores {
    recorder: Recorder,
    params: InputsParams,
    cycle: u64,
    retired: [u64; 2],
}

impl Cores {
    fn new(sizes: Sizes) -> Self {
        let params = InputsParams::new(2, 32, (RAM, 1 << 16), sizes);
        let program = Program {
            xlen: 32,
            compressed: false,
            multiplies: true,
            zcm: false,
            tohost: None,
            entry: RAM.into(),
            segments: Vec::new(),
            build_id: Vec::new(),
        };
        Self { recorder: Recorder::new(&params, &program).unwrap(), params, cycle: 0, retired: [0; 2] }
    }

    fn data(&mut self, hart: u8, kind: DataKind) {
        self.recorder.data(&DataEvent { hart, kind, pc: 0, cycle: self.cycle });
    }

    fn retire(&mut self, hart: u8) {
        self.cycle += 1;
        self.retired[usize::from(hart)] += 1;
    }

    fn load(&mut self, hart: u8, addr: u32, value: u64) -> &mut Self {
        self.data(hart, DataKind::Load { size: 4, addr: addr.into(), value });
        self.retire(hart);
        self
    }

    fn store(&mut self, hart: u8, addr: u32, value: u64) -> &mut Self {
        self.data(hart, DataKind::Store { size: 4, addr: addr.into(), value });
        self.retire(hart);
        self
    }

    fn swap(&mut self, hart: u8, addr: u32, old: u64, value: u64) -> &mut Self {
        self.data(hart, DataKind::Load { size: 4, addr: addr.into(), value: old });
        self.store(hart, addr, value)
    }

    fn conditional(&mut self, hart: u8, addr: u32, stored: bool) -> &mut Self {
        self.recorder.note(hart, &Note::StoreConditional { stored });
        if stored {
            return self.store(hart, addr, 1);
        }
        self.retire(hart);
        self
    }

    fn interrupt(&mut self, hart: u8) -> &mut Self {
        let retired = self.retired[usize::from(hart)];
        self.recorder.note(hart, &Note::Interrupt { cause: 7, retired });
        self
    }

    /// All messages except stops and checks: core, message, value of an input.
    fn messages(&mut self) -> Vec<(u64, Body, Option<u64>)> {
        self.recorder.finish();
        let words: Vec<u32> = self.recorder.drain().collect();
        let mut reader = BitReader::new(words.into_iter().skip(3));
        let mut coders = [Coder::new(&self.params), Coder::new(&self.params)];
        let mut all = Vec::new();
        loop {
            let core = reader.take(1).unwrap();
            match coders[core as usize].read(&mut reader).unwrap() {
                Body::Stop { .. } if core == 1 => return all,
                Body::Stop { .. } => {}
                // the values in these tests are words that no predictor hits; a failed sc has none
                body @ Body::Input { .. } if self.retired[core as usize] & 1 << 40 == 0 => {
                    all.push((core, body, Some(read_value(0, 32, &mut reader).unwrap())));
                }
                body => all.push((core, body, None)),
            }
        }
    }

    fn order(&mut self) -> Vec<(u64, u32)> {
        let of = |(core, body, _)| match body {
            Body::Episode(n) => (core, n),
            other => panic!("{other:?}"),
        };
        self.messages().into_iter().map(of).collect()
    }
}

fn cores() -> Cores {
    Cores::new(Sizes { entries: 16, tag: 4, block: 4, ..Sizes::default() })
}

#[test]
fn each_kind_of_conflict_ends_the_other_cores_episode() {
    // read after write
    assert_eq!(cores().store(0, RAM, 1).store(0, RAM + 4, 1).load(1, RAM, 1).order(), [(0, 2)]);
    // write after read
    assert_eq!(cores().load(0, RAM, 0).store(1, RAM, 1).order(), [(0, 1)]);
    // write after write
    assert_eq!(cores().store(0, RAM, 1).store(1, RAM, 2).order(), [(0, 1)]);
    // read after read, and other words
    assert_eq!(cores().load(0, RAM, 0).load(1, RAM, 0).store(1, RAM + 4, 1).order(), []);
    // alternating: each end is reported with the count since the last one
    let mut both = cores();
    both.store(0, RAM, 1).load(1, RAM, 1).load(1, RAM + 8, 0).store(0, RAM, 2).load(1, RAM, 2);
    assert_eq!(both.order(), [(0, 1), (1, 2), (0, 1)]);
}

#[test]
fn an_atomic_is_one_reference_that_writes() {
    assert_eq!(cores().swap(0, RAM, 0, 1).swap(0, RAM, 1, 2).load(1, RAM, 2).order(), [(0, 2)]);
    // its load conflicts with the other core's write; its store then finds an empty set
    assert_eq!(cores().store(0, RAM, 1).swap(1, RAM, 1, 2).order(), [(0, 1)]);
}

#[test]
fn a_store_that_changes_nothing_is_a_read() {
    // test-and-set of a lock that is held
    assert_eq!(cores().load(0, RAM, 0).store(1, RAM, 0).load(0, RAM, 0).order(), []);
    assert_eq!(cores().store(0, RAM, 1).swap(1, RAM, 1, 1).swap(0, RAM, 1, 1).order(), [(0, 1)]);
    // the stored bytes matter, not the word
    let mut part = cores();
    part.store(0, RAM, 0x0102).load(1, RAM, 0x0102);
    part.data(0, DataKind::Store { size: 1, addr: u64::from(RAM) + 1, value: 1 });
    assert_eq!(part.order(), [(0, 1)]);
}

/// 16 entries, 4 tag bits. A word index with the hex digits h m l (the upper digits of RAM contribute nothing) has
/// index l ^ m ^ h and tag m ^ h: 0x006, 0x125 and 0x053 all have index 6, and tags 0, 3 and 5.
#[test]
fn two_addresses_in_one_entry_match_all() {
    let at = |word: u32| RAM + 4 * word;
    // a different tag is not a conflict
    assert_eq!(cores().load(0, at(0x006), 0).store(1, at(0x053), 1).order(), []);
    // two tags match a third
    assert_eq!(cores().load(0, at(0x006), 0).load(0, at(0x125), 0).store(1, at(0x053), 1).order(), [(0, 2)]);
    // a load conflicts only if the entry was written, by either address
    assert_eq!(cores().load(0, at(0x006), 0).load(0, at(0x125), 0).load(1, at(0x053), 1).order(), []);
    assert_eq!(cores().load(0, at(0x006), 0).store(0, at(0x125), 1).load(1, at(0x006), 0).order(), [(0, 2)]);
}

#[test]
fn a_full_table_ends_its_own_episode() {
    let mut one = cores();
    for word in 0..13 {
        one.load(0, RAM + 4 * word, 0);
    }
    // twelve of sixteen entries: before the thirteenth reference
    assert_eq!(one.order(), [(0, 12)]);
}

#[test]
fn an_interrupt_stands_between_two_references() {
    let mut one = cores();
    one.store(0, RAM, 1).load(1, RAM, 1).interrupt(0).store(0, RAM, 2);
    let trap = Body::Trap(Trap { instructions: 1, interrupt: true, cause: 7 });
    assert_eq!(one.messages(), [(0, Body::Episode(1), None), (0, trap, None), (1, Body::Episode(1), None)]);
    let mut again = cores();
    again.load(0, RAM, 0).interrupt(0).load(0, RAM, 0).load(0, RAM, 0).interrupt(0);
    let traps = [1, 2].map(|instructions| (0, Body::Trap(Trap { instructions, interrupt: true, cause: 7 }), None));
    assert_eq!(again.messages(), traps);
}

#[test]
fn polling_is_a_count() {
    let mut one = cores();
    one.load(0, UART, 0x60).load(0, UART, 0x60).load(0, UART, 0x60).load(0, UART & !1, 7).load(0, UART, 0x60);
    let input = |skipped, value| (0, Body::Input { skipped }, Some(value));
    // the first is new, two are the same, the other address is new, and the value of the first is still known
    assert_eq!(one.messages(), [input(0, 0x60), input(2, 7)]);
}

#[test]
fn store_conditionals_succeed_unless_reported() {
    let mut one = cores();
    one.conditional(0, RAM, true).conditional(0, RAM, true).conditional(0, RAM, false).conditional(1, RAM, true);
    one.retired[0] |= 1 << 40; // no value after its inputs
    assert_eq!(one.messages(), [(0, Body::Input { skipped: 2 }, None), (0, Body::Episode(2), None)]);
}

#[test]
fn the_state_is_checked_where_the_period_says() {
    let mut one = Cores::new(Sizes { check: 10, ..Sizes::default() });
    let jump = |count, kind| FlowEvent { hart: 1, kind, len: 4, count, pc: 4, target: 8, cycle: 0 };
    one.recorder.event(&jump(1000, FlowKind::Jump));
    one.recorder.event(&jump(23, FlowKind::Jump));
    assert_eq!(one.recorder.stats().checks.messages, 0);
    one.recorder.event(&jump(1, FlowKind::Jump));
    assert_eq!((one.recorder.stats().checks.messages, one.recorder.stats().checks.bits), (1, 1 + 9 + 2 + 32));
}
