//! A survey at a glance: the machine, the headlines, one panel per experiment, and how far to trust the results.

use zerohop_diagnosis::Diagnosis;
use zerohop_result::{Catalogue, Drawing, ExperimentResult, ResultFile};
use zerohop_workload::Origin;

use crate::assessed_result::AssessedResult;
use crate::completion::state;
use crate::description::{processor, topology};
use crate::evidence_summary::{Trust, concerns};
use crate::headline::headlines;
use crate::number::{counted, percent_at_least};
use crate::origin::{is_simulated, subject, when};
use crate::pages::{Alarm, alarms, more_alarms, soundness, verdict};
use crate::peak::theoretical;
use crate::sheet::{Sheet, sheets};
use crate::svg::bars::bars;
use crate::svg::canvas::{Canvas, Type, at};
use crate::svg::curve::curve;
use crate::svg::curve_marks::Beside;
use crate::svg::heat_map::heat_map;
use crate::svg::marks::Marks;
use crate::svg::palette::{DOUBT, FAINT, INK};
use crate::svg::panel::{GAP, PAGE, Panel, stack};
use crate::svg::reach::reach;
use crate::svg::rise::rise;
use crate::svg::steps::steps;
use crate::svg::waterfall::waterfall;
use crate::wrap::wrap;

/// Warnings shown by their text; the rest are counted.
const WARNINGS_SHOWN: usize = 4;

/// Where the text on trust begins, and its width in characters.
const TRUST_LEFT: f64 = GAP + 150.0;
const TRUST_WIDTH: usize = 130;

/// A picture of one experiment of the file.
pub(crate) fn experiment_picture(
    file: &ResultFile,
    result: &ExperimentResult,
    experiments: Catalogue,
) -> String {
    let mut page = Canvas::default();
    let head = write_head(&mut page, file, &[]);
    let beside = Beside { result, expectations: None, points: &[] };
    let end = stack(&mut page, &panels(beside, experiments, file, &Marks::of(file, None)), head);
    let end = write_trust(&mut page, file, end);
    let title = format!("{} of {}", result.experiment, subject(file));
    page.finish(PAGE, end + GAP, &title, experiments.summary(&result.experiment))
}

/// A picture of everything in the file: heat maps of matrices, bars of kernels and mixes, the curve of latency under
/// load, the steps of the cache hierarchy.
pub(crate) fn survey_picture(judged: &AssessedResult<'_>) -> String {
    let AssessedResult { result: file, experiments: known, expectations, diagnosis, points } = *judged;
    let mut page = Canvas::default();
    let headlines = headlines(file, known);
    let head = write_head(&mut page, file, &headlines);
    let head = diagnosis.map_or(head, |diagnosis| write_standing(&mut page, diagnosis, head));
    let marks = Marks::of(file, diagnosis);
    let mut experiments: Vec<&ExperimentResult> = file.experiments.iter().collect();
    let rank =
        |result: &&ExperimentResult| known.get(&result.experiment).map_or(u8::MAX, |known| known.panel);
    experiments.sort_by_key(rank);
    let panels: Vec<Panel> = reach(judged, &marks)
        .into_iter()
        .chain(expectations.and_then(waterfall))
        .chain(
            experiments
                .into_iter()
                .flat_map(|result| panels(Beside { result, expectations, points }, known, file, &marks)),
        )
        .collect();
    let end = stack(&mut page, &panels, head);
    let end = write_trust(&mut page, file, end);
    let title = format!("Survey of {}", subject(file));
    let headlines = headlines.into_iter().map(|(label, text)| format!("{label}: {text}"));
    let description: Vec<String> = std::iter::once(topology(&file.machine)).chain(headlines).collect();
    page.finish(PAGE, end + GAP, &title, &description.join("; "))
}

fn write_head(page: &mut Canvas, file: &ResultFile, headlines: &[(&'static str, String)]) -> f64 {
    let machine = &file.machine;
    page.text(at(GAP, 42.0), Type::new(24.0).bold(), &subject(file));
    let state = state(file.completion);
    let made = format!("{}, {}, {}{state}", file.produced_by, file.settings.effort, when(file));
    page.text(at(PAGE - GAP, 42.0), Type::new(11.5).fill(FAINT).end(), &made);
    page.text(at(GAP, 64.0), Type::new(13.0), &processor(machine));
    page.text(at(GAP, 83.0), Type::new(13.0).fill(FAINT), &topology(machine));
    let mut y = 108.0;
    let reach = ("should reach", theoretical(machine));
    for (label, text) in std::iter::once(&reach).chain(headlines) {
        page.text(at(GAP, y), Type::new(12.5).bold(), label);
        for line in wrap(text, TRUST_WIDTH) {
            page.text(at(GAP + 130.0, y), Type::new(12.5), &line);
            y += 19.0;
        }
    }
    y + 8.0
}

/// What is wrong with the machine, what was not tested, and what the values decide.
fn write_standing(page: &mut Canvas, diagnosis: &Diagnosis, top: f64) -> f64 {
    let mut lines: Vec<(&'static str, String)> = Vec::new();
    for Alarm { finding, cause, .. } in alarms(diagnosis) {
        lines.push(("!", finding));
        lines.push(("", cause));
    }
    lines.extend(more_alarms(diagnosis).map(|more| ("", more)));
    lines.extend(soundness(diagnosis).map(|words| ("diagnosis", words)));
    lines.extend(diagnosis.not_tested().map(|words| ("not tested", words.to_owned())));
    lines.extend(verdict(diagnosis).map(|(words, _)| ("verdict", words)));
    let mut y = top - 8.0;
    for (label, text) in lines {
        let fill = if label == "!" { DOUBT } else { INK };
        page.text(at(GAP, y), Type::new(12.5).bold().fill(fill), label);
        for line in wrap(&text, TRUST_WIDTH) {
            page.text(at(GAP + 130.0, y), Type::new(12.5).fill(fill), &line);
            y += 19.0;
        }
    }
    y + 8.0
}

/// The panels of an experiment.
pub(super) fn panels(
    beside: Beside<'_>,
    experiments: Catalogue,
    file: &ResultFile,
    marks: &Marks,
) -> Vec<Panel> {
    let result = beside.result;
    let sheets = sheets(result, experiments);
    let drawn = |sheet: &Sheet<'_>| match sheet.drawing? {
        Drawing::HeatMap => Some(heat_map(sheet, &file.machine, |cell| marks.has(&result.experiment, cell))),
        Drawing::Bars => Some(bars(sheet)),
        Drawing::Curve => curve(sheet, beside),
        Drawing::Rise => rise(sheet),
        Drawing::Steps => None,
    };
    // Steps are drawn once, for all sheets that have them.
    let steps = sheets.iter().any(|sheet| sheet.drawing == Some(Drawing::Steps)).then(|| steps(result));
    steps.flatten().into_iter().chain(sheets.iter().filter_map(drawn)).collect()
}

fn write_trust(page: &mut Canvas, file: &ResultFile, top: f64) -> f64 {
    let trust = Trust::over(&file.experiments);
    let mut facts = Vec::new();
    if is_simulated(file) {
        facts.push("simulated, not measured".to_owned());
    } else if matches!(file.origin, Origin::Imported(_)) {
        facts.push(file.origin.to_string());
    } else if let Some(share) = trust.placed_share {
        facts.push(format!("{} of the pages checked are on the requested node", percent_at_least(share)));
    } else if trust.cells > 0 {
        facts.push("placement not proven".to_owned());
    }
    facts.extend(
        trust.huge_share.map(|share| format!("huge pages back {} of every buffer", percent_at_least(share))),
    );
    facts.extend(trust.cpu_share.map(|share| format!("workers ran {} of the time", percent_at_least(share))));
    facts.extend(
        trust.margins().map(|margins| format!("intervals {}", margins.at_most(file.settings.interval))),
    );
    match trust.disturbed {
        0 if is_simulated(file) => {}
        0 => facts.push("no sample disturbed".to_owned()),
        count if trust.let_in == 0 => {
            facts.push(format!("{} discarded and repeated", counted(count, "disturbed sample")));
        }
        count => {
            facts.push(format!("{}, of which {} are used", counted(count, "disturbed sample"), trust.let_in));
        }
    }
    let mut y = top + 10.0;
    page.text(at(GAP, y), Type::new(12.5).bold(), "how far to trust it");
    for line in wrap(&facts.join(" · "), TRUST_WIDTH) {
        page.text(at(TRUST_LEFT, y), Type::new(12.5), &line);
        y += 19.0;
    }
    let concerns = concerns(&file.warnings, &file.experiments);
    let shown = concerns.iter().take(WARNINGS_SHOWN).map(|concern| format!("! {}", concern.gravest));
    let more = concerns.len().saturating_sub(WARNINGS_SHOWN);
    let more = (more > 0).then(|| format!("and {more} more"));
    for line in shown.chain(more).flat_map(|warning| wrap(&warning, TRUST_WIDTH)) {
        page.text(at(TRUST_LEFT, y), Type::new(12.5).fill(DOUBT), &line);
        y += 19.0;
    }
    y - 14.0
}
