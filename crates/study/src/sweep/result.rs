//! The result of a sweep: columns, and one row per point.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_result::{Completion, Measure};

use super::joined;
use super::pareto::{Merit, Standing, Wish, standing};
use super::question::{Number, Outcome, Sweep};
use super::run::SweepRun;
use super::selection::Selection;

/// Version of the format of [`SweepResult`]. Raised when a reader of the old format would misread it.
pub const SWEEP_VERSION: u32 = 1;

/// All inputs that determine the result of a sweep, except for the text of the machine file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    /// Program and version that computes the sweep (`zerohop 0.1.0`).
    pub produced_by: String,
    /// The sweep.
    pub sweep: Sweep,
    /// The solver of the model (`event`).
    pub solver: String,
    /// The random seed.
    pub seed: u64,
}

/// A column of values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Column {
    /// Name of the column in rows and files: `stream.triad.bandwidth_gbps`.
    pub name: String,
    /// Name of the run.
    pub run: String,
    /// Selection among the run's values of this measure; empty if there is only one.
    pub what: String,
    /// Measure of the column, with the unit.
    pub measure: Measure,
}

/// The outcome of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PointOutcome {
    /// The point was computed.
    Done,
    /// The machine file refuses this combination of settings.
    Refused,
    /// The point could not be computed.
    Failed,
}

/// A point of the sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SweepRow {
    /// Index among the requested points, from zero.
    pub point: usize,
    /// Settings of the machine at the point, by name.
    pub settings: BTreeMap<String, String>,
    /// Outcome of the point.
    pub outcome: PointOutcome,
    /// Rank of the point: one more than the number of points whose first objective is better by more than both intervals. Points that tie share a
    /// rank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
    /// Reason why the point is highlighted, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merit: Option<Merit>,
    /// Values by column name, each in the unit of its measure. Missing values are absent.
    pub values: BTreeMap<String, f64>,
    /// Lower and upper ends of the values' intervals, by column name; absent for exact values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub intervals: BTreeMap<String, [f64; 2]>,
    /// Reason for a refusal or failure, or warnings about the values, up to a limit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Number of further warnings.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub further_notes: usize,
}

/// The result of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SweepResult {
    /// [`SWEEP_VERSION`] of the program that wrote the file.
    pub schema_version: u32,
    /// Inputs of the sweep.
    pub question: Question,
    /// Whether every point is present.
    pub completion: Completion,
    /// The columns, in the order of the runs.
    pub columns: Vec<Column>,
    /// Names of the columns that rank points: the first one determines the best points, both determine the Pareto front.
    pub objectives: Vec<String>,
    /// The best points, then the rest of the Pareto front, then all others in the order requested.
    pub rows: Vec<SweepRow>,
}

/// Takes a reference, because serde calls it with one.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl SweepRow {
    /// Notes as one text, with the number of omitted ones.
    pub fn notes_in_words(&self) -> String {
        joined(&self.notes, self.further_notes)
    }
}

impl PointOutcome {
    /// Name of the outcome in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }
}

impl Question {
    /// Differences from another question, in words; `None` if they are the same.
    pub fn difference(&self, other: &Self) -> Option<&'static str> {
        let parts = [
            (self.produced_by == other.produced_by, "the version of zerohop"),
            (self.sweep.machine == other.sweep.machine, "the machine"),
            (self.sweep.points == other.sweep.points, "the settings"),
            (self.sweep.runs == other.sweep.runs, "the experiments"),
            (self.sweep.measures == other.sweep.measures, "the measures"),
            (self.sweep.faults == other.sweep.faults, "the faults"),
            (self.solver == other.solver, "the solver"),
            (self.seed == other.seed, "the seed"),
        ];
        parts.into_iter().find_map(|(same, what)| (!same).then_some(what))
    }
}

impl SweepResult {
    /// A result with the outcomes of points so far, by their rank.
    pub fn new(question: Question, outcomes: &BTreeMap<usize, Outcome>) -> Self {
        let sweep = &question.sweep;
        let whole = outcomes.len() == sweep.points.count();
        let columns = columns(sweep, outcomes.values());
        let mut rows: Vec<SweepRow> =
            outcomes.iter().map(|(&point, outcome)| row(sweep, point, outcome)).collect();
        let objectives = objectives(sweep, &columns, &rows);
        let objective = |row: &SweepRow, which: usize| {
            let column: &Column = objectives.get(which)?;
            let value = *row.values.get(&column.name)?;
            let [low, high] = row.intervals.get(&column.name).copied().unwrap_or([value; 2]);
            Some(Wish { low, high, larger_is_better: column.measure.larger_is_better() })
        };
        let candidates: Vec<_> = rows
            .iter()
            .enumerate()
            .filter_map(|(rank, row)| Some((rank, objective(row, 0)?, objective(row, 1))))
            .collect();
        let mut order = vec![usize::MAX; rows.len()];
        let Standing { merits, ranks } = standing(&candidates);
        for (place, (row, merit)) in merits.into_iter().enumerate() {
            rows[row].merit = Some(merit);
            order[row] = place;
        }
        for (row, rank) in ranks {
            rows[row].rank = Some(rank);
        }
        // Rows keep the order of points, except those that stand out.
        let mut ranks: Vec<usize> = (0..rows.len()).collect();
        ranks.sort_by_key(|&rank| order[rank]);
        let rows = ranks.into_iter().map(|rank| rows[rank].clone()).collect();
        Self {
            schema_version: SWEEP_VERSION,
            completion: if whole { Completion::Complete } else { Completion::Interrupted },
            objectives: objectives.iter().map(|column| column.name.clone()).collect(),
            columns,
            rows,
            question,
        }
    }

    /// Whether any value of that column has an interval.
    pub fn has_intervals(&self, column: &str) -> bool {
        self.rows.iter().any(|row| row.intervals.contains_key(column))
    }

    /// Whether points were compared, and all differences are within their intervals.
    pub fn all_tie(&self) -> bool {
        let compared = self.rows.iter().filter(|row| row.rank.is_some()).count();
        compared > 1 && self.rows.iter().all(|row| row.merit.is_none())
    }

    /// The number of points with this outcome.
    pub fn count(&self, outcome: PointOutcome) -> usize {
        self.rows.iter().filter(|row| row.outcome == outcome).count()
    }

    /// Requested columns without a value in any row, although points were computed; or runs without a selected value.
    pub fn missing(&self) -> Vec<String> {
        if self.count(PointOutcome::Done) == 0 {
            return Vec::new();
        }
        let sweep = &self.question.sweep;
        if sweep.measures.is_empty() {
            let runs = sweep.runs.iter().map(|run| run.name.clone());
            return runs.filter(|run| self.columns.iter().all(|column| column.run != *run)).collect();
        }
        let there = |name: &str| self.columns.iter().any(|column| column.name == name);
        let names = sweep.measures.iter().map(|selection| {
            column_name(&sweep.runs[selection.run].name, &selection.what(), selection.query.measure)
        });
        names.filter(|name| !there(name)).collect()
    }
}

fn column_name(run: &str, what: &str, measure: Measure) -> String {
    let parts = [run, what, measure.name()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".")
}

fn column(sweep: &Sweep, number: &Number) -> Column {
    let run = sweep.runs[number.run].name.clone();
    Column {
        name: column_name(&run, &number.what, number.measure),
        run,
        what: number.what.clone(),
        measure: number.measure,
    }
}

/// Every column that any point has, run by run, in order of first appearance.
fn columns<'a>(sweep: &Sweep, outcomes: impl Iterator<Item = &'a Outcome>) -> Vec<Column> {
    let mut found: Vec<(usize, &str, Measure)> = Vec::new();
    let mut columns: Vec<(usize, Column)> = Vec::new();
    for outcome in outcomes {
        let Outcome::Done { numbers, .. } = outcome else { continue };
        for number in numbers {
            let key = (number.run, number.what.as_str(), number.measure);
            if !found.contains(&key) {
                found.push(key);
                columns.push((number.run, column(sweep, number)));
            }
        }
    }
    columns.sort_by_key(|(run, _)| *run);
    columns.into_iter().map(|(_, column)| column).collect()
}

/// Up to two columns by which points are ranked: a bandwidth and a latency if there are both, else one of each of the
/// first two runs, else two of the only run. Among several, it is the first if the user requested them; otherwise the one
/// in which points differ most, because a value that never changes carries no information.
fn objectives<'a>(sweep: &Sweep, columns: &'a [Column], rows: &[SweepRow]) -> Vec<&'a Column> {
    let mut ranked: Vec<&Column> = columns.iter().collect();
    if sweep.measures.is_empty() {
        ranked.sort_by(|one, other| spread(other, rows).total_cmp(&spread(one, rows)));
    } else {
        let rank = |column: &&Column| {
            let asked = |selection: &Selection| {
                column_name(&sweep.runs[selection.run].name, &selection.what(), selection.query.measure)
                    == column.name
            };
            sweep.measures.iter().position(asked)
        };
        ranked.sort_by_key(rank);
    }
    let first = |measure| ranked.iter().copied().find(|column| column.measure == measure);
    if let (Some(bandwidth), Some(latency)) = (first(Measure::Bandwidth), first(Measure::Latency)) {
        return vec![bandwidth, latency];
    }
    let of_run = |run: &SweepRun| ranked.iter().copied().find(|column| column.run == run.name);
    let mut runs: Vec<&Column> = sweep.runs.iter().filter_map(of_run).take(2).collect();
    if runs.len() < 2 {
        runs = ranked.into_iter().take(2).collect();
    }
    runs
}

/// The spread of a column's values, relative to the highest; `None` if a computed point has no value.
fn spread(column: &Column, rows: &[SweepRow]) -> f64 {
    let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
    for row in rows.iter().filter(|row| row.outcome == PointOutcome::Done) {
        let Some(value) = row.values.get(&column.name) else { return 0.0 };
        lowest = lowest.min(*value);
        highest = highest.max(*value);
    }
    if highest > 0.0 { (highest - lowest) / highest } else { 0.0 }
}

fn row(sweep: &Sweep, point: usize, outcome: &Outcome) -> SweepRow {
    let settings = sweep.points.settings(point);
    let settings = settings.iter().map(|setting| (setting.name.clone(), setting.value.clone())).collect();
    let mut intervals = BTreeMap::new();
    let mut further_notes = 0;
    let (kind, values, notes) = match outcome {
        Outcome::Done { numbers, warnings, further } => {
            further_notes = *further;
            let wide = numbers.iter().filter(|number| number.low < number.high);
            intervals = wide.map(|number| (column(sweep, number).name, [number.low, number.high])).collect();
            let values = numbers.iter().map(|number| (column(sweep, number).name, number.value));
            (PointOutcome::Done, values.collect(), warnings.clone())
        }
        Outcome::Refused { reason } => (PointOutcome::Refused, BTreeMap::new(), vec![reason.clone()]),
        Outcome::Failed { reason, bug: _ } => (PointOutcome::Failed, BTreeMap::new(), vec![reason.clone()]),
    };
    SweepRow {
        point,
        settings,
        outcome: kind,
        rank: None,
        merit: None,
        values,
        intervals,
        notes,
        further_notes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::{Points, SweepRun};

    fn question(runs: &[&str]) -> Question {
        let run = |name: &&str| SweepRun { name: (*name).to_owned(), command: (*name).to_owned() };
        let sweep = Sweep {
            machine: "m".to_owned(),
            points: Points::grid(vec!["a=1,2,3,4".parse().unwrap()]).unwrap(),
            runs: runs.iter().map(run).collect(),
            measures: Vec::new(),
            faults: Vec::new(),
        };
        Question { produced_by: "zerohop 0".to_owned(), sweep, solver: "flow".to_owned(), seed: 1 }
    }

    fn done(numbers: &[(usize, &str, Measure, f64)]) -> Outcome {
        let number = |&(run, what, measure, value): &(usize, &str, Measure, f64)| Number {
            run,
            what: what.to_owned(),
            measure,
            value,
            low: value,
            high: value,
        };
        Outcome::Done { numbers: numbers.iter().map(number).collect(), warnings: Vec::new(), further: 0 }
    }

    #[test]
    fn columns_stand_run_by_run_and_rows_that_stand_out_on_top() {
        let point = |far: f64, latency: f64| {
            done(&[
                (0, "copy", Measure::Bandwidth, 9.0),
                (0, "far", Measure::Bandwidth, far),
                (1, "", Measure::Latency, latency),
            ])
        };
        let mut third = point(3.0, 80.0);
        if let Outcome::Done { numbers, .. } = &mut third {
            numbers.insert(
                2,
                Number {
                    run: 0,
                    what: "more".to_owned(),
                    measure: Measure::Bandwidth,
                    value: 1.0,
                    low: 1.0,
                    high: 1.0,
                },
            );
        }
        let refused = Outcome::Refused { reason: "no".to_owned() };
        let outcomes = [(0, point(1.0, 90.0)), (1, refused), (2, third), (3, point(4.0, 95.0))].into();
        let result = SweepResult::new(question(&["stream", "latency"]), &outcomes);
        let names: Vec<&str> = result.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "stream.copy.bandwidth_gbps",
                "stream.far.bandwidth_gbps",
                "stream.more.bandwidth_gbps",
                "latency.latency_ns"
            ]
        );
        // Columns that never change, and those that some points lack, do not rank points.
        assert_eq!(result.objectives, ["stream.far.bandwidth_gbps", "latency.latency_ns"]);
        let rows: Vec<_> = result.rows.iter().map(|row| (row.point, row.merit)).collect();
        assert_eq!(rows, [(3, Some(Merit::Best)), (2, Some(Merit::Pareto)), (0, None), (1, None)]);
        assert_eq!((result.completion, result.missing()), (Completion::Complete, Vec::new()));
    }

    #[test]
    fn a_sweep_that_is_not_done_and_a_run_without_numbers_are_told() {
        let outcomes = [(0, done(&[(0, "copy", Measure::Bandwidth, 9.0)]))].into();
        let result = SweepResult::new(question(&["stream", "hops"]), &outcomes);
        assert_eq!(result.completion, Completion::Interrupted);
        assert_eq!(result.missing(), ["hops"]);
        assert_eq!(result.objectives, ["stream.copy.bandwidth_gbps"]);
    }

    /// 10 ns was ranked above 10.01 ns although nothing differed beyond its interval, and one of two identical rows was best.
    #[test]
    fn rows_that_tie_share_a_rank_and_keep_their_intervals() {
        let point = |latency: f64, half: f64| {
            let mut point = done(&[(0, "", Measure::Latency, latency)]);
            if let Outcome::Done { numbers, .. } = &mut point {
                (numbers[0].low, numbers[0].high) = (latency - half, latency + half);
            }
            point
        };
        let outcomes = [(0, point(10.01, 0.02)), (1, point(12.0, 0.0)), (2, point(10.0, 0.02))].into();
        let result = SweepResult::new(question(&["latency"]), &outcomes);
        let rows: Vec<_> = result.rows.iter().map(|row| (row.point, row.rank, row.merit)).collect();
        let best = Some(Merit::Best);
        assert_eq!(rows, [(0, Some(1), best), (2, Some(1), best), (1, Some(3), None)]);
        assert_eq!(result.rows[0].intervals["latency.latency_ns"], [10.01 - 0.02, 10.01 + 0.02]);
        assert!(result.rows[2].intervals.is_empty() && !result.all_tie());
        let twins = [(0, point(10.0, 0.0)), (1, point(10.0, 0.0))].into();
        let result = SweepResult::new(question(&["latency"]), &twins);
        assert!(result.rows.iter().all(|row| row.merit.is_none() && row.rank == Some(1)) && result.all_tie());
    }

    #[test]
    fn another_question_differs_in_something() {
        let one = question(&["stream"]);
        assert_eq!(one.difference(&question(&["stream"])), None);
        assert_eq!(one.difference(&question(&["hops"])), Some("the experiments"));
        assert_eq!(one.difference(&Question { seed: 2, ..one.clone() }), Some("the seed"));
    }
}
