//! Results as a list to look through, to filter and to pick from.

use maud::{Markup, html};
use zerohop_result::ListedResult;

use crate::page_links::PICKED_BY;
use crate::page_parts::{
    age_of, compare_form, counted, day_and_minute, line, machine_link, result_link, upload_box,
};
use crate::request_context::RequestContext;

/// Machines that the filter offers, at most.
const MOST_NAMES: usize = 300;

/// A page of the list; `next` is the address of the next one.
pub(crate) fn results_page(
    desk: &RequestContext<'_>,
    results: &[ListedResult],
    next: Option<&str>,
) -> Markup {
    let all = desk.overview.results();
    let is_filtered = ["machine", "since", "before"].iter().any(|name| desk.asked.text(name).is_some());
    let can_add = !desk.service.read_only;
    html! {
        header {
            h1 { "Results" }
            p.remark {
                (results.len()) " of " (counted(all, "result")) " shown, the latest first"
                " · " a href="/" { (counted(desk.overview.machines.len() as u64, "machine")) }
            }
        }
        @if all > 0 { (filters(desk, is_filtered)) }
        @if !results.is_empty() { (compare_form()) }
        div #list {
            @if results.is_empty() {
                p { @if is_filtered { "No result is like that. " a href="/results" { "Show all results" } } @else { "no results" } }
            } @else {
                (table(desk, results))
                nav.pager aria-label="pages of results" {
                    @if desk.asked.text("after").is_some() { a rel="first" href=(desk.asked.address("/results", "after", None)) { "← latest" } }
                    @if let Some(next) = next { a rel="next" href=(next) { "earlier results →" } }
                }
            }
        }
        @if can_add { (upload_box()) }
    }
}

fn filters(desk: &RequestContext<'_>, is_filtered: bool) -> Markup {
    let wanted = desk.asked.all("machine");
    let machines = desk.overview.machines.iter().take(MOST_NAMES);
    html! {
        form.filters action="/results" method="get" {
            label {
                span { "machine" }
                select name="machine" {
                    option value="" { "all" }
                    @for machine in machines {
                        option value=(machine.name) selected[wanted.contains(&machine.name)] { (zerohop_result::plain_text(&machine.name, 60)) }
                    }
                }
            }
            label { span { "from" } input type="date" name="since" value=[desk.asked.text("since").and_then(|since| since.get(..10))]; }
            label { span { "until" } input type="date" name="before" value=[desk.asked.text("before").and_then(|before| before.get(..10))]; }
            button { "show" }
            @if is_filtered { a href="/results" { "clear" } }
        }
    }
}

fn table(desk: &RequestContext<'_>, results: &[ListedResult]) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label="results" {
            table.results {
                thead { tr {
                    th scope="col" { "began" } th scope="col" { "machine" } th scope="col" { "age" } th scope="col" { "origin" }
                    th scope="col" { "experiments" } th.number scope="col" { "values" } th scope="col" { "grade" }
                } }
                tbody {
                    @for one in results {
                        tr {
                            td {
                                input type="checkbox" name="id" form=(PICKED_BY) value=(one.id) aria-label={ "pick the result of " (line(&one.machine)) " of " (day_and_minute(one.began_at)) };
                                " " (result_link(&one.id, one.began_at))
                            }
                            td { (machine_link(&one.machine)) }
                            td { (age_of(desk.now, one.began_at)) }
                            td { (one.origin) }
                            @let experiments = line(&one.experiments.join(", "));
                            td.experiments title=(experiments) { (experiments) }
                            td.number { (one.cells) }
                            td {
                                @match (&one.unusable, &one.grade) {
                                    (Some(why), _) => span.remark { "not counted: " (line(why)) },
                                    (None, grade) => (grade.as_deref().unwrap_or("–")),
                                }
                                @if let Some(clock) = one.clock() {
                                    div.remark { "claims to have started at " (clock.stated_at.day_and_minute()) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
