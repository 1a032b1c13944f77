//! Test bench for a generated trace system: plain Verilog that plays its test vectors
//!
//! It sets inputs, samples outputs just before the rising edge, and compares words with `!==`, so that an unknown bit
//! counts as wrong.

mod blocks;
pub mod data;
mod sessions;

use crate::vectors::sessions::Sessions;
use crate::vectors::Vectors;
use hdl::emit::Ingress;
use hdl::spine::Extras;
use hdl::trace_sim::START;
use hdl::verilog::Style;
use sim::params::TraceParams;
use sim::regs::register;

/// File name of the bench.
pub const FILE: &str = "goshawk_tb.v";

/// Value written to `control`.
const ENABLE: &str = "{31'd0, enable}";

/// Clocks that a bench waits at most for a trace to begin or to end, where the time is not known from a simulation.
const PATIENCE: u64 = 4_000_000;

/// Lowest bit of a field of `status`.
fn status_bit(field: &str) -> u8 {
    register("status").field(field).lsb
}

/// The parts that are specific to a bench.
pub struct BenchParts {
    /// Text around the common parts.
    pub text: &'static str,
    /// Code that runs before an edge.
    pub edge: &'static str,
    /// Number of fields of a line in `beats.txt`.
    pub fields: u8,
    /// Task that handles a line.
    pub take: &'static str,
}

impl BenchParts {
    /// With what benches of all systems have: their bus, tasks and vectors, and `sessions` where there are more than one.
    pub fn fill(&self, style: &Style, words: usize, stop: u64, sessions: Option<&Sessions>) -> String {
        let more = sessions.map_or(0, |s| s.word_count);
        let given = |text: &'static str| if sessions.is_some() { text } else { "" };
        self.text
            .replace("@BUS", BUS)
            .replace("@SYSTEM", SYSTEM)
            .replace("@TASKS", TASKS)
            .replace("@OPEN", OPEN)
            .replace("@BEATS", BEATS)
            .replace("@PLAY", PLAY)
            .replace("@EDGE", self.edge)
            .replace("@FILES", given(sessions::FILES))
            .replace("@LOAD", given(sessions::LOAD))
            .replace("@HOW", given(sessions::TASKS))
            .replace("@FURTHER", given(sessions::PLAY))
            .replace("@MORE", &more.to_string())
            .replace("@FIELDS", &self.fields.to_string())
            .replace("@TAKE", self.take)
            .replace("@NAME", &style.name)
            .replace("@STOP", &stop.to_string())
            .replace("@WORDS", &words.to_string())
            .replace("@CONTROL", &register("control").addr.to_string())
            .replace("@STATUS", &register("status").addr.to_string())
            .replace("@IDLE", &status_bit("idle").to_string())
    }
}

/// The parts of a bench that depend on its ingress; functions are per core i.
struct IngressParts {
    /// Declarations for a line of the vectors, and code that reads one.
    reads: &'static str,
    /// Number of fields of a line.
    fields: u8,
    /// Port connections.
    ports: fn(usize, u8, Extras) -> String,
    /// Signals that are connected.
    signals: fn(usize, u8, Extras) -> String,
    /// Code that shows nothing in this cycle.
    quiet: fn(usize, u8) -> String,
    /// Code that shows the contents of a line.
    shows: fn(usize, u8) -> String,
    /// Connections of privilege mode and address space.
    mode: &'static str,
    space: &'static str,
    /// Whether channels are used in turn.
    turns: bool,
}

const RVFI: IngressParts = IngressParts {
    reads: READS,
    fields: 6,
    ports,
    signals,
    quiet: |i, _| format!("            valid_{i} = 1'b0;\n"),
    shows: |i, _| {
        format!(
            "            if (core == {i}) begin\n                valid_{i} = 1'b1;\n                \
             intr_{i} = trapped == 1;\n                trap_{i} = trapped == 2;\n                insn_{i} = insn;\n                \
             pc_rdata_{i} = pc;\n                pc_wdata_{i} = next_pc;\n            end\n"
        )
    },
    mode: "        .mode_{i}(2'd3),\n",
    space: "        .space_{i}(16'd0),\n",
    turns: true,
};

/// An instruction and its address.
const PC_CHAIN: IngressParts = IngressParts {
    ports: |i, _, _| {
        format!(
            "        .retire_valid_{i}(valid_{i}),\n        .retire_insn_{i}(insn_{i}),\n        .retire_pc_{i}(pc_{i}),\n"
        )
    },
    signals: |i, xlen, _| {
        format!(
            "    reg valid_{i} = 1'b0;\n    reg [31:0] insn_{i} = 32'd0;\n    reg [{m}:0] pc_{i} = 0;\n",
            m = xlen - 1
        )
    },
    shows: |i, _| {
        format!(
            "            if (core == {i}) begin\n                valid_{i} = 1'b1;\n                insn_{i} = insn;\n                \
             pc_{i} = pc;\n            end\n"
        )
    },
    turns: false,
    ..RVFI
};

/// Inputs of a system that come from others of the chip's.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inputs {
    /// The time is an input: cycles from the one in which an instruction retires to the one whose time its message has.
    pub time_lag: Option<usize>,
    /// The number of the core is one.
    pub source: bool,
}

/// The text of a bench for a system with `ingress`, `extras` and `inputs`; a filter lets all modes pass.
pub fn make(
    params: &TraceParams,
    (ingress, extras, inputs): (Ingress, Extras, Inputs),
    style: &Style,
    vectors: &Vectors,
) -> String {
    let shows = match ingress {
        Ingress::Rvfi => RVFI,
        Ingress::Blocks => blocks::BLOCKS,
        Ingress::Etrace => blocks::REPORTS,
        Ingress::PcChain => PC_CHAIN,
    };
    let cores = usize::from(params.cores);
    let each = |line: &dyn Fn(usize) -> String| (0..cores).map(line).collect::<String>();
    let per_cycle = extras.retire.map_or(1, |r| r.per_cycle);
    let connected = |i: usize| {
        let stall = if extras.stall { format!("        .stall_{i}(),\n") } else { String::new() };
        let filter = format!("        .hide_{i}(1'b0),\n        .allow_modes_{i}(4'd15),\n");
        let range = format!("        .filter_first_{i}(0),\n        .filter_last_{i}({{{}{{1'b1}}}}),\n", params.xlen);
        let spaces = format!("        .filter_space_{i}(16'd0),\n        .filter_mask_{i}(16'd0),\n");
        let given = |on: bool, line: &str| if on { line.replace("{i}", &i.to_string()) } else { String::new() };
        (shows.ports)(i, per_cycle, extras)
            + &stall
            + &given(extras.filter || params.context.is_some(), shows.mode)
            + &given(extras.filter, &filter)
            + &given(extras.range, &range)
            + &given(extras.space, &spaces)
            + &given(params.context.is_some() || extras.space, shows.space)
    };
    let enable = if extras.filter { "{20'd0, 4'd15, 7'd0, enable}" } else { ENABLE };
    let turns = shows.turns && per_cycle > 1;
    let timed = |text: &'static str| if inputs.time_lag.is_some() { text } else { "" };
    let source = if inputs.source { "        .source_0(4'd0),\n" } else { "" };
    BenchParts { text: TEXT, edge: "", fields: shows.fields, take: "retire" }
        .fill(style, vectors.word_count, vectors.stop, vectors.sessions.as_ref())
        .replace("@READS", shows.reads)
        .replace(ENABLE, enable)
        .replace("@TIMES", timed(TIMES))
        .replace("@TIME", timed(TIME))
        .replace("@LAG", &inputs.time_lag.unwrap_or(0).to_string())
        .replace("@START", &START.to_string())
        .replace("@CHANNEL", if turns { "    integer channel = 0;\n" } else { "" })
        .replace(
            "@NEXT",
            &if turns { format!("            channel = (channel + 1) % {per_cycle};\n") } else { String::new() },
        )
        .replace("@PATIENCE", &vectors.sessions.as_ref().map_or(PATIENCE, |s| s.patience).to_string())
        .replace("@MSB", &(params.xlen - 1).to_string())
        .replace("@ACTIVE", &status_bit("active").to_string())
        .replace("@PORTS", &(each(&connected) + timed(TIME_PORTS) + source))
        .replace("@XLEN", &params.xlen.to_string())
        .replace("@SIGNALS", &each(&|i| (shows.signals)(i, params.xlen, extras)))
        .replace("@QUIET", &each(&|i| (shows.quiet)(i, per_cycle)))
        .replace("@RETIRE", &each(&|i| (shows.shows)(i, per_cycle)))
}

/// RVFI port connections of core `i`.
fn ports(i: usize, per_cycle: u8, extras: Extras) -> String {
    // registered ports come one cycle later
    let from = if extras.registered { "_q" } else { "" };
    let port = |p: &str| match per_cycle {
        1 => format!("        .rvfi_{p}_{i}({p}_{i}{from}),\n"),
        // one channel per cycle, in turn
        _ => (0..per_cycle)
            .map(|j| match p {
                "trap" => format!("        .rvfi{j}_{p}_{i}(1'b0),\n"),
                "valid" => format!("        .rvfi{j}_{p}_{i}({p}_{i} && channel == {j}),\n"),
                _ => format!("        .rvfi{j}_{p}_{i}({p}_{i}),\n"),
            })
            .collect(),
    };
    ["valid", "insn", "trap", "intr", "pc_rdata", "pc_wdata"].map(port).concat()
}

/// Signals of these ports.
fn signals(i: usize, xlen: u8, extras: Extras) -> String {
    format!(
        "    reg valid_{i} = 1'b0, intr_{i} = 1'b0, trap_{i} = 1'b0;\n    reg [31:0] insn_{i} = 32'd0;\n    \
         reg [{m}:0] pc_rdata_{i} = 0, pc_wdata_{i} = 0;\n{}",
        if extras.registered { registers(i, xlen) } else { String::new() },
        m = xlen - 1
    )
}

/// Delay registers of the ports of core `i`.
fn registers(i: usize, xlen: u8) -> String {
    let one = |name: &str, range: &str| {
        format!("    reg {range}{name}_{i}_q = 0;\n    always @(posedge clock) {name}_{i}_q <= {name}_{i};\n")
    };
    let address = format!("[{}:0] ", xlen - 1);
    [("valid", ""), ("intr", ""), ("trap", ""), ("insn", "[31:0] "), ("pc_rdata", &address), ("pc_wdata", &address)]
        .map(|(name, range)| one(name, range))
        .concat()
}

const BUS: &str = r#"    reg clock = 1'b0, reset = 1'b1;
    reg [2:0] bus_addr = 3'd0;
    reg bus_write = 1'b0;
    reg [31:0] bus_wdata = 32'd0;
    wire [31:0] bus_rdata;
"#;

const SYSTEM: &str = r#"        .clock(clock),
        .reset(reset),
        .bus_addr(bus_addr),
        .bus_write(bus_write),
        .bus_wdata(bus_wdata),
        .bus_rdata(bus_rdata),
        .valid(valid),
        .ready(ready),
        .data(data)
    );

    reg [31:0] words [0:WORDS+MORE-1];
    // words that came, that are due, and that were compared; where the words of the file begin
    integer came = 0, due = WORDS, compared = 0, origin = 0;
    integer failed = 0, now, waited;
    // the sink takes a word in so many of 256 clocks
    integer chance = 256;
    reg [15:0] random = 16'd1;
    reg ready = 1'b1, held = 1'b0;
    reg [31:0] kept;
"#;

const TASKS: &str = r#"    // one clock: what stands at the outputs before the edge counts
    task tick;
        begin
            random = {random[14:0], random[15] ^ random[13] ^ random[12] ^ random[10]};
            ready = random[7:0] < chance;
            #5;
            if (held && !reset && (valid !== 1'b1 || data !== kept) && failed == 0) begin
                $display("FAIL: word %0d is taken back before it was taken", came - origin);
                failed = 1;
            end
            held = valid === 1'b1 && !ready && !reset;
            kept = data;
            if (valid !== 1'b0 && ready && !reset && failed == 0) begin
                if (came >= due) begin
                    $display("FAIL: word %0d is %h, there should be %0d words", came - origin, data, due - origin);
                    failed = 1;
                end else if (valid !== 1'b1 || data !== words[came]) begin
                    $display("FAIL: word %0d is %h, %h is right", came - origin, data, words[came]);
                    failed = 1;
                end
                came = came + 1;
                compared = compared + 1;
            end
@EDGE            clock = 1'b1;
            #5;
            clock = 1'b0;
        end
    endtask

    task control;
        input enable;
        begin
            bus_addr = 3'd@CONTROL;
            bus_wdata = {31'd0, enable};
            bus_write = 1'b1;
            tick;
            bus_addr = 3'd@STATUS;
            bus_write = 1'b0;
            // the answer to this address comes with the next clock
            tick;
            waited = 0;
        end
    endtask
"#;

/// Opens the input vectors, and resets.
pub const BEATS: &str = r#"        beats = $fopen("beats.txt", "r");
        if (beats == 0) begin
            $display("FAIL: there is no beats.txt");
            failed = 1;
        end else begin
            // two lines of comment
            skipped = $fgets(comment, beats);
            if (skipped != 0) skipped = $fgets(comment, beats);
            if (skipped == 0) begin
                $display("FAIL: beats.txt is empty");
                failed = 1;
            end
        end
        repeat (6) tick;
        reset = 1'b0;
"#;

const OPEN: &str = r#"        $readmemh("words.hex", words, 0, WORDS - 1);
@LOAD@BEATS        control(1'b1);
"#;

const PLAY: &str = r#"        if (failed == 0) next_beat;
        while (failed == 0 && now < STOP) begin
            quiet;
            while (fields == @FIELDS && cycle == now) begin
                @TAKE;
                next_beat;
            end
            tick;
            now = now + 1;
        end
        quiet;
        control(1'b0);
        tick;
        while (idle !== 1'b1 && waited < PATIENCE && failed == 0) begin
            tick;
            waited = waited + 1;
        end
        if (failed == 0 && came != WORDS) begin
            $display("FAIL: %0d words came, %0d are right", came, WORDS);
            failed = 1;
        end
@FURTHER        if (failed == 0) $display("PASS: %0d words", compared);
        $finish;
    end
"#;

const READS: &str = r#"    integer beats, fields = 0, cycle, core, trapped, skipped;
    reg [@MSB:0] pc, next_pc;
    reg [31:0] insn;
    reg [8*256-1:0] comment;

    task next_beat;
        fields = $fscanf(beats, "%d %d %d %h %h %h", cycle, core, trapped, pc, next_pc, insn);
    endtask
"#;

/// The time, where it is an input: that of a counter which software resets.
const TIMES: &str = r#"    reg [31:0] time_now = 32'd0;
    always @(posedge clock) time_now <= time_now + 32'd1;
"#;
const TIME: &str = "        time_now = START - @LAG;\n";
const TIME_PORTS: &str = "        .time_0(time_now),\n        .time_enable_0(1'b1),\n";

const TEXT: &str = r#"// Test bench of the trace system in goshawk_trace.v: plays beats.txt and compares with words.hex@FILES
//
//     iverilog -o tb goshawk_tb.v goshawk_trace.v && vvp tb
//
// It says PASS, or FAIL with the first wrong word.

module @NAME_tb;
    localparam WORDS = @WORDS;
    // words of further sessions
    localparam MORE = @MORE;
    // clock of tracing that a program can know to be there, and the one in which it ends
    localparam START = @START;
    localparam STOP = @STOP;
    localparam PATIENCE = @PATIENCE;

@BUS    wire valid;
    wire [31:0] data;
@SIGNALS@CHANNEL@TIMES
    @NAME dut (
@PORTS@SYSTEM
@TASKS
@READS
    task quiet;
        begin
@QUIET        end
    endtask

    task retire;
        begin
@NEXT@RETIRE        end
    endtask

@HOW    initial begin
@OPEN        tick;
        // `tick` ends behind the edge; what was read counts from before it
        while (active !== 1'b1 && waited < PATIENCE && failed == 0) begin
            tick;
            waited = waited + 1;
        end
        now = START;
@TIME@PLAY
    // status before the latest edge
    reg active = 1'b0, idle = 1'b0;
    always @(posedge clock) begin
        active <= bus_rdata[@ACTIVE];
        idle <= bus_rdata[@IDLE];
    end
endmodule
"#;
