//! The options that were given

use crate::{find, ValueKind};
use sim::params::ParamError;
use sim::scheme::any::SchemeName;
use sim::scheme::tr::TrParams;
use sim::scheme::FlowScheme;
use std::collections::BTreeMap;

/// The options as they were typed. An option that was not given is not in it: defaults are not stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GivenOptions {
    values: BTreeMap<&'static str, String>,
}

impl GivenOptions {
    /// Adds an option; a switch has an empty value.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.values.insert(find(name).name, value.into());
        self
    }

    /// All options that were given, with their values.
    pub fn values(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.values.iter().map(|(name, value)| (*name, value.as_str()))
    }

    /// The value that was given for an option.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// The value of an option, as a number of type `T`.
    pub fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.get(name).and_then(|v| v.parse().ok())
    }

    /// Whether an option was given, or is implied by one that was.
    pub fn has(&self, name: &str) -> bool {
        self.source(name).is_some()
    }

    /// The option that turned this one on: itself, or one that implies it.
    fn source(&self, name: &str) -> Option<&'static str> {
        let given = self.values.keys().copied();
        given.clone().find(|n| *n == name).or_else(|| given.clone().find(|n| find(n).implies.contains(&name)))
    }

    /// The value in effect.
    pub fn value(&self, name: &str) -> &str {
        self.get(name).unwrap_or_else(|| find(name).default)
    }

    /// The option with its value, as the user typed it or by default.
    pub fn shown(&self, name: &str) -> String {
        let name = self.source(name).unwrap_or(name);
        match find(name).takes {
            ValueKind::Switch => format!("`--{name}`"),
            _ if self.get(name).is_none() => format!("`--{name} {}` (the default)", self.value(name)),
            _ => format!("`--{name} {}`", self.value(name)),
        }
    }

    /// The options that select the scheme.
    pub fn shown_scheme(&self) -> String {
        let given = ["scheme", "encoding", "set"].into_iter().find(|n| self.get(n).is_some());
        given.map_or_else(|| self.shown("scheme"), |name| self.shown(name))
    }

    /// The name of the scheme that the options select. Lenient: whether an option fits the scheme is checked by the
    /// rules.
    pub fn scheme_name(&self) -> String {
        match self.value("scheme") {
            "tr" => {
                let encoding = self.value("encoding");
                // a Nexus-like encoding is a name without a set; a name that is unknown with and without a set is
                // returned as it is and refused later
                let needs_set = FlowScheme::find(&format!("{encoding}:small")).is_some();
                if FlowScheme::find(encoding).is_some() || !needs_set {
                    return encoding.to_string();
                }
                let mut name = format!("{encoding}:{}", self.value("set"));
                name.extend(self.get("pc-shift").map(|n| format!("+shift{n}")));
                name.extend(self.get("upper-bits").map(|n| format!("+upper{n}")));
                name
            }
            "sc-lsp" => {
                let hash = self.get("hash").map(|hash| format!("+{hash}")).unwrap_or_default();
                let [variant, sets, ways] = ["variant", "sets", "ways"].map(|n| self.value(n));
                format!("sc-lsp:{variant}-{sets}x{ways}{hash}")
            }
            name => name.into(),
        }
    }

    /// The scheme.
    ///
    /// # Errors
    /// The option as it was typed, and why there is no such scheme.
    pub fn scheme(&self) -> Result<SchemeName, String> {
        self.scheme_name().parse().map_err(|e: ParamError| {
            // where the set alone is wrong, the encoding is not to blame
            let set = self.value("set");
            let bad_set = self.has("set") && self.value("scheme") == "tr" && TrParams::set(set).is_err();
            let bad_encoding = self.has("encoding") && self.value("scheme") == "tr";
            let option = if bad_set {
                self.shown("set")
            } else if bad_encoding {
                self.shown("encoding")
            } else {
                self.shown_scheme()
            };
            format!("{option}: {e}")
        })
    }

    /// Why the parameters of the scheme cannot be, with the option that says them.
    pub fn refused(&self, e: &ParamError) -> String {
        let field = match e {
            ParamError::Range { field, .. } => *field,
            ParamError::UnknownScheme { .. }
            | ParamError::UnknownSet(_)
            | ParamError::UnknownFollowSet(_)
            | ParamError::NoCode(_)
            | ParamError::UnknownStreamCache(_) => "",
        };
        let option = match field {
            "cores" | "xlen" | "align" | "context" | "signature" => field,
            "count_bits" => "count-bits",
            "cc_bits" => "cc-bits",
            "ram_base" | "ram_bytes" => "ram",
            _ => "",
        };
        let shown = if self.get(option).is_some() { self.shown(option) } else { self.shown_scheme() };
        format!("{shown}: {e}")
    }
}
