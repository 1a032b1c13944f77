//! `hdl/src/ingress/rvfi_data.rs` against the data that its ports are made from

use hdl::ingress::rvfi_data::RvfiData;
use rust_hdl::prelude::*;
use sim::stimulus::Source;
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

/// The data accesses of an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Data {
    load: Option<u64>,
    store: Option<u64>,
    /// Address and log2 of the size, if memory was accessed.
    access: Option<(u64, u8)>,
    csr: Option<u16>,
    register: Option<(u8, u64)>,
}

/// Port values of one cycle.
#[derive(Clone, Copy, Debug, Default)]
struct Ports {
    valid: bool,
    trap: bool,
    insn: u32,
    rd: (u8, u64),
    addr: u64,
    mask: (u64, u64),
    data: (u64, u64),
}

/// Port values for `data`, in one of the two formats; unused ports carry noise.
fn ports(s: &mut Source, d: &Data, xlen: u32, aligned: bool) -> Ports {
    let (addr, size) = d.access.unwrap_or((s.bits(xlen), 0));
    let lane = if aligned { addr % u64::from(xlen / 8) } else { 0 };
    let lanes = ((1 << (1 << size)) - 1) << lane;
    let all = u64::MAX >> (64 - xlen);
    // bytes outside the access may have any value
    let mut place = |value: Option<u64>| {
        let bits = (u64::MAX >> (64 - (8 << size))) << (8 * lane);
        (value.unwrap_or(0) << (8 * lane) | s.bits(xlen) & !bits) & all
    };
    let data = (place(d.load), place(d.store));
    let csr = d.csr.map(|c| u32::from(c) << 20 | (1 + s.below(3) as u32) << 12 | (s.bits(1) as u32) << 14 | 0x73);
    let other = *s.pick(&[0x0000_0013, 0x0000_0003, 0x1050_0073, 0x0000_0033]);
    Ports {
        valid: true,
        trap: false,
        insn: csr.unwrap_or(other),
        rd: d.register.unwrap_or((0, 0)),
        addr: (addr - lane) & all,
        mask: (if d.load.is_some() { lanes } else { 0 }, if d.store.is_some() { lanes } else { 0 }),
        data,
    }
}

fn random(s: &mut Source, xlen: u32) -> Data {
    let size = s.below(if xlen == 64 { 4 } else { 3 }) as u8;
    let addr = s.bits(xlen) >> size << size;
    let mut value = |on: bool| on.then(|| s.bits(8 << size));
    let (load, store) = match addr >> 3 & 3 {
        0 => (value(true), value(false)),
        1 => (value(false), value(true)),
        2 => (value(true), value(true)),
        _ => (None, None),
    };
    let register = s.percent(60).then(|| (s.between(1, 31) as u8, s.bits(xlen)));
    let access = (load.is_some() || store.is_some()).then_some((addr, size));
    let csr = (access.is_none() && register.is_some() && s.percent(50)).then(|| s.bits(12) as u16);
    Data { load, store, access, csr, register }
}

fn play<const W: usize, const M: usize>(seed: u64, steps: usize) {
    let d = Driver::new(RvfiData::<W, M>::new(), |u: &mut RvfiData<W, M>, c| u.clock.next = c.into());
    let (mut d, mut s) = (d.unwrap().recording(), Source::seeded(seed));
    let mut due = None;
    let mut seen = [0; 5];
    for _ in 0..steps {
        let want = random(&mut s, W as u32);
        let aligned = s.percent(50);
        let mut p = ports(&mut s, &want, W as u32, aligned);
        // an instruction that does not retire reports nothing
        p.valid = s.percent(80);
        p.trap = s.percent(5);
        let got = d
            .cycle(
                |u| {
                    u.rvfi.valid.next = p.valid;
                    u.rvfi.trap.next = p.trap;
                    u.rvfi.insn.next = u64::from(p.insn).to_bits();
                    u.rvfi.rd_addr.next = u64::from(p.rd.0).to_bits();
                    u.rvfi.rd_wdata.next = p.rd.1.to_bits();
                    u.rvfi.mem_addr.next = p.addr.to_bits();
                    u.rvfi.mem_rmask.next = p.mask.0.to_bits();
                    u.rvfi.mem_wmask.next = p.mask.1.to_bits();
                    u.rvfi.mem_rdata.next = p.data.0.to_bits();
                    u.rvfi.mem_wdata.next = p.data.1.to_bits();
                },
                |u| {
                    let o = &u.data;
                    let access =
                        (o.load.val() || o.store.val()).then(|| (wide(o.addr.val()), o.size.val().index() as u8));
                    Data {
                        load: o.load.val().then(|| wide(o.loaded.val())),
                        store: o.store.val().then(|| wide(o.stored.val())),
                        access,
                        csr: o.csr.val().then(|| o.csr_addr.val().index() as u16),
                        register: o.sets.val().then(|| (o.rd.val().index() as u8, wide(o.value.val()))),
                    }
                },
            )
            .unwrap();
        if let Some(due) = due.take() {
            assert_eq!(got, due, "{W} bits, cycle {}", d.cycles());
        }
        let told = if p.valid && !p.trap { want } else { Data::default() };
        let kinds = [told.load.is_some(), told.store.is_some(), told.csr.is_some(), told.register.is_some()];
        kinds.iter().enumerate().for_each(|(i, k)| seen[i] += usize::from(*k));
        seen[4] += usize::from(told.load.is_some() && told.store.is_some());
        due = Some(told);
    }
    assert!(seen.iter().all(|n| *n > steps / 20), "{seen:?}: too few of a kind to trust this run");
    d.check_verilog().unwrap();
}

fn wide<const W: usize>(b: Bits<W>) -> u64 {
    (0..W).fold(0, |v, i| v | u64::from(b.get_bit(i)) << i)
}

#[test]
fn random_accesses_are_reported_as_they_were() {
    play::<32, 4>(1, 20_000);
    play::<64, 8>(2, 8_000);
}

#[test]
fn adapters_pass_the_static_gates() {
    emit_checked(&mut RvfiData::<32, 4>::new()).unwrap();
    emit_checked(&mut RvfiData::<64, 8>::new()).unwrap();
}
