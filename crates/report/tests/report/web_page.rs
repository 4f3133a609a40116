//! The web page of results: each statement stands once, and each link leads to something on the page.

use std::collections::BTreeSet;

use zerohop_experiment::catalogue;
use zerohop_report::pages::Style;
use zerohop_report::{AssessedResult, Form, Report, Survey};

use crate::examples::{machine, survey};
use crate::shown::text;
use crate::standing::sick;

/// The identifiers of a page, which are all different, and the targets of its links.
fn identifiers_and_targets(html: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let pictures = regex::Regex::new("(?s)<svg.*?</svg>").unwrap();
    let rest = pictures.replace_all(html, "");
    let all = |pattern: &str| -> Vec<String> {
        let pattern = regex::Regex::new(pattern).unwrap();
        pattern.captures_iter(&rest).map(|found| found[1].to_owned()).collect()
    };
    let identifiers = all(" id=\"([^\"]*)\"");
    let unique: BTreeSet<String> = identifiers.iter().cloned().collect();
    assert_eq!(unique.len(), identifiers.len(), "{identifiers:?}");
    (unique, all(" href=\"#([^\"]*)\"").into_iter().collect())
}

#[test]
fn a_finding_stands_once_and_leads_to_its_values() {
    let (file, diagnosis) = sick();
    let survey = Survey {
        result: &file,
        experiments: catalogue(),
        expectations: None,
        whole: true,
        diagnosis: Some(&diagnosis),
    };
    let html = text(&survey, Form::Html, &Style::default()).unwrap();
    let ticket = regex::Regex::new("(?s)<template.*?</template>").unwrap();
    let shown = ticket.replace_all(&html, "");
    assert_eq!(shown.matches(&diagnosis.findings[0].title).count(), 1);
    assert!(html.contains("<div class=\"verdict fault\"><p><strong>1 fault</strong>"));
    let (identifiers, targets) = identifiers_and_targets(&html);
    assert!(targets.iter().any(|target| target.starts_with("value-")), "{targets:?}");
    assert!(targets.is_subset(&identifiers), "{:?}", targets.difference(&identifiers));
}

#[test]
fn parts_of_several_results_have_names_of_their_own() {
    let (file, diagnosis) = sick();
    let other = survey(machine(2, 1, 4));
    let assessed = |result, diagnosis| AssessedResult {
        result,
        experiments: catalogue(),
        expectations: None,
        diagnosis,
        points: &[],
    };
    let results =
        [assessed(&file, Some(&diagnosis)), assessed(&other, None), assessed(&file, Some(&diagnosis))];
    let html = text(&Report { results: &results, comparison: None }, Form::Html, &Style::default()).unwrap();
    let (identifiers, targets) = identifiers_and_targets(&html);
    assert!(targets.is_subset(&identifiers), "{:?}", targets.difference(&identifiers));
    assert!(identifiers.contains("result-3-finding-1") && identifiers.contains("result-1-finding-1"));
}

#[test]
fn a_ticket_has_the_machine_the_verdict_the_figures_and_the_findings() {
    let (file, diagnosis) = sick();
    let survey = Survey {
        result: &file,
        experiments: catalogue(),
        expectations: None,
        whole: false,
        diagnosis: Some(&diagnosis),
    };
    let markdown = text(&survey, Form::Markdown, &Style::default()).unwrap();
    let place = |words: &str| markdown.find(words).unwrap_or_else(|| panic!("{words} is not in {markdown}"));
    let order = ["## example", "1 fault", "| local latency |", "### fault", "a channel of node 1 is empty"];
    let places = order.map(place);
    assert!(places.is_sorted(), "{places:?}: {markdown}");
}
