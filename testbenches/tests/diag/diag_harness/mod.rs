//! Helpers for benches of diagnosis circuits

pub mod code;

use fpga::cosim::Cosim;
use hdl::diag::ports::{EventIn, ResultOut, SeenIn, WriteIn};
use retire::isa::{self, Flow, Indirect};
use rust_hdl::prelude::*;
use sim::diag::generator::ObservedInsn;
use sim::diag::packet::{Args, Event};
use sim::diag::registers::Writes;
use sim::diag::shadow::stores_word_through_sp;
use sim::stimulus::Source;
use testbenches::driver::Driver;

/// Checks the Verilog, from random registers and memories, against the recorded simulation. Outputs of a bundle with a
/// `valid` are compared only while that is 1.
pub fn check_verilog<T: Block>(d: &Driver<T>, seed: u32) {
    check_verilog_while(d, seed, |name, value| {
        let Some((bundle, port)) = name.rsplit_once('$') else { return true };
        let valid = if bundle.ends_with("write") { "we" } else { "valid" };
        port == valid || port == "ready" || value(&format!("{bundle}${valid}")) != Some(0)
    });
}

/// As [`check_verilog`]; an output is compared while `defined` returns true for its name and the current outputs.
pub fn check_verilog_while<T: Block>(d: &Driver<T>, seed: u32, defined: Defined) {
    let cosim = Cosim::of_system(&d.uut, false).unwrap().with_random_state(seed);
    let names: Vec<String> = cosim.outputs().iter().map(|p| p.name.clone()).collect();
    let record = d.record();
    let cycles = cosim.run(record.iter().map(|r| r.0.clone()), |cycle, got| {
        let want = &record[cycle as usize].1;
        let value = |name: &str| Some(want[cosim.output(name).ok()?]);
        for (i, name) in names.iter().enumerate() {
            if cycle > 0 && got[i] != want[i] && defined(name, &value) {
                assert_eq!(got[i], want[i], "Verilog, cycle {cycle}, {name}");
            }
        }
    });
    assert_eq!(cycles.unwrap(), record.len() as u64);
}

/// Whether an output is defined, from its name and the values of outputs.
pub type Defined = fn(&str, &dyn Fn(&str) -> Option<u128>) -> bool;

/// Drives a register write.
pub fn set_write(port: &mut WriteIn, write: Option<(u16, u16)>, s: u64) {
    port.we.next = write.is_some();
    // noise while there is no write
    let (addr, data) = write.unwrap_or((s as u16 & 0xfff, (s >> 16) as u16));
    port.addr.next = u64::from(addr).to_bits();
    port.data.next = u64::from(data).to_bits();
}

/// Drives an event or a flush.
pub fn set_event(port: &mut EventIn, event: Option<(Event, bool)>) {
    let (e, flush) = event.unwrap_or_default();
    let arg = |n: usize| u64::from(e.args.get(n).copied().unwrap_or(0)).to_bits::<32>();
    port.valid.next = event.is_some();
    port.flush.next = flush;
    port.id.next = u64::from(e.id).to_bits();
    port.core.next = u64::from(e.core).to_bits();
    port.stamped.next = e.time.is_some();
    port.stamp.next = u64::from(e.time.unwrap_or(0)).to_bits();
    port.count.next = (e.args.len() as u64).to_bits();
    port.a0.next = arg(0);
    port.a1.next = arg(1);
    port.a2.next = arg(2);
    port.a3.next = arg(3);
    port.a4.next = arg(4);
    port.a5.next = arg(5);
}

/// The result at the output, if any.
pub fn result(port: &ResultOut) -> Option<(u8, Event)> {
    let args = [port.a0.val(), port.a1.val(), port.a2.val(), port.a3.val(), port.a4.val(), port.a5.val()];
    let words: Vec<u32> = args.iter().map(|a| a.to_u64() as u32).collect();
    let count = port.count.val().to_u64() as usize;
    port.valid.val().then(|| {
        assert!(words[count..].iter().all(|w| *w == 0), "arguments behind the last are 0");
        let event = Event {
            id: port.id.val().to_u64() as u8,
            core: port.core.val().to_u64() as u8,
            lost: port.lost.val().to_u64() as u16,
            time: port.stamped.val().then(|| port.stamp.val().to_u64() as u32),
            args: Args::of(&words[..count]),
            ..Event::default()
        };
        (port.dest.val().to_u64() as u8, event)
    })
}

/// An event with one of the first `ids` identifiers, and arguments that often repeat.
pub fn random_event(s: &mut Source, ids: u64) -> Event {
    let mut args = Args::default();
    for _ in 0..s.below(7) {
        args.push(match s.below(8) {
            0 => s.bits(32) as u32,
            1 => u32::MAX - s.below(3) as u32,
            2 => s.bits(12) as u32,
            _ => s.below(4) as u32,
        });
    }
    Event {
        id: s.below(ids) as u8,
        core: s.bits(4) as u8,
        time: s.percent(50).then(|| s.bits(32) as u32),
        args,
        ..Event::default()
    }
}

/// The writes in another order, as a host may send them; the control register stays last.
pub fn shuffled(s: &mut Source, mut writes: Writes) -> Writes {
    for i in (1..writes.len() - 1).rev() {
        writes.swap(i, s.below(i as u64 + 1) as usize);
    }
    writes
}

/// Drives what retires in cycle `now`; other inputs are noise.
pub fn set_seen<const W: usize>(port: &mut SeenIn<W>, seen: Option<&ObservedInsn>, now: u64, noise: u64) {
    let (word, xlen) = (|w: u64| w.to_bits::<W>(), W as u8);
    let (low, high) = (noise as u32, u64::from(!(noise >> 7) as u32));
    port.valid.next = seen.is_some();
    port.now.next = word(now & 0xffff_ffff);
    port.first.next = seen.map_or(noise >> 9 & 1 == 1, |s| s.first);
    let noisy = ObservedInsn { pc: low.into(), next_pc: high, insn: low, ..ObservedInsn::default() };
    let s = seen.unwrap_or(&noisy);
    port.pc.next = word(s.pc);
    port.target.next = word(s.next_pc);
    let flow = isa::flow(s.insn, xlen);
    let back = matches!(flow, Flow::Indirect(Indirect::Return | Indirect::CoSwap));
    let call = matches!(flow, Flow::Jump { call: true, .. } | Flow::Indirect(Indirect::Call | Indirect::CoSwap));
    port.call.next = call;
    port.back.next = back;
    port.xret.next = flow == Flow::TrapReturn;
    port.through_sp.next = stores_word_through_sp(s.insn, s.len, xlen);
    port.trap.next = s.trap.is_some();
    let (interrupt, cause, came) = s.trap.unwrap_or((low & 1 == 1, low as u8, high));
    port.cause.next = (u64::from(interrupt) << 8 | u64::from(cause)).to_bits();
    port.came.next = word(came);
    let [load, store] = s.accesses;
    let any = load.or(store);
    port.load.next = load.is_some();
    port.store.next = store.is_some();
    port.addr.next = word(any.map_or(high, |a| a.addr));
    port.size.next = u64::from(any.map_or(low as u8 & 3, |a| a.size.trailing_zeros() as u8)).to_bits();
    port.loaded.next = word(load.map_or(0, |a| a.value));
    port.stored.next = word(store.map_or(0, |a| a.value));
    port.sets.next = s.rd.is_some();
    let (rd, value) = s.rd.unwrap_or((low as u8 & 31, high));
    port.rd.next = u64::from(rd).to_bits();
    port.value.next = word(value);
}
