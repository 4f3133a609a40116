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

/// The page that a form leads to: one of this server, or else the first one.
pub(crate) fn target_of(form: &[u8]) -> String {
    let found = form_urlencoded::parse(form).find(|(name, _)| name == "to");
    let target = found.map(|(_, value)| value.into_owned()).filter(|target| is_own(target));
    target.unwrap_or_else(|| "/".to_owned())
}

/// Whether an address is one of this server. Two slashes or a backslash would begin the name of another host.
fn is_own(target: &str) -> bool {
    let is_page = !target.starts_with("/login") && !target.starts_with("/logout");
    let is_path = target.starts_with('/') && !target.starts_with("//") && !target.contains('\\');
    is_path && is_page && target.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Response to a login with the right token, with the name of the session: it leads to this address.
pub(crate) fn logged_in(session: &str, to: &str, heads: &HeaderMap) -> Response<Body> {
    with_cookie(session, to, LASTS.as_secs(), heads)
}

/// Response to a logout.
pub(crate) fn logged_out(heads: &HeaderMap) -> Response<Body> {
    with_cookie("", "/", 0, heads)
}

fn with_cookie(value: &str, to: &str, lasts: u64, heads: &HeaderMap) -> Response<Body> {
    let answer = Answer { status: StatusCode::SEE_OTHER, ..Answer::new(HTML, "") };
    let mut response = answer.response();
    // A proxy says so if the browser's connection is encrypted.
    let is_secure = heads.get("x-forwarded-proto").is_some_and(|proto| proto == "https");
    let secure = if is_secure { "; Secure" } else { "" };
    let cookie = format!("{NAME}={value}; Path=/; Max-Age={lasts}; HttpOnly; SameSite=Strict{secure}");
    let to = HeaderValue::from_str(to).unwrap_or(HeaderValue::from_static("/"));
    response.headers_mut().insert(LOCATION, to);
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_leads_to_a_page_of_this_server_and_to_no_other() {
        for (form, to) in [
            ("token=a&to=%2Fhistory%3Fmachine%3Dnode-01", "/history?machine=node-01"),
            ("token=a", "/"),
            ("to=https%3A%2F%2Fevil.example", "/"),
            ("to=%2F%2Fevil.example", "/"),
            ("to=%2F%5Cevil.example", "/"),
            ("to=%2Fa%0D%0Aset-cookie%3A+b", "/"),
            ("to=%2Flogin", "/"),
        ] {
            assert_eq!(target_of(form.as_bytes()), to, "{form}");
        }
    }
}
