//! The register map as documents: Markdown for reading, SystemRDL for tools
//!
//! Both are generated from [`crate::regs`], from which the circuit is built too.

use crate::params::TraceParams;
use crate::regs::{list, Reg, RegAccess, ADDR_BITS, ID_KIND};
use crate::stream_params::StreamParams;
use std::fmt::Write;

/// Reset value of `reg` in a system with these parameters: its constants, otherwise 0. `status`: constant bits of register `status`.
pub fn reset_value(reg: &Reg, params: &dyn StreamParams, status: u32) -> u32 {
    match reg.name {
        "id" => id(params.cores(), params.code()),
        "status" => status,
        "params" => params.fingerprint(),
        _ => 0,
    }
}

/// Value of register `id`.
pub fn id(cores: u8, scheme: u8) -> u32 {
    u32::from(crate::system::VERSION) | u32::from(cores) << 8 | u32::from(scheme) << 13 | ID_KIND << 16
}

/// Value of field `id.scheme`.
pub fn scheme(params: &TraceParams) -> u8 {
    params.flow.code()
}

fn access(a: RegAccess) -> &'static str {
    match a {
        RegAccess::Ro => "read only",
        RegAccess::Rw => "read, write",
        RegAccess::W1c => "read, write 1 to clear",
        RegAccess::Once => "write 1",
    }
}

fn bits(lsb: u8, bits: u8) -> String {
    if bits == 1 {
        lsb.to_string()
    } else {
        format!("{}:{lsb}", lsb + bits - 1)
    }
}

/// The register map as Markdown; `memory`: the system has a memory port; `status`: constant bits of register `status`.
pub fn markdown(params: &dyn StreamParams, memory: bool, status: u32) -> String {
    let mut s = String::new();
    let _ = writeln!(s, "# Registers\n");
    let _ = writeln!(
        s,
        "32-bit registers; the bus address counts registers and has {} bits.",
        ADDR_BITS + u8::from(memory)
    );
    let _ = writeln!(s, "Parameters: `{}`\n", params.canonical());
    let _ = writeln!(s, "| address | byte offset | register | access | after reset | meaning |");
    let _ = writeln!(s, "| ---: | ---: | --- | --- | ---: | --- |");
    for r in list(memory) {
        let _ = writeln!(
            s,
            "| {} | 0x{:02x} | `{}` | {} | 0x{:08x} | {} |",
            r.addr,
            4 * r.addr,
            r.name,
            access(r.access),
            reset_value(r, params, status),
            r.doc
        );
    }
    for r in list(memory) {
        let _ = writeln!(s, "\n## `{}`\n\n| bits | field | meaning |\n| ---: | --- | --- |", r.name);
        for f in r.fields {
            let _ = writeln!(s, "| {} | `{}` | {} |", bits(f.lsb, f.bits), f.name, f.doc);
        }
    }
    s
}

/// The register map as SystemRDL 2.0; arguments as for [`markdown`].
pub fn systemrdl(params: &dyn StreamParams, memory: bool, status: u32) -> String {
    let mut s = String::new();
    let _ = writeln!(s, "// Parameters: {}", params.canonical());
    let _ = writeln!(s, "addrmap goshawk_trace {{");
    let _ = writeln!(s, "    name = \"Goshawk trace system\";");
    let _ = writeln!(s, "    default regwidth = 32;\n    default accesswidth = 32;");
    for r in list(memory) {
        let (sw, hw, more) = match r.access {
            RegAccess::Ro => ("r", "w", ""),
            RegAccess::Rw => ("rw", "r", ""),
            RegAccess::W1c => ("rw", "w", " onwrite = woclr; hwset;"),
            RegAccess::Once => ("w", "r", " singlepulse;"),
        };
        let _ = writeln!(s, "    reg {{\n        desc = \"{}\";", r.doc);
        for f in r.fields {
            let mask = ((1u64 << f.bits) - 1) as u32;
            let _ = writeln!(
                s,
                "        field {{ sw = {sw}; hw = {hw};{more} desc = \"{}\"; }} {}[{}:{}] = 0x{:x};",
                f.doc,
                f.name,
                f.lsb + f.bits - 1,
                f.lsb,
                reset_value(r, params, status) >> f.lsb & mask
            );
        }
        // the suffix avoids all reserved words
        let _ = writeln!(s, "    }} {}_reg @ 0x{:02x};", r.name, 4 * r.addr);
    }
    let _ = writeln!(s, "}};");
    s
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::named_set;
    use crate::regs::REGS;

    #[test]
    fn documents_of_the_small_set() {
        let params = TraceParams::tr(named_set("small").unwrap().params);
        insta::assert_snapshot!("markdown", markdown(&params, false, 0));
        insta::assert_snapshot!("systemrdl", systemrdl(&params, false, 0));
    }

    #[test]
    fn id_and_fingerprint_are_the_constants_of_the_system() {
        let mut params = TraceParams::tr(named_set("small").unwrap().params);
        params.cores = 4;
        assert_eq!(reset_value(&REGS[0], &params, 0), 0x6754_0401);
        assert_eq!(reset_value(&REGS[1], &params, 0), params.fingerprint());
    }
}
