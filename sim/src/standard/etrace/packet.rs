//! Fields of a packet's payload
//!
//! # Source
//! Efficient Trace for RISC-V 2.0, chapter 7, "Instruction Trace Encoder Output Packets".

use super::super::Fault;
use super::params::{Modes, Parameters};

/// Longest payload that is read, bytes. The longest of the specification has 47.
pub const MAX_PAYLOAD: usize = 64;

/// Number of branches that a full map has, and the least number that a count encodes.
pub(super) const FULL: u64 = 31;

/// Reader of fields, lowest bit first; the last bit repeats after the end.
struct Fields {
    bytes: [u8; MAX_PAYLOAD + 16],
    at: usize,
    top: bool,
}

impl Fields {
    fn new(payload: &[u8]) -> Result<Self, Fault> {
        let &last = payload.last().ok_or(Fault::Content("a packet without payload"))?;
        if payload.len() > MAX_PAYLOAD {
            return Err(Fault::Content("a payload of more than 64 bytes"));
        }
        let mut bytes = [if last & 0x80 == 0 { 0 } else { 0xff }; MAX_PAYLOAD + 16];
        bytes[..payload.len()].copy_from_slice(payload);
        Ok(Self { bytes, at: 0, top: false })
    }

    /// The next `width` bits, at most 64.
    #[inline]
    fn take(&mut self, width: u8) -> u64 {
        if width == 0 {
            return 0;
        }
        let (byte, bit) = ((self.at / 8).min(MAX_PAYLOAD), self.at % 8);
        let mut word = [0; 16];
        word.copy_from_slice(&self.bytes[byte..byte + 16]);
        let value = (u128::from_le_bytes(word) >> bit) as u64 & (u64::MAX >> (64 - width));
        self.at += usize::from(width);
        self.top = value >> (width - 1) & 1 == 1;
        value
    }

    fn bit(&mut self) -> bool {
        self.take(1) == 1
    }

    /// Whether the next bit differs from the one before it.
    fn differs(&mut self) -> bool {
        let before = self.top;
        self.bit() != before
    }
}

/// Privilege, time and context of an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContextFields {
    /// Privilege level.
    pub privilege: u8,
    /// Time, if sent.
    pub time: Option<u64>,
    /// Context, if sent.
    pub context: Option<u64>,
}

/// An address of formats 0 to 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// The address, or its difference to the last one, sign-extended; shifted.
    pub value: u64,
    /// Not the target of an uninferable jump.
    pub notify: bool,
    /// Target of an uninferable jump, and directly before a synchronization.
    pub updiscon: bool,
    /// Depth of the return stack, if reported.
    pub depth: Option<u64>,
}

/// Outcomes of branches, oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcomes {
    /// Bit 0 is the oldest; 1: not taken.
    Map {
        /// The bits.
        map: u32,
        /// Their number.
        count: u8,
    },
    /// As predicted; one more branch was not if `fails`.
    Predicted {
        /// Branches as predicted.
        correct: u64,
        /// Whether the next one is not.
        fails: bool,
    },
}

/// Destination of a packet of formats 0 to 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// To the last branch.
    Branch,
    /// To an address.
    Address(Address),
    /// To an entry of the jump target cache, with the depth of the return stack if reported.
    Index(u64, Option<u64>),
}

/// `qual_status` of a support packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// No change.
    NoChange,
    /// Tracing ended; the last packet was sent because of that.
    EndedReported,
    /// Packets were lost.
    Lost,
    /// Tracing ended; the last packet would have been sent anyway.
    EndedAnyway,
}

/// An E-Trace packet, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packet {
    /// Format 3.0.
    Start {
        /// The instruction is not a taken branch.
        branch: bool,
        /// Where it is.
        context_fields: ContextFields,
        /// Its address.
        address: u64,
    },
    /// Format 3.1.
    Trap {
        /// As for a start.
        branch: bool,
        /// As for a start.
        context_fields: ContextFields,
        /// Cause.
        cause: u64,
        /// Interrupt, not exception.
        interrupt: bool,
        /// The address is that of the handler.
        handler: bool,
        /// The address; `None` in the implicit exception mode.
        address: Option<u64>,
    },
    /// Format 3.2.
    Context(ContextFields),
    /// Format 3.3.
    Support {
        /// Change of qualification.
        status: Status,
        /// Options in force.
        modes: Modes,
    },
    /// Formats 0 to 2.
    Path(Outcomes, To),
}

/// Width of the map of `branches` branches.
fn map_width(branches: u64) -> u8 {
    match branches {
        0 => 0,
        1 => 1,
        2..=3 => 3,
        4..=7 => 7,
        8..=15 => 15,
        _ => 31,
    }
}

impl Fields {
    fn address(&mut self, p: &Parameters) -> u64 {
        self.take(p.iaddress_width_p - p.iaddress_lsb_p) << p.iaddress_lsb_p
    }

    fn depth(&mut self, p: &Parameters) -> Option<u64> {
        let reported = self.differs();
        let depth = self.take(p.irdepth_width());
        reported.then_some(depth)
    }

    fn destination(&mut self, p: &Parameters) -> To {
        let value = self.address(p);
        let (notify, updiscon) = (self.differs(), self.differs());
        To::Address(Address { value, notify, updiscon, depth: self.depth(p) })
    }

    fn context_fields(&mut self, p: &Parameters) -> ContextFields {
        let privilege = self.take(p.privilege_width_p) as u8;
        let time = (!p.notime_p).then(|| self.take(p.time_width_p));
        let context = (!p.nocontext_p).then(|| self.take(p.context_width_p));
        ContextFields { privilege, time, context }
    }

    fn format0(&mut self, p: &Parameters, modes: &Modes) -> Result<Packet, Fault> {
        let cache = match p.f0s_width_p {
            0 => modes.jump_target_cache && !modes.branch_prediction,
            width => match self.take(width) {
                0 => false,
                1 => true,
                value => return Err(Fault::Value { what: "a subformat of format 0 of", value, right: "0 or 1" }),
            },
        };
        if cache {
            let index = self.take(p.cache_size_p);
            let branches = self.take(5);
            let map = self.take(map_width(branches)) as u32;
            let outcomes = Outcomes::Map { map, count: branches as u8 };
            return Ok(Packet::Path(outcomes, To::Index(index, self.depth(p))));
        }
        let count = self.take(32);
        let form = self.take(2);
        if count > p.max_branch_count.into() {
            return Err(Fault::Value {
                what: "a count of branches of",
                value: count,
                right: "at most the parameter `max_branch_count`",
            });
        }
        let (fails, to) = match form {
            0 => (true, To::Branch),
            2 => (false, self.destination(p)),
            3 => (true, self.destination(p)),
            value => return Err(Fault::Value { what: "a branch_fmt of", value, right: "0, 2 or 3" }),
        };
        // the one that fails is included in the path to the address
        Ok(Packet::Path(Outcomes::Predicted { correct: count + FULL, fails }, to))
    }

    fn format3(&mut self, p: &Parameters, modes: &Modes) -> Packet {
        match self.take(2) {
            0 => {
                let branch = self.bit();
                let context_fields = self.context_fields(p);
                Packet::Start { branch, context_fields, address: self.address(p) }
            }
            1 => {
                let branch = self.bit();
                let context_fields = self.context_fields(p);
                let cause = self.take(p.ecause_width_p);
                let interrupt = self.bit();
                let handler = !p.thaddr || self.bit();
                let address = (!(handler && modes.implicit_exception)).then(|| self.address(p));
                if !interrupt {
                    self.take(p.iaddress_width_p);
                }
                Packet::Trap { branch, context_fields, cause, interrupt, handler, address }
            }
            2 => Packet::Context(self.context_fields(p)),
            _ => {
                self.bit();
                self.take(p.encoder_mode_width);
                let status = match self.take(2) {
                    0 => Status::NoChange,
                    1 => Status::EndedReported,
                    2 => Status::Lost,
                    _ => Status::EndedAnyway,
                };
                let mut modes = p.modes();
                for mode in &p.ioptions {
                    modes.set(*mode, self.bit());
                }
                self.take(p.data_width);
                Packet::Support { status, modes }
            }
        }
    }
}

/// Reads a payload; also returns the number of bytes that it has without compression.
///
/// # Errors
/// A field with a value that is not defined.
pub fn read(payload: &[u8], p: &Parameters, modes: &Modes) -> Result<(Packet, usize), Fault> {
    let mut fields = Fields::new(payload)?;
    let packet = match fields.take(2) {
        0 => fields.format0(p, modes)?,
        1 => {
            let branches = fields.take(5);
            let map = fields.take(map_width(if branches == 0 { FULL } else { branches })) as u32;
            match branches {
                0 => Packet::Path(Outcomes::Map { map, count: 31 }, To::Branch),
                n => Packet::Path(Outcomes::Map { map, count: n as u8 }, fields.destination(p)),
            }
        }
        2 => Packet::Path(Outcomes::Map { map: 0, count: 0 }, fields.destination(p)),
        _ => fields.format3(p, modes),
    };
    Ok((packet, fields.at.div_ceil(8)))
}

/// Whether the bits after the packet's own `used` bytes only extend it.
pub(super) fn is_extended(payload: &[u8], used: usize) -> bool {
    let Some([last, rest @ ..]) = payload.get(used.max(1) - 1..) else { return true };
    let sign = if last & 0x80 == 0 { 0 } else { 0xff };
    rest.iter().all(|b| *b == sign)
}
