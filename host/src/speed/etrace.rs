//! The `riscv-etrace` crate on the same run, to compare speeds and paths
//!
//! Baseline E-Trace (branch maps and differential addresses, no optional mode, no re-synchronisation) in SMI packets.
//! Single-hart runs without traps, up to the last instruction wherever they are cut.

use retire::elf::Program;
use retire::image::Image;
use retire::{FlowEvent, FlowKind};
use riscv_etrace::generator::hart2enc::{CType, JumpType};
use riscv_etrace::generator::step::{Kind, Step};
use riscv_etrace::generator::{self, Generator};
use riscv_etrace::instruction::{base::Set, Size};
use riscv_etrace::packet::payload::InstructionTrace;
use riscv_etrace::tracer::{self, item, Tracer};
use riscv_etrace::types::{Context, Privilege};
use riscv_etrace::{binary, packet};

/// A retired instruction.
#[derive(Clone, Copy, Debug)]
struct Insn {
    pc: u64,
    kind: Kind,
}

impl Step for Insn {
    fn address(&self) -> u64 {
        self.pc
    }
    fn kind(&self) -> Kind {
        self.kind
    }
    fn ctype(&self) -> CType {
        CType::Unreported
    }
    fn context(&self) -> Context {
        Context { privilege: Privilege::Machine, context: 0 }
    }
}

/// Error of the crate.
#[derive(Debug, thiserror::Error)]
pub enum EtraceError {
    /// Its encoder failed.
    #[error("riscv-etrace's encoder: {0}")]
    Encode(String),
    /// Its decoder failed.
    #[error("riscv-etrace's decoder: {0}")]
    Decode(String),
}

fn kind(e: &FlowEvent) -> Option<Kind> {
    let insn_size = if e.len == 2 { Size::Compressed } else { Size::Normal };
    let jump = |kind| Some(Kind::Jump { insn_size, kind, sequentially_inferable: false });
    match e.kind {
        FlowKind::Conditional { taken } => Some(Kind::Branch { insn_size, taken }),
        FlowKind::Jump => jump(JumpType::InferOther),
        FlowKind::Call => jump(JumpType::InferCall),
        FlowKind::IndirectJump => jump(JumpType::UnferOther),
        FlowKind::IndirectCall => jump(JumpType::UnferCall),
        FlowKind::Return => jump(JumpType::Return),
        FlowKind::CoSwap => jump(JumpType::CoRoutineSwap),
        FlowKind::TrapReturn => Some(Kind::TrapReturn { insn_size }),
        _ => None,
    }
}

/// Encodes the events of one hart; returns the packets, concatenated.
pub fn encode(image: &Image, events: &[FlowEvent]) -> Result<Vec<u8>, EtraceError> {
    let fail = |e: &dyn std::fmt::Display| EtraceError::Encode(e.to_string());
    let mut bytes = Vec::new();
    let mut put = |payload: InstructionTrace| {
        let mut buffer = [0; 40];
        let mut encoder = packet::builder().encoder(buffer.as_mut());
        encoder.encode(&packet::smi::Packet::new(0b10, 0, payload)).map_err(|e| fail(&e))?;
        let free = encoder.uncommitted();
        bytes.extend_from_slice(&buffer[..buffer.len() - free]);
        Ok::<(), EtraceError>(())
    };
    let mut generator: Generator<Insn> = generator::builder().build().map_err(|e| fail(&e))?;
    let begin = generator.begin_qualification(Default::default(), Default::default()).map_err(|e| fail(&e))?;
    put(begin.into())?;
    let mut start = 0;
    let mut step = |insn| {
        for payload in generator.process_step(insn, None) {
            put(payload.map_err(|e| fail(&e))?)?;
        }
        Ok::<(), EtraceError>(())
    };
    for e in events {
        let kind = kind(e);
        let mut pc = start;
        // the count of a branch includes the branch itself; that of a stop is the number of instructions after the last
        // branch
        for _ in 0..e.count.saturating_sub(kind.is_some().into()) {
            let len = image.instruction(pc).map_or(4, |i| i.1);
            let insn_size = if len == 2 { Size::Compressed } else { Size::Normal };
            step(Insn { pc, kind: Kind::Retirement { insn_size } })?;
            pc += u64::from(len);
        }
        if let Some(kind) = kind {
            step(Insn { pc, kind })?;
        }
        start = e.target;
    }
    for payload in generator.end_qualification(true) {
        put(payload.map_err(|e| fail(&e))?)?;
    }
    Ok(bytes)
}

/// Decodes packets; returns the number of instructions and a hash of their addresses (see [`path_hash`]).
pub fn decode(program: &Program, trace: &[u8]) -> Result<(u64, u64), EtraceError> {
    let fail = |e: &dyn std::fmt::Debug| EtraceError::Decode(format!("{e:?}"));
    let Some(code) = program.segments.iter().find(|s| s.executable) else { return Ok((0, 0)) };
    let base = if program.xlen == 32 { Set::Rv32I } else { Set::Rv64I };
    let binary = binary::Offset::new(binary::from_segment(code.data.as_slice(), base), code.addr);
    let mut decoder = packet::builder().decoder(trace);
    let mut tracer: Tracer<_> = tracer::builder().with_binary(binary).build().map_err(|e| fail(&e))?;
    let (mut instructions, mut hash) = (0, 0);
    while decoder.bytes_left() > 0 {
        let packet = decoder.decode_smi_packet().map_err(|e| fail(&e))?;
        let payload = packet.decode_payload().map_err(|e| fail(&e))?;
        tracer.process_payload(&payload).map_err(|e| fail(&e))?;
        for item in tracer.by_ref() {
            let item = item.map_err(|e| fail(&e))?;
            if let item::Kind::Regular(_) = item.kind() {
                instructions += 1;
                hash = path_hash(hash, item.pc());
            }
        }
    }
    Ok((instructions, hash))
}

/// One step of a hash of executed addresses: so short that it is not what is measured.
#[inline]
pub fn path_hash(hash: u64, pc: u64) -> u64 {
    hash.rotate_left(5).wrapping_add(pc)
}
