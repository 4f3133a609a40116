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
