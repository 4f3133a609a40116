//! Numbers of a result that a sweep tells: chosen by their coordinates.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_machine::{Machine, NodeId, PackageId, PuId};
use zerohop_result::{Axis, Cell, Coordinate, Coordinates, ExperimentResult, Measure, Over};

use super::SweepRun;

/// Axes along which a part of what was measured stands by itself. Such a cell is told only where its axis is named.
const PARTS: [Axis; 7] =
    [Axis::Thread, Axis::Link, Axis::Channel, Axis::Home, Axis::Direction, Axis::Stage, Axis::Statistic];

/// Which cells of a run become a number, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Selection {
    /// Rank of the run.
    pub run: usize,
    /// What it is called; made of its coordinates, where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What is measured.
    pub measure: Measure,
    /// Coordinates that the cells have.
    pub at: Coordinates,
    /// How far the memory is from who asks; any distance, where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<Pairs>,
    /// What is made of several cells.
    #[serde(default)]
    pub over: Over,
}

/// How far memory is from who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pairs {
    /// The same node.
    Local,
    /// Another node of the same package.
    SamePackage,
    /// Another package.
    Remote,
}

/// Why words select no number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseSelectionError {
    /// It begins with no run.
    #[error("it begins with `{word}`, which is none of the experiments that are run: {}", runs.join(", "))]
    NoRun {
        /// What it begins with.
        word: String,
        /// The runs there are.
        runs: Vec<String>,
    },
    /// No measure follows.
    #[error("it names no measure (expected one of {})", Measure::ALL.map(Measure::name).join(", "))]
    NoMeasure,
    /// A word that means nothing here.
    #[error(
        "`{word}` means nothing here (expected AXIS=PLACE, local, same-package, remote, median, lowest, highest or sum)"
    )]
    Unknown {
        /// Which.
        word: String,
    },
    /// No cell has such an axis.
    #[error("there is no axis `{axis}` (there are {})", Axis::ALL.map(Axis::name).join(", "))]
    NoAxis {
        /// Which.
        axis: String,
    },
}

/// A number that a result tells.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Told {
    pub(super) what: String,
    pub(super) measure: Measure,
    pub(super) value: f64,
    pub(super) warnings: Vec<String>,
}

impl Pairs {
    /// Its name in files and column heads.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::SamePackage => "same_package",
            Self::Remote => "remote",
        }
    }

    /// How far the memory of a cell is from who asks, where the cell tells both.
    pub(super) fn of(cell: &Cell, machine: &Machine) -> Option<Self> {
        let target = match cell.at.get(Axis::Target)? {
            Coordinate::Word(word) => return (word == "local").then_some(Self::Local),
            Coordinate::Number(node) => node_id(*node)?,
        };
        let initiator = match (cell.at.number(Axis::Initiator), cell.at.number(Axis::Cpu)) {
            (Some(node), _) => node_id(node)?,
            (None, Some(cpu)) => machine.pu(PuId(u32::try_from(cpu).ok()?))?.node,
            (None, None) => return None,
        };
        if initiator == target {
            return Some(Self::Local);
        }
        let packages = |node: NodeId| -> Vec<PackageId> {
            machine.pus.iter().filter(|pu| pu.node == node).map(|pu| pu.package).collect()
        };
        let (near, far) = (packages(initiator), packages(target));
        // A node without CPUs may be in any package; where there is one, it is in that.
        let alone = machine.packages.len() <= 1;
        let shared = alone || far.iter().any(|package| near.contains(package));
        Some(if shared { Self::SamePackage } else { Self::Remote })
    }
}

fn node_id(number: u64) -> Option<NodeId> {
    u32::try_from(number).ok().map(NodeId)
}

impl Selection {
    /// Reads words such as `stream bandwidth kernel=triad initiator=all`, or `far: bandwidth-matrix bandwidth remote
    /// lowest`: a name if wanted, a run, a measure, then coordinates, a distance, and what is made of several numbers.
    ///
    /// # Errors
    /// When a word means nothing.
    pub fn parse(words: &[String], runs: &[SweepRun]) -> Result<Self, ParseSelectionError> {
        let mut words = words.iter().map(String::as_str).peekable();
        let name = words.next_if(|word| word.len() > 1 && word.ends_with(':'));
        let name = name.map(|name| name.trim_end_matches(':').to_owned());
        let word = words.next().unwrap_or_default();
        let run = runs.iter().position(|run| run.name == word);
        let run = run.ok_or_else(|| ParseSelectionError::NoRun {
            word: word.to_owned(),
            runs: runs.iter().map(|run| run.name.clone()).collect(),
        })?;
        let measure = words.next().and_then(measure).ok_or(ParseSelectionError::NoMeasure)?;
        let mut selection =
            Self { run, name, measure, at: Coordinates::new(), pairs: None, over: Over::default() };
        for word in words {
            match word {
                "local" => selection.pairs = Some(Pairs::Local),
                "same-package" | "same_package" => selection.pairs = Some(Pairs::SamePackage),
                "remote" => selection.pairs = Some(Pairs::Remote),
                "median" => selection.over = Over::Median,
                "lowest" => selection.over = Over::Lowest,
                "highest" => selection.over = Over::Highest,
                "sum" => selection.over = Over::Sum,
                _ => {
                    let (axis, place) = word
                        .split_once('=')
                        .ok_or_else(|| ParseSelectionError::Unknown { word: word.to_owned() })?;
                    let axis = Axis::ALL
                        .into_iter()
                        .find(|known| known.name() == axis)
                        .ok_or_else(|| ParseSelectionError::NoAxis { axis: axis.to_owned() })?;
                    let place =
                        place.parse::<u64>().map_or_else(|_| Coordinate::from(place), Coordinate::from);
                    selection.at = selection.at.with(axis, place);
                }
            }
        }
        Ok(selection)
    }

    /// The number that a result has for it on that machine, if it has one.
    pub(super) fn number(&self, result: &ExperimentResult, machine: &Machine) -> Option<Told> {
        let cells: Vec<&Cell> = result
            .cells
            .iter()
            .filter(|cell| cell.measure == self.measure)
            .filter(|cell| self.at.0.iter().all(|(axis, place)| cell.at.get(*axis) == Some(place)))
            .filter(|cell| is_whole(cell, &self.at))
            .filter(|cell| self.pairs.is_none_or(|pairs| Pairs::of(cell, machine) == Some(pairs)))
            .collect();
        Told::of(self.what(), &cells, self.over)
    }

    /// What tells it from others of its run and measure.
    pub fn what(&self) -> String {
        if let Some(name) = &self.name {
            return name.clone();
        }
        let places = self.at.0.values().map(ToString::to_string);
        let pairs = self.pairs.map(|pairs| pairs.name().to_owned());
        let over = (self.over != Over::Median).then(|| self.over.name().to_owned());
        places.chain(pairs).chain(over).collect::<Vec<_>>().join(".")
    }
}

/// Whether a cell is of all that was measured at its place, or of a part that is asked for.
pub(super) fn is_whole(cell: &Cell, named: &Coordinates) -> bool {
    PARTS.iter().all(|axis| cell.at.get(*axis).is_none() || named.get(*axis).is_some())
}

impl Told {
    /// A number made of these cells, if there are any; they are of one measure.
    pub(super) fn of(what: String, cells: &[&Cell], over: Over) -> Option<Self> {
        let measure = cells.first()?.measure;
        let value = over.of(cells.iter().map(|cell| cell.estimate.median).collect())?;
        let warnings = cells.iter().flat_map(|cell| &cell.warnings).map(ToString::to_string);
        Some(Self { what, measure, value, warnings: warnings.collect() })
    }
}

/// A measure by its name in files, or without the unit in it: `bandwidth_gbps`, `bandwidth`.
fn measure(word: &str) -> Option<Measure> {
    let word = word.replace('-', "_");
    Measure::ALL
        .into_iter()
        .find(|measure| measure.name() == word || measure.words().replace(' ', "_") == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs() -> Vec<SweepRun> {
        ["stream", "bandwidth-matrix"]
            .map(|name| SweepRun { name: name.to_owned(), command: name.to_owned() })
            .to_vec()
    }

    fn parse(text: &str) -> Result<Selection, ParseSelectionError> {
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        Selection::parse(&words, &runs())
    }

    #[test]
    fn words_say_where_a_number_stands() {
        let triad = parse("stream bandwidth kernel=triad initiator=all").unwrap();
        assert_eq!((triad.run, triad.measure, triad.what()), (0, Measure::Bandwidth, "all.triad".to_owned()));
        assert_eq!(triad.at, Coordinates::new().with(Axis::Initiator, "all").with(Axis::Kernel, "triad"));
        let far = parse("far: bandwidth-matrix bandwidth_gbps remote lowest target=1").unwrap();
        assert_eq!((far.run, far.pairs, far.over), (1, Some(Pairs::Remote), Over::Lowest));
        assert_eq!((far.what(), far.at.number(Axis::Target)), ("far".to_owned(), Some(1)));
        assert_eq!(parse("stream bus-traffic sum").unwrap().what(), "sum");
    }

    #[test]
    fn words_that_mean_nothing_are_told() {
        for (text, message) in [
            ("", "none of the experiments"),
            ("ramp bandwidth", "`ramp`, which is none"),
            ("stream speed", "names no measure"),
            ("stream", "names no measure"),
            ("stream bandwidth fastest", "`fastest` means nothing"),
            ("stream bandwidth core=1", "no axis `core`"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(message), "{text}: {error}");
        }
    }

    #[test]
    fn several_numbers_become_one() {
        let numbers = || vec![3.0, 1.0, 2.0, 10.0];
        let all = [Over::Median, Over::Lowest, Over::Highest, Over::Sum].map(|over| over.of(numbers()));
        assert_eq!(all, [2.5, 1.0, 10.0, 16.0].map(Some));
        assert_eq!(Over::Sum.of(Vec::new()), None);
    }
}
