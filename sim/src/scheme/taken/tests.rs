//! Messages of every kind, bit by bit as derived by hand from `docs/reference/stream.md`

use crate::bits::{as_bits, BitWriter};
use crate::message::{Body, Escape, Message};
use crate::params::{Platform, TraceParams};
use crate::scheme::taken::TakenParams;
use crate::scheme::{Encode, FlowScheme, Scheme};
use crate::system::System;
use retire::{FlowEvent, FlowKind, RetireSink};

/// The bits of a string; spaces are ignored.
fn bits(text: &str) -> Vec<bool> {
    text.chars().filter(|c| *c != ' ').map(|c| c == '1').collect()
}

#[test]
fn a_message_for_every_taken_instruction_and_none_for_others() {
    let event = |kind, count, pc, target| FlowEvent {
        hart: 0,
        kind,
        len: if count > 0 { 2 } else { 0 },
        count,
        pc,
        target,
        cycle: 0,
    };
    let lines = [
        (event(FlowKind::Start, 0, 0x10, 0x10), "00000000 0 1000 00000000 0 0001000000000000 0 0"),
        (event(FlowKind::Jump, 3, 0x14, 0x40), "11000000 0"),
        (event(FlowKind::Conditional { taken: false }, 2, 0x42, 0x44), ""),
        // three instructions since the jump
        (event(FlowKind::Conditional { taken: true }, 1, 0x44, 0x60), "11000000 0"),
        (event(FlowKind::Call, 1, 0x60, 0x80), "10000000 0"),
        // PTA is 8 from the sync, 0x12 without its lowest bit 9
        (event(FlowKind::Return, 2, 0x82, 0x12), "01000000 0 1000000000000000 0 0"),
        (event(FlowKind::Stop, 4, 0, 0), "00000000 0 1010 00100000 0"),
    ];
    let params = TraceParams::new(Platform::RV32, FlowScheme::Taken(TakenParams));
    let mut system = System::new(&params).unwrap();
    lines.iter().for_each(|(e, _)| system.event(e));
    system.finish(0);
    let words: Vec<u32> = system.drain().skip(3).collect();
    let want: Vec<bool> = lines.iter().flat_map(|(_, line)| bits(line)).collect();
    assert_eq!(as_bits(&words)[..want.len()].iter().by_vals().collect::<Vec<bool>>(), want);
    assert_eq!(words.len(), want.len().div_ceil(32));
}

#[test]
fn escapes_times_and_the_core_are_in_the_chunks_of_tr_b() {
    let platform = Platform { cores: 2, timestamps: true, ..Platform::RV32 };
    let lines = [
        (1, Body::Stream { length: 256, target: None }, "11000000 0 1 00000000 1 10000000 0"),
        (0, Body::Stream { length: 1, target: Some(6) }, "11000000 0 0 10000000 0 1100000000000000 0 0"),
        // PTA is 3: |1 - 3| is 2, negative
        (
            0,
            Body::Escape(Escape::Exception { i_cnt: 2, target: 2, context: None }),
            "11000000 0 0 00000000 0 0 01000000 0 0100000000000000 0 1",
        ),
        (0, Body::Escape(Escape::Progress { i_cnt: 1, signature: None }), "11000000 0 0 00000000 0 1110 10000000 0"),
        (1, Body::Escape(Escape::Overflow { i_cnt: 1, lost: 2 }), "11000000 0 1 00000000 0 1001 10000000 0 01000000 0"),
    ];
    let (mut coder, mut out) = (TakenParams.coder(&platform), BitWriter::new());
    for (core, body, _) in lines {
        coder.encode(&Message { core, diff_cc: 3, body }, &mut out);
    }
    let want: Vec<bool> = lines.iter().flat_map(|(_, _, line)| bits(line)).collect();
    assert_eq!(out.len(), want.len() as u64);
    out.pad();
    let words: Vec<u32> = out.drain().collect();
    assert_eq!(as_bits(&words)[..want.len()].iter().by_vals().collect::<Vec<bool>>(), want);
}

#[test]
fn its_name_is_a_word_without_a_set() {
    assert_eq!("taken".parse::<FlowScheme>(), Ok(FlowScheme::Taken(TakenParams)));
    assert_eq!(FlowScheme::Taken(TakenParams).to_string(), "taken");
    for bad in ["taken:m4", "taken(bcnt=4,4)", "takens"] {
        assert!(bad.parse::<FlowScheme>().is_err(), "{bad}");
    }
}
