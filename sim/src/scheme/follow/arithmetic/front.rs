//! Front end of one core: a decision for each conditional and each indirect branch, and the code of all of them
//!
//! | branch | in the code |
//! | --- | --- |
//! | conditional | whether the prediction is right |
//! | indirect | the same; if it is not, whether the target is in the dictionary, and its fields in plain bits |
//! | conditional indirect | whether it is taken, undecided; if it is, as an indirect one |
//!
//! In the warm-up, each decision is undecided and nothing is learnt; a conditional is predicted as not taken, and every target is sent.

use super::encoder::Encoder;
use super::probability::{Probabilities, Probability, INDIRECT, IN_DICTIONARY, RETURN, START};
use super::words::{ends, EscapeFields, Record, SYNC_BITS, SYNC_ZEROS};
use crate::bits::{as_bits, BitWriter};
use crate::core_trace::{self, Counters, Out};
use crate::message::{Body, Escape, Message};
use crate::platform::Platform;
use crate::scheme::fields::Writer;
use crate::scheme::follow::predictor::{Predictor, Question};
use crate::scheme::follow::record::{Addresses, Form, Target};
use crate::scheme::follow::sizes::Sizes;
use crate::scheme::Encode;
use retire::isa::Indirect;
use retire::FlowEvent;
use std::convert::Infallible;

/// Front end of one core.
#[derive(Clone, Debug)]
pub struct Front {
    predictor: Predictor,
    code: Code,
    fields: Writer<EscapeFields>,
    header: AfterHeader,
    /// There are several cores.
    several: bool,
}

/// Encoder and probabilities.
#[derive(Clone, Debug)]
struct Code {
    encoder: Encoder,
    probabilities: Probabilities,
    addresses: Addresses,
}

/// What has happened since the header was repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AfterHeader {
    /// The sync and its first word, or there was no header.
    Done,
    /// No sync.
    Waiting,
    /// The sync, but not its first word.
    Synced,
}

/// The context of the prediction for an indirect branch.
#[inline]
pub(super) fn context(kind: Indirect, question: &Question<'_>) -> usize {
    match kind {
        Indirect::Return | Indirect::CoSwap => RETURN,
        Indirect::Jump | Indirect::Call => INDIRECT + usize::from(question.is_sure()),
    }
}

impl Code {
    /// Encodes a target; returns whether it was predicted.
    fn target(&mut self, kind: Indirect, question: Option<&Question<'_>>, e: &FlowEvent) -> bool {
        let Self { encoder, probabilities, addresses } = self;
        let right = question.is_some_and(|q| q.predicted() == e.target);
        match question {
            Some(q) => encoder.decide(&mut probabilities[context(kind, q)], right),
            None => encoder.decide(&mut Probability::default(), right),
        };
        if right {
            return true;
        }
        let target = Target { address: e.target, form: Form::of(question, e.target, e.pc) };
        let mut out = BitWriter::new();
        addresses.write(target, &mut out);
        let bits = out.len() as usize;
        out.pad();
        let mut bits = as_bits(out.words()).iter().take(bits).map(|bit| *bit);
        // the first bit says whether it is in the dictionary; in the warm-up no target is
        let in_dictionary = bits.next() == Some(true);
        if question.is_some() {
            encoder.decide(&mut probabilities[IN_DICTIONARY], in_dictionary);
        }
        bits.for_each(|bit| encoder.plain(bit));
        false
    }
}

impl Front {
    /// State after reset.
    pub fn new(sizes: &Sizes, platform: &Platform) -> Self {
        Self {
            predictor: Predictor::new(sizes, platform),
            code: Code { encoder: Encoder::default(), probabilities: START, addresses: Addresses::new(platform) },
            fields: Writer::new(&Platform { cores: 1, ..*platform }, EscapeFields),
            header: AfterHeader::Done,
            several: platform.cores > 1,
        }
    }

    /// The branch of `e` is in the code: sends complete words.
    #[inline]
    fn decided(&mut self, e: &FlowEvent, core_trace: &mut Counters, out: &mut impl Out<Record>) {
        core_trace.restart_i_cnt();
        if self.code.encoder.has_words() {
            self.words(e.cycle, None, core_trace, out);
        }
    }

    /// Sends the complete words, in the last of which the code `ends`.
    #[inline(never)]
    fn words(&mut self, cycle: u64, ends: Option<Escape>, core_trace: &mut Counters, out: &mut impl Out<Record>) {
        let words = self.code.encoder.words();
        let last = words.len().saturating_sub(1);
        for (i, word) in words.enumerate() {
            let begins = match self.header {
                AfterHeader::Done => None,
                AfterHeader::Waiting => Some(false),
                AfterHeader::Synced => {
                    self.header = AfterHeader::Done;
                    Some(true)
                }
            };
            core_trace.send_waiting(cycle, Record { word, begins, ends: ends.filter(|_| i == last) }, out);
        }
    }

    fn taken_indirect(&mut self, e: &FlowEvent, kind: Indirect, core_trace: &mut Counters) {
        let Self { predictor, code, .. } = self;
        let mut predicted = false;
        let Ok(_) = predictor.indirect(kind, e.pc, e.fall_through(), core_trace.in_warm_up(), |question| {
            predicted = code.target(kind, question.as_ref(), e);
            Ok::<_, Infallible>(e.target)
        });
        core_trace.rates.target_misses += u64::from(!predicted);
    }
}

impl core_trace::Front for Front {
    type Body = Record;
    const PROGRESS: bool = true;

    fn reset(&mut self, _: u64) {
        self.predictor.reset();
        self.code.probabilities = START;
    }

    fn rejoin(&mut self, _: u64) {}

    fn header_repeated(&mut self) {
        self.header = AfterHeader::Waiting;
    }

    #[inline]
    fn conditional(
        &mut self,
        e: &FlowEvent,
        taken: bool,
        core_trace: &mut Counters,
        out: &mut impl Out<Record>,
    ) -> bool {
        let Code { encoder, probabilities, .. } = &mut self.code;
        let mut likely = true;
        let Ok(_) = self.predictor.outcome(e.pc, core_trace.in_warm_up(), |situation| {
            likely = match situation {
                Some(s) => encoder.decide(&mut probabilities[usize::from(s.context)], s.taken == taken),
                None => encoder.decide(&mut Probability::default(), !taken),
            };
            Ok::<_, Infallible>(taken)
        });
        core_trace.rates.outcome_misses += u64::from(!likely);
        self.decided(e, core_trace, out);
        true
    }

    #[inline]
    fn jump(&mut self, e: &FlowEvent, call: bool, core_trace: &mut Counters, _: &mut impl Out<Record>) -> bool {
        if call {
            self.predictor.call(e.fall_through(), core_trace.in_warm_up());
        }
        false
    }

    #[inline]
    fn indirect(
        &mut self,
        e: &FlowEvent,
        kind: Indirect,
        core_trace: &mut Counters,
        out: &mut impl Out<Record>,
    ) -> bool {
        self.taken_indirect(e, kind, core_trace);
        self.decided(e, core_trace, out);
        true
    }

    #[cold]
    fn conditional_indirect(
        &mut self,
        e: &FlowEvent,
        kind: Indirect,
        taken: bool,
        core_trace: &mut Counters,
        out: &mut impl Out<Record>,
    ) -> bool {
        self.code.encoder.decide(&mut Probability::default(), taken);
        match taken {
            true => self.taken_indirect(e, kind, core_trace),
            false => core_trace.rates.target_misses += 1,
        }
        self.decided(e, core_trace, out);
        true
    }

    fn escape(&mut self, cycle: u64, escape: Escape, core_trace: &mut Counters, out: &mut impl Out<Record>) {
        core_trace.restart_i_cnt();
        let encoder = &mut self.code.encoder;
        encoder.escape();
        let mut fields = BitWriter::new();
        self.fields.encode(&Message { core: 0, diff_cc: 0, body: Body::Escape(escape) }, &mut fields);
        if let (Escape::Sync { .. }, true) = (escape, self.several) {
            while fields.len() < SYNC_BITS {
                fields.push(0, SYNC_ZEROS);
            }
        }
        let bits = fields.len() as usize;
        fields.pad();
        as_bits(fields.words()).iter().take(bits).for_each(|bit| encoder.plain(*bit));
        let last = Some(escape).filter(ends);
        if last.is_some() {
            encoder.flush();
        }
        if let (Escape::Sync { .. }, AfterHeader::Waiting) = (escape, self.header) {
            self.header = AfterHeader::Synced;
        }
        self.words(cycle, last, core_trace, out);
    }
}
