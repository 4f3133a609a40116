//! Bandwidths by read:write mix.

use zerohop_result::{Axis, Coordinates, ExperimentName};

use super::block::{Reader, not_finite};
use super::mix::{columns, mix};
use super::unit;
use crate::coordinates::{ALL, LOCAL, between, word};
use crate::harvest::Value;
use crate::number::Token;
use crate::problem::Problem;

impl Reader<'_> {
    /// Bandwidths by read:write mix, a line each.
    pub(super) fn mixes(&mut self, experiment: ExperimentName) -> Result<(), Problem> {
        self.table(experiment, |reader, block, line| {
            if let Some((mix, values)) = columns(line) {
                let names = reader.columns_of_mixes(values.len());
                // A share of the values beside it is none of its own.
                let (of_values, shares): (Vec<_>, Vec<_>) =
                    values.into_iter().zip(names).partition(|(_, name)| !is_share(name));
                let is_alone = of_values.len() == 1 && !shares.is_empty();
                for (value, name) in of_values {
                    let at = reader.place_of_mix(&mix);
                    let at = if is_alone { at } else { at.with(Axis::Case, name) };
                    let small = reader.invocation.small_buffer_of_traffic();
                    block.push(Value::bandwidth(at, reader.gigabytes(value)).in_caches(small));
                }
                for (_, name) in shares {
                    let what = format!("column `{name}`");
                    if !reader.harvest.left_out.contains(&what) {
                        reader.harvest.left_out.push(what);
                    }
                }
                reader.take();
                return Ok(true);
            }
            // Some people write the unit behind each value.
            let own = unit::behind(&line.to_ascii_lowercase());
            let Some((mix, value)) = mix(line) else { return Ok(false) };
            let at = reader.place_of_mix(&mix);
            match Token::of_value(value) {
                Token::Number(number) => {
                    let small = reader.invocation.small_buffer_of_traffic();
                    block.push(Value::bandwidth(at, reader.in_unit(number, own)).in_caches(small));
                }
                Token::NotFinite => block.warnings.push(not_finite(reader.text.number(reader.at), &at)),
                Token::Gap => {}
                Token::Word => {
                    let expected = format!("the bandwidth of {mix} in MB/s");
                    return Err(Problem::at(reader.at + 1, expected, value));
                }
            }
            reader.take();
            Ok(true)
        })
    }

    /// All nodes, on their own memory or on that which `numactl` gave them.
    fn place_of_mix(&self, mix: &str) -> Coordinates {
        let memory = self.invocation.memory.clone().unwrap_or_else(|| LOCAL.into());
        let at = between(ALL, memory).with(Axis::Mix, mix);
        if self.invocation.is_random() { at.with(Axis::Kernel, "random") } else { at }
    }

    /// The names of columns of values, in the head above them.
    fn columns_of_mixes(&mut self, count: usize) -> Vec<String> {
        let rows_or_blank = |line: &str| line.is_empty() || columns(line).is_some();
        let head = (0..self.at).rev().find(|&rank| !rows_or_blank(self.text.line(rank)));
        let line = head.map_or("", |rank| self.text.line(rank));
        let names: Vec<String> = line.split('\t').map(word).collect();
        if !line.contains('\t') || !(count..=count + 1).contains(&names.len()) {
            return (1..=count).map(|column| format!("column {column}")).collect();
        }
        let names = names[names.len() - count..].to_vec();
        head.into_iter().for_each(|rank| self.text.mark(rank));
        names
    }
}

/// Whether a column has shares: `% of peak`, `efficiency`, `vs. peak`.
fn is_share(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let starts = ["ratio", "efficiency", "percent", "share", "speedup", "vs ", "vs.", "relative", "delta"];
    lower.contains('%') || lower.contains("of peak") || starts.iter().any(|start| lower.starts_with(start))
}
