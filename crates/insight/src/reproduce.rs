//! Compares results with a study.

use zerohop_machine::Hardware;
use zerohop_result::{ExperimentResult, NoValue};
use zerohop_units::GigabytesPerSecond;

use crate::{
    Amount, Assertion, Basis, Claim, Difference, Finding, FittedParameter, Gap, OutcomeOfPassage, Passage,
    Peak, Place, Reproduction, Row, Standing, Study, Totals, Verdict,
};

/// Why a study cannot be compared with results.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReproduceError {
    /// A result for each run is needed.
    #[error("the study has {runs} runs, but there are {results} results")]
    OtherRuns {
        /// Runs of the study.
        runs: usize,
        /// Results that were given.
        results: usize,
    },
    /// A machine for each variant is needed.
    #[error("the study has {variants} variants of its machine, but there are {machines} machines")]
    OtherVariants {
        /// Variants of the study.
        variants: usize,
        /// Machines that were given.
        machines: usize,
    },
    /// The machine has no such part.
    #[error("{passage} needs the peak of {part}, which {machine} does not have")]
    NoPart {
        /// Label of the passage.
        passage: String,
        /// `link 0-1`, `the memory of node 0`.
        part: String,
        /// The machine's name.
        machine: String,
    },
    /// A run has no value where the study looks for one.
    #[error("{passage} needs `{place}` of `zerohop run {command}`: {error}")]
    NoPlace {
        /// Label of the passage.
        passage: String,
        /// The place's name in the study.
        place: String,
        /// The run's command.
        command: String,
        /// Why there is none.
        error: Box<NoValue>,
    },
}

impl ReproduceError {
    /// What the user can do about it.
    pub const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::OtherRuns { .. } | Self::OtherVariants { .. } => None,
            Self::NoPart { .. } => Some("`zerohop machine show MACHINE` lists links and nodes"),
            Self::NoPlace { .. } => Some(
                "`zerohop run … --on MACHINE --format csv` shows the values of a run; `at`, `measure` and `sum` select from them",
            ),
        }
    }
}

/// Checks each claim of the study against `results`, one for each of its runs in their order. They come from models of
/// `machines`, one for each of the study's variants in their order.
///
/// # Errors
/// When a result is missing, or has no value where the study looks for one.
pub fn reproduce(
    study: &Study,
    results: &[ExperimentResult],
    machines: &[&Hardware],
) -> Result<Reproduction, ReproduceError> {
    if results.len() != study.runs.len() {
        return Err(ReproduceError::OtherRuns { runs: study.runs.len(), results: results.len() });
    }
    let others =
        || ReproduceError::OtherVariants { variants: study.variants.len(), machines: machines.len() };
    let hardware = machines.first().filter(|_| machines.len() == study.variants.len()).ok_or_else(others)?;
    let fitted_parameters = fitted(machines);
    let mut passages = Vec::new();
    for passage in &study.passages {
        let bench = Bench { study, results, machines, passage };
        let basis = basis(passage, &fitted_parameters);
        let rows = passage.claims.iter().map(|claim| bench.row(claim, basis)).collect::<Result<_, _>>()?;
        passages.push(OutcomeOfPassage {
            label: passage.label.clone(),
            pages: passage.pages.clone(),
            about: passage.about.clone(),
            basis,
            rows,
        });
    }
    Ok(Reproduction {
        study: study.name.clone(),
        title: study.title.clone(),
        document: study.document.clone(),
        machine: hardware.machine.name.clone(),
        machine_title: hardware.title.clone(),
        totals: Totals::count(&passages, &fitted_parameters),
        passages,
        fitted_parameters,
    })
}

/// The fitted parameters of all machines, each once.
fn fitted(machines: &[&Hardware]) -> Vec<FittedParameter> {
    let mut all: Vec<FittedParameter> = Vec::new();
    for parameter in machines.iter().flat_map(|machine| machine.fitted()).map(FittedParameter::from) {
        if !all.contains(&parameter) {
            all.push(parameter);
        }
    }
    all
}

/// A passage is fitted if the study says so, and also if a parameter of the machine says that it was fitted to it.
fn basis(passage: &Passage, parameters: &[FittedParameter]) -> Basis {
    let mut labels = passage.also.iter().chain([&passage.label]);
    let betrayed = labels.any(|label| parameters.iter().any(|parameter| names(&parameter.fitted_to, label)));
    if passage.fitted || betrayed { Basis::Fitted } else { Basis::Predicted }
}

/// Whether `text` contains `label`, other than as the beginning of another label (`Fig. 1` of `Fig. 12`, `3.2` of
/// `3.2.1`).
fn names(text: &str, label: &str) -> bool {
    text.match_indices(label).any(|(start, _)| {
        let before = text[..start].chars().next_back();
        let mut after = text[start + label.len()..].chars();
        let ends = match (after.next(), after.next()) {
            (Some('.'), Some(next)) => !next.is_ascii_digit(),
            (Some(next), _) => !next.is_alphanumeric(),
            (None, _) => true,
        };
        ends && !before.is_some_and(|before| before.is_alphanumeric() || before == '.')
    })
}

/// The data that a claim is compared with.
struct Bench<'a> {
    study: &'a Study,
    results: &'a [ExperimentResult],
    machines: &'a [&'a Hardware],
    passage: &'a Passage,
}

impl Bench<'_> {
    fn row(&self, claim: &Claim, basis: Basis) -> Result<Row, ReproduceError> {
        let finding = self.finding(&claim.assertion, basis)?;
        let verdict = match (basis, finding.agrees()) {
            (Basis::Fitted, _) => Verdict::Fitted,
            (Basis::Predicted, true) => Verdict::Ok,
            (Basis::Predicted, false) => Verdict::Off,
        };
        let runs = claim.assertion.runs().into_iter().map(|run| self.study.typed(run));
        Ok(Row { what: claim.what.clone(), runs: runs.collect(), finding, verdict })
    }

    fn finding(&self, assertion: &Assertion, basis: Basis) -> Result<Finding, ReproduceError> {
        Ok(match assertion {
            Assertion::Value { place, published, tolerance } => {
                Self::number(self.look_up(place)?, *published, *tolerance, basis)
            }
            Assertion::Ratio { of, to, published, tolerance } => {
                let share = self.look_up(of)?.get() / self.look_up(to)?.get();
                Self::number(Amount::Percent(100.0 * share), *published, *tolerance, basis)
            }
            Assertion::Peak { of, variant, published, tolerance } => {
                let peak = self.peak(of, self.machines[*variant])?;
                Self::number(Amount::GigabytesPerSecond(peak), *published, *tolerance, basis)
            }
            Assertion::Order { ascending } => {
                let ranks = ascending.iter().map(|rank| self.standings(rank)).collect::<Result<_, _>>()?;
                Finding::Order { ranks }
            }
            Assertion::Equal { places, tolerance } => {
                let standings = self.standings(places)?;
                let spread = spread(&standings, *tolerance);
                Finding::Equal { standings, spread, tolerance: *tolerance }
            }
            Assertion::Shrinking { gaps } => {
                let gaps = gaps.iter().map(|gap| self.gap(gap)).collect::<Result<_, _>>()?;
                Finding::Shrinking { gaps }
            }
        })
    }

    fn number(model: Amount, published: Amount, tolerance: Option<Difference>, basis: Basis) -> Finding {
        let tolerance = tolerance.filter(|_| basis == Basis::Predicted);
        let error = model.above(published, tolerance);
        Finding::Value { published, model, error, tolerance }
    }

    fn peak(&self, of: &Peak, machine: &Hardware) -> Result<GigabytesPerSecond, ReproduceError> {
        let (peak, part) = match of {
            Peak::Link { name, directions } => {
                let link = machine.links.iter().find(|link| link.name == *name);
                (link.map(|link| link.capacity * f64::from(*directions)), format!("link {name}"))
            }
            Peak::Memory(node) => (machine.memory_peak(*node), format!("the memory of node {node}")),
        };
        peak.ok_or_else(|| ReproduceError::NoPart {
            passage: self.passage.label.clone(),
            part,
            machine: machine.machine.name.clone(),
        })
    }

    fn standings(&self, places: &[Place]) -> Result<Vec<Standing>, ReproduceError> {
        let standing =
            |place: &Place| Ok(Standing { place: place.name.clone(), model: self.look_up(place)? });
        places.iter().map(standing).collect()
    }

    /// `runs` are the same two places in one run after the other.
    fn gap(&self, runs: &[[Place; 2]]) -> Result<Gap, ReproduceError> {
        let mut model = Vec::new();
        for [above, below] in runs {
            let difference = self.look_up(above)?.get() - self.look_up(below)?.get();
            model.push(Amount::with_unit_of(self.look_up(above)?, difference));
        }
        let [above, below] = runs.first().map_or([""; 2], |[above, below]| [&above.name, &below.name]);
        Ok(Gap { above: above.to_owned(), below: below.to_owned(), model })
    }

    fn look_up(&self, place: &Place) -> Result<Amount, ReproduceError> {
        let machine = &self.machines[self.study.runs[place.run].variant].machine;
        place.look_up(&self.results[place.run], machine).map_err(|error| ReproduceError::NoPlace {
            passage: self.passage.label.clone(),
            place: place.name.clone(),
            command: self.study.typed(place.run),
            error: Box::new(error),
        })
    }
}

/// How far the largest is above the smallest.
fn spread(standings: &[Standing], tolerance: Difference) -> Difference {
    let models = || standings.iter().map(|standing| standing.model);
    let smallest = models().reduce(|left, right| if right < left { right } else { left });
    let largest = models().reduce(|left, right| if right > left { right } else { left });
    match (largest, smallest) {
        (Some(largest), Some(smallest)) => largest.above(smallest, Some(tolerance)),
        _ => Difference::Percent(0.0),
    }
}
