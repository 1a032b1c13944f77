#![no_main]
libfuzzer_sys::fuzz_target!(init: fuzz_targets::begin("inputs"), |data: &[u8]| fuzz_targets::target("inputs", data));
