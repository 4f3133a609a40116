//! Latency and bandwidth under load.

use zerohop_result::{Axis, Coordinate, Coordinates, Measure};

use super::block::{Reader, not_finite};
use crate::coordinates::{ALL, LOCAL, between};
use crate::harvest::Value;
use crate::kinds;
use crate::number::{Token, count, first_number, glued, is_remark};
use crate::problem::Problem;

impl Reader<'_> {
    /// Latency and bandwidth by delay, a line each.
    pub(super) fn loaded_latencies(&mut self) -> Result<(), Problem> {
        let mut place = Place::default();
        place.take(&self.lines_before_heading());
        if let Some(memory) = self.invocation.memory.clone() {
            place = Place::on(memory);
        }
        let mut bandwidth_first = false;
        self.table(kinds::LOADED_LATENCY, |reader, block, line| {
            let Some((delay, mut latency, mut bandwidth)) = loaded(line) else {
                place.take(line);
                bandwidth_first |= has_bandwidth_first(line);
                return Ok(false);
            };
            if bandwidth_first {
                std::mem::swap(&mut latency, &mut bandwidth);
            }
            let at = place.at(delay, reader.invocation.traffic().as_deref());
            let small = reader.invocation.small_buffer_of_traffic();
            for (token, measure) in [(latency, Measure::Latency), (bandwidth, Measure::Bandwidth)] {
                match token {
                    Token::Number(number) if measure == Measure::Latency => {
                        let latency = Value::latency(at.clone(), reader.in_nanoseconds(number));
                        block.push(latency.in_caches(small));
                    }
                    Token::Number(number) => {
                        let bandwidth = Value::bandwidth(at.clone(), reader.gigabytes(number));
                        block.push(bandwidth.in_caches(small));
                    }
                    Token::NotFinite => block.warnings.push(not_finite(reader.text.number(reader.at), &at)),
                    Token::Gap | Token::Word => {}
                }
            }
            reader.take();
            Ok(true)
        })
    }

    /// zerohop's remarks about a block stand before its heading.
    fn lines_before_heading(&self) -> String {
        let first = self.at.saturating_sub(5);
        (first..self.at)
            .map(|rank| self.text.line(rank))
            .find(|line| line.starts_with("*** Load"))
            .unwrap_or_default()
            .to_owned()
    }
}

/// Which nodes a loaded latency is about: MLC loads all of them, zerohop says which.
#[derive(Debug, Clone, PartialEq)]
struct Place {
    initiator: Coordinate,
    target: Coordinate,
    load: Option<&'static str>,
    case: Option<&'static str>,
}

impl Default for Place {
    fn default() -> Self {
        Self { initiator: Coordinate::Number(0), target: LOCAL.into(), load: Some("machine"), case: None }
    }
}

impl Place {
    /// All nodes load this memory, which node 0 reads meanwhile: no load of zerohop's.
    fn on(target: Coordinate) -> Self {
        Self { target, load: None, case: Some("loaded by all nodes"), ..Self::default() }
    }

    /// Takes what zerohop remarks on the place of a load.
    fn take(&mut self, line: &str) {
        let Some(remark) = line.strip_prefix("*** Load") else { return };
        let node = remark.split("of node ").nth(1).and_then(first_number);
        self.initiator = node.map_or_else(|| ALL.into(), |node| Coordinate::Number(node as u64));
        (self.load, self.target) = match () {
            () if remark.contains("each on all others' memory") => (Some("machine-remote"), "remote".into()),
            () if remark.contains("interleaved memory") => {
                (Some("machine-interleaved"), "interleaved".into())
            }
            () if remark.contains("of all nodes") => (Some("machine"), LOCAL.into()),
            () if remark.contains("of two nodes") => (Some("crossing"), "remote".into()),
            () if remark.contains("remote memory") => (Some("remote"), "remote".into()),
            () => (None, LOCAL.into()),
        };
    }

    fn at(&self, delay: u64, kernel: Option<&str>) -> Coordinates {
        let at = between(self.initiator.clone(), self.target.clone()).with(Axis::Delay, delay);
        let at = self.load.map_or(at.clone(), |load| at.with(Axis::Load, load));
        let at = self.case.map_or(at.clone(), |case| at.with(Axis::Case, case));
        kernel.map_or(at.clone(), |kernel| at.with(Axis::Kernel, kernel))
    }
}

/// Whether a head names the bandwidth in front of the latency: MLC prints it behind.
fn has_bandwidth_first(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    let column = |name: &str| lower.find(name);
    column("bandwidth").zip(column("latency")).is_some_and(|(bandwidth, latency)| bandwidth < latency)
}

/// `00050 113.24 120000.5`: delay, latency and bandwidth, also without blanks.
fn loaded(line: &str) -> Option<(u64, Token, Token)> {
    let words: Vec<&str> = line.split_whitespace().map(|word| word.trim_matches('"')).collect();
    let end = words.iter().skip(3).position(|word| is_remark(word)).map_or(words.len(), |_| 3);
    if let [delay, latency, bandwidth] = &words[..end]
        && let Some(delay) = count(delay).filter(|_| delay.len() <= 6)
    {
        let (latency, bandwidth) = (Token::of(latency), Token::of(bandwidth));
        return (!latency.is_word() && !bandwidth.is_word()).then_some((delay, latency, bandwidth));
    }
    // Five digits, a number with two decimals, a number with one.
    let joined = words.concat();
    let delay = joined.get(..5).and_then(count)?;
    let rest = &joined[5..];
    let end = rest.find('.')? + 3;
    let (latency, bandwidth) = (rest.get(..end)?, rest.get(end..)?);
    let bandwidth = match glued(bandwidth, 1)?.as_slice() {
        [only] => Token::of(only),
        _ => return None,
    };
    let latency = Token::of(latency);
    (matches!(latency, Token::Number(_)) && matches!(bandwidth, Token::Number(_)))
        .then_some((delay, latency, bandwidth))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_without_blanks_are_taken_apart() {
        let numbers = (200, Token::Number(128.8), Token::Number(110_359.9));
        assert_eq!(loaded("00200  128.80   110359.9"), Some(numbers));
        assert_eq!(loaded("00200128.80110359.9"), Some(numbers));
        assert_eq!(loaded("00200\t128.80110359.9"), Some(numbers));
        assert_eq!(loaded("00200  128.80   110359.9    <- knee: it clears"), Some(numbers));
        assert_eq!(loaded("\"00200  128.80   110359.9\" <--- expected: \"over 120000\""), Some(numbers));
        assert_eq!(loaded("2024 was a good year"), None);
    }
}
