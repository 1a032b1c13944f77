//! A trace system that the program controls: registers of the Trace Control Interface on the cores' bus, and a RAM sink

use super::*;
use hdl::bus::wrap::{Buses, WordPort};
use hdl::emit::emit_on;
use hdl::options::facts;
use hdl::scheme::circuit;
use sim::params::Platform;
use sim::scheme::any::SchemeName;
use sim::tci::{Facts, Sink, PAGE};

/// Address of the trace encoder's registers; those of the RAM sink are in the next page.
pub const SELF_TRACE_BASE: u64 = 0xf400_0000;
/// Bytes of the memory of the RAM sink.
pub const SELF_TRACE_BYTES: u32 = 65_536;

impl SocConfig {
    /// The Verilog of the trace system that the program controls, and its buses.
    ///
    /// # Errors
    /// The scheme has no such system.
    pub(super) fn self_traced(&self, scheme: &str, style: &Style) -> Result<String, SocError> {
        let name: SchemeName = scheme.parse().map_err(EmitError::from)?;
        let align = self.core.core().isa().align();
        let platform = Platform { cores: self.cores, align, ..Platform::RV32 };
        let ram = (RAM_BASE as u32, self.ram_bytes() as u32);
        let circuit = circuit(&name, &platform, ram, 0).map_err(EmitError::from)?;
        if circuit.flow().is_none() && circuit.standard().is_none() {
            return Err(SocError::Needs {
                what: "a program that traces itself",
                needs: "a scheme of the control flow",
            });
        }
        let options = self.system();
        let tci = Facts { sink: Sink::Sram(SELF_TRACE_BYTES), ..facts(&*circuit, &options) };
        let buses = Buses { words: WordPort::Sram, tci: Some(tci), ..Buses::default() };
        Ok(emit_on(&*circuit, &options, style, buses)?)
    }

    /// Its instance: the response of the bus is valid one cycle after an access, and 0 for other devices.
    pub(super) fn self_trace_path(&self, s: &mut String) {
        if self.self_trace.is_none() {
            return;
        }
        let ports = ["rvfi_valid", "rvfi_insn", "rvfi_trap", "rvfi_intr", "rvfi_pc_rdata", "rvfi_pc_wdata"];
        let each = ports.iter().flat_map(|p| (0..self.cores).map(move |i| format!(".{p}_{i}({p}_{i})")));
        let of = each.collect::<Vec<_>>().join(",\n        ");
        let top = (2 * PAGE).trailing_zeros() - 1;
        let _ = write!(
            s,
            "    // two pages of registers at 0x{SELF_TRACE_BASE:08x}\n    \
             wire self_access = d_valid && d_addr[27:24] == 4'd{};\n    \
             reg self_accessed;\n    always @(posedge clk) self_accessed <= self_access && !reset;\n    \
             wire [31:0] self_word, device_rdata;\n    \
             assign d_rdata = device_rdata | (self_accessed ? self_word : 32'd0);\n    \
             trace_system trace(.clock(clk), .reset(reset),\n        {of},\n        \
             .bus_addr(d_addr[{top}:2]), .bus_read(self_access && d_wstrb == 4'd0),\n        \
             .bus_write(self_access && d_wstrb == 4'd15), .bus_wdata(d_wdata), .bus_rdata(self_word));\n",
            SELF_TRACE_BASE >> 24 & 15
        );
    }
}
