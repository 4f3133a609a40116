//! `zerohop explore`: the model in a page. What the page does is tested in a browser (`web/explorer.test.mjs`).

use crate::binary::zerohop;

fn explore(arguments: &[&str]) -> (String, i32) {
    let directory = tempfile::tempdir().unwrap();
    let output = zerohop().current_dir(directory.path()).arg("explore").args(arguments).output().unwrap();
    (String::from_utf8(output.stderr).unwrap(), output.status.code().unwrap())
}

#[test]
fn a_wrong_machine_a_wrong_setting_and_a_wrong_fault_are_refused_before_a_page_is_written() {
    for (arguments, expected) in [
        (&["sr655-v3"][..], "sr665-v3"),
        (&["sr665-v3", "--set", "links=5"], "links"),
        (&["sr665-v3", "--fault", "channels:node7=1"], "no node 7"),
        (&["--set", "links=3"], "needs a simulated machine"),
        (&["nowhere.json"], "nowhere.json"),
        (&["--machine", "quartet"], "needs a result"),
        (&["nowhere.json", "--machine", "quartet"], "nowhere.json"),
    ] {
        let (talk, status) = explore(arguments);
        assert!(status == 2 && talk.contains(expected), "{arguments:?}: {talk}");
    }
}

#[test]
#[cfg(not(feature = "explorer"))]
fn a_plain_build_says_how_to_get_the_explorer() {
    let (talk, status) = explore(&["sr665-v3"]);
    assert_eq!(status, 2);
    assert!(talk.contains("built without the explorer") && talk.contains("--features explorer"), "{talk}");
    assert!(talk.contains("rustup target add wasm32-unknown-unknown"), "{talk}");
}

#[test]
fn only_a_web_page_has_the_explorer_as_a_tab() {
    let directory = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let output = zerohop().current_dir(directory.path()).args(arguments).output().unwrap();
        (String::from_utf8(output.stderr).unwrap(), output.status.code().unwrap())
    };
    let (talk, status) = run(&["run", "hops", "--on", "quartet", "--solver", "flow", "-o", "hops.json"]);
    assert_eq!(status, 0, "{talk}");
    let (talk, status) = run(&["report", "hops.json", "--explorer", "-o", "report.txt"]);
    assert_eq!(status, 2);
    assert!(talk.contains("only an HTML report can contain the explorer"), "{talk}");
    let (talk, status) = run(&["report", "hops.json", "--explorer"]);
    assert_eq!(
        (status, talk.contains("--features explorer")),
        if cfg!(feature = "explorer") { (0, false) } else { (2, true) }
    );
    let written = directory.path().join("report.html").exists();
    assert_eq!(written, cfg!(feature = "explorer"), "a report without what was asked for is not written");
}
