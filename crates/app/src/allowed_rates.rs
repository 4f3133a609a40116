//! The rates that placements of programs allow, from the JSON that `zerohop where` writes.

use serde::Deserialize;
use zerohop_placement::WHEREABOUTS_VERSION;
use zerohop_units::GigabytesPerSecond;

/// A program with the rate that its placement allows.
#[derive(Debug, Clone, PartialEq)]
pub struct AllowedRate {
    /// The program, or the file, without its folders.
    pub name: String,
    /// The highest rate at which all its threads together can read its pages, by a survey.
    pub bandwidth: GigabytesPerSecond,
}

/// Reason why a text does not state rates.
#[derive(Debug, thiserror::Error)]
pub enum NoRates {
    /// It is something else.
    #[error("it is not JSON output of `zerohop where`: {0}")]
    Other(#[from] serde_json::Error),
    /// A later version wrote it.
    #[error("it has format version {0}, but this program reads version {WHEREABOUTS_VERSION}")]
    Later(u32),
    /// Nothing in it has a rate.
    #[error(
        "it contains no rate that the placement allows: `zerohop where` ran without --survey, or found no memory"
    )]
    None,
}

/// What is read of any version.
#[derive(Deserialize)]
struct Head {
    schema_version: u32,
}

/// What is read of it.
#[derive(Deserialize)]
struct Whereabouts {
    found: Vec<Found>,
}

#[derive(Deserialize)]
struct Found {
    subject: Subject,
    cost: Option<Cost>,
}

#[derive(Deserialize)]
struct Subject {
    command: Option<String>,
    path: Option<String>,
}

#[derive(Deserialize)]
struct Cost {
    bandwidth: Option<Rate>,
}

#[derive(Deserialize)]
struct Rate {
    now: f64,
}

/// The rates of all programs and files that have one.
///
/// # Errors
/// When the text is something else, or says none.
pub fn allowed_rates(text: &str) -> Result<Vec<AllowedRate>, NoRates> {
    // The version is checked first: the rest of a later version is unknown here.
    let Head { schema_version } = serde_json::from_str(text)?;
    if schema_version > WHEREABOUTS_VERSION {
        return Err(NoRates::Later(schema_version));
    }
    let file: Whereabouts = serde_json::from_str(text)?;
    let rate = |found: Found| {
        let bandwidth = found.cost?.bandwidth?.now;
        let name = short(&found.subject.command.or(found.subject.path).unwrap_or_default());
        (bandwidth > 0.0).then_some(AllowedRate { name, bandwidth: GigabytesPerSecond(bandwidth) })
    };
    let rates: Vec<AllowedRate> = file.found.into_iter().filter_map(rate).collect();
    if rates.is_empty() { Err(NoRates::None) } else { Ok(rates) }
}

/// The program of a command line, or a file, without its folders.
fn short(command: &str) -> String {
    let program = command.split_whitespace().next().unwrap_or("program");
    program.rsplit('/').next().unwrap_or(program).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_program_with_a_rate_has_one() {
        let found = r#"{"subject": {"kind": "process", "process": 1, "command": "/opt/bin/solver -n 4"}, "bytes": {}, "cost": {"bandwidth": {"now": 84.5, "local": 90.0}}}"#;
        let without = r#"{"subject": {"kind": "process", "process": 2, "command": "idle"}, "bytes": {}}"#;
        let read = |version: u32, found: &[&str]| {
            allowed_rates(&format!("{{\"schema_version\": {version}, \"found\": [{}]}}", found.join(",")))
        };
        let rates = read(1, &[found, without]).unwrap();
        let solver = AllowedRate { name: "solver".to_owned(), bandwidth: GigabytesPerSecond(84.5) };
        assert_eq!(rates, [solver]);
        assert!(matches!(read(1, &[without]), Err(NoRates::None)));
        assert!(matches!(read(99, &[found]), Err(NoRates::Later(99))));
        let later = allowed_rates("{\"schema_version\": 99, \"programs\": []}");
        assert!(matches!(later, Err(NoRates::Later(99))), "whatever its form is");
        assert!(matches!(read(1, &["3"]), Err(NoRates::Other(_))));
        assert!(matches!(allowed_rates(""), Err(NoRates::Other(_))));
    }
}
