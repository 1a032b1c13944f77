//! Addresses and names of functions of a JIT compiler: `/tmp/perf-PID.map`
//!
//! # Source
//! Linux, tools/perf/Documentation/jit-interface.txt: lines of start, size and name, numbers in hexadecimal.

use super::Patches;

pub(super) fn parse(text: &str) -> Result<Patches, String> {
    let mut patches = Patches::default();
    for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
        let found = function(line).ok_or_else(|| {
            format!(
                "line {number}: found `{}`; expected a perf map (START SIZE NAME, in hexadecimal), perf.data, a jitdump or the text \
                 of `perf script --show-text-poke-events`",
                line.chars().take(40).collect::<String>()
            )
        })?;
        patches.names.push(found);
    }
    Ok(patches)
}

fn function(line: &str) -> Option<(std::ops::Range<u64>, String)> {
    let (start, rest) = line.trim_start().split_once(' ')?;
    let (size, name) = rest.trim_start().split_once(' ')?;
    let number = |text: &str| u64::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).ok();
    let start = number(start)?;
    Some((start..start.checked_add(number(size)?)?, name.trim().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_start_size_and_name() {
        let patches = parse("3f8000 1c LazyCompile:~add a.js:1\n0x10 0x20 f\n\n").unwrap();
        let names = [(0x3f_8000..0x3f_801c, "LazyCompile:~add a.js:1".to_string()), (0x10..0x30, "f".into())];
        assert_eq!((patches.names.as_slice(), patches.changes.len()), (&names[..], 0));
        assert!(parse("10 20 f\nx")
            .unwrap_err()
            .starts_with("line 2: found `x`; expected a perf map (START SIZE NAME"));
    }
}
