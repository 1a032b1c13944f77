//! rocket: RV64IMAC with one hart or four, through the trace port of its CSR file
//!
//! # Source
//! CHIPS Alliance, Rocket Chip, Apache 2.0 licence, as the package generated it for LiteX: configurations `LitexConfig` (one small
//! core without MMU and FPU) and `LitexLinux4Config` (four with MMU).
//!
//! # Quirks
//! * Its trace port (`io_trace_0_valid`, `iaddr`, `insn`, `exception`; privilege, cause and interrupt are not in the
//!   package's Verilog) ends at the module `Rocket`: the wrapper accesses it by hierarchical path.
//! * It has no ASIDs (`satp` keeps none). The address space of an instruction is the low half of the page number of its root, `satp.PPN`, which
//!   differs for all roots in RAM; without translation it is 0.
//! * A boot ROM runs first, which is not part of the program; instructions before the program's entry are not shown.

use super::top::ports;
use super::TileKind;
use crate::soc::core::CoreError;
use crate::soc::package::Package;
use std::fmt::Write;

/// Package with the source.
pub const PACKAGE: Package = Package {
    name: "pythondata-cpu-rocket",
    module: "pythondata_cpu_rocket",
    version: "0.0.post7146",
    licence: "Apache-2.0",
};

/// Verilog of the core and its wrapper.
pub(super) fn verilog(kind: TileKind) -> Result<String, CoreError> {
    let config = if kind.harts() == 4 { "LitexLinux4Config" } else { "LitexConfig" };
    let generated = format!("generated-src/freechips.rocketchip.system.{config}");
    let names = [
        "vsrc/plusarg_reader.v".to_owned(),
        "vsrc/AsyncResetReg.v".into(),
        "vsrc/EICG_wrapper.v".into(),
        format!("{generated}.behav_srams.v"),
        format!("{generated}.v"),
    ];
    // its monitors would double the code
    let mut text = String::from("`define SYNTHESIS\n");
    for (_, source) in PACKAGE.read_all(names.iter().map(String::as_str))? {
        text.extend([&source, "\n"]);
    }
    let (mut harts, mut logs) = (String::new(), String::new());
    for i in 0..kind.harts() {
        let domain = if i == 0 { String::new() } else { format!("_{i}") };
        let csr = format!("system.tile_prci_domain{domain}.tile_reset_domain_tile.core.csr");
        let path = format!("{csr}.io_trace_0");
        let _ = write!(harts, ".resetctrl_hartIsInReset_{i}(reset), ");
        let _ = write!(
            logs,
            "    reg begun_{i};\n    wire begins_{i} = begun_{i} || log_pc_{i} == 64'h8000_0000;\n    \
             wire retires_{i} = {path}_valid && !{path}_exception;\n    \
             always @(posedge clk) begun_{i} <= !reset && (begun_{i} || (retires_{i} && begins_{i}));\n    \
             assign log_valid_{i} = retires_{i} && begins_{i} && !stop;\n    \
             assign log_pc_{i} = 64'($signed({path}_iaddr));\n    assign log_insn_{i} = {path}_insn;\n    \
             assign log_trap_{i} = 1'b0;\n    assign log_mepc_{i} = 64'd0;\n"
        );
        if kind.has_mmu() {
            let _ = write!(
                logs,
                "    assign log_mode_{i} = {csr}.reg_mstatus_prv;\n    \
                 assign log_space_{i} = {csr}.reg_satp_mode == 4'd8 ? {csr}.reg_satp_ppn[15:0] : 16'd0;\n"
            );
        }
    }
    let wrapper = include_str!("../../verilog/tile_rocket.sv");
    text.push_str(
        &wrapper.replace("`TILE_PORTS", &ports(kind)).replace("`TILE_HARTS", &harts).replace("    `TILE_LOGS\n", &logs),
    );
    Ok(text)
}
