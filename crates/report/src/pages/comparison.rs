//! A comparison of results with the first of them: their ranking, the largest changes, and what could not be compared.

use zerohop_compare::{
    Alignment, AlignmentReason, ComparedCell, ComparedNumber, ComparisonFile, Explanation, Ranked, Ratio,
    Shift, Tendency, Whole,
};
use zerohop_result::Coordinates;
use zerohop_workload::Origin;

use crate::number::{counted, ends, significant};
use crate::page::Page;
use crate::pages::grid::{Entry, Figure, Grid, Side};
use crate::pages::style::Style;
use crate::place::place_in_full;

/// Results side by side in a table of experiments.
const COLUMNS: usize = 4;

/// Number of cells listed as the largest changes, for each result.
const MOVED: usize = 6;

/// Writes how results compare with the first of them.
pub(crate) fn comparison_page(file: &ComparisonFile, style: &Style) -> Page {
    let mut page = Page::new(style);
    let others: Vec<&Ranked> = file.ranking.iter().filter(|ranked| ranked.name != file.base).collect();
    let what = match others.as_slice() {
        [only] => only.name.clone(),
        _ => counted(others.len(), "result"),
    };
    page.banner(&format!("{what} compared with {}", file.base), &counted(file.cells.len(), "cell"));
    page.blank();
    for ranked in &others {
        page.paragraph(&in_a_sentence(file, ranked));
    }
    page.remark(
        "ratios: bandwidth over the base's, or the base's latency over the result's; above 1 is better",
    );
    page.section("order");
    write_ranking(&mut page, file);
    for ranked in file.ranking.iter().filter(|ranked| ranked.name != file.base) {
        write_shifts(&mut page, file, ranked);
    }
    write_experiments(&mut page, file);
    for ranked in file.ranking.iter().filter(|ranked| ranked.name != file.base) {
        write_moved(&mut page, file, &ranked.name);
    }
    if !file.alignments.is_empty() {
        page.section("nodes by topology");
        for alignment in &file.alignments {
            page.line(&alignment.name, &numbering(alignment, &file.base));
        }
    }
    page.section("origin of the results");
    for one in &file.origins {
        let origin = match &one.origin {
            Origin::Host(_) => format!("{} on {}", one.origin, one.machine),
            Origin::Model(_) | Origin::Imported(_) => one.origin.to_string(),
        };
        page.line(&one.name, &origin);
    }
    if !file.differences.is_empty() {
        page.section("other differences");
        for contrast in &file.differences {
            let values =
                format!("{} in {}, {} in {}", contrast.base, file.base, contrast.other, contrast.name);
            let text = match contrast.explains.map(explanation) {
                Some(words) => format!("{values}: {words}"),
                None => values,
            };
            page.line(&contrast.what, &text);
        }
    }
    if !file.unmatched.is_empty() {
        page.section("not compared");
        for unmatched in &file.unmatched {
            let examples: Vec<String> = unmatched.examples.iter().map(place).collect();
            let (verb, others) = match unmatched.unusable_in.as_slice() {
                [] => ("only in", format!("not in {}", unmatched.missing_in.join(", "))),
                _ => ("in", format!("not usable in {}", unmatched.missing_in.join(", "))),
            };
            page.line(
                unmatched.experiment.as_str(),
                &format!(
                    "{} {verb} {}, {others}: {} (for example {})",
                    counted(unmatched.cells, "cell"),
                    unmatched.only_in,
                    unmatched.reason,
                    examples.join("; "),
                ),
            );
        }
    }
    page
}

/// Places that a sentence names.
const PLACES: usize = 3;

/// What changed, for a reader who reads no table: `sick: bandwidths are 9 % worse; against the rest, local memory of node 1 is 47 % worse;
/// 45 of 262 cells changed`. The change of a place is relative: what the machine as a whole does is said first.
fn in_a_sentence(file: &ComparisonFile, ranked: &Ranked) -> String {
    let shifts = || file.shifts.iter().filter(|shift| shift.name == ranked.name && is_relevant(shift));
    let kinds = shifts().filter(|shift| matches!(shift.whole, Whole::Times | Whole::Rates));
    let mut wholes: Vec<String> =
        kinds.map(|shift| format!("{} are {}", whole(shift.whole), change(shift.ratio))).collect();
    if wholes.is_empty() {
        let all = shifts().filter(|shift| matches!(shift.whole, Whole::Everything));
        wholes.extend(all.map(|shift| format!("all cells together are {}", change(shift.ratio))));
    }
    let mut places: Vec<&Shift> = shifts().filter(|shift| place_of(shift.whole).is_some()).collect();
    let distance = |shift: &&Shift| libm::log(shift.ratio.value).abs();
    places.sort_by(|one, other| distance(other).total_cmp(&distance(one)));
    let more = if places.len() > PLACES { ", and other places changed" } else { "" };
    let named: Vec<String> = places
        .iter()
        .take(PLACES)
        .filter_map(|shift| Some(format!("{} is {}", place_of(shift.whole)?, change(shift.ratio))))
        .collect();
    let changed = ranked.overall.better + ranked.overall.worse;
    let cells = counted(ranked.overall.cells, "cell");
    let mut parts = Vec::new();
    if !wholes.is_empty() {
        parts.push(wholes.join(", "));
    }
    if !named.is_empty() {
        parts.push(format!("against the rest, {}{more}", named.join(", ")));
    }
    parts.push(match (parts.is_empty(), changed) {
        (true, 0) => format!("no change could be found in {cells}"),
        (true, _) => format!("{changed} of {cells} changed, without a common direction"),
        (false, _) => format!("{changed} of {cells} changed"),
    });
    format!("{}: {}.", ranked.name, parts.join("; "))
}

/// Whether a shift is certain, and large enough to be printed.
fn is_relevant(shift: &Shift) -> bool {
    shift.tendency != Tendency::Same && (shift.ratio.value - 1.0).abs() >= SMALLEST_PRINTED
}

/// A smaller change of a ratio would be printed as 1.000.
const SMALLEST_PRINTED: f64 = 0.0005;

/// `50 % worse`.
fn change(ratio: Ratio) -> String {
    let percent = 100.0 * (ratio.value - 1.0).abs();
    let digits = usize::from(percent < 9.5);
    format!("{percent:.digits$} % {}", if ratio.value > 1.0 { "better" } else { "worse" })
}

/// A part of a machine.
fn place_of(of: Whole) -> Option<String> {
    match of {
        Whole::Everything | Whole::Times | Whole::Rates => None,
        Whole::CpusOf { node } => Some(format!("what the CPUs of node {node} reach")),
        Whole::MemoryOf { node } => Some(format!("memory of node {node}")),
        Whole::LocalMemoryOf { node } => Some(format!("local memory of node {node}")),
        Whole::Between { nodes: [one, other] } => Some(format!("the path between nodes {one} and {other}")),
    }
}

fn write_ranking(page: &mut Page, file: &ComparisonFile) {
    let mut heads = vec![("result".to_owned(), Side::Left), ("mean".to_owned(), Side::Right)];
    let doubtful = file.ranking.iter().any(|ranked| ranked.overall.doubtful > 0);
    let counts = ["better", "same", "worse"].into_iter().chain(doubtful.then_some("doubtful"));
    for head in counts.chain(["worst cell"]) {
        heads.push((head.to_owned(), Side::Right));
    }
    let mut grid = Grid::new(heads);
    for ranked in &file.ranking {
        let name =
            if ranked.name == file.base { format!("{} (base)", ranked.name) } else { ranked.name.clone() };
        let score = ranked.overall;
        let mut row = vec![Entry::text(name), ratio(score.mean)];
        let same = score.cells - score.better - score.worse;
        row.extend([score.better, same, score.worse].map(|count| Entry::number(&count)));
        if doubtful {
            row.push(Entry::number(&score.doubtful));
        }
        row.push(Entry::number(&format!("{:.3}", ranked.worst)));
        grid.push(row);
    }
    page.grid(grid);
    page.remark("mean: geometric, over cells; better and worse: with a 5 % risk if nothing changed");
    if file.other_placings > 0 {
        page.remark(&format!(
            "{}: compared for the same placement of CPUs by the hypervisor, which was not the most frequent one in each result",
            counted(file.other_placings, "cell")
        ));
    }
    if doubtful {
        page.remark(
            "in doubt: a value may be wrong (see the warnings of the result), or a hypervisor moved the CPUs in between, \
                         so these cells are ignored",
        );
    }
}

/// What many cells of a result have in common, and how small a change could have been found.
fn write_shifts(page: &mut Page, file: &ComparisonFile, ranked: &Ranked) {
    let shifts: Vec<&Shift> = file.shifts.iter().filter(|shift| shift.name == ranked.name).collect();
    if shifts.is_empty() {
        return;
    }
    page.section(&format!("as a whole: {}", ranked.name));
    let heads = [("", Side::Left), ("ratio", Side::Right), ("", Side::Left), ("cells", Side::Right)];
    let mut grid = Grid::new(heads.map(|(head, side)| (head.to_owned(), side)));
    for shift in shifts {
        let verdict = match shift.tendency {
            // It would be printed as 1.000.
            _ if (shift.ratio.value - 1.0).abs() < SMALLEST_PRINTED => "no relevant change",
            Tendency::Better => "better",
            Tendency::Same => "no detectable change",
            Tendency::Worse => "worse",
        };
        grid.push(vec![
            Entry::text(whole(shift.whole)),
            ratio(shift.ratio),
            Entry::text(verdict),
            Entry::number(&shift.cells),
        ]);
    }
    page.grid(grid);
    if let Some(smallest) = ranked.smallest.filter(|smallest| smallest.cell > 0.0) {
        let percent = |share: f64| format!("{:.1} %", (share * 1000.0).ceil() / 10.0);
        page.remark(&format!(
            "detectable: a change of {} in all cells together, of {} in one typical cell",
            percent(smallest.whole),
            percent(smallest.cell)
        ));
    }
}

fn whole(whole: Whole) -> String {
    match whole {
        Whole::Everything => "everything".to_owned(),
        Whole::Times => "latencies and times".to_owned(),
        Whole::Rates => "bandwidths".to_owned(),
        Whole::CpusOf { node } => format!("CPUs of node {node}, against the rest"),
        Whole::MemoryOf { node } => format!("memory of node {node}, against the rest"),
        Whole::LocalMemoryOf { node } => format!("local memory of node {node}, against the rest"),
        Whole::Between { nodes: [one, other] } => {
            format!("between nodes {one} and {other}, against the rest")
        }
    }
}

/// The mean of each experiment, with a column for each result. With one experiment, its mean is the overall mean.
fn write_experiments(page: &mut Page, file: &ComparisonFile) {
    let results: Vec<&Ranked> = file.ranking.iter().filter(|ranked| ranked.name != file.base).collect();
    let experiments = results.first().map_or(&[][..], |first| &first.experiments);
    if experiments.len() < 2 {
        return;
    }
    page.section("by experiment");
    for results in results.chunks(COLUMNS) {
        let names = results.iter().map(|ranked| (ranked.name.clone(), Side::Right));
        let mut heads = vec![(String::new(), Side::Left)];
        heads.extend(names);
        if results.len() == 1 {
            heads.push(("cells".to_owned(), Side::Right));
            heads.push(("better".to_owned(), Side::Right));
            heads.push(("worse".to_owned(), Side::Right));
        }
        let mut grid = Grid::new(heads);
        for (rank, experiment) in experiments.iter().enumerate() {
            let scores = results.iter().filter_map(|ranked| Some(ranked.experiments.get(rank)?.score));
            let mut row = vec![Entry::text(experiment.experiment.as_str())];
            row.extend(
                scores
                    .map(|score| if score.cells == 0 { Entry::text("doubtful") } else { ratio(score.mean) }),
            );
            if let [only] = results {
                let score = only.experiments[rank].score;
                row.extend([score.cells, score.better, score.worse].map(|count| Entry::number(&count)));
            }
            grid.push(row);
        }
        page.grid(grid);
    }
}

/// Which nodes are compared, and why not those with the same number.
fn numbering(alignment: &Alignment, base: &str) -> String {
    let pairs = alignment.nodes.iter().filter(|pair| pair.base != pair.other);
    let pairs: Vec<String> = pairs.map(|pair| format!("{} as {}", pair.other, pair.base)).collect();
    let why = match alignment.reason {
        AlignmentReason::Topology => "only this numbering makes CPUs, memory, packages and distances agree",
        AlignmentReason::Values => {
            "the topology allows it, and only this numbering makes the values agree; --by-number compares equal numbers"
        }
    };
    format!("its nodes have different numbers than those of {base} ({}): {why}", pairs.join(", "))
}

const fn explanation(explanation: Explanation) -> &'static str {
    match explanation {
        Explanation::Fits => "explains the bandwidths that changed",
        Explanation::Possible => "may explain what changed",
        Explanation::TooSmall => "explains only a part of what changed",
        Explanation::No => "does not explain what changed",
    }
}

fn write_moved(page: &mut Page, file: &ComparisonFile, name: &str) {
    let of = |cell: &ComparedCell| cell.others.iter().find(|other| other.name == name).cloned();
    let mut moved: Vec<(&ComparedCell, ComparedNumber)> = file
        .cells
        .iter()
        .filter_map(|cell| Some((cell, of(cell)?)))
        .filter(|(_, other)| other.tendency != Tendency::Same)
        .collect();
    let distance = |other: &ComparedNumber| libm::log(other.ratio.value).abs();
    moved.sort_by(|(_, one), (_, another)| distance(another).total_cmp(&distance(one)));
    page.section(&format!("largest changes: {name}"));
    if moved.is_empty() {
        return page.remark("no significant change");
    }
    let heads = [
        ("", Side::Left),
        ("", Side::Left),
        (file.base.as_str(), Side::Right),
        (name, Side::Right),
        ("unit", Side::Left),
        ("ratio", Side::Right),
    ];
    let mut grid = Grid::new(heads.map(|(head, side)| (head.to_owned(), side)));
    for (cell, other) in moved.iter().take(MOVED) {
        grid.push(vec![
            Entry::text(cell.experiment.as_str()),
            Entry::text(place(&cell.at)),
            Entry::number(&significant(cell.base)),
            Entry::number(&significant(other.value)),
            Entry::text(cell.measure.unit()),
            ratio(other.ratio),
        ]);
    }
    page.grid(grid);
    if moved.len() > MOVED {
        page.remark(&format!("and {} more: `zerohop compare --format csv` lists all", moved.len() - MOVED));
    }
}

fn ratio(ratio: Ratio) -> Entry {
    const UNIT: f64 = 1000.0;
    let half = (ratio.high - ratio.value).max(ratio.value - ratio.low);
    let covering = (half * UNIT - 1e-6).ceil() / UNIT;
    let margin = if half > ratio.value.abs() {
        Some(ends(ratio.low, ratio.high))
    } else {
        (covering > 0.0).then(|| format!("±{covering:.3}"))
    };
    Entry::Number(Figure { value: format!("{:.3}", ratio.value), margin, marks: Vec::new() })
}

fn place(at: &Coordinates) -> String {
    let places: Vec<String> = at.0.iter().map(|(axis, place)| place_in_full(*axis, place)).collect();
    if places.is_empty() { "everything".to_owned() } else { places.join(", ") }
}
