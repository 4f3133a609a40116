//! Foreign text in every field of documents, in every form: nothing of it is markup, a formula, a line or a command for a
//! terminal.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use zerohop_compare::Fact;
use zerohop_compare::{Configuration, Numbering, compare};
use zerohop_diagnosis::{Cure, DOCTOR_VERSION, DoctorReport, HostCheck, HostStanding};
use zerohop_diagnosis::{DiagnosisFile, FleetDiagnosis, Given, diagnose};
use zerohop_expectation::{KnownErrors, expect};
use zerohop_experiment::catalogue;
use zerohop_fleet::{
    BadNode, Deficit, Distribution, FLEET_VERSION, FleetFile, FleetGroup, FleetMember, FleetNote,
    NotCompared, Odd, Part, Parts, Relation, Scope, ScopeOf, Shortfall, TwoModes, Unanswered, Usual,
};
use zerohop_machine::Machine;
use zerohop_report::pages::Style;
use zerohop_report::{
    DiagnosisReport, Document, Experiment, Form, Rendered, ShownResult, Survey, forms, render,
};
use zerohop_result::page_data::Carried;
use zerohop_result::{Axis, Coordinates, ExperimentName, Measure, ResultFile};

use crate::examples::*;
use crate::reproduction;

/// What each form would take for something of its own. It has no backtick, so that those of a page are the program's.
const HOSTILE: &str = "=1+1,\"|<forged>x</forged> [l](u) *b* https://evil.example www.evil.example me@evil.example &lt; ]]>\r\nFORGED | row\n# HEADING\tand\u{1b}[2J\u{85}\u{2028}\u{0}\\";

/// `document` with foreign text in every field that takes any.
fn with_hostile_text<D: Serialize + DeserializeOwned>(document: &D) -> D {
    let mut value = serde_json::to_value(document).unwrap();
    let mut places = Vec::new();
    find_texts(&value, String::new(), &mut places);
    let mut replaced = 0;
    for place in &places {
        let before = value.pointer(place).unwrap().clone();
        *value.pointer_mut(place).unwrap() = json!(HOSTILE);
        match serde_json::from_value::<D>(value.clone()) {
            Ok(_) => replaced += 1,
            // A field of given words.
            Err(_) => *value.pointer_mut(place).unwrap() = before,
        }
    }
    assert!(replaced > 3, "{replaced} of {} texts", places.len());
    serde_json::from_value(value).unwrap()
}

fn find_texts(value: &Value, at: String, places: &mut Vec<String>) {
    match value {
        Value::String(_) => places.push(at),
        Value::Array(values) => {
            let inner = values.iter().enumerate();
            inner.for_each(|(rank, value)| find_texts(value, format!("{at}/{rank}"), places));
        }
        Value::Object(fields) => {
            let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
            let inner = fields.iter();
            inner.for_each(|(key, value)| find_texts(value, format!("{at}/{}", escaped(key)), places));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Renders `document` in every form of text, and says in which ones it could be. Pixels are drawn from SVG, and take long.
fn assert_inert<D: Document>(document: &D) -> Vec<Form> {
    let mut shown = Vec::new();
    for form in forms::<D>().into_iter().filter(|form| *form != Form::Png) {
        for style in [Style::default(), Style { colour: true, width: 60 }] {
            // A form that must have numbers where there is text now is refused.
            let Ok(Rendered::Text(text)) = render(document, form, &style) else { continue };
            assert_text_inert(form, &text);
            shown.push(form);
        }
    }
    shown.dedup();
    shown
}

fn assert_text_inert(form: Form, text: &str) {
    let forged = |line: &str| ["FORGED", "# HEADING"].iter().any(|text| line.trim_start().starts_with(text));
    match form {
        Form::Page | Form::Mlc | Form::Markdown => {
            assert!(!text.contains("\u{1b}[2J"), "{form}: {text}");
            assert!(!text.contains(['\r', '\u{85}', '\u{2028}', '\0']), "{form}: {text:?}");
        }
        _ => {}
    }
    match form {
        Form::Page | Form::Mlc | Form::Slit => {
            assert!(!text.lines().any(forged), "{form}: {text}");
        }
        Form::Markdown => {
            assert!(!text.lines().any(forged), "{text}");
            let code = regex::Regex::new("(?m)^`{3,}text\n(?s:.*?)^`{3,}$").unwrap();
            let spans = regex::Regex::new("`[^`\n]*`").unwrap();
            let rest = code.replace_all(text, "");
            let rest = spans.replace_all(&rest, "");
            for raw in [
                "<forged>",
                "</forged>",
                " [l](",
                " *b*",
                "&lt; ",
                "=1+1,\"|",
                "://evil",
                "www.evil",
                "@evil",
            ] {
                assert!(!rest.contains(raw), "{raw} in {rest}");
            }
        }
        Form::Csv | Form::Mess => {
            let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
            for record in reader.records() {
                for field in &record.unwrap() {
                    let is_formula = field.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']);
                    assert!(!is_formula || field.parse::<f64>().is_ok(), "{field:?}");
                }
            }
        }
        Form::Svg | Form::Hwloc => {
            let options =
                roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
            let tree = roxmltree::Document::parse_with_options(text, options).unwrap();
            assert!(!tree.descendants().any(|node| node.has_tag_name("forged")), "{text}");
        }
        Form::Html => {
            // Data is JSON, pictures are held to what pictures are, and links within a page name no one.
            let parts = "(?s)<script type=\"application/json\".*?</script>|<svg.*?</svg>|href=\"#node-[0-9]+-[0-9]+\"";
            let rest = regex::Regex::new(parts).unwrap().replace_all(text, "");
            // Links lead to other parts of the page.
            let own = regex::Regex::new("href=\"#[a-z0-9-]+\"").unwrap();
            let rest = own.replace_all(&rest, "");
            for raw in ["<forged", "</forged", "\u{1b}", "\u{2028}", "\0", "href=\""] {
                assert!(!rest.contains(raw), "{raw:?} in a page");
            }
            assert_eq!(text.matches("<script").count(), text.matches("</script>").count());
            assert!(matches!(Carried::by(text), Carried::One(_) | Carried::Nothing));
        }
        Form::Json | Form::Parquet | Form::Png | Form::Toml | Form::OpenMetrics => {}
    }
}

/// Fields of a result that hold foreign text, and the forms that show them, were a list of cases each.
#[test]
fn a_result_of_hostile_text_is_inert_in_every_form() {
    let hostile: ResultFile = with_hostile_text(&doubtful());
    assert_eq!(hostile.machine.name, HOSTILE);
    let expectations = expect(&hostile, Err(HOSTILE), &KnownErrors::default());
    let diagnosis = diagnose(&[], "a result", &hostile, Given::default());
    for whole in [false, true] {
        let survey = Survey {
            result: &hostile,
            experiments: catalogue(),
            expectations: Some(&expectations),
            whole,
            diagnosis: None,
        };
        let shown = assert_inert(&survey);
        assert!([Form::Page, Form::Csv, Form::Svg].iter().all(|form| shown.contains(form)), "{shown:?}");
        let result = ShownResult {
            result: &hostile,
            experiments: catalogue(),
            expectations: &expectations,
            whole,
            diagnosis: &diagnosis,
            points: &[],
        };
        assert_inert(&result);
    }
    for result in &hostile.experiments {
        assert_inert(&Experiment { file: &hostile, result, experiments: catalogue() });
    }
    assert_inert(&hostile.machine);
    let named = [HOSTILE, "other"].map(|name| Configuration { name, result: &hostile, repeats: &[] });
    assert_inert(&compare(&named, Numbering::ByTopology).unwrap());
}

#[test]
fn a_machine_of_hostile_text_is_inert_in_every_form() {
    let hostile: Machine = with_hostile_text(&with_dimms(machine(2, 1, 4)));
    let shown = assert_inert(&hostile);
    assert!(
        [Form::Page, Form::Csv, Form::Svg, Form::Hwloc].iter().all(|form| shown.contains(form)),
        "{shown:?}"
    );
}

/// A machine's name was a heading of the page, and its markup was obeyed.
#[test]
fn a_diagnosis_of_hostile_text_is_inert_in_every_form() {
    let file: DiagnosisFile = serde_json::from_value(json!({
        "schema_version": 1,
        "diagnoses": [{
            "result": "a.json", "machine": "m", "origin": doubtful().origin, "passed": ["one"],
            "untold": [{"rule": "two", "missing": "latencies"}],
            "findings": [{
                "rule": "three", "severity": "fault", "title": "t", "evidence": [{"words": "w"}],
                "confidence": "high", "why": "y", "source": "s", "remedies": ["r"], "next": "n",
                "causes": [{"words": "c", "likelihood": 0.5, "tells": "t"}],
            }],
        }],
    }))
    .unwrap();
    let hostile = with_hostile_text(&file);
    for whole in [false, true] {
        assert_eq!(
            assert_inert(&DiagnosisReport { file: &hostile, rules: &[], whole }),
            [Form::Page, Form::Json, Form::Csv, Form::Markdown, Form::Html]
        );
    }
}

/// It had no Markdown, and was not tried.
#[test]
fn what_a_hostile_host_allows_is_inert_in_every_form() {
    let hostile = || HOSTILE.to_owned();
    let check = |standing, cure| HostCheck {
        what: hostile(),
        standing,
        is: hostile(),
        cost: Some(hostile()),
        cure: Some(cure),
    };
    let report =
        |checks| DoctorReport { schema_version: DOCTOR_VERSION, machine: hostile(), live: false, checks };
    for standing in [HostStanding::Prevents, HostStanding::Costs, HostStanding::Fine] {
        let cures = [Cure::Command(hostile()), Cure::Elsewhere(hostile())];
        assert_eq!(
            assert_inert(&report(cures.map(|cure| check(standing, cure)).to_vec())),
            [Form::Page, Form::Json, Form::Csv, Form::Markdown, Form::Html]
        );
    }
}

#[test]
fn a_reproduction_of_hostile_text_is_inert_in_every_form() {
    let shown = assert_inert(&with_hostile_text(&reproduction::file()));
    assert_eq!(shown, [Form::Page, Form::Json, Form::Csv, Form::Markdown, Form::Html]);
}

/// Names of nodes and facts come from files, hosts and tables of anybody.
#[test]
fn a_fleet_of_hostile_names_is_inert_in_every_form() {
    let scope = |of| Scope { experiment: ExperimentName::known("stream"), measure: Measure::Bandwidth, of };
    let fact = |name: &str| Fact { name: name.to_owned(), value: "value".to_owned() };
    let relation = |without| Relation {
        fact: fact("firmware"),
        without,
        bad: (2, 3),
        others: (1, 9),
        chance: 0.01,
        effect: 0.9,
        same: vec![fact("kernel")],
    };
    let cell = ScopeOf::Cell(Coordinates::new().with(Axis::Kernel, "triad"));
    let deficit = Deficit { scope: scope(cell), found: 1.0, usual: 2.0, loss: 0.5, chance: 0.0 };
    let modes = TwoModes {
        scope: scope(ScopeOf::Own),
        better: 2.0,
        worse: 1.0,
        nodes: vec!["n2".to_owned()],
        relations: vec![relation(true)],
    };
    let members = [Some("rack"), None].map(|rack| FleetMember {
        node: if rack.is_some() { "n1" } else { "n2" }.to_owned(),
        rack: rack.map(str::to_owned),
        report: Some("n1.html".to_owned()),
    });
    let usual = Usual { scope: scope(ScopeOf::Own), value: 2.0, spread: 0.01, told: 0.05, nodes: 12 };
    let group = FleetGroup {
        kind: vec![fact("processor"), fact("rack")],
        nodes: 12,
        odd: vec![Odd { fact: fact("DIMMs"), usual: "usual".to_owned(), nodes: vec!["n1".to_owned()] }],
        usual: vec![usual],
        bad: vec![BadNode {
            node: "n1".to_owned(),
            loss: 0.5,
            lost: vec![Shortfall { part: Part::Dimms, found: 15, usual: 24 }],
            deficits: vec![deficit],
            since: None,
        }],
        parts: Parts([(Part::Dimms, 24)].into()),
        modes: vec![modes],
        relations: vec![relation(false), relation(true)],
        not_judged: None,
        not_compared: vec![NotCompared { node: "n3".to_owned(), lacks: Vec::new() }],
        members: members.into(),
        distributions: vec![Distribution { scope: scope(ScopeOf::Own), values: vec![Some(1.0), None] }],
    };
    let open = FleetGroup { not_judged: Some("why".to_owned()), ..group.clone() };
    let note = FleetNote { words: "left out".to_owned(), about: vec!["a".to_owned()], leaves_open: true };
    let file = FleetFile {
        schema_version: FLEET_VERSION,
        groups: vec![group, open],
        unanswered: vec![Unanswered { node: "n4".to_owned(), why: "why".to_owned() }],
        notes: vec![note],
    };
    let fleet = with_hostile_text(&FleetDiagnosis { fleet: file, diagnoses: Vec::new() });
    assert_eq!(
        assert_inert(&fleet),
        [Form::Page, Form::Json, Form::Csv, Form::Svg, Form::Markdown, Form::Html]
    );
}
