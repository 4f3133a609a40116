//! Handling of a request: whether the client already has the response, whether it was made before or is being made, and where it is made.

use std::sync::Arc;
use std::time::Instant;

use zerohop_archive::Archive;
use zerohop_workload::StopFlag;

use crate::age::Now;
use crate::answer::Answer;
use crate::blocking_turns::Lane;
use crate::operations::{Operation, Weight};
use crate::parsed_query::QueryParameters;
use crate::refusal::Refusal;
use crate::request_context::{RequestContext, Shape};
use crate::service::Service;

pub(crate) struct Question {
    pub(crate) operation: &'static Operation,
    pub(crate) shape: Shape,
    pub(crate) asked: QueryParameters,
    pub(crate) address: String,
    /// The marks of answers that the client has.
    pub(crate) marks: String,
}

/// Answers a question on a thread that may wait for the archive.
pub(crate) async fn answered(service: Arc<Service>, question: Question) -> Result<Answer, Refusal> {
    let question = Arc::new(question);
    let (own, of) = (Arc::clone(&service), Arc::clone(&question));
    let is_short = question.operation.weight == Weight::Light;
    let first = move |stop: &StopFlag| match own.archives.with(|archive| known(&own, archive, &of))? {
        Known::Answer(answer) => Ok(Known::Answer(answer)),
        Known::Not { .. } if is_short => made(&own, &of, stop).map(Known::Answer),
        not => Ok(not),
    };
    match service.turns.work(Lane::Light, &service.turns.stop.part(), first).await? {
        Known::Answer(answer) => Ok(answer),
        Known::Not { .. } if service.pending.is_late(&question.address) => Err(service.turns.late()),
        Known::Not { mark } => {
            let what = format!("{mark} {}", question.address);
            let own = Arc::clone(&service);
            let make = move |stop| at_length(own, question, stop);
            service.pending.answer(&what, &service.turns.stop, make).await
        }
    }
}

/// Makes an answer that takes long.
async fn at_length(
    service: Arc<Service>,
    question: Arc<Question>,
    stop: StopFlag,
) -> Result<Answer, Refusal> {
    let (own, of) = (Arc::clone(&service), Arc::clone(&question));
    let begun = Arc::new(std::sync::OnceLock::new());
    let begin = Arc::clone(&begun);
    let work = move |stop: &StopFlag| {
        // Whoever waits for a turn takes no time.
        let _ = begin.set(Instant::now());
        made(&own, &of, stop)
    };
    let done = service.turns.work(Lane::Heavy, &stop, work).await;
    // Whoever asks again would only wait again.
    let is_late = begun.get().is_some_and(|begun| 10 * begun.elapsed() >= 9 * service.limits.answer);
    if done.is_err() && is_late {
        service.pending.set_late(&question.address);
    }
    done
}

/// What is known of an answer.
enum Known {
    Answer(Answer),
    /// Nothing but what tells whether it is still so.
    Not {
        mark: String,
    },
}

fn mark(
    service: &Service,
    archive: &mut Archive,
    Question { operation, shape, asked, .. }: &Question,
) -> Result<(i64, String), Refusal> {
    let generation = archive.generation()?;
    // Pages show states of machines and tell ages; a list may be of those in some state.
    let is_of_now = *shape == Shape::Page || asked.text("state").or(asked.text("sort")).is_some();
    let is_assessed = is_of_now || operation.weight == Weight::AssessedResult;
    let epoch = if is_assessed { service.judging.epoch() } else { 0 };
    let period = if is_of_now { Now::of_clock().period() } else { 0 };
    Ok((generation, format!("W/\"{:x}-{generation}-{epoch}-{period}\"", service.birth)))
}

/// Short answers are kept, too, where everyone asks for the same.
fn is_kept(question: &Question) -> bool {
    question.operation.weight != Weight::Light || question.asked.is_empty()
}

fn known(service: &Service, archive: &mut Archive, question: &Question) -> Result<Known, Refusal> {
    let (_, mark) = mark(service, archive, question)?;
    if question.marks.split(',').any(|one| one.trim() == mark) {
        return Ok(Known::Answer(Answer::still(mark)));
    }
    let cached = is_kept(question).then(|| service.cached.get(&mark, &question.address)).flatten();
    Ok(cached.map_or(Known::Not { mark }, Known::Answer))
}

fn made(service: &Service, question: &Question, stop: &StopFlag) -> Result<Answer, Refusal> {
    let Question { operation, shape, asked, address, .. } = question;
    let (page, now) = (operation.page, Now::of_clock());
    service.archives.with(|archive| {
        let (generation, mark) = mark(service, archive, question)?;
        let overview = service.overview(archive, generation)?;
        let mut desk =
            RequestContext { service, archive, overview: &overview, asked, shape: *shape, page, now, stop };
        let answer = (operation.answer)(&mut desk)?;
        // A model that was stopped has given a part of its values.
        if stop.is_raised() {
            return Err(service.turns.late());
        }
        let answer = Answer { mark: Some(mark.clone()), ..answer };
        if is_kept(question) {
            service.cached.put(&mark, address, &answer);
        }
        Ok(answer)
    })
}
