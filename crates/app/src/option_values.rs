//! Values of options as people type them.

use std::time::Duration;

use zerohop_machine::{NodeId, PuSet};
use zerohop_units::Seconds;

/// Reads a list of nodes, in the kernel's list format.
///
/// # Errors
/// When the text is none, in words.
pub fn node_list(text: &str) -> Result<Vec<NodeId>, String> {
    let expected = || format!("invalid list of nodes `{text}` (expected numbers and ranges such as `0,2-3`)");
    let list: PuSet = text.parse().map_err(|_| expected())?;
    if list.is_empty() {
        return Err(expected());
    }
    Ok(list.iter().map(|number| NodeId(number.0)).collect())
}

/// Reads a list of CPUs that names at least one.
///
/// # Errors
/// When the text is none, in words.
pub fn cpu_list(text: &str) -> Result<PuSet, String> {
    let list: PuSet = text.parse().map_err(|error| format!("{error}"))?;
    if list.is_empty() { Err("the list contains no CPU".to_owned()) } else { Ok(list) }
}

/// Reads a time longer than zero.
///
/// # Errors
/// When the text is none, in words.
pub fn duration(text: &str) -> Result<Duration, String> {
    let seconds: Seconds = text.parse().map_err(|error| format!("{error}"))?;
    let duration = Duration::from(seconds);
    if duration.is_zero() { Err("must be longer than zero".to_owned()) } else { Ok(duration) }
}

/// Reads the time of one sample.
///
/// # Errors
/// When the text is none, in words.
pub fn sample_time(text: &str) -> Result<Duration, String> {
    // Shorter samples mostly time the start and stop of the workers; longer ones make a run too long to wait for.
    const SHORTEST: Duration = Duration::from_micros(100);
    const LONGEST: Duration = Duration::from_secs(60);
    let time = duration(text)?;
    if (SHORTEST..=LONGEST).contains(&time) {
        Ok(time)
    } else {
        Err(format!("invalid sample time `{text}` (expected 100us to 60s)"))
    }
}

/// Reads a percentage as a share: `1%` is 0.01.
///
/// # Errors
/// When the text is none, in words.
pub fn percentage(text: &str) -> Result<f64, String> {
    let number = text.trim().strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    match number {
        Some(percent) if percent > 0.0 && percent <= 50.0 => Ok(percent / 100.0),
        Some(_) => Err(format!("`{text}` is out of range (expected above 0 % and at most 50 %)")),
        None => Err(format!("invalid percentage `{text}` (expected for example `1%`)")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_read_as_lists_with_ranges() {
        assert_eq!(node_list("0,2-3"), Ok(vec![NodeId(0), NodeId(2), NodeId(3)]));
        for text in ["", ",", "a", "3-1"] {
            assert!(node_list(text).unwrap_err().contains("invalid list of nodes"), "{text}");
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
            assert!(sample_time(text).unwrap_err().contains("invalid sample time"), "{text}");
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
