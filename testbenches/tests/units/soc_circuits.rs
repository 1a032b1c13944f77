//! The SoC's circuits for trace output and host input against models, and their Verilog against the simulation

use fpga::soc::circuit::boot::Boot;
use fpga::soc::circuit::crc::Crc16;
use fpga::soc::circuit::host::HostLink;
use fpga::soc::circuit::port::TracePort;
use fpga::soc::circuit::ring::Ring;
use fpga::soc::circuit::uart::Uart;
use fpga::soc::frame::{command, crc16, Deframer, Item, CONTROL, STATUS};
use rust_hdl::prelude::*;
use sim::regs::REGS;
use sim::stimulus::Source;
use std::collections::VecDeque;
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

#[test]
fn all_pass_the_static_gates() {
    emit_checked(&mut Boot::default()).unwrap();
    emit_checked(&mut HostLink::default()).unwrap();
    emit_checked(&mut TracePort::default()).unwrap();
    emit_checked(&mut Ring::new(9)).unwrap();
    emit_checked(&mut Uart::default()).unwrap();
}

#[test]
fn a_byte_of_the_checksum_is_that_of_the_crate() {
    let mut crc = Crc16::default();
    crc.connect_all();
    let mut s = Source::seeded(1);
    for _ in 0..200 {
        let bytes: Vec<u8> = (0..s.between(1, 40)).map(|_| s.bits(8) as u8).collect();
        let mut remainder = 0xffff_u64;
        for b in &bytes {
            crc.old.next = remainder.to_bits();
            crc.octet.next = u64::from(*b).to_bits();
            assert!(simulate(&mut crc, 10));
            remainder = crc.after.val().to_u64();
        }
        assert_eq!(remainder, u64::from(crc16(&bytes)));
    }
}

#[test]
fn the_port_sends_words_without_a_pause() {
    for width in [1, 2, 4, 8] {
        let mut d = Driver::new(TracePort::default(), |u, c| u.clock.next = c.into()).unwrap().recording();
        let mut s = Source::seeded(width);
        let (mut sent, mut got, mut bits) = (Vec::new(), Vec::new(), 0);
        let mut word = 0_u64;
        let mut busy = 0;
        for cycle in 0..4000_u64 {
            let (valid, data) = (cycle > 0 && s.percent(if cycle < 2000 { 100 } else { 20 }), s.bits(32));
            let set = |u: &mut TracePort| {
                u.reset.next = cycle == 0;
                u.width.next = width.to_bits();
                u.valid.next = valid;
                u.data.next = data.to_bits();
            };
            let sample = |u: &TracePort| (u.ready.val(), u.strobe.val(), u.idle.val(), u.pins.val().to_u64());
            let (ready, strobe, idle, pins) = d.cycle(set, sample).unwrap();
            assert_ne!(strobe, idle);
            if strobe {
                word |= (pins & ((1 << width) - 1)) << bits;
                bits += width;
                busy += u64::from(cycle < 2000);
            }
            if bits == 32 {
                got.push(word);
                (word, bits) = (0, 0);
            }
            if valid && ready {
                sent.push(data);
            }
        }
        assert!(busy > 1990, "{width} pins: busy in {busy} of 2000 clocks");
        assert!(sent.len() > 20 && got.len() + 1 >= sent.len() && got[..] == sent[..got.len()], "{width} pins");
        d.check_verilog().unwrap();
    }
}

/// What the buffer must have sent in the end.
#[derive(Default)]
struct Halves {
    words: [Vec<u64>; 2],
    cut: [bool; 2],
    half: usize,
}

#[test]
fn the_circular_buffer_keeps_the_two_newest_traces() {
    for seed in 0..8 {
        let log2 = 6 + seed as usize % 4;
        let half_words = 1_usize << (log2 - 1);
        let mut d = Driver::new(Ring::new(log2), |u, c| u.clock.next = c.into()).unwrap().recording();
        let (mut s, mut model) = (Source::seeded(seed), Halves::default());
        let mut finished = false;
        let mut wait = 0;
        let (mut want, mut got) = (None::<VecDeque<u64>>, 0);
        let clocks = 6 * half_words as u64;
        let mut over = false;
        for cycle in 0..40 * half_words as u64 {
            let writing = cycle < clocks;
            let (valid, data) = (cycle > 0 && writing && s.percent(70), s.bits(32));
            let full = model.words[model.half].len() == half_words;
            let asked = model.words[model.half].len() >= half_words * 3 / 4;
            // some time after the request, and in some runs too late
            wait = if asked { wait + 1 } else { 0 };
            let trace_ended = writing && asked && wait > if seed % 2 == 0 { half_words / 8 } else { half_words };
            finished |= cycle > clocks;
            let out_ready = s.percent(60);
            let set = |u: &mut Ring| {
                u.reset.next = cycle == 0;
                u.half_words.next = (half_words as u64).to_bits();
                u.in_valid.next = valid;
                u.in_data.next = data.to_bits();
                u.trace_ended.next = trace_ended;
                u.finished.next = finished;
                u.out_ready.next = out_ready;
            };
            let sample = |u: &Ring| (u.end_trace.val(), u.out_valid.val(), u.out_data.val().to_u64(), u.all_out.val());
            let (end_trace, out_valid, out, all_out) = d.cycle(set, sample).unwrap();
            if cycle > 0 {
                assert_eq!(end_trace, asked, "seed {seed}, cycle {cycle}");
            }
            if valid {
                if full {
                    model.cut[model.half] = true;
                } else {
                    model.words[model.half].push(data);
                }
            }
            if trace_ended {
                model.half ^= 1;
                model.words[model.half].clear();
                model.cut[model.half] = false;
                wait = 0;
            }
            if out_valid && out_ready {
                let want = want.get_or_insert_with(|| {
                    let halves = [model.half ^ 1, model.half];
                    let of = |h: usize| {
                        let count = model.words[h].len() as u64 | u64::from(model.cut[h]) << 31;
                        std::iter::once(count).chain(model.words[h].iter().copied()).collect::<Vec<_>>()
                    };
                    halves.into_iter().flat_map(of).collect()
                });
                assert_eq!(Some(out), want.pop_front(), "seed {seed}, word {got}");
                got += 1;
            }
            over |= all_out;
        }
        assert!(over && want.is_some_and(|w| w.is_empty()), "seed {seed}: everything leaves");
        assert_eq!(model.cut.contains(&true), seed % 2 == 1, "seed {seed}: a late turn cuts");
        d.check_verilog().unwrap();
    }
}

/// Bytes on a line of `divisor` cycles per bit, sampled once per cycle.
fn bytes(line: &[bool], divisor: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(start) = line[at..].iter().position(|l| !l) {
        let middle = |bit: usize| line.get(at + start + bit * divisor + divisor / 2).copied().unwrap_or(true);
        assert!(!middle(0) && middle(9), "start and stop bit of byte {}", out.len());
        out.push((0..8).map(|bit| u8::from(middle(1 + bit)) << bit).sum());
        at = (at + start + 9 * divisor + divisor / 2).min(line.len());
    }
    out
}

#[test]
fn the_line_brings_words_console_answers_and_the_exit_code() {
    for (divisor, exit) in [(4, Some(7_u64)), (5, None), (9, Some(0))] {
        let mut d = Driver::new(Uart::default(), |u, c| u.clock.next = c.into()).unwrap().recording();
        let mut s = Source::seeded(divisor);
        let (mut line, mut words, mut text, mut answers) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut offered = s.bits(32);
        let mut answer: Option<u64> = None;
        let mut waiting = 0;
        let mut idle_at = None;
        for cycle in 0..300_000_u64 {
            let busy = cycle > 0 && cycle < 30_000;
            let finished = cycle > 40_000;
            // bursts that fill the buffer, and pauses long enough for short frames
            let valid = busy && s.percent(if cycle / 8_192 % 2 == 0 { 30 } else { 0 });
            let console = (busy && text.len() < 4_000 && s.per_64k(200)).then(|| s.bits(8) as u8);
            if busy && answer.is_none() && s.per_64k(60) {
                answer = Some(s.bits(64) & 0xffff_ffff_0000_ff01);
                waiting = 0;
            }
            let set = |u: &mut Uart| {
                u.reset.next = cycle == 0;
                u.divisor.next = divisor.to_bits();
                u.valid.next = valid;
                u.data.next = offered.to_bits();
                u.console_valid.next = console.is_some();
                u.console_data.next = u64::from(console.unwrap_or(0)).to_bits();
                u.finished.next = finished;
                u.exited.next = exit.is_some();
                u.exit_code.next = exit.unwrap_or(0).to_bits();
                u.response_valid.next = answer.is_some();
                u.response_low.next = (answer.unwrap_or(0) & 0xffff_ffff).to_bits();
                u.response_high.next = (answer.unwrap_or(0) >> 32).to_bits();
            };
            let sample = |u: &Uart| (u.ready.val(), u.tx.val(), u.response_taken.val(), u.idle.val());
            let (ready, tx, taken, idle) = d.cycle(set, sample).unwrap();
            line.push(tx);
            if valid && ready {
                words.push(offered as u32);
                offered = s.bits(32);
            }
            text.extend(console);
            waiting += 1;
            if taken {
                answers.extend(answer.take());
            }
            assert!(waiting < 30_000 || answer.is_none(), "an answer waits for ever");
            if idle {
                idle_at = Some(cycle);
                break;
            }
        }
        assert!(idle_at.is_some(), "the line never ends");
        let (mut lines, mut items) = (Deframer::default(), Vec::new());
        lines.push(&bytes(&line, divisor as usize), &mut items);
        let stats = lines.finish(&mut items);
        assert_eq!((stats.lost, stats.noise), (0, 0));
        let (mut got, mut printed, mut answered, mut end) = (Vec::new(), Vec::new(), Vec::new(), None);
        for item in items {
            match item {
                Item::Words(w) => got.extend(w),
                Item::Console(c) => printed.extend(c),
                Item::End(code) => end = Some(code),
                Item::Response { write, addr, data } => {
                    answered.push(u64::from(write) | u64::from(addr) << 8 | u64::from(data) << 32);
                }
                Item::Lost(n) => panic!("{n} frames are lost"),
            }
        }
        assert!(words.len() > 250 && got == words, "{} of {} words", got.len(), words.len());
        assert!(text.len() > 20 && printed == text, "{} of {} characters", printed.len(), text.len());
        assert_eq!(end, Some(exit.map(|e| e as u32)));
        assert!(answers.len() > 3 && answered == answers, "{} of {} answers", answered.len(), answers.len());
        d.check_verilog().unwrap();
    }
}

#[test]
fn commands_reach_registers_and_damaged_ones_do_not() {
    let divisor = 5_u64;
    let mut d = Driver::new(HostLink::default(), |u, c| u.clock.next = c.into()).unwrap().recording();
    let mut s = Source::seeded(9);
    let mut registers = [0_u32; 8];
    let (mut control, status) = (0_u32, 0b1010);
    let (mut refused, mut done) = (0, 0);
    let mut clock = 0_u64;
    for number in 0..260 {
        let addr = match s.below(6) {
            0 => CONTROL,
            1 => STATUS,
            2 => 0x40 + s.below(8) as u8,
            _ => s.below(8) as u8,
        };
        let data = s.percent(50).then(|| s.bits(32) as u32);
        let mut sent = command(addr, data).to_vec();
        let damaged = s.percent(25);
        if damaged {
            let at = s.below(80) as usize;
            sent[at / 8] ^= 1 << (at % 8);
        }
        if s.percent(20) {
            // noise before it, including the sync byte
            sent.splice(0..0, [0x47, 0x12]);
        }
        // the response of the model
        let want = (!damaged).then(|| {
            let value = match (addr, data) {
                (0..=7, Some(v)) => v,
                (0..=7, None) => registers[usize::from(addr)],
                (CONTROL, Some(v)) => v,
                (CONTROL, None) => control,
                (STATUS, _) => status,
                _ => 0,
            };
            if let Some(v) = data {
                match addr {
                    0..=7 => registers[usize::from(addr)] = v,
                    CONTROL => control = v & 3,
                    _ => {}
                }
            }
            (u64::from(addr) << 8 | u64::from(data.is_some()), u64::from(value))
        });
        let mut line: Vec<bool> = vec![true; s.between(1, 30) as usize];
        for b in sent {
            let frame = std::iter::once(false).chain((0..8).map(|k| b >> k & 1 == 1)).chain([true]);
            line.extend(frame.flat_map(|l| [l; 5]));
        }
        line.extend(vec![true; 40]);
        let (mut answer, mut accesses) = (None, 0);
        let mut rdata = 0_u32;
        for rx in line {
            let (taken, done_now) = (s.percent(50), answer.is_some());
            let set = |u: &mut HostLink| {
                u.reset.next = clock == 0;
                u.divisor.next = divisor.to_bits();
                u.starts.next = true;
                u.rx.next = rx;
                u.taken.next = taken;
                u.bus_rdata.next = u64::from(rdata).to_bits();
                u.status.next = u64::from(status).to_bits();
                u.response_taken.next = done_now;
            };
            let sample = |u: &HostLink| {
                let access = (u.request.val(), u.bus_write.val(), u.bus_addr.val().index(), u.bus_wdata.val().to_u64());
                let answer = (u.response_low.val().to_u64(), u.response_high.val().to_u64());
                (access, u.response_valid.val().then_some(answer), (u.go.val(), u.halt.val()))
            };
            let ((request, write, at, wdata), answered, going) = d.cycle(set, sample).unwrap();
            clock += 1;
            rdata = 0xdead_beef;
            if request && taken {
                accesses += 1;
                assert!(addr < 8 && at == usize::from(addr) && write == data.is_some(), "command {number}");
                if write {
                    assert_eq!(Some(wdata as u32), data, "command {number}");
                }
                rdata = registers[at];
            }
            if !done_now {
                answer = answer.or(answered);
            }
            if answer.is_some() && want.is_some() {
                assert_eq!(going, (control & 1 == 1, control & 2 == 2), "command {number}");
            }
        }
        match want {
            Some(want) => {
                assert_eq!(answer, Some(want), "command {number}: address {addr}, {data:x?}");
                assert_eq!(accesses, u32::from(addr < 8), "command {number}");
                done += 1;
            }
            None => {
                assert_eq!((answer, accesses), (None, 0), "command {number} is damaged");
                refused += 1;
            }
        }
    }
    assert!(done > 150 && refused > 40, "{done} done, {refused} refused");
    d.check_verilog().unwrap();
}

/// The trace system from the view of the boot sequence: its state follows `control` after some cycles.
#[derive(Default)]
struct Traced {
    enabled: bool,
    active: bool,
    idle: bool,
    later: u64,
    read: u64,
}

#[test]
fn tracing_begins_before_the_cores_run_and_ends_after() {
    let field = |register: usize, name: &str| REGS[register].fields.iter().find(|f| f.name == name).unwrap().lsb;
    assert_eq!((field(2, "enable"), field(3, "active"), field(3, "idle")), (0, 1, 2), "what it reads and writes");
    let mut all_turns = 0;
    for seed in 0..40 {
        let traced = seed % 4 != 3;
        let mut d = Driver::new(Boot::default(), |u, c| u.clock.next = c.into()).unwrap().recording();
        let mut s = Source::seeded(seed);
        let mut t = Traced { idle: true, ..Traced::default() };
        let (mut ran, mut stopped_at, mut turns, mut done) = (0, None, 0, false);
        let (go_at, stop_at) = (s.between(5, 60), s.between(400, 900));
        // without a buffer, its request input is noise
        let buffered = seed % 5 != 4;
        // the cores start first, or even end before
        let trace_delay = if seed % 3 == 1 { s.between(1, 1000) } else { 0 };
        let mut enabled_at = None;
        for cycle in 0..3_000_u64 {
            let mine = s.percent(70);
            let end_trace = traced && s.per_64k(600);
            let set = |u: &mut Boot| {
                u.reset.next = cycle < 3;
                u.traced.next = traced;
                u.go.next = cycle >= go_at;
                u.trace_delay.next = trace_delay.to_bits();
                u.stop.next = cycle >= stop_at;
                u.has_buffer.next = buffered;
                u.end_trace.next = end_trace;
                u.bus_mine.next = mine;
                u.bus_rdata.next = t.read.to_bits();
            };
            let sample = |u: &Boot| {
                let write = u.bus_write.val().then(|| u.bus_wdata.val().to_u64());
                (write, u.bus_addr.val().index(), u.run.val(), u.done.val(), u.trace_ended.val())
            };
            let (write, addr, run, end, trace_ended) = d.cycle(set, sample).unwrap();
            t.later = t.later.saturating_sub(1);
            if t.later == 0 {
                (t.active, t.idle) = (t.enabled, !t.enabled);
            }
            // noise if the read is not ours
            t.read = if !mine {
                7
            } else if addr == 3 {
                u64::from(t.active) << 1 | u64::from(t.idle) << 2
            } else {
                0
            };
            if let (Some(value), true) = (write, mine) {
                assert!(traced && addr == 2, "seed {seed}, cycle {cycle}");
                t.enabled = value == 1;
                if t.enabled {
                    enabled_at.get_or_insert(ran);
                }
                t.later = s.between(1, 60);
            }
            if run {
                ran += 1;
                // enabled all the time, except between two traces of the buffer
                assert!(
                    trace_delay > 0 || cycle > go_at && (!traced || t.active || turns > 0 || t.later > 0 || !t.enabled)
                );
                assert!(
                    trace_delay > 0 || ran > 1 || !traced || t.active,
                    "seed {seed}: the cores start when tracing is active"
                );
            } else if ran > 0 {
                stopped_at = stopped_at.or(Some(cycle));
            }
            if trace_ended {
                turns += 1;
                assert!(buffered, "seed {seed}: a turn for no buffer");
                assert!(t.idle && !t.enabled, "seed {seed}: the trace before has left");
            }
            if end && !done {
                done = true;
                assert!(stopped_at.is_some_and(|at| cycle > at + 30), "seed {seed}: what is in the adapters is traced");
                assert!(!traced || t.idle, "seed {seed}: the trace has left");
            }
        }
        assert!(done && ran > 200, "seed {seed}: {ran} clocks, done {done}");
        let right = if trace_delay == 0 { 0..=0 } else { trace_delay..=trace_delay + 40 };
        assert!(
            enabled_at.is_none_or(|at| right.contains(&at)),
            "seed {seed}: {trace_delay} late, enabled at {enabled_at:?}"
        );
        assert!(!traced || trace_delay + 60 > ran || enabled_at.is_some(), "seed {seed}: never enabled");
        all_turns += turns;
        d.check_verilog().unwrap();
    }
    assert!(all_turns > 30, "{all_turns} turns");
}
