//! The examples of `docs/queries.md` are true.

use zerohop_machine::{CoreId, Machine, NodeId, Package, PackageId, Pu, PuId, PuSet};
use zerohop_result::{Axis, Cell, Coordinate, Coordinates, Estimate, Evidence, Measure, Query};

const DOCUMENT: &str = include_str!("../../../docs/queries.md");

/// The rows of the table whose head begins with `first`.
fn table(first: &str) -> Vec<Vec<String>> {
    let fields = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|field| field.trim().trim_matches('`').to_owned()).collect()
    };
    let mut lines = DOCUMENT.lines().skip_while(|line| !line.starts_with(&format!("| {first} |")));
    let head = fields(lines.next().unwrap());
    std::iter::once(head).chain(lines.skip(1).take_while(|line| line.starts_with('|')).map(fields)).collect()
}

/// Two packages with two nodes each.
fn machine() -> Machine {
    let pu = |number: u32| Pu {
        id: PuId(number),
        core: CoreId(number),
        package: PackageId(number / 2),
        node: NodeId(number),
        allowed: true,
    };
    let package = |number| Package { id: PackageId(number), pus: PuSet::default() };
    Machine { pus: (0..4).map(pu).collect(), packages: vec![package(0), package(1)], ..Machine::default() }
}

fn cells() -> Vec<Cell> {
    let rows = table("measure");
    let (head, rows) = rows.split_first().unwrap();
    let cell = |row: &Vec<String>| {
        let measure = Measure::ALL.into_iter().find(|measure| measure.name() == row[0]).unwrap();
        let mut at = Coordinates::new();
        for (name, place) in
            head.iter().zip(row).skip(1).filter(|(name, place)| *name != "value" && !place.is_empty())
        {
            let axis = Axis::ALL.into_iter().find(|axis| axis.name() == name).unwrap();
            let place =
                place.parse::<u64>().map_or_else(|_| Coordinate::from(place.as_str()), Coordinate::from);
            at = at.with(axis, place);
        }
        let median: f64 = row.last().unwrap().parse().unwrap();
        let estimate = Estimate {
            median,
            low: median * 0.9,
            high: median * 1.1,
            min: median,
            max: median,
            mean: median,
            standard_deviation: 0.0,
        };
        Cell {
            at,
            measure,
            estimate,
            evidence: Evidence::default(),
            samples: Vec::new(),
            warnings: Vec::new(),
        }
    };
    rows.iter().map(cell).collect()
}

#[test]
fn the_examples_of_the_document_are_true() {
    let (cells, machine) = (cells(), machine());
    let examples = table("query");
    assert!(examples.len() > 10);
    for example in &examples[1..] {
        let (text, expected) = (&example[0], &example[1]);
        let query: Query = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        match (query.value(&cells, &machine), expected.parse::<f64>()) {
            (Ok(value), Ok(expected)) => {
                assert!((value.value - expected).abs() < 0.01, "{text}: {}", value.value);
                assert!((value.low - expected * 0.9).abs() < 0.01, "{text}: {}", value.low);
                assert!((value.high - expected * 1.1).abs() < 0.01, "{text}: {}", value.high);
            }
            (Err(error), Err(_)) => {
                assert!(error.to_string().starts_with(expected.as_str()), "{text}: {error}");
            }
            (found, _) => panic!("{text} should be {expected}: {found:?}"),
        }
    }
}

/// A channel is called `0` in the machine file, and users write the number.
#[test]
fn a_number_selects_a_part_named_with_that_number() {
    let mut cell = cells().remove(0);
    cell.at = Coordinates::new().with(Axis::Channel, "0");
    let query: Query = "latency channel=0,1".parse().unwrap();
    assert!(query.matches(&cell, &machine()));
}
