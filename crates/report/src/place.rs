//! Coordinates in words.

use zerohop_result::{Axis, Coordinate};
use zerohop_units::Bytes;

/// A place on its own: `node 3`, `CPU 12`, `32 KiB`, `copy, non-temporal`.
pub(crate) fn place_in_full(axis: Axis, place: &Coordinate) -> String {
    match (axis, place) {
        (Axis::Initiator | Axis::Target, Coordinate::Number(number)) => format!("node {number}"),
        (Axis::Initiator, Coordinate::Word(word)) if word == "all" => "all nodes".to_owned(),
        (Axis::Cpu | Axis::From | Axis::To, Coordinate::Number(number)) => format!("CPU {number}"),
        (Axis::Footprint, Coordinate::Number(number)) => Bytes(*number).to_string(),
        (Axis::UpTo, Coordinate::Number(number)) => format!("up to {number} ns"),
        (Axis::ReadPercent, Coordinate::Number(number)) => format!("{number} % reads"),
        (Axis::Width, Coordinate::Number(number)) => format!("{number} B"),
        (Axis::Chains, Coordinate::Number(1)) => "1 chain".to_owned(),
        (Axis::Chains, Coordinate::Number(number)) => format!("{number} chains"),
        (Axis::CoresPerNode, Coordinate::Number(1)) => "1 core per node".to_owned(),
        (Axis::CoresPerNode, Coordinate::Number(number)) => format!("{number} cores per node"),
        (Axis::ThreadsPerCore, Coordinate::Number(1)) => "1 thread per core".to_owned(),
        (Axis::ThreadsPerCore, Coordinate::Number(number)) => format!("{number} threads per core"),
        (Axis::Background, Coordinate::Word(level)) if level == "none" => "no background".to_owned(),
        (Axis::Background, Coordinate::Word(level)) => format!("{level} background"),
        (Axis::Subscription, Coordinate::Word(how)) if how == "none" => "no subscription".to_owned(),
        (Axis::Subscription, Coordinate::Word(how)) => format!("{how} subscription"),
        (Axis::Load, Coordinate::Word(place)) => format!("{place} load"),
        // Names of a machine file's parts and of threads stay unchanged.
        (
            Axis::Case | Axis::Thread | Axis::Link | Axis::Channel | Axis::Home | Axis::Unknown(_),
            Coordinate::Word(name),
        ) => name.clone(),
        (_, Coordinate::Number(number)) => number.to_string(),
        (_, Coordinate::Word(word)) => words(word),
    }
}

/// A place whose axis is named elsewhere.
pub(crate) fn place_in_short(axis: Axis, place: &Coordinate) -> String {
    match (axis, place) {
        (Axis::Initiator | Axis::Target | Axis::Cpu | Axis::From | Axis::To, Coordinate::Number(number)) => {
            number.to_string()
        }
        (Axis::Initiator, Coordinate::Word(word)) if word == "all" => "all".to_owned(),
        (
            Axis::CoresPerNode | Axis::ThreadsPerCore | Axis::ReadPercent | Axis::UpTo,
            Coordinate::Number(number),
        ) => number.to_string(),
        _ => place_in_full(axis, place),
    }
}

/// A place that all cells share, for a title; `None` if it goes without saying.
pub(crate) fn caption(axis: Axis, place: &Coordinate) -> Option<String> {
    let words = place_in_full(axis, place);
    match (axis, place) {
        (Axis::Chains, Coordinate::Number(1)) => None,
        (Axis::Background | Axis::Subscription, Coordinate::Word(word)) if word == "none" => None,
        (Axis::Case, _) => Some(format!("case {words}")),
        (Axis::Initiator, _) => Some(format!("from {words}")),
        (Axis::Target, Coordinate::Number(_)) => Some(format!("memory of {words}")),
        (Axis::Target, Coordinate::Word(_)) => Some(format!("{words} memory")),
        (Axis::Delay, _) => Some(format!("delay of {words} cycles")),
        _ => Some(words),
    }
}

/// Column and corner heads: the kind of places along an axis.
pub(crate) fn axis_words(axis: Axis) -> &'static str {
    match axis {
        Axis::Initiator => "from node",
        Axis::Target => "memory of node",
        Axis::Cpu => "CPU",
        Axis::From => "from CPU",
        Axis::To => "to CPU",
        Axis::Delay => "delay (cycles)",
        Axis::Statistic => "over cores",
        Axis::CoresPerNode => "cores per node",
        Axis::ThreadsPerCore => "threads per core",
        Axis::ReadPercent => "reads (%)",
        Axis::UpTo => "up to (ns)",
        other => other.name(),
    }
}

/// The place of a series in words: `scale, non-temporal` for `scale_nt`.
pub fn place_words(place: &str) -> String {
    let part = |part: &str| part.split(' ').map(words).collect::<Vec<_>>().join(" ");
    place.split(", ").map(part).collect::<Vec<_>>().join(", ")
}

fn words(word: &str) -> String {
    match word {
        "standard_deviation" => "std. dev.".to_owned(),
        _ => match word.strip_suffix("_nt") {
            Some(stem) => format!("{}, non-temporal", words(stem)),
            None => word.replace('_', " "),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_read_as_words() {
        let shown = [
            place_in_full(Axis::Initiator, &3u32.into()),
            place_in_full(Axis::Initiator, &"all".into()),
            place_in_full(Axis::Mix, &"all_writes_nt".into()),
            place_in_full(Axis::Mix, &"stream_triad_like".into()),
            place_in_full(Axis::Footprint, &32768u32.into()),
            place_in_short(Axis::To, &12u32.into()),
        ];
        assert_eq!(
            shown,
            ["node 3", "all nodes", "all writes, non-temporal", "stream triad like", "32 KiB", "12"]
        );
    }

    #[test]
    fn places_of_series_have_no_underscores() {
        let shown =
            ["scale_nt", "initiator 0, target 1", "kernel all_writes_nt, local", "", "1:1"].map(place_words);
        let expected = [
            "scale, non-temporal",
            "initiator 0, target 1",
            "kernel all writes, non-temporal, local",
            "",
            "1:1",
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn one_chain_goes_without_saying() {
        assert_eq!(caption(Axis::Chains, &1u32.into()), None);
        assert_eq!(caption(Axis::Chains, &4u32.into()), Some("4 chains".to_owned()));
        assert_eq!(caption(Axis::Target, &"local".into()), Some("local memory".to_owned()));
    }
}
