//! JSON, CSV and schemas.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::Value;
use zerohop_machine::Machine;
use zerohop_report::json::{machine_schema, result_json, result_schema};
use zerohop_report::pages::Style;
use zerohop_result::{Axis, Coordinates, ExperimentName, Measure, ResultFile};
use zerohop_workload::{ImportedOrigin, Origin, SolverName, Warning};

use crate::examples::*;
use crate::shown::*;

fn rows(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    reader.records().map(|record| record.unwrap().iter().map(str::to_owned).collect()).collect()
}

#[test]
fn json_reads_back_as_it_was() {
    for file in
        [survey(machine(2, 1, 4)), interrupted(), doubtful(), survey(with_memory_node(machine(1, 1, 2), 4))]
    {
        let text = result_json(&file);
        assert_eq!(serde_json::from_str::<ResultFile>(&text).unwrap(), file);
        assert_eq!(serde_json::from_str::<Machine>(&machine_json(&file.machine)).unwrap(), file.machine);
        assert!(text.ends_with("}\n"));
    }
}

#[test]
fn schemas_name_themselves_and_their_draft() {
    for (schema, title) in [(result_schema(), "zerohop result"), (machine_schema(), "zerohop machine")] {
        assert_eq!(schema["title"], title);
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert!(schema["$id"].as_str().unwrap().starts_with("urn:zerohop:schema:"));
    }
}

/// What a schema says of one value, as far as these schemas go: `$ref`, `type`, `properties`, `required`, `items`,
/// `enum` and alternatives.
fn fits(root: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = root.pointer(reference.trim_start_matches('#')).ok_or(format!("no {reference}"))?;
        fits(root, target, value)?;
    }
    for key in ["anyOf", "oneOf"] {
        let Some(choices) = schema[key].as_array() else { continue };
        if !choices.iter().any(|choice| fits(root, choice, value).is_ok()) {
            return Err(format!("{value} is none of {choices:?}"));
        }
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        _ => value.is_null(),
    };
    if !types.is_empty() && !types.iter().any(|name| is(name)) {
        return Err(format!("{value} is no {types:?}"));
    }
    if schema["enum"].as_array().is_some_and(|allowed| !allowed.contains(value)) {
        return Err(format!("{value} is not among {}", schema["enum"]));
    }
    if schema.get("const").is_some_and(|only| only != value) {
        return Err(format!("{value} is not {}", schema["const"]));
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.is_object() && value.get(name).is_none() {
            return Err(format!("`{name}` is missing"));
        }
    }
    for (name, member) in value.as_object().into_iter().flatten() {
        let known = schema["properties"].get(name).or(schema.get("additionalProperties"));
        if let Some(known) = known {
            fits(root, known, member).map_err(|why| format!("{name}: {why}"))?;
        }
    }
    for (rank, item) in value.as_array().into_iter().flatten().enumerate() {
        if let Some(known) = schema.get("items") {
            fits(root, known, item).map_err(|why| format!("[{rank}]: {why}"))?;
        }
    }
    Ok(())
}

#[test]
fn results_fit_their_schema() {
    let schema = result_schema();
    for file in
        [survey(with_dimms(machine(2, 1, 4))), doubtful(), survey(with_memory_node(machine(1, 1, 2), 4))]
    {
        assert_eq!(fits(&schema, &schema, &serde_json::to_value(&file).unwrap()), Ok(()));
    }
    let mut wrong = serde_json::to_value(doubtful()).unwrap();
    wrong["experiments"][0]["cells"][0]["measure"] = 7.into();
    assert!(fits(&schema, &schema, &wrong).is_err());
}

#[test]
fn csv_has_a_column_for_every_axis_there_is() {
    let heads: BTreeSet<String> = rows(&whole_csv(&interrupted()))[0].iter().cloned().collect();
    let schema = schemars::schema_for!(Axis).to_value();
    let axes = schema["anyOf"].as_array().expect("axes are documented one by one");
    // The last takes names that this version does not know.
    let axes: Vec<_> = axes.iter().filter(|axis| axis.get("const").is_some()).collect();
    assert!(axes.len() >= 15, "{axes:?}");
    for axis in axes {
        let name = axis["const"].as_str().unwrap();
        assert!(heads.contains(name), "no column `{name}`");
    }
}

/// A row that is copied out of its table still says whether it was measured.
#[test]
fn every_row_says_where_its_number_comes_from() {
    let ends = |file: &ResultFile| {
        let rows = rows(&result_csv(file));
        let column = |name: &str| rows[0].iter().position(|head| head == name).unwrap();
        let columns = ["origin", "machine", "started_at", "produced_by"].map(column);
        columns.map(|column| rows[1][column].clone())
    };
    let mut file = doubtful();
    assert_eq!(ends(&file), ["host", "example", "2026-11-21T10:28:00Z", "zerohop 0.1.0"]);
    file.origin = Origin::model(&file.machine, SolverName::Flow, None);
    file.started_at = None;
    assert_eq!(ends(&file), ["model (flow)", "example", "", "zerohop 0.1.0"]);
    file.origin = Origin::Imported(ImportedOrigin {
        tool: "mlc".to_owned(),
        version: Some("3.11".to_owned()),
        file: "mlc.txt".to_owned(),
        ..ImportedOrigin::default()
    });
    assert_eq!(ends(&file)[0], "imported (mlc)");
    assert!(
        !survey_page(&file, &Style { colour: false, width: 100 }).contains("placement"),
        "an import proves nothing itself"
    );
    assert!(survey_picture(&file).contains("imported from mlc.txt, written by mlc 3.11"));
}

#[test]
fn csv_has_a_row_a_cell_and_reads_back() {
    let mut file = doubtful();
    let warning =
        Warning::PlacementUnproven { reason: "a \"strict\" seccomp profile,\nof two lines".to_owned() };
    file.experiments[0].cells.change(|cells| cells[0].warnings.push(warning)).unwrap();
    let rows = rows(&result_csv(&file));
    let column = |name: &str| rows[0].iter().position(|head| head == name).unwrap();
    let cells: Vec<_> = file.experiments.iter().flat_map(|experiment| &experiment.cells).collect();
    assert_eq!(rows.len(), 1 + cells.len());
    for (row, cell) in rows[1..].iter().zip(cells) {
        assert_eq!(row[column("median")].parse::<f64>().unwrap(), cell.estimate.median);
        assert_eq!(row[column("unit")], cell.measure.unit());
        assert_eq!(row[column("samples")], "7");
        let kernel = cell.at.get(Axis::Kernel).map(ToString::to_string).unwrap_or_default();
        assert_eq!(row[column("kernel")], kernel);
    }
    assert!(rows[1][column("warnings")].contains("a \"strict\" seccomp profile,\nof two lines"));
}

#[test]
fn machine_csv_has_the_distances_of_odd_nodes() {
    let rows = rows(&machine_csv(&with_memory_node(machine(2, 1, 2), 45)));
    assert_eq!(rows[0][7..], ["distance_to_0", "distance_to_1", "distance_to_45"]);
    assert_eq!(rows[3][..4], ["45", "", "0", "0"]);
    assert_eq!(rows[3][7..], ["32", "32", "10"]);
}

proptest! {
    #[test]
    fn any_word_survives_csv(word in "\\PC*", newline in any::<bool>()) {
        let word = if newline { format!("{word}\r\n\"x\",") } else { word };
        let at = Coordinates::new().with(Axis::Placement, word.as_str());
        let cells = vec![cell(at, Measure::Bandwidth, 1.0)];
        let file = file(machine(1, 1, 1), vec![experiment(ExperimentName::known("global-bandwidth"), cells)]);
        let rows = rows(&result_csv(&file));
        let column = rows[0].iter().position(|head| head == "placement").unwrap();
        let is_number = word.parse::<f64>().is_ok_and(f64::is_finite);
        let is_formula = word.starts_with(['=', '+', '-', '@', '\r', '＝', '＋', '－', '＠']) && !is_number;
        let written = if is_formula { format!("'{word}") } else { word };
        prop_assert_eq!(&rows[1][column], &written);
    }
}
