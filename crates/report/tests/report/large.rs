//! Results of many cells are shown in time in proportion to their number.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use zerohop_experiment::catalogue;
use zerohop_report::json;
use zerohop_report::pages::Style;
use zerohop_result::{Cell, Coordinates, ResultFile};

use crate::examples::*;
use crate::shown::*;

/// Cells of the smaller result.
const CELLS: u64 = 1000;

/// How many times as many the larger one has.
const TIMES: u64 = 4;

/// In proportion, it takes [`TIMES`] times as long; in a square, 16 times.
const MOST_TIMES_AS_LONG: f64 = 9.0;

/// Shorter times tell nothing.
const SHORTEST: Duration = Duration::from_millis(200);

/// The best of this many tries counts.
const TRIES: usize = 4;

/// Columns of a table.
const WIDTH: u64 = 7;

/// A result with so many cells of an experiment, at places along the axes of its first layout.
fn large(rank: usize, count: u64) -> Option<ResultFile> {
    let known = catalogue().all().nth(rank)?;
    let layout = known.layouts.first()?;
    let measure = *layout.measures.first()?;
    let place = |number: u64| match layout.columns.any_axis() {
        Some(axis) => Coordinates::new().with(layout.rows, number / WIDTH).with(axis, number % WIDTH),
        None => Coordinates::new().with(layout.rows, number),
    };
    let cells: Vec<Cell> =
        (0..count).map(|number| cell(place(number), measure, 100.0 + (number % 13) as f64)).collect();
    Some(file(machine(1, 2, 2), vec![experiment(known.name(), cells)]))
}

fn show(file: &ResultFile) {
    let style = Style { colour: false, width: 100 };
    drop((survey_page(file, &style), first_screen(file, &style), survey_picture(file)));
    drop((result_csv(file), json::result_json(file)));
    file.experiments.iter().for_each(|result| drop(experiment_page(file, result, &style)));
}

/// The CPU time that it takes: others compute meanwhile.
fn time(file: &ResultFile) -> Duration {
    let now = || {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0))
    };
    let start = now();
    show(file);
    now().saturating_sub(start)
}

/// 30,000 cells of curves took minutes: each row of a table looked at all cells, and each point of a curve for its twin.
#[test]
fn results_of_many_cells_are_shown_in_proportion() {
    let mut found = Vec::new();
    for (rank, known) in catalogue().all().enumerate() {
        let (Some(small), Some(large)) = (large(rank, CELLS), large(rank, TIMES * CELLS)) else { continue };
        let mut best = [Duration::MAX; 2];
        let is_square = (0..TRIES).all(|_| {
            best[1] = best[1].min(time(&large));
            if best[1] < SHORTEST {
                return false;
            }
            best[0] = best[0].min(time(&small));
            best[1].as_secs_f64() > MOST_TIMES_AS_LONG * best[0].as_secs_f64()
        });
        if is_square {
            found.push(format!("{}: {:?} and {:?}", known.name(), best[0], best[1]));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
