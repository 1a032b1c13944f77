//! Every message kind, bit by bit, as worked out by hand from `docs/reference/stream.md`
//!
//! A line is the message and its bits in sending order; spaces are ignored. The encoder must write the line, and the
//! decoder must read it back.

use retire::Context;
use sim::bits::{as_bits, BitReader, BitWriter};
use sim::message::{Body, CodingError, Escape, Message};
use sim::params::{Chunks, Coding, FlowScheme, NexusParams, Platform, TrParams, TraceParams};
use sim::scheme::fields::{Head, Reader};
use sim::scheme::nexus::nexs;
use sim::scheme::tr::coder::{Coder, CoderParams};
use sim::scheme::{Encode, Scheme};

fn base() -> TraceParams {
    TraceParams::tr(TrParams::sizes(512, 8, 0))
}

/// Reads the output of `coder`.
#[expect(clippy::large_enum_variant, reason = "one per test")]
enum Decoder {
    Fields(Reader<Coder>),
    Groups(nexs::Reader),
}

impl Decoder {
    fn new(params: &TraceParams) -> Self {
        let fields = |coder: CoderParams| Self::Fields(Reader::new(&params.platform, coder.code()));
        match params.flow {
            FlowScheme::Tr(tr) => fields(tr.coder),
            FlowScheme::Nexus(NexusParams::NxB(coding)) => fields(CoderParams::Chunked(coding)),
            FlowScheme::Nexus(NexusParams::NexS) => Self::Groups(nexs::Reader::new(&params.platform)),
            _ => panic!("has a bench of its own"),
        }
    }

    fn head<I: Iterator<Item = u32>>(&mut self, bits: &mut BitReader<I>) -> Result<Head, CodingError> {
        match self {
            Self::Fields(r) => r.head(bits),
            Self::Groups(r) => r.head(bits),
        }
    }

    fn target<I: Iterator<Item = u32>>(&mut self, core: u8, bits: &mut BitReader<I>) -> u64 {
        match self {
            Self::Fields(r) => r.target(core, bits).unwrap(),
            Self::Groups(r) => r.target(core, bits).unwrap(),
        }
    }

    fn taken<I: Iterator<Item = u32>>(&mut self, bits: &mut BitReader<I>) -> bool {
        match self {
            Self::Fields(r) => r.taken(bits).unwrap(),
            Self::Groups(_) => panic!("nexs has no such message"),
        }
    }
}

fn coder(params: &TraceParams) -> Box<dyn Encode> {
    match params.flow {
        FlowScheme::Tr(p) => Box::new(p.coder(&params.platform)),
        FlowScheme::Nexus(p) => Box::new(p.coder(&params.platform)),
        _ => panic!("has a bench of its own"),
    }
}

/// Writes `lines` in sequence, compares each with its bits, and reads them back.
fn check(params: &TraceParams, lines: &[(Message, &str)]) {
    let mut encoder = coder(params);
    let mut out = BitWriter::new();
    let mut bits = String::new();
    for (message, line) in lines {
        encoder.encode(message, &mut out);
        bits.extend(line.chars().filter(|c| *c != ' '));
        assert_eq!(out.len(), bits.len() as u64, "{message:?}: {line}");
    }
    out.pad();
    let words: Vec<u32> = out.drain().collect();
    let written: String = as_bits(&words)[..bits.len()].iter().map(|b| if *b { '1' } else { '0' }).collect();
    assert_eq!(written, bits);

    let mut decoder = Decoder::new(params);
    let mut reader = BitReader::new(words.into_iter());
    for (message, line) in lines {
        let read = match decoder.head(&mut reader).unwrap() {
            Head::Escape(message) => message,
            Head::Count { core, diff_cc, count } => {
                let mut target = || decoder.target(core, &mut reader);
                let body = match message.body {
                    Body::Outcome { .. } => Body::Outcome { count },
                    Body::Target { .. } => Body::Target { count, target: target() },
                    Body::Stream { target: Some(_), .. } => Body::Stream { length: count, target: Some(target()) },
                    Body::Stream { target: None, .. } => {
                        if let Decoder::Groups(r) = &mut decoder {
                            r.no_target().unwrap();
                        }
                        Body::Stream { length: count, target: None }
                    }
                    // what follows depends on the taken bit, which is read first
                    Body::NotTaken { .. } | Body::Taken { .. } => {
                        if decoder.taken(&mut reader) {
                            Body::Taken { count, target: decoder.target(core, &mut reader) }
                        } else {
                            Body::NotTaken { count }
                        }
                    }
                    body => panic!("{body:?} was read as a count: {line}"),
                };
                Message { core, diff_cc, body }
            }
        };
        assert_eq!(read, *message, "{line}");
    }
}

fn m(body: Body) -> Message {
    Message { core: 0, diff_cc: 0, body }
}

fn esc(escape: Escape) -> Message {
    m(Body::Escape(escape))
}

#[test]
fn contexts_of_nine_bits() {
    let params = base().with(|p| p.context = Some(9));
    let context = |privilege, id| Context::new(privilege, id);
    let of = |privilege, id| Some(context(privilege, id));
    check(
        &params,
        &[
            // mode S is 1, and 5 is 101 with its lowest bit first
            (esc(Escape::Sync { i_cnt: 0, pc: 0x10, context: of(1, 5) }), "0000 1000 000 10 101000000 00011000 0 0"),
            (m(Body::Outcome { count: 1 }), "1000"),
            (esc(Escape::Context { i_cnt: 4, context: context(0, 0x1ff) }), "0000 1101 001100 00 111111111"),
            // PTA is still 8: |1 - 8| is 7, negative
            (esc(Escape::Exception { i_cnt: 5, target: 2, context: of(3, 0) }), "0000 0 101100 11 000000000 1110 1"),
            (esc(Escape::Stop { i_cnt: 0, signature: None }), "0000 1010 000"),
        ],
    );
    // only the privilege mode, in chunks of the Nexus-like scheme, of the second of two cores
    let nexus = TraceParams::nexus(NexusParams::NxB(Coding::TR_B)).with(|p| (p.context, p.cores) = (Some(0), 2));
    let second = Message { core: 1, ..esc(Escape::Context { i_cnt: 1, context: context(0, 0) }) };
    check(&nexus, &[(second, "1 000000000 1101 100000000 00")]);
    let golomb = TraceParams::new(nexus.platform, "golomb(bcnt=2;diffta=4;diffcc=4;icnt=3):small".parse().unwrap());
    check(
        &golomb.with(|p| p.cores = 1),
        &[(esc(Escape::Context { i_cnt: 1, context: context(1, 0) }), "0 00 1101 0 100 10")],
    );
}

#[test]
fn a_context_is_no_message_where_none_was_asked_for() {
    let mut out = BitWriter::new();
    coder(&base().with(|p| p.context = Some(0)))
        .encode(&esc(Escape::Context { i_cnt: 0, context: Context(0) }), &mut out);
    out.pad();
    let mut reader = BitReader::new(out.drain().collect::<Vec<_>>().into_iter());
    assert_eq!(Decoder::new(&base()).head(&mut reader), Err(CodingError::Kind(5)));
}

#[test]
fn schemes_without_contexts_reject_them() {
    let say = |name: &str, bits, xlen| {
        let p = TraceParams::new(Platform { context: Some(bits), xlen, ..Platform::RV32 }, name.parse().unwrap());
        p.check().err().map(|e| e.to_string())
    };
    assert_eq!(say("tr_e:small", 8, 32), None);
    assert_eq!(say("nx_b", 16, 64), None);
    for (bits, xlen) in [(9, 32), (17, 64)] {
        let said = say("tr_e:small", bits, xlen).unwrap();
        assert!(said.starts_with(&format!("context = {bits}, expected 0 to 16, and")), "{said}");
    }
    for name in ["nexs", "sc-lsp:rbase-32x4"] {
        let said = say(name, 4, 32).unwrap();
        assert_eq!(said, "context = 4, expected none: only the schemes tr, golomb and nx_b report contexts");
    }
}

#[test]
fn functional_tr_e_of_one_core() {
    check(
        &base(),
        &[
            (esc(Escape::Sync { i_cnt: 0, pc: 0x10, context: None }), "0000 1000 000 00011000 0 0"),
            (m(Body::Outcome { count: 1 }), "1000"),
            (m(Body::Outcome { count: 9 }), "1001 100"),
            // PTA 8, TA 4: |diffTA| 4, negative
            (m(Body::Target { count: 2, target: 0x8 }), "0100 0010 1"),
            // the same target again: 0, positive
            (m(Body::Target { count: 2, target: 0x8 }), "0100 0000 0"),
            (esc(Escape::Exception { i_cnt: 5, target: 0x2, context: None }), "0000 0 101100 1100 1"),
            (m(Body::NotTaken { count: 3 }), "1100 0"),
            (m(Body::Taken { count: 3, target: 0x4 }), "1100 1 1000 0"),
            (esc(Escape::Progress { i_cnt: 4, signature: None }), "0000 1110 001100"),
            (esc(Escape::Overflow { i_cnt: 3, lost: 1 }), "0000 1001 110 100"),
            (esc(Escape::Resync { i_cnt: 3, signature: None }), "0000 1100 110 000"),
            // PTA is 0 at a sync: 0x8000_0000 is 2^30 without its lowest bit, which is negative in 31 bits
            (
                esc(Escape::Sync { i_cnt: 0, pc: 0x8000_0000, context: None }),
                "0000 1000 000 0001 00001 00001 00001 00001 00001 00001 00010 1",
            ),
            (esc(Escape::Stop { i_cnt: 0, signature: None }), "0000 1010 000"),
        ],
    );
}

#[test]
fn core_index_and_time_stamp_come_first() {
    let mut params = base();
    params.cores = 4;
    params.timestamps = true;
    let at = |core, diff_cc, body| Message { core, diff_cc, body };
    check(
        &params,
        &[
            (at(2, 17, Body::Outcome { count: 1 }), "10001100 01 1000"),
            (at(3, 0, Body::Outcome { count: 2 }), "00000 11 0100"),
            (at(1, 15, Body::Escape(Escape::Stop { i_cnt: 1, signature: None })), "11110 10 0000 1010 100"),
        ],
    );
}

#[test]
fn functional_tr_b() {
    let mut params = base();
    params.flow = FlowScheme::Tr(TrParams::sizes(512, 8, 0).coded(Coding::TR_B));
    check(
        &params,
        &[
            (m(Body::Outcome { count: 1 }), "10000000 0"),
            (m(Body::Outcome { count: 256 }), "00000000 1 10000000 0"),
            (m(Body::Target { count: 1, target: 0x2_0000 }), "10000000 0 0000000000000000 1 1000000000000000 0 0"),
        ],
    );
}

#[test]
fn nexus_like_messages() {
    let mut params = base();
    params.flow = FlowScheme::Nexus(NexusParams::NxB(Coding::TR_B));
    let stream = |length, target| m(Body::Stream { length, target });
    check(&params, &[(stream(5, None), "10100000 0"), (stream(1, Some(6)), "10000000 0 1100000000000000 0 0")]);
    params.flow = FlowScheme::Nexus(NexusParams::NexS);
    check(
        &params,
        &[
            // header 3 (11), 5 in six bits
            (stream(5, None), "11 101000"),
            // 70 = 1_000110: header 0, then 1; TA 3 xor 0, header 3
            (stream(70, Some(6)), "00 011000 10 100000 11 110000"),
            // TA 2 xor 3
            (stream(1, Some(4)), "10 100000 11 100000"),
            (esc(Escape::Exception { i_cnt: 2, target: 4, context: None }), "10 000000 10 000000 10 010000 11 000000"),
            (esc(Escape::Sync { i_cnt: 0, pc: 2, context: None }), "10 000000 10 100000 10 000000 11 100000"),
            (esc(Escape::Overflow { i_cnt: 1, lost: 2 }), "10 000000 10 010000 10 100000 11 010000"),
            (esc(Escape::Resync { i_cnt: 1, signature: None }), "10 000000 10 010000 10 100000 11 000000"),
            (esc(Escape::Progress { i_cnt: 1, signature: None }), "10 000000 10 001000 11 100000"),
            (esc(Escape::Stop { i_cnt: 1, signature: None }), "10 000000 10 110000 11 100000"),
        ],
    );
}

#[test]
fn the_most_negative_difference_is_itself() {
    let mut params = base();
    params.flow =
        FlowScheme::Tr(TrParams::sizes(512, 8, 0).coded(Coding { diff_ta: Chunks::new(16, 15), ..Coding::TR_E }));
    let target = 1 << 31;
    check(
        &params,
        &[
            // from 0 to 2^30 in 31 bits: the difference is -2^30 modulo 2^31
            (m(Body::Target { count: 1, target }), "1000 0000000000000000 1 000000000000001 0 1"),
            (m(Body::Target { count: 1, target: 0 }), "1000 0000000000000000 1 000000000000001 0 1"),
        ],
    );
}

#[test]
fn reserved_kinds_and_missing_cores_are_refused() {
    let head = |params: &TraceParams, bits: &str| {
        let mut w = BitWriter::new();
        bits.chars().for_each(|c| w.push(u64::from(c == '1'), 1));
        w.pad();
        let words: Vec<u32> = w.drain().collect();
        Decoder::new(params).head(&mut BitReader::new(words.into_iter())).unwrap_err().to_string()
    };
    assert_eq!(head(&base(), "00001101"), "escape kind 5 is not defined in format 1");
    // a loss after which tables were cleared, as in earlier streams; a loss of nothing
    assert_eq!(head(&base(), "00001100110100"), "escape kind 1 is not defined in format 1");
    assert_eq!(head(&base(), "00001001110000"), "escape kind 4 is not defined in format 1");
    let mut params = base();
    params.cores = 3;
    assert_eq!(head(&params, "111000"), "core index 3, but the system has 3 cores");
    // |diffTA| 0 with a sign
    assert_eq!(
        head(&base(), "0000 0 000 0000 1".replace(' ', "").as_str()),
        "an address difference of 0 with a negative sign"
    );
}
