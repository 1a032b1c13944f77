//! Boards: device, oscillator, pins, and the top module around a SoC
//!
//! Pins and oscillators are in `constraints/`, one file per board, from the data of amaranth-boards and litex-boards.

use super::pll::{EcpPll, IcePll};
use crate::flow::tool::{ToolKind, ECPPACK, ICEPACK, NEXTPNR_ECP5, NEXTPNR_ICE40};
use serde::Serialize;

/// An FPGA of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Device {
    /// iCE40 HX8K.
    Hx8k,
    /// iCE40 UltraPlus 5K.
    Up5k,
    /// ECP5 25F.
    Ecp25,
    /// ECP5 45F.
    Ecp45,
    /// ECP5 85F.
    Ecp85,
}

impl Device {
    /// Name for reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hx8k => "iCE40 HX8K",
            Self::Up5k => "iCE40 UP5K",
            Self::Ecp25 => "ECP5 25F",
            Self::Ecp45 => "ECP5 45F",
            Self::Ecp85 => "ECP5 85F",
        }
    }

    /// Whether the device is an iCE40.
    pub const fn ice40(self) -> bool {
        matches!(self, Self::Hx8k | Self::Up5k)
    }

    /// Number of LUT4s.
    pub const fn luts(self) -> u64 {
        match self {
            Self::Hx8k => 7_680,
            Self::Up5k => 5_280,
            Self::Ecp25 => 24_288,
            Self::Ecp45 => 43_848,
            Self::Ecp85 => 83_640,
        }
    }

    /// Number of block RAMs, of 4 kbit (iCE40) or 18 kbit (ECP5).
    pub const fn block_rams(self) -> u64 {
        match self {
            Self::Hx8k => 32,
            Self::Up5k => 30,
            Self::Ecp25 => 56,
            Self::Ecp45 => 108,
            Self::Ecp85 => 208,
        }
    }

    /// Yosys command that maps to the device; multipliers use DSP blocks if it has them.
    pub const fn synth(self) -> &'static str {
        match self {
            Self::Hx8k => "synth_ice40",
            Self::Up5k => "synth_ice40 -device u -dsp",
            _ => "synth_ecp5",
        }
    }

    /// nextpnr option that selects the device.
    pub const fn option(self) -> &'static str {
        match self {
            Self::Hx8k => "--hx8k",
            Self::Up5k => "--up5k",
            Self::Ecp25 => "--25k",
            Self::Ecp45 => "--45k",
            Self::Ecp85 => "--85k",
        }
    }

    /// Place-and-route tool.
    pub const fn nextpnr(self) -> ToolKind {
        if self.ice40() {
            NEXTPNR_ICE40
        } else {
            NEXTPNR_ECP5
        }
    }

    /// Bitstream packer.
    pub const fn packer(self) -> ToolKind {
        if self.ice40() {
            ICEPACK
        } else {
            ECPPACK
        }
    }
}

/// An FPGA board: device, package, oscillator, and what fits.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Board {
    /// Name on the command line, and of the constraints file.
    pub name: &'static str,
    /// Name for reports.
    pub title: &'static str,
    /// Its device.
    pub device: Device,
    /// Package, as nextpnr names it.
    pub package: &'static str,
    /// ECP5 speed grade; `None` on iCE40.
    pub speed: Option<u8>,
    /// Oscillator frequency, kHz.
    pub oscillator_khz: u32,
    /// Default clock of the cores, kHz; that of the oscillator needs no PLL.
    pub core_khz: u32,
    /// Default number of cores.
    pub cores: u8,
    /// Whether the circuit for host commands fits.
    pub host: bool,
    /// Default log2 of the RAM size in bytes.
    pub log2_ram: u8,
    /// Text of the constraints file.
    #[serde(skip)]
    pub constraints: &'static str,
}

macro_rules! constraints {
    ($file:literal) => {
        include_str!(concat!("../../constraints/", $file))
    };
}

const ECP5: Board = Board {
    name: "",
    title: "",
    device: Device::Ecp25,
    package: "CABGA381",
    speed: Some(6),
    oscillator_khz: 25_000,
    core_khz: 50_000,
    cores: 4,
    host: true,
    log2_ram: 13,
    constraints: "",
};

/// All boards.
pub const BOARDS: [Board; 8] = [
    Board {
        name: "ice40_hx8k_b_evn",
        title: "iCE40-HX8K breakout board",
        device: Device::Hx8k,
        package: "ct256",
        speed: None,
        oscillator_khz: 12_000,
        core_khz: 36_000,
        cores: 1,
        host: true,
        log2_ram: 11,
        constraints: constraints!("ice40_hx8k_b_evn.pcf"),
    },
    Board {
        name: "alchitry_cu",
        title: "Alchitry Cu",
        device: Device::Hx8k,
        package: "cb132",
        speed: None,
        oscillator_khz: 100_000,
        core_khz: 36_000,
        cores: 1,
        host: true,
        log2_ram: 11,
        constraints: constraints!("alchitry_cu.pcf"),
    },
    Board {
        name: "icebreaker",
        title: "iCEBreaker",
        device: Device::Up5k,
        package: "sg48",
        speed: None,
        oscillator_khz: 12_000,
        core_khz: 12_000,
        cores: 1,
        host: false,
        log2_ram: 10,
        constraints: constraints!("icebreaker.pcf"),
    },
    Board {
        name: "ulx3s_85f",
        title: "ULX3S 85F",
        device: Device::Ecp85,
        constraints: constraints!("ulx3s_85f.lpf"),
        ..ECP5
    },
    Board {
        name: "orangecrab",
        title: "OrangeCrab r0.2",
        package: "CSFBGA285",
        speed: Some(8),
        oscillator_khz: 48_000,
        core_khz: 48_000,
        constraints: constraints!("orangecrab.lpf"),
        ..ECP5
    },
    Board { name: "colorlight_i5", title: "Colorlight i5", constraints: constraints!("colorlight_i5.lpf"), ..ECP5 },
    Board {
        name: "colorlight_i9",
        title: "Colorlight i9",
        device: Device::Ecp45,
        constraints: constraints!("colorlight_i9.lpf"),
        ..ECP5
    },
    Board {
        name: "icesugar_pro",
        title: "iCESugar-pro",
        package: "CABGA256",
        constraints: constraints!("icesugar_pro.lpf"),
        ..ECP5
    },
];

/// The board of that name.
pub fn find(name: &str) -> Option<&'static Board> {
    BOARDS.iter().find(|b| b.name == name)
}

impl Board {
    /// Verilog of `top`, whose pins are those of the constraints file: clock, power-on reset and the SoC. Returns the
    /// text and the clock in kHz, or `None` if the PLL cannot make a clock near `khz`. The oscillator's own frequency
    /// needs no PLL; nor does half of it, if it is below the PLL's range.
    pub fn top(&self, khz: u32) -> Option<(String, u32)> {
        let (clock, khz) = if khz == self.oscillator_khz {
            ("    wire soc_clk = clk;\n    wire locked = 1'b1;\n".to_string(), khz)
        } else if self.device.ice40() {
            let p = IcePll::find(self.oscillator_khz, khz)?;
            let text = format!(
                "    wire soc_clk, locked;\n    SB_PLL40_CORE #(.FEEDBACK_PATH(\"SIMPLE\"), .DIVR(4'd{}), .DIVF(7'd{}), \
                 .DIVQ(3'd{}), .FILTER_RANGE(3'd{})) pll(\n        .REFERENCECLK(clk), .PLLOUTGLOBAL(soc_clk), \
                 .LOCK(locked), .RESETB(1'b1), .BYPASS(1'b0));\n",
                p.divr, p.divf, p.divq, p.filter
            );
            (text, p.khz)
        } else {
            let p = EcpPll::find(self.oscillator_khz, khz)?;
            let text = format!(
                "    wire soc_clk, locked;\n    (* ICP_CURRENT=\"12\", LPF_RESISTOR=\"8\", MFG_ENABLE_FILTEROPAMP=\"1\", \
                 MFG_GMCREF_SEL=\"2\" *)\n    EHXPLLL #(.PLLRST_ENA(\"DISABLED\"), .INTFB_WAKE(\"DISABLED\"), \
                 .STDBY_ENABLE(\"DISABLED\"),\n        .DPHASE_SOURCE(\"DISABLED\"), .OUTDIVIDER_MUXA(\"DIVA\"), \
                 .CLKOP_ENABLE(\"ENABLED\"), .FEEDBK_PATH(\"CLKOP\"),\n        .CLKI_DIV({}), .CLKFB_DIV({}), \
                 .CLKOP_DIV({}), .CLKOP_CPHASE({}), .CLKOP_FPHASE(0)) pll(\n        .CLKI(clk), .CLKOP(soc_clk), \
                 .CLKFB(soc_clk), .LOCK(locked), .RST(1'b0), .STDBY(1'b0),\n        .CLKINTFB(), .PHASESEL0(1'b0), \
                 .PHASESEL1(1'b0), .PHASEDIR(1'b0), .PHASESTEP(1'b0), .PHASELOADREG(1'b0),\n        \
                 .PLLWAKESYNC(1'b0), .ENCLKOP(1'b0));\n",
                p.clki,
                p.clkfb,
                p.clkop,
                p.clkop - 1
            );
            (text, p.khz)
        };
        let text = format!(
            "// {}: clock, power-on reset, SoC\nmodule top(\n    input clk,\n    input rx,\n    output tx\n);\n{clock}    \
             // reset for 255 clocks after the clock is stable\n    reg [7:0] up = 8'd0;\n    wire reset = !(&up);\n    \
             always @(posedge soc_clk) up <= !locked ? 8'd0 : up + {{7'd0, reset}};\n    \
             soc soc(.clk(soc_clk), .reset(reset), .halt(1'b0), .rx(rx), .tx(tx));\nendmodule\n",
            self.title
        );
        Some((text, khz))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_board_has_its_pins_and_a_clock() {
        for b in BOARDS {
            for pin in ["clk", "rx", "tx"] {
                let (pcf, lpf) = (format!("set_io {pin} "), format!("LOCATE COMP \"{pin}\" "));
                assert!(b.constraints.contains(if b.device.ice40() { &pcf } else { &lpf }), "{}: {pin}", b.name);
            }
            let (text, khz) = b.top(b.core_khz).unwrap();
            assert!(khz <= b.core_khz && khz > b.core_khz * 97 / 100, "{}: {khz}", b.name);
            assert_eq!(text.contains("pll("), b.core_khz != b.oscillator_khz, "{}", b.name);
            assert_eq!(find(b.name).unwrap().title, b.title);
        }
    }

    #[test]
    fn a_clock_that_cannot_be_made_is_none() {
        assert!(find("alchitry_cu").unwrap().top(1_000).is_none());
    }
}
