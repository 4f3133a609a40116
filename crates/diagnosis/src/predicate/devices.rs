//! Copies between the host's memory and devices.

use std::collections::BTreeMap;

use zerohop_result::{Axis, Cell, Coordinate, Measure, Query};
use zerohop_statistics::median;

use super::PredicateResult;
use crate::experiments::DEVICE_BANDWIDTH;
use crate::facts::Facts;
use crate::finding::Size;
use crate::test_outcome::{Match, TestOutcome};
use crate::words::{figure, percent};

/// How tools name a direction; what else a name says (who copies, pinned or not) is that of a test.
const TO_DEVICE: [&str; 2] = ["host_to_device", "host to device"];
const TO_HOST: [&str; 2] = ["device_to_host", "device to host"];

/// Devices are alike if their shares differ by no more.
const ALIKE: f64 = 0.1;

/// Copies of one test in one direction reach less than `below` of the other direction, on all devices alike: a slot or a cable of one of them is not
/// why.
pub(crate) fn one_direction(facts: &Facts<'_>, below: f64) -> PredicateResult {
    let measure = Measure::Bandwidth;
    let cells = facts.selected(DEVICE_BANDWIDTH, &Query::of(measure))?;
    let to_device = copies(&cells, &TO_DEVICE);
    let to_host = copies(&cells, &TO_HOST);
    let mut tests: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
    for ((test, device), there) in &to_device {
        if let Some(back) = to_host.get(&(test.clone(), device.clone())) {
            tests.entry(test).or_default().push((*there, *back));
        }
    }
    if tests.is_empty() {
        return Err("copies to a device and back in the same test".to_owned());
    }
    let mut places = Vec::new();
    for (test, pairs) in tests {
        let share = |(there, back): &(f64, f64)| there / back;
        let (Some(there), Some(back)) =
            (median(pairs.iter().map(|(there, _)| *there)), median(pairs.iter().map(|(_, back)| *back)))
        else {
            continue;
        };
        let usual = there / back;
        let are_alike = pairs.iter().all(|pair| (share(pair) / usual - 1.0).abs() <= ALIKE);
        let is_slow = usual.min(1.0 / usual) < below;
        if !are_alike || !is_slow {
            continue;
        }
        let (slow, fast, way) =
            if usual < 1.0 { (there, back, "host to device") } else { (back, there, "device to host") };
        let names = BTreeMap::from([
            ("way", way.to_owned()),
            ("slow", figure(slow, measure)),
            ("fast", figure(fast, measure)),
            ("share", percent(slow / fast)),
            (
                "devices",
                if pairs.len() == 1 {
                    "the device".to_owned()
                } else {
                    format!("all {} devices", pairs.len())
                },
            ),
        ]);
        let test = if test.is_empty() { String::new() } else { format!(" ({test})") };
        let words =
            format!("{way}{test}: {}; the other direction: {}", figure(slow, measure), figure(fast, measure));
        let size = Some(Size::new(measure, slow, fast));
        places.push(Match { names, size, margin: below / (slow / fast), ..Match::default() }.shown_by(words));
    }
    // One is enough: tests of one machine show the same.
    places.truncate(1);
    Ok(TestOutcome::of(places))
}

/// Bandwidths in a direction, by what else the test is called and by device.
fn copies(cells: &[&Cell], names: &[&str]) -> BTreeMap<(String, String), f64> {
    let found = cells.iter().filter_map(|cell| {
        let Some(Coordinate::Word(case)) = cell.at.get(Axis::Case) else { return None };
        // Both directions at once share what one has.
        let name = names.iter().find(|name| case.contains(**name) && !case.contains("bidirectional"))?;
        let test = case.replace(name, "").trim_matches(|one: char| !one.is_alphanumeric()).to_owned();
        let ends = [Axis::Initiator, Axis::Target].map(|axis| cell.at.get(axis).map(ToString::to_string));
        let device = ends.into_iter().flatten().find(|end| end.starts_with("gpu"))?;
        // A copy that did not happen has no rate.
        (cell.estimate.median > 0.0).then_some(((test, device), cell.estimate.median))
    });
    found.collect()
}
