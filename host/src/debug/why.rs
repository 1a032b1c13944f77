//! Where a value comes from: the chain of instructions that made it, backwards from a moment
//!
//! A dynamic slice of the values: of a load the store that wrote the bytes, of an arithmetic instruction those that wrote its
//! operands. Addresses, and the branches that led to an instruction, are not followed, unless addresses are asked for: a
//! thin slice. The run is replayed in windows, the last one first, so that memory does not grow with the run.
//!
//! # Source
//! M. Sridharan, S. J. Fink, R. Bodik, "Thin Slicing", PLDI 2007: what of a slice explains a value.

use retire::image::Image;
use retire::{DataEvent, DataKind, FlowEvent, MasterStore, RetireSink};
use sim::riscv::decode::{decode, Code, Op, SINK};
use sim::riscv::Isa;
use sim::scheme::inputs::replay::{InputsError, Timeline};
use std::collections::BTreeMap;

/// Instructions of a window.
const WINDOW: u64 = 1 << 18;

/// Location of a value: a register or a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Location {
    /// A byte of memory.
    Byte(u64),
    /// An integer register of a core.
    Register(u8, u8),
    /// A float register of a core.
    Float(u8, u8),
}

/// Source of the value that an instruction wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// From its operands, a constant or memory.
    Computed,
    /// It is a load outside of RAM: from a device.
    Device(u64),
    /// It read a CSR.
    Csr(u16),
    /// A bus master that is not a core stored it.
    Master,
}

/// An instruction of the slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Moment before it.
    pub moment: u64,
    /// Core; for a bus master, the one whose instruction is next.
    pub core: u8,
    /// Address of the instruction; 0 for a bus master.
    pub pc: u64,
    /// Address and size of its store, or none if it wrote a register.
    pub store: Option<(u64, u8)>,
    /// Register that it wrote.
    pub register: Option<Location>,
    /// Value that it wrote.
    pub value: u64,
    /// Where the value is from.
    pub how: How,
    /// Steps that used it, by index: later instructions.
    pub used_by: Vec<usize>,
}

/// A dynamic slice: the instructions that a value was computed by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slice {
    /// Instructions, the latest first.
    pub steps: Vec<Step>,
    /// What nobody wrote since the beginning, and the steps that use it.
    pub initial: BTreeMap<Location, Vec<usize>>,
    /// It has more steps than were asked for.
    pub more: bool,
}

/// Data of an instruction.
#[derive(Clone, Debug, Default)]
struct Done {
    moment: u64,
    core: u8,
    pc: u64,
    load: Option<(u64, u8)>,
    store: Option<(u64, u8, u64)>,
    csr: Option<u16>,
    register: Option<(Location, u64)>,
    master: bool,
}

#[derive(Default)]
struct Window(Vec<Done>);

impl RetireSink for Window {
    const WANTS_DATA: bool = true;

    fn event(&mut self, _: &FlowEvent) {}

    fn data(&mut self, d: &DataEvent) {
        let same = |l: &Done| l.moment == d.cycle && l.core == d.hart && l.pc == d.pc && !l.master;
        if !self.0.last().is_some_and(same) {
            self.0.push(Done { moment: d.cycle, core: d.hart, pc: d.pc, ..Done::default() });
        }
        let Some(done) = self.0.last_mut() else { return };
        match d.kind {
            DataKind::Load { size, addr, .. } => done.load = Some((addr, size)),
            DataKind::Store { size, addr, value } => done.store = Some((addr, size, value)),
            DataKind::Csr { csr, .. } => done.csr = Some(csr),
            DataKind::Register { rd, value } => done.register = Some((Location::Register(d.hart, rd), value)),
            DataKind::Float { rd, value } => done.register = Some((Location::Float(d.hart, rd), value)),
            DataKind::Imported { .. } => {}
        }
    }

    fn master(&mut self, s: &MasterStore) {
        let moment = self.0.last().map_or(0, |l| l.moment + 1);
        let bytes = (0..4).filter(|lane| s.mask >> lane & 1 == 1);
        for lane in bytes {
            let store = Some((s.addr + lane, 1, u64::from(s.value >> (8 * lane) & 0xff)));
            self.0.push(Done { moment, store, master: true, ..Done::default() });
        }
    }
}

/// Finds slices of a recorded run.
pub struct Slicer<'a> {
    line: &'a mut Timeline,
    image: Image,
    isa: Isa,
    ram: (u64, u64),
    /// Whether the registers of addresses are followed, too.
    addresses: bool,
}

impl<'a> Slicer<'a> {
    /// For the run of `line`, of a program with this code.
    pub fn new(line: &'a mut Timeline, image: Image, addresses: bool) -> Self {
        let params = line.replay().params();
        let start = u64::from(params.ram_base);
        let (isa, ram) = (Isa::all(params.xlen), (start, start + u64::from(params.ram_bytes)));
        Self { line, image, isa, ram, addresses }
    }

    /// Why `locations` have the values that they have at the current moment: at most `most` instructions.
    ///
    /// # Errors
    /// The recording is damaged.
    pub fn slice(&mut self, locations: impl Iterator<Item = Location>, most: usize) -> Result<Slice, InputsError> {
        let mut wanted: BTreeMap<Location, Vec<usize>> = locations.map(|l| (l, Vec::new())).collect();
        let mut slice = Slice::default();
        let first = self.line.first();
        let mut end = self.line.replay().position();
        while end > first && !wanted.is_empty() && !slice.more {
            let start = end.saturating_sub(WINDOW).max(first);
            self.line.seek(start)?;
            let mut window = Window::default();
            while self.line.replay().position() < end {
                let most = end - self.line.replay().position();
                if self.line.advance(&mut window, most, |_, _| false)?.is_none() {
                    break;
                }
            }
            for done in window.0.iter().rev() {
                if wanted.is_empty() {
                    break;
                }
                if slice.steps.len() == most {
                    slice.more = true;
                    break;
                }
                self.undo(done, &mut wanted, &mut slice);
            }
            end = start;
        }
        if !slice.more {
            slice.initial = wanted;
        }
        Ok(slice)
    }

    /// The instruction of `done`, as it writes `wanted` locations.
    fn undo(&self, done: &Done, wanted: &mut BTreeMap<Location, Vec<usize>>, slice: &mut Slice) {
        let mut users = Vec::new();
        let mut take = |location: Location| {
            let found = wanted.remove(&location);
            let hit = found.is_some();
            users.extend(found.unwrap_or_default());
            hit
        };
        let stored = done.store.filter(|(addr, size, _)| {
            // all bytes, not only the first that is wanted
            (*addr..addr + u64::from(*size)).filter(|at| take(Location::Byte(*at))).count() > 0
        });
        let written = done.register.filter(|(location, _)| take(*location));
        if stored.is_none() && written.is_none() {
            return;
        }
        users.sort_unstable();
        users.dedup();
        let op = if done.master { Op::default() } else { self.op(done.pc) };
        let (operands, how) = self.operands(done, &op, stored.is_some());
        let value = written.map(|(_, value)| value).or(stored.map(|(.., value)| value)).unwrap_or(0);
        let me = slice.steps.len();
        slice.steps.push(Step {
            moment: done.moment,
            core: done.core,
            pc: done.pc,
            store: stored.map(|(addr, size, _)| (addr, size)),
            register: written.map(|(location, _)| location),
            value,
            how,
            used_by: users,
        });
        for location in operands {
            wanted.entry(location).or_default().push(me);
        }
    }

    fn op(&self, pc: u64) -> Op {
        self.image.instruction(pc).map_or_else(Op::default, |(bits, _)| decode(bits, self.isa))
    }

    /// What the written value is computed from.
    fn operands(&self, done: &Done, op: &Op, stores: bool) -> (Vec<Location>, How) {
        use Code::{Csrrc, Csrrs, Csrrw, Flh, Fmadd, Fnmadd, Fsd, Fsh, Fsw, Lr, Sb, Sc, Sd, Sh, Sw};
        let mut of = Vec::new();
        if done.master {
            return (of, How::Master);
        }
        let mut register = |r: u8| of.extend((r != 0 && r < SINK).then_some(Location::Register(done.core, r)));
        let memory = done.load.is_some() || done.store.is_some();
        if memory && self.addresses {
            register(op.rs1);
        }
        let mut how = How::Computed;
        match op.code {
            Fsh | Fsw | Fsd => of.push(Location::Float(done.core, op.rs2)),
            Sb | Sh | Sw | Sd => register(op.rs2),
            // whether it stored is not a value of the program; what it stored is
            Sc if stores => register(op.rs2),
            Sc => {}
            _ if memory => {
                // an atomic writes to memory what it computes from both, and to the register what it read
                if stores && op.code > Lr {
                    register(op.rs2);
                }
                if let Some((addr, size)) = done.load {
                    if (self.ram.0..self.ram.1).contains(&addr) {
                        of.extend((addr..addr + u64::from(size)).map(Location::Byte));
                    } else {
                        how = How::Device(addr);
                    }
                }
            }
            Csrrw | Csrrs | Csrrc => how = done.csr.map_or(How::Computed, How::Csr),
            code if (Flh..=Code::Fle).contains(&code) => {
                let float = |r: u8| Location::Float(done.core, r & 31);
                match code {
                    Code::FmvF | Code::FcvtX => register(op.rs1),
                    _ => of.push(float(op.rs1)),
                }
                match code {
                    Fmadd | Code::Fmsub | Code::Fnmsub | Fnmadd => of.extend([float(op.rs2), float(op.rs3)]),
                    Code::Fadd | Code::Fsub | Code::Fmul | Code::Fdiv => of.push(float(op.rs2)),
                    Code::Fsgnj | Code::Fsgnjn | Code::Fsgnjx | Code::Fmin | Code::Fmax => of.push(float(op.rs2)),
                    Code::Feq | Code::Flt | Code::Fle => of.push(float(op.rs2)),
                    _ => {}
                }
            }
            // links are addresses of code
            Code::Jal | Code::Jalr | Code::Lui | Code::Auipc => {}
            _ => {
                if let Some(csr) = done.csr {
                    how = How::Csr(csr);
                } else {
                    register(op.rs1);
                    register(op.rs2);
                }
            }
        }
        (of, how)
    }
}
