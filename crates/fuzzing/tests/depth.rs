//! No parser needs more of a thread's stack for a longer text: the server reads uploads on threads with small ones.

use std::thread;

use zerohop_fuzzing::Target;

/// Half of what the threads of the server have.
const STACK: usize = 1 << 20;

/// The length of a text.
const LENGTH: usize = 1 << 20;

/// What opens again and again: a parser that calls itself for what is inside ends the process.
const NESTED: [&str; 14] = [
    "[",
    "{\"a\":",
    "[{\"a\":",
    "{\n\"a\": [\n",
    "<a>",
    "<div>",
    "<tr><td>",
    "<object type=\"Package\">",
    "(",
    "a = [",
    "a = {a = ",
    "[a.a.a]\na.",
    "|===\n",
    "> ",
];

/// What comes again and again: a parser that calls itself for what follows does, too.
const REPEATED: [&str; 12] = [
    "0.00049 1.5\n",
    "16.00 1234.5\n",
    "ALL Reads        :      100.0\n",
    "Copy: 1234.5 0.1 0.1 0.1\n",
    "Numa node 0 1\n0 81.5 130.5\n1 130.5 81.5\n",
    "node 0 cpus: 0 1\nnode 0 size: 5 MB\n",
    "node07: 1\n",
    "--- node07 ---\n1\n",
    "$ for n in 0 1; do ./stream; done\n",
    "a,b,1\n",
    "BIOS.Setup.1-1\nA=B\n",
    "[a]\nb = 1\n",
];

fn checks(targets: &[Target], head: &str, unit: &str) {
    let text = head.to_owned() + &unit.repeat(LENGTH / unit.len());
    for target in targets {
        let name = format!("{} of {head:?} and {unit:?}", target.name);
        let (target, text) = (target.clone(), text.clone());
        let small = thread::Builder::new().name(name.clone()).stack_size(STACK);
        let checked = small.spawn(move || target.check(&text)).unwrap().join();
        assert!(checked.is_ok(), "{name}");
    }
}

fn targets(is_wanted: impl Fn(&Target) -> bool) -> Vec<Target> {
    Target::all().filter(|target| is_wanted(target)).collect()
}

/// 5,000 lines `0.00049 1.5`, which are 60 kB, ended the server; so did other texts.
#[test]
fn deep_and_repetitive_texts_fit_a_small_stack() {
    let any = targets(|target| !Target::formats().any(|format| format == *target));
    for unit in NESTED {
        checks(&any, "", unit);
    }
    let any = targets(|target| target.name == "import_recognized");
    for unit in REPEATED {
        checks(&any, "", unit);
    }
    checks(&any, "Intel(R) Memory Latency Checker - v3.9\n", REPEATED[2]);
    checks(&targets(|target| target.name == "bios_dump"), "", REPEATED[10]);
    checks(&targets(|target| target.name == "machine_file"), "", REPEATED[11]);
    checks(&targets(|target| target.name == "hwloc_xml"), "<topology version=\"2.0\">", NESTED[7]);
}

#[test]
#[ignore = "long: every parser reads megabytes of all of them"]
fn every_parser_fits_a_small_stack() {
    let all = targets(|_| true);
    NESTED.iter().chain(&REPEATED).for_each(|unit| checks(&all, "", unit));
}
