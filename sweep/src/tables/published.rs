//! Published figures, for comparison

/// Paper 000 table 4: misprediction rates in percent for N = 1, 2, 4, 8.
pub struct PaperRates {
    /// Predictor set.
    pub set: &'static str,
    /// Outcome mispredictions of direct conditionals.
    pub outcome: [f64; 4],
    /// Target mispredictions of indirect branches.
    pub target: [f64; 4],
}

impl PaperRates {
    /// Its row of the table.
    pub fn row(&self) -> Vec<String> {
        let cells = self.outcome.iter().chain(&self.target).map(|v| format!("*{v:.2} %*"));
        std::iter::once(format!("*{}, paper 000*", self.set)).chain(cells).collect()
    }
}

/// Paper 000 table 4, totals over Splash2.
pub const RATES: [PaperRates; 3] = [
    PaperRates { set: "small", outcome: [7.86, 7.83, 7.20, 6.23], target: [8.47, 8.59, 8.58, 8.55] },
    PaperRates { set: "medium", outcome: [6.69, 6.67, 6.14, 5.31], target: [2.05, 2.12, 2.08, 2.05] },
    PaperRates { set: "large", outcome: [5.27, 5.26, 4.84, 4.20], target: [0.57, 0.58, 0.57, 0.57] },
];

/// Bits per instruction over all of Splash2, for N = 1, 2, 4, 8.
pub struct PaperBpi {
    /// This project's name of the scheme.
    pub scheme: &'static str,
    /// Time-stamped.
    pub timestamps: bool,
    /// Trace bits per instruction.
    pub bpi: [f64; 4],
}

/// Paper 000 tables 5 and 6, row "Total" (TR_b and TR_e with the large set).
pub const BPI: [PaperBpi; 6] = [
    PaperBpi { scheme: "nx_b", timestamps: false, bpi: [0.789, 0.858, 0.954, 1.061] },
    PaperBpi { scheme: "tr_b large", timestamps: false, bpi: [0.047, 0.052, 0.056, 0.057] },
    PaperBpi { scheme: "tr_e large", timestamps: false, bpi: [0.033, 0.038, 0.042, 0.045] },
    PaperBpi { scheme: "nx_b", timestamps: true, bpi: [1.419, 1.486, 1.614, 1.759] },
    PaperBpi { scheme: "tr_b large", timestamps: true, bpi: [0.104, 0.109, 0.112, 0.111] },
    PaperBpi { scheme: "tr_e large", timestamps: true, bpi: [0.087, 0.092, 0.095, 0.095] },
];

/// A program of this project of the same kind as one of Splash2, with that program's row of paper 000 table 5 for N =
/// 1: NX_b, TR_b (large), TR_e (large).
pub const SIMILAR_PROGRAMS: [(&str, &str, [f64; 3]); 3] = [
    ("fft", "fft", [0.803, 0.007, 0.007]),
    ("lu", "lu", [1.230, 0.061, 0.046]),
    ("radix", "radix", [0.546, 0.000, 0.000]),
];
