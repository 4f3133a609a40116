//! Courses of a machine's values as charts: what is drawn of them, and what the steps are that a chart marks.

use zerohop_compare::{Change, ChangedTrait, ChangedValue, MachineChanges, trait_changes};
use zerohop_result::{
    Course, Dimension, ExperimentName, HistoricRun, History, Reading, Role, Series, Timestamp,
};
use zerohop_statistics::{ascending, median, quantile};

use crate::html::Links;
use crate::measure::{shown_unit, with_unit};
use crate::number::significant;
use crate::place::place_words;
use crate::printable::plain_line;
use crate::reference::Reference;
use crate::svg::{ChartDrawing, Dot, Mark, Scale, Stretch, TimeAxis, spark, value_axis};

/// Dots of a chart, at most; several values in a row share one where there are more.
const MOST_DOTS: usize = 160;

/// Ticks of a value axis, at most.
const MOST_TICKS: usize = 6;

/// Characters of a fact's value that are shown.
const SHOWN: usize = 60;

/// The ends of the usual band, as shares of the values between two steps.
const BAND: (f64, f64) = (0.05, 0.95);

/// Explanation of what charts of courses show, for pages that have some.
pub const CHART_KEY: &str = "Band: the middle nine tenths of the values between two steps; the dashed line is their median. The value axis covers at least ±5 % of the median. A hollow dot is a doubtful value.";

/// A value of a machine over time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryChart {
    pub experiment: ExperimentName,
    /// The measure with its unit, and its place.
    pub title: String,
    /// The latest value with its unit.
    pub latest: String,
    /// The steps that the chart marks.
    pub steps: Vec<ChartStep>,
    /// The value axis as an element of a page.
    pub axis: String,
    /// The chart right of it, as wide as its place.
    pub plot: String,
}

/// A step that a chart marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChartStep {
    /// Start time of the first result after it.
    pub at: Option<Timestamp>,
    /// `-18.0 %`.
    pub change: String,
    pub better: bool,
    /// What changed in the machine at that time.
    pub traits: Vec<String>,
}

/// A machine's most telling value over the last results, for a list of machines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SparkChart {
    /// What the values are.
    pub title: String,
    /// The experiment and the place of the values, in a few words.
    pub caption: String,
    /// The latest value with its unit.
    pub latest: String,
    /// The chart as an element of a page.
    pub picture: String,
}

/// Charts of the first courses of a history, `most` at most, with the steps that were found in it.
pub fn history_charts(
    history: &History,
    changes: &MachineChanges,
    links: &dyn Links,
    most: usize,
) -> Vec<HistoryChart> {
    drawings(history, changes, links, most)
        .map(|(course, drawing)| HistoryChart {
            experiment: course.series.experiment.clone(),
            latest: latest(course),
            steps: steps_of(course, changes).map(|(change, value)| chart_step(change, value)).collect(),
            axis: drawing.axis().into_string(),
            plot: drawing.plot().into_string(),
            title: drawing.title,
        })
        .collect()
}

/// The course that tells most: one that stepped, else the bandwidth with the most values.
pub fn history_spark(history: &History, changes: &MachineChanges) -> Option<SparkChart> {
    let stepped = |course: &&Course| steps_of(course, changes).next().is_some();
    let rank = |course: &&Course| {
        let is_rate = course.series.measure.dimension() == Dimension::Rate;
        // The number that most people know of a machine's memory.
        let is_stream = course.series.experiment == *"stream";
        let is_triad = course.series.place == "triad";
        (stepped(course), is_rate, is_stream, is_triad, course.readings.len())
    };
    let headlines = history.courses.iter().filter(|course| course.series.role == Role::Headline);
    // Of equals the first: the order is that of experiments.
    let course = headlines.rev().max_by_key(rank)?;
    let values: Vec<f64> = course.readings.iter().map(|(_, reading)| shown(course, reading.value)).collect();
    let first = values.first()?;
    let title = title(&course.series);
    let words = format!("{title}: from {} to {}", significant(*first), latest(course));
    let caption = format!("{} {}", course.series.experiment, place_words(&course.series.place));
    let picture = spark(&values, &words).into_string();
    Some(SparkChart { picture, latest: latest(course), title, caption: caption.trim_end().to_owned() })
}

/// The drawings of the first courses that have values with times, `most` at most.
pub(crate) fn drawings<'a>(
    history: &'a History,
    changes: &'a MachineChanges,
    links: &'a dyn Links,
    most: usize,
) -> impl Iterator<Item = (&'a Course, ChartDrawing)> {
    // All charts have one time axis: what happened at a time stands below each other.
    let times = TimeAxis::over(history.runs.iter().filter_map(time));
    let drawn = move |course| Some((course, drawing(course, history, changes, times, links)?));
    history.courses.iter().filter_map(drawn).take(most)
}

fn drawing(
    course: &Course,
    history: &History,
    changes: &MachineChanges,
    times: TimeAxis,
    links: &dyn Links,
) -> Option<ChartDrawing> {
    let runs = &history.runs;
    let readings: Vec<(&HistoricRun, i64, &Reading)> = course
        .readings
        .iter()
        .filter(|(_, reading)| reading.value.is_finite())
        .filter_map(|(rank, reading)| Some((&runs[*rank], time(&runs[*rank])?, reading)))
        .collect();
    let values: Vec<f64> = readings.iter().map(|(_, _, reading)| shown(course, reading.value)).collect();
    let values_axis = value_axis(&values, median(values.iter().copied())?);
    let steps: Vec<(&Change, &ChangedValue)> = steps_of(course, changes).collect();
    let starts: Vec<usize> = steps
        .iter()
        .filter_map(|(change, _)| readings.iter().position(|(run, ..)| run.listed.id == change.after.id))
        .chain([readings.len()])
        .collect();
    let every = readings.len().div_ceil(MOST_DOTS).max(1);
    let (mut dots, mut stretches, mut from) = (Vec::new(), Vec::new(), 0);
    for to in starts {
        let part = &readings[from.min(to)..to];
        stretches.extend(stretch(course, part));
        dots.extend(part.chunks(every).filter_map(|some| dot(course, some, links)));
        from = to;
    }
    let mut marks: Vec<Mark> = steps.iter().filter_map(|(change, value)| step_mark(change, value)).collect();
    marks.extend(trait_marks(history, &marks));
    Some(ChartDrawing {
        title: title(&course.series),
        dots,
        stretches,
        marks,
        times,
        ticks: ticks(&values_axis),
        values: values_axis,
    })
}

/// Round values along the axis with their labels: each, or every second one where they are many.
fn ticks(axis: &Scale) -> Vec<(f64, String)> {
    let all = axis.ticks();
    let every = if all.len() > MOST_TICKS { 2 } else { 1 };
    let shown: Vec<f64> = all.into_iter().step_by(every).collect();
    shown.iter().map(|value| (*value, tick(*value, &shown))).collect()
}

/// The label of a tick: with as many decimals as the distance to the next one needs.
fn tick(value: f64, all: &[f64]) -> String {
    let step = all.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    let is_plain = value.abs() < 1e6 && (1e-3..1e6).contains(&step);
    let decimals = (-libm::log10(step)).ceil().clamp(0.0, 4.0) as usize;
    if is_plain { format!("{:.decimals$}", value + 0.0) } else { significant(value) }
}

fn title(series: &Series) -> String {
    let place =
        if series.place.is_empty() { String::new() } else { format!(", {}", place_words(&series.place)) };
    plain_line(&format!("{}{place}", with_unit(series.measure.words(), series.measure)))
}

fn shown(course: &Course, value: f64) -> f64 {
    course.series.measure.dimension().shown(value)
}

fn in_unit(course: &Course, value: f64) -> String {
    format!("{} {}", significant(shown(course, value)), shown_unit(course.series.measure))
        .trim_end()
        .to_owned()
}

fn latest(course: &Course) -> String {
    course.readings.last().map_or_else(|| "–".to_owned(), |(_, reading)| in_unit(course, reading.value))
}

fn time(run: &HistoricRun) -> Option<i64> {
    Some(run.listed.began_at?.get().as_millisecond())
}

/// The steps of a course, with the changes that they are part of.
fn steps_of<'a>(
    course: &'a Course,
    changes: &'a MachineChanges,
) -> impl Iterator<Item = (&'a Change, &'a ChangedValue)> {
    let series = &course.series;
    let is_own = move |value: &&ChangedValue| {
        let of = &value.value;
        of.headline == (series.role == Role::Headline)
            && of.measure == series.measure
            && of.place == series.place
            && of.experiment == series.experiment.as_str()
    };
    changes.changes.iter().filter_map(move |change| Some((change, change.values.iter().find(is_own)?)))
}

fn chart_step(change: &Change, value: &ChangedValue) -> ChartStep {
    ChartStep {
        at: change.after.began_at,
        change: percent(value.ratio),
        better: value.better,
        traits: change.traits.iter().map(in_words).collect(),
    }
}

/// A ratio as a change: `-18.0 %`.
pub fn percent(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    if percent < 1e6 { format!("{percent:+.1} %") } else { format!("{percent:+.0e} %") }
}

/// A fact that changed: `kernel: 5.14 → 6.12`.
pub fn in_words(ChangedTrait { what, from, to }: &ChangedTrait) -> String {
    let [from, to] = [from, to].map(|value| zerohop_result::plain_text(value, SHOWN));
    format!("{what}: {from} → {to}")
}

fn step_mark(change: &Change, value: &ChangedValue) -> Option<Mark> {
    let names: Vec<&str> = change.traits.iter().map(|one| one.what.as_str()).collect();
    let more = if names.len() > 2 { " …" } else { "" };
    let names = names.into_iter().take(2).collect::<Vec<_>>().join(", ");
    let percent_of = percent(value.ratio);
    let traits: Vec<String> = change.traits.iter().map(in_words).collect();
    let traits = match traits.is_empty() {
        true => "no change in the machine's recorded hardware and settings".to_owned(),
        false => traits.join("; "),
    };
    let when = change.after.began_at?;
    Some(Mark {
        time: when.get().as_millisecond(),
        label: format!("{percent_of} {names}{more}").trim_end().to_owned(),
        words: format!(
            "{percent_of} ({} to {}) from {}: {traits}",
            percent(value.low),
            percent(value.high),
            when.day_and_minute()
        ),
        better: Some(value.better),
    })
}

/// Changes of the machine at which no value of the course stepped.
fn trait_marks(history: &History, steps: &[Mark]) -> Vec<Mark> {
    let changes = trait_changes(&history.runs);
    let by_run = changes.chunk_by(|one, other| one.run == other.run);
    let marks = by_run.filter_map(|of_run| {
        let run = &history.runs[of_run.first()?.run];
        let time = time(run)?;
        let words: Vec<String> = of_run
            .iter()
            .map(|one| {
                let (what, from, to) = (one.what.clone(), one.from.clone(), one.to.clone());
                in_words(&ChangedTrait { what, from, to })
            })
            .collect();
        let when = run.listed.began_at?.day_and_minute();
        let words = format!("{when}: {}", words.join("; "));
        steps.iter().all(|step| step.time != time).then(|| Mark {
            time,
            label: String::new(),
            words,
            better: None,
        })
    });
    marks.collect()
}

fn stretch(course: &Course, part: &[(&HistoricRun, i64, &Reading)]) -> Option<Stretch> {
    let values: Vec<f64> = part.iter().map(|(_, _, reading)| shown(course, reading.value)).collect();
    let sorted = ascending(&values);
    let at = |share| quantile(&sorted, share);
    Some(Stretch {
        from: part.first()?.1,
        to: part.last()?.1,
        low: at(BAND.0)?,
        median: at(0.5)?,
        high: at(BAND.1)?,
    })
}

/// The dot of one reading, or of several in a row: then it is at their median.
fn dot(course: &Course, some: &[(&HistoricRun, i64, &Reading)], links: &dyn Links) -> Option<Dot> {
    let (run, time, reading) = some[some.len() / 2];
    let when = run.listed.began_at?.day_and_minute();
    let in_unit = |value| in_unit(course, value);
    let result = run.listed.id.clone();
    let address = links.address(&Reference::Result(result.clone()));
    let Reading { value, low, high, doubtful } = *reading;
    if some.len() == 1 {
        let interval = if high > low {
            format!(" ({} to {})", significant(shown(course, low)), significant(shown(course, high)))
        } else {
            String::new()
        };
        let doubt = if doubtful { ", doubtful" } else { "" };
        let words = format!("{}{interval}, {when}{doubt}", in_unit(value));
        let [value, low, high] = [value, low, high].map(|value| shown(course, value));
        return Some(Dot { time, value, low, high, doubtful, words, result, address });
    }
    let value = median(some.iter().map(|(_, _, reading)| reading.value))?;
    let [first, last] = [some.first()?, some.last()?].map(|(run, ..)| run.listed.began_at);
    let words = format!(
        "{}, median of {} results from {} to {}",
        in_unit(value),
        some.len(),
        first?.day_and_minute(),
        last?.day_and_minute()
    );
    let value = shown(course, value);
    let doubtful = some.iter().all(|(_, _, reading)| reading.doubtful);
    Some(Dot { time, value, low: value, high: value, doubtful, words, result, address })
}

#[cfg(test)]
mod tests;
