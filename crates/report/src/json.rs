//! Results, machines and reproductions as JSON, and the schemas of all that zerohop writes and reads.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::Value;
use zerohop_advise::placement::{CEILING_VERSION, Ceiling, PLACEMENT_VERSION, PlacementAdvice};
use zerohop_advise::settings::{
    ADVICE_VERSION, SettingsAdvice, settings_schema as kinds_schema, vendor_schema,
};
use zerohop_compare::{CHANGES_VERSION, COMPARISON_VERSION, ChangesFile, ComparisonFile};
use zerohop_diagnosis::{
    DIAGNOSIS_VERSION, DISTANCES_VERSION, DiagnosisFile, DistancesFile, FleetDiagnosis, MeasuredDistances,
    rule_schema as schema_of_rules,
};
use zerohop_diagnosis::{DOCTOR_VERSION, DoctorReport};
use zerohop_expectation::{EXPECTATIONS_VERSION, Expectations};
use zerohop_fleet::{BASELINE_VERSION, Baseline, FLEET_VERSION};
use zerohop_machine::Machine;
use zerohop_machine_file::Hardware;
use zerohop_placement::{PLACED_FILE_VERSION, PlacedFile};
use zerohop_placement::{WHEREABOUTS_VERSION, WhereaboutsFile};
use zerohop_result::{ResultFile, SCHEMA_VERSION};
use zerohop_study::{
    CALIBRATION_VERSION, CalibrationFile, REPRODUCTION_VERSION, ReproductionFile, SWEEP_VERSION, SweepResult,
    study_schema, sweep_schema,
};

use crate::document::OfResult;
use crate::hardware_form::MachineForm;
use crate::pretty::pretty;

/// A result file's text: indented, members in the order of the types, ended by a newline.
pub fn result_json(file: &ResultFile) -> String {
    file.text()
}

/// A machine's text, in the same form as in a result file.
pub(crate) fn machine_json(machine: &Machine) -> String {
    pretty(&MachineForm::of_machine(machine))
}

/// JSON of a described machine, with its hardware and its options.
pub(crate) fn hardware_json(hardware: &Hardware) -> String {
    pretty(&MachineForm::of_hardware(hardware))
}

/// The machines that can be simulated, one object each: name, title, the number of each kind of part, the number of its
/// parameters and how many of them were fitted.
pub(crate) fn machine_list_json(machines: &[Hardware]) -> String {
    let listed = machines.iter().map(|hardware| {
        serde_json::json!({
            "name": hardware.machine.name,
            "title": hardware.title,
            "nodes": hardware.machine.nodes.len(),
            "cores": hardware.machine.cores.len(),
            "routers": hardware.routers.len(),
            "links": hardware.links.len(),
            "parameters": hardware.parameters.len(),
            "fitted": hardware.fitted().count(),
        })
    });
    pretty(&Value::Array(listed.collect()))
}

/// The JSON Schema (draft 2020-12) of `result_json`.
pub fn result_schema() -> Value {
    schema::<ResultFile>("zerohop result", &format!("urn:zerohop:schema:result:{SCHEMA_VERSION}"))
}

/// The JSON Schema (draft 2020-12) of `machine_json` and `hardware_json`.
pub fn machine_schema() -> Value {
    schema::<MachineForm<'_>>("zerohop machine", &format!("urn:zerohop:schema:machine:{SCHEMA_VERSION}"))
}

/// Model predictions for studies.
pub(crate) fn reproduction_json(file: &ReproductionFile) -> String {
    pretty(file)
}

/// The JSON Schema (draft 2020-12) of `reproduction_json`.
pub fn reproduction_schema() -> Value {
    let id = format!("urn:zerohop:schema:reproduction:{REPRODUCTION_VERSION}");
    schema::<ReproductionFile>("zerohop reproduction", &id)
}

/// Advice on the placement of a program.
pub(crate) fn placement_advice_json(advice: &PlacementAdvice) -> String {
    pretty(advice)
}

/// The JSON Schema (draft 2020-12) of `placement_advice_json`.
pub fn placement_advice_schema() -> Value {
    let id = format!("urn:zerohop:schema:placement-advice:{PLACEMENT_VERSION}");
    schema::<OfResult<'_, PlacementAdvice>>("zerohop placement advice", &id)
}

/// The rates that a machine's memory allows.
pub(crate) fn ceiling_json(ceiling: &Ceiling) -> String {
    pretty(ceiling)
}

/// The JSON Schema (draft 2020-12) of `ceiling_json`.
pub fn ceiling_schema() -> Value {
    let id = format!("urn:zerohop:schema:ceiling:{CEILING_VERSION}");
    schema::<OfResult<'_, Ceiling>>("zerohop ceiling", &id)
}

/// A comparison of results.
pub(crate) fn comparison_json(file: &ComparisonFile) -> String {
    pretty(file)
}

/// The JSON Schema (draft 2020-12) of `comparison_json`.
pub fn comparison_schema() -> Value {
    let id = format!("urn:zerohop:schema:comparison:{COMPARISON_VERSION}");
    schema::<ComparisonFile>("zerohop comparison", &id)
}

/// Changes of machines over time.
pub(crate) fn changes_json(file: &ChangesFile) -> String {
    pretty(file)
}

/// The JSON Schema (draft 2020-12) of `changes_json`.
pub fn changes_schema() -> Value {
    schema::<ChangesFile>("zerohop changes", &format!("urn:zerohop:schema:changes:{CHANGES_VERSION}"))
}

/// Fit of a machine's model.
pub(crate) fn calibration_json(file: &CalibrationFile) -> String {
    pretty(file)
}

/// The JSON Schema (draft 2020-12) of `calibration_json`.
pub fn calibration_schema() -> Value {
    let id = format!("urn:zerohop:schema:calibration:{CALIBRATION_VERSION}");
    schema::<CalibrationFile>("zerohop calibration", &id)
}

/// Expectations for the values of a result.
pub(crate) fn expectations_json(expectations: &Expectations) -> String {
    pretty(expectations)
}

/// The JSON Schema (draft 2020-12) of `expectations_json`.
pub fn expectations_schema() -> Value {
    let id = format!("urn:zerohop:schema:expectations:{EXPECTATIONS_VERSION}");
    schema::<Expectations>("zerohop expectations", &id)
}

/// Diagnoses of machines.
pub(crate) fn diagnosis_json(file: &DiagnosisFile) -> String {
    pretty(file)
}

/// The JSON Schema (draft 2020-12) of `diagnosis_json`.
pub fn diagnosis_schema() -> Value {
    schema::<DiagnosisFile>("zerohop diagnosis", &format!("urn:zerohop:schema:diagnosis:{DIAGNOSIS_VERSION}"))
}

/// Findings about a fleet.
pub(crate) fn fleet_json(fleet: &FleetDiagnosis) -> String {
    pretty(fleet)
}

/// The JSON Schema (draft 2020-12) of `fleet_json`.
pub fn fleet_schema() -> Value {
    schema::<FleetDiagnosis>("zerohop fleet", &format!("urn:zerohop:schema:fleet:{FLEET_VERSION}"))
}

/// The JSON Schema (draft 2020-12) of what `fleet baseline` writes.
pub fn baseline_schema() -> Value {
    schema::<Baseline>("zerohop baseline", &format!("urn:zerohop:schema:baseline:{BASELINE_VERSION}"))
}

/// The JSON Schema (draft 2020-12) of a rule's file, which is TOML.
pub fn rule_schema() -> Value {
    closed(schema_of_rules(), "zerohop rule", "urn:zerohop:schema:rule:1")
}

/// A file whose pages were moved to chosen nodes.
pub(crate) fn placed_file_json(file: &PlacedFile) -> String {
    pretty(file)
}

/// Measurements that a host allows, as JSON.
pub(crate) fn doctor_json(report: &DoctorReport) -> String {
    pretty(report)
}

/// The JSON Schema (draft 2020-12) of `doctor_json`.
pub fn doctor_schema() -> Value {
    let id = format!("urn:zerohop:schema:doctor:{DOCTOR_VERSION}");
    schema::<DoctorReport>("zerohop doctor", &id)
}

/// The JSON Schema (draft 2020-12) of `placed_file_json`.
pub fn placed_file_schema() -> Value {
    let id = format!("urn:zerohop:schema:placed-file:{PLACED_FILE_VERSION}");
    schema::<PlacedFile>("zerohop placed file", &id)
}

pub(crate) fn settings_advice_json(advice: &SettingsAdvice) -> String {
    pretty(advice)
}

/// The JSON Schema (draft 2020-12) of `settings_advice_json`.
pub fn settings_advice_schema() -> Value {
    let id = format!("urn:zerohop:schema:settings-advice:{ADVICE_VERSION}");
    schema::<OfResult<'_, SettingsAdvice>>("zerohop advice on settings", &id)
}

/// The JSON Schema (draft 2020-12) of `settings/kinds.toml`.
pub fn settings_schema() -> Value {
    closed(kinds_schema(), "zerohop settings", "urn:zerohop:schema:settings:1")
}

/// The JSON Schema (draft 2020-12) of a vendor's file in `settings/`.
pub fn vendor_settings_schema() -> Value {
    closed(vendor_schema(), "zerohop settings of a vendor", "urn:zerohop:schema:vendor-settings:1")
}

pub(crate) fn distances_json(distances: &MeasuredDistances) -> String {
    pretty(&DistancesFile::of(distances))
}

/// The JSON Schema (draft 2020-12) of `distances_json`.
pub fn distances_schema() -> Value {
    let id = format!("urn:zerohop:schema:distances:{DISTANCES_VERSION}");
    schema::<DistancesFile>("zerohop measured distances", &id)
}

/// Location of pages and threads.
pub(crate) fn whereabouts_json(file: &WhereaboutsFile) -> String {
    pretty(file)
}

/// The JSON Schema (draft 2020-12) of `whereabouts_json`.
pub fn whereabouts_schema() -> Value {
    let id = format!("urn:zerohop:schema:whereabouts:{WHEREABOUTS_VERSION}");
    schema::<WhereaboutsFile>("zerohop whereabouts", &id)
}

/// The JSON Schema (draft 2020-12) of a study's file, which is TOML.
pub fn published_schema() -> Value {
    closed(study_schema(), "zerohop published study", "urn:zerohop:schema:published:1")
}

/// The result of a sweep.
pub(crate) fn sweep_json(result: &SweepResult) -> String {
    pretty(result)
}

/// The JSON Schema (draft 2020-12) of `sweep_json`.
pub fn sweep_result_schema() -> Value {
    schema::<SweepResult>("zerohop sweep result", &format!("urn:zerohop:schema:sweep-result:{SWEEP_VERSION}"))
}

/// The JSON Schema (draft 2020-12) of a sweep's file, which is TOML.
pub fn sweep_file_schema() -> Value {
    closed(sweep_schema(), "zerohop sweep", "urn:zerohop:schema:sweep:1")
}

fn schema<T: JsonSchema>(title: &str, id: &str) -> Value {
    named(SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>(), title, id)
}

/// A schema of files that people write: names of later versions are not allowed there.
pub fn closed(schema: Schema, title: &str, id: &str) -> Value {
    let mut schema = named(schema, title, id);
    close(&mut schema);
    schema
}

fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::Array(forms)) = members.get_mut("anyOf")
                && forms.iter().any(|form| form.get("const").is_some())
            {
                forms.retain(|form| form.get("const").is_some());
            }
            members.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

fn named(mut schema: Schema, title: &str, id: &str) -> Value {
    schema.insert("$id".to_owned(), id.into());
    schema.insert("title".to_owned(), title.into());
    schema.to_value()
}
