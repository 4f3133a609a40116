//! Location of the pages and threads of a process or a file: amounts by node, their content, the cost, and a better location.

use std::time::Duration;

use zerohop_machine::NodeId;
use zerohop_placement::Contents;
use zerohop_placement::{PartOfMemory, PlacementCost, Rate, Whereabouts, WhereaboutsFile, Whose};
use zerohop_units::Bytes;

use crate::number::{counted, significant};
use crate::page::Page;
use crate::pages::amount::{amount_of, percent, share_of, short};
use crate::pages::grid::{Entry, Grid, Side};
use crate::pages::style::Style;
use crate::printable::one_line;

/// The number of kinds of memory that are listed.
const LISTED: usize = 8;

/// More nodes than this have no columns in the list of kinds of memory.
const MOST_COLUMNS: usize = 8;

/// Writes where pages and threads are.
pub(crate) fn whereabouts_page(file: &WhereaboutsFile, style: &Style) -> Page {
    let mut page = Page::new(style);
    for (rank, one) in file.found.iter().enumerate() {
        if rank > 0 {
            page.blank();
        }
        write_subject(&mut page, one);
        write_nodes(&mut page, file, one);
        write_parts(&mut page, file, one);
        write_cost(&mut page, file, one);
        if !one.remedies.is_empty() {
            page.section("better placements");
            for remedy in &one.remedies {
                page.command(&remedy.command().to_string());
                page.remark(remedy.reason());
            }
        }
    }
    page
}

/// A line about one look of many: when it was taken, how much memory there is, and where it and the CPU time are.
pub fn watched_line(one: &Whereabouts, after: Duration) -> String {
    let memory = one.bytes.iter().map(|(node, _)| format!("node {node} {}", share_of(&one.bytes, node)));
    let cpu = one.cpu_shares.iter().map(|(node, share)| format!("node {node} {}", percent(*share)));
    let list = |words: Vec<String>| if words.is_empty() { "–".to_owned() } else { words.join(", ") };
    let whose = match &one.subject {
        Whose::Process { process, .. } => format!("process {process}"),
        Whose::File { .. } => "cached".to_owned(),
    };
    let remote = one.remote_share.map_or("–".to_owned(), percent);
    format!(
        "{:7.1} s  {whose}  {}: {}  CPU time: {}  remote {remote}",
        after.as_secs_f64(),
        short(one.bytes.total()),
        list(memory.collect()),
        list(cpu.collect()),
    )
}

fn write_subject(page: &mut Page, one: &Whereabouts) {
    match &one.subject {
        Whose::Process { process, command } => {
            page.banner(&format!("process {process}"), &counted(one.threads.len(), "thread"));
            page.line("command", &one_line(command));
        }
        Whose::File { path, length, cached_share, unknown, mapped_by } => {
            page.banner("file", &format!("{length}, {} cached", percent(*cached_share)));
            page.line("path", path);
            if *unknown > Bytes(0) {
                page.line("elsewhere", &format!("{unknown} whose node the kernel did not report"));
            }
            let users: Vec<String> = mapped_by.iter().map(ToString::to_string).collect();
            let users = match users.as_slice() {
                [] => "no process that this user may see".to_owned(),
                users => format!("process {}", users.join(", ")),
            };
            page.line("mapped by", &users);
        }
    }
}

fn write_nodes(page: &mut Page, file: &WhereaboutsFile, one: &Whereabouts) {
    page.section("nodes");
    let heads = [
        ("node", Side::Left),
        ("memory", Side::Right),
        ("share", Side::Right),
        ("threads", Side::Right),
        ("CPU time", Side::Right),
    ];
    let mut grid = Grid::new(heads.map(|(head, side)| (head.to_owned(), side)));
    for node in file.nodes_of(one) {
        let threads = one.threads_by_node.get(&node).copied().unwrap_or(0);
        grid.push(vec![
            Entry::number(&node),
            Entry::text(amount_of(&one.bytes, node)),
            Entry::text(share_of(&one.bytes, node)),
            Entry::text(if threads == 0 { "–".to_owned() } else { threads.to_string() }),
            Entry::text(one.cpu_shares.get(&node).map_or("–".to_owned(), |share| percent(*share))),
        ]);
    }
    page.grid(grid);
    if !one.threads.is_empty() {
        page.remark("threads by the CPU that each last ran on; CPU time since they started");
    }
}

fn write_parts(page: &mut Page, file: &WhereaboutsFile, one: &Whereabouts) {
    if one.parts.is_empty() {
        return;
    }
    page.section("contents of the memory");
    let all = file.nodes_of(one);
    let columns: &[NodeId] = if all.len() > MOST_COLUMNS { &[] } else { &all };
    let mut heads = vec![
        ("contents".to_owned(), Side::Left),
        ("pages".to_owned(), Side::Right),
        ("policy".to_owned(), Side::Left),
        ("memory".to_owned(), Side::Right),
    ];
    heads.extend(columns.iter().map(|node| (format!("node {node}"), Side::Right)));
    let mut grid = Grid::new(heads);
    for part in one.parts.iter().take(LISTED) {
        let mut row = vec![
            Entry::text(contents(part)),
            Entry::text(part.page_bytes.to_string()),
            Entry::text(part.policy.clone()),
            Entry::text(short(part.bytes.total())),
        ];
        row.extend(columns.iter().map(|&node| Entry::text(share_of(&part.bytes, node))));
        grid.push(row);
    }
    page.grid(grid);
    if let Some(rest) = one.parts.get(LISTED..).filter(|rest| !rest.is_empty()) {
        let bytes = Bytes(rest.iter().map(|part| part.bytes.total().get()).sum());
        page.remark(&format!(
            "and {} of {} more, in the JSON format",
            short(bytes),
            counted(rest.len(), "kind")
        ));
    }
}

fn contents(part: &PartOfMemory) -> String {
    let what = match &part.contents {
        Contents::Heap => "heap".to_owned(),
        Contents::Stack => "stack".to_owned(),
        Contents::Anonymous => "anonymous memory".to_owned(),
        Contents::File { path } => path.clone(),
    };
    if part.mappings > 1 { format!("{what} ({} mappings)", part.mappings) } else { what }
}

fn write_cost(page: &mut Page, file: &WhereaboutsFile, one: &Whereabouts) {
    let Some(remote) = one.remote_share else { return };
    page.section("cost of the placement");
    page.line("remote", &format!("{} of accesses, if every thread uses all pages equally", percent(remote)));
    match (&one.cost, &file.survey) {
        (Some(cost), Some(survey)) => {
            let PlacementCost { latency, bandwidth } = cost;
            let versus = |rate: &Rate, unit: &str| {
                let (now, local) = (significant(rate.now), significant(rate.local));
                let limit = rate.limit.as_ref().map_or(String::new(), |limit| format!("; limit: {limit}"));
                format!("{now} {unit}, or {local} {unit} with all pages local{limit}")
            };
            if let Some(latency) = latency {
                page.line("latency", &versus(latency, "ns"));
            }
            if let Some(bandwidth) = bandwidth {
                page.line("bandwidth", &versus(bandwidth, "GB/s"));
            }
            page.remark(&format!(
                "computed from the matrices of {} ({})",
                survey.name,
                survey.origin.short()
            ));
        }
        (None, Some(survey)) => {
            page.remark(&format!("{} does not contain the latency or bandwidth of these nodes", survey.name));
        }
        (_, None) => page.remark(
            "to compute the cost on this machine, run `zerohop survey -o DIR` once, and add `--survey DIR` here",
        ),
    }
}
