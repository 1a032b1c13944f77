#![no_main]
libfuzzer_sys::fuzz_target!(init: fuzz_targets::begin("log"), |data: &[u8]| fuzz_targets::target("log", data));
