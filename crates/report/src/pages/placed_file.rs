//! A file whose pages were brought to chosen nodes: before and after.

use zerohop_placement::{FullNode, PlacedFile};
use zerohop_units::Bytes;

use crate::page::Page;
use crate::pages::amount::{amount_of, percent, share_of, short};
use crate::pages::grid::{Entry, Grid, Side};
use crate::pages::style::Style;

/// Writes where the pages of a file were, and where they are.
pub(crate) fn placed_file_page(file: &PlacedFile, style: &Style) -> Page {
    let PlacedFile { wanted, before, after, step, right, full, refused, schema_version: _ } = file;
    let mut page = Page::new(style);
    let verdict = match (file.is_placed(), wanted.len()) {
        (false, _) => "not placed as asked".to_owned(),
        (true, 0 | 1) => "placed as asked".to_owned(),
        (true, _) => format!("placed as asked, in steps of {step}"),
    };
    page.banner("placed file", &verdict);
    page.line("path", &after.path);
    let share = |cached: &Bytes| cached.get() as f64 / (after.length.get().max(1)) as f64;
    page.line("length", &after.length.to_string());
    page.line(
        "cached",
        &format!("{} before, {} now", percent(before.cached_share()), percent(after.cached_share())),
    );
    page.line(
        "in place",
        &format!("{} of it, as reported by the kernel for each page", percent(share(right))),
    );
    let heads = ["node", "asked for", "", "before", "now", ""];
    let sides = [Side::Left, Side::Right, Side::Right, Side::Right, Side::Right, Side::Right];
    let mut grid = Grid::new(heads.map(str::to_owned).into_iter().zip(sides));
    let mut nodes: Vec<_> = wanted.keys().copied().collect();
    nodes.extend(before.bytes.iter().chain(after.bytes.iter()).map(|(node, _)| node));
    nodes.sort_unstable();
    nodes.dedup();
    for node in nodes {
        grid.push(vec![
            Entry::number(&node),
            Entry::text(wanted.get(&node).map_or("–".to_owned(), |share| percent(*share))),
            Entry::text(match file.wanted_on(node) {
                Bytes(0) => "–".to_owned(),
                wanted => short(wanted),
            }),
            Entry::text(amount_of(&before.bytes, node)),
            Entry::text(amount_of(&after.bytes, node)),
            Entry::text(share_of(&after.bytes, node)),
        ]);
    }
    page.section("nodes");
    page.grid(grid);
    for pages in refused {
        page.remark(&format!("{} did not move: {}", short(pages.bytes), pages.reason));
    }
    if wanted.len() > 1 {
        page.remark(&format!("in steps of {step}: a node's amount may differ from its share by one step"));
    }
    for FullNode { node, wanted, fit } in full {
        page.alert(
            &format!("node {node} is full: only {} of {} fit", short(*fit), short(*wanted)),
            "free memory there (`numactl -H` shows how much is free), or give the node less: --nodes, --weights",
        );
    }
    if !file.is_placed() && full.is_empty() {
        page.alert(
            "not all of the file is on the requested nodes",
            "a node may be short of memory, or other processes use the pages: root can move those too",
        );
    }
    page
}

#[cfg(test)]
mod tests {
    use zerohop_machine::NodeId;
    use zerohop_placement::{CachedFile, PLACED_FILE_VERSION};

    use super::*;
    use crate::pages::text;

    #[test]
    fn a_full_node_is_named_with_what_fits() {
        let on = |zero: u64, one: u64| CachedFile {
            path: "/data/model".to_owned(),
            length: Bytes::mib(8),
            bytes: [(NodeId(0), Bytes::mib(zero)), (NodeId(1), Bytes::mib(one))].into_iter().collect(),
            unknown: Bytes(0),
        };
        let file = PlacedFile {
            schema_version: PLACED_FILE_VERSION,
            wanted: [(NodeId(0), 0.5), (NodeId(1), 0.5)].into(),
            before: on(8, 0),
            after: on(7, 1),
            step: Bytes::mib(2),
            right: Bytes::mib(5),
            full: vec![FullNode { node: NodeId(1), wanted: Bytes::mib(4), fit: Bytes::mib(1) }],
            refused: Vec::new(),
        };
        let page = text(&placed_file_page(&file, &Style::default()));
        assert!(page.contains("not placed as asked"), "{page}");
        assert!(page.contains("node 1 is full: only 1.00 MiB of 4.00 MiB fit"), "{page}");
        assert!(!page.contains("other processes"), "one cause is enough: {page}");
    }
}
