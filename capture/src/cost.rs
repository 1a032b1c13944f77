//! Measurement of CPU time
// Calls the system; each block states why it is sound.
#![allow(unsafe_code)]

/// CPU time of this process and of children that have ended, user and system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Seconds.
    pub seconds: f64,
}

fn now() -> f64 {
    let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
    let of = |who| {
        // SAFETY: zeros are a `rusage`, which the call fills.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            libc::getrusage(who, &mut usage);
            usage
        };
        seconds(usage.ru_utime) + seconds(usage.ru_stime)
    };
    of(libc::RUSAGE_SELF) + of(libc::RUSAGE_CHILDREN)
}

impl Cost {
    /// CPU time of `work`, with its result.
    pub fn of<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<(T, Self), E> {
        let before = now();
        let result = work()?;
        Ok((result, Self { seconds: now() - before }))
    }
}
