//! Port bundles inside a full generator
//!
//! | bundle | from, to | what it carries |
//! | --- | --- | --- |
//! | [`HitsOut`] | slots, log | which slots what retires hits |
//! | [`HeadOut`] | log, all behind it | the oldest instruction |
//! | [`DutyOut`] | control, open calls | what is done for it |
//! | [`FoundOut`] | open calls, control | which calls are the one that is looked for |
//! | [`DraftOut`] | control, outbox | an event, a word after the other |
//!
//! # Head
//! | port | bits | meaning |
//! | --- | ---: | --- |
//! | `shown` | 1 | there is one |
//! | `hits`, `stores` | 16, 4 | slots that it hits; by its store |
//! | `size` to `back`, `pc` to `came`, `cause` | | as `seen`: a load has its value where it sets a register, a call where it goes on |
//! | `address` | 32 | of data, else where it goes |
//! | `resumed` | 1 | a trap returned to it |
//! | `crowded` | 1 | nothing may wait for it: what it causes and is not made yet is lost |
//! | `give_up` | 1 | nor does that help: all that waits is lost |
//! | `waits` | 1 | there is an instruction in the log, shown or not |
//! | `pending` | 9 | hits in the log |
//!
//! # Duty
//! | port | bits | meaning |
//! | --- | ---: | --- |
//! | `looking` | 1 | nothing is begun |
//! | `phase` | 2 | 0: entries, 1: calls that a call ends, 2: that a return ends, 3: events |
//! | `slot`, `at`, `ended` | 4, 4, 16 | the slot, the call; calls that ended |
//! | `read`, `we`, `write`, `data` | 7, 1, 7, 32 | words of calls: place * 8 + word |
//! | `keep` | 1 | the call is open from now on |
//! | `close` | 1 | it is over |
//! | `evict` | 1 | the next one in turn loses its place |
//! | `cut` | 1 | calls that may be over are over |
//!
//! # Found
//! | port | bits | meaning |
//! | --- | ---: | --- |
//! | `likely`, `mine` | 16 | calls whose tag is the one that is looked for; that are of the slot |
//! | `ends`, `dropped` | 1, 16 | there are calls that may be over; those |
//! | `free`, `victim` | 16, 4 | places; the next one in turn |
//! | `ended_at`, `slot_at`, `place_bit` | 4, 4, 16 | the ended call of the slot; the slot of the call; the call |
//! | `same_to`, `same_sp` | 1 | the word that was read is the return address, the stack pointer |
//! | `word`, `half`, `full` | 32, 1, 1 | that word; halves of 2^32 clocks that began since the call, binary |
//!
//! # Draft
//! | port | bits | meaning |
//! | --- | ---: | --- |
//! | `we`, `k`, `data` | 1, 3, 32 | word k: 0 target and number of words, 1 to 5 those, 6 the time |
//! | `commit` | 1 | it is whole |
//! | `opens` | 1 | one is begun |
//! | `lost`, `dropped` | 9, 16 | events lost in this clock, without the calls that are dropped; those |

use crate::widget::bundle::bundle;
use rust_hdl::prelude::*;

bundle!(
    /// Which slots what retires hits.
    HitsOut "HitsIn" HitsIn
    { hits: Bits<16>, stores: Bits<4>, resumed: Bit, }
    { }
);

bundle!(
    /// The oldest instruction.
    HeadOut "HeadIn" HeadIn
    {
        shown: Bit,
        hits: Bits<16>,
        stores: Bits<4>,
        size: Bits<2>,
        store: Bit,
        through_sp: Bit,
        sets: Bit,
        rd: Bits<5>,
        call: Bit,
        back: Bit,
        pc: Bits<32>,
        value: Bits<32>,
        address: Bits<32>,
        stored: Bits<32>,
        came: Bits<32>,
        stamp: Bits<32>,
        cause: Bits<9>,
        resumed: Bit,
        crowded: Bit,
        give_up: Bit,
        waits: Bit,
        pending: Bits<9>,
    }
    { }
);

bundle!(
    /// What is done for the oldest instruction.
    DutyOut "DutyIn" DutyIn
    {
        looking: Bit,
        phase: Bits<2>,
        slot: Bits<4>,
        at: Bits<4>,
        ended: Bits<16>,
        read: Bits<7>,
        we: Bit,
        write: Bits<7>,
        data: Bits<32>,
        keep: Bit,
        close: Bit,
        evict: Bit,
        cut: Bit,
    }
    { }
);

bundle!(
    /// Which calls are the one that is looked for.
    FoundOut "FoundIn" FoundIn
    {
        likely: Bits<16>,
        mine: Bits<16>,
        ends: Bit,
        dropped: Bits<16>,
        free: Bits<16>,
        victim: Bits<4>,
        ended_at: Bits<4>,
        slot_at: Bits<4>,
        place_bit: Bits<16>,
        same_to: Bit,
        same_sp: Bit,
        word: Bits<32>,
        half: Bit,
        full: Bit,
    }
    { }
);

bundle!(
    /// An event, a word after the other.
    DraftOut "DraftIn" DraftIn
    { we: Bit, k: Bits<3>, data: Bits<32>, commit: Bit, opens: Bit, lost: Bits<9>, dropped: Bits<16>, }
    { }
);
