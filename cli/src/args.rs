//! Arguments that several commands take: inputs, how programs are run, trace parameters

use crate::error::Failure;
use clap::{Args, ValueEnum};
use fpga::soc::core::CoreKind;
use host::input::{Beside, Input};
use host::machine::{Settings, TimingModel};
use host::run::Run;
use sim::params::{named_set, Coding, ParamError, Scheme, TraceParams};
use sim::scheme::{parse_coding, parse_set};
use sim::stream_cache::{Hash, StreamCacheParams, Variant};

/// When instructions retire in the built-in simulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TimingName {
    /// Caches and latencies of paper 000 section 2
    Papers,
    /// One cycle an instruction
    Functional,
}

impl From<TimingName> for TimingModel {
    fn from(name: TimingName) -> Self {
        match name {
            TimingName::Papers => Self::Papers,
            TimingName::Functional => Self::Functional,
        }
    }
}

/// How a program is run.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Built-in simulator")]
pub struct MachineArgs {
    /// Harts that run the program, 1 to 8 [default: 1]
    #[arg(long, value_name = "N")]
    pub harts: Option<u8>,
    /// When instructions retire [default: papers]
    #[arg(long, value_enum)]
    pub timing: Option<TimingName>,
    /// 0: all harts start at once; else each a little late, as the number says [default: 0]
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Stop after so many instructions of all harts
    #[arg(long, value_name = "N")]
    pub max_instructions: Option<u64>,
}

impl MachineArgs {
    /// How they run a program.
    pub fn settings(&self) -> Settings {
        Settings {
            timing: self.timing.map_or_else(TimingModel::default, Into::into),
            seed: self.seed.unwrap_or(0),
            max_instructions: self.max_instructions,
        }
    }

    /// The first of them that was given.
    pub fn given(&self) -> Option<&'static str> {
        [
            ("--harts", self.harts.is_some()),
            ("--timing", self.timing.is_some()),
            ("--seed", self.seed.is_some()),
            ("--max-instructions", self.max_instructions.is_some()),
        ]
        .into_iter()
        .find_map(|(name, given)| given.then_some(name))
    }
}

/// The program beside a recording or a trace.
#[derive(Args, Clone, Debug, Default)]
pub struct ProgramArgs {
    /// The program that a recording or a trace file is of
    #[arg(long, value_name = "ELF|builtin:NAME")]
    pub elf: Option<String>,
    /// Take the program although the recording or the trace names another build
    #[arg(long)]
    pub any_build: bool,
}

impl ProgramArgs {
    /// The same for the library.
    pub fn beside(&self) -> Beside<'_> {
        Beside { elf: self.elf.as_deref(), any_build: self.any_build }
    }
}

/// An input as the command line has it.
pub struct Source {
    /// What it is.
    pub input: Input,
    settings: Settings,
    harts: u8,
}

impl Source {
    /// Opens it; settings of the simulator go with programs only.
    pub fn open(name: &str, program: &ProgramArgs, machine: &MachineArgs) -> Result<Self, Failure> {
        let input = Input::open_with(name, program.beside())?;
        if let Some(option) = machine.given().filter(|_| input.is_recording()) {
            return Err(Failure::Other(format!(
                "{name}: is a retire file, a run that is over; {option} is for programs"
            )));
        }
        let source = Self { input, settings: machine.settings(), harts: machine.harts.unwrap_or(1) };
        source.run()?;
        Ok(source)
    }

    /// Stops a program after so many instructions, if not before.
    pub fn limit(&mut self, instructions: u64) {
        let most = self.settings.max_instructions.unwrap_or(instructions);
        self.settings.max_instructions = Some(most.min(instructions));
    }

    /// Its run.
    pub fn run(&self) -> Result<Run<'_>, Failure> {
        Ok(self.input.run(self.harts, &self.settings)?)
    }
}

/// Predictors and encoding of a trace.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Trace parameters")]
pub struct ParamArgs {
    #[command(flatten)]
    pub stream_cache: StreamCacheArgs,
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
    /// Address bits that are always 0: 2 for code without the C extension [default: 1, or 0 where the input has code
    /// at odd addresses]
    #[arg(long, value_name = "BITS")]
    pub align: Option<u8>,
    /// Width of the instruction and branch counters, 16 to 24
    #[arg(long, value_name = "BITS", default_value_t = 20)]
    pub count_bits: u8,
    /// Width of the cycle counter, 16 to 32
    #[arg(long, value_name = "BITS", default_value_t = 32)]
    pub cc_bits: u8,
}

/// What a trace is made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchemeName {
    /// Predictors, or Nexus-like: what --set and --encoding say
    Tr,
    /// Stream cache and last stream predictor: what --variant, --sets and --ways say
    ScLsp,
}

/// Scheme of a stream cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum VariantName {
    /// A bit for every predicted stream, whole start addresses
    Base,
    /// Counted predicted streams, upper address bits in a last-value register
    Ebase,
    /// As ebase, with the upper address bits out of the stream cache
    Rbase,
}

/// Shape of a stream cache.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Stream cache (with --scheme sc-lsp)")]
pub struct StreamCacheArgs {
    /// What the trace is made with [default: tr]
    #[arg(long, value_enum)]
    pub scheme: Option<SchemeName>,
    /// Variant of paper 001 [default: rbase]
    #[arg(long, value_enum)]
    pub variant: Option<VariantName>,
    /// Sets, a power of two; sets times ways is 32 to 1024 [default: 32]
    #[arg(long, value_name = "N")]
    pub sets: Option<u16>,
    /// Ways: 1, 2, 4 or 8 [default: 4]
    #[arg(long, value_name = "N")]
    pub ways: Option<u8>,
    /// Shift of the start address in the set index: right or left, and 0 to 8 bits [default: right4]
    #[arg(long, value_name = "rightN|leftN")]
    pub hash: Option<String>,
}

impl StreamCacheArgs {
    fn given(&self) -> Option<&'static str> {
        [
            ("--variant", self.variant.is_some()),
            ("--sets", self.sets.is_some()),
            ("--ways", self.ways.is_some()),
            ("--hash", self.hash.is_some()),
        ]
        .into_iter()
        .find_map(|(name, given)| given.then_some(name))
    }

    /// The shape, where the scheme is `sc-lsp`, and the name of the preset that it is.
    fn resolve(&self) -> Result<Option<(StreamCacheParams, Option<String>)>, Failure> {
        if self.scheme != Some(SchemeName::ScLsp) {
            return match self.given() {
                Some(option) => {
                    Err(Failure::Other(format!("{option} is of stream caches; it goes with --scheme sc-lsp")))
                }
                None => Ok(None),
            };
        }
        let variant = match self.variant {
            Some(VariantName::Base) => Variant::Base,
            Some(VariantName::Ebase) => Variant::Ebase,
            Some(VariantName::Rbase) | None => Variant::Rbase,
        };
        let mut p = StreamCacheParams::new(variant, self.sets.unwrap_or(32), self.ways.unwrap_or(4));
        if let Some(text) = &self.hash {
            let parsed = [("right", Hash::Right), ("left", Hash::Left)]
                .into_iter()
                .find_map(|(name, hash)| Some((hash, text.strip_prefix(name)?.parse().ok()?)));
            (p.hash, p.shift) = parsed.ok_or_else(|| {
                Failure::Other(format!(
                    "hash `{text}` is not known: right or left and a number of bits, as right4, are"
                ))
            })?;
        }
        let name = p.to_string();
        let preset = StreamCacheParams::named(&name).is_ok_and(|n| n == p);
        Ok(Some((p, preset.then_some(name))))
    }
}

impl ParamArgs {
    /// The parameters for `cores` cores of `xlen` bits, and the name of the set where it has one. Addresses are those of
    /// RISC-V unless `--align` says otherwise.
    pub fn resolve(&self, cores: u8, xlen: u8) -> Result<(TraceParams, Option<String>), Failure> {
        self.resolve_for(cores, xlen, 1)
    }

    /// As [`ParamArgs::resolve`], where the input says how many address bits are always 0.
    pub fn resolve_for(&self, cores: u8, xlen: u8, align: u8) -> Result<(TraceParams, Option<String>), Failure> {
        let align = self.align.unwrap_or(align);
        if let Some((sc, name)) = self.stream_cache.resolve()? {
            let params = TraceParams {
                timestamps: self.timestamps,
                cores,
                xlen,
                align,
                count_bits: self.count_bits,
                cc_bits: self.cc_bits,
                ..TraceParams::sc_lsp(sc)
            };
            params.check()?;
            return Ok((params, name));
        }
        let (mut predictor, tr_e) = parse_set(&self.set)?;
        let name = named_set(&self.set).is_ok().then(|| self.set.clone());
        predictor.pc_shift = self.pc_shift;
        predictor.upper_bits = self.upper_bits;
        let params = TraceParams {
            predictor,
            scheme: scheme(&self.encoding, tr_e)?,
            timestamps: self.timestamps,
            cores,
            xlen,
            align,
            count_bits: self.count_bits,
            cc_bits: self.cc_bits,
        };
        params.check()?;
        Ok((params, name))
    }
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
                "tr" => Scheme::Tr(parse_coding(fields, tr_e).ok_or_else(unknown)?),
                "nx_b" => Scheme::NxB(parse_coding(fields, Coding::TR_B).ok_or_else(unknown)?),
                _ => return Err(unknown()),
            }
        }
    })
}

/// Softcores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CoreName {
    /// RV32IM, 4 to 8 clocks an instruction, no interrupts
    Picorv32,
    /// RV32IMC with machine mode, five pipeline stages
    Vexriscv,
    /// RV32IMC with machine mode, two pipeline stages
    Ibex,
    /// RV32I with machine mode and the timer interrupt, 36 or 71 clocks an instruction
    Serv,
}

impl From<CoreName> for CoreKind {
    fn from(name: CoreName) -> Self {
        match name {
            CoreName::Picorv32 => Self::Picorv32,
            CoreName::Vexriscv => Self::Vexriscv,
            CoreName::Ibex => Self::Ibex,
            CoreName::Serv => Self::Serv,
        }
    }
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
            stream_cache: StreamCacheArgs::default(),
            set: set.into(),
            encoding: encoding.into(),
            timestamps: false,
            pc_shift: 1,
            upper_bits: 0,
            align: None,
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
    fn a_stream_cache_is_asked_for_by_scheme_and_sizes() {
        let mut a = args("small", "tr_e");
        a.stream_cache.sets = Some(64);
        let say = |a: &ParamArgs| a.resolve(2, 32).unwrap_err().to_string();
        assert_eq!(say(&a), "--sets is of stream caches; it goes with --scheme sc-lsp");
        a.stream_cache.scheme = Some(SchemeName::ScLsp);
        let (p, name) = a.resolve(2, 32).unwrap();
        assert_eq!(p.stream_cache(), Some(StreamCacheParams::new(Variant::Rbase, 64, 4)));
        assert_eq!((p.cores, name.as_deref()), (2, Some("rbase-64x4")));
        a.stream_cache.hash = Some("left2".into());
        let (p, name) = a.resolve(2, 32).unwrap();
        assert_eq!(p.stream_cache().map(|s| (s.hash, s.shift)), Some((Hash::Left, 2)));
        assert_eq!(name, None);
        for bad in ["up4", "right", "4", "right-1"] {
            a.stream_cache.hash = Some(bad.into());
            assert_eq!(
                say(&a),
                format!("hash `{bad}` is not known: right or left and a number of bits, as right4, are")
            );
        }
        a.stream_cache.hash = Some("right9".into());
        assert_eq!(say(&a), "shift = 9 is outside 0 to 8");
        a.stream_cache.hash = None;
        let functional = a.resolve(1, 32).unwrap().0;
        a.timestamps = true;
        let timed = a.resolve(1, 32).unwrap().0;
        assert!(timed.timestamps && timed.fingerprint() != functional.fingerprint());
    }

    #[test]
    fn chunk_sizes_can_be_given_one_by_one() {
        let (p, _) = args("small", "tr(bcnt=8,8;diffta=16,16;diffcc=8,8;icnt=8,8)").resolve(1, 32).unwrap();
        assert_eq!(p.scheme, Scheme::Tr(Coding::TR_B));
        let (p, _) = args("small", "tr(bcnt=5,1)").resolve(1, 32).unwrap();
        assert_eq!(p.scheme, Scheme::Tr(Coding { b_cnt: sim::params::Chunks::new(5, 1), ..Coding::TR_E }));
        for bad in ["tr", "tr(", "tr()", "tr(bcnt=3)", "tr(x=3,2)", "tr(bcnt=3,2", "foo(bcnt=3,2)", "tr(bcnt=300,2)"] {
            assert!(args("small", bad).resolve(1, 32).unwrap_err().to_string().contains("is not known"), "{bad}");
        }
    }
}
