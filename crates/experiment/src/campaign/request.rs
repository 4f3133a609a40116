//! Requests: plain data that other programs can read and write.

use crate::Options;
use serde::{Deserialize, Serialize};
use zerohop_machine::Settings;
use zerohop_model::Solver;
use zerohop_result::ExperimentName;

/// One or more experiments on one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The machine they run on.
    pub on: SimulatedMachine,
    /// The runs, one after another. Each run is the same whatever ran before it.
    pub runs: Vec<Run>,
}

/// A machine that is simulated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SimulatedMachine {
    /// The name of a built-in machine, or the path of a machine file.
    pub machine: String,
    #[serde(default, skip_serializing_if = "Settings::is_empty")]
    pub settings: Settings,
    /// Solver of the model.
    #[serde(default)]
    pub solver: Solver,
    /// The seed of everything random.
    #[serde(default = "first_seed")]
    pub seed: u64,
}

/// An experiment and how it is run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    pub experiment: ExperimentName,
    /// Options of the run.
    #[serde(default)]
    pub options: Options,
}

const fn first_seed() -> u64 {
    SimulatedMachine::SEED
}

impl SimulatedMachine {
    pub const SEED: u64 = 1;
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::{Effort, Options};

    use super::*;

    #[test]
    fn omitted_fields_have_their_defaults() {
        let request: Request =
            serde_json::from_str(r#"{"on":{"machine":"quartet"},"runs":[{"experiment":"hops"}]}"#).unwrap();
        assert_eq!(request.on.solver, Solver::Event);
        assert_eq!(request.on.seed, 1);
        assert_eq!(request.runs[0].options, Options::new(Effort::Quick));
    }

    #[test]
    fn every_choice_is_written_and_read_back() {
        let text = r#"{
            "on": {"machine": "sr665-v3", "settings": [{"name": "links", "value": "3"}], "solver": "auto", "seed": 7},
            "runs": [{"experiment": "crossfire", "options": {
                "effort": "full", "nodes": [0, 1], "cpus": "0-3", "buffer": 1048576, "kernel": "triad", "interleave": [1],
                "window_ns": 1500000, "interval": 0.02, "chains": 4, "cases": "local, 0.0.w.1 1.0.w.0",
                "background": "1.2 GB/s", "subscription": "full", "initiators": [0], "targets": [1], "load": "remote",
                "detail": true, "seed": 3
            }}]
        }"#;
        let request: Request = serde_json::from_str(text).unwrap();
        let options = &request.runs[0].options;
        assert_eq!(options.window, Some(Duration::from_micros(1500)));
        assert_eq!(options.cases.as_ref().unwrap().to_string(), "local, 0.0.w.1 1.0.w.0");
        assert_eq!(options.background.unwrap().to_string(), "1.2 GB/s");
        let again: Request = serde_json::from_str(&serde_json::to_string(&request).unwrap()).unwrap();
        assert_eq!(again, request);
    }

    #[test]
    fn a_choice_that_does_not_exist_is_rejected_with_those_that_do() {
        let wrong = |options: &str| {
            let text = format!(r#"{{"experiment":"hops","options":{options}}}"#);
            serde_json::from_str::<Run>(&text).unwrap_err().to_string()
        };
        assert!(wrong(r#"{"load":"far"}"#).contains("local, remote, crossing"));
        assert!(wrong(r#"{"colour":"red"}"#).contains("unknown field `colour`"));
    }
}
