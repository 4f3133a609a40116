//! A file whose pages were brought to chosen nodes: before and after.

use zerohop_placement::PlacedFile;
use zerohop_units::Bytes;

use crate::terminal::amount::{amount_of, percent, share_of, short};
use crate::terminal::grid::{Entry, Grid, Side};
use crate::terminal::page::Page;
use crate::terminal::style::Style;

/// Writes where the pages of a file were, and where they are.
pub(crate) fn placed_file_page(file: &PlacedFile, style: &Style) -> String {
    let PlacedFile { wanted, before, after, right, refused, schema_version: _ } = file;
    let mut page = Page::new(style);
    let verdict = if file.is_placed() { "placed as asked" } else { "not placed as asked" };
    page.banner("placed file", verdict);
    page.line("path", &after.path);
    let share = |cached: &Bytes| cached.get() as f64 / (after.length.get().max(1)) as f64;
    page.line("length", &after.length.to_string());
    page.line(
        "cached",
        &format!("{} before, {} now", percent(before.cached_share()), percent(after.cached_share())),
    );
    page.line("in place", &format!("{} of it, asked of the kernel page by page", percent(share(right))));
    let heads = ["node", "asked for", "before", "now", ""];
    let sides = [Side::Left, Side::Right, Side::Right, Side::Right, Side::Right];
    let mut grid = Grid::new(heads.map(str::to_owned).into_iter().zip(sides));
    let mut nodes: Vec<_> = wanted.keys().copied().collect();
    nodes.extend(before.bytes.iter().chain(after.bytes.iter()).map(|(node, _)| node));
    nodes.sort_unstable();
    nodes.dedup();
    for node in nodes {
        grid.push(vec![
            Entry::number(&node),
            Entry::text(wanted.get(&node).map_or("–".to_owned(), |share| percent(*share))),
            Entry::text(amount_of(&before.bytes, node)),
            Entry::text(amount_of(&after.bytes, node)),
            Entry::text(share_of(&after.bytes, node)),
        ]);
    }
    page.section("nodes");
    page.grid(&grid);
    for pages in refused {
        page.remark(&format!("{} did not move: {}", short(pages.bytes), pages.reason));
    }
    if !file.is_placed() {
        page.alert(
            "not all of the file is where it was asked for",
            "a node may be short of memory, or other processes use the pages: root may move those, too",
        );
    }
    page.finish()
}
