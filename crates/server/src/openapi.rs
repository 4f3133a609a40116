//! The OpenAPI document: operations and responses, from the list of operations and the types of documents.

use std::sync::OnceLock;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};
use zerohop_result::{LONGEST_NAME, LONGEST_WORDS};

use crate::answer::{JSON, METRICS};
use crate::operations::{OPERATIONS, Operation};
use crate::parsed_query::{Kind, Parameter, Place};
use crate::refusal::Problem;
use crate::upload::{PARAMETERS, Uploaded};

/// Where the schemas of types stand in the document.
const SCHEMAS: &str = "/components/schemas";

/// The text of the OpenAPI document.
pub(crate) fn openapi_text() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| openapi().to_string())
}

/// The OpenAPI document (3.1).
pub fn openapi() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.definitions_path = SCHEMAS.into());
    let mut generator = settings.into_generator();
    let mut paths = Map::new();
    for operation in &OPERATIONS {
        let item = json!({ "get": of_operation(operation, &mut generator) });
        paths.insert(format!("/api/v1{}", operation.path), item);
    }
    if let Some(item) = paths.get_mut("/api/v1/results").and_then(Value::as_object_mut) {
        item.insert("post".to_owned(), of_upload(&mut generator));
    }
    paths.insert("/metrics".to_owned(), of_metrics(&mut generator));
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "zerohop",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Results of NUMA memory measurements over time. Responses are the documents that the command line writes with --format json.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "security": [{}, { "token": [] }, { "cookie": [] }],
        "paths": paths,
        "components": {
            "schemas": generator.take_definitions(true),
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer" },
                "cookie": { "type": "apiKey", "in": "cookie", "name": crate::login::NAME },
            },
        },
    })
}

fn of_operation(operation: &Operation, generator: &mut SchemaGenerator) -> Value {
    let Operation { name, summary, parameters, schema, .. } = operation;
    let heads = json!({
        "ETag": { "description": "Entity tag of the response, to send as If-None-Match", "schema": { "type": "string" } },
        "Link": { "description": "Address of the next page of a list, if there is one", "schema": { "type": "string" } },
    });
    json!({
        "operationId": name,
        "summary": summary,
        "parameters": parameters.iter().map(of_parameter).collect::<Vec<_>>(),
        "responses": {
            "200": {
                "description": summary,
                "headers": heads,
                "content": { JSON: { "schema": schema(generator) } },
            },
            "304": { "description": "Not modified since the response that If-None-Match names" },
            "default": problem(generator),
        },
    })
}

fn of_upload(generator: &mut SchemaGenerator) -> Value {
    json!({
        "operationId": "addResults",
        "summary": "Add results: a zerohop file, or the output of another tool",
        "parameters": PARAMETERS.iter().map(of_parameter).collect::<Vec<_>>(),
        "requestBody": {
            "required": true,
            "content": { "application/octet-stream": {}, "application/json": {}, "text/plain": {} },
        },
        "responses": {
            "200": {
                "description": "Outcome for each result",
                "content": { JSON: { "schema": generator.subschema_for::<Uploaded>() } },
            },
            "default": problem(generator),
        },
    })
}

fn of_metrics(generator: &mut SchemaGenerator) -> Value {
    json!({ "get": {
        "operationId": "getMetrics",
        "summary": "Metrics for Prometheus",
        "responses": {
            "200": {
                "description": "Current state of the machines",
                "content": { METRICS: { "schema": { "type": "string" } } },
            },
            "default": problem(generator),
        },
    } })
}

fn problem(generator: &mut SchemaGenerator) -> Value {
    let schema = Problem::json_schema(generator);
    json!({ "description": "Error", "content": { JSON: { "schema": schema } } })
}

fn of_parameter(parameter: &Parameter) -> Value {
    let Parameter { name, place, kind, words } = parameter;
    let one = match kind {
        Kind::Text => json!({ "type": "string", "maxLength": LONGEST_WORDS }),
        Kind::Name => json!({ "type": "string", "maxLength": LONGEST_NAME + 8 }),
        Kind::NewName => json!({ "type": "string", "maxLength": LONGEST_NAME }),
        Kind::Id => json!({ "type": "string", "pattern": "^[0-9A-Fa-f-]{1,36}$" }),
        Kind::OneOf(words) => json!({ "type": "string", "enum": words }),
        Kind::UpTo(most) => json!({ "type": "integer", "minimum": 1, "maximum": most }),
        // A day, too.
        Kind::Time => json!({ "type": "string" }),
        Kind::Share => json!({ "type": "number", "minimum": 0, "exclusiveMaximum": 1 }),
    };
    let schema = if *place == Place::Repeated { json!({ "type": "array", "items": one }) } else { one };
    json!({
        "name": name,
        "in": if *place == Place::Path { "path" } else { "query" },
        "required": matches!(place, Place::Path | Place::Needed),
        "description": words,
        "schema": schema,
    })
}
