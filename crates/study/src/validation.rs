//! Errors of predictions from spec sheets: of all predicted figures, by kind of figure and by machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Difference, FigureGrade, Finding, OutcomeOfPassage, Reproduction};

/// Version of the format of [`Validation`]. Raised when a reader of the old format would misread it.
pub const VALIDATION_VERSION: u32 = 1;

/// Errors of predictions from spec sheets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Validation {
    /// [`VALIDATION_VERSION`] of the program that wrote the file.
    pub schema_version: u32,
    /// Errors of all predicted values; absent if there are none.
    pub all: Option<Errors>,
    /// Errors for machines whose DIMMs, channels and links are all stated by the source, without assumptions; absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<Errors>,
    /// Errors by kind of figure, in the order of the first study.
    pub kinds: Vec<NamedErrors>,
    /// Errors by study, in the order of the studies.
    pub studies: Vec<NamedErrors>,
    /// The reproductions that the errors are computed from.
    pub reproductions: Vec<Reproduction>,
}

/// Errors of predictions of one kind, or for one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NamedErrors {
    /// Name of the kind (the label of its passages up to a comma) or of the study.
    pub name: String,
    /// Errors; absent if no values were predicted.
    pub errors: Option<Errors>,
    /// Number of values that parameters were chosen to give, and that say nothing about predictions.
    pub fitted: usize,
}

/// Errors of predictions, in percent of the published values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Errors {
    /// Number of values.
    pub values: usize,
    /// Median magnitude of the errors.
    pub median: f64,
    /// 90th percentile of the magnitudes: nine of ten are no larger.
    pub nine_of_ten: f64,
    /// Largest error, with its sign.
    pub worst: f64,
    /// Mean error with signs: positive if predictions are too high.
    pub mean: f64,
    /// Number of values with an error of at most 10 %.
    pub within_ten: usize,
}

impl Errors {
    /// Summary of these errors in percent; `None` if there are none.
    pub fn of(errors: &[f64]) -> Option<Self> {
        let mut ordered = errors.to_vec();
        ordered.sort_by(|one, other| one.abs().total_cmp(&other.abs()));
        let worst = *ordered.last()?;
        let at = |share: f64| ordered[((share * ordered.len() as f64).ceil() as usize).max(1) - 1].abs();
        Some(Self {
            values: ordered.len(),
            median: at(0.5),
            nine_of_ten: at(0.9),
            worst,
            mean: ordered.iter().sum::<f64>() / ordered.len() as f64,
            within_ten: ordered.iter().filter(|error| error.abs() <= 10.0).count(),
        })
    }
}

impl Validation {
    /// The errors of these studies' predictions.
    pub fn new(reproductions: Vec<Reproduction>) -> Self {
        let mut labels: Vec<&str> = Vec::new();
        for passage in reproductions.iter().flat_map(|study| &study.passages) {
            if !labels.contains(&kind(passage)) {
                labels.push(kind(passage));
            }
        }
        let named = |name: &str, errors: Vec<(FigureGrade, f64)>| {
            let predicted = errors.iter().filter(|(grade, _)| *grade == FigureGrade::Predicted);
            let predicted: Vec<f64> = predicted.map(|(_, error)| *error).collect();
            let fitted = errors.iter().filter(|(grade, _)| *grade == FigureGrade::Fitted).count();
            NamedErrors { name: name.to_owned(), errors: Errors::of(&predicted), fitted }
        };
        let every = || reproductions.iter().flat_map(errors_of);
        let of_label = |label: &str| {
            let errors = every().filter(|(name, ..)| *name == label);
            named(label, errors.map(|(_, grade, error)| (grade, error)).collect())
        };
        let of_study = |study: &Reproduction| {
            named(
                &study.study,
                errors_of(study).into_iter().map(|(_, grade, error)| (grade, error)).collect(),
            )
        };
        let predicted = |of: &dyn Fn(&Reproduction) -> bool| {
            let errors = reproductions.iter().filter(|study| of(study)).flat_map(errors_of);
            let predicted = errors.filter(|(_, grade, _)| *grade == FigureGrade::Predicted);
            Errors::of(&predicted.map(|(.., error)| error).collect::<Vec<f64>>())
        };
        Self {
            schema_version: VALIDATION_VERSION,
            all: predicted(&|_| true),
            known: predicted(&|study| study.assumed.is_empty()),
            kinds: labels.iter().map(|label| of_label(label)).collect(),
            studies: reproductions.iter().map(of_study).collect(),
            reproductions,
        }
    }
}

/// What a passage is about: its label up to a comma (`idle latency, remote`).
fn kind(passage: &OutcomeOfPassage) -> &str {
    passage.label.split(',').next().unwrap_or_default()
}

/// Each value of a study: its kind, its grade, its error in percent of the published value.
fn errors_of(study: &Reproduction) -> Vec<(&str, FigureGrade, f64)> {
    let mut all = Vec::new();
    for passage in &study.passages {
        for row in &passage.rows {
            if let Finding::Value { error: Difference::Percent(error), .. } = row.finding {
                all.push((kind(passage), passage.grade, error));
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_of_ten_errors_are_no_larger() {
        let errors: Vec<f64> =
            (1..=10).map(|error| if error % 2 == 0 { f64::from(error) } else { -f64::from(error) }).collect();
        let of = Errors::of(&errors).unwrap();
        assert_eq!((of.values, of.median, of.nine_of_ten, of.worst), (10, 5.0, 9.0, 10.0));
        assert_eq!(of.within_ten, 10);
        assert!((of.mean - 0.5).abs() < 1e-9);
        assert_eq!(Errors::of(&[]), None);
    }
}
