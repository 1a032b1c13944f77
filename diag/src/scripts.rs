//! Scripts that come with Goshawk

macro_rules! scripts {
    ($($name:literal)*) => {
        /// Name and text of each script.
        pub const SCRIPTS: &[(&str, &str)] = &[$(($name, include_str!(concat!("../scripts/", $name, ".dx")))),*];
    };
}

scripts! { "atomic" "calls" "interrupts" "locks" "messages" "nested" "postmortem" "race" "race-count" "rate" "stack" "writers" }

/// The script of this name.
pub fn find(name: &str) -> Option<&'static str> {
    SCRIPTS.iter().find(|s| s.0 == name).map(|s| s.1)
}
