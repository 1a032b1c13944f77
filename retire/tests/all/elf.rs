//! ELF: which bytes are code, and at which addresses

use retire::elf::{ElfError, Program};
use retire::image::Image;

const RW: u32 = 6;
const RX: u32 = 5;
/// SHF_ALLOC, without and with SHF_EXECINSTR.
const DATA: u32 = 2;
const CODE: u32 = 6;

/// `nop` and `ret`.
const NOP_RET: [u32; 2] = [0x0000_0013, 0x0000_8067];

/// An ELF32 file with one segment of two instructions, and the flags of the segment and of its section.
fn elf(load: u32, address: u32, segment: u32, section: u32) -> Vec<u8> {
    let mut e = vec![0x7f, b'E', b'L', b'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    e.extend([2u16, 243].iter().flat_map(|v| v.to_le_bytes()));
    // version, entry, program headers, section headers after the code, flags
    e.extend([1, address, 52, 92, 0].iter().flat_map(|v| v.to_le_bytes()));
    e.extend([52u16, 32, 1, 40, 3, 2].iter().flat_map(|v| v.to_le_bytes()));
    e.extend([1, 84, address, load, 8, 8, segment, 4].iter().flat_map(|v| v.to_le_bytes()));
    e.extend(NOP_RET.iter().flat_map(|v| v.to_le_bytes()));
    e.extend([0; 40]);
    // name, SHT_PROGBITS, flags, address, offset, size, link, info, alignment, entry size
    e.extend([0, 1, section, address, 84, 8, 0, 0, 4, 0].iter().flat_map(|v| v.to_le_bytes()));
    // names: only an empty one, a byte that is 0
    e.extend([0u32, 3, 0, 0, 92, 1, 0, 0, 1, 0].iter().flat_map(|v| v.to_le_bytes()));
    e
}

#[test]
fn code_is_where_it_runs_and_where_it_is_loaded() {
    let program = Program::parse(&elf(0x100, 0x8000, RX, CODE)).unwrap();
    assert_eq!((program.segments[0].addr, program.segments[0].virtual_addr), (0x100, 0x8000));
    let image = Image::new(&program);
    for pc in [0x100, 0x8000] {
        assert_eq!(image.instruction(pc + 4), Some((NOP_RET[1], 4)));
        let (count, exit) = image.run(pc).unwrap();
        assert_eq!((count, exit.pc), (2, pc + 4));
    }
    assert!(image.run(0x108).is_none() && image.run(0x7ffe).is_none());
    let same = Program::parse(&elf(0x100, 0x100, RX, CODE)).unwrap();
    assert_eq!(same.code().count(), 1);
}

#[test]
fn a_section_of_code_makes_its_segment_code() {
    let program = Program::parse(&elf(0x100, 0x100, RW, CODE)).unwrap();
    assert!(program.segments[0].executable && Image::new(&program).run(0x100).is_some());
    assert!(matches!(Program::parse(&elf(0x100, 0x100, RW, DATA)), Err(ElfError::NoCode)));
    assert!(Program::parse(&elf(0x100, 0x100, RX, DATA)).is_ok());
}
