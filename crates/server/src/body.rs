//! What comes with a request: read as it comes, with a least pace, and within what all bodies together may take.

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::HttpBody;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::CONTENT_LENGTH;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::limits::Limits;
use crate::refusal::Refusal;

/// How often it is looked at the pace.
const LOOK: Duration = Duration::from_millis(100);

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

    /// What was sent, if it is no longer than that.
    ///
    /// # Errors
    /// When it is longer, cut off, comes too slowly, or there is no room for it.
    pub(crate) async fn read(
        &self,
        request: Request,
        longest: usize,
        limits: &Limits,
    ) -> Result<Body, Refusal> {
        let stated = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok());
        if stated.and_then(|length| length.parse::<u64>().ok()).is_some_and(|length| length > longest as u64)
        {
            return Err(too_long(longest));
        }
        let mut source = request.into_body();
        let mut body = Body { bytes: Vec::new(), room: None };
        let begun = Instant::now();
        loop {
            let next = std::future::poll_fn(|context| Pin::new(&mut source).poll_frame(context));
            match timeout(LOOK, next).await {
                Ok(None) => return Ok(body),
                Ok(Some(Ok(frame))) => {
                    let Ok(data) = frame.into_data() else { continue };
                    if body.bytes.len() + data.len() > longest {
                        return Err(too_long(longest));
                    }
                    self.make_room(&mut body, data.len())?;
                    body.bytes.extend_from_slice(&data);
                }
                Ok(Some(Err(_))) => return Err(too_long(longest)),
                Err(_) => {}
            }
            let late = begun.elapsed().saturating_sub(limits.grace);
            if (body.bytes.len() as f64) < late.as_secs_f64() * limits.pace as f64 {
                return Err(too_slow(limits));
            }
        }
    }

    fn make_room(&self, body: &mut Body, more: usize) -> Result<(), Refusal> {
        let held = body.bytes.len().div_ceil(PIECE);
        let pieces = (body.bytes.len() + more).div_ceil(PIECE) - held;
        // No body has four thousand million pieces.
        let room = Arc::clone(&self.0).try_acquire_many_owned(pieces as u32).map_err(|_| {
            let hint = Some("send it again later; a survey has a few MB".to_owned());
            Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "too much is being sent at the moment", hint)
        })?;
        match &mut body.room {
            Some(held) => held.merge(room),
            none => *none = Some(room),
        }
        Ok(())
    }
}

fn too_long(longest: usize) -> Refusal {
    let hint = "send each result by itself; `zerohop archive add` takes files of any length".to_owned();
    let words = format!("what was sent was cut off, or is longer than {} KiB", longest >> 10);
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, &words, Some(hint))
}

fn too_slow(limits: &Limits) -> Refusal {
    let words = format!("what was sent came more slowly than {} bytes a second", limits.pace);
    let hint = Some("send it again over a better connection".to_owned());
    Refusal::new(StatusCode::REQUEST_TIMEOUT, &words, hint)
}
