//! Frames of the host link, shared by circuits and host
//!
//! ```text
//! START  words (2 to 16)  sequence number  words, low byte first  CRC-16 of everything after START, low byte first
//! ```
//!
//! # Source
//! This project's; the checksum: CRC-16/KERMIT, ITU-T V.41, x^16 + x^12 + x^5 + 1, the lowest bit of a byte first, from
//! 0.

/// First byte of a frame.
pub const START: u8 = 0xd5;
/// Polynomial of the checksum, bit-reversed.
pub const POLYNOMIAL: u16 = 0x8408;
/// Overhead of a frame, bytes: start, length, sequence number, CRC-16.
pub const FRAME_BYTES: usize = 5;
/// Number of the last frames to the host that the chip keeps, to send them again.
pub const KEPT: u8 = 16;

/// The checksum of bytes.
pub fn checksum(bytes: &[u8]) -> u16 {
    let fold = |sum: u16, bit: u16| sum >> 1 ^ if (sum ^ bit) & 1 == 1 { POLYNOMIAL } else { 0 };
    bytes.iter().fold(0, |sum, b| (0..8).fold(sum, |sum, i| fold(sum, u16::from(*b) >> i)))
}

/// The frame of a packet's words.
pub fn encode(number: u8, words: &[u16]) -> Vec<u8> {
    let mut frame = vec![START, words.len() as u8, number];
    frame.extend(words.iter().flat_map(|w| w.to_le_bytes()));
    let sum = checksum(&frame[1..]);
    frame.extend(sum.to_le_bytes());
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_polynomial_gives_the_check_value_of_kermit() {
        assert_eq!(checksum(b"123456789"), 0x2189);
    }
}
