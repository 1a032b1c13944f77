//! Checks of the given options against each other

use crate::given::GivenOptions;
use crate::rule::Rule;
use crate::table::OPTIONS;
use crate::{find, Opt};
use sim::params::Platform;
use sim::scheme::any::SchemeName;

impl GivenOptions {
    /// Checks that each option has one of its values.
    ///
    /// # Errors
    /// The option as it was typed, and what is accepted.
    pub fn check_values(&self) -> Result<(), String> {
        self.values().try_for_each(|(name, value)| {
            find(name).takes.check(value).map_err(|e| format!("{}: {e}", self.shown(name)))
        })?;
        let Some(name) = ["sets", "ways"].into_iter().find(|name| self.has(name)) else { return Ok(()) };
        let entries: u32 =
            ["sets", "ways"].into_iter().filter_map(|name| self.value(name).parse::<u32>().ok()).product();
        match (32..=1024).contains(&entries) {
            true => Ok(()),
            false => Err(format!("{}: sets times ways is {entries}, expected 32 to 1024", self.shown(name))),
        }
    }

    /// Checks that the options can be combined; with `circuit`, also that a circuit exists.
    ///
    /// # Errors
    /// The options as they were typed, what is accepted, and why.
    pub fn check(&self, name: &SchemeName, circuit: bool) -> Result<(), String> {
        let rules = |o: &Opt| -> [&'static [Rule]; 2] { [o.rules, if circuit { o.circuit } else { &[] }] };
        let given = OPTIONS.iter().filter(|o| self.get(o.name).is_some());
        self.check_values()?;
        for option in given {
            let violation = rules(option).into_iter().flatten().find_map(|r| r.violation(option, self, &name.scheme));
            if let Some(text) = violation {
                return Err(text);
            }
        }
        if circuit {
            self.check_context(name)?;
        }
        let stated = &name.stated;
        if let (Some(bits), false) = (stated.cc_bits, self.has("timestamps")) {
            return Err(format!(
                "{}: `+cc{bits}` only with `--timestamps`; a trace without time stamps has no cycle counter",
                self.shown_scheme()
            ));
        }
        let twice = [("count-bits", stated.count_bits), ("cc-bits", stated.cc_bits), ("align", stated.align)];
        match twice.into_iter().find(|(option, said)| said.is_some() && self.has(option)) {
            Some((option, _)) => {
                Err(format!("{}: the scheme `{}` already has it", self.shown(option), self.scheme_name()))
            }
            None => Ok(()),
        }
    }

    /// Checks that a context fits the messages of a circuit: in the bits that a count leaves of an address.
    fn check_context(&self, name: &SchemeName) -> Result<(), String> {
        let platform = self.platform(name, (1, self.number("xlen").unwrap_or(Platform::RV32.xlen), 1));
        let most = platform.address_bits().saturating_sub(u32::from(platform.count_bits) + 3);
        match platform.context {
            Some(bits) if u32::from(bits) > most => Err(format!(
                "{}: at most {most} with {} and {}; a context uses the bits of an address and a count",
                self.shown("context"),
                self.shown("xlen"),
                self.shown("count-bits")
            )),
            Some(_) | None => Ok(()),
        }
    }
}
