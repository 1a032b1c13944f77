//! First-access tracker: finds a core's first accesses to RAM and first reads of CSRs, whose values the host does not know
//! where a recording began in the middle of a run
//!
//! # Source
//! [`sim::scheme::inputs::first`], [`sim::scheme::inputs::start`]; `docs/reference/stream.md`, "Scheme `inputs`".
//!
//! # Ports
//! | port | dir | bits | stage | meaning |
//! | --- | --- | ---: | --- | --- |
//! | `load`, `store` | in | 1 | S1 | an access to RAM retires; an atomic does both |
//! | `addr`, `size` | in | 32, 2 | S1 | byte address; log2 of the bytes |
//! | `csr`, `csr_addr` | in | 1, 12 | S1 | a register takes the value of a CSR; its number |
//! | `returns` | in | 1 | S1 | an `mret` retires |
//! | `clear` | in | 1 | | clear all state |
//! | `cleared` | out | 1 | | all state is clear, and accesses may come |
//! | `counts` | out | 1 | S1 | the CSR is a counter that the host cannot know |
//! | `fill` | out | 1 | S2 | the CSR, or `mepc` for an `mret`, must be sent, because the core uses it for the first time; or the load is of bytes that the core has not accessed |
//!
//! # Timing
//! One access per cycle. S1: the line is read. S2: compared, and written. A line that is read in the cycle in which it is
//! written is forwarded from the write. After `clear`, one line per cycle is cleared.
//!
//! Golden model: [`sim::scheme::inputs::first::FirstAccesses`].

use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::scheme::inputs::first::LINE_SHIFT;
use sim::scheme::inputs::InputsParams;

/// Most bytes that the circuit supports.
pub const MAX_TRACKED_BYTES: u32 = 1 << 16;

/// A tracker of the first accesses of one core.
#[derive(LogicBlock, Default)]
pub struct FirstAccessTable {
    pub clock: Signal<In, Clock>,
    pub load: Signal<In, Bit>,
    pub store: Signal<In, Bit>,
    pub addr: Signal<In, Bits<32>>,
    pub size: Signal<In, Bits<2>>,
    pub csr: Signal<In, Bit>,
    pub csr_addr: Signal<In, Bits<12>>,
    pub returns: Signal<In, Bit>,
    pub clear: Signal<In, Bit>,
    pub cleared: Signal<Out, Bit>,
    pub counts: Signal<Out, Bit>,
    pub fill: Signal<Out, Bit>,
    // bit 0 of a tag word: the line is valid
    tags: Mem<12, 29>,
    flags: Mem<12, 16>,
    line: Signal<Local, Bits<32>>,
    index: Signal<Local, Bits<12>>,
    upper: Signal<Local, Bits<32>>,
    top: Signal<Local, Bits<32>>,
    folded: Signal<Local, Bits<32>>,
    tag: Signal<Local, Bits<29>>,
    at: Signal<Local, Bits<5>>,
    bytes: Signal<Local, Bits<5>>,
    mask: Signal<Local, Bits<32>>,
    // S2
    load_2: DFF<Bit>,
    access_2: DFF<Bit>,
    index_2: DFF<Bits<12>>,
    tag_2: DFF<Bits<29>>,
    mask_2: DFF<Bits<32>>,
    same_2: DFF<Bit>,
    old_tag: DFF<Bits<29>>,
    old_flags: DFF<Bits<16>>,
    held_tag: Signal<Local, Bits<29>>,
    held: Signal<Local, Bits<16>>,
    valid_bytes: Signal<Local, Bits<16>>,
    accessed_bytes: Signal<Local, Bits<16>>,
    crosses: Signal<Local, Bit>,
    all_accessed: Signal<Local, Bit>,
    we: Signal<Local, Bit>,
    waddr: Signal<Local, Bits<12>>,
    wtag: Signal<Local, Bits<29>>,
    wflags: Signal<Local, Bits<16>>,
    sweep: DFF<Bits<13>>,
    swept: Signal<Local, Bit>,
    // one bit for each CSR that was sent
    csr_upper: Signal<Local, Bits<12>>,
    which: Signal<Local, Bits<8>>,
    csrs_sent: DFF<Bits<8>>,
    first: Signal<Local, Bit>,
    csr_first_2: DFF<Bit>,
    shift: Fixed<Bits<5>>,
    index_mask: Fixed<Bits<12>>,
    last: Fixed<Bits<13>>,
    one: Fixed<Bits<13>>,
    csr_status: Fixed<Bits<12>>,
    csr_enable: Fixed<Bits<12>>,
    csr_scratch: Fixed<Bits<12>>,
    csr_minstret: Fixed<Bits<12>>,
    csr_instret: Fixed<Bits<12>>,
    but_low: Fixed<Bits<12>>,
    but_high: Fixed<Bits<12>>,
    bit_status: Fixed<Bits<8>>,
    bit_enable: Fixed<Bits<8>>,
    bit_mepc: Fixed<Bits<8>>,
    bit_one: Fixed<Bits<8>>,
}

impl FirstAccessTable {
    /// The tracker for `params`.
    ///
    /// # Panics
    /// When `known` of `params` is 0, or above [`MAX_TRACKED_BYTES`].
    pub fn new(params: &InputsParams) -> Self {
        let known = params.sizes.known;
        assert!(known > 0 && known <= MAX_TRACKED_BYTES, "known = {known} is outside 64..={MAX_TRACKED_BYTES}");
        let lines = known >> LINE_SHIFT;
        let bits = lines.trailing_zeros() as usize;
        Self {
            tags: Mem::new(bits, 29 - bits),
            flags: Mem::new(bits, 16),
            shift: Fixed::of(bits as u32),
            index_mask: Fixed::of(lines - 1),
            last: Fixed::of(lines),
            one: Fixed::of(1u8),
            csr_status: Fixed::of(0x300u16),
            csr_enable: Fixed::of(0x304u16),
            csr_scratch: Fixed::of(0x340u16),
            csr_minstret: Fixed::of(0xb02u16),
            csr_instret: Fixed::of(0xc02u16),
            but_low: Fixed::of(0xffcu16),
            but_high: Fixed::of(0xf7fu16),
            // mscratch, mepc, mcause and mtval are bits 0 to 3
            bit_status: Fixed::of(1u8 << 4),
            bit_enable: Fixed::of(1u8 << 5),
            bit_mepc: Fixed::of(1u8 << 1),
            bit_one: Fixed::of(1u8),
            ..Default::default()
        }
    }
}

impl Logic for FirstAccessTable {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            load_2,
            access_2,
            index_2,
            tag_2,
            mask_2,
            same_2,
            old_tag,
            old_flags,
            sweep,
            csrs_sent,
            csr_first_2
        );
        clock!(self, clock, tags, flags);

        // S1: the line, and the bytes in it; those of the next line are bits 16 and up
        self.line.next = self.addr.val() >> 4;
        self.upper.next = self.line.val() >> self.shift.val();
        self.top.next = self.upper.val() >> self.shift.val();
        self.folded.next = self.line.val() ^ self.upper.val() ^ self.top.val();
        self.index.next = self.folded.val().get_bits::<12>(0) & self.index_mask.val();
        self.tag.next = (self.upper.val().get_bits::<29>(0) << 1) | 1;
        self.at.next = bit_cast::<5, 4>(self.addr.val().get_bits::<4>(0));
        self.bytes.next = 1.into();
        if self.size.val() == 1 {
            self.bytes.next = 3.into();
        }
        if self.size.val() == 2 {
            self.bytes.next = 15.into();
        }
        self.mask.next = bit_cast::<32, 5>(self.bytes.val()) << self.at.val();
        self.tags.raddr.next = self.index.val();
        self.flags.raddr.next = self.index.val();
        self.load_2.d.next = self.load.val();
        self.access_2.d.next = self.load.val() | self.store.val();
        self.index_2.d.next = self.index.val();
        self.tag_2.d.next = self.tag.val();
        self.mask_2.d.next = self.mask.val();

        // S2
        self.held_tag.next = self.tags.rdata.val();
        self.held.next = self.flags.rdata.val();
        if self.same_2.q.val() {
            self.held_tag.next = self.old_tag.q.val();
            self.held.next = self.old_flags.q.val();
        }
        self.valid_bytes.next = 0.into();
        if self.held_tag.val() == self.tag_2.q.val() {
            self.valid_bytes.next = self.held.val();
        }
        self.accessed_bytes.next = self.mask_2.q.val().get_bits::<16>(0);
        self.crosses.next = self.mask_2.q.val().get_bits::<16>(16).any();
        self.all_accessed.next =
            ((self.valid_bytes.val() & self.accessed_bytes.val()) == self.accessed_bytes.val()) & !self.crosses.val();

        // writes, also of a line that is stored already
        self.swept.next = self.sweep.q.val() == self.last.val();
        if !self.swept.val() {
            self.sweep.d.next = self.sweep.q.val() + self.one.val();
        }
        self.we.next = (self.access_2.q.val() & !self.crosses.val()) | !self.swept.val();
        self.waddr.next = self.index_2.q.val();
        self.wtag.next = self.tag_2.q.val();
        self.wflags.next = self.valid_bytes.val() | self.accessed_bytes.val();
        if !self.swept.val() {
            self.waddr.next = self.sweep.q.val().get_bits::<12>(0);
            self.wtag.next = 0.into();
        }
        self.tags.we.next = self.we.val();
        self.flags.we.next = self.we.val();
        self.tags.waddr.next = self.waddr.val();
        self.flags.waddr.next = self.waddr.val();
        self.tags.wdata.next = self.wtag.val();
        self.flags.wdata.next = self.wflags.val();
        self.same_2.d.next = self.we.val() & (self.waddr.val() == self.index.val());
        self.old_tag.d.next = self.wtag.val();
        self.old_flags.d.next = self.wflags.val();
        self.cleared.next = self.swept.val();

        // S1: CSRs
        self.csr_upper.next = self.csr_addr.val() & self.but_low.val();
        self.which.next = 0.into();
        if self.csr.val() {
            if self.csr_upper.val() == self.csr_scratch.val() {
                self.which.next = self.bit_one.val() << self.csr_addr.val().get_bits::<2>(0);
            }
            if self.csr_addr.val() == self.csr_status.val() {
                self.which.next = self.bit_status.val();
            }
            if self.csr_addr.val() == self.csr_enable.val() {
                self.which.next = self.bit_enable.val();
            }
        }
        if self.returns.val() {
            self.which.next = self.bit_mepc.val();
        }
        self.first.next = (self.which.val() & !self.csrs_sent.q.val()).any();
        self.csrs_sent.d.next = self.csrs_sent.q.val() | self.which.val();
        self.counts.next = ((self.csr_addr.val() & self.but_high.val()) == self.csr_minstret.val())
            | ((self.csr_addr.val() & self.but_high.val()) == self.csr_instret.val());
        self.csr_first_2.d.next = self.first.val();
        self.fill.next = self.csr_first_2.q.val() | (self.load_2.q.val() & !self.all_accessed.val());

        if self.clear.val() {
            self.sweep.d.next = 0.into();
            self.csrs_sent.d.next = 0.into();
            self.csr_first_2.d.next = false;
            self.load_2.d.next = false;
            self.access_2.d.next = false;
        }
    }
}
