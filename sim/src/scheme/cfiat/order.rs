//! Order in which cores use a shared cache
//!
//! If several cores share a cache, a bit 0 precedes every record, and the end of a turn may come before it: a bit 1 and a
//! [`TurnCode`], which gives the next core and the length of the turn that ends. The length counts the operations whose order
//! matters: loads and stores in memory, and every `sc` when it begins, successful or not. The first turn is that of core 0;
//! the last one ends with the stream.

use super::CfiatParams;
use crate::bits::{BitReader, BitWriter};
use crate::message::CodingError;
use crate::scheme::shared::turns::TurnCode;
use std::collections::VecDeque;

/// Writer of the order.
#[derive(Clone, Debug)]
pub struct Order {
    code: TurnCode,
    core: u8,
    length: u64,
    /// Number of turns so far.
    pub turns: u64,
    /// Bits of the turns, and of the bits that precede records.
    pub bits: u64,
}

impl Order {
    /// A writer, if there are several cores with one cache.
    pub fn new(params: &CfiatParams) -> Option<Self> {
        let is = params.sizes.shared && params.cores > 1;
        is.then(|| Self { code: code(params), core: 0, length: 0, turns: 0, bits: 0 })
    }

    /// Takes an operation of `core`; begins a turn if another core was last.
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

    /// Announces a record.
    pub fn record(&mut self, out: &mut BitWriter) {
        out.push(0, 1);
        self.bits += 1;
    }
}

fn code(params: &CfiatParams) -> TurnCode {
    TurnCode::new(params.cores, params.ti_bits())
}

/// Reader of the order.
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
        turns.drop_finished();
        turns
    }
}

/// Remaining turns, each with its core and the operations left in it. The last turn has no end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turns(VecDeque<(u8, u64)>);

impl Turns {
    fn drop_finished(&mut self) {
        while self.0.front().is_some_and(|(_, left)| *left == 0) {
            self.0.pop_front();
        }
    }

    /// The core whose turn it is.
    pub fn core(&self) -> Option<u8> {
        self.0.front().map(|(core, _)| *core)
    }

    /// Takes an operation of `core`; returns false if it is not its turn.
    pub fn take(&mut self, core: u8) -> bool {
        match self.0.front_mut() {
            Some((whose, left)) if *whose == core => *left -= 1,
            _ => return false,
        }
        self.drop_finished();
        true
    }

    /// Whether only the last turn is left.
    pub fn is_over(&self) -> bool {
        self.0.len() == 1
    }
}
