//! A digest of control flow

use retire::{FlowEvent, FlowKind, RetireSink};

/// A 64-bit digest of each hart's control flow. It is equal for two streams if [`FlowEvent::same_flow`] holds event by
/// event, whatever the order of the harts. Context switches are left out, since streams need not report them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowDigest {
    harts: Vec<(u64, u64)>,
    /// Instructions before a context switch, by hart: they are added to the next event.
    before: Vec<u32>,
}

impl FlowDigest {
    /// Creates the digest of `harts` harts without events.
    pub fn new(harts: u8) -> Self {
        Self { harts: vec![(0, 0); usize::from(harts)], before: vec![0; usize::from(harts)] }
    }

    /// Number of events of all harts.
    pub fn events(&self) -> u64 {
        self.harts.iter().map(|h| h.1).sum()
    }

    /// Digest of all harts.
    pub fn value(&self) -> u64 {
        self.harts.iter().fold(0, |h, hart| mix(mix(h, hart.0), hart.1))
    }
}

/// One step of the digest (the multiply-rotate of FxHash, with a fold so that high bits affect low ones).
fn mix(hash: u64, value: u64) -> u64 {
    let h = (hash.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95);
    h ^ h >> 32
}

impl RetireSink for FlowDigest {
    #[inline]
    fn event(&mut self, e: &FlowEvent) {
        let kind = match e.kind {
            // the cause is not part of the control flow
            FlowKind::Trap { .. } => FlowKind::Trap { interrupt: false, cause: 0 }.code().into(),
            FlowKind::Gap { lost } => u64::from(e.kind.code()) | u64::from(lost) << 8,
            FlowKind::Context { .. } => {
                self.before[usize::from(e.hart)] += e.count;
                return;
            }
            kind => kind.code().into(),
        };
        let count = e.count + std::mem::take(&mut self.before[usize::from(e.hart)]);
        let (hash, events) = &mut self.harts[usize::from(e.hart)];
        *events += 1;
        *hash = mix(*hash, kind ^ u64::from(e.len) << 40 ^ u64::from(count).rotate_left(48));
        *hash = mix(mix(*hash, e.pc), e.target);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_sees_any_change_but_cycles_causes_and_the_order_of_harts() {
        let e = |hart, pc| FlowEvent { hart, kind: FlowKind::Jump, len: 4, count: 3, pc, target: pc + 8, cycle: pc };
        let digest = |events: &[FlowEvent]| {
            let mut d = FlowDigest::new(2);
            events.iter().for_each(|e| d.event(e));
            d
        };
        let (a, b, c) = (e(0, 16), e(1, 32), e(0, 64));
        let right = digest(&[a, b, c]);
        assert_eq!(right, digest(&[b, a, FlowEvent { cycle: 9, ..c }]));
        for other in [
            digest(&[c, b, a]),
            digest(&[a, b]),
            digest(&[a, b, FlowEvent { count: 4, ..c }]),
            digest(&[a, b, FlowEvent { len: 2, ..c }]),
            digest(&[a, b, FlowEvent { target: 0, ..c }]),
            digest(&[a, b, FlowEvent { kind: FlowKind::Call, ..c }]),
            digest(&[a, b, FlowEvent { hart: 1, ..c }]),
        ] {
            assert_ne!(right, other);
            assert_ne!(right.value(), other.value());
        }
        assert_eq!(right.events(), 3);
    }
}
