//! A run as event generators see it: every retired instruction with its data
//!
//! A retire stream contains control-flow instructions and data events; the instructions in between are walked with the
//! program's code. Data events give the cycle of their instruction. An instruction without data retires one cycle after
//! the previous one.

use retire::image::Image;
use retire::{DataEvent, DataKind, FlowEvent, FlowKind};
use sim::diag::generator::{Access, ObservedInsn};

/// State of a hart.
#[derive(Clone, Copy, Debug, Default)]
struct Hart {
    pc: u64,
    cycle: u64,
    started: bool,
    trap: Option<(bool, u8, u64)>,
}

/// Converts events and data to retired instructions.
#[derive(Clone, Debug)]
pub struct Watcher {
    image: Image,
    /// Largest address, and largest number in a register.
    largest: u64,
    harts: Vec<Hart>,
    /// The instruction whose data events are arriving.
    open: Option<(u8, u64, ObservedInsn)>,
    /// Whether there were any data events.
    pub has_data: bool,
    /// Error: where the run left the program.
    pub error: Option<String>,
}

impl Watcher {
    /// Creates a watcher of `harts` harts of `xlen` bits that run the code of `image`.
    pub fn new(image: Image, harts: u8, xlen: u8) -> Self {
        let largest = u64::MAX >> (64 - xlen);
        Self { image, largest, harts: vec![Hart::default(); harts.into()], open: None, has_data: false, error: None }
    }

    /// Completes an instruction of a hart.
    fn emit(
        &mut self,
        hart: u8,
        pc: u64,
        mut seen: ObservedInsn,
        target: Option<u64>,
        each: &mut impl FnMut(u8, &ObservedInsn),
    ) {
        let Some((insn, len)) = self.image.instruction(pc) else {
            self.error.get_or_insert_with(|| format!("hart {hart} retires {pc:#x}, where the program has no code"));
            return;
        };
        let next = target.unwrap_or(pc + u64::from(len));
        let h = &mut self.harts[usize::from(hart)];
        (seen.pc, seen.next_pc, seen.insn, seen.len) = (pc & self.largest, next & self.largest, insn, len);
        seen.trap = h.trap.take();
        (h.pc, h.cycle) = (next, seen.cycle);
        each(hart, &seen);
    }

    fn close(&mut self, each: &mut impl FnMut(u8, &ObservedInsn)) {
        if let Some((hart, pc, seen)) = self.open.take() {
            self.emit(hart, pc, seen, None, each);
        }
    }

    /// Walks the instructions before `pc`, which had no data events.
    fn walk(&mut self, hart: u8, pc: u64, each: &mut impl FnMut(u8, &ObservedInsn)) {
        loop {
            let h = self.harts[usize::from(hart)];
            if !h.started || h.pc == pc || self.error.is_some() {
                return;
            }
            if h.pc > pc {
                self.error = Some(format!("hart {hart} retires {pc:#x} where {:#x} is next", h.pc));
                return;
            }
            self.emit(hart, h.pc, ObservedInsn { cycle: h.cycle + 1, ..ObservedInsn::default() }, None, each);
        }
    }

    /// Takes a data event.
    pub fn data(&mut self, d: &DataEvent, each: &mut impl FnMut(u8, &ObservedInsn)) {
        if usize::from(d.hart) >= self.harts.len() {
            return;
        }
        self.has_data = true;
        let same = self.open.as_ref().is_some_and(|o| (o.0, o.1, o.2.cycle) == (d.hart, d.pc, d.cycle));
        if !same {
            self.close(each);
            self.walk(d.hart, d.pc, each);
            self.open = Some((d.hart, d.pc, ObservedInsn { cycle: d.cycle, ..ObservedInsn::default() }));
        }
        let largest = self.largest;
        let Some((_, _, seen)) = &mut self.open else { return };
        let access = |addr: u64, size: u8, value: u64, store| Access {
            addr: addr & largest,
            size,
            value: value & largest,
            store,
        };
        match d.kind {
            DataKind::Load { size, addr, value } => seen.accesses[0] = Some(access(addr, size, value, false)),
            DataKind::Store { size, addr, value } => seen.accesses[1] = Some(access(addr, size, value, true)),
            DataKind::Register { rd, value } => seen.rd = Some((rd, value & largest)),
            DataKind::Csr { .. } | DataKind::Float { .. } | DataKind::Imported { .. } => {}
        }
    }

    /// Takes a control-flow event.
    pub fn event(&mut self, e: &FlowEvent, each: &mut impl FnMut(u8, &ObservedInsn)) {
        if usize::from(e.hart) >= self.harts.len() {
            return;
        }
        let own = self.open.take_if(|o| (o.0, o.1, o.2.cycle) == (e.hart, e.pc, e.cycle) && e.kind.retires());
        self.close(each);
        match e.kind {
            FlowKind::Start => {
                let h = &mut self.harts[usize::from(e.hart)];
                (h.pc, h.cycle, h.started) = (e.target, e.cycle.saturating_sub(1), true);
            }
            FlowKind::Trap { interrupt, cause } => {
                self.walk(e.hart, e.pc, each);
                let h = &mut self.harts[usize::from(e.hart)];
                (h.trap, h.pc) = (Some((interrupt, cause, e.pc & self.largest)), e.target);
            }
            FlowKind::Stop => self.walk(e.hart, e.pc, each),
            FlowKind::Gap { .. } => {
                // the instructions before the gap
                if e.count > 0 {
                    self.walk(e.hart, e.pc, each);
                }
                self.harts[usize::from(e.hart)].pc = e.target;
            }
            // the neighbouring events determine the hart's path
            FlowKind::Context { .. } => {}
            FlowKind::Conditional { .. }
            | FlowKind::Jump
            | FlowKind::Call
            | FlowKind::IndirectJump
            | FlowKind::IndirectCall
            | FlowKind::Return
            | FlowKind::CoSwap
            | FlowKind::TrapReturn
            | FlowKind::ConditionalIndirect { .. } => {
                self.walk(e.hart, e.pc, each);
                let seen = own.map_or(ObservedInsn { cycle: e.cycle, ..ObservedInsn::default() }, |o| o.2);
                self.emit(e.hart, e.pc, seen, Some(e.target), each);
            }
        }
    }
}
