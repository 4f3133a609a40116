//! Matrices without MLC's heading: what stands above them, or the size of their values, tells what they are.

use zerohop_result::Measure;

use super::block::{Reader, STRAY};
use super::matrix::{Entry, Head, Row, entry};
use super::unit;
use crate::number::Token;
use crate::problem::Problem;

/// A bandwidth in MB/s is larger than this, a latency in ns smaller, on any machine since 2010: for a matrix without heading.
const BETWEEN_LATENCY_AND_BANDWIDTH: f64 = 1500.0;

/// Words of titles of matrices that are neither idle latencies nor read bandwidths, although they may have those words, too.
const OTHERS: [&str; 24] = [
    "write",
    "writes",
    "relative",
    "ratio",
    "normalized",
    "normalised",
    "change",
    "delta",
    "difference",
    "improvement",
    "speedup",
    "deviation",
    "stddev",
    "variance",
    "theoretical",
    "expected",
    "loaded",
    "percentile",
    "p99",
    "p95",
    "slit",
    "distance",
    "distances",
    "hops",
];

/// The most words of a title: prose is longer.
const LONGEST_TITLE: usize = 8;

/// The most nodes whose distances are looked at.
const MOST_NODES: usize = 256;

/// Whether the title of a matrix, in lower case, says that it holds something else.
fn is_of_something_else(title: &str) -> bool {
    title.split_whitespace().count() <= LONGEST_TITLE
        && title.split(|one: char| !one.is_alphanumeric()).any(|word| OTHERS.contains(&word))
}

impl Reader<'_> {
    /// Whether the title above says that a matrix holds neither idle latencies nor read bandwidths.
    pub(super) fn is_of_something_else(&self) -> bool {
        is_of_something_else(&self.before)
    }

    /// Whether the rows below have `own` for each node itself, and others that pass `is_right`.
    fn has_own(&self, own: f64, is_right: fn(f64) -> bool) -> bool {
        let lines = (self.at..self.text.len()).map(|rank| self.text.line(rank));
        let lines = lines.skip_while(|line| Head::of(line, false).is_some()).take(MOST_NODES);
        // The next matrix has rows of its own.
        let lines = lines.take_while(|line| Head::of(line, false).is_none());
        let rows = lines.map_while(|line| match entry(line, None, None) {
            Entry::Row(Row { label, tokens }) => Some((label, tokens)),
            _ => None,
        });
        let is_right = |token: &Token| matches!(token, Token::Number(number) if is_right(*number));
        let mut count = 0;
        for (label, tokens) in rows {
            let is_own = label == count as u64 && tokens.get(count) == Some(&Token::Number(own));
            if !is_own || !tokens.iter().all(is_right) {
                return false;
            }
            count += 1;
        }
        count > 1
    }

    /// Whether the rows below are distances as firmware states them: whole numbers, and 10 for each node itself.
    fn is_of_distances(&self) -> bool {
        self.has_own(10.0, |number| number.fract() == 0.0 && (10.0..256.0).contains(&number))
    }

    /// A matrix of which the heading is missing: what stands before it, or the size of its values, tells what it is.
    pub(super) fn matrix_without_heading(&mut self) -> Result<(), Problem> {
        self.note_time_of_title()?;
        let (start, mut before) = (self.at, std::mem::take(&mut self.before));
        // The corner of a table may say it.
        let head = self.line().to_ascii_lowercase();
        let is_other = is_of_something_else(&before) || is_of_something_else(&head);
        before.push_str(&head);
        let largest = (start..self.text.len().min(start + STRAY)).find_map(|rank| {
            if Head::of(self.text.line(rank), false).is_some() {
                return None;
            }
            match entry(self.text.line(rank), None, None) {
                Entry::Row(Row { tokens, .. }) => tokens.iter().find_map(|token| match token {
                    Token::Number(number) => Some(*number),
                    _ => None,
                }),
                _ => None,
            }
        });
        let is_named = ["bandwidth", "latenc"].iter().any(|word| before.contains(word));
        // Differences from own memory, or how much of it is remote.
        let is_relative = || !is_named && self.has_own(0.0, |_| true);
        if largest.is_some() && (is_other || self.is_of_distances() || is_relative()) {
            let what = format!(
                "the matrix of line {}: neither idle latencies nor read bandwidths",
                self.text.number(start)
            );
            self.harvest.left_out.push(what);
            while self.at < self.text.len() && Head::of(self.text.line(self.at), false).is_some() {
                self.at += 1;
            }
            return Ok(());
        }
        let Some(largest) = largest else {
            // Words alone.
            self.unit = unit::stated(&self.line().to_ascii_lowercase());
            self.before = self.line().to_ascii_lowercase();
            self.at += 1;
            return Ok(());
        };
        let measure = match () {
            () if before.contains("bandwidth") => Measure::Bandwidth,
            () if before.contains("latenc") => Measure::Latency,
            () if largest > BETWEEN_LATENCY_AND_BANDWIDTH => Measure::Bandwidth,
            () => Measure::Latency,
        };
        self.matrix(measure)?;
        // Whatever is not a row after all.
        if self.at == start {
            self.at += 1;
        }
        Ok(())
    }
}
