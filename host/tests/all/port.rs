//! Logs of trace ports: correct ones pass, and each fault is found by its own rule

use host::port::rows::Options as LogOptions;
use host::port::signals::PortKind;
use host::port::{check, Code, Options, Report};
use retire::image::Image;
use retire::{FlowEvent, FlowKind};
use sim::riscv::{Limits, Machine, MachineConfig};
use std::fmt::Write;
use std::path::Path;

/// What a core reports of one instruction.
#[derive(Clone, Copy, Debug)]
struct Record {
    insn: u32,
    trap: u8,
    intr: u8,
    pc: u64,
    next: u64,
}

/// Every instruction of a run of `name`, as a core with correct RVFI reports it.
fn records(name: &str, image: &Image, instructions: u64) -> Vec<Record> {
    let program = programs::find(name).unwrap().load().unwrap();
    let mut events: Vec<FlowEvent> = Vec::new();
    let limits = Limits { instructions, ..Limits::default() };
    Machine::new(&program, MachineConfig::default()).unwrap().run(&mut events, limits).unwrap();
    let (mut pc, mut intr, mut all) = (0, 0, Vec::new());
    for e in &events {
        for i in 0..e.count {
            let (insn, len) = image.instruction(pc).unwrap();
            let last = i + 1 == e.count && e.kind.retires();
            let next = if last { e.target } else { pc + u64::from(len) };
            all.push(Record { insn, trap: 0, intr: std::mem::take(&mut intr), pc, next });
            pc = next;
        }
        match e.kind {
            FlowKind::Start => pc = e.target,
            FlowKind::Trap { .. } => (pc, intr) = (e.target, 1),
            _ => {}
        }
    }
    all
}

fn image(name: &str) -> Image {
    Image::new(&programs::find(name).unwrap().load().unwrap())
}

fn rvfi(records: &[Record]) -> String {
    let mut text = String::from("cycle rvfi_valid rvfi_insn rvfi_trap rvfi_intr rvfi_pc_rdata rvfi_pc_wdata\n");
    for (i, r) in records.iter().enumerate() {
        writeln!(text, "{i} 1 {:08x} {} {} {:08x} 0x{:08x}", r.insn, r.trap, r.intr, r.pc, r.next).unwrap();
        if i % 3 == 0 {
            writeln!(text, "{i} 0 xxxxxxxx x x xxxxxxxx xxxxxxxx # nothing retires").unwrap();
        }
    }
    text
}

fn report(text: &str, port: PortKind, code: Option<&Image>) -> Report {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    check(file.path(), &Options { port, xlen: 32, log: LogOptions::default() }, Code(code)).unwrap()
}

fn found(report: &Report) -> Vec<(&'static str, u64)> {
    report.findings.iter().map(|f| (f.rule.found, f.count)).collect()
}

#[test]
fn a_port_that_keeps_the_rules_is_clean() {
    for name in ["fft", "irq", "vm"] {
        let image = image(name);
        let records = records(name, &image, 30_000);
        let report = report(&rvfi(&records), PortKind::Rvfi, Some(&image));
        assert_eq!(found(&report), [], "{name}");
        assert_eq!((report.retired, report.records), (records.len() as u64, records.len() as u64));
        assert_eq!(report.traps, records.iter().map(|r| u64::from(r.intr)).sum::<u64>(), "{name}");
        assert!(report.is_clean() && report.clocks > report.records);
    }
}

/// Changes one record, and expects the rule that must find it.
#[test]
fn every_fault_is_found_by_its_rule() {
    let image = image("irq");
    let right = records("irq", &image, 30_000);
    let is_plain = |r: &Record| {
        r.insn & 3 == 3 && r.next == r.pc + 4 && retire::isa::flow(r.insn, 32) == retire::isa::Flow::Sequential
    };
    let plain = (1000..).find(|&i| is_plain(&right[i]) && right[i].intr == 0 && right[i + 1].intr == 0).unwrap();
    let branch = (1000..)
        .find(|&i| {
            matches!(retire::isa::flow(right[i].insn, 32), retire::isa::Flow::Conditional { .. })
                && right[i + 1].intr == 0
        })
        .unwrap();
    let handler = (1..).find(|&i| right[i].intr == 1).unwrap();
    let mret = (0..).find(|&i| right[i].insn == retire::isa::MRET && right[i + 1].intr == 0).unwrap();
    type Fault<'a> = (&'a str, &'a dyn Fn(&mut Vec<Record>), &'a str);
    let faults: [Fault; 9] = [
        (
            "ecall retires",
            &|r| {
                r[plain].insn = 0x73;
                r[plain].next = r[plain].pc + 0x100;
                r[plain + 1].pc = r[plain].next;
            },
            "ecall or ebreak",
        ),
        ("a plain instruction goes elsewhere", &|r| r[plain].next += 64, "an instruction that cannot jump"),
        ("a record is missing", &|r| _ = r.remove(plain), "an instruction is not at the pc_wdata"),
        ("a branch goes elsewhere", &|r| r[branch].next ^= 0x800, "pc_wdata of a jump or branch"),
        ("intr is not shown", &|r| r[handler].intr = 0, "an instruction is not at the pc_wdata"),
        ("intr is shown too often", &|r| r[plain].intr = 1, "intr is 1 where"),
        ("mret goes on", &|r| r[mret].next = r[mret].pc + 4, "pc_wdata of mret or sret is the address after"),
        (
            "an odd address",
            &|r| {
                r[plain].pc |= 1;
                r[plain].next |= 1;
            },
            "an address is odd",
        ),
        ("an instruction of another program", &|r| r[plain].insn ^= 0x1000, "the instruction is not the one"),
    ];
    for (what, change, want) in faults {
        let mut records = right.clone();
        change(&mut records);
        let report = report(&rvfi(&records), PortKind::Rvfi, Some(&image));
        let found = found(&report);
        assert!(found.iter().any(|(rule, n)| rule.starts_with(want) && (1..=3).contains(n)), "{what}: {found:?}");
        assert_eq!(report.is_clean(), what.starts_with("intr is shown"), "{what}");
    }
}

#[test]
fn expanded_and_unknown_instructions_are_found() {
    let c_nop = Record { insn: 0x0000_0013, trap: 0, intr: 0, pc: 0x100, next: 0x102 };
    let expanded = report(&rvfi(&[c_nop, Record { pc: 0x102, next: 0x104, ..c_nop }]), PortKind::Rvfi, None);
    assert_eq!(found(&expanded).len(), 1);
    assert!(expanded.findings[0].rule.found.contains("expanded"), "{:?}", expanded.findings);
    let text = "rvfi_insn rvfi_pc_rdata rvfi_pc_wdata\n13 100 104\n0000001x 104 108\n";
    let unknown = report(text, PortKind::Rvfi, None);
    assert!(unknown.findings[0].rule.found.contains("unknown"), "{:?}", unknown.findings);
    assert_eq!(unknown.findings[0].locations[0].at, "line 3");
}

#[test]
fn jumps_of_zcmp_are_distinguished_from_traps() {
    // cm.push {ra, s0}, -16; cm.popret {ra, s0}, 16; nop
    let core = [(0xb852, 0x100, 0x102), (0xbe52, 0x102, 0x200), (0x13, 0x200, 0x204)];
    let records = core.map(|(insn, pc, next)| Record { insn, trap: 0, intr: 0, pc, next });
    const FOUND: &str = "an instruction of Zcmp or Zcmt jumps (cm.popret, cm.popretz, cm.jt or cm.jalt)";
    let rvfi = report(&rvfi(&records), PortKind::Rvfi, None);
    assert_eq!((found(&rvfi), rvfi.is_clean()), (vec![(FOUND, 1)], true));
    let chain = core.map(|(insn, pc, _)| format!("1 {insn:08x} {pc:08x}\n")).concat();
    let chain = report(&format!("retire_valid retire_insn retire_pc\n{chain}"), PortKind::PcChain, None);
    assert_eq!((found(&chain), chain.traps), (vec![(FOUND, 1)], 0));
}

#[test]
fn pc_chains_show_breaks_and_expanded_instructions() {
    let image = image("irq");
    let records = records("irq", &image, 30_000);
    let chain = |records: &[Record]| {
        let mut text = String::from("retire_valid,retire_insn,retire_pc\n");
        records.iter().for_each(|r| writeln!(text, "1,{:x},{:x}", r.insn, r.pc).unwrap());
        text
    };
    let report_ = report(&chain(&records), PortKind::PcChain, Some(&image));
    let traps = records.iter().filter(|r| r.intr == 1).count() as u64;
    assert!(report_.is_clean() && report_.traps <= traps && report_.traps > 0, "{report_:?}");
    let mut other = records.clone();
    other[500].insn ^= 1 << 20;
    assert!(!report(&chain(&other), PortKind::PcChain, Some(&image)).is_clean());
}

#[test]
fn blocks_are_walked_in_the_program() {
    // li a0, 1; beqz a0, +8; nop; jal x0, -12, at 0
    let code = [0x0010_0513u32, 0x0005_0463, 0x0000_0013, 0xff5f_f06f];
    let data: Vec<u8> = code.iter().flat_map(|w| w.to_le_bytes()).collect();
    let program = retire::elf::Program {
        xlen: 32,
        compressed: true,
        multiplies: true,
        zcm: false,
        tohost: None,
        entry: 0,
        segments: vec![retire::elf::Segment::code(0, data)],
        build_id: vec![1],
    };
    let image = Image::new(&program);
    let heading = "itype iaddr iretire ilastsize\n";
    let clean = format!("{heading}4 0 4 1\nf 8 4 1\n4 0 4 1\n0 0 0 0\n1 8 0 0\n");
    let report_ = report(&clean, PortKind::Etrace, Some(&image));
    assert_eq!(found(&report_), []);
    assert_eq!((report_.records, report_.retired, report_.traps), (4, 6, 1));
    for (rows, want) in [
        ("4 0 4 1\nf c 2 1\n", "a block does not begin"),
        ("5 0 4 1\nf c 2 1\n4 8 2 1\n", "a block does not begin"),
        ("0 0 4 1\n", "itype is not that"),
        ("5 0 0 1\n", "iretire is 0"),
        ("4 0 1 1\n", "ilastsize is larger"),
        ("6 0 4 1\n", "itype 6 or 7"),
        ("0 100 4 1\n", "a block holds an address"),
    ] {
        let report = report(&format!("{heading}{rows}"), PortKind::Etrace, Some(&image));
        assert!(report.findings.iter().any(|f| f.rule.found.starts_with(want)), "{rows}: {:?}", found(&report));
    }
}

/// A waveform with the port in its own scope, next to another one, is sampled at rising edges.
#[test]
fn waveforms_are_read_as_flip_flops_see_them() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("sim.vcd");
    let mut vcd = String::from(
        "$timescale 1 ns $end\n$scope module tb $end\n$var wire 1 ! clk $end\n$scope module core $end\n\
         $var wire 1 v rvfi_valid $end\n$var wire 32 i rvfi_insn $end\n$var wire 32 p rvfi_pc_rdata $end\n\
         $var wire 32 n rvfi_pc_wdata $end\n$upscope $end\n$scope module other $end\n\
         $var wire 32 q rvfi_insn $end\n$upscope $end\n$upscope $end\n$enddefinitions $end\n",
    );
    for i in 0..20u32 {
        // values change with the edge that ends the previous cycle, and are sampled at the next one
        let (pc, next) = (0x100 + 4 * i, if i == 11 { 0x200 } else { 0x104 + 4 * i });
        writeln!(vcd, "#{}\n1!\n1v\nb{:b} i\nb{pc:b} p\nb{next:b} n", 10 * i, 0x13).unwrap();
        writeln!(vcd, "#{}\n0!", 10 * i + 5).unwrap();
    }
    std::fs::write(&path, &vcd).unwrap();
    let open = |scope: Option<&str>, names: &[(&str, &str)]| {
        let log = LogOptions {
            scope: scope.map(Into::into),
            names: names.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect(),
            clock: None,
        };
        check(Path::new(&path), &Options { port: PortKind::Rvfi, xlen: 32, log }, Code(None))
    };
    let report = open(Some("tb.core"), &[]).unwrap();
    // the clock has no value before time 0, so there is no edge there
    assert_eq!((report.clocks, report.records), (19, 19));
    let locations: Vec<_> = report
        .findings
        .iter()
        .map(|f| (f.rule.found.split(' ').next().unwrap(), f.count, f.locations[0].at.as_str()))
        .collect();
    assert_eq!(locations, [("an", 1, "clock 11, time 120 ns"), ("an", 1, "clock 12, time 130 ns"),]);
    let e = open(None, &[]).unwrap_err().to_string();
    assert!(e.contains("2 signals are called rvfi_insn: tb.core.rvfi_insn, tb.other.rvfi_insn; --scope"), "{e}");
    assert_eq!(open(None, &[("rvfi_insn", "tb.core.rvfi_insn")]).unwrap().records, 19);
    let e = open(Some("tb.other"), &[]).unwrap_err().to_string();
    assert!(
        e.contains("no signal rvfi_pc_rdata below tb.other (the log has tb.core.rvfi_pc_rdata); `--scope` gives"),
        "{e}"
    );
    // the end of a path is enough, if it is that of one signal
    assert_eq!(open(None, &[("rvfi_insn", "core.rvfi_insn")]).unwrap().records, 19);
    let e = open(None, &[("rvfi_insn", "rvfi_insn")]).unwrap_err().to_string();
    assert!(e.contains("2 signals are called rvfi_insn: tb.core.rvfi_insn, tb.other.rvfi_insn; --scope"), "{e}");
    let e = open(None, &[("rvfi_insn", "dut.insn")]).unwrap_err().to_string();
    assert!(e.contains("no signal dut.insn (the log has tb.core.rvfi_insn, tb.other.rvfi_insn); `--scope`"), "{e}");
    // the reader of waveforms panics at this
    std::fs::write(&path, vcd.replacen("b10011 i", "b10031 i", 1)).unwrap();
    let e = open(Some("tb.core"), &[]).unwrap_err().to_string();
    assert!(e.contains("sim.vcd: is a damaged waveform: Bit-vector contains invalid character"), "{e}");
}

/// The port of a trace system, whose signals have the number of the core, with a module in it that has signals of the same names; before
/// the reset, all is unknown.
#[test]
fn the_port_of_core_0_is_found_and_unknown_signals_before_the_reset_are_ignored() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("sim.vcd");
    let mut vcd = String::from(
        "$timescale 100 ps $end\n$scope module top $end\n$var wire 1 ! clock $end\n$scope module trace $end\n",
    );
    let signals = [("rvfi_valid", 1), ("rvfi_insn", 32), ("rvfi_pc_rdata", 32), ("rvfi_pc_wdata", 32)];
    for (at, (name, bits)) in signals.iter().enumerate() {
        writeln!(vcd, "$var wire {bits} a{at} {name}_0 $end").unwrap();
    }
    vcd += "$scope module u_core_0 $end\n";
    for (at, (name, bits)) in signals.iter().enumerate() {
        writeln!(vcd, "$var wire {bits} b{at} {name} $end").unwrap();
    }
    vcd += "$upscope $end\n$upscope $end\n$upscope $end\n$enddefinitions $end\n#0\n0!\nxa0\n#5\n1!\n#7\n0!\n#10\n1!\n#11\n0a0\n#15\n0!\n";
    for i in 2..12u32 {
        let (pc, next) = (0x100 + 4 * i, if i == 8 { 0x300 } else { 0x104 + 4 * i });
        writeln!(vcd, "#{}\n1!\n1a0\nb10011 a1\nb{pc:b} a2\nb{next:b} a3\n#{}\n0!", 10 * i, 10 * i + 5).unwrap();
    }
    std::fs::write(&path, &vcd).unwrap();
    let log = LogOptions { scope: Some("top.trace".into()), ..LogOptions::default() };
    let report = check(&path, &Options { port: PortKind::Rvfi, xlen: 32, log: log.clone() }, Code(None)).unwrap();
    assert_eq!((report.records, report.findings.len()), (9, 2), "{report:?}");
    assert_eq!(report.findings[0].locations[0].at, "clock 9, time 9 ns");
    // one that becomes unknown later is found
    std::fs::write(&path, vcd.replace("#105\n0!", "#105\n0!\nxa0")).unwrap();
    let report = check(&path, &Options { port: PortKind::Rvfi, xlen: 32, log }, Code(None)).unwrap();
    assert!(report.findings.iter().any(|f| f.rule.found.starts_with("a signal is unknown")), "{report:?}");
}

#[test]
fn logs_that_are_none_are_refused_with_their_place() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("log.txt");
    let say = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let options = Options { port: PortKind::Rvfi, xlen: 32, log: LogOptions::default() };
        let e = check(&path, &options, Code(None)).unwrap_err().to_string();
        e.strip_prefix(&path.display().to_string()).unwrap().to_string()
    };
    assert_eq!(say(b""), ": is empty; expected a line of signal names");
    assert!(say(b"rvfi_insn\n13\n").starts_with(": line 1: no column rvfi_pc_rdata; expected the names"));
    let heading = "rvfi_insn rvfi_pc_rdata rvfi_pc_wdata\n";
    assert_eq!(say(format!("{heading}13 0\n").as_bytes()), ": line 2: 2 values; the heading names 3");
    assert_eq!(say(format!("{heading}13 0 q\n").as_bytes()), ": line 2: `q` is not a hexadecimal value");
    assert!(say(heading.as_bytes()).starts_with(": no instruction in 0 clock cycles"));
    assert!(say(b"\x00\x01\x02").starts_with(": is neither a waveform (VCD, FST, GHW) nor text"));
    assert!(say(b"$scope module tb $end").starts_with(": "));
    // the beginning of an FST, also before its first block ends
    for zeros in [0, 1, 40, 400] {
        let cut = say(&[&[0, 0, 0, 0, 0, 0, 0, 1, 0x49], vec![0; zeros].as_slice()].concat());
        assert!(cut.starts_with(": is a damaged ") && !cut.contains('\n'), "{zeros}: {cut:?}");
    }
    let options = Options { port: PortKind::Rvfi, xlen: 32, log: LogOptions::default() };
    let e = check(Path::new("/dev/zero"), &options, Code(None)).unwrap_err().to_string();
    assert_eq!(e, "/dev/zero: is a device, expected a file or a pipe");
}
