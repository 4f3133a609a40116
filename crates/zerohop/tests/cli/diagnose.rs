//! `zerohop diagnose`, and faults injected into models.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::binary::{folder_with_result, zerohop};

/// The bandwidth matrix of four sockets, one pair of which has half of the lanes, and that of a sound machine.
fn results() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    run(directory.path(), "sound.json", &[]);
    run(directory.path(), "narrow.json", &["--fault", "link:0-1=x8"]);
    directory
}

fn run(directory: &Path, file: &str, more: &[&str]) {
    zerohop()
        .current_dir(directory)
        .args([
            "run",
            "bandwidth-matrix",
            "--on",
            "cascade-lake-4s",
            "--solver",
            "flow",
            "--quiet",
            "-o",
            file,
        ])
        .args(more)
        .assert()
        .success();
}

/// What `zerohop diagnose` prints and says, and its exit status.
fn diagnose(directory: &TempDir, arguments: &[&str]) -> (String, String, i32) {
    let output = zerohop().current_dir(directory.path()).arg("diagnose").args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

#[test]
fn an_injected_fault_is_found_named_and_fails_a_strict_run() {
    let directory = results();
    let (page, talk, status) = diagnose(&directory, &["narrow.json"]);
    assert_eq!((talk.as_str(), status), ("", 0));
    for words in [
        "with link:0-1=x8 injected",
        "fault: narrow-link",
        "nodes 0 and 1 exchange",
        "fewer lanes",
        "remedy",
        "to confirm",
        "--all lists the rules that cannot tell",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert_eq!(diagnose(&directory, &["narrow.json", "--strict"]).2, 1);
    let (page, _, status) = diagnose(&directory, &["sound.json", "--strict"]);
    assert!(page.contains("nothing found") && status == 0, "{page}");
    // Several results at once: the worst decides.
    assert_eq!(diagnose(&directory, &["sound.json", "narrow.json", "--strict"]).2, 1);
}

#[test]
fn a_diagnosis_has_the_forms_of_other_documents() {
    let directory = results();
    let json: serde_json::Value =
        serde_json::from_str(&diagnose(&directory, &["narrow.json", "--format", "json"]).0).unwrap();
    let finding = &json["diagnoses"][0]["findings"][0];
    assert_eq!((&finding["rule"], &finding["severity"]), (&"narrow-link".into(), &"fault".into()));
    assert!(finding["size"]["loss"].as_f64().unwrap() > 0.4, "{finding}");
    let csv = diagnose(&directory, &["narrow.json", "--format", "csv"]).0;
    assert!(csv.starts_with("result,machine,severity,rule,title,measure,found,expected,loss"), "{csv}");
    diagnose(&directory, &["narrow.json", "-o", "ticket.md"]);
    let text = fs::read_to_string(directory.path().join("ticket.md")).unwrap();
    assert!(text.starts_with("# Diagnosis\n") && text.contains("| likelihood | cause | sign |"), "{text}");
    assert!(text.contains("- `way-around`: needs the experiment latency-matrix"), "{text}");
}

#[test]
fn rules_that_cannot_tell_say_what_they_need() {
    let directory = results();
    let page = diagnose(&directory, &["sound.json", "--all"]).0.replace("\n    ", " ");
    assert!(page.contains("way-around: needs the experiment latency-matrix"), "{page}");
    assert!(page.contains("cannot tell") && page.contains("not found"), "{page}");
    let (page, _, status) = diagnose(&directory, &["--rules"]);
    assert!(page.contains("collapse") && page.contains("reclaimed-zones") && status == 0, "{page}");
}

#[test]
fn the_output_of_another_tool_is_judged_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let text = "Intel(R) Memory Latency Checker - v3.9\n\
                Measuring Memory Bandwidths between nodes within system\n\
                \t\tNuma node\nNuma node\t     0\t     1\n       0\t122097.7\t51327.9\n       1\t51309.2\t81000.5\n";
    fs::write(directory.path().join("mlc.txt"), text).unwrap();
    let (page, _, status) = diagnose(&directory, &["mlc.txt"]);
    assert!(page.contains("node 1 reads 81.0 GB/s from local memory") && status == 0, "{page}");
    let piped = zerohop().args(["diagnose", "-"]).stdin(text).assert().success();
    let page = String::from_utf8(piped.get_output().stdout.clone()).unwrap();
    assert!(page.contains("node 1 reads 81.0 GB/s") && page.contains("standard input"), "{page}");
}

#[test]
fn a_file_of_another_kind_is_refused_with_what_accepts_it() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("machine.toml"), "title = \"a\"\n[node.0]\n").unwrap();
    let (_, talk, status) = diagnose(&directory, &["machine.toml"]);
    assert!(talk.contains("is a machine file") && status == 2, "{talk}");
    let (_, talk, status) = diagnose(&directory, &["missing.json"]);
    assert!(talk.contains("missing.json") && status == 2, "{talk}");
}

#[test]
fn faults_that_cannot_be_say_why() {
    for (arguments, message, hint) in [
        (
            &["--on", "quartet", "--fault", "link:0-3=x8"][..],
            "no link of this machine joins",
            "its links between packages are 0-1",
        ),
        (
            &["--on", "quartet", "--fault", "channels:node9=1"],
            "this machine has no node 9",
            "its nodes are 0, 1, 2, 3",
        ),
        (&["--on", "cascade-lake-4s", "--fault", "nps=0"], "NPS is a setting of AMD processors", ""),
        (&["--fault", "noise=busy"], "needs a simulated machine", "choose one with --on"),
        (&["--on", "quartet", "--fault", "link:0-1=wide"], "invalid fault", ""),
    ] {
        let output = zerohop().args(["run", "hops"]).args(arguments).output().unwrap();
        let talk = String::from_utf8(output.stderr).unwrap().replace('\n', " ");
        assert_eq!(output.status.code(), Some(2), "{talk}");
        assert!(talk.contains(message) && talk.contains(hint), "{arguments:?}: {talk}");
    }
}

#[test]
fn a_survey_shows_its_findings_first_and_keeps_faulty_models_apart() {
    let directory = tempfile::tempdir().unwrap();
    let survey = |more: &[&str]| {
        let output = zerohop()
            .current_dir(directory.path())
            .args(["survey", "--on", "quartet", "--solver", "auto", "--quiet"])
            .args(more)
            .output()
            .unwrap();
        (String::from_utf8(output.stdout).unwrap(), output.status.code().unwrap())
    };
    let (page, status) = survey(&["--fault", "slow-dimm:node1=200", "--strict"]);
    let second = page.lines().nth(1).unwrap();
    assert!(second.contains("! fault: node 1 reads") && status == 1, "{page}");
    assert!(directory.path().join("zerohop-results/quartet-slow-dimm_node1_200-model/result.json").exists());
    assert_eq!(survey(&["--strict"]).1, 0);
}

/// One of three links, of two sockets: no other pair shows it.
#[test]
fn a_machine_that_is_handed_over_shows_what_no_sister_shows() {
    let directory = tempfile::tempdir().unwrap();
    let machine = "xeon-cascade-lake,cores=8,links=3";
    zerohop()
        .current_dir(directory.path())
        .args([
            "run",
            "bandwidth-matrix",
            "--on",
            machine,
            "--solver",
            "flow",
            "--quiet",
            "-o",
            "result.json",
        ])
        .args(["--fault", "link:0-1=down"])
        .assert()
        .success();
    let (page, _, status) = diagnose(&directory, &["result.json", "--strict"]);
    assert!(page.contains("nothing found") && status == 0, "{page}");
    let (page, talk, status) =
        diagnose(&directory, &["result.json", "--strict", "--machine", machine, "--quiet"]);
    let page = page.replace("\n  ", " ");
    assert!(page.contains("fault: links-missing") && page.contains("matches 2 UPI links"), "{page}{talk}");
    assert_eq!(status, 1, "{page}");
    let (_, talk, status) = diagnose(&directory, &["result.json", "--machine", "no-such-machine"]);
    assert!(talk.contains("no-such-machine") && status == 2, "{talk}");
}

#[test]
fn nodes_that_firmware_was_asked_for_and_did_not_make_are_counted() {
    let directory = folder_with_result("latency-matrix", "sr665-v3");
    let dump = |nodes: u32| {
        let text =
            format!("[Key=BIOS.Setup.1-1#ProcSettings]\nLogicalProc=Enabled\nNumaNodesPerSocket={nodes}\n");
        fs::write(directory.path().join("dump.txt"), text).unwrap();
        diagnose(&directory, &["result.json", "--bios", "dump.txt"])
    };
    let page = dump(4).0.replace("\n  ", " ");
    assert!(
        page.contains("warning: nodes-not-taken") && page.contains("4 NUMA nodes per package were requested"),
        "{page}"
    );
    assert!(dump(1).0.contains("nothing found"), "{page}");
    let (_, talk, status) = diagnose(&directory, &["result.json", "--bios", "missing.txt"]);
    assert!(talk.contains("missing.txt") && status == 2, "{talk}");
}

/// A machine's name in a ticket, and a byte order mark, a cut and a list in place of a result.
#[test]
fn texts_that_are_hardly_results_are_read_or_named() {
    let directory = results();
    let path = |name: &str| directory.path().join(name);
    let text = fs::read_to_string(path("sound.json")).unwrap();
    fs::write(path("marked.json"), format!("\u{feff}{text}")).unwrap();
    let (page, talk, status) = diagnose(&directory, &["marked.json"]);
    assert!(status == 0 && page.contains("nothing found"), "{talk}");
    fs::write(path("cut.json"), &text[..text.len() / 2]).unwrap();
    let (_, talk, status) = diagnose(&directory, &["cut.json"]);
    assert!(
        status == 2 && talk.contains("`cut.json` is not a zerohop result: it is truncated in line"),
        "{talk}"
    );
    for (name, text, told) in [
        ("list.json", format!("[{text}]"), "is not a zerohop result: it is not a JSON object"),
        ("null.json", "null".to_owned(), "cannot recognize a format in `null.json`"),
    ] {
        fs::write(path(name), text).unwrap();
        let compared =
            zerohop().current_dir(directory.path()).args(["compare", "sound.json", name]).assert().code(2);
        let talk = String::from_utf8_lossy(&compared.get_output().stderr).into_owned();
        assert!(talk.contains(told), "{talk}");
        assert!(talk.len() < 400, "{talk}");
    }
    let mut file: serde_json::Value = serde_json::from_str(&text).unwrap();
    file["machine"]["name"] = "a\n# b <b>\u{1b}[31m".into();
    fs::write(path("named.json"), file.to_string()).unwrap();
    let (page, _, _) = diagnose(&directory, &["named.json", "--format", "markdown"]);
    assert!(page.contains("## a\\u000a# b &lt;b&gt;\\u001b\\[31m (`named.json`)"), "{page}");
}

/// Where nothing could be judged, the page said that nothing was found, and no more.
#[test]
fn what_was_not_judged_is_said() {
    let directory = results();
    let path = |name: &str| directory.path().join(name);
    let mut file: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(path("sound.json")).unwrap()).unwrap();
    file["experiments"] = serde_json::json!([]);
    fs::write(path("bare.json"), file.to_string()).unwrap();
    let (_, talk, status) = diagnose(&directory, &["bare.json"]);
    assert_eq!(status, 0);
    assert!(talk.contains("`bare.json` has no values: judging only its hardware"), "{talk}");
    let mlc = "Intel(R) Memory Latency Checker - v3.9\nMeasuring Memory Bandwidths between nodes within system\n\
        Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)\nUsing all the threads from each core if Hyper-threading is enabled\n\
        Using Read-only traffic type\n\t\tNuma node\nNuma node\t     0\t     1\n       0\t110123.1\t34567.8\n       1\t34456.7\t0.0\n";
    fs::write(path("mlc.txt"), mlc).unwrap();
    let (_, talk, _) = diagnose(&directory, &["mlc.txt"]);
    assert!(talk.contains("`mlc.txt` has 1 value in doubt"), "{talk}");
}

/// A sound machine of a template had a firmware that is wrong: its distances are counted in hops, and CXL memory is farther than that.
#[test]
fn a_template_s_distances_are_no_firmware_s() {
    let directory = tempfile::tempdir().unwrap();
    for machine in ["epyc-9004,cxl=1", "xeon-sapphire-rapids,nodes=2,cxl=1"] {
        let run = ["run", "latency-matrix", "--on", machine, "--solver", "flow", "--quiet", "-o", "cxl.json"];
        zerohop().current_dir(directory.path()).args(run).assert().success();
        let (page, _, _) = diagnose(&directory, &["cxl.json"]);
        assert!(!page.contains("wrong-distances") && !page.contains("warning:"), "{machine}: {page}");
    }
}

/// What all nodes of a machine have alike shows beside other machines only.
#[test]
fn a_machine_is_held_against_others_of_its_kind() {
    let directory = tempfile::tempdir().unwrap();
    for file in ["one.json", "two.json", "three.json"] {
        run(directory.path(), file, &[]);
    }
    let slow: Vec<String> = (0..4).map(|node| format!("--fault=slow-dimm:node{node}=2133")).collect();
    run(directory.path(), "slow.json", &slow.iter().map(String::as_str).collect::<Vec<_>>());
    let all = ["one.json", "two.json", "three.json", "slow.json"];
    let (page, _, status) = diagnose(&directory, &[&all[..], &["--strict"]].concat());
    assert_eq!(status, 1, "{page}");
    assert_eq!(page.matches("slow-in-fleet ").count(), 1, "{page}");
    assert!(page.contains("3 other machines of its kind"), "{page}");
    assert!(page.contains("DIMMs run at a lower rate than on the other machines"), "{page}");
    // Alone, only its DIMMs tell.
    assert_eq!(diagnose(&directory, &["slow.json", "--strict"]).2, 0);
    // Another tool's text shows no processor: texts that are named together are of a kind.
    let matrix = |bandwidth: u32| {
        format!(
            "Measuring Memory Bandwidths between nodes within system\n\t\tNuma node\nNuma node\t0\t1\n\
             0\t{bandwidth}\t34000\n1\t34000\t{bandwidth}\n"
        )
    };
    for (name, bandwidth) in [("a.txt", 108_000), ("b.txt", 107_500), ("c.txt", 80_000)] {
        fs::write(directory.path().join(name), matrix(bandwidth)).unwrap();
    }
    let texts = ["a.txt", "b.txt", "c.txt"];
    let (page, talk, _) = diagnose(&directory, &texts);
    assert_eq!(page.matches("slow-in-fleet ").count(), 1, "{page}");
    assert!(page.starts_with("diagnosis of c "), "the bad one comes first: {page}");
    assert!(page.contains("2 results: a, b"), "the others are one line: {page}");
    assert!(talk.contains("`zerohop fleet analyse` ranks"), "{talk}");
    // The same text twice under one name is no other machine: one other shows nothing.
    let (page, _, _) = diagnose(&directory, &["a.txt", "a.txt", "c.txt"]);
    assert!(!page.contains("in-fleet"), "{page}");
}

/// One broken file refused all of them.
#[test]
fn a_result_that_cannot_be_read_does_not_keep_the_others_from_being_judged() {
    let directory = tempfile::tempdir().unwrap();
    let text = |latency: &str| {
        format!(
            "Measuring idle latencies (in ns)...\n\tNuma node\nNuma node\t0\t1\n0\t{latency}\t140.1\n1\t139.9\t81.2\n"
        )
    };
    let files = [("one.txt", text("81.1")), ("broken.txt", text("fast")), ("two.txt", text("139.1"))];
    for (name, text) in &files {
        fs::write(directory.path().join(name), text).unwrap();
    }
    let (page, talk, status) = diagnose(&directory, &["one.txt", "broken.txt", "two.txt"]);
    assert_eq!(status, 2, "{talk}");
    assert!(page.contains("diagnosis of two") && page.contains("latency-of-a-node"), "{page}");
    assert!(page.contains("1 result: one"), "{page}");
    for words in ["error: `broken.txt`, line 4", "hint:", "error: 1 of 3 results could not be read"] {
        assert!(talk.contains(words), "{words}: {talk}");
    }
    // Where none can be read, each says why.
    let (page, talk, status) = diagnose(&directory, &["broken.txt", "missing.txt"]);
    assert_eq!((page.as_str(), status), ("", 2));
    assert!(talk.contains("error: `broken.txt`, line 4") && talk.contains("`missing.txt`"), "{talk}");
}

/// The message was "file too large", without the limit.
#[test]
fn a_file_that_is_too_large_is_refused_with_the_limit() {
    let directory = tempfile::tempdir().unwrap();
    let file = fs::File::create(directory.path().join("large.txt")).unwrap();
    file.set_len((256 << 20) + 1).unwrap();
    let (_, talk, status) = diagnose(&directory, &["large.txt"]);
    assert_eq!(status, 2);
    assert!(
        talk.contains("error: `large.txt` is larger than the limit of 256 MiB") && talk.contains("hint:"),
        "{talk}"
    );
}

/// "nothing found", below "0 of 4 values as expected" on the same page.
#[test]
fn values_far_below_what_is_expected_are_not_nothing_even_if_no_rule_says_why() {
    let directory = tempfile::tempdir().unwrap();
    let text = "STREAM version $Revision: 5.10 $\n\
        Array size = 400000000 (elements), Offset = 0 (elements)\n\
        Number of Threads requested = 64\nNumber of Threads counted = 64\n\
        Function    Best Rate MB/s  Avg time     Min time     Max time\n\
        Copy:          100000.0     0.064000     0.064000     0.064100\n\
        Scale:          95000.0     0.067368     0.067368     0.067400\n\
        Add:           101000.0     0.095050     0.095050     0.095100\n\
        Triad:         101000.0     0.095050     0.095050     0.095100\n";
    fs::write(directory.path().join("stream.txt"), text).unwrap();
    let held = ["stream.txt", "--machine", "EPYC 9354", "--strict"];
    let (page, talk, status) = diagnose(&directory, &held);
    assert_eq!(status, 3, "{page}{talk}");
    assert!(page.contains("cannot tell: 4 of 4 values are worse than expected, half of them by 8"), "{page}");
    assert!(talk.contains("whether its machine is healthy: 4 of 4 values"), "{talk}");
}
