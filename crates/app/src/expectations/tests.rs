//! Healthy machines are as expected, faulty ones are not, and nothing is invented.

use std::num::NonZeroUsize;
use std::thread;

use zerohop_diagnosis::{Given, diagnose};
use zerohop_expectation::{Basis, ExpectedCell, Kind, Knowledge, Reading, Standing};
use zerohop_experiment::{Options, Sequential};
use zerohop_machine::Machine;
use zerohop_result::{
    Axis, Cell, Cells, Completion, Coordinates, Estimate, Evidence, ExperimentName, Measure,
    MeasuringSettings, Relation, SCHEMA_VERSION, Wanted,
};
use zerohop_study::{Amount, Assertion, Study};
use zerohop_units::{GigabytesPerSecond, Nanoseconds, Seconds};
use zerohop_workload::{EngineDescription, ImportedOrigin, Origin, StopFlag};

use super::*;
use crate::built_in::machine_names;
use crate::campaign_runner::NoAttendant;
use crate::files::NoFiles;
use crate::rules::rules;
use crate::studies;

mod growth;

/// A result of that machine with these experiments.
fn result_of(machine: Machine, origin: Origin, experiments: Vec<ExperimentResult>) -> ResultFile {
    ResultFile {
        schema_version: SCHEMA_VERSION,
        produced_by: String::new(),
        started_at: None,
        finished_at: None,
        run: None,
        completion: Completion::Complete,
        engine: EngineDescription::new(&origin, "", Vec::new()),
        origin,
        machine,
        settings: MeasuringSettings::default(),
        experiments,
        warnings: Vec::new(),
        unknown: Vec::new(),
    }
}

/// Experiments that facts decide on.
const MATRICES: [&str; 3] = ["latency-matrix", "bandwidth-matrix", "mixes"];

/// What a model of that machine gives, as if it had been measured.
fn modeled(machine: &str, settings: Settings, solver: Solver, experiments: &[&'static str]) -> ResultFile {
    let (file, _) = machine_file(machine, &NoFiles).unwrap();
    let run =
        |name: &&'static str| Run { experiment: ExperimentName::known(name), options: Options::default() };
    let nominal = experiments.iter().map(run).collect();
    let hardware = library::hardware_of(&file, &settings).unwrap();
    let variants = Variants { settings, nominal, others: Vec::new(), solver };
    let experiments = variants.answers(&file, &crew(&StopFlag::new())).remove(&0).unwrap();
    assert!(!experiments.is_empty(), "{machine}");
    result_of(hardware.machine, Origin::HOST, experiments)
}

fn crew(stop: &StopFlag) -> CampaignRunner<'_> {
    CampaignRunner { executor: &Sequential, stop, attendant: &NoAttendant }
}

fn expected(result: &ResultFile, machine: &str) -> Expectations {
    expectations(result, Some(machine), &NoFiles, &crew(&StopFlag::new())).unwrap()
}

fn set(name: &str, value: &str) -> Settings {
    [Setting::new(name, value)].into_iter().collect()
}

fn telling(expectations: &Expectations) -> Vec<String> {
    expectations.telling().map(Reading::to_string).collect()
}

/// A small result beside a large machine took more than a minute: all curves of all nodes were simulated, for each number of links
/// and of channels.
#[test]
fn a_model_gives_only_what_a_result_has() {
    let whole = modeled("quartet", Settings::none(), Solver::Flow, &["bandwidth-matrix", "loaded-latency"]);
    let mut part = whole.clone();
    let kept =
        |cell: &Cell| cell.at.number(Axis::Initiator) == Some(1) && cell.at.number(Axis::Target) != Some(1);
    for experiment in &mut part.experiments {
        let cells = experiment.cells.iter().filter(|cell| kept(cell)).cloned().collect();
        experiment.cells = Cells::new(cells).unwrap();
    }
    let nominal = repeated_in_part(&part, |_| true);
    assert_eq!(nominal.len(), 1, "no curve is left: {nominal:?}");
    let variants = Variants { settings: Settings::none(), nominal, others: Vec::new(), solver: Solver::Flow };
    let (file, _) = machine_file("quartet", &NoFiles).unwrap();
    let found = variants.answers(&file, &crew(&StopFlag::new())).remove(&0).unwrap();
    assert_eq!(found[0].cells, part.experiments[0].cells);
    let links = repeated_in_part(&whole, |cell| Fact::Links.decides_on(cell, &whole.machine));
    let places = links[0].options.places.as_ref().unwrap();
    assert!(links.len() == 1 && places.iter().all(|at| at.get(Axis::Initiator) != at.get(Axis::Target)));
}

/// These machines are as their models let expect.
fn check_as_expected<'a>(names: impl Iterator<Item = &'a str>) {
    for name in names {
        let result = modeled(name, Settings::none(), Solver::Auto, &MATRICES);
        let expectations = expected(&result, name);
        assert!(!expectations.is_empty(), "{name}: {:?}", expectations.without);
        assert!(expectations.deviating().is_empty(), "{name}: {:?}", expectations.deviating()[0]);
        assert_eq!(telling(&expectations), [""; 0], "{name}");
        assert!(expectations.cells.iter().all(|cell| !cell.expected.reason.is_empty()), "{name}");
        assert!(matches!(&expectations.knowledge, Knowledge::Model { doubts, .. } if doubts.is_empty()));
    }
}

#[test]
fn a_square_and_two_sockets_are_as_their_models_let_expect() {
    check_as_expected(["quartet", "sr665-v3"].into_iter());
}

#[test]
#[ignore = "long: models every built-in machine with other numbers of links and channels"]
fn every_built_in_machine_is_as_its_model_lets_expect() {
    check_as_expected(machine_names());
}

/// Values from another solver differ a little, as those of a healthy machine do.
#[test]
fn what_is_simulated_line_by_line_is_as_expected() {
    let result = modeled("quartet", Settings::none(), Solver::Event, &MATRICES[..2]);
    let expectations = expected(&result, "quartet");
    assert_eq!(expectations.as_expected(), (32, 32));
    assert!(expectations.cells.iter().all(|cell| cell.expected.basis == Basis::Machine));
}

#[test]
fn a_link_less_is_named_whether_links_were_stated_or_not() {
    let result = modeled("xeon-cascade-lake", set("links", "2"), Solver::Flow, &MATRICES);
    let stated = expected(&result, "xeon-cascade-lake,links=3");
    let remote = |cell: &&ExpectedCell| cell.kind == Kind::ReadBandwidth(Relation::Remote);
    assert!(stated.cells.iter().filter(remote).all(|cell| cell.standing == Standing::Worse));
    assert_eq!(stated.deviating().len(), 2);
    assert_eq!(telling(&stated), ["fits 2 of 3 UPI links"]);
    assert_eq!(stated.telling().next().unwrap().known, Stated::Known);
    let unstated = expected(&result, "xeon-cascade-lake");
    assert!(unstated.cells.iter().filter(remote).all(|cell| {
        matches!(cell.standing, Standing::Explained { reading } if unstated.readings()[reading].value == 2)
    }));
    assert_eq!(telling(&unstated), ["fits 2 of 3 UPI links"]);
    assert!(expected(&result, "xeon-cascade-lake,links=2").deviating().is_empty());
}

/// One of eight channels is as much as predictions of published runs are off.
#[test]
fn a_channel_less_is_named() {
    for (template, less, of) in [("xeon-cascade-lake", 5, 6), ("xeon-haswell", 3, 4), ("xeon-ice-lake", 6, 8)]
    {
        let result = modeled(template, set("channels", &less.to_string()), Solver::Flow, &MATRICES);
        let expectations = expected(&result, &format!("{template},channels={of}"));
        assert!(!expectations.deviating().is_empty(), "{template}");
        assert_eq!(telling(&expectations), [format!("fits {less} of {of} memory channels")], "{template}");
    }
}

#[test]
fn a_channel_less_on_one_node_is_named_with_the_node() {
    let settings = set("node.1.channels.count", "4");
    let result = modeled("xeon-cascade-lake", settings, Solver::Flow, &MATRICES);
    let expectations = expected(&result, "xeon-cascade-lake");
    assert_eq!(telling(&expectations), ["node 1 fits 4 of 6 memory channels"]);
    let deviating = expectations.deviating();
    assert!(deviating.iter().any(|cell| cell.at.is(Axis::Initiator, 1u32)), "{deviating:?}");
    assert!(
        !deviating.iter().any(|cell| cell.at.is(Axis::Initiator, 0u32) && cell.at.is(Axis::Target, 0u32))
    );
}

#[test]
fn a_virtual_machine_without_dimms_lets_expect_nothing() {
    let mut result = modeled("xeon-cascade-lake,sockets=1", Settings::none(), Solver::Flow, &MATRICES);
    result.machine.system.hypervisor = Some("KVM".to_owned());
    result.machine.memory_devices.clear();
    let expectations = expectations(&result, None, &NoFiles, &crew(&StopFlag::new())).unwrap();
    assert!(expectations.is_empty(), "{:?}", expectations.cells[0]);
    let Knowledge::Nothing { reason } = &expectations.knowledge else { panic!("{expectations:?}") };
    assert!(reason.starts_with("a virtual machine (KVM)"), "{reason}");
    assert!(!expectations.without.is_empty());
}

#[test]
fn another_machine_than_the_stated_one_is_reported() {
    let mut result = modeled("quartet", Settings::none(), Solver::Flow, &MATRICES[..1]);
    result.machine.processor.model = "Intel(R) Xeon(R) Gold 6240 CPU @ 2.60GHz".to_owned();
    let expectations = expected(&result, "xeon-haswell");
    let Knowledge::Model { doubts, .. } = &expectations.knowledge else { panic!("{expectations:?}") };
    let text = doubts.join("\n");
    assert!(text.contains("template xeon-cascade-lake describes, not xeon-haswell"), "{text}");
    assert!(text.contains("4 nodes, but the stated machine has 2"), "{text}");
}

#[test]
fn a_machine_that_shows_its_processor_and_its_dimms_needs_no_name() {
    let mut result = modeled("xeon-cascade-lake,cores=18", Settings::none(), Solver::Flow, &MATRICES);
    result.machine.processor.model = "Intel(R) Xeon(R) Gold 6240 CPU @ 2.60GHz".to_owned();
    let expectations = expectations(&result, None, &NoFiles, &crew(&StopFlag::new())).unwrap();
    assert!(matches!(expectations.knowledge, Knowledge::Model { stated: false, .. }));
    assert!(expectations.deviating().is_empty(), "{:?}", expectations.deviating()[0]);
    let channels = expectations.readings().iter().find(|reading| reading.fact == Fact::Channels);
    assert_eq!(channels.map(|reading| reading.known), Some(Stated::Known), "its firmware lists them");
}

/// A host's processor and DIMMs are known, and nobody knows how many links its board wires.
#[test]
fn a_host_with_fewer_links_than_usual_gets_a_note_and_one_with_fewer_channels_than_dimms_a_fault() {
    let host = |change: Settings| {
        let mut result = modeled("xeon-cascade-lake,cores=18", change, Solver::Flow, &MATRICES);
        result.machine.processor.model = "Intel(R) Xeon(R) Gold 6240 CPU @ 2.60GHz".to_owned();
        result
    };
    let found = |result: &ResultFile| {
        let expectations = expectations(result, None, &NoFiles, &crew(&StopFlag::new())).unwrap();
        let given = Given { expectations: Some(&expectations), ..Given::default() };
        let findings = diagnose(rules(), "host", result, given).findings;
        findings
            .into_iter()
            .map(|finding| format!("{}: {}", finding.severity.name(), finding.rule))
            .collect::<Vec<String>>()
    };
    assert_eq!(found(&host(Settings::none())), [""; 0]);
    assert_eq!(found(&host(set("links", "2"))), ["note: links-possible"]);
    let mut slow = host(set("channels", "4"));
    slow.machine.memory_devices = host(Settings::none()).machine.memory_devices;
    assert_eq!(found(&slow), ["fault: channels-missing"]);
}

/// Nothing is known of its processor, but its firmware lists DIMMs.
#[test]
fn dimms_alone_let_expect_local_reads() {
    let mut result = modeled("xeon-cascade-lake", Settings::none(), Solver::Flow, &MATRICES);
    result.machine.processor.model = "Some CPU".to_owned();
    result.machine.processor.family = None;
    result.machine.processor.model_number = None;
    let expectations = expectations(&result, None, &NoFiles, &crew(&StopFlag::new())).unwrap();
    assert!(matches!(expectations.knowledge, Knowledge::Dimms { .. }), "{:?}", expectations.knowledge);
    let of_dimms: Vec<_> =
        expectations.cells.iter().filter(|cell| cell.expected.basis == Basis::Dimms).collect();
    assert!(of_dimms.len() >= 3, "{of_dimms:?}");
    assert!(of_dimms[0].expected.reason.starts_with("6 x DDR4-2933 = 140.8 GB/s x 0.8"), "{of_dimms:?}");
    assert!(of_dimms.iter().all(|cell| cell.standing == Standing::AsExpected), "{of_dimms:?}");
}

/// Distance of two points of a curve, as a share of its peak, beyond which the curve between them is not known.
const APART: f64 = 0.2;

/// The values of a published run, as if its text had been imported.
fn published(study: &Study) -> ResultFile {
    let mut experiments: Vec<(String, Vec<Cell>)> = Vec::new();
    for passage in &study.passages {
        for claim in &passage.claims {
            let Assertion::Value { place, published, .. } = &claim.assertion else { continue };
            let command = &study.runs[place.run].command;
            let name = command.split(' ').next().unwrap().to_owned();
            if experiments.iter().all(|(known, _)| *known != name) {
                experiments.push((name.clone(), Vec::new()));
            }
            let cells = &mut experiments.iter_mut().find(|(known, _)| *known == name).unwrap().1;
            let mut at = Coordinates::new();
            for (axis, wanted) in &place.query.at {
                let Wanted::Is(coordinate) = wanted else { panic!("{wanted:?}") };
                at = at.with(*axis, coordinate.clone());
            }
            let (measure, value) = match published {
                Amount::Nanoseconds(Nanoseconds(value)) => (Measure::Latency, *value),
                Amount::GigabytesPerSecond(GigabytesPerSecond(value)) => (Measure::Bandwidth, *value),
                other => panic!("{other:?}"),
            };
            if at.get(Axis::Target).is_none() {
                at = at.with(Axis::Target, "local");
            }
            match place.of_peak {
                None => cells.push(cell(at, measure, value)),
                // A straight line between points far apart is not the run's curve.
                Some(_) if place.chord.is_some_and(|[left, right]| right - left > APART) => {}
                Some(share) => {
                    // The curve is known at shares of its peak alone, and so is this one.
                    let at = at.with(Axis::Delay, (1000.0 * (1.0 - share)) as u64);
                    cells.push(cell(at.clone(), measure, value));
                    cells.push(cell(at, Measure::Bandwidth, 100.0 * share));
                }
            }
        }
    }
    for (_, cells) in &mut experiments {
        let curve = cells.iter().find(|cell| cell.at.get(Axis::Delay).is_some());
        if let Some(at) = curve.map(|cell| cell.at.clone().with(Axis::Delay, 0u32)) {
            cells.push(cell(at.clone(), Measure::Bandwidth, 100.0));
            cells.push(cell(at, Measure::Latency, 1e6));
        }
    }
    let experiments = experiments.into_iter().map(|(name, cells)| ExperimentResult {
        experiment: name.parse().unwrap(),
        completion: Completion::Complete,
        elapsed: Seconds(0.0),
        cells: Cells::new(cells).unwrap(),
        warnings: Vec::new(),
    });
    let file = study.name.clone();
    let origin =
        Origin::Imported(ImportedOrigin { tool: "mlc".to_owned(), file, ..ImportedOrigin::default() });
    result_of(Machine::default(), origin, experiments.collect())
}

fn cell(at: Coordinates, measure: Measure, value: f64) -> Cell {
    let estimate = Estimate::exact(value);
    Cell { at, measure, estimate, evidence: Evidence::default(), samples: vec![value], warnings: Vec::new() }
}

/// What docs/expectation.md says of the published runs.
const AS_EXPECTED: &str = "326 of 341 values are as expected";

/// The others, which that page explains.
const OTHERS: [&str; 15] = [
    "asct-graviton2: initiator 0, target 0, kernel read, cores_per_node 1",
    "asct-graviton4: initiator 0, target 0, kernel read, cores_per_node 1",
    "mess-epyc-7742: initiator 0, target local, delay 99",
    "mess-xeon-max-9480-hbm: initiator 0, target 2",
    "mlc-broadwell-2680v4-cod: initiator 0, target 3",
    "mlc-granite-rapids-6972p-snc3: initiator 0, target 4",
    "mlc-granite-rapids-6980p-snc3: initiator 0, target local, delay 500",
    "mlc-haswell-2699v3: initiator all, target local, mix 1:1",
    "mlc-skylake-4114: initiator all, target local, mix stream_triad_like",
    "mlc-skylake-5120: initiator all, target local, mix stream_triad_like",
    "mlc-skylake-8180: initiator all, target local, mix 3:1",
    "mlc-skylake-8180: initiator all, target local, mix 2:1",
    "mlc-skylake-8180: initiator all, target local, mix 1:1",
    "mlc-skylake-8180: initiator all, target local, mix stream_triad_like",
    "mlc-xeon-max-9462: initiator 0, target 3",
];

/// Values that are not judged: at least half of what was published of their kind and generation is far from its template.
const OPEN: [&str; 9] = [
    "mess-a64fx: initiator all, target local, mix all_reads",
    "mess-epyc-7742: initiator 0, target 0",
    "mess-grace: initiator 0, target 0",
    "mlc-epyc-7h12: initiator 0, target 1",
    "mlc-granite-rapids-6972p-snc3: initiator 0, target 3",
    "mlc-granite-rapids-6972p-snc3: initiator 0, target 4",
    "mlc-granite-rapids-6972p-snc3: initiator 0, target 5",
    "mlc-granite-rapids-6980p-snc3: initiator 3, target 0",
    "mlc-granite-rapids-6980p: initiator 0, target 1",
];

/// The published runs with the machines of their studies, which use no value of the run.
#[test]
#[ignore = "long: models the machine of each published run"]
fn published_runs_are_as_expected_but_for_those_that_are_known_not_to_be() {
    let (mut inside, mut judged, mut open) = (0, 0, Vec::new());
    let (mut others, mut alarms, mut readings) = (Vec::new(), Vec::new(), Vec::new());
    let studies = studies::all().unwrap();
    let studies: Vec<&Study> =
        studies.iter().filter(|study| templates::is_generated(&study.machine)).collect();
    let judge = |study: &&Study| {
        let result = published(study);
        let expectations = expected(&result, &study.machine);
        (result, expectations)
    };
    let share = studies.len().div_ceil(thread::available_parallelism().map_or(1, NonZeroUsize::get));
    let parts = thread::scope(|scope| {
        let mut started = Vec::new();
        for part in studies.chunks(share) {
            started.push(scope.spawn(move || part.iter().map(judge).collect::<Vec<_>>()));
        }
        started.into_iter().map(|part| part.join().unwrap()).collect::<Vec<_>>()
    });
    for (study, (result, expectations)) in studies.iter().zip(parts.into_iter().flatten()) {
        let machine = stated_machine(&study.machine, &NoFiles).unwrap();
        let given = Given { expectations: Some(&expectations), machine: Some(&machine), ..Given::default() };
        let diagnosis = diagnose(rules(), &study.name, &result, given);
        alarms.extend(diagnosis.alarms().map(|finding| format!("{}: {}", study.name, finding.rule)));
        // The curve of a study has no bandwidths of its own.
        let real = |cell: &&ExpectedCell| cell.kind != Kind::PeakUnderLoad;
        for cell in expectations.cells.iter().filter(real) {
            judged += usize::from(cell.standing != Standing::Open);
            if cell.kind != Kind::LoadedLatency && cell.standing == Standing::Open {
                open.push(format!("{}: {}", study.name, cell.at));
            }
            inside += usize::from(cell.standing == Standing::AsExpected);
            if cell.deviates() {
                others.push(format!("{}: {}", study.name, cell.at));
            }
        }
        readings
            .extend(telling(&expectations).into_iter().map(|reading| format!("{}: {reading}", study.name)));
    }
    // No alarm, and no other number of links or channels that fits better.
    assert_eq!(
        (others, alarms, readings),
        (OTHERS.map(String::from).to_vec(), Vec::<String>::new(), Vec::<String>::new()),
        "{inside} of {judged}"
    );
    assert_eq!(open, OPEN);
    assert_eq!(format!("{inside} of {judged} values are as expected"), AS_EXPECTED);
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/expectation.md")).unwrap();
    assert!(page.contains(AS_EXPECTED));
}

/// STREAM does not say which stores its compiler chose. Nine of ten published values lay above what regular ones give.
#[test]
fn stream_of_another_tool_is_expected_with_either_kind_of_stores() {
    let whole = modeled("quartet", Settings::none(), Solver::Flow, &["stream"]);
    let kernels = ["copy", "scale", "add", "triad"];
    let imported = |suffix: &str, share: f64| {
        let mut part = whole.clone();
        part.origin =
            Origin::Imported(ImportedOrigin { tool: "stream".to_owned(), ..ImportedOrigin::default() });
        for experiment in &mut part.experiments {
            let mut cells = Vec::new();
            for kernel in kernels {
                let own = |cell: &&Cell| {
                    cell.measure == Measure::Bandwidth
                        && cell.at.is(Axis::Kernel, format!("{kernel}{suffix}"))
                };
                cells.extend(experiment.cells.iter().filter(own).map(|cell| Cell {
                    at: cell.at.clone().with(Axis::Kernel, kernel),
                    estimate: Estimate::exact(cell.estimate.median * share),
                    ..cell.clone()
                }));
            }
            experiment.cells = Cells::new(cells).unwrap();
        }
        let cells = expected(&part, "quartet").cells;
        assert!(cells.len() >= kernels.len(), "{cells:?}");
        cells.iter().filter(|cell| cell.deviates()).count()
    };
    assert_eq!((imported("", 1.0), imported("_nt", 1.0)), (0, 0));
    assert!(imported("", 0.6) > 0, "what neither kind gives");
}
