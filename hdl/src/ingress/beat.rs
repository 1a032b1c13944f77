//! Retire beats: the output of all ingress adapters, and the input of all front ends
//!
//! # Ports
//! | port | bits | meaning |
//! | --- | ---: | --- |
//! | `live` | 1 | this cycle is traced |
//! | `valid` | 1 | an instruction retires |
//! | `intr` | 1 | it is the first after a trap |
//! | `discontinuity` | 1 | `intr` is 1 because of a discontinuity: the instruction does not follow from the one before, and the port signals no trap |
//! | `hide` | 1 | it is hidden; between instructions, the value for the one before |
//! | `new_context` | 1 | it is the first in its context, where contexts are reported |
//! | `context_value` | 18 | its context, see [`super::context_tracker`]; between instructions, the context of the one before |
//! | `branch`, `taken` | 1 | it is a direct conditional branch; its outcome |
//! | `lookup` | 1 | it is an indirect jump, indirect call or trap return |
//! | `push`, `pop` | 1 | it is a call; a return; both: pops, then pushes |
//! | `jump` | 1 | it is a direct jump or call |
//! | `inferable` | 1 | with `lookup`, where jumps are inferred: the instruction that retired before it loads its register |
//! | `pc`, `link`, `target` | W | its address, the address after it, the address of the next instruction; without the `align` low bits |
//!
//! `branch`, `lookup`, `push`, `pop` and `jump` are 0 unless `valid` and `live`.

use crate::widget::bundle::bundle;
use rust_hdl::prelude::*;

bundle!(
    /// Retire beats.
    BeatOut "BeatIn" BeatIn<W>
    {
        live: Bit,
        valid: Bit,
        intr: Bit,
        discontinuity: Bit,
        hide: Bit,
        new_context: Bit,
        context_value: Bits<18>,
        branch: Bit,
        taken: Bit,
        lookup: Bit,
        push: Bit,
        pop: Bit,
        jump: Bit,
        inferable: Bit,
        pc: Bits<W>,
        link: Bits<W>,
        target: Bits<W>,
    }
    {}
);
