//! Apache Parquet, for any document that has rows: typed columns, for data frames and databases. Pages are plain and
//! uncompressed: a sweep of ten thousand points takes a megabyte.

use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};

use crate::table::{Table, Values};

/// The rows, in columns with the same names as in CSV. A text column becomes numeric if every value of it is a number.
///
/// # Errors
/// When two columns share a name in a way that Parquet does not allow, or there are more rows than it can count.
pub(crate) fn parquet(table: &Table) -> Result<Vec<u8>, ParquetError> {
    let columns: Vec<(&str, Typed<'_>)> =
        table.columns.iter().map(|column| (column.name.as_str(), Typed::of(&column.values))).collect();
    let fields = columns.iter().map(|(name, values)| values.field(name)).collect::<Result<_, _>>()?;
    let schema = Type::group_type_builder("zerohop").with_fields(fields).build()?;
    let facts = table.facts.iter().map(|(key, text)| KeyValue::new((*key).to_owned(), Some(text.clone())));
    let properties = WriterProperties::builder()
        .set_created_by(concat!("zerohop ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(facts.collect()))
        .build();
    let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for (_, values) in &columns {
        values.write(&mut group)?;
    }
    group.close()?;
    writer.into_inner()
}

/// Values in one of Parquet's types.
enum Typed<'a> {
    Counts(&'a [u64]),
    Ranks(&'a [Option<u64>]),
    Numbers(Vec<Option<f64>>),
    Words(&'a [Option<String>]),
}

impl<'a> Typed<'a> {
    fn of(values: &'a Values) -> Self {
        match values {
            Values::Counts(counts) => Self::Counts(counts),
            Values::Ranks(ranks) => Self::Ranks(ranks),
            Values::Numbers(numbers) => Self::Numbers(numbers.clone()),
            Values::Words(words) => Self::Words(words),
            Values::Given(words) => {
                let numbers: Option<Vec<Option<f64>>> = words.iter().map(number).collect();
                numbers.map_or(Self::Words(words), Self::Numbers)
            }
        }
    }

    fn field(&self, name: &str) -> Result<TypePtr, ParquetError> {
        let builder = match self {
            Self::Counts(_) => {
                Type::primitive_type_builder(name, Physical::INT64).with_repetition(Repetition::REQUIRED)
            }
            Self::Ranks(_) => {
                Type::primitive_type_builder(name, Physical::INT64).with_repetition(Repetition::OPTIONAL)
            }
            Self::Numbers(_) => {
                Type::primitive_type_builder(name, Physical::DOUBLE).with_repetition(Repetition::OPTIONAL)
            }
            Self::Words(_) => Type::primitive_type_builder(name, Physical::BYTE_ARRAY)
                .with_logical_type(Some(LogicalType::String))
                .with_repetition(Repetition::OPTIONAL),
        };
        builder.build().map(Arc::new)
    }

    fn write(&self, group: &mut SerializedRowGroupWriter<'_, Vec<u8>>) -> Result<(), ParquetError> {
        let no_column = || ParquetError::General("the schema has fewer columns than the rows".to_owned());
        let mut column = group.next_column()?.ok_or_else(no_column)?;
        match self {
            Self::Counts(counts) => {
                let counts: Vec<i64> = counts.iter().copied().map(signed).collect();
                column.typed::<Int64Type>().write_batch(&counts, None, None)?
            }
            Self::Ranks(ranks) => {
                let (there, levels) = there(ranks);
                let there: Vec<i64> = there.into_iter().map(signed).collect();
                column.typed::<Int64Type>().write_batch(&there, Some(&levels), None)?
            }
            Self::Numbers(numbers) => {
                let (there, levels) = there(numbers);
                column.typed::<DoubleType>().write_batch(&there, Some(&levels), None)?
            }
            Self::Words(words) => {
                let (there, levels) = there(words);
                let there: Vec<ByteArray> = there.iter().map(|text| ByteArray::from(text.as_str())).collect();
                column.typed::<ByteArrayType>().write_batch(&there, Some(&levels), None)?
            }
        };
        column.close()
    }
}

/// The number that a text spells; `None` if it does not.
fn number(text: &Option<String>) -> Option<Option<f64>> {
    match text {
        None => Some(None),
        Some(text) => text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Some),
    }
}

/// The present values, and for each row whether it has one.
fn there<T: Clone>(values: &[Option<T>]) -> (Vec<T>, Vec<i16>) {
    let levels = values.iter().map(|value| i16::from(value.is_some())).collect();
    (values.iter().flatten().cloned().collect(), levels)
}

/// Parquet's integers are signed.
fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
