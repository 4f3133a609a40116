//! As much of JSON Schema as our own schemas use. A keyword that it does not know is a failure, so that it cannot
//! come to check less than it seems to.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

/// Keywords that describe and do not restrict.
const REMARKS: [&str; 8] =
    ["$schema", "$id", "title", "description", "default", "$defs", "format", "examples"];

/// Checks a result against `schema/result.schema.json`.
pub(crate) fn check_result(result: &Value) {
    check("result", result);
}

/// Checks a value against `schema/NAME.schema.json`.
pub(crate) fn check(name: &str, value: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../schema/{name}.schema.json"));
    let schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    if let Err(error) = holds(&schema, &schema, value) {
        panic!("not valid: {error}");
    }
}

/// Checks a value against a schema, which is a part of `root`.
pub(crate) fn holds(root: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    Validator { root }.check(schema, value, "")
}

struct Validator<'a> {
    root: &'a Value,
}

impl Validator<'_> {
    fn check(&self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        match schema {
            Value::Bool(true) => Ok(()),
            Value::Object(keywords) => keywords
                .iter()
                .try_for_each(|(keyword, rule)| self.keyword(keywords, keyword, rule, value, at)),
            _ => Err(format!("{at}: nothing is allowed here")),
        }
    }

    fn keyword(
        &self,
        schema: &Map<String, Value>,
        keyword: &str,
        rule: &Value,
        value: &Value,
        at: &str,
    ) -> Result<(), String> {
        let must = |holds: bool| {
            if holds { Ok(()) } else { Err(format!("{at}: {value} breaks {keyword} {rule}")) }
        };
        let number = || value.as_f64().zip(rule.as_f64());
        match keyword {
            "$ref" => {
                let pointer =
                    rule.as_str().and_then(|target| target.strip_prefix('#')).expect("a local reference");
                self.check(self.root.pointer(pointer).expect("a reference that leads somewhere"), value, at)
            }
            "type" => must(match rule {
                Value::Array(names) => names.iter().any(|name| is_of_type(value, name)),
                name => is_of_type(value, name),
            }),
            "const" => must(value == rule),
            "enum" => must(rule.as_array().expect("a list").contains(value)),
            "minimum" => must(number().is_none_or(|(value, least)| value >= least)),
            "maximum" => must(number().is_none_or(|(value, most)| value <= most)),
            "minItems" => {
                must(value.as_array().is_none_or(|items| items.len() as u64 >= rule.as_u64().unwrap_or(0)))
            }
            "maxItems" => must(
                value.as_array().is_none_or(|items| items.len() as u64 <= rule.as_u64().unwrap_or(u64::MAX)),
            ),
            "required" => {
                let names = rule.as_array().expect("a list");
                must(value.as_object().is_none_or(|object| {
                    names.iter().all(|name| name.as_str().is_some_and(|name| object.contains_key(name)))
                }))
            }
            "anyOf" | "oneOf" => {
                let choices = rule.as_array().expect("a list");
                let fitting = choices.iter().filter(|choice| self.check(choice, value, at).is_ok()).count();
                must(if keyword == "oneOf" { fitting == 1 } else { fitting > 0 })
            }
            "allOf" => {
                rule.as_array().expect("a list").iter().try_for_each(|part| self.check(part, value, at))
            }
            "properties" => self.properties(rule, value, at),
            "additionalProperties" => self.additional(schema, rule, value, at),
            "items" => {
                let skipped = schema.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
                self.items(value, at, skipped, |_| Some(rule))
            }
            "prefixItems" => self.items(value, at, 0, |rank| rule.get(rank)),
            "pattern" => {
                let pattern = regex::Regex::new(rule.as_str().expect("a pattern")).expect("a pattern");
                match value.as_str() {
                    Some(text) if !pattern.is_match(text) => Err(format!("{at}: `{text}` is not {rule}")),
                    _ => Ok(()),
                }
            }
            "minLength" => match value.as_str() {
                Some(text) if (text.chars().count() as u64) < rule.as_u64().expect("a length") => {
                    Err(format!("{at}: `{text}` is shorter than {rule}"))
                }
                _ => Ok(()),
            },
            remark if REMARKS.contains(&remark) => Ok(()),
            unknown => panic!("{at}: the schema uses `{unknown}`, which is not checked"),
        }
    }

    fn properties(&self, rules: &Value, value: &Value, at: &str) -> Result<(), String> {
        let (Some(object), Some(rules)) = (value.as_object(), rules.as_object()) else { return Ok(()) };
        rules
            .iter()
            .filter_map(|(name, rule)| object.get(name).map(|member| (name, rule, member)))
            .try_for_each(|(name, rule, member)| self.check(rule, member, &format!("{at}/{name}")))
    }

    fn additional(
        &self,
        schema: &Map<String, Value>,
        rule: &Value,
        value: &Value,
        at: &str,
    ) -> Result<(), String> {
        let Some(object) = value.as_object() else { return Ok(()) };
        let named = schema.get("properties").and_then(Value::as_object);
        object
            .iter()
            .filter(|(name, _)| named.is_none_or(|named| !named.contains_key(*name)))
            .try_for_each(|(name, member)| self.check(rule, member, &format!("{at}/{name}")))
    }

    fn items<'s>(
        &self,
        value: &Value,
        at: &str,
        skipped: usize,
        rule: impl Fn(usize) -> Option<&'s Value>,
    ) -> Result<(), String> {
        let Some(items) = value.as_array() else { return Ok(()) };
        for (rank, item) in items.iter().enumerate().skip(skipped) {
            if let Some(rule) = rule(rank) {
                self.check(rule, item, &format!("{at}/{rank}"))?;
            }
        }
        Ok(())
    }
}

fn is_of_type(value: &Value, name: &Value) -> bool {
    match name.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("string") => value.is_string(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => panic!("unknown type {name}"),
    }
}

#[test]
fn what_breaks_the_schema_is_found() {
    let schema = serde_json::json!({
        "type": "object",
        "properties": {
            "size": {"$ref": "#/$defs/size"},
            "pair": {"type": "array", "prefixItems": [{"type": "number"}, {"type": "string"}], "minItems": 2},
            "name": {"type": ["string", "null"]},
            "state": {"oneOf": [{"const": "on"}, {"const": "off"}]}
        },
        "required": ["size"],
        "additionalProperties": false,
        "$defs": {"size": {"type": "integer", "minimum": 0}}
    });
    let validator = Validator { root: &schema };
    let good = serde_json::json!({"size": 1, "pair": [0.5, "a"], "name": null, "state": "on"});
    assert_eq!(validator.check(&schema, &good, ""), Ok(()));
    for bad in [
        serde_json::json!({}),
        serde_json::json!({"size": -1}),
        serde_json::json!({"size": 1, "pair": [0.5]}),
        serde_json::json!({"size": 1, "pair": [0.5, 1]}),
        serde_json::json!({"size": 1, "name": 1}),
        serde_json::json!({"size": 1, "state": "half"}),
        serde_json::json!({"size": 1, "more": 1}),
    ] {
        assert!(validator.check(&schema, &bad, "").is_err(), "{bad}");
    }
}
