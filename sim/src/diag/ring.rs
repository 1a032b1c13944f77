//! The diagnosis NoC: a unidirectional token ring of 16-bit words
//!
//! A node is one 16-bit register and a valid bit. A token, the word [`TOKEN`], circulates. A node with a packet to send
//! replaces the token by the packet, followed by the token. The packet passes every node and is removed from the ring
//! by its sender. As it passes its destination, the destination writes into the first word whether it took the packet
//! ([`TAKEN`]) or had no space ([`REFUSED`]); an unchanged destination field means that no node has that address. So a
//! sender knows the fate of each packet before it sends again, and repeats one that was refused: nothing is lost on the
//! ring.
//!
//! No node ever waits for another: words move in every cycle, whatever a destination does, so there is no deadlock.
//! Each node sends at most one packet per turn of the token, so none starves. A destination that had to refuse a packet
//! reserves its next free entry for the first sender that it refused, so that a slow destination (the host) also serves
//! its senders in turn.
//!
//! # Timing
//! A hop takes one cycle. On an idle ring of N nodes, a node gets the token after at most N cycles; on a busy one after
//! at most N packets.
//!
//! # Source
//! Paper 004 section 4: a 16-bit unidirectional ring. Token, acknowledge and reservations are this project's; the
//! reasons are in `docs/maintainers/decisions/0011-token-ring.md`.

use super::packet::{header, BROADCAST, HOST, MAX_WORDS, NODES, REFUSED, TAKEN};
use std::collections::VecDeque;

/// The token word: no packet has 15 words after its second.
pub const TOKEN: u16 = 0xf000;

/// Fate of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Its destination took it, or it was a broadcast.
    Delivered,
    /// No node has that address.
    Absent,
}

/// Packet counters of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RingCounts {
    /// Sent and taken.
    pub delivered: u64,
    /// Sent to an address that no node has.
    pub absent: u64,
    /// Refusals; the packet is sent again.
    pub again: u64,
    /// Not sent: malformed, or with an invalid destination.
    pub malformed: u64,
    /// Received for the client.
    pub received: u64,
    /// Broadcasts that were missed for lack of space.
    pub missed: u64,
}

/// What happens to the words of the packet at the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passing {
    Through,
    Copied,
    Stripped,
}

/// The ring interface of a node.
#[derive(Clone, Debug)]
pub struct RingNode {
    address: u8,
    /// Depth of the receive queue, packets.
    depth: usize,
    out: Option<u16>,
    /// Remaining words of the packet at the input, and what happens to them.
    left: usize,
    passing: Passing,
    receiving: Vec<u16>,
    received: VecDeque<Vec<u16>>,
    /// Sender for which the next free entry is reserved.
    kept: Option<u8>,
    /// The packet being sent, kept until its fate is known; sent up to `at`.
    packet: Vec<u16>,
    at: usize,
    on_ring: bool,
    /// Its destination refused it.
    refused: bool,
    /// A refused packet is given back to the client instead of being sent again.
    withdraws: bool,
    token_next: bool,
    fates: VecDeque<Fate>,
    counts: RingCounts,
}

impl RingNode {
    /// A node at an address, with a receive queue of `depth` packets.
    ///
    /// # Panics
    /// If the address is not valid for a node or the host.
    pub fn new(address: u8, depth: usize) -> Self {
        assert!(address < NODES || address == HOST, "address {address} is not that of a node");
        Self {
            address,
            depth,
            out: None,
            left: 0,
            passing: Passing::Through,
            receiving: Vec::new(),
            received: VecDeque::new(),
            kept: None,
            packet: Vec::new(),
            at: 0,
            on_ring: false,
            refused: false,
            withdraws: false,
            token_next: false,
            fates: VecDeque::new(),
            counts: RingCounts::default(),
        }
    }

    /// Address of the node.
    pub fn address(&self) -> u8 {
        self.address
    }

    /// Packet counters.
    pub fn counts(&self) -> RingCounts {
        self.counts
    }

    /// The word at the output, for the next node.
    pub fn output(&self) -> Option<u16> {
        self.out
    }

    /// Whether it accepts a packet to send.
    pub fn ready(&self) -> bool {
        self.packet.is_empty()
    }

    /// Whether nothing is in flight from, to or through it, except perhaps the token.
    pub fn is_idle(&self) -> bool {
        self.packet.is_empty()
            && self.received.is_empty()
            && self.left == 0
            && !self.token_next
            && self.out.is_none_or(|w| w == TOKEN)
    }

    /// Accepts a packet to send, when ready. Sets its source to this node; counts malformed packets.
    pub fn send(&mut self, mut words: Vec<u16>) {
        let legal = (2..=MAX_WORDS).contains(&words.len()) && header(words[0]).0 == words.len();
        let dest = words.first().map_or(0, |w| header(*w).1);
        if !legal || dest == TAKEN || dest == REFUSED || !self.ready() {
            self.counts.malformed += 1;
            return;
        }
        words[0] = words[0] & !63 | u16::from(self.address);
        self.packet = words;
        self.at = 0;
    }

    /// Whether a packet that its destination refuses from now on is dropped here, for the client to send it later,
    /// instead of being sent again. The client must send one to that destination, which reserves an entry for this node.
    pub fn withdraw(&mut self, on: bool) {
        self.withdraws = on;
    }

    /// Fates of the packets that were sent, in order.
    pub fn fate(&mut self) -> Option<Fate> {
        self.fates.pop_front()
    }

    /// Takes a packet that arrived.
    pub fn receive(&mut self) -> Option<Vec<u16>> {
        self.received.pop_front()
    }

    fn accepts_from(&mut self, src: u8) -> bool {
        let has_space = self.received.len() < self.depth;
        match self.kept {
            Some(kept) if kept != src => false,
            _ if has_space => {
                self.kept = None;
                true
            }
            _ => {
                self.kept = Some(src);
                false
            }
        }
    }

    /// Whether it is in the same state as `before`, and has done nothing in between but send a refused packet again.
    fn repeats(&self, before: &Self) -> bool {
        let words = |n: &Self| (n.out, n.left, n.passing, n.at, n.kept);
        let flags = |n: &Self| (n.on_ring, n.refused, n.token_next, n.withdraws);
        let counts = |n: &Self| RingCounts { again: 0, ..n.counts };
        words(self) == words(before)
            && flags(self) == flags(before)
            && counts(self) == counts(before)
            && self.packet == before.packet
            && self.receiving == before.receiving
            && self.received == before.received
            && self.fates == before.fates
    }

    /// One cycle: takes the word at the input and sets the word at the output.
    fn clock(&mut self, input: Option<u16>) {
        // a data word may equal the token
        let token = self.left == 0 && input == Some(TOKEN);
        let forwarded = self.input(input);
        self.out = if self.token_next {
            self.token_next = false;
            Some(TOKEN)
        } else if token && !self.packet.is_empty() && !self.on_ring {
            self.on_ring = true;
            self.word()
        } else if self.on_ring && self.at < self.packet.len() {
            // the input is the beginning of this node's own packet, and is removed
            self.word()
        } else {
            forwarded
        };
    }

    fn word(&mut self) -> Option<u16> {
        let word = self.packet[self.at];
        self.at += 1;
        self.token_next = self.at == self.packet.len();
        Some(word)
    }

    /// Takes the word at the input; returns what is forwarded.
    fn input(&mut self, input: Option<u16>) -> Option<u16> {
        let word = input?;
        if self.left > 0 {
            self.left -= 1;
            if self.passing == Passing::Copied {
                self.receiving.push(word);
                if self.left == 0 {
                    self.received.push_back(std::mem::take(&mut self.receiving));
                    self.counts.received += 1;
                }
            }
            if self.passing == Passing::Stripped && self.left == 0 {
                self.packet_returned();
            }
            return (self.passing != Passing::Stripped).then_some(word);
        }
        if word == TOKEN {
            return Some(word);
        }
        let (len, dest, src) = header(word);
        self.left = len - 1;
        self.passing = Passing::Through;
        if src == self.address {
            self.passing = Passing::Stripped;
            self.reported(dest);
            return None;
        }
        let mut goes_on = word;
        if dest == self.address {
            let taken = self.accepts_from(src);
            if taken {
                self.passing = Passing::Copied;
            }
            goes_on = word & !0xfc0 | u16::from(if taken { TAKEN } else { REFUSED }) << 6;
        } else if dest == BROADCAST {
            if self.received.len() < self.depth && self.kept.is_none() {
                self.passing = Passing::Copied;
            } else {
                self.counts.missed += 1;
            }
        }
        if self.passing == Passing::Copied {
            self.receiving.push(word);
        }
        Some(goes_on)
    }

    /// The first word of its own packet has returned.
    fn reported(&mut self, dest: u8) {
        self.refused = dest == REFUSED;
        match dest {
            REFUSED => self.counts.again += 1,
            TAKEN | BROADCAST => {
                self.counts.delivered += 1;
                self.fates.push_back(Fate::Delivered);
            }
            _ => {
                self.counts.absent += 1;
                self.fates.push_back(Fate::Absent);
            }
        }
    }

    /// The whole of its own packet has returned.
    fn packet_returned(&mut self) {
        self.on_ring = false;
        self.at = 0;
        if !self.refused || self.withdraws {
            self.packet.clear();
        }
    }
}

/// The ring: its nodes, in the order in which words pass them.
#[derive(Clone, Debug)]
pub struct Ring {
    nodes: Vec<RingNode>,
    cycle: u64,
    busy: u64,
}

impl Ring {
    /// A ring of these nodes; the first creates the token.
    ///
    /// # Panics
    /// If there is no node, or two have the same address.
    pub fn new(mut nodes: Vec<RingNode>) -> Self {
        assert!(!nodes.is_empty(), "a ring has a node");
        for (i, n) in nodes.iter().enumerate() {
            assert!(nodes[..i].iter().all(|o| o.address != n.address), "two nodes at address {}", n.address);
        }
        nodes[0].token_next = true;
        Self { nodes, cycle: 0, busy: 0 }
    }

    /// The nodes.
    pub fn nodes(&self) -> &[RingNode] {
        &self.nodes
    }

    /// A node.
    pub fn node(&mut self, n: usize) -> &mut RingNode {
        &mut self.nodes[n]
    }

    /// Cycles so far, and packet words that went from the first node to the second.
    pub fn load(&self) -> (u64, u64) {
        (self.cycle, self.busy)
    }

    /// One cycle.
    pub fn clock(&mut self) {
        let mut input = self.nodes[self.nodes.len() - 1].out;
        for node in &mut self.nodes {
            let out = node.out;
            node.clock(input);
            input = out;
        }
        self.cycle += 1;
        self.busy += u64::from(self.nodes[0].out.is_some_and(|w| w != TOKEN || self.nodes[0].left > 0));
    }

    /// Whether it carries only the token.
    pub fn is_idle(&self) -> bool {
        self.nodes.iter().all(RingNode::is_idle)
    }

    /// Advances an idle ring by `clocks` cycles.
    pub fn skip(&mut self, clocks: u64) {
        for _ in 0..clocks % self.nodes.len() as u64 {
            self.clock();
        }
        self.cycle += clocks - clocks % self.nodes.len() as u64;
    }

    /// Whether it is in the same state as `before`, and nothing was delivered in between.
    pub fn repeats(&self, before: &Self) -> bool {
        self.nodes.iter().zip(&before.nodes).all(|(n, b)| n.repeats(b))
    }

    /// Advances a ring that repeats what it did since `before`, which it is in the state of, by `periods` of that.
    pub fn repeat(&mut self, before: &Self, periods: u64) {
        self.cycle += periods * (self.cycle - before.cycle);
        self.busy += periods * (self.busy - before.busy);
        for (n, b) in self.nodes.iter_mut().zip(&before.nodes) {
            n.counts.again += periods * (n.counts.again - b.counts.again);
        }
    }

    /// Number of tokens, including packets in transmission that will release one: for checks.
    pub fn tokens(&self) -> usize {
        let waiting = self.nodes.iter().filter(|n| n.on_ring && n.at < n.packet.len() || n.token_next).count();
        // a data word may equal the token: it is one only if no packet is being passed
        let mut heads = 0;
        for (i, n) in self.nodes.iter().enumerate() {
            let next = &self.nodes[(i + 1) % self.nodes.len()];
            heads += usize::from(n.out == Some(TOKEN) && next.left == 0);
        }
        waiting + heads
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// All state on which a node's behaviour depends.
    fn key(ring: &Ring) -> Vec<u16> {
        let mut key = Vec::new();
        for n in &ring.nodes {
            key.extend([n.out.is_some().into(), n.out.unwrap_or(0), n.left as u16, n.passing as u16, n.at as u16]);
            key.extend([n.kept.map_or(64, u16::from), n.on_ring.into(), n.refused.into(), n.token_next.into()]);
            for list in [&n.receiving, &n.packet, &n.received.iter().flatten().copied().collect()] {
                key.push(list.len() as u16);
                key.extend(list);
            }
        }
        key
    }

    fn forget(ring: &mut Ring) {
        for n in &mut ring.nodes {
            n.counts = RingCounts::default();
            n.fates.clear();
        }
        (ring.cycle, ring.busy) = (0, 0);
    }

    /// Explores every state that rings of these sizes can reach, whatever clients send and receive in any cycle. There
    /// is always one token, and every state becomes idle once clients receive their packets.
    fn explore(nodes: usize, dests: &[u8], len: u16) -> usize {
        let bound = 8 * nodes * usize::from(len + 1) + 16;
        let start = Ring::new((0..nodes).map(|n| RingNode::new(n as u8, 1)).collect());
        let (mut seen, mut todo) = (HashSet::new(), vec![start]);
        seen.insert(key(&todo[0]));
        while let Some(state) = todo.pop() {
            // the choices of each client: receive or not; send nothing or a packet to one of the destinations
            let choices = 2 * (dests.len() + 1);
            for choice in 0..choices.pow(nodes as u32) {
                let (mut ring, mut rest, mut idle) = (state.clone(), choice, false);
                for n in 0..nodes {
                    let (takes, sends) = (rest % choices % 2 == 1, rest % choices / 2);
                    rest /= choices;
                    // an impossible choice is the same as another one
                    idle |= takes && ring.nodes[n].received.is_empty() || sends > 0 && !ring.nodes[n].ready();
                    if takes {
                        ring.nodes[n].receive();
                    }
                    if sends > 0 {
                        // its second word equals the token
                        let mut words = vec![(len - 2) << 12 | u16::from(dests[sends - 1]) << 6, TOKEN];
                        words.resize(len.into(), TOKEN);
                        if ring.nodes[n].ready() {
                            ring.nodes[n].send(words);
                        }
                    }
                }
                if idle {
                    continue;
                }
                ring.clock();
                assert_eq!(ring.tokens(), 1);
                forget(&mut ring);
                if seen.insert(key(&ring)) {
                    let mut rests = ring.clone();
                    for _ in 0..bound {
                        rests.clock();
                        rests.nodes.iter_mut().for_each(|n| drop(n.receive()));
                    }
                    assert!(rests.is_idle(), "{ring:?}");
                    todo.push(ring);
                }
            }
        }
        seen.len()
    }

    #[test]
    fn no_state_of_small_rings_is_stuck() {
        // to each other, to themselves, to an absent address, to all
        let two = explore(2, &[0, 1, 40, BROADCAST], 2) + explore(2, &[0, 1], 5);
        let three = explore(3, &[0, 2], 2);
        println!("{two} states of two nodes, {three} of three");
        assert!(two > 1_000 && three > 5_000, "{two} {three}");
    }
}
