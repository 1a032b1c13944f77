//! Code of recordings: files carry it, and damaged code is an error or another image, never a panic

use retire::code::{Change, Code, CodeBlock, CodeDecoder, CodeEncoder};
use retire::file::retire::{read_code, RetireInfo, RetireReader, RetireWriter};
use retire::image::{Image, When};
use retire::{FlowEvent, FlowKind, RetireSink};

fn block(n: u64) -> CodeBlock {
    let flow = (n % 3 == 0).then_some((FlowKind::Jump, n));
    CodeBlock { start: n / 2 * 64, sizes: vec![2, 4, 4], bytes: n.to_le_bytes().repeat(2)[..10].to_vec(), flow }
}

fn event(n: u64) -> FlowEvent {
    FlowEvent { hart: (n % 2) as u8, kind: FlowKind::Jump, len: 4, count: 1, pc: n, target: 2 * n, cycle: n }
}

#[test]
fn code_and_events_of_a_file_come_back_in_any_mixture() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.ret");
    let info = RetireInfo { harts: 2, xlen: 64, ..RetireInfo::default() };
    for n in [0, 1, 20_000] {
        let mut writer = RetireWriter::create_with_code(&path, &info).unwrap();
        let mut code = Code::default();
        for i in 0..n {
            writer.event(&event(i));
            writer.code_block(&block(i));
            code.blocks.push(block(i));
            if i % 5 == 1 {
                let change = Change { hart: (i % 2) as u8, retired: i, block: i as u32 };
                writer.code_change(change);
                code.changes.push(change);
            }
        }
        writer.finish().unwrap();
        assert_eq!(read_code(&path).unwrap(), Some(code));
        let mut events: Vec<FlowEvent> = Vec::new();
        RetireReader::open(&path).unwrap().read_rest(&mut events).unwrap();
        assert!(events.into_iter().eq((0..n).map(event)));
    }
    let whole = std::fs::read(&path).unwrap();
    for cut in (60..whole.len()).step_by(whole.len() / 7) {
        std::fs::write(&path, &whole[..cut]).unwrap();
        read_code(&path).unwrap_err();
    }
    let mut longer = whole.clone();
    longer.push(0);
    std::fs::write(&path, longer).unwrap();
    read_code(&path).unwrap_err();
}

#[test]
fn a_file_without_code_says_so() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.ret");
    let info = RetireInfo { harts: 2, xlen: 64, ..RetireInfo::default() };
    let mut writer = RetireWriter::create(&path, &info).unwrap();
    writer.event(&event(0));
    writer.finish().unwrap();
    assert_eq!(std::fs::read(&path).unwrap()[7], 2);
    assert_eq!(read_code(&path).unwrap(), None);
}

#[test]
fn damaged_code_is_an_error_or_another_image() {
    let code = Code {
        blocks: (0..40).map(block).collect(),
        changes: (0..40).map(|n| Change { hart: 0, retired: 8 * u64::from(n), block: n }).collect(),
    };
    let good = CodeEncoder::all(&code);
    let (mut seed, mut decoded) = (1u64, 0);
    let mut random = |n: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) % n
    };
    for _ in 0..3000 {
        let mut bytes = good.clone();
        for _ in 0..=random(3) {
            let at = random(bytes.len() as u64) as usize;
            bytes[at] ^= 1 << random(8);
        }
        let mut decoder = CodeDecoder::default();
        if decoder.take(&bytes).is_err() {
            continue;
        }
        decoded += 1;
        let starts: Vec<u64> = decoder.code.blocks.iter().map(|block| block.start).collect();
        let image = Image::recorded(decoder.code);
        for start in starts {
            for retired in [0, 17, 1 << 40, When::UNKNOWN] {
                let (pc, when) =
                    (start.wrapping_add(random(8)), When { hart: random(3) as u8, retired, ..When::START });
                let run = image.run_at(pc, when).map(|(count, exit)| (count, exit.pc));
                if let Some((count, _)) = run {
                    assert!(image.skip_at(pc, count, when).is_some(), "{pc:x} {when:?}");
                }
                image.bytes(pc, 16, when);
                image.is_ambiguous(pc, when);
            }
        }
    }
    assert!(decoded > 100, "{decoded} images");
}
