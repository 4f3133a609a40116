//! Verdict on a measurement: the smallest difference that it resolves, its suitable uses, the reason, and advice.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_statistics::median;
use zerohop_workload::{Aspect, Dimension, Origin, Warning, Weight};

use crate::{Cell, Completion, ExperimentResult, ResultFile};

/// Grade of a measurement, by the uses that it is good enough for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// Good enough to compare settings and to find faults.
    Good,
    /// Good enough to find faults.
    Usable,
    /// Not good enough for either: measure again.
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

/// Smallest differences that a measurement resolves: of two such runs, a value of typical width that differs by more is outside the 95 % interval of
/// the other's. As shares of the smaller value.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Resolution {
    /// Resolution of bandwidths, if any were measured.
    pub rates: Option<f64>,
    /// Resolution of latencies and other times, if any were measured.
    pub times: Option<f64>,
}

/// The verdict on a measurement.
#[derive(Debug, Clone, PartialEq)]
pub struct Quality {
    pub grade: Grade,
    /// Smallest differences that the measurement resolves.
    pub resolution: Resolution,
    /// The reason, in words.
    pub reason: String,
    /// Advice for a better measurement, if there is any.
    pub advice: Option<String>,
}

/// Settings of firmware are worth a tenth or so: what tells that is good for comparing them.
const COMPARES_SETTINGS: f64 = 0.10;

/// Faults cost half as much again, or more: what does not even tell that is not usable.
const FINDS_FAULTS: f64 = 0.50;

/// Of a good measurement, at most this share of cells may be wrong.
const FEW: f64 = 0.10;

/// Of a usable one, at most this.
const MANY: f64 = 0.5;

/// With small pages behind more than this share of cells, most values contain TLB misses.
const TRANSLATED: f64 = 0.25;

/// Programs that use more CPUs than this may use the memory as well, and nothing else may show it: half a CPU, and of each CPU what its
/// housekeeping takes.
const OTHERS: (f64, f64) = (0.5, 0.005);

/// An interval that reaches farther from its median is worth a mark of its own.
const WIDE: f64 = 0.10;

/// What helps against wide intervals.
const MORE_TIME: &str = "allow more time (--full, --budget), or wait for an idle machine (--wait-quiet 10m)";

/// The same of a measurement that was interrupted: whoever did not wait for its end is not told to wait longer.
const TO_THE_END: &str = "let it run to completion";

impl Cell {
    /// Whether a warning says that its value may be wrong by more than its interval.
    pub fn is_doubtful(&self) -> bool {
        Warning::worst_weight(&self.warnings) == Some(Weight::Doubt)
    }

    /// Whether the interval extends more than 10 % from the median.
    pub fn has_wide_interval(&self) -> bool {
        self.estimate.relative_margin() > WIDE
    }

    /// Whether its value stands, but is uncertain.
    pub fn is_wide(&self) -> bool {
        let weight = Warning::worst_weight(&self.warnings);
        weight == Some(Weight::Width) && self.has_wide_interval()
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

    /// Advice on a warning of this file.
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

/// The CPUs that other programs used beside the typical cell.
fn other_load(cells: &[&Cell]) -> f64 {
    median(cells.iter().map(|cell| cell.evidence.other_load.unwrap_or(0.0))).unwrap_or(0.0)
}

impl Resolution {
    /// Resolution of these experiments so far; `None` as long as no cell can be trusted.
    pub fn so_far(experiments: &[ExperimentResult]) -> Option<Self> {
        let cells = experiments.iter().flat_map(|experiment| experiment.cells.iter());
        let cells: Vec<&Cell> = cells.filter(|cell| cell.measure.aspect() == Aspect::Outcome).collect();
        Some(Self::of(&cells)).filter(|resolution| resolution.worse().is_some())
    }

    /// That of the cells among these that are not doubtful.
    fn of(cells: &[&Cell]) -> Self {
        let typical = |dimension: Dimension| {
            let sound =
                cells.iter().filter(|cell| cell.measure.dimension() == dimension && !cell.is_doubtful());
            // Both runs have errors.
            let half = median(sound.filter_map(|cell| cell.estimate.logarithmic_half_width()))?;
            Some(libm::exp(std::f64::consts::SQRT_2 * half) - 1.0)
        };
        Self { rates: typical(Dimension::Rate), times: typical(Dimension::Time) }
    }

    /// The larger of both.
    fn worse(self) -> Option<f64> {
        self.rates.into_iter().chain(self.times).reduce(f64::max)
    }
}

impl fmt::Display for Resolution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: f64| {
            if share > 10.0 {
                "more than a factor of ten".to_owned()
            } else {
                format!("{:.1} %", (share * 1000.0).ceil() / 10.0)
            }
        };
        match (self.rates.map(percent), self.times.map(percent)) {
            // Beside a bar, there is room for little.
            (rates, times) if f.alternate() => {
                let short =
                    [rates.map(|rates| format!("{rates} GB/s")), times.map(|times| format!("{times} ns"))];
                f.write_str(&short.into_iter().flatten().collect::<Vec<_>>().join(", "))
            }
            (Some(rates), Some(times)) => {
                write!(f, "resolves {rates} in bandwidth and {times} in latency")
            }
            (Some(rates), None) => write!(f, "resolves {rates} in bandwidth"),
            (None, Some(times)) => write!(f, "resolves {times} in latency"),
            (None, None) => f.write_str("resolves no differences"),
        }
    }
}

/// The verdict on some cells; others may use so many CPUs meanwhile.
fn quality(cells: &[&Cell], others_may_use: f64) -> Option<Quality> {
    if cells.is_empty() {
        return None;
    }
    let resolution = Resolution::of(cells);
    let doubtful = cells.iter().filter(|cell| cell.is_doubtful()).count();
    let share = doubtful as f64 / cells.len() as f64;
    let translated = cells.iter().flat_map(|cell| &cell.warnings);
    let translated = translated.filter(|warning| matches!(warning, Warning::HugePagesMissing { .. })).count();
    let translated = translated as f64 > TRANSLATED * cells.len() as f64;
    let others = Some(other_load(cells)).filter(|&load| load > others_may_use);
    let worse = resolution.worse().unwrap_or(f64::INFINITY);
    let grade = if share > MANY || worse > FINDS_FAULTS {
        Grade::NotUsable
    } else if share > FEW || translated || worse > COMPARES_SETTINGS || others.is_some() {
        Grade::Usable
    } else {
        Grade::Good
    };
    let use_of_it = match grade {
        Grade::Good => "use it to compare settings and to find faults",
        Grade::Usable => "use it to find faults, not to compare settings",
        Grade::NotUsable => "use it neither to compare settings nor to find faults",
    };
    // What decided the grade comes first.
    let doubt = commonest_doubt(cells).map(|warning| {
        let advice = match warning {
            Warning::CpuTaken { .. } | Warning::RarelyTogether { .. } | Warning::Stolen { .. } => {
                waiting(warning)
            }
            _ => warning.advice().to_owned(),
        };
        let verb = if doubtful == 1 { "is" } else { "are" };
        (format!("{doubtful} of {} cells {verb} in doubt: {warning}", cells.len()), advice)
    });
    let pages = translated.then(|| {
        let missing = Warning::HugePagesMissing { share: 0.0 };
        ("huge pages are missing, so most values contain TLB misses".to_owned(), missing.advice().to_owned())
    });
    let beside = others.map(|load| {
        let words = format!(
            "other programs used {load:.1} CPUs during the measurement, and may have used the memory"
        );
        (words, waiting(&Warning::CpuTaken { share: 1.0 }))
    });
    let wide = (worse > COMPARES_SETTINGS && share <= MANY)
        .then(|| ("no stable state".to_owned(), MORE_TIME.to_owned()));
    let reasons: Vec<(String, String)> = if share > FEW {
        doubt.into_iter().chain(pages).chain(beside).collect()
    } else {
        wide.into_iter().chain(pages).chain(beside).chain(doubt).collect()
    };
    let reason = match reasons.first() {
        Some((words, _)) => format!("{resolution}; {use_of_it}: {words}"),
        None => format!("{resolution}; {use_of_it}"),
    };
    let advice = reasons.into_iter().next().map(|(_, advice)| advice).filter(|_| grade != Grade::Good);
    Some(Quality { grade, resolution, reason, advice })
}

/// What a warning advises where others take the machine's time.
fn waiting(warning: &Warning) -> String {
    format!("{}; wait for an idle machine with --wait-quiet 10m", warning.advice())
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
    use crate::{Axis, Coordinates, Estimate, Evidence, Measure};

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
    fn a_quiet_measurement_is_good_and_says_what_it_tells() {
        let cells: Vec<Cell> = (0..10).map(|node| cell(node, 2.0, Vec::new())).collect();
        let (grade, reason) = judged(&cells);
        assert_eq!(grade, Grade::Good);
        // Two intervals of 2 %.
        assert_eq!(reason, "resolves 2.9 % in latency; use it to compare settings and to find faults");
    }

    #[test]
    fn a_resolution_has_words_for_a_page_and_fewer_for_a_bar() {
        let both = Resolution { rates: Some(0.0412), times: Some(0.08) };
        assert_eq!(both.to_string(), "resolves 4.2 % in bandwidth and 8.0 % in latency");
        assert_eq!(format!("{both:#}"), "4.2 % GB/s, 8.0 % ns");
        assert_eq!(format!("{:#}", Resolution { rates: None, ..both }), "8.0 % ns");
        assert_eq!(Resolution::so_far(&[]), None);
    }

    #[test]
    fn drift_that_no_run_sees_is_a_part_of_the_resolution() {
        let drifting = |node| cell(node, 2.0, Vec::new()).with_unseen_drift(0.03);
        let (grade, reason) = judged(&(0..10).map(drifting).collect::<Vec<_>>());
        assert_eq!(grade, Grade::Good);
        assert!(reason.starts_with("resolves 9.2 % in latency"), "{reason}");
    }

    /// One cell whose worker was interrupted once condemned a page of 47.
    #[test]
    fn one_doubtful_cell_condemns_no_page_and_many_do() {
        let with = |doubtful: u32| -> Vec<Cell> {
            (0..10)
                .map(|node| cell(node, 2.0, if node < doubtful { taken(0.5) } else { Vec::new() }))
                .collect()
        };
        let (grade, reason) = judged(&with(1));
        assert_eq!(grade, Grade::Good);
        assert!(reason.contains("1 of 10 cells is in doubt"), "{reason}");
        assert_eq!(judged(&with(3)).0, Grade::Usable);
        let (grade, reason) = judged(&with(6));
        assert_eq!(grade, Grade::NotUsable);
        assert!(
            reason.contains("6 of 10 cells are in doubt: a worker had its CPU for only 50 %"),
            "{reason}"
        );
    }

    #[test]
    fn what_tells_no_setting_may_still_find_a_fault() {
        let wide = |margin: f64| -> Vec<Cell> {
            let warning = Warning::IntervalWide { asked: 0.01, reached: margin / 100.0 };
            (0..10).map(|node| cell(node, margin, vec![warning.clone()])).collect()
        };
        assert_eq!(judged(&wide(4.0)).0, Grade::Good);
        assert_eq!(judged(&wide(20.0)).0, Grade::Usable);
        // Not even a factor of 1.5.
        let (grade, reason) = judged(&wide(30.0));
        assert_eq!(grade, Grade::NotUsable);
        assert!(reason.ends_with("no stable state"), "{reason}");
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
        assert!(
            reason.ends_with(
                "other programs used 1.9 CPUs during the measurement, and may have used the memory"
            ),
            "{reason}"
        );
    }

    #[test]
    fn without_huge_pages_it_is_usable() {
        let missing = || vec![Warning::HugePagesMissing { share: 0.0 }];
        let cells: Vec<Cell> = (0..10).map(|node| cell(node, 2.0, missing())).collect();
        let (grade, reason) = judged(&cells);
        assert_eq!(grade, Grade::Usable);
        assert!(reason.contains("huge pages are missing"), "{reason}");
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
