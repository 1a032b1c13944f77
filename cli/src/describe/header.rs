//! C header of the registers

use super::System;
use sim::regs::RegAccess;
use std::fmt::Write;

/// `registers.h`: for each register its byte offset and reset value, for each field its lowest bit and mask.
pub(super) fn text(system: &System) -> String {
    let name = system.name().to_uppercase();
    let mut s = format!("/* Registers of the trace system `{}`.\n * {} */\n", system.name(), system.map.line);
    let _ = writeln!(s, "#ifndef {name}_REGISTERS_H\n#define {name}_REGISTERS_H\n\n#include <stdint.h>");
    for reg in &system.map.registers {
        let at = format!("{name}_{}", reg.name.to_uppercase());
        let access = |access| match access {
            RegAccess::Ro => "read only",
            RegAccess::Rw => "read, write",
            RegAccess::W1c => "read; a 1 that is written clears",
            RegAccess::Once => "write only",
            RegAccess::ReadNext => "read only, a read advances",
        };
        let _ = writeln!(s, "\n/* {}; {} */", reg.doc, reg.access().map_or("access by field", access));
        let _ = writeln!(s, "#define {at}_OFFSET 0x{:02x}u", reg.offset);
        let _ = writeln!(s, "#define {at}_RESET 0x{:08x}u", reg.reset());
        if reg.again {
            let _ = writeln!(s, "/* fields as those of encoder 0 */");
            continue;
        }
        for field in &reg.fields {
            let mask = ((1u64 << field.bits) - 1) << field.lsb;
            let of = format!("{at}_{}", field.name.to_uppercase());
            let own = if reg.access().is_none() { format!("; {}", access(field.access)) } else { String::new() };
            let _ = writeln!(s, "/* {}{own} */", field.doc);
            let _ = writeln!(s, "#define {of}_LSB {}", field.lsb);
            let _ = writeln!(s, "#define {of}_MASK 0x{mask:08x}u");
        }
    }
    let lower = system.name();
    let _ = write!(
        s,
        "\n/* The register at a byte offset from where the system lies. */\n\
         static inline uint32_t {lower}_read(uintptr_t base, uint32_t offset)\n{{\n    \
         return *(volatile uint32_t *)(base + offset);\n}}\n\n\
         static inline void {lower}_write(uintptr_t base, uint32_t offset, uint32_t value)\n{{\n    \
         *(volatile uint32_t *)(base + offset) = value;\n}}\n\n#endif\n"
    );
    s
}
