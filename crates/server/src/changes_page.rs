//! What changed in machines, the latest first: when, by how much, and what else changed at that time.

use maud::{Markup, html};
use zerohop_compare::{Change, ChangesFile, MachineChanges, tells};
use zerohop_report::{in_words, percent, place_words};

use crate::page_parts::{age_of, counted, line, machine_link, result_link};
use crate::request_context::RequestContext;

/// Values of a change that are listed before the others.
const LISTED: usize = 6;

/// Changes of the page, at most.
const MOST: usize = 100;

/// The changes of machines.
pub(crate) fn changes_page(desk: &RequestContext<'_>, file: &ChangesFile) -> Markup {
    let of = |machine| move |change| (machine, change);
    let mut all: Vec<(&MachineChanges, &Change)> =
        file.machines.iter().flat_map(|machine| machine.changes.iter().map(of(machine))).collect();
    all.sort_by_key(|(_, change)| std::cmp::Reverse(change.after.began_at));
    let (telling, others): (Vec<_>, Vec<_>) = file.machines.iter().partition(|machine| tells(machine));
    let is_open = |machine: &&&MachineChanges| {
        !machine.unsettled.is_empty()
            || !machine.unjudged.is_empty()
            || !machine.drifts.is_empty()
            || machine.unordered > 0
    };
    let open: Vec<&MachineChanges> = file.machines.iter().filter(|machine| is_open(&machine)).collect();
    let quiet: Vec<&MachineChanges> =
        telling.into_iter().filter(|machine| machine.changes.is_empty() && !is_open(&machine)).collect();
    html! {
        header {
            h1 { "Changes" @if let [one] = file.machines.as_slice() { " of " (machine_link(&one.machine)) } }
            p.remark {
                (counted(all.len() as u64, "change")) " in " (counted(file.machines.len() as u64, "machine"))
                ": steps of at least " (format!("{:.1} %", file.least * 100.0))
                @if file.machines.len() == 1 && desk.overview.machines.len() > 1 { " · " a href="/changes" { "all machines" } }
            }
        }
        (filters(desk))
        @for (machine, change) in all.iter().take(MOST) { (change_section(desk, machine, change)) }
        @if all.len() > MOST { p { "The latest " (MOST) " of " (all.len()) ": choose a machine or a later date for the others." } }
        @if !open.is_empty() {
            section { h2 { "Not settled" } ul.events { @for machine in open { (open_words(machine)) } } }
        }
        @if !quiet.is_empty() { section { h2 { "Without a change" } p.leads { @for machine in quiet { (machine_link(&machine.machine)) " " } } } }
        @if !others.is_empty() {
            section {
                h2 { "Cannot tell" }
                p.remark { "A change is found in " (zerohop_statistics::FEWEST) " usable results or more." }
                p.leads { @for machine in others { (machine_link(&machine.machine)) " " } }
            }
        }
    }
}

fn filters(desk: &RequestContext<'_>) -> Markup {
    let asked = desk.asked;
    html! {
        form.filters action="/changes" method="get" {
            @for machine in asked.all("machine") { input type="hidden" name="machine" value=(machine); }
            label { span { "since" } input type="date" name="since" value=[asked.text("since").and_then(|since| since.get(..10))]; }
            label {
                span { "steps of at least" }
                select name="least" {
                    @let least = asked.share("least").unwrap_or(crate::trends::LEAST);
                    @for (value, share) in [("0.01", 0.01), ("0.02", 0.02), ("0.05", 0.05), ("0.1", 0.1), ("0.2", 0.2)] {
                        option value=(value) selected[(least - share).abs() < 1e-9] { (format!("{:.0} %", share * 100.0)) }
                    }
                }
            }
            label {
                span { "values" }
                select name="scope" {
                    option value="everything" { "all" }
                    option value="headlines" selected[asked.text("scope") == Some("headlines")] { "headlines" }
                }
            }
            button { "show" }
            @if !asked.is_empty() { a href="/changes" { "clear" } }
        }
    }
}

fn change_section(desk: &RequestContext<'_>, machine: &MachineChanges, change: &Change) -> Markup {
    let Change { before, after, traits, values } = change;
    let worse = values.iter().filter(|value| !value.better).count();
    let tendency = match worse {
        0 => format!("{} of {} values are better", values.len(), machine.series),
        all if all == values.len() => format!("{all} of {} values are worse", machine.series),
        worse => format!("{worse} of {} values are worse, {} better", machine.series, values.len() - worse),
    };
    html! {
        section.change {
            h2 { (machine_link(&machine.machine)) " " small class=(if worse > 0 { "worse" } else { "better" }) { (tendency) } }
            p {
                "between " (result_link(&before.id, before.began_at)) " and " (result_link(&after.id, after.began_at))
                " (" (age_of(desk.now, after.began_at)) ") "
                (compare(&before.id, &after.id))
            }
            @if traits.is_empty() { p.remark { "no change in the machine's recorded hardware and settings" } }
            @else { ul.traits { @for one in traits { li.trait { (line(&in_words(one))) } } } }
            (table(change, 0..values.len().min(LISTED)))
            @if values.len() > LISTED { details { summary { (values.len() - LISTED) " more values" } (table(change, LISTED..values.len())) } }
        }
    }
}

/// A button that compares two results.
fn compare(before: &str, after: &str) -> Markup {
    let pair = [("id", before), ("id", after)];
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(pair).finish();
    html! { a href={ "/compare?" (query) } { "compare them" } }
}

fn table(change: &Change, ranks: std::ops::Range<usize>) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label="values that stepped" {
            table {
                thead { tr { th scope="col" { "value" } th.number scope="col" { "change" } th scope="col" { "interval" } th scope="col" { "experiment" } } }
                tbody {
                    @for value in &change.values[ranks] {
                        @let of = &value.value;
                        tr {
                            td { (of.measure) @if !of.place.is_empty() { ", " (place_words(&line(&of.place))) } }
                            td class={ "number " (if value.better { "better" } else { "worse" }) } { (percent(value.ratio)) span.unseen { @if value.better { " better" } @else { " worse" } } }
                            td { (percent(value.low)) " to " (percent(value.high)) }
                            td { (of.experiment) }
                        }
                    }
                }
            }
        }
    }
}

fn open_words(machine: &MachineChanges) -> Markup {
    let MachineChanges { machine: name, unsettled, unjudged, unordered, drifts, .. } = machine;
    let largest = unsettled
        .iter()
        .max_by(|one, other| libm::log(one.ratio).abs().total_cmp(&libm::log(other.ratio).abs()));
    html! {
        @if let Some(one) = largest {
            li {
                (machine_link(name)) ": in the last " (counted(one.runs as u64, "result")) " only, " (counted(unsettled.len() as u64, "value"))
                " by up to " (percent(one.ratio)) " (" (one.value.measure) ", " (place_words(&line(&one.value.place))) "): run again to decide"
            }
        }
        @for one in drifts.iter().take(3) {
            li { (machine_link(name)) ": " (one.value.measure) ", " (place_words(&line(&one.value.place))) " drifted by " (percent(one.ratio)) " without a step" }
        }
        @for words in unjudged { li { (machine_link(name)) ": " (line(words)) } }
        @if *unordered > 0 { li { (machine_link(name)) ": " (counted(*unordered as u64, "result")) " with a wrong clock left out: their order is unknown" } }
    }
}
