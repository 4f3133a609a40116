//! Whatever a text is, it is a machine that can be written as XML and read again, or what is wrong with it is said.

#![no_main]

use libfuzzer_sys::fuzz_target;
use zerohop_fuzzing::Target;

fuzz_target!(|text: &str| {
    Target::named("hwloc_xml").check(text);
});
