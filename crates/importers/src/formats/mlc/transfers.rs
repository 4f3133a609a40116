//! Transfers between caches.

use zerohop_result::{Axis, Coordinate, Coordinates};

use super::block::{Reader, not_finite};
use super::matrix::{Entry, Head, entry};
use super::mix::is_transfer;
use crate::coordinates::{LOCAL, between};
use crate::harvest::{Block, Value};
use crate::kinds;
use crate::number::{Token, first_number};
use crate::problem::Problem;

impl Reader<'_> {
    /// Transfers between caches: two values within a socket, and matrices between nodes.
    pub(super) fn cache_to_cache(&mut self) -> Result<(), Problem> {
        self.table(kinds::CORE_TO_CORE, |reader, block, line| {
            let lower = line.to_ascii_lowercase();
            if !is_transfer(&lower) {
                return Ok(false);
            }
            let state = if lower.contains("hitm") { "modified" } else { "clean" };
            if lower.contains("remote") {
                let home = match () {
                    () if lower.contains("mean over") => "mean",
                    () if lower.contains("writer") => "owner_node",
                    () if lower.contains("reader") => "reader_node",
                    () => "unstated",
                };
                reader.take();
                reader.between_nodes(home, state)?;
                return Ok(true);
            }
            let after = lower.split("latency").nth(1).unwrap_or_default();
            match reader.mean_of_columns().unwrap_or_else(|| first_number(after)) {
                Some(latency) => {
                    // The two cores share the last-level cache of their socket.
                    let at = Coordinates::new()
                        .with(Axis::Level, "L3")
                        .with(Axis::Placement, LOCAL)
                        .with(Axis::Scenario, state);
                    block.push(Value::latency(at, latency));
                }
                None if after.trim().is_empty() => {
                    reader
                        .harvest
                        .left_out
                        .push(format!("line {}: it has no value", reader.text.number(reader.at)));
                }
                None if first_number(after).is_some() => {
                    let what = format!(
                        "line {}: no header shows which of its values is the mean",
                        reader.text.number(reader.at)
                    );
                    reader.harvest.left_out.push(what);
                }
                None => return Err(Problem::at(reader.at + 1, "a latency in ns", line)),
            }
            reader.take();
            Ok(true)
        })
    }

    /// The mean, where the line has several values as cells below a head of statistics; nothing within where the head names none.
    fn mean_of_columns(&self) -> Option<Option<f64>> {
        let line = self.line();
        let cells: Vec<&str> = line.split('\t').collect();
        let values = cells.iter().skip(1).filter(|cell| matches!(Token::of(cell), Token::Number(_))).count();
        if values < 2 {
            return None;
        }
        let is_mean = |name: &str| {
            let lower = name.to_ascii_lowercase();
            ["avg", "average", "mean"].iter().any(|mean| lower.contains(mean))
        };
        let heads = (0..self.at).rev().map(|rank| self.text.line(rank));
        let mut heads = heads.filter(|head| head.split('\t').count() == cells.len());
        let column = heads.find_map(|head| head.split('\t').position(is_mean));
        Some(column.and_then(|column| first_number(cells[column])))
    }

    /// A matrix of the writer's node by the reader's node.
    fn between_nodes(&mut self, home: &str, state: &str) -> Result<(), Problem> {
        let mut columns: Option<Vec<Coordinate>> = None;
        let mut block = Block::new(kinds::CACHE_TO_CACHE);
        let (mut rows, mut expected) = (0, 0);
        while self.at < self.text.len() {
            let line = self.line();
            if line.is_empty() {
                self.at += 1;
                continue;
            }
            if let Some(head) = Head::of(&line, false).filter(|_| rows == 0) {
                if let Head::Columns(_, places) = head {
                    columns = Some(places);
                }
                self.take();
                continue;
            }
            let Entry::Row(row) = entry(&line, columns.as_ref().map(Vec::len), Some(expected)) else {
                break;
            };
            let Some(columns) = &columns else { break };
            if row.tokens.len() > columns.len() {
                let expected = format!("{} values, one for each reader", columns.len());
                return Err(Problem::at(self.at + 1, expected, line));
            }
            for (token, reader) in row.tokens.iter().zip(columns) {
                let at = between(reader.clone(), row.label)
                    .with(Axis::Placement, home)
                    .with(Axis::Scenario, state);
                match token {
                    Token::Number(number) => block.push(Value::latency(at, *number)),
                    Token::NotFinite => block.warnings.push(not_finite(self.text.number(self.at), &at)),
                    Token::Gap | Token::Word => {}
                }
            }
            (rows, expected) = (rows + 1, row.label + 1);
            self.take();
        }
        self.harvest.add(block);
        Ok(())
    }
}
