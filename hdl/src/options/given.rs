//! The options that were given, and the system that they mean together

use super::rule::Rule;
use super::table::{self, OPTIONS};
use super::{find, Opt, Takes};
use crate::bus::wrap::{Buses, RegisterBus, WordPort};
use crate::bus::Writers;
use crate::emit::{Ingress, SystemOptions};
use crate::scheme::{circuit, Circuit};
use crate::spine::Extras;
use crate::verilog::Style;
use sim::params::{ParamError, Platform, TraceParams};
use sim::scheme::any::SchemeName;
use sim::scheme::FlowScheme;
use std::collections::BTreeMap;

/// Options as they were typed. One that is not given is not here: there are no defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    values: BTreeMap<&'static str, String>,
}

/// A whole system.
pub struct System {
    /// The scheme, with all that shapes its stream.
    pub circuit: Box<dyn Circuit>,
    /// The circuit's own options.
    pub options: SystemOptions,
    /// How it is joined to a chip.
    pub buses: Buses,
    /// How it is written.
    pub style: Style,
}

impl Given {
    /// With one more: a switch has an empty value.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.values.insert(find(name).name, value.into());
        self
    }

    /// What was given for an option.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// Its value as a number of the type that is asked for.
    pub fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.get(name).and_then(|v| v.parse().ok())
    }

    /// Whether an option is given, or turned on by another one.
    pub fn has(&self, name: &str) -> bool {
        self.source(name).is_some()
    }

    /// The option that was given for this one: itself, or one that turns it on.
    fn source(&self, name: &str) -> Option<&'static str> {
        let given = self.values.keys().copied();
        given.clone().find(|n| *n == name).or_else(|| given.clone().find(|n| find(n).implies.contains(&name)))
    }

    /// The value in force.
    pub fn value(&self, name: &str) -> &str {
        self.get(name).unwrap_or_else(|| find(name).default)
    }

    /// The option with its value as the user typed it, or has it by default.
    pub fn shown(&self, name: &str) -> String {
        let name = self.source(name).unwrap_or(name);
        match find(name).takes {
            Takes::Switch => format!("`--{name}`"),
            _ if self.get(name).is_none() => format!("`--{name} {}` (the default)", self.value(name)),
            _ => format!("`--{name} {}`", self.value(name)),
        }
    }

    /// The options that say the scheme.
    pub fn shown_scheme(&self) -> String {
        let given = ["scheme", "encoding", "set"].into_iter().find(|n| self.get(n).is_some());
        given.map_or_else(|| self.shown("scheme"), |name| self.shown(name))
    }

    /// The name of the scheme that the options say. It is read leniently: whether an option goes with it is up to the rules.
    pub fn scheme_name(&self) -> String {
        match self.value("scheme") {
            "tr" => {
                let encoding = self.value("encoding");
                // a Nexus-like encoding is a name without a set; what is none with a set either is refused as it is
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
    /// There is none of that name.
    pub fn scheme(&self) -> Result<SchemeName, ParamError> {
        self.scheme_name().parse()
    }

    /// Refuses values that an option does not take.
    ///
    /// # Errors
    /// The option as it was typed, and what would be right.
    pub fn check_values(&self) -> Result<(), String> {
        self.values.iter().try_for_each(|(name, value)| {
            find(name).takes.check(value).map_err(|e| format!("{}: {e}", self.shown(name)))
        })?;
        let Some(name) = ["sets", "ways"].into_iter().find(|name| self.has(name)) else { return Ok(()) };
        let entries: u32 =
            ["sets", "ways"].into_iter().filter_map(|name| self.value(name).parse::<u32>().ok()).product();
        match (32..=1024).contains(&entries) {
            true => Ok(()),
            false => Err(format!("{}: sets times ways is {entries}, 32 to 1024 would be right", self.shown(name))),
        }
    }

    /// Refuses what does not go together; with `circuit` also what no circuit has.
    ///
    /// # Errors
    /// The options as they were typed, what would be right, and why.
    pub fn check(&self, name: &SchemeName, circuit: bool) -> Result<(), String> {
        let rules = |o: &Opt| -> [&'static [Rule]; 2] { [o.rules, if circuit { o.circuit } else { &[] }] };
        let given = OPTIONS.iter().filter(|o| self.get(o.name).is_some());
        self.check_values()?;
        for option in given {
            let broken = rules(option).into_iter().flatten().find_map(|r| r.broken(option, self, &name.scheme));
            if let Some(text) = broken {
                return Err(text);
            }
        }
        if circuit {
            self.check_context(name)?;
        }
        let stated = &name.stated;
        let twice = [("count-bits", stated.count_bits), ("cc-bits", stated.cc_bits), ("align", stated.align)];
        match twice.into_iter().find(|(option, said)| said.is_some() && self.has(option)) {
            Some((option, _)) => {
                Err(format!("{}: the scheme `{}` says it too", self.shown(option), self.scheme_name()))
            }
            None => Ok(()),
        }
    }

    /// Refuses contexts that fit no message of a circuit: what is left of an address behind a count.
    fn check_context(&self, name: &SchemeName) -> Result<(), String> {
        let platform = self.platform(name, (1, self.number("xlen").unwrap_or(Platform::RV32.xlen), 1));
        let most = platform.address_bits().saturating_sub(u32::from(platform.count_bits) + 3);
        match platform.context {
            Some(bits) if u32::from(bits) > most => Err(format!(
                "{}: at most {most} with {} and {}; a context goes where an address and a count go",
                self.shown("context"),
                self.shown("xlen"),
                self.shown("count-bits")
            )),
            Some(_) | None => Ok(()),
        }
    }

    /// What is traced: `cores` and `xlen` are of whom it is traced, `align` what holds without `--align`.
    pub fn platform(&self, name: &SchemeName, (cores, xlen, align): (u8, u8, u8)) -> Platform {
        let stated = name.stated.on(&Platform { cores, xlen, align, ..Platform::RV32 });
        Platform {
            timestamps: self.has("timestamps"),
            align: self.number("align").unwrap_or(stated.align),
            count_bits: self.number("count-bits").unwrap_or(stated.count_bits),
            cc_bits: self.number("cc-bits").unwrap_or(stated.cc_bits),
            context: self.number("context"),
            signature: self.number("signature").unwrap_or_default(),
            ..stated
        }
    }

    /// What is built in.
    pub fn options(&self) -> SystemOptions {
        let ingress = Ingress::ALL.into_iter().find(|i| i.name() == self.value("ingress")).unwrap_or(Ingress::Rvfi);
        let log2 = |name| self.value(name).parse::<u32>().map_or(0, |n| n.trailing_zeros() as u8);
        let lanes = self.value("retire").parse().unwrap_or(1);
        let several = lanes > 1 || ingress == Ingress::Blocks;
        SystemOptions {
            ingress,
            log2_fifo: log2("fifo"),
            extras: Extras {
                sync: self.has("sync"),
                check: self.has("check"),
                session: false,
                stall: self.has("stall"),
                filter: self.has("filter"),
                range: self.has("filter-range"),
                space: self.has("filter-space"),
                lost: self.has("count-lost"),
                registered: self.has("registered-ports"),
                retire: several.then(|| crate::spine::Retire { lanes, log2_words: log2("retire-queue") }),
                itype3: self.value("itype") == "3",
                addresses: self.get("address-bits").and_then(|a| a.parse().ok()),
                ingress: 0,
            },
        }
    }

    /// How it is joined to a chip.
    pub fn buses(&self) -> Buses {
        let named = |name| self.value(name);
        Buses {
            registers: RegisterBus::ALL.into_iter().find(|b| b.name() == named("bus")).unwrap_or_default(),
            writers: Writers::ALL.into_iter().find(|w| w.name() == named("writes")).unwrap_or_default(),
            words: WordPort::ALL.into_iter().find(|p| p.name() == named("port")).unwrap_or_default(),
            crossing: self.has("port-clock"),
            locked: self.has("lock"),
        }
    }

    /// How it is written.
    pub fn style(&self) -> Style {
        Style { name: self.value("module-name").into(), initial: !self.has("no-initial") }
    }

    /// The system, without a look at the rules: what has no effect is left out, and [`Circuit::check`] refuses what is impossible.
    ///
    /// # Errors
    /// Parameters that no model honours, or a scheme without a circuit.
    pub fn system(&self) -> Result<System, ParamError> {
        let name = self.scheme()?;
        let (cores, xlen) = (self.value("cores").parse().unwrap_or(1), self.value("xlen").parse().unwrap_or(32));
        let platform = self.platform(&name, (cores, xlen, 1));
        let ram = table::ram(self.value("ram")).unwrap_or_default();
        Ok(System {
            circuit: circuit(&name, &platform, ram)?,
            options: self.options(),
            buses: self.buses(),
            style: self.style(),
        })
    }

    /// The options that give such a system: how the library's own calls are checked against the table.
    pub fn of(params: &TraceParams, options: &SystemOptions) -> Self {
        let extras = &options.extras;
        let mut given = Self::default();
        let mut value = |name: &str, value: String| {
            if value != find(name).default {
                given = std::mem::take(&mut given).with(name, &value);
            }
        };
        value("cores", params.cores.to_string());
        value("xlen", params.xlen.to_string());
        value("ingress", options.ingress.name().into());
        value("fifo", (1u32 << options.log2_fifo).to_string());
        if let Some(retire) = extras.retire {
            value("retire", retire.lanes.to_string());
            value("retire-queue", (1u32 << retire.log2_words).to_string());
        }
        if extras.itype3 {
            value("itype", "3".into());
        }
        if params.align != Platform::RV32.align {
            value("align", params.align.to_string());
        }
        if let Some(bits) = params.context {
            value("context", bits.to_string());
        }
        value("signature", params.signature.to_string());
        if let Some(addresses) = extras.addresses {
            value("address-bits", addresses.to_string());
        }
        for (name, on) in [
            ("sync", extras.sync),
            ("check", extras.check),
            ("stall", extras.stall),
            ("filter", extras.filter),
            ("filter-range", extras.range),
            ("filter-space", extras.space),
            ("count-lost", extras.lost),
            ("registered-ports", extras.registered),
        ] {
            if on {
                given = given.with(name, "");
            }
        }
        given
    }
}
