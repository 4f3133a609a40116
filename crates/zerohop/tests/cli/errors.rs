//! Requests that cannot be met: an `error:` line, a `hint:` line where something can be done, exit status 2.

use std::io::Write;

use snapbox::str;

use crate::binary::{folder_with_result, machines, zerohop};

/// More than any address space has: no thread can get a stack of this size, and so none can be started.
const NO_THREAD: (&str, &str) = ("RUST_MIN_STACK", "1125899906842624");

#[test]
fn an_unknown_experiment_gives_a_list_of_those_there_are() {
    zerohop().args(["run", "latency"]).assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: invalid value 'latency' for '<EXPERIMENT>'
  [possible values: latency-matrix, bandwidth-matrix, cache-latency, stream, mixes, injection, loaded-latency, core-to-core, core-latency, latency-distribution, random-bandwidth, global-bandwidth, hops, crossfire, ramp, memory-suite, load-curves]
hint: did you mean `zerohop run latency-matrix`?

"#]]);
}

#[test]
fn cpus_that_do_not_exist_are_named_beside_those_there_are() {
    zerohop()
        .args(["run", "stream", "--cpus", "0,7001-7002", "--quiet"])
        .assert()
        .code(2)
        .stdout_eq("")
        .stderr_eq(str![[r#"
error: no CPU 7001-7002 online; this machine has [..]
hint: `zerohop machine show [MACHINE]` lists the usable CPUs

"#]]);
}

#[test]
fn nodes_that_do_not_exist_are_named_beside_those_there_are() {
    zerohop()
        .args(["run", "latency-matrix", "--nodes", "900", "-q"])
        .assert()
        .code(2)
        .stdout_eq("")
        .stderr_eq(str![[r#"
error: no node 900; this machine has [..]
hint: `zerohop machine show [MACHINE]` lists the nodes and their memory

"#]]);
}

#[test]
fn a_buffer_beyond_the_memory_is_refused() {
    zerohop()
        .args(["run", "latency-matrix", "--buffer", "512TiB", "-q"])
        .assert()
        .code(2)
        .stdout_eq("")
        .stderr_eq(str![[r#"
error: a buffer of 512 TiB does not fit on node [..]: only [..] is free
hint: use a smaller --buffer, or other --nodes

"#]]);
}

#[test]
fn a_refused_request_leaves_no_file() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = ["survey", "--cpus", "7001", "-o", "here"];
    zerohop().current_dir(directory.path()).args(arguments).assert().code(2);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn lists_times_and_shares_say_what_they_should_look_like() {
    zerohop().args(["run", "stream", "--cpus", "3-1"]).assert().code(2).stderr_eq(str![[r#"
error: invalid value '3-1' for '--cpus <LIST>': invalid CPU list `3-1` (expected numbers and ranges such as `0-3,8,10-14:2`)
hint: see `zerohop run --help`

"#]]);
    zerohop().args(["run", "stream", "--nodes", "all"]).assert().code(2).stderr_eq(str![[r#"
error: invalid value 'all' for '--nodes <LIST>': invalid list of nodes `all` (expected numbers and ranges such as `0,2-3`)
hint: see `zerohop run --help`

"#]]);
    zerohop().args(["run", "stream", "--duration", "50"]).assert().code(2).stderr_eq(str![[r#"
error: invalid value '50' for '--duration <TIME>': `50` is not a time (expected a number and one of `s`, `ms`, `us`, `µs`, `ns`, `min`, `m`, `h`)
hint: see `zerohop run --help`

"#]]);
    zerohop().args(["run", "stream", "--interval", "1"]).assert().code(2).stderr_eq(str![[r#"
error: invalid value '1' for '--interval <PERCENT>': invalid percentage `1` (expected for example `1%`)
hint: see `zerohop run --help`

"#]]);
    zerohop().args(["run", "stream", "--buffer", "1 parsec"]).assert().code(2).stderr_eq(str![[r#"
error: invalid value '1 parsec' for '--buffer <SIZE>': `1 parsec` is not an amount of memory (expected a number and one of `B`, `KiB`, `MiB`, `GiB`, `TiB`, `kB`, `MB`, `GB`, `TB`, `K`, `M`, `G`, `T`)
hint: see `zerohop run --help`

"#]]);
    zerohop().args(["run", "stream", "--pages", "3m"]).assert().code(2).stderr_eq(str![[r#"
error: invalid value '3m' for '--pages <PAGES>': no page choice `3m` (expected one of best, 4k, thp, 2m, 1g)
hint: see `zerohop run --help`

"#]]);
}

#[test]
fn a_captured_machine_cannot_be_measured() {
    for verb in [&["survey"][..], &["run", "stream"]] {
        zerohop()
            .current_dir(machines())
            .args(["--sysfs-root", "quartet.json"])
            .args(verb)
            .assert()
            .code(2)
            .stdout_eq("")
            .stderr_eq(str![[r#"
error: cannot measure the machine in `quartet.json`: zerohop does not run on it
hint: omit --sysfs-root to measure this machine; `zerohop --sysfs-root quartet.json machine show` shows the other

"#]]);
    }
}

#[test]
fn the_hosts_own_root_can_be_named() {
    zerohop().args(["--sysfs-root", "/", "run", "stream", "--cpus", "7001"]).assert().code(2).stderr_eq(
        str![[r#"
error: no CPU 7001 online; this machine has [..]
hint: `zerohop machine show [MACHINE]` lists the usable CPUs

"#]],
    );
}

#[test]
fn mlc_has_no_form_for_every_experiment() {
    zerohop().args(["run", "stream", "--format", "mlc"]).assert().code(2).stdout_eq("").stderr_eq(str![[
        r#"
error: MLC has no output format for stream
hint: `--format mlc` supports latency-matrix, bandwidth-matrix, mixes, loaded-latency, core-to-core

"#
    ]]);
}

#[test]
fn an_option_that_an_experiment_would_pass_over_is_refused() {
    zerohop().args(["run", "core-to-core", "--buffer", "1MiB"]).assert().code(2).stdout_eq("").stderr_eq(
        str![[r#"
error: core-to-core does not support a choice of buffer
hint: leave --buffer out; it accepts --all-pairs

"#]],
    );
    zerohop().args(["run", "mixes", "--kernel", "read"]).assert().code(2).stdout_eq("").stderr_eq(str![[
        r#"
error: mixes does not support a choice of kernel
hint: leave --kernel out; it accepts --isa, --buffer, --interleave

"#
    ]]);
    zerohop().args(["run", "latency-matrix", "--isa", "sse2"]).assert().code(2).stdout_eq("").stderr_eq(
        str![[r#"
error: latency-matrix does not support a choice of instruction set
hint: leave --isa out; it accepts --chains, --buffer, --interleave

"#]],
    );
    zerohop().args(["run", "stream", "--chains", "2"]).assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: stream does not support a choice of chains
hint: leave --chains out; it accepts --kernel, --isa, --buffer, --interleave

"#]]);
}

#[test]
fn a_root_that_describes_no_machine_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("letter.json"), "{}").unwrap();
    let show = || zerohop().current_dir(directory.path()).args(["machine", "show", "--sysfs-root"]);
    show().arg(".").assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: `.` does not describe a machine: it contains no CPU
hint: give a directory that contains sys and proc, or a file written by `zerohop machine capture`

"#]]);
    show().arg("letter.json").assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: cannot read `letter.json`: not a captured machine: missing field `version` at line 1 column 2
hint: give a file written by `zerohop machine capture`, or a directory with sys and proc

"#]]);
    show().arg("absent").assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: cannot read `absent`: No such file or directory (os error 2)
hint: give a directory that contains sys and proc, or a file written by `zerohop machine capture`

"#]]);
}

#[test]
fn files_that_are_missing_or_no_text_or_empty_are_named_with_what_they_should_be() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("noise.toml"), [0xff, 0xfe, 0]).unwrap();
    std::fs::write(directory.path().join("empty.json"), "").unwrap();
    std::fs::write(directory.path().join("a.json.gz"), [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]).unwrap();
    std::fs::write(directory.path().join("a.parquet"), b"PAR1\xff\xfe").unwrap();
    for (arguments, message) in [
        (&["compare", "a.json.gz", "empty.json"][..], "`a.json.gz` is compressed by gzip"),
        (
            &["compare", "a.parquet", "empty.json"],
            "`a.parquet` is Parquet, which zerohop writes but does not read",
        ),
        (&["compare", "absent.json", "empty.json"], "cannot read `absent.json`: No such file"),
        (&["compare", "empty.json", "empty.json"], "`empty.json` is empty"),
        (&["machine", "draw", "quartet", "--load", "absent.json"], "cannot read `absent.json`"),
        (&["machine", "show", "./noise.toml"], "`./noise.toml` is not text: it is not valid UTF-8"),
        (&["reproduce", "./noise.toml"], "`./noise.toml` is not text"),
        (&["machine", "show", "host.json"], "cannot read `host.json`: No such file"),
        (&["sweep", "--file", "noise.toml"], "`noise.toml` is not text"),
        (&["sweep", "--file", "absent.toml"], "cannot read `absent.toml`: No such file"),
    ] {
        let assert = zerohop().current_dir(directory.path()).args(arguments).assert().code(2).stdout_eq("");
        let error = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        let told = error.starts_with(&format!("error: {message}")) && error.contains("\nhint: ");
        assert!(told, "{arguments:?}: {error}");
    }
}

#[test]
fn what_mean_value_analysis_cannot_compute_comes_with_a_way_out() {
    zerohop()
        .args(["run", "core-latency", "--on", "xeon-phi-7250", "--solver", "flow", "--quiet"])
        .assert()
        .code(2)
        .stdout_eq("")
        .stderr_eq(str![[r#"
error: mean-value analysis cannot compute this: [..]
hint: use --solver event, or auto, which simulates line by line if necessary

"#]]);
}

#[test]
fn prefetchers_that_cannot_be_switched_end_it_before_anything_is_measured() {
    // Root on a machine that has the registers would get what it asks for.
    if std::fs::OpenOptions::new().write(true).open("/dev/cpu/0/msr").is_ok() {
        return writeln!(std::io::stderr(), "skipped: registers can be written here").unwrap();
    }
    let directory = tempfile::tempdir().unwrap();
    for verb in [&["survey"][..], &["run", "latency-matrix", "-o", "a.json"]] {
        let output = zerohop()
            .current_dir(directory.path())
            .args(verb)
            .args(["--prefetchers", "off", "-q"])
            .assert()
            .code(2)
            .stdout_eq("")
            .get_output()
            .clone();
        let talk = String::from_utf8(output.stderr).unwrap();
        assert!(
            talk.starts_with("error: ") && talk.contains("prefetcher") && talk.contains("\nhint: "),
            "{talk}"
        );
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}

/// A limit on threads was a failure without a hint.
#[test]
fn a_limit_on_threads_is_named_in_the_hint() {
    let run = ["run", "latency-matrix", "--on", "quartet", "--quiet"];
    zerohop().env(NO_THREAD.0, NO_THREAD.1).args(run).assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: cannot watch for signals: [..]
hint: this needs a thread and a pipe; raise their limits (`ulimit -u`, `ulimit -n`, `ulimit -v`; pids.max of the cgroup)

"#]]);
}

/// Where no more threads could be started, what is computed in parallel ended in a panic.
#[test]
fn what_is_computed_in_parallel_is_computed_without_threads_too() {
    let folder = folder_with_result("bandwidth-matrix", "xeon-cascade-lake,cores=18");
    let show = || {
        let show = ["show", "result.json", "--machine", "xeon-cascade-lake,cores=18"];
        zerohop().current_dir(folder.path()).args(show)
    };
    let page = show().assert().success().get_output().stdout.clone();
    show().env(NO_THREAD.0, NO_THREAD.1).assert().success().stdout_eq(String::from_utf8(page).unwrap());
}
