//! Documents of the responses: the same ones that the command line shows.

use maud::html;
use zerohop_app::{CampaignRunner, JudgeOptions, Judgement, NoAttendant, NoFiles, judge, rules};
use zerohop_archive::query::{
    self as queries, Changing, LatestResults, Order, QueryError, experiments, read, text_of,
};
use zerohop_archive::{ArchiveError, Filter, Scope, StoredResult};
use zerohop_compare::Numbering;
use zerohop_diagnosis::NotJudged;
use zerohop_experiment::Sequential;
use zerohop_report::{
    ArchivedMachines, ArchivedResults, AssessedResult, DiagnosisReport, HistoryReport, Report,
};

use crate::answer::{Answer, JSON};
use crate::fleet_links::with_links;
use crate::page_frame::{PICKED_BY, filters, leads, next_page, of_machine, of_result, upload_box};
use crate::refusal::Refusal;
use crate::request_context::{RequestContext, Shape};

/// The smallest step of a change, unless the asker says another one; the command line has the same.
const LEAST: f64 = 0.02;

/// Results of a page, unless the asker wants another number.
const PAGE: u64 = 50;

pub(crate) fn machines(desk: &mut RequestContext<'_>) -> Result<Answer, Refusal> {
    let wanted = desk.asked.all("trait");
    let list = ArchivedMachines {
        archive: desk.service.archives.location().to_string(),
        bytes: desk.overview.bytes,
        machines: desk.overview.with(&wanted),
    };
    let above = || html! { (filters(desk.overview, &wanted)) @if !desk.service.read_only { (upload_box()) } };
    desk.shown_below(&list, above)
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
    let list = ArchivedResults {
        archive: desk.service.archives.location().to_string(),
        bytes: desk.overview.bytes,
        of: desk.overview.results(),
        results,
    };
    let above = || html! { (next_page(next.as_deref())) form id=(PICKED_BY) action="/compare" method="get" { input type="hidden" name="order" value="time"; button { "compare selected results" } } };
    let answer = desk.shown_below(&list, above)?;
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
    desk.shown_below(&Report { results: &[judged], comparison: None }, || of_result(&listed))
}

pub(crate) fn history(desk: &mut RequestContext<'_>) -> Result<Answer, Refusal> {
    let machine = desk.asked.text("machine").unwrap_or_default();
    let scope = match desk.asked.text("scope") {
        Some("everything") => Scope::Everything,
        _ => Scope::Headlines,
    };
    let query = desk.asked.text("query").unwrap_or_default().split_whitespace().map(str::to_owned);
    let history = queries::history(desk.archive, machine, scope, &query.collect::<Vec<_>>())?;
    desk.shown_below(&HistoryReport { history: &history }, || of_machine(machine))
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
    let changed = file.machines.iter().filter(|machine| !machine.changes.is_empty());
    let changed: Vec<&str> = changed.map(|machine| machine.machine.as_str()).collect();
    desk.shown_below(&file, || leads("machines with changes", &changed))
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
    desk.shown(&file)
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
    let to_judge = machines.iter().filter(|machine| machine.latest.is_some()).count();
    let left = to_judge.saturating_sub(file.diagnoses.len() + file.not_judged.len());
    let bad = file.diagnoses.iter().filter(|one| one.alarms().next().is_some());
    let bad: Vec<&str> = bad.map(|one| one.result.as_str()).collect();
    let above = || {
        html! {
            @if left > 0 { p.remark { (left) " more are being judged" } }
            @for NotJudged { machine, reason } in &file.not_judged { p.remark { (machine) ": not judged: " (reason) } }
            (leads("machines with findings", &bad))
        }
    };
    desk.shown_below(&DiagnosisReport { file: &file, rules: rules(), whole: false }, above)
}

pub(crate) fn fleet(desk: &mut RequestContext<'_>) -> Result<Answer, Refusal> {
    let machines = &desk.overview.machines;
    let judging = &desk.service.judging;
    match judging.fleet(machines) {
        Ok(found) => desk.shown(&*found),
        Err(why) => {
            let found = judging.with(|judgements| LatestResults::judged(machines, judgements)).at_once(&why);
            let found = found.map_err(|error| Refusal::bad(&error, "grouped by kind"))?;
            desk.shown(&with_links(found, machines))
        }
    }
}
