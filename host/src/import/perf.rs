//! Importer of what `perf script` prints of Intel PT and of branch stacks (LBR)
//!
//! | line | printed by |
//! | --- | --- |
//! | `prog 12/12 [000] 1.5: 1 branches:uH: call 401126 main+0x4 (prog) => 401200 f+0x0 (prog)` | `--itrace=b -F +flags` |
//! | `prog 12 1.5: 0x401126/0x401200/P/-/-/3/CALL/- ...`, the most recent branch first | `-F brstack` |
//!
//! Fields that are not needed may be there or not, in the order in which perf prints them; all other lines are skipped.
//!
//! # Missing information
//! Only taken branches are printed. A run that passes a conditional branch which is taken elsewhere did not take it; one that is
//! never taken is not seen. Neither the instructions of a run are counted nor their lengths known: a run has one for each four
//! bytes. A call or jump with several targets is indirect. Where tracing is off (`tr end` to `tr strt`), between branch
//! stacks, and where perf lost data, a trap leads to the next place, unless the hart goes on where it was.
//!
//! # Source
//! Linux, `tools/perf/builtin-script.c` (`perf_sample__fprintf_bts`, `perf_sample__fprintf_brstack`),
//! `tools/perf/util/trace-event-scripting.c` (`perf_sample__sprintf_flags`), `tools/perf/util/branch.c` (`branch_type_name`).

use super::packed::Unpacked;
use super::survey::{Survey, CONDITIONAL_LEN, MAX_INSTRUCTION_LEN};
use super::Sink;
use crate::HostError;
use retire::file::rbt1::Record;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// Bytes per instruction where only addresses are known.
const BYTES_PER_INSTRUCTION: u64 = 4;
/// Maximum number of bytes from the target of a branch to the next one; more is a gap.
const MAX_RUN: u64 = 1 << 16;
/// Length of a system call instruction.
const SYSTEM_LEN: u64 = 2;

/// What changes the flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// A branch of this `rbt1` kind: 1 conditional, 2 jump, 3 call, 4 and 5 the indirect ones, 6 return, 8 return from a trap.
    Branch(u8),
    /// A conditional branch that is not taken.
    NotTaken,
    /// An instruction that enters the kernel.
    System,
    /// An interrupt, before the instruction.
    Interrupt,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    /// `what` at `from`, to `to`.
    Flow { what: What, from: u64, to: u64 },
    /// Tracing begins at `to`.
    Start { to: u64 },
    /// Tracing ends before the instruction at `from`, or with it.
    End { what: Option<What>, from: u64, to: u64 },
    /// What precedes and what follows do not adjoin.
    Gap,
}

/// The kind named by perf's flags, as in `jcc` or `jcc/miss,not_taken/`.
fn named(word: &str) -> Option<What> {
    let (name, events) = word.split_once('/').unwrap_or((word, ""));
    Some(match name {
        "jcc" if events.contains("not_taken") => What::NotTaken,
        "jcc" => What::Branch(1),
        "jmp" => What::Branch(2),
        "call" => What::Branch(3),
        "return" => What::Branch(6),
        "iret" | "sysret" => What::Branch(8),
        "syscall" | "int" => What::System,
        "async" | "vmexit" | "vmentry" => What::Interrupt,
        _ => return None,
    })
}

/// Flags at the start of `words`, and the words after them; the inner options are the state of tracing and the kind.
fn flags<'a, 'b>(words: &'a [&'b str]) -> Option<(Option<bool>, Option<What>, &'a [&'b str])> {
    let (tracing, rest) = match words {
        ["tr", "strt", rest @ ..] => (Some(true), rest),
        ["tr", "end", rest @ ..] => (Some(false), rest),
        _ => (None, words),
    };
    let (what, rest) = match rest {
        ["hw", "int", rest @ ..] | ["tx", "abrt", rest @ ..] => (Some(What::Interrupt), rest),
        [word, after @ ..] => named(word).map_or((None, rest), |what| (Some(what), after)),
        [] => (None, rest),
    };
    // in a transaction, interrupts disabled
    let rest = match rest {
        [word, rest @ ..] if word.starts_with('(') => rest,
        _ => rest,
    };
    (tracing.is_some() || what.is_some()).then_some((tracing, what, rest))
}

fn hex(word: &str) -> Option<u64> {
    u64::from_str_radix(word.strip_prefix("0x").unwrap_or(word), 16).ok()
}

/// Index of the first word after the time, if there is one.
fn after_time(words: &[&str]) -> Option<usize> {
    let is_time = |w: &&str| {
        let parts = w.strip_suffix(':').and_then(|w| w.split_once('.'));
        parts.is_some_and(|(a, b)| [a, b].iter().all(|d| !d.is_empty() && d.bytes().all(|c| c.is_ascii_digit())))
    };
    words.iter().position(is_time).map(|at| at + 1)
}

/// The thread: the last number before the time, `TID` or `PID/TID`.
fn thread(words: &[&str]) -> u64 {
    let before = &words[..after_time(words).map_or(0, |at| at - 1)];
    let word = before.iter().rev().find(|w| !w.starts_with('['));
    word.and_then(|w| w.rsplit('/').next()).and_then(|w| w.parse().ok()).unwrap_or(0)
}

/// The event of a line of `--itrace=b`.
fn branch(left: &[&str], right: &str) -> Result<Event, String> {
    let place = "is not as `perf script --itrace=b -F +flags,+addr` prints a branch";
    let to = right.split_whitespace().next().and_then(hex).ok_or(place)?;
    let start = after_time(left).unwrap_or(0);
    // a period and the name of the event may precede the flags
    let found = (start..left.len().min(start + 4)).find_map(|at| flags(&left[at..]));
    let Some((tracing, what, rest)) = found else {
        return Err(format!("has no flags of the branch, such as `call`: {place}"));
    };
    let from = rest.first().copied().and_then(hex).ok_or(place)?;
    Ok(match (tracing, what) {
        (Some(true), _) => Event::Start { to },
        (Some(false), what) => Event::End { what, from, to },
        (None, Some(what)) => Event::Flow { what, from, to },
        (None, None) => return Err(place.into()),
    })
}

/// A branch of a branch stack, `FROM/TO/EVENT/INTX/ABORT/CYCLES/TYPE/SPEC`.
fn entry(word: &str) -> Option<Result<Event, String>> {
    let fields: Vec<&str> = word.split('/').collect();
    let [from, to, event, _, _, _, kind @ ..] = &fields[..] else { return None };
    let (from, to) = (from.strip_prefix("0x").and_then(hex)?, to.strip_prefix("0x").and_then(hex)?);
    let what = match kind.first().copied().unwrap_or_default() {
        "COND" if event.contains('N') => What::NotTaken,
        "COND" | "COND_CALL" => What::Branch(1),
        "UNCOND" => What::Branch(2),
        "CALL" => What::Branch(3),
        "IND" | "COND_RET" => What::Branch(4),
        "IND_CALL" => What::Branch(5),
        "RET" => What::Branch(6),
        "SYSRET" | "ERET" => What::Branch(8),
        "SYSCALL" => What::System,
        "IRQ" | "SERROR" | "NO_TX" => What::Interrupt,
        other => {
            return Some(Err(format!(
                "branch `{word}` has the type `{other}`; expected one such as COND or CALL, which `perf record -j any,save_type` \
                 records"
            )))
        }
    };
    Some(Ok(Event::Flow { what, from, to }))
}

/// Whether a line shows branches.
pub(super) fn is_line(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let shown = events(line, &mut |_, _| {}) == Ok(true);
    shown || text.contains(" branches:") || text.split_whitespace().any(|word| entry(word).is_some())
}

/// Passes the events of a line; `false` if it has none.
fn events(line: &[u8], take: &mut dyn FnMut(u64, Event)) -> Result<bool, String> {
    let text = String::from_utf8_lossy(line);
    if text.trim_start().starts_with('#') {
        return Ok(false);
    }
    if let Some((left, right)) = text.split_once("=>") {
        let left: Vec<&str> = left.split_whitespace().collect();
        take(thread(&left), branch(&left, right)?);
        return Ok(true);
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.starts_with(&["instruction", "trace", "error"]) {
        let tid = words.iter().position(|w| *w == "tid").and_then(|at| words.get(at + 1)).and_then(|w| w.parse().ok());
        take(tid.unwrap_or(0), Event::Gap);
        return Ok(true);
    }
    let found = words.iter().rev().filter_map(|w| entry(w)).collect::<Result<Vec<_>, _>>()?;
    if found.is_empty() {
        return Ok(false);
    }
    let thread = thread(&words);
    take(thread, Event::Gap);
    found.into_iter().for_each(|e| take(thread, e));
    Ok(true)
}

/// What a text has.
const WHAT: &str = "a branch, as `perf script --itrace=b` and `-F brstack` print them";

fn read(mut input: Unpacked, take: &mut dyn FnMut(u64, Event)) -> Result<(), HostError> {
    let (mut line, mut known) = (Vec::new(), false);
    while input.log_line(&mut line, known, WHAT)? {
        known |= events(&line, take).map_err(|e| input.wrong_line(&e))?;
    }
    match known {
        true => Ok(()),
        false => Err(input.wrong_line(&format!("the file ends without {WHAT}"))),
    }
}

/// Position of a thread.
#[derive(Clone, Copy, Debug, Default)]
struct Hart {
    /// Address of the next instruction; `None` before the first event.
    at: Option<u64>,
    /// Instructions since the last record.
    count: u32,
    /// Tracing ended at `at`, after the instruction there (`true`) or before it.
    off: Option<bool>,
}

struct Writer<'a> {
    survey: Survey,
    conditionals: BTreeSet<u64>,
    threads: HashMap<u64, u16>,
    harts: Vec<Hart>,
    not_taken: u64,
    traps: u64,
    gaps: u64,
    sink: Sink<'a>,
}

impl Writer<'_> {
    fn record(&mut self, hart: usize, kind: u8, len: u8, pc: u64, target: u64) {
        let count = std::mem::take(&mut self.harts[hart].count);
        (self.sink)(&Record { kind, len, thread: hart as u16, count, pc, target });
    }

    /// The hart goes on at `to` although `at` would be next.
    fn trap(&mut self, hart: usize, at: u64, to: u64) {
        self.traps += 1;
        self.record(hart, 7, 1, at, to);
    }

    /// Executes up to `to`, without the instruction there.
    fn run(&mut self, hart: usize, to: u64) {
        let Some(mut at) = self.harts[hart].at.replace(to) else {
            return self.record(hart, 7, 0, to, to);
        };
        if to.wrapping_sub(at) > MAX_RUN {
            return self.trap(hart, at, to);
        }
        let passed: Vec<u64> = self.conditionals.range(at..to).copied().collect();
        for pc in passed {
            // an address inside the branch before it is of other code at this place
            if self.survey.many(pc) || pc < at || to - pc < CONDITIONAL_LEN.into() {
                continue;
            }
            let next = pc + u64::from(CONDITIONAL_LEN);
            self.harts[hart].count += ((pc - at) / BYTES_PER_INSTRUCTION + 1) as u32;
            self.not_taken += 1;
            self.record(hart, 0, CONDITIONAL_LEN, pc, next);
            at = next;
        }
        self.harts[hart].count += ((to - at) / BYTES_PER_INSTRUCTION) as u32;
    }

    fn flow(&mut self, hart: usize, what: What, from: u64, to: u64) {
        self.run(hart, from);
        let next = match what {
            What::Branch(kind) => {
                let (kind, len) = self.survey.kind_and_len(from, kind);
                self.harts[hart].count += 1;
                self.record(hart, kind, len, from, to);
                to
            }
            What::NotTaken if self.survey.many(from) => {
                let next = from.wrapping_add(BYTES_PER_INSTRUCTION);
                self.harts[hart].count += 1;
                self.record(hart, 4, BYTES_PER_INSTRUCTION as u8, from, next);
                next
            }
            What::NotTaken => {
                let next = from.wrapping_add(CONDITIONAL_LEN.into());
                self.harts[hart].count += 1;
                self.record(hart, 0, CONDITIONAL_LEN, from, next);
                next
            }
            What::System => {
                self.harts[hart].count += 1;
                self.record(hart, 7, 1, from.wrapping_add(SYSTEM_LEN), to);
                to
            }
            What::Interrupt => {
                self.record(hart, 7, 1, from, to);
                to
            }
        };
        self.harts[hart].at = Some(next);
    }

    fn take(&mut self, thread: u64, event: Event) {
        let next = self.threads.len().min(usize::from(u16::MAX)) as u16;
        let hart = usize::from(*self.threads.entry(thread).or_insert(next));
        if hart == self.harts.len() {
            self.harts.push(Hart::default());
        }
        match event {
            Event::Flow { what, from, to } => {
                if let Some(executed) = self.harts[hart].off.take() {
                    self.resume(hart, executed, from);
                }
                self.flow(hart, what, from, to);
            }
            Event::End { what: Some(what @ (What::Branch(_) | What::NotTaken)), from, to } if to != 0 => {
                self.flow(hart, what, from, to);
                self.harts[hart].off = Some(false);
            }
            Event::End { what, from, .. } => {
                self.run(hart, from);
                let executed = !matches!(what, None | Some(What::Interrupt));
                self.harts[hart].count += u32::from(executed);
                self.harts[hart].off = Some(executed);
            }
            Event::Start { to } => {
                let executed = self.harts[hart].off.take().unwrap_or(false);
                self.resume(hart, executed, to);
            }
            Event::Gap => {
                self.gaps += u64::from(self.harts[hart].at.is_some());
                self.harts[hart].off.get_or_insert(false);
            }
        }
    }

    /// The hart goes on at `to`, after its last instruction (`executed`) or before it.
    fn resume(&mut self, hart: usize, executed: bool, to: u64) {
        match self.harts[hart].at.replace(to) {
            None => self.record(hart, 7, 0, to, to),
            Some(at) if at == to && !executed => {}
            Some(at) if executed && (1..=MAX_INSTRUCTION_LEN).contains(&to.wrapping_sub(at)) => {}
            Some(at) => self.trap(hart, if executed { at.wrapping_add(SYSTEM_LEN) } else { at }, to),
        }
    }

    /// Each hart stops where it is.
    fn end(&mut self) {
        for hart in 0..self.harts.len() {
            let Hart { at, off, .. } = self.harts[hart];
            let Some(at) = at else { continue };
            let at = if off == Some(true) { at.wrapping_add(SYSTEM_LEN) } else { at };
            self.record(hart, 7, 0, at, at);
        }
    }
}

/// Passes the records of the text to `sink`; returns notes.
pub(super) fn convert(path: &Path, input: Unpacked, sink: Sink<'_>) -> Result<Vec<String>, HostError> {
    let (mut survey, mut conditionals) = (Survey::default(), BTreeSet::new());
    read(input, &mut |_, event| {
        if let Event::Flow { what, from, to } | Event::End { what: Some(what), from, to } = event {
            match what {
                What::Branch(kind) if to != 0 => {
                    survey.branch(from, kind, Some(to));
                    if kind == 1 {
                        conditionals.insert(from);
                    }
                }
                What::NotTaken => survey.branch(from, 1, None),
                What::Branch(_) | What::System | What::Interrupt => {}
            }
        }
    })?;
    let (threads, harts) = (HashMap::new(), Vec::new());
    let mut writer = Writer { survey, conditionals, threads, harts, not_taken: 0, traps: 0, gaps: 0, sink };
    read(Unpacked::open(path)?, &mut |thread, event| writer.take(thread, event))?;
    writer.end();
    let mut notes = vec![format!(
        "one instruction for each {BYTES_PER_INSTRUCTION} bytes between branches, which perf does not count; conditional \
         branches that are never taken are not seen"
    )];
    let mut counted = |n, what: &str| super::note(&mut notes, n, what);
    counted(writer.not_taken, "passed conditional branches, imported as not taken");
    counted(writer.traps, "discontinuities, imported as traps");
    counted(writer.gaps, "branch stacks or errors of perf, each of which begins at another place");
    Ok(notes)
}

#[cfg(test)]
mod tests {
    use super::super::text::{converted, of};
    use super::*;

    fn records(text: &str) -> Result<(Vec<Record>, Vec<String>), String> {
        converted(text, |path, input, sink| convert(path, input, sink))
    }

    #[test]
    fn taken_branches_are_the_records_worked_by_hand() {
        // a loop of 0x401000 to 0x401010: taken twice, then passed; a call and its return; a system call
        let text = "# a comment\n\
            prog  7/7  [000] 12.000000001:   1 branches:uH:   tr strt                 0 [unknown] (x) =>   401000 main+0x0 (p)\n\
            prog  7/7  [000] 12.000000002:   1 branches:uH:   jcc                401010 main+0x10 (p) =>   401000 main+0x0 (p)\n\
            prog  7/7  [000] 12.000000003:   1 branches:uH:   jcc   (x)          401010 main+0x10 (p) =>   401000 main+0x0 (p)\n\
            prog  7/7  [000] 12.000000004:   1 branches:uH:   call               401020 main+0x20 (p) =>   402000 f::g(int, call)+0x0 (p)\n\
            prog  7/7  [000] 12.000000005:   1 branches:uH:   return             402008 f::g(int, call)+0x8 (p) =>   401025 main+0x25 (p)\n\
            prog  7/7  [000] 12.000000006:   1 branches:uH:   tr end  syscall    40102d main+0x2d (p) =>        0 [unknown] ([unknown])\n\
            prog  7/7  [000] 12.000000007:   1 branches:uH:   tr strt                 0 [unknown] (x) =>   40102f main+0x2f (p)\n\
            prog  7/7  [000] 12.000000008:   1 branches:uH:   jmp                401037 main+0x37 (p) =>   401000 main+0x0 (p)\n";
        let want = [
            of(0, 7, 0, 0, 0x40_1000, 0x40_1000),
            of(0, 1, 2, 5, 0x40_1010, 0x40_1000),
            of(0, 1, 2, 5, 0x40_1010, 0x40_1000),
            of(0, 0, 2, 5, 0x40_1010, 0x40_1012),
            of(0, 3, 5, 4, 0x40_1020, 0x40_2000),
            of(0, 6, 4, 3, 0x40_2008, 0x40_1025),
            // two before the system call, itself, two and the jump
            of(0, 2, 4, 6, 0x40_1037, 0x40_1000),
            of(0, 7, 0, 0, 0x40_1000, 0x40_1000),
        ];
        let (found, notes) = records(text).unwrap();
        assert_eq!(found, want);
        assert!(notes[1].starts_with("1 passed conditional"), "{notes:?}");
        // fewer fields
        let mut few = String::new();
        for line in text.lines().skip(1) {
            let flags = line.split("branches:uH:").nth(1).unwrap();
            few += &format!("  12.5:  {flags}\n");
        }
        assert_eq!(records(&few).unwrap().0, want);
    }

    #[test]
    fn interrupts_and_other_threads() {
        let text = "a 1/1 1.0: branches: tr strt 0 [unknown] => 1000 f\n\
            a 1/2 1.1: branches: tr strt 0 [unknown] => 2000 f\n\
            a 1/1 1.2: branches: hw int 1008 f => ffff8000 irq\n\
            a 1/1 1.3: branches: iret ffff8010 irq => 1008 f\n\
            a 1/2 1.4: branches: tr end  async 2004 f => 0 [unknown]\n\
            a 1/2 1.5: branches: tr strt 0 [unknown] => 3000 handler\n\
            a 1/2 1.6: branches: jcc/miss,not_taken/ 3000 handler => 3002 handler\n";
        let want = [
            of(0, 7, 0, 0, 0x1000, 0x1000),
            of(1, 7, 0, 0, 0x2000, 0x2000),
            of(0, 7, 1, 2, 0x1008, 0xffff_8000),
            of(0, 8, 4, 5, 0xffff_8010, 0x1008),
            of(1, 7, 1, 1, 0x2004, 0x3000),
            of(1, 0, 2, 1, 0x3000, 0x3002),
            of(0, 7, 0, 0, 0x1008, 0x1008),
            of(1, 7, 0, 0, 0x3002, 0x3002),
        ];
        assert_eq!(records(text).unwrap().0, want);
    }

    #[test]
    fn branch_stacks_have_the_latest_branch_first() {
        let text =
            "prog 7 1.5: 0x1010/0x1000/P/-/-/3/COND/- 0x2000/0x1008/P/-/-/1/RET/- 0x1004/0x2000/M/-/-/0/CALL/-\n\
            prog 7 1.6:  0x5000/0x6000/P/-/-/3/IND/-\n";
        let (found, notes) = records(text).unwrap();
        let want = [
            of(0, 7, 0, 0, 0x1004, 0x1004),
            of(0, 3, 4, 1, 0x1004, 0x2000),
            of(0, 6, 4, 1, 0x2000, 0x1008),
            of(0, 1, 2, 3, 0x1010, 0x1000),
            of(0, 7, 1, 0, 0x1000, 0x5000),
            of(0, 4, 4, 1, 0x5000, 0x6000),
            of(0, 7, 0, 0, 0x6000, 0x6000),
        ];
        assert_eq!(found, want);
        assert!(notes.iter().any(|n| n.starts_with("1 branch stacks")), "{notes:?}");
        let e = records("prog 7 1.5: 0x1010/0x1000/P/-/-/3//-\n").unwrap_err();
        assert!(
            e.contains("line 1: branch `0x1010/0x1000/P/-/-/3//-` has the type ``; expected one such as COND"),
            "{e}"
        );
    }

    #[test]
    fn other_lines_are_refused_or_skipped() {
        let e = records("p 7/7 1.5:  1 branches:uH:  401000 main (p) => 402000 f (p)\n").unwrap_err();
        assert!(e.contains("line 1: has no flags of the branch"), "{e}");
        assert!(records("p 7/7 1.5: cycles: 401000 main\n").unwrap_err().contains("ends without a branch"));
        assert!(records("p 7/7 1.5: jmp 401000 => 4020").unwrap_err().contains("line 1: the file ends inside it"));
    }
}
