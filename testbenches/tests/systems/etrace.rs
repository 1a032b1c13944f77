//! E-Trace packets of every program, decoded by our decoder in every mode, and by `riscv-etrace`'s tracer in the modes
//! that it supports

use programs::PROGRAMS;
use rayon::prelude::*;
use retire::elf::Program;
use retire::image::Image;
use retire::FlowEvent;
use riscv_etrace::packet::payload::{InstructionTrace, Payload};
use riscv_etrace::packet::sync::{Start, Synchronization};
use riscv_etrace::packet::unit::{ReferenceDOptions, ReferenceIOptions};
use riscv_etrace::tracer::{self, item, Tracer};
use riscv_etrace::types::stack::StaticStack;
use riscv_etrace::{binary, instruction::base::Set, packet};
use sim::baseline::etrace::{decode, encode, same, Options};
use testbenches::check::{limit, run};

/// Every retired address that `riscv-etrace`'s tracer finds in the packets.
///
/// Unlike the specification, it keeps its return stack and the last branch at a trap. So a trap's handler is passed to
/// a new tracer, as the start of a trace.
pub fn traced(bytes: &[u8], options: Options, program: &Program) -> Result<Vec<u64>, String> {
    let code = program.segments.iter().find(|s| s.executable).unwrap();
    let parameters = options.parameters(program.xlen);
    let wrong = |e: &dyn std::fmt::Debug| format!("{e:?}");
    let new = |features: Option<&InstructionTrace<ReferenceIOptions, ReferenceDOptions>>| {
        let binary = binary::Offset::new(binary::from_segment(code.data.as_slice(), Set::Rv32I), code.addr);
        let mut tracer: Tracer<_, StaticStack<8>> =
            tracer::builder().with_params(&parameters).with_binary(binary).build().unwrap();
        if let Some(support) = features {
            tracer.process_te_inst(support).unwrap();
        }
        tracer
    };
    let mut found = Vec::new();
    let mut support = None;
    let mut tracer = new(None);
    let mut decoder = packet::builder().with_params(&parameters).decoder(bytes);
    while decoder.bytes_left() > 0 {
        let payload = decoder.decode_smi_packet().and_then(|p| p.decode_payload()).map_err(|e| wrong(&e))?;
        let Payload::InstructionTrace(payload) = payload else { continue };
        let start = match &payload {
            InstructionTrace::Synchronization(Synchronization::Support(_)) => {
                support.get_or_insert(payload);
                None
            }
            InstructionTrace::Synchronization(Synchronization::Trap(t)) if !t.thaddr => continue,
            InstructionTrace::Synchronization(Synchronization::Trap(t)) => {
                Some(Start { branch: t.branch, ctx: t.ctx, address: t.address })
            }
            InstructionTrace::Synchronization(Synchronization::Start(s)) => Some(*s),
            _ => None,
        };
        match start {
            Some(start) => {
                tracer = new(support.as_ref());
                tracer.process_te_inst::<ReferenceDOptions>(&InstructionTrace::<ReferenceIOptions, _>::from(start))
            }
            None => tracer.process_te_inst(&payload),
        }
        .map_err(|e| wrong(&e))?;
        for item in tracer.by_ref() {
            let item = item.map_err(|e| wrong(&e))?;
            if matches!(item.kind(), item::Kind::Regular(_)) {
                found.push(item.pc());
            }
        }
    }
    Ok(found)
}

/// Every retired address in the events.
pub fn retired(image: &Image, events: &[FlowEvent]) -> Vec<u64> {
    let mut at = 0;
    let mut found = Vec::new();
    for e in events {
        for _ in 0..e.count {
            found.push(at);
            at += u64::from(image.instruction(at).unwrap().1);
        }
        at = e.target;
    }
    found
}

#[test]
fn packets_of_every_program_are_decoded_and_the_crates_tracer_agrees() {
    let runs: Vec<_> = PROGRAMS.iter().flat_map(|p| [(p, 1), (p, 4)]).collect();
    runs.par_iter().for_each(|&(info, harts)| {
        let program = info.load().unwrap();
        let (events, _) = run(&program, harts, limit(200_000));
        let image = Image::new(&program);
        for options in Options::ALL {
            let encoded = encode(&events, harts, options, 32, &image).unwrap();
            for (hart, e) in encoded.iter().enumerate() {
                let place = format!("{}, hart {hart} of {harts}, {options}", info.name);
                let want: Vec<FlowEvent> = events.iter().filter(|e| usize::from(e.hart) == hart).copied().collect();
                let mut found: Vec<FlowEvent> = Vec::new();
                decode(e, options, 32, hart as u8, &image, &mut found).unwrap_or_else(|e| panic!("{place}: {e}"));
                assert!(same(&found, &want), "{place}: other events");
                assert_eq!(e.bits, 8 * e.bytes.len() as u64, "{place}");
                if options.predictors == 0 && options.jump_targets == 0 {
                    let (want, found) = (retired(&image, &want), traced(&e.bytes, options, &program));
                    let found = found.unwrap_or_else(|e| panic!("{place}: {e}"));
                    let first = want.iter().zip(&found).position(|(w, f)| w != f);
                    assert_eq!((first, want.len()), (None, found.len()), "{place}");
                }
            }
        }
    });
}
