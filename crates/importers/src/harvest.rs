//! What a format found in a text: blocks of values, sorted into runs.

use std::collections::{HashMap, HashSet};

use zerohop_machine::Machine;
use zerohop_result::{Axis, Coordinates, Estimate, ExperimentName, Measure};
use zerohop_units::Bytes;
use zerohop_workload::Warning;

/// A value of a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Value {
    pub(crate) at: Coordinates,
    pub(crate) measure: Measure,
    pub(crate) estimate: Estimate,
    /// What it was measured as, if several times.
    pub(crate) samples: Vec<f64>,
    pub(crate) warnings: Vec<Warning>,
    /// Threads that worked together, where the tool says so.
    pub(crate) workers: u32,
    /// The size of their buffers, where the tool says so.
    pub(crate) buffers: Bytes,
    /// The clock at which the tool counted, where it says so.
    pub(crate) clock_ghz: Option<f64>,
}

impl Value {
    /// A latency in ns.
    pub(crate) fn latency(at: Coordinates, nanoseconds: f64) -> Self {
        Self::single(at, Measure::Latency, nanoseconds)
    }

    /// A bandwidth in decimal GB/s.
    pub(crate) fn bandwidth(at: Coordinates, gigabytes_per_second: f64) -> Self {
        Self::single(at, Measure::Bandwidth, gigabytes_per_second)
    }

    fn single(at: Coordinates, measure: Measure, value: f64) -> Self {
        let estimate = Estimate::exact(value);
        let (workers, buffers) = (0, Bytes(0));
        let (samples, warnings) = (Vec::new(), Vec::new());
        Self { at, measure, estimate, samples, warnings, workers, buffers, clock_ghz: None }
    }

    /// The same value, with the smallest, the largest and the mean that the tool printed beside it.
    pub(crate) fn with_spread(mut self, min: f64, max: f64, mean: f64, standard_deviation: f64) -> Self {
        let finite = [min, max, mean, standard_deviation].iter().all(|number| number.is_finite());
        if finite {
            self.estimate = Estimate { min, max, mean, standard_deviation, ..self.estimate };
        }
        self
    }

    pub(crate) fn with_workers(mut self, workers: u32, buffers: Bytes) -> Self {
        (self.workers, self.buffers) = (workers, buffers);
        self
    }

    /// The same value, of a buffer that caches may hold: its size tells it from values of memory.
    pub(crate) fn in_caches(mut self, buffer: Option<Bytes>) -> Self {
        if let Some(buffer) = buffer {
            self.at = self.at.with(Axis::Footprint, buffer.get());
            self.warnings.push(Warning::CachesUnknown { buffer });
        }
        self
    }

    fn key(&self) -> (Measure, &Coordinates) {
        (self.measure, &self.at)
    }
}

/// Values of one experiment that belong together.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Block {
    pub(crate) experiment: ExperimentName,
    pub(crate) values: Vec<Value>,
    pub(crate) warnings: Vec<Warning>,
}

impl Block {
    pub(crate) const fn new(experiment: ExperimentName) -> Self {
        Self { experiment, values: Vec::new(), warnings: Vec::new() }
    }

    pub(crate) fn push(&mut self, value: Value) {
        self.values.push(value);
    }

    fn has(&self, measure: Measure) -> bool {
        self.values.iter().any(|value| value.measure == measure)
    }
}

/// Blocks that no value repeats.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Run {
    pub(crate) version: Option<String>,
    pub(crate) blocks: Vec<Block>,
    /// What the tool said about it.
    pub(crate) warnings: Vec<Warning>,
}

impl Run {
    /// Its values of an experiment, by what distinguishes them.
    fn values(&self, experiment: &ExperimentName) -> HashMap<(Measure, &Coordinates), &Value> {
        let blocks = self.blocks.iter().filter(|block| block.experiment == *experiment);
        blocks.flat_map(|block| &block.values).map(|value| (value.key(), value)).collect()
    }
}

/// Everything that a format found in a text.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Harvest {
    /// The version that the tool printed last.
    pub(crate) version: Option<String>,
    /// The tool, if it is another one than the format's.
    pub(crate) tool: Option<String>,
    pub(crate) runs: Vec<Run>,
    /// The number of blocks that were added.
    pub(crate) blocks: usize,
    /// The machine, where the format describes it whole.
    pub(crate) machine: Option<Machine>,
    /// The processor's model, where the format names it.
    pub(crate) processor: Option<String>,
    /// What the tool has said since the last block: it belongs to the run of the next one.
    pub(crate) warnings: Vec<Warning>,
    /// Parts that have no place in a result, in words.
    pub(crate) left_out: Vec<String>,
}

impl Harvest {
    /// Adds a block. A value that the run has already begins the next run, with the whole block; a block that says the same
    /// again adds nothing.
    pub(crate) fn add(&mut self, mut block: Block) {
        let mut known = HashSet::new();
        let (first, again): (Vec<Value>, Vec<Value>) = std::mem::take(&mut block.values)
            .into_iter()
            .partition(|value| known.insert((value.measure, value.at.clone())));
        drop(known);
        let experiment = block.experiment.clone();
        block.values = first;
        self.place(block);
        if !again.is_empty() {
            self.add(Block { values: again, ..Block::new(experiment) });
        }
    }

    fn place(&mut self, block: Block) {
        if block.values.is_empty() {
            return;
        }
        let version = self.version.clone();
        let twins = self.runs.last().map(|run| {
            let known = run.values(&block.experiment);
            block.values.iter().map(|value| known.get(&value.key()).copied()).collect::<Vec<_>>()
        });
        let is_same = |(twin, value): (&Option<&Value>, &Value)| {
            twin.is_some_and(|twin| twin.estimate == value.estimate)
        };
        let is_copy = twins.as_ref().is_some_and(|twins| twins.iter().zip(&block.values).all(is_same));
        if is_copy {
            return;
        }
        let is_new = twins.is_some_and(|twins| twins.iter().all(Option::is_none));
        if !is_new {
            self.runs.push(Run { version, ..Run::default() });
        }
        if let Some(run) = self.runs.last_mut() {
            run.version = run.version.take().or_else(|| self.version.clone());
            run.blocks.push(block);
            self.blocks += 1;
            run.warnings.append(&mut self.warnings);
            run.warnings = Warning::union(&run.warnings);
        }
    }

    /// Records what the tool said about its own run.
    pub(crate) fn tool_says(&mut self, words: impl Into<String>) {
        self.warnings.push(Warning::ToolWarned { message: words.into() });
    }

    /// Marks all of its bandwidths as doubtful.
    pub(crate) fn doubt_bandwidths(&mut self, reason: &str) {
        let blocks = self.runs.iter_mut().flat_map(|run| &mut run.blocks);
        for block in blocks.filter(|block| block.has(Measure::Bandwidth)) {
            block.warnings.push(Warning::Implausible { reason: reason.to_owned() });
        }
    }

    /// Whether it holds neither a value nor a machine.
    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty() && self.machine.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(name: &'static str, value: f64) -> Block {
        let mut block = Block::new(ExperimentName::known(name));
        block.push(Value::latency(Coordinates::new().with(Axis::Initiator, 0u32), value));
        block
    }

    #[test]
    fn a_value_that_comes_again_begins_the_next_run() {
        let mut harvest = Harvest::default();
        for (name, value) in [("a", 1.0), ("b", 1.0), ("a", 2.0), ("b", 2.0), ("b", 2.0)] {
            harvest.add(block(name, value));
        }
        let runs: Vec<usize> = harvest.runs.iter().map(|run| run.blocks.len()).collect();
        assert_eq!(runs, [2, 2]);
    }
}
