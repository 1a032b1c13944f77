//! Reports of one core: the branch map, and the decision which packets the last instruction makes
//!
//! It is the last stage of a front end. It keeps the last instruction until the next one retires, which decides how the
//! last one is reported.
//!
//! # Source
//! Efficient Trace for RISC-V 2.0, chapter 8.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | back to the state at power-up |
//! | `reserved` | in | 1 | an entry is reserved for the instruction, other than for the first one and for one after a trap |
//! | `branch`, `not_taken` | in | 1 | it is a direct conditional branch; its outcome |
//! | `indirect` | in | 1 | it is a jump whose target the code does not contain |
//! | `implicit`, `wrong` | in | 1 | it is a return to where the return stack says, to another place |
//! | `depth` | in | 6 | with `wrong`: entries of the return stack, sign-extended from the width of `irdepth` |
//! | `predicts`, `right` | in | 1 | outcomes are predicted; it is a branch as predicted |
//! | `hit` | in | 1 | the jump target cache has its address, and a reported jump leads to it |
//! | `resync` | in | 1 | a synchronization is due at it, or it is the first one in its context |
//! | `context_value` | in | 18 | where contexts are reported: its context |
//! | `timestamp`, `keeps_time` | in | 32, 1 | with time stamps: the time; it is not that of a synchronization at the instruction, which has that of the one before |
//! | `hidden` | in | 1 | with a loss: a filter hid the instructions, and none was lost |
//! | `pc`, `target` | in | W | its address, the address of the next instruction |
//! | `decision` | in | | the decision about it, see [`crate::spine::trace_fsm`] |
//! | `entry` | out | | an entry about the instruction before it, see [`super::entry`] |
//!
//! # Timing
//! One instruction per cycle; the entry comes in the same cycle.
//!
//! Golden model: [`sim::baseline::etrace::Encoder`] with `port_only`.

use super::entry::{ANNOUNCE, BRANCH, DEPTH, IRREPORT, NOTIFY, REPORTED, TRAP, UPDISCON, VIA};
use super::entry::{COUNTED, FAILED, HIDDEN, INDEXED, NEWEST};
use super::entry::{FULL, POST_ENDED, POST_EPC, POST_LOST, PRE_FULL, PRE_REPORT, PRE_SYNC};
use crate::spine::ports::{DecisionIn, EntryOut};
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::baseline::etrace::{EtraceParams, MAX_PREDICTED};

/// The packets of one core, for addresses of at most W bits.
#[derive(LogicBlock, Default)]
pub struct Reports<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub reserved: Signal<In, Bit>,
    pub branch: Signal<In, Bit>,
    pub not_taken: Signal<In, Bit>,
    pub indirect: Signal<In, Bit>,
    pub implicit: Signal<In, Bit>,
    pub wrong: Signal<In, Bit>,
    pub depth: Signal<In, Bits<6>>,
    pub predicts: Signal<In, Bit>,
    pub right: Signal<In, Bit>,
    pub hit: Signal<In, Bit>,
    pub resync: Signal<In, Bit>,
    pub context_value: Signal<In, Bits<18>>,
    pub timestamp: Signal<In, Bits<32>>,
    pub keeps_time: Signal<In, Bit>,
    pub hidden: Signal<In, Bit>,
    pub pc: Signal<In, Bits<W>>,
    pub target: Signal<In, Bits<W>>,
    pub decision: DecisionIn,
    pub entry: EntryOut<W>,
    // branches since the last report, including that of the last instruction
    map: DFF<Bits<32>>,
    count: DFF<Bits<5>>,
    // with predictors: all of these are as predicted; there are more than 30, and the map is the number of those above 31; the last
    // instruction is a branch that is not
    all_right: DFF<Bit>,
    counting: DFF<Bit>,
    failed: DFF<Bit>,
    right_kept: Signal<Local, Bit>,
    counting_kept: Signal<Local, Bit>,
    limit: Fixed<Bits<12>>,
    one_12: Fixed<Bits<12>>,
    before_full: Fixed<Bits<5>>,
    predictors: Fixed<Bit>,
    // with the jump target cache: it has the address of the last instruction; the newest bit of the map
    was_hit: DFF<Bit>,
    newest: DFF<Bit>,
    indexed: Signal<Local, Bit>,
    targets: Fixed<Bit>,
    // the last instruction: there is one, and it has not been synchronized yet; a trap precedes it; an indirect jump leads to
    // it; it is one itself; a predicted return leads to it; it is one; likewise for others; its `branch` in a synchronization
    known: DFF<Bit>,
    first: DFF<Bit>,
    trapped: DFF<Bit>,
    jumped: DFF<Bit>,
    is_indirect: DFF<Bit>,
    returned: DFF<Bit>,
    is_implicit: DFF<Bit>,
    after_wrong: DFF<Bit>,
    is_wrong: DFF<Bit>,
    // a predicted return retired since the last branch or packet; its address
    returns: DFF<Bit>,
    returned_from: DFF<Bits<W>>,
    // the last instruction is a return that is reported: one that was not predicted, or a predicted one after another
    is_reported: Signal<Local, Bit>,
    via: Signal<Local, Bit>,
    sets: Signal<Local, Bit>,
    // of the last return that was not predicted; none of one can follow another, as it leaves the stack unchanged
    wrong_depth: DFF<Bits<6>>,
    no_taken_branch: DFF<Bit>,
    last_pc: DFF<Bits<W>>,
    with_context: Fixed<Bit>,
    last_context: DFF<Bits<18>>,
    stamped: Fixed<Bit>,
    last_time: DFF<Bits<32>>,
    last_target: DFF<Bits<W>>,
    // the support packet at the beginning of the trace was sent
    announced: DFF<Bit>,
    announces: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    closes: Signal<Local, Bit>,
    maps: Signal<Local, Bit>,
    full: Signal<Local, Bit>,
    // a count is at its limit
    most: Signal<Local, Bit>,
    map_kept: Signal<Local, Bits<32>>,
    count_kept: Signal<Local, Bits<5>>,
    map_bit: Signal<Local, Bits<32>>,
    pre: Signal<Local, Bits<2>>,
    post: Signal<Local, Bits<2>>,
    updiscon: Signal<Local, Bit>,
    notify: Signal<Local, Bit>,
    reported: Signal<Local, Bit>,
    handler: Signal<Local, Bit>,
    epc: Signal<Local, Bit>,
    one_5: Fixed<Bits<5>>,
    full_count: Fixed<Bits<5>>,
    pre_report: Fixed<Bits<2>>,
    pre_full: Fixed<Bits<2>>,
    pre_sync: Fixed<Bits<2>>,
    post_epc: Fixed<Bits<2>>,
    post_lost: Fixed<Bits<2>>,
    post_ended: Fixed<Bits<2>>,
    updiscon_at: Fixed<Bits<5>>,
    announce_at: Fixed<Bits<5>>,
    branch_at: Fixed<Bits<5>>,
    reported_at: Fixed<Bits<5>>,
    trap_at: Fixed<Bits<5>>,
    notify_at: Fixed<Bits<5>>,
    irreport_at: Fixed<Bits<5>>,
    depth_at: Fixed<Bits<5>>,
    via_at: Fixed<Bits<5>>,
    counted_at: Fixed<Bits<5>>,
    failed_at: Fixed<Bits<5>>,
    indexed_at: Fixed<Bits<5>>,
    newest_at: Fixed<Bits<5>>,
    hidden_at: Fixed<Bits<5>>,
}

impl<const W: usize> Reports<W> {
    /// The packets of a core of a system with `params`.
    pub fn new(params: &EtraceParams) -> Self {
        Self {
            predictors: Fixed::new(params.options.predictors > 0),
            targets: Fixed::new(params.options.jump_targets > 0),
            with_context: Fixed::new(params.context.is_some()),
            stamped: Fixed::new(params.timestamps),
            hidden_at: Fixed::of(HIDDEN as u64),
            limit: Fixed::of(MAX_PREDICTED),
            one_12: Fixed::of(1u8),
            before_full: Fixed::of(FULL - 1),
            counted_at: Fixed::of(COUNTED as u64),
            failed_at: Fixed::of(FAILED as u64),
            indexed_at: Fixed::of(INDEXED as u64),
            newest_at: Fixed::of(NEWEST as u64),
            one_5: Fixed::of(1u8),
            full_count: Fixed::of(FULL),
            pre_report: Fixed::of(PRE_REPORT),
            pre_full: Fixed::of(PRE_FULL),
            pre_sync: Fixed::of(PRE_SYNC),
            post_epc: Fixed::of(POST_EPC),
            post_lost: Fixed::of(POST_LOST),
            post_ended: Fixed::of(POST_ENDED),
            updiscon_at: Fixed::of(UPDISCON as u64),
            announce_at: Fixed::of(ANNOUNCE as u64),
            branch_at: Fixed::of(BRANCH as u64),
            reported_at: Fixed::of(REPORTED as u64),
            trap_at: Fixed::of(TRAP as u64),
            notify_at: Fixed::of(NOTIFY as u64),
            irreport_at: Fixed::of(IRREPORT as u64),
            depth_at: Fixed::of(DEPTH as u64),
            via_at: Fixed::of(VIA as u64),
            ..Default::default()
        }
    }
}

// the constant condition is nested alone, so that the Verilog writer can fold it
#[allow(clippy::collapsible_if)]
impl<const W: usize> Logic for Reports<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, map, count, known, first, trapped, jumped, is_indirect, no_taken_branch);
        dff_setup!(
            self,
            clock,
            last_pc,
            last_target,
            announced,
            all_right,
            counting,
            failed,
            was_hit,
            newest,
            last_context,
            last_time
        );
        dff_setup!(self, clock, returned, is_implicit, after_wrong, is_wrong, wrong_depth, returns, returned_from);

        // packets of the last instruction
        self.is_reported.next = self.is_wrong.q.val() | (self.is_implicit.q.val() & self.returns.q.val());
        self.decision.flow.next = self.reserved.val();
        self.full.next = self.count.q.val() == self.full_count.val();
        self.most.next = false;
        if self.predictors.val() {
            if self.counting.q.val() {
                self.most.next = !self.failed.q.val() & (self.map.q.val().get_bits::<12>(0) == self.limit.val());
                self.full.next = self.failed.q.val() | self.most.val();
            }
        }
        self.decision.needs_message.next = self.known.q.val()
            & (self.first.q.val() | self.jumped.q.val() | self.full.val() | self.is_reported.val() | self.resync.val());
        self.closes.next = self.decision.exception.val()
            | self.decision.overflow.val()
            | self.decision.stop.val()
            | (self.resync.val() & self.decision.beat.val());
        self.pre.next = 0.into();
        if self.known.q.val() {
            self.pre.next = self.pre_full.val();
            if self.jumped.q.val() | self.is_reported.val() | self.closes.val() {
                self.pre.next = self.pre_report.val();
            }
            if self.predictors.val() {
                // a count that is full is reported with the address
                if self.counting.q.val() & !self.failed.q.val() {
                    self.pre.next = self.pre_report.val();
                }
            }
            if self.first.q.val() {
                self.pre.next = self.pre_sync.val();
            }
        }
        self.epc.next = self.decision.exception.val() & self.known.q.val() & self.is_indirect.q.val();
        self.post.next = 0.into();
        if self.epc.val() {
            self.post.next = self.post_epc.val();
        }
        if self.decision.overflow.val() {
            self.post.next = self.post_lost.val();
        }
        if self.decision.stop.val() {
            self.post.next = self.post_ended.val();
        }
        // a filter ends the path as a stop does
        self.updiscon.next = self.jumped.q.val()
            & !self.decision.stop.val()
            & !(self.decision.overflow.val() & self.hidden.val())
            & self.closes.val();
        // the reader takes this address neither for the target of a return nor for an earlier visit
        self.notify.next = !self.jumped.q.val()
            & ((self.returned.q.val() & self.closes.val()) | (self.is_reported.val() & !self.closes.val()));
        if self.predictors.val() {
            // the address of a full count, which no synchronization follows
            if self.most.val() & !self.jumped.q.val() & !self.closes.val() {
                self.notify.next = true;
            }
        }
        // the address may have been visited before that return, without a branch in between; the return itself was not
        self.via.next = self.returns.q.val()
            & self.known.q.val()
            & !self.first.q.val()
            & !self.jumped.q.val()
            & (self.is_reported.val() | self.closes.val())
            & !self.epc.val();
        self.reported.next = self.known.q.val() & !self.first.q.val() & !self.jumped.q.val();
        self.handler.next = self.first.q.val() & self.trapped.q.val();

        self.indexed.next = false;
        if self.targets.val() {
            self.indexed.next = self.was_hit.q.val() & self.jumped.q.val() & !self.updiscon.val();
        }
        if self.predictors.val() {
            if self.counting.q.val() {
                self.indexed.next = false;
            }
        }
        self.announces.next = !self.announced.q.val();

        // the entry
        self.entry.push.next = self.decision.restart.val();
        self.entry.pre.next = self.pre.val();
        self.entry.post.next = self.post.val();
        self.entry.bcnt.next = bit_cast::<24, 5>(self.count.q.val())
            | (bit_cast::<24, 1>(self.updiscon.val().into()) << self.updiscon_at.val())
            | (bit_cast::<24, 1>(self.announces.val().into()) << self.announce_at.val())
            | (bit_cast::<24, 1>(self.no_taken_branch.q.val().into()) << self.branch_at.val())
            | (bit_cast::<24, 1>(self.reported.val().into()) << self.reported_at.val())
            | (bit_cast::<24, 1>(self.handler.val().into()) << self.trap_at.val())
            | (bit_cast::<24, 1>(self.notify.val().into()) << self.notify_at.val())
            | (bit_cast::<24, 1>(self.after_wrong.q.val().into()) << self.irreport_at.val())
            | (bit_cast::<24, 6>(self.wrong_depth.q.val()) << self.depth_at.val())
            | (bit_cast::<24, 1>(self.via.val().into()) << self.via_at.val())
            | (bit_cast::<24, 1>(self.counting.q.val().into()) << self.counted_at.val())
            | (bit_cast::<24, 1>(self.failed.q.val().into()) << self.failed_at.val())
            | (bit_cast::<24, 1>(self.indexed.val().into()) << self.indexed_at.val())
            | (bit_cast::<24, 1>(self.newest.q.val().into()) << self.newest_at.val())
            | (bit_cast::<24, 1>(self.hidden.val().into()) << self.hidden_at.val());
        self.entry.icnt.next = self.map.q.val().get_bits::<24>(0);
        self.entry.context_value.next = bit_cast::<19, 7>(self.map.q.val().get_bits::<7>(24));
        self.entry.pc.next = self.last_pc.q.val();
        self.entry.target.next = self.last_target.q.val();
        if self.via.val() {
            self.entry.target.next = self.returned_from.q.val();
        }
        self.entry.resync_pc.next = 0.into();
        self.entry.cc.next = 0.into();
        if self.stamped.val() {
            self.entry.cc.next = self.last_time.q.val();
        }
        self.entry.hist.next = 0.into();
        if self.with_context.val() {
            self.entry.hist.next = bit_cast::<32, 18>(self.last_context.q.val());
        }

        // the map; a packet sends all of it
        self.map_kept.next = self.map.q.val();
        self.count_kept.next = self.count.q.val();
        self.right_kept.next = self.all_right.q.val();
        self.counting_kept.next = self.counting.q.val();
        if self.decision.restart.val() | self.reset.val() {
            self.map_kept.next = 0.into();
            self.count_kept.next = 0.into();
            self.right_kept.next = true;
            self.counting_kept.next = false;
        }
        if self.predictors.val() {
            self.all_right.d.next = self.right_kept.val();
            self.counting.d.next = self.counting_kept.val();
        }
        self.map.d.next = self.map_kept.val();
        self.count.d.next = self.count_kept.val();

        // the next instruction
        self.begins.next = self.decision.sync.val() | self.decision.exception.val() | self.resync.val();
        self.maps.next = self.branch.val() & !self.begins.val();
        self.map_bit.next = bit_cast::<32, 1>(self.not_taken.val().into()) << self.count_kept.val();
        self.sets.next = self.decision.beat.val() & self.known.q.val() & self.is_implicit.q.val() & !self.begins.val();
        if self.sets.val() {
            self.returned_from.d.next = self.last_pc.q.val();
        }
        // not of a return that was reported
        self.returns.d.next = (self.sets.val() | self.returns.q.val()) & !self.decision.restart.val();
        if self.decision.beat.val() & self.branch.val() {
            self.returns.d.next = false;
        }
        if self.decision.beat.val() {
            if self.maps.val() {
                self.map.d.next = self.map_kept.val() | self.map_bit.val();
                self.count.d.next = self.count_kept.val() + self.one_5.val();
                if self.targets.val() {
                    self.newest.d.next = self.not_taken.val();
                }
                if self.predictors.val() {
                    self.all_right.d.next = self.right_kept.val() & self.right.val();
                    if self.counting_kept.val() {
                        self.count.d.next = self.full_count.val();
                        self.map.d.next = self.map_kept.val();
                        if self.right.val() {
                            self.map.d.next =
                                bit_cast::<32, 12>(self.map_kept.val().get_bits::<12>(0) + self.one_12.val());
                        }
                    } else if (self.count_kept.val() == self.before_full.val())
                        & self.right_kept.val()
                        & self.right.val()
                    {
                        self.counting.d.next = true;
                        self.map.d.next = 0.into();
                    }
                }
            }
            if self.predictors.val() {
                self.failed.d.next = self.branch.val() & self.predicts.val() & !self.right.val();
            }
            if self.targets.val() {
                self.was_hit.d.next = self.hit.val();
            }
            self.known.d.next = true;
            self.first.d.next = self.begins.val();
            self.trapped.d.next = self.decision.exception.val() & !self.epc.val();
            self.jumped.d.next = self.known.q.val() & self.is_indirect.q.val() & !self.begins.val();
            self.is_indirect.d.next = self.indirect.val();
            self.returned.d.next = self.known.q.val() & self.is_implicit.q.val() & !self.begins.val();
            self.is_implicit.d.next = self.implicit.val();
            self.after_wrong.d.next = self.known.q.val() & self.is_wrong.q.val() & !self.begins.val();
            self.is_wrong.d.next = self.wrong.val();
            if self.wrong.val() {
                self.wrong_depth.d.next = self.depth.val();
            }
            self.no_taken_branch.d.next = !self.branch.val() | self.not_taken.val();
            self.last_pc.d.next = self.pc.val();
            self.last_target.d.next = self.target.val();
            if self.stamped.val() {
                if !self.keeps_time.val() {
                    self.last_time.d.next = self.timestamp.val();
                }
            }
            if self.with_context.val() {
                self.last_context.d.next = self.context_value.val();
            }
        }
        if self.decision.restart.val() {
            self.announced.d.next = true;
        }
        if self.decision.overflow.val() | self.decision.stop.val() | self.reset.val() {
            self.known.d.next = false;
        }
        if self.decision.stop.val() | self.reset.val() {
            self.announced.d.next = false;
        }
    }
}
