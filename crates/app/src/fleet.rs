//! The other machines that a result is held against.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use zerohop_diagnosis::{Fellow, are_of_a_kind};
use zerohop_result::{ExperimentResult, ResultFile};

/// A result, and what it and its machine are called here.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedResult {
    /// Its name, for whoever reads the findings.
    pub name: String,
    /// The result.
    pub result: ResultFile,
    /// What its machine is known by here: the file, or the run in another tool's output. Repeated surveys are of one machine.
    pub machine: String,
}

/// All results, with what tells machines and copies apart. It is found once: searching for it again for each pair of results took time
/// with the cube of their number.
#[derive(Debug)]
pub struct Fleet<'a> {
    all: &'a [NamedResult],
    /// For each result, the rank of the first one of the same machine.
    machines: Vec<usize>,
    /// For each result, the rank of the first one with the same measurement.
    measurements: Vec<usize>,
}

impl<'a> Fleet<'a> {
    /// Finds out which results are of one machine, and which are copies.
    pub fn of(all: &'a [NamedResult]) -> Self {
        let mut first_of: HashMap<&str, usize> = HashMap::new();
        let machines = all.iter().enumerate();
        let machines = machines.map(|(rank, read)| *first_of.entry(&read.machine).or_insert(rank)).collect();
        let mut alike: HashMap<u64, Vec<usize>> = HashMap::new();
        let measurement = |(rank, read): (usize, &NamedResult)| {
            let experiments = &read.result.experiments;
            let firsts = alike.entry(digest(experiments)).or_default();
            let same = firsts.iter().find(|&&first| all[first].result.experiments == *experiments);
            same.copied().unwrap_or_else(|| {
                firsts.push(rank);
                rank
            })
        };
        let measurements = all.iter().enumerate().map(measurement).collect();
        Self { all, machines, measurements }
    }

    /// The results of other machines that are of the same kind as that of the result of this rank: the first of each. A copy of a result
    /// is no other machine.
    pub fn fellows(&self, of: usize, whole: bool) -> Vec<Fellow<'a>> {
        let machine = &self.all[of].result.machine;
        let mut seen_machines = vec![false; self.all.len()];
        let mut seen_measurements = vec![false; self.all.len()];
        seen_machines[self.machines[of]] = true;
        seen_measurements[self.measurements[of]] = true;
        let mut fellows = Vec::new();
        for (rank, other) in self.all.iter().enumerate() {
            let file = &other.result;
            if !(whole || are_of_a_kind(machine, &file.machine)) || seen_machines[self.machines[rank]] {
                continue;
            }
            seen_machines[self.machines[rank]] = true;
            if is_measured(file) && seen_measurements[self.measurements[rank]] {
                continue;
            }
            seen_measurements[self.measurements[rank]] = true;
            fellows.push(Fellow { name: &other.name, file });
        }
        fellows
    }
}

/// Whether another result with the same values can only be a copy: a model gives them again.
fn is_measured(file: &ResultFile) -> bool {
    !file.origin.is_model() && !file.experiments.is_empty()
}

/// The same for equal experiments, and hardly for others.
fn digest(experiments: &[ExperimentResult]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for experiment in experiments {
        experiment.experiment.as_str().hash(&mut hasher);
        for cell in &experiment.cells {
            // The two zeros are equal.
            (cell.estimate.median + 0.0).to_bits().hash(&mut hasher);
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MATRIX: &str = "Intel(R) Memory Latency Checker - v3.9\n\
                          Measuring idle latencies (in ns)...\n\
                          \t\tNuma node\nNuma node\t     0\t     1\n       0\t  80.0\t 140.0\n       1\t 140.0\t  ";

    fn read(machine: &str, last: &str) -> NamedResult {
        let text = format!("{MATRIX}{last}\n");
        let mut imported = zerohop_importers::import("mlc.txt", &text, None).unwrap();
        NamedResult {
            name: format!("{machine}: {last}"),
            result: imported.remove(0).result,
            machine: machine.to_owned(),
        }
    }

    #[test]
    fn of_each_other_machine_the_first_result_that_is_no_copy_is_a_fellow() {
        let all = [
            read("a", "80.0"),
            read("a", "81.0"),
            read("b", "80.0"),
            read("c", "82.0"),
            read("d", "82.0"),
            read("e", "83.0"),
        ];
        let fleet = Fleet::of(&all);
        let names = |of| {
            let fellows = fleet.fellows(of, true).into_iter();
            fellows.map(|fellow| fellow.name.to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names(0), ["c: 82.0", "e: 83.0"]);
        assert_eq!(names(1), ["b: 80.0", "c: 82.0", "e: 83.0"]);
        assert_eq!(names(3), ["a: 80.0", "e: 83.0"]);
        // Without processors that they show, none is known to be of the same kind.
        assert!(fleet.fellows(0, false).is_empty());
    }
}
