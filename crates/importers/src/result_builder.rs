//! Makes results of what formats found.

use std::collections::BTreeSet;

use zerohop_machine::{Machine, Processor};
use zerohop_result::{
    Axis, Cell, Cells, Completion, Coordinate, Coordinates, Evidence, ExperimentName, ExperimentResult,
    MeasuringSettings, ResultFile, SCHEMA_VERSION,
};
use zerohop_units::{Seconds, counted};
use zerohop_workload::{EngineDescription, ImportedOrigin, Origin, Warning};

use crate::coordinates::ALL;
use crate::facts::Facts;
use crate::formats::Format;
use crate::harvest::{Block, Harvest, Run, Value};
use crate::imported::{Imported, Unread, UnreadLines};
use crate::{implausible, kinds, truncation};

/// Where a text comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) file: &'a str,
    /// The host, where a file holds the output of several.
    pub(crate) host: Option<&'a str>,
}

impl Source<'_> {
    /// The name of the machine.
    fn machine(&self) -> String {
        self.host.map_or_else(|| stem(self.file), str::to_owned)
    }

    /// The file, the host, and which of several runs it is.
    fn run(&self, rank: usize, count: usize) -> String {
        let host = self.host.map(|host| format!(", {host}")).unwrap_or_default();
        let run = if count > 1 { format!(", run {} of {count}", rank + 1) } else { String::new() };
        format!("{}{host}{run}", self.file)
    }
}

/// No value is larger, in ns or in GB/s: half an hour, or a million machines.
const LARGEST: f64 = 2e12;

/// No more parts without a place are named: each run of a text has a copy of their list.
const MOST_LEFT_OUT: usize = 200;

/// No text is of more runs: each is a result of its own.
const MOST_RUNS: usize = 10_000;

/// Nor are they so many that what each repeats of the machine is more parts than this: nodes, their CPUs, slots, fields.
const MOST_PARTS: usize = 1_000_000;

/// Nor more ranges of lines that no format understood.
const MOST_RANGES: usize = 200;

/// The results of a text, a run each. `unread` are the lines that no format understood, and `lost` what else is missing of the file.
pub(crate) fn finish(
    source: Source<'_>,
    harvests: Vec<(Format, Harvest)>,
    facts: Facts,
    unread: &UnreadLines,
    lost: &[String],
) -> Vec<Imported> {
    let name = source.machine();
    let (environment, commands) = (facts.environment.clone(), facts.commands.clone());
    let origin = |tool: String, version: Option<String>, file: String| ImportedOrigin {
        tool,
        version,
        file,
        environment: environment.clone(),
        commands: commands.clone(),
    };
    let ignored = not_understood(unread);
    let said = facts.warnings.iter().map(|message| Warning::ToolWarned { message: message.clone() });
    let said: Vec<Warning> = said.collect();
    let mut imported = Vec::new();
    let only_nodes = harvests.is_empty();
    for (format, harvest) in harvests {
        let Harvest { tool, mut runs, machine, processor, warnings, mut left_out, dropped, .. } = harvest;
        if dropped > 0 {
            left_out
                .push(format!("the last {}: this exceeds the limit for one text", counted(dropped, "value")));
        }
        append(&mut left_out, lost);
        append(&mut left_out, &facts.lost());
        let tool = tool.unwrap_or_else(|| format.name().to_owned());
        if runs.is_empty() {
            runs.push(Run::default());
        }
        // What the tool said last belongs to its last run.
        if let Some(last) = runs.last_mut() {
            last.warnings.extend(warnings);
        }
        let count = runs.len();
        let most = MOST_RUNS.min(MOST_PARTS / facts.parts()).max(1);
        if count > most {
            left_out.push(format!("the last {}", counted(count - most, "run")));
            runs.truncate(most);
        }
        for (rank, mut run) in runs.into_iter().enumerate() {
            let mut machine = machine.clone().unwrap_or_else(|| {
                let mut facts = facts.clone();
                if let Some(model) = &processor {
                    facts.processor.model.clone_from(model);
                }
                facts.machine(name.clone())
            });
            if machine.name.is_empty() {
                machine.name.clone_from(&name);
            }
            let file = source.run(rank, count);
            let origin = origin(tool.clone(), run.version.clone(), file);
            let mut warnings = Warning::union(&std::mem::take(&mut run.warnings));
            warnings.extend(said.iter().cloned());
            warnings.extend(not_imported(ignored.as_deref(), &left_out));
            let nodes = facts.node_count().or_else(|| nodes_of(&run));
            let result = result(origin, machine, run, nodes, warnings);
            imported.push(Imported { result, format, unread: unread.clone(), left_out: left_out.clone() });
        }
    }
    if only_nodes {
        let format = Format::NODES;
        let mut facts = facts;
        let processor = facts.processor.clone();
        let mut states = std::mem::take(&mut facts.more);
        // Several states of one machine; where another one is named, they are several machines.
        if states.iter().all(|state| state.processor == Processor::default()) {
            states.iter_mut().for_each(|state| state.processor = processor.clone());
        }
        states.insert(0, facts);
        let count = states.len();
        let mut left_out = Vec::new();
        append(&mut left_out, lost);
        for (rank, facts) in states.into_iter().enumerate() {
            let file = source.run(rank, count);
            let origin = origin(format.name().to_owned(), None, file);
            let mut left_out = left_out.clone();
            append(&mut left_out, &facts.lost());
            let mut warnings = said.clone();
            warnings.extend(not_imported(ignored.as_deref(), &left_out));
            let result = result(origin, facts.machine(name.clone()), Run::default(), None, warnings);
            imported.push(Imported { result, format, unread: unread.clone(), left_out });
        }
    }
    imported
}

/// The name of a machine whose text comes from that file.
fn stem(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem });
    stem.to_owned()
}

/// Whether its values are between nodes.
fn is_matrix(experiment: &ExperimentName) -> bool {
    [kinds::LATENCY_MATRIX, kinds::BANDWIDTH_MATRIX].contains(experiment)
}

/// The number of nodes between which a run has values.
fn nodes_of(run: &Run) -> Option<usize> {
    let blocks = run.blocks.iter().filter(|block| is_matrix(&block.experiment));
    let ends = blocks.flat_map(|block| &block.values).flat_map(|value| {
        [Axis::Initiator, Axis::Target].into_iter().filter_map(|axis| value.at.number(axis))
    });
    Some(ends.collect::<BTreeSet<u64>>().len()).filter(|&count| count > 0)
}

fn result(
    origin: ImportedOrigin,
    machine: Machine,
    run: Run,
    nodes: Option<usize>,
    warnings: Vec<Warning>,
) -> ResultFile {
    let origin = Origin::Imported(origin);
    let peak = machine.theoretical_bandwidth().ok().map(|peak| peak.total);
    let mut experiments: Vec<(ExperimentName, Vec<Cell>, Vec<Warning>)> = Vec::new();
    for Block { experiment, values, mut warnings } in run.blocks {
        let (values, absurd): (Vec<Value>, Vec<Value>) =
            values.into_iter().partition(|value| value.estimate.median.abs() <= LARGEST);
        warnings.extend(absurd.iter().map(left_out));
        let cells = values.into_iter().map(|value| cell(value, nodes == Some(1)));
        let cells: Vec<Cell> = cells.filter(|cell| cell.estimate.is_sound()).collect();
        match experiments.iter_mut().find(|known| known.0 == experiment) {
            Some(known) => {
                known.1.extend(cells);
                known.2.extend(warnings);
            }
            None => experiments.push((experiment, cells, warnings)),
        }
    }
    let experiments = experiments.into_iter().map(|(experiment, mut cells, warnings)| {
        let is_cut = is_matrix(&experiment) && truncation::is_last_row_cut(&cells);
        implausible::mark(&experiment, &mut cells, peak);
        let mut seen = BTreeSet::new();
        cells.retain(|cell| seen.insert((cell.measure, cell.at.clone())));
        ExperimentResult {
            experiment,
            completion: if is_cut { Completion::Interrupted } else { Completion::Complete },
            elapsed: Seconds(0.0),
            cells: Cells::new(cells).unwrap_or_default(),
            warnings: Warning::union(&warnings),
        }
    });
    let experiments: Vec<ExperimentResult> = experiments.collect();
    let is_whole = experiments.iter().all(|one| one.completion == Completion::Complete);
    ResultFile {
        schema_version: SCHEMA_VERSION,
        produced_by: format!("zerohop {}", env!("CARGO_PKG_VERSION")),
        started_at: None,
        finished_at: None,
        run: None,
        completion: if is_whole { Completion::Complete } else { Completion::Interrupted },
        engine: EngineDescription::new(&origin, "unknown", Vec::new()),
        origin,
        machine,
        settings: MeasuringSettings { effort: "custom".to_owned(), ..MeasuringSettings::default() },
        experiments,
        warnings,
        unknown: Vec::new(),
    }
}

/// That a value is left out, because it is none.
fn left_out(value: &Value) -> Warning {
    let Value { at, measure, estimate, .. } = value;
    let reason = format!("skipped the value at {at}, {:e} {}", estimate.median, measure.unit());
    Warning::Implausible { reason }
}

fn cell(value: Value, one_node: bool) -> Cell {
    let Value { at, measure, estimate, samples, warnings, workers, buffers, clock_ghz } = value;
    let samples = if samples.is_empty() { vec![estimate.median] } else { samples };
    let evidence = Evidence {
        workers,
        buffers,
        clock_ghz: clock_ghz.map(|clock| (clock, clock)),
        ..Evidence::default()
    };
    let at = if one_node { of_one_node(at) } else { at };
    Cell { at, measure, estimate, evidence, samples, warnings }
}

/// On one node, the whole machine is that node, as in results of zerohop.
fn of_one_node(mut at: Coordinates) -> Coordinates {
    if at.is(Axis::Initiator, ALL) {
        at.0.insert(Axis::Initiator, Coordinate::Number(0));
    }
    if at.is(Axis::Load, "machine") {
        at.0.remove(&Axis::Load);
    }
    at
}

/// Adds to what is left out what else is lost, up to the most of them.
fn append(left_out: &mut Vec<String>, lost: &[String]) {
    let all = left_out.len() + lost.len();
    left_out.extend(lost.iter().take(MOST_LEFT_OUT.saturating_sub(left_out.len())).cloned());
    left_out.truncate(MOST_LEFT_OUT);
    if all > MOST_LEFT_OUT {
        left_out.push(format!("and {} more", all - MOST_LEFT_OUT));
    }
}

/// The lines that no format understood, in words.
fn not_understood(unread: &UnreadLines) -> Option<String> {
    if unread.is_empty() {
        return None;
    }
    let range = |Unread { first, last, .. }: &Unread| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    let lines: usize = unread.iter().map(|range| range.last - range.first + 1).sum();
    let ranges: Vec<String> = unread.iter().take(MOST_RANGES).map(range).collect();
    let more = unread.len() - ranges.len();
    let more = if more > 0 { format!(", and {}", counted(more, "more range")) } else { String::new() };
    Some(format!("{} in no known format: {}{more}", counted(lines, "line"), ranges.join(", ")))
}

/// What of a text is not in its results.
fn not_imported(ignored: Option<&str>, left_out: &[String]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if let Some(what) = ignored {
        warnings.push(Warning::NotImported { what: what.to_owned() });
    }
    if !left_out.is_empty() {
        warnings.push(Warning::NotImported { what: left_out.join("; ") });
    }
    warnings
}
