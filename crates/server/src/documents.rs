//! Documents of the responses: the same ones that the command line shows.

use maud::{Markup, html};
use zerohop_app::{CampaignRunner, JudgeOptions, Judgement, NoAttendant, NoFiles, judge, rules};
use zerohop_archive::query::{
    self as queries, Changing, LatestResults, Order, QueryError, experiments, read, text_of,
};
use zerohop_archive::{ArchiveError, Filter, Scope, StoredResult};
use zerohop_compare::Numbering;
use zerohop_diagnosis::FleetDiagnosis;
use zerohop_experiment::Sequential;
use zerohop_report::{
    ArchivedMachines, ArchivedResults, AssessedResult, DiagnosisReport, HistoryReport, Report,
};
use zerohop_result::{History, LONGEST_NAME, ListedResult, plain_text};

use crate::answer::{Answer, JSON};
use crate::changes_page::changes_page;
use crate::findings_page::findings_page;
use crate::fleet_links::with_links;
use crate::home_page::{home_page, rows};
use crate::machine_page::{machine_page, of_result_page};
use crate::page_parts::{machine_link, result_link};
use crate::recent_history;
use crate::refusal::Refusal;
use crate::request_context::{RequestContext, Shape};
use crate::results_page::results_page;
use crate::trends::LEAST;

/// Results of a page, unless the asker wants another number.
const PAGE: u64 = 50;

/// Machines of a part of the list, if parts are asked for without their size.
const MACHINES: u64 = 100;

pub(crate) fn machines(desk: &mut RequestContext<'_>) -> Result<Answer, Refusal> {
    // Programs get them by name, as ever.
    let by_default = if desk.shape == Shape::Page { "state" } else { "name" };
    let rows = rows(desk, by_default);
    if desk.shape == Shape::Page {
        return Ok(desk.own_page("zerohop: machines", &home_page(desk, &rows)));
    }
    let ranks = match (desk.asked.whole("limit"), desk.asked.whole("page")) {
        (None, None) => 0..rows.len(),
        (limit, page) => part(rows.len(), limit.unwrap_or(MACHINES), page.unwrap_or(1)),
    };
    let machines = rows[ranks].iter().map(|row| row.machine.clone()).collect();
    let archive = desk.service.archives.location().to_string();
    desk.shown(&ArchivedMachines { archive, bytes: desk.overview.bytes, machines })
}

/// Ranks of the entries of a page of a list.
pub(crate) fn part(all: usize, each: u64, page: u64) -> std::ops::Range<usize> {
    let first = (page - 1).saturating_mul(each).min(all as u64);
    first as usize..first.saturating_add(each).min(all as u64) as usize
}

pub(crate) fn results(desk: &mut RequestContext<'_>) -> Result<Answer, Refusal> {
    let limit = desk.asked.whole("limit").unwrap_or(PAGE);
    let filter = Filter {
        machines: desk.asked.all("machine"),
        since: desk.asked.time("since"),
        before: desk.asked.time("before"),
        // One more shows whether there is another page.
        last: Some(limit + 1),
        after: desk.asked.text("after").map(str::to_owned),
    };
    let mut results = desk.archive.list(&filter)?;
    let has_more = results.len() as u64 > limit;
    results.truncate(limit as usize);
    let path = match desk.shape {
        Shape::Page => "/results",
        Shape::Json => "/api/v1/results",
    };
    let last = results.last().filter(|_| has_more);
    let next = last.map(|last| desk.asked.address(path, "after", Some(&last.id)));
    if desk.shape == Shape::Page {
        let content = results_page(desk, &results, next.as_deref());
        return Ok(Answer { next, ..desk.own_page("zerohop: results", &content) });
    }
    let list = ArchivedResults {
        archive: desk.service.archives.location().to_string(),
        bytes: desk.overview.bytes,
        of: desk.overview.results(),
        results,
    };
    let answer = desk.shown(&list)?;
    Ok(Answer { next, ..answer })
}

pub(crate) fn result(desk: &mut RequestContext<'_>) -> Result<Answer, Refusal> {
    let kept = desk.archive.result(desk.asked.text("id").unwrap_or_default())?;
    if desk.shape == Shape::Json {
        return Ok(Answer::new(JSON, text_of(kept)));
    }
    let StoredResult { listed, text } = kept;
    let file = read(&listed, &text)?;
    let crew = CampaignRunner { executor: &Sequential, stop: desk.stop, attendant: &NoAttendant };
    let Judgement { expectations, diagnosis } =
        judge(&listed.machine, &file, JudgeOptions::default(), &NoFiles, &crew).map_err(QueryError::from)?;
    let judged = AssessedResult {
        result: &file,
        experiments: experiments(),
        expectations: Some(&expectations),
        diagnosis: Some(&diagnosis),
        points: &[],
    };
    // Whatever happens to the history, the result is there to be shown.
    let history = desk.archive.history(&listed.machine, Scope::Headlines).ok();
    let above = || result_context(desk, &listed, history.as_ref());
    desk.shown_below(&Report { results: &[judged], comparison: None }, above)
}

/// What stands above a result: its machine, and why it does not count, if it does not.
fn result_context(desk: &RequestContext<'_>, listed: &ListedResult, history: Option<&History>) -> Markup {
    html! {
        (of_result_page(desk, &listed.machine, history))
        @if let Some(reason) = &listed.unusable { div.standing.not-judged { p { "not counted: " (reason) } } }
        p.leads { a.quiet href={ "/api/v1/results/" (listed.id) } { "JSON" } }
    }
}

pub(crate) fn history(desk: &mut RequestContext<'_>) -> Result<Answer, Refusal> {
    let machine = desk.asked.text("machine").unwrap_or_default();
    let scope = match desk.asked.text("scope") {
        Some("everything") => Scope::Everything,
        _ => Scope::Headlines,
    };
    let query = desk.asked.text("query").unwrap_or_default().split_whitespace().map(str::to_owned);
    let mut history = queries::history(desk.archive, machine, scope, &query.collect::<Vec<_>>())?;
    if let Some(since) = desk.asked.time("since") {
        history = recent_history::since(history, since);
    }
    let listed = desk.overview.machines.iter().find(|one| one.name == machine);
    match (desk.shape, listed) {
        (Shape::Page, Some(listed)) => {
            let title = format!("history of {}", plain_text(machine, LONGEST_NAME));
            Ok(desk.own_page(&title, &machine_page(desk, listed, &history)))
        }
        _ => desk.shown(&HistoryReport { history: &history }),
    }
}

pub(crate) fn changes(desk: &mut RequestContext<'_>) -> Result<Answer, Refusal> {
    let wanted = Changing {
        machines: desk.asked.all("machine"),
        since: desk.asked.time("since"),
        least: desk.asked.share("least").unwrap_or(LEAST),
        scope: match desk.asked.text("scope") {
            Some("headlines") => Scope::Headlines,
            _ => Scope::Everything,
        },
    };
    let file = queries::changed(desk.archive, &wanted)?;
    match desk.shape {
        Shape::Page => Ok(desk.own_page("zerohop: changes", &changes_page(desk, &file))),
        Shape::Json => desk.shown(&file),
    }
}

pub(crate) fn comparison(desk: &mut RequestContext<'_>) -> Result<Answer, Refusal> {
    let named = desk.asked.all("id");
    if named.is_empty() {
        return Err(Refusal::bad("no results selected", "select at least two results at /results"));
    }
    let order = match desk.asked.text("order") {
        Some("time") => Order::ByTime,
        _ => Order::AsNamed,
    };
    let file = queries::compared(desk.archive, &named, order, Numbering::ByTopology)?;
    let results: Vec<ListedResult> = match desk.shape {
        Shape::Page => named.iter().filter_map(|id| desk.archive.find(id).ok()).collect(),
        Shape::Json => Vec::new(),
    };
    desk.shown_below(&file, || compared(desk, &named, &results))
}

/// Links to what is compared: machines by their names, and results with their machines.
fn compared(desk: &RequestContext<'_>, named: &[String], results: &[ListedResult]) -> Markup {
    let is_machine = |name: &&String| desk.overview.machines.iter().any(|machine| machine.name == **name);
    html! {
        p.leads {
            @for name in named.iter().filter(is_machine) { (machine_link(name)) " " }
            @for one in results {
                span { (machine_link(&one.machine)) " " (result_link(&one.id, one.began_at)) } " "
            }
            a href="/results" { "pick others" }
        }
    }
}

pub(crate) fn findings(desk: &mut RequestContext<'_>) -> Result<Answer, Refusal> {
    let wanted = desk.asked.all("machine");
    let known = |name: &String| desk.overview.machines.iter().any(|machine| machine.name == *name);
    if let Some(unknown) = wanted.iter().find(|name| !known(name)) {
        let known = desk.overview.machines.iter().map(|machine| machine.name.clone()).take(12).collect();
        return Err(ArchiveError::NoMachine { name: unknown.clone(), known }.into());
    }
    let all = desk.overview.machines.iter();
    let machines: Vec<_> =
        all.filter(|machine| wanted.is_empty() || wanted.contains(&machine.name)).cloned().collect();
    let file = desk.service.judging.with(|judgements| queries::findings(&machines, judgements));
    match desk.shape {
        Shape::Page => Ok(desk.own_page("zerohop: findings", &findings_page(desk, &machines, &file))),
        Shape::Json => desk.shown(&DiagnosisReport { file: &file, rules: rules(), whole: false }),
    }
}

pub(crate) fn fleet(desk: &mut RequestContext<'_>) -> Result<Answer, Refusal> {
    let machines = &desk.overview.machines;
    let judging = &desk.service.judging;
    let found = match judging.fleet(machines) {
        Ok(found) => FleetDiagnosis::clone(&found),
        Err(why) => {
            let found = judging.with(|judgements| LatestResults::judged(machines, judgements)).at_once(&why);
            found.map_err(|error| Refusal::bad(&error, "grouped by kind"))?
        }
    };
    match desk.shape {
        Shape::Page => desk.shown(&with_links(found, machines)),
        // The same bytes as `fleet analyse` writes.
        Shape::Json => desk.shown(&found),
    }
}
