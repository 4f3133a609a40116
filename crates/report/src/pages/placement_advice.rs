//! Advice on the placement of a program: the best placement, the reason, the alternatives, and lines to paste.

use zerohop_advise::placement::{
    Alternative, Figure, Kind, Line, Margin, PlacementAdvice, Program, Sensitivity, mix_name,
};

use crate::number::{counted, significant};
use crate::page::Page;
use crate::pages::grid::{Entry, Grid, Side};
use crate::pages::style::Style;

pub(crate) fn placement_advice_page(advice: &PlacementAdvice, style: &Style) -> Page {
    let mut page = Page::new(style);
    page.banner(&format!("placement on {}", advice.machine), &advice.origin.short());
    page.line("program", &program(&advice.program));
    page.line("from", advice.result.as_deref().unwrap_or_default());
    let best = advice.best();
    page.line("best", &best.words);
    page.line("gets", &with_interval(&best.figure, advice.program.sensitivity));
    let is_default = best.names.iter().any(|name| name == "default");
    page.line(
        "over default",
        &if is_default {
            "nothing: Linux does this by default, as long as threads stay where they start".to_owned()
        } else {
            margin(&advice.over_default)
        },
    );
    page.line("over worst", &margin(&advice.over_worst));
    page.section("why");
    for reason in &advice.reasons {
        let source = reason.source.as_ref().map_or(String::new(), |source| format!(" ({source})"));
        page.item(&format!("{}{source}", reason.text));
    }
    page.section("placements");
    write_placements(&mut page, advice);
    page.section("lines to paste");
    write_lines(&mut page, &advice.lines);
    if !advice.unknown.is_empty() {
        page.section("what these values do not include");
        for unknown in &advice.unknown {
            page.item(unknown);
        }
    }
    page
}

fn program(program: &Program) -> String {
    let mut words =
        format!("{}, {} of {} data", counted(program.threads, "thread"), program.bytes, program.data.name());
    words += &match program.sensitivity {
        Sensitivity::Bandwidth => format!(", {}, as fast as memory allows", mix_name(program.kernel)),
        Sensitivity::Latency => ", each with dependent loads".to_owned(),
    };
    for other in &program.background {
        let rate = other.rate.map_or(String::new(), |rate| format!(" at {rate} each"));
        words += &format!("; beside {} on node {}{rate}", counted(other.threads, "other thread"), other.node);
    }
    words
}

/// A value with its unit and interval.
pub(super) fn with_interval(figure: &Figure, sensitivity: Sensitivity) -> String {
    format!("{} {}{}", significant(figure.value), sensitivity.unit(), interval(figure))
}

fn interval(figure: &Figure) -> String {
    if figure.high > figure.low {
        format!(" ({} to {})", significant(figure.low), significant(figure.high))
    } else {
        String::new()
    }
}

fn margin(margin: &Margin) -> String {
    if !margin.times.value.is_finite() {
        return "not known".to_owned();
    }
    let certain = if margin.is_certain { "" } else { ", which is not certain" };
    format!("{:.2} times as good{}{certain}", margin.times.value, interval_of_ratio(&margin.times))
}

fn interval_of_ratio(times: &Figure) -> String {
    if times.high > times.low { format!(" ({:.2} to {:.2})", times.low, times.high) } else { String::new() }
}

fn write_placements(page: &mut Page, advice: &PlacementAdvice) {
    let unit = advice.program.sensitivity.unit();
    let heads = [
        ("", Side::Left),
        (unit, Side::Right),
        ("× default", Side::Right),
        ("remote", Side::Right),
        ("threads", Side::Left),
        ("data", Side::Left),
    ];
    let mut grid = Grid::new(heads.map(|(head, side)| (head.to_owned(), side)));
    for one in &advice.alternatives {
        grid.push(vec![
            Entry::text(name(one)),
            Entry::text(significant(one.figure.value)),
            Entry::text(format!("{:.2}", one.over_default)),
            Entry::text(format!("{:.0} %", one.remote_share * 100.0)),
            Entry::text(one.placement.threads_in_short()),
            Entry::text(one.placement.memory.in_short()),
        ]);
    }
    page.grid(grid);
    let all = if advice.exhaustive {
        "all of their kinds"
    } else {
        "found by local search from even distributions"
    };
    page.remark(&format!(
        "{} computed, {all}; equivalent nodes are computed once; threads and data by node",
        counted(advice.searched, "placement")
    ));
}

fn name(one: &Alternative) -> String {
    match one.names.as_slice() {
        [] => "next".to_owned(),
        names => names.join(", "),
    }
}

/// Lines, each below its tool's name.
pub(super) fn write_lines(page: &mut Page, lines: &[Line]) {
    let mut before = None;
    for line in lines {
        let place = match line.kind {
            Kind::Shell => "",
            Kind::Configuration => "configuration",
            Kind::C => "C",
        };
        if before != Some(line.tool) {
            page.title(line.tool.name(), place);
        }
        before = Some(line.tool);
        for text in line.text.lines() {
            page.verbatim(&format!("  {text}"));
        }
        if let Some(note) = &line.note {
            page.remark(note);
        }
        page.remark(&line.source);
    }
}
