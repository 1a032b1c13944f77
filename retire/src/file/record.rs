//! Records of retire files: compact encodings of events and data
//!
//! Numbers are LEB128; differences of addresses are zigzag-coded. "Previous" means the previous one of the same hart in
//! the block; its values are 0 at the start of the block.
//!
//! | event | |
//! | --- | --- |
//! | byte | [`FlowKind::code`]; bit 5: the record ends with a length, which is neither 2 nor 4; bit 6: the length is 2; bit 7: goes to the fall-through |
//! | `count` | |
//! | `pc` | difference from the previous target |
//! | `target` | difference from `pc`; omitted with bit 7 |
//! | `cycle` | difference from the previous event |
//! | cause; lost; context | of a trap; of a gap; of a context: mode and address space |
//! | length | a byte, with bit 5 |
//!
//! | datum | |
//! | --- | --- |
//! | byte | 0 load, 1 store, 2 CSR, 3 register, 4 imported, 5 float register; bits 4:3: size as a power of 2, or bit 3: `reported` |
//! | `pc`, `cycle` | differences from the previous datum |
//! | load, store | address, as a difference from the previous one; value |
//! | CSR, register, float register | number, value |
//! | imported | bytes kind and length, count, target as a difference from `pc` |

use crate::isa::Indirect;
use crate::{Context, DataEvent, DataKind, FlowEvent, FlowKind};

/// Flag: the instruction is 2 bytes long, not 4.
const TWO_BYTES: u8 = 0x40;
/// Flag: the instruction is neither 2 nor 4 bytes long; the record ends with its length.
const HAS_LENGTH: u8 = 0x20;
/// Flag: the target is the fall-through.
const FALL_THROUGH: u8 = 0x80;
/// Maximum length of a record, bytes.
pub const MAX_RECORD_BYTES: usize = 64;

/// Error of decoding bytes that are not a record.
#[derive(Debug)]
pub enum RecordError {
    /// The bytes end inside the record.
    Truncated,
    /// The content is invalid.
    Invalid(String),
}

/// Previous values of one hart, for differences.
#[derive(Clone, Copy, Debug, Default)]
pub struct Previous {
    target: u64,
    /// Cycle of the last event.
    pub cycle: u64,
    data_pc: u64,
    data_cycle: u64,
    addr: u64,
}

/// Appends a number.
pub(crate) fn put(mut v: u64, out: &mut Vec<u8>) {
    while v >= 0x80 {
        out.push(v as u8 | 0x80);
        v >>= 7;
    }
    out.push(v as u8);
}

/// Appends an address, as a difference from `before`.
pub(crate) fn put_difference(v: u64, before: u64, out: &mut Vec<u8>) {
    let v = v.wrapping_sub(before);
    put(v << 1 ^ ((v as i64) >> 63) as u64, out);
}

/// Appends an event.
#[inline]
pub fn put_event(e: &FlowEvent, before: &mut Previous, out: &mut Vec<u8>) {
    let length = match e.len {
        2 => TWO_BYTES,
        0 | 4 => 0,
        _ => HAS_LENGTH,
    };
    let through = e.target == e.fall_through();
    out.push(e.kind.code() | length | if through { FALL_THROUGH } else { 0 });
    put(e.count.into(), out);
    put_difference(e.pc, before.target, out);
    if !through {
        put_difference(e.target, e.pc, out);
    }
    put(e.cycle.wrapping_sub(before.cycle), out);
    match e.kind {
        FlowKind::Trap { cause, .. } => put(cause.into(), out),
        FlowKind::Gap { lost } => put(lost.into(), out),
        FlowKind::Context { context, .. } => put(context.0.into(), out),
        _ => {}
    }
    if length == HAS_LENGTH {
        out.push(e.len);
    }
    before.target = e.target;
    before.cycle = e.cycle;
}

/// Appends a datum.
pub fn put_data(d: &DataEvent, before: &mut Previous, out: &mut Vec<u8>) {
    let size = |size: u8| (size.trailing_zeros() as u8) << 3;
    out.push(match d.kind {
        DataKind::Load { size: s, .. } => size(s),
        DataKind::Store { size: s, .. } => 1 | size(s),
        DataKind::Csr { .. } => 2,
        DataKind::Register { .. } => 3,
        DataKind::Imported { reported, .. } => 4 | u8::from(reported) << 3,
        DataKind::Float { .. } => 5,
    });
    put_difference(d.pc, before.data_pc, out);
    put(d.cycle.wrapping_sub(before.data_cycle), out);
    match d.kind {
        DataKind::Load { addr, value, .. } | DataKind::Store { addr, value, .. } => {
            put_difference(addr, before.addr, out);
            put(value, out);
            before.addr = addr;
        }
        DataKind::Csr { csr, value } => {
            put(csr.into(), out);
            put(value, out);
        }
        DataKind::Register { rd, value } | DataKind::Float { rd, value } => {
            put(rd.into(), out);
            put(value, out);
        }
        DataKind::Imported { kind, len, count, target, .. } => {
            out.extend([kind, len]);
            put(count.into(), out);
            put_difference(target, d.pc, out);
        }
    }
    before.data_pc = d.pc;
    before.data_cycle = d.cycle;
}

/// A cursor over bytes.
#[derive(Clone, Copy, Debug)]
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    /// The next `n` bytes.
    pub(crate) fn take(&mut self, n: usize) -> Result<&'a [u8], RecordError> {
        let (first, rest) = self.0.split_at_checked(n).ok_or(RecordError::Truncated)?;
        self.0 = rest;
        Ok(first)
    }

    /// The next byte.
    #[inline(always)]
    pub fn byte(&mut self) -> Result<u8, RecordError> {
        let (first, rest) = self.0.split_first().ok_or(RecordError::Truncated)?;
        self.0 = rest;
        Ok(*first)
    }

    /// Reads a number.
    #[inline(always)]
    pub(crate) fn number(&mut self) -> Result<u64, RecordError> {
        let first = self.byte()?;
        if first < 0x80 {
            return Ok(first.into());
        }
        self.long(first)
    }

    #[inline]
    fn long(&mut self, first: u8) -> Result<u64, RecordError> {
        let mut v = u64::from(first & 0x7f);
        for shift in (7..64).step_by(7) {
            let b = self.byte()?;
            v |= u64::from(b & 0x7f) << shift;
            if b < 0x80 {
                return Ok(v);
            }
        }
        Err(RecordError::Invalid("a number of more than 64 bits".into()))
    }

    /// Reads an address that was written as a difference from `before`.
    #[inline(always)]
    pub(crate) fn difference(&mut self, before: u64) -> Result<u64, RecordError> {
        let v = self.number()?;
        Ok(before.wrapping_add(v >> 1 ^ (v & 1).wrapping_neg()))
    }

    /// Reads a number that must fit in a smaller type.
    #[inline(always)]
    pub(crate) fn small<T: TryFrom<u64>>(&mut self, what: &str) -> Result<T, RecordError> {
        let v = self.number()?;
        T::try_from(v).map_err(|_| RecordError::Invalid(format!("{what} of {v}")))
    }

    /// Decodes an event whose first byte was `byte`.
    #[inline(always)]
    pub fn event(&mut self, byte: u8, hart: u8, before: &mut Previous) -> Result<FlowEvent, RecordError> {
        let count = self.small("a count")?;
        let pc = self.difference(before.target)?;
        let to = if byte & FALL_THROUGH == 0 { Some(self.difference(pc)?) } else { None };
        let cycle = before.cycle.wrapping_add(self.number()?);
        let code = byte & !(TWO_BYTES | HAS_LENGTH | FALL_THROUGH);
        let kind = match code {
            0 => FlowKind::Start,
            1 | 2 => FlowKind::Conditional { taken: code == 2 },
            3 => FlowKind::Jump,
            4 => FlowKind::Call,
            5 => FlowKind::IndirectJump,
            6 => FlowKind::IndirectCall,
            7 => FlowKind::Return,
            8 => FlowKind::CoSwap,
            9 => FlowKind::TrapReturn,
            10 | 11 => FlowKind::ConditionalIndirect { how: Indirect::Jump, taken: code == 11 },
            12 | 13 => FlowKind::Trap { interrupt: code == 13, cause: self.small("a cause")? },
            14 => FlowKind::Stop,
            15 => FlowKind::Gap { lost: self.small("a number of lost instructions")? },
            16 | 17 => FlowKind::ConditionalIndirect { how: Indirect::Call, taken: code == 17 },
            18 | 19 => FlowKind::ConditionalIndirect { how: Indirect::Return, taken: code == 19 },
            20 | 21 => FlowKind::ConditionalIndirect { how: Indirect::CoSwap, taken: code == 21 },
            22 | 23 => FlowKind::Context { context: Context(self.small("a context")?), alone: code == 23 },
            _ => return Err(RecordError::Invalid(format!("event kind 0x{byte:02x} is not defined"))),
        };
        let len = match byte & (TWO_BYTES | HAS_LENGTH) {
            _ if !kind.retires() => 0,
            0 => 4,
            TWO_BYTES => 2,
            _ => self.byte()?,
        };
        let target = to.unwrap_or_else(|| pc.wrapping_add(len.into()));
        before.target = target;
        before.cycle = cycle;
        Ok(FlowEvent { hart, kind, len, count, pc, target, cycle })
    }

    /// Decodes a datum.
    #[inline]
    pub fn data(&mut self, hart: u8, before: &mut Previous) -> Result<DataEvent, RecordError> {
        let byte = self.byte()?;
        let pc = self.difference(before.data_pc)?;
        let cycle = before.data_cycle.wrapping_add(self.number()?);
        let size = 1 << (byte >> 3 & 3);
        let kind = match byte & 7 {
            load @ (0 | 1) => {
                let (addr, value) = (self.difference(before.addr)?, self.number()?);
                before.addr = addr;
                match load {
                    0 => DataKind::Load { size, addr, value },
                    _ => DataKind::Store { size, addr, value },
                }
            }
            2 => DataKind::Csr { csr: self.small("a CSR number")?, value: self.number()? },
            3 => DataKind::Register { rd: self.small("a register")?, value: self.number()? },
            4 => {
                let (kind, len, count) = (self.byte()?, self.byte()?, self.small("a count")?);
                DataKind::Imported { reported: byte & 8 != 0, kind, len, count, target: self.difference(pc)? }
            }
            5 => DataKind::Float { rd: self.small("a register")?, value: self.number()? },
            _ => return Err(RecordError::Invalid(format!("data kind 0x{byte:02x} is not defined"))),
        };
        before.data_pc = pc;
        before.data_cycle = cycle;
        Ok(DataEvent { hart, kind, pc, cycle })
    }
}
