/// Whether tests do all that they can: where `GOSHAWK_LONG` is set, as by `tools/test --long`.
pub fn long() -> bool {
    std::env::var_os("GOSHAWK_LONG").is_some()
}

/// How much a test does: `usual`, or where it is [`long`] the other.
pub fn rounds<T>(usual: T, longer: T) -> T {
    if long() {
        longer
    } else {
        usual
    }
}
