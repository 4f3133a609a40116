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
    assert!(both.contains("compare 1 other result with one"), "the comparison is missing");
    let (_, talk, status) = at(&["show", "both.html"]);
    assert!(status == 2 && talk.contains("it is a page of 2 results"), "{talk}");
    fs::write(directory.path().join("cut.html"), &both[..both.len() / 2]).unwrap();
    let (_, talk, status) = at(&["compare", "one.json", "cut.html"]);
    assert!(status == 2 && talk.contains("cut off"), "{talk}");
    let (_, talk, status) = at(&["report", "report.html"]);
    assert!(status == 2 && talk.contains("-o would replace `report.html`"), "{talk}");
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
