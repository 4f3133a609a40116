//! Responses: body and headers.

use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, LINK, RETRY_AFTER};
use axum::http::{HeaderName, HeaderValue, Response, StatusCode};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) media: &'static str,
    pub(crate) body: Bytes,
    /// Content security policy of a page.
    pub(crate) policy: Option<String>,
    /// Mark that changes with the content.
    pub(crate) mark: Option<String>,
    /// The address of the next part of a list.
    pub(crate) next: Option<String>,
}

pub(crate) const JSON: &str = "application/json";
pub(crate) const HTML: &str = "text/html; charset=utf-8";
/// Media type of OpenMetrics 1.0.
pub(crate) const METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Media type of the older form, which the same text also has.
pub(crate) const OLDER_METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// What is no page may do nothing.
const NOTHING: &str = "default-src 'none'";

/// No other site may show an answer inside of its own.
const ALONE: &str = "frame-ancestors 'none'";

/// When whoever was refused for a while may ask again, in seconds.
const AGAIN: &str = "10";

/// Heads of every answer.
const HEADS: [(HeaderName, &str); 5] = [
    (HeaderName::from_static("x-content-type-options"), "nosniff"),
    (HeaderName::from_static("x-frame-options"), "DENY"),
    // With less, browsers would not say where a form comes from.
    (HeaderName::from_static("referrer-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// A mark on each response that is made of an [`Answer`], and not by a library for what it does not let through.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MadeHere;

impl Answer {
    pub(crate) fn new(media: &'static str, body: impl Into<Bytes>) -> Self {
        Self { status: StatusCode::OK, media, body: body.into(), policy: None, mark: None, next: None }
    }

    /// Response for a client that already has the content.
    pub(crate) fn still(mark: String) -> Self {
        let nothing = Self::new(JSON, Bytes::new());
        Self { status: StatusCode::NOT_MODIFIED, mark: Some(mark), ..nothing }
    }

    /// Nothing, and that is fine.
    pub(crate) fn none() -> Self {
        Self { status: StatusCode::NO_CONTENT, ..Self::new(JSON, Bytes::new()) }
    }

    pub(crate) fn response(self) -> Response<Body> {
        let Self { status, media, body, policy, mark, next } = self;
        let is_bare = [StatusCode::NOT_MODIFIED, StatusCode::NO_CONTENT].contains(&status);
        let mut response = Response::new(if is_bare { Body::empty() } else { Body::from(body) });
        *response.status_mut() = status;
        let policy = format!("{}; {ALONE}", policy.as_deref().unwrap_or(NOTHING));
        let next = next.map(|next| format!("<{next}>; rel=\"next\""));
        let heads = response.headers_mut();
        let mut put = |name: HeaderName, value: &str| {
            if let Ok(value) = HeaderValue::from_str(value) {
                heads.insert(name, value);
            }
        };
        if !is_bare {
            put(CONTENT_TYPE, media);
        }
        // Headers of 304 replace those of the stored page (RFC 9111, 4.3.4), which keeps its own policy.
        if status != StatusCode::NOT_MODIFIED {
            put(CONTENT_SECURITY_POLICY, &policy);
        }
        // A browser asks each time whether it is still so.
        put(CACHE_CONTROL, "private, no-cache");
        if let Some(mark) = mark {
            put(ETAG, &mark);
        }
        if let Some(next) = next {
            put(LINK, &next);
        }
        if [StatusCode::SERVICE_UNAVAILABLE, StatusCode::TOO_MANY_REQUESTS].contains(&status) {
            put(RETRY_AFTER, AGAIN);
        }
        HEADS.into_iter().for_each(|(name, value)| put(name, value));
        response.extensions_mut().insert(MadeHere);
        response
    }
}
