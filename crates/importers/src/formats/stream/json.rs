//! JSON that scripts write of STREAM's rates: a member for each kernel, whose name has the unit (`"triad_mbps": 20100.5`).
//!
//! Bits are never meant: STREAM prints bytes, and scripts copy its numbers.

use serde_json::{Map, Value};

use super::tables::kernel;
use crate::lines::Text;
use crate::structured::{json, json_start, number_of};

/// How the unit of a rate is spelled behind a kernel's name, and its decimal GB/s.
const UNITS: [(&str, &[&str]); 4] = [
    ("mb", &["mb", "mbs", "mbps", "mbyte", "mbytes", "megabytes"]),
    ("mib", &["mib", "mibs", "mibps", "mibyte", "mibytes", "mebibytes"]),
    ("gb", &["gb", "gbs", "gbps", "gbyte", "gbytes", "gigabytes"]),
    ("gib", &["gib", "gibs", "gibps", "gibyte", "gibytes", "gibibytes"]),
];

/// Members that hold the number of threads.
const THREADS: [&str; 6] =
    ["threads", "num_threads", "nthreads", "thread_count", "omp_num_threads", "n_threads"];

/// The rates of one object.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Rates {
    pub(super) threads: Option<u64>,
    /// Kernels with their rates and the decimal GB/s of their units.
    pub(super) rates: Vec<(&'static str, f64, f64)>,
    /// Members that are rates of no kernel of STREAM's.
    pub(super) others: Vec<String>,
}

/// The runs of a text that is JSON; none if its members are no rates.
pub(super) fn runs(text: &Text) -> Vec<Rates> {
    let mut runs = Vec::new();
    if json_start(text.raw()).is_some()
        && let Ok(value) = json(&mut text.clone())
    {
        collect(&value, &mut runs);
    }
    runs
}

fn collect(value: &Value, runs: &mut Vec<Rates>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| collect(value, runs)),
        Value::Object(members) => {
            let own = of_object(members);
            // One rate alone may be any program's.
            if own.rates.len() > 1 {
                runs.push(own);
            }
            members.values().for_each(|value| collect(value, runs));
        }
        _ => {}
    }
}

fn of_object(members: &Map<String, Value>) -> Rates {
    let mut found = Rates::default();
    for (name, value) in members {
        let lower = name.to_ascii_lowercase();
        let Some(number) = number_of(value).filter(|number| number.is_finite() && *number > 0.0) else {
            continue;
        };
        if THREADS.contains(&lower.as_str()) {
            found.threads = Some(number as u64);
        } else if let Some(unit) = unit(&lower) {
            match kernel(&lower) {
                Some(kernel) => found.rates.push((kernel, number, unit)),
                None => found.others.push(name.clone()),
            }
        }
    }
    found
}

/// The decimal GB/s of the unit that a member's name ends with: `_mbps`, `_mb_s`, `_gb_per_sec`.
fn unit(lower: &str) -> Option<f64> {
    let words: Vec<&str> = lower.split(|one: char| !one.is_ascii_alphanumeric()).collect();
    let per = words.iter().rposition(|word| !["per", "s", "sec", "second"].contains(word))?;
    // Without a kernel before it, it is a unit of something else.
    let word = words[..=per].last().filter(|_| per > 0)?;
    let (name, _) = UNITS.into_iter().find(|(_, spelled)| spelled.contains(word))?;
    // A size is no rate.
    let is_rate = per + 1 < words.len() || word.ends_with("ps") || word.ends_with("bs");
    let scale = match name {
        "mb" => 1e-3,
        "mib" => 1.048_576e-3,
        "gb" => 1.0,
        _ => 1.073_741_824,
    };
    is_rate.then_some(scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_stand_at_the_end_of_names_and_sizes_are_none() {
        for (name, found) in [
            ("copy_mbps", Some(1e-3)),
            ("triad_mb_per_s", Some(1e-3)),
            ("add_gb_s", Some(1.0)),
            ("scale_best_rate_mib_per_sec", Some(1.048_576e-3)),
            ("copy_gbs", Some(1.0)),
            ("array_mb", None),
            ("copy_s", None),
            ("mbps", None),
            ("copy", None),
        ] {
            assert_eq!(unit(name), found, "{name}");
        }
    }

    #[test]
    fn objects_with_several_kernels_are_runs() {
        let text = Text::new(
            "{\"host\": \"a\", \"runs\": [{\"threads\": 4, \"copy_mbps\": 20100.5, \"triad_mbps\": \"20200.5\", \"fill_mbps\": 3},\n {\"copy_mbps\": 7}]}",
        );
        let rates = vec![("copy", 20100.5, 1e-3), ("triad", 20200.5, 1e-3)];
        let run = Rates { threads: Some(4), rates, others: vec!["fill_mbps".to_owned()] };
        assert_eq!(runs(&text), [run]);
        assert_eq!(runs(&Text::new("Copy: 1.5")), []);
    }
}
