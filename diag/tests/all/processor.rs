//! Compares programs on the diagnosis processor with scripts that do the same

use diag::app::App;
use diag::firmware::Firmware;
use diag::handlers::Handlers;
use diag::runtime::Output;
use diag::session::Reference;
use diag::sink::{Format, Sink};
use diag::symbols::Symbols;
use retire::elf::Program;
use retire::image::Image;
use retire::{DataEvent, FlowEvent, Note, RetireSink};
use sim::diag::chip::ChipParams;
use sim::diag::packet::{Args, Event, Outbox};
use sim::diag::processor::node::start;
use sim::diag::processor::recording::{Recorded, WATCHDOG_INTERRUPT};
use sim::diag::processor::ring_processor::RingProcessor;
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::scheme::inputs::replay::Replay;
use sim::stimulus::{rounds, Source};

const HARTS: u8 = 4;
const WATCHDOG: u32 = 1 << 16;

/// A run with cycles that are `.1` times shorter, so that events come faster than a chip takes them.
struct Faster<'a, S>(&'a mut S, u64);

impl<S: RetireSink> RetireSink for Faster<'_, S> {
    const WANTS_DATA: bool = S::WANTS_DATA;

    fn event(&mut self, event: &FlowEvent) {
        self.0.event(&FlowEvent { cycle: event.cycle / self.1, ..*event });
    }

    fn data(&mut self, data: &DataEvent) {
        self.0.data(&DataEvent { cycle: data.cycle / self.1, ..*data });
    }
}

struct Run {
    info: &'static programs::ProgramInfo,
    symbols: Symbols,
}

impl Run {
    fn of(name: &str) -> Self {
        let info = programs::find(name).unwrap();
        Self { info, symbols: Symbols::parse(info.elf).unwrap() }
    }

    fn image(&self) -> Image {
        Image::new(&self.info.load().unwrap())
    }

    fn report_to(&self, sink: &mut impl RetireSink) {
        let config = MachineConfig { harts: HARTS, ..MachineConfig::default() };
        let mut machine = Machine::new(&self.info.load().unwrap(), config).unwrap();
        machine.run(sink, Limits { instructions: 3_000_000, ..Limits::default() }).unwrap();
    }

    fn lines(&self, outputs: &[Output]) -> Vec<String> {
        let mut text = Vec::new();
        let mut sink = Sink::new(&mut text, Format::Text, &self.symbols, 50_000_000).unwrap();
        outputs.iter().for_each(|o| sink.put(o).unwrap());
        String::from_utf8(text).unwrap().lines().map(str::to_string).collect()
    }

    /// What a script prints without losses.
    fn script(&self, text: &str) -> Vec<String> {
        let items = diag::parse::parse(text).unwrap();
        let app = diag::resolve::resolve(&items, &self.symbols, 50_000_000).unwrap();
        let params = ChipParams::new(HARTS);
        let layout = diag::layout::layout(&app, &params.nodes, &diag::layout::Cut::host(&app)).unwrap();
        let mut reference = Reference::new(&app, &layout, HARTS, self.image()).unwrap();
        self.report_to(&mut reference);
        reference.finish().unwrap();
        self.lines(&reference.runtime().take_outputs())
    }

    /// What a program prints without a chip, and on one, and the number of events lost on the chip.
    fn program(&self, name: &str) -> (Vec<String>, Vec<String>, u64) {
        let firmware = Firmware::parse(programs::handlers(name).unwrap()).unwrap();
        let items = diag::parse::parse(&firmware.script()).unwrap();
        let app = diag::resolve::resolve(&items, &self.symbols, 50_000_000).unwrap();
        let mut alone = Handlers::alone(&firmware, &app, HARTS, self.image(), WATCHDOG).unwrap();
        self.report_to(&mut alone);
        alone.finish().unwrap();
        let params = ChipParams { link_bits: 48_000_000, clock_hz: 50_000_000 * 64, ..ChipParams::new(HARTS) };
        let (chip, lost) = self.on(&firmware, &app, params, (1, false));
        assert_eq!(alone.totals().lost(), 0);
        (self.lines(&alone.take_outputs()), chip, lost)
    }

    /// What it prints on a chip with its handlers there, or on the host behind it (`of.1`), for a run that is `of.0`
    /// times faster, and the number of lost events.
    fn on(&self, firmware: &Firmware, app: &App, params: ChipParams, of: (u64, bool)) -> (Vec<String>, u64) {
        let place = if of.1 { Handlers::on_host } else { Handlers::on_chip };
        let mut chip = place(firmware, app, params, self.image(), WATCHDOG).unwrap();
        self.report_to(&mut Faster(&mut chip, of.0));
        chip.finish().unwrap();
        let totals = chip.totals();
        assert_eq!(totals.reported, totals.lost(), "every loss is reported");
        (self.lines(&chip.take_outputs()), totals.lost())
    }
}

#[test]
fn the_race_check_in_c_finds_the_races_of_the_script() {
    let bank = Run::of("bank");
    let script = "txn account { open call:get_balance(arg0) close ret:set_balance(arg0) }
        violation:account { printf(\"race: %d while %d owns\", key, owner); }";
    let want = bank.script(script);
    let (alone, _, _) = bank.program("race");
    assert!(want.len() > 100, "{} races", want.len());
    assert_eq!(alone, want);
}

#[test]
fn the_lock_profile_in_c_is_that_of_the_script() {
    let run = Run::of("lockcont");
    let table = run.script("ret:mutex_lock { @locks[arg0] = stats(elapsed); }");
    let mut want: Vec<Vec<String>> = table[1..]
        .iter()
        .map(|l| l.split_whitespace().map(str::to_string).collect::<Vec<_>>())
        .map(|w| vec![w[0].clone(), w[1].clone(), w[2].clone(), w[5].clone()])
        .collect();
    let (alone, chip, lost) = run.program("locks");
    let rows = |lines: &[String]| {
        let words = |l: &String| l.replace([':', ','], " ").split_whitespace().map(str::to_string).collect::<Vec<_>>();
        let mut rows: Vec<Vec<String>> =
            lines.iter().map(words).map(|w| vec![w[0].clone(), w[2].clone(), w[4].clone(), w[6].clone()]).collect();
        rows.sort();
        rows
    };
    want.sort();
    assert!(want.len() > 3, "{want:?}");
    assert_eq!(rows(&alone), want);
    assert_eq!((rows(&chip), lost), (want, 0));
}

/// A handler sees in its slot that events were lost before: of hold times, only those that happened are printed.
#[test]
fn hold_times_with_losses_are_those_of_the_lossless_run() {
    let run = Run::of("lockcont");
    let firmware = Firmware::parse(programs::handlers("held").unwrap()).unwrap();
    let items = diag::parse::parse(&firmware.script()).unwrap();
    let app = diag::resolve::resolve(&items, &run.symbols, 50_000_000).unwrap();
    for (faster, host, link) in [(40, false, 1), (1, true, 4), (1, true, 6), (1, true, 8)] {
        let mut alone = Handlers::alone(&firmware, &app, HARTS, run.image(), WATCHDOG).unwrap();
        run.report_to(&mut Faster(&mut alone, faster));
        alone.finish().unwrap();
        let mut all = run.lines(&alone.take_outputs());
        all.sort();
        // events for the host leave by a slow link
        let params = ChipParams { link_bits: link * 1_000_000, ..ChipParams::new(HARTS) };
        let (lines, lost) = run.on(&firmware, &app, params, (faster, host));
        let invented: Vec<&String> = lines.iter().filter(|l| all.binary_search(l).is_err()).collect();
        println!("{faster} times, on the host {host}: {} of {} lines, {lost} lost", lines.len(), all.len());
        assert!(lost > 100 && lines.len() > 2 && lines.len() < all.len(), "{lost} lost, {} lines", lines.len());
        assert!(invented.is_empty(), "{} of {} lines: {:?}", invented.len(), lines.len(), invented.first());
    }
}

/// Replays a recording of the processor; returns the instructions, and whether each interrupt was of the watchdog.
fn replayed(program: &Program, recorded: &Recorded) -> (u64, Vec<bool>, Replay) {
    /// Counts instructions, and keeps interrupts.
    #[derive(Default)]
    struct Seen(u64, Vec<bool>);
    impl RetireSink for Seen {
        const WANTS_DATA: bool = true;
        fn event(&mut self, event: &FlowEvent) {
            self.0 += u64::from(event.count);
        }
        fn note(&mut self, _: u8, note: &Note) {
            if let Note::Interrupt { cause, .. } = note {
                self.1.push(*cause == WATCHDOG_INTERRUPT);
            }
        }
    }
    let mut replay = Replay::new(&recorded.params, program, recorded.words.clone()).unwrap().unwrap();
    let mut seen = Seen::default();
    replay.run(&mut seen, |_| false).unwrap();
    (seen.0, seen.1, replay)
}

/// Replay of a recording executes what the processor did, handlers that were aborted included.
#[test]
fn recordings_of_the_processor_replay() {
    let run = Run::of("lockcont");
    let (mut aborts, mut instructions) = (0, 0);
    for (name, watchdog, on_chip) in
        [("locks", WATCHDOG, true), ("held", WATCHDOG, false), ("locks", 64, true), ("held", 128, false)]
    {
        let firmware = Firmware::parse(programs::handlers(name).unwrap()).unwrap();
        let items = diag::parse::parse(&firmware.script()).unwrap();
        let app = diag::resolve::resolve(&items, &run.symbols, 50_000_000).unwrap();
        let start = |record: bool| {
            let params = ChipParams { link_bits: 48_000_000, ..ChipParams::new(HARTS) };
            let mut handlers = match on_chip {
                true => Handlers::on_chip(&firmware, &app, params, run.image(), watchdog),
                false => Handlers::alone(&firmware, &app, HARTS, run.image(), watchdog),
            }
            .unwrap();
            if record {
                handlers.record().unwrap();
            }
            run.report_to(&mut handlers);
            handlers.finish().unwrap();
            handlers
        };
        let (mut plain, mut handlers) = (start(false), start(true));
        // a recording changes nothing
        let lines = run.lines(&handlers.take_outputs());
        assert_eq!(lines, run.lines(&plain.take_outputs()), "{name} {watchdog}");
        assert!(plain.recorded().is_none());
        let memory = handlers.memory().to_vec();
        let recorded = handlers.recorded().unwrap();
        let (found, interrupts, replay) = replayed(&firmware.program, &recorded);
        assert_eq!(found, recorded.stats.instructions, "{name} {watchdog}");
        assert!(replay.memory(0, memory.len()) == Some(&memory[..]), "{name} {watchdog}: memory");
        // each abort is in the output, too
        assert_eq!(interrupts.len(), lines.iter().filter(|l| l.contains("took too long")).count(), "{name} {watchdog}");
        assert!(interrupts.iter().all(|of_watchdog| *of_watchdog));
        (aborts, instructions) = (aborts + interrupts.len(), instructions + found);
        println!(
            "{name}, watchdog {watchdog}: {found} instructions, {} aborts, {} bits",
            interrupts.len(),
            recorded.stats.bits
        );
    }
    assert!(aborts > 100 && instructions > 100_000, "{aborts} aborts, {instructions} instructions");
}

/// Recordings with faults of all kinds, endless handlers and full slots replay.
#[test]
fn recordings_of_faults_replay() {
    let program = Program::parse(programs::handlers("chaos").unwrap()).unwrap();
    let mut source = Source::seeded(37);
    for round in 0..rounds(20, 2_000) {
        let mut processor = RingProcessor::default();
        let watchdog = source.below(4) as u16 + 1;
        let image: Vec<u8> = program.segments.iter().flat_map(|s| s.data.clone()).collect();
        processor.set(&start(&image, watchdog));
        processor.processor_mut().record(&program).unwrap();
        let mut out = Outbox::new();
        for _ in 0..source.below(300) {
            let args: Vec<u32> = (0..source.below(7)).map(|_| source.bits(32) as u32).collect();
            let time = (source.below(2) == 0).then(|| source.bits(32) as u32);
            let event = Event {
                id: source.below(5) as u8,
                core: source.below(16) as u8,
                // all of it is more than a packet holds
                lost: if time.is_some() && args.len() == 6 { 0 } else { source.below(3) as u16 },
                time,
                args: Args::of(&args),
                ..Event::default()
            };
            processor.handle((source.below(30) > 0).then_some(&event), &mut out);
        }
        let memory = processor.processor().ram().to_vec();
        let aborts = usize::from(processor.processor().trips());
        let recorded = processor.processor_mut().recorded().unwrap();
        let (found, interrupts, replay) = replayed(&program, &recorded);
        assert_eq!((found, interrupts.len()), (recorded.stats.instructions, aborts), "round {round}");
        assert!(replay.memory(0, memory.len()) == Some(&memory[..]), "round {round}: memory");
    }
}

/// The time of an event is in its slot even if the handler does not name it.
#[test]
fn events_of_handlers_have_the_time() {
    let run = Run::of("bank");
    let firmware = Firmware::parse(programs::handlers("race").unwrap()).unwrap();
    assert!(firmware.handlers.iter().all(|h| !h.fields.contains("time")));
    let items = diag::parse::parse(&firmware.script()).unwrap();
    let app = diag::resolve::resolve(&items, &run.symbols, 50_000_000).unwrap();
    assert!(!app.uses.is_empty() && app.uses.iter().all(|u| u.stamped));
    let mut alone = Handlers::alone(&firmware, &app, HARTS, run.image(), WATCHDOG).unwrap();
    run.report_to(&mut alone);
    alone.finish().unwrap();
    // a message has the time of its event
    let time = |o: &Output| match o {
        Output::Text { time, .. } | Output::Table { time, .. } => *time,
    };
    let times: Vec<u64> = alone.take_outputs().iter().map(time).collect();
    assert!(times.len() > 100 && times[0] > 0 && times.windows(2).all(|t| t[0] <= t[1]), "{:?}", &times[..3]);
}

#[test]
fn what_is_no_program_for_it_is_refused() {
    let refused = |elf: &[u8]| Firmware::parse(elf).unwrap_err();
    let bank = programs::find("bank").unwrap();
    assert!(refused(bank.elf).starts_with("is built with the C extension; the diagnosis processor has RV32I"));
    assert!(refused(bank.soc.rv32i).contains("the diagnosis processor has 4096 bytes of memory"));
    assert!(refused(b"\x7fELF").starts_with("not an ELF file"));
    // ELF machine 62 instead of 243
    let mut other = programs::handlers("race").unwrap().to_vec();
    other[18] = 62;
    assert!(refused(&other).starts_with("ELF machine is"), "{}", refused(&other));
    // a handler that is not a function: changes the address in the first probe
    let race = programs::handlers("race").unwrap();
    let place = race.windows(16).position(|w| w == b"call:get_balance").unwrap() - 4;
    let mut moved = race.to_vec();
    moved[place] ^= 4;
    assert!(refused(&moved).starts_with("handler 0, of `call:get_balance`, is at 0x"), "{}", refused(&moved));
}
