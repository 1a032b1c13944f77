//! The emitted top module of a SoC
//!
//! Bus and devices are Verilog modules with parameters (`fpga/verilog`). The other circuits are those of
//! [`super::circuit`]; cores come from [`super::core`], the trace system from [`hdl::emit`]. This module connects them.
//! Its output is a pure function of the description.

use super::circuit::boot::Boot;
use super::circuit::host::HostLink;
use super::circuit::port::TracePort;
use super::circuit::ring::Ring;
use super::circuit::uart::Uart;
use super::core::{CoreError, CoreKind};
use super::emitted::emitted;
use hdl::emit::{emit_as, EmitError, SystemOptions, CORES, LOG2_FIFO, LOG2_RECORD_FIFO};
use hdl::scheme::Circuit;
use hdl::spine::Extras;
use hdl::verilog::Style;
use serde::Serialize;
use sim::params::{DataScheme, TraceParams};
use sim::regs::register;
use sim::scheme::cfiat::CfiatParams;
use sim::scheme::inputs::params::Sizes;
use sim::scheme::inputs::InputsParams;
use std::fmt::Write;
use std::ops::RangeInclusive;

mod paths;
mod self_trace;

pub use self_trace::{SELF_TRACE_BASE, SELF_TRACE_BYTES};

/// log2 of the RAM size in bytes.
pub const LOG2_RAM: RangeInclusive<u8> = 10..=24;
/// log2 of the size of a circular trace buffer in words.
pub const LOG2_BUFFER: RangeInclusive<u8> = 6..=16;
/// First byte of RAM; the cores start here.
pub const RAM_BASE: u64 = 0x8000_0000;

/// Output of the SoC for trace words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Output {
    /// A parallel port of 1, 2, 4 or 8 pins and a strobe, at the cores' clock.
    Port {
        /// Data pins.
        pins: u8,
    },
    /// A serial line, 8N1, with frames ([`super::frame`]) that also carry the console and the exit code.
    Uart {
        /// Cycles per bit. 4..=65535.
        divisor: u16,
    },
}

/// Permission of the host over the serial line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Host {
    /// Nothing: it only receives.
    Listens,
    /// Access the registers of trace system and SoC, stop the cores.
    Controls,
    /// The same, and the cores wait until the host starts them.
    Starts,
}

/// Description of a SoC.
#[derive(Clone, Debug, Serialize)]
pub struct SocConfig {
    /// Softcore.
    pub core: CoreKind,
    /// N: number of cores. 1..=8.
    pub cores: u8,
    /// log2 of the RAM size in bytes. 10..=24.
    pub log2_ram: u8,
    /// Whether each core fetches from its own copy of the RAM instead of the shared bus. On an FPGA this takes the RAM
    /// once more per core; in simulation it costs nothing.
    pub private_fetch: bool,
    /// Trace system, or none.
    pub trace: Option<TraceParams>,
    /// Recorder (scheme `inputs`), which replaces the trace system.
    pub record: Option<Sizes>,
    /// Load-value system (scheme `cfiat`), either next to the trace system with a port of its own, or instead of it.
    pub values: Option<DataScheme>,
    /// Scheme of a trace system that the program controls, with a memory of its own, instead of one with a trace output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub self_trace: Option<String>,
    /// Whether there is a DMA, a bus master that is not a core; with scheme `inputs` there is one if it is recorded.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dma: bool,
    /// Cycles that the cores run before recording starts; 0: it starts before them.
    pub record_after: u32,
    /// log2 of the depth of each event FIFO. 3..=8.
    pub log2_fifo: u8,
    /// log2 of the size of a circular trace buffer in words, which is sent when the program has ended. `None`: trace
    /// words are sent immediately. 6..=16.
    pub buffer: Option<u8>,
    /// Trace output.
    pub output: Output,
    /// Access of the host to registers over the serial line, and whether the cores wait for it.
    pub host: Host,
    /// Cycles per tick of `mtime`. 1..=65535.
    pub tick: u16,
}

/// Error of a description from which no SoC can be made.
#[derive(Debug, thiserror::Error)]
pub enum SocError {
    /// A field outside its range.
    #[error("{field} = {value}, expected {right}")]
    Range {
        /// Field name.
        field: &'static str,
        /// Requested value.
        value: u64,
        /// Valid values.
        right: String,
    },
    /// An option requires another one.
    #[error("{what} needs {needs}")]
    Needs {
        /// The option.
        what: &'static str,
        /// Its requirement.
        needs: &'static str,
    },
    /// rust-hdl rejected a circuit: a bug in this crate.
    #[error("rust-hdl refuses a circuit: {0}")]
    Refused(String),
    /// The core's Verilog cannot be made.
    #[error("{0}")]
    Core(#[from] CoreError),
    /// The trace system cannot be emitted.
    #[error("{0}")]
    Emit(#[from] EmitError),
}

/// RVFI ports that carry data.
const DATA_PORTS: [&str; 7] = [
    "rvfi_rd_addr",
    "rvfi_rd_wdata",
    "rvfi_mem_addr",
    "rvfi_mem_rmask",
    "rvfi_mem_wmask",
    "rvfi_mem_rdata",
    "rvfi_mem_wdata",
];

/// An additional circuit in a SoC, connected to the cores' RVFI ports.
#[derive(Default)]
pub(super) struct ExtraCircuit {
    /// Ports that the SoC gets for it.
    pub ports: Vec<String>,
    /// Its instance; wires of core `i` have the names of the core's ports with `_i` appended.
    pub instance: String,
}

/// Purpose of the Verilog text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose<'a> {
    /// Simulation: RAM is loaded from the file that `+image=` names, `mtime` starts at `+mtime=`, and retirement and
    /// stores are visible at ports.
    Simulation,
    /// Synthesis: RAM is loaded from this file.
    Synthesis {
        /// `$readmemh` file name; empty: RAM is not loaded.
        image: &'a str,
    },
}

impl SocConfig {
    /// A SoC for simulation: 16 MiB of RAM, fetches without the bus, a port of 4 pins, no tracing.
    pub const fn simulated(core: CoreKind, cores: u8) -> Self {
        Self {
            core,
            cores,
            log2_ram: 24,
            private_fetch: true,
            trace: None,
            record: None,
            values: None,
            self_trace: None,
            dma: false,
            record_after: 0,
            log2_fifo: 8,
            buffer: None,
            output: Output::Port { pins: 4 },
            host: Host::Listens,
            tick: 16,
        }
    }

    /// Refuses descriptions that cannot be built.
    pub fn check(&self) -> Result<(), SocError> {
        let one_of = |field, value: u64, right: String, ok: bool| {
            if ok {
                Ok(())
            } else {
                Err(SocError::Range { field, value, right })
            }
        };
        let range = |field, value: u8, right: RangeInclusive<u8>| {
            let words = format!("{} to {}", right.start(), right.end());
            one_of(field, value.into(), words, right.contains(&value))
        };
        match self.output {
            Output::Port { pins } => one_of("pins", pins.into(), "1, 2, 4 or 8".into(), matches!(pins, 1 | 2 | 4 | 8))?,
            Output::Uart { divisor } => one_of("divisor", divisor.into(), "4 to 65535".into(), divisor >= 4)?,
        }
        range("cores", self.cores, CORES)?;
        range("log2_ram", self.log2_ram, LOG2_RAM)?;
        let fifo = if self.shows_data() { LOG2_RECORD_FIFO } else { LOG2_FIFO };
        let sizes = format!("a power of two from {} to {}", 1 << fifo.start(), 1 << fifo.end());
        one_of(
            "event FIFO entries",
            1u64.checked_shl(self.log2_fifo.into()).unwrap_or(u64::MAX),
            sizes,
            fifo.contains(&self.log2_fifo),
        )?;
        one_of("tick", self.tick.into(), "1 to 65535".into(), self.tick >= 1)?;
        if let Some(log2) = self.buffer {
            range("buffer", log2, LOG2_BUFFER)?;
            if self.trace.is_none() {
                return Err(SocError::Needs { what: "a trace buffer", needs: "trace modules" });
            }
        }
        if self.record.is_some() {
            let needs = |what, needs| Err(SocError::Needs { what, needs });
            if self.trace.is_some() {
                return needs("scheme inputs", "the output of the trace modules");
            }
            if !self.private_fetch {
                return needs("scheme inputs", "fetches that do not use the bus");
            }
            // the page size of the scheme
            one_of(
                "log2_ram",
                self.log2_ram.into(),
                format!("12 to {} for scheme inputs", LOG2_RAM.end()),
                self.log2_ram >= 12,
            )?;
        }
        if let Some(params) = self.cfiat() {
            let needs = |what, needs| Err(SocError::Needs { what, needs });
            if self.record.is_some() {
                return needs("scheme cfiat", "the output of the record system");
            }
            if !self.private_fetch {
                return needs("scheme cfiat", "fetches that do not use the bus");
            }
            if self.buffer.is_some() {
                return needs("scheme cfiat", "words that leave as they come, without a trace buffer");
            }
            if self.trace.is_some() && matches!(self.output, Output::Uart { .. }) {
                return needs(
                    "scheme cfiat in addition to a trace of the control flow",
                    "parallel ports, one for each",
                );
            }
            Circuit::check(&params, &self.system())?;
        }
        if let Some(scheme) = &self.self_trace {
            let what = "a program that traces itself";
            if self.trace.is_some() || self.shows_data() {
                return Err(SocError::Needs { what, needs: "a SoC without other trace modules" });
            }
            if self.dma {
                return Err(SocError::Needs { what, needs: "a SoC without a DMA" });
            }
            self.self_traced(scheme, &Style::default())?;
        }
        if self.dma && !self.private_fetch {
            return Err(SocError::Needs { what: "a DMA", needs: "fetches that do not use the bus" });
        }
        if self.dma && (self.values.is_some() || self.record.is_some_and(|sizes| !sizes.masters)) {
            return Err(SocError::Needs {
                what: "a DMA",
                needs: "scheme inputs with +masters, or none that records data",
            });
        }
        if self.record_after > 0 && self.record.is_none_or(|sizes| sizes.known == 0) {
            let needs = "scheme inputs with +known4096: what RAM held must be recorded";
            return Err(SocError::Needs { what: "a start of the recording after that of the cores", needs });
        }
        if self.record_after > 0 && !self.core.core().waits() {
            let needs =
                "a core that stops with its fetches, picorv32 or ibex: vexriscv continues from its instruction cache";
            return Err(SocError::Needs { what: "a start of the recording after that of the cores", needs });
        }
        if self.host != Host::Listens && matches!(self.output, Output::Port { .. }) {
            return Err(SocError::Needs { what: "a host that reaches registers", needs: "a serial line" });
        }
        Ok(())
    }

    /// RAM size, bytes.
    pub const fn ram_bytes(&self) -> u64 {
        1 << self.log2_ram
    }

    /// Parameters of the recorder, if there is one.
    pub fn inputs(&self) -> Option<InputsParams> {
        let ram = (RAM_BASE as u32, self.ram_bytes() as u32);
        self.record.map(|sizes| InputsParams::new(self.cores, 32, ram, sizes).with_profile(self.core.profile()))
    }

    /// Parameters of the load values, if they are traced.
    pub fn cfiat(&self) -> Option<CfiatParams> {
        let ram = (RAM_BASE as u32, self.ram_bytes() as u32);
        self.values.map(|DataScheme::Cfiat(sizes)| CfiatParams::new(self.cores, ram, sizes))
    }

    /// Options of the trace system, in addition to its parameters.
    pub(super) fn system(&self) -> SystemOptions {
        let extras = Extras { registered: self.core.core().registered(), ..Extras::default() };
        SystemOptions { fifo_address_bits: self.log2_fifo, extras, ..SystemOptions::default() }
    }

    /// Whether a circuit takes the cores' data from their ports, for which the cores may have to wait.
    pub(super) fn shows_data(&self) -> bool {
        self.record.is_some() || self.values.is_some()
    }

    /// Whether load values have a port of their own.
    pub(super) fn has_value_port(&self) -> bool {
        self.values.is_some() && self.trace.is_some()
    }

    /// Whether bus masters other than cores are recorded.
    pub(super) fn records_masters(&self) -> bool {
        self.record.is_some_and(|sizes| sizes.masters)
    }

    /// Whether it has a DMA.
    pub fn has_dma(&self) -> bool {
        self.dma || self.records_masters()
    }

    /// Whether the SoC sends words.
    fn traces(&self) -> bool {
        self.trace.is_some() || self.shows_data()
    }

    /// The whole SoC as Verilog, with top module `soc`.
    pub fn verilog(&self, purpose: Purpose) -> Result<String, SocError> {
        self.verilog_with(purpose, None)
    }

    /// [`SocConfig::verilog`] with an additional circuit at the cores' ports.
    pub(super) fn verilog_with(&self, purpose: Purpose, more: Option<&ExtraCircuit>) -> Result<String, SocError> {
        self.check()?;
        if matches!(purpose, Purpose::Synthesis { .. }) && self.core.core().simulated_only() {
            return Err(CoreError::Simulated(self.core.name()).into());
        }
        let init = match purpose {
            Purpose::Simulation => "reg [8*256-1:0] image;\n    \
                initial if ($value$plusargs(\"image=%s\", image)) $readmemh(image, ram);"
                .to_string(),
            Purpose::Synthesis { image: "" } => String::new(),
            Purpose::Synthesis { image } => format!("initial $readmemh(\"{image}\", ram);"),
        };
        let bus = include_str!("../../verilog/bus.v").replace("`SOC_RAM_INIT", &init);
        let time = match purpose {
            Purpose::Simulation => {
                "reg [63:0] start;\n    initial if (!$value$plusargs(\"mtime=%d\", start)) start = 64'd0;"
            }
            Purpose::Synthesis { .. } => "wire [63:0] start = 64'd0;",
        };
        let core = self.core.core();
        let mut text = match more {
            _ if self.shows_data() => core.recorded()?,
            Some(_) if self.core.shows_data() => core.recorded()?,
            _ => core.verilog()?,
        };
        text.push_str(&bus);
        text.push_str(&include_str!("../../verilog/devices.v").replace("`SOC_TIME", time));
        if self.has_dma() {
            text.push_str(include_str!("../../verilog/dma.v"));
        }
        text.push_str(&self.circuits().map_err(SocError::Refused)?);
        let style = Style { name: "trace_system".into(), ..Style::default() };
        if let Some(scheme) = &self.self_trace {
            text.push_str(&self.self_traced(scheme, &style)?);
        }
        if let Some(params) = &self.trace {
            text.push_str(&emit_as(params, &self.system(), &style)?);
        }
        if let Some(params) = self.inputs() {
            text.push_str(&emit_as(&params, &self.system(), &style)?);
        }
        if let Some(params) = self.cfiat() {
            let style = Style { name: "value_system".into(), ..Style::default() };
            text.push_str(&emit_as(&params, &self.system(), &style)?);
        }
        text.push_str(&self.top(purpose == Purpose::Simulation, more));
        Ok(text)
    }

    /// The circuits of [`super::circuit`] that the SoC uses.
    fn circuits(&self) -> Result<String, String> {
        let mut text = emitted(Boot::default(), "soc_boot")?;
        text.push_str(&match self.output {
            Output::Port { .. } => emitted(TracePort::default(), "soc_port")?,
            Output::Uart { .. } => emitted(Uart::default(), "soc_uart")?,
        });
        if let Some(log2) = self.buffer {
            text.push_str(&emitted(Ring::new(log2.into()), "soc_ring")?);
        }
        if self.host != Host::Listens {
            text.push_str(&emitted(HostLink::default(), "soc_host")?);
        }
        Ok(text)
    }

    fn top(&self, observed: bool, more: Option<&ExtraCircuit>) -> String {
        let n = u32::from(self.cores);
        // bus masters: the cores' data ports, then, if fetches use the bus, their fetch ports
        let dma = self.has_dma();
        let masters = if self.private_fetch { n } else { 2 * n } + u32::from(dma);
        let fetch_ports = if self.private_fetch { n } else { 1 };
        let mut s = String::new();
        let mut ports = vec![
            "input clk".to_string(),
            "input reset".into(),
            "input halt".into(),
            "output run".into(),
            "output done".into(),
            "output exited".into(),
            "output [31:0] exit_code".into(),
            "output console_valid".into(),
            "output [7:0] console_data".into(),
        ];
        match self.output {
            Output::Port { pins } => {
                ports.extend([format!("output [{}:0] trace_pins", pins - 1), "output trace_strobe".into()]);
                if self.has_value_port() {
                    ports.extend([format!("output [{}:0] value_pins", pins - 1), "output value_strobe".into()]);
                }
            }
            Output::Uart { .. } => ports.extend(["input rx".into(), "output tx".into()]),
        }
        if observed {
            ports.extend(
                ["access", "[3:0] access_master", "[31:0] access_addr", "[31:0] access_wdata", "[3:0] access_wstrb"]
                    .map(|p| format!("output {p}")),
            );
            for i in 0..n {
                let of = |p: &str| format!("output {p}_{i}");
                ports.extend(["retire_valid", "[31:0] retire_pc", "[31:0] retire_npc"].map(of));
                ports.extend(["retire_trap", "[31:0] retire_mepc", "[4:0] retire_cause"].map(of));
                if self.shows_data() {
                    ports.extend(["[4:0] retire_rd", "[31:0] retire_value"].map(of));
                }
            }
            if self.shows_data() {
                ports.extend(["output [31:0] access_rdata".into(), "output recorded".into()]);
            }
        }
        ports.extend(more.iter().flat_map(|m| m.ports.clone()));
        let _ = writeln!(s, "module soc(\n    {}\n);", ports.join(",\n    "));
        let _ = write!(
            s,
            "    wire [{m1}:0] m_valid, m_ready;\n    wire [{m32}:0] m_addr, m_wdata;\n    wire [{m4}:0] m_wstrb;\n    \
             wire [31:0] m_rdata;\n    wire [{f1}:0] f_valid, f_ready;\n    wire [{f32}:0] f_addr, f_rdata;\n    \
             wire [{n1}:0] timer_irq, soft_irq;\n    wire d_valid;\n    wire [3:0] d_master, d_wstrb;\n    \
             wire [31:0] d_addr, d_wdata, d_rdata;\n    wire [2:0] reg_addr, boot_addr, core_addr, host_addr;\n    \
             wire reg_write, boot_write, host_write, core_access, host_access, go, host_halt;\n    \
             wire [31:0] reg_wdata, boot_wdata, host_wdata, reg_rdata;\n    \
             wire trace_idle, traced, all_sent, turn, turned, ended;\n    \
             wire [31:0] code;\n    \
             wire cores_reset = reset || !run;\n",
            m1 = masters - 1,
            m32 = 32 * masters - 1,
            m4 = 4 * masters - 1,
            f1 = fetch_ports - 1,
            f32 = 32 * fetch_ports - 1,
            n1 = n - 1
        );
        if self.shows_data() && !observed {
            s.push_str("    wire access;\n");
        }
        let stop = self.stop_path(&mut s);
        for i in 0..n {
            let with_data = self.shows_data() || more.is_some() && self.core.shows_data();
            self.core_instance(&mut s, i, observed, with_data);
        }
        if !self.private_fetch {
            s.push_str("    assign f_valid = 1'b0;\n    assign f_addr = 32'd0;\n");
        }
        if dma {
            let _ = write!(
                s,
                "    // a bus master that is not a core\n    wire [31:0] device_rdata, dma_rdata;\n    \
                 assign d_rdata = device_rdata | dma_rdata;\n    \
                 soc_dma dma(.clk(clk), .reset(cores_reset),\n        \
                 .valid(d_valid), .addr(d_addr), .wdata(d_wdata), .wstrb(d_wstrb), .rdata(dma_rdata),\n        \
                 .m_valid(m_valid[{n}]), .m_addr(m_addr[{0} +: 32]), .m_wdata(m_wdata[{0} +: 32]),\n        \
                 .m_wstrb(m_wstrb[{1} +: 4]), .m_ready(m_ready[{n}]), .m_rdata(m_rdata));\n",
                32 * n,
                4 * n
            );
        }
        let words = self.ram_bytes() / 4;
        let _ = write!(
            s,
            "    soc_bus #(.M({masters}), .F({fetch_ports}), .WORDS({words}), .ABITS({})) bus(\n        \
             .clk(clk), .reset(cores_reset), .m_valid({}), .m_addr(m_addr), .m_wdata(m_wdata), .m_wstrb(m_wstrb),\n        \
             .m_ready(m_ready), .m_rdata(m_rdata), .f_valid({}), .f_addr(f_addr), .f_ready(f_ready),\n        \
             .f_rdata(f_rdata), .d_valid(d_valid), .d_master(d_master), .d_addr(d_addr), .d_wdata(d_wdata),\n        \
             .d_wstrb(d_wstrb), .d_rdata(d_rdata){});\n",
            self.log2_ram - 2,
            // an access that has begun is completed
            if self.shows_data() { format!("still ? {masters}'d0 : m_valid") } else { "m_valid".into() },
            // nothing retires while the state of the cores is being sent
            match () {
                () if self.record_after > 0 => format!("waits ? {fetch_ports}'d0 : f_valid"),
                // instructions that read CSRs make no access
                () if self.values.is_some() && self.core.core().waits() => {
                    format!("hold ? {fetch_ports}'d0 : f_valid")
                }
                () => "f_valid".into(),
            },
            if observed || self.shows_data() { ", .access(access)" } else { "" }
        );
        let _ = write!(
            s,
            "    soc_devices #(.N({n}), .M({masters}), .TICK({}), .NONE({})) devices(\n        \
             .clk(clk), .reset(cores_reset), .valid(d_valid), .master(d_master), .addr(d_addr), .wdata(d_wdata),\n        \
             .wstrb(d_wstrb), .rdata({}), .timer_irq(timer_irq), .soft_irq(soft_irq),\n        \
             .console_valid(console_valid), .console_data(console_data), .exited(ended), .exit_code(code),\n        \
             .trace_access(core_access), .trace_addr(core_addr), .trace_rdata(reg_rdata));\n",
            self.tick,
            // write-only
            register("request").addr,
            if dma || self.self_trace.is_some() { "device_rdata" } else { "d_rdata" },
        );
        let _ = write!(
            s,
            "    // the devices are in reset once the cores are\n    reg exit_seen;\n    reg [31:0] last_code;\n    \
             always @(posedge clk) begin\n        exit_seen <= !reset && (exit_seen || ended);\n        \
             if (ended) last_code <= code;\n    end\n    \
             assign exited = exit_seen;\n    assign exit_code = last_code;\n    \
             soc_boot boot(.clock(clk), .reset(reset), .traced(1'b{}), .go(go), .trace_delay(32'd{}), .stop({stop}),\n        \
             .has_buffer(1'b{}), .end_trace(turn), .trace_ended(turned), .run(run), .done(traced),\n        .bus_addr(boot_addr), .bus_write(boot_write),\n        \
             .bus_wdata(boot_wdata), .bus_rdata(reg_rdata), .bus_mine(!core_access && !host_access));\n    \
             assign done = all_sent && trace_idle{};\n    \
             // trace registers: cores before the host before the boot sequence\n    \
             assign reg_addr = core_access ? core_addr : host_access ? host_addr : boot_addr;\n    \
             assign reg_write = !core_access && (host_access ? host_write : boot_write);\n    \
             assign reg_wdata = host_access ? host_wdata : boot_wdata;\n",
            u8::from(self.traces()),
            self.record_after,
            u8::from(self.buffer.is_some()),
            if self.has_value_port() { " && value_idle" } else { "" }
        );
        if observed {
            s.push_str(
                "    assign access_master = d_master;\n    assign access_addr = d_addr;\n    \
                 assign access_wdata = d_wdata;\n    assign access_wstrb = d_wstrb;\n",
            );
            if self.shows_data() {
                s.push_str("    assign access_rdata = m_rdata;\n    assign recorded = recording;\n");
            }
        }
        self.trace_path(&mut s);
        self.self_trace_path(&mut s);
        self.host_path(&mut s);
        s.push_str(more.map_or("", |m| &m.instance));
        s.push_str("endmodule\n");
        s
    }
}
