//! The register map as documents: Markdown for reading, SystemRDL for tools
//!
//! Both are generated from [`crate::regs`] or [`crate::tci::map`], from which the circuits are built too.

use crate::params::TraceParams;
use crate::regs::{list, Field, Reg, RegAccess, ADDR_BITS, ID_KIND};
use crate::stream_params::StreamParams;
use crate::tci::{self, Facts};
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
        RegAccess::ReadNext => "read only, a read advances",
    }
}

fn bits(lsb: u8, bits: u8) -> String {
    if bits == 1 {
        lsb.to_string()
    } else {
        format!("{}:{lsb}", lsb + bits - 1)
    }
}

/// A field of a system's register.
#[derive(Clone, Copy, Debug)]
pub struct MapField {
    /// Lower-case name.
    pub name: &'static str,
    /// Lowest bit.
    pub lsb: u8,
    /// Width, bits.
    pub bits: u8,
    /// Access.
    pub access: RegAccess,
    /// Value after reset.
    pub reset: u32,
    /// Meaning.
    pub doc: &'static str,
}

/// A register of a system.
#[derive(Clone, Debug)]
pub struct MapReg {
    /// Lower-case name; with a funnel, those of the encoders begin with `encoderN_`.
    pub name: String,
    /// Byte offset.
    pub offset: u32,
    /// It is that of encoder 0 again, with other values after reset.
    pub again: bool,
    /// Meaning.
    pub doc: &'static str,
    /// Fields, lowest first.
    pub fields: Vec<MapField>,
}

/// All registers of a system.
#[derive(Clone, Debug)]
pub struct Map {
    /// Width of the bus address, which counts registers.
    pub addr_bits: u8,
    /// Parameters of the stream on one line.
    pub line: String,
    /// By offset.
    pub registers: Vec<MapReg>,
}

impl MapReg {
    /// Value after reset.
    pub fn reset(&self) -> u32 {
        self.fields.iter().fold(0, |word, f| word | f.reset << f.lsb)
    }

    /// Access of all fields, if it is the same.
    pub fn access(&self) -> Option<RegAccess> {
        let first = self.fields.first()?.access;
        self.fields.iter().all(|f| f.access == first).then_some(first)
    }
}

impl Map {
    /// The registers of a system with its own map; `memory`: it has a memory port; `status`: constant bits of register `status`.
    pub fn native(params: &dyn StreamParams, memory: bool, status: u32) -> Self {
        let register = |r: &'static Reg| {
            let reset = |f: &Field| (u64::from(reset_value(r, params, status)) >> f.lsb & ((1 << f.bits) - 1)) as u32;
            let field = |f: &Field| MapField {
                name: f.name,
                lsb: f.lsb,
                bits: f.bits,
                access: r.access,
                reset: reset(f),
                doc: f.doc,
            };
            MapReg {
                name: r.name.into(),
                offset: 4 * u32::from(r.addr),
                again: false,
                doc: r.doc,
                fields: r.fields.iter().map(field).collect(),
            }
        };
        Self {
            addr_bits: ADDR_BITS + u8::from(memory),
            line: params.canonical(),
            registers: list(memory).map(register).collect(),
        }
    }

    /// The registers of a system with those of the Trace Control Interface.
    pub fn tci(params: &dyn StreamParams, facts: &Facts) -> Self {
        let field = |f: &tci::map::Field, source: u8| MapField {
            name: f.name,
            lsb: f.lsb,
            bits: f.bits,
            access: f.access_in(facts),
            reset: if f.name == "src_id" { source.into() } else { f.reset_in(facts) },
            doc: f.doc,
        };
        let register = |r: &tci::map::Reg, page: u8, encoder: Option<u8>| MapReg {
            name: encoder.map_or_else(|| r.name.into(), |n| format!("encoder{n}_{}", r.name)),
            offset: u32::from(page) * tci::PAGE + u32::from(r.offset),
            again: encoder.is_some_and(|n| n > 0),
            doc: r.doc,
            fields: r.fields.iter().map(|f| field(f, encoder.unwrap_or(0))).collect(),
        };
        let page =
            |regs: &[tci::map::Reg], page, encoder| regs.iter().map(|r| register(r, page, encoder)).collect::<Vec<_>>();
        let mut registers: Vec<MapReg> = match facts.funnel {
            0 => page(tci::map::REGS, 0, None),
            inputs => (0..inputs).flat_map(|n| page(tci::map::REGS, n, Some(n))).collect(),
        };
        if facts.funnel > 0 {
            registers.extend(page(tci::funnel_map::REGS, tci::FUNNEL_PAGE, None));
        }
        registers.extend(page(facts.sink.registers(), facts.sink_page(), None));
        Self { addr_bits: facts.addr_bits(), line: params.canonical(), registers }
    }

    /// As Markdown.
    pub fn markdown(&self) -> String {
        let mut s = String::new();
        let _ = writeln!(s, "# Registers\n");
        let _ = writeln!(
            s,
            "32-bit registers. The native bus has addresses of {} bits, which count registers; other buses use the byte offset.",
            self.addr_bits
        );
        let _ = writeln!(s, "Parameters: `{}`\n", self.line);
        let _ = writeln!(s, "| address | byte offset | register | access | after reset | meaning |");
        let _ = writeln!(s, "| ---: | ---: | --- | --- | ---: | --- |");
        for r in &self.registers {
            let _ = writeln!(
                s,
                "| {} | 0x{:02x} | `{}` | {} | 0x{:08x} | {} |",
                r.offset / 4,
                r.offset,
                r.name,
                r.access().map_or("by field", access),
                r.reset(),
                r.doc
            );
        }
        if self.registers.iter().any(|r| r.again) {
            s.push_str("\nThe fields of the other encoders are those of encoder 0.\n");
        }
        for r in self.registers.iter().filter(|r| !r.again) {
            let _ = writeln!(s, "\n## `{}`\n\n| bits | field | meaning |\n| ---: | --- | --- |", r.name);
            for f in &r.fields {
                let own = if r.access().is_none() { format!(" ({})", access(f.access)) } else { String::new() };
                let _ = writeln!(s, "| {} | `{}` | {}{own} |", bits(f.lsb, f.bits), f.name, f.doc);
            }
        }
        s
    }

    /// As SystemRDL 2.0.
    pub fn systemrdl(&self) -> String {
        let mut s = String::new();
        let _ = writeln!(s, "// Parameters: {}", self.line);
        let _ = writeln!(s, "addrmap goshawk_trace {{");
        let _ = writeln!(s, "    name = \"Goshawk trace system\";");
        let _ = writeln!(s, "    default regwidth = 32;\n    default accesswidth = 32;");
        for r in &self.registers {
            let _ = writeln!(s, "    reg {{\n        desc = \"{}\";", r.doc);
            for f in &r.fields {
                let (sw, hw, more) = match f.access {
                    RegAccess::Ro => ("r", "w", ""),
                    RegAccess::Rw => ("rw", "r", ""),
                    RegAccess::W1c => ("rw", "w", " onwrite = woclr; hwset;"),
                    RegAccess::Once => ("w", "r", " singlepulse;"),
                    // SystemRDL has a property for this only in registers outside the generated map
                    RegAccess::ReadNext => ("r", "w", ""),
                };
                let _ = writeln!(
                    s,
                    "        field {{ sw = {sw}; hw = {hw};{more} desc = \"{}\"; }} {}[{}:{}] = 0x{:x};",
                    f.doc,
                    f.name,
                    f.lsb + f.bits - 1,
                    f.lsb,
                    f.reset
                );
            }
            // the suffix avoids all reserved words
            let _ = writeln!(s, "    }} {}_reg @ 0x{:02x};", r.name, r.offset);
        }
        let _ = writeln!(s, "}};");
        s
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::named_set;
    use crate::regs::REGS;

    #[test]
    fn documents_of_the_small_set() {
        let params = TraceParams::tr(named_set("small").unwrap().params);
        let map = Map::native(&params, false, 0);
        insta::assert_snapshot!("markdown", map.markdown());
        insta::assert_snapshot!("systemrdl", map.systemrdl());
    }

    #[test]
    fn id_and_fingerprint_are_the_constants_of_the_system() {
        let mut params = TraceParams::tr(named_set("small").unwrap().params);
        params.cores = 4;
        assert_eq!(reset_value(&REGS[0], &params, 0), 0x6754_0401);
        assert_eq!(reset_value(&REGS[1], &params, 0), params.fingerprint());
    }
}
