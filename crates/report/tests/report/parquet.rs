//! Sweeps as Parquet, read back.

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use zerohop_report::pages::Style;
use zerohop_report::{Form, render};
use zerohop_study::Question;

use crate::sweep::result;

/// The key under which a file keeps what was asked.
const QUESTION: &str = "zerohop.question";

#[test]
fn columns_have_types_and_what_is_absent_is_null() {
    let result = result(&[], 0);
    let bytes = render(&result, Form::Parquet, &Style::default()).unwrap().into_bytes();
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
    let metadata = reader.metadata().file_metadata();
    let kept = metadata.key_value_metadata().unwrap().iter().find(|entry| entry.key == QUESTION).unwrap();
    let question: Question = serde_json::from_str(kept.value.as_deref().unwrap()).unwrap();
    assert_eq!(question, result.question);
    let rows: Vec<Vec<(String, Field)>> = reader
        .get_row_iter(None)
        .unwrap()
        .map(|row| {
            row.unwrap().get_column_iter().map(|(name, field)| (name.clone(), field.clone())).collect()
        })
        .collect();
    let text = |text: &str| Field::Str(text.to_owned());
    let row = |fields: [Field; 14]| -> Vec<(String, Field)> {
        let names = [
            "point",
            "links",
            "width",
            "outcome",
            "merit",
            "stream.triad.bandwidth_gbps",
            "notes",
            "rank",
            "stream.triad.bandwidth_gbps.low",
            "stream.triad.bandwidth_gbps.high",
            "origin",
            "machine",
            "started_at",
            "produced_by",
        ];
        names.map(str::to_owned).into_iter().zip(fields).collect()
    };
    let best = [
        Field::Long(1),
        Field::Double(4.0),
        text("x4"),
        text("done"),
        text("best"),
        Field::Double(123.456),
        Field::Null,
        Field::Long(1),
        Field::Double(123.0),
        Field::Double(124.0),
        text("model (flow)"),
        text("quartet (links=4, width=x4)"),
        Field::Null,
        text("zerohop 0"),
    ];
    let refused = [
        Field::Long(0),
        Field::Double(3.0),
        text("x4"),
        text("refused"),
        Field::Null,
        Field::Null,
        text("no such cable"),
        Field::Null,
        Field::Null,
        Field::Null,
        text("model (flow)"),
        text("quartet (links=3, width=x4)"),
        Field::Null,
        text("zerohop 0"),
    ];
    assert_eq!(rows, [row(best), row(refused)]);
}
