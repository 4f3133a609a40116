//! How far predictions from spec sheets are known to be off: read from the page of the validation, the one place that has it.

use std::collections::BTreeMap;

use super::kind::Kind;
use crate::validation::Errors;

/// Errors of predictions that were held against published runs, by the labels of their figures.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KnownErrors {
    /// In the order of the page, by the label up to a comma (`idle latency`).
    kinds: Vec<(String, Errors)>,
    /// By the whole label (`idle latency, remote`).
    labels: BTreeMap<String, Errors>,
    /// The label and the error in percent of each figure, by the generation of its machine.
    generations: BTreeMap<String, Vec<(String, f64)>>,
    /// All.
    all: Option<Errors>,
}

/// With fewer values, a label says little about the next machine.
const FEW: usize = 5;

/// The word for a figure that nothing was fitted to.
const PREDICTED: &str = "predicted";

impl KnownErrors {
    /// The errors on the page that `zerohop reproduce --validation --format markdown` writes: those of all figures that were
    /// predicted.
    pub fn read(page: &str) -> Self {
        let mut kinds: Vec<(String, Vec<f64>)> = Vec::new();
        let mut labels: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        let mut generations: BTreeMap<String, Vec<(String, f64)>> = BTreeMap::new();
        let mut machine = "";
        for line in page.lines() {
            machine = line.split_once(MACHINE).map_or(machine, |(_, title)| title);
            let Some((label, error)) = figure(line) else { continue };
            generations.entry(generation(machine).to_owned()).or_default().push((label.to_owned(), error));
            let kind = label.split(',').next().unwrap_or_default();
            match kinds.iter_mut().find(|(known, _)| known == kind) {
                Some((_, errors)) => errors.push(error),
                None => kinds.push((kind.to_owned(), vec![error])),
            }
            labels.entry(label.to_owned()).or_default().push(error);
        }
        let all: Vec<f64> = kinds.iter().flat_map(|(_, errors)| errors.iter().copied()).collect();
        let of = |(name, errors): (String, Vec<f64>)| Some((name, Errors::of(&errors)?));
        Self {
            kinds: kinds.into_iter().filter_map(of).collect(),
            labels: labels.into_iter().filter_map(of).collect(),
            generations,
            all: Errors::of(&all),
        }
    }

    /// A phrase for each kind: the error that nine of ten predictions stay within (`idle latency ±14 %`).
    pub fn phrases(&self) -> Vec<String> {
        let phrase =
            |(kind, errors): &(String, Errors)| format!("{kind} ±{:.0} %", errors.nine_of_ten.ceil());
        self.kinds.iter().map(phrase).collect()
    }

    /// The errors of a kind's figures, before a comma and in full.
    pub fn of(&self, kind: Kind) -> Option<(&Errors, Option<&Errors>)> {
        let (general, label) = kind.label()?;
        let (_, general) = self.kinds.iter().find(|(known, _)| known == general)?;
        Some((general, self.labels.get(label).filter(|errors| errors.values >= FEW)))
    }

    /// The share by which nine of ten predictions of a kind are off at most, and whether that is known: a kind that was never
    /// validated has the error of all figures together.
    ///
    /// A label's figures are more alike than those of its whole kind, but few: one machine that was out of order (the links of one
    /// published run were asleep) decides on all of them. The narrower of the two counts.
    pub(super) fn share(&self, kind: Kind) -> (f64, bool) {
        match self.of(kind) {
            Some((general, label)) => {
                let label = label.map_or(f64::INFINITY, |errors| errors.nine_of_ten);
                ((general.nine_of_ten.min(label) + ROUNDING) / 100.0, true)
            }
            None => (self.all.map_or(UNKNOWN, |all| all.nine_of_ten / 100.0), false),
        }
    }

    /// Whether predictions of a kind hold for a machine with this title: not if half of the values that were published of its own
    /// generation, or more, are farther off than those of others. Then a template lacks something that the generation has.
    pub(super) fn holds_for(&self, title: &str, kind: Kind) -> bool {
        let Some((_, label)) = kind.label() else { return true };
        let (share, _) = self.share(kind);
        let of_kind = |name: &str| name == label || name.split(',').next() == Some(label);
        let own = self.generations.get(generation(title)).map_or(&[][..], Vec::as_slice);
        let own: Vec<f64> = own.iter().filter(|(name, _)| of_kind(name)).map(|(_, error)| *error).collect();
        let beyond = own.iter().filter(|error| error.abs() > 100.0 * share).count();
        own.is_empty() || 2 * beyond < own.len()
    }

    /// The interval of a predicted value: the values that a machine may have of which it was predicted.
    pub(super) fn interval(&self, kind: Kind, predicted: f64) -> (f64, f64, bool) {
        let (share, validated) = self.share(kind);
        // Errors are relative to the measured value, and the predicted one is known.
        (predicted / (1.0 + share), predicted / (1.0 - share.min(MOST)), validated)
    }
}

/// The page has the title of a study's machine after this.
const MACHINE: &str = " Machine: ";

/// The generation in the title of a template's machine: what comes before its sockets and channels.
fn generation(title: &str) -> &str {
    title.split_once(": ").map_or(title, |(generation, _)| generation)
}

/// The page has errors in tenths of a percent.
const ROUNDING: f64 = 0.05;

/// Without any validation.
const UNKNOWN: f64 = 0.5;

/// A prediction that is off by as much says nothing.
const MOST: f64 = 0.9;

/// The label and the error in percent of a row of a study's table, if nothing was fitted to it.
fn figure(row: &str) -> Option<(&str, f64)> {
    let cells: Vec<&str> = row.strip_prefix('|')?.strip_suffix('|')?.split('|').map(str::trim).collect();
    let [label, _, _, _, error, PREDICTED] = cells[..] else { return None };
    Some((label, error.strip_suffix(" %")?.parse().ok()?))
}
