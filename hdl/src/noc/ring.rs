//! Ring: routers in a ring, each connected to the next and the last to the first
//!
//! # Source
//! Paper 004 section 4; `docs/maintainers/decisions/0011-token-ring.md`.
//!
//! # Ports
//! | port | dir | meaning |
//! | --- | --- | --- |
//! | `reset` | in | 1: the ring is empty but for a token at the first router |
//! | `put[i]`, `got[i]`, `fate[i]`, `withdraw[i]` | | ports of router i, see [`super::router`] |
//! | `to` | out | the word from the last router to the first, for observation |
//!
//! # Timing
//! As the routers. The first token leaves the first router in the cycle after `reset` ends.
//!
//! Golden model: `sim::diag::ring::Ring`.

use super::ports::{FateOut, HopOut, PacketIn, PacketOut};
use super::router::Router;
use crate::widget::each::each;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// A ring of routers.
#[derive(LogicBlock, Default)]
pub struct Ring {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub put: Vec<PacketIn>,
    pub got: Vec<PacketOut>,
    pub fate: Vec<FateOut>,
    pub withdraw: Vec<Signal<In, Bit>>,
    pub to: HopOut,
    router: Vec<Router>,
    last_valid: Signal<Local, Bit>,
    last_word: Signal<Local, Bits<16>>,
    _nodes: usize,
    _hops: usize,
}

impl Ring {
    /// A ring of nodes, each with its address and the log2 of its FIFO depth in packets, in the order in which words
    /// pass them.
    ///
    /// # Panics
    /// If there is no node, if two have the same address, and as [`Router::new`].
    pub fn new(nodes: &[(u8, usize)]) -> Self {
        assert!(!nodes.is_empty(), "a ring has a node");
        for (i, (address, _)) in nodes.iter().enumerate() {
            assert!(nodes[..i].iter().all(|o| o.0 != *address), "two nodes at address {address}");
        }
        Self {
            put: each(nodes.len()),
            got: each(nodes.len()),
            fate: each(nodes.len()),
            withdraw: each(nodes.len()),
            router: nodes.iter().enumerate().map(|(i, (a, p))| Router::new(*a, *p, i == 0)).collect(),
            _nodes: nodes.len(),
            _hops: nodes.len() - 1,
            ..Default::default()
        }
    }
}

impl Logic for Ring {
    #[hdl_gen]
    fn update(&mut self) {
        self.last_valid.next = false;
        self.last_word.next = 0.into();
        for i in 0..self._nodes {
            self.router[i].clock.next = self.clock.val();
            self.router[i].reset.next = self.reset.val();
            self.router[i].withdraw.next = self.withdraw[i].val();
            PacketIn::link(&mut self.put[i], &mut self.router[i].put);
            PacketOut::link(&mut self.got[i], &mut self.router[i].got);
            FateOut::link(&mut self.fate[i], &mut self.router[i].fate);
            self.last_valid.next = self.router[i].to.valid.val();
            self.last_word.next = self.router[i].to.word.val();
        }
        for i in 0..self._hops {
            self.router[i + 1].from.valid.next = self.router[i].to.valid.val();
            self.router[i + 1].from.word.next = self.router[i].to.word.val();
        }
        self.router[0].from.valid.next = self.last_valid.val();
        self.router[0].from.word.next = self.last_word.val();
        self.to.valid.next = self.last_valid.val();
        self.to.word.next = self.last_word.val();
    }
}
