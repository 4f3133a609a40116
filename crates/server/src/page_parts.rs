//! Parts that several pages have: states, links, lists that come in pages, and the box for uploads.

use maud::{Markup, PreEscaped, html};
use zerohop_result::{LONGEST_WORDS, Timestamp, plain_text};

use crate::age::{Now, age};
use crate::machine_state::State;
use crate::page_links::{PICKED_BY, of_machine, of_result};
use crate::parsed_query::QueryParameters;
use crate::trends::{Event, Step, Trend};

/// Characters of a text that one line of a list has room for.
const LINE: usize = 160;

/// Events that a list shows of each machine, at most.
const MOST_EVENTS: usize = 3;

/// A number of things: `3 results`.
pub(crate) fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// A text that others chose, on one line of a list.
pub(crate) fn line(text: &str) -> String {
    plain_text(text, LINE).into_owned()
}

/// A text in which what stands between backticks is code.
pub(crate) fn prose(text: &str) -> Markup {
    let text = plain_text(text, LONGEST_WORDS);
    let parts: Vec<&str> = text.split('`').collect();
    // An odd number of backticks has no pairs.
    let is_paired = parts.len() % 2 == 1;
    html! {
        @for (rank, part) in parts.iter().enumerate() {
            @if is_paired && rank % 2 == 1 { code { (part) } } @else { @if rank > 0 && !is_paired { "`" } (part) }
        }
    }
}

/// A state as a word on its color.
pub(crate) fn chip(state: State) -> Markup {
    html! { span class={ "chip " (state.name()) } { (state.words()) } }
}

pub(crate) fn machine_link(name: &str) -> Markup {
    html! { a href=(of_machine(name)) { (line(name)) } }
}

/// When a result began, as a link to it.
pub(crate) fn result_link(id: &str, began_at: Option<Timestamp>) -> Markup {
    html! { a href=(of_result(id)) { (day_and_minute(began_at)) } }
}

/// `2026-11-03 04:10`.
pub(crate) fn day_and_minute(time: Option<Timestamp>) -> String {
    time.map_or_else(|| "unknown time".to_owned(), Timestamp::day_and_minute)
}

/// How long ago something was; a pointer shows the time itself.
pub(crate) fn age_of(now: Now, time: Option<Timestamp>) -> Markup {
    html! {
        @match time {
            Some(at) => time datetime=(at) title={ (at.day_and_minute()) " UTC" } { (age(now, time)) },
            None => "unknown",
        }
    }
}

/// The small chart of a machine, with the latest value.
pub(crate) fn spark_of(trend: Option<&Trend>) -> Markup {
    html! {
        @if let Some(spark) = trend.and_then(|trend| trend.spark.as_ref()) {
            (PreEscaped(&spark.picture)) " " span.latest title=(spark.title) { (spark.latest) }
            small { (spark.caption) }
        }
    }
}

/// What changed, in a line for each event.
pub(crate) fn events_of(events: &[&Event]) -> Markup {
    html! {
        @if !events.is_empty() {
            ul.events {
                @for event in events.iter().take(MOST_EVENTS) { li { (event_words(event)) } }
                @if events.len() > MOST_EVENTS { li { "and " (events.len() - MOST_EVENTS) " more" } }
            }
        }
    }
}

/// An event in words, with a link to the first result after it.
pub(crate) fn event_words(event: &Event) -> Markup {
    let Event { at, between: [_, after], step, more, traits } = event;
    html! {
        @if let Some(Step { words, better, .. }) = step {
            b class=(if *better { "better" } else { "worse" }) { (words) }
            @if *more > 0 { " and " (counted(*more as u64, "other value")) }
            " · "
        }
        @for (rank, one) in traits.iter().enumerate() { @if rank > 0 { "; " } span.trait { (line(one)) } }
        @if step.is_some() && traits.is_empty() { span.remark { "no change in the recorded hardware and settings" } }
        span.when { " · since " (result_link(after, *at)) }
    }
}

/// Where a page of a list is among the others.
pub(crate) struct Pager<'a> {
    pub(crate) asked: &'a QueryParameters,
    pub(crate) path: &'a str,
    /// From 1.
    pub(crate) page: u64,
    /// Entries of a page, and of all pages.
    pub(crate) each: u64,
    pub(crate) all: u64,
    pub(crate) what: &'static str,
}

impl Pager<'_> {
    /// Ranks of the entries of this page.
    pub(crate) fn ranks(&self) -> std::ops::Range<usize> {
        let first = (self.page - 1).saturating_mul(self.each).min(self.all);
        first as usize..first.saturating_add(self.each).min(self.all) as usize
    }

    pub(crate) fn markup(&self) -> Markup {
        let Self { asked, path, page, each, all, what } = self;
        let ranks = self.ranks();
        let last = all.div_ceil(*each).max(1);
        let at = |page: u64| asked.address(path, "page", Some(&page.to_string()));
        html! {
            nav.pager aria-label={ "pages of " (what) "s" } {
                @if *page > 1 { a rel="prev" href=(at(page - 1)) { "← previous" } }
                span {
                    @if last == 1 { (counted(*all, what)) }
                    @else { (ranks.start + 1) "–" (ranks.end) " of " (counted(*all, what)) }
                }
                @if *page < last { a rel="next" href=(at(page + 1)) { "next →" } }
            }
        }
    }
}

/// The form that compares what the boxes of a list pick.
pub(crate) fn compare_form() -> Markup {
    html! {
        form.compare id=(PICKED_BY) action="/compare" method="get" {
            input type="hidden" name="order" value="time";
            button { "compare selected results" } " "
            span.remark aria-live="polite" { "select two or more" }
            a hidden href="/results" { "open it" }
        }
    }
}

/// Box for uploads by drag and drop.
pub(crate) fn upload_box() -> Markup {
    html! {
        section #upload aria-label="add results" {
            p {
                b { "Drop files here" } " to add them: results of zerohop, or the output of MLC, STREAM, lmbench and other tools. "
                label.choose { input #upload-files type="file" multiple; span { "choose files" } }
            }
            label.of { span { "machine" } input #upload-machine autocomplete="off" maxlength="200"; small { "only for output that does not name it" } }
            ul #upload-outcome aria-live="polite" {}
            noscript { p.remark { "Without scripts: " code { "curl --data-binary @FILE 'http://HOST:PORT/api/v1/results?machine=NAME'" } } }
        }
    }
}
