//! Content of an archive: its results, or its machines.

use zerohop_result::{ClockRemark, ListedMachine, ListedResult, Timestamp};
use zerohop_units::Bytes;

use crate::number::counted;
use crate::page::Page;
use crate::pages::grid::{Entry, Grid, Side};
use crate::pages::style::Style;
use crate::reference::Reference;

/// Digits of an id that a page shows: the time, to the quarter of a second, and enough of what is random that two runs of that time differ.
/// `show` takes them.
const ID: usize = 18;

/// One row per result, of all that the archive of that name and size has, and why some do not count.
pub(crate) fn archived_results_page(
    (archive, bytes): (&str, u64),
    of: u64,
    results: &[ListedResult],
    style: &Style,
) -> Page {
    let mut page = Page::new(style);
    page.banner(
        &format!("archive {archive}"),
        &format!("{}, {}", counted(of as usize, "result"), room(bytes)),
    );
    if results.is_empty() {
        page.blank();
        page.paragraph("no results");
        return page;
    }
    page.blank();
    let heads = [
        ("began", Side::Left),
        ("machine", Side::Left),
        ("origin", Side::Left),
        ("grade", Side::Left),
        ("cells", Side::Right),
        ("id", Side::Left),
    ];
    let mut grid = Grid::new(heads.map(|(head, side)| (head.to_owned(), side)));
    for one in results {
        let grade = match (&one.unusable, &one.grade) {
            (Some(_), _) => "not counted",
            (None, Some(grade)) => grade,
            (None, None) => "–",
        };
        grid.push(vec![
            Entry::text(day_and_minute(one.began_at)),
            Entry::machine(&one.machine),
            Entry::text(&one.origin),
            Entry::text(grade),
            Entry::number(&one.cells),
            Entry::Reference(one.id.chars().take(ID).collect(), Reference::Result(one.id.clone())),
        ]);
    }
    page.grid(grid);
    if (results.len() as u64) < of {
        page.blank();
        page.remark(&format!("{} of {of} results listed", results.len()));
    }
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for reason in results.iter().filter_map(|one| one.unusable.as_deref()) {
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, count)) => *count += 1,
            None => reasons.push((reason, 1)),
        }
    }
    if !reasons.is_empty() {
        page.section("not counted");
        reasons
            .iter()
            .for_each(|(reason, count)| page.item(&format!("{}: {reason}", counted(*count, "result"))));
    }
    wrong_clocks(&mut page, results.iter());
    page
}

/// Names the results whose clock was wrong.
pub(crate) fn wrong_clocks<'a>(page: &mut Page, results: impl Iterator<Item = &'a ListedResult>) {
    /// Results that are named, at most.
    const NAMED: usize = 20;
    let odd: Vec<(&ListedResult, ClockRemark)> =
        results.filter_map(|one| Some((one, one.clock()?))).collect();
    if odd.is_empty() {
        return;
    }
    page.section("wrong clocks");
    for (one, remark) in odd.iter().take(NAMED) {
        let [began, stated] = [remark.began_at, remark.stated_at].map(Timestamp::day_and_minute);
        page.item(&format!("{began}: {} claims to have started at {stated}", one.machine));
    }
    if odd.len() > NAMED {
        page.item(&format!("{} more", counted(odd.len() - NAMED, "result")));
    }
}

/// One row per machine of the archive of that name and size.
pub(crate) fn archived_machines_page(
    (archive, bytes): (&str, u64),
    machines: &[ListedMachine],
    style: &Style,
) -> Page {
    let mut page = Page::new(style);
    let right = format!("{}, {}", counted(machines.len(), "machine"), room(bytes));
    page.banner(&format!("archive {archive}"), &right);
    page.blank();
    let heads = [
        ("machine", Side::Left),
        ("results", Side::Right),
        ("counted", Side::Right),
        ("first", Side::Left),
        ("last", Side::Left),
    ];
    let mut grid = Grid::new(heads.map(|(head, side)| (head.to_owned(), side)));
    for one in machines {
        grid.push(vec![
            Entry::machine(&one.name),
            Entry::number(&one.results),
            Entry::number(&one.usable),
            Entry::text(day_and_minute(one.first)),
            Entry::text(day_and_minute(one.last)),
        ]);
    }
    page.grid(grid);
    let odd: Vec<&ListedMachine> = machines.iter().filter(|one| one.wrong_clocks > 0).collect();
    if !odd.is_empty() {
        page.section("wrong clocks");
        for one in odd {
            page.item(&format!("{}: {}", one.name, counted(one.wrong_clocks as usize, "result")));
        }
    }
    page
}

/// `2026-11-03 04:10`, or a dash.
pub(crate) fn day_and_minute(time: Option<Timestamp>) -> String {
    time.map_or_else(|| "–".to_owned(), Timestamp::day_and_minute)
}

fn room(bytes: u64) -> String {
    Bytes(bytes).to_string()
}
