//! Full event generator: addresses, returns, data and traps, with captured words
//!
//! Compares what retires with all slots at once and writes it into a log. Behind the log is a copy of registers and stack,
//! and of the calls that are open; there the oldest instruction waits until its events are made, a word after the other.
//! One that causes nothing takes a clock. Where the log would overflow, what is not made yet is lost and counted; where that
//! does not help, the log is emptied, and what its instructions write is not known.
//!
//! # Source
//! Paper 004 section 4.1 and figure 6. Own: log in place of snapshots, calls known by return address and stack pointer.
//!
//! # Ports
//! | port | dir | meaning |
//! | --- | --- | --- |
//! | `reset` | in | 1: no slot is in use, no register is known, nothing waits |
//! | `seen` | in | what retires |
//! | `write` | in | a register is written; the control register also forgets open calls |
//! | `result` | out | an event to send |
//!
//! Bundles: [`crate::diag::ports`]; registers: `sim::diag::registers`.
//!
//! A load writes what it reads, and a call the address behind it: those words of `seen` are kept once.
//!
//! # Timing
//! An instruction a clock. What an instruction takes behind the log: `sim::diag::full`. All outputs come from registers.
//! Times are clocks modulo 2^32; a duration of more clocks is told as 2^32 - 1, if the log is empty once in 2^31 clocks.
//!
//! Golden model: `sim::diag::full`, itself held to `sim::diag::generator`.

use crate::diag::ports::{ResultOut, SeenIn, WriteIn};
use crate::widget::each::each;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use rust_hdl::prelude::*;
use sim::diag::full::{CALM, CROWDED, PATIENCE};
use sim::diag::registers::CONTROL;
use sim::diag::trigger::GeneratorParams;

/// Where it is with the oldest instruction.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum FullState {
    Look,
    Pick,
    Ask,
    Put,
    Search,
    To,
    Sp,
    Place,
    KeepTo,
    KeepSp,
    KeepTime,
    Open,
    Done,
}

/// What captured words are for.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum FullMode {
    Check,
    Keep,
    Fire,
}

/// The generator, of up to 16 slots and 16 open calls.
#[derive(LogicBlock, Default)]
pub struct Full {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub seen: SeenIn,
    pub write: WriteIn,
    pub result: ResultOut,

    // slots
    used: DFF<Bits<5>>,
    low: Vec<DFF<Bits<16>>>,
    high: Vec<DFF<Bits<16>>>,
    kind: Vec<DFF<Bits<6>>>,
    end_low: Vec<DFF<Bits<16>>>,
    end_high: Vec<DFF<Bits<16>>>,
    value_low: Vec<DFF<Bits<16>>>,
    value_high: Vec<DFF<Bits<16>>>,
    // target and captured words by slot
    plan: Mem<7, 16>,
    slot_write: Signal<Local, Bit>,
    word_write: Signal<Local, Bits<4>>,
    alive: Signal<Local, Bit>,
    at_pc: Signal<Local, Bit>,
    is_hit: Signal<Local, Bit>,
    is_store_hit: Signal<Local, Bit>,
    in_range: Signal<Local, Bit>,
    touched: Signal<Local, Bit>,
    bytes: Signal<Local, Bits<32>>,
    last_byte: Signal<Local, Bits<32>>,
    upper: Signal<Local, Bits<16>>,
    lower: Signal<Local, Bits<16>>,
    first_bound: Signal<Local, Bits<32>>,
    last_bound: Signal<Local, Bits<32>>,
    wanted: Signal<Local, Bits<32>>,
    // the instruction before, and slots of functions that are entered
    before_pc: DFF<Bits<32>>,
    before_call: DFF<Bit>,
    before_xret: DFF<Bit>,
    resumed: Signal<Local, Bit>,
    is_entry: Signal<Local, Bit>,
    at_first: Signal<Local, Bits<32>>,
    at_last: Signal<Local, Bits<32>>,
    entries: Signal<Local, Bits<4>>,
    unsure: Signal<Local, Bit>,
    hits: Signal<Local, Bits<16>>,
    store_hits: Signal<Local, Bits<4>>,
    returns: Signal<Local, Bits<16>>,

    // log: flags are hits, stores that hit, size, store, through sp, sets, rd, call, return; with the cause, whether a trap returned
    // there
    log_flags: Mem<4, 32>,
    log_pc: Mem<4, 32>,
    log_value: Mem<4, 32>,
    log_address: Mem<4, 32>,
    log_stored: Mem<4, 32>,
    log_came: Mem<4, 32>,
    log_time: Mem<4, 32>,
    log_cause: Mem<4, 10>,
    log_length: DFF<Bits<5>>,
    left_length: Signal<Local, Bits<5>>,
    log_write: DFF<Bits<4>>,
    log_read: DFF<Bits<4>>,
    next_read: Signal<Local, Bits<4>>,
    shown: DFF<Bit>,
    advance: Signal<Local, Bit>,
    crowded: Signal<Local, Bit>,
    hurried: DFF<Bits<6>>,
    give_up: Signal<Local, Bit>,
    // hits in the log: those of the clock before are counted in this one; and of what leaves
    pending: DFF<Bits<9>>,
    pending_1: Signal<Local, Bits<9>>,
    came_hits: DFF<Bits<16>>,
    came_stores: DFF<Bits<4>>,
    came_number: Signal<Local, Bits<9>>,
    left_number: Signal<Local, Bits<9>>,
    // registers that the log writes
    written: DFF<Bits<32>>,
    written_1: Signal<Local, Bits<32>>,
    not_written: Signal<Local, Bits<32>>,
    head_hits: Signal<Local, Bits<16>>,
    head_stores: Signal<Local, Bits<4>>,
    head_size: Signal<Local, Bits<2>>,
    head_store: Signal<Local, Bit>,
    head_sp: Signal<Local, Bit>,
    head_sets: Signal<Local, Bit>,
    head_rd: Signal<Local, Bits<5>>,
    head_call: Signal<Local, Bit>,
    head_back: Signal<Local, Bit>,
    head_address: Signal<Local, Bits<32>>,
    head_value: Signal<Local, Bits<32>>,

    // copy of registers
    registers: Mem<5, 32>,
    known: DFF<Bits<32>>,
    known_1: Signal<Local, Bits<32>>,
    ra: DFF<Bits<32>>,
    sp: DFF<Bits<32>>,

    // copy of the stack: words, and tags of even and odd ones
    words: Mem<4, 32>,
    tag_even: Mem<3, 28>,
    tag_odd: Mem<3, 28>,
    there: DFF<Bits<16>>,
    there_1: Signal<Local, Bits<16>>,
    store_tag: Signal<Local, Bits<28>>,
    store_bytes: Signal<Local, Bits<32>>,
    store_end: Signal<Local, Bits<32>>,
    push: Signal<Local, Bit>,
    touch: Signal<Local, Bit>,
    odd: Signal<Local, Bit>,
    end_odd: Signal<Local, Bit>,
    touch_even: DFF<Bit>,
    touch_odd: DFF<Bit>,
    even_at: DFF<Bits<3>>,
    odd_at: DFF<Bits<3>>,
    even_tag: DFF<Bits<26>>,
    odd_tag: DFF<Bits<26>>,
    even_wanted: Signal<Local, Bits<28>>,
    odd_wanted: Signal<Local, Bits<28>>,
    even_place: Signal<Local, Bits<4>>,
    odd_place: Signal<Local, Bits<4>>,
    kill_even: Signal<Local, Bit>,
    kill_odd: Signal<Local, Bit>,

    // open calls: by place, words 1 to 5 captured, 6 return address, 7 stack pointer, 0 time
    calls: Mem<7, 32>,
    valid: DFF<Bits<16>>,
    call_tag: Vec<DFF<Bits<8>>>,
    call_slot: Vec<DFF<Bits<4>>>,
    old_low: DFF<Bits<16>>,
    old_high: DFF<Bits<16>>,
    victim: DFF<Bits<4>>,
    half: DFF<Bit>,
    half_now: Signal<Local, Bit>,
    not_old: Signal<Local, Bits<16>>,
    is_tagged: Signal<Local, Bit>,
    is_mine: Signal<Local, Bit>,
    likely: Signal<Local, Bits<16>>,
    mine: Signal<Local, Bits<16>>,
    wanted_to: Signal<Local, Bits<32>>,
    wanted_tag: Signal<Local, Bits<8>>,
    by_flags: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    dropped: Signal<Local, Bits<16>>,
    not_dropped: Signal<Local, Bits<16>>,
    free: Signal<Local, Bits<16>>,
    not_valid: Signal<Local, Bits<16>>,
    place: Signal<Local, Bits<4>>,
    place_bit: Signal<Local, Bits<16>>,
    not_place: Signal<Local, Bits<16>>,
    slot_at: Signal<Local, Bits<4>>,

    // what is done for the oldest instruction
    state: DFF<FullState>,
    mode: DFF<FullMode>,
    phase: DFF<Bits<2>>,
    todo: DFF<Bits<16>>,
    stores: DFF<Bits<4>>,
    current: DFF<Bit>,
    of_store: DFF<Bit>,
    slot: DFF<Bits<4>>,
    k: DFF<Bits<3>>,
    k_1: Signal<Local, Bits<3>>,
    candidates: DFF<Bits<16>>,
    at: DFF<Bits<4>>,
    same: DFF<Bit>,
    is_match: Signal<Local, Bit>,
    ended: DFF<Bits<16>>,
    ended_at: Signal<Local, Bits<4>>,
    work: Signal<Local, Bit>,
    pool: Signal<Local, Bits<16>>,
    less: Signal<Local, Bits<16>>,
    rest: Signal<Local, Bits<16>>,
    not_rest: Signal<Local, Bits<16>>,
    lowest: Signal<Local, Bits<16>>,
    index: Signal<Local, Bits<4>>,
    not_lowest: Signal<Local, Bits<16>>,
    of_todo: Signal<Local, Bits<16>>,
    plan_slot: Signal<Local, Bits<4>>,
    plan_k: Signal<Local, Bits<3>>,

    // a captured word
    capture: Signal<Local, Bits<4>>,
    number: Signal<Local, Bits<8>>,
    over: Signal<Local, Bit>,
    stack_at: Signal<Local, Bits<32>>,
    stack_tag: Signal<Local, Bits<28>>,
    known_bits: Signal<Local, Bits<32>>,
    there_bits: Signal<Local, Bits<16>>,
    stack_known: Signal<Local, Bit>,
    elapsed: Signal<Local, Bits<32>>,
    low_bits: Signal<Local, Bits<16>>,
    high_bits: Signal<Local, Bits<16>>,
    too_old: Signal<Local, Bit>,
    loaded: Signal<Local, Bits<32>>,
    word: Signal<Local, Bits<32>>,
    is_known: Signal<Local, Bit>,

    // events: by place, word 0 target and number of words, 1 to 5 those, 6 the time
    fifo: Mem<7, 32>,
    fifo_length: DFF<Bits<5>>,
    fifo_write: DFF<Bits<4>>,
    fifo_read: DFF<Bits<4>>,
    fifo_k: Signal<Local, Bits<3>>,
    refuses: Signal<Local, Bit>,
    recovering: DFF<Bit>,
    haste: DFF<Bit>,
    commit: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    length_1: Signal<Local, Bits<5>>,

    // events that were lost and not told
    lost: Signal<Local, Bits<9>>,
    lost_before: DFF<Bits<9>>,
    one_lost: Signal<Local, Bit>,
    left_hits: Signal<Local, Bits<16>>,
    left_stores: Signal<Local, Bits<4>>,
    untold: DFF<Bits<32>>,
    untold_1: Signal<Local, Bits<32>>,
    telling: Signal<Local, Bits<16>>,

    // the event that is sent
    loading: DFF<Bit>,
    step: DFF<Bits<3>>,
    step_before: Signal<Local, Bits<3>>,
    word_step: Signal<Local, Bits<3>>,
    loads: Signal<Local, Bits<32>>,
    held: DFF<Bit>,
    held_head: DFF<Bits<19>>,
    held_stamp: DFF<Bits<32>>,
    held_lost: DFF<Bits<16>>,
    held_word: Vec<DFF<Bits<32>>>,

    core: Fixed<Bits<4>>,
    control: Fixed<Bits<12>>,
    places: Fixed<Bits<16>>,
    last_place: Fixed<Bits<4>>,
    mark: Fixed<Bits<5>>,
    patience: Fixed<Bits<6>>,
    calm: Fixed<Bits<5>>,
    all: Fixed<Bits<5>>,
    half_more: Fixed<Bits<5>>,
    one_2: Fixed<Bits<2>>,
    one_3: Fixed<Bits<3>>,
    one_4: Fixed<Bits<4>>,
    one_5: Fixed<Bits<5>>,
    one_6: Fixed<Bits<6>>,
    one_16: Fixed<Bits<16>>,
    most: Fixed<Bits<16>>,
    most_32: Fixed<Bits<32>>,
    byte_mask: Fixed<Bits<32>>,
    half_mask: Fixed<Bits<32>>,
    _slots: usize,
    _wide: usize,
    _calls: usize,
    _sixteen: usize,
    _four: usize,
    _registers: usize,
    _words: usize,
}

impl Full {
    /// Of core `core`.
    ///
    /// # Panics
    /// Unless there are 1 to 16 slots, up to 4 of them wide, 1 to 16 open calls, 16 words of stack and a FIFO of 16.
    pub fn new(params: &GeneratorParams, core: u8) -> Self {
        let (slots, wide, calls) = (params.slots, params.wide, params.returns);
        assert!((1..=16).contains(&slots), "slots = {slots} is outside 1..=16");
        assert!(wide <= 4 && wide <= slots, "wide = {wide} is outside 0..=4, or more than {slots} slots");
        assert!((1..=16).contains(&calls), "returns = {calls} is outside 1..=16");
        assert!(params.stack == 16, "stack = {} is not 16", params.stack);
        assert!(params.fifo == 16, "fifo = {} is not 16", params.fifo);
        let (slots, wide, calls) = (usize::from(slots), usize::from(wide), usize::from(calls));
        let log = || Mem::new(4, 32);
        Self {
            low: each(slots),
            high: each(slots),
            kind: each(slots),
            end_low: each(wide),
            end_high: each(wide),
            value_low: each(wide),
            value_high: each(wide),
            plan: Mem::new(7, 16),
            log_flags: log(),
            log_pc: log(),
            log_value: log(),
            log_address: log(),
            log_stored: log(),
            log_came: log(),
            log_time: log(),
            log_cause: Mem::new(4, 10),
            registers: Mem::new(5, 32),
            words: Mem::new(4, 32),
            tag_even: Mem::new(3, 28),
            tag_odd: Mem::new(3, 28),
            calls: Mem::new(7, 32),
            call_tag: each(calls),
            call_slot: each(calls),
            fifo: Mem::new(7, 32),
            held_word: each(5),
            core: Fixed::of(core),
            control: Fixed::of(CONTROL),
            places: Fixed::of((1u64 << calls) - 1),
            last_place: Fixed::of(calls as u64 - 1),
            mark: Fixed::of(CROWDED as u64),
            patience: Fixed::of(PATIENCE - 1),
            calm: Fixed::of(CALM as u64),
            all: Fixed::of(params.fifo),
            half_more: Fixed::of(params.fifo / 2 + 1),
            one_2: Fixed::of(1u64),
            one_3: Fixed::of(1u64),
            one_4: Fixed::of(1u64),
            one_5: Fixed::of(1u64),
            one_6: Fixed::of(1u64),
            one_16: Fixed::of(1u64),
            most: Fixed::of(0xffffu64),
            most_32: Fixed::of(0xffff_ffffu64),
            byte_mask: Fixed::of(0xffu64),
            half_mask: Fixed::of(0xffffu64),
            _slots: slots,
            _wide: wide,
            _calls: calls,
            _sixteen: 16,
            _four: 4,
            _registers: 32,
            _words: 5,
            ..Default::default()
        }
    }
}

impl Logic for Full {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, used, log_length, log_write, log_read, shown, known, ra, sp, there, touch_even, touch_odd,
            even_at, odd_at, even_tag, odd_tag
        );
        dff_setup!(
            self, clock, valid, old_low, old_high, victim, half, state, mode, phase, todo, stores, current, of_store,
            slot, k, candidates, at, same, ended
        );
        dff_setup!(
            self,
            clock,
            fifo_length,
            fifo_write,
            fifo_read,
            recovering,
            haste,
            before_pc,
            before_call,
            before_xret,
            hurried,
            pending,
            came_hits,
            came_stores,
            written,
            lost_before,
            untold,
            loading,
            step,
            held,
            held_head,
            held_stamp,
            held_lost
        );
        clock!(self, clock, plan, log_flags, log_pc, log_value, log_address, log_stored, log_came, log_time, log_cause);
        clock!(self, clock, registers, words, tag_even, tag_odd, calls, fifo);

        // slots, and which of them are hit
        if self.write.we.val() & (self.write.addr.val() == self.control.val()) {
            self.used.d.next = 0.into();
            if self.write.data.val().get_bit(0) {
                self.used.d.next = self.write.data.val().get_bits::<5>(8);
            }
        }
        self.slot_write.next = self.write.we.val() & (self.write.addr.val().get_bits::<4>(8) == 4);
        self.word_write.next = self.write.addr.val().get_bits::<4>(0);
        self.plan.we.next = self.slot_write.val() & (self.word_write.val().get_bit(3) | !self.word_write.val().any());
        self.plan.waddr.next = (bit_cast::<7, 4>(self.write.addr.val().get_bits::<4>(4)) << 3)
            | bit_cast::<7, 3>(self.word_write.val().get_bits::<3>(0));
        self.plan.wdata.next = self.write.data.val();
        self.bytes.next = 0.into();
        if self.seen.size.val() == 1 {
            self.bytes.next = 1.into();
        }
        if self.seen.size.val() == 2 {
            self.bytes.next = 3.into();
        }
        self.last_byte.next = self.seen.addr.val() + self.bytes.val();
        self.hits.next = 0.into();
        self.store_hits.next = 0.into();
        self.returns.next = 0.into();
        for i in 0..self._slots {
            self.low[i].clock.next = self.clock.val();
            self.high[i].clock.next = self.clock.val();
            self.kind[i].clock.next = self.clock.val();
            self.low[i].d.next = self.low[i].q.val();
            self.high[i].d.next = self.high[i].q.val();
            self.kind[i].d.next = self.kind[i].q.val();
            if self.slot_write.val() & (self.write.addr.val().get_bits::<4>(4) == i.to_bits::<4>()) {
                if self.word_write.val() == 1 {
                    self.kind[i].d.next = self.write.data.val().get_bits::<6>(0);
                }
                if self.word_write.val() == 2 {
                    self.low[i].d.next = self.write.data.val();
                }
                if self.word_write.val() == 3 {
                    self.high[i].d.next = self.write.data.val();
                }
            }
            self.at_pc.next = (self.low[i].q.val() == self.seen.pc.val().get_bits::<16>(0))
                & (self.high[i].q.val() == self.seen.pc.val().get_bits::<16>(16));
            self.alive.next = self.seen.valid.val() & (self.used.q.val() > i.to_bits::<5>());
            self.is_hit.next = self.alive.val()
                & (((self.kind[i].q.val().get_bits::<2>(1) == 0) & self.at_pc.val())
                    | (self.kind[i].q.val().get_bit(2) & self.seen.xret.val()));
            self.hits.next = self.hits.val().replace_bit(i, self.is_hit.val());
            self.is_hit.next = self.kind[i].q.val().get_bits::<3>(0) == 1;
            self.returns.next = self.returns.val().replace_bit(i, self.is_hit.val());
        }
        // from where it came there
        if self.seen.valid.val() {
            self.before_pc.d.next = self.seen.pc.val();
            self.before_call.d.next = self.seen.call.val();
            self.before_xret.d.next = self.seen.xret.val();
        }
        self.resumed.next = self.before_xret.q.val() & !self.seen.trap.val();
        self.entries.next = 0.into();
        for i in 0..self._wide {
            self.end_low[i].clock.next = self.clock.val();
            self.end_high[i].clock.next = self.clock.val();
            self.value_low[i].clock.next = self.clock.val();
            self.value_high[i].clock.next = self.clock.val();
            self.end_low[i].d.next = self.end_low[i].q.val();
            self.end_high[i].d.next = self.end_high[i].q.val();
            self.value_low[i].d.next = self.value_low[i].q.val();
            self.value_high[i].d.next = self.value_high[i].q.val();
            if self.slot_write.val() & (self.write.addr.val().get_bits::<4>(4) == i.to_bits::<4>()) {
                if self.word_write.val() == 4 {
                    self.end_low[i].d.next = self.write.data.val();
                }
                if self.word_write.val() == 5 {
                    self.end_high[i].d.next = self.write.data.val();
                }
                if self.word_write.val() == 6 {
                    self.value_low[i].d.next = self.write.data.val();
                }
                if self.word_write.val() == 7 {
                    self.value_high[i].d.next = self.write.data.val();
                }
            }
            self.upper.next = self.high[i].q.val();
            self.lower.next = self.low[i].q.val();
            self.first_bound.next = (bit_cast::<32, 16>(self.upper.val()) << 16) | bit_cast::<32, 16>(self.lower.val());
            self.upper.next = self.end_high[i].q.val();
            self.lower.next = self.end_low[i].q.val();
            self.last_bound.next = (bit_cast::<32, 16>(self.upper.val()) << 16) | bit_cast::<32, 16>(self.lower.val());
            self.upper.next = self.value_high[i].q.val();
            self.lower.next = self.value_low[i].q.val();
            self.wanted.next = (bit_cast::<32, 16>(self.upper.val()) << 16) | bit_cast::<32, 16>(self.lower.val());
            self.alive.next = self.seen.valid.val() & (self.used.q.val() > i.to_bits::<5>());
            // of calls, not of returns: one that is open already is kept once
            self.is_entry.next = self.kind[i].q.val().get_bits::<4>(0) == 8;
            self.entries.next = self.entries.val().replace_bit(i, self.is_entry.val());
            self.is_entry.next = self.kind[i].q.val().get_bit(3) & (self.kind[i].q.val().get_bits::<2>(1) == 0);
            self.at_first.next = self.seen.addr.val();
            self.at_last.next = self.last_byte.val();
            if self.is_entry.val() {
                self.at_first.next = self.before_pc.q.val();
                self.at_last.next = self.before_pc.q.val();
            }
            self.in_range.next =
                (self.at_first.val() <= self.last_bound.val()) & (self.at_last.val() >= self.first_bound.val());
            self.touched.next = self.alive.val() & (self.kind[i].q.val().get_bits::<3>(0) == 2) & self.in_range.val();
            // a turn of a loop is no call
            if self.is_entry.val()
                & self.in_range.val()
                & !self.before_call.q.val()
                & !self.before_xret.q.val()
                & !self.seen.trap.val()
            {
                self.hits.next = self.hits.val().replace_bit(i, false);
            }
            self.is_hit.next = self.touched.val()
                & self.seen.load.val()
                & self.kind[i].q.val().get_bit(3)
                & (!self.kind[i].q.val().get_bit(5) | (self.seen.loaded.val() == self.wanted.val()));
            self.is_store_hit.next = self.touched.val()
                & self.seen.store.val()
                & self.kind[i].q.val().get_bit(4)
                & (!self.kind[i].q.val().get_bit(5) | (self.seen.stored.val() == self.wanted.val()));
            if self.alive.val()
                & (self.kind[i].q.val().get_bits::<3>(0) == 3)
                & self.seen.trap.val()
                & (!self.low[i].q.val().get_bit(0)
                    | (self.low[i].q.val().get_bit(1) == self.seen.cause.val().get_bit(8)))
                & (!self.low[i].q.val().get_bit(2)
                    | (self.low[i].q.val().get_bits::<8>(8) == self.seen.cause.val().get_bits::<8>(0)))
            {
                self.is_hit.next = true;
            }
            if self.is_hit.val() {
                self.hits.next = self.hits.val().replace_bit(i, true);
            }
            self.store_hits.next = self.store_hits.val().replace_bit(i, self.is_store_hit.val());
        }

        // into the log
        self.log_flags.wdata.next = bit_cast::<32, 16>(self.hits.val())
            | (bit_cast::<32, 4>(self.store_hits.val()) << 16)
            | (bit_cast::<32, 2>(self.seen.size.val()) << 20)
            | (bit_cast::<32, 1>(self.seen.store.val().into()) << 22)
            | (bit_cast::<32, 1>(self.seen.through_sp.val().into()) << 23)
            | (bit_cast::<32, 1>(self.seen.sets.val().into()) << 24)
            | (bit_cast::<32, 5>(self.seen.rd.val()) << 25)
            | (bit_cast::<32, 1>(self.seen.call.val().into()) << 30)
            | (bit_cast::<32, 1>(self.seen.back.val().into()) << 31);
        self.log_pc.wdata.next = self.seen.pc.val();
        self.log_value.wdata.next = self.seen.value.val();
        if self.seen.load.val() & !self.seen.sets.val() {
            self.log_value.wdata.next = self.seen.loaded.val();
        }
        self.log_address.wdata.next = self.seen.target.val();
        if self.seen.load.val() | self.seen.store.val() {
            self.log_address.wdata.next = self.seen.addr.val();
        }
        self.log_stored.wdata.next = self.seen.stored.val();
        self.log_came.wdata.next = self.seen.came.val();
        self.log_time.wdata.next = self.seen.now.val();
        self.log_cause.wdata.next =
            bit_cast::<10, 9>(self.seen.cause.val()) | (bit_cast::<10, 1>(self.resumed.val().into()) << 9);
        self.log_flags.we.next = self.seen.valid.val();
        self.log_pc.we.next = self.seen.valid.val();
        self.log_value.we.next = self.seen.valid.val();
        self.log_address.we.next = self.seen.valid.val();
        self.log_stored.we.next = self.seen.valid.val();
        self.log_came.we.next = self.seen.valid.val();
        self.log_time.we.next = self.seen.valid.val();
        self.log_cause.we.next = self.seen.valid.val();
        self.log_flags.waddr.next = self.log_write.q.val();
        self.log_pc.waddr.next = self.log_write.q.val();
        self.log_value.waddr.next = self.log_write.q.val();
        self.log_address.waddr.next = self.log_write.q.val();
        self.log_stored.waddr.next = self.log_write.q.val();
        self.log_came.waddr.next = self.log_write.q.val();
        self.log_time.waddr.next = self.log_write.q.val();
        self.log_cause.waddr.next = self.log_write.q.val();

        // the oldest instruction
        self.head_hits.next = self.log_flags.rdata.val().get_bits::<16>(0);
        self.head_stores.next = self.log_flags.rdata.val().get_bits::<4>(16);
        self.head_size.next = self.log_flags.rdata.val().get_bits::<2>(20);
        self.head_store.next = self.log_flags.rdata.val().get_bit(22);
        self.head_sp.next = self.log_flags.rdata.val().get_bit(23);
        self.head_sets.next = self.log_flags.rdata.val().get_bit(24);
        self.head_rd.next = self.log_flags.rdata.val().get_bits::<5>(25);
        self.head_call.next = self.log_flags.rdata.val().get_bit(30);
        self.head_back.next = self.log_flags.rdata.val().get_bit(31);
        self.head_address.next = self.log_address.rdata.val();
        self.head_value.next = self.log_value.rdata.val();
        self.crowded.next = (self.log_length.q.val() >= self.mark.val())
            | (self.haste.q.val() & (self.log_length.q.val() > self.calm.val()));
        self.haste.d.next = self.crowded.val();
        self.hurried.d.next = 0.into();
        if self.crowded.val() {
            self.hurried.d.next = self.hurried.q.val() + self.one_6.val();
        }
        self.give_up.next = self.crowded.val() & (self.hurried.q.val() == self.patience.val());

        // without an instruction nothing is hit
        self.came_hits.d.next = self.hits.val();
        self.came_stores.d.next = self.store_hits.val();
        self.came_number.next = 0.into();
        for i in 0..self._slots {
            self.one_lost.next = self.came_hits.q.val().get_bit(i);
            self.came_number.next = self.came_number.val() + bit_cast::<9, 1>(self.one_lost.val().into());
        }
        for i in 0..self._wide {
            self.one_lost.next = self.came_stores.q.val().get_bit(i);
            self.came_number.next = self.came_number.val() + bit_cast::<9, 1>(self.one_lost.val().into());
        }

        // calls that may be the one that is looked for
        self.by_flags.next = (self.state.q.val() == FullState::Look) | self.crowded.val();
        self.wanted_to.next = self.ra.q.val();
        if (self.by_flags.val() & self.head_call.val()) | (!self.by_flags.val() & (self.phase.q.val() == 1)) {
            self.wanted_to.next = self.head_value.val();
        }
        if (self.by_flags.val() & !self.head_call.val()) | (!self.by_flags.val() & (self.phase.q.val() == 2)) {
            self.wanted_to.next = self.head_address.val();
        }
        self.wanted_tag.next = self.wanted_to.val().get_bits::<8>(1) ^ self.sp.q.val().get_bits::<8>(4);
        self.likely.next = 0.into();
        self.mine.next = 0.into();
        self.ended_at.next = 0.into();
        for i in 0..self._calls {
            self.is_tagged.next = self.valid.q.val().get_bit(i) & (self.call_tag[i].q.val() == self.wanted_tag.val());
            self.likely.next = self.likely.val().replace_bit(i, self.is_tagged.val());
            self.is_mine.next = self.call_slot[i].q.val() == self.slot.q.val();
            self.mine.next = self.mine.val().replace_bit(i, self.is_mine.val());
            if self.is_mine.val() & self.ended.q.val().get_bit(i) {
                self.ended_at.next = i.to_bits::<4>();
            }
        }
        self.ends.next = (self.head_call.val() | self.head_back.val()) & self.likely.val().any();
        self.dropped.next = 0.into();
        if self.head_call.val() | self.head_back.val() {
            self.dropped.next = self.likely.val();
        }
        if self.head_call.val() & self.head_back.val() {
            self.ends.next = self.valid.q.val().any();
            self.dropped.next = self.valid.q.val();
        }
        if (self.state.q.val() != FullState::Look) & (self.phase.q.val() == 3) {
            self.dropped.next = 0.into();
        }
        if self.give_up.val() {
            self.dropped.next = self.valid.q.val();
        }
        self.not_dropped.next = !self.dropped.val();
        self.work.next = self.head_hits.val().any() | self.head_stores.val().any() | self.ends.val();

        // the first of what is left
        self.not_valid.next = !self.valid.q.val();
        self.free.next = self.not_valid.val() & self.places.val();
        self.pool.next = self.todo.q.val() | bit_cast::<16, 4>(self.stores.q.val());
        if self.phase.q.val() == 0 {
            self.pool.next = self.todo.q.val() & self.returns.val();
        }
        if self.state.q.val() == FullState::Search {
            self.pool.next = self.candidates.q.val();
        }
        if self.state.q.val() == FullState::Place {
            self.pool.next = self.free.val();
        }
        self.less.next = self.pool.val() - self.one_16.val();
        self.rest.next = self.pool.val() & self.less.val();
        self.not_rest.next = !self.rest.val();
        self.lowest.next = self.pool.val() & self.not_rest.val();
        self.not_lowest.next = !self.lowest.val();
        self.of_todo.next = self.todo.q.val() & self.lowest.val();
        self.index.next = 0.into();
        for i in 0..self._sixteen {
            if self.lowest.val().get_bit(i) {
                self.index.next = i.to_bits::<4>();
            }
        }

        // a captured word
        self.capture.next = self.plan.rdata.val().get_bits::<4>(8);
        self.number.next = self.plan.rdata.val().get_bits::<8>(0);
        self.over.next = !self.capture.val().any() | (self.k.q.val() == 6);
        self.k_1.next = self.k.q.val() + self.one_3.val();
        self.stack_at.next = self.sp.q.val() + (bit_cast::<32, 8>(self.number.val()) << 2);
        self.stack_tag.next = (bit_cast::<28, 26>(self.stack_at.val().get_bits::<26>(6)) << 2)
            | bit_cast::<28, 2>(self.stack_at.val().get_bits::<2>(0));
        self.known_bits.next = self.known.q.val() >> self.number.val().get_bits::<5>(0);
        self.there_bits.next = self.there.q.val() >> self.stack_at.val().get_bits::<4>(2);
        self.stack_known.next = self.known.q.val().get_bit(2)
            & self.there_bits.val().get_bit(0)
            & (self.stack_tag.val() == self.tag_even.rdata.val());
        if self.stack_at.val().get_bit(2) {
            self.stack_known.next = self.known.q.val().get_bit(2)
                & self.there_bits.val().get_bit(0)
                & (self.stack_tag.val() == self.tag_odd.rdata.val());
        }
        self.elapsed.next = self.log_time.rdata.val() - self.calls.rdata.val();
        self.low_bits.next = self.old_low.q.val() >> self.at.q.val();
        self.high_bits.next = self.old_high.q.val() >> self.at.q.val();
        // 2 or 3 halves of 2^32 clocks have begun since
        self.too_old.next =
            self.high_bits.val().get_bit(0) & (self.low_bits.val().get_bit(0) | !self.elapsed.val().get_bit(31));
        self.loaded.next = self.head_value.val();
        if self.head_size.val() == 0 {
            self.loaded.next = self.head_value.val() & self.byte_mask.val();
        }
        if self.head_size.val() == 1 {
            self.loaded.next = self.head_value.val() & self.half_mask.val();
        }
        self.word.next = self.registers.rdata.val();
        self.is_known.next = true;
        if (self.capture.val() == 2) | (self.capture.val() == 4) {
            self.word.next = self.words.rdata.val();
        }
        if self.mode.q.val() == FullMode::Fire {
            if self.capture.val() == 1 {
                self.is_known.next = self.known_bits.val().get_bit(0);
            }
            if self.capture.val() == 2 {
                self.is_known.next = self.stack_known.val();
            }
            if (self.capture.val() == 3) | (self.capture.val() == 4) {
                self.word.next = self.calls.rdata.val();
            }
        } else {
            if self.capture.val() == 3 {
                self.is_known.next = self.known_bits.val().get_bit(0);
            }
            if self.capture.val() == 4 {
                self.is_known.next = self.stack_known.val();
            }
        }
        if self.capture.val() == 5 {
            self.word.next = self.elapsed.val();
            if self.too_old.val() {
                self.word.next = self.most_32.val();
            }
        }
        if self.capture.val() == 6 {
            self.word.next = self.log_pc.rdata.val();
        }
        if self.capture.val() == 7 {
            self.word.next = self.head_address.val();
        }
        if self.capture.val() == 8 {
            self.word.next = self.loaded.val();
            if self.of_store.q.val() {
                self.word.next = self.log_stored.rdata.val();
            }
        }
        if self.capture.val() == 9 {
            self.word.next = bit_cast::<32, 8>(self.log_cause.rdata.val().get_bits::<8>(0))
                | (bit_cast::<32, 1>(self.log_cause.rdata.val().get_bit(8).into()) << 31);
        }
        if self.capture.val() == 10 {
            self.word.next = self.log_came.rdata.val();
        }

        // work
        self.advance.next = false;
        self.lost.next = 0.into();
        self.commit.next = false;
        self.unsure.next = false;
        for i in 0..self._wide {
            if self.slot.q.val() == i.to_bits::<4>() {
                self.unsure.next = self.entries.val().get_bit(i) & self.log_cause.rdata.val().get_bit(9);
            }
        }
        self.refuses.next = self.recovering.q.val() | (self.fifo_length.q.val() == self.all.val());
        self.plan_slot.next = self.slot.q.val();
        self.plan_k.next = 1.into();
        self.calls.raddr.next = bit_cast::<7, 4>(self.at.q.val()) << 3;
        self.calls.we.next = false;
        self.calls.waddr.next = (bit_cast::<7, 4>(self.at.q.val()) << 3) | bit_cast::<7, 3>(self.k.q.val());
        self.calls.wdata.next = self.word.val();
        self.fifo.we.next = false;
        self.fifo_k.next = self.k.q.val();
        self.fifo.wdata.next = self.word.val();
        self.place.next = self.index.val();
        if !self.free.val().any() {
            self.place.next = self.victim.q.val();
        }
        self.place_bit.next = 0.into();
        for i in 0..self._sixteen {
            if self.at.q.val() == i.to_bits::<4>() {
                self.place_bit.next = self.place_bit.val().replace_bit(i, true);
            }
        }
        self.not_place.next = !self.place_bit.val();
        self.slot_at.next = 0.into();
        for i in 0..self._calls {
            if self.place_bit.val().get_bit(i) {
                self.slot_at.next = self.call_slot[i].q.val();
            }
        }
        self.is_match.next = self.same.q.val() & (self.calls.rdata.val() == self.sp.q.val());

        // how old open calls are, in halves of 2^32 clocks
        self.half_now.next = self.half.q.val();
        if self.shown.q.val() {
            self.half_now.next = self.log_time.rdata.val().get_bit(31);
        } else if !self.log_length.q.val().any() {
            self.half_now.next = self.seen.now.val().get_bit(31);
        }
        self.half.d.next = self.half_now.val();
        self.not_old.next = !self.old_low.q.val();
        if self.half_now.val() != self.half.q.val() {
            self.old_high.d.next = self.old_high.q.val() | self.old_low.q.val();
            self.old_low.d.next = self.not_old.val() | self.old_high.q.val();
        }
        for i in 0..self._calls {
            self.call_tag[i].clock.next = self.clock.val();
            self.call_slot[i].clock.next = self.clock.val();
            self.call_tag[i].d.next = self.call_tag[i].q.val();
            self.call_slot[i].d.next = self.call_slot[i].q.val();
            if (self.state.q.val() == FullState::KeepTime) & self.place_bit.val().get_bit(i) {
                self.call_tag[i].d.next = self.wanted_tag.val();
                self.call_slot[i].d.next = self.slot.q.val();
            }
        }

        match self.state.q.val() {
            FullState::Look => {
                self.todo.d.next = self.head_hits.val();
                self.stores.d.next = self.head_stores.val();
                self.current.d.next = false;
                self.phase.d.next = 0.into();
                self.ended.d.next = 0.into();
                if self.shown.q.val() {
                    self.advance.next = !self.work.val();
                    if self.work.val() {
                        self.state.d.next = FullState::Pick;
                    }
                }
            }
            FullState::Pick => {
                self.plan_slot.next = self.index.val();
                self.k.d.next = 1.into();
                if self.phase.q.val() == 0 {
                    if self.pool.val().any() {
                        self.slot.d.next = self.index.val();
                        self.todo.d.next = self.todo.q.val() & self.not_lowest.val();
                        if self.known.q.val().get_bit(1) & self.known.q.val().get_bit(2) {
                            self.current.d.next = true;
                            self.mode.d.next = FullMode::Check;
                            self.state.d.next = FullState::Ask;
                        } else {
                            self.lost.next = 1.into();
                        }
                    } else {
                        self.phase.d.next = 1.into();
                    }
                } else if self.phase.q.val() == 3 {
                    if self.pool.val().any() {
                        self.slot.d.next = self.index.val();
                        self.current.d.next = true;
                        self.of_store.d.next = !self.of_todo.val().any();
                        if self.of_todo.val().any() {
                            self.todo.d.next = self.todo.q.val() & self.not_lowest.val();
                        } else {
                            self.stores.d.next = self.stores.q.val() & self.not_lowest.val().get_bits::<4>(0);
                        }
                        self.state.d.next = FullState::Open;
                    } else {
                        self.advance.next = true;
                        self.state.d.next = FullState::Look;
                    }
                } else if ((self.phase.q.val() == 1) & self.head_call.val())
                    | ((self.phase.q.val() == 2) & self.head_back.val())
                {
                    self.candidates.d.next = self.likely.val();
                    self.state.d.next = FullState::Search;
                } else {
                    self.phase.d.next = self.phase.q.val() + self.one_2.val();
                }
            }
            FullState::Ask => {
                self.plan_k.next = self.k.q.val();
                self.state.d.next = FullState::Put;
                if self.capture.val() != 5 {
                    self.calls.raddr.next = (bit_cast::<7, 4>(self.at.q.val()) << 3) | bit_cast::<7, 3>(self.k.q.val());
                }
                if self.over.val() {
                    self.plan_k.next = 0.into();
                    match self.mode.q.val() {
                        FullMode::Check => {
                            self.candidates.d.next = self.likely.val() & self.mine.val();
                            self.state.d.next = FullState::Search;
                        }
                        FullMode::Keep => {
                            self.state.d.next = FullState::KeepTo;
                        }
                        FullMode::Fire => {
                            self.state.d.next = FullState::Done;
                        }
                    }
                }
            }
            FullState::Put => {
                self.plan_k.next = self.k_1.val();
                self.k.d.next = self.k_1.val();
                self.state.d.next = FullState::Ask;
                self.fifo.we.next = self.mode.q.val() == FullMode::Fire;
                self.calls.we.next =
                    (self.mode.q.val() == FullMode::Keep) & ((self.capture.val() == 3) | (self.capture.val() == 4));
                if !self.is_known.val() {
                    self.lost.next = 1.into();
                    self.current.d.next = false;
                    self.state.d.next = FullState::Pick;
                }
            }
            FullState::Search => {
                self.calls.raddr.next = (bit_cast::<7, 4>(self.index.val()) << 3) | 6;
                self.at.d.next = self.index.val();
                self.candidates.d.next = self.rest.val();
                self.state.d.next = FullState::To;
                if !self.pool.val().any() {
                    self.phase.d.next = self.phase.q.val() + self.one_2.val();
                    self.state.d.next = FullState::Pick;
                    if self.phase.q.val() == 0 {
                        self.phase.d.next = 0.into();
                        self.state.d.next = FullState::Place;
                    }
                }
            }
            FullState::To => {
                self.calls.raddr.next = (bit_cast::<7, 4>(self.at.q.val()) << 3) | 7;
                self.same.d.next = self.calls.rdata.val() == self.wanted_to.val();
                self.state.d.next = FullState::Sp;
            }
            FullState::Sp => {
                self.state.d.next = FullState::Search;
                if self.is_match.val() {
                    if self.phase.q.val() == 0 {
                        self.current.d.next = false;
                        self.state.d.next = FullState::Pick;
                    } else {
                        self.valid.d.next = self.valid.q.val() & self.not_place.val();
                    }
                    if self.phase.q.val() == 2 {
                        self.ended.d.next = self.ended.q.val() | self.place_bit.val();
                        for i in 0..self._sixteen {
                            if self.slot_at.val() == i.to_bits::<4>() {
                                self.todo.d.next = self.todo.q.val().replace_bit(i, true);
                            }
                        }
                    }
                }
            }
            FullState::Place => {
                self.at.d.next = self.place.val();
                self.k.d.next = 1.into();
                self.mode.d.next = FullMode::Keep;
                self.state.d.next = FullState::Ask;
                if !self.free.val().any() {
                    self.lost.next = 1.into();
                    self.victim.d.next = self.victim.q.val() + self.one_4.val();
                    if self.victim.q.val() == self.last_place.val() {
                        self.victim.d.next = 0.into();
                    }
                    for i in 0..self._calls {
                        if self.victim.q.val() == i.to_bits::<4>() {
                            self.valid.d.next = self.valid.q.val().replace_bit(i, false);
                        }
                    }
                }
            }
            FullState::KeepTo => {
                self.calls.we.next = true;
                self.calls.waddr.next = (bit_cast::<7, 4>(self.at.q.val()) << 3) | 6;
                self.calls.wdata.next = self.ra.q.val();
                self.state.d.next = FullState::KeepSp;
            }
            FullState::KeepSp => {
                self.calls.we.next = true;
                self.calls.waddr.next = (bit_cast::<7, 4>(self.at.q.val()) << 3) | 7;
                self.calls.wdata.next = self.sp.q.val();
                self.state.d.next = FullState::KeepTime;
            }
            FullState::KeepTime => {
                self.calls.we.next = true;
                self.calls.waddr.next = bit_cast::<7, 4>(self.at.q.val()) << 3;
                self.calls.wdata.next = self.log_time.rdata.val();
                self.valid.d.next = self.valid.q.val() | self.place_bit.val();
                self.old_low.d.next = self.old_low.q.val() & self.not_place.val();
                self.old_high.d.next = self.old_high.q.val() & self.not_place.val();
                self.current.d.next = false;
                self.state.d.next = FullState::Pick;
            }
            FullState::Open => {
                self.k.d.next = 1.into();
                self.at.d.next = self.ended_at.val();
                self.mode.d.next = FullMode::Fire;
                self.fifo_k.next = 6.into();
                self.fifo.wdata.next = self.log_time.rdata.val();
                self.fifo.we.next = !self.refuses.val();
                self.state.d.next = FullState::Ask;
                if self.refuses.val() | self.unsure.val() {
                    self.lost.next = 1.into();
                    self.current.d.next = false;
                    self.state.d.next = FullState::Pick;
                }
            }
            FullState::Done => {
                self.fifo_k.next = 0.into();
                self.fifo.wdata.next = bit_cast::<32, 15>(self.plan.rdata.val().get_bits::<15>(0))
                    | (bit_cast::<32, 3>(self.k.q.val()) << 16);
                self.fifo.we.next = true;
                self.commit.next = true;
                self.current.d.next = false;
                self.state.d.next = FullState::Pick;
            }
        }
        self.one_lost.next = false;
        self.left_hits.next = self.todo.q.val();
        self.left_stores.next = self.stores.q.val();
        if self.state.q.val() == FullState::Look {
            self.left_hits.next = self.head_hits.val();
            self.left_stores.next = self.head_stores.val();
        }
        // no room to wait: what is not made yet is lost
        if self.give_up.val()
            | (self.crowded.val() & self.shown.q.val() & ((self.state.q.val() != FullState::Look) | self.work.val()))
        {
            self.advance.next = true;
            self.state.d.next = FullState::Look;
            self.commit.next = false;
            self.valid.d.next = self.valid.q.val() & self.not_dropped.val();
            self.victim.d.next = self.victim.q.val();
            self.lost.next = bit_cast::<9, 1>(self.current.q.val().into());
            if self.state.q.val() == FullState::Look {
                self.lost.next = 0.into();
            }
            if self.give_up.val() {
                self.advance.next = false;
                self.lost.next = self.pending.q.val() + self.came_number.val();
                self.left_hits.next = 0.into();
                self.left_stores.next = 0.into();
            }
            for i in 0..self._sixteen {
                self.one_lost.next = self.left_hits.val().get_bit(i);
                self.lost.next = self.lost.val() + bit_cast::<9, 1>(self.one_lost.val().into());
                self.one_lost.next = self.dropped.val().get_bit(i);
                self.lost.next = self.lost.val() + bit_cast::<9, 1>(self.one_lost.val().into());
            }
            for i in 0..self._four {
                self.one_lost.next = self.left_stores.val().get_bit(i);
                self.lost.next = self.lost.val() + bit_cast::<9, 1>(self.one_lost.val().into());
            }
        }
        self.plan.raddr.next = (bit_cast::<7, 4>(self.plan_slot.val()) << 3) | bit_cast::<7, 3>(self.plan_k.val());
        self.registers.raddr.next = self.number.val().get_bits::<5>(0);
        self.words.raddr.next = self.stack_at.val().get_bits::<4>(2);
        self.fifo.waddr.next = (bit_cast::<7, 4>(self.fifo_write.q.val()) << 3) | bit_cast::<7, 3>(self.fifo_k.val());

        // it leaves the log, and the copy has what it did
        self.next_read.next = self.log_read.q.val();
        self.left_length.next = self.log_length.q.val();
        if self.advance.val() {
            self.next_read.next = self.log_read.q.val() + self.one_4.val();
            self.left_length.next = self.log_length.q.val() - self.one_5.val();
        }
        self.left_number.next = 0.into();
        for i in 0..self._slots {
            self.one_lost.next = self.head_hits.val().get_bit(i);
            self.left_number.next = self.left_number.val() + bit_cast::<9, 1>(self.one_lost.val().into());
        }
        for i in 0..self._wide {
            self.one_lost.next = self.head_stores.val().get_bit(i);
            self.left_number.next = self.left_number.val() + bit_cast::<9, 1>(self.one_lost.val().into());
        }
        self.pending_1.next = self.pending.q.val() + self.came_number.val();
        self.pending.d.next = self.pending_1.val();
        if self.advance.val() {
            self.pending.d.next = self.pending_1.val() - self.left_number.val();
        }
        if self.give_up.val() {
            self.next_read.next = self.log_write.q.val();
            self.left_length.next = 0.into();
            self.pending.d.next = 0.into();
        }
        self.log_read.d.next = self.next_read.val();
        self.shown.d.next = self.left_length.val().any();
        self.log_length.d.next = self.left_length.val();
        if self.seen.valid.val() {
            self.log_length.d.next = self.left_length.val() + self.one_5.val();
            self.log_write.d.next = self.log_write.q.val() + self.one_4.val();
        }
        self.log_flags.raddr.next = self.next_read.val();
        self.log_pc.raddr.next = self.next_read.val();
        self.log_value.raddr.next = self.next_read.val();
        self.log_address.raddr.next = self.next_read.val();
        self.log_stored.raddr.next = self.next_read.val();
        self.log_came.raddr.next = self.next_read.val();
        self.log_time.raddr.next = self.next_read.val();
        self.log_cause.raddr.next = self.next_read.val();

        self.registers.we.next = self.advance.val() & self.head_sets.val();
        self.registers.waddr.next = self.head_rd.val();
        self.registers.wdata.next = self.head_value.val();
        self.known_1.next = self.known.q.val();
        if self.advance.val() & self.head_sets.val() {
            for i in 0..self._registers {
                if self.head_rd.val() == i.to_bits::<5>() {
                    self.known_1.next = self.known_1.val().replace_bit(i, true);
                }
            }
            if self.head_rd.val() == 1 {
                self.ra.d.next = self.head_value.val();
            }
            if self.head_rd.val() == 2 {
                self.sp.d.next = self.head_value.val();
            }
        }
        self.written_1.next = 0.into();
        if self.left_length.val().any() {
            self.written_1.next = self.written.q.val();
        }
        for i in 0..self._registers {
            if self.seen.valid.val() & self.seen.sets.val() & (self.seen.rd.val() == i.to_bits::<5>()) {
                self.written_1.next = self.written_1.val().replace_bit(i, true);
            }
        }
        self.written.d.next = self.written_1.val();
        self.not_written.next = !self.written.q.val();
        self.known.d.next = self.known_1.val();
        if self.give_up.val() {
            self.known.d.next = self.known.q.val() & self.not_written.val();
        }

        // a word of the stack is known once it is stored through sp, and until something else is stored there
        self.push.next = self.advance.val() & self.head_store.val() & self.head_sp.val();
        self.touch.next = self.advance.val() & self.head_store.val() & !self.head_sp.val();
        self.store_bytes.next = 0.into();
        if self.head_size.val() == 1 {
            self.store_bytes.next = 1.into();
        }
        if self.head_size.val() == 2 {
            self.store_bytes.next = 3.into();
        }
        self.store_end.next = self.head_address.val() + self.store_bytes.val();
        self.odd.next = self.head_address.val().get_bit(2);
        self.end_odd.next = self.store_end.val().get_bit(2);
        self.store_tag.next = (bit_cast::<28, 26>(self.head_address.val().get_bits::<26>(6)) << 2)
            | bit_cast::<28, 2>(self.head_address.val().get_bits::<2>(0));
        self.words.we.next = self.push.val();
        self.words.waddr.next = self.head_address.val().get_bits::<4>(2);
        self.words.wdata.next = self.log_stored.rdata.val();
        self.tag_even.we.next = self.push.val() & !self.odd.val();
        self.tag_even.waddr.next = self.head_address.val().get_bits::<3>(3);
        self.tag_even.wdata.next = self.store_tag.val();
        self.tag_odd.we.next = self.push.val() & self.odd.val();
        self.tag_odd.waddr.next = self.head_address.val().get_bits::<3>(3);
        self.tag_odd.wdata.next = self.store_tag.val();
        self.touch_even.d.next = self.touch.val() & (!self.odd.val() | !self.end_odd.val());
        self.touch_odd.d.next = self.touch.val() & (self.odd.val() | self.end_odd.val());
        self.even_at.d.next = self.head_address.val().get_bits::<3>(3);
        self.even_tag.d.next = self.head_address.val().get_bits::<26>(6);
        if self.odd.val() {
            self.even_at.d.next = self.store_end.val().get_bits::<3>(3);
            self.even_tag.d.next = self.store_end.val().get_bits::<26>(6);
        }
        self.odd_at.d.next = self.store_end.val().get_bits::<3>(3);
        self.odd_tag.d.next = self.store_end.val().get_bits::<26>(6);
        if self.odd.val() {
            self.odd_at.d.next = self.head_address.val().get_bits::<3>(3);
            self.odd_tag.d.next = self.head_address.val().get_bits::<26>(6);
        }
        self.tag_even.raddr.next = self.head_address.val().get_bits::<3>(3);
        if self.odd.val() {
            self.tag_even.raddr.next = self.store_end.val().get_bits::<3>(3);
        }
        self.tag_odd.raddr.next = self.store_end.val().get_bits::<3>(3);
        if self.odd.val() {
            self.tag_odd.raddr.next = self.head_address.val().get_bits::<3>(3);
        }
        if self.state.q.val() == FullState::Ask {
            self.tag_even.raddr.next = self.stack_at.val().get_bits::<3>(3);
            self.tag_odd.raddr.next = self.stack_at.val().get_bits::<3>(3);
        }
        self.even_wanted.next = bit_cast::<28, 26>(self.even_tag.q.val()) << 2;
        self.odd_wanted.next = bit_cast::<28, 26>(self.odd_tag.q.val()) << 2;
        self.kill_even.next = self.touch_even.q.val() & (self.tag_even.rdata.val() == self.even_wanted.val());
        self.kill_odd.next = self.touch_odd.q.val() & (self.tag_odd.rdata.val() == self.odd_wanted.val());
        self.even_place.next = bit_cast::<4, 3>(self.even_at.q.val()) << 1;
        self.odd_place.next = (bit_cast::<4, 3>(self.odd_at.q.val()) << 1) | self.one_4.val();
        self.there_1.next = self.there.q.val();
        for i in 0..self._sixteen {
            if (self.kill_even.val() & (self.even_place.val() == i.to_bits::<4>()))
                | (self.kill_odd.val() & (self.odd_place.val() == i.to_bits::<4>()))
            {
                self.there_1.next = self.there_1.val().replace_bit(i, false);
            }
            // a later store through sp stays
            if self.push.val() & (self.head_address.val().get_bits::<4>(2) == i.to_bits::<4>()) {
                self.there_1.next = self.there_1.val().replace_bit(i, true);
            }
        }
        self.there.d.next = self.there_1.val();
        if self.give_up.val() {
            self.there.d.next = 0.into();
        }

        // out of the FIFO, a word a clock
        self.fifo.raddr.next = (bit_cast::<7, 4>(self.fifo_read.q.val()) << 3) | bit_cast::<7, 3>(self.step.q.val());
        self.step_before.next = self.step.q.val() - self.one_3.val();
        self.word_step.next = self.step_before.val() - self.one_3.val();
        self.loads.next = 0.into();
        if self.held_head.q.val().get_bits::<3>(16) > self.step_before.val() {
            self.loads.next = self.fifo.rdata.val();
        }
        self.pop.next = self.loading.q.val() & (self.step.q.val() == 7);
        self.step.d.next = 0.into();
        if self.loading.q.val() {
            self.step.d.next = self.step.q.val() + self.one_3.val();
            if self.step.q.val() == 1 {
                self.held_head.d.next = self.fifo.rdata.val().get_bits::<19>(0);
            }
        } else if !self.held.q.val() {
            self.loading.d.next = self.fifo_length.q.val().any();
        }
        for i in 0..self._words {
            self.held_word[i].clock.next = self.clock.val();
            self.held_word[i].d.next = self.held_word[i].q.val();
            if self.loading.q.val() & (self.word_step.val() == i.to_bits::<3>()) {
                self.held_word[i].d.next = self.loads.val();
            }
        }
        if self.result.ready.val() {
            self.held.d.next = false;
        }
        self.length_1.next = self.fifo_length.q.val();
        if self.pop.val() {
            self.loading.d.next = false;
            self.held.d.next = true;
            self.held_stamp.d.next = self.fifo.rdata.val();
            self.fifo_read.d.next = self.fifo_read.q.val() + self.one_4.val();
            self.length_1.next = self.fifo_length.q.val() - self.one_5.val();
            if self.fifo_length.q.val() <= self.half_more.val() {
                self.recovering.d.next = false;
            }
        }
        self.fifo_length.d.next = self.length_1.val();
        if self.commit.val() {
            self.fifo_length.d.next = self.length_1.val() + self.one_5.val();
            self.fifo_write.d.next = self.fifo_write.q.val() + self.one_4.val();
        }
        if (self.state.q.val() == FullState::Open)
            & (self.fifo_length.q.val() == self.all.val())
            & !self.crowded.val()
            & !self.unsure.val()
        {
            self.recovering.d.next = true;
        }

        // what was lost is told as far as it fits
        self.telling.next = self.untold.q.val().get_bits::<16>(0);
        if self.untold.q.val().get_bits::<16>(16).any() {
            self.telling.next = self.most.val();
        }
        self.untold_1.next = self.untold.q.val();
        if self.pop.val() {
            self.untold_1.next = self.untold.q.val() - bit_cast::<32, 16>(self.telling.val());
            self.held_lost.d.next = self.telling.val();
        }
        self.untold.d.next = self.untold_1.val() + bit_cast::<32, 9>(self.lost_before.q.val());
        self.lost_before.d.next = self.lost.val();

        self.result.valid.next = self.held.q.val();
        self.result.dest.next = self.held_head.q.val().get_bits::<6>(8);
        self.result.id.next = self.held_head.q.val().get_bits::<8>(0);
        self.result.core.next = self.core.val();
        self.result.lost.next = self.held_lost.q.val();
        self.result.stamped.next = self.held_head.q.val().get_bit(14);
        self.result.stamp.next = self.held_stamp.q.val();
        self.result.count.next = self.held_head.q.val().get_bits::<3>(16) - self.one_3.val();
        self.result.a0.next = self.held_word[0].q.val();
        self.result.a1.next = self.held_word[1].q.val();
        self.result.a2.next = self.held_word[2].q.val();
        self.result.a3.next = self.held_word[3].q.val();
        self.result.a4.next = self.held_word[4].q.val();
        self.result.a5.next = 0.into();

        if self.write.we.val() & (self.write.addr.val() == self.control.val()) {
            self.valid.d.next = 0.into();
            self.victim.d.next = 0.into();
        }
        if self.reset.val() {
            self.used.d.next = 0.into();
            self.log_length.d.next = 0.into();
            self.log_write.d.next = 0.into();
            self.log_read.d.next = 0.into();
            self.shown.d.next = false;
            self.before_call.d.next = true;
            self.before_xret.d.next = false;
            self.known.d.next = 0.into();
            self.there.d.next = 0.into();
            self.touch_even.d.next = false;
            self.touch_odd.d.next = false;
            self.valid.d.next = 0.into();
            self.victim.d.next = 0.into();
            self.state.d.next = FullState::Look;
            self.fifo_length.d.next = 0.into();
            self.fifo_write.d.next = 0.into();
            self.fifo_read.d.next = 0.into();
            self.recovering.d.next = false;
            self.haste.d.next = false;
            self.hurried.d.next = 0.into();
            self.pending.d.next = 0.into();
            self.came_hits.d.next = 0.into();
            self.came_stores.d.next = 0.into();
            self.lost_before.d.next = 0.into();
            self.untold.d.next = 0.into();
            self.loading.d.next = false;
            self.held.d.next = false;
        }
    }
}
