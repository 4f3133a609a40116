//! Page of a result for a browser: a first screen that answers what is wrong and what to do, and sections with everything else.

use zerohop_diagnosis::Diagnosis;
use zerohop_expectation::Knowledge;
use zerohop_result::{ExperimentResult, Glance, Topic};
use zerohop_units::counted;
use zerohop_workload::Origin;

use crate::assessed_result::AssessedResult;
use crate::html::{Beside, Part, Section, Story, WIDE, listed, model_in_words, notes, summary};
use crate::markdown::finding_markdown;
use crate::page::{Block, Page};
use crate::pages::{
    Extent, expected_performance, matrices, measured_machine, trustworthiness, unexplained, write_sheets,
};
use crate::result_summary::ResultSummary;
use crate::svg::Charts;

/// The page of one result.
pub(super) fn story(judged: &AssessedResult<'_>) -> Story {
    let of = ResultSummary::of(judged);
    let parts = parts(judged, &of, "", true);
    Story { name: "a result", parts, data: vec![judged.result.compact()] }
}

/// The first screen and the sections of a result, whose identifiers begin with `prefix`. `is_alone` if the page is about this result alone.
pub(super) fn parts(
    judged: &AssessedResult<'_>,
    of: &ResultSummary,
    prefix: &str,
    is_alone: bool,
) -> Vec<Part> {
    let AssessedResult { result, experiments, expectations, diagnosis, points: _ } = *judged;
    let charts = Charts::of(judged);
    let matrices = matrices(result, experiments, expectations, &WIDE);
    let tickets: Vec<String> =
        diagnosis.into_iter().flat_map(|one| &one.findings).map(|one| finding_markdown(one, of)).collect();
    let machine = charts.machine();
    let beside = Beside {
        result,
        machine: machine.as_ref(),
        matrices: &matrices,
        unexplained: &unexplained(result, experiments, expectations, !of.cards.is_empty(), &WIDE),
        tickets: &tickets,
        prefix,
    };
    let first = Part::Elements {
        title: is_alone.then(|| of.title.clone()),
        link: (!is_alone).then(|| [format!("{prefix}summary"), of.title.clone()]),
        markup: summary(of, &beside, is_alone),
    };
    let section = |id: &str, title: &str, link: &str, parts: Vec<Part>| Section {
        id: format!("{prefix}{id}"),
        title: title.to_owned(),
        link: is_alone.then(|| link.to_owned()),
        count: None,
        parts,
        is_open: false,
        is_printed: false,
    };
    let losses: Vec<_> = charts.losses().into_iter().collect();
    let expected = Part::Page(expected_performance(result, experiments, expectations, &WIDE));
    let losses = (!losses.is_empty()).then_some(Part::Charts { charts: losses, tables: None });
    let expected = losses.into_iter().chain([expected]).collect();
    let expected = section("expected", "what it should reach", "expected", expected);
    let has_matrices = matrices.blocks().iter().any(|block| matches!(block, Block::Matrices(_)));
    let topics = Topic::ALL.into_iter().filter_map(|topic| {
        let parts = shown(judged, &charts, Some(topic), has_matrices);
        let [id, title, link] = words(topic);
        let is_open = is_alone && topic != Topic::Nodes;
        (!parts.is_empty()).then(|| Section { is_open, ..section(id, title, link, parts) })
    });
    let others = shown(judged, &charts, None, has_matrices);
    let others =
        (!others.is_empty()).then(|| section("others", "experiments of later versions", "others", others));
    let notes = diagnosis.map(|diagnosis| {
        let markup = notes(diagnosis, result, prefix);
        let parts = vec![Part::Elements { title: None, link: None, markup }];
        Section { count: number_of(diagnosis), ..section("notes", "notes and rules", "notes", parts) }
    });
    let machine = vec![Part::Page(measured_machine(result, &WIDE))];
    let machine = section("hardware", "the machine", "machine", machine);
    let trust = vec![Part::Page(trustworthiness(result, &WIDE))];
    let trust = Section { is_printed: true, ..section("trust", "trust and method", "method", trust) };
    let all = listed(result, expectations, diagnosis, prefix);
    let cells: usize = result.experiments.iter().map(|one| one.cells.len()).sum();
    let values = vec![Part::Values { all, explore: explore(judged) }];
    let values = Section {
        count: Some(counted(cells, "value")),
        ..section("all-values", "every value", "values", values)
    };
    let sections = topics.chain(others).chain([expected]).chain(notes).chain([machine, trust, values]);
    std::iter::once(first).chain(sections.map(Part::Section)).collect()
}

/// Number of notes of a diagnosis, if there are any.
fn number_of(diagnosis: &Diagnosis) -> Option<String> {
    let notes = diagnosis.findings.len() - diagnosis.alarms().count();
    (notes > 0).then(|| counted(notes, "note"))
}

/// Identifier, title, and text of the link of a topic's section.
const fn words(topic: Topic) -> [&'static str; 3] {
    match topic {
        Topic::Nodes => ["nodes", "memory by node", "memory"],
        Topic::Caches => ["caches", "caches", "caches"],
        Topic::Bandwidth => ["bandwidth", "bandwidth and mixes", "bandwidth"],
        Topic::Load => ["load", "latency under load", "under load"],
        Topic::Cores => ["cores", "core to core", "cores"],
        Topic::Sharing => ["sharing", "memory shared by many cores", "sharing"],
    }
}

/// The experiments of a topic, or those that this version does not know: charts, and their tables.
fn shown(
    judged: &AssessedResult<'_>,
    charts: &Charts<'_>,
    topic: Option<Topic>,
    has_matrices: bool,
) -> Vec<Part> {
    let AssessedResult { result, experiments, .. } = *judged;
    let is_of = |one: &&ExperimentResult| {
        experiments.get(&one.experiment).map(|known| known.topic) == topic && !one.cells.is_empty()
    };
    let of_topic: Vec<&ExperimentResult> = result.experiments.iter().filter(is_of).collect();
    of_topic
        .into_iter()
        .map(|one| {
            let glance = experiments.get(&one.experiment).and_then(|known| known.glance);
            // The matrices of the first screen are not drawn again.
            let is_drawn = has_matrices && matches!(glance, Some(Glance::NearAndFar(_)));
            let charts = if is_drawn { Vec::new() } else { charts.experiment(one) };
            let mut tables = Page::new(&WIDE);
            write_sheets(&mut tables, result, one, experiments, Extent::Overview);
            let title = match charts.is_empty() {
                true => experiments.summary(&one.experiment).to_owned(),
                false => "as a table".to_owned(),
            };
            Part::Charts { charts, tables: Some((title, tables)) }
        })
        .collect()
}

/// The command that opens a model of the machine: of the one that was simulated, or that values are compared with.
fn explore(judged: &AssessedResult<'_>) -> Option<String> {
    let machine = match (&judged.result.origin, judged.expectations.map(|known| &known.knowledge)) {
        (Origin::Model(_), _) => model_in_words(&judged.result.machine),
        (_, Some(Knowledge::Model { machine, .. })) => {
            let mut words = machine.split(',');
            let name = format!("'{}'", words.next().unwrap_or_default());
            std::iter::once(name).chain(words.map(|setting| format!(" --set '{setting}'"))).collect()
        }
        _ => return None,
    };
    Some(format!("zerohop explore {machine}"))
}
