#![no_main]
libfuzzer_sys::fuzz_target!(init: fuzz_targets::begin("cfiat"), |data: &[u8]| fuzz_targets::target("cfiat", data));
