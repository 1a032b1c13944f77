//! Random beats, and port values for them

use crate::data_harness::{CorePorts, MemPorts};
use retire::isa::MRET;
use sim::scheme::inputs::model::{Access, Beat, Retired};
use sim::scheme::inputs::InputsParams;
use sim::stimulus::Source;

/// Ports that report nothing, with noise on them.
pub fn noise(s: &mut Source) -> CorePorts {
    let mut word = || s.bits(32) as u32;
    let (insn, pc, rd, addr, data) = (word(), (word(), word()), word(), word(), (word(), word()));
    let masks = (addr as u8 & 15, data.0 as u8 & 15);
    CorePorts { insn, pc, rd: (1, rd), addr, masks, data, ..CorePorts::default() }
}

/// Port values for `beat`, an instruction `insn`; `aligned`: memory data as the aligned word.
pub fn ports(s: &mut Source, beat: &Beat, insn: u32, aligned: bool) -> CorePorts {
    let mut p = noise(s);
    match beat {
        // an instruction that traps reports nothing of itself
        Beat::Idle => (p.valid, p.trap) = (s.percent(10), true),
        &Beat::Trap { interrupt, cause } => {
            (p.valid, p.trap) = (s.percent(50), true);
            p.told = Some((interrupt, cause));
        }
        Beat::Retired(r) => {
            (p.valid, p.insn) = (true, insn);
            if let Some(pc) = r.flow {
                p.pc = pc;
            }
            p.rd = r.register.or(r.csr.map(|c| (0, c.1))).unwrap_or((0, p.rd.1));
            p.masks = (0, 0);
            if let Some(Access { size, addr, .. }) = r.load.or(r.store) {
                let fits = addr % 4 + u32::from(size) <= 4;
                let lane = if aligned && fits { addr % 4 } else { 0 };
                let mask = ((1u8 << size) - 1) << lane;
                p.addr = addr - lane;
                let word = |a: Option<Access>| a.map_or(0, |a| a.value << (8 * lane));
                p.masks = (r.load.map_or(0, |_| mask), r.store.map_or(0, |_| mask));
                p.data = (word(r.load), word(r.store));
            }
        }
    }
    p
}

/// A random address: shared words, a device, anything.
fn address(s: &mut Source, p: &InputsParams) -> u32 {
    let spread = *s.pick(&[4, 64, 2048, u64::from(p.ram_bytes)]);
    match s.below(8) {
        0..=5 => p.ram_base + s.below(spread) as u32,
        6 => 0x1000_0000 + 4 * s.below(5) as u32,
        _ => s.bits(32) as u32,
    }
}

/// A random cycle of the memory bus; `quiet`: cores rarely access the same words.
pub fn memory(s: &mut Source, p: &InputsParams, quiet: bool) -> MemPorts {
    let master = p.sizes.masters && s.percent(if quiet { 5 } else { 40 });
    let (data, mask) = match master {
        true => (if s.percent(50) { s.below(3) as u32 } else { s.bits(32) as u32 }, s.bits(4) as u8),
        false => (0, 0),
    };
    let mask = if master && s.percent(70) { 15 } else { mask };
    let addr = if quiet { p.ram_base + s.below(4096) as u32 } else { address(s, p) };
    MemPorts {
        valid: s.percent(60),
        core: s.below(p.cores.into()) as u8,
        addr: addr & !3,
        write: s.percent(if quiet { 0 } else { 30 }),
        changes: s.percent(70),
        again: s.percent(15),
        master,
        data,
        mask,
    }
}

/// A random action of a core, and its instruction; `quiet`: everything is as expected.
pub fn beat(s: &mut Source, p: &InputsParams, quiet: bool) -> (Beat, u32) {
    if !quiet && s.percent(1) {
        return (Beat::Trap { interrupt: s.percent(60), cause: s.bits(4) as u8 }, 0);
    }
    if s.percent(25) {
        return (Beat::Idle, 0);
    }
    let few = move |s: &mut Source| {
        if quiet {
            0
        } else if s.percent(70) {
            s.below(3) as u32
        } else {
            s.bits(32) as u32
        }
    };
    let rd = s.bits(5) as u32;
    let register = |s: &mut Source| (rd != 0).then(|| (rd as u8, few(s)));
    let size = *s.pick(&[1u8, 2, 4]);
    let access = |s: &mut Source, addr: u32| Access { size, addr, value: few(s) & (u32::MAX >> (32 - 8 * size)) };
    let word = |s: &mut Source, addr: u32| Access { size: 4, addr: addr & !3, value: few(s) };
    let mut r = Retired::default();
    let regs = rd << 7 | (s.bits(5) as u32) << 15;
    let insn = match s.below(10) {
        0 | 1 => {
            let addr = if quiet { 0x1000_0000 } else { address(s, p) };
            r.load = Some(access(s, addr));
            r.register = register(s);
            0x2003 | regs
        }
        2 => {
            let addr = address(s, p);
            r.store = Some(access(s, addr));
            0x2023 | regs
        }
        3 => {
            let addr = p.ram_base + 4 * s.below(64) as u32;
            (r.load, r.store) = (Some(word(s, addr)), Some(word(s, addr)));
            r.register = register(s);
            0x202f | regs
        }
        4 => {
            let addr = p.ram_base + 4 * s.below(64) as u32;
            let stored = quiet || s.percent(70);
            r.conditional = Some(stored);
            r.store = stored.then(|| word(s, addr));
            r.register = register(s);
            0x1800_202f | regs | (s.bits(2) as u32) << 25
        }
        5 => {
            let csr = if quiet {
                0x300
            } else {
                let open = [0x344u16, 0xb00, 0xb80, 0xc00, 0xc80, 0xc01, 0xc81];
                let others =
                    [0x300, 0x304, 0x305, 0x340, 0x341, 0x342, 0x343, 0xb02, 0xb82, 0xc02, 0xc82, 0xb03, 0xf14];
                if s.percent(85) {
                    *s.pick(&open)
                } else {
                    *s.pick(&others)
                }
            };
            r.register = register(s);
            r.csr = r.register.map(|(_, value)| (csr, value));
            u32::from(csr) << 20 | 0x73 | regs | *s.pick(&[1u32, 2, 3, 5, 6, 7]) << 12
        }
        6 | 7 => {
            let even = |s: &mut Source| s.bits(32) as u32 & !1;
            r.flow = Some((even(s), even(s)));
            let flows = [0x63, 0x6f | regs, 0x67 | regs, MRET, 0xa001, 0xc001, 0x1063];
            let insn = *s.pick(&flows);
            r.returns = insn == MRET;
            if matches!(insn & 0x7f, 0x6f | 0x67) {
                r.register = register(s);
            }
            insn
        }
        _ => {
            r.register = register(s);
            0x13 | regs
        }
    };
    (Beat::Retired(r), insn)
}
