//! Packets as bytes

use super::{Branches, Encoder, EtraceError, Payload, Step, FULL};
use crate::baseline::etrace::format0;
use riscv_etrace::config::Parameters;
use riscv_etrace::packet;
use riscv_etrace::packet::ext::{BranchCount, BranchKind, Extension, JumpTargetIndex};
use riscv_etrace::packet::payload::{AddressInfo, Branch};
use riscv_etrace::packet::sync::{self, EncoderMode, QualStatus, Support};
use riscv_etrace::packet::unit::ReferenceIOptions;
use riscv_etrace::types::{trap, Privilege};

/// Trace type in an SMI packet's header: instruction trace.
const TRACE_TYPE: u8 = 0b10;

/// Lengthens a packet to the first bit of its address: an encoder that sends the fields before it as they come does not cut these.
fn lengthen(bytes: &mut Vec<u8>, payload: &Payload, p: &Parameters) {
    let context = if p.nocontext_p { 0 } else { p.context_width_p.get() };
    let time = if p.notime_p { 0 } else { p.time_width_p.get() };
    let bits = match payload {
        Payload::Extension(Extension::BranchCount(b)) if b.kind != BranchKind::NoAddr => 36 + p.f0s_width_p,
        Payload::Extension(Extension::JumpTargetIndex(j)) => {
            7 + p.f0s_width_p + p.cache_size_p + format0::map_bits(j.branch_map.count())
        }
        Payload::Branch(Branch { branch_map, address: Some(_) }) => 7 + format0::map_bits(branch_map.count()),
        Payload::Synchronization(sync::Synchronization::Start(_)) => 7 + time + context,
        Payload::Synchronization(sync::Synchronization::Trap(_)) => 15 + time + context,
        _ => return,
    };
    let length = 1 + usize::from((bits + 1).div_ceil(8));
    if bytes.len() < length {
        let sign = if bytes[bytes.len() - 1] & 0x80 == 0 { 0 } else { 0xff };
        bytes.resize(length, sign);
        bytes[0] = bytes[0] & !31 | (length - 1) as u8;
    }
}

impl Encoder<'_> {
    fn context(&self, of: &Step) -> sync::Context {
        let privilege = match of.context.privilege() {
            0 => Privilege::User,
            1 => Privilege::Supervisor,
            _ => Privilege::Machine,
        };
        let time = self.extras.time_width;
        let time = (time > 0).then(|| of.time & (u64::MAX >> (64 - time)));
        sync::Context { privilege, time, context: of.context.id().into() }
    }

    pub(super) fn start(&mut self, at: &Step, not_taken: bool) -> Result<(), EtraceError> {
        self.branches = Branches::default();
        self.address = at.pc;
        self.put(&sync::Start { branch: not_taken, ctx: self.context(at), address: at.pc }.into())
    }

    pub(super) fn trap(
        &mut self,
        info: trap::Info,
        thaddr: bool,
        at: &Step,
        not_taken: bool,
    ) -> Result<(), EtraceError> {
        self.branches = Branches::default();
        self.address = at.pc;
        self.put(&sync::Trap { branch: not_taken, ctx: self.context(at), thaddr, address: at.pc, info }.into())
    }

    pub(super) fn support(&mut self, qual_status: QualStatus) -> Result<(), EtraceError> {
        let ioptions = ReferenceIOptions {
            implicit_return: self.options.return_stack > 0,
            jump_target_cache: self.options.jump_targets > 0,
            branch_prediction: self.options.predictors > 0,
            full_address: self.extras.full_address,
            ..Default::default()
        };
        let doptions = Default::default();
        let encoder_mode = EncoderMode::BranchTrace;
        let support =
            Support { ienable: true, encoder_mode, qual_status, ioptions, denable: false, dloss: false, doptions };
        self.put(&support.into())
    }

    /// Sends an address with the branches before it, by `index` if that is not longer. `failed`: the address is
    /// that of a mispredicted branch.
    pub(super) fn report(
        &mut self,
        pc: u64,
        info: AddressInfo,
        index: Option<usize>,
        failed: bool,
    ) -> Result<(), EtraceError> {
        let branches = std::mem::take(&mut self.branches);
        let branch_map = branches.map();
        let payload: Payload = if branches.count == 0 {
            info.into()
        } else if branches.correct >= FULL {
            let kind = if failed { BranchKind::AddrFail(info) } else { BranchKind::Addr(info) };
            BranchCount { branch_count: (branches.correct - FULL) as u32, kind }.into()
        } else {
            Branch { branch_map, address: Some(info) }.into()
        };
        match index.filter(|_| branches.correct < FULL) {
            Some(index) => {
                let short: Payload = JumpTargetIndex { index, branch_map, irdepth: info.irdepth }.into();
                let is_short = self.extras.port_only || self.bytes(&short)?.len() <= self.bytes(&payload)?.len();
                self.put(if is_short { &short } else { &payload })?;
            }
            None => self.put(&payload)?,
        }
        self.address = pc;
        self.forget(pc);
        Ok(())
    }

    /// The bytes of a packet.
    pub(super) fn bytes(&self, payload: &Payload) -> Result<Vec<u8>, EtraceError> {
        let mut bytes = match payload {
            Payload::Extension(extension) => format0::packet(extension, &self.parameters),
            _ => self.packet(payload)?,
        };
        if self.extras.port_only {
            lengthen(&mut bytes, payload, &self.parameters);
        }
        Ok(bytes)
    }

    /// The bytes of a packet of formats 1 to 3.
    fn packet(&self, payload: &Payload) -> Result<Vec<u8>, EtraceError> {
        let mut buffer = [0; 48];
        let size = buffer.len();
        let mut encoder = packet::builder().with_params(&self.parameters).encoder(buffer.as_mut());
        let refused = |e: packet::Error| EtraceError::Packet { packet: self.packets, what: e.to_string() };
        encoder.encode(&packet::smi::Packet::new(TRACE_TYPE, 0, *payload)).map_err(refused)?;
        let used = size - encoder.uncommitted();
        Ok(buffer[..used].to_vec())
    }

    pub(super) fn put(&mut self, payload: &Payload) -> Result<(), EtraceError> {
        let bytes = self.bytes(payload)?;
        self.bytes.push(bytes[0]);
        self.bytes.extend(self.extras.source);
        self.bytes.extend(&bytes[1..]);
        self.packets += 1;
        self.implicit = 0;
        self.returned_from = None;
        Ok(())
    }
}
