//! `zerohop fleet`: many machines held against each other.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::binary::zerohop;

/// What MLC prints on a machine of two nodes.
fn mlc(own: f64, far: f64) -> String {
    format!(
        "Intel(R) Memory Latency Checker - v3.9\nMeasuring Memory Bandwidths between nodes within system\n\
         Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)\nUsing all the threads from each core if Hyper-threading is enabled\n\
         Using Read-only traffic type\n\t\tNuma node\nNuma node\t     0\t     1\n       0\t{own:.1}\t{far:.1}\n       1\t{far:.1}\t{own:.1}\n"
    )
}

/// A directory with a text for each of `nodes` machines, of which every tenth is at a quarter from the third on.
fn texts(nodes: usize) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for node in 0..nodes {
        let share = if is_bad(node) { 0.25 } else { 1.0 };
        let own = 180_000.0 + 100.0 * (node * 7 % 11) as f64 + node as f64;
        fs::write(directory.path().join(format!("n{node:03}.txt")), mlc(own * share, 60_000.0 * share))
            .unwrap();
    }
    directory
}

fn is_bad(node: usize) -> bool {
    node % 10 == 3
}

fn fleet(directory: &Path, arguments: &[&str]) -> (String, String, i32) {
    let run = zerohop().current_dir(directory).arg("fleet").args(arguments).assert();
    let output = run.get_output();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code().unwrap())
}

/// Of 200 texts, one of them at a quarter, `diagnose` found nothing 200 times.
#[test]
fn the_bad_ones_of_many_texts_come_first_with_what_they_have_in_common() {
    let directory = texts(40);
    let rows = (0..40).map(|node| {
        let bios = if is_bad(node) { "1.2" } else { "1.3" };
        format!("n{node:03},r{},{bios}\n", node % 4)
    });
    let facts = directory.path().join("facts.csv");
    fs::create_dir(directory.path().join("texts")).unwrap();
    for node in 0..40 {
        let name = format!("n{node:03}.txt");
        fs::rename(directory.path().join(&name), directory.path().join("texts").join(&name)).unwrap();
    }
    fs::write(&facts, format!("node,rack,bios\n{}", rows.collect::<String>())).unwrap();
    let (page, talk, status) = fleet(directory.path(), &["analyse", "texts", "--facts", "facts.csv"]);
    assert_eq!((status, talk.as_str()), (0, ""), "{page}");
    assert!(page.contains("4 of 40 nodes are bad; 36 nodes are like most of their group"), "{page}");
    assert!(page.contains("all 4 bad nodes have bios 1.2; none of the 36 others has this"), "{page}");
    assert!(page.contains("n003") && !page.contains("n004"), "{page}");
    // Words stand beside a node, and no name of a rule.
    assert!(page.contains("likely cause") && !page.contains("slow-in-fleet"), "{page}");
    assert!(page.lines().count() < 40, "one screen: {page}");
    let (_, _, status) = fleet(directory.path(), &["analyze", "texts", "--strict"]);
    assert_eq!(status, 1);
    // The other forms say the same.
    let (json, ..) =
        fleet(directory.path(), &["analyse", "texts", "--facts", "facts.csv", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    let bad = json["groups"][0]["bad"].as_array().unwrap();
    assert_eq!(bad.len(), 4);
    assert!((bad[0]["loss"].as_f64().unwrap() - 0.75).abs() < 0.01, "{json}");
    assert_eq!(json["diagnoses"].as_array().unwrap().len(), 4);
    let (csv, ..) = fleet(directory.path(), &["analyse", "texts", "--format", "csv"]);
    assert!(
        csv.starts_with("node,group,nodes_in_group,node_loss,") && csv.contains("\nn013,1,40,0.7"),
        "{csv}"
    );
    let (text, ..) = fleet(directory.path(), &["analyse", "texts", "--format", "markdown"]);
    assert!(text.starts_with("# Fleet of 40 nodes") && text.contains("\n| n033 | 75 %"), "{text}");
    // The page for a browser has a square and marks for each node, by rack, and the report of a node is a link.
    fs::write(directory.path().join("texts/n013.html"), "a report").unwrap();
    let analyse = ["analyse", "texts", "--facts", "facts.csv", "-o"];
    fs::create_dir(directory.path().join("pages")).unwrap();
    fleet(directory.path(), &[&analyse[..], &["pages/fleet.html"]].concat());
    let html = fs::read_to_string(directory.path().join("pages/fleet.html")).unwrap();
    assert!(html.matches("href=\"../texts/n013.html\"").count() >= 2, "its square and its name: {html}");
    for words in ["n003, loses 75 %", ">worst nodes<", ">what the bad nodes share<"] {
        assert!(html.contains(words), "{words}: {html}");
    }
    assert!(html.matches("<title>n0").count() >= 40, "each node has a mark");
    // What should be alike is for the user to say.
    let (page, ..) =
        fleet(directory.path(), &["analyse", "texts", "--facts", "facts.csv", "--group-by", "rack"]);
    assert!(page.contains("4 groups"), "{page}");
    let (_, talk, status) = fleet(directory.path(), &["analyse", "texts", "--group-by", "row"]);
    assert_eq!(status, 2);
    assert!(talk.contains("no node has a fact `row`") && talk.contains("hint: --group-by takes"), "{talk}");
}

#[test]
fn each_odd_input_is_named_once_and_the_others_are_judged() {
    let directory = texts(12);
    let at = |name: &str| directory.path().join(name);
    let text = fs::read_to_string(at("n005.txt")).unwrap();
    std::os::unix::fs::symlink("nowhere.json", at("gone.json")).unwrap();
    fs::write(at("cut.txt"), &text[..text.len() - 30]).unwrap();
    fs::write(at("empty.txt"), "").unwrap();
    fs::write(at("torn.json"), "{\"schema_version\": 6, \"produced_by\": \"zero").unwrap();
    fs::write(at("odd\u{1b}[31m\nname.txt"), mlc(180_300.0, 60_300.0)).unwrap();
    fs::write(at(".hidden"), "of a launcher").unwrap();
    let (page, talk, status) = fleet(directory.path(), &["analyse", "."]);
    assert_eq!(status, 2, "{talk}");
    for once in ["gone.json", "empty.txt", "torn.json"] {
        let lines =
            page.lines().chain(talk.lines()).filter(|line| line.contains(once) && !line.contains("hint:"));
        assert_eq!(lines.count(), 1, "{once}: {page}{talk}");
    }
    assert!(page.contains("1 directory entry is neither a file nor a directory"), "{page}");
    assert!(!page.contains('\u{1b}') && !page.contains("hidden"), "{page}");
    assert!(page.contains("1 of ") && page.contains("n003"), "{page}");
    fs::create_dir(at("nothing")).unwrap();
    let (_, talk, status) = fleet(directory.path(), &["analyse", "nothing"]);
    assert_eq!(status, 2);
    assert!(
        talk.contains("error: `nothing` contains no results") && talk.contains("hint: give the directory"),
        "{talk}"
    );
    let (page, _, status) = fleet(directory.path(), &["analyse", "n001.txt", "n003.txt"]);
    assert_eq!(status, 0);
    assert!(page.contains("not judged: at least 3 nodes of a kind are required"), "{page}");
    fs::write(at("facts.csv"), "node,rack\nn001,r1\nn001,r2\n").unwrap();
    let (_, talk, status) = fleet(directory.path(), &["analyse", "n001.txt", "--facts", "facts.csv"]);
    assert_eq!(status, 2);
    assert!(talk.contains("`facts.csv`, line 3: duplicate node `n001`"), "{talk}");
}

/// Time with the square of the number of texts: 400 took 23 s, and 10,000 would have taken four hours.
#[test]
fn ten_times_as_many_texts_are_read_in_about_ten_times_the_time() {
    let time = |nodes: usize| {
        let directory = texts(nodes);
        let start = std::time::Instant::now();
        let (page, ..) = fleet(directory.path(), &["analyse", ".", "--quiet"]);
        assert!(page.contains(&format!("fleet of {nodes} nodes")), "{page}");
        start.elapsed()
    };
    let (few, many) = (time(60), time(600));
    assert!(many < 40 * few, "{few:?} and {many:?}");
}

/// Two commands show what the laboratory saw: one of the nodes performs horribly compared to the others.
#[test]
fn a_fleet_of_models_is_run_resumed_and_analysed() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("faults.txt"), "n02 slow-dimm:node0=2133 slow-dimm:node1=2133 # its DIMMs\n").unwrap();
    let run = ["run", "-o", "fleet", "--launcher", "local", "--on", "quartet", "--nodes", "6"];
    let machine = "xeon-cascade-lake,cores=4";
    let run = [&run[..6], &[machine], &run[7..], &["--faults", "faults.txt", "--quiet"]].concat();
    let (page, talk, status) = fleet(directory.path(), &run);
    assert_eq!((status, talk.as_str()), (0, ""), "{page}");
    assert!(page.contains("6 of 6 nodes surveyed: fleet\nnext: zerohop fleet analyse fleet"), "{page}");
    let (page, _, _) = fleet(directory.path(), &["analyse", "fleet", "--quiet"]);
    assert!(page.contains("1 of 6 nodes is bad") && page.contains("n02"), "{page}");
    // What is there is not begun again; what is missing is.
    let (_, talk, status) = fleet(directory.path(), &run);
    assert_eq!(status, 2);
    assert!(
        talk.contains("contains an unfinished fleet run") && talk.contains("fleet resume fleet"),
        "{talk}"
    );
    let record = at("fleet/.round.json");
    let text = fs::read_to_string(&record).unwrap();
    let mut round: Value = serde_json::from_str(&text).unwrap();
    round["tasks"][4]["state"] = serde_json::json!({"started": "1"});
    fs::write(&record, round.to_string()).unwrap();
    fs::remove_file(at("fleet/n04.json")).unwrap();
    let kept = fs::metadata(at("fleet/n03.json")).unwrap().modified().unwrap();
    let (page, _, status) = fleet(directory.path(), &["resume", "fleet", "--quiet"]);
    assert_eq!(status, 0);
    assert!(page.contains("6 of 6 nodes surveyed") && at("fleet/n04.json").exists(), "{page}");
    assert_eq!(fs::metadata(at("fleet/n03.json")).unwrap().modified().unwrap(), kept);
    // Nodes without a result are named, and a gate does not pass for them.
    let mut round: Value = serde_json::from_str(&fs::read_to_string(&record).unwrap()).unwrap();
    round["tasks"][4]["state"] = serde_json::json!({"failed": "exit status 7"});
    fs::write(&record, round.to_string()).unwrap();
    for node in ["n02", "n04"] {
        fs::remove_file(at(&format!("fleet/{node}.json"))).unwrap();
    }
    let (page, _, status) = fleet(directory.path(), &["analyse", "fleet", "--quiet", "--strict"]);
    assert_eq!(status, 3, "{page}");
    for words in [
        "no node of 4 is bad; 2 more nodes gave no result",
        "n04: it failed: exit status 7",
        "n02: its result is missing",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    let (json, ..) = fleet(directory.path(), &["analyse", "fleet", "--quiet", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["unanswered"][1]["node"], "n04");
    let (text, ..) = fleet(directory.path(), &["analyse", "fleet", "--quiet", "--format", "markdown"]);
    assert!(text.contains("## Without a result") && text.contains("exit status 7"), "{text}");
    // A copy stands for no other node.
    fs::copy(at("fleet/n00.json"), at("fleet/n02.json")).unwrap();
    let (page, _, _) = fleet(directory.path(), &["analyse", "fleet", "--quiet"]);
    assert!(page.contains("n02: its file and that of n00 are from the same run"), "{page}");
    fs::remove_file(at("fleet/n02.json")).unwrap();
    fs::write(&record, "{").unwrap();
    let (page, _, status) = fleet(directory.path(), &["analyse", "fleet", "--quiet", "--strict"]);
    assert!(status == 3 && page.contains("cannot tell which nodes have no result"), "{page}");
}

/// A host whose tool was not there, and one that did not answer, were named nowhere, and a gate passed.
#[test]
fn hosts_of_a_text_that_have_no_values_gave_no_result() {
    let directory = tempfile::tempdir().unwrap();
    let part = |node: usize| -> String {
        let own = 180_000.0 + 100.0 * node as f64;
        mlc(own, 60_000.0).lines().map(|line| format!("n{node:02}: {line}\n")).collect()
    };
    let sound: String = (0..6).map(part).collect();
    let silent = "n06: bash: mlc: command not found\npdsh@head: n07: ssh exited with exit code 255\n";
    let page = |text: &str| {
        fs::write(directory.path().join("all.txt"), text).unwrap();
        fleet(directory.path(), &["analyse", "all.txt", "--strict", "--quiet"])
    };
    let (text, _, status) = page(&sound);
    assert_eq!(status, 0, "{text}");
    let (text, _, status) = page(&format!("{sound}{silent}"));
    assert_eq!(status, 3, "{text}");
    for words in
        ["n06: it printed no values: `bash: mlc: command not found`", "n07: ssh exited with exit code 255"]
    {
        assert!(text.contains(words), "{words}: {text}");
    }
    let (_, talk, _) = fleet(directory.path(), &["baseline", "all.txt", "-o", "b.json", "--quiet"]);
    assert!(talk.contains("n06 is not in the baseline") && talk.contains("n07 is not"), "{talk}");
    let (text, _, status) = page(&format!("{sound}pdsh@head: n05: ssh exited with exit code 137\n"));
    assert!(status == 3 && text.contains("1 incomplete result"), "{text}");
    let ansible = |node: usize| {
        let own = 180_000.0 + 100.0 * node as f64;
        format!("n{node:02} | CHANGED | rc=0 >>\n{}", mlc(own, 60_000.0))
    };
    let sound: String = (0..6).map(ansible).collect();
    let (text, _, status) = page(&format!("{sound}n06 | FAILED | rc=127 >>\nmlc: command not found\n"));
    assert!(status == 3 && text.contains("n06: FAILED, rc=127: `mlc: command not found`"), "{text}");
}

/// A model's bandwidths as a file of a fleet; `faults` are its own.
fn model(directory: &Path, node: usize, faults: &[&str]) {
    let (seed, result) = ((node + 1).to_string(), format!("lf/n{node:02}.json"));
    fs::create_dir_all(directory.join("lf")).unwrap();
    let run = ["run", "bandwidth-matrix", "--on", "sr665-v3", "--solver", "flow", "--quiet"];
    let faults = faults.iter().flat_map(|fault| ["--fault", fault]);
    let command = zerohop().current_dir(directory).args(run).args(["--seed", &seed, "-o", &result]);
    command.args(faults).assert().success();
}

/// Nodes that had lost DIMMs were "cannot tell", and schedulers left them in service.
#[test]
fn a_node_that_lost_dimms_is_bad_for_the_fleet_and_for_a_check() {
    let directory = tempfile::tempdir().unwrap();
    for node in 0..7 {
        let faults: &[&str] = match node {
            3 => &["slow-dimm:node0=3200", "slow-dimm:node1=3200"],
            5 => &["channels:node1=3"],
            _ => &[],
        };
        model(directory.path(), node, faults);
    }
    let (page, _, status) = fleet(directory.path(), &["analyse", "lf", "--strict", "--quiet"]);
    assert!(status == 1 && page.contains("2 of 7 nodes are bad"), "{page}");
    let line = |page: &str, node: &str| {
        let of = |line: &&str| line.trim_start().starts_with(node);
        page.lines().find(of).unwrap_or_default().to_owned()
    };
    assert!(line(&page, "n05").ends_with("15 of 24 DIMMs"), "{page}");
    assert!(line(&page, "n03").ends_with("DIMMs at 3200 of 4800 MT/s"), "{page}");
    let steps: Vec<&str> = page.lines().skip_while(|line| !line.contains("recommended actions")).collect();
    let step = |node: &str| steps.iter().find(|line| line.contains(&format!("– {node}: "))).copied();
    assert!(step("n05").is_some_and(|step| step.contains("reseat or replace the missing DIMMs")), "{page}");
    assert!(step("n03").is_some_and(|step| step.contains("shows the rate of each DIMM")), "{page}");
    let (csv, ..) = fleet(directory.path(), &["analyse", "lf", "--format", "csv", "--quiet"]);
    assert!(csv.contains(",DIMMs,,15,24,0.375,"), "{csv}");

    let (page, talk, status) = fleet(directory.path(), &["baseline", "lf", "-o", "lfb.json", "--quiet"]);
    assert!(
        status == 0 && talk.starts_with("warning: 2 nodes are bad in these results: n05, n03;"),
        "{page}{talk}"
    );
    let check = |result: &str, format: &str| {
        let arguments = ["check", "--baseline", "lfb.json", "--result", result, "--format", format];
        let run = zerohop().current_dir(directory.path()).args(arguments).assert();
        let output = run.get_output();
        (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code().unwrap())
    };
    let (text, status) = check("lf/n01.json", "text");
    assert!(status == 0 && text.starts_with("n01: ok: ") && text.contains("(baseline of 7 nodes)"), "{text}");
    let (text, status) = check("lf/n05.json", "text");
    assert!(status == 1 && text.starts_with("n05: bad: 15 of 24 DIMMs; bandwidth of "), "{text}");
    let (text, status) = check("lf/n03.json", "slurm");
    assert!(status == 1 && text.starts_with("zerohop: bad: DIMMs at 3200 of 4800 MT/s"), "{text}");
    assert_eq!(check("lf/n05.json", "nagios").1, 2);
    // Half of the cores, one DIMM, a survey without root, and one that has not ended.
    let edited = |name: &str, edit: &dyn Fn(&mut Value)| {
        let text = fs::read_to_string(directory.path().join("lf/n01.json")).unwrap();
        let mut file: Value = serde_json::from_str(&text).unwrap();
        edit(&mut file);
        fs::write(directory.path().join(name), file.to_string()).unwrap();
        check(name, "text")
    };
    let (text, status) =
        edited("cores.json", &|file| file["machine"]["cores"].as_array_mut().unwrap().truncate(32));
    assert!(status == 1 && text.contains("bad: 32 of 64 cores"), "{text}");
    let (text, status) = edited("dimm.json", &|file| {
        file["machine"]["memory_devices"].as_array_mut().unwrap().truncate(23);
    });
    assert!(status == 1 && text.contains("bad: 23 of 24 DIMMs"), "{text}");
    let hide = |file: &mut Value| drop(file["machine"].as_object_mut().unwrap().remove("memory_devices"));
    assert_eq!(edited("user.json", &hide).1, 0);
    let (text, status) = edited("cut.json", &|file| file["completion"] = "interrupted".into());
    assert!(status == 3 && text.contains("cannot tell: the result was interrupted"), "{text}");
    let (text, status) =
        edited("other.json", &|file| file["machine"]["nodes"].as_array_mut().unwrap().truncate(1));
    assert!(status != 0 && !text.contains(" ok"), "{text}");
}

/// A baseline that was not there, or cut, was CRITICAL on every node at once, with nothing said.
#[test]
fn what_fails_is_unknown_and_neither_bad_nor_ok_in_every_form() {
    let directory = texts(8);
    fleet(directory.path(), &["baseline", ".", "-o", "b.json", "--quiet"]);
    let at = |name: &str| directory.path().join(name);
    let text = fs::read_to_string(at("b.json")).unwrap();
    fs::write(at("cut.json"), &text[..text.len() / 2]).unwrap();
    fs::write(at("edited.json"), text.replacen("\"bound\": 0.", "\"bound\": 0.9", 1)).unwrap();
    fs::write(at("later.json"), "{\"schema_version\": 9, \"sorts\": []}").unwrap();
    let check = |arguments: &[&str]| {
        let run = zerohop().current_dir(directory.path()).arg("check").args(arguments).assert();
        let output = run.get_output();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr), output.status.code().unwrap())
    };
    for (baseline, words) in [
        ("none.json", "none.json"),
        ("cut.json", "is not a baseline"),
        ("edited.json", "was changed after it was written"),
        ("later.json", "has `schema_version` 9"),
        ("b.json", "none-either.json"),
    ] {
        let run = ["--baseline", baseline, "--result", "none-either.json"];
        let (line, talk, status) = check(&run);
        assert!(status == 2 && line.is_empty() && talk.contains(words), "{baseline}: {line}{talk}");
        for form in ["nagios", "nhc", "slurm", "reframe", "superbench", "openmetrics"] {
            let (line, talk, status) = check(&[&run[..], &["--format", form]].concat());
            assert_eq!(status, 3, "{form}, {baseline}: {line}{talk}");
            assert!(format!("{line}{talk}").contains(words), "{form}, {baseline}: {line}{talk}");
            assert!(!line.trim().is_empty() && !line.contains("OK") && !line.contains("(ok)"), "{line}");
        }
    }
    let (line, ..) = check(&["--baseline", "none.json", "--format", "nagios"]);
    assert!(line.starts_with("ZEROHOP UNKNOWN - cannot tell: ") && line.lines().count() == 1, "{line}");
    let (line, ..) = check(&["--baseline", "none.json", "--format", "openmetrics"]);
    assert!(line.contains("\nzerohop_check_known 0\n") && line.ends_with("# EOF\n"), "{line}");
    let (line, ..) = check(&["--baseline", "none.json", "--format", "superbench"]);
    assert_eq!(serde_json::from_str::<Value>(&line).unwrap()["zerohop/return_code"], 1);
    // A slip in the settings of the monitor is none of the node.
    let (line, _, status) = check(&["--basline", "b.json", "--format", "nagios"]);
    assert!(status == 3 && line.starts_with("ZEROHOP UNKNOWN - "), "{line}");
    let (line, _, status) = check(&["--format=nagios"]);
    assert!(status == 3 && line.starts_with("ZEROHOP UNKNOWN - "), "{line}");
    let (line, talk, status) = check(&["--basline", "b.json"]);
    assert!(status == 2 && line.is_empty() && talk.contains("--basline"), "{talk}");
}

/// The loss from which on a node is bad is the user's to choose: four nodes allow wide bounds only.
#[test]
fn a_baseline_takes_a_bound_of_the_users_own() {
    let directory = texts(3);
    let (page, ..) = fleet(directory.path(), &["baseline", ".", "-o", "b.json", "--quiet", "--bound", "7%"]);
    assert!(page.contains("of 7 % to 7 %"), "{page}");
    let import = ["import", "n001.txt", "-o", "good.json", "--quiet"];
    zerohop().current_dir(directory.path()).args(import).assert().success();
    let check = ["check", "--baseline", "b.json", "--result", "good.json"];
    let run = zerohop().current_dir(directory.path()).args(check).assert().success();
    let line = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
    assert_eq!(line, "n001: ok: 2 values within a bound of 7 % (baseline of 3 nodes)\n");
}

/// Hundreds of files with the same fault were as many errors.
#[test]
fn many_files_that_cannot_be_read_for_one_reason_are_a_line() {
    let directory = texts(40);
    for node in 0..30 {
        fs::write(directory.path().join(format!("x{node}.json")), "").unwrap();
    }
    let (_, talk, status) = fleet(directory.path(), &["analyse", ".", "--quiet"]);
    assert_eq!(status, 2);
    assert!(talk.contains("29 more files for the same reason") && talk.lines().count() < 10, "{talk}");
}

#[test]
fn what_no_node_would_take_is_named_before_any_is_started() {
    let directory = tempfile::tempdir().unwrap();
    let start = ["run", "-o", "fleet", "--launcher", "local", "--quiet", "--on"];
    let run = |rest: &[&str]| fleet(directory.path(), &[&start[..], rest].concat());
    // A fault that is none, and one that this machine cannot have: the memory of quartet runs at 400 MT/s.
    for fault in ["no-such-fault:1=2", "slow-dimm:node0=3200"] {
        fs::write(directory.path().join("faults.txt"), format!("n01 {fault}\n")).unwrap();
        let (page, talk, status) = run(&["quartet", "--nodes", "2", "--faults", "faults.txt"]);
        assert!(status == 2 && page.is_empty() && talk.contains("n01: "), "{fault}: {talk}");
        assert!(!directory.path().join("fleet").exists(), "{fault}");
    }
    for (rest, error) in [
        (&["quartet"][..], "no nodes were given"),
        (&["quartet", "--nodelist", "../n1"], "invalid node name"),
        (&["quartet", "--nodelist", "n[1-"], "invalid list of nodes"),
        (&["quartet", "--nodelist", "n1,n1"], "a node is named twice"),
    ] {
        fs::remove_dir_all(directory.path().join("fleet")).ok();
        let (_, talk, status) = run(rest);
        assert!(status == 2 && talk.contains(error) && talk.contains("hint:"), "{rest:?}: {talk}");
    }
}

#[test]
fn a_node_is_checked_against_a_baseline_in_the_form_that_is_wanted() {
    let directory = texts(12);
    let at = |name: &str| directory.path().join(name);
    let (page, talk, status) = fleet(directory.path(), &["baseline", ".", "-o", "baseline.json", "--quiet"]);
    assert!(
        status == 0 && talk.starts_with("warning: 1 node is bad in these results: n003;"),
        "{page}{talk}"
    );
    assert!(
        page.contains("12 nodes of ") && page.contains("which report 0.0 % of the healthy ones as bad"),
        "{page}"
    );
    for (from, to) in [("n001.txt", "good.json"), ("n003.txt", "bad.json")] {
        zerohop()
            .current_dir(directory.path())
            .args(["import", from, "-o", to, "--quiet"])
            .assert()
            .success();
    }
    let check = |result: &str, format: &str| {
        let arguments = ["check", "--baseline", "baseline.json", "--result", result, "--format", format];
        let run = zerohop().current_dir(directory.path()).args(arguments).assert();
        let output = run.get_output();
        (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code().unwrap())
    };
    let (line, status) = check("good.json", "text");
    assert!(status == 0 && line.starts_with("n001: ok: 2 values within "), "{line}");
    assert!(line.ends_with("(baseline of 12 nodes)\n"), "{line}");
    let (line, status) = check("bad.json", "text");
    assert!(
        status == 1 && line.starts_with("n003: bad: bandwidth of ") && line.contains("(-75 %)"),
        "{line}"
    );
    assert_eq!(line.lines().count(), 1);
    let (line, status) = check("bad.json", "nagios");
    assert!(
        status == 2 && line.starts_with("ZEROHOP CRITICAL - ") && line.contains(" | bandwidth_matrix_own="),
        "{line}"
    );
    assert_eq!(check("good.json", "nhc"), (String::new(), 0));
    assert_eq!(check("bad.json", "slurm").1, 1);
    let (line, _) = check("bad.json", "superbench");
    assert!(
        serde_json::from_str::<Value>(&line).unwrap()["zerohop/bandwidth_matrix_own"].as_f64().unwrap()
            > 40.0
    );
    // A machine that the baseline does not have is neither good nor bad.
    let mut good: Value = serde_json::from_str(&fs::read_to_string(at("good.json")).unwrap()).unwrap();
    good["machine"]["processor"]["model"] = "another processor".into();
    fs::write(at("good.json"), good.to_string()).unwrap();
    let (line, status) = check("good.json", "text");
    assert!(status == 3 && line.contains("no kind of machine like this one"), "{line}");
    fs::write(at("baseline.json"), "{}").unwrap();
    let run = zerohop()
        .current_dir(directory.path())
        .args(["check", "--baseline", "baseline.json"])
        .assert()
        .code(2);
    let talk = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(talk.contains("`baseline.json` is not a baseline") && talk.contains("hint:"), "{talk}");
}
