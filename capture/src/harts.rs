//! Which hart a thread is
//!
//! A thread becomes the lowest hart that no living thread has. So a program that makes and joins threads again and
//! again needs no more harts than it has threads at one time. Where there are more threads than harts, the others share
//! one by their number; a hart that goes from one thread to another takes an interrupt there, as a core does under a
//! system.

/// Harts of threads.
#[derive(Clone, Debug)]
pub struct Harts {
    /// Living threads of each hart.
    used: Vec<u32>,
    of: Vec<Option<u8>>,
}

impl Harts {
    /// So many harts, 1 at least.
    pub fn new(harts: u8) -> Self {
        Self { used: vec![0; usize::from(harts.max(1))], of: Vec::new() }
    }

    /// Of a whole machine: each has its number for good.
    pub fn numbered(harts: u8) -> Self {
        Self { used: vec![1; usize::from(harts.max(1))], of: (0..harts).map(Some).collect() }
    }

    /// The hart of a thread, from its first instruction on.
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
        // all taken: by its number
        assert_eq!(harts.of(5), 2);
        harts.end(2);
        assert_eq!(harts.busy(), 3);
        harts.end(5);
        assert_eq!(harts.of(7), 2);
    }
}
