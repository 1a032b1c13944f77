//! Why a run ended, and where its harts are: as text and as JSON

use super::RAM_BEFORE;
use crate::locations::Locations;
use crate::output::{count, plural};
use host::fault::{cause_name, Fault};
use host::symbols::Area;
use host::views::loops::{Level, Loop, Position};
use host::views::usage::{Moment, Used};
use serde_json::json;

/// Functions and loops that are listed for a hart.
const LEVELS: usize = 6;

impl Locations {
    /// Description of a fault: exception, address, how the hart got there, and handler.
    pub fn lines(&self, f: &Fault) -> Vec<String> {
        let place = if f.instruction.is_some() { self.at(f.pc) } else { format!("pc 0x{:08x}", f.pc) };
        let mut lines = vec![format!(
            "hart {}: {} (cause {}) at {place}, after {}",
            f.hart,
            cause_name(f.cause),
            f.cause,
            plural(f.retired, "instruction")
        )];
        match (&f.instruction, f.address) {
            (Some(text), Some(address)) if f.ram.contains(&address) => {
                lines.push(format!("{text}: address 0x{address:08x}"));
            }
            (Some(text), Some(address)) => {
                let (start, end) = (f.ram.start, f.ram.end);
                lines.push(format!("{text}: address 0x{address:08x}; RAM is 0x{start:08x} to 0x{end:08x}"));
                if start == RAM_BEFORE {
                    lines.push("the ELF begins before 0x80000000, usually with its headers: link with -Wl,-N".into());
                }
            }
            (Some(text), None) => lines.push(text.clone()),
            (None, _) if f.cause == 1 => lines.push("there is no memory".into()),
            (None, _) => lines.push("there is no instruction of the program".into()),
        }
        lines.extend(
            f.read_only
                .as_ref()
                .map(|r| format!("the segment 0x{:08x} to 0x{:08x} is read-only (`--read-only`)", r.start, r.end)),
        );
        lines.extend(f.missing.clone());
        if matches!(f.cause, 5 | 7) && !f.ram.contains(&f.sp) && f.sp != 0 && f.sp != f.ram.end {
            let where_ = if f.sp < f.ram.start { "below" } else { "above" };
            lines.push(format!("stack overflow: the stack pointer, 0x{:08x}, is {where_} RAM", f.sp));
        }
        lines.extend(f.from.map(|from| format!("reached from {}", self.at(from))));
        lines.push(match f.handler {
            Some(handler) => format!("taken by the handler at {}", self.at(handler)),
            None => "mtvec names no handler that can run".into(),
        });
        if f.times > 1 {
            lines.push(format!("the last of {} exceptions of this hart", count(f.times)));
        }
        lines
    }

    pub fn json(&self, f: &Fault) -> serde_json::Value {
        let hex = |a: u64| format!("0x{a:08x}");
        json!({
            "hart": f.hart, "cause": f.cause, "name": cause_name(f.cause), "pc": hex(f.pc),
            "function": self.function(f.pc), "line": self.line(f.pc), "retired": f.retired,
            "instruction": f.instruction, "missing": f.missing, "sp": hex(f.sp), "address": f.address.map(hex), "read_only": f.read_only.is_some(), "from": f.from.map(hex),
            "handler": f.handler.map(hex), "exceptions": f.times,
        })
    }

    fn loop_text(&self, level: &Level, l: &Loop, retired: u64) -> String {
        let place = self.line(l.first).unwrap_or_else(|| format!("0x{:08x}", l.first));
        format!(
            "in the loop at {place} of {} since instruction {}: {} instructions, {} rounds",
            self.inlined(l.first).unwrap_or_else(|| level.function.clone()),
            count(l.since),
            count(retired - l.since),
            count(l.rounds)
        )
    }

    /// Where a hart is: place, loops and callers, the innermost first.
    pub fn position(&self, p: &Position) -> Vec<String> {
        let Some(pc) = p.pc else { return vec![format!("hart {}: has not retired an instruction", p.core)] };
        let waits = if p.waits { "waits in wfi at " } else { "" };
        let mut lines =
            vec![format!("hart {}: {waits}{}, after {}", p.core, self.at(pc), plural(p.retired, "instruction"))];
        if let Some(load) = p.load {
            lines.push(format!("the last load is of {}: 0x{:x}", self.address(load.addr), load.value));
        }
        for (depth, level) in p.levels.iter().enumerate() {
            if depth > 0 {
                lines.push(format!("called from {}", self.at(level.pc)));
            }
            lines.extend(level.loops.iter().map(|l| self.loop_text(level, l, p.retired)));
        }
        if lines.len() > LEVELS + 2 {
            let more = lines.len() - LEVELS - 1;
            lines.truncate(LEVELS + 1);
            lines.push(format!("{more} more lines; --json has all"));
        }
        lines
    }

    /// As [`Locations::position`].
    pub fn position_json(&self, p: &Position) -> serde_json::Value {
        let hex = |a: u64| format!("0x{a:08x}");
        let level = |l: &Level| {
            let loops: Vec<_> = l
                .loops
                .iter()
                .map(|at| {
                    json!({
                        "first": hex(at.first), "last": hex(at.last), "line": self.line(at.first),
                        "since": at.since, "rounds": at.rounds,
                    })
                })
                .collect();
            json!({ "function": l.function, "pc": hex(l.pc), "line": self.line(l.pc), "since": l.since, "loops": loops })
        };
        json!({
            "hart": p.core, "pc": p.pc.map(hex), "retired": p.retired, "waits": p.waits,
            "load": p.load.map(|l| json!({ "address": hex(l.addr), "object": self.objects.text(l.addr), "value": l.value })),
            "levels": p.levels.iter().map(level).collect::<Vec<_>>(),
        })
    }

    fn area(&self, area: &Area) -> String {
        match &area.name {
            Some(name) => format!("{name} (0x{:08x} to 0x{:08x})", area.range.start, area.range.end),
            None => "memory that no object of the program lies in".into(),
        }
    }

    /// A stack that was left.
    pub fn overflow(&self, stack: &Used) -> Option<String> {
        let (Moment { core, retired, pc, sp, .. }, into) = stack.overflow.as_ref()?;
        let from = match &stack.area.name {
            Some(_) => self.area(&stack.area),
            None => format!("the memory above 0x{:08x}", stack.area.range.start),
        };
        Some(format!(
            "hart {core}: the stack pointer, 0x{sp:08x}, left {from} for {} at {}, after {} instructions",
            self.area(into),
            self.at(*pc),
            count(*retired)
        ))
    }

    /// As [`Locations::overflow`].
    pub fn overflow_json(&self, stack: &Used) -> Option<serde_json::Value> {
        let (at, into) = stack.overflow.as_ref()?;
        let hex = |a: u64| format!("0x{a:08x}");
        Some(json!({
            "hart": at.core, "sp": hex(at.sp), "pc": hex(at.pc), "function": self.function(at.pc), "line": self.line(at.pc),
            "retired": at.retired, "stack": stack.area.name, "start": hex(stack.area.range.start), "into": into.name,
        }))
    }
}
