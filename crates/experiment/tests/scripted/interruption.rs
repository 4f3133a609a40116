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
    // Four whole rounds of four cells.
    assert_eq!(counts, [4, 4, 4, 4]);
    assert_eq!(outcome.samples, 16);
}

#[test]
fn an_interrupted_survey_returns_what_every_experiment_has_so_far() {
    // The pilot of loaded latency takes 14 samples first; the first round has 36 visits.
    for (samples, experiments, last) in [(14 + 20, 5, "mixes"), (14 + 60, 7, "core-to-core")] {
        let outcome = Bench::new(small()).interrupting_after(samples).survey(&quick());
        let results = outcome.result.unwrap();
        assert_eq!(results.len(), experiments);
        for result in &results {
            assert_eq!(result.completion, Completion::Interrupted);
            let taken = result.cells.iter().map(|cell| cell.samples.len()).max();
            assert!(taken.is_some_and(|taken| (1..=2).contains(&taken)), "{}: {taken:?}", result.experiment);
        }
        assert_eq!(outcome.events.last().unwrap(), &format!("finished {last}"));
    }
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
