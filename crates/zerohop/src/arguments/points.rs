//! Programs as points on curves: `--point`.

use clap::Args;
use zerohop_report::ProgramPoint;
use zerohop_units::{GigabytesPerSecond, Nanoseconds};

/// Programs to lay on curves.
#[derive(Debug, Args)]
pub(crate) struct PointArguments {
    /// Add a program to the curves of latency under load; may be repeated
    ///
    /// Give its bandwidth (`solver=84GB/s`), and its latency if known (`solver=84GB/s,140ns`), or a file written by
    /// `zerohop where --survey … -o where.json`, for the bandwidth that its placement allows.
    #[arg(long = "point", value_name = "NAME=BANDWIDTH|FILE", value_parser = point)]
    pub(crate) points: Vec<Point>,
}

/// A point as typed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Point {
    Given(ProgramPoint),
    File(std::path::PathBuf),
}

fn point(text: &str) -> Result<Point, String> {
    let expected = "expected NAME=BANDWIDTH, such as solver=84GB/s, or a file written by `zerohop where`";
    let Some((name, value)) = text.rsplit_once('=') else {
        return if text.trim().is_empty() { Err(expected.to_owned()) } else { Ok(Point::File(text.into())) };
    };
    let name = name.trim();
    if name.is_empty() {
        return Err(format!("`{text}` has no name ({expected})"));
    }
    let (bandwidth, latency) = match value.split_once(',') {
        Some((bandwidth, latency)) => (bandwidth, Some(latency)),
        None => (value, None),
    };
    let number = |text: &str, unit: &str| {
        let digits = text.trim();
        let digits = digits.strip_suffix(unit).unwrap_or(digits).trim();
        let value: f64 =
            digits.parse().map_err(|_| format!("`{}` is not a value in {unit} ({expected})", text.trim()))?;
        // Beyond this, no memory and no latency is.
        if value > 0.0 && value <= 1e6 {
            Ok(value)
        } else {
            Err(format!(
                "`{}` is out of range (expected above zero and at most a million {unit})",
                text.trim()
            ))
        }
    };
    Ok(Point::Given(ProgramPoint {
        name: name.to_owned(),
        bandwidth: GigabytesPerSecond(number(bandwidth, "GB/s")?),
        latency: latency.map(|latency| number(latency, "ns")).transpose()?.map(Nanoseconds),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_has_a_name_a_bandwidth_and_perhaps_a_latency() {
        let given = |name: &str, bandwidth, latency: Option<f64>| {
            let (bandwidth, latency) = (GigabytesPerSecond(bandwidth), latency.map(Nanoseconds));
            Ok(Point::Given(ProgramPoint { name: name.to_owned(), bandwidth, latency }))
        };
        assert_eq!(point("a=84"), given("a", 84.0, None));
        assert_eq!(point("a = b = 8.5 GB/s , 140 ns"), given("a = b", 8.5, Some(140.0)));
        assert_eq!(point("where.json"), Ok(Point::File("where.json".into())));
        for wrong in ["", "=3", "a=", "a=x", "a=-1", "a=0", "a=inf", "a=NaN", "a=1e308", "a=1,", "a=1,0"] {
            assert!(point(wrong).is_err(), "{wrong}");
        }
    }
}
