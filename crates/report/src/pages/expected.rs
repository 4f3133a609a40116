//! Expectations on a terminal: ranges next to the figures of the first screen, deviations, and the whole list.

use std::collections::BTreeMap;

use zerohop_expectation::{
    Basis, ByPlace, Expectation, Expectations, ExpectedCell, Kind, Knowledge, Reading, Standing, Stated,
};
use zerohop_result::{Axis, Catalogue, Measure, Relation};

use crate::expected_words::{Ends, knowledge, place, range, words_of};
use crate::number::{counted, significant};
use crate::page::Page;
use crate::pages::grid::{Entry, Grid, Side};
use crate::place::place_in_full;
use crate::waterfall::{COSTS, costs};
use zerohop_statistics::median;

/// Expectations for the local and the remote values of a measure, for the figures of a first screen.
pub(crate) fn near_and_far(expectations: &Expectations, measure: Measure) -> [Option<String>; 2] {
    let ends = Ends::of(expectations);
    [true, false].map(|local| {
        let cells = expectations.cells.iter().filter(|cell| cell.measure == measure);
        let pairs = cells.filter(|cell| is_pair(cell) && is_absolute(&cell.expected));
        range(pairs.filter(|cell| is_local(cell.kind) == local).map(|cell| ends.around(cell)))
    })
}

/// A cell from node to node, under no load and with no kernel named.
fn is_pair(cell: &ExpectedCell) -> bool {
    let ends = [Axis::Initiator, Axis::Target];
    cell.at.0.len() == ends.len() && ends.iter().all(|axis| cell.at.number(*axis).is_some())
}

const fn is_local(kind: Kind) -> bool {
    matches!(kind, Kind::IdleLatency(Relation::Local) | Kind::ReadBandwidth(Relation::Local))
}

/// Whether it says more than that cells are alike.
fn is_absolute(expected: &Expectation) -> bool {
    expected.basis != Basis::Sisters
}

/// Values of one kind that deviate in the same direction.
struct Group<'a> {
    kind: Kind,
    cells: Vec<&'a ExpectedCell>,
}

fn groups(expectations: &Expectations) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for cell in expectations.deviating().into_iter().filter(|cell| is_absolute(&cell.expected)) {
        let like = |group: &&mut Group<'_>| {
            let first = group.cells[0];
            group.kind == cell.kind && first.standing == cell.standing && first.measure == cell.measure
        };
        match groups.iter_mut().find(like) {
            Some(group) => group.cells.push(cell),
            None => groups.push(Group { kind: cell.kind, cells: vec![cell] }),
        }
    }
    groups
}

/// Deviations from the expectations, at most `most` lines, and the reading of a fact that fits.
pub(crate) fn write_deviations(page: &mut Page, expectations: &Expectations, most: usize) {
    if let Knowledge::Model { doubts, .. } = &expectations.knowledge
        && let Some(doubt) = doubts.first()
    {
        page.alert(&format!("perhaps not the stated machine: {doubt}"), "");
    }
    let groups = groups(expectations);
    for group in groups.iter().take(most) {
        page.alert(&group.words(expectations), "");
    }
    if groups.len() > most {
        page.remark(&format!(
            "and {} more: `zerohop show RESULT --all` prints them",
            counted(groups.len() - most, "deviation")
        ));
    }
    for reading in expectations.telling() {
        page.alert(&fit(expectations, reading), "");
    }
}

impl Group<'_> {
    /// `read bandwidth, remote: 34.3 GB/s, expected 43–63 (−33 %): 3 x 17.1 GB/s of data`.
    fn words(&self, expectations: &Expectations) -> String {
        // The first is the farthest from what is expected.
        let worst = self.cells[0];
        let kind = words_of(self.kind);
        let which = match self.cells.len() {
            1 => place(&worst.at),
            count => format!("{} of {}, at worst {}", count, self.all(expectations), place(&worst.at)),
        };
        let Expectation { low, high, reason, .. } = &worst.expected;
        format!(
            "{kind} ({which}): {} {}, expected {} to {} ({:+.0} %): {reason}",
            significant(worst.value),
            worst.measure.unit(),
            significant(*low),
            significant(*high),
            100.0 * worst.deviation()
        )
    }

    /// How many values of the kind can be judged.
    fn all(&self, expectations: &Expectations) -> usize {
        let measure = self.cells[0].measure;
        let cells = expectations.cells.iter();
        cells
            .filter(|cell| {
                cell.kind == self.kind && cell.measure == measure && cell.standing != Standing::Open
            })
            .count()
    }
}

/// Which value of a fact fits, beside the one that was taken for granted.
fn fit(expectations: &Expectations, reading: &Reading) -> String {
    let nominal = expectations
        .readings()
        .iter()
        .find(|other| other.nominal && other.fact == reading.fact && other.node == reading.node);
    let compared = nominal.and_then(|nominal| {
        let (own, other) = (reading.cells.first()?, nominal.cells.first()?);
        let unit = own.measure.unit();
        Some(format!(
            " ({}: {} {unit}; {} give {}, {} give {})",
            place(&own.at),
            significant(own.value),
            reading.value,
            significant(own.expected),
            nominal.value,
            significant(other.expected)
        ))
    });
    let taken = nominal.map_or(reading.of, |nominal| nominal.value);
    let why = match reading.known {
        Stated::Known => format!(", but {taken} are known to be present"),
        Stated::Assumed => format!("; their number was not given, and {taken} were assumed"),
    };
    format!("{reading}{}{why}", compared.unwrap_or_default())
}

/// Basis of the expectations, and number of values that are as expected.
pub(crate) fn write_basis(page: &mut Page, expectations: &Expectations) {
    let (inside, judged) = expectations.as_expected();
    let count = if judged > 0 { format!("{inside} of {judged} values as expected ") } else { String::new() };
    let by_sisters = matches!(expectations.knowledge, Knowledge::Nothing { .. }) && judged > 0;
    let by = if by_sisters { "by comparable cells; otherwise " } else { "" };
    page.line("expected", &format!("{count}{by}{}", knowledge(&expectations.knowledge)));
}

/// Expectations for every kind of value, the reasons, and the unknown facts.
pub(crate) fn write_expected(page: &mut Page, expectations: &Expectations, experiments: Catalogue) {
    write_basis(page, expectations);
    if let Knowledge::Model { assumed, .. } = &expectations.knowledge {
        page.line("assumed", &assumed.join("; "));
    }
    write_deviations(page, expectations, usize::MAX);
    if !expectations.cells.is_empty() {
        page.blank();
        page.grid(by_kind(expectations, experiments));
    }
    write_waterfalls(page, expectations);
    for reading in expectations.readings() {
        let marks = [(reading.nominal, "assumptions"), (reading.fits_best, "fits best")];
        let marks: Vec<&str> =
            marks.into_iter().filter(|(holds, _)| *holds).map(|(_, words)| words).collect();
        let node = reading.node.map_or(String::new(), |node| format!("node {node}, "));
        let off = 100.0 * (libm::exp(reading.distance) - 1.0);
        page.item(&format!(
            "{node}{} of {} {}: {} of {} as expected, {off:.0} % off at the median{}{}",
            reading.value,
            reading.of,
            reading.noun,
            reading.inside,
            counted(reading.cells.len(), "value"),
            if marks.is_empty() { "" } else { "; " },
            marks.join(", ")
        ));
    }
    // A reason that many experiments share is printed once.
    for (rank, none) in expectations.without.iter().enumerate() {
        if expectations.without[..rank].iter().any(|other| other.reason == none.reason) {
            continue;
        }
        let alike = expectations.without.iter().filter(|other| other.reason == none.reason);
        let of: Vec<String> =
            alike.map(|one| format!("{} of {}", counted(one.cells, "value"), one.experiment)).collect();
        page.item(&format!("no expected value of {}: {}", of.join(", "), none.reason));
    }
}

/// Nodes whose bandwidth is taken apart one by one.
const MOST_WATERFALLS: usize = 16;

/// Where the bandwidth of each node goes.
fn write_waterfalls(page: &mut Page, expectations: &Expectations) {
    let nodes = &expectations.waterfalls;
    if nodes.is_empty() {
        return;
    }
    page.title("where each node's bandwidth goes", "(GB/s of local memory)");
    let heads = ["node", "channels × rate"].into_iter().chain(COSTS).chain(["reads", "share"]);
    let mut grid = Grid::new(heads.map(|head| (head.to_owned(), Side::Right)));
    for node in nodes.iter().take(MOST_WATERFALLS) {
        let costs = costs(node).map(|cost| Entry::number(&lost(cost)));
        let ends = [Entry::number(&node.node), Entry::number(&significant(node.theoretical))];
        let share = format!("{:.0} %", 100.0 * node.found / node.theoretical);
        let reads = [Entry::number(&significant(node.found)), Entry::number(&share)];
        grid.push(ends.into_iter().chain(costs).chain(reads).collect());
    }
    page.grid(grid);
    if nodes.len() > MOST_WATERFALLS {
        page.remark(&format!("and {} more", counted(nodes.len() - MOST_WATERFALLS, "node")));
    }
}

/// What is lost, with its sign; less than a thousandth of a GB/s is nothing.
fn lost(cost: f64) -> String {
    match cost {
        _ if cost.abs() < 1e-3 => "0".to_owned(),
        _ if cost < 0.0 => format!("+{}", significant(-cost)),
        _ => format!("−{}", significant(cost)),
    }
}

/// One row per experiment, kind and place: medians over nodes.
fn by_kind(expectations: &Expectations, experiments: Catalogue) -> Grid {
    let heads = [
        ("", Side::Left),
        ("values", Side::Right),
        ("median", Side::Right),
        ("expected", Side::Left),
        ("why", Side::Left),
    ];
    let mut grid = Grid::new(heads.map(|(head, side)| (head.to_owned(), side)));
    let mut rows: Vec<(String, Vec<&ExpectedCell>)> = Vec::new();
    let mut places: BTreeMap<(String, Basis), usize> = BTreeMap::new();
    let by_place = expectations.by_place();
    for cell in expectations.cells.iter().filter(|cell| !repeats(&by_place, cell)) {
        let place = *places.entry((label(cell, experiments), cell.expected.basis)).or_insert_with_key(
            |(label, _)| {
                rows.push((label.clone(), Vec::new()));
                rows.len() - 1
            },
        );
        rows[place].1.push(cell);
    }
    let intervals = Ends::of(expectations);
    for (label, cells) in rows {
        let middle = median(cells.iter().map(|cell| cell.value)).unwrap_or(f64::NAN);
        let ends = range(cells.iter().map(|cell| intervals.around(cell))).unwrap_or_default();
        let mark = if cells.iter().any(|cell| cell.deviates()) { " !" } else { "" };
        let like = cells.iter().find(|cell| cell.expected.validated).unwrap_or(&cells[0]);
        let Expectation { validated, reason, .. } = &like.expected;
        let guess = if *validated { "" } else { ", a guess" };
        grid.push(vec![
            Entry::text(label),
            Entry::number(&cells.len()),
            Entry::number(&significant(middle)),
            Entry::text(format!("{ends}{mark}")),
            Entry::text(format!("{reason}{guess}")),
        ]);
    }
    grid
}

/// Whether a cell of one node says nothing that the cell of all nodes does not.
fn repeats(by_place: &ByPlace<'_>, cell: &ExpectedCell) -> bool {
    if cell.kind != Kind::Mixes || cell.deviates() || cell.at.number(Axis::Initiator).is_none() {
        return false;
    }
    let whole = cell.at.clone().with(Axis::Initiator, "all").with(Axis::Target, "local");
    by_place.contains_key(&(&cell.experiment, cell.measure, &whole))
}

/// What distinguishes values of a kind; where nothing does, the kind or the title of the experiment.
fn label(cell: &ExpectedCell, experiments: Catalogue) -> String {
    let known = experiments.get(&cell.experiment).and_then(|known| known.layouts.first());
    let title = known.map_or(cell.experiment.as_str(), |layout| layout.title);
    let axes = [Axis::Mix, Axis::Kernel, Axis::Level];
    let place = axes.iter().find_map(|axis| Some(place_in_full(*axis, cell.at.get(*axis)?)));
    let what = match (cell.kind, place) {
        (Kind::Mixes, Some(place)) if cell.at.get(Axis::Mix).is_some() => place,
        (Kind::Mixes, Some(place)) => format!("{title} {place}"),
        (Kind::Mixes, None) => title.to_owned(),
        (kind, Some(place)) => format!("{}, {place}", words_of(kind)),
        (kind, None) => words_of(kind).to_owned(),
    };
    let node = cell.at.number(Axis::Initiator).filter(|_| cell.kind == Kind::Mixes);
    let node = node.map_or(String::new(), |node| format!(", node {node}"));
    format!("{what}{node} ({})", cell.measure.unit())
}
