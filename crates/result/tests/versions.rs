//! Files of this version, of later writers of it, and of other versions.

use std::path::Path;

use serde_json::{Value, json};
use zerohop_result::{ReadError, ResultFile, SCHEMA_VERSION};

fn stored(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name);
    std::fs::read_to_string(path).unwrap()
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Reads a stored file after a change to it.
fn changed(name: &str, change: impl FnOnce(&mut Value)) -> Result<ResultFile, ReadError> {
    let mut file = value(&stored(name));
    change(&mut file);
    ResultFile::read(&file.to_string())
}

#[test]
fn what_is_read_is_written_again_and_read_as_the_same() {
    for name in ["version-2/host.json", "version-2/model.json", "version-2/later.json"] {
        let text = stored(name);
        let file = ResultFile::read(&text).unwrap();
        assert_eq!(value(&file.text()), value(&text), "{name}: every value is kept");
        assert_eq!(ResultFile::read(&file.text()).unwrap(), file, "{name}");
    }
}

#[test]
fn what_this_version_wrote_is_read_whole() {
    for name in ["version-2/host.json", "version-2/model.json"] {
        let text = stored(name);
        let file = ResultFile::read(&text).unwrap();
        assert!(file.unknown().is_empty(), "{name}: {:?}", file.unknown());
        assert_eq!(file.text(), text, "{name}: to the byte");
    }
}

/// `later.json` is what a later writer of the same version may write: an experiment, a measure, an axis, a warning and fields that
/// this version does not know, at every depth.
#[test]
fn what_a_later_version_added_is_reported_and_kept() {
    let file = ResultFile::read(&stored("version-2/later.json")).unwrap();
    assert_eq!(
        file.unknown(),
        [
            "the axis rank_of_dimm (1)",
            "the field experiments.cells.estimate.skewness (1)",
            "the field experiments.cells.evidence.backing.pages_moved (1)",
            "the field experiments.cells.quality (1)",
            "the field machine.system.swap (1)",
            "the field origin.host.rack (1)",
            "the field site (1)",
            "the measure row_misses_per_s (1)",
            "the warning huge_pages_missing (1)",
            "the warning row_hammer (2)",
            "the warning throttled (1)",
        ]
    );
    assert_eq!(file.experiments[1].experiment, "row-misses");
    let warnings = &file.experiments[1].cells[0].warnings;
    assert_eq!(warnings[0].to_string(), "unknown warning: row_hammer, bank 3");
    assert!(warnings[0].advice().contains("version"));
}

#[test]
fn another_version_is_rejected_before_anything_else_is_read() {
    for found in [json!(99), json!(1), json!(0), json!(-1), json!("2"), json!(2.5), json!(4_294_967_298_u64)]
    {
        let error = changed("version-2/host.json", |file| {
            *file = json!({ "schema_version": found.clone(), "cells": "of another form" });
        });
        let error = error.unwrap_err();
        assert_eq!(error, ReadError::OtherVersion { found: found.to_string() });
        let words = format!("it was written by zerohop of format {found}; this one reads {SCHEMA_VERSION}");
        assert_eq!(error.to_string(), words);
        assert!(error.hint().contains("version"), "{}", error.hint());
    }
    assert_eq!(changed("version-2/host.json", |file| *file = json!({})).unwrap_err(), ReadError::NoVersion);
    assert_eq!(ResultFile::read(" \n").unwrap_err(), ReadError::Empty);
    assert!(matches!(ResultFile::read("not JSON").unwrap_err(), ReadError::Malformed(_)));
}

#[test]
fn two_cells_at_the_same_coordinates_are_rejected() {
    let error = changed("version-2/host.json", |file| {
        let cells = file["experiments"][0]["cells"].as_array_mut().unwrap();
        let twin = cells[0].clone();
        cells.push(twin);
    });
    let error = error.unwrap_err().to_string();
    assert!(error.contains("two cells contain the latency at initiator 0, target 0"), "{error}");
    let error = changed("version-2/host.json", |file| {
        let experiments = file["experiments"].as_array_mut().unwrap();
        let twin = experiments[0].clone();
        experiments.push(twin);
    });
    assert_eq!(error.unwrap_err(), ReadError::SameExperiment("latency-matrix".to_owned()));
}

#[test]
fn a_simulation_cannot_be_read_as_a_measurement() {
    let relabelled = |file: &mut Value| file["origin"] = json!({ "host": {} });
    let error = changed("version-2/model.json", relabelled).unwrap_err();
    assert!(error.to_string().contains("its engine is a model but its origin is a host"), "{error}");
    let missing = |file: &mut Value| drop(file.as_object_mut().unwrap().remove("origin"));
    let error = changed("version-2/model.json", missing).unwrap_err();
    assert!(error.to_string().contains("missing field `origin`"), "{error}");
    let other = |file: &mut Value| file["origin"] = json!({ "dreamt": {} });
    assert!(matches!(changed("version-2/model.json", other).unwrap_err(), ReadError::Malformed(_)));
}

/// It was shown as a row of its own.
#[test]
fn a_cell_of_a_node_that_the_machine_does_not_have_is_refused() {
    for axis in ["initiator", "target"] {
        let edited = |file: &mut Value| file["experiments"][0]["cells"][0]["at"][axis] = json!(77);
        for name in ["version-2/host.json", "version-2/model.json"] {
            let error = changed(name, edited).unwrap_err();
            assert!(matches!(error, ReadError::NoSuchNode(_)), "{error}");
            assert!(
                error.to_string().contains("refers to node 77, which its machine does not have"),
                "{error}"
            );
        }
    }
}

/// A value that is not a number would make a mean useless.
#[test]
fn an_estimate_accepts_only_finite_numbers() {
    for wrong in [json!(null), json!("NaN"), json!(1e6)] {
        let change = |file: &mut Value| file["experiments"][0]["cells"][0]["estimate"]["low"] = wrong.clone();
        let error = changed("version-2/host.json", change);
        assert!(matches!(error, Err(ReadError::Malformed(_) | ReadError::Unsound(_))), "{wrong}: {error:?}");
    }
    let text = stored("version-2/host.json").replacen("\"median\": ", "\"median\": 1e999, \"was\": ", 1);
    assert!(matches!(ResultFile::read(&text), Err(ReadError::Malformed(_))));
}

/// Imported results have none, and so has what a model computes.
#[test]
fn a_file_without_a_run_is_read() {
    for name in ["version-2/host.json", "version-2/model.json"] {
        assert_eq!(ResultFile::read(&stored(name)).unwrap().run, None, "{name}");
    }
}

#[test]
fn a_run_is_read_and_written_as_it_is() {
    let run = json!({
        "id": "019aa0c8-5f1e-7d2c-9c5b-0d2f3a4b5c6d",
        "host": { "name": "node-07", "scheduler_node": "cn0007", "machine_id": "0c8f87e3-0b6d-4027-92fa-3e5ca4a229d1" },
    });
    let file = changed("version-2/host.json", |file| file["run"] = run.clone()).unwrap();
    assert!(file.unknown().is_empty(), "{:?}", file.unknown());
    assert_eq!(value(&file.text())["run"], run);
}

/// Whatever zerohop measures says when.
#[test]
fn a_measured_run_without_its_start_is_refused() {
    let without_start = |run: Option<Value>| {
        changed("version-2/host.json", |file| {
            file.as_object_mut().unwrap().remove("started_at");
            if let Some(run) = run {
                file["run"] = run;
            }
        })
    };
    assert!(without_start(None).is_ok());
    let run = json!({ "id": "019aa0c8-5f1e-7d2c-9c5b-0d2f3a4b5c6d", "host": {} });
    assert_eq!(without_start(Some(run)).unwrap_err(), ReadError::NoStart);
}

#[test]
fn a_start_that_is_no_time_is_named() {
    let wrong = changed("version-2/host.json", |file| file["started_at"] = json!("yesterday")).unwrap_err();
    assert!(wrong.to_string().contains("invalid time `yesterday`"), "{wrong}");
}

/// The version is looked for in all of a text only where it is not the first member, which it always is in a file of ours.
#[test]
fn the_version_counts_wherever_it_stands() {
    let text =
        |before: &str, version: &str, after: &str| format!("{before}\"schema_version\"{version}{after}}}");
    for (text, error) in [
        (text("{", ": 99, \"a\": 1", ""), "written by zerohop of format 99"),
        (text("\n {\n", " : 99\n,\"a\":1", ""), "written by zerohop of format 99"),
        (text("{\"a\": 1, ", ": 99", ""), "written by zerohop of format 99"),
        (text("{", &format!(": {SCHEMA_VERSION}, \"a\": 1"), ", \"schema_version\": 99"), "duplicate field"),
        (text("{", &format!(": {SCHEMA_VERSION}.5, \"a\": 1"), ""), "written by zerohop of format"),
        (text("{", ": \"2\", \"a\": 1", ""), "written by zerohop of format"),
    ] {
        let said = ResultFile::read(&text).unwrap_err().to_string();
        assert!(said.contains(error), "{text}: {said}");
    }
}
