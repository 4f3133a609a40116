//! `zerohop sweep --fault`: every point has the fault.

use serde_json::Value;

use crate::binary::zerohop;

const QUESTION: [&str; 10] = [
    "sweep",
    "quartet",
    "--set",
    "wire.ht1000.latency=4ns,8ns",
    "--experiment",
    "bandwidth-matrix",
    "--solver",
    "flow",
    "--measure",
    "bandwidth-matrix bandwidth lowest",
];

#[test]
fn a_fault_is_a_part_of_every_point_and_of_the_question() {
    let directory = tempfile::tempdir().unwrap();
    let run = |more: &[&str]| {
        let output = zerohop().current_dir(directory.path()).args(QUESTION).args(more).output().unwrap();
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let fault = ["--fault", "slow-dimm:node1=200"];
    let json = |more: &[&str]| -> Value {
        let (text, talk) = run(&[&["--format", "json"][..], more].concat());
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}{talk}"))
    };
    let (sound, faulty) = (json(&[]), json(&fault));
    assert_eq!(faulty["question"]["sweep"]["faults"], Value::from(vec![fault[1]]), "{faulty}");
    assert!(sound["question"]["sweep"].get("faults").is_none(), "{sound}");
    assert_ne!(sound["rows"], faulty["rows"]);
    assert_eq!(faulty["rows"][0]["outcome"], "done", "{faulty}");
    assert!(run(&fault).0.starts_with("sweep quartet --fault slow-dimm:node1=200 "));
    // What was computed without the fault is no part of a sweep with it.
    run(&["-o", "rows.csv"]);
    let (_, talk) = run(&["-o", "rows.csv", fault[0], fault[1]]);
    assert!(talk.contains("the faults"), "{talk}");
    // Points that cannot have the fault are refused, like points that the machine file refuses.
    let (page, talk) = run(&["--fault", "link:0-3=down"]);
    assert!(page.contains("no link of this machine joins"), "{page}");
    // Nothing was computed, which is no success.
    assert!(talk.contains("error: no point was computed") && talk.contains("hint: "), "{talk}");
}
