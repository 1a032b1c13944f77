//! Frames of the SoC's serial line: trace words, console and exit code, with sequence numbers and checksums
//!
//! | byte | content |
//! | --- | --- |
//! | 0, 1 | `0x47 0x53` (`GS`) |
//! | 2 | bits 7:6 kind (0 trace, 1 console, 2 end, 3 response), 5:0 sequence number, common to all kinds |
//! | 3 | L, bytes of payload: 0 to 64; trace: a multiple of 4; end: 4 (exit code) or 0 (no exit); response: 8 |
//! | 4 .. 4+L | payload, words little-endian |
//! | 4+L, 5+L | CRC-16 (polynomial 0x1021, starts with 0xffff, not reflected) of bytes 2 to 3+L, low byte first |
//!
//! A frame with a wrong checksum is ignored: the search for the next one continues after its first byte. Sequence
//! numbers show that frames are missing between two others, unless 64 in a row are.
//!
//! In the other direction the host sends commands of 10 bytes: `GS`, 0 (read) or 1 (write), the address, 4 bytes of
//! data, and the checksum of bytes 2 to 7. Each is answered with a frame of two words: operation and address (bits 7:0
//! and 15:8), and the data read or written. One command at a time: the next may follow the response.

/// First two bytes of a frame.
pub const SYNC: [u8; 2] = *b"GS";
/// Address of the SoC's control register: bit 0 starts the cores, bit 1 stops them for good.
pub const CONTROL: u8 = 0x10;
/// Address of the SoC's status register: bit 0 started, 1 cores run, 2 the program has ended, 3 the trace has left.
pub const STATUS: u8 = 0x11;

/// The command that reads the register at `addr`, or writes `data` to it. Addresses 0 to 7 are those of
/// [`sim::regs`].
pub fn command(addr: u8, data: Option<u32>) -> [u8; 10] {
    let mut out = [SYNC[0], SYNC[1], u8::from(data.is_some()), addr, 0, 0, 0, 0, 0, 0];
    out[4..8].copy_from_slice(&data.unwrap_or(0).to_le_bytes());
    let crc = crc16(&out[2..8]);
    out[8..].copy_from_slice(&crc.to_le_bytes());
    out
}

/// Maximum number of payload bytes.
pub const MAX_PAYLOAD: usize = 64;

/// CRC-16 with polynomial 0x1021, from 0xffff, not reflected.
pub fn crc16(bytes: &[u8]) -> u16 {
    const CRC: crc::Crc<u16> = crc::Crc::<u16>::new(&crc::CRC_16_IBM_3740);
    CRC.checksum(bytes)
}

/// An item received on a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// Trace words.
    Words(Vec<u32>),
    /// Bytes that the program printed.
    Console(Vec<u8>),
    /// The SoC has ended; with the program's exit code if it exited.
    End(Option<u32>),
    /// The response to a command.
    Response {
        /// Whether it was a write.
        write: bool,
        /// Register.
        addr: u8,
        /// Data read or written.
        data: u32,
    },
    /// Frames are missing before the next item: this many, or more by a multiple of 64.
    Lost(u8),
}

/// Statistics of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineStats {
    /// Good frames.
    pub frames: u64,
    /// Missing frames, by sequence number.
    pub lost: u64,
    /// Bytes that belong to no good frame: noise, and damaged frames.
    pub noise: u64,
}

/// Finds frames in a byte stream, which may arrive in any portions.
#[derive(Clone, Debug, Default)]
pub struct Deframer {
    pending: Vec<u8>,
    next: Option<u8>,
    stats: LineStats,
}

/// Builds a frame as the hardware does, for tests and models.
pub fn frame(kind: u8, sequence: u8, payload: &[u8]) -> Vec<u8> {
    let mut out = SYNC.to_vec();
    out.extend([kind << 6 | sequence & 63, payload.len() as u8]);
    out.extend(payload);
    let crc = crc16(&out[2..]);
    out.extend(crc.to_le_bytes());
    out
}

impl Deframer {
    /// Takes bytes; complete frames are appended to `out`, in order.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<Item>) {
        self.pending.extend_from_slice(bytes);
        self.take(false, out);
    }

    /// Takes frames from the pending bytes. At the end of the line, an incomplete frame is noise, and its bytes may
    /// hold others: a damaged length covers the frames that follow.
    fn take(&mut self, end: bool, out: &mut Vec<Item>) {
        let mut at = 0;
        while at < self.pending.len() {
            let taken = match self.one(&self.pending[at..]) {
                Some(taken) => taken,
                None if end => Taken::Noise(1),
                None => break,
            };
            match taken {
                Taken::Noise(n) => {
                    self.stats.noise += n as u64;
                    at += n;
                }
                Taken::Frame(n, sequence, item) => {
                    at += n;
                    self.stats.frames += 1;
                    // the first frame received has no predecessor to compare with
                    let lost = self.next.map_or(0, |next| sequence.wrapping_sub(next)) & 63;
                    if lost != 0 {
                        self.stats.lost += u64::from(lost);
                        out.push(Item::Lost(lost));
                    }
                    self.next = Some((sequence + 1) & 63);
                    out.push(item);
                }
            }
        }
        self.pending.drain(..at);
    }

    /// Ends the line: incomplete frames are noise; frames inside them are appended to `out`.
    pub fn finish(&mut self, out: &mut Vec<Item>) -> LineStats {
        self.take(true, out);
        self.stats
    }

    /// Statistics so far.
    pub fn stats(&self) -> LineStats {
        self.stats
    }

    /// The item at the start of `b`; `None` if there are too few bytes.
    fn one(&self, b: &[u8]) -> Option<Taken> {
        let noise = Some(Taken::Noise(1));
        let first = *b.first()?;
        if first != SYNC[0] {
            // up to the next possible start of a frame
            return Some(Taken::Noise(b.iter().position(|x| *x == SYNC[0]).unwrap_or(b.len())));
        }
        if *b.get(1)? != SYNC[1] {
            return noise;
        }
        let (head, length) = (*b.get(2)?, usize::from(*b.get(3)?));
        let possible = match head >> 6 {
            0 => length <= MAX_PAYLOAD && length % 4 == 0 && length > 0,
            1 => length <= MAX_PAYLOAD && length > 0,
            2 => matches!(length, 0 | 4),
            _ => length == 8,
        };
        if !possible {
            return noise;
        }
        let whole = b.get(..6 + length)?;
        if crc16(&whole[2..4 + length]) != u16::from_le_bytes([whole[4 + length], whole[5 + length]]) {
            return noise;
        }
        let payload = &whole[4..4 + length];
        let mut words = payload.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
        let item = match head >> 6 {
            0 => Item::Words(words.collect()),
            1 => Item::Console(payload.to_vec()),
            2 => Item::End(words.next()),
            _ => Item::Response { write: payload[0] == 1, addr: payload[1], data: words.nth(1).unwrap_or(0) },
        };
        Some(Taken::Frame(6 + length, head & 63, item))
    }
}

enum Taken {
    Noise(usize),
    Frame(usize, u8, Item),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8], portion: usize) -> (Vec<Item>, LineStats) {
        let (mut d, mut out) = (Deframer::default(), Vec::new());
        bytes.chunks(portion).for_each(|b| d.push(b, &mut out));
        let stats = d.finish(&mut out);
        (out, stats)
    }

    fn line(frames: u8) -> Vec<u8> {
        (0..frames).flat_map(|i| frame(0, i, &[i, 1, 2, 3])).collect()
    }

    #[test]
    fn the_checksum_is_the_published_one() {
        // CRC-16/IBM-3740 ("CCITT-FALSE"): the catalogue's check value
        assert_eq!(crc16(b"123456789"), 0x29b1);
    }

    #[test]
    fn a_frame_is_these_bytes() {
        assert_eq!(frame(2, 5, &[7, 0, 0, 0])[..8], [0x47, 0x53, 0x85, 4, 7, 0, 0, 0]);
    }

    #[test]
    fn frames_are_found_in_any_portions() {
        let mut bytes = frame(1, 0, b"hi");
        bytes.extend(frame(0, 1, &[1, 0, 0, 0, 2, 0, 0, 0]));
        bytes.extend(frame(2, 2, &[9, 0, 0, 0]));
        for portion in 1..bytes.len() {
            let (items, stats) = all(&bytes, portion);
            assert_eq!(items, [Item::Console(b"hi".to_vec()), Item::Words(vec![1, 2]), Item::End(Some(9))]);
            assert_eq!(stats, LineStats { frames: 3, lost: 0, noise: 0 });
        }
    }

    #[test]
    fn a_damaged_bit_anywhere_loses_its_frame_and_no_other() {
        let good = line(5);
        for bit in 8 * 20..8 * 30 {
            let mut bytes = good.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let (items, stats) = all(&bytes, 7);
            assert_eq!((stats.frames, stats.lost), (4, 1), "bit {bit}: {items:?}");
            assert_eq!(stats.noise, 10, "bit {bit}");
            assert!(items.contains(&Item::Lost(1)), "bit {bit}");
        }
    }

    #[test]
    fn noise_between_frames_is_counted_and_skipped() {
        let mut bytes = vec![0x47, 0x53, 0x00, 0x40, 0x47];
        bytes.extend(line(3));
        bytes.extend([0xff, 0x47]);
        let (items, stats) = all(&bytes, 1000);
        assert_eq!(stats, LineStats { frames: 3, lost: 0, noise: 7 });
        assert_eq!(items.len(), 3);
    }

    #[test]
    fn commands_and_answers_are_these_bytes() {
        let c = command(2, Some(0x0102_0304));
        assert_eq!(c[..8], [0x47, 0x53, 1, 2, 4, 3, 2, 1]);
        assert_eq!(u16::from_le_bytes([c[8], c[9]]), crc16(&[1, 2, 4, 3, 2, 1]));
        assert_eq!(command(STATUS, None)[2..8], [0, 0x11, 0, 0, 0, 0]);
        let (items, _) = all(&frame(3, 9, &[1, 2, 0, 0, 4, 3, 2, 1]), 3);
        assert_eq!(items, [Item::Response { write: true, addr: 2, data: 0x0102_0304 }]);
    }

    #[test]
    fn missing_frames_are_counted() {
        let mut bytes = line(40);
        bytes.drain(10 * 3..10 * 10);
        let (items, stats) = all(&bytes, 64);
        assert_eq!(stats, LineStats { frames: 33, lost: 7, noise: 0 });
        assert_eq!(items[3], Item::Lost(7));
    }
}
