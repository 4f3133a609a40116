//! Logging in and out: the token becomes a cookie with the name of a login, which no script and no other site can use.

use axum::body::Body;
use axum::http::header::{LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode};

use crate::answer::{Answer, HTML};
use crate::sessions::LASTS;

/// The name of the cookie.
pub(crate) const NAME: &str = "zerohop";

/// The longest form, in bytes.
pub(crate) const LONGEST: usize = 4096;

/// The token that a form holds.
pub(crate) fn token_of(form: &[u8]) -> String {
    let found = form_urlencoded::parse(form).find(|(name, _)| name == "token");
    found.map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
}

/// Response to a login with the right token, with the name of the session.
pub(crate) fn logged_in(session: &str, heads: &HeaderMap) -> Response<Body> {
    with_cookie(session, LASTS.as_secs(), heads)
}

/// Response to a logout.
pub(crate) fn logged_out(heads: &HeaderMap) -> Response<Body> {
    with_cookie("", 0, heads)
}

fn with_cookie(value: &str, lasts: u64, heads: &HeaderMap) -> Response<Body> {
    let answer = Answer { status: StatusCode::SEE_OTHER, ..Answer::new(HTML, "") };
    let mut response = answer.response();
    // A proxy says so if the browser's connection is encrypted.
    let is_secure = heads.get("x-forwarded-proto").is_some_and(|proto| proto == "https");
    let secure = if is_secure { "; Secure" } else { "" };
    let cookie = format!("{NAME}={value}; Path=/; Max-Age={lasts}; HttpOnly; SameSite=Strict{secure}");
    response.headers_mut().insert(LOCATION, HeaderValue::from_static("/"));
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    response
}
