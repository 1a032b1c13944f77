//! Arguments that several commands take: inputs, how programs are run, trace parameters
//!
//! Every argument of the trace parameters is shorthand for a part of a scheme's name, which is put together here and
//! read where all names are ([`sim::scheme`]), so that no two commands can mean different things.

use crate::error::Failure;
use crate::output::Object;
use crate::progress::Bars;
use clap::{Args, ValueEnum};
use fpga::soc::core::CoreKind;
use host::input::{Beside, Input, Named};
use host::machine::{Settings, TimingModel, TimingOptions};
use host::run::Run;
use host::views::source::Replayed;
use sim::lane::SyncPeriod;
use sim::params::{DataScheme, FlowScheme, ParamError, Platform, TraceParams};
use sim::scheme::sc_lsp::StreamCacheParams;
use std::path::PathBuf;

pub mod contexts;
mod listed;
pub use listed::FilterArgs;

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

/// A trace or a recorded run, and its program.
#[derive(Args, Debug)]
pub struct Execution {
    /// Trace file, words of own hardware, or recorded run (`encode --scheme inputs`)
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// The program it is of: RISC-V executable, or builtin:NAME
    #[arg(long, value_name = "ELF|builtin:NAME")]
    pub elf: String,
    /// Take the program although the trace names another build
    #[arg(long)]
    pub any_build: bool,
    /// Of words that are no trace file: parameters as `gen` writes them [default: parameters.json beside the words]
    #[arg(long, value_name = "FILE")]
    pub parameters: Option<PathBuf>,
}

impl Execution {
    /// The program, and whether its build must be that of the trace.
    pub fn beside(&self) -> Beside<'_> {
        Beside {
            elf: Some(&self.elf),
            any_build: self.any_build,
            parameters: self.parameters.as_deref(),
            ..Beside::default()
        }
    }

    /// Both, opened.
    pub fn open(&self) -> Result<(Replayed, Named), Failure> {
        Ok(Replayed::open(&self.trace, &self.elf, self.beside(), &Bars)?)
    }

    /// What JSON of `command` begins with.
    pub fn object(&self, command: &str) -> Object {
        Object::new(command, &self.trace.display().to_string()).with("program", self.elf.clone().into())
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
    /// Caches and latencies that are not those of the papers: l1_bytes=16384,memory_latency=100; also l1_ways,
    /// l1_latency, l2_bytes_per_hart, l2_ways, l2_latency, line_bytes, redirect, mul, div
    #[arg(long, value_name = "NAME=N,...")]
    pub caches: Option<TimingOptions>,
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
            caches: self.caches.unwrap_or_default(),
            seed: self.seed.unwrap_or(0),
            max_instructions: self.max_instructions,
        }
    }

    /// The first of them that was given.
    pub fn given(&self) -> Option<&'static str> {
        [
            ("--harts", self.harts.is_some()),
            ("--timing", self.timing.is_some()),
            ("--caches", self.caches.is_some()),
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
        Beside { elf: self.elf.as_deref(), any_build: self.any_build, ..Beside::default() }
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
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Trace parameters")]
pub struct ParamArgs {
    #[command(flatten)]
    pub stream_cache: StreamCacheArgs,
    /// What the trace is made with: a scheme by its whole name as in `goshawk sweep`, say tr_e:m4+shift2 or
    /// sc-lsp:rbase-32x4, for `encode` and `soc sim` with load values beside as tr_e:small,cfiat:16k; or inputs, cfiat, which send no control flow; or tr, what --set and --encoding say; or sc-lsp, what --variant, --sets and --ways say
    /// [default: tr]
    #[arg(long, value_name = "NAME")]
    pub scheme: Option<String>,
    /// Predictor set: small, medium, large, s0 to s4, m0 to m4, b0 to b4, or entries of gshare/RAS/iBTB
    /// [default: small]
    #[arg(long, value_name = "NAME|G/R/Q")]
    pub set: Option<String>,
    /// Encoding: tr_e, tr_b, golomb, nx_b, nexs, or chunk sizes as tr(bcnt=3,2;diffta=3,4;diffcc=4,2;icnt=2,2);
    /// fields left out are those of tr_e, and of tr_b in nx_b(...) [default: tr_e]
    #[arg(long, value_name = "ENCODING")]
    pub encoding: Option<String>,
    /// Every message carries the cycles since the one before
    #[arg(long)]
    pub timestamps: bool,
    /// Right shift of the PC in table indices, 0 to 4 [default: 1]
    #[arg(long, value_name = "BITS")]
    pub pc_shift: Option<u8>,
    /// Upper target bits in a last-value register: 0 (none) or 12 [default: 0]
    #[arg(long, value_name = "BITS")]
    pub upper_bits: Option<u8>,
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
    /// Tell contexts: privilege mode, and so many bits of the number of the address space, 0 to 16 [default: they are not told]
    #[arg(long, value_name = "BITS")]
    pub context: Option<u8>,
}

/// How often a decoder can begin.
#[derive(Args, Clone, Debug, Default)]
pub struct SyncArgs {
    /// Send the header again, and tell every core anew, every 2^N instructions of core 0, 10 to 31, or every so many bytes of
    /// the trace, 64B to 2147483648B, so that a trace can be read from its middle [default: never]
    #[arg(long, value_name = "N|NB", value_parser = sync_period)]
    pub sync_period: Option<SyncPeriod>,
}

fn sync_period(text: &str) -> Result<SyncPeriod, String> {
    let right = || "10 to 31 would be right, or a power of two from 64B to 2147483648B".to_string();
    if let Some(bytes) = text.strip_suffix('B') {
        let bytes = bytes.parse::<u32>().ok().filter(|n| n.is_power_of_two()).ok_or_else(right)?;
        return SyncPeriod::of_bytes(bytes.trailing_zeros() as u8).map_err(|_| right());
    }
    let log2 = text.parse().map_err(|_| right())?;
    SyncPeriod::new(log2).map_err(|e| e.to_string())
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
    /// The first argument that was given.
    fn given(&self) -> Option<&'static str> {
        first([
            ("--variant", self.variant.is_some()),
            ("--sets", self.sets.is_some()),
            ("--ways", self.ways.is_some()),
            ("--hash", self.hash.is_some()),
        ])
    }

    fn name(&self) -> String {
        let variant = match self.variant {
            Some(VariantName::Base) => "base",
            Some(VariantName::Ebase) => "ebase",
            Some(VariantName::Rbase) | None => "rbase",
        };
        let hash = self.hash.as_ref().map(|hash| format!("+{hash}")).unwrap_or_default();
        format!("sc-lsp:{variant}-{}x{}{hash}", self.sets.unwrap_or(32), self.ways.unwrap_or(4))
    }
}

fn first<const N: usize>(arguments: [(&'static str, bool); N]) -> Option<&'static str> {
    arguments.into_iter().find_map(|(name, given)| given.then_some(name))
}

impl ParamArgs {
    /// Refuses what else of a trace of the control flow was given beside a scheme that sends none.
    pub fn only_scheme(&self, scheme: &str, sync: &SyncArgs) -> Result<(), Failure> {
        let given = [
            ("--set", self.set.is_some()),
            ("--encoding", self.encoding.is_some()),
            ("--timestamps", self.timestamps),
            ("--pc-shift", self.pc_shift.is_some()),
            ("--upper-bits", self.upper_bits.is_some()),
            ("--align", self.align.is_some()),
            ("--context", self.context.is_some()),
            ("--sync-period", sync.sync_period.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((option, _)) => {
                Err(Failure::Other(format!("{option} is not for the scheme `{scheme}`, which sends no control flow")))
            }
            None => Ok(()),
        }
    }

    /// Refuses contexts where what is traced has none.
    pub fn no_context(&self, what: &str) -> Result<(), Failure> {
        match self.context {
            Some(_) => Err(Failure::Other(format!("--context is not for {what}, of which no context is known"))),
            None => Ok(()),
        }
    }

    /// Whether the scheme's name says with what load values are traced beside it.
    pub fn names_data(&self) -> bool {
        self.scheme.as_deref().is_some_and(|name| matches!(TraceParams::schemes(name), Ok((_, Some(_)))))
    }

    /// The first argument of predictors and encoding that was given.
    fn given(&self) -> Option<&'static str> {
        first([
            ("--set", self.set.is_some()),
            ("--encoding", self.encoding.is_some()),
            ("--pc-shift", self.pc_shift.is_some()),
            ("--upper-bits", self.upper_bits.is_some()),
        ])
    }

    /// The name of the scheme that the arguments say.
    pub fn name(&self) -> Result<String, Failure> {
        let no = |given: Option<&str>, why: &str| match given {
            Some(argument) => Err(Failure::Other(format!("{argument} is of {why}"))),
            None => Ok(()),
        };
        match self.scheme.as_deref() {
            None | Some("tr") => {
                no(self.stream_cache.given(), "stream caches; it goes with --scheme sc-lsp")?;
                let encoding = self.encoding.as_deref().unwrap_or("tr_e");
                // a Nexus-like encoding is a name without a set; what is none with a set either is refused as it is
                let needs_set = FlowScheme::find(&format!("{encoding}:small")).is_some();
                if FlowScheme::find(encoding).is_some() || !needs_set {
                    return Ok(encoding.to_string());
                }
                let mut name = format!("{encoding}:{}", self.set.as_deref().unwrap_or("small"));
                name.extend(self.pc_shift.map(|n| format!("+shift{n}")));
                name.extend(self.upper_bits.map(|n| format!("+upper{n}")));
                Ok(name)
            }
            Some("sc-lsp") => {
                no(self.given(), "predictors; --scheme sc-lsp has none")?;
                Ok(self.stream_cache.name())
            }
            Some(name) => {
                no(
                    self.given().or(self.stream_cache.given()),
                    "a scheme that is put together; --scheme names one whole",
                )?;
                Ok(name.to_string())
            }
        }
    }

    /// The parameters for `cores` cores of `xlen` bits, and the name of the set or shape where it has one. Addresses are
    /// those of RISC-V unless `--align` says otherwise.
    pub fn resolve(&self, cores: u8, xlen: u8) -> Result<(TraceParams, Option<String>), Failure> {
        self.resolve_for(cores, xlen, 1)
    }

    /// As [`ParamArgs::resolve`], where the input says how many address bits are always 0.
    pub fn resolve_for(&self, cores: u8, xlen: u8, align: u8) -> Result<(TraceParams, Option<String>), Failure> {
        self.resolved(self.name()?.parse()?, None, (cores, xlen, align))
    }

    /// As [`ParamArgs::resolve_for`], where load values may be traced beside: `data` says with what, or the name of the scheme
    /// behind a comma.
    pub fn resolve_with(
        &self,
        data: Option<&str>,
        platform: (u8, u8, u8),
    ) -> Result<(TraceParams, Option<String>), Failure> {
        let (flow, named) = TraceParams::schemes(&self.name()?)?;
        let data = match (data, named) {
            (Some(_), Some(named)) => {
                return Err(Failure::Other(format!("--data is not for a --scheme that says it, here `{named}`")));
            }
            (data, named) => data.map(str::parse).transpose()?.or(named),
        };
        self.resolved(flow, data, platform)
    }

    fn resolved(
        &self,
        flow: FlowScheme,
        data: Option<DataScheme>,
        (cores, xlen, align): (u8, u8, u8),
    ) -> Result<(TraceParams, Option<String>), Failure> {
        let platform = Platform {
            timestamps: self.timestamps,
            cores,
            xlen,
            align: self.align.unwrap_or(align),
            count_bits: self.count_bits,
            cc_bits: self.cc_bits,
            context: self.context,
        };
        let params = TraceParams::new(platform, flow).with(|p| p.data = data);
        params.check()?;
        let name = match flow {
            FlowScheme::Tr(tr) => Some(tr.set_name()).filter(|name| !name.contains('/')),
            FlowScheme::ScLsp(sc) => StreamCacheParams::named(&sc.shape_name()).is_ok().then(|| sc.shape_name()),
            FlowScheme::Nexus(_) | FlowScheme::TrShared(_) => None,
        };
        Ok((params, name))
    }
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
    /// RV32IMC with machine mode, four pipeline stages
    Cv32e40p,
    /// RV32IMC with machine mode, four pipeline stages, RVFI; in simulation only
    Cv32e40x,
}

impl From<CoreName> for CoreKind {
    fn from(name: CoreName) -> Self {
        match name {
            CoreName::Picorv32 => Self::Picorv32,
            CoreName::Vexriscv => Self::Vexriscv,
            CoreName::Ibex => Self::Ibex,
            CoreName::Serv => Self::Serv,
            CoreName::Cv32e40p => Self::Cv32e40p,
            CoreName::Cv32e40x => Self::Cv32e40x,
        }
    }
}

/// A range in the words of help texts.
pub fn range(range: &std::ops::RangeInclusive<u8>) -> String {
    format!("{} to {}", range.start(), range.end())
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
            set: Some(set.into()),
            encoding: Some(encoding.into()),
            count_bits: 20,
            cc_bits: 32,
            ..ParamArgs::default()
        }
    }

    fn whole(name: &str) -> ParamArgs {
        ParamArgs { scheme: Some(name.into()), set: None, encoding: None, ..args("", "") }
    }

    #[test]
    fn arguments_say_what_the_name_says_that_they_are_short_for() {
        let sc = |variant, sets, hash: Option<&str>| ParamArgs {
            stream_cache: StreamCacheArgs { variant, sets, ways: None, hash: hash.map(Into::into) },
            ..whole("sc-lsp")
        };
        let shift = |pc_shift, upper_bits, a: ParamArgs| ParamArgs { pc_shift, upper_bits, ..a };
        for (args, name) in [
            (whole("tr"), "tr_e:small"),
            (args("medium", "tr_e"), "tr_e:medium"),
            (args("1024/16/16", "tr_e"), "tr_e:medium"),
            // without a target predictor the short form of tr_e is meant
            (args("256/0/0", "tr_e"), "tr_e:s0"),
            (args("small", "tr(bcnt=8,8;diffta=16,16;diffcc=8,8;icnt=8,8)"), "tr_b:small"),
            (args("m4+shift2+upper12", "tr_b"), "tr_b:m4+shift2+upper12"),
            (shift(Some(2), Some(12), args("m4", "tr_b")), "tr_b:m4+shift2+upper12"),
            (shift(Some(3), None, args("m4+shift2", "tr_e")), "tr_e:m4+shift3"),
            (args("small", "nx_b(bcnt=4,4)"), "nx_b(bcnt=4,4)"),
            (args("small", "nexs"), "nexs"),
            (sc(None, None, None), "sc-lsp:rbase-32x4"),
            (sc(Some(VariantName::Base), Some(64), Some("left2")), "sc-lsp:base-64x4+left2"),
            (whole("sc-lsp:ebase-8x8+sl9"), "sc-lsp:ebase-8x8+sl9"),
            (whole("tr_e:m4+shift2"), "tr_e:m4+shift2"),
        ] {
            let (params, _) = args.resolve(2, 32).unwrap();
            assert_eq!(params, TraceParams::new(params.platform, name.parse().unwrap()), "{name}");
            assert_eq!((params.cores, params.xlen), (2, 32));
        }
    }

    #[test]
    fn named_sets_and_shapes_are_called_by_their_names() {
        let name = |args: ParamArgs| args.resolve(1, 32).unwrap().1;
        assert_eq!(name(args("medium", "tr_b")).as_deref(), Some("medium"));
        assert_eq!(name(args("2048/16/16", "tr_b")), None);
        assert_eq!(name(whole("sc-lsp:rbase-64x4")).as_deref(), Some("rbase-64x4"));
        assert_eq!(name(whole("sc-lsp:rbase-64x4+left2")), None);
        assert_eq!(name(whole("nx_b")), None);
    }

    #[test]
    fn arguments_that_do_not_go_together_are_refused() {
        let say = |args: ParamArgs| args.resolve(2, 32).unwrap_err().to_string();
        let sets = StreamCacheArgs { sets: Some(64), ..StreamCacheArgs::default() };
        assert_eq!(
            say(ParamArgs { stream_cache: sets.clone(), ..args("small", "tr_e") }),
            "--sets is of stream caches; it goes with --scheme sc-lsp"
        );
        assert_eq!(
            say(ParamArgs { scheme: Some("sc-lsp".into()), ..args("small", "tr_e") }),
            "--set is of predictors; --scheme sc-lsp has none"
        );
        assert_eq!(
            say(ParamArgs { stream_cache: sets, ..whole("tr_e:small") }),
            "--sets is of a scheme that is put together; --scheme names one whole"
        );
    }

    #[test]
    fn names_that_are_none_are_refused_with_the_right_forms() {
        let say = |args: ParamArgs| args.resolve(2, 32).unwrap_err().to_string();
        for bad in ["tr", "tr(", "tr()", "tr(bcnt=3)", "tr(x=3,2)", "tr(bcnt=3,2", "foo(bcnt=3,2)", "tr(bcnt=300,2)"] {
            let e = say(args("small", bad));
            assert!(e.starts_with(&format!("scheme `{bad}` is not known: tr_e:SET, ")), "{e}");
        }
        let hash = |hash: &str| {
            let stream_cache = StreamCacheArgs { hash: Some(hash.into()), ..StreamCacheArgs::default() };
            say(ParamArgs { stream_cache, ..whole("sc-lsp") })
        };
        for bad in ["up4", "right", "4", "right-1"] {
            let e = hash(bad);
            assert!(e.starts_with(&format!("stream cache `rbase-32x4+{bad}` is not known")), "{e}");
        }
        assert_eq!(hash("right9"), "shift = 9 is outside 0 to 8");
    }
}
