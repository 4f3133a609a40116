//! Whatever a text is, it can be read as perfspect, or what is wrong with it is said.

#![no_main]

use libfuzzer_sys::fuzz_target;
use zerohop_importers::import;

fuzz_target!(|text: &str| {
    match import("fuzzed", text, Some("perfspect".parse().unwrap())) {
        Ok(imported) => assert!(!imported.is_empty()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
