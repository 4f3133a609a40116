//! Programs as points on curves: as typed, or from a file that `zerohop where` wrote.

use std::path::Path;

use zerohop_app::{AllowedRate, allowed_rates};
use zerohop_report::ProgramPoint;

use crate::arguments::{Point, PointArguments};
use crate::failure::Failure;

const HINT: &str =
    "write such a file with `zerohop where PROCESS --survey RESULT -o where.json`, or use NAME=BANDWIDTH";

/// The programs of the options, in their order.
///
/// # Errors
/// When a file cannot be read, or says no rate.
pub(crate) fn program_points(arguments: &PointArguments) -> Result<Vec<ProgramPoint>, Failure> {
    let mut all = Vec::new();
    for point in &arguments.points {
        match point {
            Point::Given(point) => all.push(point.clone()),
            Point::File(path) => all.extend(of_file(path)?),
        }
    }
    Ok(all)
}

fn of_file(path: &Path) -> Result<Vec<ProgramPoint>, Failure> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::new(format_args!("cannot read `{shown}`: {error}")).hint(HINT))?;
    let rates =
        allowed_rates(&text).map_err(|error| Failure::new(format_args!("`{shown}`: {error}")).hint(HINT))?;
    let point = |AllowedRate { name, bandwidth }| ProgramPoint { name, bandwidth, latency: None };
    Ok(rates.into_iter().map(point).collect())
}
