//! `hdl/src/diag/client.rs` on the ring of a chip against the golden processor
//!
//! The host loads a program over the ring and starts it, while an external client sends events as fast as the ring
//! accepts them; the handler of the first one hangs. Every event is handled once and in order, the host gets responses
//! in between, and traffic to the external client continues.

use crate::diag_harness::check_verilog;
use ::diag::link::{FrameReader, FrameWriter};
use ::diag::load;
use hdl::diag::chip::{DiagChip, DiagParams};
use retire::elf::Program;
use rust_hdl::prelude::*;
use sim::diag::chip::FIRST_NODE;
use sim::diag::node::NodeKind;
use sim::diag::packet::{Args, Body, Event, Op, Packet, HOST};
use sim::diag::processor::node::{start, Processor};
use sim::diag::trigger::GeneratorParams;
use std::collections::VecDeque;
use testbenches::driver::Driver;

const OUTSIDE: u8 = 3;
const EVENTS: u32 = 40;
const PROCESSOR: u8 = FIRST_NODE + 1;

struct Bench {
    d: Driver<DiagChip>,
    host: VecDeque<u8>,
    outside: VecDeque<u16>,
    reader: FrameReader,
    arrived: Vec<Packet>,
    /// Words for the external client, and the packets that they form.
    words: Vec<u16>,
    got: Vec<Packet>,
}

impl Bench {
    fn clock(&mut self, reset: bool) {
        let (host, outside) = (self.host.front().copied(), self.outside.front().copied());
        let (byte, taken) = self
            .d
            .cycle(
                |u| {
                    u.reset.next = reset;
                    u.ready.next = true;
                    u.host_valid.next = host.is_some() && !reset;
                    u.host_octet.next = u64::from(host.unwrap_or(0xff)).to_bits();
                    u.put[0].valid.next = outside.is_some() && !reset;
                    u.put[0].word.next = u64::from(outside.unwrap_or(0xffff)).to_bits();
                    u.got[0].ready.next = true;
                },
                |u| {
                    let byte = u.valid.val().then(|| u.octet.val().to_u64() as u8);
                    let word = u.got[0].valid.val().then(|| u.got[0].word.val().to_u64() as u16);
                    (byte, (u.host_ready.val(), u.put[0].ready.val(), word))
                },
            )
            .unwrap();
        if reset {
            return;
        }
        self.arrived.extend(byte.map(|b| self.reader.push(&[b])).unwrap_or_default());
        self.words.extend(taken.2);
        if self.words.first().is_some_and(|w| self.words.len() == usize::from(w >> 12) + 2) {
            self.got.extend(Packet::parse(&std::mem::take(&mut self.words)).ok());
        }
        if host.is_some() && taken.0 {
            self.host.pop_front();
        }
        if outside.is_some() && taken.1 {
            self.outside.pop_front();
        }
    }

    /// Runs until `packets` packets have arrived.
    fn until(&mut self, packets: usize) {
        for _ in 0..120_000 {
            if self.arrived.len() >= packets {
                return;
            }
            self.clock(false);
        }
        panic!("{} of {packets} packets have arrived", self.arrived.len());
    }
}

#[test]
fn events_of_a_saturated_ring_are_handled_once_and_in_order() {
    let nodes = vec![NodeKind::Count(4), NodeKind::Processor(16)];
    let params = DiagParams {
        cores: 0,
        generator: GeneratorParams::LITE,
        outside: vec![OUTSIDE],
        nodes,
        windows: false,
        masters: 0,
        clocked: 0,
    };
    let d = Driver::new(DiagChip::new(&params).unwrap(), |u, c| u.clock.next = c.into()).unwrap().recording();
    let (host, outside) = Default::default();
    let mut bench = Bench {
        d,
        host,
        outside,
        reader: FrameReader::default(),
        arrived: Vec::new(),
        words: Vec::new(),
        got: Vec::new(),
    };
    bench.clock(true);

    let program = Program::parse(programs::handlers("chaos").unwrap()).unwrap();
    let writes = start(&program.segments[0].data, 40);
    let packets = load::write(PROCESSOR, &writes);
    let mut line = FrameWriter::default();
    packets.iter().for_each(|p| bench.host.extend(line.frame(p)));
    bench.until(packets.len());
    assert!(
        bench.arrived.iter().all(|p| matches!(p.body, Body::Control { op: Op::Written, .. })),
        "{:?}",
        bench.arrived
    );
    bench.arrived.clear();

    let mut golden = Processor::new(PROCESSOR);
    writes.iter().for_each(|w| golden.write(w.0, w.1));
    let mut want = Vec::new();
    for n in 0..EVENTS {
        let id = if n == 0 { 2 } else { u8::from(n % 2 == 1) };
        let dest = if n % 4 == 0 { HOST } else { OUTSIDE };
        let args = Args::of(&[if id == 0 { 1 } else { n & 3 }, n, 3, 9, dest.into(), 7]);
        let event = Event { id, core: n as u8 & 15, lost: u16::from(n == 9) * 5, args, ..Event::default() };
        let packet = Packet::event(OUTSIDE, PROCESSOR, event);
        bench.outside.extend(packet.to_words());
        golden.take(&packet.to_words());
        golden.run(0, false, &mut want);
    }
    let read = Packet::control(HOST, PROCESSOR, Op::Read, 0, &[9]);
    bench.host.extend(line.frame(&read));
    let (mut want, outside): (Vec<Packet>, Vec<Packet>) = want.into_iter().partition(|p| p.dest == HOST);
    bench.until(want.len() + 1);
    let flush = Packet::control(HOST, PROCESSOR, Op::Flush, 0, &[3]);
    golden.take(&flush.to_words());
    golden.run(0, false, &mut want);
    bench.host.extend(line.frame(&flush));
    bench.until(want.len() + 1);
    bench.host.extend(line.frame(&read));
    bench.until(want.len() + 2);

    let mut lost = 0;
    let (mut found, mut reads) = (Vec::new(), Vec::new());
    for p in bench.arrived.drain(..).chain(bench.got.drain(..)) {
        match p.body {
            Body::Control { op: Op::ReadData, data, .. } => reads.push(data),
            Body::Event(e) => {
                lost += e.lost;
                found.push(Packet::event(p.src, p.dest, Event { lost: 0, ..e }));
            }
            _ => found.push(p),
        }
    }
    want.extend(outside);
    assert_eq!(found, want);
    assert_eq!((lost, golden.trips()), (5, 1));
    // kind and slots; at the end, the processor waits, has handled all but one, and many events had to wait
    assert_eq!((&reads[0][..2], &reads[1][..7]), (&[15, 16][..], &[15, 16, 3, 4096, EVENTS as u16, 0, 1][..]));
    assert!(reads[1][7] > 8 && reads[1][8] == 0, "{reads:?}");
    check_verilog(&bench.d, 61);
}
