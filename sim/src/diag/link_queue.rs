//! The link queue of a generator: packets that leave the chip, which other packets of the generator pass
//!
//! Packets to the host, and to nodes that send to the host, have to wait when the link is busy. Those of slots that
//! yield ([`super::trigger::Slot::yields`]) wait here. When the destination of the queue's packet refuses it, and
//! another packet of the generator waits, that one is sent first. The queue has the next turn, so that neither
//! is starved: another packet waits for at most one packet of the queue to go around the ring.
//!
//! When the queue is full, events for it are lost, until half of it is free.
//!
//! # Source
//! Original to this project; `docs/maintainers/decisions/0062-counts-do-not-wait.md`.

use super::ring::{Fate, RingNode};
use std::collections::VecDeque;

/// Depth, in packets.
pub const PACKETS: usize = 16;

/// The golden model of a link queue, packet by packet.
#[derive(Clone, Debug, Default)]
pub struct LinkQueue {
    packets: VecDeque<Vec<u16>>,
    recovering: bool,
    /// The last packet that was sent is not of the queue.
    turn: bool,
    /// The oldest packet is in the router; its fate is known.
    waiting: bool,
    done: bool,
}

impl LinkQueue {
    /// Whether it accepts a packet.
    pub fn has_room(&self) -> bool {
        !self.recovering && self.packets.len() < PACKETS
    }

    /// A packet was lost, as there was no room.
    pub fn refuse(&mut self) {
        self.recovering = true;
    }

    /// Takes a packet.
    pub fn push(&mut self, words: Vec<u16>) {
        self.packets.push_back(words);
    }

    /// Number of packets.
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// Whether there is no packet.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// State in addition to the packets, for comparison: whose turn it is, and what is known of the packet in the router.
    pub fn state(&self) -> (bool, bool, bool, bool) {
        (self.turn, self.waiting, self.done, self.recovering)
    }

    /// A packet's fate is known.
    pub fn fate(&mut self, _: Fate) {
        self.done = self.waiting;
    }

    /// Whether the router is free for a packet. The queue's own packet has left it: it was taken, or given back.
    pub fn router_is_free(&mut self, ready: bool) -> bool {
        if !ready || !self.waiting {
            return ready;
        }
        self.waiting = false;
        if self.done {
            self.packets.pop_front();
            self.recovering &= self.packets.len() > PACKETS / 2;
        }
        false
    }

    /// Whether the queue's packet is sent next; `other`: another one waits.
    pub fn is_next(&self, other: bool) -> bool {
        !self.is_empty() && (self.turn || !other)
    }

    /// The packet to send, which stays in the queue until its fate is known.
    pub fn send(&mut self) -> Vec<u16> {
        (self.turn, self.waiting, self.done) = (false, true, false);
        self.packets[0].clone()
    }

    /// Another packet was sent.
    pub fn other_was_sent(&mut self) {
        self.turn = true;
    }

    /// Whether the router gives the queue's packet back if its destination refuses it; `other`: another one waits.
    pub fn withdraws(&self, other: bool) -> bool {
        self.waiting && other
    }

    /// One cycle before others are sent: takes fates of the router and says whether it is to give a packet back. True: it
    /// is free for a packet.
    pub fn clock(&mut self, port: &mut RingNode, other: bool) -> bool {
        while let Some(fate) = port.fate() {
            self.fate(fate);
        }
        port.withdraw(self.withdraws(other));
        self.router_is_free(port.ready())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_of_the_queue_and_others_take_turns() {
        let mut q = LinkQueue::default();
        (0..3).for_each(|n| q.push(vec![n, 0]));
        assert!(q.is_next(false) && !q.is_next(true));
        q.other_was_sent();
        assert!(q.is_next(true));
        assert_eq!(q.send(), [0, 0]);
        // refused: the other goes first, and then the same packet again
        assert!(q.withdraws(true) && !q.withdraws(false));
        assert!(!q.router_is_free(false) && !q.router_is_free(true) && q.router_is_free(true));
        assert!(!q.is_next(true));
        q.other_was_sent();
        assert_eq!(q.send(), [0, 0]);
        q.fate(Fate::Delivered);
        q.router_is_free(true);
        assert_eq!((q.send(), q.len()), (vec![1, 0], 2));
    }

    #[test]
    fn after_an_overflow_half_of_it_gets_free() {
        let mut q = LinkQueue::default();
        (0..16).for_each(|n| q.push(vec![n, 0]));
        assert!(!q.has_room());
        q.refuse();
        for left in (0..16).rev() {
            q.send();
            q.fate(Fate::Absent);
            q.router_is_free(true);
            assert_eq!((q.len(), q.has_room()), (left, left <= 8));
        }
    }
}
