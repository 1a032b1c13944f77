//! Event generator windows on a SoC of soft cores in Verilator: the trace contains what ran between triggers, and no
//! other instruction

use diag::link::{FrameReader, FrameWriter};
use diag::load;
use diag::symbols::Symbols;
use fpga::soc::check::check_words;
use fpga::soc::core::CoreKind;
use fpga::soc::diag::window::{check, Inside, Points};
use fpga::soc::diag::{DiagRun, DiagSoc};
use fpga::soc::top::SocConfig;
use fpga::soc::verilate::default_cache;
use hdl::diag::chip::DiagParams;
use retire::elf::Program;
use retire::image::Image;
use sim::diag::node::trace::{write, TraceReassembler, ADDRESS};
use sim::diag::packet::{Op, Packet, HOST};
use sim::diag::registers;
use sim::diag::trigger::GeneratorParams;
use sim::params::{Platform, TraceParams};
use sim::regs::register;

const CORES: u8 = 2;
/// Cycles per byte of the link: fast enough for the whole trace.
const BYTE_CLOCKS: u32 = 8;
const CLOCKS: u64 = 250_000;

struct Bench {
    soc: DiagSoc,
    params: TraceParams,
    program: Program,
    symbols: Symbols,
}

impl Bench {
    fn new() -> Self {
        let elf = programs::find("bank").unwrap().soc.get("rv32im").unwrap();
        let platform = Platform { cores: CORES, align: 2, ..Platform::RV32 };
        let params = TraceParams::new(platform, "tr_e:small".parse().unwrap());
        let config = SocConfig { trace: Some(params), ..SocConfig::simulated(CoreKind::Picorv32, CORES) };
        let generator = GeneratorParams::LITE;
        let chip = DiagParams {
            cores: CORES,
            generator,
            outside: Vec::new(),
            nodes: Vec::new(),
            windows: true,
            masters: 0,
            clocked: 0,
        };
        let soc = DiagSoc::build(&config, &chip, &default_cache()).unwrap();
        Self { soc, params, program: Program::parse(elf).unwrap(), symbols: Symbols::parse(elf).unwrap() }
    }

    fn entry(&self, function: &str) -> u64 {
        self.symbols.find(function).unwrap_or_else(|| panic!("no {function}")).0
    }

    /// Runs the SoC with `points`, the last slots of the generators, and `control` of the trace system. Returns the
    /// words.
    fn run(&self, points: Points, control: u32) -> (DiagRun, Vec<u32>) {
        let mut frames = FrameWriter::default();
        let mut bytes = |packets: &[Packet]| packets.iter().flat_map(|p| frames.frame(p)).collect::<Vec<u8>>();
        let free = GeneratorParams::LITE.slots - 2;
        let window = registers::window(free, points.opens, points.closes, points.returns, 32);
        let mut before: Vec<Packet> = (0..CORES).flat_map(|core| load::write(core, &window)).collect();
        let at = register("control").addr;
        before.push(write(at, control));
        let before = bytes(&before);
        let rest = Packet::control(HOST, ADDRESS, Op::Flush, 0, &[1]);
        let after = [bytes(&[write(at, 0)]), bytes(&[rest])];
        let run = self.soc.run(&self.program, &before, &after, BYTE_CLOCKS, CLOCKS).unwrap();
        let mut reader = FrameReader::default();
        let got: Vec<u8> = run.bytes.iter().map(|b| b.1).collect();
        let (mut joined, mut events) = (TraceReassembler::default(), 0);
        for packet in reader.push(&got) {
            let trace = joined.take(&packet);
            events += usize::from(!trace && matches!(packet.body, sim::diag::packet::Body::Event(_)));
        }
        // slots after those in use send no events
        assert_eq!((reader.lost, joined.missing, events), (0, 0, 0), "frames, packets, events");
        (run, joined.words)
    }

    fn inside(&self, points: Points) -> Inside {
        let (run, words) = self.run(points, 0xf01);
        let inside = check(&self.params, &Image::new(&self.program), &run, points, &words).unwrap();
        eprintln!("{points:x?}: {inside:?}");
        assert_eq!(inside.traced + inside.reopened, inside.inside, "{points:x?}: {inside:?}");
        assert!(inside.windows > 5 && inside.traced > 100 && inside.inside < inside.retired / 2, "{inside:?}");
        inside
    }
}

#[test]
fn a_window_traces_only_between_its_triggers() {
    let bench = Bench::new();
    let of = |opens, closes, returns| Points { opens, closes, returns };
    // a function that calls others, one that does not, and from the entry of the first to that of the second
    let (step, get, set) = (bench.entry("teller_step"), bench.entry("get_balance"), bench.entry("set_balance"));
    let inside = bench.inside(of(Some(get), None, true));
    assert_eq!(inside.lost + inside.reopened, 0, "{inside:?}");
    bench.inside(of(Some(step), None, true));
    bench.inside(of(Some(get), Some(set), false));
    // everything up to the first call
    let points = of(None, Some(set), false);
    let (run, words) = bench.run(points, 0xf01);
    let inside = check(&bench.params, &Image::new(&bench.program), &run, points, &words).unwrap();
    assert_eq!((inside.windows, inside.traced, inside.lost), (u64::from(CORES), inside.inside, 0), "{inside:?}");
    assert!(inside.traced > 100 && inside.traced < inside.retired, "{inside:?}");

    // everything, without a window
    let (run, words) = bench.run(Points::default(), 0xf01);
    let flow = run.flow(&bench.program, CORES).unwrap();
    let checked = check_words(&bench.params, &bench.program, &flow, &words).unwrap();
    assert_eq!((checked.overflows, checked.golden), (0, Some(true)));
    // an open window shows nothing of modes that software did not select
    let points = of(Some(get), None, true);
    let (run, words) = bench.run(points, 0x701);
    let inside = check(&bench.params, &Image::new(&bench.program), &run, points, &words).unwrap();
    assert!(inside.inside > 100 && inside.traced == 0, "{inside:?}");
}
