//! The trace system beside the chip: its registers and its words behind a node of the ring

use crate::soc::emitted::emitted;
use crate::soc::top::{SocConfig, SocError};
use hdl::diag::node::trace::TraceNode;
use hdl::emit::emit_as;
use hdl::verilog::Style;

/// What the trace system has of a core.
const PORTS: [&str; 6] = ["rvfi_valid", "rvfi_insn", "rvfi_trap", "rvfi_intr", "rvfi_pc_rdata", "rvfi_pc_wdata"];

/// Trace system and node, where the SoC has one.
pub(super) fn circuits(config: &SocConfig) -> Result<String, SocError> {
    let Some(params) = &config.trace else { return Ok(String::new()) };
    let style = Style { name: "trace_system".into(), ..Style::default() };
    let node = emitted(TraceNode::new(), "diag_trace").map_err(SocError::Refused)?;
    Ok(format!("{}{node}", emit_as(params, &config.system(), &style)?))
}

/// Their instances, beside the chip.
pub(super) fn instances(cores: u8) -> String {
    let each = PORTS.iter().flat_map(|p| (0..cores).map(move |i| format!(".{p}_{i}({p}_{i})")));
    format!(
        "    wire [2:0] reg_addr;\n    wire reg_write, word_valid, word_ready;\n    wire [31:0] reg_wdata, reg_rdata, word;\n    \
         wire t_got_valid, t_got_ready, t_put_valid, t_put_ready;\n    wire [15:0] t_got_word, t_put_word;\n    \
         trace_system trace(.clock(clk), .reset(reset),\n        {},\n        \
         .bus_addr(reg_addr), .bus_write(reg_write), .bus_wdata(reg_wdata), .bus_rdata(reg_rdata),\n        \
         .valid(word_valid), .ready(word_ready), .data(word));\n    \
         diag_trace node(.clock(clk), .reset(reset), .got_valid(t_got_valid), .got_word(t_got_word), .got_ready(t_got_ready),\n        \
         .put_valid(t_put_valid), .put_word(t_put_word), .put_ready(t_put_ready),\n        \
         .bus_addr(reg_addr), .bus_write(reg_write), .bus_wdata(reg_wdata), .bus_rdata(reg_rdata),\n        \
         .valid(word_valid), .ready(word_ready), .data(word));\n",
        each.collect::<Vec<_>>().join(",\n        ")
    )
}

/// The chip's ports of its client outside.
pub(super) fn joined() -> String {
    let of = |port: &str| {
        format!(",\n        .{port}_0_valid(t_{port}_valid), .{port}_0_word(t_{port}_word), .{port}_0_ready(t_{port}_ready)")
    };
    of("put") + &of("got")
}
