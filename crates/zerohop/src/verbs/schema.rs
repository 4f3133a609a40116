//! `zerohop schema`: the JSON Schema of JSON output, and of input files.

use serde_json::Value;
use zerohop_advise::settings::settings_table;
use zerohop_importers::metrics_schema;
use zerohop_machine_file::{machine_file_keys, machine_file_schema};
use zerohop_report::json;

use crate::arguments::SchemaArgument;
use crate::failure::Failure;
use crate::terminal;

pub(super) fn schema(of: SchemaArgument) -> Result<(), Failure> {
    let schema: Value = match of {
        SchemaArgument::MachineKeys => return terminal::print(&machine_file_keys()),
        SchemaArgument::SettingsTable => return terminal::print(settings_table().trim_end()),
        SchemaArgument::Result => json::result_schema(),
        SchemaArgument::Machine => json::machine_schema(),
        SchemaArgument::MachineFile => machine_file_schema(),
        SchemaArgument::Published => json::published_schema(),
        SchemaArgument::Reproduction => json::reproduction_schema(),
        SchemaArgument::Comparison => json::comparison_schema(),
        SchemaArgument::Changes => json::changes_schema(),
        SchemaArgument::Sweep => json::sweep_file_schema(),
        SchemaArgument::SweepResult => json::sweep_result_schema(),
        SchemaArgument::SettingsAdvice => json::settings_advice_schema(),
        SchemaArgument::Settings => json::settings_schema(),
        SchemaArgument::VendorSettings => json::vendor_settings_schema(),
        SchemaArgument::Metrics => {
            json::closed(metrics_schema(), "zerohop metrics of a tool", "urn:zerohop:schema:metrics:1")
        }
        SchemaArgument::Diagnosis => json::diagnosis_schema(),
        SchemaArgument::Baseline => json::baseline_schema(),
        SchemaArgument::Fleet => json::fleet_schema(),
        SchemaArgument::Rule => json::rule_schema(),
        SchemaArgument::Distances => json::distances_schema(),
        SchemaArgument::Whereabouts => json::whereabouts_schema(),
        SchemaArgument::Doctor => json::doctor_schema(),
        SchemaArgument::PlacedFile => json::placed_file_schema(),
        SchemaArgument::Calibration => json::calibration_schema(),
        SchemaArgument::Expectations => json::expectations_schema(),
        SchemaArgument::PlacementAdvice => json::placement_advice_schema(),
        SchemaArgument::Ceiling => json::ceiling_schema(),
    };
    terminal::print(&format!("{schema:#}"))
}
