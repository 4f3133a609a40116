//! Errors of predictions from spec sheets, on a terminal.

use zerohop_study::{Errors, NamedErrors, Validation};

use crate::number::counted;
use crate::page::Page;
use crate::pages::grid::{Entry, Grid, Side};
use crate::pages::style::Style;

/// Errors by measure and by machine.
pub(crate) fn validation_page(validation: &Validation, style: &Style) -> Page {
    let mut page = Page::new(style);
    if let Some(all) = &validation.all {
        page.banner(&format!("{} values predicted from spec sheets", all.values), "");
        write_errors(&mut page, all);
    }
    if let Some(known) = &validation.known {
        page.section(&format!("{} from machines without assumptions", counted(known.values, "value")));
        write_errors(&mut page, known);
    }
    for (title, named) in [("by measure", &validation.kinds), ("by machine", &validation.studies)] {
        page.section(title);
        page.grid(grid(named));
    }
    page
}

fn write_errors(page: &mut Page, errors: &Errors) {
    page.line("median", &format!("{:.1} %", errors.median));
    page.line("nine of ten", &format!("within {:.1} %", errors.nine_of_ten));
    page.line("worst", &format!("{:+.1} %", errors.worst));
}

fn grid(named: &[NamedErrors]) -> Grid {
    let heads = [
        ("", Side::Left),
        ("predicted", Side::Right),
        ("median %", Side::Right),
        ("9 of 10 %", Side::Right),
        ("worst %", Side::Right),
    ];
    let mut grid = Grid::new(heads.map(|(head, side)| (head.to_owned(), side)));
    for NamedErrors { name, errors, .. } in named {
        let digits = |value: f64| Entry::number(&format!("{value:.1}"));
        grid.push(match errors {
            Some(errors) => vec![
                Entry::text(name),
                Entry::number(&errors.values),
                digits(errors.median),
                digits(errors.nine_of_ten),
                digits(errors.worst),
            ],
            None => vec![
                Entry::text(name),
                Entry::number(&0),
                Entry::text("–"),
                Entry::text("–"),
                Entry::text("–"),
            ],
        });
    }
    grid
}
