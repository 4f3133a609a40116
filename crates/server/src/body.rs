//! Bodies of requests: read as they arrive, with a minimum rate, and within a limit on all bodies together.
//!
//! During this time the connection counts as waiting for its client, so it may lose its seat to another one.

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::HttpBody;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_LENGTH, EXPECT};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout_at;

use crate::connection_seats::Seat;
use crate::limits::Limits;
use crate::refusal::Refusal;

/// How long a body is read that is thrown away.
const THROWN_AWAY: Duration = Duration::from_secs(2);

/// Bytes are counted in pieces of this size.
const PIECE: usize = 1024;

/// A body, and the room that it takes.
pub(crate) struct Body {
    pub(crate) bytes: Vec<u8>,
    pub(crate) room: Option<OwnedSemaphorePermit>,
}

/// Room for all bodies together.
pub(crate) struct Room(Arc<Semaphore>);

impl Room {
    pub(crate) fn new(bytes: usize) -> Self {
        Self(Arc::new(Semaphore::new(bytes / PIECE)))
    }

    /// The body, if it is not too long and complete in time.
    ///
    /// # Errors
    /// If it is too long, cut off or too slow, or there is no room for it.
    pub(crate) async fn read(
        &self,
        request: Request,
        longest: usize,
        within: Option<Duration>,
        limits: &Limits,
    ) -> Result<Body, Refusal> {
        if stated_length(&request).is_some_and(|length| length > longest) {
            throw_away(request, 2 * longest).await;
            return Err(too_long(longest));
        }
        let seat = request.extensions().get::<Arc<Seat>>().cloned();
        if let Some(seat) = &seat {
            seat.wait();
        }
        let mut source = request.into_body();
        let mut body = Body { bytes: Vec::new(), room: None };
        let begun = Instant::now();
        let last = within.map(|within| begun + within);
        // When more has to be here: each byte puts it off.
        let mut due = begun + limits.grace;
        loop {
            let next = std::future::poll_fn(|context| Pin::new(&mut source).poll_frame(context));
            let until = last.map_or(due, |last| last.min(due));
            match timeout_at(until.into(), next).await {
                Ok(None) => break,
                Ok(Some(Ok(frame))) => {
                    let Ok(data) = frame.into_data() else { continue };
                    if body.bytes.len() + data.len() > longest {
                        return Err(too_long(longest));
                    }
                    self.make_room(&mut body, data.len())?;
                    body.bytes.extend_from_slice(&data);
                    let more = Duration::from_secs_f64(data.len() as f64 / limits.pace.max(1) as f64);
                    due = (due + more).min(Instant::now() + limits.grace);
                }
                Ok(Some(Err(_))) => return Err(too_long(longest)),
                Err(_) if until == due => return Err(too_slow(limits)),
                Err(_) => return Err(too_late(until - begun)),
            }
        }
        if let Some(seat) = &seat {
            seat.begin_answer();
        }
        Ok(body)
    }

    fn make_room(&self, body: &mut Body, more: usize) -> Result<(), Refusal> {
        let held = body.bytes.len().div_ceil(PIECE);
        let pieces = (body.bytes.len() + more).div_ceil(PIECE) - held;
        // No body has four thousand million pieces.
        let room = Arc::clone(&self.0).try_acquire_many_owned(pieces as u32).map_err(|_| {
            let hint = Some("retry later; a survey has a few MB".to_owned());
            Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "too many uploads at the moment", hint)
        })?;
        match &mut body.room {
            Some(held) => held.merge(room),
            none => *none = Some(room),
        }
        Ok(())
    }
}

fn stated_length(request: &Request) -> Option<usize> {
    request.headers().get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Reads and discards a body, so that the client reads the response: most programs send all of it before they read. Programs that wait for permission
/// before they send it have sent nothing, and a body of more than `most` bytes is not read.
pub(crate) async fn throw_away(request: Request, most: usize) {
    if request.headers().contains_key(EXPECT) || stated_length(&request).is_some_and(|length| length > most) {
        return;
    }
    if let Some(seat) = request.extensions().get::<Arc<Seat>>() {
        seat.wait();
    }
    let mut source = request.into_body();
    let (mut read, until) = (0, Instant::now() + THROWN_AWAY);
    while read < most {
        let next = std::future::poll_fn(|context| Pin::new(&mut source).poll_frame(context));
        let Ok(Some(Ok(frame))) = timeout_at(until.into(), next).await else { return };
        read += frame.into_data().map_or(0, |data| data.len());
    }
}

fn too_long(longest: usize) -> Refusal {
    let hint = "upload each result separately; `zerohop archive add` accepts files of any size".to_owned();
    let words = format!("the request body is truncated, or larger than {} KiB", longest >> 10);
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, &words, Some(hint))
}

fn too_slow(limits: &Limits) -> Refusal {
    let words = format!("upload slower than {} bytes per second", limits.pace);
    let hint = Some("retry over a better connection".to_owned());
    Refusal::new(StatusCode::REQUEST_TIMEOUT, &words, hint)
}

fn too_late(within: Duration) -> Refusal {
    let words = format!("upload timed out after {} s", within.as_secs());
    Refusal::new(StatusCode::REQUEST_TIMEOUT, &words, Some("retry".to_owned()))
}
