//! Head of a message: TCODE, SRC and the fixed fields
//!
//! # Source
//! RISC-V N-Trace 1.0, "N-Trace Messages"; the choices: `docs/reference/ntrace.md`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `core` | in | 4 | SRC |
//! | `ownership`, `direct`, `correlation`, `error`, `sync`, `resync`, `changes_alone`, `indirect`, `outcome` | in | 1 | the message; at most one is 1, and with none of them it is 27 with I-CNT |
//! | `types` | in | 2 | with branch messages, of a `resync`: its instruction is a taken branch; an indirect jump |
//! | `after_loss` | in | 1 | of a `sync`: it follows a loss |
//! | `trap` | in | 1 | of an `indirect`: a trap |
//! | `again` | in | 1 | of an `outcome`: with HREPEAT |
//! | `has_hist` | in | 1 | the message has HIST |
//! | `tcode` | out | 6 | TCODE |
//! | `has_byte`, `byte` | out | 1, 6 | the head has six bits, which are a byte of their own; these |
//! | `rest`, `rest_bits` | out | 4, 3 | the bits that share a byte with the first variable field; their number, 0, 2 or 4 |
//!
//! # Timing
//! Combinational.
//!
//! Golden model: [`sim::standard::ntrace::Encoder`].

use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::standard::ntrace::NtraceParams;

/// The head of the current message.
#[derive(LogicBlock, Default)]
pub struct NtraceHead {
    pub core: Signal<In, Bits<4>>,
    pub ownership: Signal<In, Bit>,
    pub direct: Signal<In, Bit>,
    pub correlation: Signal<In, Bit>,
    pub error: Signal<In, Bit>,
    pub sync: Signal<In, Bit>,
    pub resync: Signal<In, Bit>,
    pub changes_alone: Signal<In, Bit>,
    pub indirect: Signal<In, Bit>,
    pub outcome: Signal<In, Bit>,
    pub types: Signal<In, Bits<2>>,
    pub after_loss: Signal<In, Bit>,
    pub trap: Signal<In, Bit>,
    pub again: Signal<In, Bit>,
    pub has_hist: Signal<In, Bit>,
    pub tcode: Signal<Out, Bits<6>>,
    pub has_byte: Signal<Out, Bit>,
    pub byte: Signal<Out, Bits<6>>,
    pub rest: Signal<Out, Bits<4>>,
    pub rest_bits: Signal<Out, Bits<3>>,
    // SRC and fixed fields; whether the fixed ones have six bits
    fixed_fields: Signal<Local, Bits<6>>,
    fields: Signal<Local, Bits<10>>,
    six: Signal<Local, Bit>,
    whole_byte: Signal<Local, Bit>,
    btm: Fixed<Bit>,
    many: Fixed<Bit>,
    four: Fixed<Bit>,
}

impl NtraceHead {
    /// The block for `params`.
    pub fn new(params: &NtraceParams) -> Self {
        Self {
            btm: Fixed::new(params.modes.btm),
            many: Fixed::new(params.source_bits() > 0),
            four: Fixed::new(params.source_bits() == 4),
            ..Default::default()
        }
    }
}

// the constant condition is nested alone, so that the Verilog writer can fold it
#[allow(clippy::collapsible_if)]
impl Logic for NtraceHead {
    #[hdl_gen]
    fn update(&mut self) {
        self.tcode.next = 27.into();
        if self.ownership.val() {
            self.tcode.next = 2.into();
        } else if self.direct.val() {
            self.tcode.next = 3.into();
        } else if self.correlation.val() {
            self.tcode.next = 33.into();
        } else if self.error.val() {
            self.tcode.next = 8.into();
        } else if self.sync.val() {
            self.tcode.next = 9.into();
        } else if self.resync.val() | self.changes_alone.val() {
            self.tcode.next = 29.into();
            if self.btm.val() {
                self.tcode.next = 9.into();
                if self.resync.val() & self.types.val().get_bit(0) {
                    self.tcode.next = 11.into();
                } else if self.resync.val() & self.types.val().get_bit(1) {
                    self.tcode.next = 12.into();
                }
            }
        } else if self.indirect.val() {
            self.tcode.next = 4.into();
            if self.has_hist.val() {
                self.tcode.next = 28.into();
            }
        }
        self.fixed_fields.next = 0.into();
        if self.correlation.val() {
            // EVCODE 4, CDF 1; without HIST 0
            self.fixed_fields.next = 20.into();
            if self.btm.val() {
                self.fixed_fields.next = 4.into();
            }
        } else if self.sync.val() {
            self.fixed_fields.next = 5.into();
            if self.after_loss.val() {
                self.fixed_fields.next = 7.into();
            }
        } else if self.resync.val() | self.changes_alone.val() {
            // SYNC 2, B-TYPE 0
            self.fixed_fields.next = 2.into();
        } else if self.trap.val() | self.outcome.val() {
            self.fixed_fields.next = 1.into();
            if self.again.val() {
                self.fixed_fields.next = 2.into();
            }
        }
        // 0, 2, 4 or 6 bits, and SRC before them
        self.fields.next = bit_cast::<10, 6>(self.fixed_fields.val());
        self.six.next = self.correlation.val() | self.resync.val() | self.changes_alone.val();
        if self.btm.val() {
            self.six.next = self.correlation.val() | (self.resync.val() & self.types.val().get_bit(1));
        }
        self.whole_byte.next = self.six.val();
        self.rest_bits.next = 4.into();
        if self.indirect.val() {
            self.rest_bits.next = 2.into();
        }
        if self.six.val() {
            self.rest_bits.next = 0.into();
        }
        if self.many.val() {
            self.fields.next = (bit_cast::<10, 6>(self.fixed_fields.val()) << 2) | bit_cast::<10, 4>(self.core.val());
            self.whole_byte.next = !self.indirect.val();
            self.rest_bits.next = 0.into();
            if self.indirect.val() {
                self.rest_bits.next = 4.into();
            }
            if self.six.val() {
                self.rest_bits.next = 2.into();
            }
        }
        if self.four.val() {
            self.fields.next = (bit_cast::<10, 6>(self.fixed_fields.val()) << 4) | bit_cast::<10, 4>(self.core.val());
            self.whole_byte.next = true;
            self.rest_bits.next = 2.into();
            if self.indirect.val() {
                self.rest_bits.next = 0.into();
            }
            if self.six.val() {
                self.rest_bits.next = 4.into();
            }
        }
        if self.direct.val() | self.ownership.val() {
            // nothing but SRC
            self.whole_byte.next = false;
            self.rest_bits.next = 0.into();
            if self.many.val() {
                self.rest_bits.next = 2.into();
            }
            if self.four.val() {
                self.rest_bits.next = 4.into();
            }
        }
        self.has_byte.next = self.whole_byte.val();
        self.byte.next = self.fields.val().get_bits::<6>(0);
        self.rest.next = self.fields.val().get_bits::<4>(0);
        if self.whole_byte.val() {
            self.rest.next = self.fields.val().get_bits::<4>(6);
        }
    }
}
