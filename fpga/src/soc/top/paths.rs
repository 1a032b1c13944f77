//! Parts of the top module: stopping the cores, tracing them, trace output, host access, a core instance

use super::*;

impl SocConfig {
    /// Condition that stops the cores. Recorded cores first stop making accesses until every access has retired;
    /// otherwise the recorder could report a reference whose instruction it never reports.
    pub(super) fn stop_path(&self, s: &mut String) -> &'static str {
        if !self.shows_data() {
            return "ended || halt || host_halt";
        }
        s.push_str(
            "    wire recording, hold;\n    wire waits = hold && !recording;\n    reg stopping;\n    \
             wire still = stopping || hold;\n    \
             reg [6:0] stopped;\n    always @(posedge clk) begin\n        \
             stopping <= !reset && (stopping || ended || halt || host_halt);\n        \
             stopped <= !stopping || reset ? 7'd0 : stopped[6] ? stopped : stopped + 7'd1;\n    end\n",
        );
        "stopped[6]"
    }

    /// Trace system, if there is one, and the trace output.
    pub(super) fn trace_path(&self, s: &mut String) {
        s.push_str("    wire word_valid, word_ready;\n    wire [31:0] word;\n");
        self.value_path(s);
        let of = |ports: &[&str]| -> String {
            let each = ports.iter().flat_map(|p| (0..self.cores).map(move |i| format!(".{p}_{i}({p}_{i})")));
            each.collect::<Vec<_>>().join(",\n        ")
        };
        if self.record.is_some() {
            let of_master = format!("d_master == 4'd{}", self.cores);
            let (valid, master) = if self.records_masters() {
                (
                    format!("access && !({of_master})"),
                    format!(
                        "\n        .master_valid_0(access && {of_master} && d_wstrb != 4'd0), .master_addr_0(d_addr),\n        \
                         .master_data_0(d_wdata), .master_mask_0(d_wstrb),"
                    ),
                )
            } else {
                ("access".into(), String::new())
            };
            // the previous content of RAM is not known in the cycle of a store
            let _ = write!(
                s,
                "    trace_system trace(.clock(clk), .reset(reset),\n        {},\n        {},\n        {},\n        \
                 .mem_valid({valid}), .mem_core(d_master[2:0]), .mem_addr(d_addr), .mem_write(d_wstrb != 4'd0),\n        \
                 .mem_changes(1'b1), .mem_again(1'b0),{master} .recording(recording), .hold(hold),\n        \
                 .bus_addr(reg_addr), .bus_write(reg_write), .bus_wdata(reg_wdata), .bus_rdata(reg_rdata),\n        \
                 .valid(word_valid), .ready(word_ready), .data(word));\n",
                of(&["rvfi_valid", "rvfi_insn", "rvfi_trap", "rvfi_pc_rdata", "rvfi_pc_wdata"]),
                of(&DATA_PORTS),
                of(&["trap_valid", "trap_interrupt", "trap_cause"]),
            );
        } else if self.trace.is_some() {
            let ports = ["rvfi_valid", "rvfi_insn", "rvfi_trap", "rvfi_intr", "rvfi_pc_rdata", "rvfi_pc_wdata"];
            let _ = write!(
                s,
                "    trace_system trace(.clock(clk), .reset(reset),\n        {},\n        \
                 .bus_addr(reg_addr), .bus_write(reg_write), .bus_wdata(reg_wdata), .bus_rdata({}),\n        \
                 .valid(word_valid), .ready(word_ready), .data(word));\n",
                of(&ports),
                if self.has_value_port() { "flow_rdata" } else { "reg_rdata" }
            );
        } else if self.values.is_none() {
            s.push_str("    assign reg_rdata = 32'd0;\n    assign word_valid = 1'b0;\n    assign word = 32'd0;\n");
        }
        if let Some(log2) = self.buffer {
            let _ = write!(
                s,
                "    wire out_valid, out_ready;\n    wire [31:0] out;\n    \
                 assign word_ready = 1'b1;\n    \
                 soc_ring ring(.clock(clk), .reset(reset), .half_words(16'd{}), .in_valid(word_valid),\n        \
                 .in_data(word), .end_trace(turn), .trace_ended(turned), .finished(traced), .out_valid(out_valid),\n        \
                 .out_ready(out_ready), .out_data(out), .all_out(all_sent));\n",
                1u32 << (log2 - 1)
            );
        } else {
            s.push_str("    assign turn = 1'b0;\n    assign all_sent = traced;\n");
        }
        let words = if self.buffer.is_some() {
            ".clock(clk), .reset(reset), .valid(out_valid), .ready(out_ready), .data(out)"
        } else {
            ".clock(clk), .reset(reset), .valid(word_valid), .ready(word_ready), .data(word)"
        };
        let _ = match self.output {
            Output::Port { pins } => write!(
                s,
                "    wire [7:0] all_pins;\n    assign trace_pins = all_pins[{}:0];\n    \
                 soc_port port({words},\n        \
                 .width(4'd{pins}), .pins(all_pins), .strobe(trace_strobe), .idle(trace_idle));\n",
                pins - 1
            ),
            Output::Uart { divisor } => write!(
                s,
                "    wire answer_valid, answer_taken;\n    wire [31:0] answer_low, answer_high;\n    \
                 soc_uart uart({words},\n        \
                 .divisor(16'd{divisor}), .console_valid(console_valid), .console_data(console_data), .finished(all_sent),\n        \
                 .exited(exit_seen), .exit_code(last_code), .response_valid(answer_valid), .response_low(answer_low),\n        \
                 .response_high(answer_high), .response_taken(answer_taken), .tx(tx), .idle(trace_idle));\n"
            ),
        };
    }

    /// The load-value system, if there is one. Next to a trace system, it also receives writes to that system's
    /// registers, and the status combines both; all other registers are read from the trace system.
    pub(super) fn value_path(&self, s: &mut String) {
        if self.values.is_none() {
            return;
        }
        let ports = ["rvfi_valid", "rvfi_insn", "rvfi_trap"].into_iter().chain(DATA_PORTS);
        let each = ports.flat_map(|p| (0..self.cores).map(move |i| format!(".{p}_{i}({p}_{i})")));
        let of = each.collect::<Vec<_>>().join(",\n        ");
        let own = self.has_value_port();
        if let (true, Output::Port { pins }) = (own, self.output) {
            let _ = write!(
                s,
                "    wire value_valid, value_ready, value_idle;\n    wire [31:0] value, value_rdata, flow_rdata;\n    \
                 reg of_both;\n    always @(posedge clk) of_both <= reg_addr == 3'd{};\n    \
                 assign reg_rdata = of_both ? flow_rdata & value_rdata : flow_rdata;\n    \
                 wire [7:0] all_value_pins;\n    assign value_pins = all_value_pins[{}:0];\n    \
                 soc_port value_port(.clock(clk), .reset(reset), .valid(value_valid), .ready(value_ready), .data(value),\n        \
                 .width(4'd{pins}), .pins(all_value_pins), .strobe(value_strobe), .idle(value_idle));\n",
                register("status").addr,
                pins - 1
            );
        }
        let (rdata, word) = if own { ("value_rdata", "value") } else { ("reg_rdata", "word") };
        let _ = write!(
            s,
            "    wire values_lost;\n    value_system values(.clock(clk), .reset(reset),\n        {of},\n        \
             .recording(recording), .hold(hold), .lost(values_lost),\n        \
             .bus_addr(reg_addr), .bus_write(reg_write), .bus_wdata(reg_wdata), .bus_rdata({rdata}),\n        \
             .valid({word}_valid), .ready({word}_ready), .data({word}));\n"
        );
    }

    /// Host access to registers, if it is allowed.
    pub(super) fn host_path(&self, s: &mut String) {
        let (Output::Uart { divisor }, Host::Controls | Host::Starts) = (self.output, self.host) else {
            s.push_str(
                "    assign host_access = 1'b0;\n    assign host_write = 1'b0;\n    assign host_addr = 3'd0;\n    \
                 assign host_wdata = 32'd0;\n    assign go = 1'b1;\n    assign host_halt = 1'b0;\n",
            );
            if matches!(self.output, Output::Uart { .. }) {
                s.push_str(
                    "    assign answer_valid = 1'b0;\n    assign answer_low = 32'd0;\n    \
                     assign answer_high = 32'd0;\n",
                );
            }
            return;
        };
        let wait = u8::from(self.host == Host::Starts);
        let _ = write!(
            s,
            "    soc_host host(.clock(clk), .reset(reset), .divisor(16'd{divisor}), .starts(1'b{wait}), .rx(rx),\n        .request(host_access), \
             .bus_write(host_write), .bus_addr(host_addr), .bus_wdata(host_wdata), .taken(!core_access),\n        \
             .bus_rdata(reg_rdata), .go(go), .halt(host_halt), .status({{all_sent, exit_seen, run, go}}),\n        \
             .response_valid(answer_valid), .response_low(answer_low), .response_high(answer_high),\n        .response_taken(answer_taken));\n"
        );
    }

    pub(super) fn core_instance(&self, s: &mut String, i: u32, observed: bool, with_data: bool) {
        let n = u32::from(self.cores);
        for one in ["rvfi_valid", "rvfi_trap", "rvfi_intr"] {
            let _ = writeln!(s, "    wire {one}_{i};");
        }
        for word in ["rvfi_insn", "rvfi_pc_rdata", "rvfi_pc_wdata"] {
            let _ = writeln!(s, "    wire [31:0] {word}_{i};");
        }
        if with_data {
            let _ = writeln!(
                s,
                "    wire [4:0] rvfi_rd_addr_{i};\n    wire [31:0] rvfi_rd_wdata_{i}, rvfi_mem_addr_{i}, rvfi_mem_rdata_{i}, \
                 rvfi_mem_wdata_{i};\n    wire [3:0] rvfi_mem_rmask_{i}, rvfi_mem_wmask_{i}, trap_cause_{i};\n    \
                 wire trap_valid_{i};\n    wire trap_interrupt_{i} = 1'b1;"
            );
        }
        let data = |p: &str, w: u32| format!(".m_{p}(m_{p}[{} +: {w}])", w * i);
        let fetch = if self.private_fetch {
            format!(
                ".f_valid(f_valid[{i}]), .f_addr(f_addr[{0} +: 32]), .f_ready(f_ready[{i}]), .f_rdata(f_rdata[{0} +: 32])",
                32 * i
            )
        } else {
            let m = n + i;
            let _ = writeln!(
                s,
                "    assign m_wdata[{} +: 32] = 32'd0;\n    assign m_wstrb[{} +: 4] = 4'd0;",
                32 * m,
                4 * m
            );
            format!(
                ".f_valid(m_valid[{m}]), .f_addr(m_addr[{} +: 32]), .f_ready(m_ready[{m}]), .f_rdata(m_rdata)",
                32 * m
            )
        };
        let mut list = vec![
            ".clk(clk), .reset(cores_reset)".to_string(),
            fetch,
            [data("valid", 1), data("addr", 32), data("wdata", 32), data("wstrb", 4), data("ready", 1)].join(", "),
            format!(".m_rdata(m_rdata), .timer_irq(timer_irq[{i}]), .soft_irq(soft_irq[{i}])"),
        ];
        let wires = |names: &[&str]| names.iter().map(|p| format!(".{p}({p}_{i})")).collect::<Vec<_>>().join(", ");
        if observed {
            list.push(wires(&["retire_valid", "retire_pc", "retire_npc"]));
            list.push(wires(&["retire_trap", "retire_mepc", "retire_cause"]));
        }
        list.push(wires(&["rvfi_valid", "rvfi_insn", "rvfi_trap"]));
        list.push(wires(&["rvfi_intr", "rvfi_pc_rdata", "rvfi_pc_wdata"]));
        if with_data {
            list.push(wires(&DATA_PORTS));
            list.push(wires(&["trap_valid", "trap_cause"]));
            if observed && self.shows_data() {
                list.push(wires(&["retire_rd", "retire_value"]));
            }
        }
        let _ = writeln!(s, "    soc_core core_{i}({});", list.join(",\n        "));
    }
}
