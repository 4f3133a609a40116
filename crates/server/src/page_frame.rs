//! Frame of a page around its content: navigation, styles and scripts; and the pages that are no documents.

use axum::http::StatusCode;
use maud::{Markup, html};
use zerohop_report::{Allowance, RenderError, STYLE, SurroundedPage, Surroundings, WebPage};

use crate::answer::{Answer, HTML};
use crate::page_links::Served;
use crate::page_parts::prose;
use crate::refusal::{Problem, Refusal};
use crate::service::Service;

const OWN_STYLES: [&str; 2] = [include_str!("page/style.css"), include_str!("page/chart.css")];
const OWN_SCRIPTS: [&str; 2] = [include_str!("page/upload.js"), include_str!("page/pick.js")];

/// What pages of a server may do besides what every page may: send forms, ask the server.
const ALSO: Allowance<'static> =
    Allowance { scripts: "", directives: &["connect-src 'self'"], forms: "'self'" };

/// The pages that all others lead to: address, and name.
const PAGES: [(&str, &str); 5] = [
    ("/", "Machines"),
    ("/findings", "Findings"),
    ("/changes", "Changes"),
    ("/results", "Results"),
    ("/fleet", "Fleet"),
];

/// Writes a document below the navigation of the page at this path and these elements.
pub(crate) fn around(
    above: &Markup,
    (service, path): (&Service, &str),
    write: impl FnOnce(&Surroundings<'_>) -> Result<SurroundedPage, RenderError>,
) -> Result<SurroundedPage, RenderError> {
    let above = html! {
        (navigation(path, service.token.is_some()))
        @if !above.0.is_empty() { section.above aria-label="context" { (above) } }
    };
    write(&Surroundings {
        above: &above.into_string(),
        links: &Served,
        styles: &OWN_STYLES,
        scripts: &OWN_SCRIPTS,
        also: ALSO,
        ..Surroundings::NONE
    })
}

/// A page with this content at this path.
pub(crate) fn own_page(title: &str, content: &Markup, (service, path): (&Service, &str)) -> Answer {
    let body = html! {
        (navigation(path, service.token.is_some()))
        main { (content) }
    };
    plain_page(title, &body, StatusCode::OK)
}

fn navigation(path: &str, has_login: bool) -> Markup {
    html! {
        nav.bar aria-label="pages" {
            div {
                a.brand href="/" { "zerohop" }
                @for (address, words) in PAGES {
                    a href=(address) aria-current=[(address == path).then_some("page")] { (words) }
                }
                @if has_login { form action="/logout" method="post" { button { "log out" } } }
            }
        }
    }
}

/// A refusal as a page at this path: what is wrong, what to do about it, and ways back.
pub(crate) fn refusal_page(Refusal { status, problem }: &Refusal, path: &str, has_login: bool) -> Answer {
    let Problem { error, hint, .. } = problem;
    let known = PAGES.iter().find(|(address, _)| *address == path && path != "/");
    let title = match *status {
        StatusCode::NOT_FOUND => "Not found",
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS => "Not now",
        status if status.is_server_error() => "That failed",
        _ => "That does not work",
    };
    let body = html! {
        (navigation(path, has_login))
        main {
            header { h1 { (title) } p.remark { (status.as_u16()) " " (status.canonical_reason().unwrap_or_default()) } }
            div class="alert" { p { (prose(error)) } @if let Some(hint) = hint { p.remark { (prose(hint)) } } }
            p.leads {
                @if let Some((address, words)) = known { a href=(address) { "All " (words.to_lowercase()) } " " }
                a href="/" { "All machines" }
                " " a href="/results" { "Results" }
            }
        }
    };
    plain_page(&format!("zerohop: {}", title.to_lowercase()), &body, *status)
}

/// The page that asks for the token, and leads to this address then.
pub(crate) fn login_page(is_wrong: bool, to: &str) -> Answer {
    let body = html! {
        main.login {
            header { h1 { "zerohop" } p.remark { "This archive asks for a token." } }
            @if is_wrong { div class="alert" role="alert" { p { "wrong token" } } }
            form action="/login" method="post" {
                input type="hidden" name="to" value=(to);
                label { span { "token" } input type="password" name="token" autocomplete="current-password" required autofocus; }
                button.main { "log in" }
            }
            p.remark { "Whoever started the server has it: it is the content of the file behind " code { "--token-file" } "." }
        }
    };
    plain_page("zerohop: log in", &body, StatusCode::UNAUTHORIZED)
}

/// A page without a document.
fn plain_page(title: &str, body: &Markup, status: StatusCode) -> Answer {
    let body = body.clone().into_string();
    let styles = [&[STYLE], OWN_STYLES.as_slice()].concat();
    let page = WebPage { title, body: &body, styles: &styles, scripts: &OWN_SCRIPTS, also: ALSO };
    Answer { status, policy: Some(page.policy()), ..Answer::new(HTML, page.file()) }
}
