//! Faults in files

use sim::stimulus::Source;

/// A file with one fault.
pub fn damaged(good: &[u8], s: &mut Source) -> Vec<u8> {
    let mut data = good.to_vec();
    if data.is_empty() {
        return data;
    }
    let mut at = s.below(data.len() as u64) as usize;
    let some = (s.between(1, 64) as usize).min(data.len() - at);
    match s.below(7) {
        0 => data.truncate(at),
        1 => data[at] ^= 1 << s.below(8),
        2 => data[at..at + some].fill([0, 0x80, 0xff][s.below(3) as usize]),
        3 => drop(data.drain(at..at + some)),
        4 => drop(data.splice(at..at, good[at..at + some].to_vec())),
        // what a file says of itself is mostly at its beginning
        5 => data[at % 64 % good.len()] = s.below(256) as u8,
        _ => {
            while at < data.len() && !data[at].is_ascii_digit() {
                at += 1;
            }
            let end = data[at..].iter().position(|b| !b.is_ascii_digit()).map_or(data.len(), |len| at + len);
            let number = [b"99999999999999999999999".as_slice(), b"-1", b"4294967295", b""][s.below(4) as usize];
            drop(data.splice(at..end, number.to_vec()));
        }
    }
    data
}
