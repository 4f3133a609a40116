//! The studies on file.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use zerohop_study::{Amount, Assertion, FigureGrade, Passage, Study};

/// All studies, by name.
fn studies() -> BTreeMap<String, Study> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../published");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let study = |path: std::path::PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let study =
            Study::parse(&path.display().to_string(), &text).unwrap_or_else(|error| panic!("{error}"));
        (study.name.clone(), study)
    };
    files.map(study).collect()
}

/// How many claims each study has of each grade. A figure that changes its grade has to change it here, too.
#[test]
fn every_published_figure_has_the_grade_that_it_deserves() {
    let count = |study: &Study| {
        FigureGrade::ALL.map(|grade| {
            let of = |passage: &&Passage| passage.grade == grade;
            study.passages.iter().filter(of).map(|passage| passage.claims.len()).sum::<usize>()
        })
    };
    let counts: Vec<(String, [usize; 4])> =
        studies().into_iter().map(|(name, study)| (name, count(&study))).collect();
    // Predicted, orderings, identities, fitted.
    assert_eq!(
        counts,
        [
            ("amd-40555", [8, 7, 0, 26]),
            ("asct-graviton2", [10, 0, 0, 0]),
            ("asct-graviton4", [10, 0, 0, 0]),
            ("clpeak-opteron-6274", [0, 0, 7, 1]),
            ("ibm-cloud-collapse", [0, 2, 4, 3]),
            ("lenovo-lp1852", [8, 0, 66, 0]),
            ("mccalpin-knl", [28, 0, 4, 28]),
            ("mess-a64fx", [5, 0, 0, 0]),
            ("mess-cascade-lake-5218", [6, 0, 0, 0]),
            ("mess-emerald-rapids-8568", [7, 0, 0, 0]),
            ("mess-epyc-7742", [6, 0, 0, 0]),
            ("mess-grace", [5, 0, 0, 0]),
            ("mess-granite-rapids-6980p", [6, 0, 0, 0]),
            ("mess-granite-rapids-6980p-mrdimm", [5, 0, 0, 0]),
            ("mess-sapphire-rapids-8460y", [5, 0, 0, 0]),
            ("mess-sapphire-rapids-8480", [6, 0, 0, 0]),
            ("mess-xeon-max-9480", [5, 0, 0, 0]),
            ("mess-xeon-max-9480-hbm", [1, 0, 0, 0]),
            ("mlc-broadwell-2680v4-cod", [12, 0, 0, 5]),
            ("mlc-broadwell-2682v4", [6, 0, 0, 2]),
            ("mlc-cascade-lake-16-cores", [10, 0, 0, 2]),
            ("mlc-cascade-lake-6240", [13, 0, 0, 0]),
            ("mlc-cascade-lake-8269cy", [13, 0, 0, 0]),
            ("mlc-cascade-lake-8269cy-snc", [17, 0, 0, 0]),
            ("mlc-cascade-lake-8280", [13, 0, 0, 0]),
            ("mlc-emerald-rapids-6548y", [2, 0, 0, 0]),
            ("mlc-epyc-7h12", [7, 0, 0, 0]),
            ("mlc-epyc-9224-nps2-cxl", [5, 0, 0, 12]),
            ("mlc-epyc-9354p", [5, 0, 0, 0]),
            ("mlc-epyc-9354p-nps4", [9, 0, 0, 0]),
            ("mlc-granite-rapids-6972p-snc3", [21, 0, 0, 0]),
            ("mlc-granite-rapids-6980p", [8, 0, 0, 5]),
            ("mlc-granite-rapids-6980p-snc3", [11, 0, 0, 5]),
            ("mlc-haswell-2699v3", [13, 0, 0, 0]),
            ("mlc-ice-lake-8360y", [13, 0, 0, 0]),
            ("mlc-ice-lake-8368", [1, 0, 0, 0]),
            ("mlc-sapphire-rapids-4410y-cxl", [2, 0, 0, 6]),
            ("mlc-sapphire-rapids-4416", [2, 0, 0, 1]),
            ("mlc-sapphire-rapids-8468-snc4", [21, 0, 0, 0]),
            ("mlc-skylake-4110", [5, 0, 0, 0]),
            ("mlc-skylake-4114", [5, 0, 0, 0]),
            ("mlc-skylake-5120", [7, 0, 0, 0]),
            ("mlc-skylake-6140", [13, 0, 0, 0]),
            ("mlc-skylake-6142", [5, 0, 0, 0]),
            ("mlc-skylake-8163", [7, 0, 0, 0]),
            ("mlc-skylake-8180", [13, 0, 0, 0]),
            ("mlc-xeon-max-9462", [12, 0, 0, 0]),
            ("read-epyc-7452", [1, 0, 0, 0]),
            ("read-sapphire-rapids-4510", [1, 0, 0, 0]),
            ("stream-epyc-7h12-nps4", [1, 0, 0, 0]),
            ("stream-epyc-9654-nps1", [1, 0, 0, 0]),
            ("stream-epyc-9654-nps4", [1, 0, 0, 0]),
        ]
        .map(|(name, counts)| (name.to_owned(), counts))
    );
}

/// A model without a mesh would give each memory's fitted average everywhere.
#[test]
fn a_latency_that_the_fitted_average_alone_gives_is_not_predicted() {
    let study = &studies()["mccalpin-knl"];
    let value = |id: &str| match study.passages.iter().find(|passage| passage.id == id).unwrap().claims[0]
        .assertion
    {
        Assertion::Value { published, .. } => published,
        ref other => panic!("{other:?}"),
    };
    let memories = [("MCDRAM", "mcdram-quadrant-average"), ("DDR4", "ddr4-snc4-local-average")];
    let mut missed = 0;
    for passage in study.passages.iter().filter(|passage| passage.grade == FigureGrade::Predicted) {
        for claim in &passage.claims {
            let Assertion::Value { published: published @ Amount::Nanoseconds(_), tolerance, .. } =
                claim.assertion
            else {
                continue;
            };
            let memory = memories.iter().find(|(memory, _)| claim.what.starts_with(memory));
            let average = value(memory.unwrap().1);
            assert!(!average.above(published, tolerance).is_within(tolerance.unwrap()), "{}", claim.what);
            missed += 1;
        }
    }
    assert_eq!(missed, 21, "14 latencies and 7 deviations");
}

#[test]
fn every_published_figure_with_two_threads_is_claimed() {
    let study = &studies()["amd-40555"];
    for figure in 6..=15 {
        let label = format!("Fig. {figure}");
        // What single threads give stands apart from the rest of its figure.
        let of_figure =
            |passage: &&Passage| passage.label == label || passage.label.starts_with(&format!("{label}, "));
        let claims: Vec<_> =
            study.passages.iter().filter(of_figure).flat_map(|passage| &passage.claims).collect();
        assert!(!claims.is_empty(), "{label} is not there");
        let numbers = claims.iter().filter(|claim| matches!(claim.assertion, Assertion::Value { .. }));
        // The bars of the others carry no number in any copy.
        let bars = match figure {
            7 => 3,
            10 | 12 => 4,
            _ => 0,
        };
        assert_eq!(numbers.count(), bars, "{label}");
    }
}
