//! Diagnosis: scripts, frames of a link, logs of such frames

use diag::app::App;
use diag::layout::{layout, Cut, Layout};
use diag::link::FrameWriter;
use diag::log::{self, End, Header, Log};
use diag::parse::parse;
use diag::resolve::resolve;
use diag::scripts::SCRIPTS;
use diag::symbols::Symbols;
use diag::Mistake;
use sim::diag::chip::ChipParams;
use sim::diag::packet::{Args, Event, Packet, HOST};
use sim::stimulus::Source;
use std::sync::LazyLock;

const CLOCK_HZ: u64 = 50_000_000;

/// A script that uses most of what there is.
const ALL: &str = "txn t { open call:lock(arg0) close ret:unlock(arg0) }\nviolation:t { printf(\"%d %-5d\", key, owner); }\n\
    span s { from call:lock(arg1) to call:unlock(arg1) }\nspan:s /elapsed > 100/ { @waits[key] = stats(elapsed); @h = hist(elapsed); }\n\
    machine m by arg0 { a: call:lock -> b; b: ret:lock -> a, pc:main -> b; }\nviolation:m { @bad[state] = count(); }\n\
    log g { keep call:lock(arg1), pc:main dump ret:unlock(arg0) }\nlog:g { printf(\"%d: %d %d on %d\", time, step, key, core); }\n\
    call:lock /arg0 < 4/ { @n = count(); @sizes = quantiles(arg1); @two[arg0, probe] = sum((int8) arg1 - 3); }\n\
    write:balance { $x = value > 3 ? line : \"low\"; if (value == 5) { @by[$x]++; exit(); } else { delete(@by[func]); } }\n\
    BEGIN { @limit = 3; @limit += 1; } tick:1000cycles { print(@n, 3); clear(@n); } tick:3000cycles { @l = lhist(time, -5, 5, 2); }\n";

thread_local! {
    static SYMBOLS: Symbols = {
        let program = programs::find("bank").expect("the program is there");
        Symbols::parse(program.elf).expect("it has symbols")
    };
}

fn resolved(script: &str) -> Result<App, Mistake> {
    let items = parse(script)?;
    SYMBOLS.with(|symbols| resolve(&items, symbols, CLOCK_HZ))
}

fn app(script: &str) -> Option<App> {
    resolved(script).ok()
}

fn on_host(app: &App) -> Result<Layout, String> {
    // a chip with one node of each kind: ticks need one
    layout(app, &ChipParams::new(4).nodes, &Cut::host(app))
}

/// Reads a script and lays it out.
pub(crate) fn script(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match resolved(&text) {
        Ok(app) => drop(on_host(&app).is_ok()),
        Err(e) => drop(e.in_script("x.dx", &text).to_string()),
    }
}

/// Scripts that come with the repository.
pub(crate) fn script_seeds() -> Vec<Vec<u8>> {
    SCRIPTS.iter().map(|s| s.1).chain([ALL]).map(|text| text.as_bytes().to_vec()).collect()
}

static RUNNING: LazyLock<(App, Layout, Header)> = LazyLock::new(|| {
    let app = app(ALL).expect("the script is right");
    let layout = on_host(&app).expect("the host runs every script");
    let cut = Cut::host(&app);
    let header = Header {
        script: ALL.into(),
        cut,
        cores: 4,
        clock_hz: CLOCK_HZ,
        lite: false,
        unordered: false,
        masters: 0,
        clocked: 0,
    };
    (app, layout, header)
});

/// Frames as they arrive; and the same bytes as words of packets, in frames that are right.
pub(crate) fn frames(data: &[u8]) {
    let (app, layout, header) = &*RUNNING;
    let end = Some(End { cycles: 1_000, ..End::default() });
    let log =
        |frames| log::replay(app, layout, &Log { header: header.clone(), frames, end: end.clone(), intact: true });
    log(data);
    let mut writer = FrameWriter::default();
    let mut frames = Vec::new();
    let mut words = data.chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]]));
    while let Some(length) = words.next() {
        let packet: Vec<u16> = words.by_ref().take(usize::from(length % 40)).collect();
        if let Ok(packet) = Packet::parse(&packet) {
            frames.extend(writer.frame(&packet));
        }
    }
    log(&frames);
}

fn packets() -> Vec<Packet> {
    let mut s = Source::seeded(1);
    let event = |s: &mut Source| {
        let args: Vec<u32> = (0..s.below(4)).map(|_| s.bits(8) as u32).collect();
        let (id, time) = (s.bits(4) as u8, Some(s.bits(20) as u32));
        Packet::event(1, HOST, Event { id, args: Args::of(&args), time, ..Event::default() })
    };
    (0..60).map(|_| event(&mut s)).collect()
}

/// Events of many ids, as frames and as packets.
pub(crate) fn frames_seeds() -> Vec<Vec<u8>> {
    let mut writer = FrameWriter::default();
    let frames = packets().iter().flat_map(|p| writer.frame(p)).collect();
    let words: Vec<u16> =
        packets().iter().map(Packet::to_words).flat_map(|w| [vec![w.len() as u16], w].concat()).collect();
    vec![frames, words.into_iter().flat_map(u16::to_le_bytes).collect()]
}

/// Reads a log and prints it again.
pub(crate) fn log(data: &[u8]) {
    let Ok(log) = log::read(data) else { return };
    let Some(app) = app(&log.header.script).filter(|app| log::fits(&log.header.cut, app)) else { return };
    if let Ok(layout) = on_host(&app) {
        log::replay(&app, &layout, &log);
    }
}

/// A log of those events.
pub(crate) fn log_seeds() -> Vec<Vec<u8>> {
    let mut writer = FrameWriter::default();
    let frames: Vec<u8> = packets().iter().flat_map(|p| writer.frame(p)).collect();
    let end = End { cycles: 1_000, frames: 60, lost: 0, unreported: vec![Default::default(); 5] };
    vec![log::write(&RUNNING.2, &frames, &end)]
}
