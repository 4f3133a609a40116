//! Points of a sweep: all combinations of a few dimensions, or a list.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_machine::{ParseSettingError, Setting, Settings};

/// Most points of a sweep. More would take days, and are hardly intended.
const MOST_POINTS: usize = 1_000_000;

/// A setting with the values to try.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dimension {
    /// Name of an option, or the path to a value of the machine file.
    pub name: String,
    /// Values in the order given, without duplicates. Not empty.
    pub values: Vec<String>,
}

/// Settings of the machine at each point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Points {
    /// All combinations of the dimensions. The last dimension varies fastest.
    Grid(Vec<Dimension>),
    /// A list of points, each with its settings.
    List(Vec<Vec<Setting>>),
}

/// Reason why a text is not a dimension.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseDimensionError {
    /// It has no name or no values.
    #[error(transparent)]
    Setting(#[from] ParseSettingError),
    /// A value is empty.
    #[error("`{text}` has an empty value (expected NAME=VALUE,VALUE,…, for example `links=3,4`)")]
    Empty { text: String },
    /// A value appears twice.
    #[error("`{text}` has the value `{value}` twice")]
    Twice { text: String, value: String },
}

/// Reason why dimensions do not form a grid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PointsError {
    /// Two dimensions set the same name.
    #[error("`{name}` is set twice")]
    Twice { name: String },
    /// There are more points than allowed.
    #[error("more than {MOST_POINTS} points")]
    TooMany,
}

impl Dimension {
    /// A dimension with these values.
    ///
    /// # Errors
    /// When there are no values, or one appears twice.
    pub fn new(name: impl Into<String>, values: Vec<String>) -> Result<Self, ParseDimensionError> {
        let dimension = Self { name: name.into(), values };
        if dimension.values.is_empty() || dimension.values.iter().any(String::is_empty) {
            return Err(ParseDimensionError::Empty { text: dimension.text() });
        }
        let twice = dimension
            .values
            .iter()
            .enumerate()
            .find(|(rank, value)| dimension.values[..*rank].contains(value));
        match twice {
            Some((_, value)) => {
                Err(ParseDimensionError::Twice { text: dimension.text(), value: value.clone() })
            }
            None => Ok(dimension),
        }
    }

    fn text(&self) -> String {
        format!("{}={}", self.name, self.values.join(","))
    }
}

impl FromStr for Dimension {
    type Err = ParseDimensionError;

    /// `links=3,4`; commas inside brackets or quotation marks do not separate values.
    fn from_str(text: &str) -> Result<Self, ParseDimensionError> {
        let Setting { name, value } = text.parse()?;
        Self::new(name, split(&value))
    }
}

/// The values of a list.
fn split(list: &str) -> Vec<String> {
    let mut values = vec![String::new()];
    let (mut depth, mut quote) = (0u32, None);
    for character in list.chars() {
        match (character, quote) {
            ('"' | '\'', None) => quote = Some(character),
            (end, Some(start)) if end == start => quote = None,
            ('[' | '{', None) => depth += 1,
            (']' | '}', None) => depth = depth.saturating_sub(1),
            (',', None) if depth == 0 => {
                values.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(value) = values.last_mut() {
            value.push(character);
        }
    }
    values.iter().map(|value| value.trim().to_owned()).collect()
}

impl Points {
    /// All combinations of these dimensions; without any, the unchanged machine.
    ///
    /// # Errors
    /// When two dimensions have the same name, or there are more points than a sweep may have.
    pub fn grid(dimensions: Vec<Dimension>) -> Result<Self, PointsError> {
        for (rank, dimension) in dimensions.iter().enumerate() {
            if dimensions[..rank].iter().any(|earlier| earlier.name == dimension.name) {
                return Err(PointsError::Twice { name: dimension.name.clone() });
            }
        }
        let count = dimensions.iter().try_fold(1usize, |count, dimension| {
            count.checked_mul(dimension.values.len()).filter(|&count| count <= MOST_POINTS)
        });
        count.map(|_| Self::Grid(dimensions)).ok_or(PointsError::TooMany)
    }

    pub fn count(&self) -> usize {
        match self {
            Self::Grid(dimensions) => dimensions.iter().map(|dimension| dimension.values.len()).product(),
            Self::List(points) => points.len(),
        }
    }

    /// The names of settings, in the order of columns.
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        match self {
            Self::Grid(dimensions) => {
                names.extend(dimensions.iter().map(|dimension| dimension.name.as_str()));
            }
            Self::List(points) => {
                for setting in points.iter().flatten() {
                    if !names.contains(&setting.name.as_str()) {
                        names.push(&setting.name);
                    }
                }
            }
        }
        names
    }

    /// The machine's settings at the point of that rank, which is below [`Self::count`].
    pub fn settings(&self, point: usize) -> Settings {
        match self {
            Self::List(points) => points[point].iter().cloned().collect(),
            Self::Grid(dimensions) => {
                let mut rest = point;
                let mut settings: Vec<Setting> = Vec::with_capacity(dimensions.len());
                for dimension in dimensions.iter().rev() {
                    let count = dimension.values.len();
                    settings.push(Setting::new(&dimension.name, &dimension.values[rest % count]));
                    rest /= count;
                }
                settings.into_iter().rev().collect()
            }
        }
    }

    /// Every setting that a point has, each once, in the order in which points first have them.
    pub fn distinct(&self) -> Vec<Setting> {
        match self {
            Self::Grid(dimensions) => {
                let of = |dimension: &Dimension| {
                    let name = dimension.name.clone();
                    dimension.values.clone().into_iter().map(move |value| Setting::new(name.clone(), value))
                };
                dimensions.iter().flat_map(of).collect()
            }
            Self::List(points) => {
                let mut distinct: Vec<Setting> = Vec::new();
                for setting in points.iter().flatten() {
                    if !distinct.contains(setting) {
                        distinct.push(setting.clone());
                    }
                }
                distinct
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn values_are_parted_by_commas_outside_brackets_and_quotes() {
        let values = |text: &str| text.parse::<Dimension>().unwrap().values;
        assert_eq!(values("width=x4, x8,x16"), ["x4", "x8", "x16"]);
        assert_eq!(values("node.0.channels.at=[\"a\",\"b\"],[\"c\"]"), ["[\"a\",\"b\"]", "[\"c\"]"]);
        assert_eq!(values("name=\"a,b\",c"), ["\"a,b\"", "c"]);
        for (text, message) in [
            ("links", "invalid setting"),
            ("links=3,,4", "empty value"),
            ("links=3,", "empty value"),
            ("links=3,4,3", "`3` twice"),
        ] {
            let error = text.parse::<Dimension>().unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn nothing_is_set_twice_and_points_can_be_counted() {
        let dimension = |text: &str| text.parse::<Dimension>().unwrap();
        assert!(Points::grid(vec![dimension("a=1"), dimension("a=2")]).is_err());
        let many = |name: &str| {
            Dimension::new(name, (0..1500).map(|value: i32| value.to_string()).collect()).unwrap()
        };
        assert_eq!(Points::grid(vec![many("a"), many("b"), many("c")]), Err(PointsError::TooMany));
        assert_eq!(Points::grid(Vec::new()).unwrap().count(), 1);
        assert_eq!(Points::grid(Vec::new()).unwrap().settings(0), Settings::none());
    }

    #[test]
    fn a_list_s_points_need_not_set_the_same() {
        let list = Points::List(vec![
            vec![Setting::new("links", "3")],
            vec![Setting::new("links", "3"), Setting::new("nps", "4")],
        ]);
        assert_eq!((list.count(), list.names()), (2, vec!["links", "nps"]));
        assert_eq!(list.distinct().len(), 2);
        assert_eq!(list.settings(1).to_string(), "links=3, nps=4");
    }

    proptest! {
        #[test]
        fn a_grid_has_every_combination_once_and_its_last_dimension_varies_fastest(
            sizes in prop::collection::vec(1usize..5, 0..5),
        ) {
            let dimensions: Vec<Dimension> = sizes.iter().enumerate().map(|(rank, &size)| {
                Dimension::new(format!("d{rank}"), (0..size).map(|value| value.to_string()).collect()).unwrap()
            }).collect();
            let points = Points::grid(dimensions).unwrap();
            prop_assert_eq!(points.count(), sizes.iter().product::<usize>());
            let all: Vec<Vec<usize>> = (0..points.count()).map(|point| {
                points.settings(point).iter().map(|setting| setting.value.parse().unwrap()).collect()
            }).collect();
            prop_assert!(all.is_sorted(), "odometers count upwards: {:?}", all);
            prop_assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
            for point in &all {
                prop_assert!(point.len() == sizes.len() && point.iter().zip(&sizes).all(|(value, size)| value < size));
            }
        }

        #[test]
        fn what_is_split_has_lost_nothing(values in prop::collection::vec("[a-z0-9.]{1,5}", 1..6)) {
            prop_assert_eq!(split(&values.join(", ")), values);
        }
    }
}
