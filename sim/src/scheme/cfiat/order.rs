//! The order in which cores use a shared cache
//!
//! With one cache for several cores every record has a bit 0 in front, and between records stand turns: a bit 1, and what
//! [`TurnCode`] says, who is next and how long the turn was that ends. Its length counts what the order of matters: loads and stores in
//! memory, and every `sc` as it begins, stored or not. The first turn is that of core 0; the last one ends with the stream.

use super::CfiatParams;
use crate::bits::{BitReader, BitWriter};
use crate::message::CodingError;
use crate::scheme::shared::turns::TurnCode;
use std::collections::VecDeque;

/// Writes it.
#[derive(Clone, Debug)]
pub struct Order {
    code: TurnCode,
    core: u8,
    length: u64,
    /// Turns so far.
    pub turns: u64,
    /// Bits of them, and those in front of the records.
    pub bits: u64,
}

impl Order {
    /// Where there is one: of several cores with one cache.
    pub fn new(params: &CfiatParams) -> Option<Self> {
        let is = params.sizes.shared && params.cores > 1;
        is.then(|| Self { code: code(params), core: 0, length: 0, turns: 0, bits: 0 })
    }

    /// `core` uses the cache.
    pub fn step(&mut self, core: u8, out: &mut BitWriter) {
        if core != self.core {
            let before = out.len();
            out.push(1, 1);
            let length = std::mem::take(&mut self.length);
            self.code.write(self.core, length, core, |value, bits| out.push(value, bits));
            self.core = core;
            self.turns += 1;
            self.bits += out.len() - before;
        }
        self.length += 1;
    }

    /// A record follows.
    pub fn record(&mut self, out: &mut BitWriter) {
        out.push(0, 1);
        self.bits += 1;
    }
}

fn code(params: &CfiatParams) -> TurnCode {
    TurnCode::new(params.cores, params.ti_bits())
}

/// Reads it.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    code: TurnCode,
    core: u8,
    turns: VecDeque<(u8, u64)>,
}

impl Reader {
    pub(super) fn new(params: &CfiatParams) -> Option<Self> {
        Order::new(params).map(|_| Self { code: code(params), core: 0, turns: VecDeque::new() })
    }

    /// Reads up to the next record.
    pub(super) fn up_to_record<I: Iterator<Item = u32>>(
        &mut self,
        input: &mut BitReader<I>,
    ) -> Result<(), CodingError> {
        let mut take = |bits| input.take(bits).ok_or(CodingError::Truncated);
        while take(1)? == 1 {
            let (length, next) = self.code.read(self.core, &mut take)?;
            self.turns.push_back((self.core, length));
            self.core = next;
        }
        Ok(())
    }

    pub(super) fn turns(self) -> Turns {
        let mut turns = self.turns;
        turns.push_back((self.core, u64::MAX));
        let mut turns = Turns(turns);
        turns.settle();
        turns
    }
}

/// Whose turn it is, and how much of it is left. The last turn has no end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turns(VecDeque<(u8, u64)>);

impl Turns {
    fn settle(&mut self) {
        while self.0.front().is_some_and(|(_, left)| *left == 0) {
            self.0.pop_front();
        }
    }

    /// Whose turn it is.
    pub fn core(&self) -> Option<u8> {
        self.0.front().map(|(core, _)| *core)
    }

    /// `core` uses the cache, if it is its turn.
    pub fn take(&mut self, core: u8) -> bool {
        match self.0.front_mut() {
            Some((whose, left)) if *whose == core => *left -= 1,
            _ => return false,
        }
        self.settle();
        true
    }

    /// Whether no turn is left but the last.
    pub fn is_over(&self) -> bool {
        self.0.len() == 1
    }
}
