//! The trace system of a SoC with a diagnosis chip: a ring node carries its registers and words

use crate::soc::emitted::emitted;
use crate::soc::top::{SocConfig, SocError};
use hdl::diag::node::trace::TraceNode;
use hdl::emit::emit_as;
use hdl::verilog::Style;

/// Ports of a core that the trace system uses.
const PORTS: [&str; 6] = ["rvfi_valid", "rvfi_insn", "rvfi_trap", "rvfi_intr", "rvfi_pc_rdata", "rvfi_pc_wdata"];

/// Trace system and node, if the SoC has one; with `windows` including a filter.
pub(super) fn circuits(config: &SocConfig, windows: bool) -> Result<String, SocError> {
    let Some(params) = &config.trace else { return Ok(String::new()) };
    let mut options = config.system();
    if windows {
        // its inputs come from registers, delayed by one cycle, with the decision to hide the instruction
        (options.extras.filter, options.extras.registered) = (true, false);
    }
    let style = Style { name: "trace_system".into(), ..Style::default() };
    let node = emitted(TraceNode::new(), "diag_trace").map_err(SocError::Refused)?;
    Ok(format!("{}{node}", emit_as(params, &options, &style)?))
}

/// Instances of both. With `windows`, a core's retired instructions reach the trace system one cycle later, together
/// with the window's decision whether to hide them. All of these cores are in machine mode, which is traced.
pub(super) fn instances(cores: u8, windows: bool) -> String {
    let late = if windows { "_late" } else { "" };
    let ports = PORTS.iter().flat_map(|p| (0..cores).map(move |i| format!(".{p}_{i}({p}_{i}{late})")));
    let filter =
        (0..cores).filter(|_| windows).map(|i| format!(".hide_{i}(hide_{i}), .mode_{i}(2'd3), .allow_modes_{i}(4'd8)"));
    let each = ports.chain(filter);
    let registers: String = (0..cores).filter(|_| windows).map(delayed).collect();
    format!(
        "{registers}    wire [2:0] reg_addr;\n    wire reg_write, word_valid, word_ready;\n    wire [31:0] reg_wdata, reg_rdata, word;\n    \
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

/// Delay registers of the ports of core `i`.
fn delayed(i: u8) -> String {
    let port = |p: &&str| {
        let range = if p.contains("insn") || p.contains("pc_") { "[31:0] " } else { "" };
        format!("    reg {range}{p}_{i}_late = 0;\n    always @(posedge clk) {p}_{i}_late <= {p}_{i};\n")
    };
    format!("    wire hide_{i};\n{}", PORTS.iter().map(port).collect::<String>())
}

/// Outputs of the chip's windows.
pub(super) fn hidden(cores: u8) -> String {
    (0..cores).map(|i| format!(",\n        .hide_{i}(hide_{i})")).collect()
}

/// Ports of the chip for its external client.
pub(super) fn joined() -> String {
    let of = |port: &str| {
        format!(",\n        .{port}_0_valid(t_{port}_valid), .{port}_0_word(t_{port}_word), .{port}_0_ready(t_{port}_ready)")
    };
    of("put") + &of("got")
}
