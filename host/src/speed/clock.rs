//! Time of measured work: wall time, and CPU time, which other work on the machine changes less
// Calls the system; the block states why it is sound.
#![allow(unsafe_code)]

use std::time::{Duration, Instant};

/// CPU time of all threads of this process, and of the processes that it started and waited for.
fn cpu() -> Duration {
    // SAFETY: zeros are a `timespec` and a `rusage`, which the calls fill.
    let (now, children) = unsafe {
        let (mut now, mut children): (libc::timespec, libc::rusage) = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut now);
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut children);
        (now, children)
    };
    let of = |t: libc::timeval| Duration::new(t.tv_sec as u64, t.tv_usec as u32 * 1000);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32) + of(children.ru_utime) + of(children.ru_stime)
}

/// Time of measured work.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    /// Wall time.
    pub wall: Duration,
    /// CPU time of all threads, and of processes that ended.
    pub cpu: Duration,
}

impl Time {
    /// More than any work takes.
    pub const MAX: Self = Self { wall: Duration::MAX, cpu: Duration::MAX };

    /// The better one of each time.
    pub fn min(self, other: Self) -> Self {
        Self { wall: self.wall.min(other.wall), cpu: self.cpu.min(other.cpu) }
    }
}

/// A running measurement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopwatch {
    wall: Instant,
    cpu: Duration,
}

impl Stopwatch {
    /// Starts it.
    pub fn start() -> Self {
        Self { wall: Instant::now(), cpu: cpu() }
    }

    /// The time since the start.
    pub fn time(&self) -> Time {
        Time { wall: self.wall.elapsed(), cpu: cpu() - self.cpu }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_is_of_work_and_not_of_waiting() {
        let start = Stopwatch::start();
        std::thread::sleep(Duration::from_millis(30));
        let waited = start.time();
        assert!(waited.wall >= Duration::from_millis(30) && waited.wall < Duration::MAX);
        while start.time().cpu < Duration::from_millis(5) {}
        assert!(start.time().cpu > waited.cpu.min(Duration::from_millis(5)));
    }
}
