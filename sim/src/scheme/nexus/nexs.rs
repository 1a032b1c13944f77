//! `nexs`: the Nexus-like encoding in 8-bit units
//!
//! Every field is split into groups of 6 bits, low group first, each after a 2-bit header; leading zero
//! groups are not sent. Fields in order: `[diffCC] Ti SL TA`, with `Ti` raw and TA sent as TA xor the
//! previous TA of the core.
//!
//! | header | meaning |
//! | ---: | --- |
//! | 0 | the field continues |
//! | 1 | last group of the field, another field follows |
//! | 3 | last group of the message |
//!
//! SL = 0 is the escape, followed by a group with the kind (0 exception, 1 sync, 2 overflow, 3 stop,
//! 4 progress), `iCnt`, and the address or `lost` for kinds that have one.
//!
//! # Source
//! Paper 002 section 5.3: `<SL, TA>` pairs, TA xor previous TA, groups of 6 bits with a 2-bit header.
//! The header values are Nexus' (IEEE-ISTO 5001 MSEO); escape kinds and diffCC are this project's.

use crate::bits::{BitReader, BitWriter};
use crate::lengths::FieldLengths;
use crate::message::{Body, CodingError, Escape, Message};
use crate::platform::Platform;
use crate::scheme::fields::{Addresses, Head};
use crate::scheme::Encode;

const END_FIELD: u64 = 1;
const END_MESSAGE: u64 = 3;

fn write_field(mut value: u64, end: u64, out: &mut BitWriter) {
    while value >> 6 != 0 {
        out.push((value & 63) << 2, 8);
        value >>= 6;
    }
    out.push(value << 2 | end, 8);
}

/// Writes the messages of all cores.
#[derive(Clone, Debug)]
pub struct Writer {
    platform: Platform,
    addresses: Addresses,
}

impl Writer {
    /// State at the beginning of a stream.
    pub fn new(platform: &Platform) -> Self {
        Self { platform: *platform, addresses: Addresses::new(platform) }
    }

    fn address(&mut self, core: u8, address: u64, out: &mut BitWriter) {
        let (previous, address) = self.addresses.replace(core, address);
        write_field(address ^ previous, END_MESSAGE, out);
    }

    fn escape(&mut self, core: u8, escape: Escape, out: &mut BitWriter) {
        write_field(0, END_FIELD, out);
        let kind = match escape {
            Escape::Exception { .. } => 0,
            Escape::Sync { .. } => 1,
            Escape::Overflow { .. } | Escape::Resync { .. } => 2,
            Escape::Stop { .. } => 3,
            Escape::Progress { .. } => 4,
            Escape::Context { .. } => unreachable!("a platform with contexts is refused"),
        };
        write_field(kind, END_FIELD, out);
        match escape {
            Escape::Exception { i_cnt, target, .. } => {
                write_field(i_cnt, END_FIELD, out);
                self.address(core, target, out);
            }
            Escape::Sync { i_cnt, pc, .. } => {
                write_field(i_cnt, END_FIELD, out);
                self.addresses.forget(core);
                self.address(core, pc, out);
            }
            Escape::Overflow { i_cnt, lost } => {
                write_field(i_cnt, END_FIELD, out);
                write_field(lost, END_MESSAGE, out);
            }
            Escape::Resync { i_cnt, .. } => {
                write_field(i_cnt, END_FIELD, out);
                write_field(0, END_MESSAGE, out);
            }
            Escape::Stop { i_cnt, .. } | Escape::Progress { i_cnt, .. } | Escape::Context { i_cnt, .. } => {
                write_field(i_cnt, END_MESSAGE, out)
            }
        }
        if let Some(signature) = escape.signature() {
            out.push(signature.into(), self.platform.signature.into());
        }
    }
}

impl Encode for Writer {
    fn encode(&mut self, message: &Message, out: &mut BitWriter) {
        let core = message.core;
        if self.platform.timestamps {
            write_field(message.diff_cc, END_FIELD, out);
        }
        out.push(core.into(), self.platform.ti_bits());
        match message.body {
            Body::Stream { length, target: None } => write_field(length, END_MESSAGE, out),
            Body::Stream { length, target: Some(target) } => {
                write_field(length, END_FIELD, out);
                self.address(core, target, out);
            }
            Body::Escape(escape) => self.escape(core, escape, out),
            Body::Outcome { .. }
            | Body::Target { .. }
            | Body::NotTaken { .. }
            | Body::Taken { .. }
            | Body::Hits { .. }
            | Body::Index { .. }
            | Body::Descriptor { .. }
            | Body::Turn { .. }
            | Body::Word { .. } => unreachable!("the front end makes stream messages only"),
        }
    }

    fn flush(&mut self, _: &mut BitWriter) {}

    fn count_lengths(&mut self) {}

    // all groups have the same size
    fn lengths(&self) -> Option<&FieldLengths> {
        None
    }
}

/// Reads a field of at most `width` bits; returns it, and whether it ends the message.
fn read_field<I: Iterator<Item = u32>>(
    field: &'static str,
    width: u32,
    bits: &mut BitReader<I>,
) -> Result<(u64, bool), CodingError> {
    let mut value = 0u64;
    let mut at = 0;
    loop {
        let group = bits.take(8).ok_or(CodingError::Truncated)?;
        let (data, header) = (group >> 2, group & 3);
        if at >= 64 || (at > 58 && data >> (64 - at) != 0) {
            return Err(CodingError::TooWide { field, bits: width });
        }
        value |= data << at;
        at += 6;
        match header {
            0 => {}
            2 => return Err(CodingError::Kind(2)),
            _ if data == 0 && at > 6 => return Err(CodingError::ZeroChunk(field)),
            _ if width < 64 && value >> width != 0 => return Err(CodingError::TooWide { field, bits: width }),
            _ => return Ok((value, header == END_MESSAGE)),
        }
    }
}

/// Reads the messages of all cores.
#[derive(Clone, Debug)]
pub struct Reader {
    platform: Platform,
    addresses: Addresses,
    /// The last head announced a target.
    target_follows: bool,
}

impl Reader {
    /// State at the beginning of a stream.
    pub fn new(platform: &Platform) -> Self {
        Self { platform: *platform, addresses: Addresses::new(platform), target_follows: false }
    }

    fn address<I: Iterator<Item = u32>>(&mut self, core: u8, bits: &mut BitReader<I>) -> Result<u64, CodingError> {
        let (diff, end) = read_field("TA", self.platform.address_bits(), bits)?;
        if !end {
            return Err(CodingError::UnexpectedTarget);
        }
        Ok(self.addresses.update(core, |previous| previous ^ diff))
    }

    /// Reads the target that follows a head, for an indirect branch of `core`.
    pub fn target<I: Iterator<Item = u32>>(&mut self, core: u8, bits: &mut BitReader<I>) -> Result<u64, CodingError> {
        if self.target_follows {
            self.address(core, bits)
        } else {
            Err(CodingError::NoTarget)
        }
    }

    /// Checks that no target was sent: the reported branch is direct.
    pub fn no_target(&mut self) -> Result<(), CodingError> {
        if std::mem::take(&mut self.target_follows) {
            Err(CodingError::UnexpectedTarget)
        } else {
            Ok(())
        }
    }

    /// Reads a signature, if messages carry one.
    fn signature<I: Iterator<Item = u32>>(&self, bits: &mut BitReader<I>) -> Result<Option<u16>, CodingError> {
        match self.platform.signature {
            0 => Ok(None),
            width => Ok(Some(bits.take(width.into()).ok_or(CodingError::Truncated)? as u16)),
        }
    }

    /// Reads the head of the next message.
    pub fn head<I: Iterator<Item = u32>>(&mut self, bits: &mut BitReader<I>) -> Result<Head, CodingError> {
        let p = self.platform;
        let count_bits = u32::from(p.count_bits);
        let not_last = |(value, end): (u64, bool)| if end { Err(CodingError::Truncated) } else { Ok(value) };
        let diff_cc = if p.timestamps { not_last(read_field("diffCC", p.cc_bits.into(), bits)?)? } else { 0 };
        let core = bits.take(p.ti_bits()).ok_or(CodingError::Truncated)?;
        if core >= p.cores.into() {
            return Err(CodingError::Core { found: core, cores: p.cores });
        }
        let core = core as u8;
        let (count, end) = read_field("SL", count_bits, bits)?;
        if count != 0 {
            self.target_follows = !end;
            return Ok(Head::Count { core, diff_cc, count });
        }
        not_last((count, end))?;
        let kind = not_last(read_field("kind", 6, bits)?)?;
        let (i_cnt, end) = read_field("iCnt", count_bits, bits)?;
        if end != (kind == 3 || kind == 4) {
            return Err(CodingError::Truncated);
        }
        let escape = match kind {
            0 => Escape::Exception { i_cnt, target: self.address(core, bits)?, context: None },
            1 => {
                self.addresses.forget(core);
                Escape::Sync { i_cnt, pc: self.address(core, bits)?, context: None }
            }
            2 => match read_field("lost", count_bits, bits)?.0 {
                0 => Escape::Resync { i_cnt, signature: self.signature(bits)? },
                lost => Escape::Overflow { i_cnt, lost },
            },
            3 => Escape::Stop { i_cnt, signature: self.signature(bits)? },
            4 => Escape::Progress { i_cnt, signature: self.signature(bits)? },
            _ => return Err(CodingError::Kind(kind)),
        };
        Ok(Head::Escape(Message { core, diff_cc, body: Body::Escape(escape) }))
    }
}
