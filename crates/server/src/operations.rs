//! Operations: the one list that routes, parameters and the OpenAPI document are derived from.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use zerohop_compare::{ChangesFile, ComparisonFile};
use zerohop_diagnosis::{DiagnosisFile, FleetDiagnosis};
use zerohop_report::{ArchivedMachines, ArchivedResults, HistoryReport};
use zerohop_result::ResultFile;

use crate::answer::Answer;
use crate::documents;
use crate::home_page::ORDERS;
use crate::machine_state::STATES;
use crate::parsed_query::{Kind, Parameter, Place};
use crate::refusal::Refusal;
use crate::request_context::RequestContext;

/// Something that can be asked.
pub(crate) struct Operation {
    /// Name in the OpenAPI document.
    pub(crate) name: &'static str,
    /// Path below `/api/v1`, where the response is JSON.
    pub(crate) path: &'static str,
    /// Path for browsers.
    pub(crate) page: &'static str,
    /// Summary of the response, in a few words.
    pub(crate) summary: &'static str,
    pub(crate) parameters: &'static [Parameter],
    /// The schema of its answer.
    pub(crate) schema: fn(&mut SchemaGenerator) -> Schema,
    pub(crate) weight: Weight,
    pub(crate) answer: fn(&mut RequestContext<'_>) -> Result<Answer, Refusal>,
}

/// Cost of a response, and the data that it depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weight {
    /// A few milliseconds.
    Light,
    /// Longer: it is kept until the archive changes.
    Heavy,
    /// It also depends on the diagnoses so far.
    AssessedResult,
}

/// Results or machines of a page, at most.
const MOST: u64 = 1000;

/// Pages of a list, at most.
const MOST_PAGES: u64 = 1_000_000;

const fn parameter(name: &'static str, place: Place, kind: Kind, words: &'static str) -> Parameter {
    Parameter { name, place, kind, words }
}

const MACHINES: Parameter =
    parameter("machine", Place::Repeated, Kind::Name, "name of a machine (default: all)");
const SINCE: Parameter = parameter(
    "since",
    Place::Query,
    Kind::Time,
    "only results that started at or after this time: a date, or RFC 3339",
);

/// Everything that can be asked.
pub(crate) static OPERATIONS: [Operation; 8] = [
    Operation {
        name: "listMachines",
        path: "/machines",
        page: "/",
        summary: "List the machines of the archive",
        parameters: &[
            parameter(
                "trait",
                Place::Repeated,
                Kind::Text,
                "only machines whose newest result has this property: NAME=VALUE, such as firmware=1.2",
            ),
            parameter("name", Place::Query, Kind::Name, "only machines whose name contains this"),
            parameter("state", Place::Query, Kind::OneOf(STATES), "only machines in this state"),
            parameter(
                "sort",
                Place::Query,
                Kind::OneOf(ORDERS),
                "order: by state with the worst first, name (default), age with the longest without a result first, or results",
            ),
            parameter("limit", Place::Query, Kind::UpTo(MOST), "machines per response (default: all)"),
            parameter("page", Place::Query, Kind::UpTo(MOST_PAGES), "page of that many machines, from 1"),
        ],
        schema: schema::<ArchivedMachines>,
        weight: Weight::Light,
        answer: documents::machines,
    },
    Operation {
        name: "listResults",
        path: "/results",
        page: "/results",
        summary: "List results, newest first; the `Link` header has the address of the next page",
        parameters: &[
            MACHINES,
            SINCE,
            parameter(
                "before",
                Place::Query,
                Kind::Time,
                "only results that started before this time: a date, or RFC 3339",
            ),
            parameter("limit", Place::Query, Kind::UpTo(MOST), "results per response (default: 50)"),
            parameter("after", Place::Query, Kind::Id, "only results after the one with this id"),
        ],
        schema: schema::<ArchivedResults>,
        weight: Weight::Light,
        answer: documents::results,
    },
    Operation {
        name: "getResult",
        path: "/results/{id}",
        page: "/results/{id}",
        summary: "Get the original text of a result",
        parameters: &[parameter("id", Place::Path, Kind::Id, "id of the result, or a prefix of it")],
        schema: schema::<ResultFile>,
        weight: Weight::Heavy,
        answer: documents::result,
    },
    Operation {
        name: "getHistory",
        path: "/history",
        page: "/history",
        summary: "Get the values of a machine over time, and what changed in it",
        parameters: &[
            parameter("machine", Place::Needed, Kind::Name, "name of the machine"),
            parameter(
                "scope",
                Place::Query,
                Kind::OneOf(&["headlines", "everything"]),
                "values to return: headlines, or everything",
            ),
            parameter(
                "query",
                Place::Query,
                Kind::Text,
                "experiment and cells to return instead: stream bandwidth kernel=triad",
            ),
            SINCE,
        ],
        schema: schema::<HistoryReport<'static>>,
        weight: Weight::Heavy,
        answer: documents::history,
    },
    Operation {
        name: "getChanges",
        path: "/changes",
        page: "/changes",
        summary: "Get what changed in machines over time",
        parameters: &[
            MACHINES,
            SINCE,
            parameter(
                "least",
                Place::Query,
                Kind::Share,
                "smallest change to report, as a fraction (default: 0.02)",
            ),
            parameter(
                "scope",
                Place::Query,
                Kind::OneOf(&["everything", "headlines"]),
                "values to return: everything, or headlines",
            ),
        ],
        schema: schema::<ChangesFile>,
        weight: Weight::Heavy,
        answer: documents::changes,
    },
    Operation {
        name: "compareResults",
        path: "/comparison",
        page: "/compare",
        summary: "Compare results with the first one",
        parameters: &[
            parameter(
                "id",
                Place::Repeated,
                Kind::Name,
                "id of a result or a prefix of it, or a machine for its newest result; a single machine for its last two",
            ),
            parameter(
                "order",
                Place::Query,
                Kind::OneOf(&["named", "time"]),
                "baseline: the result given first, or the earliest",
            ),
        ],
        schema: schema::<ComparisonFile>,
        weight: Weight::Heavy,
        answer: documents::comparison,
    },
    Operation {
        name: "listFindings",
        path: "/findings",
        page: "/findings",
        summary: "Get what is wrong with machines in their newest results, worst first, as far as they have been judged",
        parameters: &[MACHINES],
        schema: schema::<DiagnosisFile>,
        weight: Weight::AssessedResult,
        answer: documents::findings,
    },
    Operation {
        name: "getFleet",
        path: "/fleet",
        page: "/fleet",
        summary: "Compare machines with each other by their newest results",
        parameters: &[],
        schema: schema::<FleetDiagnosis>,
        weight: Weight::AssessedResult,
        answer: documents::fleet,
    },
];

fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}
