#![no_main]
libfuzzer_sys::fuzz_target!(init: fuzz_targets::begin("gdb"), |data: &[u8]| fuzz_targets::target("gdb", data));
