//! Headline measures of each experiment: the values that a sweep reports by default.

use zerohop_machine::Machine;
use zerohop_result::{Axis, By, Catalogue, Cell, ExperimentResult, Headline, Measure, Of, Over, Relation};

use super::selection::Reported;

/// If more cases than this belong to no scenario, they are summarized.
const MOST_CASES: usize = 16;

/// The values of a result that are reported for its experiment; none for an unknown one.
pub fn headlines(result: &ExperimentResult, machine: &Machine, experiments: Catalogue) -> Vec<Reported> {
    let headlines = experiments.get(&result.experiment).map_or(&[] as &[Headline], |known| known.headlines);
    headlines.iter().flat_map(|headline| values(headline, result, machine)).collect()
}

fn values(headline: &Headline, result: &ExperimentResult, machine: &Machine) -> Vec<Reported> {
    let Headline { measure, of, by, over } = *headline;
    let whole = || Cells::of(result, measure);
    let cells = match of {
        Of::Everything => whole(),
        Of::Machine => whole().of_machine(),
        Of::Most(axis) => whole().with_most(axis),
        Of::Least(axis) => whole().with_least(axis),
        Of::At(axis, word) => Cells::at(result, measure, axis, word),
    };
    match by {
        By::Name(name) => Reported::of(name.to_owned(), &cells.0, over).into_iter().collect(),
        By::Axis(axis) => cells.by(axis, over),
        By::Distance => cells.by_distance(machine, over),
        By::AxisAndDistance(axis) => cells.grouped(over, |cell| {
            Some(format!("{}.{}", cell.at.get(axis)?, Relation::of(&cell.at, machine)?.name()))
        }),
        By::Scenario => cells.by_scenario(over),
    }
}

/// Cells of one measure.
struct Cells<'a>(Vec<&'a Cell>);

impl<'a> Cells<'a> {
    /// Cells of whole measurements.
    fn of(result: &'a ExperimentResult, measure: Measure) -> Self {
        let cells = result.cells.iter().filter(|cell| cell.measure == measure && cell.at.is_whole());
        Self(cells.collect())
    }

    /// Cells at this place.
    fn at(result: &'a ExperimentResult, measure: Measure, axis: Axis, word: &str) -> Self {
        let cells = result.cells.iter().filter(|cell| cell.measure == measure && cell.at.is(axis, word));
        Self(cells.collect())
    }

    /// The cells of the whole machine: of all nodes, or of the only one.
    fn of_machine(mut self) -> Self {
        let of_all = |cell: &&Cell| cell.at.is(Axis::Initiator, "all");
        if self.0.iter().any(of_all) {
            self.0.retain(of_all);
        }
        self
    }

    /// The highest cells along a numeric axis.
    fn with_most(mut self, axis: Axis) -> Self {
        let most = self.0.iter().filter_map(|cell| cell.at.number(axis)).max();
        self.0.retain(|cell| cell.at.number(axis) == most);
        self
    }

    /// The lowest cells along a numeric axis.
    fn with_least(mut self, axis: Axis) -> Self {
        let least = self.0.iter().filter_map(|cell| cell.at.number(axis)).min();
        self.0.retain(|cell| cell.at.number(axis) == least);
        self
    }

    /// A value for each place along an axis.
    fn by(&self, axis: Axis, over: Over) -> Vec<Reported> {
        self.grouped(over, |cell| cell.at.get(axis).map(ToString::to_string))
    }

    /// A value for each scenario, over its cases; and one for each case outside any scenario, or one for all of these
    /// if they are many.
    fn by_scenario(&self, over: Over) -> Vec<Reported> {
        let in_scenario = |cell: &&Cell| cell.at.get(Axis::Scenario).is_some();
        let (scenarios, cases): (Vec<&Cell>, Vec<&Cell>) = self.0.iter().copied().partition(in_scenario);
        let mut reported = Cells(scenarios).by(Axis::Scenario, over);
        if cases.len() <= MOST_CASES {
            reported.extend(Cells(cases).by(Axis::Case, over));
        } else {
            let over = [Over::Lowest, Over::Median, Over::Highest].into_iter();
            reported.extend(over.filter_map(|over| Reported::of(over.name().to_owned(), &cases, over)));
        }
        reported
    }

    /// A value for each distance of the memory, the nearest first.
    fn by_distance(&self, machine: &Machine, over: Over) -> Vec<Reported> {
        let reported = Relation::ALL.into_iter().filter_map(|relation| {
            let cells: Vec<&Cell> = self
                .0
                .iter()
                .copied()
                .filter(|cell| Relation::of(&cell.at, machine) == Some(relation))
                .collect();
            Reported::of(relation.name().to_owned(), &cells, over)
        });
        reported.collect()
    }

    /// A value for each name given to cells, in the order in which names first appear.
    fn grouped(&self, over: Over, name: impl Fn(&Cell) -> Option<String>) -> Vec<Reported> {
        let mut groups: Vec<(String, Vec<&Cell>)> = Vec::new();
        for cell in &self.0 {
            let Some(name) = name(cell) else { continue };
            match groups.iter_mut().find(|(known, _)| *known == name) {
                Some((_, cells)) => cells.push(cell),
                None => groups.push((name, vec![cell])),
            }
        }
        groups.into_iter().filter_map(|(name, cells)| Reported::of(name, &cells, over)).collect()
    }
}
