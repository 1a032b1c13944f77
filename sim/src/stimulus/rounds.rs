/// Whether tests run in full: `GOSHAWK_LONG` is set, as by `tools/test --long`.
pub fn long() -> bool {
    std::env::var_os("GOSHAWK_LONG").is_some()
}

/// Size of a test: `usual`, or `longer` if [`long`].
pub fn rounds<T>(usual: T, longer: T) -> T {
    if long() {
        longer
    } else {
        usual
    }
}
