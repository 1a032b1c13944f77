//! What an illegal instruction needs that the built-in simulator does not have, in words
//!
//! # Source
//! RISC-V privileged ISA, tables of control and status registers; unprivileged ISA, table of base opcodes.

/// Names of CSRs, by number.
const CSRS: &[(u16, &str)] = &[
    (0x001, "fflags"),
    (0x002, "frm"),
    (0x003, "fcsr"),
    (0x008, "vstart"),
    (0x009, "vxsat"),
    (0x00a, "vxrm"),
    (0x00f, "vcsr"),
    (0x015, "seed"),
    (0x017, "jvt"),
    (0x100, "sstatus"),
    (0x104, "sie"),
    (0x105, "stvec"),
    (0x106, "scounteren"),
    (0x10a, "senvcfg"),
    (0x140, "sscratch"),
    (0x141, "sepc"),
    (0x142, "scause"),
    (0x143, "stval"),
    (0x144, "sip"),
    (0x14d, "stimecmp"),
    (0x180, "satp"),
    (0x300, "mstatus"),
    (0x301, "misa"),
    (0x302, "medeleg"),
    (0x303, "mideleg"),
    (0x304, "mie"),
    (0x305, "mtvec"),
    (0x306, "mcounteren"),
    (0x30a, "menvcfg"),
    (0x30c, "mstateen0"),
    (0x310, "mstatush"),
    (0x31a, "menvcfgh"),
    (0x320, "mcountinhibit"),
    (0x340, "mscratch"),
    (0x341, "mepc"),
    (0x342, "mcause"),
    (0x343, "mtval"),
    (0x344, "mip"),
    (0x34a, "mtinst"),
    (0x34b, "mtval2"),
    (0x740, "mnscratch"),
    (0x741, "mnepc"),
    (0x742, "mncause"),
    (0x744, "mnstatus"),
    (0x747, "mseccfg"),
    (0x757, "mseccfgh"),
    (0x7a0, "tselect"),
    (0x7a1, "tdata1"),
    (0x7a2, "tdata2"),
    (0x7a3, "tdata3"),
    (0x7a4, "tinfo"),
    (0x7a5, "tcontrol"),
    (0x7a8, "mcontext"),
    (0x7b0, "dcsr"),
    (0x7b1, "dpc"),
    (0x7b2, "dscratch0"),
    (0x7b3, "dscratch1"),
    (0xb00, "mcycle"),
    (0xb02, "minstret"),
    (0xb80, "mcycleh"),
    (0xb82, "minstreth"),
    (0xc00, "cycle"),
    (0xc01, "time"),
    (0xc02, "instret"),
    (0xc20, "vl"),
    (0xc21, "vtype"),
    (0xc22, "vlenb"),
    (0xc80, "cycleh"),
    (0xc81, "timeh"),
    (0xc82, "instreth"),
    (0xf11, "mvendorid"),
    (0xf12, "marchid"),
    (0xf13, "mimpid"),
    (0xf14, "mhartid"),
    (0xf15, "mconfigptr"),
];

/// Name of a CSR, where it has one.
pub fn csr_name(number: u16) -> Option<String> {
    match number {
        0x323..=0x33f => return Some(format!("mhpmevent{}", number - 0x320)),
        0x3a0..=0x3af => return Some(format!("pmpcfg{}", number - 0x3a0)),
        0x3b0..=0x3ef => return Some(format!("pmpaddr{}", number - 0x3b0)),
        0xb03..=0xb1f => return Some(format!("mhpmcounter{}", number - 0xb00)),
        0xc03..=0xc1f => return Some(format!("hpmcounter{}", number - 0xc00)),
        _ => {}
    }
    CSRS.iter().find(|(n, _)| *n == number).map(|(_, name)| (*name).to_string())
}

/// What a CSR belongs to that the simulator does not have.
fn part(number: u16) -> Option<&'static str> {
    Some(match number {
        0x008..=0x00f | 0xc20..=0xc22 => "the V extension",
        0x015 => "the entropy source (Zkr)",
        0x017 => "table jumps (Zcmt)",
        0x7a0..=0x7af => "this register of triggers",
        0x7b0..=0x7bf => "debug mode",
        _ => match number >> 8 & 3 {
            1 => "supervisor mode",
            2 => "the hypervisor extension",
            _ => return None,
        },
    })
}

/// What is not there, for an instruction of `len` bytes that is illegal; none where nothing more is known.
pub fn missing(bits: u32, len: u8, xlen: u8) -> Option<String> {
    if len == 2 {
        return match bits as u16 {
            0 => Some("all bits are 0: memory without code, or data".into()),
            c if c & 0xe003 == 0xa002 && xlen == 32 => {
                Some("Zcmp and Zcmt instructions, and floating point (mstatus.FS is 0), are illegal here".into())
            }
            _ => None,
        };
    }
    let (opcode, function) = (bits & 0x7f, bits >> 12 & 7);
    let number = (bits >> 20) as u16;
    let only = |what: &str| Some(format!("the simulator has no {what}: harts run in machine mode only"));
    match opcode {
        0x73 if function == 0 => match bits >> 25 {
            0x08 if number == 0x102 => only("supervisor mode (sret)"),
            0x09 | 0x0b | 0x0c => only("supervisor mode (sfence, sinval)"),
            0x11 | 0x31 | 0x13 | 0x33 => only("hypervisor extension"),
            _ if number == 0x7b2 => only("debug mode (dret)"),
            _ if number == 0x702 => only("resumable interrupts (mnret)"),
            _ => None,
        },
        0x73 if function != 4 => {
            let name = csr_name(number).map_or_else(String::new, |n| format!("{n}, "));
            let register = format!("CSR {name}0x{number:03x}");
            if (1..=3).contains(&number) {
                return Some(format!("{register}: floating point is off, mstatus.FS is 0"));
            }
            let writes = function & 3 == 1 || bits >> 15 & 31 != 0;
            Some(match part(number) {
                Some(part) => format!("{register}: the simulator does not have {part}"),
                None if number >> 10 == 3 && writes => format!("{register}: is read-only"),
                None => format!("{register}: the simulator does not have it"),
            })
        }
        0x07 | 0x27 if matches!(function, 0 | 5..=7) => Some("the simulator does not have the V extension".into()),
        0x57 => Some("the simulator does not have the V extension".into()),
        0x43 | 0x47 | 0x4b | 0x4f | 0x53 if bits >> 25 & 3 == 3 => {
            Some("the simulator does not have 128-bit floating point (Q)".into())
        }
        0x07 | 0x27 | 0x43 | 0x47 | 0x4b | 0x4f | 0x53 => {
            Some("floating point is off: the program must set mstatus.FS, or the rounding mode is not valid".into())
        }
        0x0b | 0x2b | 0x5b | 0x7b => Some("a custom instruction, which the simulator does not know".into()),
        0x03 | 0x23 | 0x1b | 0x3b if xlen == 32 => Some("an instruction of RV64 in a program of RV32".into()),
        _ if bits == u32::MAX || bits == 0 => Some("erased or empty memory, or data".into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        let of = |bits| missing(bits, 4, 32).unwrap_or_default();
        for (bits, wanted) in [
            (0x1050_1073, "CSR stvec, 0x105: the simulator does not have supervisor mode"), // csrw stvec, x0
            (0x7a50_5073, "CSR tcontrol, 0x7a5: the simulator does not have this register of triggers"),
            (0x7c00_1073, "CSR 0x7c0: the simulator does not have it"),
            (0xf140_1073, "CSR mhartid, 0xf14: is read-only"),
            (0x1020_0073, "the simulator has no supervisor mode (sret): harts run in machine mode only"),
            (0x1200_0073, "the simulator has no supervisor mode (sfence, sinval): harts run in machine mode only"),
            (0x0000_0057, "the simulator does not have the V extension"),
            (0x0600_0053, "the simulator does not have 128-bit floating point (Q)"), // fadd.q
            (0x0000_000b, "a custom instruction, which the simulator does not know"),
            (0x0000_3003, "an instruction of RV64 in a program of RV32"),
        ] {
            assert_eq!(of(bits), wanted, "0x{bits:08x}");
        }
        assert_eq!(missing(0x0000_0013, 4, 32), None);
        assert_eq!(csr_name(0xb05).as_deref(), Some("mhpmcounter5"));
    }
}
