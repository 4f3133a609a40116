//! Basis for computing placements of a program: a model of a machine, or measurements.

use std::path::PathBuf;
use std::sync::Arc;

use zerohop_advise::placement::{
    AdviceError, Evaluator, EventEvaluator, FlowEvaluator, Program, Source, SurveyEvaluator,
};
use zerohop_experiment::catalogue;
use zerohop_machine_file::{Hardware, Symmetry, symmetries};
use zerohop_result::ResultFile;
use zerohop_workload::{Origin, SolverName, StopFlag};

use crate::files::Files;
use crate::hint::Hinted;
use crate::input::{ForeignError, read_one};

/// Basis for computing placements.
pub struct Basis {
    /// Origin of the basis.
    pub source: Source,
    pub search: Box<dyn Evaluator>,
    /// Evaluator for the important placements.
    pub exact: Option<Box<dyn Evaluator>>,
    /// Ways in which the machine is the same.
    pub symmetries: Vec<Symmetry>,
    /// The measurements, if placements are computed on them: all results as one.
    pub measured: Option<ResultFile>,
}

/// Model for computing placements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelBasis {
    pub seed: u64,
    /// Whether mean-value analysis is also exact enough for the important placements.
    pub quick: bool,
    /// Whether there are many that matter, as a ceiling has with its ramps.
    pub many: bool,
}

impl Basis {
    /// A model of that machine.
    pub fn of_model(hardware: &Arc<Hardware>, how: ModelBasis, stop: &StopFlag) -> Self {
        let ModelBasis { seed, quick, many } = how;
        let event = EventEvaluator::new(Arc::clone(hardware), seed, stop.clone());
        let event = if many { event.for_many() } else { event };
        let exact = (!quick).then(|| Box::new(event) as Box<dyn Evaluator>);
        let solver = if quick { SolverName::Auto } else { SolverName::Event };
        Self {
            source: Source { origin: Origin::model(&hardware.machine, solver, Some(seed)), result: None },
            search: Box::new(FlowEvaluator::new(Arc::clone(hardware), seed, stop.clone())),
            exact,
            symmetries: symmetries(hardware),
            measured: None,
        }
    }

    /// Basis from measurements of a machine, in one or more results: a survey, and values that it lacks.
    ///
    /// # Errors
    /// If one cannot be read, they are from different machines, or they lack values that the program needs.
    pub fn of_results(paths: &[PathBuf], program: &Program, files: &dyn Files) -> Result<Self, BasisError> {
        let mut results: Vec<ResultFile> =
            paths.iter().map(|path| read_one(path, files)).collect::<Result<_, _>>()?;
        let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        let Some(first) = results.first() else { return Err(BasisError::Nothing) };
        for (result, name) in results.iter().zip(&names) {
            let (machine, other) = (&result.machine, &first.machine);
            if machine.nodes.len() != other.nodes.len() || machine.pus != other.pus {
                return Err(BasisError::OtherMachine { name: name.clone(), first: names[0].clone() });
            }
        }
        let all: Vec<&ResultFile> = results.iter().collect();
        let ground = SurveyEvaluator::new(&names[0], &all, catalogue(), program)?;
        let source = Source { origin: first.origin.clone(), result: Some(names.join(", ")) };
        let others: Vec<_> = results[1..].iter_mut().flat_map(|one| one.experiments.drain(..)).collect();
        let mut measured = results.swap_remove(0);
        measured.experiments.extend(others);
        Ok(Self {
            source,
            search: Box::new(ground),
            exact: None,
            symmetries: Vec::new(),
            measured: Some(measured),
        })
    }
}

/// Reason why nothing can be computed on results.
#[derive(Debug, thiserror::Error)]
pub enum BasisError {
    #[error("the machine on which the program will run is unknown")]
    Nothing,
    /// One cannot be read.
    #[error(transparent)]
    Result(#[from] ForeignError),
    /// They are of different machines.
    #[error("`{name}` and `{first}` are from different machines")]
    OtherMachine {
        name: String,
        /// The first of them.
        first: String,
    },
    /// The results lack values that the program needs.
    #[error(transparent)]
    Advice(#[from] AdviceError),
}

impl Hinted for BasisError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Nothing => Some(
                "survey it once with `zerohop survey -o DIR` and give DIR, or choose a simulated machine with --on MACHINE"
                    .to_owned(),
            ),
            Self::Result(error) => error.hint(),
            Self::OtherMachine { .. } => {
                Some("give results of one machine: a survey, and results that complete it".to_owned())
            }
            Self::Advice(error) => error.hint(),
        }
    }
}
