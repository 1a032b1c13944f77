//! The chunked encodings: `tr_b`, `tr_e` and every other choice of chunk sizes, and `nx_b`
//!
//! Field order and escape kinds: `docs/stream.md`. `nx_b` is the same with SL for bCnt.
//!
//! # Source
//! Paper 000 section 4, table 3 and figure 7; paper 002 section 4 and table 2 (taken bit).

use super::chunk;
use super::{CodingError, Head, State};
use crate::bits::{BitReader, BitWriter};
use crate::message::{Body, Escape, Message};
use crate::params::Coding;

const SYNC: u64 = 0;
const OVERFLOW: u64 = 1;
const STOP: u64 = 2;
const PROGRESS: u64 = 3;

fn write_address(state: &mut State, coding: &Coding, core: u8, address: u64, out: &mut BitWriter) {
    let (diff, negative) = state.difference(core, address);
    chunk::write(diff, coding.diff_ta, out);
    out.push(negative.into(), 1);
}

pub(super) fn write(state: &mut State, coding: &Coding, message: &Message, out: &mut BitWriter) {
    let core = message.core;
    if state.params.timestamps {
        chunk::write(message.diff_cc, coding.diff_cc, out);
    }
    out.push(core.into(), state.params.ti_bits());
    match message.body {
        Body::Outcome { count } => chunk::write(count, coding.b_cnt, out),
        Body::Target { count, target } => {
            chunk::write(count, coding.b_cnt, out);
            write_address(state, coding, core, target, out);
        }
        Body::NotTaken { count } => {
            chunk::write(count, coding.b_cnt, out);
            out.push(0, 1);
        }
        Body::Taken { count, target } => {
            chunk::write(count, coding.b_cnt, out);
            out.push(1, 1);
            write_address(state, coding, core, target, out);
        }
        Body::Stream { length, target } => {
            chunk::write(length, coding.b_cnt, out);
            if let Some(target) = target {
                write_address(state, coding, core, target, out);
            }
        }
        Body::Hits { .. } | Body::Index { .. } | Body::Descriptor { .. } => {
            unreachable!("only the scheme sc-lsp makes these")
        }
        Body::Escape(escape) => {
            chunk::write(0, coding.b_cnt, out);
            match escape {
                Escape::Exception { i_cnt, target } => {
                    out.push(0, 1);
                    chunk::write(i_cnt, coding.i_cnt, out);
                    write_address(state, coding, core, target, out);
                }
                Escape::Sync { i_cnt, pc } => {
                    out.push(1 | SYNC << 1, 4);
                    chunk::write(i_cnt, coding.i_cnt, out);
                    write_address(state, coding, core, pc, out);
                }
                Escape::Overflow { i_cnt, lost } => {
                    out.push(1 | OVERFLOW << 1, 4);
                    chunk::write(i_cnt, coding.i_cnt, out);
                    chunk::write(lost, coding.i_cnt, out);
                }
                Escape::Stop { i_cnt } => {
                    out.push(1 | STOP << 1, 4);
                    chunk::write(i_cnt, coding.i_cnt, out);
                }
                Escape::Progress { i_cnt } => {
                    out.push(1 | PROGRESS << 1, 4);
                    chunk::write(i_cnt, coding.i_cnt, out);
                }
            }
        }
    }
}

pub(super) fn address<I: Iterator<Item = u32>>(
    state: &mut State,
    coding: &Coding,
    core: u8,
    bits: &mut BitReader<I>,
) -> Result<u64, CodingError> {
    let diff = chunk::read(coding.diff_ta, "|diffTA|", state.params.address_bits(), bits)?;
    let negative = bits.take(1).ok_or(CodingError::Truncated)? == 1;
    if diff == 0 && negative {
        return Err(CodingError::NegativeZero);
    }
    Ok(state.address(core, diff, negative))
}

#[inline]
pub(super) fn head<I: Iterator<Item = u32>>(
    state: &mut State,
    coding: &Coding,
    bits: &mut BitReader<I>,
) -> Result<Head, CodingError> {
    let p = state.params;
    let diff_cc = if p.timestamps { chunk::read(coding.diff_cc, "diffCC", p.cc_bits.into(), bits)? } else { 0 };
    let core = bits.take(p.ti_bits()).ok_or(CodingError::Truncated)?;
    if core >= p.cores.into() {
        return Err(CodingError::Core { found: core, cores: p.cores });
    }
    let core = core as u8;
    let count = chunk::read(coding.b_cnt, "bCnt", p.count_bits.into(), bits)?;
    if count != 0 {
        return Ok(Head::Count { core, diff_cc, count });
    }
    let mut take = |n| bits.take(n).ok_or(CodingError::Truncated);
    let kind = if take(1)? == 0 { None } else { Some(take(3)?) };
    if let Some(kind @ 4..) = kind {
        return Err(CodingError::Kind(kind));
    }
    let i_cnt = chunk::read(coding.i_cnt, "iCnt", p.count_bits.into(), bits)?;
    let escape = match kind {
        None => Escape::Exception { i_cnt, target: address(state, coding, core, bits)? },
        Some(SYNC) => {
            state.pta[usize::from(core)] = 0;
            Escape::Sync { i_cnt, pc: address(state, coding, core, bits)? }
        }
        Some(OVERFLOW) => {
            Escape::Overflow { i_cnt, lost: chunk::read(coding.i_cnt, "lost", p.count_bits.into(), bits)? }
        }
        Some(STOP) => Escape::Stop { i_cnt },
        Some(_) => Escape::Progress { i_cnt },
    };
    Ok(Head::Escape(Message { core, diff_cc, body: Body::Escape(escape) }))
}
