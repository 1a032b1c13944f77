//! Cost of the order of threads, in several encodings: `cargo run --release -p sim --example turn_bits -- RUN.ret ...`
//!
//! A turn ends where a control-flow instruction of another hart follows. Its length is counted in instructions, in
//! control-flow instructions, or in those that a trace reports. Each length is coded alone or as the difference from
//! the hart's previous turn, in exponential Golomb codes whose order adapts to the lengths coded so far.

use retire::file::retire::RetireReader;
use retire::{FlowEvent, RetireSink};
use std::path::Path;

/// Bits of exponential Golomb codes whose order adapts to the lengths coded so far.
#[derive(Clone, Copy, Default)]
struct Code {
    lengths: u64,
    count: u64,
    bits: u64,
}

impl Code {
    fn add(&mut self, value: u64) {
        let k = (self.lengths / self.count.max(1)).saturating_sub(1);
        let n = u64::from(63 - (value + (1 << k)).leading_zeros());
        self.bits += 2 * n - k + 1;
        self.lengths += u64::from(64 - value.leading_zeros());
        self.count += 1;
        if self.count == 32 {
            self.lengths /= 2;
            self.count /= 2;
        }
    }
}

#[derive(Default)]
struct Turns {
    hart: Option<u8>,
    next: Vec<u8>,
    len: [u64; 3],
    before: Vec<[u64; 3]>,
    alone: [Code; 3],
    difference: [Code; 3],
    turns: u64,
    other: u64,
    instructions: u64,
}

impl RetireSink for Turns {
    fn event(&mut self, e: &FlowEvent) {
        self.instructions += u64::from(e.count);
        if !e.kind.retires() {
            self.len[0] += u64::from(e.count);
            return;
        }
        if let Some(hart) = self.hart.filter(|h| *h != e.hart) {
            self.turns += 1;
            let before = &mut self.before[usize::from(hart)];
            for (i, n) in std::mem::take(&mut self.len).into_iter().enumerate() {
                self.alone[i].add(n);
                let d = n.wrapping_sub(before[i]) as i64;
                self.difference[i].add((d << 1 ^ d >> 63) as u64);
                before[i] = n;
            }
            self.other += u64::from(std::mem::replace(&mut self.next[usize::from(hart)], e.hart) != e.hart);
        }
        self.hart = Some(e.hart);
        self.len[0] += u64::from(e.count);
        self.len[1] += 1;
        self.len[2] += u64::from(!matches!(e.kind, retire::FlowKind::Jump | retire::FlowKind::Call));
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("| run | turns | instructions | control flow | reported | by difference: | | | another next |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for path in std::env::args().skip(1) {
        let mut reader = RetireReader::open(Path::new(&path))?;
        let harts = usize::from(reader.info().harts);
        let mut t = Turns { next: vec![0; harts], before: vec![[0; 3]; harts], ..Turns::default() };
        while reader.next_block(&mut t)? {}
        let each = |r: &[Code; 3]| r.map(|r| format!("{:.2}", r.bits as f64 / t.turns as f64)).join(" | ");
        println!(
            "| {path} | {} | {} | {} | {:.3} |",
            t.turns,
            each(&t.alone),
            each(&t.difference),
            t.other as f64 / t.turns as f64
        );
    }
    Ok(())
}
