//! Values of a machine over time, and the changes of the machine.

use std::borrow::Cow;

use schemars::generate::SchemaGenerator;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use zerohop_compare::{changes, trait_changes};
use zerohop_result::{Course, History, Role, Timestamp};

use crate::history_chart::drawings;
use crate::html::{Links, Part, Story, WIDE};
use crate::markdown::page_markdown;
use crate::pages::history_page;
use crate::pretty::pretty;
use crate::printable::plain_line;
use crate::reference::Reference;
use crate::render::{Document, Views};
use crate::svg::{ChartDrawing, charts_file};
use crate::table::Table;

/// The smallest step that charts mark, as a share; `zerohop changes` has the same.
const LEAST: f64 = 0.02;

/// Charts of a page, at most: a machine has thousands of values.
const MOST: usize = 60;

/// The results of a machine over time.
#[derive(Debug, Clone, Copy)]
pub struct HistoryReport<'a> {
    pub history: &'a History,
}

impl Document for HistoryReport<'_> {
    const NAME: &'static str = "a history";
    const VIEWS: Views<Self> = Views {
        page: Some(|report, style| history_page(report.history, style)),
        json: Some(|report| history_json(report.history)),
        rows: Some(|report| readings(report.history)),
        markdown: Some(|report| page_markdown(&history_page(report.history, &WIDE))),
        story: Some(story),
        ..Views::NONE
    };
}

/// The page, and the charts of its first courses below it.
fn story(report: &HistoryReport<'_>) -> Story {
    let history = report.history;
    let found = changes(history, LEAST);
    let charts: Vec<ChartDrawing> = drawings(history, &found, &NoLinks, MOST)
        .map(|(course, drawing)| {
            let title = format!("{}: {}", course.series.experiment, drawing.title);
            ChartDrawing { title, ..drawing }
        })
        .collect();
    let title = format!("history of {}", plain_line(&history.machine));
    let picture = (!charts.is_empty())
        .then(|| Part::Picture { name: "history".to_owned(), svg: charts_file(&title, &charts) });
    Story {
        name: HistoryReport::NAME,
        parts: std::iter::once(Part::Page(history_page(history, &WIDE))).chain(picture).collect(),
        data: vec![history_json(history)],
    }
}

/// A page by itself leads nowhere.
struct NoLinks;

impl Links for NoLinks {
    fn address(&self, _: &Reference) -> Option<String> {
        None
    }
}

/// Schema of its JSON form.
impl JsonSchema for HistoryReport<'_> {
    fn schema_name() -> Cow<'static, str> {
        "History".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Written::json_schema(generator)
    }
}

/// Results of a machine, from the first to the last, and their values.
#[derive(Serialize, JsonSchema)]
struct Written<'a> {
    machine: &'a str,
    runs: Vec<WrittenRun<'a>>,
    courses: Vec<WrittenCourse<'a>>,
    changed: Vec<WrittenChange>,
}

#[derive(Serialize, JsonSchema)]
struct WrittenRun<'a> {
    id: &'a str,
    began_at: Option<Timestamp>,
    stated_at: Option<Timestamp>,
    grade: Option<&'a str>,
    unusable: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
struct WrittenCourse<'a> {
    experiment: &'a str,
    measure: &'static str,
    unit: &'static str,
    place: &'a str,
    readings: Vec<WrittenReading>,
}

#[derive(Serialize, JsonSchema)]
struct WrittenReading {
    run: usize,
    value: f64,
    low: f64,
    high: f64,
    doubtful: bool,
}

#[derive(Serialize, JsonSchema)]
struct WrittenChange {
    run: usize,
    what: String,
    from: String,
    to: String,
}

fn history_json(history: &History) -> String {
    let runs = history.runs.iter().map(|run| WrittenRun {
        id: &run.listed.id,
        began_at: run.listed.began_at,
        stated_at: run.listed.stated_at,
        grade: run.listed.grade.as_deref(),
        unusable: run.listed.unusable.as_deref(),
    });
    let reading = |(run, reading): &(usize, zerohop_result::Reading)| WrittenReading {
        run: *run,
        value: reading.value,
        low: reading.low,
        high: reading.high,
        doubtful: reading.doubtful,
    };
    let courses = history.courses.iter().map(|Course { series, readings }| WrittenCourse {
        experiment: series.experiment.as_str(),
        measure: series.measure.name(),
        unit: series.measure.unit(),
        place: &series.place,
        readings: readings.iter().map(reading).collect(),
    });
    let changed = trait_changes(&history.runs).into_iter();
    let changed =
        changed.map(|one| WrittenChange { run: one.run, what: one.what, from: one.from, to: one.to });
    pretty(&Written {
        machine: &history.machine,
        runs: runs.collect(),
        courses: courses.collect(),
        changed: changed.collect(),
    })
}

/// One row per value.
fn readings(history: &History) -> Table {
    let rows: Vec<_> = history
        .courses
        .iter()
        .flat_map(|course| course.readings.iter().map(move |(run, reading)| (&course.series, *run, reading)))
        .collect();
    let run = |rank: usize| &history.runs[rank].listed;
    Table::new()
        .words("machine", rows.iter().map(|_| history.machine.clone()))
        .words(
            "began_at",
            rows.iter().map(|row| run(row.1).began_at.map(|time| time.to_string()).unwrap_or_default()),
        )
        .words("id", rows.iter().map(|row| run(row.1).id.clone()))
        .words(
            "role",
            rows.iter().map(|row| if row.0.role == Role::Headline { "headline" } else { "cell" }.to_owned()),
        )
        .words("experiment", rows.iter().map(|row| row.0.experiment.to_string()))
        .words("place", rows.iter().map(|row| row.0.place.clone()))
        .words("measure", rows.iter().map(|row| row.0.measure.name().to_owned()))
        .words("unit", rows.iter().map(|row| row.0.measure.unit().to_owned()))
        .numbers("value", rows.iter().map(|row| Some(row.2.value)))
        .numbers("low", rows.iter().map(|row| Some(row.2.low)))
        .numbers("high", rows.iter().map(|row| Some(row.2.high)))
        .words("doubtful", rows.iter().map(|row| row.2.doubtful.to_string()))
        .words("origin", rows.iter().map(|row| run(row.1).origin.clone()))
}
