//! Sweeps as Apache Parquet: columns with types, for data frames and databases. Plain pages, not compressed: a sweep of ten
//! thousand points is a megabyte.

use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};
use zerohop_insight::{SweepResult, SweepRow};

/// The key under which the file keeps what was asked, as JSON.
pub const QUESTION: &str = "zerohop.question";

/// A column: a value for each row, or none.
enum Values {
    Ranks(Vec<i64>),
    Numbers(Vec<Option<f64>>),
    Counts(Vec<Option<i64>>),
    Texts(Vec<Option<String>>),
}

/// One row a point, in the columns of [`sweep_csv`](crate::csv::sweep_csv). What is set is a number where every value is one.
///
/// # Errors
/// When two columns have the same name in a way that Parquet does not allow, or there are more rows than it can count.
pub fn sweep_parquet(result: &SweepResult) -> Result<Vec<u8>, ParquetError> {
    let columns = columns(result);
    let fields = columns.iter().map(|(name, values)| values.field(name)).collect::<Result<_, _>>()?;
    let schema = Type::group_type_builder("sweep").with_fields(fields).build()?;
    let question = serde_json::to_string(&result.question).ok();
    let properties = WriterProperties::builder()
        .set_created_by(result.question.produced_by.clone())
        .set_key_value_metadata(Some(vec![KeyValue::new(QUESTION.to_owned(), question)]))
        .build();
    let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for (_, values) in &columns {
        values.write(&mut group)?;
    }
    group.close()?;
    writer.into_inner()
}

fn columns(result: &SweepResult) -> Vec<(String, Values)> {
    let rows = &result.rows;
    let texts = |text: fn(&SweepRow) -> Option<String>| Values::Texts(rows.iter().map(text).collect());
    let mut columns =
        vec![("point".to_owned(), Values::Ranks(rows.iter().map(|row| row.point as i64).collect()))];
    for name in result.question.sweep.points.names() {
        let values: Vec<Option<String>> = rows.iter().map(|row| row.settings.get(name).cloned()).collect();
        columns.push((name.to_owned(), Values::of_settings(values)));
    }
    columns.push(("outcome".to_owned(), texts(|row| Some(row.outcome.name().to_owned()))));
    columns.push(("merit".to_owned(), texts(|row| row.merit.map(|merit| merit.name().to_owned()))));
    for column in &result.columns {
        let values = rows.iter().map(|row| row.values.get(&column.name).copied());
        columns.push((column.name.clone(), Values::Numbers(values.collect())));
    }
    let notes = texts(|row| Some(row.notes.join("; ")).filter(|notes| !notes.is_empty()));
    columns.push(("notes".to_owned(), notes));
    let ranks = rows.iter().map(|row| row.rank.map(|rank| rank as i64));
    columns.push(("rank".to_owned(), Values::Counts(ranks.collect())));
    for name in result.columns.iter().map(|column| &column.name).filter(|name| result.has_intervals(name)) {
        for (rank, end) in ["low", "high"].into_iter().enumerate() {
            let ends = rows.iter().map(|row| row.intervals.get(name).map(|ends| ends[rank]));
            columns.push((format!("{name}.{end}"), Values::Numbers(ends.collect())));
        }
    }
    columns
}

impl Values {
    /// Numbers, if every one is.
    fn of_settings(texts: Vec<Option<String>>) -> Self {
        let number = |text: &Option<String>| match text {
            None => Some(None),
            Some(text) => text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Some),
        };
        let numbers: Option<Vec<Option<f64>>> = texts.iter().map(number).collect();
        numbers.map_or(Self::Texts(texts), Self::Numbers)
    }

    fn field(&self, name: &str) -> Result<TypePtr, ParquetError> {
        let builder = match self {
            Self::Ranks(_) => {
                Type::primitive_type_builder(name, Physical::INT64).with_repetition(Repetition::REQUIRED)
            }
            Self::Numbers(_) => {
                Type::primitive_type_builder(name, Physical::DOUBLE).with_repetition(Repetition::OPTIONAL)
            }
            Self::Counts(_) => {
                Type::primitive_type_builder(name, Physical::INT64).with_repetition(Repetition::OPTIONAL)
            }
            Self::Texts(_) => Type::primitive_type_builder(name, Physical::BYTE_ARRAY)
                .with_logical_type(Some(LogicalType::String))
                .with_repetition(Repetition::OPTIONAL),
        };
        builder.build().map(Arc::new)
    }

    fn write(&self, group: &mut SerializedRowGroupWriter<'_, Vec<u8>>) -> Result<(), ParquetError> {
        let no_column = || ParquetError::General("the schema has fewer columns than the rows".to_owned());
        let mut column = group.next_column()?.ok_or_else(no_column)?;
        match self {
            Self::Ranks(ranks) => column.typed::<Int64Type>().write_batch(ranks, None, None)?,
            Self::Numbers(numbers) => {
                let (there, levels) = there(numbers);
                column.typed::<DoubleType>().write_batch(&there, Some(&levels), None)?
            }
            Self::Counts(counts) => {
                let (there, levels) = there(counts);
                column.typed::<Int64Type>().write_batch(&there, Some(&levels), None)?
            }
            Self::Texts(texts) => {
                let (there, levels) = there(texts);
                let there: Vec<ByteArray> = there.iter().map(|text| ByteArray::from(text.as_str())).collect();
                column.typed::<ByteArrayType>().write_batch(&there, Some(&levels), None)?
            }
        };
        column.close()
    }
}

/// The values that are there, and for each place whether there is one.
fn there<T: Clone>(values: &[Option<T>]) -> (Vec<T>, Vec<i16>) {
    let levels = values.iter().map(|value| i16::from(value.is_some())).collect();
    (values.iter().flatten().cloned().collect(), levels)
}
