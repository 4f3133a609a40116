//! A ramp in one line: its peak, its knee, and its fall, if any.

use zerohop_result::{Axis, Cell, Measure, Query};

use crate::measure::{shown, shown_unit};
use crate::number::significant;
use crate::page::Page;
use crate::place::place_in_full;
use crate::sheet::Sheet;

/// The values on a ramp's line: the statistic, and its measure.
const TURNS: [(&str, Measure); 3] =
    [("peak", Measure::Bandwidth), ("knee", Measure::Bandwidth), ("fall", Measure::RelativeBandwidth)];

/// Whether a sheet holds exactly the values that [`write_turns`] prints.
pub(crate) fn has_turns(sheet: &Sheet<'_>) -> bool {
    sheet.cells().all(|(_, _, cell)| TURNS.iter().any(|turn| is(cell, turn)))
}

fn is(cell: &Cell, (name, measure): &(&str, Measure)) -> bool {
    Query::of(*measure).at(Axis::Statistic, *name).selects(cell)
}

/// Writes the peak, the knee and the fall, each with its number of cores.
pub(crate) fn write_turns(page: &mut Page, sheet: &Sheet<'_>) {
    let [peak, knee, fall] =
        TURNS.map(|turn| sheet.cells().map(|(_, _, cell)| cell).find(|cell| is(cell, &turn)));
    let number = |cell: &Cell| format!("{} {}", significant(shown(cell).median), shown_unit(cell.measure));
    let cores = |cell: &Cell| {
        let place = cell.at.get(Axis::CoresPerNode);
        place.map_or(String::new(), |place| place_in_full(Axis::CoresPerNode, place))
    };
    let peak = peak.map(|cell| format!("peak {} at {}", number(cell), cores(cell)));
    let knee = knee.map(|cell| format!("knee {} at {}", number(cell), cores(cell)));
    let fall = fall.map(|cell| match cell.estimate.high {
        high if high >= 1.0 => format!("no fall up to {}", cores(cell)),
        _ => format!("{} of the peak left at {}", number(cell), cores(cell)),
    });
    page.line("turns", &[peak, knee, fall].into_iter().flatten().collect::<Vec<_>>().join("; "));
    page.remark("the knee is the first point with at least 90 % of the peak");
}
