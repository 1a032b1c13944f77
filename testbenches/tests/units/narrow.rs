//! `hdl/src/ingress/narrow.rs` against `sim/src/addresses.rs`, alone and in whole systems

use fpga::cosim::trace::{TraceCosim, TraceOptions, TracePorts};
use hdl::emit::{emit, EmitError, Ingress, SystemOptions};
use hdl::ingress::narrow::Narrow;
use hdl::spine::Extras;
use retire::RetireSink;
use rust_hdl::prelude::*;
use sim::addresses::Addresses;
use sim::params::{Platform, TraceParams};
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::run::{record, Config};
use sim::stimulus::Source;
use sim::system::System;
use testbenches::check::beat_file;
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

fn alone<const W: usize>(text: &str) {
    let addresses: Addresses = text.parse().unwrap();
    emit_checked(&mut Narrow::<W>::new(&addresses)).unwrap();
    let mut d = Driver::new(Narrow::<W>::new(&addresses), |_, _| ()).unwrap().recording();
    let mut s = Source::seeded(addresses.bits.into());
    for _ in 0..2_000 {
        let wide = s.bits(W as u32);
        let got = d.cycle(|u| u.wide.next = wide.to_bits(), |u| u.to.val().to_u64()).unwrap();
        assert_eq!(got, addresses.narrow(wide, W as u8), "{text}: {wide:#x}");
    }
    d.check_verilog().unwrap();
}

#[test]
fn addresses_are_those_of_the_model() {
    alone::<32>("16");
    alone::<32>("24@0x80000000");
    alone::<32>("31");
    alone::<64>("39");
    alone::<64>("22");
    alone::<64>("39@0xffffff8000000000");
}

/// For a program within the address range, the words are those of a system with all address bits, with fewer registers.
#[test]
fn systems_of_fewer_bits_send_what_the_model_sends() {
    for (scheme, xlen, cores, text) in [
        ("tr_e:small", 32, 1, "20"),
        ("tr_e:medium+upper12", 32, 2, "24@0x80000000"),
        ("tr_e:large", 64, 1, "39"),
        ("nx_b", 32, 1, "16"),
        ("sc-lsp:rbase-32x4", 32, 3, "24@0x80000000"),
        ("sc-lsp:base-32x4", 64, 1, "48"),
    ] {
        let addresses: Addresses = text.parse().unwrap();
        let params = TraceParams::new(Platform { xlen, cores, ..Platform::RV32 }, scheme.parse().unwrap());
        let shape = addresses.shape(if xlen == 64 { Shape::rv64(3) } else { Shape::rv32(3) });
        let model = Model::new(&shape);
        let recording = record(&model, &Config::new(cores, 3), 60_000);
        let extras = Extras { addresses: Some(addresses), ..Extras::default() };
        let verilog = emit(&params, &SystemOptions { extras, ..SystemOptions::default() }).unwrap();
        let ports = TracePorts::rvfi(cores.into(), xlen, |i, name| format!("rvfi_{name}_{i}"), |name| name.into());
        let sim = TraceCosim::build(&verilog, &ports).unwrap();
        let (file, beats) = beat_file(&model.program, &params, &recording.events);
        let mut got = Vec::new();
        let summary = sim.run(file.path(), &TraceOptions::default(), |w| got.push(w)).unwrap();
        assert_eq!((summary.overflow, summary.beats), (0, beats), "{scheme}, {text}");
        let mut golden = System::new(&params).unwrap();
        for e in &recording.events {
            golden.event(e);
        }
        golden.finish(summary.stop + 2);
        assert!(got == golden.drain().collect::<Vec<u32>>(), "{scheme}, {text}: the words are not the golden model's");
        assert!(got.len() > 500, "{scheme}, {text}: {} words", got.len());
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let params = TraceParams::new(Platform::RV32, "tr_e:small".parse().unwrap());
    for ingress in [Ingress::Rvfi, Ingress::Etrace, Ingress::PcChain] {
        let say = |text: &str| {
            let extras = Extras { addresses: Some(text.parse().unwrap()), ..Extras::default() };
            emit(&params, &SystemOptions { ingress, extras, ..SystemOptions::default() })
        };
        assert!(say("24").unwrap().starts_with("// Goshawk trace system"));
        assert!(matches!(say("32"), Err(EmitError::Params(_))));
        assert!(matches!(say("24@0x80000001"), Err(EmitError::Params(_))));
    }
}
