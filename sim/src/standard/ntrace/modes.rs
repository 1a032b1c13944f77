//! Modes of the encoder by name: `ntrace`, `ntrace+btm`, `ntrace+ir8+rh`, `ntrace+ir8+sync1024`

use super::encoder::Options;
use std::fmt;
use std::str::FromStr;

/// Modes of an encoder that affect the number of bits most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Modes {
    /// A message for each taken branch (BTM) in place of branch history (HTM).
    pub btm: bool,
    /// Entries of the return stack; 0: returns are reported. 0..=32.
    pub returns: u8,
    /// Repeated history, or with BTM repeated branches, is counted.
    pub repeat: bool,
    /// log2 of the instructions after which the encoder synchronizes; 0: never. 0..=20.
    pub sync: u8,
}

/// Largest [`Modes::sync`].
const MAX_SYNC: u8 = 20;

impl Modes {
    /// Branch history and nothing else.
    pub const BASE: Self = Self { btm: false, returns: 0, repeat: false, sync: 0 };
    /// History, returns from a stack as large as that of T-raptor `m4`, and repeated history: the fewest bits.
    pub const BEST: Self = Self { btm: false, returns: 8, repeat: true, sync: 0 };

    /// Options of the golden encoder. There is one source, and no time.
    pub fn options(self) -> Options {
        Options {
            history: !self.btm,
            returns: self.returns.into(),
            repeat: self.repeat,
            sync: (self.sync > 0).then(|| 1 << self.sync),
            trap_types: true,
            ..Options::default()
        }
    }
}

impl fmt::Display for Modes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ntrace")?;
        if self.btm {
            f.write_str("+btm")?;
        }
        if self.returns > 0 {
            write!(f, "+ir{}", self.returns)?;
        }
        if self.repeat {
            f.write_str("+rh")?;
        }
        if self.sync > 0 {
            write!(f, "+sync{}", 1 << self.sync)?;
        }
        Ok(())
    }
}

/// Error of a name that does not describe modes of N-Trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not known; expected ntrace, optionally followed by +btm, +ir1 to +ir32, +rh and +sync2 to +sync1048576 (a power of 2) in this order")]
pub struct UnknownModes(String);

impl FromStr for Modes {
    type Err = UnknownModes;

    fn from_str(name: &str) -> Result<Self, UnknownModes> {
        let unknown = || UnknownModes(name.to_string());
        let mut modes = Self::BASE;
        for mode in name.strip_prefix("ntrace").ok_or_else(unknown)?.split('+').skip(1) {
            match mode {
                "btm" => modes.btm = true,
                "rh" => modes.repeat = true,
                _ if mode.starts_with("sync") => {
                    let period = mode.strip_prefix("sync").and_then(|n| n.parse().ok());
                    let period: u32 = period.filter(|n: &u32| n.is_power_of_two()).ok_or_else(unknown)?;
                    modes.sync = period.trailing_zeros() as u8;
                    if !(1..=MAX_SYNC).contains(&modes.sync) {
                        return Err(unknown());
                    }
                }
                _ => {
                    let returns = mode.strip_prefix("ir").and_then(|n| n.parse().ok());
                    modes.returns = returns.filter(|n| (1..=32).contains(n)).ok_or_else(unknown)?;
                }
            }
        }
        // one spelling of each: no other order, repetition or leading zero
        if modes.to_string() == name {
            Ok(modes)
        } else {
            Err(unknown())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_parsed_back_and_others_refused() {
        for name in
            ["ntrace", "ntrace+btm", "ntrace+ir8", "ntrace+ir8+rh", "ntrace+sync2", "ntrace+btm+ir32+rh+sync1048576"]
        {
            assert_eq!(name.parse::<Modes>().unwrap().to_string(), name);
        }
        assert_eq!(Modes::BEST.to_string(), "ntrace+ir8+rh");
        for bad in [
            "",
            "ntrace+",
            "ntracex",
            "ntrace+ir",
            "ntrace+ir0",
            "ntrace+ir33",
            "ntrace+ir08",
            "ntrace+rh+ir8",
            "ntrace+sync",
            "ntrace+sync1",
            "ntrace+sync3",
            "ntrace+sync2097152",
            "ntrace+sync0064",
            "ntrace+sync64+ir8",
        ] {
            assert!(bad.parse::<Modes>().is_err(), "{bad}");
        }
    }

    #[test]
    fn modes_are_those_of_the_encoder() {
        let all = Modes { btm: true, returns: 4, repeat: true, sync: 6 }.options();
        assert_eq!((all.history, all.returns, all.repeat, all.sync), (false, 4, true, Some(64)));
        assert_eq!(Modes::BEST.options().sync, None);
        assert!(Modes::BASE.options().history);
    }
}
