//! JSON: a Redfish BIOS resource, a server configuration profile of Dell, or any document that has settings somewhere.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::items::{Dump, DumpError, DumpForm, Items};

/// How deep attributes are looked for: a result of a collection of machines holds them below its members.
const DEEPEST: usize = 8;

/// The key of a Redfish resource's settings.
const ATTRIBUTES: &str = "Attributes";

pub(super) fn read(text: &str) -> Result<Dump, DumpError> {
    let value: Value = serde_json::from_str(text).map_err(|error| DumpError::NotJson(error.to_string()))?;
    let mut items = Items::default();
    if let Some(components) = value.pointer("/SystemConfiguration/Components").and_then(Value::as_array) {
        profile(components, &mut items);
        return Ok(items.into_dump(DumpForm::Profile));
    }
    let mut resources = Vec::new();
    attributes(&value, false, 0, &mut resources);
    let is_pending = !resources.is_empty() && resources.iter().all(|resource| resource.is_pending);
    let mut pending = BTreeMap::new();
    for Resource { settings, is_pending: is_later } in &resources {
        for (name, value) in *settings {
            match plain(value) {
                // Beside what is in force, only what will change is of interest.
                Some(value) if *is_later && !is_pending => drop(pending.insert(name.clone(), value)),
                Some(value) => items.add(name, &value, None),
                None => items.other(),
            }
        }
    }
    items.set_pending(&pending);
    if resources.is_empty() {
        leaves(&value, 0, &mut items);
    }
    let is_pending = is_pending || resources.is_empty() && says_pending(&value);
    // A resource names its schema or the registry of its attributes.
    let is_firmware = text.contains("\"@odata.") || text.contains("\"AttributeRegistry\"");
    Ok(Dump { is_firmware, is_pending, ..items.into_dump(DumpForm::Redfish) })
}

/// The attributes of a resource.
struct Resource<'a> {
    settings: &'a Map<String, Value>,
    /// Whether they are those from the next boot on.
    is_pending: bool,
}

/// The resources of a value and of what it holds.
fn attributes<'a>(value: &'a Value, inside_pending: bool, depth: usize, found: &mut Vec<Resource<'a>>) {
    if depth > DEEPEST {
        return;
    }
    let is_pending = inside_pending || says_pending(value);
    match value {
        Value::Object(object) => match object.get(ATTRIBUTES).and_then(Value::as_object) {
            Some(settings) => found.push(Resource { settings, is_pending }),
            None => object.values().for_each(|value| attributes(value, is_pending, depth + 1, found)),
        },
        Value::Array(values) => {
            values.iter().for_each(|value| attributes(value, is_pending, depth + 1, found));
        }
        _ => {}
    }
}

/// Whether a resource says that its settings are those from the next boot on: by its address (`…/Bios/Settings`, `…/Bios/SD`), its id or its name.
fn says_pending(value: &Value) -> bool {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
    let address = text("@odata.id");
    let last = address.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    // Other vendors have a bare number as the id of a resource.
    matches!(last, "settings" | "sd")
        || text("Id") == "settings"
        || text("Name").contains("pending")
        || text("Description").contains("pending settings")
}

/// Names that every resource has, or that say what a document is.
const DESCRIBING: [&str; 9] =
    ["Id", "Name", "Description", "Type", "Modified", "AttributeRegistry", "SettingsResult", "href", "links"];

/// Plain values anywhere in a document, by their names: reports hold settings at any depth.
fn leaves(value: &Value, depth: usize, items: &mut Items) {
    if depth > DEEPEST {
        return items.other();
    }
    match value {
        Value::Object(object) => {
            for (name, value) in object.iter().filter(|(name, _)| !is_describing(name)) {
                match plain(value) {
                    Some(value) => items.add(name, &value, None),
                    None if value.is_null() => items.other(),
                    None => leaves(value, depth + 1, items),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| leaves(value, depth + 1, items)),
        _ => {}
    }
}

fn is_describing(name: &str) -> bool {
    name.starts_with('@') || DESCRIBING.contains(&name)
}

/// The components of a profile that are firmware settings; others are network cards and the BMC itself.
fn profile(components: &[Value], items: &mut Items) {
    for component in components {
        let fqdd = component.get("FQDD").and_then(Value::as_str).unwrap_or_default();
        if !fqdd.starts_with("BIOS") {
            items.other();
            continue;
        }
        for attribute in component.get(ATTRIBUTES).and_then(Value::as_array).into_iter().flatten() {
            let name = attribute.get("Name").and_then(Value::as_str);
            let value = attribute.get("Value").and_then(plain);
            match name.zip(value) {
                Some((name, value)) => items.add(name, &value, None),
                None => items.other(),
            }
        }
    }
}

/// A value that is neither a list nor an object.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_has_its_attributes() {
        let text = r##"{"@odata.id": "/redfish/v1/Systems/1/Bios", "AttributeRegistry": "BiosAttributeRegistry.1.0.0",
            "Attributes": {"NumaNodesPerSocket": "1", "MinSevAsid": 1, "QuietBoot": true, "SetupPassword": null}}"##;
        let dump = read(text).unwrap();
        assert_eq!(dump.form, DumpForm::Redfish);
        assert_eq!(dump.value("NumaNodesPerSocket"), Some("1"));
        assert_eq!(dump.value("QuietBoot"), Some("true"));
        assert_eq!((dump.items.len(), dump.others), (3, 1));
    }

    #[test]
    fn a_profile_has_those_of_its_bios() {
        let text = r#"{"SystemConfiguration": {"Model": "PowerEdge R7525", "Components": [
            {"FQDD": "NIC.Embedded.1-1-1", "Attributes": [{"Name": "LegacyBootProto", "Value": "PXE"}]},
            {"FQDD": "BIOS.Setup.1-1", "Attributes": [{"Name": "NumaNodesPerSocket", "Value": "4", "Set On Import": "True"}, 7]}]}}"#;
        let dump = read(text).unwrap();
        assert_eq!(dump.form, DumpForm::Profile);
        assert_eq!(dump.items.len(), 1);
        assert_eq!(dump.value("NumaNodesPerSocket"), Some("4"));
    }

    #[test]
    fn attributes_alone_are_enough_but_another_resource_is_not() {
        assert_eq!(read(r#"{"SubNumaCluster": "Disabled"}"#).unwrap().items.len(), 1);
        assert!(read(r#"{"@odata.id": "/redfish/v1", "Name": "Root"}"#).unwrap().items.is_empty());
    }

    /// A report of a platform had "no BIOS settings".
    #[test]
    fn settings_are_found_at_any_depth() {
        let text = r#"{"report": {"Summary": {"Server": {"Maker": "A"},
            "BIOS": {"SMTControl": "Disable", "XGMILinkSpeed": null}, "Disks": [{"Size": 1}]}}}"#;
        let dump = read(text).unwrap();
        assert_eq!(dump.value("SMTControl"), Some("Disable"));
        assert_eq!((dump.items.len(), dump.others, dump.is_pending), (3, 1, false));
    }

    /// What the next boot will use was shown as what is in force.
    #[test]
    fn a_resource_of_pending_settings_says_so() {
        let later =
            r#"{"@odata.id": "/redfish/v1/systems/1/bios/settings/", "Attributes": {"A": "x", "B": "y"}}"#;
        assert!(read(later).unwrap().is_pending);
        let flat = r#"{"Type": "HpBios.1.2.0", "Description": "Pending Settings of this machine", "A": "x"}"#;
        assert!(read(flat).unwrap().is_pending);
        let now = r#"{"@odata.id": "/redfish/v1/systems/1/bios/", "Attributes": {"A": "x", "B": "z"}}"#;
        assert!(!read(now).unwrap().is_pending);
        let both = read(&format!("[{now}, {later}]")).unwrap();
        assert!(!both.is_pending);
        assert_eq!((both.value("B"), both.items[1].pending.as_deref()), (Some("z"), Some("y")));
        assert_eq!(both.items[0].pending, None, "it stays as it is");
    }
}
