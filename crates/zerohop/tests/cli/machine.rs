//! `zerohop machine`, over captured machines and over this one.

use std::fs;
use std::process::Stdio;

use serde_json::Value;

use crate::binary::{machine, machines, plain, zerohop};

/// What `zerohop --sysfs-root CAPTURE machine …` prints.
fn of_capture(name: &str, arguments: &[&str]) -> String {
    let output = zerohop()
        .arg("--sysfs-root")
        .arg(machine(name))
        .arg("machine")
        .args(arguments)
        .assert()
        .success()
        .stderr_eq("")
        .get_output()
        .clone();
    String::from_utf8(output.stdout).unwrap()
}

fn numbers(nodes: &Value) -> Vec<u64> {
    nodes.as_array().unwrap().iter().map(|node| node["id"].as_u64().unwrap()).collect()
}

#[test]
fn every_captured_machine_is_shown_drawn_and_exported() {
    let mut seen = 0;
    for entry in fs::read_dir(machines()).unwrap() {
        let name = entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned();
        let json: Value = serde_json::from_str(&of_capture(&name, &["show", "--format", "json"])).unwrap();
        assert!(!json["pus"].as_array().unwrap().is_empty(), "{name}");
        let page = of_capture(&name, &["show"]);
        let width = page.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(width <= 100, "{name}: a line of the page has {width} columns");
        assert!(!page.contains('\x1b'), "{name}: colour in a pipe");
        assert!(of_capture(&name, &["show", "--format", "csv"]).lines().count() > 1, "{name}");
        assert!(of_capture(&name, &["draw"]).contains("</svg>"), "{name}");
        assert!(of_capture(&name, &["export"]).contains("</topology>"), "{name}");
        seen += 1;
    }
    assert!(seen > 5, "only {seen} captured machines found");
}

#[test]
fn nodes_keep_their_numbers() {
    let json = of_capture("sparse-node-numbers", &["show", "--format", "json"]);
    let machine: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(numbers(&machine["nodes"]), [0, 1, 2, 3, 33, 34, 45, 72]);
}

#[test]
fn a_machine_without_a_name_gets_that_of_its_file() {
    let machine: Value = serde_json::from_str(&of_capture("quartet", &["show", "--format", "json"])).unwrap();
    assert_eq!(machine["name"], "quartet");
}

#[test]
fn a_capture_of_a_capture_is_the_same_capture() {
    let directory = tempfile::tempdir().unwrap();
    let first = of_capture("quartet", &["capture"]);
    fs::write(directory.path().join("first.json"), &first).unwrap();
    let arguments = ["--sysfs-root", "first.json", "machine", "capture"];
    let output =
        zerohop().current_dir(directory.path()).args(arguments).assert().success().get_output().clone();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), first);
}

#[test]
fn this_host_can_be_captured_into_a_file_and_shown_from_it() {
    let directory = tempfile::tempdir().unwrap();
    let there = || zerohop().current_dir(directory.path());
    there()
        .args(["machine", "capture", "-o", "host.json"])
        .assert()
        .success()
        .stdout_eq("")
        .stderr_eq("written: host.json\n");
    there().args(["machine", "draw", "-o", "host.svg", "-q"]).assert().success().stdout_eq("").stderr_eq("");
    let json = |arguments: &[&str]| -> Value {
        let output = there().args(arguments).assert().success().get_output().clone();
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let live = json(&["machine", "show", "--format", "json"]);
    let replayed = json(&["machine", "show", "--format", "json", "--sysfs-root", "host.json"]);
    assert_eq!(replayed["pus"], live["pus"]);
    assert_eq!(numbers(&replayed["nodes"]), numbers(&live["nodes"]));
    assert_eq!(replayed["caches"], live["caches"]);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = plain()
        .args(["machine", "export", "--sysfs-root"])
        .arg(machine("twenty-four-nodes"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn a_full_disk_behind_standard_output_is_an_error() {
    let root = machine("quartet");
    let show = ["machine", "show", "--sysfs-root", root.to_str().unwrap()];
    // Help was cut off with status 0.
    for arguments in [&show[..], &["--help"], &["run", "--help"], &["help", "run"], &["--version"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = plain().args(arguments).stdout(full).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(
            String::from_utf8(output.stderr).unwrap(),
            "error: cannot write to standard output: No space left on device (os error 28)\n"
        );
    }
}

#[test]
fn colour_comes_when_it_is_asked_for() {
    let with = of_capture("quartet", &["show", "--color", "always"]);
    let without = of_capture("quartet", &["show", "--color", "never"]);
    assert!(with.contains("\x1b["), "no colour at all");
    assert!(!without.contains('\x1b'));
}

#[test]
fn no_color_is_stronger_than_what_would_force_it() {
    let page = |name: &str| {
        let show = zerohop().env("CLICOLOR_FORCE", "1").env(name, "1").args(["machine", "show"]);
        String::from_utf8(show.assert().success().get_output().stdout.clone()).unwrap()
    };
    assert!(page("UNRELATED").contains("\x1b["), "not forced");
    assert!(!page("NO_COLOR").contains('\x1b'));
}

#[test]
fn a_machine_is_kept_in_the_form_of_its_name() {
    let directory = tempfile::tempdir().unwrap();
    let there = || zerohop().current_dir(directory.path());
    let kept = |name: &str| fs::read_to_string(directory.path().join(name)).unwrap();
    there().args(["machine", "show", "quartet", "-o", "a.json"]).assert().success();
    let machine: Value = serde_json::from_str(&kept("a.json")).unwrap();
    assert_eq!(machine["name"], "quartet");
    there().args(["machine", "list", "-o", "list.csv"]).assert().success();
    assert!(kept("list.csv").starts_with("machine,title,"));
    there().args(["machine", "export", "quartet", "-o", "a.toml"]).assert().success().stdout_eq("");
    assert!(kept("a.toml").contains("[core."));
    there().args(["machine", "export", "quartet", "-o", "a.xml"]).assert().success().stdout_eq("");
    assert!(kept("a.xml").contains("<topology"));
    let wrong = there().args(["machine", "draw", "quartet", "-o", "a.json"]).assert().code(2);
    let talk = String::from_utf8(wrong.get_output().stderr.clone()).unwrap();
    assert!(talk.contains("cannot write a picture to `a.json`"), "{talk}");
}

/// The number at the start of a line of a page.
fn number_of(page: &str, label: &str) -> Option<f64> {
    let line = page.lines().find_map(|line| line.trim().strip_prefix(label))?;
    line.trim().split(' ').next()?.parse().ok()
}

/// What `machine check` adds up is what the chase of a latency matrix measures, on every built-in machine.
#[test]
fn idle_reads_are_added_up_to_what_a_latency_matrix_measures() {
    let list = zerohop().args(["machine", "list", "--format", "csv"]).assert().success();
    let list = String::from_utf8(list.get_output().stdout.clone()).unwrap();
    let names: Vec<&str> = list.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert!(names.len() >= 8, "{names:?}");
    for name in names {
        let check = zerohop().args(["machine", "check", name]).assert().success();
        let page = String::from_utf8(check.get_output().stdout.clone()).unwrap();
        let arguments = ["run", "latency-matrix", "--on", name, "--format", "json", "-q"];
        let run = zerohop().args(arguments).assert().success();
        let result: Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
        let cells = result["experiments"][0]["cells"].as_array().unwrap();
        let local = cells.iter().filter(|cell| cell["at"]["initiator"] == cell["at"]["target"]);
        let local: Vec<f64> = local.filter_map(|cell| cell["estimate"]["median"].as_f64()).collect();
        let measured = local.iter().sum::<f64>() / local.len() as f64;
        let added_up = number_of(&page, "local").unwrap_or_else(|| panic!("{page}"));
        assert!(
            (measured - added_up).abs() < 0.6 + 0.005 * measured,
            "{name}: {measured} and {added_up}\n{page}"
        );
        let sum = page.lines().find(|line| line.trim().starts_with("local")).unwrap();
        assert!(sum.contains(" = to_router ") || sum.contains(" = "), "{sum}");
        for part in ["channel", "link", "core"] {
            assert!(page.lines().any(|line| line.trim().starts_with(part)), "{name} {part}: {page}");
        }
    }
}

/// `machine show` and `draw` of 1,024 nodes took minutes, and the picture 169 MB.
#[test]
fn a_machine_of_a_thousand_nodes_is_summed_up() {
    let text = crate::folder::ring(1024);
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("ring.toml"), text).unwrap();
    for (verb, most) in [("check", 10_000), ("show", 400_000), ("draw", 200_000), ("export", 40_000_000)] {
        let assert =
            zerohop().current_dir(directory.path()).args(["machine", verb, "ring.toml"]).assert().success();
        let written = assert.get_output().stdout.len();
        assert!(written < most, "{verb}: {written} bytes");
    }
}

/// The number of pairs beside the longest bar ran over the right edge.
#[test]
fn no_text_of_a_summary_runs_off_the_picture() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let write = |path: &str, text: String| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    const NODES: usize = 600;
    write("sys/devices/system/cpu/online", format!("0-{}\n", NODES - 1));
    write("sys/devices/system/node/online", format!("0-{}\n", NODES - 1));
    let distances = "20 ".repeat(NODES);
    for node in 0..NODES {
        write(&format!("sys/devices/system/node/node{node}/cpulist"), format!("{node}\n"));
        write(&format!("sys/devices/system/node/node{node}/distance"), format!("{}\n", distances.trim()));
        write(&format!("sys/devices/system/cpu/cpu{node}/topology/core_id"), "0\n".to_owned());
    }
    let assert = zerohop().args(["machine", "draw", "--sysfs-root"]).arg(root).assert().success();
    let picture = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    let attribute = |element: &str, name: &str| -> f64 {
        let (_, rest) = element.split_once(&format!(" {name}=\"")).unwrap();
        rest.split('"').next().unwrap().parse().unwrap()
    };
    let width = attribute(&picture, "width");
    let texts: Vec<(&str, &str)> = picture
        .lines()
        .filter_map(|line| line.strip_suffix("</text>")?.rsplit_once('>'))
        .filter(|(element, _)| element.starts_with("<text"))
        .collect();
    assert!(texts.iter().any(|(_, words)| *words == "360000"), "no bar is labeled: {picture}");
    for (element, words) in texts {
        let end =
            attribute(element, "x") + words.chars().count() as f64 * attribute(element, "font-size") * 0.6;
        assert!(end <= width, "`{words}` ends at {end} of {width}");
    }
}

/// `extend = "x"` beside `x.toml` was not found.
#[test]
fn a_file_beside_is_extended_by_its_name() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("square.toml"), crate::folder::SQUARE).unwrap();
    fs::write(directory.path().join("mine.toml"), "extend = \"square\"\ntitle = \"mine\"").unwrap();
    let check =
        |file: &str| zerohop().current_dir(directory.path()).args(["machine", "check", file]).assert();
    check("mine.toml").success();
    fs::write(directory.path().join("slip.toml"), "extend = \"squarre\"").unwrap();
    let error = check("slip.toml").code(2);
    let error = String::from_utf8(error.get_output().stderr.clone()).unwrap();
    assert!(error.contains("did you mean `square`?"), "{error}");
    // The file itself was proposed, which would be a circle.
    fs::write(directory.path().join("lonely.toml"), "extend = \"lonly\"").unwrap();
    let error = check("lonely.toml").code(2);
    let error = String::from_utf8(error.get_output().stderr.clone()).unwrap();
    assert!(!error.contains("`lonely`"), "{error}");
}

/// What an extended file extends was looked up from the folder of the first file.
#[test]
fn an_extended_file_extends_others_from_its_own_folder() {
    let directory = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("parts/square.toml", crate::folder::SQUARE);
    write("parts/by-path.toml", "extend = \"./square.toml\"\ntitle = \"beside it\"");
    write("parts/by-name.toml", "extend = \"square\"\ntitle = \"beside it\"");
    write("parts/deep/up.toml", "extend = \"../by-name.toml\"\ntitle = \"a folder below\"");
    // Files of the same name beside the first file are others.
    write("square.toml", "this is not a machine file");
    write("mine/square.toml", "this is not a machine file");
    let check =
        |file: &str| zerohop().current_dir(directory.path()).args(["machine", "check", file]).assert();
    for base in ["by-path", "by-name", "deep/up"] {
        write("mine/first.toml", &format!("extend = \"../parts/{base}.toml\"\ntitle = \"{base}\""));
        check("mine/first.toml").success();
    }
    let absolute = directory.path().join("parts/by-path.toml");
    write("mine/first.toml", &format!("extend = {absolute:?}\ntitle = \"an absolute path\""));
    check("mine/first.toml").success();
}

/// Lines of any file of the reader's were printed if a machine file or a sweep named it.
#[test]
fn a_file_that_is_no_machine_file_is_not_quoted() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
    write("shadow", "root:SECRET:19000::::::\n");
    write("credentials.toml", "[registry]\ntoken = \"SECRET\"\n");
    for named in ["./shadow", "./credentials.toml"] {
        write("extends.toml", &format!("extend = \"{named}\"\n"));
        write(
            "sweep.toml",
            &format!("machine = \"{named}\"\n[run]\nkernel = \"read\"\n[grid]\nwidth = [1]\n"),
        );
        let runs: [&[&str]; 2] = [&["machine", "check", "./extends.toml"], &["machine", "check", named]];
        for arguments in runs {
            let refused = zerohop().current_dir(directory.path()).args(arguments).assert().code(2);
            let error = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
            assert!(error.contains("is not a machine file") && error.contains("hint:"), "{error}");
            assert!(!error.contains("SECRET"), "{error}");
        }
        let refused =
            zerohop().current_dir(directory.path()).args(["sweep", "--file", "sweep.toml"]).assert();
        let error = String::from_utf8(refused.code(2).get_output().stderr.clone()).unwrap();
        assert!(!error.contains("SECRET"), "{error}");
    }
}

/// DIMMs were counted as channels.
#[test]
fn a_survey_s_channels_are_those_of_the_machine() {
    let show = zerohop().args(["machine", "show", "cascade-lake-4s"]).assert().success();
    let page = String::from_utf8(show.get_output().stdout.clone()).unwrap();
    assert!(page.contains("24 × 32 GiB DDR4") && page.contains("over 24 memory channels"), "{page}");
}

#[test]
fn a_machine_is_shown_and_drawn_with_its_faults() {
    let run = |arguments: &[&str], code| {
        let output = zerohop().arg("machine").args(arguments).assert().code(code).get_output().clone();
        String::from_utf8(if code == 0 { output.stdout } else { output.stderr }).unwrap()
    };
    let fault = ["quartet", "--fault", "link:0-1=x8"];
    assert!(run(&[&["draw"], &fault[..]].concat(), 0).contains("link:0-1=x8 injected"));
    let sound = run(&["show", "quartet"], 0);
    let faulty = run(&[&["show"], &fault[..]].concat(), 0);
    assert!(faulty != sound, "half of a link's lanes are half of its capacity");
    let talk = run(&["show", "--fault", "link:0-1=x8"], 2);
    assert!(talk.contains("needs a simulated machine"), "{talk}");
    let talk = run(&["show", "quartet", "--fault", "link:0-3=x8"], 2);
    assert!(talk.contains("no link of this machine joins"), "{talk}");
}

/// The picture showed a link that was down, without any load.
#[test]
fn the_load_of_a_faulty_machine_is_drawn_on_the_faulty_machine() {
    let directory = tempfile::tempdir().unwrap();
    let run = |words: &str| {
        let output = zerohop().current_dir(directory.path()).args(words.split(' ')).assert().success();
        String::from_utf8(output.get_output().stdout.clone()).unwrap()
    };
    run("-q run crossfire --on quartet --solver flow --fault link:0-1=down --case local --detail -o a.json");
    let drawn = run("machine draw --load a.json");
    assert!(drawn.contains("link:0-1=down injected") && !drawn.contains("0-&gt;1"), "{drawn}");
}
