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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_polynomial_gives_the_check_value_of_kermit() {
        let fold = |sum: u16, bit: u16| sum >> 1 ^ if (sum ^ bit) & 1 == 1 { POLYNOMIAL } else { 0 };
        let sum = b"123456789".iter().fold(0, |sum, b| (0..8).fold(sum, |sum, i| fold(sum, u16::from(*b) >> i)));
        assert_eq!(sum, 0x2189);
    }
}
