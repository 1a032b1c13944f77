//! Registers of the RISC-V Trace Control Interface (TCI): declared once for circuit, golden model, documentation and tests
//!
//! | module | content |
//! | --- | --- |
//! | [`map`] | registers and fields of the trace encoder component |
//! | [`ram_map`] | registers and fields of the RAM sink component with an SRAM |
//! | [`memory_map`] | registers and fields of the RAM sink component in system memory |
//! | [`atb_map`] | registers and fields of the ATB bridge component |
//! | [`pib_map`] | registers and fields of the PIB sink component |
//! | [`funnel_map`] | registers and fields of the trace funnel component |
//! | [`model`] | golden model of the circuit of the encoder's registers, cycle by cycle |
//! | [`ram`] | golden model of the RAM sink with an SRAM, cycle by cycle |
//! | [`memory_sink`] | golden model of the RAM sink in system memory, cycle by cycle |
//! | [`atb_bridge`] | golden model of the ATB bridge, cycle by cycle |
//! | [`pib`] | golden model of the PIB sink, cycle by cycle |
//! | [`funnel`] | golden model of the trace funnel, cycle by cycle |
//! | [`messages`] | golden model of what funnel and PIB sink have in common: the bytes of whole messages |
//! | [`time_unit`] | golden model of the time stamp unit, cycle by cycle |
//!
//! # Source
//! RISC-V Trace Control Interface Specification, version 1.0, 2024: "Trace Encoder Register Interface", "Timestamp Unit", "Trace Encoder Filter Registers", "Trace RAM Sink", "Trace PIB Sink", "ATB Bridge", "Trace Funnel".
//! Which fields can be written, and what they do here: `docs/reference/tci.md`.

pub mod atb_bridge;
pub mod atb_map;
pub mod funnel;
pub mod funnel_map;
pub mod map;
pub mod memory_map;
pub mod memory_sink;
pub mod messages;
pub mod model;
pub mod pib;
pub mod pib_map;
pub mod ram;
pub mod ram_map;
pub mod time_unit;

/// Version of the interface: major and minor number.
pub const VERSION: (u8, u8) = (1, 0);
/// Type of a trace encoder in `trTeCompType`.
pub const ENCODER: u8 = 1;
/// `trTeFormat` of N-Trace.
pub const NTRACE: u8 = 1;
/// `trTeFormat` of a format of the vendor.
pub const VENDOR: u8 = 7;
/// `trTsMode`: the counter has the clock of the cores.
pub const INTERNAL_CORE: u32 = 3;
/// `trTsMode` of a funnel: the counter has the clock of the system.
pub const INTERNAL_SYSTEM: u32 = 2;
/// `trTsMode` of the encoders before a funnel: the time is that of the funnel.
pub const SHARED: u32 = 4;
/// Type of a trace funnel in `trFunnelCompType`.
pub const FUNNEL: u8 = 8;
/// Type of a RAM sink in `trRamCompType`.
pub const RAM_SINK: u8 = 9;
/// Type of a PIB sink in `trPibCompType`.
pub const PIB_SINK: u8 = 10;
/// Type of an ATB bridge in `trAtbBridgeCompType`.
pub const ATB_BRIDGE: u8 = 14;
/// Bytes of the page of a component. That of the sink or bridge follows that of the encoder.
pub const PAGE: u32 = 0x1000;
/// Number of the page of a funnel. Those of its encoders begin at page 0; that of the sink or bridge follows.
pub const FUNNEL_PAGE: u8 = 8;
/// Width of a word address in a window of 64 KiB, which holds the pages of a system with a funnel.
pub const FUNNEL_ADDR_BITS: u8 = 14;
/// Encoders before a funnel.
pub const INPUTS: std::ops::RangeInclusive<u8> = 2..=FUNNEL_PAGE;
/// Sizes of the memory of a RAM sink, bytes; powers of two.
pub const SRAM_BYTES: std::ops::RangeInclusive<u32> = 256..=65_536;
/// Width of a word address in the page of 4 KiB of a component.
pub const ADDR_BITS: u8 = 10;
/// `trTeInstSyncMode` that counts halfwords of instructions.
pub const HALFWORDS: u32 = 3;
/// The smallest `trTeInstSyncMax`: 2^(7 + 4) halfwords, which 1,024 instructions do not exceed.
pub const SYNC_MAX: std::ops::RangeInclusive<u32> = 7..=15;

/// Protocol of a trace encoder, as its registers report it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Protocol {
    /// `trTeFormat`.
    pub format: u8,
    /// `trTeProtocolMajor`, `trTeProtocolMinor`.
    pub version: (u8, u8),
    /// `trTeInstMode`.
    pub mode: u8,
    /// Bits 10:0 of `trTeInstFeatures`.
    pub features: u32,
    /// `trTeSrcBits`.
    pub source_bits: u8,
    /// `trTeContext`.
    pub context: bool,
    /// log2 of the instructions after which every core synchronizes, where the circuit fixes the number; 0: nothing is fixed.
    pub fixed_sync: u8,
    /// `trTsWidth`: width of the time in messages, bits; 0: messages have none.
    pub time_bits: u8,
}

impl Protocol {
    /// A scheme of this project: the vendor's format, with the version of its streams.
    pub const fn vendor(context: bool) -> Self {
        Self {
            format: VENDOR,
            version: (crate::system::VERSION, 0),
            mode: 7,
            features: 0,
            source_bits: 0,
            context,
            fixed_sync: 0,
            time_bits: 0,
        }
    }

    /// E-Trace.
    pub const fn etrace(features: u32) -> Self {
        Self {
            format: 0,
            version: (0, 0),
            mode: 7,
            features,
            source_bits: 0,
            context: false,
            fixed_sync: 0,
            time_bits: 0,
        }
    }

    /// N-Trace 1.0 with branch history.
    pub const fn ntrace(features: u32, source_bits: u8) -> Self {
        Self {
            format: NTRACE,
            version: (1, 0),
            mode: 6,
            features,
            source_bits,
            context: false,
            fixed_sync: 0,
            time_bits: 0,
        }
    }

    /// `trTeInstSyncMax` of the fixed number of instructions, each of which has at most two halfwords; `None` if there is none, or
    /// one too large for the field.
    pub fn fixed_sync_max(&self) -> Option<u32> {
        let halfwords = u32::from(self.fixed_sync) + 1;
        let max = halfwords.saturating_sub(4);
        (self.fixed_sync > 0 && max <= *SYNC_MAX.end()).then_some(max)
    }
}

/// Bits of `trTeInstFeatures`.
pub mod feature {
    /// Addresses are sent in full.
    pub const NO_ADDRESS_DIFFERENCE: u32 = 1;
    /// Implicit returns.
    pub const IMPLICIT_RETURN: u32 = 1 << 3;
    /// Branch prediction.
    pub const BRANCH_PREDICTION: u32 = 1 << 4;
    /// Jump target cache.
    pub const JUMP_TARGET_CACHE: u32 = 1 << 5;
    /// Repeated history.
    pub const REPEATED_HISTORY: u32 = 1 << 8;
    /// `trTeInstImplicitReturnMode`: a stack of full addresses.
    pub const RETURN_STACK: u32 = 3 << 6;
}

/// The properties of a trace system that its registers depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Protocol of the encoder.
    pub protocol: Protocol,
    /// Number of cores that an encoder traces.
    pub cores: u8,
    /// Encoders before the trace funnel, each of one core; 0: there is no funnel.
    pub funnel: u8,
    /// Registers `id`, `params` and constant bits of `status` of the system's own map ([`crate::regs`]).
    pub id: u32,
    /// CRC-32 of the parameters.
    pub fingerprint: u32,
    /// Constant bits of `status`.
    pub status: u32,
    /// It has periodic synchronisation.
    pub sync: bool,
    /// It has stall outputs.
    pub stall: bool,
    /// It has a filter.
    pub filter: bool,
    /// It counts lost instructions.
    pub lost: bool,
    /// It reports discontinuities.
    pub check: bool,
    /// The cores report that they are in debug mode.
    pub debug: bool,
    /// Its sink or bridge.
    pub sink: Sink,
}

impl Facts {
    /// Number of cores whose messages are in the trace.
    pub const fn sources(&self) -> u8 {
        if self.funnel > 0 {
            self.funnel
        } else {
            self.cores
        }
    }

    /// Whether the time is that of a time stamp unit: a counter that software controls, in place of one that begins with each trace. The
    /// schemes of this project send distances in cycles, which no counter gives.
    pub const fn unit_time(&self) -> bool {
        self.protocol.time_bits > 0 && self.protocol.format != VENDOR
    }

    /// Whether the encoder has a time stamp unit.
    pub const fn time_unit(&self) -> bool {
        self.unit_time() && self.funnel == 0
    }

    /// Whether the funnel has the time stamp unit of its encoders.
    pub const fn shared_time(&self) -> bool {
        self.unit_time() && self.funnel > 0
    }

    /// As those of a system with a unit in the encoder, whose fields that of a funnel has, too.
    pub const fn as_unit(&self) -> Self {
        Self { funnel: 0, ..*self }
    }

    /// Number of the page of the sink or bridge.
    pub const fn sink_page(&self) -> u8 {
        if self.funnel > 0 {
            FUNNEL_PAGE + 1
        } else {
            1
        }
    }

    /// Width of a word address of all registers.
    pub const fn addr_bits(&self) -> u8 {
        if self.funnel > 0 {
            FUNNEL_ADDR_BITS
        } else {
            ADDR_BITS + !self.sink.registers().is_empty() as u8
        }
    }

    /// Whether messages have a time only while `trTsEnable` is 1. A packet of E-Trace does not say whether it has one.
    pub const fn optional_time(&self) -> bool {
        self.time_unit() && self.protocol.format == NTRACE
    }
}

/// The component after the encoder of a trace system, with a page of registers of its own: a sink, or a bridge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sink {
    /// None: the words leave by a port without registers.
    #[default]
    None,
    /// A RAM sink with an SRAM of that many bytes.
    Sram(u32),
    /// A RAM sink that writes to system memory.
    Memory,
    /// An ATB bridge.
    Atb,
    /// A PIB sink.
    Pib,
}

impl Sink {
    /// Registers of its page; empty if there is none.
    pub const fn registers(self) -> &'static [map::Reg] {
        match self {
            Self::None => &[],
            Self::Sram(_) => ram_map::REGS,
            Self::Memory => memory_map::REGS,
            Self::Atb => atb_map::REGS,
            Self::Pib => pib_map::REGS,
        }
    }

    /// Bytes of its SRAM.
    pub const fn sram(self) -> u32 {
        match self {
            Self::Sram(bytes) => bytes,
            Self::None | Self::Memory | Self::Atb | Self::Pib => 0,
        }
    }
}
