#![no_main]
libfuzzer_sys::fuzz_target!(init: fuzz_targets::begin("retire"), |data: &[u8]| fuzz_targets::target("retire", data));
