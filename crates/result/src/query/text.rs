//! Queries as people write them: a measure, followed by words in any order.

use std::fmt;
use std::str::FromStr;

use super::{ANY, Over, ParseQueryError, Query, Relation, Wanted};
use crate::{Axis, Coordinate, Measure};

/// Separates alternative places.
const OR: char = ',';

/// Escapes [`OR`] or itself within a place's name.
const ESCAPE: char = '\\';

impl Query {
    /// Parses a query already split into words by a shell.
    ///
    /// # Errors
    /// When a word has no meaning in a query.
    pub fn parse<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Self, ParseQueryError> {
        let mut words = words.into_iter();
        let word = words.next().ok_or(ParseQueryError::NoMeasure)?;
        let measure =
            measure(word).ok_or_else(|| ParseQueryError::UnknownMeasure { word: word.to_owned() })?;
        let mut query = Self::of(measure);
        let mut over = None;
        for word in words {
            let twice = if let Some(relation) = relation(word) {
                query.relation.replace(relation).is_some()
            } else if let Some(known) = Over::ALL.into_iter().find(|known| known.name() == word) {
                over.replace(known).is_some()
            } else {
                let (axis, wanted) = Self::parse_place(word)?;
                query.at.insert(axis, wanted).is_some()
            };
            if twice {
                return Err(ParseQueryError::Twice { word: word.to_owned() });
            }
        }
        query.over = over.unwrap_or_default();
        Ok(query)
    }

    /// Parses one of its words: an axis and the places along it, such as `kernel=triad,copy` or `link=*`.
    ///
    /// # Errors
    /// When it has no `=`, or there is no such axis.
    pub fn parse_place(word: &str) -> Result<(Axis, Wanted), ParseQueryError> {
        let unknown = || ParseQueryError::Unknown { word: word.to_owned() };
        let (axis, places) = word.split_once('=').ok_or_else(unknown)?;
        let known = Axis::ALL.into_iter().find(|known| known.name() == axis);
        let known = known.ok_or_else(|| ParseQueryError::NoAxis { axis: axis.to_owned() })?;
        Ok((known, wanted(places)))
    }
}

impl FromStr for Query {
    type Err = ParseQueryError;

    fn from_str(text: &str) -> Result<Self, ParseQueryError> {
        let words = shlex::split(text).ok_or(ParseQueryError::Unclosed)?;
        Self::parse(words.iter().map(String::as_str))
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.measure.words().replace(' ', "-"))?;
        for (axis, wanted) in &self.at {
            let word = format!("{}={wanted}", axis.name());
            // shlex also quotes what no shell expands within a word.
            if word
                .chars()
                .all(|character| character.is_ascii_alphanumeric() || "=,._-:+/@%".contains(character))
            {
                write!(f, " {word}")?;
                continue;
            }
            match shlex::try_quote(&word) {
                Ok(quoted) => write!(f, " {quoted}")?,
                // It contains a NUL, which no shell accepts.
                Err(_) => write!(f, " {word:?}")?,
            }
        }
        if let Some(relation) = self.relation {
            write!(f, " {}", relation.word())?;
        }
        if self.over != Over::default() {
            write!(f, " {}", self.over.name())?;
        }
        Ok(())
    }
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Is(place) => f.write_str(&escaped(place)),
            Self::OneOf(places) => {
                f.write_str(&places.iter().map(escaped).collect::<Vec<_>>().join(&OR.to_string()))
            }
            Self::Any => f.write_str(ANY),
        }
    }
}

fn escaped(place: &Coordinate) -> String {
    let mut text = String::new();
    for letter in place.to_string().chars() {
        if letter == OR || letter == ESCAPE {
            text.push(ESCAPE);
        }
        text.push(letter);
    }
    text
}

/// Parses the places after `=`.
fn wanted(text: &str) -> Wanted {
    if text == ANY {
        return Wanted::Any;
    }
    let mut places = vec![String::new()];
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (letter, places.last_mut()) {
            (OR, _) => places.push(String::new()),
            (ESCAPE, Some(place)) => place.extend(letters.next()),
            (letter, Some(place)) => place.push(letter),
            (_, None) => {}
        }
    }
    let mut places = places.into_iter().map(|place| match place.parse::<u64>() {
        Ok(number) => Coordinate::from(number),
        Err(_) => Coordinate::from(place),
    });
    match (places.next(), places.len()) {
        (Some(place), 0) => Wanted::Is(place),
        (first, _) => Wanted::OneOf(first.into_iter().chain(places).collect()),
    }
}

fn relation(word: &str) -> Option<Relation> {
    Relation::ALL.into_iter().find(|relation| relation.word() == word || relation.name() == word)
}

/// Parses a measure by its name in files or in words: `bandwidth_gbps`, `bandwidth`, `link-traffic`.
fn measure(word: &str) -> Option<Measure> {
    let word = word.replace('-', "_");
    Measure::ALL
        .into_iter()
        .find(|measure| measure.name() == word || measure.words().replace(' ', "_") == word)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Result<Query, ParseQueryError> {
        text.parse()
    }

    #[test]
    fn words_select_cells() {
        let triad = Query::of(Measure::Bandwidth).at(Axis::Kernel, "triad").at(Axis::Initiator, "all");
        assert_eq!(parse("bandwidth kernel=triad initiator=all"), Ok(triad));
        let far =
            Query { relation: Some(Relation::Remote), ..Query::of(Measure::Latency).over(Over::Highest) };
        assert_eq!(parse("latency_ns highest remote"), Ok(far));
        let both = Query::of(Measure::LinkTraffic)
            .at(Axis::Link, Wanted::Any)
            .at(Axis::Target, Wanted::OneOf(vec![0u64.into(), 1u64.into()]))
            .over(Over::Sum);
        assert_eq!(parse("link-traffic link=* target=0,1 sum"), Ok(both));
        let case = Query::of(Measure::TimePerLine).at(Axis::Case, "0.0.w.1 1.0.w.0");
        assert_eq!(parse("time-per-line case='0.0.w.1 1.0.w.0'"), Ok(case));
    }

    #[test]
    fn words_without_a_meaning_are_reported() {
        for (text, message) in [
            ("", "contains no measure"),
            ("speed", "`speed` is not a measure (expected one of latency_ns, "),
            ("kernel=triad bandwidth", "`kernel=triad` is not a measure"),
            ("bandwidth fastest", "invalid word `fastest` (expected AXIS=PLACE, local, same-package, remote"),
            ("bandwidth core=1", "no axis `core`"),
            ("bandwidth local remote", "`remote` repeats a choice that the query already makes"),
            ("bandwidth target=0 target=1", "`target=1` repeats a choice"),
            ("bandwidth 'target=0", "unclosed quotation mark"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(message), "{text}: {error}");
        }
    }

    #[test]
    fn files_write_places_lists_and_any() {
        let json = r#"{"measure":"latency_ns","at":{"initiator":0,"target":[1,"local"],"link":"*"},"pairs":"remote"}"#;
        let query: Query = serde_json::from_str(json).unwrap();
        assert_eq!(query.to_string(), "latency initiator=0 target=1,local 'link=*' remote");
        let again: Query = serde_json::from_str(&serde_json::to_string(&query).unwrap()).unwrap();
        assert_eq!(again, query);
    }

    fn place() -> impl Strategy<Value = Coordinate> {
        prop_oneof![
            any::<u64>().prop_map(Coordinate::from),
            "[^0-9*+\\x00][^\\x00]{0,12}".prop_map(Coordinate::from)
        ]
    }

    fn query() -> impl Strategy<Value = Query> {
        let wanted = prop_oneof![
            place().prop_map(Wanted::Is),
            proptest::collection::vec(place(), 2..4).prop_map(Wanted::OneOf),
            Just(Wanted::Any),
        ];
        let at = proptest::collection::btree_map(proptest::sample::select(Axis::ALL.to_vec()), wanted, 0..4);
        let relation = proptest::option::of(proptest::sample::select(Relation::ALL.to_vec()));
        let measure = proptest::sample::select(Measure::ALL.to_vec());
        (measure, at, relation, proptest::sample::select(Over::ALL.to_vec()))
            .prop_map(|(measure, at, relation, over)| Query { measure, at, relation, over })
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_again(query in query()) {
            prop_assert_eq!(query.to_string().parse(), Ok(query));
        }

        #[test]
        fn any_text_is_read_without_a_panic(text in ".{0,60}") {
            let _ = text.parse::<Query>();
        }
    }
}
