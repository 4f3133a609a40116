//! Whatever a text is, it can be read as a dump of firmware settings, or what is wrong with it is said.

#![no_main]

use libfuzzer_sys::fuzz_target;
use zerohop_advise::settings::{BiosState, Dump};

fuzz_target!(|text: &str| {
    match Dump::read(text) {
        Ok(dump) => {
            assert!(!dump.items.is_empty());
            let _ = BiosState::of("fuzzed", &dump);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
