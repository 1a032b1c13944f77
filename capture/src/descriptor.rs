//! Descriptors of mcfTrace and mlsTrace, binary and ASCII
//!
//! # Source
//! Paper 003, figures 4.2 and 4.13, with sections 4.1.1 and 4.2.1; listings in figures 4.3, 4.9 and 4.14.
//!
//! | mcfTrace, binary | bytes |
//! | --- | ---: |
//! | thread, 0 to 255 | 1 |
//! | address of the instruction, little-endian | 8; 4 on a 32-bit machine |
//! | address of the target: for a direct branch that in its code, even if it is not taken | 8; 4 |
//! | 0 unconditional indirect, 1 unconditional direct, 2 conditional direct taken, 3 not taken | 1 |
//!
//! | mlsTrace, binary | bytes |
//! | --- | ---: |
//! | thread, 0 to 255 | 1 |
//! | 0 load, 1 store; only if both are traced. The thesis does not print these numbers | 1 |
//! | address of the instruction, little-endian | 8; 4 |
//! | address of the operand, little-endian | 8; 4 |
//! | size of the operand | 1 |
//! | value, little-endian as in memory (figure 4.16 reverses it for its listing) | size |
//!
//! An ASCII line has the same fields, with `U, D, T` for the kind; the text of the instruction follows after a space.
//! Figure 4.13 omits the size, figures 4.14 and 4.18 have it; it is written here. Threads beyond 255 have only ASCII lines.

use crate::expand::Origin;
use retire::{DataEvent, DataKind, FlowEvent, FlowKind};
use std::fmt::Write;

/// Greatest number of a thread in a binary descriptor. A file with another thread is not written.
pub const MAX_BINARY_THREAD: u32 = u8::MAX as u32;

/// Format of descriptors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// ASCII lines; otherwise binary.
    pub ascii: bool,
    /// Bytes of an address: 4 or 8.
    pub address: usize,
    /// Lines end with the text of the instruction.
    pub text: bool,
    /// mlsTrace: loads are traced.
    pub loads: bool,
    /// mlsTrace: stores are traced.
    pub stores: bool,
}

/// Type and outcome, as numbered in figure 4.2. Conditional indirect branches, which the thesis' machine does not have,
/// are 4 and 5. `None` if the event is not a branch instruction.
pub fn kind(event: FlowKind) -> Option<u8> {
    match event {
        FlowKind::IndirectJump | FlowKind::IndirectCall | FlowKind::Return | FlowKind::CoSwap => Some(0),
        FlowKind::Jump | FlowKind::Call => Some(1),
        FlowKind::Conditional { taken: true } => Some(2),
        FlowKind::Conditional { taken: false } => Some(3),
        FlowKind::ConditionalIndirect { taken: true, .. } => Some(4),
        FlowKind::ConditionalIndirect { taken: false, .. } => Some(5),
        // a system call returns there
        FlowKind::TrapReturn
        | FlowKind::Start
        | FlowKind::Trap { .. }
        | FlowKind::Context { .. }
        | FlowKind::Gap { .. }
        | FlowKind::Stop => None,
    }
}

fn text(form: Form, of: &Origin<'_>, out: &mut Vec<u8>) {
    if form.text && !of.text.is_empty() {
        out.push(b' ');
        out.extend_from_slice(of.text.as_bytes());
    }
    out.push(b'\n');
}

/// Appends the descriptor of a branch; false if the event is not a branch.
pub fn mcf(form: Form, of: &Origin<'_>, event: &FlowEvent, out: &mut Vec<u8>) -> bool {
    let Some(kind) = kind(event.kind) else { return false };
    if form.ascii {
        let words = ["U, I, T", "U, D, T", "C, D, T", "C, D, NT", "C, I, T", "C, I, NT"][usize::from(kind)];
        let width = 2 * form.address;
        let mut line = String::new();
        // writing to a string cannot fail
        let _ = write!(line, "{}, 0x{:0width$x}, 0x{:0width$x}, {words}", of.thread, event.pc, of.direct);
        out.extend_from_slice(line.as_bytes());
        text(form, of, out);
        return true;
    }
    out.push(of.thread as u8);
    out.extend_from_slice(&event.pc.to_le_bytes()[..form.address]);
    out.extend_from_slice(&of.direct.to_le_bytes()[..form.address]);
    out.push(kind);
    true
}

/// Appends the descriptor of a load or store; false if it is not traced.
pub fn mls(form: Form, of: &Origin<'_>, data: &DataEvent, out: &mut Vec<u8>) -> bool {
    let (store, size, addr, value) = match data.kind {
        DataKind::Load { size, addr, value } if form.loads => (false, size, addr, value),
        DataKind::Store { size, addr, value } if form.stores => (true, size, addr, value),
        DataKind::Load { .. }
        | DataKind::Store { .. }
        | DataKind::Csr { .. }
        | DataKind::Register { .. }
        | DataKind::Float { .. }
        | DataKind::Imported { .. } => return false,
    };
    let both = form.loads && form.stores;
    if form.ascii {
        let (width, digits) = (2 * form.address, 2 * usize::from(size));
        let which = match (both, store) {
            (false, _) => "",
            (true, false) => " L,",
            (true, true) => " S,",
        };
        let mut line = String::new();
        let _ = write!(
            line,
            "{},{which} 0x{:0width$x}, 0x{addr:0width$x}, {size}, 0x{value:0digits$x}",
            of.thread, data.pc
        );
        out.extend_from_slice(line.as_bytes());
        text(form, of, out);
        return true;
    }
    out.push(of.thread as u8);
    if both {
        out.push(store.into());
    }
    out.extend_from_slice(&data.pc.to_le_bytes()[..form.address]);
    out.extend_from_slice(&addr.to_le_bytes()[..form.address]);
    out.push(size);
    out.extend_from_slice(&value.to_le_bytes()[..usize::from(size)]);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: Form = Form { ascii: true, address: 8, text: false, loads: true, stores: true };

    fn branch(kind: FlowKind, pc: u64, direct: u64, target: u64, text: &str, form: Form, thread: u32) -> Vec<u8> {
        let event = FlowEvent { hart: 0, kind, len: 5, count: 1, pc, target, cycle: 1 };
        let mut out = Vec::new();
        assert!(mcf(form, &Origin { thread, text, operand: 0, direct }, &event, &mut out));
        out
    }

    fn lines(bytes: Vec<u8>) -> String {
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn control_flow_is_printed_as_in_the_thesis() {
        // figure 4.2
        let call = |form| {
            let to = 0x3f83201130;
            branch(FlowKind::Call, 0x3f83200b03, to, to, "call 0x3f83201130", form, 0)
        };
        assert_eq!(
            lines(call(Form { text: true, ..FORM })),
            "0, 0x0000003f83200b03, 0x0000003f83201130, U, D, T call 0x3f83201130\n"
        );
        assert_eq!(lines(call(FORM)), "0, 0x0000003f83200b03, 0x0000003f83201130, U, D, T\n");
        let bytes = call(Form { ascii: false, ..FORM });
        assert_eq!(bytes, b"\x00\x03\x0b\x20\x83\x3f\0\0\0\x30\x11\x20\x83\x3f\0\0\0\x01");
        // figure 4.3, lines 9 and 10: not taken, the target is the one in the code
        let not = FlowKind::Conditional { taken: false };
        assert_eq!(
            lines(branch(not, 0x7f5a40996bbe, 0x7f5a40996be4, 0x7f5a40996bc0, "", FORM, 1)),
            "1, 0x00007f5a40996bbe, 0x00007f5a40996be4, C, D, NT\n"
        );
        let taken = FlowKind::Conditional { taken: true };
        assert_eq!(
            lines(branch(taken, 0x7f5a40996bc9, 0x7f5a40996bb8, 0x7f5a40996bb8, "", FORM, 1)),
            "1, 0x00007f5a40996bc9, 0x00007f5a40996bb8, C, D, T\n"
        );
        // figure 4.12
        assert_eq!(
            lines(branch(FlowKind::IndirectCall, 0x400511, 0x4004c4, 0x4004c4, "call rax", FORM, 0)),
            "0, 0x0000000000400511, 0x00000000004004c4, U, I, T\n"
        );
    }

    #[test]
    fn accesses_are_printed_as_in_the_thesis() {
        let of = Origin { thread: 0, text: "mov rax, qword ptr [rdx]", operand: 8, direct: 0 };
        let one = |form, kind, pc| {
            let mut out = Vec::new();
            mls(form, &of, &DataEvent { hart: 0, kind, pc, cycle: 1 }, &mut out);
            out
        };
        // figure 4.14, lines 21 and 22
        let load = DataKind::Load { size: 8, addr: 0x3f8341fb80, value: 0x3f83201130 };
        assert_eq!(
            lines(one(FORM, load, 0x3f83201156)),
            "0, L, 0x0000003f83201156, 0x0000003f8341fb80, 8, 0x0000003f83201130\n"
        );
        let store = DataKind::Store { size: 8, addr: 0x3f8341fd48, value: 0x00059d5cfe8a2ad6 };
        assert_eq!(
            lines(one(FORM, store, 0x3f8320115d)),
            "0, S, 0x0000003f8320115d, 0x0000003f8341fd48, 8, 0x00059d5cfe8a2ad6\n"
        );
        // figure 4.18, line 14: a byte
        let byte = DataKind::Store { size: 1, addr: 0x7fff19df6161, value: 0xff };
        assert_eq!(lines(one(FORM, byte, 0x4005a0)), "0, S, 0x00000000004005a0, 0x00007fff19df6161, 1, 0xff\n");
        // figure 4.13: loads only
        let loads = Form { stores: false, text: true, ..FORM };
        let load = DataKind::Load { size: 8, addr: 0x0036ff3f84001130, value: 0x64320011 };
        assert_eq!(
            lines(one(loads, load, 0x3f83200f08)),
            "0, 0x0000003f83200f08, 0x0036ff3f84001130, 8, 0x0000000064320011 mov rax, qword ptr [rdx]\n"
        );
        assert_eq!(one(loads, store, 0x400000), b"");
        let binary = Form { ascii: false, ..FORM };
        assert_eq!(one(binary, byte, 0x4005a0), b"\x00\x01\xa0\x05\x40\0\0\0\0\0\x61\x61\xdf\x19\xff\x7f\0\0\x01\xff");
        assert_eq!(one(Form { address: 4, stores: false, ..binary }, load, 0x400000).len(), 1 + 4 + 4 + 1 + 8);
    }
}
