#![no_main]
libfuzzer_sys::fuzz_target!(init: fuzz_targets::begin("flow"), |data: &[u8]| fuzz_targets::target("flow", data));
