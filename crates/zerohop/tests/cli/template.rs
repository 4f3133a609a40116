//! Machines from templates: `machine templates`, `machine new`, and a template's name wherever a machine is named.

use crate::binary::{machine, zerohop};

fn printed(arguments: &[&str]) -> String {
    let output = zerohop().args(arguments).assert().success().get_output().stdout.clone();
    String::from_utf8(output).unwrap()
}

fn refused(arguments: &[&str]) -> String {
    let output = zerohop().args(arguments).assert().code(2).get_output().stderr.clone();
    String::from_utf8(output).unwrap()
}

#[test]
fn templates_are_listed_with_what_can_be_stated() {
    assert!(printed(&["machine", "templates"]).contains("xeon-cascade-lake"));
    let rows = printed(&["machine", "templates", "xeon-cascade-lake", "--format", "csv"]);
    let links = rows.lines().find(|row| row.starts_with("links,")).unwrap();
    assert!(links.contains(",3,1,3,"), "{links}");
    assert!(!rows.contains("\nccds,"), "a Xeon has no CPU dies around an I/O die");
    assert!(refused(&["machine", "templates", "xeon-cascade"]).contains("did you mean `xeon-cascade-lake`"));
}

#[test]
fn a_written_machine_is_the_machine_of_the_name() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("xeon-cascade-lake.toml");
    let path = file.to_str().unwrap();
    zerohop()
        .args([
            "machine",
            "new",
            "--template",
            "xeon-cascade-lake",
            "--set",
            "cores=18",
            "--set",
            "links=2",
            "-o",
            path,
        ])
        .assert()
        .success();
    let run =
        |on: &str| printed(&["run", "latency-matrix", "--solver", "auto", "--format", "json", "--on", on]);
    let cells = |text: &str| {
        let result: serde_json::Value = serde_json::from_str(text).unwrap();
        result["experiments"][0]["cells"].clone()
    };
    assert_eq!(cells(&run(path)), cells(&run("xeon-cascade-lake,cores=18,links=2")));
}

#[test]
fn a_prediction_says_what_nobody_stated() {
    let page = printed(&["machine", "check", "xeon-cascade-lake,links=2"]);
    let text = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("assumed, because it was not given: 6 of the memory channels"), "{text}");
    assert!(!text.contains("links between two sockets are wired"), "{text}");
    assert!(text.contains("9 of 10 such predictions"), "{text}");
    let page = printed(&["run", "latency-matrix", "--solver", "auto", "--on", "epyc-9004"]);
    assert!(
        page.split_whitespace().collect::<Vec<_>>().join(" ").contains("1 GMI link from each CPU die"),
        "{page}"
    );
}

#[test]
fn a_processors_name_fills_a_template_in() {
    let file = printed(&["machine", "new", "--model", "xeon gold 6240"]);
    assert!(file.contains("count = 18") && file.contains("Intel, product specification"), "{file}");
    // What is wired is in no product specification.
    assert!(file.contains("3 links between two sockets are wired"), "{file}");
    assert!(refused(&["machine", "new", "--model", "Xeon Gold 6241"]).contains("did you mean `Xeon Gold 6"));
    assert!(refused(&["machine", "new"]).contains("--template"));
}

#[test]
fn a_captured_machine_fills_a_template_in() {
    let capture = machine("epyc-nps4");
    let capture = capture.to_str().unwrap();
    let file = printed(&["machine", "new", "--from", capture]);
    assert!(file.contains("template = \"epyc-9004\"") && file.contains("[node.7]"), "{file}");
    assert!(!file.contains("CPU dies a socket"), "its caches show the dies: {file}");
}

#[test]
fn what_is_stated_of_a_template_is_set_in_sweeps_and_results() {
    let page = printed(&[
        "run",
        "latency-matrix",
        "--on",
        "xeon-haswell",
        "--set",
        "local=90 ns",
        "--solver",
        "auto",
        "--format",
        "csv",
    ]);
    assert!(page.contains("local=90 ns"), "{page}");
    let rows = printed(&[
        "sweep",
        "xeon-cascade-lake",
        "--set",
        "links=2,3",
        "--experiment",
        "bandwidth-matrix",
        "--solver",
        "auto",
        "--format",
        "csv",
    ]);
    assert!(rows.contains("links"), "{rows}");
    assert!(
        refused(&["run", "latency-matrix", "--on", "xeon-haswell", "--set", "corse=4"])
            .contains("did you mean `cores`")
    );
}

/// No template and no processor has exactly these names.
#[test]
fn processors_are_named_as_people_name_them() {
    for (name, shown) in [
        ("Graviton4", "Graviton4"),
        ("NVIDIA Grace", "Grace"),
        ("A64FX", "A64FX"),
        ("Ampere Altra,cores=64", "Altra"),
    ] {
        assert!(printed(&["machine", "show", name]).contains(shown), "{name}");
    }
    let error = refused(&["machine", "show", "Ampere Altra Max"]);
    assert!(error.contains("the nearest template is `ampere-altra`"), "{error}");
    assert!(refused(&["machine", "show", "Graviton9"]).contains("did you mean the template `graviton"));
}

/// A DIMM of one byte was taken, a slow clock contradicted a cache that nobody had stated, and examples had the quotation marks of TOML.
#[test]
fn what_is_typed_of_a_machine_is_taken_or_refused_with_a_reason() {
    let wrong = |stated: &str| refused(&["machine", "show", &format!("epyc-9004,{stated}")]);
    assert!(wrong("dimm=1B").contains("`dimm` cannot be 1 B"), "{}", wrong("dimm=1B"));
    assert!(
        wrong("dimm=1B").contains("hint: expected 64 MiB to 4096 GiB") || wrong("dimm=1B").contains("4 TiB")
    );
    assert!(wrong("rate=1MT/s").contains("`rate` cannot be 1 MT/s"));
    assert!(wrong("clock=1MHz").contains("`clock` cannot be"));
    assert!(wrong("l3=1B").contains("`l3` cannot be 1 B"));
    assert!(wrong("local=1ns").contains("| local=1ns"), "{}", wrong("local=1ns"));
    let bare = printed(&["machine", "show", "epyc-9004,rate=4400,clock=3,local=110"]);
    assert!(bare.contains("DDR5 at 4400 MT/s") && bare.contains("at 3 GHz"), "{bare}");
    // A file has no list beside it.
    let error = refused(&["machine", "show", "epyc-9004", "--set", "channel.dimm.rate=4800"]);
    assert!(error.contains("a transfer rate needs a unit, and this is an integer"), "{error}");
    assert!(error.contains("write, for example, `400MT/s`"), "{error}");
    assert!(printed(&["machine", "show", "epyc-9004,clock=800MHz"]).contains("clock=800MHz"));
}
