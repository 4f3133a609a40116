//! `zerohop reproduce`: pages, exit statuses, and studies that are wrong.

use std::fs;
use std::path::Path;

use snapbox::str;
use tempfile::TempDir;

use crate::binary::zerohop;
use crate::validator;

/// A study whose only run is short, and whose two predictions are as given.
fn study(directory: &Path, value: &str, order: &str) {
    let text = format!(
        r#"
name = "own"
title = "One thread on a square"
machine = "quartet"
document = {{ title = "Notes", publisher = "Someone", number = "1", date = "2006" }}

[run]
hops = "hops --initiators 0"

[place]
near = {{ at = {{ kernel = "read", target = 0 }} }}
far = {{ at = {{ kernel = "read", target = 3 }} }}

[[passage]]
id = "fig-1"
label = "Fig. 1"
pages = "1"
about = "one reader"
grade = "predicted"
reason = "nothing was fitted to it"
run = "hops"
value = [{{ what = "local", at = "near", {value} }}]

[[passage]]
id = "fig-2"
label = "Fig. 2"
about = "the same reader"
grade = "ordering"
reason = "the model could have contradicted it"
run = "hops"
order = [{{ what = "distance costs", ascending = {order} }}]
"#
    );
    fs::write(directory.join("own.toml"), text).unwrap();
}

fn directory() -> TempDir {
    tempfile::tempdir().unwrap()
}

const TRUE_VALUE: &str = r#"published = "100 %", tolerance = "1 pp""#;
const TRUE_ORDER: &str = r#"[["near"], ["far"]]"#;

#[test]
fn what_comes_out_is_shown_and_ends_well() {
    let directory = directory();
    study(directory.path(), TRUE_VALUE, TRUE_ORDER);
    zerohop()
        .current_dir(directory.path())
        .args(["reproduce", "own.toml"])
        .assert()
        .code(0)
        .stderr_eq(str![[r#"
own: 1 run on quartet
own: 1 of 1 prediction, 1 of 1 ordering hold; 0 published values and 8 parameters fitted

"#]])
        .stdout_eq(str![[r#"
reproduce own [..] model of quartet

  document        Notes, 1, 2006
  study           One thread on a square
  machine         [..]
...
Fig. 1, p. 1, predicted [..]
  one reader
  predicted: nothing was fitted to it
         published    model    error  within  verdict
  local      100 %  100.0 %  +0.0 pp   ±1 pp  ok

Fig. 2, ordering [..]
  the same reader
  ordering: the model could have contradicted it
  ok              distance costs: near 100.0 % < far [..] %

fitted parameters [..]
...
verdict [..]
  reproduced      1 of 1 prediction, 1 of 1 ordering hold; 0 published values and 8 parameters
                  fitted
  predicted       1 of 1: [..]
  ordering        1 of 1: [..]
  identity        none: [..]
  fitted          none: [..]
...

"#]]);
}

#[test]
fn what_does_not_come_out_fails() {
    let directory = directory();
    study(directory.path(), r#"published = "5000 %", tolerance = "1 pp""#, TRUE_ORDER);
    zerohop()
        .current_dir(directory.path())
        .args(["reproduce", "./own.toml"])
        .assert()
        .code(1)
        .stderr_eq(str![[r#"
own: 1 run on quartet
own: 0 of 1 prediction, 1 of 1 ordering hold; 0 published values and 8 parameters fitted

"#]])
        .stdout_eq(str![[r#"
...
  local     5000 %  100.0 %  -4900.0 pp   ±1 pp  off
...
  not reproduced  0 of 1 prediction, 1 of 1 ordering hold; [..]
...
"#]]);
    study(directory.path(), TRUE_VALUE, r#"[["far"], ["near"]]"#);
    let assert = zerohop().current_dir(directory.path()).args(["reproduce", "own.toml"]).assert().code(1);
    assert.stdout_eq(str![[r#"
...
  off             distance costs: far [..] % ≮ near 100.0 %
...
"#]]);
}

#[test]
fn other_forms_say_the_same_on_any_number_of_threads() {
    let directory = directory();
    study(directory.path(), TRUE_VALUE, TRUE_ORDER);
    for format in ["json", "csv", "markdown"] {
        let outputs = ["1", "2"].map(|threads| {
            let arguments = ["reproduce", "own.toml", "--format", format, "--threads", threads];
            let assert = zerohop().current_dir(directory.path()).args(arguments).assert().code(0);
            String::from_utf8(assert.get_output().stdout.clone()).unwrap()
        });
        assert!(outputs[0].contains("distance costs"), "{}", outputs[0]);
        assert_eq!(outputs[0], outputs[1]);
        if format == "json" {
            validator::check("reproduction", &serde_json::from_str(&outputs[0]).unwrap());
        }
    }
}

#[test]
fn studies_on_file_are_what_the_schema_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../published");
    for entry in fs::read_dir(folder).unwrap() {
        let study: toml::Table = fs::read_to_string(entry.unwrap().path()).unwrap().parse().unwrap();
        validator::check("published", &serde_json::to_value(study).unwrap());
    }
}

#[test]
fn another_machine_can_take_the_studys_place() {
    let directory = directory();
    study(directory.path(), TRUE_VALUE, TRUE_ORDER);
    fs::write(directory.path().join("mine.toml"), "extend = \"quartet\"\n").unwrap();
    let arguments = ["reproduce", "own.toml", "--on", "mine.toml"];
    zerohop().current_dir(directory.path()).args(arguments).assert().code(0).stdout_eq(str![[r#"
reproduce own [..] model of mine
...
"#]]);
}

#[test]
fn a_study_that_fails_does_not_end_the_others() {
    let directory = directory();
    study(directory.path(), TRUE_VALUE, TRUE_ORDER);
    let text = fs::read_to_string(directory.path().join("own.toml")).unwrap();
    fs::write(directory.path().join("far.toml"), text.replace("target = 3", "target = 7")).unwrap();
    zerohop()
        .current_dir(directory.path())
        .args(["reproduce", "far.toml", "own.toml", "-q"])
        .assert()
        .code(2)
        .stdout_eq(str![[r#"
reproduce own [..] model of quartet
...
"#]])
        .stderr_eq(str![[r#"
error: own: Fig. 2 needs [..]
hint: [..]

"#]]);
}

#[test]
fn studies_are_listed() {
    zerohop().args(["reproduce", "--list"]).assert().code(0).stdout_eq(str![[r#"
amd-40555[..]quartet
  Two threads on a square of four dual-core Opterons: hops, crossfire, background load
  AMD, Performance Guidelines for AMD Athlon 64 and AMD Opteron ccNUMA Multiprocessor Systems,
  application note 40555, rev. 3.00, June 2006
  [..] claims about [..] runs

...
"#]]);
}

#[test]
fn a_run_may_be_done_on_a_machine_that_is_set() {
    let directory = directory();
    study(directory.path(), TRUE_VALUE, TRUE_ORDER);
    let path = directory.path().join("own.toml");
    let text = fs::read_to_string(&path).unwrap();
    let text = text.replace(
        "hops = \"hops --initiators 0\"",
        "hops = \"hops --initiators 0\"\n\
         quick = { command = \"hops --initiators 0\", set = { \"core.k8.in_flight.strided\" = \"6\" } }",
    );
    let ratio = "ratio = [{ what = \"more lines in flight\", of = \"near in quick\", to = \"near\", published = \"60 %\" }]\n\
                 measure = \"time_per_line_ns\"\ntolerance = \"20 pp\"\n";
    let more = format!(
        "\n[[passage]]\nid = \"fig-3\"\nlabel = \"Fig. 3\"\nabout = \"another core\"\ngrade = \"predicted\"\n\
             reason = \"nothing was fitted to it\"\nrun = \"hops\"\n{ratio}"
    );
    fs::write(&path, format!("{text}{more}")).unwrap();
    let markdown = zerohop()
        .current_dir(directory.path())
        .args(["reproduce", "own.toml", "--format", "markdown"])
        .assert()
        .code(0)
        .get_output()
        .stdout
        .clone();
    let markdown = String::from_utf8(markdown).unwrap();
    assert!(markdown.contains("\n### Fig. 3, predicted\n"), "a document may have no pages: {markdown}");
    let command = "zerohop run hops --initiators 0 --set core.k8.in_flight.strided=6 --on quartet";
    assert!(markdown.contains(command), "{markdown}");
    // What is set on the command line counts for all runs: both are then the same.
    let both = ["reproduce", "own.toml", "--set", "core.k8.in_flight.strided=6"];
    zerohop().current_dir(directory.path()).args(both).assert().code(1);
}

#[test]
fn a_study_that_is_not_there() {
    zerohop().args(["reproduce", "amd-4055"]).assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: no study `amd-4055`
hint: did you mean `amd-40555`? There [..]

"#]]);
    zerohop().args(["reproduce", "./none.toml"]).assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: cannot read `./none.toml`: No such file or directory (os error 2)
hint: `zerohop reproduce --list` lists the built-in studies

"#]]);
}

#[test]
fn a_study_that_is_wrong_is_shown_where() {
    let directory = directory();
    study(directory.path(), r#"published = "100 MB/s", tolerance = "1 pp""#, r#"[["near"], ["moon"]]"#);
    let reproduce = || zerohop().current_dir(directory.path()).args(["reproduce", "own.toml"]);
    reproduce().assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: no passage uses the place `far`
  --> own.toml:12:1
   |
12 | far = { at = { kernel = "read", target = 3 } }
   | ^^^

error: `100 MB/s` cannot be compared with relative time, which is in percent
  --> own.toml:22:53
   |
22 | value = [{ what = "local", at = "near", published = "100 MB/s", tolerance = "1 pp" }]
   |                                                     ^^^^^^^^^^

error: no place `moon`
  --> own.toml:31:61
   |
31 | order = [{ what = "distance costs", ascending = [["near"], ["moon"]] }]
   |                                                             ^^^^^^
   |
   = hint: there are `far`, `near`

"#]]);
    study(directory.path(), TRUE_VALUE, TRUE_ORDER);
    let path = directory.path().join("own.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("\"hops --", "\"hop --")).unwrap();
    reproduce().assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: no experiment `hop`
hint: [..]

"#]]);
    fs::write(&path, text.replace("target = 3", "target = 7")).unwrap();
    reproduce().assert().code(2).stdout_eq("").stderr_eq(str![[r#"
own: 1 run on quartet
error: own: Fig. 2 needs `far` of `zerohop run hops --initiators 0`: it has no relative time at target 7, kernel read (there is [..])
hint: [..]

"#]]);
}

/// A machine file that names a figure as fitted takes it out of what is predicted, whatever the study says of it.
#[test]
fn a_figure_that_the_machine_was_fitted_to_is_not_predicted() {
    let directory = directory();
    study(directory.path(), r#"published = "5000 %", tolerance = "1 pp""#, TRUE_ORDER);
    let machine = |figure: &str| {
        let core = format!(
            "extend = \"quartet\"\n[core.k8.in_flight]\n\
             strided = {{ value = 3, source = \"a test\", fitted = [\"{figure}\"] }}\n"
        );
        fs::write(directory.path().join("mine.toml"), core).unwrap();
    };
    let zerohop = |arguments: &[&str]| zerohop().current_dir(directory.path()).args(arguments).assert();
    machine("own/fig-1");
    zerohop(&["reproduce", "own.toml", "--on", "mine.toml"]).code(0).stdout_eq(str![[r#"
...
Fig. 1, p. 1, fitted [..]
  one reader
  fitted: `core.k8.in_flight.strided` of the machine file was fitted to it
...
  fitted          1: [..]
...
"#]]);
    zerohop(&["machine", "check", "mine.toml"]).code(0).stderr_eq(str![[r#"
no built-in study is called `own`; `zerohop reproduce` will check whether your own study has the values that parameters were fitted to

"#]]);
    machine("own/fig-11");
    zerohop(&["reproduce", "own.toml", "--on", "mine.toml", "-q"]).code(2).stderr_eq(str![[r#"
error: own: `core.k8.in_flight.strided` of mine is fitted to `own/fig-11`, but the study has no figure with this name
hint: [..]

"#]]);
    machine("amd-40555/fig-33");
    zerohop(&["machine", "check", "mine.toml"]).code(2).stderr_eq(str![[r#"
error: `core.k8.in_flight.strided` is fitted to `amd-40555/fig-33`, but study amd-40555 has no figure with this name
hint: [..]

"#]]);
}

/// `auto` took the state without retries for the only one, and reported no collapse for the register's original value. It also solved
/// pairs of threads by mean values, and missed two of AMD's.
#[test]
#[ignore = "long: reproduces four studies"]
fn the_collapse_and_what_the_other_documents_tell_hold_with_the_solver_auto() {
    for study in ["amd-40555", "ibm-cloud-collapse", "clpeak-opteron-6274", "lenovo-lp1852"] {
        zerohop().args(["reproduce", study, "--solver", "auto", "--quiet"]).assert().success();
    }
}

/// The order of two runs that differ in nothing they use: no number of seeds decides it.
#[test]
fn what_no_interval_decides_has_an_exit_status_of_its_own() {
    let directory = directory();
    study(directory.path(), TRUE_VALUE, r#"[["near"], ["far"], ["far in again"]]"#);
    let path = directory.path().join("own.toml");
    let again = "hops = \"hops --initiators 0\"\n\
                 again = { command = \"hops --initiators 0\", set = { \"core.k8.in_flight.random\" = \"7\" } }";
    let text = fs::read_to_string(&path).unwrap().replace("hops = \"hops --initiators 0\"", again);
    fs::write(&path, text).unwrap();
    let reproduce = |more: &[&str]| {
        zerohop().current_dir(directory.path()).args(["reproduce", "own.toml"]).args(more).assert().code(3)
    };
    reproduce(&[])
        .stderr_eq(str![[r#"
own: 2 runs on quartet
own: 2 runs more, because intervals barely decide Fig. 2: distance costs
own: 4 runs more, because intervals barely decide Fig. 2: distance costs
own: 1 of 1 prediction, 0 of 1 ordering (1 undecided) hold; 0 published values and 8 parameters fitted

"#]])
        .stdout_eq(str![[r#"
...
  cannot tell     distance costs: near 100.0 % < far [..] % ([..] to [..] %) ≮ far in again [..]
...
  cannot tell     1 of 1 prediction, 0 of 1 ordering (1 undecided) hold; [..]
...
"#]]);
    let outputs = ["1", "2"].map(|threads| {
        let arguments = ["--format", "json", "--threads", threads];
        String::from_utf8(reproduce(&arguments).get_output().stdout.clone()).unwrap()
    });
    assert_eq!(outputs[0], outputs[1]);
    validator::check("reproduction", &serde_json::from_str(&outputs[0]).unwrap());
}

/// Seeds from 2 on failed where 1 did not: verdicts hung on the seed.
#[test]
#[ignore = "long: reproduces two studies with two seeds each"]
fn verdicts_of_quick_studies_hold_with_several_seeds() {
    let studies = ["reproduce", "amd-40555", "clpeak-opteron-6274", "--seed", "2", "--seeds", "2", "--quiet"];
    let assert = zerohop().args(studies).args(["--format", "markdown"]).assert().success();
    assert.stdout_eq(str![[r#"
# Published figures, reproduced

| study | predicted | ordering | identity | fitted | with each of 2 seeds |
|---|---|---|---|---|---|
| amd-40555 | 8 of 8 | 7 of 7 | none | 26 | 15 of 15 |
| clpeak-opteron-6274 | none | none | 7 of 7 | 1 | 7 of 7 |

Everything was simulated with 2 seeds: 22 of 22 claims that count hold with all of them. The values are from the first seed.

...
"#]]);
    zerohop().args(["reproduce", "--seeds", "none"]).assert().code(2);
}
