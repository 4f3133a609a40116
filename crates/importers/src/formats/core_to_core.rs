//! nviennot's core-to-core-latency: its CSV, and its table.
//!
//! A row and a column for each core, one-way latencies in ns. It writes the triangle below the diagonal: the row's core and the
//! column's. The CSV has no head, and a matrix for each benchmark that ran; cores are numbered by their rank among those that were
//! tested. Some people add a head and a column with the cores' numbers.

mod table;

use crate::format::{Declaration, Sign};
use crate::harvest::{Block, Harvest};
use crate::kinds;
use crate::lines::Text;
use crate::number::{Token, count};
use crate::problem::Problem;
use crate::sample::Sample;
use crate::structured::{fields, has_fields};
use table::{of_benchmark, pair, title};

pub(super) const FORMAT: Declaration = Declaration {
    name: "core-to-core-latency",
    words: "core-to-core latencies, as CSV or as a table",
    marks: &["cas latency", "single-writer", "one writer", "showing latency"],
    sign,
    cells: true,
    read,
};

fn sign(text: &Sample<'_>) -> Sign {
    if text.any_as_is(|line| title(line).is_some()) {
        return Sign::Certain;
    }
    if is_csv(text) { Sign::Likely } else { Sign::None }
}

/// Whether a text is square matrices of values, one below the other; the last may lack a row. A head and a column of cores may be around
/// each.
fn is_csv(text: &Text) -> bool {
    let is_value = |field: &String| field.is_empty() || !Token::of(field).is_word();
    let mut width = None;
    // The first row of something else decides: most texts are, and may be long.
    let mut is_row = |row: &Vec<String>| {
        let is_even = *width.get_or_insert(row.len()) == row.len();
        is_even && (row.iter().skip(1).all(is_value) || cores(row).is_some())
    };
    let rows = fields_of_lines(text).map(|row| Some(row).filter(|(_, row)| is_row(row)));
    let Some(rows) = rows.collect::<Option<Vec<_>>>() else { return false };
    let width = width.unwrap_or(0);
    let heads = rows.iter().filter(|(_, row)| cores(row).is_some()).count();
    let values = rows.len() - heads;
    // With names, a row has one field more.
    let size = if heads > 0 { width.saturating_sub(1) } else { width };
    let is_square = size > 1
        && (values.is_multiple_of(size) && values > 0 || values + 1 == size || heads == 0 && is_begun(&rows));
    // A column of numbers before fewer rows is another tool's matrix.
    let labels = rows.iter().enumerate().all(|(rank, (_, row))| count(&row[0]) == Some(rank as u64));
    is_square
        && !(heads == 0 && values + 1 == size && labels)
        && rows.iter().all(|(_, row)| {
            row.len() == width
                && (cores(row).is_some() || row.iter().skip(usize::from(heads > 0)).all(is_value))
        })
}

/// Whether rows are the first ones of a triangle that was interrupted: each has values for the cores before its own, and for no other.
fn is_begun(rows: &[(usize, Vec<String>)]) -> bool {
    const FEWEST: usize = 3;
    let is_row = |(rank, (_, row)): (usize, &(usize, Vec<String>))| {
        row.iter().enumerate().all(|(column, field)| field.is_empty() == (column >= rank))
    };
    rows.len() >= FEWEST && rows.iter().enumerate().all(is_row)
}

/// The cores that a head names, behind its empty or named first field: `,0,1,2` or `core,cpu0,cpu1`.
fn cores(row: &[String]) -> Option<Vec<u64>> {
    let (first, names) = row.split_first()?;
    let corner = first.to_ascii_lowercase();
    let is_corner =
        corner.is_empty() || ["core", "cpu", "pu", "thread"].iter().any(|word| corner.contains(word));
    let numbers: Option<Vec<u64>> = names.iter().map(|name| core(name)).collect();
    // Latencies without decimals are numbers, too, but not from 0 or 1 upwards.
    let ascend = |cores: &Vec<u64>| cores[0] <= 1 && cores.windows(2).all(|pair| pair[0] < pair[1]);
    numbers.filter(|cores| is_corner && cores.len() > 1 && ascend(cores))
}

/// The number of a core: `7`, `cpu7`, `Core 7`.
fn core(name: &str) -> Option<u64> {
    let digits = name.trim_start_matches(|one: char| !one.is_ascii_digit());
    let word = name[..name.len() - digits.len()].trim_end_matches([' ', '#', '_', '-']).to_ascii_lowercase();
    ["", "c", "p", "cpu", "core", "pu", "thread"].contains(&word.as_str()).then(|| count(digits))?
}

/// The lines of a text that consist of fields; a row of the first core has commas alone, which look like a rule.
fn fields_of_lines(text: &Text) -> impl Iterator<Item = (usize, Vec<String>)> {
    let lines = text.raw().lines().enumerate();
    lines.filter(|(_, line)| has_fields(line)).map(|(rank, line)| (rank, fields(line)))
}

fn read(_: &str, text: &mut Text) -> Result<Harvest, Problem> {
    let mut harvest = Harvest::default();
    let titled = text.lines().any(|(_, line)| title(line).is_some());
    if titled {
        table::read(text, &mut harvest)?;
        // With `--csv`, the table is talk, and the CSV that follows has the same latencies with all their decimals.
        let exact = square(text);
        let width = exact.first().map_or(1, |(_, row)| row.len());
        if !exact.is_empty() && harvest.blocks == exact.len() / width {
            let rounded = std::mem::take(&mut harvest);
            harvest.processor = rounded.processor;
            let kernels = text.lines().filter_map(|(_, line)| title(line)).map(|title| title.kernel);
            let kernels: Vec<Option<&str>> = kernels.collect();
            csv(exact, &kernels, text, &mut harvest)?;
        }
    } else {
        csv(fields_of_lines(text).collect(), &[], text, &mut harvest)?;
        if harvest.runs.len() > 1 {
            harvest.tool_says("the matrices may be from different benchmarks: the text does not name them");
        }
    }
    if harvest.is_empty() {
        return Err(Problem::of_text("a matrix of latencies", "none"));
    }
    Ok(harvest)
}

/// The rows of the matrices below a table; none if they are no matrices.
fn square(text: &Text) -> Vec<(usize, Vec<String>)> {
    let is_value = |field: &String| field.is_empty() || !Token::of(field).is_word();
    let rows: Vec<_> = fields_of_lines(text).filter(|(_, row)| row.iter().all(is_value)).collect();
    let width = rows.first().map_or(0, |(_, row)| row.len());
    let is_matrix =
        width > 1 && rows.len().is_multiple_of(width) && rows.iter().all(|(_, row)| row.len() == width);
    if is_matrix { rows } else { Vec::new() }
}

/// Reads matrices one below the other; `kernels` are those of their benchmarks, where titles name them.
fn csv(
    rows: Vec<(usize, Vec<String>)>,
    kernels: &[Option<&str>],
    text: &mut Text,
    harvest: &mut Harvest,
) -> Result<(), Problem> {
    let width = rows.first().map_or(0, |(_, row)| row.len());
    let mut kernels = kernels.iter().copied();
    let mut kernel = kernels.next().flatten();
    let mut head: Option<Vec<u64>> = None;
    let mut block = Block::new(kinds::CORE_TO_CORE);
    let mut known = 0;
    for (rank, row) in rows {
        if let Some(cores) = cores(&row) {
            harvest.add(std::mem::replace(&mut block, Block::new(kinds::CORE_TO_CORE)));
            (head, known) = (Some(cores), 0);
            text.mark(rank);
            continue;
        }
        if row.len() != width {
            let expected = format!("{width} fields, as in the first row");
            return Err(Problem::at(rank + 1, expected, format!("{} fields", row.len())));
        }
        let (name, row) = if head.is_some() { (core(&row[0]), &row[1..]) } else { (None, &row[..]) };
        // Several benchmarks of one run follow each other without a head.
        if known == row.len() {
            harvest.add(of_benchmark(std::mem::replace(&mut block, Block::new(kinds::CORE_TO_CORE)), kernel));
            (known, kernel) = (0, kernels.next().flatten());
        }
        let number =
            |rank: usize| head.as_ref().and_then(|cores| cores.get(rank).copied()).unwrap_or(rank as u64);
        let this = name.unwrap_or_else(|| number(known));
        for (column, field) in row.iter().enumerate() {
            let value = match Token::of(field) {
                Token::Number(value) => value,
                Token::Word if !field.is_empty() => {
                    return Err(Problem::at(rank + 1, "a latency in ns, or nothing", field.as_str()));
                }
                _ => continue,
            };
            // A matrix with both triangles keeps both; one with a triangle is symmetric.
            if number(column) != this {
                block.push(pair(number(column), this, value));
            }
        }
        known += 1;
        text.mark(rank);
    }
    let size = if head.is_some() { width.saturating_sub(1) } else { width };
    if known + 1 < size {
        harvest
            .left_out
            .push(format!("the rows of {} of {size} cores: the text ends before them", size - known));
    }
    harvest.add(of_benchmark(block, kernel));
    Ok(())
}
