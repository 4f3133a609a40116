//! Where each node stands: a panel for each family of values, with a mark for each node on an axis.

use maud::{Markup, PreEscaped, html};
use zerohop_fleet::Distribution;
use zerohop_units::counted;

use super::states::{Node, State, States};
use crate::fleet_words::{percent, value as shown};
use crate::measure::shown_unit;
use crate::printable::plain_line;
use crate::svg::{NameTag, Point, Scale, at, name_tags, plain};

/// The drawing of a panel, in pixels.
const WIDTH: f64 = 380.0;
const HEIGHT: f64 = 190.0;
const BASE: f64 = 168.0;

/// Room for names above the marks.
const NAMES: f64 = 34.0;
const ROWS: usize = 2;
const LETTER: f64 = 6.4;

/// Width of a column of marks.
const COLUMN: f64 = 5.0;

/// More sound nodes than this are bars: marks of each would be too small to see.
const MARKS: usize = 600;

/// The largest step from a mark to the next one above it, and the largest mark.
const STEP: f64 = 13.0;
const RADIUS: f64 = 4.5;

/// The panels of a group. `is_named` says that there are other groups.
pub(super) fn spreads(states: &States<'_>, is_named: bool) -> Markup {
    let panels: Vec<Markup> =
        states.group.distributions.iter().filter_map(|one| spread(states, one)).collect();
    html! {
        @if !panels.is_empty() {
            section {
                h2 { "where each node stands" @if is_named { small { (counted(states.group.nodes, "node")) } } }
                p.remark {
                    @if states.nodes.len() > MARKS { "Bars count the nodes; red marks are bad nodes." } @else { "One mark per node; red ones are bad." }
                    " The line is the usual value."
                }
                div.fleet-spreads { @for panel in panels { (panel) } }
            }
        }
    }
}

/// A mark of a node.
struct Mark<'a, 'n> {
    node: &'n Node<'a>,
    x: f64,
    value: f64,
    /// Whether the node is bad in these values, not only in others.
    is_lost: bool,
}

fn spread(states: &States<'_>, one: &Distribution) -> Option<Markup> {
    let usual = states.group.usual.iter().find(|usual| usual.scope == one.scope)?;
    let measure = one.scope.measure;
    let dimension = measure.dimension();
    let valued = one.values.iter().zip(&states.nodes);
    let valued: Vec<(f64, &Node<'_>)> =
        valued.filter_map(|(value, node)| Some((value.filter(|value| value.is_finite())?, node))).collect();
    let ends = || valued.iter().map(|(value, _)| *value).chain([usual.value]);
    let (least, most) = (ends().fold(f64::INFINITY, f64::min), ends().fold(f64::NEG_INFINITY, f64::max));
    if valued.is_empty() {
        return None;
    }
    let axis = Scale::between(dimension.shown(least), dimension.shown(most), 14.0, WIDTH - 14.0);
    let x = |value: f64| axis.at(dimension.shown(value));
    let is_lost = |node: &Node<'_>| match node.state {
        State::Bad(bad, _) => bad.deficits.iter().any(|deficit| deficit.scope == one.scope),
        _ => false,
    };
    let mark = |&(value, node): &(f64, _)| Mark { node, x: x(value), value, is_lost: is_lost(node) };
    let mut marks: Vec<Mark<'_, '_>> = valued.iter().map(mark).collect();
    marks.sort_by(|one, other| one.x.total_cmp(&other.x));
    let unit = shown_unit(measure);
    let words =
        |mark: &Mark<'_, '_>| format!("{}: {} {unit}", mark.node.member.node, shown(measure, mark.value));
    let title = plain_line(&one.scope.to_string());
    let about = format!(
        "{unit}, usually {}; nodes scatter by {}",
        shown(measure, usual.value),
        scatter(usual.spread)
    );
    let drawn = drawn(states, &marks, &words);
    Some(html! {
        figure.fleet-panel.fleet-spread {
            figcaption { b { (title) } small { (about.trim_start_matches(", ")) } }
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="group" aria-label=(title) {
                @for tick in axis.ticks() {
                    path.tick d={ "M" (round(axis.at(tick))) " " (NAMES) "V" (BASE) } {}
                    text x=(round(axis.at(tick))) y=(BASE + 15.0) text-anchor="middle" { (plain(tick)) }
                }
                path.usual d={ "M" (round(x(usual.value))) " " (NAMES - 6.0) "V" (BASE) } {}
                (PreEscaped(drawn.sound + &drawn.bad))
                @for NameTag { left, base, words, .. } in name_tags(&drawn.lost, ROWS, WIDTH, LETTER) {
                    text.name x=(round(left)) y=(round(base)) { (plain_line(&words)) }
                }
            }
        }
    })
}

fn scatter(spread: f64) -> String {
    if spread < 0.01 { format!("{:.1} %", 100.0 * spread) } else { percent(spread) }
}

/// The marks as they are drawn.
#[derive(Default)]
struct Drawn<'n> {
    sound: String,
    bad: String,
    /// The marks of nodes that are bad in these values, from left to right, with their names.
    lost: Vec<(Point, &'n str)>,
}

/// The marks, stacked in columns as high as there is room: the sound ones first, so that nothing covers a bad one.
fn drawn<'n>(
    states: &States<'_>,
    marks: &[Mark<'_, 'n>],
    words: &dyn Fn(&Mark<'_, '_>) -> String,
) -> Drawn<'n> {
    let is_bad = |mark: &Mark<'_, '_>| matches!(mark.node.state, State::Bad(..));
    let column = |mark: &Mark<'_, '_>| (mark.x / COLUMN).round() as i64;
    let columns = || marks.chunk_by(|one, other| column(one) == column(other));
    let most = columns().map(<[_]>::len).max().unwrap_or(1);
    let room = BASE - NAMES - 2.0;
    let step = STEP.min(room / most as f64);
    let radius = RADIUS.min(COLUMN / 2.0 - 0.2).max(step / 3.0).min(RADIUS);
    let is_counted = marks.len() > MARKS;
    let Drawn { mut sound, mut bad, mut lost } = Drawn::default();
    for column_of in columns() {
        let x = column(&column_of[0]) as f64 * COLUMN;
        // A bad node that is like the others stands at the top of them.
        let (others, own): (Vec<_>, Vec<_>) = column_of.iter().partition(|mark| !is_bad(mark));
        if is_counted && !others.is_empty() {
            let height = (others.len() as f64 * step).max(1.5);
            let title = counted(others.len(), "node");
            sound.push_str(&html! {
                rect.sound x=(round(x - COLUMN / 2.0)) y=(round(BASE - height)) width=(COLUMN - 0.6) height=(round(height)) { title { (title) } }
            }.into_string());
        }
        let above = others.len();
        for (rank, mark) in others.into_iter().enumerate().filter(|_| !is_counted) {
            let y = BASE - step * (rank as f64 + 0.5);
            let class = if matches!(mark.node.state, State::Sound) { "sound" } else { "lower" };
            sound.push_str(&html! {
                circle class=(class) cx=(round(x)) cy=(round(y)) r=(round(radius.min(step * 0.45).max(0.8))) { title { (plain_line(&words(mark))) } }
            }.into_string());
        }
        for (rank, mark) in own.into_iter().enumerate() {
            let y = (BASE - step * ((above + rank) as f64 + 0.5)).min(BASE - 4.0);
            let radius = if mark.is_lost { 4.0 } else { 2.5 };
            if mark.is_lost {
                lost.push((at(x, y), mark.node.member.node.as_str()));
            }
            let title = plain_line(&words(mark));
            let dot = html! { circle.bad cx=(round(x)) cy=(round(y)) r=(radius) { title { (title) } } };
            bad.push_str(&match states.address(mark.node).filter(|_| mark.is_lost) {
                Some(address) => html! { a href=(address) aria-label=(title) { (dot) } }.into_string(),
                None => dot.into_string(),
            });
        }
    }
    Drawn { sound, bad, lost }
}

/// A tenth of a pixel is enough, and keeps pages of many nodes small.
fn round(pixels: f64) -> f64 {
    (pixels * 10.0).round() / 10.0
}
