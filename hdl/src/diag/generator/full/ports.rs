//! Port bundles inside a full generator
//!
//! | bundle | from, to | what it carries |
//! | --- | --- | --- |
//! | [`HitsOut`] | slots, log | which slots a retired instruction hits |
//! | [`HeadOut`] | log, all parts after it | the oldest instruction |
//! | [`CallOpOut`] | control, open calls | what the control does for that instruction |
//! | [`CallMatchOut`] | open calls, control | which calls match the lookup |
//! | [`DraftOut`] | control, outbox | an event, word by word |
//!
//! W is the width of addresses and registers, 32 or 64. Captured words and times have 32 bits, in the lower ones of W.
//!
//! # Head
//! | port | bits | meaning |
//! | --- | ---: | --- |
//! | `shown` | 1 | the instruction is valid |
//! | `hits`, `stores` | 16, 4 | slots that it hits; slots that its store hits |
//! | `size` to `back`, `pc` to `came`, `cause` | | as `seen`: `value` of a load is the data read, of a call the return address |
//! | `address` | W | data address of a load or store, else the address of the next instruction |
//! | `resumed` | 1 | it follows a trap return |
//! | `first` | 1 | it is the first after a reset of its core |
//! | `almost_full` | 1 | the log is almost full: events of this instruction that are not built yet are lost |
//! | `drop_all` | 1 | the log stays almost full: everything in it is lost |
//! | `waits` | 1 | the log is not empty, whether or not an instruction is shown |
//! | `pending` | 9 | hits in the log |
//!
//! # Duty
//! | port | bits | meaning |
//! | --- | ---: | --- |
//! | `looking` | 1 | processing has not begun |
//! | `phase` | 2 | 0: entries, 1: calls that a call ends, 2: calls that a return ends, 3: events |
//! | `slot`, `at`, `ended` | 4, 4, 16 | the slot; the call; calls that ended |
//! | `read`, `we`, `write`, `data` | 7, 1, 7, W | access to the words of calls; address is entry * 8 + word |
//! | `keep` | 1 | the call is now open |
//! | `close` | 1 | the call is closed |
//! | `evict` | 1 | the victim loses its entry |
//! | `cut` | 1 | calls that may have ended are dropped |
//!
//! # Found
//! | port | bits | meaning |
//! | --- | ---: | --- |
//! | `tag_matches`, `same_slot` | 16 | calls whose tag matches; calls that belong to the slot |
//! | `ends`, `dropped` | 1, 16 | some calls may have ended; these calls |
//! | `free`, `victim` | 16, 4 | free entries; the entry to evict next, round robin |
//! | `ended_at`, `slot_at`, `entry_bit` | 4, 4, 16 | the ended call of `slot`; the slot of call `at`; call `at`, one-hot |
//! | `same_to`, `same_sp` | 1 | the word read equals the return address, the stack pointer |
//! | `word`, `half`, `full` | W, 1, 1 | the word read; age of the call in halves of 2^32 cycles, as a binary number |
//!
//! # Draft
//! | port | bits | meaning |
//! | --- | ---: | --- |
//! | `we`, `k`, `data` | 1, 3, W | word k: 0 target and word count, 1 to 5 arguments, 6 the time |
//! | `commit` | 1 | the event is complete |
//! | `opens` | 1 | a new event begins |
//! | `lost`, `dropped` | 9, 16 | events lost in this cycle, apart from dropped calls; the dropped calls |

use crate::widget::bundle::bundle;
use rust_hdl::prelude::*;

bundle!(
    /// Which slots a retired instruction hits.
    HitsOut "HitsIn" HitsIn
    { hits: Bits<16>, stores: Bits<4>, resumed: Bit, }
    { }
);

bundle!(
    /// The oldest instruction in the log.
    HeadOut "HeadIn" HeadIn<W>
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
        pc: Bits<W>,
        value: Bits<W>,
        address: Bits<W>,
        stored: Bits<W>,
        came: Bits<W>,
        stamp: Bits<W>,
        cause: Bits<9>,
        resumed: Bit,
        first: Bit,
        almost_full: Bit,
        drop_all: Bit,
        waits: Bit,
        pending: Bits<9>,
    }
    { }
);

bundle!(
    /// What the control does for the oldest instruction.
    CallOpOut "CallOpIn" CallOpIn<W>
    {
        looking: Bit,
        phase: Bits<2>,
        slot: Bits<4>,
        at: Bits<4>,
        ended: Bits<16>,
        read: Bits<7>,
        we: Bit,
        write: Bits<7>,
        data: Bits<W>,
        keep: Bit,
        close: Bit,
        evict: Bit,
        cut: Bit,
    }
    { }
);

bundle!(
    /// Which calls match the lookup.
    CallMatchOut "CallMatchIn" CallMatchIn<W>
    {
        tag_matches: Bits<16>,
        same_slot: Bits<16>,
        ends: Bit,
        dropped: Bits<16>,
        free: Bits<16>,
        victim: Bits<4>,
        ended_at: Bits<4>,
        slot_at: Bits<4>,
        entry_bit: Bits<16>,
        same_to: Bit,
        same_sp: Bit,
        word: Bits<W>,
        half: Bit,
        full: Bit,
    }
    { }
);

bundle!(
    /// An event, word by word.
    DraftOut "DraftIn" DraftIn<W>
    { we: Bit, k: Bits<3>, data: Bits<W>, commit: Bit, opens: Bit, lost: Bits<9>, dropped: Bits<16>, }
    { }
);
