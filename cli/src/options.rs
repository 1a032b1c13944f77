//! Arguments from the table of options (the crate `options`)
//!
//! A group of options is flattened into a command's arguments like any other. Arguments have no clap defaults: one that
//! was not given is absent, so that an option without effect can be refused.

use crate::error::Failure;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use options::table::OPTIONS;
use options::{GivenOptions, Group, Opt, ValueKind};
use sim::core_trace::SyncPeriod;
use sim::params::{ParamError, TraceParams};
use sim::scheme::any::{AnyScheme, SchemeName};

/// A clap argument for an option.
fn arg(option: &'static Opt) -> Arg {
    let arg = Arg::new(option.name).long(option.name).help(option.text()).help_heading(option.group.heading());
    match option.takes {
        ValueKind::Switch => arg.action(ArgAction::SetTrue),
        // clap uses the list for completion; the help sentence already has the values
        ValueKind::One(values) => {
            arg.value_name(option.unit).value_parser(PossibleValuesParser::new(values)).hide_possible_values(true)
        }
        ValueKind::Range(..) | ValueKind::Text { .. } => arg.value_name(option.unit),
    }
}

fn of(groups: &'static [Group]) -> impl Iterator<Item = &'static Opt> {
    OPTIONS.iter().filter(|o| groups.contains(&o.group))
}

fn augment(command: Command, groups: &'static [Group]) -> Command {
    of(groups).fold(command, |command, option| command.arg(arg(option)))
}

fn given(matches: &ArgMatches, groups: &'static [Group]) -> GivenOptions {
    of(groups).fold(GivenOptions::default(), |given, option| match option.takes {
        ValueKind::Switch if matches.get_flag(option.name) => given.with(option.name, ""),
        ValueKind::Switch => given,
        ValueKind::One(_) | ValueKind::Range(..) | ValueKind::Text { .. } => {
            match matches.get_one::<String>(option.name) {
                Some(value) => given.with(option.name, value),
                None => given,
            }
        }
    })
}

macro_rules! groups {
    ($($(#[$doc:meta])* $name:ident: $groups:expr,)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, Default)]
            pub struct $name(pub GivenOptions);

            impl Args for $name {
                fn augment_args(command: Command) -> Command {
                    augment(command, $groups)
                }

                fn augment_args_for_update(command: Command) -> Command {
                    augment(command, $groups)
                }
            }

            impl FromArgMatches for $name {
                fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
                    Ok(Self(given(matches, $groups)))
                }

                fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
                    self.0 = given(matches, $groups);
                    Ok(())
                }
            }
        )*
    };
}

groups! {
    /// What a stream is made with.
    ParamArgs: &[Group::Trace, Group::StreamCache],
}

#[cfg(feature = "hardware")]
groups! {
    /// A system, without what joins it to a chip.
    SystemArgs: &[Group::Circuit, Group::Trace, Group::StreamCache],
    /// A system.
    ChipArgs: &Group::ALL,
}

/// The scheme given by the options, if they are consistent.
pub fn scheme(given: &GivenOptions, circuit: bool) -> Result<SchemeName, Failure> {
    given.check_values().map_err(Failure::Other)?;
    let name = given.scheme().map_err(Failure::Other)?;
    given.check(&name, circuit).map_err(Failure::Other)?;
    Ok(name)
}

impl ParamArgs {
    /// Options with this scheme only.
    #[cfg(feature = "hardware")]
    pub fn of_scheme(name: &str) -> Self {
        Self(GivenOptions::default().with("scheme", name))
    }

    /// The scheme given by the options.
    ///
    /// # Errors
    /// There is no such scheme, or the options are inconsistent.
    pub fn scheme(&self) -> Result<SchemeName, Failure> {
        scheme(&self.0, false)
    }

    /// The first of them that was given, as it was typed.
    pub fn given(&self) -> Option<String> {
        self.0.values().next().map(|(name, _)| self.0.shown(name))
    }

    /// Whether that option was given.
    pub fn has(&self, name: &str) -> bool {
        self.0.has(name)
    }

    /// Refuses contexts for an input that has none.
    ///
    /// # Errors
    /// The option, as typed.
    pub fn no_context(&self, what: &str) -> Result<(), Failure> {
        match self.has("context") {
            true => Err(Failure::Other(format!("{}: not with {what}, which has no contexts", self.0.shown("context")))),
            false => Ok(()),
        }
    }

    /// The error for a scheme that the command does not support.
    pub fn refuse(&self, name: &SchemeName, what: &str) -> Failure {
        Failure::Other(match name.scheme {
            AnyScheme::Flow(_) | AnyScheme::Inputs(_) | AnyScheme::Cfiat(_) => {
                format!("{}: {what}", self.0.shown_scheme())
            }
            AnyScheme::Etrace(_) | AnyScheme::Ntrace(_) => format!(
                "{}: a standard protocol, which this command does not have; `goshawk stats` measures it, and `goshawk gen` makes its circuit",
                self.0.shown_scheme()
            ),
            AnyScheme::Shared(_) | AnyScheme::Baseline(_) => {
                format!("{}: only `goshawk sweep --encoding {}` measures it", self.0.shown_scheme(), name.scheme)
            }
        })
    }

    /// The parameters for `cores` cores of `xlen` bits, and the name of the set or shape, if any. Addresses are aligned
    /// as on RISC-V unless `--align` is given.
    #[cfg(feature = "hardware")]
    pub fn resolve(&self, cores: u8, xlen: u8) -> Result<(TraceParams, Option<String>), Failure> {
        self.resolve_for(cores, xlen, 1)
    }

    /// As [`ParamArgs::resolve`], if the input determines the number of address bits that are always 0.
    pub fn resolve_for(&self, cores: u8, xlen: u8, align: u8) -> Result<(TraceParams, Option<String>), Failure> {
        let (params, set, period) = self.resolve_synced((cores, xlen, align))?;
        if period.is_some() {
            return Err(self.refuse(&self.scheme()?, "this command has no synchronisation period"));
        }
        if params.data.is_some() {
            return Err(self.refuse(&self.scheme()?, "this command traces no load values"));
        }
        Ok((params, set))
    }

    /// As [`ParamArgs::resolve_for`], for commands that also trace load values: their scheme is `data`, or part of the
    /// scheme's name.
    #[cfg(feature = "hardware")]
    pub fn resolve_with(
        &self,
        data: Option<&str>,
        platform: (u8, u8, u8),
    ) -> Result<(TraceParams, Option<String>), Failure> {
        let (params, set, period) = self.resolve_synced(platform)?;
        if period.is_some() {
            return Err(self.refuse(&self.scheme()?, "this command has no synchronisation period"));
        }
        Ok((with_data(params, data)?, set))
    }

    /// The parameters, with load values and synchronisation period from the scheme's name.
    pub fn resolve_synced(
        &self,
        platform: (u8, u8, u8),
    ) -> Result<(TraceParams, Option<String>, Option<SyncPeriod>), Failure> {
        let name = self.scheme()?;
        let AnyScheme::Flow(flow) = name.scheme else {
            return Err(self.refuse(&name, "expected a scheme that traces the control flow"));
        };
        let params = TraceParams::new(self.0.platform(&name, platform), flow).with(|p| p.data = name.data);
        params.check().map_err(|e| Failure::Other(self.0.refused(&e)))?;
        Ok((params, flow.set(), name.stated.sync_period.map(SyncPeriod::new).transpose()?))
    }
}

/// Parameters with the load-value scheme `data`, which must not also be part of the scheme's name.
///
/// # Errors
/// Both give it, or there is no such scheme.
pub fn with_data(params: TraceParams, data: Option<&str>) -> Result<TraceParams, Failure> {
    let Some(data) = data else { return Ok(params) };
    if let Some(named) = params.data {
        return Err(Failure::Other(format!("`--data {data}`: the scheme's name already has `{named}`")));
    }
    let refused = |e: ParamError| Failure::Other(format!("`--data {data}`: {e}"));
    let scheme = data.parse().map_err(refused)?;
    let params = params.with(|p| p.data = Some(scheme));
    params.check().map_err(refused)?;
    Ok(params)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(options: &[(&str, &str)]) -> ParamArgs {
        ParamArgs(options.iter().fold(GivenOptions::default(), |given, (name, value)| given.with(name, value)))
    }

    #[test]
    fn arguments_say_what_the_name_says_that_they_are_short_for() {
        for (options, name) in [
            (&[("scheme", "tr")][..], "tr_e:small"),
            (&[("set", "medium")], "tr_e:medium"),
            (&[("set", "1024/16/16")], "tr_e:medium"),
            // without a target predictor, the short form of tr_e is used
            (&[("set", "256/0/0")], "tr_e:s0"),
            (&[("encoding", "tr(bcnt=8,8;diffta=16,16;diffcc=8,8;icnt=8,8)")], "tr_b:small"),
            (&[("set", "m4+shift2+upper12"), ("encoding", "tr_b")], "tr_b:m4+shift2+upper12"),
            (&[("set", "m4"), ("encoding", "tr_b"), ("pc-shift", "2"), ("upper-bits", "12")], "tr_b:m4+shift2+upper12"),
            (&[("set", "m4+shift2"), ("pc-shift", "3")], "tr_e:m4+shift3"),
            (&[("encoding", "nx_b(bcnt=4,4)")], "nx_b(bcnt=4,4)"),
            (&[("scheme", "sc-lsp")], "sc-lsp:rbase-32x4"),
            (&[("scheme", "sc-lsp"), ("variant", "base"), ("sets", "64"), ("hash", "left2")], "sc-lsp:base-64x4+left2"),
            (&[("scheme", "tr_e:m4+shift2")], "tr_e:m4+shift2"),
        ] {
            let (params, _) = args(options).resolve(2, 32).unwrap();
            assert_eq!(params, TraceParams::new(params.platform, name.parse().unwrap()), "{name}");
            assert_eq!((params.cores, params.xlen), (2, 32));
        }
        let (wide, _) = args(&[("scheme", "tr_e:large+count18")]).resolve(1, 32).unwrap();
        assert_eq!((wide.count_bits, wide.flow.name().as_str()), (18, "tr_e:large"));
    }

    #[test]
    fn named_sets_and_shapes_are_called_by_their_names() {
        let name = |options: &[(&str, &str)]| args(options).resolve(1, 32).unwrap().1;
        assert_eq!(name(&[("set", "medium"), ("encoding", "tr_b")]).as_deref(), Some("medium"));
        assert_eq!(name(&[("set", "2048/16/16")]), None);
        assert_eq!(name(&[("scheme", "sc-lsp:rbase-64x4")]).as_deref(), Some("rbase-64x4"));
        assert_eq!(name(&[("scheme", "sc-lsp:rbase-64x4+left2")]), None);
        assert_eq!(name(&[("scheme", "nx_b")]), None);
    }

    #[test]
    fn a_scheme_that_a_command_cannot_use_is_refused_by_its_name() {
        let say = |scheme| args(&[("scheme", scheme)]).resolve(1, 32).unwrap_err().to_string();
        assert_eq!(say("inputs"), "`--scheme inputs`: expected a scheme that traces the control flow");
        assert_eq!(say("gzip-9"), "`--scheme gzip-9`: only `goshawk sweep --encoding gzip-9` measures it");
        assert!(say("ntrace").ends_with("`goshawk stats` measures it, and `goshawk gen` makes its circuit"));
        assert_eq!(say("nx_b+sync12"), "`--scheme nx_b+sync12`: this command has no synchronisation period");
        assert_eq!(say("nx_b,cfiat:16k"), "`--scheme nx_b,cfiat:16k`: this command traces no load values");
        assert!(say("foo").starts_with("`--scheme foo`: scheme `foo` is not known; expected one of tr_e:SET, "));
    }

    #[test]
    fn names_that_are_none_are_refused_with_the_right_forms() {
        let say = |option, value| {
            args(&[("scheme", if option == "hash" { "sc-lsp" } else { "tr" }), (option, value)])
                .resolve(2, 32)
                .unwrap_err()
                .to_string()
        };
        for bad in ["tr", "tr(", "tr()", "tr(bcnt=3)", "tr(x=3,2)", "tr(bcnt=3,2", "foo(bcnt=3,2)", "tr(bcnt=300,2)"] {
            let e = say("encoding", bad);
            assert!(
                e.starts_with(&format!("`--encoding {bad}`: scheme `{bad}` is not known; expected one of tr_e:SET, ")),
                "{e}"
            );
        }
        for bad in ["up4", "right", "4", "right-1", "right9"] {
            assert_eq!(say("hash", bad), format!("`--hash {bad}`: expected right0 to right8 or left0 to left8"));
        }
    }
}
