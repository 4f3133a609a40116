//! Reading the values of options.

use std::num::{NonZeroU32, NonZeroUsize};
use std::str::FromStr;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use zerohop_experiment::catalogue;
use zerohop_machine::{NodeId, PuId, PuSet};
use zerohop_result::{ExperimentName, Timestamp};
use zerohop_units::{Bytes, Seconds};
use zerohop_workload::{InstructionSet, Kernel};

/// A list of nodes as typed: `0,2-3`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NodeList(pub(crate) Vec<NodeId>);

/// Reads a list of nodes, in the kernel's list format.
pub(super) fn node_list(text: &str) -> Result<NodeList, String> {
    let expected =
        || format!("`{text}` is not a list of nodes (expected numbers and ranges such as `0,2-3`)");
    let list: PuSet = text.parse().map_err(|_| expected())?;
    if list.is_empty() {
        return Err(expected());
    }
    Ok(NodeList(list.iter().map(|number| NodeId(number.0)).collect()))
}

/// Reads a list of CPUs that names at least one.
pub(super) fn cpu_list(text: &str) -> Result<PuSet, String> {
    let list: PuSet = text.parse().map_err(|error| format!("{error}"))?;
    if list.is_empty() { Err("the list names no CPU".to_owned()) } else { Ok(list) }
}

/// Reads one CPU.
pub(super) fn processor(text: &str) -> Result<PuId, String> {
    text.trim().parse().map(PuId).map_err(|_| format!("`{text}` is not a CPU (expected a number)"))
}

/// Reads one node.
pub(super) fn node(text: &str) -> Result<NodeId, String> {
    text.trim().parse().map(NodeId).map_err(|_| format!("`{text}` is not a node (expected a number)"))
}

/// Reads a size as MLC does: `4096` is in KiB, `200m` in MiB, `2g` in GiB.
pub(super) fn size_in_kibibytes(text: &str) -> Result<Bytes, String> {
    let expected = || format!("`{text}` is not a size (expected a number of KiB, or one with k, m or g)");
    let typed = text.trim().to_ascii_lowercase();
    let digits = typed.trim_end_matches(|unit: char| unit.is_ascii_alphabetic());
    let shift = match &typed[digits.len()..] {
        "" | "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        _ => return Err(expected()),
    };
    let number: u64 = digits.parse().map_err(|_| expected())?;
    number.checked_mul(1 << shift).filter(|&size| size > 0).map(Bytes).ok_or_else(expected)
}

/// Reads a whole number of seconds, at least one.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    const LONGEST: u64 = 480;
    match text.trim().parse() {
        Ok(seconds) if (1..=LONGEST).contains(&seconds) => Ok(Duration::from_secs(seconds)),
        _ => Err(format!("`{text}` is not a time (expected whole seconds from 1 to {LONGEST})")),
    }
}

/// Reads the number that MLC gives a mix of reads and writes.
pub(super) fn mix_number(text: &str) -> Result<Kernel, String> {
    match text.trim() {
        "2" => Ok(Kernel::Mix2To1),
        "3" => Ok(Kernel::Mix3To1),
        "5" => Ok(Kernel::Mix1To1),
        "6" => Ok(Kernel::WriteNt),
        "8" => Ok(Kernel::CopyNt),
        "10" => Ok(Kernel::TriadNt),
        _ => Err(format!("no kernel moves MLC's mix `{text}` (expected one of 2, 3, 5, 6, 8, 10)")),
    }
}

/// Reads a number of threads.
pub(super) fn count(text: &str) -> Result<NonZeroUsize, String> {
    text.trim().parse().map_err(|_| format!("`{text}` is not a number of threads (expected 1 or more)"))
}

/// Reads a number of random seeds.
pub(super) fn seeds(text: &str) -> Result<NonZeroU32, String> {
    text.trim().parse().map_err(|_| format!("`{text}` is not a number of seeds (expected 1 or more)"))
}

/// Reads a random seed.
pub(super) fn seed(text: &str) -> Result<u64, String> {
    text.trim()
        .parse()
        .map_err(|_| format!("`{text}` is not a seed (expected a whole number, for example `7`)"))
}

/// Reads a time longer than zero.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let seconds: Seconds = text.parse().map_err(|error| format!("{error}"))?;
    let duration = Duration::from(seconds);
    if duration.is_zero() { Err("must be longer than zero".to_owned()) } else { Ok(duration) }
}

/// Reads a point in time: RFC 3339, a day, which begins in UTC, or an age such as `30d`.
pub(super) fn moment(text: &str) -> Result<Timestamp, String> {
    if let Ok(time) = text.parse() {
        return Ok(time);
    }
    if let Ok(time) = format!("{text}T00:00:00Z").parse() {
        return Ok(time);
    }
    let units = [("d", 24), ("h", 1)];
    let hours = units.into_iter().find_map(|(unit, hours)| {
        let count: u32 = text.strip_suffix(unit)?.parse().ok()?;
        Some(i64::from(count) * hours)
    });
    let then = hours
        .and_then(|hours| jiff::Timestamp::now().checked_sub(jiff::SignedDuration::from_hours(hours)).ok());
    then.map(Timestamp::to_the_second).ok_or_else(|| {
        format!("`{text}` is no time (expected a day such as `2026-11-22`, `2026-11-22T10:15:00Z`, or an age such as `30d` or `12h`)")
    })
}

/// Reads the time of one sample.
pub(super) fn sample_time(text: &str) -> Result<Duration, String> {
    // Shorter samples mostly time the start and stop of the workers; longer ones make a run too long to wait for.
    const SHORTEST: Duration = Duration::from_micros(100);
    const LONGEST: Duration = Duration::from_secs(60);
    let time = duration(text)?;
    if (SHORTEST..=LONGEST).contains(&time) {
        Ok(time)
    } else {
        Err(format!("`{text}` is not a sample time (from 100us to 60s)"))
    }
}

/// Reads a ratio: `0.98`, or `98%`, which is the same.
pub(super) fn ratio(text: &str) -> Result<f64, String> {
    // A number above this is most likely a percentage without its sign.
    const HIGHEST: f64 = 10.0;
    let typed = text.trim();
    let (number, unit) = match typed.strip_suffix('%') {
        Some(number) => (number.trim_end(), 0.01),
        None => (typed, 1.0),
    };
    match number.parse::<f64>().map(|number| number * unit) {
        Ok(ratio) if ratio > 0.0 && ratio <= HIGHEST => Ok(ratio),
        Ok(ratio) if ratio > HIGHEST && ratio.is_finite() => Err(format!(
            "`{text}` is {ratio} times as good as the baseline (expected at most {HIGHEST}; `98%` is 0.98)"
        )),
        _ => Err(format!("`{text}` is not a ratio (expected a number above 0, for example `0.98` or `98%`)")),
    }
}

/// Reads a percentage as a share: `1%` is 0.01.
pub(super) fn percentage(text: &str) -> Result<f64, String> {
    let number = text.trim().strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    match number {
        Some(percent) if percent > 0.0 && percent <= 50.0 => Ok(percent / 100.0),
        Some(_) => Err(format!("`{text}` is out of range (above 0 %, at most 50 %)")),
        None => Err(format!("`{text}` is not a percentage (expected for example `1%`)")),
    }
}

/// Parses the name of a known experiment.
pub(super) fn experiment_names() -> impl TypedValueParser<Value = ExperimentName> {
    let values = catalogue().all().map(|known| PossibleValue::new(known.name).help(known.summary));
    PossibleValuesParser::new(values).try_map(|name| name.parse::<ExperimentName>())
}

/// Parses the name of a kernel.
pub(super) fn kernel_names() -> impl TypedValueParser<Value = Kernel> {
    let values = Kernel::all().map(|kernel| PossibleValue::new(kernel.name()));
    PossibleValuesParser::new(values).try_map(|name| Kernel::from_str(&name))
}

/// Parses the name of an instruction set, of any machine.
pub(super) fn instruction_set_names() -> impl TypedValueParser<Value = InstructionSet> {
    PossibleValuesParser::new(InstructionSet::ALL.map(InstructionSet::name))
        .try_map(|name| InstructionSet::from_str(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_read_as_lists_with_ranges() {
        assert_eq!(node_list("0,2-3"), Ok(NodeList(vec![NodeId(0), NodeId(2), NodeId(3)])));
        for text in ["", ",", "a", "3-1"] {
            assert!(node_list(text).unwrap_err().contains("is not a list of nodes"), "{text}");
        }
    }

    #[test]
    fn a_list_of_no_cpu_is_refused() {
        assert_eq!(cpu_list("1-2").map(|list| list.len()), Ok(2));
        assert!(cpu_list(" ").is_err());
    }

    #[test]
    fn times_need_a_unit_and_a_length() {
        assert_eq!(duration("50ms"), Ok(Duration::from_millis(50)));
        assert_eq!(duration("1.5 s"), Ok(Duration::from_millis(1500)));
        for text in ["50", "0s", "-1s", "soon"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_sample_is_neither_too_short_nor_too_long() {
        assert_eq!(sample_time("100us"), Ok(Duration::from_micros(100)));
        for text in ["1ns", "2min"] {
            assert!(sample_time(text).unwrap_err().contains("not a sample time"), "{text}");
        }
    }

    #[test]
    fn a_moment_is_a_time_a_day_or_an_age() {
        assert_eq!(moment("2026-11-22").unwrap().to_string(), "2026-11-22T00:00:00Z");
        assert_eq!(moment("2026-11-22T10:15:00+01:00").unwrap().to_string(), "2026-11-22T09:15:00Z");
        let (young, old) = (moment("1h").unwrap(), moment("30d").unwrap());
        assert!(old < young && young < Timestamp::to_the_second(jiff::Timestamp::now()));
        for text in ["yesterday", "-3d", "2026-11-32", "", "99999999999d"] {
            assert!(moment(text).unwrap_err().contains("is no time"), "{text}");
        }
    }

    #[test]
    fn a_ratio_may_be_a_percentage() {
        assert_eq!(ratio("0.98"), Ok(0.98));
        assert_eq!(ratio("98%"), Ok(0.98));
        assert_eq!(ratio("150 %"), Ok(1.5));
        for text in ["98", "0", "-1", "0%", "NaN", "inf", "%", "much"] {
            assert!(ratio(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_percentage_is_a_share_of_the_median() {
        assert_eq!(percentage("1%"), Ok(0.01));
        assert_eq!(percentage("0.5 %"), Ok(0.005));
        for text in ["1", "0%", "-1%", "51%", "NaN%", "%"] {
            assert!(percentage(text).is_err(), "{text}");
        }
    }
}
