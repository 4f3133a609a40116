//! Uploads: results of zerohop, or the output of another tool, read as `zerohop archive add` reads files.

use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use zerohop_archive::query::{NamedEntry, QueryError, Upload, entries, write};
use zerohop_archive::{Added, Addition, ArchiveError};
use zerohop_workload::StopFlag;

use crate::answer::{Answer, JSON};
use crate::body::Body;
use crate::parsed_query::{Kind, Parameter, Place, QueryParameters};
use crate::refusal::{Problem, Refusal};
use crate::service::Service;

/// The longest text, in bytes: surveys have a few million.
pub(crate) const LONGEST: usize = 32 << 20;

/// Parameters of an upload.
pub(crate) const PARAMETERS: [Parameter; 2] = [
    Parameter { name: "name", place: Place::Query, kind: Kind::Text, words: "file name, for messages" },
    Parameter {
        name: "machine",
        place: Place::Query,
        kind: Kind::NewName,
        words: "machine that the result belongs to; required for tool output that does not name it, and rejected if the result names another one",
    },
];

/// Outcome of an upload.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Uploaded {
    /// Results in the upload.
    results: Vec<UploadedResult>,
    /// Remarks on irregularities in the upload.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<String>,
}

/// Outcome for one uploaded result.
#[derive(Debug, Serialize, JsonSchema)]
struct UploadedResult {
    /// Name of the result.
    name: String,
    /// Id of the result.
    id: String,
    /// Outcome for the result.
    outcome: Outcome,
    /// Machine that keeps the result, if the result already existed and the upload named another machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    stays_with: Option<String>,
    /// Problem with the stated start time, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<String>,
}

/// Outcome for an uploaded result.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    /// The result was added.
    Added,
    /// The result already existed.
    Known,
    /// The result replaced an unfinished one.
    Replaced,
    /// The result already existed with damaged text, which was repaired.
    Repaired,
    /// The archive has a different result with the same id: the uploaded one was rejected.
    LeftOut,
}

/// Refusal of an upload to a read-only server.
pub(crate) fn read_only() -> Refusal {
    Refusal::new(
        StatusCode::FORBIDDEN,
        "uploads are not allowed",
        Some("the server runs with --read-only".to_owned()),
    )
}

/// Refusal of a wrapped or encoded upload.
pub(crate) fn wrapped(media: &str, encoding: &str) -> Option<Refusal> {
    let refusal = |words: &str| {
        let hint = "send only the file: curl --data-binary @FILE ADDRESS".to_owned();
        Some(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, words, Some(hint)))
    };
    if media.trim_start().to_ascii_lowercase().starts_with("multipart/") {
        return refusal("multipart forms are not accepted");
    }
    match encoding.trim() {
        "" | "identity" => None,
        _ => refusal("compressed uploads are not accepted"),
    }
}

/// Adds an upload.
///
/// # Errors
/// If it holds no results, does not state their machine, takes too long to read, or the archive cannot be written.
pub(crate) fn add(
    service: &Service,
    asked: &QueryParameters,
    body: Body,
    stop: &StopFlag,
) -> Result<Answer, Refusal> {
    // Its room is free again once it is read and written.
    let Body { bytes, room: _room } = body;
    let upload = Upload::new(asked.text("name").unwrap_or_default(), bytes);
    let batch = entries(upload.path(), asked.text("machine"), &upload).map_err(refused)?;
    // Nobody waits for it any more: whoever sent it was told that it was not added.
    if stop.is_raised() {
        return Err(service.turns.late());
    }
    let written = service.archives.with(|archive| write(archive, batch).map_err(refused))?;
    service.judging.wake();
    let result = |(NamedEntry { name, entry }, added): (NamedEntry, Addition)| UploadedResult {
        name,
        id: entry.index.id.to_string(),
        stays_with: added.stays_with,
        clock: added.clock.map(|remark| remark.to_string()),
        outcome: match added.outcome {
            Added::New => Outcome::Added,
            Added::Known => Outcome::Known,
            Added::Replaced => Outcome::Replaced,
            Added::Repaired => Outcome::Repaired,
            Added::Differs => Outcome::LeftOut,
        },
    };
    let uploaded = Uploaded { results: written.into_iter().map(result).collect(), remarks: upload.remarks() };
    Ok(Answer::new(JSON, serde_json::to_string(&uploaded).unwrap_or_default()))
}

fn refused(error: QueryError) -> Refusal {
    let is_of_machine = match &error {
        QueryError::NoMachine { .. } | QueryError::Name(_) => true,
        QueryError::Archive(error) => matches!(error, ArchiveError::AnotherMachine { .. }),
        _ => false,
    };
    let refusal = Refusal::from(error);
    // Whoever sends a text has no options.
    let hint =
        refusal.problem.hint.as_ref().map(|hint| hint.replace("--of MACHINE", "the parameter `machine`"));
    let refusal = Refusal { status: refusal.status, problem: Problem { hint, ..refusal.problem } };
    if is_of_machine { refusal.about("machine") } else { refusal }
}
