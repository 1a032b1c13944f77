//! Patches of a kernel as text: `perf script --show-text-poke-events`
//!
//! # Source
//! Linux, tools/perf/util/event.c, `perf_event__fprintf_text_poke`:
//! ```text
//! swapper     0 [000]  4159.541000: PERF_RECORD_TEXT_POKE  ffffffff80003010 f+0x10 old len 4 new len 4
//!             Old bytes: 13 00 00 00
//!             New bytes: 6f 00 c0 00
//! ```

use super::{Patch, Patches};

/// The word that such a record has.
pub(super) const RECORD: &str = "PERF_RECORD_TEXT_POKE";

/// Nanoseconds of a time in seconds, with up to nine digits after the point.
pub fn seconds(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    if !digits(whole) || !digits(part) || part.len() > 9 {
        return None;
    }
    let part: u64 = format!("{part:0<9}").parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(1_000_000_000)?.checked_add(part)
}

pub(super) fn parse(text: &str) -> Result<Patches, String> {
    let mut patches = Patches::default();
    let mut lengths = (0, 0);
    for (line, number) in text.lines().zip(1u64..) {
        let wrong = |what: &str| format!("line {number}: {what}");
        if let Some((before, after)) = line.split_once(RECORD) {
            check(&patches, lengths).map_err(|e| wrong(&e))?;
            let addr = after.split_whitespace().next().map(|word| word.strip_prefix("0x").unwrap_or(word));
            let addr = addr.and_then(|addr| u64::from_str_radix(addr, 16).ok());
            let addr = addr.ok_or_else(|| wrong("a patch has no address"))?;
            let length = |of: &str| after.split_once(of)?.1.split_whitespace().next()?.parse::<usize>().ok();
            let found = length("old len ").zip(length("new len "));
            lengths = found.ok_or_else(|| wrong("a patch does not say `old len N new len N`"))?;
            let time = before.split_whitespace().rev().find_map(|word| seconds(word.strip_suffix(':')?));
            patches.changes.push(Patch { time, addr, ..Patch::default() });
        } else if let Some((which, bytes)) = line.trim_start().split_once(" bytes:") {
            let Some(patch) = patches.changes.last_mut() else { continue };
            let bytes = bytes.split_whitespace().map(|byte| u8::from_str_radix(byte, 16));
            let bytes: Vec<u8> = bytes.collect::<Result<_, _>>().map_err(|_| wrong("these are not bytes"))?;
            match which {
                "Old" => patch.before.extend(bytes),
                "New" => patch.after.extend(bytes),
                _ => {}
            }
        }
    }
    check(&patches, lengths).map_err(|e| format!("the last patch: {e}"))?;
    Ok(patches)
}

/// Checks that the last patch has all its bytes.
fn check(patches: &Patches, lengths: (usize, usize)) -> Result<(), String> {
    let Some(last) = patches.changes.last() else { return Ok(()) };
    let found = (last.before.len(), last.after.len());
    if last.addr.checked_add(found.0.max(found.1) as u64).is_none() {
        return Err(format!("the patch at 0x{:x} lies past the last address", last.addr));
    }
    match found == lengths {
        true => Ok(()),
        false => Err(format!(
            "the patch at 0x{:x} has {} old and {} new bytes, expected {} and {}",
            last.addr, found.0, found.1, lengths.0, lengths.1
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
 perf  1463 [000]  4159.541000002: PERF_RECORD_TEXT_POKE  ffffffff80003010 f+0x10 old len 4 new len 4
            Old bytes: 13 00 00 00
            New bytes: 6f 00 c0 00
 a b  7 [001]     4160.5: cycles: 80000000
 PERF_RECORD_TEXT_POKE 10 old len 0 new len 17
            New bytes: 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f
            New bytes: 10
";

    #[test]
    fn patches_have_their_time_and_bytes() {
        let patches = parse(TEXT).unwrap().changes;
        let nop = Patch {
            time: Some(4_159_541_000_002),
            addr: 0xffff_ffff_8000_3010,
            before: vec![0x13, 0, 0, 0],
            after: vec![0x6f, 0, 0xc0, 0],
        };
        assert_eq!(patches, [nop, Patch { addr: 0x10, after: (0..17).collect(), ..Patch::default() }]);
    }

    #[test]
    fn a_patch_without_all_its_bytes_is_refused() {
        let cut = TEXT.replace("            New bytes: 10\n", "");
        let why = "the last patch: the patch at 0x10 has 0 old and 16 new bytes, expected 0 and 17";
        assert_eq!(parse(&cut).unwrap_err(), why);
        assert!(parse(&TEXT.replace("6f", "xx")).unwrap_err().starts_with("line 3: "));
    }

    #[test]
    fn times_are_in_nanoseconds() {
        assert_eq!(seconds("1.5"), Some(1_500_000_000));
        assert_eq!(seconds("2"), Some(2_000_000_000));
        assert_eq!([".5", "1.", "1.0000000001", "x", "-1"].map(seconds), [None; 5]);
    }
}
