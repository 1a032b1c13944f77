//! cv32e40x: RV32IMC with machine mode; uses the RVFI module of its package; simulation only
//!
//! # Source
//! OpenHW Group, CV32E40X, Solderpad 2.0 licence; without A, B, CLIC and coprocessor interface. Verilator reads the
//! SystemVerilog as it is: its module `cv32e40x_rvfi` accesses the core's wires by hierarchical path. It is not
//! converted to plain Verilog, so there is no bitstream.
//!
//! # Adapter
//! None: the lowest bits of `rvfi_trap` and `rvfi_intr` are those of RVFI, and `rvfi_pc_wdata` is right for `mret` too.
//! The package's wrapper connects an interface by its hierarchical path, which Verilator 5.006 does not support. It is
//! replaced by another interface; it reports fetches, not retirement.

use super::{soc_core, Core, CoreError, Isa};
use crate::soc::package::Package;

/// The core cv32e40x.
#[derive(Clone, Copy, Debug)]
pub struct Cv32e40x;

/// Source files of the core, packages first.
const FILES: [&str; 49] = [
    "rtl/include/cv32e40x_pkg.sv",
    "rtl/if_c_obi.sv",
    "rtl/if_xif.sv",
    "bhv/include/cv32e40x_rvfi_pkg.sv",
    "rtl/cv32e40x_if_stage.sv",
    "rtl/cv32e40x_csr.sv",
    "rtl/cv32e40x_cs_registers.sv",
    "rtl/cv32e40x_register_file.sv",
    "rtl/cv32e40x_register_file_wrapper.sv",
    "rtl/cv32e40x_write_buffer.sv",
    "rtl/cv32e40x_lsu_response_filter.sv",
    "rtl/cv32e40x_load_store_unit.sv",
    "rtl/cv32e40x_id_stage.sv",
    "rtl/cv32e40x_i_decoder.sv",
    "rtl/cv32e40x_m_decoder.sv",
    "rtl/cv32e40x_a_decoder.sv",
    "rtl/cv32e40x_b_decoder.sv",
    "rtl/cv32e40x_decoder.sv",
    "rtl/cv32e40x_compressed_decoder.sv",
    "rtl/cv32e40x_sequencer.sv",
    "rtl/cv32e40x_alignment_buffer.sv",
    "rtl/cv32e40x_prefetch_unit.sv",
    "rtl/cv32e40x_mult.sv",
    "rtl/cv32e40x_int_controller.sv",
    "rtl/cv32e40x_clic_int_controller.sv",
    "rtl/cv32e40x_ex_stage.sv",
    "rtl/cv32e40x_wb_stage.sv",
    "rtl/cv32e40x_div.sv",
    "rtl/cv32e40x_alu.sv",
    "rtl/cv32e40x_ff_one.sv",
    "rtl/cv32e40x_popcnt.sv",
    "rtl/cv32e40x_alu_b_cpop.sv",
    "rtl/cv32e40x_controller_fsm.sv",
    "rtl/cv32e40x_controller_bypass.sv",
    "rtl/cv32e40x_controller.sv",
    "rtl/cv32e40x_instr_obi_interface.sv",
    "rtl/cv32e40x_data_obi_interface.sv",
    "rtl/cv32e40x_prefetcher.sv",
    "rtl/cv32e40x_sleep_unit.sv",
    "rtl/cv32e40x_core.sv",
    "rtl/cv32e40x_mpu.sv",
    "rtl/cv32e40x_pma.sv",
    "rtl/cv32e40x_pc_target.sv",
    "bhv/cv32e40x_sim_clock_gate.sv",
    "bhv/cv32e40x_rvfi_instr_obi.sv",
    "bhv/cv32e40x_rvfi_data_obi.sv",
    "bhv/cv32e40x_rvfi.sv",
    // macros that the next file uses
    "bhv/include/cv32e40x_wrapper.vh",
    "bhv/cv32e40x_wrapper.sv",
];

/// Lines of the wrapper that are replaced; the files that it includes are read before it.
const EDITS: [(&str, &str); 4] = [
    ("`include \"cv32e40x_wrapper.vh\"", ""),
    ("`include \"cv32e40x_core_log.sv\"", ""),
    ("`include \"cv32e40x_dbg_helper.sv\"", ""),
    (".m_c_obi_instr_if         ( core_i.m_c_obi_instr_if ", ".m_c_obi_instr_if         ( obi_unused "),
];

/// The instance of a logger, and the interface that replaces it.
const LOGGER: (&str, &str, &str) = (
    "    cv32e40x_core_log\n",
    "    cv32e40x_rvfi\n",
    "    if_c_obi #(.REQ_TYPE(obi_inst_req_t), .RESP_TYPE(obi_inst_resp_t)) obi_unused();\n",
);

const WRAPPER: &str = r"
    wire write;
    wire [3:0] select;
    reg f_answer, m_answer;
    reg [31:0] f_word, m_word;
    always @(posedge clk) begin
        f_answer <= !reset && f_valid && f_ready;
        f_word <= f_rdata;
        m_answer <= !reset && m_valid && m_ready;
        m_word <= m_rdata;
    end
    assign m_wstrb = write ? select : 4'd0;
    if_xif #(.X_NUM_RS(2), .X_ID_WIDTH(4), .X_MEM_WIDTH(32), .X_RFR_WIDTH(32), .X_RFW_WIDTH(32)) none();
    cv32e40x_wrapper core(
        .clk_i(clk), .rst_ni(!reset), .scan_cg_en_i(1'b0),
        .boot_addr_i(32'h8000_0000), .mtvec_addr_i(32'h8000_0000), .dm_halt_addr_i(32'd0), .mhartid_i(32'd0),
        .mimpid_patch_i(4'd0), .dm_exception_addr_i(32'd0),
        .instr_req_o(f_valid), .instr_gnt_i(f_ready), .instr_rvalid_i(f_answer), .instr_addr_o(f_addr),
        .instr_memtype_o(), .instr_prot_o(), .instr_dbg_o(), .instr_rdata_i(f_word), .instr_err_i(1'b0),
        .data_req_o(m_valid), .data_gnt_i(m_ready), .data_rvalid_i(m_answer), .data_we_o(write), .data_be_o(select),
        .data_addr_o(m_addr), .data_memtype_o(), .data_prot_o(), .data_dbg_o(), .data_wdata_o(m_wdata),
        .data_rdata_i(m_word), .data_err_i(1'b0), .data_atop_o(), .data_exokay_i(1'b0), .mcycle_o(),
        .xif_compressed_if(none), .xif_issue_if(none), .xif_commit_if(none), .xif_mem_if(none), .xif_mem_result_if(none),
        .xif_result_if(none),
        .irq_i({24'd0, timer_irq, 3'd0, soft_irq, 3'd0}), .wu_wfe_i(1'b0),
        .clic_irq_i(1'b0), .clic_irq_id_i('0), .clic_irq_level_i(8'd0), .clic_irq_priv_i(2'd0), .clic_irq_shv_i(1'b0),
        .fencei_flush_req_o(), .fencei_flush_ack_i(1'b1),
        .debug_req_i(1'b0), .debug_havereset_o(), .debug_running_o(), .debug_halted_o(),
        .fetch_enable_i(1'b1), .core_sleep_o()
    );
    assign rvfi_valid = core.rvfi_i.rvfi_valid;
    assign rvfi_insn = core.rvfi_i.rvfi_insn;
    assign rvfi_trap = core.rvfi_i.rvfi_trap.trap;
    assign rvfi_intr = core.rvfi_i.rvfi_intr.intr;
    assign rvfi_pc_rdata = core.rvfi_i.rvfi_pc_rdata;
    assign rvfi_pc_wdata = core.rvfi_i.rvfi_pc_wdata;
    // the log, of the last stage: an instruction that traps is valid there too. Its reset is that of the RVFI, which ends both in
    // the clock in which the cores stop
    reg valid, trapped;
    reg [31:0] pc;
    reg [4:0] cause;
    wire taken = core.core_i.ctrl_fsm.csr_save_cause, irq = core.core_i.ctrl_fsm.csr_cause.irq;
    always @(posedge clk or posedge reset) begin
        if (reset) begin
            valid <= 1'b0;
            trapped <= 1'b0;
        end else begin
            valid <= core.core_i.wb_valid && (core.core_i.last_op_wb || core.core_i.abort_op_wb) && !(taken && !irq);
            trapped <= taken;
        end
        pc <= core.core_i.ex_wb_pipe.pc;
        cause <= {irq, core.core_i.ctrl_fsm.csr_cause.exception_code[3:0]};
    end
    assign retire_valid = valid;
    assign retire_pc = pc;
    assign retire_npc = rvfi_pc_wdata;
    // mepc is written in the clock in which the trap is taken
    assign retire_trap = trapped;
    assign retire_mepc = core.core_i.cs_registers_i.mepc_rdata;
    assign retire_cause = cause;
";

impl Core for Cv32e40x {
    fn package(&self) -> Package {
        Package {
            name: "pythondata-cpu-cv32e40x",
            module: "pythondata_cpu_cv32e40x",
            version: "0.6.0.post161",
            licence: "SHL-2.0",
        }
    }

    fn isa(&self) -> Isa {
        Isa::Rv32imc
    }

    fn registered(&self) -> bool {
        true
    }

    fn simulated_only(&self) -> bool {
        true
    }

    fn verilog(&self) -> Result<String, CoreError> {
        let files = self.package().read_all(FILES.into_iter())?;
        let mut wrapper = files.last().map_or("", |(_, text)| text.as_str()).to_owned();
        let missing = |line: &str| CoreError::Source { core: "cv32e40x", line: line.trim().into() };
        for (line, other) in EDITS {
            if wrapper.matches(line).count() != 1 {
                return Err(missing(line));
            }
            wrapper = wrapper.replace(line, other);
        }
        let (from, to, instead) = LOGGER;
        let start = wrapper.find(from).ok_or_else(|| missing(from))?;
        let end = wrapper[start..].find(to).ok_or_else(|| missing(to))? + start;
        wrapper.replace_range(start..end, instead);
        // some arrays mix constant elements and registers
        let mut text = String::from(
            "/* verilator lint_off BLKANDNBLK */\n`define COREV_ASSERT_OFF\n`define FORMAL\n`define SYNTHESIS\n",
        );
        files[..files.len() - 1].iter().for_each(|(_, source)| text.extend([source, "\n"]));
        text.push_str(&wrapper);
        text.push_str("\n`undef COREV_ASSERT_OFF\n`undef FORMAL\n`undef SYNTHESIS\n");
        Ok(format!("{text}\n{}", soc_core(WRAPPER)))
    }
}
