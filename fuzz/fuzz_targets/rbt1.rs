#![no_main]
libfuzzer_sys::fuzz_target!(init: fuzz_targets::begin("rbt1"), |data: &[u8]| fuzz_targets::target("rbt1", data));
