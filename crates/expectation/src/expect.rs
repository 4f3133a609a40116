//! Expected value of each cell of a result, from all available knowledge.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use zerohop_machine::Machine;
use zerohop_machine_file::Hardware;
use zerohop_result::{Axis, Cell, Coordinate, Coordinates, ExperimentName, Measure, Origin, ResultFile};
use zerohop_units::counted;

use super::comparable_cells::ComparableCells;
use super::comparable_pairs::ComparablePairs;
use super::curve::Curves;
use super::dimms::from_dimms;
use super::errors_by_kind::ErrorsByKind;
use super::expectations::{
    Basis, EXPECTATIONS_VERSION, Expectation, Expectations, ExpectedCell, Knowledge, Standing, Unexpected,
};
use super::kind::{Kind, is_judged};
use super::known_errors::KnownErrors;
use super::machine_knowledge::{Known, Stated};
use super::model_prediction::{Model, predicted};
use super::reading::{Reading, readings};
use super::reason::reason;
use super::standing::standing;
use super::waterfall::waterfalls;

/// Expected value of each cell of `file`.
///
/// `known` is a model of the machine, or the reason why there is none.
pub fn expect(file: &ResultFile, known: Result<&Known<'_>, &str>, errors: &KnownErrors) -> Expectations {
    // A text of another tool rarely shows the machine.
    let machine = match known {
        Ok(known) if file.machine.pus.is_empty() => &known.hardware.machine,
        _ => &file.machine,
    };
    let title = known.map_or("", |known| known.hardware.title.as_str());
    let errors = &ErrorsByKind::of(errors, title);
    let model = Model::new(known.map_or(&[], |known| known.results));
    let subject = Subject { file, known, model, errors };
    let mut cells = Vec::new();
    let mut without: BTreeMap<(ExperimentName, String), usize> = BTreeMap::new();
    let pairs = ComparablePairs::of(file);
    for experiment in &file.experiments {
        let comparable = ComparableCells::of(experiment, &pairs);
        let measured = (&experiment.experiment, &Curves::new(experiment));
        for cell in experiment.cells.iter().filter(|cell| is_judged(cell)) {
            let Some(kind) = Kind::of(cell, machine) else {
                let reason = "no prediction for this kind of value".to_owned();
                *without.entry((experiment.experiment.clone(), reason)).or_default() += 1;
                continue;
            };
            match subject.expectation(measured, cell, kind, &comparable) {
                Ok(expected) => cells.push(ExpectedCell {
                    experiment: experiment.experiment.clone(),
                    measure: cell.measure,
                    at: cell.at.clone(),
                    kind,
                    value: cell.estimate.median,
                    standing: standing(cell, &expected),
                    expected,
                }),
                Err(reason) => *without.entry((experiment.experiment.clone(), reason)).or_default() += 1,
            }
        }
    }
    let readings = known.map_or_else(|_| Vec::new(), |known| readings(file, known, machine, errors));
    explain(&mut cells, &readings);
    let waterfalls = known.map_or_else(|_| Vec::new(), |known| waterfalls(&cells, known.hardware));
    Expectations {
        schema_version: EXPECTATIONS_VERSION,
        origin: file.origin.clone(),
        machine: file.machine.name.clone(),
        knowledge: subject.knowledge(&cells),
        cells,
        waterfalls,
        readings,
        without: without
            .into_iter()
            .map(|((experiment, reason), cells)| Unexpected { experiment, cells, reason })
            .collect(),
    }
}

/// An experiment of the result: its name, and its curves.
type Measured<'a> = (&'a ExperimentName, &'a Curves<'a>);

/// A result, and what is known about its machine.
struct Subject<'a> {
    file: &'a ResultFile,
    known: Result<&'a Known<'a>, &'a str>,
    model: Model<'a>,
    errors: &'a ErrorsByKind,
}

impl Subject<'_> {
    /// What a cell should be, from the best source that says anything; or why nothing does.
    fn expectation(
        &self,
        measured: Measured<'_>,
        cell: &Cell,
        kind: Kind,
        comparable: &ComparableCells<'_>,
    ) -> Result<Expectation, String> {
        let by_model = match self.known {
            Ok(known) => self.by_model(known, measured, cell, kind),
            Err(reason) => from_dimms(self.file, cell, kind, self.errors).ok_or_else(|| reason.to_owned()),
        };
        by_model.or_else(|reason| comparable.expect(cell).ok_or(reason))
    }

    fn by_model(
        &self,
        known: &Known<'_>,
        measured: Measured<'_>,
        cell: &Cell,
        kind: Kind,
    ) -> Result<Expectation, String> {
        let mut found = predicted(self.file, measured, cell, kind, &self.model)?;
        let (mut low, mut high, validated) = self.errors.interval(kind, found.value);
        let mut stores = String::new();
        if let Some(streamed) = self.with_streaming_stores(measured, cell, kind) {
            let (least, most, _) = self.errors.interval(kind, streamed);
            let far = |value: f64| libm::log(cell.estimate.median / value).abs();
            stores = format!("; stores {:.0}, streaming {streamed:.0} GB/s", found.value);
            (low, high) = (low.min(least), high.max(most));
            if far(streamed) < far(found.value) {
                found.value = streamed;
            }
        }
        let basis = match known.hardware.machine.prediction {
            Some(_) => Basis::Template,
            None => Basis::Machine,
        };
        Ok(Expectation {
            value: found.value,
            low,
            high,
            basis,
            reason: reason(known.hardware, cell, kind, found) + &stores,
            validated: validated && found.validated && self.errors.hold(kind),
        })
    }

    /// What the model gives for a kernel of STREAM with streaming stores, where another tool ran it.
    fn with_streaming_stores(&self, measured: Measured<'_>, cell: &Cell, kind: Kind) -> Option<f64> {
        let at = streaming_twin(&self.file.origin, cell)?;
        let streamed = Cell { at, ..cell.clone() };
        predicted(self.file, measured, &streamed, kind, &self.model).ok().map(|found| found.value)
    }

    fn knowledge(&self, cells: &[ExpectedCell]) -> Knowledge {
        match self.known {
            Ok(known) => {
                let machine = &known.hardware.machine;
                let settings = machine.settings.iter().map(|setting| format!(",{setting}"));
                Knowledge::Model {
                    machine: std::iter::once(machine.name.clone()).chain(settings).collect(),
                    title: known.hardware.title.clone(),
                    stated: known.stated,
                    lanes: lanes(known.hardware),
                    assumed: machine
                        .prediction
                        .as_ref()
                        .map_or_else(Vec::new, |prediction| prediction.assumed.clone()),
                    doubts: known.doubts.iter().cloned().chain(doubts(self.file, known.hardware)).collect(),
                }
            }
            Err(reason) if cells.iter().any(|cell| cell.expected.basis == Basis::Dimms) => {
                Knowledge::Dimms { reason: reason.to_owned() }
            }
            Err(reason) => Knowledge::Nothing { reason: reason.to_owned() },
        }
    }
}

/// Coordinates of the same STREAM kernel with streaming stores in a model, for a cell of another tool: its output does not state which stores the
/// compiler chose.
pub fn streaming_twin(origin: &Origin, cell: &Cell) -> Option<Coordinates> {
    let Some(Coordinate::Word(kernel)) = cell.at.get(Axis::Kernel) else { return None };
    let is_open =
        matches!(origin, Origin::Imported(_)) && ["copy", "scale", "add", "triad"].contains(&kernel.as_str());
    is_open.then(|| cell.at.clone().with(Axis::Kernel, format!("{kernel}_nt")))
}

/// The lanes of its links, if all of those have as many whose file states them: those between packages.
fn lanes(hardware: &Hardware) -> Option<u32> {
    let is_lanes = |path: &str| path.starts_with("wire.") && path.ends_with(".lanes");
    let stated = hardware.keys.iter().filter(|key| is_lanes(&key.path));
    let lanes: BTreeSet<u32> = stated.filter_map(|key| key.value.as_ref()?.parse().ok()).collect();
    lanes.first().copied().filter(|_| lanes.len() == 1)
}

/// Signs that a result is not from this machine: other numbers of nodes, packages or cores.
pub fn doubts(file: &ResultFile, hardware: &Hardware) -> Vec<String> {
    let (seen, described) = (&file.machine, &hardware.machine);
    let mut doubts = Vec::new();
    let mut differ = |seen: usize, described: usize, what: &str| {
        if seen > 0 && seen != described {
            let (seen, described) = (counted(seen, what), counted(described, what));
            doubts.push(format!("the result has {seen}, but the stated machine has {described}"));
        }
    };
    let with_cores = |machine: &Machine| machine.nodes.iter().filter(|node| !node.pus.is_empty()).count();
    let nodes = match with_cores(seen) {
        // A text may show a part of the machine's pairs, and memory without cores beside them.
        0 => match (nodes_along(file, &[Axis::Initiator]), with_cores(described)) {
            (initiators, nodes) if initiators > nodes => initiators,
            (_, nodes) => nodes_along(file, &[Axis::Initiator, Axis::Target]).min(nodes),
        },
        nodes => nodes,
    };
    differ(nodes, with_cores(described), "node");
    differ(seen.package_count().unwrap_or(0), described.packages.len(), "package");
    differ(seen.core_count().unwrap_or(0), described.cores.len(), "core");
    doubts
}

/// The number of nodes that cells of the result name along these axes.
fn nodes_along(file: &ResultFile, axes: &[Axis]) -> usize {
    let cells = file.experiments.iter().flat_map(|result| result.cells.iter());
    let nodes = cells.flat_map(|cell| axes.iter().filter_map(|axis| cell.at.number(*axis)));
    nodes.collect::<BTreeSet<u64>>().len()
}

/// Marks the cells that deviate because a fact that nobody stated has another value than was assumed.
fn explain(cells: &mut [ExpectedCell], readings: &[Reading]) {
    let explains = |reading: &&(usize, &Reading)| {
        let reading = reading.1;
        reading.fits_best && !reading.nominal && reading.known == Stated::Assumed && reading.node.is_none()
    };
    let numbered: Vec<(usize, &Reading)> = readings.iter().enumerate().collect();
    type Places<'a> = HashSet<(&'a ExperimentName, Measure, &'a Coordinates)>;
    fn inside<'a>(&(rank, reading): &(usize, &'a Reading)) -> (usize, Places<'a>) {
        let inside = reading.cells.iter().filter(|read| read.is_inside());
        (rank, inside.map(|read| (&read.experiment, read.measure, &read.at)).collect())
    }
    let explaining: Vec<_> = numbered.iter().filter(explains).map(inside).collect();
    for cell in cells.iter_mut().filter(|cell| cell.deviates()) {
        let place = (&cell.experiment, cell.measure, &cell.at);
        if let Some((rank, _)) = explaining.iter().find(|(_, places)| places.contains(&place)) {
            cell.standing = Standing::Explained { reading: *rank };
        }
    }
}
