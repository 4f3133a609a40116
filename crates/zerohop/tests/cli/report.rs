//! `zerohop report`: pages that carry what they show.

use std::fs;
use std::path::Path;

use crate::binary::zerohop;

fn run(directory: &Path, arguments: &[&str]) -> (String, String, i32) {
    let output = zerohop().current_dir(directory).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

#[test]
fn a_page_of_one_result_is_that_result_and_one_of_two_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let at = |arguments: &[&str]| run(directory.path(), arguments);
    for (name, seed) in [("one.json", "1"), ("two.json", "2")] {
        let hops = ["run", "hops", "--on", "quartet", "--initiators", "0", "-q", "--seed", seed, "-o", name];
        assert_eq!(at(&hops).2, 0);
    }
    assert_eq!(at(&["report", "one.json"]), (String::new(), "report: report.html\n".to_owned(), 0));
    let shown = at(&["show", "one.json"]).0;
    assert!(!shown.is_empty());
    assert_eq!(at(&["show", "report.html"]).0, shown);
    assert_eq!(at(&["report", "one.json", "two.json", "-o", "both.html"]).2, 0);
    let both = fs::read_to_string(directory.path().join("both.html")).unwrap();
    assert!(both.contains("two.json compared with one.json"), "the comparison is missing");
    let (_, talk, status) = at(&["show", "both.html"]);
    assert!(status == 2 && talk.contains("it is a page with 2 results"), "{talk}");
    fs::write(directory.path().join("cut.html"), &both[..both.len() / 2]).unwrap();
    let (_, talk, status) = at(&["compare", "one.json", "cut.html"]);
    assert!(status == 2 && talk.contains("truncated"), "{talk}");
    let (_, talk, status) = at(&["report", "report.html"]);
    assert!(status == 2 && talk.contains("-o would overwrite the input `report.html`"), "{talk}");
}

/// A reader had to lay two pictures beside each other.
#[test]
fn a_page_of_several_results_has_their_curves_in_one_picture() {
    let directory = tempfile::tempdir().unwrap();
    let at = |arguments: &[&str]| run(directory.path(), arguments);
    let load = ["run", "loaded-latency", "-q", "--solver", "flow", "--on", "quartet"];
    for (name, more) in [("sound.json", &[][..]), ("slow.json", &["--fault", "slow-dimm:node0=200"])] {
        assert_eq!(at(&[&load[..], &["-o", name], more].concat()).2, 0);
    }
    assert_eq!(at(&["report", "sound.json", "slow.json", "-o", "both.html"]).2, 0);
    let both = fs::read_to_string(directory.path().join("both.html")).unwrap();
    let start = both.find("results side by side").expect("the picture is missing");
    let picture = &both[start..start + both[start..].find("</svg>").unwrap()];
    for name in
        ["sound.json: model of quartet", "slow.json: model of quartet with slow-dimm:node0=200 injected"]
    {
        assert!(picture.contains(name), "{name}");
    }
    assert_eq!(picture.matches("<polyline").count(), 2);
    assert_eq!(at(&["report", "sound.json", "-o", "one.html"]).2, 0);
    let one = fs::read_to_string(directory.path().join("one.html")).unwrap();
    assert!(!one.contains("results side by side"));
}

/// The texts of a picture.
fn texts(picture: &str) -> Vec<&str> {
    let texts = picture.split("<text ").skip(1);
    texts.filter_map(|text| text.split_once('>')?.1.split_once('<')).map(|(text, _)| text).collect()
}

#[test]
fn a_curve_has_the_band_of_what_is_expected_and_programs_as_points() {
    let directory = tempfile::tempdir().unwrap();
    let at = |arguments: &[&str]| run(directory.path(), arguments);
    let load = ["run", "loaded-latency", "-q", "--solver", "flow", "--on", "sr665-v3", "-o", "load.json"];
    assert_eq!(at(&load).2, 0);
    let picture = |more: &[&str]| {
        let show = [&["show", "load.json", "-q", "-o", "load.svg"], more].concat();
        assert_eq!(at(&show).2, 0, "{more:?}");
        fs::read_to_string(directory.path().join("load.svg")).unwrap()
    };
    let plain = picture(&[]);
    assert!(!plain.contains("<polygon"), "nothing is expected, and no program is named");
    let banded = picture(&["--machine", "sr665-v3"]);
    assert_eq!(banded.matches("<polygon").count(), plain.matches("<polyline").count(), "one for each curve");
    assert!(banded.contains("green: as expected"));

    let allowed = r#"{"schema_version": 1, "found": [{"subject": {"kind": "process", "process": 7, "command": "/bin/db -x"}, "cost": {"bandwidth": {"now": 90.5}}}]}"#;
    fs::write(directory.path().join("where.json"), allowed).unwrap();
    let points = [
        "--point",
        "solver=84",
        "--point",
        "web=84.5GB/s,300ns",
        "--point",
        "where.json",
        "--point",
        "far=9000",
    ];
    let pointed = picture(&points);
    let curves = plain.matches("<polyline").count();
    assert_eq!(pointed.matches("<polygon").count(), 4 * curves);
    let labels = texts(&pointed);
    for start in ["solver: ", "db: "] {
        let label = labels.iter().find(|label| label.starts_with(start)).unwrap();
        let latency: f64 = label[start.len()..].split(' ').next().unwrap().parse().unwrap();
        // Between the ends of the model's curve.
        assert!((80.0..260.0).contains(&latency), "{label}");
    }
    for label in ["web: 300.0 ns at 84.5 GB/s", "far: 9000 GB/s, outside the curve"] {
        assert!(labels.contains(&label), "{label}: {labels:?}");
    }
    let report = [&["report", "load.json", "-q", "-o", "load.html"][..], &points].concat();
    assert_eq!(at(&report).2, 0);
    assert!(
        fs::read_to_string(directory.path().join("load.html"))
            .unwrap()
            .contains("web: 300.0 ns at 84.5 GB/s")
    );
}

#[test]
fn a_point_that_says_nothing_is_refused_with_what_is_wrong() {
    let directory = tempfile::tempdir().unwrap();
    let at = |arguments: &[&str]| run(directory.path(), arguments);
    assert_eq!(at(&["run", "hops", "--on", "quartet", "--initiators", "0", "-q", "-o", "a.json"]).2, 0);
    fs::write(directory.path().join("other.json"), "{}").unwrap();
    for (point, words) in [
        ("solver=", "is not a value in GB/s"),
        ("solver=-3", "is out of range"),
        ("=3", "has no name"),
        ("missing.json", "cannot read `missing.json`"),
        ("other.json", "it is not JSON output of `zerohop where`"),
    ] {
        let (_, talk, status) = at(&["report", "a.json", "--point", point]);
        assert!(status == 2 && talk.contains(words), "{point}: {talk}");
    }
}
