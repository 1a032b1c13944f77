//! Messages: fields of bytes of six data bits (MDO) and two framing bits (MSEO)
//!
//! # Source
//! RISC-V N-Trace 1.0, "N-Trace Transmission Protocol" and "N-Trace Messages".

use super::super::Fault;
use super::params::Parameters;

/// Longest message that is read, bytes. Standard messages have at most 38.
pub const MAX_MESSAGE: usize = 4096;

/// A message's fields for program flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// 2: privilege mode and, if its format has one, context.
    Ownership {
        /// PRV.
        privilege: u8,
        /// `scontext`.
        context: Option<u64>,
    },
    /// 3: a taken branch.
    DirectBranch {
        /// I-CNT.
        icnt: u32,
    },
    /// 4, 28: an indirect jump or trap.
    IndirectBranch {
        /// B-TYPE.
        btype: u8,
        /// I-CNT.
        icnt: u32,
        /// U-ADDR, shifted.
        address: u64,
        /// HIST; `None` in message 4.
        hist: Option<u32>,
    },
    /// 8: messages were lost.
    Error,
    /// 9, 11, 12, 29: a synchronization.
    Sync {
        /// SYNC.
        reason: u8,
        /// B-TYPE of 12 and 29.
        btype: Option<u8>,
        /// Message 11: the last instruction is a taken branch.
        branch: bool,
        /// I-CNT.
        icnt: u32,
        /// F-ADDR, shifted.
        address: u64,
        /// HIST of 29.
        hist: Option<u32>,
    },
    /// 27 with code 0.
    FullCount {
        /// I-CNT.
        icnt: u32,
    },
    /// 27 with code 1 or 2.
    FullHistory {
        /// HIST.
        hist: u32,
        /// Number of times.
        repeat: u32,
    },
    /// 30: the last branch message again.
    Repeat {
        /// B-CNT.
        count: u32,
    },
    /// 33: tracing ends.
    Correlation {
        /// EVCODE.
        code: u8,
        /// I-CNT.
        icnt: u32,
        /// HIST; `None` in BTM.
        hist: Option<u32>,
    },
    /// 56 to 62: messages of vendors.
    Vendor,
}

/// An N-Trace message, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// SRC.
    pub source: u16,
    /// The other fields.
    pub kind: Kind,
    /// TSTAMP.
    pub time: Option<u64>,
}

/// Reader of fields.
struct Fields<'b> {
    bytes: &'b [u8],
    at: usize,
    bit: u32,
}

/// A variable-length field.
struct Variable {
    value: u64,
    /// Bits that were sent.
    width: u32,
}

impl Fields<'_> {
    fn fixed(&mut self, width: u8) -> Result<u64, Fault> {
        let (mut value, mut got) = (0, 0);
        while got < u32::from(width) {
            let byte = *self.bytes.get(self.at).ok_or(Fault::Content("a message that ends in a field"))?;
            let part = (6 - self.bit).min(u32::from(width) - got);
            value |= (u64::from(byte >> 2) >> self.bit & ((1 << part) - 1)) << got;
            (got, self.bit) = (got + part, self.bit + part);
            if self.bit == 6 {
                (self.at, self.bit) = (self.at + 1, 0);
                if byte & 3 != 0 && got < u32::from(width) {
                    return Err(Fault::Content("a field that ends too early"));
                }
            }
        }
        Ok(value)
    }

    fn variable(&mut self) -> Result<Variable, Fault> {
        let (mut value, mut width) = (0, 0);
        loop {
            let byte = *self.bytes.get(self.at).ok_or(Fault::Content("a message that ends before a field"))?;
            let bits = u64::from(byte >> 2) >> self.bit;
            let part = 6 - self.bit;
            if width < 64 {
                value |= bits << width;
            }
            if bits != 0 && (width >= 64 || bits << width >> width != bits) {
                return Err(Fault::Content("a field of more than 64 bits"));
            }
            width += part;
            (self.at, self.bit) = (self.at + 1, 0);
            if byte & 3 != 0 {
                return Ok(Variable { value, width });
            }
        }
    }

    /// A field that its limit makes fit.
    fn limited(&mut self, bits: u32, what: &'static str, right: &'static str) -> Result<u32, Fault> {
        let value = self.variable()?.value;
        if value >> bits != 0 {
            return Err(Fault::Value { what, value, right });
        }
        Ok(value as u32)
    }

    fn icnt(&mut self) -> Result<u32, Fault> {
        self.limited(22, "an I-CNT of", "at most 22 bits")
    }

    fn hist(&mut self) -> Result<u32, Fault> {
        match self.limited(32, "a HIST of", "at most 32 bits")? {
            0 => Err(Fault::Content("a HIST without its stop bit")),
            hist => Ok(hist),
        }
    }

    fn address(&mut self, p: &Parameters) -> Result<u64, Fault> {
        let Variable { value, width } = self.variable()?;
        let top = width > 0 && width < 64 && value >> (width - 1) & 1 == 1;
        let value = if p.extend_address_msb && top { value | u64::MAX << width } else { value };
        Ok(value << 1)
    }

    fn over(&self) -> bool {
        self.at == self.bytes.len() && self.bit == 0
    }
}

/// Reads a message: all bytes up to the one whose MSEO is 3.
///
/// # Errors
/// The fields are not those of its TCODE.
pub fn read(bytes: &[u8], p: &Parameters) -> Result<Message, Fault> {
    if bytes.iter().any(|b| b & 3 == 2) {
        return Err(Fault::Content("a byte with the reserved MSEO 2"));
    }
    let mut f = Fields { bytes, at: 0, bit: 0 };
    let tcode = f.fixed(6)?;
    if matches!(tcode, 56..=62) {
        let source = f.fixed(p.source_bits).unwrap_or_default() as u16;
        return Ok(Message { source, kind: Kind::Vendor, time: None });
    }
    let source = f.fixed(p.source_bits)? as u16;
    let kind = match tcode {
        2 => {
            let process = f.variable()?.value;
            match process & 3 {
                1 => return Err(Fault::Value { what: "a FORMAT of", value: 1, right: "0, 2 or 3" }),
                format => Kind::Ownership {
                    privilege: (process >> 2 & 3) as u8,
                    context: (format == 2).then_some(process >> 5),
                },
            }
        }
        3 => Kind::DirectBranch { icnt: f.icnt()? },
        4 | 28 => {
            let (btype, icnt, address) = (f.fixed(2)? as u8, f.icnt()?, f.address(p)?);
            let hist = if tcode == 28 { Some(f.hist()?) } else { None };
            Kind::IndirectBranch { btype, icnt, address, hist }
        }
        8 => {
            f.fixed(4)?;
            f.variable()?;
            Kind::Error
        }
        9 | 11 | 12 | 29 => {
            let reason = f.fixed(4)? as u8;
            let btype = if tcode >= 12 { Some(f.fixed(2)? as u8) } else { None };
            let (icnt, address) = (f.icnt()?, f.address(p)?);
            let hist = if tcode == 29 { Some(f.hist()?) } else { None };
            Kind::Sync { reason, btype, branch: tcode == 11, icnt, address, hist }
        }
        27 => match f.fixed(4)? {
            0 => Kind::FullCount { icnt: f.icnt()? },
            1 => Kind::FullHistory { hist: f.hist()?, repeat: 1 },
            2 => Kind::FullHistory { hist: f.hist()?, repeat: f.limited(18, "an HREPEAT of", "at most 18 bits")? },
            value => return Err(Fault::Value { what: "an RCODE of", value, right: "0, 1 or 2" }),
        },
        30 => Kind::Repeat { count: f.limited(18, "a B-CNT of", "at most 18 bits")? },
        33 => {
            let code = f.fixed(4)? as u8;
            let cdf = f.fixed(2)?;
            let icnt = f.icnt()?;
            let hist = match cdf {
                0 => None,
                1 => Some(f.hist()?),
                value => return Err(Fault::Value { what: "a CDF of", value, right: "0 or 1" }),
            };
            Kind::Correlation { code, icnt, hist }
        }
        value => return Err(Fault::Value { what: "a reserved TCODE,", value, right: "one that N-Trace 1.0 defines" }),
    };
    let time = if f.over() { None } else { Some(f.variable()?.value) };
    if !f.over() {
        return Err(Fault::Content("fields after the last one of a message"));
    }
    Ok(Message { source, kind, time })
}
