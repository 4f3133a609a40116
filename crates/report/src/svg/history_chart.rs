//! A course of values over time: a time axis, a value axis, the usual band, and a line for each step with what changed there.
//!
//! Places along the time axis are percentages, so that a chart takes the width that a page has, and its letters keep their size. Colors are
//! classes of a page's style; attributes give those of a file that has none.

use maud::{Markup, html};

use crate::svg::palette::{FAINT, HAIRLINE, INK, PAPER};
use crate::svg::scale::Scale;
use crate::svg::time_axis::TimeAxis;

/// Height of a chart, in pixels.
pub(crate) const HEIGHT: f64 = 178.0;
/// Width of the value axis, in pixels.
pub(crate) const AXIS: f64 = 56.0;
/// Above the values, where steps are named.
const TOP: f64 = 32.0;
/// Below the values, where times are.
const BOTTOM: f64 = 24.0;

/// The least height of a value axis above and below the median, as a share of it: noise does not look like a step.
pub(crate) const LEAST_ROOM: f64 = 0.05;

/// Names of steps that are closer than this, in percent of the width, stand in different lines.
const NEAR: f64 = 34.0;

const COURSE: &str = "#0b57a4";
const BETTER: &str = "#1b6e3a";
const WORSE: &str = "#7a5200";

/// A value to draw.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Dot {
    pub(crate) time: i64,
    pub(crate) value: f64,
    /// Its interval.
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) doubtful: bool,
    /// Value, interval and date, in words.
    pub(crate) words: String,
    /// Id of the result, and the address of its page, if there is one.
    pub(crate) result: String,
    pub(crate) address: Option<String>,
}

/// Values between two steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stretch {
    pub(crate) from: i64,
    pub(crate) to: i64,
    pub(crate) low: f64,
    pub(crate) median: f64,
    pub(crate) high: f64,
}

/// Something that changed between two results.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mark {
    pub(crate) time: i64,
    /// A few words.
    pub(crate) label: String,
    /// All of it.
    pub(crate) words: String,
    /// Whether values stepped, and to the better; `None` if only the machine changed.
    pub(crate) better: Option<bool>,
}

/// A chart, ready to be drawn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ChartDrawing {
    pub(crate) title: String,
    pub(crate) dots: Vec<Dot>,
    pub(crate) stretches: Vec<Stretch>,
    pub(crate) marks: Vec<Mark>,
    pub(crate) times: TimeAxis,
    pub(crate) values: Scale,
    /// Labels of the value axis.
    pub(crate) ticks: Vec<(f64, String)>,
}

/// The axis of these values, with room around their median.
pub(crate) fn value_axis(values: &[f64], median: f64) -> Scale {
    let room = LEAST_ROOM * median.abs();
    let (least, most) = values
        .iter()
        .fold((median - room, median + room), |(least, most), value| (least.min(*value), most.max(*value)));
    Scale::between(least, most, HEIGHT - BOTTOM, TOP)
}

fn percent(share: f64) -> String {
    format!("{share:.2}%")
}

fn pixels(length: f64) -> String {
    format!("{length:.1}")
}

impl ChartDrawing {
    /// The value axis.
    pub(crate) fn axis(&self) -> Markup {
        html! {
            svg.axis width=(AXIS) height=(HEIGHT) aria-hidden="true" {
                @for (value, label) in &self.ticks {
                    text.tick x=(AXIS - 8.0) y=(pixels(self.values.at(*value) + 4.0)) text-anchor="end" font-size="11.5" fill=(FAINT) { (label) }
                }
            }
        }
    }

    /// Everything right of it, as wide as its place.
    pub(crate) fn plot(&self) -> Markup {
        html! {
            svg.plot width="100%" height=(HEIGHT) role="group" aria-label=(self.title) { (self.content()) }
        }
    }

    /// Its parts, from the back to the front.
    pub(crate) fn content(&self) -> Markup {
        html! {
            (self.bands())
            (self.grid())
            @for (rank, mark) in self.marks.iter().enumerate() { (self.mark(rank, mark)) }
            (self.course())
            @for (rank, dot) in self.dots.iter().enumerate() { (self.dot(dot, rank + 1 == self.dots.len())) }
        }
    }

    fn bands(&self) -> Markup {
        html! {
            @for Stretch { from, to, low, median, high } in &self.stretches {
                @let (left, right) = (self.times.at(*from), self.times.at(*to));
                @let (top, bottom) = (self.values.at(*high), self.values.at(*low));
                rect.band x=(percent(left - 0.8)) width=(percent(right - left + 1.6)) y=(pixels(top - 1.0)) height=(pixels(bottom - top + 2.0)) fill=(COURSE) fill-opacity="0.12" {}
                @let y = pixels(self.values.at(*median));
                line.usual x1=(percent(left - 0.8)) x2=(percent(right + 0.8)) y1=(y) y2=(y) stroke=(COURSE) stroke-opacity="0.5" stroke-dasharray="4 3" {}
            }
        }
    }

    fn grid(&self) -> Markup {
        let foot = HEIGHT - BOTTOM;
        html! {
            @for (value, _) in &self.ticks {
                @let y = pixels(self.values.at(*value).round() + 0.5);
                line.rule x1="0%" x2="100%" y1=(y) y2=(y) stroke=(HAIRLINE) {}
            }
            @for (time, label) in self.times.ticks() {
                @let x = self.times.at(time);
                line.rule x1=(percent(x)) x2=(percent(x)) y1=(pixels(foot)) y2=(pixels(foot + 5.0)) stroke=(HAIRLINE) {}
                @let anchor = if x < 6.0 { "start" } else if x > 94.0 { "end" } else { "middle" };
                text.tick x=(percent(x)) y=(pixels(HEIGHT - 5.0)) text-anchor=(anchor) font-size="11.5" fill=(FAINT) { (label) }
            }
        }
    }

    /// A line at a step, or a small one at the foot where only the machine changed.
    fn mark(&self, rank: usize, mark: &Mark) -> Markup {
        let x = self.times.at(mark.time);
        let foot = HEIGHT - BOTTOM;
        let (class, colour) = match mark.better {
            Some(true) => ("better", BETTER),
            Some(false) => ("worse", WORSE),
            None => ("changed", FAINT),
        };
        let steps = self.marks.iter().filter(|mark| mark.better.is_some());
        let near =
            steps.filter(|other| other.time != mark.time && (self.times.at(other.time) - x).abs() < NEAR);
        let line = if near.count() > 0 { rank % 2 } else { 1 };
        let (anchor, shift) = if x < 55.0 { ("start", 5) } else { ("end", -5) };
        html! {
            g class=(class) {
                title { (mark.words) }
                @let top = if mark.better.is_some() { 2.0 } else { foot - 12.0 };
                line.at x1=(percent(x)) x2=(percent(x)) y1=(pixels(top)) y2=(pixels(foot)) stroke=(colour) stroke-width="1.5" stroke-dasharray="2 2" {}
                // So that a pointer need not hit a line of one pixel.
                rect x=(percent(x - 1.0)) width="2%" y=(pixels(top)) height=(pixels(foot - top)) fill-opacity="0" {}
                @if mark.better.is_some() {
                    text.name x=(percent(x)) dx=(shift) y=(pixels(12.0 + 14.0 * line as f64)) text-anchor=(anchor) font-size="12" font-weight="600" fill=(colour) { (mark.label) }
                }
            }
        }
    }

    fn course(&self) -> Markup {
        html! {
            g.course stroke=(COURSE) stroke-width="1.5" stroke-opacity="0.55" {
                @for pair in self.dots.windows(2) {
                    @let place = |dot: &Dot| (percent(self.times.at(dot.time)), pixels(self.values.at(dot.value)));
                    @let ((x1, y1), (x2, y2)) = (place(&pair[0]), place(&pair[1]));
                    line x1=(x1) y1=(y1) x2=(x2) y2=(y2) {}
                }
            }
        }
    }

    fn dot(&self, dot: &Dot, is_last: bool) -> Markup {
        let (x, y) = (percent(self.times.at(dot.time)), pixels(self.values.at(dot.value)));
        let (low, high) = (self.values.at(dot.low), self.values.at(dot.high));
        let radius = if is_last { "4.5" } else { "3.5" };
        let shape = html! {
            title { (dot.words) }
            @if low - high > 2.0 { line.interval x1=(x) x2=(x) y1=(pixels(high)) y2=(pixels(low)) stroke=(COURSE) stroke-width="1.5" {} }
            @if dot.doubtful {
                circle.dot.doubtful cx=(x) cy=(y) r=(radius) fill=(PAPER) stroke=(COURSE) stroke-width="1.5" {}
            } @else {
                circle.dot cx=(x) cy=(y) r=(radius) fill=(COURSE) stroke=(PAPER) {}
            }
        };
        html! {
            @match &dot.address {
                // The keyboard reaches results by their list: a stop at each dot of each chart would be in the way.
                Some(address) => a.point href=(address) data-result=(dot.result) tabindex="-1" { (shape) },
                None => g.point { (shape) },
            }
        }
    }
}

/// Charts one below the other, as a picture by itself.
pub(crate) fn charts_file(title: &str, charts: &[ChartDrawing]) -> String {
    const WIDTH: f64 = 1160.0;
    const HEAD: f64 = 30.0;
    let height = charts.len() as f64 * (HEIGHT + HEAD) + HEAD;
    let description = format!("{} charts of values over time", charts.len());
    let picture = html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(WIDTH) height=(height) viewBox={ "0 0 " (WIDTH) " " (height) } role="img" aria-labelledby="title description" font-family="system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', Arial, sans-serif" {
            title id="title" { (title) }
            desc id="description" { (description) }
            rect width=(WIDTH) height=(height) fill=(PAPER) {}
            @for (rank, chart) in charts.iter().enumerate() {
                @let top = rank as f64 * (HEIGHT + HEAD) + HEAD;
                text x="16" y=(top - 8.0) font-size="14" font-weight="600" fill=(INK) { (chart.title) }
                svg x="10" y=(top) width=(AXIS) height=(HEIGHT) { (chart.axis()) }
                svg x=(AXIS + 12.0) y=(top) width=(WIDTH - AXIS - 30.0) height=(HEIGHT) { (chart.content()) }
            }
        }
    };
    picture.into_string()
}
