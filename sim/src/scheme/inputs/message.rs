//! Messages of the scheme and their bits, as described in `docs/reference/stream.md`
//!
//! The two-bit kinds are written as they are sent, least significant bit first. A single core has no episodes and no
//! `rice(0)`, unless there are bus masters too ([`super::master`]). Each core has its own means: `rice` of references, `rice'`
//! of instructions.

use super::length::Rice;
use super::InputsParams;
use crate::bits::{BitReader, BitWriter};
use crate::chunk::{self, Chunks};
use crate::message::CodingError;

const SKIPPED: Chunks = Chunks::new(2, 4);
const VALUE: Chunks = Chunks::new(4, 4);
const STOP: Chunks = Chunks::new(8, 8);
/// Initial guesses of the means.
const REFERENCES: u32 = 256;
const INSTRUCTIONS: u32 = 256;
/// Bits of the cause of an interrupt or access fault.
const CAUSE_BITS: u32 = 4;

/// Contents of a message, without the value of an input: that depends on the width of its load, which replay knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// The end of an episode, with its number of references.
    Episode(u32),
    /// A slot whose value is not as predicted; its value follows.
    Input {
        /// Slots since the core's last input message that were as predicted.
        skipped: u32,
    },
    /// An interrupt, or a refused access.
    Trap(Trap),
    /// Signature of the state after the event at which a check is due.
    Check(u32),
    /// The core stops.
    Stop {
        /// Instructions since the core's last trap or check, or its start.
        instructions: u64,
        /// Signature of everything that the core did.
        signature: u32,
    },
}

/// An interrupt or a refused access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trap {
    /// Instructions since the core's last trap or check, or its start.
    pub instructions: u32,
    /// True for an interrupt, false for an access fault.
    pub interrupt: bool,
    /// As in `mcause`, without the interrupt bit. 0..=15.
    pub cause: u8,
}

/// State for writing or reading the messages of one core.
#[derive(Clone, Debug)]
pub struct Coder {
    orders: bool,
    references: Rice,
    instructions: Rice,
    last: Option<(bool, u8)>,
}

impl Coder {
    /// State before the first message of a core.
    pub fn new(params: &InputsParams) -> Self {
        let (references, instructions) = (Rice::new(REFERENCES), Rice::new(INSTRUCTIONS));
        Self { orders: params.orders(), references, instructions, last: None }
    }

    fn escape(&self, kind: u64, out: &mut BitWriter) {
        if self.orders {
            self.references.write(0, out);
        }
        out.push(kind, 2);
    }

    /// Appends a message, without its `Ti` and without the value of an input.
    pub fn write(&mut self, body: &Body, out: &mut BitWriter) {
        match *body {
            Body::Episode(references) => {
                self.references.write(references, out);
                self.references.learn(references);
            }
            Body::Input { skipped } => {
                self.escape(0, out);
                chunk::write(skipped.into(), SKIPPED, out);
            }
            Body::Trap(Trap { instructions, interrupt, cause }) => {
                self.escape(1, out);
                self.instructions.write(instructions, out);
                self.instructions.learn(instructions);
                let same = self.last == Some((interrupt, cause));
                out.push(same.into(), 1);
                if !same {
                    out.push(interrupt.into(), 1);
                    out.push(cause.into(), CAUSE_BITS);
                }
                self.last = Some((interrupt, cause));
            }
            Body::Check(signature) => {
                self.escape(2, out);
                out.push(signature.into(), 32);
            }
            Body::Stop { instructions, signature } => {
                self.escape(3, out);
                chunk::write(instructions, STOP, out);
                out.push(signature.into(), 32);
            }
        }
    }

    /// Reads a message that [`Coder::write`] appended.
    pub fn read<I: Iterator<Item = u32>>(&mut self, input: &mut BitReader<I>) -> Result<Body, CodingError> {
        if self.orders {
            let references = self.references.read(input)?;
            if references != 0 {
                self.references.learn(references);
                return Ok(Body::Episode(references));
            }
        }
        fn take<I: Iterator<Item = u32>>(input: &mut BitReader<I>, bits: u32) -> Result<u64, CodingError> {
            input.take(bits).ok_or(CodingError::Truncated)
        }
        Ok(match take(input, 2)? {
            0 => Body::Input { skipped: chunk::read(SKIPPED, "skipped", 32, input)? as u32 },
            1 => {
                let instructions = self.instructions.read(input)?;
                self.instructions.learn(instructions);
                let (interrupt, cause) = match (take(input, 1)?, self.last) {
                    (1, Some(last)) => last,
                    (1, None) => return Err(CodingError::NoCause),
                    _ => (take(input, 1)? == 1, take(input, CAUSE_BITS)? as u8),
                };
                self.last = Some((interrupt, cause));
                Body::Trap(Trap { instructions, interrupt, cause })
            }
            2 => Body::Check(take(input, 32)? as u32),
            _ => {
                let instructions = chunk::read(STOP, "iCnt", 64, input)?;
                Body::Stop { instructions, signature: take(input, 32)? as u32 }
            }
        })
    }
}

/// Appends the value of an input of `bits` bits (8, 16, 32, 64), as the difference to its prediction.
pub fn write_value(value: u64, predicted: u64, bits: u32, out: &mut BitWriter) {
    let shift = 64 - bits;
    let difference = (value.wrapping_sub(predicted) << shift) as i64 >> shift;
    let zigzag = (difference << 1 ^ difference >> 63) as u64;
    chunk::write(zigzag, VALUE, out);
}

/// Reads the value of an input of `bits` bits.
pub fn read_value<I: Iterator<Item = u32>>(
    predicted: u64,
    bits: u32,
    input: &mut BitReader<I>,
) -> Result<u64, CodingError> {
    let difference = unzigzag(chunk::read(VALUE, "value", bits, input)?);
    Ok(predicted.wrapping_add(difference) & (u64::MAX >> (64 - bits)))
}

/// Reads the zigzag number of a difference, without knowing the width of the value.
pub fn read_difference<I: Iterator<Item = u32>>(input: &mut BitReader<I>) -> Result<u64, CodingError> {
    chunk::read(VALUE, "value", 64, input)
}

/// Decodes a zigzag number.
pub fn unzigzag(zigzag: u64) -> u64 {
    (zigzag >> 1) ^ (zigzag & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::super::params::Sizes;
    use super::*;
    use crate::bits::as_bits;
    use bitvec::prelude::*;
    use proptest::prelude::*;

    fn params(cores: u8) -> InputsParams {
        InputsParams::new(cores, 32, (0x8000_0000, 1 << 16), Sizes::default())
    }

    fn bits(cores: u8, bodies: &[Body]) -> BitVec {
        let (mut coder, mut w) = (Coder::new(&params(cores)), BitWriter::new());
        for body in bodies {
            coder.write(body, &mut w);
        }
        let len = w.len() as usize;
        w.pad();
        as_bits(w.words())[..len].iter().by_vals().collect()
    }

    /// The first mean is 256: k = 8.
    #[test]
    fn messages_worked_by_hand() {
        // 300 = 1 * 256 + 44: one 1, a 0, and 44 = 0010_1100 from the low end
        assert_eq!(bits(2, &[Body::Episode(300)]), bitvec![1, 0, 0, 0, 1, 1, 0, 1, 0, 0]);
        // 0 and eight zeros; 00; 5 = 01_01: 10 1 1000 0
        let input = [Body::Input { skipped: 5 }];
        assert_eq!(bits(2, &input), bitvec![0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 0]);
        assert_eq!(bits(1, &input), bitvec![0, 0, 1, 0, 1, 1, 0, 0, 0, 0]);
        // kind 1, 3 instructions, a new cause: interrupt 7; then the same again after 2: a mean of 224, k = 7
        let trap = |instructions| Body::Trap(Trap { instructions, interrupt: true, cause: 7 });
        let first = bitvec![1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0];
        assert_eq!(bits(1, &[trap(3)]), first);
        assert_eq!(bits(1, &[trap(3), trap(2)])[17..], bitvec![1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1]);
        assert_eq!(bits(1, &[Body::Check(1)])[..4], bitvec![0, 1, 1, 0]);
        assert_eq!(bits(1, &[Body::Check(1)]).len(), 34);
        assert_eq!(bits(1, &[Body::Stop { instructions: 1, signature: 0 }])[..4], bitvec![1, 1, 1, 0]);
    }

    #[test]
    fn a_repeated_cause_without_a_previous_trap_is_rejected() {
        let mut reader = BitReader::new([1u32 | 1 << 11].into_iter());
        assert!(matches!(Coder::new(&params(1)).read(&mut reader), Err(CodingError::NoCause)));
    }

    fn body() -> impl Strategy<Value = Body> {
        let trap = |(instructions, interrupt, cause)| Body::Trap(Trap { instructions, interrupt, cause });
        prop_oneof![
            (1u32..).prop_map(Body::Episode),
            any::<u32>().prop_map(|skipped| Body::Input { skipped }),
            (any::<u32>(), any::<bool>(), 0u8..16).prop_map(trap),
            any::<u32>().prop_map(Body::Check),
            any::<(u64, u32)>().prop_map(|(instructions, signature)| Body::Stop { instructions, signature }),
        ]
    }

    proptest! {
        #[test]
        fn messages_and_values_round_trip(
            bodies in prop::collection::vec(body(), 1..40),
            values in prop::collection::vec((any::<u64>(), any::<u64>(), prop::sample::select(vec![8u32, 16, 32, 64])), 0..20)
        ) {
            let (mut coder, mut w) = (Coder::new(&params(3)), BitWriter::new());
            for b in &bodies {
                coder.write(b, &mut w);
            }
            for (v, p, bits) in &values {
                write_value(v >> (64 - bits), p >> (64 - bits), *bits, &mut w);
            }
            w.pad();
            let words: Vec<u32> = w.drain().collect();
            let (mut coder, mut r) = (Coder::new(&params(3)), BitReader::new(words.into_iter()));
            for b in &bodies {
                prop_assert_eq!(coder.read(&mut r), Ok(*b));
            }
            for (v, p, bits) in &values {
                prop_assert_eq!(read_value(p >> (64 - bits), *bits, &mut r), Ok(v >> (64 - bits)));
            }
        }
    }
}
