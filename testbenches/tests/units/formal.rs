//! Properties of `hdl/src/spine/{event_fifo,packer,trace_framer,merger,trace_fsm}.rs`, `hdl/src/scheme/tr/coder/{chunked,digits}.rs`,
//! `hdl/src/scheme/follow/arithmetic/{coder,probabilities}.rs`, `hdl/src/noc/router.rs` and `hdl/src/bus/lock.rs`, and what a filter lets through of `hdl/src/cores.rs`, proved
//!
//! `docs/explanation/formal.md` says what is proved, how, and in what time. Each set of properties has covers that are reached, and
//! is shown to find a fault planted in the Verilog.

use hdl::bus::lock::Lock;
use hdl::cores::Core;
use hdl::ingress::address_filter::AddressFilter;
use hdl::ingress::rvfi::RvfiPins;
use hdl::noc::router::Router;
use hdl::scheme::follow::arithmetic::coder::ArithmeticCoder;
use hdl::scheme::tr::coder::chunked::Chunked;
use hdl::scheme::tr::coder::digits::Digits;
use hdl::spine::entry::EntryLayout;
use hdl::spine::event_fifo::EventFifo;
use hdl::spine::merger::Merger;
use hdl::spine::packer::Packer;
use hdl::spine::packer_wide::WidePacker;
use hdl::spine::slices::Slices;
use hdl::spine::trace_framer::TraceFramer;
use hdl::spine::trace_fsm::TraceFsm;
use hdl::spine::{Extras, Stream};
use rust_hdl::prelude::*;
use sim::params::{Chunks, Coding, Platform, TrParams, TraceParams};
use sim::stimulus::{long, rounds};
use sim::system::header;
use testbenches::formal::{Engine, FormalError, Proof, ProofResult};
use Engine::{Bounded, Cover, Induction};

mod crossings;

fn params(cores: u8) -> TraceParams {
    TraceParams::tr(TrParams::sizes(512, 8, 0)).with(|p| p.cores = cores)
}

fn verilog(mut block: impl Block) -> Proof {
    block.connect_all();
    Proof::new(generate_verilog(&block))
}

/// Checks that the assertions hold for all time, and that the covers are reached.
fn holds(proof: &Proof, induction: u32, cover: u32) {
    assert_eq!(proof.run(Induction(induction)).unwrap(), ProofResult::Pass, "assertions");
    assert_eq!(proof.run(Cover(cover)).unwrap(), ProofResult::Pass, "covers");
}

/// Checks that with `from` replaced by `to`, the assertion `label` fails within `depth` cycles.
fn finds(proof: &Proof, from: &str, to: &str, label: &str, depth: u32) {
    match proof.clone().replace(from, to).unwrap().run(Bounded(depth)).unwrap() {
        ProofResult::Fail(labels) => assert!(labels.iter().any(|l| l == label), "{label} holds; found: {labels:?}"),
        other => panic!("`{to}` is not found: {other:?}"),
    }
}

/// Without the inductive invariants, so that a fault is found by its effect on the outputs.
fn outside(proof: &Proof) -> Proof {
    proof.clone().size("OUTSIDE", 1)
}

/// A FIFO of 2^`log2_depth` - 2 entries with narrow fields, whose width does not matter.
fn event_fifo(log2_depth: usize, early: bool) -> Result<Proof, FormalError> {
    let (count_bits, address_bits, cc_bits, context_bits, hist_bits) = (2, 6, 2, 0, 0);
    let layout =
        EntryLayout { count_bits, address_bits, cc_bits, hist_bits, context_bits, early, uses_resync_pc: false };
    let fifo = verilog(EventFifo::<8>::new(&layout, log2_depth))
        .size("LOG2_DEPTH", log2_depth)
        .size("ENTRIES", (1 << log2_depth) - 2)
        .size("COUNT_BITS", layout.count_bits)
        .size("ADDRESS_BITS", layout.address_bits)
        .size("CC_BITS", layout.cc_bits)
        .inside("top", include_str!("../../formal/event_fifo.sv"))?
        .ports("ccs", &["at", "read", "when", "lies_cc"], include_str!("../../formal/event_fifo_ccs.sv"))?;
    if !early {
        return fifo.ports(
            "entries",
            &["at", "read", "entry", "lies"],
            include_str!("../../formal/event_fifo_entries.sv"),
        );
    }
    fifo.size("EARLY", 1)
        .ports("counts", &["at", "read", "pair", "lies_count"], include_str!("../../formal/event_fifo_counts.sv"))?
        .ports(
            "addresses",
            &["at", "next_at", "read", "where", "next", "lies_address"],
            include_str!("../../formal/event_fifo_addresses.sv"),
        )
}

#[test]
fn an_event_fifo_is_a_queue() {
    for early in [false, true] {
        holds(&event_fifo(3, early).unwrap(), 3, 16);
    }
    let deep = rounds(4, 5);
    assert_eq!(event_fifo(deep, true).unwrap().run(Induction(3)).unwrap(), ProofResult::Pass);
}

#[test]
fn an_entry_that_is_shown_too_early_is_found() {
    let fifo = outside(&event_fifo(3, true).unwrap());
    finds(
        &fifo,
        "read_valid$d = ~none & (after_read != write$q);",
        "read_valid$d = ~none & (read$q != write$q);",
        "there_when_it_must",
        8,
    );
}

#[test]
fn addresses_at_the_place_before_are_found() {
    let fifo = outside(&event_fifo(3, true).unwrap());
    finds(&fifo, "addresses$waddr = next_write;", "addresses$waddr = write$q;", "as_it_went_in", 10);
}

#[test]
fn packed_words_contain_the_bits_of_all_slices() {
    let packer = |slices: Slices| {
        let packer = verilog(Packer::new(slices)).size("MOST", slices.max_bits());
        packer.inside("top", include_str!("../../formal/packer.sv")).unwrap()
    };
    holds(&packer(Slices::Narrow), 3, 24);
    let packer = packer(Slices::Octet);
    holds(&packer, 3, 24);
    let (now, faulty) = ("aligned = ~|held$q & ~|nibble_count$q;", "aligned = ~|held$q;");
    finds(&outside(&packer), now, faulty, "aligned_is_true", 10);
}

fn arithmetic_coder() -> Proof {
    verilog(ArithmeticCoder::new())
        .inside("top", include_str!("../../formal/arithmetic_coder.sv"))
        .and_then(|p| p.inside("top$probabilities", include_str!("../../formal/arithmetic_levels.sv")))
        .unwrap()
}

#[test]
fn an_interval_is_never_empty_and_no_carry_is_lost() {
    holds(&arithmetic_coder(), 2, 20);
}

#[test]
fn a_lost_carry_is_found() {
    let (now, faulty) = ("carried = last$q + one_8;", "carried = last$q;");
    finds(&outside(&arithmetic_coder()), now, faulty, "carry_is_kept", 12);
}

/// The packer of a system with wide slices.
fn broad_packer() -> Proof {
    verilog(WidePacker::new()).inside("top", include_str!("../../formal/packer_wide.sv")).unwrap()
}

#[test]
fn words_of_wide_packers_contain_the_bits_of_all_slices() {
    holds(&broad_packer(), 3, 24);
}

#[test]
fn a_slice_packed_without_ready_is_found() {
    // a slice that must wait is packed all the same
    let (now, faulty) = ("take = bits$valid & open;", "take = bits$valid;");
    finds(&outside(&broad_packer()), now, faulty, "lane_is_true", 16);
}

fn trace_framer(cores: u8) -> Proof {
    let p = params(cores);
    let [a, b, c] = header(&p);
    verilog(TraceFramer::new(&Stream::from(&p), false))
        .size("CORES", cores)
        .size("HEADER", format!("96'h{c:08x}{b:08x}{a:08x}"))
        .size("MOST", Stream::from(&p).slices.max_bits().min(8))
        .inside("top", include_str!("../../formal/framer.sv"))
        .unwrap()
}

#[test]
fn every_started_trace_ends() {
    for cores in [1, 2, 4] {
        holds(&trace_framer(cores), 3, 60);
    }
}

#[test]
fn an_enable_pulse_that_no_core_sees_is_found() {
    // a single cycle of `enable` then sends a header and never ends
    let (now, once) = ("tracing = running$q;", "tracing = running$q & enable;");
    finds(&outside(&trace_framer(2)), now, once, "someone_has_to_move", 30);
}

#[test]
fn a_trace_that_ends_before_its_last_bit_is_found() {
    let (now, faulty) =
        ("all_stopped = (stop_count$q == cores) & ~coded$busy;", "all_stopped = stop_count$q == cores;");
    finds(&outside(&trace_framer(1)), now, faulty, "then_what_is_coded", 40);
}

/// The merger for FIFOs of 2^`log2_depth` - 1 entries.
fn merger(cores: u8, log2_depth: usize) -> Result<Proof, FormalError> {
    let (p, depth) = (params(cores), (1_u32 << log2_depth) - 1);
    let proof = verilog(Merger::new(&p, log2_depth))
        .size("CORES", cores)
        .size("ENTRIES", depth)
        .size("NOTE_BITS", log2_depth as u32 + p.ti_bits())
        .size("SUM_BITS", log2_depth as u32 + p.ti_bits() + 1)
        .inside("top", include_str!("../../formal/merger.sv"))?;
    // with one core, there are no notes
    if cores == 1 {
        return Ok(proof);
    }
    proof.ports("notes", &["peek"], include_str!("../../formal/merger_notes.sv"))
}

#[test]
fn mergers_neither_lose_nor_reorder() {
    holds(&merger(1, 3).unwrap(), 4, 30);
    holds(&merger(2, 2).unwrap(), 4, 20);
    holds(&merger(3, 1).unwrap(), 4, 20);
}

#[test]
fn a_note_that_is_loaded_over_another_is_found() {
    let merger = outside(&merger(2, 2).unwrap());
    let (now, faulty) = ("(done & ~|rest)", "done");
    finds(&merger, now, faulty, "in_order_of_arrival", 12);
}

/// The trace state machine, with `latency` cycles from `go` to `live`, and FIFOs of `depth` entries.
fn trace_fsm(late: bool, latency: usize, depth: usize, filter: bool) -> Proof {
    verilog(TraceFsm::new(late, Extras { filter, ..Extras::default() }))
        .size("FILTER", u8::from(filter))
        .size("LATENCY", latency)
        .size("LATE", u8::from(late))
        .size("ENTRIES", depth)
        .size("WATERMARK", depth.div_ceil(3))
        .inside("top", include_str!("../../formal/trace_fsm.sv"))
        .unwrap()
}

/// Bounded from reset: there is no inductive invariant for the registers.
#[test]
fn trace_fsms_sync_once_and_push_only_reserved_entries() {
    // so few entries that a complete gap fits in the proof
    let sizes = rounds([(false, 3, 2, 22), (true, 4, 2, 22)], [(false, 4, 6, 24), (true, 5, 6, 24)]);
    let cases = [false, true].into_iter().flat_map(|f| sizes.map(|s| (f, s)));
    // in the short form with one latency each, with and without a filter
    let cases = cases.filter(|(filter, (late, ..))| long() || filter == late);
    for (filter, (late, latency, depth, clocks)) in cases {
        // with that few entries, also prove that it ends
        let trace_fsm = trace_fsm(late, latency, depth, filter);
        let trace_fsm = if depth == 2 { trace_fsm.size("ENDS", 1) } else { trace_fsm };
        assert_eq!(trace_fsm.run(Bounded(clocks)).unwrap(), ProofResult::Pass, "assertions");
        assert_eq!(trace_fsm.run(Cover(40)).unwrap(), ProofResult::Pass, "covers");
    }
}

/// With as many entries as the smallest FIFO: the proof covers an overflow and everything that enters until it is sent.
#[test]
#[ignore = "long: proofs of 36 clocks"]
fn trace_fsms_terminate() {
    for (late, latency) in [(false, 4), (true, 5)] {
        for filter in [false, true] {
            let trace_fsm = trace_fsm(late, latency, 6, filter).size("ENDS", 1);
            assert_eq!(trace_fsm.run(Bounded(36)).unwrap(), ProofResult::Pass, "it ends");
        }
    }
}

#[test]
fn a_stop_into_a_full_fifo_is_found() {
    let (now, faulty) = ("& ~losing$q & ~control$no_credit;", "& ~losing$q;");
    finds(&trace_fsm(false, 4, 6, false), now, faulty, "no_entry_is_reserved_twice", 24);
}

#[test]
fn resuming_after_a_gap_although_disabled_is_found() {
    for (now, faulty, label) in [
        ("go = open & ", "go = (open | resume$q) & ", "nothing_after_the_end"),
        ("last = cycle_due$q & ", "last = 1'b0 & cycle_due$q & ", "it_ends"),
    ] {
        finds(&trace_fsm(false, 3, 2, false).size("ENDS", 1), now, faulty, label, 24);
    }
}

#[test]
fn tracing_while_losing_is_found() {
    let trace_fsm = trace_fsm(false, 4, 2, false);
    finds(
        &trace_fsm,
        "overflow = losing$q & live_next & ~live;",
        "overflow = losing$q & live_next & live;",
        "never_both",
        24,
    );
}

/// Two front ends of the Nexus-like scheme with the same inputs, except for hidden instructions.
fn twins(change: impl Fn(String) -> String) -> Proof {
    Proof::new(both(change)).inside("top", include_str!("../../formal/filter.sv")).unwrap()
}

/// The same, each with an address filter; `change` applies to the filters.
fn filtered_twins(change: impl Fn(String) -> String) -> Proof {
    let mut address_filter =
        AddressFilter::<32>::new(&Extras { filter: true, range: true, space: true, ..Extras::default() });
    address_filter.connect_all();
    let address_filter = change(
        generate_verilog(&address_filter)
            .replace("module top", "module address_filter")
            .replace("endmodule // top", "endmodule // address_filter")
            .replace("top$", "address_filter$"),
    );
    let text = format!("{}\n{address_filter}", both(|text| text));
    Proof::new(text).inside("top", include_str!("../../formal/filter_ranges.sv")).unwrap()
}

/// Verilog of a front end with a filter and of a copy.
fn both(change: impl Fn(String) -> String) -> String {
    let p = TraceParams::new(Platform::RV32, "nx_b".parse().unwrap());
    let mut block = Core::<RvfiPins<32>, 32>::with(&p, Extras { filter: true, ..Extras::default() });
    block.connect_all();
    // the only table to clear is one that this scheme does not use
    let text = generate_verilog(&block);
    let waits: Vec<&str> =
        text.lines().filter(|l| l.trim_start().starts_with("trace_fsm$predictors_ready =")).collect();
    assert_eq!(waits.len(), 1, "what the life waits for: {waits:?}");
    let one = change(text.replace(waits[0], "trace_fsm$predictors_ready = 1'b1;"));
    format!("{one}\n{}", twin(&one))
}

/// The circuit in `text`, with other module names.
fn twin(text: &str) -> String {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut other = String::new();
    for piece in text.split_inclusive(|c| !word(c)) {
        let (name, rest) = piece.split_at(piece.len().min(3));
        other.push_str(if name == "top" && !rest.starts_with(word) { "twin" } else { name });
        other.push_str(rest);
    }
    other
}

#[test]
fn nothing_depends_on_what_hidden_instructions_are() {
    let depth = rounds(18, 30);
    assert_eq!(twins(|text| text).run(Bounded(depth)).unwrap(), ProofResult::Pass, "assertions");
    assert_eq!(twins(|text| text).run(Cover(40)).unwrap(), ProofResult::Pass, "covers");
}

#[test]
fn a_reported_hidden_trap_is_found() {
    let (now, faulty) = ("hidden = hide & filter;", "hidden = hide & filter & ~may;");
    let both = |text: String| {
        assert_eq!(
            text.matches(now).count(),
            1,
            "{:?}",
            text.lines().filter(|l| l.contains("hidden =")).collect::<Vec<_>>()
        );
        text.replace(now, faulty)
    };
    assert!(matches!(twins(both).run(Bounded(16)).unwrap(), ProofResult::Fail(_)), "not found");
}

#[test]
fn nothing_depends_on_what_is_at_hidden_addresses_or_in_hidden_spaces() {
    let depth = rounds(16, 28);
    assert_eq!(filtered_twins(|text| text).run(Bounded(depth)).unwrap(), ProofResult::Pass, "assertions");
    assert_eq!(filtered_twins(|text| text).run(Cover(40)).unwrap(), ProofResult::Pass, "covers");
}

#[test]
fn an_address_filter_without_range_check_is_found() {
    let faulty = |text: String| {
        let now = "(pc > last)";
        assert_eq!(text.matches(now).count(), 1, "{text}");
        text.replace(now, "(pc > (last | 32'd255))")
    };
    assert!(matches!(filtered_twins(faulty).run(Bounded(16)).unwrap(), ProofResult::Fail(_)), "not found");
}

/// A core, and a copy that has the same inputs while a trace is enabled; `latency` is that from `enable` to an entry.
fn stops(scheme: &str, extras: Extras, latency: usize, change: impl Fn(String) -> String) -> Proof {
    let p = TraceParams::new(Platform::RV32, scheme.parse().unwrap());
    let mut block = Core::<RvfiPins<32>, 32>::with(&p, extras);
    block.connect_all();
    // clearing takes more cycles than the proof has
    let text = generate_verilog(&block);
    let waits: Vec<&str> =
        text.lines().filter(|l| l.trim_start().starts_with("trace_fsm$predictors_ready =")).collect();
    assert_eq!(waits.len(), 1, "what the life waits for: {waits:?}");
    let text = change(text.replace(waits[0], "trace_fsm$predictors_ready = 1'b1;"));
    let twin = twin(&text);
    let properties = format!("{}{}", twin_instance(&text), include_str!("../../formal/stops.sv"));
    Proof::new(format!("{text}\n{twin}"))
        .size("LATENCY", latency)
        .size("EARLY", u8::from(p.stream_cache().is_none()))
        .inside("top", &properties)
        .unwrap()
}

/// An instance of the copy: its inputs are the same, or free while nothing is enabled.
fn twin_instance(text: &str) -> String {
    let (_, body) = text.split_once("module top(").unwrap();
    let (body, _) = body.split_once("endmodule // top\n").unwrap();
    let (mut own, mut wired) = (String::new(), Vec::new());
    for line in body.lines().map(str::trim) {
        let Some((way, rest)) = line.split_once(' ') else { continue };
        let rest = rest.trim_end_matches(';').trim_start_matches("wire ").trim_start_matches("reg ");
        let (range, name) = match rest.rsplit_once(' ') {
            Some((range, name)) => (range, name),
            None => ("", rest),
        };
        match way {
            "input" if name == "clock" || name == "reset" || name.starts_with("control$") => {
                wired.push(format!(".{name}({name})"));
            }
            "input" => {
                own += &format!("(* anyseq *) wire {range} f_{name};\n");
                wired.push(format!(".{name}(control$enable ? {name} : f_{name})"));
            }
            "output" => {
                own += &format!("wire {range} f_{name};\n");
                wired.push(format!(".{name}(f_{name})"));
            }
            _ => {}
        }
    }
    assert!(wired.len() > 20, "{wired:?}");
    format!("{own}twin twin ({});\n", wired.join(", "))
}

#[test]
fn nothing_depends_on_what_retires_while_nothing_is_enabled() {
    let same = |text: String| text;
    let depth = rounds(14, 24);
    let taken = stops("taken", Extras::default(), 3, same);
    for proof in [&taken, &stops("nx_b", Extras { filter: true, ..Extras::default() }, 4, same)] {
        assert_eq!(proof.run(Bounded(depth)).unwrap(), ProofResult::Pass, "assertions");
    }
    assert_eq!(taken.run(Cover(30)).unwrap(), ProofResult::Pass, "covers");
}

#[test]
fn tracing_past_the_end_is_found() {
    let (now, faulty) = ("go = open & ", "go = (open | resume$q) & ");
    let goes_on = |text: String| {
        assert_eq!(text.matches(now).count(), 1, "{text}");
        text.replace(now, faulty)
    };
    let proof = stops("taken", Extras::default(), 3, goes_on);
    assert!(matches!(proof.run(Bounded(20)).unwrap(), ProofResult::Fail(_)), "not found");
}

/// The coder, with ports of eight bits.
fn chunked(coding: &Coding, cores: u8) -> Proof {
    let p = params(cores).with(|p| (p.xlen, p.align) = (10, 2));
    let mut proof = verilog(Chunked::<8>::new(coding, &p))
        .size("WIDTH", 8)
        .size("ROOM", 32)
        .size("CHUNKS", 5)
        .size("ADDRESS_BITS", p.address_bits())
        .size("TI_BITS", p.ti_bits());
    let kinds = [("B", coding.b_cnt), ("T", coding.diff_ta), ("C", coding.diff_cc), ("I", coding.i_cnt)];
    for (name, Chunks { first, next }) in kinds {
        proof = proof.size(&format!("{name}0"), first).size(&format!("{name}1"), next);
    }
    proof.inside("top", include_str!("../../formal/chunked.sv")).unwrap()
}

#[test]
fn chunks_are_those_of_the_specification() {
    for (coding, cores) in [(Coding::TR_E, 2), (Coding::TR_B, 1), (Coding::TR_E, 16)] {
        holds(&chunked(&coding, cores), 3, 20);
    }
}

#[test]
fn a_sign_in_every_chunk_is_found() {
    let coder = outside(&chunked(&Coding::TR_E, 2));
    finds(&coder, "sign = ends$q & address$q;", "sign = address$q;", "bits_as_specified", 10);
}

/// The coder of one core, with ports of twelve bits and addresses of ten bits.
fn digits(coding: &Coding) -> Proof {
    let p = params(1).with(|p| (p.xlen, p.align) = (12, 2));
    let chunks = [coding.b_cnt, coding.diff_ta, coding.i_cnt];
    let mut proof = verilog(Digits::<12>::new(coding, &p))
        .size("TURNS", 3)
        .size("INDEX", 2)
        .size("ROOM", 48)
        .size("CHUNKS", 7)
        .size("ADDRESS_BITS", p.address_bits())
        .size("COUNT_BITS", 12);
    for (name, Chunks { first, next }) in ["B", "T", "I"].into_iter().zip(chunks) {
        proof = proof.size(&format!("{name}0"), first).size(&format!("{name}1"), next);
    }
    let memory = "output [31:0] all;\nassign all = {mem[7], mem[6], mem[5], mem[4], mem[3], mem[2], mem[1], mem[0]};\n";
    proof.inside("top", include_str!("../../formal/digits.sv")).unwrap().ports("known", &["all"], memory).unwrap()
}

#[test]
fn chunks_of_one_core_are_those_of_the_specification() {
    // chunks that end at all possible positions
    let other =
        Coding { b_cnt: Chunks::new(1, 4), diff_ta: Chunks::new(2, 4), i_cnt: Chunks::new(3, 4), ..Coding::TR_E };
    let even =
        Coding { b_cnt: Chunks::new(1, 2), diff_ta: Chunks::new(4, 2), i_cnt: Chunks::new(2, 4), ..Coding::TR_E };
    for coding in rounds(&[Coding::TR_E, other][..], &[Coding::TR_E, other, even]) {
        holds(&digits(coding), 2, 24);
    }
}

#[test]
fn a_carry_that_is_forgotten_is_found() {
    let coder = outside(&digits(&Coding::TR_E));
    finds(&coder, "carry$d = ~negative$q;", "carry$d = 1'b1;", "bits_as_specified", 16);
}

#[test]
fn a_connect_bit_in_the_wrong_place_is_found() {
    let coder = outside(&digits(&Coding::TR_E));
    finds(&coder, "closes$d = ~wide$q | ~closes$q;", "closes$d = 1'b1;", "bits_as_specified", 12);
}

/// The router at address 3, with 2^`log2_packets` entries.
fn router(log2_packets: usize, first: bool) -> Result<Proof, FormalError> {
    verilog(Router::new(3, log2_packets, first))
        .size("ADDRESS", 3)
        .size("ENTRIES", 1 << log2_packets)
        .size("LOG2_ENTRIES", log2_packets)
        .size("FIRST", u8::from(first))
        .inside("top", include_str!("../../formal/router.sv"))?
        .ports(
            "packet",
            &["look", "send", "lies", "lies_now", "lies_head"],
            include_str!("../../formal/router_packet.sv"),
        )?
        .ports(
            "packets",
            &["at", "at_head", "reads", "came", "came_head", "comes"],
            include_str!("../../formal/router_packets.sv"),
        )
}

#[test]
fn routers_keep_the_token_and_tear_no_packet() {
    holds(&router(0, false).unwrap(), 3, 16);
    for (log2_packets, first) in [(1, true), (2, false)] {
        assert_eq!(router(log2_packets, first).unwrap().run(Induction(3)).unwrap(), ProofResult::Pass);
    }
}

#[test]
fn routers_that_lose_double_or_tear_are_found() {
    let router = outside(&router(0, false).unwrap());
    // a word inside a packet that looks like the token is taken for it; a token before the end of a packet; a packet
    // that is not stored
    for (now, faulty, label) in [
        ("token = from$valid & ~passing & is_token;", "token = from$valid & is_token;", "goes_through"),
        ("token_next$d = send_at$q == one;", "token_next$d = send_at$q == one + one;", "token_follows"),
        ("takes = here & has_free_entry & ~other;", "takes = here & ~other;", "goes_through"),
    ] {
        finds(&router, now, faulty, label, 10);
    }
}

fn lock() -> Result<Proof, FormalError> {
    verilog(Lock::new()).inside("top", include_str!("../../formal/lock.sv"))
}

#[test]
fn nothing_is_traced_that_is_not_allowed() {
    holds(&lock().unwrap(), 3, 8);
}

#[test]
fn a_lock_that_lets_through_or_does_not_end_is_found() {
    let lock = outside(&lock().unwrap());
    finds(&lock, "allow | ~begins", "1'b1 | ~begins", "not_begun", 4);
    finds(&lock, "ends = begun$q & ", "ends = 1'b0 & begun$q & ", "ended_at_once", 6);
}
