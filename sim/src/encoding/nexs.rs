//! `nexs`: the Nexus-like encoding in 8-bit units
//!
//! Every field is cut into groups of 6 bits, low group first, each behind a 2-bit header; leading zero
//! groups are not sent. Fields in order: `[diffCC] Ti SL TA`, with `Ti` raw and TA sent as TA xor the
//! previous TA of the core.
//!
//! | header | meaning |
//! | ---: | --- |
//! | 0 | the field goes on |
//! | 1 | last group of the field, another field follows |
//! | 3 | last group of the message |
//!
//! SL = 0 is the escape, followed by a group with the kind (0 exception, 1 sync, 2 overflow, 3 stop,
//! 4 progress), `iCnt`, and the address or `lost` where the kind has one.
//!
//! # Source
//! Paper 002 section 5.3: `<SL, TA>` pairs, TA xor previous TA, groups of 6 bits with a 2-bit header.
//! The header values are Nexus' (IEEE-ISTO 5001 MSEO); escape kinds and diffCC are this project's.

use super::{CodingError, Head, State};
use crate::bits::{BitReader, BitWriter};
use crate::message::{Body, Escape, Message};

const END_FIELD: u64 = 1;
const END_MESSAGE: u64 = 3;

fn write_field(mut value: u64, end: u64, out: &mut BitWriter) {
    while value >> 6 != 0 {
        out.push((value & 63) << 2, 8);
        value >>= 6;
    }
    out.push(value << 2 | end, 8);
}

fn xor(state: &mut State, core: u8, address: u64) -> u64 {
    let address = address >> state.params.align & (u64::MAX >> (64 - state.params.address_bits()));
    address ^ std::mem::replace(&mut state.pta[usize::from(core)], address)
}

pub(super) fn write(state: &mut State, message: &Message, out: &mut BitWriter) {
    let core = message.core;
    if state.params.timestamps {
        write_field(message.diff_cc, END_FIELD, out);
    }
    out.push(core.into(), state.params.ti_bits());
    match message.body {
        Body::Stream { length, target: None } => write_field(length, END_MESSAGE, out),
        Body::Stream { length, target: Some(target) } => {
            write_field(length, END_FIELD, out);
            write_field(xor(state, core, target), END_MESSAGE, out);
        }
        Body::Escape(escape) => {
            write_field(0, END_FIELD, out);
            let (kind, i_cnt) = match escape {
                Escape::Exception { i_cnt, .. } => (0, i_cnt),
                Escape::Sync { i_cnt, .. } => (1, i_cnt),
                Escape::Overflow { i_cnt, .. } => (2, i_cnt),
                Escape::Stop { i_cnt } => (3, i_cnt),
                Escape::Progress { i_cnt } => (4, i_cnt),
            };
            write_field(kind, END_FIELD, out);
            match escape {
                Escape::Exception { target: a, .. } | Escape::Sync { pc: a, .. } => {
                    write_field(i_cnt, END_FIELD, out);
                    write_field(xor(state, core, a), END_MESSAGE, out);
                }
                Escape::Overflow { lost, .. } => {
                    write_field(i_cnt, END_FIELD, out);
                    write_field(lost, END_MESSAGE, out);
                }
                Escape::Stop { .. } | Escape::Progress { .. } => write_field(i_cnt, END_MESSAGE, out),
            }
        }
        _ => unreachable!("the nexs scheme makes stream messages only"),
    }
}

/// Reads a field of at most `width` bits; returns it and whether the message ends with it.
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

pub(super) fn address<I: Iterator<Item = u32>>(
    state: &mut State,
    core: u8,
    bits: &mut BitReader<I>,
) -> Result<u64, CodingError> {
    let (diff, end) = read_field("TA", state.params.address_bits(), bits)?;
    if !end {
        return Err(CodingError::UnexpectedTarget);
    }
    let pta = &mut state.pta[usize::from(core)];
    *pta ^= diff;
    Ok(*pta << state.params.align)
}

pub(super) fn head<I: Iterator<Item = u32>>(
    state: &mut State,
    target_follows: &mut bool,
    bits: &mut BitReader<I>,
) -> Result<Head, CodingError> {
    let p = state.params;
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
        *target_follows = !end;
        return Ok(Head::Count { core, diff_cc, count });
    }
    not_last((count, end))?;
    let kind = not_last(read_field("kind", 6, bits)?)?;
    let (i_cnt, end) = read_field("iCnt", count_bits, bits)?;
    if end != (kind == 3 || kind == 4) {
        return Err(CodingError::Truncated);
    }
    let escape = match kind {
        0 => Escape::Exception { i_cnt, target: address(state, core, bits)? },
        1 => {
            state.pta[usize::from(core)] = 0;
            Escape::Sync { i_cnt, pc: address(state, core, bits)? }
        }
        2 => Escape::Overflow { i_cnt, lost: read_field("lost", count_bits, bits)?.0 },
        3 => Escape::Stop { i_cnt },
        4 => Escape::Progress { i_cnt },
        _ => return Err(CodingError::Kind(kind)),
    };
    Ok(Head::Escape(Message { core, diff_cc, body: Body::Escape(escape) }))
}
