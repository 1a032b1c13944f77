//! Replay: follows the shared predictors for the core whose turn it is, up to its next message or the end of its turn

use super::turns::TurnCode;
use crate::bits::BitReader;
use crate::core_trace::replay::{Hart, Harts, MessageError, Path, PathError, ReplaySink};
use crate::message::{Body, CodingError, Message};
use crate::platform::Platform;
use crate::scheme::fields::{Field, Head, Reader};
use crate::scheme::tr::coder::Coder;
use crate::scheme::tr::model::Predictor;
use crate::scheme::tr::replay::{reach_branch, resolve};
use crate::scheme::tr::TrParams;
use crate::scheme::Decode;
use retire::image::Exit;

/// Replay of all cores: the shared predictors, the turns and the message reader.
#[derive(Clone, Debug)]
pub struct Replay {
    // boxed: the tables take several kilobytes
    common: Box<Common>,
    turns: Option<TurnCode>,
    reader: Reader<Coder>,
    /// The core whose turn it is.
    core: u8,
}

/// State that all cores share.
#[derive(Clone, Debug)]
struct Common {
    predictor: Predictor,
    /// Control-flow instructions in this turn.
    length: u64,
}

impl Path for Common {
    #[inline]
    fn follow(&mut self, hart: &mut Hart, exit: &Exit, sink: &mut impl ReplaySink) -> Result<(), PathError> {
        self.length += 1;
        self.predictor.follow(hart, exit, sink)
    }

    // the start of a core clears nothing, because the other cores keep what was learnt
    fn reset(&mut self) {}

    fn rejoin(&mut self) {}
}

impl Replay {
    pub(super) fn new(params: &TrParams, platform: &Platform, reader: Reader<Coder>) -> Self {
        let turns = (platform.cores > 1).then(|| TurnCode::new(platform.cores, platform.ti_bits()));
        let common = Box::new(Common { predictor: Predictor::new(params, platform), length: 0 });
        Self { common, turns, reader, core: 0 }
    }

    /// Reads the end of a turn and advances its core to there.
    fn turn<I: Iterator<Item = u32>>(
        &mut self,
        harts: &mut Harts<'_>,
        bits: &mut BitReader<I>,
        sink: &mut impl ReplaySink,
    ) -> Result<Message, MessageError> {
        let Self { common, turns, reader, core } = self;
        harts.current = Some(*core);
        let turns = turns.as_mut().ok_or(CodingError::Redundant("a turn of the only core"))?;
        let (length, next) = turns.read(*core, |n| reader.bits(Field::Core, n, bits))?;
        if length < common.length {
            return Err(PathError::OutOfPlace("a turn is shorter than the core's progress in it").into());
        }
        if length > common.length {
            let (image, hart) = harts.running(*core)?;
            while common.length < length {
                let exit = hart.run(image)?;
                common.follow(hart, exit, sink)?;
            }
        }
        common.length = 0;
        let message = Message { core: *core, diff_cc: 0, body: Body::Turn { length, next } };
        *core = next;
        Ok(message)
    }
}

impl<'a> Decode<'a> for Replay {
    fn message<I: Iterator<Item = u32>>(
        &mut self,
        harts: &mut Harts<'a>,
        bits: &mut BitReader<I>,
        sink: &mut impl ReplaySink,
    ) -> Result<Message, MessageError> {
        if self.turns.is_some() && self.reader.bits(Field::Core, 1, bits)? == 1 {
            return self.turn(harts, bits, sink);
        }
        let Self { common, reader, core, .. } = self;
        let (diff_cc, count) = match reader.head_of(*core, bits)? {
            Head::Count { diff_cc, count, .. } => (diff_cc, count),
            Head::Escape(message) => {
                harts.escape(&message, common.as_mut(), sink)?;
                return Ok(message);
            }
        };
        let (image, hart) = harts.running(*core)?;
        hart.begin(diff_cc);
        let exit = reach_branch(hart, common.as_mut(), image, count, sink)?;
        hart.cycle += diff_cc;
        common.length += 1;
        let resolved = resolve(&mut common.predictor, reader, (*core, hart), exit, bits, sink)?;
        Ok(Message { core: *core, diff_cc, body: resolved.body(count) })
    }

    // the header is never repeated
    fn header(&mut self) {}

    fn end<I: Iterator<Item = u32>>(&mut self, bits: &mut BitReader<I>) -> Result<(), CodingError> {
        self.reader.flush(bits)
    }
}
