//! Coordinates that several formats share.

use zerohop_result::{Axis, Coordinate, Coordinates};

/// The place of all nodes at once. `finish` turns it into the node's number where the machine has one node.
pub(crate) const ALL: &str = "all";

/// The word for each initiator's own memory.
pub(crate) const LOCAL: &str = "local";

/// Reads by a node of a node's memory.
pub(crate) fn between(initiator: impl Into<Coordinate>, target: impl Into<Coordinate>) -> Coordinates {
    Coordinates::new().with(Axis::Initiator, initiator).with(Axis::Target, target)
}

/// A kernel or a mix of the whole machine, on local memory.
pub(crate) fn whole_machine(axis: Axis, word: &str) -> Coordinates {
    between(ALL, LOCAL).with(axis, word)
}

/// A word of a tool as a coordinate: one line, in ASCII blanks, of bounded length.
pub(crate) fn word(text: &str) -> String {
    const LONGEST: usize = 80;
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().filter(|one| !one.is_control()).take(LONGEST).collect()
}

/// A number of threads, as the case that a tool ran.
pub(crate) fn threads_of(count: u64) -> String {
    if count == 1 { "1 thread".to_owned() } else { format!("{count} threads") }
}
