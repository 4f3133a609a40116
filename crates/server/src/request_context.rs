//! Context of a request: the archive, the parameters, and the conversion of a document to a response.

use maud::{Markup, html};
use zerohop_archive::Archive;
use zerohop_report::pages::Style;
use zerohop_report::{Document, Form, SurroundedPage, render, render_surrounded};
use zerohop_workload::StopFlag;

use crate::answer::{Answer, HTML, JSON};
use crate::page_frame::around;
use crate::parsed_query::QueryParameters;
use crate::refusal::Refusal;
use crate::service::{Overview, Service};

/// Form of the response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Page,
    Json,
}

/// Context of a request.
pub(crate) struct RequestContext<'a> {
    pub(crate) service: &'a Service,
    pub(crate) archive: &'a mut Archive,
    pub(crate) overview: &'a Overview,
    pub(crate) asked: &'a QueryParameters,
    pub(crate) shape: Shape,
    /// Raised once nobody waits for the answer.
    pub(crate) stop: &'a StopFlag,
}

impl RequestContext<'_> {
    /// A document, as it is asked for.
    pub(crate) fn shown<D: Document>(&self, document: &D) -> Result<Answer, Refusal> {
        self.shown_below(document, || html! {})
    }

    /// Response with elements above the document on a page.
    pub(crate) fn shown_below<D: Document>(
        &self,
        document: &D,
        above: impl FnOnce() -> Markup,
    ) -> Result<Answer, Refusal> {
        match self.shape {
            Shape::Json => {
                let text = render(document, Form::Json, &Style::default())?.into_bytes();
                Ok(Answer::new(JSON, text))
            }
            Shape::Page => {
                let above = above();
                let page = around(&above, self.service, |around| render_surrounded(document, around))?;
                let SurroundedPage { file, policy } = page;
                Ok(Answer { policy: Some(policy), ..Answer::new(HTML, file) })
            }
        }
    }
}
