//! The diagnosis chip in a SoC of two picorv32 and a DMA in Verilator: events of the DMA's stores are those of the golden
//! generator for the stores on the bus, with their times, and so are those of the cores

use diag::layout::{layout, Cut};
use diag::link::{FrameReader, FrameWriter};
use diag::load;
use diag::parse::parse;
use diag::resolve::resolve;
use diag::symbols::Symbols;
use fpga::soc::core::CoreKind;
use fpga::soc::diag::DiagSoc;
use fpga::soc::top::SocConfig;
use fpga::soc::verilate::default_cache;
use hdl::diag::chip::DiagParams;
use retire::elf::Program;
use sim::diag::node::NodeKind;
use sim::diag::packet::{Body, Event};
use sim::diag::trigger::GeneratorParams;

const CORES: u8 = 2;
/// Frames that the DMA of `dma` copies, and words of each.
const FRAMES: usize = 24;
const WORDS: usize = 64;

#[test]
fn stores_of_a_dma_are_the_events_of_the_golden_generator() {
    let elf = programs::find("dma").unwrap().soc.get("rv32im").unwrap();
    let symbols = Symbols::parse(elf).unwrap();
    // the last word of each frame, which the cores wait for
    let script = "write:frame+252, write:total { printf(\"%d %d %d\", time, core, value); }";
    let app = parse(script).and_then(|i| resolve(&i, &symbols, 50_000_000)).unwrap();
    let layout = layout(&app, &[], &Cut::host(&app)).unwrap();
    let config = SocConfig { dma: true, ..SocConfig::simulated(CoreKind::Picorv32, CORES) };
    let chip = DiagParams {
        cores: CORES,
        generator: GeneratorParams::FULL,
        outside: Vec::new(),
        nodes: vec![NodeKind::Count(64)],
        windows: false,
        masters: 1,
        clocked: 0,
    };
    let soc = DiagSoc::build(&config, &chip, &default_cache()).unwrap();
    let mut settings = load::set(&layout, CORES, false);
    settings.extend(load::set_masters(&layout, CORES, 1));
    let mut line = FrameWriter::default();
    let settings: Vec<u8> = settings.iter().flat_map(|p| line.frame(p)).collect();
    let run = soc.run(&Program::parse(elf).unwrap(), &settings, &[], 4, 2_000_000).unwrap();
    assert!(run.exited, "{} cycles", run.cycles);
    assert_eq!(run.stores_of_dma.len(), FRAMES * WORDS);

    let bytes: Vec<u8> = run.bytes.iter().map(|b| b.1).collect();
    let mut reader = FrameReader::default();
    let packets = reader.push(&bytes);
    assert_eq!((reader.lost, reader.skipped, reader.malformed), (0, 0, 0));
    let event = |body: Body| if let Body::Event(event) = body { Some(event) } else { None };
    let arrived: Vec<Event> = packets.into_iter().filter_map(|p| event(p.body)).collect();
    let (golden, lost) = run.events(CORES, GeneratorParams::FULL, &layout.slots).unwrap();
    assert_eq!(lost, 0);
    for producer in 0..=CORES {
        let got: Vec<&Event> = arrived.iter().filter(|e| e.core == producer).collect();
        let want: Vec<&Event> = golden.iter().map(|g| &g.1).filter(|e| e.core == producer).collect();
        println!("producer {producer}: {} events", got.len());
        assert_eq!(got, want, "producer {producer}");
    }
    let of_dma = arrived.iter().filter(|e| e.core == CORES).count();
    assert!(of_dma == FRAMES && arrived.len() > 2 * FRAMES, "{of_dma} of {}", arrived.len());
}

#[test]
fn a_generator_of_a_bus_master_needs_one_in_the_soc() {
    let config = SocConfig::simulated(CoreKind::Picorv32, 1);
    let generator = GeneratorParams::FULL;
    let chip = DiagParams {
        cores: 1,
        generator,
        outside: Vec::new(),
        nodes: Vec::new(),
        windows: false,
        masters: 1,
        clocked: 0,
    };
    let refused = DiagSoc::build(&config, &chip, &default_cache()).unwrap_err().to_string();
    assert_eq!(refused, "a generator of a bus master needs a SoC with one, a DMA");
}
