//! Tests on this host, whatever machine it is.

use zerohop_machine::{Capture, Machine};

use crate::directory::Directory;

#[test]
fn a_capture_replays_as_the_machine_it_was_taken_from() {
    let host = Directory { root: "/".into() };
    let capture = Capture::record(&host).unwrap();
    let replayed = Capture::from_json(&capture.to_json()).unwrap();
    assert_eq!(replayed, capture);
    let (mut live, replay) = (Machine::load(&host).unwrap(), Machine::load(&replayed).unwrap());
    assert_eq!(replay.name, "", "the host's name is not in a capture");
    live.name.clear();
    for (node, then) in live.nodes.iter_mut().zip(&replay.nodes) {
        // Both change while a machine runs; the second changes if a guest's memory is ballooned.
        (node.free, node.memory) = (then.free, then.memory);
    }
    assert_eq!(live, replay);
}
