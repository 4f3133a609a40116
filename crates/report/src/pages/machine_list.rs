//! The machines that can be simulated by name.

use zerohop_machine_file::Hardware;

use crate::page::Page;
use crate::pages::grid::{Entry, Grid, Side};
use crate::pages::style::Style;

/// One row per machine: its size, the number of its parameters and how many of them were fitted, and its title.
pub(crate) fn machine_list(machines: &[Hardware], style: &Style) -> Page {
    let mut page = Page::new(style);
    let heads = [
        ("machine", Side::Left),
        ("nodes", Side::Right),
        ("cores", Side::Right),
        ("parameters", Side::Right),
        ("fitted", Side::Right),
    ];
    let mut grid = Grid::new(heads.map(|(head, side)| (head.to_owned(), side)));
    for hardware in machines {
        grid.push(vec![
            Entry::text(&hardware.machine.name),
            Entry::number(&hardware.machine.nodes.len()),
            Entry::number(&hardware.machine.cores.len()),
            Entry::number(&hardware.parameters.len()),
            Entry::number(&hardware.fitted().count()),
        ]);
    }
    page.grid(grid);
    page.blank();
    let titles = machines.iter().map(|hardware| (hardware.machine.name.as_str(), hardware.title.clone()));
    page.lines(&titles.collect::<Vec<_>>());
    page
}
