//! Current values of each machine in an archive, as metrics.

use zerohop_diagnosis::{Diagnosis, Severity};
use zerohop_result::{Dimension, IndexedValue, ListedMachine, Role, Timestamp};

use crate::openmetrics::{Metric, Sample};
use crate::render::{Document, Views};

/// The machines of an archive at the moment.
#[derive(Debug, Clone, PartialEq)]
pub struct ArchiveMetrics {
    /// The machines, by name.
    pub machines: Vec<MachineMetrics>,
    /// The server that shows them, if one does.
    pub server: Option<ServerState>,
}

/// A server at the moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ServerState {
    /// Number of abandoned threads that are still running.
    pub abandoned_threads: usize,
    /// Requests and judgements that met a bug since it was started.
    pub bugs: usize,
}

/// A machine of an archive at the moment.
#[derive(Debug, Clone, PartialEq)]
pub struct MachineMetrics {
    pub listed: ListedMachine,
    /// The values of its latest result that counts.
    pub values: Vec<IndexedValue>,
    /// Diagnosis from that result, if it was made.
    pub diagnosis: Option<Diagnosis>,
    /// Whether that result could not be judged.
    pub not_judged: bool,
}

impl Document for ArchiveMetrics {
    const NAME: &'static str = "metrics of an archive";
    const VIEWS: Views<Self> = Views { metrics: Some(metrics), ..Views::NONE };
}

/// A metric of values: their dimension, and how many of its units a unit of ours is.
struct OfValues {
    dimension: Dimension,
    name: &'static str,
    unit: &'static str,
    help: &'static str,
    factor: f64,
}

/// Prometheus counts in seconds and bytes.
const OF_VALUES: [OfValues; 6] = [
    OfValues {
        dimension: Dimension::Rate,
        name: "zerohop_bandwidth",
        unit: "bytes_per_second",
        help: "Bandwidths in the newest usable result: headline values, and local bandwidth of each node",
        factor: 1e9,
    },
    OfValues {
        dimension: Dimension::Time,
        name: "zerohop_time",
        unit: "seconds",
        help: "Latencies and times per line in the newest usable result: headline values, and local latency of each node",
        factor: 1e-9,
    },
    OfValues {
        dimension: Dimension::Ratio,
        name: "zerohop_relative",
        unit: "ratio",
        help: "Headline values in the newest usable result that are relative to others",
        factor: 1.0,
    },
    OfValues {
        dimension: Dimension::Share,
        name: "zerohop_share",
        unit: "ratio",
        help: "Headline values in the newest usable result that are shares of a whole",
        factor: 1.0,
    },
    OfValues {
        dimension: Dimension::Count,
        name: "zerohop_number",
        unit: "",
        help: "Headline values in the newest usable result that are counts",
        factor: 1.0,
    },
    OfValues {
        dimension: Dimension::PerSecond,
        name: "zerohop_events",
        unit: "per_second",
        help: "Headline values in the newest usable result that are events per second",
        factor: 1.0,
    },
];

fn metrics(archive: &ArchiveMetrics) -> Vec<Metric> {
    let machines = || archive.machines.iter();
    let of = |machine: &MachineMetrics| ("machine", machine.listed.name.clone());
    let results = machines().flat_map(|machine| {
        let ListedMachine { results, usable, .. } = machine.listed;
        [("true", usable), ("false", results.saturating_sub(usable))].map(|(counted, results)| Sample {
            labels: vec![of(machine), ("counted", counted.to_owned())],
            value: results as f64,
        })
    });
    let last = machines().filter_map(|machine| {
        Some(Sample { labels: vec![of(machine)], value: seconds(machine.listed.last?) })
    });
    let wrong_clocks = machines()
        .map(|machine| Sample { labels: vec![of(machine)], value: machine.listed.wrong_clocks as f64 });
    let findings = machines().flat_map(|machine| {
        let diagnosis = machine.diagnosis.as_ref();
        let severities = [Severity::Fault, Severity::Warning, Severity::Note].into_iter();
        severities.filter_map(move |severity| {
            let findings = diagnosis?.findings.iter().filter(|finding| finding.severity == severity);
            let labels = vec![of(machine), ("severity", severity.name().to_owned())];
            Some(Sample { labels, value: findings.count() as f64 })
        })
    });
    let judged = machines().filter(|machine| machine.diagnosis.is_some()).count();
    let alone = |value: f64| vec![Sample { labels: Vec::new(), value }];
    let version =
        vec![Sample { labels: vec![("version", env!("CARGO_PKG_VERSION").to_owned())], value: 1.0 }];
    let metric = |name, unit, help, samples| Metric { name, unit, help, samples };
    let mut all = vec![
        metric("zerohop_build_info", "", "The version of zerohop that wrote this", version),
        metric("zerohop_machines", "", "Machines of the archive", alone(archive.machines.len() as f64)),
        metric(
            "zerohop_machines_judged",
            "",
            "Machines whose newest result was judged",
            alone(judged as f64),
        ),
        metric(
            "zerohop_machines_not_judged",
            "",
            "Machines whose newest result could not be judged",
            alone(machines().filter(|machine| machine.not_judged).count() as f64),
        ),
        metric("zerohop_results", "", "Results of the archive", results.collect()),
        metric(
            "zerohop_last_result_timestamp",
            "seconds",
            "Start time of the newest result, or its arrival time if its clock was wrong: time() minus this is its age",
            last.collect(),
        ),
        metric(
            "zerohop_results_with_wrong_clock",
            "",
            "Results with a start time before 2000 or after their arrival",
            wrong_clocks.collect(),
        ),
        metric("zerohop_findings", "", "Findings in the newest usable result", findings.collect()),
    ];
    all.extend(OF_VALUES.iter().map(|of_values| Metric {
        name: of_values.name,
        unit: of_values.unit,
        help: of_values.help,
        samples: machines().flat_map(|machine| samples(machine, of_values)).collect(),
    }));
    if let Some(ServerState { abandoned_threads, bugs }) = archive.server {
        let threads = "Server threads that are still running after their request was abandoned";
        all.push(metric("zerohop_abandoned_threads", "", threads, alone(abandoned_threads as f64)));
        let met = "Requests and judgments that failed because of a bug since the server was started";
        all.push(metric("zerohop_bugs", "", met, alone(bugs as f64)));
    }
    all
}

fn seconds(time: Timestamp) -> f64 {
    time.get().as_millisecond() as f64 / 1000.0
}

/// The headlines of a machine that are of this dimension, and the same for each node from its own cores.
fn samples(machine: &MachineMetrics, of_values: &OfValues) -> Vec<Sample> {
    let own = machine.values.iter().filter(|one| one.series.measure.dimension() == of_values.dimension);
    let sample = |one: &IndexedValue| {
        let (place, node) = match one.series.role {
            Role::Headline => (one.series.place.clone(), String::new()),
            Role::Cell => ("local".to_owned(), own_node(&one.series.place)?.to_owned()),
        };
        let value = one.reading.value * of_values.factor;
        value.is_finite().then(|| Sample {
            labels: vec![
                ("machine", machine.listed.name.clone()),
                ("experiment", one.series.experiment.to_string()),
                ("measure", measure(one.series.measure.name()).to_owned()),
                ("place", place),
                ("node", node),
            ],
            value,
        })
    };
    own.filter_map(sample).collect()
}

/// The name of a measure without its unit, which is another one here.
fn measure(name: &str) -> &str {
    ["_ns", "_gbps", "_per_s"].into_iter().find_map(|unit| name.strip_suffix(unit)).unwrap_or(name)
}

/// The node of a cell that is of one node, asked for by its own cores.
fn own_node(place: &str) -> Option<&str> {
    let (initiator, target) = place.strip_prefix("initiator ")?.split_once(", target ")?;
    let is_number = target.chars().all(|c| c.is_ascii_digit());
    (initiator == target && is_number).then_some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measure_has_no_unit_of_its_own() {
        for (name, short) in
            [("latency_ns", "latency"), ("bandwidth_gbps", "bandwidth"), ("utilization", "utilization")]
        {
            assert_eq!(measure(name), short);
        }
    }

    #[test]
    fn a_node_is_one_that_its_own_cores_ask() {
        for (place, node) in [
            ("initiator 0, target 0", Some("0")),
            ("initiator 12, target 12", Some("12")),
            ("initiator 0, target 1", None),
            ("initiator all, target all", None),
            ("initiator 0, target 0, cpu 3", None),
            ("local", None),
        ] {
            assert_eq!(own_node(place), node, "{place}");
        }
    }
}
