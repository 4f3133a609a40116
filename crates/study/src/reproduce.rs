//! Compares results with a study.

use std::collections::BTreeSet;

use zerohop_document::FigureId;
use zerohop_machine_file::Hardware;
use zerohop_result::{ExperimentResult, NoValue};
use zerohop_units::GigabytesPerSecond;

use crate::model_value::{Holding, Simulated};
use crate::{
    Amount, Assertion, Claim, Difference, FigureGrade, Finding, FittedParameter, Gap, OutcomeOfPassage,
    Passage, Peak, Place, Reproduction, Row, Standing, Study, Totals, Verdict,
};

/// Reason why a study cannot be compared with results.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReproduceError {
    /// A result for each run is needed.
    #[error("the study has {runs} runs, but there are results of {results}")]
    OtherRuns {
        /// Runs of the study.
        runs: usize,
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
    /// A parameter names a figure that the study does not have.
    #[error("`{parameter}` of {machine} is fitted to `{figure}`, but the study has no figure with this name")]
    NoFigure {
        /// The parameter's path in the machine file.
        parameter: String,
        machine: String,
        /// The figure that it names.
        figure: FigureId,
    },
    /// The machine has no such part.
    #[error("{passage} needs the peak of {part}, which {machine} does not have")]
    NoPart {
        /// Label of the passage.
        passage: String,
        /// `link 0-1`, `the memory of node 0`.
        part: String,
        machine: String,
    },
    /// A run has no value where the study looks for one.
    #[error("{passage} needs `{place}` of `zerohop run {command}`: {error}")]
    NoPlace {
        /// Label of the passage.
        passage: String,
        /// The place's name in the study.
        place: String,
        command: String,
        /// Reason why there is none.
        error: Box<NoValue>,
    },
}

impl ReproduceError {
    /// Hint for the user.
    pub const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::OtherRuns { .. } | Self::OtherVariants { .. } => None,
            Self::NoFigure { .. } => {
                Some("`fitted` lists figures by the name of the study and the figure's `id`")
            }
            Self::NoPart { .. } => Some("`zerohop machine show MACHINE` lists links and nodes"),
            Self::NoPlace { .. } => Some(
                "`zerohop run … --on MACHINE --format csv` shows the values of a run; `at`, `measure` and `sum` select from them",
            ),
        }
    }
}

/// How many times as wide an interval must still decide a claim, so that its runs need not be repeated. Whoever looks at intervals
/// again and again until one decides would otherwise find, sooner or later, one that decides by chance.
const DECIDES_EARLY: f64 = 2.0;

/// Checks each claim of the study against `results`: at least one for each of its runs in their order, all with different seeds.
/// They come from models of `machines`, one for each of the study's variants in their order.
///
/// # Errors
/// When a result is missing, or has no value where the study looks for one; and when a machine names a figure of the study that is
/// not there.
pub fn reproduce(
    study: &Study,
    results: &[Vec<ExperimentResult>],
    machines: &[&Hardware],
) -> Result<Reproduction, ReproduceError> {
    let of_runs = results.iter().filter(|of_run| !of_run.is_empty()).count();
    if results.len() != study.runs.len() || of_runs != study.runs.len() {
        return Err(ReproduceError::OtherRuns { runs: study.runs.len(), results: of_runs });
    }
    let others =
        || ReproduceError::OtherVariants { variants: study.variants.len(), machines: machines.len() };
    let hardware = machines.first().filter(|_| machines.len() == study.variants.len()).ok_or_else(others)?;
    let fitted_parameters = fitted(machines);
    refuse_unknown_figures(study, &fitted_parameters, &hardware.machine.name)?;
    let mut passages = Vec::new();
    for passage in &study.passages {
        let bench = Bench { study, results, machines, passage, widen: 1.0 };
        let (grade, reason) = grade(study, passage, &fitted_parameters);
        let rows = passage.claims.iter().map(|claim| bench.row(claim, grade)).collect::<Result<_, _>>()?;
        passages.push(OutcomeOfPassage {
            id: passage.id.clone(),
            label: passage.label.clone(),
            pages: passage.pages.clone(),
            about: passage.about.clone(),
            grade,
            reason,
            rows,
        });
    }
    Ok(Reproduction {
        study: study.name.clone(),
        title: study.title.clone(),
        assumed: study.assumed.clone(),
        document: study.document.clone(),
        machine: hardware.machine.name.clone(),
        machine_title: hardware.title.clone(),
        totals: Totals::count(&passages, &fitted_parameters),
        passages,
        fitted_parameters,
        seeds: None,
    })
}

/// Claims that intervals hardly decide: another result, with another seed, could change the verdict.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Undecided {
    /// The claims: `Fig. 12: (0,1) N1`.
    pub claims: Vec<String>,
    /// Ranks of the runs that they concern.
    pub runs: BTreeSet<usize>,
}

/// The claims that intervals hardly decide.
///
/// # Errors
/// As [`reproduce`].
pub fn undecided(
    study: &Study,
    results: &[Vec<ExperimentResult>],
    machines: &[&Hardware],
) -> Result<Undecided, ReproduceError> {
    let fitted_parameters = fitted(machines);
    let mut undecided = Undecided::default();
    for passage in &study.passages {
        let (grade, _) = grade(study, passage, &fitted_parameters);
        if grade == FigureGrade::Fitted {
            continue;
        }
        let bench = Bench { study, results, machines, passage, widen: DECIDES_EARLY };
        for claim in &passage.claims {
            if bench.finding(&claim.assertion, grade)?.1 == Holding::Open {
                undecided.claims.push(format!("{}: {}", passage.label, claim.what));
                undecided.runs.extend(claim.assertion.runs());
            }
        }
    }
    Ok(undecided)
}

/// The fitted parameters of all machines, each once.
fn fitted(machines: &[&Hardware]) -> Vec<FittedParameter> {
    let mut all: Vec<FittedParameter> = Vec::new();
    for (parameter, fitted_to) in machines.iter().flat_map(|machine| machine.fitted()) {
        let (path, value) = (parameter.path.clone(), parameter.value.clone());
        let parameter = FittedParameter { path, value, fitted_to: fitted_to.clone() };
        if !all.contains(&parameter) {
            all.push(parameter);
        }
    }
    all
}

/// A slip in the name of a figure would let a fitted figure count as predicted.
fn refuse_unknown_figures(
    study: &Study,
    parameters: &[FittedParameter],
    machine: &str,
) -> Result<(), ReproduceError> {
    for parameter in parameters {
        if let Some(figure) = study.unknown_figures(&parameter.fitted_to).next() {
            return Err(ReproduceError::NoFigure {
                parameter: parameter.path.clone(),
                machine: machine.to_owned(),
                figure: figure.clone(),
            });
        }
    }
    Ok(())
}

/// What agreement with a passage proves, and why. What a parameter of the machine was fitted to is fitted, whatever the study says.
fn grade(study: &Study, passage: &Passage, parameters: &[FittedParameter]) -> (FigureGrade, String) {
    let stated = (passage.grade, passage.reason.clone());
    if passage.grade == FigureGrade::Fitted {
        return stated;
    }
    let id = FigureId { study: study.name.clone(), figure: passage.id.clone() };
    let fitted = parameters.iter().find(|parameter| parameter.fitted_to.figures.contains(&id));
    fitted.map_or(stated, |parameter| {
        (FigureGrade::Fitted, format!("`{}` of the machine file was fitted to it", parameter.path))
    })
}

/// The data that a claim is compared with.
struct Bench<'a> {
    study: &'a Study,
    results: &'a [Vec<ExperimentResult>],
    machines: &'a [&'a Hardware],
    passage: &'a Passage,
    /// Factor by which intervals are widened.
    widen: f64,
}

impl Bench<'_> {
    fn row(&self, claim: &Claim, grade: FigureGrade) -> Result<Row, ReproduceError> {
        let (finding, holding) = self.finding(&claim.assertion, grade)?;
        let verdict = match (grade, holding) {
            (FigureGrade::Fitted, _) => Verdict::Fitted,
            (_, Holding::Holds) => Verdict::Ok,
            (_, Holding::Open) => Verdict::CannotTell,
            (_, Holding::Fails) => Verdict::Off,
        };
        let runs = claim.assertion.runs().into_iter().map(|run| self.study.typed(run));
        Ok(Row { what: claim.what.clone(), runs: runs.collect(), finding, verdict, over_seeds: None })
    }

    fn finding(
        &self,
        assertion: &Assertion,
        grade: FigureGrade,
    ) -> Result<(Finding, Holding), ReproduceError> {
        Ok(match assertion {
            Assertion::Value { place, published, tolerance } => {
                Self::number(self.look_up(place)?, *published, *tolerance, grade)
            }
            Assertion::Ratio { of, to, published, tolerance } => {
                let share = self.look_up(of)?.share_of(&self.look_up(to)?);
                Self::number(share, *published, *tolerance, grade)
            }
            Assertion::Peak { of, variant, published, tolerance } => {
                let peak = self.peak(of, self.machines[*variant])?;
                let peak = Simulated::exact(Amount::GigabytesPerSecond(peak));
                Self::number(peak, *published, *tolerance, grade)
            }
            Assertion::Order { ascending } => {
                let ranks: Vec<Vec<Simulated>> =
                    ascending.iter().map(|rank| self.look_up_all(rank)).collect::<Result<_, _>>()?;
                let holding = Holding::all(ranks.windows(2).flat_map(|pair| {
                    pair[0].iter().flat_map(|low| pair[1].iter().map(|high| high.less(low).is_positive()))
                }));
                let named = ascending.iter().zip(&ranks).map(|(places, models)| standings(places, models));
                (Finding::Order { ranks: named.collect() }, holding)
            }
            Assertion::Equal { places, tolerance } => {
                let models = self.look_up_all(places)?;
                let pairs = models.iter().enumerate().flat_map(|(rank, one)| {
                    models[..rank].iter().map(|other| one.is_like(other, *tolerance))
                });
                let holding = Holding::all(pairs);
                let standings = standings(places, &models);
                let spread = spread(&standings, *tolerance);
                (Finding::Equal { standings, spread, tolerance: *tolerance }, holding)
            }
            Assertion::Shrinking { gaps } => {
                let gaps: Vec<(Gap, Holding)> =
                    gaps.iter().map(|gap| self.gap(gap)).collect::<Result<_, _>>()?;
                let holding = Holding::all(gaps.iter().map(|(_, holding)| *holding));
                (Finding::Shrinking { gaps: gaps.into_iter().map(|(gap, _)| gap).collect() }, holding)
            }
        })
    }

    fn number(
        model: Simulated,
        published: Amount,
        tolerance: Option<Difference>,
        grade: FigureGrade,
    ) -> (Finding, Holding) {
        let tolerance = tolerance.filter(|_| grade != FigureGrade::Fitted);
        let error = model.value.above(published, tolerance);
        let holding = tolerance.map_or(Holding::Holds, |tolerance| model.is_near(published, tolerance));
        let (model, interval) = (model.value, model.interval());
        (Finding::Value { published, model, interval, error, tolerance }, holding)
    }

    fn peak(&self, of: &Peak, machine: &Hardware) -> Result<GigabytesPerSecond, ReproduceError> {
        let (peak, part) = match of {
            Peak::Link { name, directions } => {
                let link = machine.links.iter().find(|link| link.name == *name);
                (
                    link.map(|link| {
                        (0..*directions).map(|direction| link.capacity_of(direction as usize)).sum()
                    }),
                    format!("link {name}"),
                )
            }
            Peak::Memory(node) => (machine.memory_peak(*node), format!("the memory of node {node}")),
        };
        peak.ok_or_else(|| ReproduceError::NoPart {
            passage: self.passage.label.clone(),
            part,
            machine: machine.machine.name.clone(),
        })
    }

    fn look_up_all(&self, places: &[Place]) -> Result<Vec<Simulated>, ReproduceError> {
        places.iter().map(|place| self.look_up(place)).collect()
    }

    /// `runs` are the same two places in one run after the other.
    fn gap(&self, runs: &[[Place; 2]]) -> Result<(Gap, Holding), ReproduceError> {
        let mut gaps = Vec::new();
        for [above, below] in runs {
            gaps.push(self.look_up(above)?.less(&self.look_up(below)?));
        }
        let shrinks = gaps.windows(2).map(|pair| pair[0].less(&pair[1]).is_positive());
        let holding = Holding::all(shrinks);
        let [above, below] = runs.first().map_or([""; 2], |[above, below]| [&above.name, &below.name]);
        let gap = Gap {
            above: above.to_owned(),
            below: below.to_owned(),
            model: gaps.iter().map(|gap| gap.value).collect(),
            intervals: gaps.iter().filter_map(Simulated::interval).collect(),
        };
        Ok((gap, holding))
    }

    /// The mean over all results of the place's run.
    fn look_up(&self, place: &Place) -> Result<Simulated, ReproduceError> {
        let machine = &self.machines[self.study.runs[place.run].variant].machine;
        let values = self.results[place.run].iter().map(|result| place.look_up(result, machine));
        let values = values.collect::<Result<Vec<_>, _>>().map_err(|error| ReproduceError::NoPlace {
            passage: self.passage.label.clone(),
            place: place.name.clone(),
            command: self.study.typed(place.run),
            error: Box::new(error),
        })?;
        let mean = Simulated::mean(&values).unwrap_or_else(|| Simulated::exact(Amount::Count(f64::NAN)));
        Ok(mean.widened(self.widen))
    }
}

fn standings(places: &[Place], models: &[Simulated]) -> Vec<Standing> {
    let named = places.iter().zip(models);
    named
        .map(|(place, model)| Standing {
            place: place.name.clone(),
            model: model.value,
            interval: model.interval(),
        })
        .collect()
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
