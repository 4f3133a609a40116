//! Words with names in braces, and figures with few digits.

use std::collections::BTreeMap;

use zerohop_machine::NodeId;
use zerohop_result::Measure;

/// The text with every `{name}` replaced; a name that is not there stays.
pub(crate) fn filled(text: &str, names: &BTreeMap<&'static str, String>) -> String {
    names.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
}

/// A figure with three significant digits, and its unit.
pub(crate) fn figure(value: f64, measure: Measure) -> String {
    let unit = measure.dimension().shown_unit();
    let value = significant(measure.dimension().shown(value));
    if unit.is_empty() { value } else { format!("{value} {unit}") }
}

/// Three significant digits, without an exponent.
pub(crate) fn significant(value: f64) -> String {
    let digits = match value.abs() {
        size if size >= 100.0 || size == 0.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        _ => 3,
    };
    format!("{value:.digits$}")
}

/// A share in percent, without digits behind the point.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// A node and the memory that it uses.
pub(crate) fn way(from: NodeId, to: NodeId) -> String {
    if from == to { format!("node {from} → its own memory") } else { format!("node {from} → node {to}") }
}

/// `0`, `0 and 1`, `0, 1 and 2`.
pub(crate) fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_braces_are_filled_and_others_stay() {
        let names = BTreeMap::from([("node", "1".to_owned())]);
        assert_eq!(filled("node {node} of {other}", &names), "node 1 of {other}");
    }

    #[test]
    fn figures_have_three_digits_and_their_unit() {
        assert_eq!(figure(107.94, Measure::Bandwidth), "108 GB/s");
        assert_eq!(figure(81.36, Measure::Latency), "81.4 ns");
        assert_eq!(figure(0.5, Measure::RelativeBandwidth), "50.0 %");
        assert_eq!(listed(&["0".into(), "1".into(), "2".into()]), "0, 1 and 2");
    }
}
