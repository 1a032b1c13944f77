//! PLL settings that make the clock of the cores from a board's oscillator
//!
//! # Source
//! iCE40: Lattice TN1251, `fout = fin (DIVF + 1) / (2^DIVQ (DIVR + 1))`. ECP5: Lattice TN1263, feedback from
//! CLKOP, `fout = fin CLKFB_DIV / CLKI_DIV`.

/// The PLL of an iCE40 with simple feedback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IcePll {
    /// Reference divider minus one. 0..=15.
    pub divr: u32,
    /// Feedback divider minus one. 0..=127.
    pub divf: u32,
    /// log2 of the output divider. 1..=6.
    pub divq: u32,
    /// Loop filter setting, from the phase detector's rate. 1..=6.
    pub filter: u32,
    /// Output frequency, kHz.
    pub khz: u32,
}

/// The PLL of an ECP5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EcpPll {
    /// Reference divider.
    pub clki: u32,
    /// Feedback divider.
    pub clkfb: u32,
    /// Output divider.
    pub clkop: u32,
    /// Output frequency, kHz.
    pub khz: u32,
}

impl IcePll {
    /// The setting whose output is nearest to, and not above, `khz`.
    pub fn find(input_khz: u32, khz: u32) -> Option<Self> {
        let mut best: Option<Self> = None;
        for divr in 0..16 {
            let detector = input_khz / (divr + 1);
            if !(10_000..=133_000).contains(&detector) {
                continue;
            }
            let filter = match detector {
                0..17_000 => 1,
                17_000..26_000 => 2,
                26_000..44_000 => 3,
                44_000..66_000 => 4,
                66_000..101_000 => 5,
                _ => 6,
            };
            for divf in 0..128 {
                let vco = u64::from(input_khz) * u64::from(divf + 1) / u64::from(divr + 1);
                if !(533_000..=1_066_000).contains(&vco) {
                    continue;
                }
                for divq in 1..=6 {
                    let out = (vco >> divq) as u32;
                    if out <= khz && best.is_none_or(|b| out > b.khz) {
                        best = Some(Self { divr, divf, divq, filter, khz: out });
                    }
                }
            }
        }
        best
    }
}

impl EcpPll {
    /// The setting whose output is nearest to, and not above, `khz`.
    pub fn find(input_khz: u32, khz: u32) -> Option<Self> {
        let mut best: Option<Self> = None;
        for clki in 1..=input_khz / 3_125 {
            for clkfb in 1..=80 {
                let out = (u64::from(input_khz) * u64::from(clkfb) / u64::from(clki)) as u32;
                if out > khz || best.is_some_and(|b| out <= b.khz) {
                    continue;
                }
                // the PLL's oscillator runs at 400 to 800 MHz
                let clkop = 600_000 / out.max(1);
                if (1..=128).contains(&clkop) && (400_000..=800_000).contains(&(clkop * out)) {
                    best = Some(Self { clki, clkfb, clkop, khz: out });
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ice40_settings_are_those_of_icepll() {
        // icepll -i 12 -o 48
        assert_eq!(IcePll::find(12_000, 48_000), Some(IcePll { divr: 0, divf: 63, divq: 4, filter: 1, khz: 48_000 }));
        // icepll -i 100 -o 40: the same frequency; among equal settings the smallest dividers
        let p = IcePll::find(100_000, 40_000).unwrap();
        assert_eq!(p.khz, 40_000);
        assert!((533_000..=1_066_000).contains(&(100_000 * (p.divf + 1) / (p.divr + 1))));
    }

    #[test]
    fn ecp5_settings_keep_the_oscillator_in_its_range() {
        for (input, out) in [(25_000, 50_000), (48_000, 50_000), (25_000, 65_000), (48_000, 24_000)] {
            let p = EcpPll::find(input, out).unwrap();
            assert!(p.khz <= out && p.khz >= out * 96 / 100, "{p:?}");
            assert!((400_000..=800_000).contains(&(p.khz * p.clkop)), "{p:?}");
        }
    }

    #[test]
    fn an_impossible_clock_gives_none() {
        assert_eq!(IcePll::find(12_000, 5_000), None);
        assert_eq!(EcpPll::find(2_000, 50_000), None);
    }
}
