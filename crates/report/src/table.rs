//! Rows of a document as typed columns, from which CSV and Parquet are written.

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Table {
    /// The columns in order, all of the same length.
    pub(crate) columns: Vec<Column>,
    /// Metadata stored with the rows if the format has a place for it: a key, and text.
    pub(crate) facts: Vec<(&'static str, String)>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// A value for each row.
    pub(crate) values: Values,
    /// Whether CSV may lack it where no row has a value.
    pub(crate) may_be_left_out: bool,
}

/// The values of a column, top to bottom. Absent values are `None`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Values {
    /// Whole numbers, all present.
    Counts(Vec<u64>),
    /// Whole numbers, some of them absent.
    Ranks(Vec<Option<u64>>),
    Numbers(Vec<Option<f64>>),
    Words(Vec<Option<String>>),
    /// Text that may hold numbers: the column is numeric if every value is a number.
    Given(Vec<Option<String>>),
}

impl Table {
    /// A table without columns.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn counts(self, name: impl Into<String>, values: impl Iterator<Item = u64>) -> Self {
        self.with(name, Values::Counts(values.collect()))
    }

    /// Adds whole numbers, some of them absent.
    pub(crate) fn ranks(self, name: impl Into<String>, values: impl Iterator<Item = Option<u64>>) -> Self {
        self.with(name, Values::Ranks(values.collect()))
    }

    pub(crate) fn numbers(self, name: impl Into<String>, values: impl Iterator<Item = Option<f64>>) -> Self {
        self.with(name, Values::Numbers(values.collect()))
    }

    /// Adds words; an empty one is absent.
    pub(crate) fn words(self, name: impl Into<String>, values: impl Iterator<Item = String>) -> Self {
        let there = values.map(|text| Some(text).filter(|text| !text.is_empty()));
        self.with(name, Values::Words(there.collect()))
    }

    /// Adds text that may hold numbers.
    pub(crate) fn given(self, name: impl Into<String>, values: impl Iterator<Item = Option<String>>) -> Self {
        self.with(name, Values::Given(values.collect()))
    }

    /// Adds columns that CSV may lack where no row has a value.
    pub(crate) fn where_there(self, with: impl FnOnce(Self) -> Self) -> Self {
        let before = self.columns.len();
        let mut table = with(self);
        table.columns[before..].iter_mut().for_each(|column| column.may_be_left_out = true);
        table
    }

    /// Adds metadata to the rows.
    pub(crate) fn fact(mut self, key: &'static str, text: String) -> Self {
        self.facts.push((key, text));
        self
    }

    fn with(mut self, name: impl Into<String>, values: Values) -> Self {
        self.columns.push(Column { name: name.into(), values, may_be_left_out: false });
        self
    }

    pub(crate) fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Self::Counts(counts) => counts.len(),
            Self::Ranks(ranks) => ranks.len(),
            Self::Numbers(numbers) => numbers.len(),
            Self::Words(words) | Self::Given(words) => words.len(),
        }
    }

    /// Whether no row has a value.
    pub(crate) fn are_all_absent(&self) -> bool {
        match self {
            Self::Counts(counts) => counts.is_empty(),
            Self::Ranks(ranks) => ranks.iter().all(Option::is_none),
            Self::Numbers(numbers) => numbers.iter().all(Option::is_none),
            Self::Words(words) | Self::Given(words) => words.iter().all(Option::is_none),
        }
    }

    /// The value in a row as text; empty where it is absent.
    pub(crate) fn text(&self, row: usize) -> String {
        match self {
            Self::Counts(counts) => counts[row].to_string(),
            Self::Ranks(ranks) => ranks[row].map(|rank| rank.to_string()).unwrap_or_default(),
            Self::Numbers(numbers) => numbers[row].map(|number| number.to_string()).unwrap_or_default(),
            Self::Words(words) | Self::Given(words) => words[row].clone().unwrap_or_default(),
        }
    }
}
