//! A machine's page: its state, what changed, its values over time, and its results.

use std::sync::Arc;

use maud::{Markup, PreEscaped, html};
use zerohop_archive::query::experiments;
use zerohop_compare::{MachineChanges, changes};
use zerohop_fleet::BadNode;
use zerohop_report::{CHART_KEY, HistoryChart, history_charts};
use zerohop_result::{HistoricRun, History, ListedMachine};

use crate::age::DAY;
use crate::home_page::processor;
use crate::machine_state::{MachineState, Shown};
use crate::page_links::{PICKED_BY, Served, address, of_machine, of_result};
use crate::page_parts::{
    age_of, chip, compare_form, counted, day_and_minute, event_words, line, prose, result_link, spark_of,
};
use crate::request_context::RequestContext;
use crate::trends::{Event, LEAST, events};

/// Charts of the page, at most: a machine has thousands of values.
const MOST_CHARTS: usize = 60;

/// Results that the page lists, at most: others are on the page of results.
const LISTED: usize = 20;

/// Events that the page shows before the others.
const EVENTS: usize = 8;

/// Spans of time that one can choose, in days.
const SPANS: [(i64, &str); 3] = [(7, "week"), (30, "month"), (365, "year")];

/// The page of a machine with this history, which may be a part of all.
pub(crate) fn machine_page(desk: &RequestContext<'_>, machine: &ListedMachine, history: &History) -> Markup {
    let name = &machine.name;
    let found = changes(history, LEAST);
    let charts = history_charts(history, &found, &Served, MOST_CHARTS);
    let state = desk.state_of(machine);
    html! {
        header {
            h1 { (line(name)) " " (chip(state.state)) }
            p.remark {
                (processor(desk, name)) " · last result " (age_of(desk.now, machine.last)) " · "
                a href=(address("/results", "machine", name)) { (counted(machine.results, "result")) } " since " (day_and_minute(machine.first))
            }
        }
        (standing(desk, machine, &state))
        (leads(machine))
        (what_changed(&events(history, &found), &found))
        section aria-label="values over time" {
            div.head { h2 { "Values over time" } (spans(desk, machine)) }
            @if charts.is_empty() { p { "No usable values" @if desk.asked.text("since").is_some() { " since then" } "." } }
            @else { p.remark { (CHART_KEY) } }
            (all_charts(&charts))
            (more_values(desk, history))
        }
        (results(desk, machine, history))
    }
}

/// What is wrong with the machine at the moment, by itself and among others.
fn standing(desk: &RequestContext<'_>, machine: &ListedMachine, state: &MachineState) -> Markup {
    html! {
        @if !state.words.is_empty() && !matches!(state.shown, Shown::Loss | Shown::Fleet) {
            div class={ "standing " (state.state.name()) } {
                p {
                    (prose(&state.words))
                    @if state.more > 0 { " and " (counted(state.more as u64, "other finding")) }
                    @if state.shown == Shown::Findings { ": " a href=(address("/findings", "machine", &machine.name)) { "evidence, causes and remedies" } }
                }
            }
        }
        (fleet_standing(desk, &machine.name))
    }
}

/// What the comparison with the other machines says of this one, if it says something.
pub(crate) fn fleet_standing(desk: &RequestContext<'_>, machine: &str) -> Markup {
    let Ok(fleet) = desk.service.judging.fleet(&desk.overview.machines) else { return html! {} };
    let is_own = |bad: &&BadNode| bad.node == machine;
    let found = fleet.fleet.groups.iter().find_map(|group| Some((group, group.bad.iter().find(is_own)?)));
    html! {
        @if let Some((group, bad)) = found {
            div.standing.warning {
                p {
                    "Among " a href="/fleet" { (counted(group.nodes as u64, "machine")) " of its kind" } " it is worse"
                    @if bad.loss > 0.0 { ": a program that uses the worst kind of its memory accesses loses " (format!("{:.1} %", bad.loss * 100.0)) }
                    @if let Some(since) = &bad.since { ", since " (since.from.day_and_minute()) }
                    "."
                }
            }
        }
    }
}

fn leads(machine: &ListedMachine) -> Markup {
    let name = &machine.name;
    html! {
        p.leads {
            @if let Some(latest) = &machine.latest { a href=(of_result(latest)) { "latest report" } " " }
            a href=(address("/compare", "id", name)) { "compare its last two results" } " "
            a href=(address("/changes", "machine", name)) { "all changes" } " "
            a href=(address("/results", "machine", name)) { "all results" } " "
            a href="/fleet" { "fleet" } " "
            a.quiet href=(address("/api/v1/history", "machine", name)) { "JSON" }
        }
    }
}

fn what_changed(events: &[Event], found: &MachineChanges) -> Markup {
    html! {
        section aria-label="what changed" {
            h2 { "What changed" }
            @if events.is_empty() {
                p.remark { "No value stepped by 2 % or more, and the recorded hardware and settings stayed the same, in " (counted(found.runs as u64, "usable result")) "." }
            } @else {
                (event_list(&events[..events.len().min(EVENTS)]))
                @if events.len() > EVENTS { details { summary { (events.len() - EVENTS) " earlier" } (event_list(&events[EVENTS..])) } }
            }
            @for words in &found.unjudged { div.standing.warning { p { (line(words)) } } }
        }
    }
}

fn event_list(events: &[Event]) -> Markup {
    html! {
        ul.events {
            @for event in events {
                li {
                    (event_words(event)) " "
                    @let pair = [("id", event.between[0].as_str()), ("id", event.between[1].as_str())];
                    a.quiet href={ "/compare?" (form_urlencoded::Serializer::new(String::new()).extend_pairs(pair).finish()) } { "compare" }
                }
            }
        }
    }
}

/// Where the values are that the page does not show.
fn more_values(desk: &RequestContext<'_>, history: &History) -> Markup {
    let all = history.courses.len();
    let is_part = desk.asked.text("scope").is_none() && desk.asked.text("query").is_none();
    html! {
        p.leads {
            @if all > MOST_CHARTS { span { (MOST_CHARTS) " of " (counted(all as u64, "value")) " shown" } " " }
            @if is_part { a href=(desk.asked.address("/history", "scope", Some("everything"))) { "every value" } }
            @else { a href=(of_machine(&history.machine)) { "headline values only" } }
        }
    }
}

/// Spans of time to look at.
fn spans(desk: &RequestContext<'_>, machine: &ListedMachine) -> Markup {
    let since = desk.asked.text("since");
    let choices = SPANS.into_iter().map(|(days, words)| (Some(desk.now.days_ago(days)), words));
    // A span that has everything is no choice.
    let first = machine.first.map(|first| desk.now.since(first) / DAY);
    let useful = choices.zip(SPANS).filter(|(_, (days, _))| first.is_none_or(|first| first > *days));
    let useful: Vec<_> = useful.map(|(choice, _)| choice).collect();
    html! {
        @if !useful.is_empty() || since.is_some() {
            nav.spans aria-label="span of time" {
                @for (date, words) in useful {
                    a href=(desk.asked.address("/history", "since", date.as_deref())) aria-current=[(since == date.as_deref()).then_some("true")] { (words) }
                }
                a href=(desk.asked.address("/history", "since", None)) aria-current=[since.is_none().then_some("true")] { "all" }
            }
        }
    }
}

fn all_charts(charts: &[HistoryChart]) -> Markup {
    html! {
        @for of_experiment in charts.chunk_by(|one, other| one.experiment == other.experiment) {
            @let name = &of_experiment[0].experiment;
            h3.experiment { (name) " " small { (experiments().summary(name)) } }
            div.charts {
                @for chart in of_experiment {
                    figure.chart {
                        figcaption {
                            span { (chart.title) } b { (chart.latest) }
                            @if let Some(step) = chart.steps.last() {
                                span.unseen { " step of " (step.change) ": " @if step.better { "better" } @else { "worse" } }
                            }
                        }
                        div.course { (PreEscaped(&chart.axis)) (PreEscaped(&chart.plot)) }
                    }
                }
            }
        }
    }
}

/// Results to pick from, the latest first.
fn results(desk: &RequestContext<'_>, machine: &ListedMachine, history: &History) -> Markup {
    let shown: Vec<&HistoricRun> = history.runs.iter().rev().take(LISTED).collect();
    html! {
        section aria-label="results" {
            div.head { h2 { "Results" } (compare_form()) }
            div.scroll tabindex="0" role="group" aria-label="results" {
                table.results {
                    thead { tr { th scope="col" { "began" } th scope="col" { "age" } th scope="col" { "origin" } th scope="col" { "grade" } } }
                    tbody {
                        @for run in &shown {
                            @let listed = &run.listed;
                            tr {
                                td {
                                    input type="checkbox" name="id" form=(PICKED_BY) value=(listed.id) aria-label={ "pick the result of " (day_and_minute(listed.began_at)) };
                                    " " (result_link(&listed.id, listed.began_at))
                                }
                                td { (age_of(desk.now, listed.began_at)) }
                                td { (listed.origin) }
                                td {
                                    @match (&listed.unusable, &listed.grade) {
                                        (Some(why), _) => span.remark { "not counted: " (line(why)) },
                                        (None, grade) => (grade.as_deref().unwrap_or("–")),
                                    }
                                    @if let Some(clock) = listed.clock() { div.remark { (clock) } }
                                }
                            }
                        }
                    }
                }
            }
            @if (shown.len() as u64) < machine.results {
                p { a href=(address("/results", "machine", &machine.name)) { "all " (counted(machine.results, "result")) } }
            }
        }
    }
}

/// What a result's page says of its machine: its state, what changed lately, and how it stands among others.
pub(crate) fn of_result_page(desk: &RequestContext<'_>, machine: &str, history: Option<&History>) -> Markup {
    let listed = desk.overview.machines.iter().find(|one| one.name == machine);
    let state = listed.map(|one| desk.state_of(one));
    let trend = desk.service.judging.trends.of(machine);
    let events: Vec<Event> = history.map_or_else(
        || trend.as_ref().map_or_else(Vec::new, |trend| trend.events.clone()),
        |history| events(history, &changes(history, LEAST)),
    );
    html! {
        div.context {
            p {
                a href=(of_machine(machine)) { b { (line(machine)) } } " "
                @if let Some(state) = &state { (chip(state.state)) " " }
                (spark_of(trend.as_ref().map(Arc::as_ref)))
            }
            @if !events.is_empty() { (event_list(&events[..events.len().min(3)])) }
        }
        (fleet_standing(desk, machine))
    }
}
