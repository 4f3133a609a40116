//! What remains after an interruption.

use std::time::Duration;

use zerohop_experiment::{Effort, Options};
use zerohop_result::Completion;
use zerohop_workload::EngineError;

use crate::bench::{Bench, steady};
use crate::machines::{small, two_nodes};

fn quick() -> Options {
    Options::new(Effort::Quick)
}

#[test]
fn an_interrupted_experiment_keeps_what_is_done() {
    let outcome = Bench::new(two_nodes(2)).interrupting_after(16).run("latency-matrix", &quick());
    let result = outcome.result.unwrap();
    assert_eq!(result.completion, Completion::Interrupted);
    let counts: Vec<_> = result.cells.iter().map(|cell| cell.samples.len()).collect();
    // In the order of the result, which is not the order in which they ran.
    assert_eq!(counts, [7, 2, 7]);
    assert_eq!(outcome.samples, 16);
}

#[test]
fn an_interrupted_survey_returns_the_finished_experiments_and_the_current_one() {
    // The pilot of loaded latency takes 14 samples first.
    let outcome = Bench::new(small()).interrupting_after(14 + 20).survey(&quick());
    let results = outcome.result.unwrap();
    let completions: Vec<_> =
        results.iter().map(|result| (result.experiment.as_str(), result.completion)).collect();
    let expected = [
        ("latency-matrix", Completion::Complete),
        ("bandwidth-matrix", Completion::Complete),
        ("cache-latency", Completion::Interrupted),
    ];
    assert_eq!(completions, expected);
    assert_eq!(outcome.events.last().unwrap(), "finished cache-latency");
}

#[test]
fn an_engine_that_stops_in_the_middle_is_an_interruption_too() {
    let bench = Bench::new(small()).answering(|workload, nth, window: Duration| {
        if nth == 4 { Err(EngineError::Interrupted) } else { Ok(steady(workload, window, 1.0)) }
    });
    let result = bench.run("latency-matrix", &quick()).result.unwrap();
    assert_eq!(result.completion, Completion::Interrupted);
    assert_eq!(result.cells[0].samples.len(), 4);

    let bench = Bench::new(small()).preparing(|_| Err(EngineError::Interrupted));
    let result = bench.run("latency-matrix", &quick()).result.unwrap();
    assert_eq!((result.completion, result.cells.len()), (Completion::Interrupted, 0));
}

#[test]
fn stopped_before_it_began_is_interrupted_and_empty() {
    let results = Bench::new(small()).interrupting_after(0).survey(&quick()).result.unwrap();
    assert_eq!(results.len(), 1);
    assert_eq!((results[0].completion, results[0].cells.len()), (Completion::Interrupted, 0));
}
