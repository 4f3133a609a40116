//! Advice based on a result, with the machine's diagnosis and the verdict on the measurement.

use schemars::JsonSchema;
use serde::Serialize;
use zerohop_diagnosis::Diagnosis;

use crate::page::Page;
use crate::pages::standing;
use crate::pretty::pretty;
use crate::render::{Document, Views};
use crate::table::Table;

/// Advice, with the diagnosis of the result that it is based on.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct OfResult<'a, A> {
    /// The advice.
    #[serde(flatten)]
    pub advice: &'a A,
    /// Diagnosis of the machine, if the advice is based on a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnosis: Option<&'a Diagnosis>,
    /// Whether the values are from a model, which has none of the machine's faults.
    #[serde(skip)]
    pub is_modelled: bool,
}

impl<A: Document + Serialize> Document for OfResult<'_, A> {
    const NAME: &'static str = A::NAME;
    const VIEWS: Views<Self> = Views {
        page: Some(|one, style| {
            let mut page = A::VIEWS.page.map_or_else(|| Page::new(style), |page| page(one.advice, style));
            if let Some(diagnosis) = one.diagnosis {
                page.insert_below_banner(standing(diagnosis, one.is_modelled, style));
            }
            page
        }),
        json: Some(pretty),
        rows: Some(|one| A::VIEWS.rows.map_or_else(Table::new, |rows| rows(one.advice))),
        ..Views::NONE
    };
}
