//! Access control: every request passes here before anything is read.
//!
//! - Without a token, only this host can connect. A page of another site could still send requests through a browser, under a host name of its own
//!   that resolves to this host; so the host name in the request must be one of this host.
//! - A request that changes data must come from a page of this server, if it comes from a page.
//! - A client that has shown too many wrong tokens has to wait.

use std::net::IpAddr;
use std::time::Instant;

use axum::http::header::{AUTHORIZATION, COOKIE, HOST, ORIGIN};
use axum::http::{HeaderMap, Method, StatusCode};

use crate::login::NAME;
use crate::refusal::Refusal;
use crate::sessions::Sessions;
use crate::token::Token;
use crate::token_attempts::Guesses;

/// Client of a request, and the server's knowledge about authorized clients.
pub(crate) struct Asker<'a> {
    pub(crate) token: Option<&'a Token>,
    pub(crate) sessions: &'a Sessions,
    pub(crate) guesses: &'a Guesses,
    /// Address of the connection. Addresses forwarded by a proxy can be forged.
    pub(crate) address: IpAddr,
}

/// Reason why a request is rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Barred {
    /// The client must show the token.
    Unknown,
    /// It does not come from where it should.
    Refused(Refusal),
}

/// Whether a request may go on. `is_login` if it is about to show the token.
///
/// # Errors
/// When it may not.
pub(crate) fn admit(
    asker: &Asker<'_>,
    method: &Method,
    heads: &HeaderMap,
    is_login: bool,
) -> Result<(), Barred> {
    let host = heads.get(HOST).map(|host| host.to_str().unwrap_or("?"));
    if asker.token.is_none() && host.is_some_and(|host| !is_of_this_host(host)) {
        return Err(Barred::Refused(Refusal::new(
            StatusCode::MISDIRECTED_REQUEST,
            "host name not allowed: this server accepts only names of its own host",
            Some("use localhost or 127.0.0.1; behind a proxy, start the server with --token-file".to_owned()),
        )));
    }
    let is_reading = method == Method::GET || method == Method::HEAD;
    if !is_reading && !is_from_here(heads, host.unwrap_or_default()) {
        return Err(Barred::Refused(Refusal::new(
            StatusCode::FORBIDDEN,
            "cross-site request rejected",
            Some("a proxy must preserve the `Host` header".to_owned()),
        )));
    }
    match asker.token {
        Some(token) if !is_login => asker.known(token, heads),
        _ => Ok(()),
    }
}

/// Refusal for a client that has shown too many wrong tokens.
pub(crate) fn too_many() -> Refusal {
    let hint = Some("check the token, and retry after a minute".to_owned());
    Refusal::new(StatusCode::TOO_MANY_REQUESTS, "too many wrong tokens from your address", hint)
}

/// Whether a name with or without a port is one of this host itself.
fn is_of_this_host(host: &str) -> bool {
    let name = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Whether what is sent comes from a page of this server, or from no page at all.
fn is_from_here(heads: &HeaderMap, host: &str) -> bool {
    let is_same = |origin: &str| {
        let of = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        of.is_some_and(|of| of.eq_ignore_ascii_case(host))
    };
    let from = heads.get(ORIGIN).map(|origin| origin.to_str().is_ok_and(is_same));
    let site = heads.get("sec-fetch-site").map(|site| site == "same-origin" || site == "none");
    from.unwrap_or(true) && site.unwrap_or(true)
}

impl Asker<'_> {
    /// Whether the token is shown, or the cookie of a login.
    fn known(&self, token: &Token, heads: &HeaderMap) -> Result<(), Barred> {
        let now = Instant::now();
        let Some(shown) = heads.get(AUTHORIZATION) else {
            let is_open = logins_of(heads).any(|session| self.sessions.is_open(session, now));
            return if is_open { Ok(()) } else { Err(Barred::Unknown) };
        };
        // A right one must not look different from a wrong one by now.
        if !self.guesses.may(self.address, now) {
            return Err(Barred::Refused(too_many()));
        }
        let shown = shown.to_str().ok().and_then(|value| value.split_once(' '));
        if shown
            .is_some_and(|(scheme, shown)| scheme.eq_ignore_ascii_case("bearer") && token.is(shown.trim()))
        {
            return Ok(());
        }
        self.guesses.wrong(self.address, now);
        Err(Barred::Unknown)
    }
}

/// The names of logins in the cookies of a request.
pub(crate) fn logins_of(heads: &HeaderMap) -> impl Iterator<Item = &str> {
    let cookies = heads.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = cookies.flat_map(|all| all.split(';')).filter_map(|one| one.trim().split_once('='));
    pairs.filter(|(name, _)| *name == NAME).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn heads(pairs: &[(&str, &str)]) -> HeaderMap {
        let pair = |(name, value): &(&str, &str)| {
            (name.parse::<HeaderName>().unwrap(), value.parse::<HeaderValue>().unwrap())
        };
        pairs.iter().map(pair).collect()
    }

    fn admitted(token: Option<&Token>, method: &Method, pairs: &[(&str, &str)]) -> Result<(), u16> {
        admitted_by(&Sessions::default(), &Guesses::default(), token, method, pairs)
    }

    fn admitted_by(
        sessions: &Sessions,
        guesses: &Guesses,
        token: Option<&Token>,
        method: &Method,
        pairs: &[(&str, &str)],
    ) -> Result<(), u16> {
        let asker = Asker { token, sessions, guesses, address: [192, 0, 2, 1].into() };
        admit(&asker, method, &heads(pairs), false).map_err(|barred| match barred {
            Barred::Unknown => 401,
            Barred::Refused(refusal) => refusal.status.as_u16(),
        })
    }

    #[test]
    fn a_name_that_another_site_lets_stand_for_this_host_is_refused() {
        for (host, expected) in [
            ("127.0.0.1:7717", Ok(())),
            ("localhost", Ok(())),
            ("LOCALHOST:80", Ok(())),
            ("[::1]:7717", Ok(())),
            ("127.9.9.9", Ok(())),
            ("evil.example:7717", Err(421)),
            ("127.0.0.1.evil.example", Err(421)),
            ("localhost.evil.example", Err(421)),
            ("192.0.2.1", Err(421)),
            ("", Err(421)),
        ] {
            assert_eq!(admitted(None, &Method::GET, &[("host", host)]), expected, "{host}");
        }
    }

    #[test]
    fn what_changes_something_comes_from_a_page_of_the_server_or_from_none() {
        let host = ("host", "127.0.0.1:7717");
        for (more, expected) in [
            (vec![], Ok(())),
            (vec![("origin", "http://127.0.0.1:7717")], Ok(())),
            (vec![("origin", "http://127.0.0.1:7717"), ("sec-fetch-site", "same-origin")], Ok(())),
            (vec![("origin", "http://127.0.0.1:8080")], Err(403)),
            (vec![("origin", "null")], Err(403)),
            (vec![("origin", "http://evil.example")], Err(403)),
            (vec![("sec-fetch-site", "cross-site")], Err(403)),
            (vec![("sec-fetch-site", "same-site")], Err(403)),
        ] {
            let all = [&[host], more.as_slice()].concat();
            assert_eq!(admitted(None, &Method::POST, &all), expected, "{more:?}");
            assert_eq!(admitted(None, &Method::GET, &all), Ok(()), "{more:?}");
        }
    }

    #[test]
    fn a_token_is_shown_by_a_head_or_a_login_by_a_cookie() {
        let token = Token::new("0123456789abcdef").unwrap();
        let (sessions, guesses) = (Sessions::default(), Guesses::default());
        let cookie = format!("other=1; zerohop={}", sessions.begin(Instant::now()).unwrap());
        for (pair, expected) in [
            (("authorization", "Bearer 0123456789abcdef"), Ok(())),
            (("authorization", "bearer 0123456789abcdef"), Ok(())),
            (("authorization", "Bearer 0123456789abcde"), Err(401)),
            (("authorization", "Basic 0123456789abcdef"), Err(401)),
            (("authorization", "0123456789abcdef"), Err(401)),
            (("cookie", cookie.as_str()), Ok(())),
            (("cookie", "zerohop=0123456789abcdef"), Err(401)),
            (("cookie", "zerohop="), Err(401)),
            (("x-none", ""), Err(401)),
        ] {
            // Names of other hosts are fine: whoever knows the token is no other site.
            let all = [("host", "numa.example.org"), pair];
            let found = admitted_by(&sessions, &guesses, Some(&token), &Method::GET, &all);
            assert_eq!(found, expected, "{pair:?}");
        }
        let asker = Asker {
            token: Some(&token),
            sessions: &sessions,
            guesses: &guesses,
            address: [192, 0, 2, 1].into(),
        };
        assert!(admit(&asker, &Method::POST, &heads(&[]), true).is_ok());
    }

    #[test]
    fn whoever_guesses_waits_even_with_the_right_token_and_logins_go_on() {
        let token = Token::new("0123456789abcdef").unwrap();
        let (sessions, guesses) = (Sessions::default(), Guesses::default());
        let admitted =
            |pair: (&str, &str)| admitted_by(&sessions, &guesses, Some(&token), &Method::GET, &[pair]);
        let guess = |rank: u64| admitted(("authorization", &format!("Bearer {rank:016}")));
        let found: Vec<_> = (0..30).map(guess).collect();
        assert!(
            found.iter().all(|one| matches!(one, Err(401 | 429))) && found.contains(&Err(429)),
            "{found:?}"
        );
        assert_eq!(admitted(("authorization", "Bearer 0123456789abcdef")), Err(429));
        let cookie = format!("zerohop={}", sessions.begin(Instant::now()).unwrap());
        assert_eq!(admitted(("cookie", &cookie)), Ok(()));
    }
}
