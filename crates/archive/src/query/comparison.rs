//! Results of an archive, compared with each other.

use crate::{Archive, Filter, StoredResult};
use zerohop_compare::{ComparisonFile, Configuration, Numbering, compare};
use zerohop_result::{ListedResult, ResultFile, Timestamp};

use crate::query::error::QueryError;
use crate::query::stored_result::read;

/// Order of the results, the first of which is the base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Order in which they are named.
    AsNamed,
    ByTime,
}

/// Digits of an id that tell apart what one machine measured within a second.
const ID: usize = 18;

/// Compares results with the first of them. `named` are beginnings of ids, or names of machines, each of which stands for its latest usable result; a
/// machine alone stands for its last two.
///
/// # Errors
/// If there is no such result, or nothing to compare.
pub fn compared(
    archive: &mut Archive,
    named: &[String],
    order: Order,
    numbering: Numbering,
) -> Result<ComparisonFile, QueryError> {
    let mut all: Vec<(ListedResult, ResultFile)> = Vec::new();
    for kept in results(archive, named)? {
        if all.iter().all(|(listed, _)| listed.id != kept.listed.id) {
            let file = read(&kept.listed, &kept.text)?;
            all.push((kept.listed, file));
        }
    }
    if order == Order::ByTime {
        all.sort_by_key(|(listed, _)| listed.began_at);
    }
    let names = names(&all.iter().map(|(listed, _)| listed).collect::<Vec<_>>());
    let configurations: Vec<Configuration<'_>> = all
        .iter()
        .zip(&names)
        .map(|((_, result), name)| Configuration { name, result, repeats: &[] })
        .collect();
    Ok(compare(&configurations, numbering)?)
}

fn results(archive: &mut Archive, named: &[String]) -> Result<Vec<StoredResult>, QueryError> {
    let mut found = Vec::new();
    for name in named {
        let known = archive.machines()?.into_iter().any(|machine| machine.name == *name);
        if !known {
            found.push(archive.result(name)?);
            continue;
        }
        let of = Filter { machines: vec![name.clone()], ..Filter::default() };
        let counting = archive.list(&of)?.into_iter().filter(|one| one.unusable.is_none());
        let mut last: Vec<ListedResult> = counting.take(if named.len() == 1 { 2 } else { 1 }).collect();
        if last.is_empty() {
            return Err(QueryError::NothingCounts { machine: name.clone() });
        }
        // The earlier one is what the later one is held against.
        last.reverse();
        for listed in last {
            found.push(archive.kept(listed)?);
        }
    }
    Ok(found)
}

/// A name for each result that no other one has.
fn names(results: &[&ListedResult]) -> Vec<String> {
    let short = |one: &ListedResult| {
        let began = one.began_at.map(Timestamp::day_and_minute).unwrap_or_default();
        format!("{} {began}", one.machine).trim_end().to_owned()
    };
    let all: Vec<String> = results.iter().map(|one| short(one)).collect();
    let is_shared = |name: &String| all.iter().filter(|other| *other == name).count() > 1;
    let name = |(one, name): (&&ListedResult, &String)| match is_shared(name) {
        true => format!("{name} ({})", one.id.get(..ID).unwrap_or(&one.id)),
        false => name.clone(),
    };
    results.iter().zip(&all).map(name).collect()
}
