//! Templates of machines, on a terminal.

use zerohop_machine_file::Template;

use crate::page::Page;
use crate::pages::grid::{Entry, Grid, Side};
use crate::pages::style::Style;

pub(crate) fn template_list(templates: &[Template], style: &Style) -> Page {
    let mut page = Page::new(style);
    let titles = templates.iter().map(|template| (template.name(), template.title().to_owned()));
    page.lines(&titles.collect::<Vec<_>>());
    page.blank();
    page.remark("`zerohop machine templates NAME` lists what can be set, `zerohop survey --on NAME --set cores=28` predicts a machine");
    page
}

/// One template: a buyer's knowledge that can be set, and the derived properties of its generation.
pub(crate) fn template_page(template: &Template, style: &Style) -> Page {
    let mut page = Page::new(style);
    page.banner(&format!("template {}", template.name()), "");
    page.remark(template.title());
    let parameters = template.parameters();
    for (title, can_be_set) in
        [("properties, changed with --set", true), ("known values of the generation", false)]
    {
        page.section(title);
        let heads =
            [("parameter", Side::Left), ("value", Side::Left), ("unit", Side::Left), ("bounds", Side::Left)];
        let mut grid = Grid::new(heads.map(|(head, side)| (head.to_owned(), side)));
        let of_kind = || parameters.iter().filter(|one| one.can_be_set == can_be_set);
        for one in of_kind() {
            let bounds = one.bounds.as_ref().map_or(String::new(), |[least, most]| match most.is_empty() {
                true => String::new(),
                false => format!("{least} to {most}"),
            });
            let value = one.value.clone().unwrap_or_else(|| "–".to_owned());
            grid.push(vec![
                Entry::text(one.name.trim_start_matches("generation.")),
                Entry::text(&value),
                Entry::text(&one.unit),
                Entry::text(&bounds),
            ]);
        }
        page.grid(grid);
        page.blank();
        for one in of_kind() {
            let source = one.source.as_ref().map_or(String::new(), |source| format!(" Source: {source}."));
            page.line(one.name.trim_start_matches("generation."), &format!("{}{source}", one.meaning));
        }
    }
    page
}
