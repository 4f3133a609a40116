//! Command lines and files that are nearly right: understood, or answered with the command that was meant.

use std::fs;
use std::path::Path;

use snapbox::str;
use tempfile::TempDir;

use crate::binary::{machine, zerohop};

/// What `zerohop` says on standard error when it refuses these words.
fn refusal(directory: &Path, arguments: &[&str]) -> String {
    let assert = zerohop().current_dir(directory).args(arguments).assert().code(2).stdout_eq("");
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

fn output(directory: &Path, arguments: &[&str]) -> String {
    let assert = zerohop().current_dir(directory).args(arguments).assert().success().stderr_eq("");
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

/// A folder with a file of every kind.
fn files() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let there = directory.path();
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::copy(repository.join("machines/quartet.toml"), there.join("machine.toml")).unwrap();
    fs::copy(repository.join("machines/quartet.toml"), there.join("machine.json")).unwrap();
    fs::copy(repository.join("published/amd-40555.toml"), there.join("study.toml")).unwrap();
    fs::write(there.join("sweep.toml"), "machine = \"quartet\"\n[grid]\n[[run]]\ncommand = \"hops\"\n")
        .unwrap();
    fs::copy(machine("quartet"), there.join("capture.json")).unwrap();
    let run = ["run", "latency-matrix", "--on", "quartet", "--nodes", "0", "-o", "result.json", "-q"];
    zerohop().current_dir(there).args(run).assert().success();
    let result = fs::read(there.join("result.json")).unwrap();
    fs::write(there.join("torn.json"), &result[..300]).unwrap();
    fs::create_dir(there.join("survey")).unwrap();
    fs::write(there.join("survey/result.json"), &result).unwrap();
    output(there, &["machine", "export", "quartet", "-o", "topology.xml", "-q"]);
    fs::write(there.join("empty.toml"), "\n").unwrap();
    fs::write(there.join("other.json"), "{}").unwrap();
    fs::write(there.join("torn.xml"), "a letter").unwrap();
    fs::create_dir_all(there.join("root/sys")).unwrap();
    directory
}

#[test]
fn machine_show_takes_the_machine_as_run_does() {
    let here = Path::new(".");
    for verb in ["show", "draw", "export", "check"] {
        assert_eq!(
            output(here, &["machine", verb, "--on", "quartet"]),
            output(here, &["machine", verb, "quartet"]),
            "{verb}"
        );
    }
    let set = output(here, &["machine", "show", "--on", "sr665-v3", "--set", "links=3"]);
    assert_eq!(set, output(here, &["machine", "show", "sr665-v3", "--set", "links=3"]));
}

#[test]
fn a_machine_without_its_option_is_answered_with_the_command() {
    zerohop().args(["survey", "quartet"]).assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: unexpected argument 'quartet' found
hint: did you mean `zerohop survey --on quartet`?

"#]]);
    zerohop().args(["run", "quartet"]).assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: invalid value 'quartet' for '<EXPERIMENT>'
hint: did you mean `zerohop survey --on quartet` or `zerohop run latency-matrix --on quartet`?

"#]]);
    zerohop().args(["run"]).assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: <EXPERIMENT> is missing
hint: for example `zerohop run latency-matrix`

"#]]);
}

#[test]
fn an_option_that_a_verb_does_not_have_is_not_to_be_passed_as_a_value() {
    let error = refusal(Path::new("."), &["compare", "a.json", "b.json", "--on", "quartet"]);
    assert!(error.starts_with("error: unexpected argument '--on' found"), "{error}");
    assert!(!error.contains("as a value"), "{error}");
}

#[test]
fn machine_show_shows_the_machine_of_a_result_and_of_a_capture() {
    let directory = files();
    let show = |file: &str| {
        let json = output(directory.path(), &["machine", "show", file, "--format", "json"]);
        serde_json::from_str::<serde_json::Value>(&json).unwrap()
    };
    assert_eq!(show("result.json")["name"], "quartet");
    assert_eq!(show("result.json")["nodes"].as_array().unwrap().len(), 4);
    assert_eq!(show("capture.json")["name"], "capture");
    assert_eq!(show("capture.json"), {
        let arguments = ["machine", "show", "--sysfs-root", "capture.json", "--format", "json"];
        serde_json::from_str::<serde_json::Value>(&output(directory.path(), &arguments)).unwrap()
    });
    assert_eq!(show("machine.json")["links"], show("./machine.toml")["links"]);
}

/// `machine new` and `advise settings` took the file in the directory, but not the directory.
#[test]
fn the_directory_of_a_survey_shows_its_machine() {
    let directory = tempfile::tempdir().unwrap();
    let run = ["run", "latency-matrix", "--on", "cascade-lake-4s", "--nodes", "0", "-q", "-o"];
    zerohop().current_dir(directory.path()).args(run).arg("today/result.json").assert().success();
    let new = |from: &str| output(directory.path(), &["machine", "new", "--from", from]);
    assert_eq!(new("today"), new("today/result.json"));
    assert!(new("today").contains("template = \"xeon-cascade-lake\""));
}

#[test]
fn a_result_is_no_output_of_another_tool() {
    let directory = files();
    let said = refusal(directory.path(), &["import", "result.json"]);
    assert!(said.starts_with("error: `result.json` is a result of `zerohop run`"), "{said}");
    fs::write(directory.path().join("mlc.txt.gz"), [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]).unwrap();
    for verb in ["import", "diagnose"] {
        let said = refusal(directory.path(), &[verb, "mlc.txt.gz"]);
        assert!(
            said.contains("compressed by gzip") && said.contains("hint: `gunzip --keep mlc.txt.gz`"),
            "{said}"
        );
    }
}

#[test]
fn what_is_known_of_a_machine_is_stated_once() {
    let directory = tempfile::tempdir().unwrap();
    for arguments in [
        &["run", "hops", "--on", "xeon-cascade-lake,cores=8,cores=9"][..],
        &["run", "hops", "--on", "Xeon Gold 6240,cores=8,cores=9"],
        &["machine", "new", "--template", "xeon-cascade-lake", "--set", "cores=8", "--set", "cores=9"],
    ] {
        assert_eq!(
            refusal(directory.path(), arguments),
            "error: `cores` is set twice\nhint: omit one of them\n"
        );
    }
}

#[test]
fn a_file_of_another_kind_is_answered_with_the_verb_that_takes_it() {
    let directory = files();
    for (arguments, what, command) in [
        (
            "run hops --on result.json",
            "`result.json` is a result",
            "use `--on quartet` to simulate its machine",
        ),
        (
            "run hops --on capture.json",
            "`capture.json` is a captured machine",
            "`zerohop machine show capture.json`",
        ),
        ("survey --on study.toml", "`study.toml` is a study", "`zerohop reproduce study.toml`"),
        ("machine check topology.xml", "`topology.xml` is hwloc XML", "`zerohop machine show topology.xml`"),
        (
            "sweep sweep.toml --experiment hops",
            "`sweep.toml` is a sweep file",
            "`zerohop sweep --file sweep.toml`",
        ),
        (
            "sweep --file machine.toml",
            "`machine.toml` is a machine file",
            "`zerohop machine check machine.toml`",
        ),
        (
            "reproduce machine.toml",
            "`machine.toml` is a machine file",
            "`zerohop machine check machine.toml`",
        ),
        ("import result.json", "`result.json` is a result", "`zerohop show result.json`"),
        ("import survey", "`survey` is a result", "`zerohop show survey`"),
        ("survey --on survey", "`survey` is a result", "`zerohop show survey`"),
        ("reproduce result.json", "`result.json` is a result", "`zerohop show result.json`"),
        (
            "compare result.json machine.toml",
            "`machine.toml` is a machine file",
            "`zerohop machine check machine.toml`",
        ),
        (
            "compare capture.json result.json",
            "`capture.json` is a captured machine",
            "`zerohop machine show capture.json`",
        ),
        ("machine show --sysfs-root result.json", "`result.json` is a result", "`zerohop show result.json`"),
        (
            "compare result.json torn.json",
            "`torn.json` is not a zerohop result: it is truncated",
            "give a file",
        ),
        ("machine show other.json", "`other.json` does not describe a machine", "give a machine file"),
        ("machine show torn.xml", "`torn.xml` does not describe a machine: not XML", "`lstopo machine.xml`"),
        (
            "machine check empty.toml",
            "`empty.toml` does not describe a machine: it is empty",
            "`zerohop machine export quartet",
        ),
        ("reproduce empty.toml", "`empty.toml` is not a study: it is empty", "docs/published-figures.md"),
        ("sweep --file empty.toml", "`empty.toml` is not a sweep file: it is empty", "docs/sweep.md"),
        (
            "machine show ./root",
            "`./root` is a directory, not a file",
            "`zerohop --sysfs-root ./root machine show`",
        ),
        ("survey --on root", "no machine `root`", "`root` is a directory"),
        (
            "compare root result.json",
            "`root` is a directory without a `result.json`",
            "`zerohop survey -o DIR`",
        ),
        ("survey --on amd-40555", "no machine `amd-40555`", "`zerohop reproduce amd-40555`"),
        ("reproduce quartet", "no study `quartet`", "`zerohop machine show quartet`"),
    ] {
        let words: Vec<&str> = arguments.split(' ').collect();
        let error = refusal(directory.path(), &words);
        let (message, hint) = error.split_once("\nhint: ").unwrap_or((&error, ""));
        assert!(message.starts_with(&format!("error: {what}")), "{arguments}: {error}");
        assert!(hint.contains(command), "{arguments}: {error}");
    }
}

/// The machine of a survey was to be named by its file.
#[test]
fn the_directory_of_a_survey_names_its_machine() {
    let directory = files();
    let show = |name: &str| output(directory.path(), &["machine", "show", name]);
    assert_eq!(show("survey"), show("survey/result.json"));
}

#[test]
fn a_gate_may_be_a_percentage() {
    let directory = files();
    let compare = |gate: &str| {
        let arguments = ["compare", "result.json", "result.json", "--at-least", gate];
        zerohop().current_dir(directory.path()).args(arguments).assert()
    };
    compare("98%").success();
    compare("101%").code(1);
    compare("98").code(2).stderr_eq(str![[r#"
error: invalid value '98' for '--at-least <RATIO>': `98` is 98 times as good as the baseline (expected at most 10; `98%` is 0.98)
hint: see `zerohop compare --help`

"#]]);
}

#[test]
fn a_machine_with_one_node_says_so() {
    let arguments = ["run", "hops", "--on", "quartet", "--nodes", "9", "-q"];
    zerohop().args(arguments).assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: no node 9; this machine has nodes 0, 1, 2, 3
hint: `zerohop machine show [MACHINE]` lists the nodes and their memory

"#]]);
    let directory = tempfile::tempdir().unwrap();
    let one = "extend = \"xeon-phi-7250\"\ntitle = \"one node\"\nsource = \"assumed\"\n";
    fs::write(directory.path().join("one.toml"), one).unwrap();
    let error = refusal(
        directory.path(),
        &["run", "stream", "--on", "one.toml", "--set", "memory=cache", "--nodes", "3", "-q"],
    );
    assert!(error.starts_with("error: no node 3; this machine has only node 0\n"), "{error}");
}

/// Every kernel of `stream` is left out for the same reason.
#[test]
fn what_leaves_out_eight_kernels_is_said_once() {
    let reserved = fs::read_to_string("/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages");
    if reserved.is_ok_and(|pages| pages.trim() != "0") {
        return;
    }
    let arguments = ["run", "stream", "--pages", "1g", "--duration", "1ms", "--budget", "500ms"];
    let error = refusal(Path::new("."), &arguments);
    assert_eq!(error.matches("reserved pages of 1 GiB").count(), 1, "{error}");
    assert!(!error.contains("run it by itself"), "advises what was just done: {error}");
}
