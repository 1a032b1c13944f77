//! Arguments that several commands take: trace parameters

use crate::error::Failure;
use clap::Args;
use sim::params::{named_set, Chunks, Coding, ParamError, PredictorParams, Scheme, TraceParams};

/// Predictors and encoding of a trace.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Trace parameters")]
pub struct ParamArgs {
    /// Predictor set: small, medium, large, s0 to s4, m0 to m4, b0 to b4, or entries of gshare/RAS/iBTB
    #[arg(long, value_name = "NAME|G/R/Q", default_value = "small")]
    pub set: String,
    /// Encoding: tr_e, tr_b, nx_b, nexs, or chunk sizes as tr(bcnt=3,2;diffta=3,4;diffcc=4,2;icnt=2,2);
    /// fields left out are those of tr_e, and of tr_b in nx_b(...)
    #[arg(long, value_name = "ENCODING", default_value = "tr_e")]
    pub encoding: String,
    /// Every message carries the cycles since the one before
    #[arg(long)]
    pub timestamps: bool,
    /// Right shift of the PC in table indices, 0 to 4
    #[arg(long, value_name = "BITS", default_value_t = 1)]
    pub pc_shift: u8,
    /// Upper target bits in a last-value register: 0 (none) or 12
    #[arg(long, value_name = "BITS", default_value_t = 0)]
    pub upper_bits: u8,
    /// Address bits that are always 0: 1, or 2 for code without the C extension
    #[arg(long, value_name = "BITS", default_value_t = 1)]
    pub align: u8,
    /// Width of the instruction and branch counters, 16 to 24
    #[arg(long, value_name = "BITS", default_value_t = 20)]
    pub count_bits: u8,
    /// Width of the cycle counter, 16 to 32
    #[arg(long, value_name = "BITS", default_value_t = 32)]
    pub cc_bits: u8,
}

impl ParamArgs {
    /// The parameters for `cores` cores of `xlen` bits, and the name of the set where it has one.
    pub fn resolve(&self, cores: u8, xlen: u8) -> Result<(TraceParams, Option<String>), Failure> {
        let (mut predictor, tr_e, name) = match sizes(&self.set) {
            Some(p) => {
                let short = p.ras == 0 && p.ibtb == 0;
                (p, if short { Coding::TR_E_SHORT } else { Coding::TR_E }, None)
            }
            None => {
                let named = named_set(&self.set)?;
                (named.predictor, named.tr_e, Some(self.set.clone()))
            }
        };
        predictor.pc_shift = self.pc_shift;
        predictor.upper_bits = self.upper_bits;
        let params = TraceParams {
            predictor,
            scheme: scheme(&self.encoding, tr_e)?,
            timestamps: self.timestamps,
            cores,
            xlen,
            align: self.align,
            count_bits: self.count_bits,
            cc_bits: self.cc_bits,
        };
        params.check()?;
        Ok((params, name))
    }
}

/// `G/R/Q` as sizes; anything else is taken for a name.
fn sizes(text: &str) -> Option<PredictorParams> {
    let mut parts = text.split('/');
    let p =
        PredictorParams::sizes(parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    parts.next().is_none().then_some(p)
}

fn scheme(text: &str, tr_e: Coding) -> Result<Scheme, Failure> {
    Ok(match text {
        "tr_e" => Scheme::Tr(tr_e),
        "tr_b" => Scheme::Tr(Coding::TR_B),
        "nx_b" => Scheme::NxB(Coding::TR_B),
        "nexs" => Scheme::NexS,
        _ => {
            let unknown = || {
                Failure::Other(format!(
                    "encoding `{text}` is not known: tr_e, tr_b, nx_b, nexs, or chunk sizes as \
                     tr(bcnt=3,2;diffta=3,4;diffcc=4,2;icnt=2,2) are"
                ))
            };
            let (kind, rest) = text.split_once('(').ok_or_else(unknown)?;
            let fields = rest.strip_suffix(')').ok_or_else(unknown)?;
            match kind {
                "tr" => Scheme::Tr(coding(fields, tr_e).ok_or_else(unknown)?),
                "nx_b" => Scheme::NxB(coding(fields, Coding::TR_B).ok_or_else(unknown)?),
                _ => return Err(unknown()),
            }
        }
    })
}

fn coding(fields: &str, mut coding: Coding) -> Option<Coding> {
    for field in fields.split(';') {
        let (name, value) = field.trim().split_once('=')?;
        let (first, next) = value.split_once(',')?;
        let chunks = Chunks::new(first.trim().parse().ok()?, next.trim().parse().ok()?);
        *match name.trim() {
            "bcnt" => &mut coding.b_cnt,
            "diffta" => &mut coding.diff_ta,
            "diffcc" => &mut coding.diff_cc,
            "icnt" => &mut coding.i_cnt,
            _ => return None,
        } = chunks;
    }
    Some(coding)
}

/// Refuses a number of cores that no trace system has, before anything is run.
pub fn check_cores(cores: u8) -> Result<(), ParamError> {
    if (1..=16).contains(&cores) {
        Ok(())
    } else {
        Err(ParamError::Range { field: "cores", value: cores.into(), right: "1 to 16" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(set: &str, encoding: &str) -> ParamArgs {
        ParamArgs {
            set: set.into(),
            encoding: encoding.into(),
            timestamps: false,
            pc_shift: 1,
            upper_bits: 0,
            align: 1,
            count_bits: 20,
            cc_bits: 32,
        }
    }

    #[test]
    fn names_and_sizes_give_the_same_parameters() {
        let (named, name) = args("medium", "tr_e").resolve(2, 32).unwrap();
        let (sizes, none) = args("1024/16/16", "tr_e").resolve(2, 32).unwrap();
        assert_eq!(named, sizes);
        assert_eq!((name.as_deref(), none), (Some("medium"), None));
        // without a target predictor the short form of tr_e is meant
        let (s0, _) = args("s0", "tr_e").resolve(1, 32).unwrap();
        assert_eq!(args("256/0/0", "tr_e").resolve(1, 32).unwrap().0, s0);
    }

    #[test]
    fn chunk_sizes_can_be_given_one_by_one() {
        let (p, _) = args("small", "tr(bcnt=8,8;diffta=16,16;diffcc=8,8;icnt=8,8)").resolve(1, 32).unwrap();
        assert_eq!(p.scheme, Scheme::Tr(Coding::TR_B));
        let (p, _) = args("small", "tr(bcnt=5,1)").resolve(1, 32).unwrap();
        assert_eq!(p.scheme, Scheme::Tr(Coding { b_cnt: Chunks::new(5, 1), ..Coding::TR_E }));
        for bad in ["tr", "tr(", "tr()", "tr(bcnt=3)", "tr(x=3,2)", "tr(bcnt=3,2", "foo(bcnt=3,2)", "tr(bcnt=300,2)"] {
            assert!(args("small", bad).resolve(1, 32).unwrap_err().to_string().contains("is not known"), "{bad}");
        }
    }
}
