//! The table of distances: a head `node 0 1 2`, and rows `0: 10 21 21`.

use std::ops::Range;

use zerohop_machine::{DistanceMatrix, NodeId};

use crate::facts::Facts;
use crate::lines::Text;
use crate::number::{count, is_remark};
use crate::problem::Problem;

/// The heads of distances, each with its rank and its nodes.
pub(super) fn heads<'a>(
    text: &'a Text,
    ranks: &'a Range<usize>,
) -> impl Iterator<Item = (usize, Vec<NodeId>)> + 'a {
    ranks.clone().filter_map(|rank| Some((rank, head_at(text, rank)?)))
}

/// The nodes of a head, `node 0 1 2`, that rows `0: 10 21 21` follow.
pub(super) fn head_at(text: &Text, rank: usize) -> Option<Vec<NodeId>> {
    let line = text.line(rank);
    let rest = line.strip_prefix("node").or_else(|| line.strip_prefix("Node"))?;
    let nodes = rest.split_whitespace().map(|word| count(word).and_then(|id| u32::try_from(id).ok()));
    let nodes: Vec<NodeId> = nodes.map(|id| id.map(NodeId)).collect::<Option<_>>()?;
    let next = (rank + 1..text.len()).map(|next| text.line(next)).find(|line| !line.is_empty());
    let is_head =
        !nodes.is_empty() && next.is_some_and(|line| distance_row(line).is_some() || is_numbers(line));
    is_head.then_some(nodes)
}

/// Whether a line is the rest of another, wrapped by a terminal.
fn is_numbers(line: &str) -> bool {
    !line.is_empty() && line.split_whitespace().all(|word| count(word).is_some())
}

/// `0: 10 21`: the node, and what follows.
fn distance_row(line: &str) -> Option<(NodeId, Vec<&str>)> {
    let (node, rest) = line.split_once(':')?;
    let node = NodeId(count(node.trim())?.try_into().ok()?);
    let words: Vec<&str> = rest.split_whitespace().take_while(|word| !is_remark(word)).collect();
    (!words.is_empty()).then_some((node, words))
}

/// `node dist 0: 10 11 21`, as scripts print a table without a head: the node, and its distances.
pub(super) fn named_row(line: &str) -> Option<(NodeId, Vec<u32>)> {
    let rest = ["node dist ", "node distance "].iter().find_map(|start| line.strip_prefix(start))?;
    let (node, words) = distance_row(rest)?;
    let distances = words.iter().map(|word| word.parse().ok()).collect::<Option<_>>()?;
    Some((node, distances))
}

/// Reads rows that name their nodes, whose order is that of the columns.
fn read_named_rows(text: &mut Text, ranks: &Range<usize>, facts: &mut Facts) {
    let open = ranks.clone().filter(|&rank| text.is_open(rank));
    let rows: Vec<_> = open.filter_map(|rank| Some((rank, named_row(text.line(rank))?))).collect();
    let nodes: Vec<NodeId> = rows.iter().map(|(_, (node, _))| *node).collect();
    let is_square = rows.iter().all(|(_, (_, row))| row.len() == rows.len());
    if !rows.is_empty() && is_square && nodes.windows(2).all(|pair| pair[0] < pair[1]) {
        rows.iter().for_each(|(rank, _)| text.mark(*rank));
        let rows = rows.into_iter().map(|(_, (_, row))| row).collect();
        facts.distances = Some(DistanceMatrix { nodes, rows });
    }
}

/// Reads the first table of distances of these lines.
///
/// # Errors
/// When a row has other than one whole number for each node.
pub(super) fn read_distances(text: &mut Text, ranks: Range<usize>, facts: &mut Facts) -> Result<(), Problem> {
    let first = heads(text, &ranks).next();
    let Some((head, mut columns)) = first else {
        read_named_rows(text, &ranks, facts);
        return Ok(());
    };
    text.mark(head);
    let mut rows: Vec<(NodeId, Vec<u32>)> = Vec::new();
    let mut rank = head;
    while rank + 1 < ranks.end {
        rank += 1;
        let line = text.line(rank).to_owned();
        if line.is_empty() {
            continue;
        }
        // Some people leave out the colon behind the node.
        let next = columns.get(rows.len()).map(ToString::to_string);
        let row: Vec<&str> = line.split_whitespace().collect();
        if row.len() == columns.len() + 1 && is_numbers(&line) && row.first().copied() == next.as_deref() {
            let distances = row[1..].iter().filter_map(|word| word.parse().ok()).collect();
            rows.push((columns[rows.len()], distances));
            text.mark(rank);
            continue;
        }
        if rows.is_empty() && is_numbers(&line) {
            columns.extend(line.split_whitespace().filter_map(|word| word.parse().ok()).map(NodeId));
            text.mark(rank);
            continue;
        }
        let Some((node, words)) = distance_row(&line) else { break };
        let mut words: Vec<String> = words.into_iter().map(str::to_owned).collect();
        let first = rank;
        while words.len() < columns.len() && is_numbers(text.line(rank + 1)) {
            rank += 1;
            words.extend(text.line(rank).split_whitespace().map(str::to_owned));
            text.mark(rank);
        }
        let distances = words.iter().map(|word| word.parse::<u32>());
        let distances = distances
            .collect::<Result<Vec<u32>, _>>()
            .map_err(|_| Problem::at(first + 1, "distances, which are whole numbers", line.clone()))?;
        if distances.len() != columns.len() {
            let expected = format!("{} distances of node {node}", columns.len());
            return Err(Problem::at(first + 1, expected, format!("{} in {line}", distances.len())));
        }
        text.mark(first);
        rows.push((node, distances));
    }
    if rows.len() < columns.len() {
        facts.doubts.push(format!(
            "distances: skipped, because there are only {} of {} rows",
            rows.len(),
            columns.len()
        ));
        return Ok(());
    }
    // Both in ascending order, whatever the text's is.
    let mut order: Vec<usize> = (0..columns.len()).collect();
    order.sort_by_key(|&column| columns[column]);
    rows.sort_by_key(|row| row.0);
    let nodes: Vec<NodeId> = order.iter().map(|&column| columns[column]).collect();
    if rows.iter().map(|row| row.0).collect::<Vec<_>>() != nodes {
        facts.doubts.push("distances: skipped, because rows and columns have different nodes".to_owned());
        return Ok(());
    }
    let rows: Vec<Vec<u32>> =
        rows.into_iter().map(|(_, row)| order.iter().map(|&column| row[column]).collect()).collect();
    let near = rows.iter().flatten().filter(|&&distance| distance < 10).count();
    if near > 0 {
        facts.doubts.push(format!("distances: {near} are below 10, the distance of local memory"));
    }
    facts.distances = Some(DistanceMatrix { nodes, rows });
    Ok(())
}
