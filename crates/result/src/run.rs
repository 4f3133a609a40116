//! The run and the host that a result comes from.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A run, and the host that it measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// Id of the run.
    pub id: RunId,
    /// The host that was measured; absent if a model computed the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<HostIdentity>,
}

/// Id of a run, unique to a measurement. The id of a model's run follows from its content, so that the same run has the same id wherever and whenever
/// it is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(pub Uuid);

/// Names of a host. Each is absent if the host does not have it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HostIdentity {
    /// Host name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Name of the node in the scheduler that started the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduler_node: Option<String>,
    /// Hashed machine id of the operating system's installation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine_id: Option<HashedMachineId>,
}

/// `/etc/machine-id` as a keyed hash, which cannot be reversed. It is the same in all results of one installation, and cannot be linked to other
/// hashes of the id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HashedMachineId(pub Uuid);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for HashedMachineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl JsonSchema for RunId {
    fn schema_name() -> Cow<'static, str> {
        "RunId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        uuid_schema(
            "What a run is known by: of a measurement random, of a model's run derived from its content.",
        )
    }
}

impl JsonSchema for HashedMachineId {
    fn schema_name() -> Cow<'static, str> {
        "HashedMachineId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        uuid_schema("`/etc/machine-id` as a keyed hash, which does not lead back to it.")
    }
}

fn uuid_schema(description: &str) -> Schema {
    json_schema!({ "description": description, "type": "string", "format": "uuid" })
}
