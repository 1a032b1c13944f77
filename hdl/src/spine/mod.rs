//! Spine: the circuits that are common to all schemes, from event entries to trace words
//!
//! | module | what it is |
//! | --- | --- |
//! | [`cycles`] | counter of the cycles since the last message, for cores that retire several instructions per cycle |
//! | [`entry`] | event entries: the interface between front ends and spine |
//! | [`event_fifo`] | holds the entries of one core until the encoder reads them |
//! | [`front_port`] | ports of front ends and encoders |
//! | [`join`] | connects all of them |
//! | [`resync_pc`] | FIFO of the PCs at which resyncs continue |
//! | [`trace_fsm`] | trace state machine of a core: tracing, decisions about messages, loss |
//! | [`merger`] | selects the core whose entry is sent next |
//! | [`packer`] | packs bits into words |
//! | [`packer_wide`] | the same for wide slices, without a wait cycle between words |
//! | [`slices`] | size of the slices in which a system sends its messages |
//! | [`ports`] | port bundles |
//! | [`registers`] | control and status |
//! | [`resync`] | schedules resynchronisations |
//! | [`core_time`] | time of a core's messages |
//! | [`credits`] | credit counter of an event FIFO |
//! | [`trace_framer`] | framer: header, end and padding of a trace |
//! | [`signature`] | signature with which a decoder checks a core's path |
//! | [`warm_up`] | warm-up: instructions after a resync that are not predicted |
//! | [`stamp`] | sends a short time stamp in one slice with the next field |

use sim::addresses::Addresses;
use sim::baseline::etrace::{EtraceParams, CODE as ETRACE_CODE};
use sim::params::TraceParams;
use sim::regmap::scheme;
use sim::regs::register;
use sim::scheme::cfiat::{self, CfiatParams};
use sim::scheme::inputs::{self, InputsParams};
use sim::standard::ntrace::{NtraceParams, CODE as NTRACE_CODE};
use sim::system::{header, repeated_header, shape_with_scale, warm_up_scale};
use slices::Slices;

/// The parameters of a trace stream that the spine needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// N: cores.
    pub cores: u8,
    /// The scheme, as in register `id`.
    pub scheme: u8,
    /// Number of senders: the cores and, where bus masters are recorded, one more for all of these.
    pub senders: u8,
    /// Its header, unless it has none. The last word is the fingerprint.
    pub header: [u32; 3],
    /// Whether the header is sent.
    pub has_header: bool,
    /// Whether its last word is filled with ones, not zeros.
    pub fills_with_ones: bool,
    /// Word 1 of a repeated header.
    pub again: u32,
    /// Size of its slices.
    pub slices: Slices,
}

impl Stream {
    /// The stream of a system with `params` and `extras`.
    pub fn with(params: &TraceParams, extras: &Extras) -> Self {
        let (stream, warm_up_scale) = (Self::from(params), extras.warm_up_scale(params));
        let [magic, shape, fingerprint] = stream.header;
        Self {
            slices: Slices::of(params, extras),
            header: [magic, shape_with_scale(shape, warm_up_scale), fingerprint],
            again: shape_with_scale(stream.again, warm_up_scale),
            ..stream
        }
    }

    /// Width of a sender index, in bits.
    pub fn ti_bits(&self) -> u32 {
        u32::from(self.senders).next_power_of_two().trailing_zeros()
    }
}

impl From<&TraceParams> for Stream {
    fn from(params: &TraceParams) -> Self {
        Self {
            cores: params.cores,
            scheme: scheme(params),
            senders: params.cores,
            header: header(params),
            has_header: true,
            fills_with_ones: false,
            again: repeated_header(params)[1],
            slices: Slices::of(params, &Extras::NONE),
        }
    }
}

impl From<&InputsParams> for Stream {
    fn from(params: &InputsParams) -> Self {
        let header = inputs::header(params);
        Self {
            cores: params.cores,
            scheme: 0,
            senders: params.senders(),
            header,
            has_header: true,
            fills_with_ones: false,
            again: header[1],
            slices: Slices::Octet,
        }
    }
}

impl From<&NtraceParams> for Stream {
    fn from(params: &NtraceParams) -> Self {
        Self {
            cores: params.cores,
            scheme: NTRACE_CODE,
            senders: params.cores,
            header: [0, 0, params.fingerprint()],
            has_header: false,
            fills_with_ones: true,
            again: 0,
            slices: Slices::Octet,
        }
    }
}

impl From<&CfiatParams> for Stream {
    fn from(params: &CfiatParams) -> Self {
        let header = cfiat::header(params);
        Self {
            cores: params.cores,
            scheme: 0,
            senders: params.cores,
            header,
            has_header: true,
            fills_with_ones: false,
            again: header[1],
            slices: Slices::Octet,
        }
    }
}

impl From<&EtraceParams> for Stream {
    fn from(params: &EtraceParams) -> Self {
        Self {
            cores: params.cores,
            scheme: ETRACE_CODE,
            senders: params.cores,
            header: [0, 0, params.fingerprint()],
            has_header: false,
            fills_with_ones: false,
            again: 0,
            slices: Slices::Octet,
        }
    }
}

/// Code of the ingress `etrace-blocks` in register `status`.
pub const BLOCKS: u8 = 2;

/// The retire port of a core that retires several instructions per cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retire {
    /// Instructions per cycle: 2 or 4. With the ingress `etrace-blocks`, blocks per cycle: 1 or 2.
    pub per_cycle: u8,
    /// log2 of the depth of the retire queue. 2..=4.
    pub log2_words: u8,
}

/// The optional features of a trace system, in addition to the parameters of its stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    /// Synchronisation, periodic and on request.
    pub sync: bool,
    /// The ingress checks that each instruction follows from the one before. RVFI only.
    pub check: bool,
    /// The cores have Zcmp or Zcmt, whose encodings replace `c.fsdsp`. RVFI and PC chain only.
    pub zcm: bool,
    /// An output shows that a trace is in progress.
    pub session: bool,
    /// A stall output for each core: its FIFO is half full, and the core must wait.
    pub stall: bool,
    /// Filter inputs for each core: hide instructions by privilege mode and by a signal of their own.
    pub filter: bool,
    /// With the filter: inputs for each core that select an address range.
    pub range: bool,
    /// With the filter: inputs for each core that select address spaces.
    pub space: bool,
    /// A counter of lost instructions in register `status`.
    pub lost: bool,
    /// The cores' ports come from registers, so the ingress has none of its own. RVFI only.
    pub registered: bool,
    /// The time of messages is an input, that of a time stamp unit which software controls, and so is whether they have one; set by the
    /// system with the registers of the Trace Control Interface.
    pub time_input: bool,
    /// The number of the core in messages is an input, of a system of one core before a trace funnel; set by the parameters of its stream.
    pub source_input: bool,
    /// Several instructions retire per cycle; `None`: one.
    pub retire: Option<Retire>,
    /// `itype` of the ingress `etrace-blocks` has 3 bits.
    pub itype3: bool,
    /// The addresses that the cores use; `None`: all of `xlen` bits.
    pub addresses: Option<Addresses>,
    /// Code of the ingress in register `status`; set by the system.
    pub ingress: u8,
}

impl Extras {
    /// No optional features.
    pub const NONE: Self = Self {
        sync: false,
        check: false,
        zcm: false,
        session: false,
        stall: false,
        filter: false,
        range: false,
        space: false,
        lost: false,
        registered: false,
        time_input: false,
        source_input: false,
        retire: None,
        itype3: false,
        addresses: None,
        ingress: 0,
    };

    /// Whether several instructions of a core can be lost in a cycle, and are counted.
    pub fn counts_wide_losses(&self) -> bool {
        self.lost && self.retire.is_some()
    }

    /// [`warm_up_scale`] of a core with resyncs whose predictors have tables to clear.
    pub fn warm_up_scale(&self, params: &TraceParams) -> u8 {
        match self.retire {
            Some(retire) if self.sync => warm_up_scale(self.most(retire), params.flow.warm_up()),
            _ => 0,
        }
    }

    /// Most instructions that a core retires per cycle. A block has up to 15.
    fn most(&self, retire: Retire) -> u32 {
        u32::from(retire.per_cycle) * if self.ingress == BLOCKS { 15 } else { 1 }
    }

    /// The constant fields of register `status`: `retire` and `ingress`.
    pub fn status(&self) -> u32 {
        let field = |name| u32::from(register("status").field(name).lsb);
        let per_cycle = self.retire.map_or(1, |r| r.per_cycle);
        per_cycle.trailing_zeros() << field("retire") | u32::from(self.ingress) << field("ingress")
    }
}

impl std::fmt::Display for Extras {
    /// Appends the features that do not follow from the parameters to the description of a system.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = [
            (self.sync, "periodic synchronisation"),
            (self.check, "discontinuity check"),
            (self.zcm, "Zcmp and Zcmt"),
            (self.stall, "stall outputs"),
            (self.filter, "filter"),
            (self.range, "address range"),
            (self.space, "address spaces"),
            (self.lost, "lost counter"),
            (self.itype3, "itype of 3 bits"),
            (self.registered, "ports from registers"),
        ];
        list.iter().filter(|x| x.0).try_for_each(|x| write!(f, ", {}", x.1))?;
        match self.retire {
            Some(Retire { per_cycle: 1, .. }) => f.write_str(", blocks of instructions")?,
            Some(r) => write!(f, ", {} instructions or blocks per cycle", r.per_cycle)?,
            None => {}
        }
        self.addresses.map_or(Ok(()), |a| write!(f, ", addresses of {a} bits"))
    }
}

pub mod core_time;
pub mod credits;
pub mod cycles;
pub mod entry;
pub mod event_fifo;
pub mod front_port;
pub mod join;
pub mod merger;
pub mod packer;
pub mod packer_wide;
pub mod ports;
pub mod registers;
pub mod resync;
pub mod resync_pc;
pub mod signature;
pub mod slices;
pub mod stamp;
pub mod trace_framer;
pub mod trace_fsm;
pub mod warm_up;
