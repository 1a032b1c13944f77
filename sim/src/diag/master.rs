//! Bus masters that are not cores: a DMA as a producer of events
//!
//! The event generator of a bus master is a full one that observes only stores: each store is to it an instruction
//! without effect on registers, at an address where no instruction is. So it has the triggers, words, losses and time
//! stamps of a core's generator. A master has no registers and no stack; where a slot captures these, a master's event
//! has [`no_pc`] instead, so that a use that shares the slot gets its own words.
//!
//! # Source
//! Paper 004 section 3.1: functional units are CPUs, memories and interconnect. The generator is this project's.

use super::generator::{Access, ObservedInsn};
use super::trigger::{Capture, Number, Slot, Trigger};
use retire::MasterStore;

/// Captured in place of the address of an instruction, and of words that a bus master does not have, on a chip whose cores
/// have `xlen` bits. The last halfword of the address space: no program is there.
pub const fn no_pc(xlen: u8) -> u64 {
    (u64::MAX - 1) & (u64::MAX >> (64 - xlen))
}

/// An instruction without effect.
const NOP: u32 = 0x13;

/// What a master's generator observes of a store, on a chip whose cores have `xlen` bits.
pub fn observed(store: &MasterStore, xlen: u8) -> ObservedInsn {
    let (offset, size) = (u32::from(store.mask.trailing_zeros() as u8 & 3), store.mask.count_ones().clamp(1, 4));
    let value = (store.value >> (8 * offset)) & (u32::MAX >> (32 - 8 * size));
    let addr = store.addr.wrapping_add(offset.into()) & (u64::MAX >> (64 - xlen));
    let access = Access { addr, size: size as u8, value: value.into(), store: true };
    let (cycle, accesses, pc) = (store.cycle, [None, Some(access)], no_pc(xlen));
    ObservedInsn { cycle, pc, next_pc: pc, insn: NOP, len: 4, accesses, ..ObservedInsn::default() }
}

/// The slots of a master's generator: those of the cores that stores can hit, with words that a master has.
pub fn slots(slots: &[Slot]) -> Vec<Slot> {
    let word = |c: &Capture| match c {
        Capture::Address | Capture::Value | Capture::Upper(Number::Address | Number::Value) => *c,
        Capture::Upper(_) => Capture::Upper(Number::Pc),
        _ => Capture::Pc,
    };
    let stores = |s: &&Slot| matches!(s.trigger, Trigger::Data { stores: true, .. });
    slots.iter().filter(stores).map(|s| Slot { captures: s.captures.iter().map(word).collect(), ..s.clone() }).collect()
}

/// Whether a store hits one of these slots, on a chip whose cores have `xlen` bits.
pub fn is_hit(slots: &[Slot], seen: &ObservedInsn, xlen: u8) -> bool {
    let hits = |s: &Slot, a: &Access| s.trigger.is_access(a, u64::MAX >> (64 - xlen));
    seen.accesses.iter().flatten().any(|a| slots.iter().any(|s| hits(s, a)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_an_access_of_its_bytes() {
        let store = |mask| MasterStore { addr: 0x100, value: 0x4433_2211, mask, cycle: 7 };
        let access = |mask| observed(&store(mask), 32).accesses[1].map(|a| (a.addr, a.size, a.value, a.store));
        assert_eq!(access(0xf), Some((0x100, 4, 0x4433_2211, true)));
        assert_eq!(access(0x4), Some((0x102, 1, 0x33, true)));
        assert_eq!(access(0xc), Some((0x102, 2, 0x4433, true)));
    }

    #[test]
    fn slots_keep_the_places_of_their_words() {
        let data = |stores| Trigger::Data { first: 8, last: 11, loads: true, stores, value: None };
        let captures = vec![Capture::Register(10), Capture::Value, Capture::Pc];
        let slot = |trigger, event| Slot {
            trigger,
            event,
            dest: 63,
            captures: captures.clone(),
            stamped: true,
            yields: false,
        };
        let found = slots(&[slot(Trigger::Pc(4), 0), slot(data(false), 1), slot(data(true), 2)]);
        let want = vec![Capture::Pc, Capture::Value, Capture::Pc];
        assert_eq!(found, [Slot { captures: want, ..slot(data(true), 2) }]);
    }
}
