//! Whatever a text is, it can be read as metrics, or what is wrong with it is said.

#![no_main]

use libfuzzer_sys::fuzz_target;
use zerohop_fuzzing::Target;

fuzz_target!(|text: &str| {
    Target::named("import_metrics").check(text);
});
