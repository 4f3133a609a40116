//! The archive at the moment, for Prometheus.

use std::sync::atomic::Ordering;

use zerohop_archive::query as queries;
use zerohop_report::pages::Style;
use zerohop_report::{Form, ServerState, render};

use crate::answer::{Answer, METRICS, OLDER_METRICS};
use crate::refusal::Refusal;
use crate::service::Service;

/// Metrics, in the form that the asker accepts: the text is the same in both.
pub(crate) fn metrics(service: &Service, accepted: &str) -> Result<Answer, Refusal> {
    let mut found = service.archives.with(|archive| {
        // What was judged meanwhile changes while the archive is read: nobody waits for it.
        let judgements = service.judging.with(Clone::clone);
        Ok(queries::metrics(archive, &judgements)?)
    })?;
    let (judging, bugs) = service.judging.failures();
    found.server = Some(ServerState {
        abandoned_threads: judging + service.turns.abandoned.count(),
        bugs: bugs + service.turns.bugs.load(Ordering::Relaxed),
    });
    let media = if accepted.contains("application/openmetrics-text") { METRICS } else { OLDER_METRICS };
    let text = render(&found, Form::OpenMetrics, &Style::default())?;
    Ok(Answer::new(media, text.into_bytes()))
}
