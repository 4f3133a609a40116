//! Scopes: values of a machine that are judged together.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_result::{Axis, Coordinate, Coordinates, ExperimentName, Measure};

/// Values of one experiment and measure that are judged together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Scope {
    /// The experiment.
    pub experiment: ExperimentName,
    /// The measure.
    pub measure: Measure,
    /// Selection of the experiment's values.
    pub of: ScopeOf,
}

/// Selection of an experiment's values.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScopeOf {
    /// Nodes with their own memory.
    Own,
    /// Nodes with the memory of other nodes.
    Far,
    /// All other values: of no node, or of several nodes.
    Whole,
    /// Memory of this node, accessed by any node.
    Target(u64),
    /// This node, accessing any memory.
    Initiator(u64),
    /// Two nodes that access each other's memory.
    Pair(u64, u64),
    /// A single value.
    Cell(Coordinates),
}

/// Between CPUs there are as many values as pairs of them: they are judged together only.
const OF_CPUS: [Axis; 3] = [Axis::Cpu, Axis::From, Axis::To];

/// Scopes that a sentence names.
const NAMED: usize = 6;

impl Scope {
    /// Scopes that a value belongs to: first the family in the partition of the experiment's values, then narrower ones, last the value itself.
    pub(super) fn all_of(experiment: &ExperimentName, measure: Measure, at: &Coordinates) -> Vec<Self> {
        let [initiator, target] = [Axis::Initiator, Axis::Target].map(|axis| at.number(axis));
        let word = |place: &str| at.get(Axis::Target) == Some(&Coordinate::Word(place.to_owned()));
        let family = match (initiator, target) {
            (Some(from), Some(to)) if from == to => ScopeOf::Own,
            (Some(_), Some(_)) => ScopeOf::Far,
            _ if word("local") => ScopeOf::Own,
            _ if word("remote") => ScopeOf::Far,
            _ => ScopeOf::Whole,
        };
        let narrower = target.map(ScopeOf::Target).into_iter().chain(initiator.map(ScopeOf::Initiator));
        let pair = initiator.zip(target).filter(|(from, to)| from != to);
        let pair = pair.map(|(from, to)| ScopeOf::Pair(from.min(to), from.max(to)));
        let is_of_cpus = OF_CPUS.iter().any(|axis| at.get(*axis).is_some());
        let cell = (!is_of_cpus).then(|| ScopeOf::Cell(at.clone()));
        let scope = |of| Self { experiment: experiment.clone(), measure, of };
        std::iter::once(family).chain(narrower).chain(pair).chain(cell).map(scope).collect()
    }

    /// Whether it is one of the families that all values of an experiment are divided in.
    pub fn is_family(&self) -> bool {
        matches!(self.of, ScopeOf::Own | ScopeOf::Far | ScopeOf::Whole)
    }

    /// The family that its values belong to.
    pub(super) fn family(&self) -> Self {
        let of = match &self.of {
            ScopeOf::Cell(at) => {
                let all = Self::all_of(&self.experiment, self.measure, at);
                all.into_iter().next().map_or(ScopeOf::Whole, |family| family.of)
            }
            ScopeOf::Target(_) | ScopeOf::Initiator(_) | ScopeOf::Pair(..) => ScopeOf::Far,
            family => family.clone(),
        };
        Self { of, ..self.clone() }
    }

    /// Whether it is a single value.
    pub fn is_cell(&self) -> bool {
        matches!(self.of, ScopeOf::Cell(_))
    }
}

/// `bandwidth of own memory (bandwidth-matrix)`.
impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { experiment, measure, of } = self;
        let measure = measure.words();
        match of {
            ScopeOf::Own => write!(f, "{measure} of local memory")?,
            ScopeOf::Far => write!(f, "{measure} of remote memory")?,
            ScopeOf::Whole => write!(f, "{measure}")?,
            ScopeOf::Target(node) => write!(f, "{measure} of node {node}'s memory")?,
            ScopeOf::Initiator(node) => write!(f, "{measure} for node {node}'s CPUs")?,
            ScopeOf::Pair(one, other) => write!(f, "{measure} between nodes {one} and {other}")?,
            ScopeOf::Cell(at) => match (at.number(Axis::Initiator), at.number(Axis::Target), at.0.len()) {
                (Some(from), Some(to), 2) if from == to => {
                    write!(f, "{measure} of node {from}'s local memory")?;
                }
                (Some(from), Some(to), 2) => write!(f, "{measure} from node {from} to node {to}'s memory")?,
                _ => write!(f, "{measure} at {at}")?,
            },
        }
        write!(f, " ({experiment})")
    }
}

/// The first of these, and how many more there are.
pub(super) fn listed(scopes: &[Scope]) -> String {
    let named: Vec<String> = scopes.iter().take(NAMED).map(ToString::to_string).collect();
    let more = match scopes.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    format!("{}{more}", named.join(", "))
}
