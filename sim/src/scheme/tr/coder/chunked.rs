//! Chunks with connect bits: `tr_b`, `tr_e` and all other chunk sizes
//!
//! Numbers are [`crate::chunk`]s; fields of fixed width are sent unchanged.
//!
//! # Source
//! Chunk sizes: paper 000 sections 4 and 5, paper 002 sections 4 and 5.2.

use super::CoderSizes;
use crate::bits::{BitReader, BitWriter};
use crate::chunk::{self, Chunks, Layout};
use crate::message::CodingError;
use crate::platform::ParamError;
use crate::scheme::fields::{Code, Field};
use serde::{Deserialize, Serialize};

/// Chunk sizes of all variable fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Coding {
    /// `bCnt`; in `nx_b` the stream length SL.
    pub b_cnt: Chunks,
    /// `|diffTA|`; also used for every other address difference.
    pub diff_ta: Chunks,
    /// `diffCC`.
    pub diff_cc: Chunks,
    /// `iCnt` of escape messages.
    pub i_cnt: Chunks,
}

impl Coding {
    /// Base encoding of paper 000 figure 7b.
    pub const TR_B: Self = Self {
        b_cnt: Chunks::new(8, 8),
        diff_ta: Chunks::new(16, 16),
        diff_cc: Chunks::new(8, 8),
        i_cnt: Chunks::new(8, 8),
    };
    /// Variable encoding of paper 000 figure 7c with the sizes of its section 5.
    pub const TR_E: Self = Self {
        b_cnt: Chunks::new(3, 2),
        diff_ta: Chunks::new(3, 4),
        diff_cc: Chunks::new(4, 2),
        i_cnt: Chunks::new(2, 2),
    };
    /// `TR_E` with the shorter `bCnt` chunks that paper 002 section 5.2 found for sets without a
    /// target predictor (s0, m0, b0).
    pub const TR_E_SHORT: Self = Self { b_cnt: Chunks::new(2, 1), ..Self::TR_E };

    /// `tr_e` for a set with or without a target predictor.
    pub const fn tr_e(targets: bool) -> Self {
        if targets {
            Self::TR_E
        } else {
            Self::TR_E_SHORT
        }
    }

    /// Parses chunk sizes such as `bcnt=2,1;icnt=2,2`; omitted fields are those of `self`.
    pub fn with(mut self, fields: &str) -> Option<Self> {
        for field in fields.split(';') {
            let (name, value) = field.trim().split_once('=')?;
            let (first, next) = value.split_once(',')?;
            let chunks = Chunks::new(first.trim().parse().ok()?, next.trim().parse().ok()?);
            *match name.trim() {
                "bcnt" => &mut self.b_cnt,
                "diffta" => &mut self.diff_ta,
                "diffcc" => &mut self.diff_cc,
                "icnt" => &mut self.i_cnt,
                _ => return None,
            } = chunks;
        }
        Some(self)
    }

    /// `kind(...)` with the fields that differ from `base`; `None` if no field differs.
    pub fn difference(&self, kind: &str, base: &Self) -> Option<String> {
        let fields = [
            ("bcnt", self.b_cnt, base.b_cnt),
            ("diffta", self.diff_ta, base.diff_ta),
            ("diffcc", self.diff_cc, base.diff_cc),
            ("icnt", self.i_cnt, base.i_cnt),
        ];
        let other: Vec<_> =
            fields.iter().filter(|(_, own, base)| own != base).map(|(name, own, _)| format!("{name}={own}")).collect();
        (!other.is_empty()).then(|| format!("{kind}({})", other.join(";")))
    }

    /// All sizes, in a fixed order.
    pub fn sizes(&self) -> String {
        format!("bcnt={} diffta={} diffcc={} icnt={}", self.b_cnt, self.diff_ta, self.diff_cc, self.i_cnt)
    }

    /// Rejects sizes outside their ranges.
    pub fn check(&self) -> Result<(), ParamError> {
        for (field, c) in [
            ("bcnt chunk", self.b_cnt),
            ("diffta chunk", self.diff_ta),
            ("diffcc chunk", self.diff_cc),
            ("icnt chunk", self.i_cnt),
        ] {
            for v in [c.first, c.next] {
                ParamError::unless((1..=16).contains(&v), field, v.into(), "1 to 16")?;
            }
        }
        Ok(())
    }
}

impl CoderSizes for Coding {
    type Code = Chunked;
    const EXAMPLES: &'static [&'static str] =
        &["tr_e", "tr_b", "tr(bcnt=1,1;diffta=1,1;diffcc=1,1;icnt=1,1)", "tr(bcnt=16,16;diffcc=16,16;icnt=16,16)"];
    const FORMS: &'static [&'static str] = &["tr_e:SET", "tr_b:SET", "tr(bcnt=3,2;diffta=3,4;diffcc=4,2;icnt=2,2):SET"];

    fn parse(text: &str, targets: bool) -> Option<Self> {
        match text {
            "tr_e" => Some(Self::tr_e(targets)),
            "tr_b" => Some(Self::TR_B),
            _ => Self::tr_e(targets).with(text.strip_prefix("tr(")?.strip_suffix(')')?),
        }
    }

    fn name(&self, targets: bool) -> String {
        if *self == Self::TR_B {
            return "tr_b".into();
        }
        self.difference("tr", &Self::tr_e(targets)).unwrap_or_else(|| "tr_e".into())
    }

    fn canonical(&self) -> String {
        format!("tr {}", self.sizes())
    }

    fn check(&self) -> Result<(), ParamError> {
        Coding::check(self)
    }

    fn code(&self) -> Chunked {
        Chunked::new(*self)
    }
}

/// The code of chunked fields.
#[derive(Clone, Debug)]
pub struct Chunked {
    coding: Coding,
    /// How `coding` is read.
    b_cnt: Layout,
    diff_ta: Layout,
    diff_cc: Layout,
    i_cnt: Layout,
}

impl Chunked {
    /// A code with these chunk sizes.
    pub const fn new(coding: Coding) -> Self {
        Self {
            coding,
            b_cnt: Layout::new(coding.b_cnt),
            diff_ta: Layout::new(coding.diff_ta),
            diff_cc: Layout::new(coding.diff_cc),
            i_cnt: Layout::new(coding.i_cnt),
        }
    }

    #[inline]
    fn chunks(&self, field: Field) -> Chunks {
        match field {
            Field::DiffCc => self.coding.diff_cc,
            Field::DiffTa => self.coding.diff_ta,
            Field::ICnt | Field::Lost => self.coding.i_cnt,
            // the others have a fixed width
            Field::Count
            | Field::Core
            | Field::Sign
            | Field::Taken
            | Field::Kind
            | Field::Context
            | Field::Signature => self.coding.b_cnt,
        }
    }
}

impl Code for Chunked {
    #[inline]
    fn number(&mut self, field: Field, value: u64, out: &mut BitWriter) {
        chunk::write(value, self.chunks(field), out);
    }

    #[inline]
    fn bits(&mut self, _: Field, value: u64, bits: u32, out: &mut BitWriter) {
        out.push(value, bits);
    }

    fn flush(&mut self, _: &mut BitWriter) {}

    #[inline(always)]
    fn read_number<I: Iterator<Item = u32>>(
        &mut self,
        field: Field,
        bits: u32,
        input: &mut BitReader<I>,
    ) -> Result<u64, CodingError> {
        let layout = match field {
            Field::DiffCc => &self.diff_cc,
            Field::DiffTa => &self.diff_ta,
            Field::ICnt | Field::Lost => &self.i_cnt,
            // the others have a fixed width
            _ => &self.b_cnt,
        };
        layout.read(field.name(), bits, input)
    }

    #[inline(always)]
    fn read_bits<I: Iterator<Item = u32>>(
        &mut self,
        _: Field,
        bits: u32,
        input: &mut BitReader<I>,
    ) -> Result<u64, CodingError> {
        input.take(bits).ok_or(CodingError::Truncated)
    }

    fn read_flush<I: Iterator<Item = u32>>(&mut self, _: &mut BitReader<I>) -> Result<(), CodingError> {
        Ok(())
    }
}
