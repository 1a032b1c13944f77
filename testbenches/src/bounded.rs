//! Bounded proofs that a change of emitted Verilog cannot be seen at the outputs of a module
//!
//! Two copies of the module around a change, with all that is in them, get the same inputs, which are free but for one cycle of reset at the
//! beginning. The solver looks for a run from power-up of a number of cycles in which an output differs after reset. If there is one, the
//! module around it is tried: that restricts what comes in. A proof counts only if there is a run in which every output of the
//! module has changed by half of the cycles, so that the module does something in the time that is looked at. Modules with memories are not tried:
//! the solver needs minutes for each cycle of them.
//!
//! A register or wire that becomes one bit narrower is the same if induction shows that the bit is never set ([`never_set`]).

use crate::formal::{Engine, FormalError, Proof, ProofResult};
use std::time::Duration;

/// A module of the text: its name, and its lines.
fn modules(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut all: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("module ") {
            all.push((rest.split([' ', '(']).next().unwrap_or(rest), Vec::new()));
        }
        if let Some(module) = all.last_mut() {
            module.1.push(line);
        }
    }
    all
}

/// The module that contains `line` (from 1), then the one around it, and so on, as long as there is exactly one.
pub fn around(text: &str, line: usize) -> Vec<String> {
    let all = modules(text);
    let before = text.lines().take(line).filter_map(|l| l.strip_prefix("module "));
    let Some(mut name) = before.last().and_then(|l| l.split([' ', '(']).next()) else { return Vec::new() };
    let mut found = vec![name.to_string()];
    loop {
        let instance = [format!("{name} u_"), format!("{name} #(")];
        let has = |line: &&str| instance.iter().any(|i| line.trim_start().starts_with(i.as_str()));
        let parents: Vec<&str> = all.iter().filter(|(_, lines)| lines.iter().any(&has)).map(|m| m.0).collect();
        let [parent] = parents[..] else { return found };
        found.push(parent.to_string());
        name = parent;
    }
}

/// A port of a module.
struct Port {
    input: bool,
    /// `[7:0] `, or nothing.
    range: String,
    name: String,
}

/// The ports in the header of a module without parameters.
fn ports(lines: &[&str]) -> Option<Vec<Port>> {
    let header = lines.iter().take_while(|l| l.trim() != ");").skip(1);
    header
        .map(|line| {
            let mut words = line.trim().trim_end_matches(',').split_whitespace();
            let input = match words.next()? {
                "input" => true,
                "output" => false,
                _ => return None,
            };
            let mut rest: Vec<&str> = words.filter(|w| *w != "wire" && *w != "reg").collect();
            let name = rest.pop()?.to_string();
            let range: String = rest.iter().map(|r| format!("{r} ")).collect();
            (!range.contains(|c: char| c.is_ascii_uppercase())).then_some(Port { input, range, name })
        })
        .collect()
}

/// The text with `prefix` before the name of each module.
fn copy(text: &str, names: &[&str], prefix: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines().filter(|l| !l.trim_start().starts_with("//")) {
        let code = line.strip_prefix("module ").unwrap_or(line.trim_start());
        let before = &line[..line.len() - code.len()];
        let own = names.contains(&code.split([' ', '(']).next().unwrap_or_default());
        out.push_str(&format!("{before}{}{code}\n", if own { prefix } else { "" }));
    }
    out
}

/// Whether `module` contains a memory, at any depth.
fn has_memory(all: &[(&str, Vec<&str>)], module: &str) -> bool {
    let Some((_, lines)) = all.iter().find(|m| m.0 == module) else { return false };
    let first = |line: &&str| line.trim_start().split(' ').next().unwrap_or_default().to_string();
    let children: Vec<String> =
        lines.iter().skip(1).map(first).filter(|w| all.iter().any(|m| m.0 == w.as_str())).collect();
    lines.iter().any(|l| l.trim_start().starts_with("reg ") && l.contains(" [0:"))
        || children.iter().any(|c| has_memory(all, c))
}

/// Both copies of `module` around shared inputs.
fn pair(old: &str, new: &str, module: &str) -> Option<String> {
    let all = modules(old);
    let names: Vec<&str> = all.iter().map(|m| m.0).collect();
    let ports = ports(&all.iter().find(|m| m.0 == module)?.1)?;
    let mut text = copy(old, &names, "old_") + &copy(new, &names, "new_");
    let inputs: Vec<&Port> = ports.iter().filter(|p| p.input).collect();
    let outputs: Vec<&Port> = ports.iter().filter(|p| !p.input).collect();
    let clock = inputs.iter().any(|p| p.name == "clock");
    if !clock || outputs.is_empty() {
        return None;
    }
    let header: Vec<String> = inputs.iter().map(|p| format!("input {}{}", p.range, p.name)).collect();
    text += &format!("module top({});\n", header.join(", "));
    for p in &outputs {
        text += &format!("wire {0}old_{1}, new_{1};\nreg {0}first_{1};\nreg seen_{1} = 0;\n", p.range, p.name);
    }
    for side in ["old_", "new_"] {
        let wired: Vec<String> = ports
            .iter()
            .map(|p| if p.input { format!(".{0}({0})", p.name) } else { format!(".{0}({side}{0})", p.name) })
            .collect();
        text += &format!("{side}{module} {side}u({});\n", wired.join(", "));
    }
    text += "reg [1:0] f_time = 0;\nalways @(posedge clock) begin\n    if (f_time != 2) f_time <= f_time + 1;\n";
    for p in &outputs {
        text += &format!(
            "    if (f_time == 1) first_{0} <= old_{0};\n    if (f_time == 2 && old_{0} != first_{0}) seen_{0} <= 1;\n",
            p.name
        );
    }
    text += "end\n";
    if inputs.iter().any(|p| p.name == "reset") {
        text += "always @(*) if (f_time == 0) assume(reset);\n";
    }
    for p in &outputs {
        text += &format!("always @(*) if (f_time != 0) same_{0}: assert(old_{0} == new_{0});\n", p.name);
    }
    let seen: Vec<String> = outputs.iter().map(|p| format!("seen_{}", p.name)).collect();
    Some(text + &format!("always @(*) all_move: cover({});\nendmodule\n", seen.join(" && ")))
}

/// The first module around `line` whose outputs are the same in `cycles` cycles in `old` and `new`, if there is one.
///
/// # Errors
/// A tool is missing.
pub fn same_outputs(
    old: &str,
    new: &str,
    line: usize,
    cycles: u32,
    limit: Duration,
) -> Result<Option<String>, FormalError> {
    let all = modules(old);
    for module in around(old, line) {
        if has_memory(&all, &module) {
            break;
        }
        let Some(text) = pair(old, new, &module) else { continue };
        let proof = Proof::new(text).within(limit);
        match proof.run(Engine::Bounded(cycles))? {
            ProofResult::Pass => {
                // an outer module does less in the same time
                let lives = proof.run(Engine::Cover(cycles / 2))? == ProofResult::Pass;
                return Ok(lives.then_some(module));
            }
            ProofResult::Fail(_) => {}
            ProofResult::Open => return Ok(None),
        }
    }
    Ok(None)
}

/// Whether induction shows that bit `bit` of `signal`, which is declared in `line`, is 0 from power-up on.
///
/// # Errors
/// A tool is missing.
pub fn never_set(text: &str, line: usize, signal: &str, bit: u32, limit: Duration) -> Result<bool, FormalError> {
    let Some(module) = around(text, line).into_iter().next() else { return Ok(false) };
    let mut out = String::with_capacity(text.len());
    let mut inside = false;
    for line in text.lines() {
        let begins = line.split([' ', '(']).nth(1) == Some(module.as_str()) && line.starts_with("module ");
        inside |= begins;
        if inside && line.starts_with("endmodule") {
            out.push_str(&format!("always @(*) never: assert(!{signal}[{bit}]);\n"));
            inside = false;
        }
        let rest = if begins { &line["module ".len() + module.len()..] } else { line };
        out.push_str(&format!("{}{rest}\n", if begins { "module top" } else { "" }));
    }
    Ok(Proof::new(out).within(limit).run(Engine::Induction(2))? == ProofResult::Pass)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// top\nmodule m (\n    input  wire       clock,\n    input  wire       reset,\n    input  wire       go,\n    \
        output wire [3:0] n\n);\n\n    wire go_2;\n    assign go_2 = go;\n\n    m_count u_count (\n        .clock(clock),\n        .reset(reset),\n        \
        .go(go_2),\n        .n(n)\n    );\nendmodule\n\n// counter\nmodule m_count (\n    input  wire       clock,\n    input  wire       reset,\n    \
        input  wire       go,\n    output wire [3:0] n\n);\n\n    reg  [3:0] at;\n    reg        spare;\n\n    assign n = at;\n\n    always @(posedge clock) begin\n        \
        spare <= go;\n        if (go) begin\n            at <= at + 4'd1;\n        end\n        if (reset) begin\n            at <= 4'd0;\n        end\n    \
        end\n\n    initial begin\n        at = 4'd0;\n        spare = 1'd0;\n    end\nendmodule\n";

    fn line(of: &str) -> usize {
        TEXT.lines().position(|l| l.contains(of)).unwrap() + 1
    }

    #[test]
    fn the_modules_around_a_line() {
        assert_eq!(around(TEXT, line("at + 4'd1")), ["m_count", "m"]);
        assert_eq!(around(TEXT, line("assign go_2")), ["m"]);
    }

    #[test]
    fn a_change_that_no_output_shows_is_proved_and_another_is_not() {
        let limit = Duration::from_secs(120);
        let same = |from: &str, to: &str| {
            same_outputs(TEXT, &TEXT.replace(from, to), line(from), 8, limit).expect("the tools are there")
        };
        assert_eq!(same("spare = 1'd0", "spare = 1'd1").as_deref(), Some("m_count"));
        assert_eq!(same("at + 4'd1", "at + 4'd2"), None);
    }

    #[test]
    fn a_bit_that_is_never_set_is_proved_and_another_is_not() {
        let text = TEXT.replace("at + 4'd1", "{1'd0, at[2:0]} & 4'd7");
        let never = |bit| {
            never_set(&text, line("reg  [3:0] at"), "at", bit, Duration::from_secs(120)).expect("the tools are there")
        };
        assert!(never(3));
        let never = |bit| {
            never_set(TEXT, line("reg  [3:0] at"), "at", bit, Duration::from_secs(120)).expect("the tools are there")
        };
        assert!(!never(3));
    }
}
