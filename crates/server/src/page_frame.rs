//! Frame of a page around its document: navigation, filters, and upload box.

use maud::{Markup, html};
use zerohop_report::{
    Allowance, Links, Reference, RenderError, STYLE, SurroundedPage, Surroundings, WebPage,
};
use zerohop_result::ListedResult;

use crate::answer::{Answer, HTML};
use crate::refusal::{Problem, Refusal};
use crate::service::{Overview, Service};

const OWN_STYLE: &str = include_str!("page/style.css");
const OWN_SCRIPT: &str = include_str!("page/upload.js");

/// Form that the boxes next to results belong to.
pub(crate) const PICKED_BY: &str = "picked";

/// Values of a trait that a list to choose from has, at most.
const MOST_VALUES: usize = 100;

/// What pages of a server may do besides what every page may: send forms, ask the server.
const ALSO: Allowance<'static> =
    Allowance { scripts: "", directives: &["connect-src 'self'"], forms: "'self'" };

struct Served;

impl Links for Served {
    fn address(&self, reference: &Reference) -> Option<String> {
        Some(match reference {
            Reference::Machine(name) => address("/history", "machine", name),
            Reference::Result(id) => format!("/results/{id}"),
        })
    }

    fn picked_by(&self) -> Option<&str> {
        Some(PICKED_BY)
    }
}

/// The address of a page with one parameter.
fn address(path: &str, name: &str, value: &str) -> String {
    let query = form_urlencoded::Serializer::new(String::new()).append_pair(name, value).finish();
    format!("{path}?{query}")
}

/// Writes a page below its navigation and these elements.
pub(crate) fn around(
    above: &Markup,
    service: &Service,
    write: impl FnOnce(&Surroundings<'_>) -> Result<SurroundedPage, RenderError>,
) -> Result<SurroundedPage, RenderError> {
    let above =
        html! { (navigation(service.token.is_some())) section.above aria-label="choices" { (above) } }
            .into_string();
    write(&Surroundings {
        above: &above,
        links: &Served,
        styles: &[OWN_STYLE],
        scripts: &[OWN_SCRIPT],
        also: ALSO,
        ..Surroundings::NONE
    })
}

fn navigation(has_login: bool) -> Markup {
    html! {
        nav aria-label="pages" {
            @for (path, words) in [
                ("/", "machines"),
                ("/results", "results"),
                ("/changes", "changes"),
                ("/findings", "findings"),
                ("/fleet", "fleet"),
            ] { a href=(path) { (words) } }
            @if has_login { form action="/logout" method="post" { button { "log out" } } }
        }
    }
}

/// Lists of trait values for filtering machines.
pub(crate) fn filters(overview: &Overview, wanted: &[String]) -> Markup {
    let values = overview.values();
    let offered = values.iter().filter(|(_, values)| (2..=MOST_VALUES).contains(&values.len()));
    let offered: Vec<_> = offered.collect();
    html! {
        @if !offered.is_empty() {
            details open[!wanted.is_empty()] {
                summary { "filter by machine properties" }
                form.filters action="/" method="get" {
                    @for (what, values) in offered {
                        label {
                            (what) " "
                            select name="trait" {
                                option value="" { "any" }
                                @for value in values {
                                    @let choice = format!("{what}={value}");
                                    option value=(choice) selected[wanted.contains(&choice)] { (value) }
                                }
                            }
                        }
                    }
                    button { "show" }
                }
            }
        }
    }
}

/// Box for uploads by drag and drop.
pub(crate) fn upload_box() -> Markup {
    html! {
        div #upload {
            p { "Drop results or the output of another tool (MLC, STREAM, …) here, or choose files:" }
            label { "machine (if the text does not name it) " input #upload-machine autocomplete="off"; }
            " "
            input #upload-files type="file" multiple aria-label="files";
            ul #upload-outcome aria-live="polite" {}
        }
    }
}

/// Other pages of a machine.
pub(crate) fn of_machine(machine: &str) -> Markup {
    html! {
        p.leads {
            a href=(address("/results", "machine", machine)) { "its results" } " "
            a href=(address("/changes", "machine", machine)) { "what changed" } " "
            a href=(address("/findings", "machine", machine)) { "what is wrong" } " "
            a href=(address("/compare", "id", machine)) { "compare its last two results" }
        }
    }
}

/// Links from a result to its machine.
pub(crate) fn of_result(listed: &ListedResult) -> Markup {
    html! {
        p.leads {
            a href=(address("/history", "machine", &listed.machine)) { "history of " (listed.machine) } " "
            a href={ "/api/v1/results/" (listed.id) } { "as JSON" }
        }
        @if let Some(reason) = &listed.unusable { p.remark { "not counted: " (reason) } }
    }
}

/// Machines by their names, each leading to its history.
pub(crate) fn leads(words: &str, machines: &[&str]) -> Markup {
    html! {
        @if !machines.is_empty() {
            p.leads {
                (words) ": "
                @for machine in machines { a href=(address("/history", "machine", machine)) { (machine) } " " }
            }
        }
    }
}

/// The next part of a list.
pub(crate) fn next_page(address: Option<&str>) -> Markup {
    html! { @if let Some(address) = address { p.leads { a rel="next" href=(address) { "earlier results" } } } }
}

/// A refusal as a page.
pub(crate) fn refusal_page(Refusal { status, problem }: &Refusal, has_login: bool) -> Answer {
    let Problem { error, hint } = problem;
    let body = html! {
        (navigation(has_login))
        main {
            h1 { (status.as_u16()) " " (status.canonical_reason().unwrap_or_default()) }
            div.alert { p { (error) } @if let Some(hint) = hint { p.remark { "hint: " (hint) } } }
        }
    };
    plain_page("zerohop", &body, *status)
}

/// The page that asks for the token.
pub(crate) fn login_page(is_wrong: bool) -> Answer {
    let body = html! {
        main {
            h1 { "zerohop" }
            @if is_wrong { div.alert { p { "wrong token" } } }
            form.filters action="/login" method="post" {
                label { "token " input type="password" name="token" autocomplete="current-password" required autofocus; }
                button { "log in" }
            }
        }
    };
    plain_page("zerohop: log in", &body, axum::http::StatusCode::UNAUTHORIZED)
}

/// A page without a document.
fn plain_page(title: &str, body: &Markup, status: axum::http::StatusCode) -> Answer {
    let body = body.clone().into_string();
    let page = WebPage { title, body: &body, styles: &[STYLE, OWN_STYLE], scripts: &[], also: ALSO };
    Answer { status, policy: Some(page.policy()), ..Answer::new(HTML, page.file()) }
}
