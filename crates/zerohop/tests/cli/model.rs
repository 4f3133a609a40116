//! `--on MACHINE`: the same experiments on machines that are not here.

use std::fs;
use std::path::Path;

use serde_json::Value;
use snapbox::str;

use crate::binary::zerohop;
use crate::validator;

/// Samples short enough for a test.
const SHORT: [&str; 4] = ["--duration", "100us", "--interval", "50%"];

/// What `zerohop …` prints on standard output, and nothing on standard error.
fn printed(arguments: &[&str]) -> String {
    let output = zerohop().args(arguments).arg("-q").assert().success().stderr_eq("");
    String::from_utf8(output.get_output().stdout.clone()).unwrap()
}

/// What `zerohop run … --on quartet --format json` prints.
fn simulated(arguments: &[&str]) -> Value {
    let arguments = [&["run"], arguments, &["--on", "quartet", "--format", "json"], &SHORT].concat();
    let result: Value = serde_json::from_str(&printed(&arguments)).unwrap();
    validator::check_result(&result);
    assert_eq!((&result["completion"], &result["engine"]["kind"]), (&"complete".into(), &"model".into()));
    assert_eq!(result["machine"]["name"], "quartet");
    result
}

fn cells(result: &Value) -> &Vec<Value> {
    result["experiments"][0]["cells"].as_array().unwrap()
}

/// Cells whose coordinates include these.
fn at<'a>(result: &'a Value, axis: &str, place: &str, measure: &str) -> Vec<&'a Value> {
    let there = |cell: &&Value| cell["at"][axis] == place && cell["measure"] == measure;
    cells(result).iter().filter(there).collect()
}

/// The experiments of the catalogue, but for these.
fn experiments_but(others: &[&str]) -> Vec<&'static str> {
    let all: Vec<&str> = zerohop_experiment::catalogue().all().map(|known| known.name).collect();
    assert!(others.iter().all(|other| all.contains(other)), "{others:?}");
    all.into_iter().filter(|name| !others.contains(name)).collect()
}

#[test]
fn every_experiment_runs_on_a_model() {
    // A model knows how long loads take on average, not each of them.
    for experiment in experiments_but(&["latency-distribution"]) {
        let result = simulated(&[experiment]);
        assert!(!cells(&result).is_empty(), "{experiment}");
    }
}

#[test]
fn each_of_them_has_a_page_that_says_it_is_simulated() {
    for experiment in ["latency-matrix", "stream", "loaded-latency", "hops", "crossfire", "ramp"] {
        let page = printed(&[&["run", experiment, "--on", "quartet"], &SHORT[..]].concat());
        let head = page.lines().take(2).collect::<String>();
        assert!(head.contains("model of quartet, simulated"), "{page}");
        assert!(page.contains("simulated, not measured"), "{page}");
        let width = page.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(width <= 100, "{experiment}: a line has {width} columns\n{page}");
    }
}

#[test]
fn the_result_is_the_same_on_any_number_of_threads_and_at_any_time() {
    for experiment in [&["crossfire", "--detail"][..], &["loaded-latency", "--load", "crossing"]] {
        let json = |threads: &str| {
            let on = ["--on", "quartet", "--seed", "7", "--format", "json", "--threads", threads];
            printed(&[&["run"], experiment, &on, &SHORT].concat())
        };
        let one = json("1");
        assert!(!one.contains("started_at"), "a time of day would differ from run to run");
        for threads in ["1", "2", "3"] {
            assert!(json(threads) == one, "{experiment:?} differs on {threads} threads");
        }
    }
}

#[test]
fn another_seed_is_another_sample() {
    let json = |seed: &str| {
        let on = ["run", "latency-matrix", "--on", "quartet", "--format", "json", "--seed", seed];
        printed(&[&on[..], &SHORT].concat())
    };
    assert_ne!(json("1"), json("2"));
}

/// Two cores of this machine get lines in a pattern that repeats exactly, so that replications of one seed agree to six digits.
#[test]
fn intervals_of_four_seeds_meet() {
    let intervals = ["1", "2", "3", "4"].map(|seed| {
        let on = ["run", "bandwidth-matrix", "--on", "quartet", "--format", "json", "--seed", seed];
        let result: Value = serde_json::from_str(&printed(&on)).unwrap();
        let interval = |cell: &Value| ["low", "high"].map(|end| cell["estimate"][end].as_f64().unwrap());
        cells(&result).iter().map(interval).collect::<Vec<[f64; 2]>>()
    });
    assert!(intervals.iter().flatten().all(|[low, high]| low < high), "{intervals:?}");
    let pairs = (0..4).flat_map(|one| (one + 1..4).map(move |other| (one, other)));
    let compared: Vec<bool> = pairs
        .flat_map(|(one, other)| intervals[one].iter().zip(&intervals[other]))
        .map(|([low, high], [other_low, other_high])| high < other_low || other_high < low)
        .collect();
    let disjoint = compared.iter().filter(|&&disjoint| disjoint).count();
    assert!(disjoint * 20 <= compared.len(), "{disjoint} of {} are disjoint: {intervals:?}", compared.len());
}

#[test]
fn a_survey_goes_into_a_folder_named_after_the_model() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = ["survey", "--on", "quartet", "--format", "json"];
    let output = zerohop().current_dir(directory.path()).args(arguments).args(SHORT).assert().success();
    let talk = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(talk.contains("of simulated time"), "{talk}");
    assert!(talk.ends_with("result: zerohop-results/quartet-model/result.json\nreport: zerohop-results/quartet-model/report.html\n"), "{talk}");
    let folder = directory.path().join("zerohop-results/quartet-model");
    let kept = fs::read(folder.join("result.json")).unwrap();
    assert_eq!(kept, output.get_output().stdout);
    for name in ["survey.txt", "survey.svg", "report.html"] {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        assert!(text.contains("model of quartet"), "{name} does not say that it is simulated");
    }
    let result: Value = serde_json::from_slice(&kept).unwrap();
    validator::check_result(&result);
    for experiment in result["experiments"].as_array().unwrap() {
        assert!(!experiment["cells"].as_array().unwrap().is_empty(), "{}", experiment["experiment"]);
    }
}

#[test]
fn crossfire_runs_the_cases_that_are_named() {
    let result = simulated(&[
        "crossfire",
        "--case",
        "0.0.w.1 1.0.w.0",
        "--background",
        "low",
        "--subscription",
        "full",
    ]);
    let total = at(&result, "case", "0.0.w.1 1.0.w.0", "relative_time");
    let [total] = total[..] else { panic!("{total:?}") };
    assert_eq!((&total["at"]["background"], &total["at"]["subscription"]), (&"low".into(), &"full".into()));
    assert_eq!(total["evidence"]["workers"], 8, "every core has a thread");
    let named = simulated(&["crossfire", "--case", "local,crossfire"]);
    for scenario in ["local", "crossfire"] {
        assert_eq!(at(&named, "scenario", scenario, "relative_time").len(), 1, "{scenario}");
    }
    assert!(at(&named, "scenario", "same-node", "relative_time").is_empty());
}

#[test]
fn all_cases_are_summed_up_on_a_page_and_listed_in_a_table() {
    let two_nodes = ["run", "crossfire", "--on", "quartet", "--all", "--nodes", "0,1"];
    let page = printed(&[&two_nodes[..], &SHORT].concat());
    assert!(page.contains("p25") && page.contains("10 worst"), "{page}");
    let csv = printed(&[&two_nodes[..], &["--format", "csv"], &SHORT].concat());
    let totals = csv.lines().filter(|line| line.contains(",relative_time,")).count();
    // Four cores, two memories, two modes; no two threads on one core. And the base, which is one of them.
    assert_eq!(totals, 4 * 3 * 4 * 4, "{page}");
}

#[test]
fn a_ramp_tells_its_peak_and_takes_the_nodes_that_are_named() {
    let arguments = ["ramp", "--initiators", "1,2", "--target", "0", "--kernel", "read"];
    let result = simulated(&arguments);
    assert_eq!(at(&result, "statistic", "peak", "bandwidth_gbps").len(), 1);
    assert!(cells(&result).iter().all(|cell| cell["at"]["target"] == 0));
    let page = printed(&[&["run"], &arguments[..], &["--on", "quartet"], &SHORT].concat());
    assert!(page.contains("knee") && page.contains("peak"), "{page}");
}

#[test]
fn detail_shows_links_channels_and_stages() {
    let result = simulated(&["crossfire", "--case", "crossfire", "--detail"]);
    let traffic = |direction: &str| {
        let cells = at(&result, "direction", direction, "link_traffic_gbps");
        let cell = cells.iter().find(|cell| cell["at"]["scenario"] == "crossfire").unwrap();
        cell["estimate"]["median"].as_f64().unwrap()
    };
    assert!(traffic("0->1") > 2.0 * traffic("2->3"), "{} {}", traffic("0->1"), traffic("2->3"));
    for (axis, place) in [("channel", "0"), ("home", "0"), ("stage", "memory")] {
        assert!(cells(&result).iter().any(|cell| cell["at"][axis] == place), "no {axis} {place}");
    }
    let page = printed(&[&["run", "crossfire", "--on", "quartet", "--detail"], &SHORT[..]].concat());
    for title in
        ["where the time of a line goes", "links", "memory channels", "home agents", "more workloads"]
    {
        assert!(page.contains(title), "no `{title}` in {page}");
    }
}

#[test]
fn a_machine_file_is_simulated_as_it_says() {
    let directory = tempfile::tempdir().unwrap();
    let toml = printed(&["machine", "export", "quartet", "--format", "toml"]);
    fs::write(directory.path().join("flat.toml"), &toml).unwrap();
    let on = |machine: &str| {
        let run = ["run", "hops", "--format", "csv", "-q", "--on", machine];
        let output = zerohop().current_dir(directory.path()).args(run).args(SHORT).assert().success();
        String::from_utf8(output.get_output().stdout.clone()).unwrap()
    };
    let built_in = on("quartet");
    // Rows name their machine.
    let flat = on("flat.toml").replace(",flat,", ",quartet,");
    assert_eq!(flat, built_in, "the flat form of a machine file is another machine");
    let slower = "extend = \"flat.toml\"\nsource = \"a test\"\n[node.1]\nmemory = \"1 GiB\"\n";
    fs::create_dir(directory.path().join("mine")).unwrap();
    fs::write(directory.path().join("mine/slower.toml"), slower.replace("flat", "../flat")).unwrap();
    assert_eq!(on("mine/slower.toml").lines().count(), built_in.lines().count());
}

/// `--machine` took a processor's name, `--on` did not.
#[test]
fn a_processor_with_what_is_known_of_it_is_the_machine_that_its_template_describes() {
    let latencies = |machine: &str| -> Vec<String> {
        let run = ["run", "latency-matrix", "--solver", "flow", "--format", "csv", "--on", machine];
        let text = zerohop().args(run).assert().success().get_output().stdout.clone();
        let text = String::from_utf8(text).unwrap();
        text.lines()
            .skip(1)
            .map(|line| line.split("latency_ns,ns,").nth(1).unwrap()[..6].to_owned())
            .collect()
    };
    let of_processor = latencies("xeon gold 6240,links=2");
    assert_eq!(of_processor, latencies("xeon-cascade-lake,cores=18,links=2,channels=6"));
    assert_ne!(of_processor, latencies("xeon-cascade-lake,links=3"));
    zerohop().args(["survey", "--on", "Xeon Gold 1"]).assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: no processor `Xeon Gold 1` in the processor table
hint: did you mean `Xeon Gold [..]`? If not, give a template and the published properties: `TEMPLATE,cores=…`

"#]]);
}

#[test]
fn a_machine_that_is_not_there_is_refused_with_those_there_are() {
    zerohop().args(["run", "hops", "--on", "quartett"]).assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: no machine `quartett`
hint: did you mean `quartet`? There [..]

"#]]);
    zerohop().args(["survey", "--on", "xyz"]).assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: no machine `xyz`
hint: there [..]; the name of a file contains `/` or ends in `.toml`

"#]]);
    zerohop().args(["survey", "--on", "./xyz"]).assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: cannot read `./xyz`: No such file or directory (os error 2)
hint: `zerohop machine list` lists the built-in machines

"#]]);
}

#[test]
fn a_file_without_hardware_cannot_be_simulated() {
    let directory = tempfile::tempdir().unwrap();
    let there = || zerohop().current_dir(directory.path());
    there().args(["machine", "export", "quartet", "-o", "quartet.xml", "-q"]).assert().success();
    there().args(["run", "hops", "--on", "quartet.xml"]).assert().code(2).stdout_eq("").stderr_eq(str![[
        r#"
error: `quartet.xml` is hwloc XML, which lists a machine's parts but lacks what a model needs, not a machine file
hint: `zerohop machine show quartet.xml` accepts it; give a machine file (docs/machine-files.md explains how to write one), or a machine of `zerohop machine list`

"#
    ]]);
    there().args(["machine", "show", "quartet.xml"]).assert().success().stderr_eq("");
}

#[test]
fn what_makes_no_sense_on_a_model_is_refused() {
    let refused = |arguments: &[&str]| {
        let output = zerohop().args(["run", "stream"]).args(arguments).assert().code(2).stdout_eq("");
        String::from_utf8(output.get_output().stderr.clone()).unwrap()
    };
    for (arguments, why) in [
        (&["--prefetchers", "off"][..], "cannot be turned off"),
        (&["--isa", "avx2"], "no instruction sets"),
        (&["--budget", "1s"], "no time budget"),
        (&["--sysfs-root", env!("CARGO_MANIFEST_DIR")], "names one machine and --on another"),
    ] {
        let talk = refused(&[&["--on", "quartet"], arguments].concat());
        assert!(talk.starts_with("error: ") && talk.contains(why) && talk.contains("\nhint: "), "{talk}");
    }
    assert!(refused(&["--threads", "2"]).contains("--threads needs a simulated machine"));
}

#[test]
fn a_host_does_not_show_its_inside() {
    zerohop().args(["run", "hops", "--detail"]).assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: this machine does not expose its internals
hint: use --detail only with a simulated machine (--on)

"#]]);
}

#[test]
fn every_built_in_machine_is_listed_checked_shown_drawn_and_exported() {
    let list: Value = serde_json::from_str(&printed(&["machine", "list", "--format", "json"])).unwrap();
    let files = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../machines")).unwrap();
    assert_eq!(list.as_array().unwrap().len(), files.count(), "every machine file is part of the program");
    for machine in list.as_array().unwrap() {
        let name = machine["name"].as_str().unwrap();
        assert!(machine["fitted"].as_u64() <= machine["parameters"].as_u64(), "{machine}");
        assert!(printed(&["machine", "list"]).contains(name));
        assert!(printed(&["machine", "list", "--format", "csv"]).contains(name));
        let check = printed(&["machine", "check", name]);
        assert!(check.contains("the file is valid") && check.contains("diameter"), "{check}");
        let page = printed(&["machine", "show", name]);
        assert!(page.contains("coherence") && page.contains("hops"), "{page}");
        let width = page.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(width <= 100, "{name}: a line of the page has {width} columns");
        let json: Value =
            serde_json::from_str(&printed(&["machine", "show", name, "--format", "json"])).unwrap();
        assert_eq!(json["name"], name);
        validator::check("machine", &json);
        let hardware = &json["hardware"];
        let named = |list: &str| -> Vec<&Value> {
            hardware[list].as_array().unwrap().iter().map(|part| &part["name"]).collect()
        };
        for list in ["routers", "links"] {
            assert_eq!(hardware[list].as_array().unwrap().len() as u64, machine[list].as_u64().unwrap());
        }
        let (routers, channels) = (named("routers"), named("channels"));
        let links = hardware["links"].as_array().unwrap().iter();
        assert!(links.flat_map(|link| link["ends"].as_array().unwrap()).all(|end| routers.contains(&end)));
        let memories = hardware["memories"].as_array().unwrap().iter();
        let held = memories.flat_map(|memory| memory["channels"].as_array().unwrap());
        assert!(held.clone().all(|channel| channels.contains(&channel)) && held.count() > 0);
        for option in hardware["options"].as_array().unwrap() {
            assert!(option["values"].as_array().unwrap().contains(&option["chosen"]), "{option}");
        }
        assert!(printed(&["machine", "draw", name]).contains("</svg>"));
        assert!(printed(&["machine", "export", name]).contains("</topology>"));
    }
}

#[test]
fn what_links_carried_is_drawn() {
    let directory = tempfile::tempdir().unwrap();
    let there = || zerohop().current_dir(directory.path());
    let run = ["run", "crossfire", "--on", "quartet", "--case", "local,crossfire", "-q"];
    there().args(run).args(SHORT).args(["--detail", "-o", "a.json"]).assert().success();
    there().args(run).args(SHORT).args(["-o", "plain.json"]).assert().success();
    let draw = |arguments: &[&str]| {
        let output = there().args(["machine", "draw"]).args(arguments).assert().success().stderr_eq("");
        String::from_utf8(output.get_output().stdout.clone()).unwrap()
    };
    let crossfire = draw(&["quartet", "--load", "a.json", "--at", "scenario=crossfire"]);
    assert!(crossfire.contains("0-&gt;1: ") && crossfire.contains("0.0.w.1 1.0.w.0"), "{crossfire}");
    assert!(crossfire.contains("Simulated, not measured"), "{crossfire}");
    assert_ne!(draw(&["--load", "a.json"]), crossfire, "the first workload is another");
    there().args(["machine", "draw", "--load", "plain.json"]).assert().code(2).stdout_eq("").stderr_eq(str![
        [r#"
error: cannot draw `plain.json`: it does not have machine internals
hint: simulate it again with --detail

"#]
    ]);
    let wrong = ["machine", "draw", "--load", "a.json", "--at", "case=0.0.r.3"];
    let output = there().args(wrong).assert().code(2).stdout_eq("").get_output().clone();
    let talk = String::from_utf8(output.stderr).unwrap();
    assert!(talk.contains("it has no workload at case=0.0.r.3 (it has "), "{talk}");
}

#[test]
fn a_broken_machine_file_is_shown_where_it_is_broken() {
    let directory = tempfile::tempdir().unwrap();
    let text = "extend = \"quartet\"\nsource = \"a test\"\n\n[core.k8]\nclok = \"2.2 GHz\"\n";
    fs::write(directory.path().join("broken.toml"), text).unwrap();
    for arguments in [&["machine", "check", "broken.toml"][..], &["run", "hops", "--on", "broken.toml"]] {
        let output = zerohop().current_dir(directory.path()).args(arguments).assert().code(2).stdout_eq("");
        let talk = String::from_utf8(output.get_output().stderr.clone()).unwrap();
        assert!(talk.starts_with("error: "), "{talk}");
        for part in ["broken.toml:5:1", "^^^^", "hint: did you mean `clock`?"] {
            assert!(talk.contains(part), "no `{part}` in {talk}");
        }
    }
}

/// What is refused is left out, and said; what is left of an experiment is all there.
#[test]
fn every_experiment_can_be_solved_instead_of_simulated() {
    // Where all cores of this machine load all links at once, its few buffers run out.
    let refused = ["latency-distribution", "global-bandwidth", "ramp", "injection"];
    for experiment in experiments_but(&refused) {
        let result = simulated(&[experiment, "--solver", "flow"]);
        assert_eq!(result["engine"]["solver"], "flow");
        assert!(!cells(&result).is_empty(), "{experiment}");
        for cell in cells(&result) {
            let estimate = &cell["estimate"];
            assert_eq!(estimate["low"], estimate["high"], "{experiment}: averages have no interval");
        }
    }
}

/// Few buffers and all cores at once: whoever waits for a buffer holds another.
#[test]
fn what_averages_cannot_show_is_refused_with_the_reason_or_simulated() {
    let run = ["run", "global-bandwidth", "--on", "quartet", "-q"];
    let refused = zerohop().args(run).args(["--solver", "flow"]).assert().code(2);
    let said = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
    assert!(said.contains("of the buffers of link") && said.contains("--solver event"), "{said}");
    let result = simulated(&["global-bandwidth", "--solver", "auto"]);
    assert_eq!(result["engine"]["solver"], "auto");
    let warnings = cells(&result).iter().flat_map(|cell| cell["warnings"].as_array()).flatten();
    assert!(warnings.into_iter().any(|warning| warning["warning"] == "simulated_instead"));
}
