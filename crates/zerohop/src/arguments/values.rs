//! Reading the values of options.

use std::num::{NonZeroU32, NonZeroUsize};
use std::str::FromStr;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use zerohop_app::option_values;
use zerohop_experiment::catalogue;
use zerohop_machine::{NodeId, PuId};
use zerohop_result::{ExperimentName, Timestamp};
use zerohop_units::{Bytes, Seconds};
use zerohop_workload::{InstructionSet, Kernel};

pub(super) use zerohop_app::option_values::{cpu_list, duration, percentage, sample_time};

/// A list of nodes as typed: `0,2-3`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NodeList(pub(crate) Vec<NodeId>);

/// Reads a list of nodes, in the kernel's list format.
pub(super) fn node_list(text: &str) -> Result<NodeList, String> {
    option_values::node_list(text).map(NodeList)
}

/// Reads a time that may be zero.
pub(super) fn waiting(text: &str) -> Result<Duration, String> {
    if text.trim() == "0" {
        Ok(Duration::ZERO)
    } else {
        text.parse::<Seconds>().map(Duration::from).map_err(|error| format!("{error}"))
    }
}

pub(super) fn processor(text: &str) -> Result<PuId, String> {
    text.trim().parse().map(PuId).map_err(|_| format!("invalid CPU `{text}` (expected a number)"))
}

pub(super) fn node(text: &str) -> Result<NodeId, String> {
    text.trim().parse().map(NodeId).map_err(|_| format!("invalid node `{text}` (expected a number)"))
}

/// Reads a size as MLC does: `4096` is in KiB, `200m` in MiB, `2g` in GiB.
pub(super) fn size_in_kibibytes(text: &str) -> Result<Bytes, String> {
    let expected = || format!("invalid size `{text}` (expected a number of KiB, or a number with k, m or g)");
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
        _ => Err(format!("invalid time `{text}` (expected whole seconds from 1 to {LONGEST})")),
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
        _ => Err(format!("MLC's mix `{text}` is not supported (expected one of 2, 3, 5, 6, 8, 10)")),
    }
}

/// Reads a number of threads.
pub(super) fn count(text: &str) -> Result<NonZeroUsize, String> {
    text.trim().parse().map_err(|_| format!("invalid number of threads `{text}` (expected 1 or more)"))
}

/// Reads a number of random seeds.
pub(super) fn seeds(text: &str) -> Result<NonZeroU32, String> {
    text.trim().parse().map_err(|_| format!("invalid number of seeds `{text}` (expected 1 or more)"))
}

/// Reads a random seed.
pub(super) fn seed(text: &str) -> Result<u64, String> {
    text.trim()
        .parse()
        .map_err(|_| format!("invalid seed `{text}` (expected a whole number, for example `7`)"))
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
        format!("invalid time `{text}` (expected a date such as `2026-11-22`, `2026-11-22T10:15:00Z`, or an age such as `30d` or `12h`)")
    })
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
        _ => Err(format!("invalid ratio `{text}` (expected a number above 0, for example `0.98` or `98%`)")),
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
    fn a_moment_is_a_time_a_day_or_an_age() {
        assert_eq!(moment("2026-11-22").unwrap().to_string(), "2026-11-22T00:00:00Z");
        assert_eq!(moment("2026-11-22T10:15:00+01:00").unwrap().to_string(), "2026-11-22T09:15:00Z");
        let (young, old) = (moment("1h").unwrap(), moment("30d").unwrap());
        assert!(old < young && young < Timestamp::to_the_second(jiff::Timestamp::now()));
        for text in ["yesterday", "-3d", "2026-11-32", "", "99999999999d"] {
            assert!(moment(text).unwrap_err().contains("invalid time"), "{text}");
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
}
