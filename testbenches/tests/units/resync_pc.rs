//! `hdl/src/spine/resync_pc.rs` against a queue

use fpga::cosim::Cosim;
use hdl::spine::resync_pc::ResyncPcFifo;
use rust_hdl::prelude::*;
use sim::stimulus::Source;
use std::collections::VecDeque;
use testbenches::driver::Driver;
use testbenches::gates::emit_checked;

#[test]
fn addresses_come_out_as_they_went_in() {
    for (log2_depth, width) in [(3, 31), (4, 30), (8, 31)] {
        let depth = (1_usize << log2_depth) - 2;
        let mut s = Source::seeded(90 + log2_depth as u64);
        let mut d = Driver::new(ResyncPcFifo::<32>::new(log2_depth, width), |u, c| u.clock.next = c.into()).unwrap();
        let verilog = Cosim::of_block(&d.uut).unwrap();
        // for the Verilog: inputs, and the word if there is one
        let (mut vectors, mut wanted) = (Vec::new(), Vec::new());
        // queued addresses, each with the cycle in which it is at `word`
        let mut queue: VecDeque<(u64, u64)> = VecDeque::new();
        let (mut rate, mut full, mut popped) = (50, 0, 0);
        for cycle in 0..20_000 {
            if s.per_64k(300) {
                rate = *s.pick(&[5, 50, 100]);
            }
            let reset = s.per_64k(30);
            let push = (queue.len() < depth && s.percent(rate)).then(|| s.bits(width as u32));
            let there = queue.front().filter(|(_, from)| *from <= cycle).map(|(pc, _)| *pc);
            let pop = there.is_some() && s.percent(if rate == 100 { 20 } else { 50 });
            let inputs = [
                ("reset", reset.into()),
                ("push", push.is_some().into()),
                ("pc", push.unwrap_or(0).into()),
                ("pop", pop.into()),
            ];
            vectors.push(verilog.vector(&inputs).unwrap());
            wanted.push(there);
            let word = d
                .cycle(
                    |u| {
                        u.reset.next = reset;
                        u.push.next = push.is_some();
                        u.pc.next = push.unwrap_or(0).to_bits();
                        u.pop.next = pop;
                    },
                    |u| u.word.val().to_u64(),
                )
                .unwrap();
            if let Some(pc) = there {
                assert_eq!(word, pc, "{depth} entries, cycle {cycle}");
                popped += usize::from(pop);
            }
            full += usize::from(queue.len() == depth);
            if pop {
                queue.pop_front();
                // the next one is read at this edge
                if let Some((_, from)) = queue.front_mut() {
                    *from = (*from).max(cycle + 1);
                }
            }
            queue.extend(push.map(|pc| (pc, cycle + 2)));
            if reset {
                queue.clear();
            }
        }
        assert!(popped > 2_000 && full > 20, "{depth} entries: {popped} popped, full {full} times");
        let word = verilog.output("word").unwrap();
        for (cycle, (got, want)) in verilog.run_all(&vectors).unwrap().iter().zip(&wanted).enumerate() {
            let seen = want.map(|_| got[word]);
            assert_eq!(seen, want.map(u128::from), "{depth} entries, Verilog, cycle {cycle}");
        }
    }
}

#[test]
fn it_passes_the_static_gates() {
    for log2_depth in [3, 8] {
        emit_checked(&mut ResyncPcFifo::<32>::new(log2_depth, 31)).unwrap();
    }
}
