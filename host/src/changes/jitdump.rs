//! Functions of a JIT compiler with their code: `jit-PID.dump`
//!
//! # Source
//! Linux, tools/perf/Documentation/jitdump-specification.txt, version 1.

use super::fields::Fields;
use super::{Patch, Patches};

/// First bytes, as a little-endian machine writes them.
pub(super) const MAGIC: [u8; 4] = 0x4a69_5444u32.to_le_bytes();
/// `e_machine` of RISC-V.
const EM_RISCV: u32 = 243;
/// Times are those of a counter of the processor.
const ARCH_TIMESTAMP: u64 = 1;
const CODE_LOAD: u32 = 0;
const CODE_MOVE: u32 = 1;
/// Size of the header, and of that of a record.
const HEADER: u32 = 40;
const PREFIX: u32 = 16;

pub(super) fn parse(bytes: &[u8]) -> Result<Patches, String> {
    let mut file = Fields(bytes);
    file.take(4)?;
    let (version, size, machine) = (file.word()?, file.word()?, file.word()?);
    if version != 1 || size < HEADER {
        return Err(format!("is a jitdump of version {version} with a header of {size} bytes, expected version 1"));
    }
    if machine != EM_RISCV {
        return Err(format!("is a jitdump of machine {machine}, expected RISC-V ({EM_RISCV})"));
    }
    file.take(16)?;
    let counter = file.long()? & ARCH_TIMESTAMP != 0;
    file.take(u64::from(size - HEADER))?;
    let mut patches = Patches::default();
    // a compiler that was stopped leaves a part of a record
    while file.0.len() >= PREFIX as usize {
        let (id, size, time) = (file.word()?, file.word()?, file.long()?);
        let size =
            size.checked_sub(PREFIX).ok_or(format!("has a record of {size} bytes, expected {PREFIX} or more"))?;
        let Ok(record) = file.take(size.into()) else { break };
        let time = (!counter).then_some(time);
        match id {
            CODE_LOAD => load(Fields(record), time, &mut patches)?,
            CODE_MOVE => moved(Fields(record), time, &mut patches)?,
            _ => {}
        }
    }
    Ok(patches)
}

fn add(patches: &mut Patches, time: Option<u64>, addr: u64, code: &[u8], name: String) -> Result<(), String> {
    let end = addr.checked_add(code.len() as u64).ok_or(format!("has code at 0x{addr:x} past the last address"))?;
    patches.changes.push(Patch { time, addr, after: code.to_vec(), before: Vec::new() });
    patches.names.push((addr..end, name));
    Ok(())
}

fn load(mut record: Fields<'_>, time: Option<u64>, patches: &mut Patches) -> Result<(), String> {
    record.take(16)?;
    let (addr, size) = (record.long()?, record.long()?);
    record.take(8)?;
    let end = record.0.iter().position(|byte| *byte == 0).ok_or("has a function whose name does not end")?;
    let name = String::from_utf8_lossy(record.take(end as u64)?).into_owned();
    record.take(1)?;
    add(patches, time, addr, record.take(size)?, name)
}

fn moved(mut record: Fields<'_>, time: Option<u64>, patches: &mut Patches) -> Result<(), String> {
    record.take(16)?;
    let (from, to) = (record.long()?, record.long()?);
    let of_old = |patch: &Patch| patch.addr == from;
    let Some(code) = patches.changes.iter().rev().find(|patch| of_old(patch)).map(|patch| patch.after.clone()) else {
        return Err(format!("moves code from 0x{from:x}, where none was loaded"));
    };
    let name = patches.names.iter().rev().find(|(range, _)| range.start == from).map(|(_, name)| name.clone());
    add(patches, time, to, &code, name.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(machine: u32) -> Vec<u8> {
        [MAGIC.to_vec(), words(&[1, HEADER, machine, 0, 7, 0, 0, 0, 0])].concat()
    }

    fn words(all: &[u32]) -> Vec<u8> {
        all.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn record(id: u32, time: u32, rest: &[u8]) -> Vec<u8> {
        [words(&[id, PREFIX + rest.len() as u32, time, 0]), rest.to_vec()].concat()
    }

    #[test]
    fn code_is_loaded_and_moved_and_a_cut_end_is_left_out() {
        let loaded = [words(&[7, 7, 0, 0, 0x1000, 0, 4, 0, 1, 0]), b"f\0".to_vec(), vec![1, 2, 3, 4]].concat();
        let moved = words(&[7, 7, 0, 0, 0x1000, 0, 0x2000, 0, 4, 0, 1, 0]);
        let file = [
            header(EM_RISCV),
            record(0, 10, &loaded),
            record(2, 11, &[9; 8]),
            record(1, 12, &moved),
            record(0, 13, &loaded)[..20].to_vec(),
        ];
        let patches = parse(&file.concat()).unwrap();
        let patch = |time, addr| Patch { time: Some(time), addr, before: vec![], after: vec![1, 2, 3, 4] };
        assert_eq!(patches.changes, [patch(10, 0x1000), patch(12, 0x2000)]);
        assert_eq!(patches.names, [(0x1000..0x1004, "f".to_string()), (0x2000..0x2004, "f".into())]);
        for n in 0..file.concat().len() {
            // an error or not, never a panic
            let _ = parse(&file.concat()[..n]);
        }
    }

    #[test]
    fn other_machines_are_refused() {
        assert!(parse(&header(62)).unwrap_err().contains("machine 62, expected RISC-V (243)"));
        assert!(parse(&[header(EM_RISCV), record(1, 0, &words(&[0; 12]))].concat())
            .unwrap_err()
            .contains("moves code"));
    }
}
