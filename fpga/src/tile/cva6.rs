//! cva6: RV64IMAC with two commit ports and RVFI
//!
//! # Source
//! OpenHW Group, CVA6, Solderpad 0.51 licence; in its 64-bit configuration with write-through data cache, without FPU,
//! MMU and PMP. The package lacks `fpu_div_sqrt_mvp`, and the parts that the programs do not use would double the
//! compile time.
//!
//! # Quirks
//! * Its RVFI does not report the next address. It reports an `ecall` that traps as retired, and the instruction after
//!   it too; breakpoints and interrupts are not reported. So the wire `ex_commit` of the commit stage shows when a trap
//!   is taken.
//! * Verilator 5.006 writes constants wider than 64 words beyond their end (`VL_CONSTHI_W_1X`). The 16 address rules of
//!   a configuration are such a constant, so only one rule is used.

use super::pair::Pair;
use super::top::ports;
use super::TileKind;
use crate::soc::core::CoreError;
use crate::soc::emitted::emitted;
use crate::soc::package::Package;

/// Package with the source.
pub const PACKAGE: Package = Package {
    name: "pythondata-cpu-cva6",
    module: "pythondata_cpu_cva6",
    version: "4.2.0.post435",
    licence: "SHL-0.51",
};

const CELLS: &str = "common/submodules/common_cells/src";

/// Source files of the core, packages first: folders, and the files read from each.
const FILES: [(&str, &[&str]); 14] = [
    ("core/include", &["cv64a6_imafdc_sv39_config_pkg", "riscv_pkg"]),
    ("corev_apu/riscv-dbg/src", &["dm_pkg"]),
    ("core/include", &["ariane_pkg"]),
    ("corev_apu/axi/src", &["axi_pkg"]),
    ("core/include", &["ariane_rvfi_pkg", "ariane_axi_pkg", "wt_cache_pkg", "std_cache_pkg", "cvxif_pkg"]),
    (
        CELLS,
        &["cf_math_pkg", "fifo_v3", "lfsr", "lzc", "rr_arb_tree", "shift_reg", "unread", "popcount", "exp_backoff"],
    ),
    ("core/fpu/src", &["fpnew_pkg"]),
    (
        "core",
        &[
            "cvxif_fu",
            "cva6",
            "alu",
            "fpu_wrap",
            "branch_unit",
            "compressed_decoder",
            "controller",
            "csr_buffer",
            "csr_regfile",
            "decoder",
            "ex_stage",
            "instr_realign",
            "id_stage",
            "issue_read_operands",
            "issue_stage",
            "load_unit",
            "load_store_unit",
            "lsu_bypass",
            "mult",
            "multiplier",
            "serdiv",
            "perf_counters",
            "ariane_regfile_ff",
            "re_name",
            "scoreboard",
            "store_buffer",
            "amo_buffer",
            "store_unit",
            "commit_stage",
            "axi_shim",
        ],
    ),
    ("core/frontend", &["btb", "bht", "ras", "instr_scan", "instr_queue", "frontend"]),
    ("core/pmp/src", &["pmp", "pmp_entry"]),
    ("common/local/util", &["tc_sram_wrapper", "sram"]),
    ("corev_apu/src/tech_cells_generic/src/rtl", &["tc_sram"]),
    ("core/cache_subsystem", &["cva6_icache", "wt_axi_adapter", "wt_cache_subsystem", "wt_dcache", "wt_dcache_ctrl"]),
    ("core/cache_subsystem", &["wt_dcache_mem", "wt_dcache_missunit", "wt_dcache_wbuffer"]),
];

/// Lines of the source that are replaced.
const EDITS: [(&str, &str); 5] = [
    ("localparam CVA6ConfigFpuEn = 1;", "localparam CVA6ConfigFpuEn = 0;"),
    ("localparam CVA6ConfigCvxifEn = 1;", "localparam CVA6ConfigCvxifEn = 0;"),
    ("localparam bit MMU_PRESENT = 1'b1;", "localparam bit MMU_PRESENT = 1'b0;"),
    ("localparam NrMaxRules = 16;", "localparam NrMaxRules = 1;"),
    // the core writes no log of its own
    ("f = $fopen(\"trace_hart_00.dasm\", \"w\");", "f = 0;"),
];

/// The core, its wrapper and its adapter.
pub(super) fn verilog() -> Result<String, CoreError> {
    let names: Vec<String> =
        FILES.iter().flat_map(|(folder, files)| files.iter().map(move |f| format!("{folder}/{f}.sv"))).collect();
    let files = PACKAGE.read_all(names.iter().map(String::as_str))?;
    let mut text = String::from("`define RVFI_TRACE\n`define WT_DCACHE\n");
    files.iter().for_each(|(_, source)| text.extend([source, "\n"]));
    for (line, other) in EDITS {
        if text.matches(line).count() != 1 {
            return Err(CoreError::Source { core: "cva6", line: line.into() });
        }
        text = text.replace(line, other);
    }
    text.push_str(&include_str!("../../verilog/tile_cva6.sv").replace("`TILE_PORTS", &ports(TileKind::Cva6)));
    text.push_str(&emitted(Pair::default(), "tile_pair").map_err(CoreError::Check)?);
    Ok(text)
}
