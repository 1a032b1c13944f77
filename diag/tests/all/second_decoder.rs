//! A second decoder of the link, in Python from the reference page, finds the packets that the host finds

use crate::chip_end::ChipEnd;
use diag::line::request;
use diag::link::{reference, FrameReader, FrameWriter};
use diag::log::{write, End, Header};
use diag::losses::Unreported;
use diag::noisy::Noise;
use sim::diag::chip::{Chip, ChipParams};
use sim::diag::node::{trace, NodeKind};
use sim::diag::packet::{Args, Body, Event, Op, Packet, NODES};
use sim::diag::processor::SLOTS;
use sim::stimulus::Source;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// What the decoder prints, and its exit code.
fn decoded(file: &[u8]) -> (String, Option<i32>) {
    static FILES: AtomicU32 = AtomicU32::new(0);
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("link{number}"));
    std::fs::write(&path, file).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/decode.py");
    let output = Command::new("python3").arg(script).arg(path).output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (String::from_utf8(output.stdout).unwrap(), output.status.code())
}

fn random_packet(s: &mut Source) -> Packet {
    let (src, dest) = (s.below(64) as u8, s.below(64) as u8);
    if s.percent(30) {
        const OPS: [Op; 8] =
            [Op::Read, Op::Write, Op::ReadData, Op::Written, Op::Error, Op::Time, Op::Flush, Op::Trace];
        let data: Vec<u16> = (0..s.below(15)).map(|_| s.bits(16) as u16).collect();
        // more than identities have two words from register 0
        let addr = if s.percent(50) { 1 + s.below(0xfff) as u16 } else { 0 };
        let op = *s.pick(&OPS);
        let data = if op == Op::ReadData && addr == 0 { &data[..data.len().min(1)] } else { &data };
        return Packet::control(src, dest, op, addr, data);
    }
    let args: Vec<u32> = (0..s.below(6)).map(|_| s.bits(32) as u32).collect();
    let time = s.percent(50).then(|| s.bits(32) as u32);
    let lost = if s.percent(20) { 1 + s.below(65_535) as u16 } else { 0 };
    let (id, core) = (s.bits(8) as u8, s.below(16) as u8);
    let yielded = lost > 0 && s.percent(50);
    Packet::event(src, dest, Event { id, core, lost, yielded, time, args: Args::of(&args) })
}

/// The line of a packet.
fn line(p: &Packet) -> String {
    let mut text = format!("{} -> {}", p.src, p.dest);
    match &p.body {
        Body::Control { op, addr, data } => {
            let op = match op {
                Op::Read => "read",
                Op::Write => "write",
                Op::ReadData => "read-data",
                Op::Written => "written",
                Op::Error => "error",
                Op::Time => "time",
                Op::Flush => "flush",
                Op::Trace => "trace",
            };
            text += &format!(" {op} {addr:#05x}");
            data.iter().for_each(|w| text += &format!(" {w:04x}"));
        }
        Body::Event(e) => {
            text += &format!(" event {} core {}", e.id, e.core);
            if e.lost > 0 {
                text += &format!(" lost {}{}", e.lost, if e.yielded { ", yielded" } else { "" });
            }
            e.time.iter().for_each(|t| text += &format!(" time {t}"));
            e.args.iter().for_each(|a| text += &format!(" {a:#x}"));
        }
    }
    text
}

#[test]
fn it_finds_the_packets_that_the_host_finds() {
    let (mut found, mut gaps) = (0, 0);
    for seed in 0..12 {
        let mut s = Source::seeded(seed);
        let (mut writer, mut bytes) = (FrameWriter::default(), Vec::new());
        for _ in 0..400 {
            let mut frame = writer.frame(&random_packet(&mut s));
            match s.below(40) * u64::from(seed > 0) {
                1 => frame.clear(),
                2 => frame.truncate(s.below(frame.len() as u64) as usize),
                3 => frame.insert(s.below(4) as usize, 0xd5),
                4 => {
                    let at = s.below(frame.len() as u64) as usize;
                    frame[at] ^= 1 << s.below(8);
                }
                _ => {}
            }
            bytes.extend(frame);
        }
        let mut reader = FrameReader::from_start();
        let mut want = String::new();
        let packets = reader.push_with_gaps(&bytes);
        for (missing, packet) in &packets {
            if *missing > 0 {
                want += &format!("missing {missing}\n");
                gaps += 1;
            }
            want += &(line(packet) + "\n");
            found += 1;
        }
        let (text, code) = decoded(&bytes);
        assert_eq!(reader.malformed, 0);
        let (packets, last) = text.trim_end().rsplit_once('\n').unwrap();
        assert_eq!(format!("{packets}\n"), want, "seed {seed}");
        let counts = format!(
            "{} frames, {} missing, 0 malformed, ",
            want.lines().count() - want.matches("missing").count(),
            reader.lost
        );
        assert!(last.starts_with(&counts), "{last}: {counts}");
        assert_eq!(code, Some(if seed == 0 { 0 } else { 2 }), "seed {seed}");
    }
    assert!(found > 4000 && gaps > 200, "{found} packets, {gaps} gaps");
}

#[test]
fn it_finds_packets_that_are_sent_again_once() {
    let (mut again, mut missing) = (0, 0);
    for seed in 0..12 {
        let mut s = Source::seeded(seed);
        let (mut end, mut requests) = (ChipEnd::default(), FrameWriter::default());
        let mut reader = FrameReader::from_start();
        let mut noise = Noise::new(if seed == 0 { 0 } else { 60 }, seed);
        let (mut bytes, mut want, mut frames) = (Vec::new(), String::new(), 0);
        for _ in 0..40 {
            let mut sent: Vec<u8> = (0..s.below(12)).flat_map(|_| end.send(&random_packet(&mut s))).collect();
            // now and then one that was already received
            let expected = reader.expected().wrapping_sub(s.below(4) as u8);
            sent.extend(end.take(&requests.frame(&request(expected, s.percent(50)))));
            let arrived = noise.transmit(&sent);
            for (gap, packet) in reader.push_with_gaps(&arrived) {
                if gap > 0 {
                    want += &format!("missing {gap}\n");
                }
                want += &(line(&packet) + "\n");
                frames += 1;
            }
            bytes.extend(arrived);
        }
        let (text, code) = decoded(&bytes);
        let (packets, last) = text.trim_end().rsplit_once('\n').unwrap();
        assert_eq!(format!("{packets}\n"), want, "seed {seed}");
        assert!(last.starts_with(&format!("{frames} frames, {} missing, 0 malformed, ", reader.lost)), "{last}");
        assert_eq!(code, Some(if seed == 0 { 0 } else { 2 }), "seed {seed}: {last}");
        let repeats = last.split(", ").find_map(|part| part.strip_suffix(" frames again"));
        again += repeats.map_or(0, |n| n.parse::<u32>().unwrap());
        missing += reader.lost;
    }
    assert!(again > 300 && missing > 30, "{again} again, {missing} missing");
}

#[test]
fn it_finds_all_clients_of_a_ring() {
    let mut params = ChipParams { trace: true, ..ChipParams::new(2) };
    params.nodes.push(NodeKind::Processor(SLOTS as u8));
    let mut chip = Chip::new(params);
    (0..NODES).for_each(|address| chip.request(address, Op::Read, 0, &[2]));
    chip.drain();
    let mut writer = FrameWriter::default();
    let bytes: Vec<u8> = chip.take_arrived().iter().flat_map(|a| writer.frame(&a.packet)).collect();
    let (text, code) = decoded(&bytes);
    let mut want: Vec<String> =
        (0..2).map(|c| format!("{c} -> 63 read-data 0x000 0001 0010 (generator, capacity 16)")).collect();
    for (n, kind) in chip.params().nodes.iter().enumerate() {
        let [number, capacity] = kind.registers();
        let words = format!("{number:04x} {capacity:04x} ({}, capacity {capacity})", kind.name());
        want.push(format!("{} -> 63 read-data 0x000 {words}", 16 + n));
    }
    let (address, places) = (trace::ADDRESS, trace::DEPTH);
    want.push(format!("{address} -> 63 read-data 0x000 000a {places:04x} (trace, capacity {places})"));
    want.push(format!("{} frames, 0 missing, 0 malformed, 0 bytes outside", want.len()));
    assert_eq!((text.lines().collect::<Vec<_>>(), code), (want.iter().map(String::as_str).collect(), Some(0)));
}

#[test]
fn it_notices_that_a_log_was_cut() {
    let mut s = Source::seeded(1);
    let mut writer = FrameWriter::default();
    let frames: Vec<u8> = (0..50).flat_map(|_| writer.frame(&random_packet(&mut s))).collect();
    let header = Header {
        script: "call:main { @n = count(); }".into(),
        cut: Default::default(),
        cores: 1,
        clock_hz: 50_000_000,
        lite: false,
        unordered: false,
        masters: 0,
        clocked: 1,
    };
    let file = write(
        &header,
        &frames,
        &End {
            cycles: 9,
            frames: 50,
            lost: 3,
            unreported: vec![Unreported { events: 3, yielded: false }, Unreported::default()],
        },
    );
    let last = |file: &[u8]| {
        let (text, code) = decoded(file);
        (text.lines().last().unwrap().to_string(), code)
    };
    assert_eq!(last(&file), ("50 frames, 0 missing, 0 malformed, 0 bytes outside, 3 events lost".into(), Some(0)));
    let (text, code) = last(&file[..file.len() - 1]);
    assert!(text.ends_with("no end mark") && code == Some(2), "{text}");
    let mut hurt = file.clone();
    hurt[100] ^= 1;
    let (text, code) = last(&hurt);
    assert!(text.ends_with("no end mark") && code == Some(2), "{text}");
}

#[test]
fn the_reference_page_is_that_of_the_sources() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/diagnosis-link.md");
    let page = std::fs::read_to_string(path).unwrap();
    assert_eq!(page, reference(), "made with: cargo run --release -p diag --example link");
}
