//! The diagnosis NoC: a unidirectional token ring of 16-bit words
//!
//! A node is one register of 16 bits and a valid bit. A token, the word [`TOKEN`], goes round; who has a packet replaces
//! the token by the packet with the token behind it. The packet passes every node and is taken off the ring by its sender.
//! Its destination writes into the first word, as it passes, whether it took the packet ([`TAKEN`]) or had no room
//! ([`REFUSED`]); a destination that is unchanged is not there. So a sender knows the fate of each packet before it sends
//! again, and one that was refused is sent again: nothing is lost on the ring.
//!
//! No node ever waits for another: words move in every clock, whatever a destination does, so there is no deadlock. Each
//! node sends at most one packet a turn, so none starves. A destination that had to refuse keeps its next free place for
//! the first that it refused; so a slow destination (the host) serves its senders in turn, too.
//!
//! # Timing
//! A hop takes one clock. An idle ring of N nodes gives a node the token after at most N clocks; a full one after at most
//! N packets.
//!
//! # Source
//! Paper 004 section 4: a 16-bit unidirectional ring. Token, acknowledge and places kept are ours; why:
//! `docs/decisions/0011-token-ring.md`.

use super::packet::{header, BROADCAST, HOST, MAX_WORDS, NODES, REFUSED, TAKEN};
use std::collections::VecDeque;

/// The token: no packet has 15 words after its second.
pub const TOKEN: u16 = 0xf000;

/// What became of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Its destination has it, or it was to all.
    Delivered,
    /// No node has that address.
    Absent,
}

/// Packets of a node, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RingCounts {
    /// Sent and taken.
    pub delivered: u64,
    /// Sent to an address that nobody has.
    pub absent: u64,
    /// Times a packet was refused and will be sent again.
    pub again: u64,
    /// Not sent: no packet, or to an address that is none.
    pub malformed: u64,
    /// Taken from the ring for the client.
    pub received: u64,
    /// Packets to all for which there was no room here.
    pub missed: u64,
}

/// What is done with the words of the packet at the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passing {
    Through,
    Copied,
    Stripped,
}

/// A node's part of the ring.
#[derive(Clone, Debug)]
pub struct RingNode {
    address: u8,
    /// Packets that fit at its destination side.
    places: usize,
    out: Option<u16>,
    /// Words that are still to come of the packet at the input, and what happens to them.
    left: usize,
    passing: Passing,
    receiving: Vec<u16>,
    received: VecDeque<Vec<u16>>,
    /// For whom the next free place is kept.
    kept: Option<u8>,
    /// The packet on its way, until its fate is known; sent up to `at`.
    packet: Vec<u16>,
    at: usize,
    on_ring: bool,
    /// Its destination had no room for it.
    refused: bool,
    token_next: bool,
    fates: VecDeque<Fate>,
    counts: RingCounts,
}

impl RingNode {
    /// At an address, with room for `places` packets that arrive.
    ///
    /// # Panics
    /// Unless the address is a node's or the host's.
    pub fn new(address: u8, places: usize) -> Self {
        assert!(address < NODES || address == HOST, "address {address} is not that of a node");
        Self {
            address,
            places,
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
            token_next: false,
            fates: VecDeque::new(),
            counts: RingCounts::default(),
        }
    }

    /// Its address.
    pub fn address(&self) -> u8 {
        self.address
    }

    /// Its counts.
    pub fn counts(&self) -> RingCounts {
        self.counts
    }

    /// The word at its output, for the node behind it.
    pub fn output(&self) -> Option<u16> {
        self.out
    }

    /// Whether it takes a packet to send.
    pub fn ready(&self) -> bool {
        self.packet.is_empty()
    }

    /// Whether nothing is on its way from, to or through it, but perhaps the token.
    pub fn is_idle(&self) -> bool {
        self.packet.is_empty()
            && self.received.is_empty()
            && self.left == 0
            && !self.token_next
            && self.out.is_none_or(|w| w == TOKEN)
    }

    /// Gives it a packet to send, when it is ready. Its source becomes this node; what is no packet is counted.
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

    /// What became of the packets that were sent, in order.
    pub fn fate(&mut self) -> Option<Fate> {
        self.fates.pop_front()
    }

    /// A packet that arrived.
    pub fn receive(&mut self) -> Option<Vec<u16>> {
        self.received.pop_front()
    }

    fn has_room_for(&mut self, src: u8) -> bool {
        let room = self.received.len() < self.places;
        match self.kept {
            Some(kept) if kept != src => false,
            _ if room => {
                self.kept = None;
                true
            }
            _ => {
                self.kept = Some(src);
                false
            }
        }
    }

    /// One clock: the word at the input in, the word for the output out.
    fn clock(&mut self, input: Option<u16>) {
        // a word of a packet may look like the token
        let token = self.left == 0 && input == Some(TOKEN);
        let forwarded = self.input(input);
        self.out = if self.token_next {
            self.token_next = false;
            Some(TOKEN)
        } else if token && !self.packet.is_empty() && !self.on_ring {
            self.on_ring = true;
            self.word()
        } else if self.on_ring && self.at < self.packet.len() {
            // what comes in now is this packet's own beginning, and stripped
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

    /// Takes the word at the input; what of it goes on.
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
                self.own_is_back();
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
            self.told(dest);
            return None;
        }
        let mut goes_on = word;
        if dest == self.address {
            let taken = self.has_room_for(src);
            if taken {
                self.passing = Passing::Copied;
            }
            goes_on = word & !0xfc0 | u16::from(if taken { TAKEN } else { REFUSED }) << 6;
        } else if dest == BROADCAST {
            if self.received.len() < self.places && self.kept.is_none() {
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

    /// The first word of its own packet is back.
    fn told(&mut self, dest: u8) {
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

    /// All of its own packet is back.
    fn own_is_back(&mut self) {
        self.on_ring = false;
        self.at = 0;
        if !self.refused {
            self.packet.clear();
        }
    }
}

/// The nodes, in the order in which words pass them.
#[derive(Clone, Debug)]
pub struct Ring {
    nodes: Vec<RingNode>,
    cycle: u64,
    busy: u64,
}

impl Ring {
    /// A ring of these nodes; the first makes the token.
    ///
    /// # Panics
    /// Without a node, or when two have one address.
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

    /// Clocks so far; words of packets that went from the first node to the second.
    pub fn load(&self) -> (u64, u64) {
        (self.cycle, self.busy)
    }

    /// One clock.
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

    /// Whether only the token is on it.
    pub fn is_idle(&self) -> bool {
        self.nodes.iter().all(RingNode::is_idle)
    }

    /// Lets `clocks` clocks pass on an idle ring.
    pub fn skip(&mut self, clocks: u64) {
        for _ in 0..clocks % self.nodes.len() as u64 {
            self.clock();
        }
        self.cycle += clocks - clocks % self.nodes.len() as u64;
    }

    /// Tokens and packets on the ring, for those who check it: the tokens, and the packets that were begun.
    pub fn tokens(&self) -> usize {
        let waiting = self.nodes.iter().filter(|n| n.on_ring && n.at < n.packet.len() || n.token_next).count();
        // a word of a packet may look like the token: it is one only where no packet is being passed
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

    /// All that decides what a node does.
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

    /// Every state that rings of these sizes reach, whatever clients send and take in whatever clock: there is one token,
    /// and from each state everything comes to rest once clients take what is there.
    fn explore(nodes: usize, dests: &[u8], len: u16) -> usize {
        let bound = 8 * nodes * usize::from(len + 1) + 16;
        let start = Ring::new((0..nodes).map(|n| RingNode::new(n as u8, 1)).collect());
        let (mut seen, mut todo) = (HashSet::new(), vec![start]);
        seen.insert(key(&todo[0]));
        while let Some(state) = todo.pop() {
            // what each client does: takes or not, sends nothing or a packet to one of the destinations
            let choices = 2 * (dests.len() + 1);
            for choice in 0..choices.pow(nodes as u32) {
                let (mut ring, mut rest, mut idle) = (state.clone(), choice, false);
                for n in 0..nodes {
                    let (takes, sends) = (rest % choices % 2 == 1, rest % choices / 2);
                    rest /= choices;
                    // a choice that cannot be made is another one's
                    idle |= takes && ring.nodes[n].received.is_empty() || sends > 0 && !ring.nodes[n].ready();
                    if takes {
                        ring.nodes[n].receive();
                    }
                    if sends > 0 {
                        // its second word looks like the token
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
        // to each other, to themselves, to nobody, to all
        let two = explore(2, &[0, 1, 40, BROADCAST], 2) + explore(2, &[0, 1], 5);
        let three = explore(3, &[0, 2], 2);
        println!("{two} states of two nodes, {three} of three");
        assert!(two > 1_000 && three > 5_000, "{two} {three}");
    }
}
