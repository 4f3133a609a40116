//! Parameters that are fitted together, by one factor.

use zerohop_document::Parameter;
use zerohop_machine::Setting;
use zerohop_machine_file::Hardware;

use zerohop_study::Stage;

use crate::stage::{Alternatives, patterns};

/// Parameters of one kind of part that change by the same factor.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ParameterGroup {
    pub(crate) stage: Stage,
    pub(crate) values: Vec<Quantity>,
    /// The factors that are tried, from the least to the largest.
    pub(crate) range: (f64, f64),
}

/// A number of the machine file, taken apart.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Quantity {
    pub(crate) path: String,
    /// As it is written.
    pub(crate) text: String,
    number: f64,
    unit: String,
}

/// Factors that are tried, unless a parameter has a bound of its own.
const RANGE: (f64, f64) = (0.2, 5.0);

impl ParameterGroup {
    /// Those of a stage that this machine has.
    pub(crate) fn of(stage: Stage, hardware: &Hardware) -> Vec<Self> {
        let first = |alternatives: &Alternatives| {
            let knobs = alternatives.iter().map(|patterns| knobs(stage, patterns, &hardware.parameters));
            knobs.into_iter().find(|knobs| !knobs.is_empty()).unwrap_or_default()
        };
        patterns(stage).iter().flat_map(first).collect()
    }

    /// Whether it changes the same parameters as another.
    pub(crate) fn is_alike(&self, other: &Self) -> bool {
        self.values == other.values
    }

    /// The settings that multiply its values by `factor`.
    pub(crate) fn settings(&self, factor: f64) -> impl Iterator<Item = Setting> + '_ {
        self.values.iter().map(move |value| Setting::new(value.path.clone(), value.times(factor)))
    }
}

impl Quantity {
    fn of(parameter: &Parameter) -> Option<Self> {
        let (number, unit) = parameter.value.split_once(' ').unwrap_or((&parameter.value, ""));
        let number: f64 = number.replace(',', "").parse().ok()?;
        let (path, text, unit) = (parameter.path.clone(), parameter.value.clone(), unit.to_owned());
        (number > 0.0).then_some(Self { path, text, number, unit })
    }

    /// The value times `factor`, with four significant digits.
    pub(crate) fn times(&self, factor: f64) -> String {
        let number = self.number * factor;
        let digits = 3 - (libm::log10(number.abs()).floor() as i32).clamp(-6, 3);
        format!("{number:.*} {}", digits as usize, self.unit).trim_end().to_owned()
    }
}

/// A knob for each kind of part that has parameters of these patterns.
fn knobs(stage: Stage, patterns: &[&str], parameters: &[Parameter]) -> Vec<ParameterGroup> {
    let mut knobs: Vec<(&str, ParameterGroup)> = Vec::new();
    for parameter in parameters {
        let Some(part) = patterns.iter().find_map(|pattern| part(&parameter.path, pattern)) else { continue };
        let Some(value) = Quantity::of(parameter) else { continue };
        // A share cannot be above one.
        let most = if value.unit == "%" { 100.0 / value.number } else { RANGE.1 };
        match knobs.iter_mut().find(|(known, _)| *known == part) {
            Some((_, knob)) => {
                knob.range.1 = knob.range.1.min(most);
                knob.values.push(value);
            }
            None => {
                let range = (RANGE.0, RANGE.1.min(most));
                knobs.push((part, ParameterGroup { stage, values: vec![value], range }));
            }
        }
    }
    knobs.into_iter().map(|(_, knob)| knob).collect()
}

/// The name of the part in a path of that pattern.
fn part<'p>(path: &'p str, pattern: &str) -> Option<&'p str> {
    let (before, after) = pattern.split_once('*')?;
    let part = path.strip_prefix(before)?.strip_suffix(after)?;
    (!part.is_empty() && !part.contains('.')).then_some(part)
}

#[cfg(test)]
mod tests {
    use zerohop_document::Parameter;

    use super::*;

    fn parameter(path: &str, value: &str) -> Parameter {
        let (path, value) = (path.to_owned(), value.to_owned());
        let grade = zerohop_document::Grade::Assumed;
        Parameter { path, value, source: String::new(), fitted: None, grade }
    }

    #[test]
    fn a_knob_turns_all_values_of_a_part() {
        let parameters = [
            parameter("core.big.to_router", "15.60 ns"),
            parameter("core.small.to_router", "8 ns"),
            parameter("core.big.from_router", "10.40 ns"),
            parameter("core.big.cache.l2.latency", "5 ns"),
        ];
        let knobs = knobs(Stage::LocalLatency, &["core.*.to_router", "core.*.from_router"], &parameters);
        assert_eq!(knobs.len(), 2);
        let settings: Vec<String> = knobs[0].settings(1.5).map(|setting| setting.to_string()).collect();
        assert_eq!(settings, ["core.big.to_router=23.40 ns", "core.big.from_router=15.60 ns"]);
    }

    #[test]
    fn shares_stay_below_one() {
        let parameters = [parameter("channel.dimm.efficiency", "80 %")];
        let knobs = knobs(Stage::LocalBandwidth, &["channel.*.efficiency"], &parameters);
        assert_eq!(knobs[0].range, (0.2, 1.25));
    }

    #[test]
    fn numbers_keep_four_digits_and_their_unit() {
        let times = |text: &str, factor| Quantity::of(&parameter("a.b.c", text)).unwrap().times(factor);
        assert_eq!(times("78 B", 1.1), "85.80 B");
        assert_eq!(times("2933 MT/s", 0.5), "1466 MT/s");
        assert_eq!(times("0.30 ns", 1.0), "0.3000 ns");
        assert_eq!(Quantity::of(&parameter("a.b.c", "0 B")), None);
        assert_eq!(Quantity::of(&parameter("a.b.c", "wait")), None);
    }
}
