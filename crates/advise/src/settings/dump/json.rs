//! JSON: a Redfish BIOS resource, its attributes alone, or a server configuration profile of Dell.

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
    let found = attributes(&value, 0);
    // A file of attributes alone: names with plain values, and no resource.
    let alone = || value.as_object().filter(|object| !object.keys().any(|key| key.starts_with('@')));
    for object in if found.is_empty() { alone().into_iter().collect() } else { found } {
        for (name, value) in object {
            match plain(value) {
                Some(value) => items.add(name, &value, None),
                None => items.other(),
            }
        }
    }
    // A resource names its schema or the registry of its attributes.
    let is_firmware = text.contains("\"@odata.") || text.contains("\"AttributeRegistry\"");
    Ok(Dump { is_firmware, ..items.into_dump(DumpForm::Redfish) })
}

/// The `Attributes` of a value and of what it holds.
fn attributes(value: &Value, depth: usize) -> Vec<&Map<String, Value>> {
    if depth > DEEPEST {
        return Vec::new();
    }
    match value {
        Value::Object(object) => match object.get(ATTRIBUTES).and_then(Value::as_object) {
            Some(found) => vec![found],
            None => object.values().flat_map(|value| attributes(value, depth + 1)).collect(),
        },
        Value::Array(values) => values.iter().flat_map(|value| attributes(value, depth + 1)).collect(),
        _ => Vec::new(),
    }
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
}
