//! Whatever a text is, it is a machine that can be written out and read again, or what is wrong with it is said.

#![no_main]

use libfuzzer_sys::fuzz_target;
use zerohop_fuzzing::Target;

fuzz_target!(|text: &str| {
    Target::named("machine_file").check(text);
});
