//! What a format found in a text: blocks of values, sorted into runs.

use std::collections::HashMap;

use zerohop_machine::Machine;
use zerohop_result::{Axis, Coordinates, Estimate, ExperimentName, Measure};
use zerohop_units::Bytes;
use zerohop_workload::Warning;

/// Values of a text, at most: each takes hundreds of bytes. Every pair of 384 CPUs has fewer.
const MOST_VALUES: usize = 150_000;

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

    fn key(&self, experiment: &ExperimentName) -> Key {
        (experiment.clone(), self.measure, self.at.clone())
    }
}

/// What distinguishes the values of a run.
pub(crate) type Key = (ExperimentName, Measure, Coordinates);

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

/// Everything that a format found in a text.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Harvest {
    /// The version that the tool printed last.
    pub(crate) version: Option<String>,
    /// The tool, if it is another one than the format's.
    pub(crate) tool: Option<String>,
    pub(crate) runs: Vec<Run>,
    /// The values of the last run, which no other may repeat.
    pub(crate) latest: HashMap<Key, Estimate>,
    /// The number of blocks that were added.
    pub(crate) blocks: usize,
    /// The number of values that were added.
    pub(crate) values: usize,
    /// The number of values for which there was no room.
    pub(crate) dropped: usize,
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
    pub(crate) fn add(&mut self, block: Block) {
        let Block { experiment, mut values, warnings } = block;
        let room = MOST_VALUES.saturating_sub(self.values);
        self.dropped += values.len().saturating_sub(room);
        values.truncate(room);
        self.values += values.len();
        // A value that comes for the third time is of the third block.
        let mut times: HashMap<(Measure, Coordinates), usize> = HashMap::new();
        let mut blocks: Vec<Vec<Value>> = Vec::new();
        for value in values {
            let rank = times.entry((value.measure, value.at.clone())).or_default();
            if blocks.len() == *rank {
                blocks.push(Vec::new());
            }
            blocks[*rank].push(value);
            *rank += 1;
        }
        let mut warnings = Some(warnings);
        for values in blocks {
            let warnings = warnings.take().unwrap_or_default();
            self.place(Block { experiment: experiment.clone(), values, warnings });
        }
    }

    fn place(&mut self, block: Block) {
        if block.values.is_empty() {
            return;
        }
        let twins = |value: &Value| self.latest.get(&value.key(&block.experiment));
        let is_copy = block.values.iter().all(|value| twins(value) == Some(&value.estimate));
        if is_copy {
            return;
        }
        let is_new = block.values.iter().all(|value| twins(value).is_none());
        if self.runs.is_empty() || !is_new {
            self.runs.push(Run { version: self.version.clone(), ..Run::default() });
            self.latest = HashMap::new();
        }
        if let Some(run) = self.runs.last_mut() {
            let values = block.values.iter();
            self.latest.extend(values.map(|value| (value.key(&block.experiment), value.estimate)));
            run.version = run.version.take().or_else(|| self.version.clone());
            run.blocks.push(block);
            self.blocks += 1;
            run.warnings.append(&mut self.warnings);
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

    #[test]
    fn more_values_than_anybody_has_are_counted_and_left_out() {
        let mut harvest = Harvest::default();
        for part in 0..4_u64 {
            let mut block = Block::new(ExperimentName::known("a"));
            for rank in 0..50_000 {
                block.push(Value::latency(
                    Coordinates::new().with(Axis::Initiator, part * 50_000 + rank),
                    1.0,
                ));
            }
            harvest.add(block);
        }
        assert_eq!((harvest.values, harvest.dropped), (MOST_VALUES, 50_000));
    }

    /// Each repetition called the function that adds a block once more: 5,000 equal lines of 60 kB overflowed the stack, and ended the process.
    #[test]
    fn a_block_with_a_value_many_times_is_as_many_runs() {
        const TIMES: u32 = 100_000;
        let mut harvest = Harvest::default();
        let mut repeated = Block::new(ExperimentName::known("a"));
        for rank in 0..TIMES {
            repeated.push(Value::latency(Coordinates::new(), f64::from(rank)));
        }
        repeated.warnings.push(Warning::NotSteady {});
        harvest.add(repeated);
        assert_eq!((harvest.runs.len(), harvest.blocks), (TIMES as usize, TIMES as usize));
        let warned: Vec<usize> = (0..harvest.runs.len())
            .filter(|&rank| !harvest.runs[rank].blocks[0].warnings.is_empty())
            .collect();
        assert_eq!(warned, [0]);
        assert_eq!(harvest.runs[7].blocks[0].values[0].estimate.median, 7.0);
    }
}
