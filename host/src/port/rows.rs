//! A log of a port as rows: the values of its signals at each rising edge of the clock
//!
//! **Waveforms** (VCD, FST, GHW) are read with `wellen`. Values are sampled as the core's flip-flops do: just before
//! the edge. **Text** has a line of signal names, then a line per cycle with a hexadecimal value for each name,
//! separated by blanks or commas; `x` is unknown, `#` starts a comment. Columns that are not signals of the port are
//! ignored, except for `cycle`, which names the location.

use super::signals::PortKind;
use crate::HostError;
use retire::file::input::{self, Input};
use std::io::{BufRead, BufReader, Read};
use std::panic::{catch_unwind, set_hook, take_hook, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use wellen::simple::Waveform;
use wellen::{Hierarchy, SignalRef, SignalValueRef};

/// The value of a signal; `None`: some of its bits are unknown.
pub type Value = Option<u64>;

/// Receiver of a row: how the log names its cycle, and the values in the order of the port's signals.
pub type TakeRow<'a> = dyn FnMut(&dyn Fn() -> String, &[Value]) + 'a;

/// Options for reading a log.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Use only signals below this scope of the hierarchy, such as `top.core`.
    pub scope: Option<String>,
    /// Signals with other names: `rvfi_valid` and `top.core.valid_o`.
    pub names: Vec<(String, String)>,
    /// The clock: its hierarchical name.
    pub clock: Option<String>,
}

/// Usual names of a clock.
const CLOCKS: [&str; 6] = ["clock", "clk", "clk_i", "clock_i", "aclk", "i_clk"];

/// Maximum length of a line of text, bytes.
const LINE: u64 = 1 << 16;

/// An open log of a trace port, read row by row.
pub enum Rows {
    /// A waveform.
    Wave(Box<Wave>),
    /// Lines of text.
    Text(Text),
}

fn other(path: &Path, what: impl std::fmt::Display) -> HostError {
    HostError::Other(format!("{}: {what}", path.display()))
}

/// What `read` returns. `wellen` panics at some damaged files, also in threads of its own, so that the panic hook of the process is
/// silent while it reads.
fn caught<T>(path: &Path, read: impl FnOnce() -> T) -> Result<T, HostError> {
    let hook = take_hook();
    set_hook(Box::new(|_| ()));
    let result = catch_unwind(AssertUnwindSafe(read));
    set_hook(hook);
    result.map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        other(path, format_args!("is a damaged waveform: {}", text.unwrap_or("it cannot be read")))
    })
}

/// Whether a file starts like a waveform: with the first command of a VCD, the header block of an FST or its compressed
/// form, or the name of GHW.
fn is_wave(head: &[u8]) -> bool {
    let fst = [0, 0, 0, 0, 0, 0, 0, 1, 0x49];
    head.trim_ascii_start().starts_with(b"$")
        || head.starts_with(&fst)
        || head.starts_with(b"GHDLwave")
        || head.first() == Some(&0xfe)
}

impl Rows {
    /// Opens a log and finds the signals of `port` in it.
    ///
    /// # Errors
    /// The log cannot be read, or lacks a required signal.
    pub fn open(path: &Path, port: PortKind, options: &Options) -> Result<Self, HostError> {
        let head = input::head(path, 4096)?;
        let text = head.iter().all(|b| matches!(b, b'\t' | b'\n' | b'\r' | 0x20..=0x7e));
        if text && !head.trim_ascii_start().starts_with(b"$") {
            return Text::open(path, port, options).map(Self::Text);
        }
        if !is_wave(&head) {
            return Err(other(path, "is neither a waveform (VCD, FST, GHW) nor text"));
        }
        caught(path, || Wave::open(path, port, options))?.map(|w| Self::Wave(Box::new(w)))
    }

    /// Passes each cycle's row to `take`: how the log names the cycle, and the values in the order of the port's
    /// signals.
    ///
    /// # Errors
    /// The rest of the log cannot be read.
    pub fn each(self, take: &mut TakeRow<'_>) -> Result<(), HostError> {
        match self {
            Self::Wave(wave) => {
                wave.each(take);
                Ok(())
            }
            Self::Text(text) => text.each(take),
        }
    }
}

/// The signals of a port in a waveform.
pub struct Wave {
    wave: Waveform,
    clock: SignalRef,
    columns: Vec<Result<SignalRef, u64>>,
    /// Time unit of the log: factor and exponent, in seconds.
    unit: Option<(u32, i8)>,
}

/// A time in the largest unit in which it is at least 1, exactly.
fn time_text(time: u64, factor: u32, exponent: i8) -> String {
    const UNITS: [(&str, i8); 6] = [("s", 0), ("ms", -3), ("us", -6), ("ns", -9), ("ps", -12), ("fs", -15)];
    let value = u128::from(time) * u128::from(factor);
    for (unit, own) in UNITS {
        let shift = i32::from(own) - i32::from(exponent);
        let scale = 10u128.pow(shift.unsigned_abs());
        if shift <= 0 {
            return format!("{} {unit}", value * scale);
        }
        if value >= scale {
            let fraction = format!("{:0width$}", value % scale, width = shift as usize);
            let fraction = fraction.trim_end_matches('0');
            let dot = if fraction.is_empty() { "" } else { "." };
            return format!("{}{dot}{fraction} {unit}", value / scale);
        }
    }
    format!("{value} x 10^{exponent} s")
}

/// Whether `full` is `name`, or its last part is, with or without the suffix of a direction.
fn is_named(full: &str, name: &str) -> bool {
    let last = full.rsplit('.').next().unwrap_or(full);
    full == name || last == name || last.strip_suffix("_i").or(last.strip_suffix("_o")) == Some(name)
}

/// As [`is_named`], for the port of core 0 of a trace system, whose signals have the number of the core: `rvfi_insn_0`.
fn is_of_core_0(full: &str, name: &str) -> bool {
    full.strip_suffix("_0").is_some_and(|full| is_named(full, name))
}

/// The variable of this path, or the only one whose path ends so.
fn find_path(
    hierarchy: &Hierarchy,
    scope: Option<&str>,
    path: &str,
) -> Result<Option<(SignalRef, String)>, Vec<String>> {
    match find(hierarchy, None, |full| full == path)? {
        Some(found) => Ok(Some(found)),
        None => find(hierarchy, scope, |full| full.strip_suffix(path).is_some_and(|rest| rest.ends_with('.'))),
    }
}

/// The signal of a port: in the scope itself with its own name or that of core 0, else anywhere below.
fn find_signal(
    hierarchy: &Hierarchy,
    scope: Option<&str>,
    name: &str,
) -> Result<Option<(SignalRef, String)>, Vec<String>> {
    let direct = |full: &str| full.rsplit_once('.').map(|(parent, _)| parent) == scope;
    let named: [&dyn Fn(&str) -> bool; 4] = [
        &|full| direct(full) && is_named(full, name),
        &|full| direct(full) && is_of_core_0(full, name),
        &|full| is_named(full, name),
        &|full| is_of_core_0(full, name),
    ];
    for is in named {
        if let Some(found) = find(hierarchy, scope, is)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Paths that a user who names `name` may mean: their last part contains that of `name`. At most three, after a colon; empty if there is none.
fn similar(hierarchy: &Hierarchy, name: &str) -> String {
    let last = |path: &str| path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let wanted = last(name);
    let all = hierarchy.all_vars().map(|var| hierarchy[var].full_name(hierarchy));
    let shown: Vec<String> = all.filter(|full| last(full).contains(&wanted)).take(3).collect();
    if shown.is_empty() {
        String::new()
    } else {
        format!(" (the log has {})", shown.join(", "))
    }
}

/// The only variable of `hierarchy` that `is` accepts.
fn find(
    hierarchy: &Hierarchy,
    scope: Option<&str>,
    is: impl Fn(&str) -> bool,
) -> Result<Option<(SignalRef, String)>, Vec<String>> {
    let mut found: Vec<(SignalRef, String)> = Vec::new();
    for var in hierarchy.all_vars() {
        let var = &hierarchy[var];
        let full = var.full_name(hierarchy);
        let inside = scope.is_none_or(|s| full.strip_prefix(s).is_some_and(|rest| rest.starts_with('.')));
        // a signal that passes several levels has a name at each
        if inside && is(&full) && found.iter().all(|(signal, _)| *signal != var.signal_ref()) {
            found.push((var.signal_ref(), full));
        }
    }
    // a signal of the scope itself, rather than one of a module in it
    let direct = |full: &str| full.rsplit_once('.').map(|(parent, _)| parent) == scope;
    if found.iter().filter(|(_, full)| direct(full)).count() == 1 {
        found.retain(|(_, full)| direct(full));
    }
    match found.len() {
        0 | 1 => Ok(found.pop()),
        _ => Err(found.into_iter().map(|(_, full)| full).collect()),
    }
}

impl Wave {
    fn open(path: &Path, port: PortKind, options: &Options) -> Result<Self, HostError> {
        let read = match input::is_pipe(path)? {
            true => wellen::simple::read_from_reader(BufReader::new(input::open(path)?)),
            // with all available threads
            false => wellen::simple::read(input::path_of(path)),
        };
        // some messages of `wellen` have two lines
        let mut wave = read.map_err(|e| {
            let text = e.to_string().lines().map(str::trim).collect::<Vec<_>>().join(" ");
            other(path, format_args!("is a damaged or incomplete waveform: {text}"))
        })?;
        let hierarchy = wave.hierarchy();
        let scope = options.scope.as_deref();
        let several = |what: &str, all: Vec<String>| {
            let shown = all.iter().take(6).map(String::as_str).collect::<Vec<_>>().join(", ");
            other(path, format_args!("{} signals are called {what}: {shown}; --scope or --signal names one", all.len()))
        };
        let mut columns = Vec::new();
        let mut place = None;
        for signal in port.signals() {
            let own = options.names.iter().find(|(name, _)| name == signal.name).map(|(_, own)| own.as_str());
            let named = match own {
                Some(own) => find_path(hierarchy, scope, own),
                None => find_signal(hierarchy, scope, signal.name),
            };
            columns.push(match (named.map_err(|all| several(signal.name, all))?, signal.without) {
                (Some((signal, full)), _) => {
                    place.get_or_insert(full);
                    Ok(signal)
                }
                (None, Some(value)) if own.is_none() => Err(value),
                (None, _) => {
                    let (name, below) = (own.unwrap_or(signal.name), scope.map(|s| format!(" below {s}")).unwrap_or_default());
                    let similar = similar(hierarchy, name);
                    return Err(other(path, format_args!("no signal {name}{below}{similar}; `--scope` gives the path of the port, `--signal {}=PATH` the name of a signal", signal.name)));
                }
            });
        }
        let clock = match &options.clock {
            Some(clock) => find_path(hierarchy, None, clock).map_err(|all| several(clock, all))?,
            None => {
                // the one in the port's own scope, or in the nearest enclosing scope
                let mut around = place.as_deref().unwrap_or_default();
                loop {
                    let Some((parent, _)) = around.rsplit_once('.') else { break None };
                    around = parent;
                    let here = |full: &str| {
                        full.rsplit_once('.').is_some_and(|(p, name)| p == around && CLOCKS.contains(&name))
                    };
                    if let Some(found) = find(hierarchy, None, here).map_err(|all| several("a clock", all))? {
                        break Some(found);
                    }
                }
            }
        };
        let Some((clock, _)) = clock else {
            let name = options.clock.as_deref().map_or_else(|| CLOCKS.join(", "), str::to_owned);
            let similar = options.clock.as_deref().map_or_else(String::new, |clock| similar(hierarchy, clock));
            return Err(other(
                path,
                format_args!("no clock (looked for {name}){similar}; `--clock` gives the path of its signal"),
            ));
        };
        let unit = hierarchy.timescale().and_then(|t| Some((t.factor, t.unit.to_exponent()?)));
        let all: Vec<SignalRef> = columns.iter().flatten().copied().chain([clock]).collect();
        wave.load_signals(&all);
        Ok(Self { wave, clock, columns, unit })
    }

    fn each(self, take: &mut TakeRow<'_>) {
        let times = self.wave.time_table();
        let Some(clock) = self.wave.get_signal(self.clock) else { return };
        let mut cursors: Vec<_> = self
            .columns
            .iter()
            .map(|c| match c {
                Ok(signal) => (None, self.wave.get_signal(*signal).map(|s| s.iter_changes().peekable())),
                Err(value) => (Some(*value), None),
            })
            .collect();
        let mut row = vec![None; cursors.len()];
        let (mut low, mut cycle) = (false, 0u64);
        for (edge, value) in clock.iter_changes() {
            let high = number(&value) == Some(1);
            let rises = std::mem::replace(&mut low, !high) && high;
            if !rises {
                continue;
            }
            for ((now, changes), out) in cursors.iter_mut().zip(&mut row) {
                while let Some((_, value)) = changes.as_mut().and_then(|c| c.next_if(|(at, _)| *at < edge)) {
                    *now = number(&value);
                }
                *out = *now;
            }
            let time = times.get(edge as usize).copied().unwrap_or(0);
            let unit = self.unit;
            let at = || {
                let time = unit.map_or_else(|| time.to_string(), |(factor, e)| time_text(time, factor, e));
                format!("clock {cycle}, time {time}")
            };
            take(&at, &row);
            cycle += 1;
        }
    }
}

/// A value as a number; `None` if a bit is unknown, or if it exceeds 64 bits.
fn number(value: &SignalValueRef<'_>) -> Value {
    let bits = value.to_bit_string()?;
    let bits = bits.trim_start_matches('0');
    if bits.is_empty() {
        return Some(0);
    }
    u64::from_str_radix(bits, 2).ok()
}

/// A log that is a text table.
pub struct Text {
    path: PathBuf,
    lines: std::io::Take<BufReader<Input>>,
    line: u64,
    columns: Vec<Result<usize, u64>>,
    cycle: Option<usize>,
    width: usize,
}

impl Text {
    fn open(path: &Path, port: PortKind, options: &Options) -> Result<Self, HostError> {
        let lines = BufReader::new(input::open(path)?).take(LINE);
        let mut text = Self { path: path.to_path_buf(), lines, line: 0, columns: Vec::new(), cycle: None, width: 0 };
        let Some(heading) = text.next()? else { return Err(other(path, "is empty; expected a line of signal names")) };
        let names: Vec<&str> = fields(&heading).collect();
        text.width = names.len();
        text.cycle = names.iter().position(|n| *n == "cycle");
        for signal in port.signals() {
            let own = options.names.iter().find(|(name, _)| name == signal.name).map_or(signal.name, |(_, own)| own);
            text.columns.push(match (names.iter().position(|n| is_named(n, own)), signal.without) {
                (Some(column), _) => Ok(column),
                (None, Some(value)) => Err(value),
                (None, None) => {
                    return Err(other(path, format_args!("line {}: no column {own}; expected the names of the port's signals in the first line, found {heading:?}", text.line)));
                }
            });
        }
        Ok(text)
    }

    /// The next line with content.
    fn next(&mut self) -> Result<Option<String>, HostError> {
        loop {
            let mut line = String::new();
            self.lines.set_limit(LINE);
            let n = self.lines.read_line(&mut line).map_err(|e| HostError::io(&self.path, e))?;
            if n == 0 {
                return Ok(None);
            }
            self.line += 1;
            if n as u64 == LINE {
                return Err(other(&self.path, format_args!("line {}: longer than {LINE} bytes", self.line)));
            }
            let said = line.split('#').next().unwrap_or_default().trim();
            if !said.is_empty() {
                return Ok(Some(said.to_string()));
            }
        }
    }

    fn each(mut self, take: &mut TakeRow<'_>) -> Result<(), HostError> {
        let mut row = Vec::new();
        while let Some(line) = self.next()? {
            let cells: Vec<&str> = fields(&line).collect();
            let wrong = |what: String| Err(other(&self.path, format_args!("line {}: {what}", self.line)));
            if cells.len() != self.width {
                return wrong(format!("{} values; the heading names {}", cells.len(), self.width));
            }
            row.clear();
            for column in &self.columns {
                row.push(match column {
                    Err(value) => Some(*value),
                    Ok(i) => {
                        let cell = cells[*i];
                        let digits = cell.strip_prefix("0x").unwrap_or(cell);
                        if digits.bytes().any(|b| matches!(b, b'x' | b'X' | b'z' | b'Z')) {
                            None
                        } else {
                            match u64::from_str_radix(digits, 16) {
                                Ok(value) => Some(value),
                                Err(_) => return wrong(format!("`{cell}` is not a hexadecimal value")),
                            }
                        }
                    }
                });
            }
            let line = self.line;
            let cycle = self.cycle.map(|i| cells[i]);
            let at = || cycle.map_or_else(|| format!("line {line}"), |c| format!("line {line}, cycle {c}"));
            take(&at, &row);
        }
        Ok(())
    }
}

/// Words separated by blanks and commas.
fn fields(line: &str) -> impl Iterator<Item = &str> {
    line.split([' ', '\t', ',']).filter(|s| !s.is_empty())
}
