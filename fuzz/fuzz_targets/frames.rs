#![no_main]
libfuzzer_sys::fuzz_target!(init: fuzz_targets::begin("frames"), |data: &[u8]| fuzz_targets::target("frames", data));
