//! Cache of decoded instructions, by page
//!
//! Each instruction of a page is decoded when it is first executed. Stores do not change the cache: code that a program
//! wrote runs after `fence.i`, which drops all pages, as the ISA requires.

use super::bus::Bus;
use super::decode::{decode, Code, Op};
use super::isa::Isa;

/// Halfwords of a page: an instruction can begin at each.
pub const PAGE_OPS: usize = 4096;
const PAGE_SHIFT: u32 = 13;

/// The decoded instructions of all harts.
#[derive(Clone, Debug)]
pub struct CodeCache {
    pages: Vec<Option<Box<[Op; PAGE_OPS]>>>,
    /// Start of RAM, a multiple of the page.
    ram_base: u32,
    isa: Isa,
}

impl CodeCache {
    pub fn new(ram_base: u32, ram_bytes: u32, isa: Isa) -> Self {
        Self { pages: vec![None; (ram_bytes >> PAGE_SHIFT) as usize + 1], ram_base, isa }
    }

    /// Instruction set that is decoded.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Drops all decoded instructions.
    pub fn clear(&mut self) {
        self.pages.fill(None);
    }

    /// Address and content of the page that contains `pc`; `None` outside RAM.
    #[inline]
    pub fn page(&mut self, pc: u64) -> Option<(u64, &mut [Op; PAGE_OPS])> {
        let page = self.pages.get_mut((pc.wrapping_sub(self.ram_base.into()) >> PAGE_SHIFT) as usize)?;
        let start = pc >> PAGE_SHIFT << PAGE_SHIFT;
        Some((start, page.get_or_insert_with(empty_page)))
    }

    /// The instruction at `pc`; the error is the address that cannot be fetched.
    #[inline]
    pub fn op(&mut self, pc: u64, memory: &impl Bus) -> Result<&Op, u64> {
        let place = pc.wrapping_sub(self.ram_base.into());
        let page = self.pages.get_mut((place >> PAGE_SHIFT) as usize).ok_or(pc)?.get_or_insert_with(empty_page);
        // RAM starts at a page boundary
        let op = &mut page[(place >> 1) as usize % PAGE_OPS];
        if op.code == Code::Undecoded {
            *op = fetch(memory, pc, self.isa)?;
        }
        Ok(op)
    }
}

#[cold]
#[inline(never)]
fn empty_page() -> Box<[Op; PAGE_OPS]> {
    Box::new([Op::default(); PAGE_OPS])
}

/// Decodes the instruction at `pc`.
#[cold]
pub fn fetch(memory: &impl Bus, pc: u64, isa: Isa) -> Result<Op, u64> {
    bits(memory, pc).map(|insn| decode(insn, isa))
}

/// The bits of the instruction at `pc`; the error is the address of the halfword that is not in RAM.
pub fn bits(memory: &impl Bus, pc: u64) -> Result<u32, u64> {
    let half = |addr: u64| -> Result<u32, u64> { memory.half(addr).map(u32::from).ok_or(addr) };
    let low = half(pc)?;
    Ok(if low & 3 == 3 { low | half(pc.wrapping_add(2))? << 16 } else { low })
}
