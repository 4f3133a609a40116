//! Changes of machines over time: each with its runs, its values, and the changes of the machine.

use zerohop_compare::{Change, ChangedValue, ChangesFile, MachineChanges, NamedValue, tells};
use zerohop_result::Timestamp;
use zerohop_statistics::FEWEST;

use crate::number::counted;
use crate::page::Page;
use crate::pages::archive::day_and_minute;
use crate::pages::grid::{Entry, Grid, Side};
use crate::pages::style::Style;

/// Values of a change that are listed.
const LISTED: usize = 8;

/// Writes the changes of all machines.
pub(crate) fn changes_page(file: &ChangesFile, style: &Style) -> Page {
    let mut page = Page::new(style);
    let count = file.machines.iter().map(|machine| machine.changes.len()).sum();
    page.banner(
        &format!("{} in {}", counted(count, "change"), counted(file.machines.len(), "machine")),
        &format!("steps of at least {:.1} %", file.least * 100.0),
    );
    let (telling, others): (Vec<_>, Vec<_>) = file.machines.iter().partition(|machine| tells(machine));
    let (quiet, changed): (Vec<&MachineChanges>, Vec<_>) = telling.into_iter().partition(|machine| {
        machine.changes.is_empty()
            && machine.unsettled.is_empty()
            && machine.drifts.is_empty()
            && machine.unjudged.is_empty()
            && machine.unordered == 0
    });
    changed.into_iter().for_each(|machine| write_machine(&mut page, machine));
    if !quiet.is_empty() {
        page.section("without a change");
        page.paragraph(&names(&quiet));
    }
    if !others.is_empty() {
        page.section("cannot tell");
        page.paragraph(&format!("fewer than {FEWEST} usable results: {}", names(&others)));
    }
    page
}

fn names(machines: &[&MachineChanges]) -> String {
    machines.iter().map(|machine| machine.machine.as_str()).collect::<Vec<_>>().join(", ")
}

fn write_machine(page: &mut Page, machine: &MachineChanges) {
    let MachineChanges { machine: name, runs, series, changes, unsettled, unjudged, unordered, drifts } =
        machine;
    page.section(&format!("{name}: {} of {}", counted(*runs, "run"), counted(*series, "value")));
    for change in changes {
        write_change(page, change, *series);
    }
    for words in unjudged {
        page.alert(words, "");
    }
    if *unordered > 0 {
        page.remark(&format!(
            "skipped {} with a wrong clock: their order is unknown",
            counted(*unordered, "result")
        ));
    }
    if let Some(runs) = unsettled.iter().map(|value| value.runs).max() {
        let values = counted(unsettled.len(), "value");
        page.title(
            &format!("in the last {} only, {values}", counted(runs, "run")),
            "uncertain: run again to decide",
        );
        let rows = unsettled.iter().map(|one| (&one.value, one.ratio, None, one.better));
        page.grid(grid(rows));
    }
    if !drifts.is_empty() {
        page.title("drifted without a step", "");
        page.grid(grid(drifts.iter().map(|one| (&one.value, one.ratio, None, one.better))));
    }
}

fn write_change(page: &mut Page, change: &Change, series: usize) {
    let Change { before, after, traits, values } = change;
    let worse = values.iter().filter(|value| !value.better).count();
    let tendency = match worse {
        0 => format!("{} of {series} values are better", values.len()),
        all if all == values.len() => format!("{all} of {series} values are worse"),
        worse => format!("{worse} of {series} values are worse, {} better", values.len() - worse),
    };
    let when = |time: Option<Timestamp>| day_and_minute(time);
    let title = format!("between {} and {}: {tendency}", when(before.began_at), when(after.began_at));
    if worse > 0 {
        page.alert(&title, "");
    } else {
        page.paragraph(&title);
    }
    for one in traits {
        page.item(&format!("{}: {} → {}", one.what, one.from, one.to));
    }
    if traits.is_empty() {
        page.item("no change in the machine's recorded hardware and settings");
    }
    let row = |value: &ChangedValue| (value.low, value.high);
    page.grid(grid(values.iter().map(|value| (&value.value, value.ratio, Some(row(value)), value.better))));
    if values.len() > LISTED {
        page.remark(&format!("and {} more; --format csv lists all", values.len() - LISTED));
    }
}

/// A value, how many times the earlier one the later one is, its interval, and whether that is better.
type Row<'a> = (&'a NamedValue, f64, Option<(f64, f64)>, bool);

/// A change in percent. Of values that have nothing to do with each other, only its size is of interest.
fn percent(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    if percent < 1e6 { format!("{percent:+.1}") } else { format!("{percent:+.0e}") }
}

fn grid<'a>(rows: impl Iterator<Item = Row<'a>>) -> Grid {
    let heads = [
        ("", Side::Left),
        ("", Side::Left),
        ("change %", Side::Right),
        ("interval", Side::Left),
        ("", Side::Left),
    ];
    let mut grid = Grid::new(heads.map(|(head, side)| (head.to_owned(), side)));
    for (value, ratio, interval, better) in rows.take(LISTED) {
        let interval =
            interval.map_or_else(String::new, |(low, high)| format!("{} to {}", percent(low), percent(high)));
        grid.push(vec![
            Entry::text(&value.experiment),
            Entry::text(format!("{}, {}", value.measure, value.place)),
            Entry::number(&percent(ratio)),
            Entry::text(interval),
            Entry::text(if better { "better" } else { "worse" }),
        ]);
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value of 1e-300 that became 1e300 changed by "+inf" percent.
    #[test]
    fn a_change_is_a_number_however_large() {
        for (ratio, shown) in [(1.5, "+50.0"), (0.0, "-100.0"), (1e4, "+999900.0"), (1e300, "+1e302")] {
            assert_eq!(percent(ratio), shown);
        }
    }
}
