//! The first page: machines, the worst first, with what they are, what is wrong, and what changed.

use std::cmp::Reverse;
use std::sync::Arc;

use maud::{Markup, html};
use zerohop_result::{ListedMachine, Timestamp};
use zerohop_units::Bytes;

use crate::age::DAY;
use crate::machine_state::{MachineState, Shown, State};
use crate::page_links::{address, of_machine, of_result};
use crate::page_parts::{Pager, age_of, chip, counted, events_of, line, machine_link, spark_of, upload_box};
use crate::request_context::RequestContext;
use crate::trends::{Event, Trend};

/// Machines of a page.
const PAGE: u64 = 100;

/// Values of a trait that a list to choose from has, at most.
const MOST_VALUES: usize = 100;

/// How long something is new, in days.
const NEW: i64 = 7;

/// Orders of the list, by their names in addresses; the first is that of a page without one.
pub(crate) const ORDERS: &[&str] = &["state", "name", "age", "results"];

/// A machine of the list.
pub(crate) struct Row<'a> {
    pub(crate) machine: &'a ListedMachine,
    pub(crate) state: MachineState,
}

/// The machines that are asked for, in the order that is asked for. Without one, `by_default` is their order.
pub(crate) fn rows<'a>(desk: &'a RequestContext<'_>, by_default: &str) -> Vec<Row<'a>> {
    let asked = desk.asked;
    let traits = asked.all("trait");
    let part = asked.text("name").map(str::to_lowercase);
    let state = asked.text("state");
    let is_wanted = |machine: &&ListedMachine| {
        part.as_ref().is_none_or(|part| machine.name.to_lowercase().contains(part))
            && desk.overview.has_all(machine, &traits)
    };
    let listed: Vec<&ListedMachine> = desk.overview.machines.iter().filter(is_wanted).collect();
    let states = desk.states(listed.iter().copied());
    let rows = listed.into_iter().zip(states).map(|(machine, state)| Row { machine, state });
    let is_in_state = |row: &Row<'_>| state.is_none_or(|state| row.state.state.name() == state);
    let mut rows: Vec<Row<'_>> = rows.filter(is_in_state).collect();
    // All of them are stable, and machines are by name.
    match asked.text("sort").unwrap_or(by_default) {
        "state" => rows.sort_by_key(|row| row.state.state),
        "age" => rows.sort_by_key(|row| row.machine.last),
        "results" => rows.sort_by_key(|row| Reverse(row.machine.results)),
        _ => {}
    }
    rows
}

/// The page with these machines.
pub(crate) fn home_page(desk: &RequestContext<'_>, rows: &[Row<'_>]) -> Markup {
    let overview = desk.overview;
    let can_add = !desk.service.read_only;
    if overview.machines.is_empty() {
        return empty(desk, can_add);
    }
    let pager = Pager {
        asked: desk.asked,
        path: "/",
        page: desk.asked.whole("page").unwrap_or(1),
        each: desk.asked.whole("limit").unwrap_or(PAGE),
        all: rows.len() as u64,
        what: "machine",
    };
    html! {
        header {
            h1 { "Machines" }
            p.remark {
                a href="/results" { (counted(overview.results(), "result")) } " of " (counted(overview.machines.len() as u64, "machine"))
                " in " (desk.service.archives.location().to_string()) ", " (Bytes(overview.bytes).to_string())
            }
        }
        (tiles(desk))
        (filters(desk))
        div #list {
            (list(desk, &rows[pager.ranks()]))
            @if rows.is_empty() { p { "No machine is like that. " a href="/" { "Show all machines" } } }
            @else { (pager.markup()) }
        }
        @if can_add { (upload_box()) }
    }
}

/// How many machines are in each state, each leading to them.
fn tiles(desk: &RequestContext<'_>) -> Markup {
    let machines = &desk.overview.machines;
    let states: Vec<State> = desk.states(machines).into_iter().map(|state| state.state).collect();
    let wanted = desk.asked.text("state");
    html! {
        ul.tiles aria-label="machines by state" {
            @for state in State::ALL {
                @let count = states.iter().filter(|one| **one == state).count();
                li class=(state.name()) {
                    @if count > 0 {
                        a href=(desk.asked.address("/", "state", Some(state.name()))) aria-current=[(wanted == Some(state.name())).then_some("true")] {
                            b { (count) } span { (state.words()) }
                        }
                    } @else { div { b { "0" } span { (state.words()) } } }
                }
            }
        }
    }
}

/// What the list is filtered and sorted by: a form whose answer is an address to keep.
fn filters(desk: &RequestContext<'_>) -> Markup {
    let asked = desk.asked;
    let wanted = asked.all("trait");
    let values = desk.overview.values();
    let offered: Vec<_> =
        values.iter().filter(|(_, values)| (2..=MOST_VALUES).contains(&values.len())).collect();
    let order = asked.text("sort").unwrap_or(ORDERS[0]);
    html! {
        form.filters action="/" method="get" {
            label { span { "name contains" } input type="search" name="name" value=[asked.text("name")] maxlength="200"; }
            label {
                span { "state" }
                select name="state" {
                    option value="" { "any" }
                    @for state in State::ALL {
                        option value=(state.name()) selected[asked.text("state") == Some(state.name())] { (state.words()) }
                    }
                }
            }
            label {
                span { "order" }
                select name="sort" {
                    @for (name, words) in ORDERS.iter().zip(["worst first", "by name", "longest without a result", "most results"]) {
                        option value=(name) selected[order == *name] { (words) }
                    }
                }
            }
            button { "show" }
            @if !asked.is_empty() { a href="/" { "clear" } }
            @if !offered.is_empty() {
                details open[!wanted.is_empty()] {
                    summary { "filter by hardware and settings" @if !wanted.is_empty() { " (" (wanted.len()) " chosen)" } }
                    div.traits {
                        @for (what, values) in offered {
                            label {
                                span { (what) }
                                select name="trait" {
                                    option value="" { "any" }
                                    @for value in values {
                                        @let choice = format!("{what}={value}");
                                        // A browser makes the list as wide as its longest text.
                                        option value=(choice) selected[wanted.contains(&choice)] { (zerohop_result::plain_text(value, 60)) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn list(desk: &RequestContext<'_>, rows: &[Row<'_>]) -> Markup {
    let is_new = |time: Option<Timestamp>| time.is_some_and(|time| desk.now.since(time) < NEW * DAY);
    html! {
        @if !rows.is_empty() {
            div.scroll tabindex="0" role="group" aria-label="machines" {
                table.machines {
                    thead { tr {
                        th scope="col" { "state" } th scope="col" { "machine" } th scope="col" { "finding" }
                        th scope="col" { "over time" } th scope="col" { "last result" } th scope="col" { "changed in the last week" }
                    } }
                    tbody {
                        @for Row { machine, state } in rows {
                            @let trend = desk.trend_of(machine);
                            @let trend: Option<&Trend> = trend.as_ref().map(Arc::as_ref);
                            @let events: Vec<&Event> = trend.map_or(&[][..], |trend| &trend.events).iter().filter(|event| is_new(event.at)).collect();
                            tr {
                                td.state { (chip(state.state)) }
                                th.machine scope="row" { (machine_link(&machine.name)) (processor(desk, &machine.name)) }
                                td.finding { (finding(&machine.name, state)) }
                                td.over-time { (spark_of(trend)) }
                                td.last {
                                    @match &machine.latest {
                                        Some(id) => a href=(of_result(id)) { (age_of(desk.now, machine.last)) },
                                        None => (age_of(desk.now, machine.last)),
                                    }
                                    br; a.quiet href=(address("/results", "machine", &machine.name)) { (counted(machine.results, "result")) }
                                    @if machine.usable < machine.results { span.remark { ", " (machine.usable) " usable" } }
                                    @if machine.wrong_clocks > 0 { span.remark { ", " (machine.wrong_clocks) " with a wrong clock" } }
                                }
                                td.changed { (events_of(&events)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The processor of a machine, as its latest result shows it.
pub(crate) fn processor(desk: &RequestContext<'_>, machine: &str) -> Markup {
    let traits = desk.overview.traits.get(machine);
    let found = traits.and_then(|traits| traits.iter().find(|one| one.what == "processor"));
    html! { @if let Some(one) = found { small { (line(&one.value)) } } }
}

fn finding(machine: &str, MachineState { shown, words, more, .. }: &MachineState) -> Markup {
    html! {
        @match shown {
            Shown::Findings => {
                a href=(address("/findings", "machine", machine)) { (line(words)) }
                @if *more > 0 { span.remark { " and " (more) " more" } }
            }
            Shown::Loss => a href=(of_machine(machine)) { (line(words)) },
            Shown::Fleet => a href="/fleet" { (line(words)) },
            Shown::Nothing => span.remark { (line(words)) },
        }
    }
}

/// What to do first.
fn empty(desk: &RequestContext<'_>, can_add: bool) -> Markup {
    let archive = desk.service.archives.location().to_string();
    html! {
        header { h1 { "This archive is empty" } p.remark { (archive) } }
        p { "Measure a machine and keep the result here:" }
        ol.first {
            li { "on that machine:" p.command { code { "zerohop survey -o survey" } } }
            @if can_add {
                li { "send it from there:" p.command { code { "curl --data-binary @survey/result.json http://HOST:PORT/api/v1/results" } } p.remark { "HOST:PORT is the address of this page" } }
            }
            li { "or add it to the archive itself:" p.command { code { "zerohop archive add --archive '" (archive) "' survey" } } }
        }
        @if can_add { p { "Results that you have already, also those of other tools:" } (upload_box()) }
        @else { p.remark { "The server runs with " code { "--read-only" } ": it takes no uploads." } }
    }
}
