//! Columns that people add to a tool's table. What tells rows apart that would otherwise be repeats of one value is part of their case;
//! other columns are named as left out.

use std::collections::{BTreeMap, BTreeSet};

use crate::coordinates::word;
use crate::number::{Token, count};

/// Names of columns that number repeats, which begin the next run by themselves.
const REPEATS: [&str; 9] =
    ["rep", "reps", "run", "iter", "iteration", "trial", "repeat", "repetition", "sample"];

/// The added columns of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Labels {
    /// Columns whose values are part of the case, with their names where values are numbers.
    columns: Vec<(usize, Option<String>)>,
    /// Other columns, in words.
    others: Vec<String>,
}

impl Labels {
    /// Those of a table with these names of columns and these rows, which all have as many fields. `key` is what the tool's own
    /// columns say of a row.
    pub(crate) fn of(
        names: &[String],
        is_known: impl Fn(&str) -> bool,
        rows: &[Vec<String>],
        key: impl Fn(&[String]) -> Vec<String>,
    ) -> Self {
        let mut labels = Self::default();
        for (column, name) in names.iter().enumerate() {
            if is_known(name) {
                continue;
            }
            let values: BTreeSet<&str> = rows.iter().map(|row| row[column].as_str()).collect();
            let is_words = values.iter().all(|value| count(value).is_none())
                && values.iter().any(|value| !value.is_empty() && Token::of(value).is_word());
            let is_numbers = values.iter().all(|value| count(value).is_some());
            let tells_apart = || {
                let mut known: BTreeMap<Vec<String>, &str> = BTreeMap::new();
                rows.iter().any(|row| *known.entry(key(row)).or_insert(&row[column]) != row[column])
            };
            match values.iter().next() {
                Some(only) if values.len() == 1 && is_words => {
                    labels.others.push(format!("column `{name}` (`{}`)", word(only)));
                }
                _ if values.len() > 1 && is_words => labels.columns.push((column, None)),
                _ if values.len() > 1 && is_numbers && !REPEATS.contains(&name.as_str()) && tells_apart() => {
                    labels.columns.push((column, Some(word(name))));
                }
                _ => labels.others.push(format!("column `{name}`")),
            }
        }
        labels
    }

    /// What they say of a row.
    pub(crate) fn case(&self, row: &[String]) -> Option<String> {
        let shown = |(column, name): &(usize, Option<String>)| {
            let value = row.get(*column).map_or("", String::as_str);
            name.as_ref().map_or_else(|| value.to_owned(), |name| format!("{name} {value}"))
        };
        let words: Vec<String> = self.columns.iter().map(shown).filter(|value| !value.is_empty()).collect();
        (!words.is_empty()).then(|| word(&words.join(", ")))
    }

    /// Columns that are no part of a result, in words; the head is the line of that number.
    pub(crate) fn left_out(&self, number: usize) -> impl Iterator<Item = String> {
        self.others.iter().map(move |what| format!("{what} of line {number}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &str, rows: &[&str]) -> (Labels, Vec<Option<String>>) {
        let split = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        let rows: Vec<Vec<String>> = rows.iter().map(|row| split(row)).collect();
        let labels = Labels::of(&split(names), |name| name == "key", &rows, |row| vec![row[0].clone()]);
        let cases = rows.iter().map(|row| labels.case(row)).collect();
        (labels, cases)
    }

    #[test]
    fn words_and_numbers_that_tell_rows_apart_are_their_case() {
        let (labels, cases) =
            of("key,host,rep,gpu,note,mean", &["a,x,1,0,n,1.5", "a,y,1,1,n,1.6", "b,x,2,0,n,1.7"]);
        assert_eq!(cases[1].as_deref(), Some("y, gpu 1"));
        let others: Vec<String> = labels.left_out(1).collect();
        let expected = ["column `rep` of line 1", "column `note` (`n`) of line 1", "column `mean` of line 1"];
        assert_eq!(others, expected);
        assert_eq!(of("key,level", &["a,1", "b,2"]).1, [None, None], "nothing is repeated");
    }
}
