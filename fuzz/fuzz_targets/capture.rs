//! Whatever files a capture holds, they are a machine that can be captured again, or none.

#![no_main]

use libfuzzer_sys::fuzz_target;
use zerohop_fuzzing::Target;

fuzz_target!(|text: &str| {
    Target::named("capture").check(text);
});
