//! SoCs of softcores that trace load values (scheme `cfiat`) in Verilator: the words equal those of the golden model,
//! and with a trace of the control flow the cores are executed again and compared in every register, load and store
//!
//! Each run is limited to some hundred thousand cycles; with `GOSHAWK_LONG=1` they run for five million. Ignored tests
//! run more cores and programs.

use fpga::soc::core::CoreKind;
use fpga::soc::run::{Run, RunOptions, Soc};
use fpga::soc::top::{Output, SocConfig};
use fpga::soc::values::{check, ValueError, Valued};
use fpga::soc::verilate::default_cache;
use retire::elf::Program;
use sim::params::{Platform, TraceParams};
use sim::stimulus::rounds;

/// The SoC of a scheme, `tr_e:small,cfiat:16k` or `cfiat:16k`.
fn config(core: CoreKind, cores: u8, scheme: &str) -> SocConfig {
    let simulated = SocConfig { log2_ram: 22, ..SocConfig::simulated(core, cores) };
    match TraceParams::schemes(scheme) {
        Ok((flow, values)) => {
            let platform = Platform { cores, align: core.core().isa().align(), ..Platform::RV32 };
            let trace = TraceParams::new(platform, flow).with(|p| p.data = values);
            SocConfig { trace: Some(trace), values, ..simulated }
        }
        Err(_) => SocConfig { values: Some(scheme.parse().unwrap()), ..simulated },
    }
}

fn run(config: &SocConfig, name: &str, cycles: u64) -> (Program, Run) {
    let elf = programs::find(name).unwrap().soc.get(config.core.core().isa().name()).unwrap();
    let program = Program::parse(elf).unwrap();
    let soc = Soc::build(config, false, &default_cache()).unwrap();
    let cycles = rounds(cycles, 5_000_000);
    let run = soc.run(&program, &RunOptions { max_cycles: cycles, ..RunOptions::default() }, |_| {}).unwrap();
    (program, run)
}

fn checked(config: &SocConfig, name: &str, cycles: u64) -> Valued {
    let (program, r) = run(config, name, cycles);
    let what = format!("{} {} {name}", config.cores, config.core.name());
    let v = check(config, &program, &r).unwrap_or_else(|e| panic!("{what}: {e}"));
    println!("{what}: {:?} instructions, {:?}", r.instructions, v);
    assert!(v.golden, "{what}: other bits than the golden model's");
    assert!(r.instructions.iter().all(|n| *n > 100), "{what}: {:?}", r.instructions);
    if let Some((instructions, ..)) = &v.replayed {
        assert_eq!(*instructions, r.instructions, "{what}");
    }
    v
}

#[test]
fn two_picorv32_are_executed_again_from_both_streams() {
    let soc = config(CoreKind::Picorv32, 2, "tr_e:small,cfiat:16k");
    for name in ["bank", "qsort"] {
        let v = checked(&soc, name, 200_000);
        let (_, events, data) = v.replayed.unwrap();
        assert!(events > 2_000 && data > 20_000 && v.records > 500, "{name}: {events} {data} {}", v.records);
    }
}

#[test]
#[ignore = "long: builds another SoC"]
fn four_picorv32_are_executed_again_from_both_streams() {
    let soc = config(CoreKind::Picorv32, 4, "tr_e:large,cfiat:4k+line32+gran4");
    for name in ["bank", "lockcont", "strsearch", "lz", "fft"] {
        checked(&soc, name, 5_000_000);
    }
}

/// Interrupts, `mret`, CSRs of traps.
#[test]
fn two_ibex_are_executed_again_with_their_interrupts() {
    let soc = config(CoreKind::Ibex, 2, "tr_e:medium,cfiat:1k+ways2+line32");
    let v = checked(&soc, "irq", 200_000);
    assert!(v.stats.csrs > 20 && v.replayed.is_some(), "{v:?}");
}

#[test]
#[ignore = "long: builds another SoC"]
fn two_vexriscv_are_executed_again_from_both_streams() {
    checked(&config(CoreKind::Vexriscv, 2, "tr_e:small,cfiat:16k"), "bank", 5_000_000);
}

#[test]
#[ignore = "long: builds another SoC"]
fn load_values_alone_have_the_port_of_the_trace() {
    let soc = SocConfig { log2_fifo: 5, ..config(CoreKind::Picorv32, 1, "cfiat(fixed):256+ways2+line16") };
    let v = checked(&soc, "bank", 100_000);
    assert!(v.replayed.is_none() && v.records > 100, "{v:?}");
}

/// A wrong word of the stream is detected.
#[test]
fn a_wrong_bit_is_found() {
    let soc = config(CoreKind::Picorv32, 2, "tr_e:small,cfiat:16k");
    let (program, r) = run(&soc, "bank", 50_000);
    let bits = 32 * r.values.len();
    for bit in [100, bits / 3, bits / 2, 2 * bits / 3] {
        let mut bad = r.clone();
        bad.values[bit / 32] ^= 1 << (bit % 32);
        match check(&soc, &program, &bad) {
            Err(ValueError::Stream(_) | ValueError::Replay(_) | ValueError::Different(_)) => {}
            other => panic!("bit {bit}: {other:?}"),
        }
    }
}

/// If the circuit does not see core 1's stores, core 0 keeps outdated values.
#[test]
#[ignore = "long: builds another SoC"]
fn a_circuit_that_does_not_see_a_cores_stores_is_found() {
    let soc = config(CoreKind::Picorv32, 2, "tr_e:small,cfiat:16k");
    let blind = |verilog: String| {
        let (seen, unseen) = (".rvfi_mem_wmask_1(rvfi_mem_wmask_1)", ".rvfi_mem_wmask_1(4'd0)");
        assert_eq!(verilog.matches(seen).count(), 1);
        verilog.replace(seen, unseen)
    };
    let elf = programs::find("bank").unwrap().soc.get("rv32im").unwrap();
    let program = Program::parse(elf).unwrap();
    let built = Soc::build_edited(&soc, false, &default_cache(), blind).unwrap();
    let options = RunOptions { max_cycles: 200_000, ..RunOptions::default() };
    let r = built.run(&program, &options, |_| {}).unwrap();
    let found = check(&soc, &program, &r).unwrap_err();
    assert!(matches!(found, ValueError::Replay(_) | ValueError::Different(_)), "{found}");
}

#[test]
fn what_is_not_possible_says_why() {
    let both = config(CoreKind::Picorv32, 2, "tr_e:small,cfiat:16k");
    let say = |soc: SocConfig| soc.check().unwrap_err().to_string();
    let uart = Output::Uart { divisor: 8 };
    assert!(say(SocConfig { output: uart, ..both.clone() }).ends_with("needs parallel ports, one for each"));
    assert!(say(SocConfig { buffer: Some(9), ..both.clone() }).ends_with("without a trace buffer"));
    assert!(say(SocConfig { record: Some("inputs".parse().unwrap()), trace: None, ..both.clone() })
        .ends_with("the output of the record system"));
    assert!(say(SocConfig { log2_fifo: 3, ..both })
        .contains("event FIFO entries = 8, expected a power of two from 16 to 256"));
    let shared = config(CoreKind::Picorv32, 2, "cfiat:16k+ways8");
    assert!(say(shared).contains("at most 4 ways have"));
}
