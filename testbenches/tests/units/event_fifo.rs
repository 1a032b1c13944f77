//! `hdl/src/spine/event_fifo.rs` against a queue

use fpga::cosim::Cosim;
use hdl::spine::entry::EntryLayout;
use hdl::spine::event_fifo::{EventFifo, FIELD_COUNT, FIELD_INSTRUCTIONS, FIELD_PC, FIELD_TARGET};
use rust_hdl::prelude::*;
use sim::params::{TrParams, TraceParams};
use sim::stimulus::Source;
use std::collections::VecDeque;
use testbenches::driver::Driver;
use testbenches::entry::Entry;
use testbenches::gates::emit_checked;

fn params() -> TraceParams {
    TraceParams::tr(TrParams::sizes(512, 8, 0))
}

/// The FIFO's read data for `field` of `e`.
fn word(p: &TraceParams, e: &Entry, field: u8) -> u64 {
    match field {
        FIELD_COUNT => u64::from(e.bcnt) | u64::from(e.pre | e.post << 2) << p.count_bits,
        FIELD_INSTRUCTIONS => u64::from(e.icnt) | u64::from(e.context) << p.count_bits,
        FIELD_PC => e.pc,
        FIELD_TARGET => e.target,
        _ => unreachable!("fields have two bits"),
    }
}

fn random_entry(s: &mut Source, p: &TraceParams) -> Entry {
    let (count, address) = (p.count_bits.into(), p.address_bits());
    Entry {
        pre: s.bits(2) as u8,
        post: s.bits(2) as u8,
        icnt: s.bits(count) as u32,
        bcnt: s.bits(count) as u32,
        pc: s.bits(address),
        target: s.bits(address),
        cc: if p.timestamps { s.bits(p.cc_bits.into()) as u32 } else { 0 },
        context: p.context.map_or(0, |_| s.bits(p.context_bits() + 1) as u32),
        resync_pc: 0,
    }
}

/// Layout of `p`'s entries, with addresses in the same cycle or one cycle earlier.
fn layout(p: &TraceParams, early: bool) -> EntryLayout {
    EntryLayout { early, hist_bits: if early { 32 } else { 0 }, ..EntryLayout::new(p) }
}

/// `hist` of an entry, where the layout has one.
fn hist(e: &Entry, early: bool) -> u32 {
    if early {
        e.bcnt << 8 ^ e.pc as u32
    } else {
        0
    }
}

/// Pushes in `push` percent of cycles and pops in `pop` percent, in turn by the lists. Returns how often the FIFO was
/// completely full and how often it was empty.
fn run<const W: usize>(
    p: &TraceParams,
    early: bool,
    log2_depth: usize,
    seed: u64,
    phases: &[(u8, u8)],
    cycles: u64,
) -> (u64, u64) {
    let fifo = EventFifo::<W>::new(&layout(p, early), log2_depth);
    let mut d = Driver::new(fifo, |u, c| u.clock.next = c.into()).unwrap();
    // for the Verilog: inputs, and the outputs that are defined
    let verilog = Cosim::of_block(&d.uut).unwrap();
    let (mut vectors, mut wanted) = (Vec::new(), Vec::new());
    let depth = (1 << log2_depth) - 2;
    let (mut s, mut model) = (Source::seeded(seed), VecDeque::<Entry>::new());
    // the field requested in the last cycle, and its entry
    let mut asked: Option<(u8, Entry)> = None;
    let (mut full_count, mut empties, mut almost_full) = (0, 0, false);
    // the addresses of the entry that is decided in the next cycle
    let mut next = random_entry(&mut s, p);
    for cycle in 0..cycles {
        let (push_rate, pop_rate) = phases[(cycle * phases.len() as u64 / cycles) as usize];
        // early addresses of an entry in the first cycle were never driven
        let (push, pop) = (s.percent(push_rate) && cycle > 0, s.percent(pop_rate) && asked.is_some());
        let entry = Entry { pc: next.pc, target: next.target, ..random_entry(&mut s, p) };
        next = random_entry(&mut s, p);
        let shown = if early { next } else { entry };
        let (field, reset) = (s.bits(2) as u8, s.per_64k(20));
        let inputs = [
            ("reset", u128::from(reset)),
            ("entry$push", push.into()),
            ("entry$pre", entry.pre.into()),
            ("entry$post", entry.post.into()),
            ("entry$icnt", entry.icnt.into()),
            ("entry$context_value", entry.context.into()),
            ("entry$bcnt", entry.bcnt.into()),
            ("entry$pc", shown.pc.into()),
            ("entry$target", shown.target.into()),
            ("entry$cc", entry.cc.into()),
            ("entry$hist", hist(&entry, early).into()),
            ("pop", pop.into()),
            ("field", field.into()),
        ];
        vectors.push(verilog.vector(&inputs).unwrap());
        let out = d
            .cycle(
                |u| {
                    u.reset.next = reset;
                    u.entry.push.next = push;
                    u.entry.pre.next = u64::from(entry.pre).to_bits();
                    u.entry.post.next = u64::from(entry.post).to_bits();
                    u.entry.icnt.next = u64::from(entry.icnt).to_bits();
                    u.entry.context_value.next = u64::from(entry.context).to_bits();
                    u.entry.bcnt.next = u64::from(entry.bcnt).to_bits();
                    u.entry.pc.next = shown.pc.to_bits();
                    u.entry.target.next = shown.target.to_bits();
                    u.entry.cc.next = u64::from(entry.cc).to_bits();
                    u.entry.hist.next = u64::from(hist(&entry, early)).to_bits();
                    u.pop.next = pop;
                    u.field.next = u64::from(field).to_bits();
                },
                |u| {
                    let stored = u.cc.val().to_u64() | u.hist.val().to_u64() << 32;
                    (u.full.val(), u.have.val(), u.word.val().to_u64(), stored)
                },
            )
            .unwrap();
        let place = format!("seed {seed}, depth 2^{log2_depth}, cycle {cycle}, {} entries", model.len());
        assert_eq!(out.0, almost_full, "{place}: full");
        almost_full = depth - model.len() < 3 && !reset;
        assert_eq!(out.1, asked.is_some(), "{place}: have");
        if let Some((field, e)) = asked {
            let stored = u64::from(e.cc) | u64::from(hist(&e, early)) << 32;
            assert_eq!((out.2, out.3), (word(p, &e, field), stored), "{place}: field {field} of {e:x?}");
        }
        let seen = asked.map(|_| (u128::from(out.2), u128::from(out.3)));
        wanted.push((u128::from(out.0), u128::from(out.1), seen));
        asked = model.get(usize::from(pop)).filter(|_| !reset).map(|e| (field, *e));
        full_count += u64::from(model.len() == depth);
        empties += u64::from(model.is_empty());
        if push && model.len() < depth {
            model.push_back(entry);
        }
        if pop {
            model.pop_front();
        }
        if reset {
            model.clear();
        }
    }
    let at = ["full", "have", "word", "cc", "hist"].map(|name| verilog.output(name).unwrap());
    for (cycle, (got, want)) in verilog.run_all(&vectors).unwrap().iter().zip(&wanted).enumerate() {
        let seen = want.2.map(|_| (got[at[2]], got[at[3]] | got[at[4]] << 32));
        assert_eq!((got[at[0]], got[at[1]], seen), *want, "seed {seed}, Verilog, cycle {cycle}");
    }
    (full_count, empties)
}

#[test]
fn random_pushes_and_pops_match_a_queue() {
    let phases = [(50, 50), (100, 10), (100, 100), (10, 100), (100, 100), (100, 0), (0, 100), (90, 80)];
    let mut p = params();
    for log2_depth in 3..=8 {
        p.timestamps = log2_depth % 2 == 0;
        let early = log2_depth % 3 != 0;
        let (full_count, empties) = run::<32>(&p, early, log2_depth, log2_depth as u64, &phases, 12_000);
        assert!(
            full_count > 100 && empties > 100,
            "depth 2^{log2_depth}: {full_count} times brim-full, {empties} times empty"
        );
    }
    p.xlen = 64;
    run::<64>(&p, true, 5, 9, &phases, 5_000);
    run::<64>(&p, false, 4, 9, &phases, 5_000);
}

#[test]
fn a_push_on_a_brim_full_fifo_loses_only_itself() {
    for early in [false, true] {
        let (full_count, _) = run::<32>(&params(), early, 3, 20, &[(100, 0), (100, 100), (0, 100)], 400);
        assert!(full_count > 100);
    }
}

#[test]
fn event_fifos_pass_the_static_gates() {
    let mut p = params();
    emit_checked(&mut EventFifo::<32>::new(&EntryLayout::new(&p), 8)).unwrap();
    (p.timestamps, p.xlen) = (true, 64);
    emit_checked(&mut EventFifo::<64>::new(&layout(&p, false), 3)).unwrap();
}
