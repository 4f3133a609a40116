//! One verdict on a measurement: whether its numbers can be relied on, why, and what to do.

use std::fmt;

use zerohop_workload::{Aspect, Origin, Warning, Weight};

use crate::{Cell, Completion, Estimate, ExperimentResult, ResultFile};

/// Whether the numbers of a measurement can be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// Another run would agree.
    Good,
    /// Most of it holds; look at the marks.
    Usable,
    /// Measure again.
    NotUsable,
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Good => "good",
            Self::Usable => "usable",
            Self::NotUsable => "not usable",
        })
    }
}

/// The verdict on a measurement.
#[derive(Debug, Clone, PartialEq)]
pub struct Quality {
    /// Its grade.
    pub grade: Grade,
    /// The reason, in words.
    pub reason: String,
    /// What to do about it, if there is anything.
    pub advice: Option<String>,
}

/// In a good measurement, nine of ten intervals are within this share of their medians.
const NARROW: f64 = 0.05;

/// In a usable measurement, half of the intervals are.
const TOLERABLE: f64 = 0.10;

/// In a usable measurement, at most this share of cells may be wrong.
const FEW: f64 = 0.25;

/// Programs that use more CPUs than this may use the memory as well, and nothing else may show it: half a CPU, and of each CPU what its
/// housekeeping takes.
const OTHERS: (f64, f64) = (0.5, 0.005);

/// An interval that reaches farther from its median is worth a mark of its own.
const WIDE: f64 = 0.10;

/// What helps against wide intervals.
const MORE_TIME: &str = "allow more time (--full, --budget), or wait for a quiet machine (--wait-quiet 10m)";

/// The same of a measurement that was interrupted: whoever did not wait for its end is not told to wait longer.
const TO_THE_END: &str = "let it run to its end";

impl Cell {
    /// Whether a warning says that its value may be wrong by more than its interval.
    pub fn is_doubtful(&self) -> bool {
        Warning::worst_weight(&self.warnings) == Some(Weight::Doubt)
    }

    /// Whether its value stands, but is uncertain.
    pub fn is_wide(&self) -> bool {
        let weight = Warning::worst_weight(&self.warnings);
        weight == Some(Weight::Width) && self.estimate.relative_margin() > WIDE
    }
}

impl ResultFile {
    /// The verdict on these of its experiments; `None` if they were not measured, or have no cell.
    pub fn quality<'a>(
        &self,
        experiments: impl IntoIterator<Item = &'a ExperimentResult>,
    ) -> Option<Quality> {
        if !matches!(self.origin, Origin::Host(_)) {
            return None;
        }
        let cells = experiments.into_iter().flat_map(|experiment| experiment.cells.iter());
        let cells: Vec<&Cell> = cells.filter(|cell| cell.measure.aspect() == Aspect::Outcome).collect();
        let mut quality = quality(&cells, OTHERS.0 + OTHERS.1 * self.machine.pus.len() as f64)?;
        if self.completion == Completion::Interrupted && quality.advice.as_deref() == Some(MORE_TIME) {
            quality.advice = Some(TO_THE_END.to_owned());
        }
        Some(quality)
    }

    /// What to do about a warning of this file.
    pub fn advice_on(&self, warning: &Warning) -> &'static str {
        match warning {
            Warning::IntervalWide { .. } | Warning::SamplesFew { .. }
                if self.completion == Completion::Interrupted =>
            {
                TO_THE_END
            }
            _ => warning.advice(),
        }
    }
}

/// The half width of the interval that stands for unseen drift, if any does.
fn drift(cells: &[&Cell]) -> Option<f64> {
    let drifts = cells.iter().filter_map(|cell| cell.evidence.unseen_drift);
    drifts.max_by(f64::total_cmp).map(|drift| 1.96 * drift)
}

/// The CPUs that other programs used beside the typical cell.
fn other_load(cells: &[&Cell]) -> f64 {
    let mut loads: Vec<f64> = cells.iter().map(|cell| cell.evidence.other_load.unwrap_or(0.0)).collect();
    loads.sort_by(f64::total_cmp);
    loads.get(loads.len() / 2).copied().unwrap_or(0.0)
}

/// The verdict on some cells; others may use so many CPUs meanwhile.
fn quality(cells: &[&Cell], others_may_use: f64) -> Option<Quality> {
    // The drift that no run sees is no reason to measure again.
    let mut margins: Vec<f64> = cells.iter().map(|cell| Estimate::relative_margin(&cell.seen())).collect();
    margins.sort_by(f64::total_cmp);
    let at = |share: f64| margins.get((margins.len().saturating_sub(1) as f64 * share).round() as usize);
    let (typical, most) = (*at(0.5)?, *at(0.9)?);
    let doubtful = cells.iter().filter(|cell| cell.is_doubtful()).count();
    let share = doubtful as f64 / cells.len() as f64;
    let translated = cells.iter().flat_map(|cell| &cell.warnings);
    let translated = translated.filter(|warning| matches!(warning, Warning::HugePagesMissing { .. })).count();
    let translated = translated as f64 > FEW * cells.len() as f64;
    let others = Some(other_load(cells)).filter(|&load| load > others_may_use);
    let grade = if share > FEW || typical > TOLERABLE {
        Grade::NotUsable
    } else if doubtful > 0 || translated || most > NARROW || others.is_some() {
        Grade::Usable
    } else {
        Grade::Good
    };
    let percent = |share: f64| {
        if share > 1.0 {
            "more than 100 %".to_owned()
        } else {
            format!("±{:.1} %", (share * 1000.0).ceil() / 10.0)
        }
    };
    // What decided the grade is its reason.
    let doubt = if typical > TOLERABLE && share <= FEW { None } else { commonest_doubt(cells) };
    Some(match doubt {
        Some(warning) => Quality {
            grade,
            reason: format!("{doubtful} of {} cells are doubtful: {warning}", cells.len()),
            advice: Some(match warning {
                Warning::CpuTaken { .. } | Warning::RarelyTogether { .. } | Warning::Stolen { .. } => {
                    waiting(warning)
                }
                _ => warning.advice().to_owned(),
            }),
        },
        None if grade == Grade::Good => Quality {
            grade,
            reason: format!(
                "no cell is doubtful, and nine of ten intervals are within {}{}",
                percent(most),
                drift(cells).map_or_else(String::new, |drift| {
                    format!(", not counting {} for drift between runs on a virtual machine", percent(drift))
                })
            ),
            advice: None,
        },
        None if translated && typical <= TOLERABLE => Quality {
            grade,
            reason: "huge pages are missing, so most values contain TLB misses".to_owned(),
            advice: Some(Warning::HugePagesMissing { share: 0.0 }.advice().to_owned()),
        },
        None if most <= NARROW => Quality {
            grade,
            reason: format!(
                "other programs used {:.1} CPUs meanwhile, and may have used the memory",
                others.unwrap_or_default()
            ),
            advice: Some(waiting(&Warning::CpuTaken { share: 1.0 })),
        },
        None => Quality {
            grade,
            reason: format!(
                "no stable state: intervals are {} typically, and wider than {} for one cell in ten",
                percent(typical),
                percent(most)
            ),
            advice: Some(MORE_TIME.to_owned()),
        },
    })
}

/// What a warning advises where others take the machine's time.
fn waiting(warning: &Warning) -> String {
    format!("{}; --wait-quiet 10m waits for that", warning.advice())
}

/// The kind of doubt that most cells share, at its gravest.
fn commonest_doubt<'a>(cells: &[&'a Cell]) -> Option<&'a Warning> {
    let mut kinds: Vec<(&Warning, usize)> = Vec::new();
    let warnings = cells.iter().flat_map(|cell| &cell.warnings);
    for warning in warnings.filter(|warning| warning.weight() == Weight::Doubt) {
        match kinds.iter_mut().find(|(known, _)| known.is_like(warning)) {
            Some((known, count)) => {
                *count += 1;
                if warning.gravity() > known.gravity() {
                    *known = warning;
                }
            }
            None => kinds.push((warning, 1)),
        }
    }
    // Among equals, the first.
    let commonest = kinds.into_iter().reduce(|one, other| if other.1 > one.1 { other } else { one });
    commonest.map(|(warning, _)| warning)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, Coordinates, Evidence, Measure};

    fn cell(node: u32, margin: f64, warnings: Vec<Warning>) -> Cell {
        let estimate = Estimate {
            median: 100.0,
            low: 100.0 - margin,
            high: 100.0 + margin,
            min: 100.0 - margin,
            max: 100.0 + margin,
            mean: 100.0,
            standard_deviation: margin,
        };
        let at = Coordinates::new().with(Axis::Initiator, node);
        Cell {
            at,
            measure: Measure::Latency,
            estimate,
            evidence: Evidence::default(),
            samples: vec![100.0],
            warnings,
        }
    }

    fn judged(cells: &[Cell]) -> (Grade, String) {
        let quality = quality(&cells.iter().collect::<Vec<_>>(), 1.0).unwrap();
        (quality.grade, quality.reason)
    }

    fn taken(share: f64) -> Vec<Warning> {
        vec![Warning::CpuTaken { share }]
    }

    #[test]
    fn a_quiet_measurement_is_good() {
        let cells: Vec<Cell> = (0..10).map(|node| cell(node, 2.0, Vec::new())).collect();
        let (grade, reason) = judged(&cells);
        assert_eq!(grade, Grade::Good);
        assert_eq!(reason, "no cell is doubtful, and nine of ten intervals are within ±2.0 %");
    }

    #[test]
    fn drift_that_no_run_sees_is_named_and_does_not_lower_the_grade() {
        let drifting = |node| cell(node, 2.0, Vec::new()).with_unseen_drift(0.03);
        let cells: Vec<Cell> = (0..10).map(drifting).collect();
        assert!(cells[0].estimate.relative_margin() > NARROW);
        let (grade, reason) = judged(&cells);
        assert_eq!(grade, Grade::Good);
        assert!(
            reason
                .ends_with("within ±2.1 %, not counting ±5.9 % for drift between runs on a virtual machine"),
            "{reason}"
        );
    }

    #[test]
    fn one_doubtful_cell_makes_it_usable_and_many_make_it_not() {
        let with = |doubtful: u32| -> Vec<Cell> {
            (0..10)
                .map(|node| cell(node, 2.0, if node < doubtful { taken(0.5) } else { Vec::new() }))
                .collect()
        };
        assert_eq!(judged(&with(1)).0, Grade::Usable);
        let (grade, reason) = judged(&with(6));
        assert_eq!(grade, Grade::NotUsable);
        assert!(
            reason.starts_with("6 of 10 cells are doubtful: a worker had its CPU for only 50 %"),
            "{reason}"
        );
    }

    #[test]
    fn wide_intervals_are_no_doubt_but_lower_the_grade() {
        let wide = |margin: f64| -> Vec<Cell> {
            let warning = Warning::IntervalWide { asked: 0.01, reached: margin / 100.0 };
            (0..10).map(|node| cell(node, margin, vec![warning.clone()])).collect()
        };
        assert_eq!(judged(&wide(4.0)).0, Grade::Good);
        assert_eq!(judged(&wide(8.0)).0, Grade::Usable);
        assert_eq!(judged(&wide(30.0)).0, Grade::NotUsable);
        assert!(wide(30.0)[0].is_wide() && !wide(30.0)[0].is_doubtful() && !wide(4.0)[0].is_wide());
    }

    /// Beside another survey on other CPUs, every interval was narrow, every value was too low, and the verdict was good.
    #[test]
    fn a_load_on_other_cpus_is_no_good_measurement() {
        let beside = |load: f64| -> (Grade, String) {
            let loaded = |node| {
                let quiet = cell(node, 2.0, Vec::new());
                Cell { evidence: Evidence { other_load: Some(load), ..Evidence::default() }, ..quiet }
            };
            // A program that ran for a moment is none.
            let once =
                Cell { evidence: Evidence { other_load: Some(8.0), ..Evidence::default() }, ..loaded(10) };
            judged(&(0..10).map(loaded).chain([once]).collect::<Vec<_>>())
        };
        assert_eq!(beside(0.9).0, Grade::Good);
        let (grade, reason) = beside(1.9);
        assert_eq!(grade, Grade::Usable);
        assert_eq!(reason, "other programs used 1.9 CPUs meanwhile, and may have used the memory");
    }

    #[test]
    fn without_huge_pages_it_is_usable() {
        let missing = || vec![Warning::HugePagesMissing { share: 0.0 }];
        let cells: Vec<Cell> = (0..10).map(|node| cell(node, 2.0, missing())).collect();
        let (grade, reason) = judged(&cells);
        assert_eq!(grade, Grade::Usable);
        assert!(reason.starts_with("huge pages are missing"), "{reason}");
    }

    /// Ctrl-C after a second, and the page recommended `--full`.
    #[test]
    fn an_interrupted_measurement_is_not_told_to_take_longer() {
        let mut file = ResultFile::read(include_str!("../tests/files/version-2/host.json")).unwrap();
        let warning = Warning::IntervalWide { asked: 0.01, reached: 0.3 };
        let cells = (0..10).map(|node| cell(node, 30.0, vec![warning.clone()])).collect();
        file.experiments.truncate(1);
        file.experiments[0].cells = crate::Cells::new(cells).unwrap();
        let advice = |file: &ResultFile| file.quality(&file.experiments).unwrap().advice.unwrap();
        file.completion = Completion::Complete;
        assert!(advice(&file).contains("--full") && file.advice_on(&warning).contains("--full"));
        file.completion = Completion::Interrupted;
        assert_eq!((advice(&file).as_str(), file.advice_on(&warning)), (TO_THE_END, TO_THE_END));
    }

    #[test]
    fn without_cells_there_is_no_verdict() {
        assert_eq!(quality(&[], 1.0), None);
    }
}
