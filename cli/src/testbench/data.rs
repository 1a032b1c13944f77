//! Test bench of a system that takes the cores' data

use super::BenchParts;
use hdl::scheme::data::DataBench;
use hdl::verilog::Style;

/// Ports of a core that all such systems have.
const PORTS: [(&str, &str); 10] = [
    ("rvfi_valid", ""),
    ("rvfi_trap", ""),
    ("rvfi_insn", "[31:0] "),
    ("rvfi_rd_addr", "[4:0] "),
    ("rvfi_rd_wdata", "[31:0] "),
    ("rvfi_mem_addr", "[31:0] "),
    ("rvfi_mem_rmask", "[3:0] "),
    ("rvfi_mem_wmask", "[3:0] "),
    ("rvfi_mem_rdata", "[31:0] "),
    ("rvfi_mem_wdata", "[31:0] "),
];

/// The text of a bench for a system of `cores` cores.
pub fn bench(cores: u8, style: &Style, v: &DataBench) -> String {
    let (more, own) = (v.ports, &v.own);
    let each = |line: &dyn Fn(u8) -> String| (0..cores).map(line).collect::<String>();
    let all: Vec<_> = PORTS.iter().chain(more).collect();
    let has = |port: &str| more.iter().any(|m| m.0 == port);
    let declared = |i: u8| all.iter().map(|(n, w)| format!("    reg {w}{n}_{i} = 0;\n")).collect::<String>();
    let connected = |i: u8| all.iter().map(|(n, _)| format!("        .{n}_{i}({n}_{i}),\n")).collect::<String>();
    let quiet = |i: u8| {
        let trap = if has("trap_valid") { format!("            trap_valid_{i} = 1'b0;\n") } else { String::new() };
        format!("            rvfi_valid_{i} = 1'b0;\n{trap}")
    };
    let says = |i: u8| {
        let says = [
            ("rvfi_valid", "trap == 0"),
            ("rvfi_insn", "insn"),
            ("rvfi_pc_rdata", "pc"),
            ("rvfi_pc_wdata", "next_pc"),
            ("rvfi_rd_addr", "rd"),
            ("rvfi_rd_wdata", "value"),
            ("rvfi_mem_addr", "addr"),
            ("rvfi_mem_rmask", "masks[3:0]"),
            ("rvfi_mem_wmask", "masks[7:4]"),
            ("rvfi_mem_rdata", "loaded"),
            ("rvfi_mem_wdata", "stored"),
            ("trap_valid", "trap != 0"),
            ("trap_interrupt", "trap == 3"),
            ("trap_cause", "cause"),
        ];
        let there = says.iter().filter(|s| all.iter().any(|p| p.0 == s.0));
        let lines: String = there.map(|(port, what)| format!("                {port}_{i} = {what};\n")).collect();
        format!("            if (port == {i}) begin\n{lines}            end\n")
    };
    BenchParts { text: TEXT, edge: EDGE, fields: 13, take: "says" }
        .fill(style, v.words.len(), v.stop, None)
        .replace("@PORTS", &(each(&connected) + &own[0]))
        .replace("@SIGNALS", &(each(&declared) + &own[1]))
        .replace("@QUIET", &(each(&quiet) + &own[2]))
        .replace("@SAYS", &(each(&says) + &own[3]))
}

/// Checks that no core has to wait: the vectors are slow enough.
const EDGE: &str = r#"            if (begun && hold !== 1'b0 && failed == 0) begin
                $display("FAIL: the cores are to wait");
                failed = 1;
            end
            begun = recording === 1'b1;
            idle = bus_rdata[@IDLE];
"#;

const TEXT: &str = r#"// Test bench of the system in goshawk_trace.v: plays beats.txt and compares with words.hex
//
//     iverilog -o tb goshawk_tb.v goshawk_trace.v && vvp tb
//
// It says PASS, or FAIL with what is wrong first.

module @NAME_tb;
    localparam WORDS = @WORDS;
    localparam MORE = @MORE;
    localparam STOP = @STOP;
    localparam PATIENCE = 4000000;

@BUS    wire valid, recording, hold;
    wire [31:0] data;
@SIGNALS
    @NAME dut (
@PORTS        .recording(recording),
        .hold(hold),
@SYSTEM    // before the latest edge
    reg begun = 1'b0, idle = 1'b0;

@TASKS
    integer beats, fields = 0, cycle, port, skipped;
    reg [31:0] insn, pc, next_pc, value, addr, loaded, stored;
    reg [7:0] masks;
    reg [4:0] rd;
    reg [3:0] trap, cause;
    reg [8*512-1:0] comment;

    task next_beat;
        fields = $fscanf(beats, "%d %d %h %h %h %h %h %h %h %h %h %h %h", cycle, port, insn, pc, next_pc, rd, value,
                         addr, masks, loaded, stored, trap, cause);
    endtask

    task quiet;
        begin
@QUIET        end
    endtask

    task says;
        begin
@SAYS        end
    endtask

    initial begin
@OPEN        while (!begun && waited < PATIENCE && failed == 0) begin
            tick;
            waited = waited + 1;
        end
        now = 0;
@PLAYendmodule
"#;
