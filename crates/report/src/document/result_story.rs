//! Page of a result for a browser: summary, picture, findings, and all tables.

use zerohop_expectation::Knowledge;
use zerohop_workload::Origin;

use crate::assessed_result::AssessedResult;
use crate::html::{Part, Story, WIDE, listed, model_in_words};
use crate::pages::{findings_page, first_screen, survey_page};
use crate::svg::survey_picture;

/// Summary, picture, findings, and all tables.
pub(super) fn story(judged: &AssessedResult<'_>) -> Story {
    let AssessedResult { result, experiments, expectations, diagnosis, points: _ } = *judged;
    let first = first_screen(result, experiments, expectations, diagnosis, &WIDE);
    let picture = Part::Picture { name: "survey".to_owned(), svg: survey_picture(judged) };
    let found = diagnosis.map(|diagnosis| Part::Page(findings_page(diagnosis, &WIDE)));
    let whole = Part::Page(survey_page(result, experiments, expectations, diagnosis, &WIDE));
    let parts = [Part::Page(first), picture]
        .into_iter()
        .chain(found)
        .chain([whole, Part::Values { all: listed(result, expectations), explore: explore(judged) }])
        .collect();
    Story { name: "a result", parts, data: vec![result.compact()] }
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
