//! Upgrades result files from the first form to the current one.
//!
//! The first form had no origin: the engine's kind and solver implied it. It named a direction of a link by its ends alone, so
//! that links between the same routers shared their coordinates.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::SCHEMA_VERSION;

/// Upgrades a file of version 1 to the current form. Malformed parts stay malformed.
pub(super) fn from_first(file: &mut Value) {
    let Some(file) = file.as_object_mut() else { return };
    file.insert("schema_version".to_owned(), SCHEMA_VERSION.into());
    if let Some(origin) = origin(file) {
        file.insert("origin".to_owned(), origin);
    }
    let experiments = file.get_mut("experiments").and_then(Value::as_array_mut);
    for experiment in experiments.into_iter().flatten() {
        if let Some(cells) = experiment.get_mut("cells").and_then(Value::as_array_mut) {
            name_links(cells);
        }
    }
}

fn origin(file: &Map<String, Value>) -> Option<Value> {
    let engine = file.get("engine")?;
    match engine.get("kind")?.as_str()? {
        "host" => return Some(json!({ "host": {} })),
        "model" => {}
        // It is unclear whether anything was measured: the file stays without an origin, and is rejected.
        _ => return None,
    }
    let machine = file.get("machine")?;
    let mut model = json!({
        // Before there was a choice, models were simulated line by line.
        "solver": engine.get("solver").cloned().unwrap_or_else(|| "event".into()),
        "machine_file": machine.get("name")?,
    });
    let fields = model.as_object_mut()?;
    fields.extend(machine.get("settings").map(|settings| ("settings".to_owned(), settings.clone())));
    let seed = file.get("settings").and_then(|settings| settings.get("seed"));
    fields.extend(seed.map(|seed| ("seed".to_owned(), seed.clone())));
    Some(json!({ "model": model }))
}

/// Adds the direction to cells of links. Such a file does not contain a link's own name: its ends replace it, numbered where
/// several links share their ends, in the order of the machine file.
fn name_links(cells: &mut [Value]) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for cell in cells {
        let Some(link) = cell.pointer("/at/link").and_then(Value::as_str).map(str::to_owned) else {
            continue;
        };
        if cell.pointer("/at/direction").is_some() {
            continue;
        }
        let key = format!("{} {}", cell["measure"], cell["at"]);
        let rank = seen.entry(key).or_default();
        *rank += 1;
        let name = if *rank == 1 { link.clone() } else { format!("{link} ({rank})") };
        cell["at"]["link"] = name.into();
        cell["at"]["direction"] = link.into();
    }
}
