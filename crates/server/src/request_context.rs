//! Context of a request: the archive, the parameters, and the conversion of a document to a response.

use std::collections::HashMap;
use std::sync::Arc;

use maud::{Markup, html};
use zerohop_archive::Archive;
use zerohop_fleet::BadNode;
use zerohop_report::pages::Style;
use zerohop_report::{Document, Form, SurroundedPage, render, render_surrounded};
use zerohop_result::ListedMachine;
use zerohop_workload::StopFlag;

use crate::age::Now;
use crate::answer::{Answer, HTML, JSON};
use crate::machine_state::{MachineState, Others};
use crate::page_frame::{around, own_page};
use crate::parsed_query::QueryParameters;
use crate::refusal::Refusal;
use crate::service::{Overview, Service};
use crate::trends::Trend;

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
    /// Path of the page for browsers.
    pub(crate) page: &'static str,
    pub(crate) now: Now,
    /// Raised once nobody waits for the answer.
    pub(crate) stop: &'a StopFlag,
}

impl RequestContext<'_> {
    /// What became of a machine over time, as far as it is known yet.
    pub(crate) fn trend_of(&self, machine: &ListedMachine) -> Option<Arc<Trend>> {
        self.service.judging.trends.of(&machine.name)
    }

    /// The states of machines.
    pub(crate) fn states<'m>(
        &self,
        machines: impl IntoIterator<Item = &'m ListedMachine>,
    ) -> Vec<MachineState> {
        let fleet = self.service.judging.fleet(&self.overview.machines).ok();
        let groups = fleet.iter().flat_map(|fleet| &fleet.fleet.groups);
        let bad: HashMap<&str, &BadNode> =
            groups.flat_map(|group| &group.bad).map(|bad| (bad.node.as_str(), bad)).collect();
        self.service.judging.with(|judgements| {
            let state = |machine: &ListedMachine| {
                let trend = self.trend_of(machine);
                let others = Others { trend: trend.as_deref(), bad: bad.get(machine.name.as_str()).copied() };
                MachineState::of(machine, judgements, others, self.now)
            };
            machines.into_iter().map(state).collect()
        })
    }

    pub(crate) fn state_of(&self, machine: &ListedMachine) -> MachineState {
        self.states([machine]).remove(0)
    }

    /// A page with a content of its own.
    pub(crate) fn own_page(&self, title: &str, content: &Markup) -> Answer {
        own_page(title, content, (self.service, self.page))
    }

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
                let page =
                    around(&above, (self.service, self.page), |around| render_surrounded(document, around))?;
                let SurroundedPage { file, policy } = page;
                Ok(Answer { policy: Some(policy), ..Answer::new(HTML, file) })
            }
        }
    }
}
