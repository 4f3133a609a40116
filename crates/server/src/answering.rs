//! How a question comes to its answer: whether the asker has it already, whether it was made before, and on which thread it is made.

use std::sync::Arc;

use axum::http::StatusCode;

use crate::answer::Answer;
use crate::asked::Asked;
use crate::desk::{Desk, Shape};
use crate::operations::{Operation, Weight};
use crate::refusal::Refusal;
use crate::service::Service;

/// A question.
pub(crate) struct Question {
    pub(crate) operation: &'static Operation,
    pub(crate) shape: Shape,
    pub(crate) asked: Asked,
    /// Its address.
    pub(crate) address: String,
    /// The marks of answers that the asker has.
    pub(crate) marks: String,
}

/// Answers a question on a thread that may wait for the archive.
pub(crate) async fn answered(service: Arc<Service>, question: Question) -> Result<Answer, Refusal> {
    let turns = match question.operation.weight {
        Weight::Heavy | Weight::Judged => Arc::clone(&service.heavy),
        Weight::Light => Arc::clone(&service.light),
    };
    aside(turns, move || answer(&service, &question)).await
}

/// Does work on a thread beside the asynchronous ones, once it is its turn.
pub(crate) async fn aside<T: Send + 'static>(
    turns: Arc<tokio::sync::Semaphore>,
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let bug = || {
        let error = "the server met a bug";
        Refusal::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            error,
            Some("its standard error says more".to_owned()),
        )
    };
    let turn = turns.acquire_owned().await.map_err(|_| bug())?;
    let working = tokio::task::spawn_blocking(move || {
        // Who gives up waiting leaves the work behind: it keeps its turn until it ends.
        let _turn = turn;
        work()
    });
    working.await.unwrap_or_else(|_| Err(bug()))
}

fn answer(service: &Service, question: &Question) -> Result<Answer, Refusal> {
    let Question { operation, shape, asked, address, marks } = question;
    service.archives.with(|archive| {
        let generation = archive.generation()?;
        let epoch = if operation.weight == Weight::Judged { service.judging.epoch() } else { 0 };
        let mark = format!("W/\"{:x}-{generation}-{epoch}\"", service.birth);
        if marks.split(',').any(|one| one.trim() == mark) {
            return Ok(Answer::still(mark));
        }
        // Short answers are kept, too, where everyone asks for the same.
        let keeps = operation.weight != Weight::Light || asked.is_empty();
        if let Some(answer) = keeps.then(|| service.cached.get(&mark, address)).flatten() {
            return Ok(answer);
        }
        let overview = service.overview(archive, generation)?;
        let mut desk = Desk { service, archive, overview: &overview, asked, shape: *shape };
        let answer = (operation.answer)(&mut desk)?;
        let answer = Answer { mark: Some(mark.clone()), ..answer };
        if keeps {
            service.cached.put(&mark, address, &answer);
        }
        Ok(answer)
    })
}
