//! Circular trace buffer in two halves
//!
//! Each half holds a complete trace, from header to stop. When a half is three quarters full, tracing is stopped and
//! restarted in the other half, which is overwritten. After the last trace both halves are sent, the older first: each
//! as a word count (bit 31: the end of the trace did not fit), then the words.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `clock`, `reset` | in | 1 | synchronous; a reset empties the buffer |
//! | `half_words` | in | 16 | words per half, a power of two; tied |
//! | `in_valid`, `in_data` | in | 1, 32 | words of the trace system; always taken |
//! | `end_trace` | out | 1 | requests the end of the current trace |
//! | `trace_ended` | in | 1 | the trace has ended; the next word begins another |
//! | `finished` | in | 1 | the last trace has ended |
//! | `out_valid`, `out_ready`, `out_data` | out, in, out | 1, 1, 32 | words sent after the last trace |
//! | `all_out` | out | 1 | all words have been sent |
//!
//! # Timing
//! Takes one word per cycle; sends one word in four cycles.

use hdl::widget::mem::Mem;
use hdl::LogicBlock;
use rust_hdl::prelude::*;

/// State of the buffer.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum RingStep {
    Write,
    First,
    Count,
    Fetch,
    Word,
    Following,
    Over,
}

/// The trace buffer.
#[allow(missing_docs)] // the ports are in the table above
#[derive(LogicBlock, Default)]
pub struct Ring {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub half_words: Signal<In, Bits<16>>,
    pub in_valid: Signal<In, Bit>,
    pub in_data: Signal<In, Bits<32>>,
    pub end_trace: Signal<Out, Bit>,
    pub trace_ended: Signal<In, Bit>,
    pub finished: Signal<In, Bit>,
    pub out_valid: Signal<Out, Bit>,
    pub out_ready: Signal<In, Bit>,
    pub out_data: Signal<Out, Bits<32>>,
    pub all_out: Signal<Out, Bit>,
    memory: Mem<16, 32>,
    /// The half that is being written, the words in each half, and whether the end of its trace did not fit.
    half: DFF<Bit>,
    fill_0: DFF<Bits<16>>,
    fill_1: DFF<Bits<16>>,
    cut_0: DFF<Bit>,
    cut_1: DFF<Bit>,
    step: DFF<RingStep>,
    /// The half that is being read, whether it is the newer one, and its next word.
    reading: DFF<Bit>,
    newer: DFF<Bit>,
    at: DFF<Bits<16>>,
    fill: Signal<Local, Bits<16>>,
    more: Signal<Local, Bits<16>>,
    base: Signal<Local, Bits<16>>,
    full: Signal<Local, Bit>,
    mark: Signal<Local, Bits<16>>,
    marked: Signal<Local, Bits<16>>,
    read_fill: Signal<Local, Bits<16>>,
    read_base: Signal<Local, Bits<16>>,
    read_cut: Signal<Local, Bit>,
}

impl Ring {
    /// Creates a buffer of 2^`log2_words` words; tie `half_words` to half of that.
    ///
    /// # Panics
    /// Unless 3 <= `log2_words` <= 16.
    pub fn new(log2_words: usize) -> Self {
        assert!((3..=16).contains(&log2_words), "log2_words = {log2_words} is outside 3..=16");
        Self { memory: Mem::new(log2_words, 32), ..Self::default() }
    }
}

impl Logic for Ring {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, half, fill_0, fill_1, cut_0, cut_1, step, reading, newer, at);
        clock!(self, clock, memory);
        self.fill.next = self.fill_0.q.val();
        self.base.next = 0.into();
        if self.half.q.val() {
            self.fill.next = self.fill_1.q.val();
            self.base.next = self.half_words.val();
        }
        self.read_fill.next = self.fill_0.q.val();
        self.read_cut.next = self.cut_0.q.val();
        self.read_base.next = 0.into();
        if self.reading.q.val() {
            self.read_fill.next = self.fill_1.q.val();
            self.read_cut.next = self.cut_1.q.val();
            self.read_base.next = self.half_words.val();
        }
        self.full.next = self.fill.val() == self.half_words.val();
        // leaves a quarter for the words that are still in the trace system's buffers
        self.mark.next = (self.half_words.val() >> 1) | (self.half_words.val() >> 2);
        self.marked.next = self.fill.val() & self.mark.val();
        self.end_trace.next = (self.marked.val() == self.mark.val()) | self.full.val();

        self.memory.we.next = self.in_valid.val() & !self.full.val();
        self.memory.waddr.next = self.fill.val() | self.base.val();
        self.memory.wdata.next = self.in_data.val();
        self.memory.raddr.next = self.at.q.val() | self.read_base.val();
        self.more.next = self.fill.val() + 1;
        if self.in_valid.val() {
            if self.half.q.val() {
                if self.full.val() {
                    self.cut_1.d.next = true;
                } else {
                    self.fill_1.d.next = self.more.val();
                }
            } else {
                if self.full.val() {
                    self.cut_0.d.next = true;
                } else {
                    self.fill_0.d.next = self.more.val();
                }
            }
        }
        if self.trace_ended.val() {
            self.half.d.next = !self.half.q.val();
            if self.half.q.val() {
                self.fill_0.d.next = 0.into();
                self.cut_0.d.next = false;
            } else {
                self.fill_1.d.next = 0.into();
                self.cut_1.d.next = false;
            }
        }

        self.out_valid.next = false;
        self.all_out.next = false;
        self.out_data.next = bit_cast::<32, 16>(self.read_fill.val());
        if self.read_cut.val() {
            self.out_data.next = bit_cast::<32, 16>(self.read_fill.val()) | 0x8000_0000_u64.to_bits::<32>();
        }
        match self.step.q.val() {
            RingStep::Write => {
                if self.finished.val() {
                    self.step.d.next = RingStep::First;
                }
            }
            RingStep::First => {
                self.reading.d.next = !self.half.q.val();
                self.newer.d.next = false;
                self.at.d.next = 0.into();
                self.step.d.next = RingStep::Count;
            }
            RingStep::Count => {
                self.out_valid.next = true;
                if self.out_ready.val() {
                    self.step.d.next = RingStep::Following;
                }
            }
            RingStep::Following => {
                self.step.d.next = RingStep::Fetch;
                if self.at.q.val() == self.read_fill.val() {
                    self.reading.d.next = self.half.q.val();
                    self.newer.d.next = true;
                    self.at.d.next = 0.into();
                    self.step.d.next = RingStep::Count;
                    if self.newer.q.val() {
                        self.step.d.next = RingStep::Over;
                    }
                }
            }
            RingStep::Fetch => {
                self.step.d.next = RingStep::Word;
            }
            RingStep::Word => {
                self.out_valid.next = true;
                self.out_data.next = self.memory.rdata.val();
                if self.out_ready.val() {
                    self.at.d.next = self.at.q.val() + 1;
                    self.step.d.next = RingStep::Following;
                }
            }
            RingStep::Over => {
                self.all_out.next = true;
            }
            _ => {
                self.step.d.next = RingStep::Over;
            }
        }
        if self.reset.val() {
            self.half.d.next = false;
            self.fill_0.d.next = 0.into();
            self.fill_1.d.next = 0.into();
            self.cut_0.d.next = false;
            self.cut_1.d.next = false;
            self.step.d.next = RingStep::Write;
        }
    }
}
