//! What is wrong with machines, grouped by finding: each once, with the machines that have it.

use std::collections::{HashMap, HashSet};

use maud::{Markup, html};
use zerohop_app::rules;
use zerohop_diagnosis::{Diagnosis, DiagnosisFile, Finding, NotJudged, Severity};
use zerohop_result::ListedMachine;

use crate::machine_state::State;
use crate::page_links::of_result;
use crate::page_parts::{age_of, chip, counted, event_words, line, machine_link, prose};
use crate::request_context::RequestContext;

/// Machines of a finding that are listed before the others.
const LISTED: usize = 12;

/// Values that support a finding, as far as they are listed for each machine.
const EVIDENCE: usize = 2;

/// Machines by their names.
type ByName<'a> = HashMap<&'a str, &'a ListedMachine>;

/// A finding, with the machines that have it.
struct Group<'a> {
    rule: &'a str,
    severity: Severity,
    of: Vec<(&'a Diagnosis, &'a Finding)>,
}

/// The findings of these machines.
pub(crate) fn findings_page(
    desk: &RequestContext<'_>,
    machines: &[ListedMachine],
    file: &DiagnosisFile,
) -> Markup {
    let groups = groups(file);
    let (alarms, notes): (Vec<_>, Vec<_>) = groups.iter().partition(|group| group.severity > Severity::Note);
    let is_bad = |one: &&Diagnosis| one.alarms().next().is_some();
    let bad = file.diagnoses.iter().filter(is_bad).count();
    let open: Vec<&Diagnosis> =
        file.diagnoses.iter().filter(|one| !is_bad(one) && one.cannot_tell()).collect();
    let by_name: ByName<'_> = machines.iter().map(|machine| (machine.name.as_str(), machine)).collect();
    let states = machines.iter().zip(desk.states(machines));
    let calm = states.filter(|(_, state)| state.state > State::Warning);
    let calm: HashSet<&str> = calm.map(|(machine, _)| machine.name.as_str()).collect();
    let is_sound = |one: &&Diagnosis| !one.cannot_tell() && calm.contains(one.machine.as_str());
    let sound: Vec<&Diagnosis> = file.diagnoses.iter().filter(is_sound).collect();
    let fell: Vec<&ListedMachine> = machines
        .iter()
        .filter(|one| desk.trend_of(one).is_some_and(|trend| trend.loss(desk.now).is_some()))
        .collect();
    let to_judge = machines.iter().filter(|machine| machine.latest.is_some()).count();
    let left = to_judge.saturating_sub(file.diagnoses.len() + file.not_judged.len());
    let one = (machines.len() == 1).then(|| &machines[0].name);
    html! {
        header {
            h1 { "Findings" @if let Some(name) = one { " about " (machine_link(name)) } }
            p.remark {
                (counted(alarms.len() as u64, "finding")) " about " (bad) " of " (counted(machines.len() as u64, "machine"))
                ", from the latest result of each"
                @if one.is_some() { " · " a href="/findings" { "all machines" } }
            }
        }
        @if left > 0 { p.standing.not-judged { (left) " more are being judged: load this page again for the rest" } }
        @for group in &alarms { (group_section(desk, &by_name, group)) }
        (losses(desk, &fell))
        (fleet_losses(desk, machines))
        @if alarms.is_empty() && fell.is_empty() && !sound.is_empty() { p { "Nothing is wrong, as far as results tell." } }
        @if !open.is_empty() || !file.not_judged.is_empty() {
            section {
                h2 { "Not judged " (chip(State::NotJudged)) }
                ul {
                    @for diagnosis in open {
                        @let why = diagnosis.unfit.as_ref().or(diagnosis.unexplained.as_ref());
                        li { (machine_link(&diagnosis.machine)) ": " (line(why.map_or("no rule could be decided", String::as_str))) }
                    }
                    @for NotJudged { machine, reason } in &file.not_judged { li { (machine_link(machine)) ": not judged: " (line(reason)) } }
                }
            }
        }
        @if !sound.is_empty() {
            section {
                h2 { "Sound " (chip(State::Sound)) }
                p.leads { @for diagnosis in sound { (machine_link(&diagnosis.machine)) " " } }
            }
        }
        @if !notes.is_empty() {
            details {
                summary { (counted(notes.len() as u64, "note")) ": no problem by themselves" }
                @for group in &notes { (group_section(desk, &by_name, group)) }
            }
        }
    }
}

/// Machines that became worse.
fn losses(desk: &RequestContext<'_>, fell: &[&ListedMachine]) -> Markup {
    html! {
        @if !fell.is_empty() {
            section.finding id="worse-than-before" {
                h2 { (chip(State::Warning)) " Worse than before" }
                p.remark { (counted(fell.len() as u64, "machine")) " whose latest step is one to the worse, in the last month" }
                ul.events {
                    @for machine in fell {
                        @let trend = desk.trend_of(machine);
                        @if let Some(event) = trend.as_ref().and_then(|trend| trend.loss(desk.now)) {
                            li { b { (machine_link(&machine.name)) } " " (event_words(event)) }
                        }
                    }
                }
            }
        }
    }
}

/// Machines that are worse than others of their kind.
fn fleet_losses(desk: &RequestContext<'_>, machines: &[ListedMachine]) -> Markup {
    let Ok(fleet) = desk.service.judging.fleet(&desk.overview.machines) else { return html! {} };
    let asked: HashSet<&str> = machines.iter().map(|machine| machine.name.as_str()).collect();
    let groups =
        fleet.fleet.groups.iter().flat_map(|group| group.bad.iter().map(move |bad| (group.nodes, bad)));
    let bad: Vec<_> = groups.filter(|(_, bad)| asked.contains(bad.node.as_str())).collect();
    html! {
        @if !bad.is_empty() {
            section.finding id="worse-than-others" {
                h2 { (chip(State::Warning)) " Worse than others of its kind" }
                p.remark { (counted(bad.len() as u64, "machine")) ", compared with each other on the page " a href="/fleet" { "fleet" } }
                ul.events {
                    @for (nodes, bad) in bad {
                        li {
                            b { (machine_link(&bad.node)) } " "
                            @if bad.loss > 0.0 { b.worse { (format!("{:.1} %", bad.loss * 100.0)) " slower" } " than " }
                            @else { "lacks parts that others have, among " }
                            (counted(nodes as u64, "machine")) " of its kind"
                            @if let Some(since) = &bad.since { span.when { " · since " (since.from.day_and_minute()) } }
                        }
                    }
                }
            }
        }
    }
}

/// The findings by their rule, the worst first, and those of more machines before others.
fn groups(file: &DiagnosisFile) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for diagnosis in &file.diagnoses {
        for finding in &diagnosis.findings {
            match groups.iter_mut().find(|group| group.rule == finding.rule) {
                Some(group) => {
                    group.severity = group.severity.max(finding.severity);
                    group.of.push((diagnosis, finding));
                }
                None => groups.push(Group {
                    rule: &finding.rule,
                    severity: finding.severity,
                    of: vec![(diagnosis, finding)],
                }),
            }
        }
    }
    for group in &mut groups {
        let loss = |finding: &Finding| finding.size.map_or(0.0, |size| size.loss);
        group.of.sort_by(|(_, one), (_, other)| {
            other.severity.cmp(&one.severity).then(loss(other).total_cmp(&loss(one)))
        });
    }
    groups.sort_by_key(|group| std::cmp::Reverse((group.severity, group.of.len())));
    groups
}

fn group_section(desk: &RequestContext<'_>, by_name: &ByName<'_>, group: &Group<'_>) -> Markup {
    let Group { rule, severity, of } = group;
    let first = of[0].1;
    let is_one = of.iter().all(|(_, finding)| finding.title == first.title);
    let about = rules().iter().find(|known| known.name == *rule).map(|known| known.about.as_str());
    let title = if is_one { first.title.as_str() } else { about.unwrap_or(rule) };
    let state = match severity {
        Severity::Fault => Some(State::Fault),
        Severity::Warning => Some(State::Warning),
        Severity::Note => None,
    };
    let shown = of.len().min(LISTED);
    html! {
        section.finding id=(rule) {
            h2 { @if let Some(state) = state { (chip(state)) " " } (line(title)) }
            p.remark { (counted(of.len() as u64, "machine")) " · rule " code { (rule) } @if let Some(about) = about.filter(|about| *about != title) { " · " (about) } }
            (machine_table(desk, by_name, &of[..shown], is_one))
            @if of.len() > shown {
                details { summary { (of.len() - shown) " more" } (machine_table(desk, by_name, &of[shown..], is_one)) }
            }
            (advice(of))
        }
    }
}

fn machine_table(
    desk: &RequestContext<'_>,
    by_name: &ByName<'_>,
    of: &[(&Diagnosis, &Finding)],
    is_one: bool,
) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label="machines with this finding" {
            table.concerned {
                thead { tr {
                    th scope="col" { "machine" }
                    @if !is_one { th scope="col" { "finding" } }
                    th scope="col" { "shown by" } th.number scope="col" { "loss" } th scope="col" { "confidence" } th scope="col" { "result" }
                } }
                tbody {
                    @for (diagnosis, finding) in of {
                        @let listed = by_name.get(diagnosis.machine.as_str());
                        tr {
                            th scope="row" { (machine_link(&diagnosis.machine)) }
                            @if !is_one { td { (line(&finding.title)) } }
                            td {
                                @for shown in finding.evidence.iter().take(EVIDENCE) { div { (line(&shown.words)) } }
                                @if finding.evidence.len() > EVIDENCE { div.remark { "and " (finding.evidence.len() - EVIDENCE) " more" } }
                            }
                            td.number { @match finding.size { Some(size) => (format!("{:.0} %", size.loss * 100.0)), None => "–" } }
                            td title=(finding.why) { (finding.confidence.words()) }
                            td {
                                @if let Some((listed, id)) = listed.and_then(|one| Some((one, one.latest.as_ref()?))) {
                                    a href=(of_result(id)) { (age_of(desk.now, listed.last)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Causes and remedies: once where all machines share them, else with the machines that have them.
fn advice(of: &[(&Diagnosis, &Finding)]) -> Markup {
    let mut kinds: Vec<(&Finding, Vec<&str>)> = Vec::new();
    for (diagnosis, finding) in of {
        let is_same = |known: &Finding| {
            known.causes == finding.causes && known.remedies == finding.remedies && known.next == finding.next
        };
        match kinds.iter_mut().find(|(known, _)| is_same(known)) {
            Some((_, machines)) => machines.push(&diagnosis.machine),
            None => kinds.push((finding, vec![&diagnosis.machine])),
        }
    }
    let is_one = kinds.len() == 1;
    html! {
        @for (finding, machines) in &kinds {
            @if !finding.causes.is_empty() || !finding.remedies.is_empty() {
                details open[is_one] {
                    summary {
                        "Causes and remedies"
                        @if !is_one { " for " (line(&machines.join(", "))) }
                    }
                    div.advice {
                        @if !finding.causes.is_empty() {
                            div {
                                h3 { "Likely causes" }
                                ul.causes {
                                    @for cause in &finding.causes {
                                        li {
                                            b { (format!("{:.0} %", cause.likelihood * 100.0)) } " " (prose(&cause.words))
                                            @if let Some(tells) = &cause.tells { div.remark { "how to tell: " (prose(tells)) } }
                                        }
                                    }
                                }
                            }
                        }
                        @if !finding.remedies.is_empty() || finding.next.is_some() {
                            div {
                                h3 { "What to do" }
                                ul {
                                    @for remedy in &finding.remedies { li { (prose(remedy)) } }
                                    @if let Some(next) = &finding.next { li { "to confirm: " (prose(next)) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
