//! Mapping from threads to harts
//!
//! A thread gets the lowest hart that no living thread has. So a program that repeatedly creates and joins threads
//! needs no more harts than it has threads at a time. If there are more threads than harts, the others share harts by
//! their number; a hart that switches from one thread to another takes an interrupt, as a core does under an operating
//! system.

/// The mapping from threads to harts.
#[derive(Clone, Debug)]
pub struct Harts {
    /// Number of living threads on each hart.
    used: Vec<u32>,
    of: Vec<Option<u8>>,
}

impl Harts {
    /// A mapping to the given number of harts, at least 1.
    pub fn new(harts: u8) -> Self {
        Self { used: vec![0; usize::from(harts.max(1))], of: Vec::new() }
    }

    /// The mapping for a whole machine: each thread permanently has the hart with its number.
    pub fn numbered(harts: u8) -> Self {
        Self { used: vec![1; usize::from(harts.max(1))], of: (0..harts).map(Some).collect() }
    }

    /// The hart of a thread, assigned at its first instruction.
    #[inline]
    pub fn of(&mut self, thread: u32) -> u8 {
        match self.of.get(thread as usize) {
            Some(Some(hart)) => *hart,
            _ => self.assign(thread),
        }
    }

    fn assign(&mut self, thread: u32) -> u8 {
        let at = thread as usize;
        if self.of.len() <= at {
            self.of.resize(at + 1, None);
        }
        let free = self.used.iter().position(|n| *n == 0);
        let hart = free.unwrap_or(at % self.used.len());
        self.used[hart] += 1;
        self.of[at] = Some(hart as u8);
        hart as u8
    }

    /// A thread has ended.
    pub fn end(&mut self, thread: u32) {
        if let Some(hart) = self.of.get_mut(thread as usize).and_then(Option::take) {
            self.used[usize::from(hart)] -= 1;
        }
    }

    /// Harts in use now.
    pub fn busy(&self) -> u8 {
        self.used.iter().filter(|n| **n > 0).count() as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hart_is_used_again_and_shared_when_all_are_taken() {
        let mut harts = Harts::new(3);
        assert_eq!([0, 1, 2].map(|t| harts.of(t)), [0, 1, 2]);
        harts.end(1);
        assert_eq!((harts.of(3), harts.busy()), (1, 3));
        // all taken: assigned by the thread number
        assert_eq!(harts.of(5), 2);
        harts.end(2);
        assert_eq!(harts.busy(), 3);
        harts.end(5);
        assert_eq!(harts.of(7), 2);
    }
}
