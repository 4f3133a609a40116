//! Faults that nobody chose, on one machine of a fleet: the others are like it, and sound.

use std::fs;
use std::ops::RangeInclusive;

use zerohop_diagnosis::{Diagnosis, Given, ReferenceResult, diagnose};
use zerohop_model::Solver;
use zerohop_result::{Cell, Estimate, ResultFile};

use crate::bench::{MATRICES, expectations, machine, repository, result, rules};
use crate::drawn::{Drawn, Outcome, Random, draw, outcome};

/// Sound machines that a bad one is held against, as `fleet analyse` does.
const SISTERS: usize = 8;

/// Machines of a kind differ by so much, either way.
const APART: f64 = 0.015;

/// The same result from a machine that differs a little.
fn another(file: &ResultFile, random: &mut Random) -> ResultFile {
    let mut file = file.clone();
    for done in &mut file.experiments {
        let differ = |cells: &mut Vec<Cell>| {
            for cell in cells {
                let median = cell.estimate.median * random.between(1.0 - APART, 1.0 + APART);
                let (low, high) = (median * (1.0 - APART), median * (1.0 + APART));
                cell.estimate = Estimate { median, low, high, ..cell.estimate };
            }
        };
        done.cells.change(differ).unwrap();
    }
    file
}

/// What rules say of a drawn fault beside so many sisters, and beside a model of the machine if the result shows which one it is.
fn beside_sisters(drawn: &Drawn, seed: u64, sisters: usize, is_recognized: bool) -> Diagnosis {
    let mut random = Random(seed);
    let file = another(&drawn.file, &mut random);
    let sound = result(machine(drawn.machine), &MATRICES, Solver::Auto, 1);
    let sound: Vec<ResultFile> = (0..sisters).map(|_| another(&sound, &mut random)).collect();
    let fleet = sound.iter().map(|file| ReferenceResult { name: "sister", file }).collect();
    let known = is_recognized.then(|| expectations(drawn.machine, &file, false));
    diagnose(rules(), "this", &file, Given { expectations: known.as_ref(), fleet, ..Given::default() })
}

/// Of the faults of these draws, those whose right cause comes first, and those of which nothing is found.
fn found(draws: RangeInclusive<u64>, sisters: usize, is_recognized: bool) -> (usize, usize) {
    let (mut found, mut missed) = (0, 0);
    for seed in draws {
        for (rank, drawn) in draw(seed).iter().enumerate() {
            let diagnosis = beside_sisters(drawn, 1000 * seed + rank as u64, sisters, is_recognized);
            match outcome(drawn, &diagnosis) {
                Outcome::Found => found += 1,
                Outcome::OtherCause => {}
                Outcome::Missed => missed += 1,
            }
        }
    }
    (found, missed)
}

#[test]
fn the_right_cause_comes_first_for_most_drawn_faults_beside_sisters() {
    let (found, missed) = found(14..=14, SISTERS, false);
    assert!(found >= 16 && missed <= 2, "{found} of 20, {missed} missed");
}

/// docs/fleet.md has these numbers. The first ten draws were looked at when the causes of slow links were parted, the others were not.
#[test]
#[ignore = "long: diagnoses 800 drawn faults"]
fn the_right_cause_comes_first_for_nine_of_ten_drawn_faults_beside_sisters() {
    let page = fs::read_to_string(repository().join("docs/fleet.md")).unwrap();
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    for (draws, sisters, is_recognized, words) in [
        (4..=13, SISTERS, false, "| 200 faults that were looked at, eight sisters |"),
        (14..=23, 0, false, "| 200 others, no sisters |"),
        (14..=23, SISTERS, false, "| 200 others, eight sisters |"),
        (14..=23, SISTERS, true, "| 200 others, eight sisters and a model of the machine |"),
    ] {
        let (found, missed) = found(draws, sisters, is_recognized);
        let row = format!("{words} {found} | {missed} |");
        assert!(page.contains(&row), "docs/fleet.md does not say: {row}");
    }
}
