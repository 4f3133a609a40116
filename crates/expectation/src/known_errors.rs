//! Known errors of predictions from spec sheets, as found by the validation.

mod file;

use std::collections::{BTreeMap, BTreeSet};

use super::kind::Kind;
use zerohop_study::{Difference, FigureGrade, Finding, Reproduction, Validation};

use file::Figure;
pub use file::KnownErrorsError;

/// Errors of predictions that were compared with published runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KnownErrors {
    figures: Vec<Figure>,
    /// For each kind of figure, the share of its known errors that an interval contains: so large that it contains [`INSIDE`] of the
    /// values of a machine that is not among the known ones.
    quantiles: BTreeMap<String, f64>,
    /// Error over all figures.
    of_all: f64,
}

/// With fewer values, a label says little about the next machine.
const FEW: usize = 10;

/// Share of the values of an unknown machine that lie inside the intervals.
const INSIDE: f64 = 0.9;

/// The quantiles of known errors that are tried, in thousandths. Few values lie between two of them, so that one more machine moves the
/// intervals of all others little.
const QUANTILES: std::ops::Range<u32> = 900..1000;

impl KnownErrors {
    /// The errors of all figures that were predicted.
    ///
    /// Values of one machine are wrong in the same way. The error that nine of ten known values stay within is therefore too small for
    /// the next machine: the quantile of a kind is the least one with which, each machine left out in turn, the intervals of the others
    /// contain nine of ten of its values, on average over the machines left out.
    pub fn of(validation: &Validation) -> Self {
        Self::of_figures(validation.reproductions.iter().flat_map(predicted).collect())
    }

    fn of_figures(figures: Vec<Figure>) -> Self {
        let kinds: BTreeSet<&str> = figures.iter().map(|figure| kind_of(&figure.label)).collect();
        let quantiles = kinds.iter().map(|&kind| (kind.to_owned(), quantile(&figures, &[kind]))).collect();
        let of_all = quantile(&figures, &kinds.into_iter().collect::<Vec<_>>());
        Self { figures, quantiles, of_all }
    }

    /// Reads the file that [`KnownErrors::to_toml`] writes.
    ///
    /// # Errors
    /// When the text is no such file.
    pub fn read(text: &str) -> Result<Self, KnownErrorsError> {
        let (figures, quantiles, of_all) = file::read(text)?;
        Ok(Self { figures, quantiles, of_all })
    }

    /// All of it as TOML.
    pub fn to_toml(&self) -> String {
        file::write(&self.figures, &self.quantiles, self.of_all)
    }

    /// The share of the known errors of a label's kind that an interval contains.
    fn quantile_of_kind(&self, label: &str) -> f64 {
        self.quantiles.get(kind_of(label)).copied().unwrap_or(INSIDE)
    }

    /// A phrase for each kind: the error that nine of ten predictions stay within (`idle latency ±14 %`).
    pub fn phrases(&self) -> Vec<String> {
        let mut kinds: Vec<&str> = Vec::new();
        for figure in &self.figures {
            if !kinds.contains(&kind_of(&figure.label)) {
                kinds.push(kind_of(&figure.label));
            }
        }
        let phrase = |kind: &str| {
            let error = quantile_of(
                self.figures.iter().filter(|figure| kind_of(&figure.label) == kind),
                self.quantile_of_kind(kind),
            )?;
            Some(format!("{kind} ±{:.0} %", error.ceil()))
        };
        kinds.into_iter().filter_map(phrase).collect()
    }

    /// The share by which nine of ten predictions of a kind are off at most, and whether that is known: a kind that was never
    /// validated has the error of all figures together.
    pub(super) fn share(&self, kind: Kind) -> (f64, bool) {
        let label = kind.label().map(|(_, label)| label);
        let known = |label| within(&self.figures, None, label, self.quantile_of_kind(label));
        match label.and_then(known) {
            Some(error) => ((error + ROUNDING) / 100.0, true),
            None => (quantile_of(&self.figures, self.of_all).map_or(UNKNOWN, |error| error / 100.0), false),
        }
    }

    /// Whether predictions of a kind are valid for a machine with this title: not if half or more of the values published for its own generation are
    /// farther off than those of others. Then the template lacks a property of the generation.
    pub(super) fn holds_for(&self, title: &str, kind: Kind) -> bool {
        let Some((_, label)) = kind.label() else { return true };
        let (share, _) = self.share(kind);
        let of_kind = |name: &str| name == label || kind_of(name) == label;
        let is_own = |one: &&Figure| one.generation == generation(title) && of_kind(&one.label);
        let own: Vec<&Figure> = self.figures.iter().filter(is_own).collect();
        let beyond = own.iter().filter(|one| one.error > 100.0 * share).count();
        own.is_empty() || 2 * beyond < own.len()
    }
}

/// The least quantile with which intervals of these kinds contain [`INSIDE`] of what they should.
fn quantile(figures: &[Figure], kinds: &[&str]) -> f64 {
    // A larger quantile contains no less.
    let quantiles: Vec<f64> = QUANTILES.map(|thousandths| f64::from(thousandths) / 1000.0).collect();
    let rank = quantiles.partition_point(|&quantile| inside(figures, kinds, quantile) < INSIDE);
    quantiles[rank.min(quantiles.len() - 1)]
}

/// Share of a machine's figures of these kinds that lie within the errors of the others, on average over all machines.
fn inside(figures: &[Figure], kinds: &[&str], quantile: f64) -> f64 {
    let is_inside = |figure: &Figure| {
        within(figures, Some(&figure.study), &figure.label, quantile)
            .is_some_and(|error| figure.error <= error + ROUNDING)
    };
    let mut machines: BTreeMap<&str, Vec<bool>> = BTreeMap::new();
    for figure in figures.iter().filter(|figure| kinds.contains(&kind_of(&figure.label))) {
        machines.entry(&figure.study).or_default().push(is_inside(figure));
    }
    let share =
        |values: &Vec<bool>| values.iter().filter(|&&inside| inside).count() as f64 / values.len() as f64;
    machines.values().map(share).sum::<f64>() / machines.len().max(1) as f64
}

/// The error of figures with that label that this share of them stays within, without those of a study; `None` if none are like it.
///
/// A label's figures are more alike than those of its whole kind, but few: one machine that was out of order (the links of one
/// published run were asleep) decides on all of them. The narrower of the two counts.
fn within(figures: &[Figure], without: Option<&str>, label: &str, quantile: f64) -> Option<f64> {
    let others = || figures.iter().filter(move |figure| Some(figure.study.as_str()) != without);
    let general = quantile_of(others().filter(|figure| kind_of(&figure.label) == kind_of(label)), quantile)?;
    let of_label = || others().filter(|figure| figure.label == label);
    let own = quantile_of(of_label(), quantile).filter(|_| of_label().count() >= FEW);
    Some(own.map_or(general, |own| general.min(own)))
}

/// The error that this share of the figures stays within.
fn quantile_of<'a>(figures: impl IntoIterator<Item = &'a Figure>, share: f64) -> Option<f64> {
    let mut errors: Vec<f64> = figures.into_iter().map(|figure| figure.error).collect();
    errors.sort_by(f64::total_cmp);
    let rank = ((share * errors.len() as f64).ceil() as usize).max(1);
    errors.get(rank - 1).copied()
}

/// The kind of a label: what stands before a comma.
fn kind_of(label: &str) -> &str {
    label.split(',').next().unwrap_or_default()
}

/// The generation in the title of a template's machine: what comes before its sockets and channels.
fn generation(title: &str) -> &str {
    title.split_once(": ").map_or(title, |(generation, _)| generation)
}

/// Errors are known in tenths of a percent.
const ROUNDING: f64 = 0.05;

const UNKNOWN: f64 = 0.5;

/// The figures of a study that were predicted.
fn predicted(study: &Reproduction) -> impl Iterator<Item = Figure> {
    let passages = study.passages.iter().filter(|passage| passage.grade == FigureGrade::Predicted);
    let rows = passages.flat_map(|passage| passage.rows.iter().map(|row| (&passage.label, &row.finding)));
    rows.filter_map(|(label, finding)| match finding {
        Finding::Value { error: Difference::Percent(error), .. } => Some(Figure {
            study: study.study.clone(),
            generation: generation(&study.machine_title).to_owned(),
            label: label.clone(),
            error: to_tenths(error.abs()),
        }),
        _ => None,
    })
}

/// As it is printed, so that a file that was written and read holds the same.
fn to_tenths(percent: f64) -> f64 {
    format!("{percent:.1}").parse().unwrap_or(percent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(studies: &[Vec<f64>]) -> KnownErrors {
        let figures = studies.iter().enumerate().flat_map(|(rank, errors)| {
            errors.iter().map(move |error: &f64| Figure {
                study: format!("study {rank}"),
                generation: "one, 2020".to_owned(),
                label: "mixes".to_owned(),
                error: error.abs(),
            })
        });
        KnownErrors::of_figures(figures.collect())
    }

    /// Three machines of 30 are off by 20 % in everything, a tenth of all values. One machine more that is off, and 90 % of the known errors
    /// would contain fewer than nine of ten values of a machine that was left out.
    #[test]
    fn an_interval_contains_nine_of_ten_values_of_a_machine_that_was_left_out() {
        let alike: Vec<Vec<f64>> = (0..30).map(|_| vec![1.0, -2.0, 3.0, -3.0]).collect();
        assert_eq!(known(&alike).share(Kind::Mixes).0, 0.0305);
        let mut odd = alike;
        for machine in &mut odd[..3] {
            *machine = vec![20.0, 21.0, 19.0, -20.0];
        }
        assert_eq!(known(&odd).share(Kind::Mixes).0, 0.0305);
        odd.push(vec![22.0]);
        let known = known(&odd);
        let of = |quantile| inside(&known.figures, &["mixes"], quantile);
        let chosen = known.quantile_of_kind("mixes, of a node");
        assert!(of(0.9) < INSIDE && of(chosen) >= INSIDE, "{chosen}");
        assert!((known.share(Kind::Mixes).0 - 0.2005).abs() < 1e-9, "{chosen}");
    }

    #[test]
    fn without_figures_nothing_is_known() {
        let known = known(&[]);
        assert_eq!(known.share(Kind::Mixes), (UNKNOWN, false));
        assert!(known.phrases().is_empty());
    }

    #[test]
    fn a_file_that_was_written_and_read_holds_the_same() {
        let mut known = known(&[vec![1.0, 2.5, 18.0], vec![0.3, 45.9]]);
        known.figures[1].label = "idle latency, \"remote\"".to_owned();
        known = KnownErrors::of_figures(known.figures);
        assert_eq!(KnownErrors::read(&known.to_toml()), Ok(known));
    }

    #[test]
    fn the_file_that_comes_with_the_program_has_the_quantiles_of_its_figures() {
        let text = include_str!("../../../validation/errors.toml");
        let known = KnownErrors::read(text).unwrap();
        assert!(known.figures.len() > 300, "{}", known.figures.len());
        assert_eq!(KnownErrors::of_figures(known.figures.clone()), known);
        assert_eq!(known.to_toml(), text);
    }

    #[test]
    fn errors_are_those_that_the_page_prints() {
        assert_eq!([0.04, 0.05, 12.34, 18.0].map(to_tenths), [0.0, 0.1, 12.3, 18.0]);
    }

    #[test]
    fn a_text_of_something_else_is_no_file_of_known_errors() {
        assert!(KnownErrors::read("# Predictions, validated\n").is_err());
    }
}
