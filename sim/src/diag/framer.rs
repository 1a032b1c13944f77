//! The framer: packets for the host as frames, the last of which it keeps and sends again when the host requests it
//!
//! Frames are numbered from 0, modulo 256. A status is a frame that is not kept and uses up no number: it has the number
//! of the oldest kept frame, so that a host sees which frames can no longer be sent again.
//!
//! # Source
//! Original to this project; go-back-N as in A. S. Tanenbaum, *Computer Networks*, section 3.4.2.

use super::frame::{encode, KEPT};
use std::collections::VecDeque;

/// The golden model of the framer, which keeps the last frames.
#[derive(Clone, Debug, Default)]
pub struct Framer {
    kept: VecDeque<Vec<u16>>,
    /// Number of the first kept frame.
    oldest: u8,
    /// Number of the frame that is sent next.
    number: u8,
    hold: bool,
}

impl Framer {
    /// Number of the next new frame.
    pub fn newest(&self) -> u8 {
        self.oldest.wrapping_add(self.kept.len() as u8)
    }

    /// Whether a new packet may be sent: always, or while it holds frames, if there is room to keep it.
    pub fn has_space(&self) -> bool {
        !self.hold || self.kept.len() < usize::from(KEPT)
    }

    /// The host has received all frames before `expected`: sends again from that one, or from the oldest kept frame if
    /// it is not among those kept. With `hold`, no frame that the host may not have is replaced from now on.
    pub fn again(&mut self, expected: u8, hold: bool) {
        let received = usize::from(expected.wrapping_sub(self.oldest));
        if received <= self.kept.len() {
            self.kept.drain(..received);
            self.oldest = expected;
        }
        (self.number, self.hold) = (self.oldest, hold);
    }

    /// The frame that is sent again next, if any.
    pub fn repeated(&mut self) -> Option<Vec<u8>> {
        let words = self.kept.get(usize::from(self.number.wrapping_sub(self.oldest)))?;
        let frame = encode(self.number, words);
        self.number = self.number.wrapping_add(1);
        Some(frame)
    }

    /// The frame of a new packet. It replaces the oldest if there is no room.
    ///
    /// # Panics
    /// If a frame has to be sent again first.
    pub fn frame(&mut self, words: &[u16]) -> Vec<u8> {
        assert_eq!(self.number, self.newest(), "frames are sent again first");
        if self.kept.len() == usize::from(KEPT) {
            self.kept.pop_front();
            self.oldest = self.oldest.wrapping_add(1);
        }
        self.kept.push_back(words.to_vec());
        self.number = self.newest();
        encode(self.number.wrapping_sub(1), words)
    }

    /// The frame of a status.
    pub fn status(&self, words: &[u16]) -> Vec<u8> {
        encode(self.oldest, words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_sent_again_from_the_expected_one() {
        let mut f = Framer::default();
        let frames: Vec<Vec<u8>> = (0..5).map(|n| f.frame(&[0x0fc2, n])).collect();
        assert_eq!((f.repeated(), f.newest()), (None, 5));
        f.again(2, false);
        let again: Vec<Vec<u8>> = std::iter::from_fn(|| f.repeated()).collect();
        assert_eq!(again, frames[2..]);
        // frames 0 and 1 are gone
        f.again(1, false);
        assert_eq!(f.repeated(), Some(frames[2].clone()));
        f.again(5, false);
        assert_eq!((f.repeated(), f.status(&[0x0fff, 0xc000])[2]), (None, 5));
    }

    #[test]
    fn a_full_framer_replaces_the_oldest_frame_unless_it_holds_them() {
        let mut f = Framer::default();
        (0..20).for_each(|n| drop(f.frame(&[0x0fc2, n])));
        assert_eq!((f.status(&[0x0fff, 0xc000])[2], f.has_space()), (4, true));
        f.again(4, true);
        assert!(!f.has_space());
        let again: Vec<u8> = std::iter::from_fn(|| f.repeated()).map(|frame| frame[2]).collect();
        assert_eq!(again, (4..20).collect::<Vec<_>>());
        f.again(5, true);
        assert!(f.has_space());
        while f.repeated().is_some() {}
        f.frame(&[0x0fc2, 20]);
        assert!(!f.has_space());
        f.again(5, false);
        assert!(f.has_space());
    }
}
