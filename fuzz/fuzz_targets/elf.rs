#![no_main]
libfuzzer_sys::fuzz_target!(init: fuzz_targets::begin("elf"), |data: &[u8]| fuzz_targets::target("elf", data));
