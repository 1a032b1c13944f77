//! Spine: what every scheme's trace goes through, once for all of them
//!
//! | module | what it is |
//! | --- | --- |
//! | [`cycles`] | cycles since the last message, where several instructions retire a cycle |
//! | [`entry`] | event entries: the interface between front ends and spine |
//! | [`event_fifo`] | entries of one core until the encoder takes them |
//! | [`front_port`] | ports of front ends and encoders |
//! | [`join`] | all of it, joined |
//! | [`landing`] | where resyncs went |
//! | [`life`] | when a core's trace runs, what an instruction is due to, loss |
//! | [`merger`] | which core's entry is next |
//! | [`packer`] | bits to words |
//! | [`packer_broad`] | the same of broad pieces, without a clock between words |
//! | [`pieces`] | in how many bits at a time a system sends its messages |
//! | [`ports`] | port bundles |
//! | [`registers`] | control and status |
//! | [`resync`] | when the cores are told of anew |
//! | [`room`] | places of a FIFO that are held or promised |
//! | [`session`] | a trace from its header to its last word |
//! | [`signature`] | what a decoder can check a core's path by |
//! | [`settle`] | instructions after a resync in which nothing is predicted |
//! | [`stamp`] | a short time before the field behind it |

use pieces::Pieces;
use sim::addresses::Addresses;
use sim::params::TraceParams;
use sim::regmap::scheme;
use sim::regs::register;
use sim::scheme::cfiat::{self, CfiatParams};
use sim::scheme::inputs::{self, InputsParams};
use sim::system::{haste, hasty, header, header_again};

/// What the spine must know of its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// N: cores.
    pub cores: u8,
    /// The scheme, as register `id` has it.
    pub scheme: u8,
    /// Who sends messages: the cores, and where bus masters are recorded all of these as one more.
    pub senders: u8,
    /// Its header, the fingerprint last.
    pub header: [u32; 3],
    /// Word 1 of a header that is sent again.
    pub again: u32,
    /// How it sends its bits.
    pub pieces: Pieces,
}

impl Stream {
    /// That of a system with `extras`.
    pub fn with(params: &TraceParams, extras: &Extras) -> Self {
        let (stream, haste) = (Self::from(params), extras.haste(params));
        let [magic, shape, fingerprint] = stream.header;
        Self {
            pieces: Pieces::of(params, extras),
            header: [magic, hasty(shape, haste), fingerprint],
            again: hasty(stream.again, haste),
            ..stream
        }
    }

    /// Bits of the index of senders.
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
            again: header_again(params)[1],
            pieces: Pieces::of(params, &Extras::NONE),
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
            again: header[1],
            pieces: Pieces::Octet,
        }
    }
}

impl From<&CfiatParams> for Stream {
    fn from(params: &CfiatParams) -> Self {
        let header = cfiat::header(params);
        Self { cores: params.cores, scheme: 0, senders: params.cores, header, again: header[1], pieces: Pieces::Octet }
    }
}

/// The ingress `etrace-blocks`, as register `status` has it.
pub const BLOCKS: u8 = 2;

/// How many instructions a core retires in a clock, of more than one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retire {
    /// Instructions a clock: 2 or 4. Of the ingress `etrace-blocks` blocks of several: 1 or 2.
    pub lanes: u8,
    /// log2 of the places of the queue of words. 2..=4.
    pub log2_words: u8,
}

/// What a trace system can have besides its stream's parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    /// Periodic synchronisation, and on request.
    pub sync: bool,
    /// The ingress checks that each instruction follows from the one before; RVFI only.
    pub check: bool,
    /// The cores have Zcmp or Zcmt, which take the place of `c.fsdsp`; RVFI and PC chain only.
    pub zcm: bool,
    /// A port says whether a session is under way.
    pub session: bool,
    /// A port for each core says that its FIFO is half full: it is to wait.
    pub stall: bool,
    /// A port for each core says which instructions must not be told, by privilege mode and by a signal of its own.
    pub filter: bool,
    /// With the filter: ports for each core say which addresses are told.
    pub range: bool,
    /// With the filter: ports for each core say which address spaces are told.
    pub space: bool,
    /// A counter of the instructions that were lost, in register `status`.
    pub lost: bool,
    /// The cores' ports come from registers: the ingress takes none of its own; RVFI only.
    pub registered: bool,
    /// Several instructions retire in a clock; none: one.
    pub retire: Option<Retire>,
    /// `itype` of the ingress `etrace-blocks` has 3 bits.
    pub itype3: bool,
    /// The addresses that the cores have; none: all of `xlen` bits.
    pub addresses: Option<Addresses>,
    /// The ingress, as register `status` has it; a system sets it.
    pub ingress: u8,
}

impl Extras {
    /// Nothing besides.
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
        retire: None,
        itype3: false,
        addresses: None,
        ingress: 0,
    };

    /// Whether several instructions of a core are lost in a clock, and counted.
    pub fn many_lost(&self) -> bool {
        self.lost && self.retire.is_some()
    }

    /// [`haste`] of a core with resyncs, of what has tables to clear.
    pub fn haste(&self, params: &TraceParams) -> u8 {
        match self.retire {
            Some(retire) if self.sync => haste(self.most(retire), params.flow.settle()),
            _ => 0,
        }
    }

    /// Instructions that a core retires in a clock at most; a block has up to 15.
    fn most(&self, retire: Retire) -> u32 {
        u32::from(retire.lanes) * if self.ingress == BLOCKS { 15 } else { 1 }
    }

    /// What register `status` always has of them: fields `retire` and `ingress`.
    pub fn status(&self) -> u32 {
        let field = |name| u32::from(register("status").field(name).lsb);
        let lanes = self.retire.map_or(1, |r| r.lanes);
        lanes.trailing_zeros() << field("retire") | u32::from(self.ingress) << field("ingress")
    }
}

impl std::fmt::Display for Extras {
    /// Behind the words that say what a system is: those that its parameters do not tell.
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
            Some(Retire { lanes: 1, .. }) => f.write_str(", blocks of instructions")?,
            Some(r) => write!(f, ", {} instructions or blocks per cycle", r.lanes)?,
            None => {}
        }
        self.addresses.map_or(Ok(()), |a| write!(f, ", addresses of {a} bits"))
    }
}

pub mod cycles;
pub mod entry;
pub mod event_fifo;
pub mod front_port;
pub mod join;
pub mod landing;
pub mod life;
pub mod merger;
pub mod packer;
pub mod packer_broad;
pub mod pieces;
pub mod ports;
pub mod registers;
pub mod resync;
pub mod room;
pub mod session;
pub mod settle;
pub mod signature;
pub mod stamp;
