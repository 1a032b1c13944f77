#![no_main]
libfuzzer_sys::fuzz_target!(init: fuzz_targets::begin("script"), |data: &[u8]| fuzz_targets::target("script", data));
