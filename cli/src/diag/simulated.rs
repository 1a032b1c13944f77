//! Options of the built-in simulator, which an option of a SoC refuses

/// What goes with the built-in simulator only. clap does not ask for `--soc` where one of these is given, so each option
/// that needs it refuses them.
pub const SIMULATED: [&str; 6] = ["timing", "caches", "seed", "max_instructions", "elf", "any_build"];
