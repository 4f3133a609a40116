//! Whatever a text is, it can be read as `perf bench numa`, or what is wrong with it is said.

#![no_main]

use libfuzzer_sys::fuzz_target;
use zerohop_fuzzing::Target;

fuzz_target!(|text: &str| {
    Target::named("import_perf_bench_numa").check(text);
});
